//! Every id that is used is defined, by something of the right kind, where the use can see it (SPIR-V,
//! 2.16.1 and 2.16.2).

use crate::context::Context;
use crate::structure::Structure;
use pyro_spirv::grammar::OpClass;
use pyro_spirv::spirv::Op;
use pyro_spirv::{BlockIndex, ExtInstSet, FunctionIndex, Id, Inst, Instruction};
use std::collections::HashSet;

const DEFINED: &str = "Every id must be defined";
const ORDER: &str = "Ids must be defined before use";
const DOMINANCE: &str = "Definitions must dominate uses";

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something with a type: constants, variables, parameters and results.
    Value,
    /// A type.
    Type,
    /// A block.
    Label,
    /// A function.
    Function,
    /// Strings, imports, groups and what else is no part of execution.
    Other,
}

/// What an instruction defines.
pub(crate) fn kind_of(inst: Instruction<'_>) -> Kind {
    match inst.op() {
        Op::Function => Kind::Function,
        Op::Label => Kind::Label,
        Op::ConstantStringAMDX | Op::SpecConstantStringAMDX => Kind::Other,
        _ if inst.info().class == OpClass::Type => Kind::Type,
        _ if inst.result_type().is_some() => Kind::Value,
        _ => Kind::Other,
    }
}

/// Instructions before the functions use only what is defined before them, but for those whose purpose is
/// to speak of what comes.
pub(crate) fn check_globals(cx: &Context<'_, '_>) {
    let mut forward_pointers = HashSet::new();
    for inst in cx.module.global_insts() {
        if cx.is_full() {
            return;
        }
        match inst.op() {
            Op::TypeForwardPointer => {
                forward_pointers.insert(inst.id(0));
            }
            Op::ExtInstImport
                if cx.module.ext_inst_set(inst.result().unwrap_or(Id::RESERVED))
                    == Some(ExtInstSet::Unknown) =>
            {
                let message = format!("the set \"{}\" is not known", inst.string(0));
                cx.report("OpExtInstImport", inst.index(), message);
            }
            _ => {}
        }
        let may_be_ahead = matches!(
            inst.op(),
            Op::EntryPoint
                | Op::ExecutionMode
                | Op::ExecutionModeId
                | Op::Name
                | Op::MemberName
                | Op::TypeForwardPointer
                // Members may be pointers that are declared ahead; decoding has checked that.
                | Op::TypeStruct
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::ExtInst
                | Op::ExtInstWithForwardRefsKHR
        ) || inst.info().name.contains("Decorate")
            || inst.op() == Op::TypePointer && inst.result().is_some_and(|id| forward_pointers.contains(&id));
        for id in inst.used_ids() {
            match cx.module.definition_index(id) {
                None => cx.report(DEFINED, inst.index(), format!("nothing defines {id}")),
                // A pointer to a pointer that is declared ahead.
                Some(_) if inst.op() == Op::TypePointer && forward_pointers.contains(&id) => {}
                // Elements of arrays may be such pointers, but lengths are constants.
                Some(index)
                    if index >= inst.index()
                        && (!may_be_ahead || inst.op() == Op::TypeArray && inst.id(1) == id) =>
                {
                    cx.report(ORDER, inst.index(), format!("{id} is defined after this use"));
                }
                Some(_) => {}
            }
        }
        if let Some(ty) = inst.result_type() {
            let is_type = cx.module.definition(ty).is_some_and(|found| kind_of(found) == Kind::Type);
            if !is_type {
                cx.report(DEFINED, inst.index(), format!("the result type {ty} is no type"));
            }
        }
    }
}

/// Instructions in functions: every id is defined by something of the right kind. Says nothing of order.
pub(crate) fn check_functions(cx: &Context<'_, '_>) {
    let start = cx.module.global_insts().len() as u32;
    for index in start..cx.module.inst_count() as u32 {
        if cx.is_full() {
            return;
        }
        let inst = cx.module.inst(Inst::from_u32(index));
        if let Some(ty) = inst.result_type() {
            match cx.module.definition(ty) {
                Some(found) if kind_of(found) == Kind::Type => {}
                _ => cx.report(DEFINED, inst.index(), format!("the result type {ty} is no type")),
            }
        }
        let is_non_semantic = inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic());
        for (position, id) in inst.id_operands().enumerate() {
            let Some(found) = cx.module.definition(id) else {
                cx.report(DEFINED, inst.index(), format!("nothing defines {id}"));
                continue;
            };
            if is_non_semantic {
                continue;
            }
            let kind = kind_of(found);
            let expected = expected_kind(inst.op(), position);
            if expected.is_some_and(|expected| expected != kind) {
                let message = format!("{id} is no {:?}, which it should be here", expected.unwrap_or(kind));
                cx.report(DEFINED, inst.index(), message);
            } else if kind == Kind::Value && is_void(cx, found) {
                cx.report(DEFINED, inst.index(), format!("{id} is void, so that it has no value"));
            }
        }
    }
}

fn is_void(cx: &Context<'_, '_>, found: Instruction<'_>) -> bool {
    found.result_type().is_some_and(|ty| cx.ty(ty) == pyro_spirv::Type::Void)
}

