//! Draws a scene and reads its pixels.
#![allow(unsafe_code)] // The Vulkan API is foreign functions.

use crate::device::Device;
use crate::scene::{Draw, SIZE, Scene, Shading, TEXTURE_SIZE, Vertex};
use crate::shaders;
use ash::vk;
use pyro_random::Random;
use pyro_test_loader::{Image, Mapped, Submission};
use std::time::Duration;

/// Bytes of the buffers for corners and indices of one scene.
const VERTEX_BYTES: u64 = 1 << 20;
/// Bytes of the largest picture.
const PIXELS_BYTES: u64 = SIZE as u64 * SIZE as u64 * 16;
/// Levels of the texture.
const LEVELS: u32 = 5;

/// What scenes share.
pub struct Renderer {
    device: Device,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    submission: Submission,
    /// For float and for integer targets.
    modules: [vk::ShaderModule; 2],
    vertices: Mapped,
    indices: Mapped,
    pixels: Mapped,
}

/// A call's failure, in words.
fn text(error: vk::Result) -> String {
    error.to_string()
}

/// The attachments of a scene.
struct Targets {
    color: Image,
    resolved: Option<Image>,
    depth: Option<Image>,
}

impl Renderer {
    /// Makes what all scenes share.
    ///
    /// # Errors
    /// The device's refusal.
    pub fn new(device: Device) -> Result<Renderer, String> {
        let words = [shaders::words(false)?, shaders::words(true)?];
        let renderer = Self::with_words(device, &words).map_err(text)?;
        renderer.fill_texture().map_err(text)?;
        Ok(renderer)
    }

