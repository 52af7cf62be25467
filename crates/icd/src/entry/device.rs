//! Devices and queues.

use crate::call::recording::enter;
use crate::call::{guard, guard_void, string};
use crate::entry::instance::physical_device_object;
use crate::entry::memory_report::MemoryReports;
use crate::handle::{self, Dispatchable};
use crate::handle::{call_context, thread};
use crate::pointers::{Allocator, Chain, Enumeration, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::caps::PhysicalDevice;
use pyro_driver::caps::QUEUE_FAMILIES;
use pyro_driver::caps::features;
use pyro_driver::limits::{QUEUE_COUNT, core_count};
use pyro_driver::memory::sparse::{EXTENDED_SPARSE_SPACE_BYTES, Quota, SPARSE_SPACE_BYTES};
use pyro_driver::memory::{DEVICE_ROOM_BYTES, SUBMIT_ROOM_BYTES, check_room};
use pyro_driver::queue::{Batch, Queue};
use pyro_driver::registry_supplement;
use pyro_driver::sync::{Fence, Semaphore};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use vulkanalia_sys::{self as vk, Handle};

/// A `VkDevice` and its queues' handles.
pub(crate) struct Device {
    pub(crate) device: pyro_driver::device::Device,
    queues: Vec<usize>,
    /// The extensions that are enabled.
    pub(crate) extensions: Vec<&'static str>,
    /// The version that the application uses.
    pub(crate) api_version: u32,
    /// Allocations may exceed the heap (`VK_AMD_memory_overallocation_behavior`).
    pub(crate) exceeds_heap: bool,
    /// Mappings may be placed (`memoryMapPlaced`).
    pub(crate) places_mappings: bool,
    /// Addresses of mappings may stay reserved (`memoryUnmapReserve`).
    pub(crate) reserves_mappings: bool,
    /// Tile memory may be allocated (`tileMemoryHeap`).
    pub(crate) has_tile_memory: bool,
    /// Memory may be bound to sparse resources (`sparseBinding`).
    pub(crate) binds_sparsely: bool,
    /// Addresses for all its sparse resources together.
    pub(crate) sparse_quota: Arc<Quota>,
    /// Pipelines have identifiers (`pipelinePropertiesIdentifier`).
    pub(crate) identifies_pipelines: bool,
    /// The report of the device's loss has been taken (`VK_KHR_device_fault`).
    fault_told: AtomicBool,
    /// The application holds the profiling lock.
    holds_profiling_lock: AtomicBool,
    /// What is told of its memory.
    pub(crate) memory_reports: MemoryReports,
}

impl Device {
    /// Takes or gives back the profiling lock; whether it was held before.
    pub(crate) fn hold_profiling_lock(&self, holds: bool) -> bool {
        self.holds_profiling_lock.swap(holds, Ordering::AcqRel)
    }
}

/// The object of a device's handle.
pub(crate) fn device_object(device: vk::Device) -> Result<Arc<Device>> {
    Dispatchable::get(device.as_raw())
}

/// Says that a command is one of a device, without its object.
///
/// # Errors
/// When it is no handle of a device.
pub(crate) fn check(device: vk::Device) -> Result<()> {
    handle::check_device(thread::here(), device.as_raw())
}

pub(crate) fn create_device(
    handle: vk::PhysicalDevice,
    info: In<'_, vk::DeviceCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Device>,
) -> vk::Result {
    guard(CommandId::create_device, || {
        check_room(DEVICE_ROOM_BYTES)?;
        let extensions = info.enabled_extension_names().map(string).collect::<Result<Vec<_>>>()?;
        check_features(info)?;
        let core_limits = core_limits(info)?;
        let extensions: Vec<&str> = extensions.iter().map(String::as_str).collect();
        let first = physical_device_object(handle)?;
        let owner = call_context::owner();
        let physical_devices = physical_devices(info, first)?;
        let device = pyro_driver::device::Device::new(
            &physical_devices,
            &extensions,
            &core_limits,
            pyro_compile::Backend::from_environment(),
            crate::call::messages::reporter(owner.instance),
        )?;
        device.allow_null_descriptors(wants(info.chain(), "null_descriptor"));
        if wants(info.chain(), "multiview_per_view_viewports") {
            device.enable_per_view_viewports();
        }
        if wants(info.chain(), "relaxed_line_rasterization") {
            device.relax_lines();
        }
        if wants(info.chain(), "ray_tracing_validation") {
            device.check_builds();
        }
        let mut queues = Vec::new();
        for queue in device.queues() {
            queues.push(Dispatchable::into_handle(Arc::clone(queue), owner, None)?);
        }
        let extensions = device.extensions().to_vec();
        let api_version = crate::entry::instance::api_version(owner.instance)?;
        let overallocation = info.find::<vk::DeviceMemoryOverallocationCreateInfoAMD>();
        let device = Arc::new(Device {
            device,
            queues,
            extensions,
            api_version,
            exceeds_heap: overallocation.is_some_and(|info| {
                info.overallocation_behavior == vk::MemoryOverallocationBehaviorAMD::ALLOWED
            }),
            places_mappings: wants(info.chain(), "memory_map_placed"),
            reserves_mappings: wants(info.chain(), "memory_unmap_reserve"),
            binds_sparsely: wanted_core_features(info)
                .is_some_and(|features| features.sparse_binding != vk::FALSE),
            sparse_quota: Quota::new(match wants(info.chain(), "extended_sparse_address_space") {
                true => EXTENDED_SPARSE_SPACE_BYTES,
                false => SPARSE_SPACE_BYTES,
            }),
            has_tile_memory: wants(info.chain(), "tile_memory_heap"),
            identifies_pipelines: wants(info.chain(), "pipeline_properties_identifier"),
            fault_told: AtomicBool::new(false),
            holds_profiling_lock: AtomicBool::new(false),
            memory_reports: MemoryReports::new(info.chain(), wants(info.chain(), "report_address_binding")),
        });
        let made = Dispatchable::into_handle(Arc::clone(&device), owner, allocator);
        let made = made.inspect_err(|_| free_queues(&device))?;
        let owner = Dispatchable::<Device>::owner(made)?;
        device.queues.iter().try_for_each(|&queue| Dispatchable::<Queue>::adopt(queue, owner.device))?;
        out.write(vk::Device::from_raw(made));
        Ok(vk::Result::SUCCESS)
    })
}

/// The physical devices that a device is made of, by their indices.
fn physical_devices(
    info: In<'_, vk::DeviceCreateInfo>,
    own: Arc<PhysicalDevice>,
) -> Result<Vec<Arc<PhysicalDevice>>> {
    let group = info.find::<vk::DeviceGroupDeviceCreateInfo>();
    let handles = group.map_or(Slice::empty(), |group| group.physical_devices());
    let devices = handles.iter().map(|&device| physical_device_object(device));
    let devices = devices.collect::<Result<Vec<_>>>()?;
    if devices.is_empty() {
        return Ok(vec![own]);
    }
    let mut indices: Vec<_> = devices.iter().map(|device| device.index()).collect();
    indices.sort_unstable();
    indices.dedup();
    if indices.len() != devices.len() {
        return Err(Error::misuse(
            "a physical device twice (VUID-VkDeviceGroupDeviceCreateInfo-pPhysicalDevices-00375)",
        ));
    }
    if !indices.contains(&own.index()) {
        return Err(Error::misuse(
            "physicalDevice is not in pPhysicalDevices (VUID-VkDeviceGroupDeviceCreateInfo-physicalDeviceCount-00377)",
        ));
    }
    Ok(devices)
}

/// Checks a device mask of a device with so many physical devices.
///
/// # Errors
/// With this rule, when the mask names others.
pub(crate) fn check_mask(mask: u32, count: u32, rule: &str) -> Result<()> {
    if mask.checked_shr(count).unwrap_or(0) != 0 {
        let message = format!("a device mask of {mask:#x}, of {count} physical devices ({rule})");
        return Err(Error::misuse(message));
    }
    Ok(())
}

/// Checks that the device has the features that are asked for.
fn check_features(info: In<'_, vk::DeviceCreateInfo>) -> Result<()> {
    let missing = wanted_core_features(info)
        .and_then(features::missing_core_feature)
        .or_else(|| missing_feature(info.chain()));
    let Some(missing) = missing else { return Ok(()) };
    let message = format!("the device lacks the feature {missing}");
    Err(Error::new(vk::Result::ERROR_FEATURE_NOT_PRESENT, message))
}

/// The features of Vulkan 1.0 that are asked for.
fn wanted_core_features(info: In<'_, vk::DeviceCreateInfo>) -> Option<&vk::PhysicalDeviceFeatures> {
    let features2 = info.find::<vk::PhysicalDeviceFeatures2>().map(|features| &features.get().features);
    features2.or(info.enabled_features().map(In::get))
}

/// How many cores run the commands of queues at most, if a chain says so
/// (`VkDeviceQueueShaderCoreControlCreateInfoARM`).
fn core_limit(chain: Chain) -> Result<Option<u32>> {
    let Some(control) = chain.find::<vk::DeviceQueueShaderCoreControlCreateInfoARM>() else {
        return Ok(None);
    };
    let (count, most) = (control.shader_core_count, core_count());
    if count == 0 || count > most {
        return Err(Error::misuse(format!(
            "{count} shader cores, of {most} \
             (VUID-VkDeviceQueueShaderCoreControlCreateInfoARM-shaderCoreCount-09399)"
        )));
    }
    Ok(Some(count))
}

/// How many cores run the commands of each queue of each family that is asked for; 0: all.
fn core_limits(info: In<'_, vk::DeviceCreateInfo>) -> Result<[Vec<u32>; QUEUE_FAMILIES]> {
    let all = core_limit(info.chain())?;
    let mut limits: [Vec<u32>; QUEUE_FAMILIES] = Default::default();
    for queue in info.queue_create_infos() {
        let queues = limits.get_mut(queue.queue_family_index as usize).ok_or_else(|| {
            Error::misuse("queueFamilyIndex is not a queue family of this device (VUID-VkDeviceQueueCreateInfo-queueFamilyIndex-00381)")
        })?;
        let priority = queue.find::<vk::DeviceQueueGlobalPriorityCreateInfo>();
        if priority.is_some_and(|info| info.global_priority > vk::QueueGlobalPriority::MEDIUM) {
            return Err(Error::new(
                vk::Result::ERROR_NOT_PERMITTED,
                "the global priority of a queue is above MEDIUM, which is not permitted (VUID-VkDeviceQueueCreateInfo-pNext-09398)",
            ));
        }
        let limit = core_limit(queue.chain())?;
        if all.is_some() && limit.is_some() {
            return Err(Error::misuse(
                "both the device and one of its queues have a number of shader cores \
                 (VUID-VkDeviceCreateInfo-pNext-09396)",
            ));
        }
        // One more than there may be shows that there are too many.
        let count = queue.queue_count.min(QUEUE_COUNT + 1);
        queues.extend((0..count).map(|_| limit.or(all).unwrap_or(0)));
    }
    Ok(limits)
}

/// The first feature that a structure of the chain asks for and that is not there.
fn missing_feature(chain: Chain) -> Option<&'static str> {
    chain.features().find_map(|(known, wanted)| {
        let mut features = known.fields.iter().zip(known.values()).zip(wanted);
        features.find_map(|((name, on), wanted)| (*wanted != vk::FALSE && !on).then_some(*name))
    })
}

