//! Texels as values, for clears, blits and resolves: [`pyro_image::texel::host`] on numbers.
//!
//! A texel is a little-endian number of up to 128 bits; a value is four words for red, green, blue and alpha
//! (or depth or stencil in the first): bits of floats, or integers, as the format's numeric class says.

use pyro_image::format::{Channel, Component, Numeric};
use pyro_image::texel::host;
use pyro_image::{Aspect, Format, NumericClass};

/// Four words, one for each of red, green, blue, alpha.
pub(super) type Value = [u32; 4];

/// The components of an aspect, each with its place in a value.
pub(super) fn components(
    format: Format,
    aspect: Aspect,
) -> impl Iterator<Item = (usize, &'static Component)> {
    format.info().components.iter().filter_map(move |component| {
        let place = match (component.channel, aspect) {
            (Channel::R, Aspect::Color) => 0,
            (Channel::G, Aspect::Color) => 1,
            (Channel::B, Aspect::Color) => 2,
            (Channel::A, Aspect::Color) => 3,
            (Channel::D, Aspect::Depth) | (Channel::S, Aspect::Stencil) => 0,
            _ => return None,
        };
        Some((place, component))
    })
}

fn mask(bits: u8) -> u128 {
    (1 << bits) - 1
}

/// The value of a texel's aspect. Missing components are 0, missing alpha is 1. Of components of 64 bits, the
/// low half.
pub(super) fn decode(format: Format, aspect: Aspect, texel: u128) -> Value {
    host::decode(format, aspect, &texel.to_le_bytes()).map(|word| word as u32)
}

/// The values of one line of a compressed block.
pub(super) fn decode_line(format: Format, block: &[u8], line: [u32; 2]) -> impl Iterator<Item = Value> {
    let texels = pyro_image::texel::decode_line(format, block, line).unwrap_or_default();
    texels.into_iter().map(|texel| texel.map(f32::to_bits))
}

/// A texel's bits with an aspect replaced by a value.
pub(super) fn encode(format: Format, aspect: Aspect, value: Value, old: u128) -> u128 {
    let mut bytes = old.to_le_bytes();
    let signed = format.numeric_class(aspect) == NumericClass::SInt && format.is_64_bit();
    let words = value.map(|word| if signed { word as i32 as u64 } else { word.into() });
    host::encode(format, aspect, words, &mut bytes);
    u128::from_le_bytes(bytes)
}

/// The bits of a texel that belong to an aspect.
pub(super) fn aspect_mask(format: Format, aspect: Aspect) -> u128 {
    components(format, aspect).fold(0, |bits, (_, component)| bits | mask(component.bits) << component.offset)
}

/// Integers saturate when a blit or clear makes them narrower.
pub(super) fn saturate(format: Format, aspect: Aspect, value: Value) -> Value {
    let mut result = value;
    for (place, component) in components(format, aspect) {
        let bits = component.bits.min(32);
        result[place] = match component.numeric {
            Numeric::UInt => value[place].min(mask(bits) as u32),
            Numeric::SInt => {
                let most = (mask(bits) >> 1) as i32;
                (value[place] as i32).clamp(-most - 1, most) as u32
            }
            _ => value[place],
        };
    }
    result
}

