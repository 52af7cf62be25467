//! Views, borders, address modes and levels, as samples show them.

use super::*;

const BORDER: vk::SamplerAddressMode = vk::SamplerAddressMode::CLAMP_TO_BORDER;
const EDGE: vk::SamplerAddressMode = vk::SamplerAddressMode::CLAMP_TO_EDGE;

/// Borders go through the components that the format has and then through those of the view, whether the
/// sampler knows these or not (`VK_EXT_border_color_swizzle`), and with a format or without.
#[test]
fn borders_have_the_components_of_views() {
    let mut swizzle = vk::PhysicalDeviceBorderColorSwizzleFeaturesEXT::builder()
        .border_color_swizzle(true)
        .border_color_swizzle_from_image(true);
    let mut custom = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::builder()
        .custom_border_colors(true)
        .custom_border_color_without_format(true);
    custom.next = from_mut(&mut swizzle).cast();
    let extensions = [c"VK_EXT_border_color_swizzle", c"VK_EXT_custom_border_color"];
    let context = context(&extensions, from_mut(&mut custom).cast());
    let mapping = vk::ComponentMapping {
        r: vk::ComponentSwizzle::B,
        g: vk::ComponentSwizzle::ONE,
        b: vk::ComponentSwizzle::R,
        a: vk::ComponentSwizzle::G,
    };
    let color = [0.125, 0.25, 0.5, 0.75];
    for (format, of_image) in [
        (vk::Format::R8G8B8A8_UNORM, [0.5, 1.0, 0.125, 0.25]),
        (vk::Format::R8_UNORM, [0.0, 1.0, 0.125, 0.0]),
    ] {
        let picture = Picture::new(&context, flat(format, 4, 1));
        picture.put(&context, 0, &[0; 4]);
        let view =
            picture.view_with(&context, vk::ImageViewType::_2D, whole(), mapping, std::ptr::null_mut());
        for (says_mapping, says_format) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut known =
                vk::SamplerBorderColorComponentMappingCreateInfoEXT::builder().components(mapping);
            let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::builder()
                .custom_border_color(vk::ClearColorValue { float32: color })
                .format(if says_format { format } else { vk::Format::UNDEFINED });
            if says_mapping {
                custom.next = from_mut(&mut known).cast();
            }
            for (border, expected) in [
                (vk::BorderColor::FLOAT_CUSTOM_EXT, of_image),
                (vk::BorderColor::FLOAT_OPAQUE_BLACK, [0.0, 1.0, 0.0, 0.0]),
            ] {
                let sampler = sampler(&context, BORDER, |info| {
                    info.border_color = border;
                    info.next = from_mut(&mut custom).cast();
                });
                let found = sampled(&context, ["", FLAT, "float2", "Lod %zero"], view, sampler, &[-3.0, 0.5]);
                assert_eq!(found, expected, "{format:?} {border:?} {says_mapping} {says_format}");
                destroy(&context, &[], &[sampler]);
            }
        }
        destroy(&context, &[view], &[]);
        picture.destroy(&context);
    }
}

