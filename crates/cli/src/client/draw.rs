//! Fragment shaders drawn over all of a picture.

use super::{Gpu, Job, Resources, specialization_entries};
use crate::shader;
use anyhow::{Context, Result};
use std::slice;
use vulkanalia::prelude::v1_2::*;

/// A triangle that covers the picture, with its place in it, from 0 to 1, at location 0.
const WHOLE_PICTURE: &str = "
struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn main(@builtin(vertex_index) index: u32) -> Out {
    let uv = vec2(f32(index & 1u) * 2.0, f32(index >> 1u) * 2.0);
    return Out(vec4(uv * vec2(2.0, 2.0) - 1.0, 0.0, 1.0), uv);
}";

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// A range of all of a picture.
const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// What is drawn to.
struct Target {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl Gpu<'_> {
    fn target(&self, [width, height]: [u32; 2]) -> Result<Target> {
        let device = &self.device;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        let attachment = vk::AttachmentDescription::builder()
            .format(FORMAT)
            .samples(vk::SampleCountFlags::_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let reference =
            vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL };
        let subpass = vk::SubpassDescription::builder()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(slice::from_ref(&reference));
        // The copy reads what the pass has written.
        let dependency = vk::SubpassDependency::builder()
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
            .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ);
        let pass = vk::RenderPassCreateInfo::builder()
            .attachments(slice::from_ref(&attachment))
            .subpasses(slice::from_ref(&subpass))
            .dependencies(slice::from_ref(&dependency));
        // SAFETY: all handles are made here from a live device, and the structures outlive the calls that
        // read them.
        unsafe {
            let image = device.create_image(&info, None).context("vkCreateImage")?;
            let memory = self.allocate(device.get_image_memory_requirements(image))?;
            device.bind_image_memory(image, memory, 0).context("vkBindImageMemory")?;
            let view = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(FORMAT)
                .subresource_range(WHOLE);
            let view = device.create_image_view(&view, None).context("vkCreateImageView")?;
            let pass = device.create_render_pass(&pass, None).context("vkCreateRenderPass")?;
            let framebuffer = vk::FramebufferCreateInfo::builder()
                .render_pass(pass)
                .attachments(slice::from_ref(&view))
                .width(width)
                .height(height)
                .layers(1);
            let framebuffer = device.create_framebuffer(&framebuffer, None).context("vkCreateFramebuffer")?;
            Ok(Target { image, memory, view, pass, framebuffer })
        }
    }

    fn draw_pipeline(
        &self,
        job: &Job<'_>,
        [vertex, fragment]: [vk::ShaderModule; 2],
        layout: vk::PipelineLayout,
        pass: vk::RenderPass,
        [width, height]: [u32; 2],
    ) -> Result<vk::Pipeline> {
        let entries = specialization_entries(job);
        let data: Vec<u8> = job.specialization.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let specialization = vk::SpecializationInfo::builder().map_entries(&entries).data(&data);
        let name = [job.entry_point.as_bytes(), b"\0"].concat();
        let stages = [
            vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::VERTEX)
                .module(vertex)
                .name(b"main\0"),
            vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::FRAGMENT)
                .module(fragment)
                .name(&name)
                .specialization_info(&specialization),
        ];
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let extent = vk::Extent2D { width, height };
        let port = vk::Viewport {
            width: width as f32,
            height: height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        let scissor = vk::Rect2D { extent, ..vk::Rect2D::default() };
        let viewport = vk::PipelineViewportStateCreateInfo::builder()
            .viewports(slice::from_ref(&port))
            .scissors(slice::from_ref(&scissor));
        let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
        let blend =
            vk::PipelineColorBlendAttachmentState::builder().color_write_mask(vk::ColorComponentFlags::all());
        let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&blend));
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(layout)
            .render_pass(pass);
        let cache = vk::PipelineCache::null();
        // SAFETY: the structures outlive the call, and the handles are alive.
        let made = unsafe { self.device.create_graphics_pipelines(cache, slice::from_ref(&info), None) };
        Ok(made.context("vkCreateGraphicsPipelines")?.0[0])
    }

    /// Draws a job's fragment shader over all pixels of a picture of this size, which was transparent black;
    /// gives the pixels, row by row. The shader may read its place, from 0 to 1, at location 0.
    pub(crate) fn draw(&self, job: &Job<'_>, size: [u32; 2]) -> Result<Vec<[u8; 4]>> {
        let device = &self.device;
        let vertex = shader::from_wgsl(WHOLE_PICTURE)?;
        let resources = self.resources(job, vk::ShaderStageFlags::FRAGMENT)?;
        let Resources { layout, sets, .. } = &resources;
        let target = self.target(size)?;
        let [width, height] = size;
        let byte_count = 4 * width as usize * height as usize;
        let pixels = self.mapped_buffer(byte_count.max(4), vk::BufferUsageFlags::TRANSFER_DST)?;
        // SAFETY: all handles are made here from a live device, the structures outlive the calls that read
        // them, and the fence is waited for before anything is destroyed.
        unsafe {
            let module = |words: &[u32]| {
                let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
                device.create_shader_module(&info, None).context("vkCreateShaderModule")
            };
            let modules = [module(&vertex)?, module(job.words)?];
            let pipeline = self.draw_pipeline(job, modules, *layout, target.pass, size)?;
            let ran = self.submit(|commands| {
                let clear = vk::ClearValue::default();
                let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..vk::Rect2D::default() };
                let begin = vk::RenderPassBeginInfo::builder()
                    .render_pass(target.pass)
                    .framebuffer(target.framebuffer)
                    .render_area(area)
                    .clear_values(slice::from_ref(&clear));
                device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                let point = vk::PipelineBindPoint::GRAPHICS;
                device.cmd_bind_pipeline(commands, point, pipeline);
                if !sets.is_empty() {
                    device.cmd_bind_descriptor_sets(commands, point, *layout, 0, sets, &[]);
                }
                if !job.push_constants.is_empty() {
                    let mut bytes = job.push_constants.to_vec();
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    device.cmd_push_constants(commands, *layout, vk::ShaderStageFlags::FRAGMENT, 0, &bytes);
                }
                device.cmd_draw(commands, 3, 1, 0, 0);
                device.cmd_end_render_pass(commands);
                let layers = vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    layer_count: 1,
                    ..vk::ImageSubresourceLayers::default()
                };
                let copy = vk::BufferImageCopy::builder()
                    .image_subresource(layers)
                    .image_extent(vk::Extent3D { width, height, depth: 1 });
                let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                let regions = slice::from_ref(&copy);
                device.cmd_copy_image_to_buffer(commands, target.image, from, pixels.buffer, regions);
            });
            device.destroy_pipeline(pipeline, None);
            modules.into_iter().for_each(|module| device.destroy_shader_module(module, None));
            device.destroy_framebuffer(target.framebuffer, None);
            device.destroy_render_pass(target.pass, None);
            device.destroy_image_view(target.view, None);
            device.destroy_image(target.image, None);
            device.free_memory(target.memory, None);
            self.destroy_resources(resources);
            let drawn = pixels.bytes()[..byte_count].as_chunks().0.to_vec();
            self.destroy(pixels);
            ran?;
            Ok(drawn)
        }
    }
}
