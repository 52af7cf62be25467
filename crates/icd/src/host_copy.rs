//! Copies between host memory and images without a queue (`VK_EXT_host_image_copy`).

use crate::device::device;
use crate::{guard, handle, slice};
use pyro_driver::image::Image;
use pyro_driver::transfer;
use vulkanalia_sys::{self as vk, Handle};

/// One region between memory and an image.
unsafe fn region(
    image: &Image,
    flags: vk::HostImageCopyFlags,
    pointer: u64,
    region: vk::BufferImageCopy,
    to_image: bool,
) -> pyro_driver::Result<()> {
    let mut region = region;
    if flags.contains(vk::HostImageCopyFlags::MEMCPY) {
        // Texels are packed, whatever it says.
        (region.buffer_row_length, region.buffer_image_height) = (0, 0);
    }
    // SAFETY: the application vouches for the memory while the command runs.
    unsafe { transfer::copy_memory(pointer, image, &region, to_image) }
}

pub(crate) unsafe extern "system" fn copy_memory_to_image(
    handle_: vk::Device,
    info: *const vk::CopyMemoryToImageInfo,
) -> vk::Result {
    guard(|| unsafe {
        device(handle_)?;
        let info = &*info;
        let image = handle::get::<Image>(info.dst_image.as_raw())?;
        for one in slice(info.regions, info.region_count) {
            let copy = vk::BufferImageCopy {
                buffer_offset: 0,
                buffer_row_length: one.memory_row_length,
                buffer_image_height: one.memory_image_height,
                image_subresource: one.image_subresource,
                image_offset: one.image_offset,
                image_extent: one.image_extent,
            };
            region(&image, info.flags, one.host_pointer as u64, copy, true)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn copy_image_to_memory(
    handle_: vk::Device,
    info: *const vk::CopyImageToMemoryInfo,
) -> vk::Result {
    guard(|| unsafe {
        device(handle_)?;
        let info = &*info;
        let image = handle::get::<Image>(info.src_image.as_raw())?;
        for one in slice(info.regions, info.region_count) {
            let copy = vk::BufferImageCopy {
                buffer_offset: 0,
                buffer_row_length: one.memory_row_length,
                buffer_image_height: one.memory_image_height,
                image_subresource: one.image_subresource,
                image_offset: one.image_offset,
                image_extent: one.image_extent,
            };
            region(&image, info.flags, one.host_pointer as u64, copy, false)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn copy_image_to_image(
    handle_: vk::Device,
    info: *const vk::CopyImageToImageInfo,
) -> vk::Result {
    guard(|| unsafe {
        device(handle_)?;
        let info = &*info;
        let source = handle::get::<Image>(info.src_image.as_raw())?;
        let target = handle::get::<Image>(info.dst_image.as_raw())?;
        let regions = slice(info.regions, info.region_count).iter().map(|region| vk::ImageCopy {
            src_subresource: region.src_subresource,
            src_offset: region.src_offset,
            dst_subresource: region.dst_subresource,
            dst_offset: region.dst_offset,
            extent: region.extent,
        });
        let regions: Vec<_> = regions.collect();
        transfer::copy_image(&source, &target, &regions)?.iter().for_each(transfer::Transfer::run);
        Ok(vk::Result::SUCCESS)
    })
}

/// Layouts make no difference to where texels lie.
pub(crate) unsafe extern "system" fn transition_image_layout(
    handle_: vk::Device,
    _count: u32,
    _transitions: *const vk::HostImageLayoutTransitionInfo,
) -> vk::Result {
    guard(|| device(handle_).map(|_| vk::Result::SUCCESS))
}
