//! Accesses whose lanes are expected to lie side by side in a row: what they give stays the same, whether the
//! lanes are in one row or not, with divisors of zero and one, and with numbers that wrap.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_passes::target::{RareBlocks, row_guard};
use pyro_passes::{dce, gvn};

const LANES: u32 = 16;
const WORDS: u32 = 256;

/// An element by the number of an invocation: by its place in rows, and in groups of elements.
fn element(b: &mut Builder<'_>, random: &mut Random, number: Value, sizes: &[Value]) -> Value {
    use Opcode as O;
    let is_signed = random.chance(50);
    let (divide, rest) = if is_signed { (O::SDiv, O::SRem) } else { (O::UDiv, O::URem) };
    let [columns, pitch, group, times] = *sizes else { unreachable!("there are four sizes") };
    let row = b.op(divide, &[number, columns]);
    let column = if random.chance(50) {
        let before = b.op(O::IMul, &[row, columns]);
        b.op(O::ISub, &[number, before])
    } else {
        b.op(rest, &[number, columns])
    };
    let start = b.op(O::IMul, &[row, pitch]);
    match random.below(3) {
        0 => column,
        1 => b.op(O::IAdd, &[start, column]),
        _ => {
            let channel = b.op(divide, &[column, group]);
            let channel = b.op(O::IMul, &[channel, times]);
            b.op(O::IAdd, &[start, channel])
        }
    }
}

/// The number of an invocation, in rows of a workgroup or not.
fn number(b: &mut Builder<'_>, random: &mut Random, shared: &[Value]) -> Value {
    use Opcode as O;
    let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let constant = |b: &mut Builder<'_>, bits: u32| {
        let bits = b.i32(bits);
        b.splat(bits)
    };
    let width = 2 + random.below(2) as u32;
    let (count, last) = (constant(b, width), constant(b, (1 << width) - 1));
    let (row, column) = (b.op(O::LShr, &[lane, count]), b.op(O::And, &[lane, last]));
    let own = match random.below(4) {
        0 => {
            let row = b.op(O::IMul, &[row, shared[1]]);
            b.op(O::IAdd, &[row, column])
        }
        1 => row,
        _ => lane,
    };
    b.op(O::IAdd, &[own, shared[0]])
}

/// Accesses to elements in a loop or behind it.
fn program(random: &mut Random) -> Function {
    use Opcode as O;
    let mut function = Function::new("rows", Form::Mask, LANES);
    let (entry, body, behind) = (function.make_block(), function.make_block(), function.make_block());
    let count = function.add_param(body, Type::uniform(Scalar::I32));
    let carried = function.add_param(behind, Type::varying(Scalar::I32));
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, out, zero, always) = (b.i64(INPUT), b.i64(OUTPUT), b.i32(0), b.bool(true));
    let mut field =
        |word: i32| b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(4 * word), base, zero, always);
    let fields = [0, 1, 2, 3, 4, 5].map(&mut field);
    let always = b.splat(always);
    let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let all = fields.map(|value| b.splat(value));
    let in_front = random.chance(60);
    let own = number(&mut b, random, &all[4..]);
    let same = random.bits();
    let early = element(&mut b, &mut Random::new(same), own, &all[..4]);
    b.jump(body, &[zero]);
    b.start(body);
    let shared = b.splat(count);
    let place = if in_front {
        early
    } else {
        let own = b.op(O::IAdd, &[own, shared]);
        element(&mut b, &mut Random::new(same), own, &all[..4])
    };
    let index = b.op(O::IAdd, &[place, shared]);
    let words = [1, 2, 4][random.below(3) as usize];
    let limit = b.i32(WORDS / words - 1);
    let limit = b.splat(limit);
    let is_inside = b.op(O::ULt, &[index, limit]);
    let shift = b.i32(2 + words.trailing_zeros());
    let shift = b.splat(shift);
    let offset = b.op(O::Shl, &[index, shift]);
    let mut sum = lane;
    for word in 0..words {
        let memory = MemoryOp::new(Space::Global).at(4 * word as i32);
        let value = b.load(Scalar::I32, memory, base, offset, is_inside);
        let three = b.i32(3);
        let three = b.splat(three);
        sum = b.op(O::IMul, &[sum, three]);
        sum = b.op(O::IAdd, &[sum, value]);
    }
    if random.chance(30) {
        b.store(MemoryOp::new(Space::Global).at(0x200), out, offset, sum, is_inside);
    }
    let one = b.i32(1);
    let next = b.op(O::IAdd, &[count, one]);
    let two = b.i32(2);
    let more = b.op(O::ULt, &[next, two]);
    b.branch(more, BlockCall::new(body, &[next]), BlockCall::new(behind, &[sum]));
    b.start(behind);
    let shift = b.splat(two);
    let words = b.op(O::Shl, &[lane, shift]);
    b.store(MemoryOp::new(Space::Global), out, words, carried, always);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn accesses_in_rows_give_what_they_gave() {
    let mut changed = 0;
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let mut function = program(&mut random);
        // Rows that all lanes are in, or that end between them; groups of one element and of several.
        let columns = [64, 16, 12, 7, 1, 0][random.below(6) as usize];
        let small = |random: &mut Random| random.below(4) as u32;
        let numbers = [
            columns,
            columns + small(&mut random),
            small(&mut random),
            1 + small(&mut random),
            small(&mut random) * 16,
            columns,
        ];
        let rest = (6..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9));
        let inputs: Vec<u32> = numbers.into_iter().chain(rest).collect();
        let mut simplify = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let mut rewrite =
            |function: &mut Function| changed += u32::from(row_guard::run(function, &RareBlocks::default()));
        let mut again = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut simplify, &mut rewrite, &mut again];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(changed > 700, "only {changed} programs have accesses in rows");
}