/// One slice of a three-dimensional image is sampled and stored to as if it were flat, and storage images
/// can be of some slices.
#[test]
fn slices_are_views() {
    let mut sliced =
        vk::PhysicalDeviceImageSlicedViewOf3DFeaturesEXT::builder().image_sliced_view_of_3d(true);
    let mut flat_views = vk::PhysicalDeviceImage2DViewOf3DFeaturesEXT::builder()
        .image_2d_view_of_3d(true)
        .sampler_2d_view_of_3d(true);
    flat_views.next = from_mut(&mut sliced).cast();
    let extensions = [c"VK_EXT_image_2d_view_of_3d", c"VK_EXT_image_sliced_view_of_3d"];
    let context = context(&extensions, from_mut(&mut flat_views).cast());
    let mut info = flat(vk::Format::R32_UINT, 2, 1);
    info.flags = vk::ImageCreateFlags::_2D_VIEW_COMPATIBLE_EXT;
    info.image_type = vk::ImageType::_3D;
    info.extent.depth = 4;
    let picture = Picture::new(&context, info);
    picture.put(&context, 0, &[10, 11, 20, 21, 30, 31, 40, 41]);
    let slice = |slice| {
        let range =
            vk::ImageSubresourceRange { base_array_layer: slice, layer_count: 1, level_count: 1, ..whole() };
        let none = std::ptr::null_mut();
        picture.view_with(&context, vk::ImageViewType::_2D, range, vk::ComponentMapping::default(), none)
    };
    let (second, third) = (slice(1), slice(2));
    let body = format!(
        "%place = OpCompositeConstruct %uint2 %uint_1 %uint_0
        %t = OpImageFetch %texel %image %place Lod %uint_0
        {}",
        components(false)
    );
    let question = Question { head: "", image: FLAT, component: "uint", types: "", body: &body };
    assert_eq!(question.ask(&context, third, None), [31, 0, 0, 1]);
    let body = "%place = OpCompositeConstruct %uint2 %uint_1 %uint_0
        %value = OpCompositeConstruct %uint4 %uint_4 %uint_4 %uint_4 %uint_4
        OpImageWrite %image %place %value
        %r0 = OpCopyObject %uint %uint_0
        %r1 = OpCopyObject %uint %uint_0
        %r2 = OpCopyObject %uint %uint_0
        %r3 = OpCopyObject %uint %uint_0";
    let question = Question { image: "2D 0 0 0 2 R32ui", body, ..question };
    question.ask(&context, second, None);
    assert_eq!(picture.texels(&context, 8), [10, 11, 20, 4, 30, 31, 40, 41]);

    let mut slices = vk::ImageViewSlicedCreateInfoEXT::builder().slice_offset(1).slice_count(2);
    let one_level = vk::ImageSubresourceRange { level_count: 1, layer_count: 1, ..whole() };
    let view = picture.view_with(
        &context,
        vk::ImageViewType::_3D,
        one_level,
        vk::ComponentMapping::default(),
        from_mut(&mut slices).cast(),
    );
    let body = "%size = OpImageQuerySize %uint3 %image
        %r0 = OpCompositeExtract %uint %size 2
        %last = OpCompositeConstruct %uint3 %uint_0 %uint_0 %uint_1
        %behind = OpCompositeConstruct %uint3 %uint_0 %uint_0 %uint_2
        %t1 = OpImageRead %texel %image %last
        %r1 = OpCompositeExtract %uint %t1 0
        %t2 = OpImageRead %texel %image %behind
        %r2 = OpCompositeExtract %uint %t2 0
        %r3 = OpCopyObject %uint %uint_0
        %value = OpCompositeConstruct %uint4 %uint_3 %uint_3 %uint_3 %uint_3
        OpImageWrite %image %behind %value";
    let question = Question { head: "OpCapability ImageQuery", image: "3D 0 0 0 2 R32ui", body, ..question };
    assert_eq!(question.ask(&context, view, None), [2, 30, 0, 0]);
    assert_eq!(picture.texels(&context, 8), [10, 11, 20, 4, 30, 31, 40, 41]);
    destroy(&context, &[second, third, view], &[]);
    picture.destroy(&context);
}

/// Texels beyond an edge of a cube's face are those of the next face, or of the edge where samplers want
/// seams.
#[test]
fn faces_of_cubes_have_seams_where_samplers_want_them() {
    let mut features = vk::PhysicalDeviceNonSeamlessCubeMapFeaturesEXT::builder().non_seamless_cube_map(true);
    let context = context(&[c"VK_EXT_non_seamless_cube_map"], from_mut(&mut features).cast());
    let mut info = flat(vk::Format::R32_SFLOAT, 1, 1);
    info.flags = vk::ImageCreateFlags::CUBE_COMPATIBLE;
    info.array_layers = 12;
    let picture = Picture::new(&context, info);
    picture.put(
        &context,
        0,
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0].map(f32::to_bits),
    );
    let cubes = picture.view(&context, vk::ImageViewType::CUBE_ARRAY);
    let image = "Cube 0 1 0 1 Unknown";
    let head = "OpCapability SampledCubeArray";
    let [seamless, seams] =
        [vk::SamplerCreateFlags::empty(), vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT].map(|flags| {
            sampler(&context, EDGE, |info| {
                info.flags = flags;
                (info.mag_filter, info.min_filter) = (vk::Filter::LINEAR, vk::Filter::LINEAR);
            })
        });
    // Of the second cube, the edge between its faces in x (11) and in z (15).
    for (sampler, expected) in [(seamless, 13.0), (seams, 11.0)] {
        let at = [1.0, 0.0, 0.999_999, 1.0];
        let (constants, body) = sample("texel", &at, "Lod %zero");
        let question = Question { head, image, component: "float", types: &constants, body: &body };
        let found = question.floats(&context, cubes, Some(sampler))[0];
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
    destroy(&context, &[cubes], &[seamless, seams]);
    picture.destroy(&context);
}

