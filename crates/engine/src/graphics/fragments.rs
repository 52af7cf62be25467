//! Packs quads into fragment subgroups and runs fragment functions.
//!
//! A subgroup holds quads in the order in which they came, and never two of the same place: so running
//! subgroups one after another keeps the order of each pixel.

use super::draw::{Draw, FragmentProgram, Statistics};
use super::words::Words;
use pyro_abi::graphics::ROW_LANES;
use pyro_abi::{DrawContext, Exit, FragmentSubgroup, Kernel};

/// A thread's memory for fragment functions, with the quads that wait.
#[derive(Default)]
pub(crate) struct Fragments {
    record: Box<FragmentSubgroup>,
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
    /// A function did not end as it should.
    pub(crate) failed: bool,
    pub(crate) statistics: Statistics,
}

impl Fragments {
    /// Begins with a draw's primitives whose setup data is at `setup`. Nothing may wait.
    pub(crate) fn start(&mut self, draw: &Draw, fragment: &FragmentProgram, setup: u64) {
        debug_assert_eq!(self.filled, 0, "quads of another draw");
        let (uniform, packed) = (fragment.uniform.info(), fragment.packed.info());
        self.lanes = uniform.subgroup_size.min(packed.subgroup_size).clamp(4, 64) as usize;
        let scratch_bytes = uniform.scratch_bytes.max(packed.scratch_bytes).next_multiple_of(64);
        let frame_bytes = uniform.frame_bytes.max(packed.frame_bytes);
        let scratch = self.scratch.reserve((scratch_bytes as usize + frame_bytes as usize) / 4 + 16);
        self.record.subgroup.scratch = scratch;
        self.record.subgroup.frame = scratch + u64::from(scratch_bytes);
        self.record.setup = setup;
        self.record.passed = [0; ROW_LANES];
        self.samples = draw.raster.samples.max(1);
        (self.filled, self.current) = (0, 0);
        self.statistics = Statistics::default();
        // Both records' functions are called with the address of their first field.
        (&raw mut *self.record).expose_provenance();
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
        record.subgroup.active_lanes = u64::MAX >> (64 - lanes);
        // Inactive lanes have no coverage and a primitive that is there.
        record.coverage[lanes..].fill(0);
        let first = record.primitives[0];
        record.primitives[lanes..].fill(first);
        let kernel: &dyn Kernel = if self.single {
            record.primitive = first;
            &*fragment.uniform
        } else {
            &*fragment.packed
        };
        let all = record.coverage;
        let runs = if fragment.per_sample { self.samples } else { 1 };
        for sample in 0..runs {
            if fragment.per_sample {
                for (coverage, all) in record.coverage[..lanes].iter_mut().zip(&all) {
                    *coverage = all & 1 << sample;
                }
                if record.coverage[..lanes].iter().all(|&coverage| coverage == 0) {
                    continue;
                }
            }
            record.sample_id = sample;
            record.subgroup.resume_point = 0;
            let covered = record.coverage[..lanes].iter().filter(|&&coverage| coverage != 0).count();
            self.statistics.fragment_shader_invocations += covered as u64;
            // SAFETY: the caller vouches for the draw; the scratch memory is large enough.
            if unsafe { kernel.run(&draw.context.dispatch, &mut record.subgroup) } != Exit::Done {
                self.failed = true;
                break;
            }
            if fragment.counts_samples {
                for passed in &mut record.passed[..lanes] {
                    self.statistics.samples_passed += u64::from(passed.count_ones());
                    *passed = 0;
                }
            }
        }
        (self.filled, self.current, self.single) = (0, 0, true);
    }
}
