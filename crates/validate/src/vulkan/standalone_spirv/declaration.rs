//! Rules on types, constants, decorations and execution modes.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::declaration::{ModuleRule, Rule};
use pyro_spirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, FPRoundingMode,
    ImageFormat, Op, Scope, StorageClass,
};
use pyro_spirv::{Instruction, Type};

/// Rules on one instruction before the functions.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-OpTypeImage-04656", image_sampled_type),
    ("VUID-StandaloneSpirv-OpTypeImage-04657", image_sampled),
    ("VUID-StandaloneSpirv-OpTypeImage-09638", image_rect),
    ("VUID-StandaloneSpirv-OpTypeImage-06214", image_subpass),
    ("VUID-StandaloneSpirv-OpTypeSampledImage-06671", sampled_image),
    ("VUID-StandaloneSpirv-None-04667", struct_opaque),
    ("VUID-StandaloneSpirv-None-04643", pointer_class),
    ("VUID-StandaloneSpirv-OpTypeForwardPointer-04711", forward_pointer),
    ("VUID-StandaloneSpirv-OpTypeRuntimeArray-04680", runtime_array),
    ("VUID-StandaloneSpirv-GLSLShared-04669", glsl_layout),
    ("VUID-StandaloneSpirv-FPRoundingMode-04675", rounding_mode),
    ("VUID-StandaloneSpirv-OriginLowerLeft-04653", origin),
    ("VUID-StandaloneSpirv-PixelCenterInteger-04654", pixel_center),
    ("VUID-StandaloneSpirv-Image-04965", format_type),
    ("VUID-StandaloneSpirv-Scope-12243", matrix_scope),
    ("VUID-StandaloneSpirv-BuiltIn-04668", built_in_known),
    ("VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417", untyped_class),
    ("VUID-StandaloneSpirv-None-12295", vector_size),
    ("VUID-StandaloneSpirv-Type-12297", long_vector_class),
    ("VUID-StandaloneSpirv-OpUndef-12464", undefined_object),
    ("VUID-WorkgroupSize-WorkgroupSize-04426", workgroup_size_constant),
    ("VUID-StandaloneSpirv-DescriptorHeapEXT-11482", only_descriptors),
];

/// Rules on the module as a whole.
pub(crate) const MODULE_RULES: &[(&str, ModuleRule)] = &[
    ("VUID-StandaloneSpirv-None-04635", addressing_model),
    ("VUID-StandaloneSpirv-MeshEXT-07102", mixed_mesh),
];

fn pointer_class(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if !matches!(inst.op(), Op::TypePointer | Op::TypeUntypedPointerKHR) {
        return Ok(());
    }
    let class = StorageClass::from_u32(inst.word(0));
    let is_missing = matches!(
        class,
        Some(StorageClass::CrossWorkgroup | StorageClass::Generic | StorageClass::AtomicCounter)
    );
    ensure!(!is_missing, "storage class {class:?} does not exist in Vulkan");
    Ok(())
}

fn image(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<pyro_spirv::ImageType> {
    match inst.result().map(|id| cx.ty(id)) {
        Some(Type::Image(image)) => Some(image),
        _ => None,
    }
}

fn image_sampled_type(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    let is_allowed = match cx.ty(image.sampled_type) {
        Type::Float { width: 32, encoding: None } => true,
        Type::Int { width, .. } => matches!(width, 32 | 64),
        // Half-precision images, by an extension that has the sampled type follow.
        Type::Float { width: 16, encoding: None } => {
            cx.module.has_extension("SPV_AMD_gpu_shader_half_float_fetch")
        }
        _ => false,
    };
    ensure!(is_allowed, "the sampled type is neither a 32-bit float nor an integer of 32 or 64 bits");
    Ok(())
}

fn image_sampled(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    ensure!(matches!(image.sampled, 1 | 2), "Sampled is neither 1 (with a sampler) nor 2 (storage)");
    Ok(())
}

fn image_rect(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    ensure!(image.dim != Dim::DimRect, "Vulkan has no rectangle images");
    Ok(())
}

fn image_subpass(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    let is_plain = !image.arrayed && image.sampled == 2;
    ensure!(
        image.dim != Dim::DimSubpassData || is_plain,
        "a SubpassData image is arrayed, or its Sampled is not 2"
    );
    Ok(())
}

fn sampled_image(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::SampledImage { image }) = inst.result().map(|id| cx.ty(id)) else { return Ok(()) };
    let sampled = match cx.ty(image) {
        Type::Image(image) => image.sampled,
        _ => 1,
    };
    ensure!(sampled == 1, "the image is not a sampled image (Sampled is not 1)");
    Ok(())
}

