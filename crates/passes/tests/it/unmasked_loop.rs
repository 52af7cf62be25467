//! Loops that lanes leave one by one give what they gave where they run without masks at first.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type};
use pyro_passes::{branch_fold, dce, gvn, unmasked_loop};

const LANES: u32 = 16;
const WORDS: u32 = 64;

/// How a loop counts: over `lane * factor + start + step * iteration`, up to a limit. Instead of products
/// there may be numbers in memory.
#[derive(Clone, Copy)]
struct Count {
    factor: u32,
    numbers: Option<[u32; LANES as usize]>,
    step: u32,
    is_signed: bool,
    /// The numbers are added to the limit instead.
    alone: bool,
}

/// The word where the numbers in memory begin.
const NUMBERS: usize = 16;

impl Count {
    /// Whether all lanes have left the loop soon.
    fn ends(self, start: u32, limit: u32) -> bool {
        let leaves = |lane: u32| {
            (0..200_u32).any(|iteration| {
                let number = self.numbers.map_or(lane * self.factor, |numbers| numbers[lane as usize]);
                let shared = start.wrapping_add(iteration * self.step);
                let (index, limit) = match self.alone {
                    false => (number.wrapping_add(shared), limit),
                    true => (shared, limit.wrapping_add(number)),
                };
                if self.is_signed { index as i32 >= limit as i32 } else { index >= limit }
            })
        };
        (0..LANES).all(leaves)
    }
}

/// A loop that ends in each lane at a limit that memory says.
fn program(random: &mut Random, count: Count) -> Function {
    use Opcode as O;
    let mut function = Function::new("loop", Form::Mask, LANES);
    let [entry, header, body, exit] = [(); 4].map(|()| function.make_block());
    let i32s = Type::varying(Scalar::I32);
    let left = function.add_param(header, Type::varying(Scalar::I1));
    let counter = function.add_param(header, Type::uniform(Scalar::I32));
    let sum = function.add_param(header, i32s);
    let product = function.add_param(header, i32s);
    let frozen = function.add_param(header, i32s);

    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, out, zero, always) = (b.i64(INPUT), b.i64(OUTPUT), b.i32(0), b.bool(true));
    let word = |b: &mut Builder<'_>, at: i32| {
        b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(4 * at), base, zero, always)
    };
    let (start, limit) = (word(&mut b, 0), word(&mut b, 1));
    let step = b.i32(count.step);
    let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let splat = |b: &mut Builder<'_>, bits: u32| {
        let constant = b.i32(bits);
        b.splat(constant)
    };
    let factor = splat(&mut b, count.factor);
    let (none, two, all) = (splat(&mut b, 0), splat(&mut b, 2), b.splat(always));
    let numbers = match count.numbers {
        None => b.op(O::IMul, &[lane, factor]),
        Some(_) => {
            let at = b.op(O::Shl, &[lane, two]);
            b.load(Scalar::I32, MemoryOp::new(Space::Global).at(4 * NUMBERS as i32), base, at, all)
        }
    };
    let one = splat(&mut b, 1);
    let first = match random.chance(80) {
        true => all,
        false => {
            let few = splat(&mut b, 9);
            b.op(O::ULt, &[lane, few])
        }
    };
    let limits = b.splat(limit);
    let limits = if count.alone { b.op(O::IAdd, &[limits, numbers]) } else { limits };
    b.jump(header, &[first, start, none, one, none]);

    b.start(header);
    let uniform = b.splat(counter);
    let index = if count.alone { uniform } else { b.op(O::IAdd, &[numbers, uniform]) };
    let stay = match random.chance(60) {
        true => {
            let test = b.op(if count.is_signed { O::SLt } else { O::ULt }, &[index, limits]);
            b.op(O::And, &[left, test])
        }
        false => {
            let test = b.op(if count.is_signed { O::SLe } else { O::ULe }, &[limits, index]);
            b.op(O::AndNot, &[left, test])
        }
    };
    // What lanes that are gone have keeps its value.
    let kept = b.select(stay, sum, frozen);
    let any = b.emit(O::Any, &[stay], 0, Scalar::I1).expect("a result");
    b.branch(any, BlockCall::new(body, &[]), BlockCall::new(exit, &[]));

    b.start(body);
    let offset = b.op(O::Shl, &[index, two]);
    let words = splat(&mut b, WORDS);
    let inside = b.op(O::ULt, &[index, words]);
    let inside = b.op(O::And, &[inside, stay]);
    let value = b.load(Scalar::I32, MemoryOp::new(Space::Global), base, offset, inside);
    let more = b.op(O::IAdd, &[sum, value]);
    let low = splat(&mut b, 1);
    let odd = b.op(O::And, &[value, low]);
    let is_odd = b.op(O::IEq, &[odd, none]);
    let is_odd = b.op(O::And, &[is_odd, stay]);
    let more = b.select(is_odd, index, more);
    let more = b.select(stay, more, sum);
    let five = splat(&mut b, 5);
    let larger = b.op(O::IMul, &[product, five]);
    let larger = b.select(stay, larger, product);
    if random.chance(40) {
        let at = b.op(O::Shl, &[lane, two]);
        b.store(MemoryOp::new(Space::Global).at(0x1100), out, at, more, stay);
    }
    let next = b.op(O::IAdd, &[counter, step]);
    b.jump(header, &[stay, next, more, larger, kept]);

    b.start(exit);
    let at = b.op(O::Shl, &[lane, two]);
    for (place, value) in [(0, sum), (1, kept), (2, frozen), (3, product)] {
        b.store(MemoryOp::new(Space::Global).at(0x1000 + 64 * place), out, at, value, all);
    }
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn loops_give_what_they_gave() {
    let mut rewritten = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let (factor, step) = (1 + random.below(3) as u32, 1 + random.below(40) as u32);
        let mut count = Count { factor, step, is_signed: random.chance(50), numbers: None, alone: false };
        if random.chance(50) {
            // Mostly the same in all lanes.
            let mut numbers = [random.below(50) as u32; LANES as usize];
            if random.chance(30) {
                numbers[random.below(16) as usize] += 1;
            }
            count.numbers = Some(numbers);
            count.alone = random.chance(50);
        }
        let mut function = program(&mut random, count);
        let edges = [0, 1, 15, 16, 31, 0x7fff_ff00, 0x7fff_ffff, 0x8000_0000, 0x8000_0010, u32::MAX];
        let near = |random: &mut Random| {
            let edge = edges[random.below(edges.len() as u64) as usize];
            edge.wrapping_add(random.below(80) as u32).wrapping_sub(40)
        };
        let start = near(&mut random);
        // Loops that end, mostly by their limit.
        let limit = match random.chance(80) {
            true => start.wrapping_add(random.below(400) as u32),
            false => near(&mut random),
        };
        if !count.ends(start, limit) {
            continue;
        }
        let mut inputs: Vec<u32> =
            [start, limit].into_iter().chain((2..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9))).collect();
        if let Some(numbers) = count.numbers {
            inputs[NUMBERS..][..numbers.len()].copy_from_slice(&numbers);
        }
        let simplify = |function: &mut Function| {
            gvn::run(function);
            branch_fold::run(function);
            dce::run(function);
        };
        let mut rewrite = |function: &mut Function| rewritten += u32::from(unmasked_loop::run(function));
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut rewrite, &mut { simplify }];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(rewritten > 250, "only {rewritten} loops run without masks");
}
