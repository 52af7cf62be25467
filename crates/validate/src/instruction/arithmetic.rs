//! Numbers, bits, comparisons, logic, conversions (SPIR-V, 3.49.11 and 3.49.13 to 3.49.15).

use crate::context::{Context, Shape, ShapeKind, Verdict, ensure};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{Instruction, Type};

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Op) -> Option<Verdict> {
    Some(match op {
        Op::SNegate
        | Op::Not
        | Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::SDiv
        | Op::SRem
        | Op::SMod
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::BitwiseAnd
        | Op::UCountLeadingZerosINTEL
        | Op::UCountTrailingZerosINTEL
        | Op::AbsISubINTEL
        | Op::AbsUSubINTEL
        | Op::IAddSatINTEL
        | Op::UAddSatINTEL
        | Op::IAverageINTEL
        | Op::UAverageINTEL
        | Op::IAverageRoundedINTEL
        | Op::UAverageRoundedINTEL
        | Op::ISubSatINTEL
        | Op::USubSatINTEL
        | Op::IMul32x16INTEL
        | Op::UMul32x16INTEL => int_op(cx, inst),
        Op::UDiv | Op::UMod => unsigned_op(cx, inst),
        Op::FNegate | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => float_op(cx, inst),
        Op::VectorTimesScalar | Op::MatrixTimesScalar => times_scalar(cx, inst),
        Op::VectorTimesMatrix => vector_times_matrix(cx, inst),
        Op::MatrixTimesVector => matrix_times_vector(cx, inst),
        Op::MatrixTimesMatrix => matrix_times_matrix(cx, inst),
        Op::OuterProduct => outer_product(cx, inst),
        Op::Dot => dot(cx, inst),
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => extended(cx, inst),
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            integer_dot(cx, inst)
        }
        Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => shift(cx, inst),
        Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => bit_field(cx, inst),
        Op::BitReverse => int_op(cx, inst),
        Op::BitCount => bit_count(cx, inst),
        Op::Any | Op::All => any_all(cx, inst),
        Op::IsNan | Op::IsInf => float_test(cx, inst),
        Op::LogicalEqual | Op::LogicalNotEqual | Op::LogicalOr | Op::LogicalAnd | Op::LogicalNot => {
            logical(cx, inst)
        }
        Op::Select => select(cx, inst),
        Op::ExpectKHR => expect(cx, inst),
        Op::AssumeTrueKHR => assume_true(cx, inst),
        Op::IEqual
        | Op::INotEqual
        | Op::UGreaterThan
        | Op::SGreaterThan
        | Op::UGreaterThanEqual
        | Op::SGreaterThanEqual
        | Op::ULessThan
        | Op::SLessThan
        | Op::ULessThanEqual
        | Op::SLessThanEqual => int_comparison(cx, inst),
        Op::FOrdEqual
        | Op::FUnordEqual
        | Op::FOrdNotEqual
        | Op::FUnordNotEqual
        | Op::FOrdLessThan
        | Op::FUnordLessThan
        | Op::FOrdGreaterThan
        | Op::FUnordGreaterThan
        | Op::FOrdLessThanEqual
        | Op::FUnordLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordGreaterThanEqual => float_comparison(cx, inst),
        Op::DPdx
        | Op::DPdy
        | Op::Fwidth
        | Op::DPdxFine
        | Op::DPdyFine
        | Op::FwidthFine
        | Op::DPdxCoarse
        | Op::DPdyCoarse
        | Op::FwidthCoarse => float_op(cx, inst),
        Op::ConvertFToU | Op::ConvertFToS => convert(cx, inst, Shape::is_float, Shape::is_int),
        Op::ConvertSToF | Op::ConvertUToF => convert(cx, inst, Shape::is_int, Shape::is_float),
        Op::UConvert | Op::SConvert => {
            convert(cx, inst, Shape::is_int, Shape::is_int).and_then(|()| other_width(cx, inst))
        }
        Op::FConvert => {
            convert(cx, inst, Shape::is_float, Shape::is_float).and_then(|()| other_width(cx, inst))
        }
        Op::QuantizeToF16 => quantize(cx, inst),
        Op::Bitcast => bitcast(cx, inst),
        Op::ConvertPtrToU => convert_pointer(cx, inst, true),
        Op::ConvertUToPtr => convert_pointer(cx, inst, false),
        _ => return None,
    })
}

/// Conversions between numbers of the same kind change their width, or their encoding.
fn other_width<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (from, to) = (cx.value_shape(inst.id(0))?, cx.result_shape(inst)?);
    let is_same = match (from.component, to.component) {
        (Type::Int { width, .. }, Type::Int { width: other, .. }) => width == other,
        (from, to) => from == to,
    };
    ensure!(!is_same, "the operand has the result's width already");
    Ok(())
}

