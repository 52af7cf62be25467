//! Image transfer commands as they are recorded: checked, and resolved to surfaces.

use super::Transfer;
use super::blit::{Blit, BlitFilter};
use super::clear::Clear;
use super::copy::{BufferCopy, BufferImage, BufferLayout, ImageCopy};
use super::resolve::Resolve;
use super::rotation::Rotation;
use super::surface::{Region, Surface};
use crate::command::render_pass::ClearWords;
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::image::{Image, Subresource, aspect_list, cubic_weights, plane_of};
use crate::objects::memory::mapped::{Block, Range};
use pyro_image::{Aspect, NumericClass};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Layers of an image's level.
pub type ImageSide = vk::ImageSubresourceLayers;

/// `VkBufferImageCopy`.
pub type BufferRegion = vk::BufferImageCopy;
/// `VkImageCopy`.
pub type ImageRegion = vk::ImageCopy;
/// `VkImageBlit`.
pub type BlitRegion = vk::ImageBlit;
/// `VkImageResolve`.
pub type ResolveRegion = vk::ImageResolve;

fn subresource(side: &ImageSide) -> Subresource {
    let plane = plane_of(side.aspect_mask);
    Subresource { plane, level: side.mip_level, layer: side.base_array_layer, layers: side.layer_count }
}

/// The first texel and plane of a side: slices count from the offset, layers from the surface's first.
fn first(image: &Image, offset: vk::Offset3D) -> Result<[u32; 3]> {
    let is_3d = image.info().ty == vk::ImageType::_3D;
    let z = if is_3d { offset.z } else { 0 };
    let texel = |x: i32| {
        u32::try_from(x)
            .map_err(|_| Error::misuse("a negative image offset (VUID-vkCmdCopyImage-srcSubresource-07970)"))
    };
    Ok([texel(offset.x)?, texel(offset.y)?, texel(z)?])
}

/// A side's planes: slices of the extent, or the layers of the surface.
fn planes(image: &Image, surface: &Surface, depth: u32) -> u32 {
    if image.info().ty == vk::ImageType::_3D { depth } else { surface.planes }
}

fn one_aspect(image: &Image, side: &ImageSide) -> Result<Aspect> {
    let mut aspects = aspect_list(image.aspects_of(side.aspect_mask)?);
    match (aspects.next(), aspects.next()) {
        (Some(aspect), None) if image.format().has_aspect(aspect) => Ok(aspect),
        _ => Err(Error::misuse(
            "a buffer copy of other than one of the image's aspects (VUID-vkCmdCopyBufferToImage-imageSubresource-09105)",
        )),
    }
}

/// The aspects of a side that the image has.
fn aspects(image: &Image, side: &ImageSide) -> Result<Vec<Aspect>> {
    Ok(aspect_list(image.aspects_of(side.aspect_mask)?).collect())
}

/// `vkCmdCopyBufferToImage` and `vkCmdCopyImageToBuffer`.
///
/// # Errors
/// When a region is not inside the image or the buffer.
pub fn copy_buffer(
    buffer: &Buffer,
    image: &Image,
    regions: &[BufferRegion],
    to_image: bool,
) -> Result<Vec<Transfer>> {
    let range = |region: &BufferRegion, size| buffer.range(region.buffer_offset, size);
    let copy = |region| buffer_copy(image, region, Rotation::None, to_image, |size| range(region, size));
    regions.iter().map(|region| Ok(Transfer::Buffer(copy(region)?))).collect()
}

/// `vkCmdCopyBufferToImage2` and `vkCmdCopyImageToBuffer2` of regions that are turned in the image, each as
/// it says.
///
/// # Errors
/// As of [`copy_buffer`], and when the image cannot be turned.
pub fn copy_buffer_rotated(
    buffer: &Buffer,
    image: &Image,
    regions: &[(BufferRegion, Rotation)],
    to_image: bool,
) -> Result<Vec<Transfer>> {
    let copies = regions.iter().map(|(region, rotation)| {
        let range = |size| buffer.range(region.buffer_offset, size);
        Ok(Transfer::Buffer(buffer_copy(image, region, *rotation, to_image, range)?))
    });
    copies.collect()
}