/// Coordinates are mirrored once, and then the edge goes on.
#[test]
fn coordinates_are_mirrored_once() {
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().sampler_mirror_clamp_to_edge(true);
    let context = context(&[], from_mut(&mut features).cast());
    let picture = Picture::new(&context, flat(vk::Format::R32_SFLOAT, 4, 1));
    picture.put(&context, 0, &[1.0, 2.0, 3.0, 4.0].map(f32::to_bits));
    let view = picture.view(&context, vk::ImageViewType::_2D);
    let sampler = sampler(&context, vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE, |_| ());
    for (u, expected) in [(-0.3, 2.0), (-0.9, 4.0), (-1.6, 4.0), (0.3, 2.0), (1.7, 4.0)] {
        let found = sampled(&context, ["", FLAT, "float2", "Lod %zero"], view, sampler, &[u, 0.5]);
        assert_eq!(found[0], expected, "{u}");
    }
    destroy(&context, &[view], &[sampler]);
    picture.destroy(&context);
}

/// Formats of four bits a component with alpha in front.
#[test]
fn formats_of_four_bits_have_alpha_in_front() {
    let mut features =
        vk::PhysicalDevice4444FormatsFeaturesEXT::builder().format_a4_r4_g4_b4(true).format_a4_b4_g4_r4(true);
    let context = context(&[c"VK_EXT_4444_formats"], from_mut(&mut features).cast());
    let sampler = sampler(&context, EDGE, |_| ());
    for (format, expected) in [
        (vk::Format::A4R4G4B4_UNORM_PACK16, [2.0, 3.0, 4.0, 1.0]),
        (vk::Format::A4B4G4R4_UNORM_PACK16, [4.0, 3.0, 2.0, 1.0]),
    ] {
        let mut info = flat(format, 2, 1);
        info.usage &= !vk::ImageUsageFlags::STORAGE;
        let picture = Picture::new(&context, info);
        picture.put(&context, 0, &[0x1234_0000]);
        let view = picture.view(&context, vk::ImageViewType::_2D);
        let found = sampled(&context, ["", FLAT, "float2", "Lod %zero"], view, sampler, &[0.75, 0.5]);
        assert_eq!(found.map(|value| (value * 15.0).round()), expected, "{format:?}");
        destroy(&context, &[view], &[]);
        picture.destroy(&context);
    }
    destroy(&context, &[], &[sampler]);
}

/// The least level is the shader's or the view's.
#[test]
fn levels_have_a_least_one() {
    let mut features = vk::PhysicalDeviceImageViewMinLodFeaturesEXT::builder().min_lod(true);
    let context = context(&[c"VK_EXT_image_view_min_lod"], from_mut(&mut features).cast());
    let mut info = flat(vk::Format::R32_SFLOAT, 8, 1);
    info.mip_levels = 4;
    let picture = Picture::new(&context, info);
    for level in 0..4 {
        picture.put(&context, level, &vec![(level as f32).to_bits(); 8 >> level]);
    }
    let view = picture.view(&context, vk::ImageViewType::_2D);
    let mut least = vk::ImageViewMinLodCreateInfoEXT::builder().min_lod(1.5);
    let mapping = vk::ComponentMapping::default();
    let next = from_mut(&mut least).cast();
    let bounded = picture.view_with(&context, vk::ImageViewType::_2D, whole(), mapping, next);
    let sampler = sampler(&context, EDGE, |info| info.mipmap_mode = vk::SamplerMipmapMode::LINEAR);
    let head = "OpCapability MinLod";
    let still = "Grad|MinLod %none %none %float_2";
    for (view, operands, expected) in [
        (view, "Lod %zero", 0.0),
        (view, still, 2.0),
        (bounded, "Lod %zero", 1.5),
        (bounded, "Lod %float_2", 2.0),
        (bounded, still, 2.0),
    ] {
        let (types, body) = sample("float2", &[0.5, 0.5], operands);
        let body = format!("%none = OpCompositeConstruct %float2 %zero %zero\n{body}");
        let question = Question { head, image: FLAT, component: "float", types: &types, body: &body };
        assert_eq!(question.floats(&context, view, Some(sampler))[0], expected, "{operands}");
    }
    destroy(&context, &[view, bounded], &[sampler]);
    picture.destroy(&context);
}

