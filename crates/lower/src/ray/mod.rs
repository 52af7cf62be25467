//! The stages of ray tracing: ray generation, intersection, any-hit, closest-hit, miss and callable shaders.
//!
//! A trace, a call and a report are suspend points ([`trace`]): what lanes ask for goes to the columns of the
//! subgroup's record ([`pyro_abi::raytrace`]), and what they pass along to columns of words. Payloads,
//! callable data and hit attributes are private variables here, as long as the invocation runs: those that
//! come in are read in the prologue and written back at the end; those that go out are written before the
//! suspend point and read behind it. Built-ins are read from the records of the lane's ray and hit.

mod built_in;
mod hit_object;
mod trace;

use crate::context::Lowerer;
use crate::error::{Result, invalid, limit};
use crate::memory::Access;
use crate::outputs::value_of_words;
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, Size};
use crate::stage::Stage;
use crate::value::Scalars;
use crate::{Lowered, Shader};
use pyro_abi::KernelInfo;
use pyro_abi::raytrace::{
    HIT_ATTRIBUTE_WORDS, PAYLOAD_WORDS_MAX, RAY_COLUMN_BYTES, RAY_LANES, answer, ray_offset as at,
};
use pyro_interface::used_globals;
use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Value};
use pyro_spirv::spirv::{BuiltIn, Decoration, ExecutionModel, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction, Module};
use std::cell::{Cell, RefCell};

/// A stage's own part.
pub(crate) struct RayStage {
    model: ExecutionModel,
    /// The variable that holds what was passed to the invocation, a payload or callable data, if it is used.
    incoming_variable: Option<Id>,
    /// The incoming payload or callable data, once it is used: its variable's slot and type.
    incoming: RefCell<Option<(Pointer, Id)>>,
    /// Of intersection shaders, `RayTmaxKHR`, which changes with each report.
    t_max: RefCell<Option<(Pointer, Id)>>,
    /// Words of the largest payload or callable data.
    payload_words: Cell<u32>,
}

