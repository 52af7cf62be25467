//! Use counts of values.

use pyro_ir::{Function, InstData, Opcode, Value};
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

    /// Counts the uses that decide how values are computed: all but those that record floats for debuggers
    /// ([`InstData::RECORDS`]).
    pub fn without_records(function: &Function) -> UseCounts {
        let mut uses = UseCounts::new(function);
        for inst in function.block_order.iter().flat_map(|&block| &function.blocks[block].insts) {
            let data = &function.insts[*inst];
            if data.op == Opcode::Bitcast && data.imm == InstData::RECORDS {
                uses.counts[data.args[0]] -= 1;
            }
        }
        uses
    }

    /// Uses of `value`.
    pub fn count(&self, value: Value) -> u32 {
        self.counts[value]
    }
}
