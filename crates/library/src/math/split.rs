//! A float taken apart and put together. Any float.

use crate::ops::Ops;
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// `Modf`, `ModfStruct`: `(fraction, whole)`, both with the sign of `x`; the fraction of ±inf is ±0.
pub fn modf(b: &mut Builder, x: Value) -> (Value, Value) {
    let scalar = b.scalar(x);
    let whole = b.ftrunc(x);
    let fraction = b.fsub(x, whole);
    // inf - inf is NaN, and x - x is +0: take 0 for infinities, and the sign from x.
    let infinite = crate::float::is_inf(b, x);
    let zero = b.float(scalar, 0.0);
    let fraction = b.select(infinite, zero, fraction);
    (crate::float::copy_sign(b, fraction, x), whole)
}

/// `Frexp`, `FrexpStruct`: `(significand, exponent)` with `x = significand * 2^exponent`, the significand's
/// magnitude within [0.5, 1), the exponent of type `exponent` (an integer type; at least 16 bits). ±0, ±inf
/// and NaN give themselves and the exponent 0.
pub fn frexp(b: &mut Builder, x: Value, exponent: Scalar) -> (Value, Value) {
    let _ = (b, x, exponent);
    todo!()
}

/// `Ldexp`: `x * 2^exponent`, rounded once; `exponent` of any integer type, signed, any value.
pub fn ldexp(b: &mut Builder, x: Value, exponent: Value) -> Value {
    let _ = (b, x, exponent, Opcode::FMul);
    todo!()
}
