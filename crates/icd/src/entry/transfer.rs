//! Copies, blits, clears and resolves of images, and the second generation of copies.

use crate::call::find;
use crate::call::recording::record;
use crate::call::slice;
use crate::handle;
use crate::pointers::{In, Slice};
use crate::registry::CommandId;
use pyro_driver::Result;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::{CommandBuffer, TransferCommand};
use pyro_driver::image::Image;
use pyro_driver::transfer;
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

/// A copy between a buffer and an image.
fn buffer_image(
    commands: &mut CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    regions: &[vk::BufferImageCopy],
    to_image: bool,
) -> Result<()> {
    let buffer = handle::get::<Buffer>(buffer.as_raw())?;
    let image = handle::get::<Image>(image.as_raw())?;
    commands.transfer(transfer::copy_buffer(&buffer, &image, regions, to_image)?)
}

/// A region of the first generation from the fields of the same names of another structure, which has more.
macro_rules! region {
    ($region:expr => $name:ident { $($field:ident)* }) => { vk::$name { $($field: $region.$field),* } };
}
pub(crate) use region;

/// All regions of an info of the second generation as those of the first.
macro_rules! regions {
    ($info:expr => $name:ident { $($field:ident)* }) => {
        $crate::call::slice($info.regions, $info.region_count)
            .iter()
            .map(|region| $crate::entry::transfer::region!(region => $name { $($field)* }))
            .collect::<Vec<_>>()
    };
}
pub(crate) use regions;

/// The region without its header.
fn buffer_region(region: &vk::BufferImageCopy2) -> vk::BufferImageCopy {
    region!(region => BufferImageCopy {
        buffer_offset buffer_row_length buffer_image_height image_subresource image_offset image_extent
    })
}

pub(crate) fn cmd_copy_buffer_to_image(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    regions: Slice<'_, vk::BufferImageCopy>,
) {
    record(CommandId::cmd_copy_buffer_to_image, commands, |commands| {
        buffer_image(commands, buffer, image, regions.get(), true)
    });
}

pub(crate) unsafe extern "system" fn cmd_copy_buffer_to_image2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyBufferToImageInfo2,
) {
    // SAFETY: `info` is valid; `pRegions` has as many elements as counted
    // (VUID-vkCmdCopyBufferToImage2-pCopyBufferToImageInfo-parameter,
    // VUID-VkCopyBufferToImageInfo2-pRegions-parameter).
    unsafe {
        let info = &*info;
        let regions: Vec<_> = slice(info.regions, info.region_count).iter().map(buffer_region).collect();
        record(CommandId::cmd_copy_buffer_to_image2, commands, |commands| {
            buffer_image(commands, info.src_buffer, info.dst_image, &regions, true)
        });
    }
}

pub(crate) fn cmd_copy_image_to_buffer(
    commands: vk::CommandBuffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    buffer: vk::Buffer,
    regions: Slice<'_, vk::BufferImageCopy>,
) {
    record(CommandId::cmd_copy_image_to_buffer, commands, |commands| {
        buffer_image(commands, buffer, image, regions.get(), false)
    });
}

pub(crate) unsafe extern "system" fn cmd_copy_image_to_buffer2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyImageToBufferInfo2,
) {
    // SAFETY: `info` is valid; `pRegions` has as many elements as counted
    // (VUID-vkCmdCopyImageToBuffer2-pCopyImageToBufferInfo-parameter,
    // VUID-VkCopyImageToBufferInfo2-pRegions-parameter).
    unsafe {
        let info = &*info;
        let regions: Vec<_> = slice(info.regions, info.region_count).iter().map(buffer_region).collect();
        record(CommandId::cmd_copy_image_to_buffer2, commands, |commands| {
            buffer_image(commands, info.dst_buffer, info.src_image, &regions, false)
        });
    }
}

/// A transfer between two images.
fn between(
    id: CommandId,
    commands: vk::CommandBuffer,
    source: vk::Image,
    target: vk::Image,
    make: impl FnOnce(&Image, &Image) -> Result<Vec<transfer::Transfer>>,
) {
    record(id, commands, |commands| {
        let source = handle::get::<Image>(source.as_raw())?;
        let target = handle::get::<Image>(target.as_raw())?;
        commands.transfer(make(&source, &target)?)
    });
}

