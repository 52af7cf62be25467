//! What each quad takes from a row of words becomes a load for each quad.
//!
//! Problem: fragments whose quads have a primitive each read rows with a word of sixteen primitives, and
//! distribute them to lanes by number. Where registers hold eight lanes or four, a distribution of sixteen
//! words is several permutations and a choice for each register: of a function that interpolates a colour
//! they were four fifths of the time.
//!
//! ```text
//! number = shuffle (load list + place + 4 * lane), lane / 4
//! word = shuffle (load row + 4 * lane), number
//! ```
//!
//! Approach: the lanes of a quad have one number, which is in memory: `word` is a load that has for each quad
//! the place `4 * (number % 16)`, computed from uniform values. Of such loads the selection of instructions
//! makes a broadcast for each quad.
//!
//! Invariants: only words that the shuffle may have taken are read, of memory that the function does not
//! write.

use super::Target;
use crate::branch_fold::replace_all;
use pyro_ir::{Builder, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Type, Value};
use pyro_util::{PackedOption, SecondaryMap};
use rustc_hash::FxHashMap;

/// Lanes of the functions that are rewritten, and words of a row.
const LANES: u32 = 16;
/// Lanes of a quad.
const QUAD_LANES: u32 = 4;
/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// A row of words: each lane loads the one behind that of the lane before it.
#[derive(Clone, Copy)]
struct Row {
    scalar: Scalar,
    memory: MemoryOp,
    base: Value,
    /// The first lane's offset, uniform.
    first: Value,
}

/// What a shuffle takes from a row.
#[derive(Clone, Copy)]
enum Index {
    /// Each quad the word of its own number.
    Quad,
    /// Each quad the word whose number a shuffle of the other kind gave it.
    Given(Value),
}

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if target.wide_vectors || function.lanes != LANES {
        return false;
    }
    let mut replaced = SecondaryMap::<Value, PackedOption<Value>>::with_capacity(
        PackedOption::default(),
        function.values.len(),
    );
    // For numbers that quads were given, the places of the words that they name.
    let mut places = FxHashMap::<Value, Value>::default();
    let mut changed = false;
    for block in function.block_order.clone() {
        let insts = &function.blocks[block].insts;
        if !insts.iter().any(|&inst| taken(function, inst).is_some()) {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut builder = Builder::new(function);
        builder.switch_to(block);
        for inst in insts {
            let word = taken(builder.function, inst).and_then(|(row, index)| match index {
                Index::Quad => {
                    let offset = quad_places(&mut builder);
                    Some((row, offset, Some(row)))
                }
                Index::Given(number) => places.get(&number).map(|&offset| (row, offset, None)),
            });
            let Some((row, offset, numbers)) = word else {
                builder.function.blocks[block].insts.push(inst);
                continue;
            };
            changed = true;
            let result = builder.function.insts[inst].expect_result();
            if let Some(numbers) = numbers {
                let named = named_places(&mut builder, numbers);
                places.insert(result, named);
            }
            replaced[result] = load(&mut builder, row, offset).into();
        }
    }
    if changed {
        replace_all(function, &mut replaced);
    }
    changed
}

/// What a shuffle takes from a row, if an instruction is one.
fn taken(function: &Function, inst: Inst) -> Option<(Row, Index)> {
    let data = &function.insts[inst];
    if data.op != Opcode::Shuffle {
        return None;
    }
    let row = row(function, data.args[0])?;
    let index = data.args[1];
    if is_quad(function, index) {
        return Some((row, Index::Quad));
    }
    let given = function.def_inst(index).filter(|data| data.op == Opcode::Shuffle)?;
    row_of_quads(function, given).then_some((row, Index::Given(index)))
}

/// Whether a shuffle takes for each quad the word of its number in a row.
fn row_of_quads(function: &Function, data: &InstData) -> bool {
    is_quad(function, data.args[1]) && row(function, data.args[0]).is_some()
}

