//! SPIR-V's own rules that no compiler relies on (SPIR-V, 2.16); checked with
//! [`Environment::strict`](crate::Environment::strict).

use crate::context::{Context, Verdict, ensure};
use crate::instruction::memory::scope;
use crate::tensor;
use pyro_interface::used_globals;
use pyro_spirv::facts::{AccessChain, Facts, Family, facts};
use pyro_spirv::grammar::OperandKind;
use pyro_spirv::spirv::{
    AddressingModel, Capability, Decoration, Dim, ExecutionMode as Mode, ExecutionModel as Model, FPEncoding,
    ImageFormat, Op, StorageClass,
};
use pyro_spirv::{EntryPoint, Id, Instruction, Type};
use std::collections::HashSet;

/// Runs every rule.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let is_linked = cx.has_capability(Capability::Linkage) || cx.has_capability(Capability::GraphARM);
    if cx.module.entry_points().len() == 0 && !is_linked {
        cx.report_module("OpEntryPoint", "the module has no entry point");
    }
    for entry in cx.module.entry_points() {
        modes(cx, &entry);
        if let Err(message) = listed(cx, &entry) {
            cx.report("OpEntryPoint", entry.inst.index(), message);
        }
    }
    forward_pointers(cx);
    let is_logical =
        cx.module.memory_model().is_some_and(|(addressing, _)| addressing == AddressingModel::Logical);
    for inst in cx.module.global_insts() {
        let verdict = match inst.op() {
            Op::Variable if is_logical => held_pointer(cx, inst),
            Op::TypeStruct => nested_blocks(cx, inst),
            Op::TypeUntypedPointerKHR => untyped_images(cx, inst),
            Op::TypePointer => pointed_function(cx, inst),
            Op::TypeCooperativeMatrixKHR => matrix_component(cx, inst),
            Op::TypeTensorLayoutNV | Op::TypeTensorViewNV => tensor::declared(cx, inst),
            _ => Ok(()),
        };
        if let Err(message) = verdict {
            cx.report(inst.info().full_name(), inst.index(), message);
        }
    }
    let is_vulkan = cx.has_capability(Capability::VulkanMemoryModel);
    for inst in cx.module.insts().skip(cx.module.global_insts().len()) {
        if cx.is_full() {
            return;
        }
        let verdict = match inst.op() {
            Op::AccessChain | Op::InBoundsAccessChain => non_negative_indices(cx, inst),
            Op::Select | Op::Phi if is_logical => chosen_pointer(cx, inst),
            Op::Variable if is_logical => held_pointer(cx, inst),
            Op::Load | Op::Store | Op::CopyMemory if is_vulkan => access_scopes(cx, inst),
            Op::ImageRead | Op::ImageWrite | Op::ImageSparseRead => {
                let scopes = if is_vulkan { access_scopes(cx, inst) } else { Ok(()) };
                scopes.and_then(|()| storage_image(cx, inst))
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                dot_product(cx, inst)
            }
            Op::Dot => float_product(cx, inst),
            Op::CooperativeMatrixLoadKHR => matrix_memory(cx, inst, inst.result_type()),
            Op::CooperativeMatrixStoreKHR => matrix_memory(cx, inst, cx.module.type_of(inst.id(1))),
            Op::BitCastArrayQCOM
            | Op::ExtractSubArrayQCOM
            | Op::CompositeConstructCoopMatQCOM
            | Op::CompositeExtractCoopMatQCOM => tensor::converted(cx, inst),
            Op::CooperativeMatrixLoadTensorNV | Op::CooperativeMatrixStoreTensorNV => {
                tensor::accessed(cx, inst)
            }
            Op::CooperativeVectorLoadNV
            | Op::CooperativeVectorStoreNV
            | Op::CooperativeVectorReduceSumAccumulateNV
            | Op::CooperativeVectorOuterProductAccumulateNV => vector_memory(cx, inst, 0),
            Op::CooperativeVectorMatrixMulNV => vector_memory(cx, inst, 2),
            Op::CooperativeVectorMatrixMulAddNV => {
                vector_memory(cx, inst, 2).and_then(|()| vector_memory(cx, inst, 5))
            }
            Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => interlock(cx),
            op => match facts(op) {
                Facts { family: Family::TensorLayout, .. } => tensor::check(cx, inst),
                Facts { access_chain: Some(AccessChain { base: 1, .. }), .. } => untyped_chain(cx, inst),
                _ => Ok(()),
            },
        };
        if let Err(message) = verdict {
            cx.report(inst.info().full_name(), inst.index(), message);
        }
    }
}

