//! What a chunk leaves behind: primitives, their setup data, and which tile has which.

use crate::graphics::geometry::primitive_values::PrimitiveValues;
use crate::graphics::raster::shape::{RasterPrimitive, Shape};
use crate::graphics::raster::small_sample_coverage::{self, SAMPLED_REGION};
use crate::graphics::raster::small_triangle_coverage::{REGION, Small};
use crate::graphics::raster::tiles::{Grid, TILE_PIXELS};
use crate::graphics::setup::deferred_primitives::DeferredPrimitives;
use crate::graphics::setup::projected_vertices::VertexRecords;
use crate::graphics::simd::aligned_words::{AlignedWords, prefetch_lines};
use crate::graphics::state::shading_rate::CoarsePrimitive;
use crate::graphics::state::{DrawCommand, Rect, Statistics};
use pyro_abi::graphics::{Plane, PrimitiveSetup, SETUP_HEADER_BYTES};

/// So many entries ahead are fetched. Their fragments wait for a few others' anyway.
pub(crate) const PREFETCHED: usize = 6;
/// Of a primitive's setup data at most so many words.
const PREFETCHED_WORDS_MAX: usize = 8 * 16;

/// The pairs of tiles and up to so many entries are sorted, of more they are counted.
const FEW_PAIRS: usize = 64;

/// Something of a primitive that is drawn, within one tile once it has been sorted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// Of a small triangle: the covered pixels of its region, or their samples. Of a shape: one more than its
    /// number among the chunk's deferred primitives, where its setup data is made when a tile is drawn; 0
    /// where it has been made.
    pub(crate) pixels: u64,
    /// The region's upper left pixel, x in the lower half, with [`Entry::SAMPLED`]; or [`Entry::SHAPE`].
    pub(crate) corner: u32,
    /// Which of the chunk's deferred primitives, or of its shapes, it is.
    pub(crate) number: u32,
}

impl Entry {
    /// It is none of a small triangle.
    pub(crate) const SHAPE: u32 = u32::MAX;
    /// The region has samples ([`small_sample_coverage`]). Its place has none of this bit.
    pub(crate) const SAMPLED: u32 = 1;

    /// It is one of a small triangle.
    #[inline(always)]
    pub(crate) fn is_small(&self) -> bool {
        self.corner != Entry::SHAPE
    }

    /// It is one of a small triangle whose region has samples.
    #[inline(always)]
    pub(crate) fn is_sampled(&self) -> bool {
        self.is_small() && self.corner & Entry::SAMPLED != 0
    }

    /// Its number among the chunk's primitives whose setup data is made when a tile is drawn, if it is one.
    #[inline(always)]
    pub(crate) fn deferred(&self) -> Option<u32> {
        if self.is_small() {
            Some(self.number)
        } else {
            self.pixels.checked_sub(1).map(|number| number as u32)
        }
    }

    fn small(self) -> Small {
        Small { corner: self.corner, pixels: self.pixels }
    }
}

/// The result of a chunk.
#[derive(Default)]
pub(crate) struct ChunkOutput {
    /// Which of the batch's draws.
    pub(crate) draw: usize,
    /// What its time is attributed to.
    pub(crate) tag: u32,
    /// The rate of its command (`DrawCommand::shading_rate`).
    pub(crate) shading_rate: u32,
    pub(crate) setup: AlignedWords,
    /// AlignedWords from one primitive's setup data to the next.
    pub(crate) stride: usize,
    /// Primitives that have setup data here.
    made: usize,
    /// Primitives that get setup data when a tile is drawn: what it is made from takes much less memory, and
    /// thus less time to write and read, perhaps by another thread.
    pub(crate) deferred: DeferredPrimitives,
    /// Their vertices.
    pub(crate) records: VertexRecords,
    /// What primitives of mesh shaders have for themselves.
    pub(crate) values: PrimitiveValues,
    /// View that is drawn.
    pub(crate) view_index: u32,
    /// What is drawn, in order.
    entries: Vec<Entry>,
    /// Those that are not small triangles: shapes.
    pub(crate) primitives: Vec<RasterPrimitive>,
    /// For each tile, where its entries begin in `binned`; one more at the end. Empty when there are few
    /// entries, whose pairs are in order then.
    first_binned: Vec<u32>,
    binned: Vec<Entry>,
    /// Tile and entry pairs before they are sorted.
    pairs: Vec<(u32, Entry)>,
    /// Tiles that have entries, each once, in order; empty when there are few entries.
    tiles: Vec<u32>,
    /// The greatest of the primitives' least extents, in pixels: none covers a larger square.
    pub(crate) square: i32,
    /// Pixels of all primitives' bounds, roughly the work to come.
    pub(crate) pixels: u64,
    pub(crate) statistics: Statistics,
}

