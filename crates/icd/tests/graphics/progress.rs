//! Waiting for presentations, giving images back, and what graphics pipelines were compiled to.

use pyro_test_kit::Client;
use pyro_test_kit::graphics::{Context, area};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtHeadlessSurfaceExtensionInstanceCommands as _,
    KhrGetSurfaceCapabilities2ExtensionInstanceCommands as _,
    KhrPipelineExecutablePropertiesExtensionDeviceCommands as _, KhrPresentWait2ExtensionDeviceCommands as _,
    KhrPresentWaitExtensionDeviceCommands as _, KhrSharedPresentableImageExtensionDeviceCommands as _,
    KhrSurfaceExtensionInstanceCommands as _, KhrSwapchainExtensionDeviceCommands as _,
    KhrSwapchainMaintenance1ExtensionDeviceCommands as _,
};

#[test]
fn presentations_are_waited_for_by_id_and_fence() {
    let context = Context::with(&[
        c"VK_KHR_present_id",
        c"VK_KHR_present_id2",
        c"VK_KHR_present_wait",
        c"VK_KHR_present_wait2",
        c"VK_KHR_swapchain_maintenance1",
    ]);
    let device = &context.device;
    unsafe {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface = context.instance.create_headless_surface_ext(&info, None).expect("a surface");
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];

        // What the surface says of it.
        let mut modes = [vk::PresentModeKHR::default(); 8];
        let mut compatible = vk::SurfacePresentModeCompatibilityKHR {
            present_mode_count: 8,
            present_modes: modes.as_mut_ptr(),
            ..Default::default()
        };
        let mut wait = vk::SurfaceCapabilitiesPresentWait2KHR::default();
        let mut capabilities =
            vk::SurfaceCapabilities2KHR::builder().push_next(&mut compatible).push_next(&mut wait).build();
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::builder().surface(surface);
        context
            .instance
            .get_physical_device_surface_capabilities2_khr(physical_device, &info, &mut capabilities)
            .expect("capabilities");
        assert_eq!(wait.present_wait2_supported, vk::TRUE);
        let modes = &modes[..compatible.present_mode_count as usize];
        let known = context.instance.get_physical_device_surface_present_modes_khr(physical_device, surface);
        // But for that of one image, which swapchains keep.
        let mut known = known.expect("modes");
        known.retain(|mode| *mode != vk::PresentModeKHR::SHARED_DEMAND_REFRESH);
        assert_eq!(modes, known);

        let format = context
            .instance
            .get_physical_device_surface_formats_khr(physical_device, surface)
            .expect("formats")[0];
        let info = vk::SwapchainCreateInfoKHR::builder()
            .surface(surface)
            .min_image_count(2)
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(area().extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchain = device.create_swapchain_khr(&info, None).expect("a swapchain");
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let acquire = || {
            let null = vk::Semaphore::null();
            device.acquire_next_image_khr(swapchain, u64::MAX, null, vk::Fence::null()).expect("an image").0
        };
        for (id, second) in [(3, false), (5, true)] {
            let waited = device.wait_for_present_khr(swapchain, id, 1000);
            assert_eq!(waited.expect("no error"), vk::SuccessCode::TIMEOUT);
            let index = acquire();
            let mut ids = vk::PresentIdKHR::builder().present_ids(slice::from_ref(&id));
            let mut ids2 = vk::PresentId2KHR::builder().present_ids(slice::from_ref(&id));
            let mut fences = vk::SwapchainPresentFenceInfoKHR::builder().fences(slice::from_ref(&fence));
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&swapchain))
                .image_indices(slice::from_ref(&index))
                .push_next(&mut fences);
            let info = if second { info.push_next(&mut ids2) } else { info.push_next(&mut ids) };
            device.queue_present_khr(context.queue, &info).expect("presented");
            let waited = if second {
                let info = vk::PresentWait2InfoKHR::builder().present_id(id).timeout(u64::MAX);
                device.wait_for_present2_khr(swapchain, &info)
            } else {
                device.wait_for_present_khr(swapchain, id, u64::MAX)
            };
            assert_eq!(waited.expect("waited"), vk::SuccessCode::SUCCESS);
            device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
            device.reset_fences(&[fence]).expect("reset");
        }

        // Images come back without being presented.
        let taken = [acquire(), acquire()];
        let none = device.acquire_next_image_khr(swapchain, 0, vk::Semaphore::null(), vk::Fence::null());
        assert_eq!(none.expect("no error").1, vk::SuccessCode::NOT_READY);
        let info = vk::ReleaseSwapchainImagesInfoKHR::builder().swapchain(swapchain).image_indices(&taken);
        device.release_swapchain_images_khr(&info).expect("released");
        assert_eq!([acquire(), acquire()], taken);

        device.destroy_fence(fence, None);
        device.destroy_swapchain_khr(swapchain, None);
        context.instance.destroy_surface_khr(surface, None);
    }
}

