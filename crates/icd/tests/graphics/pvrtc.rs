//! Blocks of PVRTC through the API: `VK_IMG_format_pvrtc`.

use crate::textures::{Texture, TextureInfo, clamping, leave, sampling};
use pyro_test_kit::Client;
use pyro_test_kit::compute::Compute;
use pyro_test_kit::graphics::GENERAL;
use vulkanalia::prelude::v1_3::*;

const EXTENSION: &std::ffi::CStr = c"VK_IMG_format_pvrtc";
const FORMATS: [vk::Format; 8] = [
    vk::Format::PVRTC1_2BPP_UNORM_BLOCK_IMG,
    vk::Format::PVRTC1_4BPP_UNORM_BLOCK_IMG,
    vk::Format::PVRTC2_2BPP_UNORM_BLOCK_IMG,
    vk::Format::PVRTC2_4BPP_UNORM_BLOCK_IMG,
    vk::Format::PVRTC1_2BPP_SRGB_BLOCK_IMG,
    vk::Format::PVRTC1_4BPP_SRGB_BLOCK_IMG,
    vk::Format::PVRTC2_2BPP_SRGB_BLOCK_IMG,
    vk::Format::PVRTC2_4BPP_SRGB_BLOCK_IMG,
];

fn compute() -> Compute {
    Compute::new(vk::make_version(1, 3, 0), &[EXTENSION], std::ptr::null_mut())
}

/// An opaque block of one gray of five bits, whatever its modulation says; of colour A, blue has four.
fn gray(level: u64) -> u64 {
    let color = 1 << 15 | level << 10 | level << 5 | level;
    color << 48 | (color & !1) << 32
}

fn texture(compute: &Compute, format: vk::Format, [width, height]: [u32; 2], blocks: &[u64]) -> Texture {
    let texels: Vec<u8> = blocks.iter().flat_map(|block| block.to_le_bytes()).collect();
    let extent = [width, height, 1];
    Texture::new(
        compute,
        &TextureInfo {
            format,
            ty: vk::ImageType::_2D,
            extent,
            flags: vk::ImageCreateFlags::empty(),
            levels: &[texels],
            extents: &[extent],
            sampler: clamping(vk::Filter::LINEAR, vk::SamplerMipmapMode::NEAREST),
        },
    )
}

/// The texels, as shaders fetch them.
fn fetched(compute: &Compute, texture: &Texture, [width, height]: [u32; 2]) -> Vec<[f32; 4]> {
    let body = format!(
        "%column = OpUMod %uint %x %uint_{width}
         %line = OpUDiv %uint %x %uint_{width}
         %place = OpCompositeConstruct %uint2 %column %line
         %loaded = OpLoad %sampled %texture
         %bare = OpImage %image %loaded
         %texel = OpImageFetch %float4 %bare %place Lod %uint_0
         %parts = OpBitcast %uint4 %texel
         %red = OpCompositeExtract %uint %parts 0
         %green = OpCompositeExtract %uint %parts 1
         %blue = OpCompositeExtract %uint %parts 2
         %alpha = OpCompositeExtract %uint %parts 3\n"
    ) + &leave(&["%red", "%green", "%blue", "%alpha"]);
    let count = width * height;
    let found = texture.run(compute, &sampling([1, 1], "2D", &body), &[], 4 * count as usize, count);
    found.chunks(4).map(|texel| std::array::from_fn(|index| f32::from_bits(texel[index]))).collect()
}

/// Components of eight bits.
fn bytes_of(texel: [f32; 4]) -> [u32; 4] {
    texel.map(|value| (value * 255.0).round() as u32)
}