/// Of each operand of an opcode that takes plain ids.
fn operand_shapes<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
) -> impl Iterator<Item = Result<Shape<'m>, String>> {
    inst.ids_from(0).iter().map(|id| cx.value_shape(id))
}

/// All operands have the result's count of components and width, and are integers.
fn int_op<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    ensure!(result.is_int(), "the result is not an integer");
    for (place, operand) in operand_shapes(cx, inst).enumerate() {
        let operand = operand?;
        let is_same = operand.is_int() && operand.kind == result.kind && operand.width() == result.width();
        ensure!(is_same, "operand {} does not have the result's width and components", place + 1);
    }
    Ok(())
}

fn unsigned_op<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    ensure!(
        matches!(result.component, Type::Int { signed: false, .. }),
        "the result is not an unsigned integer"
    );
    same_as_result(cx, inst)
}

fn float_op<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    ensure!(cx.result_shape(inst)?.is_float(), "the result is not a float");
    same_as_result(cx, inst)
}

fn same_as_result<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    for (place, operand) in operand_shapes(cx, inst).enumerate() {
        ensure!(operand? == result, "operand {} is not of the result's type", place + 1);
    }
    Ok(())
}

/// Columns and rows of a matrix, and its component.
fn matrix<'m>(cx: &Context<'_, 'm>, ty: pyro_spirv::Id) -> Option<(u32, u32, Type<'m>)> {
    let Type::Matrix { column, count } = cx.ty(ty) else { return None };
    let Type::Vector { component, count: rows } = cx.ty(column) else { return None };
    Some((count, rows, cx.ty(component)))
}

fn times_scalar<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    ensure!(cx.type_of(inst.id(0))? == result, "the first operand is not of the result's type");
    let scalar = cx.value_shape(inst.id(1))?;
    let component = match matrix(cx, result) {
        Some((_, _, component)) => component,
        None => {
            let shape = cx.result_shape(inst)?;
            let is_vector = !shape.is_scalar()
                && (inst.op() == Op::VectorTimesScalar
                    || matches!(shape.kind, ShapeKind::CooperativeMatrix(_)));
            ensure!(is_vector, "the result is neither a vector nor a matrix");
            shape.component
        }
    };
    ensure!(inst.op() == Op::MatrixTimesScalar || matrix(cx, result).is_none(), "the result is not a vector");
    ensure!(scalar.is_scalar() && scalar.component == component, "the scalar is not of the component's type");
    let is_matrix_times =
        matches!(cx.result_shape(inst).map(|shape| shape.kind), Ok(ShapeKind::CooperativeMatrix(_)));
    ensure!(is_matrix_times || matches!(component, Type::Float { .. }), "the components are not floats");
    Ok(())
}

fn float_vector<'m>(cx: &Context<'_, 'm>, value: pyro_spirv::Id) -> Result<(u32, Type<'m>), String> {
    match cx.value_shape(value)? {
        Shape { kind: ShapeKind::Vector(count), component: component @ Type::Float { .. } } => {
            Ok((count, component))
        }
        _ => Err(format!("{value} is not a vector of floats")),
    }
}

fn matrix_value<'m>(cx: &Context<'_, 'm>, value: pyro_spirv::Id) -> Result<(u32, u32, Type<'m>), String> {
    let ty = cx.type_of(value)?;
    matrix(cx, ty).ok_or_else(|| format!("{value} is not a matrix"))
}

fn vector_times_matrix<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (count, component) = float_vector(cx, inst.id(0))?;
    let (columns, rows, of_matrix) = matrix_value(cx, inst.id(1))?;
    let result = cx.result_shape(inst)?;
    ensure!(count == rows && component == of_matrix, "the vector does not fit the matrix's columns");
    let fits = result == Shape { kind: ShapeKind::Vector(columns), component };
    ensure!(fits, "the result does not have a component for each column");
    Ok(())
}

fn matrix_times_vector<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (columns, rows, of_matrix) = matrix_value(cx, inst.id(0))?;
    let (count, component) = float_vector(cx, inst.id(1))?;
    let result = cx.result_shape(inst)?;
    ensure!(count == columns && component == of_matrix, "the vector does not fit the matrix's rows");
    let fits = result == Shape { kind: ShapeKind::Vector(rows), component };
    ensure!(fits, "the result is not of the type of the matrix's columns");
    Ok(())
}

fn matrix_times_matrix<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (left_columns, left_rows, left) = matrix_value(cx, inst.id(0))?;
    let (right_columns, right_rows, right) = matrix_value(cx, inst.id(1))?;
    let result = cx.result_type(inst)?;
    ensure!(left_columns == right_rows && left == right, "the matrices do not fit");
    ensure!(
        matrix(cx, result) == Some((right_columns, left_rows, left)),
        "the result is not their product's"
    );
    Ok(())
}

