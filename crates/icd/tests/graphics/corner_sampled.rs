//! Images whose texels lie at the corners of cells: `VK_NV_corner_sampled_image`.

use crate::textures::{Texture, TextureInfo, bytes, clamping, floats, leave, sampling};
use pyro_test_kit::Client;
use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;

const EXTENSION: &std::ffi::CStr = c"VK_NV_corner_sampled_image";
const FLAG: vk::ImageCreateFlags = vk::ImageCreateFlags::CORNER_SAMPLED_NV;
const LINEAR: vk::Filter = vk::Filter::LINEAR;

fn compute() -> Compute {
    let mut features =
        vk::PhysicalDeviceCornerSampledImageFeaturesNV::builder().corner_sampled_image(true).build();
    let mut derivatives =
        vk::PhysicalDeviceComputeShaderDerivativesFeaturesKHR::builder().compute_derivative_group_quads(true);
    features.next = (&raw mut derivatives).cast();
    let extensions = [EXTENSION, c"VK_KHR_compute_shader_derivatives"];
    Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut features).cast())
}

/// The levels of an image of 9 by 5 texels, each filled with its number, or with `texel`.
fn levels(texel: impl Fn(u32, u32, u32) -> f32) -> (Vec<Vec<u8>>, [[u32; 3]; 4]) {
    let extents = [[9, 5, 1], [5, 3, 1], [3, 2, 1], [2, 2, 1]];
    let level = |(level, [width, height, _]): (u32, [u32; 3])| {
        bytes((0..width * height).map(|at| texel(level, at % width, at / width)))
    };
    ((0..).zip(extents).map(level).collect(), extents)
}

/// A corner-sampled image of floats with these levels.
fn texture_of(
    compute: &Compute,
    ty: vk::ImageType,
    (levels, extents): (&[Vec<u8>], &[[u32; 3]]),
    sampler: vk::SamplerCreateInfo,
) -> Texture {
    let (format, extent) = (vk::Format::R32_SFLOAT, extents[0]);
    Texture::new(compute, &TextureInfo { format, ty, extent, flags: FLAG, levels, extents, sampler })
}

fn float_words(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// What a sample of a float image gives at places.
fn samples(compute: &Compute, texture: &Texture, dim: &str, places: &[Vec<f32>], operands: &str) -> Vec<f32> {
    let count = places[0].len() as u32;
    let body = floats("place", 0, count, count)
        + &format!(
            "%loaded = OpLoad %sampled %texture
             %texel = OpImageSampleExplicitLod %float4 %loaded %place {operands}
             %red = OpCompositeExtract %float %texel 0
             %word = OpBitcast %uint %red\n"
        )
        + &leave(&["%word"]);
    let shader = sampling([1, 1], dim, &body);
    let found =
        texture.run(compute, &shader, &float_words(&places.concat()), places.len(), places.len() as u32);
    found.into_iter().map(f32::from_bits).collect()
}

#[test]
fn corner_sampled_formats_are_colours_of_two_or_three_dimensions() {
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    assert!(client.has_extension(EXTENSION));
    let mut features = vk::PhysicalDeviceCornerSampledImageFeaturesNV::default();
    let mut all = vk::PhysicalDeviceFeatures2::builder().push_next(&mut features);
    unsafe { client.instance.get_physical_device_features2(client.physical_device, &mut all) };
    assert_eq!(features.corner_sampled_image, vk::TRUE);
    let ask = |format, ty, flags| unsafe {
        let (tiling, usage) = (vk::ImageTiling::OPTIMAL, vk::ImageUsageFlags::SAMPLED);
        client.instance.get_physical_device_image_format_properties(
            client.physical_device,
            format,
            ty,
            tiling,
            usage,
            flags,
        )
    };
    let color = vk::Format::R8G8B8A8_UNORM;
    for ty in [vk::ImageType::_2D, vk::ImageType::_3D] {
        let [corner, other] =
            [FLAG, vk::ImageCreateFlags::empty()].map(|flags| ask(color, ty, flags).unwrap());
        // One level less ends the chain at two texels.
        assert_eq!(corner.max_mip_levels + 1, other.max_mip_levels);
        assert_eq!(corner.max_extent, other.max_extent);
    }
    assert!(ask(vk::Format::BC7_UNORM_BLOCK, vk::ImageType::_2D, FLAG).is_ok());
    let refused = [
        (color, vk::ImageType::_1D, FLAG),
        (color, vk::ImageType::_2D, FLAG | vk::ImageCreateFlags::CUBE_COMPATIBLE),
        (vk::Format::D32_SFLOAT, vk::ImageType::_2D, FLAG),
        (vk::Format::S8_UINT, vk::ImageType::_2D, FLAG),
        (vk::Format::G8_B8R8_2PLANE_420_UNORM, vk::ImageType::_2D, FLAG),
    ];
    for (format, ty, flags) in refused {
        assert_eq!(ask(format, ty, flags), Err(vk::ErrorCode::FORMAT_NOT_SUPPORTED), "{format:?} {ty:?}");
    }
}

#[test]
fn corner_sampled_images_have_two_texels_and_levels_down_to_that() {
    let compute = compute();
    let create = |ty, [width, height, depth]: [u32; 3], levels| unsafe {
        let info = vk::ImageCreateInfo::builder()
            .flags(FLAG)
            .image_type(ty)
            .format(vk::Format::R32_SFLOAT)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::SAMPLED);
        let made = compute.device.create_image(&info, None);
        made.map(|image| compute.device.destroy_image(image, None)).is_ok()
    };
    let (flat, deep) = (vk::ImageType::_2D, vk::ImageType::_3D);
    assert!(create(flat, [9, 5, 1], 4) && !create(flat, [9, 5, 1], 5));
    assert!(create(flat, [2, 2, 1], 1) && !create(flat, [2, 2, 1], 2));
    assert!(!create(flat, [1, 2, 1], 1) && !create(flat, [2, 1, 1], 1));
    assert!(create(deep, [3, 2, 2], 2) && !create(deep, [3, 2, 1], 1));
}

