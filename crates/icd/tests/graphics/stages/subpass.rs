//! Subpasses that are shaded by compute pipelines (`VK_HUAWEI_subpass_shading`).

use pyro_test_kit::compute::Compute;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::HuaweiSubpassShadingExtensionDeviceCommands as _;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
/// Pixels of the attachment in x and y, and its layers.
const PIXELS: [u32; 3] = [40, 24, 2];

/// For the invocation (x, y, z): at word 1024 z + 32 y + x of the buffer, what the attachment has there, plus
/// 1000 x, 100,000 y and the push constant.
const SHADER: &str = r#"
    OpCapability Shader
    OpCapability InputAttachment
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main" %id
    OpExecutionMode %main LocalSize 8 8 1
    OpDecorate %id BuiltIn GlobalInvocationId
    OpDecorate %array ArrayStride 4
    OpDecorate %block BufferBlock
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %buffer DescriptorSet 0
    OpDecorate %buffer Binding 0
    OpDecorate %color DescriptorSet 0
    OpDecorate %color Binding 1
    OpDecorate %color InputAttachmentIndex 0
    OpDecorate %constants Block
    OpMemberDecorate %constants 0 Offset 0
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %uint3 = OpTypeVector %uint 3
    %uint4 = OpTypeVector %uint 4
    %int2 = OpTypeVector %int 2
    %in_uint3 = OpTypePointer Input %uint3
    %id = OpVariable %in_uint3 Input
    %array = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %array
    %blocks = OpTypePointer Uniform %block
    %word = OpTypePointer Uniform %uint
    %buffer = OpVariable %blocks Uniform
    %image = OpTypeImage %uint SubpassData 0 0 0 2 Unknown
    %images = OpTypePointer UniformConstant %image
    %color = OpVariable %images UniformConstant
    %constants = OpTypeStruct %uint
    %push_block = OpTypePointer PushConstant %constants
    %push_word = OpTypePointer PushConstant %uint
    %pushed = OpVariable %push_block PushConstant
    %c0 = OpConstant %uint 0
    %c32 = OpConstant %uint 32
    %c1000 = OpConstant %uint 1000
    %c1024 = OpConstant %uint 1024
    %c100000 = OpConstant %uint 100000
    %i0 = OpConstant %int 0
    %zero = OpConstantComposite %int2 %i0 %i0
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %ids = OpLoad %uint3 %id
    %x = OpCompositeExtract %uint %ids 0
    %y = OpCompositeExtract %uint %ids 1
    %z = OpCompositeExtract %uint %ids 2
    %attachment = OpLoad %image %color
    %texel = OpImageRead %uint4 %attachment %zero
    %red = OpCompositeExtract %uint %texel 0
    %push_pointer = OpAccessChain %push_word %pushed %c0
    %push = OpLoad %uint %push_pointer
    %xs = OpIMul %uint %x %c1000
    %ys = OpIMul %uint %y %c100000
    %v1 = OpIAdd %uint %red %xs
    %v2 = OpIAdd %uint %v1 %ys
    %v3 = OpIAdd %uint %v2 %push
    %layer = OpIMul %uint %z %c1024
    %row = OpIMul %uint %y %c32
    %at1 = OpIAdd %uint %layer %row
    %at2 = OpIAdd %uint %at1 %x
    %pointer = OpAccessChain %word %buffer %c0 %at2
    OpStore %pointer %v3
    OpReturn
    OpFunctionEnd
"#;

/// An attachment with layers, written by clears and read by the subpass behind.
struct Target {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl Target {
    fn new(device: &Device) -> Target {
        let [width, height, layers] = PIXELS;
        let format = vk::Format::R32_UINT;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::INPUT_ATTACHMENT);
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            let range = vk::ImageSubresourceRange {
                aspect_mask: COLOR,
                level_count: 1,
                layer_count: layers,
                ..Default::default()
            };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D_ARRAY)
                .format(format)
                .subresource_range(range);
            let view = device.create_image_view(&info, None).expect("a view");
            let attachment = vk::AttachmentDescription::builder()
                .format(format)
                .samples(vk::SampleCountFlags::_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(GENERAL);
            let reference = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
            let subpasses = [
                vk::SubpassDescription::builder()
                    .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
                    .color_attachments(&reference),
                vk::SubpassDescription::builder()
                    .pipeline_bind_point(vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI)
                    .input_attachments(&reference),
            ];
            let info = vk::RenderPassCreateInfo::builder()
                .attachments(slice::from_ref(&attachment))
                .subpasses(&subpasses);
            let pass = device.create_render_pass(&info, None).expect("a render pass");
            let info = vk::FramebufferCreateInfo::builder()
                .render_pass(pass)
                .attachments(slice::from_ref(&view))
                .width(width)
                .height(height)
                .layers(layers);
            let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
            Target { image, memory, view, pass, framebuffer }
        }
    }

    fn destroy(self, device: &Device) {
        unsafe {
            device.destroy_framebuffer(self.framebuffer, None);
            device.destroy_render_pass(self.pass, None);
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
            device.free_memory(self.memory, None);
        }
    }
}

