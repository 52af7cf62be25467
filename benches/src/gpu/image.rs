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
    /// The same, which shaders sample and which is read back; or depth that copies fill.
    SampledDepth,
}

/// The dimensions of an image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Flat,
    /// Six faces.
    Cube,
    /// So many slices.
    Volume(u32),
}

/// An image with its memory and a view of all its levels.
pub(crate) struct Texture {
    pub(super) handle: vk::Image,
    pub(super) view: vk::ImageView,
    pub(super) kind: Kind,
    aspect: vk::ImageAspectFlags,
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
            Self::SampledDepth => {
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::SAMPLED | copies
            }
        }
    }

    fn format(self) -> vk::Format {
        match self {
            Self::Depth | Self::SampledDepth => vk::Format::D32_SFLOAT,
            _ => vk::Format::R8G8B8A8_UNORM,
        }
    }

    fn layout(self) -> vk::ImageLayout {
        match self {
            Self::Sampled => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            Self::Storage | Self::SampledColor | Self::SampledDepth => vk::ImageLayout::GENERAL,
            Self::Color => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            Self::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        }
    }
}

impl Kind {
    fn layers(self) -> u32 {
        if self == Kind::Cube { 6 } else { 1 }
    }

    /// Slices of a level.
    fn depth(self, level: u32) -> u32 {
        if let Kind::Volume(depth) = self { (depth >> level).max(1) } else { 1 }
    }

    /// Where each level starts in a buffer that holds all of them one after the other, faces and slices of a
    /// level together, in texels, and how many texels there are.
    pub(crate) fn level_starts(self, extent: [u32; 2], levels: u32) -> (Vec<usize>, usize) {
        let mut starts = Vec::new();
        let mut total = 0;
        for level in 0..levels {
            starts.push(total);
            let [width, height] = extent.map(|size| (size >> level).max(1) as usize);
            total += width * height * (self.layers() * self.depth(level)) as usize;
        }
        (starts, total)
    }
}

impl Texture {
    pub(super) fn subresource(&self, level: u32) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers {
            aspect_mask: self.aspect,
            mip_level: level,
            base_array_layer: 0,
            layer_count: self.kind.layers(),
        }
    }

    /// The copies between this image and a buffer as `level_starts` describes it.
    pub(super) fn copies(&self) -> Vec<vk::BufferImageCopy> {
        let (starts, _) = self.kind.level_starts(self.extent, self.levels);
        (0..self.levels)
            .zip(starts)
            .map(|(level, start)| {
                let [width, height] = self.extent.map(|size| (size >> level).max(1));
                vk::BufferImageCopy::default()
                    .buffer_offset((start * self.words) as u64 * 4)
                    .image_subresource(self.subresource(level))
                    .image_extent(vk::Extent3D { width, height, depth: self.kind.depth(level) })
            })
            .collect()
    }
}

impl Gpu {
    /// An image of two dimensions with undefined contents, of colours, depth, or depth and stencil.
    pub(crate) fn image_of(
        &self,
        role: Role,
        format: vk::Format,
        extent: [u32; 2],
        levels: u32,
        samples: vk::SampleCountFlags,
    ) -> Result<Texture> {
        self.image_kind(role, format, Kind::Flat, extent, levels, samples)
    }

