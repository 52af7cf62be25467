//! Rows of texels to values and back, fast where every component is a byte, or a float of 16 or 32 bits.

use super::texel::{self, Value};
use half::f16;
use half::slice::HalfFloatSliceExt;
use pyro_image::format::{Channel, Numeric};
use pyro_image::{Aspect, Format};
use pyro_ir::eval::srgb;
use std::sync::OnceLock;

/// Decodes and encodes texels of one format and aspect.
pub(super) struct Codec {
    format: Format,
    aspect: Aspect,
    layout: Layout,
}

/// At least as many as [`Numeric`] has.
const NUMERIC_TYPES: usize = 16;
const _: () = assert!((Numeric::Srgb as usize) < NUMERIC_TYPES);

/// How colours lie in texels.
enum Layout {
    Bytes(ByteFormat),
    /// So many floats of 16 bits, red first.
    Halves(usize),
    /// So many floats of 32 bits, red first.
    Singles(usize),
    Other,
}

/// A colour format of bytes, at most one for each component.
struct ByteFormat {
    /// For each component of a value: its byte in the texel, and the words that the byte stands for.
    components: [Option<(usize, &'static [u32; 256])>; 4],
    /// What a missing component is.
    missing: Value,
    /// All components are unsigned normalized.
    is_unorm: bool,
    /// There are four of them, red first, or blue first.
    order: Option<Order>,
    /// Some components are, and the others are sRGB's.
    is_srgb: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Rgba,
    Bgra,
}

impl Order {
    /// Where a component's byte is.
    #[inline(always)]
    fn place<const BGRA: bool>(component: usize) -> usize {
        if BGRA && component < 3 { 2 - component } else { component }
    }
}

impl Codec {
    /// For a format and aspect.
    pub(super) fn new(format: Format, aspect: Aspect) -> Codec {
        Codec { format, aspect, layout: Layout::new(format, aspect) }
    }

    /// All components are unsigned normalized bytes.
    pub(super) fn is_unorm_bytes(&self) -> bool {
        matches!(&self.layout, Layout::Bytes(bytes) if bytes.is_unorm)
    }

    /// Both have unsigned normalized bytes of the same components, in the same order, and nothing else.
    pub(super) fn has_same_unorm_bytes(&self, other: &Codec) -> bool {
        let places = |codec: &Codec| match &codec.layout {
            Layout::Bytes(bytes) if bytes.is_unorm && !codec.keeps_bits() => {
                Some(bytes.components.map(|component| component.map(|(at, _)| at)))
            }
            _ => None,
        };
        places(self).is_some() && places(self) == places(other)
    }

    /// A texel has bits that another value of the aspect leaves as they are.
    pub(super) fn keeps_bits(&self) -> bool {
        match &self.layout {
            Layout::Bytes(bytes) => {
                bytes.components.iter().flatten().count() != self.format.block_bytes() as usize
            }
            _ => self.aspect != Aspect::Color,
        }
    }

    /// The values of texels.
    pub(super) fn decode(&self, texels: &[u8], mut out: impl FnMut(Value)) {
        let size = self.format.block_bytes() as usize;
        match &self.layout {
            Layout::Bytes(bytes) => texels.chunks_exact(size).for_each(|texel| out(bytes.decode(texel))),
            _ => texels
                .chunks_exact(size)
                .for_each(|texel| out(texel::decode(self.format, self.aspect, texel::from_bytes(texel)))),
        }
    }

    /// The same of a row, added to `values`.
    pub(super) fn decode_row(&self, texels: &[u8], values: &mut Vec<Value>) {
        match &self.layout {
            Layout::Bytes(bytes) if bytes.order == Some(Order::Rgba) => decode_unorm::<false>(texels, values),
            Layout::Bytes(bytes) if bytes.order == Some(Order::Bgra) => decode_unorm::<true>(texels, values),
            Layout::Halves(count) => {
                let halves: Vec<f16> =
                    texels.as_chunks().0.iter().map(|bytes| f16::from_le_bytes(*bytes)).collect();
                let mut singles = vec![0.0; halves.len()];
                halves.convert_to_f32_slice(&mut singles);
                values.extend(
                    singles
                        .chunks_exact(*count)
                        .map(|texel| padded(texel.iter().map(|value| value.to_bits()))),
                );
            }
            Layout::Singles(count) => values.extend(
                texels
                    .chunks_exact(4 * count)
                    .map(|texel| padded(texel.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)))),
            ),
            _ => self.decode(texels, |value| values.push(value)),
        }
    }

