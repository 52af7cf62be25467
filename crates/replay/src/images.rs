//! Images of a replay, read as floating-point numbers.
//!
//! The driver converts: an image is resolved if it has several samples, and copied by `vkCmdBlitImage` to one
//! of 32-bit components. Depth is copied as it is.

use crate::driver::Driver;
use crate::present::{Calls, address, output};
use vulkanalia_sys::{self as vk, Handle};

/// An image that a capture makes.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Its number, in the order of creation.
    pub number: u64,
    /// Its format.
    pub format: vk::Format,
    /// Pixels across, down, and slices.
    pub extent: [u32; 3],
    /// Layers.
    pub layers: u32,
    /// Samples of a pixel.
    pub samples: u32,
    pub(crate) usage: vk::ImageUsageFlags,
    pub(crate) handle: u64,
    pub(crate) instance: u64,
    pub(crate) device: u64,
}

/// A layer of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Texels {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 4 for color, 1 for depth.
    pub channels: usize,
    /// Rows from the top.
    pub values: Vec<f32>,
}

impl Texels {
    /// The channels of a pixel.
    pub fn at(&self, x: u32, y: u32) -> Option<&[f32]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let start = (y as usize * self.width as usize + x as usize) * self.channels;
        self.values.get(start..start + self.channels)
    }
}

impl Image {
    pub(crate) fn new(number: u64, owner: [u64; 2], handle: u64, info: &vk::ImageCreateInfo) -> Image {
        let vk::Extent3D { width, height, depth } = info.extent;
        Image {
            number,
            format: info.format,
            extent: [width, height, depth],
            layers: info.array_layers,
            samples: info.samples.bits(),
            usage: info.usage,
            handle,
            instance: owner[0],
            device: owner[1],
        }
    }

    /// Whether draws or shaders write to it.
    pub fn is_target(&self) -> bool {
        self.usage.intersects(
            vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
                | vk::ImageUsageFlags::STORAGE,
        )
    }

    /// The name of its format.
    pub fn format_name(&self) -> String {
        format!("{:?}", self.format)
    }

    /// The bytes of a texel of its depth, and how many of its values stand for 1; none for color.
    fn depth(&self) -> Option<(usize, Option<f32>)> {
        match self.format {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => Some((2, Some(65535.0))),
            vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D24_UNORM_S8_UINT => Some((4, Some(16_777_215.0))),
            vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => Some((4, None)),
            _ => None,
        }
    }

    /// The format of 32-bit components that its colors are converted to.
    fn wide_format(&self) -> vk::Format {
        let name = self.format_name();
        match () {
            () if name.contains("UINT") => vk::Format::R32G32B32A32_UINT,
            () if name.contains("SINT") => vk::Format::R32G32B32A32_SINT,
            () => vk::Format::R32G32B32A32_SFLOAT,
        }
    }

    /// Reads a layer of the first level; the device is idle, and the queue is one of its.
    ///
    /// # Errors
    /// When the image has no such layer, or depth of several samples, or the driver refuses something.
    pub(crate) fn read(
        &self,
        driver: &mut Driver,
        queue: u64,
        family: u32,
        layer: u32,
    ) -> Result<Texels, String> {
        if layer >= self.layers {
            return Err(format!("image {} has {} layers", self.number, self.layers));
        }
        if self.depth().is_some() && self.samples > 1 {
            return Err(format!("image {}: depth of several samples cannot be copied", self.number));
        }
        if self.format == vk::Format::S8_UINT || self.format == vk::Format::UNDEFINED {
            return Err(format!("image {}: {} cannot be shown", self.number, self.format_name()));
        }
        let [width, height, _] = self.extent;
        let texel_bytes = self.depth().map_or(16, |(bytes, _)| bytes);
        let size = u64::from(width) * u64::from(height) * texel_bytes as u64;
        let mut reading =
            Reading { calls: Calls { driver, instance: self.instance }, image: self, made: Vec::new() };
        // SAFETY: device, queue and image are alive, and nothing uses them meanwhile.
        let bytes = unsafe {
            let bytes = reading.bytes(queue, family, layer, size as usize);
            reading.clean_up();
            bytes?
        };
        Ok(self.texels(&bytes, width, height))
    }

