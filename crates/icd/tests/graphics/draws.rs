//! Draws and presentation through the entry points, in this process.

use pyro_test_environment::{in_child, number};
use pyro_test_kit::LinearImage;
use pyro_test_kit::graphics::{Context, SIZE, area};
use pyro_test_kit::resident_bytes;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtHeadlessSurfaceExtensionInstanceCommands as _, KhrPerformanceQueryExtensionInstanceCommands as _,
    KhrSurfaceExtensionInstanceCommands as _, KhrSwapchainExtensionDeviceCommands as _,
};

#[test]
fn triangles_cover_what_they_should_and_queries_count_it() {
    let context = Context::with(&[]);
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    unsafe {
        let target = LinearImage::new(&context, format, [SIZE; 2], vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let pipeline = context.pipeline(format);
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let queries = device.create_query_pool(&info, None).expect("a query pool");

        context.begin();
        device.cmd_reset_query_pool(context.commands, queries, 0, 1);
        device.cmd_begin_query(context.commands, queries, 0, vk::QueryControlFlags::PRECISE);
        context.draw(target.view, pipeline, [1.0, 0.0, 0.0, 1.0]);
        device.cmd_end_query(context.commands, queries, 0);
        context.submit();
        device.queue_wait_idle(context.queue).expect("idle");

        let mut covered = 0;
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
            let texel: [u8; 4] = target.texel(x, y, 4);
            // The edge goes through the centres of the diagonal's pixels, and is a top edge or right edge.
            if x != y {
                let expected = if x < y { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
                assert_eq!(texel, expected, "{x} {y}");
            }
            covered += u64::from(texel[0] == 255);
        }
        let mut samples = [0_u8; 8];
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
        device.get_query_pool_results(queries, 0, 1, &mut samples, 8, flags).expect("a result");
        assert_eq!(u64::from_ne_bytes(samples), covered);

        device.destroy_query_pool(queries, None);
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
        target.destroy(&context);
    }
}

/// Without an occlusion query, too, the counter of samples says what it did.
#[test]
fn performance_queries_count_draws() {
    let context = Context::with(&[c"VK_KHR_performance_query"]);
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    unsafe {
        let target = LinearImage::new(&context, format, [SIZE; 2], vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let pipeline = context.pipeline(format);
        let (_, descriptions) = context
            .instance
            .enumerate_physical_device_queue_family_performance_query_counters_khr(context.physical_device, 0)
            .expect("counters");
        let names =
            ["Samples passed", "Vertices", "Fragment shader invocations", "Compute shader invocations"];
        let indices = names.map(|name| {
            descriptions.iter().position(|one| one.name.to_string() == name).expect("a counter") as u32
        });
        let mut counters = vk::QueryPoolPerformanceCreateInfoKHR::builder().counter_indices(&indices);
        let info = vk::QueryPoolCreateInfo::builder()
            .query_type(vk::QueryType::PERFORMANCE_QUERY_KHR)
            .query_count(1)
            .push_next(&mut counters);
        let queries = device.create_query_pool(&info, None).expect("a query pool");
        context.begin();
        device.cmd_reset_query_pool(context.commands, queries, 0, 1);
        device.cmd_begin_query(context.commands, queries, 0, vk::QueryControlFlags::empty());
        context.draw(target.view, pipeline, [1.0, 0.0, 0.0, 1.0]);
        device.cmd_end_query(context.commands, queries, 0);
        context.submit();
        device.queue_wait_idle(context.queue).expect("idle");
        let mut covered = 0;
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
            covered += u64::from(target.texel::<4>(x, y, 4)[0] == 255);
        }
        let mut bytes = [0_u8; 32];
        let flags = vk::QueryResultFlags::WAIT;
        device.get_query_pool_results(queries, 0, 1, &mut bytes, 32, flags).expect("results");
        let value = |at: usize| u64::from_ne_bytes(bytes[at * 8..][..8].try_into().expect("8 bytes"));
        assert_eq!([value(0), value(1), value(3)], [covered, 3, 0]);
        assert!(value(2) >= covered);
        device.destroy_query_pool(queries, None);
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
        target.destroy(&context);
    }
}

/// Draws to an acquired image of a swapchain, presents it and waits. Semaphores: the image is free, drawn.
fn present(
    context: &Context,
    swapchain: vk::SwapchainKHR,
    (index, view): (u32, vk::ImageView),
    pipeline: (vk::Pipeline, vk::PipelineLayout),
    [free, drawn]: [vk::Semaphore; 2],
) {
    let device = &context.device;
    unsafe {
        context.begin();
        context.draw(view, pipeline, [0.0, 1.0, 0.0, 1.0]);
        device.end_command_buffer(context.commands).expect("ends");
        let info = vk::SubmitInfo::builder()
            .wait_semaphores(slice::from_ref(&free))
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT])
            .command_buffers(slice::from_ref(&context.commands))
            .signal_semaphores(slice::from_ref(&drawn));
        device.queue_submit(context.queue, slice::from_ref(&info), vk::Fence::null()).expect("submitted");
        let info = vk::PresentInfoKHR::builder()
            .wait_semaphores(slice::from_ref(&drawn))
            .swapchains(slice::from_ref(&swapchain))
            .image_indices(slice::from_ref(&index));
        device.queue_present_khr(context.queue, &info).expect("presented");
        device.queue_wait_idle(context.queue).expect("idle");
    }
}

