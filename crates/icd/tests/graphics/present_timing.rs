//! Swapchains that report when images were presented and show them at times (`VK_EXT_present_timing`,
//! `VK_GOOGLE_display_timing`), and swapchains that are rendered to with several samples
//! (`VK_EXT_multisampled_render_to_swapchain`).

use pyro_driver::registry_supplement as new;
use pyro_test_kit::graphics::{Context, area};
use std::ptr::from_mut;
use std::slice;
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtHeadlessSurfaceExtensionInstanceCommands as _, ExtPresentTimingExtensionDeviceCommands as _,
    GoogleDisplayTimingExtensionDeviceCommands as _, KhrCalibratedTimestampsExtensionDeviceCommands as _,
    KhrDynamicRenderingExtensionDeviceCommands as _,
    KhrGetSurfaceCapabilities2ExtensionInstanceCommands as _, KhrSurfaceExtensionInstanceCommands as _,
    KhrSwapchainExtensionDeviceCommands as _,
};

type Stages = vk::PresentStageFlagsEXT;

const BOTH: Stages = Stages::QUEUE_OPERATIONS_END.union(Stages::REQUEST_DEQUEUED);

/// Of an image that was presented: its id, its target, and the time of each stage.
type Report = (u64, u64, Vec<(Stages, u64)>);

/// A swapchain of a surface that nobody sees.
struct Shown<'c> {
    context: &'c Context,
    surface: vk::SurfaceKHR,
    swapchain: vk::SwapchainKHR,
}

impl<'c> Shown<'c> {
    fn new(context: &'c Context, flags: vk::SwapchainCreateFlagsKHR) -> Shown<'c> {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface =
            unsafe { context.instance.create_headless_surface_ext(&info, None) }.expect("a surface");
        let info = vk::SwapchainCreateInfoKHR::builder()
            .flags(flags)
            .surface(surface)
            .min_image_count(3)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(area().extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchain = unsafe { context.device.create_swapchain_khr(&info, None) }.expect("a swapchain");
        Shown { context, surface, swapchain }
    }

    fn acquire(&self) -> u32 {
        let (none, fence) = (vk::Semaphore::null(), vk::Fence::null());
        let image =
            unsafe { self.context.device.acquire_next_image_khr(self.swapchain, u64::MAX, none, fence) };
        image.expect("an image").0
    }

    fn present_with(
        &self,
        image: u32,
        next: *const std::ffi::c_void,
    ) -> Result<vk::SuccessCode, vk::ErrorCode> {
        let info = vk::PresentInfoKHR {
            next,
            ..vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&self.swapchain))
                .image_indices(slice::from_ref(&image))
                .build()
        };
        unsafe { self.context.device.queue_present_khr(self.context.queue, &info) }
    }

    fn present(&self, id: u64, timing: vk::PresentTimingInfoEXT) -> Result<vk::SuccessCode, vk::ErrorCode> {
        let image = self.acquire();
        let mut ids = vk::PresentId2KHR::builder().present_ids(slice::from_ref(&id));
        let timings = vk::PresentTimingsInfoEXT {
            swapchain_count: 1,
            timing_infos: &timing,
            next: from_mut(&mut ids).cast_const().cast(),
            ..Default::default()
        };
        let result = self.present_with(image, std::ptr::from_ref(&timings).cast());
        if result.is_err() {
            // It was not presented, and is still ours.
            self.present_with(image, std::ptr::null()).expect("presented");
        }
        result
    }

    /// Reports, at most two.
    fn past(&self) -> Vec<Report> {
        unsafe { self.context.device.queue_wait_idle(self.context.queue) }.expect("idle");
        let mut times = [[vk::PresentStageTimeEXT::default(); 4]; 2];
        let mut reports = [vk::PastPresentationTimingEXT::default(); 2];
        for (report, times) in reports.iter_mut().zip(&mut times) {
            (report.present_stage_count, report.present_stages) = (4, times.as_mut_ptr());
        }
        let mut properties = vk::PastPresentationTimingPropertiesEXT {
            presentation_timing_count: 2,
            presentation_timings: reports.as_mut_ptr(),
            ..Default::default()
        };
        let info = vk::PastPresentationTimingInfoEXT::builder().swapchain(self.swapchain);
        unsafe { self.context.device.get_past_presentation_timing_ext(&info, &mut properties) }
            .expect("reports");
        let count = properties.presentation_timing_count as usize;
        let reports = reports[..count].iter().zip(&times).map(|(report, times)| {
            assert_eq!(report.report_complete, vk::TRUE);
            let times = times[..report.present_stage_count as usize].iter();
            (report.present_id, report.target_time, times.map(|one| (one.stage, one.time)).collect())
        });
        reports.collect()
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        unsafe {
            self.context.device.queue_wait_idle(self.context.queue).expect("idle");
            self.context.device.destroy_swapchain_khr(self.swapchain, None);
            self.context.instance.destroy_surface_khr(self.surface, None);
        }
    }
}

fn timed() -> Context {
    Context::with(&[
        c"VK_KHR_present_id2",
        c"VK_KHR_calibrated_timestamps",
        c"VK_EXT_present_timing",
        c"VK_GOOGLE_display_timing",
    ])
}

