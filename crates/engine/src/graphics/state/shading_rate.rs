//! The shading rate of a draw: that of the pipeline, of primitives and of an attachment, and how they are
//! combined (specification, "Fragment Shading Rates" and "Fragment Density Map Operations").

use pyro_abi::Memory;
use pyro_abi::graphics::{INVOCATIONS_SHIFT, Rate, VIEWPORTS_MAX};
use std::sync::Arc;

/// `VkFragmentShadingRateCombinerOpKHR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Combiner {
    /// The first of two.
    #[default]
    Keep,
    /// The second.
    Replace,
    /// The smaller one, in each direction.
    Min,
    /// The larger one, in each direction.
    Max,
    /// Their product, in each direction.
    Mul,
}

impl Combiner {
    /// What it makes of two rates; sizes may be up to 16.
    pub fn combine(self, a: Rate, b: Rate) -> Rate {
        match self {
            Combiner::Keep => a,
            Combiner::Replace => b,
            Combiner::Min => Rate { x: a.x.min(b.x), y: a.y.min(b.y) },
            Combiner::Max => Rate { x: a.x.max(b.x), y: a.y.max(b.y) },
            Combiner::Mul => Rate { x: a.x + b.x, y: a.y + b.y },
        }
    }
}

/// What the texels of an attachment of rates are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RateTexels {
    /// A byte, as [`Rate::bits`] has it.
    #[default]
    Rates,
    /// Two bytes: fragments for each pixel in x and y, 255 of 255 being one (a fragment density map).
    Densities,
    /// A byte, the index of an entry in the viewport's palette (`VK_NV_shading_rate_image`).
    PaletteIndices,
}

/// Entries of a palette (`shadingRatePaletteSize`).
pub const PALETTE_SIZE: usize = 16;

/// The palettes of all viewports: numbers of `VkShadingRatePaletteEntryNV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palettes(pub [[u8; PALETTE_SIZE]; VIEWPORTS_MAX]);

/// How often the shader runs for the pixels of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockShading {
    /// The size of fragments.
    pub(crate) rate: Rate,
    /// Invocations for each fragment, a power of two: of several, each has as many samples. None: the
    /// fragments are discarded. Other than one only for fragments of one pixel.
    pub(crate) invocations: u8,
}

impl BlockShading {
    /// One invocation for each fragment of a size.
    pub(crate) const fn once(rate: Rate) -> BlockShading {
        BlockShading { rate, invocations: 1 }
    }

    /// What a number of `VkShadingRatePaletteEntryNV` says for so many samples.
    fn of_entry(entry: u8, samples: u32) -> BlockShading {
        let size = |width, height| BlockShading::once(Rate::from_size(width, height).clamped(samples));
        match entry {
            0 => BlockShading { rate: Rate::PIXEL, invocations: 0 },
            1..=4 => BlockShading { rate: Rate::PIXEL, invocations: (32u8 >> entry).min(samples as u8) },
            6 => size(2, 1),
            7 => size(1, 2),
            8 => size(2, 2),
            9 => size(4, 2),
            10 => size(2, 4),
            11 => size(4, 4),
            _ => BlockShading::once(Rate::PIXEL),
        }
    }

    /// As `FragmentSubgroup::shading_rate` has it.
    pub(crate) fn bits(self) -> u32 {
        self.rate.bits() | self.invocations.max(1).ilog2() << INVOCATIONS_SHIFT
    }
}

impl RateTexels {
    /// The rate of the texel that begins at an address.
    fn rate(self, view: Memory, row: u64, x: u32) -> Rate {
        match self {
            RateTexels::PaletteIndices => Rate::PIXEL,
            RateTexels::Rates => Rate::from_bits(view.load::<u8>(row + u64::from(x)).into()),
            RateTexels::Densities => {
                let density = |at: u64| view.load::<u8>(row + 2 * u64::from(x) + at);
                // Never more than one over the density.
                let size = |density: u8| match density {
                    0..=63 => 4,
                    64..=127 => 2,
                    _ => 1,
                };
                Rate::from_size(size(density(0)), size(density(1)))
            }
        }
    }
}

