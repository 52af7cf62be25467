//! Pictures drawn by a graphics pipeline: by a fragment shader alone, over all of a picture, or by vertices
//! and the stages behind them.

use super::{Bound, Buffer, Gpu, Job, Times, with_stages};
use crate::sources;
use anyhow::{Context, Result};
use std::slice;
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_2::*;
use vulkanalia::vk::ExtMeshShaderExtensionDeviceCommands as _;

/// A triangle that covers the picture, with its place in it, from 0 to 1, at location 0.
const WHOLE_PICTURE: &str = "
struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn main(@builtin(vertex_index) index: u32) -> Out {
    let uv = vec2(f32(index & 1u) * 2.0, f32(index >> 1u) * 2.0);
    return Out(vec4(uv * vec2(2.0, 2.0) - 1.0, 0.0, 1.0), uv);
}";

/// What pictures of 8 bits a channel are drawn to.
pub(crate) const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

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

/// What is drawn with a job's fragment shader; without one (no words), nothing is rasterized.
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
    /// Workgroups of the task or mesh shader, where one is among the stages.
    pub(crate) groups: [u32; 3],
    /// The formats of the colors by their locations; an undefined one is not written.
    pub(crate) colors: Vec<vk::Format>,
    /// The color that is there before.
    pub(crate) clear: [f32; 4],
    /// Fragments that are not nearer than what is there are left out.
    pub(crate) has_depth: bool,
    pub(crate) blend: Option<vk::PipelineColorBlendAttachmentState>,
}

/// Whether a format has integers.
fn integers(format: vk::Format) -> Option<vk::Format> {
    matches!(format, vk::Format::R32G32B32A32_UINT | vk::Format::R32G32B32A32_SINT).then_some(format)
}

/// Bytes of a pixel of a color.
fn pixel_bytes(format: vk::Format) -> usize {
    if format == FORMAT { 4 } else { 16 }
}

impl Drawing {
    /// The formats that are drawn to.
    fn written(&self) -> impl Iterator<Item = vk::Format> + '_ {
        self.colors.iter().copied().filter(|format| *format != vk::Format::UNDEFINED)
    }

    /// All stages that descriptors and push constants are of.
    fn stage_flags(&self) -> vk::ShaderStageFlags {
        let has_mesh = self.has_mesh();
        let meshes = vk::ShaderStageFlags::TASK_EXT | vk::ShaderStageFlags::MESH_EXT;
        vk::ShaderStageFlags::ALL_GRAPHICS | if has_mesh { meshes } else { vk::ShaderStageFlags::empty() }
    }

    fn has_mesh(&self) -> bool {
        self.stages.iter().any(|one| one.stage == vk::ShaderStageFlags::MESH_EXT)
    }

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
            groups: [1; 3],
            colors: vec![FORMAT],
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

