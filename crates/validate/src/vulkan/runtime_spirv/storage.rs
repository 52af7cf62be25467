//! Rules on variables at module scope: what their types contain, how they are decorated.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::variable::Rule;
use pyro_spirv::spirv::{Capability, Decoration, Dim, ImageFormat, StorageClass};
use pyro_spirv::{GlobalVariable, Id, ImageType, Type};
use std::collections::HashSet;

/// The rules, by VUID.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-apiVersion-07954", image_written_without_format),
    ("VUID-RuntimeSpirv-apiVersion-07955", image_read_without_format),
    ("VUID-RuntimeSpirv-None-09558", subpass_index),
    ("VUID-RuntimeSpirv-OpTypeImage-09644", subpass_array_index),
    ("VUID-RuntimeSpirv-storageBuffer8BitAccess-06328", |cx, v| {
        narrow(cx, v, STORAGE, 8, &["storageBuffer8BitAccess"])
    }),
    ("VUID-RuntimeSpirv-uniformAndStorageBuffer8BitAccess-06329", |cx, v| {
        narrow(cx, v, &[StorageClass::Uniform], 8, &["uniformAndStorageBuffer8BitAccess"])
    }),
    ("VUID-RuntimeSpirv-storagePushConstant8-06330", |cx, v| {
        narrow(cx, v, &[StorageClass::PushConstant], 8, &["storagePushConstant8"])
    }),
    ("VUID-RuntimeSpirv-workgroupMemoryExplicitLayout8BitAccess-10756", |cx, v| {
        narrow_block(cx, v, 8, &["workgroupMemoryExplicitLayout8BitAccess"])
    }),
    ("VUID-RuntimeSpirv-storageBuffer16BitAccess-11161", |cx, v| {
        narrow(cx, v, STORAGE, 16, &["storageBuffer16BitAccess", "storageBuffer8BitAccess"])
    }),
    ("VUID-RuntimeSpirv-uniformAndStorageBuffer16BitAccess-06332", |cx, v| {
        let features = ["uniformAndStorageBuffer16BitAccess", "uniformAndStorageBuffer8BitAccess"];
        narrow(cx, v, &[StorageClass::Uniform], 16, &features)
    }),
    ("VUID-RuntimeSpirv-storagePushConstant16-06333", |cx, v| {
        narrow(cx, v, &[StorageClass::PushConstant], 16, &["storagePushConstant16", "storagePushConstant8"])
    }),
    ("VUID-RuntimeSpirv-storageInputOutput16-11162", |cx, v| {
        narrow(cx, v, &[StorageClass::Input, StorageClass::Output], 16, &["storageInputOutput16"])
    }),
    ("VUID-RuntimeSpirv-workgroupMemoryExplicitLayout16BitAccess-10757", |cx, v| {
        let features =
            ["workgroupMemoryExplicitLayout16BitAccess", "workgroupMemoryExplicitLayout8BitAccess"];
        narrow_block(cx, v, 16, &features)
    }),
    ("VUID-RuntimeSpirv-None-10980", byte_interface),
    ("VUID-RuntimeSpirv-OpVariable-06373", early_workgroup_initializer),
    ("VUID-RuntimeSpirv-shaderZeroInitializeWorkgroupMemory-06372", workgroup_initializer),
    ("VUID-RuntimeSpirv-shaderUniformBufferUnsizedArray-11806", unsized_uniform),
    ("VUID-RuntimeSpirv-Stream-06312", |cx, v| {
        below(cx, v, Decoration::Stream, "maxTransformFeedbackStreams")
    }),
    ("VUID-RuntimeSpirv-XfbStride-06313", transform_feedback_stride),
    ("VUID-RuntimeSpirv-Offset-06308", transform_feedback_end),
];

const STORAGE: &[StorageClass] = &[StorageClass::StorageBuffer, StorageClass::ShaderRecordBufferKHR];

