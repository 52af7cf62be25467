//! Rules on instructions in functions.

use super::{runtime, standalone};
use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{
    Capability, Decoration, Dim, GroupOperation, ImageFormat, MemoryAccess, MemorySemantics, Op, Scope,
    StorageClass,
};
use pyro_spirv::{Id, ImageType, Instruction, Type};

type Rule = fn(&Context<'_, '_>, Instruction<'_>) -> Verdict;
type Applies = fn(Op) -> bool;

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-StandaloneSpirv-None-04636", |op| execution_scope_position(op).is_some(), execution_scope),
    ("VUID-StandaloneSpirv-None-04638", |op| memory_scope_position(op).is_some(), memory_scope),
    ("VUID-StandaloneSpirv-None-04642", is_group_operation, group_scope),
    ("VUID-StandaloneSpirv-None-04641", |op| memory_scope_position(op).is_some(), invocation_scope),
    ("VUID-StandaloneSpirv-MemorySemantics-10865", has_semantics, one_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10866", has_semantics, no_sequential_consistency),
    ("VUID-StandaloneSpirv-MemorySemantics-10867", |op| op == Op::AtomicStore, store_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10868", |op| op == Op::AtomicLoad, load_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10869", |op| op == Op::MemoryBarrier, barrier_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10870", has_semantics, order_needs_class),
    ("VUID-StandaloneSpirv-MemorySemantics-10871", is_barrier, class_needs_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10872", has_semantics, available_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10873", has_semantics, visible_order),
    ("VUID-StandaloneSpirv-MemorySemantics-13551", is_barrier, volatile_barrier),
    (
        "VUID-StandaloneSpirv-UnequalMemorySemantics-10875",
        |op| op == Op::AtomicCompareExchange,
        unequal_order,
    ),
    (
        "VUID-StandaloneSpirv-UnequalMemorySemantics-10879",
        |op| op == Op::AtomicCompareExchange,
        unequal_volatile,
    ),
    ("VUID-StandaloneSpirv-OpReadClockKHR-04652", |op| op == Op::ReadClockKHR, clock_scope),
    ("VUID-StandaloneSpirv-None-04686", is_atomic, atomic_class),
    (
        "VUID-StandaloneSpirv-OpImageTexelPointer-04658",
        |op| op == Op::ImageTexelPointer,
        texel_pointer_format,
    ),
    ("VUID-StandaloneSpirv-OpImageQuerySizeLod-04659", is_sampled_query, query_sampled),
    ("VUID-StandaloneSpirv-OpImageGather-04664", is_gather, gather_component),
    ("VUID-StandaloneSpirv-OpImage-04777", is_dref, dref_dimension),
    ("VUID-StandaloneSpirv-SubpassData-04660", |op| op == Op::ImageRead, subpass_coordinate),
    ("VUID-StandaloneSpirv-OpTypeImage-06924", |op| op == Op::Store, store_opaque),
    ("VUID-StandaloneSpirv-Uniform-06925", |op| op == Op::Store, store_uniform),
    ("VUID-StandaloneSpirv-OpGroupNonUniformBallotBitCount-04685", is_bit_count, bit_count_operation),
    ("VUID-StandaloneSpirv-Base-07650", is_ptr_access_chain, element_class),
    ("VUID-StandaloneSpirv-Base-07651", is_ptr_access_chain, element_workgroup),
    ("VUID-StandaloneSpirv-Base-07652", is_ptr_access_chain, element_storage_buffer),
    ("VUID-StandaloneSpirv-PhysicalStorageBuffer64-04710", is_pointer_conversion, pointer_width),
    (
        "VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314",
        |op| matches!(op, Op::Load | Op::Store),
        alignment,
    ),
];

/// The rules of every file.
pub(crate) fn tables() -> impl Iterator<Item = &'static (&'static str, Applies, Rule)> {
    [
        RULES,
        standalone::instruction::RULES,
        standalone::indexing::RULES,
        runtime::memory::RULES,
        runtime::image::RULES,
        runtime::ray::RULES,
        runtime::cooperative::RULES,
        runtime::processing::RULES,
        runtime::alignment::RULES,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn check(cx: &Context<'_, '_>) {
    // Most opcodes have no rule; find them out once.
    let mut known: OpTable<Vec<(&'static str, Rule)>> = OpTable::new();
    let start = cx.module.global_insts().len();
    for inst in cx.module.insts().skip(start) {
        let op = inst.op();
        let rules = known.get(op, || {
            let about = tables().filter(|(_, applies, _)| applies(op));
            about.map(|(rule, _, function)| (*rule, *function)).collect()
        });
        if rules.is_empty() {
            continue;
        }
        if cx.is_full() {
            return;
        }
        for (rule, function) in rules {
            if let Err(message) = function(cx, inst) {
                cx.report(rule, inst.index(), message);
            }
        }
    }
}

/// Something for each opcode, made when first asked for.
pub(super) struct OpTable<T>(Vec<Option<T>>);

impl<T> OpTable<T> {
    pub(super) fn new() -> Self {
        OpTable(Vec::new())
    }

    pub(super) fn get(&mut self, op: Op, make: impl FnOnce() -> T) -> &T {
        // Opcodes are numbers of 16 bits.
        let place = op as usize;
        if place >= self.0.len() {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_with(make)
    }
}

fn is_group_operation(op: Op) -> bool {
    let name = pyro_spirv::grammar::table().get(op).name;
    name.starts_with("GroupNonUniform") && !name.contains("QuadA") && !name.contains("Partition")
}

fn execution_scope_position(op: Op) -> Option<usize> {
    (op == Op::ControlBarrier || is_group_operation(op)).then_some(0)
}

fn is_atomic(op: Op) -> bool {
    let name = pyro_spirv::grammar::table().get(op).name;
    name.starts_with("Atomic") && !name.starts_with("AtomicFlag")
}

fn is_barrier(op: Op) -> bool {
    matches!(op, Op::ControlBarrier | Op::MemoryBarrier)
}

fn memory_scope_position(op: Op) -> Option<usize> {
    match op {
        Op::ControlBarrier => Some(1),
        Op::MemoryBarrier => Some(0),
        _ => is_atomic(op).then_some(1),
    }
}

fn has_semantics(op: Op) -> bool {
    is_barrier(op) || is_atomic(op)
}

/// The semantics, when its value is known; for a compare-exchange the equal one.
fn semantics(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<MemorySemantics> {
    let position = if inst.op() == Op::MemoryBarrier { 1 } else { 2 };
    semantics_at(cx, inst, position)
}

fn semantics_at(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<MemorySemantics> {
    let bits = cx.constants.scalar(inst.get_id(position)?)?;
    Some(MemorySemantics::from_bits_retain(bits as u32))
}

const ORDERS: MemorySemantics = MemorySemantics::ACQUIRE
    .union(MemorySemantics::RELEASE)
    .union(MemorySemantics::ACQUIRE_RELEASE)
    .union(MemorySemantics::SEQUENTIALLY_CONSISTENT);

const CLASSES: MemorySemantics = MemorySemantics::UNIFORM_MEMORY
    .union(MemorySemantics::WORKGROUP_MEMORY)
    .union(MemorySemantics::IMAGE_MEMORY)
    .union(MemorySemantics::OUTPUT_MEMORY);

fn scope(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<Scope> {
    Scope::from_u32(u32::try_from(cx.constants.scalar(inst.get_id(position)?)?).ok()?)
}

fn execution_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = scope(cx, inst, 0);
    let is_allowed = matches!(found, None | Some(Scope::Workgroup | Scope::Subgroup));
    ensure!(is_allowed, "the execution scope {found:?} is neither Workgroup nor Subgroup");
    Ok(())
}

fn memory_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = memory_scope_position(inst.op()).and_then(|position| scope(cx, inst, position));
    ensure!(found != Some(Scope::CrossDevice), "the memory scope is CrossDevice");
    Ok(())
}

fn group_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = scope(cx, inst, 0);
    ensure!(matches!(found, None | Some(Scope::Subgroup)), "the scope {found:?} of a group is not Subgroup");
    Ok(())
}

fn invocation_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let position = memory_scope_position(inst.op());
    let is_invocation = position.and_then(|position| scope(cx, inst, position)) == Some(Scope::Invocation);
    let is_relaxed = semantics(cx, inst).is_none_or(|found| !found.intersects(ORDERS));
    ensure!(!is_invocation || is_relaxed, "memory of an invocation alone has no order");
    Ok(())
}

fn one_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let count = semantics(cx, inst).map_or(0, |found| found.intersection(ORDERS).bits().count_ones());
    ensure!(count <= 1, "{count} memory orders are given");
    Ok(())
}

fn no_sequential_consistency(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    let is_sequential = found.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT);
    ensure!(!is_sequential, "sequential consistency does not exist in Vulkan");
    Ok(())
}

fn without(cx: &Context<'_, '_>, inst: Instruction<'_>, forbidden: MemorySemantics) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    ensure!(!found.intersects(forbidden), "the memory order does not suit the operation");
    Ok(())
}

fn store_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    without(cx, inst, MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE)
}

fn load_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    without(cx, inst, MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE)
}

