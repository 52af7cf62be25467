//! Rules on resources that differ between invocations.
//!
//! Whether values are uniform shows at run time, but for one kind of mistake, which is also the most usual
//! one: an index that *is* the place of an invocation in its workgroup, or grows with it, in a part of the
//! entry point that every invocation runs. Only that is looked for: what is found is surely broken.

use crate::context::Verdict;
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_interface::{Resource, ResourceKind};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};
use std::collections::{HashMap, HashSet};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-UniformBufferArrayNonUniformIndexing-10134", |s| undeclared(s, BUFFER, false)),
    ("VUID-RuntimeSpirv-SampledImageArrayNonUniformIndexing-10135", |s| undeclared(s, SAMPLED, false)),
    ("VUID-RuntimeSpirv-StorageBufferArrayNonUniformIndexing-10136", |s| undeclared(s, STORAGE, false)),
    ("VUID-RuntimeSpirv-StorageImageArrayNonUniformIndexing-10137", |s| undeclared(s, IMAGE, false)),
    ("VUID-RuntimeSpirv-UniformTexelBufferArrayNonUniformIndexing-10139", |s| undeclared(s, TEXELS, false)),
    ("VUID-RuntimeSpirv-StorageTexelBufferArrayNonUniformIndexing-10140", |s| {
        undeclared(s, STORAGE_TEXELS, false)
    }),
    ("VUID-RuntimeSpirv-subgroupSize-10141", |s| undeclared(s, BUFFER, true)),
    ("VUID-RuntimeSpirv-subgroupSize-10142", |s| undeclared(s, SAMPLED, true)),
    ("VUID-RuntimeSpirv-subgroupSize-10143", |s| undeclared(s, STORAGE, true)),
    ("VUID-RuntimeSpirv-subgroupSize-10144", |s| undeclared(s, IMAGE, true)),
    ("VUID-RuntimeSpirv-subgroupSize-10146", |s| undeclared(s, TEXELS, true)),
    ("VUID-RuntimeSpirv-subgroupSize-10147", |s| undeclared(s, STORAGE_TEXELS, true)),
    ("VUID-RuntimeSpirv-None-10148", |s| unmarked(s, true)),
    ("VUID-RuntimeSpirv-subgroupSize-10149", |s| unmarked(s, false)),
    ("VUID-RuntimeSpirv-None-04745", push_constants),
];

/// Kinds of resources, and the capability that lets them differ.
type Kinds = (Capability, &'static [ResourceKind]);

const BUFFER: Kinds = (Capability::UniformBufferArrayNonUniformIndexing, &[ResourceKind::UniformBuffer]);
const SAMPLED: Kinds = (
    Capability::SampledImageArrayNonUniformIndexing,
    &[ResourceKind::SampledImage, ResourceKind::CombinedImageSampler, ResourceKind::Sampler],
);
const STORAGE: Kinds = (Capability::StorageBufferArrayNonUniformIndexing, &[ResourceKind::StorageBuffer]);
const IMAGE: Kinds = (Capability::StorageImageArrayNonUniformIndexing, &[ResourceKind::StorageImage]);
const TEXELS: Kinds =
    (Capability::UniformTexelBufferArrayNonUniformIndexing, &[ResourceKind::UniformTexelBuffer]);
const STORAGE_TEXELS: Kinds =
    (Capability::StorageTexelBufferArrayNonUniformIndexing, &[ResourceKind::StorageTexelBuffer]);
const ALL: [Kinds; 6] = [BUFFER, SAMPLED, STORAGE, IMAGE, TEXELS, STORAGE_TEXELS];

/// The instructions of the entry point's function that every invocation runs: those before the first branch
/// that chooses, and behind each selection and loop when the function returns in one place only.
fn common_instructions<'m>(stage: &Stage<'_, '_, 'm>) -> Vec<Instruction<'m>> {
    let module = stage.cx.module;
    let Some(function) = module.function_of(stage.entry.function) else { return Vec::new() };
    let function = module.function(function);
    let is_end = |op: Op| !matches!(op, Op::Branch | Op::BranchConditional | Op::Switch | Op::Unreachable);
    let ends = function.blocks().map(|block| module.inst(module.block(block).terminator).op());
    let returns_once = ends.filter(|op| is_end(*op)).count() == 1;
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut next = function.entry();
    while let Some(block) = next.filter(|block| seen.insert(*block)) {
        found.extend(module.body(block));
        let merge = module.merge(block).map(|merge| merge.merge());
        let terminator = module.inst(module.block(block).terminator);
        next = match (merge, terminator.op()) {
            (Some(merge), _) if returns_once => module.block_of(merge),
            (None, Op::Branch) => module.block_of(terminator.id(0)),
            _ => None,
        };
    }
    found
}