#[test]
fn pvrtc_formats_are_sampled_and_copied() {
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    assert!(client.has_extension(EXTENSION));
    for format in FORMATS {
        use vk::FormatFeatureFlags as F;
        let ask = |ty| unsafe {
            client.instance.get_physical_device_image_format_properties(
                client.physical_device,
                format,
                ty,
                vk::ImageTiling::OPTIMAL,
                vk::ImageUsageFlags::SAMPLED,
                vk::ImageCreateFlags::empty(),
            )
        };
        let features =
            unsafe { client.instance.get_physical_device_format_properties(client.physical_device, format) };
        let expected = F::SAMPLED_IMAGE
            | F::SAMPLED_IMAGE_FILTER_LINEAR
            | F::BLIT_SRC
            | F::TRANSFER_SRC
            | F::TRANSFER_DST;
        assert!(features.optimal_tiling_features.contains(expected), "{format:?}");
        assert!(!features.optimal_tiling_features.intersects(F::COLOR_ATTACHMENT | F::STORAGE_IMAGE));
        assert!(features.buffer_features.is_empty());
        assert!(ask(vk::ImageType::_2D).is_ok());
        for ty in [vk::ImageType::_1D, vk::ImageType::_3D] {
            assert_eq!(ask(ty), Err(vk::ErrorCode::FORMAT_NOT_SUPPORTED), "{format:?} {ty:?}");
        }
    }
}

