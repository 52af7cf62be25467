//! Resources at bindings whose immutable samplers convert Y′CbCr: what shaders may do with them.

use super::{Pipeline, PipelineFinding, PipelineStage, Rule};
use crate::resource::{Resource, ResourceKind};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{ImageOperands, Op};
use pyro_spirv::{Id, Instruction, Type};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-OpTypeSampler-12203", |pipeline, rule, into| {
        each(pipeline, rule, into, |_, resource| {
            (resource.kind == ResourceKind::Sampler).then_some("it is a sampler apart from its image")
        });
    }),
    ("VUID-RuntimeSpirv-OpTypeImage-12204", |pipeline, rule, into| {
        each(pipeline, rule, into, |_, resource| {
            let is_image = resource.image.is_some() && resource.kind != ResourceKind::CombinedImageSampler;
            is_image.then_some("it is an image apart from its sampler")
        });
    }),
    ("VUID-RuntimeSpirv-None-12205", |pipeline, rule, into| {
        each(pipeline, rule, into, |stage, resource| {
            let found = chains(stage, resource.variable).any(|(_, is_constant)| !is_constant);
            found.then_some("which element of the array is used is not constant")
        });
    }),
    ("VUID-RuntimeSpirv-OpTypeSampledImage-12206", |pipeline, rule, into| {
        each(pipeline, rule, into, |stage, resource| {
            let found = uses(stage, resource).any(|inst| !is_sample(inst.op()) && inst.op() != Op::Image);
            found.then_some("it is used otherwise than to sample")
        });
    }),
    ("VUID-RuntimeSpirv-ConstOffset-10718", |pipeline, rule, into| {
        each(pipeline, rule, into, |stage, resource| {
            let offsets = ImageOperands::CONST_OFFSET | ImageOperands::OFFSET;
            let has_offset =
                |inst: Instruction<'_>| is_sample(inst.op()) && operands(inst).intersects(offsets);
            uses(stage, resource).any(has_offset).then_some("it is sampled with an offset")
        });
    }),
];

/// Looks at each resource whose sampler converts; `misfit` says what is wrong with one.
fn each(
    pipeline: &Pipeline<'_>,
    rule: &'static str,
    into: &mut Vec<PipelineFinding>,
    misfit: impl Fn(&PipelineStage<'_>, &Resource) -> Option<&'static str>,
) {
    let Some(layout) = &pipeline.layout else { return };
    for (place, stage) in pipeline.stages.iter().enumerate() {
        for resource in &stage.interface.resources {
            let binding = layout.binding(resource.set, resource.binding);
            if !binding.is_some_and(|binding| binding.has_conversion) {
                continue;
            }
            if let Some(message) = misfit(stage, resource) {
                let message = format!("the sampler of {} converts Y′CbCr, but {message}", resource.label());
                into.push(PipelineFinding::at(rule, place, Some(resource.variable), message));
            }
        }
    }
}

fn code<'a>(stage: &PipelineStage<'a>) -> impl Iterator<Item = Instruction<'a>> + use<'a> {
    let module = stage.module();
    module.insts().skip(module.global_insts().len())
}

/// The chains into an array of resources, and whether each says at compile time into which element.
fn chains<'a>(stage: &PipelineStage<'a>, variable: Id) -> impl Iterator<Item = (Id, bool)> + use<'a> {
    let constants = stage.constants;
    code(stage).filter_map(move |inst| {
        let is_chain = is_access_chain(inst.op());
        let index = inst.get_id(1).filter(|_| is_chain && inst.get_id(0) == Some(variable))?;
        Some((inst.result()?, constants.get(index).is_some()))
    })
}

/// The instructions that use what is loaded from a resource, but for copies.
fn uses<'a>(stage: &PipelineStage<'a>, resource: &Resource) -> impl Iterator<Item = Instruction<'a>> {
    let mut pointers: Vec<Id> = chains(stage, resource.variable).map(|(chain, _)| chain).collect();
    pointers.push(resource.variable);
    let module = stage.module();
    let is_combined = |inst: Instruction<'_>| {
        matches!(inst.result_type().map(|ty| module.ty(ty)), Some(Type::SampledImage { .. }))
    };
    let is_load = |inst: &Instruction<'_>| {
        inst.op() == Op::Load && inst.get_id(0).is_some_and(|id| pointers.contains(&id)) && is_combined(*inst)
    };
    let loaded: Vec<Id> = code(stage).filter(is_load).filter_map(|inst| inst.result()).collect();
    code(stage).filter(move |inst| {
        inst.op() != Op::CopyObject && inst.get_id(0).is_some_and(|image| loaded.contains(&image))
    })
}

fn is_sample(op: Op) -> bool {
    let name = pyro_spirv::grammar::table().get(op).name;
    name.starts_with("ImageSample") && !name.ends_with("QCOM") || name.starts_with("ImageSparseSample")
}

/// The mask of a sampling instruction, behind a reference for comparisons where there is one.
fn operands(inst: Instruction<'_>) -> ImageOperands {
    let name = pyro_spirv::grammar::table().get(inst.op()).name;
    let position = if name.contains("Dref") { 3 } else { 2 };
    ImageOperands::from_bits_retain(inst.get_word(position).unwrap_or(0))
}
