//! Render areas of views (`VK_QCOM_multiview_per_view_render_areas`).

use pyro_test_kit::{Client, Gpu};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const SIZE: u32 = 16;
const VIEWS: u32 = 2;

fn area(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

const WHOLE: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: SIZE, height: SIZE } };

fn device() -> Gpu {
    let mut areas = vk::PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM::builder()
        .multiview_per_view_render_areas(true);
    let mut multiview = vk::PhysicalDeviceVulkan11Features::builder().multiview(true);
    multiview.next = from_mut(&mut areas).cast();
    let mut features = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
    features.next = from_mut(&mut multiview).cast();
    let extensions = [c"VK_QCOM_multiview_per_view_render_areas"];
    Client::new(V1_3, &[]).device(&extensions, None, from_mut(&mut features).cast())
}

/// An image of a layer for each view, zeros, and a view of it.
struct Layers {
    image: vk::Image,
    view: vk::ImageView,
    bytes: *const u8,
    layout: [vk::SubresourceLayout; VIEWS as usize],
}

impl Layers {
    fn new(gpu: &Gpu, samples: vk::SampleCountFlags) -> Layers {
        let tiling = match samples {
            vk::SampleCountFlags::_1 => vk::ImageTiling::LINEAR,
            _ => vk::ImageTiling::OPTIMAL,
        };
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(VIEWS)
            .samples(samples)
            .tiling(tiling)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        unsafe {
            let image = gpu.device.create_image(&info, None).expect("an image");
            let needs = gpu.device.get_image_memory_requirements(image);
            let (memory, bytes) = gpu.mapped_memory(needs);
            bytes.write_bytes(0, needs.size as usize);
            gpu.device.bind_image_memory(image, memory, 0).expect("bound");
            let mut info = vk::ImageViewCreateInfo::builder().image(image).format(FORMAT);
            info.view_type = vk::ImageViewType::_2D_ARRAY;
            info.subresource_range = vk::ImageSubresourceRange {
                aspect_mask: COLOR,
                level_count: 1,
                layer_count: VIEWS,
                ..Default::default()
            };
            let view = gpu.device.create_image_view(&info, None).expect("a view");
            let layout = [0, 1].map(|array_layer| match tiling {
                vk::ImageTiling::LINEAR => {
                    let part = vk::ImageSubresource { aspect_mask: COLOR, array_layer, mip_level: 0 };
                    gpu.device.get_image_subresource_layout(image, &part)
                }
                _ => vk::SubresourceLayout::default(),
            });
            Layers { image, view, bytes, layout }
        }
    }

    /// Whether a pixel of a view is not zero.
    fn is_set(&self, view: usize, x: u32, y: u32) -> bool {
        let layout = self.layout[view];
        let at = layout.offset as usize + (y * layout.row_pitch as u32 + 4 * x) as usize;
        unsafe { self.bytes.add(at).read() != 0 }
    }

    fn check(&self, areas: [vk::Rect2D; 2]) {
        for (view, area) in areas.into_iter().enumerate() {
            for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
                let within = |at: u32, from: i32, size: u32| (from as u32..from as u32 + size).contains(&at);
                let expected = within(x, area.offset.x, area.extent.width)
                    && within(y, area.offset.y, area.extent.height);
                assert_eq!(self.is_set(view, x, y), expected, "view {view}, {x}, {y}");
            }
        }
    }

    fn destroy(self, gpu: &Gpu) {
        unsafe {
            gpu.device.destroy_image_view(self.view, None);
            gpu.device.destroy_image(self.image, None);
        }
    }
}

const RED: vk::ClearValue = vk::ClearValue { color: vk::ClearColorValue { float32: [1.0, 0.0, 0.0, 1.0] } };

