//! Rasterizes the primitives of one tile: which samples each covers, as quads.
//!
//! Blocks of 8 x 2 pixels, four quads side by side, are tested at once. A lane of a block is the pixel that
//! it will be in the subgroup.

use crate::graphics::fragment::fragments::Fragments;
use crate::graphics::raster::shape::{Bresenham, Edge, RasterPrimitive, Shape, UNIT};
use crate::graphics::raster::small_triangle_coverage::{self, LANE_X, LANE_Y, REGION};
use crate::graphics::raster::tiles::TILE_PIXELS;
use crate::graphics::setup::binning::{ChunkOutput, Entry, PREFETCHED};
use crate::graphics::setup::small_triangles::{PlaneMemory, PlaneSlot, Source};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::state::{Conservative, Draw, FragmentProgram, Rect};
use pyro_abi::DrawContext;
use pyro_abi::graphics::{SAMPLES_MAX, sample_positions};
use pyro_util::cpu::Level;

/// Pixels of a block in x; it is two rows high.
const BLOCK_WIDTH: i32 = 8;

/// From how many pixels of a tile on a primitive counts as large.
const LARGE_PIXELS: i32 = 256;

/// An edge within a tile: its value, shifted down by 8, at a sample of the pixel at the region's corner.
#[derive(Clone, Copy, Default)]
struct TileEdge {
    /// Changes from lane to lane of a block.
    lanes: [i32; LANES],
    /// Change for a pixel in x and in y.
    a: i32,
    b: i32,
    /// Values at the samples.
    values: [i32; SAMPLES_MAX as usize],
}

impl TileEdge {
    /// How much it changes over so many pixels.
    #[inline(always)]
    fn change(&self, (dx, dy): (i32, i32)) -> i32 {
        self.a.wrapping_mul(dx).wrapping_add(self.b.wrapping_mul(dy))
    }
}

/// An edge that passes through a region: its value, shifted down by 8, at the centre of a pixel.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct CenterEdge {
    /// Changes from lane to lane of a block.
    lanes: [i32; LANES],
    value: i32,
    /// Change for a pixel in x and in y.
    a: i32,
    b: i32,
}

impl CenterEdge {
    const NONE: CenterEdge = CenterEdge { lanes: [0; LANES], value: 0, a: 0, b: 0 };

    #[inline(always)]
    fn new(value: i32, a: i32, b: i32) -> CenterEdge {
        let mut lanes = [0; LANES];
        for (lane, change) in lanes.iter_mut().enumerate() {
            *change = LANE_X[lane].wrapping_mul(a).wrapping_add(LANE_Y[lane].wrapping_mul(b));
        }
        CenterEdge { lanes, value, a, b }
    }

    /// Its value so many pixels away.
    #[inline(always)]
    fn at(&self, dx: i32, dy: i32) -> i32 {
        self.value.wrapping_add(self.a.wrapping_mul(dx)).wrapping_add(self.b.wrapping_mul(dy))
    }
}

/// The blocks of a region, of which sixteen at a time are held against an edge: in as few columns as there
/// are.
#[derive(Clone, Copy)]
struct BlockGrid {
    columns: i32,
    rows: i32,
    /// The logarithm of the columns of sixteen blocks.
    shift: u32,
}

/// The columns and the rows of sixteen blocks, by the logarithm of their columns.
const BLOCK_PLACES: [([i32; LANES], [i32; LANES]); 4] = {
    let mut table = [([0; LANES], [0; LANES]); 4];
    let mut shift = 0;
    while shift < 4 {
        let mut block = 0;
        while block < LANES {
            table[shift].0[block] = (block & ((1 << shift) - 1)) as i32;
            table[shift].1[block] = (block >> shift) as i32;
            block += 1;
        }
        shift += 1;
    }
    table
};

/// Which of sixteen blocks no edge rejects, and which of all blocks no edge cuts, a bit for each.
struct BlockMasks {
    some: u32,
    all: u32,
}

