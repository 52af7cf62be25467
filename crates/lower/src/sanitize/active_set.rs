//! `undeclared-active-set` (opt-in): operations on a subgroup or quad that depend on invocations which the
//! shader does not declare to be there.
//!
//! # Approach
//! Where invocations of a subgroup part, a slot keeps the line; what invocations an operation behind it has
//! is known only with `MaximallyReconvergesKHR` or `SubgroupUniformControlFlowKHR`. Operations on quads of
//! fragments have helper invocations for sure only with `RequireFullQuadsKHR`.

use crate::context::Lowerer;
use crate::error::Result;
use crate::report::Reported;
use crate::value::Scalars;
use pyro_abi::report::ValueType;
use pyro_ir::{Opcode, Scalar, Slot, Value};
use pyro_library::group;
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{ExecutionMode, ExecutionModel, Op};
use pyro_spirv::{Instruction, Terminator};
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// Whether the entry point has one of these execution modes.
    pub(super) fn declares(&self, modes: &[ExecutionMode]) -> bool {
        let Some(frame) = self.calls.frames.first() else { return false };
        let entry = self.module.function(frame.function).id;
        modes.iter().any(|&mode| self.module.execution_mode(entry, mode).is_some())
    }

    fn follows_parting(&self) -> bool {
        let reconverging =
            [ExecutionMode::MaximallyReconvergesKHR, ExecutionMode::SubgroupUniformControlFlowKHR];
        self.sanitizer.is_on(Kind::UndeclaredActiveSet) && !self.declares(&reconverging)
    }

    /// The slot of the line where the subgroup has parted, one more than that; zero: it has not.
    fn parting_slot(&mut self) -> Result<Option<Slot>> {
        if let Some(known) = self.sanitizer.parting {
            return Ok(known);
        }
        let slot = match self.follows_parting() {
            true => {
                let slot = self.b.function.add_slot(4);
                self.in_prologue(|cx| {
                    let zero = cx.b.i32(0);
                    cx.b.slot_store(slot, zero, zero);
                    Ok(())
                })?;
                Some(slot)
            }
            false => None,
        };
        Ok(*self.sanitizer.parting.insert(slot))
    }

    /// What ends a block by a value that may not be the same in all invocations.
    pub(super) fn sanitize_parting(&mut self, inst: Instruction<'m>, terminator: &Terminator<'m>) -> Result {
        let id = match *terminator {
            Terminator::BranchConditional { condition, .. } => condition,
            Terminator::Switch { selector, .. } => selector,
            _ => return Ok(()),
        };
        let Some(slot) = self.parting_slot()? else { return Ok(()) };
        let value = self.scalar(id)?;
        let value = match self.scalar_type(value) {
            Scalar::I1 => self.b.convert(Opcode::ZeroExtend, value, Scalar::I32),
            _ => value,
        };
        let same = group::all_equal(&mut self.b, &[value]);
        let line = self.module.location(inst.index()).map_or(0, |location| location.line);
        let (zero, line) = (self.b.i32(0), self.b.i32(line.saturating_add(1)));
        let before = self.b.slot_load(Scalar::I32, slot, zero);
        let after = self.b.select(same, before, line);
        self.b.slot_store(slot, zero, after);
        Ok(())
    }

    /// Operations on a subgroup or a quad.
    pub(super) fn sanitize_active_set(&mut self, inst: Instruction<'m>) -> Result {
        if !self.sanitizer.is_on(Kind::UndeclaredActiveSet) || inst.op() == Op::ReadClockKHR {
            return Ok(());
        }
        self.sanitize_helpers(inst)?;
        // Older forms are of the whole subgroup or workgroup.
        if facts(inst.op()).execution_scope.is_none() {
            return Ok(());
        }
        let Some(slot) = self.parting_slot()? else { return Ok(()) };
        let zero = self.b.i32(0);
        let line = self.b.slot_load(Scalar::I32, slot, zero);
        let has_parted = self.b.op(Opcode::INe, &[line, zero]);
        let one = self.b.i32(1);
        let line = self.b.op(Opcode::ISub, &[line, one]);
        let values = vec![Reported::new("line where it parted", ValueType::Unsigned, line)];
        let text = "which invocations take part is not defined: the subgroup has parted before, and the shader \
                    declares neither MaximallyReconvergesKHR nor SubgroupUniformControlFlowKHR";
        self.find(inst, Kind::UndeclaredActiveSet, has_parted, text, values)
    }

    /// Operations on quads that take a value from a helper invocation.
    fn sanitize_helpers(&mut self, inst: Instruction<'m>) -> Result {
        let of_quad = matches!(inst.op(), Op::GroupNonUniformQuadBroadcast | Op::GroupNonUniformQuadSwap);
        if !of_quad
            || self.stage.model() != Some(ExecutionModel::Fragment)
            || self.declares(&[ExecutionMode::RequireFullQuadsKHR])
        {
            return Ok(());
        }
        let stage = self.stage;
        let helper = stage.is_helper(self)?;
        let taken: Scalars = Scalars::from_slice(&[self.shuffled(inst, helper)?]);
        let any: Value = self.any_of(taken);
        let text = "a value is taken from a helper invocation, and the shader does not declare \
                    RequireFullQuadsKHR";
        self.find(inst, Kind::UndeclaredActiveSet, any, text, Vec::new())
    }
}