fn barrier_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_ordered = semantics(cx, inst).is_none_or(|found| found.intersects(ORDERS));
    ensure!(is_ordered, "a memory barrier without an order does nothing");
    Ok(())
}

fn order_needs_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_fine =
        semantics(cx, inst).is_none_or(|found| !found.intersects(ORDERS) || found.intersects(CLASSES));
    ensure!(is_fine, "an order is given, but no storage class that it is for");
    Ok(())
}

fn class_needs_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_fine =
        semantics(cx, inst).is_none_or(|found| found.intersects(ORDERS) || !found.intersects(CLASSES));
    ensure!(is_fine, "storage classes are given, but no order");
    Ok(())
}

fn available_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    let is_release = found.intersects(MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE);
    ensure!(
        !found.contains(MemorySemantics::MAKE_AVAILABLE) || is_release,
        "MakeAvailable without a release"
    );
    Ok(())
}

fn visible_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    let is_acquire = found.intersects(MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE);
    ensure!(!found.contains(MemorySemantics::MAKE_VISIBLE) || is_acquire, "MakeVisible without an acquire");
    Ok(())
}

fn volatile_barrier(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    without(cx, inst, MemorySemantics::VOLATILE)
}

fn unequal_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics_at(cx, inst, 3).unwrap_or(MemorySemantics::empty());
    let releases = found.intersects(MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE);
    ensure!(!releases, "a failed comparison releases nothing");
    Ok(())
}

