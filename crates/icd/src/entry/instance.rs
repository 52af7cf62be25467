//! Instances and the physical device.

use crate::call::messages;
use crate::call::messages::Messenger;
use crate::call::{guard, guard_void, string};
use crate::entry::debug;
use crate::entry::engines;
use crate::handle::Dispatchable;
use crate::handle::call_context::{self, Owner};
use crate::pointers::{Allocator, Enumeration, In, Out, OutLink};
use crate::registry::CommandId;
use pyro_driver::caps::PhysicalDevice;
use pyro_driver::caps::device_group;
use pyro_driver::caps::extensions::{self, Extension};
use pyro_driver::caps::features;
use pyro_driver::caps::properties::{self, PropertyStruct};
use pyro_driver::instrumentation::METRICS;
use pyro_driver::memory::TILE_MEMORY_BYTES;
use pyro_driver::registry_supplement;
use pyro_driver::{Error, limits};
use std::ffi::CStr;
use std::sync::{Arc, OnceLock};
use vulkanalia_sys::{self as vk, Handle};

/// A `VkInstance`.
pub(crate) struct Instance {
    /// The handles of its physical devices, which are one group.
    physical_devices: OnceLock<Vec<usize>>,
    /// The extensions that are enabled.
    pub(crate) extensions: Vec<&'static str>,
    /// The version that the application uses.
    pub(crate) api_version: u32,
    /// The device extensions that are not listed, since the application's engine uses them wrongly.
    misused_extensions: &'static [&'static str],
    /// Those that hear of its creation and destruction.
    messengers: Vec<Arc<Messenger>>,
}

impl Instance {
    fn devices(&self) -> &[usize] {
        self.physical_devices.get().map_or(&[], Vec::as_slice)
    }
}

fn extension_properties(known: &[Extension]) -> Vec<vk::ExtensionProperties> {
    let of_system = known.iter().filter(|extension| extension.is_of_system());
    let properties = of_system.map(|extension| vk::ExtensionProperties {
        extension_name: vk::StringArray::from_bytes(extension.name.as_bytes()),
        spec_version: extension.version,
    });
    properties.collect()
}

pub(crate) fn enumerate_instance_version(mut version: Out<'_, u32>) -> vk::Result {
    version.write(limits::API_VERSION);
    vk::Result::SUCCESS
}

pub(crate) fn enumerate_instance_extension_properties(
    layer: Option<&CStr>,
    mut out: Enumeration<'_, vk::ExtensionProperties>,
) -> vk::Result {
    if layer.is_some() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    out.answer(&extension_properties(extensions::INSTANCE_EXTENSIONS))
}

pub(crate) fn enumerate_instance_layer_properties(
    mut out: Enumeration<'_, vk::LayerProperties>,
) -> vk::Result {
    out.answer(&[])
}

pub(crate) fn enumerate_device_layer_properties(
    _physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::LayerProperties>,
) -> vk::Result {
    out.answer(&[])
}

/// The extensions that an instance is created with.
fn enabled_extensions(info: In<'_, vk::InstanceCreateInfo>) -> pyro_driver::Result<Vec<&'static str>> {
    if info.enabled_layer_count != 0 {
        return Err(Error::new(
            vk::Result::ERROR_LAYER_NOT_PRESENT,
            "layers were enabled, but the driver has none",
        ));
    }
    let known = |name: Option<&CStr>| {
        let name = string(name)?;
        let known = extensions::of_instances(&name).ok_or_else(|| {
            let message = format!("the instance extension {name} is not supported");
            Error::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, message)
        })?;
        Ok(known.name)
    };
    info.enabled_extension_names().map(known).collect()
}

