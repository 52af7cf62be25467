//! Hit objects (`SPV_NV_shader_invocation_reorder`, `SPV_EXT_shader_invocation_reorder`).
//!
//! A hit object is a private variable of words, or an element of one that is an array: what a trace has
//! found, or what an instruction says that it has, and the ray ([`word`]). A trace into one, the execution
//! of its shader, the record of a hit and the question about its shader record are suspend points; all else
//! is plain loads and stores. The words hold addresses that the engine has written: so no instruction but
//! those here reaches them, and a new variable is empty. How invocations are brought together for the
//! shaders that they call does not depend on reordering, so the instructions that ask for it do nothing.

use super::{RayStage, from_words, load_column, store_column, to_words};
use crate::context::Lowerer;
use crate::error::{Result, invalid, limit, unsupported};
use crate::limits::{HIT_OBJECT_COUNT_MAX, HIT_OBJECT_WORDS};
use crate::memory::Access;
use crate::pointer::{MemoryLayout, Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_abi::ray::{VERTEX_COMPONENT_BYTES, hit_flags, ray_offset, sphere_component};
use pyro_abi::raytrace::{HIT_ATTRIBUTE_WORDS, HIT_WORDS, hit_object, ray_offset as at, request};
use pyro_ir::{MemoryOp, Opcode, Scalar, Slot, Space, Value};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Type};

/// Words of a hit object.
mod word {
    use super::{HIT_OBJECT_WORDS, HIT_WORDS};

    /// One of [`super::hit_object`].
    pub(super) const KIND: u32 = 0;
    /// The index of its record in the shader binding table of hit groups or of miss shaders.
    pub(super) const RECORD: u32 = 1;
    pub(super) const FLAGS: u32 = 2;
    pub(super) const CULL_MASK: u32 = 3;
    pub(super) const ORIGIN: u32 = 4;
    pub(super) const T_MIN: u32 = 7;
    pub(super) const DIRECTION: u32 = 8;
    pub(super) const TIME: u32 = 11;
    /// Those of a `RayHit`; of misses the distance is the ray's end.
    pub(super) const HIT: u32 = 12;
    pub(super) const ATTRIBUTES: u32 = HIT + HIT_WORDS as u32;
    pub(super) const COUNT: u32 = HIT_OBJECT_WORDS;
}

const _: () = assert!(word::ATTRIBUTES + HIT_ATTRIBUTE_WORDS as u32 == word::COUNT);

/// The word of a field of the hit.
const fn hit(field: u32) -> u32 {
    word::HIT + field / 4
}

/// The columns that have the same words as a hit object while a suspended function waits: first word, count,
/// and column.
const COLUMNS: [(u32, u32, u32); 10] = [
    (word::KIND, 1, at::OBJECT),
    (word::RECORD, 1, at::RECORD),
    (word::FLAGS, 1, at::FLAGS),
    (word::CULL_MASK, 1, at::CULL_MASK),
    (word::ORIGIN, 3, at::ORIGIN),
    (word::T_MIN, 1, at::T_MIN),
    (word::DIRECTION, 3, at::DIRECTION),
    (word::TIME, 1, at::TIME),
    (word::HIT, HIT_WORDS as u32, at::HIT_COLUMNS),
    (word::ATTRIBUTES, HIT_ATTRIBUTE_WORDS as u32, at::ATTRIBUTES),
];

/// Bytes from a column to the next.
const COLUMN_BYTES: u32 = pyro_abi::raytrace::RAY_COLUMN_BYTES;

impl<'m> Lowerer<'m, '_> {
    /// A new variable of hit objects that are empty.
    pub(crate) fn hit_object_variable(&mut self, ty: Id) -> Result<Pointer> {
        let bytes = self.types.extent(&self.constants, ty)?.size;
        if bytes > HIT_OBJECT_COUNT_MAX * u64::from(4 * word::COUNT) {
            return limit(format!("an array of more than {HIT_OBJECT_COUNT_MAX} hit objects"));
        }
        let slot = self.b.function.add_slot(bytes as u32);
        let zero = self.b.i32(0);
        for place in (0..bytes as u32).step_by(4) {
            let place = self.b.i32(place);
            self.b.slot_store(slot, place, zero);
        }
        let base = PointerBase::Slot { slot, bools_in_memory: false };
        Ok(Pointer::new(base, Some(ty), MemoryLayout::LOGICAL))
    }

    /// Whether variables of a type hold hit objects.
    pub(crate) fn holds_hit_objects(&self, ty: Id) -> bool {
        matches!(self.module.ty(self.module.strip_arrays(ty)), Type::HitObject { .. })
    }
}

