//! Image instructions.
//!
//! An image is the address of its `pyro_abi::ImageRecord`, a sampler that of its `SamplerRecord`, a sampled
//! image both; null descriptors have become the null records when they were loaded. All instructions but the
//! queries of sizes call a function that the records lead to ([`call`]), through a call record in a slot:
//! operands are stored in its columns, results read from them. Where the layout knows what the records will
//! be, the function's code is put here instead, which takes the operands as they are ([`known`]).

mod call;
mod known;
mod operands;
mod processing;
mod query;
mod resource;
mod sample;
pub(crate) mod state;
mod texel;
mod tile;

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::value::{Operand, Scalars};
use operands::ImageOperandIds;
use pyro_abi::image::{ImageOp, record};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::{Dim, ImageFormat, Op};
use pyro_spirv::{Id, ImageType, Instruction, Type};

/// The records that an instruction works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Records {
    /// Address of the image record.
    pub(crate) image: Value,
    /// Address of the sampler record, for operations that use one.
    pub(crate) sampler: Option<Value>,
    /// They may differ from lane to lane.
    pub(crate) non_uniform: bool,
}

/// Numbers that name a place in the image, without its layer.
fn dimensions(dim: Dim) -> usize {
    match dim {
        Dim::Dim1D | Dim::DimBuffer => 1,
        Dim::Dim2D | Dim::DimRect | Dim::DimSubpassData | Dim::DimTileImageDataEXT => 2,
        Dim::Dim3D | Dim::DimCube => 3,
    }
}

/// Numbers that name a place for sampling: with the layer.
fn sample_coordinate_count(image: &ImageType) -> usize {
    dimensions(image.dim) + usize::from(image.arrayed)
}

/// Numbers that name a texel: with the layer. A cube's faces are layers.
fn texel_coordinate_count(image: &ImageType) -> usize {
    if image.dim == Dim::DimCube { 3 } else { sample_coordinate_count(image) }
}

/// Whether an instruction gives a residency code with the texel.
fn is_sparse(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
            | Op::ImageSparseFetch
            | Op::ImageSparseGather
            | Op::ImageSparseDrefGather
            | Op::ImageSparseRead
    )
}

