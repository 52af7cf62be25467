//! `VkPipelineLayoutCreateInfo`: how many descriptors of each kind there are, against the limits.
//!
//! Mutable descriptors count once for each limit that one of their types counts against (Vulkan, "Shader
//! Resource Limits").

use super::Cx;
use pyro_interface::ResourceKind as K;
use pyro_interface::pipeline::{Binding, DescriptorKind as D, PipelineFinding};
use pyro_spirv::spirv::ExecutionModel as Model;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// `SAMPLER`, `COMBINED_IMAGE_SAMPLER`
    Samplers,
    /// `UNIFORM_BUFFER` and its dynamic form.
    AllUniformBuffers,
    /// `UNIFORM_BUFFER`
    UniformBuffers,
    /// `UNIFORM_BUFFER_DYNAMIC`
    DynamicUniformBuffers,
    /// `STORAGE_BUFFER` and its dynamic form.
    AllStorageBuffers,
    /// `STORAGE_BUFFER`
    StorageBuffers,
    /// `STORAGE_BUFFER_DYNAMIC`
    DynamicStorageBuffers,
    /// Both dynamic kinds.
    DynamicBuffers,
    /// `COMBINED_IMAGE_SAMPLER`, `SAMPLED_IMAGE`, `UNIFORM_TEXEL_BUFFER`
    SampledImages,
    /// The same, and images of weights and of blocks to match.
    SampledAndWeightImages,
    /// `STORAGE_IMAGE`, `STORAGE_TEXEL_BUFFER`
    StorageImages,
    /// `INPUT_ATTACHMENT`
    InputAttachments,
    /// Bindings of `INLINE_UNIFORM_BLOCK`
    InlineBlocks,
    /// Bytes of `INLINE_UNIFORM_BLOCK`
    InlineBytes,
    /// Bindings of `ACCELERATION_STRUCTURE_KHR`
    AccelerationStructures,
    /// Bindings of `ACCELERATION_STRUCTURE_NV`
    AccelerationStructuresNv,
    /// `TENSOR_ARM`
    Tensors,
}

/// A rule: what is counted; for one stage, or over all; with sets that are updated after binding, or without;
/// and the limits of which the greatest holds.
struct Limit {
    rule: &'static str,
    counted: Counted,
    is_per_stage: bool,
    with_update_after_bind: bool,
    names: &'static [&'static str],
    /// Whether `maintenance7` must be on or off.
    maintenance7: Option<bool>,
}

