//! The order of a module's sections (SPIR-V, 2.4).

use crate::context::Context;
use pyro_spirv::Instruction;
use pyro_spirv::grammar::OpClass;
use pyro_spirv::spirv::{MemoryModel, Op};

const RULE: &str = "Logical layout of a module";

/// The section that an instruction before the functions belongs to; none when it may be in several.
fn section(inst: Instruction<'_>) -> Option<u32> {
    Some(match inst.op() {
        Op::Capability | Op::ConditionalCapabilityINTEL => 1,
        Op::Extension | Op::ConditionalExtensionINTEL => 2,
        Op::ExtInstImport => 3,
        Op::MemoryModel => 4,
        Op::SamplerImageAddressingModeNV => 5,
        Op::EntryPoint | Op::ConditionalEntryPointINTEL => 6,
        Op::ExecutionMode | Op::ExecutionModeId => 7,
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => 8,
        Op::Name | Op::MemberName => 9,
        Op::ModuleProcessed => 10,
        Op::Nop => return None,
        Op::TypeForwardPointer | Op::GraphConstantARM => 12,
        Op::GraphEntryPointARM => 13,
        _ => match inst.info().class {
            OpClass::Global => 11,
            OpClass::Anywhere | OpClass::GlobalOrBlock | OpClass::Type | OpClass::Constant => 12,
            _ => return None,
        },
    })
}

/// Sections follow one another in order, and the memory model is there.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let mut current = 0;
    for inst in cx.module.global_insts() {
        let Some(section) = section(inst) else { continue };
        if section < current {
            cx.report(RULE, inst.index(), "the instruction stands after the section that it belongs to");
            return;
        }
        current = section;
    }
    match cx.module.memory_model() {
        None => cx.report_module(RULE, "there is no OpMemoryModel"),
        Some((_, MemoryModel::OpenCL)) => cx.report_module("OpMemoryModel", "the memory model is OpenCL's"),
        Some(_) => {}
    }
}
