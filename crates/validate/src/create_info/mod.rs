//! What the creation of pipelines, pipeline layouts and shader objects says, held against the shaders, the
//! device's features and its limits.
//!
//! [`pyro_interface::pipeline`] holds shaders against each other and against a layout; here are the rules
//! that need a [`Device`] or the rest of a creation. A rule is one function, listed with its VUID in the
//! table of its file:
//!
//! | file | rules on |
//! | --- | --- |
//! | `layout` | `VkPipelineLayoutCreateInfo`: counts of descriptors against limits |
//! | `stages` | `VkGraphicsPipelineCreateInfo`: its shaders against topology, dynamic state and flags |
//! | `state` | its rasterization, multisample and depth-stencil state, and its parts as a library |
//! | `rendering` | its subpass or dynamic rendering, views, input attachments |
//! | `shading_rate` | its fragment shading rate |
//! | `attachment` | `VkRenderingAttachmentLocationInfo`, `VkRenderingInputAttachmentIndexInfo` |
//! | `robustness` | `VkPipelineRobustnessCreateInfo` |
//! | `groups` | groups of ray tracing shaders; compute, ray tracing and execution graph pipelines |
//! | `nodes` | payloads of execution graphs; groups of shaders for generated commands |
//! | `object` | `VkShaderCreateInfoEXT`, `vkCreateShadersEXT` |
//!
//! What a creation does not say is not held against it.

mod attachment;
mod groups;
mod layout;
mod model;
mod nodes;
mod object;
mod rendering;
mod robustness;
mod shading_rate;
mod stages;
mod state;
mod written;

pub use model::*;
pub use object::{name_for_objects, renamed_rules};

use crate::device::Device;
use pyro_interface::pipeline::{Pipeline, PipelineFinding, PipelineStage};
use pyro_spirv::Id;
use pyro_spirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel as Model, StorageClass};

/// What a rule looks at.
struct Cx<'c> {
    pipeline: &'c Pipeline<'c>,
    info: &'c CreateInfo<'c>,
    device: &'c Device,
}

/// Where a rule tells what breaks it.
struct Report<'r> {
    rule: &'static str,
    findings: &'r mut Vec<PipelineFinding>,
}

impl Report<'_> {
    /// The creation as a whole is at fault.
    fn whole(&mut self, message: impl Into<String>) {
        self.push(None, None, message.into());
    }

    /// A stage is at fault, by its place.
    fn at(&mut self, stage: usize, message: impl Into<String>) {
        self.push(Some(stage), None, message.into());
    }

    /// A variable of a stage is at fault.
    fn variable(&mut self, stage: usize, variable: Id, message: impl Into<String>) {
        self.push(Some(stage), Some(variable), message.into());
    }

    /// The creation as a whole is at fault when the condition holds.
    fn when(&mut self, is_broken: bool, message: impl Into<String>) {
        if is_broken {
            self.whole(message);
        }
    }

    fn push(&mut self, stage: Option<usize>, variable: Option<Id>, message: String) {
        let (other, other_variable, location) = (None, None, None);
        let rule = self.rule;
        self.findings.push(PipelineFinding {
            rule,
            stage,
            other,
            variable,
            other_variable,
            location,
            message,
        });
    }
}

type Rule = fn(&Cx<'_>, &mut Report<'_>);

fn rules() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    [
        stages::RULES,
        state::RULES,
        rendering::RULES,
        shading_rate::RULES,
        attachment::RULES,
        robustness::RULES,
        groups::RULES,
        nodes::RULES,
        object::RULES,
    ]
    .into_iter()
    .flatten()
}

/// Holds a creation against every rule; findings come in the order of the rules.
pub fn check(pipeline: &Pipeline<'_>, info: &CreateInfo<'_>, device: &Device) -> Vec<PipelineFinding> {
    let mut findings = Vec::new();
    let cx = Cx { pipeline, info, device };
    layout::check(&cx, &mut findings);
    for (rule, function) in rules() {
        // Shader objects are not pipeline, and only they keep the rules on objects.
        let is_of_objects = rule.contains("VkShaderCreateInfoEXT") || rule.contains("vkCreateShadersEXT");
        let is_of_pipelines = rule.contains("PipelineCreateInfo");
        if pipeline.objects.is_some() && is_of_pipelines || pipeline.objects.is_none() && is_of_objects {
            continue;
        }
        function(&cx, &mut Report { rule, findings: &mut findings });
    }
    findings
}

/// Every VUID that [`check`] may report, sorted.
pub fn covered_vuids() -> Vec<&'static str> {
    let mut covered: Vec<_> = rules().map(|(rule, _)| *rule).chain(layout::vuids()).collect();
    // Sentences of the specification that have no VUID are rules under their section's name.
    covered.retain(|rule| rule.starts_with("VUID-"));
    covered.sort_unstable();
    covered.dedup();
    covered
}

impl<'c> Cx<'c> {
    /// The stages of some models, with their places.
    fn stages_of(&self, models: &[Model]) -> impl Iterator<Item = (usize, &'c PipelineStage<'c>)> {
        let stages = self.pipeline.stages.iter().enumerate();
        stages.filter(move |(_, stage)| models.contains(&stage.model()))
    }

    fn stage(&self, model: Model) -> Option<(usize, &'c PipelineStage<'c>)> {
        self.pipeline.stage(model)
    }

    fn has(&self, model: Model) -> bool {
        self.stage(model).is_some()
    }

    fn graphics(&self) -> Option<&'c GraphicsState> {
        self.info.graphics.as_ref()
    }

    fn lacks(&self, feature: &str) -> bool {
        !self.device.has_feature(feature)
    }

    /// A limit as it is; none when it is not known.
    fn limit(&self, name: &str) -> Option<u64> {
        self.device.property(name).and_then(|value| u64::try_from(value).ok())
    }

    /// Whether a boolean property is known to be off.
    fn is_off(&self, property: &str) -> bool {
        self.device.property(property) == Some(0)
    }
}

/// The stages before rasterization.
const PRE_RASTERIZATION: [Model; 9] = [
    Model::ClusterCullingHUAWEI,
    Model::Vertex,
    Model::TessellationControl,
    Model::TessellationEvaluation,
    Model::Geometry,
    Model::TaskEXT,
    Model::MeshEXT,
    Model::TaskNV,
    Model::MeshNV,
];

const MESH: [Model; 2] = [Model::MeshEXT, Model::MeshNV];

fn mode<'a>(stage: &PipelineStage<'a>, mode: ExecutionMode) -> Option<&'a [u32]> {
    stage.module().execution_mode(stage.interface.function, mode).map(|found| found.operands)
}

fn output(stage: &PipelineStage<'_>, built_in: BuiltIn) -> bool {
    stage.interface.built_in(built_in, StorageClass::Output).is_some()
}
