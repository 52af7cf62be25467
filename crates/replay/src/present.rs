//! Swapchains without a window: images of their own, that are read when they are presented.

use crate::driver::Driver;
use std::collections::HashMap;
use vulkanalia_sys::{self as vk, Handle};

/// What was presented.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Rows from the top, four bytes each: blue, green, red, zero.
    pub texels: Vec<u8>,
}

/// An image of a swapchain, and its memory.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    pub(crate) image: vk::Image,
    pub(crate) memory: vk::DeviceMemory,
}

/// A swapchain.
pub(crate) struct Swapchain {
    instance: u64,
    device: u64,
    format: vk::Format,
    extent: vk::Extent2D,
    info: vk::ImageCreateInfo,
    pub(crate) images: Vec<Image>,
}

/// All swapchains, by captured handle.
pub(crate) type Swapchains = HashMap<u64, Swapchain>;

/// Calls of one device, for what the replay does for itself.
pub(crate) struct Calls<'a> {
    pub(crate) driver: &'a mut Driver,
    pub(crate) instance: u64,
}

/// The address of a value that a command reads.
pub(crate) fn address<T>(value: &T) -> u64 {
    (&raw const *value).expose_provenance() as u64
}

/// The address of a value that a command writes.
pub(crate) fn output<T>(value: &mut T) -> u64 {
    (&raw mut *value).expose_provenance() as u64
}

impl Calls<'_> {
    /// # Safety
    /// The slots are valid for the command.
    pub(crate) unsafe fn run(&mut self, name: &str, slots: &[u64]) -> Result<u64, String> {
        // SAFETY: the contract of this function.
        match unsafe { self.driver.call_by_name(self.instance, name, slots) } {
            Some(result) if result as u32 as i32 >= 0 || !is_result(name) => Ok(result),
            Some(result) => Err(format!("{name} failed: VkResult {}", result as u32 as i32)),
            None => Err(format!("the driver does not have {name}")),
        }
    }

    /// Runs a command that makes something of an info.
    ///
    /// # Safety
    /// The info is valid for the command.
    pub(crate) unsafe fn make<T>(&mut self, name: &str, device: u64, info: &T) -> Result<u64, String> {
        let mut made = 0_u64;
        // SAFETY: the contract of this function; the output is a handle.
        unsafe { self.run(name, &[device, address(info), 0, output(&mut made)])? };
        Ok(made)
    }
}

fn is_result(name: &str) -> bool {
    let command = pyro_capture::schema::command_number(name);
    command.is_some_and(|number| {
        let returns = pyro_capture::schema::commands()[usize::from(number)].returns;
        returns == pyro_capture::schema::Returns::Result
    })
}

impl Swapchain {
    /// A swapchain without images yet: how many it has is known when the program asks for them.
    pub(crate) fn new(instance: u64, device: u64, info: &vk::SwapchainCreateInfoKHR) -> Swapchain {
        let mutable = info.flags.contains(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT);
        let flags = if mutable {
            vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE
        } else {
            vk::ImageCreateFlags::empty()
        };
        let image = vk::ImageCreateInfo {
            flags,
            image_type: vk::ImageType::_2D,
            format: info.image_format,
            extent: vk::Extent3D {
                width: info.image_extent.width,
                height: info.image_extent.height,
                depth: 1,
            },
            mip_levels: 1,
            array_layers: info.image_array_layers.max(1),
            samples: vk::SampleCountFlags::_1,
            tiling: vk::ImageTiling::OPTIMAL,
            usage: info.image_usage | vk::ImageUsageFlags::TRANSFER_SRC,
            ..Default::default()
        };
        Swapchain {
            instance,
            device,
            format: info.image_format,
            extent: info.image_extent,
            info: image,
            images: Vec::new(),
        }
    }

    /// Makes images until there are so many.
    ///
    /// # Errors
    /// When the driver refuses one.
    pub(crate) fn make_images(&mut self, driver: &mut Driver, count: usize) -> Result<(), String> {
        let mut calls = Calls { driver, instance: self.instance };
        while self.images.len() < count {
            // SAFETY: the device is alive; the infos are valid, and so are the outputs.
            unsafe {
                let image = calls.make("vkCreateImage", self.device, &self.info)?;
                let mut requirements = vk::MemoryRequirements::default();
                let slots = [self.device, image, output(&mut requirements)];
                calls.run("vkGetImageMemoryRequirements", &slots)?;
                let info = vk::MemoryAllocateInfo {
                    allocation_size: requirements.size,
                    memory_type_index: requirements.memory_type_bits.trailing_zeros(),
                    ..Default::default()
                };
                let memory = calls.make("vkAllocateMemory", self.device, &info)?;
                calls.run("vkBindImageMemory", &[self.device, image, memory, 0])?;
                self.images.push(Image {
                    image: vk::Image::from_raw(image),
                    memory: vk::DeviceMemory::from_raw(memory),
                });
            }
        }
        Ok(())
    }

    /// Destroys the images.
    pub(crate) fn destroy(self, driver: &mut Driver) {
        let mut calls = Calls { driver, instance: self.instance };
        for Image { image, memory } in self.images {
            // SAFETY: the device is idle, and nobody uses the images any more.
            unsafe {
                let _ = calls.run("vkDestroyImage", &[self.device, image.as_raw(), 0]);
                let _ = calls.run("vkFreeMemory", &[self.device, memory.as_raw(), 0]);
            }
        }
    }

    /// Whether the program has asked for its images.
    pub(crate) fn has_images(&self) -> bool {
        !self.images.is_empty()
    }

