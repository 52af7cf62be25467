//! Unsigned floats of 11 and 10 bits, and the shared-exponent format.

use crate::ops::Ops;
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// Exponent bias of all formats here, `f16`'s too.
const BIAS: i32 = 15;

/// An unsigned float with 5 exponent bits and `fraction_bits` (6 for the 11-bit, 5 for the 10-bit format),
/// zero-extended, to `f32`, exactly. Infinity and NaN stay.
///
/// # Panics
/// When `fraction_bits` is not 1 to 10.
pub fn small_float_to_float(b: &mut Builder, component: Value, fraction_bits: u32) -> Value {
    assert!((1..=10).contains(&fraction_bits), "fraction bits");
    // The same as f16 without a sign and with the fraction's last bits zero.
    let shift = b.i32(10 - fraction_bits);
    let half = b.shl(component, shift);
    let half = b.resize_u(half, Scalar::I16);
    let half = b.bitcast(half, Scalar::F16);
    b.to_float(half, Scalar::F32)
}

/// An `f32` to the nearest unsigned float with 5 exponent bits and `fraction_bits` (6 or 5), halves to even,
/// in the low bits of an `i32`; the bits above are zero. Negative values and -inf become 0, finite values too
/// large become the largest finite one, inf stays, NaN becomes a NaN.
///
/// # Panics
/// When `fraction_bits` is not 1 to 10.
pub fn float_to_small_float(b: &mut Builder, x: Value, fraction_bits: u32) -> Value {
    assert!((1..=10).contains(&fraction_bits), "fraction bits");
    let zero = b.f32(0.0);
    let infinity = b.f32(f32::INFINITY);
    let largest = 2f32.powi(BIAS) * (2.0 - 1.0 / (1u32 << fraction_bits) as f32);
    let largest = b.f32(largest);
    // NaN passes through neither minimum nor maximum with the constant last: it is put back below.
    let clamped = b.fmax(x, zero);
    let finite = b.fmin(clamped, largest);
    // Normal results: round the bits, then move the exponent's bias.
    let dropped = 23 - fraction_bits;
    let shift = b.i32(dropped);
    let one = b.i32(1);
    let half_less = b.i32((1 << (dropped - 1)) - 1);
    let bits = b.bitcast(finite, Scalar::I32);
    let last = b.lshr(bits, shift);
    let last = b.and(last, one);
    let rounded = b.iadd(bits, half_less);
    let rounded = b.iadd(rounded, last);
    let rounded = b.lshr(rounded, shift);
    let rebias = b.i32(((127 - BIAS) as u32) << fraction_bits);
    let normal = b.isub(rounded, rebias);
    // Denormal results: a float whose last place is theirs, added, leaves them in its low bits.
    let magic = b.f32((1u32 << (23 + 1 - BIAS)) as f32 / (1u32 << fraction_bits) as f32);
    let sum = b.fadd(finite, magic);
    let (sum, magic) = (b.bitcast(sum, Scalar::I32), b.bitcast(magic, Scalar::I32));
    let denormal = b.isub(sum, magic);
    let least_normal = b.f32(2f32.powi(1 - BIAS));
    let tiny = b.flt(finite, least_normal);
    let result = b.select(tiny, denormal, normal);
    let infinite = b.feq(x, infinity);
    let infinity_bits = b.i32(31 << fraction_bits);
    let result = b.select(infinite, infinity_bits, result);
    let nan = b.fne(x, x);
    let nan_bits = b.i32(31 << fraction_bits | 1 << (fraction_bits - 1));
    b.select(nan, nan_bits, result)
}

/// A word of the format `E5B9G9R9_UFLOAT_PACK32` to its three components (red, green, blue), exactly.
pub fn shared_exponent_to_float(b: &mut Builder, word: Value) -> [Value; 3] {
    let (shift, bias) = (b.i32(27), b.i32((127 - BIAS - 9) as u32));
    let exponent = b.lshr(word, shift);
    let exponent = b.iadd(exponent, bias);
    let fraction = b.i32(23);
    let scale = b.shl(exponent, fraction);
    let scale = b.bitcast(scale, Scalar::F32);
    let mask = b.i32(0x1ff);
    [0, 9, 18].map(|shift| {
        let shift = b.i32(shift);
        let component = b.lshr(word, shift);
        let component = b.and(component, mask);
        let component = b.convert(Opcode::SToF, component, Scalar::F32);
        b.fmul(component, scale)
    })
}

/// Three components (red, green, blue) to a word of the format `E5B9G9R9_UFLOAT_PACK32`, by the Khronos Data
/// Format Specification's steps: clamped to [0, 65408] (NaN counts as 0), the exponent from the largest, each
/// component rounded to nearest with halves up.
pub fn float_to_shared_exponent(b: &mut Builder, components: [Value; 3]) -> Value {
    let (zero, largest) = (b.f32(0.0), b.f32(65408.0));
    let clamped = components.map(|component| {
        let component = b.fmax(component, zero);
        b.fmin(component, largest)
    });
    let greatest = b.fmax(clamped[0], clamped[1]);
    let greatest = b.fmax(greatest, clamped[2]);
    // floor(log2(greatest)), but at least -16, is in the exponent's bits. Rounding the bits to nine
    // significant ones first, halves up, covers the case in which the component would round up to 512.
    let (least, fraction) = (b.i32((127 - BIAS - 1) as u32), b.i32(23));
    let bits = b.bitcast(greatest, Scalar::I32);
    let half_place = b.i32(1 << 14);
    let rounded = b.iadd(bits, half_place);
    let field = b.lshr(rounded, fraction);
    let field = b.smax(field, least);
    // Shared exponent: floor(log2) + 1 + bias; a component is in units of 2^(exponent - bias - 9).
    let offset = b.i32((127 - BIAS - 1) as u32);
    let exponent = b.isub(field, offset);
    // Twice the component in those units: its bits, halves up, come from the integer below.
    let top = b.i32((127 + 127 + 9) as u32);
    let scale = b.isub(top, field);
    let scale = b.shl(scale, fraction);
    let scale = b.bitcast(scale, Scalar::F32);
    let one = b.i32(1);
    let [red, green, blue] = clamped.map(|component| {
        let double = b.fmul(component, scale);
        let double = b.convert(Opcode::FToS, double, Scalar::I32);
        let half_up = b.iadd(double, one);
        b.lshr(half_up, one)
    });
    let [nine, eighteen, twenty_seven] = [9, 18, 27].map(|shift| b.i32(shift));
    let green = b.shl(green, nine);
    let blue = b.shl(blue, eighteen);
    let exponent = b.shl(exponent, twenty_seven);
    let word = b.or(red, green);
    let word = b.or(word, blue);
    b.or(word, exponent)
}