#[test]
fn corner_sampled_levels_round_up() {
    let compute = compute();
    let (texels, extents) = levels(|level, x, y| (100 * level + 10 * y + x) as f32);
    let texture = texture_of(
        &compute,
        vk::ImageType::_2D,
        (&texels, &extents),
        clamping(LINEAR, vk::SamplerMipmapMode::LINEAR),
    );
    // Of each level the size, the last texel, and zero for the texel behind it.
    let body = "%loaded = OpLoad %sampled %texture
         %bare = OpImage %image %loaded
         %size = OpImageQuerySizeLod %uint2 %bare %x
         %width = OpCompositeExtract %uint %size 0
         %height = OpCompositeExtract %uint %size 1
         %right = OpISub %uint %width %uint_1
         %bottom = OpISub %uint %height %uint_1
         %last = OpCompositeConstruct %uint2 %right %bottom
         %behind = OpCompositeConstruct %uint2 %width %bottom
         %texel = OpImageFetch %float4 %bare %last Lod %x
         %none = OpImageFetch %float4 %bare %behind Lod %x
         %red = OpCompositeExtract %float %texel 0
         %nothing = OpCompositeExtract %float %none 0
         %value = OpConvertFToU %uint %red
         %zero = OpConvertFToU %uint %nothing\n";
    let body = body.to_owned() + &leave(&["%width", "%height", "%value", "%zero"]);
    let shader = sampling([1, 1], "2D", &body).capability("ImageQuery");
    let found = texture.run(&compute, &shader, &[], 16, 4);
    let expected: Vec<u32> = (0..)
        .zip(extents)
        .flat_map(|(level, [width, height, _])| {
            [width, height, 100 * level + 10 * (height - 1) + width - 1, 0]
        })
        .collect();
    assert_eq!(found, expected);
    texture.destroy(&compute);
}

#[test]
fn corner_sampled_texels_lie_at_integers() {
    let compute = compute();
    let (texels, extents) = levels(|_, x, y| (10 * y + x) as f32);
    let texture =
        |filter, mip| texture_of(&compute, vk::ImageType::_2D, (&texels, &extents), clamping(filter, mip));
    let linear = texture(LINEAR, vk::SamplerMipmapMode::NEAREST);
    // Texels of 9 by 5 are 8 by 4 cells; beyond the edges are the edges.
    let at = |x: f32, y: f32| vec![x / 8.0, y / 4.0];
    let places = [(0.0, 0.0), (8.0, 4.0), (3.0, 2.0), (3.5, 2.0), (7.5, 0.25), (-3.0, 9.0)];
    let places = places.map(|(x, y)| at(x, y));
    let found = samples(&compute, &linear, "2D", &places, "Lod %float_0");
    assert_eq!(found, [0.0, 48.0, 23.0, 23.5, 10.0, 40.0]);
    // Level 1 has 4 by 2 cells.
    let found = samples(&compute, &linear, "2D", &[at(8.0, 4.0), at(3.0, 1.0)], "Lod %float_1");
    assert_eq!(found, [24.0, 6.5]);
    let nearest = texture(vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST);
    let places = [(0.45, 0.0), (0.55, 0.0), (7.6, 3.4), (7.4, 3.6)].map(|(x, y)| at(x, y));
    let found = samples(&compute, &nearest, "2D", &places, "Lod %float_0");
    assert_eq!(found, [0.0, 1.0, 38.0, 47.0]);
    linear.destroy(&compute);
    nearest.destroy(&compute);
}

