//! Images and samplers for descriptors: filled from texels, and read back as numbers or as they are in
//! memory.
//!
//! Every image stays in the general layout. Formats are changed by blits, so any format that a shader names
//! is filled from, and read as, texels of four channels.
#![allow(unsafe_code)] // every Vulkan call is; each block relies on handles made here and kept until it goes

use super::{Buffer, Gpu};
use anyhow::{Context, Result, bail};
use std::slice;
use vulkanalia::prelude::v1_2::*;

/// What numbers an image's texels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Float,
    Unsigned,
    Signed,
    /// One channel, which is compared or read as depth.
    Depth,
}

impl Numbers {
    /// The format of four channels (of depth: one) of 32 bits.
    pub(crate) fn format(self) -> vk::Format {
        match self {
            Numbers::Float => vk::Format::R32G32B32A32_SFLOAT,
            Numbers::Unsigned => vk::Format::R32G32B32A32_UINT,
            Numbers::Signed => vk::Format::R32G32B32A32_SINT,
            Numbers::Depth => vk::Format::D32_SFLOAT,
        }
    }

    fn aspect(self) -> vk::ImageAspectFlags {
        if self == Numbers::Depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
    }

    /// Bytes of a texel of [`Numbers::format`].
    fn texel_bytes(self) -> usize {
        if self == Numbers::Depth { 4 } else { 16 }
    }
}

/// What an image is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) format: vk::Format,
    /// Bytes of a texel.
    pub(crate) texel_bytes: usize,
    pub(crate) numbers: Numbers,
    pub(crate) view: vk::ImageViewType,
    pub(crate) extent: [u32; 3],
    pub(crate) layers: u32,
    pub(crate) samples: vk::SampleCountFlags,
    pub(crate) usage: vk::ImageUsageFlags,
}

impl Shape {
    /// Texels of all layers.
    pub(crate) fn texel_count(&self) -> usize {
        self.extent.iter().map(|&size| size as usize).product::<usize>() * self.layers as usize
    }

    fn ty(&self) -> vk::ImageType {
        match self.view {
            vk::ImageViewType::_1D | vk::ImageViewType::_1D_ARRAY => vk::ImageType::_1D,
            vk::ImageViewType::_3D => vk::ImageType::_3D,
            _ => vk::ImageType::_2D,
        }
    }

    fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: self.numbers.aspect(),
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: self.layers,
        }
    }

    fn subresource(&self) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers {
            aspect_mask: self.numbers.aspect(),
            mip_level: 0,
            base_array_layer: 0,
            layer_count: self.layers,
        }
    }
}

/// An image with its memory and view.
pub(crate) struct Image {
    pub(crate) image: vk::Image,
    pub(crate) memory: vk::DeviceMemory,
    pub(crate) view: vk::ImageView,
    pub(crate) shape: Shape,
}

/// Everything before is done, and seen by everything after.
fn barrier(gpu: &Gpu<'_>, commands: vk::CommandBuffer, begun: Option<&Image>) {
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let memory = vk::MemoryBarrier::builder().src_access_mask(access).dst_access_mask(access);
    let layouts: Vec<_> = begun
        .into_iter()
        .map(|image| {
            vk::ImageMemoryBarrier::builder()
                .dst_access_mask(access)
                .old_layout(vk::ImageLayout::UNDEFINED)
                .new_layout(vk::ImageLayout::GENERAL)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image.image)
                .subresource_range(image.shape.range())
        })
        .collect();
    // SAFETY: the command buffer is recording, and the structures outlive the call.
    unsafe {
        let none = vk::DependencyFlags::empty();
        let buffers = &[] as &[vk::BufferMemoryBarrier];
        gpu.device.cmd_pipeline_barrier(commands, all, all, none, &[memory], buffers, &layouts);
    }
}

fn copy_of(shape: &Shape) -> vk::BufferImageCopy {
    let [width, height, depth] = shape.extent;
    vk::BufferImageCopy {
        image_subresource: shape.subresource(),
        image_extent: vk::Extent3D { width, height, depth },
        ..vk::BufferImageCopy::default()
    }
}

