//! Formats of `debugPrintf`, in strict mode: whether they can be read, and fit their values. Warnings, since
//! the instructions mean nothing to the shader.

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::Op;
use pyro_spirv::{ExtInstSet, Id, Instruction, Type};
use pyro_util::printf::{Conversion, Piece, Spec, parse};

/// The rule's name.
pub(crate) const RULE: &str = "DebugPrintf Formats";

/// The number of `DebugPrintf` in its set.
const DEBUG_PRINTF: u32 = 1;

pub(crate) fn check(cx: &Context<'_, '_>) {
    if !cx.module.ext_inst_sets().iter().any(|(_, set)| *set == ExtInstSet::NonSemanticDebugPrintf) {
        return;
    }
    for inst in cx.module.insts() {
        if inst.ext_inst() == Some((ExtInstSet::NonSemanticDebugPrintf, DEBUG_PRINTF))
            && let Err(message) = print(cx, inst)
        {
            cx.report(RULE, inst.index(), message);
        }
    }
}

fn is_string(cx: &Context<'_, '_>, id: Id) -> bool {
    cx.module.definition(id).is_some_and(|inst| inst.op() == Op::String)
}

fn print(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let mut operands = inst.ids_from(2).iter();
    let format = operands.next().filter(|&id| is_string(cx, id));
    let Some(format) = format.and_then(|id| cx.module.debug_string(id)) else {
        return Err("the format of a DebugPrintf is not an OpString".to_owned());
    };
    let pieces = parse(&format).map_err(|error| error.to_string())?;
    let mut number = 0;
    for piece in &pieces {
        let Piece::Value(spec) = piece else { continue };
        number += 1;
        let Some(value) = operands.next() else {
            let wanted = pieces.iter().filter(|piece| matches!(piece, Piece::Value(_))).count();
            return Err(format!("the format wants {wanted} values, and there are {}", number - 1));
        };
        fits(cx, spec, value).map_err(|message| format!("conversion {number} of the format: {message}"))?;
    }
    ensure!(operands.next().is_none(), "there are more values than the {number} that the format wants");
    Ok(())
}

/// Whether a conversion is for a value.
fn fits(cx: &Context<'_, '_>, spec: &Spec, value: Id) -> Verdict {
    if spec.conversion == Conversion::String {
        ensure!(is_string(cx, value), "%s is for OpString, and {value} is not one");
        return Ok(());
    }
    let Some(ty) = cx.module.type_of(value) else { return Err(format!("{value} is not a value")) };
    let (component, count) = match cx.module.ty(ty) {
        Type::Vector { component, count } => (component, count),
        _ => (ty, 1),
    };
    ensure!(count == spec.components, "it is for {} components, and {value} has {count}", spec.components);
    match (cx.module.ty(component), spec.conversion) {
        (Type::Float { .. }, conversion) => ensure!(conversion.is_float(), "{value} is a float"),
        (Type::Int { width, .. }, conversion) => {
            ensure!(!conversion.is_float(), "{value} is an integer");
            ensure!(
                width <= 32 || spec.long || conversion == Conversion::Pointer,
                "{value} has 64 bits: write an l"
            );
            ensure!(width > 32 || !spec.long, "{value} has not 64 bits, and the conversion has an l");
        }
        (Type::Bool, _) => ensure!(!spec.conversion.is_float(), "{value} is a boolean"),
        (Type::Pointer { .. } | Type::UntypedPointer { .. }, conversion) => {
            ensure!(conversion == Conversion::Pointer, "{value} is a pointer: write %p");
        }
        _ => return Err(format!("{value} is not a scalar or vector")),
    }
    Ok(())
}
