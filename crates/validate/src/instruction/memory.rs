//! Variables, pointers, loads and stores, atomics (SPIR-V, 3.49.8 and 3.49.18).

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{
    Capability, Dim, ImageFormat, MemoryAccess, Op, RawAccessChainOperands, StorageClass,
};
use pyro_spirv::{Id, Ids, Instruction, Type};

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Op) -> Option<Verdict> {
    Some(match op {
        Op::Variable => variable(cx, inst),
        Op::Load => load(cx, inst),
        Op::Store => store(cx, inst),
        Op::CopyMemory => copy_memory(cx, inst),
        Op::AccessChain | Op::InBoundsAccessChain => access_chain(cx, inst),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => ptr_access_chain(cx, inst),
        Op::RawAccessChainNV => raw_access_chain(cx, inst),
        Op::ArrayLength => array_length(cx, inst),
        Op::ImageTexelPointer => image_texel_pointer(cx, inst),
        Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => pointer_comparison(cx, inst),
        Op::AtomicLoad
        | Op::AtomicExchange
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor
        | Op::AtomicFAddEXT
        | Op::AtomicFMinEXT
        | Op::AtomicFMaxEXT
        | Op::AtomicIIncrement
        | Op::AtomicIDecrement
        | Op::AtomicCompareExchange => atomic(cx, inst),
        Op::AtomicStore => atomic_store(cx, inst),
        _ => return None,
    })
}

fn variable<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let ty = cx.result_type(inst)?;
    let Some((class, pointee)) = cx.module.pointer(ty) else { return Err(format!("{ty} is not a pointer")) };
    ensure!(class == StorageClass::Function, "a variable in a function is of class Function");
    ensure!(inst.word(0) == class as u32, "the storage class is not that of the result type");
    ensure!(!matches!(cx.ty(pointee), Type::Void | Type::Function { .. }), "{pointee} has no values");
    if let Some(initializer) = inst.get_id(1) {
        let is_constant = cx.is_constant(initializer) || cx.module.global(initializer).is_some();
        ensure!(is_constant, "the initializer {initializer} is not a constant");
        ensure!(cx.type_of(initializer)? == pointee, "the initializer's type is not the variable's");
    }
    Ok(())
}

/// `Aligned` is there for physical pointers, and is a power of two.
fn memory_access(inst: Instruction<'_>, position: usize, class: StorageClass) -> Verdict {
    let access = MemoryAccess::from_bits_retain(inst.get_word(position).unwrap_or(0));
    let is_aligned = access.contains(MemoryAccess::ALIGNED);
    if is_aligned {
        let alignment = inst.get_word(position + 1).unwrap_or(0);
        ensure!(alignment.is_power_of_two(), "the alignment {alignment} is not a power of two");
    }
    let is_physical = class == StorageClass::PhysicalStorageBuffer;
    ensure!(
        is_aligned || !is_physical,
        "physical pointers need Aligned (VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708)"
    );
    Ok(())
}

fn load<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    let class = match cx.value_type(inst.id(0))? {
        Type::Pointer { class, pointee } => {
            ensure!(pointee == result, "the result is not of the type that is pointed to");
            class
        }
        Type::UntypedPointer { class } => class,
        _ => return Err(format!("{} is not a pointer", inst.id(0))),
    };
    ensure!(!matches!(cx.ty(result), Type::Void | Type::Function { .. }), "{result} has no values");
    ensure!(!cx.facts(result).has_runtime_array, "a runtime array cannot be loaded");
    memory_access(inst, 1, class)
}

fn is_read_only(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::UniformConstant
            | StorageClass::Input
            | StorageClass::PushConstant
            | StorageClass::ShaderRecordBufferKHR
    )
}

fn store<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let object = cx.type_of(inst.id(1))?;
    let class = match cx.value_type(inst.id(0))? {
        Type::Pointer { class, pointee } => {
            // Relaxed block layout does not relax this; HLSL's legacy relaxation is for other APIs.
            ensure!(pointee == object, "the object is not of the type that is pointed to");
            class
        }
        Type::UntypedPointer { class } => class,
        _ => return Err(format!("{} is not a pointer", inst.id(0))),
    };
    ensure!(!is_read_only(class), "storage class {class:?} is read-only");
    ensure!(!cx.facts(object).has_runtime_array, "a runtime array cannot be stored");
    memory_access(inst, 2, class)
}