/// An entry point lists the variables that its call tree names: inputs and outputs, from version 1.4 on all.
fn listed(cx: &Context<'_, '_>, entry: &EntryPoint<'_>) -> Verdict {
    let lists_all = cx.module.header().version() >= (1, 4);
    let listed: HashSet<Id> = entry.interface.iter().collect();
    let missing = used_globals(cx.module, entry.function).into_iter().find(|id| {
        let class = cx.module.global(*id).map(|variable| variable.class);
        let is_to_list = lists_all || matches!(class, Some(StorageClass::Input | StorageClass::Output));
        is_to_list && !listed.contains(id)
    });
    let Some(id) = missing else { return Ok(()) };
    let name = cx.module.name(id).filter(|name| !name.is_empty());
    let name = name.map_or_else(|| id.to_string(), |name| format!("'{name}' ({id})"));
    Err(format!("the variable {name} is used, but not listed"))
}

/// Pointers that are declared ahead are to structures, and declared ahead once.
fn forward_pointers(cx: &Context<'_, '_>) {
    let mut seen = HashSet::new();
    for inst in cx.module.global_insts().filter(|inst| inst.op() == Op::TypeForwardPointer) {
        let id = inst.id(0);
        let is_struct =
            cx.module.pointer(id).is_none_or(|(_, pointee)| matches!(cx.ty(pointee), Type::Struct { .. }));
        if !is_struct {
            cx.report("OpTypeForwardPointer", inst.index(), format!("{id} is not a pointer to a structure"));
        }
        if !seen.insert(id) {
            cx.report("OpTypeForwardPointer", inst.index(), format!("{id} is declared ahead twice"));
        }
    }
}

/// The scopes that accesses are made available or visible to are scopes.
fn access_scopes(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let scopes = inst.operands().filter(|operand| operand.kind == OperandKind::IdScope);
    scopes.filter_map(|operand| operand.id()).try_for_each(|id| scope(cx, id).map(drop))
}

/// With logical addressing, variables hold pointers to storage that variable pointers are for, or none
/// (SPIR-V, 2.16.1).
fn held_pointer(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    /// Types that are looked at for each variable; structures may name one often.
    const VISIT_COUNT_MAX: usize = 1 << 10;
    let pointee = inst.result_type().and_then(|ty| cx.module.pointer(ty)).map(|(_, pointee)| pointee);
    let mut pending: Vec<Id> = pointee.into_iter().collect();
    for _ in 0..VISIT_COUNT_MAX {
        let Some(ty) = pending.pop() else { break };
        match cx.ty(cx.module.strip_arrays(ty)) {
            Type::Struct { members } => pending.extend(members.iter()),
            Type::Pointer { class, .. } => ensure!(
                matches!(class, StorageClass::StorageBuffer | StorageClass::Workgroup),
                "a variable holds pointers to {class:?}, which logical addressing does not have"
            ),
            _ => {}
        }
    }
    Ok(())
}

/// What is accessed as a storage image needs the capability for its dimension, and one for formats that are
/// not said.
fn storage_image(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Type::Image(image) = cx.value_type(inst.id(0))? else { return Ok(()) };
    if image.sampled != 2 {
        return Ok(());
    }
    let of_dimension = match image.dim {
        Dim::Dim1D => Some(Capability::Image1D),
        Dim::DimRect => Some(Capability::ImageRect),
        Dim::DimBuffer => Some(Capability::ImageBuffer),
        Dim::DimCube if image.arrayed => Some(Capability::ImageCubeArray),
        _ => None,
    };
    let is_unknown = image.format == ImageFormat::Unknown
        && !matches!(image.dim, Dim::DimSubpassData | Dim::DimTileImageDataEXT);
    let of_format = match inst.op() {
        Op::ImageWrite => Capability::StorageImageWriteWithoutFormat,
        _ => Capability::StorageImageReadWithoutFormat,
    };
    for needed in of_dimension.into_iter().chain(is_unknown.then_some(of_format)) {
        ensure!(cx.has_capability(needed), "accesses to this storage image need the capability {needed:?}");
    }
    Ok(())
}

/// Cooperative vectors lie behind a pointer, as many bytes on as an integer says.
fn vector_memory(cx: &Context<'_, '_>, inst: Instruction<'_>, pointer: usize) -> Verdict {
    let (pointer, offset) = (inst.id(pointer), inst.id(pointer + 1));
    let is_pointer = matches!(cx.value_type(pointer)?, Type::Pointer { .. } | Type::UntypedPointer { .. });
    ensure!(is_pointer, "{pointer} is not a pointer");
    let is_offset = matches!(cx.value_type(offset)?, Type::Int { width: 32 | 64, .. });
    ensure!(is_offset, "the offset {offset} is not an integer of 32 or 64 bits");
    Ok(())
}

