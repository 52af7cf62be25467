//! Powers, exponentials, logarithms and roots.
//!
//! Exponentials split the argument as `2n + r` (in units of the base's logarithm) and compute
//! `(1 + d)^2 * 2^n * 2^n` with `d` a polynomial for the half exponent's power minus one. Squaring halves the
//! polynomial's range, and two factors `2^n` reach every exponent, so that overflow, denormal results, ±inf
//! and NaN need no cases of their own.
//!
//! Logarithms split the argument as `2^e * (1 + f)` with `1 + f` within [2/3, 4/3) and use a polynomial in
//! `f`; nothing is lost near 1.

use super::in_f32;
use crate::ops::{MAGIC, Ops, widen_half};
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// `ln 2` as a sum of two floats.
pub(super) const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];

/// `log2 e` as a sum of two floats.
const LOG2_E: [f32; 2] = [std::f32::consts::LOG2_E, 1.925_963e-8];

/// `Exp`: e to the power `x`. `exp(-inf)` is 0, `exp(inf)` inf, `exp(±0)` 1, NaN stays NaN.
pub fn exp(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let x = clamp_exponent(b, x, -105.0, 90.0);
        let scale = b.f32(LOG2_E[0] * 0.5);
        let magic = b.f32(MAGIC + 127.0);
        let t = b.mad(x, scale, magic);
        let n = b.fsub(t, magic);
        // r is half of the rest, within ln(2) / 2.
        let (half, high, low) = (b.f32(0.5), b.f32(-LN_2[0]), b.f32(-LN_2[1]));
        let x = b.fmul(x, half);
        let r = b.mad(n, high, x);
        let r = b.mad(n, low, r);
        let d = expm1_of_small(b, r);
        let bits = b.bitcast(t, Scalar::I32);
        square_and_scale(b, d, bits)
    })
}

/// `Exp2`: 2 to the power `x`; exact for integral `x`. `exp2(-inf)` is 0, `exp2(inf)` inf, `exp2(±0)` 1, NaN
/// stays NaN.
pub fn exp2(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let x = clamp_exponent(b, x, -152.0, 130.0);
        exp2_of_sum(b, x, None)
    })
}

/// `2^(x + rest)` of a clamped `x`.
fn exp2_of_sum(b: &mut Builder, x: Value, rest: Option<Value>) -> Value {
    let half = b.f32(0.5);
    let magic = b.f32(MAGIC + 127.0);
    let t = b.mad(x, half, magic);
    let minus_n = b.fsub(magic, t);
    let u = b.mad(x, half, minus_n);
    let u = match rest {
        Some(rest) => b.mad(rest, half, u),
        None => u,
    };
    // 2^u - 1 over u, |u| <= 1/2, relative to 2^u: 2^-27. Of the coefficients this good, these make the
    // pieces meet without a step back.
    let d = b.poly(u, &[1.5326378e-4, 1.339_063_9e-3, 9.618536e-3, 5.5503596e-2, 0.24022648, LN_2[0]]);
    let d = b.fmul(d, u);
    let bits = b.bitcast(t, Scalar::I32);
    square_and_scale(b, d, bits)
}

/// `x` within the range where the result is neither 0 nor inf, and a little more. NaN passes.
fn clamp_exponent(b: &mut Builder, x: Value, low: f32, high: f32) -> Value {
    let (low, high) = (b.f32(low), b.f32(high));
    let x = b.fmin(high, x);
    b.fmax(low, x)
}

/// `e^r - 1` for `|r| <= ln(2) / 2`.
pub(super) fn expm1_of_small(b: &mut Builder, r: Value) -> Value {
    // (e^r - 1 - r) / r^2, relative to e^r - 1: 2^-26.1.
    let p = b.poly(r, &[1.387_070_7e-3, 8.366277e-3, 4.1667435e-2, 0.16666546, 0.49999997]);
    let square = b.fmul(r, r);
    b.mad(square, p, r)
}

/// `(1 + d)^2 * 2^n * 2^n`, with `n + 127` in the low eight bits of `bits`, the bit above them clear.
fn square_and_scale(b: &mut Builder, d: Value, bits: Value) -> Value {
    let (one, two) = (b.f32(1.0), b.f32(2.0));
    let sum = b.fadd(d, two);
    let power = b.mad(d, sum, one);
    let shift = b.i32(23);
    let scale = b.shl(bits, shift);
    let scale = b.bitcast(scale, Scalar::F32);
    let power = b.fmul(power, scale);
    b.fmul(power, scale)
}

/// `2^n` for `n + 127` in the low eight bits of `bits`, the bit above them clear.
pub(super) fn exponent_from_low_bits(b: &mut Builder, bits: Value) -> Value {
    let shift = b.i32(23);
    let scale = b.shl(bits, shift);
    b.bitcast(scale, Scalar::F32)
}

/// A positive float as `2^e * (1 + f)`.
pub(super) struct Parts {
    /// `e * 2^23`, as a float.
    pub(super) exponent: Value,
    /// The fraction, within [-1/3, 1/3).
    pub(super) f: Value,
}

