//! Compute, ray tracing and execution graph pipelines: their stages, their resources and groups of shaders.

use super::{Api, Cx, GroupType, Report, Rule, ShaderGroup, mode};
use pyro_interface::pipeline::{DescriptorKind as D, PipelineStage, PushConstantRange};
use pyro_interface::{Payload, Resource, ResourceKind as K, payload};
use pyro_spirv::Type;
use pyro_spirv::facts::RAY_TRACING_STAGES;
use pyro_spirv::spirv::{Capability, ExecutionMode as Mode, ExecutionModel as Model, StorageClass};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkComputePipelineCreateInfo-stage-00701", |cx, into| {
        if kind(cx) == Some(Kind::Compute) {
            only(cx, into, &[Model::GLCompute]);
        }
    }),
    ("VUID-VkComputePipelineCreateInfo-flags-09178", |cx, into| {
        if kind(cx) == Some(Kind::Compute)
            && !cx.info.flags.has("LIBRARY")
            && let Some((place, stage)) = cx.stage(Model::GLCompute)
            && stage.module().has_capability(Capability::ShaderEnqueueAMDX)
        {
            into.at(place, "it declares ShaderEnqueueAMDX, which only libraries may");
        }
    }),
    ("VUID-VkComputePipelineCreateInfo-layout-01687", |cx, into| resources(cx, into, Kind::Compute)),
    ("VUID-VkGraphicsPipelineCreateInfo-layout-01688", |cx, into| resources(cx, into, Kind::Graphics)),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-layout-03428", |cx, into| resources(cx, into, Kind::Ray)),
    ("VUID-VkRayTracingPipelineCreateInfoNV-layout-03428", |cx, into| resources(cx, into, Kind::RayNv)),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-09132", |cx, into| resources(cx, into, Kind::Graph)),
    ("VUID-VkComputePipelineCreateInfo-flags-11312", |cx, into| mapped(cx, into, Kind::Compute)),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-11312", |cx, into| mapped(cx, into, Kind::Graphics)),
    ("VUID-VkRayTracingPipelineCreateInfoKHR-flags-11312", |cx, into| mapped(cx, into, Kind::Ray)),
    ("VUID-VkRayTracingPipelineCreateInfoNV-flags-11312", |cx, into| mapped(cx, into, Kind::RayNv)),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-11312", |cx, into| mapped(cx, into, Kind::Graph)),
    ("VUID-VkRayTracingPipelineCreateInfoNV-stage-06232", |cx, into| {
        if kind(cx) == Some(Kind::RayNv) {
            into.when(!cx.has(Model::RayGenerationKHR), "there is no ray generation shader");
        }
    }),
    ("VUID-VkRayTracingPipelineCreateInfoNV-stage-06898", |cx, into| {
        if kind(cx) == Some(Kind::RayNv) {
            only(cx, into, &RAY_TRACING_STAGES);
        }
    }),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-stage-09128", |cx, into| {
        if kind(cx) == Some(Kind::Graph) {
            only(cx, into, &[Model::GLCompute]);
        }
    }),
    ("VUID-VkRayTracingPipelineCreateInfoNV-layout-07987", |cx, into| no_range(cx, into, Kind::RayNv)),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-07987", |cx, into| no_range(cx, into, Kind::Graph)),
    ("VUID-VkRayTracingPipelineCreateInfoNV-layout-10069", |cx, into| outside(cx, into, Kind::RayNv)),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-10069", |cx, into| outside(cx, into, Kind::Graph)),
    ("VUID-VkRayTracingPipelineCreateInfoNV-layout-07988", |cx, into| no_binding(cx, into, Kind::RayNv)),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-07988", |cx, into| {
        no_binding(cx, into, Kind::Graph)
    }),
    ("VUID-VkExecutionGraphPipelineCreateInfoAMDX-StaticNumWorkgroupsAMDX-09138", |cx, into| {
        same_mode(cx, into, Mode::StaticNumWorkgroupsAMDX);
    }),
    ("VUID-VkRayTracingShaderGroupCreateInfoKHR-type-03474", |cx, into| general(cx, into, Kind::Ray)),
    ("VUID-VkRayTracingShaderGroupCreateInfoNV-type-02413", |cx, into| general(cx, into, Kind::RayNv)),
    ("VUID-VkRayTracingShaderGroupCreateInfoKHR-type-03476", |cx, into| intersection(cx, into, Kind::Ray)),
    ("VUID-VkRayTracingShaderGroupCreateInfoNV-type-02415", |cx, into| intersection(cx, into, Kind::RayNv)),
    ("VUID-VkRayTracingShaderGroupCreateInfoKHR-closestHitShader-03478", |cx, into| {
        optional(cx, into, Kind::Ray, "closestHitShader", |group| group.closest_hit, Model::ClosestHitKHR);
    }),
    ("VUID-VkRayTracingShaderGroupCreateInfoNV-closestHitShader-02417", |cx, into| {
        optional(cx, into, Kind::RayNv, "closestHitShader", |group| group.closest_hit, Model::ClosestHitKHR);
    }),
    ("VUID-VkRayTracingShaderGroupCreateInfoKHR-anyHitShader-03479", |cx, into| {
        optional(cx, into, Kind::Ray, "anyHitShader", |group| group.any_hit, Model::AnyHitKHR);
    }),
    ("VUID-VkRayTracingShaderGroupCreateInfoNV-anyHitShader-02418", |cx, into| {
        optional(cx, into, Kind::RayNv, "anyHitShader", |group| group.any_hit, Model::AnyHitKHR);
    }),
    ("Ray Tracing Pipeline Interface: hit attributes", hit_attributes),
    ("Ray Tracing Pipeline Interface: barycentric coordinates", barycentrics),
    ("Ray Tracing Pipeline Interface: payloads", group_payloads),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Graphics,
    Compute,
    Ray,
    RayNv,
    Graph,
}