/// Images are acquired by one semaphore while the queue has not come to its waits of before, as SDL's
/// `testvulkan` does: each wait has a signal of its own.
fn signals_come_before_waits(context: &Context, swapchain: vk::SwapchainKHR, free: vk::Semaphore) {
    let device = &context.device;
    unsafe {
        let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let (host, all) = (vk::PipelineStageFlags::HOST, vk::PipelineStageFlags::ALL_COMMANDS);
        context.begin();
        let none: (&[vk::MemoryBarrier], &[vk::BufferMemoryBarrier], &[vk::ImageMemoryBarrier]) =
            (&[], &[], &[]);
        device.cmd_wait_events(context.commands, &[event], host, all, none.0, none.1, none.2);
        device.end_command_buffer(context.commands).expect("ends");
        let held = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&context.commands));
        device.queue_submit(context.queue, slice::from_ref(&held), vk::Fence::null()).expect("submitted");
        let mut taken = Vec::new();
        for fence in [vk::Fence::null(), fence] {
            let image = device.acquire_next_image_khr(swapchain, u64::MAX, free, vk::Fence::null());
            taken.push(image.expect("an image").0);
            let info = vk::SubmitInfo::builder()
                .wait_semaphores(slice::from_ref(&free))
                .wait_dst_stage_mask(slice::from_ref(&all));
            device.queue_submit(context.queue, slice::from_ref(&info), fence).expect("submitted");
        }
        device.set_event(event).expect("set");
        let waited = device.wait_for_fences(&[fence], true, 10_000_000_000).expect("no error");
        assert_eq!(waited, vk::SuccessCode::SUCCESS, "a wait has no signal");
        for index in taken {
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&swapchain))
                .image_indices(slice::from_ref(&index));
            device.queue_present_khr(context.queue, &info).expect("presented");
        }
        device.queue_wait_idle(context.queue).expect("idle");
        device.destroy_fence(fence, None);
        device.destroy_event(event, None);
    }
}

