//! Runs fragment functions for quads, which wait until they fill a subgroup
//! ([`packing`](crate::graphics::fragment::quad_packing)), and for whole blocks.

use crate::aborted::Aborted;
use crate::graphics::fragment::covered_blocks::CoveredBlocks;
use crate::graphics::fragment::covered_regions::{CoveredRegions, QUAD_CORNERS};
use crate::graphics::fragment::quad_lists::QuadLists;
use crate::graphics::fragment::quad_packing::{Finished, Group, Primitives, TILE_QUADS, Waiting, place};
use crate::graphics::raster::shading_rate::{Area, Covered};
use crate::graphics::raster::shape::Edge;
use crate::graphics::raster::small_triangle_coverage::REGION;
use crate::graphics::setup::binning::Entry;
use crate::graphics::setup::deferred_setup::{ByItself, PlaneSlot};
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::state::shading_rate::{BlockShading, CoarsePrimitive};
use crate::graphics::state::{BLOCK_COST, Draw, FragmentProgram, QUAD_COST, Rect, ShadingRate, Statistics};
use pyro_abi::graphics::{BLOCK_LANES, COLUMN_LANES, FULLY_COVERED};
use pyro_abi::{DrawContext, FragmentSubgroup, Kernel, Memory};
use std::sync::Arc;

/// What becomes of a draw's quads before they wait.
enum Special {
    /// What the current primitive covers is collected, since fragments are of several pixels.
    Coarse(Box<Covered>),
    /// Pixels that lie in the current primitive as a whole are marked.
    Full(Area),
}

/// A thread's memory for fragment functions, with the quads that wait.
pub(crate) struct Fragments {
    waiting: Waiting,
    /// Quads of functions that loop, where pixels have one sample.
    lists: QuadLists,
    lists_quads: bool,
    /// For whole blocks, which wait for nobody.
    block: Box<FragmentSubgroup>,
    /// For lists of quads.
    listed: Box<FragmentSubgroup>,
    scratch: AlignedWords,
    /// Lanes of a subgroup.
    lanes: usize,
    /// Where the chunk has setup data, or else what draws its tile.
    setup: u64,
    /// The current primitive's setup offset, for functions of one primitive.
    primitive: u32,
    /// Where it has setup data for others.
    place: PlaneSlot,
    samples: u32,
    /// What becomes of quads before they wait; none: nothing.
    special: Option<Special>,
    /// How the fragments that wait are shaded, where some have other sizes.
    shading: Option<BlockShading>,
    /// What the current primitive covers.
    pub(crate) regions: CoveredRegions,
    /// Whole blocks of the current primitive.
    blocks: Vec<u32>,
    /// They are collected.
    collects: bool,
    /// Blocks that primitives cover in part, for functions of such. Quads wait only where none of them does.
    covered: CoveredBlocks,
    /// There are such functions.
    covers_blocks: bool,
    /// What one of their blocks takes.
    block_cost: u32,
    /// Where nobody else draws any pixel, as far as quads go.
    inside: Rect,
    /// Whether all functions so far have run to their end; none runs after one has not.
    result: Result<(), Aborted>,
    pub(crate) statistics: Statistics,
}

impl Default for Fragments {
    fn default() -> Fragments {
        Fragments {
            waiting: Waiting::default(),
            lists: QuadLists::default(),
            lists_quads: false,
            block: Box::default(),
            listed: Box::default(),
            scratch: AlignedWords::default(),
            lanes: 0,
            setup: 0,
            primitive: 0,
            place: PlaneSlot::default(),
            samples: 1,
            special: None,
            shading: None,
            regions: CoveredRegions::default(),
            blocks: Vec::new(),
            collects: false,
            covered: CoveredBlocks::default(),
            covers_blocks: false,
            block_cost: BLOCK_COST,
            inside: Rect::default(),
            result: Ok(()),
            statistics: Statistics::default(),
        }
    }
}

/// Pixels of a block in x and in y.
const BLOCK: [i32; 2] = [8, 2];

/// Of so many whole blocks, functions of blocks draw those of a primitive: then they gain more than the calls
/// cost, of what waits and of the blocks.
pub(crate) const BLOCKS_MIN: u32 = 8;

