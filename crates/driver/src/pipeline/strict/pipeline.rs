//! Pipelines in strict mode: all stages against each other, the layout, the vertex attributes and the colour
//! attachments. What their creation says of single stages is checked by
//! [`stage_findings`](super::stage_findings).
//!
//! Modules were held against the rules when they were made; here they are again only where they are
//! specialized. Which stages a binding or a range of push constants is for is not kept by layouts, so that
//! all count.

use super::{environment, is_on};
use crate::pipeline::compute::ComputePipelineInfo;
use crate::pipeline::graphics::GraphicsPipelineInfo;
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::raytrace::{GroupInfo, RayPipelineInfo};
use crate::pipeline::stage::ShaderStage;
use pyro_abi::ShaderOptions;
use pyro_compile::ExecutionModel as Model;
use pyro_compile::strict::{
    self, Api, AttachmentLocations, Attribute, Binding, CreateInfo, DepthStencil, DescriptorKind, Format,
    GraphicsState, GroupType, Multisample, Names, Pipeline, PipelineShader, PushConstantRange, ResourceKind,
    ShaderGroup, State, Topology,
};
use vulkanalia_sys as vk;

/// Reports which rules a compute pipeline breaks; nothing outside strict mode.
pub fn check_compute(info: &ComputePipelineInfo, report: &dyn Fn(&str)) {
    if is_on() {
        compute_findings(info).iter().for_each(|finding| report(finding));
    }
}

/// The rules that a compute pipeline breaks.
pub(crate) fn compute_findings(info: &ComputePipelineInfo) -> Vec<String> {
    shader_findings(&info.stage, &info.layout)
}

/// The rules that a shader breaks beside a layout.
pub(crate) fn shader_findings(stage: &ShaderStage, layout: &PipelineLayout) -> Vec<String> {
    let whole = Pipeline { layout: layout_of(layout), ..Pipeline::default() };
    findings(std::slice::from_ref(stage), whole, &CreateInfo::default())
}

/// Reports which rules a ray tracing pipeline breaks, made by the commands of an API; nothing outside strict
/// mode.
pub fn check_rays(info: &RayPipelineInfo, api: Api, report: &dyn Fn(&str)) {
    if is_on() {
        ray_findings(info, api).iter().for_each(|finding| report(finding));
    }
}

/// The rules that a ray tracing pipeline breaks, made by the commands of an API. Libraries and what links
/// them are not looked at: each has a part of the shaders only.
pub(crate) fn ray_findings(info: &RayPipelineInfo, api: Api) -> Vec<String> {
    if !info.libraries.is_empty() || info.flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR) {
        return Vec::new();
    }
    let group = |group: &GroupInfo| ShaderGroup {
        ty: match group.kind {
            vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP => GroupType::TrianglesHit,
            vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP => GroupType::ProceduralHit,
            _ => GroupType::General,
        },
        general: group.shaders.general,
        closest_hit: group.shaders.closest_hit,
        any_hit: group.shaders.any_hit,
        intersection: group.shaders.intersection,
    };
    let said = CreateInfo { api, groups: info.groups.iter().map(group).collect(), ..CreateInfo::default() };
    let layout = info.layout.as_ref().and_then(|layout| layout_of(layout));
    let whole = Pipeline { layout, ..Pipeline::default() };
    findings(&info.stages, whole, &said)
}

/// Reports which rules a graphics pipeline breaks; nothing outside strict mode.
pub fn check_graphics(info: &GraphicsPipelineInfo, report: &dyn Fn(&str)) {
    if is_on() {
        graphics_findings(info).iter().for_each(|finding| report(finding));
    }
}

/// The rules that a graphics pipeline breaks.
pub(crate) fn graphics_findings(info: &GraphicsPipelineInfo) -> Vec<String> {
    findings(&info.stages, graphics(info), &said_of(info))
}

