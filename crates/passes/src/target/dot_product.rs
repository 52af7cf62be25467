//! Sums of four-byte dot products in the form of VNNI's accumulating instructions.
//!
//! The product of signed (or unsigned) bytes is the difference of two that VNNI has
//! (`library::integer::dot_4x8`), of which the second depends on one factor only. A sum of such products is
//! brought into the form of one difference of two sums,
//!
//! ```text
//! (p1 - q1) + ((p0 - q0) + c)  ─▶  (p1 + (p0 + c)) - (q1 + q0)
//! ```
//!
//! so that each product is one instruction, which adds it to its sum, and nothing is subtracted until the end
//! of the block. Integers wrap, so all of this is exact.

use crate::target::Target;
use pyro_ir::{Form, Function, Inst, Opcode, Scalar, Type, Value};
use pyro_util::SecondaryMap;
use std::collections::HashMap;

/// Changes the sums of a function in mask form, where code for `target` gains by that. Returns whether
/// anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.dot_product || !function.insts.values().any(|data| data.op == Opcode::DotFourBytes) {
        return false;
    }
    let mut mentions = SecondaryMap::<Value, u32>::with_capacity(0, function.values.len());
    for &block in &function.block_order {
        let data = &function.blocks[block];
        for &inst in &data.insts {
            function.insts[inst].args.iter().for_each(|&arg| mentions[arg] += 1);
        }
        data.terminator.for_each_value(|value| mentions[value] += 1);
    }
    let mut changed = false;
    for block in function.block_order.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut sums = Sums { function, listed: Vec::with_capacity(insts.len()), open: HashMap::new() };
        for inst in insts {
            changed |= sums.visit(inst, &mentions);
        }
        let listed = sums.listed;
        function.blocks[block].insts = listed.into_iter().flatten().collect();
    }
    changed
}

/// A difference that its one user may take apart.
struct Difference {
    whole: Value,
    rest: Value,
    /// Where it is in the list.
    place: usize,
}

/// The sums of one block.
struct Sums<'f> {
    function: &'f mut Function,
    /// The block's instructions; none for those that went into another.
    listed: Vec<Option<Inst>>,
    open: HashMap<Value, Difference>,
}