    fn texels(&self, bytes: &[u8], width: u32, height: u32) -> Texels {
        let values = match (self.depth(), self.wide_format()) {
            (Some((2, Some(one))), _) => {
                bytes.as_chunks().0.iter().map(|two| f32::from(u16::from_le_bytes(*two)) / one).collect()
            }
            (Some((_, Some(one))), _) => {
                let number = |four: &[u8; 4]| (u32::from_le_bytes(*four) & 0xff_ffff) as f32 / one;
                bytes.as_chunks().0.iter().map(number).collect()
            }
            (None, vk::Format::R32G32B32A32_UINT) => {
                bytes.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four) as f32).collect()
            }
            (None, vk::Format::R32G32B32A32_SINT) => {
                bytes.as_chunks().0.iter().map(|four| i32::from_le_bytes(*four) as f32).collect()
            }
            _ => bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
        };
        Texels { width, height, channels: if self.depth().is_some() { 1 } else { 4 }, values }
    }
}

/// The objects that reading takes.
struct Reading<'a> {
    calls: Calls<'a>,
    image: &'a Image,
    made: Vec<(&'static str, u64)>,
}

fn layers(aspect: vk::ImageAspectFlags, layer: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers { aspect_mask: aspect, mip_level: 0, base_array_layer: layer, layer_count: 1 }
}

