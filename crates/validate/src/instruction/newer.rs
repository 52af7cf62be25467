//! Instructions that the grammar lacks, which are told as others
//! (`SPV_VALVE_mixed_float_dot_product`, `SPV_EXT_ocp_microscaling_types`).

use super::image;
use crate::context::{Context, Shape, Verdict, ensure};
use pyro_spirv::spirv::FPEncoding;
use pyro_spirv::{Instruction, NewerOp, Type};

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: NewerOp) -> Option<Verdict> {
    Some(match op {
        // Constants are checked where they are declared, what ends a block with the block.
        NewerOp::DispatchCluster | NewerOp::Abort | NewerOp::ConstantData | NewerOp::SpecConstantData => {
            return None;
        }
        NewerOp::FDot2MixAcc32 | NewerOp::FDot2MixAcc16 | NewerOp::FDot4MixAcc32 => mixed_dot(cx, inst, op),
        NewerOp::BitcastExtract => bitcast_extract(cx, inst),
        NewerOp::GatherPattern => image::gather_pattern(cx, inst),
    })
}

/// Two vectors of small floats, and a wider accumulator.
fn mixed_dot<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: NewerOp) -> Verdict {
    let (result, left, right) =
        (cx.result_shape(inst)?, cx.value_shape(inst.id(0))?, cx.value_shape(inst.id(1))?);
    let accumulator = cx.value_shape(inst.id(2))?;
    let is_wide = result.is_scalar() && result.component == Type::Float { width: 32, encoding: None };
    let count = if op == NewerOp::FDot4MixAcc32 { 4 } else { 2 };
    ensure!(accumulator == result, "the accumulator is not of the result's type");
    ensure!(left.count() == count && right.count() == count, "the operands are not vectors of {count}");
    let is_half = |shape: Shape<'_>| {
        matches!(shape.component, Type::Float { width: 16, encoding: None | Some(FPEncoding::BFloat16KHR) })
    };
    match op {
        NewerOp::FDot4MixAcc32 => {
            let is_float8 = |shape: Shape<'_>| {
                matches!(
                    shape.component,
                    Type::Float { encoding: Some(FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT), .. }
                )
            };
            ensure!(is_float8(left) && is_float8(right), "the components are not 8-bit floats");
            ensure!(is_wide, "the result is not a 32-bit float");
        }
        NewerOp::FDot2MixAcc16 => {
            ensure!(is_half(left) && left == right, "the operands are not of one 16-bit float type");
            let fits = result.is_scalar() && result.component == left.component;
            ensure!(fits, "the result is not of the components' type");
        }
        _ => {
            ensure!(is_half(left) && left == right, "the operands are not of one 16-bit float type");
            ensure!(is_wide, "the result is not a 32-bit float");
        }
    }
    Ok(())
}

/// Bits of each component as a narrower number.
fn bitcast_extract<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (result, base) = (cx.result_shape(inst)?, cx.value_shape(inst.id(0))?);
    let are_numbers = result.component.is_numeric_scalar() && base.component.is_numeric_scalar();
    ensure!(are_numbers && result.kind == base.kind, "the base does not have the result's components");
    ensure!(base.width() > result.width(), "the base is not wider than the result");
    cx.int_scalar(inst.id(1)).map(drop)
}