/// What the id operand at a position (counting only ids) must name; none when it may be several things.
fn expected_kind(op: Op, position: usize) -> Option<Kind> {
    let kind = match op {
        Op::Branch | Op::SelectionMerge | Op::LoopMerge => Kind::Label,
        Op::BranchConditional | Op::Switch if position > 0 => Kind::Label,
        Op::Phi if position % 2 == 1 => Kind::Label,
        Op::Function if position == 0 => Kind::Type,
        Op::FunctionCall if position == 0 => Kind::Function,
        Op::ExtInst | Op::ExtInstWithForwardRefsKHR if position == 0 => Kind::Other,
        Op::Line => Kind::Other,
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR
        | Op::UntypedArrayLengthKHR
        | Op::CooperativeMatrixLengthKHR
        | Op::CooperativeMatrixLengthNV
            if position == 0 =>
        {
            Kind::Type
        }
        // These take types or functions among their operands.
        Op::UntypedVariableKHR
        | Op::CooperativeMatrixPerElementOpNV
        | Op::CooperativeMatrixReduceNV
        | Op::CooperativeMatrixLoadTensorNV
        | Op::CooperativeMatrixStoreTensorNV
        | Op::UntypedImageTexelPointerEXT
        | Op::ConstantSizeOfEXT
        | Op::SizeOf
        | Op::EnqueueKernel
        | Op::GetKernelNDrangeSubGroupCount
        | Op::GetKernelNDrangeMaxSubGroupSize
        | Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelLocalSizeForSubgroupCount
        | Op::GetKernelMaxNumSubgroups
        | Op::AsmINTEL
        | Op::AsmCallINTEL
        | Op::TaskSequenceCreateALTERA => return None,
        _ => Kind::Value,
    };
    Some(kind)
}

/// In each function, what a block defines is used only where that block dominates; blocks come after their
/// dominators in the words.
pub(crate) fn check_dominance(cx: &Context<'_, '_>, structures: &[Option<Structure>]) {
    // By id: the block that defines it plus one, or zero.
    let mut block_of = vec![0u32; cx.module.bound()];
    for block in (0..cx.module.block_count() as u32).map(BlockIndex::from_u32) {
        for inst in cx.module.body(block) {
            if let Some(id) = inst.result() {
                block_of[id.as_u32() as usize] = block.as_u32() + 1;
            }
        }
    }
    for function in cx.module.functions() {
        if let Some(structure) = &structures[function.as_u32() as usize] {
            check_function(cx, function, structure, &block_of);
        }
    }
}

fn check_function(cx: &Context<'_, '_>, function: FunctionIndex, structure: &Structure, block_of: &[u32]) {
    let range = cx.module.function(function).inst..cx.module.function(function).end;
    let first_of_functions = cx.module.global_insts().len() as u32;
    for block in cx.module.function(function).blocks() {
        if cx.is_full() {
            return;
        }
        if structure.idom(block).is_some_and(|idom| idom > block) {
            let label = cx.module.block(block).label_inst;
            cx.report("Order of blocks", label, "the block comes before the one that dominates it");
        }
        // Uses in code that never runs need not be dominated, but must be of this function.
        let is_reachable = structure.is_reachable(block);
        let terminator = cx.module.block(block).terminator;
        let merge = cx.module.block(block).merge;
        let tail = merge.into_iter().chain([terminator]).map(|index| cx.module.inst(index));
        for inst in cx.module.body(block).chain(tail) {
            let is_debug = inst.ext_inst().is_some_and(|(set, _)| {
                set == ExtInstSet::NonSemanticShaderDebugInfo100 || set.is_non_semantic()
            });
            for (position, id) in inst.id_operands().enumerate() {
                let Some(found) = cx.module.definition_index(id) else { continue };
                if found.as_u32() < first_of_functions {
                    continue;
                }
                let place = block_of[id.as_u32() as usize].checked_sub(1).map(BlockIndex::from_u32);
                let is_local = range.contains(&found);
                let Some(place) = place else {
                    // A label, a function, or a parameter.
                    let is_parameter = cx.op_of(id) == Op::FunctionParameter;
                    if is_parameter && !is_local {
                        cx.report(DOMINANCE, inst.index(), format!("{id} is of another function"));
                    }
                    continue;
                };
                if !is_local {
                    cx.report(DOMINANCE, inst.index(), format!("{id} is of another function"));
                    continue;
                }
                if !is_reachable || is_debug {
                    continue;
                }
                let is_visible = if inst.op() == Op::Phi {
                    phi_source(cx, inst, position).is_none_or(|source| {
                        !structure.is_reachable(source) || structure.dominates(place, source)
                    })
                } else if place == block {
                    found < inst.index()
                } else {
                    structure.dominates(place, block)
                };
                if !is_visible {
                    let message = format!("{id} is not defined on every path to this use");
                    cx.report(DOMINANCE, inst.index(), message);
                }
            }
        }
    }
}

/// The block that a phi's value at an operand position comes from, when it is of the same function.
fn phi_source(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<BlockIndex> {
    let label: Id = inst.get_id(position | 1)?;
    let source = cx.module.block_of(label)?;
    let block = cx.module.block_with(inst.index())?;
    (cx.module.block(source).function == cx.module.block(block).function).then_some(source)
}
