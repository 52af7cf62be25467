//! Images and samplers.

use ash::vk;

use super::{Buffer, Gpu, Result};
use crate::error::Failure;

/// What an image is for; decides its usage, its aspect and the layout that it stays in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Sampled by shaders, filled by copies.
    Sampled,
    /// Loaded and stored by shaders.
    Storage,
    /// A colour attachment that is read back.
    Color,
    /// The same, which shaders sample too.
    SampledColor,
    /// A depth attachment.
    Depth,
}

/// An image of two dimensions with its memory and a view of all its levels.
pub(crate) struct Texture {
    pub(super) handle: vk::Image,
    pub(super) view: vk::ImageView,
    /// The layout between commands.
    pub(super) layout: vk::ImageLayout,
    /// Words of a texel.
    words: usize,
    /// Texels of level 0.
    pub(crate) extent: [u32; 2],
    /// Mip levels.
    pub(crate) levels: u32,
}

impl Role {
    fn usage(self) -> vk::ImageUsageFlags {
        let copies = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        match self {
            Self::Sampled => vk::ImageUsageFlags::SAMPLED | copies,
            Self::Storage => vk::ImageUsageFlags::STORAGE | copies,
            Self::Color => vk::ImageUsageFlags::COLOR_ATTACHMENT | copies,
            Self::SampledColor => {
                vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::SAMPLED | copies
            }
            Self::Depth => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        }
    }

    fn format(self) -> vk::Format {
        if self == Self::Depth { vk::Format::D32_SFLOAT } else { vk::Format::R8G8B8A8_UNORM }
    }

    fn layout(self) -> vk::ImageLayout {
        match self {
            Self::Sampled => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            Self::Storage | Self::SampledColor => vk::ImageLayout::GENERAL,
            Self::Color => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            Self::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        }
    }
}

impl Texture {
    /// Where each level starts in a buffer that holds all of them one after the other, in texels, and how
    /// many texels there are.
    pub(crate) fn level_starts(extent: [u32; 2], levels: u32) -> (Vec<usize>, usize) {
        let mut starts = Vec::new();
        let mut total = 0;
        for level in 0..levels {
            starts.push(total);
            let [width, height] = extent.map(|size| (size >> level).max(1) as usize);
            total += width * height;
        }
        (starts, total)
    }

    /// The copies between this image and a buffer as `level_starts` describes it.
    pub(super) fn copies(&self) -> Vec<vk::BufferImageCopy> {
        let (starts, _) = Self::level_starts(self.extent, self.levels);
        (0..self.levels)
            .zip(starts)
            .map(|(level, start)| {
                let [width, height] = self.extent.map(|size| (size >> level).max(1));
                vk::BufferImageCopy::default()
                    .buffer_offset((start * self.words) as u64 * 4)
                    .image_subresource(vk::ImageSubresourceLayers {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        mip_level: level,
                        base_array_layer: 0,
                        layer_count: 1,
                    })
                    .image_extent(vk::Extent3D { width, height, depth: 1 })
            })
            .collect()
    }
}

impl Gpu {
    /// An image of RGBA8, or of 32-bit depth, with undefined contents.
    pub(crate) fn image(
        &self,
        role: Role,
        extent: [u32; 2],
        levels: u32,
        samples: vk::SampleCountFlags,
    ) -> Result<Texture> {
        self.image_of(role, role.format(), extent, levels, samples)
    }

    /// The same of another format: colours, depth, or depth and stencil.
    pub(crate) fn image_of(
        &self,
        role: Role,
        format: vk::Format,
        extent: [u32; 2],
        levels: u32,
        samples: vk::SampleCountFlags,
    ) -> Result<Texture> {
        let (aspect, words) = match format {
            vk::Format::D32_SFLOAT => (vk::ImageAspectFlags::DEPTH, 1),
            vk::Format::D32_SFLOAT_S8_UINT => {
                (vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL, 2)
            }
            vk::Format::R16G16B16A16_SFLOAT => (vk::ImageAspectFlags::COLOR, 2),
            _ => (vk::ImageAspectFlags::COLOR, 1),
        };
        let image = self.device.image((format, aspect), samples, (extent, levels), role.usage())?;
        Ok(Texture { handle: image.image, view: image.view, layout: role.layout(), words, extent, levels })
    }

