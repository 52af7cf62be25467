//! Rules on instructions in functions.

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::grammar::OperandKind;
use pyro_spirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ImageFormat, ImageOperands, MemoryAccess,
    MemorySemantics, Op, Scope, StorageClass,
};
use pyro_spirv::{GlobalVariable, Id, Instruction, Type};
use std::collections::HashSet;

type Rule = fn(&Context<'_, '_>, Instruction<'_>) -> Verdict;
type Applies = fn(Op) -> bool;
type ModuleRule = fn(&Context<'_, '_>) -> Verdict;

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-StandaloneSpirv-SubgroupVoteKHR-07951", has_memory_scope, subgroup_memory),
    ("VUID-StandaloneSpirv-UnequalMemorySemantics-10876", is_exchange, weaker_unequal),
    ("VUID-StandaloneSpirv-UnequalMemorySemantics-10877", is_exchange, fewer_classes),
    ("VUID-StandaloneSpirv-UnequalMemorySemantics-10878", is_exchange, visible_equal),
    ("VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708", is_access, aligned),
    ("VUID-StandaloneSpirv-Pointer-08973", is_matrix_access, matrix_pointer),
    ("VUID-StandaloneSpirv-OpArrayLength-11805", |op| op == Op::ArrayLength, length_of_uniform),
    (
        "VUID-StandaloneSpirv-Result-11336",
        |op| op == Op::Load,
        |cx, inst| loaded(cx, inst, |ty| ty == Type::Sampler, BuiltIn::SamplerHeapEXT),
    ),
    (
        "VUID-StandaloneSpirv-Result-11337",
        |op| op == Op::Load,
        |cx, inst| loaded(cx, inst, |ty| matches!(ty, Type::Image(_)), BuiltIn::ResourceHeapEXT),
    ),
    (
        "VUID-StandaloneSpirv-Result-11339",
        |op| op == Op::Load,
        |cx, inst| loaded(cx, inst, |ty| ty == Type::AccelerationStructure, BuiltIn::ResourceHeapEXT),
    ),
    (
        "VUID-StandaloneSpirv-OpUntypedImageTexelPointerEXT-11416",
        |op| op == Op::UntypedImageTexelPointerEXT,
        untyped_texel_format,
    ),
    ("VUID-StandaloneSpirv-TileAttachmentQCOM-10697", is_image_query, queried_tile),
    ("VUID-StandaloneSpirv-VulkanMemoryModel-04679", |op| op == Op::Load, volatile_load),
    ("VUID-StandaloneSpirv-Image-04965", is_texel_access, accessed_signedness),
];

fn is_texel_access(op: Op) -> bool {
    let kinds = || pyro_spirv::grammar::table().get(op).operands.iter().map(|operand| operand.kind);
    kinds().any(|kind| kind == OperandKind::ImageOperands)
}

/// The signedness of an access is that of the sampled type, or what its operands say; it is the format's.
fn accessed_signedness(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let image = match cx.value_type(inst.id(0)) {
        Ok(Type::Image(image)) => image,
        Ok(Type::SampledImage { image }) => match cx.ty(image) {
            Type::Image(image) => image,
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let Type::Int { signed, .. } = cx.ty(image.sampled_type) else { return Ok(()) };
    if image.format == ImageFormat::Unknown {
        return Ok(());
    }
    let mask = inst.operands().find(|operand| operand.kind == OperandKind::ImageOperands);
    let mask = ImageOperands::from_bits_retain(mask.map_or(0, |mask| mask.words[0]));
    let is_signed =
        match (mask.contains(ImageOperands::SIGN_EXTEND), mask.contains(ImageOperands::ZERO_EXTEND)) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => signed,
        };
    let name = format!("{:?}", image.format);
    ensure!(
        name.ends_with("ui") != is_signed,
        "the access is {}, the format {name} is not",
        if is_signed { "signed" } else { "unsigned" }
    );
    Ok(())
}

/// Rules on the module as a whole.
pub(crate) const MODULE_RULES: &[(&str, ModuleRule)] =
    &[("VUID-StandaloneSpirv-PhysicalStorageBuffer64-04709", row_major_access)];

fn untyped_texel_format(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Type::Image(image) = cx.ty(inst.id(0)) else { return Ok(()) };
    let is_allowed = matches!(
        image.format,
        ImageFormat::R64i | ImageFormat::R64ui | ImageFormat::R32f | ImageFormat::R32i | ImageFormat::R32ui
    );
    ensure!(is_allowed, "texels of format {:?} have no atomics", image.format);
    Ok(())
}

/// Pointers to columns and components of matrices that are stored row by row: only loads and stores know how to
/// gather those.
fn row_major_access(cx: &Context<'_, '_>) -> Verdict {
    let module = cx.module;
    let is_physical = module
        .memory_model()
        .is_some_and(|(addressing, _)| addressing == AddressingModel::PhysicalStorageBuffer64);
    if !is_physical {
        return Ok(());
    }
    // Pointers to such matrices or arrays of them, and pointers into them.
    let (mut to_matrix, mut into_matrix) = (HashSet::new(), HashSet::new());
    for inst in module.insts().skip(module.global_insts().len()) {
        if !matches!(inst.op(), Op::Load | Op::Store) {
            let used = inst.id_operands().find(|id| into_matrix.contains(id));
            ensure!(used.is_none(), "a pointer into a RowMajor matrix is used by Op{}", inst.info().name);
        }
        if !matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain) {
            continue;
        }
        let Some(result) = inst.result() else { continue };
        let Ok((_, mut ty)) = cx.pointer_value(inst.id(0)) else { continue };
        let mut is_row_major = to_matrix.contains(&inst.id(0));
        let first = 1 + usize::from(inst.op() == Op::PtrAccessChain);
        let mut is_inside = false;
        for index in inst.ids_from(first).iter() {
            ty = match cx.ty(ty) {
                Type::Array { element, .. } | Type::RuntimeArray { element } => element,
                Type::Struct { members } => {
                    let member = cx.constants.unsigned(index).unwrap_or(0);
                    is_row_major = module.member_decoration(ty, member, Decoration::RowMajor).is_some();
                    match members.get(member as usize) {
                        Some(member) => member,
                        None => break,
                    }
                }
                Type::Matrix { column, .. } => {
                    is_inside = is_row_major;
                    column
                }
                Type::Vector { component, .. } => component,
                _ => break,
            };
        }
        if is_inside {
            into_matrix.insert(result);
        } else if is_row_major {
            to_matrix.insert(result);
        }
    }
    Ok(())
}

