//! Accesses at clamped, wrapped and divided indices: what they give stays the same behind the branch.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_passes::target::{RareBlocks, affine_guard};
use pyro_passes::{dce, gvn};

const LANES: u32 = 16;
const WORDS: u32 = 256;

/// Makes a program from a seed: sums of elements at indices that are almost affine.
struct Maker<'f, 'r> {
    b: Builder<'f>,
    random: &'r mut Random,
    /// What all lanes share and only memory says.
    uniforms: Vec<Value>,
}

impl Maker<'_, '_> {
    fn splat(&mut self, bits: u32) -> Value {
        let constant = self.b.i32(bits);
        self.b.splat(constant)
    }

    fn number(&mut self, below: u64) -> Value {
        let bits = self.random.below(below) as u32;
        self.splat(bits)
    }

    /// Something that is the same in all lanes.
    fn shared(&mut self) -> Value {
        if self.random.chance(40) {
            return self.number(64);
        }
        let at = self.random.below(self.uniforms.len() as u64) as usize;
        self.b.splat(self.uniforms[at])
    }

    /// A sum over lane numbers.
    fn affine(&mut self) -> Value {
        let mut lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
        match self.random.below(5) {
            0 => {
                let three = self.splat(3);
                lane = self.b.op(Opcode::And, &[lane, three]);
            }
            1 => {
                let two = self.splat(2);
                lane = self.b.op(Opcode::LShr, &[lane, two]);
            }
            2 => {
                let eight = self.splat(8);
                lane = self.b.op(Opcode::IMul, &[lane, eight]);
            }
            _ => {}
        }
        let shared = self.shared();
        let (sum, minus) = (self.b.op(Opcode::IAdd, &[lane, shared]), self.number(5));
        self.b.op(Opcode::ISub, &[sum, minus])
    }

    /// A multiple of the lane's number, or nothing, and multiples of powers of two that only memory says.
    fn blocks(&mut self, lanes: u64) -> Value {
        use Opcode as O;
        let lane = self.b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
        let factor = self.number(lanes + 1);
        let number = self.b.op(O::IMul, &[lane, factor]);
        let (at, count) = (self.random.below(self.uniforms.len() as u64), self.random.below(7) as u32);
        let (shared, count) = (self.b.splat(self.uniforms[at as usize]), self.splat(count));
        let shared = self.b.op(O::Shl, &[shared, count]);
        self.b.op(O::IAdd, &[number, shared])
    }

    /// An index that may be clamped.
    fn index(&mut self) -> Value {
        use Opcode as O;
        let x = self.affine();
        match self.random.below(12) {
            0 => {
                let (low, high) = (self.number(4), self.shared());
                let x = self.b.op(O::SMax, &[x, low]);
                self.b.op(O::SMin, &[x, high])
            }
            1 => {
                let high = self.shared();
                self.b.op(O::UMin, &[high, x])
            }
            2 => {
                let mask = self.splat(63);
                self.b.op(O::And, &[x, mask])
            }
            3 => {
                let (op, width) = ([O::URem, O::SRem][self.random.below(2) as usize], self.shared());
                self.b.op(op, &[x, width])
            }
            4 => {
                let (op, width) = ([O::UDiv, O::SDiv][self.random.below(2) as usize], self.shared());
                self.b.op(op, &[x, width])
            }
            5 => {
                let (zero, other) = (self.splat(0), self.shared());
                let below = self.b.op(O::SLt, &[x, zero]);
                self.b.select(below, other, x)
            }
            6 => {
                let (zero, width) = (self.splat(0), self.shared());
                let (below, wrapped) = (self.b.op(O::SLt, &[x, zero]), self.b.op(O::IAdd, &[x, width]));
                self.b.select(below, wrapped, x)
            }
            7 | 8 => {
                let (op, by) =
                    [(O::LShr, 1 + self.random.below(5)), (O::And, (2 << self.random.below(5)) - 1)]
                        [self.random.below(2) as usize];
                let by = self.splat(by as u32);
                self.b.op(op, &[x, by])
            }
            // A place in a block of a block, of numbers that begin at a multiple of a power of two mostly.
            9 | 10 => {
                let mut value = self.blocks(3);
                for _ in 0..1 + self.random.below(2) {
                    let by = self.random.below(3) as u32;
                    value = match self.random.below(3) {
                        0 => {
                            let (mask, factor) = (self.splat((1 << by) - 1), self.splat(4));
                            let remainder = self.b.op(O::And, &[value, mask]);
                            let product = self.b.op(O::IMul, &[remainder, factor]);
                            let x = self.affine();
                            self.b.op(O::IAdd, &[product, x])
                        }
                        1 => {
                            let (count, mask) = (self.splat(by), self.splat((1 << by) - 1));
                            let quotient = self.b.op(O::LShr, &[value, count]);
                            let remainder = self.b.op(O::And, &[value, mask]);
                            self.b.op(O::IAdd, &[quotient, remainder])
                        }
                        _ => {
                            let count = self.splat(by);
                            self.b.op(O::LShr, &[value, count])
                        }
                    };
                    let blocks = self.blocks(1);
                    value = self.b.op(O::IAdd, &[value, blocks]);
                }
                let mask = self.splat(31);
                self.b.op(O::And, &[value, mask])
            }
            _ => x,
        }
    }
}

