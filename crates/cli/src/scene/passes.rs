//! The scene's render passes, its graphics pipelines, and what is drawn with them.
#![allow(unsafe_code)] // Vulkan calls, as in `device`

use super::device::{Image, Program, Resource, Stage};
use anyhow::{Context, Result};
use std::slice;
use vulkanalia::prelude::v1_2::*;

/// A render pass with its framebuffer, which it clears.
pub(super) struct Pass {
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    extent: [u32; 2],
    samples: vk::SampleCountFlags,
    clears: Vec<vk::ClearValue>,
}

/// The graphics pipelines.
pub(super) struct Programs {
    pub(super) shadow: Program,
    pub(super) land: Program,
    pub(super) sea: Program,
    pub(super) sky: Program,
    pub(super) sparks: Program,
    pub(super) smoke: Program,
}

/// How a pipeline differs from the others.
struct Kind<'a> {
    vertex: &'a str,
    fragment: Option<&'a str>,
    has_vertices: bool,
    topology: vk::PrimitiveTopology,
    /// Adds light and hides what is behind by alpha, and leaves depth as it is.
    blend: bool,
}

fn attachment(format: vk::Format, samples: vk::SampleCountFlags, keep: bool) -> vk::AttachmentDescription {
    vk::AttachmentDescription {
        format,
        samples,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: if keep { vk::AttachmentStoreOp::STORE } else { vk::AttachmentStoreOp::DONT_CARE },
        stencil_load_op: vk::AttachmentLoadOp::DONT_CARE,
        stencil_store_op: vk::AttachmentStoreOp::DONT_CARE,
        initial_layout: vk::ImageLayout::UNDEFINED,
        final_layout: vk::ImageLayout::GENERAL,
        ..Default::default()
    }
}

fn reference(attachment: u32) -> vk::AttachmentReference {
    vk::AttachmentReference { attachment, layout: vk::ImageLayout::GENERAL }
}

fn far() -> vk::ClearValue {
    vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } }
}

impl Pass {
    /// Depth alone, as the light sees it.
    pub(super) fn shadow(stage: &Stage<'_>, depth: &Image) -> Result<Pass> {
        let attachments = [attachment(vk::Format::D32_SFLOAT, vk::SampleCountFlags::_1, true)];
        let depth_reference = reference(0);
        let subpass = vk::SubpassDescription::builder()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .depth_stencil_attachment(&depth_reference);
        let info = vk::RenderPassCreateInfo::builder()
            .attachments(&attachments)
            .subpasses(slice::from_ref(&subpass));
        let (pass, framebuffer) = stage.framebuffer(&info, &[depth.view], depth.extent)?;
        let samples = vk::SampleCountFlags::_1;
        Ok(Pass { pass, framebuffer, extent: depth.extent, samples, clears: vec![far()] })
    }

    /// Four samples a pixel, resolved into `light`.
    pub(super) fn main(stage: &Stage<'_>, samples: &Image, light: &Image, depth: &Image) -> Result<Pass> {
        let (one, four) = (vk::SampleCountFlags::_1, vk::SampleCountFlags::_4);
        let half = vk::Format::R16G16B16A16_SFLOAT;
        let mut resolved = attachment(half, one, true);
        resolved.load_op = vk::AttachmentLoadOp::DONT_CARE;
        let attachments =
            [attachment(half, four, false), resolved, attachment(vk::Format::D32_SFLOAT, four, false)];
        let (color, resolve, depth_reference) = (reference(0), reference(1), reference(2));
        let subpass = vk::SubpassDescription::builder()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(slice::from_ref(&color))
            .resolve_attachments(slice::from_ref(&resolve))
            .depth_stencil_attachment(&depth_reference);
        let info = vk::RenderPassCreateInfo::builder()
            .attachments(&attachments)
            .subpasses(slice::from_ref(&subpass));
        let views = [samples.view, light.view, depth.view];
        let (pass, framebuffer) = stage.framebuffer(&info, &views, light.extent)?;
        let black = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } };
        Ok(Pass { pass, framebuffer, extent: light.extent, samples: four, clears: vec![black, black, far()] })
    }

    pub(super) fn begin(&self, stage: &Stage<'_>, commands: vk::CommandBuffer) {
        let [width, height] = self.extent;
        let area = vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width, height } };
        let info = vk::RenderPassBeginInfo::builder()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(area)
            .clear_values(&self.clears);
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: width as f32,
            height: height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        // SAFETY: recording; the handles live as long as the stage.
        unsafe {
            stage.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            stage.device.cmd_set_viewport(commands, 0, &[viewport]);
            stage.device.cmd_set_scissor(commands, 0, &[area]);
        }
    }

    pub(super) fn end(&self, stage: &Stage<'_>, commands: vk::CommandBuffer) {
        // SAFETY: the pass was begun by `begin`.
        unsafe { stage.device.cmd_end_render_pass(commands) };
        stage.barrier(commands);
    }
}

