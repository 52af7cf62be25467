//! Graphics pipelines: from create infos to the driver's state.

use crate::pipeline::{create_flags, shader_stage};
use crate::state::{clamp_range, depth_bias_unit};
use crate::{find, handle, slice, tools};
use pyro_driver::cache::PipelineCache;
use pyro_driver::graphics::{
    AttachmentLocations, ColorBlend, DepthBias, DynamicStates, GraphicsPipeline, GraphicsPipelineInfo,
    GraphicsState, MAX_COLOR_ATTACHMENTS, StencilFace, TargetFormats, VertexAttribute, VertexBinding,
    sample_count,
};
use pyro_driver::render::RenderPass;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// The structure of a chain by its type's name.
macro_rules! chained {
    ($next:expr, $name:ident) => {
        find::<vk::$name>($next, vk::$name::default().s_type)
    };
}

/// Makes one pipeline.
pub(crate) unsafe fn graphics_pipeline(
    device: &pyro_driver::device::Device,
    info: &vk::GraphicsPipelineCreateInfo,
    cache: Option<&PipelineCache>,
) -> Result<Arc<GraphicsPipeline>> {
    let _ = device;
    unsafe {
        let flags = create_flags(info.next, info.flags);
        if chained!(info.next, PipelineLibraryCreateInfoKHR).is_some_and(|info| info.library_count != 0)
            || flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR)
        {
            return Err(Error::unsupported("pipeline libraries"));
        }
        let dynamic = info.dynamic_state.as_ref();
        let dynamic =
            dynamic.map_or(&[][..], |dynamic| slice(dynamic.dynamic_states, dynamic.dynamic_state_count));
        let dynamic = DynamicStates::new(dynamic);
        let stages = slice(info.stages, info.stage_count).iter();
        let stages = stages.map(|stage| shader_stage(stage)).collect::<Result<Vec<_>>>()?;
        let mut state = GraphicsState::default();
        vertex_input(info, &dynamic, &mut state);
        let discard = rasterization(info, &mut state);
        let no_fragments = discard && !dynamic.contains(vk::DynamicState::RASTERIZER_DISCARD_ENABLE);
        // Pointers to what nobody looks at may be wild.
        if !no_fragments {
            fragment_state(info, &dynamic, &mut state);
        }
        let (formats, output) = target_formats(info)?;
        if !no_fragments {
            output_state(info, output, &mut state);
        }
        let layout = handle::get(info.layout.as_raw())?;
        let locations = chained!(info.next, RenderingAttachmentLocationInfo);
        let locations = locations.map_or(&[][..], |locations| {
            slice(locations.color_attachment_locations, locations.color_attachment_count)
        });
        let used = |&location: &u32| (location != vk::ATTACHMENT_UNUSED).then_some(location);
        let locations = AttachmentLocations(locations.iter().map(used).collect());
        let wanted = chained!(info.next, PipelineCreationFeedbackCreateInfo);
        let info = GraphicsPipelineInfo { flags, stages, state, dynamic, layout, formats, locations };
        let (pipeline, feedback) = GraphicsPipeline::new(info, cache)?;
        if let Some(wanted) = wanted {
            tools::feed_back(wanted, feedback);
        }
        Ok(Arc::new(pipeline))
    }
}

unsafe fn vertex_input(
    info: &vk::GraphicsPipelineCreateInfo,
    dynamic: &DynamicStates,
    state: &mut GraphicsState,
) {
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

/// Whether nothing is rasterised, as far as the pipeline decides it.
unsafe fn rasterization(info: &vk::GraphicsPipelineCreateInfo, state: &mut GraphicsState) -> bool {
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
        if let Some(clip) = chained!(raster.next, PipelineRasterizationDepthClipStateCreateInfoEXT) {
            state.depth_clip = Some(clip.depth_clip_enable != 0);
        }
        if let Some(provoking) = chained!(raster.next, PipelineRasterizationProvokingVertexStateCreateInfoEXT)
        {
            state.provoking_last = provoking.provoking_vertex_mode == vk::ProvokingVertexModeEXT::LAST_VERTEX;
        }
        if let Some(line) = chained!(raster.next, PipelineRasterizationLineStateCreateInfo) {
            state.line_mode = line.line_rasterization_mode;
            state.line_stipple_enable = line.stippled_line_enable != 0;
            state.line_stipple = (line.line_stipple_factor, line.line_stipple_pattern);
        }
        state.rasterizer_discard
    }
}

