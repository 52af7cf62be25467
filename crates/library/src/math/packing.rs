//! Packing of vectors into integers. `f32` components, `i32` words.

use crate::ops::{MAGIC, Ops};
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// `round(clamp(x, low, 1) * scale)`, halves to even, in the low bits of an integer, other bits above; NaN
/// counts as `low`. `scale` is at most 65535.
fn quantize(b: &mut Builder, x: Value, low: f32, scale: f32) -> Value {
    let (low, one) = (b.f32(low), b.f32(1.0));
    let (scale, magic) = (b.f32(scale), b.f32(MAGIC));
    let x = b.fmax(x, low);
    let x = b.fmin(x, one);
    let sum = b.fma(x, scale, magic);
    b.bitcast(sum, Scalar::I32)
}

/// Components of `bits` bits each to one word, the first lowest; bits above each component are ignored.
fn join(b: &mut Builder, components: &[Value], bits: u32) -> Value {
    let mask = b.i32((1 << bits) - 1);
    let last = components.len() - 1;
    let mut word = None;
    for (index, &component) in components.iter().enumerate() {
        // The last component's upper bits are shifted out.
        let component = if index == last { component } else { b.and(component, mask) };
        let shift = b.i32(bits * index as u32);
        let shifted = if index == 0 { component } else { b.shl(component, shift) };
        word = Some(match word {
            Some(word) => b.or(word, shifted),
            None => shifted,
        });
    }
    word.expect("at least one component")
}

/// `PackSnorm4x8`: `round(clamp(c, -1, 1) * 127)`, the first component in the low bits; NaN counts as -1.
pub fn pack_snorm_4x8(b: &mut Builder, components: [Value; 4]) -> Value {
    let components = components.map(|component| quantize(b, component, -1.0, 127.0));
    join(b, &components, 8)
}

/// `PackUnorm4x8`: `round(clamp(c, 0, 1) * 255)`; NaN counts as 0.
pub fn pack_unorm_4x8(b: &mut Builder, components: [Value; 4]) -> Value {
    let components = components.map(|component| quantize(b, component, 0.0, 255.0));
    join(b, &components, 8)
}

/// `PackSnorm2x16`: `round(clamp(c, -1, 1) * 32767)`; NaN counts as -1.
pub fn pack_snorm_2x16(b: &mut Builder, components: [Value; 2]) -> Value {
    let components = components.map(|component| quantize(b, component, -1.0, 32767.0));
    join(b, &components, 16)
}

/// `PackUnorm2x16`: `round(clamp(c, 0, 1) * 65535)`; NaN counts as 0.
pub fn pack_unorm_2x16(b: &mut Builder, components: [Value; 2]) -> Value {
    let components = components.map(|component| quantize(b, component, 0.0, 65535.0));
    join(b, &components, 16)
}

/// `PackHalf2x16`: each component to `f16`, rounded to nearest even.
pub fn pack_half_2x16(b: &mut Builder, components: [Value; 2]) -> Value {
    let [low, high] = components.map(|component| {
        let half = b.convert(Opcode::FConvert, component, Scalar::F16);
        let bits = b.bitcast(half, Scalar::I16);
        b.resize_u(bits, Scalar::I32)
    });
    let shift = b.i32(16);
    let high = b.shl(high, shift);
    b.or(low, high)
}

/// `PackDouble2x32`: two words, the first the low one, to an `f64`.
pub fn pack_double_2x32(b: &mut Builder, words: [Value; 2]) -> Value {
    let [low, high] = words.map(|word| b.resize_u(word, Scalar::I64));
    let shift = b.i64(32);
    let high = b.shl(high, shift);
    let bits = b.or(low, high);
    b.bitcast(bits, Scalar::F64)
}

/// Component `index` of `bits` bits, zero- or sign-extended.
fn component(b: &mut Builder, word: Value, index: u32, bits: u32, signed: bool) -> Value {
    let (up, down) = (b.i32(32 - bits * (index + 1)), b.i32(32 - bits));
    if signed {
        let top = if bits * (index + 1) == 32 { word } else { b.shl(word, up) };
        return b.ashr(top, down);
    }
    let shift = b.i32(bits * index);
    let shifted = if index == 0 { word } else { b.lshr(word, shift) };
    let mask = b.i32((1 << bits) - 1);
    if bits * (index + 1) == 32 { shifted } else { b.and(shifted, mask) }
}

/// `x / divisor` of an integer float of at most 16 bits, correctly rounded: a product with the reciprocal in
/// two floats.
fn divide(b: &mut Builder, x: Value, divisor: f32) -> Value {
    let reciprocal = 1.0 / f64::from(divisor);
    let high = reciprocal as f32;
    let low = (reciprocal - f64::from(high)) as f32;
    let (high, low) = (b.f32(high), b.f32(low));
    let rest = b.fmul(x, low);
    b.fma(x, high, rest)
}

fn unpack_unorm<const N: usize>(b: &mut Builder, word: Value, bits: u32) -> [Value; N] {
    std::array::from_fn(|index| {
        let component = component(b, word, index as u32, bits, false);
        // Small enough to be the same signed, which converts in one instruction everywhere.
        let float = b.convert(Opcode::SToF, component, Scalar::F32);
        divide(b, float, ((1u32 << bits) - 1) as f32)
    })
}

fn unpack_snorm<const N: usize>(b: &mut Builder, word: Value, bits: u32) -> [Value; N] {
    let minus_one = b.f32(-1.0);
    std::array::from_fn(|index| {
        let component = component(b, word, index as u32, bits, true);
        let float = b.convert(Opcode::SToF, component, Scalar::F32);
        let quotient = divide(b, float, ((1u32 << (bits - 1)) - 1) as f32);
        b.fmax(quotient, minus_one)
    })
}

/// `UnpackSnorm4x8`: `clamp(byte / 127, -1, 1)` of each byte, the low one first; correctly rounded.
pub fn unpack_snorm_4x8(b: &mut Builder, word: Value) -> [Value; 4] {
    unpack_snorm(b, word, 8)
}

/// `UnpackUnorm4x8`: `byte / 255`, correctly rounded.
pub fn unpack_unorm_4x8(b: &mut Builder, word: Value) -> [Value; 4] {
    unpack_unorm(b, word, 8)
}

/// `UnpackSnorm2x16`: `clamp(half / 32767, -1, 1)`, correctly rounded.
pub fn unpack_snorm_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    unpack_snorm(b, word, 16)
}

/// `UnpackUnorm2x16`: `half / 65535`, correctly rounded.
pub fn unpack_unorm_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    unpack_unorm(b, word, 16)
}

/// The two `f16` of `UnpackHalf2x16`, the low one first.
pub fn halves_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    let shift = b.i32(16);
    let high = b.lshr(word, shift);
    [word, high].map(|word| {
        let bits = b.convert(Opcode::Truncate, word, Scalar::I16);
        b.bitcast(bits, Scalar::F16)
    })
}

/// `UnpackHalf2x16`: two `f16`, exactly.
pub fn unpack_half_2x16(b: &mut Builder, word: Value) -> [Value; 2] {
    halves_2x16(b, word).map(|half| b.convert(Opcode::FConvert, half, Scalar::F32))
}

/// `UnpackDouble2x32`: the low and the high word of an `f64`.
pub fn unpack_double_2x32(b: &mut Builder, x: Value) -> [Value; 2] {
    let bits = b.bitcast(x, Scalar::I64);
    let shift = b.i64(32);
    let high = b.lshr(bits, shift);
    [bits, high].map(|bits| b.convert(Opcode::Truncate, bits, Scalar::I32))
}
