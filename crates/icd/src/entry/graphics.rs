//! Graphics pipelines: from create infos to the driver's state.

use crate::call::messages;
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::execution_graph::node_name;
use crate::entry::pipeline::{create_flags, old_flags, replaced, shader_options, shader_stages};
use crate::entry::state::{
    attachment_locations, clamp_range, coarse_sample_order, combiner, depth_bias_unit, palettes,
    rate_of_enum, sample_locations,
};
use crate::entry::tools;
use crate::handle;
use crate::pointers::{Chain, In, Slice};
use pyro_abi::graphics::{DISCARD_RECTANGLES_MAX, Rate};
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::device::Device;
use pyro_driver::graphics::{
    AdvancedBlend, COLOR_ATTACHMENTS_MAX, ColorBlend, CoverageModulationTable, DepthBias, DeviceDefaults,
    DynamicStates, GraphicsLibrary, GraphicsPipeline, GraphicsState, Parts, StencilFace, TargetFormats,
    TargetSamples, VertexAttribute, VertexBinding, parts_of, sample_count,
};
use pyro_driver::limits::{EXECUTION_SET_COUNT_MAX, VIEWPORTS_MAX};
use pyro_driver::pipeline::{CreationFeedback, Pipeline, PipelineKind, PipelineLayout};
use pyro_driver::render_pass::{RateSource, RateTexels, RenderPass};
use pyro_driver::strict;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use std::time::Instant;
use vulkanalia_sys::{self as vk, Handle};

type Info<'call> = In<'call, vk::GraphicsPipelineCreateInfo>;
type Stages<'call> = Slice<'call, vk::PipelineShaderStageCreateInfo>;

/// The stages of a pipeline that has some with shaders.
fn stages(info: Info<'_>) -> Stages<'_> {
    // SAFETY: `pStages` is a valid pointer in pipelines and libraries with shaders
    // (VUID-VkGraphicsPipelineCreateInfo-pStages-06600, VUID-VkGraphicsPipelineCreateInfo-flags-06640), for
    // which this is called.
    unsafe { info.stages() }
}

/// Makes one pipeline, or parts of one.
pub(crate) fn graphics_pipeline(
    device: &Device,
    info: Info<'_>,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    let start = Instant::now();
    let binaries = Binaries::of(info.chain())?;
    let mut whole = linked(device, info, &binaries)?;
    let captured = captures_data(info.chain()).then(|| Captured::new(&whole.stages));
    let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
    let (kind, feedback) = if whole.flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR) {
        whole.resolve(cache)?;
        let feedback = CreationFeedback { cache_hit: false, duration: start.elapsed() };
        (PipelineKind::Library(Arc::new(whole)), feedback)
    } else {
        let made_from = whole.complete()?;
        strict::check_graphics(&made_from, &messages::finding);
        let (pipeline, mut feedback) =
            device.make::<GraphicsPipeline>(made_from, |info| GraphicsPipeline::new(info, cache, device))?;
        // Binaries are no cache.
        feedback.cache_hit &= binaries.artifacts().is_none();
        (PipelineKind::Graphics(pipeline), feedback)
    };
    let groups = match &kind {
        PipelineKind::Graphics(pipeline) => shader_groups(device, info, cache, pipeline)?,
        _ => Vec::new(),
    };
    tools::feed_back(info.chain(), feedback);
    Ok(Pipeline::new(kind, captured).with_groups(groups))
}

