//! Fused operations whose product is exact become a product and a sum, for processors that have no fused
//! instruction.
//!
//! ```text
//! d = ffma a, b, c      ─▶      p = fmul a, b
//!                               d = fadd p, c
//! ```
//!
//! Both round once, then. Components of texels are integers of few bits, and so may be what they are
//! multiplied by: see `pyro_library`'s normalized components.

use crate::analysis::range::Ranges;
use crate::target::Target;
use pyro_ir::{Form, Function, Opcode, Scalar};

/// Runs the pass, where code for `target` gains by it. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let is_fused = |function: &Function, inst| {
        let data = &function.insts[inst];
        data.op == Opcode::FFma && function.ty(data.args[0]).scalar == Scalar::F32
    };
    let all = |function: &Function| {
        let blocks = function.block_order.iter();
        blocks.flat_map(|&block| &function.blocks[block].insts).any(|&inst| is_fused(function, inst))
    };
    if target.fuses || !all(function) {
        return false;
    }
    let ranges = Ranges::new(function);
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if is_fused(function, inst) {
                let data = &function.insts[inst];
                let (a, b, c, loc) = (data.args[0], data.args[1], data.args[2], data.loc);
                if ranges.of(a).times(ranges.of(b)).is_exact() {
                    let ty = function.ty(a);
                    let product = function.make_inst(Opcode::FMul, &[a, b], 0, Some(ty), loc);
                    out.push(product);
                    let product = function.insts[product].expect_result();
                    let data = &mut function.insts[inst];
                    (data.op, data.imm) = (Opcode::FAdd, 0);
                    data.args = smallvec::SmallVec::from_slice(&[product, c]);
                    changed = true;
                }
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    changed
}