/// Whether a structure of the chain asks for a feature.
fn wants(chain: Chain, feature: &str) -> bool {
    chain.features().any(|(known, wanted)| {
        known.fields.iter().zip(wanted).any(|(name, wanted)| *name == feature && *wanted != vk::FALSE)
    })
}

pub(crate) fn destroy_device(handle: vk::Device, allocator: Allocator) {
    crate::handle::call_context::begin();
    if let Some(device) = crate::call::take_or_report::<Device>(handle.as_raw(), allocator) {
        free_queues(&device);
        if device.device.is_left_behind() {
            // It stays until the process ends: who would wait for its threads waits for ever.
            std::mem::forget(device);
        }
    }
}

/// Takes the handles of a device's queues back.
fn free_queues(device: &Device) {
    for &queue in &device.queues {
        drop(crate::call::take_or_report::<Queue>(queue, None));
    }
}

pub(crate) fn get_device_queue(handle: vk::Device, family: u32, index: u32, mut out: Out<'_, vk::Queue>) {
    guard_void(CommandId::get_device_queue, || {
        let device = device_object(handle)?;
        let position = device.device.queue_position(family, index);
        let queue = position.and_then(|position| device.queues.get(position)).copied().unwrap_or(0);
        out.write(vk::Queue::from_raw(queue));
        Ok(())
    });
}

