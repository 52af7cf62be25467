//! Fragments of several pixels (Vulkan, "Fragment Shading Rates"): a lane is such a fragment, the shader runs
//! once for it, and what comes behind or before the shader happens for one of its pixels after another.
//!
//! All fragments of a subgroup have one size, so their pixels are a loop whose length all lanes share.

use crate::fragment::{Fragment, InterpolationPoint, load_extra};
use crate::state::FragmentOutputKey;
use pyro_abi::graphics::{COVERAGE_SAMPLES_MAX, INVOCATIONS_SHIFT, graphics_offset as at};
use pyro_ir::{Block, BlockCall, Builder, MemoryOp, Merge, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// The size of the fragments of a subgroup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coarse {
    /// As `ShadingRateKHR` has it, `i32`.
    pub(crate) rate: Value,
    /// Logarithm of the width.
    log_width: Value,
    width: Value,
    height: Value,
    /// Pixels of a fragment.
    pixels: Value,
    /// Invocations for each, `i32`, where they are not one.
    pub(crate) invocations: Option<Value>,
}

impl Coarse {
    /// Reads it from the record.
    pub(crate) fn begin(b: &mut Builder, key: &FragmentOutputKey, record: Value) -> Coarse {
        let (zero, always) = (b.i32(0), b.bool(true));
        let memory = MemoryOp::new(Space::Context).speculatable().at(at::SHADING_RATE as i32);
        let mut rate = b.load(Scalar::I32, memory, record, zero, always);
        let mut invocations = None;
        if key.invocations_vary {
            let (one, shift, bits) = (b.i32(1), b.i32(INVOCATIONS_SHIFT), b.i32(15));
            let log = b.lshr(rate, shift);
            invocations = Some(b.shl(one, log));
            rate = b.and(rate, bits);
        }
        let (one, two, three) = (b.i32(1), b.i32(2), b.i32(3));
        let log_width = b.lshr(rate, two);
        let log_height = b.and(rate, three);
        let (width, height) = (b.shl(one, log_width), b.shl(one, log_height));
        let pixels = b.shl(width, log_height);
        Coarse { rate, log_width, width, height, pixels, invocations }
    }

    /// The distances from the centre of the upper left pixel to that of the fragment, `f32`.
    pub(crate) fn to_center(self, b: &mut Builder) -> [Value; 2] {
        let (one, half) = (b.i32(1), b.f32(0.5));
        [self.width, self.height].map(|size| {
            let steps = b.isub(size, one);
            let steps = b.convert(Opcode::SToF, steps, Scalar::F32);
            b.fmul(steps, half)
        })
    }

    /// The columns and rows from the upper left pixel to that of this number, `i32`; pixels are numbered row
    /// by row.
    fn steps_to(self, b: &mut Builder, number: Value) -> [Value; 2] {
        let one = b.i32(1);
        let in_row = b.isub(self.width, one);
        [b.and(number, in_row), b.lshr(number, self.log_width)]
    }

    /// The coverage of all pixels that have this one, `i32`.
    pub(crate) fn of_all_pixels(self, b: &mut Builder, samples: u32, coverage: Value) -> Value {
        // The same bits again and again, as far as the word goes.
        let mut all = coverage;
        let mut shift = samples.max(1);
        while shift < 32 {
            let amount = b.i32(shift);
            let again = b.shl(all, amount);
            all = b.or(all, again);
            shift *= 2;
        }
        all
    }
}

impl<'k> Fragment<'k> {
    /// The bits of a sample mask, each moved from one place to another. For each bit of the shader's masks,
    /// `places` gives the two, the shader's and that in the coverage, in the order from and to.
    fn reorder(&self, b: &mut Builder, mask: Value, places: impl Fn([Value; 2]) -> [Value; 2]) -> Value {
        let (Some(coarse), true) = (self.coarse, self.key.sample_order) else { return mask };
        let (extra, one, mut moved) = (load_extra(b, self.context), b.i32(1), b.i32(0));
        let bytes = b.i32((4 * COVERAGE_SAMPLES_MAX).trailing_zeros());
        let offset = b.shl(coarse.rate, bytes);
        for bit in 0..COVERAGE_SAMPLES_MAX {
            let memory =
                MemoryOp::new(Space::Context).speculatable().at((at::SAMPLE_ORDERS + 4 * bit) as i32);
            let covered = b.load(Scalar::I32, memory, extra, offset, self.always);
            let own = b.i32(bit);
            let [from, to] = places([own, covered]);
            let bit = b.lshr(mask, from);
            let bit = b.and(bit, one);
            let bit = b.shl(bit, to);
            moved = b.or(moved, bit);
        }
        moved
    }

