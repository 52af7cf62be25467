//! Angles.
//!
//! `sin` and `cos` subtract the nearest multiple of pi in three exact or nearly exact steps (Cody and Waite,
//! with fused multiply-adds), which leaves `r` within [-pi/2, pi/2], and use one polynomial for `sin r`. The
//! reduction is good while `|x| <= 2^17`; above, the results lose meaning step by step (Vulkan asks for
//! [-pi, pi] only) but stay within [-1, 1]. `tan` reduces by pi/2, and is good while `|x| <= 2^17` too. ±inf
//! and NaN give NaN.

use super::in_f32;
use crate::ops::{MAGIC, Ops};
use pyro_ir::{Builder, Scalar, Value};
use std::f32::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2, PI};

/// Pi as a sum of three floats.
const PI_PARTS: [f32; 3] = [3.141_592_5, 1.509_957_9e-7, 1.078_060_5e-14];

/// Half of pi less its nearest float, negated.
const FRAC_PI_2_LOW: f32 = 4.371_139e-8;

/// `Sin`. `sin(±0)` is +0.
pub fn sin(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (scale, magic) = (b.f32(FRAC_1_PI), b.f32(MAGIC));
        let t = b.mad(x, scale, magic);
        let n = b.fsub(t, magic);
        let r = subtract_multiple(b, x, n, 1.0);
        sin_of_reduced(b, r, t)
    })
}

/// `Cos`.
pub fn cos(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        // cos x = sin(x + pi / 2) = (-1)^(k + 1) sin(x - (k + 1/2) pi).
        let (scale, magic, half) = (b.f32(FRAC_1_PI), b.f32(MAGIC + 1.0), b.f32(0.5));
        let minus_half = b.f32(-0.5);
        let t = b.mad(x, scale, minus_half);
        let t = b.fadd(t, magic);
        let k = b.fsub(t, magic);
        let n = b.fadd(k, half);
        let r = subtract_multiple(b, x, n, 1.0);
        sin_of_reduced(b, r, t)
    })
}

/// `x - n * pi * fraction`.
fn subtract_multiple(b: &mut Builder, x: Value, n: Value, fraction: f32) -> Value {
    PI_PARTS.into_iter().fold(x, |r, part| {
        let part = b.f32(-part * fraction);
        b.mad(n, part, r)
    })
}

/// `sin r` for `|r| <= 1.01 * pi / 2`, negated where the lowest bit of `t` is set.
fn sin_of_reduced(b: &mut Builder, r: Value, t: Value) -> Value {
    // 1/pi as one float moves the nearest multiple by 4e-8 of itself: up to |x| = 2^17, |r| stays below this.
    // Farther out, clamping keeps the sine within [-1, 1].
    let (high, low) = (b.f32(FRAC_PI_2 * 1.01), b.f32(FRAC_PI_2 * -1.01));
    let r = b.fmin(high, r);
    let r = b.fmax(low, r);
    let square = b.fmul(r, r);
    // (sin r - r) / r^3 in r^2 over |r| <= 1.015 * pi / 2, relative to sin r: 2^-27. Of the coefficients this
    // good, these give sin(pi / 2) = 1 and round no result to more than 1.
    let p = b.poly(square, &[2.597_244e-6, -1.980_606_5e-4, 8.33303e-3, -0.1666666]);
    let cube = b.fmul(square, r);
    let sine = b.mad(cube, p, r);
    let shift = b.i32(31);
    let t = b.bitcast(t, Scalar::I32);
    let sign = b.shl(t, shift);
    let bits = b.bitcast(sine, Scalar::I32);
    let bits = b.xor(bits, sign);
    b.bitcast(bits, Scalar::F32)
}

/// `Tan`: reduced by pi / 2, then sine over cosine. `tan(±0)` is +0.
pub fn tan(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (scale, magic) = (b.f32(FRAC_2_PI), b.f32(MAGIC));
        let t = b.mad(x, scale, magic);
        let n = b.fsub(t, magic);
        let r = subtract_multiple(b, x, n, 0.5);
        let square = b.fmul(r, r);
        let cube = b.fmul(square, r);
        let p = b.poly(square, &[-1.950_514_5e-4, 8.332093e-3, -0.16666654]);
        let sine = b.mad(cube, p, r);
        let cosine = b.poly(square, &[2.441_208_6e-5, -1.388713e-3, 4.166_664e-2, -0.5, 1.0]);
        // Odd multiples of pi / 2: tan(r + pi / 2) = -cos r / sin r.
        let one = b.i32(1);
        let zero = b.i32(0);
        let t = b.bitcast(t, Scalar::I32);
        let odd = b.and(t, one);
        let odd = b.ine(odd, zero);
        let minus_cosine = b.fneg(cosine);
        let numerator = b.select(odd, minus_cosine, sine);
        let denominator = b.select(odd, sine, cosine);
        b.fdiv(numerator, denominator)
    })
}

/// `asin s` for `0 <= s <= 1/2`, with `square` its square.
fn asin_of_small(b: &mut Builder, s: Value, square: Value) -> Value {
    // (asin s - s) / s^3 in s^2, relative to asin s: 2^-27.6.
    let p = b.poly(square, &[4.2158388e-2, 2.4184743e-2, 4.5469154e-2, 7.4953094e-2, 0.16666752]);
    let cube = b.fmul(square, s);
    b.mad(cube, p, s)
}

/// What `asin` and `acos` share: the sign bit of `x`, whether `|x| > 1/2`, and `asin` of `|x|` or, where that
/// holds, of `sqrt((1 - |x|) / 2)`.
fn asin_core(b: &mut Builder, x: Value) -> (Value, Value, Value) {
    let (half, minus_half) = (b.f32(0.5), b.f32(-0.5));
    let magnitude = b.fabs(x);
    let sign = sign_of(b, x);
    let big = b.flt(half, magnitude);
    let square = b.fmul(x, x);
    let rest = b.mad(magnitude, minus_half, half);
    let square = b.select(big, rest, square);
    let root = b.fsqrt(rest);
    let s = b.select(big, root, magnitude);
    (sign, big, asin_of_small(b, s, square))
}

