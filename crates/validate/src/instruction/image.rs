//! Images and samplers (SPIR-V, 3.49.10).

use crate::context::{Context, Shape, Verdict, ensure};
use pyro_spirv::grammar::{self, OperandKind};
use pyro_spirv::spirv::{Capability, Dim, ImageOperands, Op};
use pyro_spirv::{Id, ImageType, Instruction, Type};

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Op) -> Option<Verdict> {
    let sample = |is_dref, is_proj| Sample { is_dref, is_proj, is_sparse: false };
    let sparse = |sample: Sample| Sample { is_sparse: true, ..sample };
    Some(match op {
        Op::SampledImage => sampled_image(cx, inst),
        Op::Image => image(cx, inst),
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => sampling(cx, inst, sample(false, false)),
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod => {
            sampling(cx, inst, sample(true, false))
        }
        Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod => {
            sampling(cx, inst, sample(false, true))
        }
        Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod => {
            sampling(cx, inst, sample(true, true))
        }
        Op::ImageSparseSampleImplicitLod | Op::ImageSparseSampleExplicitLod => {
            sampling(cx, inst, sparse(sample(false, false)))
        }
        Op::ImageSparseSampleDrefImplicitLod | Op::ImageSparseSampleDrefExplicitLod => {
            sampling(cx, inst, sparse(sample(true, false)))
        }
        Op::ImageGather => gather(cx, inst, sample(false, false)),
        Op::ImageDrefGather => gather(cx, inst, sample(true, false)),
        Op::ImageSparseGather => gather(cx, inst, sparse(sample(false, false))),
        Op::ImageSparseDrefGather => gather(cx, inst, sparse(sample(true, false))),
        Op::ImageFetch => fetch(cx, inst, false),
        Op::ImageSparseFetch => fetch(cx, inst, true),
        Op::ImageRead => read(cx, inst, false),
        Op::ImageSparseRead => read(cx, inst, true),
        Op::ImageWrite => write(cx, inst),
        Op::ImageQuerySizeLod => query_size(cx, inst, true),
        Op::ImageQuerySize => query_size(cx, inst, false),
        Op::ImageQueryLod => query_lod(cx, inst),
        Op::ImageSampleFootprintNV => footprint(cx, inst),
        Op::ImageQueryLevels | Op::ImageQuerySamples => query_count(cx, inst),
        Op::ImageSparseTexelsResident => resident(cx, inst),
        Op::FragmentMaskFetchAMD => fragment_mask(cx, inst),
        Op::FragmentFetchAMD => fragment(cx, inst),
        _ => return None,
    })
}

#[derive(Clone, Copy)]
struct Sample {
    is_dref: bool,
    is_proj: bool,
    is_sparse: bool,
}

/// Numbers that name a place in the image, without its layer.
fn dimensions(dim: Dim) -> u32 {
    match dim {
        Dim::Dim1D | Dim::DimBuffer => 1,
        Dim::Dim2D | Dim::DimRect | Dim::DimSubpassData | Dim::DimTileImageDataEXT => 2,
        Dim::Dim3D | Dim::DimCube => 3,
    }
}

/// Numbers that name a place for sampling: with the layer.
fn sample_coordinate_count(image: &ImageType) -> u32 {
    dimensions(image.dim) + u32::from(image.arrayed)
}

/// Numbers that name a texel: with the layer. A cube's faces are layers.
pub(super) fn texel_coordinate_count(image: &ImageType) -> u32 {
    if image.dim == Dim::DimCube { 3 } else { sample_coordinate_count(image) }
}

fn image_of(cx: &Context<'_, '_>, value: Id) -> Result<ImageType, String> {
    match cx.value_type(value)? {
        Type::Image(image) => Ok(image),
        _ => Err(format!("{value} is not an image")),
    }
}

fn sampled_image_of(cx: &Context<'_, '_>, value: Id) -> Result<ImageType, String> {
    let Type::SampledImage { image } = cx.value_type(value)? else {
        return Err(format!("{value} is not a sampled image"));
    };
    match cx.ty(image) {
        Type::Image(image) => Ok(image),
        _ => Err(format!("{image} is not an image type")),
    }
}

