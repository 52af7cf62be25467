//! Copies, blits, clears and resolves of images, and the second generation of copies.

use crate::call::recording::record;
use crate::entry::follow;
use crate::handle;
use crate::pointers::{Chain, In, PlainWords, Slice};
use crate::registry::CommandId;
use pyro_driver::Result;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::followed::Followed;
use pyro_driver::command::{CommandBuffer, TransferCommand};
use pyro_driver::image::Image;
use pyro_driver::registry_supplement;
use pyro_driver::transfer;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn cmd_copy_buffer2(buffer: vk::CommandBuffer, info: In<'_, vk::CopyBufferInfo2>) {
    record(CommandId::cmd_copy_buffer2, buffer, |buffer| {
        let source = handle::get::<Buffer>(info.src_buffer.as_raw())?;
        let target = handle::get::<Buffer>(info.dst_buffer.as_raw())?;
        let regions = info.regions().into_iter();
        let regions = regions.map(|region| (region.src_offset, region.dst_offset, region.size));
        buffer.copy(&source, &target, regions)
    });
}

/// The buffer and the image of a copy; the image's layouts are followed.
fn buffer_and_image(
    commands: &mut CommandBuffer,
    (buffer, image, layout): (vk::Buffer, vk::Image, vk::ImageLayout),
    regions: &[vk::BufferImageCopy],
) -> Result<(Arc<Buffer>, Arc<Image>)> {
    let buffer = handle::get::<Buffer>(buffer.as_raw())?;
    let image = handle::get::<Image>(image.as_raw())?;
    if follow::is_on() {
        let of = |region: &vk::BufferImageCopy| Followed::layers(&image, &region.image_subresource, layout);
        follow::layouts(commands, regions.iter().map(of))?;
    }
    Ok((buffer, image))
}

/// Records a copy between a buffer and an image.
fn buffer_image(
    id: CommandId,
    commands: vk::CommandBuffer,
    place: (vk::Buffer, vk::Image, vk::ImageLayout),
    regions: &[vk::BufferImageCopy],
    to_image: bool,
) {
    record(id, commands, |commands| {
        let (buffer, image) = buffer_and_image(commands, place, regions)?;
        commands.transfer(transfer::copy_buffer(&buffer, &image, regions, to_image)?)
    });
}

/// A region of the first generation from the fields of the same names of another structure, which has more.
macro_rules! region {
    ($region:expr => $name:ident { $($field:ident)* }) => { vk::$name { $($field: $region.$field),* } };
}
pub(crate) use region;

/// All regions of an info of the second generation as those of the first.
macro_rules! regions {
    ($info:expr => $name:ident { $($field:ident)* }) => {
        $info
            .regions()
            .iter()
            .map(|region| $crate::entry::transfer::region!(region => $name { $($field)* }))
            .collect::<Vec<_>>()
    };
}
pub(crate) use regions;

/// The subresources that regions name, in front of what is recorded of them.
macro_rules! sides {
    ($regions:expr) => {
        $regions.iter().map(|region| [region.src_subresource, region.dst_subresource]).collect::<Vec<_>>()
    };
}

/// How a region is turned.
pub(crate) fn rotation(chain: Chain<'_>) -> Result<transfer::Rotation> {
    let turned = chain.find::<vk::CopyCommandTransformInfoQCOM>();
    let rule = "VUID-VkCopyCommandTransformInfoQCOM-transform-04560";
    turned.map_or(Ok(transfer::Rotation::None), |info| transfer::Rotation::new(info.transform, rule))
}

/// Records a copy between a buffer and an image whose regions may be turned.
fn rotated_buffer_image(
    id: CommandId,
    commands: vk::CommandBuffer,
    place: (vk::Buffer, vk::Image, vk::ImageLayout),
    regions: Slice<'_, vk::BufferImageCopy2>,
    to_image: bool,
) {
    let plain = buffer_regions(regions);
    let turned: Result<Vec<_>> = regions.into_iter().map(|region| rotation(region.chain())).collect();
    if matches!(&turned, Ok(turned) if turned.iter().all(|one| *one == transfer::Rotation::None)) {
        return buffer_image(id, commands, place, &plain, to_image);
    }
    record(id, commands, |commands| {
        let (buffer, image) = buffer_and_image(commands, place, &plain)?;
        let regions: Vec<_> = plain.into_iter().zip(turned?).collect();
        commands.transfer(transfer::copy_buffer_rotated(&buffer, &image, &regions, to_image)?)
    });
}

