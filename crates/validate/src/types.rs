//! Declarations of types, constants and variables at module scope (SPIR-V, 3.49.6 to 3.49.8).

use crate::context::{Context, TypeFacts, Verdict, ensure};
use crate::ids::{Kind, kind_of};
use pyro_spirv::grammar::OpClass;
use pyro_spirv::layout::{LayoutError, LayoutKind, Layouts};
use pyro_spirv::spirv::{Capability, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};

/// Checks all declarations, and computes what types hold.
pub(crate) fn check(cx: &mut Context<'_, '_>) {
    let module = cx.module;
    let mut plain: Vec<Instruction<'_>> = Vec::with_capacity(16);
    for inst in module.global_insts() {
        if cx.is_full() {
            return;
        }
        let verdict = match inst.info().class {
            OpClass::Type => {
                plain.extend(is_unique(inst.op()).then_some(inst));
                type_declaration(cx, inst)
            }
            // Strings have no type.
            OpClass::Constant if kind_of(inst) == Kind::Other => Ok(()),
            OpClass::Constant => constant_declaration(cx, inst),
            OpClass::GlobalOrBlock if inst.op() == Op::Variable => global_variable(cx, inst),
            OpClass::GlobalOrBlock if inst.op() == Op::Undef => constant_declaration(cx, inst),
            _ => Ok(()),
        };
        if let Err(message) = verdict {
            cx.report(inst.info().full_name(), inst.index(), message);
        }
        if inst.info().class == OpClass::Type {
            let result = inst.result().map_or(0, Id::as_u32) as usize;
            cx.facts[result] = facts(cx, inst);
        }
    }
    duplicates(cx, plain);
    sizes(cx);
}

/// Whether types of this opcode are declared once, so that they are the same when their ids are: all that are
/// neither aggregates nor pointers.
fn is_unique(op: Op) -> bool {
    !matches!(
        op,
        Op::TypeStruct
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeNodePayloadArrayAMDX
            | Op::TypePointer
            | Op::TypeUntypedPointerKHR
            | Op::TypeOpaque
    )
}

/// Holds the types that must be unique against each other.
fn duplicates(cx: &Context<'_, '_>, mut plain: Vec<Instruction<'_>>) {
    // Sorted, equal ones are neighbours; and an attacker cannot choose what sorts badly.
    plain.sort_unstable_by_key(|inst| (inst.op() as u32, inst.operand_words(), inst.index()));
    for pair in plain.windows(2) {
        let [first, second] = pair else { continue };
        if first.op() == second.op() && first.operand_words() == second.operand_words() {
            let previous = first.result().map_or(0, Id::as_u32);
            let message = format!("%{previous} declares the same type");
            cx.report(second.info().full_name(), second.index(), message);
        }
    }
}

/// Whether an id is a type that values may have.
pub(crate) fn is_data(cx: &Context<'_, '_>, id: Id) -> bool {
    let is_type = cx.module.definition(id).is_some_and(|found| kind_of(found) == Kind::Type);
    is_type && !matches!(cx.ty(id), Type::Void | Type::Function { .. })
}