fn unequal_volatile(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_volatile = |position| {
        let found = semantics_at(cx, inst, position);
        found.is_some_and(|found| found.contains(MemorySemantics::VOLATILE))
    };
    ensure!(is_volatile(2) == is_volatile(3), "only one of the two semantics is volatile");
    Ok(())
}

fn clock_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = scope(cx, inst, 0);
    let is_allowed = matches!(found, None | Some(Scope::Subgroup | Scope::Device));
    ensure!(is_allowed, "the scope {found:?} is neither Subgroup nor Device");
    Ok(())
}

fn atomic_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let (Type::Pointer { class, .. } | Type::UntypedPointer { class }) = cx.value_type(inst.id(0))? else {
        return Ok(());
    };
    let is_allowed = matches!(
        class,
        StorageClass::Uniform
            | StorageClass::Workgroup
            | StorageClass::Image
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::TaskPayloadWorkgroupEXT
    );
    ensure!(is_allowed, "storage class {class:?} has no atomics");
    Ok(())
}

fn image_of(cx: &Context<'_, '_>, ty: Id) -> Option<ImageType> {
    match cx.ty(ty) {
        Type::Image(image) => Some(image),
        Type::SampledImage { image } => image_of(cx, image),
        _ => None,
    }
}

fn image_operand(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<ImageType> {
    image_of(cx, cx.module.type_of(inst.get_id(0)?)?)
}

fn texel_pointer_format(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let image = cx.pointer_value(inst.id(0)).ok().and_then(|(_, image)| image_of(cx, image));
    let Some(image) = image else { return Ok(()) };
    let texel = inst.result_type().and_then(|ty| cx.module.pointer(ty));
    let is_vector = texel.is_some_and(|(_, texel)| matches!(cx.ty(texel), Type::Vector { .. }));
    let is_allowed = matches!(
        image.format,
        ImageFormat::R64i | ImageFormat::R64ui | ImageFormat::R32f | ImageFormat::R32i | ImageFormat::R32ui
    );
    ensure!(is_allowed || is_vector, "texels of format {:?} have no atomics", image.format);
    Ok(())
}

fn is_sampled_query(op: Op) -> bool {
    matches!(op, Op::ImageQuerySizeLod | Op::ImageQueryLod | Op::ImageQueryLevels)
}

fn query_sampled(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_sampled = image_operand(cx, inst).is_none_or(|image| image.sampled == 1);
    ensure!(is_sampled, "the image is not one that is used with a sampler");
    Ok(())
}

fn is_gather(op: Op) -> bool {
    matches!(op, Op::ImageGather | Op::ImageSparseGather)
}

fn gather_component(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    ensure!(cx.is_constant(inst.id(2)), "the component is no constant");
    Ok(())
}

fn is_dref(op: Op) -> bool {
    pyro_spirv::grammar::table().get(op).name.contains("Dref")
}

fn dref_dimension(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_3d = image_operand(cx, inst).is_some_and(|image| image.dim == Dim::Dim3D);
    ensure!(!is_3d, "a 3D image is compared with a reference");
    Ok(())
}

fn subpass_coordinate(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if image_operand(cx, inst).is_none_or(|image| image.dim != Dim::DimSubpassData) {
        return Ok(());
    }
    let value = cx.constants.get(inst.id(1));
    let is_zero = value.is_some_and(|value| {
        let part = |index| cx.constants.element(value, index).and_then(|part| cx.constants.scalar_of(part));
        part(0) == Some(0) && part(1) == Some(0)
    });
    ensure!(is_zero, "the coordinate of subpass data is not the constant (0, 0)");
    Ok(())
}

fn store_opaque(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let ty = cx.module.strip_arrays(cx.type_of(inst.id(1))?);
    let is_handle = matches!(
        cx.ty(ty),
        Type::Image(_)
            | Type::Sampler
            | Type::SampledImage { .. }
            | Type::AccelerationStructure
            | Type::Tensor { .. }
    );
    ensure!(!is_handle, "an opaque object is stored");
    Ok(())
}

fn store_uniform(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if !matches!(cx.pointer_value(inst.id(0)), Ok((StorageClass::Uniform, _))) {
        return Ok(());
    }
    let ty = standalone::instruction::base(cx, inst.id(0)).and_then(|variable| variable.value_type);
    let ty = ty.map(|ty| cx.module.strip_arrays(ty));
    let is_block = ty.is_some_and(|ty| cx.module.has_decoration(ty, Decoration::Block));
    ensure!(!is_block, "a uniform block is written to");
    Ok(())
}

fn is_bit_count(op: Op) -> bool {
    op == Op::GroupNonUniformBallotBitCount
}

fn bit_count_operation(_cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let operation = GroupOperation::from_u32(inst.word(1));
    let is_allowed = matches!(
        operation,
        Some(GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan)
    );
    ensure!(is_allowed, "{operation:?} counts no bits");
    Ok(())
}

fn is_ptr_access_chain(op: Op) -> bool {
    matches!(op, Op::PtrAccessChain | Op::UntypedPtrAccessChainKHR)
}

fn element_base_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<StorageClass> {
    let position = if inst.op() == Op::PtrAccessChain { 0 } else { 1 };
    match cx.value_type(inst.id(position)).ok()? {
        Type::Pointer { class, .. } | Type::UntypedPointer { class } => Some(class),
        _ => None,
    }
}

fn element_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let class = element_base_class(cx, inst);
    let is_allowed = matches!(
        class,
        None | Some(
            StorageClass::Workgroup | StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer
        )
    );
    ensure!(is_allowed, "pointers of storage class {class:?} have no neighbours");
    Ok(())
}

