//! Regions that are there twice: what comparisons, minima and remainders decide stays the same, where all
//! lanes give one answer and where they do not, with indices that wrap and limits that memory says.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_passes::target::{RareBlocks, interior};
use pyro_passes::{branch_fold, dce, gvn};

const LANES: u32 = 16;
const WORDS: u32 = 256;

struct Maker<'f, 'r> {
    b: Builder<'f>,
    random: &'r mut Random,
    /// What only memory says.
    numbers: Vec<Value>,
    limits: Vec<Value>,
    /// What has been computed for each lane.
    indices: Vec<Value>,
    /// Addresses of the words that are read and written, and each lane's offset.
    base: Value,
    out: Value,
    words: Value,
    stores: i32,
}

impl Maker<'_, '_> {
    fn splat(&mut self, bits: u32) -> Value {
        let constant = self.b.i32(bits);
        self.b.splat(constant)
    }

    fn any_of(&mut self, of: fn(&Self) -> &Vec<Value>) -> Value {
        let at = self.random.below(of(self).len() as u64) as usize;
        of(self)[at]
    }

    fn limit(&mut self) -> Value {
        if self.random.chance(25) {
            let small = self.random.below(6) as u32;
            return self.splat(small.wrapping_sub(1));
        }
        let limit = self.any_of(|maker| &maker.limits);
        let limit = self.b.splat(limit);
        if self.random.chance(30) {
            let less = self.splat(u32::MAX);
            return self.b.op(Opcode::IAdd, &[limit, less]);
        }
        limit
    }

    /// A sum of a lane's number and what all lanes share, or what was made before.
    fn index(&mut self) -> Value {
        use Opcode as O;
        if self.random.chance(40) {
            return self.any_of(|maker| &maker.indices);
        }
        let lane = self.b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
        let mut sum = lane;
        if self.random.chance(30) {
            let three = self.splat(3);
            sum = self.b.op([O::And, O::LShr][self.random.below(2) as usize], &[sum, three]);
        }
        let number = self.any_of(|maker| &maker.numbers);
        let number = self.b.splat(number);
        sum = self.b.op(O::IAdd, &[sum, number]);
        let constant = self.random.below(5) as u32;
        let constant = self.splat(constant.wrapping_sub(2));
        self.b.op(O::IAdd, &[sum, constant])
    }

    /// A clamped or wrapped index.
    fn clamped(&mut self) -> Value {
        use Opcode as O;
        let (index, limit) = (self.index(), self.limit());
        let op = [O::SMin, O::SMax, O::UMin, O::UMax][self.random.below(4) as usize];
        if self.random.chance(50) {
            return self.b.op(op, &[index, limit]);
        }
        let limit = self.any_of(|maker| &maker.limits);
        let divisor = self.b.splat(limit);
        let op = [O::SRem, O::URem, O::UDiv, O::SDiv][self.random.below(4) as usize];
        let mut sum = index;
        let has_sign = op == O::SRem && self.random.chance(50);
        for _ in 0..self.random.below(3) {
            sum = self.b.op(O::IAdd, &[sum, divisor]);
        }
        let rest = self.b.op(op, &[sum, divisor]);
        if !has_sign {
            return rest;
        }
        // With the sign of the divisor.
        let zero = self.splat(0);
        let signs = self.b.op(O::Xor, &[rest, divisor]);
        let differ = self.b.op(O::SLt, &[signs, zero]);
        let is_some = self.b.op(O::INe, &[rest, zero]);
        let moves = self.b.op(O::And, &[differ, is_some]);
        let moved = self.b.op(O::IAdd, &[rest, divisor]);
        self.b.select(moves, moved, rest)
    }

    fn truth(&mut self) -> Value {
        use Opcode as O;
        let mut all = None;
        for _ in 0..1 + self.random.below(3) {
            let (index, limit) = (self.index(), self.limit());
            let ops = [O::IEq, O::INe, O::ULt, O::ULe, O::SLt, O::SLe];
            let op = ops[self.random.below(6) as usize];
            let args = if self.random.chance(30) { [limit, index] } else { [index, limit] };
            let mut one = self.b.op(op, &args);
            if self.random.chance(20) {
                one = self.b.op(O::Not, &[one]);
            }
            all = Some(match all {
                None => one,
                Some(all) => {
                    let op = [O::And, O::Or, O::AndNot, O::Xor][self.random.below(4) as usize];
                    self.b.op(op, &[all, one])
                }
            });
        }
        all.expect("one at least")
    }

