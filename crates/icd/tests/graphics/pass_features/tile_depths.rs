//! Depth and stencil as attachments that shaders read from the tile (`VK_QCOM_tile_shading`).

use super::*;
use vulkanalia::vk::QcomTileShadingExtensionDeviceCommands as _;

/// Writes the pixel's place in x, in sixteenths, as depth.
fn sloping() -> String {
    Shader::fragment(
        "%at = OpLoad %float4 %place
        %x = OpCompositeExtract %float %at 0
        %deep = OpFDiv %float %x %float_16
        OpStore %depth %deep
        OpStore %color %at",
    )
    .mode("DepthReplacing")
    .input("place", "float4", "BuiltIn FragCoord")
    .output("depth", "float", "BuiltIn FragDepth")
    .output("color", "float4", "Location 0")
    .text()
}

/// Writes depth and stencil, in steps of a 255th, of the pixel (y - 1, y).
fn reading() -> String {
    Shader::fragment(
        "%at = OpLoad %float4 %place
        %y = OpCompositeExtract %float %at 1
        %row = OpConvertFToU %uint %y
        %column = OpISub %uint %row %uint_1
        %there = OpCompositeConstruct %uint2 %column %row
        %image_0 = OpLoad %depth_image %depth_in
        %image_1 = OpLoad %stencil_image %stencil_in
        %depths = OpImageFetch %float4 %image_0 %there
        %stencils = OpImageFetch %uint4 %image_1 %there
        %deep = OpCompositeExtract %float %depths 0
        %stencil = OpCompositeExtract %uint %stencils 0
        %count = OpConvertUToF %float %stencil
        %share = OpFDiv %float %count %float_255
        %both = OpCompositeConstruct %float4 %deep %share %float_0 %float_1
        OpStore %color %both",
    )
    .version("1.4")
    .capability("TileShadingQCOM")
    .extension("SPV_QCOM_tile_shading")
    .interface("%depth_in %stencil_in")
    .input("place", "float4", "BuiltIn FragCoord")
    .output("color", "float4", "Location 0")
    .decorate(
        "OpDecorate %depth_in DescriptorSet 0
        OpDecorate %depth_in Binding 0
        OpDecorate %stencil_in DescriptorSet 0
        OpDecorate %stencil_in Binding 1",
    )
    .declare(
        "%float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %depth_image = OpTypeImage %float 2D 0 0 0 1 Unknown
        %stencil_image = OpTypeImage %uint 2D 0 0 0 1 Unknown
        %depth_pointer = OpTypePointer TileAttachmentQCOM %depth_image
        %stencil_pointer = OpTypePointer TileAttachmentQCOM %stencil_image
        %depth_in = OpVariable %depth_pointer TileAttachmentQCOM
        %stencil_in = OpVariable %stencil_pointer TileAttachmentQCOM",
    )
    .text()
}

/// A draw reads depth and stencil of other pixels that the draw before has written in the same rendering.
#[test]
fn depth_and_stencil_are_read_from_the_tile() {
    let mut features = vk::PhysicalDeviceTileShadingFeaturesQCOM::builder()
        .tile_shading(true)
        .tile_shading_fragment_stage(true)
        .tile_shading_per_tile_draw(true)
        .tile_shading_depth_attachments(true)
        .tile_shading_stencil_attachments(true)
        .tile_shading_sampled_attachments(true);
    let extensions = [c"VK_QCOM_tile_shading", c"VK_QCOM_tile_properties"];
    let gpu = device(&extensions, from_mut(&mut features).cast());
    let device = &gpu.device;
    let (color, depth) = (Target::new(&gpu, COLOR), Target::new(&gpu, DEPTH));
    let aspects = [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL]
        .map(|aspect_mask| depth.view_of(&gpu, aspect_mask));
    let (set, set_layout, pool) = unsafe { set_of(&gpu, vk::DescriptorType::SAMPLED_IMAGE, &aspects) };
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0xff,
        ..Default::default()
    };
    let tests = vk::PipelineDepthStencilStateCreateInfo {
        depth_test_enable: vk::TRUE,
        depth_write_enable: vk::TRUE,
        depth_compare_op: vk::CompareOp::ALWAYS,
        stencil_test_enable: vk::TRUE,
        front: face,
        back: face,
        ..Default::default()
    };
    let (first, second) = (sloping(), reading());
    let first = pipeline(&gpu, &Plan { fragment: &first, depth: DEPTH, tests, ..Plan::default() });
    let sets = [set_layout];
    let second = pipeline(&gpu, &Plan { fragment: &second, sets: &sets, depth: DEPTH, ..Plan::default() });
    let (colors, depths) = (attachment(color.view), attachment(depth.view));
    let mut tiles = vk::RenderPassTileShadingCreateInfoQCOM {
        flags: vk::TileShadingRenderPassFlagsQCOM::ENABLE,
        tile_apron_size: vk::Extent2D { width: 1, height: 1 },
        ..Default::default()
    };
    let info = vk::RenderingInfo::builder()
        .render_area(area())
        .layer_count(1)
        .color_attachments(slice::from_ref(&colors))
        .depth_attachment(&depths)
        .stencil_attachment(&depths)
        .push_next(&mut tiles);
    gpu.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::GRAPHICS;
        device.cmd_begin_rendering(commands, &info);
        for _ in 0..3 {
            draw(&gpu, commands, first, [0.0; 4]);
        }
        let barrier = vk::MemoryBarrier2::builder()
            .src_stage_mask(vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS)
            .src_access_mask(vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::FRAGMENT_SHADER)
            .dst_access_mask(vk::AccessFlags2::SHADER_TILE_ATTACHMENT_READ_QCOM);
        let order = vk::DependencyInfo::builder()
            .dependency_flags(vk::DependencyFlags::BY_REGION)
            .memory_barriers(slice::from_ref(&barrier));
        device.cmd_pipeline_barrier2(commands, &order);
        device.cmd_begin_per_tile_execution_qcom(commands, &vk::PerTileBeginInfoQCOM::default());
        device.cmd_bind_descriptor_sets(commands, point, second.1, 0, &[set], &[]);
        draw(&gpu, commands, second, [0.0; 4]);
        device.cmd_end_per_tile_execution_qcom(commands, &vk::PerTileEndInfoQCOM::default());
        device.cmd_end_rendering(commands);
    });
    let found = color.bytes(&gpu, vk::ImageAspectFlags::COLOR);
    for (x, y) in (1..SIZE).flat_map(|y| (0..y).map(move |x| (x, y))) {
        let at = 4 * (y * SIZE + x) as usize;
        let deep = (y as f32 - 0.5) / 16.0;
        assert!((f32::from(found[at]) - 255.0 * deep).abs() <= 0.51, "{x} {y}: {}", found[at]);
        assert_eq!(found[at + 1], 3, "{x} {y}");
    }
    destroy(&gpu, [first, second]);
    unsafe {
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        aspects.iter().for_each(|&view| device.destroy_image_view(view, None));
    }
    color.destroy(&gpu);
    depth.destroy(&gpu);
}