fn type_declaration(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let ty = inst.result().map_or(Type::Void, |id| cx.ty(id));
    match ty {
        Type::Int { width, .. } => {
            ensure!(matches!(width, 8 | 16 | 32 | 64), "integers of {width} bits do not exist");
            ensure!(inst.word(1) <= 1, "signedness is 0 or 1");
        }
        Type::Float { width, encoding } => {
            let exists = match encoding {
                None => matches!(width, 16 | 32 | 64),
                Some(encoding) => width == encoding.width(),
            };
            ensure!(exists, "floats of {width} bits in this encoding do not exist");
        }
        Type::Vector { component, count } => {
            ensure!(cx.ty(component).is_scalar(), "the component type {component} is not a scalar");
            let is_long = cx.has_capability(Capability::Vector16) && matches!(count, 8 | 16)
                || cx.has_capability(Capability::LongVectorEXT) && count > 0;
            ensure!((2..=4).contains(&count) || is_long, "vectors of {count} components do not exist");
        }
        Type::CooperativeVector { component, count } => {
            ensure!(cx.ty(component).is_scalar(), "the component type {component} is not a scalar");
            positive(cx, count)?;
        }
        Type::Matrix { column, count } => {
            let Type::Vector { component, .. } = cx.ty(column) else {
                return Err(format!("the column type {column} is not a vector"));
            };
            ensure!(matches!(cx.ty(component), Type::Float { .. }), "the components are not floats");
            ensure!((2..=4).contains(&count), "matrices of {count} columns do not exist");
        }
        Type::Array { element, len } => {
            ensure!(is_data(cx, element), "{element} cannot be an element");
            positive(cx, len)?;
        }
        Type::RuntimeArray { element } => ensure!(is_data(cx, element), "{element} cannot be an element"),
        Type::Struct { members } => {
            for (index, member) in members.iter().enumerate() {
                ensure!(is_data(cx, member), "{member} cannot be a member");
                let is_last = index + 1 == members.len();
                let has_runtime_array = cx.facts(member).has_runtime_array;
                ensure!(is_last || !has_runtime_array, "a runtime array is not the last member");
            }
        }
        Type::Pointer { pointee, .. } => {
            let is_type = cx.module.definition(pointee).is_some_and(|found| kind_of(found) == Kind::Type);
            ensure!(is_type, "{pointee} is not a type");
        }
        Type::Function { result, parameters } => {
            let is_type = cx.module.definition(result).is_some_and(|found| kind_of(found) == Kind::Type);
            ensure!(
                is_type && !matches!(cx.ty(result), Type::Function { .. }),
                "{result} cannot be returned"
            );
            ensure!(
                parameters.len() <= cx.environment.limits.parameter_count_max,
                "{} parameters are too many",
                parameters.len()
            );
            for parameter in parameters.iter() {
                ensure!(is_data(cx, parameter), "{parameter} cannot be a parameter");
            }
        }
        Type::Image(image) => {
            let sampled = cx.ty(image.sampled_type);
            let is_numeric = sampled.is_numeric_scalar() || sampled == Type::Void;
            ensure!(is_numeric, "the sampled type is neither a number nor void");
            ensure!(inst.word(2) <= 2, "depth is 0, 1 or 2");
            ensure!(inst.word(3) <= 1 && inst.word(4) <= 1, "arrayed and multisampled are 0 or 1");
            ensure!(image.sampled <= 2, "sampled is 0, 1 or 2");
        }
        Type::SampledImage { image } => {
            ensure!(matches!(cx.ty(image), Type::Image(_)), "{image} is not an image type");
        }
        Type::CooperativeMatrixKhr { component, scope, rows, columns, usage } => {
            ensure!(cx.ty(component).is_numeric_scalar(), "the component type {component} is not a number");
            for id in [scope, rows, columns, usage] {
                ensure!(cx.is_constant(id), "{id} is not a constant");
            }
        }
        Type::CooperativeMatrixNv { component, scope, rows, columns } => {
            ensure!(cx.ty(component).is_numeric_scalar(), "the component type {component} is not a number");
            for id in [scope, rows, columns] {
                ensure!(cx.is_constant(id), "{id} is not a constant");
            }
        }
        Type::Tensor { element, rank, shape } => {
            ensure!(cx.ty(element).is_scalar(), "the element type {element} is not a scalar");
            for id in [rank, shape].into_iter().flatten() {
                ensure!(cx.is_constant(id), "{id} is not a constant");
            }
        }
        Type::NodePayloadArray { payload } => ensure!(is_data(cx, payload), "{payload} cannot be a payload"),
        _ => {}
    }
    let limit = cx.environment.limits.type_nesting_depth_max;
    ensure!(facts(cx, inst).depth <= limit, "types nest deeper than {limit}");
    Ok(())
}

/// A count: an integer constant that is at least one. A specialization constant's value may be opaque.
fn positive(cx: &Context<'_, '_>, count: Id) -> Verdict {
    ensure!(cx.is_constant(count), "the count {count} is not a constant");
    ensure!(matches!(cx.value_type(count), Ok(Type::Int { .. })), "the count {count} is not an integer");
    let value = cx.constants.integer(count);
    ensure!(value.is_none_or(|value| value > 0), "the count {count} is not positive");
    Ok(())
}

fn facts(cx: &Context<'_, '_>, inst: Instruction<'_>) -> TypeFacts {
    let Some(id) = inst.result() else { return TypeFacts::default() };
    let leaf = TypeFacts { component_count: 1, ..TypeFacts::default() };
    match cx.ty(id) {
        Type::Int { .. } | Type::Float { .. } | Type::Pointer { .. } | Type::UntypedPointer { .. } => leaf,
        Type::Bool => TypeFacts { has_bool: true, ..leaf },
        Type::Vector { component: element, .. } | Type::Matrix { column: element, .. } => {
            let element = cx.facts(element);
            let count = cx.constants.element_count(id).unwrap_or(1);
            TypeFacts { component_count: element.component_count.saturating_mul(count), ..element }
        }
        Type::CooperativeVector { component: element, .. } => {
            let count = cx.constants.element_count(id).unwrap_or(1);
            TypeFacts { component_count: count, ..cx.facts(element) }
        }
        Type::Array { element, .. } => {
            let element = cx.facts(element);
            let count = cx.constants.array_len(id).unwrap_or(1);
            let component_count = element.component_count.saturating_mul(count);
            TypeFacts { component_count, depth: element.depth + 1, ..element }
        }
        Type::RuntimeArray { element } => {
            let element = cx.facts(element);
            TypeFacts { has_runtime_array: true, depth: element.depth + 1, ..element }
        }
        Type::Struct { members } => {
            let mut facts = TypeFacts::default();
            for member in members.iter() {
                let member = cx.facts(member);
                facts.component_count = facts.component_count.saturating_add(member.component_count);
                facts.depth = facts.depth.max(member.depth);
                facts.has_runtime_array |= member.has_runtime_array;
                facts.has_opaque |= member.has_opaque;
                facts.has_bool |= member.has_bool;
            }
            facts.depth += 1;
            facts
        }
        Type::CooperativeMatrixKhr { .. } | Type::CooperativeMatrixNv { .. } => leaf,
        Type::Void | Type::Function { .. } => TypeFacts::default(),
        _ => TypeFacts { has_opaque: true, ..leaf },
    }
}

