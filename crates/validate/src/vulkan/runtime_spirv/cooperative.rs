//! Rules on cooperative matrices and vectors, and on tensors: what a device lists, and in which stages.

use super::group::stage_bit;
use crate::context::{Context, Verdict, ensure};
use crate::device::{ComponentType, CooperativeMatrixProperties};
use crate::vulkan::entry_point::{Stage, StageRule};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::spirv::{CooperativeMatrixUse, FPEncoding, Op, Scope, StorageClass};
use pyro_spirv::{Id, Instruction, Type};

/// Instructions between a layout's block size and its use that are followed.
const LAYOUT_STEPS_MAX: usize = 64;

/// Rules on types.
pub(crate) const TYPE_RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163", |cx, inst| matrix_listed(cx, inst, false)),
    ("VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10165", |cx, inst| matrix_listed(cx, inst, true)),
    ("VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensionsMaxDimension-10167", greatest_dimension),
    ("VUID-RuntimeSpirv-OpTypeCooperativeMatrixNV-06316", matrix_nv_listed),
    ("VUID-RuntimeSpirv-OpTypeCooperativeVector-10095", vector_listed),
];

/// Rules on instructions in functions.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    (
        "VUID-RuntimeSpirv-OpCooperativeMatrixMulAddKHR-10060",
        |op| op == Op::CooperativeMatrixMulAddKHR,
        |cx, inst| multiplication_listed(cx, inst, false),
    ),
    (
        "VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10166",
        |op| op == Op::CooperativeMatrixMulAddKHR,
        |cx, inst| multiplication_listed(cx, inst, true),
    ),
    (
        "VUID-RuntimeSpirv-OpTypeCooperativeMatrixMulAddNV-10059",
        |op| op == Op::CooperativeMatrixMulAddNV,
        |cx, inst| multiplication_listed(cx, inst, false),
    ),
    ("VUID-RuntimeSpirv-OpExtractSubArrayQCOM-12354", is_extract, aligned_extract),
    ("VUID-RuntimeSpirv-NSize-12352", is_extract, |cx, inst| extract_listed(cx, cx.type_of(inst.id(0))?, 1)),
    ("VUID-RuntimeSpirv-KSize-12353", is_extract, |cx, inst| extract_listed(cx, cx.result_type(inst)?, 2)),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089",
        is_vector_multiplication,
        vector_product_listed,
    ),
    ("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10090", is_vector_multiplication, optimal_layout),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092",
        |op| op == Op::CooperativeVectorReduceSumAccumulateNV,
        reduce_sum,
    ),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093",
        |op| op == Op::CooperativeVectorOuterProductAccumulateNV,
        outer_product,
    ),
    (
        "VUID-RuntimeSpirv-OpCooperativeMatrixLoadTensorNV-12429",
        |op| op == Op::CooperativeMatrixLoadTensorNV,
        decoded_vectors,
    ),
    ("VUID-RuntimeSpirv-maxTensorShaderAccessArrayLength-09903", is_tensor_access, tensor_array_length),
    ("VUID-RuntimeSpirv-maxTensorShaderAccessSize-09904", is_tensor_access, tensor_access_size),
];

/// Rules on instructions in an entry point's call tree.
pub(crate) const STAGE_RULES: &[(&str, Applies, StageRule)] = &[
    (
        "VUID-RuntimeSpirv-cooperativeMatrixSupportedStages-08985",
        |op| name(op).starts_with("CooperativeMatrix") && !name(op).ends_with("NV"),
        |stage, _| supported_stage(stage, "cooperativeMatrixSupportedStages"),
    ),
    (
        "VUID-RuntimeSpirv-OpTypeCooperativeMatrixNV-06322",
        |op| {
            let of_first_extension = ["LoadNV", "StoreNV", "MulAddNV", "LengthNV"];
            name(op).strip_prefix("CooperativeMatrix").is_some_and(|rest| of_first_extension.contains(&rest))
        },
        |stage, _| supported_stage(stage, "cooperativeMatrixSupportedStages"),
    ),
    (
        "VUID-RuntimeSpirv-cooperativeVectorSupportedStages-10091",
        |op| name(op).starts_with("CooperativeVector"),
        |stage, _| supported_stage(stage, "cooperativeVectorSupportedStages"),
    ),
    (
        "VUID-RuntimeSpirv-shaderTensorSupportedStages-09901",
        |op| matches!(op, Op::TensorReadARM | Op::TensorWriteARM | Op::TensorQuerySizeARM),
        |stage, _| supported_stage(stage, "shaderTensorSupportedStages"),
    ),
];