/// What is drawn to: the colors, and depth where it is wanted.
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

    /// Color attachments, then depth, then the input attachments of the job by their index.
    fn target(&self, job: &Job<'_>, drawing: &Drawing) -> Result<Target> {
        let (device, size) = (&self.device, drawing.size);
        let description = |format, load, store, from, to| vk::AttachmentDescription {
            format,
            samples: vk::SampleCountFlags::_1,
            load_op: load,
            store_op: store,
            initial_layout: from,
            final_layout: to,
            ..vk::AttachmentDescription::default()
        };
        let (clear, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
        let (undefined, general) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
        let (mut descriptions, mut attachments, mut references) = (Vec::new(), Vec::new(), Vec::new());
        for &format in &drawing.colors {
            let mut attachment = vk::ATTACHMENT_UNUSED;
            if format != vk::Format::UNDEFINED {
                attachment = descriptions.len() as u32;
                let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                descriptions.push(description(format, clear, store, undefined, source));
                let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
                attachments.push(self.attachment(size, format, usage)?);
            }
            let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
            references.push(vk::AttachmentReference { attachment, layout });
        }
        let layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let depth = vk::AttachmentReference { attachment: descriptions.len() as u32, layout };
        if drawing.has_depth {
            let unused = vk::AttachmentStoreOp::DONT_CARE;
            descriptions.push(description(DEPTH_FORMAT, clear, unused, undefined, layout));
            let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            attachments.push(self.attachment(size, DEPTH_FORMAT, usage)?);
        }
        let mut views: Vec<vk::ImageView> = attachments.iter().map(|one| one.view).collect();
        let mut inputs = Vec::new();
        for binding in job.bindings {
            let Bound::Input { view, index, format } = binding.bound else { continue };
            let unused = vk::AttachmentReference { attachment: vk::ATTACHMENT_UNUSED, layout: general };
            inputs.resize(inputs.len().max(index as usize + 1), unused);
            inputs[index as usize].attachment = descriptions.len() as u32;
            let load = vk::AttachmentLoadOp::LOAD;
            descriptions.push(description(format, load, store, general, general));
            views.push(view);
        }
        let mut subpass = vk::SubpassDescription::builder()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .input_attachments(&inputs)
            .color_attachments(&references);
        if drawing.has_depth {
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
    ) -> Result<(vk::Pipeline, Duration)> {
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
        let raster = vk::PipelineRasterizationStateCreateInfo::builder()
            .line_width(1.0)
            .rasterizer_discard_enable(job.words.is_empty());
        let samples =
            vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::builder()
            .depth_test_enable(drawing.has_depth)
            .depth_write_enable(drawing.has_depth)
            .depth_compare_op(vk::CompareOp::LESS);
        let blends: Vec<_> = drawing
            .colors
            .iter()
            .map(|&format| vk::PipelineColorBlendAttachmentState {
                color_write_mask: vk::ColorComponentFlags::all(),
                // Integers are not blended.
                ..drawing.blend.filter(|_| integers(format).is_none()).unwrap_or_default()
            })
            .collect();
        let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(&blends);
        with_stages(job, shaders, |stages| {
            let info = vk::GraphicsPipelineCreateInfo::builder()
                .stages(stages)
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
            let start = Instant::now();
            // SAFETY: the structures outlive the call, and the handles are alive.
            let made = unsafe { self.device.create_graphics_pipelines(cache, slice::from_ref(&info), None) };
            Ok((made.context("vkCreateGraphicsPipelines")?.0[0], start.elapsed()))
        })
    }

    /// Draws with a job's fragment shader; gives the bytes of the colors that are written, row by row.
    pub(crate) fn draw(&self, job: &Job<'_>, drawing: &Drawing) -> Result<(Times, Vec<Vec<u8>>)> {
        let device = &self.device;
        let whole = match drawing.stages.is_empty() {
            true => vec![StageShader {
                stage: vk::ShaderStageFlags::VERTEX,
                words: sources::of_own_wgsl("whole-picture", WHOLE_PICTURE)?,
                entry_point: "main".to_owned(),
            }],
            false => Vec::new(),
        };
        let resources = self.resources(job, drawing.stage_flags())?;
        let target = self.target(job, drawing)?;
        let [width, height] = drawing.size;
        let pixel_count = width as usize * height as usize;
        let pixels: Vec<(Buffer, usize)> = drawing
            .written()
            .map(|format| {
                let byte_count = pixel_bytes(format) * pixel_count;
                Ok((self.mapped_buffer(byte_count.max(4), vk::BufferUsageFlags::TRANSFER_DST)?, byte_count))
            })
            .collect::<Result<_>>()?;
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
        if !job.words.is_empty() {
            shaders.push((vk::ShaderStageFlags::FRAGMENT, self.module(job.words)?, job.entry_point));
        }
        let (pipeline, compile) =
            self.draw_pipeline(job, drawing, &shaders, resources.layout, target.pass)?;
        let ran = self.submit(|commands| {
            // SAFETY: all handles are made here from a live device, and live until the submission has ended.
            unsafe {
                self.begin_drawing(commands, drawing, &target);
                let point = vk::PipelineBindPoint::GRAPHICS;
                device.cmd_bind_pipeline(commands, point, pipeline);
                self.bind(commands, point, drawing.stage_flags(), job, &resources);
                self.record_draw(commands, drawing, &vertices, indices.as_ref());
                device.cmd_end_render_pass(commands);
                let layers = vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    layer_count: 1,
                    ..vk::ImageSubresourceLayers::default()
                };
                let copy = vk::BufferImageCopy::builder()
                    .image_subresource(layers)
                    .image_extent(vk::Extent3D { width, height, depth: 1 });
                let (from, regions) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, slice::from_ref(&copy));
                for (attachment, (buffer, _)) in target.attachments.iter().zip(&pixels) {
                    let (image, to) = (attachment.image, buffer.buffer);
                    device.cmd_copy_image_to_buffer(commands, image, from, to, regions);
                }
            }
        });
        // SAFETY: the submission has ended.
        unsafe {
            device.destroy_pipeline(pipeline, None);
            shaders.into_iter().for_each(|(_, module, _)| device.destroy_shader_module(module, None));
        }
        self.destroy_target(target);
        self.destroy_resources(resources);
        let drawn = pixels.iter().map(|(buffer, len)| buffer.bytes()[..*len].to_vec()).collect();
        let pixels = pixels.into_iter().map(|(buffer, _)| buffer);
        vertices.into_iter().chain(indices).chain(pixels).for_each(|buffer| self.destroy(buffer));
        Ok((Times { compile, run: ran? }, drawn))
    }

    /// # Safety
    /// The command buffer is being recorded, with a pass begun and the pipeline bound; the buffers are alive
    /// until it has run.
    unsafe fn record_draw(
        &self,
        commands: vk::CommandBuffer,
        drawing: &Drawing,
        vertices: &[Buffer],
        indices: Option<&Buffer>,
    ) {
        let device = &self.device;
        let (count, instances) = (drawing.vertex_count, drawing.instance_count);
        // SAFETY: the contract of this function.
        unsafe {
            if drawing.has_mesh() {
                let [x, y, z] = drawing.groups;
                device.cmd_draw_mesh_tasks_ext(commands, x, y, z);
                return;
            }
            for (binding, buffer) in (0..).zip(vertices) {
                device.cmd_bind_vertex_buffers(commands, binding, &[buffer.buffer], &[0]);
            }
            match (indices, &drawing.indices) {
                (Some(buffer), Some((ty, _))) => {
                    device.cmd_bind_index_buffer(commands, buffer.buffer, 0, *ty);
                    device.cmd_draw_indexed(commands, count, instances, 0, 0, 0);
                }
                _ => device.cmd_draw(commands, count, instances, 0, 0),
            }
        }
    }

    pub(super) fn module(&self, words: &[u32]) -> Result<vk::ShaderModule> {
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
        // SAFETY: the device is alive, and the words outlive the call.
        unsafe { self.device.create_shader_module(&info, None) }.context("vkCreateShaderModule")
    }

    /// # Safety
    /// The command buffer is being recorded, and what is drawn to is alive until it has run.
    unsafe fn begin_drawing(&self, commands: vk::CommandBuffer, drawing: &Drawing, target: &Target) {
        let [width, height] = drawing.size;
        let color = |format| vk::ClearColorValue {
            // The same bytes of signed numbers.
            uint32: match integers(format) {
                Some(vk::Format::R32G32B32A32_SINT) => drawing.clear.map(|value| value as i32 as u32),
                Some(_) => drawing.clear.map(|value| value as u32),
                None => drawing.clear.map(f32::to_bits),
            },
        };
        let mut clears: Vec<_> =
            drawing.written().map(|format| vk::ClearValue { color: color(format) }).collect();
        let depth_stencil = vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 };
        clears.push(vk::ClearValue { depth_stencil });
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..vk::Rect2D::default() };
        let begin = vk::RenderPassBeginInfo::builder()
            .render_pass(target.pass)
            .framebuffer(target.framebuffer)
            .render_area(area)
            .clear_values(&clears);
        // SAFETY: the contract of this function.
        unsafe { self.device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
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
