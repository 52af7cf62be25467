//! Packs quads into fragment subgroups and runs fragment functions.
//!
//! A few subgroups wait at a time, and run in the order of their numbers. Two quads of the same place are never in
//! one subgroup, and the later one has the higher number: so each pixel sees its fragments in order, and quads of
//! neighbours, which often meet in one place, still fill subgroups.

use super::draw::{Draw, FragmentProgram, Rect, Statistics};
use super::output::TILE_PIXELS;
use super::words::Words;
use pyro_abi::graphics::{BLOCK_LANES, ROW_LANES};
use pyro_abi::{DrawContext, Exit, FragmentSubgroup, Kernel};

/// Subgroups that wait at most.
const WAITING: u32 = 8;
/// Quads of a tile in x and y.
const TILE_QUADS: usize = TILE_PIXELS as usize / 2;

/// A subgroup that is filled.
#[derive(Default)]
struct Waiting {
    record: Box<FragmentSubgroup>,
    /// Lanes that have a fragment, a multiple of 4.
    filled: usize,
    /// All quads have the first one's primitive.
    single: bool,
}

/// A thread's memory for fragment functions, with the quads that wait.
pub(crate) struct Fragments {
    /// Subgroup `n` is in place `n % WAITING`.
    waiting: [Waiting; WAITING as usize],
    /// The first subgroup that waits.
    first: u32,
    /// All before it are full.
    open: u32,
    /// For each quad of the tile, the subgroup behind the last one that has it.
    after: Box<[u32; TILE_QUADS * TILE_QUADS]>,
    /// For whole blocks, which wait for nobody.
    block: Box<FragmentSubgroup>,
    scratch: Words,
    /// Lanes of a subgroup.
    lanes: usize,
    /// The current primitive's setup offset.
    primitive: u32,
    samples: u32,
    /// Whole blocks of the current primitive.
    blocks: Vec<u32>,
    /// They are collected.
    collects: bool,
    /// A function did not end as it should.
    pub(crate) failed: bool,
    pub(crate) statistics: Statistics,
}

impl Default for Fragments {
    fn default() -> Fragments {
        Fragments {
            waiting: Default::default(),
            first: 0,
            open: 0,
            after: Box::new([0; TILE_QUADS * TILE_QUADS]),
            block: Box::default(),
            scratch: Words::default(),
            lanes: 0,
            primitive: 0,
            samples: 1,
            blocks: Vec::new(),
            collects: false,
            failed: false,
            statistics: Statistics::default(),
        }
    }
}

/// The coverage of four lanes by its bits.
const COVERAGE: [[u32; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        table[bits] = [bits as u32 & 1, bits as u32 >> 1 & 1, bits as u32 >> 2 & 1, bits as u32 >> 3];
        bits += 1;
    }
    table
};

impl Fragments {
    /// Begins with a draw's primitives whose setup data is at `setup`. Nothing may wait.
    pub(crate) fn start(&mut self, draw: &Draw, fragment: &FragmentProgram, setup: u64) {
        let (uniform, packed) = (fragment.uniform.info(), fragment.packed.info());
        let block = fragment.block.as_ref().map_or(uniform, |block| block.info());
        self.lanes = uniform.subgroup_size.min(packed.subgroup_size).clamp(4, 64) as usize;
        self.collects = fragment.block.is_some() && block.subgroup_size == BLOCK_LANES;
        self.blocks.clear();
        let scratch_bytes = [uniform, packed, block].map(|info| info.scratch_bytes);
        let scratch_bytes = scratch_bytes.into_iter().max().unwrap_or(0).next_multiple_of(64);
        let frame_bytes = uniform.frame_bytes.max(packed.frame_bytes).max(block.frame_bytes);
        let scratch = self.scratch.reserve((scratch_bytes as usize + frame_bytes as usize) / 4 + 16);
        let waiting = self.waiting.iter_mut().map(|waiting| {
            debug_assert_eq!(waiting.filled, 0, "quads of another draw");
            waiting.filled = 0;
            &mut *waiting.record
        });
        for record in waiting.chain([&mut *self.block]) {
            record.subgroup.scratch = scratch;
            record.subgroup.frame = scratch + u64::from(scratch_bytes);
            record.setup = setup;
            // Functions are called with the address of the record's first field.
            (&raw mut *record).expose_provenance();
        }
        self.samples = draw.raster.samples.max(1);
        self.open = self.first;
        if self.first > u32::MAX / 2 {
            (self.first, self.open) = (0, 0);
            self.after.fill(0);
        }
        self.statistics = Statistics::default();
        (&raw const *draw.context).cast::<DrawContext>().expose_provenance();
    }