#[test]
fn swapchains_give_their_images_in_turn() {
    let context = Context::with(&[]);
    let device = &context.device;
    unsafe {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface = context.instance.create_headless_surface_ext(&info, None).expect("a surface");
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let limits = context
            .instance
            .get_physical_device_surface_capabilities_khr(physical_device, surface)
            .expect("capabilities");
        let format = context
            .instance
            .get_physical_device_surface_formats_khr(physical_device, surface)
            .expect("formats")[0];
        let info = vk::SwapchainCreateInfoKHR::builder()
            .surface(surface)
            .min_image_count(limits.min_image_count)
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(area().extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchain = device.create_swapchain_khr(&info, None).expect("a swapchain");
        let images = device.get_swapchain_images_khr(swapchain).expect("images");
        let views: Vec<_> = images.iter().map(|&image| context.view(image, format.format)).collect();
        let pipeline = context.pipeline(format.format);
        let info = vk::SemaphoreCreateInfo::default();
        let [free, drawn] = [(); 2].map(|()| device.create_semaphore(&info, None).expect("a semaphore"));
        let mut seen = vec![0; images.len()];
        for _ in 0..3 * images.len() {
            let (index, _) = device
                .acquire_next_image_khr(swapchain, u64::MAX, free, vk::Fence::null())
                .expect("an image");
            seen[index as usize] += 1;
            present(&context, swapchain, (index, views[index as usize]), pipeline, [free, drawn]);
        }
        assert!(seen.iter().all(|&count| count == 3), "{seen:?}");
        signals_come_before_waits(&context, swapchain, free);
        // All images are taken: nothing more comes.
        for _ in &images {
            device
                .acquire_next_image_khr(swapchain, 0, vk::Semaphore::null(), vk::Fence::null())
                .expect("an image");
        }
        let none = device.acquire_next_image_khr(swapchain, 1000, vk::Semaphore::null(), vk::Fence::null());
        assert_eq!(none.expect("no error").1, vk::SuccessCode::TIMEOUT);
        views.into_iter().for_each(|view| device.destroy_image_view(view, None));
        [free, drawn].into_iter().for_each(|semaphore| device.destroy_semaphore(semaphore, None));
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
        device.destroy_swapchain_khr(swapchain, None);
        context.instance.destroy_surface_khr(surface, None);
    }
}

/// `PYRO_FRAMES` sets how many frames are drawn (default 600).
#[test]
fn frames_and_resizes_keep_memory_flat() {
    if !in_child(module_path!(), "frames_and_resizes_keep_memory_flat", &[]) {
        return;
    }
    let context = Context::with(&[]);
    let device = &context.device;
    let count = number("PYRO_FRAMES", 600_u32);
    unsafe {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface = context.instance.create_headless_surface_ext(&info, None).expect("a surface");
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let format = context
            .instance
            .get_physical_device_surface_formats_khr(physical_device, surface)
            .expect("formats")[0];
        let info = vk::SemaphoreCreateInfo::default();
        let [free, drawn] = [(); 2].map(|()| device.create_semaphore(&info, None).expect("a semaphore"));
        let mut swapchain = vk::SwapchainKHR::null();
        let mut views = Vec::new();
        let mut pipeline = (vk::Pipeline::null(), vk::PipelineLayout::null());
        let mut early = 0;
        for frame in 0..count {
            if frame % 20 == 0 {
                // A window of another size: everything that belongs to the size is made anew.
                views.drain(..).for_each(|view| device.destroy_image_view(view, None));
                device.destroy_pipeline(pipeline.0, None);
                device.destroy_pipeline_layout(pipeline.1, None);
                let side = 256 + 16 * (frame / 20 % 7);
                let info = vk::SwapchainCreateInfoKHR::builder()
                    .surface(surface)
                    .min_image_count(3)
                    .image_format(format.format)
                    .image_color_space(format.color_space)
                    .image_extent(vk::Extent2D { width: side, height: side + 32 })
                    .image_array_layers(1)
                    .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
                    .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                    .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                    .present_mode(vk::PresentModeKHR::FIFO)
                    .old_swapchain(swapchain);
                let new = device.create_swapchain_khr(&info, None).expect("a swapchain");
                device.destroy_swapchain_khr(swapchain, None);
                swapchain = new;
                let images = device.get_swapchain_images_khr(swapchain).expect("images");
                views.extend(images.iter().map(|&image| context.view(image, format.format)));
                pipeline = context.pipeline(format.format);
            }
            let (index, _) = device
                .acquire_next_image_khr(swapchain, u64::MAX, free, vk::Fence::null())
                .expect("an image");
            present(&context, swapchain, (index, views[index as usize]), pipeline, [free, drawn]);
            if frame == count / 3 {
                early = resident_bytes();
            }
        }
        let late = resident_bytes();
        println!("{count} frames: {early} bytes resident after a third, {late} at the end");
        assert!(late < early + (4 << 20), "{early} bytes after a third of the frames, {late} at the end");
        views.into_iter().for_each(|view| device.destroy_image_view(view, None));
        [free, drawn].into_iter().for_each(|semaphore| device.destroy_semaphore(semaphore, None));
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
        device.destroy_swapchain_khr(swapchain, None);
        context.instance.destroy_surface_khr(surface, None);
    }
}