    /// The same of any dimensions.
    fn image_kind(
        &self,
        role: Role,
        format: vk::Format,
        kind: Kind,
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
            vk::Format::R32G32B32A32_SFLOAT => (vk::ImageAspectFlags::COLOR, 4),
            _ => (vk::ImageAspectFlags::COLOR, 1),
        };
        let (dimensions, view, flags) = match kind {
            Kind::Flat => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D, vk::ImageCreateFlags::empty()),
            Kind::Cube => {
                (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE, vk::ImageCreateFlags::CUBE_COMPATIBLE)
            }
            Kind::Volume(_) => {
                (vk::ImageType::TYPE_3D, vk::ImageViewType::TYPE_3D, vk::ImageCreateFlags::empty())
            }
        };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(dimensions)
            .format(format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: kind.depth(0) })
            .mip_levels(levels)
            .array_layers(kind.layers())
            .samples(samples)
            .usage(role.usage());
        let image = self.device.image_of(&info, view, aspect)?;
        let (handle, view, layout) = (image.image, image.view, role.layout());
        Ok(Texture { handle, view, kind, aspect, layout, words, extent, levels })
    }

    /// An image for shaders that holds these texels, all levels one after the other.
    pub(crate) fn texture(
        &self,
        role: Role,
        extent: [u32; 2],
        levels: u32,
        texels: &[u32],
    ) -> Result<Texture> {
        self.texture_of(role, role.format(), Kind::Flat, extent, levels, texels)
    }

    /// The same of another format or of other dimensions; `texels` are words.
    pub(crate) fn texture_of(
        &self,
        role: Role,
        format: vk::Format,
        kind: Kind,
        extent: [u32; 2],
        levels: u32,
        texels: &[u32],
    ) -> Result<Texture> {
        let (_, total) = kind.level_starts(extent, levels);
        let texture = self.image_kind(role, format, kind, extent, levels, vk::SampleCountFlags::TYPE_1)?;
        assert_eq!(texels.len(), total * texture.words, "the texels of every level are given");
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
                aspect_mask: texture.aspect,
                base_mip_level: 0,
                level_count: texture.levels,
                base_array_layer: 0,
                layer_count: texture.kind.layers(),
            })];
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: recording; the image is live.
        unsafe { self.device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[], &barrier) };
    }

    /// The words of the texels of level 0 of an image that is in its layout.
    pub(crate) fn pixels(&self, texture: &Texture) -> Result<Vec<u32>> {
        let (starts, total) = texture.kind.level_starts(texture.extent, texture.levels);
        let mut words = self.all_pixels(texture)?;
        words.truncate(starts.get(1).copied().unwrap_or(total) * texture.words);
        Ok(words)
    }

    /// Those of all its levels, one after the other.
    pub(crate) fn all_pixels(&self, texture: &Texture) -> Result<Vec<u32>> {
        let (_, total) = texture.kind.level_starts(texture.extent, texture.levels);
        let target = self.buffer(total * texture.words)?;
        let commands = self.begin()?;
        self.readback(commands, texture, &target);
        let commands = self.finish(commands)?;
        self.run(&commands)?;
        Ok(target.read(<[u32]>::to_vec))
    }

    /// Records how each level below the first is made of the one above, by a filtered blit.
    pub(super) fn blit_levels(&self, commands: vk::CommandBuffer, texture: &Texture) {
        let general = vk::ImageLayout::GENERAL;
        self.transition(commands, texture, texture.layout, general);
        for level in 1..texture.levels {
            let corner = |level: u32| {
                let [x, y] = texture.extent.map(|size| (size >> level).max(1) as i32);
                vk::Offset3D { x, y, z: texture.kind.depth(level) as i32 }
            };
            let origin = vk::Offset3D::default();
            let blit = [vk::ImageBlit::default()
                .src_subresource(texture.subresource(level - 1))
                .src_offsets([origin, corner(level - 1)])
                .dst_subresource(texture.subresource(level))
                .dst_offsets([origin, corner(level)])];
            let image = texture.handle;
            // SAFETY: recording; the levels are of this image, which is in this layout.
            unsafe {
                self.device.cmd_blit_image(
                    commands,
                    image,
                    general,
                    image,
                    general,
                    &blit,
                    vk::Filter::LINEAR,
                );
            }
            self.transition(commands, texture, general, general);
        }
        self.transition(commands, texture, general, texture.layout);
    }

    /// A sampler that repeats; linear within and between levels, or nearest in both.
    pub(crate) fn sampler(&self, linear: bool) -> Result<vk::Sampler> {
        self.sampler_of(sampler_info(linear))
    }

    /// A sampler of texels up to so many pixels apart, where the device has such; else it is unsupported.
    pub(crate) fn anisotropic_sampler(&self, most: f32) -> Result<vk::Sampler> {
        if !self.anisotropy {
            return Err(Failure::Unsupported("no anisotropic filtering".to_owned()));
        }
        self.sampler_of(sampler_info(true).anisotropy_enable(true).max_anisotropy(most))
    }

    /// A sampler whose results are those of comparisons, filtered, and whose coordinates stop at the edge.
    pub(crate) fn comparing_sampler(&self) -> Result<vk::Sampler> {
        let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let info = sampler_info(true).address_mode_u(edge).address_mode_v(edge);
        self.sampler_of(info.compare_enable(true).compare_op(vk::CompareOp::LESS_OR_EQUAL))
    }

    fn sampler_of(&self, info: vk::SamplerCreateInfo<'_>) -> Result<vk::Sampler> {
        // SAFETY: `device` is live.
        Ok(unsafe { self.device.create_sampler(&info, None) }?)
    }

    /// Says no where the driver has no graphics queue.
    pub(super) fn require_graphics(&self) -> Result<()> {
        if self.has_graphics { Ok(()) } else { Err(Failure::Unsupported("no queue for graphics".to_owned())) }
    }
}

fn sampler_info(linear: bool) -> vk::SamplerCreateInfo<'static> {
    let (filter, mode) = if linear {
        (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR)
    } else {
        (vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST)
    };
    vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(mode)
        .max_lod(vk::LOD_CLAMP_NONE)
}
