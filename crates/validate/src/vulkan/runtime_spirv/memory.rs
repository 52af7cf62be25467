//! Rules on atomics, scopes, group operations and arithmetic that a device may lack.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{Capability, Op, Scope, StorageClass};
use pyro_spirv::{Id, Instruction, Type};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-RuntimeSpirv-vulkanMemoryModel-06265", has_memory_scope, device_scope),
    ("VUID-RuntimeSpirv-vulkanMemoryModel-06266", has_memory_scope, queue_family_scope),
    (
        "VUID-RuntimeSpirv-shaderSubgroupClock-06267",
        |op| op == Op::ReadClockKHR,
        |cx, inst| clock(cx, inst, Scope::Subgroup, "shaderSubgroupClock"),
    ),
    (
        "VUID-RuntimeSpirv-shaderDeviceClock-06268",
        |op| op == Op::ReadClockKHR,
        |cx, inst| clock(cx, inst, Scope::Device, "shaderDeviceClock"),
    ),
    (
        "VUID-RuntimeSpirv-shaderRelaxedExtendedInstruction-10773",
        |op| op == Op::ExtInstWithForwardRefsKHR,
        |cx, _| needs(cx, "shaderRelaxedExtendedInstruction"),
    ),
    ("VUID-RuntimeSpirv-None-06278", is_atomic, |cx, inst| {
        integer_atomic(cx, inst, BUFFERS, &["shaderBufferInt64Atomics"])
    }),
    ("VUID-RuntimeSpirv-None-06279", is_atomic, |cx, inst| {
        integer_atomic(cx, inst, SHARED, &["shaderSharedInt64Atomics"])
    }),
    ("VUID-RuntimeSpirv-None-06288", is_atomic, |cx, inst| {
        integer_atomic(cx, inst, IMAGES, &["shaderImageInt64Atomics"])
    }),
    ("VUID-RuntimeSpirv-None-06284", is_atomic, |cx, inst| {
        float_atomic(cx, inst, BUFFERS, ANY_WIDTH, BUFFER_FLOATS)
    }),
    ("VUID-RuntimeSpirv-None-06285", is_atomic, |cx, inst| {
        float_atomic(cx, inst, SHARED, ANY_WIDTH, SHARED_FLOATS)
    }),
    ("VUID-RuntimeSpirv-None-06286", is_atomic, |cx, inst| {
        let features =
            ["shaderImageFloat32Atomics", "shaderImageFloat32AtomicAdd", "shaderImageFloat32AtomicMinMax"];
        float_atomic(cx, inst, IMAGES, &[32], &features)
    }),
    ("VUID-RuntimeSpirv-None-06337", is_atomic, |cx, inst| {
        float_atomic(
            cx,
            inst,
            ANYWHERE,
            &[16],
            &[
                "shaderBufferFloat16Atomics",
                "shaderBufferFloat16AtomicAdd",
                "shaderBufferFloat16AtomicMinMax",
                "shaderSharedFloat16Atomics",
                "shaderSharedFloat16AtomicAdd",
                "shaderSharedFloat16AtomicMinMax",
            ],
        )
    }),
    ("VUID-RuntimeSpirv-None-06338", is_atomic, |cx, inst| {
        float_atomic(
            cx,
            inst,
            ANYWHERE,
            &[32],
            &[
                "shaderBufferFloat32Atomics",
                "shaderBufferFloat32AtomicAdd",
                "shaderSharedFloat32Atomics",
                "shaderSharedFloat32AtomicAdd",
                "shaderImageFloat32Atomics",
                "shaderImageFloat32AtomicAdd",
                "shaderBufferFloat32AtomicMinMax",
                "shaderSharedFloat32AtomicMinMax",
                "shaderImageFloat32AtomicMinMax",
            ],
        )
    }),
    ("VUID-RuntimeSpirv-None-06339", is_atomic, |cx, inst| {
        float_atomic(
            cx,
            inst,
            ANYWHERE,
            &[64],
            &[
                "shaderBufferFloat64Atomics",
                "shaderBufferFloat64AtomicAdd",
                "shaderSharedFloat64Atomics",
                "shaderSharedFloat64AtomicAdd",
                "shaderBufferFloat64AtomicMinMax",
                "shaderSharedFloat64AtomicMinMax",
            ],
        )
    }),
    ("VUID-RuntimeSpirv-shaderFloat16VectorAtomics-09581", is_atomic, vector_atomic),
    ("VUID-RuntimeSpirv-None-06275", is_group_operation, extended_types),
    (
        "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06276",
        |op| op == Op::GroupNonUniformQuadBroadcast,
        dynamic_id,
    ),
    (
        "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06277",
        |op| op == Op::GroupNonUniformBroadcast,
        dynamic_id,
    ),
    (
        "VUID-RuntimeSpirv-shaderSubgroupRotateClustered-09566",
        |op| op == Op::GroupNonUniformRotateKHR,
        |cx, inst| {
            if inst.get_id(3).is_some() { needs(cx, "shaderSubgroupRotateClustered") } else { Ok(()) }
        },
    ),
    (
        "VUID-RuntimeSpirv-shaderFmaFloat16-10977",
        |op| op == Op::FmaKHR,
        |cx, inst| fma(cx, inst, 16, "shaderFmaFloat16"),
    ),
    (
        "VUID-RuntimeSpirv-shaderFmaFloat32-10978",
        |op| op == Op::FmaKHR,
        |cx, inst| fma(cx, inst, 32, "shaderFmaFloat32"),
    ),
    (
        "VUID-RuntimeSpirv-shaderFmaFloat64-10979",
        |op| op == Op::FmaKHR,
        |cx, inst| fma(cx, inst, 64, "shaderFmaFloat64"),
    ),
    ("VUID-RuntimeSpirv-None-10824", is_bit_operation, bit_width),
    ("VUID-RuntimeSpirv-Size-11165", |op| op == Op::CopyMemorySized, copied_size),
    ("VUID-RuntimeSpirv-OpArrayLength-11807", is_array_length, array_length_type),
    ("VUID-RuntimeSpirv-OpEmitStreamVertex-06310", is_stream, stream),
];