fn sampled_image<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let Type::SampledImage { image } = cx.ty(cx.result_type(inst)?) else {
        return Err("the result is not a sampled image".to_owned());
    };
    let (given, expected) = (cx.value_type(inst.id(0))?, cx.ty(image));
    let is_same = match (given, expected) {
        // Whether it is a depth image may differ: compilers decide that by the sampler.
        (Type::Image(given), Type::Image(expected)) => {
            ImageType { depth: expected.depth, ..given } == expected
        }
        _ => false,
    };
    ensure!(is_same, "the image is not of the result's image type");
    ensure!(cx.value_type(inst.id(1))? == Type::Sampler, "{} is not a sampler", inst.id(1));
    if let Type::Image(image) = cx.ty(image) {
        ensure!(image.sampled != 2, "a storage image cannot be sampled");
        ensure!(image.dim != Dim::DimSubpassData, "subpass data cannot be sampled");
    }
    Ok(())
}

fn image<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let Type::SampledImage { image } = cx.value_type(inst.id(0))? else {
        return Err(format!("{} is not a sampled image", inst.id(0)));
    };
    ensure!(cx.result_type(inst)? == image, "the result is not of the sampled image's image type");
    Ok(())
}

/// The type of the texel: the result's, or the second member's of a sparse result.
fn texel_type<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, is_sparse: bool) -> Result<Id, String> {
    let ty = cx.result_type(inst)?;
    if !is_sparse {
        return Ok(ty);
    }
    match cx.ty(ty) {
        Type::Struct { members } if members.len() == 2 => {
            let is_code = matches!(cx.ty(members.at(0)), Type::Int { .. });
            if is_code { Ok(members.at(1)) } else { Err("the residency code is not an integer".to_owned()) }
        }
        _ => Err("the result is not a structure of residency code and texel".to_owned()),
    }
}

fn texel<'m>(cx: &Context<'_, 'm>, ty: Id, image: &ImageType, is_scalar: bool) -> Verdict {
    let Some(shape) = cx.shape(ty) else { return Err(format!("{ty} is not the type of a texel")) };
    ensure!(shape.is_scalar() == is_scalar, "the texel has the wrong count of components");
    ensure!(is_scalar || shape.count() == 4, "the texel has not four components");
    texel_component(cx, shape, image)
}

fn texel_component<'m>(cx: &Context<'_, 'm>, shape: Shape<'m>, image: &ImageType) -> Verdict {
    let sampled = cx.ty(image.sampled_type);
    let is_same = shape.component == sampled || sampled == Type::Void;
    // RelaxedPrecision and 16-bit operations do not change this: the component is the sampled type.
    ensure!(is_same, "the texel's components are not of the image's sampled type");
    Ok(())
}

fn coordinate<'m>(cx: &Context<'_, 'm>, value: Id, image: &ImageType, extra: u32, is_float: bool) -> Verdict {
    let shape = cx.value_shape(value)?;
    let is_number = if is_float { shape.is_float() } else { shape.is_int() };
    ensure!(is_number, "the coordinate is of the wrong kind of numbers");
    let count = if is_float { sample_coordinate_count(image) } else { texel_coordinate_count(image) };
    let needed = count + extra;
    ensure!(shape.count() >= needed, "the coordinate has {} components, of {needed}", shape.count());
    Ok(())
}