impl Reading<'_> {
    /// # Safety
    /// The info is valid for the command.
    unsafe fn make<T>(&mut self, name: &str, end: &'static str, info: &T) -> Result<u64, String> {
        // SAFETY: the contract of this function; the device is alive.
        let made = unsafe { self.calls.make(name, self.image.device, info)? };
        self.made.push((end, made));
        Ok(made)
    }

    /// # Safety
    /// Nothing uses what was made.
    unsafe fn clean_up(&mut self) {
        for (end, made) in std::mem::take(&mut self.made).into_iter().rev() {
            // SAFETY: the contract of this function.
            let _ = unsafe { self.calls.run(end, &[self.image.device, made, 0]) };
        }
    }

    /// # Safety
    /// The device is alive; the requirements are those of the object.
    unsafe fn memory(&mut self, needs: &vk::MemoryRequirements) -> Result<u64, String> {
        let info = vk::MemoryAllocateInfo {
            allocation_size: needs.size,
            memory_type_index: needs.memory_type_bits.trailing_zeros(),
            ..Default::default()
        };
        // SAFETY: the contract of this function.
        unsafe { self.make("vkAllocateMemory", "vkFreeMemory", &info) }
    }

    /// A color image of one sample, as large as the image.
    ///
    /// # Safety
    /// The device is alive.
    unsafe fn plain_image(&mut self, format: vk::Format) -> Result<u64, String> {
        let [width, height, _] = self.image.extent;
        let info = vk::ImageCreateInfo {
            image_type: vk::ImageType::_2D,
            format,
            extent: vk::Extent3D { width, height, depth: 1 },
            mip_levels: 1,
            array_layers: 1,
            samples: vk::SampleCountFlags::_1,
            usage: vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
            ..Default::default()
        };
        // SAFETY: the infos are valid; the contract of this function.
        unsafe {
            let image = self.make("vkCreateImage", "vkDestroyImage", &info)?;
            let mut needs = vk::MemoryRequirements::default();
            self.calls
                .run("vkGetImageMemoryRequirements", &[self.image.device, image, output(&mut needs)])?;
            let memory = self.memory(&needs)?;
            self.calls.run("vkBindImageMemory", &[self.image.device, image, memory, 0])?;
            Ok(image)
        }
    }

    /// The texels of a layer: four components of 32 bits each, or depth.
    ///
    /// # Safety
    /// Device, queue and image are alive, and nothing uses the image.
    unsafe fn bytes(&mut self, queue: u64, family: u32, layer: u32, size: usize) -> Result<Vec<u8>, String> {
        let device = self.image.device;
        let [width, height, _] = self.image.extent;
        let buffer_info = vk::BufferCreateInfo {
            size: size as u64,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            ..Default::default()
        };
        let pool_info = vk::CommandPoolCreateInfo { queue_family_index: family, ..Default::default() };
        let general = vk::ImageLayout::GENERAL.as_raw() as u64;
        let offsets = [vk::Offset3D::default(), vk::Offset3D { x: width as i32, y: height as i32, z: 1 }];
        let color = vk::ImageAspectFlags::COLOR;
        let extent = vk::Extent3D { width, height, depth: 1 };
        // SAFETY: all infos are valid; the contract of this function.
        unsafe {
            let buffer = self.make("vkCreateBuffer", "vkDestroyBuffer", &buffer_info)?;
            let mut needs = vk::MemoryRequirements::default();
            self.calls.run("vkGetBufferMemoryRequirements", &[device, buffer, output(&mut needs)])?;
            let memory = self.memory(&needs)?;
            self.calls.run("vkBindBufferMemory", &[device, buffer, memory, 0])?;
            let pool = self.make("vkCreateCommandPool", "vkDestroyCommandPool", &pool_info)?;
            let list_info = vk::CommandBufferAllocateInfo {
                command_pool: vk::CommandPool::from_raw(pool),
                level: vk::CommandBufferLevel::PRIMARY,
                command_buffer_count: 1,
                ..Default::default()
            };
            let mut list = 0_u64;
            self.calls.run("vkAllocateCommandBuffers", &[device, address(&list_info), output(&mut list)])?;
            self.calls
                .run("vkBeginCommandBuffer", &[list, address(&vk::CommandBufferBeginInfo::default())])?;
            let (mut source, mut source_layer) = (self.image.handle, layer);
            let mut aspect = vk::ImageAspectFlags::DEPTH;
            if self.image.depth().is_none() {
                aspect = color;
                if self.image.samples > 1 {
                    let resolved = self.plain_image(self.image.format)?;
                    let region = vk::ImageResolve {
                        src_subresource: layers(color, layer),
                        dst_subresource: layers(color, 0),
                        extent,
                        ..Default::default()
                    };
                    let slots = [list, source, general, resolved, general, 1, address(&region)];
                    self.calls.run("vkCmdResolveImage", &slots)?;
                    (source, source_layer) = (resolved, 0);
                    self.barrier(list)?;
                }
                let wide = self.plain_image(self.image.wide_format())?;
                let region = vk::ImageBlit {
                    src_subresource: layers(color, source_layer),
                    src_offsets: offsets,
                    dst_subresource: layers(color, 0),
                    dst_offsets: offsets,
                };
                let nearest = vk::Filter::NEAREST.as_raw() as u64;
                let slots = [list, source, general, wide, general, 1, address(&region), nearest];
                self.calls.run("vkCmdBlitImage", &slots)?;
                (source, source_layer) = (wide, 0);
                self.barrier(list)?;
            }
            let region = vk::BufferImageCopy {
                image_subresource: layers(aspect, source_layer),
                image_extent: extent,
                ..Default::default()
            };
            let slots = [list, source, general, buffer, 1, address(&region)];
            self.calls.run("vkCmdCopyImageToBuffer", &slots)?;
            self.calls.run("vkEndCommandBuffer", &[list])?;
            let submit = vk::SubmitInfo {
                command_buffer_count: 1,
                command_buffers: (&raw const list).cast(),
                ..Default::default()
            };
            self.calls.run("vkQueueSubmit", &[queue, 1, address(&submit), 0])?;
            self.calls.run("vkQueueWaitIdle", &[queue])?;
            let mut place = 0_u64;
            self.calls.run("vkMapMemory", &[device, memory, 0, vk::WHOLE_SIZE, 0, output(&mut place)])?;
            let mut bytes = vec![0_u8; size];
            std::ptr::with_exposed_provenance::<u8>(place as usize)
                .copy_to_nonoverlapping(bytes.as_mut_ptr(), size);
            Ok(bytes)
        }
    }

    /// # Safety
    /// The command buffer is being recorded.
    unsafe fn barrier(&mut self, list: u64) -> Result<(), String> {
        let all = u64::from(vk::PipelineStageFlags::ALL_COMMANDS.bits());
        let barrier = vk::MemoryBarrier {
            src_access_mask: vk::AccessFlags::MEMORY_WRITE,
            dst_access_mask: vk::AccessFlags::MEMORY_READ,
            ..Default::default()
        };
        let slots = [list, all, all, 0, 1, address(&barrier), 0, 0, 0, 0];
        // SAFETY: the barrier is valid; the contract of this function.
        unsafe { self.calls.run("vkCmdPipelineBarrier", &slots).map(drop) }
    }
}
