//! Quotients by constants that are products with a reciprocal in two parts become products in double, for
//! processors that have no fused instruction.
//!
//! ```text
//! r = fmul x, low       ─▶      d = fconvert x
//! q = ffma x, high, r           p = fmul d, 1/n
//!                               q = fconvert p
//! ```
//!
//! That of double is the correctly rounded quotient by any integer `n` below 2^24: it is half-way between two
//! singles nowhere, and at least 2^-25 units in the last place away from there, and two roundings to double
//! are wrong by less than 2^-28 units. So is what is replaced by the [`DIVISORS`], for all numbers that are
//! not so small that their product with the lower part is a denormal: a test tries all of them.

use crate::analysis::range::Ranges;
use crate::target::Target;
use pyro_ir::{Form, Function, InstData, Opcode, Scalar, Type, Value};

/// The divisors of texels' components whose products are not exact: 16 bits with and without a sign, and
/// linear filters of bytes.
const DIVISORS: [u32; 3] = [0x7fff, 0xffff, 255 * 255 * 255];

/// Numbers are zero or no less than two to this power: the lower parts are no less than two to -68.
const STEP_MIN: i32 = -50;

/// The parts of a divisor's reciprocal: `pyro_library` makes them so.
fn parts(divisor: u32) -> [f32; 2] {
    let whole = 1.0 / f64::from(divisor);
    let high = whole as f32;
    [high, (whole - f64::from(high)) as f32]
}

/// Runs the pass, where code for `target` gains by it. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if target.fuses {
        return false;
    }
    let mut ranges = None;
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &function.insts[inst];
            if let Some((x, divisor)) = quotient(function, data)
                && is_large(function, ranges.get_or_insert_with(|| Ranges::new(function)), x)
            {
                let (ty, loc) = (function.ty(x), data.loc);
                let double = Type { scalar: Scalar::F64, ..ty };
                let mut make = |function: &mut Function, op: Opcode, args: &[Value], imm: u64, ty: Type| {
                    let inst = function.make_inst(op, args, imm, Some(ty), loc);
                    out.push(inst);
                    function.insts[inst].expect_result()
                };
                let bits = (1.0 / f64::from(divisor)).to_bits();
                let reciprocal = make(function, Opcode::Const, &[], bits, Type::uniform(Scalar::F64));
                let reciprocal = match ty.is_uniform() {
                    true => reciprocal,
                    false => make(function, Opcode::Splat, &[reciprocal], 0, double),
                };
                let wide = make(function, Opcode::FConvert, &[x], 0, double);
                let product = make(function, Opcode::FMul, &[wide, reciprocal], 0, double);
                let data = &mut function.insts[inst];
                (data.op, data.imm) = (Opcode::FConvert, 0);
                data.args = std::iter::once(product).collect();
                changed = true;
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// What a fused operation divides, and by which of the [`DIVISORS`].
fn quotient(function: &Function, data: &InstData) -> Option<(Value, u32)> {
    if data.op != Opcode::FFma || function.ty(data.args[0]).scalar != Scalar::F32 {
        return None;
    }
    let rest = function.def_inst(data.args[2]).filter(|rest| rest.op == Opcode::FMul)?;
    // One factor is the number, the other a part, in either order.
    let x = *data.args[..2].iter().find(|&&arg| function.const_bits(arg).is_none())?;
    let part = |args: &[Value]| {
        let other = args.iter().position(|&arg| arg == x).map(|at| args[1 - at])?;
        function.const_bits(other).map(|bits| bits as u32)
    };
    let known = [part(&data.args[..2])?, part(&rest.args)?];
    let divisor = DIVISORS.into_iter().find(|&divisor| parts(divisor).map(f32::to_bits) == known)?;
    Some((x, divisor))
}

/// Whether a number is zero, or not small: a multiple of a step, or a sum with a constant of at least one, in
/// which bits from 2^-24 on are left.
fn is_large(function: &Function, ranges: &Ranges, x: Value) -> bool {
    let is_one_or_more = |value: Value| {
        let bits = function.const_bits(value);
        bits.is_some_and(|bits| f32::from_bits(bits as u32).abs() >= 1.0)
    };
    ranges.of(x).step >= STEP_MIN
        || function.def_inst(x).is_some_and(|sum| {
            matches!(sum.op, Opcode::FAdd | Opcode::FSub) && sum.args.iter().any(|&arg| is_one_or_more(arg))
        })
}

#[cfg(test)]
mod tests {
    use super::{DIVISORS, parts};
    use pyro_util::fused::FusedMulAdd;

    /// With every significand: other exponents are the same but for the scale.
    #[test]
    fn both_are_the_quotient() {
        for divisor in DIVISORS {
            let [high, low] = parts(divisor);
            // Else zero with a sign would lose it, and infinity be none.
            assert!(low > 0.0, "{divisor}");
            for significand in 0..1 << 23 {
                let x = f32::from_bits(1f32.to_bits() | significand);
                let double = (f64::from(x) * (1.0 / f64::from(divisor))) as f32;
                let fused = x.fused_mul_add(high, x * low);
                assert!(fused == double && double == x / divisor as f32, "{x:e} / {divisor}");
            }
        }
    }
}
