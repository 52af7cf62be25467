//! How many addresses sparse resources have together.
#![cfg(any(target_os = "linux", windows))] // where pages of memory can be mapped a second time

use pyro_test_kit::{Client, Gpu};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn device(is_extended: bool) -> Gpu {
    let core = vk::PhysicalDeviceFeatures { sparse_binding: vk::TRUE, ..Default::default() };
    let mut features = vk::PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV::builder()
        .extended_sparse_address_space(is_extended);
    let extensions = [c"VK_NV_extended_sparse_address_space"];
    Client::new(V1_3, &[]).device(&extensions, Some(&core), from_mut(&mut features).cast())
}

fn buffer(gpu: &Gpu, size: u64) -> VkResult<vk::Buffer> {
    let info = vk::BufferCreateInfo::builder()
        .flags(vk::BufferCreateFlags::SPARSE_BINDING)
        .size(size)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    unsafe { gpu.device.create_buffer(&info, None) }
}

/// With the feature, a device has the addresses that its property tells of; without it, those of its limit.
#[test]
fn the_feature_extends_the_addresses() {
    for is_extended in [true, false] {
        let gpu = device(is_extended);
        let mut extended = vk::PhysicalDeviceExtendedSparseAddressSpacePropertiesNV::default();
        let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut extended).build();
        unsafe { gpu.instance.get_physical_device_properties2(gpu.physical_device, &mut properties) };
        let plain = properties.properties.limits.sparse_address_space_size;
        let more = extended.extended_sparse_address_space_size - plain;
        assert!(plain >= 1 << 31 && more > 0);
        assert!(extended.extended_sparse_buffer_usage_flags.contains(vk::BufferUsageFlags::STORAGE_BUFFER));
        // Other tests of this process have what is left.
        let (part, left) = (plain / 8 * 5, plain / 8 * 3);
        let first = buffer(&gpu, part).expect("a buffer");
        let second = buffer(&gpu, left + (1 << 16));
        assert_eq!(second.is_ok(), is_extended);
        assert!(buffer(&gpu, plain).is_err());
        unsafe {
            second.into_iter().for_each(|second| gpu.device.destroy_buffer(second, None));
            let again = buffer(&gpu, left).expect("a buffer");
            [first, again].into_iter().for_each(|buffer| gpu.device.destroy_buffer(buffer, None));
        }
    }
}