/// The shader groups of a pipeline, of which the first is itself; none where it is made without some.
///
/// # Errors
/// When there are none or too many, or one cannot be made.
fn shader_groups(
    device: &Device,
    info: Info<'_>,
    cache: Option<&PipelineCache>,
    own: &Arc<GraphicsPipeline>,
) -> Result<Vec<Arc<GraphicsPipeline>>> {
    let Some(groups) = info.find::<vk::GraphicsPipelineShaderGroupsCreateInfoNV>() else {
        return Ok(Vec::new());
    };
    let mut made = vec![Arc::clone(own)];
    for group in groups.groups().into_iter().skip(1) {
        let pipeline = info.with_group(group, |info| {
            let made_from = linked(device, info, &Binaries::default())?.complete()?;
            strict::check_graphics(&made_from, &messages::finding);
            device.make::<GraphicsPipeline>(made_from, |info| GraphicsPipeline::new(info, cache, device))
        })?;
        made.push(pipeline.0);
    }
    for pipeline in groups.pipelines().iter() {
        made.extend(handle::get::<Pipeline>(pipeline.as_raw())?.groups());
    }
    if groups.groups().is_empty() || made.len() > EXECUTION_SET_COUNT_MAX as usize {
        return Err(Error::misuse(
            "no shader groups, or more than maxGraphicsShaderGroupCount \
             (VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-groupCount-02879, \
             VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-groupCount-02880)",
        ));
    }
    Ok(made)
}

/// All parts that a pipeline is made from: those of libraries, and its own.
pub(crate) fn linked(device: &Device, info: Info<'_>, binaries: &Binaries) -> Result<GraphicsLibrary> {
    let libraries = info.find::<vk::PipelineLibraryCreateInfoKHR>();
    let libraries = libraries.map_or(Slice::empty(), |info| info.libraries());
    let own = match info.find::<vk::GraphicsPipelineLibraryCreateInfoEXT>() {
        Some(parts) => parts.flags,
        None if libraries.is_empty() => Parts::all(),
        None => Parts::empty(),
    };
    let mut whole = GraphicsLibrary::empty();
    let libraries = libraries.iter().map(|library| {
        let pipeline = handle::get::<Pipeline>(library.as_raw())?;
        match &pipeline.kind {
            PipelineKind::Library(library) => Ok(Arc::clone(library)),
            _ => Err(Error::misuse(
                "a linked pipeline is not a pipeline library (VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381)",
            )),
        }
    });
    let libraries = libraries.collect::<Result<Vec<_>>>()?;
    let discards = libraries.iter().any(|library| {
        library.parts.contains(Parts::PRE_RASTERIZATION_SHADERS)
            && library.state.rasterizer_discard
            && !library.dynamic.contains(vk::DynamicState::RASTERIZER_DISCARD_ENABLE)
    });
    for library in &libraries {
        whole.link(library)?;
    }
    for stage in &mut whole.stages {
        stage.module = replaced(device, Arc::clone(&stage.module))?;
    }
    if !own.is_empty() {
        let mut own = parts(device, info, own, discards, binaries)?;
        DeviceDefaults::new(device.extensions()).apply(&mut own.state);
        whole.link(&own)?;
    }
    if let Some(layout) = crate::call::get_or_report(info.layout.as_raw()) {
        whole.layout = Some(layout);
    }
    let flags = create_flags(info.chain(), info.flags);
    whole.flags = old_flags(flags);
    if flags.contains(vk::PipelineCreateFlags2::EXECUTION_GRAPH_AMDX) {
        let has_stages = own.contains(Parts::PRE_RASTERIZATION_SHADERS);
        let stages = if has_stages { stages(info) } else { Slice::empty() };
        let mesh = stages.into_iter().find(|stage| stage.stage == vk::ShaderStageFlags::MESH_EXT);
        match mesh {
            Some(mesh) => whole.node = Some(node_name(mesh)?),
            // That of the library which has the shader.
            None => drop(whole.node.get_or_insert_default()),
        }
    }
    Ok(whole)
}