impl Sums<'_> {
    /// Lists an instruction. Returns whether it changed.
    fn visit(&mut self, inst: Inst, mentions: &SecondaryMap<Value, u32>) -> bool {
        let data = &self.function.insts[inst];
        let Some(result) = data.result.expand() else {
            self.listed.push(Some(inst));
            return false;
        };
        if self.function.ty(result) != Type::varying(Scalar::I32) {
            self.listed.push(Some(inst));
            return false;
        }
        let (op, args) = (data.op, data.args.clone());
        let mut changed = false;
        let difference = match op {
            Opcode::ISub => {
                let is_product =
                    self.function.def_inst(args[1]).is_some_and(|data| data.op == Opcode::DotFourBytes);
                is_product.then(|| (args[0], args[1]))
            }
            Opcode::IAdd => {
                let [x, y] = [args[0], args[1]].map(|arg| self.open.remove(&arg).ok_or(arg));
                for taken in [&x, &y].into_iter().flatten() {
                    self.listed[taken.place] = None;
                }
                changed = x.is_ok() || y.is_ok();
                let whole = |part: &Result<Difference, Value>| match part {
                    Ok(difference) => difference.whole,
                    Err(value) => *value,
                };
                let wholes = [whole(&x), whole(&y)];
                let rest = match (&x, &y) {
                    (Ok(x), Ok(y)) => Some(self.sum([x.rest, y.rest], inst)),
                    (Ok(one), Err(_)) | (Err(_), Ok(one)) => Some(one.rest),
                    (Err(_), Err(_)) => None,
                };
                rest.map(|rest| {
                    let whole = self.sum(wholes, inst);
                    let data = &mut self.function.insts[inst];
                    data.op = Opcode::ISub;
                    data.args = [whole, rest].into_iter().collect();
                    (whole, rest)
                })
            }
            _ => None,
        };
        if let Some((whole, rest)) = difference
            && mentions[result] == 1
        {
            self.open.insert(result, Difference { whole, rest, place: self.listed.len() });
        }
        self.listed.push(Some(inst));
        changed
    }

    /// Lists a sum, at the source line of `user`.
    fn sum(&mut self, args: [Value; 2], user: Inst) -> Value {
        let loc = self.function.insts[user].loc;
        let inst = self.function.make_inst(Opcode::IAdd, &args, 0, Some(Type::varying(Scalar::I32)), loc);
        self.listed.push(Some(inst));
        self.function.insts[inst].expect_result()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_ir::{Builder, MemoryOp, Space, Terminator, eval};

    /// Stores sums of signed products of the lane's number and constants, in several orders, and a difference
    /// that is used twice.
    fn sums() -> Function {
        use Opcode as O;
        let mut function = Function::new("sums", Form::Mask, 16);
        let block = function.make_block();
        let b = &mut Builder::new(&mut function);
        b.start(block);
        let (base, always) = (b.arg(0), b.bool(true));
        let (all, lane) = (b.splat(always), b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result"));
        let word = |b: &mut Builder, bits: u32| {
            let word = b.i32(bits);
            b.splat(word)
        };
        let bias = word(b, 0x8080_8080);
        let products: Vec<Value> = (1..8)
            .map(|number| {
                let factor = word(b, 0x0123_4567 * number);
                let other = b.op(O::IMul, &[lane, factor]);
                let biased = b.op(O::Xor, &[other, bias]);
                let (whole, rest) =
                    (b.op(O::DotFourBytes, &[biased, factor]), b.op(O::DotFourBytes, &[bias, other]));
                b.op(O::ISub, &[whole, rest])
            })
            .collect();
        let store = |b: &mut Builder, place: i32, value: Value| {
            b.store(MemoryOp::new(Space::Global).at(64 * place), base, lane, value, all);
        };
        let first = b.op(O::IAdd, &[products[0], lane]);
        let second = b.op(O::IAdd, &[first, products[1]]);
        let third = b.op(O::IAdd, &[products[2], second]);
        store(b, 0, third);
        let both = b.op(O::IAdd, &[products[3], products[4]]);
        let again = b.op(O::IAdd, &[products[5], products[5]]);
        let sum = b.op(O::IAdd, &[both, again]);
        store(b, 1, sum);
        store(b, 2, products[6]);
        b.terminate(Terminator::Return(0));
        function
    }

    /// What is stored for a lane.
    fn stored(function: &Function, lane: u64) -> Vec<u64> {
        let mut values: HashMap<Value, u64> = HashMap::new();
        let mut stored = Vec::new();
        for &inst in &function.blocks[function.entry()].insts {
            let data = &function.insts[inst];
            if data.op == Opcode::Store {
                stored.push(values[&data.args[2]]);
            }
            let Some(result) = data.result.expand() else { continue };
            let args: Vec<u64> = data.args.iter().map(|arg| values[arg]).collect();
            let value = match data.op {
                Opcode::Const => data.imm,
                Opcode::LaneId => lane,
                Opcode::Arg => 0,
                Opcode::Splat => args[0],
                op => eval::pure(op, Scalar::I32, Scalar::I32, &args, 0).expect("integers"),
            };
            values.insert(result, value);
        }
        stored
    }

    #[test]
    fn sums_stay_the_same() {
        let mut function = sums();
        let before: Vec<_> = (0..16).map(|lane| stored(&function, lane)).collect();
        assert!(!run(&mut function, Target::default()));
        assert!(run(&mut function, Target { dot_product: true, ..Target::default() }));
        pyro_ir::verify::verify(&function).expect("well formed");
        let after: Vec<_> = (0..16).map(|lane| stored(&function, lane)).collect();
        assert_eq!(before, after);
        let insts = function.blocks[function.entry()].insts.iter();
        let differences = insts.filter(|&&inst| function.insts[inst].op == Opcode::ISub).count();
        // One for each sum, one that is used twice, and one that is no sum.
        assert_eq!(differences, 4);
    }
}