/// Which pipeline it is; none without stages that tell.
fn kind(cx: &Cx<'_>) -> Option<Kind> {
    match cx.info.api {
        Api::RayTracingNv => return Some(Kind::RayNv),
        Api::ExecutionGraph => return Some(Kind::Graph),
        Api::Khr => {}
    }
    let has = |models: &[Model]| cx.stages_of(models).next().is_some();
    if has(&RAY_TRACING_STAGES) {
        Some(Kind::Ray)
    } else if has(&super::PRE_RASTERIZATION) || cx.info.graphics.is_some() {
        Some(Kind::Graphics)
    } else if has(&[Model::GLCompute]) {
        Some(Kind::Compute)
    } else {
        has(&[Model::Fragment]).then_some(Kind::Graphics)
    }
}

fn only(cx: &Cx<'_>, into: &mut Report<'_>, models: &[Model]) {
    for (place, stage) in cx.pipeline.stages.iter().enumerate() {
        if !models.contains(&stage.model()) {
            into.at(place, format!("a {:?} shader has no place in this kind of pipeline", stage.model()));
        }
    }
}

/// How many resources a stage may access, against `maxPerStageResources`.
fn resources(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    if kind(cx) != Some(wanted) {
        return;
    }
    let (Some(layout), Some(most)) = (&cx.pipeline.layout, cx.limit("maxPerStageResources")) else { return };
    for (place, stage) in cx.pipeline.stages.iter().enumerate() {
        // Samplers alone are not resources; an inline block is one (Vulkan, "Shader Resource Limits").
        let of_binding = |kind: D, count: u64| match kind {
            D::Plain(K::Sampler) => 0,
            D::InlineUniformBlock => 1,
            _ => count,
        };
        let own = layout.bindings.iter().filter(|binding| binding.is_for(stage.model()));
        let own = own.map(|binding| of_binding(binding.kind, binding.count)).fold(0, u64::saturating_add);
        let colors = match (stage.model(), &cx.pipeline.colors) {
            (Model::Fragment, Some(colors)) => colors.iter().flatten().count() as u64,
            _ => 0,
        };
        let found = own.saturating_add(colors);
        if found > most {
            into.at(place, format!("it may access {found} resources, maxPerStageResources is {most}"));
        }
    }
}

/// With descriptor heaps, each resource that has a set and binding needs a mapping.
fn mapped(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    if kind(cx) == Some(wanted) && cx.info.flags.has("DESCRIPTOR_HEAP") {
        for place in 0..cx.pipeline.stages.len() {
            resources_mapped(cx, into, place);
        }
    }
}

