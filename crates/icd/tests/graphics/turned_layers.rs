//! Turned render passes (`VK_QCOM_render_pass_transform`) with several layers, with resolves of depth, and on
//! several physical devices.

use crate::region_counters::layered_vertex;
use crate::turned_passes::{
    DEPTHS, FLOATS, Hidden, TRANSFORMS, UPRIGHT, area, gpu, pipeline_of, place, places, turned,
};
use pyro_test_environment::in_child;
use pyro_test_kit::Gpu;
use pyro_test_kit::graphics::{GENERAL, VERTEX};
use std::ptr::from_ref;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const LAYERS: u32 = 2;

fn reference(attachment: u32) -> vk::AttachmentReference2 {
    vk::AttachmentReference2 { attachment, layout: GENERAL, ..Default::default() }
}

fn cleared(format: vk::Format, samples: u32) -> vk::AttachmentDescription2 {
    vk::AttachmentDescription2 {
        format,
        samples: vk::SampleCountFlags::from_bits_truncate(samples),
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        final_layout: GENERAL,
        ..Default::default()
    }
}

/// A render pass that may be turned, of a colour and depth with so many samples; of several, depth is
/// resolved to a third attachment.
fn pass(gpu: &Gpu, samples: u32) -> vk::RenderPass {
    let (color, depth, resolved) = ([reference(0)], reference(1), reference(2));
    let resolve = vk::SubpassDescriptionDepthStencilResolve {
        depth_resolve_mode: vk::ResolveModeFlags::SAMPLE_ZERO,
        depth_stencil_resolve_attachment: from_ref(&resolved),
        ..Default::default()
    };
    let mut subpass =
        vk::SubpassDescription2::builder().color_attachments(&color).depth_stencil_attachment(&depth);
    let mut attachments = vec![cleared(FLOATS, samples), cleared(DEPTHS, samples)];
    if samples > 1 {
        subpass.next = from_ref(&resolve).cast();
        attachments.push(cleared(DEPTHS, 1));
    }
    let info = vk::RenderPassCreateInfo2::builder()
        .flags(vk::RenderPassCreateFlags::TRANSFORM_QCOM)
        .attachments(&attachments)
        .subpasses(slice::from_ref(&subpass));
    unsafe { gpu.device.create_render_pass2(&info, None).expect("a render pass") }
}

fn framebuffer(
    gpu: &Gpu,
    pass: vk::RenderPass,
    views: &[vk::ImageView],
    ([width, height], layers): ([u32; 2], u32),
) -> vk::Framebuffer {
    let info = vk::FramebufferCreateInfo::builder()
        .render_pass(pass)
        .attachments(views)
        .width(width)
        .height(height)
        .layers(layers);
    unsafe { gpu.device.create_framebuffer(&info, None).expect("a framebuffer") }
}

/// Begins an instance whose colours are cleared to 9 and whose depth is to 1.
fn begin(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    (pass, framebuffer): (vk::RenderPass, vk::Framebuffer),
    transform: vk::SurfaceTransformFlagsKHR,
    next: *const std::ffi::c_void,
) {
    let turned = vk::RenderPassTransformBeginInfoQCOM { transform, next, ..Default::default() };
    let depth = vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } };
    let clears = [vk::ClearValue { color: vk::ClearColorValue { float32: [9.0; 4] } }, depth, depth];
    let mut info = vk::RenderPassBeginInfo::builder()
        .render_pass(pass)
        .framebuffer(framebuffer)
        .render_area(area(UPRIGHT))
        .clear_values(&clears);
    info.next = from_ref(&turned).cast();
    unsafe { gpu.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE) };
}

/// Draws a triangle that covers everything, at a depth and in a layer, within a scissor.
fn draw(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    pipeline: vk::Pipeline,
    (depth, layer): (f32, u32),
    scissor: vk::Rect2D,
) {
    let viewport =
        vk::Viewport { x: 0.0, y: -400.0, width: 500.0, height: 500.0, min_depth: depth, max_depth: depth };
    unsafe {
        gpu.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        gpu.device.cmd_set_viewport(commands, 0, &[viewport]);
        gpu.device.cmd_set_scissor(commands, 0, &[scissor]);
        gpu.device.cmd_draw(commands, 3, 1, 0, layer);
    }
}

