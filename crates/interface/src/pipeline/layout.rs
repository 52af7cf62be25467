//! Resources and push constants of the stages against the pipeline layout.

use super::{Pipeline, PipelineFinding, Rule, describe_kind};
use crate::resource::{Resource, ResourceKind};
use pyro_spirv::facts::RAY_TRACING_STAGES;
use pyro_spirv::spirv::ExecutionModel as Model;

/// `VkDescriptorType`; types that give a shader the same kinds of resource are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// One that has a resource kind of its own; buffers with dynamic offsets are as those without.
    Plain(ResourceKind),
    /// `INLINE_UNIFORM_BLOCK`
    InlineUniformBlock,
    /// `MUTABLE_EXT`: any kind but samplers, inline blocks and dynamic buffers.
    Mutable,
    /// `ACCELERATION_STRUCTURE_NV`
    AccelerationStructureNv,
    /// `SAMPLE_WEIGHT_IMAGE_QCOM`
    SampleWeightImage,
    /// `BLOCK_MATCH_IMAGE_QCOM`
    BlockMatchImage,
}

/// A binding of a descriptor set layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The set's number.
    pub set: u32,
    /// `binding`
    pub binding: u32,
    /// `descriptorType`
    pub kind: DescriptorKind,
    /// `descriptorCount`: bytes for inline uniform blocks.
    pub count: u64,
    /// `stageFlags`; none for all stages.
    pub stages: Option<Vec<Model>>,
    /// Whether its immutable samplers have a `VkSamplerYcbcrConversion`.
    pub has_conversion: bool,
    /// Whether it is a buffer with a dynamic offset.
    pub is_dynamic: bool,
    /// `VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT` of its set's layout.
    pub is_update_after_bind: bool,
    /// `VkMutableDescriptorTypeListEXT` of mutable descriptors.
    pub mutable_kinds: Vec<ResourceKind>,
}

impl Binding {
    /// A binding for all stages with one descriptor, and none of the optional properties.
    pub fn new(set: u32, binding: u32, kind: DescriptorKind, count: u64) -> Binding {
        Binding {
            set,
            binding,
            kind,
            count,
            stages: None,
            has_conversion: false,
            is_dynamic: false,
            is_update_after_bind: false,
            mutable_kinds: Vec::new(),
        }
    }

    /// Whether shaders of a stage may access it.
    pub fn is_for(&self, model: Model) -> bool {
        is_for(self.stages.as_ref(), model)
    }
}

/// `VkPushConstantRange`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConstantRange {
    /// `stageFlags`; none for all stages.
    pub stages: Option<Vec<Model>>,
    /// `offset` in bytes.
    pub offset: u32,
    /// `size` in bytes.
    pub size: u32,
}

/// A pipeline layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineLayout {
    /// The bindings of all sets.
    pub bindings: Vec<Binding>,
    /// The ranges.
    pub push_constants: Vec<PushConstantRange>,
}

impl PipelineLayout {
    /// The binding at a set and number.
    pub fn binding(&self, set: u32, binding: u32) -> Option<&Binding> {
        self.bindings.iter().find(|found| (found.set, found.binding) == (set, binding))
    }
}

impl DescriptorKind {
    /// Whether a variable of a kind may read through a descriptor of this type.
    pub fn gives(self, kind: ResourceKind) -> bool {
        match self {
            DescriptorKind::Plain(own) => {
                own == kind
                    // A combined descriptor can be seen as either of its parts.
                    || own == ResourceKind::CombinedImageSampler
                        && matches!(kind, ResourceKind::SampledImage | ResourceKind::Sampler)
            }
            DescriptorKind::InlineUniformBlock => kind == ResourceKind::UniformBuffer,
            DescriptorKind::Mutable => kind != ResourceKind::Sampler,
            DescriptorKind::AccelerationStructureNv => kind == ResourceKind::AccelerationStructure,
            DescriptorKind::SampleWeightImage | DescriptorKind::BlockMatchImage => {
                matches!(kind, ResourceKind::SampledImage | ResourceKind::CombinedImageSampler)
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            DescriptorKind::Plain(kind) => describe_kind(kind),
            DescriptorKind::InlineUniformBlock => "INLINE_UNIFORM_BLOCK",
            DescriptorKind::Mutable => "MUTABLE",
            DescriptorKind::AccelerationStructureNv => "ACCELERATION_STRUCTURE_NV",
            DescriptorKind::SampleWeightImage => "SAMPLE_WEIGHT_IMAGE_QCOM",
            DescriptorKind::BlockMatchImage => "BLOCK_MATCH_IMAGE_QCOM",
        }
    }
}

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07988", graphics_resource_missing),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07990", graphics_resource_kind),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07991", graphics_resource_count),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-07987", graphics_push_constants_missing),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-10069", graphics_push_constants_outside),
    ("VUID-VkComputePipelineCreateInfo-layout-07988", compute_resource_missing),
    ("VUID-VkComputePipelineCreateInfo-layout-07990", compute_resource_kind),
    ("VUID-VkComputePipelineCreateInfo-layout-07991", compute_resource_count),
    ("VUID-VkComputePipelineCreateInfo-layout-07987", compute_push_constants_missing),
    ("VUID-VkComputePipelineCreateInfo-layout-10069", compute_push_constants_outside),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-layout-07988", ray_resource_missing),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-layout-07990", ray_resource_kind),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-layout-07991", ray_resource_count),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-layout-07987", ray_push_constants_missing),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-layout-10069", ray_push_constants_outside),
];

/// The rules on layouts exist once for each kind of pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Graphics,
    Compute,
    Ray,
}

