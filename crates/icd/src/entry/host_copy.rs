//! Copies between host memory and images without a queue (`VK_EXT_host_image_copy`).

use crate::call::guard;
use crate::entry::device::device_object;
use crate::entry::follow;
use crate::entry::transfer::regions;
use crate::handle;
use crate::pointers::{In, Slice};
use crate::registry::CommandId;
use pyro_driver::command::followed::subresources;
use pyro_driver::image::Image;
use pyro_driver::{Result, transfer};
use vulkanalia_sys::{self as vk, Handle};

/// Copies in one direction between memory and an image.
macro_rules! with_memory {
    ($name:ident($info:ident), $image:ident, to_image: $to_image:literal) => {
        pub(crate) fn $name(device: vk::Device, info: In<'_, vk::$info>) -> vk::Result {
            guard(CommandId::$name, || {
                crate::entry::device::check(device)?;
                let image = handle::get::<Image>(info.$image.as_raw())?;
                // Texels are packed, whatever the regions say.
                let packed = info.flags.contains(vk::HostImageCopyFlags::MEMCPY);
                for region in info.regions() {
                    let copy = vk::BufferImageCopy {
                        buffer_offset: 0,
                        buffer_row_length: if packed { 0 } else { region.memory_row_length },
                        buffer_image_height: if packed { 0 } else { region.memory_image_height },
                        image_subresource: region.image_subresource,
                        image_offset: region.image_offset,
                        image_extent: region.image_extent,
                    };
                    let address = region.host_pointer as u64;
                    // SAFETY: the memory has the region's texels
                    // (VUID-VkMemoryToImageCopy-pHostPointer-09061,
                    // VUID-VkImageToMemoryCopy-pHostPointer-09066).
                    unsafe { transfer::copy_memory(address, &image, &copy, $to_image) }?;
                }
                if $to_image {
                    tell_write(device, &image)?;
                }
                Ok(vk::Result::SUCCESS)
            })
        }
    };
}

with_memory!(copy_memory_to_image(CopyMemoryToImageInfo), dst_image, to_image: true);
with_memory!(copy_image_to_memory(CopyImageToMemoryInfo), src_image, to_image: false);

pub(crate) fn copy_image_to_image(device: vk::Device, info: In<'_, vk::CopyImageToImageInfo>) -> vk::Result {
    guard(CommandId::copy_image_to_image, || {
        crate::entry::device::check(device)?;
        let source = handle::get::<Image>(info.src_image.as_raw())?;
        let target = handle::get::<Image>(info.dst_image.as_raw())?;
        let regions = regions!(info => ImageCopy {
            src_subresource src_offset dst_subresource dst_offset extent
        });
        transfer::copy_image(&source, &target, &regions)?.iter().for_each(transfer::Transfer::run_alone);
        tell_write(device, &target)?;
        Ok(vk::Result::SUCCESS)
    })
}

/// Tells the sanitizer that the host has written an image.
fn tell_write(device: vk::Device, image: &Image) -> Result<()> {
    if let Some(resource) = image.resource() {
        device_object(device)?.device.follow(|recorder| recorder.write(&resource.range));
    }
    Ok(())
}

/// Layouts make no difference to where texels lie.
pub(crate) fn transition_image_layout(
    device: vk::Device,
    transitions: Slice<'_, vk::HostImageLayoutTransitionInfo>,
) -> vk::Result {
    guard(CommandId::transition_image_layout, || {
        let device = device_object(device)?;
        for one in transitions.iter().filter(|_| follow::is_on()) {
            let image = handle::get::<Image>(one.image.as_raw())?;
            if let Some(resource) = image.resource() {
                let of = subresources(&image, &one.subresource_range);
                device.device.follow(|recorder| recorder.set_layout(resource, of, one.new_layout.as_raw()));
            }
        }
        Ok(vk::Result::SUCCESS)
    })
}
