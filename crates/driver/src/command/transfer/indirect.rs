//! Copies whose regions memory says when they run (`VK_KHR_copy_memory_indirect`).
//!
//! Addresses are taken at their word, as those that shaders follow are: what lies there is the application's
//! matter (VUID-VkCopyMemoryIndirectCommandKHR-srcAddress-12211).

use super::record::{BufferRegion, range_copy};
use super::{Rotation, Transfer};
use crate::error::{Error, Result};
use crate::objects::image::Image;
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::memory::words::{wide, word};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Where commands lie.
#[derive(Clone, Copy, Debug)]
pub struct Commands {
    first: u64,
    stride: u64,
    count: u32,
}

/// Copies that memory says.
pub enum IndirectCopy {
    /// `VkCopyMemoryIndirectCommandKHR`.
    Memory(Commands),
    /// `VkCopyMemoryToImageIndirectCommandKHR`.
    Image(Commands, Arc<Image>),
}

/// Bytes of `VkCopyMemoryIndirectCommandKHR`.
const MEMORY_BYTES: usize = size_of::<vk::CopyMemoryIndirectCommandKHR>();
/// Bytes of `VkCopyMemoryToImageIndirectCommandKHR`.
const IMAGE_BYTES: usize = size_of::<vk::CopyMemoryToImageIndirectCommandKHR>();

impl Commands {
    fn new(range: &vk::StridedDeviceAddressRangeKHR, count: u32, bytes: usize) -> Result<Commands> {
        if !range.address.is_multiple_of(4) {
            return Err(Error::misuse(
                "indirect copies do not lie at a multiple of four bytes (VUID-VkCopyMemoryIndirectInfoKHR-copyAddressRange-10942)",
            ));
        }
        if !range.stride.is_multiple_of(4) || range.stride < bytes as u64 {
            return Err(Error::misuse(
                "the stride of indirect copies is less than one of them (VUID-VkCopyMemoryIndirectInfoKHR-copyAddressRange-10943)",
            ));
        }
        if u64::from(count) > range.size / range.stride || range.address.checked_add(range.size).is_none() {
            return Err(Error::misuse(
                "more indirect copies than their range has (VUID-VkCopyMemoryIndirectInfoKHR-copyCount-10944)",
            ));
        }
        Ok(Commands { first: range.address, stride: range.stride, count })
    }

    /// The commands' bytes, one after another.
    fn each<const BYTES: usize>(self, memory: DeviceAddresses) -> impl Iterator<Item = [u8; BYTES]> {
        (0..u64::from(self.count)).map(move |index| {
            let mut bytes = [0; BYTES];
            memory.range(self.first + index * self.stride, BYTES as u64).read(0, &mut bytes);
            bytes
        })
    }
}

impl IndirectCopy {
    /// `vkCmdCopyMemoryIndirectKHR`.
    ///
    /// # Errors
    /// When the range does not hold the commands.
    pub fn memory(range: &vk::StridedDeviceAddressRangeKHR, count: u32) -> Result<IndirectCopy> {
        Ok(IndirectCopy::Memory(Commands::new(range, count, MEMORY_BYTES)?))
    }

    /// `vkCmdCopyMemoryToImageIndirectKHR`. The subresources that are named beside the commands say nothing
    /// new.
    ///
    /// # Errors
    /// When the range does not hold the commands.
    pub fn image(
        range: &vk::StridedDeviceAddressRangeKHR,
        count: u32,
        image: Arc<Image>,
    ) -> Result<IndirectCopy> {
        Ok(IndirectCopy::Image(Commands::new(range, count, IMAGE_BYTES)?, image))
    }

    /// The copies as memory says them now.
    pub(crate) fn run(&self, memory: DeviceAddresses, transfer: impl FnMut(Transfer)) {
        self.each(
            memory,
            |source, target, size| memory.range(target, size).copy_from(&memory.range(source, size)),
            transfer,
        );
    }

    /// Calls one of the two with each copy as memory says it now: addresses of source and target, and bytes.
    pub(crate) fn each(
        &self,
        memory: DeviceAddresses,
        mut copy: impl FnMut(u64, u64, u64),
        mut transfer: impl FnMut(Transfer),
    ) {
        match self {
            IndirectCopy::Memory(commands) => {
                for bytes in commands.each::<MEMORY_BYTES>(memory) {
                    let [source, target, size] = [0, 8, 16].map(|offset| wide(&bytes, offset));
                    if size != 0 {
                        copy(source, target, size);
                    }
                }
            }
            IndirectCopy::Image(commands, image) => {
                for bytes in commands.each::<IMAGE_BYTES>(memory) {
                    // A region that is not in the image is misuse, and left out.
                    let range = |size| Ok(memory.range(wide(&bytes, 0), size));
                    if let Ok(copy) = range_copy(image, &region(&bytes, image), Rotation::None, true, range) {
                        transfer(copy);
                    }
                }
            }
        }
    }

    /// The addresses of the commands, those between them included.
    pub(crate) fn commands(&self) -> std::ops::Range<u64> {
        let (IndirectCopy::Memory(commands) | IndirectCopy::Image(commands, _)) = self;
        commands.first..commands.first + commands.stride * u64::from(commands.count)
    }
}

/// The region of a command to an image. Slices of a 3D image are named as layers.
fn region(bytes: &[u8], image: &Image) -> BufferRegion {
    let number = |offset| word(bytes, offset);
    let signed = |offset| word(bytes, offset) as i32;
    let mut region = BufferRegion {
        buffer_offset: 0,
        buffer_row_length: number(8),
        buffer_image_height: number(12),
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::from_bits_truncate(number(16)),
            mip_level: number(20),
            base_array_layer: number(24),
            layer_count: number(28),
        },
        image_offset: vk::Offset3D { x: signed(32), y: signed(36), z: signed(40) },
        image_extent: vk::Extent3D { width: number(44), height: number(48), depth: number(52) },
    };
    let info = image.info();
    if info.ty == vk::ImageType::_3D {
        let side = &mut region.image_subresource;
        let depth = info.extent.depth.checked_shr(side.mip_level).unwrap_or(0).max(1);
        region.image_offset.z = i32::try_from(side.base_array_layer).unwrap_or(i32::MAX);
        region.image_extent.depth = match side.layer_count {
            vk::REMAINING_ARRAY_LAYERS => depth.saturating_sub(side.base_array_layer),
            count => count,
        };
        (side.base_array_layer, side.layer_count) = (0, 1);
    }
    region
}