/// The regions without their headers.
fn buffer_regions(regions: Slice<'_, vk::BufferImageCopy2>) -> Vec<vk::BufferImageCopy> {
    let plain = |region: &vk::BufferImageCopy2| {
        region!(region => BufferImageCopy {
            buffer_offset buffer_row_length buffer_image_height image_subresource image_offset image_extent
        })
    };
    regions.iter().map(plain).collect()
}

pub(crate) fn cmd_copy_buffer_to_image(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    regions: Slice<'_, vk::BufferImageCopy>,
) {
    buffer_image(CommandId::cmd_copy_buffer_to_image, commands, (buffer, image, layout), &regions, true);
}

pub(crate) fn cmd_copy_buffer_to_image2(
    commands: vk::CommandBuffer,
    info: In<'_, vk::CopyBufferToImageInfo2>,
) {
    let ends = (info.src_buffer, info.dst_image, info.dst_image_layout);
    rotated_buffer_image(CommandId::cmd_copy_buffer_to_image2, commands, ends, info.regions(), true);
}

pub(crate) fn cmd_copy_image_to_buffer(
    commands: vk::CommandBuffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    buffer: vk::Buffer,
    regions: Slice<'_, vk::BufferImageCopy>,
) {
    buffer_image(CommandId::cmd_copy_image_to_buffer, commands, (buffer, image, layout), &regions, false);
}

pub(crate) fn cmd_copy_image_to_buffer2(
    commands: vk::CommandBuffer,
    info: In<'_, vk::CopyImageToBufferInfo2>,
) {
    let ends = (info.dst_buffer, info.src_image, info.src_image_layout);
    rotated_buffer_image(CommandId::cmd_copy_image_to_buffer2, commands, ends, info.regions(), false);
}

/// A transfer between two images.
fn between(
    id: CommandId,
    commands: vk::CommandBuffer,
    (source, source_layout): (vk::Image, vk::ImageLayout),
    (target, target_layout): (vk::Image, vk::ImageLayout),
    sides: &[[vk::ImageSubresourceLayers; 2]],
    make: impl FnOnce(&Image, &Image) -> Result<Vec<transfer::Transfer>>,
) {
    record(id, commands, |commands| {
        let source = handle::get::<Image>(source.as_raw())?;
        let target = handle::get::<Image>(target.as_raw())?;
        if follow::is_on() {
            let of = |[from, to]: &[vk::ImageSubresourceLayers; 2]| {
                [Followed::layers(&source, from, source_layout), Followed::layers(&target, to, target_layout)]
            };
            follow::layouts(commands, sides.iter().flat_map(of))?;
        }
        commands.transfer(make(&source, &target)?)
    });
}

pub(crate) fn cmd_copy_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    source_layout: vk::ImageLayout,
    target: vk::Image,
    target_layout: vk::ImageLayout,
    regions: Slice<'_, vk::ImageCopy>,
) {
    between(
        CommandId::cmd_copy_image,
        commands,
        (source, source_layout),
        (target, target_layout),
        &sides!(regions),
        |source, target| transfer::copy_image(source, target, &regions),
    );
}

pub(crate) fn cmd_copy_image2(commands: vk::CommandBuffer, info: In<'_, vk::CopyImageInfo2>) {
    let regions = regions!(info => ImageCopy {
        src_subresource src_offset dst_subresource dst_offset extent
    });
    between(
        CommandId::cmd_copy_image2,
        commands,
        (info.src_image, info.src_image_layout),
        (info.dst_image, info.dst_image_layout),
        &sides!(regions),
        |source, target| transfer::copy_image(source, target, &regions),
    );
}

pub(crate) fn cmd_blit_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    source_layout: vk::ImageLayout,
    target: vk::Image,
    target_layout: vk::ImageLayout,
    regions: Slice<'_, vk::ImageBlit>,
    filter: vk::Filter,
) {
    let regions = regions.get();
    let weights = vk::CubicFilterWeightsQCOM::CATMULL_ROM;
    between(
        CommandId::cmd_blit_image,
        commands,
        (source, source_layout),
        (target, target_layout),
        &sides!(regions),
        |source, target| transfer::blit(source, target, (regions, &[]), filter, weights),
    );
}

