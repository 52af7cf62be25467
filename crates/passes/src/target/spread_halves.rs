//! Elements of 16 bits, of which each second one is loaded, become words.
//!
//! Problem: a convolution that goes two steps at a time reads elements 0, 2, 4 and 6 of halves or bfloat16
//! that each lane has somewhere else. Each is a gather of the words around it.
//!
//! ```text
//! a = load p                       v = load word p        a = trunc v
//! b = load p +4                    w = load word p +4     b = trunc w
//! c = load p +8                    x = load word p +6     c = trunc (x >> 16)
//! d = load p +12                   y = load word p +10    d = trunc (y >> 16)
//! ```
//!
//! Approach: four such loads of one base and offset, which all lanes take part in, happen where the first of
//! them is. Between them nothing is written. Selection loads the first two words of a lane as one, and the
//! last two (`select::lane_quads`).
//!
//! Invariants: only bytes between the first and the last element of a lane are read besides, which belong to
//! the same object. Lanes a known distance apart are left alone, since these are vector moves.

use crate::analysis::{LinearOffsets, Steps};
use crate::target::Target;
use pyro_ir::{Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Bytes from each element to the next.
const STEP: i64 = 4;
/// Where the words are, of which the last two have their elements in their upper halves.
const WORDS: [i32; 4] = [0, 4, 6, 10];
/// Bits of an element.
const BITS: u64 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: Value,
    offset: Value,
    space: Space,
}

/// Displacement, place in the block, load.
type Member = (i32, usize, Inst);

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.wide_vectors {
        return false;
    }
    let mut steps = Steps::default();
    let mut changed = false;
    for block in function.block_order.clone() {
        let groups = find(function, &function.blocks[block].insts, &mut steps);
        if groups.is_empty() {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut function.blocks[block].insts);
        // What comes in front of an instruction.
        let mut front: FxHashMap<usize, Vec<Inst>> = FxHashMap::default();
        for group in groups {
            let first = group.iter().map(|member| member.1).min().expect("there are four");
            let words = load_words(function, &group, front.entry(first).or_default());
            for (word, &(_, place, inst)) in words.into_iter().zip(&group) {
                narrow(function, inst, word, front.entry(place).or_default());
            }
        }
        let mut listed = Vec::with_capacity(insts.len() + 16);
        for (place, inst) in insts.into_iter().enumerate() {
            listed.extend(front.remove(&place).unwrap_or_default());
            listed.push(inst);
        }
        function.blocks[block].insts = listed;
    }
    changed
}

/// The groups of a block, each by displacement.
fn find(function: &Function, insts: &[Inst], steps: &mut Steps) -> Vec<[Member; 4]> {
    let mut open: FxHashMap<Key, Vec<Member>> = FxHashMap::default();
    let mut keys: Vec<Key> = Vec::new();
    let mut found = Vec::new();
    for (place, &inst) in insts.iter().enumerate() {
        let data = &function.insts[inst];
        if matches!(data.op.effect(), Effect::Write | Effect::Barrier) {
            keys.drain(..).for_each(|key| close(open.remove(&key).unwrap_or_default(), &mut found));
        }
        if !is_candidate(function, inst) {
            continue;
        }
        let op = MemoryOp::from_imm(data.imm);
        let key = Key { base: data.args[0], offset: data.args[1], space: op.space };
        let members = open.entry(key).or_insert_with(|| {
            keys.push(key);
            Vec::new()
        });
        members.push((op.displacement, place, inst));
    }
    keys.into_iter().for_each(|key| close(open.remove(&key).unwrap_or_default(), &mut found));
    let mut offsets = LinearOffsets::new(function);
    found.retain(|group| {
        let sum = offsets.of(function.insts[group[0].2].args[1]);
        steps.of(function, &sum.terms).is_none()
    });
    found
}

/// Whether an instruction loads elements of 16 bits that all lanes have, anywhere.
fn is_candidate(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(result) = data.result.expand().filter(|_| data.op == Opcode::Load) else { return false };
    let ty = function.ty(result);
    ty.is_varying()
        && matches!(ty.scalar, Scalar::I16 | Scalar::F16)
        && !MemoryOp::from_imm(data.imm).volatile
        && function.ty(data.args[0]).is_uniform()
        && function.ty(data.args[1]) == Type::varying(Scalar::I32)
        && function.const_bits(data.args[2]) == Some(1)
}

/// Takes fours out of loads of one base and offset.
fn close(mut members: Vec<Member>, found: &mut Vec<[Member; 4]>) {
    members.sort_unstable_by_key(|&(displacement, place, _)| (displacement, place));
    let mut rest = members.as_slice();
    while let [first, ..] = rest {
        let at = |number: i64| {
            let displacement = i64::from(first.0) + STEP * number;
            rest.iter().copied().find(|member| i64::from(member.0) == displacement)
        };
        let four: SmallVec<[Member; 4]> = (0..4).filter_map(at).collect();
        let taken = <[Member; 4]>::try_from(four.as_slice()).ok();
        let is_free =
            |group: &[Member; 4]| !group.iter().any(|member| found.iter().flatten().any(|m| m == member));
        if let Some(group) = taken.filter(is_free) {
            found.push(group);
        }
        rest = &rest[1..];
    }
}

/// Loads the words of a group.
fn load_words(function: &mut Function, group: &[Member; 4], front: &mut Vec<Inst>) -> [Value; 4] {
    let data = function.insts[group[0].2].clone();
    let word = Type::varying(Scalar::I32);
    WORDS.map(|bytes| {
        let op = MemoryOp::from_imm(data.imm);
        let imm = op.at(group[0].0 + bytes).to_imm();
        let inst = function.make_inst(Opcode::Load, &data.args, imm, Some(word), data.loc);
        front.push(inst);
        function.insts[inst].expect_result()
    })
}

/// Makes a load be the element of a word.
fn narrow(function: &mut Function, inst: Inst, word: Value, front: &mut Vec<Inst>) {
    let (loc, ty) = (function.insts[inst].loc, function.ty(function.insts[inst].expect_result()));
    let mut make = |function: &mut Function, op, args: &[Value], imm, ty| {
        let inst = function.make_inst(op, args, imm, Some(ty), loc);
        front.push(inst);
        function.insts[inst].expect_result()
    };
    let number = Type::varying(Scalar::I32);
    let loaded = function.def_inst(word).map_or(0, |load| MemoryOp::from_imm(load.imm).displacement);
    let is_upper = loaded != MemoryOp::from_imm(function.insts[inst].imm).displacement;
    let word = match is_upper {
        false => word,
        true => {
            let bits = make(function, Opcode::Const, &[], BITS, Type::uniform(Scalar::I32));
            let bits = make(function, Opcode::Splat, &[bits], 0, number);
            make(function, Opcode::LShr, &[word, bits], 0, number)
        }
    };
    let (op, value) = match ty.scalar {
        Scalar::F16 => {
            (Opcode::Bitcast, make(function, Opcode::Truncate, &[word], 0, Type::varying(Scalar::I16)))
        }
        _ => (Opcode::Truncate, word),
    };
    let data = &mut function.insts[inst];
    (data.op, data.imm) = (op, 0);
    data.args.clear();
    data.args.push(value);
}
