//! Keys as numbers, for those who hand them on without looking inside: pipeline layouts that know what their
//! descriptors will be.

use crate::format::{Aspect, Format};
use crate::key::{
    AddressMode, CompareOp, CubicWeights, Filter, Reduction, SamplerKey, Swizzle, ViewKey, ViewType,
};

const ASPECTS: [Aspect; 3] = [Aspect::Color, Aspect::Depth, Aspect::Stencil];
const VIEW_TYPES: [ViewType; 8] = [
    ViewType::D1,
    ViewType::D1Array,
    ViewType::D2,
    ViewType::D2Array,
    ViewType::D3,
    ViewType::Cube,
    ViewType::CubeArray,
    ViewType::Buffer,
];
const SWIZZLES: [Swizzle; 6] = [Swizzle::Zero, Swizzle::One, Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];
const FILTERS: [Filter; 3] = [Filter::Nearest, Filter::Linear, Filter::Cubic];
const CUBIC_WEIGHTS: [CubicWeights; 4] = [
    CubicWeights::CatmullRom,
    CubicWeights::ZeroTangentCardinal,
    CubicWeights::BSpline,
    CubicWeights::MitchellNetravali,
];
const ADDRESS_MODES: [AddressMode; 5] = [
    AddressMode::Repeat,
    AddressMode::MirroredRepeat,
    AddressMode::ClampToEdge,
    AddressMode::ClampToBorder,
    AddressMode::MirrorClampToEdge,
];
const REDUCTIONS: [Reduction; 4] =
    [Reduction::WeightedAverage, Reduction::Min, Reduction::Max, Reduction::RangeClamp];
const COMPARE_OPS: [Option<CompareOp>; 9] = [
    None,
    Some(CompareOp::Never),
    Some(CompareOp::Less),
    Some(CompareOp::Equal),
    Some(CompareOp::LessOrEqual),
    Some(CompareOp::Greater),
    Some(CompareOp::NotEqual),
    Some(CompareOp::GreaterOrEqual),
    Some(CompareOp::Always),
];
/// [`ViewKey::sparse`] and [`ViewKey::sample_bits`].
const TILES: [(bool, u8); 6] = [(false, 0), (true, 0), (true, 1), (true, 2), (true, 3), (true, 4)];
const FLAGS: [bool; 2] = [false, true];

/// Digits of different bases, the first one least; the number is above zero, so that zero means nothing.
struct Digits(u32);

impl Digits {
    fn put<T: PartialEq>(&mut self, all: &[T], one: &T) {
        let digit = all.iter().position(|other| other == one).unwrap_or(0);
        self.0 = self.0 * all.len() as u32 + digit as u32;
    }

    fn take<T: Copy>(&mut self, all: &[T]) -> T {
        let digit = self.0 % all.len() as u32;
        self.0 /= all.len() as u32;
        all[digit as usize]
    }
}

impl ViewKey {
    /// The key as a number other than zero; none with a Y'CbCr conversion.
    pub fn code(&self) -> Option<u32> {
        if self.conversion.is_some() {
            return None;
        }
        let mut digits = Digits(1);
        digits.put(Format::ALL, &self.format);
        digits.put(&ASPECTS, &self.aspect);
        digits.put(&VIEW_TYPES, &self.view_type);
        digits.put(&FLAGS, &self.multisampled);
        digits.put(&FLAGS, &self.single_level);
        digits.put(&FLAGS, &self.astc_unorm8);
        digits.put(&FLAGS, &self.corner_sampled);
        digits.put(&TILES, &(self.sparse, self.sample_bits));
        for swizzle in &self.swizzle {
            digits.put(&SWIZZLES, swizzle);
        }
        Some(digits.0)
    }

    /// The key of a number that [`ViewKey::code`] gave.
    pub fn from_code(code: u32) -> Option<ViewKey> {
        let mut digits = Digits(code);
        let mut swizzle = [(); 4].map(|()| digits.take(&SWIZZLES));
        swizzle.reverse();
        let (sparse, sample_bits) = digits.take(&TILES);
        let (corner_sampled, astc_unorm8) = (digits.take(&FLAGS), digits.take(&FLAGS));
        let (single_level, multisampled) = (digits.take(&FLAGS), digits.take(&FLAGS));
        let (view_type, aspect) = (digits.take(&VIEW_TYPES), digits.take(&ASPECTS));
        let format = digits.take(Format::ALL);
        let key = ViewKey {
            format,
            aspect,
            view_type,
            multisampled,
            single_level,
            swizzle,
            conversion: None,
            astc_unorm8,
            sparse,
            sample_bits,
            corner_sampled,
        };
        (digits.0 == 1).then_some(key)
    }
}

/// What a view with a Y'CbCr conversion shows, as far as where its texels lie: planes, of which the first has
/// luma, the others chroma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanarView {
    /// The formats of the planes.
    pub planes: [Option<Format>; 3],
    /// Whether planes of chroma have half as many texels in x and in y.
    pub halved: [bool; 2],
}

/// Set in numbers of [`PlanarView::code`], and in none of [`ViewKey::code`].
const PLANAR: u32 = 1 << 31;

impl PlanarView {
    /// Of a view of several planes; none of others.
    pub fn of(key: &ViewKey) -> Option<PlanarView> {
        let conversion = key.conversion.as_ref().filter(|conversion| conversion.planes[0].is_some())?;
        let planes = [Some(key.format), conversion.planes[0], conversion.planes[1]];
        Some(PlanarView { planes, halved: conversion.halved })
    }

    /// It as a number other than zero.
    pub fn code(&self) -> u32 {
        let mut digits = Digits(0);
        for plane in self.planes {
            digits.put(&FLAGS, &plane.is_some());
            digits.put(Format::ALL, &plane.unwrap_or(Format::ALL[0]));
        }
        self.halved.iter().for_each(|halved| digits.put(&FLAGS, halved));
        PLANAR | digits.0
    }

