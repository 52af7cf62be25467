//! Loops with random starts, steps, limits and indices, among them ones that wrap and ones that are out of
//! bounds: what they give stays the same, and they run without checks exactly where every lane's index is in
//! bounds in every iteration.

use crate::support::{INPUT, Memory, OUTPUT, Random, mask};
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Value,
};

const LANES: u32 = 16;
const WORDS: u32 = 512;
const VISITS: u32 = 10_000;

/// How a loop asks whether it goes on.
#[derive(Clone, Copy, Debug)]
struct Condition {
    op: Opcode,
    /// The condition holds where the loop ends.
    ends: bool,
}

impl Condition {
    const ALL: [Condition; 8] = [
        Condition { op: Opcode::ULt, ends: false },
        Condition { op: Opcode::SLt, ends: false },
        Condition { op: Opcode::ULe, ends: false },
        Condition { op: Opcode::SLe, ends: false },
        Condition { op: Opcode::ULe, ends: true },
        Condition { op: Opcode::SLe, ends: true },
        Condition { op: Opcode::ULt, ends: true },
        Condition { op: Opcode::SLt, ends: true },
    ];

    fn is_inclusive(self) -> bool {
        matches!(self.op, Opcode::ULe | Opcode::SLe) != self.ends
    }
}

/// `for (i = start; i < limit; i += step) if (x + by * (i >> shift) < length) sum += input[..]`, where `x =
/// first + lane * stride`.
#[derive(Clone, Copy, Debug)]
struct Case {
    condition: Condition,
    start: u32,
    limit: u32,
    step: u32,
    first: u32,
    stride: u32,
    by: u32,
    /// `by` is a constant of the function.
    by_is_known: bool,
    /// The counter is shifted to the right before that.
    shift: u32,
    is_uniform: bool,
    /// Some lanes take part only.
    lanes: Option<u32>,
    length: u32,
}

impl Case {
    fn new(random: &mut Random) -> Case {
        let condition = Condition::ALL[random.below(8) as usize];
        let step = 1 << random.below(3);
        let start = [0, 0, 1, random.below(20) as u32, u32::MAX - 3][random.below(5) as usize];
        let limit = if random.chance(20) { 30 } else { random.below(60) as u32 };
        let is_uniform = random.chance(20);
        let odd = |random: &mut Random, plain: u64, other: u32| {
            if random.chance(12) { other } else { random.below(plain) as u32 }
        };
        let large = [1 << 31, u32::MAX, 1 << 28][random.below(3) as usize];
        Case {
            condition,
            start,
            limit: if start > limit { limit } else { limit.min(start + 60) },
            step,
            first: odd(random, 40, u32::MAX - 20),
            stride: if is_uniform { 0 } else { odd(random, 9, u32::MAX) },
            by: odd(random, 8, large),
            by_is_known: random.chance(50),
            shift: [0, 0, 1, 2][random.below(4) as usize],
            is_uniform,
            lanes: random.chance(30).then(|| random.bits() as u32 & 0xffff),
            length: WORDS >> random.below(3),
        }
    }

    fn counts(&self) -> Vec<u32> {
        let mut counts = Vec::new();
        let mut count = self.start;
        let goes_on = |count: u32| {
            let is_signed = matches!(self.condition.op, Opcode::SLt | Opcode::SLe);
            let [a, b] = [count, self.limit].map(|n| if is_signed { i64::from(n as i32) } else { n.into() });
            if self.condition.is_inclusive() { a <= b } else { a < b }
        };
        while goes_on(count) {
            counts.push(count);
            count = count.wrapping_add(self.step);
        }
        counts
    }

