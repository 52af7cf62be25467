//! Draws of pixels whose values come from a buffer, on any Vulkan device.
#![allow(unsafe_code)] // The Vulkan API is foreign functions.

use ash::vk;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use pyro_test_loader::{Device, Driver, Image, Mapped};

/// Pixels of a row and of a column; the shader knows it too.
pub const SIZE: u32 = 128;
/// Pixels.
pub const PIXELS: usize = (SIZE * SIZE) as usize;
/// Values that the buffer has room for.
const VALUES: usize = PIXELS * 8;
/// Corners that the buffer has room for; the first three are a triangle over all pixels.
const CORNERS: usize = 3 + 3 * 64;
/// Texels of a row and of a column of the textures' first level.
pub const TEXTURE_SIZE: u32 = 16;
/// Levels of the textures.
pub const LEVELS: u32 = 5;
/// How long a draw may take, in nanoseconds.
const TIMEOUT_NS: u64 = 60_000_000_000;

/// Where values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The buffer.
    Stored,
    /// The texture of `R8G8B8A8_UNORM`, filtered within and between levels.
    Filtered,
    /// The texture of `R8G8B8A8_SRGB`, the nearest texel.
    Decoded,
}

/// A draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// What the pixels' values are.
    pub source: Source,
    /// The buffer's first value.
    pub first_value: u32,
    /// The first of three corners.
    pub first_corner: u32,
    /// Which samples it covers.
    pub sample_mask: u32,
    /// `value * a + pixel * (1 - a)` instead of the value.
    pub blends: bool,
    /// Where it is seen: a square's left, top and size.
    pub area: [u32; 3],
}

/// Over all pixels.
pub const WHOLE: Draw = Draw {
    source: Source::Stored,
    first_value: 0,
    first_corner: 0,
    sample_mask: u32::MAX,
    blends: false,
    area: [0, 0, SIZE],
};

/// A device.
pub struct Gpu {
    device: Device,
    layout: vk::PipelineLayout,
    /// For the filtered and the decoded texture.
    sets: [vk::DescriptorSet; 2],
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    module: vk::ShaderModule,
    values: Mapped,
    corners: Mapped,
    pixels: Mapped,
}

fn words() -> Result<Vec<u32>, String> {
    let source = include_str!("shader.wgsl");
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(source))?;
    let mut options = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
    options.flags -= spv::WriterFlags::ADJUST_COORDINATE_SPACE;
    spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())
}

/// A call's failure, in words.
fn text(error: vk::Result) -> String {
    error.to_string()
}

