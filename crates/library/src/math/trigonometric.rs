//! Angles.

use pyro_ir::{Builder, Value};

/// `Sin`.
pub fn sin(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Cos`.
pub fn cos(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Tan`.
pub fn tan(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Asin`: within [-pi/2, pi/2]; NaN where `|x| > 1`.
pub fn asin(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Acos`: within [0, pi]; NaN where `|x| > 1`.
pub fn acos(b: &mut Builder, x: Value) -> Value {
    let _ = (b, x);
    todo!()
}

/// `Atan`: within [-pi/2, pi/2].
pub fn atan(b: &mut Builder, y_over_x: Value) -> Value {
    let _ = (b, y_over_x);
    todo!()
}

/// `Atan2`: the angle of the point `(x, y)`, within [-pi, pi].
pub fn atan2(b: &mut Builder, y: Value, x: Value) -> Value {
    let _ = (b, y, x);
    todo!()
}
