//! Sums that loops carry, and that nothing in the loop needs once something is added to them: the addition
//! may replace them, so that the sum keeps its register from one iteration to the next.
//!
//! Their uses behind the loop do not count, although the loop is left where they are still what they were.

use super::Selector;
use pyro_ir::{Block, Value, ValueDef};
use pyro_util::SecondaryMap;

impl Selector<'_> {
    /// Finds the parameters of loop headers that are used once in their loop.
    pub(super) fn find_accumulators(&mut self) {
        let function = self.function;
        let mut positions = SecondaryMap::<Block, u32>::with_capacity(u32::MAX, function.blocks.len());
        for (position, &block) in (0..).zip(&function.block_order) {
            positions[block] = position;
        }
        // Where the loop of each header ends: its last block that goes back.
        let mut ends = SecondaryMap::<Block, Option<u32>>::with_capacity(None, function.blocks.len());
        for (position, &block) in (0..).zip(&function.block_order) {
            for target in function.blocks[block].terminator.targets() {
                if positions[target.block] <= position {
                    ends[target.block] = Some(position);
                }
            }
        }
        // Most functions have none.
        let is_sum = |&param: &Value| self.ty(param).is_varying() && self.ty(param).scalar.is_float();
        let has_sums =
            |&block: &Block| ends[block].is_some() && function.blocks[block].params.iter().any(is_sum);
        if !function.block_order.iter().any(has_sums) {
            return;
        }
        let mut uses = SecondaryMap::<Value, u32>::with_default(0);
        for (position, &block) in (0..).zip(&function.block_order) {
            let mut note = |value: Value, position: u32| {
                if let ValueDef::Param(header, _) = function.values[value].def
                    && ends[header].is_some_and(|end| (positions[header]..=end).contains(&position))
                {
                    uses[value] += 1;
                }
            };
            let data = &function.blocks[block];
            data.insts.iter().for_each(|&inst| {
                function.insts[inst].args.iter().for_each(|&arg| note(arg, position));
            });
            if let Some(operand) = data.terminator.operand() {
                note(operand, position);
            }
            for target in data.terminator.targets() {
                target.args.iter().for_each(|&arg| note(arg, positions[target.block]));
            }
        }
        for &block in function.block_order.iter().filter(|&&block| ends[block].is_some()) {
            for &param in &function.blocks[block].params {
                self.accumulators[param] = uses[param] == 1;
            }
        }
    }
}