impl Gpu {
    /// Opens the first device of the loader, or of a driver, with textures of these texels: of all levels of
    /// the first, and of the second's only one.
    ///
    /// # Errors
    /// What is missing.
    pub fn open(entry: ash::Entry, filtered: &[[u8; 4]], decoded: &[[u8; 4]]) -> Result<Gpu, String> {
        let driver = Driver::of_version_1_3(entry)?;
        let family = driver.family(vk::QueueFlags::GRAPHICS)?;
        let mut v13 =
            vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true).synchronization2(true);
        let info = vk::DeviceCreateInfo::default().push_next(&mut v13);
        let device = driver.device(family, info).map_err(text)?;
        let gpu = Gpu::with(device, &words()?).map_err(text)?;
        gpu.texture(0, vk::Format::R8G8B8A8_UNORM, LEVELS, filtered).map_err(text)?;
        gpu.texture(1, vk::Format::R8G8B8A8_SRGB, 1, decoded).map_err(text)?;
        Ok(gpu)
    }

    /// The device's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.device.driver.name
    }

    fn with(device: Device, words: &[u32]) -> Result<Gpu, vk::Result> {
        let (fragment, vertex) = (vk::ShaderStageFlags::FRAGMENT, vk::ShaderStageFlags::VERTEX);
        let kinds = [
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::SAMPLED_IMAGE,
            vk::DescriptorType::SAMPLER,
        ];
        let bindings: Vec<_> = kinds
            .iter()
            .zip(0..)
            .map(|(&kind, binding)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(fragment)
            })
            .collect();
        let sizes = kinds.map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 2 });
        let ranges = [vk::PushConstantRange { stage_flags: fragment | vertex, offset: 0, size: 4 }];
        let values = device.buffer(VALUES as u64 * 16, vk::BufferUsageFlags::STORAGE_BUFFER)?;
        let corners = device.buffer(CORNERS as u64 * 8, vk::BufferUsageFlags::VERTEX_BUFFER)?;
        let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
        let pixels = device.buffer(PIXELS as u64 * 16, usage)?;
        // SAFETY: every object is made from this device, and the structures live until each call returns.
        let gpu = unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layouts = [device.create_descriptor_set_layout(&info, None)?; 2];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&set_layouts[..1])
                .push_constant_ranges(&ranges);
            let layout = device.create_pipeline_layout(&info, None)?;
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None)?;
            let info =
                vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
            let sets = device.allocate_descriptor_sets(&info)?;
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
            let pool = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            let module =
                device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
            let sets = [sets[0], sets[1]];
            Gpu { device, layout, sets, pool, commands, module, values, corners, pixels }
        };
        gpu.set_corners(0, &[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]);
        Ok(gpu)
    }

    /// Writes values.
    ///
    /// # Panics
    /// When there is no room for them.
    pub fn set_values(&self, first: usize, values: &[[f32; 4]]) {
        assert!(first + values.len() <= VALUES);
        // SAFETY: the buffer is mapped with so many values, and the device is idle.
        unsafe { self.values.address.cast::<[f32; 4]>().add(first).copy_from(values.as_ptr(), values.len()) };
    }

    /// Writes corners.
    ///
    /// # Panics
    /// When there is no room for them.
    pub fn set_corners(&self, first: usize, corners: &[[f32; 2]]) {
        assert!(first + corners.len() <= CORNERS);
        // SAFETY: the buffer is mapped with so many corners, and the device is idle.
        unsafe {
            self.corners.address.cast::<[f32; 2]>().add(first).copy_from(corners.as_ptr(), corners.len());
        };
    }

    /// Makes a texture, and the set that names it.
    fn texture(
        &self,
        number: usize,
        format: vk::Format,
        levels: u32,
        texels: &[[u8; 4]],
    ) -> Result<(), vk::Result> {
        let device = &self.device;
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let single = vk::SampleCountFlags::TYPE_1;
        let color = (format, vk::ImageAspectFlags::COLOR);
        let image = device.image(color, single, ([TEXTURE_SIZE; 2], levels), usage)?;
        let mut offset = 0;
        let mut copies = Vec::new();
        for level in 0..levels {
            let size = TEXTURE_SIZE >> level;
            let copy = copy(level, size).buffer_offset(offset);
            copies.push(copy);
            offset += u64::from(size * size) * 4;
        }
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: the buffer is mapped with more bytes, and the device is idle.
        unsafe { self.pixels.address.cast::<[u8; 4]>().copy_from(texels.as_ptr(), texels.len()) };
        self.submit(|commands| {
            self.transition(commands, &image);
            // SAFETY: the image has this layout, and the regions lie in both.
            unsafe {
                device.cmd_copy_buffer_to_image(commands, self.pixels.buffer, image.image, general, &copies);
            }
        })?;
        let filter = if levels > 1 { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
        let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
            .address_mode_u(edge)
            .address_mode_v(edge)
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the set is not in use, and what is named lives on.
        unsafe {
            let samplers = [vk::DescriptorImageInfo::default().sampler(device.create_sampler(&info, None)?)];
            let images = [vk::DescriptorImageInfo::default().image_view(image.view).image_layout(general)];
            let buffers =
                [vk::DescriptorBufferInfo::default().buffer(self.values.buffer).range(vk::WHOLE_SIZE)];
            let write = vk::WriteDescriptorSet::default().dst_set(self.sets[number]);
            let writes = [
                write.descriptor_type(vk::DescriptorType::STORAGE_BUFFER).buffer_info(&buffers),
                write.dst_binding(1).descriptor_type(vk::DescriptorType::SAMPLED_IMAGE).image_info(&images),
                write.dst_binding(2).descriptor_type(vk::DescriptorType::SAMPLER).image_info(&samplers),
            ];
            device.update_descriptor_sets(&writes, &[]);
        }
        Ok(())
    }

    /// The bytes of all pixels after draws on zeros, resolved where there are more samples.
    ///
    /// # Errors
    /// Why the device does not draw.
    pub fn draw(&self, format: vk::Format, samples: u32, draws: &[Draw]) -> Result<Vec<u8>, String> {
        let count = vk::SampleCountFlags::from_raw(samples);
        let single = vk::SampleCountFlags::TYPE_1;
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let kept = usage | vk::ImageUsageFlags::TRANSFER_SRC;
        let color = (format, vk::ImageAspectFlags::COLOR);
        let image = |samples, usage| self.device.image(color, samples, ([SIZE; 2], 1), usage).map_err(text);
        let target = image(count, if samples == 1 { kept } else { usage })?;
        let resolved = if samples == 1 { None } else { Some(image(single, kept)?) };
        // Neighbours that differ in place alone share one.
        let key = |draw: &Draw| (draw.source, draw.sample_mask, draw.blends);
        let mut made: Vec<vk::Pipeline> = Vec::new();
        let mut pipelines: Vec<vk::Pipeline> = Vec::new();
        for (index, draw) in draws.iter().enumerate() {
            if index == 0 || key(&draws[index - 1]) != key(draw) {
                made.push(self.pipeline(format, count, draw).map_err(text)?);
            }
            pipelines.extend(made.last());
        }
        let drawn =
            self.submit(|commands| self.record(commands, &target, resolved.as_ref(), draws, &pipelines));
        // SAFETY: `submit` waited; the buffer is mapped with more bytes than any format has.
        unsafe {
            made.iter().for_each(|&pipeline| self.device.destroy_pipeline(pipeline, None));
            std::iter::once(&target).chain(&resolved).for_each(|image| self.device.destroy_image(image));
            drawn.map_err(text)?;
            Ok(std::slice::from_raw_parts(self.pixels.address, PIXELS * 16).to_vec())
        }
    }

    fn pipeline(
        &self,
        format: vk::Format,
        samples: vk::SampleCountFlags,
        draw: &Draw,
    ) -> Result<vk::Pipeline, vk::Result> {
        let stage = |stage, name| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(self.module).name(name)
        };
        let fragment = if draw.source == Source::Stored { c"stored" } else { c"sampled" };
        let stages =
            [stage(vk::ShaderStageFlags::VERTEX, c"corner"), stage(vk::ShaderStageFlags::FRAGMENT, fragment)];
        let bindings = [vk::VertexInputBindingDescription::default().stride(8)];
        let attributes = [vk::VertexInputAttributeDescription::default().format(vk::Format::R32G32_SFLOAT)];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let states = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let mask = [draw.sample_mask];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(samples)
            .sample_mask(&mask);
        let (one, other) = (vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA);
        let attachments = [vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(draw.blends)
            .src_color_blend_factor(one)
            .src_alpha_blend_factor(one)
            .dst_color_blend_factor(other)
            .dst_alpha_blend_factor(other)
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
        let formats = [format];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering)];
        // SAFETY: the structures live until the call returns.
        let made = unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error)
    }

    fn record(
        &self,
        commands: vk::CommandBuffer,
        target: &Image,
        resolved: Option<&Image>,
        draws: &[Draw],
        pipelines: &[vk::Pipeline],
    ) {
        let (device, general) = (&self.device, vk::ImageLayout::GENERAL);
        let point = vk::PipelineBindPoint::GRAPHICS;
        std::iter::once(target).chain(resolved).for_each(|image| self.transition(commands, image));
        let mut attachment = vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(general)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        if let Some(resolved) = resolved {
            attachment = attachment
                .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                .resolve_image_view(resolved.view)
                .resolve_image_layout(general);
        }
        let attachments = [attachment];
        let area = vk::Rect2D { extent: vk::Extent2D { width: SIZE, height: SIZE }, ..Default::default() };
        let info =
            vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachments);
        let stages = vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::VERTEX;
        // SAFETY: all objects are this device's and live until the commands were waited for.
        unsafe {
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_vertex_buffers(commands, 0, &[self.corners.buffer], &[0]);
            for (draw, &pipeline) in draws.iter().zip(pipelines) {
                let set = self.sets[usize::from(draw.source == Source::Decoded)];
                let [x, y, size] = draw.area;
                let [left, top, length] = draw.area.map(|number| number as f32);
                let viewport = vk::Viewport::default().x(left).y(top).width(length).height(length);
                let offset = vk::Offset2D { x: x as i32, y: y as i32 };
                let extent = vk::Extent2D { width: size, height: size };
                device.cmd_set_viewport(commands, 0, &[viewport.max_depth(1.0)]);
                device.cmd_set_scissor(commands, 0, &[vk::Rect2D { offset, extent }]);
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
                let first = draw.first_value.to_ne_bytes();
                device.cmd_push_constants(commands, self.layout, stages, 0, &first);
                device.cmd_draw(commands, 3, 1, draw.first_corner, 0);
            }
            device.cmd_end_rendering(commands);
            self.barrier(commands);
            let kept = resolved.unwrap_or(target).image;
            device.cmd_copy_image_to_buffer(commands, kept, general, self.pixels.buffer, &[copy(0, SIZE)]);
            self.barrier(commands);
        }
    }

    /// Orders all accesses before it and after it.
    fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS | vk::PipelineStageFlags2::HOST;
        let access = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(all)
            .dst_stage_mask(all)
            .src_access_mask(access)
            .dst_access_mask(access)];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: the command buffer is being recorded.
        unsafe { self.device.cmd_pipeline_barrier2(commands, &info) };
    }

    fn transition(&self, commands: vk::CommandBuffer, image: &Image) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let barriers = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(all)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(image.image)
            .subresource_range(image.range)];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the command buffer is being recorded, and the image is this device's.
        unsafe { self.device.cmd_pipeline_barrier2(commands, &info) };
    }

    fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), vk::Result> {
        let device = &self.device;
        let commands = [self.commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the command buffer is idle, as each submission is waited for.
        unsafe {
            device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())?;
            record(self.commands);
            device.end_command_buffer(self.commands)?;
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            device.queue_submit(device.queue, &submits, fence)?;
            let waited = device.wait_for_fences(&[fence], true, TIMEOUT_NS);
            device.destroy_fence(fence, None);
            waited
        }
    }
}

/// The whole level of an image, so many texels wide and high.
fn copy(level: u32, size: u32) -> vk::BufferImageCopy {
    let subresource = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: level,
        base_array_layer: 0,
        layer_count: 1,
    };
    vk::BufferImageCopy::default().image_subresource(subresource).image_extent(vk::Extent3D {
        width: size,
        height: size,
        depth: 1,
    })
}