fn outer_product<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (rows, left) = float_vector(cx, inst.id(0))?;
    let (columns, right) = float_vector(cx, inst.id(1))?;
    let result = cx.result_type(inst)?;
    ensure!(left == right, "the vectors' components differ");
    ensure!(matrix(cx, result) == Some((columns, rows, left)), "the result is not their product's");
    Ok(())
}

fn dot<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (count, component) = float_vector(cx, inst.id(0))?;
    ensure!(float_vector(cx, inst.id(1))? == (count, component), "the vectors' types differ");
    let result = cx.result_shape(inst)?;
    ensure!(
        result == Shape { kind: ShapeKind::Scalar, component },
        "the result is not of the component's type"
    );
    Ok(())
}

/// A structure of two equal integers.
fn extended<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    let Type::Struct { members } = cx.ty(result) else {
        return Err("the result is not a structure".to_owned());
    };
    ensure!(members.len() == 2 && members.at(0) == members.at(1), "the result is not of two equal members");
    let shape = cx.shape(members.at(0)).filter(|shape| shape.is_int());
    let Some(shape) = shape else { return Err("the members are not integers".to_owned()) };
    let wants_unsigned = inst.op() != Op::SMulExtended;
    let is_unsigned = matches!(shape.component, Type::Int { signed: false, .. });
    ensure!(is_unsigned || !wants_unsigned, "the members are not unsigned integers");
    for id in inst.ids_from(0).iter() {
        ensure!(cx.type_of(id)? == members.at(0), "{id} is not of the members' type");
    }
    Ok(())
}

fn integer_dot<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    ensure!(result.is_int() && result.is_scalar(), "the result is not an integer scalar");
    let left = cx.value_shape(inst.id(0))?;
    let right = cx.value_shape(inst.id(1))?;
    ensure!(left.is_int() && right.is_int(), "the operands are not integers");
    ensure!(left.kind == right.kind && left.width() == right.width(), "the operands' types differ");
    let has_accumulator = matches!(inst.op(), Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    if has_accumulator {
        ensure!(
            cx.type_of(inst.id(2))? == cx.result_type(inst)?,
            "the accumulator is not of the result's type"
        );
    }
    if left.is_scalar() {
        ensure!(left.width() == 32, "packed operands are 32 bits");
        let format = inst.get_word(if has_accumulator { 3 } else { 2 });
        ensure!(format.is_some(), "packed operands need a packed vector format");
        ensure!(result.width() >= 8, "the result is too narrow");
    } else {
        ensure!(result.width() >= left.width(), "the result is narrower than the components");
    }
    Ok(())
}

fn shift<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    let (base, amount) = (cx.value_shape(inst.id(0))?, cx.value_shape(inst.id(1))?);
    let fits = base.is_int() && base.kind == result.kind && base.width() == result.width();
    ensure!(result.is_int() && fits, "the base does not have the result's width and components");
    ensure!(amount.is_int() && amount.kind == result.kind, "the shift does not have the result's components");
    Ok(())
}

fn bit_field<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    ensure!(cx.result_shape(inst)?.is_int(), "the result is not an integer");
    let values = if inst.op() == Op::BitFieldInsert { 2 } else { 1 };
    for position in 0..values {
        ensure!(
            cx.type_of(inst.id(position))? == result,
            "operand {} is not of the result's type",
            position + 1
        );
    }
    cx.int_scalar(inst.id(values))?;
    cx.int_scalar(inst.id(values + 1))?;
    Ok(())
}

fn bit_count<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (result, base) = (cx.result_shape(inst)?, cx.value_shape(inst.id(0))?);
    ensure!(result.is_int() && base.is_int() && result.kind == base.kind, "the types do not fit");
    Ok(())
}

fn any_all<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (result, vector) = (cx.result_shape(inst)?, cx.value_shape(inst.id(0))?);
    ensure!(result.is_bool() && result.is_scalar(), "the result is not a boolean");
    ensure!(vector.is_bool() && !vector.is_scalar(), "the operand is not a vector of booleans");
    Ok(())
}

fn float_test<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (result, operand) = (cx.result_shape(inst)?, cx.value_shape(inst.id(0))?);
    let fits = result.is_bool() && operand.is_float() && result.kind == operand.kind;
    ensure!(fits, "the result has not a boolean for each float");
    Ok(())
}

fn logical<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    ensure!(cx.result_shape(inst)?.is_bool(), "the result is not a boolean");
    same_as_result(cx, inst)
}

fn expect<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    ensure!(result.is_int() || result.is_bool(), "the result is neither integer nor boolean");
    same_as_result(cx, inst)
}