impl Gpu<'_> {
    /// An image whose contents are undefined, in the general layout.
    pub(crate) fn image(&self, shape: Shape) -> Result<Image> {
        let [width, height, depth] = shape.extent;
        let is_cube = matches!(shape.view, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY);
        let flags = match is_cube {
            true => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            false => vk::ImageCreateFlags::empty(),
        };
        let info = vk::ImageCreateInfo::builder()
            .flags(flags)
            .image_type(shape.ty())
            .format(shape.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(1)
            .array_layers(shape.layers)
            .samples(shape.samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(shape.usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        // SAFETY: the device is alive, and the structures outlive the calls that read them.
        unsafe {
            let image = self.device.create_image(&info, None).context("vkCreateImage")?;
            let memory = self.allocate(self.device.get_image_memory_requirements(image))?;
            self.device.bind_image_memory(image, memory, 0).context("vkBindImageMemory")?;
            let is_viewed = !shape.usage.is_empty();
            let view = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(shape.view)
                .format(shape.format)
                .subresource_range(shape.range());
            let view = match is_viewed {
                true => self.device.create_image_view(&view, None).context("vkCreateImageView")?,
                false => vk::ImageView::null(),
            };
            let made = Image { image, memory, view, shape };
            self.submit(|commands| barrier(self, commands, Some(&made)))?;
            Ok(made)
        }
    }

    /// Frees an image.
    pub(crate) fn destroy_image(&self, image: Image) {
        // SAFETY: no job is running, and the image is given up.
        unsafe {
            self.device.destroy_image_view(image.view, None);
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }

    /// An image for the transfer of texels of another format.
    fn staging(&self, shape: &Shape, format: vk::Format) -> Result<Image> {
        self.image(Shape { format, usage: vk::ImageUsageFlags::empty(), ..*shape })
    }

    fn blit(&self, from: &Image, to: &Image) -> Result<()> {
        let [width, height, depth] = from.shape.extent.map(|size| size as i32);
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: width, y: height, z: depth }];
        let blit = vk::ImageBlit {
            src_subresource: from.shape.subresource(),
            src_offsets: corners,
            dst_subresource: to.shape.subresource(),
            dst_offsets: corners,
        };
        let general = vk::ImageLayout::GENERAL;
        self.submit(|commands| {
            // SAFETY: the command buffer is recording, and the images are alive until it has run.
            unsafe {
                let (device, filter) = (&self.device, vk::Filter::NEAREST);
                device.cmd_blit_image(commands, from.image, general, to.image, general, &[blit], filter);
            }
            barrier(self, commands, None);
        })?;
        Ok(())
    }

    /// Fills an image with texels of a format: its own, or another of the same kind of numbers.
    pub(crate) fn fill(&self, image: &Image, format: vk::Format, texels: &[u8]) -> Result<()> {
        if image.shape.samples != vk::SampleCountFlags::_1 {
            bail!("images of several samples cannot be filled");
        }
        let mut buffer = self.mapped_buffer(texels.len().max(4), vk::BufferUsageFlags::TRANSFER_SRC)?;
        buffer.bytes_mut()[..texels.len()].copy_from_slice(texels);
        let staging = match format == image.shape.format {
            true => None,
            false => Some(self.staging(&image.shape, format)?),
        };
        let target = staging.as_ref().unwrap_or(image);
        self.submit(|commands| {
            let (general, copy) = (vk::ImageLayout::GENERAL, copy_of(&image.shape));
            // SAFETY: the command buffer is recording, and buffer and image are alive until it has run.
            unsafe {
                let (from, to) = (buffer.buffer, target.image);
                self.device.cmd_copy_buffer_to_image(commands, from, to, general, slice::from_ref(&copy));
            }
            barrier(self, commands, None);
        })?;
        if let Some(staging) = staging {
            self.blit(&staging, image)?;
            self.destroy_image(staging);
        }
        self.destroy(buffer);
        Ok(())
    }

    /// Sets every texel to zero, also of images of several samples.
    pub(crate) fn clear(&self, image: &Image) -> Result<()> {
        let (general, range) = (vk::ImageLayout::GENERAL, image.shape.range());
        self.submit(|commands| {
            // SAFETY: the command buffer is recording, and the image is alive until it has run.
            unsafe {
                if image.shape.numbers == Numbers::Depth {
                    let zero = vk::ClearDepthStencilValue::default();
                    self.device.cmd_clear_depth_stencil_image(
                        commands,
                        image.image,
                        general,
                        &zero,
                        &[range],
                    );
                } else {
                    let zero = vk::ClearColorValue { uint32: [0; 4] };
                    self.device.cmd_clear_color_image(commands, image.image, general, &zero, &[range]);
                }
            }
            barrier(self, commands, None);
        })?;
        Ok(())
    }

    /// An image's bytes, texel after texel.
    pub(crate) fn texels(&self, image: &Image) -> Result<Vec<u8>> {
        if image.shape.samples != vk::SampleCountFlags::_1 {
            bail!("images of several samples cannot be read");
        }
        let byte_count = image.shape.texel_count() * image.shape.texel_bytes;
        let buffer: Buffer = self.mapped_buffer(byte_count.max(4), vk::BufferUsageFlags::TRANSFER_DST)?;
        self.submit(|commands| {
            let (general, copy) = (vk::ImageLayout::GENERAL, copy_of(&image.shape));
            barrier(self, commands, None);
            // SAFETY: the command buffer is recording, and buffer and image are alive until it has run.
            unsafe {
                let (from, to) = (image.image, buffer.buffer);
                self.device.cmd_copy_image_to_buffer(commands, from, general, to, slice::from_ref(&copy));
            }
            barrier(self, commands, None);
        })?;
        let bytes = buffer.bytes()[..byte_count].to_vec();
        self.destroy(buffer);
        Ok(bytes)
    }

    /// The same as 32-bit numbers: four of a texel, of depth one.
    pub(crate) fn numbers(&self, image: &Image) -> Result<Vec<u8>> {
        let (shape, wanted) = (&image.shape, image.shape.numbers.format());
        if shape.format == wanted {
            return self.texels(image);
        }
        if matches!(shape.format, vk::Format::R64_UINT | vk::Format::R64_SINT) {
            bail!("texels of 64 bits can be printed, and saved as they are, only");
        }
        let wide = Shape { format: wanted, texel_bytes: shape.numbers.texel_bytes(), ..*shape };
        let staging = self.staging(&wide, wanted)?;
        self.blit(image, &staging)?;
        let bytes = self.texels(&staging);
        self.destroy_image(staging);
        bytes
    }

    /// A sampler of one level of detail.
    pub(crate) fn sampler(
        &self,
        filter: vk::Filter,
        address: vk::SamplerAddressMode,
        compares: bool,
    ) -> Result<vk::Sampler> {
        let info = vk::SamplerCreateInfo::builder()
            .mag_filter(filter)
            .min_filter(filter)
            .address_mode_u(address)
            .address_mode_v(address)
            .address_mode_w(address)
            .compare_enable(compares)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL);
        // SAFETY: the device is alive.
        unsafe { self.device.create_sampler(&info, None) }.context("vkCreateSampler")
    }

    /// Frees a sampler.
    pub(crate) fn destroy_sampler(&self, sampler: vk::Sampler) {
        // SAFETY: no job is running, and the sampler is given up.
        unsafe { self.device.destroy_sampler(sampler, None) };
    }

    /// A buffer's bytes as texels of a format.
    pub(crate) fn texel_view(
        &self,
        buffer: vk::Buffer,
        format: vk::Format,
        byte_count: u64,
    ) -> Result<vk::BufferView> {
        let info = vk::BufferViewCreateInfo::builder().buffer(buffer).format(format).range(byte_count);
        // SAFETY: the device and the buffer are alive.
        unsafe { self.device.create_buffer_view(&info, None) }.context("vkCreateBufferView")
    }

    /// Frees a view of texels.
    pub(crate) fn destroy_texel_view(&self, view: vk::BufferView) {
        // SAFETY: no job is running, and the view is given up.
        unsafe { self.device.destroy_buffer_view(view, None) };
    }
}
