//! Hyperbolic functions and their inverses, from `e^x - 1` and `ln(1 + x)`, which lose nothing near zero.

use super::exponential::{LN_2, Parts, expm1_of_small, exponent_from_low_bits, log_of_parts, split_bits};
use super::in_f32;
use super::trigonometric::{sign_of, with_sign};
use crate::ops::{MAGIC, Ops};
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// For `x >= 0` as `n * ln 2 + r`: `(2^(n - 2 * quarters), e^r - 1)`, so that `e^x / 4^quarters` is the first
/// times one more than the second. `n - 2 * quarters` may be at most 127.
fn exp_parts(b: &mut Builder, x: Value, quarters: f32) -> (Value, Value) {
    let log2_e = b.f32(std::f32::consts::LOG2_E);
    let magic = b.f32(MAGIC + 127.0 - 2.0 * quarters);
    let t = b.fma(x, log2_e, magic);
    let n = b.fsub(t, magic);
    let (high, low) = (b.f32(-LN_2[0]), b.f32(-LN_2[1]));
    let r = b.fma(n, high, x);
    let r = b.fma(n, low, r);
    let d = expm1_of_small(b, r);
    let bits = b.bitcast(t, Scalar::I32);
    (exponent_from_low_bits(b, bits), d)
}

/// A magnitude whose `Exp` is inf as one whose `Sinh` and `Cosh` are: Vulkan defines them by sums of `Exp`,
/// whose range ends a little earlier than their own ("Precision and Operation of SPIR-V Instructions").
fn past_exp(b: &mut Builder, magnitude: Value) -> Value {
    // The greatest number with a finite `Exp`.
    let last = b.f32(f32::from_bits(0x42b1_7217));
    let beyond = b.f32(89.5);
    let is_past = b.flt(last, magnitude);
    b.select(is_past, beyond, magnitude)
}

/// `Sinh`. ±0 and ±inf give themselves.
pub fn sinh(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let sign = sign_of(b, x);
        let magnitude = b.fabs(x);
        let magnitude = past_exp(b, magnitude);
        let (scale, d) = exp_parts(b, magnitude, 1.0);
        // With E = e^x - 1: sinh x = (E + E / (E + 1)) / 2, here from E / 4, which does not overflow.
        let (quarter, one, two, four) = (b.f32(0.25), b.f32(1.0), b.f32(2.0), b.f32(4.0));
        let rest = b.fsub(scale, quarter);
        let e = b.fma(scale, d, rest);
        let power = b.fma(e, four, one);
        let ratio = b.fdiv(e, power);
        let sum = b.fadd(e, ratio);
        let result = b.fmul(sum, two);
        with_sign(b, result, sign)
    })
}

/// `Cosh`. ±inf give inf.
pub fn cosh(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let magnitude = b.fabs(x);
        let magnitude = past_exp(b, magnitude);
        let (scale, d) = exp_parts(b, magnitude, 1.0);
        // With P = e^x / 4: cosh x = 2 P + 1 / (8 P).
        let (two, eighth) = (b.f32(2.0), b.f32(0.125));
        let power = b.fma(scale, d, scale);
        let inverse = b.fdiv(eighth, power);
        b.fma(power, two, inverse)
    })
}

/// `Tanh`. ±0 give themselves, ±inf ±1.
pub fn tanh(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let sign = sign_of(b, x);
        let magnitude = b.fabs(x);
        // Beyond 9.02 the result rounds to 1.
        let (limit, one, two) = (b.f32(20.0), b.f32(1.0), b.f32(2.0));
        let double = b.fadd(magnitude, magnitude);
        let double = b.fmin(limit, double);
        let (scale, d) = exp_parts(b, double, 0.0);
        // With E = e^2x - 1: tanh x = E / (E + 2).
        let rest = b.fsub(scale, one);
        let e = b.fma(scale, d, rest);
        let denominator = b.fadd(e, two);
        let result = b.fdiv(e, denominator);
        with_sign(b, result, sign)
    })
}

