//! Calls that record, submit and ask.

use super::absurd::Absurd;
use super::{Kind, World};
use std::ptr::null;
use vulkanalia::prelude::v1_3::*;

impl World {
    /// One call on command buffers, queues or states.
    #[allow(clippy::too_many_lines, reason = "one arm for each call")]
    pub(crate) unsafe fn record_or_run(&mut self) {
        let commands = self.command_buffer();
        let buffer = vk::Buffer::from_raw(self.any(Kind::Buffer));
        let other = vk::Buffer::from_raw(self.any(Kind::Buffer));
        let image = vk::Image::from_raw(self.any(Kind::Image));
        let point = vk::PipelineBindPoint::from_raw(self.random.pick(&[1, 1, 1, 0, 9]));
        let layout = vk::ImageLayout::GENERAL;
        let device = self.device();
        unsafe {
            match self.random.below(34) {
                0 | 1 => self.allocate(),
                2..=4 => {
                    let info = vk::CommandBufferBeginInfo {
                        flags: vk::CommandBufferUsageFlags::from_bits_truncate(self.random.below(8) as u32),
                        ..Default::default()
                    };
                    (self.device.commands().begin_command_buffer)(commands, &info);
                }
                5 | 6 => _ = (self.device.commands().end_command_buffer)(commands),
                7 | 8 => {
                    let pipeline = vk::Pipeline::from_raw(self.any(Kind::Pipeline));
                    (self.device.commands().cmd_bind_pipeline)(commands, point, pipeline);
                }
                9 | 10 => {
                    let sets = [(); 3].map(|()| vk::DescriptorSet::from_raw(self.any(Kind::Set)));
                    let layout = vk::PipelineLayout::from_raw(self.any(Kind::Layout));
                    let (first, count) = (self.random.number(), self.random.below(4) as u32);
                    let (offsets, offset_count) = ([self.random.number(); 4], self.random.below(5) as u32);
                    (self.device.commands().cmd_bind_descriptor_sets)(
                        commands,
                        point,
                        layout,
                        first,
                        count,
                        sets.as_ptr(),
                        offset_count,
                        offsets.as_ptr(),
                    );
                }
                11 => {
                    let bytes = [7_u8; 512];
                    let layout = vk::PipelineLayout::from_raw(self.any(Kind::Layout));
                    let (offset, size) = (self.random.number(), self.random.below(513) as u32);
                    (self.device.commands().cmd_push_constants)(
                        commands,
                        layout,
                        vk::ShaderStageFlags::ALL,
                        offset,
                        size,
                        bytes.as_ptr().cast(),
                    );
                }
                12 | 13 => {
                    let count = [(); 3].map(|()| self.random.below(4) as u32);
                    (self.device.commands().cmd_dispatch)(commands, count[0], count[1], count[2]);
                }
                14 => {
                    let region = vk::BufferCopy {
                        src_offset: self.random.size(),
                        dst_offset: self.random.size(),
                        size: self.random.size(),
                    };
                    (self.device.commands().cmd_copy_buffer)(commands, buffer, other, 1, &region);
                }
                15 => {
                    let (offset, size) = (self.random.size(), self.random.size());
                    (self.device.commands().cmd_fill_buffer)(commands, buffer, offset, size, 3);
                }
                16 => {
                    let bytes = [0_u32; 64];
                    let (offset, size) = (self.random.size(), self.random.below(65) as u64 * 4);
                    let data = bytes.as_ptr().cast();
                    (self.device.commands().cmd_update_buffer)(commands, buffer, offset, size, data);
                }
                17 => {
                    let pool = vk::QueryPool::from_raw(self.any(Kind::QueryPool));
                    let (first, count) = (self.random.number(), self.random.number());
                    let table = self.device.commands();
                    match self.random.below(4) {
                        0 => (table.cmd_reset_query_pool)(commands, pool, first, count),
                        1 => (table.cmd_begin_query)(commands, pool, first, vk::QueryControlFlags::empty()),
                        2 => (table.cmd_end_query)(commands, pool, first),
                        _ => (table.cmd_write_timestamp)(
                            commands,
                            vk::PipelineStageFlags::ALL_COMMANDS,
                            pool,
                            first,
                        ),
                    }
                }
                18 => {
                    let event = vk::Event::from_raw(self.any(Kind::Event));
                    let stages = vk::PipelineStageFlags::ALL_COMMANDS;
                    (self.device.commands().cmd_set_event)(commands, event, stages);
                }
                19 | 20 => self.copy_image(commands, image, buffer),
                21 => {
                    let (color, range) = (vk::ClearColorValue { uint32: [1; 4] }, self.subresources());
                    let clear = self.device.commands().cmd_clear_color_image;
                    clear(commands, image, layout, &color, 1, &range);
                }
                22 => {
                    let values = [vk::ClearValue { color: vk::ClearColorValue { float32: [0.5; 4] } }; 2];
                    let begin = vk::RenderPassBeginInfo {
                        render_pass: vk::RenderPass::from_raw(self.any(Kind::RenderPass)),
                        framebuffer: vk::Framebuffer::from_raw(self.any(Kind::Framebuffer)),
                        render_area: vk::Rect2D {
                            offset: vk::Offset2D {
                                x: self.random.number() as i32,
                                y: self.random.number() as i32,
                            },
                            extent: vk::Extent2D {
                                width: self.random.number(),
                                height: self.random.number(),
                            },
                        },
                        clear_value_count: self.random.below(3) as u32,
                        clear_values: values.as_ptr(),
                        ..Default::default()
                    };
                    let inline = vk::SubpassContents::INLINE;
                    (self.device.commands().cmd_begin_render_pass)(commands, &begin, inline);
                }
                23 => (self.device.commands().cmd_end_render_pass)(commands),
                24 => (self.device.commands().cmd_draw)(commands, 3, 1, 0, 0),
                25 => {
                    let second = self.command_buffer();
                    (self.device.commands().cmd_execute_commands)(commands, 1, &second);
                }
                26..=28 => self.submit(commands),
                29 => {
                    let fence = vk::Fence::from_raw(self.any(Kind::Fence));
                    let table = self.device.commands();
                    (table.get_fence_status)(device, fence);
                    (table.wait_for_fences)(device, 1, &fence, 1, 100_000);
                    (table.reset_fences)(device, 1, &fence);
                }
                30 => {
                    let event = vk::Event::from_raw(self.any(Kind::Event));
                    (self.device.commands().get_event_status)(device, event);
                    (self.device.commands().set_event)(device, event);
                }
                31 => {
                    let pool = vk::QueryPool::from_raw(self.any(Kind::QueryPool));
                    let (first, count) = (self.random.number(), self.random.number());
                    let mut data = [0_u64; 64];
                    let (size, flags) = (self.random.below(513), self.random.below(16) as u32 & !2);
                    let stride = self.random.size();
                    (self.device.commands().get_query_pool_results)(
                        device,
                        pool,
                        first,
                        count,
                        size,
                        data.as_mut_ptr().cast(),
                        stride,
                        vk::QueryResultFlags::from_bits_truncate(flags),
                    );
                }
                32 => {
                    let pool = vk::CommandPool::from_raw(self.any(Kind::CommandPool));
                    match self.random.below(8) {
                        0 => (self.device.commands().destroy_command_pool)(device, pool, null()),
                        1 => (self.device.commands().free_command_buffers)(device, pool, 1, &commands),
                        _ => {
                            let flags = vk::CommandPoolResetFlags::empty();
                            (self.device.commands().reset_command_pool)(device, pool, flags);
                        }
                    }
                }
                _ => {
                    let offset = self.random.size();
                    (self.device.commands().cmd_dispatch_indirect)(commands, buffer, offset);
                }
            }
        }
    }

