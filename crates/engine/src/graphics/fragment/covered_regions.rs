//! What one primitive covers of a tile, region by region, before it is known how its pixels are drawn best.

use crate::graphics::raster::small_triangle_coverage::REGION;
use crate::graphics::raster::tiles::TILE_PIXELS;
use crate::graphics::simd::lanes::LANES;

/// Rows of a block, which is as wide as a region.
const BLOCK_ROWS: u32 = 2;

/// The quads of a region, row by row: what is added to its upper left pixel.
pub(crate) const QUAD_CORNERS: [u32; LANES] = {
    let mut table = [0; LANES];
    let mut quad = 0;
    while quad < LANES {
        table[quad] = 2 * (quad as u32 % 4) + ((2 * (quad as u32 / 4)) << 16);
        quad += 1;
    }
    table
};

/// The blocks of eight by two pixels of a region that are covered wholly: the lowest bit of each block's
/// sixteen.
#[inline(always)]
fn whole_blocks(pixels: u64) -> u64 {
    let pairs = pixels & (pixels >> 1);
    let quads = pairs & (pairs >> 2);
    let halves = quads & (quads >> 4);
    halves & (halves >> 8) & 0x0001_0001_0001_0001
}

/// Regions of eight by eight pixels.
#[derive(Default)]
pub(crate) struct CoveredRegions {
    samples: usize,
    /// Upper left pixels, x in the lower half.
    corners: Vec<u32>,
    /// Of each region the pixels that are covered, sample by sample, in the order of quads.
    masks: Vec<u64>,
}

/// The quads that have a pixel: the lowest bit of each one's four.
#[inline(always)]
fn quads(pixels: u64) -> u64 {
    let pairs = pixels | (pixels >> 1);
    (pairs | (pairs >> 2)) & 0x1111_1111_1111_1111
}

impl CoveredRegions {
    /// Forgets all; pixels have so many samples.
    pub(crate) fn start(&mut self, samples: u32) {
        self.samples = samples.max(1) as usize;
        self.corners.clear();
        self.masks.clear();
        // Of a tile, where regions begin at any even pixel.
        let most = (TILE_PIXELS / REGION + 1).pow(2) as usize;
        self.corners.reserve(most);
        self.masks.reserve(most * self.samples);
    }

    /// Adds a region with its upper left pixel at (`x`, `y`), both even, by the pixels that each sample
    /// covers.
    #[inline(always)]
    pub(crate) fn push(&mut self, (x, y): (i32, i32), masks: &[u64]) {
        debug_assert_eq!(masks.len(), self.samples);
        self.corners.push(x as u32 | (y as u32) << 16);
        self.masks.extend_from_slice(masks);
    }

    /// Adds a region that all samples cover alike.
    #[inline(always)]
    pub(crate) fn push_pixels(&mut self, corner: (i32, i32), pixels: u64) {
        let masks = [pixels; pyro_abi::graphics::SAMPLES_MAX as usize];
        self.push(corner, &masks[..self.samples]);
    }

    pub(crate) fn samples(&self) -> usize {
        self.samples
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    pub(crate) fn count(&self) -> usize {
        self.corners.len()
    }

    /// How many blocks are covered in all samples.
    pub(crate) fn whole_count(&self) -> u32 {
        let masks = self.masks.chunks_exact(self.samples.max(1));
        let all = masks.map(|masks| masks.iter().fold(u64::MAX, |all, mask| all & mask));
        all.map(|all| whole_blocks(all).count_ones()).sum()
    }

    /// How many blocks and how many quads have a sample that is covered.
    #[inline(always)]
    pub(crate) fn touched_counts(&self) -> (u32, u32) {
        let masks = self.masks.chunks_exact(self.samples.max(1));
        masks.fold((0, 0), |(blocks, quads_so_far), masks| {
            let quads = quads(masks.iter().fold(0, |any, mask| any | mask));
            let pairs = quads | (quads >> 4);
            let touched = (pairs | (pairs >> 8)) & 0x0001_0001_0001_0001;
            (blocks + touched.count_ones(), quads_so_far + quads.count_ones())
        })
    }

    /// The regions from one on: upper left pixels, and the samples' pixels.
    #[inline(always)]
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = (u32, &[u64])> {
        let masks = self.masks.chunks_exact(self.samples.max(1));
        self.corners.iter().copied().zip(masks).skip(first)
    }

    /// Moves blocks that are covered in all samples to a list of their upper left pixels.
    pub(crate) fn take_blocks(&mut self, blocks: &mut Vec<u32>) {
        let (mut kept, samples) = (0, self.samples.max(1));
        for at in 0..self.corners.len() {
            let corner = self.corners[at];
            let masks = &self.masks[at * samples..][..samples];
            let mut whole = whole_blocks(masks.iter().fold(u64::MAX, |all, mask| all & mask));
            // All bits of the blocks.
            let rest = !(whole * 0xffff);
            while whole != 0 {
                let block = whole.trailing_zeros() / 16;
                whole &= whole - 1;
                blocks.push(corner + ((BLOCK_ROWS * block) << 16));
            }
            let mut any = 0;
            for sample in 0..samples {
                let mask = self.masks[at * samples + sample] & rest;
                self.masks[kept * samples + sample] = mask;
                any |= mask;
            }
            if any != 0 {
                self.corners[kept] = corner;
                kept += 1;
            }
        }
        self.corners.truncate(kept);
        self.masks.truncate(kept * samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_blocks_are_moved() {
        let mut regions = CoveredRegions::default();
        regions.start(2);
        regions.push((8, 2), &[0x1234_ffff_00ff_ffff, u64::MAX]);
        regions.push((16, 2), &[u64::MAX, u64::MAX]);
        regions.push((24, 2), &[u64::MAX, 1]);
        assert_eq!(regions.whole_count(), 6);
        let mut blocks = Vec::new();
        regions.take_blocks(&mut blocks);
        let at = |x: u32, y: u32| x | y << 16;
        assert_eq!(blocks, [at(8, 2), at(8, 6), at(16, 2), at(16, 4), at(16, 6), at(16, 8)]);
        let rest: Vec<(u32, Vec<u64>)> = regions.from(0).map(|(at, masks)| (at, masks.to_vec())).collect();
        let first = vec![0x1234_0000_00ff_0000, 0xffff_0000_ffff_0000];
        assert_eq!(rest, [(at(8, 2), first), (at(24, 2), vec![u64::MAX, 1])]);
    }
}