#[inline(always)]
fn plane_words(plane: Plane) -> [u32; 3] {
    [plane.value.to_bits(), plane.dx.to_bits(), plane.dy.to_bits()]
}

impl ChunkOutput {
    /// Memory that it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        let entries = self.entries.capacity() + self.binned.capacity();
        let pairs = size_of::<(u32, Entry)>() * self.pairs.capacity();
        let words = self.first_binned.capacity() + self.tiles.capacity();
        let primitives = size_of::<RasterPrimitive>() * self.primitives.capacity();
        let deferred = self.deferred.bytes();
        self.setup.bytes()
            + self.records.bytes()
            + deferred
            + self.values.bytes()
            + 4 * words
            + pairs
            + size_of::<Entry>() * entries
            + primitives
    }

    /// Forgets what it holds.
    pub(crate) fn start(&mut self, draw: usize, view_index: u32, stride_bytes: u32, command: &DrawCommand) {
        (self.draw, self.tag, self.shading_rate) = (draw, command.tag, command.shading_rate);
        self.view_index = view_index;
        self.stride = stride_bytes as usize / 4;
        self.deferred.clear();
        self.made = 0;
        self.primitives.clear();
        self.entries.clear();
        self.pairs.clear();
        (self.pixels, self.square) = (0, 0);
        self.statistics = Statistics::default();
    }

    /// Adds a primitive with its header; gives the index of the first word of its components.
    #[inline(always)]
    pub(crate) fn push(&mut self, bounds: Rect, shape: Shape, setup: &PrimitiveSetup) -> usize {
        let base = self.made * self.stride;
        self.made += 1;
        self.setup.reserve(base + self.stride);
        let coarse = CoarsePrimitive {
            rate_bits: setup.shading_rate as u8,
            layer: setup.layer as u16,
            viewport: setup.viewport_index as u8,
        };
        self.push_shape(RasterPrimitive { bounds, setup: 4 * base as u32, shape, coarse }, None);
        let (z, w) = (plane_words(setup.depth), plane_words(setup.inverse_w));
        let (pi, pj) = (plane_words(setup.perspective_i), plane_words(setup.perspective_j));
        let (li, lj) = (plane_words(setup.linear_i), plane_words(setup.linear_j));
        let words = [
            setup.ref_x as u32,
            setup.ref_y as u32,
            setup.layer,
            setup.layer_built_in,
            setup.viewport_index,
            setup.primitive_id,
            setup.front_facing,
            setup.view_index,
            z[0],
            z[1],
            z[2],
            w[0],
            w[1],
            w[2],
            pi[0],
            pi[1],
            pi[2],
            pj[0],
            pj[1],
            pj[2],
            li[0],
            li[1],
            li[2],
            lj[0],
            lj[1],
            lj[2],
            setup.depth_least.to_bits(),
            setup.depth_greatest.to_bits(),
            setup.clamp_least.to_bits(),
            setup.clamp_greatest.to_bits(),
            setup.is_point,
            setup.shading_rate,
        ];
        self.setup.copy_in(base, &words);
        base + SETUP_HEADER_BYTES as usize / 4
    }

    /// Adds a primitive whose setup data is made when a tile is drawn, by its number among these.
    #[inline(always)]
    pub(crate) fn push_deferred(&mut self, bounds: Rect, shape: Shape, number: u32) {
        let coarse = CoarsePrimitive::default();
        self.push_shape(RasterPrimitive { bounds, setup: 0, shape, coarse }, Some(number));
    }

    #[inline(always)]
    fn push_shape(&mut self, primitive: RasterPrimitive, deferred: Option<u32>) {
        let pixels = deferred.map_or(0, |number| u64::from(number) + 1);
        self.entries.push(Entry { pixels, corner: Entry::SHAPE, number: self.primitives.len() as u32 });
        let Rect { x0, y0, x1, y1 } = primitive.bounds;
        self.pixels += (i64::from(x1 - x0) * i64::from(y1 - y0)) as u64;
        self.square = self.square.max((x1 - x0).min(y1 - y0));
        self.primitives.push(primitive);
    }

    /// Adds a small triangle, by its number and the pixels that it covers, if it covers any.
    #[inline(always)]
    pub(crate) fn push_small(&mut self, number: u32, x: i32, y: i32, pixels: u64) {
        if pixels != 0 {
            self.entries.push(Entry { pixels, corner: x as u32 | (y as u32) << 16, number });
            self.pixels += u64::from(pixels.count_ones());
        }
    }

    /// The same by the samples that it covers.
    #[inline(always)]
    pub(crate) fn push_small_sampled(&mut self, number: u32, x: i32, y: i32, covered: u64) {
        if covered != 0 {
            let corner = x as u32 | (y as u32) << 16 | Entry::SAMPLED;
            self.entries.push(Entry { pixels: covered, corner, number });
            self.pixels += u64::from(small_sample_coverage::pixel_count(covered));
        }
    }

    /// Sorts the entries by tile.
    pub(crate) fn bin(&mut self, grid: Grid) {
        let ChunkOutput { entries, primitives, pairs, first_binned, binned, tiles, .. } = self;
        first_binned.clear();
        tiles.clear();
        if entries.len() <= FEW_PAIRS {
            // Pairs of one tile stay in order.
            for entry in &*entries {
                parts(entry, primitives, grid, |tile, part| pairs.push((tile, part)));
            }
            pairs.sort_by_key(|&(tile, _)| tile);
            binned.clear();
            binned.extend(pairs.iter().map(|&(_, entry)| entry));
            return;
        }
        // How many entries each tile has, one place behind it. Neighbours are mostly in the same tile.
        first_binned.resize(grid.tile_count() + 1, 0);
        let (mut last, mut run) = (0, 0);
        for entry in &*entries {
            if let Some(tile) = only_tile(entry, grid) {
                if tile != last {
                    first_binned[last as usize + 1] += run;
                    (last, run) = (tile, 0);
                }
                run += 1;
                continue;
            }
            let first = pairs.len();
            parts(entry, primitives, grid, |tile, part| {
                first_binned[tile as usize + 1] += 1;
                pairs.push((tile, part));
            });
            // Behind its parts, how many these are.
            let count = pairs.len() - first;
            pairs.push((count as u32, Entry::default()));
        }
        first_binned[last as usize + 1] += run;
        let mut sum = 0;
        for (tile, count) in (0..).zip(&mut first_binned[1..]) {
            if *count != 0 {
                tiles.push(tile);
            }
            sum += std::mem::take(count);
            *count = sum;
        }
        if binned.len() < sum as usize {
            binned.resize(sum as usize, Entry::default());
        }
        // From the last one on: each tile's end moves to its begin.
        let binned = &mut binned[..sum as usize];
        let (mut last, mut rest) = (0, &pairs[..]);
        let mut end = first_binned[1];
        for entry in entries.iter().rev() {
            if let Some(tile) = only_tile(entry, grid) {
                if tile != last {
                    first_binned[last as usize + 1] = end;
                    (last, end) = (tile, first_binned[tile as usize + 1]);
                }
                end -= 1;
                binned[end as usize] = *entry;
                continue;
            }
            first_binned[last as usize + 1] = end;
            let Some(((count, _), before)) = rest.split_last() else { break };
            let (before, own) = before.split_at(before.len() - *count as usize);
            for &(tile, part) in own.iter().rev() {
                let end = &mut first_binned[tile as usize + 1];
                *end -= 1;
                binned[*end as usize] = part;
            }
            rest = before;
            end = first_binned[last as usize + 1];
        }
        first_binned[last as usize + 1] = end;
        // Every begin is one place behind its tile.
        first_binned.copy_within(1.., 0);
        if let Some(last) = first_binned.last_mut() {
            *last = sum;
        }
    }

    /// The layer of the first entries, and how many of them in a row have it.
    pub(crate) fn layer_run(&self, entries: &[Entry]) -> (u32, usize) {
        // Only where all primitives go to one layer, that of their view, is setup data made when a tile is
        // drawn.
        let layer = |entry: &Entry| match entry.deferred() {
            Some(_) => self.view_index,
            None => self.primitives.get(entry.number as usize).map_or(0, |one| one.coarse.layer.into()),
        };
        let first = entries.first().map_or(0, layer);
        (first, entries.iter().take_while(|entry| layer(entry) == first).count())
    }

    /// Has the processor fetch what an entry stands for, which another thread may have written.
    #[inline(always)]
    pub(crate) fn prefetch(&self, entry: &Entry) {
        let deferred = entry.deferred();
        if let Some(number) = deferred {
            self.deferred.places(number).into_iter().for_each(|place| self.records.prefetch(place));
        }
        self.prefetch_shape(entry);
        if deferred.is_none()
            && let Some(primitive) = self.primitives.get(entry.number as usize)
        {
            self.setup.prefetch(primitive.setup as usize / 4, self.stride.min(PREFETCHED_WORDS_MAX));
        }
    }

    /// Has the processor fetch the shape of an entry, if it is one's.
    #[inline(always)]
    pub(crate) fn prefetch_shape(&self, entry: &Entry) {
        if !entry.is_small()
            && let Some(primitive) = self.primitives.get(entry.number as usize)
        {
            prefetch_lines((&raw const *primitive).cast(), size_of::<RasterPrimitive>());
        }
    }

    /// Has the processor fetch the record itself, which another thread may have written.
    #[inline(always)]
    pub(crate) fn prefetch_record(&self) {
        prefetch_lines((&raw const *self).cast(), size_of::<ChunkOutput>());
    }

    /// Has the processor fetch what a tile reads first of the chunk, whose record is there.
    #[inline(always)]
    pub(crate) fn prefetch_lists(&self, tile: u32) {
        /// Bytes of each list.
        const BYTES: usize = 128;
        match self.first_binned.get(tile as usize) {
            Some(first) => prefetch_lines((&raw const *first).cast(), size_of::<u32>()),
            None => {
                prefetch_lines(self.pairs.as_ptr().cast(), BYTES);
                prefetch_lines(self.binned.as_ptr().cast(), BYTES);
                prefetch_lines(self.primitives.as_ptr().cast(), BYTES);
            }
        }
    }

    /// The entries of a tile, in order.
    pub(crate) fn in_tile(&self, tile: u32) -> &[Entry] {
        let range = match (self.first_binned.get(tile as usize), self.first_binned.get(tile as usize + 1)) {
            (Some(&first), Some(&end)) => first as usize..end as usize,
            _ if self.first_binned.is_empty() => {
                let first = self.pairs.partition_point(|&(other, _)| other < tile);
                first..first + self.pairs[first..].partition_point(|&(other, _)| other == tile)
            }
            _ => 0..0,
        };
        &self.binned[range]
    }

    /// Tiles that have entries, perhaps several times, and how many.
    pub(crate) fn touched(&self) -> impl Iterator<Item = (u32, u64)> {
        let many = self.tiles.iter().map(|&tile| (tile, self.in_tile(tile).len() as u64));
        let few = if self.first_binned.is_empty() { &self.pairs[..] } else { &[] };
        many.chain(few.iter().map(|&(tile, _)| (tile, 1)))
    }
}