fn assume_true<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let condition = cx.value_shape(inst.id(0))?;
    ensure!(condition.is_bool() && condition.is_scalar(), "the condition is not a boolean");
    Ok(())
}

fn select<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_type(inst)?;
    let condition = cx.value_shape(inst.id(0))?;
    ensure!(condition.is_bool(), "the condition is not a boolean");
    for position in 1..3 {
        ensure!(
            cx.type_of(inst.id(position))? == result,
            "operand {} is not of the result's type",
            position + 1
        );
    }
    if !condition.is_scalar() {
        let shape = cx.result_shape(inst)?;
        ensure!(shape.kind == condition.kind, "the condition does not have the result's components");
    }
    let can_be_chosen = !cx.facts(result).has_opaque || matches!(cx.ty(result), Type::Pointer { .. });
    ensure!(can_be_chosen, "values of the result's type cannot be chosen");
    Ok(())
}

fn int_comparison<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    let (left, right) = (cx.value_shape(inst.id(0))?, cx.value_shape(inst.id(1))?);
    ensure!(
        result.is_bool() && left.is_int() && right.is_int(),
        "it compares no integers, or not to a boolean"
    );
    let fits = result.kind == left.kind && left.kind == right.kind && left.width() == right.width();
    ensure!(fits, "widths or counts of components differ");
    Ok(())
}

fn float_comparison<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    let (left, right) = (cx.value_shape(inst.id(0))?, cx.value_shape(inst.id(1))?);
    ensure!(
        result.is_bool() && left.is_float() && left == right,
        "it compares no floats of one type to a boolean"
    );
    ensure!(result.kind == left.kind, "counts of components differ");
    Ok(())
}

fn convert<'m>(
    cx: &Context<'_, 'm>,
    inst: Instruction<'m>,
    from: fn(Shape<'m>) -> bool,
    to: fn(Shape<'m>) -> bool,
) -> Verdict {
    let (result, operand) = (cx.result_shape(inst)?, cx.value_shape(inst.id(0))?);
    ensure!(from(operand), "the operand is not of the kind that it converts from");
    ensure!(to(result), "the result is not of the kind that it converts to");
    let fits = match (result.kind, operand.kind) {
        // Conversions may change a matrix's use.
        (ShapeKind::CooperativeMatrix(left), ShapeKind::CooperativeMatrix(right)) => left[..3] == right[..3],
        (left, right) => left == right,
    };
    ensure!(fits, "counts of components differ");
    Ok(())
}

fn quantize<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = cx.result_shape(inst)?;
    ensure!(
        result.component == Type::Float { width: 32, encoding: None },
        "the result is not a 32-bit float"
    );
    same_as_result(cx, inst)
}

fn bitcast<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let result = bits(cx, cx.result_type(inst)?);
    let operand = bits(cx, cx.type_of(inst.id(0))?);
    let (Some(result), Some(operand)) = (result, operand) else {
        return Err("only numbers, vectors of them, and pointers have bits".to_owned());
    };
    ensure!(result == operand, "{operand} bits are cast to {result}");
    Ok(())
}

/// How many bits a number, vector of numbers, or physical pointer has; of cooperative matrices those of a
/// component, negated, as their count of components is not known.
fn bits(cx: &Context<'_, '_>, ty: pyro_spirv::Id) -> Option<i64> {
    match cx.ty(ty) {
        Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }
        | Type::UntypedPointer { class: StorageClass::PhysicalStorageBuffer } => Some(64),
        _ => {
            let shape = cx.shape(ty).filter(|shape| !shape.is_bool())?;
            match shape.kind {
                ShapeKind::CooperativeMatrix(_) => Some(-i64::from(shape.width())),
                ShapeKind::CooperativeVector(count) => {
                    i64::try_from(count).ok()?.checked_mul(i64::from(shape.width()))
                }
                _ => Some(i64::from(shape.width()) * i64::from(shape.count())),
            }
        }
    }
}

fn convert_pointer<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, from_pointer: bool) -> Verdict {
    let (result, operand) = (cx.result_type(inst)?, cx.type_of(inst.id(0))?);
    let (pointer, number) = if from_pointer { (operand, result) } else { (result, operand) };
    let is_physical = matches!(
        cx.ty(pointer),
        Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }
            | Type::UntypedPointer { class: StorageClass::PhysicalStorageBuffer }
    );
    ensure!(is_physical, "the pointer is not to PhysicalStorageBuffer");
    let is_number = match cx.ty(number) {
        Type::Int { width: 64, .. } => true,
        // A vector of two words, by SPV_KHR_physical_storage_buffer.
        Type::Vector { component, count: 2 } => matches!(cx.ty(component), Type::Int { width: 32, .. }),
        Type::Int { .. } => true,
        _ => false,
    };
    ensure!(is_number, "the number is not an integer");
    Ok(())
}
