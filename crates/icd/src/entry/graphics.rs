//! Graphics pipelines: from create infos to the driver's state.

use crate::call::{chained, messages, slice};
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::execution_graph::node_name;
use crate::entry::pipeline::{create_flags, old_flags, shader_options, shader_stages};
use crate::entry::state::{attachment_locations, clamp_range, combiner, depth_bias_unit, sample_locations};
use crate::entry::tools;
use crate::handle;
use pyro_abi::graphics::{DISCARD_RECTANGLES_MAX, Rate};
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::device::Device;
use pyro_driver::graphics::{
    AdvancedBlend, COLOR_ATTACHMENTS_MAX, ColorBlend, DepthBias, DynamicStates, GraphicsLibrary,
    GraphicsPipeline, GraphicsState, Parts, StencilFace, TargetFormats, VertexAttribute, VertexBinding,
    parts_of, sample_count,
};
use pyro_driver::pipeline::{CreationFeedback, Pipeline, PipelineKind, PipelineLayout};
use pyro_driver::render_pass::{RateSource, RateTexels, RenderPass};
use pyro_driver::strict;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use std::time::Instant;
use vulkanalia_sys::{self as vk, Handle};

/// Makes one pipeline, or parts of one.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
pub(crate) unsafe fn graphics_pipeline(
    device: &Device,
    info: &vk::GraphicsPipelineCreateInfo,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    // SAFETY: `info` is valid by the contract of this function, as `now` requires.
    unsafe {
        let start = Instant::now();
        let binaries = Binaries::of(info.next)?;
        let mut whole = linked(device, info, &binaries)?;
        let captured = captures_data(info.next).then(|| Captured::new(&whole.stages));
        let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
        let (kind, feedback) = if whole.flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR) {
            whole.resolve(cache)?;
            let feedback = CreationFeedback { cache_hit: false, duration: start.elapsed() };
            (PipelineKind::Library(Arc::new(whole)), feedback)
        } else {
            let made_from = whole.complete()?;
            strict::check_graphics(&made_from, &messages::finding);
            let (pipeline, mut feedback) = GraphicsPipeline::new(made_from, cache, device)?;
            // Binaries are no cache.
            feedback.cache_hit &= binaries.artifacts().is_none();
            (PipelineKind::Graphics(Arc::new(pipeline)), feedback)
        };
        tools::feed_back(info.next, feedback);
        Ok(Pipeline::new(kind, captured))
    }
}

