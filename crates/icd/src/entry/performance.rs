//! Performance queries (`VK_KHR_performance_query`), counters by region
//! (`VK_ARM_performance_counters_by_region`) and hints (`VK_QCOM_queue_perf_hint`).

use crate::call::{guard, guard_void};
use crate::entry::device::device_object;
use crate::entry::instance::physical_device_object;
use crate::handle::Dispatchable;
use crate::pointers::{Chain, EnumerationPair, In, Out};
use crate::registry::CommandId;
use pyro_driver::performance::{PERFORMANCE_COUNTERS, PerformanceCounter};
use pyro_driver::performance_hint::PerformanceHint;
use pyro_driver::queue::Queue;
use pyro_driver::registry_supplement as newer;
use pyro_driver::render_pass::{CountedRegions, REGION_COUNTERS};
use pyro_driver::{Error, Result};
use std::cell::Cell;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn enumerate_physical_device_queue_family_performance_query_counters_khr(
    physical_device: vk::PhysicalDevice,
    family: u32,
    mut out: EnumerationPair<'_, vk::PerformanceCounterKHR, vk::PerformanceCounterDescriptionKHR>,
) -> vk::Result {
    guard(CommandId::enumerate_physical_device_queue_family_performance_query_counters_khr, || {
        if family as usize >= physical_device_object(physical_device)?.queue_families().len() {
            return Err(Error::misuse(format!("there is no queue family {family}")));
        }
        let describe = |out: &mut vk::PerformanceCounterDescriptionKHR, counter: &PerformanceCounter| {
            out.flags = match counter.is_time() {
                true => vk::PerformanceCounterDescriptionFlagsKHR::CONCURRENTLY_IMPACTED,
                false => vk::PerformanceCounterDescriptionFlagsKHR::empty(),
            };
            out.name = vk::StringArray::from_bytes(counter.name.as_bytes());
            out.category = vk::StringArray::from_bytes(counter.category.as_bytes());
            out.description = vk::StringArray::from_bytes(counter.description.as_bytes());
        };
        let fill = |out: &mut vk::PerformanceCounterKHR, counter: &PerformanceCounter| {
            out.unit = counter.unit();
            out.scope = vk::PerformanceCounterScopeKHR::COMMAND;
            out.storage = vk::PerformanceCounterStorageKHR::UINT64;
            out.uuid = vk::ByteArray(counter.uuid());
        };
        Ok(out.fill(PERFORMANCE_COUNTERS, fill, describe))
    })
}

pub(crate) fn enumerate_physical_device_queue_family_performance_counters_by_region_arm(
    physical_device: vk::PhysicalDevice,
    family: u32,
    mut out: EnumerationPair<'_, vk::PerformanceCounterARM, vk::PerformanceCounterDescriptionARM>,
) -> vk::Result {
    guard(CommandId::enumerate_physical_device_queue_family_performance_counters_by_region_arm, || {
        if family as usize >= physical_device_object(physical_device)?.queue_families().len() {
            return Err(Error::misuse(format!("there is no queue family {family}")));
        }
        let counters: Vec<(u32, &str)> = (0..).zip(REGION_COUNTERS.map(|(_, name)| name)).collect();
        let fill = |out: &mut vk::PerformanceCounterARM, (number, _): &(u32, &str)| out.counter_id = *number;
        let describe = |out: &mut vk::PerformanceCounterDescriptionARM, (_, name): &(u32, &str)| {
            out.flags = vk::PerformanceCounterDescriptionFlagsARM::empty();
            out.name = vk::StringArray::from_bytes(name.as_bytes());
        };
        Ok(out.fill(&counters, fill, describe))
    })
}

/// What a render pass instance counts by region, if its beginning says so.
pub(crate) fn counted_regions(chain: Chain) -> Result<Option<CountedRegions>> {
    let Some(info) = chain.find::<vk::RenderPassPerformanceCountersByRegionBeginInfoARM>() else {
        return Ok(None);
    };
    let counters: Vec<u32> = info.counter_indices().iter().map(Cell::get).collect();
    CountedRegions::new(info.counter_addresses().get(), &counters, info.serialize_regions != 0).map(Some)
}

/// All counters are counted at once.
pub(crate) fn get_physical_device_queue_family_performance_query_passes_khr(
    physical_device: vk::PhysicalDevice,
    info: In<'_, vk::QueryPoolPerformanceCreateInfoKHR>,
    mut out: Out<'_, u32>,
) {
    guard_void(CommandId::get_physical_device_queue_family_performance_query_passes_khr, || {
        physical_device_object(physical_device)?;
        counters(info)?;
        out.write(1);
        Ok(())
    });
}

/// The counters that a pool is created with.
///
/// # Errors
/// When there is no such counter.
pub(crate) fn counters(
    info: In<'_, vk::QueryPoolPerformanceCreateInfoKHR>,
) -> Result<Box<[&'static PerformanceCounter]>> {
    let one = |&index: &u32| {
        PERFORMANCE_COUNTERS.get(index as usize).ok_or_else(|| {
            let rule = "VUID-VkQueryPoolPerformanceCreateInfoKHR-pCounterIndices-03321";
            Error::misuse(format!("there is no performance counter {index} ({rule})"))
        })
    };
    info.counter_indices().get().iter().map(one).collect()
}

/// Any number of devices may hold it at once: counters are those of each query.
pub(crate) fn acquire_profiling_lock_khr(
    device: vk::Device,
    _info: In<'_, vk::AcquireProfilingLockInfoKHR>,
) -> vk::Result {
    guard(CommandId::acquire_profiling_lock_khr, || {
        device_object(device)?.hold_profiling_lock(true);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn release_profiling_lock_khr(device: vk::Device) {
    guard_void(CommandId::release_profiling_lock_khr, || {
        if device_object(device)?.hold_profiling_lock(false) {
            return Ok(());
        }
        let rule = "VUID-vkReleaseProfilingLockKHR-device-03235";
        Err(Error::misuse(format!("the device does not hold the profiling lock ({rule})")))
    });
}

/// The hint of a queue (`VkPerfHintInfoQCOM`).
fn hint(info: &newer::PerfHintInfoQCOM) -> Result<PerformanceHint> {
    let plain = match info.type_ {
        newer::PERF_HINT_TYPE_DEFAULT_QCOM => PerformanceHint::DEFAULT,
        newer::PERF_HINT_TYPE_FREQUENCY_MIN_QCOM => PerformanceHint::LEAST,
        newer::PERF_HINT_TYPE_FREQUENCY_MAX_QCOM => PerformanceHint::MOST,
        newer::PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM => {
            let scaled = PerformanceHint::scaled(info.scale);
            return scaled.ok_or_else(|| {
                let rule = "VUID-VkPerfHintInfoQCOM-scale-12390";
                Error::misuse(format!("a performance hint with a scale of {} percent ({rule})", info.scale))
            });
        }
        other => {
            let rule = "VUID-VkPerfHintInfoQCOM-type-parameter";
            return Err(Error::misuse(format!("there is no type {other} of performance hints ({rule})")));
        }
    };
    if info.scale != 0 {
        return Err(Error::misuse(
            "a performance hint that is not scaled has a scale (VUID-VkPerfHintInfoQCOM-type-12389)",
        ));
    }
    Ok(plain)
}

pub(crate) fn queue_set_perf_hint_qcom(
    queue: vk::Queue,
    info: In<'_, newer::PerfHintInfoQCOM>,
) -> vk::Result {
    guard(CommandId::queue_set_perf_hint_qcom, || {
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        queue.set_hint(hint(&info)?);
        Ok(vk::Result::SUCCESS)
    })
}
