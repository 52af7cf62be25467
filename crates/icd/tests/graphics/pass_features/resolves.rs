//! Commands that resolve depth and stencil, each in a way of its own (`VK_KHR_maintenance10`).

use super::*;

/// Draws a depth and a stencil value to some of four samples of each pixel, by pipelines of these.
fn sampled(gpu: &Gpu, samples: &[(u32, f32, u32)]) -> Target {
    let target = Target::with_samples(gpu, DEPTH, vk::SampleCountFlags::_4);
    let fragment = depth_of_push();
    let made: Vec<_> = samples
        .iter()
        .map(|&(mask, _, reference)| {
            let face = vk::StencilOpState {
                pass_op: vk::StencilOp::REPLACE,
                compare_op: vk::CompareOp::ALWAYS,
                write_mask: 0xff,
                reference,
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
            let plan = Plan {
                fragment: &fragment,
                colors: &[],
                depth: DEPTH,
                samples: vk::SampleCountFlags::_4,
                mask,
                tests,
                ..Plan::default()
            };
            pipeline(gpu, &plan)
        })
        .collect();
    let depths = attachment(target.view);
    let info = vk::RenderingInfo::builder()
        .render_area(area())
        .layer_count(1)
        .depth_attachment(&depths)
        .stencil_attachment(&depths);
    gpu.run(|commands| unsafe {
        gpu.device.cmd_begin_rendering(commands, &info);
        for (&made, (_, depth, _)) in made.iter().zip(samples) {
            draw(gpu, commands, made, [*depth, 0.0, 0.0, 0.0]);
        }
        gpu.device.cmd_end_rendering(commands);
    });
    destroy(gpu, made);
    target
}

#[test]
fn depth_and_stencil_are_resolved_by_commands() {
    let mut features =
        vk::PhysicalDeviceMaintenance10FeaturesKHR { maintenance10: vk::TRUE, ..Default::default() };
    let gpu = device(&[c"VK_KHR_maintenance10"], from_mut(&mut features).cast());
    let from = sampled(&gpu, &[(0b0001, 0.5, 5), (0b0110, 0.25, 3), (0b1000, 0.75, 9)]);
    let to = Target::new(&gpu, DEPTH);
    type Mode = vk::ResolveModeFlags;
    for (of_depth, of_stencil, depth, stencil) in [
        (Mode::SAMPLE_ZERO, Mode::MAX, 0.5, 9),
        (Mode::MIN, Mode::SAMPLE_ZERO, 0.25, 5),
        (Mode::MAX, Mode::MIN, 0.75, 3),
        (Mode::AVERAGE, Mode::MIN, 0.4375, 3),
    ] {
        let modes = vk::ResolveImageModeInfoKHR {
            resolve_mode: of_depth,
            stencil_resolve_mode: of_stencil,
            ..Default::default()
        };
        let layers = vk::ImageSubresourceLayers { aspect_mask: both(), layer_count: 1, ..Default::default() };
        let region = vk::ImageResolve2::builder()
            .src_subresource(layers)
            .dst_subresource(layers)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 });
        let mut info = vk::ResolveImageInfo2::builder()
            .src_image(from.image)
            .src_image_layout(GENERAL)
            .dst_image(to.image)
            .dst_image_layout(GENERAL)
            .regions(slice::from_ref(&region))
            .build();
        info.next = (&raw const modes).cast();
        gpu.run(|commands| unsafe { gpu.device.cmd_resolve_image2(commands, &info) });
        let at = (SIZE * (SIZE - 1)) as usize;
        let depths = to.bytes(&gpu, vk::ImageAspectFlags::DEPTH);
        assert_eq!(depths[4 * at..4 * at + 4], f32::to_ne_bytes(depth), "{of_depth:?}");
        assert_eq!(to.bytes(&gpu, vk::ImageAspectFlags::STENCIL)[at], stencil, "{of_stencil:?}");
    }
    from.destroy(&gpu);
    to.destroy(&gpu);
}