    /// Puts a value into a texel.
    pub(super) fn encode(&self, value: Value, texel: &mut [u8]) {
        match &self.layout {
            Layout::Bytes(bytes) if bytes.is_unorm => {
                for (word, component) in value.into_iter().zip(&bytes.components) {
                    if let Some((at, _)) = component {
                        texel[*at] = unorm_byte(word);
                    }
                }
            }
            Layout::Bytes(bytes) if bytes.is_srgb => {
                for (channel, (word, component)) in value.into_iter().zip(&bytes.components).enumerate() {
                    if let Some((at, _)) = component {
                        let value = f32::from_bits(word);
                        texel[*at] =
                            if channel == 3 { unorm_byte(word) } else { srgb::codes::look_up(value) };
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

    /// Puts values into the texels of a row.
    pub(super) fn encode_row(&self, values: &[Value], texels: &mut [u8]) {
        match &self.layout {
            Layout::Bytes(bytes) if bytes.order == Some(Order::Rgba) => encode_unorm::<false>(values, texels),
            Layout::Bytes(bytes) if bytes.order == Some(Order::Bgra) => encode_unorm::<true>(values, texels),
            Layout::Halves(count) => {
                let parts = values.iter().flat_map(|value| &value[..*count]);
                let singles: Vec<f32> = parts.map(|&word| f32::from_bits(word)).collect();
                let mut halves = vec![f16::ZERO; singles.len()];
                halves.convert_from_f32_slice(&singles);
                let to = texels.as_chunks_mut().0.iter_mut();
                to.zip(halves).for_each(|(to, half)| *to = half.to_le_bytes());
            }
            Layout::Singles(count) => {
                for (value, texel) in values.iter().zip(texels.chunks_exact_mut(4 * count)) {
                    let to = texel.as_chunks_mut().0.iter_mut();
                    to.zip(value).for_each(|(to, word)| *to = word.to_le_bytes());
                }
            }
            _ => {
                let size = self.format.block_bytes() as usize;
                let texels = texels.chunks_exact_mut(size);
                values.iter().zip(texels).for_each(|(value, texel)| self.encode(*value, texel));
            }
        }
    }

    /// The mean of the samples' texels, for formats whose components are unsigned normalized bytes, or floats
    /// of 16 or 32 bits: false for others. The nearest value, halves to even; of floats the sum in the order
    /// of the samples, and that divided.
    pub(super) fn average(&self, samples: &[Vec<u8>], out: &mut [u8]) -> bool {
        match &self.layout {
            Layout::Halves(_) => {
                let mut halves = Vec::new();
                average_floats::<2>(
                    samples,
                    out,
                    |bytes, singles| {
                        halves.clear();
                        halves.extend(bytes.iter().map(|bytes| f16::from_le_bytes(*bytes)));
                        halves.convert_to_f32_slice(singles);
                    },
                    |singles, bytes| {
                        let mut halves = [f16::ZERO; PART];
                        let halves = &mut halves[..singles.len()];
                        halves.convert_from_f32_slice(singles);
                        bytes.iter_mut().zip(halves).for_each(|(to, half)| *to = half.to_le_bytes());
                    },
                );
                return true;
            }
            Layout::Singles(_) => {
                average_floats::<4>(
                    samples,
                    out,
                    |bytes, singles| {
                        singles
                            .iter_mut()
                            .zip(bytes)
                            .for_each(|(to, bytes)| *to = f32::from_le_bytes(*bytes));
                    },
                    |singles, bytes| {
                        bytes.iter_mut().zip(singles).for_each(|(to, single)| *to = single.to_le_bytes());
                    },
                );
                return true;
            }
            _ => {}
        }
        let count = samples.len() as u32;
        if !self.is_unorm_bytes() || !count.is_power_of_two() {
            return false;
        }
        if count == 1 {
            out.copy_from_slice(&samples[0]);
            return true;
        }
        // Sums fit 16 bits; loops without branches become vectors.
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

/// Components that are averaged at a time, so that sums stay in the nearest cache.
const PART: usize = 1024;

/// The mean of the samples' floats of `N` bytes each.
fn average_floats<const N: usize>(
    samples: &[Vec<u8>],
    out: &mut [u8],
    mut decode: impl FnMut(&[[u8; N]], &mut [f32]),
    encode: impl Fn(&[f32], &mut [[u8; N]]),
) {
    let (mut sums, mut one) = ([0.0; PART], [0.0; PART]);
    for (number, out) in out.as_chunks_mut().0.chunks_mut(PART).enumerate() {
        let (sums, one) = (&mut sums[..out.len()], &mut one[..out.len()]);
        for (sample, bytes) in samples.iter().enumerate() {
            let bytes = &bytes.as_chunks().0[number * PART..][..out.len()];
            if sample == 0 {
                decode(bytes, sums);
            } else {
                decode(bytes, one);
                sums.iter_mut().zip(&*one).for_each(|(sum, value)| *sum += value);
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= samples.len() as f32);
        encode(sums, out);
    }
}

/// Words of a value, then what stands for missing components of floats.
#[inline(always)]
fn padded(words: impl Iterator<Item = u32>) -> Value {
    let mut value = [0, 0, 0, 1f32.to_bits()];
    value.iter_mut().zip(words).for_each(|(to, word)| *to = word);
    value
}

fn decode_unorm<const BGRA: bool>(texels: &[u8], values: &mut Vec<Value>) {
    values.extend(texels.as_chunks::<4>().0.iter().map(|texel| {
        // Rounded as the exact quotient is.
        std::array::from_fn(|component| (f32::from(texel[Order::place::<BGRA>(component)]) / 255.0).to_bits())
    }));
}

fn encode_unorm<const BGRA: bool>(values: &[Value], texels: &mut [u8]) {
    for (value, texel) in values.iter().zip(texels.as_chunks_mut::<4>().0) {
        *texel = std::array::from_fn(|at| unorm_byte(value[Order::place::<BGRA>(at)]));
    }
}

/// The nearest byte, halves to even; NaN becomes 0.
#[inline(always)]
fn unorm_byte(word: u32) -> u8 {
    // Numbers from here on have no fractions.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let value = f32::from_bits(word);
    let value = if value > 0.0 { value } else { 0.0 };
    let value = if value < 1.0 { value } else { 1.0 };
    // The product is exact, and the sum rounds it.
    (f64::from(value) * 255.0 + WHOLE).to_bits() as u8
}

impl Layout {
    fn new(format: Format, aspect: Aspect) -> Layout {
        if let Some(bytes) = ByteFormat::new(format, aspect) {
            return Layout::Bytes(bytes);
        }
        let info = format.info();
        let is_in_order = |bits: u8| {
            aspect == Aspect::Color
                && info.compression.is_none()
                && u32::from(bits) / 8 * info.components.len() as u32 == format.block_bytes()
                && texel::components(format, aspect).all(|(place, one)| {
                    one.numeric == Numeric::SFloat
                        && one.bits == bits
                        && u32::from(one.offset) == place as u32 * u32::from(bits)
                })
        };
        match info.components.len() {
            count if is_in_order(16) => Layout::Halves(count),
            count if is_in_order(32) => Layout::Singles(count),
            _ => Layout::Other,
        }
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
        let is_srgb = info.components.iter().all(|one| match one.channel {
            Channel::A => one.numeric == Numeric::UNorm,
            _ => one.numeric == Numeric::Srgb,
        });
        let mut components = [None; 4];
        for (place, component) in texel::components(format, aspect) {
            // Bytes of one numeric type stand for the same words in every format.
            static WORDS: [OnceLock<[u32; 256]>; NUMERIC_TYPES] = [const { OnceLock::new() }; NUMERIC_TYPES];
            let words = WORDS[component.numeric as usize % NUMERIC_TYPES].get_or_init(|| {
                std::array::from_fn(|byte| {
                    texel::decode(format, aspect, (byte as u128) << component.offset)[place]
                })
            });
            components[place] = Some((usize::from(component.offset / 8), words));
        }
        let at = components.map(|one| one.map_or(usize::MAX, |(at, _)| at));
        let order = match at {
            [0, 1, 2, 3] if is_unorm => Some(Order::Rgba),
            [2, 1, 0, 3] if is_unorm => Some(Order::Bgra),
            _ => None,
        };
        let missing = texel::decode(format, aspect, 0);
        Some(ByteFormat { components, missing, is_unorm, order, is_srgb })
    }

    #[inline(always)]
    fn decode(&self, texel: &[u8]) -> Value {
        let mut value = self.missing;
        for (word, component) in value.iter_mut().zip(&self.components) {
            if let Some((at, words)) = component {
                *word = words[usize::from(texel[*at])];
            }
        }
        value
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
            assert!(matches!(codec.layout, Layout::Bytes(_)));
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

    /// Rows are as texel by texel.
    #[test]
    fn rows_are_as_texels() {
        for format in [
            Format::R8G8B8A8_UNORM,
            Format::B8G8R8A8_UNORM,
            Format::R8G8B8A8_SRGB,
            Format::B8G8R8A8_SNORM,
            Format::R8_UNORM,
            Format::R16G16B16A16_SFLOAT,
            Format::R16_SFLOAT,
            Format::R32G32_SFLOAT,
            Format::R32G32B32A32_SFLOAT,
            Format::R16G16B16A16_UNORM,
            Format::B10G11R11_UFLOAT_PACK32,
        ] {
            let codec = Codec::new(format, Aspect::Color);
            let size = format.block_bytes() as usize;
            let texels: Vec<u8> = (0..size as u32 * 1000).map(|at| ((at * at * 31) >> 3) as u8).collect();
            let mut values = Vec::new();
            codec.decode_row(&texels, &mut values);
            let plain = |texel: &[u8]| texel::decode(format, Aspect::Color, texel::from_bytes(texel));
            // Of NaN the payload is nobody's.
            let of_nan =
                |value: Value| value.map(|word| if f32::from_bits(word).is_nan() { 1 } else { word });
            for (value, texel) in values.iter().zip(texels.chunks_exact(size)) {
                assert_eq!(of_nan(*value), of_nan(plain(texel)), "{format:?}");
            }
            values.retain(|value| value.iter().all(|&word| !f32::from_bits(word).is_nan()));
            values.extend([-1.0f32, 0.3, 7.0, f32::INFINITY, 1e-30].map(|value| [value.to_bits(); 4]));
            let mut row = vec![0; size * values.len()];
            assert!(!codec.keeps_bits());
            codec.encode_row(&values, &mut row);
            for (value, texel) in values.iter().zip(row.chunks_exact(size)) {
                let expected = texel::encode(format, Aspect::Color, *value, 0);
                assert_eq!(texel, &expected.to_le_bytes()[..size], "{format:?} {value:?}");
            }
        }
    }

    /// Means of floats are those of decoded values.
    #[test]
    fn means_of_floats_are_as_by_texels() {
        for format in [Format::R16G16B16A16_SFLOAT, Format::R16G16_SFLOAT, Format::R32G32B32_SFLOAT] {
            let codec = Codec::new(format, Aspect::Color);
            let texels = PART + 77;
            let size = format.block_bytes() as usize;
            let row = |sample: usize| {
                let mut row = vec![0; texels * size];
                let value = |at: usize| ((at * 37 + sample * 101) % 512) as f32 * 0.37 - 90.0;
                let values: Vec<Value> = (0..texels)
                    .map(|at| std::array::from_fn(|place| value(4 * at + place).to_bits()))
                    .collect();
                codec.encode_row(&values, &mut row);
                row
            };
            let samples: Vec<Vec<u8>> = (0..4).map(row).collect();
            let mut found = vec![0; texels * size];
            assert!(codec.average(&samples, &mut found));
            for at in 0..texels {
                let mut sums = [0.0; 4];
                for sample in &samples {
                    let texel = texel::from_bytes(&sample[at * size..][..size]);
                    let value = texel::decode(format, Aspect::Color, texel).map(f32::from_bits);
                    sums.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
                }
                let mean = sums.map(|sum| (sum / 4.0).to_bits());
                let expected = texel::encode(format, Aspect::Color, mean, 0);
                assert_eq!(found[at * size..][..size], expected.to_le_bytes()[..size], "{format:?} {at}");
            }
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
