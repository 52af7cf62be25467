//! Rules on image instructions.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::spirv::{ImageFormat, ImageOperands, Op};
use pyro_spirv::{Id, ImageType, Instruction, Type, Value};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-RuntimeSpirv-OpImage-06376", is_gather, |cx, inst| least(cx, inst, "minTexelGatherOffset")),
    ("VUID-RuntimeSpirv-OpImage-06377", is_gather, |cx, inst| greatest(cx, inst, "maxTexelGatherOffset")),
    ("VUID-RuntimeSpirv-OpImageSample-06435", is_sample_or_fetch, |cx, inst| {
        least(cx, inst, "minTexelOffset")
    }),
    ("VUID-RuntimeSpirv-OpImageSample-06436", is_sample_or_fetch, |cx, inst| {
        greatest(cx, inst, "maxTexelOffset")
    }),
    (
        "VUID-RuntimeSpirv-Offset-10213",
        |op| is_sample_or_fetch(op) || op == Op::ImageRead || op == Op::ImageWrite,
        dynamic_offset,
    ),
    ("VUID-RuntimeSpirv-OpImageWrite-07112", |op| op == Op::ImageWrite, texel_components),
];

fn name(op: Op) -> &'static str {
    pyro_spirv::grammar::table().get(op).name
}

fn is_gather(op: Op) -> bool {
    name(op).starts_with("Image") && name(op).contains("Gather") && !name(op).contains("QCOM")
}

fn is_sample_or_fetch(op: Op) -> bool {
    let name = name(op);
    (name.starts_with("ImageSample") || name.starts_with("ImageSparseSample") || name.contains("Fetch"))
        && name.starts_with("Image")
        && !name.contains("QCOM")
        && !name.contains("Footprint")
}

pub(crate) fn has_image_operands(op: Op) -> bool {
    is_gather(op)
        || is_sample_or_fetch(op)
        || matches!(op, Op::ImageRead | Op::ImageWrite | Op::ImageSparseRead)
}

/// Where the mask of image operands stands.
fn mask_position(inst: Instruction<'_>) -> usize {
    match inst.op() {
        Op::ImageGather if inst.newer().is_some() => 4,
        Op::ImageWrite => 3,
        Op::ImageFetch | Op::ImageSparseFetch | Op::ImageRead | Op::ImageSparseRead => 2,
        op if is_gather(op) || name(op).contains("Dref") => 3,
        _ => 2,
    }
}

pub(crate) fn mask(inst: Instruction<'_>) -> ImageOperands {
    ImageOperands::from_bits_retain(inst.get_word(mask_position(inst)).unwrap_or(0))
}

/// The id of an operand that the mask names; those before it take one id each, but gradients two.
fn operand(inst: Instruction<'_>, wanted: ImageOperands) -> Option<Id> {
    let mask = mask(inst);
    if !mask.contains(wanted) {
        return None;
    }
    let before = ImageOperands::from_bits_retain(mask.bits() & (wanted.bits() - 1));
    let extra = u32::from(before.contains(ImageOperands::GRAD));
    // Flags that take no operand of their own.
    let bare = ImageOperands::NON_PRIVATE_TEXEL
        | ImageOperands::VOLATILE_TEXEL
        | ImageOperands::SIGN_EXTEND
        | ImageOperands::ZERO_EXTEND
        | ImageOperands::NONTEMPORAL;
    let count = before.difference(bare).bits().count_ones() + extra;
    inst.get_id(mask_position(inst) + 1 + count as usize)
}

/// The constant numbers of the offsets.
fn offsets(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Vec<i64> {
    let kinds = [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET, ImageOperands::CONST_OFFSETS];
    let mut found = Vec::new();
    for id in kinds.into_iter().filter_map(|kind| operand(inst, kind)) {
        let Some(value) = cx.constants.get(id) else { continue };
        // At most four pairs of numbers.
        flatten(cx, value, 2, &mut found);
    }
    found
}

fn flatten(cx: &Context<'_, '_>, value: Value, depth: u32, into: &mut Vec<i64>) {
    if let Some(bits) = cx.constants.scalar_of(value) {
        into.push(i64::from(bits as u32 as i32));
    } else if depth != 0 {
        let parts = (0..4).map_while(|index| cx.constants.element(value, index));
        parts.for_each(|part| flatten(cx, part, depth - 1, into));
    }
}

fn least(cx: &Context<'_, '_>, inst: Instruction<'_>, limit: &str) -> Verdict {
    let Some(bound) = cx.property(limit) else { return Ok(()) };
    for offset in offsets(cx, inst) {
        ensure!(offset >= bound, "the offset {offset} is below {limit}, which is {bound}");
    }
    Ok(())
}

fn greatest(cx: &Context<'_, '_>, inst: Instruction<'_>, limit: &str) -> Verdict {
    let Some(bound) = cx.property(limit) else { return Ok(()) };
    for offset in offsets(cx, inst) {
        ensure!(offset <= bound, "the offset {offset} is above {limit}, which is {bound}");
    }
    Ok(())
}

fn dynamic_offset(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let has = mask(inst).contains(ImageOperands::OFFSET);
    let is_allowed = cx.environment.device.is_some() && !cx.lacks("maintenance8");
    ensure!(!has || is_allowed, "Offset is for gathers only without maintenance8");
    Ok(())
}

pub(crate) fn image_of(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<ImageType> {
    let ty = cx.module.type_of(inst.get_id(0)?)?;
    match cx.ty(ty) {
        Type::Image(image) => Some(image),
        Type::SampledImage { image } => match cx.ty(image) {
            Type::Image(image) => Some(image),
            _ => None,
        },
        _ => None,
    }
}

/// Components of a format; none when it is not known.
fn components(format: ImageFormat) -> Option<u32> {
    if format == ImageFormat::Unknown {
        return None;
    }
    let name = format!("{format:?}");
    let letters = name.chars().take_while(|c| c.is_ascii_alphabetic()).count() as u32;
    // R11fG11fB10f has digits between its letters.
    Some(if format == ImageFormat::R11fG11fB10f { 3 } else { letters })
}

fn texel_components(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(needed) = image_of(cx, inst).and_then(|image| components(image.format)) else { return Ok(()) };
    let found = cx.value_shape(inst.id(2)).map_or(4, |shape| shape.count());
    ensure!(found >= needed, "the texel has {found} components, the format {needed}");
    Ok(())
}