fn asking(target_time: u64) -> vk::PresentTimingInfoEXT {
    vk::PresentTimingInfoEXT {
        target_time,
        time_domain_id: 2,
        present_stage_queries: BOTH,
        ..Default::default()
    }
}

/// The time of a swapchain's own clock.
fn now(shown: &Shown<'_>) -> u64 {
    let swapchain = vk::SwapchainCalibratedTimestampInfoEXT {
        swapchain: shown.swapchain,
        time_domain_id: 2,
        ..Default::default()
    };
    let info = vk::CalibratedTimestampInfoKHR {
        next: std::ptr::from_ref(&swapchain).cast(),
        time_domain: vk::TimeDomainKHR::SWAPCHAIN_LOCAL_EXT,
        ..Default::default()
    };
    let times = unsafe { shown.context.device.get_calibrated_timestamps_khr(&[info]) };
    times.expect("a time").0[0]
}

#[test]
fn presentations_are_reported_once_in_order() {
    let context = timed();
    let shown = Shown::new(&context, vk::SwapchainCreateFlagsKHR::PRESENT_TIMING_EXT);
    let device = &context.device;
    // There is room for none, and then for two.
    let full = shown.present(1, asking(0)).expect_err("no room");
    assert_eq!(full, vk::ErrorCode::PRESENT_TIMING_QUEUE_FULL_EXT);
    unsafe { device.set_swapchain_present_timing_queue_size_ext(shown.swapchain, 2) }.expect("room");
    let start = now(&shown);
    shown.present(5, asking(0)).expect("presented");
    let first = vk::PresentTimingInfoEXT { present_stage_queries: Stages::QUEUE_OPERATIONS_END, ..asking(0) };
    shown.present(7, first).expect("presented");
    assert!(shown.present(9, asking(0)).is_err());
    // Without a query there is no report.
    let silent = vk::PresentTimingInfoEXT { present_stage_queries: Stages::empty(), ..asking(0) };
    shown.present(10, silent).expect("presented");
    let past = shown.past();
    let [(5, 0, one), (7, 0, other)] = &past[..] else { panic!("{past:?}") };
    let end = now(&shown);
    assert!(
        matches!(one[..], [(Stages::QUEUE_OPERATIONS_END, a), (Stages::REQUEST_DEQUEUED, b)]
        if start <= a && a <= b && b <= end),
        "{start} {one:?} {end}"
    );
    assert!(matches!(other[..], [(Stages::QUEUE_OPERATIONS_END, _)]), "{other:?}");
    assert!(shown.past().is_empty(), "each is read once");
    // Stages that nobody knows the time of are told all the same.
    let all = BOTH | Stages::IMAGE_FIRST_PIXEL_OUT | Stages::IMAGE_FIRST_PIXEL_VISIBLE;
    shown
        .present(11, vk::PresentTimingInfoEXT { present_stage_queries: all, ..asking(0) })
        .expect("room again");
    let past = shown.past();
    assert_eq!((past[0].0, past[0].2.len()), (11, 4));
    assert!(past[0].2[2..].iter().all(|(_, time)| *time == 0));
}