fn sampling<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, sample: Sample) -> Verdict {
    let image = sampled_image_of(cx, inst.id(0))?;
    let texel_ty = texel_type(cx, inst, sample.is_sparse)?;
    texel(cx, texel_ty, &image, sample.is_dref)?;
    ensure!(!image.multisampled, "a multisampled image cannot be sampled");
    ensure!(image.dim != Dim::DimBuffer, "a buffer cannot be sampled");
    if sample.is_proj {
        ensure!(
            !image.arrayed && image.dim != Dim::DimCube,
            "arrays and cubes have no projective coordinate"
        );
    }
    let takes_ints = cx.has_capability(Capability::Kernel);
    coordinate(cx, inst.id(1), &image, u32::from(sample.is_proj), !takes_ints)?;
    let mut position = 2;
    if sample.is_dref {
        let reference = cx.value_type(inst.id(2))?;
        ensure!(matches!(reference, Type::Float { width: 32, .. }), "the reference is not a 32-bit float");
        position = 3;
    }
    let operands = image_operands(cx, inst, position, &image)?;
    let is_explicit = matches!(
        inst.op(),
        Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
    );
    let has_lod = operands.intersects(ImageOperands::LOD | ImageOperands::GRAD);
    ensure!(is_explicit == has_lod, "the level of detail is explicit exactly when Lod or Grad is there");
    Ok(())
}

fn gather<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, sample: Sample) -> Verdict {
    let image = sampled_image_of(cx, inst.id(0))?;
    let texel_ty = texel_type(cx, inst, sample.is_sparse)?;
    texel(cx, texel_ty, &image, false)?;
    ensure!(!image.multisampled, "a multisampled image cannot be gathered");
    let has_corners = matches!(image.dim, Dim::Dim2D | Dim::DimCube | Dim::DimRect);
    ensure!(has_corners, "only 2D, cube and rectangle images can be gathered");
    coordinate(cx, inst.id(1), &image, 0, true)?;
    if sample.is_dref {
        let reference = cx.value_type(inst.id(2))?;
        ensure!(matches!(reference, Type::Float { width: 32, .. }), "the reference is not a 32-bit float");
    } else {
        ensure!(cx.int_scalar(inst.id(2))? == 32, "the component is not a 32-bit integer");
        let component = cx.constants.unsigned(inst.id(2));
        ensure!(component.is_none_or(|component| component <= 3), "the component is not 0 to 3");
    }
    let operands = image_operands(cx, inst, 3, &image)?;
    let levels = operands & (ImageOperands::BIAS | ImageOperands::LOD);
    ensure!(levels.bits().count_ones() < 2, "Bias and Lod are both there");
    ensure!(
        levels.is_empty() || cx.module.has_capability(Capability::ImageGatherBiasLodAMD),
        "a gather has a level of detail without ImageGatherBiasLodAMD"
    );
    ensure!(!operands.contains(ImageOperands::GRAD), "a gather has derivatives");
    Ok(())
}

/// `OpImageGatherQCOM`
pub(super) fn gather_pattern<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let image = sampled_image_of(cx, inst.id(0))?;
    let texel_ty = texel_type(cx, inst, false)?;
    texel(cx, texel_ty, &image, false)?;
    ensure!(!image.multisampled, "a multisampled image cannot be gathered");
    let is_flat = matches!(image.dim, Dim::Dim2D | Dim::DimRect);
    ensure!(is_flat, "only 2D and rectangle images can be gathered by a mode");
    coordinate(cx, inst.id(1), &image, 0, true)?;
    for (number, what) in [(2, "component"), (3, "mode")] {
        ensure!(cx.int_scalar(inst.id(number))? == 32, "the {what} is not a 32-bit integer");
        ensure!(
            cx.constants.unsigned(inst.id(number)).is_none_or(|value| value <= 3),
            "the {what} is not 0 to 3"
        );
    }
    ensure!(cx.is_constant(inst.id(3)), "the mode is not a constant");
    let needed = match cx.constants.unsigned(inst.id(3)) {
        Some(0) => "ImageGatherLinearQCOM",
        _ => "ImageGatherExtendedModesQCOM",
    };
    let value = grammar::enumerant_value(OperandKind::Capability, needed);
    let is_declared = value.is_none_or(|value| cx.module.has_capability_value(value));
    ensure!(is_declared, "the mode needs the capability {needed}");
    let operands = image_operands(cx, inst, 4, &image)?;
    let allowed = ImageOperands::CONST_OFFSET | ImageOperands::OFFSET;
    ensure!(allowed.contains(operands), "a gather by a mode has other image operands than an offset");
    Ok(())
}

