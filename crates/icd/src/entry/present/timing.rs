//! When images were presented, and when they are to be: `VK_EXT_present_timing`, `VK_GOOGLE_display_timing`.

use crate::call::guard;
use crate::handle;
use crate::pointers::{Chain, Enumeration, In, Out};
use crate::registry::CommandId;
use pyro_driver::present::{PastTiming, REFRESH_NS, Swapchain, TimingRequest};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// The time domains of swapchains, whose ids begin with one; all are the monotonic clock.
const DOMAINS: [vk::TimeDomainKHR; 3] = [
    vk::TimeDomainKHR::PRESENT_STAGE_LOCAL_EXT,
    vk::TimeDomainKHR::SWAPCHAIN_LOCAL_EXT,
    vk::TimeDomainKHR::CLOCK_MONOTONIC,
];

fn domains() -> &'static [vk::TimeDomainKHR] {
    if cfg!(unix) { &DOMAINS } else { &DOMAINS[..2] }
}

/// Neither the domains nor the properties of a swapchain ever change.
const COUNTER: u64 = 1;

/// What a presentation says of the time of its swapchain of this number.
pub(super) fn request(chain: Chain<'_>, number: usize) -> Option<TimingRequest> {
    if let Some(infos) = chain.find::<vk::PresentTimingsInfoEXT>()
        && let Some(info) = infos.timing_infos().at(number)
    {
        return Some(TimingRequest {
            target_ns: info.target_time,
            is_relative: info.flags.contains(vk::PresentTimingInfoFlagsEXT::PRESENT_AT_RELATIVE_TIME),
            stages: info.present_stage_queries,
            domain: info.time_domain_id,
            number: None,
        });
    }
    let times = chain.find::<vk::PresentTimesInfoGOOGLE>()?;
    let time = times.times().at(number)?;
    Some(TimingRequest {
        target_ns: time.desired_present_time,
        number: Some(time.present_id),
        ..TimingRequest::default()
    })
}

fn swapchain_of(device: vk::Device, swapchain: vk::SwapchainKHR) -> Result<Arc<Swapchain>> {
    crate::entry::device::check(device)?;
    handle::get::<Swapchain>(swapchain.as_raw())
}

pub(crate) fn set_swapchain_present_timing_queue_size_ext(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    size: u32,
) -> vk::Result {
    guard(CommandId::set_swapchain_present_timing_queue_size_ext, || {
        let swapchain = swapchain_of(device, swapchain)?;
        if !swapchain.is_timed() {
            return Err(Error::misuse(
                "the swapchain was not made with PRESENT_TIMING \
                 (VUID-vkSetSwapchainPresentTimingQueueSizeEXT-swapchain-12229)",
            ));
        }
        let fits = swapchain.timings().resize(size as usize);
        Ok(if fits { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    })
}

pub(crate) fn get_swapchain_timing_properties_ext(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    mut out: Out<'_, vk::SwapchainTimingPropertiesEXT>,
    counter: Option<Out<'_, u64>>,
) -> vk::Result {
    guard(CommandId::get_swapchain_timing_properties_ext, || {
        swapchain_of(device, swapchain)?;
        // Nobody says how often the display is refreshed.
        (out.refresh_duration, out.refresh_interval) = (0, 0);
        if let Some(mut counter) = counter {
            counter.write(COUNTER);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_swapchain_time_domain_properties_ext(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    mut out: Out<'_, vk::SwapchainTimeDomainPropertiesEXT>,
    counter: Option<Out<'_, u64>>,
) -> vk::Result {
    guard(CommandId::get_swapchain_time_domain_properties_ext, || {
        swapchain_of(device, swapchain)?;
        if let Some(mut counter) = counter {
            counter.write(COUNTER);
        }
        let room = out.time_domain_count;
        let ids = [1, 2, 3];
        out.time_domain_ids().answer(&ids[..domains().len()]);
        out.time_domain_count = room;
        Ok(out.time_domains().answer(domains()))
    })
}

pub(crate) fn get_past_presentation_timing_ext(
    device: vk::Device,
    info: In<'_, vk::PastPresentationTimingInfoEXT>,
    mut out: Out<'_, vk::PastPresentationTimingPropertiesEXT>,
) -> vk::Result {
    guard(CommandId::get_past_presentation_timing_ext, || {
        let swapchain = swapchain_of(device, info.swapchain)?;
        (out.timing_properties_counter, out.time_domains_counter) = (COUNTER, COUNTER);
        let past = swapchain.timings().past();
        let is_read = out.presentation_timings().room().is_some();
        let result = out.presentation_timings().fill_members(&past, |mut out, report| {
            let domain = report.request.domain.clamp(1, domains().len() as u64);
            out.present_id = report.id;
            out.target_time = report.request.target_ns;
            (out.time_domain, out.time_domain_id) = (domains()[domain as usize - 1], domain);
            out.report_complete = vk::TRUE;
            let times: Vec<_> = stage_times(report).collect();
            out.present_stages().answer(&times);
        });
        if is_read {
            swapchain.timings().forget(out.presentation_timing_count as usize);
        }
        Ok(result)
    })
}

/// The time of each stage that was asked for; 0 where nobody knows it.
fn stage_times(report: &PastTiming) -> impl Iterator<Item = vk::PresentStageTimeEXT> {
    let [ended, shown] = report.times_ns.unwrap_or_default();
    let times = [
        (vk::PresentStageFlagsEXT::QUEUE_OPERATIONS_END, ended),
        (vk::PresentStageFlagsEXT::REQUEST_DEQUEUED, shown),
        (vk::PresentStageFlagsEXT::IMAGE_FIRST_PIXEL_OUT, 0),
        (vk::PresentStageFlagsEXT::IMAGE_FIRST_PIXEL_VISIBLE, 0),
    ];
    let asked = report.request.stages;
    let times = times.into_iter().filter(move |(stage, _)| asked.contains(*stage));
    times.map(|(stage, time)| vk::PresentStageTimeEXT { stage, time })
}

pub(crate) fn get_refresh_cycle_duration_google(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    mut out: Out<'_, vk::RefreshCycleDurationGOOGLE>,
) -> vk::Result {
    guard(CommandId::get_refresh_cycle_duration_google, || {
        swapchain_of(device, swapchain)?;
        out.write(vk::RefreshCycleDurationGOOGLE { refresh_duration: REFRESH_NS });
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_past_presentation_timing_google(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    mut out: Enumeration<'_, vk::PastPresentationTimingGOOGLE>,
) -> vk::Result {
    guard(CommandId::get_past_presentation_timing_google, || {
        let swapchain = swapchain_of(device, swapchain)?;
        let past = swapchain.timings().past_google();
        let reports: Vec<_> = past.iter().map(past_google).collect();
        let room = out.room();
        let result = out.answer(&reports);
        if let Some(room) = room {
            swapchain.timings().forget_google(room.min(reports.len()));
        }
        Ok(result)
    })
}

fn past_google(report: &PastTiming) -> vk::PastPresentationTimingGOOGLE {
    let [ended, shown] = report.times_ns.unwrap_or_default();
    vk::PastPresentationTimingGOOGLE {
        present_id: report.request.number.unwrap_or(0),
        desired_present_time: report.request.target_ns,
        actual_present_time: shown,
        // It could have been shown as soon as it was rendered, and just then.
        earliest_present_time: if report.request.target_ns == 0 { shown } else { ended },
        present_margin: 0,
    }
}
