//! Division by constants through multiplication and shifts.
//!
//! After Warren, "Hacker's Delight" (2nd edition), chapter 10, and Granlund and Montgomery, "Division by
//! Invariant Integers using Multiplication" (1994). For 32 and 64 bits, where the high half of a product is
//! cheaper than a division; powers of two at every width. Results for the divisor 0 are as
//! [`pyro_ir::Opcode`] says.

use crate::simplify::Simple::{self, Const, Op};
use pyro_ir::{Opcode, Scalar, Value};

/// `x op divisor`, or `None` when the division is to stay.
pub(crate) fn by_constant(op: Opcode, x: Value, divisor: u64, scalar: Scalar) -> Option<Simple> {
    let x = Simple::Value(x);
    let bits = scalar.bits();
    let all = scalar.mask();
    let signed = matches!(op, Opcode::SDiv | Opcode::SRem);
    let remainder = matches!(op, Opcode::URem | Opcode::SRem);
    match (divisor, remainder) {
        (0, true) => return Some(x),
        (0, false) => return Some(Const(all)),
        (1, true) => return Some(Const(0)),
        (1, false) => return Some(x),
        _ => {}
    }
    if op == Opcode::URem && divisor.is_power_of_two() {
        return Some(Op(Opcode::And, vec![x, Const(divisor - 1)]));
    }
    let quotient = if signed { signed_quotient(&x, divisor, bits)? } else { unsigned(&x, divisor, bits)? };
    if !remainder {
        return Some(quotient);
    }
    let product = Op(Opcode::IMul, vec![quotient, Const(divisor)]);
    Some(Op(Opcode::ISub, vec![x, product]))
}

fn unsigned(x: &Simple, divisor: u64, bits: u32) -> Option<Simple> {
    let x = || x.clone();
    let shift = |value: Simple, by: u32| {
        if by == 0 { value } else { Op(Opcode::LShr, vec![value, Const(by.into())]) }
    };
    if divisor.is_power_of_two() {
        return Some(shift(x(), divisor.trailing_zeros()));
    }
    if bits < 32 {
        return None;
    }
    // The least l with 2^l >= d, and m = ceil(2^(bits + l) / d), which has bits + 1 bits.
    let l = u64::BITS - (divisor - 1).leading_zeros();
    let scaled = 1u128.checked_shl(bits + l).filter(|_| bits + l < 128);
    let magic = match scaled {
        Some(scaled) => scaled.div_ceil(u128::from(divisor)),
        // 2^128 / d rounded up, without 2^128: d is no power of two, so (2^128 - 1) / d rounds down alike.
        None => u128::MAX / u128::from(divisor) + 1,
    };
    // An even divisor, or luck: a shorter multiplier may do, with a smaller shift.
    let (mut magic, mut l) = (magic, l);
    while l > 0 {
        let low = ((1u128 << (bits + l - 1)) / u128::from(divisor)) + 1;
        // m is good when m * d - 2^(bits + l') <= 2^l'.
        let error = low * u128::from(divisor) - (1u128 << (bits + l - 1));
        if error > 1u128 << (l - 1) {
            break;
        }
        (magic, l) = (low, l - 1);
    }
    let high = |m: u128| Op(Opcode::UMulHigh, vec![x(), Const(m as u64)]);
    if magic >> bits == 0 {
        return Some(shift(high(magic), l));
    }
    // One bit too long: x * (2^bits + m') / 2^(bits + l) without overflow.
    let m = magic - (1u128 << bits);
    let t = high(m);
    let half = shift(Op(Opcode::ISub, vec![x(), t.clone()]), 1);
    Some(shift(Op(Opcode::IAdd, vec![half, t]), l - 1))
}

fn signed_quotient(x: &Simple, divisor: u64, bits: u32) -> Option<Simple> {
    let x = || x.clone();
    let top = u64::from(bits - 1);
    let wide = ((divisor << (64 - bits)) as i64) >> (64 - bits);
    let negate = |value: Simple| Op(Opcode::ISub, vec![Const(0), value]);
    if wide == -1 {
        return Some(negate(x()));
    }
    let magnitude = wide.unsigned_abs();
    if magnitude.is_power_of_two() {
        let k = u64::from(magnitude.trailing_zeros());
        // Rounds towards zero: adds 2^k - 1 below zero.
        let sign = Op(Opcode::AShr, vec![x(), Const(top)]);
        let bias = Op(Opcode::LShr, vec![sign, Const(u64::from(bits) - k)]);
        let quotient = Op(Opcode::AShr, vec![Op(Opcode::IAdd, vec![x(), bias]), Const(k)]);
        return Some(if wide < 0 { negate(quotient) } else { quotient });
    }
    if bits < 32 {
        return None;
    }
    let (magic, shift) = signed_magic(wide, bits);
    let magic_wide = ((magic << (64 - bits)) as i64) >> (64 - bits);
    let mut quotient = Op(Opcode::SMulHigh, vec![x(), Const(magic)]);
    if wide > 0 && magic_wide < 0 {
        quotient = Op(Opcode::IAdd, vec![quotient, x()]);
    } else if wide < 0 && magic_wide > 0 {
        quotient = Op(Opcode::ISub, vec![quotient, x()]);
    }
    if shift > 0 {
        quotient = Op(Opcode::AShr, vec![quotient, Const(shift.into())]);
    }
    let sign = Op(Opcode::LShr, vec![quotient.clone(), Const(top)]);
    Some(Op(Opcode::IAdd, vec![quotient, sign]))
}

/// The multiplier and shift for a signed divisor that is neither 0, 1, -1 nor a power of two.
fn signed_magic(divisor: i64, bits: u32) -> (u64, u32) {
    let d = u128::from(divisor.unsigned_abs());
    let two = 1u128 << (bits - 1);
    let t = two + u128::from(divisor < 0);
    let anc = t - 1 - t % d;
    let mut p = bits - 1;
    loop {
        p += 1;
        // The least p with 2^p > anc * (d - 2^p mod d).
        let power = 1u128 << p;
        let rest = d - power % d;
        if power > anc * rest {
            let magic = (power + rest) / d;
            let magic = if divisor < 0 { magic.wrapping_neg() } else { magic };
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            return (magic as u64 & mask, p - bits);
        }
    }
}