/// What the creation of a graphics pipeline says beside shaders and layout, as far as it is kept: which
/// pointers were null is not, nor whether there is a render pass.
fn said_of(info: &GraphicsPipelineInfo) -> CreateInfo<'static> {
    let state = &info.state;
    let mut dynamic = Names::default();
    info.dynamic.iter().for_each(|state| dynamic.insert(&format!("{state:?}")));
    let is_smooth = matches!(
        state.line_mode,
        vk::LineRasterizationMode::BRESENHAM | vk::LineRasterizationMode::RECTANGULAR_SMOOTH
    );
    // Of states that a pipeline has not, what they would be does not count.
    let fixed = |name: &str, is_on: bool| is_on && !dynamic.has(name);
    let (has_depth, has_stencil) =
        (info.formats.depth != vk::Format::UNDEFINED, info.formats.stencil != vk::Format::UNDEFINED);
    let multisample = Multisample {
        samples: state.samples,
        has_sample_shading: state.sample_shading,
        has_alpha_to_coverage: fixed("ALPHA_TO_COVERAGE_ENABLE", state.alpha_to_coverage),
        has_alpha_to_one: fixed("ALPHA_TO_ONE_ENABLE", state.alpha_to_one),
        location_count: None,
    };
    let [front, back] = &state.stencil;
    let mask = front.write_mask | back.write_mask;
    let depth_stencil = DepthStencil {
        writes_depth: has_depth && state.depth_test && state.depth_write,
        stencil_write_mask: if has_stencil && state.stencil_test { mask } else { 0 },
        bounds: (has_depth && fixed("DEPTH_BOUNDS_TEST_ENABLE", state.depth_bounds_test))
            .then_some((state.depth_bounds[0], state.depth_bounds[1])),
        ..DepthStencil::default()
    };
    let rasterizes = !state.rasterizer_discard;
    let graphics = GraphicsState {
        topology: Topology::from_name(&format!("{:?}", state.topology)),
        discards: !rasterizes,
        has_bresenham_or_smooth_lines: fixed("LINE_RASTERIZATION_MODE", is_smooth),
        multisample: if rasterizes { State::Given(multisample) } else { State::Unknown },
        depth_stencil: if rasterizes { State::Given(depth_stencil) } else { State::Unknown },
        dynamic,
        ..GraphicsState::default()
    };
    let locations = info.locations.0.to_vec();
    let has_locations = !locations.is_empty();
    let count = locations.len() as u32;
    CreateInfo {
        graphics: Some(graphics),
        locations: has_locations.then_some(AttachmentLocations { colors: Some(locations), count }),
        ..CreateInfo::default()
    }
}

/// A graphics pipeline without its stages.
fn graphics(info: &GraphicsPipelineInfo) -> Pipeline<'static> {
    let is_dynamic = |state| info.dynamic.contains(state);
    // Formats that are not plain numbers, such as compressed ones, are none of attributes and attachments.
    let format_of = |format: vk::Format| Format::from_name(&format!("{format:?}"));
    let attributes = info.state.vertex_input.attributes.iter().filter_map(|attribute| {
        Some(Attribute { location: attribute.location, format: format_of(attribute.format)? })
    });
    let has_attributes = !is_dynamic(vk::DynamicState::VERTEX_INPUT_EXT);
    let rasterizes =
        !info.state.rasterizer_discard && !is_dynamic(vk::DynamicState::RASTERIZER_DISCARD_ENABLE);
    let mut colors = Vec::new();
    for (attachment, &format) in info.formats.colors.iter().enumerate() {
        if let Some(location) = info.locations.location(attachment) {
            colors.resize(colors.len().max(location + 1), None);
            colors[location] = format_of(format);
        }
    }
    Pipeline {
        layout: layout_of(&info.layout),
        attributes: has_attributes.then(|| attributes.collect()),
        colors: rasterizes.then_some(colors),
        ..Pipeline::default()
    }
}

