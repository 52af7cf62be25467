//! A float taken apart and put together. Any float.

use crate::float::{copy_sign, infinity_bits, is_inf, layout};
use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// `Modf`, `ModfStruct`: `(fraction, whole)`, both with the sign of `x`; the fraction of ±inf is ±0.
pub fn modf(b: &mut Builder, x: Value) -> (Value, Value) {
    let scalar = b.scalar(x);
    let whole = b.ftrunc(x);
    let fraction = b.fsub(x, whole);
    // inf - inf is NaN, and x - x is +0: take 0 for infinities, and the sign from x.
    let infinite = is_inf(b, x);
    let zero = b.float(scalar, 0.0);
    let fraction = b.select(infinite, zero, fraction);
    (copy_sign(b, fraction, x), whole)
}

/// `Frexp`, `FrexpStruct`: `(significand, exponent)` with `x = significand * 2^exponent`, the significand's
/// magnitude within [0.5, 1), the exponent of type `exponent` (an integer type; at least 16 bits for `f64`).
/// ±0, ±inf and NaN give themselves and the exponent 0.
pub fn frexp(b: &mut Builder, x: Value, exponent: Scalar) -> (Value, Value) {
    let scalar = b.scalar(x);
    let int = scalar.to_int();
    let (exponent_bits, fraction_bits) = layout(scalar);
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let magnitude = b.fabs(x);
    let least_normal = b.constant(scalar, 1 << fraction_bits);
    let tiny = b.flt(magnitude, least_normal);
    // Denormal values are scaled up by 2^fraction_bits first.
    let up = b.float(scalar, (1u64 << fraction_bits) as f64);
    let scaled = b.fmul(x, up);
    let normal = b.select(tiny, scaled, x);
    let bits = b.bitcast(normal, int);
    let shift = b.int(int, fraction_bits.into());
    let mask = b.int(int, (1 << exponent_bits) - 1);
    let field = b.lshr(bits, shift);
    let field = b.and(field, mask);
    let (offset, tiny_offset) = (b.int(int, bias - 1), b.int(int, bias - 1 + i64::from(fraction_bits)));
    let offset = b.select(tiny, tiny_offset, offset);
    let power = b.isub(field, offset);
    let exponent_field = b.constant(int, infinity_bits(scalar));
    let half = b.constant(int, (bias as u64 - 1) << fraction_bits);
    let significand = b.andnot(bits, exponent_field);
    let significand = b.or(significand, half);
    let significand = b.bitcast(significand, scalar);
    // Zero, infinity and NaN: the magnitude's bits less one are not below infinity's less one.
    let (zero, one) = (b.int(int, 0), b.int(int, 1));
    let magnitude_bits = b.bitcast(magnitude, int);
    let below = b.isub(magnitude_bits, one);
    let limit = b.constant(int, infinity_bits(scalar) - 1);
    let ordinary = b.ult(below, limit);
    let significand = b.select(ordinary, significand, x);
    let power = b.select(ordinary, power, zero);
    (significand, b.resize_s(power, exponent))
}

/// `Ldexp`: `x * 2^exponent`, rounded once; `exponent` of any integer type, signed, any value. ±0, ±inf and
/// NaN give themselves.
pub fn ldexp(b: &mut Builder, x: Value, exponent: Value) -> Value {
    let scalar = b.scalar(x);
    // No exponent beyond the limit gives another result: the range of exponents, denormal ones included,
    // twice over. The narrow types multiply once in the next wider one, where nothing is rounded.
    let (wide, limit) = match scalar {
        Scalar::F16 => (Scalar::F32, 64),
        Scalar::F32 => (Scalar::F64, 300),
        _ => return ldexp_f64(b, x, exponent),
    };
    let exponent = clamp(b, exponent, limit);
    let factor = power_of_two(b, exponent, wide);
    let x = b.to_float(x, wide);
    let product = b.fmul(x, factor);
    b.to_float(product, scalar)
}

/// `Ldexp` of an `f64` in three steps, since one factor does not reach every result. Only the last step can
/// round a result that is not zero: the steps down leave 2^-970 below 1, far from where fractions are lost.
fn ldexp_f64(b: &mut Builder, x: Value, exponent: Value) -> Value {
    let scalar = b.scalar(x);
    let exponent = clamp(b, exponent, 2200);
    let (low, high) = (b.i32(-969i32 as u32), b.i32(1023));
    let last = b.smax(exponent, low);
    let last = b.smin(last, high);
    let rest = b.isub(exponent, last);
    let second = b.smax(rest, low);
    let second = b.smin(second, high);
    let first = b.isub(rest, second);
    [first, second, last].into_iter().fold(x, |x, exponent| {
        let factor = power_of_two(b, exponent, scalar);
        b.fmul(x, factor)
    })
}

/// An integer clamped to ±`limit`, as `i32`.
fn clamp(b: &mut Builder, exponent: Value, limit: i64) -> Value {
    let int = b.scalar(exponent);
    let exponent = if int.bits() < 32 { b.resize_s(exponent, Scalar::I32) } else { exponent };
    let int = b.scalar(exponent);
    let (low, high) = (b.int(int, -limit), b.int(int, limit));
    let exponent = b.smax(exponent, low);
    let exponent = b.smin(exponent, high);
    b.resize_s(exponent, Scalar::I32)
}

/// `2^exponent` for an `i32` that the float type's normal values reach.
fn power_of_two(b: &mut Builder, exponent: Value, scalar: Scalar) -> Value {
    let int = scalar.to_int();
    let (exponent_bits, fraction_bits) = layout(scalar);
    let bias = b.i32((1 << (exponent_bits - 1)) - 1);
    let biased = b.iadd(exponent, bias);
    let biased = b.resize_u(biased, int);
    let shift = b.int(int, fraction_bits.into());
    let bits = b.shl(biased, shift);
    b.bitcast(bits, scalar)
}
