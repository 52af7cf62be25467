//! Vectors, matrices, arrays and structures (SPIR-V, 3.49.12).

use crate::context::{Context, ShapeKind, Verdict, ensure};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Ids, Instruction, Type};
use std::collections::HashSet;

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Op) -> Option<Verdict> {
    Some(match op {
        Op::VectorExtractDynamic => vector_extract_dynamic(cx, inst),
        Op::VectorInsertDynamic => vector_insert_dynamic(cx, inst),
        Op::VectorShuffle => vector_shuffle(cx, inst),
        Op::CompositeConstruct => composite_construct(cx, inst),
        Op::CompositeExtract => composite_extract(cx, inst),
        Op::CompositeInsert => composite_insert(cx, inst),
        Op::CopyObject => copy_object(cx, inst),
        Op::CopyLogical => copy_logical(cx, inst),
        Op::Transpose => transpose(cx, inst),
        Op::CompositeConstructReplicateEXT => construct_replicate(cx, inst),
        _ => return None,
    })
}

fn vector_extract_dynamic<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let ty = cx.type_of(inst.id(0))?;
    let (Type::Vector { component, .. } | Type::CooperativeVector { component, .. }) = cx.ty(ty) else {
        return Err(format!("{} is not a vector", inst.id(0)));
    };
    ensure!(cx.result_type(inst)? == component, "the result is not of the component's type");
    cx.int_scalar(inst.id(1))?;
    Ok(())
}

fn vector_insert_dynamic<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let ty = cx.type_of(inst.id(0))?;
    let (Type::Vector { component, .. } | Type::CooperativeVector { component, .. }) = cx.ty(ty) else {
        return Err(format!("{} is not a vector", inst.id(0)));
    };
    ensure!(cx.result_type(inst)? == ty, "the result is not of the vector's type");
    ensure!(cx.type_of(inst.id(1))? == component, "the inserted value is not of the component's type");
    cx.int_scalar(inst.id(2))?;
    Ok(())
}

fn vector_shuffle<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    let (left, right) = (cx.value_shape(inst.id(0))?, cx.value_shape(inst.id(1))?);
    for shape in [result, left, right] {
        ensure!(matches!(shape.kind, ShapeKind::Vector(_)), "operands and result must be vectors");
        ensure!(shape.component == result.component, "the vectors' components differ");
    }
    let literals = &inst.operand_words()[2..];
    ensure!(literals.len() == result.count() as usize, "the result has not one component a literal");
    let available = left.count() + right.count();
    let is_known = |&literal: &u32| literal < available || literal == u32::MAX;
    ensure!(literals.iter().all(is_known), "a component is named of {available} that there are");
    Ok(())
}

fn composite_construct<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let ty = cx.result_type(inst)?;
    let parts = inst.ids_from(0);
    let (component, count) = match cx.ty(ty) {
        Type::Vector { component, count } => (component, u64::from(count)),
        Type::CooperativeVector { component, .. } => {
            (component, cx.constants.element_count(ty).unwrap_or(parts.len() as u64))
        }
        Type::CooperativeMatrixKhr { component, .. } | Type::CooperativeMatrixNv { component, .. } => {
            ensure!(parts.len() == 1, "a cooperative matrix is made from one value");
            ensure!(cx.type_of(parts.at(0))? == component, "the value is not of the component's type");
            return Ok(());
        }
        _ => return constituents(cx, ty, parts),
    };
    // Vectors may be made from scalars and shorter vectors.
    let mut sum = 0;
    for part in parts.iter() {
        let part_type = cx.type_of(part)?;
        sum += match cx.ty(part_type) {
            Type::Vector { component: of_part, .. } | Type::CooperativeVector { component: of_part, .. }
                if of_part == component =>
            {
                cx.constants.element_count(part_type).unwrap_or(0)
            }
            _ if part_type == component => 1,
            _ => return Err(format!("{part} is not of the component's type")),
        };
    }
    ensure!(sum == count, "{sum} components are given for {count}");
    ensure!(parts.len() >= 2 || count < 2, "a vector is made from at least two values");
    Ok(())
}

/// Each constituent is of the type that the composite has there.
pub(crate) fn constituents(cx: &Context<'_, '_>, ty: Id, parts: Ids<'_>) -> Verdict {
    if let Type::Tensor { .. } = cx.ty(ty) {
        return tensor_constituents(cx, ty, parts);
    }
    ensure!(cx.ty(ty).is_composite(), "{ty} is not a composite type");
    if let Type::CooperativeMatrixKhr { component, .. } | Type::CooperativeMatrixNv { component, .. } =
        cx.ty(ty)
    {
        ensure!(parts.len() == 1, "a cooperative matrix is made from one value");
        ensure!(cx.type_of(parts.at(0))? == component, "the value is not of the component's type");
        return Ok(());
    }
    let Some(count) = cx.constants.element_count(ty) else {
        return Err(format!("the count of elements of {ty} is not known"));
    };
    ensure!(parts.len() as u64 == count, "{} constituents are given for {count}", parts.len());
    for (index, part) in parts.iter().enumerate() {
        let expected = cx.constants.element_type(ty, index as u64);
        ensure!(Some(cx.type_of(part)?) == expected, "constituent {} is of another type", index + 1);
    }
    Ok(())
}

/// The element type of a tensor with a shape, and its sizes.
fn tensor_shape(cx: &Context<'_, '_>, ty: Id) -> Option<(Id, Vec<u64>)> {
    let Type::Tensor { element, rank: Some(rank), shape: Some(shape) } = cx.ty(ty) else { return None };
    let rank = cx.constants.unsigned(rank).filter(|&rank| rank <= TENSOR_RANK_MAX)?;
    let value = cx.constants.get(shape)?;
    let size = |axis: u32| cx.constants.scalar_of(cx.constants.element(value, axis.into())?);
    Some((element, (0..rank).map(size).collect::<Option<_>>()?))
}