fn render(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    drawn: &Layers,
    resolved: Option<&Layers>,
    areas: &[vk::Rect2D],
    view_mask: u32,
) {
    let mut views =
        vk::MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM::builder().per_view_render_areas(areas);
    let mut color = vk::RenderingAttachmentInfo::builder()
        .image_view(drawn.view)
        .image_layout(GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(RED);
    if let Some(resolved) = resolved {
        color = color
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(resolved.view)
            .resolve_image_layout(GENERAL);
    }
    let colors = [color];
    let info = vk::RenderingInfo::builder()
        .render_area(WHOLE)
        .layer_count(1)
        .view_mask(view_mask)
        .color_attachments(&colors)
        .push_next(&mut views);
    unsafe {
        gpu.device.cmd_begin_rendering(commands, &info);
        gpu.device.cmd_end_rendering(commands);
    }
}

#[test]
fn views_are_cleared_and_resolved_in_their_areas() {
    let gpu = device();
    let areas = [area(1, 2, 5, 9), area(8, 0, 8, 16)];
    let cleared = Layers::new(&gpu, vk::SampleCountFlags::_1);
    gpu.run(|commands| render(&gpu, commands, &cleared, None, &areas, 0b11));
    cleared.check(areas);
    // All samples are cleared first, and resolved in the areas alone.
    let (samples, resolved) =
        (Layers::new(&gpu, vk::SampleCountFlags::_4), Layers::new(&gpu, vk::SampleCountFlags::_1));
    gpu.run(|commands| {
        render(&gpu, commands, &samples, None, &[WHOLE; 2], 0b11);
        render(&gpu, commands, &samples, Some(&resolved), &areas, 0b11);
    });
    resolved.check(areas);
    // The next instance has one area for all views again.
    let whole = Layers::new(&gpu, vk::SampleCountFlags::_1);
    gpu.run(|commands| {
        render(&gpu, commands, &cleared, None, &areas, 0b11);
        render(&gpu, commands, &whole, None, &[], 0b11);
    });
    whole.check([WHOLE; 2]);
    [cleared, samples, resolved, whole].into_iter().for_each(|layers| layers.destroy(&gpu));
}

#[test]
fn views_of_render_passes_are_cleared_in_their_areas() {
    let gpu = device();
    let areas = [area(0, 0, 3, 3), area(4, 4, 7, 1)];
    let cleared = Layers::new(&gpu, vk::SampleCountFlags::_1);
    let attachments = [vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::_1,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        stencil_load_op: vk::AttachmentLoadOp::DONT_CARE,
        stencil_store_op: vk::AttachmentStoreOp::DONT_CARE,
        initial_layout: vk::ImageLayout::UNDEFINED,
        final_layout: GENERAL,
        ..Default::default()
    }];
    let colors = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
    let subpasses = [vk::SubpassDescription::builder().color_attachments(&colors)];
    let masks = [0b11];
    let mut multiview = vk::RenderPassMultiviewCreateInfo::builder().view_masks(&masks);
    let info = vk::RenderPassCreateInfo::builder()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .push_next(&mut multiview);
    let views = [cleared.view];
    unsafe {
        let pass = gpu.device.create_render_pass(&info, None).expect("a render pass");
        let info = vk::FramebufferCreateInfo::builder()
            .render_pass(pass)
            .attachments(&views)
            .width(SIZE)
            .height(SIZE)
            .layers(1);
        let framebuffer = gpu.device.create_framebuffer(&info, None).expect("a framebuffer");
        gpu.run(|commands| {
            let mut views = vk::MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM::builder()
                .per_view_render_areas(&areas);
            let clears = [RED];
            let info = vk::RenderPassBeginInfo::builder()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(WHOLE)
                .clear_values(&clears)
                .push_next(&mut views);
            gpu.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            gpu.device.cmd_end_render_pass(commands);
        });
        cleared.check(areas);
        gpu.device.destroy_framebuffer(framebuffer, None);
        gpu.device.destroy_render_pass(pass, None);
    }
    cleared.destroy(&gpu);
}

/// Fewer areas than views, and areas that begin outside, are errors when the recording ends.
#[test]
fn wrong_areas_of_views_are_refused() {
    let gpu = device();
    let cleared = Layers::new(&gpu, vk::SampleCountFlags::_1);
    for (areas, view_mask, is_fine) in [
        (&[WHOLE][..], 0b11, false),
        (&[WHOLE], 0b01, true),
        (&[WHOLE, area(-1, 0, 4, 4)], 0b11, false),
        (&[WHOLE, area(i32::MAX, 0, u32::MAX, 4)], 0b11, true),
    ] {
        let commands = gpu.command_buffer();
        unsafe {
            let info = vk::CommandBufferBeginInfo::default();
            gpu.device.begin_command_buffer(commands, &info).expect("begun");
            render(&gpu, commands, &cleared, None, areas, view_mask);
            assert_eq!(gpu.device.end_command_buffer(commands).is_ok(), is_fine, "{areas:?}");
        }
    }
    cleared.destroy(&gpu);
}
