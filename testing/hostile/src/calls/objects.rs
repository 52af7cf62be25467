//! Calls that make, change and destroy objects.

use super::absurd::Absurd;
use super::{Kind, World};
use std::ptr::{null, null_mut};
use vulkanalia::prelude::v1_3::*;

/// Makes an object by a command of the usual form, and keeps its handle when there is one.
macro_rules! make {
    ($world:ident, $command:ident, $info:expr, $handle:ident, $kind:ident) => {{
        let info = $info;
        let device = $world.device();
        let mut made = vk::$handle::null();
        let command = $world.device.commands().$command;
        if command(device, &info, null(), &mut made) == vk::Result::SUCCESS {
            $world.keep(Kind::$kind, made.as_raw());
        }
    }};
}

/// Destroys an object, of this kind or not.
macro_rules! destroy {
    ($world:ident, $command:ident, $handle:ident, $kind:ident) => {{
        let (device, handle) = ($world.device(), $world.any(Kind::$kind));
        let command = $world.device.commands().$command;
        command(device, vk::$handle::from_raw(handle), null());
    }};
}

const FORMATS: &[vk::Format] = &[
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R32_UINT,
    vk::Format::D32_SFLOAT,
    vk::Format::D24_UNORM_S8_UINT,
    vk::Format::BC1_RGB_UNORM_BLOCK,
    vk::Format::UNDEFINED,
    vk::Format::from_raw(12345),
    vk::Format::from_raw(-1),
];

impl World {
    fn extent(&mut self) -> vk::Extent3D {
        vk::Extent3D {
            width: self.random.number(),
            height: self.random.number(),
            depth: self.random.pick(&[1, 1, 1, 0, 2, u32::MAX]),
        }
    }

