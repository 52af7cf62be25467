//! Pictures drawn by a graphics pipeline: by a fragment shader alone, over all of a picture, or by vertices
//! and the stages behind them.

use super::{Buffer, Gpu, Job, Resources, specialization_entries};
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

const DEPTH_FORMAT: vk::Format = vk::Format::D32_SFLOAT;

/// A shader of a stage before the fragment shader.
pub(crate) struct StageShader {
    pub(crate) stage: vk::ShaderStageFlags,
    pub(crate) words: Vec<u32>,
    pub(crate) entry_point: String,
}

/// An input of the vertex shader.
pub(crate) struct Attribute {
    pub(crate) location: u32,
    pub(crate) format: vk::Format,
    /// Bytes of an element.
    pub(crate) stride: u32,
    /// It goes on with each instance, not with each vertex.
    pub(crate) is_per_instance: bool,
    pub(crate) data: Vec<u8>,
}

/// What is drawn with a job's fragment shader.
pub(crate) struct Drawing {
    /// Pixels across and down.
    pub(crate) size: [u32; 2],
    /// The stages before; without any, a triangle covers the picture and gives the place in it at location 0.
    pub(crate) stages: Vec<StageShader>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) indices: Option<(vk::IndexType, Vec<u8>)>,
    pub(crate) topology: vk::PrimitiveTopology,
    /// Vertices of a patch.
    pub(crate) patch: u32,
    pub(crate) vertex_count: u32,
    pub(crate) instance_count: u32,
    /// The color that is there before.
    pub(crate) clear: [f32; 4],
    /// Fragments that are not nearer than what is there are left out.
    pub(crate) has_depth: bool,
    pub(crate) blend: Option<vk::PipelineColorBlendAttachmentState>,
}

impl Drawing {
    /// A fragment shader over all of a picture.
    pub(crate) fn whole_picture(size: [u32; 2]) -> Drawing {
        Drawing {
            size,
            stages: Vec::new(),
            attributes: Vec::new(),
            indices: None,
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            patch: 3,
            vertex_count: 3,
            instance_count: 1,
            clear: [0.0; 4],
            has_depth: false,
            blend: None,
        }
    }
}

/// A range of all of a picture.
const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// An image with its memory and view.
struct Attachment {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
}

/// What is drawn to: the color, and depth where it is wanted.
struct Target {
    attachments: Vec<Attachment>,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl Gpu<'_> {
    fn attachment(
        &self,
        [width, height]: [u32; 2],
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<Attachment> {
        let device = &self.device;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        let is_depth = format == DEPTH_FORMAT;
        let aspect_mask = if is_depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR };
        // SAFETY: all handles are made here from a live device, and the structures outlive the calls that
        // read them.
        unsafe {
            let image = device.create_image(&info, None).context("vkCreateImage")?;
            let memory = self.allocate(device.get_image_memory_requirements(image))?;
            device.bind_image_memory(image, memory, 0).context("vkBindImageMemory")?;
            let view = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(format)
                .subresource_range(vk::ImageSubresourceRange { aspect_mask, ..WHOLE });
            let view = device.create_image_view(&view, None).context("vkCreateImageView")?;
            Ok(Attachment { image, memory, view })
        }
    }