/// The stages and the state of some parts. Pointers to the state of others may be wild.
fn parts(
    device: &Device,
    info: Info<'_>,
    parts: Parts,
    discards: bool,
    binaries: &Binaries,
) -> Result<GraphicsLibrary> {
    let has = |part: Parts| parts.contains(part);
    let [before, fragment, output] =
        [Parts::PRE_RASTERIZATION_SHADERS, Parts::FRAGMENT_SHADER, Parts::FRAGMENT_OUTPUT_INTERFACE].map(has);
    let dynamic = info.dynamic_state().map_or(Slice::empty(), |dynamic| dynamic.dynamic_states());
    let dynamic = DynamicStates::new(&dynamic).filter(|state| parts_of(state).intersects(parts));
    let mut state = GraphicsState::default();
    // Beside mesh shaders pointers to this state may be wild.
    let all_stages = if before || fragment { stages(info) } else { Slice::empty() };
    let is_mesh =
        before && all_stages.iter().any(|stage| stage.stage.contains(vk::ShaderStageFlags::MESH_EXT));
    if has(Parts::VERTEX_INPUT_INTERFACE) && !is_mesh {
        vertex_input(info, &dynamic, &mut state);
    }
    if before {
        tessellation(info, all_stages, &dynamic, &mut state);
    }
    let discards = discards || (before && rasterization(info, &mut state));
    let no_fragments = discards && !dynamic.contains(vk::DynamicState::RASTERIZER_DISCARD_ENABLE);
    if before && !no_fragments {
        viewport_state(info, &dynamic, &mut state);
        if let Some(one) = info.find::<vk::PipelineFragmentShadingRateStateCreateInfoKHR>() {
            let size = one.fragment_size;
            state.fragment_size = Rate::from_size(size.width, size.height);
            state.rate_combiners = one.combiner_ops.map(combiner);
        }
        if let Some(one) = info.find::<vk::PipelineFragmentShadingRateEnumStateCreateInfoNV>()
            && one.shading_rate_type == vk::FragmentShadingRateTypeNV::ENUMS
        {
            state.fragment_size = rate_of_enum(one.shading_rate);
            state.rate_combiners = one.combiner_ops.map(combiner);
        }
        discard_rectangles(info, &dynamic, &mut state);
    }
    let mut has_sample_shading = false;
    if (fragment || output) && !no_fragments {
        has_sample_shading = multisample_state(info, &dynamic, &mut state) && fragment;
    }
    let (formats, [colors, depth_stencil]) = target_formats(info, output)?;
    // Without the output's part the formats of dynamic rendering are not known yet.
    let unknown = !output && crate::call::get_or_report::<RenderPass>(info.render_pass.as_raw()).is_none();
    if fragment && !no_fragments && (depth_stencil || unknown) {
        depth_stencil_state(info, &mut state);
    }
    if output && !no_fragments && colors {
        blend_state(info, &mut state);
    }
    let stages = all_stages
        .into_iter()
        .filter(|stage| if stage.stage == vk::ShaderStageFlags::FRAGMENT { fragment } else { before });
    let options = shader_options(create_flags(info.chain(), info.flags));
    let stages = shader_stages(device, stages, &options, binaries)?;
    let locations = info.find::<vk::RenderingAttachmentLocationInfo>().filter(|_| output);
    let locations = attachment_locations(locations);
    let layout = match before || fragment {
        true if options.heap.is_some() => Some(Arc::new(PipelineLayout::for_heaps(&stages))),
        true => crate::call::get_or_report(info.layout.as_raw()),
        false => None,
    };
    let flags = vk::PipelineCreateFlags::empty();
    Ok(GraphicsLibrary {
        parts,
        flags,
        stages,
        state,
        dynamic,
        layout,
        formats,
        locations,
        has_sample_shading,
        node: None,
    })
}