/// A hit object: its variable, and where it is in an array.
#[derive(Clone, Copy)]
struct HitObject {
    slot: Slot,
    /// Bytes in front of it: a constant, and what only the shader's run tells.
    start: u32,
    element: Option<Value>,
}

impl HitObject {
    fn of(cx: &mut Lowerer<'_, '_>, id: Id) -> Result<HitObject> {
        let pointer = cx.pointer(id)?;
        let is_one = pointer.pointee.is_some_and(|ty| matches!(cx.module.ty(ty), Type::HitObject { .. }));
        match pointer.base {
            PointerBase::Slot { slot, .. } if is_one => {
                let (start, element) = (pointer.offset as u32, cx.dynamic_offset(&pointer));
                Ok(HitObject { slot, start, element })
            }
            _ => invalid(format!("{id} is not a hit object")),
        }
    }

    /// The byte of a word in the variable.
    fn place(self, cx: &mut Lowerer<'_, '_>, word: u32) -> Value {
        let place = cx.b.i32(self.start + 4 * word);
        match self.element {
            Some(element) => cx.b.op(Opcode::IAdd, &[element, place]),
            None => place,
        }
    }

    fn get(self, cx: &mut Lowerer<'_, '_>, word: u32) -> Value {
        let place = self.place(cx, word);
        cx.b.slot_load(Scalar::I32, self.slot, place)
    }

    /// Sets a word to a value of 32 bits.
    fn set(self, cx: &mut Lowerer<'_, '_>, word: u32, value: Value) {
        let (place, value) = (self.place(cx, word), cx.b.bitcast(value, Scalar::I32));
        cx.b.slot_store(self.slot, place, value);
    }

    /// Sets words from an operand of so many scalars of 32 bits.
    fn set_operand(self, cx: &mut Lowerer<'_, '_>, word: u32, id: Id, count: usize) -> Result {
        let values = cx.scalars(id)?;
        if values.len() != count || values.iter().any(|&value| cx.scalar_type(value).bits() != 32) {
            return invalid(format!("{id} is not {count} words"));
        }
        for (word, value) in (word..).zip(values) {
            self.set(cx, word, value);
        }
        Ok(())
    }

    fn set_constant(self, cx: &mut Lowerer<'_, '_>, word: u32, value: u32) {
        let value = cx.b.i32(value);
        self.set(cx, word, value);
    }

    /// Makes it empty.
    fn clear(self, cx: &mut Lowerer<'_, '_>) {
        (0..word::COUNT).for_each(|word| self.set_constant(cx, word, 0));
    }

    /// Writes words to the columns that stand for them.
    fn store_columns(self, cx: &mut Lowerer<'_, '_>) {
        for (first, count, column) in COLUMNS {
            for index in 0..count {
                let value = self.get(cx, first + index);
                store_column(cx, column + COLUMN_BYTES * index, value);
            }
        }
    }

    /// Takes what the engine has found out: all but the ray.
    fn load_result(self, cx: &mut Lowerer<'_, '_>) {
        let found = [word::KIND, word::RECORD, word::HIT, word::ATTRIBUTES];
        for (first, count, column) in COLUMNS.into_iter().filter(|(first, ..)| found.contains(first)) {
            for index in 0..count {
                let value = load_column(cx, column + COLUMN_BYTES * index, Scalar::I32);
                self.set(cx, first + index, value);
            }
        }
    }

    /// Two words as an address.
    fn address(self, cx: &mut Lowerer<'_, '_>, word: u32) -> Value {
        let [low, high] = [word, word + 1].map(|word| {
            let half = self.get(cx, word);
            cx.b.convert(Opcode::ZeroExtend, half, Scalar::I64)
        });
        let amount = cx.b.i64(32);
        let high = cx.b.op(Opcode::Shl, &[high, amount]);
        cx.b.op(Opcode::Or, &[low, high])
    }

    /// Floats at offsets behind an address that it has; zeros where that is null.
    fn behind(self, cx: &mut Lowerer<'_, '_>, word: u32, offsets: impl Iterator<Item = u32>) -> Scalars {
        let (address, null, start) = (self.address(cx, word), cx.b.i64(0), cx.b.i32(0));
        let is_there = cx.b.op(Opcode::INe, &[address, null]);
        let memory = MemoryOp::new(Space::Constant);
        offsets
            .map(|offset| cx.b.load(Scalar::F32, memory.at(offset as i32), address, start, is_there))
            .collect()
    }
}

