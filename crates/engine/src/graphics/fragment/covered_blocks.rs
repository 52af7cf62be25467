//! Blocks of eight by two pixels that primitives cover in part, on their way to the function that loops over
//! them.
//!
//! Problem: a primitive of a thousand pixels has as many quads along its edges as within them, and moves of
//! quads take several times what moves of rows take; nor is there one call's worth of blocks that it covers
//! wholly.
//!
//! Approach: rows are moved under masks, so blocks along edges are drawn like others. Each block has its
//! primitive, so one call draws the blocks of many.
//!
//! Invariants: blocks run in the order in which they come, one after another, so each pixel sees its
//! fragments in order. Those of a tile lie within it, and within the area that is drawn.

use crate::graphics::setup::deferred_setup::PlaneSlot;
use pyro_abi::graphics::{COVERED_BLOCK_SAMPLES_MAX, CoveredBlock};

/// Blocks of a region.
const REGION_BLOCKS: usize = 4;
/// Blocks of a list at most.
const BLOCKS: usize = 256;
/// Bits of a block.
const PIXELS: u64 = 0xffff;

/// The list of one draw in one tile.
pub(crate) struct CoveredBlocks {
    /// What is behind `count` is of earlier lists.
    blocks: Box<[CoveredBlock; BLOCKS]>,
    count: usize,
}

impl Default for CoveredBlocks {
    fn default() -> CoveredBlocks {
        CoveredBlocks { blocks: Box::new([CoveredBlock::default(); BLOCKS]), count: 0 }
    }
}

/// The place of a primitive's first word in its group.
#[inline(always)]
fn primitive(place: PlaneSlot) -> u32 {
    place.offset + 4 * place.number
}

/// The bits of each block of a region, which are in the order of quads, row by row. `WIDE`: with AVX-512, and
/// so with BMI2, for which the caller is compiled.
#[inline(always)]
fn row_by_row<const WIDE: bool>(mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        use std::arch::x86_64::{_pdep_u64 as spread, _pext_u64 as collect};
        const UPPER: u64 = 0x3333_3333_3333_3333;
        const BYTES: u64 = 0x00ff_00ff_00ff_00ff;
        // SAFETY: with `WIDE` the caller is compiled for processors with these instructions.
        #[allow(unsafe_code)]
        return unsafe { spread(collect(mask, UPPER), BYTES) | spread(collect(mask, !UPPER), !BYTES) };
    }
    // Two columns of a row in four bits, then four in eight, then all in sixteen.
    let row = |bits: u64| {
        let pairs = bits & 0x3333_3333_3333_3333;
        let halves = (pairs | (pairs >> 2)) & 0x0f0f_0f0f_0f0f_0f0f;
        (halves | (halves >> 4)) & 0x00ff_00ff_00ff_00ff
    };
    row(mask) | row(mask >> 2) << 8
}

impl CoveredBlocks {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// There is room for a region.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.count + REGION_BLOCKS <= BLOCKS
    }

    /// The list.
    pub(crate) fn blocks(&self) -> &[CoveredBlock] {
        &self.blocks[..self.count]
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds the blocks of a region, of which there is room, by the pixels that each of so many samples
    /// covers. Gives how many pixels these are. `WIDE`: as for `row_by_row`.
    #[inline(always)]
    pub(crate) fn push<const SAMPLES: usize, const WIDE: bool>(
        &mut self,
        corner: u32,
        masks: &[u64; SAMPLES],
        place: PlaneSlot,
    ) -> u64 {
        const { assert!(SAMPLES <= COVERED_BLOCK_SAMPLES_MAX) };
        let any = masks.iter().fold(0, |any, mask| any | mask);
        let at = self.count.min(BLOCKS - REGION_BLOCKS);
        let Some(to) = self.blocks[at..].first_chunk_mut::<REGION_BLOCKS>() else { return 0 };
        let mut rows = [0; SAMPLES];
        for (rows, &mask) in rows.iter_mut().zip(masks) {
            *rows = row_by_row::<WIDE>(mask);
        }
        // All are written, each where the next touched one's place is: no branch has to be guessed.
        let mut count = 0;
        for block in 0..REGION_BLOCKS {
            let to = &mut to[count % REGION_BLOCKS];
            to.corner = corner + ((2 * block as u32) << 16);
            to.primitive = primitive(place);
            for ((to, mask), rows) in to.coverage.iter_mut().zip(masks).zip(rows) {
                let (lanes, rows) = (mask >> (16 * block) & PIXELS, rows >> (16 * block) & PIXELS);
                *to = (lanes | rows << 16) as u32;
            }
            count += usize::from(any >> (16 * block) & PIXELS != 0);
        }
        self.count = at + count;
        any.count_ones().into()
    }

    /// Adds a block, of which there is room, that is covered wholly.
    #[inline(always)]
    pub(crate) fn push_whole(&mut self, corner: u32, place: PlaneSlot) {
        let at = self.count.min(BLOCKS - 1);
        let coverage = [u32::MAX; COVERED_BLOCK_SAMPLES_MAX];
        self.blocks[at] = CoveredBlock { corner, primitive: primitive(place), coverage };
        self.count = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::graphics::simd::multiversion::{Vectorized, vectorize};

    #[test]
    fn lanes_are_reordered() {
        for lane in 0..64 {
            let (pair, y, x) = (lane / 4 % 4, lane / 2 % 2, lane % 2);
            let place = lane / 16 * 16 + y * 8 + 2 * pair + x;
            assert_eq!(row_by_row::<false>(1 << lane), 1 << place, "{lane}");
        }
        assert_eq!(row_by_row::<false>(u64::MAX), u64::MAX);
    }

    /// The instructions give what the plain way gives.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn lanes_are_reordered_by_instructions() {
        struct Rows(u64);

        impl Vectorized for Rows {
            type Output = u64;

            #[inline(always)]
            fn run<const WIDE: bool>(self) -> u64 {
                row_by_row::<WIDE>(self.0)
            }
        }

        let mut random = pyro_random::Random::new(9);
        for _ in 0..1000 {
            let mask = u64::from(random.word()) << 32 | u64::from(random.word());
            assert_eq!(vectorize(Rows(mask)), row_by_row::<false>(mask), "{mask:x}");
        }
    }

    #[test]
    fn touched_blocks_are_listed_in_order() {
        let mut list = CoveredBlocks::default();
        let place = PlaneSlot { offset: 640, number: 3, ..PlaneSlot::default() };
        let at = |x: u32, y: u32| x | y << 16;
        assert_eq!(list.push::<2, false>(at(8, 2), &[0x1_0000_0000_8001, 0x2_0000_0000_0000], place), 4);
        list.push_whole(at(0, 0), place);
        let places: Vec<_> = list.blocks().iter().map(|block| (block.corner, block.primitive)).collect();
        assert_eq!(places, [(at(8, 2), 652), (at(8, 8), 652), (at(0, 0), 652)]);
        let coverage: Vec<_> = list.blocks().iter().map(|block| &block.coverage[..2]).collect();
        // The last lane is the last of the second row, the second one the second of the first row.
        assert_eq!(coverage, [[0x8001_8001, 0], [0x1_0001, 0x2_0002], [u32::MAX, u32::MAX]]);
        list.clear();
        assert!(list.is_empty());
        while list.has_room() {
            list.push::<1, false>(0, &[u64::MAX], place);
        }
        assert_eq!(list.blocks().len(), BLOCKS);
    }
}
