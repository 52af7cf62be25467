//! Use counts of values.

use pyro_ir::{Function, Value};
use pyro_util::SecondaryMap;

/// Use counts over the blocks in the order, terminators included.
#[derive(Clone)]
pub struct UseCounts {
    counts: SecondaryMap<Value, u32>,
}

impl UseCounts {
    /// Counts.
    pub fn new(function: &Function) -> UseCounts {
        let mut counts = SecondaryMap::with_capacity(0, function.values.len());
        for &block in &function.block_order {
            let data = &function.blocks[block];
            for &inst in &data.insts {
                for &arg in &function.insts[inst].args {
                    counts[arg] += 1;
                }
            }
            data.terminator.for_each_value(|value| counts[value] += 1);
        }
        UseCounts { counts }
    }

    /// Uses of `value`.
    pub fn count(&self, value: Value) -> u32 {
        self.counts[value]
    }
}
