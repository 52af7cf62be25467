//! Float operations on bits, correctly rounded.
//!
//! Arithmetic on `f32` and `f64` is the host's. On `f16` it is computed wider and rounded once more, which
//! gives the correctly rounded result: for sums, products, quotients and square roots `f32` has the needed
//! 2p + 2 = 24 bits (p = 11); for the fused operation see [`fma`]. Conversions that narrow are done on
//! integers here, in both roundings.

use crate::opcode::Opcode;
use crate::types::Scalar;
use pyro_util::fused::FusedMulAdd;

/// How a conversion rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even; overflow gives infinity.
    NearestEven,
    /// Towards zero; overflow gives the largest finite number.
    TowardZero,
}

/// Bits of the significand behind the point, and the exponent's bias.
const fn format(scalar: Scalar) -> (u32, i32) {
    match scalar {
        Scalar::F16 => (10, 15),
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    }
}

/// The float nearest to `(-1)^negative * significand * 2^exponent`, with `sticky` standing for something
/// less than one more unit of the significand.
fn round(scalar: Scalar, negative: bool, significand: u64, exponent: i32, rounding: Rounding) -> u64 {
    let (fraction_bits, bias) = format(scalar);
    let sign = u64::from(negative) << (scalar.bits() - 1);
    if significand == 0 {
        return sign;
    }
    let infinity = (2 * bias as u64 + 1) << fraction_bits;
    // The value is 1.xxx * 2^magnitude.
    let magnitude = 63 - significand.leading_zeros() as i32 + exponent;
    // Weight of the result's last bit; subnormal numbers share the least normal exponent's.
    let last = magnitude.max(1 - bias) - fraction_bits as i32;
    let drop = last - exponent;
    let (kept, up) = match drop {
        ..=0 => (significand << -drop, false),
        1..=63 => {
            let kept = significand >> drop;
            let rest = significand << (64 - drop);
            let half = 1 << 63;
            (kept, rest > half || rest == half && kept & 1 == 1)
        }
        64 => (0, significand > 1 << 63),
        _ => (0, false),
    };
    let kept = kept + u64::from(up && rounding == Rounding::NearestEven);
    // The hidden bit adds one to the exponent field; so does a carry out of the fraction.
    let field = (magnitude.max(1 - bias) + bias - 1) as u64;
    let bits = (field << fraction_bits).saturating_add(kept);
    let bits = match rounding {
        Rounding::NearestEven => bits.min(infinity),
        Rounding::TowardZero => bits.min(infinity - 1),
    };
    sign | bits
}

/// The integer `(-1)^negative * magnitude` as a float, rounded to nearest even.
pub fn int_to_float(to: Scalar, negative: bool, magnitude: u64) -> u64 {
    round(to, negative && magnitude != 0, magnitude, 0, Rounding::NearestEven)
}

/// A conversion between float types. NaN stays NaN, made quiet, with the payload's high bits kept.
pub fn float_to_float(from: Scalar, to: Scalar, bits: u64, rounding: Rounding) -> u64 {
    let (fraction_bits, bias) = format(from);
    let negative = bits >> (from.bits() - 1) & 1 != 0;
    let field = (bits >> fraction_bits) as i32 & (2 * bias + 1);
    let fraction = bits & ((1 << fraction_bits) - 1);
    if field == 2 * bias + 1 {
        let (to_fraction_bits, to_bias) = format(to);
        let sign = u64::from(negative) << (to.bits() - 1);
        let infinity = sign | (2 * to_bias as u64 + 1) << to_fraction_bits;
        let payload = match to_fraction_bits as i32 - fraction_bits as i32 {
            shift @ 0.. => fraction << shift,
            shift => fraction >> -shift,
        };
        let quiet = 1 << (to_fraction_bits - 1);
        return if fraction == 0 { infinity } else { infinity | payload | quiet };
    }
    let hidden = u64::from(field != 0) << fraction_bits;
    round(to, negative, fraction | hidden, field.max(1) - bias - fraction_bits as i32, rounding)
}

/// To an integer, towards zero, saturating; NaN gives 0.
pub(super) fn to_int(from: Scalar, to: Scalar, bits: u64, signed: bool) -> u64 {
    // Every float is exact as `f64`; Rust's casts saturate and send NaN to 0.
    let value = widen(from, bits);
    match (to, signed) {
        (Scalar::I8, true) => value as i8 as u64,
        (Scalar::I16, true) => value as i16 as u64,
        (Scalar::I32, true) => value as i32 as u64,
        (_, true) => value as i64 as u64,
        (Scalar::I8, false) => (value as u8).into(),
        (Scalar::I16, false) => (value as u16).into(),
        (Scalar::I32, false) => (value as u32).into(),
        (_, false) => value as u64,
    }
}

