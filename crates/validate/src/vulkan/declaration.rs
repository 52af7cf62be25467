//! Runs the rules on declarations: on each instruction before the functions, then on the module as a whole.

use super::{runtime_spirv, standalone_spirv};
use crate::context::{Context, Verdict};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

/// A rule on one instruction before the functions.
pub(crate) type Rule = fn(&Context<'_, '_>, Instruction<'_>) -> Verdict;
/// A rule on the module as a whole.
pub(crate) type ModuleRule = fn(&Context<'_, '_>) -> Verdict;

/// The rules of every file on one instruction before the functions.
pub(crate) fn tables() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    [
        standalone_spirv::declaration::RULES,
        runtime_spirv::types::RULES,
        runtime_spirv::module::RULES,
        runtime_spirv::cooperative::TYPE_RULES,
        runtime_spirv::decoration::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The rules of every file on the module as a whole.
pub(crate) fn module_tables() -> impl Iterator<Item = &'static (&'static str, ModuleRule)> {
    [
        standalone_spirv::declaration::MODULE_RULES,
        runtime_spirv::module::MODULE_RULES,
        standalone_spirv::instruction::MODULE_RULES,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn check(cx: &Context<'_, '_>) {
    for inst in cx.module.global_insts() {
        if cx.is_full() {
            return;
        }
        let may_matter = matches!(
            inst.op(),
            Op::Capability
                | Op::Extension
                | Op::TypeImage
                | Op::TypeVector
                | Op::TypeVectorIdEXT
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeCooperativeMatrixKHR
                | Op::TypeCooperativeMatrixNV
                | Op::TypeTensorARM
                | Op::Undef
                | Op::TypeSampledImage
                | Op::TypeStruct
                | Op::TypeForwardPointer
                | Op::Decorate
                | Op::MemberDecorate
                | Op::MemberDecorateIdEXT
                | Op::ExecutionMode
        );
        if !may_matter {
            continue;
        }
        for (rule, function) in tables() {
            if let Err(message) = function(cx, inst) {
                cx.report(rule, inst.index(), message);
            }
        }
    }
    for (rule, function) in module_tables() {
        if let Err(message) = function(cx) {
            cx.report_module(rule, message);
        }
    }
}