/// Defines a result by words, each as a scalar of the result.
fn define<'m>(cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>, words: &[Value]) -> Result {
    let scalars = cx.result_scalars(inst)?;
    if scalars.len() != words.len() || scalars.iter().any(|scalar| scalar.bits() != 32) {
        return invalid(format!("the result of Op{:?} is not {} words", inst.op(), words.len()));
    }
    let values: Scalars =
        words.iter().zip(&scalars[..]).map(|(&word, &scalar)| cx.b.bitcast(word, scalar)).collect();
    cx.define(inst, Operand::Data(values))
}

impl RayStage {
    /// Lowers an instruction on hit objects, or one that asks for reordering.
    pub(super) fn hit_object<'m>(&self, cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        if matches!(
            inst.op(),
            Op::ReorderThreadWithHintNV
                | Op::ReorderThreadWithHintEXT
                | Op::ReorderThreadWithHitObjectNV
                | Op::ReorderThreadWithHitObjectEXT
        ) {
            return Ok(());
        }
        let object = HitObject::of(cx, inst.id(0))?;
        match inst.op() {
            Op::HitObjectTraceRayNV | Op::HitObjectTraceRayEXT => {
                self.trace_into(cx, inst, object, None, inst.id(11))
            }
            Op::HitObjectTraceRayMotionNV | Op::HitObjectTraceRayMotionEXT => {
                self.trace_into(cx, inst, object, Some(inst.id(11)), inst.id(12))
            }
            Op::HitObjectTraceReorderExecuteEXT => {
                self.trace_into(cx, inst, object, None, inst.id(11))?;
                self.execute(cx, object, inst.id(11))
            }
            Op::HitObjectTraceMotionReorderExecuteEXT => {
                self.trace_into(cx, inst, object, Some(inst.id(11)), inst.id(12))?;
                self.execute(cx, object, inst.id(12))
            }
            Op::HitObjectExecuteShaderNV
            | Op::HitObjectExecuteShaderEXT
            | Op::HitObjectReorderExecuteShaderEXT => self.execute(cx, object, inst.id(1)),
            Op::HitObjectRecordEmptyNV | Op::HitObjectRecordEmptyEXT => {
                object.clear(cx);
                Ok(())
            }
            Op::HitObjectRecordMissNV | Op::HitObjectRecordMissMotionNV => {
                self.record_miss(cx, inst, object, 1)
            }
            Op::HitObjectRecordMissEXT | Op::HitObjectRecordMissMotionEXT => {
                self.record_miss(cx, inst, object, 2)
            }
            Op::HitObjectRecordHitNV
            | Op::HitObjectRecordHitMotionNV
            | Op::HitObjectRecordHitWithIndexNV
            | Op::HitObjectRecordHitWithIndexMotionNV => self.record_hit(cx, inst, object),
            Op::HitObjectRecordFromQueryEXT => self.record_query(cx, inst, object),
            Op::HitObjectSetShaderBindingTableRecordIndexEXT => {
                object.set_operand(cx, word::RECORD, inst.id(1), 1)
            }
            _ => self.hit_object_query(cx, inst, object),
        }
    }

    fn trace_into(
        &self,
        cx: &mut Lowerer<'_, '_>,
        inst: Instruction<'_>,
        object: HitObject,
        time: Option<Id>,
        payload: Id,
    ) -> Result {
        self.ask_ray(cx, inst, 1, time)?;
        for (operand, word, count) in [
            (2, word::FLAGS, 1),
            (3, word::CULL_MASK, 1),
            (7, word::ORIGIN, 3),
            (8, word::T_MIN, 1),
            (9, word::DIRECTION, 3),
        ] {
            object.set_operand(cx, word, inst.id(operand), count)?;
        }
        match time {
            Some(time) => object.set_operand(cx, word::TIME, time, 1)?,
            None => object.set_constant(cx, word::TIME, 0),
        }
        self.pass(cx, payload, request::TRACE_HIT)?;
        object.load_result(cx);
        Ok(())
    }

    /// Runs the closest-hit or miss shader, as the trace would have.
    fn execute(&self, cx: &mut Lowerer<'_, '_>, object: HitObject, payload: Id) -> Result {
        object.store_columns(cx);
        self.pass(cx, payload, request::EXECUTE)
    }

    /// A ray that has missed. `record`: which operand is the index in the miss table; the flags, if there are
    /// any, are before it, the ray behind it.
    fn record_miss(
        &self,
        cx: &mut Lowerer<'_, '_>,
        inst: Instruction<'_>,
        object: HitObject,
        record: usize,
    ) -> Result {
        object.clear(cx);
        object.set_constant(cx, word::KIND, hit_object::MISS);
        object.set_operand(cx, word::RECORD, inst.id(record), 1)?;
        if record == 2 {
            object.set_operand(cx, word::FLAGS, inst.id(1), 1)?;
        }
        self.set_ray(cx, inst, object, record + 1)?;
        if matches!(inst.op(), Op::HitObjectRecordMissMotionNV | Op::HitObjectRecordMissMotionEXT) {
            object.set_operand(cx, word::TIME, inst.id(record + 5), 1)?;
        }
        Ok(())
    }

    /// Sets origin, least distance, direction and greatest distance from operands.
    fn set_ray(
        &self,
        cx: &mut Lowerer<'_, '_>,
        inst: Instruction<'_>,
        object: HitObject,
        first: usize,
    ) -> Result {
        for (operand, (word, count)) in (first..).zip([
            (word::ORIGIN, 3),
            (word::T_MIN, 1),
            (word::DIRECTION, 3),
            (hit(ray_offset::T), 1),
        ]) {
            object.set_operand(cx, word, inst.id(operand), count)?;
        }
        Ok(())
    }

    /// A hit that no trace has found: the engine looks the instance up.
    fn record_hit(&self, cx: &mut Lowerer<'_, '_>, inst: Instruction<'_>, object: HitObject) -> Result {
        object.clear(cx);
        let has_index =
            matches!(inst.op(), Op::HitObjectRecordHitWithIndexNV | Op::HitObjectRecordHitWithIndexMotionNV);
        let has_time =
            matches!(inst.op(), Op::HitObjectRecordHitMotionNV | Op::HitObjectRecordHitWithIndexMotionNV);
        for (operand, field) in [
            (2, ray_offset::INSTANCE_INDEX),
            (3, ray_offset::PRIMITIVE_INDEX),
            (4, ray_offset::GEOMETRY_INDEX),
            (5, ray_offset::HIT_KIND),
        ] {
            object.set_operand(cx, hit(field), inst.id(operand), 1)?;
        }
        let first = if has_index { 7 } else { 8 };
        self.set_ray(cx, inst, object, first)?;
        if has_time {
            object.set_operand(cx, word::TIME, inst.id(first + 4), 1)?;
        }
        self.set_attributes(cx, object, inst.id(first + 4 + usize::from(has_time)))?;
        let structure = cx.scalar(inst.id(1))?;
        if cx.scalar_type(structure) != Scalar::I64 {
            return invalid("a hit is recorded of something that is not an acceleration structure");
        }
        object.store_columns(cx);
        store_column(cx, at::STRUCTURE, structure);
        if !has_index {
            self.store_words(cx, at::SBT_OFFSET, inst.id(6), 1)?;
            self.store_words(cx, at::SBT_STRIDE, inst.id(7), 1)?;
        }
        self.suspend(cx, request::RECORD_HIT);
        object.load_result(cx);
        match has_index {
            true => object.set_operand(cx, word::RECORD, inst.id(6), 1),
            false => Ok(()),
        }
    }

    /// Attributes from a variable.
    fn set_attributes(&self, cx: &mut Lowerer<'_, '_>, object: HitObject, variable: Id) -> Result {
        let (pointer, ty) = self.passed(cx, variable)?;
        let value = cx.load(&pointer, ty, Access::default())?;
        let value = cx.operand_scalars(value)?;
        let words = to_words(cx, &value)?;
        for (word, value) in (word::ATTRIBUTES..word::COUNT).zip(words) {
            object.set(cx, word, value);
        }
        Ok(())
    }

    /// What a ray query has committed.
    fn record_query(&self, cx: &mut Lowerer<'_, '_>, inst: Instruction<'_>, object: HitObject) -> Result {
        let query = cx.committed_of_query(inst.id(1))?;
        object.clear(cx);
        for (word, value) in (0..).zip(query.ray) {
            let word = match word {
                0 => word::FLAGS,
                1 => word::CULL_MASK,
                // Origin, least distance, direction.
                word => word::ORIGIN + word - 2,
            };
            object.set(cx, word, value);
        }
        for (word, value) in (word::HIT..).zip(query.hit) {
            object.set(cx, word, value);
        }
        object.set_operand(cx, word::RECORD, inst.id(2), 1)?;
        self.set_attributes(cx, object, inst.id(3))?;
        let [kind, front] =
            [ray_offset::KIND, ray_offset::FRONT_FACE].map(|field| object.get(cx, hit(field)));
        let (zero, one) = (cx.b.i32(0), cx.b.i32(1));
        let is_hit = cx.b.op(Opcode::INe, &[kind, zero]);
        let (yes, no) = (cx.b.i32(hit_object::HIT), cx.b.i32(hit_object::EMPTY));
        let of_object = cx.b.select(is_hit, yes, no);
        object.set(cx, word::KIND, of_object);
        // Triangles have the kinds of their faces, and their barycentrics as attributes.
        let (is_triangle, is_front) =
            (cx.b.op(Opcode::IEq, &[kind, one]), cx.b.op(Opcode::INe, &[front, zero]));
        let (front, back) = (cx.b.i32(hit_object::FRONT), cx.b.i32(hit_object::BACK));
        let face = cx.b.select(is_front, front, back);
        match inst.get_id(4) {
            Some(id) => object.set_operand(cx, hit(ray_offset::HIT_KIND), id, 1)?,
            None => object.set(cx, hit(ray_offset::HIT_KIND), zero),
        }
        let said = object.get(cx, hit(ray_offset::HIT_KIND));
        let hit_kind = cx.b.select(is_triangle, face, said);
        object.set(cx, hit(ray_offset::HIT_KIND), hit_kind);
        for (number, word) in (word::ATTRIBUTES..).take(2).enumerate() {
            let weight = object.get(cx, hit(ray_offset::BARYCENTRICS) + number as u32);
            let said = object.get(cx, word);
            let attribute = cx.b.select(is_triangle, weight, said);
            object.set(cx, word, attribute);
        }
        Ok(())
    }

    /// Instructions that read a hit object.
    fn hit_object_query<'m>(
        &self,
        cx: &mut Lowerer<'m, '_>,
        inst: Instruction<'m>,
        object: HitObject,
    ) -> Result {
        let kind_is = |cx: &mut Lowerer<'m, '_>, kind: u32| {
            let (found, kind) = (object.get(cx, word::KIND), cx.b.i32(kind));
            let is_it = cx.b.op(Opcode::IEq, &[found, kind]);
            cx.define_scalar(inst, is_it)
        };
        let words = |cx: &mut Lowerer<'m, '_>, first: u32, count: u32| {
            let words: Scalars = (first..first + count).map(|word| object.get(cx, word)).collect();
            define(cx, inst, &words)
        };
        let matrix = |cx: &mut Lowerer<'m, '_>, field: u32| {
            let places = (0..4).flat_map(|column| (0..3).map(move |row| field + 4 * (4 * row + column)));
            let values = object.behind(cx, hit(ray_offset::INSTANCE), places);
            define(cx, inst, &values)
        };
        let flag = |cx: &mut Lowerer<'m, '_>, flag: u32| {
            let (flags, flag) = (object.get(cx, hit(ray_offset::HIT_FLAGS)), cx.b.i32(flag));
            let (found, zero) = (cx.b.op(Opcode::And, &[flags, flag]), cx.b.i32(0));
            let has_it = cx.b.op(Opcode::INe, &[found, zero]);
            cx.define_scalar(inst, has_it)
        };
        let components = |cx: &mut Lowerer<'m, '_>, first: u32, count: u32| {
            let places = (first..first + count).map(|component| VERTEX_COMPONENT_BYTES * component);
            let values = object.behind(cx, hit(ray_offset::VERTICES), places);
            define(cx, inst, &values)
        };
        match inst.op() {
            Op::HitObjectIsEmptyNV | Op::HitObjectIsEmptyEXT => kind_is(cx, hit_object::EMPTY),
            Op::HitObjectIsMissNV | Op::HitObjectIsMissEXT => kind_is(cx, hit_object::MISS),
            Op::HitObjectIsHitNV | Op::HitObjectIsHitEXT => kind_is(cx, hit_object::HIT),
            Op::HitObjectGetShaderBindingTableRecordIndexNV
            | Op::HitObjectGetShaderBindingTableRecordIndexEXT => words(cx, word::RECORD, 1),
            Op::HitObjectGetRayFlagsEXT => words(cx, word::FLAGS, 1),
            Op::HitObjectGetWorldRayOriginNV | Op::HitObjectGetWorldRayOriginEXT => {
                words(cx, word::ORIGIN, 3)
            }
            Op::HitObjectGetWorldRayDirectionNV | Op::HitObjectGetWorldRayDirectionEXT => {
                words(cx, word::DIRECTION, 3)
            }
            Op::HitObjectGetRayTMinNV | Op::HitObjectGetRayTMinEXT => words(cx, word::T_MIN, 1),
            Op::HitObjectGetRayTMaxNV | Op::HitObjectGetRayTMaxEXT => words(cx, hit(ray_offset::T), 1),
            Op::HitObjectGetCurrentTimeNV | Op::HitObjectGetCurrentTimeEXT => words(cx, word::TIME, 1),
            Op::HitObjectGetHitKindNV | Op::HitObjectGetHitKindEXT => words(cx, hit(ray_offset::HIT_KIND), 1),
            Op::HitObjectGetPrimitiveIndexNV | Op::HitObjectGetPrimitiveIndexEXT => {
                words(cx, hit(ray_offset::PRIMITIVE_INDEX), 1)
            }
            Op::HitObjectGetGeometryIndexNV | Op::HitObjectGetGeometryIndexEXT => {
                words(cx, hit(ray_offset::GEOMETRY_INDEX), 1)
            }
            Op::HitObjectGetInstanceIdNV | Op::HitObjectGetInstanceIdEXT => {
                words(cx, hit(ray_offset::INSTANCE_INDEX), 1)
            }
            Op::HitObjectGetInstanceCustomIndexNV | Op::HitObjectGetInstanceCustomIndexEXT => {
                words(cx, hit(ray_offset::CUSTOM_INDEX), 1)
            }
            Op::HitObjectGetObjectRayOriginNV | Op::HitObjectGetObjectRayOriginEXT => {
                words(cx, hit(ray_offset::OBJECT_ORIGIN), 3)
            }
            Op::HitObjectGetObjectRayDirectionNV | Op::HitObjectGetObjectRayDirectionEXT => {
                words(cx, hit(ray_offset::OBJECT_DIRECTION), 3)
            }
            Op::HitObjectGetObjectToWorldNV | Op::HitObjectGetObjectToWorldEXT => {
                matrix(cx, ray_offset::OBJECT_TO_WORLD)
            }
            Op::HitObjectGetWorldToObjectNV | Op::HitObjectGetWorldToObjectEXT => {
                matrix(cx, ray_offset::WORLD_TO_OBJECT)
            }
            Op::HitObjectGetIntersectionTriangleVertexPositionsEXT => components(cx, 0, 9),
            Op::HitObjectIsSphereHitNV => flag(cx, hit_flags::SPHERE),
            Op::HitObjectIsLSSHitNV => flag(cx, hit_flags::SWEPT_SPHERE),
            Op::HitObjectGetSpherePositionNV => components(cx, sphere_component::CENTERS, 3),
            Op::HitObjectGetSphereRadiusNV => components(cx, sphere_component::RADII, 1),
            Op::HitObjectGetLSSPositionsNV => components(cx, sphere_component::CENTERS, 6),
            Op::HitObjectGetLSSRadiiNV => components(cx, sphere_component::RADII, 2),
            Op::HitObjectGetClusterIdNV => {
                let flags = object.get(cx, hit(ray_offset::HIT_FLAGS));
                let vertices = object.address(cx, hit(ray_offset::VERTICES));
                let id = cx.cluster_id(flags, vertices);
                define(cx, inst, &[id])
            }
            Op::HitObjectGetAttributesNV | Op::HitObjectGetAttributesEXT => {
                let (pointer, ty) = self.passed(cx, inst.id(1))?;
                let mut word = word::ATTRIBUTES;
                let value = from_words(cx, ty, &mut |cx| {
                    word += 1;
                    match word <= word::COUNT {
                        true => object.get(cx, word - 1),
                        false => cx.b.i32(0),
                    }
                })?;
                cx.store(&pointer, ty, &value, Access::default())
            }
            Op::HitObjectGetShaderRecordBufferHandleNV | Op::HitObjectGetShaderRecordBufferHandleEXT => {
                object.store_columns(cx);
                self.suspend(cx, request::SHADER_RECORD);
                let words = [0, 1].map(|half| load_column(cx, at::ORIGIN + COLUMN_BYTES * half, Scalar::I32));
                define(cx, inst, &words)
            }
            _ => unsupported(format!("Op{:?}", inst.op())),
        }
    }
}
