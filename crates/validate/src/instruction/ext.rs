//! GLSL.std.450.

use crate::context::{Context, Shape, ShapeKind, Verdict, ensure};
use pyro_spirv::spirv::{GlslStd450Op as Glsl, Op, StorageClass};
use pyro_spirv::{ExtInstSet, Id, Ids, Instruction, Type};

/// Checks an extended instruction, if its set is one that is known.
pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let Some((set, number)) = inst.ext_inst() else {
        return Err(format!("{} is not an imported set", inst.id(0)));
    };
    let is_ahead = inst.op() == Op::ExtInstWithForwardRefsKHR;
    ensure!(!is_ahead || set.is_non_semantic(), "{set:?} is not a non-semantic instruction set");
    if set != ExtInstSet::GlslStd450 {
        return Ok(());
    }
    let Some(op) = Glsl::from_u32(number) else {
        return Err(format!("GLSL.std.450 has no instruction {number}"));
    };
    let operands = inst.ids_from(2);
    let expected = set.instruction_operands(number).map_or(0, <[_]>::len);
    ensure!(operands.len() == expected, "{op:?} takes {expected} operands, not {}", operands.len());
    glsl(cx, inst, op, operands).map_err(|message| format!("{op:?}: {message}"))
}

fn glsl<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Glsl, operands: Ids<'m>) -> Verdict {
    match op {
        Glsl::Round
        | Glsl::RoundEven
        | Glsl::Trunc
        | Glsl::FAbs
        | Glsl::FSign
        | Glsl::Floor
        | Glsl::Ceil
        | Glsl::Fract
        | Glsl::Sqrt
        | Glsl::InverseSqrt
        | Glsl::FMin
        | Glsl::FMax
        | Glsl::FClamp
        | Glsl::FMix
        | Glsl::Step
        | Glsl::SmoothStep
        | Glsl::Fma
        | Glsl::NMin
        | Glsl::NMax
        | Glsl::NClamp
        | Glsl::Normalize
        | Glsl::FaceForward
        | Glsl::Reflect
        | Glsl::Radians
        | Glsl::Degrees
        | Glsl::Sin
        | Glsl::Cos
        | Glsl::Tan
        | Glsl::Asin
        | Glsl::Acos
        | Glsl::Atan
        | Glsl::Sinh
        | Glsl::Cosh
        | Glsl::Tanh
        | Glsl::Asinh
        | Glsl::Acosh
        | Glsl::Atanh
        | Glsl::Atan2
        | Glsl::Pow
        | Glsl::Exp
        | Glsl::Log
        | Glsl::Exp2
        | Glsl::Log2 => same(cx, inst, operands, Shape::is_float),
        Glsl::SAbs
        | Glsl::SSign
        | Glsl::SMin
        | Glsl::UMin
        | Glsl::SMax
        | Glsl::UMax
        | Glsl::SClamp
        | Glsl::UClamp
        | Glsl::FindILsb
        | Glsl::FindSMsb
        | Glsl::FindUMsb => integers(cx, inst, operands),
        Glsl::Determinant => determinant(cx, inst, operands),
        Glsl::MatrixInverse => matrix_inverse(cx, inst, operands),
        Glsl::Modf | Glsl::Frexp => with_pointer(cx, inst, operands, op == Glsl::Frexp),
        Glsl::ModfStruct | Glsl::FrexpStruct => with_struct(cx, inst, operands, op == Glsl::FrexpStruct),
        Glsl::Ldexp => ldexp(cx, inst, operands),
        Glsl::PackSnorm4x8 | Glsl::PackUnorm4x8 => pack(cx, inst, operands, 4, true),
        Glsl::PackSnorm2x16 | Glsl::PackUnorm2x16 | Glsl::PackHalf2x16 => pack(cx, inst, operands, 2, true),
        Glsl::UnpackSnorm4x8 | Glsl::UnpackUnorm4x8 => pack(cx, inst, operands, 4, false),
        Glsl::UnpackSnorm2x16 | Glsl::UnpackUnorm2x16 | Glsl::UnpackHalf2x16 => {
            pack(cx, inst, operands, 2, false)
        }
        Glsl::PackDouble2x32 => double(cx, cx.result_type(inst)?, cx.type_of(operands.at(0))?),
        Glsl::UnpackDouble2x32 => double(cx, cx.type_of(operands.at(0))?, cx.result_type(inst)?),
        Glsl::Length => length(cx, inst, operands.at(0)),
        Glsl::Distance => {
            let is_same = cx.type_of(operands.at(0))? == cx.type_of(operands.at(1))?;
            ensure!(is_same, "the operands' types differ");
            length(cx, inst, operands.at(0))
        }
        Glsl::Cross => {
            let shape = cx.result_shape(inst)?;
            ensure!(shape.count() == 3, "the result has not three components");
            same(cx, inst, operands, Shape::is_float)
        }
        Glsl::Refract => refract(cx, inst, operands),
        Glsl::InterpolateAtCentroid | Glsl::InterpolateAtSample | Glsl::InterpolateAtOffset => {
            interpolate(cx, inst, operands, op)
        }
        Glsl::IMix => Err("the number is not an instruction of the set".to_owned()),
    }
}

