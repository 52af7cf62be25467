//! Rules on alignments and offsets, as far as constants say them: what is computed at run time is taken as right.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::grammar::is_ext_inst;
use pyro_spirv::spirv::{BuiltIn, Decoration, Op};
use pyro_spirv::{ExtInstSet, Id, Instruction, Type};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    (
        "VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986",
        |op| matches!(op, Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixStoreKHR),
        matrix_stride,
    ),
    (
        "VUID-RuntimeSpirv-OpCooperativeMatrixLoadNV-06324",
        |op| matches!(op, Op::CooperativeMatrixLoadNV | Op::CooperativeMatrixStoreNV),
        matrix_stride,
    ),
    ("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10096", is_product, product_stride),
    ("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10097", is_product, |cx, inst| {
        multiple(cx, inst, 3, 64, "MatrixOffset")
    }),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulAddNV-10098",
        |op| op == Op::CooperativeVectorMatrixMulAddNV,
        |cx, inst| multiple(cx, inst, 6, 16, "BiasOffset"),
    ),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-10099",
        |op| matches!(op, Op::CooperativeVectorLoadNV | Op::CooperativeVectorStoreNV),
        |cx, inst| multiple(cx, inst, 1, 16, "Offset"),
    ),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10100",
        |op| op == Op::CooperativeVectorReduceSumAccumulateNV,
        |cx, inst| multiple(cx, inst, 1, 16, "Offset"),
    ),
    (
        "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10101",
        |op| op == Op::CooperativeVectorOuterProductAccumulateNV,
        |cx, inst| multiple(cx, inst, 1, 64, "Offset"),
    ),
    ("VUID-RuntimeSpirv-samplerDescriptorAlignment-11348", is_load, |cx, inst| {
        loaded(cx, inst, |ty| ty == Type::Sampler, BuiltIn::SamplerHeapEXT, "samplerDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-imageDescriptorAlignment-11349", is_load, |cx, inst| {
        let is_image = |ty: Type<'_>| matches!(ty, Type::Image(_));
        loaded(cx, inst, is_image, BuiltIn::ResourceHeapEXT, "imageDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-Result-11350", is_load, |cx, inst| {
        let is_structure = |ty: Type<'_>| ty == Type::AccelerationStructure;
        loaded(cx, inst, is_structure, BuiltIn::ResourceHeapEXT, "bufferDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-tensorDescriptorAlignment-11481", is_load, |cx, inst| {
        let is_tensor = |ty: Type<'_>| matches!(ty, Type::Tensor { .. });
        loaded(cx, inst, is_tensor, BuiltIn::ResourceHeapEXT, "tensorDescriptorAlignment")
    }),
    (
        "VUID-RuntimeSpirv-imageDescriptorAlignment-11383",
        |op| matches!(op, Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT),
        |cx, inst| {
            // The untyped instruction names the image's type first.
            let position = usize::from(inst.op() == Op::UntypedImageTexelPointerEXT);
            let limit = "imageDescriptorAlignment";
            descriptor(cx, inst.get_id(position), BuiltIn::ResourceHeapEXT, limit)
        },
    ),
    (
        "VUID-RuntimeSpirv-bufferDescriptorAlignment-11384",
        |op| op == Op::BufferPointerEXT,
        |cx, inst| descriptor(cx, inst.get_id(0), BuiltIn::ResourceHeapEXT, "bufferDescriptorAlignment"),
    ),
    ("VUID-RuntimeSpirv-Offset-06344", is_ext_inst, |cx, inst| interpolation(cx, inst, 0, false)),
    ("VUID-RuntimeSpirv-Offset-06345", is_ext_inst, |cx, inst| interpolation(cx, inst, 0, true)),
    ("VUID-RuntimeSpirv-Offset-06346", is_ext_inst, |cx, inst| interpolation(cx, inst, 1, false)),
    ("VUID-RuntimeSpirv-Offset-06347", is_ext_inst, |cx, inst| interpolation(cx, inst, 1, true)),
];

fn is_load(op: Op) -> bool {
    op == Op::Load
}

fn is_product(op: Op) -> bool {
    matches!(op, Op::CooperativeVectorMatrixMulNV | Op::CooperativeVectorMatrixMulAddNV)
}

fn number(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<u64> {
    u64::try_from(cx.constants.integer(inst.get_id(position)?)?).ok()
}

/// That a constant number of bytes is a multiple.
fn multiple(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize, of: u64, what: &str) -> Verdict {
    let found = number(cx, inst, position);
    ensure!(
        found.is_none_or(|found| found.is_multiple_of(of)),
        "{what} is {} bytes, which is not a multiple of {of}",
        found.unwrap_or_default()
    );
    Ok(())
}

fn product_stride(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let layout = if inst.op() == Op::CooperativeVectorMatrixMulAddNV { 10 } else { 7 };
    // The layouts that are optimal have no stride; it stands behind Transpose.
    match number(cx, inst, layout) {
        Some(0 | 1) => multiple(cx, inst, layout + 2, 16, "the stride"),
        _ => Ok(()),
    }
}

/// Bytes of a scalar or vector.
fn size(cx: &Context<'_, '_>, ty: Id) -> Option<u64> {
    match cx.ty(ty) {
        Type::Vector { component, count } => Some(size(cx, component)? * u64::from(count)),
        ty => ty.width().map(|width| u64::from(width.div_ceil(8))),
    }
}

fn matrix_stride(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_store = matches!(inst.op(), Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV);
    let matrix = if is_store { cx.type_of(inst.id(1))? } else { cx.result_type(inst)? };
    let after = usize::from(is_store);
    let (component, rows, columns, is_column_major, stride) = match cx.ty(matrix) {
        Type::CooperativeMatrixKhr { component, rows, columns, .. } => {
            // Row major, column major; others have strides of their own meaning.
            let layout = number(cx, inst, 1 + after).filter(|layout| *layout < 2);
            (component, rows, columns, layout.map(|layout| layout == 1), number(cx, inst, 2 + after))
        }
        Type::CooperativeMatrixNv { component, rows, columns, .. } => {
            let is_column_major = inst.get_id(2 + after).and_then(|id| cx.constants.boolean(id));
            (component, rows, columns, is_column_major, number(cx, inst, 1 + after))
        }
        _ => return Ok(()),
    };
    // Strides count what the pointer is to; of arrays, that is the array's elements.
    let Ok((_, pointee)) = cx.pointer_value(inst.id(0)) else { return Ok(()) };
    let pointee = match cx.ty(pointee) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => element,
        _ => pointee,
    };
    let count = is_column_major
        .and_then(|is_column_major| cx.constants.unsigned(if is_column_major { rows } else { columns }));
    let (Some(element), Some(component), Some(count), Some(stride)) =
        (size(cx, pointee), size(cx, component), count, stride)
    else {
        return Ok(());
    };
    let alignment = (u64::from(count) * component).min(16);
    let bytes = stride.saturating_mul(element);
    ensure!(
        alignment == 0 || bytes.is_multiple_of(alignment),
        "the stride is {bytes} bytes, which is not a multiple of {alignment}: the lesser of 16 and a line of the matrix"
    );
    Ok(())
}

/// Chains of chains that are followed from a descriptor's pointer to its heap.
const CHAIN_COUNT_MAX: usize = 16;

/// The variable that a pointer is derived from and the bytes between, when every index is constant.
fn constant_offset(cx: &Context<'_, '_>, pointer: Id) -> Option<(Id, u64)> {
    let (mut pointer, mut offset) = (pointer, 0u64);
    for _ in 0..CHAIN_COUNT_MAX {
        if let Some(variable) = cx.module.global(pointer) {
            return Some((variable.id, offset));
        }
        let inst = cx.module.definition(pointer)?;
        match inst.op() {
            Op::CopyObject => pointer = inst.get_id(0)?,
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                offset = offset.checked_add(chain_offset(cx, inst)?)?;
                pointer = inst.get_id(1)?;
            }
            _ => return None,
        }
    }
    None
}

/// The bytes that the constant indices of an untyped chain skip.
fn chain_offset(cx: &Context<'_, '_>, chain: Instruction<'_>) -> Option<u64> {
    let (mut ty, mut offset) = (chain.get_id(0)?, 0u64);
    for index in chain.ids_from(2).iter() {
        let index = u64::try_from(cx.constants.integer(index)?).ok()?;
        let step = match cx.ty(ty) {
            Type::Struct { members } => {
                let member = u32::try_from(index).ok()?;
                let literal = cx.module.member_decoration_literal(ty, member, Decoration::Offset)?;
                ty = members.get(index as usize)?;
                u64::from(literal)
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                let stride = cx.module.array_stride(ty)?;
                ty = element;
                index.checked_mul(stride.into())?
            }
            _ => return None,
        };
        offset = offset.checked_add(step)?;
    }
    Some(offset)
}

/// That a descriptor lies in a heap at a multiple of the device's alignment.
fn descriptor(cx: &Context<'_, '_>, pointer: Option<Id>, heap: BuiltIn, limit: &str) -> Verdict {
    let alignment = cx.property(limit).and_then(|value| u64::try_from(value).ok());
    let (Some(alignment), Some(pointer)) = (alignment.filter(|value| *value != 0), pointer) else {
        return Ok(());
    };
    let Some((variable, offset)) = constant_offset(cx, pointer) else { return Ok(()) };
    ensure!(
        cx.module.built_in(variable) != Some(heap) || offset.is_multiple_of(alignment),
        "the descriptor lies {offset} bytes into the heap, {limit} is {alignment}"
    );
    Ok(())
}

fn loaded(
    cx: &Context<'_, '_>,
    inst: Instruction<'_>,
    wanted: fn(Type<'_>) -> bool,
    heap: BuiltIn,
    limit: &str,
) -> Verdict {
    if !wanted(cx.ty(cx.result_type(inst)?)) {
        return Ok(());
    }
    descriptor(cx, inst.get_id(0), heap, limit)
}

/// `InterpolateAtOffset` of `GLSL.std.450`.
const INTERPOLATE_AT_OFFSET: u32 = 78;

/// The greatest side of a fragment in pixels: more than one where shading rates are not 1 by 1 only.
fn fragment_side(cx: &Context<'_, '_>, axis: usize) -> f64 {
    const RATES: [&str; 4] = [
        "pipelineFragmentShadingRate",
        "primitiveFragmentShadingRate",
        "attachmentFragmentShadingRate",
        "shadingRateImage",
    ];
    let of_device = || cx.property(&format!("maxFragmentSize[{axis}]")).unwrap_or(4).max(1) as f64;
    if cx.lacks_all(&RATES) { 1.0 } else { of_device() }
}

fn interpolation(cx: &Context<'_, '_>, inst: Instruction<'_>, axis: usize, is_upper: bool) -> Verdict {
    if inst.ext_inst() != Some((ExtInstSet::GlslStd450, INTERPOLATE_AT_OFFSET)) {
        return Ok(());
    }
    // The set and the number come before the operands: interpolant, offset.
    let offset = inst.ids_from(2).iter().nth(1).and_then(|id| component(cx, id, axis));
    let device = cx.environment.device.as_ref();
    let limit = |name: &str| device.and_then(|device| device.real(name));
    let side = fragment_side(cx, axis);
    let Some(offset) = offset else { return Ok(()) };
    if is_upper {
        let (Some(most), Some(bits)) =
            (limit("maxInterpolationOffset"), cx.property("subPixelInterpolationOffsetBits"))
        else {
            return Ok(());
        };
        let ulp = 0.5f64.powi(bits as i32);
        let most = side * (most + ulp) - ulp;
        let is_beyond = offset > most;
        ensure!(!is_beyond, "the offset is {offset}, at most {most} pixels are allowed");
    } else if let Some(least) = limit("minInterpolationOffset") {
        let least = side * least;
        let is_beyond = offset < least;
        ensure!(!is_beyond, "the offset is {offset}, at least {least} pixels are allowed");
    }
    Ok(())
}

/// A component of a constant vector of 32-bit floats.
fn component(cx: &Context<'_, '_>, vector: Id, index: usize) -> Option<f64> {
    let element = cx.constants.element(cx.constants.get(vector)?, index as u64)?;
    let bits = cx.constants.scalar_of(element)?;
    Some(f64::from(f32::from_bits(bits as u32)))
}