/// What it takes to go on with blocks behind quads, or the other way, where a quad takes [`QUAD_COST`].
const SWITCH_COST: u32 = 15;

/// The coverage of four lanes by its bits.
const LANE_COVERAGE: [[u32; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        table[bits] = [bits as u32 & 1, bits as u32 >> 1 & 1, bits as u32 >> 2 & 1, bits as u32 >> 3];
        bits += 1;
    }
    table
};

impl Fragments {
    /// Begins with a draw's primitives within a tile, whose setup data is at `setup`, and for functions of
    /// `GroupedQuads` at `groups`. Nothing may wait. `context`: the draw's, or one with other places of
    /// attachments.
    pub(crate) fn start(
        &mut self,
        draw: &Draw,
        context: &DrawContext,
        fragment: &FragmentProgram,
        setup: u64,
        groups: Option<u64>,
        tile: Rect,
    ) {
        (&raw const *context).expose_provenance();
        let (uniform, packed) = (fragment.single_primitive.info(), fragment.multi_primitive.info());
        let block = fragment.full_block.as_ref().map_or(uniform, |block| block.info());
        self.lanes = uniform.subgroup_size.min(packed.subgroup_size).clamp(4, 64) as usize;
        self.covers_blocks = fragment.covers_blocks && groups.is_some();
        self.block_cost = fragment.block_cost;
        let has_blocks = fragment.full_block.is_some() && block.subgroup_size == BLOCK_LANES;
        self.collects = has_blocks && !fragment.covers_blocks;
        self.blocks.clear();
        let scratch_bytes = [uniform, packed, block].map(|info| info.scratch_bytes);
        let scratch_bytes = scratch_bytes.into_iter().max().unwrap_or(0).next_multiple_of(64);
        let frame_bytes = uniform.frame_bytes.max(packed.frame_bytes).max(block.frame_bytes);
        let scratch = self.scratch.reserve((scratch_bytes as usize + frame_bytes as usize) / 4 + 16);
        let core = crate::pool::core();
        let prepare = |record: &mut FragmentSubgroup| {
            record.subgroup.core = core;
            record.subgroup.scratch = scratch;
            record.subgroup.frame = scratch + u64::from(scratch_bytes);
            record.setup = setup;
            // Functions are called with the address of the record's first field.
            (&raw mut *record).expose_provenance();
        };
        self.waiting.start(self.lanes, prepare);
        prepare(&mut self.block);
        // Quads lie in one tile, which is drawn by one thread; what is beside the area may be drawn by
        // others.
        let Rect { x0, y0, x1, y1 } = draw.area.intersect(tile);
        prepare(&mut self.listed);
        self.listed.setup = groups.unwrap_or(setup);
        self.setup = setup;
        self.listed.whole_quads = u32::from((x0 | y0 | x1 | y1) & 1 == 0);
        self.inside = Rect { x0: (x0 + 1) & !1, y0: (y0 + 1) & !1, x1: x1 & !1, y1: y1 & !1 };
        debug_assert!(self.covered.is_empty(), "blocks of another draw");
        self.samples = draw.raster.samples.max(1);
        self.regions.start(self.samples);
        self.special = match draw.shading_rate {
            Some(_) => Some(Special::Coarse(Box::default())),
            None if fragment.sees_full_coverage => Some(Special::Full(Area::default())),
            None => None,
        };
        self.shading = None;
        self.lists_quads = groups.is_some();
        debug_assert!(self.lists.is_empty(), "quads of another draw");
        self.statistics = Statistics::default();
    }

    /// What is added is of the primitive with this setup data, where functions of one primitive find it, and
    /// where others do.
    #[inline]
    pub(crate) fn begin_primitive(&mut self, setup: u32, place: PlaneSlot) {
        self.place = place;
        if self.covers_blocks {
            return;
        }
        (self.primitive, self.block.setup) = match place.by_itself {
            _ if !self.lists_quads => (place.offset, self.setup),
            ByItself::At(offset) => (offset, self.listed.setup),
            ByItself::InChunk | ByItself::Nowhere => (setup, self.setup),
        };
    }

    /// Functions of blocks can draw the current primitive.
    fn collects_blocks(&self) -> bool {
        self.collects && (!self.lists_quads || self.place.by_itself != ByItself::Nowhere)
    }

