//! Runs the rules on the instructions in functions, whichever entry points call them.

use super::{runtime_spirv, standalone_spirv};
use crate::context::{Context, Verdict};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

/// A rule on one instruction.
pub(crate) type Rule = fn(&Context<'_, '_>, Instruction<'_>) -> Verdict;
/// Whether a rule is about an opcode.
pub(crate) type Applies = fn(Op) -> bool;

/// The rules of every file.
pub(crate) fn tables() -> impl Iterator<Item = &'static (&'static str, Applies, Rule)> {
    [
        standalone_spirv::memory_model::RULES,
        standalone_spirv::instruction::RULES,
        standalone_spirv::indexing::RULES,
        runtime_spirv::memory::RULES,
        runtime_spirv::image::RULES,
        runtime_spirv::ray::RULES,
        runtime_spirv::cooperative::RULES,
        runtime_spirv::processing::RULES,
        runtime_spirv::alignment::RULES,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn check(cx: &Context<'_, '_>) {
    // Most opcodes have no rule; find them out once.
    let mut known: OpTable<Vec<(&'static str, Rule)>> = OpTable::new();
    let start = cx.module.global_insts().len();
    for inst in cx.module.insts().skip(start) {
        let op = inst.op();
        let rules = known.get(op, || {
            let about = tables().filter(|(_, applies, _)| applies(op));
            about.map(|(rule, _, function)| (*rule, *function)).collect()
        });
        if rules.is_empty() {
            continue;
        }
        if cx.is_full() {
            return;
        }
        for (rule, function) in rules {
            if let Err(message) = function(cx, inst) {
                cx.report(rule, inst.index(), message);
            }
        }
    }
}

/// Something for each opcode, made when first asked for.
pub(super) struct OpTable<T>(Vec<Option<T>>);

impl<T> OpTable<T> {
    pub(super) fn new() -> Self {
        OpTable(Vec::new())
    }

    pub(super) fn get(&mut self, op: Op, make: impl FnOnce() -> T) -> &T {
        // Opcodes are numbers of 16 bits.
        let place = op as usize;
        if place >= self.0.len() {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_with(make)
    }
}