impl Programs {
    /// All of them, from one module.
    pub(super) fn new(
        stage: &Stage<'_>,
        module: vk::ShaderModule,
        shared: &[Resource],
        [sparks, smoke]: [vk::Buffer; 2],
        shadow_pass: &Pass,
        main_pass: &Pass,
    ) -> Result<Programs> {
        let strip = vk::PrimitiveTopology::TRIANGLE_STRIP;
        let kind = |vertex, fragment| Kind {
            vertex,
            fragment: Some(fragment),
            has_vertices: false,
            topology: strip,
            blend: false,
        };
        let make = |sprites: vk::Buffer, pass: &Pass, kind: &Kind<'_>| {
            let mut resources = shared.to_vec();
            resources.push(Resource::Storage(sprites));
            stage.graphics(&resources, |layout| pipeline(stage, module, pass, layout, kind))
        };
        let list = vk::PrimitiveTopology::TRIANGLE_LIST;
        let land = Kind { has_vertices: true, topology: list, ..kind("land_vertex", "land_fragment") };
        let shadow = Kind { has_vertices: true, topology: list, fragment: None, ..kind("shadow_vertex", "") };
        let glow = |fragment| Kind { blend: true, ..kind("sprite_vertex", fragment) };
        Ok(Programs {
            shadow: make(sparks, shadow_pass, &shadow)?,
            land: make(sparks, main_pass, &land)?,
            sea: make(sparks, main_pass, &kind("sea_vertex", "sea_fragment"))?,
            sky: make(sparks, main_pass, &kind("sky_vertex", "sky_fragment"))?,
            sparks: make(sparks, main_pass, &glow("spark_fragment"))?,
            smoke: make(smoke, main_pass, &glow("smoke_fragment"))?,
        })
    }

    fn bind(stage: &Stage<'_>, commands: vk::CommandBuffer, program: &Program) {
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: recording; the handles live as long as the stage; likewise below.
        unsafe {
            stage.device.cmd_bind_pipeline(commands, point, program.pipeline);
            stage.device.cmd_bind_descriptor_sets(commands, point, program.layout, 0, &[program.set], &[]);
        }
    }

    /// Draws the land's mesh, of `cells` cells a side.
    pub(super) fn land(
        &self,
        stage: &Stage<'_>,
        commands: vk::CommandBuffer,
        program: &Program,
        [vertices, indices]: [vk::Buffer; 2],
        cells: u32,
    ) {
        Self::bind(stage, commands, program);
        // SAFETY: as above; the buffers hold the mesh.
        unsafe {
            stage.device.cmd_bind_vertex_buffers(commands, 0, &[vertices], &[0]);
            stage.device.cmd_bind_index_buffer(commands, indices, 0, vk::IndexType::UINT32);
            stage.device.cmd_draw_indexed(commands, cells * cells * 6, 1, 0, 0, 0);
        }
    }

    /// Draws vertices that the shader makes up.
    pub(super) fn plain(
        &self,
        stage: &Stage<'_>,
        commands: vk::CommandBuffer,
        program: &Program,
        count: u32,
    ) {
        Self::bind(stage, commands, program);
        // SAFETY: as above.
        unsafe { stage.device.cmd_draw(commands, count, 1, 0, 0) };
    }

    /// Draws what a compute shader wrote down at an offset.
    pub(super) fn indirect(
        &self,
        stage: &Stage<'_>,
        commands: vk::CommandBuffer,
        program: &Program,
        draws: vk::Buffer,
        offset: usize,
    ) {
        Self::bind(stage, commands, program);
        // SAFETY: as above; the buffer holds a draw there.
        unsafe { stage.device.cmd_draw_indirect(commands, draws, offset as u64, 1, 0) };
    }
}

fn pipeline(
    stage: &Stage<'_>,
    module: vk::ShaderModule,
    pass: &Pass,
    layout: vk::PipelineLayout,
    kind: &Kind<'_>,
) -> Result<vk::Pipeline> {
    let names = [format!("{}\0", kind.vertex), format!("{}\0", kind.fragment.unwrap_or(""))];
    let mut stages = vec![
        vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::VERTEX)
            .module(module)
            .name(names[0].as_bytes()),
    ];
    if kind.fragment.is_some() {
        stages.push(
            vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::FRAGMENT)
                .module(module)
                .name(names[1].as_bytes()),
        );
    }
    let bindings = [vk::VertexInputBindingDescription {
        binding: 0,
        stride: 32,
        input_rate: vk::VertexInputRate::VERTEX,
    }];
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let attributes = [(0, 0), (1, 16)].map(|(location, offset)| vk::VertexInputAttributeDescription {
        location,
        binding: 0,
        format,
        offset,
    });
    let mut input = vk::PipelineVertexInputStateCreateInfo::builder();
    if kind.has_vertices {
        input = input.vertex_binding_descriptions(&bindings).vertex_attribute_descriptions(&attributes);
    }
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder().topology(kind.topology);
    let viewport = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::builder()
        .polygon_mode(vk::PolygonMode::FILL)
        .cull_mode(vk::CullModeFlags::NONE)
        .line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(pass.samples);
    let depth = vk::PipelineDepthStencilStateCreateInfo::builder()
        .depth_test_enable(true)
        .depth_write_enable(!kind.blend)
        .depth_compare_op(vk::CompareOp::LESS_OR_EQUAL);
    let blend = vk::PipelineColorBlendAttachmentState::builder()
        .blend_enable(kind.blend)
        .src_color_blend_factor(vk::BlendFactor::ONE)
        .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
        .src_alpha_blend_factor(vk::BlendFactor::ONE)
        .dst_alpha_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
        .color_write_mask(vk::ColorComponentFlags::all());
    let mut colors = vk::PipelineColorBlendStateCreateInfo::builder();
    if kind.fragment.is_some() {
        colors = colors.attachments(slice::from_ref(&blend));
    }
    let dynamics = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(&dynamics);
    let info = vk::GraphicsPipelineCreateInfo::builder()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&colors)
        .dynamic_state(&dynamic)
        .layout(layout)
        .render_pass(pass.pass);
    // SAFETY: everything that `info` points at lives until the call returns.
    let made = unsafe {
        stage.device.create_graphics_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None)
    };
    Ok(made.with_context(|| format!("vkCreateGraphicsPipelines: {}", kind.vertex))?.0[0])
}
