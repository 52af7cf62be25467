//! Removes blocks that the entry does not reach.
//!
//! Lane form names blocks in merge information and takes a loop's extent from them, so the merge block and
//! continue target of a reachable header stay in the order, as empty blocks that end in
//! [`Terminator::Unreachable`]. After this pass no unreachable block has a successor.

use crate::analysis::Cfg;
use pyro_ir::{Form, Function, Merge, Terminator};

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    if function.block_order.iter().all(|&block| cfg.is_reachable(block)) {
        return false;
    }
    let mut keep: Vec<bool> = function.block_order.iter().map(|&block| cfg.is_reachable(block)).collect();
    if function.form == Form::Lane {
        for &block in &function.block_order {
            if !cfg.is_reachable(block) {
                continue;
            }
            let named = match function.blocks[block].merge {
                Some(Merge::Selection { merge }) => [Some(merge), None],
                Some(Merge::Loop { merge, continue_target }) => [Some(merge), Some(continue_target)],
                None => [None, None],
            };
            for block in named.into_iter().flatten() {
                if cfg.position(block) != Cfg::NOWHERE {
                    keep[cfg.position(block) as usize] = true;
                }
            }
        }
    }
    let mut changed = false;
    for (index, &block) in function.block_order.iter().enumerate() {
        if cfg.is_reachable(block) {
            continue;
        }
        let data = &mut function.blocks[block];
        changed |= !keep[index] || !data.insts.is_empty() || data.terminator != Terminator::Unreachable;
        data.params.clear();
        data.insts.clear();
        data.terminator = Terminator::Unreachable;
        data.merge = None;
    }
    let mut index = 0;
    function.block_order.retain(|_| {
        index += 1;
        keep[index - 1]
    });
    changed
}
