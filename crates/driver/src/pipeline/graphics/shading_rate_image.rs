//! Shading rate images (`VK_NV_shading_rate_image`): palettes by viewport, and the order of the samples of
//! fragments of several pixels.

use super::state::GraphicsState;
use pyro_abi::graphics::{COVERAGE_SAMPLES_MAX, Rate, VIEWPORTS_MAX};
use pyro_engine::graphics::{PALETTE_SIZE, Palettes};
use smallvec::SmallVec;
use vulkanalia_sys as vk;

/// `VkShadingRatePaletteNV`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShadingRatePalette(SmallVec<[u8; PALETTE_SIZE]>);

impl ShadingRatePalette {
    /// These entries; more than there can be are left out.
    pub fn new(entries: &[vk::ShadingRatePaletteEntryNV]) -> ShadingRatePalette {
        let number = |entry: &vk::ShadingRatePaletteEntryNV| u8::try_from(entry.as_raw()).unwrap_or(u8::MAX);
        ShadingRatePalette(entries.iter().take(PALETTE_SIZE).map(number).collect())
    }
}

/// `VkCoarseSampleOrderCustomNV`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomSampleOrder {
    /// The size of fragments.
    pub rate: Rate,
    /// Samples of a pixel.
    pub samples: u32,
    /// For each bit of a mask, the pixel's column and row within the fragment, and the sample.
    pub locations: Vec<[u32; 3]>,
}

/// The order of the samples of fragments of several pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoarseSampleOrder {
    /// The kind of order.
    pub kind: vk::CoarseSampleOrderTypeNV,
    /// For orders of the kind `CUSTOM`.
    pub custom: Vec<CustomSampleOrder>,
}

impl CoarseSampleOrder {
    /// Whether it is the one that there is without the extension.
    pub(super) fn is_default(&self) -> bool {
        self.kind == vk::CoarseSampleOrderTypeNV::DEFAULT
    }

    /// Pixel, row by row, and sample of a bit of the mask of fragments of a size.
    fn location(&self, rate: Rate, samples: u32, bit: u32) -> Option<[u32; 2]> {
        use vk::CoarseSampleOrderTypeNV as Kind;
        match self.kind {
            Kind::PIXEL_MAJOR => Some([bit / samples, bit % samples]),
            Kind::SAMPLE_MAJOR => Some([bit % rate.pixels(), bit / rate.pixels()]),
            Kind::CUSTOM => {
                let mut all = self.custom.iter();
                let order = all.find(|order| order.rate == rate && order.samples == samples)?;
                let &[x, y, sample] = order.locations.get(bit as usize)?;
                let is_there = x < 1 << rate.x && y < 1 << rate.y && sample < samples;
                is_there.then_some([(y << rate.x) + x, sample])
            }
            _ => None,
        }
    }

    /// What `DrawExtra::sample_orders` says for so many samples of a pixel.
    pub(super) fn places(&self, samples: u32) -> [[u32; COVERAGE_SAMPLES_MAX as usize]; 16] {
        let mut places = [std::array::from_fn(|bit| bit as u32); 16];
        for rate in Rate::ALL.into_iter().filter(|rate| rate.is_supported(samples)) {
            let count = rate.pixels() * samples;
            let of_bit = |bit: u32| {
                let [pixel, sample] = self.location(rate, samples, bit)?;
                // Coverage has the first pixel's samples uppermost.
                Some((rate.pixels() - 1 - pixel) * samples + sample)
            };
            let order: Option<Vec<u32>> = (0..count).map(of_bit).collect();
            for (to, place) in places[rate.bits() as usize].iter_mut().zip(order.unwrap_or_default()) {
                *to = place;
            }
        }
        places
    }
}

/// The palettes that draws use; entries that are not there are those of one invocation for each pixel.
pub(crate) fn palettes(state: &GraphicsState) -> Palettes {
    let mut all = [[ONE_FOR_EACH_PIXEL; PALETTE_SIZE]; VIEWPORTS_MAX];
    for (to, palette) in all.iter_mut().zip(&state.shading_rate_palettes) {
        // Indices behind the last entry mean that.
        let entries =
            palette.0.iter().chain(std::iter::repeat(palette.0.last().unwrap_or(&ONE_FOR_EACH_PIXEL)));
        to.iter_mut().zip(entries).for_each(|(to, entry)| *to = *entry);
    }
    Palettes(all)
}

const ONE_FOR_EACH_PIXEL: u8 = vk::ShadingRatePaletteEntryNV::_1_INVOCATION_PER_PIXEL.as_raw() as u8;

#[cfg(test)]
mod tests {
    use super::*;
    use vk::CoarseSampleOrderTypeNV as Kind;

    #[test]
    fn orders_are_those_of_the_specification() {
        let rate = Rate::from_size(2, 1);
        let places = |kind, custom| {
            let order = CoarseSampleOrder { kind, custom };
            order.places(2)[rate.bits() as usize][..4].to_vec()
        };
        // Coverage has the right pixel's samples in bits 0 and 1.
        assert_eq!(places(Kind::DEFAULT, Vec::new()), [0, 1, 2, 3]);
        assert_eq!(places(Kind::PIXEL_MAJOR, Vec::new()), [2, 3, 0, 1]);
        assert_eq!(places(Kind::SAMPLE_MAJOR, Vec::new()), [2, 0, 3, 1]);
        let custom = |locations| vec![CustomSampleOrder { rate, samples: 2, locations }];
        let locations = vec![[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]];
        assert_eq!(places(Kind::CUSTOM, custom(locations)), [1, 2, 0, 3]);
        // An invalid order is the default one.
        assert_eq!(places(Kind::CUSTOM, custom(vec![[7, 0, 1]; 4])), [0, 1, 2, 3]);
        assert_eq!(places(Kind::CUSTOM, custom(vec![[1, 0, 1]])), [0, 1, 2, 3]);
    }
}
