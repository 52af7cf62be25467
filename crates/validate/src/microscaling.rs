//! `SPV_EXT_ocp_microscaling_types`: values of its types are kept and converted only, and those of less than
//! a byte lie in no memory that is shared (2.16.11, as the extension changes it). Checked with
//! [`Environment::strict`](crate::Environment::strict).

use crate::context::Context;
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{FPEncoding, Op, StorageClass};
use pyro_spirv::{Id, Instruction, NewerOp, Type};

const RULE: &str = "OpTypeFloat";

/// Looks at pointers, and at what functions do with values.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let is_one = |inst: &Instruction<'_>| inst.op() == Op::TypeFloat && inst.operand_words().len() > 1;
    let mut types = cx.module.global_insts().filter(is_one).filter_map(|inst| inst.result());
    if !types.any(|ty| matches!(cx.ty(ty), Type::Float { encoding: Some(one), .. } if one.is_microscaling()))
    {
        return;
    }
    for inst in cx.module.insts() {
        if cx.is_full() {
            return;
        }
        if inst.op() == Op::TypePointer {
            pointer(cx, inst);
        } else if !may_take(inst) {
            let is_microscaling = |id: Id| cx.module.type_of(id).is_some_and(|ty| encoding(cx, ty).is_some());
            let of_result = inst.result().into_iter();
            if let Some(value) = of_result.chain(inst.id_operands()).find(|id| is_microscaling(*id)) {
                let message = format!("{value} is of a microscaling type, which is only kept and converted");
                cx.report(RULE, inst.index(), message);
            }
        }
    }
}

fn pointer(cx: &Context<'_, '_>, inst: Instruction<'_>) {
    let class = inst.result().and_then(|ty| cx.module.pointer(ty));
    let Some((class, pointee)) = class else { return };
    if !matches!(class, StorageClass::Function | StorageClass::Private) && holds_less_than_a_byte(cx, pointee)
    {
        let message = format!("floats of less than a byte are in the storage class {class:?}");
        cx.report(RULE, inst.index(), message);
    }
}

fn holds_less_than_a_byte(cx: &Context<'_, '_>, ty: Id) -> bool {
    /// Types that are looked at for each pointer; structures may name one often.
    const VISIT_COUNT_MAX: usize = 1 << 10;
    let mut pending = vec![ty];
    for _ in 0..VISIT_COUNT_MAX {
        let Some(ty) = pending.pop() else { break };
        match cx.ty(cx.module.strip_arrays(ty)) {
            Type::Struct { members } => pending.extend(members.iter()),
            Type::Float { width, .. } if width < 8 => return true,
            Type::Vector { component, .. } => pending.push(component),
            _ => {}
        }
    }
    false
}

/// The encoding of the components of a type, if it is a microscaling one.
pub(crate) fn encoding(cx: &Context<'_, '_>, ty: Id) -> Option<FPEncoding> {
    match cx.shape(ty)?.component {
        Type::Float { encoding, .. } => encoding.filter(|encoding| encoding.is_microscaling()),
        _ => None,
    }
}

fn may_take(inst: Instruction<'_>) -> bool {
    let family = facts(inst.op()).family;
    match inst.op() {
        Op::Select => true,
        Op::ShiftRightLogical => inst.newer() == Some(NewerOp::BitcastExtract),
        _ => matches!(
            family,
            Family::Debug
                | Family::ControlFlow
                | Family::Call
                | Family::Extended
                | Family::Pointer
                | Family::Memory
                | Family::Conversion
                | Family::Composite
                | Family::Other
        ),
    }
}