/// Reads a texel of up to 16 bytes.
pub(super) fn from_bytes(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_texel_of_small_formats_round_trips() {
        for &format in Format::ALL {
            if format.is_compressed() || format.block_bytes() > 2 || format.is_depth_stencil() {
                continue;
            }
            let all = aspect_mask(format, Aspect::Color);
            for texel in 0..1_u128 << (8 * format.block_bytes()) {
                if texel & all != texel {
                    continue;
                }
                let value = decode(format, Aspect::Color, texel);
                let again = encode(format, Aspect::Color, value, 0);
                let nan = value.iter().any(|&word| f32::from_bits(word).is_nan())
                    && format.numeric_class(Aspect::Color) == NumericClass::Float;
                // The least signed normalized value has a twin.
                let same = again == texel || nan || decode(format, Aspect::Color, again) == value;
                assert!(same, "{format:?}: {texel:#x} became {again:#x}");
            }
        }
    }

    #[test]
    fn known_texels() {
        let bits = f32::to_bits;
        let half = [bits(0.5), bits(0.5), bits(0.5), bits(0.5)];
        assert_eq!(encode(Format::R8G8B8A8_UNORM, Aspect::Color, half, 0), 0x8080_8080);
        assert_eq!(encode(Format::B8G8R8A8_SRGB, Aspect::Color, half, 0), 0x80BC_BCBC);
        let color = [bits(1.0), bits(0.0), bits(-1.0), bits(f32::NAN)];
        assert_eq!(encode(Format::R8G8B8A8_SNORM, Aspect::Color, color, 0) & 0xFF_FFFF, 0x81_007F);
        assert_eq!(encode(Format::B10G11R11_UFLOAT_PACK32, Aspect::Color, [bits(1.0); 4], 0), 0x781E_03C0);
        assert_eq!(encode(Format::E5B9G9R9_UFLOAT_PACK32, Aspect::Color, [bits(1.0); 4], 0), 0x8402_0100);
        let one = decode(Format::E5B9G9R9_UFLOAT_PACK32, Aspect::Color, 0x8402_0100);
        assert_eq!(one, [bits(1.0); 4]);
        let red = |x: f32| encode(Format::B10G11R11_UFLOAT_PACK32, Aspect::Color, [bits(x), 0, 0, 0], 0);
        assert_eq!(red(65024.0), 0x7BF);
        assert_eq!(red(1e9), 0x7BF);
        assert_eq!(red(2_f32.powi(-20)), 1);
        assert_eq!(red(2_f32.powi(-14)), 0x40);
        let low = [(-1_i32) as u32, 0, 0, 0];
        assert_eq!(encode(Format::R64_SINT, Aspect::Color, low, 0), u64::MAX.into());
        assert_eq!(encode(Format::R64_UINT, Aspect::Color, low, 0), u32::MAX.into());
    }

    #[test]
    fn lines_of_blocks() {
        // Red and blue in turn, the second line with them swapped.
        let block = [0x00, 0xF8, 0x1F, 0x00, 0x44, 0x11, 0x44, 0x11];
        let (red, blue) = ([1.0, 0.0, 0.0, 1.0].map(f32::to_bits), [0.0, 0.0, 1.0, 1.0].map(f32::to_bits));
        let line = |line| decode_line(Format::BC1_RGBA_UNORM_BLOCK, &block, [line, 0]).collect::<Vec<_>>();
        assert_eq!(line(0), [red, blue, red, blue]);
        assert_eq!(line(1), [blue, red, blue, red]);
        assert_eq!(line(2), line(0));
    }

    #[test]
    fn depth_write_preserves_stencil_and_reverse() {
        let format = Format::D24_UNORM_S8_UINT;
        let texel = encode(format, Aspect::Depth, [1_f32.to_bits(), 0, 0, 0], 0);
        let texel = encode(format, Aspect::Stencil, [0xAB, 0, 0, 0], texel);
        assert_eq!(decode(format, Aspect::Depth, texel)[0], 1_f32.to_bits());
        assert_eq!(decode(format, Aspect::Stencil, texel)[0], 0xAB);
        assert_eq!(aspect_mask(format, Aspect::Depth) & aspect_mask(format, Aspect::Stencil), 0);
    }

    #[test]
    fn integers_saturate() {
        let value = [u32::MAX, 300, 5, 256];
        assert_eq!(saturate(Format::R8G8B8A8_UINT, Aspect::Color, value), [255, 255, 5, 255]);
        let value = [(-300_i32) as u32, 300, 5, (-1_i32) as u32];
        let narrow = saturate(Format::R8G8B8A8_SINT, Aspect::Color, value);
        assert_eq!(narrow.map(|word| word as i32), [-128, 127, 5, -1]);
    }
}
