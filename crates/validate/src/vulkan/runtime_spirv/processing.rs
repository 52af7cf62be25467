//! Rules on image processing (`VK_QCOM_image_processing`) and on images that are tile attachments
//! (`VK_QCOM_tile_shading`).

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use crate::vulkan::standalone_spirv::instruction::base;
use pyro_spirv::spirv::{Decoration, Dim, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, ImageType, Instruction, Type};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-RuntimeSpirv-OpImageSampleWeightedQCOM-06980", is_weighted, |cx, inst| {
        image_shape(cx, inst, &[2], true)
    }),
    ("VUID-RuntimeSpirv-OpImageSampleWeightedQCOM-06981", is_weighted, |cx, inst| {
        decorated(cx, inst, &[2], Decoration::WeightTextureQCOM)
    }),
    ("VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06983", is_block_match, |cx, inst| {
        image_shape(cx, inst, &[0, 2], false)
    }),
    ("VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06984", is_block_match, |cx, inst| {
        decorated(cx, inst, &[0, 2], Decoration::BlockMatchTextureQCOM)
    }),
    ("VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06988", is_block_match, block_size),
    ("VUID-RuntimeSpirv-OpImageBlockMatchWindow-09220", is_window_match, |cx, inst| {
        image_shape(cx, inst, &[0, 2], false)
    }),
    ("VUID-RuntimeSpirv-OpImageBlockMatchWindow-09221", is_window_match, |cx, inst| {
        decorated(cx, inst, &[0, 2], Decoration::BlockMatchTextureQCOM)
    }),
    ("VUID-RuntimeSpirv-maxBlockMatchRegion-09225", is_window_match, block_size),
    ("VUID-RuntimeSpirv-OpImageBoxFilterQCOM-06989", |op| op == Op::ImageBoxFilterQCOM, box_height),
    (
        "VUID-RuntimeSpirv-OpImage-10706",
        |op| matches!(op, Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT),
        tile_atomic,
    ),
    ("VUID-RuntimeSpirv-tileShadingImageProcessing-10712", is_processing, tile_processing),
];

fn name(op: Op) -> &'static str {
    pyro_spirv::grammar::table().get(op).name
}

fn is_weighted(op: Op) -> bool {
    op == Op::ImageSampleWeightedQCOM
}

fn is_block_match(op: Op) -> bool {
    matches!(op, Op::ImageBlockMatchSSDQCOM | Op::ImageBlockMatchSADQCOM)
}

fn is_window_match(op: Op) -> bool {
    name(op).starts_with("ImageBlockMatchWindow") || name(op).starts_with("ImageBlockMatchGather")
}

fn is_processing(op: Op) -> bool {
    is_weighted(op) || op == Op::ImageBoxFilterQCOM || name(op).starts_with("ImageBlockMatch")
}

/// The variable that an image, or the image of a sampled image, is loaded from or points into.
fn variable<'m>(cx: &Context<'_, 'm>, value: Id) -> Option<GlobalVariable<'m>> {
    let mut value = value;
    loop {
        let inst = cx.module.definition(value)?;
        let next = match inst.op() {
            Op::SampledImage | Op::Image | Op::CopyObject => inst.id(0),
            Op::Load => return base(cx, inst.id(0)),
            _ => return base(cx, value),
        };
        // In code that nothing reaches, a value may be made of itself.
        if cx.module.definition_index(next)? >= inst.index() {
            return None;
        }
        value = next;
    }
}

fn image_type(cx: &Context<'_, '_>, value: Id) -> Option<ImageType> {
    let ty = cx.module.type_of(value)?;
    let image = match cx.ty(ty) {
        Type::SampledImage { image } => image,
        _ => ty,
    };
    match cx.ty(image) {
        Type::Image(image) => Some(image),
        _ => None,
    }
}

fn image_shape(cx: &Context<'_, '_>, inst: Instruction<'_>, places: &[usize], arrayed: bool) -> Verdict {
    for &place in places {
        let image = inst.id(place);
        let class = variable(cx, image).map(|found| found.class);
        ensure!(
            class.is_none_or(|class| class == StorageClass::UniformConstant),
            "{image} lies in {class:?} memory"
        );
        let is_fine = image_type(cx, image).is_none_or(|found| {
            let is_plain = found.depth == 0 && !found.multisampled && found.sampled == 1;
            found.dim == Dim::Dim2D && found.arrayed == arrayed && is_plain
        });
        ensure!(
            is_fine,
            "{image} is not a two-dimensional{} sampled image of colour",
            if arrayed { ", arrayed" } else { "" }
        );
    }
    Ok(())
}

fn decorated(cx: &Context<'_, '_>, inst: Instruction<'_>, places: &[usize], wanted: Decoration) -> Verdict {
    for &place in places {
        let found = variable(cx, inst.id(place));
        let is_decorated = found.is_none_or(|found| cx.module.has_decoration(found.id, wanted));
        ensure!(is_decorated, "{} is not decorated {wanted:?}", inst.id(place));
    }
    Ok(())
}

/// A component of a constant vector, as bits.
fn component(cx: &Context<'_, '_>, vector: Id, index: u64) -> Option<u32> {
    let value = cx.constants.get(vector)?;
    Some(cx.constants.scalar_of(cx.constants.element(value, index)?)? as u32)
}

fn block_size(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    for (index, limit) in [(0, "maxBlockMatchRegion.width"), (1, "maxBlockMatchRegion.height")] {
        let size = component(cx, inst.id(4), index).unwrap_or(0);
        cx.at_most("a side of the block", size.into(), limit)?;
    }
    Ok(())
}

fn box_height(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(height) = component(cx, inst.id(2), 1).map(f32::from_bits) else { return Ok(()) };
    let is_low = height < 1.0;
    ensure!(!is_low, "the box is {height} high, which is less than 1");
    let limit = cx.property("maxBoxFilterBlockSize.height");
    let is_fine = limit.is_none_or(|limit| f64::from(height) <= limit as f64);
    ensure!(is_fine, "the box is {height} high, which is more than maxBoxFilterBlockSize.height");
    Ok(())
}

fn tile_atomic(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    // The untyped instruction has the image's type first.
    let image = inst.id(usize::from(inst.op() == Op::UntypedImageTexelPointerEXT));
    let is_tile = base(cx, image).is_some_and(|found| found.class == StorageClass::TileAttachmentQCOM);
    ensure!(
        !is_tile || !cx.lacks("tileShadingAtomicOps"),
        "atomics on a tile attachment need the feature tileShadingAtomicOps"
    );
    Ok(())
}

fn tile_processing(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_tile = inst.id_operands().any(|id| {
        image_type(cx, id).is_some()
            && variable(cx, id).is_some_and(|found| found.class == StorageClass::TileAttachmentQCOM)
    });
    ensure!(
        !is_tile || !cx.lacks("tileShadingImageProcessing"),
        "image processing of a tile attachment needs the feature tileShadingImageProcessing"
    );
    Ok(())
}