    /// Adds the quad with this number in the tile and this upper left pixel, x in the lower half.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn quad_at(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        place: usize,
        corner: u32,
        coverage: [u32; 4],
    ) {
        let (x, y) = ((corner & 0xffff) as i32, (corner >> 16) as i32);
        let coverage = match &mut self.special {
            None => coverage,
            Some(Special::Full(area)) => area.mark(x, y, coverage),
            Some(Special::Coarse(covered)) => return covered.add(x, y, coverage),
        };
        // SAFETY: the caller's contract.
        unsafe { self.wait(context, fragment, place, corner, coverage) };
    }

    /// Adds a quad of fragments to those that wait.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn wait(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        place: usize,
        corner: u32,
        coverage: [u32; 4],
    ) {
        let number = loop {
            if let Some(number) = self.waiting.group(place) {
                break number;
            }
            // SAFETY: the caller's contract.
            unsafe { self.run_first(context, fragment) };
        };
        self.waiting.add(number, place, corner, coverage, self.primitive);
    }

    /// The edges within which lie the pixels that the primitive to come covers as a whole.
    pub(crate) fn set_area(&mut self, edges: &[Edge]) {
        self.special = Some(Special::Full(Area::new(edges)));
    }

    /// Adds the fragments of several pixels that the current primitive covers in the tile.
    ///
    /// # Safety
    /// See [`Fragments::flush`]; the attachment of rates can be read.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn end_coarse(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        shading_rate: &ShadingRate,
        primitive: CoarsePrimitive,
    ) {
        let Some(Special::Coarse(mut covered)) = self.special.take() else { return };
        // SAFETY: of the addresses reachable from the draw, only the attachment's are read.
        let view = unsafe { Memory::new() };
        let samples = self.samples;
        let shading = |pixel: [i32; 2]| shading_rate.shading_at(view, primitive, pixel, samples);
        covered.take(samples, shading, |shading, [x, y], coverage| {
            // Fragments of other sizes that wait may cover the same pixels.
            if self.shading != Some(shading) {
                // SAFETY: the caller's contract.
                unsafe { self.flush(context, fragment) };
                self.shading = Some(shading);
            }
            let BlockShading { rate, invocations } = shading;
            let (corner, place) = (x as u32 | (y as u32) << 16, place(x >> rate.x, y >> rate.y));
            if invocations <= 1 {
                // SAFETY: as above.
                return unsafe { self.wait(context, fragment, place, corner, coverage) };
            }
            let each = samples / u32::from(invocations);
            for invocation in 0..u32::from(invocations) {
                let own = ((1 << each) - 1) << (invocation * each);
                let coverage = coverage.map(|coverage| coverage & own);
                if coverage != [0; 4] {
                    // SAFETY: as above.
                    unsafe { self.wait(context, fragment, place, corner, coverage) };
                }
            }
        });
        self.special = Some(Special::Coarse(covered));
    }

    /// Adds the quads of a region with its upper left pixel at (`x`, `y`), both even, by the pixels that are
    /// covered ([`crate::graphics::raster::small_triangle_coverage`]).
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline(always)]
    pub(crate) unsafe fn region(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        (x, y): (i32, i32),
        mut pixels: u64,
    ) {
        let (first, corner) = (place(x, y), x as u32 | (y as u32) << 16);
        if self.lists_quads {
            if pixels == 0 {
                return;
            }
            let entry = Entry { pixels, corner, number: 0 };
            let PlaneSlot { offset, number, .. } = self.place;
            // SAFETY: the caller's contract.
            return unsafe { self.grouped(context, fragment, &[entry], offset, number) };
        }
        while pixels != 0 {
            let quad = pixels.trailing_zeros() / 4;
            let (column, row) = (quad % 4, quad / 4);
            let bits = pixels >> (4 * quad) & 15;
            pixels &= !(15 << (4 * quad));
            let place = first + column as usize + row as usize * TILE_QUADS;
            let corner = corner + 2 * column + (row << 17);
            // SAFETY: the caller's contract.
            unsafe { self.quad_at(context, fragment, place, corner, LANE_COVERAGE[bits as usize]) };
        }
    }

    /// Adds the quads of small triangles, the first of which has its setup data at `place`, the others each
    /// so many bytes behind the last one's, or in the same group.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn small_triangles(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        entries: &[Entry],
        place: PlaneSlot,
        stride: u32,
    ) {
        if !self.lists_quads {
            let mut setup = place.offset;
            for entry in entries {
                debug_assert!(!entry.is_sampled(), "samples of regions are for lists");
                let corner = ((entry.corner & 0xffff) as i32, (entry.corner >> 16) as i32);
                self.primitive = setup;
                // SAFETY: the caller's contract.
                unsafe { self.region(context, fragment, corner, entry.pixels) };
                setup += stride;
            }
            return;
        }
        // SAFETY: the caller's contract.
        unsafe { self.grouped(context, fragment, entries, place.offset, place.number) };
    }

    /// Adds the quads of up to sixteen primitives, whose setup data is in a group, from the one with the
    /// number `first` on.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn grouped(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        entries: &[Entry],
        group: u32,
        first: u32,
    ) {
        if !self.covered.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_covered(context, fragment) };
        }
        if !self.lists.has_room(entries.len()) {
            // SAFETY: the caller's contract.
            unsafe { self.run_lists(context, fragment) };
        }
        self.statistics.fragment_shader_invocations += self.lists.add(entries, group, first);
    }

    /// Runs the lists of quads.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn run_lists(&mut self, context: &DrawContext, fragment: &FragmentProgram) {
        let record = &mut *self.listed;
        let earlier = self.result;
        let result = self.lists.take(|quads, count| {
            earlier?;
            let list = (&raw const *quads).expose_provenance() as u64;
            // SAFETY: the caller vouches for the draw; the list is one of so many subgroups.
            unsafe { run_list(record, list, count, context, fragment) }
        });
        self.result = earlier.and(result);
    }

    /// Whether all functions since the last call have run to their end.
    pub(crate) fn take_result(&mut self) -> Result<(), Aborted> {
        std::mem::replace(&mut self.result, Ok(()))
    }

    /// Runs what waits.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw's context; `fragment` and the
    /// setup data are those of [`Fragments::start`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn flush(&mut self, context: &DrawContext, fragment: &FragmentProgram) {
        if !self.covered.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_covered(context, fragment) };
        }
        if self.lists_quads {
            // SAFETY: the caller's contract.
            return unsafe { self.run_lists(context, fragment) };
        }
        while let Some(group) = self.waiting.take_first() {
            if self.result.is_ok() {
                let (lanes, samples, shading) = (self.lanes, self.samples, self.shading);
                // SAFETY: the caller vouches for the draw; setup data is that of `start`.
                self.result = unsafe {
                    run_group(group, lanes, context, fragment, (samples, shading), &mut self.statistics)
                };
            } else {
                group.finish(self.lanes);
            }
        }
    }

    /// Runs the first subgroup that waits.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline(never)]
    unsafe fn run_first(&mut self, context: &DrawContext, fragment: &FragmentProgram) {
        let Some(group) = self.waiting.take_first() else { return };
        let (lanes, samples, shading) = (self.lanes, self.samples, self.shading);
        // SAFETY: the caller vouches for the draw; setup data is that of `start`.
        let result =
            unsafe { run_group(group, lanes, context, fragment, (samples, shading), &mut self.statistics) };
        self.result = self.result.and(result);
    }

    /// Whether a rectangle consists of blocks that functions draw as such.
    pub(crate) fn takes_blocks(&self, rect: Rect) -> bool {
        (self.covers_blocks || self.collects_blocks())
            && (rect.x0 | rect.x1) % BLOCK[0] == 0
            && (rect.y0 | rect.y1) % BLOCK[1] == 0
    }

    /// Where the first regions of a shape with these bounds begin: at a multiple of `align`, which is even;
    /// or before that, where regions would reach beyond the pixels that are drawn here and blocks may not.
    #[inline(always)]
    pub(crate) fn first_column(&self, bounds: Rect, align: i32) -> i32 {
        let x0 = bounds.x0 & !(align - 1);
        if !self.covers_blocks {
            return x0;
        }
        let width = (bounds.x1 - x0 + REGION - 1) & !(REGION - 1);
        let last = self.inside.x1 - width;
        if last < self.inside.x0 || bounds.x1 > self.inside.x1 { x0 } else { x0.min(last) }
    }

    /// Whether a shape with these bounds, whose first regions begin at `x0`, may be drawn by blocks that it
    /// covers in part: no block that it touches has pixels that others draw.
    #[inline(always)]
    pub(crate) fn may_cover_blocks(&self, bounds: Rect, x0: i32) -> bool {
        let x1 = x0 + ((bounds.x1 - x0 + REGION - 1) & !(REGION - 1));
        let Rect { x0: left, y0: top, x1: right, y1: bottom } = self.inside;
        self.covers_blocks && left <= x0 && x1 <= right && top <= (bounds.y0 & !1) && bounds.y1 <= bottom
    }

    /// Draws all blocks of such a rectangle, which the current primitive covers.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn blocks(&mut self, context: &DrawContext, fragment: &FragmentProgram, rect: Rect) {
        if self.covers_blocks {
            // SAFETY: the caller's contract.
            return unsafe { self.cover_blocks(context, fragment, rect) };
        }
        for y in (rect.y0..rect.y1).step_by(BLOCK[1] as usize) {
            let row = (y as u32) << 16;
            self.blocks.extend((rect.x0..rect.x1).step_by(BLOCK[0] as usize).map(|x| x as u32 | row));
        }
        // SAFETY: the caller's contract.
        unsafe {
            self.flush(context, fragment);
            self.run_blocks(context, fragment);
        }
    }

    /// Adds what the current primitive covers, which is in the regions. Its blocks are drawn at once where
    /// they are many, its other quads wait. `WIDE`: with AVX-512, for which the caller is compiled.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline(always)]
    pub(crate) unsafe fn end_primitive<const WIDE: bool>(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        may_cover_blocks: bool,
    ) {
        if self.regions.is_empty() {
            return;
        }
        // SAFETY: the caller's contract.
        unsafe {
            let is_done = may_cover_blocks
                && match self.samples {
                    1 => self.cover_regions::<1, WIDE>(context, fragment),
                    2 => self.cover_regions::<2, WIDE>(context, fragment),
                    4 => self.cover_regions::<4, WIDE>(context, fragment),
                    _ => false,
                };
            if !is_done {
                self.end_with_quads(context, fragment);
            }
        }
        self.regions.clear();
    }

    /// The same where blocks that it covers in part are quads.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn end_with_quads(&mut self, context: &DrawContext, fragment: &FragmentProgram) {
        if !self.covered.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_covered(context, fragment) };
        }
        let mut regions = std::mem::take(&mut self.regions);
        if self.collects && regions.whole_count() >= BLOCKS_MIN {
            // What waits is of earlier primitives. Subgroups of functions without blocks are of one then.
            // SAFETY: the caller's contract.
            unsafe { self.flush(context, fragment) };
            if self.collects_blocks() {
                regions.take_blocks(&mut self.blocks);
            }
        }
        // SAFETY: the caller's contract.
        unsafe {
            if self.lists_quads {
                self.list_regions(context, fragment, &regions);
            } else {
                self.quads_of_regions(context, fragment, &regions);
            }
        }
        self.regions = regions;
        if !self.blocks.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_blocks(context, fragment) };
        }
    }

    /// Whether blocks draw the regions in less time than quads do.
    #[inline(always)]
    fn prefers_blocks<const SAMPLES: usize>(&self) -> bool {
        let (blocks, quads) = self.regions.touched_counts::<SAMPLES>();
        let (blocks, mut quads) = (blocks * self.block_cost, quads * QUAD_COST);
        if !self.covered.is_empty() {
            quads += SWITCH_COST;
        } else if !self.lists.is_empty() {
            quads = quads.saturating_sub(SWITCH_COST);
        }
        blocks <= quads
    }

    /// Adds blocks that regions touch to the list; false where quads draw them in less time.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn cover_regions<const SAMPLES: usize, const WIDE: bool>(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
    ) -> bool {
        if !self.prefers_blocks::<SAMPLES>() {
            return false;
        }
        if !self.lists.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_lists(context, fragment) };
        }
        let (mut next, mut pixels) = (0, 0);
        loop {
            let Fragments { regions, covered, place, .. } = self;
            let (corners, masks) = regions.of_samples::<SAMPLES>();
            for (corner, masks) in corners.iter().zip(masks).skip(next) {
                if !covered.has_room() {
                    break;
                }
                pixels += covered.push::<SAMPLES, WIDE>(*corner, masks, *place);
                next += 1;
            }
            if next >= corners.len() {
                break;
            }
            // SAFETY: the caller's contract.
            unsafe { self.run_covered(context, fragment) };
        }
        self.statistics.fragment_shader_invocations += pixels;
        true
    }

    /// Adds all blocks of a rectangle that consists of such.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn cover_blocks(&mut self, context: &DrawContext, fragment: &FragmentProgram, rect: Rect) {
        if !self.lists.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_lists(context, fragment) };
        }
        for y in (rect.y0..rect.y1).step_by(BLOCK[1] as usize) {
            for x in (rect.x0..rect.x1).step_by(BLOCK[0] as usize) {
                if !self.covered.has_room() {
                    // SAFETY: the caller's contract.
                    unsafe { self.run_covered(context, fragment) };
                }
                self.covered.push_whole(x as u32 | (y as u32) << 16, self.place);
                self.statistics.fragment_shader_invocations += u64::from(BLOCK_LANES);
            }
        }
    }

    /// Runs the blocks of the list.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn run_covered(&mut self, context: &DrawContext, fragment: &FragmentProgram) {
        let blocks = self.covered.blocks();
        let kernel = fragment.full_block.as_ref().filter(|_| self.result.is_ok() && !blocks.is_empty());
        if let Some(kernel) = kernel {
            let record = &mut *self.block;
            record.setup = self.listed.setup;
            record.subgroup.active_lanes = 0xffff;
            record.subgroup.resume_point = 0;
            record.blocks = blocks.as_ptr().expose_provenance() as u64;
            record.block_count = blocks.len() as u32;
            // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
            let exit = unsafe { kernel.run(&context.dispatch, &mut record.subgroup) };
            self.result = Aborted::unless_done(exit);
        }
        self.covered.clear();
    }

    /// Adds the quads of regions to the lists.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn list_regions(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        regions: &CoveredRegions,
    ) {
        let mut next = 0;
        loop {
            let (end, pixels) = self.lists.add_regions(regions, next, self.place);
            self.statistics.fragment_shader_invocations += pixels;
            if end == regions.count() {
                return;
            }
            next = end;
            // SAFETY: the caller's contract.
            unsafe { self.run_lists(context, fragment) };
        }
    }

    /// Adds the quads of regions one by one.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn quads_of_regions(
        &mut self,
        context: &DrawContext,
        fragment: &FragmentProgram,
        regions: &CoveredRegions,
    ) {
        for (corner, masks) in regions.from(0) {
            let first = place((corner & 0xffff) as i32, (corner >> 16) as i32);
            let any = masks.iter().fold(0, |any, mask| any | mask);
            for (quad, to_quad) in QUAD_CORNERS.iter().enumerate() {
                let bits = |mask: u64| (mask >> (4 * quad) & 15) as usize;
                if bits(any) == 0 {
                    continue;
                }
                let mut coverage = [0; 4];
                for (sample, &mask) in masks.iter().enumerate() {
                    for (coverage, bit) in coverage.iter_mut().zip(LANE_COVERAGE[bits(mask)]) {
                        *coverage |= bit << sample;
                    }
                }
                let place = first + quad % 4 + quad / 4 * TILE_QUADS;
                // SAFETY: the caller's contract.
                unsafe { self.quad_at(context, fragment, place, corner + to_quad, coverage) };
            }
        }
    }

    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn run_blocks(&mut self, context: &DrawContext, fragment: &FragmentProgram) {
        if let Some(kernel) = fragment.full_block.as_ref().filter(|_| self.result.is_ok()) {
            let record = &mut *self.block;
            record.subgroup.active_lanes = 0xffff;
            record.subgroup.resume_point = 0;
            record.primitive = self.primitive;
            record.blocks = self.blocks.as_ptr().expose_provenance() as u64;
            record.block_count = self.blocks.len() as u32;
            self.statistics.fragment_shader_invocations += 16 * self.blocks.len() as u64;
            // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
            let exit = unsafe { kernel.run(&context.dispatch, &mut record.subgroup) };
            self.result = Aborted::unless_done(exit);
        }
        self.blocks.clear();
    }
}

