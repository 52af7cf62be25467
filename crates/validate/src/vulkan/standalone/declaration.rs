//! Rules on types and constants at module scope.

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ImageFormat, Op, Scope, StorageClass};
use pyro_spirv::{Instruction, Type};

type Rule = fn(&Context<'_, '_>, Instruction<'_>) -> Verdict;

/// Rules on one instruction before the functions.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-Image-04965", format_type),
    ("VUID-StandaloneSpirv-Scope-12243", matrix_scope),
    ("VUID-StandaloneSpirv-BuiltIn-04668", built_in_known),
    ("VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417", untyped_class),
    ("VUID-StandaloneSpirv-None-12295", vector_size),
    ("VUID-StandaloneSpirv-Type-12297", long_vector_class),
    ("VUID-StandaloneSpirv-OpUndef-12464", undefined_object),
    ("VUID-WorkgroupSize-WorkgroupSize-04426", workgroup_size_constant),
    ("VUID-RuntimeSpirv-longVector-12296", vector_limit),
    ("VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094", cooperative_vector_limit),
    ("VUID-RuntimeSpirv-cooperativeMatrixWorkgroupScope-10164", matrix_workgroup_scope),
    ("VUID-RuntimeSpirv-OpTypeTensorARM-09902", tensor_shape),
    ("VUID-RuntimeSpirv-OpTypeTensorARM-09907", tensor_rank),
    ("VUID-RuntimeSpirv-GraphARM-09922", graph),
];

fn format_type(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::Image(image)) = inst.result().map(|id| cx.ty(id)) else { return Ok(()) };
    if image.format == ImageFormat::Unknown {
        return Ok(());
    }
    // A format's name ends in what its numbers are: nothing, `f` or `Snorm` for floats, `i` and `ui` for integers,
    // whose width is 64 bits for those of 64.
    let name = format!("{:?}", image.format);
    let is_wide = name.contains("64");
    let is_fine = match cx.ty(image.sampled_type) {
        // Each access may choose its own signedness, so that they are looked at (`accessed_signedness`).
        Type::Int { width, .. } => name.ends_with('i') && (width == 64) == is_wide,
        Type::Float { .. } => !name.ends_with('i'),
        _ => true,
    };
    ensure!(is_fine, "the format {name} does not hold the sampled type");
    Ok(())
}

fn matrix_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::CooperativeMatrixKhr { scope, .. }) = inst.result().map(|id| cx.ty(id)) else {
        return Ok(());
    };
    let Some(number) = cx.constants.unsigned(scope) else { return Ok(()) };
    let is_allowed = matches!(Scope::from_u32(number), Some(Scope::Workgroup | Scope::Subgroup));
    ensure!(is_allowed, "the scope {number} of a matrix is neither Workgroup nor Subgroup");
    Ok(())
}

fn matrix_workgroup_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::CooperativeMatrixKhr { scope, .. }) = inst.result().map(|id| cx.ty(id)) else {
        return Ok(());
    };
    let is_workgroup = cx.constants.unsigned(scope).and_then(Scope::from_u32) == Some(Scope::Workgroup);
    let feature = "cooperativeMatrixWorkgroupScope";
    ensure!(!is_workgroup || !cx.lacks(feature), "a matrix of a workgroup needs {feature}");
    Ok(())
}

fn built_in_known(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let at = match inst.op() {
        Op::Decorate => 1,
        Op::MemberDecorate => 2,
        _ => return Ok(()),
    };
    if inst.get_word(at) != Some(Decoration::BuiltIn as u32) {
        return Ok(());
    }
    let found = inst.get_word(at + 1).and_then(BuiltIn::from_u32);
    let is_known = found.is_none_or(|found| pyro_interface::builtin::info(found).is_some());
    ensure!(is_known, "the built-in {found:?} does not exist in Vulkan");
    Ok(())
}

