//! Rules on types, decorations and execution modes.

use super::{runtime, standalone};
use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{
    AddressingModel, Decoration, Dim, ExecutionMode, ExecutionModel, FPRoundingMode, Op, StorageClass,
};
use pyro_spirv::{Instruction, Type};

type Rule = fn(&Context<'_, '_>, Instruction<'_>) -> Verdict;
type ModuleRule = fn(&Context<'_, '_>) -> Verdict;

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
];

/// Rules on the module as a whole.
pub(crate) const MODULE_RULES: &[(&str, ModuleRule)] = &[
    ("VUID-StandaloneSpirv-None-04635", addressing_model),
    ("VUID-StandaloneSpirv-MeshEXT-07102", mixed_mesh),
];

/// The rules of every file on one instruction before the functions.
pub(crate) fn tables() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    [
        RULES,
        standalone::declaration::RULES,
        runtime::module::RULES,
        runtime::cooperative::TYPE_RULES,
        runtime::decoration::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The rules of every file on the module as a whole.
pub(crate) fn module_tables() -> impl Iterator<Item = &'static (&'static str, ModuleRule)> {
    [MODULE_RULES, runtime::module::MODULE_RULES, standalone::instruction::MODULE_RULES].into_iter().flatten()
}

pub(crate) fn check(cx: &Context<'_, '_>) {
    for inst in cx.module.global_insts() {
        if cx.is_full() {
            return;
        }
        let may_matter = matches!(
            inst.op(),
            Op::Capability
                | Op::Extension
                | Op::TypeImage
                | Op::TypeVector
                | Op::TypeVectorIdEXT
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeCooperativeMatrixKHR
                | Op::TypeCooperativeMatrixNV
                | Op::TypeTensorARM
                | Op::Undef
                | Op::TypeSampledImage
                | Op::TypeStruct
                | Op::TypeForwardPointer
                | Op::Decorate
                | Op::MemberDecorate
                | Op::MemberDecorateIdEXT
                | Op::ExecutionMode
        );
        if !may_matter {
            continue;
        }
        for (rule, function) in tables() {
            if let Err(message) = function(cx, inst) {
                cx.report(rule, inst.index(), message);
            }
        }
    }
    for (rule, function) in module_tables() {
        if let Err(message) = function(cx) {
            cx.report_module(rule, message);
        }
    }
}

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
    ensure!(is_allowed, "the sampled type is no 32-bit float, nor an integer of 32 or 64 bits");
    Ok(())
}

fn image_sampled(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    ensure!(matches!(image.sampled, 1 | 2), "it must be known whether the image is used with a sampler");
    Ok(())
}

fn image_rect(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    ensure!(image.dim != Dim::DimRect, "there are no rectangle images");
    Ok(())
}

fn image_subpass(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(image) = image(cx, inst) else { return Ok(()) };
    let is_plain = !image.arrayed && image.sampled == 2;
    ensure!(
        image.dim != Dim::DimSubpassData || is_plain,
        "subpass data is not arrayed, and its Sampled is 2"
    );
    Ok(())
}

fn sampled_image(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::SampledImage { image }) = inst.result().map(|id| cx.ty(id)) else { return Ok(()) };
    let sampled = match cx.ty(image) {
        Type::Image(image) => image.sampled,
        _ => 1,
    };
    ensure!(sampled == 1, "the image is not one that is used with a sampler");
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
    ensure!(!has_one || is_block, "a runtime array ends what is no block");
    Ok(())
}

fn forward_pointer(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_physical =
        inst.op() != Op::TypeForwardPointer || inst.word(1) == StorageClass::PhysicalStorageBuffer as u32;
    ensure!(is_physical, "only physical pointers are declared ahead");
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
    ensure!(!is_glsl, "OpenGL's layouts do not exist here");
    Ok(())
}

fn rounding_mode(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some((Decoration::FPRoundingMode, mode)) = decoration(inst) else { return Ok(()) };
    let is_allowed = [FPRoundingMode::RTE, FPRoundingMode::RTZ].iter().any(|&allowed| allowed as u32 == mode);
    ensure!(is_allowed, "only rounding to nearest even and towards zero exist");
    Ok(())
}

fn has_mode(inst: Instruction<'_>, mode: ExecutionMode) -> bool {
    inst.op() == Op::ExecutionMode && inst.word(1) == mode as u32
}

fn origin(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    ensure!(!has_mode(inst, ExecutionMode::OriginLowerLeft), "the origin is the upper left");
    Ok(())
}

fn pixel_center(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_integer = has_mode(inst, ExecutionMode::PixelCenterInteger);
    ensure!(!is_integer, "pixels are centred at half-integer coordinates");
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
