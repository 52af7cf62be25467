//! Normalized and scaled integers of 1 to 24 bits.

use crate::ops::{MAGIC, Ops};
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// Divisors below this are multiplied by parts of which the first has so few bits that its product with an
/// integer up to the divisor is exact: processors without fused operations need none then.
const EXACT_BELOW: u32 = 1 << 10;

/// `1 / divisor` as a sum of two floats. Below [`EXACT_BELOW`] the first is cut: the error of the second, and
/// that of its product, are at most 2^-12 units in the last place of the quotient together, and quotients
/// by a number of ten bits come no nearer than 2^-11 units to one half-way between two floats.
fn reciprocal(divisor: u32) -> (f32, f32) {
    let whole = 1.0 / f64::from(divisor);
    let mut high = whole as f32;
    if divisor < EXACT_BELOW {
        let bits = divisor.ilog2() + 1;
        high = f32::from_bits(high.to_bits() & (u32::MAX << bits));
    }
    (high, (whole - f64::from(high)) as f32)
}

/// An integer `f32` of at most 24 bits over `2^bits - 1`, correctly rounded.
fn divide(b: &mut Builder, x: Value, bits: u32) -> Value {
    divide_by(b, x, (1 << bits) - 1)
}

/// A value `x` between 0 and `divisor` (an integer below 2^24), over it: correctly rounded where `x` is an
/// integer.
pub fn divide_by(b: &mut Builder, x: Value, divisor: u32) -> Value {
    let (high, low) = reciprocal(divisor);
    let (high, low) = (b.f32(high), b.f32(low));
    divide_by_parts(b, x, high, low)
}

/// The same by one of two divisors: the first where `condition` holds.
pub fn divide_by_either(b: &mut Builder, x: Value, condition: Value, divisors: [u32; 2]) -> Value {
    let [first, second] = divisors.map(reciprocal);
    let [high, low] = [(first.0, second.0), (first.1, second.1)].map(|(first, second)| {
        let (first, second) = (b.f32(first), b.f32(second));
        b.select(condition, first, second)
    });
    divide_by_parts(b, x, high, low)
}

/// `x` times a reciprocal in two parts.
fn divide_by_parts(b: &mut Builder, x: Value, high: Value, low: Value) -> Value {
    let rest = b.fmul(x, low);
    b.fma(x, high, rest)
}

/// An unsigned normalized component, zero-extended, of `bits` bits (1 to 24) to its value within [0, 1],
/// correctly rounded.
///
/// # Panics
/// When `bits` is out of range.
pub fn unorm_to_float(b: &mut Builder, component: Value, bits: u32) -> Value {
    assert!((1..=24).contains(&bits), "width of a normalized component");
    // Positive in 32 bits, so the signed conversion, which is cheaper, does as well.
    let float = b.convert(Opcode::SToF, component, Scalar::F32);
    if bits == 1 { float } else { divide(b, float, bits) }
}

/// A signed normalized component, sign-extended, of `bits` bits (2 to 24) to its value within [-1, 1],
/// correctly rounded; the least value counts as -1.
///
/// # Panics
/// When `bits` is out of range.
pub fn snorm_to_float(b: &mut Builder, component: Value, bits: u32) -> Value {
    assert!((2..=24).contains(&bits), "width of a normalized component");
    let float = b.convert(Opcode::SToF, component, Scalar::F32);
    let value = if bits == 2 { float } else { divide(b, float, bits - 1) };
    let minus_one = b.f32(-1.0);
    b.fmax(value, minus_one)
}

/// A value clamped to [0, 1] (NaN counts as 0) to the nearest unsigned normalized component of `bits` bits (1
/// to 24), halves to even. The bits above the component are zero.
///
/// # Panics
/// When `bits` is out of range.
pub fn float_to_unorm(b: &mut Builder, x: Value, bits: u32) -> Value {
    assert!((1..=24).contains(&bits), "width of a normalized component");
    quantize(b, x, 0.0, bits, bits)
}

/// A value clamped to [-1, 1] (NaN counts as -1) to the nearest signed normalized component of `bits` bits (2
/// to 24), halves to even, sign-extended.
///
/// # Panics
/// When `bits` is out of range.
pub fn float_to_snorm(b: &mut Builder, x: Value, bits: u32) -> Value {
    assert!((2..=24).contains(&bits), "width of a normalized component");
    quantize(b, x, -1.0, bits - 1, bits)
}

/// `round(clamp(x, low, 1) * (2^scale_bits - 1))` as `i32`.
fn quantize(b: &mut Builder, x: Value, low: f32, scale_bits: u32, bits: u32) -> Value {
    let (low, one) = (b.f32(low), b.f32(1.0));
    let scale = b.f32(((1u32 << scale_bits) - 1) as f32);
    let x = b.fmax(x, low);
    let x = b.fmin(x, one);
    if bits <= 22 {
        let magic = b.f32(MAGIC);
        // A rounded product of so few bits is no further than a half from its integer.
        let sum = if bits <= 16 { b.mad(x, scale, magic) } else { b.fma(x, scale, magic) };
        let (sum, magic) = (b.bitcast(sum, Scalar::I32), b.bitcast(magic, Scalar::I32));
        return b.isub(sum, magic);
    }
    // Beyond the magic number's reach: the product in f64, where it is exact.
    let (x, scale) = (b.to_float(x, Scalar::F64), b.to_float(scale, Scalar::F64));
    let product = b.fmul(x, scale);
    let rounded = b.fround(product);
    b.convert(Opcode::FToS, rounded, Scalar::I32)
}