pub(crate) fn get_device_queue2(
    handle: vk::Device,
    info: In<'_, vk::DeviceQueueInfo2>,
    out: Out<'_, vk::Queue>,
) {
    get_device_queue(handle, info.queue_family_index, info.queue_index, out);
}

pub(crate) fn device_wait_idle(handle: vk::Device) -> vk::Result {
    guard(CommandId::device_wait_idle, || {
        device_object(handle)?.device.wait_idle().map(|()| vk::Result::SUCCESS)
    })
}

pub(crate) fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    guard(CommandId::queue_wait_idle, || {
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        queue.wait_idle().map(|()| vk::Result::SUCCESS)
    })
}

/// Hands batches to a queue, the fence behind the last one.
pub(crate) fn submit(queue: &Queue, mut batches: Vec<Batch>, fence: vk::Fence) -> Result<vk::Result> {
    let fence = handle::get_nullable::<Fence>(fence.as_raw())?.map(|fence| fence.payload());
    if batches.is_empty() && fence.is_some() {
        batches.push(Batch::default());
    }
    if let Some(last) = batches.last_mut() {
        last.fence = fence;
    }
    queue.submit(batches).map(|()| vk::Result::SUCCESS)
}

pub(crate) fn queue_submit(
    queue: vk::Queue,
    infos: Slice<'_, vk::SubmitInfo>,
    fence: vk::Fence,
) -> vk::Result {
    guard(CommandId::queue_submit, || {
        check_room(SUBMIT_ROOM_BYTES)?;
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        let mut batches = Vec::new();
        for info in infos {
            let values = info.find::<vk::TimelineSemaphoreSubmitInfo>();
            let wait_values = values.map_or(&[][..], |v| v.wait_semaphore_values().get());
            let signal_values = values.map_or(&[][..], |v| v.signal_semaphore_values().get());
            let mut batch = Batch::default();
            for (index, semaphore) in info.wait_semaphores().iter().enumerate() {
                let value = wait_values.get(index).copied().unwrap_or(0);
                batch.waits.push((handle::get::<Semaphore>(semaphore.as_raw())?.payload_to_wait(), value));
            }
            if crate::entry::follow::is_on() {
                let stages = info.wait_dst_stage_mask();
                batch.wait_stages = stages.iter().map(|stages| stages.bits().into()).collect();
            }
            for (index, semaphore) in info.signal_semaphores().iter().enumerate() {
                let value = signal_values.get(index).copied().unwrap_or(0);
                batch.signals.push((handle::get::<Semaphore>(semaphore.as_raw())?.payload(), value));
            }
            for buffer in info.command_buffers() {
                batch.lists.push(enter(buffer.as_raw(), |_, buffer| buffer.list())?);
            }
            if let Some(group) = info.find::<vk::DeviceGroupSubmitInfo>() {
                batch.device_masks = group.command_buffer_device_masks().get().to_vec();
                let rule = "VUID-VkDeviceGroupSubmitInfo-pCommandBufferDeviceMasks-00086";
                for &mask in &batch.device_masks {
                    check_mask(mask, queue.device_count(), rule)?;
                }
            }
            batches.push(batch);
        }
        submit(&queue, batches, fence)
    })
}