pub(crate) fn create_instance(
    info: In<'_, vk::InstanceCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Instance>,
) -> vk::Result {
    let messengers = debug::chained(info.chain());
    messages::with(messengers.clone(), || {
        guard(CommandId::create_instance, || {
            // No other instance's messengers hear of this one.
            call_context::belongs_to(Owner { instance: u64::MAX, device: 0 });
            let extensions = enabled_extensions(info)?;
            let application = info.application_info();
            let mut misused_extensions = Default::default();
            if let Some(name) = application.as_ref().and_then(|application| application.engine_name()) {
                let engine = string(Some(name))?;
                engines::tell(&engine);
                misused_extensions = engines::misused_extensions(&engine);
            }
            let api_version = application.map_or(0, |application| application.api_version);
            // Zero means 1.0; patch versions do not matter.
            let api_version = api_version.max(vk::make_version(1, 0, 0)) & !0xfff;
            let physical_devices = OnceLock::new();
            let instance = Arc::new(Instance {
                physical_devices,
                extensions,
                api_version,
                misused_extensions,
                messengers,
            });
            let made = Dispatchable::into_handle(Arc::clone(&instance), Owner::default(), allocator)?;
            let owner = Dispatchable::<Instance>::owner(made)?;
            let mut handles = Vec::new();
            for index in 0..device_group::count() {
                let physical_device = Arc::new(PhysicalDevice::new(index));
                match Dispatchable::into_handle(physical_device, owner, None) {
                    Ok(handle) => handles.push(handle),
                    Err(error) => {
                        free_devices(&handles);
                        crate::call::take_or_report::<Instance>(made, allocator);
                        return Err(error);
                    }
                }
            }
            _ = instance.physical_devices.set(handles);
            out.write(vk::Instance::from_raw(made));
            Ok(vk::Result::SUCCESS)
        })
    })
}

/// Takes the handles of physical devices back.
fn free_devices(handles: &[usize]) {
    for &handle in handles {
        drop(crate::call::take_or_report::<PhysicalDevice>(handle, None));
    }
}

pub(crate) fn destroy_instance(handle: vk::Instance, allocator: Allocator) {
    crate::handle::call_context::begin();
    let owner = Dispatchable::<Instance>::owner(handle.as_raw());
    if let Some(instance) = crate::call::take_or_report::<Instance>(handle.as_raw(), allocator) {
        messages::with(instance.messengers.clone(), || {
            if let Ok(owner) = owner {
                messages::remove_all(owner.instance);
            }
            free_devices(instance.devices());
        });
    }
}

/// The version that the application of an instance uses.
pub(crate) fn api_version(instance: u64) -> pyro_driver::Result<u32> {
    Ok(crate::handle::get::<Instance>(instance)?.api_version)
}

/// The object of a physical device's handle.
pub(crate) fn physical_device_object(handle: vk::PhysicalDevice) -> pyro_driver::Result<Arc<PhysicalDevice>> {
    Dispatchable::get(handle.as_raw())
}

pub(crate) fn enumerate_physical_devices(
    instance: vk::Instance,
    mut out: Enumeration<'_, vk::PhysicalDevice>,
) -> vk::Result {
    guard(CommandId::enumerate_physical_devices, || {
        let instance = Dispatchable::<Instance>::get(instance.as_raw())?;
        let devices: Vec<_> =
            instance.devices().iter().map(|&one| vk::PhysicalDevice::from_raw(one)).collect();
        Ok(out.answer(&devices))
    })
}

pub(crate) fn enumerate_physical_device_groups(
    instance: vk::Instance,
    mut out: Enumeration<'_, vk::PhysicalDeviceGroupProperties>,
) -> vk::Result {
    guard(CommandId::enumerate_physical_device_groups, || {
        let instance = Dispatchable::<Instance>::get(instance.as_raw())?;
        Ok(out.fill(&[()], |group, ()| {
            let devices = instance.devices();
            group.physical_device_count = devices.len() as u32;
            for (to, &device) in group.physical_devices.iter_mut().zip(devices) {
                *to = vk::PhysicalDevice::from_raw(device);
            }
            // Allocations have one instance, for all devices.
            group.subset_allocation = vk::FALSE;
        }))
    })
}