impl<'m> Lowerer<'m, '_> {
    /// Image instructions.
    pub(crate) fn lower_image(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::SampledImage => {
                let (image, sampler) = (self.scalar(inst.id(0))?, self.scalar(inst.id(1))?);
                if self.value_non_uniform(inst.id(0), image) || self.value_non_uniform(inst.id(1), sampler) {
                    self.descriptors.non_uniform.extend([image, sampler]);
                }
                self.define(inst, Operand::data(&[image, sampler]))
            }
            Op::Image => {
                let [image, _] = self.array(inst.id(0))?;
                self.define_scalar(inst, image)
            }
            Op::ImageSparseTexelsResident => self.texels_resident(inst),
            Op::ImageGather if inst.newer().is_some() => self.gather_pattern(inst),
            Op::ImageGather | Op::ImageDrefGather | Op::ImageSparseGather | Op::ImageSparseDrefGather => {
                self.gather(inst)
            }
            Op::ImageFetch | Op::ImageRead | Op::ImageSparseFetch | Op::ImageSparseRead => {
                self.fetch_or_read(inst)
            }
            Op::FragmentMaskFetchAMD => self.fragment_mask(inst),
            Op::FragmentFetchAMD => self.fragment_fetch(inst),
            Op::ImageWrite => self.image_write(inst),
            Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT => self.texel_pointer(inst),
            Op::ImageQuerySizeLod | Op::ImageQuerySize => self.query_size(inst),
            Op::ImageQueryLevels | Op::ImageQuerySamples => self.query_count(inst),
            Op::ImageQueryLod => self.query_lod(inst),
            Op::ImageSampleFootprintNV => self.sample_footprint(inst),
            Op::ColorAttachmentReadEXT => self.read_color_attachment(inst),
            Op::DepthAttachmentReadEXT | Op::StencilAttachmentReadEXT => self.read_depth_stencil(inst),
            Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod => self.sample(inst),
            _ => self.unsupported(inst),
        }
    }

    /// Whether a record's address may differ between lanes that use it together: the shader says so of it.
    fn value_non_uniform(&self, id: Id, value: Value) -> bool {
        self.is_non_uniform(Some(id)) || self.descriptors.non_uniform.contains(&value)
    }

    /// The records of an image or sampled image, and the image's type.
    fn records(&mut self, id: Id) -> Result<(Records, ImageType)> {
        let ty = self.type_of(id)?;
        let scalars = self.scalars(id)?;
        let non_uniform = scalars.iter().any(|&value| self.value_non_uniform(id, value));
        let image_ty = match self.module.ty(ty) {
            Type::SampledImage { image } => image,
            _ => ty,
        };
        let Type::Image(image_type) = self.module.ty(image_ty) else {
            return invalid(format!("{id} is not an image"));
        };
        match scalars[..] {
            [image] => Ok((Records { image, sampler: None, non_uniform }, image_type)),
            [image, sampler] => Ok((Records { image, sampler: Some(sampler), non_uniform }, image_type)),
            _ => invalid(format!("{id} is not an image")),
        }
    }

    /// The first `count` components of a coordinate of integers, as `i32`.
    fn int_coordinate(&mut self, id: Id, count: usize) -> Result<Scalars> {
        let scalars = self.scalars(id)?;
        if scalars.len() < count || scalars.iter().any(|&value| !self.scalar_type(value).is_int()) {
            return invalid(format!("{id} is not a coordinate of {count} integers"));
        }
        Ok(scalars[..count].iter().map(|&value| self.index_i32(value)).collect())
    }

    /// The components of a coordinate of floats, as `f32`.
    fn float_coordinate(&mut self, id: Id, count: usize) -> Result<Scalars> {
        let scalars = self.scalars(id)?;
        if scalars.len() < count {
            return invalid(format!("{id} is not a coordinate of {count} floats"));
        }
        scalars[..count].iter().map(|&value| self.as_f32(value)).collect()
    }

    /// A float of any width as `f32`.
    fn as_f32(&mut self, value: Value) -> Result<Value> {
        match self.scalar_type(value) {
            Scalar::F32 => Ok(value),
            _ => self.convert(Opcode::FConvert, value, Scalar::F32),
        }
    }

    /// `OpImageSparseTexelsResident`
    fn texels_resident(&mut self, inst: Instruction<'m>) -> Result {
        let code = self.scalar(inst.id(0))?;
        self.expect_int(inst, &[code])?;
        let resident = self.b.constant(self.scalar_type(code), 0);
        let result = self.b.op(Opcode::IEq, &[code, resident]);
        self.define_scalar(inst, result)
    }

    /// Begins an operation, with a coordinate for its columns.
    fn store_coordinate(&mut self, coordinate: &[Value]) {
        self.image.begin();
        for (column, &value) in (record::COORDINATE..).zip(coordinate) {
            self.store_column(column, value);
        }
    }

    /// Of an instruction that gives a residency code: functions of images whose memory is bound as a whole
    /// leave it as it is.
    fn store_residency(&mut self, inst: Instruction<'m>) {
        if is_sparse(inst.op()) {
            let resident = self.b.i32(0);
            self.store_column(record::RESIDENCY, resident);
        }
    }

    /// An input attachment of one sample has that for each
    /// (`VK_EXT_multisampled_render_to_single_sampled`).
    fn limit_sample(&mut self, image: Value) {
        let Some(sample) = self.image.operand(record::LOD) else { return };
        let count = self.image_field(image, pyro_abi::image::image_offset::SAMPLES);
        let one = self.b.i32(1);
        let last = self.b.op(Opcode::ISub, &[count, one]);
        let limited = self.b.op(Opcode::UMin, &[sample, last]);
        self.store_column(record::LOD, limited);
    }

    /// The sample number's or level's column, for operations at integer coordinates.
    fn store_level(&mut self, image: &ImageType, operands: &ImageOperandIds, always: bool) -> Result {
        let operand = if image.multisampled { operands.sample } else { operands.lod };
        let value = match operand {
            Some(id) => {
                let value = self.scalar(id)?;
                if !self.scalar_type(value).is_int() {
                    return invalid(format!("{id} is not a level or sample number"));
                }
                self.index_i32(value)
            }
            None if always => self.b.i32(0),
            None => return Ok(()),
        };
        self.store_column(record::LOD, value);
        Ok(())
    }

    /// The place that a coordinate of input attachments means, relative to the fragment: x, y and the layer.
    fn subpass_place(&mut self, mut coordinate: Scalars) -> Result<Scalars> {
        let stage = self.stage;
        let [x, y, layer] = stage.framebuffer_place(self)?;
        coordinate[0] = self.b.op(Opcode::IAdd, &[coordinate[0], x]);
        coordinate[1] = self.b.op(Opcode::IAdd, &[coordinate[1], y]);
        coordinate.truncate(2);
        coordinate.push(layer);
        Ok(coordinate)
    }

    /// `OpImageFetch`, `OpImageRead`
    fn fetch_or_read(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.records(inst.id(0))?;
        let operands = ImageOperandIds::of(inst, 2)?;
        let count = texel_coordinate_count(&image);
        let mut coordinate = self.int_coordinate(inst.id(1), count)?;
        let mut op = ImageOp::Read;
        if image.dim == Dim::DimSubpassData {
            // Input attachments are sampled images.
            coordinate = self.subpass_place(coordinate)?;
            op = ImageOp::Fetch { offset: false };
        } else if matches!(inst.op(), Op::ImageFetch | Op::ImageSparseFetch)
            || self.descriptors.fetched.contains(&records.image)
            || operands.lod.is_some()
        {
            op = ImageOp::Fetch { offset: operands.offset.is_some() };
        }
        self.store_coordinate(&coordinate);
        self.store_residency(inst);
        if let (ImageOp::Fetch { offset: true }, Some(offset)) = (op, operands.offset) {
            self.store_offset(offset)?;
        }
        self.store_level(&image, &operands, op != ImageOp::Read)?;
        if image.dim == Dim::DimSubpassData && image.multisampled {
            self.limit_sample(records.image);
        }
        self.image_call(records, op)?;
        let texel = self.load_texel(inst)?;
        self.define(inst, Operand::Data(texel))
    }

    /// `OpFragmentMaskFetchAMD`: each sample has a fragment of its own, four bits for each. Those of images
    /// with more than eight samples do not fit.
    fn fragment_mask(&mut self, inst: Instruction<'m>) -> Result {
        let (records, _) = self.records(inst.id(0))?;
        let samples = self.image_field(records.image, pyro_abi::image::image_offset::SAMPLES);
        let (one, two, eight) = (self.b.i32(1), self.b.i32(2), self.b.i32(8));
        let samples = self.b.op(Opcode::UMax, &[samples, one]);
        let samples = self.b.op(Opcode::UMin, &[samples, eight]);
        let absent = self.b.op(Opcode::ISub, &[eight, samples]);
        let bits = self.b.op(Opcode::Shl, &[absent, two]);
        let all = self.b.i32(0x7654_3210);
        let upper = self.b.op(Opcode::Shl, &[all, bits]);
        let mask = self.b.op(Opcode::LShr, &[upper, bits]);
        self.define_scalar(inst, mask)
    }

    /// `OpFragmentFetchAMD`: the fragment is the sample of that number.
    fn fragment_fetch(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.records(inst.id(0))?;
        let mut coordinate = self.int_coordinate(inst.id(1), texel_coordinate_count(&image))?;
        if image.dim == Dim::DimSubpassData {
            coordinate = self.subpass_place(coordinate)?;
        }
        self.store_coordinate(&coordinate);
        let fragment = self.scalar(inst.id(2))?;
        self.expect_int(inst, &[fragment])?;
        let fragment = self.index_i32(fragment);
        self.store_column(record::LOD, fragment);
        if image.dim == Dim::DimSubpassData {
            self.limit_sample(records.image);
        }
        self.image_call(records, ImageOp::Fetch { offset: false })?;
        let texel = self.load_texel(inst)?;
        self.define(inst, Operand::Data(texel))
    }

    /// `OpImageWrite`
    fn image_write(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.records(inst.id(0))?;
        let operands = ImageOperandIds::of(inst, 3)?;
        let coordinate = self.int_coordinate(inst.id(1), texel_coordinate_count(&image))?;
        let texel = self.scalars(inst.id(2))?;
        if texel.is_empty() {
            return invalid("a texel without components");
        }
        self.store_coordinate(&coordinate);
        self.store_level(&image, &operands, false)?;
        for index in 0..4 {
            let value = match texel.get(index) {
                Some(&value) => value,
                None => self.b.constant(self.scalar_type(texel[0]), 0),
            };
            self.store_texel_component(index as u32, value)?;
        }
        let is_wide = self.scalar_type(texel[0]).bits() == 64;
        if is_wide && matches!(image.format, ImageFormat::R64i | ImageFormat::R64ui) {
            // Such a format has one component. Where a view has two of 32 bits instead, they take its halves.
            let bits = self.b.bitcast(texel[0], Scalar::I64);
            let high = self.high_half(bits);
            self.store_column(record::TEXEL + 1, high);
        }
        self.image_call(records, ImageOp::Write { level: operands.lod.is_some() })
    }

    fn high_half(&mut self, bits: Value) -> Value {
        let amount = self.b.i64(32);
        let high = self.b.op(Opcode::LShr, &[bits, amount]);
        self.b.convert(Opcode::Truncate, high, Scalar::I32)
    }

    /// Stores a component of a texel or an operand of an atomic operation.
    fn store_texel_component(&mut self, index: u32, value: Value) -> Result {
        let scalar = self.scalar_type(value);
        let word = match scalar {
            Scalar::F32 | Scalar::I32 => value,
            Scalar::F16 => self.as_f32(value)?,
            Scalar::I64 | Scalar::F64 => {
                let bits = self.b.bitcast(value, Scalar::I64);
                let high = self.high_half(bits);
                self.store_column(record::TEXEL_HIGH + index, high);
                self.b.convert(Opcode::Truncate, bits, Scalar::I32)
            }
            Scalar::I8 | Scalar::I16 => self.b.convert(Opcode::SignExtend, value, Scalar::I32),
            Scalar::I1 => return unsupported("texels of booleans"),
        };
        self.store_column(record::TEXEL + index, word);
        Ok(())
    }

    /// The components of the result from the texel's columns.
    fn load_texel(&mut self, inst: Instruction<'m>) -> Result<Scalars> {
        let scalars = self.result_scalars(inst)?;
        let (code, scalars) = scalars.split_at(usize::from(is_sparse(inst.op())));
        if scalars.len() > 4 {
            return invalid("a texel of more than four components");
        }
        let mut results = self.load_residency(code)?;
        for (index, &scalar) in (0..).zip(scalars) {
            results.push(self.load_texel_component(index, scalar)?);
        }
        Ok(results)
    }

    /// The residency code, where the instruction gives one.
    fn load_residency(&mut self, code: &[Scalar]) -> Result<Scalars> {
        let Some(&scalar) = code.first() else { return Ok(Scalars::new()) };
        if !scalar.is_int() {
            return invalid("a residency code that is not an integer");
        }
        let value = self.load_column(record::RESIDENCY, Scalar::I32);
        Ok(smallvec::smallvec![self.integer_of_width(value, scalar, false)?])
    }

    fn load_texel_component(&mut self, index: u32, scalar: Scalar) -> Result<Value> {
        Ok(match scalar {
            Scalar::F32 | Scalar::I32 => self.load_column(record::TEXEL + index, scalar),
            Scalar::F16 => {
                let value = self.load_column(record::TEXEL + index, Scalar::F32);
                self.convert(Opcode::FConvert, value, Scalar::F16)?
            }
            Scalar::I8 | Scalar::I16 => {
                let value = self.load_column(record::TEXEL + index, Scalar::I32);
                self.b.convert(Opcode::Truncate, value, scalar)
            }
            Scalar::I64 | Scalar::F64 => {
                let low = self.load_column(record::TEXEL + index, Scalar::I32);
                let high = self.load_column(record::TEXEL_HIGH + index, Scalar::I32);
                let [low, high] =
                    [low, high].map(|part| self.b.convert(Opcode::ZeroExtend, part, Scalar::I64));
                let amount = self.b.i64(32);
                let high = self.b.op(Opcode::Shl, &[high, amount]);
                let bits = self.b.op(Opcode::Or, &[low, high]);
                self.b.bitcast(bits, scalar)
            }
            Scalar::I1 => return unsupported("texels of booleans"),
        })
    }
}

