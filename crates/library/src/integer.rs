//! SPIR-V core instructions on integers that have no single opcode. Any integer type of 8 to 64 bits.

use crate::ops::Ops;
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// `OpIAddCarry`: `(sum, carry)`, the carry 0 or 1.
pub fn add_carry(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let scalar = b.scalar(x);
    let sum = b.iadd(x, y);
    let carry = b.ult(sum, x);
    (sum, b.convert(Opcode::ZeroExtend, carry, scalar))
}

/// `OpISubBorrow`: `(difference, borrow)`, the borrow 0 or 1.
pub fn sub_borrow(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let scalar = b.scalar(x);
    let difference = b.isub(x, y);
    let borrow = b.ult(x, y);
    (difference, b.convert(Opcode::ZeroExtend, borrow, scalar))
}

/// `OpUMulExtended`: `(low, high)`.
pub fn u_mul_extended(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    (b.imul(x, y), b.umulh(x, y))
}

/// `OpSMulExtended`: `(low, high)`.
pub fn s_mul_extended(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    (b.imul(x, y), b.smulh(x, y))
}

/// `OpSNegate`.
pub fn s_negate(b: &mut Builder, x: Value) -> Value {
    let scalar = b.scalar(x);
    let zero = b.int(scalar, 0);
    b.isub(zero, x)
}

/// `OpSMod`: the remainder with the sign of `y`.
pub fn s_mod(b: &mut Builder, x: Value, y: Value) -> Value {
    let scalar = b.scalar(x);
    let zero = b.int(scalar, 0);
    let rest = b.srem(x, y);
    let signs = b.xor(rest, y);
    let opposite = b.slt(signs, zero);
    let nonzero = b.ine(rest, zero);
    let wrong = b.and(opposite, nonzero);
    let fixed = b.iadd(rest, y);
    b.select(wrong, fixed, rest)
}

/// `OpBitFieldInsert`: `base` with the bits `offset .. offset + count` taken from `insert`'s low bits.
/// `offset` and `count` may have other integer types. A count of 0 gives `base`.
pub fn bit_field_insert(b: &mut Builder, base: Value, insert: Value, offset: Value, count: Value) -> Value {
    let scalar = b.scalar(base);
    let (offset, count) = (b.resize_u(offset, scalar), b.resize_u(count, scalar));
    let mask = low_bits(b, scalar, count);
    let mask = b.shl(mask, offset);
    let insert = b.shl(insert, offset);
    let kept = b.andnot(base, mask);
    let taken = b.and(insert, mask);
    b.or(kept, taken)
}

/// `OpBitFieldUExtract`: the bits `offset .. offset + count`, zero-extended. A count of 0 gives 0.
pub fn bit_field_u_extract(b: &mut Builder, base: Value, offset: Value, count: Value) -> Value {
    let scalar = b.scalar(base);
    let (offset, count) = (b.resize_u(offset, scalar), b.resize_u(count, scalar));
    let mask = low_bits(b, scalar, count);
    let shifted = b.lshr(base, offset);
    b.and(shifted, mask)
}

/// `OpBitFieldSExtract`: the bits `offset .. offset + count`, sign-extended. A count of 0 gives 0.
pub fn bit_field_s_extract(b: &mut Builder, base: Value, offset: Value, count: Value) -> Value {
    let scalar = b.scalar(base);
    let (offset, count) = (b.resize_u(offset, scalar), b.resize_u(count, scalar));
    let bits = b.int(scalar, scalar.bits().into());
    let zero = b.int(scalar, 0);
    // Put the field at the top, then shift it down with its sign. Amounts are taken modulo the width, so
    // only the count 0 needs a case of its own.
    let above = b.isub(bits, count);
    let up = b.isub(above, offset);
    let top = b.shl(base, up);
    let field = b.ashr(top, above);
    let empty = b.ieq(count, zero);
    b.select(empty, zero, field)
}

