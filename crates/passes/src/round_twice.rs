//! Makes products and sums of fused operations that may be rounded twice, where a processor has no fused
//! instruction and the user wants its speed rather than the bits of other processors.
//!
//! ```text
//! d = fma a, b, c imm=2     ─▶      p = fmul.nocontract a, b
//!                                   d = fadd.nocontract p, c
//! ```
//!
//! It is the first of all passes, so that every executor, every copy of an operation and what is folded when
//! code is made agree. Halves stay: their product would have to be rounded to half by itself.

use pyro_ir::{Function, InstData, Opcode, Scalar, Value};
use smallvec::SmallVec;

/// The immediate of an operation that may not be fused.
const NO_CONTRACTION: u64 = 1;

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &function.insts[inst];
            let ty = data.args.first().map(|&arg| function.ty(arg));
            let is_split = data.op == Opcode::FFma
                && data.imm & InstData::MAY_ROUND_TWICE != 0
                && ty.is_some_and(|ty| ty.scalar != Scalar::F16);
            if is_split {
                let (a, b, c, loc) = (data.args[0], data.args[1], data.args[2], data.loc);
                let (a, a_negative) = magnitude(function, a);
                let (b, b_negative) = magnitude(function, b);
                let product = function.make_inst(Opcode::FMul, &[a, b], NO_CONTRACTION, ty, loc);
                out.push(product);
                let product = function.insts[product].expect_result();
                let (addend, is_subtracted) = magnitude(function, c);
                let (op, args) = match (a_negative != b_negative, is_subtracted) {
                    (true, _) => (Opcode::FSub, [c, product]),
                    (false, true) => (Opcode::FSub, [product, addend]),
                    (false, false) => (Opcode::FAdd, [product, c]),
                };
                let data = &mut function.insts[inst];
                (data.op, data.imm) = (op, NO_CONTRACTION);
                data.args = SmallVec::from_slice(&args);
                changed = true;
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// A value without the negation that makes it, and whether there is one.
fn magnitude(function: &Function, value: Value) -> (Value, bool) {
    match function.def_inst(value) {
        Some(data) if data.op == Opcode::FNeg => (data.args[0], true),
        _ => (value, false),
    }
}