/// Cooperative matrices lie behind a pointer.
fn matrix_memory(cx: &Context<'_, '_>, inst: Instruction<'_>, matrix: Option<Id>) -> Verdict {
    let is_pointer = matches!(cx.value_type(inst.id(0))?, Type::Pointer { .. } | Type::UntypedPointer { .. });
    ensure!(is_pointer, "{} is not a pointer", inst.id(0));
    of_matrix(cx, matrix)
}

/// Modes of which a stage has one, or at most one (SPIR-V, 2.16.3).
fn modes(cx: &Context<'_, '_>, entry: &EntryPoint<'_>) {
    let exactly: &[&[Mode]] = match entry.model {
        Model::Fragment => &[&[Mode::OriginUpperLeft, Mode::OriginLowerLeft]],
        Model::Geometry => &[
            &[
                Mode::InputPoints,
                Mode::InputLines,
                Mode::InputLinesAdjacency,
                Mode::Triangles,
                Mode::InputTrianglesAdjacency,
            ],
            &[Mode::OutputPoints, Mode::OutputLineStrip, Mode::OutputTriangleStrip],
        ],
        Model::MeshEXT => &[
            &[Mode::OutputPoints, Mode::OutputLinesEXT, Mode::OutputTrianglesEXT],
            &[Mode::OutputVertices],
            &[Mode::OutputPrimitivesEXT],
        ],
        _ => &[],
    };
    let at_most: &[&[Mode]] = match entry.model {
        Model::Fragment => &[&[Mode::DepthGreater, Mode::DepthLess, Mode::DepthUnchanged]],
        Model::TessellationControl | Model::TessellationEvaluation => &[
            &[Mode::SpacingEqual, Mode::SpacingFractionalOdd, Mode::SpacingFractionalEven],
            &[Mode::Triangles, Mode::Quads, Mode::Isolines],
            &[Mode::VertexOrderCw, Mode::VertexOrderCcw],
        ],
        _ => &[],
    };
    let count = |group: &[Mode]| {
        group.iter().filter(|mode| cx.module.execution_mode(entry.function, **mode).is_some()).count()
    };
    for group in exactly {
        let found = count(group);
        if found != 1 {
            let message = format!("{:?} shaders have one of {group:?}, this has {found}", entry.model);
            cx.report("Execution modes", entry.inst.index(), message);
        }
    }
    for group in at_most.iter().filter(|group| count(group) > 1) {
        let message = format!("{:?} shaders have at most one of {group:?}", entry.model);
        cx.report("Execution modes", entry.inst.index(), message);
    }
}

fn nested_blocks(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_block = |id| {
        [Decoration::Block, Decoration::BufferBlock].iter().any(|kind| cx.module.has_decoration(id, *kind))
    };
    if !inst.result().is_some_and(is_block) {
        return Ok(());
    }
    // Blocks below other structures are found at those that hold them.
    let inner = inst.ids_from(0).iter().map(|ty| cx.module.strip_arrays(ty)).find(|ty| is_block(*ty));
    ensure!(inner.is_none(), "the block holds another, {inner:?}");
    Ok(())
}

fn pointed_function(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_function = matches!(cx.ty(inst.id(1)), Type::Function { .. });
    ensure!(!is_function, "{} is a function's type, to which shaders have no pointers", inst.id(1));
    Ok(())
}

fn untyped_images(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_image = StorageClass::from_u32(inst.word(0)) == Some(StorageClass::Image);
    ensure!(
        !is_image || cx.has_capability(Capability::DescriptorHeapEXT),
        "untyped pointers to texels need DescriptorHeapEXT"
    );
    Ok(())
}

/// In logical addressing, which variable a pointer is of is known, but with variable pointers.
fn chosen_pointer(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let class = match inst.result_type().map(|ty| cx.ty(ty)) {
        Some(Type::Pointer { class, .. } | Type::UntypedPointer { class }) => class,
        _ => return Ok(()),
    };
    let is_allowed = class == StorageClass::PhysicalStorageBuffer
        || cx.has_capability(Capability::VariablePointers)
        || cx.has_capability(Capability::VariablePointersStorageBuffer);
    ensure!(is_allowed, "choosing between pointers needs VariablePointers or VariablePointersStorageBuffer");
    Ok(())
}