#[test]
fn images_are_shown_at_their_times() {
    let context = timed();
    let shown = Shown::new(&context, vk::SwapchainCreateFlagsKHR::PRESENT_TIMING_EXT);
    unsafe { context.device.set_swapchain_present_timing_queue_size_ext(shown.swapchain, 8) }.expect("room");
    let dequeued = |past: &[Report]| past[0].2[1].1;
    let target = now(&shown) + 30_000_000;
    shown.present(1, asking(target)).expect("presented");
    let past = shown.past();
    assert_eq!(past[0].1, target);
    let first = dequeued(&past);
    assert!(first >= target, "{first} {target}");
    let flags = vk::PresentTimingInfoFlagsEXT::PRESENT_AT_RELATIVE_TIME;
    shown.present(2, vk::PresentTimingInfoEXT { flags, ..asking(20_000_000) }).expect("presented");
    let second = dequeued(&shown.past());
    assert!(second >= first + 20_000_000, "{first} {second}");
    // No time holds the queue for ever.
    let begin = Instant::now();
    shown.present(3, asking(u64::MAX)).expect("presented");
    assert_eq!(shown.past()[0].0, 3);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn surfaces_and_swapchains_say_what_they_time() {
    let context = timed();
    let shown = Shown::new(&context, vk::SwapchainCreateFlagsKHR::PRESENT_TIMING_EXT);
    let device = &context.device;
    let physical_device = unsafe { context.instance.enumerate_physical_devices() }.expect("devices")[0];
    let mut timing = vk::PresentTimingSurfaceCapabilitiesEXT::default();
    let mut flags = new::SwapchainFlagsSurfaceCapabilitiesEXT {
        next: from_mut(&mut timing).cast(),
        ..Default::default()
    };
    let mut capabilities =
        vk::SurfaceCapabilities2KHR { next: from_mut(&mut flags).cast(), ..Default::default() };
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::builder().surface(shown.surface);
    unsafe {
        let instance = &context.instance;
        instance.get_physical_device_surface_capabilities2_khr(physical_device, &info, &mut capabilities)
    }
    .expect("capabilities");
    assert_eq!(timing.present_timing_supported, vk::TRUE);
    assert_eq!(timing.present_stage_queries, BOTH);
    let single = new::SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT;
    assert_ne!(flags.swapchain_supported_flags.bits() & single, 0);
    let (mut domains, mut ids) = ([vk::TimeDomainKHR::default(); 8], [0; 8]);
    let mut properties = vk::SwapchainTimeDomainPropertiesEXT {
        time_domain_count: 8,
        time_domains: domains.as_mut_ptr(),
        time_domain_ids: ids.as_mut_ptr(),
        ..Default::default()
    };
    let swapchain = shown.swapchain;
    unsafe { device.get_swapchain_time_domain_properties_ext(swapchain, &mut properties) }.expect("domains");
    let count = properties.time_domain_count as usize;
    assert!(domains[..count].contains(&vk::TimeDomainKHR::PRESENT_STAGE_LOCAL_EXT) && count >= 2);
    assert!(ids[..count].windows(2).all(|ids| ids[0] != ids[1]), "{ids:?}");
    let mut timing = vk::SwapchainTimingPropertiesEXT { refresh_duration: 9, ..Default::default() };
    unsafe { device.get_swapchain_timing_properties_ext(swapchain, &mut timing) }.expect("properties");
    assert_eq!(timing.refresh_duration, 0);
    // A swapchain that was not made for it has no queue of reports.
    let other = Shown::new(&context, vk::SwapchainCreateFlagsKHR::empty());
    unsafe { device.set_swapchain_present_timing_queue_size_ext(other.swapchain, 2) }.expect_err("misuse");
}

#[test]
fn the_older_extension_reports_each_presentation() {
    let context = timed();
    let shown = Shown::new(&context, vk::SwapchainCreateFlagsKHR::empty());
    let mut last = 0;
    for (id, wait) in [(4, 0), (6, 20_000_000)] {
        let desired = if wait == 0 { 0 } else { last + wait };
        let time = vk::PresentTimeGOOGLE { present_id: id, desired_present_time: desired };
        let times = vk::PresentTimesInfoGOOGLE { swapchain_count: 1, times: &time, ..Default::default() };
        shown.present_with(shown.acquire(), std::ptr::from_ref(&times).cast()).expect("presented");
        unsafe { context.device.queue_wait_idle(context.queue) }.expect("idle");
        let past = unsafe { context.device.get_past_presentation_timing_google(shown.swapchain) };
        let past = past.expect("reports");
        assert_eq!((past.len(), past[0].present_id, past[0].desired_present_time), (1, id, desired));
        assert!(past[0].earliest_present_time <= past[0].actual_present_time);
        assert!(past[0].actual_present_time >= desired);
        last = past[0].actual_present_time;
    }
    let cycle = unsafe { context.device.get_refresh_cycle_duration_google(shown.swapchain) };
    assert!(cycle.expect("a duration").refresh_duration > 1_000_000);
}

#[test]
fn images_of_swapchains_are_rendered_to_with_several_samples() {
    let context = Context::with(&[
        c"VK_EXT_multisampled_render_to_single_sampled",
        c"VK_EXT_multisampled_render_to_swapchain",
        c"VK_KHR_dynamic_rendering",
    ]);
    let bit = new::SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT;
    let flags = unsafe { vk::SwapchainCreateFlagsKHR::from_bits_unchecked(bit) };
    let shown = Shown::new(&context, flags);
    let images = unsafe { context.device.get_swapchain_images_khr(shown.swapchain) }.expect("images");
    // A framebuffer's attachments must be made for it: the driver tells by the image's flags.
    let view = vk::ImageViewCreateInfo::builder()
        .image(images[0])
        .view_type(vk::ImageViewType::_2D)
        .format(vk::Format::B8G8R8A8_UNORM)
        .subresource_range(vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        });
    let view = unsafe { context.device.create_image_view(&view, None) }.expect("a view");
    let color = vk::RenderingAttachmentInfo::builder()
        .image_view(view)
        .image_layout(vk::ImageLayout::GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .resolve_mode(vk::ResolveModeFlags::AVERAGE)
        .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 1.0, 0.0, 1.0] } });
    let mut single = vk::MultisampledRenderToSingleSampledInfoEXT::builder()
        .multisampled_render_to_single_sampled_enable(true)
        .rasterization_samples(vk::SampleCountFlags::_4);
    let info = vk::RenderingInfo::builder()
        .render_area(area())
        .layer_count(1)
        .color_attachments(slice::from_ref(&color))
        .push_next(&mut single);
    let image = shown.acquire();
    context.run(|commands| unsafe {
        context.device.cmd_begin_rendering_khr(commands, &info);
        context.device.cmd_end_rendering_khr(commands);
    });
    shown.present_with(image, std::ptr::null()).expect("presented");
    unsafe { context.device.destroy_image_view(view, None) };
}
