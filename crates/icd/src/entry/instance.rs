//! Instances and the physical device.

use crate::call::messages;
use crate::call::messages::Messenger;
use crate::call::{enumerate, guard, guard_void, slice, string};
use crate::entry::debug;
use crate::handle::Dispatchable;
use crate::handle::call_context::{self, Owner};
use crate::registry::CommandId;
use pyro_driver::caps::PhysicalDevice;
use pyro_driver::caps::extensions::{self, Extension};
use pyro_driver::caps::features::{self, FeatureStruct};
use pyro_driver::caps::properties::{self, PropertyStruct};
use pyro_driver::instrumentation::METRICS;
use pyro_driver::registry_supplement;
use pyro_driver::{Error, limits};
use std::ffi::{c_char, c_void};
use std::sync::{Arc, OnceLock};
use vulkanalia_sys::{self as vk, Handle};

/// A `VkInstance`.
pub(crate) struct Instance {
    /// The handle of its one physical device.
    physical_device: OnceLock<usize>,
    /// The extensions that are enabled.
    pub(crate) extensions: Vec<&'static str>,
    /// The version that the application uses.
    pub(crate) api_version: u32,
    /// Those that hear of its creation and destruction.
    messengers: Vec<Arc<Messenger>>,
}

impl Instance {
    fn device(&self) -> usize {
        self.physical_device.get().copied().unwrap_or(0)
    }
}

fn extension_properties(known: &[Extension]) -> Vec<vk::ExtensionProperties> {
    let properties = known.iter().map(|extension| vk::ExtensionProperties {
        extension_name: vk::StringArray::from_bytes(extension.name.as_bytes()),
        spec_version: extension.version,
    });
    properties.collect()
}

pub(crate) unsafe extern "system" fn enumerate_instance_version(version: *mut u32) -> vk::Result {
    unsafe { *version = limits::API_VERSION };
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn enumerate_instance_extension_properties(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    unsafe { enumerate(&extension_properties(extensions::INSTANCE_EXTENSIONS), count, out) }
}

pub(crate) unsafe extern "system" fn enumerate_instance_layer_properties(
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    unsafe { enumerate(&[], count, out) }
}

pub(crate) unsafe extern "system" fn enumerate_device_layer_properties(
    _physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    unsafe { enumerate(&[], count, out) }
}

pub(crate) unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    let messengers = unsafe { debug::chained((*info).next) };
    messages::with(messengers.clone(), || {
        guard(CommandId::create_instance, || unsafe {
            // No other instance's messengers hear of this one.
            call_context::belongs_to(Owner { instance: u64::MAX, device: 0 });
            let info = &*info;
            let mut enabled = Vec::new();
            for &name in slice(info.enabled_extension_names, info.enabled_extension_count) {
                let name = string(name)?;
                let known = extensions::of_instances(&name).ok_or_else(|| {
                    let message = format!("there is no instance extension {name}");
                    Error::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, message)
                })?;
                enabled.push(known.name);
            }
            if info.enabled_layer_count != 0 {
                return Err(Error::new(vk::Result::ERROR_LAYER_NOT_PRESENT, "the driver has no layers"));
            }
            let api_version = info.application_info.as_ref().map_or(0, |application| application.api_version);
            // Zero means 1.0; patch versions do not matter.
            let api_version = api_version.max(vk::make_version(1, 0, 0)) & !0xfff;
            let physical_device = OnceLock::new();
            let instance =
                Arc::new(Instance { physical_device, extensions: enabled, api_version, messengers });
            let made = Dispatchable::into_handle(Arc::clone(&instance), Owner::default(), allocator)?;
            let owner = Dispatchable::<Instance>::owner(made)?;
            let physical_device = Arc::new(PhysicalDevice::default());
            match Dispatchable::into_handle(physical_device, owner, std::ptr::null()) {
                Ok(handle) => _ = instance.physical_device.set(handle),
                Err(error) => {
                    Dispatchable::<Instance>::take(made, allocator);
                    return Err(error);
                }
            }
            *out = vk::Instance::from_raw(made);
            Ok(vk::Result::SUCCESS)
        })
    })
}