/// `OpImageSampleFootprintNV` (`SPV_NV_shader_image_footprint`)
fn footprint<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let image = sampled_image_of(cx, inst.id(0))?;
    let has_footprint = matches!(image.dim, Dim::Dim2D | Dim::Dim3D) && !image.arrayed && !image.multisampled;
    ensure!(has_footprint, "the image of a footprint is not 2D or 3D, or it is arrayed or multisampled");
    coordinate(cx, inst.id(1), &image, 0, true)?;
    ensure!(cx.int_scalar(inst.id(2))? == 32, "the granularity is not a 32-bit integer");
    let granularity = cx.constants.unsigned(inst.id(2));
    let is_known = granularity.is_none_or(|granularity| match image.dim {
        Dim::Dim2D => matches!(granularity, 1..=7 | 11..=15),
        _ => matches!(granularity, 1 | 3 | 10..=14),
    });
    ensure!(is_known, "the image has no granularity {}", granularity.unwrap_or(0));
    ensure!(cx.value_type(inst.id(3))? == Type::Bool, "Coarse is not a boolean");
    ensure!(cx.is_constant(inst.id(3)), "Coarse is not a constant");
    footprint_members(cx, inst)?;
    use ImageOperands as I;
    let operands = image_operands(cx, inst, 4, &image)?;
    let is_allowed = match operands.difference(I::MIN_LOD) {
        levels if levels.is_empty() || levels == I::BIAS => true,
        I::LOD => !operands.contains(I::MIN_LOD),
        I::GRAD => image.dim == Dim::Dim2D,
        _ => false,
    };
    ensure!(is_allowed, "a footprint of this image does not have these image operands");
    Ok(())
}

/// The result's members: whether there is one level only, anchor, offset, mask, level, granularity.
fn footprint_members<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let Type::Struct { members } = cx.ty(cx.result_type(inst)?) else {
        return Err("a footprint is not a structure".to_owned());
    };
    ensure!(members.len() == 6, "a footprint has not six members");
    ensure!(cx.ty(members.at(0)) == Type::Bool, "member 0 of a footprint is not a boolean");
    let count = cx.value_shape(inst.id(1))?.count();
    for (number, components) in [(1, count), (2, count), (3, 2), (4, 1), (5, 1)] {
        let is_unsigned = cx.shape(members.at(number)).is_some_and(|shape| {
            matches!(shape.component, Type::Int { signed: false, .. }) && shape.count() == components
        });
        ensure!(is_unsigned, "member {number} of a footprint has not {components} unsigned integers");
    }
    Ok(())
}

fn fetch<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, is_sparse: bool) -> Verdict {
    let image = image_of(cx, inst.id(0))?;
    let texel_ty = texel_type(cx, inst, is_sparse)?;
    texel(cx, texel_ty, &image, false)?;
    ensure!(
        image.dim != Dim::DimCube && image.dim != Dim::DimSubpassData,
        "the image cannot be fetched from"
    );
    ensure!(image.sampled != 2, "a storage image cannot be fetched from");
    coordinate(cx, inst.id(1), &image, 0, false)?;
    let operands = image_operands(cx, inst, 2, &image)?;
    let has_sample = operands.contains(ImageOperands::SAMPLE);
    ensure!(has_sample == image.multisampled, "Sample is there exactly for multisampled images");
    Ok(())
}

fn read<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, is_sparse: bool) -> Verdict {
    let image = image_of(cx, inst.id(0))?;
    let ty = texel_type(cx, inst, is_sparse)?;
    let Some(shape) = cx.shape(ty) else { return Err("the result is not a texel".to_owned()) };
    texel_component(cx, shape, &image)?;
    ensure!((1..=4).contains(&shape.count()), "the texel has not one to four components");
    ensure!(image.sampled != 1, "an image for sampling cannot be read");
    coordinate(cx, inst.id(1), &image, 0, false)?;
    let operands = image_operands(cx, inst, 2, &image)?;
    let has_sample = operands.contains(ImageOperands::SAMPLE);
    ensure!(has_sample == image.multisampled, "Sample is there exactly for multisampled images");
    storage_level(cx, &image, operands)
}