/// Viewports and multisampling.
unsafe fn fragment_state(
    info: &vk::GraphicsPipelineCreateInfo,
    dynamic: &DynamicStates,
    state: &mut GraphicsState,
) {
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
            if let Some(control) = chained!(viewports.next, PipelineViewportDepthClipControlCreateInfoEXT) {
                state.negative_one_to_one = control.negative_one_to_one != 0;
            }
            if let Some(control) = chained!(viewports.next, PipelineViewportDepthClampControlCreateInfoEXT) {
                state.depth_clamp_range = clamp_range(control.depth_clamp_mode, control.depth_clamp_range);
            }
        }
        if let Some(multisample) = info.multisample_state.as_ref() {
            state.samples = sample_count(multisample.rasterization_samples);
            state.sample_shading = multisample.sample_shading_enable != 0;
            state.min_sample_shading = multisample.min_sample_shading;
            state.alpha_to_coverage = multisample.alpha_to_coverage_enable != 0;
            state.alpha_to_one = multisample.alpha_to_one_enable != 0;
            if !multisample.sample_mask.is_null() {
                state.sample_mask[0] = *multisample.sample_mask;
            }
        }
    }
}

/// The attachments' formats, and whether there are colour attachments and a depth/stencil one.
unsafe fn target_formats(info: &vk::GraphicsPipelineCreateInfo) -> Result<(TargetFormats, [bool; 2])> {
    unsafe {
        let undefined = vk::Format::UNDEFINED;
        if let Some(pass) = handle::optional::<RenderPass>(info.render_pass.as_raw()) {
            let subpass = pass.subpasses().get(info.subpass as usize).ok_or_else(|| {
                Error::misuse(
                    "the render pass has fewer subpasses (VUID-VkGraphicsPipelineCreateInfo-renderPass-06046)",
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
            };
            let output = [!formats.colors.is_empty(), subpass.depth_stencil.is_some()];
            return Ok((formats, output));
        }
        let Some(rendering) = chained!(info.next, PipelineRenderingCreateInfo) else {
            return Ok((TargetFormats::default(), [false; 2]));
        };
        let formats = TargetFormats {
            colors: slice(rendering.color_attachment_formats, rendering.color_attachment_count).into(),
            depth: rendering.depth_attachment_format,
            stencil: rendering.stencil_attachment_format,
            view_mask: rendering.view_mask,
        };
        let depth_stencil = formats.depth != undefined || formats.stencil != undefined;
        let output = [!formats.colors.is_empty(), depth_stencil];
        Ok((formats, output))
    }
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

/// Depth, stencil and blending; those of attachments that there are.
unsafe fn output_state(
    info: &vk::GraphicsPipelineCreateInfo,
    [colors, depth_stencil]: [bool; 2],
    state: &mut GraphicsState,
) {
    unsafe {
        if let Some(test) = info.depth_stencil_state.as_ref()
            && depth_stencil
        {
            state.depth_test = test.depth_test_enable != 0;
            state.depth_write = test.depth_write_enable != 0;
            state.depth_compare = test.depth_compare_op;
            state.depth_bounds_test = test.depth_bounds_test_enable != 0;
            state.depth_bounds = [test.min_depth_bounds, test.max_depth_bounds];
            state.stencil_test = test.stencil_test_enable != 0;
            state.stencil = [stencil_face(&test.front), stencil_face(&test.back)];
        }
        if let Some(blend) = info.color_blend_state.as_ref()
            && colors
        {
            state.logic_op_enable = blend.logic_op_enable != 0;
            state.logic_op = blend.logic_op;
            state.blend_constants = blend.blend_constants;
            let attachments = slice(blend.attachments, blend.attachment_count);
            for (to, one) in state.blend.iter_mut().zip(attachments.iter().take(MAX_COLOR_ATTACHMENTS)) {
                *to = ColorBlend {
                    enable: one.blend_enable != 0,
                    source_color: one.src_color_blend_factor,
                    target_color: one.dst_color_blend_factor,
                    color_op: one.color_blend_op,
                    source_alpha: one.src_alpha_blend_factor,
                    target_alpha: one.dst_alpha_blend_factor,
                    alpha_op: one.alpha_blend_op,
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