/// Each of the four texels of a gather has an offset of its own.
#[test]
fn gathers_have_an_offset_for_each_texel() {
    let context = context(&[], std::ptr::null_mut());
    let picture = Picture::new(&context, flat(vk::Format::R32_SFLOAT, 8, 8));
    picture.put(&context, 0, &(0..64).map(|number| (number as f32).to_bits()).collect::<Vec<_>>());
    let view = picture.view(&context, vk::ImageViewType::_2D);
    let sampler = sampler(&context, EDGE, |_| ());
    let types = "%half = OpConstant %float 0.5
        %i_0 = OpConstant %int 0
        %i_3 = OpConstant %int 3
        %i_m2 = OpConstant %int -2";
    // Around the corner of texels 3 and 4 in x and y.
    let body = format!(
        "%at = OpCompositeConstruct %float2 %half %half
        %t = OpImageGather %texel %both %at %uint_0 ConstOffsets %offsets
        {}",
        components(true)
    );
    let question = Question {
        head: "OpCapability ImageGatherExtended",
        image: FLAT,
        component: "float",
        types,
        body: &body,
    };
    let text = question.text(true).replace(
        "%origin = OpConstantNull %uint2",
        "%origin = OpConstantNull %uint2
        %o0 = OpConstantComposite %int2 %i_0 %i_0
        %o1 = OpConstantComposite %int2 %i_3 %i_0
        %o2 = OpConstantComposite %int2 %i_0 %i_m2
        %o3 = OpConstantComposite %int2 %i_m2 %i_3
        %four = OpTypeArray %int2 %uint_4
        %offsets = OpConstantComposite %four %o0 %o1 %o2 %o3",
    );
    let found = ask_text(&context, &text, view, Some(sampler));
    assert_eq!(found.map(f32::from_bits), [27.0, 30.0, 11.0, 49.0]);
    destroy(&context, &[view], &[sampler]);
    picture.destroy(&context);
}

/// Opaque black is opaque whatever the order of a format's components is, and a view's swizzle comes behind.
#[test]
fn black_borders_of_four_bits_are_opaque() {
    let context = context(&[], std::ptr::null_mut());
    let sampler = sampler(&context, BORDER, |info| info.border_color = vk::BorderColor::FLOAT_OPAQUE_BLACK);
    for format in [
        vk::Format::R4G4B4A4_UNORM_PACK16,
        vk::Format::B4G4R4A4_UNORM_PACK16,
        vk::Format::A4R4G4B4_UNORM_PACK16,
        vk::Format::B5G5R5A1_UNORM_PACK16,
        vk::Format::B8G8R8A8_UNORM,
    ] {
        let mut info = flat(format, 2, 1);
        info.usage &= !vk::ImageUsageFlags::STORAGE;
        let picture = Picture::new(&context, info);
        let swapped = vk::ComponentMapping {
            r: vk::ComponentSwizzle::A,
            a: vk::ComponentSwizzle::R,
            ..Default::default()
        };
        for (mapping, expected) in
            [(vk::ComponentMapping::default(), [0.0, 0.0, 0.0, 1.0]), (swapped, [1.0, 0.0, 0.0, 0.0])]
        {
            let none = std::ptr::null_mut();
            let view = picture.view_with(&context, vk::ImageViewType::_2D, whole(), mapping, none);
            let found = sampled(&context, ["", FLAT, "float2", "Lod %zero"], view, sampler, &[-3.0, 0.5]);
            assert_eq!(found, expected, "{format:?}");
            destroy(&context, &[view], &[]);
        }
        picture.destroy(&context);
    }
    destroy(&context, &[], &[sampler]);
}

/// The least or greatest of the texels that a filter weighs.
#[test]
fn filters_take_the_least_or_greatest_texel() {
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().sampler_filter_minmax(true);
    let context = context(&[], from_mut(&mut features).cast());
    let picture = Picture::new(&context, flat(vk::Format::R32_SFLOAT, 4, 2));
    picture.put(&context, 0, &[1.0, 8.0, 3.0, 4.0, 5.0, -6.0, 7.0, 2.0].map(f32::to_bits));
    let view = picture.view(&context, vk::ImageViewType::_2D);
    for (mode, expected) in [
        (vk::SamplerReductionMode::MIN, -6.0),
        (vk::SamplerReductionMode::MAX, 8.0),
        (vk::SamplerReductionMode::WEIGHTED_AVERAGE, 2.0),
    ] {
        let mut reduction = vk::SamplerReductionModeCreateInfo::builder().reduction_mode(mode);
        let sampler = sampler(&context, EDGE, |info| {
            (info.mag_filter, info.min_filter) = (vk::Filter::LINEAR, vk::Filter::LINEAR);
            info.next = from_mut(&mut reduction).cast();
        });
        // Between four texels.
        let found = sampled(&context, ["", FLAT, "float2", "Lod %zero"], view, sampler, &[0.25, 0.5]);
        assert_eq!(found[0], expected, "{mode:?}");
        destroy(&context, &[], &[sampler]);
    }
    destroy(&context, &[view], &[]);
    picture.destroy(&context);
}
