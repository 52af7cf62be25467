//! What applications are told of memory: allocations (`VK_EXT_device_memory_report`), and which device
//! addresses objects have (`VK_EXT_device_address_binding_report`).

use crate::call::messages;
use crate::handle::call_context;
use crate::pointers::Chain;
use pyro_driver::memory::DeviceMemory;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use vulkanalia_sys as vk;

/// Whether a device of the process has ever asked for reports; what no device asks for costs one look at
/// this.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Whether there may be somebody to tell.
pub(crate) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Who is told of a device's memory.
#[derive(Default)]
pub(crate) struct MemoryReports {
    callbacks: Vec<Callback>,
    /// `reportAddressBinding`
    reports_bindings: bool,
}

struct Callback {
    function: vk::PFN_vkDeviceMemoryReportCallbackEXT,
    /// A pointer that only the callback understands.
    user_data: usize,
}

/// A `VkDeviceMemory` as reports know it.
#[derive(Clone, Copy)]
pub(crate) struct Allocation {
    /// The same for what is imported from each other.
    object_id: u64,
    address: u64,
    size: u64,
    is_import: bool,
}

impl Allocation {
    /// What is told of this memory.
    pub(crate) fn of(memory: &DeviceMemory) -> Allocation {
        Allocation {
            object_id: memory.object_id(),
            address: memory.block().address(),
            size: memory.size(),
            is_import: memory.is_imported(),
        }
    }
}

impl MemoryReports {
    /// The callbacks in the chain of a device's creation.
    pub(crate) fn new(chain: Chain, reports_bindings: bool) -> MemoryReports {
        let callbacks: Vec<_> = chain
            .find_all::<vk::DeviceDeviceMemoryReportCreateInfoEXT>()
            .map(|info| Callback { function: info.user_callback, user_data: info.user_data as usize })
            .collect();
        if reports_bindings || !callbacks.is_empty() {
            WANTED.store(true, Ordering::Relaxed);
        }
        MemoryReports { callbacks, reports_bindings }
    }

    fn tell(&self, event: &vk::DeviceMemoryReportCallbackDataEXT) {
        for callback in &self.callbacks {
            if let Some(function) = callback.function {
                // SAFETY: the application's callback, with valid data and what it asked for.
                unsafe { function(event, callback.user_data as *mut c_void) };
            }
        }
    }

    /// Tells that memory could not be allocated.
    pub(crate) fn failed(&self, size: u64) {
        self.tell(&vk::DeviceMemoryReportCallbackDataEXT {
            type_: vk::DeviceMemoryReportEventTypeEXT::ALLOCATION_FAILED,
            size,
            object_type: vk::ObjectType::DEVICE_MEMORY,
            ..Default::default()
        });
    }

    /// Tells that there is new or imported memory.
    pub(crate) fn allocated(&self, allocation: Allocation, handle: u64) {
        let type_ = match allocation.is_import {
            true => vk::DeviceMemoryReportEventTypeEXT::IMPORT,
            false => vk::DeviceMemoryReportEventTypeEXT::ALLOCATE,
        };
        self.tell(&event(type_, allocation, handle));
        self.bound((vk::ObjectType::DEVICE_MEMORY, handle), Some((allocation.address, allocation.size)));
    }

    /// Tells that memory is freed, or an import ended.
    pub(crate) fn freed(&self, allocation: Allocation, handle: u64) {
        let type_ = match allocation.is_import {
            true => vk::DeviceMemoryReportEventTypeEXT::UNIMPORT,
            false => vk::DeviceMemoryReportEventTypeEXT::FREE,
        };
        self.tell(&event(type_, allocation, handle));
        self.unbound((vk::ObjectType::DEVICE_MEMORY, handle), Some((allocation.address, allocation.size)));
    }

    /// Tells that an object has these device addresses: the first and how many.
    pub(crate) fn bound(&self, object: (vk::ObjectType, u64), range: Option<(u64, u64)>) {
        self.binding(object, range, vk::DeviceAddressBindingTypeEXT::BIND);
    }

    /// Tells that an object has these device addresses no more.
    pub(crate) fn unbound(&self, object: (vk::ObjectType, u64), range: Option<(u64, u64)>) {
        self.binding(object, range, vk::DeviceAddressBindingTypeEXT::UNBIND);
    }

    fn binding(
        &self,
        object: (vk::ObjectType, u64),
        range: Option<(u64, u64)>,
        binding_type: vk::DeviceAddressBindingTypeEXT,
    ) {
        if let Some((base_address, size)) = range.filter(|_| self.reports_bindings) {
            let binding = vk::DeviceAddressBindingCallbackDataEXT {
                base_address,
                size,
                binding_type,
                ..Default::default()
            };
            messages::binding(call_context::owner().instance, object, &binding);
        }
    }
}

/// What is told of memory (`VkDeviceMemoryReportCallbackDataEXT`).
fn event(
    type_: vk::DeviceMemoryReportEventTypeEXT,
    allocation: Allocation,
    handle: u64,
) -> vk::DeviceMemoryReportCallbackDataEXT {
    vk::DeviceMemoryReportCallbackDataEXT {
        type_,
        memory_object_id: allocation.object_id,
        size: allocation.size,
        object_type: vk::ObjectType::DEVICE_MEMORY,
        object_handle: handle,
        heap_index: 0,
        ..Default::default()
    }
}