/// One region between an image and memory, given what says where the bytes are.
fn buffer_copy(
    image: &Image,
    region: &BufferRegion,
    rotation: Rotation,
    to_image: bool,
    range: impl FnOnce(u64) -> Result<Range>,
) -> Result<BufferCopy> {
    rotation.check(image)?;
    let aspect = one_aspect(image, &region.image_subresource)?;
    let surface = Surface::level(image, subresource(&region.image_subresource))?;
    let extent = region.image_extent;
    let count = [extent.width, extent.height, planes(image, &surface, extent.depth)];
    let texels = match rotation {
        Rotation::None => Region { first: first(image, region.image_offset)?, count },
        _ => rotation.turned(region.image_offset, count)?,
    };
    surface.check(texels)?;
    let blocks = surface.in_blocks(texels)?;
    // What is turned has blocks of one texel.
    let in_memory = if rotation == Rotation::None { blocks } else { Region { first: [0; 3], count } };
    let layout =
        BufferLayout { row_length: region.buffer_row_length, image_height: region.buffer_image_height };
    let pitches = layout.pitches(surface.format, aspect, in_memory);
    let range = range(pitches.size)?;
    let buffer = BufferImage { range, row_pitch: pitches.row, plane_pitch: pitches.plane };
    Ok(BufferCopy { surface, region: blocks, aspect, buffer, to_image, rotation })
}

/// Copies between the host's memory at an address and an image, at once (`vkCopyMemoryToImage`,
/// `vkCopyImageToMemory`).
///
/// # Errors
/// When the region is not inside the image.
///
/// # Safety
/// The bytes that the region takes at the address must be valid for reads and writes.
#[allow(unsafe_code)]
pub unsafe fn copy_memory(address: u64, image: &Image, region: &BufferRegion, to_image: bool) -> Result<()> {
    let copy = buffer_copy(image, region, Rotation::None, to_image, |size| {
        // SAFETY: the caller's contract; the block is gone before this function returns.
        let block = Arc::new(unsafe { Block::imported(address, size) });
        Ok(Range::new(&block, 0, size).expect("the whole block"))
    })?;
    Transfer::Buffer(copy).run_alone();
    Ok(())
}

/// One copy between an image and memory, of which `range` gives the first bytes.
///
/// # Errors
/// When the region is not inside the image, and those of `range`.
pub fn range_copy(
    image: &Image,
    region: &BufferRegion,
    rotation: Rotation,
    to_image: bool,
    range: impl FnOnce(u64) -> Result<Range>,
) -> Result<Transfer> {
    Ok(Transfer::Buffer(buffer_copy(image, region, rotation, to_image, range)?))
}

/// Bytes of one layer of an image's level, tightly packed (`VkSubresourceHostMemcpySize`).
///
/// # Errors
/// When the image has no such level or aspect.
pub fn memcpy_size(image: &Image, subresource: &vk::ImageSubresource) -> Result<u64> {
    let side = ImageSide {
        aspect_mask: subresource.aspect_mask,
        mip_level: subresource.mip_level,
        base_array_layer: subresource.array_layer,
        layer_count: 1,
    };
    let aspect = one_aspect(image, &side)?;
    let plane = image.plane(plane_of(subresource.aspect_mask))?;
    let level = plane.layout.levels.get(subresource.mip_level as usize);
    let level = level.ok_or_else(|| {
        Error::misuse("the image has no such level (VUID-vkGetImageSubresourceLayout2-mipLevel-01716)")
    })?;
    let block = plane.format.block_extent();
    let [width, height, depth] = level.extent;
    let columns = u64::from(width.div_ceil(block[0]));
    let blocks = columns * u64::from(height.div_ceil(block[1])) * u64::from(depth.div_ceil(block[2]));
    Ok(blocks * u64::from(plane.format.copy_bytes(aspect)))
}

