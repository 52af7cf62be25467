//! Weighted sampling, box filters and block matching (`SPV_QCOM_image_processing`,
//! `SPV_QCOM_image_processing2`; specification, "Weight Image Sampling", "Block Matching", "Box Filter
//! Sampling").
//!
//! All read neighbourhoods of texels, one texel after the other in loops: a texel is a sample at its centre
//! with a nearest filter and coordinates that are not normalized, which is what such samplers' functions do
//! (`VK_SAMPLER_CREATE_IMAGE_PROCESSING_BIT_QCOM`), so that addresses outside become what the sampler says.
//! What else the instructions need of samplers and weight images is in their records
//! (`pyro_abi::image::processing`).

use super::Records;
use crate::context::Lowerer;
use crate::error::{LowerError, Result, invalid};
use crate::value::{Operand, Scalars};
use pyro_abi::image::{ImageOp, LodMode, image_offset as field, processing as bits, record};
use pyro_ir::{BlockCall, Merge, Opcode, Scalar, Type as IrType, Value};
use pyro_spirv::spirv::{Dim, Op};
use pyro_spirv::{Id, ImageType, Instruction};

/// Coordinates beyond this are all outside, as no image is so large; below it floats tell centres of texels
/// apart.
const COORDINATE_MAX: u32 = 1 << 20;

/// The components of a texel.
type Texel = [Value; 4];

/// How values of texels become one.
#[derive(Clone, Copy)]
struct Reduction {
    /// They are added.
    adds: Value,
    /// The least is taken, if they are not added; the greatest otherwise.
    is_min: Value,
}

/// The blocks that are compared.
struct Blocks {
    target: Records,
    reference: Records,
    /// The first texels' centres.
    from: [Value; 2],
    against: [Value; 2],
    /// Texels in x and y.
    size: [Value; 2],
    /// Squares of differences are added.
    squares: bool,
}

