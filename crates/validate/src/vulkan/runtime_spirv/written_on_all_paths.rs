//! Outputs that every path through an entry point must write once one does.
//!
//! Whether both ways of a branch are taken shows at run time, so that what is found is a warning. Constant
//! conditions are followed one way only; a loop that writes is taken to run.

use crate::context::Verdict;
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel as Model, Op, StorageClass};
use pyro_spirv::{BlockIndex, FunctionIndex, Id, Instruction};
use std::collections::HashSet;

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkPipelineShaderStageCreateInfo-stage-06685", |stage| {
        written(stage, &[Model::Fragment], BuiltIn::FragDepth)
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-06686", |stage| {
        written(stage, &[Model::Fragment], BuiltIn::FragStencilRefEXT)
    }),
    ("VUID-RuntimeSpirv-maintenance5-09190", |stage| {
        point_size(stage, &[Model::Vertex, Model::TessellationEvaluation])
    }),
    ("VUID-RuntimeSpirv-maintenance5-10934", |stage| point_size(stage, &[Model::Geometry])),
];

fn point_size(stage: &Stage<'_, '_, '_>, models: &[Model]) -> Verdict {
    // Without the feature, points have a size of one where none is written.
    if stage.cx.lacks("maintenance5") { Ok(()) } else { written(stage, models, BuiltIn::PointSize) }
}

/// An output that paths may write.
struct Output<'s, 'c, 'a, 'm> {
    stage: &'s Stage<'c, 'a, 'm>,
    variable: Id,
    /// Of a block, the member.
    member: Option<u32>,
}

impl<'m> Output<'_, '_, '_, 'm> {
    /// Whether a pointer is to the output, or to a part of it.
    fn is_target(&self, pointer: Id) -> bool {
        if pointer == self.variable {
            return true;
        }
        let Some(chain) = self.stage.cx.module.definition(pointer) else { return false };
        let is_chain = is_access_chain(chain.op());
        let index = chain.get_id(1).and_then(|index| self.stage.cx.constants.unsigned(index));
        is_chain && chain.get_id(0) == Some(self.variable) && (self.member.is_none() || index == self.member)
    }

    /// Whether an instruction writes it, by itself or through a call.
    fn is_write(&self, inst: Instruction<'m>, writers: &[bool]) -> bool {
        match inst.op() {
            Op::Store | Op::CopyMemory => inst.get_id(0).is_some_and(|pointer| self.is_target(pointer)),
            Op::FunctionCall => {
                let callee = inst.get_id(0).and_then(|id| self.stage.cx.module.function_of(id));
                callee.and_then(|callee| writers.get(callee.as_u32() as usize)).is_some_and(|writes| *writes)
                    || inst.ids_from(1).iter().any(|argument| self.is_target(argument))
            }
            // What goes on helps others only.
            Op::DemoteToHelperInvocation => true,
            _ => false,
        }
    }

    /// By function: whether it writes, or calls what does.
    fn writers(&self) -> Vec<bool> {
        let module = self.stage.cx.module;
        let count = module.functions().len();
        let (mut writers, mut callers) = (vec![false; count], vec![Vec::new(); count]);
        let mut pending = Vec::new();
        for function in module.functions() {
            let mut insts = module.function(function).blocks().flat_map(|block| module.body(block));
            let is_own =
                |inst: Instruction<'m>| inst.op() != Op::DemoteToHelperInvocation && self.is_write(inst, &[]);
            pending.extend(insts.any(is_own).then_some(function.as_u32()));
            for callee in module.callees(function).filter_map(|id| module.function_of(id)) {
                callers[callee.as_u32() as usize].push(function.as_u32());
            }
        }
        while let Some(function) = pending.pop() {
            if !std::mem::replace(&mut writers[function as usize], true) {
                pending.extend(&callers[function as usize]);
            }
        }
        writers
    }

    /// Whether a path leads from the entry to the end, or to a vertex, without a write.
    fn has_gap(&self, function: FunctionIndex, writers: &[bool]) -> bool {
        let module = self.stage.cx.module;
        let block_writes = |block: BlockIndex| module.body(block).any(|inst| self.is_write(inst, writers));
        // Blocks of loops that were looked through, without finding a write.
        let mut looked_through = HashSet::new();
        let mut seen = HashSet::new();
        let mut pending: Vec<BlockIndex> = module.function(function).entry().into_iter().collect();
        while let Some(block) = pending.pop() {
            if !seen.insert(block) {
                continue;
            }
            for inst in module.body(block) {
                if self.is_write(inst, writers) {
                    break;
                }
                if matches!(inst.op(), Op::EmitVertex | Op::EmitStreamVertex) {
                    return true;
                }
            }
            if block_writes(block) || self.loop_writes(block, &block_writes, &mut looked_through) {
                continue;
            }
            let terminator = module.inst(module.block(block).terminator);
            match terminator.op() {
                // Of geometry shaders, vertices count.
                Op::Return => {
                    if self.stage.model() != Model::Geometry {
                        return true;
                    }
                }
                Op::BranchConditional => {
                    let condition = terminator.get_id(0).and_then(|id| self.stage.cx.constants.boolean(id));
                    let targets = match condition {
                        Some(true) => [terminator.get_id(1), None],
                        Some(false) => [None, terminator.get_id(2)],
                        None => [terminator.get_id(1), terminator.get_id(2)],
                    };
                    pending.extend(targets.into_iter().flatten().filter_map(|label| module.block_of(label)));
                }
                _ => pending.extend(module.successors(block).filter_map(|label| module.block_of(label))),
            }
        }
        false
    }

    /// Whether a block heads a loop that writes; one in a loop that does not write does not either.
    fn loop_writes(
        &self,
        header: BlockIndex,
        block_writes: &impl Fn(BlockIndex) -> bool,
        looked_through: &mut HashSet<BlockIndex>,
    ) -> bool {
        let module = self.stage.cx.module;
        let is_loop = module.block(header).merge.is_some_and(|inst| module.inst(inst).op() == Op::LoopMerge);
        let Some(merge) =
            module.merge(header).filter(|_| is_loop).and_then(|found| module.block_of(found.merge()))
        else {
            return false;
        };
        let mut pending = vec![header];
        while let Some(block) = pending.pop() {
            if block == merge || !looked_through.insert(block) {
                continue;
            }
            if block_writes(block) {
                return true;
            }
            pending.extend(module.successors(block).filter_map(|label| module.block_of(label)));
        }
        false
    }
}

fn written(stage: &Stage<'_, '_, '_>, models: &[Model], built_in: BuiltIn) -> Verdict {
    if !models.contains(&stage.model()) {
        return Ok(());
    }
    let module = stage.cx.module;
    let is_output = |class| class == StorageClass::Output;
    let mut found = stage.interface.built_ins.iter();
    let found = found.find(|found| found.built_in == built_in && is_output(found.class));
    let (Some(found), Some(function)) = (found, module.function_of(stage.entry.function)) else {
        return Ok(());
    };
    if module.global(found.variable).is_some_and(|variable| variable.initializer.is_some()) {
        return Ok(());
    }
    let output = Output { stage, variable: found.variable, member: found.member };
    let writers = output.writers();
    if !writers[function.as_u32() as usize] || !output.has_gap(function, &writers) {
        return Ok(());
    }
    stage.look_at(found.variable);
    let end = if stage.model() == Model::Geometry { "a vertex" } else { "its end" };
    Err(format!("{built_in:?} is written, but not on every path to {end}"))
}