fn name(op: Op) -> &'static str {
    pyro_spirv::grammar::table().get(op).name
}

fn supported_stage(stage: &Stage<'_, '_, '_>, property: &str) -> Verdict {
    let bit = stage_bit(stage.model());
    let is_allowed = stage.cx.property(property).is_none_or(|stages| bit == 0 || stages & bit != 0);
    ensure!(is_allowed, "{:?} shaders are not among {property}", stage.model());
    Ok(())
}

/// The API's component type of a SPIR-V scalar.
fn component_type(cx: &Context<'_, '_>, scalar: Id) -> Option<ComponentType> {
    match cx.ty(scalar) {
        Type::Float { width, encoding: None } => ComponentType::float(width),
        Type::Float { encoding: Some(FPEncoding::BFloat16KHR), .. } => Some(ComponentType::BFLOAT16),
        Type::Float { encoding: Some(FPEncoding::Float8E4M3EXT), .. } => Some(ComponentType::FLOAT8_E4M3),
        Type::Float { encoding: Some(FPEncoding::Float8E5M2EXT), .. } => Some(ComponentType::FLOAT8_E5M2),
        Type::Int { width, signed } => ComponentType::integer(width, signed),
        _ => None,
    }
}

/// A cooperative matrix type whose dimensions are known.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    component: ComponentType,
    scope: u32,
    rows: u32,
    columns: u32,
    /// None for the first extension's, which have no use.
    usage: Option<u32>,
}

fn matrix(cx: &Context<'_, '_>, ty: Id) -> Option<Matrix> {
    let number = |id| cx.constants.unsigned(id);
    let (component, scope, rows, columns, usage) = match cx.ty(ty) {
        Type::CooperativeMatrixKhr { component, scope, rows, columns, usage } => {
            (component, scope, rows, columns, Some(number(usage)?))
        }
        Type::CooperativeMatrixNv { component, scope, rows, columns } => {
            (component, scope, rows, columns, None)
        }
        _ => return None,
    };
    Some(Matrix {
        component: component_type(cx, component)?,
        scope: number(scope)?,
        rows: number(rows)?,
        columns: number(columns)?,
        usage,
    })
}

/// Places of a matrix's rows and columns in M, N, K, and of its type in A, B, C, result.
const A: ([usize; 2], &[usize]) = ([0, 2], &[0]);
const B: ([usize; 2], &[usize]) = ([2, 1], &[1]);
const ACCUMULATOR: ([usize; 2], &[usize]) = ([0, 1], &[2, 3]);

/// Whether a matrix fits a row of the device's list in a role.
fn fits(found: &Matrix, row: &CooperativeMatrixProperties, role: ([usize; 2], &[usize])) -> bool {
    let ([rows, columns], types) = role;
    row.scope == found.scope
        && row.has_size(rows, found.rows)
        && row.has_size(columns, found.columns)
        && types.iter().any(|place| row.types[*place] == found.component)
}

fn role(found: &Matrix) -> Option<([usize; 2], &'static [usize])> {
    Some(match CooperativeMatrixUse::from_u32(found.usage?)? {
        CooperativeMatrixUse::MatrixAKHR => A,
        CooperativeMatrixUse::MatrixBKHR => B,
        CooperativeMatrixUse::MatrixAccumulatorKHR => ACCUMULATOR,
    })
}

/// The device's list, when it is known and flexible rows are asked for or not.
fn listed<'c>(
    cx: &'c Context<'_, '_>,
    is_flexible: bool,
) -> Option<impl Iterator<Item = &'c CooperativeMatrixProperties>> {
    let device = cx.environment.device.as_ref()?;
    let has_flexible = device.has_feature("cooperativeMatrixFlexibleDimensions");
    let list = device.cooperative_matrices.as_deref().filter(|_| has_flexible == is_flexible)?;
    Some(list.iter().filter(move |row| is_flexible || !row.is_flexible))
}