fn constant_declaration(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let ty = cx.result_type(inst)?;
    match inst.op() {
        Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
            ensure!(cx.ty(ty) == Type::Bool, "the type is not boolean");
        }
        // Tensors are only within graphs, which bound their sizes.
        Op::ConstantNull if matches!(cx.ty(ty), Type::Tensor { shape: Some(_), .. }) => {}
        Op::ConstantNull | Op::Undef => {
            ensure!(is_data(cx, ty), "{ty} has no values");
            ensure!(!cx.facts(ty).has_runtime_array, "a runtime array is not a value");
            value_size(cx, ty)?;
        }
        Op::ConstantComposite | Op::SpecConstantComposite => {
            crate::instruction::composite::constituents(cx, ty, inst.ids_from(0))?;
            for constituent in inst.ids_from(0).iter() {
                ensure!(cx.is_constant(constituent), "{constituent} is not a constant");
            }
        }
        Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT
            if matches!(cx.ty(ty), Type::Tensor { .. }) =>
        {
            crate::instruction::composite::tensor_part(cx, ty, inst.id(0))?;
        }
        Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
            value_size(cx, ty)?;
            let count = cx.constants.element_count(ty);
            let element = cx.type_of(inst.id(0))?;
            let fits = count.is_none_or(|count| {
                // Elements of structures may differ.
                let places = if matches!(cx.ty(ty), Type::Struct { .. }) { count } else { count.min(1) };
                (0..places).all(|index| cx.constants.element_type(ty, index) == Some(element))
            });
            ensure!(cx.ty(ty).is_composite() && fits, "{} is not a constituent of {ty}", inst.id(0));
        }
        Op::SpecConstantOp => {
            // The evaluation has checked the operands' shapes.
            ensure!(is_data(cx, ty), "{ty} has no values");
        }
        _ => {}
    }
    Ok(())
}

/// Values are split into scalars, so their count is limited.
pub(crate) fn value_size(cx: &Context<'_, '_>, ty: Id) -> Verdict {
    let (count, limit) = (cx.facts(ty).component_count, cx.environment.limits.value_component_count_max);
    ensure!(count <= limit, "a value of {count} scalars is larger than the limit of {limit}");
    Ok(())
}

fn global_variable(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let ty = cx.result_type(inst)?;
    let Some((class, pointee)) = cx.module.pointer(ty) else {
        return Err(format!("the result type {ty} is not a pointer"));
    };
    ensure!(inst.word(0) == class as u32, "the storage class is not that of the result type");
    ensure!(class != StorageClass::Function, "a Function variable is outside a function");
    ensure!(is_data(cx, pointee), "{pointee} has no values");
    if let Some(initializer) = inst.get_id(1) {
        let is_constant = cx.is_constant(initializer) || cx.module.global(initializer).is_some();
        ensure!(
            is_constant,
            "the initializer {initializer} is neither a constant nor a module-scope variable"
        );
        ensure!(cx.type_of(initializer)? == pointee, "the initializer's type is not the variable's");
    }
    Ok(())
}

/// Variables in storage that is ours to allocate are not absurdly large.
fn sizes(cx: &Context<'_, '_>) {
    let limit = cx.environment.limits.variable_size_max;
    let mut layouts = Layouts::new(&cx.constants, LayoutKind::Logical);
    // Variables elsewhere in a function are refused later.
    let entries = cx.module.functions().filter_map(|function| cx.module.function(function).entry());
    let local = entries.flat_map(|block| cx.module.body(block));
    let global = cx.module.globals().map(|variable| variable.inst);
    for inst in global.chain(local).filter(|inst| inst.op() == Op::Variable) {
        if cx.is_full() {
            return;
        }
        let Some((class, pointee)) = inst.result_type().and_then(|ty| cx.module.pointer(ty)) else {
            continue;
        };
        let is_ours = !matches!(
            class,
            StorageClass::UniformConstant
                | StorageClass::Uniform
                | StorageClass::StorageBuffer
                | StorageClass::PhysicalStorageBuffer
                | StorageClass::PushConstant
                | StorageClass::ShaderRecordBufferKHR
                | StorageClass::AtomicCounter
        );
        if !is_ours {
            continue;
        }
        if cx.facts(pointee).has_runtime_array {
            cx.report("OpTypeRuntimeArray", inst.index(), "the variable's size is not known");
            continue;
        }
        let size = match layouts.extent(pointee) {
            Ok(extent) => extent.size,
            // What has no size in bytes is counted in handles.
            Err(LayoutError::NoSize(_) | LayoutError::ArrayLen(_)) => {
                cx.facts(pointee).component_count.saturating_mul(8)
            }
            Err(_) => u64::MAX,
        };
        if size > limit {
            let message = format!("a variable of {size} bytes is larger than the limit of {limit}");
            cx.report("Limits", inst.index(), message);
        }
    }
}