fn rect(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

fn is_inside(rect: &vk::Rect2D, [x, y]: [u32; 2]) -> bool {
    let from = [rect.offset.x, rect.offset.y].map(|from| from as u32);
    (from[0]..from[0] + rect.extent.width).contains(&x)
        && (from[1]..from[1] + rect.extent.height).contains(&y)
}

/// The pixels of an image, by layer: so many floats each.
fn read(
    gpu: &Gpu,
    image: &Hidden,
    aspect_mask: vk::ImageAspectFlags,
    ([width, height], layers): ([u32; 2], u32),
    floats: u32,
) -> Vec<f32> {
    let count = (width * height * layers * floats) as usize;
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let (buffer, memory, bytes) = gpu.mapped_buffer(4 * count as u64, usage);
    let region = vk::BufferImageCopy {
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask,
            layer_count: layers,
            ..Default::default()
        },
        image_extent: vk::Extent3D { width, height, depth: 1 },
        ..Default::default()
    };
    gpu.run(|commands| unsafe {
        gpu.device.cmd_copy_image_to_buffer(commands, image.image, GENERAL, buffer, &[region]);
    });
    let found = (0..count).map(|at| unsafe { bytes.cast::<f32>().add(at).read() }).collect();
    unsafe {
        gpu.device.destroy_buffer(buffer, None);
        gpu.device.free_memory(memory, None);
    }
    found
}

fn pixels() -> impl Iterator<Item = [u32; 2]> {
    (0..UPRIGHT[1]).flat_map(|y| (0..UPRIGHT[0]).map(move |x| [x, y]))
}

/// A device that draws to layers, of all physical devices.
fn layered_gpu() -> Gpu {
    let client = pyro_test_kit::Client::new(vk::make_version(1, 3, 0), &[]);
    let devices = unsafe { client.instance.enumerate_physical_devices() }.expect("devices");
    let mut v1_2 = vk::PhysicalDeviceVulkan12Features::builder().shader_output_layer(true);
    let mut group = vk::DeviceGroupDeviceCreateInfo::builder().physical_devices(&devices);
    group.next = (&raw mut v1_2).cast();
    client.device(&[c"VK_QCOM_render_pass_transform"], None, (&raw mut group).cast())
}

/// Draws to two layers, each within a rectangle of its own, and looks at all pixels of both; `next` is the
/// chain of the beginning.
fn draw_layers(gpu: &Gpu, next: *const std::ffi::c_void, is_drawn: &dyn Fn(usize, [u32; 2]) -> bool) {
    let pass = pass(gpu, 1);
    let pipeline = pipeline_of(gpu, pass, [&layered_vertex(), &places().text()], 1, true);
    for transform in TRANSFORMS {
        let size = turned(UPRIGHT, transform);
        let color = Hidden::layered(gpu, FLOATS, 1, (size, LAYERS));
        let depth = Hidden::layered(gpu, DEPTHS, 1, (size, LAYERS));
        let framebuffer = framebuffer(gpu, pass, &[color.view, depth.view], (size, LAYERS));
        gpu.run(|commands| unsafe {
            begin(gpu, commands, (pass, framebuffer), transform, next);
            for (layer, rect) in (0..).zip(&RECTANGLES) {
                draw(gpu, commands, pipeline, (0.5, layer), *rect);
            }
            gpu.device.cmd_end_render_pass(commands);
        });
        let found = read(gpu, &color, vk::ImageAspectFlags::COLOR, (size, LAYERS), 4);
        let depths = read(gpu, &depth, vk::ImageAspectFlags::DEPTH, (size, LAYERS), 1);
        for layer in 0..LAYERS as usize {
            for at in pixels() {
                let [x, y] = place(at, transform).map(|axis| axis as usize);
                let number = (layer * size[1] as usize + y) * size[0] as usize + x;
                let (new, new_depth) = match is_drawn(layer, at) {
                    true => ([at[0] as f32 + 0.5, at[1] as f32 + 0.5, 3.0, 5.0], 0.5),
                    false => ([0.0; 4], 1.0),
                };
                let name = format!("{transform:?}, layer {layer}, pixel {at:?}");
                assert_eq!(found[4 * number..][..4], new.map(|value| 9.0 + value), "{name}");
                assert_eq!(depths[number], new_depth, "{name}");
            }
        }
        unsafe { gpu.device.destroy_framebuffer(framebuffer, None) };
        color.destroy(gpu);
        depth.destroy(gpu);
    }
    unsafe {
        gpu.device.destroy_pipeline(pipeline, None);
        gpu.device.destroy_render_pass(pass, None);
    }
}

