//! Attachments that pipelines or renderings lack.

use super::*;

/// A pipeline with attachments that the rendering lacks draws to the others, and so does one without those
/// that the rendering has.
#[test]
fn attachments_may_be_unused_on_either_side() {
    let mut features = vk::PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT::builder()
        .dynamic_rendering_unused_attachments(true);
    let gpu = device(&[c"VK_EXT_dynamic_rendering_unused_attachments"], from_mut(&mut features).cast());
    let device = &gpu.device;
    let colors = [(); 2].map(|()| Target::new(&gpu, COLOR));
    let depth = Target::new(&gpu, DEPTH);
    let formats: [(&[vk::Format], vk::Format); 4] = [
        (&[COLOR], DEPTH),
        (&[COLOR, vk::Format::R32_UINT], vk::Format::UNDEFINED),
        (&[COLOR, vk::Format::UNDEFINED], DEPTH),
        (&[COLOR, COLOR], vk::Format::UNDEFINED),
    ];
    let made = formats.map(|(colors, depth)| pipeline(&gpu, &Plan { colors, depth, ..Plan::default() }));
    // Of the rendering: whether it has the second colour, and depths.
    for (number, (second, has_depth)) in
        (1u8..).zip([(false, false), (true, false), (false, true), (true, true)])
    {
        for (at, &made) in made.iter().enumerate() {
            if second && at == 1 {
                // The formats of what both have must be the same.
                continue;
            }
            let of_second = if second { colors[1].view } else { vk::ImageView::null() };
            let attachments = [attachment(colors[0].view), attachment(of_second)];
            let depths = attachment(depth.view);
            let mut info = vk::RenderingInfo::builder()
                .render_area(area())
                .layer_count(1)
                .color_attachments(&attachments);
            if has_depth {
                info = info.depth_attachment(&depths).stencil_attachment(&depths);
            }
            gpu.run(|commands| unsafe {
                device.cmd_begin_rendering(commands, &info);
                draw(&gpu, commands, made, [f32::from(number) / 255.0, 0.0, 0.0, 1.0]);
                device.cmd_end_rendering(commands);
            });
            assert_eq!(colors[0].corners(&gpu), [number, 0], "{second} {has_depth} {at}");
        }
    }
    destroy(&gpu, made);
    colors.into_iter().for_each(|color| color.destroy(&gpu));
    depth.destroy(&gpu);
}