fn copy_memory<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let target = cx.value_type(inst.id(0))?;
    let source = cx.value_type(inst.id(1))?;
    let (target_class, copied) = match (target, source) {
        (Type::Pointer { class, pointee }, Type::Pointer { pointee: from, .. }) => {
            ensure!(pointee == from, "the pointers are to different types");
            (class, Some(pointee))
        }
        (Type::Pointer { class, pointee }, Type::UntypedPointer { .. }) => (class, Some(pointee)),
        (Type::UntypedPointer { class }, Type::Pointer { pointee, .. }) => (class, Some(pointee)),
        _ => return Err("one of the operands must be a typed pointer, and both pointers".to_owned()),
    };
    ensure!(!is_read_only(target_class), "storage class {target_class:?} is read-only");
    let has_runtime_array = copied.is_some_and(|ty| cx.facts(ty).has_runtime_array);
    ensure!(!has_runtime_array, "a runtime array cannot be copied");
    if let Some(ty) = copied {
        crate::types::value_size(cx, ty)?;
    }
    memory_access(inst, 2, target_class)
}

/// The type that dynamic indices lead to.
fn indexed_type(cx: &Context<'_, '_>, ty: Id, indices: Ids<'_>) -> Result<Id, String> {
    let limit = cx.environment.limits.index_count_max;
    ensure_ok(indices.len() <= limit, || format!("{} indices are more than {limit}", indices.len()))?;
    let mut ty = ty;
    for index in indices.iter() {
        ty = match cx.ty(ty) {
            Type::Struct { members } => {
                let is_literal = cx.op_of(index) == Op::Constant;
                ensure_ok(is_literal, || format!("{index} selects a member, but is not an OpConstant"))?;
                let number = cx.constants.unsigned(index);
                match number.and_then(|number| members.get(number as usize)) {
                    Some(member) => member,
                    None => return Err(format!("{ty} has no member {index}")),
                }
            }
            found => {
                cx.int_scalar(index)?;
                match found {
                    Type::Array { element, .. } | Type::RuntimeArray { element } => element,
                    Type::Vector { component, .. }
                    | Type::CooperativeVector { component, .. }
                    | Type::CooperativeMatrixKhr { component, .. }
                    | Type::CooperativeMatrixNv { component, .. } => component,
                    Type::Matrix { column, .. } => column,
                    Type::NodePayloadArray { payload } => payload,
                    _ => return Err(format!("{ty} has no parts")),
                }
            }
        };
    }
    Ok(ty)
}

fn ensure_ok(condition: bool, message: impl FnOnce() -> String) -> Verdict {
    if condition { Ok(()) } else { Err(message()) }
}

fn access_chain<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (class, pointee) = cx.pointer_value(inst.id(0))?;
    let found = indexed_type(cx, pointee, inst.ids_from(1))?;
    result_pointer(cx, inst, class, found)
}

fn result_pointer<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    class: StorageClass,
    found: Id,
) -> Verdict {
    let Some((result_class, result)) = cx.module.pointer(cx.result_type(inst)?) else {
        return Err("the result is not a pointer".to_owned());
    };
    ensure!(result_class == class, "the result is not of the base's storage class");
    ensure!(result == found, "the result points to {result}, the indices lead to {found}");
    Ok(())
}

fn ptr_access_chain<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let base_type = cx.type_of(inst.id(0))?;
    let (class, pointee) = cx.pointer_value(inst.id(0))?;
    cx.int_scalar(inst.id(1))?;
    let is_variable_pointer = matches!(
        class,
        StorageClass::Workgroup | StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer
    );
    ensure!(is_variable_pointer, "a pointer to storage class {class:?} is not an element of an array");
    let needs_stride = class != StorageClass::Workgroup;
    let has_stride = cx.module.array_stride(base_type).is_some_and(|stride| stride != 0);
    ensure!(has_stride || !needs_stride, "the base's type has no ArrayStride");
    let found = indexed_type(cx, pointee, inst.ids_from(2))?;
    result_pointer(cx, inst, class, found)
}

