//! Loop-invariant code motion: what computes the same in every iteration moves in front of the loop.
//!
//! Moved are pure operations, and speculatable loads of memory that the loop does not write (nor order, by a
//! barrier), when all operands are defined outside. Operations that are dear move only from blocks that every
//! iteration runs. Loops are taken from the inside out, so that code moves as far as it can. The place is the
//! end of the block that jumps to the header; loops entered in another way stay as they are.
//!
//! Out of a loop with suspend points only loads and dear operations move: what lives across a suspend point
//! is kept in memory, so that a cheap operation costs less where it is. That does not hold for the loops
//! around whole subgroups ([`crate::barrier_loop`]), where nothing is kept that is computed before a subgroup
//! starts.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest};
use pyro_ir::{Block, Effect, Function, InstData, MemoryOp, Opcode, Space, Terminator};

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    run_around(function, None)
}

/// Runs the pass on a function where each subgroup starts, and goes on behind suspend points, in the block
/// `resume`.
pub fn run_around(function: &mut Function, resume: Option<Block>) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let dominators = Dominators::new(function, &cfg);
    let mut def_block = def_blocks(function);
    let mut changed = false;
    for (id, data) in forest.iter().rev() {
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
        let fixed = fixed_spaces(function, data.start, data.end);
        let around = resume.is_some_and(|block| forest.contains(id, cfg.position(block)));
        let suspends = !around
            && function.block_order[data.start as usize..data.end as usize].iter().any(|&block| {
                function.blocks[block].insts.iter().any(|&inst| function.insts[inst].op == Opcode::Suspend)
            });
        for position in data.start..data.end {
            let block = function.block_order[position as usize];
            let always = latches.iter().all(|&latch| dominators.dominates(&cfg, block, latch));
            let insts = std::mem::take(&mut function.blocks[block].insts);
            let mut stay = Vec::with_capacity(insts.len());
            for inst in insts {
                let op = &function.insts[inst];
                let outside = |&arg: &pyro_ir::Value| {
                    let home = def_block[arg];
                    home != Block::RESERVED && !forest.contains(id, cfg.position(home))
                };
                let cheap = suspends
                    && !matches!(op.op, Opcode::Load | Opcode::Const | Opcode::Arg)
                    && !is_dear(op.op);
                if cheap || !may_move(op, &fixed, always) || !op.args.iter().all(outside) {
                    stay.push(inst);
                    continue;
                }
                if let Some(result) = op.result.expand() {
                    def_block[result] = front;
                }
                function.blocks[front].insts.push(inst);
                changed = true;
            }
            function.blocks[block].insts = stay;
        }
    }
    changed
}

/// Spaces that nothing between two positions writes or orders.
fn fixed_spaces(function: &Function, start: u32, end: u32) -> [bool; Space::ALL.len()] {
    let mut fixed = [true; Space::ALL.len()];
    for &block in &function.block_order[start as usize..end as usize] {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            if matches!(data.op.effect(), Effect::Write | Effect::Barrier) {
                for space in Space::ALL {
                    fixed[space as usize] &= !data.orders(space);
                }
            }
        }
    }
    fixed
}

fn may_move(data: &InstData, fixed: &[bool; Space::ALL.len()], always: bool) -> bool {
    use Opcode as O;
    match data.op {
        // Constants are free where they are.
        O::Const | O::Arg => true,
        O::Load => {
            let memory = MemoryOp::from_imm(data.imm);
            memory.speculatable && !memory.volatile && fixed[memory.space as usize]
        }
        op if is_dear(op) => always,
        op => op.effect() == Effect::Pure,
    }
}

fn is_dear(op: Opcode) -> bool {
    use Opcode as O;
    matches!(op, O::UDiv | O::SDiv | O::URem | O::SRem | O::FDiv | O::FSqrt)
}
