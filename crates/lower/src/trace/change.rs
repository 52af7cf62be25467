//! Values that a debugger gives variables: stores before an instruction, in the invocation that is debugged.

use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Access;
use crate::value::{Operand, Scalars};
use pyro_abi::context::offset;
use pyro_abi::trace::Change;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::{Id, Instruction};

impl<'m> Lowerer<'m, '_> {
    /// Makes the changes that come before an instruction.
    pub(super) fn apply_changes(&mut self, inst: Instruction<'m>) -> Result {
        for index in 0..self.trace.changes.len() {
            if self.trace.changes[index].0.inst == inst.index().as_u32() && self.is_on_the_way(index) {
                self.apply_change(index)?;
            }
        }
        Ok(())
    }

    fn is_on_the_way(&self, index: usize) -> bool {
        let calls = self.calls.frames.iter().filter_map(|frame| frame.call).map(|call| call.index().as_u32());
        calls.eq(self.trace.changes[index].0.calls.iter().copied())
    }

    fn apply_change(&mut self, index: usize) -> Result {
        let (change, counter) = self.trace.changes[index].clone();
        let zero = self.b.i32(0);
        let slot = match counter {
            Some(slot) => slot,
            None => {
                let slot = self.b.function.add_slot(4);
                self.in_prologue(|cx| {
                    let zero = cx.b.i32(0);
                    cx.b.slot_store(slot, zero, zero);
                    Ok(())
                })?;
                self.trace.changes[index].1 = Some(slot);
                slot
            }
        };
        let count = self.b.slot_load(Scalar::I32, slot, zero);
        let one = self.b.i32(1);
        let next = self.b.op(Opcode::IAdd, &[count, one]);
        self.b.slot_store(slot, zero, next);
        let wanted = self.b.i32(change.occurrence);
        let mut applies = self.b.op(Opcode::IEq, &[count, wanted]);
        let dispatch = self.b.arg(0);
        let serial = self.load_context(dispatch, offset::SERIAL, Scalar::I32);
        let event = self.b.i32(change.event);
        let is_event = self.b.op(Opcode::IEq, &[serial, event]);
        applies = self.b.op(Opcode::And, &[applies, is_event]);
        for (id, &expected) in self.invocation_ids()?.into_iter().zip(&change.ids) {
            let expected = self.b.i32(expected);
            let fits = self.b.op(Opcode::IEq, &[id, expected]);
            applies = self.b.op(Opcode::And, &[applies, fits]);
        }
        self.store_where(applies, &change)
    }

    /// Replaces scalars of a variable where a condition is true.
    fn store_where(&mut self, condition: Value, change: &Change) -> Result {
        let variable = Id::from_u32(change.variable);
        let pointer = self.pointer(variable)?;
        let Some(ty) = pointer.pointee else { return Ok(()) };
        let Operand::Data(old) = self.load(&pointer, ty, Access::default())? else { return Ok(()) };
        let mut new = Scalars::from_slice(&old);
        for (place, &bits) in new.iter_mut().skip(change.first as usize).zip(&change.bits) {
            let scalar = self.scalar_type(*place);
            let value = self.b.constant(scalar, bits);
            *place = self.b.select(condition, value, *place);
        }
        self.store(&pointer, ty, &new, Access::default())
    }
}
