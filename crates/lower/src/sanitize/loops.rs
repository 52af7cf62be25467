//! `infinite-loop`: loops that go on for more iterations than a loop that ends is expected to have.
//!
//! Each loop counts its iterations in a slot, from where it is entered. A loop that comes to
//! [`ITERATIONS_MAX`], or what the options say, is reported by each invocation in two iterations, with what
//! its condition compares and what it counts by; the runtime says which of it has not changed. Then it goes
//! on.

use crate::context::Lowerer;
use crate::error::Result;
use crate::report::Reported;
use pyro_abi::report::ValueType;
use pyro_ir::{Opcode, Scalar, Slot};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::Op;
use pyro_spirv::{BlockIndex, Merge, Terminator};
use pyro_util::sanitize::Kind;

/// Iterations of one invocation at which a loop is reported.
const ITERATIONS_MAX: u32 = 1 << 22;

/// Values of a loop that are reported.
const VALUES_MAX: usize = 8;

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

    /// What the condition compares by which a loop is left at its start, in the iteration at hand.
    fn compared_values(&mut self, header: BlockIndex) -> Result<Vec<Reported>> {
        let module = self.module;
        let mut block = header;
        let condition = loop {
            match module.terminator(block) {
                Terminator::BranchConditional { condition, .. } => break condition,
                // The header's test is in a block of its own.
                Terminator::Branch { target } if block == header => match module.block_of(target) {
                    Some(next) if next != header => block = next,
                    _ => return Ok(Vec::new()),
                },
                _ => return Ok(Vec::new()),
            }
        };
        let Some(inst) = module.definition(condition) else { return Ok(Vec::new()) };
        if inst.op() == Op::Phi || !matches!(facts(inst.op()).family, Family::Logic) {
            return Ok(Vec::new());
        }
        let mut values = Vec::new();
        for id in inst.id_operands() {
            let loaded = module.definition(id).filter(|inst| inst.op() == Op::Load);
            let name = self.id_text(loaded.map_or(id, |load| load.id(0)));
            values.extend(self.reported(&name, id)?);
        }
        Ok(values)
    }

    fn count_iteration(&mut self, header: BlockIndex) -> Result {
        let slot = self.loop_counter(header);
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let count = self.b.slot_load(Scalar::I32, slot, zero);
        let count = self.b.op(Opcode::IAdd, &[count, one]);
        self.b.slot_store(slot, zero, count);
        // Below the limit, as bounds are compared; reported once.
        let most = match self.layout.options.loop_iterations {
            0 => ITERATIONS_MAX,
            most => most,
        };
        let is_endless = self.at_least(count, most.into());
        let ends = self.not(is_endless);
        let is_known = self.at_least(count, u64::from(most) + 2);
        let mut values = vec![Reported::new("iterations", ValueType::Unsigned, count)];
        values.append(&mut self.compared_values(header)?);
        for phi in self.module.body(header).take_while(|inst| inst.op() == Op::Phi) {
            let known = |name: &str| values.iter().any(|value: &Reported| value.name == name);
            if let Some(id) = phi.result().filter(|&id| !known(&self.id_text(id)))
                && values.len() < VALUES_MAX
            {
                let name = self.id_text(id);
                values.extend(self.reported(&name, id)?);
            }
        }
        let data = self.module.block(header);
        let inst = self.module.inst(data.merge.unwrap_or(data.terminator));
        let text = "a loop goes on for so long that it seems to have no end";
        self.find_unless(inst, Kind::InfiniteLoop, (ends, Some(is_known)), text, values)
    }
}
