//! Resolves by shaders within dynamic rendering (`VK_EXT_custom_resolve`).

use super::assembly::{Shader, passing, rectangle};
use super::samples::interpolating;
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtCustomResolveExtensionDeviceCommands as _;

/// The mean of the four samples of the first attachment, and the passed colour.
fn resolving() -> String {
    let reads: String =
        (0..4).map(|sample| format!("%s{sample} = OpImageRead %v4 %t %origin Sample %n{sample}\n")).collect();
    let body = format!(
        "%p = OpLoad %v4 %passed
         %t = OpLoad %input_type %input
         {reads}
         %s01 = OpFAdd %v4 %s0 %s1
         %s23 = OpFAdd %v4 %s2 %s3
         %sum = OpFAdd %v4 %s01 %s23
         %mean = OpVectorTimesScalar %v4 %sum %quarter
         %new = OpFAdd %v4 %mean %p
         OpStore %out %new"
    );
    Shader {
        capabilities: "OpCapability InputAttachment",
        interface: "%passed %out",
        decorations: "OpDecorate %passed Location 0
            OpDecorate %out Location 0
            OpDecorate %input DescriptorSet 0
            OpDecorate %input Binding 2
            OpDecorate %input InputAttachmentIndex 0",
        globals: "%passed = OpVariable %in_v4 Input
            %out = OpVariable %out_v4 Output
            %input_type = OpTypeImage %float SubpassData 2 0 1 2 Unknown
            %ptr_input = OpTypePointer UniformConstant %input_type
            %input = OpVariable %ptr_input UniformConstant
            %v2i = OpTypeVector %int 2
            %origin = OpConstantComposite %v2i %i0 %i0
            %n0 = OpConstant %int 0
            %n1 = OpConstant %int 1
            %n2 = OpConstant %int 2
            %n3 = OpConstant %int 3
            %quarter = OpConstant %float 0.25",
        body: &body,
        ..Shader::default()
    }
    .fragment()
}

/// Two triangles with edges between pixels, and a rectangle over the left half.
fn vertices() -> Vec<[[f32; 4]; 2]> {
    let vertex = |color: [f32; 4]| move |[x, y]: [f32; 2]| [[x, y, 0.25, 1.0], color];
    let first = [[-0.85, -0.8], [0.9, -0.35], [-0.3, 0.95]].map(vertex([1.0, 0.0, 0.25, 1.0]));
    let second = [[0.8, -0.9], [0.7, 0.85], [-0.95, 0.1]].map(vertex([0.0, 1.0, 0.5, 0.5]));
    let mut vertices: Vec<_> = first.into_iter().chain(second).collect();
    vertices.extend(rectangle([-1.0, -1.0, 0.0, 1.0], 0.75, [0.0, 0.0, 16.0, 0.0]));
    vertices
}

#[test]
fn shaders_write_what_attachments_are_resolved_to() {
    let lab = Lab::new(&[c"VK_KHR_dynamic_rendering_local_read", c"VK_EXT_custom_resolve"]);
    let mut scene = Scene::new(&passing(), &interpolating(""), &vertices());
    (scene.state.samples, scene.clear, scene.feedback) = (4, [0.0, 0.0, 1.0, 1.0], true);
    scene.state.depth_write = true;
    let expected = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
        device.cmd_draw(commands, 6, 1, 0, 0);
    });
    let mut resolve = Scene::new(&passing(), &resolving(), &vertices());
    resolve.state.samples = 1;
    (resolve.state.depth_write, resolve.state.depth_test) = (true, true);
    resolve.state.depth_compare = vk::CompareOp::ALWAYS;
    let pipeline = lab.pipeline(&resolve);
    scene.custom_resolve = true;
    let found = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
        device.cmd_draw(commands, 6, 1, 0, 0);
        let access = vk::AccessFlags::COLOR_ATTACHMENT_WRITE | vk::AccessFlags::INPUT_ATTACHMENT_READ;
        let barrier = vk::MemoryBarrier::builder().src_access_mask(access).dst_access_mask(access);
        device.cmd_pipeline_barrier(
            commands,
            vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
            vk::PipelineStageFlags::FRAGMENT_SHADER,
            vk::DependencyFlags::BY_REGION,
            &[barrier],
            &[] as &[vk::BufferMemoryBarrier],
            &[] as &[vk::ImageMemoryBarrier],
        );
        device.cmd_begin_custom_resolve_ext(commands, None);
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        device.cmd_draw(commands, 6, 1, 6, 0);
    });
    unsafe { lab.device.destroy_pipeline(pipeline, None) };
    let mut edges = 0;
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE / 2).map(move |x| (x, y))) {
        let [r, g, b, a] = expected.at(0, x, y);
        assert_eq!(found.at(0, x, y), [r, g, b + 16.0, a], "{x} {y}");
        assert_eq!(found.depth[(y * SIZE + x) as usize], 0.75, "{x} {y}");
        edges += usize::from(![0.25, 0.5, 1.0].contains(&b));
    }
    assert!(edges > 3, "{edges}");
}

#[test]
fn custom_resolves_that_were_not_announced_are_refused() {
    let lab = Lab::new(&[c"VK_EXT_custom_resolve"]);
    let (custom, suspending) = (vk::RenderingFlags::CUSTOM_RESOLVE_EXT, vk::RenderingFlags::SUSPENDING);
    let none = vk::RenderingFlags::empty();
    // Whether rendering has begun, by which flags, and how often a custom resolve begins; how it ends.
    let cases = [
        (true, custom, 1, true),
        (true, none, 1, false),
        (true, custom, 2, false),
        (true, custom | suspending, 1, false),
        (false, none, 1, false),
    ];
    for (begins, flags, times, is_fine) in cases {
        let commands = lab.command_buffer();
        let info = vk::RenderingInfo::builder().flags(flags).layer_count(1);
        let ended = unsafe {
            lab.device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .expect("begins");
            if begins {
                lab.device.cmd_begin_rendering(commands, &info);
            }
            (0..times).for_each(|_| lab.device.cmd_begin_custom_resolve_ext(commands, None));
            if begins {
                lab.device.cmd_end_rendering(commands);
            }
            lab.device.end_command_buffer(commands)
        };
        assert_eq!(ended.is_ok(), is_fine, "{begins} {flags:?} {times}");
    }
}