const fn stage(rule: &'static str, counted: Counted, names: &'static [&'static str]) -> Limit {
    let with_update_after_bind = names.len() > 1;
    Limit { rule, counted, is_per_stage: true, with_update_after_bind, names, maintenance7: None }
}

const fn all(rule: &'static str, counted: Counted, names: &'static [&'static str]) -> Limit {
    Limit { is_per_stage: false, ..stage(rule, counted, names) }
}

const fn maintenance7(limit: Limit, is_on: bool) -> Limit {
    Limit { maintenance7: Some(is_on), ..limit }
}

use Counted::*;

#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03016", Samplers, &["maxPerStageDescriptorSamplers"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03017", AllUniformBuffers, &["maxPerStageDescriptorUniformBuffers"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03018", AllStorageBuffers, &["maxPerStageDescriptorStorageBuffers"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-06939", SampledAndWeightImages, &["maxPerStageDescriptorSampledImages"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03020", StorageImages, &["maxPerStageDescriptorStorageImages"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03021", InputAttachments, &["maxPerStageDescriptorInputAttachments"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-02214", InlineBlocks, &["maxPerStageDescriptorInlineUniformBlocks"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03571", AccelerationStructures, &["maxPerStageDescriptorAccelerationStructures"]),
    stage("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-09698", Tensors, &["maxPerStageDescriptorSetStorageTensors"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03022", Samplers, &["maxPerStageDescriptorSamplers", "maxPerStageDescriptorUpdateAfterBindSamplers"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03023", AllUniformBuffers, &["maxPerStageDescriptorUniformBuffers", "maxPerStageDescriptorUpdateAfterBindUniformBuffers"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03024", AllStorageBuffers, &["maxPerStageDescriptorStorageBuffers", "maxPerStageDescriptorUpdateAfterBindStorageBuffers"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03025", SampledImages, &["maxPerStageDescriptorSampledImages", "maxPerStageDescriptorUpdateAfterBindSampledImages"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03026", StorageImages, &["maxPerStageDescriptorStorageImages", "maxPerStageDescriptorUpdateAfterBindStorageImages"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03027", InputAttachments, &["maxPerStageDescriptorInputAttachments", "maxPerStageDescriptorUpdateAfterBindInputAttachments"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-02215", InlineBlocks, &["maxPerStageDescriptorInlineUniformBlocks", "maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-03572", AccelerationStructures, &["maxPerStageDescriptorAccelerationStructures", "maxPerStageDescriptorUpdateAfterBindAccelerationStructures"]),
    stage("VUID-VkPipelineLayoutCreateInfo-descriptorType-09879", Tensors, &["maxPerStageDescriptorSetStorageTensors", "maxPerStageDescriptorUpdateAfterBindStorageTensors"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03028", Samplers, &["maxDescriptorSetSamplers"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03029", UniformBuffers, &["maxDescriptorSetUniformBuffers"]),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03030", DynamicUniformBuffers, &["maxDescriptorSetUniformBuffersDynamic"]), false),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-maintenance7-10003", DynamicUniformBuffers, &["maxDescriptorSetTotalUniformBuffersDynamic"]), true),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03031", StorageBuffers, &["maxDescriptorSetStorageBuffers"]),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03032", DynamicStorageBuffers, &["maxDescriptorSetStorageBuffersDynamic"]), false),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-maintenance7-10004", DynamicStorageBuffers, &["maxDescriptorSetTotalStorageBuffersDynamic"]), true),
    all("VUID-VkPipelineLayoutCreateInfo-None-10005", DynamicBuffers, &["maxDescriptorSetTotalBuffersDynamic"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03033", SampledImages, &["maxDescriptorSetSampledImages"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03034", StorageImages, &["maxDescriptorSetStorageImages"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03035", InputAttachments, &["maxDescriptorSetInputAttachments"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-02216", InlineBlocks, &["maxDescriptorSetInlineUniformBlocks"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03573", AccelerationStructures, &["maxDescriptorSetAccelerationStructures"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-09699", Tensors, &["maxDescriptorSetStorageTensors"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03036", Samplers, &["maxDescriptorSetSamplers", "maxDescriptorSetUpdateAfterBindSamplers"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03037", UniformBuffers, &["maxDescriptorSetUniformBuffers", "maxDescriptorSetUpdateAfterBindUniformBuffers"]),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03038", DynamicUniformBuffers, &["maxDescriptorSetUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindUniformBuffersDynamic"]), false),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-maintenance7-10007", DynamicUniformBuffers, &["maxDescriptorSetTotalUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic"]), true),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03039", StorageBuffers, &["maxDescriptorSetStorageBuffers", "maxDescriptorSetUpdateAfterBindStorageBuffers"]),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03040", DynamicStorageBuffers, &["maxDescriptorSetStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindStorageBuffersDynamic"]), false),
    maintenance7(all("VUID-VkPipelineLayoutCreateInfo-maintenance7-10008", DynamicStorageBuffers, &["maxDescriptorSetTotalStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic"]), true),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-10006", DynamicBuffers, &["maxDescriptorSetTotalBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalBuffersDynamic"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03041", SampledImages, &["maxDescriptorSetSampledImages", "maxDescriptorSetUpdateAfterBindSampledImages"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03042", StorageImages, &["maxDescriptorSetStorageImages", "maxDescriptorSetUpdateAfterBindStorageImages"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-03043", InputAttachments, &["maxDescriptorSetInputAttachments", "maxDescriptorSetUpdateAfterBindInputAttachments"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-02217", InlineBlocks, &["maxDescriptorSetInlineUniformBlocks", "maxDescriptorSetUpdateAfterBindInlineUniformBlocks"]),
    all("VUID-VkPipelineLayoutCreateInfo-descriptorType-03574", AccelerationStructures, &["maxDescriptorSetAccelerationStructures", "maxDescriptorSetUpdateAfterBindAccelerationStructures"]),
    all("VUID-VkPipelineLayoutCreateInfo-pSetLayouts-09878", Tensors, &["maxDescriptorSetStorageTensors", "maxDescriptorSetUpdateAfterBindStorageTensors"]),
    Limit { with_update_after_bind: true, ..all("VUID-VkPipelineLayoutCreateInfo-descriptorType-06531", InlineBytes, &["maxInlineUniformTotalSize"]) },
    Limit { with_update_after_bind: true, ..all("VUID-VkPipelineLayoutCreateInfo-descriptorType-02381", AccelerationStructuresNv, &["maxDescriptorSetAccelerationStructures"]) },
];

pub(super) fn vuids() -> impl Iterator<Item = &'static str> {
    LIMITS.iter().map(|limit| limit.rule)
}

impl Counted {
    fn holds(self, kind: K, is_dynamic: bool) -> bool {
        match self {
            Samplers => matches!(kind, K::Sampler | K::CombinedImageSampler),
            AllUniformBuffers => kind == K::UniformBuffer,
            UniformBuffers => kind == K::UniformBuffer && !is_dynamic,
            DynamicUniformBuffers => kind == K::UniformBuffer && is_dynamic,
            AllStorageBuffers => kind == K::StorageBuffer,
            StorageBuffers => kind == K::StorageBuffer && !is_dynamic,
            DynamicStorageBuffers => kind == K::StorageBuffer && is_dynamic,
            DynamicBuffers => matches!(kind, K::UniformBuffer | K::StorageBuffer) && is_dynamic,
            SampledImages | SampledAndWeightImages => {
                matches!(kind, K::CombinedImageSampler | K::SampledImage | K::UniformTexelBuffer)
            }
            StorageImages => matches!(kind, K::StorageImage | K::StorageTexelBuffer),
            InputAttachments => kind == K::InputAttachment,
            AccelerationStructures => kind == K::AccelerationStructure,
            Tensors => kind == K::Tensor,
            InlineBlocks | InlineBytes | AccelerationStructuresNv => false,
        }
    }

    /// How much a binding counts.
    fn of(self, binding: &Binding) -> u64 {
        let is_counted = match binding.kind {
            D::Plain(kind) => self.holds(kind, binding.is_dynamic),
            // Once, however many of its types count against the limit.
            D::Mutable => binding.mutable_kinds.iter().any(|kind| self.holds(*kind, false)),
            D::InlineUniformBlock => matches!(self, InlineBlocks | InlineBytes),
            D::AccelerationStructureNv => self == AccelerationStructuresNv,
            D::SampleWeightImage | D::BlockMatchImage => self == SampledAndWeightImages,
        };
        match self {
            _ if !is_counted => 0,
            InlineBlocks | AccelerationStructures | AccelerationStructuresNv => u64::from(binding.count != 0),
            _ => binding.count,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Samplers => "samplers",
            AllUniformBuffers | UniformBuffers => "uniform buffers",
            DynamicUniformBuffers => "dynamic uniform buffers",
            AllStorageBuffers | StorageBuffers => "storage buffers",
            DynamicStorageBuffers => "dynamic storage buffers",
            DynamicBuffers => "dynamic buffers",
            SampledImages | SampledAndWeightImages => "sampled images",
            StorageImages => "storage images",
            InputAttachments => "input attachments",
            InlineBlocks => "inline uniform blocks",
            InlineBytes => "bytes of inline uniform blocks",
            AccelerationStructures | AccelerationStructuresNv => "acceleration structures",
            Tensors => "tensors",
        }
    }
}

/// Every stage that a binding can be for.
const STAGES: [Model; 15] = [
    Model::ClusterCullingHUAWEI,
    Model::Vertex,
    Model::TessellationControl,
    Model::TessellationEvaluation,
    Model::Geometry,
    Model::Fragment,
    Model::GLCompute,
    Model::TaskEXT,
    Model::MeshEXT,
    Model::RayGenerationKHR,
    Model::IntersectionKHR,
    Model::AnyHitKHR,
    Model::ClosestHitKHR,
    Model::MissKHR,
    Model::CallableKHR,
];

/// The stages of which one has to be looked at: those that some binding tells apart, and one for all others.
fn stages_to_count(bindings: &[Binding]) -> Vec<Model> {
    let is_named = |model: &Model| {
        bindings.iter().any(|binding| binding.stages.as_ref().is_some_and(|all| all.contains(model)))
    };
    let named: Vec<Model> = STAGES.into_iter().filter(is_named).collect();
    if named.is_empty() { vec![Model::GLCompute] } else { named }
}

pub(super) fn check(cx: &Cx<'_>, into: &mut Vec<PipelineFinding>) {
    let Some(layout) = &cx.pipeline.layout else { return };
    let stages = stages_to_count(&layout.bindings);
    for limit in LIMITS {
        let maintenance7 = !cx.lacks("maintenance7");
        if limit.maintenance7.is_some_and(|wanted| wanted != maintenance7) {
            continue;
        }
        let greatest = limit.names.iter().map(|name| cx.limit(name)).max_by_key(|found| *found).flatten();
        let is_known = limit.names.iter().all(|name| cx.limit(name).is_some());
        let Some(greatest) = greatest.filter(|_| is_known) else { continue };
        let counts = |binding: &&Binding| limit.with_update_after_bind || !binding.is_update_after_bind;
        let bindings = layout.bindings.iter().filter(counts);
        let found = if limit.is_per_stage {
            let of = |model: Model| {
                let own = bindings.clone().filter(|binding| binding.is_for(model));
                own.map(|binding| limit.counted.of(binding)).fold(0, u64::saturating_add)
            };
            stages.iter().map(|&model| (of(model), Some(model))).max_by_key(|(count, _)| *count)
        } else {
            let total = bindings.map(|binding| limit.counted.of(binding)).fold(0, u64::saturating_add);
            Some((total, None))
        };
        let Some((count, model)) = found.filter(|(count, _)| *count > greatest) else { continue };
        let who = match model {
            // Bindings that are for all stages are for each of them.
            Some(model) if layout.bindings.iter().any(|binding| binding.stages.is_some()) => {
                format!("{model:?} shaders")
            }
            Some(_) => "each stage".to_owned(),
            None => "all stages together".to_owned(),
        };
        let (what, name) = (limit.counted.name(), limit.names[limit.names.len() - 1]);
        let message = format!("the layout has {count} {what} for {who}, the limit {name} is {greatest}");
        super::Report { rule: limit.rule, findings: into }.whole(message);
    }
}