/// `Asin`: within [-pi/2, pi/2]; NaN where `|x| > 1`. `asin(±0)` is ±0.
pub fn asin(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (sign, big, p) = asin_core(b, x);
        let (minus_two, quarter_turn) = (b.f32(-2.0), b.f32(FRAC_PI_2));
        let from_one = b.mad(p, minus_two, quarter_turn);
        let result = b.select(big, from_one, p);
        with_sign(b, result, sign)
    })
}

/// `Acos`: within [0, pi]; NaN where `|x| > 1`. `acos(1)` is +0.
pub fn acos(b: &mut Builder, x: Value) -> Value {
    in_f32(b, [x], |b, [x]| {
        let (sign, big, p) = asin_core(b, x);
        let (zero, two) = (b.f32(0.0), b.f32(2.0));
        let (quarter_turn, half_turn) = (b.f32(FRAC_PI_2), b.f32(PI));
        // |x| <= 1/2: pi/2 - asin x. Else 2p, or pi - 2p for a negative x.
        let negative = b.flt(x, zero);
        let signed = with_sign(b, p, sign);
        let low = b.f32(FRAC_PI_2_LOW);
        let signed = b.fadd(signed, low);
        let small = b.fsub(quarter_turn, signed);
        let double = b.fmul(p, two);
        let supplement = b.fsub(half_turn, double);
        let large = b.select(negative, supplement, double);
        b.select(big, large, small)
    })
}

/// `atan t` for `0 <= |t| <= 1`.
fn atan_of_small(b: &mut Builder, t: Value) -> Value {
    let square = b.fmul(t, t);
    // (atan t - t) / t^3 in t^2, relative to atan t: 2^-28.5.
    let p = b.poly(
        square,
        &[
            -1.7828158e-3,
            1.086872e-2,
            -3.10971e-2,
            5.788151e-2,
            -8.399311e-2,
            0.10950881,
            -0.14264016,
            0.1999853,
            -0.333333,
        ],
    );
    let cube = b.fmul(square, t);
    b.mad(cube, p, t)
}

/// `Atan`: within [-pi/2, pi/2]. `atan(±0)` is ±0, `atan(±inf)` ±pi/2.
pub fn atan(b: &mut Builder, y_over_x: Value) -> Value {
    in_f32(b, [y_over_x], |b, [x]| {
        let (zero, one, minus_one) = (b.f32(0.0), b.f32(1.0), b.f32(-1.0));
        let quarter_turn = b.f32(FRAC_PI_2);
        let sign = sign_of(b, x);
        let magnitude = b.fabs(x);
        // atan a = pi/2 + atan(-1/a).
        let steep = b.flt(one, magnitude);
        let numerator = b.select(steep, minus_one, magnitude);
        let denominator = b.select(steep, magnitude, one);
        let t = b.fdiv(numerator, denominator);
        let p = atan_of_small(b, t);
        let base = b.select(steep, quarter_turn, zero);
        let result = b.fadd(base, p);
        with_sign(b, result, sign)
    })
}

/// `Atan2`: the angle of the point `(x, y)`, within [-pi, pi], as IEEE 754 has it: the signs of zeros count,
/// `atan2(±0, +0)` is ±0, `atan2(±0, -0)` ±pi, infinities give multiples of pi/4.
pub fn atan2(b: &mut Builder, y: Value, x: Value) -> Value {
    in_f32(b, [y, x], |b, [y, x]| {
        let one = b.f32(1.0);
        let (quarter_turn, half_turn) = (b.f32(FRAC_PI_2), b.f32(PI));
        let sign = sign_of(b, y);
        let (opposite, adjacent) = (b.fabs(y), b.fabs(x));
        let steep = b.flt(adjacent, opposite);
        let small = b.select(steep, adjacent, opposite);
        let large = b.select(steep, opposite, adjacent);
        // 0 / 0 is to be 0: the least denormal in the place of 0 does it. inf / inf is to be 1.
        let least = b.constant(Scalar::F32, 1);
        let large_nonzero = b.fmax(least, large);
        let t = b.fdiv(small, large_nonzero);
        let infinity = b.f32(f32::INFINITY);
        // With a NaN as the other, the result must not depend on its sign.
        let small_infinite = b.feq(small, infinity);
        let large_infinite = b.feq(large, infinity);
        let both_infinite = b.and(small_infinite, large_infinite);
        let t = b.select(both_infinite, one, t);
        let p = atan_of_small(b, t);
        let complement = b.fsub(quarter_turn, p);
        let angle = b.select(steep, complement, p);
        let x_bits = b.bitcast(x, Scalar::I32);
        let no_bits = b.i32(0);
        let left = b.slt(x_bits, no_bits);
        let supplement = b.fsub(half_turn, angle);
        let angle = b.select(left, supplement, angle);
        with_sign(b, angle, sign)
    })
}

/// The sign bit of an `f32`, as `i32`.
pub(super) fn sign_of(b: &mut Builder, x: Value) -> Value {
    let bits = b.bitcast(x, Scalar::I32);
    let sign = b.i32(1 << 31);
    b.and(bits, sign)
}

/// A magnitude with a sign bit.
pub(super) fn with_sign(b: &mut Builder, magnitude: Value, sign: Value) -> Value {
    let bits = b.bitcast(magnitude, Scalar::I32);
    let bits = b.or(bits, sign);
    b.bitcast(bits, Scalar::F32)
}
