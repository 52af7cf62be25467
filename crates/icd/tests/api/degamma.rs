//! Y'CbCr conversions of components that are encoded as sRGB is (`VK_QCOM_ycbcr_degamma`).

use pyro_test_kit::compute::{Compute, shader};
use std::ptr::from_mut;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const COMBINED: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
/// The texels: red, green, blue, alpha.
const TEXELS: [[u8; 4]; 2] = [[40, 120, 200, 100], [90, 10, 250, 30]];

fn context() -> Compute {
    let mut degamma = vk::PhysicalDeviceYcbcrDegammaFeaturesQCOM::builder().ycbcr_degamma(true);
    let mut features = vk::PhysicalDeviceVulkan11Features::builder().sampler_ycbcr_conversion(true);
    features.next = from_mut(&mut degamma).cast();
    Compute::new(V1_3, &[c"VK_QCOM_ycbcr_degamma"], from_mut(&mut features).cast())
}

fn conversion(
    context: &Compute,
    format: vk::Format,
    [luma, chroma]: [bool; 2],
) -> VkResult<vk::SamplerYcbcrConversion> {
    let mut degamma = vk::SamplerYcbcrConversionYcbcrDegammaCreateInfoQCOM::builder()
        .enable_y_degamma(luma)
        .enable_cb_cr_degamma(chroma);
    let info = vk::SamplerYcbcrConversionCreateInfo::builder().format(format).push_next(&mut degamma);
    unsafe { context.device.create_sampler_ycbcr_conversion(&info, None) }
}

/// A shader that stores what it samples in the middle.
fn sampling() -> String {
    let text = shader(
        "%pair = OpLoad %sampled %texture
         %texel = OpImageSampleExplicitLod %float4 %pair %middle Lod %zero
         %c0 = OpCompositeExtract %float %texel 0
         %c1 = OpCompositeExtract %float %texel 1
         %c2 = OpCompositeExtract %float %texel 2
         %c3 = OpCompositeExtract %float %texel 3
         %w0 = OpBitcast %uint %c0
         %w1 = OpBitcast %uint %c1
         %w2 = OpBitcast %uint %c2
         %w3 = OpBitcast %uint %c3
         %p0 = OpAccessChain %word %buffer %uint_0 %uint_0
         %p1 = OpAccessChain %word %buffer %uint_0 %uint_1
         %p2 = OpAccessChain %word %buffer %uint_0 %uint_2
         %p3 = OpAccessChain %word %buffer %uint_0 %uint_3
         OpStore %p0 %w0
         OpStore %p1 %w1
         OpStore %p2 %w2
         OpStore %p3 %w3",
    );
    text.replace(
        "%void = OpTypeVoid",
        "OpDecorate %texture DescriptorSet 0 OpDecorate %texture Binding 1 %void = OpTypeVoid",
    )
    .replace(
        "%main = OpFunction",
        "%float = OpTypeFloat 32 %float2 = OpTypeVector %float 2 %float4 = OpTypeVector %float 4
             %zero = OpConstant %float 0 %half = OpConstant %float 0.5
             %middle = OpConstantComposite %float2 %half %half
             %flat = OpTypeImage %float 2D 0 0 0 1 Unknown %sampled = OpTypeSampledImage %flat
             %textures = OpTypePointer UniformConstant %sampled
             %texture = OpVariable %textures UniformConstant
             %main = OpFunction",
    )
}

