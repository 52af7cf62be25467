//! A two-dimensional image whose texels the host sees.

use crate::Gpu;
use vulkanalia::prelude::v1_3::*;

/// A linear colour image of one level and one sample in mapped memory, and a view of it.
#[derive(Clone, Copy)]
pub struct LinearImage {
    /// The image.
    pub image: vk::Image,
    /// Its memory, which is bound at offset 0 and mapped.
    pub memory: vk::DeviceMemory,
    /// A view of all of it, in its own format.
    pub view: vk::ImageView,
    bytes: *mut u8,
    layout: vk::SubresourceLayout,
}

impl LinearImage {
    /// An image of `width` x `height` texels.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn new(
        gpu: &Gpu,
        format: vk::Format,
        [width, height]: [u32; 2],
        usage: vk::ImageUsageFlags,
    ) -> LinearImage {
        let device = &gpu.device;
        let aspect_mask = vk::ImageAspectFlags::COLOR;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(usage);
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let (memory, bytes) = gpu.mapped_memory(device.get_image_memory_requirements(image));
            device.bind_image_memory(image, memory, 0).expect("bound");
            let range = vk::ImageSubresourceRange {
                aspect_mask,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(format)
                .subresource_range(range);
            let view = device.create_image_view(&info, None).expect("a view");
            let subresource = vk::ImageSubresource { aspect_mask, ..Default::default() };
            let layout = device.get_image_subresource_layout(image, &subresource);
            LinearImage { image, memory, view, bytes, layout }
        }
    }

    /// The first `N` bytes of a texel, which must lie in the image.
    #[must_use]
    pub fn texel<const N: usize>(&self, x: u32, y: u32, texel_bytes: usize) -> [u8; N] {
        let at = self.layout.offset as usize + (u64::from(y) * self.layout.row_pitch) as usize;
        let at = at + texel_bytes * x as usize;
        std::array::from_fn(|index| unsafe { self.bytes.add(at + index).read_volatile() })
    }

    /// Writes a texel, which must lie in the image.
    pub fn put<const N: usize>(&self, x: u32, y: u32, texel: [u8; N]) {
        let at = self.layout.offset as usize + (u64::from(y) * self.layout.row_pitch) as usize;
        let at = at + N * x as usize;
        for (index, byte) in texel.into_iter().enumerate() {
            unsafe { self.bytes.add(at + index).write_volatile(byte) };
        }
    }

    /// Destroys the view and the image, and frees the memory.
    pub fn destroy(self, gpu: &Gpu) {
        unsafe {
            gpu.device.destroy_image_view(self.view, None);
            gpu.device.destroy_image(self.image, None);
            gpu.device.free_memory(self.memory, None);
        }
    }
}
