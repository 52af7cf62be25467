//! Signs, minima and maxima, interpolation. Any float or integer type. `FMix` and `SmoothStep` of `f16` are
//! computed in `f32` and rounded once at the end; all else in the operands' own type.

use super::rounding::one_bits;
use crate::float::infinity_bits;
use crate::ops::{Ops, widen_half};
use pyro_ir::{Builder, InstData, Opcode, Value};

/// `FAbs`: clears the sign, of NaN too.
pub fn f_abs(b: &mut Builder, x: Value) -> Value {
    b.fabs(x)
}

/// `SAbs`; the least value gives itself.
pub fn s_abs(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let zero = b.int(scalar, 0);
    let negative = b.isub(zero, x);
    b.smax(x, negative)
}

/// `FSign`: 1, -1, or `x` itself for ±0. NaN gives 1, whatever its sign bit, which is not the same on all
/// processors.
pub fn f_sign(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let [zero, one, minus_one] = [0.0, 1.0, -1.0].map(|value| b.float(scalar, value));
    let (is_zero, is_negative) = (b.feq(x, zero), b.flt(x, zero));
    let signed_one = b.select(is_negative, minus_one, one);
    b.select(is_zero, x, signed_one)
}

/// `SSign`: 1, 0 or -1.
pub fn s_sign(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let one = b.int(scalar, 1);
    let minus_one = b.int(scalar, -1);
    let low = b.smax(x, minus_one);
    b.smin(low, one)
}

/// `Radians`: `x * (pi / 180)`.
pub fn radians(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let factor = b.float(scalar, std::f64::consts::PI / 180.0);
    b.fmul(x, factor)
}

/// `Degrees`: `x * (180 / pi)`.
pub fn degrees(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let factor = b.float(scalar, 180.0 / std::f64::consts::PI);
    b.fmul(x, factor)
}

/// `FMin`: `y` when `y < x`, else `x`; so `x` when either is NaN or both are zero.
pub fn f_min(b: &mut Builder, x: Value, y: Value) -> Value {
    b.fmin(y, x)
}

/// `UMin`.
pub fn u_min(b: &mut Builder, x: Value, y: Value) -> Value {
    b.umin(x, y)
}

/// `SMin`.
pub fn s_min(b: &mut Builder, x: Value, y: Value) -> Value {
    b.smin(x, y)
}

/// `FMax`: `y` when `x < y`, else `x`; so `x` when either is NaN or both are zero.
pub fn f_max(b: &mut Builder, x: Value, y: Value) -> Value {
    b.fmax(y, x)
}

/// `UMax`.
pub fn u_max(b: &mut Builder, x: Value, y: Value) -> Value {
    b.umax(x, y)
}

/// `SMax`.
pub fn s_max(b: &mut Builder, x: Value, y: Value) -> Value {
    b.smax(x, y)
}

/// `FClamp`: `min(max(x, low), high)`; NaN in `x` gives `low`, as `NClamp` does.
pub fn f_clamp(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let x = b.fmax(x, low);
    b.fmin(x, high)
}

/// `UClamp`: `min(max(x, low), high)`.
pub fn u_clamp(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let x = b.umax(x, low);
    b.umin(x, high)
}

/// `SClamp`: `min(max(x, low), high)`.
pub fn s_clamp(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let x = b.smax(x, low);
    b.smin(x, high)
}

/// `NMin`: the smaller; when one is NaN, the other.
pub fn n_min(b: &mut Builder, x: Value, y: Value) -> Value {
    // `fmin` gives its second operand for NaN: right unless that one is the NaN.
    if is_known_number(b, y) {
        return b.fmin(x, y);
    }
    if is_known_number(b, x) {
        return b.fmin(y, x);
    }
    let smaller = b.fmin(x, y);
    let y_is_nan = b.fne(y, y);
    b.select(y_is_nan, x, smaller)
}

/// `NMax`: the larger; when one is NaN, the other.
pub fn n_max(b: &mut Builder, x: Value, y: Value) -> Value {
    if is_known_number(b, y) {
        return b.fmax(x, y);
    }
    if is_known_number(b, x) {
        return b.fmax(y, x);
    }
    let larger = b.fmax(x, y);
    let y_is_nan = b.fne(y, y);
    b.select(y_is_nan, x, larger)
}

/// `chosen`, or where the operands are equal the bits of both combined by `op`: these differ for zeros only.
fn with_signed_zeros(b: &mut Builder, op: Opcode, chosen: Value, x: Value, y: Value) -> Value {
    let scalar = b.scalar(x);
    let int = scalar.to_int();
    let (x_bits, y_bits) = (b.bitcast(x, int), b.bitcast(y, int));
    let combined = b.op(op, &[x_bits, y_bits]);
    let combined = b.bitcast(combined, scalar);
    let equal = b.feq(x, y);
    b.select(equal, combined, chosen)
}

