//! Values to words.

use super::aspect_components;
use crate::format::{Aspect, Channel, Component, Format, Numeric};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{Ops, texel};

/// The words of an uncompressed colour texel. Values are as [`super::decode()`] gives them: floats are
/// clamped and rounded to nearest even, integers clamped to the component's range (stencil: cut). Bits that
/// no component owns are zero.
pub fn encode(b: &mut Builder, format: Format, values: [Value; 4]) -> Vec<Value> {
    if format.is_shared_exponent() {
        return vec![texel::float_to_shared_exponent(b, [values[0], values[1], values[2]])];
    }
    let zero = b.i32(0);
    let words = vec![zero; format.block_bytes().div_ceil(4) as usize];
    insert(b, format, Aspect::Color, values, words)
}

/// The words of a texel of unsigned normalized components ([`super::is_scalable`]) of at most 16 bits, of
/// values that are multiplied by the components' greatest integers already and that round, to nearest even,
/// to no more than these and no less than zero.
pub fn encode_unscaled(b: &mut Builder, format: Format, values: [Value; 4]) -> Vec<Value> {
    debug_assert!(super::is_scalable(format));
    // Where the unit of the last place is one, addition rounds.
    const ROUNDING: f32 = 12_582_912.0;
    let rounding = b.f32(ROUNDING);
    let mut words = vec![b.i32(0); format.block_bytes().div_ceil(4) as usize];
    for (component, value) in aspect_components(format, Aspect::Color).into_iter().zip(values) {
        let Some(component) = component else { continue };
        let (word, shift) = (usize::from(component.offset / 32), u32::from(component.offset % 32));
        let value = b.fadd(value, rounding);
        let bits = b.bitcast(value, Scalar::I32);
        let over = b.i32(ROUNDING.to_bits());
        let bits = b.isub(bits, over);
        let shift_value = b.i32(shift);
        let bits = if shift == 0 { bits } else { b.shl(bits, shift_value) };
        words[word] =
            if b.function.const_bits(words[word]) == Some(0) { bits } else { b.or(words[word], bits) };
    }
    words
}

/// The words of a texel with one aspect replaced: `words` are the old ones, of which the aspect's bits are
/// lost and all others stay. Of `values`, depth and stencil take the first.
pub fn encode_aspect(
    b: &mut Builder,
    format: Format,
    aspect: Aspect,
    values: [Value; 4],
    words: &[Value],
) -> Vec<Value> {
    if aspect == Aspect::Color {
        return encode(b, format, values);
    }
    let mut words = words.to_vec();
    for component in aspect_components(format, aspect).into_iter().flatten() {
        let word = usize::from(component.offset / 32);
        let mask = (u32::MAX >> (32 - u32::from(component.bits))) << (component.offset % 32);
        let keep = b.i32(!mask);
        words[word] = b.and(words[word], keep);
    }
    insert(b, format, aspect, values, words)
}

/// Adds the components to words whose bits are zero there.
fn insert(
    b: &mut Builder,
    format: Format,
    aspect: Aspect,
    values: [Value; 4],
    mut words: Vec<Value>,
) -> Vec<Value> {
    for (component, value) in aspect_components(format, aspect).into_iter().zip(values) {
        let Some(component) = component else { continue };
        let first = usize::from(component.offset / 32);
        if component.bits == 64 {
            let value = b.bitcast(value, Scalar::I64);
            let shift = b.i64(32);
            let high = b.lshr(value, shift);
            words[first] = b.resize_u(value, Scalar::I32);
            words[first + 1] = b.resize_u(high, Scalar::I32);
            continue;
        }
        let bits = component_bits(b, component, value);
        let shift = b.i32(u32::from(component.offset % 32));
        let bits = if component.offset % 32 == 0 { bits } else { b.shl(bits, shift) };
        words[first] =
            if b.function.const_bits(words[first]) == Some(0) { bits } else { b.or(words[first], bits) };
    }
    words
}

/// The component's bits, with zeros above.
fn component_bits(b: &mut Builder, component: &Component, value: Value) -> Value {
    let width = u32::from(component.bits);
    let bits = match component.numeric {
        Numeric::UNorm => return texel::float_to_unorm(b, value, width),
        Numeric::UFloat => return texel::float_to_small_float(b, value, width - 5),
        Numeric::Srgb if width == 8 => return b.op(Opcode::ToSrgb, &[value]),
        Numeric::Srgb => {
            let encoded = texel::linear_to_srgb(b, value);
            return texel::float_to_unorm(b, encoded, width);
        }
        Numeric::SFloat if width == 16 => {
            let half = b.to_float(value, Scalar::F16);
            let half = b.bitcast(half, Scalar::I16);
            return b.resize_u(half, Scalar::I32);
        }
        Numeric::SFloat => return b.bitcast(value, Scalar::I32),
        Numeric::SNorm => texel::float_to_snorm(b, value, width),
        Numeric::UScaled => {
            let integer = b.convert(Opcode::FToU, value, Scalar::I32);
            return at_most(b, integer, width);
        }
        Numeric::SScaled => {
            let integer = b.convert(Opcode::FToS, value, Scalar::I32);
            within_signed(b, integer, width)
        }
        Numeric::UInt | Numeric::SInt if width == 32 => value,
        Numeric::UInt if component.channel != Channel::S => return at_most(b, value, width),
        // Stencil values keep their low bits.
        Numeric::UInt => value,
        Numeric::SInt => within_signed(b, value, width),
    };
    if width == 32 {
        return bits;
    }
    let mask = b.i32((1 << width) - 1);
    b.and(bits, mask)
}

/// An unsigned integer, clamped to `width` bits (below 32).
fn at_most(b: &mut Builder, value: Value, width: u32) -> Value {
    let most = b.i32((1 << width) - 1);
    b.umin(value, most)
}

/// A signed integer, clamped to `width` bits (below 32).
fn within_signed(b: &mut Builder, value: Value, width: u32) -> Value {
    let (least, most) = (b.i32(!0 << (width - 1)), b.i32((1 << (width - 1)) - 1));
    let value = b.smax(value, least);
    b.smin(value, most)
}