/// All parts that a pipeline is made from: those of libraries, and its own.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
pub(crate) unsafe fn linked(
    device: &Device,
    info: &vk::GraphicsPipelineCreateInfo,
    binaries: &Binaries,
) -> Result<GraphicsLibrary> {
    // SAFETY: `libraries` and `stages` have as many elements as counted; each structure of the chain is of
    // the type that its `sType` says, by the contract of this function.
    unsafe {
        let libraries = chained!(info.next, PipelineLibraryCreateInfoKHR);
        let libraries = libraries.map_or(&[][..], |info| slice(info.libraries, info.library_count));
        let own = match chained!(info.next, GraphicsPipelineLibraryCreateInfoEXT) {
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
        if !own.is_empty() {
            let mut own = parts(device, info, own, discards, binaries)?;
            own.state.depth_unrestricted = device.extensions().contains(&"VK_EXT_depth_range_unrestricted");
            whole.link(&own)?;
        }
        if let Some(layout) = crate::call::get_or_report(info.layout.as_raw()) {
            whole.layout = Some(layout);
        }
        let flags = create_flags(info.next, info.flags);
        whole.flags = old_flags(flags);
        if flags.contains(vk::PipelineCreateFlags2::EXECUTION_GRAPH_AMDX) {
            let stages = if own.contains(Parts::PRE_RASTERIZATION_SHADERS) {
                slice(info.stages, info.stage_count)
            } else {
                &[]
            };
            let mesh = stages.iter().find(|stage| stage.stage == vk::ShaderStageFlags::MESH_EXT);
            match mesh {
                Some(mesh) => whole.node = Some(node_name(mesh)?),
                // That of the library which has the shader.
                None => drop(whole.node.get_or_insert_default()),
            }
        }
        Ok(whole)
    }
}

/// The stages and the state of some parts. Pointers to the state of others may be wild.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn parts(
    device: &Device,
    info: &vk::GraphicsPipelineCreateInfo,
    parts: Parts,
    discards: bool,
    binaries: &Binaries,
) -> Result<GraphicsLibrary> {
    // SAFETY: `dynamic_states` and `stages` have as many elements as counted; `pDynamicState` is null or
    // valid; each structure of the chain is of the type that its `sType` says
    // (VUID-VkGraphicsPipelineCreateInfo-pDynamicState-parameter).
    unsafe {
        let has = |part: Parts| parts.contains(part);
        let [before, fragment, output] =
            [Parts::PRE_RASTERIZATION_SHADERS, Parts::FRAGMENT_SHADER, Parts::FRAGMENT_OUTPUT_INTERFACE]
                .map(has);
        let dynamic = info.dynamic_state.as_ref();
        let dynamic =
            dynamic.map_or(&[][..], |dynamic| slice(dynamic.dynamic_states, dynamic.dynamic_state_count));
        let dynamic = DynamicStates::new(dynamic).filter(|state| parts_of(state).intersects(parts));
        let mut state = GraphicsState::default();
        // Beside mesh shaders pointers to this state may be wild.
        let all_stages = if before || fragment { slice(info.stages, info.stage_count) } else { &[] };
        let is_mesh =
            before && all_stages.iter().any(|stage| stage.stage.contains(vk::ShaderStageFlags::MESH_EXT));
        if has(Parts::VERTEX_INPUT_INTERFACE) && !is_mesh {
            vertex_input(info, &dynamic, &mut state);
        }
        if before {
            tessellation(info, &dynamic, &mut state);
        }
        let discards = discards || (before && rasterization(info, &mut state));
        let no_fragments = discards && !dynamic.contains(vk::DynamicState::RASTERIZER_DISCARD_ENABLE);
        if before && !no_fragments {
            viewport_state(info, &dynamic, &mut state);
            if let Some(one) = chained!(info.next, PipelineFragmentShadingRateStateCreateInfoKHR) {
                let size = one.fragment_size;
                state.fragment_size = Rate::from_size(size.width, size.height);
                state.rate_combiners = one.combiner_ops.map(combiner);
            }
            discard_rectangles(info, &mut state);
        }
        let mut has_sample_shading = false;
        if (fragment || output) && !no_fragments {
            has_sample_shading = multisample_state(info, &mut state) && fragment;
        }
        let (formats, [colors, depth_stencil]) = target_formats(info, output)?;
        // Without the output's part the formats of dynamic rendering are not known yet.
        let unknown =
            !output && crate::call::get_or_report::<RenderPass>(info.render_pass.as_raw()).is_none();
        if fragment && !no_fragments && (depth_stencil || unknown) {
            depth_stencil_state(info, &mut state);
        }
        if output && !no_fragments && colors {
            blend_state(info, &mut state);
        }
        let stages = all_stages
            .iter()
            .filter(|stage| if stage.stage == vk::ShaderStageFlags::FRAGMENT { fragment } else { before });
        let options = shader_options(create_flags(info.next, info.flags));
        let stages = shader_stages(device, stages, &options, binaries)?;
        let locations = chained!(info.next, RenderingAttachmentLocationInfo).filter(|_| output);
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
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn vertex_input(
    info: &vk::GraphicsPipelineCreateInfo,
    dynamic: &DynamicStates,
    state: &mut GraphicsState,
) {
    // SAFETY: `pVertexBindingDivisors`, `vertex_binding_descriptions` and `vertex_attribute_descriptions`
    // have as many elements as counted; `pVertexInputState` and `pInputAssemblyState` are null or valid; each
    // structure of the chain is of the type that its `sType` says
    // (VUID-VkPipelineVertexInputDivisorStateCreateInfo-pVertexBindingDivisors-parameter,
    // VUID-VkGraphicsPipelineCreateInfo-pVertexInputState-parameter,
    // VUID-VkGraphicsPipelineCreateInfo-pInputAssemblyState-parameter).
    unsafe {
        if let Some(input) = info.vertex_input_state.as_ref()
            && !dynamic.contains(vk::DynamicState::VERTEX_INPUT_EXT)
        {
            let divisors = chained!(input.next, PipelineVertexInputDivisorStateCreateInfo);
            let divisors = divisors.map_or(&[][..], |divisors| {
                slice(divisors.vertex_binding_divisors, divisors.vertex_binding_divisor_count)
            });
            let bindings = slice(input.vertex_binding_descriptions, input.vertex_binding_description_count);
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
            let attributes =
                slice(input.vertex_attribute_descriptions, input.vertex_attribute_description_count);
            state.vertex_input.attributes = attributes
                .iter()
                .map(|attribute| VertexAttribute {
                    location: attribute.location,
                    binding: attribute.binding,
                    format: attribute.format,
                    offset: attribute.offset,
                })
                .collect();
        }
        if let Some(assembly) = info.input_assembly_state.as_ref() {
            state.topology = assembly.topology;
            state.primitive_restart = assembly.primitive_restart_enable != 0;
        }
    }
}

/// Patches. Without tessellation shaders the pointer may be wild.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn tessellation(
    info: &vk::GraphicsPipelineCreateInfo,
    dynamic: &DynamicStates,
    state: &mut GraphicsState,
) {
    // SAFETY: `stages` has as many elements as counted; `pTessellationState` is null or valid; each structure
    // of the chain is of the type that its `sType` says
    // (VUID-VkGraphicsPipelineCreateInfo-pTessellationState-parameter).
    unsafe {
        let is_control = |stage: &vk::PipelineShaderStageCreateInfo| {
            stage.stage == vk::ShaderStageFlags::TESSELLATION_CONTROL
        };
        if !slice(info.stages, info.stage_count).iter().any(is_control) {
            return;
        }
        let Some(patches) = info.tessellation_state.as_ref() else { return };
        if !dynamic.contains(vk::DynamicState::PATCH_CONTROL_POINTS_EXT) {
            state.patch_control_points = patches.patch_control_points;
        }
        if let Some(origin) = chained!(patches.next, PipelineTessellationDomainOriginStateCreateInfo) {
            state.tessellation_lower_left = origin.domain_origin == vk::TessellationDomainOrigin::LOWER_LEFT;
        }
    }
}

/// Discard rectangles.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn discard_rectangles(info: &vk::GraphicsPipelineCreateInfo, state: &mut GraphicsState) {
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    unsafe {
        let Some(test) = chained!(info.next, PipelineDiscardRectangleStateCreateInfoEXT) else { return };
        state.discard_rectangle_enable = test.discard_rectangle_count != 0;
        state.discard_rectangle_inclusive =
            test.discard_rectangle_mode == vk::DiscardRectangleModeEXT::INCLUSIVE;
        // Of dynamic ones this many count, and there is no list.
        if state.discard_rectangle_enable {
            state.discard_rectangle_count = test.discard_rectangle_count;
        }
        let list = test.discard_rectangles;
        let count = test.discard_rectangle_count.min(DISCARD_RECTANGLES_MAX as u32);
        state.discard_rectangles = slice(list, if list.is_null() { 0 } else { count }).into();
    }
}

