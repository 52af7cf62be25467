//! Powers, exponentials, logarithms and roots.

use super::in_f32;
use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `Pow`: `x` to the power `y` for `x >= 0`.
pub fn pow(b: &mut Builder, x: Value, y: Value) -> Value {
    let _ = (in_f32(b, [x, y], |_, [x, _]| x), y);
    todo!()
}

/// `Exp`: e to the power `x`.
pub fn exp(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Exp2`: 2 to the power `x`.
pub fn exp2(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Log`: the natural logarithm.
pub fn log(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Log2`: the logarithm to base 2.
pub fn log2(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Sqrt`: correctly rounded. Any float. -0 gives -0, negative values NaN.
pub fn sqrt(b: &mut Builder, x: Value) -> Value {
    b.fsqrt(x)
}

/// `InverseSqrt`. Any float. ±0 give ±inf, inf gives 0, negative values NaN.
pub fn inverse_sqrt(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let one = b.float(scalar, 1.0);
    let root = b.fsqrt(x);
    b.fdiv(one, root)
}
