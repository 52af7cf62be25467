//! The fragment stage: a fragment's place, interpolation, and what surrounds the shader.
//!
//! ```text
//! let fragment = Fragment::begin(b, key, packed);       // in the first block
//! fragment.test_early(b, EarlyTests::...);              // where the shader allows it
//! ... the shader ...
//! fragment.finish(b, &outputs, alive);                  // once, where all lanes meet again
//! ```

use crate::block::{Block, block_coverage, coverage_of_block};
use crate::coarse::Coarse;
use crate::color;
use crate::depth_stencil::Tested;
use crate::state::{DiscardRectangles, FragmentOutputKey};
use crate::texel::Store;
use pyro_abi::graphics::{
    BLOCK_LANES, COLOR_ATTACHMENTS_MAX, COVERED_BLOCK_SAMPLES_MAX, FULLY_COVERED, GROUP_PRIMITIVES,
    VIEWPORTS_MAX, graphics_offset as at, sample_positions,
};
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;
use std::borrow::Cow;
use std::cell::RefCell;

/// A place within or near the fragment's pixel: `f32` distances from the centre of the primitive's reference
/// pixel.
#[derive(Clone, Copy, Debug)]
pub struct InterpolationPoint {
    pub(crate) dx: Value,
    pub(crate) dy: Value,
}

/// What the shader's end hands over. Values are scalars of one lane.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Colours by location: `f32` for formats that read as floats, `i32` for integer formats. Components that
    /// the shader does not write may be anything.
    pub colors: [Option<[Value; 4]>; COLOR_ATTACHMENTS_MAX],
    /// The second source of blending (location 0, index 1).
    pub second_color: Option<[Value; 4]>,
    /// `FragDepth`, `f32`.
    pub depth: Option<Value>,
    /// `FragStencilRefEXT`, `i32`.
    pub stencil_reference: Option<Value>,
    /// `SampleMask[0]`, `i32`.
    pub sample_mask: Option<Value>,
    /// The sample mask takes the place of the coverage (`OverrideCoverageNV`).
    pub overrides_coverage: bool,
}

/// How much of the depth and stencil tests happens before the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyTests {
    /// Tests and writes (`EarlyFragmentTests`): the shader only sees fragments that have passed.
    All,
    /// Tests; writes come at the end, for what is left of the fragment then. For shaders that write neither
    /// depth nor stencil reference and that do nothing which others can see but their outputs.
    Tests,
}

/// How the fragments of a subgroup belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// All are of one primitive.
    #[default]
    SinglePrimitive,
    /// Each quad has its primitive.
    PackedQuads,
    /// The same, with the setup data of [`GROUP_PRIMITIVES`] primitives
    /// in a group: draws lists of [`GroupedQuads`](pyro_abi::graphics::GroupedQuads). For 16 lanes and up
    /// to four samples for each pixel.
    GroupedQuads,
    /// They are a whole block of eight by two pixels that one primitive covers. Texels of
    /// the block are accessed row by row, so attachments are read and written by vector moves. For 16 lanes.
    FullBlock,
    /// The same for blocks that a primitive covers in part, each with its primitive, whose setup data is that
    /// of [`Variant::GroupedQuads`]. For keys of which there are functions of that variant.
    CoveredBlocks,
    /// The same, but what it does not cover of rows is written back with them: for processors whose stores of
    /// some lanes take long.
    MergedBlocks,
}

/// A fragment subgroup's lanes. Made once, in the first block.
#[derive(Clone, Debug)]
pub struct Fragment<'k> {
    pub(crate) key: &'k FragmentOutputKey,
    pub(crate) variant: Variant,
    pub(crate) context: Value,
    record: Value,
    lane_offset: Value,
    setup: Value,
    primitive: Value,
    /// For subgroups of few quads with a primitive each: the lane's offset in each four words of its
    /// primitive's setup data, and its quad's first lane.
    quads: Option<(Value, Value)>,
    /// For primitives in groups: the number of the lane's primitive, in the lower four bits.
    in_group: Option<Value>,
    pub(crate) always: Value,
    /// The pixel's x, `i32`; that of the upper left one of several.
    pub x: Value,
    /// The pixel's y, `i32`.
    pub y: Value,
    /// Bits of the samples that the primitive covers and the pipeline's sample mask leaves: `SampleMaskIn`.
    /// After [`Fragment::test_early`] still those from before.
    pub coverage: Value,
    /// The centre of the fragment, and of its upper left pixel.
    pub(crate) center: InterpolationPoint,
    pub(crate) corner: InterpolationPoint,
    /// Its size, where that is not one pixel.
    pub(crate) coarse: Option<Coarse>,
    /// The primitive covers all of its area, `i1`, where the function is told.
    fully_covered: Option<Value>,
    tested: Option<(EarlyTests, Tested)>,
    /// What tests and writes before the shader have left of a fragment of several pixels.
    tested_coarse: Option<Value>,
    /// Stores that wait, of functions that draw lists of quads with one sample for each pixel.
    pub(crate) stores: Option<RefCell<Vec<Store>>>,
    /// Where the words of a smooth line are in the setup data.
    pub smooth_line: Option<u32>,
    pub(crate) block: Option<Block>,
}

impl Variant {
    /// Whether there are functions of the variant.
    pub fn takes(self, key: &FragmentOutputKey, lanes: u32) -> bool {
        match self {
            Variant::SinglePrimitive | Variant::PackedQuads => true,
            Variant::FullBlock => lanes == BLOCK_LANES,
            Variant::GroupedQuads | Variant::CoveredBlocks | Variant::MergedBlocks => {
                Variant::of_several(key, lanes) == (Variant::GroupedQuads, true)
            }
        }
    }