    /// An image for shaders that holds these texels, all levels one after the other.
    pub(crate) fn texture(
        &self,
        role: Role,
        extent: [u32; 2],
        levels: u32,
        texels: &[u32],
    ) -> Result<Texture> {
        let (_, total) = Texture::level_starts(extent, levels);
        assert_eq!(texels.len(), total, "the texels of every level are given");
        let texture = self.image(role, extent, levels, vk::SampleCountFlags::TYPE_1)?;
        let source = self.buffer_of(texels)?;
        let commands = self.begin()?;
        self.upload(commands, &source, &texture);
        let commands = self.finish(commands)?;
        self.run(&commands)?;
        Ok(texture)
    }

    /// Records a copy of a buffer's texels into every level of an image, whose old contents are dropped.
    pub(super) fn upload(&self, commands: vk::CommandBuffer, source: &Buffer, texture: &Texture) {
        let (undefined, target) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        self.transition(commands, texture, undefined, target);
        // SAFETY: recording; the buffer holds every level, as `texture` and the benchmarks ensure.
        unsafe {
            let copies = texture.copies();
            self.device.cmd_copy_buffer_to_image(commands, source.handle, texture.handle, target, &copies);
        }
        self.transition(commands, texture, target, texture.layout);
    }

    /// Records a copy of every level of an image into a buffer. The image is in its layout.
    pub(super) fn readback(&self, commands: vk::CommandBuffer, texture: &Texture, target: &Buffer) {
        let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        if texture.layout != source {
            self.transition(commands, texture, texture.layout, source);
        }
        // SAFETY: recording; the buffer holds every level, as the callers ensure.
        unsafe {
            let copies = texture.copies();
            self.device.cmd_copy_image_to_buffer(commands, texture.handle, source, target.handle, &copies);
        }
        if texture.layout != source {
            self.transition(commands, texture, source, texture.layout);
        }
    }

    fn transition(
        &self,
        commands: vk::CommandBuffer,
        texture: &Texture,
        old: vk::ImageLayout,
        new: vk::ImageLayout,
    ) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(all)
            .dst_access_mask(all)
            .old_layout(old)
            .new_layout(new)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(texture.handle)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: 0,
                level_count: texture.levels,
                base_array_layer: 0,
                layer_count: 1,
            })];
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: recording; the image is live.
        unsafe { self.device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[], &barrier) };
    }

    /// The words of the texels of level 0 of an image of colours that is in its layout.
    pub(crate) fn pixels(&self, texture: &Texture) -> Result<Vec<u32>> {
        let (starts, total) = Texture::level_starts(texture.extent, texture.levels);
        let target = self.buffer(total * texture.words)?;
        let commands = self.begin()?;
        self.readback(commands, texture, &target);
        let commands = self.finish(commands)?;
        self.run(&commands)?;
        let end = starts.get(1).copied().unwrap_or(total) * texture.words;
        Ok(target.read(|words| words[..end].to_vec()))
    }

    /// A sampler that repeats; linear within and between levels, or nearest in both.
    pub(crate) fn sampler(&self, linear: bool) -> Result<vk::Sampler> {
        let (filter, mode) = if linear {
            (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR)
        } else {
            (vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST)
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(mode)
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: `device` is live.
        Ok(unsafe { self.device.create_sampler(&info, None) }?)
    }

    /// Says no where the driver has no graphics queue.
    pub(super) fn require_graphics(&self) -> Result<()> {
        if self.has_graphics { Ok(()) } else { Err(Failure::Unsupported("no queue for graphics".to_owned())) }
    }
}