#[test]
fn corner_sampled_bytes_and_unnormalized_coordinates() {
    let compute = compute();
    let texels: Vec<u8> = (0..15).flat_map(|at| [17 * at, 0, 0, 255]).collect();
    let make = |format, extent, texels: &Vec<u8>, unnormalized: bool| {
        let mut sampler = clamping(LINEAR, vk::SamplerMipmapMode::NEAREST);
        sampler.unnormalized_coordinates = unnormalized.into();
        sampler.max_lod = 0.0;
        Texture::new(
            &compute,
            &TextureInfo {
                format,
                ty: vk::ImageType::_2D,
                extent,
                flags: FLAG,
                levels: std::slice::from_ref(texels),
                extents: &[extent],
                sampler,
            },
        )
    };
    let (format, extent) = (vk::Format::R8G8B8A8_UNORM, [5, 3, 1]);
    let normalized = make(format, extent, &texels, false);
    let places = [[0.0, 0.0], [0.25, 0.5], [1.0, 1.0], [0.375, 0.0]].map(Vec::from);
    let found = samples(&compute, &normalized, "2D", &places, "Lod %float_0");
    let bytes_found: Vec<f32> =
        found.iter().map(|value| (value * 255.0 / 17.0 * 64.0).round() / 64.0).collect();
    // The shares of a packed filter have eight bits.
    assert_eq!(bytes_found[..3], [0.0, 6.0, 14.0]);
    assert!((bytes_found[3] - 1.5).abs() < 0.02, "{bytes_found:?}");
    let unnormalized = make(format, extent, &texels, true);
    let places = [[0.0, 0.0], [1.0, 1.0], [4.0, 2.0], [2.0, 1.5]].map(Vec::from);
    let found = samples(&compute, &unnormalized, "2D", &places, "Lod %float_0");
    let found: Vec<f32> = found.iter().map(|value| (value * 255.0 / 17.0 * 64.0).round() / 64.0).collect();
    assert_eq!(found, [0.0, 6.0, 14.0, 9.5]);
    normalized.destroy(&compute);
    unnormalized.destroy(&compute);
}

#[test]
fn corner_sampled_slices_have_cells_in_depth() {
    let compute = compute();
    let extents = [[3, 3, 3], [2, 2, 2]];
    let texels = [bytes((0..27).map(|at| at as f32)), bytes((0..8).map(|at| 100.0 + at as f32))];
    let texture = texture_of(
        &compute,
        vk::ImageType::_3D,
        (&texels, &extents),
        clamping(LINEAR, vk::SamplerMipmapMode::NEAREST),
    );
    let places = [[0.5, 0.5, 0.5], [0.0, 0.0, 1.0], [1.0, 1.0, 0.25]].map(Vec::from);
    assert_eq!(samples(&compute, &texture, "3D", &places, "Lod %float_0"), [13.0, 18.0, 12.5]);
    assert_eq!(samples(&compute, &texture, "3D", &places, "Lod %float_1"), [103.5, 104.0, 104.0]);
    texture.destroy(&compute);
}

#[test]
fn corner_sampled_levels_of_detail_count_cells() {
    let compute = compute();
    let (texels, extents) = levels(|level, _, _| level as f32);
    let texture = texture_of(
        &compute,
        vk::ImageType::_2D,
        (&texels, &extents),
        clamping(LINEAR, vk::SamplerMipmapMode::LINEAR),
    );
    // Half of the image in x is four cells, hence level 2; half of it in y is two.
    let places = [vec![0.5, 0.5]];
    let body = floats("place", 0, 2, 2)
        + "%in_x = OpCompositeConstruct %float2 %float_0p5 %float_0
           %in_y = OpCompositeConstruct %float2 %float_0 %float_0p5
           %none = OpCompositeConstruct %float2 %float_0 %float_0
           %loaded = OpLoad %sampled %texture
           %across = OpImageSampleExplicitLod %float4 %loaded %place Grad %in_x %none
           %down = OpImageSampleExplicitLod %float4 %loaded %place Grad %none %in_y
           %across_red = OpCompositeExtract %float %across 0
           %down_red = OpCompositeExtract %float %down 0
           %across_word = OpBitcast %uint %across_red
           %down_word = OpBitcast %uint %down_red\n"
        + &leave(&["%across_word", "%down_word"]);
    let shader = sampling([1, 1], "2D", &body);
    let found = texture.run(&compute, &shader, &float_words(&places.concat()), 2, 1);
    assert_eq!(found, float_words(&[2.0, 1.0]));
    // The same by the quad's own derivatives: a quarter of the image in x.
    let body = "%number = OpConvertUToF %float %x
           %u = OpFMul %float %number %float_0p25
           %place = OpCompositeConstruct %float2 %u %float_0p5
           %loaded = OpLoad %sampled %texture
           %lod = OpImageQueryLod %float2 %loaded %place
           %texel = OpImageSampleImplicitLod %float4 %loaded %place
           %level = OpCompositeExtract %float %lod 0
           %red = OpCompositeExtract %float %texel 0
           %level_word = OpBitcast %uint %level
           %red_word = OpBitcast %uint %red\n";
    let shader = sampling([2, 2], "2D", &(body.to_owned() + &leave(&["%level_word", "%red_word"])))
        .capability("ImageQuery ComputeDerivativeGroupQuadsKHR")
        .extension("SPV_KHR_compute_shader_derivatives")
        .mode("DerivativeGroupQuadsKHR");
    let found = texture.run(&compute, &shader, &[], 4, 1);
    assert_eq!(found, float_words(&[1.0; 4]));
    texture.destroy(&compute);
}