/// Whether nothing is rasterised, as far as the pipeline decides it.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn rasterization(info: &vk::GraphicsPipelineCreateInfo, state: &mut GraphicsState) -> bool {
    // SAFETY: `pRasterizationState` is null or valid; each structure of the chain is of the type that its
    // `sType` says (VUID-VkGraphicsPipelineCreateInfo-pRasterizationState-parameter).
    unsafe {
        let Some(raster) = info.rasterization_state.as_ref() else { return false };
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
            unit: depth_bias_unit(raster.next),
        };
        state.line_width = raster.line_width;
        if let Some(one) = chained!(raster.next, PipelineRasterizationConservativeStateCreateInfoEXT) {
            state.conservative = one.conservative_rasterization_mode;
        }
        if let Some(clip) = chained!(raster.next, PipelineRasterizationDepthClipStateCreateInfoEXT) {
            state.depth_clip = Some(clip.depth_clip_enable != 0);
        }
        if let Some(provoking) = chained!(raster.next, PipelineRasterizationProvokingVertexStateCreateInfoEXT)
        {
            state.provoking_last = provoking.provoking_vertex_mode == vk::ProvokingVertexModeEXT::LAST_VERTEX;
        }
        if let Some(stream) = chained!(raster.next, PipelineRasterizationStateStreamCreateInfoEXT) {
            state.raster_stream = stream.rasterization_stream;
        }
        if let Some(line) = chained!(raster.next, PipelineRasterizationLineStateCreateInfo) {
            state.line_mode = line.line_rasterization_mode;
            state.line_stipple_enable = line.stippled_line_enable != 0;
            state.line_stipple = (line.line_stipple_factor, line.line_stipple_pattern);
        }
        state.rasterizer_discard
    }
}

