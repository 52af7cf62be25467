//! A whole pipeline: its stages held against each other, and against what the pipeline says of descriptors,
//! push constants, vertex attributes and attachments.
//!
//! | file | holds against each other |
//! | --- | --- |
//! | [`stages`] | which stages there are; what they agree on: patches, primitives, payloads, interfaces |
//! | [`layout`] | resources and push constants of the stages; the pipeline layout |
//! | [`attachment`] | vertex inputs and attributes; fragment outputs and colour attachments |
//! | [`conversion`] | resources at bindings whose samplers convert Y′CbCr |
//! | [`objects`] | what shader objects must keep instead of pipelines |
//!
//! A rule is one function, listed with its VUID in the table of its file. Rules that need a device's features
//! and limits, or the rest of a creation, are in the crate `validate` (`create_info`).

mod attachment;
mod conversion;
mod layout;
mod objects;
mod stages;

use crate::link::Options;
use crate::resource::ResourceKind;
use crate::stage::Interface;
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_spirv::{ConstantValues, Id, Module, Type};

pub use layout::{Binding, DescriptorKind, PipelineLayout, PushConstantRange};

/// One shader of a pipeline.
#[derive(Clone, Copy)]
pub struct PipelineStage<'a> {
    /// Its module's constants, under the stage's specialization.
    pub constants: &'a ConstantValues<'a>,
    /// The entry point's interface.
    pub interface: &'a Interface,
}

impl<'a> PipelineStage<'a> {
    /// The module.
    pub fn module(&self) -> &'a Module {
        self.constants.module()
    }

    /// The stage of the entry point.
    pub fn model(&self) -> Model {
        self.interface.model
    }
}

/// The kind of a number, as formats and shaders tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numeric {
    /// Floats, and normalized and scaled integers.
    Float,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
}

impl Numeric {
    fn of(ty: Type<'_>) -> Option<Numeric> {
        match ty {
            Type::Float { .. } => Some(Numeric::Float),
            Type::Int { signed: true, .. } => Some(Numeric::Signed),
            Type::Int { signed: false, .. } => Some(Numeric::Unsigned),
            _ => None,
        }
    }
}

/// A format, as far as shaders see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The kind of its numbers.
    pub numeric: Numeric,
    /// Components.
    pub components: u32,
    /// Whether components have 64 bits.
    pub is_wide: bool,
}

impl Format {
    /// The format of a name as the API has it, with or without `VK_FORMAT_`; none for formats that are not
    /// plain numbers for each component: depth, stencil, compressed and multi-planar ones.
    pub fn from_name(name: &str) -> Option<Format> {
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
        let components = name.split('_').next()?;
        let numeric = name.split('_').find_map(|part| match part {
            "SFLOAT" | "UFLOAT" | "UNORM" | "SNORM" | "USCALED" | "SSCALED" | "SRGB" => Some(Numeric::Float),
            "UINT" => Some(Numeric::Unsigned),
            "SINT" => Some(Numeric::Signed),
            _ => None,
        })?;
        let is_component = |c: &char| matches!(c, 'R' | 'G' | 'B' | 'A');
        let count = components.chars().filter(is_component).count() as u32;
        // A shared exponent is not a component.
        let is_plain = components.chars().all(|c| is_component(&c) || c == 'E' || c.is_ascii_digit());
        (is_plain && (1..=4).contains(&count)).then_some(Format {
            numeric,
            components: count,
            is_wide: components.contains("64"),
        })
    }
}

/// A vertex attribute (`VkVertexInputAttributeDescription`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// `location`
    pub location: u32,
    /// `format`
    pub format: Format,
}

/// The parts of a pipeline that its shaders have to fit. A part that is unknown or dynamic state is `None`,
/// and not checked.
#[derive(Clone, Default)]
pub struct Pipeline<'a> {
    /// The shaders, in any order.
    pub stages: Vec<PipelineStage<'a>>,
    /// The pipeline layout.
    pub layout: Option<PipelineLayout>,
    /// The vertex attributes.
    pub attributes: Option<Vec<Attribute>>,
    /// The colour attachments; none for those that are not used.
    pub colors: Option<Vec<Option<Format>>>,
    /// How stages are matched.
    pub options: Options,
    /// The shaders are not pipeline but shader objects, linked or not.
    pub objects: Option<Linking>,
}

/// How shader objects that are used together were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    /// At once, with `VK_SHADER_CREATE_LINK_STAGE_BIT_EXT`.
    Linked,
    /// Each by itself.
    Unlinked,
}

/// A broken rule between stages, or between a stage and the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineFinding {
    /// The rule: a VUID.
    pub rule: &'static str,
    /// The stage at fault, by its place in [`Pipeline::stages`]; none when it is the pipeline as a whole.
    pub stage: Option<usize>,
    /// The stage that the one at fault does not fit, when there is one.
    pub other: Option<usize>,
    /// The variable at fault, in the module of the stage at fault.
    pub variable: Option<Id>,
    /// The variable of the other stage that it does not fit.
    pub other_variable: Option<Id>,
    /// The location, of inputs and outputs.
    pub location: Option<u32>,
    /// What is wrong, in plain words.
    pub message: String,
}