/// What the rules are told of a layout; nothing where shaders are for descriptor heaps, and have none.
fn layout_of(layout: &PipelineLayout) -> Option<strict::PipelineLayout> {
    if layout.heap().is_some() {
        return None;
    }
    let mut bindings = Vec::new();
    for (set, of_set) in layout.sets().iter().enumerate() {
        let after_bind = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
        let is_update_after_bind =
            of_set.bindings().iter().any(|binding| binding.info.flags.contains(after_bind));
        for binding in of_set.bindings().iter() {
            let plain = binding.info.mutable_types.iter().filter_map(|ty| match kind_of(*ty)? {
                DescriptorKind::Plain(kind) => Some(kind),
                _ => None,
            });
            let mutable_kinds: Vec<_> = plain.collect();
            let samplers = &binding.info.immutable_samplers;
            let count = binding.info.count.into();
            bindings.extend(kind_of(binding.info.ty).map(|kind| Binding {
                has_conversion: samplers.iter().any(|sampler| sampler.info().has_conversion),
                is_dynamic: is_dynamic(binding.info.ty),
                is_update_after_bind,
                mutable_kinds,
                ..Binding::new(set as u32, binding.info.binding, kind, count)
            }));
        }
    }
    let size = layout.abi(&ShaderOptions::default()).push_constant_bytes;
    let push_constants = (size != 0).then_some(PushConstantRange { stages: None, offset: 0, size });
    Some(strict::PipelineLayout { bindings, push_constants: push_constants.into_iter().collect() })
}

fn is_dynamic(ty: vk::DescriptorType) -> bool {
    matches!(ty, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
}

fn kind_of(ty: vk::DescriptorType) -> Option<DescriptorKind> {
    use vk::DescriptorType as D;
    Some(DescriptorKind::Plain(match ty {
        D::SAMPLER => ResourceKind::Sampler,
        D::COMBINED_IMAGE_SAMPLER => ResourceKind::CombinedImageSampler,
        D::SAMPLED_IMAGE | D::SAMPLE_WEIGHT_IMAGE_QCOM | D::BLOCK_MATCH_IMAGE_QCOM => {
            ResourceKind::SampledImage
        }
        D::TENSOR_ARM => ResourceKind::Tensor,
        D::STORAGE_IMAGE => ResourceKind::StorageImage,
        D::UNIFORM_TEXEL_BUFFER => ResourceKind::UniformTexelBuffer,
        D::ACCELERATION_STRUCTURE_KHR
        | D::ACCELERATION_STRUCTURE_NV
        | D::PARTITIONED_ACCELERATION_STRUCTURE_NV => ResourceKind::AccelerationStructure,
        D::STORAGE_TEXEL_BUFFER => ResourceKind::StorageTexelBuffer,
        D::UNIFORM_BUFFER | D::UNIFORM_BUFFER_DYNAMIC => ResourceKind::UniformBuffer,
        D::STORAGE_BUFFER | D::STORAGE_BUFFER_DYNAMIC => ResourceKind::StorageBuffer,
        D::INPUT_ATTACHMENT => ResourceKind::InputAttachment,
        D::INLINE_UNIFORM_BLOCK => return Some(DescriptorKind::InlineUniformBlock),
        D::MUTABLE_EXT => return Some(DescriptorKind::Mutable),
        _ => return None,
    }))
}

/// The model of a stage; tessellation stages are known to pipelines alone.
fn model_of(stage: vk::ShaderStageFlags) -> Option<Model> {
    match stage {
        vk::ShaderStageFlags::TESSELLATION_CONTROL => Some(Model::TessellationControl),
        vk::ShaderStageFlags::TESSELLATION_EVALUATION => Some(Model::TessellationEvaluation),
        // Its rules are not those of compute pipelines.
        vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI => None,
        other => super::model(other),
    }
}

/// What stages break, ready to be shown. `whole` is the rest of the pipeline, `said` what else its creation
/// says.
fn findings(stages: &[ShaderStage], whole: Pipeline<'_>, said: &CreateInfo<'_>) -> Vec<String> {
    let shaders = stages.iter().filter_map(|stage| {
        Some(PipelineShader {
            module: stage.module.for_compiler(),
            entry_point: &stage.entry_point,
            model: model_of(stage.stage)?,
            specialization: &stage.specialization,
        })
    });
    let shaders: Vec<_> = shaders.collect();
    // Stages that are not known would seem to be missing.
    if shaders.len() != stages.len() {
        return Vec::new();
    }
    strict::pipeline_findings(&shaders, whole, said, environment())
}