/// What a shader reads between the two texels of an image.
fn between(context: &Compute, degamma: [bool; 2]) -> [f32; 4] {
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    let conversion = conversion(context, format, degamma).expect("a conversion");
    let mut chained = vk::SamplerYcbcrConversionInfo::builder().conversion(conversion);
    let info = vk::SamplerCreateInfo::builder()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR)
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .push_next(&mut chained);
    let sampler = unsafe { device.create_sampler(&info, None) }.expect("a sampler");
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(format)
        .extent(vk::Extent3D { width: 2, height: 1, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .tiling(vk::ImageTiling::LINEAR)
        .usage(vk::ImageUsageFlags::SAMPLED);
    let image = unsafe { device.create_image(&info, None) }.expect("an image");
    let (memory, bytes) = context.mapped_memory(unsafe { device.get_image_memory_requirements(image) });
    let mut chained = vk::SamplerYcbcrConversionInfo::builder().conversion(conversion);
    let mut info =
        vk::ImageViewCreateInfo::builder().image(image).format(format).push_next(&mut chained).build();
    info.view_type = vk::ImageViewType::_2D;
    info.subresource_range = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let view = unsafe {
        device.bind_image_memory(image, memory, 0).expect("bound");
        std::ptr::copy_nonoverlapping(TEXELS.as_flattened().as_ptr(), bytes, 8);
        device.create_image_view(&info, None).expect("a view")
    };
    let types = [vk::DescriptorType::STORAGE_BUFFER, COMBINED];
    let samplers = [sampler];
    let bindings = [0, 1].map(|binding: usize| {
        let mut one = vk::DescriptorSetLayoutBinding::builder()
            .binding(binding as u32)
            .descriptor_type(types[binding])
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE);
        if types[binding] == COMBINED {
            one = one.immutable_samplers(&samplers);
        }
        one.build()
    });
    let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
    let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a layout");
    let layout = context.layout(&[set_layout]);
    let set = context.set_of(set_layout, &types.map(|ty| (ty, 1)));
    let buffer = context.buffer(4);
    context.write_range(set, 0, buffer.buffer, 0);
    let info = vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL };
    let write = vk::WriteDescriptorSet::builder()
        .dst_set(set)
        .dst_binding(1)
        .descriptor_type(COMBINED)
        .image_info(slice::from_ref(&info));
    unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let pipeline = context.pipeline(layout, &sampling());
    context.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &[0; 4]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    unsafe {
        device.destroy_descriptor_set_layout(set_layout, None);
        device.destroy_image_view(view, None);
        device.destroy_image(image, None);
        device.destroy_sampler(sampler, None);
        device.destroy_sampler_ycbcr_conversion(conversion, None);
    }
    let words = buffer.words();
    [0, 1, 2, 3].map(|index: usize| f32::from_bits(words[index]))
}

fn decoded(byte: u8) -> f32 {
    let value = f32::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Texels are decoded before they are filtered: green as luma, red and blue as chroma, alpha never.
#[test]
fn luma_and_chroma_are_decoded_alone() {
    let context = context();
    for degamma in [[false, false], [true, false], [false, true], [true, true]] {
        let found = between(&context, degamma);
        for (index, found) in found.into_iter().enumerate() {
            let is_decoded = [degamma[1], degamma[0], degamma[1], false][index];
            let value = |byte| if is_decoded { decoded(byte) } else { f32::from(byte) / 255.0 };
            let expected = (value(TEXELS[0][index]) + value(TEXELS[1][index])) / 2.0;
            assert!((found - expected).abs() < 1e-4, "{degamma:?} {index}: {found}, not {expected}");
        }
    }
}

/// Only components of eight bits are encoded so.
#[test]
fn degamma_of_wider_components_is_refused() {
    let context = context();
    let planar = vk::Format::G8_B8R8_2PLANE_420_UNORM;
    for (format, degamma, is_fine) in [
        (planar, [true, true], true),
        (vk::Format::R10X6_UNORM_PACK16, [true, false], false),
        (vk::Format::G16_B16_R16_3PLANE_444_UNORM, [false, true], false),
        (vk::Format::G16_B16_R16_3PLANE_444_UNORM, [false, false], true),
        (vk::Format::UNDEFINED, [true, true], false),
    ] {
        let made = conversion(&context, format, degamma);
        assert_eq!(made.is_ok(), is_fine, "{format:?}");
        made.into_iter().for_each(|made| unsafe {
            context.device.destroy_sampler_ycbcr_conversion(made, None);
        });
    }
}
