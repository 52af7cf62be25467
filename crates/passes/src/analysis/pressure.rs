//! How many vector registers the values of a function in mask form take at once.
//!
//! An estimate before selection: what selection does not compute (constants, which are memory operands, and
//! offsets, which are mostly known patterns of the lanes) counts nothing, an operand of the last operation
//! that reads it gives its registers to the result. Masks have registers of their own.

use super::cfg::Cfg;
use pyro_ir::{Form, Function, Inst, Opcode, Scalar, Value};
use pyro_util::SecondaryMap;

/// Bytes of a vector register.
const REGISTER_BYTES: u32 = 64;

/// Which values count, densely.
struct Counted {
    index: SecondaryMap<Value, u32>,
    registers: Vec<u32>,
}

const NOT: u32 = u32::MAX;

/// Whether more than `limit` vector registers of 512 bits live at one place.
pub fn exceeds(function: &Function, limit: u32) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let counted = Counted::new(function);
    let words = counted.registers.len().div_ceil(64);
    if words == 0 {
        return false;
    }
    let cfg = Cfg::new(function);
    let count = function.block_order.len();
    // Live at the start of each block, by its place in the order, without parameters.
    let mut live_in = vec![0u64; count * words];
    let mut live = vec![0u64; words];
    loop {
        // What lives around a loop is known once its beginning has been met.
        let (mut changed, mut goes_back) = (false, false);
        for (place, &block) in function.block_order.iter().enumerate().rev() {
            let data = &function.blocks[block];
            live.fill(0);
            for target in data.terminator.targets() {
                let to = cfg.position(target.block) as usize;
                goes_back |= to <= place;
                let start = to * words;
                live.iter_mut().zip(&live_in[start..start + words]).for_each(|(live, more)| *live |= more);
            }
            let mut scan = Scan { function, counted: &counted, live: &mut live, now: 0 };
            scan.now = scan.count();
            data.terminator.for_each_value(|value| scan.reads(value));
            for &inst in data.insts.iter().rev() {
                if scan.now > limit {
                    return true;
                }
                scan.inst(inst);
            }
            data.params.iter().for_each(|&param| scan.defines(param));
            let before = &mut live_in[place * words..(place + 1) * words];
            if before != &live[..] {
                before.copy_from_slice(&live);
                changed = true;
            }
        }
        if !changed || !goes_back {
            return false;
        }
    }
}

/// The values that live at a place, which goes backwards.
struct Scan<'a> {
    function: &'a Function,
    counted: &'a Counted,
    live: &'a mut [u64],
    /// Registers of them all.
    now: u32,
}