/// The lowest `count` bits set, for `count` up to the width.
fn low_bits(b: &mut Builder, scalar: Scalar, count: Value) -> Value {
    let bits = b.int(scalar, scalar.bits().into());
    let (zero, ones) = (b.int(scalar, 0), b.int(scalar, -1));
    let above = b.isub(bits, count);
    let mask = b.lshr(ones, above);
    let empty = b.ieq(count, zero);
    b.select(empty, zero, mask)
}

/// Signed sum, saturating.
pub fn s_add_sat(b: &mut Builder, x: Value, y: Value) -> Value {
    let sum = b.iadd(x, y);
    // Overflow: both operands' signs differ from the sum's.
    let (dx, dy) = (b.xor(x, sum), b.xor(y, sum));
    let overflow = b.and(dx, dy);
    saturate(b, x, sum, overflow)
}

/// Signed difference, saturating.
pub fn s_sub_sat(b: &mut Builder, x: Value, y: Value) -> Value {
    let difference = b.isub(x, y);
    let (operands, result) = (b.xor(x, y), b.xor(x, difference));
    let overflow = b.and(operands, result);
    saturate(b, x, difference, overflow)
}

/// `value`, or where `overflow` is negative, the limit on the side of `x`.
fn saturate(b: &mut Builder, x: Value, value: Value, overflow: Value) -> Value {
    let scalar = b.scalar(x);
    let sign_shift = b.int(scalar, i64::from(scalar.bits()) - 1);
    let greatest = b.constant(scalar, scalar.mask() >> 1);
    let zero = b.int(scalar, 0);
    let sign = b.ashr(x, sign_shift);
    let limit = b.xor(sign, greatest);
    let overflow = b.slt(overflow, zero);
    b.select(overflow, limit, value)
}

/// Unsigned sum, saturating.
pub fn u_add_sat(b: &mut Builder, x: Value, y: Value) -> Value {
    let room = b.not(x);
    let y = b.umin(y, room);
    b.iadd(x, y)
}

/// Unsigned difference, saturating at 0.
pub fn u_sub_sat(b: &mut Builder, x: Value, y: Value) -> Value {
    let x = b.umax(x, y);
    b.isub(x, y)
}

/// `OpAbsISubINTEL`: `|x - y|` of signed operands, as an unsigned value.
pub fn s_abs_difference(b: &mut Builder, x: Value, y: Value) -> Value {
    let (low, high) = (b.smin(x, y), b.smax(x, y));
    b.isub(high, low)
}

/// `OpAbsUSubINTEL`: `|x - y|` of unsigned operands.
pub fn u_abs_difference(b: &mut Builder, x: Value, y: Value) -> Value {
    let (low, high) = (b.umin(x, y), b.umax(x, y));
    b.isub(high, low)
}

/// Signedness of a dot product's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotKind {
    /// `OpSDot`, `OpSDotAccSat`: both signed.
    Signed,
    /// `OpUDot`, `OpUDotAccSat`: both unsigned.
    Unsigned,
    /// `OpSUDot`, `OpSUDotAccSat`: the first signed, the second unsigned.
    Mixed,
}

/// `OpSDot`, `OpUDot`, `OpSUDot` of vectors of integers: products and sum in the type `result` (no narrower
/// than the components), wrapping.
pub fn dot(b: &mut Builder, kind: DotKind, x: &[Value], y: &[Value], result: Scalar) -> Value {
    if let (Some(x), Some(y)) = (word_of(b, x), word_of(b, y)) {
        match x.1 {
            Scalar::I8 => return dot_4x8(b, kind, x.0, y.0, result),
            _ if kind == DotKind::Signed && result == Scalar::I32 => return b.dot_halves(x.0, y.0),
            _ => {}
        }
    }
    let mut sum = b.int(result, 0);
    for (&x, &y) in x.iter().zip(y) {
        let x = if kind == DotKind::Unsigned { b.resize_u(x, result) } else { b.resize_s(x, result) };
        let y = if kind == DotKind::Signed { b.resize_s(y, result) } else { b.resize_u(y, result) };
        let product = b.imul(x, y);
        sum = b.iadd(sum, product);
    }
    sum
}

