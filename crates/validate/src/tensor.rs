//! Tensor layouts and views (`SPV_NV_tensor_addressing`), loads and stores of cooperative matrices by them
//! (`SPV_NV_cooperative_matrix2`, `SPV_NV_cooperative_matrix_decode_vector`), and arrays that matrices are
//! made of (`SPV_QCOM_cooperative_matrix_conversion`); checked with
//! [`Environment::strict`](crate::Environment::strict).

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{CooperativeMatrixUse, Op, Scope, StorageClass};
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

/// Components that a function may decode at once.
const DECODED_COUNTS: [u32; 3] = [2, 4, 8];

/// A load or store of a cooperative matrix by a layout.
pub(crate) fn accessed<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let is_load = inst.op() == Op::CooperativeMatrixLoadTensorNV;
    let class = cx.pointer_value(inst.id(0)).map(|(class, _)| class);
    let class = match cx.value_type(inst.id(0))? {
        Type::UntypedPointer { class } => Ok(class),
        _ => class,
    }?;
    let matrix = cx.type_of(inst.id(1))?;
    let Type::CooperativeMatrixKhr { component, .. } = cx.ty(matrix) else {
        return Err(format!("{} is not a cooperative matrix", inst.id(1)));
    };
    if is_load {
        ensure!(cx.result_type(inst)? == matrix, "{} is not of the result's type", inst.id(1));
    }
    let Type::TensorLayout { dim, .. } = cx.value_type(inst.id(2))? else {
        return Err(format!("{} is not a tensor layout", inst.id(2)));
    };
    let addressing = inst.tensor_addressing(3);
    if let Some(view) = addressing.view {
        let is_view = matches!(cx.value_type(view)?, Type::TensorView { .. });
        ensure!(is_view, "{view} is not a tensor view");
    }
    let Some(decode) = addressing.decode else {
        ensure!(
            addressing.decode_vector.is_none(),
            "there is a function that decodes vectors, but none that decodes an element"
        );
        return Ok(());
    };
    ensure!(is_load, "elements are decoded that are stored");
    let is_buffer = matches!(class, StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer);
    ensure!(is_buffer, "elements are decoded from the storage class {class:?}");
    let result = decoder(cx, decode, dim)?;
    ensure!(result == component, "{decode} returns {result}, an element is {component}");
    let Some(decode) = addressing.decode_vector else { return Ok(()) };
    let result = decoder(cx, decode, dim)?;
    let is_vector = matches!(cx.ty(result), Type::Vector { component: of, count }
        if of == component && DECODED_COUNTS.contains(&count));
    ensure!(is_vector, "{decode} returns {result}, not a vector of 2, 4 or 8 elements");
    Ok(())
}

/// What a function that decodes elements of tensors of so many dimensions returns.
fn decoder(cx: &Context<'_, '_>, function: Id, dim: Id) -> Result<Id, String> {
    let definition = cx.module.definition(function).filter(|inst| inst.op() == Op::Function);
    let Some(Type::Function { result, parameters }) = definition.map(|inst| cx.ty(inst.id(1))) else {
        return Err(format!("{function} is not a function"));
    };
    let &[block, block_place, inner_place] = &parameters.iter().collect::<Vec<_>>()[..] else {
        return Err(format!("{function} has {} parameters, not 3", parameters.len()));
    };
    let is_physical =
        matches!(cx.ty(block), Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. });
    ensure!(is_physical, "{block}, the first parameter of {function}, is no pointer to physical memory");
    let count = cx.constants.integer(dim);
    for place in [block_place, inner_place] {
        let is_place = match cx.ty(place) {
            Type::Array { element, len } => {
                let has_count = cx.constants.integer(len).zip(count).is_none_or(|(len, count)| len == count);
                has_count && matches!(cx.ty(element), Type::Int { width: 32, .. })
            }
            _ => false,
        };
        ensure!(is_place, "the parameter {place} of {function} is not a 32-bit integer for each dimension");
    }
    Ok(result)
}

