//! SPIR-V core instructions on floats that have no single opcode. Any float, computed in its own type (the
//! remainders of `f16` in `f32`).

use crate::ops::{Ops, widen_half};
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// The magnitude of `x` with the sign of `sign`.
pub fn copy_sign(b: &mut Builder, x: Value, sign: Value) -> Value {
    let scalar = b.scalar(x);
    let int = scalar.to_int();
    let (x, sign) = (b.bitcast(x, int), b.bitcast(sign, int));
    let sign_bit = b.constant(int, 1 << (int.bits() - 1));
    let magnitude = b.andnot(x, sign_bit);
    let sign = b.and(sign, sign_bit);
    let bits = b.or(magnitude, sign);
    b.bitcast(bits, scalar)
}

/// `OpIsNan`.
pub fn is_nan(b: &mut Builder, x: Value) -> Value {
    b.fne(x, x)
}

/// `OpIsInf`.
pub fn is_inf(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let magnitude = b.fabs(x);
    let infinity = b.float(scalar, f64::INFINITY);
    b.feq(magnitude, infinity)
}

/// `OpIsFinite`.
pub fn is_finite(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let magnitude = b.fabs(x);
    let infinity = b.float(scalar, f64::INFINITY);
    b.flt(magnitude, infinity)
}

/// `OpIsNormal`: neither zero, denormal, infinite nor NaN.
pub fn is_normal(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let int = scalar.to_int();
    let (_, mantissa_bits) = layout(scalar);
    let magnitude = b.fabs(x);
    let bits = b.bitcast(magnitude, int);
    // One compare: normal magnitudes are the bits [least normal, infinity).
    let least = 1u64 << mantissa_bits;
    let infinity = infinity_bits(scalar);
    let least_normal = b.constant(int, least);
    let offset = b.isub(bits, least_normal);
    let count = b.constant(int, infinity - least);
    b.ult(offset, count)
}

/// `OpSignBitSet`.
pub fn sign_bit_set(b: &mut Builder, x: Value) -> Value {
    let int = b.scalar(x).to_int();
    let bits = b.bitcast(x, int);
    let zero = b.int(int, 0);
    b.slt(bits, zero)
}

/// `OpOrdered`: neither is NaN.
pub fn ordered(b: &mut Builder, x: Value, y: Value) -> Value {
    let (x, y) = (b.feq(x, x), b.feq(y, y));
    b.and(x, y)
}

/// `OpUnordered`: either is NaN.
pub fn unordered(b: &mut Builder, x: Value, y: Value) -> Value {
    let (x, y) = (b.fne(x, x), b.fne(y, y));
    b.or(x, y)
}

/// `OpFOrdEqual`.
pub fn ord_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    b.feq(x, y)
}

/// `OpFUnordEqual`: equal, or either is NaN.
pub fn unord_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    let different = ord_not_equal(b, x, y);
    b.not(different)
}

/// `OpFOrdNotEqual` (also `OpLessOrGreater`): different, and neither is NaN.
pub fn ord_not_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    let (less, greater) = (b.flt(x, y), b.flt(y, x));
    b.or(less, greater)
}

/// `OpFUnordNotEqual`.
pub fn unord_not_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    b.fne(x, y)
}

/// `OpFOrdLessThan`.
pub fn ord_less_than(b: &mut Builder, x: Value, y: Value) -> Value {
    b.flt(x, y)
}

/// `OpFOrdLessThanEqual`.
pub fn ord_less_than_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    b.fle(x, y)
}

/// `OpFOrdGreaterThan`.
pub fn ord_greater_than(b: &mut Builder, x: Value, y: Value) -> Value {
    b.flt(y, x)
}

/// `OpFOrdGreaterThanEqual`.
pub fn ord_greater_than_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    b.fle(y, x)
}

/// `OpFUnordLessThan`.
pub fn unord_less_than(b: &mut Builder, x: Value, y: Value) -> Value {
    let not = b.fle(y, x);
    b.not(not)
}

/// `OpFUnordLessThanEqual`.
pub fn unord_less_than_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    let not = b.flt(y, x);
    b.not(not)
}

/// `OpFUnordGreaterThan`.
pub fn unord_greater_than(b: &mut Builder, x: Value, y: Value) -> Value {
    let not = b.fle(x, y);
    b.not(not)
}

/// `OpFUnordGreaterThanEqual`.
pub fn unord_greater_than_equal(b: &mut Builder, x: Value, y: Value) -> Value {
    let not = b.flt(x, y);
    b.not(not)
}

/// `OpFMod`: `x - y * floor(x / y)`, with the sign of `y`. Exact while the quotient's magnitude is below
/// `2^p` (`p` the significand's bits); NaN for a zero or infinite `y` and an infinite `x`.
pub fn f_mod(b: &mut Builder, x: Value, y: Value) -> Value {
    let (narrow, values) = widen_half(b, &[x, y]);
    let (x, y) = (values[0], values[1]);
    let scalar = b.scalar(x);
    let quotient = b.fdiv(x, y);
    let quotient = b.ffloor(quotient);
    let rest = b.fnma(quotient, y, x);
    // The quotient may have been rounded up to the next integer: then the rest is below zero by less than y.
    let zero = b.float(scalar, 0.0);
    let product = b.fmul(rest, y);
    let wrong = b.flt(product, zero);
    let fixed = b.fadd(rest, y);
    let rest = b.select(wrong, fixed, rest);
    b.to_float(rest, narrow)
}

/// `OpFRem`: `x - y * trunc(x / y)`, with the sign of `x`. Exact while the quotient's magnitude is below
/// `2^p` (`p` the significand's bits); NaN for a zero or infinite `y` and an infinite `x`.
pub fn f_rem(b: &mut Builder, x: Value, y: Value) -> Value {
    let (narrow, values) = widen_half(b, &[x, y]);
    let (x, y) = (values[0], values[1]);
    let scalar = b.scalar(x);
    let quotient = b.fdiv(x, y);
    let quotient = b.ftrunc(quotient);
    let rest = b.fnma(quotient, y, x);
    let zero = b.float(scalar, 0.0);
    let product = b.fmul(rest, x);
    let wrong = b.flt(product, zero);
    let step = copy_sign(b, y, x);
    let fixed = b.fadd(rest, step);
    let rest = b.select(wrong, fixed, rest);
    b.to_float(rest, narrow)
}

/// `OpQuantizeToF16`: an `f32` rounded to `f16` and back. Results that `f16` cannot hold as normal values
/// become ±0 or ±inf; NaN stays NaN.
pub fn quantize_to_f16(b: &mut Builder, x: Value) -> Value {
    let half = b.convert(Opcode::FConvert, x, Scalar::F16);
    let quantized = b.convert(Opcode::FConvert, half, Scalar::F32);
    // Denormal halves are flushed to zero of the same sign: the instruction demands it.
    let least_normal = b.f32(2f32.powi(-14));
    let magnitude = b.fabs(quantized);
    let tiny = b.flt(magnitude, least_normal);
    let zero = b.f32(0.0);
    let zero = copy_sign(b, zero, x);
    b.select(tiny, zero, quantized)
}

/// Exponent and fraction bits of a float type.
pub(crate) fn layout(scalar: Scalar) -> (u32, u32) {
    match scalar {
        Scalar::F16 => (5, 10),
        Scalar::F32 => (8, 23),
        _ => (11, 52),
    }
}

/// The bits of +inf.
pub(crate) fn infinity_bits(scalar: Scalar) -> u64 {
    let (exponent_bits, mantissa_bits) = layout(scalar);
    ((1u64 << exponent_bits) - 1) << mantissa_bits
}
