//! Sampling, gathering and `OpImageQueryLod`.

use super::operands::ImageOperandIds;
use super::{Records, dimensions, is_sparse, sample_coordinate_count};
use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::value::{Operand, Scalars};
use pyro_abi::image::record::{self, footprint};
use pyro_abi::image::{GatherSource, ImageOp, LodMode};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::{Capability, Dim, ExecutionModel, Op};
use pyro_spirv::{Id, ImageType, Instruction};

/// Which component of a gather is the texel at the coordinate's floor, which is what each offset of
/// `ConstOffsets` asks for.
const GATHER_FLOOR: u32 = 3;

impl<'m> Lowerer<'m, '_> {
    /// The records of a sampled image, its type, and its coordinate's components without a projection.
    fn sampled(&mut self, inst: Instruction<'m>) -> Result<(Records, ImageType)> {
        let (records, image) = self.records(inst.id(0))?;
        if records.sampler.is_none() {
            return invalid(format!("{} is not a sampled image", inst.id(0)));
        }
        Ok((records, image))
    }

    /// `OpImageSample*`
    pub(super) fn sample(&mut self, inst: Instruction<'m>) -> Result {
        let dref = matches!(
            inst.op(),
            Op::ImageSampleDrefImplicitLod
                | Op::ImageSampleDrefExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
                | Op::ImageSparseSampleDrefImplicitLod
                | Op::ImageSparseSampleDrefExplicitLod
        );
        let projects = matches!(
            inst.op(),
            Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        let (records, image) = self.sampled(inst)?;
        let operands = ImageOperandIds::of(inst, if dref { 3 } else { 2 })?;
        let count = sample_coordinate_count(&image);
        let mut coordinate = self.float_coordinate(inst.id(1), count + usize::from(projects))?;
        let mut reference = match dref {
            true => {
                let reference = self.scalar(inst.id(2))?;
                Some(self.as_f32(reference)?)
            }
            false => None,
        };
        if let Some(q) = if projects { coordinate.pop() } else { None } {
            for value in coordinate.iter_mut().chain(&mut reference) {
                *value = self.b.op(Opcode::FDiv, &[*value, q]);
            }
        }
        self.store_coordinate(&coordinate);
        self.store_residency(inst);
        if let Some(reference) = reference {
            self.store_column(record::DREF, reference);
        }
        let lod = self.store_lod(&operands, &image)?;
        if let Some(offset) = operands.offset {
            self.store_offset(offset)?;
        }
        self.store_least_lod(&operands)?;
        let op = ImageOp::Sample {
            lod,
            dref,
            offset: operands.offset.is_some(),
            min_lod: operands.min_lod.is_some(),
        };
        self.tell_sample(inst, records, op, false)?;
        self.image_call(records, op)?;
        let texel = self.load_texel(inst)?;
        self.define(inst, Operand::Data(texel))
    }

    /// Stores what says which level of detail to take.
    fn store_lod(&mut self, operands: &ImageOperandIds, image: &ImageType) -> Result<LodMode> {
        if let Some((dx, dy)) = operands.grad {
            for (first, id) in [(record::DDX, dx), (record::DDY, dy)] {
                let change = self.float_coordinate(id, dimensions(image.dim))?;
                for (column, &value) in (first..).zip(&change) {
                    self.store_column(column, value);
                }
            }
            return Ok(LodMode::Grad);
        }
        let (id, mode) = match (operands.lod, operands.bias) {
            (Some(lod), _) => (lod, LodMode::Explicit),
            (None, Some(bias)) => (bias, LodMode::Bias),
            (None, None) => return Ok(LodMode::Implicit),
        };
        let value = self.scalar(id)?;
        let value = if self.scalar_type(value).is_int() {
            self.convert(Opcode::SToF, value, Scalar::F32)?
        } else {
            self.as_f32(value)?
        };
        self.store_column(record::LOD, value);
        Ok(mode)
    }

    /// Stores the operand `MinLod`.
    fn store_least_lod(&mut self, operands: &ImageOperandIds) -> Result {
        if let Some(min_lod) = operands.min_lod {
            let value = self.scalar(min_lod)?;
            let value = self.as_f32(value)?;
            self.store_column(record::LOD_MIN, value);
        }
        Ok(())
    }

    /// Stores a texel offset.
    pub(super) fn store_offset(&mut self, id: Id) -> Result {
        let offset = self.scalars(id)?;
        self.store_offset_scalars(&offset)
    }

    fn store_offset_scalars(&mut self, offset: &[Value]) -> Result {
        if offset.len() > 3 || offset.iter().any(|&value| !self.scalar_type(value).is_int()) {
            return invalid("a texel offset that is not one to three integers");
        }
        for (column, &value) in (record::OFFSET..).zip(offset) {
            let value = self.integer_of_width(value, Scalar::I32, true)?;
            self.store_column(column, value);
        }
        Ok(())
    }

    /// `OpImageGather`, `OpImageDrefGather`
    pub(super) fn gather(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.sampled(inst)?;
        let operands = ImageOperandIds::of(inst, 3)?;
        let coordinate = self.float_coordinate(inst.id(1), sample_coordinate_count(&image))?;
        self.store_coordinate(&coordinate);
        self.store_residency(inst);
        let source = if matches!(inst.op(), Op::ImageDrefGather | Op::ImageSparseDrefGather) {
            let reference = self.scalar(inst.id(2))?;
            let reference = self.as_f32(reference)?;
            self.store_column(record::DREF, reference);
            GatherSource::Dref
        } else {
            self.gathered_component(inst.id(2))?
        };
        let lod = self.gathered_level(&operands, &image)?;
        let Some(offsets) = operands.offsets else {
            let offset = operands.offset.is_some();
            if let Some(id) = operands.offset {
                self.store_offset(id)?;
            }
            let op = ImageOp::Gather { source, offset, lod };
            self.tell_sample(inst, records, op, false)?;
            self.image_call(records, op)?;
            let texel = self.load_texel(inst)?;
            return self.define(inst, Operand::Data(texel));
        };
        let offsets: [Value; 8] = self.array(offsets)?;
        let scalars = self.result_scalars(inst)?;
        let (code, scalars) = scalars.split_at(usize::from(is_sparse(inst.op())));
        let (mut texel, mut codes) = (Scalars::new(), Scalars::new());
        for (pair, &scalar) in offsets.chunks_exact(2).zip(scalars) {
            self.store_offset_scalars(pair)?;
            let op = ImageOp::Gather { source, offset: true, lod };
            self.tell_sample(inst, records, op, true)?;
            self.image_call(records, op)?;
            texel.push(self.load_texel_component(GATHER_FLOOR, scalar)?);
            codes.extend(self.load_residency(code)?);
        }
        let code = codes.into_iter().reduce(|code, other| self.b.op(Opcode::Or, &[code, other]));
        self.define(inst, Operand::Data(code.into_iter().chain(texel).collect()))
    }

    /// `OpImageGatherQCOM`: four texels at offsets from the lower one that a linear filter meets, or from the
    /// one that a nearest filter meets (specification, "Texel Gathering").
    pub(super) fn gather_pattern(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.sampled(inst)?;
        let operands = ImageOperandIds::of(inst, 4)?;
        let is_flat = matches!(image.dim, Dim::Dim2D | Dim::DimRect);
        let has_level = operands.bias.is_some() || operands.lod.is_some() || operands.grad.is_some();
        if !is_flat || has_level || operands.offsets.is_some() {
            return invalid("a gather by a mode of an image that is not flat, with offsets or a level");
        }
        let coordinate = self.float_coordinate(inst.id(1), sample_coordinate_count(&image))?;
        self.store_coordinate(&coordinate);
        let component = self.gathered_component(inst.id(2))?;
        let (is_near, offsets) = match self.constant_operand(inst.id(3))? {
            0 => (true, [[0, 0], [1, 0], [2, 0], [3, 0]]),
            1 => (true, [[0, 1], [1, 0], [0, -1], [-1, 0]]),
            2 => (false, [[-1, 1], [2, 1], [2, 0], [-1, 0]]),
            3 => (false, [[0, 2], [1, 2], [1, -1], [0, -1]]),
            other => return invalid(format!("a gather of mode {other}")),
        };
        let further = match operands.offset {
            Some(id) => self.scalars(id)?,
            None => Scalars::new(),
        };
        let scalars = self.result_scalars(inst)?;
        let mut texel = Scalars::new();
        for (offset, &scalar) in offsets.into_iter().zip(scalars.iter()) {
            let mut offset = offset.map(|offset: i32| self.b.i32(offset as u32));
            for (offset, &further) in offset.iter_mut().zip(&further) {
                let further = self.integer_of_width(further, Scalar::I32, true)?;
                *offset = self.b.op(Opcode::IAdd, &[*offset, further]);
            }
            self.store_offset_scalars(&offset)?;
            if is_near {
                self.image_call(records, ImageOp::Pick { component })?;
                texel.push(self.load_texel_component(0, scalar)?);
            } else {
                let op = ImageOp::Gather { source: component, offset: true, lod: None };
                self.tell_sample(inst, records, op, true)?;
                self.image_call(records, op)?;
                texel.push(self.load_texel_component(GATHER_FLOOR, scalar)?);
            }
        }
        self.define(inst, Operand::Data(texel))
    }

    /// The component that a gather takes of each texel.
    fn gathered_component(&mut self, id: Id) -> Result<GatherSource> {
        match self.constant_operand(id)? {
            0 => Ok(GatherSource::Component0),
            1 => Ok(GatherSource::Component1),
            2 => Ok(GatherSource::Component2),
            3 => Ok(GatherSource::Component3),
            other => invalid(format!("a gather of component {other}")),
        }
    }

    /// Stores what says which level a gather takes. In modules that may name one
    /// (`SPV_AMD_texture_gather_bias_lod`, issue 1), all gathers of fragment shaders have the level of detail
    /// of their quad; in other stages that is the first.
    fn gathered_level(&mut self, operands: &ImageOperandIds, image: &ImageType) -> Result<Option<LodMode>> {
        if operands.grad.is_some() {
            return invalid("a gather with derivatives");
        }
        let has_quads = self.gathers_at_quad_level();
        if operands.bias.is_none() && operands.lod.is_none() {
            return Ok(has_quads.then_some(LodMode::Implicit));
        }
        match self.store_lod(operands, image)? {
            LodMode::Bias if !has_quads => Ok(Some(LodMode::Explicit)),
            mode => Ok(Some(mode)),
        }
    }

    /// Whether gathers have the level of detail of their quad.
    pub(crate) fn gathers_at_quad_level(&self) -> bool {
        self.stage.model() == Some(ExecutionModel::Fragment)
            && self.module.has_capability(Capability::ImageGatherBiasLodAMD)
    }

    /// `OpImageSampleFootprintNV`: which texels a sample would read, as a structure of six members.
    pub(super) fn sample_footprint(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.sampled(inst)?;
        if !matches!(image.dim, Dim::Dim2D | Dim::Dim3D) || image.arrayed || image.multisampled {
            return invalid("a footprint on an image that is neither 2D nor 3D");
        }
        let operands = ImageOperandIds::of(inst, 4)?;
        let count = dimensions(image.dim);
        let coordinate = self.float_coordinate(inst.id(1), count)?;
        self.store_coordinate(&coordinate);
        // Anchor and offset have as many components as the coordinate, which may have more than the image.
        let components = self.scalars(inst.id(1))?.len();
        let granularity = self.scalar(inst.id(2))?;
        let granularity = self.integer_of_width(granularity, Scalar::I32, false)?;
        let coarse = self.scalar(inst.id(3))?;
        let coarse = self.convert(Opcode::ZeroExtend, coarse, Scalar::I32)?;
        self.store_column(footprint::GRANULARITY, granularity);
        self.store_column(footprint::COARSE, coarse);
        let lod = self.store_lod(&operands, &image)?;
        self.store_least_lod(&operands)?;
        self.image_call(records, ImageOp::Footprint { lod, min_lod: operands.min_lod.is_some() })?;
        let level = self.load_column(footprint::LEVEL, Scalar::I32);
        let is_single = {
            let (single, zero) = (self.b.i32(1 << footprint::SINGLE), self.b.i32(0));
            let bit = self.b.op(Opcode::And, &[level, single]);
            self.b.op(Opcode::INe, &[bit, zero])
        };
        let offsets = self.load_column(footprint::OFFSETS, Scalar::I32);
        let zero = self.b.i32(0);
        let mut words: Vec<Value> = (0..count as u32)
            .map(|dimension| self.load_column(footprint::ANCHOR + dimension, Scalar::I32))
            .collect();
        words.resize(components, zero);
        for dimension in 0..count as u32 {
            words.push(self.bits(offsets, footprint::OFFSET_BITS * dimension, footprint::OFFSET_BITS));
        }
        words.resize(2 * components, zero);
        words.extend([0, 1].map(|word| self.load_column(footprint::MASK + word, Scalar::I32)));
        words.push(self.bits(level, 0, footprint::SINGLE));
        words.push(self.load_column(footprint::COARSENED, Scalar::I32));
        let scalars = self.result_scalars(inst)?;
        if scalars.len() != words.len() + 1 {
            return invalid("a footprint whose result has other members");
        }
        let mut found = Scalars::new();
        found.push(is_single);
        for (word, &scalar) in words.into_iter().zip(&scalars[1..]) {
            found.push(self.integer_of_width(word, scalar, false)?);
        }
        self.define(inst, Operand::Data(found))
    }

    /// `OpImageQueryLod`
    pub(super) fn query_lod(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.sampled(inst)?;
        let coordinate = self.float_coordinate(inst.id(1), dimensions(image.dim))?;
        self.store_coordinate(&coordinate);
        self.image_call(records, ImageOp::QueryLod)?;
        let found = self.load_texel(inst)?;
        self.define(inst, Operand::Data(found))
    }
}