/// The tile of a small triangle whose region lies in one.
#[inline(always)]
fn only_tile(entry: &Entry, grid: Grid) -> Option<u32> {
    let (x, y) = (entry.corner & 0xffff, entry.corner >> 16);
    let size = if entry.corner & Entry::SAMPLED != 0 { SAMPLED_REGION } else { REGION };
    let most = (TILE_PIXELS - size) as u32;
    let within = |at: u32| (at % TILE_PIXELS as u32) & !Entry::SAMPLED;
    // No shape's do.
    let one = within(x) <= most && within(y) <= most;
    one.then(|| (y / TILE_PIXELS as u32) * grid.columns + x / TILE_PIXELS as u32)
}

/// Calls `push` with the tiles of an entry and what it has there.
fn parts(entry: &Entry, primitives: &[RasterPrimitive], grid: Grid, mut push: impl FnMut(u32, Entry)) {
    if entry.corner == Entry::SHAPE {
        return tiles_of(&primitives[entry.number as usize], grid, |tile| push(tile, *entry));
    }
    let (x, y) = (entry.corner & 0xffff & !Entry::SAMPLED, entry.corner >> 16);
    let tile = (y / TILE_PIXELS as u32) * grid.columns + x / TILE_PIXELS as u32;
    let mut push_part = |tile: u32, small: Small| {
        if small.pixels != 0 {
            let Small { corner, pixels } = small;
            push(tile, Entry { pixels, corner, ..*entry });
        }
    };
    // How much of the region lies in the first tile.
    let before = |at: u32| (TILE_PIXELS as u32 - at % TILE_PIXELS as u32).min(REGION as u32);
    let (upper, lower) = match entry.is_sampled() {
        true => small_sample_coverage::split_rows(entry.small(), before(y)),
        false => entry.small().split_rows(before(y)),
    };
    for (tile, part) in [(tile, upper), (tile + grid.columns, lower)] {
        let (left, right) = match entry.is_sampled() {
            true => small_sample_coverage::split_columns(part, before(x)),
            false => part.split_columns(before(x)),
        };
        push_part(tile, left);
        push_part(tile + 1, right);
    }
}