fn program(random: &mut Random) -> Function {
    use Opcode as O;
    let mut function = Function::new("guard", Form::Mask, LANES);
    let (entry, behind) = (function.make_block(), function.make_block());
    let carried = function.add_param(behind, Type::varying(Scalar::I32));
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (base, out, zero, always) = (b.i64(INPUT), b.i64(OUTPUT), b.i32(0), b.bool(true));
    let uniforms = (0..4)
        .map(|word| b.load(Scalar::I32, MemoryOp::new(Space::Constant).at(4 * word), base, zero, always))
        .collect();
    let mut maker = Maker { b, random, uniforms };
    let always = maker.b.splat(always);
    let two = maker.splat(2);
    let lane = maker.b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
    let words = maker.b.op(O::Shl, &[lane, two]);
    let mut sum = lane;
    for number in 0..2 + maker.random.below(5) {
        let (x, y) = (maker.index(), maker.index());
        let factor = maker.shared();
        let y = maker.b.op(O::IMul, &[y, factor]);
        let mut index = maker.b.op(O::IAdd, &[x, y]);
        if maker.random.chance(15) {
            index = maker.b.op(O::IAdd, &[index, sum]);
        }
        let limit = maker.splat(WORDS);
        let inside = maker.b.op(O::ULt, &[index, limit]);
        let offset = maker.b.op(O::Shl, &[index, two]);
        let value = maker.b.load(Scalar::I32, MemoryOp::new(Space::Global), base, offset, inside);
        sum = maker.b.op(O::IAdd, &[sum, value]);
        if maker.random.chance(30) {
            let memory = MemoryOp::new(Space::Global).at(64 * number);
            maker.b.store(memory, out, words, sum, always);
        }
        if maker.random.chance(20) {
            let limit = maker.splat(64);
            let inside = maker.b.op(O::ULt, &[index, limit]);
            let memory = MemoryOp::new(Space::Global).at(0x400);
            maker.b.store(memory, out, offset, sum, inside);
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
fn guarded_accesses_give_what_they_gave() {
    let mut guarded = 0;
    for seed in 0..900 {
        let mut random = Random::new(seed);
        let mut function = program(&mut random);
        let shared = (0..4).map(|_| random.below(40) as u32);
        let inputs: Vec<u32> = shared.chain((4..WORDS).map(|word| word.wrapping_mul(0x9e37_79b9))).collect();
        let simplify = |function: &mut Function| {
            gvn::run(function);
            dce::run(function);
        };
        let mut rewrite = |function: &mut Function| {
            simplify(function);
            guarded += u32::from(affine_guard::run(function, &RareBlocks::default()));
        };
        let steps: &mut [&mut dyn FnMut(&mut Function)] = &mut [&mut rewrite, &mut { simplify }];
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, steps);
    }
    assert!(guarded > 400, "only {guarded} programs have guarded accesses");
}