/// Values that no two invocations of some row of the workgroup have alike.
fn distinct_values(stage: &Stage<'_, '_, '_>, insts: &[Instruction<'_>], size: [u32; 3]) -> HashSet<Id> {
    let module = stage.cx.module;
    let has_many = |axis: usize| size.get(axis).is_some_and(|side| *side > 1);
    let total = size.into_iter().map(u64::from).fold(1, u64::saturating_mul);
    let axes = |pointer: Id| {
        matches!(module.built_in(pointer), Some(BuiltIn::LocalInvocationId | BuiltIn::GlobalInvocationId))
    };
    let is_number = |id: Id| module.built_in(id) == Some(BuiltIn::LocalInvocationIndex) && total > 1;
    let constant = |id: Id| stage.cx.constants.integer(id);
    let (mut distinct, mut vectors, mut parts) = (HashSet::new(), HashSet::new(), HashSet::new());
    for inst in insts {
        let Some(result) = inst.result() else { continue };
        let is_distinct = match inst.op() {
            Op::Load if is_number(inst.id(0)) || parts.contains(&inst.id(0)) => true,
            Op::Load if axes(inst.id(0)) => {
                vectors.insert(result);
                false
            }
            op if is_access_chain(op) && axes(inst.id(0)) => {
                let axis = inst.get_id(1).and_then(|id| stage.cx.constants.unsigned(id));
                if axis.is_some_and(|axis| has_many(axis as usize)) {
                    parts.insert(result);
                }
                false
            }
            Op::CompositeExtract => vectors.contains(&inst.id(0)) && has_many(inst.word(1) as usize),
            Op::CopyObject | Op::Bitcast => distinct.contains(&inst.id(0)),
            Op::IAdd | Op::ISub | Op::BitwiseXor => {
                let (one, other) = (inst.id(0), inst.id(1));
                distinct.contains(&one) && constant(other).is_some()
                    || distinct.contains(&other) && constant(one).is_some()
            }
            // Workgroups are small: nothing wraps.
            Op::IMul => {
                let is_small = |id: Id| constant(id).is_some_and(|value| (1..=1 << 16).contains(&value));
                let (one, other) = (inst.id(0), inst.id(1));
                distinct.contains(&one) && is_small(other) || distinct.contains(&other) && is_small(one)
            }
            _ => false,
        };
        if is_distinct {
            distinct.insert(result);
        }
    }
    distinct
}

/// A use of one of an array of resources that invocations surely do not share.
struct Use<'s> {
    resource: &'s Resource,
    /// Whether a value on the way to it is decorated `NonUniform`.
    is_marked: bool,
}

fn is_access(op: Op) -> bool {
    let name = pyro_spirv::grammar::table().get(op).name;
    name.starts_with("Image") && op != Op::ImageTexelPointer && op != Op::Image || name.starts_with("Atomic")
}

