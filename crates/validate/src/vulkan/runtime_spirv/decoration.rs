//! Rules on decorations that devices limit: fast mathematics, offsets of descriptors in structures.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::declaration::Rule;
use pyro_spirv::spirv::{Decoration, FPFastMathMode, Op};
use pyro_spirv::{Id, Instruction, Type};

/// Rules on one decoration or structure type.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat16-09560", |cx, inst| fast_math(cx, inst, 16)),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat32-09562", |cx, inst| fast_math(cx, inst, 32)),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat64-09564", |cx, inst| fast_math(cx, inst, 64)),
    ("VUID-RuntimeSpirv-samplerDescriptorAlignment-11476", |cx, inst| {
        aligned(cx, inst, |ty| ty == Type::Sampler, "samplerDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-imageDescriptorAlignment-11477", |cx, inst| {
        aligned(cx, inst, |ty| matches!(ty, Type::Image(_)), "imageDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-bufferDescriptorAlignment-11478", |cx, inst| {
        aligned(cx, inst, |ty| matches!(ty, Type::Buffer { .. }), "bufferDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-bufferDescriptorAlignment-11479", |cx, inst| {
        aligned(cx, inst, |ty| ty == Type::AccelerationStructure, "bufferDescriptorAlignment")
    }),
    ("VUID-RuntimeSpirv-tensorDescriptorAlignment-11480", |cx, inst| {
        aligned(cx, inst, |ty| matches!(ty, Type::Tensor { .. }), "tensorDescriptorAlignment")
    }),
];

/// Whether a value's type is, or is made of, floats of a width.
fn is_float(cx: &Context<'_, '_>, value: Id, width: u32) -> bool {
    let shape = cx.module.type_of(value).and_then(|ty| cx.shape(ty));
    shape.is_some_and(|shape| shape.is_float() && shape.width() == width)
}

fn fast_math(cx: &Context<'_, '_>, inst: Instruction<'_>, width: u32) -> Verdict {
    if inst.op() != Op::Decorate || inst.get_word(1) != Some(Decoration::FPFastMathMode as u32) {
        return Ok(());
    }
    let property = format!("shaderSignedZeroInfNanPreserveFloat{width}");
    if cx.property(&property) != Some(0) {
        return Ok(());
    }
    let Some(target) = cx.module.definition(inst.id(0)) else { return Ok(()) };
    let is_about = is_float(cx, inst.id(0), width) || target.id_operands().any(|id| is_float(cx, id, width));
    let needed = FPFastMathMode::NSZ | FPFastMathMode::NOT_INF | FPFastMathMode::NOT_NAN;
    let found = FPFastMathMode::from_bits_retain(inst.get_word(2).unwrap_or(0));
    ensure!(
        !is_about || found.contains(needed),
        "{} does not allow {:?}, and the device does not have {property}",
        inst.id(0),
        needed.difference(found)
    );
    Ok(())
}

/// That members of an opaque type lie at multiples of a property.
fn aligned(cx: &Context<'_, '_>, inst: Instruction<'_>, is: fn(Type<'_>) -> bool, property: &str) -> Verdict {
    let is_id = inst.op() == Op::MemberDecorateIdEXT;
    if !is_id && inst.op() != Op::MemberDecorate {
        return Ok(());
    }
    let wanted = if is_id { Decoration::OffsetIdEXT } else { Decoration::Offset };
    if inst.get_word(2) != Some(wanted as u32) {
        return Ok(());
    }
    let Some(alignment) = cx.property(property).filter(|alignment| *alignment > 0) else { return Ok(()) };
    let member = match cx.module.definition(inst.id(0)).map(|_| cx.ty(inst.id(0))) {
        Some(Type::Struct { members }) => members.get(inst.word(1) as usize),
        _ => None,
    };
    let Some(member) = member.map(|ty| cx.module.strip_arrays(ty)).filter(|ty| is(cx.ty(*ty))) else {
        return Ok(());
    };
    let offset =
        if is_id { inst.get_id(3).and_then(|id| cx.constants.unsigned(id)) } else { inst.get_word(3) };
    let is_fine = offset.is_none_or(|offset| i64::from(offset) % alignment == 0);
    ensure!(is_fine, "a {member} lies at {offset:?}, {property} is {alignment}");
    Ok(())
}