/// An edge for sixteen blocks at once: half of its value, as whole values may need 33 bits beside the region.
#[derive(Clone, Copy)]
struct BlockEdge {
    /// Changes from block to block.
    lanes: [i32; LANES],
    /// Half of the value at the region's corner, of the change for two pixels, and for a block's.
    value: i32,
    across: i32,
    down: i32,
    /// A block may be inside if this plus half of its corner's value is not negative, ...
    some: i32,
    /// ... and is inside if this plus half is not.
    all: i32,
}

impl BlockEdge {
    const NONE: BlockEdge = BlockEdge { lanes: [0; LANES], value: 0, across: 0, down: 0, some: 0, all: 0 };

    /// `samples`: how far below and above `value` the values at a pixel's samples are.
    #[inline(always)]
    fn new(grid: BlockGrid, [a, b]: [i32; 2], value: i32, samples: (i32, i32)) -> BlockEdge {
        // What values fall and rise within a block; both are rounded to the safe side.
        let right = a.wrapping_mul(BLOCK_WIDTH - 1);
        let all = i64::from(right.min(0) + b.min(0)) + i64::from(samples.0);
        let some = i64::from(right.max(0) + b.max(0)) + i64::from(samples.1);
        let (across, down) = (a.wrapping_mul(BLOCK_WIDTH / 2), b);
        let (columns, rows) = &BLOCK_PLACES[grid.shift as usize];
        let mut lanes = [0; LANES];
        for lane in 0..LANES {
            lanes[lane] = across.wrapping_mul(columns[lane]).wrapping_add(down.wrapping_mul(rows[lane]));
        }
        let narrow = |value: i64| value.clamp(-(1 << 30), 1 << 30) as i32;
        BlockEdge {
            lanes,
            value: value >> 1,
            across,
            down,
            some: narrow((some >> 1) + 1),
            all: narrow(all >> 1),
        }
    }
}

impl BlockGrid {
    #[inline(always)]
    fn new(width: i32, height: i32) -> BlockGrid {
        let columns = (width + BLOCK_WIDTH - 1) / BLOCK_WIDTH;
        let shift = (columns.max(1) as u32).next_power_of_two().trailing_zeros().min(3);
        BlockGrid { columns, rows: (height + 1) / 2, shift }
    }

    /// Calls `visit` with each block that no edge rejects: pixels from the region's corner, and whether no
    /// edge cuts it.
    #[inline(always)]
    fn for_each<const WIDE: bool>(self, edges: &[BlockEdge], mut visit: impl FnMut(i32, i32, bool)) {
        for group in self.groups() {
            let BlockMasks { mut some, all } = self.masks::<WIDE>(edges, group);
            while some != 0 {
                let block = some.trailing_zeros();
                some &= some - 1;
                let (dx, dy) = self.place(group, block);
                visit(dx, dy, all >> block & 1 != 0);
            }
        }
    }

    /// Where groups of sixteen blocks begin, in columns and rows of blocks.
    #[inline(always)]
    fn groups(self) -> impl Iterator<Item = (i32, i32)> {
        let (across, down) = (1 << self.shift, LANES >> self.shift);
        let columns = (0..self.columns).step_by(across);
        (0..self.rows).step_by(down).flat_map(move |row| columns.clone().map(move |column| (column, row)))
    }

    /// The masks of the sixteen blocks from one on.
    #[inline(always)]
    fn masks<const WIDE: bool>(self, edges: &[BlockEdge], (column, row): (i32, i32)) -> BlockMasks {
        let (mut outside, mut cut) = ([0; LANES], [0; LANES]);
        for edge in edges {
            let first = edge.value.wrapping_add(edge.across * column).wrapping_add(edge.down * row);
            for lane in 0..LANES {
                let half = first.wrapping_add(edge.lanes[lane]);
                outside[lane] |= half.wrapping_add(edge.some);
                cut[lane] |= half.wrapping_add(edge.all);
            }
        }
        let (across, down) = (1u32 << self.shift, LANES as u32 >> self.shift);
        let columns = (1 << ((self.columns - column) as u32).min(across)) - 1;
        // The columns' bits in each row.
        let spread = [0xffff, 0x5555, 0x1111, 0x0101][self.shift as usize];
        let rows = (self.rows - row) as u32;
        let there = (columns * spread) & ((1 << (rows.min(down) << self.shift)) - 1);
        let some = there & !negative::<WIDE>(&outside);
        BlockMasks { some, all: some & !negative::<WIDE>(&cut) }
    }