fn name(op: Op) -> &'static str {
    pyro_spirv::grammar::table().get(op).name
}

fn is_atomic(op: Op) -> bool {
    name(op).starts_with("Atomic") && !name(op).starts_with("AtomicFlag")
}

fn has_memory_scope(op: Op) -> bool {
    is_atomic(op) || matches!(op, Op::ControlBarrier | Op::MemoryBarrier)
}

fn subgroup_memory(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let position = if inst.op() == Op::MemoryBarrier { 0 } else { 1 };
    let scope = inst.get_id(position).and_then(|id| cx.constants.unsigned(id)).and_then(Scope::from_u32);
    if scope != Some(Scope::Subgroup) {
        return Ok(());
    }
    // All group operations but these have a capability that implies GroupNonUniform.
    let has = cx.module.capabilities().iter().any(|capability| {
        let name = format!("{capability:?}");
        name.starts_with("GroupNonUniform")
            || matches!(name.as_str(), "SubgroupVoteKHR" | "SubgroupBallotKHR")
    });
    ensure!(has, "memory of a subgroup needs GroupNonUniform, SubgroupVoteKHR or SubgroupBallotKHR");
    Ok(())
}

fn is_exchange(op: Op) -> bool {
    op == Op::AtomicCompareExchange
}

fn semantics(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<[MemorySemantics; 2]> {
    let of = |position| inst.get_id(position).and_then(|id| cx.constants.unsigned(id));
    Some([of(2)?, of(3)?].map(MemorySemantics::from_bits_retain))
}

/// How strong an order is as that of a load.
fn strength(found: MemorySemantics) -> u32 {
    let acquires = MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE;
    if found.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
        2
    } else {
        u32::from(found.intersects(acquires))
    }
}

fn weaker_unequal(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some([equal, unequal]) = semantics(cx, inst) else { return Ok(()) };
    ensure!(
        strength(unequal) <= strength(equal),
        "a failed comparison has a stronger order than a successful one"
    );
    Ok(())
}

const CLASSES: MemorySemantics = MemorySemantics::UNIFORM_MEMORY
    .union(MemorySemantics::WORKGROUP_MEMORY)
    .union(MemorySemantics::IMAGE_MEMORY)
    .union(MemorySemantics::OUTPUT_MEMORY);

fn fewer_classes(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some([equal, unequal]) = semantics(cx, inst) else { return Ok(()) };
    let extra = unequal.intersection(CLASSES).difference(equal);
    ensure!(extra.is_empty(), "a failed comparison orders {extra:?}, a successful one does not");
    Ok(())
}

fn visible_equal(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some([equal, unequal]) = semantics(cx, inst) else { return Ok(()) };
    let is_visible = |found: MemorySemantics| found.contains(MemorySemantics::MAKE_VISIBLE);
    ensure!(!is_visible(unequal) || is_visible(equal), "only a failed comparison makes memory visible");
    Ok(())
}

fn is_access(op: Op) -> bool {
    matches!(op, Op::Load | Op::Store)
}

