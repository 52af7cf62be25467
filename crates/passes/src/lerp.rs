//! Interpolation whose ends are a difference apart that is exact: `(x - x * a) + y * a` as `x + (y - x) * a`.
//!
//! The first form, two fused multiply-adds, is right whatever the ends are; the second loses where `x` is
//! much larger than `y`, by the rounding of the difference. Without that, where
//! [`Range`](crate::analysis::Range) shows it, the second is rounded once and so the better one; and products
//! share half of a processor's vector units with fused multiply-adds, where differences run beside them.

use crate::analysis::{Ranges, UseCounts};
use pyro_ir::{Function, InstData, Opcode, Scalar, Value};
use smallvec::SmallVec;

/// Runs the pass, in either form. Returns whether anything changed. What is left of the first form stays as
/// dead code.
pub fn run(function: &mut Function) -> bool {
    let mut insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    if !insts.any(|&inst| ends(function, &function.insts[inst]).is_some()) {
        return false;
    }
    let (uses, ranges) = (UseCounts::without_records(function), Ranges::new(function));
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &function.insts[inst];
            let exact = ends(function, data).filter(|&[x, y, _, inner]| {
                uses.count(inner) == 1 && ranges.of(y).minus(ranges.of(x)).is_exact()
            });
            if let Some([x, y, a, _]) = exact {
                let (ty, loc) = (function.ty(x), data.loc);
                let apart = function.make_inst(Opcode::FSub, &[y, x], 0, Some(ty), loc);
                out.push(apart);
                let apart = function.insts[apart].expect_result();
                let data = &mut function.insts[inst];
                data.args = SmallVec::from_slice(&[apart, a, x]);
                data.imm = 0;
                changed = true;
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// `x`, `y`, `a` and the value of `x - x * a` where an operation is `y * a + (-x * a + x)`.
fn ends(function: &Function, data: &InstData) -> Option<[Value; 4]> {
    if data.op != Opcode::FFma || data.imm & InstData::INTERPOLATES == 0 {
        return None;
    }
    let &[first, second, inner] = data.args.as_slice() else { return None };
    let from_x = function.def_inst(inner).filter(|from_x| from_x.op == Opcode::FFma)?;
    let x = from_x.args[2];
    if function.ty(x).scalar != Scalar::F32 {
        return None;
    }
    let is_negative = |value: Value| {
        function.def_inst(value).is_some_and(|data| data.op == Opcode::FNeg && data.args[0] == x)
    };
    let a = match (is_negative(from_x.args[0]), is_negative(from_x.args[1])) {
        (true, _) => from_x.args[1],
        (_, true) => from_x.args[0],
        _ => return None,
    };
    match a {
        a if a == second => Some([x, first, a, inner]),
        a if a == first => Some([x, second, a, inner]),
        _ => None,
    }
}
