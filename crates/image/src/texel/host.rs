//! The same conversions in plain Rust, one texel at a time, for clears, copies and blits: the same bits as
//! the builder functions give, but for the payload of NaNs.
//!
//! Values are bits in a `u64`: of an `f32` (`f64` for components of 64 bits), or of an integer, whose bits
//! above its type are zero.

use super::aspect_components;
use crate::format::{Aspect, Channel, Component, Format, Numeric};
use half::f16;
use pyro_ir::eval::srgb;

/// The four values of an aspect of an uncompressed texel; `bytes` holds [`Format::block_bytes`] of them.
///
/// # Panics
/// When `bytes` is shorter.
pub fn decode(format: Format, aspect: Aspect, bytes: &[u8]) -> [u64; 4] {
    let words = words_of(format, bytes);
    if format.is_shared_exponent() {
        let word = words[0] as u32;
        let scale = power_of_two((word >> 27) as i32 - 24);
        let component = |shift: u32| f32_bits((f64::from(word >> shift & 0x1ff) * scale) as f32);
        return [component(0), component(9), component(18), f32_bits(1.0)];
    }
    let float = super::value_scalar(format, aspect);
    let one = match float {
        pyro_ir::Scalar::F32 => f32_bits(1.0),
        pyro_ir::Scalar::F64 => 1f64.to_bits(),
        _ => 1,
    };
    let mut missing = [0, 0, 0, one].into_iter();
    aspect_components(format, aspect).map(|component| {
        let missing = missing.next().unwrap_or(0);
        component.map_or(missing, |component| value(component, &words))
    })
}

/// Replaces one aspect of an uncompressed texel in `bytes`; other aspects stay, bits that no component owns
/// become zero in colour formats.
///
/// # Panics
/// When `bytes` is shorter than [`Format::block_bytes`].
pub fn encode(format: Format, aspect: Aspect, values: [u64; 4], bytes: &mut [u8]) {
    let size = format.block_bytes() as usize;
    let mut words = if aspect == Aspect::Color { [0; 4] } else { words_of(format, bytes) };
    if format.is_shared_exponent() {
        words[0] =
            shared_exponent([values[0], values[1], values[2]].map(|bits| f32::from_bits(bits as u32))).into();
    } else {
        for (component, value) in aspect_components(format, aspect).into_iter().zip(values) {
            let Some(component) = component else { continue };
            let (word, shift) = (usize::from(component.offset / 64), component.offset % 64);
            let mask = u64::MAX >> (64 - component.bits);
            words[word] &= !(mask << shift);
            words[word] |= (component_bits(component, value) & mask) << shift;
        }
    }
    for (to, word) in bytes[..size].chunks_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
    }
}

/// The texel's bytes as 64-bit words: no component straddles them.
fn words_of(format: Format, bytes: &[u8]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, from) in words.iter_mut().zip(bytes[..format.block_bytes() as usize].chunks(8)) {
        let mut whole = [0; 8];
        whole[..from.len()].copy_from_slice(from);
        *word = u64::from_le_bytes(whole);
    }
    words
}

fn f32_bits(value: f32) -> u64 {
    value.to_bits().into()
}

fn value(component: &Component, words: &[u64; 4]) -> u64 {
    let word = words[usize::from(component.offset / 64)];
    let width = u32::from(component.bits);
    let unsigned = word >> (component.offset % 64) & (u64::MAX >> (64 - width));
    let signed = (unsigned << (64 - width)) as i64 >> (64 - width);
    match component.numeric {
        Numeric::UInt => unsigned,
        Numeric::SInt if width == 64 => unsigned,
        Numeric::SInt => u64::from(signed as u32),
        Numeric::UScaled => f32_bits(unsigned as f32),
        Numeric::SScaled => f32_bits(signed as f32),
        // In f64 the quotient of integers below 2^24 rounds to f32 as the exact one does.
        Numeric::UNorm => f32_bits((unsigned as f64 / ((1u64 << width) - 1) as f64) as f32),
        Numeric::SNorm => f32_bits((signed as f64 / ((1u64 << (width - 1)) - 1) as f64).max(-1.0) as f32),
        Numeric::SFloat if width == 16 => f32_bits(f16::from_bits(unsigned as u16).to_f32()),
        Numeric::SFloat => unsigned,
        Numeric::UFloat => f32_bits(f16::from_bits((unsigned << (15 - width)) as u16).to_f32()),
        Numeric::Srgb => f32_bits(srgb::from_code(unsigned as u8)),
    }
}

