//! The property structures that the bindings do not have yet.

use crate::caps::limits;
use crate::caps::properties::PropertyStruct;
use crate::registry_supplement as newer;
use pyro_abi::report::AbortMessage;
use pyro_raytrace::micromap;
use vulkanalia_sys as vk;

/// Implements [`PropertyStruct`] field by field.
macro_rules! properties {
    ($($name:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        $(impl PropertyStruct for newer::$name {
            fn fill(&mut self) {
                $(self.$field = $value;)*
            }
        })*
        /// Calls `$call!(Name)` for every structure known.
        #[macro_export]
        macro_rules! for_each_newer_property_struct {
            ($call:ident) => { $call! { $($name)* } };
        }
    };
}

properties! {
    // That of the device's loss.
    PhysicalDeviceFaultPropertiesKHR { max_device_fault_count: 1 }
    PhysicalDeviceShaderAbortPropertiesKHR { max_shader_abort_message_size: AbortMessage::BYTES_MAX }
    PhysicalDeviceOpacityMicromapPropertiesKHR {
        max_opacity2_state_subdivision_level: micromap::LEVEL_MAX,
        max_opacity4_state_subdivision_level: micromap::LEVEL_MAX,
        max_opacity_lossy4_state_subdivision_level: micromap::LEVEL_MAX,
        max_micromap_triangles: micromap::TRIANGLES_MAX,
    }
    PhysicalDeviceShaderSplitBarrierPropertiesEXT { split_barrier_reserved_shared_memory: 0 }
    PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM {
        scheduling_controls_max_warps_count: limits::WARPS_PER_CORE,
        scheduling_controls_max_queued_batches_count: limits::QUEUED_BATCHES_MAX,
        scheduling_controls_max_work_group_batch_size: limits::BATCH_SIZE_MAX,
    }
    PhysicalDeviceQueuePerfHintPropertiesQCOM {
        supported_queues: vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
    }
    PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM { max_shader_wait_queues: limits::WAIT_QUEUES_MAX }
}