/// Viewports.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn viewport_state(
    info: &vk::GraphicsPipelineCreateInfo,
    dynamic: &DynamicStates,
    state: &mut GraphicsState,
) {
    // SAFETY: `viewports` and `scissors` have as many elements as counted; `pViewportState` is null or valid;
    // each structure of the chain is of the type that its `sType` says
    // (VUID-VkGraphicsPipelineCreateInfo-pViewportState-parameter).
    unsafe {
        if let Some(viewports) = info.viewport_state.as_ref() {
            let fixed = |one: vk::DynamicState, all: vk::DynamicState| {
                !dynamic.contains(one) && !dynamic.contains(all)
            };
            if fixed(vk::DynamicState::VIEWPORT, vk::DynamicState::VIEWPORT_WITH_COUNT) {
                state.viewports = slice(viewports.viewports, viewports.viewport_count.min(16)).into();
            }
            if fixed(vk::DynamicState::SCISSOR, vk::DynamicState::SCISSOR_WITH_COUNT) {
                state.scissors = slice(viewports.scissors, viewports.scissor_count.min(16)).into();
            }
            if let Some(one) = chained!(viewports.next, PipelineViewportExclusiveScissorStateCreateInfoNV) {
                let (list, count) = (one.exclusive_scissors, one.exclusive_scissor_count.min(16));
                state.exclusive_scissors = slice(list, if list.is_null() { 0 } else { count }).into();
                state.exclusive_scissor_enable = (0..count).map(|_| true).collect();
            }
            if let Some(one) = chained!(viewports.next, PipelineViewportWScalingStateCreateInfoNV) {
                let (list, count) = (one.viewport_w_scalings, one.viewport_count.min(16));
                state.w_scaling_enable = one.viewport_w_scaling_enable != 0;
                state.w_scalings = slice(list, if list.is_null() { 0 } else { count }).into();
            }
            if let Some(one) = chained!(viewports.next, PipelineViewportSwizzleStateCreateInfoNV) {
                let (list, count) = (one.viewport_swizzles, one.viewport_count.min(16));
                state.viewport_swizzles = slice(list, if list.is_null() { 0 } else { count }).into();
            }
            if let Some(control) = chained!(viewports.next, PipelineViewportDepthClipControlCreateInfoEXT) {
                state.negative_one_to_one = control.negative_one_to_one != 0;
            }
            if let Some(control) = chained!(viewports.next, PipelineViewportDepthClampControlCreateInfoEXT) {
                state.depth_clamp_range = clamp_range(control.depth_clamp_mode, control.depth_clamp_range);
            }
        }
    }
}

/// Multisampling; whether there is any state of it.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn multisample_state(info: &vk::GraphicsPipelineCreateInfo, state: &mut GraphicsState) -> bool {
    // SAFETY: `pMultisampleState` is null or valid; each structure of the chain is of the type that its
    // `sType` says (VUID-VkGraphicsPipelineCreateInfo-pMultisampleState-parameter).
    unsafe {
        let Some(multisample) = info.multisample_state.as_ref() else { return false };
        state.samples = sample_count(multisample.rasterization_samples);
        state.sample_shading = multisample.sample_shading_enable != 0;
        state.min_sample_shading = multisample.min_sample_shading;
        state.alpha_to_coverage = multisample.alpha_to_coverage_enable != 0;
        state.alpha_to_one = multisample.alpha_to_one_enable != 0;
        if let Some(one) = chained!(multisample.next, PipelineCoverageToColorStateCreateInfoNV) {
            state.coverage_to_color_enable = one.coverage_to_color_enable != 0;
            state.coverage_to_color_location = one.coverage_to_color_location;
        }
        if let Some(locations) = chained!(multisample.next, PipelineSampleLocationsStateCreateInfoEXT) {
            state.sample_locations_enable = locations.sample_locations_enable != 0;
            state.sample_locations = sample_locations(&locations.sample_locations_info);
        }
        if !multisample.sample_mask.is_null() {
            state.sample_mask[0] = *multisample.sample_mask;
        }
        true
    }
}

/// Whether a pipeline for dynamic rendering dithers.
///
/// # Safety
/// `next` is null or starts a valid chain.
unsafe fn dithers(next: *const std::ffi::c_void) -> bool {
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let flags = unsafe { chained!(next, PipelineCreateFlags2CreateInfo) };
    flags.is_some_and(|info| info.flags.contains(vk::PipelineCreateFlags2::ENABLE_LEGACY_DITHERING_EXT))
}