impl PipelineFinding {
    fn whole(rule: &'static str, message: impl Into<String>) -> Self {
        PipelineFinding {
            rule,
            stage: None,
            other: None,
            variable: None,
            other_variable: None,
            location: None,
            message: message.into(),
        }
    }

    fn at(rule: &'static str, stage: usize, variable: Option<Id>, message: impl Into<String>) -> Self {
        PipelineFinding { stage: Some(stage), variable, ..PipelineFinding::whole(rule, message) }
    }
}

type Rule = fn(&Pipeline<'_>, &'static str, &mut Vec<PipelineFinding>);

fn rules() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    [stages::RULES, layout::RULES, attachment::RULES, conversion::RULES].into_iter().flatten()
}

/// Holds a pipeline, or shader objects, against every rule; findings come in the order of the rules.
pub fn check(pipeline: &Pipeline<'_>) -> Vec<PipelineFinding> {
    let mut findings = Vec::new();
    rules().for_each(|(rule, function)| function(pipeline, rule, &mut findings));
    let Some(linking) = pipeline.objects else { return findings };
    // Of rules on pipelines, those remain that shader objects know under another name.
    findings.retain_mut(|finding| {
        if !finding.rule.contains("PipelineCreateInfo") {
            return true;
        }
        let renamed = objects::RENAMED.iter().find(|(rule, ..)| *rule == finding.rule);
        let Some((_, name, _)) = renamed.filter(|(.., of)| of.is_none_or(|of| of == linking)) else {
            return false;
        };
        finding.rule = name;
        true
    });
    objects::RULES.iter().for_each(|(rule, function)| function(pipeline, rule, &mut findings));
    findings
}

/// Every VUID that [`check`] may report, sorted.
pub fn covered_vuids() -> Vec<&'static str> {
    let mut covered: Vec<_> = rules().chain(objects::RULES).map(|(rule, _)| *rule).collect();
    covered.extend(stages::NEIGHBOUR_RULES);
    covered.extend(objects::RENAMED.iter().map(|(_, rule, _)| *rule));
    covered.sort_unstable();
    covered.dedup();
    covered
}

impl<'a> Pipeline<'a> {
    /// The place and shader of a stage.
    pub fn stage(&self, model: Model) -> Option<(usize, &PipelineStage<'a>)> {
        self.stages.iter().enumerate().find(|(_, stage)| stage.model() == model)
    }

    /// Pairs of stages of which one directly follows the other: their places.
    pub fn neighbours(&self) -> Vec<(usize, usize)> {
        const ORDER: [Model; 8] = [
            Model::Vertex,
            Model::TessellationControl,
            Model::TessellationEvaluation,
            Model::Geometry,
            Model::TaskEXT,
            Model::MeshEXT,
            Model::MeshNV,
            Model::Fragment,
        ];
        let mut present: Vec<(usize, usize)> = self
            .stages
            .iter()
            .enumerate()
            .filter_map(|(place, stage)| {
                Some((ORDER.iter().position(|model| *model == stage.model())?, place))
            })
            .collect();
        present.sort_unstable();
        present
            .windows(2)
            .map(|pair| (pair[0].1, pair[1].1))
            .filter(|&(from, to)| crate::link::can_follow(self.stages[from].model(), self.stages[to].model()))
            .collect()
    }
}

/// The kind of descriptor as Vulkan writes it.
pub(crate) fn describe_kind(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Sampler => "SAMPLER",
        ResourceKind::CombinedImageSampler => "COMBINED_IMAGE_SAMPLER",
        ResourceKind::SampledImage => "SAMPLED_IMAGE",
        ResourceKind::StorageImage => "STORAGE_IMAGE",
        ResourceKind::UniformTexelBuffer => "UNIFORM_TEXEL_BUFFER",
        ResourceKind::StorageTexelBuffer => "STORAGE_TEXEL_BUFFER",
        ResourceKind::UniformBuffer => "UNIFORM_BUFFER",
        ResourceKind::StorageBuffer => "STORAGE_BUFFER",
        ResourceKind::InputAttachment => "INPUT_ATTACHMENT",
        ResourceKind::AccelerationStructure => "ACCELERATION_STRUCTURE",
        ResourceKind::Tensor => "TENSOR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read() {
        let of = |name: &str| {
            Format::from_name(name).map(|found| (found.numeric, found.components, found.is_wide))
        };
        assert_eq!(of("R32G32B32_SFLOAT"), Some((Numeric::Float, 3, false)));
        assert_eq!(of("VK_FORMAT_R64_SINT"), Some((Numeric::Signed, 1, true)));
        assert_eq!(of("A2B10G10R10_UINT_PACK32"), Some((Numeric::Unsigned, 4, false)));
        assert_eq!(of("E5B9G9R9_UFLOAT_PACK32"), Some((Numeric::Float, 3, false)));
        assert_eq!(of("B10G11R11_UFLOAT_PACK32"), Some((Numeric::Float, 3, false)));
        for other in ["D32_SFLOAT", "R8_NUMBER", "BC1_RGBA_UNORM_BLOCK", "S8_UINT", ""] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