pub(crate) fn queue_submit2(
    queue: vk::Queue,
    infos: Slice<'_, vk::SubmitInfo2>,
    fence: vk::Fence,
) -> vk::Result {
    guard(CommandId::queue_submit2, || {
        check_room(SUBMIT_ROOM_BYTES)?;
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        let mut batches = Vec::new();
        for info in infos {
            let mut batch = Batch::default();
            for wait in info.wait_semaphore_infos() {
                let semaphore = handle::get::<Semaphore>(wait.semaphore.as_raw())?;
                batch.waits.push((semaphore.payload_to_wait(), wait.value));
                if crate::entry::follow::is_on() {
                    batch.wait_stages.push(wait.stage_mask.bits());
                }
            }
            for signal in info.signal_semaphore_infos() {
                let semaphore = handle::get::<Semaphore>(signal.semaphore.as_raw())?;
                batch.signals.push((semaphore.payload(), signal.value));
            }
            for buffer in info.command_buffer_infos() {
                // The stripes of render passes end with their batch (`VK_ARM_render_pass_striped`).
                if let Some(stripes) = buffer.find::<vk::RenderPassStripeSubmitInfoARM>() {
                    for signal in stripes.stripe_semaphore_infos() {
                        let semaphore = handle::get::<Semaphore>(signal.semaphore.as_raw())?;
                        batch.signals.push((semaphore.payload(), signal.value));
                    }
                }
                batch.lists.push(enter(buffer.command_buffer.as_raw(), |_, buffer| buffer.list())?);
                let rule = "VUID-VkCommandBufferSubmitInfo-deviceMask-03891";
                check_mask(buffer.device_mask, queue.device_count(), rule)?;
                batch.device_masks.push(buffer.device_mask);
            }
            batches.push(batch);
        }
        submit(&queue, batches, fence)
    })
}

