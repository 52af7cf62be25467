//! Rules on indices into arrays of resources: without a capability, they are constant.

use super::instruction::base;
use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{Capability, Decoration, Dim, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Instruction, Type};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-StandaloneSpirv-UniformBufferArrayDynamicIndexing-10127", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::UniformBuffer, Capability::UniformBufferArrayDynamicIndexing)
    }),
    ("VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::SampledImage, Capability::SampledImageArrayDynamicIndexing)
    }),
    ("VUID-StandaloneSpirv-StorageBufferArrayDynamicIndexing-10129", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::StorageBuffer, Capability::StorageBufferArrayDynamicIndexing)
    }),
    ("VUID-StandaloneSpirv-StorageImageArrayDynamicIndexing-10130", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::StorageImage, Capability::StorageImageArrayDynamicIndexing)
    }),
    ("VUID-StandaloneSpirv-InputAttachmentArrayDynamicIndexing-10131", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::InputAttachment, Capability::InputAttachmentArrayDynamicIndexing)
    }),
    ("VUID-StandaloneSpirv-UniformTexelBufferArrayDynamicIndexing-10132", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::UniformTexelBuffer, Capability::UniformTexelBufferArrayDynamicIndexing)
    }),
    ("VUID-StandaloneSpirv-StorageTexelBufferArrayDynamicIndexing-10133", is_access_chain, |cx, inst| {
        constant(cx, inst, Kind::StorageTexelBuffer, Capability::StorageTexelBufferArrayDynamicIndexing)
    }),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    UniformBuffer,
    SampledImage,
    StorageBuffer,
    StorageImage,
    InputAttachment,
    UniformTexelBuffer,
    StorageTexelBuffer,
}

/// What an array of descriptors holds; none for what is not an array of them.
fn kind(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Option<Kind> {
    let (Type::Array { element, .. } | Type::RuntimeArray { element }) = cx.ty(variable.value_type?) else {
        return None;
    };
    let of_image = |image: pyro_spirv::ImageType| match (image.dim, image.sampled) {
        (Dim::DimSubpassData, _) => Kind::InputAttachment,
        (Dim::DimBuffer, 2) => Kind::StorageTexelBuffer,
        (Dim::DimBuffer, _) => Kind::UniformTexelBuffer,
        (_, 2) => Kind::StorageImage,
        _ => Kind::SampledImage,
    };
    match (variable.class, cx.ty(element)) {
        (StorageClass::StorageBuffer, Type::Struct { .. }) => Some(Kind::StorageBuffer),
        (StorageClass::Uniform, Type::Struct { .. }) => {
            let is_storage = cx.module.has_decoration(element, Decoration::BufferBlock);
            Some(if is_storage { Kind::StorageBuffer } else { Kind::UniformBuffer })
        }
        (StorageClass::UniformConstant, Type::Sampler) => Some(Kind::SampledImage),
        (StorageClass::UniformConstant, Type::Image(image)) => Some(of_image(image)),
        (StorageClass::UniformConstant, Type::SampledImage { image }) => match cx.ty(image) {
            Type::Image(image) => Some(of_image(image)),
            _ => None,
        },
        _ => None,
    }
}

/// Capabilities that allow indices which are not even uniform, so dynamic ones too.
fn non_uniform(kind: Kind) -> Capability {
    match kind {
        Kind::UniformBuffer => Capability::UniformBufferArrayNonUniformIndexing,
        Kind::SampledImage => Capability::SampledImageArrayNonUniformIndexing,
        Kind::StorageBuffer => Capability::StorageBufferArrayNonUniformIndexing,
        Kind::StorageImage => Capability::StorageImageArrayNonUniformIndexing,
        Kind::InputAttachment => Capability::InputAttachmentArrayNonUniformIndexing,
        Kind::UniformTexelBuffer => Capability::UniformTexelBufferArrayNonUniformIndexing,
        Kind::StorageTexelBuffer => Capability::StorageTexelBufferArrayNonUniformIndexing,
    }
}

fn constant(cx: &Context<'_, '_>, inst: Instruction<'_>, wanted: Kind, capability: Capability) -> Verdict {
    if cx.has_capability(capability) || cx.has_capability(non_uniform(wanted)) {
        return Ok(());
    }
    // Only the chain that begins at the variable names the descriptor.
    let variable = cx.module.global(inst.id(0)).or_else(|| {
        let copied = cx.op_of(inst.id(0)) == Op::CopyObject;
        if copied { base(cx, inst.id(0)) } else { None }
    });
    let Some(variable) = variable.filter(|variable| kind(cx, variable) == Some(wanted)) else {
        return Ok(());
    };
    let is_constant = inst.get_id(1).is_none_or(|index| cx.is_constant(index));
    ensure!(
        is_constant,
        "{} is indexed with an index that is not a constant, which needs {capability:?}",
        variable.id
    );
    Ok(())
}
