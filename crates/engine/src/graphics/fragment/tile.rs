//! Rasterizes the primitives of one tile: which samples each covers, region by region.

use crate::graphics::fragment::fragments::{BLOCKS_MIN, Fragments};
use crate::graphics::raster::region_coverage::Part;
use crate::graphics::raster::shape::{Bresenham, Edge, RasterPrimitive, Shape};
use crate::graphics::raster::small_triangle_coverage::{self, REGION};
use crate::graphics::raster::tiles::TILE_PIXELS;
use crate::graphics::setup::binning::{ChunkOutput, Entry, PREFETCHED};
use crate::graphics::setup::deferred_setup::{PlaneMemory, PlaneSlot, Source};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::state::{Draw, FragmentProgram, Rect};
use pyro_abi::DrawContext;
use pyro_util::cpu::Level;

/// From how many pixels of a tile on a primitive counts as large.
const LARGE_PIXELS: i32 = 256;

/// Pixels of so many whole blocks that functions of blocks draw them.
const BLOCKS_PIXELS: i32 = 16 * BLOCKS_MIN as i32;

/// The pixels of a row of a region, by their bits, in the order of quads.
const ROW_PIXELS: [u16; 256] = {
    let mut table = [0; 256];
    let mut row = 0;
    while row < 256 {
        let mut column = 0;
        while column < 8 {
            table[row] |= ((row >> column & 1) as u16) << (column / 2 * 4 + column % 2);
            column += 1;
        }
        row += 1;
    }
    table
};

/// Draws primitives of one draw into one tile.
pub(crate) struct TileRasterizer<'a> {
    pub(crate) draw: &'a Draw,
    pub(crate) context: &'a DrawContext,
    pub(crate) fragment: &'a FragmentProgram,
    pub(crate) fragments: &'a mut Fragments,
    pub(crate) tile: Rect,
    /// Which of the versions for a kind of processor may run.
    level: Level,
}

