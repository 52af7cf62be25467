//! Discarding on a condition without a branch.
//!
//! What a fragment shader does between a discard and its end cannot be seen where it only computes values and
//! writes outputs, which of discarded invocations go nowhere. If it is short, running it for discarded
//! invocations, too, takes less than leaving them out: no branch, no values chosen by the way that led there.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::Opcode;
use pyro_library::Ops;
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{BlockIndex, Id, Instruction, Merge, Terminator, Type};

/// The most instructions from the discard to the end.
const INSTRUCTIONS_MAX: usize = 48;

impl Lowerer<'_, '_> {
    /// Of a block of the entry point that ends in a branch to a discard or else to its merge block, where all
    /// can go on there: the label, after the invocations have been demoted that discard.
    pub(crate) fn demote_on_branch(
        &mut self,
        block: BlockIndex,
        condition: Id,
        [on_true, on_false]: [Id; 2],
    ) -> Result<Option<Id>> {
        let Some(Merge::Selection { merge, .. }) = self.module.merge(block) else { return Ok(None) };
        let (discarding, discards_if) = match merge {
            merge if merge == on_false => (on_true, true),
            merge if merge == on_true => (on_false, false),
            _ => return Ok(None),
        };
        if !self.only_discards(discarding) || !self.ends_soon(merge) {
            return Ok(None);
        }
        let mut condition = self.scalar(condition)?;
        if self.scalar_type(condition) != pyro_ir::Scalar::I1 {
            return Ok(None);
        }
        if !discards_if {
            condition = self.b.not(condition);
        }
        let stage = self.stage;
        let helper = stage.is_helper(self)?;
        let helper = self.b.op(Opcode::Or, &[helper, condition]);
        stage.set_helper(self, helper)?;
        Ok(Some(merge))
    }

    fn only_discards(&self, label: Id) -> bool {
        let Some(block) = self.module.block_of(label) else { return false };
        matches!(self.module.terminator(block), Terminator::Kill | Terminator::TerminateInvocation)
            && self.module.body(block).all(|inst| facts(inst.op()).is_silent())
    }

    /// Whether little is left from a label on, of which nothing can be seen of a discarded invocation.
    fn ends_soon(&self, label: Id) -> bool {
        let Some(block) = self.module.block_of(label) else { return false };
        matches!(self.module.terminator(block), Terminator::Return)
            && self.module.body(block).len() <= INSTRUCTIONS_MAX
            && self.module.body(block).all(|inst| self.stays_inside(inst))
    }

    /// Whether an instruction reads and writes only what is the invocation's own or the same for all.
    fn stays_inside(&self, inst: Instruction<'_>) -> bool {
        use StorageClass as S;
        let is_of = |pointer: Option<Id>, classes: &[S]| {
            let ty = pointer.and_then(|pointer| self.module.type_of(pointer));
            ty.is_some_and(|ty| match self.module.ty(ty) {
                Type::Pointer { class, .. } => classes.contains(&class),
                _ => false,
            })
        };
        let found = facts(inst.op());
        match found.family {
            Family::Debug
            | Family::ControlFlow
            | Family::Extended
            | Family::Arithmetic
            | Family::Matrix
            | Family::Bits
            | Family::Logic
            | Family::Conversion
            | Family::Composite => true,
            Family::Pointer => found.access_chain.is_some(),
            Family::Memory => match inst.op() {
                Op::Load => {
                    is_of(inst.get_id(0), &[S::Input, S::Output, S::Function, S::Private, S::PushConstant])
                }
                Op::Store => is_of(inst.get_id(0), &[S::Output, S::Function, S::Private]),
                _ => false,
            },
            // Operations of subgroups, too: discarded invocations do not take part in those.
            _ => false,
        }
    }
}
