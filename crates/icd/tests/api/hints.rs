//! What programs say about how something shall be done, and what comes of it: tilings of images.

use pyro_driver::registry_supplement as new;
use pyro_test_kit::{Client, Gpu};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn image(gpu: &Gpu, tiling: vk::ImageTiling, width: u32, control: Option<i32>) -> vk::VkResult<vk::Image> {
    let control = control
        .map(|tiling_control| new::ImageTilingControlCreateInfoEXT { tiling_control, ..Default::default() });
    let mut info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width, height: 64, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .tiling(tiling)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)
        .build();
    info.next = control.as_ref().map_or(std::ptr::null(), |control| std::ptr::from_ref(control).cast());
    unsafe { gpu.device.create_image(&info, None) }
}

/// Rows of small images lie without gaps; fast images are as images are without the structure.
#[test]
fn images_are_small_or_fast_as_they_are_asked_to_be() {
    let mut features = new::PhysicalDeviceImageTilingControlFeaturesEXT {
        image_tiling_control: vk::TRUE,
        ..Default::default()
    };
    let extensions = [c"VK_EXT_image_tiling_control"];
    let gpu = Client::new(V1_3, &[]).device(&extensions, None, from_mut(&mut features).cast());
    let size = |width, control| unsafe {
        let image = image(&gpu, vk::ImageTiling::OPTIMAL, width, control).expect("an image");
        let size = gpu.device.get_image_memory_requirements(image).size;
        gpu.device.destroy_image(image, None);
        size
    };
    let (small, fast) =
        (new::IMAGE_TILING_CONTROL_MIN_SIZE_EXT, new::IMAGE_TILING_CONTROL_MAX_PERFORMANCE_EXT);
    for width in [1, 100, 260, 512] {
        let plain = size(width, None);
        assert_eq!(size(width, Some(new::IMAGE_TILING_CONTROL_DEFAULT_EXT)), plain);
        assert_eq!(size(width, Some(fast)), plain);
        assert!(size(width, Some(small)) <= plain);
    }
    assert_eq!(size(260, Some(small)), 260 * 64 * 4);
    assert!(size(260, None) > 260 * 64 * 4);
    for control in [3, -1, i32::MIN] {
        assert!(image(&gpu, vk::ImageTiling::OPTIMAL, 8, Some(control)).is_err());
    }
    assert!(image(&gpu, vk::ImageTiling::LINEAR, 8, Some(small)).is_err());
    let linear = image(&gpu, vk::ImageTiling::LINEAR, 8, Some(new::IMAGE_TILING_CONTROL_DEFAULT_EXT));
    unsafe { gpu.device.destroy_image(linear.expect("an image"), None) };
}