/// The number of the lane's quad.
fn is_quad(function: &Function, value: Value) -> bool {
    function.def_inst(value).is_some_and(|data| {
        data.op == Opcode::LShr
            && is_lane(function, data.args[0])
            && function.const_bits(data.args[1]) == Some(QUAD_LANES.trailing_zeros().into())
    })
}

fn is_lane(function: &Function, value: Value) -> bool {
    function.def_inst(value).is_some_and(|data| data.op == Opcode::LaneId)
}

/// The row that a value was loaded from.
fn row(function: &Function, value: Value) -> Option<Row> {
    let data = function.def_inst(value).filter(|data| data.op == Opcode::Load)?;
    let (memory, ty) = (MemoryOp::from_imm(data.imm), function.ty(value));
    let always = function.const_bits(data.args[2]) == Some(1);
    if !always || memory.volatile || !memory.space.is_read_only() || ty.scalar.bytes() != WORD_BYTES {
        return None;
    }
    let base = data.args[0];
    let first = first_of_row(function, data.args[1]).filter(|_| function.ty(base).is_uniform())?;
    Some(Row { scalar: ty.scalar, memory, base, first })
}

/// The uniform value `first` of an offset `first + 4 * lane`.
fn first_of_row(function: &Function, offset: Value) -> Option<Value> {
    let sum = function.def_inst(offset).filter(|data| data.op == Opcode::IAdd)?;
    let is_step = |value: Value| {
        function.def_inst(value).is_some_and(|data| {
            data.op == Opcode::Shl
                && is_lane(function, data.args[0])
                && function.const_bits(data.args[1]) == Some(WORD_BYTES.trailing_zeros().into())
        })
    };
    let first = match [sum.args[0], sum.args[1]] {
        [first, step] | [step, first] if is_step(step) => first,
        _ => return None,
    };
    if function.ty(first).is_uniform() {
        return Some(first);
    }
    function.def_inst(first).filter(|data| data.op == Opcode::Splat).map(|data| data.args[0])
}

/// Four times the number of the lane's quad.
fn quad_places(b: &mut Builder<'_>) -> Value {
    let offsets = [0, 1, 2, 3].map(|quad| b.i32(WORD_BYTES * quad));
    of_quads(b, offsets)
}

/// Four times the number, modulo a row's words, that each quad finds in a row.
fn named_places(b: &mut Builder<'_>, row: Row) -> Value {
    let always = b.bool(true);
    let (mask, shift) = (b.i32(LANES - 1), b.i32(WORD_BYTES.trailing_zeros()));
    let offsets = [0, 1, 2, 3].map(|quad| {
        let memory = row.memory.at(row.memory.displacement + (WORD_BYTES * quad) as i32);
        let number = b.load(Scalar::I32, memory, row.base, row.first, always);
        let number = b.op(Opcode::And, &[number, mask]);
        b.op(Opcode::Shl, &[number, shift])
    });
    of_quads(b, offsets)
}

/// One of four uniform values for each quad.
fn of_quads(b: &mut Builder<'_>, values: [Value; 4]) -> Value {
    let lane = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
    let mut all = b.splat(values[0]);
    for (quad, value) in (0..).zip(values).skip(1) {
        let first = b.i32(QUAD_LANES * quad);
        let (first, value) = (b.splat(first), b.splat(value));
        let lanes = b.op(Opcode::ULe, &[first, lane]);
        all = b.select(lanes, value, all);
    }
    all
}

/// Loads a word of a row for each lane.
fn load(b: &mut Builder<'_>, row: Row, offset: Value) -> Value {
    debug_assert_eq!(b.function.ty(offset), Type::varying(Scalar::I32));
    let (first, always) = (b.splat(row.first), b.bool(true));
    let (offset, always) = (b.op(Opcode::IAdd, &[first, offset]), b.splat(always));
    b.load(row.scalar, row.memory, row.base, offset, always)
}