    fn function(&self) -> Function {
        use Opcode as O;
        let mut function = Function::new("loop", Form::Mask, LANES);
        let [entry, header, body, exit]: [Block; 4] = [(); 4].map(|()| function.make_block());
        let b = &mut Builder::new(&mut function);
        b.start(entry);
        let (zero, always, source) = (b.i32(0), b.bool(true), b.i64(INPUT));
        let read = |b: &mut Builder, word: u32| {
            let memory = MemoryOp::new(Space::Context).at(4 * (WORDS + word) as i32);
            b.load(Scalar::I32, memory, source, zero, always)
        };
        let [start, limit, length, by] = [0, 1, 2, 3].map(|word| read(b, word));
        let by = if self.by_is_known { b.i32(self.by) } else { by };
        let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
        let (first, stride) = (b.i32(self.first), b.i32(self.stride));
        let (all_first, stride) = (b.splat(first), b.splat(stride));
        let x = b.op(O::IMul, &[lane, stride]);
        let x = b.op(O::IAdd, &[x, all_first]);
        let two = b.i32(2);
        let all_two = b.splat(two);
        let bits = b.i64(self.lanes.unwrap_or(0).into());
        let some = b.emit(O::MaskFromBits, &[bits], 0, Scalar::I1).expect("a result");
        let (all, all_length) = (b.splat(always), b.splat(length));
        let (step, none) = (b.i32(self.step), b.splat(zero));
        let sum = b.function.add_param(header, pyro_ir::Type::varying(Scalar::I32));
        let count = b.function.add_param(header, pyro_ir::Type::uniform(Scalar::I32));
        b.jump(header, &[none, start]);

        b.start(header);
        // `a < b` goes on as `b <= a` ends.
        let args = if self.condition.ends { [limit, count] } else { [count, limit] };
        let condition = b.op(self.condition.op, &args);
        let (on, end) = (BlockCall::new(body, &[]), BlockCall::new(exit, &[]));
        let (then, otherwise) = if self.condition.ends { (end, on) } else { (on, end) };
        b.terminate(Terminator::Branch { condition, then, otherwise });

        b.start(body);
        let shift = b.i32(self.shift);
        let shifted = if self.shift == 0 { count } else { b.op(O::LShr, &[count, shift]) };
        let scaled = b.op(O::IMul, &[shifted, by]);
        let memory = MemoryOp::new(Space::Global);
        let read: Value = if self.is_uniform {
            let index = b.op(O::IAdd, &[first, scaled]);
            let offset = b.op(O::Shl, &[index, two]);
            let is_in = b.op(O::ULt, &[index, length]);
            let word = b.load(Scalar::I32, memory, source, offset, is_in);
            b.splat(word)
        } else {
            let scaled = b.splat(scaled);
            let index = b.op(O::IAdd, &[x, scaled]);
            let offset = b.op(O::Shl, &[index, all_two]);
            let mut is_in = b.op(O::ULt, &[index, all_length]);
            if self.lanes.is_some() {
                is_in = b.op(O::And, &[is_in, some]);
            }
            b.load(Scalar::I32, memory, source, offset, is_in)
        };
        let more = b.op(O::IAdd, &[sum, read]);
        let next = b.op(O::IAdd, &[count, step]);
        b.jump(header, &[more, next]);

        b.start(exit);
        let output = b.i64(OUTPUT);
        let place = b.op(O::Shl, &[lane, all_two]);
        b.store(memory, output, place, sum, all);
        let last = b.splat(count);
        b.store(memory.at(4 * LANES as i32), output, place, last, all);
        b.terminate(Terminator::Return(0));
        function
    }

    /// Whether the pass knows what the counter is multiplied by, and it is not nothing.
    fn is_taken(&self) -> bool {
        !self.by_is_known || (1..=1 << 16).contains(&self.by)
    }

    /// Whether all indices are in bounds, and go up without wrapping.
    fn is_in_bounds(&self, counts: &[u32]) -> bool {
        let lanes = if self.is_uniform { 0..1 } else { 0..LANES };
        let (first, last) = (counts[0], counts[counts.len() - 1]);
        let [first, last] = [first, last].map(|count| count >> self.shift);
        let span = u64::from(self.by) * u64::from(last.wrapping_sub(first));
        lanes.into_iter().all(|lane| {
            let x = self.first.wrapping_add(lane.wrapping_mul(self.stride));
            let index = |count: u32| x.wrapping_add(self.by.wrapping_mul(count));
            u64::from(index(first)) + span == index(last).into() && index(last) < self.length
        })
    }
}

#[test]
fn loops() {
    let mut fast_ones = [0; 2];
    let mut random = Random::new(5);
    for number in 0..600 {
        let case = Case::new(&mut random);
        let counts = case.counts();
        let mut words: Vec<u32> = (0..WORDS).map(|_| random.bits() as u32).collect();
        words.extend([case.start, case.limit, case.length, case.by]);
        let memory = Memory::new(u64::MAX, &words);
        let mut function = case.function();
        pyro_ir::verify::verify(&function).expect("well formed");
        let mut expected = memory.clone();
        let before = mask::run(&function, &mut expected, VISITS).expect("the loop ends");

        assert_eq!(pyro_passes::bounds_check_elim::run(&mut function), case.is_taken(), "{number}: {case:?}");
        pyro_ir::verify::verify(&function).unwrap_or_else(|error| panic!("{case:?}: {error}\n{function}"));
        pyro_passes::branch_fold::run(&mut function);
        let mut result = memory.clone();
        let after = mask::run(&function, &mut result, VISITS).expect("the loop ends");
        assert!(result.output() == expected.output(), "{number}: {case:?}\n{function}");
        // One block an iteration instead of two.
        let is_fast = after + 2 < before;
        let goes_on = counts.len() > 4;
        if goes_on {
            let wanted = case.is_taken() && case.is_in_bounds(&counts) && case.start <= case.limit;
            assert_eq!(is_fast, wanted, "{number}: {case:?}");
            fast_ones[usize::from(is_fast)] += 1;
        }
    }
    assert!(fast_ones.iter().all(|&count| count > 60), "{fast_ones:?}");
}
