//! Atomic operations that wait in a table until the function returns.
//!
//! **Problem.** A locked operation takes some twenty cycles, and hundreds where another thread has just
//! written the line: a histogram in global memory is bound by threads that take lines from each other.
//!
//! **Approach.** Where atomic operations are deferrable ([`MemoryOp::deferrable`]), lanes add what they do to
//! a table of the call ([`PendingAtomics`]), without locks; memory is changed when an entry is wanted for
//! another address, and where the function returns. A call runs many workgroups, so few operations are left.
//!
//! **Invariants.** Nothing orders accesses in the function: with a fence or a suspend point in it, there is
//! no table. A table is for one operation, since others would not commute with it.

use super::Selector;
use crate::machine::inst::{GENERAL, VECTOR};
use crate::machine::{Kind, LaneLoop, LaneOp, PendingAtomics};
use pyro_ir::{InstData, MemoryOp, Opcode};
use regalloc2::Operand;

impl Selector<'_> {
    /// Finds the operation that a table is worthwhile for, and makes room for the table at the frame's start.
    pub(super) fn find_pending_atomics(&mut self) {
        let function = self.function;
        let insts = || {
            let blocks = function.block_order.iter();
            blocks.flat_map(|&block| &function.blocks[block].insts).map(|&inst| &function.insts[inst])
        };
        let Some(op) = insts().find_map(|data| self.deferred_operation(data)) else { return };
        if insts().any(|data| matches!(data.op, Opcode::Fence | Opcode::Suspend)) {
            return;
        }
        self.pending_atomics = Some(PendingAtomics { op });
        self.code.frame_bytes = PendingAtomics::BYTES;
    }

    /// What a deferrable operation on anything but one place does to memory.
    fn deferred_operation(&self, data: &InstData) -> Option<crate::asm::Alu> {
        let scalar = data.result.expand().map(|result| self.ty(result).scalar)?;
        let is_deferrable = data.op.is_memory() && MemoryOp::from_imm(data.imm).deferrable;
        if !is_deferrable || self.uses[data.expect_result()] > 0 || scalar.bits() != 32 {
            return None;
        }
        if self.linear_terms(data.args[0], data.args[1], scalar, super::address::Use::Lanes).is_some() {
            return None;
        }
        LaneLoop::combines(LaneOp::Atomic(data.op), scalar.bits())
    }

    /// Where the function begins.
    pub(super) fn clear_pending_atomics(&mut self) {
        if self.pending_atomics.is_some() {
            let temporaries = [GENERAL, VECTOR].map(|class| Operand::reg_temp(self.code.vreg(class)));
            self.push(Kind::ClearPending, &temporaries);
        }
    }

    /// Where it returns.
    pub(super) fn flush_pending_atomics(&mut self) {
        if let Some(table) = self.pending_atomics {
            let temporaries = [(); 4].map(|()| Operand::reg_temp(self.code.vreg(GENERAL)));
            self.push(Kind::FlushPending(table), &temporaries);
        }
    }
}