    fn with_words(device: Device, words: &[Vec<u32>; 2]) -> Result<Renderer, vk::Result> {
        let vk_device = &device.device;
        let fragment = vk::ShaderStageFlags::FRAGMENT;
        let sampler = vk::DescriptorType::SAMPLER;
        let bindings = [(0, vk::DescriptorType::SAMPLED_IMAGE), (1, sampler), (2, sampler)];
        let sizes = bindings.map(|(_, ty)| vk::DescriptorPoolSize { ty, descriptor_count: 1 });
        let bindings = bindings.map(|(binding, kind)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(fragment)
        });
        let ranges =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: 16 }];
        // SAFETY: every object is made from this device, and the structures live until each call returns.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layouts = [vk_device.create_descriptor_set_layout(&info, None)?];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&set_layouts)
                .push_constant_ranges(&ranges);
            let layout = vk_device.create_pipeline_layout(&info, None)?;
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let descriptors = vk_device.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(descriptors)
                .set_layouts(&set_layouts);
            let set = vk_device.allocate_descriptor_sets(&info)?[0];
            let submission = Submission::new(vk_device)?;
            let module = |words: &Vec<u32>| {
                vk_device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)
            };
            let modules = [module(&words[0])?, module(&words[1])?];
            let vertices = vk_device.buffer(VERTEX_BYTES, vk::BufferUsageFlags::VERTEX_BUFFER)?;
            let indices = vk_device.buffer(VERTEX_BYTES, vk::BufferUsageFlags::INDEX_BUFFER)?;
            let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
            let pixels = vk_device.buffer(PIXELS_BYTES, usage)?;
            Ok(Renderer { device, layout, set, submission, modules, vertices, indices, pixels })
        }
    }

    /// Makes the texture, the same for all scenes, and the descriptors that name it.
    fn fill_texture(&self) -> Result<(), vk::Result> {
        let device = &self.device.device;
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let image = self.device.device.image(
            (vk::Format::R8G8B8A8_UNORM, vk::ImageAspectFlags::COLOR),
            vk::SampleCountFlags::TYPE_1,
            ([TEXTURE_SIZE; 2], LEVELS),
            usage,
        )?;
        let mut random = Random::new(1);
        let mut copies = Vec::new();
        let mut offset = 0;
        for level in 0..LEVELS {
            let size = TEXTURE_SIZE >> level;
            let subresource = vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: level,
                base_array_layer: 0,
                layer_count: 1,
            };
            copies.push(
                vk::BufferImageCopy::default()
                    .buffer_offset(offset)
                    .image_subresource(subresource)
                    .image_extent(vk::Extent3D { width: size, height: size, depth: 1 }),
            );
            for texel in 0..u64::from(size * size) {
                // Multiples of 17, which integer targets show exactly.
                let bytes = [0; 4].map(|_: u8| random.below(16u32) as u8 * 17);
                // SAFETY: all levels together are smaller than the mapped buffer.
                unsafe {
                    self.pixels.address.add((offset + texel * 4) as usize).cast::<[u8; 4]>().write(bytes)
                };
            }
            offset += u64::from(size * size) * 4;
        }
        let (general, undefined) = (vk::ImageLayout::GENERAL, vk::ImageLayout::UNDEFINED);
        self.submit(|commands| {
            self.transition(commands, &image, undefined, general);
            // SAFETY: the image has this layout, and the regions lie in both.
            unsafe {
                device.cmd_copy_buffer_to_image(commands, self.pixels.buffer, image.image, general, &copies)
            };
        })?;
        let info = vk::SamplerCreateInfo::default()
            .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
            .address_mode_u(vk::SamplerAddressMode::REPEAT)
            .address_mode_v(vk::SamplerAddressMode::MIRRORED_REPEAT)
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: as above; the set is not in use.
        unsafe {
            let sampler = device.create_sampler(&info, None)?;
            let images = [vk::DescriptorImageInfo::default().image_view(image.view).image_layout(general)];
            let samplers = [vk::DescriptorImageInfo::default().sampler(sampler)];
            let info = info
                .mag_filter(vk::Filter::LINEAR)
                .min_filter(vk::Filter::LINEAR)
                .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
                .anisotropy_enable(self.device.features.sampler_anisotropy != 0)
                .max_anisotropy(4.0);
            let smooth = [vk::DescriptorImageInfo::default().sampler(device.create_sampler(&info, None)?)];
            let write = vk::WriteDescriptorSet::default().dst_set(self.set);
            let writes = [
                write.descriptor_type(vk::DescriptorType::SAMPLED_IMAGE).image_info(&images),
                write.dst_binding(1).descriptor_type(vk::DescriptorType::SAMPLER).image_info(&samplers),
                write.dst_binding(2).descriptor_type(vk::DescriptorType::SAMPLER).image_info(&smooth),
            ];
            device.update_descriptor_sets(&writes, &[]);
        }
        Ok(())
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether work was waited for in vain, or the device is lost: it draws nothing any more.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.submission.has_failed()
    }

    /// How long a scene may take from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.submission.timeout = timeout;
    }

    /// The pixels of a scene, as the target's format has them.
    ///
    /// # Errors
    /// Why the device does not draw it.
    pub fn draw(&self, scene: &Scene) -> Result<Vec<u8>, String> {
        self.require(scene)?;
        let targets = self.targets(scene).map_err(text)?;
        let pipelines = scene
            .draws
            .iter()
            .map(|draw| self.pipeline(scene, draw))
            .collect::<Result<Vec<_>, _>>()
            .map_err(text)?;
        let drawn = self.submit(|commands| self.record(commands, scene, &targets, &pipelines));
        if let Err(error) = drawn
            && self.has_failed()
        {
            // The pipelines and images may be in use.
            return Err(text(error));
        }
        let bytes = (SIZE * SIZE * scene.texel_bytes()) as usize;
        // SAFETY: `submit` waited; the buffer is mapped with more bytes.
        unsafe {
            pipelines.iter().for_each(|&pipeline| self.device.device.destroy_pipeline(pipeline, None));
            [Some(&targets.color), targets.resolved.as_ref(), targets.depth.as_ref()]
                .into_iter()
                .flatten()
                .for_each(|image| self.device.device.destroy_image(image));
            drawn.map_err(text)?;
            Ok(std::slice::from_raw_parts(self.pixels.address, bytes).to_vec())
        }
    }

    fn require(&self, scene: &Scene) -> Result<(), String> {
        let features = &self.device.features;
        for draw in &scene.draws {
            let needs = [
                ("depthBounds", draw.depth_stencil.bounds.is_some(), features.depth_bounds),
                ("depthClamp", draw.depth_clamp, features.depth_clamp),
                ("logicOp", draw.logic.is_some(), features.logic_op),
                ("sampleRateShading", draw.shading == Shading::PerSample, features.sample_rate_shading),
            ];
            if let Some((name, ..)) = needs.iter().find(|(_, needed, has)| *needed && *has == 0) {
                return Err(format!("no {name}"));
            }
        }
        Ok(())
    }

    fn targets(&self, scene: &Scene) -> Result<Targets, vk::Result> {
        let (color, single) = (vk::ImageAspectFlags::COLOR, vk::SampleCountFlags::TYPE_1);
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let (kept, device) = (usage | vk::ImageUsageFlags::TRANSFER_SRC, &self.device.device);
        let resolved = (scene.samples != single)
            .then(|| device.image((scene.color, color), single, ([SIZE; 2], 1), kept))
            .transpose()?;
        let drawn = if resolved.is_some() { usage } else { kept };
        let depth = scene.depth.map(|format| {
            let aspect = match format {
                vk::Format::D32_SFLOAT_S8_UINT => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
                _ => vk::ImageAspectFlags::DEPTH,
            };
            let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            device.image((format, aspect), scene.samples, ([SIZE; 2], 1), usage)
        });
        Ok(Targets {
            color: device.image((scene.color, color), scene.samples, ([SIZE; 2], 1), drawn)?,
            resolved,
            depth: depth.transpose()?,
        })
    }

    fn pipeline(&self, scene: &Scene, draw: &Draw) -> Result<vk::Pipeline, vk::Result> {
        let module = self.modules[usize::from(scene.is_integer())];
        let stage =
            |stage, name| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(name);
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, c"corner"),
            stage(vk::ShaderStageFlags::FRAGMENT, draw.shading.entry_point()),
        ];
        let bindings = [vk::VertexInputBindingDescription::default().stride(size_of::<Vertex>() as u32)];
        let attributes = [0, 1].map(|location| vk::VertexInputAttributeDescription {
            location,
            binding: 0,
            format: vk::Format::R32G32B32A32_SFLOAT,
            offset: location * 16,
        });
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(draw.topology)
            .primitive_restart_enable(draw.restart);
        let (viewports, scissors) = ([draw.viewport], [draw.scissor]);
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .depth_clamp_enable(draw.depth_clamp)
            .cull_mode(draw.cull)
            .front_face(draw.front)
            .line_width(1.0);
        let mask = [draw.sample_mask];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(scene.samples)
            .sample_mask(&mask);
        let state = &draw.depth_stencil;
        let mut depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(state.test)
            .depth_write_enable(state.write)
            .depth_compare_op(state.compare);
        if let Some([front, back]) = state.stencil {
            depth = depth.stencil_test_enable(true).front(front).back(back);
        }
        if let Some([low, high]) = state.bounds {
            depth = depth.depth_bounds_test_enable(true).min_depth_bounds(low).max_depth_bounds(high);
        }
        let attachments = [draw.blend];
        let mut blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&attachments)
            .blend_constants(draw.blend_constants);
        if let Some(op) = draw.logic {
            blend = blend.logic_op_enable(true).logic_op(op);
        }
        let formats = [scene.color];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        if let Some(format) = scene.depth {
            rendering = rendering.depth_attachment_format(format);
            if format == vk::Format::D32_SFLOAT_S8_UINT {
                rendering = rendering.stencil_attachment_format(format);
            }
        }
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(self.layout)
            .push_next(&mut rendering)];
        // SAFETY: the structures live until the call returns.
        let made =
            unsafe { self.device.device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error)
    }

    fn record(
        &self,
        commands: vk::CommandBuffer,
        scene: &Scene,
        targets: &Targets,
        pipelines: &[vk::Pipeline],
    ) {
        let device = &self.device.device;
        let (general, undefined) = (vk::ImageLayout::GENERAL, vk::ImageLayout::UNDEFINED);
        let images = [Some(&targets.color), targets.resolved.as_ref(), targets.depth.as_ref()];
        images.into_iter().flatten().for_each(|image| self.transition(commands, image, undefined, general));
        let clear = if scene.is_integer() {
            vk::ClearColorValue { uint32: scene.clear.map(|value| (value * 15.0 + 0.5) as u32 * 17) }
        } else {
            vk::ClearColorValue { float32: scene.clear }
        };
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_layout(general)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        let mut color =
            attachment.image_view(targets.color.view).clear_value(vk::ClearValue { color: clear });
        if let Some(resolved) = &targets.resolved {
            let mode = match scene.is_integer() {
                true => vk::ResolveModeFlags::SAMPLE_ZERO,
                false => vk::ResolveModeFlags::AVERAGE,
            };
            color = color.resolve_mode(mode).resolve_image_view(resolved.view).resolve_image_layout(general);
        }
        let colors = [color];
        let depth_stencil =
            vk::ClearDepthStencilValue { depth: scene.clear_depth, stencil: scene.clear_stencil };
        let depth = targets
            .depth
            .as_ref()
            .map(|image| attachment.image_view(image.view).clear_value(vk::ClearValue { depth_stencil }));
        let area = vk::Rect2D::default().extent(vk::Extent2D { width: SIZE, height: SIZE });
        let mut info =
            vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&colors);
        if let Some(depth) = &depth {
            info = info.depth_attachment(depth);
            if scene.depth == Some(vk::Format::D32_SFLOAT_S8_UINT) {
                info = info.stencil_attachment(depth);
            }
        }
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: all objects are this device's and outlive the submission; buffers hold what is drawn.
        unsafe {
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_descriptor_sets(commands, graphics, self.layout, 0, &[self.set], &[]);
            let (mut vertex_place, mut index_place) = (0, 0);
            for (draw, &pipeline) in scene.draws.iter().zip(pipelines) {
                device.cmd_bind_pipeline(commands, graphics, pipeline);
                let push: Vec<u8> = draw.push.iter().flat_map(|value| value.to_ne_bytes()).collect();
                device.cmd_push_constants(commands, self.layout, vk::ShaderStageFlags::VERTEX, 0, &push);
                let bytes = size_of_val(&draw.vertices[..]) as u64;
                assert!(vertex_place + bytes <= VERTEX_BYTES);
                let corners = draw.vertices.as_ptr().cast::<u8>();
                let target = self.vertices.address.add(vertex_place as usize);
                corners.copy_to_nonoverlapping(target, bytes as usize);
                device.cmd_bind_vertex_buffers(commands, 0, &[self.vertices.buffer], &[vertex_place]);
                vertex_place += bytes;
                let Some((kind, indices)) = &draw.indices else {
                    device.cmd_draw(commands, draw.vertices.len() as u32, draw.instances, 0, 0);
                    continue;
                };
                let bytes: Vec<u8> = match *kind {
                    vk::IndexType::UINT16 => indices.iter().flat_map(|&i| (i as u16).to_ne_bytes()).collect(),
                    _ => indices.iter().flat_map(|i| i.to_ne_bytes()).collect(),
                };
                assert!(index_place + bytes.len() as u64 <= VERTEX_BYTES);
                let target = self.indices.address.add(index_place as usize);
                bytes.as_ptr().copy_to_nonoverlapping(target, bytes.len());
                device.cmd_bind_index_buffer(commands, self.indices.buffer, index_place, *kind);
                index_place += bytes.len().next_multiple_of(4) as u64;
                device.cmd_draw_indexed(commands, indices.len() as u32, draw.instances, 0, 0, 0);
            }
            device.cmd_end_rendering(commands);
            let shown = targets.resolved.as_ref().unwrap_or(&targets.color);
            self.transition(commands, shown, general, general);
            let subresource = vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            };
            let region = vk::BufferImageCopy::default()
                .image_subresource(subresource)
                .image_extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 });
            device.cmd_copy_image_to_buffer(commands, shown.image, general, self.pixels.buffer, &[region]);
            let barrier = [vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::HOST)
                .dst_access_mask(vk::AccessFlags2::HOST_READ)];
            device.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().memory_barriers(&barrier));
        }
    }

    /// A barrier between everything before and after, with a change of layout.
    fn transition(
        &self,
        commands: vk::CommandBuffer,
        image: &Image,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let access = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(all)
            .src_access_mask(access)
            .dst_stage_mask(all)
            .dst_access_mask(access)
            .old_layout(from)
            .new_layout(to)
            .image(image.image)
            .subresource_range(image.range)];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        // SAFETY: the command buffer records, and the image is live.
        unsafe { self.device.device.cmd_pipeline_barrier2(commands, &info) };
    }

    /// Records, submits and waits.
    fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), vk::Result> {
        self.submission.run(&self.device.device, record)
    }
}
