//! What each pure operation computes for one lane: the reference for constant folding, the interpreter's
//! uncommon types, and tests of both executors.
//!
//! Everything is exact: the bits given here are *the* result, but for one freedom. Where an operation of
//! float arithmetic gives NaN, any quiet NaN is right; comparisons of results must treat all NaNs as equal.
//! `fneg`, `fabs`, `select` and bit operations move bits and have no such freedom.

mod float;
pub mod srgb;

use crate::opcode::Opcode;
use crate::types::Scalar;
pub use float::{Rounding, float_to_float, int_to_float};

/// The result's bits of a pure operation. `from` is the operands' scalar type (of the last operand where
/// they differ), `to` the result's; `args` are bits, zero-extended. `None` for operations that are not
/// functions of one lane's operands (constants, lane operations, memory), and for types that the operation
/// does not take.
pub fn pure(op: Opcode, from: Scalar, to: Scalar, args: &[u64], imm: u64) -> Option<u64> {
    use crate::opcode::Signature as S;
    if args.len() != op.arg_count() {
        return None;
    }
    let result = match op.signature() {
        S::IntUnary | S::IntBinary if !from.is_int() => return None,
        S::BitUnary | S::BitBinary | S::IntCompare if from.is_float() => return None,
        S::IntUnary | S::BitUnary => int_unary(op, from, args[0])?,
        S::IntBinary | S::BitBinary => int_binary(op, from, args[0], args[1])?,
        S::IntCompare => int_compare(op, from, args[0], args[1])?.into(),
        S::FloatUnary => float::unary(op, from, args[0])?,
        S::FloatBinary => float::binary(op, from, args[0], args[1])?,
        S::FloatTernary => float::fma(from, args[0], args[1], args[2])?,
        S::FloatCompare => float::compare(op, from, args[0], args[1])?.into(),
        S::Select => {
            if args[0] & 1 != 0 {
                args[1]
            } else {
                args[2]
            }
        }
        S::Truncate if from.is_int() && to.is_int() => args[0],
        S::Extend if !from.is_float() && to.is_int() => match op {
            Opcode::SignExtend => sign_extend(from, args[0]) as u64,
            _ => args[0],
        },
        S::FloatToFloat if from.is_float() && to.is_float() => {
            let rounding = if imm == 1 { Rounding::TowardZero } else { Rounding::NearestEven };
            float_to_float(from, to, args[0], rounding)
        }
        S::FloatToInt if from.is_float() && to.is_int() => {
            float::to_int(from, to, args[0], op == Opcode::FToS)
        }
        S::IntToFloat if from.is_int() && to.is_float() => {
            let signed = op == Opcode::SToF;
            let negative = signed && sign_extend(from, args[0]) < 0;
            let magnitude = if signed { sign_extend(from, args[0]).unsigned_abs() } else { args[0] };
            int_to_float(to, negative, magnitude)
        }
        S::Bitcast if from.bits() == to.bits() => args[0],
        S::FromBfloat => args[0] << 16,
        S::ToBfloat => float::to_bfloat(args[0] as u32).into(),
        S::FromSrgb => srgb::from_code(args[0] as u8).to_bits().into(),
        S::ToSrgb => srgb::to_code(f32::from_bits(args[0] as u32)).into(),
        _ => return None,
    };
    Some(result & to.mask())
}

/// What memory holds after an atomic operation on `old`, other than [`Opcode::AtomicCompareExchange`]; see
/// there for its comparison. `None` for types that the operation does not take.
pub fn atomic(op: Opcode, scalar: Scalar, old: u64, value: u64) -> Option<u64> {
    let int = |op| if scalar.is_int() { int_binary(op, scalar, old, value) } else { None };
    // The float operations take the other operand where one is NaN, unlike `fmin` and `fmax`.
    let float = |op| {
        let is_nan = |bits| float::compare(Opcode::FNe, scalar, bits, bits);
        match () {
            () if is_nan(value)? => Some(old),
            () if is_nan(old)? => Some(value),
            () => float::binary(op, scalar, value, old),
        }
    };
    let new = match op {
        Opcode::AtomicAdd => int(Opcode::IAdd)?,
        Opcode::AtomicAnd => int(Opcode::And)?,
        Opcode::AtomicOr => int(Opcode::Or)?,
        Opcode::AtomicXor => int(Opcode::Xor)?,
        Opcode::AtomicUMin => int(Opcode::UMin)?,
        Opcode::AtomicUMax => int(Opcode::UMax)?,
        Opcode::AtomicSMin => int(Opcode::SMin)?,
        Opcode::AtomicSMax => int(Opcode::SMax)?,
        Opcode::AtomicExchange => value,
        Opcode::AtomicFAdd => float::binary(Opcode::FAdd, scalar, old, value)?,
        Opcode::AtomicFMin => float(Opcode::FMin)?,
        Opcode::AtomicFMax => float(Opcode::FMax)?,
        _ => return None,
    };
    Some(new & scalar.mask())
}