/// Bits of 2/3: where the significand's range begins.
const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// The parts of a positive finite float, denormal or not.
fn parts(b: &mut Builder, x: Value) -> Parts {
    let least_normal = b.f32(f32::MIN_POSITIVE);
    let scale = b.f32(8_388_608.0);
    let tiny = b.flt(x, least_normal);
    let scaled = b.fmul(x, scale);
    let x = b.select(tiny, scaled, x);
    let bits = b.bitcast(x, Scalar::I32);
    let (exponent, significand) = split_bits(b, bits);
    let less = b.i32(23 << 23);
    let lowered = b.isub(exponent, less);
    let exponent = b.select(tiny, lowered, exponent);
    let exponent = b.convert(Opcode::SToF, exponent, Scalar::F32);
    let one = b.f32(1.0);
    Parts { exponent, f: b.fsub(significand, one) }
}

/// `(e << 23, 1 + f)` of a positive normal float's bits.
pub(super) fn split_bits(b: &mut Builder, bits: Value) -> (Value, Value) {
    let offset = b.i32(TWO_THIRDS);
    let mask = b.i32(0xff80_0000);
    let exponent = b.isub(bits, offset);
    let exponent = b.and(exponent, mask);
    let significand = b.isub(bits, exponent);
    (exponent, b.bitcast(significand, Scalar::F32))
}

/// Puts a logarithm's special values over `result`: -inf for ±0, NaN below zero, inf and NaN unchanged.
fn log_special(b: &mut Builder, x: Value, result: Value) -> Value {
    let (zero, infinity) = (b.f32(0.0), b.f32(f32::INFINITY));
    let (minus_infinity, nan) = (b.f32(f32::NEG_INFINITY), b.f32(f32::NAN));
    let finite = b.flt(x, infinity);
    let result = b.select(finite, result, x);
    let is_zero = b.feq(x, zero);
    let result = b.select(is_zero, minus_infinity, result);
    let negative = b.flt(x, zero);
    b.select(negative, nan, result)
}

/// `ln(2^e * (1 + f))`.
pub(super) fn log_of_parts(b: &mut Builder, parts: &Parts) -> Value {
    let &Parts { exponent, f } = parts;
    // (ln(1 + f) - f) / f^2 over |f| <= 1/3, relative to ln(1 + f): 2^-27.6.
    let q = b.poly(
        f,
        &[
            -0.12891257,
            0.13987519,
            -0.12185378,
            0.1400526,
            -0.16680339,
            0.20010446,
            -0.24999802,
            0.33333215,
            -0.5,
        ],
    );
    let square = b.fmul(f, f);
    let scale = 2f32.powi(-23);
    let (high, low) = (b.f32(LN_2[0] * scale), b.f32(LN_2[1] * scale));
    let rest = b.fmul(exponent, low);
    let rest = b.mad(square, q, rest);
    let rest = b.fadd(rest, f);
    b.mad(exponent, high, rest)
}

/// `Log`: the natural logarithm. `log(±0)` is -inf, `log(inf)` inf, `log(1)` +0, negative values give NaN.
pub fn log(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let parts = parts(b, x);
        let result = log_of_parts(b, &parts);
        log_special(b, x, result)
    })
}

/// `Log2`: the logarithm to base 2; exact for powers of 2. `log2(±0)` is -inf, `log2(inf)` inf, negative
/// values give NaN.
pub fn log2(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let Parts { exponent, f } = parts(b, x);
        // (log2(1 + f) - f * log2 e) / f^2 over |f| <= 1/3, relative to log2(1 + f): 2^-26.
        let q = b.poly(
            f,
            &[
                -0.18129493,
                0.20169216,
                -0.1763659,
                0.20209579,
                -0.24063385,
                0.2886866,
                -0.3606715,
                0.4808967,
                -0.7213475,
            ],
        );
        let (high, low) = (b.f32(LOG2_E[0]), b.f32(LOG2_E[1]));
        let rest = b.mad(q, f, low);
        let rest = b.fmul(rest, f);
        let fraction = b.mad(f, high, rest);
        let scale = b.f32(2f32.powi(-23));
        let result = b.mad(exponent, scale, fraction);
        log_special(b, x, result)
    })
}

