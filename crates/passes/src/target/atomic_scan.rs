//! Sums of all lanes at one place, whose results are used, are one sum for the subgroup and a scan.
//!
//! Problem: `slot = atomicAdd(count, 1)` gives each invocation a place in a list. Lane by lane these are
//! loops: one that finds the sum, and one that gives each lane what memory held and what the lanes before it
//! add.
//!
//! ```text
//! r = atomic_add a + splat(o), splat(n) if m      bits = ballot m
//!                                                 old = atomic_add a + o, popcnt(bits) * n if any m
//!                                                 r = splat(old) + popcnt(splat(bits) & lanes below) * n
//! ```
//!
//! Where lanes add different values, these are added up in steps of 1, 2, 4 lanes and so on.
//!
//! Invariants: lanes take effect in the order of their numbers; the result of a lane that does not take part
//! is zero. Both are as in the loops.

use crate::analysis::UseCounts;
use crate::target::Target;
use crate::target::versions::New;
use pyro_ir::{Form, Function, Inst, Opcode, Scalar, Type, Value};

const NUMBER: Type = Type::uniform(Scalar::I32);
const NUMBERS: Type = Type::varying(Scalar::I32);
const MASK: Type = Type::varying(Scalar::I1);

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.fetch_adds || !function.insts.values().any(|data| data.op == Opcode::AtomicAdd) {
        return false;
    }
    let uses = UseCounts::new(function);
    let mut changed = false;
    for block in function.block_order.clone() {
        let insts = &function.blocks[block].insts;
        if !insts.iter().any(|&inst| place(function, inst, &uses).is_some()) {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut new = New { function, insts: Vec::with_capacity(insts.len() + 16), loc: Default::default() };
        for inst in insts {
            match place(new.function, inst, &uses) {
                Some(offset) => rewrite(&mut new, inst, offset),
                None => new.insts.push(inst),
            }
        }
        let insts = new.insts;
        function.blocks[block].insts = insts;
    }
    changed
}

/// The offset of the one place to which the lanes add, if the results are used.
fn place(function: &Function, inst: Inst, uses: &UseCounts) -> Option<Value> {
    let data = &function.insts[inst];
    let result = data.result.expand().filter(|_| data.op == Opcode::AtomicAdd)?;
    if function.ty(result) != NUMBERS || uses.count(result) == 0 || !function.ty(data.args[0]).is_uniform() {
        return None;
    }
    uniform(function, data.args[1])
}

/// The uniform value that all lanes have.
fn uniform(function: &Function, value: Value) -> Option<Value> {
    if function.ty(value).is_uniform() {
        return Some(value);
    }
    function.def_inst(value).filter(|data| data.op == Opcode::Splat).map(|data| data.args[0])
}

fn rewrite(new: &mut New<'_>, inst: Inst, offset: Value) {
    let data = new.function.insts[inst].clone();
    let (value, predicate) = (data.args[2], data.args[3]);
    new.loc = data.loc;
    let zero = splat(new, 0);
    let (total, before) = match uniform(new.function, value) {
        Some(each) => ranks(new, each, predicate),
        None => sums(new, value, predicate, zero),
    };
    let any = new.op(Opcode::Any, &[predicate], 0, Type::uniform(Scalar::I1));
    let old = new.op(Opcode::AtomicAdd, &[data.args[0], offset, total, any], data.imm, NUMBER);
    let old = new.op(Opcode::Splat, &[old], 0, NUMBERS);
    let result = new.op(Opcode::IAdd, &[old, before], 0, NUMBERS);
    // The instruction that had the result makes it now.
    let data = &mut new.function.insts[inst];
    data.op = Opcode::Select;
    data.args = smallvec::smallvec![predicate, result, zero];
    data.imm = 0;
    new.insts.push(inst);
}

fn constant(new: &mut New<'_>, value: u32) -> Value {
    new.op(Opcode::Const, &[], value.into(), NUMBER)
}