    fn descriptor_type(&mut self) -> vk::DescriptorType {
        let raw = self.random.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99]);
        vk::DescriptorType::from_raw(raw)
    }

    /// One call that makes or destroys something.
    #[allow(clippy::too_many_lines, reason = "one arm for each call")]
    pub(crate) unsafe fn make_or_destroy(&mut self) {
        unsafe {
            match self.random.below(44) {
                0 | 1 => {
                    let info = vk::BufferCreateInfo {
                        size: self.random.size(),
                        usage: vk::BufferUsageFlags::from_bits_truncate(self.random.word()),
                        flags: vk::BufferCreateFlags::from_bits_truncate(
                            self.random.pick(&[0, 0, 0, 1, 7, 8]),
                        ),
                        ..Default::default()
                    };
                    make!(self, create_buffer, info, Buffer, Buffer);
                }
                2 | 3 => {
                    let info = vk::MemoryAllocateInfo {
                        allocation_size: self.random.size(),
                        memory_type_index: self.random.pick(&[0, 0, 0, 0, 0, 1, u32::MAX]),
                        ..Default::default()
                    };
                    make!(self, allocate_memory, info, DeviceMemory, Memory);
                }
                4 | 5 => self.bind(),
                6 | 7 => {
                    let info = vk::ImageCreateInfo {
                        image_type: vk::ImageType::from_raw(self.random.pick(&[1, 1, 1, 0, 2, 7])),
                        format: self.random.pick(FORMATS),
                        extent: self.extent(),
                        mip_levels: self.random.number(),
                        array_layers: self.random.number(),
                        samples: vk::SampleCountFlags::from_bits_truncate(
                            self.random.pick(&[1, 1, 1, 4, 0, 3, 64]),
                        ),
                        tiling: vk::ImageTiling::from_raw(self.random.pick(&[0, 0, 1, 5])),
                        usage: vk::ImageUsageFlags::from_bits_truncate(self.random.word() & 0xff),
                        flags: vk::ImageCreateFlags::from_bits_truncate(
                            self.random.pick(&[0, 0, 0, 8, 16, 1, 0x20]),
                        ),
                        ..Default::default()
                    };
                    make!(self, create_image, info, Image, Image);
                }
                8 | 9 => {
                    let info = vk::ImageViewCreateInfo {
                        image: vk::Image::from_raw(self.any(Kind::Image)),
                        view_type: vk::ImageViewType::from_raw(
                            self.random.pick(&[1, 1, 0, 2, 3, 4, 5, 6, 77]),
                        ),
                        format: self.random.pick(FORMATS),
                        subresource_range: self.range(),
                        ..Default::default()
                    };
                    make!(self, create_image_view, info, ImageView, ImageView);
                }
                10 => {
                    let info = vk::BufferViewCreateInfo {
                        buffer: vk::Buffer::from_raw(self.any(Kind::Buffer)),
                        format: self.random.pick(FORMATS),
                        offset: self.random.size(),
                        range: self.random.size(),
                        ..Default::default()
                    };
                    make!(self, create_buffer_view, info, BufferView, BufferView);
                }
                11 => {
                    let mode = |raw: usize| vk::SamplerAddressMode::from_raw(raw as i32);
                    let info = vk::SamplerCreateInfo {
                        mag_filter: vk::Filter::from_raw(self.random.below(3)),
                        min_filter: vk::Filter::from_raw(self.random.below(3)),
                        address_mode_u: mode(self.random.below(6)),
                        address_mode_v: mode(self.random.below(6)),
                        mip_lod_bias: self.random.any_float(),
                        max_lod: self.random.any_float(),
                        min_lod: self.random.any_float(),
                        max_anisotropy: self.random.any_float(),
                        anisotropy_enable: self.random.below(2) as u32,
                        border_color: vk::BorderColor::from_raw(self.random.below(9)),
                        ..Default::default()
                    };
                    make!(self, create_sampler, info, Sampler, Sampler);
                }
                12 | 13 => {
                    let binding = |world: &mut World, number: u32| vk::DescriptorSetLayoutBinding {
                        binding: number + world.random.pick(&[0, 0, 0, 1, 100, u32::MAX - 8]),
                        descriptor_type: world.descriptor_type(),
                        descriptor_count: world.random.number(),
                        stage_flags: vk::ShaderStageFlags::ALL,
                        immutable_samplers: null(),
                    };
                    let bindings = [0, 1, 2].map(|number| binding(self, number));
                    let info = vk::DescriptorSetLayoutCreateInfo {
                        binding_count: self.random.below(4) as u32,
                        bindings: bindings.as_ptr(),
                        ..Default::default()
                    };
                    make!(self, create_descriptor_set_layout, info, DescriptorSetLayout, SetLayout);
                }
                14 => {
                    let sizes = [(); 4].map(|()| vk::DescriptorPoolSize {
                        type_: self.descriptor_type(),
                        descriptor_count: self.random.number(),
                    });
                    let info = vk::DescriptorPoolCreateInfo {
                        max_sets: self.random.number(),
                        pool_size_count: self.random.below(5) as u32,
                        pool_sizes: sizes.as_ptr(),
                        ..Default::default()
                    };
                    make!(self, create_descriptor_pool, info, DescriptorPool, DescriptorPool);
                }
                15 | 16 => self.allocate_sets(),
                17 | 18 => self.update_sets(),
                19 => {
                    let sets = [(); 3].map(|()| vk::DescriptorSetLayout::from_raw(self.any(Kind::SetLayout)));
                    let range = vk::PushConstantRange {
                        stage_flags: vk::ShaderStageFlags::ALL,
                        offset: self.random.number(),
                        size: self.random.number(),
                    };
                    let info = vk::PipelineLayoutCreateInfo {
                        set_layout_count: self.random.below(4) as u32,
                        set_layouts: sets.as_ptr(),
                        push_constant_range_count: self.random.below(2) as u32,
                        push_constant_ranges: &range,
                        ..Default::default()
                    };
                    make!(self, create_pipeline_layout, info, PipelineLayout, Layout);
                }
                20 | 21 => {
                    let mut words = self.words.clone();
                    if self.random.below(3) == 0 {
                        let place = self.random.below(words.len());
                        words[place] = self.random.word();
                    }
                    let cut = self.random.pick(&[0, 0, 0, 1, 4, 5]);
                    let info = vk::ShaderModuleCreateInfo {
                        code_size: words.len() * 4 - cut,
                        code: words.as_ptr(),
                        ..Default::default()
                    };
                    make!(self, create_shader_module, info, ShaderModule, Module);
                }
                22 | 23 => self.compute_pipeline(),
                24 => self.render_pass(),
                25 => {
                    let views = [(); 2].map(|()| vk::ImageView::from_raw(self.any(Kind::ImageView)));
                    let info = vk::FramebufferCreateInfo {
                        render_pass: vk::RenderPass::from_raw(self.any(Kind::RenderPass)),
                        attachment_count: self.random.below(3) as u32,
                        attachments: views.as_ptr(),
                        width: self.random.number(),
                        height: self.random.number(),
                        layers: self.random.number(),
                        ..Default::default()
                    };
                    make!(self, create_framebuffer, info, Framebuffer, Framebuffer);
                }
                26 => make!(self, create_fence, vk::FenceCreateInfo::default(), Fence, Fence),
                27 => make!(self, create_semaphore, vk::SemaphoreCreateInfo::default(), Semaphore, Semaphore),
                28 => make!(self, create_event, vk::EventCreateInfo::default(), Event, Event),
                29 => {
                    let info = vk::QueryPoolCreateInfo {
                        query_type: vk::QueryType::from_raw(self.random.pick(&[0, 1, 2, 2, 55])),
                        query_count: self.random.number() & 0xf_ffff,
                        pipeline_statistics: vk::QueryPipelineStatisticFlags::from_bits_truncate(
                            self.random.word(),
                        ),
                        ..Default::default()
                    };
                    make!(self, create_query_pool, info, QueryPool, QueryPool);
                }
                30 => {
                    let info = vk::CommandPoolCreateInfo {
                        flags: vk::CommandPoolCreateFlags::from_bits_truncate(self.random.below(4) as u32),
                        ..Default::default()
                    };
                    make!(self, create_command_pool, info, CommandPool, CommandPool);
                }
                31 => {
                    let info = vk::PipelineCacheCreateInfo {
                        initial_data_size: self.random.below(4 * self.words.len()),
                        initial_data: self.words.as_ptr().cast(),
                        ..Default::default()
                    };
                    make!(self, create_pipeline_cache, info, PipelineCache, Cache);
                }
                32 => destroy!(self, destroy_buffer, Buffer, Buffer),
                33 => destroy!(self, free_memory, DeviceMemory, Memory),
                34 => destroy!(self, destroy_image, Image, Image),
                35 => destroy!(self, destroy_image_view, ImageView, ImageView),
                36 => destroy!(self, destroy_sampler, Sampler, Sampler),
                37 => destroy!(self, destroy_descriptor_pool, DescriptorPool, DescriptorPool),
                38 => destroy!(self, destroy_descriptor_set_layout, DescriptorSetLayout, SetLayout),
                39 => destroy!(self, destroy_pipeline_layout, PipelineLayout, Layout),
                40 => destroy!(self, destroy_pipeline, Pipeline, Pipeline),
                41 => destroy!(self, destroy_shader_module, ShaderModule, Module),
                42 => destroy!(self, destroy_event, Event, Event),
                _ => destroy!(self, destroy_semaphore, Semaphore, Semaphore),
            }
        }
    }

    fn range(&mut self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::from_bits_truncate(
                self.random.pick(&[1, 1, 1, 2, 4, 6, 0, 7]),
            ),
            base_mip_level: self.random.pick(&[0, 0, 0, 1, u32::MAX]),
            level_count: self.random.pick(&[1, 1, u32::MAX, 0, 9]),
            base_array_layer: self.random.pick(&[0, 0, 0, 1, u32::MAX]),
            layer_count: self.random.pick(&[1, 1, u32::MAX, 0, 6, 9]),
        }
    }

    unsafe fn bind(&mut self) {
        let (device, memory) = (self.device(), vk::DeviceMemory::from_raw(self.any(Kind::Memory)));
        let offset = self.random.pick(&[0, 0, 0, 64, 4096, 1, u64::MAX, 1 << 40]);
        let (buffer, image) = (self.any(Kind::Buffer), self.any(Kind::Image));
        let commands = self.device.commands();
        unsafe {
            if self.random.below(2) == 0 {
                (commands.bind_buffer_memory)(device, vk::Buffer::from_raw(buffer), memory, offset);
                (commands.get_buffer_memory_requirements)(
                    device,
                    vk::Buffer::from_raw(buffer),
                    &mut vk::MemoryRequirements::default(),
                );
            } else {
                (commands.bind_image_memory)(device, vk::Image::from_raw(image), memory, offset);
            }
            let mut address = null_mut();
            let (offset, size) = (self.random.size(), self.random.size());
            let flags = vk::MemoryMapFlags::empty();
            (self.device.commands().map_memory)(device, memory, offset, size, flags, &mut address);
        }
    }

    unsafe fn allocate_sets(&mut self) {
        let layouts = [(); 3].map(|()| vk::DescriptorSetLayout::from_raw(self.any(Kind::SetLayout)));
        let info = vk::DescriptorSetAllocateInfo {
            descriptor_pool: vk::DescriptorPool::from_raw(self.any(Kind::DescriptorPool)),
            descriptor_set_count: self.random.below(4) as u32,
            set_layouts: layouts.as_ptr(),
            ..Default::default()
        };
        let mut sets = [vk::DescriptorSet::null(); 3];
        let (device, allocate) = (self.device(), self.device.commands().allocate_descriptor_sets);
        if unsafe { allocate(device, &info, sets.as_mut_ptr()) } == vk::Result::SUCCESS {
            sets.iter().for_each(|set| self.keep(Kind::Set, set.as_raw()));
        }
    }

    unsafe fn update_sets(&mut self) {
        let buffers = [(); 4].map(|()| vk::DescriptorBufferInfo {
            buffer: vk::Buffer::from_raw(self.any(Kind::Buffer)),
            offset: self.random.size(),
            range: self.random.size(),
        });
        let images = [(); 4].map(|()| vk::DescriptorImageInfo {
            sampler: vk::Sampler::from_raw(self.any(Kind::Sampler)),
            image_view: vk::ImageView::from_raw(self.any(Kind::ImageView)),
            image_layout: vk::ImageLayout::GENERAL,
        });
        let views = [(); 4].map(|()| vk::BufferView::from_raw(self.any(Kind::BufferView)));
        let write = vk::WriteDescriptorSet {
            dst_set: vk::DescriptorSet::from_raw(self.any(Kind::Set)),
            dst_binding: self.random.number(),
            dst_array_element: self.random.number(),
            descriptor_count: self.random.below(5) as u32,
            descriptor_type: self.descriptor_type(),
            image_info: images.as_ptr(),
            buffer_info: buffers.as_ptr(),
            texel_buffer_view: views.as_ptr(),
            ..Default::default()
        };
        let copy = vk::CopyDescriptorSet {
            src_set: vk::DescriptorSet::from_raw(self.any(Kind::Set)),
            src_binding: self.random.number(),
            src_array_element: self.random.number(),
            dst_set: vk::DescriptorSet::from_raw(self.any(Kind::Set)),
            dst_binding: self.random.number(),
            dst_array_element: self.random.number(),
            descriptor_count: self.random.number(),
            ..Default::default()
        };
        let (device, copies) = (self.device(), self.random.below(2) as u32);
        unsafe { (self.device.commands().update_descriptor_sets)(device, 1, &write, copies, &copy) };
    }

    unsafe fn compute_pipeline(&mut self) {
        let name = self.random.pick(&[c"main", c"main", c"main", c"other", c""]);
        let info = vk::ComputePipelineCreateInfo {
            stage: vk::PipelineShaderStageCreateInfo {
                stage: vk::ShaderStageFlags::COMPUTE,
                module: vk::ShaderModule::from_raw(self.any(Kind::Module)),
                name: name.as_ptr(),
                ..Default::default()
            },
            layout: vk::PipelineLayout::from_raw(self.any(Kind::Layout)),
            ..Default::default()
        };
        let cache = vk::PipelineCache::from_raw(self.any(Kind::Cache));
        let mut made = vk::Pipeline::null();
        let (device, create) = (self.device(), self.device.commands().create_compute_pipelines);
        if unsafe { create(device, cache, 1, &info, null(), &mut made) } == vk::Result::SUCCESS {
            self.keep(Kind::Pipeline, made.as_raw());
        }
    }

    unsafe fn render_pass(&mut self) {
        let attachments = [(); 2].map(|()| vk::AttachmentDescription {
            format: self.random.pick(FORMATS),
            samples: vk::SampleCountFlags::from_bits_truncate(self.random.pick(&[1, 1, 4, 0])),
            load_op: vk::AttachmentLoadOp::from_raw(self.random.below(4)),
            ..Default::default()
        });
        let reference = |world: &mut World| vk::AttachmentReference {
            attachment: world.random.pick(&[0, 1, u32::MAX, 2, 77]),
            layout: vk::ImageLayout::GENERAL,
        };
        let (colors, depth) = ([reference(self), reference(self)], reference(self));
        let subpass = vk::SubpassDescription {
            color_attachment_count: self.random.below(3) as u32,
            color_attachments: colors.as_ptr(),
            depth_stencil_attachment: if self.random.below(2) == 0 { null() } else { &depth },
            ..Default::default()
        };
        let info = vk::RenderPassCreateInfo {
            attachment_count: self.random.below(3) as u32,
            attachments: attachments.as_ptr(),
            subpass_count: self.random.pick(&[1, 1, 1, 0]),
            subpasses: &subpass,
            ..Default::default()
        };
        unsafe { make!(self, create_render_pass, info, RenderPass, RenderPass) };
    }
}