fn element_workgroup(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_workgroup = element_base_class(cx, inst) == Some(StorageClass::Workgroup);
    ensure!(
        !is_workgroup || cx.has_capability(Capability::VariablePointers),
        "VariablePointers is not declared"
    );
    Ok(())
}

fn element_storage_buffer(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_storage = element_base_class(cx, inst) == Some(StorageClass::StorageBuffer);
    let is_declared = cx.has_capability(Capability::VariablePointers)
        || cx.has_capability(Capability::VariablePointersStorageBuffer);
    ensure!(!is_storage || is_declared, "VariablePointersStorageBuffer is not declared");
    Ok(())
}

fn is_pointer_conversion(op: Op) -> bool {
    matches!(op, Op::ConvertUToPtr | Op::ConvertPtrToU)
}

fn pointer_width(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let number = if inst.op() == Op::ConvertPtrToU { cx.result_type(inst)? } else { cx.type_of(inst.id(0))? };
    ensure!(matches!(cx.ty(number), Type::Int { width: 64, .. }), "the number is no 64-bit integer");
    Ok(())
}

fn alignment(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Ok((StorageClass::PhysicalStorageBuffer, pointee)) = cx.pointer_value(inst.id(0)) else {
        return Ok(());
    };
    let position = if inst.op() == Op::Load { 1 } else { 2 };
    let access = MemoryAccess::from_bits_retain(inst.get_word(position).unwrap_or(0));
    if !access.contains(MemoryAccess::ALIGNED) {
        return Ok(());
    }
    let given = inst.get_word(position + 1).unwrap_or(0);
    let needed = scalar_size(cx, pointee);
    ensure!(needed == 0 || given.is_multiple_of(needed), "the alignment {given} is no multiple of {needed}");
    Ok(())
}

/// Bytes of the greatest scalar in a type; structures' members are looked into once each.
fn scalar_size(cx: &Context<'_, '_>, ty: Id) -> u32 {
    let mut seen = std::collections::HashSet::new();
    let mut pending = vec![ty];
    let mut size = 0;
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match cx.ty(ty) {
            Type::Int { width, .. } | Type::Float { width, .. } => size = size.max(width / 8),
            Type::Pointer { .. } => size = 8,
            Type::Vector { component: part, .. }
            | Type::Matrix { column: part, .. }
            | Type::Array { element: part, .. }
            | Type::RuntimeArray { element: part } => pending.push(part),
            Type::Struct { members } => pending.extend(members.iter()),
            _ => {}
        }
    }
    size
}
