//! Counters of the regions of a subpass (`VK_ARM_performance_counters_by_region`).
//!
//! A region is a tile: what a thread draws of it between two looks at the clock is what its counters count.
//! Draws without counters cost one look at whether they have some, for each chunk of a tile.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// What is counted in each region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionCounter {
    /// Invocations of fragment shaders, helpers not counted.
    FragmentInvocations,
    /// Primitives that were rasterized in the region: of a small one, what covers a pixel.
    Primitives,
    /// Nanoseconds for which a thread has drawn there.
    Nanoseconds,
}

impl RegionCounter {
    /// How many there are.
    const COUNT: usize = 3;
}

/// What a subpass has counted in its regions so far.
pub struct RegionCounters {
    /// The render area's first pixel.
    first: [i32; 2],
    /// Pixels of a region, and of a tile, in x and y.
    side: i32,
    /// Regions in x and y.
    size: [u32; 2],
    layers: u32,
    /// By layer, row, column and [`RegionCounter`].
    values: Box<[AtomicU64]>,
    /// By layer, row and column, whether a fragment density map has made fragments larger there.
    coarse: Box<[AtomicBool]>,
}

impl RegionCounters {
    /// Regions of so many pixels in x and y, in a render area of a first pixel and a size; all count from
    /// zero.
    pub fn new(first: [i32; 2], pixels: [u32; 2], side: u32, layers: u32) -> RegionCounters {
        let size = pixels.map(|pixels| pixels.div_ceil(side));
        let count = size[0] as usize * size[1] as usize * layers as usize;
        let values = (0..count * RegionCounter::COUNT).map(|_| AtomicU64::new(0)).collect();
        let coarse = (0..count).map(|_| AtomicBool::new(false)).collect();
        RegionCounters { first, side: side as i32, size, layers, values, coarse }
    }

    /// Regions in x and y.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// What a region of a layer has counted; none where nothing is to be said of it.
    pub fn get(&self, counter: RegionCounter, layer: u32, [x, y]: [u32; 2]) -> Option<u64> {
        let number = self.number(layer, [x, y])?;
        let is_coarse = self.coarse[number].load(Ordering::Relaxed);
        let value = &self.values[number * RegionCounter::COUNT + counter as usize];
        (!is_coarse).then(|| value.load(Ordering::Relaxed))
    }

    fn number(&self, layer: u32, [x, y]: [u32; 2]) -> Option<usize> {
        let [columns, rows] = self.size;
        let is_one = layer < self.layers && x < columns && y < rows;
        let row = layer as usize * rows as usize + y as usize;
        is_one.then(|| row * columns as usize + x as usize)
    }

    /// The region of a tile by its first pixel: that of the tile's first pixel within the render area. Where
    /// that begins within a tile, the first tile has fewer pixels than a region and shares it with the next.
    fn region(&self, layer: u32, tile: [i32; 2]) -> Option<usize> {
        let place = |axis: usize| (tile[axis].saturating_sub(self.first[axis]).max(0) / self.side) as u32;
        self.number(layer, [place(0), place(1)])
    }

    /// Adds what a draw has done in the tile with this first pixel.
    pub(crate) fn add(&self, tile: [i32; 2], layer: u32, done: &Done) {
        let Some(number) = self.region(layer, tile) else { return };
        let nanoseconds = u64::try_from(done.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let values = &self.values[number * RegionCounter::COUNT..][..RegionCounter::COUNT];
        for (counter, value) in [
            (RegionCounter::FragmentInvocations, done.invocations),
            (RegionCounter::Primitives, done.primitives),
            (RegionCounter::Nanoseconds, nanoseconds),
        ] {
            values[counter as usize].fetch_add(value, Ordering::Relaxed);
        }
        if done.is_coarse {
            self.coarse[number].store(true, Ordering::Relaxed);
        }
    }
}

/// What was done of a draw in a tile.
pub(crate) struct Done {
    pub(crate) begun: Instant,
    pub(crate) primitives: u64,
    pub(crate) invocations: u64,
    /// A fragment density map makes fragments larger there.
    pub(crate) is_coarse: bool,
}

#[cfg(test)]
mod tests {
    use super::RegionCounters;

    #[test]
    fn tiles_are_regions_of_the_render_area() {
        let whole = RegionCounters::new([0, 0], [130, 65], 64, 2);
        assert_eq!(whole.size(), [3, 2]);
        let regions = [[0, 0], [128, 0], [64, 64]].map(|tile| whole.region(0, tile));
        assert_eq!(regions, [Some(0), Some(2), Some(4)]);
        assert_eq!(whole.region(1, [0, 0]), Some(6));
        // Other layers, and tiles beside the area, have none.
        assert_eq!((whole.region(2, [0, 0]), whole.region(0, [192, 0])), (None, None));
        let within = RegionCounters::new([64, 64], [64, 136], 64, 1);
        assert_eq!(within.size(), [1, 3]);
        assert_eq!([64, 128, 192].map(|y| within.region(0, [64, y])), [Some(0), Some(1), Some(2)]);
        // 64 pixels of two tiles are one region.
        let between = RegionCounters::new([10, 0], [64, 64], 64, 1);
        assert_eq!([0, 64].map(|x| between.region(0, [x, 0])), [Some(0), Some(0)]);
        assert_eq!(RegionCounters::new([5, 5], [0, 0], 64, 1).size(), [0, 0]);
    }
}
