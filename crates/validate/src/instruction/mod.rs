//! Types of the operands of each instruction in a function.
//!
//! [`check`] sends each instruction to the function of its family. Families are files:
//!
//! | file | holds |
//! | --- | --- |
//! | [`arithmetic`] | numbers, bits, comparisons, logic, conversions |
//! | [`composite`] | vectors, matrices, arrays, structures |
//! | [`memory`] | variables, pointers, loads and stores, atomics |
//! | [`control`] | branches, phis, calls, barriers |
//! | [`group`] | operations on subgroups |
//! | [`image`] | images and samplers |
//! | [`ext`] | GLSL.std.450 |
//! | [`newer`] | instructions that the grammar lacks |
//!
//! Instructions that no family knows have only been held against the grammar, and their operands are
//! values.

pub(crate) mod arithmetic;
pub(crate) mod composite;
pub(crate) mod control;
pub(crate) mod ext;
pub(crate) mod group;
pub(crate) mod image;
pub(crate) mod memory;
pub(crate) mod newer;

use crate::context::{Context, Verdict};
use crate::structured_cfg::StructuredCfg;
use crate::types::value_size;
use pyro_spirv::grammar::is_ext_inst;
use pyro_spirv::spirv::Op;
use pyro_spirv::{FunctionIndex, Instruction, Type};

/// Checks the instructions of a function; without its structure, what phis are given is not looked at.
pub(crate) fn check_function(
    cx: &Context<'_, '_>,
    function: FunctionIndex,
    structure: Option<&StructuredCfg>,
) {
    let mut may_declare_variables = true;
    for (place, block) in cx.module.function(function).blocks().enumerate() {
        let mut phis = control::Phis::new(cx, structure, block);
        for inst in cx.module.body(block) {
            if cx.is_full() {
                return;
            }
            phis.visit(inst);
            if inst.op() == Op::Variable {
                if place != 0 || !may_declare_variables {
                    let message = "a variable is not at the beginning of the function's first block";
                    cx.report("OpVariable", inst.index(), message);
                }
            } else if !matches!(inst.op(), Op::Line | Op::NoLine | Op::UntypedVariableKHR)
                && !is_ext_inst(inst.op())
            {
                may_declare_variables = false;
            }
            if let Err(message) = check(cx, inst) {
                cx.report(inst.info().full_name(), inst.index(), message);
            }
        }
        let terminator = cx.module.inst(cx.module.block(block).terminator);
        if let Err(message) = control::terminator(cx, function, block) {
            cx.report(terminator.info().full_name(), terminator.index(), message);
        }
    }
}

fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    if let Some(ty) = inst.result_type()
        && cx.ty(ty) != Type::Void
    {
        value_size(cx, ty)?;
    }
    let op = inst.op();
    if let Some(verdict) = inst.newer().and_then(|op| newer::check(cx, inst, op)) {
        return verdict;
    }
    if let Some(verdict) = arithmetic::check(cx, inst, op) {
        return verdict;
    }
    if let Some(verdict) = memory::check(cx, inst, op) {
        return verdict;
    }
    if let Some(verdict) = composite::check(cx, inst, op) {
        return verdict;
    }
    if let Some(verdict) = control::check(cx, inst, op) {
        return verdict;
    }
    if let Some(verdict) = group::check(cx, inst, op) {
        return verdict;
    }
    if let Some(verdict) = image::check(cx, inst, op) {
        return verdict;
    }
    if is_ext_inst(op) {
        return ext::check(cx, inst);
    }
    Ok(())
}
