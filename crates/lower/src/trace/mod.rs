//! Traces ([`pyro_abi::trace`]): shaders that tell a debugger what they do.
//!
//! # Problem
//! Record what each instruction makes, in any stage and on any executor, without a change of any result, and
//! at a cost that allows whole frames to run so.
//!
//! # Approach
//! Instructions that run one behind the other are a segment. At its end (a branch, a call, a place where the
//! invocation may be suspended, or enough columns) the values that they made are written into a call record,
//! and reported, where the subgroup is one that is traced. Whether it is, is found in the prologue.
//!
//! # Invariants
//! * Without [`pyro_abi::ShaderOptions::trace`], nothing is emitted: the code is the same.
//! * Records only read. A value is recorded through [`InstData::RECORDS`], which passes that look for a
//!   single use of a value do not count, so the same products are fused with sums.
//!
//! Must not know: what is done with traces.

mod change;
mod fragment;
mod state;

pub(crate) use state::Trace;

use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Access;
use crate::pointer::PointerBase;
use crate::report::identifying_built_ins;
use crate::stage_name::stage_name;
use crate::value::{Operand, Scalars};
use pyro_abi::Callable;
use pyro_abi::context::offset;
use pyro_abi::report::{Site, SiteKind, SitePlace};
use pyro_abi::trace::{Segment, StepKind, TraceTable, target};
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{ExecutionModel, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};

/// Columns from which on a segment ends.
const SEGMENT_COLUMNS: u32 = 128;
/// Steps from which on a segment ends.
const SEGMENT_STEPS: usize = 64;
/// Scalars of a value that is recorded, at most.
const VALUE_SCALARS_MAX: usize = 256;
/// Segments of an entry point, at most; what comes behind them is not recorded.
const SEGMENT_COUNT_MAX: usize = 1 << 16;

