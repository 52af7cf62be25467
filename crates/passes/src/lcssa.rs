//! Loop-closed form: a value defined in a loop is used outside only through parameters of the blocks that
//! the loop's exits go to.
//!
//! Lanes may leave a loop at different iterations, and a value behind the loop is, for each lane, that of
//! the iteration in which the lane left. A parameter of the exit says so explicitly: `linearize` keeps it per
//! lane while other lanes go round.
//!
//! Every exit target that the definition dominates gets a parameter (the value is available on all its
//! edges); the reads behind are then found by [`Renamer`]. Parameters that nothing reads are dead code.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest};
use crate::ssa_builder::Variable;
use crate::ssa_rename::Renamer;
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
    let Escapes { values: escaping, index_of, inst_uses, terminator_uses } = Escapes::find(function, &leaves);
    if escaping.is_empty() {
        return false;
    }

    let dominators = Dominators::new(function, &cfg);
    let mut renamer = Renamer::new();
    let (params, definitions) =
        exit_params(function, &cfg, &forest, &dominators, &def_block, &escaping, &mut renamer);
    let (mut params, mut definitions) = (params.into_iter().peekable(), definitions.into_iter().peekable());
    let (mut inst_uses, mut terminator_uses) =
        (inst_uses.into_iter().peekable(), terminator_uses.into_iter().peekable());
    // What each variable is in the block where it was last read.
    let mut here = vec![(u32::MAX, Value::RESERVED); escaping.len()];
    for position in 0..function.block_order.len() as u32 {
        let block = function.block_order[position as usize];
        renamer.enter_block(block);
        while let Some((_, variable)) = params.next_if(|param| param.0 == position) {
            renamer.param(variable);
        }
        while let Some((_, variable)) = definitions.next_if(|definition| definition.0 == position) {
            renamer.write(variable, escaping[variable.0 as usize].0);
        }
        let mut rewrite = |function: &mut Function, value: &mut Value| {
            let variable = index_of[*value];
            if variable == u32::MAX || !leaves(*value, position) {
                return;
            }
            let known = &mut here[variable as usize];
            if known.0 != position {
                *known = (position, renamer.read(function, Variable(variable)));
            }
            *value = known.1;
        };
        while let Some((inst, _)) = inst_uses.next_if(|inst_use| inst_use.1 == block) {
            let mut args = std::mem::take(&mut function.insts[inst].args);
            args.iter_mut().for_each(|arg| rewrite(function, arg));
            function.insts[inst].args = args;
        }
        if terminator_uses.next_if_eq(&block).is_some() {
            let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
            terminator.for_each_value_mut(|value| rewrite(function, value));
            function.blocks[block].terminator = terminator;
        }
    }
    renamer.finish(function);
    true
}

/// The values that are used outside their loop, and those uses.
struct Escapes {
    /// With the last position of a use, in the order of their first use.
    values: Vec<(Value, u32)>,
    /// Index in `values`; `u32::MAX` for other values.
    index_of: SecondaryMap<Value, u32>,
    /// Instructions with such operands, in block order.
    inst_uses: Vec<(Inst, Block)>,
    /// Blocks whose terminators have such operands, in block order.
    terminator_uses: Vec<Block>,
}

impl Escapes {
    /// `leaves` tells whether a use of a value at a position is outside the value's loop.
    fn find(function: &Function, leaves: &impl Fn(Value, u32) -> bool) -> Escapes {
        let mut values: Vec<(Value, u32)> = Vec::new();
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
                    index_of[value] = values.len() as u32;
                    values.push((value, position));
                }
                values[index_of[value] as usize].1 = position;
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
        Escapes { values, index_of, inst_uses, terminator_uses }
    }
}

/// Variables by the position of a block.
type ByPosition = Vec<(u32, Variable)>;

/// Declares a variable for each escaping value. Gives where variables become parameters (at the exits of the
/// loops around the definition, as far as the uses lie outside), and where they are defined, both by
/// position.
fn exit_params(
    function: &Function,
    cfg: &Cfg,
    forest: &LoopForest,
    dominators: &Dominators,
    def_block: &SecondaryMap<Value, Block>,
    escaping: &[(Value, u32)],
    renamer: &mut Renamer,
) -> (ByPosition, ByPosition) {
    let exits = exit_targets(function, cfg, forest);
    let mut params = ByPosition::new();
    let mut definitions = ByPosition::new();
    let mut forced = SecondaryMap::<Block, u32>::with_capacity(u32::MAX, function.blocks.len());
    for (index, &(value, last_use)) in escaping.iter().enumerate() {
        let home = def_block[value];
        let variable = renamer.declare(Type::varying(function.ty(value).scalar));
        definitions.push((cfg.position(home), variable));
        let mut around = forest.innermost(cfg.position(home));
        while let Some(id) = around
            && !forest.contains(id, last_use)
        {
            for &exit in &exits[id.0 as usize] {
                if forced[exit] != index as u32 && dominators.dominates(cfg, home, exit) {
                    forced[exit] = index as u32;
                    params.push((cfg.position(exit), variable));
                }
            }
            around = forest.get(id).parent;
        }
    }
    params.sort_by_key(|param| param.0);
    definitions.sort_by_key(|definition| definition.0);
    (params, definitions)
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