    /// Pixels from the region's corner to a block's.
    #[inline(always)]
    fn place(self, (column, row): (i32, i32), block: u32) -> (i32, i32) {
        let (x, y) = (block & ((1 << self.shift) - 1), block >> self.shift);
        ((column + x as i32) * BLOCK_WIDTH, (row + y as i32) * 2)
    }
}

/// Lanes of a block's columns before this one.
const COLUMNS_BEFORE: [u32; 9] = {
    let mut table = [0; 9];
    let mut column = 0;
    while column < 8 {
        table[column + 1] = table[column] | 0b0101 << (column / 2 * 4 + column % 2);
        column += 1;
    }
    table
};

/// Bits of the lanes with a negative value. `WIDE`: with AVX-512, as [`TileRasterizer::primitive_wide`] has
/// it.
#[inline(always)]
fn negative<const WIDE: bool>(values: &[i32; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        use std::arch::x86_64::{_mm512_loadu_si512, _mm512_movepi32_mask};
        // SAFETY: the array is 64 bytes; with `WIDE` the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        return unsafe { _mm512_movepi32_mask(_mm512_loadu_si512(values.as_ptr().cast())) }.into();
    }
    let mut mask = 0;
    for (lane, &value) in values.iter().enumerate() {
        mask |= (value as u32 >> 31) << lane;
    }
    mask
}

/// Draws primitives of one draw into one tile.
pub(crate) struct TileRasterizer<'a> {
    pub(crate) draw: &'a Draw,
    pub(crate) context: &'a DrawContext,
    pub(crate) fragment: &'a FragmentProgram,
    pub(crate) fragments: &'a mut Fragments,
    pub(crate) tile: Rect,
    /// Whether [`TileRasterizer::primitive_wide`] may run.
    wide: bool,
}

/// The lanes of a block at (`x`, `y`) that lie in a rectangle.
#[inline(always)]
fn inside(rect: Rect, x: i32, y: i32) -> u32 {
    let columns = |end: i32| COLUMNS_BEFORE[(end - x).clamp(0, BLOCK_WIDTH) as usize];
    let row = |y: i32, lanes: u32| u32::from(y >= rect.y0 && y < rect.y1) * lanes;
    (row(y, 0x3333) | row(y + 1, 0xcccc)) & columns(rect.x1) & !columns(rect.x0)
}

/// For each lane of the block that is so many pixels from the region's corner the samples, a bit each, in
/// which no edge's value is negative.
#[inline(always)]
fn coverage<const WIDE: bool>(edges: &[TileEdge], place: (i32, i32), samples: usize) -> [u32; LANES] {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: with `WIDE` the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        return unsafe { coverage_wide(edges, place, samples) };
    }
    let mut coverage = [0u32; LANES];
    for sample in 0..samples {
        let mut signs = [0i32; LANES];
        for edge in edges {
            let value = edge.values[sample].wrapping_add(edge.change(place));
            for (sign, &lane) in signs.iter_mut().zip(&edge.lanes) {
                *sign |= value.wrapping_add(lane);
            }
        }
        for (coverage, &sign) in coverage.iter_mut().zip(&signs) {
            *coverage |= (!sign as u32 >> 31) << sample;
        }
    }
    coverage
}

/// The same with AVX-512: left to itself, the compiler goes over edges side by side.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn coverage_wide(edges: &[TileEdge], place: (i32, i32), samples: usize) -> [u32; LANES] {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_loadu_si512, _mm512_mask_or_epi32, _mm512_movepi32_mask, _mm512_or_si512,
        _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
    };
    let mut lanes = [_mm512_setzero_si512(); 4];
    for (lanes, edge) in lanes.iter_mut().zip(edges) {
        // SAFETY: the array is 64 bytes.
        #[allow(unsafe_code)]
        let changes = unsafe { _mm512_loadu_si512(edge.lanes.as_ptr().cast()) };
        *lanes = _mm512_add_epi32(_mm512_set1_epi32(edge.change(place)), changes);
    }
    let mut all = _mm512_setzero_si512();
    for sample in 0..samples {
        let mut signs = _mm512_setzero_si512();
        for (&lanes, edge) in lanes.iter().zip(edges) {
            signs = _mm512_or_si512(signs, _mm512_add_epi32(_mm512_set1_epi32(edge.values[sample]), lanes));
        }
        let inside = !_mm512_movepi32_mask(signs);
        all = _mm512_mask_or_epi32(all, inside, all, _mm512_set1_epi32(1 << sample));
    }
    let mut coverage = [0u32; LANES];
    // SAFETY: the array is 64 bytes.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_si512(coverage.as_mut_ptr().cast(), all);
    }
    coverage
}

