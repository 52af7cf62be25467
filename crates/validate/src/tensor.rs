//! Tensor layouts and views (`SPV_NV_tensor_addressing`); checked with
//! [`Environment::strict`](crate::Environment::strict).

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Type};

const DIM_MAX: i128 = 5;

/// Values of the enumeration of clamp modes.
const CLAMP_MODE_COUNT: i128 = 5;

/// A type of layouts or views.
pub(crate) fn declared(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let dim = number(cx, inst.id(0), "the count of dimensions")?;
    ensure!(
        dim.is_none_or(|dim| (1..=DIM_MAX).contains(&dim)),
        "the count of dimensions is not from 1 to {DIM_MAX}"
    );
    if inst.op() == Op::TypeTensorLayoutNV {
        let mode = number(cx, inst.id(1), "the clamp mode")?;
        ensure!(
            mode.is_none_or(|mode| (0..CLAMP_MODE_COUNT).contains(&mode)),
            "the clamp mode does not exist"
        );
        return Ok(());
    }
    let has_dimensions = inst.id(1);
    let is_bool = cx.is_constant(has_dimensions) && cx.value_type(has_dimensions)? == Type::Bool;
    ensure!(is_bool, "{has_dimensions}, the flag for dimensions, is not a constant boolean");
    let order = inst.ids_from(2);
    if let Some(dim) = dim {
        ensure!(order.len() as i128 == dim, "{} dimensions are put in order, there are {dim}", order.len());
        let mut seen = 0u32;
        for id in order.iter() {
            let Some(place) = number(cx, id, "a place in the order")? else { continue };
            ensure!((0..dim).contains(&place), "the dimension {place} is put in order, there are {dim}");
            ensure!(seen & 1 << place == 0, "the dimension {place} is put in order twice");
            seen |= 1 << place;
        }
    }
    Ok(())
}

/// An instruction that makes a layout or view, or changes one.
pub(crate) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let op = inst.op();
    let is_view = matches!(
        op,
        Op::CreateTensorViewNV
            | Op::TensorViewSetDimensionNV
            | Op::TensorViewSetStrideNV
            | Op::TensorViewSetClipNV
    );
    let ty = cx.result_type(inst)?;
    let dim = match cx.ty(ty) {
        Type::TensorLayout { dim, .. } if !is_view => dim,
        Type::TensorView { dim, .. } if is_view => dim,
        _ => {
            return Err(format!(
                "the result type {ty} is not a tensor {}",
                if is_view { "view" } else { "layout" }
            ));
        }
    };
    if matches!(op, Op::CreateTensorLayoutNV | Op::CreateTensorViewNV) {
        return Ok(());
    }
    ensure!(cx.type_of(inst.id(0))? == ty, "{} is not of the result's type", inst.id(0));
    let numbers = inst.ids_from(1);
    for id in numbers.iter() {
        let is_word = matches!(cx.value_type(id)?, Type::Int { width: 32, .. });
        ensure!(is_word, "{id} is not a 32-bit integer");
    }
    let count = match op {
        Op::TensorViewSetClipNV => Some(4),
        Op::TensorLayoutSetClampValueNV => Some(1),
        Op::TensorLayoutSliceNV => cx.constants.integer(dim).map(|dim| 2 * dim),
        _ => cx.constants.integer(dim),
    };
    let given = numbers.len() as i128;
    ensure!(count.is_none_or(|count| count == given), "{given} numbers are given for {}", count.unwrap_or(0));
    Ok(())
}

/// The value of a 32-bit integer constant; none for one that nobody knows yet.
fn number(cx: &Context<'_, '_>, id: Id, what: &str) -> Result<Option<i128>, String> {
    let is_word = cx.is_constant(id) && matches!(cx.value_type(id)?, Type::Int { width: 32, .. });
    ensure!(is_word, "{what}, {id}, is not a constant 32-bit integer");
    Ok(cx.constants.integer(id))
}
