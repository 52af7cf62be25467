//! Loop-closed form: a value defined in a loop is used outside only through parameters of the blocks that
//! the loop's exits go to.
//!
//! Lanes may leave a loop at different iterations, and a value behind the loop is, for each lane, that of
//! the iteration in which the lane left. A parameter of the exit says so explicitly: `linearize` keeps it per
//! lane while other lanes go round.
//!
//! Every exit target that the definition dominates gets a parameter (the value is available on all its
//! edges); the reads behind are then found by [`SsaBuilder`]. Parameters that nothing reads are dead code.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest};
use crate::ssa::{SsaBuilder, Variable};
use pyro_ir::{Block, Function, Inst, Type, Value};
use pyro_util::SecondaryMap;

/// Runs the pass on a function in lane form without unreachable edges (see `prune`). Returns whether
/// anything changed.
pub fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let def_block = def_blocks(function);
    // Whether a use at `position` is outside the innermost loop around the definition.
    let leaves = |value: Value, position: u32| {
        let def = cfg.position(def_block[value]);
        def != Cfg::NOWHERE && forest.innermost(def).is_some_and(|id| !forest.contains(id, position))
    };
    // Values that leave, with the last position of a use, in the order of their first use.
    let mut escaping: Vec<(Value, u32)> = Vec::new();
    let mut index_of = SecondaryMap::<Value, u32>::with_capacity(u32::MAX, function.values.len());
    let mut inst_uses: Vec<(Inst, Block)> = Vec::new();
    let mut terminator_uses: Vec<Block> = Vec::new();
    for (position, &block) in function.block_order.iter().enumerate() {
        let position = position as u32;
        let mut note = |value: Value| {
            if !leaves(value, position) {
                return false;
            }
            if index_of[value] == u32::MAX {
                index_of[value] = escaping.len() as u32;
                escaping.push((value, position));
            }
            escaping[index_of[value] as usize].1 = position;
            true
        };
        let data = &function.blocks[block];
        for &inst in &data.insts {
            let mut any = false;
            for &arg in &function.insts[inst].args {
                any |= note(arg);
            }
            if any {
                inst_uses.push((inst, block));
            }
        }
        let mut any = false;
        data.terminator.for_each_value(|value| any |= note(value));
        if any {
            terminator_uses.push(block);
        }
    }
    if escaping.is_empty() {
        return false;
    }

    let dominators = Dominators::new(function, &cfg);
    let exits = exit_targets(function, &cfg, &forest);
    let mut ssa = SsaBuilder::for_function(function);
    let mut variables: Vec<Variable> = Vec::with_capacity(escaping.len());
    let mut forced = SecondaryMap::<Block, u32>::with_capacity(u32::MAX, function.blocks.len());
    for (index, &(value, last_use)) in escaping.iter().enumerate() {
        let home = def_block[value];
        let variable = ssa.declare(Type::varying(function.ty(value).scalar));
        ssa.write(variable, home, value);
        let mut around = forest.innermost(cfg.position(home));
        while let Some(id) = around
            && !forest.contains(id, last_use)
        {
            for &exit in &exits[id.0 as usize] {
                if forced[exit] != index as u32 && dominators.dominates(&cfg, home, exit) {
                    forced[exit] = index as u32;
                    ssa.force_param(function, variable, exit);
                }
            }
            around = forest.get(id).parent;
        }
        variables.push(variable);
    }
    ssa.complete_forced(function);

    let mut rewrite = |function: &mut Function, value: &mut Value, block: Block| {
        if index_of[*value] != u32::MAX && leaves(*value, cfg.position(block)) {
            *value = ssa.read(function, variables[index_of[*value] as usize], block);
        }
    };
    for (inst, block) in inst_uses {
        let mut args = std::mem::take(&mut function.insts[inst].args);
        for arg in &mut args {
            rewrite(function, arg, block);
        }
        function.insts[inst].args = args;
    }
    for block in terminator_uses {
        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        terminator.for_each_value_mut(|value| rewrite(function, value, block));
        function.blocks[block].terminator = terminator;
    }
    ssa.finish(function);
    true
}

/// For each loop, the blocks outside that edges inside go to, in block order.
fn exit_targets(function: &Function, cfg: &Cfg, forest: &LoopForest) -> Vec<Vec<Block>> {
    let mut exits = vec![Vec::new(); forest.len()];
    for (position, &block) in function.block_order.iter().enumerate() {
        for target in function.blocks[block].terminator.targets() {
            let mut id = forest.innermost(position as u32);
            while let Some(inside) = id
                && !forest.contains(inside, cfg.position(target.block))
            {
                exits[inside.0 as usize].push(target.block);
                id = forest.get(inside).parent;
            }
        }
    }
    for list in &mut exits {
        list.sort_unstable_by_key(|&block| cfg.position(block));
        list.dedup();
    }
    exits
}