/// What it lists by sizes, whatever features it has.
fn listed_sizes<'c>(
    cx: &'c Context<'_, '_>,
) -> Option<impl Iterator<Item = &'c CooperativeMatrixProperties>> {
    let list = cx.environment.device.as_ref()?.cooperative_matrices.as_deref()?;
    Some(list.iter().filter(|row| !row.is_flexible))
}

fn matrix_listed(cx: &Context<'_, '_>, inst: Instruction<'_>, is_flexible: bool) -> Verdict {
    if inst.op() != Op::TypeCooperativeMatrixKHR {
        return Ok(());
    }
    let (Some(mut list), Some(found)) =
        (listed(cx, is_flexible), inst.result().and_then(|ty| matrix(cx, ty)))
    else {
        return Ok(());
    };
    let is_listed = role(&found).is_none_or(|role| list.any(|row| fits(&found, row, role)));
    ensure!(
        is_listed,
        "the device lists no matrix of {} by {} of this type, scope and use",
        found.rows,
        found.columns
    );
    Ok(())
}

fn matrix_nv_listed(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::TypeCooperativeMatrixNV {
        return Ok(());
    }
    let (Some(mut list), Some(found)) = (listed_sizes(cx), inst.result().and_then(|ty| matrix(cx, ty)))
    else {
        return Ok(());
    };
    let is_listed = list.any(|row| [A, B, ACCUMULATOR].iter().any(|role| fits(&found, row, *role)));
    ensure!(is_listed, "the device lists no matrix of {} by {} of this type", found.rows, found.columns);
    Ok(())
}

fn greatest_dimension(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(Type::CooperativeMatrixKhr { rows, columns, .. }) = inst.result().map(|ty| cx.ty(ty)) else {
        return Ok(());
    };
    for dimension in [rows, columns].into_iter().filter_map(|id| cx.constants.unsigned(id)) {
        cx.at_most("a dimension", dimension.into(), "cooperativeMatrixFlexibleDimensionsMaxDimension")?;
    }
    Ok(())
}

fn multiplication_listed(cx: &Context<'_, '_>, inst: Instruction<'_>, is_flexible: bool) -> Verdict {
    let list: Option<Vec<_>> = match inst.op() {
        Op::CooperativeMatrixMulAddNV => listed_sizes(cx).map(Iterator::collect),
        _ => listed(cx, is_flexible).map(Iterator::collect),
    };
    let Some(list) = list else { return Ok(()) };
    let operand = |position| inst.get_id(position).and_then(|id| matrix(cx, cx.module.type_of(id)?));
    let result = inst.result_type().and_then(|ty| matrix(cx, ty));
    let (Some(a), Some(b), Some(c), Some(result)) = (operand(0), operand(1), operand(2), result) else {
        return Ok(());
    };
    let is_listed = list.iter().any(|row| {
        fits(&a, row, A)
            && fits(&b, row, B)
            && fits(&c, row, (ACCUMULATOR.0, &[2]))
            && fits(&result, row, (ACCUMULATOR.0, &[3]))
    });
    ensure!(is_listed, "the device lists no multiplication of matrices of these sizes and types");
    Ok(())
}

fn is_extract(op: Op) -> bool {
    op == Op::ExtractSubArrayQCOM
}

fn aligned_extract(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let len = cx.constants.array_len(cx.result_type(inst)?).filter(|len| *len != 0);
    let start = inst.get_id(1).and_then(|id| cx.constants.unsigned(id));
    let (Some(len), Some(start)) = (len, start) else { return Ok(()) };
    ensure!(u64::from(start).is_multiple_of(len), "the first index {start} is not a multiple of {len}");
    Ok(())
}

fn extract_listed(cx: &Context<'_, '_>, array: Id, dimension: usize) -> Verdict {
    let (Some(mut list), Some(len)) = (listed_sizes(cx), cx.constants.array_len(array)) else {
        return Ok(());
    };
    let is_listed = list.any(|row| u64::from(row.size[dimension]) == len);
    ensure!(is_listed, "the device lists no matrix of that size for an array of {len} elements");
    Ok(())
}

