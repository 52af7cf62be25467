//! `VkGraphicsPipelineCreateInfo`: the subpass or dynamic rendering, its views and its input attachments.

use super::{Cx, GraphicsState, MESH, PRE_RASTERIZATION, Rendering, Report, Rule, Subpass, mode};
use pyro_interface::{Resource, ResourceKind};
use pyro_spirv::Type;
use pyro_spirv::spirv::{BuiltIn, Capability, ExecutionMode as Mode, ExecutionModel as Model};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06038", |cx, into| {
        each_input(cx, into, |subpass, resource| {
            let inputs = subpass.inputs.as_ref()?;
            let index = resource.input_attachment_index?;
            let is_unused = inputs.get(index as usize).is_none_or(Option::is_none);
            is_unused.then(|| format!("the subpass does not use input attachment {index}"))
        });
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-01565", |cx, into| {
        let Some((_, stage)) = cx.stage(Model::Fragment) else { return };
        let module = stage.module();
        each_input(cx, into, |subpass, resource| {
            let index = resource.input_attachment_index?;
            let input = (*subpass.inputs.as_ref()?.get(index as usize)?)?;
            // The other aspect of depth and stencil; colour is either way.
            let is_integer = matches!(module.ty(resource.image?.sampled_type), Type::Int { .. });
            let message = match (input.has_depth, input.has_stencil, is_integer) {
                (true, false, true) => "its aspect is depth, the shader reads integers",
                (false, true, false) => "its aspect is stencil, the shader reads floats",
                _ => return None,
            };
            Some(message.to_owned())
        });
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-rasterizationSamples-04899", |cx, into| {
        let Some((state, subpass)) = regions(cx) else { return };
        let samples = state.multisample.given().map(|found| found.samples);
        let is_dynamic = state.dynamic.has("RASTERIZATION_SAMPLES");
        let Some(samples) = samples.filter(|_| !is_dynamic) else { return };
        for input in subpass.inputs.iter().flatten().flatten().filter(|input| input.samples != 0) {
            let found = input.samples;
            into.when(
                found != samples,
                format!("an input attachment has {found} samples, rasterizationSamples is {samples}"),
            );
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-sampleShadingEnable-04900", |cx, into| {
        let shades = regions(cx).and_then(|(state, _)| state.multisample.given().copied());
        into.when(
            shades.is_some_and(|found| found.has_sample_shading),
            "sampleShadingEnable is on where the subpass shades regions of fragments",
        );
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06047", |cx, into| {
        with_views(cx, into, true, &TESSELLATION, "multiviewTessellationShader");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06057", |cx, into| {
        with_views(cx, into, false, &TESSELLATION, "multiviewTessellationShader");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06048", |cx, into| {
        with_views(cx, into, true, &[Model::Geometry], "multiviewGeometryShader");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06058", |cx, into| {
        with_views(cx, into, false, &[Model::Geometry], "multiviewGeometryShader");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-07064", |cx, into| {
        with_views(cx, into, true, &[Model::MeshEXT], "multiviewMeshShader");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-07720", |cx, into| {
        with_views(cx, into, false, &[Model::MeshEXT], "multiviewMeshShader");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06050", |cx, into| layer_with_views(cx, into, true)),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06059", |cx, into| layer_with_views(cx, into, false)),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-12325", |cx, into| mesh_views(cx, into, true)),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-12326", |cx, into| mesh_views(cx, into, false)),
    ("VUID-VkGraphicsPipelineCreateInfo-dynamicRendering-06576", |cx, into| {
        let has = dynamic(cx).is_some() && cx.lacks("dynamicRendering");
        into.when(has, "there is no render pass, and the feature dynamicRendering is off");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-multiview-06577", |cx, into| {
        let has = dynamic(cx).is_some_and(|found| found.view_mask != 0) && cx.lacks("multiview");
        into.when(has, "there is a view mask, and the feature multiview is off");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06578", |cx, into| {
        if let Some(found) = dynamic(cx) {
            views_below(cx, into, found.view_mask, "maxMultiviewViewCount");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09028", |cx, into| {
        depth_stencil_given(cx, into, |state, found| {
            state.parts.fragment_shader && found.subpass.is_some() && found.has_depth_stencil
        });
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09033", |cx, into| {
        depth_stencil_given(cx, into, |state, found| {
            let is_whole = state.parts.fragment_shader && state.parts.fragment_output;
            is_whole && found.subpass.is_none() && found.has_depth_stencil
        });
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09035", |cx, into| {
        depth_stencil_given(cx, into, |state, found| {
            let is_part = state.parts.fragment_shader && !state.parts.fragment_output;
            is_part && found.subpass.is_none()
        });
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06061", |cx, into| {
        if let Some((place, stage)) = cx.stage(Model::Fragment).filter(|_| dynamic(cx).is_some())
            && cx.lacks("dynamicRenderingLocalRead")
            && stage.module().has_capability(Capability::InputAttachment)
        {
            into.at(place, "it declares InputAttachment, and dynamicRenderingLocalRead is off");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-08710", |cx, into| {
        const READS: [Capability; 3] = [
            Capability::TileImageColorReadAccessEXT,
            Capability::TileImageDepthReadAccessEXT,
            Capability::TileImageStencilReadAccessEXT,
        ];
        let Some((place, stage)) = cx.stage(Model::Fragment).filter(|_| subpass(cx).is_some()) else {
            return;
        };
        if let Some(found) = READS.iter().find(|read| stage.module().has_capability(**read)) {
            into.at(place, format!("it declares {found:?}, which is for dynamic rendering only"));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09528", |cx, into| {
        ordered(cx, into, "depth", |state| state.has_ordered_depth, |subpass| subpass.has_ordered_depth);
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09529", |cx, into| {
        ordered(
            cx,
            into,
            "stencil",
            |state| state.has_ordered_stencil,
            |subpass| subpass.has_ordered_stencil,
        );
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-06595", |cx, into| {
        let attributes = cx.graphics().and_then(|state| state.per_view_attributes);
        let has = dynamic(cx).is_some() && attributes == Some((false, true));
        into.when(has, "perViewAttributesPositionXOnly is on without perViewAttributes");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-externalFormatResolve-09308", |cx, into| {
        if external(cx, false) {
            rate_with_external(cx, into);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-externalFormatResolve-09317", |cx, into| {
        if external(cx, true) {
            rate_with_external(cx, into);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-externalFormatResolve-09310", |cx, into| {
        let Some((place, stage)) = cx.stage(Model::Fragment).filter(|_| external(cx, false)) else { return };
        let modes = [Mode::DepthReplacing, Mode::StencilRefReplacingEXT];
        if let Some(found) = modes.into_iter().find(|found| mode(stage, *found).is_some()) {
            into.at(place, format!("it has {found:?} where an external format is rendered to"));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09531", |cx, into| {
        let Some(count) = local_read_colors(cx) else { return };
        if let Some(info) = &cx.info.input_indices {
            let found = info.count;
            into.when(
                found != count,
                format!("there are input indices for {found} colour attachments, of which there are {count}"),
            );
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderPass-09652", |cx, into| {
        let Some(count) = local_read_colors(cx).filter(|_| cx.info.input_indices.is_none()) else { return };
        let Some((place, stage)) = cx.stage(Model::Fragment) else { return };
        for resource in inputs(&stage.interface.resources) {
            if let Some(index) = resource.input_attachment_index.filter(|index| *index >= count) {
                let name = resource.label();
                let message = format!("{name} reads input attachment {index} of {count} colour attachments");
                into.variable(place, resource.variable, message);
            }
        }
    }),
];

const TESSELLATION: [Model; 2] = [Model::TessellationControl, Model::TessellationEvaluation];

fn rendering<'c>(cx: &Cx<'c>) -> Option<&'c Rendering> {
    cx.graphics()?.rendering.as_ref()
}

fn subpass<'c>(cx: &Cx<'c>) -> Option<&'c Subpass> {
    rendering(cx)?.subpass.as_ref()
}

/// Dynamic rendering, when it is that.
fn dynamic<'c>(cx: &Cx<'c>) -> Option<&'c Rendering> {
    rendering(cx).filter(|found| found.subpass.is_none())
}

