//! Loads that are expected to be near each other: what they give stays the same, whether quotients change
//! from one to the next or not, with numbers that wrap.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_passes::target::{RareBlocks, Target, distance_guard, spread_halves};
use pyro_passes::{dce, gvn};

const LANES: u32 = 16;
const WORDS: u32 = 256;

/// A place in rows of so many columns, by its number.
fn place(b: &mut Builder<'_>, random: &mut Random, number: Value, columns: Value, pitch: Value) -> Value {
    use Opcode as O;
    let is_signed = random.chance(50);
    let (divide, rest) = if is_signed { (O::SDiv, O::SRem) } else { (O::UDiv, O::URem) };
    let (row, column) = (b.op(divide, &[number, columns]), b.op(rest, &[number, columns]));
    // As remainders of signed numbers are made to have the sign of the divisor.
    let column = if random.chance(30) {
        let other = b.op(O::IAdd, &[columns, column]);
        let zero = b.i32(0);
        let zero = b.splat(zero);
        let is_negative = b.op(O::SLt, &[column, zero]);
        b.select(is_negative, other, column)
    } else {
        column
    };
    let row = b.op(O::IMul, &[row, pitch]);
    b.op(O::IAdd, &[row, column])
}

/// Loads at neighbouring numbers of each lane, in a loop or not.
fn program(random: &mut Random) -> Function {
    use Opcode as O;
    let mut function = Function::new("distances", Form::Mask, LANES);
    let (entry, body, behind) = (function.make_block(), function.make_block(), function.make_block());
    let count = function.add_param(body, Type::uniform(Scalar::I32));
    let carried = function.add_param(behind, Type::varying(Scalar::I32));
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, out, zero, always) = (b.i64(INPUT), b.i64(OUTPUT), b.i32(0), b.bool(true));
    let mut field =
        |word: i32| b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(4 * word), base, zero, always);
    let [columns, pitch, first, times] = [0, 1, 2, 3].map(&mut field);
    let always = b.splat(always);
    let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let [columns, pitch, first] = [columns, pitch, first].map(|value| b.splat(value));
    let (each, step, one, two) = (b.i32(4), b.i32(random.below(3) as u32), b.i32(1), b.i32(2));
    let [each, step, two] = [each, step, two].map(|value| b.splat(value));
    let mut number = b.op(O::IMul, &[lane, each]);
    number = b.op(O::IAdd, &[number, first]);
    let same = random.bits();
    let places: Vec<Value> = (0..4)
        .map(|_| {
            number = b.op(O::IAdd, &[number, step]);
            place(&mut b, &mut Random::new(same), number, columns, pitch)
        })
        .collect();
    b.jump(body, &[zero]);
    b.start(body);
    let shared = b.splat(count);
    let is_narrow = random.chance(40);
    let scalar = if is_narrow { Scalar::I16 } else { Scalar::I32 };
    // In bounds, whatever numbers say: then all lanes take part.
    let limit = b.i32(WORDS - 1);
    let limit = b.splat(limit);
    let stays = random.chance(70);
    let mut sum = lane;
    for place in places {
        let mut index = b.op(O::IAdd, &[place, shared]);
        let within = b.op(O::ULt, &[index, limit]);
        let predicate = match stays {
            true => {
                index = if random.chance(5) { b.op(O::UMin, &[index, limit]) } else { index };
                always
            }
            false => within,
        };
        let shift = if is_narrow {
            let one = b.i32(1);
            b.splat(one)
        } else {
            two
        };
        let offset = b.op(O::Shl, &[index, shift]);
        let value = b.load(scalar, MemoryOp::new(Space::Global), base, offset, predicate);
        let value = if is_narrow { b.convert(O::ZeroExtend, value, Scalar::I32) } else { value };
        let three = b.i32(3);
        let three = b.splat(three);
        sum = b.op(O::IMul, &[sum, three]);
        sum = b.op(O::IAdd, &[sum, value]);
    }
    let words = b.op(O::Shl, &[lane, two]);
    b.store(MemoryOp::new(Space::Global).at(0x100), out, words, sum, always);
    let next = b.op(O::IAdd, &[count, one]);
    let more = b.op(O::ULt, &[next, times]);
    b.branch(more, BlockCall::new(body, &[next]), BlockCall::new(behind, &[sum]));
    b.start(behind);
    b.store(MemoryOp::new(Space::Global), out, words, carried, always);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn near_loads_give_what_they_gave() {
    let (mut near, mut spread) = (0, 0);
    for seed in 0..800 {
        let mut random = Random::new(seed);
        let mut function = program(&mut random);
        // Rows that all lanes' numbers lie in, or that end between them.
        let columns = [80, 16, 12, 7, 5][random.below(5) as usize];
        let numbers =
            [columns, columns + random.below(3) as u32, random.below(4) as u32, 1 + random.below(3) as u32];
        let rest = (4..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9));
        let inputs: Vec<u32> = numbers.into_iter().chain(rest).collect();
        let target = Target { wide_vectors: true, ..Target::default() };
        let mut simplify = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let mut rewrite = |function: &mut Function| {
            near += u32::from(distance_guard::run(function, target, &RareBlocks::default()));
            spread += u32::from(spread_halves::run(function, target));
        };
        let mut again = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut simplify, &mut rewrite, &mut again];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(near > 300, "only {near} programs have loads that are near each other");
    assert!(spread > 30, "only {spread} programs have halves that are spread");
}