/// `Pow`: `x` to the power `y`. The logarithm between is kept in two floats: one would leave an error of
/// hundreds of units in the last place in large results.
///
/// `x` below zero gives NaN (Vulkan leaves it undefined). `y` of ±0 gives 1 for every `x` but NaN and
/// negative ones; `pow(±0, y)` is 0 or inf by the sign of `y`, `pow(inf, y)` likewise inf or 0; `pow(1,
/// ±inf)` and NaN operands give NaN.
///
/// A constant `y` of 1/2, -1/2, -1 or a whole number from 1 to 8 takes roots and products instead, which are
/// defined for negative `x` too where the power is.
pub fn pow(b: &mut Builder, x: Value, y: Value) -> Value {
    in_f32(b, [x, y], |b, [x, y]| {
        if let Some(bits) = b.function.const_bits(y)
            && let Some(power) = constant_power(b, x, f32::from_bits(bits as u32))
        {
            return power;
        }
        let (high, low) = log2_in_two(b, x);
        let high = log_special(b, x, high);
        let product = b.fmul(high, y);
        let minus_product = b.fneg(product);
        let rest = b.fma(high, y, minus_product);
        let rest = b.mad(low, y, rest);
        // Beyond the range of results, and for infinities, the rest may be anything, NaN too: drop it.
        let magnitude = b.fabs(product);
        let (limit, zero, one) = (b.f32(256.0), b.f32(0.0), b.f32(1.0));
        let in_range = b.flt(magnitude, limit);
        let rest = b.select(in_range, rest, zero);
        let product = clamp_exponent(b, product, -152.0, 130.0);
        let result = exp2_of_sum(b, product, Some(rest));
        // 0 * log2(0) is NaN.
        let y_is_zero = b.feq(y, zero);
        let nonnegative = b.fle(zero, x);
        let is_one = b.and(y_is_zero, nonnegative);
        b.select(is_one, one, result)
    })
}

/// `x` to a power for which a few roots or products do.
fn constant_power(b: &mut Builder, x: Value, y: f32) -> Option<Value> {
    if y == 0.5 {
        return Some(b.fsqrt(x));
    }
    if y == -0.5 {
        return Some(inverse_sqrt(b, x));
    }
    if y == -1.0 {
        let one = b.f32(1.0);
        return Some(b.fdiv(one, x));
    }
    if !(1.0..=8.0).contains(&y) || y.fract() != 0.0 {
        return None;
    }
    // Square and multiply, from the exponent's lowest bit.
    let mut exponent = y as u32;
    let mut square = x;
    let mut product = None;
    loop {
        if exponent & 1 == 1 {
            product = Some(match product {
                Some(product) => b.fmul(product, square),
                None => square,
            });
        }
        exponent >>= 1;
        if exponent == 0 {
            return product;
        }
        square = b.fmul(square, square);
    }
}

/// `log2 x` of a positive finite `x` as a sum of two floats, the second far smaller.
fn log2_in_two(b: &mut Builder, x: Value) -> (Value, Value) {
    let Parts { exponent, f } = parts(b, x);
    let (c1, c1_low) = (b.f32(LOG2_E[0]), b.f32(LOG2_E[1]));
    let (c2, c2_low) = (b.f32(LOG2_E[0] * -0.5), b.f32(LOG2_E[1] * -0.5));
    let scale = b.f32(2f32.powi(-23));
    let e = b.fmul(exponent, scale);
    // The first two terms, f * log2 e and -f^2 / 2 * log2 e, each as a rounded value and its error.
    let first = b.fmul(f, c1);
    let minus_first = b.fneg(first);
    let first_low = b.fma(f, c1, minus_first);
    let first_low = b.mad(f, c1_low, first_low);
    let square = b.fmul(f, f);
    let minus_square = b.fneg(square);
    let square_low = b.fma(f, f, minus_square);
    let second = b.fmul(square, c2);
    let minus_second = b.fneg(second);
    let second_low = b.fma(square, c2, minus_second);
    let second_low = b.mad(square_low, c2, second_low);
    let second_low = b.mad(square, c2_low, second_low);
    // The other terms over f^3, |f| <= 1/3, relative to ln(1 + f): 2^-30.1.
    let q = b.poly(
        f,
        &[
            0.17314701,
            -0.18533045,
            0.15517685,
            -0.17594483,
            0.20636678,
            -0.24063565,
            0.28853333,
            -0.36067116,
            0.48089838,
        ],
    );
    let others = b.fmul(square, q);
    // Fast two-sums: in each the first operand is zero or the larger.
    let (sum, error) = two_sum(b, e, first);
    let (sum, error_2) = two_sum(b, sum, second);
    let low = b.fadd(error, error_2);
    let low = b.fadd(low, first_low);
    let low = b.fadd(low, second_low);
    let low = b.mad(others, f, low);
    two_sum(b, sum, low)
}

/// The rounded sum and its error, where `x` is zero or no smaller than `y`.
fn two_sum(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let sum = b.fadd(x, y);
    let y_rounded = b.fsub(sum, x);
    (sum, b.fsub(y, y_rounded))
}

/// `Sqrt`: correctly rounded. Any float. -0 gives -0, negative values NaN.
pub fn sqrt(b: &mut Builder, x: Value) -> Value {
    b.fsqrt(x)
}

/// `InverseSqrt`. Any float. ±0 give ±inf, inf gives 0, negative values NaN.
pub fn inverse_sqrt(b: &mut Builder, x: Value) -> Value {
    let (scalar, wide) = widen_half(b, &[x]);
    let root = b.fsqrt(wide[0]);
    let ty = b.scalar(root);
    let one = b.float(ty, 1.0);
    let inverse = b.fdiv(one, root);
    b.to_float(inverse, scalar)
}