fn is_vector_multiplication(op: Op) -> bool {
    matches!(op, Op::CooperativeVectorMatrixMulNV | Op::CooperativeVectorMatrixMulAddNV)
}

fn vector_component(cx: &Context<'_, '_>, ty: Id) -> Option<ComponentType> {
    match cx.ty(ty) {
        Type::CooperativeVector { component, .. } | Type::Vector { component, .. } => {
            component_type(cx, component)
        }
        _ => None,
    }
}

fn vector_listed(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let list = cx.environment.device.as_ref().and_then(|device| device.cooperative_vectors.as_deref());
    let (Some(list), Some(Type::CooperativeVector { component, .. })) =
        (list, inst.result().map(|ty| cx.ty(ty)))
    else {
        return Ok(());
    };
    let Some(found) = component_type(cx, component) else { return Ok(()) };
    let is_listed = list.iter().any(|row| row.input == found || row.result == found);
    ensure!(is_listed, "the device lists no cooperative vectors of this component type");
    Ok(())
}

/// Positions of the matrix's interpretation and layout; with a bias, of its interpretation.
fn product_positions(op: Op) -> (usize, usize, usize, Option<usize>) {
    // Matrix interpretation, layout, transpose, bias interpretation.
    if op == Op::CooperativeVectorMatrixMulAddNV { (4, 10, 11, Some(7)) } else { (4, 7, 8, None) }
}