/// `ln(1 + u)` for `u >= 0`, inf and NaN.
fn log1p(b: &mut Builder, u: Value) -> Value {
    let one = b.f32(1.0);
    let sum = b.fadd(u, one);
    let u_rounded = b.fsub(sum, one);
    let error = b.fsub(u, u_rounded);
    let bits = b.bitcast(sum, Scalar::I32);
    let (exponent, significand) = split_bits(b, bits);
    // The sum's rounding error belongs to the significand, scaled by 2^-e.
    let one_bits = b.bitcast(one, Scalar::I32);
    let scale = b.isub(one_bits, exponent);
    // Beyond 2^127, where the error is zero, the scale would be negative.
    let zero_bits = b.i32(0);
    let scale = b.smax(scale, zero_bits);
    let scale = b.bitcast(scale, Scalar::F32);
    let f = b.fsub(significand, one);
    let f = b.fma(error, scale, f);
    let exponent = b.convert(Opcode::SToF, exponent, Scalar::F32);
    let result = log_of_parts(b, &Parts { exponent, f });
    let infinity = b.f32(f32::INFINITY);
    let finite = b.flt(u, infinity);
    b.select(finite, result, u)
}

/// From this on, `asinh x` and `acosh x` are `ln x + ln 2` to the last bit.
const LARGE: f32 = 1_073_741_824.0;

/// `Asinh`. ±0 and ±inf give themselves.
pub fn asinh(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (zero, one, ln_2, limit) = (b.f32(0.0), b.f32(1.0), b.f32(LN_2[0]), b.f32(LARGE));
        let sign = sign_of(b, x);
        let magnitude = b.fabs(x);
        let large = b.flt(limit, magnitude);
        // asinh x = ln(1 + x + x^2 / (1 + sqrt(1 + x^2))).
        let square = b.fmul(x, x);
        let hypotenuse = b.fadd(square, one);
        let hypotenuse = b.fsqrt(hypotenuse);
        let denominator = b.fadd(hypotenuse, one);
        let ratio = b.fdiv(square, denominator);
        let ratio = b.select(large, zero, ratio);
        let u = b.fadd(magnitude, ratio);
        let result = log1p(b, u);
        let base = b.select(large, ln_2, zero);
        let result = b.fadd(result, base);
        with_sign(b, result, sign)
    })
}

/// `Acosh`: NaN where `x < 1`; `acosh(1)` is +0, `acosh(inf)` inf.
pub fn acosh(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (zero, one, two) = (b.f32(0.0), b.f32(1.0), b.f32(2.0));
        let (ln_2, limit, nan) = (b.f32(LN_2[0]), b.f32(LARGE), b.f32(f32::NAN));
        let large = b.flt(limit, x);
        // With t = x - 1: acosh x = ln(1 + t + sqrt(t * (t + 2))).
        let t = b.fsub(x, one);
        let t_plus_two = b.fadd(t, two);
        let square = b.fmul(t, t_plus_two);
        let root = b.fsqrt(square);
        let root = b.select(large, zero, root);
        let u = b.fadd(t, root);
        let result = log1p(b, u);
        let base = b.select(large, ln_2, zero);
        let result = b.fadd(result, base);
        let outside = b.flt(x, one);
        b.select(outside, nan, result)
    })
}

/// `Atanh`: NaN where `|x| > 1`, ±inf at ±1; ±0 give themselves.
pub fn atanh(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (half, one, nan) = (b.f32(0.5), b.f32(1.0), b.f32(f32::NAN));
        let sign = sign_of(b, x);
        let magnitude = b.fabs(x);
        // atanh x = ln(1 + 2 x / (1 - x)) / 2.
        let double = b.fadd(magnitude, magnitude);
        let rest = b.fsub(one, magnitude);
        let u = b.fdiv(double, rest);
        let log = log1p(b, u);
        let result = b.fmul(log, half);
        let outside = b.flt(one, magnitude);
        let result = b.select(outside, nan, result);
        with_sign(b, result, sign)
    })
}