/// The operand `Lod` of reads and writes (`SPV_AMD_shader_image_load_store_lod`).
fn storage_level(cx: &Context<'_, '_>, image: &ImageType, operands: ImageOperands) -> Verdict {
    if operands.contains(ImageOperands::LOD) {
        let is_declared = cx.module.has_capability(Capability::ImageReadWriteLodAMD);
        ensure!(is_declared, "Lod needs the capability ImageReadWriteLodAMD");
        let has_levels = !image.multisampled && !matches!(image.dim, Dim::DimBuffer | Dim::DimSubpassData);
        ensure!(has_levels, "the image has no levels");
    }
    Ok(())
}

/// `OpFragmentMaskFetchAMD`
fn fragment_mask<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let is_word = matches!(cx.ty(cx.result_type(inst)?), Type::Int { width: 32, .. });
    ensure!(is_word, "the mask is not a 32-bit integer");
    fragments_of(cx, inst).map(|_| ())
}

/// `OpFragmentFetchAMD`
fn fragment<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let image = fragments_of(cx, inst)?;
    let Some(shape) = cx.shape(cx.result_type(inst)?) else {
        return Err("the result is not a texel".to_owned());
    };
    texel_component(cx, shape, &image)?;
    ensure!((1..=4).contains(&shape.count()), "the texel has not one to four components");
    ensure!(cx.int_scalar(inst.id(2))? == 32, "the fragment's number is not a 32-bit integer");
    Ok(())
}

/// The image whose fragments are read, at the coordinate behind it.
fn fragments_of<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Result<ImageType, String> {
    let image = image_of(cx, inst.id(0))?;
    if !image.multisampled || !matches!(image.dim, Dim::Dim2D | Dim::DimSubpassData) {
        return Err("the image is neither a 2D image nor subpass data with several samples".to_owned());
    }
    if image.sampled == 2 && image.dim != Dim::DimSubpassData {
        return Err("fragments of a storage image".to_owned());
    }
    coordinate(cx, inst.id(1), &image, 0, false)?;
    Ok(image)
}

fn write<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let image = image_of(cx, inst.id(0))?;
    ensure!(image.sampled != 1, "an image for sampling cannot be written");
    ensure!(image.dim != Dim::DimSubpassData, "subpass data cannot be written");
    coordinate(cx, inst.id(1), &image, 0, false)?;
    // Components beyond those of the format are not used, so there may be more than four.
    let texel = cx.value_shape(inst.id(2))?;
    texel_component(cx, texel, &image)?;
    ensure!(texel.count() >= 1, "the texel has no components");
    let operands = image_operands(cx, inst, 3, &image)?;
    let has_sample = operands.contains(ImageOperands::SAMPLE);
    ensure!(has_sample == image.multisampled, "Sample is there exactly for multisampled images");
    storage_level(cx, &image, operands)
}

fn query_size<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, has_lod: bool) -> Verdict {
    let image = image_of(cx, inst.id(0))?;
    let result = cx.result_shape(inst)?;
    // A cube has a width and a height.
    let dimensions = if image.dim == Dim::DimCube { 2 } else { dimensions(image.dim) };
    let count = dimensions + u32::from(image.arrayed);
    ensure!(result.is_int() && result.count() == count, "the result has not {count} integers");
    if has_lod {
        ensure!(!image.multisampled && image.dim != Dim::DimBuffer, "the image has no levels");
        cx.int_scalar(inst.id(1))?;
    }
    Ok(())
}

fn query_lod<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let image = sampled_image_of(cx, inst.id(0))?;
    let result = cx.result_shape(inst)?;
    ensure!(result.is_float() && result.count() == 2, "the result is not a vector of two floats");
    let shape = cx.value_shape(inst.id(1))?;
    let needed = dimensions(image.dim);
    ensure!(shape.is_float() && shape.count() >= needed, "the coordinate needs {needed} floats");
    Ok(())
}