pub(crate) fn cmd_blit_image2(commands: vk::CommandBuffer, info: In<'_, vk::BlitImageInfo2>) {
    let regions = regions!(info => ImageBlit {
        src_subresource src_offsets dst_subresource dst_offsets
    });
    let weights = info
        .find::<vk::BlitImageCubicWeightsInfoQCOM>()
        .map_or(vk::CubicFilterWeightsQCOM::CATMULL_ROM, |weights| weights.cubic_weights);
    between(
        CommandId::cmd_blit_image2,
        commands,
        (info.src_image, info.src_image_layout),
        (info.dst_image, info.dst_image_layout),
        &sides!(regions),
        |source, target| {
            let rotations = info.regions().into_iter().map(|region| rotation(region.chain()));
            let rotations = rotations.collect::<Result<Vec<_>>>()?;
            transfer::blit(source, target, (&regions, &rotations), info.filter, weights)
        },
    );
}

pub(crate) fn cmd_resolve_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    source_layout: vk::ImageLayout,
    target: vk::Image,
    target_layout: vk::ImageLayout,
    regions: Slice<'_, vk::ImageResolve>,
) {
    let regions = regions.get();
    between(
        CommandId::cmd_resolve_image,
        commands,
        (source, source_layout),
        (target, target_layout),
        &sides!(regions),
        |source, target| transfer::resolve(source, target, regions, None),
    );
}

pub(crate) fn cmd_resolve_image2(commands: vk::CommandBuffer, info: In<'_, vk::ResolveImageInfo2>) {
    let regions = regions!(info => ImageResolve {
        src_subresource src_offset dst_subresource dst_offset extent
    });
    let modes = info.find::<vk::ResolveImageModeInfoKHR>();
    let modes = modes.map(|modes| [modes.resolve_mode, modes.stencil_resolve_mode]);
    between(
        CommandId::cmd_resolve_image2,
        commands,
        (info.src_image, info.src_image_layout),
        (info.dst_image, info.dst_image_layout),
        &sides!(regions),
        |source, target| transfer::resolve(source, target, &regions, modes),
    );
}

pub(crate) fn cmd_clear_color_image(
    commands: vk::CommandBuffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    color: In<'_, vk::ClearColorValue>,
    ranges: Slice<'_, vk::ImageSubresourceRange>,
) {
    record(CommandId::cmd_clear_color_image, commands, |commands| {
        let image = handle::get::<Image>(image.as_raw())?;
        if follow::is_on() {
            follow::layouts(commands, ranges.iter().map(|range| Followed::range(&image, range, layout)))?;
        }
        commands.transfer(transfer::clear(&image, color.words(), &ranges)?)
    });
}

pub(crate) fn cmd_clear_depth_stencil_image(
    commands: vk::CommandBuffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    value: In<'_, vk::ClearDepthStencilValue>,
    ranges: Slice<'_, vk::ImageSubresourceRange>,
) {
    record(CommandId::cmd_clear_depth_stencil_image, commands, |commands| {
        let image = handle::get::<Image>(image.as_raw())?;
        if follow::is_on() {
            follow::layouts(commands, ranges.iter().map(|range| Followed::range(&image, range, layout)))?;
        }
        let words = [value.depth.to_bits(), value.stencil, 0, 0];
        commands.transfer(transfer::clear(&image, words, ranges.get())?)
    });
}

pub(crate) fn cmd_copy_memory_indirect_khr(
    commands: vk::CommandBuffer,
    info: In<'_, vk::CopyMemoryIndirectInfoKHR>,
) {
    record(CommandId::cmd_copy_memory_indirect_khr, commands, |commands| {
        let copy = transfer::IndirectCopy::memory(&info.copy_address_range, info.copy_count)?;
        commands.push(TransferCommand::CopyIndirect(Box::new(copy)))
    });
}

