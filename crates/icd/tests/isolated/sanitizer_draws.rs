//! What the sanitizer finds between the fragments of a draw: samples of texels that others write.

use crate::sanitizer::image;
use pyro_test_environment::in_child;
use pyro_test_kit::graphics::{Context, GENERAL, SIZE, area};
use vulkanalia::prelude::v1_3::*;

/// Each fragment writes the texel of its pixel, and samples that of its neighbour, so many rows below.
fn fragment(rows_below: u32) -> String {
    format!(
        "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main \"main\" %color %place
    OpExecutionMode %main OriginUpperLeft
    OpDecorate %color Location 0
    OpDecorate %place BuiltIn FragCoord
    OpDecorate %picture DescriptorSet 0
    OpDecorate %picture Binding 0
    OpDecorate %texture DescriptorSet 0
    OpDecorate %texture Binding 1
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %uint = OpTypeInt 32 0
    %vec2 = OpTypeVector %float 2
    %vec4 = OpTypeVector %float 4
    %uvec2 = OpTypeVector %uint 2
    %storage = OpTypeImage %float 2D 0 0 0 2 Rgba8
    %plain = OpTypeImage %float 2D 0 0 0 1 Unknown
    %sampled = OpTypeSampledImage %plain
    %to_storage = OpTypePointer UniformConstant %storage
    %to_sampled = OpTypePointer UniformConstant %sampled
    %to_out = OpTypePointer Output %vec4
    %to_in = OpTypePointer Input %vec4
    %picture = OpVariable %to_storage UniformConstant
    %texture = OpVariable %to_sampled UniformConstant
    %color = OpVariable %to_out Output
    %place = OpVariable %to_in Input
    %one = OpConstant %uint 1
    %zero = OpConstant %float 0
    %half = OpConstant %float 0.5
    %below = OpConstant %float {rows_below}
    %width = OpConstant %float {width}
    %height = OpConstant %float {height}
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %at = OpLoad %vec4 %place
    %x = OpCompositeExtract %float %at 0
    %y = OpCompositeExtract %float %at 1
    %column = OpConvertFToU %uint %x
    %row = OpConvertFToU %uint %y
    %texel = OpCompositeConstruct %uvec2 %column %row
    %written = OpLoad %storage %picture
    OpImageWrite %written %texel %at
    %other = OpBitwiseXor %uint %column %one
    %other_x = OpConvertUToF %float %other
    %middle = OpFAdd %float %other_x %half
    %u = OpFDiv %float %middle %width
    %other_y = OpFAdd %float %y %below
    %v = OpFDiv %float %other_y %height
    %uv = OpCompositeConstruct %vec2 %u %v
    %loaded = OpLoad %sampled %texture
    %read = OpImageSampleExplicitLod %vec4 %loaded %uv Lod %zero
    OpStore %color %read
    OpReturn
    OpFunctionEnd",
        width = SIZE,
        height = 2 * SIZE
    )
}

#[test]
fn fragments_race_with_samples_of_what_others_write() {
    const TEST: &str = "fragments_race_with_samples_of_what_others_write";
    if !in_child(module_path!(), TEST, &[("PYROCLAST_SANITIZE", "race-image")]) {
        return;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
    let extensions = [c"VK_KHR_dynamic_rendering"];
    let context = Context::from(client.device(&extensions, None, (&raw mut dynamic).cast()));
    let device = &context.device;
    let drawn = image(&context, SIZE, vk::ImageUsageFlags::COLOR_ATTACHMENT);
    let picture = image(&context, 2 * SIZE, vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED);
    let sampler =
        unsafe { device.create_sampler(&vk::SamplerCreateInfo::default(), None) }.expect("a sampler");
    let types = [vk::DescriptorType::STORAGE_IMAGE, vk::DescriptorType::COMBINED_IMAGE_SAMPLER];
    let bindings: Vec<_> = (0..)
        .zip(types)
        .map(|(binding, ty)| {
            vk::DescriptorSetLayoutBinding::builder()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::FRAGMENT)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
    let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a set layout");
    let sizes = types.map(|type_| vk::DescriptorPoolSize { type_, descriptor_count: 1 });
    let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
    let pool = unsafe { device.create_descriptor_pool(&info, None) }.expect("a pool");
    let layouts = [set_layout];
    let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
    let set = unsafe { device.allocate_descriptor_sets(&info) }.expect("a set")[0];
    let images = [vk::DescriptorImageInfo { image_view: picture.2, image_layout: GENERAL, sampler }];
    for (binding, ty) in (0..).zip(types) {
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(ty)
            .image_info(&images);
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }
    for (rows_below, is_race) in [(SIZE, false), (0, true)] {
        let text = fragment(rows_below);
        let (pipeline, layout) = context.pipeline_with(vk::Format::R8G8B8A8_UNORM, &text, &[set_layout]);
        let targets = [vk::RenderingAttachmentInfo::builder()
            .image_view(drawn.2)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info =
            vk::RenderingInfo::builder().render_area(area()).layer_count(1).color_attachments(&targets);
        context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_draw(commands, 3, 1, 0, 0);
            device.cmd_end_rendering(commands);
        });
        let messages: Vec<_> = heard.take().into_iter().filter(|one| one.id.contains("race-image")).collect();
        assert_eq!(!messages.is_empty(), is_race, "{rows_below}: {messages:?}");
        unsafe {
            device.destroy_pipeline(pipeline, None);
            device.destroy_pipeline_layout(layout, None);
        }
    }
    unsafe {
        device.destroy_sampler(sampler, None);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        for (image, memory, view) in [drawn, picture] {
            device.destroy_image_view(view, None);
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
    }
}