    /// Whether lanes are the pixels of a block.
    pub fn is_block(self) -> bool {
        self == Variant::FullBlock || self.covers_in_part()
    }

    /// Whether primitives cover blocks in part.
    pub fn covers_in_part(self) -> bool {
        matches!(self, Variant::CoveredBlocks | Variant::MergedBlocks)
    }

    /// Of functions whose fragments are of several primitives, for subgroups of so many lanes; and whether
    /// they draw lists of subgroups: all do that run once for a pixel and do not count samples.
    pub fn of_several(key: &FragmentOutputKey, lanes: u32) -> (Variant, bool) {
        let plain = !key.sample_shading && !key.count_samples && !key.coarse && !key.full_coverage;
        let lists = lanes == BLOCK_LANES && plain;
        (
            if lists && key.samples <= GROUPED_SAMPLES_MAX {
                Variant::GroupedQuads
            } else {
                Variant::PackedQuads
            },
            lists,
        )
    }
}

/// Samples of a pixel, at most, of which a quad's word in `GroupedQuads` has room for bits.
const GROUPED_SAMPLES_MAX: u32 = 4;
const _: () = assert!(GROUPED_SAMPLES_MAX as usize == COVERED_BLOCK_SAMPLES_MAX);

/// Up to how many lanes setup data is loaded quad by quad.
const QUADWISE_LANES: u32 = 16;

/// One sample of the pixel, unrolled or of the invocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Its number in the attachment, `i32`.
    pub(crate) index: Value,
    /// Its bit in the coverage, `i32`.
    pub(crate) bit: Value,
    /// Samples of a pixel of the attachment.
    pub(crate) count: u32,
}

/// For subgroups of few quads with a primitive each: [`Fragment::quads`].
fn quad_primitives(b: &mut Builder, record: Value) -> (Value, Value) {
    let memory = MemoryOp::new(Space::Context).speculatable();
    let (lane, zero, two, always) = (b.lane_id(), b.i32(0), b.i32(2), b.bool(true));
    let mut words = zero;
    for quad in 0..b.function.lanes / 4 {
        let place = memory.at((at::PRIMITIVES + 16 * quad) as i32);
        let primitive = b.load(Scalar::I32, place, record, zero, always);
        let first = b.i32(4 * quad);
        let lanes = b.op(Opcode::ULe, &[first, lane]);
        words = if quad == 0 { primitive } else { b.select(lanes, primitive, words) };
    }
    let (three, quads) = (b.i32(3), b.i32(!3));
    let word = b.and(lane, three);
    let word = b.shl(word, two);
    (b.iadd(words, word), b.and(lane, quads))
}

/// The samples of the lane's pixel that the primitive of its group covers, by the quad's word.
fn coverage_in_group(b: &mut Builder, quad: Value, samples: u32) -> Value {
    let (lane, zero, three) = (b.lane_id(), b.i32(0), b.i32(3));
    if samples > 1 {
        let pixel = b.and(lane, three);
        let (four, ones, all) = (b.i32(4), b.i32(0x1111), b.i32((1 << samples) - 1));
        let shift = b.iadd(pixel, four);
        let word = b.lshr(quad, shift);
        // The pixel's bits, each four from the next; then side by side, with others above.
        let word = b.and(word, ones);
        let coverage = (1..samples).fold(word, |coverage, sample| {
            let shift = b.i32(3 * sample);
            let moved = b.lshr(word, shift);
            b.or(coverage, moved)
        });
        return b.and(coverage, all);
    }
    let first = b.i32(GROUP_PRIMITIVES as u32);
    let pixel = b.and(lane, three);
    let bit = b.shl(first, pixel);
    let covered = b.and(quad, bit);
    let (covered, one) = (b.ine(covered, zero), b.i32(1));
    b.select(covered, one, zero)
}

