//! `VkGraphicsPipelineCreateInfo`: its shaders against topology, dynamic state, flags and features.

use super::written::{Written, code, written};
use super::{Cx, MESH, PRE_RASTERIZATION, Report, Rule, Topology, mode, output};
use pyro_interface::pipeline::PipelineStage;
use pyro_spirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode as Mode, ExecutionModel as Model, StorageClass,
};
use pyro_spirv::{Id, Type};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-TaskNV-07063", |cx, into| {
        let nv = cx.stages_of(&[Model::TaskNV, Model::MeshNV]).next();
        if nv.is_some()
            && let Some((place, stage)) = cx.stages_of(&[Model::TaskEXT, Model::MeshEXT]).next()
        {
            into.at(place, format!("a {:?} shader stands beside one of VK_NV_mesh_shader", stage.model()));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-09022", |cx, into| {
        let Some(state) = cx.graphics() else { return };
        if let Some((place, _)) = cx.stage(Model::TessellationControl)
            && state.tessellation.is_null()
            && state.parts.pre_rasterization
            && !state.dynamic.has("PATCH_CONTROL_POINTS")
        {
            into.at(place, "the pipeline has no tessellation state, and patchControlPoints is not dynamic");
        }
    }),
    ("VUID-VkPipelineTessellationStateCreateInfo-patchControlPoints-01214", |cx, into| {
        let points = cx.graphics().and_then(|state| state.tessellation.given().copied());
        let Some(points) = points else { return };
        into.when(points == 0, "patchControlPoints is zero");
        if let Some(most) = cx.limit("maxTessellationPatchSize").filter(|most| u64::from(points) > *most) {
            into.whole(format!("patchControlPoints {points} is above maxTessellationPatchSize {most}"));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-08888", |cx, into| {
        let Some(topology) = fixed_topology(cx).filter(|found| *found != Topology::Patches) else { return };
        if let Some((place, _)) =
            cx.stages_of(&[Model::TessellationControl, Model::TessellationEvaluation]).next()
        {
            into.at(place, format!("tessellation shaders take patches, the topology is {topology:?}"));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-topology-08889", |cx, into| {
        let has = cx.has(Model::TessellationControl) || cx.has(Model::TessellationEvaluation);
        let is_vertex = cx.has(Model::Vertex);
        let is_patches = fixed_topology(cx) == Some(Topology::Patches);
        into.when(is_patches && is_vertex && !has, "the topology is of patches without tessellation shaders");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-TessellationEvaluation-07723", |cx, into| {
        if !cx.lacks("shaderTessellationAndGeometryPointSize") {
            must_write_size(cx, into, tessellated_points(cx));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-TessellationEvaluation-07724", |cx, into| {
        if cx.lacks("shaderTessellationAndGeometryPointSize") {
            may_not_write_size(into, tessellated_points(cx));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-topology-08773", |cx, into| {
        let is_last = !cx.has(Model::TessellationEvaluation) && !cx.has(Model::Geometry);
        let is_points = fixed_topology(cx) == Some(Topology::Points);
        must_write_size(cx, into, cx.stage(Model::Vertex).filter(|_| is_last && is_points));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-shaderTessellationAndGeometryPointSize-08776", |cx, into| {
        if !cx.lacks("shaderTessellationAndGeometryPointSize") {
            must_write_size(cx, into, geometry_points(cx));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-Geometry-07726", |cx, into| {
        if cx.lacks("shaderTessellationAndGeometryPointSize") {
            may_not_write_size(into, geometry_points(cx));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-00738", geometry_takes_topology),
    ("VUID-VkGraphicsPipelineCreateInfo-rasterizationStream-02319", |cx, into| {
        if cx.graphics().is_some_and(|state| state.stream != 0) {
            streams(cx, into);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-rasterizationStream-02320", |cx, into| {
        if cx.graphics().is_some_and(|state| state.stream == 0) {
            streams(cx, into);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-geometryStreams-02321", |cx, into| {
        if let Some((place, stage)) = cx.stage(Model::Geometry)
            && cx.lacks("geometryStreams")
            && stage.module().has_capability(Capability::GeometryStreams)
        {
            into.at(
                place,
                "the geometry shader writes several streams, and the feature geometryStreams is off",
            );
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-None-02322", |cx, into| {
        if cx.stages_of(&MESH).next().is_some() {
            captures(cx, into, "transform feedback is captured in a pipeline with mesh shaders");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-02966", |cx, into| {
        if cx.info.flags.has("INDIRECT_BINDABLE_NV") {
            captures(cx, into, "transform feedback is captured in a pipeline that is bound indirectly");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-11001", |cx, into| {
        if cx.info.flags.has("INDIRECT_BINDABLE_EXT") {
            captures(cx, into, "transform feedback is captured in a pipeline that is bound indirectly");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-shaderMeshEnqueue-10187", |cx, into| {
        if let Some(place) = enqueues(cx).filter(|_| cx.lacks("shaderMeshEnqueue")) {
            into.at(place, "it declares ShaderEnqueueAMDX, and the feature shaderMeshEnqueue is off");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-10188", |cx, into| {
        if let Some(place) = enqueues(cx).filter(|_| !cx.info.flags.has("LIBRARY")) {
            into.at(place, "it declares ShaderEnqueueAMDX, which only libraries may");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-10189", |cx, into| {
        let has = cx.info.flags.has_all(&["EXECUTION_GRAPH", "LIBRARY"]);
        if let Some(place) = enqueues(cx).filter(|_| !has) {
            into.at(
                place,
                "it declares ShaderEnqueueAMDX, but the pipeline is not a library for an execution graph",
            );
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-10190", |cx, into| {
        if cx.info.flags.has("EXECUTION_GRAPH")
            && let Some((place, stage)) = cx.stages_of(&[Model::Vertex, Model::TaskEXT, Model::TaskNV]).next()
        {
            into.at(place, format!("a {:?} shader cannot be a node of an execution graph", stage.model()));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07065", |cx, into| {
        without_vertices(cx, into, &["PRIMITIVE_TOPOLOGY", "VERTEX_INPUT_BINDING_STRIDE"]);
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07066", |cx, into| {
        without_vertices(cx, into, &["PRIMITIVE_RESTART_ENABLE", "PATCH_CONTROL_POINTS"]);
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07067", |cx, into| {
        without_vertices(cx, into, &["VERTEX_INPUT"]);
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-06894", |cx, into| {
        let Some(state) = cx.graphics() else { return };
        let is_asked = state.parts.pre_rasterization && !state.parts.fragment_shader;
        if let Some((place, _)) = cx.stage(Model::Fragment).filter(|_| is_asked) {
            into.at(place, "the library has no fragment shader state, but a fragment shader");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-06895", |cx, into| {
        let Some(state) = cx.graphics() else { return };
        let is_asked = state.parts.fragment_shader && !state.parts.pre_rasterization;
        if let Some((place, stage)) = cx.stages_of(&PRE_RASTERIZATION).next().filter(|_| is_asked) {
            let message =
                format!("the library has no pre-rasterization state, but a {:?} shader", stage.model());
            into.at(place, message);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-06896", |cx, into| {
        if !cx.graphics().is_some_and(|state| state.parts.pre_rasterization) {
            return;
        }
        for (place, stage) in cx.pipeline.stages.iter().enumerate() {
            let is_graphics = stage.model() == Model::Fragment || PRE_RASTERIZATION.contains(&stage.model());
            if !is_graphics {
                into.at(place, format!("a {:?} shader stands in a graphics pipeline", stage.model()));
            }
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-stageCount-09587", |cx, into| {
        let Some(state) = cx.graphics() else { return };
        let has_shaders = state.parts.pre_rasterization || state.parts.fragment_shader;
        into.when(
            !has_shaders && !cx.pipeline.stages.is_empty(),
            "the library has no state that shaders are part of, but shaders",
        );
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-extendedDynamicState3TessellationDomainOrigin-07370", |cx, into| {
        let Some(state) = cx.graphics() else { return };
        let feature = "extendedDynamicState3TessellationDomainOrigin";
        let is_used = state.dynamic.has("TESSELLATION_DOMAIN_ORIGIN");
        into.when(
            is_used && cx.lacks(feature),
            format!("the dynamic domain origin needs the feature {feature}"),
        );
    }),
    (
        "VUID-VkGraphicsPipelineCreateInfo-primitiveFragmentShadingRateWithMultipleViewports-04503",
        |cx, into| {
            let count = cx.graphics().filter(|state| !state.dynamic.has("VIEWPORT_WITH_COUNT"));
            let has_several = count.and_then(|state| state.viewport_count).is_some_and(|count| count > 1);
            if has_several {
                rate_with_viewports(cx, into, None);
            }
        },
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-primitiveFragmentShadingRateWithMultipleViewports-04504",
        |cx, into| rate_with_viewports(cx, into, Some(BuiltIn::ViewportIndex)),
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-primitiveFragmentShadingRateWithMultipleViewports-04505",
        |cx, into| rate_with_viewports(cx, into, Some(BuiltIn::ViewportMaskNV)),
    ),
];

type Placed<'c> = Option<(usize, &'c PipelineStage<'c>)>;

/// The topology, where it cannot change to one of another class.
fn fixed_topology(cx: &Cx<'_>) -> Option<Topology> {
    let state = cx.graphics()?;
    let is_free =
        state.dynamic.has("PRIMITIVE_TOPOLOGY") && !cx.is_off("dynamicPrimitiveTopologyUnrestricted");
    state.topology.filter(|_| !is_free && state.parts.vertex_input && state.parts.pre_rasterization)
}

fn tessellated_points<'c>(cx: &Cx<'c>) -> Placed<'c> {
    let is_last = !cx.has(Model::Geometry);
    let found = cx.stage(Model::TessellationEvaluation).filter(|_| is_last);
    let is_points = |stage: &PipelineStage<'_>| mode(stage, Mode::PointMode).is_some();
    let control = cx.stage(Model::TessellationControl);
    found.filter(|(_, stage)| is_points(stage) || control.is_some_and(|(_, control)| is_points(control)))
}

fn geometry_points<'c>(cx: &Cx<'c>) -> Placed<'c> {
    cx.stage(Model::Geometry).filter(|(_, stage)| mode(stage, Mode::OutputPoints).is_some())
}

fn must_write_size(cx: &Cx<'_>, into: &mut Report<'_>, stage: Placed<'_>) {
    // With the feature, what is not written is one.
    let Some((place, stage)) = stage.filter(|_| cx.lacks("maintenance5")) else { return };
    if written(stage, BuiltIn::PointSize) == Written::Never {
        into.at(place, "points are drawn, but PointSize is not written, and maintenance5 is off");
    }
}

fn may_not_write_size(into: &mut Report<'_>, stage: Placed<'_>) {
    let Some((place, stage)) = stage else { return };
    if written(stage, BuiltIn::PointSize) == Written::Yes {
        let message = "PointSize is written, and the feature shaderTessellationAndGeometryPointSize is off";
        into.at(place, message);
    }
}

fn geometry_takes_topology(cx: &Cx<'_>, into: &mut Report<'_>) {
    let is_tessellated = cx.has(Model::TessellationControl) || cx.has(Model::TessellationEvaluation);
    let Some((place, geometry)) = cx.stage(Model::Geometry).filter(|_| !is_tessellated) else { return };
    let wanted = match fixed_topology(cx) {
        Some(Topology::Points) => Mode::InputPoints,
        Some(Topology::Lines) => Mode::InputLines,
        Some(Topology::Triangles) => Mode::Triangles,
        Some(Topology::LinesWithAdjacency) => Mode::InputLinesAdjacency,
        Some(Topology::TrianglesWithAdjacency) => Mode::InputTrianglesAdjacency,
        Some(Topology::Patches) | None => return,
    };
    if mode(geometry, wanted).is_none() {
        into.at(place, format!("the topology gives what {wanted:?} takes, the geometry shader takes others"));
    }
}

/// The built-ins whose streams must be the one that is rasterized.
const OF_VERTICES: [BuiltIn; 4] =
    [BuiltIn::Position, BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];

fn streams(cx: &Cx<'_>, into: &mut Report<'_>) {
    let Some(stream) = cx.graphics().map(|state| state.stream) else { return };
    let Some((place, stage)) = cx.stage(Model::Geometry) else { return };
    let module = stage.module();
    for found in &stage.interface.built_ins {
        if found.class != StorageClass::Output || !OF_VERTICES.contains(&found.built_in) {
            continue;
        }
        let of_member = found.member.and_then(|member| {
            let ty = block_type(stage, found.variable)?;
            module.member_decoration_literal(ty, member, Decoration::Stream)
        });
        let own = of_member.or_else(|| module.decoration_literal(found.variable, Decoration::Stream));
        let own = own.unwrap_or(0);
        if own != stream {
            let message =
                format!("{:?} is of stream {own}, but stream {stream} is rasterized", found.built_in);
            into.variable(place, found.variable, message);
            return;
        }
    }
}

/// The structure of a block, or of an array of them.
fn block_type(stage: &PipelineStage<'_>, variable: Id) -> Option<Id> {
    let ty = stage.module().global(variable)?.value_type?;
    match stage.module().ty(ty) {
        Type::Array { element, .. } => Some(element),
        _ => Some(ty),
    }
}

fn captures(cx: &Cx<'_>, into: &mut Report<'_>, message: &str) {
    let has =
        |stage: &PipelineStage<'_>| stage.model() != Model::Fragment && mode(stage, Mode::Xfb).is_some();
    if let Some(place) = cx.pipeline.stages.iter().position(has) {
        into.at(place, message);
    }
}

/// A graphics stage that declares that it enqueues.
fn enqueues(cx: &Cx<'_>) -> Option<usize> {
    let has = |stage: &PipelineStage<'_>| {
        stage.model() != Model::GLCompute && stage.module().has_capability(Capability::ShaderEnqueueAMDX)
    };
    cx.pipeline.stages.iter().position(has)
}

fn without_vertices(cx: &Cx<'_>, into: &mut Report<'_>, states: &[&str]) {
    let (Some(state), Some((place, _))) = (cx.graphics(), cx.stages_of(&MESH).next()) else { return };
    if let Some(found) = states.iter().find(|name| state.dynamic.has(name)) {
        into.at(place, format!("mesh shaders take no vertices, but {found} is dynamic"));
    }
}

fn rate_with_viewports(cx: &Cx<'_>, into: &mut Report<'_>, beside: Option<BuiltIn>) {
    if !cx.is_off("primitiveFragmentShadingRateWithMultipleViewports") {
        return;
    }
    for (place, stage) in cx.stages_of(&PRE_RASTERIZATION) {
        let writes = |built_in| output(stage, built_in) && written(stage, built_in) == Written::Yes;
        if writes(BuiltIn::PrimitiveShadingRateKHR) && beside.is_none_or(writes) {
            let what = beside.map_or_else(|| "several viewports".to_owned(), |found| format!("{found:?}"));
            into.at(
                place,
                format!(
                    "PrimitiveShadingRateKHR is written beside {what}, and the limit \
                     primitiveFragmentShadingRateWithMultipleViewports is off"
                ),
            );
        }
    }
}

/// Whether the code of a fragment shader has one of some opcodes.
pub(super) fn has_op(stage: &PipelineStage<'_>, ops: &[pyro_spirv::spirv::Op]) -> bool {
    code(stage).iter().any(|inst| ops.contains(&inst.op()))
}