/// The signed number that the low bits hold.
pub fn sign_extend(scalar: Scalar, bits: u64) -> i64 {
    let shift = 64 - scalar.bits();
    (bits << shift) as i64 >> shift
}

fn int_unary(op: Opcode, scalar: Scalar, a: u64) -> Option<u64> {
    let unused = 64 - scalar.bits();
    Some(match op {
        Opcode::Not => !a,
        Opcode::PopCount => a.count_ones().into(),
        Opcode::CountLeadingZeros => (a.leading_zeros() - unused).into(),
        Opcode::CountTrailingZeros => a.trailing_zeros().min(scalar.bits()).into(),
        Opcode::BitReverse => a.reverse_bits() >> unused,
        _ => return None,
    })
}

fn int_binary(op: Opcode, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let bits = scalar.bits();
    let (signed_a, signed_b) = (sign_extend(scalar, a), sign_extend(scalar, b));
    let amount = b & u64::from(bits - 1);
    Some(match op {
        Opcode::IAdd => a.wrapping_add(b),
        Opcode::ISub => a.wrapping_sub(b),
        Opcode::IMul => a.wrapping_mul(b),
        Opcode::UMulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        Opcode::SMulHigh => ((i128::from(signed_a) * i128::from(signed_b)) >> bits) as u64,
        Opcode::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Opcode::SDiv if signed_b == 0 => u64::MAX,
        Opcode::SDiv => signed_a.wrapping_div(signed_b) as u64,
        Opcode::URem => a.checked_rem(b).unwrap_or(a),
        Opcode::SRem if signed_b == 0 => a,
        Opcode::SRem => signed_a.wrapping_rem(signed_b) as u64,
        Opcode::UMin => a.min(b),
        Opcode::UMax => a.max(b),
        Opcode::SMin => signed_a.min(signed_b) as u64,
        Opcode::SMax => signed_a.max(signed_b) as u64,
        Opcode::Shl => a << amount,
        Opcode::LShr => a >> amount,
        Opcode::AShr => (signed_a >> amount) as u64,
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::AndNot => a & !b,
        Opcode::DotBytes => dot_bytes(a, b),
        Opcode::DotFourBytes => dot_four_bytes(a, b),
        Opcode::DotHalves => dot_halves(a, b),
        Opcode::ShuffleBytes => shuffle_bytes(a, b, scalar.bytes()),
        _ => return None,
    })
}

/// [`Opcode::ShuffleBytes`] of numbers of `count` bytes; the higher bytes of the result are unspecified.
pub fn shuffle_bytes(a: u64, b: u64, count: u32) -> u64 {
    let bytes = a.to_le_bytes();
    let pick = |number: u8| match number {
        0..0x80 => bytes[usize::from(number) % count as usize],
        _ => 0,
    };
    u64::from_le_bytes(b.to_le_bytes().map(pick))
}

/// [`Opcode::DotBytes`] of numbers that are zero-extended.
pub fn dot_bytes(a: u64, b: u64) -> u64 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    let product = |byte: usize| i32::from(a[byte]) * i32::from(b[byte] as i8);
    (0..4).fold(0, |result, part| {
        let sum = product(2 * part) + product(2 * part + 1);
        let saturated = sum.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        result | u64::from(saturated as u16) << (16 * part)
    })
}

/// [`Opcode::DotFourBytes`] of numbers that are zero-extended.
pub fn dot_four_bytes(a: u64, b: u64) -> u64 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    let product = |byte: usize| i32::from(a[byte]) * i32::from(b[byte] as i8);
    (0..2).fold(0, |result, part| {
        let sum: i32 = (4 * part..4 * part + 4).map(product).sum();
        result | u64::from(sum as u32) << (32 * part)
    })
}

/// [`Opcode::DotHalves`] of numbers that are zero-extended.
pub fn dot_halves(a: u64, b: u64) -> u64 {
    let half = |word: u64, number: u32| i32::from((word >> (16 * number)) as i16);
    let product = |number: u32| half(a, number) * half(b, number);
    (0..2).fold(0, |result, part| {
        let sum = product(2 * part).wrapping_add(product(2 * part + 1));
        result | u64::from(sum as u32) << (32 * part)
    })
}

fn int_compare(op: Opcode, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    let (signed_a, signed_b) = (sign_extend(scalar, a), sign_extend(scalar, b));
    Some(match op {
        Opcode::IEq => a == b,
        Opcode::INe => a != b,
        Opcode::ULt => a < b,
        Opcode::ULe => a <= b,
        Opcode::SLt => signed_a < signed_b,
        Opcode::SLe => signed_a <= signed_b,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