const RECTANGLES: [vk::Rect2D; LAYERS as usize] = [
    vk::Rect2D { offset: vk::Offset2D { x: 3, y: 5 }, extent: vk::Extent2D { width: 70, height: 20 } },
    vk::Rect2D { offset: vk::Offset2D { x: 40, y: 0 }, extent: vk::Extent2D { width: 43, height: 37 } },
];

/// Each layer is turned.
#[test]
fn layers_are_turned() {
    draw_layers(&layered_gpu(), std::ptr::null(), &|layer, at| is_inside(&RECTANGLES[layer], at));
}

/// Devices draw their own parts of what is turned; what no device has is cleared by none and drawn by none.
#[test]
fn parts_of_devices_are_turned() {
    let name = "parts_of_devices_are_turned";
    if !in_child(module_path!(), name, &[("PYROCLAST_DEVICE_GROUP", "2")]) {
        return;
    }
    let gpu = layered_gpu();
    let areas = [rect(0, 0, 50, UPRIGHT[1]), rect(50, 0, UPRIGHT[0] - 50, UPRIGHT[1])];
    let group = vk::DeviceGroupRenderPassBeginInfo::builder().device_mask(0b11).device_render_areas(&areas);
    draw_layers(&gpu, from_ref(&*group).cast(), &|layer, at| is_inside(&RECTANGLES[layer], at));
}

/// Depth that is resolved is turned, too.
#[test]
fn resolved_depth_is_turned() {
    let gpu = gpu();
    let samples = 4;
    let pass = pass(&gpu, samples);
    let pipeline = pipeline_of(&gpu, pass, [VERTEX, &places().text()], samples, true);
    let scissor = rect(10, 3, 61, 31);
    for transform in TRANSFORMS {
        let size = turned(UPRIGHT, transform);
        let color = Hidden::layered(&gpu, FLOATS, samples, (size, 1));
        let depth = Hidden::layered(&gpu, DEPTHS, samples, (size, 1));
        let resolved = Hidden::layered(&gpu, DEPTHS, 1, (size, 1));
        let framebuffer = framebuffer(&gpu, pass, &[color.view, depth.view, resolved.view], (size, 1));
        gpu.run(|commands| unsafe {
            begin(&gpu, commands, (pass, framebuffer), transform, std::ptr::null());
            draw(&gpu, commands, pipeline, (0.25, 0), scissor);
            gpu.device.cmd_end_render_pass(commands);
        });
        let found = read(&gpu, &resolved, vk::ImageAspectFlags::DEPTH, (size, 1), 1);
        for at in pixels() {
            let [x, y] = place(at, transform).map(|axis| axis as usize);
            let expected = if is_inside(&scissor, at) { 0.25 } else { 1.0 };
            assert_eq!(found[y * size[0] as usize + x], expected, "{transform:?}, pixel {at:?}");
        }
        unsafe { gpu.device.destroy_framebuffer(framebuffer, None) };
        color.destroy(&gpu);
        depth.destroy(&gpu);
        resolved.destroy(&gpu);
    }
    unsafe {
        gpu.device.destroy_pipeline(pipeline, None);
        gpu.device.destroy_render_pass(pass, None);
    }
}