/// That the resources of a stage are mapped.
pub(super) fn resources_mapped(cx: &Cx<'_>, into: &mut Report<'_>, place: usize) {
    let stage = &cx.pipeline.stages[place];
    for resource in &stage.interface.resources {
        let is_mapped = cx.info.mappings.iter().any(|mapping| mapping.is_for(resource));
        if !is_mapped {
            let (name, set, binding) = (resource.label(), resource.set, resource.binding);
            let message = format!("{name} at set {set}, binding {binding} has no mapping to a heap");
            into.variable(place, resource.variable, message);
        }
    }
}

/// The stages of a pipeline of a kind, with its layout.
fn each_stage<'c>(
    cx: &Cx<'c>,
    wanted: Kind,
) -> impl Iterator<Item = (usize, &'c PipelineStage<'c>, &'c pyro_interface::pipeline::PipelineLayout)> {
    let layout = cx.pipeline.layout.as_ref().filter(|_| kind(cx) == Some(wanted));
    let stages = cx.pipeline.stages.iter().enumerate();
    stages.filter_map(move |(place, stage)| Some((place, stage, layout?)))
}

fn ranges_of(
    layout: &pyro_interface::pipeline::PipelineLayout,
    model: Model,
) -> impl Iterator<Item = &PushConstantRange> {
    let is_for =
        move |range: &&PushConstantRange| range.stages.as_ref().is_none_or(|stages| stages.contains(&model));
    layout.push_constants.iter().filter(is_for)
}

fn no_range(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    for (place, stage, layout) in each_stage(cx, wanted) {
        if let Some(block) = &stage.interface.push_constants
            && ranges_of(layout, stage.model()).next().is_none()
        {
            into.variable(place, block.variable, "the layout has no push constant range for the stage");
        }
    }
}

fn outside(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    for (place, stage, layout) in each_stage(cx, wanted) {
        let Some(block) = &stage.interface.push_constants else { continue };
        let mut ranges = ranges_of(layout, stage.model()).peekable();
        let holds = |range: &PushConstantRange| {
            range.offset <= block.offset && block.end <= u64::from(range.offset) + u64::from(range.size)
        };
        if ranges.peek().is_some() && !ranges.any(holds) {
            let (offset, end) = (block.offset, block.end);
            let message =
                format!("the block takes bytes {offset} to {end}, which no range of the stage holds");
            into.variable(place, block.variable, message);
        }
    }
}

fn no_binding(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    for (place, stage, layout) in each_stage(cx, wanted) {
        let is_missing = |resource: &&Resource| {
            let found = layout.binding(resource.set, resource.binding);
            !found.is_some_and(|found| found.is_for(stage.model()))
        };
        for resource in stage.interface.resources.iter().filter(is_missing) {
            let (name, set, binding) = (resource.label(), resource.set, resource.binding);
            let message = format!("{name}: the layout has no binding {binding} of set {set} for the stage");
            into.variable(place, resource.variable, message);
        }
    }
}

/// Nodes of one name all have an execution mode, or none has.
fn same_mode(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Mode) {
    if kind(cx) != Some(Kind::Graph) {
        return;
    }
    let stages = &cx.pipeline.stages;
    for (place, stage) in stages.iter().enumerate() {
        let has = mode(stage, wanted).is_some();
        let differs = |other: &&PipelineStage<'_>| {
            other.interface.name == stage.interface.name && mode(other, wanted).is_some() != has
        };
        if stages[..place].iter().find(differs).is_some() {
            let name = &stage.interface.name;
            into.at(place, format!("of the nodes named '{name}', one has {wanted:?}, another has not"));
        }
    }
}

/// The model of the shader that a group names; none when there is no such shader.
fn model_of(cx: &Cx<'_>, index: u32) -> Option<Model> {
    cx.pipeline.stages.get(index as usize).map(|stage| stage.model())
}

fn each_group(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    wanted: Kind,
    misfit: impl Fn(&ShaderGroup) -> Option<String>,
) {
    if kind(cx) != Some(wanted) {
        return;
    }
    for (index, group) in cx.info.groups.iter().enumerate() {
        if let Some(message) = misfit(group) {
            into.whole(format!("group {index}: {message}"));
        }
    }
}

fn names(cx: &Cx<'_>, member: &str, index: Option<u32>, models: &[Model]) -> Option<String> {
    let Some(index) = index else { return Some(format!("{member} is unused")) };
    match model_of(cx, index) {
        // What libraries bring is not looked into.
        None if u64::from(index)
            < cx.pipeline.stages.len() as u64 + u64::from(cx.info.library_shader_count) =>
        {
            None
        }
        None => Some(format!("{member} is {index}, and there is no such shader")),
        Some(model) if !models.contains(&model) => Some(format!("{member} is a {model:?} shader")),
        Some(_) => None,
    }
}

