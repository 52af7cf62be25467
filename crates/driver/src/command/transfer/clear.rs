//! Clears of images and attachments.

use super::copy::{rows, runs};
use super::surface::{Region, Surface};
use super::texel::{self, Value};
use crate::objects::memory::mapped::PATTERN_BYTES;
use pyro_image::{Aspect, Format};
use std::ops;

/// A clear of some texels of a surface.
pub struct Clear {
    surface: Surface,
    /// The texels.
    pub(super) region: Region,
    /// The bits that are written, and those that stay.
    bits: u128,
    kept: u128,
    /// How many aspects of the format are cleared.
    pub(super) aspect_count: usize,
}

/// Bytes that are written at a time.
const ROW_BYTES: usize = 1024;

/// The bits that a clear writes, and the bits that it leaves.
fn pattern(format: Format, aspects: &[Aspect], value: Value) -> (u128, u128) {
    let all = u128::MAX >> (128 - 8 * format.block_bytes().min(16));
    let (mut bits, mut written) = (0, 0);
    for &aspect in aspects {
        if !format.has_aspect(aspect) {
            continue;
        }
        // Depth is the first word, stencil the second.
        let value = if aspect == Aspect::Stencil { [value[1], 0, 0, 0] } else { value };
        let value = if aspect == Aspect::Depth { clamp_depth(format, value) } else { value };
        // The first two words are the one component of 64 bits that there can be.
        bits = if format.is_64_bit() {
            u128::from(value[1]) << 32 | u128::from(value[0])
        } else {
            texel::encode(format, aspect, value, bits)
        };
        written |= if aspect == Aspect::Color { all } else { texel::aspect_mask(format, aspect) };
    }
    // Bits that nobody reads may be written too: whole texels are faster.
    let unused = all & !used(format);
    if written & used(format) == used(format) {
        written |= unused;
    }
    (bits, all & !written)
}

fn used(format: Format) -> u128 {
    [Aspect::Color, Aspect::Depth, Aspect::Stencil]
        .into_iter()
        .filter(|aspect| format.has_aspect(*aspect))
        .fold(0, |bits, aspect| bits | texel::aspect_mask(format, aspect))
}

/// Only floats can hold a depth outside [0, 1] (`VK_EXT_depth_range_unrestricted`).
fn clamp_depth(format: Format, value: Value) -> Value {
    let depth = f32::from_bits(value[0]);
    let depth = if format.is_fixed_point_depth() { depth.clamp(0.0, 1.0) } else { depth };
    [depth.to_bits(), 0, 0, 0]
}

impl Clear {
    /// A clear of these aspects of a region; `value` are the words of a `VkClearValue`. What is outside the
    /// surface is left out, and so is everything of a compressed one.
    pub fn new(surface: Surface, region: Region, aspects: &[Aspect], value: Value) -> Clear {
        let mut region = region.clip(&surface);
        if surface.format.is_compressed() {
            region.count = [0; 3];
        }
        let (bits, kept) = pattern(surface.format, aspects, value);
        let aspect_count = aspects.iter().filter(|&&aspect| surface.format.has_aspect(aspect)).count();
        Clear { surface, region, bits, kept, aspect_count }
    }

    /// What is cleared.
    pub(super) fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Clears some rows of a region inside the clear's.
    pub(super) fn run(&self, region: Region, numbers: ops::Range<u64>) {
        if region.is_empty() {
            return;
        }
        let bytes = self.surface.texel_bytes();
        let width = region.count[0] as usize;
        if self.kept == 0 && PATTERN_BYTES.is_multiple_of(bytes) {
            let mut pattern = [0; PATTERN_BYTES];
            for texel in pattern.chunks_exact_mut(bytes) {
                texel.copy_from_slice(&self.bits.to_le_bytes()[..bytes]);
            }
            if !self.surface.has_rows() {
                // A row of a tile at a time.
                for (first, ..) in rows(region, numbers) {
                    for (_, piece, texels) in self.surface.pieces(first, region.count[0]) {
                        for sample in 0..self.surface.samples {
                            let rows = self.surface.rows(piece, sample, texels, 1);
                            self.surface.memory().fill_rows(rows, &pattern);
                        }
                    }
                }
                return;
            }
            for sample in 0..self.surface.samples {
                for (first, count) in runs(region, numbers.clone()) {
                    let rows = self.surface.rows(first, sample, region.count[0], count);
                    self.surface.memory().fill_rows(rows, &pattern);
                }
            }
            return;
        }
        // Whole texels; short enough to stay in the cache.
        let length = (ROW_BYTES / bytes).min(width);
        let mut new = [0; ROW_BYTES];
        let new = &mut new[..length * bytes];
        for texel in new.chunks_exact_mut(bytes) {
            texel.copy_from_slice(&self.bits.to_le_bytes()[..bytes]);
        }
        for sample in 0..self.surface.samples {
            for ([first, y, plane], _, _) in rows(region, numbers.clone()) {
                for at in (0..width).step_by(length) {
                    let new = &mut new[..length.min(width - at) * bytes];
                    let place = [first + at as u32, y, plane];
                    if self.kept != 0 {
                        self.surface.read(place, sample, new);
                        for texel in new.chunks_exact_mut(bytes) {
                            let bits = texel::from_bytes(texel) & self.kept | self.bits;
                            texel.copy_from_slice(&bits.to_le_bytes()[..bytes]);
                        }
                    }
                    self.surface.write(place, sample, new);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_keep_the_other_aspect() {
        let value = [1_f32.to_bits(), 0x7F, 0, 0];
        let format = Format::D24_UNORM_S8_UINT;
        assert_eq!(pattern(format, &[Aspect::Depth], value), (0xFF_FFFF, 0xFF00_0000));
        assert_eq!(pattern(format, &[Aspect::Stencil], value), (0x7F00_0000, 0xFF_FFFF));
        assert_eq!(pattern(format, &[Aspect::Depth, Aspect::Stencil], value), (0x7FFF_FFFF, 0));
        // Nobody reads the upper byte.
        assert_eq!(pattern(Format::X8_D24_UNORM_PACK32, &[Aspect::Depth], value), (0xFF_FFFF, 0));
        let (bits, kept) = pattern(Format::R32G32B32A32_UINT, &[Aspect::Color], [1, 2, 3, 4]);
        assert_eq!((bits, kept), (4 << 96 | 3 << 64 | 2 << 32 | 1, 0));
    }
}