#[test]
fn a_shared_image_stays_acquired() {
    let shared = vk::PresentModeKHR::SHARED_DEMAND_REFRESH;
    let context =
        Context::with(&[c"VK_KHR_shared_presentable_image", c"VK_KHR_present_id", c"VK_KHR_present_wait"]);
    let (device, instance) = (&context.device, &context.instance);
    unsafe {
        let surface = instance.create_headless_surface_ext(&Default::default(), None).expect("a surface");
        let mut usage = vk::SharedPresentSurfaceCapabilitiesKHR::default();
        let mut capabilities = vk::SurfaceCapabilities2KHR::builder().push_next(&mut usage).build();
        let mut mode = vk::SurfacePresentModeKHR::builder().present_mode(shared);
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::builder().surface(surface).push_next(&mut mode);
        instance
            .get_physical_device_surface_capabilities2_khr(context.physical_device, &info, &mut capabilities)
            .expect("capabilities");
        let of_surface = capabilities.surface_capabilities;
        assert_eq!((of_surface.min_image_count, of_surface.max_image_count), (1, 1));
        let color = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        assert!(usage.shared_present_supported_usage_flags.contains(color));
        let create = |count| {
            let info = vk::SwapchainCreateInfoKHR::builder()
                .surface(surface)
                .min_image_count(count)
                .image_format(vk::Format::B8G8R8A8_UNORM)
                .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
                .image_extent(area().extent)
                .image_array_layers(1)
                .image_usage(color)
                .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                .present_mode(shared);
            device.create_swapchain_khr(&info, None)
        };
        assert!(create(2).is_err());
        let swapchain = create(1).expect("a swapchain");
        assert_eq!(device.get_swapchain_images_khr(swapchain).expect("images").len(), 1);
        let acquire = || {
            device
                .acquire_next_image_khr(swapchain, 0, vk::Semaphore::null(), vk::Fence::null())
                .expect("fine")
        };
        assert_eq!(acquire(), (0, vk::SuccessCode::SUCCESS));
        for id in [1, 2] {
            let mut ids = vk::PresentIdKHR::builder().present_ids(slice::from_ref(&id));
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&swapchain))
                .image_indices(&[0])
                .push_next(&mut ids);
            device.queue_present_khr(context.queue, &info).expect("presented");
            device.wait_for_present_khr(swapchain, id, u64::MAX).expect("waited");
            assert_eq!(acquire().1, vk::SuccessCode::NOT_READY);
            assert_eq!(device.get_swapchain_status_khr(swapchain).expect("fits"), vk::SuccessCode::SUCCESS);
        }
        device.destroy_swapchain_khr(swapchain, None);
        instance.destroy_surface_khr(surface, None);
    }
}