/// Calls `push` with the tiles that a primitive may cover something of.
fn tiles_of(primitive: &RasterPrimitive, grid: Grid, mut push: impl FnMut(u32)) {
    let Rect { x0, y0, x1, y1 } = primitive.bounds;
    let tile = |at: i32| (at / TILE_PIXELS) as u32;
    let (left, right, top, bottom) = (tile(x0), tile(x1 - 1), tile(y0), tile(y1 - 1));
    let many = (right - left + 1) * (bottom - top + 1) > 2;
    for row in top..=bottom {
        for column in left..=right {
            let index = row * grid.columns + column;
            if many
                && let Shape::Convex(edges, count) = &primitive.shape
                && edges[..usize::from(*count)].iter().any(|edge| edge.rejects(grid.rect(index)))
            {
                continue;
            }
            push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_keep_the_order() {
        let mut output = ChunkOutput::default();
        output.start(0, 0, SETUP_HEADER_BYTES, &DrawCommand::default());
        let rect = |x0, y0, x1, y1| Rect { x0, y0, x1, y1 };
        let shape = Shape::Convex(Default::default(), 0);
        for bounds in [rect(0, 0, 65, 1), rect(70, 70, 71, 71), rect(64, 0, 128, 128), rect(0, 0, 128, 128)] {
            output.push(bounds, shape, &PrimitiveSetup::default());
        }
        let grid = Grid::new(128, 128);
        output.bin(grid);
        let tile = |tile| output.in_tile(tile).iter().map(|entry| entry.number).collect::<Vec<_>>();
        assert_eq!(tile(0), [0, 3]);
        assert_eq!(tile(1), [0, 2, 3]);
        assert_eq!(tile(2), [3]);
        assert_eq!(tile(3), [1, 2, 3]);
        assert!(tile(4).is_empty());
        // More of them are sorted in another way.
        for _ in 0..100 {
            output.push(rect(0, 70, 65, 80), shape, &PrimitiveSetup::default());
        }
        output.pairs.clear();
        output.bin(grid);
        let tile = |tile| output.in_tile(tile).iter().map(|entry| entry.number).collect::<Vec<_>>();
        assert_eq!(tile(1), [0, 2, 3]);
        assert_eq!(tile(3)[..3], [1, 2, 3]);
        assert!(tile(2)[1..].iter().copied().eq(4..104));
    }

    #[test]
    fn regions_with_samples_are_cut_where_tiles_end() {
        for more in [0, 100] {
            let mut output = ChunkOutput::default();
            output.start(0, 0, SETUP_HEADER_BYTES, &DrawCommand::default());
            output.push_small_sampled(7, 62, 62, 0x000f_00f0_0f00_f001);
            output.push_small_sampled(8, 60, 60, u64::MAX);
            output.push_small_sampled(9, 0, 0, 0);
            for _ in 0..more {
                output.push_small_sampled(10, 100, 100, 1);
            }
            output.bin(Grid::new(128, 128));
            let tile = |tile| {
                let entries = output.in_tile(tile).iter().filter(|entry| entry.number != 10);
                entries.map(|entry| (entry.number, entry.corner, entry.pixels)).collect::<Vec<_>>()
            };
            let at = |x: u32, y: u32| x | y << 16 | Entry::SAMPLED;
            assert_eq!(tile(0), [(7, at(62, 62), 0xf001), (8, at(60, 60), u64::MAX)]);
            assert_eq!(tile(1), [(7, at(64, 62), 0x0f00)]);
            assert_eq!(tile(2), [(7, at(62, 64), 0x00f0)]);
            assert_eq!(tile(3), [(7, at(64, 64), 0x000f)]);
        }
    }
}
