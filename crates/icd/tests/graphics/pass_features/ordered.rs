//! Input attachments in the order of primitives (`VK_EXT_rasterization_order_attachment_access`).

use super::*;

/// Adds to what it reads of the colour, of depth and of stencil.
fn counting_fragments() -> String {
    Shader::fragment(
        "%image_0 = OpLoad %color_image %color_in
        %image_1 = OpLoad %color_image %depth_in
        %image_2 = OpLoad %stencil_image %stencil_in
        %before = OpImageRead %float4 %image_0 %origin
        %depths = OpImageRead %float4 %image_1 %origin
        %stencils = OpImageRead %uint4 %image_2 %origin
        %deep = OpCompositeExtract %float %depths 0
        %deeper = OpFAdd %float %deep %float_0p125
        OpStore %depth %deeper
        %stencil = OpCompositeExtract %uint %stencils 0
        %count = OpConvertUToF %float %stencil
        %share = OpFDiv %float %count %float_255
        %step = OpFDiv %float %float_10 %float_255
        %more = OpCompositeConstruct %float4 %step %share %float_0 %float_0
        %after = OpFAdd %float4 %before %more
        OpStore %color %after",
    )
    .capability("InputAttachment")
    .mode("DepthReplacing")
    .output("color", "float4", "Location 0")
    .output("depth", "float", "BuiltIn FragDepth")
    .decorate(
        "OpDecorate %color_in DescriptorSet 0
        OpDecorate %color_in Binding 0
        OpDecorate %color_in InputAttachmentIndex 0
        OpDecorate %depth_in DescriptorSet 0
        OpDecorate %depth_in Binding 1
        OpDecorate %depth_in InputAttachmentIndex 1
        OpDecorate %stencil_in DescriptorSet 0
        OpDecorate %stencil_in Binding 2
        OpDecorate %stencil_in InputAttachmentIndex 2",
    )
    .declare(
        "%float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
        %int2 = OpTypeVector %int 2
        %origin = OpConstantNull %int2
        %color_image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
        %stencil_image = OpTypeImage %uint SubpassData 0 0 0 2 Unknown
        %color_pointer = OpTypePointer UniformConstant %color_image
        %stencil_pointer = OpTypePointer UniformConstant %stencil_image
        %color_in = OpVariable %color_pointer UniformConstant
        %depth_in = OpVariable %color_pointer UniformConstant
        %stencil_in = OpVariable %stencil_pointer UniformConstant",
    )
    .text()
}

/// A pass whose colour, depth and stencil are input attachments of its subpass, in the order of primitives.
unsafe fn ordered_pass(gpu: &Gpu) -> vk::RenderPass {
    let keep = vk::AttachmentDescription2::builder()
        .samples(vk::SampleCountFlags::_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::CLEAR)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(GENERAL);
    let descriptions = [keep.format(COLOR), keep.format(DEPTH)];
    let reference = |attachment, aspect_mask| {
        vk::AttachmentReference2::builder()
            .attachment(attachment)
            .layout(GENERAL)
            .aspect_mask(aspect_mask)
            .build()
    };
    let color = reference(0, vk::ImageAspectFlags::COLOR);
    let depth = reference(1, both());
    let inputs =
        [color, reference(1, vk::ImageAspectFlags::DEPTH), reference(1, vk::ImageAspectFlags::STENCIL)];
    let subpass = vk::SubpassDescription2::builder()
        .flags(
            vk::SubpassDescriptionFlags::RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_EXT
                | vk::SubpassDescriptionFlags::RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_EXT
                | vk::SubpassDescriptionFlags::RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_EXT,
        )
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .input_attachments(&inputs)
        .color_attachments(slice::from_ref(&color))
        .depth_stencil_attachment(&depth);
    let info =
        vk::RenderPassCreateInfo2::builder().attachments(&descriptions).subpasses(slice::from_ref(&subpass));
    unsafe { gpu.device.create_render_pass2(&info, None) }.expect("a pass")
}

/// Fragments read what those of primitives before them in the same draw have written, of each aspect, where
/// subpass and pipeline say so.
#[test]
fn fragments_read_what_primitives_before_have_written() {
    let mut features = vk::PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT::builder()
        .rasterization_order_color_attachment_access(true)
        .rasterization_order_depth_attachment_access(true)
        .rasterization_order_stencil_attachment_access(true);
    let extensions = [c"VK_EXT_rasterization_order_attachment_access"];
    let gpu = device(&extensions, from_mut(&mut features).cast());
    let device = &gpu.device;
    let (color, depth) = (Target::new(&gpu, COLOR), Target::new(&gpu, DEPTH));
    let aspects = [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL]
        .map(|aspect_mask| depth.view_of(&gpu, aspect_mask));
    unsafe {
        let pass = ordered_pass(&gpu);
        let inputs = [color.view, aspects[0], aspects[1]];
        let (set, set_layout, pool) = set_of(&gpu, vk::DescriptorType::INPUT_ATTACHMENT, &inputs);
        let views = [color.view, depth.view];
        let info = vk::FramebufferCreateInfo::builder()
            .render_pass(pass)
            .attachments(&views)
            .width(SIZE)
            .height(SIZE)
            .layers(1);
        let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
        let face = vk::StencilOpState {
            pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
            compare_op: vk::CompareOp::ALWAYS,
            compare_mask: 0xff,
            write_mask: 0xff,
            ..Default::default()
        };
        let tests = vk::PipelineDepthStencilStateCreateInfo {
            flags: vk::PipelineDepthStencilStateCreateFlags::RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_EXT
                | vk::PipelineDepthStencilStateCreateFlags::RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_EXT,
            depth_test_enable: vk::TRUE,
            depth_write_enable: vk::TRUE,
            depth_compare_op: vk::CompareOp::ALWAYS,
            stencil_test_enable: vk::TRUE,
            front: face,
            back: face,
            ..Default::default()
        };
        let made = pipeline(
            &gpu,
            &Plan {
                fragment: &counting_fragments(),
                sets: &[set_layout],
                depth: DEPTH,
                pass,
                tests,
                blend_flags:
                    vk::PipelineColorBlendStateCreateFlags::RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXT,
                ..Plan::default()
            },
        );
        let clears = [vk::ClearValue::default(); 2];
        let begin = vk::RenderPassBeginInfo::builder()
            .render_pass(pass)
            .framebuffer(framebuffer)
            .render_area(area())
            .clear_values(&clears);
        gpu.run(|commands| {
            device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_pipeline(commands, point, made.0);
            device.cmd_bind_descriptor_sets(commands, point, made.1, 0, &[set], &[]);
            device.cmd_draw(commands, 3, 5, 0, 0);
            device.cmd_end_render_pass(commands);
        });
        let at = 4 * (SIZE * (SIZE - 1)) as usize;
        let colors = color.bytes(&gpu, vk::ImageAspectFlags::COLOR);
        // Five times ten, and what the stencil was: 0 to 4.
        assert_eq!(colors[at..at + 2], [50, 10]);
        let depths = depth.bytes(&gpu, vk::ImageAspectFlags::DEPTH);
        assert_eq!(depths[at..at + 4], 0.625f32.to_ne_bytes());
        destroy(&gpu, [made]);
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        aspects.iter().for_each(|&view| device.destroy_image_view(view, None));
    }
    color.destroy(&gpu);
    depth.destroy(&gpu);
}
