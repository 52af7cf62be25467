//! Hyperbolic functions and their inverses.

use pyro_ir::{Builder, Value};

/// `Sinh`.
pub fn sinh(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Cosh`.
pub fn cosh(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Tanh`.
pub fn tanh(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Asinh`.
pub fn asinh(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Acosh`: NaN where `x < 1`.
pub fn acosh(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Atanh`: NaN where `|x| > 1`, ±inf at ±1.
pub fn atanh(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}
