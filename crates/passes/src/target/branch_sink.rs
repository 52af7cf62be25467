//! Operations move behind a branch, into the one of its ways that alone reads them.
//!
//! Problem: questions are asked in the middle of blocks ([`crate::target::affine_guard`],
//! [`crate::target::bounds_group`]). What is computed in front of them for accesses, indices and checks of
//! each lane, mostly serves the slow way only: the fast one has made its own.
//!
//! ```text
//! o = imul i, splat 34                 branch c, slow, fast
//! branch c, slow, fast                 slow: o = imul i, splat 34; x = load a + o …
//! slow: x = load a + o …
//! ```
//!
//! Approach: blocks and their operations are visited from the last to the first, so that all readers of an
//! operation are where they stay, but for those of loops that come earlier, whose blocks are known. An
//! operation whose readers all lie in one successor of its block that is entered from there only moves to
//! that successor's start. That runs at most as often.

use crate::analysis::Cfg;
use pyro_ir::{Block, Effect, Form, Function, Inst, Terminator, Value};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;

/// Where a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    None,
    In(Block),
    Several,
}

impl Readers {
    fn add(&mut self, block: Block) {
        *self = match *self {
            Readers::None => Readers::In(block),
            Readers::In(known) if known == block => *self,
            _ => Readers::Several,
        };
    }
}

/// Moves what it can in a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let cfg = Cfg::new(function);
    let mut readers = SecondaryMap::<Value, Readers>::with_capacity(Readers::None, function.values.len());
    let mut changed = false;
    for block in function.block_order.clone().into_iter().rev() {
        let data = &mut function.blocks[block];
        data.terminator.for_each_value(|value| readers[value].add(block));
        let insts = std::mem::take(&mut data.insts);
        let ways: SmallVec<[Block; 2]> = match &data.terminator {
            Terminator::Branch { then, otherwise, .. } if then.block != otherwise.block => {
                let ways = [then.block, otherwise.block].into_iter();
                ways.filter(|&way| cfg.is_reachable(block) && cfg.preds(way).len() == 1).collect()
            }
            _ => SmallVec::new(),
        };
        // From the last one on.
        let mut kept: Vec<Inst> = Vec::with_capacity(insts.len());
        let mut moved: SmallVec<[Vec<Inst>; 2]> = ways.iter().map(|_| Vec::new()).collect();
        for inst in insts.into_iter().rev() {
            let data = &function.insts[inst];
            let result =
                data.result.expand().filter(|_| data.op.effect() == Effect::Pure && !data.args.is_empty());
            let way =
                result.and_then(|result| ways.iter().position(|&way| readers[result] == Readers::In(way)));
            let home = way.map_or(block, |way| ways[way]);
            data.args.iter().for_each(|&arg| readers[arg].add(home));
            match way {
                Some(way) => moved[way].push(inst),
                None => kept.push(inst),
            }
        }
        kept.reverse();
        function.blocks[block].insts = kept;
        for (way, mut moved) in ways.into_iter().zip(moved) {
            if !moved.is_empty() {
                changed = true;
                moved.reverse();
                moved.append(&mut function.blocks[way].insts);
                function.blocks[way].insts = moved;
            }
        }
    }
    changed
}