fn vertex_input(info: Info<'_>, dynamic: &DynamicStates, state: &mut GraphicsState) {
    let has_input = !dynamic.contains(vk::DynamicState::VERTEX_INPUT_EXT);
    // SAFETY: the state is this pipeline's and is not dynamic
    // (VUID-VkGraphicsPipelineCreateInfo-pVertexInputState-04910).
    if let Some(input) = has_input.then(|| unsafe { info.vertex_input_state() }).flatten() {
        let divisors = input.find::<vk::PipelineVertexInputDivisorStateCreateInfo>();
        let divisors = divisors.map_or(Slice::empty(), |divisors| divisors.vertex_binding_divisors());
        let bindings = input.vertex_binding_descriptions();
        state.vertex_input.bindings = bindings
            .iter()
            .map(|binding| VertexBinding {
                binding: binding.binding,
                stride: binding.stride,
                per_instance: binding.input_rate == vk::VertexInputRate::INSTANCE,
                divisor: divisors
                    .iter()
                    .find(|divisor| divisor.binding == binding.binding)
                    .map_or(1, |divisor| divisor.divisor),
            })
            .collect();
        state.vertex_input.attributes = input
            .vertex_attribute_descriptions()
            .iter()
            .map(|attribute| VertexAttribute {
                location: attribute.location,
                binding: attribute.binding,
                format: attribute.format,
                offset: attribute.offset,
            })
            .collect();
    }
    // SAFETY: the pipeline has the vertex input's part and no mesh shaders, so it is null or valid
    // (VUID-VkGraphicsPipelineCreateInfo-pStages-02098).
    if let Some(assembly) = unsafe { info.input_assembly_state() } {
        state.topology = assembly.topology;
        state.primitive_restart = assembly.primitive_restart_enable != 0;
    }
}

/// Patches. Without tessellation shaders the pointer may be wild.
fn tessellation(info: Info<'_>, stages: Stages<'_>, dynamic: &DynamicStates, state: &mut GraphicsState) {
    let is_control =
        |stage: &vk::PipelineShaderStageCreateInfo| stage.stage == vk::ShaderStageFlags::TESSELLATION_CONTROL;
    if !stages.iter().any(is_control) {
        return;
    }
    // SAFETY: there are tessellation shaders (VUID-VkGraphicsPipelineCreateInfo-pStages-00731).
    let Some(patches) = (unsafe { info.tessellation_state() }) else { return };
    if !dynamic.contains(vk::DynamicState::PATCH_CONTROL_POINTS_EXT) {
        state.patch_control_points = patches.patch_control_points;
    }
    if let Some(origin) = patches.find::<vk::PipelineTessellationDomainOriginStateCreateInfo>() {
        state.tessellation_lower_left = origin.domain_origin == vk::TessellationDomainOrigin::LOWER_LEFT;
    }
}

/// Discard rectangles.
fn discard_rectangles(info: Info<'_>, dynamic: &DynamicStates, state: &mut GraphicsState) {
    let Some(test) = info.find::<vk::PipelineDiscardRectangleStateCreateInfoEXT>() else { return };
    state.discard_rectangle_enable = test.discard_rectangle_count != 0;
    state.discard_rectangle_inclusive = test.discard_rectangle_mode == vk::DiscardRectangleModeEXT::INCLUSIVE;
    // Of dynamic ones this many count, and there is no list.
    if state.discard_rectangle_enable {
        state.discard_rectangle_count = test.discard_rectangle_count;
    }
    if !dynamic.contains(vk::DynamicState::DISCARD_RECTANGLE_EXT) {
        // SAFETY: the rectangles are not dynamic (VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-04058).
        let list = unsafe { test.discard_rectangles() };
        state.discard_rectangles = list.first_values(DISCARD_RECTANGLES_MAX).get().into();
    }
}