const BUFFERS: &[StorageClass] =
    &[StorageClass::StorageBuffer, StorageClass::Uniform, StorageClass::PhysicalStorageBuffer];
const SHARED: &[StorageClass] = &[StorageClass::Workgroup, StorageClass::TaskPayloadWorkgroupEXT];
const IMAGES: &[StorageClass] = &[StorageClass::Image];
const ANYWHERE: &[StorageClass] = &[
    StorageClass::StorageBuffer,
    StorageClass::Uniform,
    StorageClass::PhysicalStorageBuffer,
    StorageClass::Workgroup,
    StorageClass::TaskPayloadWorkgroupEXT,
    StorageClass::Image,
];
const ANY_WIDTH: &[u32] = &[16, 32, 64];
const BUFFER_FLOATS: &[&str] = &[
    "shaderBufferFloat32Atomics",
    "shaderBufferFloat32AtomicAdd",
    "shaderBufferFloat64Atomics",
    "shaderBufferFloat64AtomicAdd",
    "shaderBufferFloat16Atomics",
    "shaderBufferFloat16AtomicAdd",
    "shaderBufferFloat16AtomicMinMax",
    "shaderBufferFloat32AtomicMinMax",
    "shaderBufferFloat64AtomicMinMax",
    "shaderFloat16VectorAtomics",
];
const SHARED_FLOATS: &[&str] = &[
    "shaderSharedFloat32Atomics",
    "shaderSharedFloat32AtomicAdd",
    "shaderSharedFloat64Atomics",
    "shaderSharedFloat64AtomicAdd",
    "shaderSharedFloat16Atomics",
    "shaderSharedFloat16AtomicAdd",
    "shaderSharedFloat16AtomicMinMax",
    "shaderSharedFloat32AtomicMinMax",
    "shaderSharedFloat64AtomicMinMax",
    "shaderFloat16VectorAtomics",
];

fn needs(cx: &Context<'_, '_>, feature: &str) -> Verdict {
    ensure!(!cx.lacks(feature), "it needs the feature {feature}");
    Ok(())
}

fn name(op: Op) -> &'static str {
    pyro_spirv::grammar::table().get(op).name
}

fn is_atomic(op: Op) -> bool {
    facts(op).family == Family::Atomic
}

fn is_group_operation(op: Op) -> bool {
    name(op).starts_with("GroupNonUniform")
}

fn has_memory_scope(op: Op) -> bool {
    facts(op).memory_scope.is_some()
}

fn scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<Scope> {
    let position = if inst.op() == Op::MemoryBarrier { 0 } else { 1 };
    Scope::from_u32(cx.constants.unsigned(inst.get_id(position)?)?)
}

fn device_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_limited = cx.has_capability(Capability::VulkanMemoryModel)
        && !cx.has_capability(Capability::VulkanMemoryModelDeviceScope)
        && cx.lacks("vulkanMemoryModelDeviceScope");
    let is_device = is_limited && scope(cx, inst) == Some(Scope::Device);
    ensure!(!is_device, "memory of the scope Device needs vulkanMemoryModelDeviceScope");
    Ok(())
}

fn queue_family_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_family = cx.lacks("vulkanMemoryModel") && scope(cx, inst) == Some(Scope::QueueFamily);
    ensure!(!is_family, "memory of the scope QueueFamily needs vulkanMemoryModel");
    Ok(())
}

fn clock(cx: &Context<'_, '_>, inst: Instruction<'_>, wanted: Scope, feature: &str) -> Verdict {
    let found = inst.get_id(0).and_then(|id| cx.constants.unsigned(id)).and_then(Scope::from_u32);
    ensure!(found != Some(wanted) || !cx.lacks(feature), "a clock of the scope {wanted:?} needs {feature}");
    Ok(())
}

