//! Ray queries.
//!
//! A variable with ray queries is a slot that is a call record (`pyro_abi::ray::query`), whose words are
//! those of `RayState`. What changes a query is a call of the runtime for the lanes that come here; what asks
//! about it are plain loads.

use crate::context::Lowerer;
use crate::error::{Result, invalid, limit, unsupported};
use crate::limits::SLOT_BYTES_MAX;
use crate::pointer::{MemoryLayout, Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_abi::context::offset;
use pyro_abi::ray::query::{Operation, element_slot_offset, shape, variable_slot_offset};
use pyro_abi::ray::{
    VERTEX_COMPONENT_BYTES, cluster_component, hit_flags, ray_offset as field, sphere_component,
};
use pyro_abi::raytrace::HIT_WORDS;
use pyro_ir::{MemoryOp, Opcode, Scalar, Slot, Space, Value};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Type};

const CENTERS: u32 = sphere_component::CENTERS;
const RADII: u32 = sphere_component::RADII;

/// The ray query that an instruction works on.
#[derive(Clone, Copy)]
struct Query {
    slot: Slot,
    /// Byte offset of its state in the slot, `i32`.
    state: Value,
}

/// What a ray query has committed, as words.
pub(crate) struct CommittedHit {
    /// Flags, cull mask, origin, least distance and direction of the ray.
    pub(crate) ray: Scalars,
    /// Those of a `RayHit`.
    pub(crate) hit: Scalars,
}

