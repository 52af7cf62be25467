//! What the scene needs of Vulkan: buffers, images, pipelines with their one descriptor set, command buffers.
//!
//! Everything lives until the `Stage` is dropped. Images stay in the general layout, and one barrier between
//! steps waits for everything: a demonstration of the driver, not of barriers.
#![allow(unsafe_code)] // every Vulkan call is; each block relies on handles made here and kept until drop

use crate::client::{Buffer, Driver, Gpu};
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::slice;
use vulkanalia::prelude::v1_2::*;

/// A device with one queue and all objects that were made from it.
pub(super) struct Stage<'d> {
    gpu: Gpu<'d>,
    made: RefCell<Made>,
}

impl<'d> std::ops::Deref for Stage<'d> {
    type Target = Gpu<'d>;

    fn deref(&self) -> &Gpu<'d> {
        &self.gpu
    }
}

/// Objects to destroy at the end.
#[derive(Default)]
struct Made {
    buffers: Vec<vk::Buffer>,
    images: Vec<vk::Image>,
    views: Vec<vk::ImageView>,
    memories: Vec<vk::DeviceMemory>,
    samplers: Vec<vk::Sampler>,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    layouts: Vec<vk::PipelineLayout>,
    pools: Vec<vk::DescriptorPool>,
    modules: Vec<vk::ShaderModule>,
    pipelines: Vec<vk::Pipeline>,
    passes: Vec<vk::RenderPass>,
    framebuffers: Vec<vk::Framebuffer>,
}

/// An image with a view of all levels and one of each.
#[derive(Clone)]
pub(super) struct Image {
    pub(super) handle: vk::Image,
    pub(super) view: vk::ImageView,
    pub(super) levels: Vec<vk::ImageView>,
    pub(super) extent: [u32; 2],
}

/// One resource of a pipeline, at the binding of its place in the list.
#[derive(Clone, Copy)]
pub(super) enum Resource {
    Uniform(vk::Buffer),
    Storage(vk::Buffer),
    Texture(vk::ImageView),
    Sampler(vk::Sampler),
    StorageImage(vk::ImageView),
}

/// A pipeline, its layout and the set of its resources.
#[derive(Clone, Copy)]
pub(super) struct Program {
    pub(super) pipeline: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) set: vk::DescriptorSet,
}