/// Four bytes as a word, the lowest first; where they are the parts of one, that.
pub fn word_of_bytes(b: &mut Builder, bytes: [Value; 4]) -> Value {
    if let Some((word, _)) = word_of(b, &bytes) {
        return word;
    }
    let mut word = b.resize_u(bytes[0], Scalar::I32);
    for (amount, byte) in [(8, bytes[1]), (16, bytes[2]), (24, bytes[3])] {
        let wide = b.resize_u(byte, Scalar::I32);
        let amount = b.i32(amount);
        let part = b.shl(wide, amount);
        word = b.or(word, part);
    }
    word
}

/// The 32-bit word that components of 8 or 16 bits are all of, the low ones first, and their type.
fn word_of(b: &Builder, components: &[Value]) -> Option<(Value, Scalar)> {
    let narrow = b.scalar(components[0]);
    if !matches!((narrow, components.len()), (Scalar::I8, 4) | (Scalar::I16, 2)) {
        return None;
    }
    let word_of = |component: Value, amount: u64| {
        let truncated = b.def(component).filter(|data| data.op == Opcode::Truncate)?.args[0];
        let shift = b.def(truncated).filter(|data| data.op == Opcode::LShr);
        match shift.filter(|shift| b.function.const_bits(shift.args[1]) == Some(amount)) {
            Some(shift) => Some(shift.args[0]),
            None => (amount == 0).then_some(truncated),
        }
    };
    let word = word_of(components[0], 0).filter(|&word| b.scalar(word) == Scalar::I32)?;
    let amounts = (0..).step_by(narrow.bits() as usize);
    let is_whole = components.iter().zip(amounts).all(|(&part, amount)| word_of(part, amount) == Some(word));
    is_whole.then_some((word, narrow))
}

/// The same of 32-bit words that hold four 8-bit components (`PackedVectorFormat4x8Bit`), in the type
/// `result` (8 bits or more).
pub fn dot_4x8(b: &mut Builder, kind: DotKind, x: Value, y: Value, result: Scalar) -> Value {
    /// The highest bit of each byte: added to a signed byte it makes an unsigned one, and the other way
    /// round.
    const BIAS: u32 = 0x8080_8080;
    // What has its terms known costs less.
    let (x, y) = if kind == DotKind::Signed && b.function.const_bits(x).is_some() { (y, x) } else { (x, y) };
    let sum = match kind {
        // (x + 128) y - 128 y
        DotKind::Signed => {
            let bias = b.i32(BIAS);
            let biased = b.xor(x, bias);
            let (sum, more) = (b.dot_four_bytes(biased, y), b.dot_four_bytes(bias, y));
            b.isub(sum, more)
        }
        // x (y - 128) - x (-128)
        DotKind::Unsigned => {
            let bias = b.i32(BIAS);
            let biased = b.xor(y, bias);
            let (sum, less) = (b.dot_four_bytes(x, biased), b.dot_four_bytes(x, bias));
            b.isub(sum, less)
        }
        DotKind::Mixed => b.dot_four_bytes(y, x),
    };
    match kind {
        DotKind::Unsigned => b.resize_u(sum, result),
        DotKind::Signed | DotKind::Mixed => b.resize_s(sum, result),
    }
}

/// `OpSDotAccSat`, `OpUDotAccSat`, `OpSUDotAccSat`: the dot product in the accumulator's type (no narrower
/// than the components; SPIR-V leaves the result undefined when the product itself overflows), plus the
/// accumulator, saturating: unsigned for [`DotKind::Unsigned`], else signed.
pub fn dot_acc_sat(b: &mut Builder, kind: DotKind, x: &[Value], y: &[Value], accumulator: Value) -> Value {
    let result = b.scalar(accumulator);
    let is_pair = x.len() == 2 && b.scalar(x[0]) == Scalar::I16 && result == Scalar::I32;
    let product = dot(b, kind, x, y, result);
    if is_pair && kind == DotKind::Signed {
        return add_pair_sat(b, product, accumulator);
    }
    add_dot_sat(b, kind, product, accumulator)
}

