//! Packs quads into fragment subgroups and runs fragment functions.
//!
//! A subgroup holds quads in the order in which they came, and never two of the same place: so running
//! subgroups one after another keeps the order of each pixel.

use super::draw::{Draw, FragmentProgram, Rect, Statistics};
use super::words::Words;
use pyro_abi::graphics::{BLOCK_LANES, ROW_LANES};
use pyro_abi::{DrawContext, Exit, FragmentSubgroup, Kernel};

/// A thread's memory for fragment functions, with the quads that wait.
#[derive(Default)]
pub(crate) struct Fragments {
    record: Box<FragmentSubgroup>,
    /// For whole blocks, which wait for nobody.
    block: Box<FragmentSubgroup>,
    scratch: Words,
    /// Lanes that wait, a multiple of 4.
    filled: usize,
    /// Lanes of a subgroup.
    lanes: usize,
    /// Where the quads of the current primitive begin.
    current: usize,
    /// The current primitive's setup offset.
    primitive: u32,
    /// The primitive of the first quad, and whether all others have the same.
    single: bool,
    samples: u32,
    /// Whole blocks of the current primitive.
    blocks: Vec<u32>,
    /// They are collected.
    collects: bool,
    /// A function did not end as it should.
    pub(crate) failed: bool,
    pub(crate) statistics: Statistics,
}

impl Fragments {
    /// Begins with a draw's primitives whose setup data is at `setup`. Nothing may wait.
    pub(crate) fn start(&mut self, draw: &Draw, fragment: &FragmentProgram, setup: u64) {
        debug_assert_eq!(self.filled, 0, "quads of another draw");
        let (uniform, packed) = (fragment.uniform.info(), fragment.packed.info());
        let block = fragment.block.as_ref().map_or(uniform, |block| block.info());
        self.lanes = uniform.subgroup_size.min(packed.subgroup_size).clamp(4, 64) as usize;
        self.collects = fragment.block.is_some() && block.subgroup_size == BLOCK_LANES;
        self.blocks.clear();
        let scratch_bytes = [uniform, packed, block].map(|info| info.scratch_bytes);
        let scratch_bytes = scratch_bytes.into_iter().max().unwrap_or(0).next_multiple_of(64);
        let frame_bytes = uniform.frame_bytes.max(packed.frame_bytes).max(block.frame_bytes);
        let scratch = self.scratch.reserve((scratch_bytes as usize + frame_bytes as usize) / 4 + 16);
        for record in [&mut *self.record, &mut *self.block] {
            record.subgroup.scratch = scratch;
            record.subgroup.frame = scratch + u64::from(scratch_bytes);
            record.setup = setup;
            // Both records' functions are called with the address of their first field.
            (&raw mut *record).expose_provenance();
        }
        self.samples = draw.raster.samples.max(1);
        (self.filled, self.current) = (0, 0);
        self.statistics = Statistics::default();
        (&raw const draw.context).cast::<DrawContext>().expose_provenance();
    }