/// The storage class and the type of the number that an atomic is on.
fn atomic(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<(StorageClass, Id)> {
    let (class, pointee) = match cx.value_type(inst.get_id(0)?).ok()? {
        Type::Pointer { class, pointee } => (class, Some(pointee)),
        Type::UntypedPointer { class } => (class, None),
        _ => return None,
    };
    // What an untyped pointer points to, the result or the value says.
    let value = || cx.module.type_of(inst.get_id(3)?);
    Some((class, inst.result_type().or(pointee).or_else(value)?))
}

fn integer_atomic(
    cx: &Context<'_, '_>,
    inst: Instruction<'_>,
    classes: &[StorageClass],
    features: &[&str],
) -> Verdict {
    let Some((class, ty)) = atomic(cx, inst) else { return Ok(()) };
    let is_wide = matches!(cx.ty(ty), Type::Int { width: 64, .. }) && classes.contains(&class);
    ensure!(
        !is_wide || !cx.lacks_all(features),
        "a 64-bit atomic on {class:?} needs {}",
        features.join(" or ")
    );
    Ok(())
}

fn float_atomic(
    cx: &Context<'_, '_>,
    inst: Instruction<'_>,
    classes: &[StorageClass],
    widths: &[u32],
    features: &[&str],
) -> Verdict {
    let Some((class, ty)) = atomic(cx, inst) else { return Ok(()) };
    let is_one = match cx.ty(ty) {
        Type::Float { width, .. } => widths.contains(&width) && classes.contains(&class),
        _ => false,
    };
    ensure!(
        !is_one || !cx.lacks_all(features),
        "a float atomic on {class:?} needs one of {}",
        features.join(", ")
    );
    Ok(())
}

fn vector_atomic(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_vector = atomic(cx, inst).is_some_and(|(_, ty)| matches!(cx.ty(ty), Type::Vector { .. }));
    if is_vector { needs(cx, "shaderFloat16VectorAtomics") } else { Ok(()) }
}

fn extended_types(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(shape) = inst.result_type().and_then(|ty| cx.shape(ty)) else { return Ok(()) };
    let is_extended = match shape.component {
        Type::Int { width, .. } => matches!(width, 8 | 16 | 64),
        Type::Float { width, .. } => width == 16,
        _ => false,
    };
    if is_extended { needs(cx, "shaderSubgroupExtendedTypes") } else { Ok(()) }
}

fn dynamic_id(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_constant = inst.get_id(2).is_none_or(|id| cx.is_constant(id));
    let is_old = cx.module.header().version() < (1, 5);
    ensure!(
        is_constant || !is_old && !cx.lacks("subgroupBroadcastDynamicId"),
        "the invocation is not a constant, which needs SPIR-V 1.5 and subgroupBroadcastDynamicId"
    );
    Ok(())
}

fn fma(cx: &Context<'_, '_>, inst: Instruction<'_>, width: u32, feature: &str) -> Verdict {
    let found = inst.result_type().and_then(|ty| cx.shape(ty)).map(|shape| shape.width());
    if found == Some(width) && inst.newer().is_none() { needs(cx, feature) } else { Ok(()) }
}

fn is_bit_operation(op: Op) -> bool {
    matches!(
        op,
        Op::BitCount | Op::BitReverse | Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract
    )
}

fn bit_width(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let shape = inst.get_id(0).and_then(|base| cx.value_shape(base).ok());
    let is_plain = shape.is_none_or(|shape| shape.width() == 32);
    // Without a device, what newer ones allow is fine.
    ensure!(is_plain || !cx.lacks("maintenance9"), "the base has not 32 bits, which needs maintenance9");
    Ok(())
}

fn copied_size(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(size) = inst.get_id(2).and_then(|id| cx.constants.unsigned(id)) else { return Ok(()) };
    let has = |list: &[Capability]| list.iter().any(|&capability| cx.has_capability(capability));
    let unit = if has(&[Capability::StorageBuffer8BitAccess, Capability::UniformAndStorageBuffer8BitAccess]) {
        1
    } else if has(&[Capability::StorageBuffer16BitAccess, Capability::UniformAndStorageBuffer16BitAccess]) {
        2
    } else {
        4
    };
    ensure!(size.is_multiple_of(unit), "{size} bytes are copied, which is not a multiple of {unit}");
    Ok(())
}

fn is_array_length(op: Op) -> bool {
    matches!(op, Op::ArrayLength | Op::UntypedArrayLengthKHR)
}

fn array_length_type(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_narrow = matches!(cx.ty(cx.result_type(inst)?), Type::Int { width: 32, .. });
    let is_wide = cx.has_capability(Capability::Shader64BitIndexingEXT);
    ensure!(is_narrow || is_wide, "the length has not 32 bits");
    Ok(())
}

fn is_stream(op: Op) -> bool {
    matches!(op, Op::EmitStreamVertex | Op::EndStreamPrimitive)
}

fn stream(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = inst.get_id(0).and_then(|id| cx.constants.unsigned(id));
    let count = cx.property("maxTransformFeedbackStreams");
    let is_fine = found.zip(count).is_none_or(|(found, count)| i64::from(found) < count);
    ensure!(is_fine, "stream {found:?} is not below maxTransformFeedbackStreams, which is {count:?}");
    Ok(())
}