fn struct_opaque(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::TypeStruct {
        return Ok(());
    }
    let is_handle = |ty: Type<'_>| {
        matches!(
            ty,
            Type::Image(_)
                | Type::Sampler
                | Type::SampledImage { .. }
                | Type::AccelerationStructure
                | Type::RayQuery
        )
    };
    let has_heap = cx.has_capability(pyro_spirv::spirv::Capability::DescriptorHeapEXT);
    for member in inst.ids_from(0).iter() {
        let is_opaque = is_handle(cx.ty(cx.module.strip_arrays(member)));
        ensure!(!is_opaque || has_heap, "the structure contains the opaque type {member}");
    }
    Ok(())
}

/// Of blocks only the last member is one; what variables hold is looked at by the rule of the same name on these.
fn runtime_array(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::TypeStruct {
        return Ok(());
    }
    let has_one = inst.ids_from(0).iter().any(|member| matches!(cx.ty(member), Type::RuntimeArray { .. }));
    let is_block = inst.result().is_some_and(|id| {
        [Decoration::Block, Decoration::BufferBlock].iter().any(|kind| cx.module.has_decoration(id, *kind))
    });
    ensure!(!has_one || is_block, "a structure with a runtime array is not a block");
    Ok(())
}

fn forward_pointer(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_physical =
        inst.op() != Op::TypeForwardPointer || inst.word(1) == StorageClass::PhysicalStorageBuffer as u32;
    ensure!(is_physical, "a forward pointer is not of storage class PhysicalStorageBuffer");
    Ok(())
}

/// The decoration that the instruction gives, and its first parameter.
fn decoration(inst: Instruction<'_>) -> Option<(Decoration, u32)> {
    let at = match inst.op() {
        Op::Decorate => 1,
        Op::MemberDecorate => 2,
        _ => return None,
    };
    Some((Decoration::from_u32(inst.word(at))?, inst.get_word(at + 1).unwrap_or(0)))
}

fn glsl_layout(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = decoration(inst).map(|(kind, _)| kind);
    let is_glsl = matches!(found, Some(Decoration::GLSLShared | Decoration::GLSLPacked));
    ensure!(!is_glsl, "Vulkan has no GLSLShared and GLSLPacked layouts");
    Ok(())
}

fn rounding_mode(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some((Decoration::FPRoundingMode, mode)) = decoration(inst) else { return Ok(()) };
    let is_allowed = [FPRoundingMode::RTE, FPRoundingMode::RTZ].iter().any(|&allowed| allowed as u32 == mode);
    ensure!(is_allowed, "FPRoundingMode is neither RTE nor RTZ");
    Ok(())
}

fn has_mode(inst: Instruction<'_>, mode: ExecutionMode) -> bool {
    inst.op() == Op::ExecutionMode && inst.word(1) == mode as u32
}

fn origin(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    ensure!(
        !has_mode(inst, ExecutionMode::OriginLowerLeft),
        "OriginLowerLeft is declared; the origin is the upper left in Vulkan"
    );
    Ok(())
}

fn pixel_center(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_integer = has_mode(inst, ExecutionMode::PixelCenterInteger);
    ensure!(
        !is_integer,
        "PixelCenterInteger is declared; pixel centers are at half-integer coordinates in Vulkan"
    );
    Ok(())
}

fn addressing_model(cx: &Context<'_, '_>) -> Verdict {
    let model = cx.module.memory_model().map(|(addressing, _)| addressing);
    let is_allowed =
        matches!(model, None | Some(AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64));
    ensure!(is_allowed, "the addressing model is neither Logical nor PhysicalStorageBuffer64");
    Ok(())
}

fn mixed_mesh(cx: &Context<'_, '_>) -> Verdict {
    let any =
        |models: [ExecutionModel; 2]| cx.module.entry_points().any(|entry| models.contains(&entry.model));
    let has_both = any([ExecutionModel::TaskEXT, ExecutionModel::MeshEXT])
        && any([ExecutionModel::TaskNV, ExecutionModel::MeshNV]);
    ensure!(!has_both, "EXT and NV mesh or task shaders are mixed");
    Ok(())
}

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
    ensure!(cx.is_constant(inst.id(0)) || is_input, "WorkgroupSize decorates an id that is not a constant");
    Ok(())
}

fn only_descriptors(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::TypeStruct || !cx.has_capability(Capability::DescriptorHeapEXT) {
        return Ok(());
    }
    for member in inst.ids_from(0).iter().map(|ty| cx.module.strip_arrays(ty)) {
        // Descriptors are images, samplers, buffers, acceleration structures and tensors.
        let op = cx.op_of(member);
        let is_other =
            matches!(op, Op::TypeRayQueryKHR | Op::TypeHitObjectNV | Op::TypeHitObjectEXT | Op::TypeOpaque);
        ensure!(!is_other, "the structure holds {member}, an opaque type that is not a descriptor");
    }
    Ok(())
}
