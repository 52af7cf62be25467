//! Loads that are left out where no lane takes part happen always.
//!
//! Problem: `if (row < rows && column < columns) x = a[row * columns + column];` is a branch around the load
//! that asks whether any lane is inside. Mostly some are, at the edges of a picture too. So the branch
//! decides nothing, and what stands behind it and in front of it is apart: checks that could be asked
//! together, loads of which the next could begin before the last is used, loads whose results are stored as
//! they are.
//!
//! ```text
//! branch any m, b, c(0)            i = …
//! b: i = …                   ─▶    x = load a + i
//!    x = load a + i                y = select m, x, 0
//!    y = select m, x, 0            jump c(y)
//!    jump c(y)
//! ```
//!
//! Where such a block has nothing but cheap operations and loads that may happen at any time, and each
//! argument that it gives to the block behind is the other way's argument where the mask has no lane, it is
//! joined with the block in front.
//!
//! Invariants: what follows sees the same values, whatever the mask.

use crate::branch_fold;
use crate::target::Target;
use pyro_ir::{
    Block, BlockCall, Effect, Form, Function, InstData, MemoryOp, Opcode, Scalar, Terminator, Value,
};
use pyro_util::SecondaryMap;

/// The most instructions of a block.
const INSTRUCTIONS_MAX: usize = 40;
/// How deep blocks are joined from the inside out.
const ROUNDS: u32 = 3;
/// How deep masks and choices are looked into.
const DEPTH: u32 = 6;

/// Rewrites a function in mask form for a target with registers enough for loads of several blocks at once.
/// Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.wide_vectors {
        return false;
    }
    let mut changed = false;
    for _ in 0..ROUNDS {
        if !join(function) {
            break;
        }
        changed = true;
        branch_fold::run(function);
    }
    changed
}

/// Joins blocks whose insides have no branches.
fn join(function: &mut Function) -> bool {
    let mut edges = SecondaryMap::<Block, u32>::with_capacity(0, function.blocks.len());
    for &block in &function.block_order {
        function.blocks[block].terminator.targets().for_each(|target| edges[target.block] += 1);
    }
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[block].terminator else {
            continue;
        };
        let Some(any) = function.def_inst(*condition).filter(|data| data.op == Opcode::Any) else { continue };
        let (mask, inner) = (any.args[0], then.block);
        if edges[inner] != 1 || !then.args.is_empty() || inner == block {
            continue;
        }
        let Terminator::Jump(call) = &function.blocks[inner].terminator else { continue };
        let given = call.args.iter().zip(&otherwise.args);
        let fits = call.block == otherwise.block
            && is_cheap(function, inner)
            && given
                .into_iter()
                .all(|(&inside, &outside)| is_same_without(function, inside, outside, mask, DEPTH));
        if !fits {
            continue;
        }
        let call: BlockCall = call.clone();
        let insts = std::mem::take(&mut function.blocks[inner].insts);
        function.blocks[block].insts.extend(insts);
        function.blocks[block].terminator = Terminator::Jump(call);
        changed = true;
    }
    changed
}

/// Whether a block loads something, and has nothing but operations that may happen at any time.
fn is_cheap(function: &Function, block: Block) -> bool {
    use Opcode as O;
    let insts = &function.blocks[block].insts;
    let is_free = |data: &InstData| match data.op {
        O::Load => {
            let memory = MemoryOp::from_imm(data.imm);
            memory.speculatable && !memory.volatile
        }
        O::UDiv | O::SDiv | O::URem | O::SRem => {
            let divisor = function.def_inst(data.args[1]);
            data.result.expand().is_some_and(|result| function.ty(result).is_varying())
                && divisor.is_some_and(|divisor| divisor.op == O::Splat)
        }
        O::FDiv | O::FSqrt => false,
        op => op.effect() == Effect::Pure,
    };
    insts.len() <= INSTRUCTIONS_MAX
        && insts.iter().any(|&inst| function.insts[inst].op == O::Load)
        && insts.iter().all(|&inst| is_free(&function.insts[inst]))
}

/// Whether a value is another one where a mask has no lane.
fn is_same_without(function: &Function, value: Value, other: Value, mask: Value, depth: u32) -> bool {
    if value == other {
        return true;
    }
    let same_bits = function.const_bits(value).zip(function.const_bits(other));
    if same_bits.is_some_and(|(a, b)| a == b && function.ty(value) == function.ty(other)) {
        return true;
    }
    let Some(data) = function.def_inst(value).filter(|_| depth > 0) else { return false };
    if function.ty(value).scalar == Scalar::I1 && function.ty(value).is_varying() {
        return match function.const_bits(other) {
            Some(0) => is_none(function, value, mask, DEPTH),
            Some(_) => data.op == Opcode::Not && is_none(function, data.args[0], mask, DEPTH),
            None => false,
        };
    }
    data.op == Opcode::Select
        && is_none(function, data.args[0], mask, DEPTH)
        && is_same_without(function, data.args[2], other, mask, depth - 1)
}

/// Whether a mask has no lane where another one has none.
fn is_none(function: &Function, value: Value, mask: Value, depth: u32) -> bool {
    if value == mask || function.const_bits(value) == Some(0) {
        return true;
    }
    let Some(data) = function.def_inst(value).filter(|_| depth > 0) else { return false };
    let none = |index: usize| is_none(function, data.args[index], mask, depth - 1);
    match data.op {
        Opcode::And => none(0) || none(1),
        Opcode::AndNot => none(0),
        Opcode::Or => none(0) && none(1),
        _ => false,
    }
}