pub(crate) fn enumerate_device_extension_properties(
    physical_device: vk::PhysicalDevice,
    layer: Option<&CStr>,
    mut out: Enumeration<'_, vk::ExtensionProperties>,
) -> vk::Result {
    if layer.is_some() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    guard(CommandId::enumerate_device_extension_properties, || {
        let owner = Dispatchable::<PhysicalDevice>::owner(physical_device.as_raw())?;
        let instance = crate::handle::get::<Instance>(owner.instance)?;
        // Loaders hide instance extensions that are newer than they are, so what needs one of these shows
        // only where an instance could be made with it.
        let is_usable = |extension: &&Extension| {
            let needed = match extension.name {
                "VK_EXT_swapchain_maintenance1" => "VK_EXT_surface_maintenance1",
                "VK_KHR_swapchain_maintenance1" => "VK_KHR_surface_maintenance1",
                _ => return true,
            };
            instance.extensions.contains(&needed)
        };
        // The state that would be inherited is that of each device.
        let one_device = |extension: &&Extension| {
            device_group::count() == 1 || extension.name != "VK_NV_command_buffer_inheritance"
        };
        let well_used = |extension: &&Extension| !instance.misused_extensions.contains(&extension.name);
        let listed = extensions::DEVICE_EXTENSIONS.iter().filter(is_usable).filter(one_device);
        let usable: Vec<_> = listed.filter(well_used).copied().collect();
        Ok(out.answer(&extension_properties(&usable)))
    })
}

pub(crate) fn get_physical_device_features(
    _physical_device: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceFeatures>,
) {
    out.write(features::core_features());
}

pub(crate) fn get_physical_device_features2(
    _physical_device: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceFeatures2>,
) {
    out.features = features::core_features();
    for mut link in out.links() {
        if let Some((known, values)) = link.features() {
            values.iter_mut().zip(known.values()).for_each(|(out, on)| *out = on.into());
        }
    }
}

pub(crate) fn get_physical_device_properties(
    _physical_device: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceProperties>,
) {
    out.write(properties::core_properties());
}

/// Fills a structure, of which the application's lists of image layouts stay while its other fields are
/// filled.
fn fill_vulkan14(mut out: Out<'_, vk::PhysicalDeviceVulkan14Properties>) {
    let source = (out.copy_src_layout_count, out.copy_src_layouts);
    let target = (out.copy_dst_layout_count, out.copy_dst_layouts);
    PropertyStruct::fill(out.get_mut());
    (out.copy_src_layout_count, out.copy_src_layouts) = source;
    (out.copy_dst_layout_count, out.copy_dst_layouts) = target;
    out.copy_src_layouts().answer(properties::HOST_COPY_LAYOUTS);
    out.copy_dst_layouts().answer(properties::HOST_COPY_LAYOUTS);
}

/// Fills a structure of a chain, if the driver knows it.
fn fill_properties(mut link: OutLink<'_>) {
    if let Some(out) = link.get::<vk::PhysicalDeviceVulkan14Properties>() {
        return fill_vulkan14(out);
    }
    macro_rules! fill {
        ($($name:ident)*) => {
            $(if let Some(mut out) = link.get::<vk::$name>() {
                return PropertyStruct::fill(out.get_mut());
            })*
        };
    }
    pyro_driver::for_each_property_struct!(fill);
    if let Some(mut out) = link.get::<vk::PhysicalDeviceHostImageCopyProperties>() {
        out.optimal_tiling_layout_uuid = properties::vulkan14().optimal_tiling_layout_uuid;
        out.identical_memory_type_requirements = vk::TRUE;
        out.copy_src_layouts().answer(properties::HOST_COPY_LAYOUTS);
        out.copy_dst_layouts().answer(properties::HOST_COPY_LAYOUTS);
    }
    macro_rules! fill_newer {
        ($($name:ident)*) => {
            $(if let Some(mut out) = link.get::<registry_supplement::$name>() {
                return PropertyStruct::fill(out.get_mut());
            })*
        };
    }
    pyro_driver::for_each_newer_property_struct!(fill_newer);
    if let Some(mut out) = link.get::<registry_supplement::PhysicalDeviceShaderInstrumentationPropertiesARM>()
    {
        out.num_metrics = METRICS.len() as u32;
        out.per_basic_block_granularity = vk::TRUE;
    }
}

