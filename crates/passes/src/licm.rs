//! Loop-invariant code motion: what computes the same in every iteration moves in front of the loop.
//!
//! Moved are pure operations, and speculatable loads of memory that the loop does not write (nor order, by a
//! barrier), when all operands are defined outside. Operations that are dear move only from blocks that every
//! iteration runs, but for divisions by what all lanes share, which are products with its reciprocal. Loops
//! are taken from the inside out, so that code moves as far as it can. The place is the end of the block that
//! jumps to the header; loops entered in another way stay as they are.
//!
//! Out of a loop with suspend points only loads and dear operations move: what lives across a suspend point
//! is kept in memory, so that a cheap operation costs less where it is. That does not hold for the loops
//! around whole subgroups ([`crate::barrier_loop`]), where nothing is kept that is computed before a subgroup
//! starts.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest, LoopId};
use pyro_ir::{Block, BlockCall, Effect, Function, InstData, MemoryOp, Opcode, Space, Terminator};

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    run_around(function, None)
}

/// Runs the pass on a function where each subgroup starts, and goes on behind suspend points, in the block
/// `resume`.
pub fn run_around(function: &mut Function, resume: Option<Block>) -> bool {
    run_where(function, resume, false)
}

/// Moves what is the same in all lanes out of loops without inner loops: parts of questions that come up
/// late. Registers of vectors are left alone. Loops that a branch enters get a block of their own for it.
pub fn run_uniform(function: &mut Function) -> bool {
    let split = split_entries(function);
    run_where(function, None, true) || split
}

/// Puts a block in front of each loop without inner loops that a branch alone enters. Returns whether there
/// are such.
pub(crate) fn split_entries(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    let entries: Vec<(Block, Block)> = forest
        .leaves()
        .filter_map(|(id, data)| {
            let mut outside =
                cfg.preds(data.header).iter().filter(|edge| !forest.contains(id, cfg.position(edge.from)));
            let from = outside.next()?.from;
            let is_branch = matches!(function.blocks[from].terminator, Terminator::Branch { .. });
            (outside.next().is_none() && is_branch).then_some((from, data.header))
        })
        .collect();
    for &(from, header) in &entries {
        let front = function.make_block();
        let mut call = BlockCall::new(front, &[]);
        for target in function.blocks[from].terminator.targets_mut() {
            if target.block == header {
                std::mem::swap(target, &mut call);
            }
        }
        function.blocks[front].terminator = Terminator::Jump(call);
        let place = function.block_order.iter().position(|&block| block == header);
        function.block_order.insert(place.unwrap_or(0), front);
    }
    !entries.is_empty()
}

fn run_where(function: &mut Function, resume: Option<Block>, only_uniform: bool) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let leaves: Vec<LoopId> = forest.leaves().map(|(id, _)| id).collect();
    let dominators = Dominators::new(function, &cfg);
    let mut def_block = def_blocks(function);
    let effects = block_effects(function);
    let mut changed = false;
    for (id, data) in forest.iter().rev().filter(|(id, _)| !only_uniform || leaves.binary_search(id).is_ok())
    {
        let mut latches = Vec::new();
        let mut outside = Vec::new();
        for edge in cfg.preds(data.header) {
            let inside = forest.contains(id, cfg.position(edge.from));
            if inside { &mut latches } else { &mut outside }.push(edge.from);
        }
        let &[front] = outside.as_slice() else { continue };
        if !matches!(function.blocks[front].terminator, Terminator::Jump(_)) || latches.is_empty() {
            continue;
        }
        // Behind a suspend point a function goes on in the middle of its loops.
        let is_only_way = (data.start..data.end)
            .all(|position| dominators.dominates(&cfg, front, function.block_order[position as usize]));
        if !is_only_way {
            continue;
        }
        let inside = &effects[data.start as usize..data.end as usize];
        let effects = inside.iter().fold(0, |all, block| all | block);
        let around = resume.is_some_and(|block| forest.contains(id, cfg.position(block)));
        let suspends = !around && effects & SUSPENDS != 0;
        for position in data.start..data.end {
            let block = function.block_order[position as usize];
            let always = latches.iter().all(|&latch| dominators.dominates(&cfg, block, latch));
            let mut insts = std::mem::take(&mut function.blocks[block].insts);
            insts.retain(|&inst| {
                let op = &function.insts[inst];
                let outside = |&arg: &pyro_ir::Value| {
                    let home = def_block[arg];
                    home != Block::RESERVED && !forest.contains(id, cfg.position(home))
                };
                let cheap = suspends
                    && !matches!(op.op, Opcode::Load | Opcode::Const | Opcode::Arg)
                    && !is_dear(op.op);
                let is_uniform = || op.result.expand().is_some_and(|result| function.ty(result).is_uniform());
                let stays = cheap
                    || !may_move(op, effects, always || divides_by_shared(function, op))
                    || only_uniform && !is_uniform();
                if stays || !op.args.iter().all(outside) {
                    return true;
                }
                if let Some(result) = op.result.expand() {
                    def_block[result] = front;
                }
                function.blocks[front].insts.push(inst);
                changed = true;
                false
            });
            function.blocks[block].insts = insts;
        }
    }
    changed
}

/// Of [`block_effects`]: the block has a suspend point.
const SUSPENDS: u32 = 1 << 31;

/// Of each block in order, the spaces that it writes or orders, as bits. Nothing that moves changes them.
fn block_effects(function: &Function) -> Vec<u32> {
    let of = |&block: &Block| {
        function.blocks[block].insts.iter().fold(0, |mut effects, &inst| {
            let data = &function.insts[inst];
            if matches!(data.op.effect(), Effect::Write | Effect::Barrier) {
                for space in Space::ALL {
                    effects |= u32::from(data.orders(space)) << space as u32;
                }
            }
            effects | if data.op == Opcode::Suspend { SUSPENDS } else { 0 }
        })
    };
    function.block_order.iter().map(of).collect()
}

fn may_move(data: &InstData, effects: u32, always: bool) -> bool {
    use Opcode as O;
    match data.op {
        // Constants are free where they are.
        O::Const | O::Arg => true,
        O::Load => {
            let memory = MemoryOp::from_imm(data.imm);
            memory.speculatable && !memory.volatile && effects >> memory.space as u32 & 1 == 0
        }
        op if is_dear(op) => always,
        op => op.effect() == Effect::Pure,
    }
}

/// Whether it divides integers of lanes by what all of them share.
fn divides_by_shared(function: &Function, data: &InstData) -> bool {
    use Opcode as O;
    matches!(data.op, O::UDiv | O::SDiv | O::URem | O::SRem)
        && function.def_inst(data.args[1]).is_some_and(|divisor| divisor.op == O::Splat)
}

fn is_dear(op: Opcode) -> bool {
    use Opcode as O;
    matches!(op, O::UDiv | O::SDiv | O::URem | O::SRem | O::FDiv | O::FSqrt)
}
