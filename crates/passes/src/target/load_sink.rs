//! Loads move down to the first operation that reads them, so that few of their results live at once.
//!
//! Front ends load all operands of a tile before they compute anything, and where there are few short vector
//! registers most of them go to the stack and come back. What a load needs is mostly uniform, so each is as
//! well done where its result is wanted; processors execute far enough ahead to hide the latency of the first
//! caches. Uniform pure operations, of which addresses are made, move with the loads. So do others where that
//! keeps no more values of lanes for longer than their results would be: several colours are made of one word
//! of a texel, and all inputs of fragments of the same few weights, but readers meet few of them at a time.
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
    if large.is_empty() {
        return false;
    }
    let count = function.values.len();
    let mut readers = Readers {
        first: SecondaryMap::with_capacity(NOWHERE, count),
        last: SecondaryMap::with_capacity(0, count),
        elsewhere: read_elsewhere(function),
    };
    let mut changed = false;
    for block in large {
        changed |= sink(function, block, &mut readers);
    }
    changed
}

/// Who reads values, of those that stand behind the operation at hand.
struct Readers {
    /// The place of the first one in the block; [`NOWHERE`] for all values before and after a block.
    first: SecondaryMap<Value, u32>,
    /// The place of the last one; 0 for all before and after.
    last: SecondaryMap<Value, u32>,
    /// Other blocks read them, too.
    elsewhere: SecondaryMap<Value, bool>,
}

impl Readers {
    fn add(&mut self, value: Value, place: u32) {
        self.first[value] = self.first[value].min(place);
        self.last[value] = self.last[value].max(place);
    }

    fn forget(&mut self, value: Value) {
        (self.first[value], self.last[value]) = (NOWHERE, 0);
    }
}

/// Which values are read by other blocks than the one that makes them, or by a block's end.
fn read_elsewhere(function: &Function) -> SecondaryMap<Value, bool> {
    let mut elsewhere = SecondaryMap::<Value, bool>::with_capacity(false, function.values.len());
    let mut made_in = SecondaryMap::<Value, Option<Block>>::with_capacity(None, function.values.len());
    for &block in &function.block_order {
        let data = &function.blocks[block];
        let results = data.insts.iter().filter_map(|&inst| function.insts[inst].result.expand());
        data.params.iter().copied().chain(results).for_each(|value| made_in[value] = Some(block));
    }
    for &block in &function.block_order {
        let data = &function.blocks[block];
        for &arg in data.insts.iter().flat_map(|&inst| &function.insts[inst].args) {
            elsewhere[arg] |= made_in[arg] != Some(block);
        }
        data.terminator.for_each_value(|value| elsewhere[value] = true);
    }
    elsewhere
}

const NOWHERE: u32 = u32::MAX;

/// Orders a block anew.
fn sink(function: &mut Function, block: Block, readers: &mut Readers) -> bool {
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
        let first = data.result.expand().map_or(NOWHERE, |result| readers.first[result]);
        let is_near = first < end && first > own + 1;
        let place = if is_near && may_sink(function, inst, readers, first) { first } else { own };
        data.args.iter().for_each(|&arg| readers.add(arg, place));
        places.push((place, own));
    }
    for &inst in &insts {
        let data = &function.insts[inst];
        data.args.iter().for_each(|&arg| readers.forget(arg));
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

/// Whether an operation may be done later, at a place.
fn may_sink(function: &Function, inst: Inst, readers: &Readers, place: u32) -> bool {
    let data = &function.insts[inst];
    let Some(result) = data.result.expand() else { return false };
    match data.op.effect() {
        Effect::Read => data.op == Opcode::Load && !MemoryOp::from_imm(data.imm).volatile,
        Effect::Pure if function.ty(result).is_uniform() => function.const_bits(result).is_none(),
        Effect::Pure => keeps_no_more(function, &data.args, result, readers, place),
        _ => false,
    }
}

/// Whether what an operation takes of lanes and nobody else reads at a place or later is no longer than its
/// result.
fn keeps_no_more(function: &Function, args: &[Value], result: Value, readers: &Readers, place: u32) -> bool {
    // Masks are as long as words here.
    let bits = |value: Value| match function.ty(value).scalar.bits() {
        1 => 32,
        bits => bits,
    };
    let is_splat = |value: Value| function.def_inst(value).is_some_and(|data| data.op == Opcode::Splat);
    let mut kept = 0;
    for (number, &arg) in args.iter().enumerate() {
        let varies = function.ty(arg).is_varying() && !is_splat(arg);
        if varies && !args[..number].contains(&arg) && !readers.elsewhere[arg] && readers.last[arg] < place {
            kept += bits(arg);
        }
    }
    kept <= bits(result)
}