/// What a read, fetch or write of a texel says of its place, for checks.
pub(crate) struct TexelAccess {
    /// Address of the image record.
    pub(crate) image: Value,
    /// Its dimensions.
    pub(crate) dim: Dim,
    /// Coordinates, then the layer, as `i32`.
    pub(crate) coordinate: Scalars,
    /// The level, where the instruction says one.
    pub(crate) level: Option<Value>,
    /// The sample, of a multisampled image.
    pub(crate) sample: Option<Value>,
}

/// The place of an instruction's texel; none for input attachments, and for images that may differ between
/// invocations.
pub(crate) fn texel_access<'m>(
    cx: &mut Lowerer<'m, '_>,
    inst: Instruction<'m>,
) -> Result<Option<TexelAccess>> {
    let (records, image) = cx.records(inst.id(0))?;
    let dim = image.dim;
    if records.non_uniform || matches!(dim, Dim::DimSubpassData | Dim::DimTileImageDataEXT) {
        return Ok(None);
    }
    let operands = ImageOperandIds::of(inst, if inst.op() == Op::ImageWrite { 3 } else { 2 })?;
    if operands.offset.is_some() {
        return Ok(None);
    }
    let mut coordinate = cx.int_coordinate(inst.id(1), texel_coordinate_count(&image))?;
    if dim == Dim::DimCube {
        // The third number is that of the face.
        coordinate.truncate(3);
    }
    let number = |cx: &mut Lowerer<'m, '_>, id: Option<Id>| match id {
        Some(id) => {
            let value = cx.scalar(id)?;
            cx.expect_int(inst, &[value])?;
            Ok::<_, crate::LowerError>(Some(cx.index_i32(value)))
        }
        None => Ok(None),
    };
    let level = if image.multisampled { None } else { number(cx, operands.lod)? };
    let sample = if image.multisampled { number(cx, operands.sample)? } else { None };
    Ok(Some(TexelAccess { image: records.image, dim, coordinate, level, sample }))
}