pub(crate) fn get_physical_device_properties2(
    handle: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceProperties2>,
) {
    guard_void(CommandId::get_physical_device_properties2, || {
        let uuid = physical_device_object(handle)?.uuid();
        out.properties = properties::core_properties();
        out.links().for_each(fill_properties);
        if let Some(mut identity) = out.find_mut::<vk::PhysicalDeviceIDProperties>() {
            identity.device_uuid = uuid.into();
        }
        if let Some(mut core) = out.find_mut::<vk::PhysicalDeviceVulkan11Properties>() {
            core.device_uuid = uuid.into();
        }
        if let Some(mut methods) = out.find_mut::<vk::PhysicalDeviceMemoryDecompressionPropertiesEXT>() {
            methods.clear_upper_methods();
        }
        if let Some(mut scheduling) = out.find_mut::<vk::PhysicalDeviceSchedulingControlsPropertiesARM>() {
            scheduling.add_dispatch_parameters();
        }
        Ok(())
    });
}

pub(crate) fn get_physical_device_memory_properties(
    handle: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceMemoryProperties>,
) {
    guard_void(CommandId::get_physical_device_memory_properties, || {
        out.write(physical_device_object(handle)?.memory_properties());
        Ok(())
    });
}

pub(crate) fn get_physical_device_memory_properties2(
    handle: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceMemoryProperties2>,
) {
    guard_void(CommandId::get_physical_device_memory_properties2, || {
        let physical_device = physical_device_object(handle)?;
        out.memory_properties = physical_device.memory_properties();
        if let Some(mut budget) = out.find_mut::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT>() {
            budget.heap_budget.fill(0);
            budget.heap_usage.fill(0);
            (budget.heap_budget[0], budget.heap_usage[0]) = physical_device.heap_budget();
            // Allocations of tile memory take nothing: they share their bytes.
            budget.heap_budget[1] = TILE_MEMORY_BYTES;
        }
        Ok(())
    });
}

pub(crate) fn get_physical_device_queue_family_properties(
    handle: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::QueueFamilyProperties>,
) {
    guard_void(CommandId::get_physical_device_queue_family_properties, || {
        out.answer(&physical_device_object(handle)?.queue_families());
        Ok(())
    });
}

pub(crate) fn get_physical_device_queue_family_properties2(
    handle: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::QueueFamilyProperties2>,
) {
    guard_void(CommandId::get_physical_device_queue_family_properties2, || {
        let families = physical_device_object(handle)?.queue_families();
        out.fill_members(&families, |mut out, family| {
            out.queue_family_properties = *family;
            if let Some(mut priorities) = out.find_mut::<vk::QueueFamilyGlobalPriorityProperties>() {
                // Priorities are hints; those above the default are for who the system trusts.
                priorities.priority_count = 2;
                priorities.priorities[0] = vk::QueueGlobalPriority::LOW;
                priorities.priorities[1] = vk::QueueGlobalPriority::MEDIUM;
            }
            if let Some(mut transfer) =
                out.find_mut::<registry_supplement::QueueFamilyOptimalImageTransferGranularityPropertiesKHR>()
            {
                transfer.optimal_image_transfer_granularity = family.min_image_transfer_granularity;
            }
            if let Some(mut checkpoints) = out.find_mut::<vk::QueueFamilyCheckpointPropertiesNV>() {
                checkpoints.checkpoint_execution_stage_mask =
                    vk::PipelineStageFlags::TOP_OF_PIPE | vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            }
            if let Some(mut checkpoints) = out.find_mut::<vk::QueueFamilyCheckpointProperties2NV>() {
                checkpoints.checkpoint_execution_stage_mask =
                    vk::PipelineStageFlags2::TOP_OF_PIPE | vk::PipelineStageFlags2::BOTTOM_OF_PIPE;
            }
            if let Some(mut transfer) = out.find_mut::<vk::QueueFamilyOwnershipTransferPropertiesKHR>() {
                // All of them: images are the same for all queues.
                transfer.optimal_image_transfer_to_queue_families = (1 << families.len()) - 1;
            }
        });
        Ok(())
    });
}

pub(crate) fn get_physical_device_external_buffer_properties(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceExternalBufferInfo>,
    mut out: Out<'_, vk::ExternalBufferProperties>,
) {
    let is_sparse = info.flags.intersects(vk::BufferCreateFlags::SPARSE_BINDING);
    let properties = || crate::entry::external::properties(info.handle_type);
    // Memory of others need not be a file.
    out.get_mut().external_memory_properties = if is_sparse { Default::default() } else { properties() };
}