pub(crate) unsafe extern "system" fn destroy_instance(
    handle: vk::Instance,
    allocator: *const vk::AllocationCallbacks,
) {
    crate::handle::call_context::begin();
    let owner = Dispatchable::<Instance>::owner(handle.as_raw());
    if let Some(instance) = unsafe { Dispatchable::<Instance>::take(handle.as_raw(), allocator) } {
        messages::with(instance.messengers.clone(), || {
            if let Ok(owner) = owner {
                messages::remove_all(owner.instance);
            }
            drop(unsafe { Dispatchable::<PhysicalDevice>::take(instance.device(), std::ptr::null()) });
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

pub(crate) unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    guard(CommandId::enumerate_physical_devices, || unsafe {
        let instance = Dispatchable::<Instance>::get(instance.as_raw())?;
        Ok(enumerate(&[vk::PhysicalDevice::from_raw(instance.device())], count, out))
    })
}

pub(crate) unsafe extern "system" fn enumerate_physical_device_groups(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties,
) -> vk::Result {
    guard(CommandId::enumerate_physical_device_groups, || unsafe {
        let instance = Dispatchable::<Instance>::get(instance.as_raw())?;
        if out.is_null() || *count == 0 {
            let code = if out.is_null() { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE };
            *count = u32::from(out.is_null());
            return Ok(code);
        }
        let group = &mut *out;
        group.physical_device_count = 1;
        group.physical_devices[0] = vk::PhysicalDevice::from_raw(instance.device());
        group.subset_allocation = vk::FALSE;
        *count = 1;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn enumerate_device_extension_properties(
    physical_device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    guard(CommandId::enumerate_device_extension_properties, || {
        let owner = Dispatchable::<PhysicalDevice>::owner(physical_device.as_raw())?;
        let instance = crate::handle::get::<Instance>(owner.instance)?;
        // Loaders hide instance extensions that are newer than they are, so what needs one of these shows only where
        // an instance could be made with it.
        let is_usable = |extension: &&Extension| {
            let needed = match extension.name {
                "VK_EXT_swapchain_maintenance1" => "VK_EXT_surface_maintenance1",
                "VK_KHR_swapchain_maintenance1" => "VK_KHR_surface_maintenance1",
                _ => return true,
            };
            instance.extensions.contains(&needed)
        };
        let usable: Vec<_> = extensions::DEVICE_EXTENSIONS.iter().filter(is_usable).copied().collect();
        Ok(unsafe { enumerate(&extension_properties(&usable), count, out) })
    })
}

pub(crate) unsafe extern "system" fn get_physical_device_features(
    _physical_device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures,
) {
    unsafe { *out = features::core_features() };
}

pub(crate) unsafe extern "system" fn get_physical_device_features2(
    _physical_device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures2,
) {
    unsafe {
        (*out).features = features::core_features();
        let mut next = (*out).next.cast::<vk::BaseOutStructure>();
        while let Some(base) = next.as_mut() {
            if let Some(known) = FeatureStruct::find(base.s_type) {
                // The features follow the structure's two header words, one `VkBool32` each.
                let first = next.cast::<u8>().add(size_of::<vk::BaseOutStructure>()).cast::<vk::Bool32>();
                for (index, value) in known.values().enumerate() {
                    first.add(index).write(value.into());
                }
            }
            next = base.next;
        }
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_properties(
    _physical_device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties,
) {
    unsafe { *out = properties::core_properties() };
}

/// Fills the structures of a chain that the driver knows.
unsafe fn fill_properties(next: *mut c_void) {
    let mut next = next.cast::<vk::BaseOutStructure>();
    while let Some(base) = unsafe { next.as_mut() } {
        macro_rules! fill {
            ($($name:ident)*) => {
                $(if base.s_type == vk::$name::default().s_type {
                    unsafe { PropertyStruct::fill(&mut *next.cast::<vk::$name>()) };
                })*
            };
        }
        pyro_driver::for_each_property_struct!(fill);
        if base.s_type == vk::StructureType::PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES {
            let out = unsafe { &mut *next.cast::<vk::PhysicalDeviceHostImageCopyProperties>() };
            let layouts = properties::HOST_COPY_LAYOUTS;
            unsafe { enumerate(layouts, &mut out.copy_src_layout_count, out.copy_src_layouts) };
            unsafe { enumerate(layouts, &mut out.copy_dst_layout_count, out.copy_dst_layouts) };
            out.optimal_tiling_layout_uuid = properties::vulkan14().optimal_tiling_layout_uuid;
            out.identical_memory_type_requirements = vk::TRUE;
        }
        if base.s_type == registry_supplement::PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM {
            let out = unsafe {
                &mut *next.cast::<registry_supplement::PhysicalDeviceShaderInstrumentationPropertiesARM>()
            };
            out.num_metrics = METRICS.len() as u32;
            out.per_basic_block_granularity = vk::TRUE;
        }
        if base.s_type == vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES {
            let out = unsafe { &mut *next.cast::<vk::PhysicalDeviceVulkan14Properties>() };
            unsafe {
                enumerate(
                    properties::HOST_COPY_LAYOUTS,
                    &mut out.copy_src_layout_count,
                    out.copy_src_layouts,
                );
                enumerate(
                    properties::HOST_COPY_LAYOUTS,
                    &mut out.copy_dst_layout_count,
                    out.copy_dst_layouts,
                );
            }
        }
        next = base.next;
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_properties2(
    _physical_device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2,
) {
    unsafe {
        (*out).properties = properties::core_properties();
        fill_properties((*out).next);
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_memory_properties(
    handle: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties,
) {
    guard_void(CommandId::get_physical_device_memory_properties, || unsafe {
        *out = physical_device_object(handle)?.memory_properties();
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_physical_device_memory_properties2(
    handle: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties2,
) {
    guard_void(CommandId::get_physical_device_memory_properties2, || unsafe {
        let physical_device = physical_device_object(handle)?;
        (*out).memory_properties = physical_device.memory_properties();
        let mut next = (*out).next.cast::<vk::BaseOutStructure>();
        while let Some(base) = next.as_mut() {
            if base.s_type == vk::StructureType::PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT {
                let budget = &mut *next.cast::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT>();
                budget.heap_budget.fill(0);
                budget.heap_usage.fill(0);
                (budget.heap_budget[0], budget.heap_usage[0]) = physical_device.heap_budget();
            }
            next = base.next;
        }
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_physical_device_queue_family_properties(
    handle: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties,
) {
    guard_void(CommandId::get_physical_device_queue_family_properties, || unsafe {
        enumerate(&physical_device_object(handle)?.queue_families(), count, out);
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_physical_device_queue_family_properties2(
    handle: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties2,
) {
    guard_void(CommandId::get_physical_device_queue_family_properties2, || unsafe {
        let families = physical_device_object(handle)?.queue_families();
        if out.is_null() {
            *count = families.len() as u32;
            return Ok(());
        }
        *count = (*count).min(families.len() as u32);
        for (index, family) in families.iter().take(*count as usize).enumerate() {
            let out = &mut *out.add(index);
            out.queue_family_properties = *family;
            let mut next = out.next.cast::<vk::BaseOutStructure>();
            while let Some(base) = next.as_mut() {
                if base.s_type == vk::StructureType::QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES {
                    let priorities = &mut *next.cast::<vk::QueueFamilyGlobalPriorityProperties>();
                    // Priorities are hints; those above the default are for who the system trusts.
                    priorities.priority_count = 2;
                    priorities.priorities[0] = vk::QueueGlobalPriority::LOW;
                    priorities.priorities[1] = vk::QueueGlobalPriority::MEDIUM;
                }
                if base.s_type == vk::StructureType::QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR {
                    let transfer = &mut *next.cast::<vk::QueueFamilyOwnershipTransferPropertiesKHR>();
                    // All of them: images are the same for all queues.
                    transfer.optimal_image_transfer_to_queue_families = (1 << families.len()) - 1;
                }
                next = base.next;
            }
        }
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_physical_device_sparse_image_format_properties(
    _physical_device: vk::PhysicalDevice,
    _format: vk::Format,
    _type: vk::ImageType,
    _samples: vk::SampleCountFlags,
    _usage: vk::ImageUsageFlags,
    _tiling: vk::ImageTiling,
    count: *mut u32,
    _out: *mut vk::SparseImageFormatProperties,
) {
    unsafe { *count = 0 };
}

pub(crate) unsafe extern "system" fn get_physical_device_sparse_image_format_properties2(
    _physical_device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceSparseImageFormatInfo2,
    count: *mut u32,
    _out: *mut vk::SparseImageFormatProperties2,
) {
    unsafe { *count = 0 };
}

pub(crate) unsafe extern "system" fn get_physical_device_external_buffer_properties(
    _physical_device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalBufferInfo,
    out: *mut vk::ExternalBufferProperties,
) {
    unsafe { (*out).external_memory_properties = crate::entry::external::properties((*info).handle_type) };
}