fn splat(new: &mut New<'_>, value: u32) -> Value {
    let value = constant(new, value);
    new.op(Opcode::Splat, &[value], 0, NUMBERS)
}

/// What the lanes add together, and what those before each lane do, where each adds the same.
fn ranks(new: &mut New<'_>, each: Value, predicate: Value) -> (Value, Value) {
    let word = Type::uniform(Scalar::I64);
    let bits = new.op(Opcode::Ballot, &[predicate], 0, word);
    let lane = new.op(Opcode::LaneId, &[], 0, NUMBERS);
    let one = splat(new, 1);
    let count = new.op(Opcode::PopCount, &[bits], 0, word);
    let count = new.op(Opcode::Truncate, &[count], 0, NUMBER);
    let below = |new: &mut New<'_>, half: u32| {
        let amount = new.op(Opcode::Const, &[], (32 * half).into(), word);
        let half = if half == 0 { bits } else { new.op(Opcode::LShr, &[bits, amount], 0, word) };
        let half = new.op(Opcode::Truncate, &[half], 0, NUMBER);
        new.op(Opcode::Splat, &[half], 0, NUMBERS)
    };
    // Of lanes 0 to 31, or of 32 to 63, those with smaller numbers than the lane has in its half.
    let thirty_one = splat(new, 31);
    let number = new.op(Opcode::And, &[lane, thirty_one], 0, NUMBERS);
    let bit = new.op(Opcode::Shl, &[one, number], 0, NUMBERS);
    let smaller = new.op(Opcode::ISub, &[bit, one], 0, NUMBERS);
    let low = below(new, 0);
    let mut rank = if new.function.lanes <= 32 {
        let before = new.op(Opcode::And, &[low, smaller], 0, NUMBERS);
        new.op(Opcode::PopCount, &[before], 0, NUMBERS)
    } else {
        let high = below(new, 1);
        let is_low = new.op(Opcode::ULe, &[lane, thirty_one], 0, MASK);
        let own = new.op(Opcode::Select, &[is_low, low, high], 0, NUMBERS);
        let own = new.op(Opcode::And, &[own, smaller], 0, NUMBERS);
        let own = new.op(Opcode::PopCount, &[own], 0, NUMBERS);
        let zero = splat(new, 0);
        let all_low = new.op(Opcode::PopCount, &[low], 0, NUMBERS);
        let other = new.op(Opcode::Select, &[is_low, zero, all_low], 0, NUMBERS);
        new.op(Opcode::IAdd, &[own, other], 0, NUMBERS)
    };
    let mut total = count;
    if new.function.const_bits(each) != Some(1) {
        total = new.op(Opcode::IMul, &[count, each], 0, NUMBER);
        let each = new.op(Opcode::Splat, &[each], 0, NUMBERS);
        rank = new.op(Opcode::IMul, &[rank, each], 0, NUMBERS);
    }
    (total, rank)
}

/// The same where lanes add different values.
fn sums(new: &mut New<'_>, value: Value, predicate: Value, zero: Value) -> (Value, Value) {
    let own = new.op(Opcode::Select, &[predicate, value, zero], 0, NUMBERS);
    let lane = new.op(Opcode::LaneId, &[], 0, NUMBERS);
    let lanes = new.function.lanes;
    let mut sum = own;
    let mut step = 1;
    while step < lanes {
        let distance = splat(new, step);
        let from = new.op(Opcode::ISub, &[lane, distance], 0, NUMBERS);
        let other = new.op(Opcode::Shuffle, &[sum, from], 0, NUMBERS);
        let has_one = new.op(Opcode::ULe, &[distance, lane], 0, MASK);
        let other = new.op(Opcode::Select, &[has_one, other, zero], 0, NUMBERS);
        sum = new.op(Opcode::IAdd, &[sum, other], 0, NUMBERS);
        step *= 2;
    }
    let last = constant(new, lanes - 1);
    let total = new.op(Opcode::LaneRead, &[sum, last], 0, NUMBER);
    let before = new.op(Opcode::ISub, &[sum, own], 0, NUMBERS);
    (total, before)
}