fn constant(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<u32> {
    cx.constants.unsigned(inst.get_id(position)?)
}

fn vector_product_listed(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let list = cx.environment.device.as_ref().and_then(|device| device.cooperative_vectors.as_deref());
    let Some(list) = list else { return Ok(()) };
    let (matrix, _, transpose, bias) = product_positions(inst.op());
    let of = |position| constant(cx, inst, position).map(ComponentType);
    let input = inst.get_id(0).and_then(|id| vector_component(cx, cx.module.type_of(id)?));
    let result = inst.result_type().and_then(|ty| vector_component(cx, ty));
    let is_transposed = inst.get_id(transpose).and_then(|id| cx.constants.boolean(id));
    // What is not known may be anything.
    let same = |found: Option<ComponentType>, own: ComponentType| found.is_none_or(|found| found == own);
    let is_listed = list.iter().any(|row| {
        same(input, row.input)
            && same(of(1), row.input_interpretation)
            && same(of(matrix), row.matrix_interpretation)
            && bias.is_none_or(|position| same(of(position), row.bias_interpretation))
            && same(result, row.result)
            && (is_transposed != Some(true) || row.transpose)
    });
    ensure!(is_listed, "the device lists no multiplication of vectors of these types");
    Ok(())
}

/// `VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV` and `…_TRAINING_OPTIMAL_NV`, as SPIR-V
/// numbers them.
const INFERENCING_OPTIMAL: u32 = 2;
const TRAINING_OPTIMAL: u32 = 3;

fn optimal_layout(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let (matrix, layout, ..) = product_positions(inst.op());
    let (Some(matrix), Some(layout)) = (constant(cx, inst, matrix), constant(cx, inst, layout)) else {
        return Ok(());
    };
    let is_narrow = [ComponentType::FLOAT8_E4M3, ComponentType::FLOAT8_E5M2].contains(&ComponentType(matrix));
    let is_optimal = matches!(layout, INFERENCING_OPTIMAL | TRAINING_OPTIMAL);
    ensure!(!is_narrow || is_optimal, "a matrix of 8-bit floats is in a layout that is not optimal");
    Ok(())
}

fn is_buffer_pointer(cx: &Context<'_, '_>, pointer: Id) -> bool {
    let class = cx.pointer_value(pointer).map(|(class, _)| class);
    matches!(class, Err(_) | Ok(StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer))
}

fn accumulates(cx: &Context<'_, '_>, width: u32) -> Verdict {
    let property = format!("cooperativeVectorTrainingFloat{width}Accumulation");
    ensure!(cx.property(&property) != Some(0), "the device does not have {property}");
    Ok(())
}

fn reduce_sum(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    ensure!(is_buffer_pointer(cx, inst.id(0)), "the accumulator does not point into a storage buffer");
    let shape = cx.value_shape(inst.id(2))?;
    let width = shape.width();
    ensure!(
        shape.is_float() && matches!(width, 16 | 32),
        "the components of the added vector are not 16- or 32-bit floats"
    );
    accumulates(cx, width)
}

fn outer_product(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    ensure!(is_buffer_pointer(cx, inst.id(0)), "the accumulator does not point into a storage buffer");
    for vector in [inst.id(2), inst.id(3)] {
        let shape = cx.value_shape(vector)?;
        ensure!(
            shape.is_float() && shape.width() == 16,
            "{vector} is not of 16-bit floating-point components"
        );
    }
    let is_training = constant(cx, inst, 4).is_none_or(|layout| layout == TRAINING_OPTIMAL);
    ensure!(is_training, "the matrix is not in the layout that is optimal for training");
    match constant(cx, inst, 5).map(ComponentType) {
        None => Ok(()),
        Some(ComponentType::FLOAT16) => accumulates(cx, 16),
        Some(ComponentType::FLOAT32) => accumulates(cx, 32),
        Some(found) => Err(format!("the matrix's interpretation {} is not a 16- or 32-bit float", found.0)),
    }
}

fn is_tensor_access(op: Op) -> bool {
    matches!(op, Op::TensorReadARM | Op::TensorWriteARM)
}

/// The type that is read or written: a scalar or an array of them.
fn accessed(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Result<Id, String> {
    if inst.op() == Op::TensorReadARM { cx.result_type(inst) } else { cx.type_of(inst.id(2)) }
}

fn tensor_array_length(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let len = cx.constants.array_len(accessed(cx, inst)?).unwrap_or(0);
    cx.at_most("the length of the array", len, "maxTensorShaderAccessArrayLength")
}

fn tensor_access_size(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let ty = accessed(cx, inst)?;
    let (element, count) = match cx.ty(ty) {
        Type::Array { element, .. } => (element, cx.constants.array_len(ty).unwrap_or(1)),
        _ => (ty, 1),
    };
    let width = cx.ty(element).width().unwrap_or(8);
    cx.at_most("the count of bytes", count.saturating_mul((width / 8).into()), "maxTensorShaderAccessSize")
}

/// Whether the module has cooperative matrices that a workgroup shares.
pub(crate) fn has_workgroup_matrix(cx: &Context<'_, '_>) -> bool {
    cx.module.global_insts().any(|inst| {
        inst.op() == Op::TypeCooperativeMatrixKHR
            && inst
                .result()
                .and_then(|ty| matrix(cx, ty))
                .is_some_and(|found| found.scope == Scope::Workgroup as u32)
    })
}

/// Vectors that are decoded do not reach over a block's end, as far as constants say how large blocks are.
fn decoded_vectors(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some(decode) = inst.tensor_addressing(3).decode_vector else { return Ok(()) };
    let result = cx.module.definition(decode).and_then(|function| function.result_type());
    let Some(Type::Vector { count, .. }) = result.map(|result| cx.ty(result)) else { return Ok(()) };
    let mut layout = inst.id(2);
    // A layout of itself, in code that nothing reaches, would have no end.
    for _ in 0..LAYOUT_STEPS_MAX {
        let Some(definition) = cx.module.definition(layout) else { return Ok(()) };
        let size = match definition.op() {
            Op::TensorLayoutSetDimensionNV
            | Op::TensorLayoutSetStrideNV
            | Op::TensorLayoutSliceNV
            | Op::TensorLayoutSetClampValueNV => {
                layout = definition.id(0);
                continue;
            }
            Op::TensorLayoutSetBlockSizeNV => {
                let sizes = definition.ids_from(1);
                sizes.iter().last().and_then(|size| cx.constants.integer(size))
            }
            Op::CreateTensorLayoutNV => Some(1),
            _ => None,
        };
        let is_whole = size.is_none_or(|size| size % i128::from(count) == 0);
        ensure!(
            is_whole,
            "{decode} decodes {count} elements at once, blocks have {} in the last dimension",
            size.unwrap_or(0)
        );
        return Ok(());
    }
    Ok(())
}