/// A fragment shading rate attachment, or a fragment density map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateAttachment {
    /// Address of its texel (0, 0) of layer 0.
    pub address: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u32,
    /// Bytes from one layer to the next; zero where all layers have the same rates.
    pub layer_pitch: u32,
    /// Texels in x and y, at least one. Beyond them a shading rate attachment reads as zero, a fragment
    /// density map as its last texel.
    pub extent: [u32; 2],
    /// Logarithms of the pixels that a texel stands for; at least 3, blocks of eight by eight pixels.
    pub texel: [u32; 2],
    /// What texels are.
    pub texels: RateTexels,
    /// By layer, how many pixels a fragment density map is moved to the right and down: whole blocks. Layers
    /// without one are where they are.
    pub offsets: Arc<[[i32; 2]]>,
}

impl RateAttachment {
    /// Of the texel of a pixel of a layer, the address of its row, and its column; none where there is no
    /// texel.
    fn texel_of(&self, pixel: [i32; 2], layer: u16) -> Option<(u64, u32)> {
        let layer = if self.layer_pitch == 0 { 0 } else { layer };
        let offset = self.offsets.get(usize::from(layer)).copied().unwrap_or_default();
        let texel: [i32; 2] = [0, 1].map(|axis| pixel[axis].saturating_sub(offset[axis]) >> self.texel[axis]);
        let [x, y] = [0, 1].map(|axis| texel[axis].max(0) as u32);
        let last = self.extent.map(|texels| texels.saturating_sub(1));
        if self.texels != RateTexels::Densities && (x > last[0] || y > last[1]) {
            return None;
        }
        let [x, y] = [x.min(last[0]), y.min(last[1])];
        let row = u64::from(y) * u64::from(self.row_pitch);
        Some((self.address + row + u64::from(layer) * u64::from(self.layer_pitch), x))
    }

    /// The rate at a pixel of a layer; one pixel where there is no texel.
    pub(crate) fn rate_at(&self, view: Memory, pixel: [i32; 2], layer: u16) -> Rate {
        self.texel_of(pixel, layer).map_or(Rate::PIXEL, |(row, x)| self.texels.rate(view, row, x))
    }
}

/// How a draw's fragments get their sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShadingRate {
    /// That of the pipeline.
    pub pipeline: Rate,
    /// How it is combined with the primitive's, and the result with the attachment's.
    pub combiners: [Combiner; 2],
    /// The attachment; none: fragments of one pixel there.
    pub attachment: Option<RateAttachment>,
    /// The palettes that alone say what rates there are, by indices in the attachment; without one, the
    /// index is zero everywhere.
    pub palettes: Option<Arc<Palettes>>,
    /// The shader runs for each sample: palettes can only say where it does not run at all.
    pub per_sample: bool,
}

impl ShadingRate {
    /// The rate of pipeline and primitive. `bits`: what the vertex stage gives.
    pub(crate) fn of_primitive(&self, bits: u32, samples: u32) -> Rate {
        let primitive = Rate::from_bits(bits).clamped(samples);
        self.combiners[0].combine(self.pipeline.clamped(samples), primitive).clamped(samples)
    }

    /// How pixels of a primitive are shaded, by one of the block.
    pub(crate) fn shading_at(
        &self,
        view: Memory,
        primitive: CoarsePrimitive,
        pixel: [i32; 2],
        samples: u32,
    ) -> BlockShading {
        let Some(palettes) = &self.palettes else {
            return BlockShading::once(self.at(view, primitive, pixel, samples));
        };
        let texel = self.attachment.as_ref().and_then(|one| one.texel_of(pixel, primitive.layer));
        let index = texel.map_or(0, |(row, x)| view.load::<u8>(row + u64::from(x)));
        let palette = &palettes.0[usize::from(primitive.viewport) % VIEWPORTS_MAX];
        let shading = BlockShading::of_entry(palette[usize::from(index).min(PALETTE_SIZE - 1)], samples);
        match self.per_sample && shading.invocations != 0 {
            true => BlockShading::once(Rate::PIXEL),
            false => shading,
        }
    }