/// The attachments' formats, and whether there are colour attachments and a depth/stencil one. Without the
/// part of the outputs, dynamic rendering tells the views only.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn target_formats(
    info: &vk::GraphicsPipelineCreateInfo,
    output: bool,
) -> Result<(TargetFormats, [bool; 2])> {
    // SAFETY: `pColorAttachmentFormats` has as many elements as counted; each structure of the chain is of
    // the type that its `sType` says (VUID-VkPipelineRenderingCreateInfo-pColorAttachmentFormats-parameter).
    unsafe {
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
            let formats = TargetFormats {
                colors: subpass.colors.iter().map(|&color| format(color)).collect(),
                depth: depth_stencil,
                stencil: depth_stencil,
                view_mask: subpass.view_mask,
                dither: subpass.dither,
                shading_rate: subpass.shading_rate.map(|source| match source {
                    RateSource::Rates(..) => RateTexels::Rates,
                    RateSource::Densities(_) => RateTexels::Densities,
                }),
            };
            let output = [!formats.colors.is_empty(), subpass.depth_stencil.is_some()];
            return Ok((formats, output));
        }
        let Some(rendering) = chained!(info.next, PipelineRenderingCreateInfo) else {
            return Ok((TargetFormats::default(), [false; 2]));
        };
        if !output {
            let formats = TargetFormats { view_mask: rendering.view_mask, ..TargetFormats::default() };
            return Ok((formats, [false; 2]));
        }
        let formats = TargetFormats {
            colors: slice(rendering.color_attachment_formats, rendering.color_attachment_count).into(),
            depth: rendering.depth_attachment_format,
            stencil: rendering.stencil_attachment_format,
            view_mask: rendering.view_mask,
            dither: dithers(info.next),
            shading_rate: rates_of(create_flags(info.next, info.flags)),
        };
        let depth_stencil = formats.depth != undefined || formats.stencil != undefined;
        let output = [!formats.colors.is_empty(), depth_stencil];
        Ok((formats, output))
    }
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
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn depth_stencil_state(info: &vk::GraphicsPipelineCreateInfo, state: &mut GraphicsState) {
    // SAFETY: `pDepthStencilState` is null or valid
    // (VUID-VkGraphicsPipelineCreateInfo-pDepthStencilState-parameter).
    unsafe {
        if let Some(test) = info.depth_stencil_state.as_ref() {
            state.depth_test = test.depth_test_enable != 0;
            state.depth_write = test.depth_write_enable != 0;
            state.depth_compare = test.depth_compare_op;
            state.depth_bounds_test = test.depth_bounds_test_enable != 0;
            state.depth_bounds = [test.min_depth_bounds, test.max_depth_bounds];
            state.stencil_test = test.stencil_test_enable != 0;
            state.stencil = [stencil_face(&test.front), stencil_face(&test.back)];
        }
    }
}

/// Blending.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkGraphicsPipelineCreateInfo`, "Valid Usage").
unsafe fn blend_state(info: &vk::GraphicsPipelineCreateInfo, state: &mut GraphicsState) {
    // SAFETY: `attachments` and `pColorWriteEnables` have as many elements as counted; `pColorBlendState` is
    // null or valid; each structure of the chain is of the type that its `sType` says
    // (VUID-VkPipelineColorWriteCreateInfoEXT-pColorWriteEnables-parameter,
    // VUID-VkGraphicsPipelineCreateInfo-pColorBlendState-parameter).
    unsafe {
        if let Some(blend) = info.color_blend_state.as_ref() {
            state.logic_op_enable = blend.logic_op_enable != 0;
            state.logic_op = blend.logic_op;
            state.blend_constants = blend.blend_constants;
            let advanced = chained!(blend.next, PipelineColorBlendAdvancedStateCreateInfoEXT);
            let advanced = advanced.map_or(AdvancedBlend::default(), |advanced| AdvancedBlend {
                source_premultiplied: advanced.src_premultiplied != 0,
                target_premultiplied: advanced.dst_premultiplied != 0,
                overlap: advanced.blend_overlap,
            });
            let attachments = slice(blend.attachments, blend.attachment_count);
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
            if let Some(write) = chained!(blend.next, PipelineColorWriteCreateInfoEXT) {
                let enables = slice(write.color_write_enables, write.attachment_count);
                state.color_write.iter_mut().zip(enables).for_each(|(to, &on)| *to = on != 0);
            }
        }
    }
}
