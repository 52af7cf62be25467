//! Components of 10, 12 and 14 bits in words of 16 (`VK_ARM_format_pack`).

use pyro_test_kit::Client;
use pyro_test_kit::compute::Compute;
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn context() -> Compute {
    let mut features = vk::PhysicalDeviceFormatPackFeaturesARM::builder().format_pack(true);
    Client::new(V1_3, &[]).device(&[c"VK_ARM_format_pack"], None, from_mut(&mut features).cast()).into()
}

/// The words of a texel of an image that was cleared.
fn cleared(context: &Compute, format: vk::Format, color: vk::ClearColorValue, words: usize) -> Vec<u16> {
    let device = &context.device;
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(format)
        .extent(vk::Extent3D { width: 3, height: 1, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .tiling(vk::ImageTiling::LINEAR)
        .usage(vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED);
    let range = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    unsafe {
        let image = device.create_image(&info, None).expect("an image");
        let (memory, bytes) = context.mapped_memory(device.get_image_memory_requirements(image));
        device.bind_image_memory(image, memory, 0).expect("bound");
        context.run(|commands| {
            device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &color, &[range]);
        });
        let found = (words..2 * words).map(|word| bytes.cast::<u16>().add(word).read()).collect();
        device.destroy_image(image, None);
        found
    }
}

#[test]
fn components_lie_in_the_upper_bits_of_words() {
    let context = context();
    let integers = vk::ClearColorValue { uint32: [1000, 1, 515, 1023] };
    let floats = vk::ClearColorValue { float32: [1.0, 0.5, 0.0, 0.25] };
    let upper = |values: [u32; 4], below: u32| values.map(|value| (value << below) as u16);
    let ten = upper([1000, 1, 515, 1023], 6);
    let twelve = upper([1000, 1, 515, 1023], 4);
    let fourteen = upper([1000, 1, 515, 1023], 2);
    // Halves and quarters of 16383, rounded.
    let normalized = upper([16383, 8192, 0, 4096], 2);
    for (format, color, words) in [
        (vk::Format::R10X6_UINT_PACK16_ARM, integers, &ten[..1]),
        (vk::Format::R10X6G10X6_UINT_2PACK16_ARM, integers, &ten[..2]),
        (vk::Format::R10X6G10X6B10X6A10X6_UINT_4PACK16_ARM, integers, &ten[..]),
        (vk::Format::R12X4_UINT_PACK16_ARM, integers, &twelve[..1]),
        (vk::Format::R12X4G12X4_UINT_2PACK16_ARM, integers, &twelve[..2]),
        (vk::Format::R12X4G12X4B12X4A12X4_UINT_4PACK16_ARM, integers, &twelve[..]),
        (vk::Format::R14X2_UINT_PACK16_ARM, integers, &fourteen[..1]),
        (vk::Format::R14X2G14X2_UINT_2PACK16_ARM, integers, &fourteen[..2]),
        (vk::Format::R14X2G14X2B14X2A14X2_UINT_4PACK16_ARM, integers, &fourteen[..]),
        (vk::Format::R14X2_UNORM_PACK16_ARM, floats, &normalized[..1]),
        (vk::Format::R14X2G14X2_UNORM_2PACK16_ARM, floats, &normalized[..2]),
        (vk::Format::R14X2G14X2B14X2A14X2_UNORM_4PACK16_ARM, floats, &normalized[..]),
    ] {
        let found = cleared(&context, format, color, words.len());
        assert!(
            found.iter().zip(words).all(|(found, word)| found.abs_diff(*word) <= 4),
            "{format:?}: {found:?}"
        );
        assert!(found.iter().all(|word| word & 3 == 0), "{format:?}: {found:?}");
        let is_exact = format != vk::Format::R14X2G14X2_UNORM_2PACK16_ARM
            && format != vk::Format::R14X2G14X2B14X2A14X2_UNORM_4PACK16_ARM;
        assert!(!is_exact || found == words, "{format:?}: {found:?}");
    }
}

/// Formats of several planes are sampled with conversions, and copied plane by plane.
#[test]
fn planes_of_fourteen_bits_are_sampled() {
    let context = context();
    for format in [
        vk::Format::G14X2_B14X2R14X2_2PLANE_420_UNORM_3PACK16_ARM,
        vk::Format::G14X2_B14X2R14X2_2PLANE_422_UNORM_3PACK16_ARM,
    ] {
        let properties = unsafe {
            context.instance.get_physical_device_format_properties(context.physical_device, format)
        };
        let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE
            | vk::FormatFeatureFlags::MIDPOINT_CHROMA_SAMPLES
            | vk::FormatFeatureFlags::TRANSFER_DST;
        assert!(properties.optimal_tiling_features.contains(needed), "{format:?}");
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: 6, height: 4, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(vk::ImageUsageFlags::SAMPLED);
        unsafe {
            let image = context.device.create_image(&info, None).expect("an image");
            let second =
                vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::PLANE_1, ..Default::default() };
            let layout = context.device.get_image_subresource_layout(image, &second);
            assert!(layout.offset >= 6 * 4 * 2 && layout.row_pitch >= 3 * 4, "{layout:?}");
            context.device.destroy_image(image, None);
        }
    }
}