fn untyped_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::UntypedPointer { class }) = inst.result().map(|id| cx.ty(id)) else { return Ok(()) };
    let is_allowed = matches!(
        class,
        StorageClass::Image
            | StorageClass::UniformConstant
            | StorageClass::Workgroup
            | StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PushConstant
            | StorageClass::PhysicalStorageBuffer
    );
    ensure!(is_allowed, "storage class {class:?} has no untyped pointers");
    Ok(())
}

fn vector_size(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::Vector { count, .. }) = inst.result().map(|id| cx.ty(id)) else { return Ok(()) };
    let is_long = cx.has_capability(Capability::LongVectorEXT);
    ensure!(is_long || (2..=4).contains(&count), "a vector of {count} components needs LongVectorEXT");
    Ok(())
}

fn vector_limit(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let count = match inst.result().map(|id| cx.ty(id)) {
        Some(Type::Vector { count, .. }) => u64::from(count),
        Some(Type::CooperativeVector { count, .. }) if inst.op() == Op::TypeVectorIdEXT => {
            cx.constants.unsigned(count).map_or(0, u64::from)
        }
        _ => return Ok(()),
    };
    cx.at_most("the count of components", count, "maxVectorComponents")
}

fn cooperative_vector_limit(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::CooperativeVector { count, .. }) = inst.result().map(|id| cx.ty(id)) else {
        return Ok(());
    };
    let count = cx.constants.unsigned(count).map_or(0, u64::from);
    cx.at_most("the count of components", count, "maxCooperativeVectorComponents")
}

fn long_vector_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::Pointer { class, pointee }) = inst.result().map(|id| cx.ty(id)) else { return Ok(()) };
    let ty = cx.module.strip_arrays(pointee);
    let is_long = match cx.ty(ty) {
        Type::Vector { count, .. } => count > 4,
        Type::CooperativeVector { count, .. } => {
            cx.op_of(ty) == Op::TypeVectorIdEXT && cx.constants.unsigned(count).is_some_and(|count| count > 4)
        }
        _ => false,
    };
    let is_allowed = matches!(
        class,
        StorageClass::Function
            | StorageClass::Private
            | StorageClass::Uniform
            | StorageClass::Workgroup
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::PushConstant
            | StorageClass::ShaderRecordBufferKHR
    );
    ensure!(!is_long || is_allowed, "storage class {class:?} holds no vectors of more than four components");
    Ok(())
}

fn undefined_object(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::Undef {
        return Ok(());
    }
    let ty = cx.ty(cx.result_type(inst)?);
    let is_object = matches!(
        ty,
        Type::Image(_)
            | Type::Sampler
            | Type::SampledImage { .. }
            | Type::AccelerationStructure
            | Type::Tensor { .. }
    );
    ensure!(!is_object, "an opaque object is undefined");
    Ok(())
}

fn workgroup_size_constant(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_size = inst.op() == Op::Decorate
        && inst.get_word(1) == Some(Decoration::BuiltIn as u32)
        && inst.get_word(2) == Some(BuiltIn::WorkgroupSize as u32);
    if !is_size {
        return Ok(());
    }
    // With tile shading it is an input.
    let is_input = cx.has_capability(Capability::TileShadingQCOM);
    ensure!(cx.is_constant(inst.id(0)) || is_input, "WorkgroupSize decorates what is no constant");
    Ok(())
}

fn tensor_shape(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let has = matches!(inst.result().map(|id| cx.ty(id)), Some(Type::Tensor { shape: Some(_), .. }));
    // Graphs have shaped tensors; shaders do not.
    ensure!(!has || cx.has_capability(Capability::GraphARM), "a shader's tensor has a shape");
    Ok(())
}

fn tensor_rank(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let lacks = matches!(inst.result().map(|id| cx.ty(id)), Some(Type::Tensor { rank: None, .. }));
    ensure!(!lacks, "a shader's tensor has no rank");
    Ok(())
}

fn graph(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_graph = inst.op() == Op::Capability && inst.word(0) == Capability::GraphARM as u32;
    ensure!(!is_graph || cx.module.entry_points().len() == 0, "a shader's module declares GraphARM");
    Ok(())
}