fn aligned(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_physical = match cx.value_type(inst.id(0))? {
        Type::Pointer { class, .. } | Type::UntypedPointer { class } => {
            class == StorageClass::PhysicalStorageBuffer
        }
        _ => false,
    };
    let position = if inst.op() == Op::Load { 1 } else { 2 };
    let access = MemoryAccess::from_bits_retain(inst.get_word(position).unwrap_or(0));
    ensure!(
        !is_physical || access.contains(MemoryAccess::ALIGNED),
        "an access by address does not say Aligned"
    );
    Ok(())
}

fn is_matrix_access(op: Op) -> bool {
    matches!(op, Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixStoreKHR)
}

fn matrix_pointer(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let class = match cx.value_type(inst.id(0))? {
        Type::Pointer { class, .. } | Type::UntypedPointer { class } => class,
        _ => return Ok(()),
    };
    let is_allowed = matches!(
        class,
        StorageClass::Workgroup | StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer
    );
    ensure!(is_allowed, "a matrix is accessed in storage class {class:?}");
    Ok(())
}

/// The variable that a chain of access chains begins at; none when it does not begin at one.
pub(crate) fn base<'m>(cx: &Context<'_, 'm>, pointer: Id) -> Option<GlobalVariable<'m>> {
    let mut pointer = pointer;
    loop {
        let inst = cx.module.definition(pointer)?;
        let next = match inst.op() {
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::RawAccessChainNV
            | Op::CopyObject => inst.id(0),
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => inst.id(1),
            _ => return cx.module.global(pointer),
        };
        // In code that nothing reaches, a chain may be its own base.
        if cx.module.definition_index(next)? >= inst.index() {
            return None;
        }
        pointer = next;
    }
}

fn length_of_uniform(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Ok((StorageClass::Uniform, pointee)) = cx.pointer_value(inst.id(0)) else { return Ok(()) };
    let is_block = cx.module.has_decoration(pointee, Decoration::Block);
    ensure!(!is_block, "the length of a uniform block's array is not known");
    Ok(())
}

fn loaded(
    cx: &Context<'_, '_>,
    inst: Instruction<'_>,
    wanted: fn(Type<'_>) -> bool,
    heap: BuiltIn,
) -> Verdict {
    if !wanted(cx.ty(cx.result_type(inst)?)) {
        return Ok(());
    }
    // Where the pointer is a parameter or a variable pointer, callers decide.
    let Some(variable) = base(cx, inst.id(0)) else { return Ok(()) };
    let has = |kind| cx.module.has_decoration(variable.id, kind);
    let is_bound = has(Decoration::Binding) && has(Decoration::DescriptorSet)
        || cx.module.built_in(variable.id) == Some(heap)
        || matches!(
            variable.class,
            StorageClass::Private | StorageClass::Function | StorageClass::TileImageEXT
        );
    ensure!(is_bound, "what is loaded comes from neither a binding nor a heap");
    Ok(())
}

fn is_image_query(op: Op) -> bool {
    name(op).starts_with("ImageQuery")
}

fn queried_tile(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let load = inst.get_id(0).and_then(|image| cx.module.definition(image));
    let variable = load.filter(|load| load.op() == Op::Load).and_then(|load| base(cx, load.id(0)));
    let is_tile = variable.is_some_and(|variable| variable.class == StorageClass::TileAttachmentQCOM);
    ensure!(!is_tile, "a tile attachment is queried");
    Ok(())
}

/// Built-ins that change while a ray stage waits for others.
pub(crate) const CHANGING: [BuiltIn; 9] = [
    BuiltIn::SMIDNV,
    BuiltIn::WarpIDNV,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

fn volatile_load(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    use pyro_spirv::spirv::ExecutionModel as Model;
    if !cx.has_capability(Capability::VulkanMemoryModel) {
        return Ok(());
    }
    // Modules that hold ray stages only, as which stage reads is not looked at here.
    let is_ray = |model| {
        matches!(
            model,
            Model::RayGenerationKHR
                | Model::ClosestHitKHR
                | Model::MissKHR
                | Model::IntersectionKHR
                | Model::CallableKHR
        )
    };
    let is_ray_only = cx.module.entry_points().all(|entry| is_ray(entry.model));
    let built_in = base(cx, inst.id(0)).and_then(|variable| cx.module.built_in(variable.id));
    if !is_ray_only || !built_in.is_some_and(|built_in| CHANGING.contains(&built_in)) {
        return Ok(());
    }
    let access = MemoryAccess::from_bits_retain(inst.get_word(1).unwrap_or(0));
    ensure!(
        access.contains(MemoryAccess::VOLATILE),
        "{built_in:?} changes in ray stages, but the load is not Volatile"
    );
    Ok(())
}