    /// The view of a number that [`PlanarView::code`] gave.
    pub fn from_code(code: u32) -> Option<PlanarView> {
        let mut digits = Digits(code & !PLANAR);
        let mut halved = [(); 2].map(|()| digits.take(&FLAGS));
        halved.reverse();
        let mut planes = [(); 3].map(|()| {
            let format = digits.take(Format::ALL);
            digits.take(&FLAGS).then_some(format)
        });
        planes.reverse();
        (code & PLANAR != 0 && digits.0 == 0 && planes[0].is_some()).then_some(PlanarView { planes, halved })
    }
}

// Both kinds of numbers fit, beside one another.
const _: () = {
    let formats = Format::ALL.len() as u64;
    let (flags, swizzles) = (FLAGS.len().pow(4) as u64, SWIZZLES.len().pow(4) as u64);
    let others = (ASPECTS.len() * VIEW_TYPES.len() * TILES.len()) as u64;
    assert!(2 * formats * others * flags * swizzles <= PLANAR as u64);
    assert!(formats.pow(3) * FLAGS.len().pow(5) as u64 <= PLANAR as u64);
};

impl SamplerKey {
    /// The key as a number other than zero.
    pub fn code(&self) -> u32 {
        let mut digits = Digits(1);
        for filter in [self.mag, self.min, self.mip] {
            digits.put(&FILTERS, &filter);
        }
        for mode in &self.address {
            digits.put(&ADDRESS_MODES, mode);
        }
        digits.put(&FLAGS, &self.anisotropic);
        digits.put(&COMPARE_OPS, &self.compare);
        digits.put(&REDUCTIONS, &self.reduction);
        digits.put(&CUBIC_WEIGHTS, &self.cubic_weights);
        digits.put(&FLAGS, &self.unnormalized);
        digits.put(&FLAGS, &self.non_seamless_cube);
        digits.0
    }

    /// The key of a number that [`SamplerKey::code`] gave.
    pub fn from_code(code: u32) -> Option<SamplerKey> {
        let mut digits = Digits(code);
        let (non_seamless_cube, unnormalized) = (digits.take(&FLAGS), digits.take(&FLAGS));
        let cubic_weights = digits.take(&CUBIC_WEIGHTS);
        let (reduction, compare) = (digits.take(&REDUCTIONS), digits.take(&COMPARE_OPS));
        let anisotropic = digits.take(&FLAGS);
        let mut address = [(); 3].map(|()| digits.take(&ADDRESS_MODES));
        address.reverse();
        let [mip, min, mag] = [(); 3].map(|()| digits.take(&FILTERS));
        let key = SamplerKey {
            mag,
            min,
            mip,
            address,
            anisotropic,
            compare,
            reduction,
            cubic_weights,
            unnormalized,
            non_seamless_cube,
        };
        (digits.0 == 1).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn view_keys_come_back() {
        for (index, &format) in Format::ALL.iter().enumerate() {
            let view = ViewKey {
                format,
                aspect: ASPECTS[index % 3],
                view_type: VIEW_TYPES[index % 8],
                multisampled: index % 5 == 0,
                single_level: index % 7 == 0,
                swizzle: [0, 1, 2, 3].map(|shift| SWIZZLES[(index >> shift) % 6]),
                conversion: None,
                astc_unorm8: index % 4 == 0,
                sparse: TILES[index % 6].0,
                sample_bits: TILES[index % 6].1,
                corner_sampled: index % 3 == 0,
            };
            let code = view.code().unwrap();
            assert_eq!(ViewKey::from_code(code), Some(view));
        }
        assert_eq!(ViewKey::from_code(0), None);
        assert_eq!(ViewKey::from_code(u32::MAX), None);
    }

    #[test]
    fn planar_views_come_back() {
        for (index, &format) in Format::ALL.iter().enumerate() {
            let third = (index % 3 == 0).then(|| Format::ALL[index / 2]);
            let planes = [Some(format), Some(Format::ALL[index / 3]), third];
            let view = PlanarView { planes, halved: [index % 2 == 0, index % 5 == 0] };
            assert_eq!(PlanarView::from_code(view.code()), Some(view));
            assert_eq!(ViewKey::from_code(view.code()), None);
        }
        let key = ViewKey::new(Format::R8_UNORM, Aspect::Color, ViewType::D2, 1);
        assert_eq!((PlanarView::of(&key), PlanarView::from_code(key.code().unwrap())), (None, None));
    }

    #[test]
    fn sampler_keys_come_back() {
        let mut seen = std::collections::HashSet::new();
        for number in 0..2000_usize {
            let bit = |bit: usize| number >> bit & 1 == 1;
            let key = SamplerKey {
                mag: FILTERS[number % 3],
                min: FILTERS[number / 2 % 3],
                mip: FILTERS[number / 4 % 2],
                address: [number % 5, number / 5 % 5, number / 3 % 5].map(|index| ADDRESS_MODES[index]),
                anisotropic: bit(5),
                compare: COMPARE_OPS[number % 9],
                reduction: REDUCTIONS[number / 7 % 4],
                cubic_weights: CUBIC_WEIGHTS[number / 11 % 4],
                unnormalized: bit(6),
                non_seamless_cube: bit(7),
            };
            seen.insert(key.code());
            assert_eq!(SamplerKey::from_code(key.code()), Some(key));
        }
        assert!(seen.len() > 1000);
        assert_eq!(SamplerKey::from_code(0), None);
        assert_eq!(SamplerKey::from_code(u32::MAX), None);
    }
}