/// To bfloat16, to nearest even; NaN stays NaN.
pub(super) fn to_bfloat(bits: u32) -> u16 {
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return (bits >> 16) as u16 | 0x40;
    }
    let odd = bits >> 16 & 1;
    ((bits + 0x7fff + odd) >> 16) as u16
}

/// Exactly as `f64`.
fn widen(from: Scalar, bits: u64) -> f64 {
    f64::from_bits(match from {
        Scalar::F64 => bits,
        _ => float_to_float(from, Scalar::F64, bits, Rounding::NearestEven),
    })
}

fn widen_f16(bits: u64) -> f32 {
    f32::from_bits(float_to_float(Scalar::F16, Scalar::F32, bits, Rounding::NearestEven) as u32)
}

fn narrow_f16(value: f32) -> u64 {
    float_to_float(Scalar::F32, Scalar::F16, value.to_bits().into(), Rounding::NearestEven)
}

/// Runs the same formula on the type that the scalar names.
macro_rules! with_type {
    ($scalar:expr, [$($name:ident = $bits:expr),+] => $formula:expr) => {
        match $scalar {
            Scalar::F16 => { $( let $name = widen_f16($bits); )+ narrow_f16($formula) }
            Scalar::F32 => { $( let $name = f32::from_bits($bits as u32); )+ u64::from(f32::to_bits($formula)) }
            Scalar::F64 => { $( let $name = f64::from_bits($bits); )+ f64::to_bits($formula) }
            _ => return None,
        }
    };
}

pub(super) fn unary(op: Opcode, scalar: Scalar, a: u64) -> Option<u64> {
    let sign = 1 << (scalar.bits() - 1);
    Some(match op {
        _ if !scalar.is_float() => return None,
        Opcode::FNeg => a ^ sign,
        Opcode::FAbs => a & !sign,
        Opcode::FSqrt => with_type!(scalar, [a = a] => a.sqrt()),
        Opcode::FFloor => with_type!(scalar, [a = a] => a.floor()),
        Opcode::FCeil => with_type!(scalar, [a = a] => a.ceil()),
        Opcode::FTrunc => with_type!(scalar, [a = a] => a.trunc()),
        Opcode::FRound => with_type!(scalar, [a = a] => a.round_ties_even()),
        _ => return None,
    })
}

pub(super) fn binary(op: Opcode, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    Some(match op {
        Opcode::FAdd => with_type!(scalar, [x = a, y = b] => x + y),
        Opcode::FSub => with_type!(scalar, [x = a, y = b] => x - y),
        Opcode::FMul => with_type!(scalar, [x = a, y = b] => x * y),
        Opcode::FDiv => with_type!(scalar, [x = a, y = b] => x / y),
        Opcode::FMin if compare(Opcode::FLt, scalar, a, b)? => a,
        Opcode::FMax if compare(Opcode::FLt, scalar, b, a)? => a,
        Opcode::FMin | Opcode::FMax => b,
        _ => return None,
    })
}

/// `a * b + c`, rounded once.
///
/// For `f16`, the product of two 11-bit significands is exact in `f64`. The sum is inexact there only when
/// the addends' bits span more than 53 places, and then the lost tail cannot change the `f16` result: either
/// the product is the larger, and since `c` is a multiple of 2^-24 it is at least 2^28, which overflows
/// anyway; or `c` is the larger, the product is below 2^-31 of it, and `c`, being an `f16` number itself, is
/// far from every midpoint.
pub(super) fn fma(scalar: Scalar, a: u64, b: u64, c: u64) -> Option<u64> {
    Some(match scalar {
        Scalar::F16 => {
            let sum = widen(scalar, a) * widen(scalar, b) + widen(scalar, c);
            float_to_float(Scalar::F64, Scalar::F16, sum.to_bits(), Rounding::NearestEven)
        }
        Scalar::F32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            a.fused_mul_add(b, c).to_bits().into()
        }
        Scalar::F64 => f64::from_bits(a).fused_mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
        _ => return None,
    })
}

pub(super) fn compare(op: Opcode, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    if !scalar.is_float() {
        return None;
    }
    let (a, b) = (widen(scalar, a), widen(scalar, b));
    Some(match op {
        Opcode::FEq => a == b,
        Opcode::FNe => a != b,
        Opcode::FLt => a < b,
        Opcode::FLe => a <= b,
        _ => return None,
    })
}