/// The copies of `VK_NV_copy_memory_indirect`: as many as counted, each so many bytes behind the one before.
fn strided(address: vk::DeviceAddress, count: u32, stride: u32) -> vk::StridedDeviceAddressRangeKHR {
    let (size, stride) = (u64::from(count) * u64::from(stride), stride.into());
    vk::StridedDeviceAddressRangeKHR { address, size, stride }
}

pub(crate) unsafe extern "system" fn cmd_copy_memory_indirect_nv(
    commands: vk::CommandBuffer,
    address: vk::DeviceAddress,
    count: u32,
    stride: u32,
) {
    record(CommandId::cmd_copy_memory_indirect_nv, commands, |commands| {
        let copy = transfer::IndirectCopy::memory(&strided(address, count, stride), count)?;
        commands.push(TransferCommand::CopyIndirect(Box::new(copy)))
    });
}

/// What it says of subresources is in memory too.
pub(crate) fn cmd_copy_memory_to_image_indirect_nv(
    commands: vk::CommandBuffer,
    address: vk::DeviceAddress,
    stride: u32,
    image: vk::Image,
    _layout: vk::ImageLayout,
    subresources: Slice<'_, vk::ImageSubresourceLayers>,
) {
    record(CommandId::cmd_copy_memory_to_image_indirect_nv, commands, |commands| {
        let (image, count) = (handle::get::<Image>(image.as_raw())?, subresources.len() as u32);
        let copy = transfer::IndirectCopy::image(&strided(address, count, stride), count, image)?;
        commands.push(TransferCommand::CopyIndirect(Box::new(copy)))
    });
}

pub(crate) fn cmd_copy_memory_to_image_indirect_khr(
    commands: vk::CommandBuffer,
    info: In<'_, vk::CopyMemoryToImageIndirectInfoKHR>,
) {
    record(CommandId::cmd_copy_memory_to_image_indirect_khr, commands, |commands| {
        let image = handle::get::<Image>(info.dst_image.as_raw())?;
        let copy = transfer::IndirectCopy::image(&info.copy_address_range, info.copy_count, image)?;
        commands.push(TransferCommand::CopyIndirect(Box::new(copy)))
    });
}

pub(crate) fn cmd_decompress_memory_ext(
    commands: vk::CommandBuffer,
    info: In<'_, registry_supplement::DecompressMemoryInfoEXT>,
) {
    record(CommandId::cmd_decompress_memory_ext, commands, |commands| {
        let regions = info.regions().iter().copied();
        let regions = transfer::Decompression::new(info.decompression_method, regions)?;
        commands.push(TransferCommand::Decompress(Box::new(regions)))
    });
}

pub(crate) fn cmd_decompress_memory_nv(
    commands: vk::CommandBuffer,
    regions: Slice<'_, vk::DecompressMemoryRegionNV>,
) {
    record(CommandId::cmd_decompress_memory_nv, commands, |commands| {
        let regions = regions.iter().map(transfer::CompressedRegion::with_method);
        let regions = transfer::Decompression::Regions(regions.collect::<Result<_>>()?);
        commands.push(TransferCommand::Decompress(Box::new(regions)))
    });
}

pub(crate) unsafe extern "system" fn cmd_decompress_memory_indirect_count_ext(
    commands: vk::CommandBuffer,
    method: vk::MemoryDecompressionMethodFlagsEXT,
    regions: vk::DeviceAddress,
    count: vk::DeviceAddress,
    count_max: u32,
    stride: u32,
) {
    record(CommandId::cmd_decompress_memory_indirect_count_ext, commands, |commands| {
        let regions =
            transfer::IndirectRegions::new(method.bits().into(), [regions, count], count_max, stride)?;
        commands.push(TransferCommand::Decompress(Box::new(transfer::Decompression::Indirect(regions))))
    });
}

pub(crate) unsafe extern "system" fn cmd_decompress_memory_indirect_count_nv(
    commands: vk::CommandBuffer,
    regions: vk::DeviceAddress,
    count: vk::DeviceAddress,
    stride: u32,
) {
    record(CommandId::cmd_decompress_memory_indirect_count_nv, commands, |commands| {
        let regions = transfer::IndirectRegions::with_methods([regions, count], stride)?;
        commands.push(TransferCommand::Decompress(Box::new(transfer::Decompression::Indirect(regions))))
    });
}
