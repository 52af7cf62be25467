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

/// Regions of a tile at most, where they begin at any even pixel.
const REGIONS_MAX: usize = (TILE_PIXELS / REGION + 1).pow(2) as usize;

/// Regions of eight by eight pixels.
#[derive(Default)]
pub(crate) struct CoveredRegions {
    samples: usize,
    count: usize,
    /// Upper left pixels, x in the lower half; what is behind `count` is of earlier primitives.
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
        self.count = 0;
        self.corners.resize(REGIONS_MAX, 0);
        self.masks.resize(REGIONS_MAX * self.samples, 0);
    }

    /// Forgets all.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a region with its upper left pixel at (`x`, `y`), both even, by the pixels that each sample
    /// covers.
    #[inline(always)]
    pub(crate) fn push(&mut self, (x, y): (i32, i32), masks: &[u64]) {
        debug_assert_eq!(masks.len(), self.samples);
        let at = self.count.min(REGIONS_MAX - 1);
        if let Some(to) = self.corners.get_mut(at) {
            *to = x as u32 | (y as u32) << 16;
        }
        let to = self.masks.get_mut(at * masks.len()..).unwrap_or_default();
        // Of few words a copy is no call.
        match *masks {
            [mask] => to.iter_mut().take(1).for_each(|to| *to = mask),
            [first, second] => to.iter_mut().zip([first, second]).for_each(|(to, mask)| *to = mask),
            [p, q, r, s] => to.iter_mut().zip([p, q, r, s]).for_each(|(to, mask)| *to = mask),
            _ => to.iter_mut().zip(masks).for_each(|(to, mask)| *to = *mask),
        }
        self.count = at + 1;
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

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The masks of all regions.
    fn all_masks(&self) -> impl Iterator<Item = &[u64]> {
        self.masks.chunks_exact(self.samples.max(1)).take(self.count)
    }

    /// How many blocks are covered in all samples.
    pub(crate) fn whole_count(&self) -> u32 {
        let all = self.all_masks().map(|masks| masks.iter().fold(u64::MAX, |all, mask| all & mask));
        all.map(|all| whole_blocks(all).count_ones()).sum()
    }

    /// Upper left pixels and masks, where pixels have so many samples.
    #[inline(always)]
    pub(crate) fn of_samples<const SAMPLES: usize>(&self) -> (&[u32], &[[u64; SAMPLES]]) {
        let (corners, masks) = (self.corners.as_slice(), self.masks.as_chunks().0);
        let count = self.count.min(corners.len()).min(masks.len());
        (&corners[..count], &masks[..count])
    }

    /// How many blocks and how many quads have a sample that is covered, where pixels have so many.
    #[inline(always)]
    pub(crate) fn touched_counts<const SAMPLES: usize>(&self) -> (u32, u32) {
        let (_, masks) = self.of_samples::<SAMPLES>();
        masks.iter().fold((0, 0), |(blocks, quads_so_far), masks| {
            let quads = quads(masks.iter().fold(0, |any, mask| any | mask));
            let pairs = quads | (quads >> 4);
            let touched = (pairs | (pairs >> 8)) & 0x0001_0001_0001_0001;
            (blocks + touched.count_ones(), quads_so_far + quads.count_ones())
        })
    }

    /// The regions from one on: upper left pixels, and the samples' pixels.
    #[inline(always)]
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = (u32, &[u64])> {
        self.corners.iter().copied().zip(self.all_masks()).skip(first)
    }

    /// Moves blocks that are covered in all samples to a list of their upper left pixels.
    pub(crate) fn take_blocks(&mut self, blocks: &mut Vec<u32>) {
        let (mut kept, samples) = (0, self.samples.max(1));
        for at in 0..self.count {
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
        self.count = kept;
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