fn query_count<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    image_of(cx, inst.id(0))?;
    let result = cx.result_shape(inst)?;
    ensure!(result.is_int() && result.is_scalar(), "the result is not an integer");
    Ok(())
}

fn resident<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    ensure!(cx.ty(cx.result_type(inst)?) == Type::Bool, "the result is not a boolean");
    cx.int_scalar(inst.id(0)).map(|_| ())
}

/// The mask of optional operands, whose own operands are of the right types.
fn image_operands<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    position: usize,
    image: &ImageType,
) -> Result<ImageOperands, String> {
    let mask = ImageOperands::from_bits_retain(inst.get_word(position).unwrap_or(0));
    let mut next = position + 1;
    let mut take = || {
        next += 1;
        inst.get_id(next - 1).ok_or_else(|| "an image operand is missing".to_owned())
    };
    let check = |condition: bool, message: &str| if condition { Ok(()) } else { Err(message.to_owned()) };
    let float_scalar = |value: Id| -> Verdict {
        check(matches!(cx.value_type(value)?, Type::Float { .. }), "an image operand is not a float scalar")
    };
    let plain = dimensions(image.dim);
    let numbers = |value: Id, is_float: bool, count: u32| -> Verdict {
        let shape = cx.value_shape(value)?;
        let is_number = if is_float { shape.is_float() } else { shape.is_int() };
        check(is_number && shape.count() == count, "an image operand has the wrong type")
    };
    if mask.contains(ImageOperands::BIAS) {
        float_scalar(take()?)?;
    }
    if mask.contains(ImageOperands::LOD) {
        let lod = cx.value_type(take()?)?;
        let is_level = matches!(
            inst.op(),
            Op::ImageFetch | Op::ImageSparseFetch | Op::ImageRead | Op::ImageSparseRead | Op::ImageWrite
        );
        let is_number = matches!(lod, Type::Int { .. }) || matches!(lod, Type::Float { .. } if !is_level);
        check(is_number, "the level of detail is not a number, or not an integer for a texel")?;
    }
    if mask.contains(ImageOperands::GRAD) {
        numbers(take()?, true, plain)?;
        numbers(take()?, true, plain)?;
    }
    if mask.contains(ImageOperands::CONST_OFFSET) {
        let offset = take()?;
        check(cx.is_constant(offset), "ConstOffset is not a constant")?;
        numbers(offset, false, plain)?;
    }
    if mask.contains(ImageOperands::OFFSET) {
        numbers(take()?, false, plain)?;
    }
    if mask.contains(ImageOperands::CONST_OFFSETS) {
        let offsets = take()?;
        check(cx.is_constant(offsets), "ConstOffsets is not a constant")?;
        check(is_four_offsets(cx, offsets)?, "ConstOffsets is not an array of four vectors of two integers")?;
    }
    if mask.contains(ImageOperands::SAMPLE) {
        cx.int_scalar(take()?)?;
    }
    if mask.contains(ImageOperands::MIN_LOD) {
        float_scalar(take()?)?;
    }
    if mask.contains(ImageOperands::MAKE_TEXEL_AVAILABLE) {
        super::memory::scope(cx, take()?)?;
    }
    if mask.contains(ImageOperands::MAKE_TEXEL_VISIBLE) {
        super::memory::scope(cx, take()?)?;
    }
    if mask.contains(ImageOperands::OFFSETS) {
        check(is_four_offsets(cx, take()?)?, "Offsets is not an array of four vectors of two integers")?;
    }
    Ok(mask)
}

fn is_four_offsets(cx: &Context<'_, '_>, value: Id) -> Result<bool, String> {
    let ty = cx.type_of(value)?;
    let Type::Array { element, .. } = cx.ty(ty) else { return Ok(false) };
    let is_pair = cx.shape(element).is_some_and(|shape| shape.is_int() && shape.count() == 2);
    Ok(is_pair && cx.constants.array_len(ty) == Some(4))
}
