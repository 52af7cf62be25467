//! Rounding to integral values. Any float; exact; ±0, ±inf and NaN give themselves.

use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `Round`: to nearest; halves go to the even neighbour (GLSL leaves the choice).
pub fn round(b: &mut Builder, x: Value) -> Value {
    b.fround(x)
}

/// `RoundEven`: to nearest, halves to even.
pub fn round_even(b: &mut Builder, x: Value) -> Value {
    b.fround(x)
}

/// `Trunc`: towards zero.
pub fn trunc(b: &mut Builder, x: Value) -> Value {
    b.ftrunc(x)
}

/// `Floor`: down.
pub fn floor(b: &mut Builder, x: Value) -> Value {
    b.ffloor(x)
}

/// `Ceil`: up.
pub fn ceil(b: &mut Builder, x: Value) -> Value {
    b.fceil(x)
}

/// `Fract`: `x - floor(x)`, always below 1: where rounding would give 1 (a tiny negative `x`) the result is
/// the largest value below 1. NaN for ±inf.
pub fn fract(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let floor = b.ffloor(x);
    let fract = b.fsub(x, floor);
    let below_one = b.constant(scalar, one_bits(scalar) - 1);
    // The constant comes first, so that NaN passes.
    b.fmin(below_one, fract)
}

/// The bits of 1.
pub(super) fn one_bits(scalar: pyro_ir::Scalar) -> u64 {
    match scalar {
        pyro_ir::Scalar::F16 => 0x3c00,
        pyro_ir::Scalar::F32 => 0x3f80_0000,
        _ => 0x3ff0_0000_0000_0000,
    }
}