    /// The quads to come are of this primitive. `large`: there will be many.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn begin_primitive(
        &mut self,
        draw: &Draw,
        fragment: &FragmentProgram,
        setup: u32,
        large: bool,
    ) {
        if large && self.filled > 0 {
            // SAFETY: the caller's contract.
            unsafe { self.flush(draw, fragment) };
        }
        self.single = self.filled == 0;
        self.current = self.filled;
        self.primitive = setup;
    }

    /// Adds the quad whose upper left pixel is (`x`, `y`), both even, with the samples that each of its pixels
    /// covers.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) unsafe fn quad(
        &mut self,
        draw: &Draw,
        fragment: &FragmentProgram,
        x: i32,
        y: i32,
        coverage: [u32; 4],
    ) {
        let (x, y) = (x as u32, y as u32);
        // Only quads of earlier primitives can be at the same place.
        let taken =
            (0..self.current).step_by(4).any(|lane| self.record.x[lane] == x && self.record.y[lane] == y);
        if taken || self.filled == self.lanes {
            // SAFETY: the caller's contract.
            unsafe { self.flush(draw, fragment) };
        }
        let record = &mut *self.record;
        let lanes = self.filled..self.filled + 4;
        record.x[lanes.clone()].copy_from_slice(&[x, x + 1, x, x + 1]);
        record.y[lanes.clone()].copy_from_slice(&[y, y, y + 1, y + 1]);
        record.coverage[lanes.clone()].copy_from_slice(&coverage);
        record.primitives[lanes].fill(self.primitive);
        self.filled += 4;
    }

    /// Runs what waits.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw; `draw`, `fragment` and the
    /// setup data are those of [`Fragments::start`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn flush(&mut self, draw: &Draw, fragment: &FragmentProgram) {
        if self.filled == 0 || self.failed {
            (self.filled, self.current, self.single) = (0, 0, true);
            return;
        }
        let lanes = self.filled;
        let record = &mut *self.record;
        // Inactive lanes have no coverage and a primitive that is there.
        record.coverage[lanes..self.lanes].fill(0);
        let first = record.primitives[0];
        record.primitives[lanes..self.lanes].fill(first);
        let kernel: &dyn Kernel = if self.single {
            record.primitive = first;
            &*fragment.uniform
        } else {
            &*fragment.packed
        };
        // SAFETY: the caller's contract.
        let ended = unsafe { run(record, lanes, kernel, draw, fragment, self.samples, &mut self.statistics) };
        self.failed |= !ended;
        (self.filled, self.current, self.single) = (0, 0, true);
    }

    /// Adds a block of 8 x 2 pixels whose upper left is (`x`, `y`), both even, all of it covered by the
    /// current primitive. It is drawn by [`Fragments::end_primitive`] at the latest.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) unsafe fn full_block(&mut self, draw: &Draw, fragment: &FragmentProgram, x: i32, y: i32) {
        if self.collects {
            self.blocks.push(x as u32 | (y as u32) << 16);
        } else {
            // SAFETY: the caller's contract.
            unsafe { self.single_block(draw, fragment, x, y) };
        }
    }

    /// Adds all blocks of a rectangle whose sides are multiples of a block's.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn full_rect(&mut self, draw: &Draw, fragment: &FragmentProgram, rect: Rect) {
        for y in (rect.y0..rect.y1).step_by(2) {
            for x in (rect.x0..rect.x1).step_by(8) {
                // SAFETY: the caller's contract.
                unsafe { self.full_block(draw, fragment, x, y) };
            }
        }
    }

    /// Draws the blocks of the current primitive. Its other quads may go on waiting.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn end_primitive(&mut self, draw: &Draw, fragment: &FragmentProgram) {
        if self.blocks.is_empty() {
            return;
        }
        if self.current > 0 {
            // Quads of earlier primitives come first.
            // SAFETY: the caller's contract.
            unsafe { self.flush(draw, fragment) };
        }
        if let Some(kernel) = fragment.block.as_ref().filter(|_| !self.failed) {
            let record = &mut *self.block;
            record.subgroup.active_lanes = 0xffff;
            record.subgroup.resume_point = 0;
            record.primitive = self.primitive;
            record.blocks = self.blocks.as_ptr().expose_provenance() as u64;
            record.block_count = self.blocks.len() as u32;
            self.statistics.fragment_shader_invocations += 16 * self.blocks.len() as u64;
            // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
            let exit = unsafe { kernel.run(&draw.context.dispatch, &mut record.subgroup) };
            self.failed |= exit != Exit::Done;
        }
        self.blocks.clear();
    }

    /// Runs the function of one primitive for a whole block.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn single_block(&mut self, draw: &Draw, fragment: &FragmentProgram, x: i32, y: i32) {
        let covered = ((1u64 << self.samples) - 1) as u32;
        if self.lanes != LANE_X.len() {
            for quad in 0..4 {
                // SAFETY: the caller's contract.
                unsafe { self.quad(draw, fragment, x + 2 * quad, y, [covered; 4]) };
            }
            return;
        }
        if self.current > 0 {
            // Quads of earlier primitives come first; those of this one are elsewhere.
            // SAFETY: the caller's contract.
            unsafe { self.flush(draw, fragment) };
        }
        if self.failed {
            return;
        }
        let record = &mut *self.block;
        record.x[..16].copy_from_slice(&LANE_X.map(|lane| lane + x as u32));
        record.y[..16].copy_from_slice(&LANE_Y.map(|lane| lane + y as u32));
        record.coverage[..16].copy_from_slice(&[covered; 16]);
        record.primitives[..16].copy_from_slice(&[self.primitive; 16]);
        record.primitive = self.primitive;
        let kernel = &*fragment.uniform;
        // SAFETY: the caller's contract.
        let ended = unsafe { run(record, 16, kernel, draw, fragment, self.samples, &mut self.statistics) };
        self.failed |= !ended;
    }
}

/// The x and y of a lane's pixel within a block of 8 x 2.
const LANE_X: [u32; 16] = [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7];
const LANE_Y: [u32; 16] = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1];

/// Runs one subgroup, or one for each sample; false when a function did not end as it should.
///
/// # Safety
/// The contract of [`Fragments::flush`].
#[allow(unsafe_code)]
unsafe fn run(
    record: &mut FragmentSubgroup,
    lanes: usize,
    kernel: &dyn Kernel,
    draw: &Draw,
    fragment: &FragmentProgram,
    samples: u32,
    statistics: &mut Statistics,
) -> bool {
    record.subgroup.active_lanes = u64::MAX >> (64 - lanes);
    let all = if fragment.per_sample { record.coverage } else { [0; ROW_LANES] };
    let runs = if fragment.per_sample { samples } else { 1 };
    for sample in 0..runs {
        if fragment.per_sample {
            for (coverage, all) in record.coverage[..lanes].iter_mut().zip(&all) {
                *coverage = all & 1 << sample;
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
        if unsafe { kernel.run(&draw.context.dispatch, &mut record.subgroup) } != Exit::Done {
            return false;
        }
        if fragment.counts_samples {
            let passed = record.passed[..lanes].iter().map(|passed| u64::from(passed.count_ones()));
            statistics.samples_passed += passed.sum::<u64>();
        }
    }
    true
}