fn general(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    const GENERAL: [Model; 3] = [Model::RayGenerationKHR, Model::MissKHR, Model::CallableKHR];
    each_group(cx, into, wanted, |group| {
        let is_asked = group.ty == GroupType::General;
        is_asked.then(|| names(cx, "generalShader", group.general, &GENERAL)).flatten()
    });
}

fn intersection(cx: &Cx<'_>, into: &mut Report<'_>, wanted: Kind) {
    each_group(cx, into, wanted, |group| {
        let is_asked = group.ty == GroupType::ProceduralHit;
        let models = [Model::IntersectionKHR];
        is_asked.then(|| names(cx, "intersectionShader", group.intersection, &models)).flatten()
    });
}

fn optional(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    wanted: Kind,
    member: &str,
    of: fn(&ShaderGroup) -> Option<u32>,
    model: Model,
) {
    each_group(cx, into, wanted, |group| names(cx, member, Some(of(group)?), &[model]));
}

/// A variable of a storage class that a group's shader declares and its entry point uses, with the shader.
fn declared<'c>(
    cx: &Cx<'c>,
    shader: Option<u32>,
    class: StorageClass,
) -> Option<(&'c PipelineStage<'c>, &'c Payload)> {
    let stage = cx.pipeline.stages.get(shader? as usize)?;
    let found = stage.interface.payloads.iter().find(|found| found.class == class)?;
    Some((stage, found))
}

/// Two shaders of a group.
type Pair = fn(&ShaderGroup) -> (Option<u32>, Option<u32>);

/// Two shaders of each group that use variables of a storage class have them of one type.
fn one_type(cx: &Cx<'_>, into: &mut Report<'_>, class: StorageClass, pairs: &[Pair]) {
    if !matches!(kind(cx), Some(Kind::Ray | Kind::RayNv)) {
        return;
    }
    for (index, group) in cx.info.groups.iter().enumerate() {
        for (one, other) in pairs.iter().map(|pair| pair(group)) {
            let (Some(one), Some(other)) = (declared(cx, one, class), declared(cx, other, class)) else {
                continue;
            };
            if !payload::same_type((one.0.constants, one.1.ty), (other.0.constants, other.1.ty)) {
                into.whole(format!(
                    "group {index}: the {class:?} variables of its {:?} and {:?} shaders differ in type",
                    one.0.model(),
                    other.0.model()
                ));
            }
        }
    }
}

fn hit_attributes(cx: &Cx<'_>, into: &mut Report<'_>) {
    one_type(
        cx,
        into,
        StorageClass::HitAttributeKHR,
        &[
            |group| (group.intersection, group.closest_hit),
            |group| (group.intersection, group.any_hit),
            |group| (group.closest_hit, group.any_hit),
        ],
    );
}

/// The shaders that answer one ray have its payload in common.
fn group_payloads(cx: &Cx<'_>, into: &mut Report<'_>) {
    one_type(cx, into, StorageClass::IncomingRayPayloadKHR, &[|group| (group.closest_hit, group.any_hit)]);
}

/// What triangles have as hit attributes are two barycentric coordinates.
fn barycentrics(cx: &Cx<'_>, into: &mut Report<'_>) {
    if !matches!(kind(cx), Some(Kind::Ray | Kind::RayNv)) {
        return;
    }
    for (index, group) in cx.info.groups.iter().enumerate() {
        if group.ty != GroupType::TrianglesHit {
            continue;
        }
        for shader in [group.closest_hit, group.any_hit] {
            let Some((stage, found)) = declared(cx, shader, StorageClass::HitAttributeKHR) else { continue };
            let module = stage.module();
            let is_pair = match module.ty(found.ty) {
                Type::Vector { component, count: 2 } => {
                    module.ty(component) == Type::Float { width: 32, encoding: None }
                }
                _ => false,
            };
            if !is_pair {
                into.whole(format!(
                    "group {index}: the hit attribute of its {:?} shader is of type {}, not a vector of two \
                     32-bit floats",
                    stage.model(),
                    stage.constants.type_name(found.ty)
                ));
            }
        }
    }
}