impl Resource {
    fn kind(self) -> vk::DescriptorType {
        match self {
            Self::Uniform(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Self::Storage(_) => vk::DescriptorType::STORAGE_BUFFER,
            Self::Texture(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Self::Sampler(_) => vk::DescriptorType::SAMPLER,
            Self::StorageImage(_) => vk::DescriptorType::STORAGE_IMAGE,
        }
    }
}

impl<'d> Stage<'d> {
    /// Opens a device for drawing.
    pub(super) fn new(driver: &'d Driver) -> Result<Stage<'d>> {
        Ok(Stage { gpu: Gpu::with(driver, vk::DeviceCreateInfo::builder())?, made: RefCell::default() })
    }

    /// A buffer for every use in the scene.
    pub(super) fn buffer(&self, byte_count: usize) -> Result<Buffer> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_DST;
        let made = self.gpu.mapped_buffer(byte_count, usage)?;
        self.made.borrow_mut().buffers.push(made.buffer);
        self.made.borrow_mut().memories.push(made.memory);
        Ok(made)
    }

    /// An image of two dimensions.
    pub(super) fn image(
        &self,
        format: vk::Format,
        extent: [u32; 2],
        levels: u32,
        samples: vk::SampleCountFlags,
        usage: vk::ImageUsageFlags,
    ) -> Result<Image> {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
            .mip_levels(levels)
            .array_layers(1)
            .samples(samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the device is alive; the new handles are kept in `made` until it goes.
        unsafe {
            let handle = self.device.create_image(&info, None).context("vkCreateImage")?;
            self.made.borrow_mut().images.push(handle);
            let memory = self.allocate(self.device.get_image_memory_requirements(handle))?;
            self.made.borrow_mut().memories.push(memory);
            self.device.bind_image_memory(handle, memory, 0).context("vkBindImageMemory")?;
            let view = |first, count| {
                let info = vk::ImageViewCreateInfo::builder()
                    .image(handle)
                    .view_type(vk::ImageViewType::_2D)
                    .format(format)
                    .subresource_range(range(format, first, count));
                let view = self.device.create_image_view(&info, None).context("vkCreateImageView")?;
                self.made.borrow_mut().views.push(view);
                Ok::<_, anyhow::Error>(view)
            };
            let whole = view(0, levels)?;
            let each = (0..levels).map(|level| view(level, 1)).collect::<Result<_>>()?;
            self.submit(|commands| {
                let barrier = vk::ImageMemoryBarrier::builder()
                    .old_layout(vk::ImageLayout::UNDEFINED)
                    .new_layout(vk::ImageLayout::GENERAL)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(handle)
                    .subresource_range(range(format, 0, levels));
                let all = vk::PipelineStageFlags::ALL_COMMANDS;
                self.device.cmd_pipeline_barrier(
                    commands,
                    all,
                    all,
                    vk::DependencyFlags::empty(),
                    &[] as &[vk::MemoryBarrier],
                    &[] as &[vk::BufferMemoryBarrier],
                    &[barrier],
                );
            })?;
            Ok(Image { handle, view: whole, levels: each, extent })
        }
    }

    /// A sampler: linear in everything, repeating or clamping, comparing where asked for.
    pub(super) fn sampler(&self, repeat: bool, compare: bool) -> Result<vk::Sampler> {
        let address =
            if repeat { vk::SamplerAddressMode::REPEAT } else { vk::SamplerAddressMode::CLAMP_TO_EDGE };
        let info = vk::SamplerCreateInfo::builder()
            .mag_filter(vk::Filter::LINEAR)
            .min_filter(vk::Filter::LINEAR)
            .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
            .address_mode_u(address)
            .address_mode_v(address)
            .address_mode_w(address)
            .compare_enable(compare)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL)
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the device is alive.
        let sampler = unsafe { self.device.create_sampler(&info, None) }.context("vkCreateSampler")?;
        self.made.borrow_mut().samplers.push(sampler);
        Ok(sampler)
    }

    /// A shader module.
    pub(super) fn module(&self, words: &[u32]) -> Result<vk::ShaderModule> {
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
        // SAFETY: `words` lives through the call.
        let module =
            unsafe { self.device.create_shader_module(&info, None) }.context("vkCreateShaderModule")?;
        self.made.borrow_mut().modules.push(module);
        Ok(module)
    }

    /// A layout of these resources and a set that holds them.
    fn bind(&self, resources: &[Resource]) -> Result<(vk::PipelineLayout, vk::DescriptorSet)> {
        let stages =
            vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::COMPUTE;
        let bindings: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| {
                vk::DescriptorSetLayoutBinding::builder()
                    .binding(binding)
                    .descriptor_type(resource.kind())
                    .descriptor_count(1)
                    .stage_flags(stages)
            })
            .collect();
        let sizes: Vec<_> = resources
            .iter()
            .map(|resource| vk::DescriptorPoolSize { type_: resource.kind(), descriptor_count: 1 })
            .collect();
        let mut made = self.made.borrow_mut();
        // SAFETY: all structures live through the calls that read them; the handles are kept in `made`.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
            let set_layout = self
                .device
                .create_descriptor_set_layout(&info, None)
                .context("vkCreateDescriptorSetLayout")?;
            made.set_layouts.push(set_layout);
            let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(slice::from_ref(&set_layout));
            let layout = self.device.create_pipeline_layout(&info, None).context("vkCreatePipelineLayout")?;
            made.layouts.push(layout);
            let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
            let pool = self.device.create_descriptor_pool(&info, None).context("vkCreateDescriptorPool")?;
            made.pools.push(pool);
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(pool)
                .set_layouts(slice::from_ref(&set_layout));
            let set = self.device.allocate_descriptor_sets(&info).context("vkAllocateDescriptorSets")?[0];
            for (binding, resource) in (0..).zip(resources) {
                let mut buffer = vk::DescriptorBufferInfo { range: vk::WHOLE_SIZE, ..Default::default() };
                let mut image =
                    vk::DescriptorImageInfo { image_layout: vk::ImageLayout::GENERAL, ..Default::default() };
                let write = vk::WriteDescriptorSet::builder()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(resource.kind());
                let write = match *resource {
                    Resource::Uniform(source) | Resource::Storage(source) => {
                        buffer.buffer = source;
                        write.buffer_info(slice::from_ref(&buffer))
                    }
                    Resource::Texture(view) | Resource::StorageImage(view) => {
                        image.image_view = view;
                        write.image_info(slice::from_ref(&image))
                    }
                    Resource::Sampler(sampler) => {
                        image.sampler = sampler;
                        write.image_info(slice::from_ref(&image))
                    }
                };
                self.device.update_descriptor_sets(slice::from_ref(&write), &[] as &[vk::CopyDescriptorSet]);
            }
            Ok((layout, set))
        }
    }