impl Scan<'_> {
    fn count(&self) -> u32 {
        let all = self.counted.registers.iter().enumerate();
        all.filter(|&(index, _)| self.live[index / 64] >> (index % 64) & 1 != 0)
            .map(|(_, &count)| count)
            .sum()
    }

    fn reads(&mut self, value: Value) {
        let index = self.counted.index[value];
        if index != NOT {
            let (word, bit) = (index as usize / 64, 1 << (index % 64));
            if self.live[word] & bit == 0 {
                self.live[word] |= bit;
                self.now += self.counted.registers[index as usize];
            }
        }
    }

    fn defines(&mut self, value: Value) {
        let index = self.counted.index[value];
        if index != NOT {
            let (word, bit) = (index as usize / 64, 1 << (index % 64));
            if self.live[word] & bit != 0 {
                self.live[word] &= !bit;
                self.now -= self.counted.registers[index as usize];
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        if let Some(result) = data.result.expand() {
            self.defines(result);
        }
        data.args.iter().for_each(|&arg| self.reads(arg));
    }
}

impl Counted {
    fn new(function: &Function) -> Counted {
        // Backwards: a value is a place when all who read it make places of it.
        let mut needed = SecondaryMap::<Value, bool>::with_capacity(false, function.values.len());
        for &block in function.block_order.iter().rev() {
            let data = &function.blocks[block];
            data.terminator.for_each_value(|value| needed[value] = true);
            for &inst in data.insts.iter().rev() {
                let data = &function.insts[inst];
                let makes_place = data.result.expand().is_some_and(|result| {
                    function.ty(result).scalar == Scalar::I32
                        && !needed[result]
                        && matches!(
                            data.op,
                            Opcode::IAdd
                                | Opcode::ISub
                                | Opcode::Shl
                                | Opcode::IMul
                                | Opcode::And
                                | Opcode::LShr
                                | Opcode::Or
                        )
                });
                for (position, &arg) in data.args.iter().enumerate() {
                    let is_offset = data.op.is_memory() && position == 1;
                    if !is_offset && !makes_place {
                        needed[arg] = true;
                    }
                }
            }
        }
        let mut counted =
            Counted { index: SecondaryMap::with_capacity(NOT, function.values.len()), registers: Vec::new() };
        let mut add = |value: Value| {
            let ty = function.ty(value);
            let is_constant = function.def_inst(value).is_some_and(|data| match data.op {
                Opcode::Splat => function.const_bits(data.args[0]).is_some(),
                op => op == Opcode::LaneId,
            });
            if ty.is_varying() && ty.scalar != Scalar::I1 && needed[value] && !is_constant {
                counted.index[value] = counted.registers.len() as u32;
                counted.registers.push((function.lanes * ty.scalar.bytes()).div_ceil(REGISTER_BYTES));
            }
        };
        for &block in &function.block_order {
            let data = &function.blocks[block];
            data.params.iter().for_each(|&param| add(param));
            data.insts.iter().filter_map(|&inst| function.insts[inst].result.expand()).for_each(&mut add);
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_ir::{BlockCall, Builder, MemoryOp, Space, Terminator, Type};

    /// As many loads as `count`, added in the order in which they come; with `carried` values around a loop
    /// over all that.
    fn sums(lanes: u32, count: i32, carried: usize) -> Function {
        let mut function = Function::new("sums", Form::Mask, lanes);
        let [entry, body, exit] = [(); 3].map(|()| function.make_block());
        let params: Vec<Value> =
            (0..carried).map(|_| function.add_param(body, Type::varying(Scalar::I32))).collect();
        let b = &mut Builder::new(&mut function);
        b.start(entry);
        let (base, always) = (b.arg(0), b.bool(true));
        let (all, lane) = (b.splat(always), b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result"));
        let (four, memory) = (b.i32(2), MemoryOp::new(Space::Global));
        let four = b.splat(four);
        let offset = b.op(Opcode::Shl, &[lane, four]);
        let first = b.load(Scalar::I32, memory, base, offset, all);
        b.jump(body, &vec![first; carried]);
        b.start(body);
        let loaded: Vec<Value> =
            (0..count).map(|place| b.load(Scalar::I32, memory.at(place * 256), base, offset, all)).collect();
        let sum = loaded[1..].iter().fold(loaded[0], |sum, &term| b.op(Opcode::IAdd, &[sum, term]));
        b.store(memory, base, offset, sum, all);
        let word = b.i32(7);
        let again = b.op(Opcode::IEq, &[word, word]);
        b.branch(again, BlockCall::new(body, &params), BlockCall::new(exit, &[]));
        b.start(exit);
        b.terminate(Terminator::Return(0));
        function
    }

    /// The number by which [`exceeds`] changes.
    fn most(function: &Function) -> u32 {
        (0..1000).find(|&limit| !exceeds(function, limit)).expect("there is an end")
    }

    #[test]
    fn values_that_live_at_once_are_counted() {
        assert_eq!(most(&sums(16, 10, 0)), 10);
        assert_eq!(most(&sums(64, 10, 0)), 40);
        // What goes round the loop lives all through it.
        assert_eq!(most(&sums(16, 10, 3)), 13);
        assert_eq!(most(&sums(32, 1, 5)), 12);
    }
}