/// Both generations of a transfer between two images: the older has its regions as they are, the newer with
/// headers.
macro_rules! generations {
    ($old:ident($region:ident), $new:ident($info:ident) { $($field:ident)* } => $body:path) => {
        pub(crate) unsafe extern "system" fn $old(
            commands: vk::CommandBuffer,
            source: vk::Image,
            _source_layout: vk::ImageLayout,
            target: vk::Image,
            _target_layout: vk::ImageLayout,
            count: u32,
            regions: *const vk::$region,
        ) {
            // SAFETY: `regions` has as many elements as counted, by the valid usage of the command.
            unsafe {
                let regions = slice(regions, count);
                between(CommandId::$old, commands, source, target, |source, target| $body(source, target, regions));
            }
        }

        pub(crate) unsafe extern "system" fn $new(commands: vk::CommandBuffer, info: *const vk::$info) {
            // SAFETY: `info`, with its regions, is valid, by the valid usage of the command.
            unsafe {
                let info = &*info;
                let regions = regions!(info => $region { $($field)* });
                between(CommandId::$new, commands, info.src_image, info.dst_image, |source, target| {
                    $body(source, target, &regions)
                });
            }
        }
    };
}

generations! {
    cmd_copy_image(ImageCopy), cmd_copy_image2(CopyImageInfo2) {
        src_subresource src_offset dst_subresource dst_offset extent
    } => transfer::copy_image
}
pub(crate) fn cmd_blit_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    _source_layout: vk::ImageLayout,
    target: vk::Image,
    _target_layout: vk::ImageLayout,
    regions: Slice<'_, vk::ImageBlit>,
    filter: vk::Filter,
) {
    let regions = regions.get();
    let weights = vk::CubicFilterWeightsQCOM::CATMULL_ROM;
    between(CommandId::cmd_blit_image, commands, source, target, |source, target| {
        transfer::blit(source, target, regions, filter, weights)
    });
}

pub(crate) unsafe extern "system" fn cmd_blit_image2(
    commands: vk::CommandBuffer,
    info: *const vk::BlitImageInfo2,
) {
    // SAFETY: `info` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCmdBlitImage2-pBlitImageInfo-parameter).
    unsafe {
        let info = &*info;
        let regions = regions!(info => ImageBlit {
            src_subresource src_offsets dst_subresource dst_offsets
        });
        let s_type = vk::StructureType::BLIT_IMAGE_CUBIC_WEIGHTS_INFO_QCOM;
        let weights = find::<vk::BlitImageCubicWeightsInfoQCOM>(info.next, s_type)
            .map_or(vk::CubicFilterWeightsQCOM::CATMULL_ROM, |weights| weights.cubic_weights);
        between(CommandId::cmd_blit_image2, commands, info.src_image, info.dst_image, |source, target| {
            transfer::blit(source, target, &regions, info.filter, weights)
        });
    }
}

pub(crate) fn cmd_resolve_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    _source_layout: vk::ImageLayout,
    target: vk::Image,
    _target_layout: vk::ImageLayout,
    regions: Slice<'_, vk::ImageResolve>,
) {
    let regions = regions.get();
    between(CommandId::cmd_resolve_image, commands, source, target, |source, target| {
        transfer::resolve(source, target, regions, None)
    });
}

pub(crate) unsafe extern "system" fn cmd_resolve_image2(
    commands: vk::CommandBuffer,
    info: *const vk::ResolveImageInfo2,
) {
    // SAFETY: `info` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCmdResolveImage2-pResolveImageInfo-parameter).
    unsafe {
        let info = &*info;
        let regions = regions!(info => ImageResolve {
            src_subresource src_offset dst_subresource dst_offset extent
        });
        let s_type = vk::StructureType::RESOLVE_IMAGE_MODE_INFO_KHR;
        let modes = find::<vk::ResolveImageModeInfoKHR>(info.next, s_type);
        let modes = modes.map(|modes| [modes.resolve_mode, modes.stencil_resolve_mode]);
        between(CommandId::cmd_resolve_image2, commands, info.src_image, info.dst_image, |source, target| {
            transfer::resolve(source, target, &regions, modes)
        });
    }
}

pub(crate) unsafe extern "system" fn cmd_clear_color_image(
    commands: vk::CommandBuffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    color: *const vk::ClearColorValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    // SAFETY: `color` is valid; `ranges` has as many elements as counted
    // (VUID-vkCmdClearColorImage-pColor-parameter, VUID-vkCmdClearColorImage-pRanges-parameter).
    unsafe {
        record(CommandId::cmd_clear_color_image, commands, |commands| {
            let image = handle::get::<Image>(image.as_raw())?;
            commands.transfer(transfer::clear(&image, (*color).uint32, slice(ranges, count))?)
        });
    }
}

pub(crate) fn cmd_clear_depth_stencil_image(
    commands: vk::CommandBuffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    value: In<'_, vk::ClearDepthStencilValue>,
    ranges: Slice<'_, vk::ImageSubresourceRange>,
) {
    record(CommandId::cmd_clear_depth_stencil_image, commands, |commands| {
        let image = handle::get::<Image>(image.as_raw())?;
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