fn pipeline(compute: &Compute, layout: vk::PipelineLayout, pass: vk::RenderPass) -> vk::Pipeline {
    let words = pyro_spirv::asm::assemble(SHADER).expect("assembly");
    let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    unsafe {
        let module = compute.device.create_shader_module(&info, None).expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI)
            .module(module)
            .name(b"main\0");
        let mut of_subpass = vk::SubpassShadingPipelineCreateInfoHUAWEI {
            render_pass: pass,
            subpass: 1,
            ..Default::default()
        };
        let info =
            vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout).push_next(&mut of_subpass);
        let made = compute.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        compute.device.destroy_shader_module(module, None);
        made.expect("a pipeline").0[0]
    }
}

#[test]
fn every_pixel_of_the_render_area_has_an_invocation() {
    let mut feature = vk::PhysicalDeviceSubpassShadingFeaturesHUAWEI::builder().subpass_shading(true).build();
    let version = vk::make_version(1, 3, 0);
    let next = (&raw mut feature).cast();
    let compute = Compute::new(version, &[c"VK_HUAWEI_subpass_shading"], next);
    let device = &compute.device;
    let target = Target::new(device);
    unsafe {
        let size = device.get_device_subpass_shading_max_workgroup_size_huawei(target.pass);
        let size = size.expect("a size");
        assert!(size.width >= 8 && size.height >= 8, "{size:?}");
    }
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1), (vk::DescriptorType::INPUT_ATTACHMENT, 1)];
    let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let layout = compute.layout(&[set_layout]);
    let set = compute.set_of(set_layout, &bindings);
    let words = compute.buffer(2048);
    compute.write(set, words.buffer);
    let image =
        vk::DescriptorImageInfo { image_view: target.view, image_layout: GENERAL, ..Default::default() };
    let write = vk::WriteDescriptorSet::builder()
        .dst_set(set)
        .dst_binding(1)
        .descriptor_type(vk::DescriptorType::INPUT_ATTACHMENT)
        .image_info(slice::from_ref(&image));
    unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let pipeline = pipeline(&compute, layout, target.pass);
    // What is bound for compute is something else.
    let other_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings[..1]);
    let other = compute.layout(&[other_layout]);
    let others = compute.set_of(other_layout, &bindings[..1]);
    let marks = compute.buffer(1);
    compute.write(others, marks.buffer);
    let marking = compute.pipeline(
        other,
        &pyro_test_kit::compute::shader(
            "%at = OpAccessChain %word %buffer %uint_0 %uint_0\nOpStore %at %push",
        ),
    );
    // Neither begins nor ends at a workgroup's edge.
    let area =
        vk::Rect2D { offset: vk::Offset2D { x: 5, y: 3 }, extent: vk::Extent2D { width: 30, height: 19 } };
    let clear = |value: u32| vk::ClearValue { color: vk::ClearColorValue { uint32: [value; 4] } };
    compute.run(|commands| unsafe {
        let compute_point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_pipeline(commands, compute_point, marking);
        device.cmd_bind_descriptor_sets(commands, compute_point, other, 0, &[others], &[]);
        let value = clear(7);
        let info = vk::RenderPassBeginInfo::builder()
            .render_pass(target.pass)
            .framebuffer(target.framebuffer)
            .render_area(area)
            .clear_values(slice::from_ref(&value));
        device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
        // Three pixels of layer 1 have other values.
        for (x, y, value) in [(5, 3, 11), (34, 21, 13), (20, 9, 17)] {
            let clear =
                vk::ClearAttachment { aspect_mask: COLOR, color_attachment: 0, clear_value: clear(value) };
            let rect = vk::ClearRect {
                rect: vk::Rect2D {
                    offset: vk::Offset2D { x, y },
                    extent: vk::Extent2D { width: 1, height: 1 },
                },
                base_array_layer: 1,
                layer_count: 1,
            };
            device.cmd_clear_attachments(commands, &[clear], &[rect]);
        }
        device.cmd_next_subpass(commands, vk::SubpassContents::INLINE);
        let point = vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, layout, stages, 0, &50_000_000_u32.to_ne_bytes());
        device.cmd_subpass_shading_huawei(commands);
        device.cmd_end_render_pass(commands);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    let found = words.words();
    for (z, y, x) in (0..2).flat_map(|z| (0..19).flat_map(move |y| (0..30).map(move |x| (z, y, x)))) {
        let texel = match (x, y, z) {
            (0, 0, 1) => 11,
            (29, 18, 1) => 13,
            (15, 6, 1) => 17,
            _ => 7,
        };
        let expected = texel + 1000 * x + 100_000 * y + 50_000_000;
        assert_eq!(found[(1024 * z + 32 * y + x) as usize], expected, "{x} {y} {z}");
    }
    assert_eq!(marks.words(), [50_000_000], "what is bound for compute stays");
    unsafe { device.destroy_pipeline(pipeline, None) };
    target.destroy(device);
}
