//! Rules on instructions in functions.

use crate::context::{Context, Verdict, ensure};
use crate::microscaling;
use crate::vulkan::declaration::ModuleRule;
use crate::vulkan::instruction::{Applies, Rule};
use crate::vulkan::runtime_spirv::image;
use pyro_spirv::facts::{Family, RAY_TRACING_STAGES, facts};
use pyro_spirv::grammar::OperandKind;
use pyro_spirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionModel as Model, GroupOperation,
    ImageFormat, ImageOperands, MemoryAccess, Op, StorageClass,
};
use pyro_spirv::{GlobalVariable, Id, ImageType, Instruction, NewerOp, Type};
use std::collections::HashSet;

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
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
    ("VUID-StandaloneSpirv-Offset-04865", image::has_image_operands, offset_sampled),
    (
        "VUID-StandaloneSpirv-Result-04780",
        |op| matches!(op, Op::ImageRead | Op::ImageSparseRead),
        read_vector,
    ),
    (
        "VUID-StandaloneSpirv-OpConvertFToU-12465",
        |op| matches!(op, Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF),
        microscaling_integer,
    ),
    ("VUID-StandaloneSpirv-OpFConvert-12466", |op| op == Op::FConvert, microscaling_result),
    ("VUID-StandaloneSpirv-Result-12468", |op| op == Op::ShiftRightLogical, extracted_type),
    ("VUID-StandaloneSpirv-Base-12469", |op| op == Op::ShiftRightLogical, extracted_base),
];

fn microscaling_integer(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let result = inst.result_type().and_then(|ty| microscaling::encoding(cx, ty));
    let operand = cx.module.type_of(inst.id(0)).and_then(|ty| microscaling::encoding(cx, ty));
    match result.or(operand) {
        Some(encoding) => Err(format!("{encoding:?} is not converted from or to integers")),
        None => Ok(()),
    }
}

/// With this rule that on what such values are converted to (12467) is kept too.
fn microscaling_result(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let result = inst.result_type().and_then(|ty| microscaling::encoding(cx, ty));
    ensure!(result.is_none(), "nothing is converted to a microscaling type");
    Ok(())
}

fn extracted_type(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_extract = inst.newer() == Some(NewerOp::BitcastExtract);
    let result = inst.result_type().and_then(|ty| microscaling::encoding(cx, ty));
    let is_small = result.is_some_and(|encoding| encoding.width() < 8);
    ensure!(!is_extract || is_small, "what is extracted is not of a float type of 4 or 6 bits");
    Ok(())
}

fn extracted_base(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_extract = inst.newer() == Some(NewerOp::BitcastExtract);
    let is_integer = cx.value_shape(inst.id(0)).is_ok_and(|shape| shape.is_int());
    ensure!(!is_extract || is_integer, "the base is not of integers");
    Ok(())
}

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

/// Pointers to columns and components of matrices that are stored row by row: only loads and stores know how
/// to gather those.
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
        // Chains of typed pointers; only those have types that say what is inside.
        let chain = facts(inst.op()).access_chain.filter(|chain| chain.base == 0);
        let (Some(first), Some(result)) = (chain.and_then(|chain| chain.indices), inst.result()) else {
            continue;
        };
        let Ok((_, mut ty)) = cx.pointer_value(inst.id(0)) else { continue };
        let mut is_row_major = to_matrix.contains(&inst.id(0));
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
    facts(op).family == Family::Atomic
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
    let (access, _) = inst.memory_access();
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
        let copied = || inst.get_id(0).filter(|_| inst.op() == Op::CopyObject);
        let Some(next) = inst.chain_base().or_else(copied) else { return cx.module.global(pointer) };
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
    ensure!(is_bound, "the loaded pointer comes from neither a binding nor a heap");
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

/// Whether a stage may wait while other rays and shaders run: those of ray tracing pipelines but any-hit.
pub(crate) fn waits_for_others(model: Model) -> bool {
    model != Model::AnyHitKHR && RAY_TRACING_STAGES.contains(&model)
}

fn volatile_load(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if !cx.has_capability(Capability::VulkanMemoryModel) {
        return Ok(());
    }
    // Modules that hold ray stages only, as which stage reads is not looked at here.
    let built_in = base(cx, inst.id(0)).and_then(|variable| cx.module.built_in(variable.id));
    if !built_in.is_some_and(|built_in| CHANGING.contains(&built_in))
        || !cx.module.entry_points().all(|entry| waits_for_others(entry.model))
    {
        return Ok(());
    }
    let (access, _) = inst.memory_access();
    ensure!(
        access.contains(MemoryAccess::VOLATILE),
        "{built_in:?} changes in ray stages, but the load is not Volatile"
    );
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
    ensure!(is_sampled, "the image is not a sampled image (Sampled is not 1)");
    Ok(())
}

fn is_gather(op: Op) -> bool {
    matches!(op, Op::ImageGather | Op::ImageSparseGather)
}

fn gather_component(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    ensure!(cx.is_constant(inst.id(2)), "the component is not a constant");
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
    let ty = base(cx, inst.id(0)).and_then(|variable| variable.value_type);
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
    match cx.value_type(inst.chain_base()?).ok()? {
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
    ensure!(matches!(cx.ty(number), Type::Int { width: 64, .. }), "the number is not a 64-bit integer");
    Ok(())
}

fn alignment(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Ok((StorageClass::PhysicalStorageBuffer, pointee)) = cx.pointer_value(inst.id(0)) else {
        return Ok(());
    };
    let (access, operands) = inst.memory_access();
    if !access.contains(MemoryAccess::ALIGNED) {
        return Ok(());
    }
    let given = inst.get_word(operands).unwrap_or(0);
    let needed = scalar_size(cx, pointee);
    ensure!(
        needed == 0 || given.is_multiple_of(needed),
        "the alignment {given} is not a multiple of {needed}"
    );
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

fn offset_sampled(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let any = ImageOperands::OFFSET | ImageOperands::CONST_OFFSET | ImageOperands::CONST_OFFSETS;
    let is_sampled = image::image_of(cx, inst).is_none_or(|image| image.sampled == 1);
    ensure!(!image::mask(inst).intersects(any) || is_sampled, "offsets are for images used with samplers");
    Ok(())
}

fn read_vector(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let result = cx.result_type(inst)?;
    // A sparse read gives a structure of a code and the texel.
    let texel = match cx.ty(result) {
        Type::Struct { members } => members.get(1).unwrap_or(result),
        _ => result,
    };
    let is_vector = matches!(cx.ty(texel), Type::Vector { count: 4, .. });
    ensure!(is_vector, "the result has not four components");
    Ok(())
}
