//! Draws and presentation through the entry points, in this process.

use pyro_test_kit::graphics::{Context, SIZE, area};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtHeadlessSurfaceExtensionInstanceCommands as _, KhrSurfaceExtensionInstanceCommands as _,
    KhrSwapchainExtensionDeviceCommands as _,
};

#[test]
fn triangles_cover_what_they_should_and_queries_count_it() {
    let context = Context::with(&[]);
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    unsafe {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let image = device.create_image(&info, None).expect("an image");
        let needs = device.get_image_memory_requirements(image);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let flags = vk::MemoryMapFlags::empty();
        let bytes = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u8>();
        let view = context.view(image, format);
        let pipeline = context.pipeline(format);
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let queries = device.create_query_pool(&info, None).expect("a query pool");

        context.begin();
        device.cmd_reset_query_pool(context.commands, queries, 0, 1);
        device.cmd_begin_query(context.commands, queries, 0, vk::QueryControlFlags::PRECISE);
        context.draw(view, pipeline, [1.0, 0.0, 0.0, 1.0]);
        device.cmd_end_query(context.commands, queries, 0);
        context.submit();
        device.queue_wait_idle(context.queue).expect("idle");

        let subresource =
            vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::COLOR, ..Default::default() };
        let place = device.get_image_subresource_layout(image, &subresource);
        let mut covered = 0;
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
            let at = place.offset as usize + (u64::from(y) * place.row_pitch) as usize + 4 * x as usize;
            let texel = [0, 1, 2, 3].map(|index| *bytes.add(at + index));
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
        device.destroy_image_view(view, None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
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
            context.begin();
            context.draw(views[index as usize], pipeline, [0.0, 1.0, 0.0, 1.0]);
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
        assert!(seen.iter().all(|&count| count == 3), "{seen:?}");
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

/// Bytes of this process that are in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: u64 = text.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number");
    pages * 4096
}

/// How many frames [`frames_and_resizes_keep_memory_flat`] draws: `PYRO_FRAMES`, or few.
fn frame_count() -> u32 {
    std::env::var("PYRO_FRAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(600)
}

#[test]
fn frames_and_resizes_keep_memory_flat() {
    let context = Context::with(&[]);
    let device = &context.device;
    let count = frame_count();
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
            context.begin();
            context.draw(views[index as usize], pipeline, [0.0, 1.0, 0.0, 1.0]);
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
            if frame == count / 3 {
                early = resident();
            }
        }
        let late = resident();
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