impl<'m> Lowerer<'m, '_> {
    /// Finds whether the subgroup is traced, and records what the invocation begins with.
    pub(crate) fn begin_trace(&mut self) -> Result {
        if self.trace.is_off() {
            return Ok(());
        }
        self.trace.traced = Some(self.in_prologue(Self::find_traced)?);
        self.trace.push(None, StepKind::Begin, Scalars::new());
        let mut variables: Vec<_> = self.module.globals().collect();
        variables.sort_by_key(|variable| variable.id.as_u32());
        for variable in variables {
            self.trace_global(variable)?;
            self.end_full_segment()?;
        }
        self.flush_trace()
    }

    /// Whether the subgroup is one that reports, `i1`: one of its invocations is in the target.
    fn find_traced(&mut self) -> Result<Value> {
        let stage = self.stage;
        let model = stage.model().unwrap_or(ExecutionModel::GLCompute);
        let dispatch = self.b.arg(0);
        let reporter = self.load_context(dispatch, offset::REPORTER, Scalar::I64);
        let (nobody, zero) = (self.b.i64(0), self.b.i32(0));
        let is_heard = self.b.op(Opcode::INe, &[reporter, nobody]);
        let context = std::mem::offset_of!(Callable, context) as i32;
        let memory = MemoryOp::new(Space::Context);
        let table = self.b.load(Scalar::I64, memory.at(context), reporter, zero, is_heard);
        let mut inside = self.b.op(Opcode::INe, &[table, nobody]);
        let has_table = inside;
        let start = target::offset(stage_name(model)).unwrap_or(0);
        let word = |cx: &mut Self, word: usize| {
            cx.b.load(Scalar::I32, memory.at((start as usize + 4 * word) as i32), table, zero, has_table)
        };
        let serial = self.load_context(dispatch, offset::SERIAL, Scalar::I32);
        let (first, last) = (word(self, target::SERIAL), word(self, target::SERIAL + 1));
        for (least, greatest) in [(first, serial), (serial, last)] {
            let fits = self.b.op(Opcode::ULe, &[least, greatest]);
            inside = self.b.op(Opcode::And, &[inside, fits]);
        }
        let ids = self.invocation_ids()?;
        for (index, id) in ids.into_iter().take(target::IDS_MAX).enumerate() {
            let (low, high) = (word(self, target::LOW + index), word(self, target::HIGH + index));
            for (least, greatest) in [(low, id), (id, high)] {
                let fits = self.b.op(Opcode::ULe, &[least, greatest]);
                inside = self.b.op(Opcode::And, &[inside, fits]);
            }
        }
        Ok(pyro_library::group::any(&mut self.b, inside))
    }

    /// What identifies the invocation, as words.
    pub(super) fn invocation_ids(&mut self) -> Result<Scalars> {
        let stage = self.stage;
        let model = stage.model().unwrap_or(ExecutionModel::GLCompute);
        let mut ids = Scalars::new();
        for &(_, built_in, _, count) in identifying_built_ins(model, true) {
            for value in self.identifying_scalars(built_in, count)? {
                ids.push(self.b.bitcast(value, Scalar::I32));
            }
        }
        Ok(ids)
    }

    /// Records a module-scope variable: the values of inputs, the places of buffers and images.
    fn trace_global(&mut self, variable: pyro_spirv::GlobalVariable<'m>) -> Result {
        let Some(ty) = variable.value_type else { return Ok(()) };
        let is_input = variable.class == StorageClass::Input;
        let is_buffer = matches!(
            variable.class,
            StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant
        );
        let is_opaque =
            matches!(variable.class, StorageClass::UniformConstant | StorageClass::TileAttachmentQCOM);
        let is_image = is_opaque && self.is_image(ty);
        if !(is_input && self.is_recorded(ty) || is_buffer || is_image) || !self.trace.uses(variable.id) {
            return Ok(());
        }
        // What this stage cannot read is not shown.
        let Ok(pointer) = self.global_variable(variable) else { return Ok(()) };
        let Some(definition) = self.module.definition(variable.id) else { return Ok(()) };
        if is_image {
            // A binding that the pipeline layout lacks is found where the shader reads it.
            let Ok(Operand::Data(scalars)) = self.load_resource(&pointer, ty) else { return Ok(()) };
            let scalars = self.rows_of(&scalars);
            self.trace.push(Some(definition), StepKind::Image, scalars);
        } else if is_input {
            let Ok(Operand::Data(scalars)) = self.load(&pointer, ty, Access::default()) else {
                return Ok(());
            };
            let scalars = self.rows_of(&scalars);
            self.trace.push(Some(definition), StepKind::Value, scalars);
        } else if let PointerBase::Range(_) = pointer.base {
            let scalars = self.pointer_scalars(&pointer)?;
            let scalars = self.rows_of(&scalars);
            self.trace.push(Some(definition), StepKind::Range, scalars);
        }
        Ok(())
    }

    /// Before an instruction: what is done before it may be suspended, or goes on elsewhere, is reported.
    pub(crate) fn trace_before(&mut self, inst: Instruction<'m>) -> Result {
        if self.trace.is_off() {
            return Ok(());
        }
        self.apply_changes(inst)?;
        match facts(inst.op()).family {
            Family::Call => {
                self.trace.push(Some(inst), StepKind::Nothing, Scalars::new());
                self.flush_trace()
            }
            Family::Barrier | Family::RayTracing | Family::Node => self.flush_trace(),
            _ => Ok(()),
        }
    }

    /// Behind an instruction that has been lowered.
    pub(crate) fn trace_after(&mut self, inst: Instruction<'m>) -> Result {
        let family = facts(inst.op()).family;
        let is_nothing = match family {
            Family::Debug | Family::Call => true,
            Family::ControlFlow => inst.op() != Op::Phi,
            Family::Extended => inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic()),
            _ => false,
        };
        if self.trace.is_off() || is_nothing { Ok(()) } else { self.trace_result(inst) }
    }

    /// Records what an instruction gives.
    pub(crate) fn trace_result(&mut self, inst: Instruction<'m>) -> Result {
        if self.trace.is_off() {
            return Ok(());
        }
        let (kind, scalars) = self.recorded_result(inst)?;
        let scalars = self.rows_of(&scalars);
        self.trace.push(Some(inst), kind, scalars);
        self.end_full_segment()
    }

    fn recorded_result(&mut self, inst: Instruction<'m>) -> Result<(StepKind, Scalars)> {
        let nothing = (StepKind::Nothing, Scalars::new());
        let (Some(result), Some(ty)) = (inst.result(), inst.result_type()) else { return Ok(nothing) };
        // Without a value where the instruction is not lowered to one.
        let Ok(operand) = self.operand(result) else { return Ok(nothing) };
        match operand {
            Operand::Data(scalars) if self.is_image(ty) => Ok((StepKind::Image, scalars)),
            Operand::Data(scalars) if self.is_recorded(ty) => Ok((StepKind::Value, scalars)),
            Operand::Data(_) => Ok(nothing),
            Operand::Pointer(pointer) => match pointer.base {
                PointerBase::Physical { .. } => Ok((StepKind::Address, self.pointer_scalars(&pointer)?)),
                PointerBase::Range(range) if range.space != Space::Shared && pointer.layout.soa.is_none() => {
                    Ok((StepKind::Range, self.pointer_scalars(&pointer)?))
                }
                _ => Ok(nothing),
            },
        }
    }

    /// Whether a type is that of an image, alone or with a sampler.
    fn is_image(&self, ty: Id) -> bool {
        matches!(self.module.ty(ty), Type::Image(_) | Type::SampledImage { .. })
    }

    /// Whether values of a type are recorded: plain data of not too many scalars.
    fn is_recorded(&mut self, ty: Id) -> bool {
        let is_plain = |ty: &Type| {
            !matches!(
                ty,
                Type::Image(_)
                    | Type::Sampler
                    | Type::SampledImage { .. }
                    | Type::AccelerationStructure
                    | Type::RayQuery
                    | Type::Tensor { .. }
                    | Type::TensorLayout { .. }
                    | Type::TensorView { .. }
                    | Type::CooperativeMatrixKhr { .. }
                    | Type::CooperativeMatrixNv { .. }
            )
        };
        is_plain(&self.module.ty(ty))
            && self.type_scalars(ty).is_ok_and(|scalars| scalars.len() <= VALUE_SCALARS_MAX)
    }

    /// Scalars as columns.
    fn rows_of(&mut self, scalars: &[Value]) -> Scalars {
        let mut columns = Scalars::new();
        for &value in scalars {
            let scalar = self.scalar_type(value);
            let bits = match scalar {
                _ if scalar.is_float() => {
                    let to = scalar.to_int();
                    self.b.emit(Opcode::Bitcast, &[value], InstData::RECORDS, to).expect("it gives a result")
                }
                _ => value,
            };
            match self.scalar_type(bits) {
                Scalar::I32 => columns.push(bits),
                Scalar::I64 => {
                    let shift = self.b.i64(32);
                    let high = self.b.op(Opcode::LShr, &[bits, shift]);
                    for half in [bits, high] {
                        columns.push(self.b.convert(Opcode::Truncate, half, Scalar::I32));
                    }
                }
                _ => columns.push(self.b.convert(Opcode::ZeroExtend, bits, Scalar::I32)),
            }
        }
        columns
    }

    /// Records the end of a block, and perhaps of the invocation, and reports.
    pub(crate) fn trace_terminator(&mut self, inst: Instruction<'m>) -> Result {
        if self.trace.is_off() {
            return Ok(());
        }
        self.apply_changes(inst)?;
        self.trace.push(Some(inst), StepKind::Nothing, Scalars::new());
        let is_end = match inst.op() {
            Op::Return | Op::ReturnValue => self.calls.frames.len() == 1,
            _ => matches!(
                inst.op(),
                Op::Kill
                    | Op::TerminateInvocation
                    | Op::IgnoreIntersectionKHR
                    | Op::TerminateRayKHR
                    | Op::EmitMeshTasksEXT
                    | Op::Unreachable
            ),
        };
        if is_end {
            self.trace.push(None, StepKind::End, Scalars::new());
        }
        self.flush_trace()
    }

    fn end_full_segment(&mut self) -> Result {
        let Trace { columns, steps, .. } = &self.trace;
        if columns.len() as u32 >= SEGMENT_COLUMNS || steps.len() >= SEGMENT_STEPS {
            self.flush_trace()
        } else {
            Ok(())
        }
    }

    /// Reports the segment; ends the block where there is one.
    pub(crate) fn flush_trace(&mut self) -> Result {
        if self.trace.steps.is_empty() {
            return Ok(());
        }
        let (steps, columns) =
            (std::mem::take(&mut self.trace.steps), std::mem::take(&mut self.trace.columns));
        let calls = self.calls.frames.iter().filter_map(|frame| frame.call).map(|call| call.index().as_u32());
        let segment = Segment { calls: calls.collect(), steps, columns: columns.len() as u32 };
        self.report_segment(segment, |_| Ok(columns))
    }

    /// Reports a segment, whose columns are made where it is reported. Ends the block.
    fn report_segment(
        &mut self,
        mut segment: Segment,
        columns: impl FnOnce(&mut Self) -> Result<Scalars>,
    ) -> Result {
        let Some(traced) = self.trace.traced.filter(|_| self.trace.segments.len() < SEGMENT_COUNT_MAX) else {
            return Ok(());
        };
        let (body, behind) = (self.make_block()?, self.make_block()?);
        self.start_selection(traced, body, behind, behind)?;
        self.b.start(body);
        let dispatch = self.b.arg(0);
        let mut values = self.invocation_columns()?;
        if self.trace.says_helper {
            let stage = self.stage;
            let helper = stage.is_helper(self)?;
            values.push(self.b.convert(Opcode::ZeroExtend, helper, Scalar::I32));
        }
        values.push(self.load_context(dispatch, offset::SERIAL, Scalar::I32));
        let columns = columns(self)?;
        segment.columns = columns.len() as u32;
        if let [step] = &mut segment.steps[..] {
            step.columns = segment.columns;
        }
        values.extend(columns);
        let site = self.reports.sites.len() as u32;
        self.reports.sites.push(Site {
            kind: SiteKind::Trace(self.trace.segments.len() as u32),
            text: String::new(),
            place: SitePlace::default(),
            values: Vec::new(),
        });
        self.trace.segments.push(segment);
        let reporter = self.load_context(dispatch, offset::REPORTER, Scalar::I64);
        self.call_reporter_with_columns(reporter, site, &values)?;
        self.b.jump(behind, &[]);
        self.b.start(behind);
        Ok(())
    }

    /// The table of the segments.
    pub(crate) fn finish_trace(&mut self) -> Option<Box<TraceTable>> {
        let trace = std::mem::take(&mut self.trace);
        trace.traced?;
        Some(Box::new(TraceTable {
            words: self.module.words().to_vec(),
            specialization: self.checked.specialization().to_bytes(),
            entry_point: trace.entry_point,
            says_helper: trace.says_helper,
            segments: trace.segments,
        }))
    }
}
