//! Fuses a product with the sum that is its only use: `a * b + c` rounded once.
//!
//! Vulkan allows it unless an operation is decorated `NoContraction`, which is the immediate 1 of
//! [`Opcode::FMul`], [`Opcode::FAdd`] and [`Opcode::FSub`]. Both executors run the same IR, so results stay
//! equal between them. For 32 and 64 bits, where the processor has the instruction; a subtraction negates an
//! operand, which code generation folds into the instruction.

use crate::analysis::UseCounts;
use pyro_ir::{Function, Opcode, Scalar, Value};

/// Runs the pass, in either form. Returns whether anything changed. The products stay as dead code.
pub fn run(function: &mut Function) -> bool {
    let uses = UseCounts::without_records(function);
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &function.insts[inst];
            let (op, loc) = (data.op, data.loc);
            if !matches!(op, Opcode::FAdd | Opcode::FSub) || data.imm != 0 {
                out.push(inst);
                continue;
            }
            let (x, y) = (data.args[0], data.args[1]);
            let ty = function.ty(x);
            let product = |value: Value| {
                let data = function.def_inst(value)?;
                let fits = data.op == Opcode::FMul && data.imm == 0 && uses.count(value) == 1;
                fits.then(|| (data.args[0], data.args[1]))
            };
            let (first, second) = (product(x), product(y));
            if !matches!(ty.scalar, Scalar::F32 | Scalar::F64) || (first.is_none() && second.is_none()) {
                out.push(inst);
                continue;
            }
            let mut negate = |function: &mut Function, value: Value| {
                let inst = function.make_inst(Opcode::FNeg, &[value], 0, Some(ty), loc);
                out.push(inst);
                function.insts[inst].expect_result()
            };
            let args = match (op, first, second) {
                (Opcode::FAdd, Some((a, b)), _) => [a, b, y],
                (Opcode::FAdd, None, Some((a, b))) => [a, b, x],
                (_, Some((a, b)), _) => [a, b, negate(function, y)],
                (_, None, Some((a, b))) => [negate(function, a), b, x],
                (_, None, None) => unreachable!("one of them is a product"),
            };
            let data = &mut function.insts[inst];
            data.op = Opcode::FFma;
            data.args = smallvec::SmallVec::from_slice(&args);
            out.push(inst);
            changed = true;
        }
        function.blocks[block].insts = out;
    }
    changed
}