/// All operands have the result's type.
fn same<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    operands: Ids<'m>,
    is_kind: fn(Shape<'m>) -> bool,
) -> Verdict {
    let result = cx.result_type(inst)?;
    ensure!(is_kind(cx.result_shape(inst)?), "the result is of the wrong kind");
    for operand in operands.iter() {
        ensure!(cx.type_of(operand)? == result, "{operand} is not of the result's type");
    }
    Ok(())
}

/// All operands are integers of the result's width and count; signedness does not matter.
fn integers<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operands: Ids<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    ensure!(result.is_int(), "the result is not an integer");
    for operand in operands.iter() {
        let shape = cx.value_shape(operand)?;
        let fits = shape.is_int() && shape.kind == result.kind && shape.width() == result.width();
        ensure!(fits, "{operand} does not have the result's width and components");
    }
    Ok(())
}

fn refract<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operands: Ids<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    let shape = cx.result_shape(inst)?;
    ensure!(shape.is_float(), "the result is not a float");
    for position in 0..2 {
        ensure!(
            cx.type_of(operands.at(position))? == result,
            "operand {} is not of the result's type",
            position + 1
        );
    }
    let eta = cx.value_shape(operands.at(2))?;
    ensure!(eta.is_float() && eta.is_scalar(), "eta is not a float scalar");
    Ok(())
}

fn square(cx: &Context<'_, '_>, ty: Id) -> Option<Id> {
    let Type::Matrix { column, count } = cx.ty(ty) else { return None };
    let Type::Vector { component, count: rows } = cx.ty(column) else { return None };
    (count == rows).then_some(component)
}

fn determinant<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operands: Ids<'m>) -> Verdict {
    let component = square(cx, cx.type_of(operands.at(0))?);
    ensure!(component.is_some(), "the operand is not a square matrix");
    ensure!(component == inst.result_type(), "the result is not of the component's type");
    Ok(())
}

fn matrix_inverse<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operands: Ids<'m>) -> Verdict {
    let ty = cx.type_of(operands.at(0))?;
    ensure!(square(cx, ty).is_some(), "the operand is not a square matrix");
    ensure!(cx.result_type(inst)? == ty, "the result is not of the operand's type");
    Ok(())
}

fn is_exponent(cx: &Context<'_, '_>, ty: Id, shape: Shape<'_>) -> bool {
    cx.shape(ty).is_some_and(|exponent| exponent.is_int() && exponent.kind == shape.kind)
}

