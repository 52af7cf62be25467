//! Rows of texels to values and back, fast where every component is a byte.

use super::texel::{self, Value};
use pyro_image::format::Numeric;
use pyro_image::{Aspect, Format};

/// Decodes and encodes texels of one format and aspect.
pub(super) struct Codec {
    format: Format,
    aspect: Aspect,
    bytes: Option<ByteFormat>,
}

/// A colour format of bytes, at most one for each component.
struct ByteFormat {
    /// For each component of a value: its byte in the texel, and the words that the byte stands for.
    components: [Option<(usize, Box<[u32; 256]>)>; 4],
    /// What a missing component is.
    missing: Value,
    /// All components are unsigned normalized.
    is_unorm: bool,
}

impl Codec {
    /// For a format and aspect.
    pub(super) fn new(format: Format, aspect: Aspect) -> Codec {
        Codec { format, aspect, bytes: ByteFormat::new(format, aspect) }
    }

    /// All components are unsigned normalized bytes.
    pub(super) fn is_unorm_bytes(&self) -> bool {
        self.bytes.as_ref().is_some_and(|bytes| bytes.is_unorm)
    }

    /// The values of texels.
    pub(super) fn decode(&self, texels: &[u8], mut out: impl FnMut(Value)) {
        let size = self.format.block_bytes() as usize;
        match &self.bytes {
            Some(bytes) => texels.chunks_exact(size).for_each(|texel| {
                let mut value = bytes.missing;
                for (word, component) in value.iter_mut().zip(&bytes.components) {
                    if let Some((at, words)) = component {
                        *word = words[usize::from(texel[*at])];
                    }
                }
                out(value);
            }),
            None => texels
                .chunks_exact(size)
                .for_each(|texel| out(texel::decode(self.format, self.aspect, texel::from_bytes(texel)))),
        }
    }

    /// Puts a value into a texel.
    pub(super) fn encode(&self, value: Value, texel: &mut [u8]) {
        match &self.bytes {
            Some(bytes) if bytes.is_unorm => {
                for (word, component) in value.into_iter().zip(&bytes.components) {
                    if let Some((at, _)) = component {
                        // NaN becomes 0, as a cast has it; the product is exact.
                        let product = f64::from(f32::from_bits(word)) * 255.0;
                        texel[*at] = product.round_ties_even() as u8;
                    }
                }
            }
            _ => {
                let bits = texel::encode(self.format, self.aspect, value, texel::from_bytes(texel));
                let size = texel.len();
                texel.copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }

    /// The mean of the samples' texels, for formats whose components are unsigned normalized bytes: false for
    /// others. The nearest value, halves to even.
    pub(super) fn average(&self, samples: &[Vec<u8>], out: &mut [u8]) -> bool {
        let count = samples.len() as u32;
        if !self.is_unorm_bytes() || !count.is_power_of_two() {
            return false;
        }
        if count == 1 {
            out.copy_from_slice(&samples[0]);
            return true;
        }
        // Sums fit 16 bits; loops without branches become vectors.
        const PART: usize = 1024;
        let (shift, half, below) = (count.trailing_zeros(), (count / 2) as u16, (count - 1) as u16);
        let mut sums = [0u16; PART];
        for (number, out) in out.chunks_mut(PART).enumerate() {
            let sums = &mut sums[..out.len()];
            sums.fill(0);
            for bytes in samples {
                let bytes = &bytes[number * PART..];
                sums.iter_mut().zip(bytes).for_each(|(sum, &byte)| *sum += u16::from(byte));
            }
            for (out, &sum) in out.iter_mut().zip(&*sums) {
                let (quotient, rest) = (sum >> shift, sum & below);
                // Above the half, or at it and odd.
                *out = (quotient + u16::from(rest + (quotient & 1) > half)) as u8;
            }
        }
        true
    }
}

impl ByteFormat {
    fn new(format: Format, aspect: Aspect) -> Option<ByteFormat> {
        let info = format.info();
        let plain = aspect == Aspect::Color
            && info.compression.is_none()
            && info.components.iter().all(|one| one.bits == 8 && one.offset % 8 == 0);
        if !plain {
            return None;
        }
        let is_unorm = info.components.iter().all(|one| one.numeric == Numeric::UNorm);
        let mut components = [const { None }; 4];
        for (place, component) in texel::components(format, aspect) {
            let words = core::array::from_fn(|byte| {
                texel::decode(format, aspect, (byte as u128) << component.offset)[place]
            });
            components[place] = Some((usize::from(component.offset / 8), Box::new(words)));
        }
        Some(ByteFormat { components, missing: texel::decode(format, aspect, 0), is_unorm })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fast ways give what the plain ones give.
    #[test]
    fn bytes_are_as_any_other_format() {
        for format in [
            Format::R8G8B8A8_UNORM,
            Format::B8G8R8A8_SRGB,
            Format::R8G8_SNORM,
            Format::R8_UINT,
            Format::R8G8B8_UNORM,
        ] {
            let codec = Codec::new(format, Aspect::Color);
            assert!(codec.bytes.is_some());
            let size = format.block_bytes() as usize;
            for byte in 0..=255_u8 {
                let texel: Vec<u8> = (0..size).map(|index| byte.wrapping_mul(2 * index as u8 + 1)).collect();
                let expected = texel::decode(format, Aspect::Color, texel::from_bytes(&texel));
                codec.decode(&texel, |value| assert_eq!(value, expected, "{format:?}"));
                let mut fast = vec![0; size];
                codec.encode(expected, &mut fast);
                let plain = texel::encode(format, Aspect::Color, expected, 0);
                assert_eq!(fast, plain.to_le_bytes()[..size], "{format:?}");
            }
        }
        let codec = Codec::new(Format::R8_UNORM, Aspect::Color);
        for (value, expected) in [(f32::NAN, 0), (-3.0, 0), (7.0, 255), (0.5, 128), (f32::INFINITY, 255)] {
            let mut texel = [9];
            codec.encode([value.to_bits(), 0, 0, 0], &mut texel);
            assert_eq!(texel, [expected], "{value}");
        }
    }

    #[test]
    fn means_round_to_even() {
        let codec = Codec::new(Format::R8_UNORM, Aspect::Color);
        let mean = |samples: &[u8]| {
            let samples: Vec<Vec<u8>> = samples.iter().map(|&byte| vec![byte]).collect();
            let mut out = [0];
            assert!(codec.average(&samples, &mut out));
            out[0]
        };
        assert_eq!((mean(&[1, 2]), mean(&[2, 3]), mean(&[0, 255, 255, 255])), (2, 2, 191));
        assert_eq!((mean(&[7]), mean(&[255; 8]), mean(&[0, 0, 0, 3])), (7, 255, 1));
        assert!(!Codec::new(Format::R8_SRGB, Aspect::Color).average(&[vec![1]], &mut [0]));
    }
}
