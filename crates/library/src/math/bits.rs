//! Bit searches. Any integer type; the result has the operand's type.

use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `FindILsb`: the number of the lowest one bit; -1 for zero.
pub fn find_ilsb(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let (zero, minus_one) = (b.int(scalar, 0), b.int(scalar, -1));
    let lowest = b.ctz(x);
    let none = b.ieq(x, zero);
    b.select(none, minus_one, lowest)
}

/// `FindUMsb`: the number of the highest one bit; -1 for zero.
pub fn find_umsb(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    // clz(0) is the width, so zero needs no special case.
    let highest = b.int(scalar, i64::from(scalar.bits()) - 1);
    let above = b.clz(x);
    b.isub(highest, above)
}

/// `FindSMsb`: the number of the highest bit that differs from the sign; -1 for 0 and -1.
pub fn find_smsb(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let shift = b.int(scalar, i64::from(scalar.bits()) - 1);
    let sign = b.ashr(x, shift);
    let magnitude = b.xor(x, sign);
    find_umsb(b, magnitude)
}