fn non_negative_indices(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_negative =
        |id: &Id| cx.op_of(*id) == Op::Constant && cx.constants.integer(*id).is_some_and(|value| value < 0);
    let found = inst.ids_from(1).iter().find(is_negative);
    ensure!(found.is_none(), "the index {found:?} is negative");
    Ok(())
}

fn untyped_chain(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Type::UntypedPointer { class } = cx.ty(cx.result_type(inst)?) else {
        return Err("the result is not an untyped pointer".to_owned());
    };
    let (Type::UntypedPointer { class: from } | Type::Pointer { class: from, .. }) =
        cx.value_type(inst.id(1))?
    else {
        return Err(format!("the base {} is not a pointer", inst.id(1)));
    };
    ensure!(class == from, "the base points into {from:?} memory, the result into {class:?}");
    let mut ty = inst.id(0);
    let has_element =
        matches!(inst.op(), Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR);
    for (place, index) in inst.ids_from(2).iter().enumerate() {
        let is_integer = cx.value_shape(index).is_ok_and(|shape| shape.is_int() && shape.is_scalar());
        ensure!(is_integer, "the index {index} is not an integer");
        if has_element && place == 0 {
            continue;
        }
        ty = match cx.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Vector { component, .. } | Type::CooperativeVector { component, .. } => component,
            Type::Matrix { column, .. } => column,
            Type::Struct { members } => {
                let Some(member) = cx.constants.unsigned(index) else {
                    return Err(format!("the index {index} into a structure is not a constant"));
                };
                let found = members.get(member as usize);
                let Some(found) = found else {
                    return Err(format!("{ty} has {} members, none of them is {member}", members.len()));
                };
                found
            }
            _ => return Err(format!("{ty} has no parts to point to")),
        };
    }
    Ok(())
}

/// What a product is of decides which capability allows it, besides that of the instruction.
fn dot_product(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let shape = cx.value_shape(inst.id(0))?;
    if shape.is_scalar() {
        let is_allowed = cx.has_capability(Capability::DotProductInput4x8BitPacked);
        ensure!(is_allowed, "products of packed scalars need DotProductInput4x8BitPacked");
    } else {
        let is_bytes = shape.count() == 4 && shape.width() == 8;
        let is_allowed = cx.has_capability(Capability::DotProductInputAll)
            || is_bytes && cx.has_capability(Capability::DotProductInput4x8Bit);
        ensure!(is_allowed, "products of these vectors need DotProductInputAll");
    }
    Ok(())
}

/// Small floats have a capability for matrices of them.
fn matrix_component(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Type::Float { encoding: Some(encoding), .. } = cx.ty(inst.id(0)) else { return Ok(()) };
    let needed = match encoding {
        FPEncoding::BFloat16KHR => Capability::BFloat16CooperativeMatrixKHR,
        FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT => Capability::Float8CooperativeMatrixEXT,
        other => return Err(format!("there are no matrices of {other:?}")),
    };
    ensure!(cx.has_capability(needed), "matrices of {encoding:?} need the capability {needed:?}");
    Ok(())
}

fn float_product(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let component = cx.value_shape(inst.id(0))?.component;
    let is_small = matches!(component, Type::Float { encoding: Some(FPEncoding::BFloat16KHR), .. });
    let is_allowed = !is_small || cx.has_capability(Capability::BFloat16DotProductKHR);
    ensure!(is_allowed, "products of bfloat16 vectors need the capability BFloat16DotProductKHR");
    Ok(())
}

fn of_matrix(cx: &Context<'_, '_>, ty: Option<Id>) -> Verdict {
    let is_matrix = ty.is_some_and(|ty| matches!(cx.ty(ty), Type::CooperativeMatrixKhr { .. }));
    ensure!(is_matrix, "the loaded or stored value is not a cooperative matrix");
    Ok(())
}

fn interlock(cx: &Context<'_, '_>) -> Verdict {
    const MODES: [Mode; 6] = [
        Mode::PixelInterlockOrderedEXT,
        Mode::PixelInterlockUnorderedEXT,
        Mode::SampleInterlockOrderedEXT,
        Mode::SampleInterlockUnorderedEXT,
        Mode::ShadingRateInterlockOrderedEXT,
        Mode::ShadingRateInterlockUnorderedEXT,
    ];
    let has = cx
        .module
        .entry_points()
        .any(|entry| MODES.iter().any(|mode| cx.module.execution_mode(entry.function, *mode).is_some()));
    ensure!(has, "no entry point has an execution mode for interlocks");
    Ok(())
}