fn image(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Option<ImageType> {
    match cx.ty(cx.module.strip_arrays(variable.value_type?)) {
        Type::Image(image) => Some(image),
        _ => None,
    }
}

/// Devices before Vulkan 1.3 that do not know formats' capabilities one by one need the feature.
fn needs_format_feature(cx: &Context<'_, '_>) -> bool {
    cx.environment.device.as_ref().is_some_and(|device| {
        device.api_version < (1, 3)
            && device.names_extensions()
            && !device.has_extension("VK_KHR_format_feature_flags2")
    })
}

fn without_format(
    cx: &Context<'_, '_>,
    variable: &GlobalVariable<'_>,
    decoration: Decoration,
    feature: &str,
) -> Verdict {
    let is_unknown = image(cx, variable).is_some_and(|image| {
        image.sampled == 2 && image.format == ImageFormat::Unknown && image.dim != Dim::DimSubpassData
    });
    let is_decorated = cx.module.has_decoration(variable.id, decoration);
    ensure!(
        !is_unknown || is_decorated || !needs_format_feature(cx) || !cx.lacks(feature),
        "a storage image without a format is not {decoration:?}, and {feature} is off"
    );
    Ok(())
}

fn image_written_without_format(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    without_format(cx, variable, Decoration::NonWritable, "shaderStorageImageWriteWithoutFormat")
}

fn image_read_without_format(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    without_format(cx, variable, Decoration::NonReadable, "shaderStorageImageReadWithoutFormat")
}

fn is_subpass(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> bool {
    variable.class == StorageClass::UniformConstant
        && image(cx, variable).is_some_and(|image| image.dim == Dim::DimSubpassData)
}

fn has_index(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> bool {
    cx.module.has_decoration(variable.id, Decoration::InputAttachmentIndex)
}

fn subpass_index(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    // Without dynamic rendering's local reads, which need no index.
    let is_off = cx.environment.device.is_none() || cx.lacks("dynamicRenderingLocalRead");
    ensure!(
        !is_off || !is_subpass(cx, variable) || has_index(cx, variable),
        "subpass data has no InputAttachmentIndex"
    );
    Ok(())
}

fn subpass_array_index(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_array = variable.value_type.is_some_and(|ty| matches!(cx.ty(ty), Type::Array { .. }));
    ensure!(
        !is_array || !is_subpass(cx, variable) || has_index(cx, variable),
        "an array of subpass data has no InputAttachmentIndex"
    );
    Ok(())
}

/// Whether a type contains a number of a width, integer or float; each type is looked at once.
fn contains(cx: &Context<'_, '_>, ty: Id, width: u32) -> bool {
    let (mut seen, mut pending) = (HashSet::new(), vec![ty]);
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match cx.ty(ty) {
            Type::Int { width: found, .. } | Type::Float { width: found, .. } if found == width => {
                return true;
            }
            Type::Vector { component: part, .. }
            | Type::Matrix { column: part, .. }
            | Type::Array { element: part, .. }
            | Type::RuntimeArray { element: part } => pending.push(part),
            Type::Struct { members } => pending.extend(members.iter()),
            _ => {}
        }
    }
    false
}

fn narrow(
    cx: &Context<'_, '_>,
    variable: &GlobalVariable<'_>,
    classes: &[StorageClass],
    width: u32,
    features: &[&str],
) -> Verdict {
    // Untyped pointers may read wider numbers.
    if !classes.contains(&variable.class) || !cx.lacks_all(features) || !cx.lacks("shaderUntypedPointers") {
        return Ok(());
    }
    let contains = variable.value_type.is_some_and(|ty| contains(cx, ty, width));
    ensure!(
        !contains,
        "{:?} memory holds numbers of {width} bits without {}",
        variable.class,
        features.join(" or ")
    );
    Ok(())
}

fn narrow_block(
    cx: &Context<'_, '_>,
    variable: &GlobalVariable<'_>,
    width: u32,
    features: &[&str],
) -> Verdict {
    let is_block = variable
        .value_type
        .is_some_and(|ty| cx.module.has_decoration(cx.module.strip_arrays(ty), Decoration::Block));
    if is_block { narrow(cx, variable, &[StorageClass::Workgroup], width, features) } else { Ok(()) }
}

fn byte_interface(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_interface = matches!(variable.class, StorageClass::Input | StorageClass::Output);
    let has_bytes = is_interface && variable.value_type.is_some_and(|ty| contains(cx, ty, 8));
    ensure!(!has_bytes, "an input or output holds numbers of 8 bits");
    Ok(())
}

fn early_workgroup_initializer(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let is_initialized = variable.class == StorageClass::Workgroup && variable.initializer.is_some();
    let is_early = cx.is_before(1, 3, "VK_KHR_zero_initialize_workgroup_memory");
    ensure!(!is_early || !is_initialized, "workgroup memory has no initializers before Vulkan 1.3");
    Ok(())
}

fn workgroup_initializer(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let has = variable.class == StorageClass::Workgroup && variable.initializer.is_some();
    let feature = "shaderZeroInitializeWorkgroupMemory";
    ensure!(!has || !cx.lacks(feature), "workgroup memory is initialized without {feature}");
    Ok(())
}

fn unsized_uniform(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let feature = "shaderUniformBufferUnsizedArray";
    if variable.class != StorageClass::Uniform || !cx.lacks(feature) {
        return Ok(());
    }
    let Some(ty) = variable.value_type.map(|ty| cx.module.strip_arrays(ty)) else { return Ok(()) };
    let is_block = cx.module.has_decoration(ty, Decoration::Block);
    ensure!(
        !is_block || !cx.facts(ty).has_runtime_array,
        "a uniform block ends in a runtime array without {feature}"
    );
    Ok(())
}

/// The values of a decoration on a variable, its block and the block's members.
fn values(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>, decoration: Decoration) -> Vec<u32> {
    let of_block = variable.value_type.map(|ty| cx.module.strip_arrays(ty));
    let own = cx.module.decorations(variable.id);
    let of_members = of_block.into_iter().flat_map(|ty| cx.module.all_decorations(ty));
    let all = own.chain(of_members).filter(|found| found.kind == decoration);
    all.map(|found| found.literal()).collect()
}

fn below(
    cx: &Context<'_, '_>,
    variable: &GlobalVariable<'_>,
    decoration: Decoration,
    limit: &str,
) -> Verdict {
    let Some(bound) = cx.property(limit) else { return Ok(()) };
    for value in values(cx, variable, decoration) {
        ensure!(i64::from(value) < bound, "{decoration:?} is {value}, {limit} is {bound}");
    }
    Ok(())
}

fn transform_feedback_stride(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    let values = values(cx, variable, Decoration::XfbStride);
    let limit = "maxTransformFeedbackBufferDataStride";
    values.into_iter().try_for_each(|value| cx.at_most("XfbStride", value.into(), limit))
}

fn transform_feedback_end(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Verdict {
    if !cx.has_capability(Capability::TransformFeedback) || variable.class != StorageClass::Output {
        return Ok(());
    }
    for (offset, size) in crate::vulkan::standalone_spirv::transform_feedback::captured(cx, variable)
        .iter()
        .map(|one| one.range())
    {
        let end = u64::from(offset).saturating_add(size);
        cx.at_most("the end of a captured output", end, "maxTransformFeedbackBufferDataSize")?;
    }
    Ok(())
}