fn inputs(resources: &[Resource]) -> impl Iterator<Item = &Resource> {
    resources.iter().filter(|resource| resource.kind == ResourceKind::InputAttachment)
}

/// Looks at each input attachment that the fragment shader uses.
fn each_input(cx: &Cx<'_>, into: &mut Report<'_>, misfit: impl Fn(&Subpass, &Resource) -> Option<String>) {
    let (Some(subpass), Some((place, stage))) = (subpass(cx), cx.stage(Model::Fragment)) else { return };
    for resource in inputs(&stage.interface.resources) {
        if let Some(message) = misfit(subpass, resource) {
            into.variable(place, resource.variable, format!("{} is read: {message}", resource.label()));
        }
    }
}

/// The state and the subpass, where it shades regions of fragments.
fn regions<'c>(cx: &Cx<'c>) -> Option<(&'c GraphicsState, &'c Subpass)> {
    Some((cx.graphics()?, subpass(cx).filter(|subpass| subpass.shades_regions)?))
}

/// The view mask, of a subpass or of dynamic rendering; none without multiview.
fn views(cx: &Cx<'_>, of_subpass: bool) -> Option<u32> {
    let found = rendering(cx).filter(|found| found.subpass.is_some() == of_subpass)?;
    Some(found.view_mask).filter(|mask| *mask != 0)
}