    /// The quads to come are of this primitive. `large`: there will be many.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) unsafe fn begin_primitive(
        &mut self,
        draw: &Draw,
        fragment: &FragmentProgram,
        setup: u32,
        large: bool,
    ) {
        if large {
            // Then its subgroups have no other primitive, and its blocks nothing to wait for.
            // SAFETY: the caller's contract.
            unsafe { self.flush(draw, fragment) };
        }
        self.primitive = setup;
    }

    /// Adds the quad whose upper left pixel is (`x`, `y`), both even, with the pixels that it covers: one sample
    /// each, bits in the order of lanes.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) unsafe fn quad_of_pixels(
        &mut self,
        draw: &Draw,
        fragment: &FragmentProgram,
        x: i32,
        y: i32,
        pixels: u32,
    ) {
        // SAFETY: the caller's contract.
        unsafe { self.quad(draw, fragment, x, y, COVERAGE[pixels as usize & 15]) };
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
        let (column, row) = (x as usize / 2 % TILE_QUADS, y as usize / 2 % TILE_QUADS);
        let place = row * TILE_QUADS + column;
        let mut number = self.after[place].max(self.open);
        loop {
            if number == self.first + WAITING {
                // SAFETY: the caller's contract.
                unsafe { self.run_first(draw, fragment) };
            } else if self.waiting[(number % WAITING) as usize].filled == self.lanes {
                number += 1;
            } else {
                break;
            }
        }
        self.after[place] = number + 1;
        let waiting = &mut self.waiting[(number % WAITING) as usize];
        let record = &mut *waiting.record;
        let first = waiting.filled;
        let lanes = first..first + 4;
        record.x[lanes.clone()].copy_from_slice(&[x, x + 1, x, x + 1]);
        record.y[lanes.clone()].copy_from_slice(&[y, y, y + 1, y + 1]);
        record.coverage[lanes.clone()].copy_from_slice(&coverage);
        waiting.single = first == 0 || waiting.single && record.primitives[0] == self.primitive;
        record.primitives[lanes].fill(self.primitive);
        waiting.filled = first + 4;
        if number == self.open && first + 4 == self.lanes {
            self.open += 1;
        }
    }

    /// Runs what waits.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw; `draw`, `fragment` and the
    /// setup data are those of [`Fragments::start`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn flush(&mut self, draw: &Draw, fragment: &FragmentProgram) {
        for _ in 0..WAITING {
            if self.waiting[(self.first % WAITING) as usize].filled == 0 {
                break;
            }
            // SAFETY: the caller's contract.
            unsafe { self.run_first(draw, fragment) };
        }
        self.open = self.first;
    }

    /// Runs the first subgroup that waits.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn run_first(&mut self, draw: &Draw, fragment: &FragmentProgram) {
        let waiting = &mut self.waiting[(self.first % WAITING) as usize];
        self.first += 1;
        self.open = self.open.max(self.first);
        let lanes = std::mem::take(&mut waiting.filled);
        if self.failed || lanes == 0 {
            return;
        }
        let record = &mut *waiting.record;
        // Inactive lanes have no coverage and a primitive that is there.
        record.coverage[lanes..self.lanes].fill(0);
        let first = record.primitives[0];
        record.primitives[lanes..self.lanes].fill(first);
        let kernel: &dyn Kernel = if waiting.single {
            record.primitive = first;
            &*fragment.uniform
        } else {
            &*fragment.packed
        };
        // SAFETY: the caller's contract.
        let ended = unsafe { run(record, lanes, kernel, draw, fragment, self.samples, &mut self.statistics) };
        self.failed |= !ended;
    }

    /// Adds a block of 8 x 2 pixels whose upper left is (`x`, `y`), both even, all of it covered by the
    /// current primitive, which is large. It is drawn by [`Fragments::end_primitive`] at the latest.
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
            unsafe { self.block_of_quads(draw, fragment, x, y) };
        }
    }

    /// The same for a primitive of any size, as quads.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) unsafe fn block_of_quads(&mut self, draw: &Draw, fragment: &FragmentProgram, x: i32, y: i32) {
        let covered = ((1u64 << self.samples) - 1) as u32;
        for quad in 0..4 {
            // SAFETY: the caller's contract.
            unsafe { self.quad(draw, fragment, x + 2 * quad, y, [covered; 4]) };
        }
    }

    /// Adds all blocks of a rectangle whose sides are multiples of a block's.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn full_rect(&mut self, draw: &Draw, fragment: &FragmentProgram, rect: Rect) {
        for y in (rect.y0..rect.y1).step_by(2) {
            if self.collects {
                let row = (y as u32) << 16;
                let columns = (rect.x1 - rect.x0) as u32 / 8;
                self.blocks.extend((0..columns).map(|column| (rect.x0 as u32 + 8 * column) | row));
                continue;
            }
            for x in (rect.x0..rect.x1).step_by(8) {
                // SAFETY: the caller's contract.
                unsafe { self.block_of_quads(draw, fragment, x, y) };
            }
        }
    }

    /// Draws the blocks of the current primitive. Its other quads may go on waiting.
    ///
    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) unsafe fn end_primitive(&mut self, draw: &Draw, fragment: &FragmentProgram) {
        if !self.blocks.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.run_blocks(draw, fragment) };
        }
    }

    /// # Safety
    /// See [`Fragments::flush`].
    #[allow(unsafe_code)]
    unsafe fn run_blocks(&mut self, draw: &Draw, fragment: &FragmentProgram) {
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
}

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