/// `SPV_NV_raw_access_chains`
fn raw_access_chain<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (class, _) = cx.pointer_value(inst.id(0))?;
    let is_buffer = matches!(
        class,
        StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Uniform
    );
    ensure!(is_buffer, "storage class {class:?} is not that of a buffer");
    let Some((result_class, pointee)) = cx.module.pointer(cx.result_type(inst)?) else {
        return Err("the result is not a pointer".to_owned());
    };
    ensure!(result_class == class, "the result is of another storage class than the base");
    ensure!(
        cx.module.component(pointee).is_some() || matches!(cx.ty(pointee), Type::Pointer { .. }),
        "the result points neither to a scalar nor to a vector"
    );
    let is_constant = cx.module.definition(inst.id(1)).is_some_and(|found| found.op() == Op::Constant);
    ensure!(is_constant, "the stride is not an OpConstant");
    cx.int_scalar(inst.id(1))?;
    for index in [inst.id(2), inst.id(3)] {
        ensure!(cx.int_scalar(index)? == 32, "{index} is not a 32-bit integer");
    }
    let operands = RawAccessChainOperands::from_bits_retain(inst.get_word(4).unwrap_or(0));
    ensure!(
        operands.is_empty() || class != StorageClass::PhysicalStorageBuffer,
        "physical pointers have no bounds"
    );
    ensure!(operands != RawAccessChainOperands::all(), "both kinds of robustness are asked for");
    let per_element = operands.contains(RawAccessChainOperands::ROBUSTNESS_PER_ELEMENT_NV);
    ensure!(!per_element || cx.constants.scalar(inst.id(1)) != Some(0), "elements have a stride of zero");
    Ok(())
}

fn array_length<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.ty(cx.result_type(inst)?);
    ensure!(
        matches!(result, Type::Int { width: 32 | 64, signed: false }),
        "the result is not an unsigned integer of 32 or 64 bits"
    );
    let (_, pointee) = cx.pointer_value(inst.id(0))?;
    let Type::Struct { members } = cx.ty(pointee) else {
        return Err(format!("{} does not point to a structure", inst.id(0)));
    };
    let index = inst.word(1) as usize;
    let is_last = index + 1 == members.len();
    let is_runtime_array =
        members.get(index).is_some_and(|member| matches!(cx.ty(member), Type::RuntimeArray { .. }));
    ensure!(is_last && is_runtime_array, "member {index} is not a runtime array at the structure's end");
    Ok(())
}

fn image_texel_pointer<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (_, image) = cx.pointer_value(inst.id(0))?;
    let Type::Image(image) = cx.ty(image) else {
        return Err(format!("{} does not point to an image", inst.id(0)));
    };
    let Some((class, texel)) = cx.module.pointer(cx.result_type(inst)?) else {
        return Err("the result is not a pointer".to_owned());
    };
    ensure!(class == StorageClass::Image, "the result is not of storage class Image");
    let is_vector_format = matches!(cx.ty(texel), Type::Vector { .. });
    ensure!(texel == image.sampled_type || is_vector_format, "the result does not point to the sampled type");
    ensure!(image.dim != Dim::DimSubpassData, "subpass data has no texel pointers");
    ensure!(image.format != ImageFormat::Unknown || image.sampled != 1, "the image is not a storage image");
    let coordinate = cx.value_shape(inst.id(1))?;
    let needed = super::image::texel_coordinate_count(&image);
    ensure!(coordinate.is_int() && coordinate.count() >= needed, "the coordinate needs {needed} integers");
    cx.int_scalar(inst.id(2))?;
    Ok(())
}