    /// A compute pipeline.
    pub(super) fn kernel(
        &self,
        module: vk::ShaderModule,
        name: &str,
        resources: &[Resource],
    ) -> Result<Program> {
        let (layout, set) = self.bind(resources)?;
        let name = format!("{name}\0");
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(name.as_bytes());
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
        // SAFETY: the structures live through the call.
        let made = unsafe {
            self.device.create_compute_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None)
        };
        let pipeline = made.with_context(|| format!("vkCreateComputePipelines: {name}"))?.0[0];
        self.made.borrow_mut().pipelines.push(pipeline);
        Ok(Program { pipeline, layout, set })
    }

    /// Keeps a render pass and its framebuffer, made by `pass`.
    pub(super) fn framebuffer(
        &self,
        pass: &vk::RenderPassCreateInfo,
        views: &[vk::ImageView],
        extent: [u32; 2],
    ) -> Result<(vk::RenderPass, vk::Framebuffer)> {
        // SAFETY: the structures live through the calls.
        unsafe {
            let pass = self.device.create_render_pass(pass, None).context("vkCreateRenderPass")?;
            self.made.borrow_mut().passes.push(pass);
            let info = vk::FramebufferCreateInfo::builder()
                .render_pass(pass)
                .attachments(views)
                .width(extent[0])
                .height(extent[1])
                .layers(1);
            let framebuffer = self.device.create_framebuffer(&info, None).context("vkCreateFramebuffer")?;
            self.made.borrow_mut().framebuffers.push(framebuffer);
            Ok((pass, framebuffer))
        }
    }

    /// A graphics pipeline from what `describe` fills in; it is given the stages and the layout.
    pub(super) fn graphics(
        &self,
        resources: &[Resource],
        create: impl FnOnce(vk::PipelineLayout) -> Result<vk::Pipeline>,
    ) -> Result<Program> {
        let (layout, set) = self.bind(resources)?;
        let pipeline = create(layout)?;
        self.made.borrow_mut().pipelines.push(pipeline);
        Ok(Program { pipeline, layout, set })
    }

    /// Records a barrier between everything before and everything after.
    pub(super) fn barrier(&self, commands: vk::CommandBuffer) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::MemoryBarrier::builder().src_access_mask(access).dst_access_mask(access);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is recording.
        unsafe {
            self.device.cmd_pipeline_barrier(
                commands,
                all,
                all,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[] as &[vk::ImageMemoryBarrier],
            );
        }
    }

    /// Records a dispatch, and a barrier after it.
    pub(super) fn dispatch(&self, commands: vk::CommandBuffer, program: &Program, groups: [u32; 2]) {
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the command buffer is recording; program and set are alive.
        unsafe {
            self.device.cmd_bind_pipeline(commands, point, program.pipeline);
            self.device.cmd_bind_descriptor_sets(commands, point, program.layout, 0, &[program.set], &[]);
            self.device.cmd_dispatch(commands, groups[0], groups[1], 1);
        }
        self.barrier(commands);
    }
}

/// The levels of an image, in the aspect that its format has.
fn range(format: vk::Format, first: u32, count: u32) -> vk::ImageSubresourceRange {
    let depth = format == vk::Format::D32_SFLOAT;
    vk::ImageSubresourceRange {
        aspect_mask: if depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR },
        base_mip_level: first,
        level_count: count,
        base_array_layer: 0,
        layer_count: 1,
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let made = self.made.take();
        let device = &self.device;
        // SAFETY: nothing is running, since `submit` waits; users go before what they use.
        unsafe {
            made.framebuffers.iter().for_each(|&handle| device.destroy_framebuffer(handle, None));
            made.passes.iter().for_each(|&handle| device.destroy_render_pass(handle, None));
            made.pipelines.iter().for_each(|&handle| device.destroy_pipeline(handle, None));
            made.modules.iter().for_each(|&handle| device.destroy_shader_module(handle, None));
            made.pools.iter().for_each(|&handle| device.destroy_descriptor_pool(handle, None));
            made.layouts.iter().for_each(|&handle| device.destroy_pipeline_layout(handle, None));
            made.set_layouts.iter().for_each(|&handle| device.destroy_descriptor_set_layout(handle, None));
            made.samplers.iter().for_each(|&handle| device.destroy_sampler(handle, None));
            made.views.iter().for_each(|&handle| device.destroy_image_view(handle, None));
            made.images.iter().for_each(|&handle| device.destroy_image(handle, None));
            made.buffers.iter().for_each(|&handle| device.destroy_buffer(handle, None));
            made.memories.iter().for_each(|&handle| device.free_memory(handle, None));
        }
    }
}