/// Whether nothing is rasterised, as far as the pipeline decides it.
fn rasterization(info: Info<'_>, state: &mut GraphicsState) -> bool {
    // SAFETY: the pipeline has this part (VUID-VkGraphicsPipelineCreateInfo-pRasterizationState-06601,
    // VUID-VkGraphicsPipelineCreateInfo-flags-06641).
    let Some(raster) = (unsafe { info.rasterization_state() }) else { return false };
    state.depth_clamp = raster.depth_clamp_enable != 0;
    state.rasterizer_discard = raster.rasterizer_discard_enable != 0;
    state.polygon_mode = raster.polygon_mode;
    state.cull_mode = raster.cull_mode;
    state.front_face = raster.front_face;
    state.depth_bias_enable = raster.depth_bias_enable != 0;
    state.depth_bias = DepthBias {
        constant: raster.depth_bias_constant_factor,
        clamp: raster.depth_bias_clamp,
        slope: raster.depth_bias_slope_factor,
        unit: depth_bias_unit(raster.chain()),
    };
    state.line_width = raster.line_width;
    if let Some(one) = raster.find::<vk::PipelineRasterizationConservativeStateCreateInfoEXT>() {
        state.conservative = one.conservative_rasterization_mode;
    }
    if let Some(clip) = raster.find::<vk::PipelineRasterizationDepthClipStateCreateInfoEXT>() {
        state.depth_clip = Some(clip.depth_clip_enable != 0);
    }
    if let Some(provoking) = raster.find::<vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT>() {
        state.provoking_last = provoking.provoking_vertex_mode == vk::ProvokingVertexModeEXT::LAST_VERTEX;
    }
    if let Some(stream) = raster.find::<vk::PipelineRasterizationStateStreamCreateInfoEXT>() {
        state.raster_stream = stream.rasterization_stream;
    }
    if let Some(line) = raster.find::<vk::PipelineRasterizationLineStateCreateInfo>() {
        state.line_mode = line.line_rasterization_mode;
        state.line_stipple_enable = line.stippled_line_enable != 0;
        state.line_stipple = (line.line_stipple_factor, line.line_stipple_pattern);
    }
    state.rasterizer_discard
}

/// Viewports.
fn viewport_state(info: Info<'_>, dynamic: &DynamicStates, state: &mut GraphicsState) {
    // SAFETY: the pipeline has this part, and rasterizes
    // (VUID-VkGraphicsPipelineCreateInfo-rasterizerDiscardEnable-00750).
    let Some(viewports) = (unsafe { info.viewport_state() }) else { return };
    let is_fixed =
        |one: vk::DynamicState, all: vk::DynamicState| !dynamic.contains(one) && !dynamic.contains(all);
    if is_fixed(vk::DynamicState::VIEWPORT, vk::DynamicState::VIEWPORT_WITH_COUNT) {
        // SAFETY: they are not dynamic (VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-04130).
        state.viewports = unsafe { viewports.viewports() }.first_values(VIEWPORTS_MAX).get().into();
    }
    if is_fixed(vk::DynamicState::SCISSOR, vk::DynamicState::SCISSOR_WITH_COUNT) {
        // SAFETY: they are not dynamic (VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-04131).
        state.scissors = unsafe { viewports.scissors() }.first_values(VIEWPORTS_MAX).get().into();
    }
    if let Some(one) = viewports.find::<vk::PipelineViewportExclusiveScissorStateCreateInfoNV>() {
        if !dynamic.contains(vk::DynamicState::EXCLUSIVE_SCISSOR_NV) {
            // SAFETY: they are not dynamic (VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-04056).
            let list = unsafe { one.exclusive_scissors() };
            state.exclusive_scissors = list.first_values(VIEWPORTS_MAX).get().into();
        }
        let count = one.exclusive_scissor_count.min(VIEWPORTS_MAX as u32);
        state.exclusive_scissor_enable = (0..count).map(|_| true).collect();
    }
    if let Some(one) = viewports.find::<vk::PipelineViewportShadingRateImageStateCreateInfoNV>() {
        state.shading_rate_image_enable = one.shading_rate_image_enable != 0;
        let may_use = state.shading_rate_image_enable
            || dynamic.contains(vk::DynamicState::SHADING_RATE_IMAGE_ENABLE_NV);
        if may_use && !dynamic.contains(vk::DynamicState::VIEWPORT_SHADING_RATE_PALETTE_NV) {
            // SAFETY: they are used and not dynamic (VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-04057).
            state.shading_rate_palettes = palettes(unsafe { one.shading_rate_palettes() }).into();
        }
    }
    if let Some(one) = viewports.find::<vk::PipelineViewportCoarseSampleOrderStateCreateInfoNV>() {
        state.coarse_sample_order = coarse_sample_order(one.sample_order_type, one.custom_sample_orders());
    }
    if let Some(one) = viewports.find::<vk::PipelineViewportWScalingStateCreateInfoNV>() {
        state.w_scaling_enable = one.viewport_w_scaling_enable != 0;
        if !dynamic.contains(vk::DynamicState::VIEWPORT_W_SCALING_NV) {
            // SAFETY: they are not dynamic (VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-01715).
            let list = unsafe { one.viewport_w_scalings() };
            state.w_scalings = list.first_values(VIEWPORTS_MAX).get().into();
        }
    }
    if let Some(one) = viewports.find::<vk::PipelineViewportSwizzleStateCreateInfoNV>() {
        state.viewport_swizzles = one.viewport_swizzles().first_values(VIEWPORTS_MAX).get().into();
    }
    if let Some(control) = viewports.find::<vk::PipelineViewportDepthClipControlCreateInfoEXT>() {
        state.negative_one_to_one = control.negative_one_to_one != 0;
    }
    if let Some(control) = viewports.find::<vk::PipelineViewportDepthClampControlCreateInfoEXT>() {
        state.depth_clamp_range = clamp_range(control.depth_clamp_mode, control.depth_clamp_range());
    }
}

