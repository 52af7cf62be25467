//! Loads move down to the first operation that reads them, so that few of their results live at once.
//!
//! Front ends load all operands of a tile before they compute anything, and where there are few short vector
//! registers most of them go to the stack and come back. What a load needs is mostly uniform, so each is as
//! well done where its result is wanted; processors execute far enough ahead to hide the latency of the first
//! caches. Uniform pure operations, of which addresses are made, move with the loads.
//!
//! Nothing moves over an operation that writes memory, or out of its block; what only later blocks read stays
//! where it is.

use crate::target::Target;
use pyro_ir::{Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Value};
use pyro_util::SecondaryMap;

/// The fewest operations of a block that is changed.
const OPERATIONS_MIN: usize = 24;

/// Runs the pass, where code for `target` gains by it. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if target.wide_vectors {
        return false;
    }
    let is_large = |&&block: &&Block| function.blocks[block].insts.len() >= OPERATIONS_MIN;
    let large: Vec<Block> = function.block_order.iter().filter(is_large).copied().collect();
    let mut wanted = SecondaryMap::<Value, u32>::with_capacity(NOWHERE, function.values.len());
    let mut changed = false;
    for block in large {
        changed |= sink(function, block, &mut wanted);
    }
    changed
}

const NOWHERE: u32 = u32::MAX;

/// Orders a block anew. `wanted` has [`NOWHERE`] for all values, before and after.
fn sink(function: &mut Function, block: Block, wanted: &mut SecondaryMap<Value, u32>) -> bool {
    let insts = std::mem::take(&mut function.blocks[block].insts);
    // Where each operation goes: in front of the one that stands at this place, if it is not its own.
    let mut places: Vec<(u32, u32)> = Vec::with_capacity(insts.len());
    // What writes memory next.
    let mut end = insts.len() as u32;
    for (own, &inst) in insts.iter().enumerate().rev() {
        let own = own as u32;
        let data = &function.insts[inst];
        let effect = data.op.effect();
        if matches!(effect, Effect::Write | Effect::Barrier) {
            end = own;
        }
        let first = data.result.expand().map_or(NOWHERE, |result| wanted[result]);
        let is_near = first < end && first > own + 1;
        let place = if is_near && may_sink(function, inst) { first } else { own };
        for &arg in &data.args {
            wanted[arg] = wanted[arg].min(place);
        }
        places.push((place, own));
    }
    for &inst in &insts {
        let data = &function.insts[inst];
        data.args.iter().for_each(|&arg| wanted[arg] = NOWHERE);
    }
    let changed = places.iter().any(|(place, own)| place != own);
    if changed {
        // What moves to a place comes before what stands there, in the order that it had.
        places.sort_unstable_by_key(|&(place, own)| (place, place == own, own));
    } else {
        places.reverse();
    }
    function.blocks[block].insts =
        places.into_iter().map(|(_, own): (u32, u32)| insts[own as usize]).collect::<Vec<Inst>>();
    changed
}

/// Whether an operation may be done later.
fn may_sink(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(result) = data.result.expand() else { return false };
    match data.op.effect() {
        Effect::Read => data.op == Opcode::Load && !MemoryOp::from_imm(data.imm).volatile,
        Effect::Pure => function.ty(result).is_uniform() && function.const_bits(result).is_none(),
        _ => false,
    }
}