impl<'a> TileRasterizer<'a> {
    pub(crate) fn new(
        draw: &'a Draw,
        context: &'a DrawContext,
        fragment: &'a FragmentProgram,
        fragments: &'a mut Fragments,
        tile: Rect,
    ) -> TileRasterizer<'a> {
        TileRasterizer {
            draw,
            context,
            fragment,
            fragments,
            tile,
            wide: Level::from_environment() == Level::Avx512,
        }
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
            let place = PlaneSlot { offset: primitive.setup, number: 0 };
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
        while let Some(first) = entries.first() {
            let is_small = |entry: &&Entry| entry.corner != Entry::SHAPE;
            let count = entries.iter().take(LANES).take_while(is_small).count().max(1);
            if !planes.has_room(count) {
                // SAFETY: the caller's contract, here and below.
                unsafe { self.fragments.flush(self.context, self.fragment) };
                planes.clear();
            }
            let (part, rest) = entries.split_at(count);
            entries = rest;
            if first.corner == Entry::SHAPE {
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
            for entry in entries.iter().take(LANES).take_while(is_small) {
                let places = chunk.triangles.places(entry.number);
                places.into_iter().for_each(|place| chunk.records.prefetch(place));
            }
            let setup = planes.fill(source, &chunk.triangles, part);
            let stride = planes.stride_bytes();
            // SAFETY: see above.
            unsafe { self.fragments.small_triangles(self.context, self.fragment, part, setup, stride) };
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
            if self.wide {
                return self.primitive_wide(primitive, place);
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
            // SAFETY: the caller's contract, here and below.
            unsafe {
                self.fragments.begin_primitive(self.context, self.fragment, primitive.setup, place, false);
                let edges = [first, second, third];
                let pixels = small_triangle_coverage::covered::<WIDE, 3>(edges, bounds, corner);
                self.fragments.region(self.context, self.fragment, corner, pixels);
            }
            return;
        }
        let pixels = (bounds.x1 - bounds.x0) * (bounds.y1 - bounds.y0);
        let large = pixels >= LARGE_PIXELS;
        // SAFETY: the caller's contract, here and below.
        unsafe {
            self.fragments.begin_primitive(self.context, self.fragment, primitive.setup, place, large);
            match &primitive.shape {
                Shape::Convex([first, second, third, _], 3) if self.draw.raster.samples <= 1 && !large => {
                    self.regions::<WIDE, 3>(bounds, [first, second, third]);
                }
                Shape::Convex(edges, _) if self.draw.raster.samples <= 1 && !large => {
                    self.regions::<WIDE, 4>(bounds, edges.each_ref());
                }
                Shape::Convex(edges, count) if self.draw.raster.samples <= 1 => {
                    self.large_at_centers::<WIDE>(bounds, &edges[..usize::from(*count)]);
                }
                Shape::Convex(edges, count) => {
                    self.convex::<WIDE>(bounds, &edges[..usize::from(*count)], large);
                }
                Shape::Bresenham(line) => self.bresenham(bounds, line),
            }
            self.fragments.end_primitive(self.context, self.fragment);
        }
    }

    /// A shape of few regions with one sample for each pixel, at its centre: nothing is prepared for them
    /// together.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn regions<const WIDE: bool, const EDGES: usize>(&mut self, bounds: Rect, edges: [&Edge; EDGES]) {
        for y in (bounds.y0 & !1..bounds.y1).step_by(REGION as usize) {
            for x in (bounds.x0 & !1..bounds.x1).step_by(REGION as usize) {
                let pixels = small_triangle_coverage::covered::<WIDE, EDGES>(edges, bounds, (x, y));
                // SAFETY: the caller's contract.
                unsafe { self.fragments.region(self.context, self.fragment, (x, y), pixels) };
            }
        }
    }