/// Dimensions that a constant tensor may have at most.
const TENSOR_RANK_MAX: u32 = 64;

/// A tensor is made from elements where it has one dimension, else from tensors with one dimension less.
fn tensor_constituents(cx: &Context<'_, '_>, ty: Id, parts: Ids<'_>) -> Verdict {
    let Some((_, shape)) = tensor_shape(cx, ty) else {
        return Err(format!("{ty} is a tensor without a known shape"));
    };
    let count = shape.first().copied().unwrap_or(0);
    ensure!(parts.len() as u64 == count, "{} constituents are given for {count}", parts.len());
    parts.iter().try_for_each(|part| tensor_part(cx, ty, part))
}

/// Checks that a value may be a constituent of a tensor.
pub(crate) fn tensor_part(cx: &Context<'_, '_>, ty: Id, part: Id) -> Verdict {
    let of_part = cx.type_of(part)?;
    let Some((element, shape)) = tensor_shape(cx, ty) else {
        return Err(format!("{ty} is a tensor without a known shape"));
    };
    let fits = match tensor_shape(cx, of_part) {
        None => shape.len() == 1 && of_part == element,
        Some((other, inner)) => {
            shape.split_first().is_some_and(|(_, rest)| rest == inner) && other == element
        }
    };
    ensure!(fits, "the constituent {part} is of another type");
    Ok(())
}

fn construct_replicate<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let ty = cx.result_type(inst)?;
    let part = cx.type_of(inst.id(0))?;
    let fits = match cx.ty(ty) {
        Type::Struct { members } => members.iter().all(|member| member == part),
        Type::CooperativeMatrixKhr { component, .. } | Type::CooperativeMatrixNv { component, .. } => {
            component == part
        }
        Type::CooperativeVector { component, .. } => component == part,
        _ => cx.constants.element_type(ty, 0) == Some(part),
    };
    ensure!(fits, "the value is not a constituent of the result");
    Ok(())
}

/// The type that literal indices lead to.
fn member_type(cx: &Context<'_, '_>, ty: Id, indices: &[u32]) -> Result<Id, String> {
    ensure_index_count(cx, indices.len())?;
    let mut ty = ty;
    for &index in indices {
        ty = match cx.ty(ty) {
            // Which components an invocation holds is the implementation's.
            Type::CooperativeMatrixKhr { component, .. } | Type::CooperativeMatrixNv { component, .. } => {
                component
            }
            _ => match cx.constants.element_type(ty, u64::from(index)) {
                Some(element) => element,
                None => return Err(format!("{ty} has no element {index}")),
            },
        };
    }
    Ok(ty)
}

fn ensure_index_count(cx: &Context<'_, '_>, count: usize) -> Verdict {
    let limit = cx.environment.limits.index_count_max;
    ensure!(count <= limit, "{count} indices are more than {limit}");
    Ok(())
}

fn composite_extract<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let composite = cx.type_of(inst.id(0))?;
    let member = member_type(cx, composite, &inst.operand_words()[1..])?;
    ensure!(cx.result_type(inst)? == member, "the result is not of the member's type");
    Ok(())
}

fn composite_insert<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let composite = cx.type_of(inst.id(1))?;
    ensure!(cx.result_type(inst)? == composite, "the result is not of the composite's type");
    let member = member_type(cx, composite, &inst.operand_words()[2..])?;
    ensure!(cx.type_of(inst.id(0))? == member, "the object is not of the member's type");
    Ok(())
}

fn copy_object<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    ensure!(cx.type_of(inst.id(0))? == cx.result_type(inst)?, "the result is not of the operand's type");
    Ok(())
}

fn transpose<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let parts = |ty| match cx.ty(ty) {
        Type::Matrix { column, count } => match cx.ty(column) {
            Type::Vector { component, count: rows } => Ok((component, count, rows)),
            _ => Err(format!("{column} is not a vector")),
        },
        _ => Err(format!("{ty} is not a matrix")),
    };
    let (left, left_columns, left_rows) = parts(cx.type_of(inst.id(0))?)?;
    let result = parts(cx.result_type(inst)?)?;
    ensure!(result == (left, left_rows, left_columns), "the result is not the transposed type");
    Ok(())
}

fn copy_logical<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (from, to) = (cx.type_of(inst.id(0))?, cx.result_type(inst)?);
    ensure!(from != to, "the types are the same");
    ensure!(logically_match(cx, from, to), "the types do not match logically");
    Ok(())
}

/// Whether types are the same but for decorations and ids (SPIR-V, 2.2.2, "logically match").
pub(crate) fn logically_match(cx: &Context<'_, '_>, left: Id, right: Id) -> bool {
    // Each pair once: types that share members would be compared exponentially often otherwise.
    let mut seen = HashSet::new();
    let mut pending = vec![(left, right)];
    while let Some((left, right)) = pending.pop() {
        if left == right || !seen.insert((left, right)) {
            continue;
        }
        match (cx.ty(left), cx.ty(right)) {
            (Type::Array { element: a, .. }, Type::Array { element: b, .. }) => {
                if cx.constants.array_len(left) != cx.constants.array_len(right) {
                    return false;
                }
                pending.push((a, b));
            }
            (Type::RuntimeArray { element: a }, Type::RuntimeArray { element: b }) => pending.push((a, b)),
            (Type::Struct { members: a }, Type::Struct { members: b }) => {
                if a.len() != b.len() {
                    return false;
                }
                pending.extend(a.iter().zip(b.iter()));
            }
            _ => return false,
        }
    }
    true
}