fn component_bits(component: &Component, value: u64) -> u64 {
    let width = u32::from(component.bits);
    let float = f32::from_bits(value as u32);
    match component.numeric {
        Numeric::UInt | Numeric::SInt if width == 64 || component.channel == Channel::S => value,
        Numeric::UInt => u64::from(value as u32).min(u64::MAX >> (64 - width)),
        Numeric::SInt => {
            let most = (1i64 << (width - 1)) - 1;
            i64::from(value as u32 as i32).clamp(!most, most) as u64
        }
        Numeric::UScaled => u64::from(float as u32).min(u64::MAX >> (64 - width)),
        Numeric::SScaled => {
            let most = (1i64 << (width - 1)) - 1;
            i64::from(float as i32).clamp(!most, most) as u64
        }
        Numeric::UNorm => quantize(float, 0.0, width),
        Numeric::SNorm => quantize(float, -1.0, width - 1),
        Numeric::SFloat if width == 16 => f16::from_f32(float).to_bits().into(),
        Numeric::SFloat => value,
        Numeric::UFloat => small_float(float, width - 5),
        Numeric::Srgb => srgb::to_code(float).into(),
    }
}

/// The exact product, rounded to nearest even.
fn quantize(value: f32, low: f32, scale_bits: u32) -> u64 {
    let clamped = if value > low { value.min(1.0) } else { low };
    (f64::from(clamped) * ((1u64 << scale_bits) - 1) as f64).round_ties_even() as i64 as u64
}

/// Two to the power of an exponent that normal numbers have. (`powi` would call the C library's mathematics,
/// which no other function of the driver needs.)
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// To an unsigned float of 5 exponent bits; see `pyro_library::texel::float_to_small_float`.
fn small_float(value: f32, fraction_bits: u32) -> u64 {
    if value.is_nan() {
        return 31 << fraction_bits | 1 << (fraction_bits - 1);
    }
    if value == f32::INFINITY {
        return 31 << fraction_bits;
    }
    let largest = power_of_two(15) * (2.0 - power_of_two(-(fraction_bits as i32)));
    let value = f64::from(value).clamp(0.0, largest);
    // Numbers between neighbouring powers of two are counted in units of their last place.
    let exponent = (value.to_bits() >> 52) as i32 - 1023;
    let exponent = exponent.max(-14);
    let fraction = (value * power_of_two(fraction_bits as i32 - exponent)).round_ties_even() as u64;
    // A fraction that rounds up to the next power of two carries into the exponent by itself.
    if fraction < 1 << fraction_bits {
        fraction
    } else {
        ((exponent + 14) as u64) * (1 << fraction_bits) + fraction
    }
}

/// Khronos Data Format Specification, "Shared exponent formats", encoding; NaN counts as 0.
fn shared_exponent(components: [f32; 3]) -> u32 {
    let clamped = components.map(|value| if value > 0.0 { f64::from(value.min(65408.0)) } else { 0.0 });
    let greatest = clamped[0].max(clamped[1]).max(clamped[2]);
    let floor_log2 = ((greatest.to_bits() >> 52) as i32 - 1023).max(-16);
    let mut exponent = floor_log2 + 1 + 15;
    let units = |value: f64, exponent: i32| (value * power_of_two(24 - exponent) + 0.5).floor();
    if units(greatest, exponent) == 512.0 {
        exponent += 1;
    }
    let [red, green, blue] = clamped.map(|value| units(value, exponent) as u32);
    red | green << 9 | blue << 18 | (exponent as u32) << 27
}