/// `vkCmdCopyImage`.
///
/// # Errors
/// When a region is not inside the images, or their texels do not fit.
pub fn copy_image(source: &Image, target: &Image, regions: &[ImageRegion]) -> Result<Vec<Transfer>> {
    let copies = regions.iter().map(|region| {
        let source_aspects = aspects(source, &region.src_subresource)?;
        let target_aspects = aspects(target, &region.dst_subresource)?;
        let from = Surface::level(source, subresource(&region.src_subresource))?;
        let to = Surface::level(target, subresource(&region.dst_subresource))?;
        let extent = region.extent;
        // Slices go to layers and back; one of the two says how many.
        let count = if source.info().ty == vk::ImageType::_3D && target.info().ty == vk::ImageType::_3D {
            extent.depth
        } else if source.info().ty == vk::ImageType::_3D {
            planes(target, &to, extent.depth)
        } else {
            planes(source, &from, extent.depth)
        };
        let texels =
            Region { first: first(source, region.src_offset)?, count: [extent.width, extent.height, count] };
        from.check(texels)?;
        let source_blocks = from.in_blocks(texels)?;
        let target_first = Region { first: first(target, region.dst_offset)?, count: [0; 3] };
        let target_first = to.in_blocks(target_first)?.first;
        let blocks = Region { first: target_first, count: source_blocks.count };
        // Blocks at an edge may be cut off: the check counts whole ones.
        let block = to.format.block_extent();
        let whole = [to.width.div_ceil(block[0]), to.height.div_ceil(block[1]), to.planes.div_ceil(block[2])];
        if (0..3).any(|axis| {
            blocks.first[axis].checked_add(blocks.count[axis]).is_none_or(|end| end > whole[axis])
        }) {
            return Err(Error::misuse(
                "a region outside the target image (VUID-vkCmdCopyImage-dstOffset-00150)",
            ));
        }
        let copy = ImageCopy {
            source: from,
            source_first: source_blocks.first,
            source_aspects,
            target: to,
            target_region: blocks,
            target_aspects,
            rotation: Rotation::None,
        };
        copy.check()?;
        Ok(Transfer::Image(copy))
    });
    copies.collect()
}

/// `vkCmdBlitImage`. Regions behind the rotations are not turned.
///
/// # Errors
/// When the target is compressed, an image lacks the subresources, or cannot be turned.
pub fn blit(
    source: &Image,
    target: &Image,
    (regions, rotations): (&[BlitRegion], &[Rotation]),
    filter: vk::Filter,
    weights: vk::CubicFilterWeightsQCOM,
) -> Result<Vec<Transfer>> {
    if target.format().is_compressed() {
        return Err(Error::misuse("a blit to a compressed image (VUID-vkCmdBlitImage-dstImage-02000)"));
    }
    let rotations = rotations.iter().copied().chain(std::iter::repeat(Rotation::None));
    let blits = regions.iter().zip(rotations).map(|(region, rotation)| {
        rotation.check(source)?;
        rotation.check(target)?;
        let aspects = aspects(source, &region.src_subresource)?;
        let class = |image: &Image| image.format().numeric_class(aspects[0]);
        if aspects.iter().any(|&aspect| !target.format().has_aspect(aspect)) || class(source) != class(target)
        {
            return Err(Error::misuse(
                "a blit between formats of different kinds (VUID-vkCmdBlitImage-srcImage-00229)",
            ));
        }
        let from = Surface::level(source, subresource(&region.src_subresource))?;
        let to = Surface::level(target, subresource(&region.dst_subresource))?;
        let is_3d = source.info().ty == vk::ImageType::_3D || target.info().ty == vk::ImageType::_3D;
        let corners = |image: &Image, surface: &Surface, offsets: &[vk::Offset3D]| {
            let z = |offset: i32, whole: u32| {
                if image.info().ty == vk::ImageType::_3D { offset } else { whole as i32 }
            };
            [
                [offsets[0].x, offsets[0].y, z(offsets[0].z, 0)],
                [offsets[1].x, offsets[1].y, z(offsets[1].z, surface.planes)],
            ]
        };
        let source_corners = corners(source, &from, &region.src_offsets);
        let target_corners = corners(target, &to, &region.dst_offsets);
        let filter = match filter {
            _ if class(source) != NumericClass::Float => BlitFilter::Nearest,
            vk::Filter::LINEAR => BlitFilter::Linear,
            vk::Filter::CUBIC_EXT => BlitFilter::Cubic(cubic_weights(weights)?),
            _ => BlitFilter::Nearest,
        };
        Ok(Transfer::Blit(Blit {
            source: from,
            source_corners,
            target: to,
            target_corners,
            aspects,
            filter,
            is_3d,
            rotation,
        }))
    });
    blits.collect()
}