impl<'a> TileRasterizer<'a> {
    pub(crate) fn new(
        draw: &'a Draw,
        context: &'a DrawContext,
        fragment: &'a FragmentProgram,
        fragments: &'a mut Fragments,
        tile: Rect,
    ) -> TileRasterizer<'a> {
        TileRasterizer { draw, context, fragment, fragments, tile, level: Level::from_environment() }
    }

    /// Draws what a chunk has for the tile, none of it small triangles, and with fragments that take setup
    /// data where the chunk has it.
    ///
    /// # Safety
    /// The contract of [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn shapes(&mut self, entries: &[Entry], chunk: &ChunkOutput) {
        for (at, entry) in entries.iter().enumerate() {
            if let Some(ahead) = entries.get(at + PREFETCHED) {
                chunk.prefetch(ahead);
            }
            let primitive = &chunk.primitives[entry.number as usize];
            let place = PlaneSlot { offset: primitive.setup, ..PlaneSlot::default() };
            // SAFETY: the caller's contract.
            unsafe { self.primitive(primitive, place) };
        }
    }

    /// Draws what a chunk has for the tile. `planes` is where the setup data goes.
    ///
    /// # Safety
    /// The contract of [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn mixed(
        &mut self,
        mut entries: &[Entry],
        chunk: &ChunkOutput,
        source: Source<'_>,
        planes: &mut PlaneMemory,
    ) {
        // Perhaps another thread has written them.
        entries.iter().take(LANES).for_each(|entry| chunk.prefetch_shape(entry));
        while let Some(first) = entries.first() {
            let (mut numbers, mut count, mut all_small) = ([0; LANES], 0, true);
            for (number, entry) in numbers.iter_mut().zip(entries) {
                let Some(deferred) = entry.deferred() else { break };
                *number = deferred;
                count += 1;
                all_small &= entry.is_small();
            }
            if !planes.has_room(count.max(1)) {
                // SAFETY: the caller's contract, here and below.
                unsafe { self.fragments.flush(self.context, self.fragment) };
                planes.clear();
            }
            let (part, rest) = entries.split_at(count.max(1));
            entries = rest;
            if count == 0 {
                if let Some(ahead) = entries.get(PREFETCHED) {
                    chunk.prefetch(ahead);
                }
                let primitive = &chunk.primitives[first.number as usize];
                let place = planes.copy(&chunk.setup, primitive.setup);
                // SAFETY: see above.
                unsafe { self.primitive(primitive, place) };
                continue;
            }
            // The next ones' vertices are on their way meanwhile.
            for entry in entries.iter().take(LANES).take_while(|entry| entry.deferred().is_some()) {
                chunk.prefetch(entry);
            }
            let numbers = &numbers[..count];
            if all_small {
                let setup = planes.fill(source, &chunk.deferred, numbers, false);
                let (place, stride) = (planes.slot(setup, 0, false), planes.stride_bytes());
                // SAFETY: see above.
                unsafe { self.fragments.small_triangles(self.context, self.fragment, part, place, stride) };
                continue;
            }
            // SAFETY: see above.
            unsafe { self.deferred(part, numbers, chunk, source, planes) };
        }
    }

    /// Draws up to sixteen primitives, with these numbers among those whose setup data is made here.
    ///
    /// # Safety
    /// The contract of [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn deferred(
        &mut self,
        mut entries: &[Entry],
        numbers: &[u32],
        chunk: &ChunkOutput,
        source: Source<'_>,
        planes: &mut PlaneMemory,
    ) {
        let shape = |entry: &Entry| &chunk.primitives[entry.number as usize];
        let may_have_blocks = |entry: &Entry| {
            !entry.is_small() && shape(entry).bounds.intersect(self.tile).pixel_count() >= BLOCKS_PIXELS
        };
        let by_itself = self.fragment.full_block.is_some()
            && !self.fragment.covers_blocks
            && entries.iter().any(may_have_blocks);
        let setup = planes.fill(source, &chunk.deferred, numbers, by_itself);
        let mut number = 0;
        while let Some(first) = entries.first() {
            let small_count = entries.iter().take_while(|entry| entry.is_small()).count();
            let (part, rest) = entries.split_at(small_count.max(1));
            entries = rest;
            let place = planes.slot(setup, number, by_itself);
            number += part.len() as u32;
            // SAFETY: the caller's contract.
            unsafe {
                if small_count == 0 {
                    self.primitive(shape(first), place);
                } else {
                    let stride = planes.stride_bytes();
                    self.fragments.small_triangles(self.context, self.fragment, part, place, stride);
                }
            }
        }
    }

    /// Draws one primitive.
    ///
    /// # Safety
    /// The contract of [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn primitive(&mut self, primitive: &RasterPrimitive, place: PlaneSlot) {
        let draw = self.draw;
        // SAFETY: the caller's contract; the processor has the features.
        unsafe {
            if let Some(rate) = &draw.shading_rate {
                self.primitive_with::<false>(primitive, place);
                self.fragments.end_coarse(self.context, self.fragment, rate, primitive.coarse);
                return;
            }
            if self.fragment.sees_full_coverage {
                self.set_area(&primitive.shape);
                return self.primitive_with::<false>(primitive, place);
            }
            #[cfg(target_arch = "x86_64")]
            match self.level {
                Level::Avx512 => return self.primitive_wide(primitive, place),
                Level::Avx2 => return self.primitive_avx2(primitive, place),
                Level::Base => {}
            }
            self.primitive_with::<false>(primitive, place);
        }
    }

    /// Tells where pixels lie in a triangle as a whole; nowhere in lines and points.
    fn set_area(&mut self, shape: &Shape) {
        match shape {
            Shape::Convex(edges, 3) => {
                let conservative = self.draw.raster.conservative;
                let edges = [edges[0], edges[1], edges[2]].map(|edge| edge.within(conservative));
                self.fragments.set_area(&edges);
            }
            _ => self.fragments.set_area(&[]),
        }
    }

    /// The same for processors with AVX-512.
    ///
    /// # Safety
    /// That, and the processor has the features.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[allow(unsafe_code)]
    unsafe fn primitive_wide(&mut self, primitive: &RasterPrimitive, place: PlaneSlot) {
        // SAFETY: the caller's contract.
        unsafe { self.primitive_with::<true>(primitive, place) };
    }

    /// The same for processors with AVX2.
    ///
    /// # Safety
    /// That, and the processor has the features.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[allow(unsafe_code)]
    unsafe fn primitive_avx2(&mut self, primitive: &RasterPrimitive, place: PlaneSlot) {
        // SAFETY: the caller's contract.
        unsafe { self.primitive_with::<false>(primitive, place) };
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn primitive_with<const WIDE: bool>(&mut self, primitive: &RasterPrimitive, place: PlaneSlot) {
        let bounds = primitive.bounds.intersect(self.tile);
        if bounds.is_empty() {
            return;
        }
        if let (Shape::Convex([first, second, third, _], 3), Some(corner), true) =
            (&primitive.shape, small_triangle_coverage::region(bounds), self.draw.raster.samples <= 1)
        {
            self.fragments.begin_primitive(primitive.setup, place);
            let corner = (self.fragments.first_column(bounds, 2), corner.1);
            // SAFETY: the caller's contract.
            unsafe {
                let edges = [first, second, third];
                let pixels = small_triangle_coverage::covered::<WIDE, 3>(edges, bounds, corner);
                if self.fragments.may_cover_blocks(bounds, corner.0) {
                    if pixels != 0 {
                        self.fragments.regions.push(corner, &[pixels]);
                        self.fragments.end_primitive::<WIDE>(self.context, self.fragment, true);
                    }
                } else {
                    self.fragments.region(self.context, self.fragment, corner, pixels);
                }
            }
            return;
        }
        self.fragments.begin_primitive(primitive.setup, place);
        let mut may_cover_blocks = false;
        match &primitive.shape {
            Shape::Convex(edges, count) => {
                let edges = &edges[..usize::from(*count)];
                let is_aligned = bounds.pixel_count() >= LARGE_PIXELS;
                if is_aligned
                    && self.fragments.takes_blocks(bounds)
                    && edges.iter().all(|edge| edge.accepts(bounds))
                {
                    // SAFETY: the caller's contract.
                    return unsafe { self.fragments.blocks(self.context, self.fragment, bounds) };
                }
                let x0 = self.fragments.first_column(bounds, if is_aligned { REGION } else { 2 });
                may_cover_blocks = self.fragments.may_cover_blocks(bounds, x0);
                match edges {
                    [p, q, r] if !is_aligned && self.draw.raster.samples <= 1 => {
                        self.few_regions::<WIDE, 3>(bounds, x0, [p, q, r]);
                    }
                    [p, q, r, s] if !is_aligned && self.draw.raster.samples <= 1 => {
                        self.few_regions::<WIDE, 4>(bounds, x0, [p, q, r, s]);
                    }
                    _ => {
                        let part = Part { bounds, samples: self.draw.raster.samples(), x0 };
                        part.regions::<WIDE>(edges, |corner, masks| {
                            self.fragments.regions.push(corner, masks)
                        });
                    }
                }
            }
            Shape::Bresenham(line) => self.bresenham(bounds, line),
        }
        // SAFETY: the caller's contract.
        unsafe { self.fragments.end_primitive::<WIDE>(self.context, self.fragment, may_cover_blocks) };
    }

    /// A shape of few regions with one sample for each pixel, at its centre: nothing is prepared for them
    /// together.
    #[inline(always)]
    fn few_regions<const WIDE: bool, const EDGES: usize>(
        &mut self,
        bounds: Rect,
        x0: i32,
        edges: [&Edge; EDGES],
    ) {
        for y in (bounds.y0 & !1..bounds.y1).step_by(REGION as usize) {
            for x in (x0..bounds.x1).step_by(REGION as usize) {
                let pixels = small_triangle_coverage::covered::<WIDE, EDGES>(edges, bounds, (x, y));
                if pixels != 0 {
                    self.fragments.regions.push((x, y), &[pixels]);
                }
            }
        }
    }

    fn bresenham(&mut self, bounds: Rect, line: &Bresenham) {
        // Pixels of one quad may come apart: all are collected first.
        let mut rows = [0u64; TILE_PIXELS as usize];
        let Rect { x0, y0, .. } = self.tile;
        line.pixels(bounds, |x, y| rows[(y - y0) as usize] |= 1 << (x - x0));
        for (rows, y) in rows.as_chunks::<{ REGION as usize }>().0.iter().zip((y0..).step_by(REGION as usize))
        {
            let mut columns = rows.iter().fold(0, |columns, row| columns | row);
            while columns != 0 {
                let column = columns.trailing_zeros() & !7;
                columns &= !(0xff << column);
                let row = |row: usize| u64::from(ROW_PIXELS[(rows[row] >> column & 0xff) as usize]);
                let pixels = (0..4)
                    .fold(0, |pixels, pair| pixels | (row(2 * pair) | row(2 * pair + 1) << 2) << (16 * pair));
                // A pixel of such a line is covered in all samples.
                self.fragments.regions.push_pixels((x0 + column as i32, y), pixels);
            }
        }
    }
}