/// Completes and runs a subgroup of fragments that are shaded so, or of one pixel.
///
/// # Safety
/// See [`run`].
#[allow(unsafe_code)]
unsafe fn run_group(
    group: &mut Group,
    lanes: usize,
    context: &DrawContext,
    fragment: &FragmentProgram,
    (samples, shading): (u32, Option<BlockShading>),
    statistics: &mut Statistics,
) -> Result<(), Aborted> {
    let Finished { lanes, covered, primitives } = group.finish(lanes);
    if let Some(shading) = shading {
        group.spread(shading, lanes);
    }
    let record = &mut group.record;
    let kernel: &dyn Kernel = match primitives {
        Primitives::One(primitive) => {
            record.primitive = primitive;
            &*fragment.single_primitive
        }
        Primitives::Several => &*fragment.multi_primitive,
    };
    let is_packed = primitives == Primitives::Several
        || Arc::ptr_eq(&fragment.single_primitive, &fragment.multi_primitive);
    if is_packed && fragment.takes_lists {
        statistics.fragment_shader_invocations += u64::from(covered);
        let quads = group.quads();
        let blocks = (&raw const quads).expose_provenance() as u64;
        // SAFETY: the caller's contract.
        return unsafe { run_list(&mut group.record, blocks, 1, context, fragment) };
    }
    record.subgroup.active_lanes = u64::MAX >> (64 - lanes);
    if fragment.per_sample || fragment.counts_samples {
        // SAFETY: the caller's contract.
        return unsafe { run(record, lanes, kernel, context, fragment, samples, statistics) };
    }
    statistics.fragment_shader_invocations += u64::from(covered);
    record.subgroup.resume_point = 0;
    // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
    Aborted::unless_done(unsafe { kernel.run(&context.dispatch, &mut record.subgroup) })
}