    /// Whether a fragment density map makes fragments larger somewhere between two pixels of a layer.
    pub(crate) fn has_sparse_fragments(
        &self,
        view: Memory,
        from: [i32; 2],
        to: [i32; 2],
        layer: u32,
    ) -> bool {
        let map = self.attachment.as_ref().filter(|one| one.texels == RateTexels::Densities);
        let Some(map) = map else { return false };
        // Texels begin and end at multiples of eight pixels.
        let steps = |axis: usize| (from[axis] & !7..to[axis]).step_by(8);
        steps(1).any(|y| steps(0).any(|x| map.rate_at(view, [x, y], layer as u16) != Rate::PIXEL))
    }

    /// The rate at a pixel of a layer.
    fn at(&self, view: Memory, primitive: CoarsePrimitive, pixel: [i32; 2], samples: u32) -> Rate {
        let CoarsePrimitive { rate_bits, layer, .. } = primitive;
        let rate = Rate::from_bits(rate_bits.into());
        let attachment = self.attachment.as_ref().map(|attachment| attachment.rate_at(view, pixel, layer));
        let attachment = attachment.unwrap_or(Rate::PIXEL).clamped(samples);
        self.combiners[1].combine(rate, attachment).clamped(samples)
    }
}

/// What the rates of a primitive's fragments come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CoarsePrimitive {
    /// That of pipeline and primitive, as [`Rate::bits`] has it.
    pub(crate) rate_bits: u8,
    /// Layers are fewer.
    pub(crate) layer: u16,
    /// The viewport.
    pub(crate) viewport: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code)]
    fn beyond_an_attachment_rates_are_pixels_and_densities_those_of_the_edge() {
        let no_offsets: Arc<[[i32; 2]]> = Arc::from([]);
        // Two texels of each kind: one of a pixel, then one of two by two, or of half the density.
        let rates = [Rate::from_size(1, 1), Rate::from_size(2, 2)].map(|rate| rate.bits() as u8);
        let densities = [255u8, 255, 127, 127];
        let moved_rate_at = |texels: &[u8], kind: RateTexels, offsets: &Arc<[[i32; 2]]>, x: i32| {
            let attachment = RateAttachment {
                address: texels.as_ptr().expose_provenance() as u64,
                extent: [2, 1],
                texel: [3, 3],
                texels: kind,
                offsets: Arc::clone(offsets),
                ..RateAttachment::default()
            };
            let rate = ShadingRate {
                combiners: [Combiner::Keep, Combiner::Replace],
                attachment: Some(attachment),
                ..ShadingRate::default()
            };
            // SAFETY: the attachment's texels are those of the slice.
            let memory = unsafe { Memory::new() };
            rate.at(memory, CoarsePrimitive::default(), [x, 7], 1)
        };
        let rate_at = |texels: &[u8], kind, x| moved_rate_at(texels, kind, &no_offsets, x);
        let (one, two) = (Rate::PIXEL, Rate::from_size(2, 2));
        let moved =
            |offset, x| moved_rate_at(&densities, RateTexels::Densities, &Arc::from([[offset, 0]]), x);
        assert_eq!([0, 15, 16, 24].map(|x| moved(16, x)), [one, one, one, two]);
        assert_eq!([0, 8].map(|x| moved(-8, x)), [two, two]);
        assert_eq!([0, 15, 16].map(|x| rate_at(&rates, RateTexels::Rates, x)), [one, two, one]);
        assert_eq!([0, 15, 16].map(|x| rate_at(&densities, RateTexels::Densities, x)), [one, two, two]);
    }
}