/// Multisampling; whether there is any state of it.
fn multisample_state(info: Info<'_>, dynamic: &DynamicStates, state: &mut GraphicsState) -> bool {
    // SAFETY: the pipeline has fragment shaders or outputs, and rasterizes, so it is null or valid
    // (VUID-VkGraphicsPipelineCreateInfo-pMultisampleState-06629).
    let Some(multisample) = (unsafe { info.multisample_state() }) else { return false };
    state.samples = sample_count(multisample.rasterization_samples);
    state.sample_shading = multisample.sample_shading_enable != 0;
    state.min_sample_shading = multisample.min_sample_shading;
    state.alpha_to_coverage = multisample.alpha_to_coverage_enable != 0;
    state.alpha_to_one = multisample.alpha_to_one_enable != 0;
    if let Some(one) = multisample.find::<vk::PipelineCoverageToColorStateCreateInfoNV>() {
        state.coverage_to_color_enable = one.coverage_to_color_enable != 0;
        state.coverage_to_color_location = one.coverage_to_color_location;
    }
    if let Some(one) = multisample.find::<vk::PipelineCoverageReductionStateCreateInfoNV>() {
        state.coverage_reduction = Some(one.coverage_reduction_mode);
    }
    if let Some(one) = multisample.find::<vk::PipelineCoverageModulationStateCreateInfoNV>() {
        state.coverage_modulation = one.coverage_modulation_mode;
        state.coverage_modulation_table_enable = one.coverage_modulation_table_enable != 0;
        let may_use = state.coverage_modulation_table_enable
            || dynamic.contains(vk::DynamicState::COVERAGE_MODULATION_TABLE_ENABLE_NV);
        if may_use && !dynamic.contains(vk::DynamicState::COVERAGE_MODULATION_TABLE_NV) {
            // SAFETY: it has as many values as counted, or is null
            // (VUID-VkPipelineCoverageModulationStateCreateInfoNV-coverageModulationTableEnable-01405).
            let table = unsafe { one.coverage_modulation_table() };
            state.coverage_modulation_table = CoverageModulationTable::new(table.get());
        }
    }
    if let Some(locations) = multisample.find::<vk::PipelineSampleLocationsStateCreateInfoEXT>() {
        state.sample_locations_enable = locations.sample_locations_enable != 0;
        state.sample_locations = sample_locations(locations.sample_locations_info());
    }
    // SAFETY: it is null or has a word for each 32 samples
    // (VUID-VkPipelineMultisampleStateCreateInfo-pSampleMask-parameter).
    if let Some(mask) = unsafe { multisample.sample_mask.as_ref() } {
        state.sample_mask[0] = *mask;
    }
    true
}