impl<'m> Lowerer<'m, '_> {
    /// A new variable of ray queries, none of which has a ray.
    pub(crate) fn ray_query_variable(&mut self, ty: Id) -> Result<Pointer> {
        let start = variable_slot_offset(self.b.function.lanes);
        let extent = self.types.extent(&self.constants, ty)?;
        let bytes = extent.stride().saturating_add(start.into());
        if bytes > SLOT_BYTES_MAX {
            return limit(format!("ray queries of {bytes} bytes"));
        }
        let slot = self.b.function.add_kept_slot(bytes as u32);
        let place = PointerBase::Slot { slot, bools_in_memory: false };
        let mut pointer = Pointer::new(place, Some(ty), MemoryLayout::LOGICAL);
        pointer.offset = start.into();
        self.ray_query_call(slot, Operation::Clear);
        Ok(pointer)
    }

    /// The ray of a query, and the words of what it has committed.
    pub(crate) fn committed_of_query(&mut self, id: Id) -> Result<CommittedHit> {
        let query = self.ray_query(id)?;
        let ray = [(field::FLAGS, 1), (field::CULL_MASK, 1), (field::ORIGIN, 3), (field::T_MIN, 1)];
        let ray = ray.into_iter().chain([(field::DIRECTION, 3)]);
        let ray = ray.flat_map(|(first, count)| (0..count).map(move |index| first + 4 * index));
        let ray = ray.map(|offset| self.word(query, offset, Scalar::I32)).collect();
        let words = (0..HIT_WORDS as u32).map(|word| field::COMMITTED + 4 * word);
        let hit = words.map(|offset| self.word(query, offset, Scalar::I32)).collect();
        Ok(CommittedHit { ray, hit })
    }

    /// `OpRayQuery*`, `OpConvertUToAccelerationStructureKHR`
    pub(crate) fn lower_ray_query(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() == Op::ConvertUToAccelerationStructureKHR {
            return self.structure_of_address(inst);
        }
        let query = self.ray_query(inst.id(0))?;
        match inst.op() {
            Op::RayQueryInitializeKHR => self.initialize_ray_query(inst, query),
            Op::RayQueryProceedKHR => {
                self.change(query, Operation::Proceed);
                let phase = self.word(query, field::PHASE, Scalar::I32);
                let candidate = self.b.i32(pyro_abi::ray::phase::CANDIDATE);
                let goes_on = self.b.op(Opcode::IEq, &[phase, candidate]);
                self.define_scalar(inst, goes_on)
            }
            Op::RayQueryTerminateKHR => {
                self.change(query, Operation::Terminate);
                Ok(())
            }
            Op::RayQueryConfirmIntersectionKHR => {
                self.change(query, Operation::Confirm);
                Ok(())
            }
            Op::RayQueryGenerateIntersectionKHR => {
                let t = self.float_operand(inst.id(1))?;
                self.set_word(query, field::CANDIDATE + field::T, t);
                self.change(query, Operation::Generate);
                Ok(())
            }
            Op::RayQueryGetRayTMinKHR => self.define_word(inst, query, field::T_MIN),
            Op::RayQueryGetRayFlagsKHR => self.define_word(inst, query, field::FLAGS),
            Op::RayQueryGetWorldRayOriginKHR => self.define_words(inst, query, field::ORIGIN),
            Op::RayQueryGetWorldRayDirectionKHR => self.define_words(inst, query, field::DIRECTION),
            Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR => {
                self.define_hit_flag(inst, query, field::CANDIDATE, hit_flags::OPAQUE)
            }
            _ => self.intersection(inst, query),
        }
    }

    /// What asks about an intersection: the candidate, or the committed one.
    fn intersection(&mut self, inst: Instruction<'m>, query: Query) -> Result {
        let hit = match self.constants.integer(inst.id(1)) {
            Some(0) => field::CANDIDATE,
            Some(1) => field::COMMITTED,
            _ => return invalid("the intersection of a ray query is neither 0 nor 1"),
        };
        match inst.op() {
            Op::RayQueryGetIntersectionTypeKHR => self.define_word(inst, query, hit + field::KIND),
            Op::RayQueryGetIntersectionTKHR => self.define_word(inst, query, hit + field::T),
            Op::RayQueryGetIntersectionInstanceCustomIndexKHR => {
                self.define_word(inst, query, hit + field::CUSTOM_INDEX)
            }
            Op::RayQueryGetIntersectionInstanceIdKHR => {
                self.define_word(inst, query, hit + field::INSTANCE_INDEX)
            }
            Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR => {
                self.define_word(inst, query, hit + field::SBT_OFFSET)
            }
            Op::RayQueryGetIntersectionGeometryIndexKHR => {
                self.define_word(inst, query, hit + field::GEOMETRY_INDEX)
            }
            Op::RayQueryGetIntersectionPrimitiveIndexKHR => {
                self.define_word(inst, query, hit + field::PRIMITIVE_INDEX)
            }
            Op::RayQueryGetIntersectionBarycentricsKHR => {
                self.define_words(inst, query, hit + field::BARYCENTRICS)
            }
            Op::RayQueryGetIntersectionFrontFaceKHR => self.define_flag(inst, query, hit + field::FRONT_FACE),
            Op::RayQueryGetIntersectionObjectRayOriginKHR => {
                self.define_words(inst, query, hit + field::OBJECT_ORIGIN)
            }
            Op::RayQueryGetIntersectionObjectRayDirectionKHR => {
                self.define_words(inst, query, hit + field::OBJECT_DIRECTION)
            }
            Op::RayQueryGetIntersectionObjectToWorldKHR => {
                self.instance_matrix(inst, query, hit, field::OBJECT_TO_WORLD)
            }
            Op::RayQueryGetIntersectionWorldToObjectKHR => {
                self.instance_matrix(inst, query, hit, field::WORLD_TO_OBJECT)
            }
            Op::RayQueryGetIntersectionTriangleVertexPositionsKHR => {
                self.define_components(inst, query, hit, 0..9)
            }
            Op::RayQueryIsSphereHitNV => self.define_hit_flag(inst, query, hit, hit_flags::SPHERE),
            Op::RayQueryIsLSSHitNV => self.define_hit_flag(inst, query, hit, hit_flags::SWEPT_SPHERE),
            Op::RayQueryGetIntersectionSpherePositionNV => {
                self.define_components(inst, query, hit, CENTERS..CENTERS + 3)
            }
            Op::RayQueryGetIntersectionSphereRadiusNV => {
                self.define_components(inst, query, hit, RADII..RADII + 1)
            }
            Op::RayQueryGetIntersectionLSSPositionsNV => {
                self.define_components(inst, query, hit, CENTERS..CENTERS + 6)
            }
            Op::RayQueryGetIntersectionLSSRadiiNV => {
                self.define_components(inst, query, hit, RADII..RADII + 2)
            }
            Op::RayQueryGetIntersectionLSSHitValueNV => {
                self.define_word(inst, query, hit + field::BARYCENTRICS)
            }
            Op::RayQueryGetIntersectionClusterIdNV => {
                let flags = self.word(query, hit + field::HIT_FLAGS, Scalar::I32);
                let vertices = self.long(query, hit + field::VERTICES);
                let id = self.cluster_id(flags, vertices);
                let scalar = self.result_scalar(inst)?;
                if scalar.bits() != 32 {
                    return invalid("the number of a cluster has not 32 bits");
                }
                let id = self.b.bitcast(id, scalar);
                self.define_scalar(inst, id)
            }
            _ => self.unsupported(inst),
        }
    }

    /// The number of the cluster whose triangle was hit, by the flags and the address of the vertices of the
    /// hit; -1 where it was none.
    pub(crate) fn cluster_id(&mut self, flags: Value, vertices: Value) -> Value {
        let (flag, zero, none) = (self.b.i32(hit_flags::CLUSTER), self.b.i32(0), self.b.i32(u32::MAX));
        let found = self.b.op(Opcode::And, &[flags, flag]);
        let is_cluster = self.b.op(Opcode::INe, &[found, zero]);
        let place = VERTEX_COMPONENT_BYTES * cluster_component::ID;
        let memory = MemoryOp::new(Space::Constant).at(place as i32);
        let id = self.b.load(Scalar::I32, memory, vertices, zero, is_cluster);
        self.b.select(is_cluster, id, none)
    }

    /// `OpConvertUToAccelerationStructureKHR`: a device address as a number of 64 bits or two of 32.
    fn structure_of_address(&mut self, inst: Instruction<'m>) -> Result {
        let address = match self.scalars(inst.id(0))?[..] {
            [address] if self.scalar_type(address) == Scalar::I64 => address,
            [low, high] if [low, high].iter().all(|&half| self.scalar_type(half) == Scalar::I32) => {
                self.join(low, high)
            }
            _ => return invalid("the address of an acceleration structure has not 64 bits"),
        };
        let structure = self.structure_at(address);
        self.define_scalar(inst, structure)
    }

    fn ray_query(&mut self, id: Id) -> Result<Query> {
        let pointer = self.pointer(id)?;
        let is_query = pointer.pointee.is_some_and(|ty| self.module.ty(ty) == Type::RayQuery);
        let PointerBase::Slot { slot, .. } = pointer.base else {
            return unsupported("ray queries in other than private memory");
        };
        if !is_query || !self.b.function.slots[slot].keeps {
            return invalid(format!("{id} is not a ray query"));
        }
        let constant = self.b.i32(pointer.offset as u32);
        let state = match self.dynamic_offset(&pointer) {
            Some(dynamic) => self.b.op(Opcode::IAdd, &[dynamic, constant]),
            None => constant,
        };
        Ok(Query { slot, state })
    }

    fn place_of(&mut self, query: Query, offset: u32) -> Value {
        let offset = self.b.i32(offset);
        self.b.op(Opcode::IAdd, &[query.state, offset])
    }

    fn word(&mut self, query: Query, offset: u32, scalar: Scalar) -> Value {
        let at = self.place_of(query, offset);
        let word = self.b.slot_load(Scalar::I32, query.slot, at);
        self.b.bitcast(word, scalar)
    }

    fn set_word(&mut self, query: Query, offset: u32, value: Value) {
        let at = self.place_of(query, offset);
        let word = self.b.bitcast(value, Scalar::I32);
        self.b.slot_store(query.slot, at, word);
    }

    fn join(&mut self, low: Value, high: Value) -> Value {
        let [low, high] = [low, high].map(|half| self.b.convert(Opcode::ZeroExtend, half, Scalar::I64));
        let amount = self.b.i64(32);
        let high = self.b.op(Opcode::Shl, &[high, amount]);
        self.b.op(Opcode::Or, &[low, high])
    }

    /// Two words as one number. Words lie interleaved by lane, so no longer access would do.
    fn long(&mut self, query: Query, offset: u32) -> Value {
        let low = self.word(query, offset, Scalar::I32);
        let high = self.word(query, offset + 4, Scalar::I32);
        self.join(low, high)
    }

    fn define_word(&mut self, inst: Instruction<'m>, query: Query, offset: u32) -> Result {
        let scalar = self.result_scalar(inst)?;
        if scalar.bits() != 32 {
            return invalid("a result of a ray query that has not 32 bits");
        }
        let value = self.word(query, offset, scalar);
        self.define_scalar(inst, value)
    }

    fn define_words(&mut self, inst: Instruction<'m>, query: Query, offset: u32) -> Result {
        let scalars = self.result_scalars(inst)?;
        if scalars.len() > 3 || scalars.iter().any(|&scalar| scalar != Scalar::F32) {
            return invalid("a result of a ray query that is not a vector of 32-bit floats");
        }
        let values = (0..scalars.len() as u32).map(|at| self.word(query, offset + 4 * at, Scalar::F32));
        let values: Scalars = values.collect();
        self.define(inst, Operand::Data(values))
    }

    fn define_flag(&mut self, inst: Instruction<'m>, query: Query, offset: u32) -> Result {
        let word = self.word(query, offset, Scalar::I32);
        let zero = self.b.i32(0);
        let flag = self.b.op(Opcode::INe, &[word, zero]);
        self.define_scalar(inst, flag)
    }

    /// A flag of a hit.
    fn define_hit_flag(&mut self, inst: Instruction<'m>, query: Query, hit: u32, flag: u32) -> Result {
        let flags = self.word(query, hit + field::HIT_FLAGS, Scalar::I32);
        let (flag, zero) = (self.b.i32(flag), self.b.i32(0));
        let found = self.b.op(Opcode::And, &[flags, flag]);
        let has_it = self.b.op(Opcode::INe, &[found, zero]);
        self.define_scalar(inst, has_it)
    }

    /// Components of the triangle or sphere that was hit.
    fn define_components(
        &mut self,
        inst: Instruction<'m>,
        query: Query,
        hit: u32,
        components: std::ops::Range<u32>,
    ) -> Result {
        let count = components.len();
        if self.result_scalars(inst)?.len() != count {
            return invalid(format!("the result of Op{:?} is not {count} numbers", inst.op()));
        }
        let address = self.long(query, hit + field::VERTICES);
        let offsets = components.map(|component| component * VERTEX_COMPONENT_BYTES);
        let values = self.behind_address(address, offsets);
        self.define(inst, Operand::Data(values))
    }

    /// Floats at offsets behind an address; zeros where it is null.
    fn behind_address(&mut self, address: Value, offsets: impl Iterator<Item = u32>) -> Scalars {
        let zero = self.b.i64(0);
        let is_there = self.b.op(Opcode::INe, &[address, zero]);
        let start = self.b.i32(0);
        let values = offsets.map(|offset| {
            let memory = MemoryOp::new(Space::Constant).at(offset as i32);
            self.b.load(Scalar::F32, memory, address, start, is_there)
        });
        values.collect()
    }

    /// Four columns of three, from rows of four.
    fn instance_matrix(&mut self, inst: Instruction<'m>, query: Query, hit: u32, matrix: u32) -> Result {
        if self.result_scalars(inst)?.len() != 12 {
            return invalid("the matrix of an instance has not four columns of three");
        }
        let address = self.long(query, hit + field::INSTANCE);
        let places = (0..4).flat_map(|column| (0..3).map(move |row| matrix + 4 * (4 * row + column)));
        let values = self.behind_address(address, places);
        self.define(inst, Operand::Data(values))
    }

    /// An operand that is a float of 32 bits.
    fn float_operand(&mut self, id: Id) -> Result<Value> {
        let value = self.scalar(id)?;
        match self.scalar_type(value) {
            Scalar::F32 => Ok(value),
            _ => invalid(format!("{id} is not a 32-bit float")),
        }
    }

    fn initialize_ray_query(&mut self, inst: Instruction<'m>, query: Query) -> Result {
        let structure = self.scalar(inst.id(1))?;
        if self.scalar_type(structure) != Scalar::I64 {
            return invalid(format!("{} is not an acceleration structure", inst.id(1)));
        }
        self.tell_structure(structure)?;
        let low = self.b.convert(Opcode::Truncate, structure, Scalar::I32);
        let amount = self.b.i64(32);
        let high = self.b.op(Opcode::LShr, &[structure, amount]);
        let high = self.b.convert(Opcode::Truncate, high, Scalar::I32);
        self.set_word(query, field::STRUCTURE, low);
        self.set_word(query, field::STRUCTURE + 4, high);
        for (id, offset) in [(inst.id(2), field::FLAGS), (inst.id(3), field::CULL_MASK)] {
            let value = self.scalar(id)?;
            let value = self.integer_of_width(value, Scalar::I32, false)?;
            self.set_word(query, offset, value);
        }
        for (id, offset) in [(inst.id(4), field::ORIGIN), (inst.id(6), field::DIRECTION)] {
            let vector: [Value; 3] = self.array(id)?;
            if vector.iter().any(|&value| self.scalar_type(value) != Scalar::F32) {
                return invalid(format!("{id} is not a vector of 32-bit floats"));
            }
            for (place, value) in (0..).zip(vector) {
                self.set_word(query, offset + 4 * place, value);
            }
        }
        for (id, offset) in [(inst.id(5), field::T_MIN), (inst.id(7), field::T_MAX)] {
            let value = self.float_operand(id)?;
            self.set_word(query, offset, value);
        }
        self.change(query, Operation::Initialize);
        Ok(())
    }

    /// Has the runtime change the query that each lane means.
    fn change(&mut self, query: Query, operation: Operation) {
        let at = self.b.i32(element_slot_offset(self.b.function.lanes));
        self.b.slot_store(query.slot, at, query.state);
        self.ray_query_call(query.slot, operation);
    }

    fn ray_query_call(&mut self, slot: Slot, operation: Operation) {
        let dispatch = self.b.arg(0);
        let function = self.load_context(dispatch, offset::RAY_QUERY, Scalar::I64);
        let operation = self.b.i64(operation as u64);
        let shape = self.b.i64(shape(self.b.function.slots[slot].bytes, self.b.function.lanes));
        self.b.slot_call(slot, function, operation, shape, false);
    }
}