/// `FMin` where -0 is less than +0.
pub fn f_min_signed(b: &mut Builder, x: Value, y: Value) -> Value {
    let smaller = f_min(b, x, y);
    with_signed_zeros(b, Opcode::Or, smaller, x, y)
}

/// `FMax` where -0 is less than +0.
pub fn f_max_signed(b: &mut Builder, x: Value, y: Value) -> Value {
    let larger = f_max(b, x, y);
    with_signed_zeros(b, Opcode::And, larger, x, y)
}

/// `NMin` where -0 is less than +0.
pub fn n_min_signed(b: &mut Builder, x: Value, y: Value) -> Value {
    let smaller = n_min(b, x, y);
    with_signed_zeros(b, Opcode::Or, smaller, x, y)
}

/// `NMax` where -0 is less than +0.
pub fn n_max_signed(b: &mut Builder, x: Value, y: Value) -> Value {
    let larger = n_max(b, x, y);
    with_signed_zeros(b, Opcode::And, larger, x, y)
}

/// `FClamp` where -0 is less than +0.
pub fn f_clamp_signed(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let x = f_max_signed(b, x, low);
    f_min_signed(b, x, high)
}

/// `NClamp` where -0 is less than +0.
pub fn n_clamp_signed(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let x = n_max_signed(b, x, low);
    n_min_signed(b, x, high)
}

/// Whether a value is a constant other than NaN.
fn is_known_number(b: &Builder, x: Value) -> bool {
    let magnitude = |bits: u64| bits & (b.scalar(x).mask() >> 1);
    b.function.const_bits(x).is_some_and(|bits| magnitude(bits) <= infinity_bits(b.scalar(x)))
}

/// `NClamp`: `NMin(NMax(x, low), high)`; NaN in `x` gives `low`.
pub fn n_clamp(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let x = n_max(b, x, low);
    n_min(b, x, high)
}

/// `FMix` as `(x - x * a) + y * a` with two roundings, which are within those of the formula in
/// [`f_mix_strict`]; exact for `a` of 0 and 1 with finite operands. Not for shaders that say something of
/// infinities or signs of zeros: infinite `x` gives NaN.
pub fn f_mix(b: &mut Builder, x: Value, y: Value, a: Value) -> Value {
    let (scalar, values) = widen_half(b, &[x, y, a]);
    let (x, y, a) = (values[0], values[1], values[2]);
    let negative = b.fneg(x);
    let from_x = b.mad(negative, a, x);
    let wide = b.scalar(x);
    let flags = InstData::INTERPOLATES | InstData::MAY_ROUND_TWICE;
    let mixed = b.emit(Opcode::FFma, &[y, a, from_x], flags, wide).expect("gives a result");
    b.to_float(mixed, scalar)
}

/// `FMix`: `x * (1 - a) + y * a`; exact for `a` of 0 and 1 with finite operands.
pub fn f_mix_strict(b: &mut Builder, x: Value, y: Value, a: Value) -> Value {
    let (scalar, values) = widen_half(b, &[x, y, a]);
    let (x, y, a) = (values[0], values[1], values[2]);
    let wide = b.scalar(x);
    let one = b.float(wide, 1.0);
    let rest = b.fsub(one, a);
    let from_x = b.fmul(x, rest);
    let mixed = b.mad(y, a, from_x);
    b.to_float(mixed, scalar)
}

/// `Step`: 0 where `x < edge`, else 1 (for NaN too).
pub fn step(b: &mut Builder, edge: Value, x: Value) -> Value {
    let scalar = b.scalar(x);
    let (zero, one) = (b.float(scalar, 0.0), b.constant(scalar, one_bits(scalar)));
    let below = b.flt(x, edge);
    b.select(below, zero, one)
}

/// `SmoothStep`: Hermite interpolation `t * t * (3 - 2 * t)` of `t = clamp((x - edge0) / (edge1 - edge0))`.
/// NaN in `t` counts as 0.
pub fn smooth_step(b: &mut Builder, edge0: Value, edge1: Value, x: Value) -> Value {
    let (scalar, values) = widen_half(b, &[edge0, edge1, x]);
    let (edge0, edge1, x) = (values[0], values[1], values[2]);
    let wide = b.scalar(x);
    let (zero, one) = (b.float(wide, 0.0), b.float(wide, 1.0));
    let (minus_two, three) = (b.float(wide, -2.0), b.float(wide, 3.0));
    let from_edge = b.fsub(x, edge0);
    let width = b.fsub(edge1, edge0);
    let t = b.fdiv(from_edge, width);
    let t = f_clamp(b, t, zero, one);
    let square = b.fmul(t, t);
    let slope = b.mad(minus_two, t, three);
    let smooth = b.fmul(square, slope);
    b.to_float(smooth, scalar)
}

/// `Fma`: `x * y + z`; Vulkan lets it round the product, too.
pub fn fma(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    b.mad(x, y, z)
}
