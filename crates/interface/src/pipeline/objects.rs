//! Shader objects (`VK_EXT_shader_object`): stages that are made one by one, linked or not.
//!
//! Neighbours meet as in pipelines, whether they are linked or not. What pipelines are told of layouts and tessellation
//! holds for each object, or for those linked, under other names ([`RENAMED`]); what a pipeline must have, objects need
//! not. [`RULES`] are those that pipelines do not have.

use super::{Linking, Pipeline, PipelineFinding, PipelineStage, Rule};
use pyro_spirv::spirv::{ExecutionMode as Mode, ExecutionModel as Model};

/// Rules on pipelines and what they are called for shader objects; the linking that they hold for, all when none.
pub(super) const RENAMED: &[(&str, &str, Option<Linking>)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07988", "VUID-VkShaderCreateInfoEXT-codeType-10383", None),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07990", "VUID-VkShaderCreateInfoEXT-codeType-10384", None),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07991", "VUID-VkShaderCreateInfoEXT-codeType-10385", None),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07987", "VUID-VkShaderCreateInfoEXT-codeType-10064", None),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-10069", "VUID-VkShaderCreateInfoEXT-codeType-10065", None),
    ("VUID-VkComputePipelineCreateInfo-layout-07988", "VUID-VkShaderCreateInfoEXT-codeType-10383", None),
    ("VUID-VkComputePipelineCreateInfo-layout-07990", "VUID-VkShaderCreateInfoEXT-codeType-10384", None),
    ("VUID-VkComputePipelineCreateInfo-layout-07991", "VUID-VkShaderCreateInfoEXT-codeType-10385", None),
    ("VUID-VkComputePipelineCreateInfo-layout-07987", "VUID-VkShaderCreateInfoEXT-codeType-10064", None),
    ("VUID-VkComputePipelineCreateInfo-layout-10069", "VUID-VkShaderCreateInfoEXT-codeType-10065", None),
    (
        "VUID-VkGraphicsPipelineCreateInfo-pStages-00733",
        "VUID-vkCreateShadersEXT-pCreateInfos-08867",
        Some(Linking::Linked),
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-pStages-00735",
        "VUID-vkCreateShadersEXT-pCreateInfos-08871",
        Some(Linking::Linked),
    ),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-09631", "VUID-vkCreateShadersEXT-pCreateInfos-09632", None),
];

/// Rules that hold for shader objects only.
pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkShaderCreateInfoEXT-codeType-08872", subdivision_given),
    ("VUID-VkShaderCreateInfoEXT-codeType-12226", patch_size_given),
    ("VUID-VkShaderCreateInfoEXT-pCode-08453", patch_size_positive),
    ("VUID-VkShaderCreateInfoEXT-pCode-08454", vertex_count_given),
    ("VUID-VkShaderCreateInfoEXT-pCode-08455", invocations_given),
    ("VUID-vkCreateShadersEXT-pCreateInfos-12224", orientation_given),
    ("VUID-vkCreateShadersEXT-pCreateInfos-12225", spacing_given),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08868", orientation_equal),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08870", spacing_equal),
];

const SUBDIVISION: [Mode; 3] = [Mode::Triangles, Mode::Quads, Mode::Isolines];
const ORIENTATION: [Mode; 2] = [Mode::VertexOrderCw, Mode::VertexOrderCcw];
const SPACING: [Mode; 3] = [Mode::SpacingEqual, Mode::SpacingFractionalEven, Mode::SpacingFractionalOdd];

fn operand(stage: &PipelineStage<'_>, mode: Mode) -> Option<u32> {
    let found = stage.module().execution_mode(stage.interface.function, mode)?;
    Some(found.operands.first().copied().unwrap_or(0))
}

fn one_of(stage: &PipelineStage<'_>, modes: &[Mode]) -> Option<Mode> {
    modes.iter().copied().find(|&mode| operand(stage, mode).is_some())
}

/// The stage of a model must keep a rule.
fn of_stage(
    pipeline: &Pipeline<'_>,
    model: Model,
    rule: &'static str,
    into: &mut Vec<PipelineFinding>,
    misfit: impl Fn(&PipelineStage<'_>) -> Option<&'static str>,
) {
    for (place, stage) in pipeline.stages.iter().enumerate().filter(|(_, stage)| stage.model() == model) {
        into.extend(misfit(stage).map(|message| PipelineFinding::at(rule, place, None, message)));
    }
}

fn subdivision_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    of_stage(pipeline, Model::TessellationEvaluation, rule, into, |stage| {
        one_of(stage, &SUBDIVISION).is_none().then_some("it does not say how to subdivide")
    });
}

fn patch_size_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    of_stage(pipeline, Model::TessellationControl, rule, into, |stage| {
        operand(stage, Mode::OutputVertices).is_none().then_some("it does not say OutputVertices")
    });
}

fn patch_size_positive(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    for model in [Model::TessellationControl, Model::TessellationEvaluation] {
        of_stage(pipeline, model, rule, into, |stage| {
            (operand(stage, Mode::OutputVertices) == Some(0)).then_some("OutputVertices is zero")
        });
    }
}

fn vertex_count_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    of_stage(pipeline, Model::Geometry, rule, into, |stage| {
        (operand(stage, Mode::OutputVertices).unwrap_or(0) == 0)
            .then_some("OutputVertices is missing or zero")
    });
}

fn invocations_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    // Without the mode there is one.
    of_stage(pipeline, Model::Geometry, rule, into, |stage| {
        (operand(stage, Mode::Invocations) == Some(0)).then_some("Invocations is zero")
    });
}

/// The two tessellation stages, where they are linked.
fn linked<'p, 'a>(pipeline: &'p Pipeline<'a>) -> Option<[(usize, &'p PipelineStage<'a>); 2]> {
    let is_linked = pipeline.objects == Some(Linking::Linked);
    let control = pipeline.stage(Model::TessellationControl).filter(|_| is_linked)?;
    Some([control, pipeline.stage(Model::TessellationEvaluation)?])
}

fn given(
    pipeline: &Pipeline<'_>,
    rule: &'static str,
    into: &mut Vec<PipelineFinding>,
    modes: &[Mode],
    what: &str,
) {
    let Some([(_, control), (place, evaluation)]) = linked(pipeline) else { return };
    if one_of(control, modes).or(one_of(evaluation, modes)).is_none() {
        let message = format!("neither tessellation shader declares the {what}");
        into.push(PipelineFinding::at(rule, place, None, message));
    }
}

fn equal(
    pipeline: &Pipeline<'_>,
    rule: &'static str,
    into: &mut Vec<PipelineFinding>,
    modes: &[Mode],
    what: &str,
) {
    let Some([(first, control), (place, evaluation)]) = linked(pipeline) else { return };
    if let (Some(one), Some(other)) = (one_of(control, modes), one_of(evaluation, modes))
        && one != other
    {
        let message =
            format!("the {what} is {one:?} in the control shader, {other:?} in the evaluation shader");
        into.push(PipelineFinding { other: Some(first), ..PipelineFinding::at(rule, place, None, message) });
    }
}

fn orientation_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    given(pipeline, rule, into, &ORIENTATION, "orientation of triangles");
}

fn spacing_given(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    given(pipeline, rule, into, &SPACING, "spacing of segments");
}

fn orientation_equal(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    equal(pipeline, rule, into, &ORIENTATION, "orientation of triangles");
}

fn spacing_equal(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
    equal(pipeline, rule, into, &SPACING, "spacing of segments");
}