/// A swapchain whose images have views of another format and are presented by regions, in a mode that was
/// found without a surface.
#[test]
fn swapchains_of_mutable_formats_are_presented_by_regions() {
    let client = Client::new(
        vk::make_version(1, 2, 0),
        &[c"VK_KHR_surface", c"VK_EXT_headless_surface", c"VK_GOOGLE_surfaceless_query"],
    );
    let mut feature = vk::PhysicalDevicePresentModeFifoLatestReadyFeaturesKHR::builder()
        .present_mode_fifo_latest_ready(true);
    let extensions = [
        c"VK_KHR_swapchain",
        c"VK_KHR_swapchain_mutable_format",
        c"VK_KHR_incremental_present",
        c"VK_KHR_present_mode_fifo_latest_ready",
    ];
    let gpu = client.device(&extensions, None, (&raw mut feature).cast());
    let (device, instance) = (&gpu.device, &gpu.instance);
    unsafe {
        let surface = instance.create_headless_surface_ext(&Default::default(), None).expect("a surface");
        let none = vk::SurfaceKHR::null();
        let modes = instance.get_physical_device_surface_present_modes_khr(gpu.physical_device, none);
        let mode = vk::PresentModeKHR::FIFO_LATEST_READY;
        assert!(modes.expect("modes").contains(&mode));
        let formats = instance.get_physical_device_surface_formats_khr(gpu.physical_device, none);
        let of_surface = instance.get_physical_device_surface_formats_khr(gpu.physical_device, surface);
        assert_eq!(formats.expect("formats"), of_surface.expect("formats"));
        let formats = [vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB];
        let mut list = vk::ImageFormatListCreateInfo::builder().view_formats(&formats);
        let info = vk::SwapchainCreateInfoKHR::builder()
            .flags(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT)
            .surface(surface)
            .min_image_count(2)
            .image_format(formats[0])
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(area().extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(mode)
            .push_next(&mut list);
        let swapchain = device.create_swapchain_khr(&info, None).expect("a swapchain");
        let images = device.get_swapchain_images_khr(swapchain).expect("images");
        let view = |image, format| {
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(format)
                .subresource_range(range);
            device.create_image_view(&info, None)
        };
        let views = formats.map(|format| view(images[0], format).expect("a view"));
        let index = device
            .acquire_next_image_khr(swapchain, u64::MAX, vk::Semaphore::null(), vk::Fence::null())
            .expect("an image")
            .0;
        let rectangle =
            vk::RectLayerKHR { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
        let region = vk::PresentRegionKHR { rectangle_count: 1, rectangles: &raw const rectangle };
        let mut regions = vk::PresentRegionsKHR::builder().regions(slice::from_ref(&region));
        let info = vk::PresentInfoKHR::builder()
            .swapchains(slice::from_ref(&swapchain))
            .image_indices(slice::from_ref(&index))
            .push_next(&mut regions);
        let presented = device.queue_present_khr(gpu.queue, &info).expect("presented");
        assert_eq!(presented, vk::SuccessCode::SUCCESS);
        device.device_wait_idle().expect("idle");
        views.into_iter().for_each(|view| device.destroy_image_view(view, None));
        device.destroy_swapchain_khr(swapchain, None);
        instance.destroy_surface_khr(surface, None);
    }
}

#[test]
fn graphics_pipelines_show_what_they_were_compiled_to() {
    let context = Context::with(&[c"VK_KHR_pipeline_executable_properties"]);
    let device = &context.device;
    let (pipeline, layout) = context.pipeline(vk::Format::R8G8B8A8_UNORM);
    unsafe {
        let info = vk::PipelineInfoKHR::builder().pipeline(pipeline);
        let all = device.get_pipeline_executable_properties_khr(&info).expect("executables");
        let names: Vec<_> = all.iter().map(|one| one.name.to_string_lossy().into_owned()).collect();
        assert_eq!(names[..3], ["vertex", "fragment", "fragment, packed"]);
        assert_eq!(all[0].stages, vk::ShaderStageFlags::VERTEX);
        assert!(all[1..].iter().all(|one| one.stages == vk::ShaderStageFlags::FRAGMENT));
        for index in 0..all.len() as u32 {
            let info = vk::PipelineExecutableInfoKHR::builder().pipeline(pipeline).executable_index(index);
            let figures = device.get_pipeline_executable_statistics_khr(&info).expect("figures");
            let figure = |name: &str| {
                figures
                    .iter()
                    .find(|figure| figure.name.to_string_lossy() == name)
                    .map(|figure| figure.value.u64)
            };
            assert_eq!(figure("subgroup size"), Some(16));
        }
        let info =
            vk::PipelineExecutableInfoKHR::builder().pipeline(pipeline).executable_index(all.len() as u32);
        assert!(device.get_pipeline_executable_statistics_khr(&info).is_err());
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
    }
}