    /// Reads at an index, and writes what it makes of that.
    fn access(&mut self, active: Value) {
        use Opcode as O;
        let (mut index, two) = (self.index(), self.splat(2));
        if self.random.chance(50) {
            index = self.clamped();
            self.indices.push(index);
        }
        let most = self.splat(WORDS - 1);
        let place = self.b.op(O::And, &[index, most]);
        let offset = self.b.op(O::Shl, &[place, two]);
        let value = self.b.load(Scalar::I32, MemoryOp::new(Space::Global), self.base, offset, active);
        let mut sum = self.b.op(O::IAdd, &[value, index]);
        if self.random.chance(30) {
            let truth = self.truth();
            sum = self.b.select(truth, sum, value);
        }
        let memory = MemoryOp::new(Space::Global).at(64 * self.stores);
        self.b.store(memory, self.out, self.words, sum, active);
        self.stores += 1;
    }

    /// Some statements, of which some lanes take part.
    fn statements(&mut self, active: Value, depth: u32) {
        use Opcode as O;
        for _ in 0..1 + self.random.below(3) {
            match self.random.below(6) {
                0 | 1 if depth > 0 => {
                    let known = self.indices.len();
                    let truth = self.truth();
                    let inside = self.b.op(O::And, &[active, truth]);
                    let some = self.b.op(O::Any, &[inside]);
                    let (then, behind) = (self.b.function.make_block(), self.b.function.make_block());
                    self.b.branch(some, BlockCall::new(then, &[]), BlockCall::new(behind, &[]));
                    self.b.start(then);
                    self.statements(inside, depth - 1);
                    self.b.jump(behind, &[]);
                    self.b.start(behind);
                    self.indices.truncate(known);
                }
                2 if depth > 0 => {
                    let known = self.indices.len();
                    let header = self.b.function.make_block();
                    let behind = self.b.function.make_block();
                    let count = self.b.function.add_param(header, Type::uniform(Scalar::I32));
                    let zero = self.b.i32(0);
                    self.b.jump(header, &[zero]);
                    self.b.start(header);
                    let (index, splat) = (self.index(), self.b.splat(count));
                    let moved = self.b.op(O::IAdd, &[index, splat]);
                    self.indices.push(moved);
                    self.statements(active, depth - 1);
                    let (one, end) = (self.b.i32(1), self.b.i32(2));
                    let next = self.b.op(O::IAdd, &[count, one]);
                    let goes_on = self.b.op(O::ULt, &[next, end]);
                    self.b.branch(goes_on, BlockCall::new(header, &[next]), BlockCall::new(behind, &[]));
                    self.b.start(behind);
                    self.indices.truncate(known);
                }
                _ => self.access(active),
            }
        }
    }
}

fn program(random: &mut Random) -> Function {
    use Opcode as O;
    let mut function = Function::new("interior", Form::Mask, LANES);
    let entry = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, out, zero, always) = (b.i64(INPUT), b.i64(OUTPUT), b.i32(0), b.bool(true));
    let mut field =
        |word: i32| b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(4 * word), base, zero, always);
    let numbers = (0..2).map(&mut field).collect();
    let limits = (2..4).map(&mut field).collect();
    let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let two = b.i32(2);
    let two = b.splat(two);
    let words = b.op(O::Shl, &[lane, two]);
    let all = b.splat(always);
    let mut maker = Maker { b, random, numbers, limits, indices: vec![lane], base, out, words, stores: 0 };
    let guard = maker.truth();
    let inside = maker.b.op(O::And, &[all, guard]);
    maker.statements(inside, 2);
    maker.statements(all, 1);
    // What was computed in regions is read behind them.
    let mut sum = lane;
    for index in maker.indices.clone() {
        sum = maker.b.op(O::Xor, &[sum, index]);
    }
    maker.b.store(MemoryOp::new(Space::Global).at(0x1000), out, words, sum, all);
    maker.b.terminate(Terminator::Return(0));
    function
}

#[test]
fn regions_give_what_they_gave() {
    let mut twice = 0;
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let mut function = program(&mut random);
        // Mostly inside of the limits; else anything, and numbers around zero and where 31 and 32 bits end.
        let number = |random: &mut Random, usual: u32| match random.below(10) {
            0 => random.bits() as u32,
            1 => 0u32.wrapping_sub(random.below(20) as u32),
            2 => 0x7fff_fff0 + random.below(32) as u32,
            3 => random.below(20) as u32,
            _ => usual + random.below(16) as u32,
        };
        let mut inputs: Vec<u32> = (0..2).map(|_| number(&mut random, 100)).collect();
        inputs.extend((0..2).map(|_| number(&mut random, 200)));
        inputs.extend((4..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9)));
        let mut rewrite = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
            twice += u32::from(interior::run(function, &mut RareBlocks::default()));
        };
        let mut simplify = |function: &mut Function| {
            gvn::run(function);
            branch_fold::run(function);
            dce::run(function);
        };
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut rewrite, &mut simplify];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(twice > 700, "only {twice} programs have regions");
}