fn pointer_comparison<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (left, right) = (cx.type_of(inst.id(0))?, cx.type_of(inst.id(1))?);
    let is_pointer = matches!(cx.ty(left), Type::Pointer { .. } | Type::UntypedPointer { .. });
    ensure!(is_pointer, "the operands are not pointers");
    let same_class = match (cx.ty(left), cx.ty(right)) {
        (
            Type::UntypedPointer { class: a } | Type::Pointer { class: a, .. },
            Type::UntypedPointer { class: b },
        )
        | (Type::UntypedPointer { class: a }, Type::Pointer { class: b, .. }) => a == b,
        _ => left == right,
    };
    ensure!(same_class, "the pointers' types differ");
    let result = cx.ty(cx.result_type(inst)?);
    if inst.op() == Op::PtrDiff {
        ensure!(matches!(result, Type::Int { .. }), "the result is not an integer");
    } else {
        ensure!(result == Type::Bool, "the result is not a boolean");
    }
    Ok(())
}

/// A scope or memory semantics: a constant integer of 32 bits, whose value is known.
pub(super) fn constant_u32(cx: &Context<'_, '_>, id: Id, what: &str) -> Result<u32, String> {
    let is_int = matches!(cx.value_type(id)?, Type::Int { width: 32, .. });
    ensure_ok(is_int, || format!("{what} is not a 32-bit integer"))?;
    let value = cx.constants.scalar(id).map(|bits| bits as u32);
    value.ok_or_else(|| format!("{what} is not a constant"))
}

/// A scope that shaders may name.
pub(crate) fn scope(cx: &Context<'_, '_>, id: Id) -> Result<u32, String> {
    let value = constant_u32(cx, id, "the scope")?;
    ensure_ok((1..=6).contains(&value), || format!("{value} is not a scope of shaders"))?;
    Ok(value)
}

fn atomic_pointer(cx: &Context<'_, '_>, pointer: Id) -> Result<Option<Id>, String> {
    let (class, pointee) = match cx.value_type(pointer)? {
        Type::Pointer { class, pointee } => (class, Some(pointee)),
        Type::UntypedPointer { class } => (class, None),
        _ => return Err(format!("{pointer} is not a pointer")),
    };
    let is_allowed = matches!(
        class,
        StorageClass::Uniform
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::Workgroup
            | StorageClass::Image
            | StorageClass::TaskPayloadWorkgroupEXT
            | StorageClass::NodePayloadAMDX
    ) || (class == StorageClass::Function
        && cx.has_capability(Capability::AtomicStorageOps));
    ensure_ok(is_allowed, || format!("storage class {class:?} has no atomics"))?;
    Ok(pointee)
}

fn atomic<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    let pointee = atomic_pointer(cx, inst.id(0))?;
    ensure!(
        pointee.is_none_or(|pointee| pointee == result),
        "the result is not of the type that is pointed to"
    );
    scope(cx, inst.id(1))?;
    constant_u32(cx, inst.id(2), "the memory semantics")?;
    let ty = cx.ty(result);
    let is_float_op = matches!(inst.op(), Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT);
    let is_either = matches!(inst.op(), Op::AtomicLoad | Op::AtomicExchange);
    let is_number = match ty {
        Type::Int { .. } => !is_float_op,
        Type::Float { .. } => is_float_op || is_either,
        Type::Vector { component, count: 2 | 4 } => {
            (is_float_op || inst.op() == Op::AtomicExchange)
                && matches!(cx.ty(component), Type::Float { width: 16, .. })
        }
        _ => false,
    };
    ensure!(is_number, "the type is not one that the operation is for");
    match inst.op() {
        Op::AtomicLoad | Op::AtomicIIncrement | Op::AtomicIDecrement => {}
        Op::AtomicCompareExchange => {
            constant_u32(cx, inst.id(3), "the memory semantics")?;
            for position in [4, 5] {
                ensure!(cx.type_of(inst.id(position))? == result, "a value is not of the result's type");
            }
        }
        _ => ensure!(cx.type_of(inst.id(3))? == result, "the value is not of the result's type"),
    }
    Ok(())
}

fn atomic_store<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let pointee = atomic_pointer(cx, inst.id(0))?;
    scope(cx, inst.id(1))?;
    constant_u32(cx, inst.id(2), "the memory semantics")?;
    let value = cx.type_of(inst.id(3))?;
    ensure!(
        pointee.is_none_or(|pointee| pointee == value),
        "the value is not of the type that is pointed to"
    );
    ensure!(matches!(cx.ty(value), Type::Int { .. } | Type::Float { .. }), "the value is not a number");
    Ok(())
}
