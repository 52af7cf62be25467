//! `VkGraphicsPipelineCreateInfo`: rasterization, multisample and depth-stencil state against the fragment
//! shader, and which parts a library has or takes from others.

use super::stages::has_op;
use super::{Cx, DepthStencil, Multisample, Parts, Report, Rule, mode};
use pyro_interface::pipeline::{Binding, PipelineLayout, PipelineStage, PushConstantRange};
use pyro_spirv::spirv::{Capability, ExecutionMode as Mode, ExecutionModel as Model, GlslStd450Op, Op};

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkGraphicsPipelineCreateInfo-alphaToCoverageEnable-08891", alpha_is_written),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-02510", |cx, into| {
        let dynamic = cx.graphics().is_some_and(|state| state.dynamic.has("DEPTH_BOUNDS"));
        let bounds = depth_stencil(cx).and_then(|state| state.bounds).filter(|_| !dynamic);
        let is_free = cx.device.names_extensions()
            && cx.device.has_extension("VK_EXT_depth_range_unrestricted")
            || !cx.device.names_extensions();
        let Some((least, most)) = bounds.filter(|_| !is_free) else { return };
        let is_fine = (0.0..=1.0).contains(&least) && (0.0..=1.0).contains(&most);
        into.when(!is_fine, format!("the depth bounds {least} to {most} are not between 0 and 1"));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-10913", |cx, into| {
        let dynamic = cx.graphics().is_some_and(|state| state.dynamic.has("DEPTH_BOUNDS"));
        let bounds = depth_stencil(cx).and_then(|state| state.bounds).filter(|_| !dynamic);
        let Some((least, most)) = bounds else { return };
        into.when(least > most, format!("minDepthBounds {least} is above maxDepthBounds {most}"));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07612", |cx, into| {
        let Some((state, found)) = multisample(cx) else { return };
        let is_dynamic = state.dynamic.has("RASTERIZATION_SAMPLES") || state.dynamic.has("SAMPLE_LOCATIONS");
        let Some(count) = found.location_count.filter(|_| !is_dynamic) else { return };
        let samples = found.samples;
        into.when(
            count != samples,
            format!("there are {count} sample locations for each pixel, and {samples} samples"),
        );
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-sampleLocationsEnable-01524", |cx, into| {
        let has = multisample(cx).is_some_and(|(_, found)| found.location_count.is_some());
        if let Some((place, stage)) = cx.stage(Model::Fragment).filter(|_| has)
            && interpolates_at_sample(stage)
        {
            into.at(place, "InterpolateAtSample is used where sample locations are the pipeline's own");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-lineRasterizationMode-02766", |cx, into| {
        let Some((state, found)) = multisample(cx) else { return };
        if !state.has_bresenham_or_smooth_lines {
            return;
        }
        let states = [
            (found.has_alpha_to_coverage, "alphaToCoverageEnable"),
            (found.has_alpha_to_one, "alphaToOneEnable"),
            (found.has_sample_shading, "sampleShadingEnable"),
        ];
        for (_, name) in states.iter().filter(|(is_on, _)| *is_on) {
            into.whole(format!("lines are Bresenham's or smooth, but {name} is on"));
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-renderpass-06631", |cx, into| {
        let has = cx.graphics().and_then(|state| state.rendering.as_ref());
        if has.is_some_and(|found| found.subpass.is_some()) && lacks_multisample(cx) {
            into.whole("there is no multisample state for the fragment shader, and not all of it is dynamic");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-Input-06632", |cx, into| {
        let Some((place, stage)) = cx.stage(Model::Fragment) else { return };
        let is_sampled = stage.interface.inputs.iter().any(|input| input.interpolation.sample);
        let shades = is_sampled || stage.module().has_capability(Capability::SampleRateShading);
        if shades && lacks_multisample(cx) {
            into.at(place, "it shades samples, but there is no multisample state, nor is all of it dynamic");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-06591", |cx, into| {
        let has = depth_stencil(cx).is_some_and(|found| found.has_ordered_depth || found.has_ordered_stencil);
        if let Some((place, stage)) = cx.stage(Model::Fragment).filter(|_| has)
            && mode(stage, Mode::EarlyFragmentTests).is_some()
        {
            into.at(place, "it tests early, but depth or stencil are accessed in the order of rasterization");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-08711", |cx, into| {
        let writes = depth_stencil(cx).is_some_and(|found| found.writes_depth);
        reads_early(cx, into, writes, "DEPTH_WRITE_ENABLE", Op::DepthAttachmentReadEXT, "depth");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-08712", |cx, into| {
        let writes = depth_stencil(cx).is_some_and(|found| found.stencil_write_mask != 0);
        reads_early(cx, into, writes, "STENCIL_WRITE_MASK", Op::StencilAttachmentReadEXT, "stencil");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pStages-08894", |cx, into| {
        if !has_libraries(cx) {
            vertex_input_given(cx, into);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-08897", |cx, into| {
        if has_libraries(cx) && cx.info.flags.has("LIBRARY") {
            vertex_input_given(cx, into);
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-08899", |cx, into| {
        let Some(state) = cx.graphics().filter(|_| has_libraries(cx) && !cx.info.flags.has("LIBRARY")) else {
            return;
        };
        vertex_input_given(cx, into);
        let has = state.parts.vertex_input || state.linked.vertex_input;
        if let Some((place, _)) = cx.stage(Model::Vertex).filter(|_| !has) {
            into.at(place, "neither the pipeline nor a linked library has vertex input state");
        }
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-08909", |cx, into| {
        let Some(state) = cx.graphics() else { return };
        let is_whole = has_libraries(cx) && !cx.info.flags.has("LIBRARY");
        let has_shaders = state.parts.pre_rasterization || state.linked.pre_rasterization;
        let rasterizes = !state.discards || state.dynamic.has("RASTERIZER_DISCARD_ENABLE");
        if !(is_whole && has_shaders && rasterizes) {
            return;
        }
        let shader = state.parts.fragment_shader || state.linked.fragment_shader;
        into.when(!shader, "neither the pipeline nor a linked library has fragment shader state");
        let output = state.parts.fragment_output || state.linked.fragment_output;
        into.when(!output, "neither the pipeline nor a linked library has fragment output state");
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-06618", |cx, into| {
        with_library(cx, |own, other| same_bindings(into, own, other));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pLibraries-06619", |cx, into| {
        between_libraries(cx, |own, other| same_bindings(into, own, other));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-flags-06620", |cx, into| {
        with_library(cx, |own, other| same_ranges(into, own, other));
    }),
    ("VUID-VkGraphicsPipelineCreateInfo-pLibraries-06621", |cx, into| {
        between_libraries(cx, |own, other| same_ranges(into, own, other));
    }),
];

fn depth_stencil<'c>(cx: &Cx<'c>) -> Option<&'c DepthStencil> {
    cx.graphics()?.depth_stencil.given()
}

fn multisample<'c>(cx: &Cx<'c>) -> Option<(&'c super::GraphicsState, &'c Multisample)> {
    let state = cx.graphics()?;
    Some((state, state.multisample.given()?))
}

fn has_libraries(cx: &Cx<'_>) -> bool {
    cx.device.has_extension("VK_EXT_graphics_pipeline_library")
}

fn alpha_is_written(cx: &Cx<'_>, into: &mut Report<'_>) {
    let Some((state, found)) = multisample(cx) else { return };
    let is_dynamic = state.dynamic.has("ALPHA_TO_COVERAGE_ENABLE");
    let rasterizes = !state.discards && state.parts.fragment_shader;
    if !found.has_alpha_to_coverage || is_dynamic || !rasterizes {
        return;
    }
    let Some((place, stage)) = cx.stage(Model::Fragment) else { return };
    let is_alpha = |output: &pyro_interface::Variable| {
        output.index == 0
            && output.leaves.iter().any(|leaf| leaf.location == 0 && leaf.words().any(|word| word == 3))
    };
    if !stage.interface.outputs.iter().any(is_alpha) {
        into.at(place, "alpha becomes coverage, but the shader has no output for alpha at location 0");
    }
}

fn interpolates_at_sample(stage: &PipelineStage<'_>) -> bool {
    let is_it = |inst: &pyro_spirv::Instruction<'_>| {
        inst.ext_inst().is_some_and(|(set, number)| {
            set == pyro_spirv::ExtInstSet::GlslStd450 && number == GlslStd450Op::InterpolateAtSample as u32
        })
    };
    super::written::code(stage).iter().any(is_it)
}

/// Whether multisample state is missing where nothing takes its place.
fn lacks_multisample(cx: &Cx<'_>) -> bool {
    let Some(state) = cx.graphics().filter(|state| state.parts.fragment_shader) else { return false };
    let mut needed = vec!["RASTERIZATION_SAMPLES", "SAMPLE_MASK", "ALPHA_TO_COVERAGE_ENABLE"];
    if !cx.lacks("alphaToOne") {
        needed.push("ALPHA_TO_ONE_ENABLE");
    }
    state.multisample.is_null() && !state.discards && !state.dynamic.has_all(&needed)
}

fn reads_early(cx: &Cx<'_>, into: &mut Report<'_>, writes: bool, dynamic: &str, op: Op, what: &str) {
    let is_dynamic = cx.graphics().is_some_and(|state| state.dynamic.has(dynamic));
    let Some((place, stage)) = cx.stage(Model::Fragment).filter(|_| writes && !is_dynamic) else { return };
    if mode(stage, Mode::EarlyFragmentTests).is_some() && has_op(stage, &[op]) {
        into.at(place, format!("it tests early and reads {what}, which the pipeline writes"));
    }
}

fn vertex_input_given(cx: &Cx<'_>, into: &mut Report<'_>) {
    let Some(state) = cx.graphics().filter(|state| state.parts.vertex_input) else { return };
    let is_missing = state.vertex_input.is_null() && !state.dynamic.has("VERTEX_INPUT");
    if let Some((place, _)) = cx.stage(Model::Vertex).filter(|_| is_missing) {
        into.at(place, "there is a vertex shader, but no vertex input state");
    }
}

type Layouts<'l> = (&'l PipelineLayout, &'l PipelineLayout);

/// Looks at the layouts of this pipeline and of a linked library, where one has the shaders before
/// rasterization and the other the fragment shader.
fn with_library(cx: &Cx<'_>, mut look: impl FnMut(&PipelineLayout, &PipelineLayout)) {
    let (Some(state), Some(own)) = (cx.graphics(), &cx.pipeline.layout) else { return };
    let split = |parts: Parts| (parts.pre_rasterization, parts.fragment_shader);
    for library in &state.libraries {
        if let ((true, false), (false, true)) | ((false, true), (true, false)) =
            (split(state.parts), split(library.parts))
        {
            look(own, &library.layout);
        }
    }
}

/// The same for two libraries.
fn between_libraries(cx: &Cx<'_>, mut look: impl FnMut(&PipelineLayout, &PipelineLayout)) {
    let Some(state) = cx.graphics() else { return };
    let mut vertex = state.libraries.iter().filter(|library| library.parts.pre_rasterization);
    let mut fragment = state.libraries.iter().filter(|library| library.parts.fragment_shader);
    if let (Some(one), Some(other)) = (vertex.next(), fragment.next())
        && !std::ptr::eq(one, other)
    {
        let (one, other): Layouts<'_> = (&one.layout, &other.layout);
        look(one, other);
    }
}

/// Whether a binding or range is for stages of both sides of rasterization.
fn is_for_both(stages: Option<&Vec<Model>>) -> bool {
    stages.is_none_or(|stages| {
        let has_before = stages.iter().any(|model| super::PRE_RASTERIZATION.contains(model));
        has_before && stages.contains(&Model::Fragment)
    })
}

fn same_bindings(into: &mut Report<'_>, one: &PipelineLayout, other: &PipelineLayout) {
    let shared = |binding: &&Binding| is_for_both(binding.stages.as_ref());
    let mut sets: Vec<u32> = one.bindings.iter().filter(shared).map(|binding| binding.set).collect();
    sets.dedup();
    for set in sets.into_iter().filter(|set| other.bindings.iter().any(|binding| binding.set == *set)) {
        let of = |layout: &PipelineLayout| {
            let mut bindings: Vec<Binding> =
                layout.bindings.iter().filter(|binding| binding.set == set).cloned().collect();
            bindings.sort_by_key(|binding| binding.binding);
            bindings
        };
        if of(one) != of(other) {
            into.whole(format!("the layouts of the parts of the pipeline define set {set} differently"));
            return;
        }
    }
}

fn same_ranges(into: &mut Report<'_>, one: &PipelineLayout, other: &PipelineLayout) {
    let of = |layout: &PipelineLayout| {
        let shared = |range: &&PushConstantRange| is_for_both(range.stages.as_ref());
        let mut ranges: Vec<(u32, u32)> =
            layout.push_constants.iter().filter(shared).map(|range| (range.offset, range.size)).collect();
        ranges.sort_unstable();
        ranges
    };
    let (one, other) = (of(one), of(other));
    if !one.is_empty() && !other.is_empty() && one != other {
        into.whole("the layouts of the parts of the pipeline define push constants differently");
    }
}