    /// Coverage as the shader's `SampleMask` has it, `i32`.
    pub fn sample_mask_of(&self, b: &mut Builder, coverage: Value) -> Value {
        self.reorder(b, coverage, |[own, covered]| [covered, own])
    }

    /// The coverage that a shader's `SampleMask` says, `i32`.
    pub(crate) fn coverage_of(&self, b: &mut Builder, mask: Value) -> Value {
        self.reorder(b, mask, |places| places)
    }

    /// The centre of the pixel that lies so many columns and rows (`i32`) from the upper left one.
    fn beside_corner(&self, b: &mut Builder, steps: [Value; 2]) -> InterpolationPoint {
        let [x, y] = steps.map(|steps| b.convert(Opcode::SToF, steps, Scalar::F32));
        InterpolationPoint { dx: b.fadd(self.corner.dx, x), dy: b.fadd(self.corner.dy, y) }
    }

    /// [`Fragment::at_centroid`] of fragments of several pixels.
    pub(crate) fn at_coarse_centroid(&self, b: &mut Builder, coarse: Coarse) -> InterpolationPoint {
        let count = self.key.samples.max(1);
        let (one, most, word) = (b.i32(1), b.i32(count - 1), b.i32(32));
        // Where the coverage's first sample is: its number within the pixel, and the pixel.
        let first = b.emit_op(Opcode::CountTrailingZeros, &[self.coverage]);
        let log_count = b.i32(count.trailing_zeros());
        let (number, sample) = (b.lshr(first, log_count), b.and(first, most));
        let last = b.isub(coarse.pixels, one);
        let number = b.isub(last, number);
        let steps = coarse.steps_to(b, number);
        let mut covered = self.clone();
        covered.center = self.beside_corner(b, steps);
        let covered = covered.at_sample(b, sample);
        let (bits, ones, none) = (b.shl(coarse.pixels, log_count), b.i32(u32::MAX), b.i32(0));
        let unused = b.isub(word, bits);
        let all = b.lshr(ones, unused);
        let (full, empty) = (b.ieq(self.coverage, all), b.ieq(self.coverage, none));
        let whole = b.or(full, empty);
        InterpolationPoint {
            dx: b.select(whole, self.center.dx, covered.dx),
            dy: b.select(whole, self.center.dy, covered.dy),
        }
    }

    /// For each pixel of coarse fragments, `body`, which is given the pixel as a fragment of its own and says
    /// which samples of it are left. Gives the coverage that is left. `coverage`: that of the fragments.
    pub(crate) fn for_each_pixel(
        &self,
        b: &mut Builder,
        coarse: Coarse,
        coverage: Value,
        body: impl FnOnce(&mut Builder, &Fragment<'k>) -> Value,
    ) -> Value {
        let zero = b.i32(0);
        let [header, inside, again, behind]: [Block; 4] = [(); 4].map(|()| b.function.make_block());
        let ty = b.function.ty(zero);
        let [number, left] = [(); 2].map(|()| b.function.add_param(header, ty));
        let [next_number, next_left] = [(); 2].map(|()| b.function.add_param(again, ty));
        let end = b.function.add_param(behind, ty);
        b.jump(header, &[zero, zero]);
        b.start(header);
        b.function.blocks[header].merge = Some(Merge::Loop { merge: behind, continue_target: again });
        let goes_on = b.op(Opcode::ULt, &[number, coarse.pixels]);
        b.branch(goes_on, BlockCall::new(inside, &[]), BlockCall::new(behind, &[left]));
        b.start(inside);
        let (one, samples) = (b.i32(1), b.i32(self.key.samples.max(1)));
        let steps = coarse.steps_to(b, number);
        // The first pixel has the uppermost bits.
        let last = b.isub(coarse.pixels, one);
        let shift = b.isub(last, number);
        let shift = b.imul(shift, samples);
        let (bits, all) = (b.lshr(coverage, shift), b.i32(self.key.all_samples()));
        let (x, y) = (b.iadd(self.x, steps[0]), b.iadd(self.y, steps[1]));
        let mut pixel = self.clone();
        (pixel.x, pixel.y, pixel.coverage) = (x, y, b.and(bits, all));
        pixel.center = self.beside_corner(b, steps);
        pixel.coarse = None;
        let passed = body(b, &pixel);
        let passed = b.shl(passed, shift);
        let (made, number) = (b.or(left, passed), b.iadd(number, one));
        b.jump(again, &[number, made]);
        b.start(again);
        b.jump(header, &[next_number, next_left]);
        b.start(behind);
        end
    }
}
