//! Attachments whose contents are undefined behind a render pass, in the memory of captures and replays.

use pyro_test_environment::in_child;
use pyro_test_kit::LinearImage;
use pyro_test_kit::graphics::{Context, GENERAL};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

const WIDTH: u32 = 1024;
const HEIGHT: u32 = 512;

/// Texels that a clear without a store leaves to the host.
fn cleared() -> usize {
    let context = Context::with(&[]);
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let image = LinearImage::new(&context, format, [WIDTH, HEIGHT], usage);
    let red = vk::ClearValue { color: vk::ClearColorValue { float32: [1.0, 0.0, 0.0, 1.0] } };
    let attachment = vk::RenderingAttachmentInfo::builder()
        .image_view(image.view)
        .image_layout(GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::DONT_CARE)
        .clear_value(red);
    let extent = vk::Extent2D { width: WIDTH, height: HEIGHT };
    let info = vk::RenderingInfo::builder()
        .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent })
        .layer_count(1)
        .color_attachments(slice::from_ref(&attachment));
    unsafe {
        context.begin();
        device.cmd_begin_rendering_khr(context.commands, &info);
        device.cmd_end_rendering_khr(context.commands);
        context.submit();
        device.queue_wait_idle(context.queue).expect("idle");
    }
    let texels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    let red = texels.filter(|&(x, y)| image.texel::<4>(x, y, 4) == [255, 0, 0, 255]).count();
    image.destroy(&context);
    red
}

#[test]
fn they_are_written_where_a_replay_has_to_find_the_same() {
    if !in_child(
        module_path!(),
        "they_are_written_where_a_replay_has_to_find_the_same",
        &[("PYROCLAST_THREADS", "2")],
    ) {
        return;
    }
    let all = (WIDTH * HEIGHT) as usize;
    let before = cleared();
    pyroclast_icd::keep_dropped_attachments();
    assert_eq!(cleared(), all);
    // Otherwise nothing here tells the two apart.
    assert!(before < all, "{before} texels are written without need");
}