fn uses<'s>(stage: &'s Stage<'_, '_, '_>) -> Vec<Use<'s>> {
    let module = stage.cx.module;
    let Some(size) = stage.interface.workgroup_size else { return Vec::new() };
    let arrays: HashMap<Id, &Resource> = stage
        .interface
        .resources
        .iter()
        .filter(|resource| resource.count != Some(1))
        .map(|resource| (resource.variable, resource))
        .collect();
    if arrays.is_empty() {
        return Vec::new();
    }
    let insts = common_instructions(stage);
    let distinct = distinct_values(stage, &insts, size);
    let is_marked = |id: Id| module.has_decoration(id, Decoration::NonUniform);
    // Values that lead to such a resource: pointers to it or into it, images, with whether one is marked.
    let mut leading: HashMap<Id, (&Resource, bool)> = HashMap::new();
    let mut found = Vec::new();
    for inst in insts {
        let op = inst.op();
        let step = inst.get_id(0).and_then(|id| leading.get(&id)).copied();
        let is_opaque = |(resource, _): &(&Resource, bool)| {
            !matches!(resource.kind, ResourceKind::UniformBuffer | ResourceKind::StorageBuffer)
        };
        match (op, inst.result()) {
            (op, Some(result)) if is_access_chain(op) => {
                let first = arrays.get(&inst.id(0)).zip(inst.get_id(1));
                let begun = first.filter(|(_, index)| distinct.contains(index));
                let begun = begun.map(|(resource, index)| (*resource, is_marked(index)));
                if let Some((resource, marked)) = begun.or(step) {
                    leading.insert(result, (resource, marked || is_marked(result)));
                }
            }
            // Loading an image or sampler accesses no memory through it yet.
            (Op::Load | Op::SampledImage | Op::Image | Op::ImageTexelPointer, Some(result))
                if step.as_ref().is_some_and(is_opaque) =>
            {
                if let Some((resource, marked)) = step {
                    leading.insert(result, (resource, marked || is_marked(result)));
                }
            }
            _ => {
                let accesses = matches!(op, Op::Load | Op::Store) || is_access(op);
                if let Some((resource, is_marked)) = step.filter(|_| accesses) {
                    found.push(Use { resource, is_marked });
                }
            }
        }
    }
    found
}

/// Whether subgroups have one invocation only, as far as the device says.
fn is_single(stage: &Stage<'_, '_, '_>) -> bool {
    let most = stage.cx.property("maxSubgroupSize").or_else(|| stage.cx.property("subgroupSize"));
    most == Some(1)
}

fn undeclared(stage: &Stage<'_, '_, '_>, (capability, kinds): Kinds, of_single: bool) -> Verdict {
    let is_array = |resource: &Resource| resource.count != Some(1) && kinds.contains(&resource.kind);
    let has = stage.interface.resources.iter().any(is_array);
    if !has || is_single(stage) != of_single || stage.cx.has_capability(capability) {
        return Ok(());
    }
    let mut found = uses(stage).into_iter().map(|found| found.resource);
    let Some(resource) = found.find(|resource| kinds.contains(&resource.kind)) else { return Ok(()) };
    stage.look_at(resource.variable);
    Err(format!(
        "invocations of a workgroup use different elements of {}, and {capability:?} is not declared",
        resource.label()
    ))
}

fn unmarked(stage: &Stage<'_, '_, '_>, of_single: bool) -> Verdict {
    let cx = stage.cx;
    if is_single(stage) != of_single || cx.has_capability(Capability::DescriptorHeapEXT) {
        return Ok(());
    }
    let is_declared = |kind: ResourceKind| {
        ALL.iter().any(|(capability, kinds)| kinds.contains(&kind) && cx.has_capability(*capability))
    };
    let mut found = uses(stage).into_iter();
    let found = found.find(|found| !found.is_marked && is_declared(found.resource.kind));
    let Some(Use { resource, .. }) = found else { return Ok(()) };
    stage.look_at(resource.variable);
    Err(format!(
        "invocations of a workgroup use different elements of {}, and the index is not decorated NonUniform",
        resource.label()
    ))
}

fn push_constants(stage: &Stage<'_, '_, '_>) -> Verdict {
    let module = stage.cx.module;
    let (Some(size), Some(block)) = (stage.interface.workgroup_size, &stage.interface.push_constants) else {
        return Ok(());
    };
    let is_array = |ty: Id| matches!(module.ty(ty), Type::Array { .. });
    let has_array = matches!(module.ty(block.ty), Type::Struct { members } if members.iter().any(is_array));
    if !has_array {
        return Ok(());
    }
    let insts = common_instructions(stage);
    let distinct = distinct_values(stage, &insts, size);
    let mut chains = HashMap::new();
    for inst in insts {
        match (inst.op(), inst.result()) {
            (op, Some(result)) if is_access_chain(op) => {
                let variable = module.global(inst.id(0));
                let is_push = variable.is_some_and(|variable| variable.class == StorageClass::PushConstant);
                // The first index names the member, the next an element of it.
                let index = inst.get_id(2).filter(|index| is_push && distinct.contains(index));
                chains.extend(index.map(|_| (result, inst.id(0))));
            }
            (Op::Load, _) => {
                if let Some(variable) = chains.get(&inst.id(0)) {
                    stage.look_at(*variable);
                    return Err(
                        "invocations of a workgroup read different elements of an array of push constants"
                            .into(),
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}