fn with_pointer<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    operands: Ids<'m>,
    is_frexp: bool,
) -> Verdict {
    let result = cx.result_type(inst)?;
    let shape = cx.result_shape(inst)?;
    ensure!(
        shape.is_float() && cx.type_of(operands.at(0))? == result,
        "the operand is not of the result's type"
    );
    let (class, pointee) = cx.pointer_value(operands.at(1))?;
    let is_writable =
        !matches!(class, StorageClass::Input | StorageClass::UniformConstant | StorageClass::PushConstant);
    ensure!(is_writable, "the pointer is to read-only storage");
    let fits = if is_frexp { is_exponent(cx, pointee, shape) } else { pointee == result };
    ensure!(fits, "the pointer is to the wrong type");
    Ok(())
}

fn with_struct<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    operands: Ids<'m>,
    is_frexp: bool,
) -> Verdict {
    let ty = cx.type_of(operands.at(0))?;
    let shape = cx.value_shape(operands.at(0))?;
    ensure!(shape.is_float(), "the operand is not a float");
    let Type::Struct { members } = cx.ty(cx.result_type(inst)?) else {
        return Err("the result is not a structure".to_owned());
    };
    let second = members.get(1).filter(|_| members.len() == 2);
    let fits =
        second.is_some_and(|second| if is_frexp { is_exponent(cx, second, shape) } else { second == ty });
    ensure!(fits && members.at(0) == ty, "the result's members are of the wrong types");
    Ok(())
}

fn ldexp<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operands: Ids<'m>) -> Verdict {
    let shape = cx.result_shape(inst)?;
    let is_same = cx.type_of(operands.at(0))? == cx.result_type(inst)?;
    ensure!(shape.is_float() && is_same, "the operand is not of the result's type");
    let exponent = cx.type_of(operands.at(1))?;
    ensure!(is_exponent(cx, exponent, shape), "the exponent has not an integer for each component");
    Ok(())
}

fn pack<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    operands: Ids<'m>,
    count: u32,
    packs: bool,
) -> Verdict {
    let (result, operand) = (cx.result_shape(inst)?, cx.value_shape(operands.at(0))?);
    let (packed, vector) = if packs { (result, operand) } else { (operand, result) };
    let is_packed = packed.is_scalar() && matches!(packed.component, Type::Int { width: 32, .. });
    ensure!(is_packed, "the packed value is not a 32-bit integer");
    let is_vector = vector.kind == ShapeKind::Vector(count) && vector.is_float() && vector.width() == 32;
    ensure!(is_vector, "the vector has not {count} 32-bit floats");
    Ok(())
}

fn double(cx: &Context<'_, '_>, double: Id, pair: Id) -> Verdict {
    ensure!(cx.ty(double) == Type::Float { width: 64, encoding: None }, "a 64-bit float is expected");
    let pair = cx.shape(pair);
    let is_pair =
        pair.is_some_and(|pair| pair.kind == ShapeKind::Vector(2) && pair.is_int() && pair.width() == 32);
    ensure!(is_pair, "a vector of two 32-bit integers is expected");
    Ok(())
}

fn length<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operand: Id) -> Verdict {
    let (result, operand) = (cx.result_shape(inst)?, cx.value_shape(operand)?);
    ensure!(operand.is_float(), "the operand is not a float");
    ensure!(
        result.is_scalar() && result.component == operand.component,
        "the result is not of the component's type"
    );
    Ok(())
}

fn interpolate<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, operands: Ids<'m>, op: Glsl) -> Verdict {
    let result = cx.result_type(inst)?;
    ensure!(cx.result_shape(inst)?.is_float(), "the result is not a float");
    let (class, pointee) = cx.pointer_value(operands.at(0))?;
    ensure!(
        class == StorageClass::Input && pointee == result,
        "the operand is not a pointer to an input of the result's type"
    );
    match op {
        Glsl::InterpolateAtSample => {
            ensure!(cx.int_scalar(operands.at(1))? == 32, "the sample is not a 32-bit integer");
        }
        Glsl::InterpolateAtOffset => {
            let offset = cx.value_shape(operands.at(1))?;
            ensure!(offset.is_float() && offset.count() == 2, "the offset is not a vector of two floats");
        }
        _ => {}
    }
    Ok(())
}
