//! `VK_KHR_maintenance11`: shader objects whose set layouts others know, images of one layer that are arrays
//! to shaders or not, whatever their views are; and queue family indices that are one.

use pyro_driver::registry_supplement as new;
use pyro_test_kit::compute::{Buffer, Compute, adding, shader};
use std::ptr::from_mut;
use std::slice;
use vulkanalia::prelude::v1_4::*;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

fn context() -> Compute {
    let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::builder().shader_object(true);
    let mut features = new::PhysicalDeviceMaintenance11FeaturesKHR { maintenance11: 1, ..Default::default() };
    features.next = from_mut(&mut objects).cast();
    let extensions = [c"VK_KHR_maintenance11", c"VK_EXT_shader_object"];
    Compute::new(vk::make_version(1, 4, 0), &extensions, from_mut(&mut features).cast())
}

#[test]
fn layouts_of_sets_that_a_shader_does_not_know_are_null() {
    let context = context();
    let device = &context.device;
    let buffer = context.buffer(8);
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let set = context.set(set_layout);
    context.write(set, buffer.buffer);
    let words = pyro_spirv::asm::assemble(&adding().replace("DescriptorSet 0", "DescriptorSet 1"));
    let words = words.expect("assembly");
    let layouts = [vk::DescriptorSetLayout::null(), set_layout];
    let stage = vk::ShaderStageFlags::COMPUTE;
    let range = vk::PushConstantRange { stage_flags: stage, offset: 0, size: 4 };
    let independent = new::SHADER_CREATE_INDEPENDENT_SETS_KHR;
    unsafe {
        let code = slice::from_raw_parts(words.as_ptr().cast::<u8>(), words.len() * 4);
        let info = vk::ShaderCreateInfoEXT::builder()
            .flags(vk::ShaderCreateFlagsEXT::from_bits_unchecked(independent))
            .stage(stage)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .code(code)
            .name(b"main\0")
            .set_layouts(&layouts)
            .push_constant_ranges(slice::from_ref(&range));
        let shaders = device.create_shaders_ext(slice::from_ref(&info), None).expect("a shader").0;
        let flags = vk::PipelineLayoutCreateFlags::from_bits_unchecked(
            new::PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_EXT | new::PIPELINE_LAYOUT_CREATE_NO_TASK_SHADER_KHR,
        );
        let info = vk::PipelineLayoutCreateInfo::builder()
            .flags(flags)
            .set_layouts(&layouts)
            .push_constant_ranges(slice::from_ref(&range));
        let layout = device.create_pipeline_layout(&info, None).expect("a layout");
        context.run(|commands| {
            device.cmd_bind_shaders_ext(commands, &[stage], &shaders);
            device.cmd_bind_descriptor_sets(commands, POINT, layout, 1, &[set], &[]);
            device.cmd_push_constants(commands, layout, stage, 0, &9_u32.to_ne_bytes());
            device.cmd_dispatch(commands, 8, 1, 1);
        });
        assert_eq!(buffer.words(), [9; 8]);
        shaders.into_iter().for_each(|shader| device.destroy_shader_ext(shader, None));
        device.destroy_pipeline_layout(layout, None);
    }
}

/// A shader that writes its numbers, plus 100, to a storage image that it takes for an array or not.
fn writing(is_array: bool) -> String {
    let coordinate = match is_array {
        true => "%coordinate = OpCompositeConstruct %uint3 %gid %uint_0 %uint_0",
        false => "%coordinate = OpCompositeConstruct %uint2 %gid %uint_0",
    };
    let body = format!(
        "%target = OpLoad %image_type %image
        {coordinate}
        %more = OpIAdd %uint %gid %k100
        %texel = OpCompositeConstruct %uint4 %more %more %more %more
        OpImageWrite %target %coordinate %texel"
    );
    let arrayed = u32::from(is_array);
    shader(&body)
        .replace(
            "OpDecorate %constants Block",
            "OpDecorate %constants Block OpDecorate %image DescriptorSet 0 OpDecorate %image Binding 1",
        )
        .replace(
            "%uint_0 = OpConstant",
            &format!(
                "%uint2 = OpTypeVector %uint 2 %uint4 = OpTypeVector %uint 4
                %image_type = OpTypeImage %uint 2D 0 {arrayed} 0 2 R32ui
                %images = OpTypePointer UniformConstant %image_type
                %image = OpVariable %images UniformConstant
                %k100 = OpConstant %uint 100
                %uint_0 = OpConstant"
            ),
        )
}

#[test]
fn images_of_one_layer_are_arrays_or_not() {
    let context = context();
    let device = &context.device;
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1), (vk::DescriptorType::STORAGE_IMAGE, 1)];
    let set_layout = context.set_layout(flags, &bindings);
    let layout = context.layout(&[set_layout]);
    let range = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    for (view_type, is_array) in [(vk::ImageViewType::_2D, true), (vk::ImageViewType::_2D_ARRAY, false)] {
        let read: Buffer = context.buffer(8);
        let pipeline = context.pipeline(layout, &writing(is_array));
        let set = context.set_of(set_layout, &bindings);
        unsafe {
            let info = vk::ImageCreateInfo::builder()
                .flags(vk::ImageCreateFlags::from_bits_unchecked(
                    new::IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_KHR,
                ))
                .image_type(vk::ImageType::_2D)
                .format(vk::Format::R32_UINT)
                .extent(vk::Extent3D { width: 8, height: 1, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::_1)
                .usage(vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC)
                .sharing_mode(vk::SharingMode::CONCURRENT)
                .queue_family_indices(&[0]);
            let image = device.create_image(&info, None).expect("an image");
            let memory = context.mapped_memory(device.get_image_memory_requirements(image)).0;
            device.bind_image_memory(image, memory, 0).expect("bound");
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(view_type)
                .format(vk::Format::R32_UINT)
                .subresource_range(range);
            let view = device.create_image_view(&info, None).expect("a view");
            let info =
                vk::DescriptorImageInfo::builder().image_view(view).image_layout(vk::ImageLayout::GENERAL);
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .dst_binding(1)
                .descriptor_type(vk::DescriptorType::STORAGE_IMAGE)
                .image_info(slice::from_ref(&info));
            device.update_descriptor_sets(slice::from_ref(&write), &[] as &[vk::CopyDescriptorSet]);
            context.run(|commands| {
                device.cmd_bind_pipeline(commands, POINT, pipeline);
                device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
                device.cmd_dispatch(commands, 8, 1, 1);
            });
            let region = vk::BufferImageCopy::builder()
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    layer_count: 1,
                    ..Default::default()
                })
                .image_extent(vk::Extent3D { width: 8, height: 1, depth: 1 });
            context.run(|commands| {
                let layout = vk::ImageLayout::GENERAL;
                device.cmd_copy_image_to_buffer(
                    commands,
                    image,
                    layout,
                    read.buffer,
                    slice::from_ref(&region),
                );
            });
            device.destroy_image_view(view, None);
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
        assert_eq!(read.words(), (100..108).collect::<Vec<u32>>(), "{view_type:?}");
    }
}
