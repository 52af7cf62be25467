//! Fences, semaphores, events and queries.

use crate::call::{find, guard, guard_void, slice};
use crate::entry::device::device_object;
use crate::entry::external::sync as external;
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::Property;
use pyro_driver::query::{QueryKind, QueryPool, ResultLayout};
use pyro_driver::sync::{Event, Fence, Semaphore, wait_fences, wait_semaphores as wait_payloads};
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn create_fence(
    device: vk::Device,
    info: *const vk::FenceCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Fence,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateFence-pCreateInfo-parameter, VUID-vkCreateFence-pAllocator-parameter,
    // VUID-vkCreateFence-pFence-parameter).
    guard(CommandId::create_fence, || unsafe {
        crate::entry::device::check(device)?;
        let signaled = (*info).flags.contains(vk::FenceCreateFlags::SIGNALED);
        let fence = Fence::new(signaled, external::exports_fence(&*info)?)?;
        *out = vk::Fence::from_raw(handle::new(fence, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_fence(Fence), Fence);

pub(crate) unsafe extern "system" fn reset_fences(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
) -> vk::Result {
    // SAFETY: `fences` has as many elements as counted (VUID-vkResetFences-pFences-parameter).
    guard(CommandId::reset_fences, || unsafe {
        crate::entry::device::check(device)?;
        for fence in slice(fences, count) {
            handle::get::<Fence>(fence.as_raw())?.reset();
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get_fence_status(device: vk::Device, fence: vk::Fence) -> vk::Result {
    guard(CommandId::get_fence_status, || {
        let device = device_object(device)?;
        device.device.check_lost()?;
        let signaled = handle::get::<Fence>(fence.as_raw())?.poll(device.device.lost())?;
        Ok(if signaled { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    })
}

pub(crate) unsafe extern "system" fn wait_for_fences(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    // SAFETY: `fences` has as many elements as counted (VUID-vkWaitForFences-pFences-parameter).
    guard(CommandId::wait_for_fences, || unsafe {
        let device = device_object(device)?;
        let fences = slice(fences, count)
            .iter()
            .map(|fence| handle::get(fence.as_raw()))
            .collect::<Result<Vec<_>>>()?;
        let done = wait_fences(&fences, all != vk::FALSE, timeout, device.device.lost())?;
        Ok(if done { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
    })
}

pub(crate) unsafe extern "system" fn create_semaphore(
    device: vk::Device,
    info: *const vk::SemaphoreCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Semaphore,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid; each structure of the chain is of the
    // type that its `sType` says (VUID-vkCreateSemaphore-pCreateInfo-parameter,
    // VUID-vkCreateSemaphore-pAllocator-parameter, VUID-vkCreateSemaphore-pSemaphore-parameter).
    guard(CommandId::create_semaphore, || unsafe {
        crate::entry::device::check(device)?;
        let ty =
            find::<vk::SemaphoreTypeCreateInfo>((*info).next, vk::StructureType::SEMAPHORE_TYPE_CREATE_INFO);
        let timeline = ty.filter(|ty| ty.semaphore_type == vk::SemaphoreType::TIMELINE);
        let timeline = timeline.map(|ty| ty.initial_value);
        let semaphore = Semaphore::new(timeline, external::exports_semaphore(&*info)?)?;
        *out = vk::Semaphore::from_raw(handle::new(semaphore, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_semaphore(Semaphore), Semaphore);

pub(crate) unsafe extern "system" fn get_semaphore_counter_value(
    device: vk::Device,
    semaphore: vk::Semaphore,
    out: *mut u64,
) -> vk::Result {
    // SAFETY: `out` is valid (VUID-vkGetSemaphoreCounterValue-pValue-parameter).
    guard(CommandId::get_semaphore_counter_value, || unsafe {
        device_object(device)?.device.check_lost()?;
        *out = handle::get::<Semaphore>(semaphore.as_raw())?.counter()?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn wait_semaphores(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo,
    timeout: u64,
) -> vk::Result {
    // SAFETY: `info` is valid; `pSemaphores` and `pValues` have as many elements as counted
    // (VUID-vkWaitSemaphores-pWaitInfo-parameter, VUID-VkSemaphoreWaitInfo-pSemaphores-parameter,
    // VUID-VkSemaphoreWaitInfo-pValues-parameter).
    guard(CommandId::wait_semaphores, || unsafe {
        let device = device_object(device)?;
        let info = &*info;
        let handles = slice(info.semaphores, info.semaphore_count);
        let values = slice(info.values, info.semaphore_count);
        let pairs = handles
            .iter()
            .zip(values)
            .map(|(semaphore, &value)| Ok((handle::get(semaphore.as_raw())?, value)));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        let done = wait_payloads(&pairs, all, timeout, device.device.lost())?;
        Ok(if done { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
    })
}

pub(crate) unsafe extern "system" fn signal_semaphore(
    device: vk::Device,
    info: *const vk::SemaphoreSignalInfo,
) -> vk::Result {
    // SAFETY: `info` is valid (VUID-vkSignalSemaphore-pSignalInfo-parameter).
    guard(CommandId::signal_semaphore, || unsafe {
        crate::entry::device::check(device)?;
        handle::get::<Semaphore>((*info).semaphore.as_raw())?.signal_host((*info).value)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn create_event(
    device: vk::Device,
    _info: *const vk::EventCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Event,
) -> vk::Result {
    // SAFETY: `out` is valid; `allocator` is null or valid (VUID-vkCreateEvent-pAllocator-parameter,
    // VUID-vkCreateEvent-pEvent-parameter).
    guard(CommandId::create_event, || unsafe {
        crate::entry::device::check(device)?;
        *out = vk::Event::from_raw(handle::new(Event::default(), allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_event(Event), Event);

pub(crate) unsafe extern "system" fn get_event_status(device: vk::Device, event: vk::Event) -> vk::Result {
    guard(CommandId::get_event_status, || {
        device_object(device)?.device.check_lost()?;
        Ok(handle::get::<Event>(event.as_raw())?.status())
    })
}

pub(crate) unsafe extern "system" fn set_event(device: vk::Device, event: vk::Event) -> vk::Result {
    guard(CommandId::set_event, || {
        crate::entry::device::check(device)?;
        handle::get::<Event>(event.as_raw())?.put(true);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn reset_event(device: vk::Device, event: vk::Event) -> vk::Result {
    guard(CommandId::reset_event, || {
        crate::entry::device::check(device)?;
        handle::get::<Event>(event.as_raw())?.put(false);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn create_query_pool(
    device: vk::Device,
    info: *const vk::QueryPoolCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateQueryPool-pCreateInfo-parameter, VUID-vkCreateQueryPool-pAllocator-parameter,
    // VUID-vkCreateQueryPool-pQueryPool-parameter).
    guard(CommandId::create_query_pool, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let kind = match info.query_type {
            vk::QueryType::TIMESTAMP => QueryKind::Timestamp,
            vk::QueryType::OCCLUSION => QueryKind::Occlusion,
            vk::QueryType::PIPELINE_STATISTICS => QueryKind::Statistics(info.pipeline_statistics),
            vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => QueryKind::Captured,
            vk::QueryType::PRIMITIVES_GENERATED_EXT => QueryKind::Generated,
            vk::QueryType::MESH_PRIMITIVES_GENERATED_EXT => QueryKind::MeshGenerated,
            other => match Property::of(other) {
                Some(property) => QueryKind::Structure(property),
                None => return Err(Error::unsupported(format!("query type {other:?} is not supported"))),
            },
        };
        *out = vk::QueryPool::from_raw(handle::new(QueryPool::new(kind, info.query_count)?, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_query_pool(QueryPool), QueryPool);

pub(crate) unsafe extern "system" fn reset_query_pool(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
) {
    guard_void(CommandId::reset_query_pool, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        pool.reset(first, count);
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_query_pool_results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    // SAFETY: `data` is valid (VUID-vkGetQueryPoolResults-pData-parameter).
    guard(CommandId::get_query_pool_results, || unsafe {
        let device = device_object(device)?;
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        if flags.contains(vk::QueryResultFlags::WAIT) {
            device.device.wait_for_queries(&pool, first, count)?;
        }
        let (pieces, all) = pool.results(first, count, ResultLayout { stride, flags });
        for (offset, bytes) in pieces {
            if offset as usize + bytes.len() > size {
                return Err(Error::misuse(
                    "dataSize is too small for the results (VUID-vkGetQueryPoolResults-dataSize-00817)",
                ));
            }
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                data.cast::<u8>().add(offset as usize),
                bytes.len(),
            );
        }
        Ok(if all { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    })
}