/// Runs the function that loops for a list of so many subgroups at an address.
///
/// # Safety
/// The contract of [`Fragments::flush`]; the list is as the function reads it.
#[allow(unsafe_code)]
unsafe fn run_list(
    record: &mut FragmentSubgroup,
    list: u64,
    count: usize,
    context: &DrawContext,
    fragment: &FragmentProgram,
) -> Result<(), Aborted> {
    record.subgroup.active_lanes = 0xffff;
    record.subgroup.resume_point = 0;
    (record.blocks, record.block_count) = (list, count as u32);
    // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
    Aborted::unless_done(unsafe { fragment.multi_primitive.run(&context.dispatch, &mut record.subgroup) })
}

/// Runs one subgroup that counts samples, or one for each sample.
///
/// # Safety
/// The contract of [`Fragments::flush`].
#[allow(unsafe_code)]
unsafe fn run(
    record: &mut FragmentSubgroup,
    lanes: usize,
    kernel: &dyn Kernel,
    context: &DrawContext,
    fragment: &FragmentProgram,
    samples: u32,
    statistics: &mut Statistics,
) -> Result<(), Aborted> {
    let all = if fragment.per_sample { record.coverage } else { [0; COLUMN_LANES] };
    let runs = if fragment.per_sample { samples } else { 1 };
    for sample in 0..runs {
        if fragment.per_sample {
            for (coverage, all) in record.coverage[..lanes].iter_mut().zip(&all) {
                let covered = all & 1 << sample;
                // A mark goes with each sample.
                *coverage = if covered == 0 { 0 } else { covered | all & FULLY_COVERED };
            }
        }
        let covered = record.coverage[..lanes].iter().filter(|&&coverage| coverage != 0).count();
        if covered == 0 {
            continue;
        }
        statistics.fragment_shader_invocations += covered as u64;
        record.sample_id = sample;
        record.subgroup.resume_point = 0;
        if fragment.counts_samples {
            record.passed[..lanes].fill(0);
        }
        // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
        Aborted::unless_done(unsafe { kernel.run(&context.dispatch, &mut record.subgroup) })?;
        if fragment.counts_samples {
            let passed = record.passed[..lanes].iter().map(|passed| u64::from(passed.count_ones()));
            statistics.samples_passed += passed.sum::<u64>();
        }
    }
    Ok(())
}