/// The same of two signed products of 16 bits, whose sum overflows where all four factors are the least
/// number, and nowhere else: it counts as the 2^31 that it is then, as instructions have it.
fn add_pair_sat(b: &mut Builder, product: Value, accumulator: Value) -> Value {
    let sum = b.iadd(product, accumulator);
    // One less has the sign of the true product, but for zero, with which nothing overflows.
    let one = b.i32(1);
    let less = b.isub(product, one);
    let (dx, dy) = (b.xor(less, sum), b.xor(accumulator, sum));
    let overflow = b.and(dx, dy);
    saturate(b, less, sum, overflow)
}

fn add_dot_sat(b: &mut Builder, kind: DotKind, product: Value, accumulator: Value) -> Value {
    match kind {
        DotKind::Unsigned => u_add_sat(b, product, accumulator),
        DotKind::Signed | DotKind::Mixed => s_add_sat(b, product, accumulator),
    }
}

/// The same of packed words; see [`dot_4x8`].
pub fn dot_acc_sat_4x8(b: &mut Builder, kind: DotKind, x: Value, y: Value, accumulator: Value) -> Value {
    let result = b.scalar(accumulator);
    let product = dot_4x8(b, kind, x, y, result);
    add_dot_sat(b, kind, product, accumulator)
}

/// `OpSConvert`: sign-extends or truncates (the value itself when the width is the same).
pub fn s_convert(b: &mut Builder, x: Value, to: Scalar) -> Value {
    b.resize_s(x, to)
}

/// `OpUConvert`: zero-extends or truncates (the value itself when the width is the same).
pub fn u_convert(b: &mut Builder, x: Value, to: Scalar) -> Value {
    b.resize_u(x, to)
}

/// `OpSatConvertSToU`: a signed value clamped to the unsigned type `to`.
pub fn sat_convert_s_to_u(b: &mut Builder, x: Value, to: Scalar) -> Value {
    let from = b.scalar(x);
    let zero = b.int(from, 0);
    let x = b.smax(x, zero);
    sat_convert_u_to_u(b, x, to)
}

/// `OpSatConvertUToS`: an unsigned value clamped to the signed type `to`.
pub fn sat_convert_u_to_s(b: &mut Builder, x: Value, to: Scalar) -> Value {
    let from = b.scalar(x);
    let greatest = to.mask() >> 1;
    if from.mask() <= greatest {
        return b.resize_u(x, to);
    }
    let greatest = b.constant(from, greatest);
    let x = b.umin(x, greatest);
    b.resize_u(x, to)
}

/// A signed value clamped to the signed type `to`.
pub fn sat_convert_s_to_s(b: &mut Builder, x: Value, to: Scalar) -> Value {
    let from = b.scalar(x);
    if to.bits() < from.bits() {
        let greatest = (to.mask() >> 1) as i64;
        let (low, high) = (b.int(from, -1 - greatest), b.int(from, greatest));
        let x = b.smax(x, low);
        let x = b.smin(x, high);
        return b.resize_s(x, to);
    }
    b.resize_s(x, to)
}

/// An unsigned value clamped to the unsigned type `to`.
pub fn sat_convert_u_to_u(b: &mut Builder, x: Value, to: Scalar) -> Value {
    let from = b.scalar(x);
    if to.bits() < from.bits() {
        let greatest = b.constant(from, to.mask());
        let x = b.umin(x, greatest);
        return b.resize_u(x, to);
    }
    b.resize_u(x, to)
}

/// `OpBitReverse`.
pub fn bit_reverse(b: &mut Builder, x: Value) -> Value {
    b.bitrev(x)
}

/// `OpBitCount` as the integer type `to`.
pub fn bit_count(b: &mut Builder, x: Value, to: Scalar) -> Value {
    let count = b.popcnt(x);
    b.resize_u(count, to)
}
