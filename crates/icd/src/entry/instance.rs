//! Instances and the physical device.

use crate::call::messages;
use crate::call::messages::Messenger;
use crate::call::{enumerate, guard, guard_void, slice, string};
use crate::entry::debug;
use crate::entry::engine_advice;
use crate::handle::Dispatchable;
use crate::handle::call_context::{self, Owner};
use crate::pointers::{Enumeration, In, Out};
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

pub(crate) fn enumerate_instance_version(mut version: Out<'_, u32>) -> vk::Result {
    version.write(limits::API_VERSION);
    vk::Result::SUCCESS
}

pub(crate) fn enumerate_instance_extension_properties(
    layer: *const c_char,
    mut out: Enumeration<'_, vk::ExtensionProperties>,
) -> vk::Result {
    if !layer.is_null() {
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

pub(crate) unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: `info` is valid (VUID-vkCreateInstance-pCreateInfo-parameter).
    let messengers = unsafe { debug::chained((*info).next) };
    messages::with(messengers.clone(), || {
        // SAFETY: `info` and `out` are valid; `allocator` is null or valid; `ppEnabledExtensionNames` has as
        // many elements as counted; `pApplicationInfo` is null or valid; strings end in zero
        // (VUID-vkCreateInstance-pCreateInfo-parameter, VUID-vkCreateInstance-pAllocator-parameter,
        // VUID-vkCreateInstance-pInstance-parameter,
        // VUID-VkInstanceCreateInfo-ppEnabledExtensionNames-parameter,
        // VUID-VkInstanceCreateInfo-pApplicationInfo-parameter).
        guard(CommandId::create_instance, || unsafe {
            // No other instance's messengers hear of this one.
            call_context::belongs_to(Owner { instance: u64::MAX, device: 0 });
            let info = &*info;
            let mut enabled = Vec::new();
            for &name in slice(info.enabled_extension_names, info.enabled_extension_count) {
                let name = string(name)?;
                let known = extensions::of_instances(&name).ok_or_else(|| {
                    let message = format!("the instance extension {name} is not supported");
                    Error::new(vk::Result::ERROR_EXTENSION_NOT_PRESENT, message)
                })?;
                enabled.push(known.name);
            }
            if info.enabled_layer_count != 0 {
                return Err(Error::new(
                    vk::Result::ERROR_LAYER_NOT_PRESENT,
                    "layers were enabled, but the driver has none",
                ));
            }
            let application = info.application_info.as_ref();
            if let Some(application) = application.filter(|application| !application.engine_name.is_null()) {
                engine_advice::tell(&string(application.engine_name)?);
            }
            let api_version = application.map_or(0, |application| application.api_version);
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
                    crate::call::take_or_report::<Instance>(made, allocator);
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
    // SAFETY: `allocator` is null or valid (VUID-vkDestroyInstance-pAllocator-parameter).
    if let Some(instance) = unsafe { crate::call::take_or_report::<Instance>(handle.as_raw(), allocator) } {
        messages::with(instance.messengers.clone(), || {
            if let Ok(owner) = owner {
                messages::remove_all(owner.instance);
            }
            // SAFETY: physical devices have no callbacks of the application.
            drop(unsafe {
                crate::call::take_or_report::<PhysicalDevice>(instance.device(), std::ptr::null())
            });
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
        Ok(out.answer(&[vk::PhysicalDevice::from_raw(instance.device())]))
    })
}

pub(crate) unsafe extern "system" fn enumerate_physical_device_groups(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties,
) -> vk::Result {
    // SAFETY: `count` and `out` are valid
    // (VUID-vkEnumeratePhysicalDeviceGroups-pPhysicalDeviceGroupCount-parameter,
    // VUID-vkEnumeratePhysicalDeviceGroups-pPhysicalDeviceGroupProperties-parameter).
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

pub(crate) fn enumerate_device_extension_properties(
    physical_device: vk::PhysicalDevice,
    layer: *const c_char,
    mut out: Enumeration<'_, vk::ExtensionProperties>,
) -> vk::Result {
    if !layer.is_null() {
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
        let usable: Vec<_> = extensions::DEVICE_EXTENSIONS.iter().filter(is_usable).copied().collect();
        Ok(out.answer(&extension_properties(&usable)))
    })
}

pub(crate) fn get_physical_device_features(
    _physical_device: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceFeatures>,
) {
    out.write(features::core_features());
}

pub(crate) unsafe extern "system" fn get_physical_device_features2(
    _physical_device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures2,
) {
    // SAFETY: `out` is valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkGetPhysicalDeviceFeatures2-pFeatures-parameter).
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

pub(crate) fn get_physical_device_properties(
    _physical_device: vk::PhysicalDevice,
    mut out: Out<'_, vk::PhysicalDeviceProperties>,
) {
    out.write(properties::core_properties());
}

/// The application's lists of image layouts in a structure, which keeps them while its other fields are
/// filled.
struct LayoutLists {
    source: (u32, *mut vk::ImageLayout),
    target: (u32, *mut vk::ImageLayout),
}

/// The structures with such lists, by the lists' fields.
macro_rules! with_layout_lists {
    ($next:expr, |$out:ident| $body:expr) => {
        // SAFETY: each structure of a valid chain begins as `VkBaseOutStructure` does.
        match unsafe { (*$next).s_type } {
            vk::StructureType::PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES => {
                // SAFETY: its `sType` says that it is this structure.
                let $out = unsafe { &mut *$next.cast::<vk::PhysicalDeviceHostImageCopyProperties>() };
                Some($body)
            }
            vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES => {
                // SAFETY: its `sType` says that it is this structure.
                let $out = unsafe { &mut *$next.cast::<vk::PhysicalDeviceVulkan14Properties>() };
                Some($body)
            }
            _ => None,
        }
    };
}

impl LayoutLists {
    /// Those of a structure, if it has any.
    ///
    /// # Safety
    /// `next` is null or starts a valid chain.
    unsafe fn of(next: *mut vk::BaseOutStructure) -> Option<LayoutLists> {
        with_layout_lists!(next, |out| LayoutLists {
            source: (out.copy_src_layout_count, out.copy_src_layouts),
            target: (out.copy_dst_layout_count, out.copy_dst_layouts),
        })
    }

    /// Puts the lists back and fills them: the count where a list is null, else as many layouts as fit.
    ///
    /// # Safety
    /// `next` is null or starts a valid chain.
    unsafe fn fill(self, next: *mut vk::BaseOutStructure) {
        let layouts = properties::HOST_COPY_LAYOUTS;
        with_layout_lists!(next, |out| {
            (out.copy_src_layout_count, out.copy_src_layouts) = self.source;
            (out.copy_dst_layout_count, out.copy_dst_layouts) = self.target;
            // SAFETY: `pCopySrcLayouts` is null or has room for as many as counted
            // (VUID-VkPhysicalDeviceHostImageCopyProperties-pCopySrcLayouts-parameter).
            unsafe { enumerate(layouts, &mut out.copy_src_layout_count, out.copy_src_layouts) };
            // SAFETY: `pCopyDstLayouts` is null or has room for as many as counted
            // (VUID-VkPhysicalDeviceHostImageCopyProperties-pCopyDstLayouts-parameter).
            unsafe { enumerate(layouts, &mut out.copy_dst_layout_count, out.copy_dst_layouts) };
        });
    }
}

/// Fills the structures of a chain that the driver knows.
///
/// # Safety
/// `next` is null or starts a valid chain.
unsafe fn fill_properties(next: *mut c_void) {
    let mut next = next.cast::<vk::BaseOutStructure>();
    // SAFETY: each structure of a valid chain begins as `VkBaseOutStructure` does, and its `pNext` is null or
    // the next one.
    while let Some(base) = unsafe { next.as_mut() } {
        // SAFETY: `next` is valid by the contract of this function, as `of` requires.
        let layouts = unsafe { LayoutLists::of(next) };
        macro_rules! fill {
            ($($name:ident)*) => {
                $(if base.s_type == vk::$name::default().s_type {
                    // SAFETY: the `sType` says that it is this structure.
                    unsafe { PropertyStruct::fill(&mut *next.cast::<vk::$name>()) };
                })*
            };
        }
        pyro_driver::for_each_property_struct!(fill);
        if base.s_type == vk::StructureType::PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES {
            // SAFETY: the `sType` says that it is this structure.
            let out = unsafe { &mut *next.cast::<vk::PhysicalDeviceHostImageCopyProperties>() };
            out.optimal_tiling_layout_uuid = properties::vulkan14().optimal_tiling_layout_uuid;
            out.identical_memory_type_requirements = vk::TRUE;
        }
        if base.s_type == registry_supplement::PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM {
            // SAFETY: the `sType` says that it is this structure.
            let out = unsafe {
                &mut *next.cast::<registry_supplement::PhysicalDeviceShaderInstrumentationPropertiesARM>()
            };
            out.num_metrics = METRICS.len() as u32;
            out.per_basic_block_granularity = vk::TRUE;
        }
        if let Some(layouts) = layouts {
            // SAFETY: the `sType` says that it is this structure.
            unsafe { layouts.fill(next) };
        }
        next = base.next;
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_properties2(
    _physical_device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2,
) {
    // SAFETY: `out` is valid (VUID-vkGetPhysicalDeviceProperties2-pProperties-parameter).
    unsafe {
        (*out).properties = properties::core_properties();
        fill_properties((*out).next);
    }
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

pub(crate) unsafe extern "system" fn get_physical_device_memory_properties2(
    handle: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties2,
) {
    // SAFETY: `out` is valid (VUID-vkGetPhysicalDeviceMemoryProperties2-pMemoryProperties-parameter).
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

pub(crate) fn get_physical_device_queue_family_properties(
    handle: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::QueueFamilyProperties>,
) {
    guard_void(CommandId::get_physical_device_queue_family_properties, || {
        out.answer(&physical_device_object(handle)?.queue_families());
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_physical_device_queue_family_properties2(
    handle: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties2,
) {
    // SAFETY: `count` is valid; `out` has as many elements as counted
    // (VUID-vkGetPhysicalDeviceQueueFamilyProperties2-pQueueFamilyPropertyCount-parameter,
    // VUID-vkGetPhysicalDeviceQueueFamilyProperties2-pQueueFamilyProperties-parameter).
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

pub(crate) fn get_physical_device_sparse_image_format_properties(
    _physical_device: vk::PhysicalDevice,
    _format: vk::Format,
    _ty: vk::ImageType,
    _samples: vk::SampleCountFlags,
    _usage: vk::ImageUsageFlags,
    _tiling: vk::ImageTiling,
    mut out: Enumeration<'_, vk::SparseImageFormatProperties>,
) {
    out.fill(&[(); 0], |_, ()| ());
}

pub(crate) fn get_physical_device_sparse_image_format_properties2(
    _physical_device: vk::PhysicalDevice,
    _info: In<'_, vk::PhysicalDeviceSparseImageFormatInfo2>,
    mut out: Enumeration<'_, vk::SparseImageFormatProperties2>,
) {
    out.fill(&[(); 0], |_, ()| ());
}

pub(crate) fn get_physical_device_external_buffer_properties(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceExternalBufferInfo>,
    mut out: Out<'_, vk::ExternalBufferProperties>,
) {
    out.get_mut().external_memory_properties = crate::entry::external::properties(info.handle_type);
}
