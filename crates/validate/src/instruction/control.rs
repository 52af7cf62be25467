//! Branches, phis, calls, barriers (SPIR-V, 3.49.9, 3.49.17 and 3.49.20).

use super::composite::logically_match;
use super::memory::{constant_u32, scope};
use crate::context::{Context, Verdict, ensure};
use crate::structured_cfg::StructuredCfg;
use pyro_spirv::grammar::is_ext_inst;
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{BlockIndex, FunctionIndex, Instruction, Terminator, Type};

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Op) -> Option<Verdict> {
    Some(match op {
        Op::FunctionCall => function_call(cx, inst),
        Op::ControlBarrier | Op::ControlBarrierArriveINTEL | Op::ControlBarrierWaitINTEL => {
            control_barrier(cx, inst)
        }
        Op::MemoryBarrier => memory_barrier(cx, inst),
        _ => return None,
    })
}

fn function_call<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let Some(function) = cx.module.function_of(inst.id(0)) else {
        return Err(format!("{} is not a function", inst.id(0)));
    };
    let function = cx.module.function(function);
    ensure!(cx.result_type(inst)? == function.result_type, "the result is not of the type that is returned");
    let Type::Function { parameters, .. } = cx.ty(function.function_type) else {
        return Err("the function's type is not a function type".to_owned());
    };
    let arguments = inst.ids_from(1);
    ensure!(
        arguments.len() == parameters.len(),
        "{} arguments are given for {} parameters",
        arguments.len(),
        parameters.len()
    );
    for (argument, parameter) in arguments.iter().zip(parameters.iter()) {
        ensure!(cx.type_of(argument)? == parameter, "the argument {argument} is not of the parameter's type");
    }
    Ok(())
}

fn control_barrier<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scope(cx, inst.id(0))?;
    scope(cx, inst.id(1))?;
    constant_u32(cx, inst.id(2), "the memory semantics")?;
    Ok(())
}

fn memory_barrier<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scope(cx, inst.id(0))?;
    constant_u32(cx, inst.id(1), "the memory semantics")?;
    Ok(())
}

/// Phis stand first in their block, and have one value for each block that branches to it.
pub(super) struct Phis<'c, 'a, 'm> {
    cx: &'c Context<'a, 'm>,
    /// Unknown where control flow is broken.
    structure: Option<&'c StructuredCfg>,
    block: BlockIndex,
    /// Blocks that branch to this one, ascending; found at the first phi.
    sources: Option<Vec<BlockIndex>>,
    may_be_phi: bool,
}

impl<'c, 'a, 'm> Phis<'c, 'a, 'm> {
    /// Before the first instruction of a block.
    pub(super) fn new(
        cx: &'c Context<'a, 'm>,
        structure: Option<&'c StructuredCfg>,
        block: BlockIndex,
    ) -> Self {
        Phis { cx, structure, block, sources: None, may_be_phi: true }
    }

    /// Each instruction of the block, in order.
    #[inline]
    pub(super) fn visit(&mut self, inst: Instruction<'_>) {
        match inst.op() {
            Op::Phi => self.phi(inst),
            Op::Line | Op::NoLine | Op::Nop => {}
            op if is_ext_inst(op) => {}
            _ => self.may_be_phi = false,
        }
    }

    fn phi(&mut self, inst: Instruction<'_>) {
        if !self.may_be_phi {
            self.cx.report("OpPhi", inst.index(), "it is not at the beginning of its block");
            return;
        }
        let Some(structure) = self.structure else { return };
        let sources = self.sources.get_or_insert_with(|| {
            let mut sources: Vec<_> = structure.predecessors(self.block).collect();
            sources.dedup();
            sources
        });
        if let Err(message) = phi(self.cx, inst, sources) {
            self.cx.report("OpPhi", inst.index(), message);
        }
    }
}

fn phi(cx: &Context<'_, '_>, inst: Instruction<'_>, sources: &[BlockIndex]) -> Verdict {
    let result = inst.result_type();
    let pairs = inst.operand_words().len() / 2;
    ensure!(pairs == sources.len(), "{pairs} values are given for {} preceding blocks", sources.len());
    let mut named = Vec::with_capacity(pairs);
    for pair in 0..pairs {
        let (value, label) = (inst.id(pair * 2), inst.id(pair * 2 + 1));
        ensure!(Some(cx.type_of(value)?) == result, "{value} is not of the result's type");
        let source = cx.module.block_of(label);
        let Some(source) = source.filter(|source| sources.binary_search(source).is_ok()) else {
            return Err(format!("{label} does not branch to this block"));
        };
        named.push(source);
    }
    named.sort_unstable();
    named.dedup();
    ensure!(named.len() == pairs, "a preceding block is named twice");
    let ty = result.map_or(Type::Void, |ty| cx.ty(ty));
    let is_logical_pointer = matches!(ty, Type::Pointer { class, .. }
        if !matches!(class, StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer | StorageClass::Workgroup));
    let is_opaque = matches!(ty, Type::Image(_) | Type::Sampler | Type::SampledImage { .. });
    ensure!(!is_logical_pointer && !is_opaque, "values of this type cannot be chosen");
    Ok(())
}

/// What a block ends in has operands of the right types.
pub(super) fn terminator(cx: &Context<'_, '_>, function: FunctionIndex, block: BlockIndex) -> Verdict {
    let function = cx.module.function(function);
    let inst = cx.module.inst(cx.module.block(block).terminator);
    match cx.module.terminator(block) {
        Terminator::BranchConditional { condition, .. } => {
            ensure!(cx.value_type(condition)? == Type::Bool, "the condition is not a boolean");
            let weights = inst.operand_words().len() - 3;
            ensure!(weights == 0 || weights == 2, "there are {weights} branch weights");
        }
        Terminator::Switch { selector, cases, .. } => {
            cx.int_scalar(selector)?;
            let mut literals: Vec<u64> = cases.iter().map(|(literal, _)| literal).collect();
            literals.sort_unstable();
            let count = literals.len();
            literals.dedup();
            ensure!(literals.len() == count, "a literal has two cases");
        }
        Terminator::Return => {
            ensure!(cx.ty(function.result_type) == Type::Void, "the function must return a value");
        }
        Terminator::ReturnValue(value) => {
            ensure!(cx.ty(function.result_type) != Type::Void, "the function returns no value");
            ensure!(cx.type_of(value)? == function.result_type, "the value is not of the function's type");
        }
        Terminator::Abort { ty, message } => {
            let found = cx.type_of(message)?;
            let is_concrete = crate::types::is_data(cx, ty) && !cx.facts(ty).has_runtime_array;
            ensure!(is_concrete, "values of the message's type {ty} have no size");
            ensure!(
                logically_match(cx, found, ty),
                "the message {message} is of the type {found}, which does not match {ty} logically"
            );
        }
        Terminator::EmitMeshTasks { groups, payload } => {
            for group in groups {
                ensure!(cx.int_scalar(group)? == 32, "a group count is not a 32-bit integer");
            }
            if let Some(payload) = payload {
                let class = cx.module.global(payload).map(|variable| variable.class);
                let is_payload = class == Some(StorageClass::TaskPayloadWorkgroupEXT);
                ensure!(is_payload, "the payload is not a variable of class TaskPayloadWorkgroupEXT");
            }
        }
        _ => {}
    }
    Ok(())
}
