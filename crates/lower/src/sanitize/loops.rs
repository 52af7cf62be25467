//! `infinite-loop`: loops that go on for more iterations than a loop that ends is expected to have.
//!
//! Each loop counts its iterations in a slot, from where it is entered. A loop that comes to
//! [`ITERATIONS_MAX`] is reported once by each invocation, and goes on.

use crate::context::Lowerer;
use crate::error::Result;
use crate::report::Reported;
use pyro_abi::report::ValueType;
use pyro_ir::{Opcode, Scalar, Slot};
use pyro_spirv::{BlockIndex, Merge};
use pyro_util::sanitize::Kind;

/// Iterations of one invocation at which a loop is reported.
pub(super) const ITERATIONS_MAX: u64 = 1 << 26;

impl<'m> Lowerer<'m, '_> {
    fn loop_counter(&mut self, header: BlockIndex) -> Slot {
        let key = (self.calls.frames.len(), header);
        let function = &mut *self.b.function;
        *self.sanitizer.loops.slots.entry(key).or_insert_with(|| function.add_slot(4))
    }

    /// At the end of a block that branches to `target`: where that enters a loop, its counter starts; where
    /// it goes back to the loop's header, it counts.
    pub(crate) fn sanitize_edge(&mut self, target: BlockIndex, is_back_edge: bool) -> Result {
        if !self.sanitizer.is_on(Kind::InfiniteLoop)
            || !matches!(self.module.merge(target), Some(Merge::Loop { .. }))
        {
            return Ok(());
        }
        if is_back_edge {
            return self.count_iteration(target);
        }
        let slot = self.loop_counter(target);
        let zero = self.b.i32(0);
        self.b.slot_store(slot, zero, zero);
        Ok(())
    }

    fn count_iteration(&mut self, header: BlockIndex) -> Result {
        let slot = self.loop_counter(header);
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let count = self.b.slot_load(Scalar::I32, slot, zero);
        let count = self.b.op(Opcode::IAdd, &[count, one]);
        self.b.slot_store(slot, zero, count);
        let is_endless = self.equals(count, ITERATIONS_MAX);
        let values = vec![Reported::new("iterations", ValueType::Unsigned, count)];
        let data = self.module.block(header);
        let inst = self.module.inst(data.merge.unwrap_or(data.terminator));
        let text = "a loop goes on for so long that it seems to have no end";
        self.find(inst, Kind::InfiniteLoop, is_endless, text, values)
    }
}