fn kind_of(model: Model) -> Kind {
    match model {
        Model::GLCompute => Kind::Compute,
        _ if RAY_TRACING_STAGES.contains(&model) => Kind::Ray,
        _ => Kind::Graphics,
    }
}

fn is_for(stages: Option<&Vec<Model>>, model: Model) -> bool {
    stages.is_none_or(|stages| stages.contains(&model))
}

/// Why a resource does not fit its binding.
type Misfit = fn(&PipelineLayout, Model, &Resource) -> Option<String>;

fn each_resource(
    pipeline: &Pipeline<'_>,
    kind: Kind,
    rule: &'static str,
    misfit: Misfit,
    into: &mut Vec<PipelineFinding>,
) {
    let Some(layout) = &pipeline.layout else { return };
    for (place, stage) in pipeline.stages.iter().enumerate().filter(|(_, s)| kind_of(s.model()) == kind) {
        for resource in &stage.interface.resources {
            if let Some(message) = misfit(layout, stage.model(), resource) {
                let (set, binding) = (resource.set, resource.binding);
                let message = format!("{} at set {set}, binding {binding}: {message}", resource.label());
                into.push(PipelineFinding::at(rule, place, Some(resource.variable), message));
            }
        }
    }
}

fn missing(layout: &PipelineLayout, model: Model, resource: &Resource) -> Option<String> {
    match layout.binding(resource.set, resource.binding) {
        None => Some("the layout has no such binding".to_owned()),
        Some(found) if !is_for(found.stages.as_ref(), model) => {
            Some(format!("the binding is not for {model:?} shaders"))
        }
        Some(_) => None,
    }
}

fn other_kind(layout: &PipelineLayout, _model: Model, resource: &Resource) -> Option<String> {
    let found = layout.binding(resource.set, resource.binding)?;
    let wanted = describe_kind(resource.kind);
    // Input tile attachments are declared as storage images are.
    let is_input = resource.is_tile_attachment
        && resource.kind == ResourceKind::StorageImage
        && found.kind == DescriptorKind::Plain(ResourceKind::InputAttachment);
    (!is_input && !found.kind.gives(resource.kind)).then(|| {
        format!("the shader needs a descriptor of type {wanted}, the layout has {}", found.kind.name())
    })
}

fn too_few(layout: &PipelineLayout, _model: Model, resource: &Resource) -> Option<String> {
    let found = layout.binding(resource.set, resource.binding)?;
    if found.kind == DescriptorKind::InlineUniformBlock {
        let size = resource.block_size;
        return (size > found.count)
            .then(|| format!("the block has {size} bytes, the binding {}", found.count));
    }
    // A runtime array uses what there is.
    let count = resource.count?;
    (count > found.count).then(|| format!("the shader has {count} descriptors, the binding {}", found.count))
}

fn each_push_block(
    pipeline: &Pipeline<'_>,
    kind: Kind,
    rule: &'static str,
    misfit: fn(&[&PushConstantRange], u32, u64) -> Option<String>,
    into: &mut Vec<PipelineFinding>,
) {
    let Some(layout) = &pipeline.layout else { return };
    for (place, stage) in pipeline.stages.iter().enumerate().filter(|(_, s)| kind_of(s.model()) == kind) {
        let Some(block) = &stage.interface.push_constants else { continue };
        let ranges =
            layout.push_constants.iter().filter(|range| is_for(range.stages.as_ref(), stage.model()));
        if let Some(message) = misfit(&ranges.collect::<Vec<_>>(), block.offset, block.end) {
            into.push(PipelineFinding::at(rule, place, Some(block.variable), message));
        }
    }
}

fn no_range(ranges: &[&PushConstantRange], _offset: u32, _end: u64) -> Option<String> {
    ranges.is_empty().then(|| "the layout has no push constant range for the stage".to_owned())
}

fn outside_ranges(ranges: &[&PushConstantRange], offset: u32, end: u64) -> Option<String> {
    let is_inside = ranges
        .iter()
        .any(|range| range.offset <= offset && end <= u64::from(range.offset) + u64::from(range.size));
    (!ranges.is_empty() && !is_inside)
        .then(|| format!("the block takes bytes {offset} to {end}, which no range of the stage holds"))
}

/// One function for each rule and kind of pipeline.
macro_rules! rules_of_kinds {
    ($($name:ident: $each:ident $kind:ident $misfit:ident;)+) => {
        $(fn $name(pipeline: &Pipeline<'_>, rule: &'static str, into: &mut Vec<PipelineFinding>) {
            $each(pipeline, Kind::$kind, rule, $misfit, into);
        })+
    };
}

rules_of_kinds! {
    graphics_resource_missing: each_resource Graphics missing;
    graphics_resource_kind: each_resource Graphics other_kind;
    graphics_resource_count: each_resource Graphics too_few;
    graphics_push_constants_missing: each_push_block Graphics no_range;
    graphics_push_constants_outside: each_push_block Graphics outside_ranges;
    compute_resource_missing: each_resource Compute missing;
    compute_resource_kind: each_resource Compute other_kind;
    compute_resource_count: each_resource Compute too_few;
    compute_push_constants_missing: each_push_block Compute no_range;
    compute_push_constants_outside: each_push_block Compute outside_ranges;
    ray_resource_missing: each_resource Ray missing;
    ray_resource_kind: each_resource Ray other_kind;
    ray_resource_count: each_resource Ray too_few;
    ray_push_constants_missing: each_push_block Ray no_range;
    ray_push_constants_outside: each_push_block Ray outside_ranges;
}