    /// Reads an image that was presented on a queue of a family; the device is idle.
    ///
    /// # Errors
    /// When there is no such image, or the driver refuses something.
    pub(crate) fn read(
        &self,
        driver: &mut Driver,
        queue: u64,
        family: u32,
        image: u32,
    ) -> Result<Picture, String> {
        let image =
            self.images.get(image as usize).ok_or("an image is presented that was never asked for")?;
        let vk::Extent2D { width, height } = self.extent;
        let size = u64::from(width) * u64::from(height) * 4;
        let mut calls = Calls { driver, instance: self.instance };
        let device = self.device;
        let buffer_info =
            vk::BufferCreateInfo { size, usage: vk::BufferUsageFlags::TRANSFER_DST, ..Default::default() };
        // SAFETY: device and queue are alive, all infos are valid; everything made here is destroyed at the
        // end, when the queue is idle.
        unsafe {
            let buffer = calls.make("vkCreateBuffer", device, &buffer_info)?;
            let mut requirements = vk::MemoryRequirements::default();
            calls.run("vkGetBufferMemoryRequirements", &[device, buffer, output(&mut requirements)])?;
            let memory_info = vk::MemoryAllocateInfo {
                allocation_size: requirements.size,
                memory_type_index: requirements.memory_type_bits.trailing_zeros(),
                ..Default::default()
            };
            let memory = calls.make("vkAllocateMemory", device, &memory_info)?;
            calls.run("vkBindBufferMemory", &[device, buffer, memory, 0])?;
            let pool_info = vk::CommandPoolCreateInfo { queue_family_index: family, ..Default::default() };
            let pool = calls.make("vkCreateCommandPool", device, &pool_info)?;
            let copied = self.copy(&mut calls, queue, pool, buffer, image.image);
            let mut place = 0_u64;
            let mapped =
                calls.run("vkMapMemory", &[device, memory, 0, vk::WHOLE_SIZE, 0, output(&mut place)]);
            let mut texels = vec![0_u8; size as usize];
            if mapped.is_ok() {
                let from = std::ptr::with_exposed_provenance::<u8>(place as usize);
                from.copy_to_nonoverlapping(texels.as_mut_ptr(), texels.len());
            }
            calls.run("vkDestroyCommandPool", &[device, pool, 0])?;
            calls.run("vkDestroyBuffer", &[device, buffer, 0])?;
            calls.run("vkFreeMemory", &[device, memory, 0])?;
            copied?;
            mapped?;
            let swap = matches!(self.format, vk::Format::R8G8B8A8_UNORM | vk::Format::R8G8B8A8_SRGB);
            for texel in texels.chunks_exact_mut(4) {
                if swap {
                    texel.swap(0, 2);
                }
                texel[3] = 0;
            }
            Ok(Picture { width, height, texels })
        }
    }

    /// Copies an image that can be presented to a buffer, and waits.
    ///
    /// # Safety
    /// All are alive.
    unsafe fn copy(
        &self,
        calls: &mut Calls<'_>,
        queue: u64,
        pool: u64,
        buffer: u64,
        image: vk::Image,
    ) -> Result<(), String> {
        let list_info = vk::CommandBufferAllocateInfo {
            command_pool: vk::CommandPool::from_raw(pool),
            level: vk::CommandBufferLevel::PRIMARY,
            command_buffer_count: 1,
            ..Default::default()
        };
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let barrier = |old, new| vk::ImageMemoryBarrier {
            src_access_mask: vk::AccessFlags::MEMORY_WRITE,
            dst_access_mask: vk::AccessFlags::MEMORY_READ,
            old_layout: old,
            new_layout: new,
            src_queue_family_index: vk::QUEUE_FAMILY_IGNORED,
            dst_queue_family_index: vk::QUEUE_FAMILY_IGNORED,
            image,
            subresource_range: range,
            ..Default::default()
        };
        let (shown, read) = (vk::ImageLayout::PRESENT_SRC_KHR, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                layer_count: 1,
                ..Default::default()
            },
            image_extent: vk::Extent3D { width: self.extent.width, height: self.extent.height, depth: 1 },
            ..Default::default()
        };
        // SAFETY: the contract of this function; infos and outputs are valid.
        unsafe {
            let mut list = 0_u64;
            calls.run("vkAllocateCommandBuffers", &[self.device, address(&list_info), output(&mut list)])?;
            calls.run("vkBeginCommandBuffer", &[list, address(&vk::CommandBufferBeginInfo::default())])?;
            let all = u64::from(vk::PipelineStageFlags::ALL_COMMANDS.bits());
            let (before, after) = (barrier(shown, read), barrier(read, shown));
            calls.run("vkCmdPipelineBarrier", &[list, all, all, 0, 0, 0, 0, 0, 1, address(&before)])?;
            let layout = read.as_raw() as u64;
            let copy = [list, image.as_raw(), layout, buffer, 1, address(&region)];
            calls.run("vkCmdCopyImageToBuffer", &copy)?;
            calls.run("vkCmdPipelineBarrier", &[list, all, all, 0, 0, 0, 0, 0, 1, address(&after)])?;
            calls.run("vkEndCommandBuffer", &[list])?;
            let submit = vk::SubmitInfo {
                command_buffer_count: 1,
                command_buffers: (&raw const list).cast(),
                ..Default::default()
            };
            calls.run("vkQueueSubmit", &[queue, 1, address(&submit), 0])?;
            calls.run("vkQueueWaitIdle", &[queue])?;
        }
        Ok(())
    }
}