    /// A large shape with one sample for each pixel, at its centre.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn large_at_centers<const WIDE: bool>(&mut self, bounds: Rect, edges: &[Edge]) {
        // Rows of aligned blocks are halves of cache lines.
        let x0 = bounds.x0 & !(BLOCK_WIDTH - 1);
        let y0 = bounds.y0 & !1;
        let (width, height) = (bounds.x1 - x0, bounds.y1 - y0);
        let grid = BlockGrid::new(width, height);
        let (mut crossing, mut block_edges) = ([CenterEdge::NONE; 4], [BlockEdge::NONE; 4]);
        let mut count = 0;
        for edge in edges {
            let value = edge.at(x0 * UNIT + UNIT / 2, y0 * UNIT + UNIT / 2) >> 8;
            let (right, down) = (i64::from(edge.a) * i64::from(width), i64::from(edge.b) * i64::from(height));
            if value + right.max(0) + down.max(0) < 0 {
                return;
            }
            if value + right.min(0) + down.min(0) < 0 {
                // It passes through the region, so its values fit.
                crossing[count] = CenterEdge::new(value as i32, edge.a, edge.b);
                block_edges[count] = BlockEdge::new(grid, [edge.a, edge.b], value as i32, (0, 0));
                count += 1;
            }
        }
        let crossing = &crossing[..count];
        let in_blocks = x0 == bounds.x0 && y0 == bounds.y0 && width % BLOCK_WIDTH == 0 && height % 2 == 0;
        if crossing.is_empty() && in_blocks {
            // SAFETY: the caller's contract.
            unsafe { self.fragments.full_rect(self.context, self.fragment, bounds) };
            return;
        }
        grid.for_each::<WIDE>(&block_edges[..count], |dx, dy, is_whole| {
            let (x, y) = (x0 + dx, y0 + dy);
            let within = inside(bounds, x, y);
            let mask = if is_whole {
                if within == 0xffff {
                    // SAFETY: the caller's contract.
                    unsafe { self.fragments.full_block(self.context, self.fragment, x, y) };
                    return;
                }
                within
            } else {
                let mut signs = [0; LANES];
                for edge in crossing {
                    let value = edge.at(dx, dy);
                    for (sign, &lane) in signs.iter_mut().zip(&edge.lanes) {
                        *sign |= value.wrapping_add(lane);
                    }
                }
                within & !negative::<WIDE>(&signs)
            };
            // SAFETY: the caller's contract.
            unsafe { self.fragments.region(self.context, self.fragment, (x, y), mask.into()) };
        });
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn convex<const WIDE: bool>(&mut self, bounds: Rect, edges: &[Edge], large: bool) {
        let count = self.draw.raster.samples.max(1);
        let samples = match self.draw.raster.conservative {
            Conservative::Disabled => match &self.draw.raster.sample_locations {
                Some(locations) => &locations[..count as usize],
                None => sample_positions(count),
            },
            // Edges have moved, so that a pixel's centre stands for all its samples.
            _ => &[(8, 8); SAMPLES_MAX as usize][..count as usize],
        };
        // Quads start at even pixels.
        let align = if large { BLOCK_WIDTH } else { 2 };
        let region = Rect { x0: bounds.x0 & !(align - 1), y0: bounds.y0 & !1, ..bounds };
        let (width, height) = (region.x1 - region.x0, region.y1 - region.y0);
        let grid = BlockGrid::new(width, height);
        let (mut tile_edges, mut block_edges) = ([TileEdge::default(); 4], [BlockEdge::NONE; 4]);
        let mut count = 0;
        for edge in edges {
            let (right, down) = (i64::from(edge.a) * i64::from(width), i64::from(edge.b) * i64::from(height));
            let (mut somewhere, mut everywhere) = (false, true);
            let mut values = [0i64; SAMPLES_MAX as usize];
            for (value, &(x, y)) in values.iter_mut().zip(samples) {
                let (x, y) = (i32::from(x) * (UNIT / 16), i32::from(y) * (UNIT / 16));
                *value = edge.at(region.x0 * UNIT + x, region.y0 * UNIT + y) >> 8;
                somewhere |= *value + right.max(0) + down.max(0) >= 0;
                everywhere &= *value + right.min(0) + down.min(0) >= 0;
            }
            if !somewhere {
                return;
            }
            if everywhere {
                continue;
            }
            // The edge passes through the region for some sample, so its values fit.
            let clamp = |value: i64| value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            let mut tile_edge = TileEdge { a: edge.a, b: edge.b, ..TileEdge::default() };
            for (lane, change) in tile_edge.lanes.iter_mut().enumerate() {
                *change = LANE_X[lane].wrapping_mul(edge.a).wrapping_add(LANE_Y[lane].wrapping_mul(edge.b));
            }
            for (value, exact) in tile_edge.values.iter_mut().zip(values) {
                *value = clamp(exact);
            }
            let values = &tile_edge.values[..samples.len()];
            let below = values.iter().min().unwrap_or(&0) - values[0];
            let above = values.iter().max().unwrap_or(&0) - values[0];
            block_edges[count] = BlockEdge::new(grid, [edge.a, edge.b], values[0], (below, above));
            tile_edges[count] = tile_edge;
            count += 1;
        }
        let tile_edges = &tile_edges[..count];
        let all_samples = ((1u64 << samples.len()) - 1) as u32;
        grid.for_each::<WIDE>(&block_edges[..count], |dx, dy, is_whole| {
            let (x, y) = (region.x0 + dx, region.y0 + dy);
            let within = inside(bounds, x, y);
            let mut coverage = if is_whole {
                if large && within == (1 << LANES) - 1 {
                    // SAFETY: the caller's contract.
                    unsafe { self.fragments.full_block(self.context, self.fragment, x, y) };
                    return;
                }
                [all_samples; LANES]
            } else {
                coverage::<WIDE>(tile_edges, (dx, dy), samples.len())
            };
            if within != (1 << LANES) - 1 {
                for (lane, coverage) in coverage.iter_mut().enumerate() {
                    *coverage &= 0u32.wrapping_sub(within >> lane & 1);
                }
            }
            // SAFETY: the caller's contract.
            unsafe { self.quads((x, y), &coverage) };
        });
    }