/// Whether a pipeline for dynamic rendering dithers.
fn dithers(info: Info<'_>) -> bool {
    let flags = info.find::<vk::PipelineCreateFlags2CreateInfo>();
    flags.is_some_and(|info| info.flags.contains(vk::PipelineCreateFlags2::ENABLE_LEGACY_DITHERING_EXT))
}

/// The attachments' formats, and whether there are colour attachments and a depth/stencil one. Without the
/// part of the outputs, dynamic rendering tells the views only.
fn target_formats(info: Info<'_>, output: bool) -> Result<(TargetFormats, [bool; 2])> {
    let undefined = vk::Format::UNDEFINED;
    if let Some(pass) = crate::call::get_or_report::<RenderPass>(info.render_pass.as_raw()) {
        let subpass = pass.subpasses().get(info.subpass as usize).ok_or_else(|| {
            Error::misuse(
                "subpass is not less than the render pass's number of subpasses (VUID-VkGraphicsPipelineCreateInfo-renderPass-06046)",
            )
        })?;
        let format = |attachment: Option<u32>| {
            let attachment = attachment.and_then(|index| pass.attachments().get(index as usize));
            attachment.map_or(undefined, |attachment| attachment.format)
        };
        let depth_stencil = format(subpass.depth_stencil);
        let samples = |attachment: Option<u32>| {
            let attachment = attachment.and_then(|index| pass.attachments().get(index as usize));
            attachment.map_or(0, |attachment| sample_count(attachment.samples) as u8)
        };
        let formats = TargetFormats {
            colors: subpass.colors.iter().map(|&color| format(color)).collect(),
            depth: depth_stencil,
            stencil: depth_stencil,
            samples: TargetSamples {
                colors: subpass.colors.iter().map(|&color| samples(color)).collect(),
                depth_stencil: samples(subpass.depth_stencil),
            },
            view_mask: subpass.view_mask,
            dither: subpass.dither,
            shading_rate: subpass.shading_rate.map(|source| match source {
                RateSource::Rates(..) => RateTexels::Rates,
                RateSource::Densities(_) => RateTexels::Densities,
            }),
            moves_samples: false,
        };
        let output = [!formats.colors.is_empty(), subpass.depth_stencil.is_some()];
        return Ok((formats, output));
    }
    let Some(rendering) = info.find::<vk::PipelineRenderingCreateInfo>() else {
        return Ok((TargetFormats::default(), [false; 2]));
    };
    if !output {
        let formats = TargetFormats { view_mask: rendering.view_mask, ..TargetFormats::default() };
        return Ok((formats, [false; 2]));
    }
    let formats = TargetFormats {
        colors: color_formats(rendering).into(),
        depth: rendering.depth_attachment_format,
        stencil: rendering.stencil_attachment_format,
        samples: target_samples(info.chain()),
        view_mask: rendering.view_mask,
        dither: dithers(info),
        shading_rate: rates_of(create_flags(info.chain(), info.flags)),
        moves_samples: false,
    };
    let depth_stencil = formats.depth != undefined || formats.stencil != undefined;
    let output = [!formats.colors.is_empty(), depth_stencil];
    Ok((formats, output))
}

/// The attachments' samples for dynamic rendering, where the chain says them.
fn target_samples(chain: Chain) -> TargetSamples {
    let Some(info) = chain.find::<vk::AttachmentSampleCountInfoAMD>() else {
        return TargetSamples::default();
    };
    let count = |samples: vk::SampleCountFlags| sample_count(samples) as u8;
    // SAFETY: there is no render pass, so it has as many values as counted
    // (VUID-VkAttachmentSampleCountInfoAMD-pColorAttachmentSamples-parameter).
    let colors = unsafe { info.color_attachment_samples() };
    TargetSamples {
        colors: colors.get().iter().map(|&samples| count(samples)).collect(),
        depth_stencil: count(info.depth_stencil_attachment_samples),
    }
}

