//! The sRGB transfer functions, on values within [0, 1].

use crate::ops::Ops;
use pyro_ir::eval::srgb;
use pyro_ir::{Builder, Value};

/// From an sRGB-encoded value within [0, 1] to the linear one: `x / 12.92` up to 0.04045, else
/// `((x + 0.055) / 1.055)^2.4`. Relative error below 2^-18; 0 and 1 give themselves.
pub fn srgb_to_linear(b: &mut Builder, x: Value) -> Value {
    let threshold = b.f32(srgb::DARK_ENCODED);
    let slope = b.f32((1.0 / 12.92) as f32);
    let linear = b.fmul(x, slope);
    let (scale, offset) = (b.f32((1.0 / 1.055) as f32), b.f32((0.055 / 1.055) as f32));
    let u = b.fma(x, scale, offset);
    // u^2.4 = u^2 * q(sqrt u), with q(w) = w^0.8 over the range that comes here.
    let w = b.fsqrt(u);
    let q = b.fused_poly(w, &srgb::TO_LINEAR);
    let square = b.fmul(u, u);
    let curve = b.fmul(square, q);
    let dark = b.fle(x, threshold);
    b.select(dark, linear, curve)
}

/// From a linear value, clamped to [0, 1] (NaN counts as 0), to the sRGB-encoded one: `12.92 * x` up to
/// 0.0031308, else `1.055 * x^(1 / 2.4) - 0.055`. Absolute error below 2^-19; 0 and 1 give themselves.
pub fn linear_to_srgb(b: &mut Builder, x: Value) -> Value {
    let (zero, one, threshold) = (b.f32(0.0), b.f32(1.0), b.f32(srgb::DARK_LINEAR));
    let x = b.fmax(x, zero);
    let x = b.fmin(x, one);
    let slope = b.f32(srgb::DARK_SLOPE);
    let linear = b.fmul(x, slope);
    // In the fourth root the curve is smooth.
    let root = b.fsqrt(x);
    let root = b.fsqrt(root);
    let curve = b.fused_poly(root, &srgb::FROM_LINEAR);
    let curve = b.fmin(curve, one);
    let dark = b.fle(x, threshold);
    b.select(dark, linear, curve)
}