/// Says why the device is lost (`VK_EXT_device_fault`): in words; there are no faulty addresses and no binary
/// data.
pub(crate) fn get_device_fault_info_ext(
    device: vk::Device,
    mut counts: Out<'_, vk::DeviceFaultCountsEXT>,
    out: Option<Out<'_, vk::DeviceFaultInfoEXT>>,
) -> vk::Result {
    guard(CommandId::get_device_fault_info_ext, || {
        let why = device_object(device)?.device.fault().ok_or_else(|| {
            Error::misuse("the device is not lost (VUID-vkGetDeviceFaultInfoEXT-device-07336)")
        })?;
        (counts.address_info_count, counts.vendor_info_count, counts.vendor_binary_size) = (0, 0, 0);
        if let Some(mut out) = out {
            out.description = description(&why);
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// A text, cut where it does not fit, at a character's end, with room for the zero.
fn description(text: &str) -> vk::StringArray<{ vk::MAX_DESCRIPTION_SIZE }> {
    let fitting = (0..vk::MAX_DESCRIPTION_SIZE).rev().find(|&at| text.is_char_boundary(at));
    let text = text.get(..fitting.unwrap_or(0)).unwrap_or(text);
    vk::StringArray::from_bytes(text.as_bytes())
}

/// `VK_DEVICE_FAULT_FLAG_DEVICE_LOST_KHR`
const DEVICE_LOST_FAULT: registry_supplement::DeviceFaultFlagsKHR = 1;

/// The one fault that there is: that of a lost device, which is told once. Nothing is masked.
pub(crate) fn get_device_fault_reports_khr(
    device: vk::Device,
    timeout: u64,
    mut out: Enumeration<'_, registry_supplement::DeviceFaultInfoKHR>,
) -> vk::Result {
    guard(CommandId::get_device_fault_reports_khr, || {
        let object = device_object(device)?;
        let why =
            object.device.wait_for_fault(timeout).filter(|_| !object.fault_told.load(Ordering::Acquire));
        let Some(why) = why else {
            out.fill(&[(); 0], |_, ()| ());
            return Ok(vk::Result::TIMEOUT);
        };
        if out.room().is_some_and(|room| room != 0) && object.fault_told.swap(true, Ordering::AcqRel) {
            // Another thread has just taken it.
            out.fill(&[(); 0], |_, ()| ());
            return Ok(vk::Result::TIMEOUT);
        }
        Ok(out.fill(&[why], |out, why| {
            out.flags = DEVICE_LOST_FAULT;
            out.group_id = 0;
            out.description = description(why);
            out.fault_address_info = Default::default();
            out.instruction_address_info = Default::default();
            out.vendor_info = Default::default();
        }))
    })
}

/// There are no data for tools of a vendor's own; of shaders that aborted, their messages.
pub(crate) fn get_device_fault_debug_info_khr(
    device: vk::Device,
    mut out: Out<'_, registry_supplement::DeviceFaultDebugInfoKHR>,
) -> vk::Result {
    guard(CommandId::get_device_fault_debug_info_khr, || {
        let object = device_object(device)?;
        if object.device.fault().is_none() {
            return Err(Error::misuse(
                "the device is not lost (VUID-vkGetDeviceFaultDebugInfoKHR-device-12386)",
            ));
        }
        out.vendor_binary_size = 0;
        let Some(mut aborts) = out.find_mut::<registry_supplement::DeviceFaultShaderAbortMessageInfoKHR>()
        else {
            return Ok(vk::Result::SUCCESS);
        };
        Ok(aborts.message_data().answer_whole(&object.device.abort_messages()))
    })
}

pub(crate) fn get_device_group_peer_memory_features(
    _device: vk::Device,
    _heap: u32,
    _local: u32,
    _remote: u32,
    mut out: Out<'_, vk::PeerMemoryFeatureFlags>,
) {
    // Allocations have one instance, which all devices use alike.
    out.write(vk::PeerMemoryFeatureFlags::all());
}
