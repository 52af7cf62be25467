//! Fences, semaphores, events and queries.

use crate::call::{guard, guard_void};
use crate::entry::device::device_object;
use crate::entry::external::sync as external;
use crate::handle;
use crate::pointers::{Allocator, In, Memory, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::Property;
use pyro_driver::query::{QueryKind, QueryPool, ResultLayout};
use pyro_driver::sync::{Event, Fence, Semaphore, wait_fences, wait_semaphores as wait_payloads};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_fence(
    device: vk::Device,
    info: In<'_, vk::FenceCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Fence>,
) -> vk::Result {
    guard(CommandId::create_fence, || {
        crate::entry::device::check(device)?;
        let signaled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
        let fence = Fence::new(signaled, external::exports_fence(info)?)?;
        out.write(vk::Fence::from_raw(handle::create(fence, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_fence(Fence), Fence);

pub(crate) fn reset_fences(device: vk::Device, fences: Slice<'_, vk::Fence>) -> vk::Result {
    guard(CommandId::reset_fences, || {
        crate::entry::device::check(device)?;
        for fence in fences {
            handle::get::<Fence>(fence.as_raw())?.reset();
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_fence_status(device: vk::Device, fence: vk::Fence) -> vk::Result {
    guard(CommandId::get_fence_status, || {
        let device = device_object(device)?;
        device.device.check_lost()?;
        let fence = handle::get::<Fence>(fence.as_raw())?;
        let signaled = fence.poll(device.device.lost())?;
        if signaled {
            device.device.observe([(fence.payload(), 1)]);
        }
        Ok(if signaled { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    })
}

pub(crate) fn wait_for_fences(
    device: vk::Device,
    fences: Slice<'_, vk::Fence>,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    guard(CommandId::wait_for_fences, || {
        let device = device_object(device)?;
        let fences =
            fences.get().iter().map(|fence| handle::get(fence.as_raw())).collect::<Result<Vec<_>>>()?;
        device.device.look_at_host();
        let done = wait_fences(&fences, all != vk::FALSE, timeout, device.device.lost())?;
        if done {
            let ended = fences.iter().map(|fence| fence.payload()).filter(|payload| payload.reached(1));
            device.device.observe(ended.map(|payload| (payload, 1)));
        }
        Ok(if done { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
    })
}

pub(crate) fn create_semaphore(
    device: vk::Device,
    info: In<'_, vk::SemaphoreCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Semaphore>,
) -> vk::Result {
    guard(CommandId::create_semaphore, || {
        crate::entry::device::check(device)?;
        let ty = info.find::<vk::SemaphoreTypeCreateInfo>();
        let timeline = ty.filter(|ty| ty.semaphore_type == vk::SemaphoreType::TIMELINE);
        let timeline = timeline.map(|ty| ty.initial_value);
        let semaphore = Semaphore::new(timeline, external::exports_semaphore(info)?)?;
        out.write(vk::Semaphore::from_raw(handle::create(semaphore, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_semaphore(Semaphore), Semaphore);

pub(crate) fn get_semaphore_counter_value(
    device: vk::Device,
    semaphore: vk::Semaphore,
    mut out: Out<'_, u64>,
) -> vk::Result {
    guard(CommandId::get_semaphore_counter_value, || {
        let device = device_object(device)?;
        device.device.check_lost()?;
        let semaphore = handle::get::<Semaphore>(semaphore.as_raw())?;
        let value = semaphore.counter()?;
        device.device.observe([(semaphore.payload(), value)]);
        out.write(value);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn wait_semaphores(
    device: vk::Device,
    info: In<'_, vk::SemaphoreWaitInfo>,
    timeout: u64,
) -> vk::Result {
    guard(CommandId::wait_semaphores, || {
        let device = device_object(device)?;
        let handles = info.semaphores().get();
        let values = info.values().get();
        let pairs = handles
            .iter()
            .zip(values)
            .map(|(semaphore, &value)| Ok((handle::get(semaphore.as_raw())?, value)));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        device.device.look_at_host();
        let done = wait_payloads(&pairs, all, timeout, device.device.lost())?;
        if done {
            let pairs =
                pairs.iter().map(|(semaphore, value): &(Arc<Semaphore>, u64)| (semaphore.payload(), *value));
            device.device.observe(pairs.filter(|(payload, value)| payload.reached(*value)));
        }
        Ok(if done { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
    })
}

pub(crate) fn signal_semaphore(device: vk::Device, info: In<'_, vk::SemaphoreSignalInfo>) -> vk::Result {
    guard(CommandId::signal_semaphore, || {
        crate::entry::device::check(device)?;
        handle::get::<Semaphore>(info.semaphore.as_raw())?.signal_host(info.value)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn create_event(
    device: vk::Device,
    _info: In<'_, vk::EventCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Event>,
) -> vk::Result {
    guard(CommandId::create_event, || {
        crate::entry::device::check(device)?;
        out.write(vk::Event::from_raw(handle::create(Event::default(), allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_event(Event), Event);

pub(crate) fn get_event_status(device: vk::Device, event: vk::Event) -> vk::Result {
    guard(CommandId::get_event_status, || {
        device_object(device)?.device.check_lost()?;
        Ok(handle::get::<Event>(event.as_raw())?.status())
    })
}

pub(crate) fn set_event(device: vk::Device, event: vk::Event) -> vk::Result {
    guard(CommandId::set_event, || {
        crate::entry::device::check(device)?;
        handle::get::<Event>(event.as_raw())?.put(true);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn reset_event(device: vk::Device, event: vk::Event) -> vk::Result {
    guard(CommandId::reset_event, || {
        crate::entry::device::check(device)?;
        handle::get::<Event>(event.as_raw())?.put(false);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn create_query_pool(
    device: vk::Device,
    info: In<'_, vk::QueryPoolCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::QueryPool>,
) -> vk::Result {
    guard(CommandId::create_query_pool, || {
        crate::entry::device::check(device)?;
        out.write(vk::QueryPool::from_raw(handle::create(query_pool(info)?, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// The pool that an application describes.
fn query_pool(info: In<'_, vk::QueryPoolCreateInfo>) -> Result<QueryPool> {
    let kind = match info.query_type {
        vk::QueryType::TIMESTAMP => QueryKind::Timestamp,
        vk::QueryType::OCCLUSION => QueryKind::Occlusion,
        vk::QueryType::PIPELINE_STATISTICS => QueryKind::Statistics(info.pipeline_statistics),
        vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => QueryKind::Captured,
        vk::QueryType::PRIMITIVES_GENERATED_EXT => QueryKind::Generated,
        vk::QueryType::MESH_PRIMITIVES_GENERATED_EXT => QueryKind::MeshGenerated,
        vk::QueryType::PERFORMANCE_QUERY_KHR => {
            let counters = info.find::<vk::QueryPoolPerformanceCreateInfoKHR>().ok_or_else(|| {
                let rule = "VUID-VkQueryPoolCreateInfo-queryType-03222";
                Error::misuse(format!("the create info of a performance query has no counters ({rule})"))
            })?;
            return QueryPool::of_performance(
                crate::entry::performance::counters(counters)?,
                info.query_count,
            );
        }
        other => match Property::of(other) {
            Some(property) => QueryKind::Structure(property),
            None => return Err(Error::unsupported(format!("query type {other:?} is not supported"))),
        },
    };
    QueryPool::new(kind, info.query_count)
}

crate::call::destroy_command!(destroy_query_pool(QueryPool), QueryPool);

pub(crate) fn reset_query_pool(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32) {
    guard_void(CommandId::reset_query_pool, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        pool.reset(first, count);
        Ok(())
    });
}

pub(crate) fn get_query_pool_results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    data: Memory<'_>,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    guard(CommandId::get_query_pool_results, || {
        let device = device_object(device)?;
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        if flags.contains(vk::QueryResultFlags::WAIT) {
            device.device.wait_for_queries(&pool, first, count)?;
        }
        let (pieces, all) = pool.results(first, count, ResultLayout { stride, flags });
        for (offset, bytes) in pieces {
            if !data.write(offset as usize, &bytes) {
                return Err(Error::misuse(
                    "dataSize is too small for the results (VUID-vkGetQueryPoolResults-dataSize-00817)",
                ));
            }
        }
        Ok(if all { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    })
}