fn with_views(cx: &Cx<'_>, into: &mut Report<'_>, of_subpass: bool, models: &[Model], feature: &str) {
    if views(cx, of_subpass).is_some()
        && cx.lacks(feature)
        && let Some((place, stage)) = cx.stages_of(models).next()
    {
        let message =
            format!("there are several views, and {feature} is off for {:?} shaders", stage.model());
        into.at(place, message);
    }
}

fn layer_with_views(cx: &Cx<'_>, into: &mut Report<'_>, of_subpass: bool) {
    if views(cx, of_subpass).is_none() {
        return;
    }
    for (place, stage) in cx.pipeline.stages.iter().enumerate() {
        let mut built_ins = stage.interface.built_ins.iter();
        if let Some(layer) = built_ins.find(|found| found.built_in == BuiltIn::Layer) {
            into.variable(place, layer.variable, "it has Layer, where there are several views");
        }
    }
}

fn mesh_views(cx: &Cx<'_>, into: &mut Report<'_>, of_subpass: bool) {
    if let Some(mask) = views(cx, of_subpass).filter(|_| cx.stages_of(&MESH).next().is_some()) {
        views_below(cx, into, mask, "maxMeshMultiviewViewCount");
    }
}

fn views_below(cx: &Cx<'_>, into: &mut Report<'_>, mask: u32, name: &str) {
    let count = 32 - mask.leading_zeros();
    if let Some(most) = cx.limit(name).filter(|most| u64::from(count) > *most) {
        into.whole(format!("the view mask has view {}, the limit {name} is {most}", count - 1));
    }
}

fn depth_stencil_given(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    is_needed: impl Fn(&GraphicsState, &Rendering) -> bool,
) {
    const STATES: [&str; 7] = [
        "DEPTH_TEST_ENABLE",
        "DEPTH_WRITE_ENABLE",
        "DEPTH_COMPARE_OP",
        "DEPTH_BOUNDS_TEST_ENABLE",
        "STENCIL_TEST_ENABLE",
        "STENCIL_OP",
        "DEPTH_BOUNDS",
    ];
    let (Some(state), Some(found)) = (cx.graphics(), rendering(cx)) else { return };
    let is_dynamic =
        cx.device.has_extension("VK_EXT_extended_dynamic_state3") && state.dynamic.has_all(&STATES);
    let is_missing = state.depth_stencil.is_null() && !is_dynamic && !state.discards;
    into.when(
        is_missing && is_needed(state, found),
        "there is no depth-stencil state, nor is all of it dynamic",
    );
}

fn ordered(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    what: &str,
    of_state: impl Fn(&super::DepthStencil) -> bool,
    of_subpass: impl Fn(&Subpass) -> bool,
) {
    let state = cx.graphics().and_then(|state| state.depth_stencil.given());
    let (Some(state), Some(subpass)) = (state, subpass(cx)) else { return };
    into.when(
        of_state(state) && !of_subpass(subpass),
        format!("{what} is accessed in the order of rasterization, the subpass does not say so"),
    );
}

fn external(cx: &Cx<'_>, of_subpass: bool) -> bool {
    !cx.lacks("externalFormatResolve")
        && rendering(cx)
            .is_some_and(|found| found.has_external_format && found.subpass.is_some() == of_subpass)
}

fn rate_with_external(cx: &Cx<'_>, into: &mut Report<'_>) {
    let last = cx
        .stages_of(&PRE_RASTERIZATION)
        .max_by_key(|(_, stage)| PRE_RASTERIZATION.iter().position(|model| *model == stage.model()));
    let Some((place, stage)) = last else { return };
    let mut built_ins = stage.interface.built_ins.iter();
    if let Some(rate) = built_ins.find(|found| found.built_in == BuiltIn::PrimitiveShadingRateKHR) {
        let message = "it has PrimitiveShadingRateKHR where an external format is rendered to";
        into.variable(place, rate.variable, message);
    }
}

/// How many colour attachments dynamic rendering has, where one create-info has both the shader and the
/// output.
fn local_read_colors(cx: &Cx<'_>) -> Option<u32> {
    let parts = cx.graphics()?.parts;
    dynamic(cx)?.color_count.filter(|_| parts.fragment_shader && parts.fragment_output)
}