/// The element and the length of a one-dimensional array of 32-bit integers or floats of 32 or 16 bits; with
/// `is_matrix`, also of the elements of cooperative matrices.
fn array(cx: &Context<'_, '_>, ty: Id, is_matrix: bool) -> Result<(Id, Option<u64>), String> {
    let Type::Array { element, .. } = cx.ty(ty) else { return Err(format!("{ty} is not an array")) };
    let is_element = match cx.ty(element) {
        Type::Int { width, .. } => width == 32 || is_matrix && width == 8,
        Type::Float { width, encoding: None } => matches!(width, 16 | 32),
        _ => false,
    };
    ensure!(
        is_element,
        "{element}, the element of {ty}, is not an integer of 32 bits or a float of 32 or 16"
    );
    Ok((element, cx.constants.array_len(ty)))
}

/// The bits of a scalar.
fn bits(cx: &Context<'_, '_>, scalar: Id) -> u64 {
    match cx.ty(scalar) {
        Type::Int { width, .. } | Type::Float { width, .. } => width.into(),
        _ => 0,
    }
}

/// An instruction on arrays, or on arrays and cooperative matrices
/// (`SPV_QCOM_cooperative_matrix_conversion`).
pub(crate) fn converted<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let (result, source) = (cx.result_type(inst)?, cx.type_of(inst.id(0))?);
    match inst.op() {
        Op::BitCastArrayQCOM => {
            let [to, from] = [array(cx, result, false)?, array(cx, source, false)?];
            let all =
                |(element, len): (Id, Option<u64>)| len.map(|len| len.saturating_mul(bits(cx, element)));
            let same = all(to).zip(all(from)).is_none_or(|(to, from)| to == from);
            ensure!(same, "the result and {} have different sizes", inst.id(0));
        }
        Op::ExtractSubArrayQCOM => {
            let [(element, len), (of, all)] = [array(cx, result, false)?, array(cx, source, false)?];
            ensure!(element == of, "the element of the result is not that of {}", inst.id(0));
            let is_index = matches!(cx.value_type(inst.id(1))?, Type::Int { width: 32, signed: true });
            ensure!(is_index, "the first index, {}, is not a signed 32-bit integer", inst.id(1));
            let start = cx.constants.integer(inst.id(1));
            if let (Some(len), Some(all), Some(start)) = (len, all, start) {
                let is_inside = start >= 0 && start + i128::from(len) <= i128::from(all);
                ensure!(is_inside, "{len} elements from {start} on are not inside of an array of {all}");
            }
        }
        _ => {
            let (matrix, line) = match inst.op() {
                Op::CompositeConstructCoopMatQCOM => (result, source),
                _ => (source, result),
            };
            let Type::CooperativeMatrixKhr { component, scope, rows, columns, usage } = cx.ty(matrix) else {
                return Err(format!("{matrix} is not a cooperative matrix type"));
            };
            let scope = cx.constants.unsigned(scope);
            let is_subgroup = scope.is_none_or(|scope| scope == Scope::Subgroup as u32);
            ensure!(is_subgroup, "the scope of {matrix} is not Subgroup");
            let (element, len) = array(cx, line, true)?;
            let is_word = matches!(cx.ty(element), Type::Int { width: 32, signed: false });
            ensure!(element == component || is_word, "{line} has other elements than {matrix}, and no words");
            let is_b = cx.constants.unsigned(usage) == Some(CooperativeMatrixUse::MatrixBKHR as u32);
            let count = cx.constants.unsigned(if is_b { rows } else { columns });
            let fits = len.zip(count).is_none_or(|(len, count)| {
                len.saturating_mul(bits(cx, element)) == u64::from(count) * bits(cx, component)
            });
            ensure!(fits, "{line} is not as long as a line of {matrix}");
        }
    }
    Ok(())
}

/// The value of a 32-bit integer constant; none for one that nobody knows yet.
fn number(cx: &Context<'_, '_>, id: Id, what: &str) -> Result<Option<i128>, String> {
    let is_word = cx.is_constant(id) && matches!(cx.value_type(id)?, Type::Int { width: 32, .. });
    ensure!(is_word, "{what}, {id}, is not a constant 32-bit integer");
    Ok(cx.constants.integer(id))
}