    unsafe fn allocate(&mut self) {
        let info = vk::CommandBufferAllocateInfo {
            command_pool: vk::CommandPool::from_raw(self.any(Kind::CommandPool)),
            level: vk::CommandBufferLevel::from_raw(self.random.pick(&[0, 0, 0, 1])),
            command_buffer_count: 1,
            ..Default::default()
        };
        let mut made = vk::CommandBuffer::null();
        let (device, allocate) = (self.device(), self.device.commands().allocate_command_buffers);
        if unsafe { allocate(device, &info, &mut made) } == vk::Result::SUCCESS {
            self.buffers.push(made);
            if self.buffers.len() > 12 {
                let place = self.random.below(12);
                self.buffers.swap_remove(place);
            }
        }
    }

    fn subresources(&mut self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::from_bits_truncate(self.random.pick(&[1, 1, 1, 2, 0])),
            base_mip_level: self.random.pick(&[0, 0, 1, u32::MAX]),
            level_count: self.random.pick(&[1, u32::MAX, 0]),
            base_array_layer: self.random.pick(&[0, 0, 1, u32::MAX]),
            layer_count: self.random.pick(&[1, u32::MAX, 0]),
        }
    }

    unsafe fn copy_image(&mut self, commands: vk::CommandBuffer, image: vk::Image, buffer: vk::Buffer) {
        let side = |world: &mut World| vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::from_bits_truncate(world.random.pick(&[1, 1, 1, 2, 0])),
            mip_level: world.random.pick(&[0, 0, 1, u32::MAX]),
            base_array_layer: world.random.pick(&[0, 0, 1, u32::MAX]),
            layer_count: world.random.pick(&[1, 1, u32::MAX, 0, 5]),
        };
        let offset = |world: &mut World| vk::Offset3D {
            x: world.random.number() as i32,
            y: world.random.number() as i32,
            z: world.random.pick(&[0, 0, 1, -1, i32::MAX]),
        };
        let extent = vk::Extent3D {
            width: self.random.number(),
            height: self.random.number(),
            depth: self.random.pick(&[1, 1, 0, 2, u32::MAX]),
        };
        let general = vk::ImageLayout::GENERAL;
        unsafe {
            if self.random.below(2) == 0 {
                let region = vk::BufferImageCopy {
                    buffer_offset: self.random.size(),
                    buffer_row_length: self.random.number(),
                    buffer_image_height: self.random.number(),
                    image_subresource: side(self),
                    image_offset: offset(self),
                    image_extent: extent,
                };
                let copy = self.device.commands().cmd_copy_buffer_to_image;
                copy(commands, buffer, image, general, 1, &region);
            } else {
                let region = vk::ImageCopy {
                    src_subresource: side(self),
                    src_offset: offset(self),
                    dst_subresource: side(self),
                    dst_offset: offset(self),
                    extent,
                };
                let target = vk::Image::from_raw(self.any(Kind::Image));
                let copy = self.device.commands().cmd_copy_image;
                copy(commands, image, general, target, general, 1, &region);
            }
        }
    }

    unsafe fn submit(&mut self, commands: vk::CommandBuffer) {
        let semaphores = [(); 2].map(|()| vk::Semaphore::from_raw(self.any(Kind::Semaphore)));
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS; 2];
        let info = vk::SubmitInfo {
            wait_semaphore_count: u32::from(self.random.below(30) == 0),
            wait_semaphores: semaphores.as_ptr(),
            wait_dst_stage_mask: stages.as_ptr(),
            command_buffer_count: 1,
            command_buffers: &commands,
            signal_semaphore_count: self.random.below(2) as u32,
            signal_semaphores: &semaphores[1],
            ..Default::default()
        };
        let (queue, fence) = (self.queue(), vk::Fence::from_raw(self.any(Kind::Fence)));
        unsafe { (self.device.commands().queue_submit)(queue, 1, &info, fence) };
    }
}