/// VUID-VkImageCreateInfo-format-09583, VUID-VkImageCreateInfo-format-09584
#[test]
fn extents_of_the_first_generation_are_powers_of_two() {
    let compute = compute();
    for (index, format) in FORMATS.into_iter().enumerate() {
        let create = |width, height| unsafe {
            let info = vk::ImageCreateInfo::builder()
                .image_type(vk::ImageType::_2D)
                .format(format)
                .extent(vk::Extent3D { width, height, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::_1)
                .usage(vk::ImageUsageFlags::SAMPLED);
            let made = compute.device.create_image(&info, None);
            made.map(|image| compute.device.destroy_image(image, None)).is_ok()
        };
        let is_second = index % 4 >= 2;
        assert!(create(16, 32));
        assert_eq!((create(24, 16), create(16, 12)), (is_second, is_second), "{format:?}");
    }
}

/// Texels at blocks' samples are those of the blocks, which the first generation has in Morton order.
#[test]
fn blocks_are_where_their_words_are() {
    let compute = compute();
    let blocks: Vec<u64> = (0..16).map(|number| gray(2 * number)).collect();
    for (format, width) in FORMATS.into_iter().take(4).zip([8, 4].into_iter().cycle()) {
        let is_second = matches!(
            format,
            vk::Format::PVRTC2_2BPP_UNORM_BLOCK_IMG | vk::Format::PVRTC2_4BPP_UNORM_BLOCK_IMG
        );
        // Of the second generation, bit 47 says that colours are not interpolated.
        let blocks: Vec<u64> =
            blocks.iter().map(|block| if is_second { block & !(1 << 47) } else { *block }).collect();
        let size = [4 * width, 16];
        let texture = texture(&compute, format, size, &blocks);
        let texels = fetched(&compute, &texture, size);
        for (y, x) in (0..4u32).flat_map(|y| (0..4).map(move |x| (y, x))) {
            let number = match is_second {
                true => 4 * y + x,
                false => (y & 1) | (x & 1) << 1 | (y & 2) << 1 | (x & 2) << 2,
            };
            let texel = texels[((4 * y + 2) * size[0] + width * x + width / 2) as usize];
            let level = 2 * number;
            let want = level << 3 | level >> 2;
            // Of colour A, blue has a bit less.
            let [red, green, _, alpha] = bytes_of(texel);
            assert_eq!([red, green, alpha], [want, want, 255], "{format:?}: block {x} {y}");
        }
        texture.destroy(&compute);
    }
}

/// Colours go from sample to sample, over the edges, in each of the formats; sRGB ones are decoded.
#[test]
fn colours_are_interpolated() {
    let compute = compute();
    for format in FORMATS {
        let name = format!("{format:?}");
        let is_wide = name.contains("2BPP");
        let width = if is_wide { 8 } else { 4 };
        let blocks = [gray(0), gray(31)].map(|block| match name.contains("PVRTC2") {
            true => block & !(1 << 47),
            false => block,
        });
        let size = [2 * width, 4];
        let texture = texture(&compute, format, size, &blocks);
        let row: Vec<f32> =
            fetched(&compute, &texture, size)[..2 * width as usize].iter().map(|texel| texel[0]).collect();
        for (x, value) in (0..).zip(&row) {
            // Steps from the first block's sample, to the second's and on to the first's again.
            let steps = (x + width + width / 2) % (2 * width);
            let share = if steps <= width { steps } else { 2 * width - steps };
            // The sum of five bits and the weights', 32 or 16 for four rows.
            let sum = 31 * share * 4;
            let byte = if is_wide { sum / 4 + sum / 128 } else { sum / 2 + sum / 64 };
            let encoded = f64::from(byte) / 255.0;
            let want = match name.contains("SRGB") {
                true if encoded > 0.04045 => ((encoded + 0.055) / 1.055).powf(2.4),
                true => encoded / 12.92,
                false => encoded,
            };
            assert!((f64::from(*value) - want).abs() < 1e-4, "{name}, texel {x}: {value}, not {want}");
        }
        texture.destroy(&compute);
    }
}

/// A linear filter mixes texels of random blocks, a blit decodes them, and a copy gives them back.
#[test]
fn random_blocks_are_filtered_blitted_and_copied() {
    let compute = compute();
    let device = &compute.device;
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for (format, size) in FORMATS.into_iter().take(4).zip([[32, 16], [16, 16], [24, 12], [20, 12]]) {
        let width = if format!("{format:?}").contains("2BPP") { 8 } else { 4 };
        let blocks: Vec<u64> = (0..size[0] / width * (size[1] / 4)).map(|_| random()).collect();
        let texture = texture(&compute, format, size, &blocks);
        let texels = fetched(&compute, &texture, size);
        // Between four texels.
        let body = format!(
            "%u = OpFDiv %float %float_4 %float_{}
             %v = OpFDiv %float %float_8 %float_{}
             %place = OpCompositeConstruct %float2 %u %v
             %loaded = OpLoad %sampled %texture
             %texel = OpImageSampleExplicitLod %float4 %loaded %place Lod %float_0
             %parts = OpBitcast %uint4 %texel
             %red = OpCompositeExtract %uint %parts 0
             %alpha = OpCompositeExtract %uint %parts 3\n",
            size[0], size[1]
        ) + &leave(&["%red", "%alpha"]);
        let found = texture.run(&compute, &sampling([1, 1], "2D", &body), &[], 2, 1);
        for (word, component) in found.into_iter().zip([0, 3]) {
            let at = |x: u32, y: u32| texels[(y * size[0] + x) as usize][component];
            let want = (at(3, 7) + at(4, 7) + at(3, 8) + at(4, 8)) / 4.0;
            assert!((f32::from_bits(word) - want).abs() < 1e-5, "{format:?}");
        }
        let extent = [size[0], size[1], 1];
        let target = Texture::new(
            &compute,
            &TextureInfo {
                format: vk::Format::R8G8B8A8_UNORM,
                ty: vk::ImageType::_2D,
                extent,
                flags: vk::ImageCreateFlags::empty(),
                levels: &[vec![0; (4 * size[0] * size[1]) as usize]],
                extents: &[extent],
                sampler: clamping(vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST),
            },
        );
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let whole = vk::Extent3D { width: size[0], height: size[1], depth: 1 };
        let ends = [vk::Offset3D::default(), vk::Offset3D { x: size[0] as i32, y: size[1] as i32, z: 1 }];
        let blit = vk::ImageBlit {
            src_subresource: layers,
            src_offsets: ends,
            dst_subresource: layers,
            dst_offsets: ends,
        };
        let copy =
            vk::BufferImageCopy { image_subresource: layers, image_extent: whole, ..Default::default() };
        let (back, pixels) = (compute.buffer(2 * blocks.len()), compute.buffer((size[0] * size[1]) as usize));
        compute.run(|commands| unsafe {
            let (from, to) = (texture.image, target.image);
            device.cmd_blit_image(commands, from, GENERAL, to, GENERAL, &[blit], vk::Filter::NEAREST);
            device.cmd_copy_image_to_buffer(commands, texture.image, GENERAL, back.buffer, &[copy]);
        });
        compute.run(|commands| unsafe {
            device.cmd_copy_image_to_buffer(commands, target.image, GENERAL, pixels.buffer, &[copy]);
        });
        let words: Vec<u32> = blocks.iter().flat_map(|block| [*block as u32, (block >> 32) as u32]).collect();
        assert_eq!(back.words(), words, "{format:?}");
        let want: Vec<u32> =
            texels.iter().map(|texel| u32::from_le_bytes(bytes_of(*texel).map(|byte| byte as u8))).collect();
        assert_eq!(pixels.words(), want, "{format:?}");
        texture.destroy(&compute);
        target.destroy(&compute);
    }
}