    fn target(&self, size: [u32; 2], has_depth: bool) -> Result<Target> {
        let device = &self.device;
        let description = |format: vk::Format, store: vk::AttachmentStoreOp, layout: vk::ImageLayout| {
            vk::AttachmentDescription::builder()
                .format(format)
                .samples(vk::SampleCountFlags::_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(store)
                .final_layout(layout)
                .build()
        };
        let depth_layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let mut descriptions = vec![description(FORMAT, vk::AttachmentStoreOp::STORE, source)];
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let mut attachments = vec![self.attachment(size, FORMAT, usage)?];
        if has_depth {
            descriptions.push(description(DEPTH_FORMAT, vk::AttachmentStoreOp::DONT_CARE, depth_layout));
            let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            attachments.push(self.attachment(size, DEPTH_FORMAT, usage)?);
        }
        let reference =
            vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL };
        let depth = vk::AttachmentReference { attachment: 1, layout: depth_layout };
        let mut subpass = vk::SubpassDescription::builder()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(slice::from_ref(&reference));
        if has_depth {
            subpass = subpass.depth_stencil_attachment(&depth);
        }
        // The copy reads what the pass has written.
        let dependency = vk::SubpassDependency::builder()
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
            .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ);
        let pass = vk::RenderPassCreateInfo::builder()
            .attachments(&descriptions)
            .subpasses(slice::from_ref(&subpass))
            .dependencies(slice::from_ref(&dependency));
        let views: Vec<vk::ImageView> = attachments.iter().map(|one| one.view).collect();
        // SAFETY: the device and the views are alive, and the structures outlive the calls.
        unsafe {
            let pass = device.create_render_pass(&pass, None).context("vkCreateRenderPass")?;
            let framebuffer = vk::FramebufferCreateInfo::builder()
                .render_pass(pass)
                .attachments(&views)
                .width(size[0])
                .height(size[1])
                .layers(1);
            let framebuffer = device.create_framebuffer(&framebuffer, None).context("vkCreateFramebuffer")?;
            Ok(Target { attachments, pass, framebuffer })
        }
    }

    fn destroy_target(&self, target: Target) {
        // SAFETY: no job is running, and the target is given up.
        unsafe {
            self.device.destroy_framebuffer(target.framebuffer, None);
            self.device.destroy_render_pass(target.pass, None);
            for one in target.attachments {
                self.device.destroy_image_view(one.view, None);
                self.device.destroy_image(one.image, None);
                self.device.free_memory(one.memory, None);
            }
        }
    }

    fn draw_pipeline(
        &self,
        job: &Job<'_>,
        drawing: &Drawing,
        shaders: &[(vk::ShaderStageFlags, vk::ShaderModule, &str)],
        layout: vk::PipelineLayout,
        pass: vk::RenderPass,
    ) -> Result<vk::Pipeline> {
        let entries = specialization_entries(job);
        let data: Vec<u8> = job.specialization.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let specialization = vk::SpecializationInfo::builder().map_entries(&entries).data(&data);
        let names: Vec<Vec<u8>> =
            shaders.iter().map(|(.., name)| [name.as_bytes(), b"\0"].concat()).collect();
        let stages: Vec<vk::PipelineShaderStageCreateInfo> = shaders
            .iter()
            .zip(&names)
            .map(|((stage, module, _), name)| {
                vk::PipelineShaderStageCreateInfo::builder()
                    .stage(*stage)
                    .module(*module)
                    .name(name)
                    .specialization_info(&specialization)
                    .build()
            })
            .collect();
        let (bindings, attributes) = vertex_input(drawing);
        let input = vk::PipelineVertexInputStateCreateInfo::builder()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder().topology(drawing.topology);
        let patches = vk::PipelineTessellationStateCreateInfo::builder().patch_control_points(drawing.patch);
        let [width, height] = drawing.size;
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
        let depth = vk::PipelineDepthStencilStateCreateInfo::builder()
            .depth_test_enable(drawing.has_depth)
            .depth_write_enable(drawing.has_depth)
            .depth_compare_op(vk::CompareOp::LESS);
        let blend = vk::PipelineColorBlendAttachmentState {
            color_write_mask: vk::ColorComponentFlags::all(),
            ..drawing.blend.unwrap_or_default()
        };
        let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&blend));
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&patches)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout)
            .render_pass(pass);
        let cache = vk::PipelineCache::null();
        // SAFETY: the structures outlive the call, and the handles are alive.
        let made = unsafe { self.device.create_graphics_pipelines(cache, slice::from_ref(&info), None) };
        Ok(made.context("vkCreateGraphicsPipelines")?.0[0])
    }

    /// Draws with a job's fragment shader; gives the pixels, row by row.
    pub(crate) fn draw(&self, job: &Job<'_>, drawing: &Drawing) -> Result<Vec<[u8; 4]>> {
        let device = &self.device;
        let whole = match drawing.stages.is_empty() {
            true => vec![StageShader {
                stage: vk::ShaderStageFlags::VERTEX,
                words: shader::from_wgsl(WHOLE_PICTURE)?,
                entry_point: "main".to_owned(),
            }],
            false => Vec::new(),
        };
        let resources = self.resources(job, vk::ShaderStageFlags::ALL_GRAPHICS)?;
        let target = self.target(drawing.size, drawing.has_depth)?;
        let [width, height] = drawing.size;
        let byte_count = 4 * width as usize * height as usize;
        let pixels = self.mapped_buffer(byte_count.max(4), vk::BufferUsageFlags::TRANSFER_DST)?;
        let filled = |data: &[u8], usage: vk::BufferUsageFlags| {
            let mut buffer = self.mapped_buffer(data.len().max(4), usage)?;
            buffer.bytes_mut()[..data.len()].copy_from_slice(data);
            Ok::<Buffer, anyhow::Error>(buffer)
        };
        let attributes = drawing.attributes.iter();
        let vertices: Vec<Buffer> = attributes
            .map(|one| filled(&one.data, vk::BufferUsageFlags::VERTEX_BUFFER))
            .collect::<Result<_>>()?;
        let indices = drawing.indices.as_ref();
        let indices =
            indices.map(|(_, data)| filled(data, vk::BufferUsageFlags::INDEX_BUFFER)).transpose()?;
        let mut shaders = Vec::new();
        for one in drawing.stages.iter().chain(&whole) {
            shaders.push((one.stage, self.module(&one.words)?, &one.entry_point[..]));
        }
        shaders.push((vk::ShaderStageFlags::FRAGMENT, self.module(job.words)?, job.entry_point));
        let pipeline = self.draw_pipeline(job, drawing, &shaders, resources.layout, target.pass)?;
        let ran = self.submit(|commands| {
            // SAFETY: all handles are made here from a live device, and live until the submission has ended.
            unsafe {
                self.begin_drawing(commands, drawing, &target);
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                self.bind_for_drawing(commands, job, &resources);
                for (binding, buffer) in (0..).zip(&vertices) {
                    device.cmd_bind_vertex_buffers(commands, binding, &[buffer.buffer], &[0]);
                }
                let (count, instances) = (drawing.vertex_count, drawing.instance_count);
                match (&indices, &drawing.indices) {
                    (Some(buffer), Some((ty, _))) => {
                        device.cmd_bind_index_buffer(commands, buffer.buffer, 0, *ty);
                        device.cmd_draw_indexed(commands, count, instances, 0, 0, 0);
                    }
                    _ => device.cmd_draw(commands, count, instances, 0, 0),
                }
                device.cmd_end_render_pass(commands);
                let layers = vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    layer_count: 1,
                    ..vk::ImageSubresourceLayers::default()
                };
                let copy = vk::BufferImageCopy::builder()
                    .image_subresource(layers)
                    .image_extent(vk::Extent3D { width, height, depth: 1 });
                let (image, from) = (target.attachments[0].image, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
                let regions = slice::from_ref(&copy);
                device.cmd_copy_image_to_buffer(commands, image, from, pixels.buffer, regions);
            }
        });
        // SAFETY: the submission has ended.
        unsafe {
            device.destroy_pipeline(pipeline, None);
            shaders.into_iter().for_each(|(_, module, _)| device.destroy_shader_module(module, None));
        }
        self.destroy_target(target);
        self.destroy_resources(resources);
        let drawn = pixels.bytes()[..byte_count].as_chunks().0.to_vec();
        vertices.into_iter().chain(indices).chain([pixels]).for_each(|buffer| self.destroy(buffer));
        ran?;
        Ok(drawn)
    }

    fn module(&self, words: &[u32]) -> Result<vk::ShaderModule> {
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
        // SAFETY: the device is alive, and the words outlive the call.
        unsafe { self.device.create_shader_module(&info, None) }.context("vkCreateShaderModule")
    }

    /// # Safety
    /// The command buffer is being recorded, and what is drawn to is alive until it has run.
    unsafe fn begin_drawing(&self, commands: vk::CommandBuffer, drawing: &Drawing, target: &Target) {
        let [width, height] = drawing.size;
        let color = vk::ClearValue { color: vk::ClearColorValue { float32: drawing.clear } };
        let depth = vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } };
        let clears = [color, depth];
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..vk::Rect2D::default() };
        let begin = vk::RenderPassBeginInfo::builder()
            .render_pass(target.pass)
            .framebuffer(target.framebuffer)
            .render_area(area)
            .clear_values(&clears);
        // SAFETY: the contract of this function.
        unsafe { self.device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
    }

    /// # Safety
    /// The command buffer is being recorded, and the resources are alive until it has run.
    unsafe fn bind_for_drawing(&self, commands: vk::CommandBuffer, job: &Job<'_>, resources: &Resources) {
        let (device, point) = (&self.device, vk::PipelineBindPoint::GRAPHICS);
        let Resources { layout, sets, .. } = resources;
        // SAFETY: the contract of this function.
        unsafe {
            if !sets.is_empty() {
                device.cmd_bind_descriptor_sets(commands, point, *layout, 0, sets, &[]);
            }
            if !job.push_constants.is_empty() {
                let mut bytes = job.push_constants.to_vec();
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                device.cmd_push_constants(commands, *layout, vk::ShaderStageFlags::ALL_GRAPHICS, 0, &bytes);
            }
        }
    }
}

/// A binding for each attribute.
fn vertex_input(
    drawing: &Drawing,
) -> (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>) {
    let all = (0..).zip(&drawing.attributes);
    all.map(|(binding, one): (u32, &Attribute)| {
        let input_rate = match one.is_per_instance {
            true => vk::VertexInputRate::INSTANCE,
            false => vk::VertexInputRate::VERTEX,
        };
        (
            vk::VertexInputBindingDescription { binding, stride: one.stride, input_rate },
            vk::VertexInputAttributeDescription {
                location: one.location,
                binding,
                format: one.format,
                offset: 0,
            },
        )
    })
    .unzip()
}