/// How the first aspect (colour or depth) and stencil are resolved (`VkResolveImageModeInfoKHR`); none: as
/// usual.
pub type ResolveModes = Option<[vk::ResolveModeFlags; 2]>;

/// `vkCmdResolveImage`.
///
/// # Errors
/// When a region is not inside the images.
pub fn resolve(
    source: &Image,
    target: &Image,
    regions: &[ResolveRegion],
    modes: ResolveModes,
) -> Result<Vec<Transfer>> {
    let mut list = Vec::new();
    for region in regions {
        let from = Surface::level(source, subresource(&region.src_subresource))?;
        let to = Surface::level(target, subresource(&region.dst_subresource))?;
        let extent = region.extent;
        let count = [extent.width, extent.height, planes(target, &to, extent.depth)];
        let source_region = Region { first: first(source, region.src_offset)?, count };
        let target_region = Region { first: first(target, region.dst_offset)?, count };
        from.check(source_region)?;
        to.check(target_region)?;
        if source.format() != target.format() {
            return Err(Error::misuse(
                "a resolve between different formats (VUID-vkCmdResolveImage-srcImage-01386)",
            ));
        }
        for aspect in aspect_list(region.src_subresource.aspect_mask) {
            let mode = match (modes, source.format().numeric_class(aspect)) {
                (Some([_, stencil]), _) if aspect == Aspect::Stencil => stencil,
                (Some([first, _]), _) => first,
                (None, NumericClass::Float) => vk::ResolveModeFlags::AVERAGE,
                (None, NumericClass::SInt | NumericClass::UInt) => vk::ResolveModeFlags::SAMPLE_ZERO,
            };
            if !mode.is_empty() {
                let (from, to, first) = (from.clone(), to.clone(), source_region.first);
                list.push(Transfer::Resolve(Resolve::new(from, first, to, target_region, aspect, mode)));
            }
        }
    }
    Ok(list)
}

/// `vkCmdClearColorImage` and `vkCmdClearDepthStencilImage`.
///
/// # Errors
/// When the image lacks the levels, layers or aspects.
pub fn clear(
    image: &Image,
    value: ClearWords,
    ranges: &[vk::ImageSubresourceRange],
) -> Result<Vec<Transfer>> {
    let mut list = Vec::new();
    for range in ranges {
        let aspects: Vec<Aspect> = aspect_list(image.aspects_of(range.aspect_mask)?).collect();
        let levels = image.level_count(range.base_mip_level, range.level_count)?;
        for level in range.base_mip_level..range.base_mip_level + levels {
            let (layer, layers) = (range.base_array_layer, range.layer_count);
            let surface = Surface::level(image, Subresource { plane: 0, level, layer, layers })?;
            let region = Region { first: [0; 3], count: [surface.width, surface.height, surface.planes] };
            list.push(Transfer::Clear(Clear::new(surface, region, &aspects, value)));
        }
    }
    Ok(list)
}
