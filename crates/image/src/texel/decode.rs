//! Words to values.

use super::{aspect_components, value_scalar};
use crate::format::{Aspect, Channel, Component, Format, Numeric};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{Ops, texel};

/// The four values of an aspect of an uncompressed texel; sRGB components become linear.
pub fn decode(b: &mut Builder, format: Format, aspect: Aspect, words: &[Value]) -> [Value; 4] {
    if format.is_shared_exponent() {
        let [red, green, blue] = texel::shared_exponent_to_float(b, words[0]);
        return [red, green, blue, b.f32(1.0)];
    }
    let scalar = value_scalar(format, aspect);
    let mut index = 0;
    aspect_components(format, aspect).map(|component| {
        index += 1;
        match component {
            Some(component) => value(b, component, words),
            None if index == 4 && scalar.is_float() => b.float(scalar, 1.0),
            None => b.constant(scalar, u64::from(index == 4)),
        }
    })
}

/// Whether all colour components are unsigned normalized without transfer function, so that filters may work
/// and blending on their integers.
pub fn is_scalable(format: Format) -> bool {
    !format.is_compressed()
        && format.info().components.iter().all(|component| {
            component.numeric == Numeric::UNorm && !matches!(component.channel, Channel::D | Channel::S)
        })
}

/// The four values of a texel of such a format before the division by the greatest integer; what the format
/// lacks is as in [`decode`].
pub fn decode_unscaled(b: &mut Builder, format: Format, words: &[Value]) -> [Value; 4] {
    let mut index = 0;
    aspect_components(format, Aspect::Color).map(|component| {
        index += 1;
        match component {
            Some(component) => {
                let bits = bits(b, component, words, false);
                b.convert(Opcode::SToF, bits, Scalar::F32)
            }
            None => b.f32(if index == 4 { 1.0 } else { 0.0 }),
        }
    })
}

/// The division that [`decode_unscaled`] leaves out.
pub(crate) fn scale(b: &mut Builder, format: Format, values: [Value; 4]) -> [Value; 4] {
    let components = aspect_components(format, Aspect::Color);
    let mut pairs = components.into_iter().zip(values);
    [(); 4].map(|()| match pairs.next() {
        Some((Some(component), value)) => texel::divide_by(b, value, (1 << component.bits) - 1),
        Some((None, value)) => value,
        None => b.f32(0.0),
    })
}

/// One component of an uncompressed texel that the format has.
pub fn decode_channel(b: &mut Builder, format: Format, channel: Channel, words: &[Value]) -> Value {
    let aspect = match channel {
        Channel::D => Aspect::Depth,
        Channel::S => Aspect::Stencil,
        _ => Aspect::Color,
    };
    let index = super::RGBA.iter().position(|&other| other == channel).unwrap_or(0);
    decode(b, format, aspect, words)[index]
}

/// The component's bits, zero-extended or sign-extended to `i32`.
fn bits(b: &mut Builder, component: &Component, words: &[Value], signed: bool) -> Value {
    let word = words[usize::from(component.offset / 32)];
    let (first, width) = (u32::from(component.offset % 32), u32::from(component.bits));
    if width == 32 {
        return word;
    }
    if signed {
        let (up, down) = (b.i32(32 - first - width), b.i32(32 - width));
        let word = b.shl(word, up);
        return b.ashr(word, down);
    }
    let shift = b.i32(first);
    let word = if first == 0 { word } else { b.lshr(word, shift) };
    if first + width == 32 {
        return word;
    }
    let mask = b.i32((1 << width) - 1);
    b.and(word, mask)
}

fn value(b: &mut Builder, component: &Component, words: &[Value]) -> Value {
    let width = u32::from(component.bits);
    if component.numeric == Numeric::Srgb && width == 8 {
        // The operation takes the low byte.
        let (word, first) = (words[usize::from(component.offset / 32)], u32::from(component.offset % 32));
        let shift = b.i32(first);
        let code = if first == 0 { word } else { b.lshr(word, shift) };
        return b.op(Opcode::FromSrgb, &[code]);
    }
    if width == 64 {
        let first = usize::from(component.offset / 32);
        let (low, high) = (b.resize_u(words[first], Scalar::I64), b.resize_u(words[first + 1], Scalar::I64));
        let shift = b.i64(32);
        let high = b.shl(high, shift);
        let whole = b.or(low, high);
        return match component.numeric {
            Numeric::SFloat => b.bitcast(whole, Scalar::F64),
            _ => whole,
        };
    }
    let signed = matches!(component.numeric, Numeric::SNorm | Numeric::SScaled | Numeric::SInt);
    let bits = bits(b, component, words, signed);
    match component.numeric {
        Numeric::UNorm => texel::unorm_to_float(b, bits, width),
        Numeric::SNorm => texel::snorm_to_float(b, bits, width),
        // Below 2^16, so the signed conversion, which is cheaper, does for both.
        Numeric::UScaled | Numeric::SScaled => b.convert(Opcode::SToF, bits, Scalar::F32),
        Numeric::UInt | Numeric::SInt => bits,
        Numeric::SFloat if width == 16 => {
            let half = b.resize_u(bits, Scalar::I16);
            let half = b.bitcast(half, Scalar::F16);
            b.to_float(half, Scalar::F32)
        }
        Numeric::SFloat => b.bitcast(bits, Scalar::F32),
        Numeric::UFloat => texel::small_float_to_float(b, bits, width - 5),
        Numeric::Srgb => {
            let encoded = texel::unorm_to_float(b, bits, width);
            texel::srgb_to_linear(b, encoded)
        }
    }
}