impl<'m> Lowerer<'m, '_> {
    /// Image processing instructions.
    pub(crate) fn lower_processing(&mut self, inst: Instruction<'m>) -> Result {
        let texel = match inst.op() {
            Op::ImageSampleWeightedQCOM => self.sample_weighted(inst)?,
            Op::ImageBoxFilterQCOM => self.box_filter(inst)?,
            op => {
                let mut blocks = self.blocks(inst)?;
                match op {
                    Op::ImageBlockMatchWindowSSDQCOM | Op::ImageBlockMatchWindowSADQCOM => {
                        self.match_window(&mut blocks)?
                    }
                    Op::ImageBlockMatchGatherSSDQCOM | Op::ImageBlockMatchGatherSADQCOM => {
                        self.gather_matches(&mut blocks)?
                    }
                    _ => self.match_blocks(&blocks)?,
                }
            }
        };
        let wanted = self.result_scalars(inst)?;
        let values = texel.into_iter().zip(&wanted[..]).map(|(value, &scalar)| match scalar {
            Scalar::F32 => Ok(value),
            _ => self.convert(Opcode::FConvert, value, scalar),
        });
        let values = values.collect::<Result<Scalars>>()?;
        self.define(inst, Operand::Data(values))
    }

    /// A loop: `body` makes of the state the next one, for each number below `count`. Gives the last state.
    fn for_each(
        &mut self,
        count: Value,
        start: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        let zero = self.b.i32(0);
        let all: Vec<Value> = [zero].iter().chain(start).copied().collect();
        let [header, inside, again, behind] =
            [self.make_block()?, self.make_block()?, self.make_block()?, self.make_block()?];
        let scalars: Vec<Scalar> = all.iter().map(|&value| self.scalar_type(value)).collect();
        let params = |cx: &mut Self, block| -> Vec<Value> {
            let add = |&scalar: &Scalar| cx.b.function.add_param(block, IrType::varying(scalar));
            scalars.iter().map(add).collect()
        };
        let (state, next, end) = (params(self, header), params(self, again), params(self, behind));
        self.b.jump(header, &all);
        self.b.start(header);
        self.b.function.blocks[header].merge = Some(Merge::Loop { merge: behind, continue_target: again });
        let goes_on = self.b.op(Opcode::ULt, &[state[0], count]);
        self.b.branch(goes_on, BlockCall::new(inside, &[]), BlockCall::new(behind, &state));
        self.b.start(inside);
        let mut made = body(self, state[0], &state[1..])?;
        let one = self.b.i32(1);
        made.insert(0, self.b.op(Opcode::IAdd, &[state[0], one]));
        if made.len() != all.len() {
            return Err(LowerError::internal("a loop's state changes its size".to_owned()));
        }
        self.b.jump(again, &made);
        self.b.start(again);
        self.b.jump(header, &next);
        self.b.start(behind);
        Ok(end[1..].to_vec())
    }

    /// A loop over the texels of a rectangle, row by row, whose state are the components of a texel. `body`
    /// is given x, y and the state.
    fn for_each_texel(
        &mut self,
        [width, height]: [Value; 2],
        start: Texel,
        body: impl FnOnce(&mut Self, [Value; 2], Texel) -> Result<Texel>,
    ) -> Result<Texel> {
        let end = self.for_each(height, &start, |cx, y, state| {
            cx.for_each(width, state, |cx, x, state| {
                let state = <Texel>::try_from(state).map_err(|_| lost())?;
                Ok(body(cx, [x, y], state)?.to_vec())
            })
        })?;
        <Texel>::try_from(end).map_err(|_| lost())
    }

    /// Some bits of a word.
    pub(super) fn bits(&mut self, word: Value, from: u32, count: u32) -> Value {
        let shift = self.b.i32(from);
        let mask = self.b.i32((1 << count) - 1);
        let word = self.b.op(Opcode::LShr, &[word, shift]);
        self.b.op(Opcode::And, &[word, mask])
    }

    /// Whether some bits of a word are a number.
    fn bits_are(&mut self, word: Value, from: u32, count: u32, number: u32) -> Value {
        let (found, number) = (self.bits(word, from, count), self.b.i32(number));
        self.b.op(Opcode::IEq, &[found, number])
    }

    fn float_of(&mut self, value: Value) -> Value {
        self.b.convert(Opcode::UToF, value, Scalar::F32)
    }

    /// The records of a sampled image, and the word of its sampler.
    fn processed(&mut self, id: Id) -> Result<(Records, ImageType, Value)> {
        let (records, image) = self.records(id)?;
        let Some(sampler) = records.sampler else { return invalid(format!("{id} is not a sampled image")) };
        let state = self.image_field(sampler, field::SAMPLER_PROCESSING);
        Ok((records, image, state))
    }

    fn reduction(&mut self, state: Value) -> Reduction {
        Reduction {
            adds: self.bits_are(state, bits::REDUCTION, 2, bits::REDUCTION_ADD),
            is_min: self.bits_are(state, bits::REDUCTION, 2, bits::REDUCTION_MIN),
        }
    }

    /// What a reduction starts with.
    fn start(&mut self, by: Reduction) -> Texel {
        let [zero, least, greatest] = [0.0, f32::NEG_INFINITY, f32::INFINITY].map(|value| self.b.f32(value));
        let extreme = self.b.select(by.is_min, greatest, least);
        [self.b.select(by.adds, zero, extreme); 4]
    }

    /// A value more, of which `added` is added.
    fn reduce(&mut self, by: Reduction, state: Value, value: Value, added: Value) -> Value {
        let sum = self.b.op(Opcode::FAdd, &[state, added]);
        let below = self.b.op(Opcode::FLt, &[value, state]);
        // Where one is the least, the other is the greatest.
        let takes = self.b.op(Opcode::IEq, &[below, by.is_min]);
        let extreme = self.b.select(takes, value, state);
        self.b.select(by.adds, sum, extreme)
    }

    /// The texel whose centre is at a place; what the sampler says where there is none.
    fn texel_at(&mut self, records: Records, center: [Value; 2]) -> Result<Texel> {
        self.store_coordinate(&center);
        let zero = self.b.f32(0.0);
        self.store_column(record::LOD, zero);
        let lod = LodMode::Explicit;
        self.image_call(records, ImageOp::Sample { lod, dref: false, offset: false, min_lod: false })?;
        Ok([0, 1, 2, 3].map(|component| self.load_column(record::TEXEL + component, Scalar::F32)))
    }

    /// The place that is so many texels from another.
    fn moved(&mut self, from: [Value; 2], by: [Value; 2]) -> [Value; 2] {
        [0, 1].map(|axis| {
            let by = self.float_of(by[axis]);
            self.b.op(Opcode::FAdd, &[from[axis], by])
        })
    }

    /// A coordinate as the sampler means it, in texels.
    fn texel_coordinate(&mut self, records: Records, state: Value, id: Id) -> Result<[Value; 2]> {
        let coordinate = self.float_coordinate(id, 2)?;
        let normalized = self.bits_are(state, bits::NORMALIZED, 1, 1);
        Ok([(0, field::WIDTH), (1, field::HEIGHT)].map(|(axis, extent)| {
            let extent = self.image_field(records.image, extent);
            let extent = self.float_of(extent);
            let scaled = self.b.op(Opcode::FMul, &[coordinate[axis], extent]);
            self.b.select(normalized, scaled, coordinate[axis])
        }))
    }

    /// `OpImageSampleWeightedQCOM`
    fn sample_weighted(&mut self, inst: Instruction<'m>) -> Result<Texel> {
        let (records, _, state) = self.processed(inst.id(0))?;
        let (weights, weight_type) = self.records(inst.id(2))?;
        let is_separable = weight_type.dim == Dim::Dim1D;
        let place = self.texel_coordinate(records, state, inst.id(1))?;
        let word = self.image_field(weights.image, field::WEIGHTS);
        let size = [bits::WEIGHTS_WIDTH, bits::WEIGHTS_HEIGHT].map(|from| self.bits(word, from, 7));
        let center = [bits::WEIGHTS_CENTER_X, bits::WEIGHTS_CENTER_Y].map(|from| self.bits(word, from, 6));
        let phase_bits = self.bits(word, bits::WEIGHTS_PHASES, 3);
        let (one, half) = (self.b.i32(1), self.b.f32(0.5));
        let phase_count = self.b.op(Opcode::Shl, &[one, phase_bits]);
        let phases_float = self.float_of(phase_count);
        let [mut from, mut phase] = [place; 2];
        for axis in 0..2 {
            let offset = self.float_of(center[axis]);
            let first = self.b.op(Opcode::FSub, &[place[axis], offset]);
            let first = self.b.op(Opcode::FFloor, &[first]);
            from[axis] = self.b.op(Opcode::FAdd, &[first, half]);
            let moved = self.b.op(Opcode::FSub, &[place[axis], half]);
            let whole = self.b.op(Opcode::FFloor, &[moved]);
            let fraction = self.b.op(Opcode::FSub, &[moved, whole]);
            let number = self.b.op(Opcode::FMul, &[fraction, phases_float]);
            phase[axis] = self.b.convert(Opcode::FToU, number, Scalar::I32);
        }
        let layer = self.b.op(Opcode::IMul, &[phase[1], phase_count]);
        let layer = self.b.op(Opcode::IAdd, &[layer, phase[0]]);
        let by = self.reduction(state);
        let start = self.start(by);
        self.for_each_texel(size, start, |cx, at, state| {
            let weight = if is_separable {
                let (x, y) = (
                    cx.packed_weight(weights, 0, at[0], phase[0], phase_count)?,
                    cx.packed_weight(weights, 1, at[1], phase[1], phase_count)?,
                );
                cx.b.op(Opcode::FMul, &[x, y])
            } else {
                cx.weight(weights, &[at[0], at[1], layer])?
            };
            let center = cx.moved(from, at);
            let texel = cx.texel_at(records, center)?;
            let zero = cx.b.f32(0.0);
            let is_none = cx.b.op(Opcode::FEq, &[weight, zero]);
            let counts = cx.b.op(Opcode::Not, &[is_none]);
            let counts = cx.b.op(Opcode::Or, &[counts, by.adds]);
            Ok([0, 1, 2, 3].map(|component: usize| {
                let value = texel[component];
                let weighted = cx.b.op(Opcode::FMul, &[value, weight]);
                let reduced = cx.reduce(by, state[component], value, weighted);
                cx.b.select(counts, reduced, state[component])
            }))
        })
    }

    /// A weight at a place: coordinates and the layer.
    fn weight(&mut self, weights: Records, at: &[Value]) -> Result<Value> {
        self.store_coordinate(at);
        let zero = self.b.i32(0);
        self.store_column(record::LOD, zero);
        let image = Records { sampler: None, ..weights };
        self.image_call(image, ImageOp::Fetch { offset: false })?;
        Ok(self.load_column(record::TEXEL, Scalar::F32))
    }

    /// A weight of a separable filter, of which each layer is of one direction: four weights of each phase
    /// lie together.
    fn packed_weight(
        &mut self,
        weights: Records,
        layer: u32,
        index: Value,
        phase: Value,
        phase_count: Value,
    ) -> Result<Value> {
        let (two, three, layer) = (self.b.i32(2), self.b.i32(3), self.b.i32(layer));
        let group = self.b.op(Opcode::LShr, &[index, two]);
        let group = self.b.op(Opcode::IMul, &[group, phase_count]);
        let group = self.b.op(Opcode::IAdd, &[group, phase]);
        let group = self.b.op(Opcode::Shl, &[group, two]);
        let inside = self.b.op(Opcode::And, &[index, three]);
        let at = self.b.op(Opcode::IAdd, &[group, inside]);
        self.weight(weights, &[at, layer])
    }

    /// `OpImageBoxFilterQCOM`
    fn box_filter(&mut self, inst: Instruction<'m>) -> Result<Texel> {
        let (records, _, state) = self.processed(inst.id(0))?;
        let place = self.texel_coordinate(records, state, inst.id(1))?;
        let extent = self.float_coordinate(inst.id(2), 2)?;
        let (half, one) = (self.b.f32(0.5), self.b.f32(1.0));
        let most = self.b.i32(bits::BOX_MAX + 1);
        let [mut from, mut size, mut first, mut last] = [place; 4];
        for axis in 0..2 {
            let part = self.b.op(Opcode::FMul, &[extent[axis], half]);
            let begin = self.b.op(Opcode::FSub, &[place[axis], part]);
            let whole = self.b.op(Opcode::FFloor, &[begin]);
            from[axis] = self.b.op(Opcode::FAdd, &[whole, half]);
            let start = self.b.op(Opcode::FSub, &[begin, whole]);
            first[axis] = self.b.op(Opcode::FSub, &[one, start]);
            let end = self.b.op(Opcode::FAdd, &[start, extent[axis]]);
            let whole = self.b.op(Opcode::FFloor, &[end]);
            let rest = self.b.op(Opcode::FSub, &[end, whole]);
            let zero = self.b.f32(0.0);
            let ends_there = self.b.op(Opcode::FEq, &[rest, zero]);
            last[axis] = self.b.select(ends_there, one, rest);
            let up = self.b.op(Opcode::FCeil, &[end]);
            let count = self.b.convert(Opcode::FToU, up, Scalar::I32);
            size[axis] = self.b.op(Opcode::UMin, &[count, most]);
        }
        let by = self.reduction(state);
        let start = self.start(by);
        let reduced = self.for_each_texel(size, start, |cx, at, state| {
            let mut weight = one;
            for axis in 0..2 {
                let (zero, end) = (cx.b.i32(0), cx.b.i32(u32::MAX));
                let end = cx.b.op(Opcode::IAdd, &[size[axis], end]);
                let (is_first, is_last) =
                    (cx.b.op(Opcode::IEq, &[at[axis], zero]), cx.b.op(Opcode::IEq, &[at[axis], end]));
                let behind = cx.b.select(is_last, last[axis], one);
                let part = cx.b.select(is_first, first[axis], behind);
                weight = cx.b.op(Opcode::FMul, &[weight, part]);
            }
            let center = cx.moved(from, at);
            let texel = cx.texel_at(records, center)?;
            Ok([0, 1, 2, 3].map(|component: usize| {
                let weighted = cx.b.op(Opcode::FMul, &[texel[component], weight]);
                cx.reduce(by, state[component], texel[component], weighted)
            }))
        })?;
        let area = self.b.op(Opcode::FMul, &[extent[0], extent[1]]);
        Ok(reduced.map(|value| {
            let mean = self.b.op(Opcode::FDiv, &[value, area]);
            self.b.select(by.adds, mean, value)
        }))
    }

    /// What an instruction compares.
    fn blocks(&mut self, inst: Instruction<'m>) -> Result<Blocks> {
        let (target, ..) = self.processed(inst.id(0))?;
        let (reference, ..) = self.processed(inst.id(2))?;
        let mut pair = |id, most: u32| -> Result<[Value; 2]> {
            let values = self.int_coordinate(id, 2)?;
            let most = self.b.i32(most);
            Ok([0, 1].map(|axis: usize| self.b.op(Opcode::UMin, &[values[axis], most])))
        };
        let (from, against) = (pair(inst.id(1), COORDINATE_MAX)?, pair(inst.id(3), COORDINATE_MAX)?);
        let size = pair(inst.id(4), bits::BLOCK_MAX)?;
        let [from, against] = [from, against].map(|place| {
            let half = [self.b.f32(0.5); 2];
            self.moved(half, place)
        });
        let squares = matches!(
            inst.op(),
            Op::ImageBlockMatchSSDQCOM | Op::ImageBlockMatchWindowSSDQCOM | Op::ImageBlockMatchGatherSSDQCOM
        );
        Ok(Blocks { target, reference, from, against, size, squares })
    }

    /// The word of the target's sampler.
    fn match_state(&mut self, blocks: &Blocks) -> Value {
        let sampler = blocks.target.sampler.unwrap_or(blocks.target.image);
        self.image_field(sampler, field::SAMPLER_PROCESSING)
    }

    /// `OpImageBlockMatchSADQCOM`, `OpImageBlockMatchSSDQCOM`: how much two blocks differ.
    fn match_blocks(&mut self, blocks: &Blocks) -> Result<Texel> {
        let state = self.match_state(blocks);
        let by = self.reduction(state);
        let start = self.start(by);
        let reduced = self.for_each_texel(blocks.size, start, |cx, at, state| {
            let (target, reference) = (cx.moved(blocks.from, at), cx.moved(blocks.against, at));
            let target = cx.texel_at(blocks.target, target)?;
            let reference = cx.texel_at(blocks.reference, reference)?;
            Ok([0, 1, 2, 3].map(|component: usize| {
                let difference = cx.b.op(Opcode::FSub, &[reference[component], target[component]]);
                let difference = cx.b.op(Opcode::FAbs, &[difference]);
                let added = match blocks.squares {
                    true => cx.b.op(Opcode::FMul, &[difference, difference]),
                    false => difference,
                };
                cx.reduce(by, state[component], difference, added)
            }))
        })?;
        let mut result = reduced.map(|value| match blocks.squares {
            true => {
                let square = self.b.op(Opcode::FMul, &[value, value]);
                self.b.select(by.adds, value, square)
            }
            false => value,
        });
        // The result is a texel of the target's format, as it were: what that lacks is zero, which
        // differences are, and alpha one.
        let word = self.image_field(blocks.target.image, field::WEIGHTS);
        let no_alpha = self.bits_are(word, bits::NO_ALPHA, 1, 1);
        let one = self.b.f32(1.0);
        result[3] = self.b.select(no_alpha, one, result[3]);
        Ok(result)
    }

    /// `OpImageBlockMatchGatherSADQCOM`, `OpImageBlockMatchGatherSSDQCOM`: the first components of four
    /// matches side by side.
    fn gather_matches(&mut self, blocks: &mut Blocks) -> Result<Texel> {
        let (first, one) = (blocks.from[0], self.b.f32(1.0));
        let mut x = first;
        let mut found = [x; 4];
        for one_of in &mut found {
            blocks.from[0] = x;
            [*one_of, ..] = self.match_blocks(blocks)?;
            x = self.b.op(Opcode::FAdd, &[x, one]);
        }
        Ok(found)
    }

    /// `OpImageBlockMatchWindowSADQCOM`, `OpImageBlockMatchWindowSSDQCOM`: the best match of a window, and
    /// where it is.
    fn match_window(&mut self, blocks: &mut Blocks) -> Result<Texel> {
        let state = self.match_state(blocks);
        let [width, height] = [bits::WINDOW_WIDTH, bits::WINDOW_HEIGHT].map(|from| self.bits(state, from, 7));
        let wants_max = self.bits_are(state, bits::WINDOW_MAX, 1, 1);
        let [least, greatest] = [f32::NEG_INFINITY, f32::INFINITY].map(|value| self.b.f32(value));
        let zero = self.b.f32(0.0);
        let start = [self.b.select(wants_max, least, greatest), zero, zero];
        let from = blocks.from;
        let found = self.for_each(width, &start, |cx, x, state| {
            cx.for_each(height, state, |cx, y, state| {
                let &[best, best_x, best_y] = state else { return Err(lost()) };
                blocks.from = cx.moved(from, [x, y]);
                let [error, ..] = cx.match_blocks(blocks)?;
                let above = cx.b.op(Opcode::FLt, &[best, error]);
                let below = cx.b.op(Opcode::FLt, &[error, best]);
                let is_better = cx.b.select(wants_max, above, below);
                let (x, y) = (cx.float_of(x), cx.float_of(y));
                let pairs = [(error, best), (x, best_x), (y, best_y)];
                Ok(pairs.into_iter().map(|(new, old)| cx.b.select(is_better, new, old)).collect())
            })
        })?;
        let &[error, x, y] = &found[..] else { return Err(lost()) };
        Ok([error, x, y, zero])
    }
}

#[cold]
fn lost() -> LowerError {
    LowerError::internal("a loop over texels lost its state".to_owned())
}