/// The formats of colour attachments for dynamic rendering.
fn color_formats(rendering: In<'_, vk::PipelineRenderingCreateInfo>) -> &[vk::Format] {
    // SAFETY: the pipeline has the outputs' part and no render pass
    // (VUID-VkGraphicsPipelineCreateInfo-renderPass-06579).
    unsafe { rendering.color_attachment_formats() }.get()
}

/// What a pipeline's flags say of the attachment that its rates come from.
fn rates_of(flags: vk::PipelineCreateFlags2) -> Option<RateTexels> {
    use vk::PipelineCreateFlags2 as Flags;
    let of_densities = Flags::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT;
    let of_rates = Flags::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
    let rates = flags.contains(of_rates).then_some(RateTexels::Rates);
    rates.or(flags.contains(of_densities).then_some(RateTexels::Densities))
}

fn stencil_face(state: &vk::StencilOpState) -> StencilFace {
    StencilFace {
        fail_op: state.fail_op,
        pass_op: state.pass_op,
        depth_fail_op: state.depth_fail_op,
        compare_op: state.compare_op,
        compare_mask: state.compare_mask,
        write_mask: state.write_mask,
        reference: state.reference,
    }
}

/// Depth and stencil.
fn depth_stencil_state(info: Info<'_>, state: &mut GraphicsState) {
    // SAFETY: the pipeline has fragment shaders, which are run, and may have a depth/stencil attachment
    // (VUID-VkGraphicsPipelineCreateInfo-renderPass-06043 and those that follow it).
    if let Some(test) = unsafe { info.depth_stencil_state() } {
        state.depth_test = test.depth_test_enable != 0;
        state.depth_write = test.depth_write_enable != 0;
        state.depth_compare = test.depth_compare_op;
        state.depth_bounds_test = test.depth_bounds_test_enable != 0;
        state.depth_bounds = [test.min_depth_bounds, test.max_depth_bounds];
        state.stencil_test = test.stencil_test_enable != 0;
        state.stencil = [stencil_face(&test.front), stencil_face(&test.back)];
    }
}

/// Blending.
fn blend_state(info: Info<'_>, state: &mut GraphicsState) {
    // SAFETY: the pipeline has the outputs' part, rasterizes and has colour attachments
    // (VUID-VkGraphicsPipelineCreateInfo-renderPass-06044).
    if let Some(blend) = unsafe { info.color_blend_state() } {
        state.logic_op_enable = blend.logic_op_enable != 0;
        state.logic_op = blend.logic_op;
        state.blend_constants = blend.blend_constants;
        let advanced = blend.find::<vk::PipelineColorBlendAdvancedStateCreateInfoEXT>();
        let advanced = advanced.map_or(AdvancedBlend::default(), |advanced| AdvancedBlend {
            source_premultiplied: advanced.src_premultiplied != 0,
            target_premultiplied: advanced.dst_premultiplied != 0,
            overlap: advanced.blend_overlap,
        });
        let attachments = blend.attachments();
        for (to, one) in state.blend.iter_mut().zip(attachments.iter().take(COLOR_ATTACHMENTS_MAX)) {
            *to = ColorBlend {
                enable: one.blend_enable != 0,
                source_color: one.src_color_blend_factor,
                target_color: one.dst_color_blend_factor,
                color_op: one.color_blend_op,
                source_alpha: one.src_alpha_blend_factor,
                target_alpha: one.dst_alpha_blend_factor,
                alpha_op: one.alpha_blend_op,
                advanced,
                write_mask: one.color_write_mask,
            };
        }
        if let Some(write) = blend.find::<vk::PipelineColorWriteCreateInfoEXT>() {
            state
                .color_write
                .iter_mut()
                .zip(write.color_write_enables().iter())
                .for_each(|(to, &on)| *to = on != 0);
        }
    }
}