/// Lowers an entry point of one of the stages.
pub(crate) fn lower(shader: &Shader<'_>, model: ExecutionModel) -> Result<Lowered> {
    let Shader { checked: module, entry_point, layout, .. } = *shader;
    let Some(entry) = module.entry_point(entry_point, model) else {
        return invalid(format!("no {model:?} entry point is named \"{entry_point}\""));
    };
    let lanes = RAY_LANES as u32;
    let constants = module.constants_for(entry.function, lanes)?;
    let stage = RayStage {
        model,
        incoming_variable: incoming_variable(module, entry.function),
        incoming: RefCell::default(),
        t_max: RefCell::default(),
        payload_words: Cell::new(0),
    };
    let mut function = Function::new(entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry.function, constants, layout, &stage, &mut function)?;
    let end = cx.make_block()?;
    cx.end = Some(end);
    stage.find_t_max(&mut cx)?;
    cx.lower_entry_point(entry.function)?;
    cx.b.start(end);
    stage.write_back(&mut cx)?;
    cx.b.terminate(Terminator::Return(0));
    let info = KernelInfo { payload_bytes: 4 * stage.payload_words.get(), ..cx.subgroup_info(lanes) };
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

/// Which variable holds what was passed to the invocation. Of several, which is invalid
/// (VUID-StandaloneSpirv-IncomingRayPayloadKHR-04700, -IncomingCallableDataKHR-04706), it is that with the
/// lowest location among those that the entry point's code names, else the one that is declared first.
fn incoming_variable(module: &Module, function: Id) -> Option<Id> {
    let used = used_globals(module, function);
    let location = |id| module.decoration_literal(id, Decoration::Location).unwrap_or(0);
    let incoming = module.globals().filter(|variable| {
        matches!(variable.class, StorageClass::IncomingRayPayloadKHR | StorageClass::IncomingCallableDataKHR)
    });
    let ids = incoming.map(|variable| variable.id).filter(|id| used.contains(id));
    ids.min_by_key(|&id| location(id))
}

/// Memory of the subgroup's record that changes while the function runs.
const MEMORY: MemoryOp = MemoryOp::new(Space::Frame);

/// Byte offset of the lane in columns of such scalars.
fn lane_offset(cx: &mut Lowerer<'_, '_>, scalar: Scalar) -> Value {
    let lane = cx.b.op(Opcode::LaneId, &[]);
    cx.scale(lane, u64::from(scalar.bits() / 8))
}

/// The lane's own word of a column of the record that stays the same while the function runs.
pub(crate) fn known_column(cx: &mut Lowerer<'_, '_>, field: u32, scalar: Scalar) -> Value {
    let (record, offset, always) = (cx.b.arg(1), lane_offset(cx, scalar), cx.b.bool(true));
    let memory = MemoryOp::new(Space::Context).speculatable().at(field as i32);
    cx.b.load(scalar, memory, record, offset, always)
}

/// The lane's own word of a column of the record.
pub(crate) fn load_column(cx: &mut Lowerer<'_, '_>, field: u32, scalar: Scalar) -> Value {
    let (record, offset, always) = (cx.b.arg(1), lane_offset(cx, scalar), cx.b.bool(true));
    cx.b.load(scalar, MEMORY.at(field as i32), record, offset, always)
}

/// Writes the lane's own word of a column of the record: 32 bits of any type, or an `i64`.
fn store_column(cx: &mut Lowerer<'_, '_>, field: u32, value: Value) {
    let is_wide = cx.scalar_type(value) == Scalar::I64;
    let value = if is_wide { value } else { cx.b.bitcast(value, Scalar::I32) };
    let scalar = cx.scalar_type(value);
    let (record, offset, always) = (cx.b.arg(1), lane_offset(cx, scalar), cx.b.bool(true));
    cx.b.store(MEMORY.at(field as i32), record, offset, value, always);
}

/// A word of the record behind the address in a column, which stays the same while the function runs.
fn record_word(cx: &mut Lowerer<'_, '_>, address_column: u32, field: u32) -> Value {
    let address = known_column(cx, address_column, Scalar::I64);
    let (zero, always) = (cx.b.i32(0), cx.b.bool(true));
    cx.b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(field as i32), address, zero, always)
}

/// The value of a type from words of 32 bits, of which the next one comes from `next`.
fn from_words(
    cx: &mut Lowerer<'_, '_>,
    ty: Id,
    next: &mut dyn FnMut(&mut Lowerer<'_, '_>) -> Value,
) -> Result<Scalars> {
    let scalars = cx.type_scalars(ty)?;
    let value = |&scalar: &Scalar| match scalar {
        Scalar::I1 => {
            let (word, zero) = (next(cx), cx.b.i32(0));
            Ok(cx.b.op(Opcode::INe, &[word, zero]))
        }
        _ => value_of_words(cx, scalar, next),
    };
    scalars.iter().map(value).collect()
}

/// A value as words of 32 bits.
fn to_words(cx: &mut Lowerer<'_, '_>, value: &[Value]) -> Result<Scalars> {
    let mut words = Scalars::new();
    for &value in value {
        for word in cx.words_of(value)? {
            words.push(cx.b.bitcast(word, Scalar::I32));
        }
    }
    Ok(words)
}

/// Where payloads and callable data lie: a base, and an offset to it.
#[derive(Clone, Copy)]
struct Columns {
    base: Value,
    offset: Value,
}

impl Columns {
    /// What the invocation was given.
    fn incoming(cx: &mut Lowerer<'_, '_>) -> Columns {
        Columns { base: known_column(cx, at::INCOMING, Scalar::I64), offset: cx.b.i32(0) }
    }

    /// What it gives.
    fn outgoing(cx: &mut Lowerer<'_, '_>) -> Columns {
        let record = cx.b.arg(1);
        let base = cx.load_context(record, at::OUTGOING, Scalar::I64);
        Columns { base, offset: lane_offset(cx, Scalar::I32) }
    }

