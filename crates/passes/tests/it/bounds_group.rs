//! Bounds checks that become one: what accesses give stays the same, in bounds and out of bounds, with
//! indices that wrap and factors that memory says.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_passes::target::{RareBlocks, bounds_group};
use pyro_passes::{dce, gvn};

const LANES: u32 = 16;
const WORDS: u32 = 256;

struct Maker<'f, 'r> {
    b: Builder<'f>,
    random: &'r mut Random,
    /// What only memory says: numbers, and then counts.
    numbers: Vec<Value>,
    counts: Vec<Value>,
}

impl Maker<'_, '_> {
    fn splat(&mut self, bits: u32) -> Value {
        let constant = self.b.i32(bits);
        self.b.splat(constant)
    }

    fn number(&mut self) -> Value {
        let at = self.random.below(self.numbers.len() as u64) as usize;
        self.b.splat(self.numbers[at])
    }

    /// A sum of lane numbers, numbers and constants, each with a factor.
    fn index(&mut self) -> Value {
        use Opcode as O;
        let mut sum = self.b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
        if self.random.chance(30) {
            let three = self.splat(3);
            sum = self.b.op([O::And, O::LShr][self.random.below(2) as usize], &[sum, three]);
        }
        if self.random.chance(30) {
            let factor = self.number();
            sum = self.b.op(O::IMul, &[sum, factor]);
        }
        for _ in 0..self.random.below(3) {
            let (number, factor) = (self.number(), self.random.below(9) as u32);
            let factor = self.splat(factor.wrapping_sub(3));
            let product = self.b.op(O::IMul, &[number, factor]);
            sum = self.b.op(O::IAdd, &[sum, product]);
        }
        let constant = self.random.below(40) as u32;
        let constant = self.splat(constant.wrapping_sub(4));
        let mut index = self.b.op(O::IAdd, &[sum, constant]);
        if self.random.chance(30) {
            let count = self.random.below(3) as u32 + 1;
            let count = self.splat(count);
            index = self.b.op(O::LShr, &[index, count]);
            let added = self.random.below(4) as u32;
            let added = self.splat(added.wrapping_sub(1));
            index = self.b.op(O::IAdd, &[index, added]);
        }
        index
    }
}

fn program(random: &mut Random) -> Function {
    use Opcode as O;
    let mut function = Function::new("group", Form::Mask, LANES);
    let (entry, behind) = (function.make_block(), function.make_block());
    let carried = function.add_param(behind, Type::varying(Scalar::I32));
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, out, zero, always) = (b.i64(INPUT), b.i64(OUTPUT), b.i32(0), b.bool(true));
    let mut field =
        |word: i32| b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(4 * word), base, zero, always);
    let numbers = (0..3).map(&mut field).collect();
    let counts = (3..5).map(&mut field).collect();
    let mut maker = Maker { b, random, numbers, counts };
    let always = maker.b.splat(always);
    let two = maker.splat(2);
    let lane = maker.b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let words = maker.b.op(O::Shl, &[lane, two]);
    let mut sum = lane;
    for number in 0..6 + maker.random.below(8) {
        let index = maker.index();
        let at = maker.random.below(2) as usize;
        let count = maker.b.splat(maker.counts[at]);
        let mut inside = maker.b.op(O::ULt, &[index, count]);
        if maker.random.chance(25) {
            let other = maker.b.op(O::ULt, &[sum, count]);
            inside = maker.b.op(O::And, &[inside, other]);
        }
        let offset = maker.b.op(O::Shl, &[index, two]);
        let value = maker.b.load(Scalar::I32, MemoryOp::new(Space::Global), base, offset, inside);
        sum = maker.b.op(O::IAdd, &[sum, value]);
        if maker.random.chance(20) {
            let memory = MemoryOp::new(Space::Global).at(64 * number);
            maker.b.store(memory, out, words, sum, inside);
        }
        if maker.random.chance(20) {
            let bits = maker.b.select(inside, sum, lane);
            sum = maker.b.op(O::Xor, &[sum, bits]);
        }
    }
    let mut b = maker.b;
    b.jump(behind, &[sum]);
    b.start(behind);
    b.store(MemoryOp::new(Space::Global).at(0x1000), out, words, carried, always);
    b.store(MemoryOp::new(Space::Global).at(0x1040), out, words, sum, always);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn grouped_checks_give_what_they_gave() {
    let mut grouped = 0;
    for seed in 0..800 {
        let mut random = Random::new(seed);
        let mut function = program(&mut random);
        // Mostly small, so that all is in bounds; else anything, and numbers around zero.
        let number = |random: &mut Random| match random.below(8) {
            0 => random.bits() as u32,
            1 => 0u32.wrapping_sub(random.below(4) as u32),
            2 => 0x7fff_fff0 + random.below(32) as u32,
            _ => random.below(8) as u32,
        };
        let numbers: Vec<u32> = (0..3).map(|_| number(&mut random)).collect();
        let counts = (0..2).map(|_| WORDS - random.below(if seed % 2 == 0 { 2 } else { 200 }) as u32);
        let inputs: Vec<u32> = numbers.into_iter().chain(counts).collect();
        let rest = (inputs.len() as u32..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9));
        let inputs: Vec<u32> = inputs.iter().copied().chain(rest).collect();
        let simplify = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let mut rewrite = |function: &mut Function| {
            simplify(function);
            grouped += u32::from(bounds_group::run(function, &RareBlocks::default()));
        };
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut rewrite, &mut { simplify }];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(grouped > 350, "only {grouped} programs have groups");
}