    /// The quads of a block with the samples that they cover.
    ///
    /// # Safety
    /// The contract of [`Fragments::flush`].
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn quads(&mut self, (x, y): (i32, i32), coverage: &[u32; LANES]) {
        for (quad, lanes) in (0..).zip(coverage.as_chunks().0) {
            if *lanes != [0; 4] {
                // SAFETY: the caller's contract.
                unsafe { self.fragments.quad(self.context, self.fragment, x + 2 * quad, y, *lanes) };
            }
        }
    }

    #[allow(unsafe_code)]
    unsafe fn bresenham(&mut self, bounds: Rect, line: &Bresenham) {
        // Pixels of one quad may come apart: all are collected first.
        let mut rows = [0u64; TILE_PIXELS as usize];
        line.pixels(bounds, |x, y| rows[(y - self.tile.y0) as usize] |= 1 << (x - self.tile.x0));
        // A pixel of such a line is covered in all samples.
        let all_samples = ((1u64 << self.draw.raster.samples.max(1)) - 1) as u32;
        for row in (0..rows.len()).step_by(2) {
            let mut columns = rows[row] | rows[row + 1];
            while columns != 0 {
                let column = columns.trailing_zeros() & !1;
                columns &= !(3 << column);
                let bit = |row: usize, column: u32| (rows[row] >> column & 1) as u32 * all_samples;
                let coverage =
                    [bit(row, column), bit(row, column + 1), bit(row + 1, column), bit(row + 1, column + 1)];
                let (x, y) = (self.tile.x0 + column as i32, self.tile.y0 + row as i32);
                // SAFETY: the caller's contract.
                unsafe { self.fragments.quad(self.context, self.fragment, x, y, coverage) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_the_same_in_both_ways() {
        if Level::of_processor() < Level::Avx512 {
            return;
        }
        let mut value = 1i32;
        for _ in 0..100 {
            let values = [(); LANES].map(|()| {
                value = value.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                value
            });
            assert_eq!(negative::<true>(&values), negative::<false>(&values));
        }
    }

    #[test]
    fn coverage_is_the_same_in_both_ways() {
        if Level::of_processor() < Level::Avx512 {
            return;
        }
        let mut word = 5i32;
        let mut next = || {
            word = word.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            word >> 8
        };
        for count in 0..=4 {
            let edges = [(); 4].map(|()| TileEdge {
                lanes: [(); LANES].map(|()| next()),
                values: [(); SAMPLES_MAX as usize].map(|()| next()),
                a: next(),
                b: next(),
            });
            let place = (next() & 63, next() & 63);
            for samples in [2, 4, 16] {
                let edges = &edges[..count];
                assert_eq!(coverage::<true>(edges, place, samples), coverage::<false>(edges, place, samples));
            }
        }
    }

    /// No block with a pixel inside is left out, none that an edge cuts is taken for whole.
    #[test]
    fn masks_of_blocks_are_on_the_safe_side() {
        let mut word = 7i32;
        let mut next = |bits: u32| {
            word = word.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            word >> (32 - bits)
        };
        let (mut left_out, mut whole) = (0, 0);
        for round in 0..400u32 {
            let (width, height) = (1 + (next(7) & 63), 1 + (next(7) & 63));
            let grid = BlockGrid::new(width, height);
            // Up to the greatest differences that edges have, through the middle of the region.
            let edges: Vec<CenterEdge> = (0..round % 4)
                .map(|_| {
                    let bits = 4 + round % 21;
                    let (a, b) = (next(bits), next(bits));
                    let value = -(a.wrapping_mul(width / 2)).wrapping_add(b.wrapping_mul(height / 2));
                    CenterEdge::new(value, a, b)
                })
                .collect();
            let block_edges: Vec<BlockEdge> =
                edges.iter().map(|edge| BlockEdge::new(grid, [edge.a, edge.b], edge.value, (0, 0))).collect();
            let mut blocks = 0;
            for group in grid.groups() {
                let plain = grid.masks::<false>(&block_edges, group);
                for block in 0..LANES as u32 {
                    let (dx, dy) = grid.place(group, block);
                    if dx >= width || dy >= height {
                        assert_eq!((plain.some | plain.all) >> block & 1, 0, "beside the region");
                        continue;
                    }
                    blocks += 1;
                    let is_inside = |lane: usize| {
                        edges.iter().all(|edge| {
                            let [x, y] = [dx + LANE_X[lane], dy + LANE_Y[lane]].map(i64::from);
                            i64::from(edge.value) + i64::from(edge.a) * x + i64::from(edge.b) * y >= 0
                        })
                    };
                    let (some, all) = (plain.some >> block & 1 == 1, plain.all >> block & 1 == 1);
                    assert!(some || !(0..LANES).any(is_inside), "{round}: {dx} {dy}");
                    assert!(!all || (0..LANES).all(is_inside), "{round}: {dx} {dy}");
                    left_out += u32::from(!some);
                    whole += u32::from(all);
                }
            }
            assert_eq!(blocks, (width + 7) / 8 * ((height + 1) / 2), "each once");
        }
        assert!(left_out > 1000 && whole > 1000, "{left_out} {whole}");
    }

    #[test]
    fn covered_lanes_are_covered_pixels() {
        let rect = Rect { x0: 3, y0: 5, x1: 14, y1: 8 };
        for (x, y) in (0..20).flat_map(|x| (0..12).map(move |y| (x, y))) {
            for lane in 0..LANES {
                let (px, py) = (x + LANE_X[lane], y + LANE_Y[lane]);
                let expected = px >= rect.x0 && px < rect.x1 && py >= rect.y0 && py < rect.y1;
                assert_eq!(inside(rect, x, y) >> lane & 1 == 1, expected, "{x} {y} {lane}");
            }
        }
    }

    #[test]
    fn columns_are_bits_of_lanes() {
        for (columns, &lanes) in COLUMNS_BEFORE.iter().enumerate() {
            for (lane, &x) in LANE_X.iter().enumerate() {
                assert_eq!(lanes >> lane & 1 == 1, x < columns as i32, "{columns} {lane}");
            }
        }
    }
}