    fn load(self, cx: &mut Lowerer<'_, '_>, ty: Id) -> Result<Scalars> {
        let mut word = cx.payload_flag_words();
        let always = cx.b.bool(true);
        let values = from_words(cx, ty, &mut |cx| {
            let memory = MEMORY.at((word * RAY_COLUMN_BYTES) as i32);
            word += 1;
            cx.b.load(Scalar::I32, memory, self.base, self.offset, always)
        })?;
        let flags = (0..cx.payload_flag_words()).map(|word| {
            let memory = MEMORY.at((word * RAY_COLUMN_BYTES) as i32);
            cx.b.load(Scalar::I32, memory, self.base, self.offset, always)
        });
        let flags: Scalars = flags.collect();
        cx.sanitize_payload_read(&values, &flags);
        Ok(values)
    }

    fn store(self, cx: &mut Lowerer<'_, '_>, value: &[Value]) -> Result {
        let always = cx.b.bool(true);
        let flags = cx.sanitize_payload_written(value);
        let words = flags.into_iter().chain(to_words(cx, value)?);
        for (word, value) in (0..).zip(words) {
            let memory = MEMORY.at((word * RAY_COLUMN_BYTES) as i32);
            cx.b.store(memory, self.base, self.offset, value, always);
        }
        Ok(())
    }
}

impl RayStage {
    /// Notes a payload or callable data of a type, which the engine must have memory for.
    fn count_payload(&self, cx: &mut Lowerer<'_, '_>, ty: Id) -> Result {
        let scalars = cx.type_scalars(ty)?;
        let words = scalars.iter().map(|scalar| scalar.bits().div_ceil(32)).sum::<u32>();
        let words = words + cx.payload_flag_words();
        if words > PAYLOAD_WORDS_MAX {
            return limit(format!("a payload of {words} words"));
        }
        self.payload_words.set(self.payload_words.get().max(words));
        Ok(())
    }

    /// A variable's slot, which the prologue fills.
    fn filled(
        &self,
        cx: &mut Lowerer<'_, '_>,
        ty: Id,
        fill: impl FnOnce(&mut Lowerer<'_, '_>) -> Result<Scalars>,
    ) -> Result<Pointer> {
        let pointer = cx.make_slot(ty)?;
        cx.in_prologue(|cx| {
            cx.sanitize_variable(&pointer, ty, StorageClass::Private)?;
            let value = fill(cx)?;
            cx.store(&pointer, ty, &value, Access::default())
        })?;
        Ok(pointer)
    }

    /// Finds the variable of `RayTmaxKHR`, so that reports can change it before it is first read.
    fn find_t_max(&self, cx: &mut Lowerer<'_, '_>) -> Result {
        if self.model != ExecutionModel::IntersectionKHR {
            return Ok(());
        }
        let module = cx.module;
        let is_t_max = |variable: &GlobalVariable<'_>| {
            variable.class == StorageClass::Input && module.built_in(variable.id) == Some(BuiltIn::RayTmaxKHR)
        };
        if let Some(variable) = module.globals().find(is_t_max)
            && let Some(ty) = variable.value_type
        {
            let pointer = cx.global_variable(variable)?;
            *self.t_max.borrow_mut() = Some((pointer, ty));
        }
        Ok(())
    }

    /// Writes what came in back to where it came from.
    fn write_back(&self, cx: &mut Lowerer<'_, '_>) -> Result {
        let Some((pointer, ty)) = self.incoming.borrow().clone() else { return Ok(()) };
        let value = cx.load(&pointer, ty, Access::default())?;
        let value = cx.operand_scalars(value)?;
        let columns = Columns::incoming(cx);
        columns.store(cx, &value)
    }

    /// The data of the shader record, which ends with the shader binding table.
    fn record_data(&self, cx: &mut Lowerer<'_, '_>) -> Result<Range> {
        cx.in_prologue(|cx| {
            let base = known_column(cx, at::SHADER_RECORD, Scalar::I64);
            let size = Size::Value(known_column(cx, at::SHADER_RECORD_BYTES, Scalar::I32));
            // Lanes without an invocation have records of earlier ones.
            Ok(Range { base, size, hoisted: true, space: Space::Global, speculatable: false })
        })
    }

    /// Says what becomes of the intersection, in any-hit shaders.
    pub(crate) fn answer(&self, cx: &mut Lowerer<'_, '_>, answer: u32) -> Result {
        if self.model != ExecutionModel::AnyHitKHR {
            return invalid("an intersection is ignored, or a ray ended, outside of an any-hit shader");
        }
        let answer = cx.b.i32(answer);
        store_column(cx, at::ANSWER, answer);
        Ok(())
    }
}