impl<'k> Fragment<'k> {
    /// Reads the record.
    ///
    /// # Panics
    /// When blocks are asked for in a function of other than 16 lanes.
    pub fn begin(b: &mut Builder, key: &'k FragmentOutputKey, variant: Variant) -> Fragment<'k> {
        let (context, record) = (b.arg(0), b.arg(1));
        let lane = b.lane_id();
        let two = b.i32(2);
        let lane_offset = b.shl(lane, two);
        let (always, zero) = (b.bool(true), b.i32(0));
        let memory = MemoryOp::new(Space::Context).speculatable();
        let load = |b: &mut Builder, scalar, place: u32, offset| {
            b.load(scalar, memory.at(place as i32), record, offset, always)
        };
        let setup = load(b, Scalar::I64, at::SETUP, zero);
        let primitive = match variant {
            Variant::PackedQuads => load(b, Scalar::I32, at::PRIMITIVES, lane_offset),
            Variant::SinglePrimitive
            | Variant::FullBlock
            | Variant::CoveredBlocks
            | Variant::MergedBlocks
            | Variant::GroupedQuads => load(b, Scalar::I32, at::PRIMITIVE, zero),
        };
        let mut in_group = None;
        let (x, y, mut coverage, block) = match variant {
            Variant::FullBlock => {
                let word = load(b, Scalar::I32, at::BLOCK, zero);
                let block = Block::begin(b, word);
                let coverage = b.i32(key.all_samples());
                let (x, y) = block.pixel(b);
                (x, y, coverage, Some(block))
            }
            Variant::CoveredBlocks | Variant::MergedBlocks => {
                let word = load(b, Scalar::I32, at::BLOCK, zero);
                let mut block = Block::begin(b, word);
                let words = block_coverage(b, key, record);
                block.cover(b, &words);
                let (x, y) = block.pixel(b);
                (x, y, coverage_of_block(b, &block), Some(block))
            }
            Variant::SinglePrimitive | Variant::PackedQuads => {
                let x = load(b, Scalar::I32, at::X, lane_offset);
                let y = load(b, Scalar::I32, at::Y, lane_offset);
                (x, y, load(b, Scalar::I32, at::COVERAGE, lane_offset), None)
            }
            Variant::GroupedQuads => {
                let x = load(b, Scalar::I32, at::X, lane_offset);
                let y = load(b, Scalar::I32, at::Y, lane_offset);
                let quad = load(b, Scalar::I32, at::PRIMITIVES, lane_offset);
                in_group = Some(quad);
                (x, y, coverage_in_group(b, quad, key.samples), None)
            }
        };
        let mut fully_covered = None;
        if key.full_coverage {
            let (bit, all) = (b.i32(FULLY_COVERED), b.i32(key.all_samples()));
            let marked = b.and(coverage, bit);
            fully_covered = Some(b.ine(marked, zero));
            coverage = b.and(coverage, all);
        }
        let coarse = key.coarse.then(|| Coarse::begin(b, key, record));
        if key.sample_mask {
            let mut mask = b.load(Scalar::I32, memory.at(at::SAMPLE_MASK as i32), context, zero, always);
            if let Some(coarse) = coarse {
                let all = b.i32(key.all_samples());
                mask = b.and(mask, all);
                mask = coarse.of_all_pixels(b, key.samples, mask);
            }
            coverage = b.and(coverage, mask);
        }
        let mut fragment = Fragment {
            key,
            variant,
            block,
            context,
            record,
            lane_offset,
            setup,
            primitive,
            quads: None,
            in_group,
            always,
            x,
            y,
            coverage,
            center: InterpolationPoint { dx: x, dy: y },
            corner: InterpolationPoint { dx: x, dy: y },
            coarse,
            fully_covered,
            tested: None,
            tested_coarse: None,
            stores: (variant == Variant::GroupedQuads && key.samples <= 1).then(RefCell::default),
            smooth_line: None,
        };
        if variant == Variant::PackedQuads && b.function.lanes <= QUADWISE_LANES {
            fragment.quads = Some(quad_primitives(b, record));
        }
        fragment.center = fragment.distance_from_reference(b);
        fragment.corner = fragment.center;
        if let Some(coarse) = coarse {
            let to_center = coarse.to_center(b);
            fragment.center = fragment.at_offset(b, to_center);
        }
        fragment.coverage = fragment.within_rectangles(b);
        fragment
    }

    /// The pixel's distance from the primitive's reference pixel.
    fn distance_from_reference(&self, b: &mut Builder<'_>) -> InterpolationPoint {
        let ref_x = self.setup_word(b, Scalar::I32, at::REF_X);
        let ref_y = self.setup_word(b, Scalar::I32, at::REF_Y);
        let (dx, dy) = (b.isub(self.x, ref_x), b.isub(self.y, ref_y));
        let dx = b.convert(Opcode::SToF, dx, Scalar::F32);
        let dy = b.convert(Opcode::SToF, dy, Scalar::F32);
        InterpolationPoint { dx, dy }
    }

    /// Has helper invocations no further from the primitive than quads reach that it touches. Those of
    /// covered blocks may lie further, where what is interpolated is anything: shaders that loop may loop for
    /// long there. To be called before anything else.
    pub fn keep_helpers_near(&mut self, b: &mut Builder<'_>) {
        let Some(block) = self.block.as_ref().filter(|block| !block.covered.is_empty()) else { return };
        let words = block_coverage(b, self.key, self.record);
        self.x = block.x_near(b, self.x, &words);
        self.center = self.distance_from_reference(b);
        self.corner = self.center;
    }

    /// The coverage that discard rectangles and exclusive scissors leave.
    fn within_rectangles(&self, b: &mut Builder) -> Value {
        let key = self.key;
        if key.discard_rectangles.is_none() && !key.exclusive_scissor {
            return self.coverage;
        }
        if let Some(coarse) = self.coarse {
            return self.for_each_pixel(b, coarse, self.coverage, |b, pixel| pixel.within_rectangles(b));
        }
        let (mut coverage, zero) = (self.coverage, b.i32(0));
        if let Some(test) = key.discard_rectangles {
            let extra = load_extra(b, self.context);
            let kept = keeps(b, test, extra, [self.x, self.y]);
            coverage = b.select(kept, coverage, zero);
        }
        if key.exclusive_scissor {
            let (index, most, four) = (self.viewport_index(b), b.i32(VIEWPORTS_MAX as u32 - 1), b.i32(4));
            let index = b.and(index, most);
            let offset = b.shl(index, four);
            let extra = load_extra(b, self.context);
            let inside = is_inside(b, extra, at::EXCLUSIVE_SCISSORS, offset, [self.x, self.y]);
            coverage = b.select(inside, zero, coverage);
        }
        coverage
    }

    /// The address of the subgroup's record.
    pub(crate) fn record(&self) -> Value {
        self.record
    }

    /// A word of the primitive's setup data.
    pub(crate) fn setup_word(&self, b: &mut Builder, scalar: Scalar, offset: u32) -> Value {
        if let Some((words, quad)) = self.quads {
            // Each quad loads four words at once, of which its lanes take the same: much faster than a
            // gather.
            let memory = MemoryOp::new(Space::Context).speculatable().at((offset & !15) as i32);
            let four = b.load(Scalar::I32, memory, self.setup, words, self.always);
            let word = b.i32(offset / 4 % 4);
            let from = b.or(quad, word);
            let word = b.op(Opcode::Shuffle, &[four, from]);
            return b.bitcast(word, scalar);
        }
        if let Some(number) = self.in_group {
            // A column has the word of each of the group's primitives.
            let memory = MemoryOp::new(Space::Context).speculatable();
            let place = memory.at((offset * GROUP_PRIMITIVES as u32) as i32);
            let lane = b.iadd(self.primitive, self.lane_offset);
            let column = b.load(Scalar::I32, place, self.setup, lane, self.always);
            let word = b.op(Opcode::Shuffle, &[column, number]);
            return b.bitcast(word, scalar);
        }
        if self.variant.covers_in_part() {
            let memory = MemoryOp::new(Space::Context).speculatable();
            let memory = memory.at((offset * GROUP_PRIMITIVES as u32) as i32);
            return b.load(scalar, memory, self.setup, self.primitive, self.always);
        }
        // Of packed quads, lanes without a fragment may hold no primitive: the access waits for the execution
        // mask.
        let memory = MemoryOp::new(Space::Context).at(offset as i32);
        let memory = if self.variant == Variant::PackedQuads { memory } else { memory.speculatable() };
        b.load(scalar, memory, self.setup, self.primitive, self.always)
    }

    /// A plane at a place.
    fn plane(&self, b: &mut Builder, offset: u32, place: InterpolationPoint) -> Value {
        let value = self.setup_word(b, Scalar::F32, offset);
        let dx = self.setup_word(b, Scalar::F32, offset + 4);
        let dy = self.setup_word(b, Scalar::F32, offset + 8);
        let value = b.mad(dy, place.dy, value);
        b.mad(dx, place.dx, value)
    }

    /// The number of the sample that the invocation stands for (`SampleId`), `i32`; 0 unless the function
    /// runs once for each sample.
    pub fn sample_id(&self, b: &mut Builder) -> Value {
        let zero = b.i32(0);
        if !self.key.sample_shading {
            return zero;
        }
        let memory = MemoryOp::new(Space::Context).speculatable().at(at::SAMPLE_ID as i32);
        b.load(Scalar::I32, memory, self.record, zero, self.always)
    }

    /// The samples that the code deals with one after another.
    pub(crate) fn samples(&self, b: &mut Builder) -> Vec<Sample> {
        let one = b.i32(1);
        if self.key.sample_shading {
            let index = self.sample_id(b);
            return vec![Sample { index, bit: b.shl(one, index), count: self.key.samples }];
        }
        let count = self.key.samples.max(1);
        (0..count).map(|index| Sample { index: b.i32(index), bit: b.i32(1 << index), count }).collect()
    }

    /// The location of a sample (`i32`; too large numbers count modulo the samples) within the pixel, in
    /// [0, 1).
    pub fn sample_position(&self, b: &mut Builder, index: Value) -> [Value; 2] {
        let positions = sample_positions(self.key.samples);
        if self.key.sample_locations && self.key.samples > 1 {
            let (most, three) = (b.i32(self.key.samples - 1), b.i32(3));
            let index = b.and(index, most);
            let offset = b.shl(index, three);
            let extra = load_extra(b, self.context);
            let memory = MemoryOp::new(Space::Context).speculatable().at(at::SAMPLE_LOCATIONS as i32);
            return [0, 4].map(|place| {
                let memory = memory.at(memory.displacement + place);
                b.load(Scalar::F32, memory, extra, offset, self.always)
            });
        }
        let wide = if positions.len() > 8 { Scalar::I64 } else { Scalar::I32 };
        let most = b.i32(positions.len().max(1) as u32 - 1);
        let (two, fifteen) = (b.i32(2), b.int(wide, 15));
        let index = b.and(index, most);
        let shift = b.shl(index, two);
        let shift = b.resize_u(shift, wide);
        let table = |pick: fn(&(u8, u8)) -> u8| {
            positions.iter().rev().fold(0u64, |table, position| table << 4 | u64::from(pick(position)))
        };
        [table(|position| position.0), table(|position| position.1)].map(|table| {
            let table = b.constant(wide, table);
            let value = b.lshr(table, shift);
            let value = b.and(value, fifteen);
            let value = b.resize_u(value, Scalar::I32);
            let value = b.convert(Opcode::SToF, value, Scalar::F32);
            let sixteenth = b.f32(1.0 / 16.0);
            b.fmul(value, sixteenth)
        })
    }

    /// `FullyCoveredEXT`, `i1`.
    pub fn is_fully_covered(&self, b: &mut Builder) -> Value {
        self.fully_covered.unwrap_or_else(|| b.bool(false))
    }

    /// `ShadingRateKHR`, `i32`.
    pub fn shading_rate(&self, b: &mut Builder) -> Value {
        match self.coarse {
            Some(coarse) => coarse.rate,
            None => b.i32(0),
        }
    }

    /// `FragSizeEXT`: pixels in x and y, `i32`.
    pub fn size(&self, b: &mut Builder) -> [Value; 2] {
        let (rate, one) = (self.shading_rate(b), b.i32(1));
        [2, 0].map(|shift| {
            let (shift, mask) = (b.i32(shift), b.i32(3));
            let bits = b.op(Opcode::LShr, &[rate, shift]);
            let log2 = b.op(Opcode::And, &[bits, mask]);
            b.op(Opcode::Shl, &[one, log2])
        })
    }

    /// `FragInvocationCountEXT`: how often the shader runs for a fragment at most, `i32`.
    pub fn invocation_count(&self, b: &mut Builder) -> Value {
        let known = if self.key.sample_shading { self.key.samples } else { 1 };
        self.coarse.and_then(|coarse| coarse.invocations).unwrap_or_else(|| b.i32(known))
    }

    /// The fragment's centre.
    pub fn at_center(&self) -> InterpolationPoint {
        self.center
    }

    /// So far from the fragment's centre, in pixels (`InterpolateAtOffset`).
    pub fn at_offset(&self, b: &mut Builder, offset: [Value; 2]) -> InterpolationPoint {
        InterpolationPoint { dx: b.fadd(self.center.dx, offset[0]), dy: b.fadd(self.center.dy, offset[1]) }
    }

    /// The location of a sample (`InterpolateAtSample`).
    pub fn at_sample(&self, b: &mut Builder, index: Value) -> InterpolationPoint {
        if self.key.samples <= 1 {
            return self.center;
        }
        let half = b.f32(0.5);
        let [x, y] = self.sample_position(b, index);
        let offset = [b.fsub(x, half), b.fsub(y, half)];
        self.at_offset(b, offset)
    }

    /// A place that the primitive covers (`Centroid`): the centre when all samples or none are covered, else
    /// the first covered sample.
    pub fn at_centroid(&self, b: &mut Builder) -> InterpolationPoint {
        if let Some(coarse) = self.coarse {
            return self.at_coarse_centroid(b, coarse);
        }
        if self.key.samples <= 1 {
            return self.center;
        }
        if self.key.sample_shading {
            return self.at_default(b);
        }
        let first = b.emit_op(Opcode::CountTrailingZeros, &[self.coverage]);
        let sample = self.at_sample(b, first);
        let (all, none) = (b.i32(self.key.all_samples()), b.i32(0));
        let full = b.ieq(self.coverage, all);
        let empty = b.ieq(self.coverage, none);
        let whole = b.or(full, empty);
        InterpolationPoint {
            dx: b.select(whole, self.center.dx, sample.dx),
            dy: b.select(whole, self.center.dy, sample.dy),
        }
    }

    /// Where inputs without qualifier are taken: the invocation's sample, or else the centre.
    pub fn at_default(&self, b: &mut Builder) -> InterpolationPoint {
        if !self.key.sample_shading {
            return self.center;
        }
        let index = self.sample_id(b);
        self.at_sample(b, index)
    }

    /// The barycentric coordinates of vertices 1 and 2 at a place, for [`Fragment::interpolate`].
    pub fn barycentric(&self, b: &mut Builder, place: InterpolationPoint, perspective: bool) -> [Value; 2] {
        if !perspective {
            return [self.plane(b, at::LINEAR_I, place), self.plane(b, at::LINEAR_J, place)];
        }
        let one = b.f32(1.0);
        let inverse_w = self.plane(b, at::INVERSE_W, place);
        let w = b.emit_op(Opcode::FDiv, &[one, inverse_w]);
        [at::PERSPECTIVE_I, at::PERSPECTIVE_J].map(|plane| {
            let value = self.plane(b, plane, place);
            b.fmul(value, w)
        })
    }

    /// An interpolated component, by its byte offset in the setup data (`SetupLayout::push`).
    pub fn interpolate(&self, b: &mut Builder, offset: u32, barycentric: [Value; 2]) -> Value {
        let base = self.setup_word(b, Scalar::F32, offset);
        let along_i = self.setup_word(b, Scalar::F32, offset + 4);
        let along_j = self.setup_word(b, Scalar::F32, offset + 8);
        let value = b.mad(barycentric[1], along_j, base);
        b.mad(barycentric[0], along_i, value)
    }

    /// A flat component's bits, `i32`.
    pub fn flat(&self, b: &mut Builder, offset: u32) -> Value {
        self.setup_word(b, Scalar::I32, offset)
    }

    /// The bits of a per-vertex component at vertex 0, 1 or 2, `i32`.
    pub fn per_vertex(&self, b: &mut Builder, offset: u32, vertex: u32) -> Value {
        self.setup_word(b, Scalar::I32, offset + 4 * vertex)
    }

    /// 1 / w at the centre.
    pub fn inverse_w(&self, b: &mut Builder) -> Value {
        self.plane(b, at::INVERSE_W, self.center)
    }

    /// `BaryCoordKHR`, or `BaryCoordNoPerspKHR`.
    pub fn bary_coord(&self, b: &mut Builder, place: InterpolationPoint, perspective: bool) -> [Value; 3] {
        let mut weights = self.barycentric(b, place, perspective);
        if !perspective {
            // A point's planes hold its own coordinates.
            let (zero, none) = (b.f32(0.0), b.i32(0));
            let is_point = self.setup_word(b, Scalar::I32, at::IS_POINT);
            let is_point = b.ine(is_point, none);
            weights = weights.map(|weight| b.select(is_point, zero, weight));
        }
        let [i, j] = weights;
        let one = b.f32(1.0);
        let rest = b.fsub(one, i);
        [b.fsub(rest, j), i, j]
    }

    /// `FragCoord`.
    pub fn frag_coord(&self, b: &mut Builder) -> [Value; 4] {
        let half = b.f32(0.5);
        let place = self.at_default(b);
        let inside = if self.key.sample_shading && self.key.samples > 1 {
            let index = self.sample_id(b);
            self.sample_position(b, index)
        } else if let Some(coarse) = self.coarse {
            coarse.to_center(b).map(|distance| b.fadd(distance, half))
        } else {
            [half, half]
        };
        let x = b.convert(Opcode::SToF, self.x, Scalar::F32);
        let y = b.convert(Opcode::SToF, self.y, Scalar::F32);
        let (x, y) = (b.fadd(x, inside[0]), b.fadd(y, inside[1]));
        [x, y, self.unclamped_depth(b, place), self.plane(b, at::INVERSE_W, place)]
    }

    /// The primitive's depth at a place before it is clamped to the viewport's range or to [0, 1]: shaders
    /// see it as it is (specification, "Depth Test": depths are clamped there).
    fn unclamped_depth(&self, b: &mut Builder, place: InterpolationPoint) -> Value {
        let depth = self.depth_at(b, place);
        let (least, greatest) = if self.key.depth_clamp {
            (
                self.setup_word(b, Scalar::F32, at::CLAMP_LEAST),
                self.setup_word(b, Scalar::F32, at::CLAMP_GREATEST),
            )
        } else if self.key.depth_unrestricted {
            return depth;
        } else {
            (b.f32(0.0), b.f32(1.0))
        };
        let plane = self.plane(b, at::DEPTH, place);
        let (below, above) = (b.flt(plane, least), b.flt(greatest, plane));
        let outside = b.or(below, above);
        b.select(outside, plane, depth)
    }

    /// The primitive's depth at a place.
    pub(crate) fn depth_at(&self, b: &mut Builder, place: InterpolationPoint) -> Value {
        let depth = self.plane(b, at::DEPTH, place);
        let least = self.setup_word(b, Scalar::F32, at::DEPTH_LEAST);
        let greatest = self.setup_word(b, Scalar::F32, at::DEPTH_GREATEST);
        let depth = b.fmax(depth, least);
        b.fmin(depth, greatest)
    }

    /// `PointCoord`. Meaningful for points only.
    pub fn point_coord(&self, b: &mut Builder) -> [Value; 2] {
        let place = self.at_default(b);
        self.barycentric(b, place, false)
    }

    /// `FrontFacing`, `i1`.
    pub fn front_facing(&self, b: &mut Builder) -> Value {
        let word = self.setup_word(b, Scalar::I32, at::FRONT_FACING);
        let zero = b.i32(0);
        b.ine(word, zero)
    }

    /// `Layer`, `i32`.
    pub fn layer(&self, b: &mut Builder) -> Value {
        self.setup_word(b, Scalar::I32, at::LAYER_BUILT_IN)
    }

    /// The layer of the attachments that is drawn to, which is also that of input attachments, `i32`.
    pub fn attachment_layer(&self, b: &mut Builder) -> Value {
        self.setup_word(b, Scalar::I32, at::LAYER)
    }

    /// `ViewportIndex`, `i32`.
    pub fn viewport_index(&self, b: &mut Builder) -> Value {
        self.setup_word(b, Scalar::I32, at::VIEWPORT_INDEX)
    }

    /// `PrimitiveId`, `i32`.
    pub fn primitive_id(&self, b: &mut Builder) -> Value {
        self.setup_word(b, Scalar::I32, at::PRIMITIVE_ID)
    }

    /// `ViewIndex`, `i32`.
    pub fn view_index(&self, b: &mut Builder) -> Value {
        self.setup_word(b, Scalar::I32, at::SETUP_VIEW_INDEX)
    }

    /// `HelperInvocation` at the shader's start, `i1`.
    pub fn is_helper(&self, b: &mut Builder) -> Value {
        let zero = b.i32(0);
        b.ieq(self.coverage, zero)
    }

    /// Runs the tests before the shader. Gives the condition (`i1`, the same in all lanes) under which the
    /// shader is needed at all: where it does not hold, go straight to [`Fragment::finish`], or behind it if
    /// [`Fragment::may_end_early`].
    ///
    /// # Panics
    /// For fragments of several pixels and [`EarlyTests::Tests`].
    pub fn test_early(&mut self, b: &mut Builder, how: EarlyTests) -> Value {
        if let Some(coarse) = self.coarse {
            assert_eq!(how, EarlyTests::All, "tests of several pixels without their writes");
            let passed = self.for_each_pixel(b, coarse, self.coverage, |b, pixel| {
                let tested = Tested::test(b, pixel, pixel.coverage, &Outputs::default());
                tested.write(b, pixel, pixel.coverage);
                tested.passed(b, pixel.coverage)
            });
            self.store_passed(b, passed);
            self.tested_coarse = Some(passed);
            let (none, no_lanes) = (b.i32(0), b.i64(0));
            let (left, active) = (b.ine(passed, none), b.active());
            let left = b.and(left, active);
            let bits = b.ballot(left);
            return b.ine(bits, no_lanes);
        }
        let tested = Tested::test(b, self, self.coverage, &Outputs::default());
        let passed = tested.passed(b, self.coverage);
        if how == EarlyTests::All {
            tested.write(b, self, self.coverage);
            self.store_waiting(b);
            self.store_passed(b, passed);
        }
        let left = if self.key.samples <= 1 {
            has_bit(b, passed, 1, BIT_STEPS)
        } else {
            let zero = b.i32(0);
            b.ine(passed, zero)
        };
        let active = b.active();
        let left = b.and(left, active);
        let bits = b.ballot(left);
        let none = b.i64(0);
        self.tested = Some((how, tested));
        b.ine(bits, none)
    }

    /// [`Fragment::finish`] has nothing to do for a subgroup that has failed the early tests.
    pub fn may_end_early(&self) -> bool {
        match &self.tested {
            Some((EarlyTests::All, _)) => true,
            Some((EarlyTests::Tests, tested)) => !tested.changes_failed(),
            None => self.tested_coarse.is_some(),
        }
    }

    /// The shader sees this as covered: [`Fragment::coverage`], less what early tests of the kind
    /// [`EarlyTests::All`] have taken.
    pub fn live_coverage(&self, b: &mut Builder) -> Value {
        match &self.tested {
            Some((EarlyTests::All, tested)) => tested.passed(b, self.coverage),
            _ => self.tested_coarse.unwrap_or(self.coverage),
        }
    }

    /// How much of the fragment a smooth line covers, by the words at `offset` in the setup data
    /// (`Interpolation::SmoothLine`).
    fn smooth_coverage(&self, b: &mut Builder, offset: u32) -> Value {
        let place = self.at_default(b);
        let (zero, one, half) = (b.f32(0.0), b.f32(1.0), b.f32(0.5));
        let mut coverage = one;
        for part in 0..2 {
            let distance = self.plane(b, offset + 12 * part, place);
            let reach = self.setup_word(b, Scalar::F32, offset + 24 + 4 * part);
            let reach = b.fadd(reach, half);
            let negative = b.fsub(zero, distance);
            let distance = b.fmax(distance, negative);
            let inside = b.fsub(reach, distance);
            let inside = b.fmax(inside, zero);
            let inside = b.fmin(inside, one);
            coverage = b.fmul(coverage, inside);
        }
        coverage
    }

    /// Everything behind the shader: coverage, tests that are left, and colours. `alive` (`i1`) holds for
    /// lanes that have neither been discarded nor demoted. Gives the samples that have passed.
    pub fn finish(&self, b: &mut Builder, outputs: &Outputs, alive: Value) -> Value {
        let zero = b.i32(0);
        let mut coverage = match b.function.const_bits(alive) {
            Some(1) => self.coverage,
            _ => b.select(alive, self.coverage, zero),
        };
        if let Some(mask) = outputs.sample_mask {
            let mask = self.coverage_of(b, mask);
            coverage = if outputs.overrides_coverage && !self.key.sample_shading {
                let mut all = b.i32(self.key.all_samples());
                if let Some(coarse) = self.coarse {
                    all = coarse.of_all_pixels(b, self.key.samples, all);
                }
                let mask = b.and(mask, all);
                // Helper invocations cover nothing.
                let is_covered = b.ine(coverage, zero);
                b.select(is_covered, mask, zero)
            } else {
                b.and(coverage, mask)
            };
        }
        let mut outputs = outputs.clone();
        if let Some(offset) = self.smooth_line {
            let covered = self.smooth_coverage(b, offset);
            for (color, key) in outputs.colors.iter_mut().zip(&self.key.colors) {
                if let (Some(color), Some(key)) = (color, key)
                    && color::is_float(key.format)
                {
                    let alpha = b.bitcast(color[3], Scalar::F32);
                    color[3] = b.fmul(alpha, covered);
                }
            }
        }
        if let Some(color) = outputs.colors[0]
            && self.key.alpha_to_coverage
        {
            let alpha = b.bitcast(color[3], Scalar::F32);
            let mut mask = color::alpha_coverage(b, self, alpha);
            if let Some(coarse) = self.coarse {
                mask = coarse.of_all_pixels(b, self.key.samples, mask);
            }
            coverage = b.and(coverage, mask);
        }
        if self.key.alpha_to_one {
            for (color, key) in outputs.colors.iter_mut().zip(&self.key.colors) {
                if let (Some(color), Some(key)) = (color, key)
                    && color::is_float(key.format)
                {
                    color[3] = b.f32(1.0);
                }
            }
            if let Some(color) = &mut outputs.second_color {
                color[3] = b.f32(1.0);
            }
        }
        let Some(coarse) = self.coarse else {
            let left = self.test_and_write(b, &outputs, coverage);
            if !matches!(self.tested, Some((EarlyTests::All, _))) {
                self.store_passed(b, left);
            }
            return left;
        };
        if let Some(passed) = self.tested_coarse {
            coverage = b.and(coverage, passed);
        }
        let left = self.for_each_pixel(b, coarse, coverage, |b, pixel| {
            pixel.test_and_write(b, &outputs, pixel.coverage)
        });
        if self.tested_coarse.is_none() {
            self.store_passed(b, left);
        }
        left
    }

    /// Tests that are left, and colours, of one pixel. Gives the samples that have passed.
    fn test_and_write(&self, b: &mut Builder, outputs: &Outputs, coverage: Value) -> Value {
        let left = match &self.tested {
            // Tested and written pixel by pixel before.
            _ if self.tested_coarse.is_some() => coverage,
            // Also samples that have failed.
            Some((EarlyTests::All, _)) if outputs.overrides_coverage => coverage,
            Some((EarlyTests::All, tested)) => tested.passed(b, coverage),
            Some((EarlyTests::Tests, tested)) => {
                tested.write(b, self, coverage);
                tested.passed(b, coverage)
            }
            None => {
                let tested = Tested::test(b, self, coverage, outputs);
                tested.write(b, self, coverage);
                tested.passed(b, coverage)
            }
        };
        let mut outputs = Cow::Borrowed(outputs);
        if let Some(location) = self.key.coverage_to_color
            && let Some(color) = outputs.to_mut().colors.get_mut(usize::from(location))
        {
            color.get_or_insert([left; 4])[0] = left;
        }
        color::write(b, self, &outputs, left);
        self.store_waiting(b);
        left
    }

    /// Tells the engine which samples have passed, where it counts them.
    fn store_passed(&self, b: &mut Builder, passed: Value) {
        if self.key.count_samples {
            let memory = MemoryOp::new(Space::Global).at(at::PASSED as i32);
            b.store(memory, self.record, self.lane_offset, passed, self.always);
        }
    }

    /// Whether a sample is in `coverage`, `i1`.
    pub(crate) fn covers(&self, b: &mut Builder, coverage: Value, sample: Sample) -> Value {
        match b.function.const_bits(sample.bit) {
            Some(bit) => has_bit(b, coverage, bit as u32, BIT_STEPS),
            None => {
                let zero = b.i32(0);
                let bit = b.and(coverage, sample.bit);
                b.ine(bit, zero)
            }
        }
    }
}

/// The address of the draw's `DrawExtra`.
pub(crate) fn load_extra(b: &mut Builder, context: Value) -> Value {
    let (zero, always) = (b.i32(0), b.bool(true));
    let memory = MemoryOp::new(Space::Context).speculatable().at(at::EXTRA as i32);
    b.load(Scalar::I64, memory, context, zero, always)
}

/// Whether a pixel is inside of a rectangle of the `DrawExtra`, `i1`. `place`: of the first one; `offset`:
/// from there.
fn is_inside(b: &mut Builder, extra: Value, place: u32, offset: Value, pixel: [Value; 2]) -> Value {
    let always = b.bool(true);
    let mut inside = always;
    for (axis, &position) in (0..).zip(&pixel) {
        let [first, end] = [axis, 2 + axis].map(|word: u32| {
            let memory = MemoryOp::new(Space::Context).speculatable().at((place + 4 * word) as i32);
            b.load(Scalar::I32, memory, extra, offset, always)
        });
        let behind_first = b.op(Opcode::SLe, &[first, position]);
        let before_end = b.op(Opcode::SLt, &[position, end]);
        inside = b.and(inside, behind_first);
        inside = b.and(inside, before_end);
    }
    inside
}

/// The discard rectangle test of a pixel, `i1`.
fn keeps(b: &mut Builder, test: DiscardRectangles, extra: Value, pixel: [Value; 2]) -> Value {
    let zero = b.i32(0);
    let mut inside = b.bool(false);
    for rectangle in 0..u32::from(test.count) {
        let place = at::DISCARD_RECTANGLES + 16 * rectangle;
        let within = is_inside(b, extra, place, zero, pixel);
        inside = b.or(inside, within);
    }
    if test.inclusive { inside } else { b.not(inside) }
}

/// How many operations deep [`has_bit`] looks.
const BIT_STEPS: u32 = 12;

/// Whether a word has a bit set, `i1`, from the conditions that the word was made of where they can be seen:
/// bits of coverage mostly come from conditions, and go to conditions.
fn has_bit(b: &mut Builder, word: Value, bit: u32, steps: u32) -> Value {
    if let Some(bits) = b.function.const_bits(word) {
        return b.bool(bits as u32 & bit != 0);
    }
    let made = b.function.def_inst(word).filter(|_| steps > 0).map(|inst| (inst.op, inst.args.clone()));
    if let Some((op, args)) = made {
        let part = |b: &mut Builder, index: usize| has_bit(b, args[index], bit, steps - 1);
        let known = |b: &Builder, value| b.function.const_bits(value).map(|bits| bits != 0);
        match op {
            Opcode::Select => {
                let (then, otherwise) = (part(b, 1), part(b, 2));
                return match (known(b, then), known(b, otherwise)) {
                    (Some(then), Some(otherwise)) if then == otherwise => b.bool(then),
                    (Some(true), Some(false)) => args[0],
                    (Some(false), Some(true)) => b.not(args[0]),
                    (_, Some(false)) => b.and(args[0], then),
                    _ => b.select(args[0], then, otherwise),
                };
            }
            Opcode::And | Opcode::Or | Opcode::AndNot => {
                let (x, y) = (part(b, 0), part(b, 1));
                return match (op, known(b, x), known(b, y)) {
                    (Opcode::And, Some(false), _) | (Opcode::Or, Some(true), _) => x,
                    (Opcode::And, Some(true), _) | (Opcode::Or, Some(false), _) => y,
                    (Opcode::And, _, Some(false)) | (Opcode::Or, _, Some(true)) => y,
                    (Opcode::And, _, Some(true)) | (Opcode::Or | Opcode::AndNot, _, Some(false)) => x,
                    (Opcode::AndNot, _, Some(true)) => b.bool(false),
                    (Opcode::And, ..) => b.and(x, y),
                    (Opcode::Or, ..) => b.or(x, y),
                    _ => b.andnot(x, y),
                };
            }
            _ => {}
        }
    }
    let (bit, zero) = (b.i32(bit), b.i32(0));
    let bit = b.and(word, bit);
    b.ine(bit, zero)
}
