//! Loops whose counters go up, down and by shifts, with indices, comparisons and masks of them: what they
//! give stays the same when ranges decide.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_passes::{dce, gvn, range_fold};

const LANES: u32 = 16;
const WORDS: u32 = 64;

struct Maker<'f, 'r> {
    b: Builder<'f>,
    random: &'r mut Random,
    /// Numbers of all lanes and of each.
    uniform: Vec<Value>,
    varying: Vec<Value>,
    masks: Vec<Value>,
    sum: Value,
}

impl Maker<'_, '_> {
    fn pick(&mut self, from: &[Value]) -> Value {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn constant(&mut self) -> u32 {
        let odd = [0, 1, 31, 0x7fff_ffff, 0x8000_0000, u32::MAX, u32::MAX - 7];
        match self.random.chance(20) {
            true => odd[self.random.below(odd.len() as u64) as usize],
            false => self.random.below(70) as u32,
        }
    }

    fn operand(&mut self, is_varying: bool) -> Value {
        let all = if is_varying { self.varying.clone() } else { self.uniform.clone() };
        if self.random.chance(35) {
            let constant = self.constant();
            let constant = self.b.i32(constant);
            return if is_varying { self.b.splat(constant) } else { constant };
        }
        // Late ones more often.
        let from = if self.random.chance(50) { all.len().saturating_sub(4) } else { 0 };
        self.pick(&all[from..])
    }

    fn number(&mut self, is_varying: bool) {
        use Opcode as O;
        const OPS: [O; 20] = [
            O::IAdd,
            O::IAdd,
            O::IAdd,
            O::ISub,
            O::IMul,
            O::UMin,
            O::UMax,
            O::SMin,
            O::SMax,
            O::And,
            O::Or,
            O::Xor,
            O::Shl,
            O::LShr,
            O::AShr,
            O::UDiv,
            O::SDiv,
            O::URem,
            O::SRem,
            O::SMulHigh,
        ];
        let op = OPS[self.random.below(20) as usize];
        let (a, b) = (self.operand(is_varying), self.operand(is_varying));
        let number = self.b.op(op, &[a, b]);
        if is_varying { &mut self.varying } else { &mut self.uniform }.push(number);
    }

    fn comparison(&mut self, is_varying: bool) -> Value {
        use Opcode as O;
        let ops = [O::ULt, O::ULe, O::SLt, O::SLe, O::IEq, O::INe];
        let op = ops[self.random.below(6) as usize];
        let (a, b) = (self.operand(is_varying), self.operand(is_varying));
        self.b.op(op, &[a, b])
    }

    /// Adds what was found to the sum.
    fn statement(&mut self) {
        match self.random.below(8) {
            0 | 1 => self.number(false),
            2 | 3 => self.number(true),
            4 => {
                let uniform = self.operand(false);
                let all = self.b.splat(uniform);
                self.varying.push(all);
            }
            5 => {
                let mut mask = self.comparison(true);
                if self.random.chance(70) {
                    let masks = self.masks.clone();
                    let other = self.pick(&masks);
                    mask = self.b.op(Opcode::And, &[mask, other]);
                }
                self.masks.push(mask);
            }
            6 => {
                let (mask, value) = (*self.masks.last().expect("some"), self.operand(true));
                let none = self.b.i32(0);
                let none = self.b.splat(none);
                let chosen = self.b.select(mask, value, none);
                self.sum = self.b.op(Opcode::IAdd, &[self.sum, chosen]);
            }
            _ => {
                // A check of an index, and an access.
                let index = self.operand(true);
                let (limit, two) = (self.b.i32(WORDS), self.b.i32(2));
                let (limit, two) = (self.b.splat(limit), self.b.splat(two));
                let mut inside = self.b.op(Opcode::ULt, &[index, limit]);
                if self.random.chance(50) {
                    let masks = self.masks.clone();
                    let other = self.pick(&masks);
                    inside = self.b.op(Opcode::And, &[inside, other]);
                }
                let offset = self.b.op(Opcode::Shl, &[index, two]);
                let base = self.b.i64(INPUT);
                let value = self.b.load(Scalar::I32, MemoryOp::new(Space::Global), base, offset, inside);
                self.sum = self.b.op(Opcode::IAdd, &[self.sum, value]);
            }
        }
    }

    fn statements(&mut self) {
        for _ in 0..2 + self.random.below(8) {
            self.statement();
        }
    }

    /// A loop that ends after at most so many iterations, whatever its counter does.
    fn iteration(&mut self, depth: u32) {
        let number = Type::uniform(Scalar::I32);
        let [header, body, exit] = [(); 3].map(|()| self.b.function.make_block());
        let counter = self.b.function.add_param(header, number);
        let left = self.b.function.add_param(header, number);
        let sum = self.b.function.add_param(header, Type::varying(Scalar::I32));
        let start = self.operand(false);
        let count = self.random.below(10) as u32;
        let count = self.b.i32(count);
        self.b.jump(header, &[start, count, self.sum]);
        self.b.start(header);
        self.sum = sum;
        let (known, known_lanes, masks) = (self.uniform.len(), self.varying.len(), self.masks.len());
        self.uniform.extend([counter, left]);
        let zero = self.b.i32(0);
        let ends = self.b.op(Opcode::IEq, &[left, zero]);
        let limit = self.operand(false);
        let ops = [Opcode::ULt, Opcode::ULe, Opcode::SLt, Opcode::SLe, Opcode::INe];
        let op = ops[self.random.below(5) as usize];
        let args = if self.random.chance(70) { [counter, limit] } else { [limit, counter] };
        let mut goes_on = self.b.op(op, &args);
        if self.random.chance(20) {
            goes_on = self.b.op(Opcode::Not, &[goes_on]);
        }
        let goes_on = self.b.op(Opcode::AndNot, &[goes_on, ends]);
        let (on, out) = (BlockCall::new(body, &[]), BlockCall::new(exit, &[]));
        self.b.branch(goes_on, on, out);
        self.b.start(body);
        self.statements();
        if depth > 0 && self.random.chance(60) {
            self.iteration(depth - 1);
            self.statements();
        }
        let one = self.b.i32(1);
        let left = self.b.op(Opcode::ISub, &[left, one]);
        let step = 1 << self.random.below(4);
        let (step, shift) = (self.b.i32(step), self.b.i32(1));
        let next = match self.random.below(5) {
            0 => self.b.op(Opcode::ISub, &[counter, step]),
            1 => self.b.op(Opcode::LShr, &[counter, shift]),
            2 => self.b.op(Opcode::Shl, &[counter, shift]),
            _ => self.b.op(Opcode::IAdd, &[counter, step]),
        };
        self.b.jump(header, &[next, left, self.sum]);
        self.b.start(exit);
        self.sum = sum;
        self.uniform.truncate(known + 2);
        self.varying.truncate(known_lanes);
        self.masks.truncate(masks);
    }
}

fn program(random: &mut Random) -> Function {
    let mut function = Function::new("ranges", Form::Mask, LANES);
    let entry = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, zero, always) = (b.i64(INPUT), b.i32(0), b.bool(true));
    let memory = MemoryOp::new(Space::Constant);
    let uniform: Vec<Value> =
        (0..3).map(|word| b.load(Scalar::I32, memory.at(4 * word), base, zero, always)).collect();
    let lane = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
    let all = b.splat(always);
    let masks = vec![all];
    let mut maker = Maker { b, random, uniform, varying: vec![lane], masks, sum: lane };
    maker.statements();
    for _ in 0..1 + maker.random.below(2) {
        maker.iteration(1);
    }
    maker.statements();
    let (mut b, sum) = (maker.b, maker.sum);
    let (out, two) = (b.i64(OUTPUT), b.i32(2));
    let two = b.splat(two);
    let offset = b.op(Opcode::Shl, &[lane, two]);
    b.store(MemoryOp::new(Space::Global), out, offset, sum, all);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn what_ranges_decide_is_what_was_computed() {
    let mut folded = 0;
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut function = program(&mut random);
        let limits = (0..3).map(|_| if random.chance(80) { random.below(40) } else { random.bits() } as u32);
        let inputs: Vec<u32> = limits.chain((3..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9))).collect();
        let simplify = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let mut rewrite = |function: &mut Function| {
            simplify(function);
            folded += u32::from(range_fold::run(function));
        };
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut rewrite, &mut { simplify }];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(folded > 1500, "ranges decided something in {folded} programs only");
}