impl Stage for RayStage {
    fn model(&self) -> Option<ExecutionModel> {
        Some(self.model)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, _: Id, built_in: BuiltIn) -> Result<Scalars> {
        self.ray_built_in(cx, built_in)
    }

    fn variable_place(
        &self,
        cx: &mut Lowerer<'_, '_>,
        variable: GlobalVariable<'_>,
    ) -> Result<Option<Pointer>> {
        let Some(ty) = variable.value_type else { return Ok(None) };
        Ok(Some(match variable.class {
            StorageClass::IncomingRayPayloadKHR | StorageClass::IncomingCallableDataKHR
                if self.incoming_variable == Some(variable.id) =>
            {
                self.count_payload(cx, ty)?;
                let pointer = self.filled(cx, ty, |cx| {
                    let columns = Columns::incoming(cx);
                    columns.load(cx, ty)
                })?;
                *self.incoming.borrow_mut() = Some((pointer.clone(), ty));
                pointer
            }
            // Those that come in beside the one that was passed are the invocation's own.
            StorageClass::RayPayloadKHR
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::IncomingCallableDataKHR => {
                self.count_payload(cx, ty)?;
                let pointer = cx.make_slot(ty)?;
                cx.in_prologue(|cx| cx.sanitize_variable(&pointer, ty, variable.class))?;
                pointer
            }
            StorageClass::HitObjectAttributeNV | StorageClass::HitObjectAttributeEXT => cx.make_slot(ty)?,
            StorageClass::HitAttributeKHR if self.model == ExecutionModel::IntersectionKHR => {
                let pointer = cx.make_slot(ty)?;
                cx.in_prologue(|cx| cx.sanitize_hit_attribute(&pointer, ty))?;
                pointer
            }
            StorageClass::HitAttributeKHR => self.filled(cx, ty, |cx| {
                let mut word = 0;
                let values = from_words(cx, ty, &mut |cx| {
                    let field = at::HIT_ATTRIBUTES + 4 * word;
                    word += 1;
                    match word as usize <= HIT_ATTRIBUTE_WORDS {
                        true => record_word(cx, at::HIT, field),
                        false => cx.b.i32(0),
                    }
                })?;
                if cx.follows_definedness() {
                    let unwritten = record_word(cx, at::HIT, at::HIT_UNWRITTEN);
                    cx.sanitize_hit_attribute_read(&values, unwritten);
                }
                Ok(values)
            })?,
            StorageClass::ShaderRecordBufferKHR => {
                let range = self.record_data(cx)?;
                Pointer::new(PointerBase::Range(range), Some(ty), MemoryLayout::EXPLICIT)
            }
            _ => return Ok(None),
        }))
    }

    fn end_ray(&self, cx: &mut Lowerer<'_, '_>, is_accepted: bool) -> Result {
        self.answer(cx, if is_accepted { answer::ENDED } else { answer::IGNORED })
    }

    fn shader_record(&self, cx: &mut Lowerer<'_, '_>) -> Result<Range> {
        self.record_data(cx)
    }

    fn lower_ray<'m>(&self, cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        self.lower(cx, inst)
    }

    fn workgroup_barrier(&self, _: &mut Lowerer<'_, '_>, _: u64) -> Result {
        invalid("a barrier of a workgroup outside of a stage with workgroups")
    }
}
