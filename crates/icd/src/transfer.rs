//! Copies, blits, clears and resolves of images, and the second generation of copies.

use crate::command::record;
use crate::handle;
use crate::slice;
use pyro_driver::buffer::Buffer;
use pyro_driver::image::Image;
use pyro_driver::transfer;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn copy_buffer2(
    buffer: vk::CommandBuffer,
    info: *const vk::CopyBufferInfo2,
) {
    unsafe {
        record(buffer, |buffer| {
            let info = &*info;
            let source = handle::get::<Buffer>(info.src_buffer.as_raw())?;
            let target = handle::get::<Buffer>(info.dst_buffer.as_raw())?;
            let regions = slice(info.regions, info.region_count).iter();
            let regions = regions.map(|region| (region.src_offset, region.dst_offset, region.size));
            buffer.copy(&source, &target, regions)
        });
    }
}

/// A copy between a buffer and an image.
unsafe fn buffer_image(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    regions: &[vk::BufferImageCopy],
    to_image: bool,
) {
    unsafe {
        record(commands, |commands| {
            let buffer = handle::get::<Buffer>(buffer.as_raw())?;
            let image = handle::get::<Image>(image.as_raw())?;
            commands.transfer(transfer::copy_buffer(&buffer, &image, regions, to_image)?)
        });
    }
}

/// The region without its header.
fn buffer_region(region: &vk::BufferImageCopy2) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: region.buffer_offset,
        buffer_row_length: region.buffer_row_length,
        buffer_image_height: region.buffer_image_height,
        image_subresource: region.image_subresource,
        image_offset: region.image_offset,
        image_extent: region.image_extent,
    }
}

pub(crate) unsafe extern "system" fn copy_buffer_to_image(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    unsafe { buffer_image(commands, buffer, image, slice(regions, count), true) };
}

pub(crate) unsafe extern "system" fn copy_buffer_to_image2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyBufferToImageInfo2,
) {
    unsafe {
        let info = &*info;
        let regions: Vec<_> = slice(info.regions, info.region_count).iter().map(buffer_region).collect();
        buffer_image(commands, info.src_buffer, info.dst_image, &regions, true);
    }
}

pub(crate) unsafe extern "system" fn copy_image_to_buffer(
    commands: vk::CommandBuffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    buffer: vk::Buffer,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    unsafe { buffer_image(commands, buffer, image, slice(regions, count), false) };
}

pub(crate) unsafe extern "system" fn copy_image_to_buffer2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyImageToBufferInfo2,
) {
    unsafe {
        let info = &*info;
        let regions: Vec<_> = slice(info.regions, info.region_count).iter().map(buffer_region).collect();
        buffer_image(commands, info.dst_buffer, info.src_image, &regions, false);
    }
}

/// A transfer between two images.
unsafe fn between(
    commands: vk::CommandBuffer,
    source: vk::Image,
    target: vk::Image,
    make: impl FnOnce(&Image, &Image) -> pyro_driver::Result<Vec<transfer::Transfer>>,
) {
    unsafe {
        record(commands, |commands| {
            let source = handle::get::<Image>(source.as_raw())?;
            let target = handle::get::<Image>(target.as_raw())?;
            commands.transfer(make(&source, &target)?)
        });
    }
}

pub(crate) unsafe extern "system" fn copy_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    _source_layout: vk::ImageLayout,
    target: vk::Image,
    _target_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageCopy,
) {
    unsafe {
        let regions = slice(regions, count);
        between(commands, source, target, |source, target| transfer::copy_image(source, target, regions));
    }
}

pub(crate) unsafe extern "system" fn copy_image2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyImageInfo2,
) {
    unsafe {
        let info = &*info;
        let regions = slice(info.regions, info.region_count).iter().map(|region| vk::ImageCopy {
            src_subresource: region.src_subresource,
            src_offset: region.src_offset,
            dst_subresource: region.dst_subresource,
            dst_offset: region.dst_offset,
            extent: region.extent,
        });
        let regions: Vec<_> = regions.collect();
        between(commands, info.src_image, info.dst_image, |source, target| {
            transfer::copy_image(source, target, &regions)
        });
    }
}

pub(crate) unsafe extern "system" fn blit_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    _source_layout: vk::ImageLayout,
    target: vk::Image,
    _target_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageBlit,
    filter: vk::Filter,
) {
    unsafe {
        let regions = slice(regions, count);
        between(commands, source, target, |source, target| transfer::blit(source, target, regions, filter));
    }
}

pub(crate) unsafe extern "system" fn blit_image2(
    commands: vk::CommandBuffer,
    info: *const vk::BlitImageInfo2,
) {
    unsafe {
        let info = &*info;
        let regions = slice(info.regions, info.region_count).iter().map(|region| vk::ImageBlit {
            src_subresource: region.src_subresource,
            src_offsets: region.src_offsets,
            dst_subresource: region.dst_subresource,
            dst_offsets: region.dst_offsets,
        });
        let regions: Vec<_> = regions.collect();
        between(commands, info.src_image, info.dst_image, |source, target| {
            transfer::blit(source, target, &regions, info.filter)
        });
    }
}

pub(crate) unsafe extern "system" fn resolve_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    _source_layout: vk::ImageLayout,
    target: vk::Image,
    _target_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageResolve,
) {
    unsafe {
        let regions = slice(regions, count);
        between(commands, source, target, |source, target| transfer::resolve(source, target, regions));
    }
}

pub(crate) unsafe extern "system" fn resolve_image2(
    commands: vk::CommandBuffer,
    info: *const vk::ResolveImageInfo2,
) {
    unsafe {
        let info = &*info;
        let regions = slice(info.regions, info.region_count).iter().map(|region| vk::ImageResolve {
            src_subresource: region.src_subresource,
            src_offset: region.src_offset,
            dst_subresource: region.dst_subresource,
            dst_offset: region.dst_offset,
            extent: region.extent,
        });
        let regions: Vec<_> = regions.collect();
        between(commands, info.src_image, info.dst_image, |source, target| {
            transfer::resolve(source, target, &regions)
        });
    }
}

pub(crate) unsafe extern "system" fn clear_color_image(
    commands: vk::CommandBuffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    color: *const vk::ClearColorValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    unsafe {
        record(commands, |commands| {
            let image = handle::get::<Image>(image.as_raw())?;
            commands.transfer(transfer::clear(&image, (*color).uint32, slice(ranges, count))?)
        });
    }
}

pub(crate) unsafe extern "system" fn clear_depth_stencil_image(
    commands: vk::CommandBuffer,
    image: vk::Image,
    _layout: vk::ImageLayout,
    value: *const vk::ClearDepthStencilValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    unsafe {
        record(commands, |commands| {
            let image = handle::get::<Image>(image.as_raw())?;
            let words = [(*value).depth.to_bits(), (*value).stencil, 0, 0];
            commands.transfer(transfer::clear(&image, words, slice(ranges, count))?)
        });
    }
}
