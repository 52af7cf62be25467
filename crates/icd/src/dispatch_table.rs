//! The commands that exist, by name.

use crate::entry::device::Device;
use crate::entry::host_copy;
use crate::entry::instance::Instance;
use crate::entry::{
    acceleration_structure, binary, command, command2, cooperative, cuda, debug, descriptor,
    descriptor_buffer, device, draw, execution_graph, external, heap, image, instance, instrumentation,
    memory, module, object, pipeline, present, private_data, raytrace, render, state, sync, tensor, tools,
    transfer, transform_feedback,
};
use crate::loader::{get_device_proc_addr, get_instance_proc_addr};
use crate::registry::command_providers::{PROVIDERS, Provider};
use pyro_driver::physical_device::extensions;
use vulkanalia_sys as vk;

/// A command's first argument, which decides who may ask for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Instance,
    PhysicalDevice,
    Device,
}

/// A command.
#[derive(Clone, Copy)]
struct Command {
    name: &'static str,
    level: Level,
    body: unsafe extern "system" fn(),
    /// The path of its body in this crate.
    path: &'static str,
}

/// The commands' types.
mod types {
    pub(super) use pyro_driver::newer::*;
    pub(super) use vulkanalia_sys::*;
}

macro_rules! commands {
    ($($level:ident { $($($name:literal)+ => $body:path as $pfn:ident;)+ })+) => {
        static COMMANDS: &[Command] = &[$($($(Command {
            name: $name,
            level: Level::$level,
            body: {
                // The type checks that the body is what callers of this name will call.
                let body: types::$pfn = $body;
                // SAFETY: both are function pointers; callers cast it back to the command's type.
                unsafe { std::mem::transmute::<types::$pfn, unsafe extern "system" fn()>(body) }
            },
            path: stringify!($body),
        },)+)+)+];

        /// The names of all commands.
        const NAMES: &[&str] = &[$($($($name,)+)+)+];
    };
}

/// The index's places; a power of two, several times the number of commands.
const PLACE_COUNT: usize = 2048;

/// From names to commands, by hashing with open addressing, made when the driver is compiled: programs look up every
/// name when they start. A place holds a command's number plus one.
static INDEX: [u16; PLACE_COUNT] = index();

/// Who brings each command: a set of rows of [`PROVIDERS`].
static PROVIDED_BY: [u128; NAMES.len()] = provided_by();

/// FNV-1a.
const fn hash(name: &[u8]) -> usize {
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < name.len() {
        hash = (hash ^ name[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 15) as usize % PLACE_COUNT
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn index() -> [u16; PLACE_COUNT] {
    let (mut index, mut number) = ([0; PLACE_COUNT], 0);
    while number < NAMES.len() {
        let mut place = hash(NAMES[number].as_bytes());
        while index[place] != 0 {
            assert!(!same(NAMES[index[place] as usize - 1].as_bytes(), NAMES[number].as_bytes()));
            place = (place + 1) % PLACE_COUNT;
        }
        number += 1;
        index[place] = number as u16;
    }
    index
}

/// A command's number.
const fn number(index: &[u16; PLACE_COUNT], name: &[u8]) -> Option<usize> {
    let mut place = hash(name);
    while index[place] != 0 {
        let number = index[place] as usize - 1;
        if same(NAMES[number].as_bytes(), name) {
            return Some(number);
        }
        place = (place + 1) % PLACE_COUNT;
    }
    None
}

const fn provided_by() -> [u128; NAMES.len()] {
    let (index, mut rows, mut row) = (index(), [0; NAMES.len()], 0);
    assert!(PROVIDERS.len() <= u128::BITS as usize);
    while row < PROVIDERS.len() {
        let (names, mut at) = (PROVIDERS[row].1, 0);
        while at < names.len() {
            if let Some(number) = number(&index, names[at].as_bytes()) {
                rows[number] |= 1 << row;
            }
            at += 1;
        }
        row += 1;
    }
    rows
}

commands! {
    Instance {
        "vkGetInstanceProcAddr" => get_instance_proc_addr as PFN_vkGetInstanceProcAddr;
        "vkEnumerateInstanceVersion" => instance::enumerate_instance_version as PFN_vkEnumerateInstanceVersion;
        "vkEnumerateInstanceExtensionProperties" => instance::enumerate_instance_extension_properties as PFN_vkEnumerateInstanceExtensionProperties;
        "vkEnumerateInstanceLayerProperties" => instance::enumerate_instance_layer_properties as PFN_vkEnumerateInstanceLayerProperties;
        "vkCreateInstance" => instance::create_instance as PFN_vkCreateInstance;
        "vkDestroyInstance" => instance::destroy_instance as PFN_vkDestroyInstance;
        "vkEnumeratePhysicalDevices" => instance::enumerate_physical_devices as PFN_vkEnumeratePhysicalDevices;
        "vkEnumeratePhysicalDeviceGroups" "vkEnumeratePhysicalDeviceGroupsKHR" => instance::enumerate_physical_device_groups as PFN_vkEnumeratePhysicalDeviceGroups;
        "vkCreateHeadlessSurfaceEXT" => present::create_headless_surface_ext as PFN_vkCreateHeadlessSurfaceEXT;
        "vkCreateXcbSurfaceKHR" => present::create_xcb_surface_khr as PFN_vkCreateXcbSurfaceKHR;
        "vkCreateXlibSurfaceKHR" => present::create_xlib_surface_khr as PFN_vkCreateXlibSurfaceKHR;
        "vkCreateDebugUtilsMessengerEXT" => debug::create_debug_utils_messenger_ext as PFN_vkCreateDebugUtilsMessengerEXT;
        "vkDestroyDebugUtilsMessengerEXT" => debug::destroy_debug_utils_messenger_ext as PFN_vkDestroyDebugUtilsMessengerEXT;
        "vkSubmitDebugUtilsMessageEXT" => debug::submit_debug_utils_message_ext as PFN_vkSubmitDebugUtilsMessageEXT;
        "vkCreateDebugReportCallbackEXT" => debug::create_debug_report_callback_ext as PFN_vkCreateDebugReportCallbackEXT;
        "vkDestroyDebugReportCallbackEXT" => debug::destroy_debug_report_callback_ext as PFN_vkDestroyDebugReportCallbackEXT;
        "vkDebugReportMessageEXT" => debug::debug_report_message_ext as PFN_vkDebugReportMessageEXT;
        "vkDestroySurfaceKHR" => present::destroy_surface_khr as PFN_vkDestroySurfaceKHR;
    }
    PhysicalDevice {
        "vkGetPhysicalDeviceXcbPresentationSupportKHR" => present::get_physical_device_xcb_presentation_support_khr as PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR;
        "vkGetPhysicalDeviceXlibPresentationSupportKHR" => present::get_physical_device_xlib_presentation_support_khr as PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR;
        "vkGetPhysicalDeviceSurfaceSupportKHR" => present::get_physical_device_surface_support_khr as PFN_vkGetPhysicalDeviceSurfaceSupportKHR;
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR" => present::get_physical_device_surface_capabilities_khr as PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR;
        "vkGetPhysicalDeviceSurfaceCapabilities2KHR" => present::get_physical_device_surface_capabilities2_khr as PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR;
        "vkGetPhysicalDeviceSurfaceFormatsKHR" => present::get_physical_device_surface_formats_khr as PFN_vkGetPhysicalDeviceSurfaceFormatsKHR;
        "vkGetPhysicalDeviceSurfaceFormats2KHR" => present::get_physical_device_surface_formats2_khr as PFN_vkGetPhysicalDeviceSurfaceFormats2KHR;
        "vkGetPhysicalDeviceSurfacePresentModesKHR" => present::get_physical_device_surface_present_modes_khr as PFN_vkGetPhysicalDeviceSurfacePresentModesKHR;
        "vkGetPhysicalDevicePresentRectanglesKHR" => present::get_physical_device_present_rectangles_khr as PFN_vkGetPhysicalDevicePresentRectanglesKHR;
        "vkEnumerateDeviceExtensionProperties" => instance::enumerate_device_extension_properties as PFN_vkEnumerateDeviceExtensionProperties;
        "vkEnumerateDeviceLayerProperties" => instance::enumerate_device_layer_properties as PFN_vkEnumerateDeviceLayerProperties;
        "vkGetPhysicalDeviceFeatures" => instance::get_physical_device_features as PFN_vkGetPhysicalDeviceFeatures;
        "vkGetPhysicalDeviceFeatures2" "vkGetPhysicalDeviceFeatures2KHR" => instance::get_physical_device_features2 as PFN_vkGetPhysicalDeviceFeatures2;
        "vkGetPhysicalDeviceProperties" => instance::get_physical_device_properties as PFN_vkGetPhysicalDeviceProperties;
        "vkGetPhysicalDeviceProperties2" "vkGetPhysicalDeviceProperties2KHR" => instance::get_physical_device_properties2 as PFN_vkGetPhysicalDeviceProperties2;
        "vkGetPhysicalDeviceMemoryProperties" => instance::get_physical_device_memory_properties as PFN_vkGetPhysicalDeviceMemoryProperties;
        "vkGetPhysicalDeviceMemoryProperties2" "vkGetPhysicalDeviceMemoryProperties2KHR" => instance::get_physical_device_memory_properties2 as PFN_vkGetPhysicalDeviceMemoryProperties2;
        "vkGetPhysicalDeviceQueueFamilyProperties" => instance::get_physical_device_queue_family_properties as PFN_vkGetPhysicalDeviceQueueFamilyProperties;
        "vkGetPhysicalDeviceQueueFamilyProperties2" "vkGetPhysicalDeviceQueueFamilyProperties2KHR" => instance::get_physical_device_queue_family_properties2 as PFN_vkGetPhysicalDeviceQueueFamilyProperties2;
        "vkGetPhysicalDeviceFormatProperties" => image::get_physical_device_format_properties as PFN_vkGetPhysicalDeviceFormatProperties;
        "vkGetPhysicalDeviceFormatProperties2" "vkGetPhysicalDeviceFormatProperties2KHR" => image::get_physical_device_format_properties2 as PFN_vkGetPhysicalDeviceFormatProperties2;
        "vkGetPhysicalDeviceImageFormatProperties" => image::get_physical_device_image_format_properties as PFN_vkGetPhysicalDeviceImageFormatProperties;
        "vkGetPhysicalDeviceImageFormatProperties2" "vkGetPhysicalDeviceImageFormatProperties2KHR" => image::get_physical_device_image_format_properties2 as PFN_vkGetPhysicalDeviceImageFormatProperties2;
        "vkGetPhysicalDeviceSparseImageFormatProperties" => instance::get_physical_device_sparse_image_format_properties as PFN_vkGetPhysicalDeviceSparseImageFormatProperties;
        "vkGetPhysicalDeviceSparseImageFormatProperties2" "vkGetPhysicalDeviceSparseImageFormatProperties2KHR" => instance::get_physical_device_sparse_image_format_properties2 as PFN_vkGetPhysicalDeviceSparseImageFormatProperties2;
        "vkGetPhysicalDeviceExternalBufferProperties" "vkGetPhysicalDeviceExternalBufferPropertiesKHR" => instance::get_physical_device_external_buffer_properties as PFN_vkGetPhysicalDeviceExternalBufferProperties;
        "vkGetPhysicalDeviceExternalFenceProperties" "vkGetPhysicalDeviceExternalFencePropertiesKHR" => external::sync::get_physical_device_external_fence_properties as PFN_vkGetPhysicalDeviceExternalFenceProperties;
        "vkGetPhysicalDeviceExternalSemaphoreProperties" "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR" => external::sync::get_physical_device_external_semaphore_properties as PFN_vkGetPhysicalDeviceExternalSemaphoreProperties;
        "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR" "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT" => tools::get_physical_device_calibrateable_time_domains_khr as PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR;
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR" => cooperative::get_physical_device_cooperative_matrix_properties_khr as PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR;
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV" => cooperative::get_physical_device_cooperative_matrix_properties_nv as PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV;
        "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV" => cooperative::get_physical_device_cooperative_matrix_flexible_dimensions_properties_nv as PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV;
        "vkGetPhysicalDeviceCooperativeVectorPropertiesNV" => cooperative::get_physical_device_cooperative_vector_properties_nv as PFN_vkGetPhysicalDeviceCooperativeVectorPropertiesNV;
        "vkGetPhysicalDeviceMultisamplePropertiesEXT" => tools::get_physical_device_multisample_properties_ext as PFN_vkGetPhysicalDeviceMultisamplePropertiesEXT;
        "vkGetPhysicalDeviceFragmentShadingRatesKHR" => tools::get_physical_device_fragment_shading_rates_khr as PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR;
        "vkGetPhysicalDeviceToolProperties" "vkGetPhysicalDeviceToolPropertiesEXT" => tools::get_physical_device_tool_properties as PFN_vkGetPhysicalDeviceToolProperties;
        "vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM" => instrumentation::enumerate_physical_device_shader_instrumentation_metrics_arm as PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM;
        "vkCreateDevice" => device::create_device as PFN_vkCreateDevice;
    }
    Device {
        "vkGetDeviceProcAddr" => get_device_proc_addr as PFN_vkGetDeviceProcAddr;
        "vkSetDebugUtilsObjectNameEXT" => debug::set_debug_utils_object_name_ext as PFN_vkSetDebugUtilsObjectNameEXT;
        "vkSetDebugUtilsObjectTagEXT" => debug::set_debug_utils_object_tag_ext as PFN_vkSetDebugUtilsObjectTagEXT;
        "vkQueueBeginDebugUtilsLabelEXT" => debug::queue_begin_debug_utils_label_ext as PFN_vkQueueBeginDebugUtilsLabelEXT;
        "vkQueueInsertDebugUtilsLabelEXT" => debug::queue_begin_debug_utils_label_ext as PFN_vkQueueInsertDebugUtilsLabelEXT;
        "vkQueueEndDebugUtilsLabelEXT" => debug::queue_end_debug_utils_label_ext as PFN_vkQueueEndDebugUtilsLabelEXT;
        "vkCmdBeginDebugUtilsLabelEXT" => debug::cmd_begin_debug_utils_label_ext as PFN_vkCmdBeginDebugUtilsLabelEXT;
        "vkCmdInsertDebugUtilsLabelEXT" => debug::cmd_begin_debug_utils_label_ext as PFN_vkCmdInsertDebugUtilsLabelEXT;
        "vkCmdEndDebugUtilsLabelEXT" => debug::cmd_end_debug_utils_label_ext as PFN_vkCmdEndDebugUtilsLabelEXT;
        "vkDestroyDevice" => device::destroy_device as PFN_vkDestroyDevice;
        "vkGetDeviceFaultInfoEXT" => device::get_device_fault_info_ext as PFN_vkGetDeviceFaultInfoEXT;
        "vkGetDeviceQueue" => device::get_device_queue as PFN_vkGetDeviceQueue;
        "vkGetDeviceQueue2" => device::get_device_queue2 as PFN_vkGetDeviceQueue2;
        "vkDeviceWaitIdle" => device::device_wait_idle as PFN_vkDeviceWaitIdle;
        "vkQueueWaitIdle" => device::queue_wait_idle as PFN_vkQueueWaitIdle;
        "vkQueueSubmit" => device::queue_submit as PFN_vkQueueSubmit;
        "vkQueueSubmit2" "vkQueueSubmit2KHR" => device::queue_submit2 as PFN_vkQueueSubmit2;
        "vkGetDeviceGroupPeerMemoryFeatures" "vkGetDeviceGroupPeerMemoryFeaturesKHR" => device::get_device_group_peer_memory_features as PFN_vkGetDeviceGroupPeerMemoryFeatures;

        "vkCreateExecutionGraphPipelinesAMDX" => execution_graph::create_execution_graph_pipelines_amdx as PFN_vkCreateExecutionGraphPipelinesAMDX;
        "vkGetExecutionGraphPipelineNodeIndexAMDX" => execution_graph::get_execution_graph_pipeline_node_index_amdx as PFN_vkGetExecutionGraphPipelineNodeIndexAMDX;
        "vkGetExecutionGraphPipelineScratchSizeAMDX" => execution_graph::get_execution_graph_pipeline_scratch_size_amdx as PFN_vkGetExecutionGraphPipelineScratchSizeAMDX;
        "vkCmdInitializeGraphScratchMemoryAMDX" => execution_graph::cmd_initialize_graph_scratch_memory_amdx as PFN_vkCmdInitializeGraphScratchMemoryAMDX;
        "vkCmdDispatchGraphAMDX" => execution_graph::cmd_dispatch_graph_amdx as PFN_vkCmdDispatchGraphAMDX;
        "vkCmdDispatchGraphIndirectAMDX" => execution_graph::cmd_dispatch_graph_indirect_amdx as PFN_vkCmdDispatchGraphIndirectAMDX;
        "vkCmdDispatchGraphIndirectCountAMDX" => execution_graph::cmd_dispatch_graph_indirect_count_amdx as PFN_vkCmdDispatchGraphIndirectCountAMDX;

        "vkCreateShaderInstrumentationARM" => instrumentation::create_shader_instrumentation_arm as PFN_vkCreateShaderInstrumentationARM;
        "vkDestroyShaderInstrumentationARM" => instrumentation::destroy_shader_instrumentation_arm as PFN_vkDestroyShaderInstrumentationARM;
        "vkGetShaderInstrumentationValuesARM" => instrumentation::get_shader_instrumentation_values_arm as PFN_vkGetShaderInstrumentationValuesARM;
        "vkClearShaderInstrumentationMetricsARM" => instrumentation::clear_shader_instrumentation_metrics_arm as PFN_vkClearShaderInstrumentationMetricsARM;
        "vkCmdBeginShaderInstrumentationARM" => instrumentation::cmd_begin_shader_instrumentation_arm as PFN_vkCmdBeginShaderInstrumentationARM;
        "vkCmdEndShaderInstrumentationARM" => instrumentation::cmd_end_shader_instrumentation_arm as PFN_vkCmdEndShaderInstrumentationARM;

        "vkCreatePrivateDataSlot" "vkCreatePrivateDataSlotEXT" => private_data::create_private_data_slot as PFN_vkCreatePrivateDataSlot;
        "vkDestroyPrivateDataSlot" "vkDestroyPrivateDataSlotEXT" => private_data::destroy_private_data_slot as PFN_vkDestroyPrivateDataSlot;
        "vkSetPrivateData" "vkSetPrivateDataEXT" => private_data::set_private_data as PFN_vkSetPrivateData;
        "vkGetPrivateData" "vkGetPrivateDataEXT" => private_data::get_private_data as PFN_vkGetPrivateData;
        "vkGetMemoryFdKHR" => external::get_memory_fd_khr as PFN_vkGetMemoryFdKHR;
        "vkImportFenceFdKHR" => external::sync::import_fence_fd_khr as PFN_vkImportFenceFdKHR;
        "vkGetFenceFdKHR" => external::sync::get_fence_fd_khr as PFN_vkGetFenceFdKHR;
        "vkImportSemaphoreFdKHR" => external::sync::import_semaphore_fd_khr as PFN_vkImportSemaphoreFdKHR;
        "vkGetSemaphoreFdKHR" => external::sync::get_semaphore_fd_khr as PFN_vkGetSemaphoreFdKHR;
        "vkGetMemoryFdPropertiesKHR" => external::get_memory_fd_properties_khr as PFN_vkGetMemoryFdPropertiesKHR;
        "vkGetMemoryHostPointerPropertiesEXT" => external::get_memory_host_pointer_properties_ext as PFN_vkGetMemoryHostPointerPropertiesEXT;
        "vkMapMemory2" "vkMapMemory2KHR" => memory::map_memory2 as PFN_vkMapMemory2;
        "vkUnmapMemory2" "vkUnmapMemory2KHR" => memory::unmap_memory2 as PFN_vkUnmapMemory2;
        "vkGetDeviceBufferMemoryRequirements" "vkGetDeviceBufferMemoryRequirementsKHR" => memory::get_device_buffer_memory_requirements as PFN_vkGetDeviceBufferMemoryRequirements;
        "vkGetCalibratedTimestampsKHR" "vkGetCalibratedTimestampsEXT" => tools::get_calibrated_timestamps_khr as PFN_vkGetCalibratedTimestampsKHR;
        "vkGetPipelineExecutablePropertiesKHR" => tools::get_pipeline_executable_properties_khr as PFN_vkGetPipelineExecutablePropertiesKHR;
        "vkGetPipelineExecutableStatisticsKHR" => tools::get_pipeline_executable_statistics_khr as PFN_vkGetPipelineExecutableStatisticsKHR;
        "vkGetPipelineExecutableInternalRepresentationsKHR" => tools::get_pipeline_executable_internal_representations_khr as PFN_vkGetPipelineExecutableInternalRepresentationsKHR;
        "vkAllocateMemory" => memory::allocate_memory as PFN_vkAllocateMemory;
        "vkFreeMemory" => memory::free_memory as PFN_vkFreeMemory;
        "vkSetDeviceMemoryPriorityEXT" => memory::set_device_memory_priority_ext as PFN_vkSetDeviceMemoryPriorityEXT;
        "vkMapMemory" => memory::map_memory as PFN_vkMapMemory;
        "vkUnmapMemory" => memory::unmap_memory as PFN_vkUnmapMemory;
        "vkFlushMappedMemoryRanges" "vkInvalidateMappedMemoryRanges" => memory::flush_mapped_memory_ranges as PFN_vkFlushMappedMemoryRanges;
        "vkGetDeviceMemoryCommitment" => memory::get_device_memory_commitment as PFN_vkGetDeviceMemoryCommitment;
        "vkCreateBuffer" => memory::create_buffer as PFN_vkCreateBuffer;
        "vkDestroyBuffer" => memory::destroy_buffer as PFN_vkDestroyBuffer;
        "vkGetBufferMemoryRequirements" => memory::get_buffer_memory_requirements as PFN_vkGetBufferMemoryRequirements;
        "vkGetBufferMemoryRequirements2" "vkGetBufferMemoryRequirements2KHR" => memory::get_buffer_memory_requirements2 as PFN_vkGetBufferMemoryRequirements2;
        "vkBindBufferMemory" => memory::bind_buffer_memory as PFN_vkBindBufferMemory;
        "vkBindBufferMemory2" "vkBindBufferMemory2KHR" => memory::bind_buffer_memory2 as PFN_vkBindBufferMemory2;
        "vkGetBufferDeviceAddress" "vkGetBufferDeviceAddressKHR" "vkGetBufferDeviceAddressEXT" => memory::get_buffer_device_address as PFN_vkGetBufferDeviceAddress;
        "vkGetBufferOpaqueCaptureAddress" "vkGetBufferOpaqueCaptureAddressKHR" => memory::get_buffer_opaque_capture_address as PFN_vkGetBufferOpaqueCaptureAddress;
        "vkGetDeviceMemoryOpaqueCaptureAddress" "vkGetDeviceMemoryOpaqueCaptureAddressKHR" => memory::get_device_memory_opaque_capture_address as PFN_vkGetDeviceMemoryOpaqueCaptureAddress;
        "vkCreateBufferView" => image::create_buffer_view as PFN_vkCreateBufferView;
        "vkDestroyBufferView" => image::destroy_buffer_view as PFN_vkDestroyBufferView;
        "vkCreateImage" => image::create_image as PFN_vkCreateImage;
        "vkDestroyImage" => image::destroy_image as PFN_vkDestroyImage;

        "vkCreateFence" => sync::create_fence as PFN_vkCreateFence;
        "vkDestroyFence" => sync::destroy_fence as PFN_vkDestroyFence;
        "vkResetFences" => sync::reset_fences as PFN_vkResetFences;
        "vkGetFenceStatus" => sync::get_fence_status as PFN_vkGetFenceStatus;
        "vkWaitForFences" => sync::wait_for_fences as PFN_vkWaitForFences;
        "vkCreateSemaphore" => sync::create_semaphore as PFN_vkCreateSemaphore;
        "vkDestroySemaphore" => sync::destroy_semaphore as PFN_vkDestroySemaphore;
        "vkGetSemaphoreCounterValue" "vkGetSemaphoreCounterValueKHR" => sync::get_semaphore_counter_value as PFN_vkGetSemaphoreCounterValue;
        "vkWaitSemaphores" "vkWaitSemaphoresKHR" => sync::wait_semaphores as PFN_vkWaitSemaphores;
        "vkSignalSemaphore" "vkSignalSemaphoreKHR" => sync::signal_semaphore as PFN_vkSignalSemaphore;
        "vkCreateEvent" => sync::create_event as PFN_vkCreateEvent;
        "vkDestroyEvent" => sync::destroy_event as PFN_vkDestroyEvent;
        "vkGetEventStatus" => sync::get_event_status as PFN_vkGetEventStatus;
        "vkSetEvent" => sync::set_event as PFN_vkSetEvent;
        "vkResetEvent" => sync::reset_event as PFN_vkResetEvent;
        "vkCreateQueryPool" => sync::create_query_pool as PFN_vkCreateQueryPool;
        "vkDestroyQueryPool" => sync::destroy_query_pool as PFN_vkDestroyQueryPool;
        "vkResetQueryPool" "vkResetQueryPoolEXT" => sync::reset_query_pool as PFN_vkResetQueryPool;
        "vkGetQueryPoolResults" => sync::get_query_pool_results as PFN_vkGetQueryPoolResults;

        "vkCreateDescriptorSetLayout" => descriptor::create_descriptor_set_layout as PFN_vkCreateDescriptorSetLayout;
        "vkDestroyDescriptorSetLayout" => descriptor::destroy_descriptor_set_layout as PFN_vkDestroyDescriptorSetLayout;
        "vkGetDescriptorSetLayoutSupport" "vkGetDescriptorSetLayoutSupportKHR" => descriptor::get_descriptor_set_layout_support as PFN_vkGetDescriptorSetLayoutSupport;
        "vkCreateDescriptorPool" => descriptor::create_descriptor_pool as PFN_vkCreateDescriptorPool;
        "vkDestroyDescriptorPool" => descriptor::destroy_descriptor_pool as PFN_vkDestroyDescriptorPool;
        "vkResetDescriptorPool" => descriptor::reset_descriptor_pool as PFN_vkResetDescriptorPool;
        "vkAllocateDescriptorSets" => descriptor::allocate_descriptor_sets as PFN_vkAllocateDescriptorSets;
        "vkFreeDescriptorSets" => descriptor::free_descriptor_sets as PFN_vkFreeDescriptorSets;
        "vkUpdateDescriptorSets" => descriptor::update_descriptor_sets as PFN_vkUpdateDescriptorSets;
        "vkCreateDescriptorUpdateTemplate" "vkCreateDescriptorUpdateTemplateKHR" => descriptor::create_descriptor_update_template as PFN_vkCreateDescriptorUpdateTemplate;
        "vkDestroyDescriptorUpdateTemplate" "vkDestroyDescriptorUpdateTemplateKHR" => descriptor::destroy_descriptor_update_template as PFN_vkDestroyDescriptorUpdateTemplate;
        "vkUpdateDescriptorSetWithTemplate" "vkUpdateDescriptorSetWithTemplateKHR" => descriptor::update_descriptor_set_with_template as PFN_vkUpdateDescriptorSetWithTemplate;

        "vkCreateShaderModule" => module::create_shader_module as PFN_vkCreateShaderModule;
        "vkDestroyShaderModule" => module::destroy_shader_module as PFN_vkDestroyShaderModule;
        "vkGetShaderModuleIdentifierEXT" => module::get_shader_module_identifier_ext as PFN_vkGetShaderModuleIdentifierEXT;
        "vkGetShaderModuleCreateInfoIdentifierEXT" => module::get_shader_module_create_info_identifier_ext as PFN_vkGetShaderModuleCreateInfoIdentifierEXT;
        "vkCreateCudaModuleNV" => cuda::create_cuda_module_nv as PFN_vkCreateCudaModuleNV;
        "vkDestroyCudaModuleNV" => cuda::destroy_cuda_module_nv as PFN_vkDestroyCudaModuleNV;
        "vkGetCudaModuleCacheNV" => cuda::get_cuda_module_cache_nv as PFN_vkGetCudaModuleCacheNV;
        "vkCreateCudaFunctionNV" => cuda::create_cuda_function_nv as PFN_vkCreateCudaFunctionNV;
        "vkDestroyCudaFunctionNV" => cuda::destroy_cuda_function_nv as PFN_vkDestroyCudaFunctionNV;
        "vkCmdCudaLaunchKernelNV" => cuda::cmd_cuda_launch_kernel_nv as PFN_vkCmdCudaLaunchKernelNV;
        "vkCmdSetRayTracingPipelineStackSizeKHR" => raytrace::cmd_set_ray_tracing_pipeline_stack_size_khr as PFN_vkCmdSetRayTracingPipelineStackSizeKHR;
        "vkCmdTraceRaysIndirect2KHR" => raytrace::cmd_trace_rays_indirect2_khr as PFN_vkCmdTraceRaysIndirect2KHR;
        "vkCmdTraceRaysIndirectKHR" => raytrace::cmd_trace_rays_indirect_khr as PFN_vkCmdTraceRaysIndirectKHR;
        "vkCmdTraceRaysKHR" => raytrace::cmd_trace_rays_khr as PFN_vkCmdTraceRaysKHR;
        "vkCreateRayTracingPipelinesKHR" => raytrace::create_ray_tracing_pipelines_khr as PFN_vkCreateRayTracingPipelinesKHR;
        "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR" => raytrace::get_ray_tracing_capture_replay_shader_group_handles_khr as PFN_vkGetRayTracingCaptureReplayShaderGroupHandlesKHR;
        "vkGetRayTracingShaderGroupHandlesKHR" => raytrace::get_ray_tracing_capture_replay_shader_group_handles_khr as PFN_vkGetRayTracingShaderGroupHandlesKHR;
        "vkGetRayTracingShaderGroupStackSizeKHR" => raytrace::get_ray_tracing_shader_group_stack_size_khr as PFN_vkGetRayTracingShaderGroupStackSizeKHR;
        "vkBuildAccelerationStructuresKHR" => acceleration_structure::build_acceleration_structures_khr as PFN_vkBuildAccelerationStructuresKHR;
        "vkCmdBuildAccelerationStructuresIndirectKHR" => acceleration_structure::cmd_build_acceleration_structures_indirect_khr as PFN_vkCmdBuildAccelerationStructuresIndirectKHR;
        "vkCmdBuildAccelerationStructuresKHR" => acceleration_structure::cmd_build_acceleration_structures_khr as PFN_vkCmdBuildAccelerationStructuresKHR;
        "vkCmdCopyAccelerationStructureKHR" => acceleration_structure::cmd_copy_acceleration_structure_khr as PFN_vkCmdCopyAccelerationStructureKHR;
        "vkCmdCopyAccelerationStructureToMemoryKHR" => acceleration_structure::cmd_copy_acceleration_structure_to_memory_khr as PFN_vkCmdCopyAccelerationStructureToMemoryKHR;
        "vkCmdCopyMemoryToAccelerationStructureKHR" => acceleration_structure::cmd_copy_memory_to_acceleration_structure_khr as PFN_vkCmdCopyMemoryToAccelerationStructureKHR;
        "vkCmdWriteAccelerationStructuresPropertiesKHR" => acceleration_structure::cmd_write_acceleration_structures_properties_khr as PFN_vkCmdWriteAccelerationStructuresPropertiesKHR;
        "vkCopyAccelerationStructureKHR" => acceleration_structure::copy_acceleration_structure_khr as PFN_vkCopyAccelerationStructureKHR;
        "vkCopyAccelerationStructureToMemoryKHR" => acceleration_structure::copy_acceleration_structure_to_memory_khr as PFN_vkCopyAccelerationStructureToMemoryKHR;
        "vkCopyMemoryToAccelerationStructureKHR" => acceleration_structure::copy_memory_to_acceleration_structure_khr as PFN_vkCopyMemoryToAccelerationStructureKHR;
        "vkCreateAccelerationStructureKHR" => acceleration_structure::create_acceleration_structure_khr as PFN_vkCreateAccelerationStructureKHR;
        "vkDestroyAccelerationStructureKHR" => acceleration_structure::destroy_acceleration_structure_khr as PFN_vkDestroyAccelerationStructureKHR;
        "vkGetAccelerationStructureBuildSizesKHR" => acceleration_structure::get_acceleration_structure_build_sizes_khr as PFN_vkGetAccelerationStructureBuildSizesKHR;
        "vkGetAccelerationStructureDeviceAddressKHR" => acceleration_structure::get_acceleration_structure_device_address_khr as PFN_vkGetAccelerationStructureDeviceAddressKHR;
        "vkGetDeviceAccelerationStructureCompatibilityKHR" => acceleration_structure::get_device_acceleration_structure_compatibility_khr as PFN_vkGetDeviceAccelerationStructureCompatibilityKHR;
        "vkWriteAccelerationStructuresPropertiesKHR" => acceleration_structure::write_acceleration_structures_properties_khr as PFN_vkWriteAccelerationStructuresPropertiesKHR;
        "vkCreateDeferredOperationKHR" => acceleration_structure::create_deferred_operation_khr as PFN_vkCreateDeferredOperationKHR;
        "vkDestroyDeferredOperationKHR" => acceleration_structure::destroy_deferred_operation_khr as PFN_vkDestroyDeferredOperationKHR;
        "vkGetDeferredOperationMaxConcurrencyKHR" => acceleration_structure::get_deferred_operation_max_concurrency_khr as PFN_vkGetDeferredOperationMaxConcurrencyKHR;
        "vkGetDeferredOperationResultKHR" => acceleration_structure::get_deferred_operation_result_khr as PFN_vkGetDeferredOperationResultKHR;
        "vkDeferredOperationJoinKHR" => acceleration_structure::get_deferred_operation_result_khr as PFN_vkDeferredOperationJoinKHR;
        "vkCreateValidationCacheEXT" => module::create_validation_cache_ext as PFN_vkCreateValidationCacheEXT;
        "vkDestroyValidationCacheEXT" => module::destroy_validation_cache_ext as PFN_vkDestroyValidationCacheEXT;
        "vkMergeValidationCachesEXT" => module::merge_validation_caches_ext as PFN_vkMergeValidationCachesEXT;
        "vkGetValidationCacheDataEXT" => module::get_validation_cache_data_ext as PFN_vkGetValidationCacheDataEXT;
        "vkCreatePipelineLayout" => pipeline::create_pipeline_layout as PFN_vkCreatePipelineLayout;
        "vkDestroyPipelineLayout" => pipeline::destroy_pipeline_layout as PFN_vkDestroyPipelineLayout;
        "vkCreatePipelineCache" => pipeline::create_pipeline_cache as PFN_vkCreatePipelineCache;
        "vkDestroyPipelineCache" => pipeline::destroy_pipeline_cache as PFN_vkDestroyPipelineCache;
        "vkGetPipelineCacheData" => pipeline::get_pipeline_cache_data as PFN_vkGetPipelineCacheData;
        "vkMergePipelineCaches" => pipeline::merge_pipeline_caches as PFN_vkMergePipelineCaches;
        "vkCreateComputePipelines" => pipeline::create_compute_pipelines as PFN_vkCreateComputePipelines;
        "vkCreateGraphicsPipelines" => pipeline::create_graphics_pipelines as PFN_vkCreateGraphicsPipelines;
        "vkDestroyPipeline" => pipeline::destroy_pipeline as PFN_vkDestroyPipeline;

        "vkCreateCommandPool" => command::create_command_pool as PFN_vkCreateCommandPool;
        "vkDestroyCommandPool" => command::destroy_command_pool as PFN_vkDestroyCommandPool;
        "vkResetCommandPool" => command::reset_command_pool as PFN_vkResetCommandPool;
        "vkTrimCommandPool" "vkTrimCommandPoolKHR" => command::trim_command_pool as PFN_vkTrimCommandPool;
        "vkAllocateCommandBuffers" => command::allocate_command_buffers as PFN_vkAllocateCommandBuffers;
        "vkFreeCommandBuffers" => command::free_command_buffers as PFN_vkFreeCommandBuffers;
        "vkBeginCommandBuffer" => command::begin_command_buffer as PFN_vkBeginCommandBuffer;
        "vkEndCommandBuffer" => command::end_command_buffer as PFN_vkEndCommandBuffer;
        "vkResetCommandBuffer" => command::reset_command_buffer as PFN_vkResetCommandBuffer;
        "vkCmdBindPipeline" => command::cmd_bind_pipeline as PFN_vkCmdBindPipeline;
        "vkCmdBindDescriptorSets" => command::cmd_bind_descriptor_sets as PFN_vkCmdBindDescriptorSets;
        "vkCmdPushConstants" => command::cmd_push_constants as PFN_vkCmdPushConstants;
        "vkCmdPushDescriptorSet" "vkCmdPushDescriptorSetKHR" => command::cmd_push_descriptor_set as PFN_vkCmdPushDescriptorSet;
        "vkCmdPushDescriptorSetWithTemplate" "vkCmdPushDescriptorSetWithTemplateKHR" => command::cmd_push_descriptor_set_with_template as PFN_vkCmdPushDescriptorSetWithTemplate;
        "vkCmdBindDescriptorSets2" "vkCmdBindDescriptorSets2KHR" => command2::cmd_bind_descriptor_sets2 as PFN_vkCmdBindDescriptorSets2;
        "vkCmdPushConstants2" "vkCmdPushConstants2KHR" => command2::cmd_push_constants2 as PFN_vkCmdPushConstants2;
        "vkCmdPushDescriptorSet2" "vkCmdPushDescriptorSet2KHR" => command2::cmd_push_descriptor_set2 as PFN_vkCmdPushDescriptorSet2;
        "vkCmdPushDescriptorSetWithTemplate2" "vkCmdPushDescriptorSetWithTemplate2KHR" => command2::cmd_push_descriptor_set_with_template2 as PFN_vkCmdPushDescriptorSetWithTemplate2;
        "vkCmdDispatch" => command::cmd_dispatch as PFN_vkCmdDispatch;
        "vkCmdDispatchBase" "vkCmdDispatchBaseKHR" => command::cmd_dispatch_base as PFN_vkCmdDispatchBase;
        "vkCmdSubpassShadingHUAWEI" => command::cmd_subpass_shading_huawei as PFN_vkCmdSubpassShadingHUAWEI;
        "vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI" => pipeline::get_device_subpass_shading_max_workgroup_size_huawei as PFN_vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI;
        "vkCmdDispatchIndirect" => command::cmd_dispatch_indirect as PFN_vkCmdDispatchIndirect;
        "vkCmdCopyBuffer" => command::cmd_copy_buffer as PFN_vkCmdCopyBuffer;
        "vkCmdFillBuffer" => command::cmd_fill_buffer as PFN_vkCmdFillBuffer;
        "vkCmdUpdateBuffer" => command::cmd_update_buffer as PFN_vkCmdUpdateBuffer;
        "vkCmdPipelineBarrier" => command::cmd_pipeline_barrier as PFN_vkCmdPipelineBarrier;
        "vkCmdPipelineBarrier2" "vkCmdPipelineBarrier2KHR" => command::cmd_pipeline_barrier2 as PFN_vkCmdPipelineBarrier2;
        "vkCmdSetEvent" => command::cmd_set_event as PFN_vkCmdSetEvent;
        "vkCmdSetEvent2" "vkCmdSetEvent2KHR" => command::cmd_set_event2 as PFN_vkCmdSetEvent2;
        "vkCmdResetEvent" => command::cmd_reset_event as PFN_vkCmdResetEvent;
        "vkCmdResetEvent2" "vkCmdResetEvent2KHR" => command::cmd_reset_event2 as PFN_vkCmdResetEvent2;
        "vkCmdWaitEvents" => command::cmd_wait_events as PFN_vkCmdWaitEvents;
        "vkCmdWaitEvents2" "vkCmdWaitEvents2KHR" => command::cmd_wait_events2 as PFN_vkCmdWaitEvents2;
        "vkCmdResetQueryPool" => command::cmd_reset_query_pool as PFN_vkCmdResetQueryPool;
        "vkCmdBeginQuery" => command::cmd_begin_query as PFN_vkCmdBeginQuery;
        "vkCmdEndQuery" => command::cmd_end_query as PFN_vkCmdEndQuery;
        "vkCmdWriteTimestamp" => command::cmd_write_timestamp as PFN_vkCmdWriteTimestamp;
        "vkCmdWriteTimestamp2" "vkCmdWriteTimestamp2KHR" => command::cmd_write_timestamp2 as PFN_vkCmdWriteTimestamp2;
        "vkCmdCopyQueryPoolResults" => command::cmd_copy_query_pool_results as PFN_vkCmdCopyQueryPoolResults;
        "vkCmdExecuteCommands" => command::cmd_execute_commands as PFN_vkCmdExecuteCommands;
        "vkCmdSetDeviceMask" "vkCmdSetDeviceMaskKHR" => command::cmd_set_device_mask as PFN_vkCmdSetDeviceMask;

        "vkGetImageMemoryRequirements" => image::get_image_memory_requirements as PFN_vkGetImageMemoryRequirements;
        "vkGetImageMemoryRequirements2" "vkGetImageMemoryRequirements2KHR" => image::get_image_memory_requirements2 as PFN_vkGetImageMemoryRequirements2;
        "vkGetDeviceImageMemoryRequirements" "vkGetDeviceImageMemoryRequirementsKHR" => image::get_device_image_memory_requirements as PFN_vkGetDeviceImageMemoryRequirements;
        "vkBindImageMemory" => image::bind_image_memory as PFN_vkBindImageMemory;
        "vkBindImageMemory2" "vkBindImageMemory2KHR" => image::bind_image_memory2 as PFN_vkBindImageMemory2;
        "vkGetImageSparseMemoryRequirements" => image::get_image_sparse_memory_requirements as PFN_vkGetImageSparseMemoryRequirements;
        "vkGetImageSparseMemoryRequirements2" "vkGetImageSparseMemoryRequirements2KHR" => image::get_image_sparse_memory_requirements2 as PFN_vkGetImageSparseMemoryRequirements2;
        "vkGetDeviceImageSparseMemoryRequirements" "vkGetDeviceImageSparseMemoryRequirementsKHR" => image::get_device_image_sparse_memory_requirements as PFN_vkGetDeviceImageSparseMemoryRequirements;
        "vkQueueBindSparse" => image::queue_bind_sparse as PFN_vkQueueBindSparse;
        "vkGetImageSubresourceLayout2" "vkGetImageSubresourceLayout2KHR" "vkGetImageSubresourceLayout2EXT" => image::get_image_subresource_layout2 as PFN_vkGetImageSubresourceLayout2;
        "vkGetDeviceImageSubresourceLayout" "vkGetDeviceImageSubresourceLayoutKHR" => image::get_device_image_subresource_layout as PFN_vkGetDeviceImageSubresourceLayout;
        "vkGetImageSubresourceLayout" => image::get_image_subresource_layout as PFN_vkGetImageSubresourceLayout;
        "vkCreateImageView" => image::create_image_view as PFN_vkCreateImageView;
        "vkDestroyImageView" => image::destroy_image_view as PFN_vkDestroyImageView;
        "vkCreateSampler" => image::create_sampler as PFN_vkCreateSampler;
        "vkDestroySampler" => image::destroy_sampler as PFN_vkDestroySampler;
        "vkCreateSamplerYcbcrConversion" "vkCreateSamplerYcbcrConversionKHR" => image::create_sampler_ycbcr_conversion as PFN_vkCreateSamplerYcbcrConversion;
        "vkDestroySamplerYcbcrConversion" "vkDestroySamplerYcbcrConversionKHR" => image::destroy_sampler_ycbcr_conversion as PFN_vkDestroySamplerYcbcrConversion;

        "vkCmdCopyBuffer2" "vkCmdCopyBuffer2KHR" => transfer::cmd_copy_buffer2 as PFN_vkCmdCopyBuffer2;
        "vkCmdCopyBufferToImage" => transfer::cmd_copy_buffer_to_image as PFN_vkCmdCopyBufferToImage;
        "vkCmdCopyBufferToImage2" "vkCmdCopyBufferToImage2KHR" => transfer::cmd_copy_buffer_to_image2 as PFN_vkCmdCopyBufferToImage2;
        "vkCmdCopyImageToBuffer" => transfer::cmd_copy_image_to_buffer as PFN_vkCmdCopyImageToBuffer;
        "vkCmdCopyImageToBuffer2" "vkCmdCopyImageToBuffer2KHR" => transfer::cmd_copy_image_to_buffer2 as PFN_vkCmdCopyImageToBuffer2;
        "vkCmdCopyImage" => transfer::cmd_copy_image as PFN_vkCmdCopyImage;
        "vkCmdCopyImage2" "vkCmdCopyImage2KHR" => transfer::cmd_copy_image2 as PFN_vkCmdCopyImage2;
        "vkCmdBlitImage" => transfer::cmd_blit_image as PFN_vkCmdBlitImage;
        "vkCmdBlitImage2" "vkCmdBlitImage2KHR" => transfer::cmd_blit_image2 as PFN_vkCmdBlitImage2;
        "vkCmdResolveImage" => transfer::cmd_resolve_image as PFN_vkCmdResolveImage;
        "vkCmdResolveImage2" "vkCmdResolveImage2KHR" => transfer::cmd_resolve_image2 as PFN_vkCmdResolveImage2;
        "vkCmdClearColorImage" => transfer::cmd_clear_color_image as PFN_vkCmdClearColorImage;
        "vkCmdClearDepthStencilImage" => transfer::cmd_clear_depth_stencil_image as PFN_vkCmdClearDepthStencilImage;

        "vkCreateRenderPass" => render::create_render_pass as PFN_vkCreateRenderPass;
        "vkCreateRenderPass2" "vkCreateRenderPass2KHR" => render::create_render_pass2 as PFN_vkCreateRenderPass2;
        "vkDestroyRenderPass" => render::destroy_render_pass as PFN_vkDestroyRenderPass;
        "vkGetRenderAreaGranularity" => render::get_render_area_granularity as PFN_vkGetRenderAreaGranularity;
        "vkGetRenderingAreaGranularity" "vkGetRenderingAreaGranularityKHR" => render::get_rendering_area_granularity as PFN_vkGetRenderingAreaGranularity;
        "vkCreateFramebuffer" => render::create_framebuffer as PFN_vkCreateFramebuffer;
        "vkDestroyFramebuffer" => render::destroy_framebuffer as PFN_vkDestroyFramebuffer;
        "vkCmdBeginRenderPass" => render::cmd_begin_render_pass as PFN_vkCmdBeginRenderPass;
        "vkCmdBeginRenderPass2" "vkCmdBeginRenderPass2KHR" => render::cmd_begin_render_pass2 as PFN_vkCmdBeginRenderPass2;
        "vkCmdNextSubpass" => render::cmd_next_subpass as PFN_vkCmdNextSubpass;
        "vkCmdNextSubpass2" "vkCmdNextSubpass2KHR" => render::cmd_next_subpass2 as PFN_vkCmdNextSubpass2;
        "vkCmdEndRenderPass" => render::cmd_end_render_pass as PFN_vkCmdEndRenderPass;
        "vkCmdEndRenderPass2" "vkCmdEndRenderPass2KHR" => render::cmd_end_render_pass2 as PFN_vkCmdEndRenderPass2;
        "vkCmdBeginRendering" "vkCmdBeginRenderingKHR" => render::cmd_begin_rendering as PFN_vkCmdBeginRendering;
        "vkCmdEndRendering" "vkCmdEndRenderingKHR" => render::cmd_end_rendering as PFN_vkCmdEndRendering;
        "vkCmdEndRendering2KHR" => render::cmd_end_rendering2_khr as PFN_vkCmdEndRendering2KHR;
        "vkCmdClearAttachments" => render::cmd_clear_attachments as PFN_vkCmdClearAttachments;

        "vkCmdBindVertexBuffers" => draw::cmd_bind_vertex_buffers as PFN_vkCmdBindVertexBuffers;
        "vkCmdBindVertexBuffers2" "vkCmdBindVertexBuffers2EXT" => draw::cmd_bind_vertex_buffers2 as PFN_vkCmdBindVertexBuffers2;
        "vkCmdBindIndexBuffer" => draw::cmd_bind_index_buffer as PFN_vkCmdBindIndexBuffer;
        "vkCmdBeginConditionalRenderingEXT" => draw::cmd_begin_conditional_rendering_ext as PFN_vkCmdBeginConditionalRenderingEXT;
        "vkCmdEndConditionalRenderingEXT" => draw::cmd_end_conditional_rendering_ext as PFN_vkCmdEndConditionalRenderingEXT;
        "vkConvertCooperativeVectorMatrixNV" => cooperative::convert_cooperative_vector_matrix_nv as PFN_vkConvertCooperativeVectorMatrixNV;
        "vkCopyMemoryToImage" "vkCopyMemoryToImageEXT" => host_copy::copy_memory_to_image as PFN_vkCopyMemoryToImage;
        "vkCopyImageToMemory" "vkCopyImageToMemoryEXT" => host_copy::copy_image_to_memory as PFN_vkCopyImageToMemory;
        "vkCopyImageToImage" "vkCopyImageToImageEXT" => host_copy::copy_image_to_image as PFN_vkCopyImageToImage;
        "vkTransitionImageLayout" "vkTransitionImageLayoutEXT" => host_copy::transition_image_layout as PFN_vkTransitionImageLayout;
        "vkCmdDraw" => draw::cmd_draw as PFN_vkCmdDraw;
        "vkCmdDrawIndexed" => draw::cmd_draw_indexed as PFN_vkCmdDrawIndexed;
        "vkCmdDrawIndirect" => draw::cmd_draw_indirect as PFN_vkCmdDrawIndirect;
        "vkCmdDrawIndexedIndirect" => draw::cmd_draw_indexed_indirect as PFN_vkCmdDrawIndexedIndirect;
        "vkCmdDrawIndirectCount" "vkCmdDrawIndirectCountKHR" => draw::cmd_draw_indirect_count as PFN_vkCmdDrawIndirectCount;
        "vkCmdDrawIndexedIndirectCount" "vkCmdDrawIndexedIndirectCountKHR" => draw::cmd_draw_indexed_indirect_count as PFN_vkCmdDrawIndexedIndirectCount;

        "vkCmdSetViewport" => state::cmd_set_viewport as PFN_vkCmdSetViewport;
        "vkCmdSetViewportWithCount" "vkCmdSetViewportWithCountEXT" => state::cmd_set_viewport_with_count as PFN_vkCmdSetViewportWithCount;
        "vkCmdSetScissor" => state::cmd_set_scissor as PFN_vkCmdSetScissor;
        "vkCmdSetScissorWithCount" "vkCmdSetScissorWithCountEXT" => state::cmd_set_scissor_with_count as PFN_vkCmdSetScissorWithCount;
        "vkCmdSetLineWidth" => state::cmd_set_line_width as PFN_vkCmdSetLineWidth;
        "vkCmdSetDepthBias" => state::cmd_set_depth_bias as PFN_vkCmdSetDepthBias;
        "vkCmdSetBlendConstants" => state::cmd_set_blend_constants as PFN_vkCmdSetBlendConstants;
        "vkCmdSetDepthBounds" => state::cmd_set_depth_bounds as PFN_vkCmdSetDepthBounds;
        "vkCmdSetStencilCompareMask" => state::cmd_set_stencil_compare_mask as PFN_vkCmdSetStencilCompareMask;
        "vkCmdSetStencilWriteMask" => state::cmd_set_stencil_write_mask as PFN_vkCmdSetStencilWriteMask;
        "vkCmdSetStencilReference" => state::cmd_set_stencil_reference as PFN_vkCmdSetStencilReference;
        "vkCmdSetStencilOp" "vkCmdSetStencilOpEXT" => state::cmd_set_stencil_op as PFN_vkCmdSetStencilOp;
        "vkCmdSetCullMode" "vkCmdSetCullModeEXT" => state::cmd_set_cull_mode as PFN_vkCmdSetCullMode;
        "vkCmdSetFrontFace" "vkCmdSetFrontFaceEXT" => state::cmd_set_front_face as PFN_vkCmdSetFrontFace;
        "vkCmdSetPrimitiveTopology" "vkCmdSetPrimitiveTopologyEXT" => state::cmd_set_primitive_topology as PFN_vkCmdSetPrimitiveTopology;
        "vkCmdSetDepthTestEnable" "vkCmdSetDepthTestEnableEXT" => state::cmd_set_depth_test_enable as PFN_vkCmdSetDepthTestEnable;
        "vkCmdSetDepthWriteEnable" "vkCmdSetDepthWriteEnableEXT" => state::cmd_set_depth_write_enable as PFN_vkCmdSetDepthWriteEnable;
        "vkCmdSetDepthCompareOp" "vkCmdSetDepthCompareOpEXT" => state::cmd_set_depth_compare_op as PFN_vkCmdSetDepthCompareOp;
        "vkCmdSetDepthBoundsTestEnable" "vkCmdSetDepthBoundsTestEnableEXT" => state::cmd_set_depth_bounds_test_enable as PFN_vkCmdSetDepthBoundsTestEnable;
        "vkCmdSetStencilTestEnable" "vkCmdSetStencilTestEnableEXT" => state::cmd_set_stencil_test_enable as PFN_vkCmdSetStencilTestEnable;
        "vkCmdSetRasterizerDiscardEnable" "vkCmdSetRasterizerDiscardEnableEXT" => state::cmd_set_rasterizer_discard_enable as PFN_vkCmdSetRasterizerDiscardEnable;
        "vkCmdSetDepthBiasEnable" "vkCmdSetDepthBiasEnableEXT" => state::cmd_set_depth_bias_enable as PFN_vkCmdSetDepthBiasEnable;
        "vkCmdSetPrimitiveRestartEnable" "vkCmdSetPrimitiveRestartEnableEXT" => state::cmd_set_primitive_restart_enable as PFN_vkCmdSetPrimitiveRestartEnable;

        // Its type is that of any command which takes one number.
        "vkCmdSetPrimitiveRestartIndexEXT" => draw::cmd_set_primitive_restart_index_ext as PFN_vkCmdSetCoverageToColorLocationNV;
        "vkCmdBindIndexBuffer2" "vkCmdBindIndexBuffer2KHR" => draw::cmd_bind_index_buffer2 as PFN_vkCmdBindIndexBuffer2;
        "vkCmdDrawMeshTasksEXT" => draw::cmd_draw_mesh_tasks_ext as PFN_vkCmdDrawMeshTasksEXT;
        "vkCmdDrawMeshTasksIndirectEXT" => draw::cmd_draw_mesh_tasks_indirect_ext as PFN_vkCmdDrawMeshTasksIndirectEXT;
        "vkCmdDrawMeshTasksIndirectCountEXT" => draw::cmd_draw_mesh_tasks_indirect_count_ext as PFN_vkCmdDrawMeshTasksIndirectCountEXT;
        "vkCmdDrawMeshTasksNV" => draw::cmd_draw_mesh_tasks_nv as PFN_vkCmdDrawMeshTasksNV;
        "vkCmdDrawMeshTasksIndirectNV" => draw::cmd_draw_mesh_tasks_indirect_nv as PFN_vkCmdDrawMeshTasksIndirectNV;
        "vkCmdDrawMeshTasksIndirectCountNV" => draw::cmd_draw_mesh_tasks_indirect_count_nv as PFN_vkCmdDrawMeshTasksIndirectCountNV;
        "vkCmdDrawMultiEXT" => draw::cmd_draw_multi_ext as PFN_vkCmdDrawMultiEXT;
        "vkCmdDrawMultiIndexedEXT" => draw::cmd_draw_multi_indexed_ext as PFN_vkCmdDrawMultiIndexedEXT;
        "vkCmdSetDepthBias2EXT" => state::cmd_set_depth_bias2_ext as PFN_vkCmdSetDepthBias2EXT;
        "vkCmdSetDiscardRectangleEXT" => state::cmd_set_discard_rectangle_ext as PFN_vkCmdSetDiscardRectangleEXT;
        "vkCmdSetDiscardRectangleEnableEXT" => state::cmd_set_discard_rectangle_enable_ext as PFN_vkCmdSetDiscardRectangleEnableEXT;
        "vkCmdSetDiscardRectangleModeEXT" => state::cmd_set_discard_rectangle_mode_ext as PFN_vkCmdSetDiscardRectangleModeEXT;
        "vkCmdSetViewportWScalingNV" => state::cmd_set_viewport_w_scaling_nv as PFN_vkCmdSetViewportWScalingNV;
        "vkCmdSetViewportWScalingEnableNV" => state::cmd_set_viewport_w_scaling_enable_nv as PFN_vkCmdSetViewportWScalingEnableNV;
        "vkCmdSetFragmentShadingRateKHR" => state::cmd_set_fragment_shading_rate_khr as PFN_vkCmdSetFragmentShadingRateKHR;
        "vkCmdSetExclusiveScissorNV" => state::cmd_set_exclusive_scissor_nv as PFN_vkCmdSetExclusiveScissorNV;
        "vkCmdSetExclusiveScissorEnableNV" => state::cmd_set_exclusive_scissor_enable_nv as PFN_vkCmdSetExclusiveScissorEnableNV;
        "vkCmdSetCoverageToColorEnableNV" => state::cmd_set_coverage_to_color_enable_nv as PFN_vkCmdSetCoverageToColorEnableNV;
        "vkCmdSetCoverageToColorLocationNV" => state::cmd_set_coverage_to_color_location_nv as PFN_vkCmdSetCoverageToColorLocationNV;
        "vkCmdSetViewportSwizzleNV" => state::cmd_set_viewport_swizzle_nv as PFN_vkCmdSetViewportSwizzleNV;
        "vkCmdSetRepresentativeFragmentTestEnableNV" => state::cmd_set_representative_fragment_test_enable_nv as PFN_vkCmdSetRepresentativeFragmentTestEnableNV;
        "vkCmdSetSampleLocationsEXT" => state::cmd_set_sample_locations_ext as PFN_vkCmdSetSampleLocationsEXT;
        "vkCmdSetSampleLocationsEnableEXT" => state::cmd_set_sample_locations_enable_ext as PFN_vkCmdSetSampleLocationsEnableEXT;
        "vkCmdSetDepthClampRangeEXT" => state::cmd_set_depth_clamp_range_ext as PFN_vkCmdSetDepthClampRangeEXT;
        "vkCmdSetAttachmentFeedbackLoopEnableEXT" => state::cmd_set_attachment_feedback_loop_enable_ext as PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT;
        "vkCmdSetRasterizationStreamEXT" => state::cmd_set_rasterization_stream_ext as PFN_vkCmdSetRasterizationStreamEXT;
        "vkCmdSetTessellationDomainOriginEXT" => state::cmd_set_tessellation_domain_origin_ext as PFN_vkCmdSetTessellationDomainOriginEXT;
        "vkCmdSetRenderingAttachmentLocations" "vkCmdSetRenderingAttachmentLocationsKHR" => state::cmd_set_rendering_attachment_locations as PFN_vkCmdSetRenderingAttachmentLocations;
        "vkCmdSetRenderingInputAttachmentIndices" "vkCmdSetRenderingInputAttachmentIndicesKHR" => state::cmd_set_rendering_input_attachment_indices as PFN_vkCmdSetRenderingInputAttachmentIndices;
        "vkCmdSetLineStipple" "vkCmdSetLineStippleKHR" "vkCmdSetLineStippleEXT" => state::cmd_set_line_stipple as PFN_vkCmdSetLineStipple;
        "vkCmdSetPatchControlPointsEXT" => state::cmd_set_patch_control_points_ext as PFN_vkCmdSetPatchControlPointsEXT;
        "vkCmdSetLogicOpEXT" => state::cmd_set_logic_op_ext as PFN_vkCmdSetLogicOpEXT;
        "vkCmdSetColorWriteEnableEXT" => state::cmd_set_color_write_enable_ext as PFN_vkCmdSetColorWriteEnableEXT;
        "vkCmdSetVertexInputEXT" => state::cmd_set_vertex_input_ext as PFN_vkCmdSetVertexInputEXT;
        "vkCmdSetLogicOpEnableEXT" => state::cmd_set_logic_op_enable_ext as PFN_vkCmdSetLogicOpEnableEXT;
        "vkCmdSetDepthClampEnableEXT" => state::cmd_set_depth_clamp_enable_ext as PFN_vkCmdSetDepthClampEnableEXT;
        "vkCmdSetDepthClipEnableEXT" => state::cmd_set_depth_clip_enable_ext as PFN_vkCmdSetDepthClipEnableEXT;
        "vkCmdSetDepthClipNegativeOneToOneEXT" => state::cmd_set_depth_clip_negative_one_to_one_ext as PFN_vkCmdSetDepthClipNegativeOneToOneEXT;
        "vkCmdSetPolygonModeEXT" => state::cmd_set_polygon_mode_ext as PFN_vkCmdSetPolygonModeEXT;
        "vkCmdSetRasterizationSamplesEXT" => state::cmd_set_rasterization_samples_ext as PFN_vkCmdSetRasterizationSamplesEXT;
        "vkCmdSetSampleMaskEXT" => state::cmd_set_sample_mask_ext as PFN_vkCmdSetSampleMaskEXT;
        "vkCmdSetAlphaToCoverageEnableEXT" => state::cmd_set_alpha_to_coverage_enable_ext as PFN_vkCmdSetAlphaToCoverageEnableEXT;
        "vkCmdSetAlphaToOneEnableEXT" => state::cmd_set_alpha_to_one_enable_ext as PFN_vkCmdSetAlphaToOneEnableEXT;
        "vkCmdSetColorBlendEnableEXT" => state::cmd_set_color_blend_enable_ext as PFN_vkCmdSetColorBlendEnableEXT;
        "vkCmdSetColorBlendAdvancedEXT" => state::cmd_set_color_blend_advanced_ext as PFN_vkCmdSetColorBlendAdvancedEXT;
        "vkCmdSetColorBlendEquationEXT" => state::cmd_set_color_blend_equation_ext as PFN_vkCmdSetColorBlendEquationEXT;
        "vkCmdSetColorWriteMaskEXT" => state::cmd_set_color_write_mask_ext as PFN_vkCmdSetColorWriteMaskEXT;
        "vkCmdSetProvokingVertexModeEXT" => state::cmd_set_provoking_vertex_mode_ext as PFN_vkCmdSetProvokingVertexModeEXT;
        "vkCmdSetConservativeRasterizationModeEXT" => state::cmd_set_conservative_rasterization_mode_ext as PFN_vkCmdSetConservativeRasterizationModeEXT;
        "vkCmdSetExtraPrimitiveOverestimationSizeEXT" => state::cmd_set_extra_primitive_overestimation_size_ext as PFN_vkCmdSetExtraPrimitiveOverestimationSizeEXT;
        "vkCmdSetLineRasterizationModeEXT" => state::cmd_set_line_rasterization_mode_ext as PFN_vkCmdSetLineRasterizationModeEXT;
        "vkCmdSetLineStippleEnableEXT" => state::cmd_set_line_stipple_enable_ext as PFN_vkCmdSetLineStippleEnableEXT;

        "vkCreatePipelineBinariesKHR" => binary::create_pipeline_binaries_khr as PFN_vkCreatePipelineBinariesKHR;
        "vkDestroyPipelineBinaryKHR" => binary::destroy_pipeline_binary_khr as PFN_vkDestroyPipelineBinaryKHR;
        "vkGetPipelineKeyKHR" => binary::get_pipeline_key_khr as PFN_vkGetPipelineKeyKHR;
        "vkGetPipelineBinaryDataKHR" => binary::get_pipeline_binary_data_khr as PFN_vkGetPipelineBinaryDataKHR;
        "vkReleaseCapturedPipelineDataKHR" => binary::release_captured_pipeline_data_khr as PFN_vkReleaseCapturedPipelineDataKHR;

        "vkCmdBindTransformFeedbackBuffersEXT" => transform_feedback::cmd_bind_transform_feedback_buffers_ext as PFN_vkCmdBindTransformFeedbackBuffersEXT;
        "vkCmdBeginTransformFeedbackEXT" => transform_feedback::cmd_begin_transform_feedback_ext as PFN_vkCmdBeginTransformFeedbackEXT;
        "vkCmdEndTransformFeedbackEXT" => transform_feedback::cmd_end_transform_feedback_ext as PFN_vkCmdEndTransformFeedbackEXT;
        "vkCmdDrawIndirectByteCountEXT" => transform_feedback::cmd_draw_indirect_byte_count_ext as PFN_vkCmdDrawIndirectByteCountEXT;
        "vkCmdBeginQueryIndexedEXT" => transform_feedback::cmd_begin_query_indexed_ext as PFN_vkCmdBeginQueryIndexedEXT;
        "vkCmdEndQueryIndexedEXT" => transform_feedback::cmd_end_query_indexed_ext as PFN_vkCmdEndQueryIndexedEXT;

        "vkCreateTensorARM" => tensor::create_tensor_arm as PFN_vkCreateTensorARM;
        "vkDestroyTensorARM" => tensor::destroy_tensor_arm as PFN_vkDestroyTensorARM;
        "vkCreateTensorViewARM" => tensor::create_tensor_view_arm as PFN_vkCreateTensorViewARM;
        "vkDestroyTensorViewARM" => tensor::destroy_tensor_view_arm as PFN_vkDestroyTensorViewARM;
        "vkGetTensorMemoryRequirementsARM" => tensor::get_tensor_memory_requirements_arm as PFN_vkGetTensorMemoryRequirementsARM;
        "vkGetDeviceTensorMemoryRequirementsARM" => tensor::get_device_tensor_memory_requirements_arm as PFN_vkGetDeviceTensorMemoryRequirementsARM;
        "vkBindTensorMemoryARM" => tensor::bind_tensor_memory_arm as PFN_vkBindTensorMemoryARM;
        "vkGetPhysicalDeviceExternalTensorPropertiesARM" => tensor::get_physical_device_external_tensor_properties_arm as PFN_vkGetPhysicalDeviceExternalTensorPropertiesARM;
        "vkCmdCopyTensorARM" => tensor::cmd_copy_tensor_arm as PFN_vkCmdCopyTensorARM;
        "vkGetTensorOpaqueCaptureDataARM" => tensor::get_tensor_opaque_capture_data_arm as PFN_vkGetTensorOpaqueCaptureDataARM;
        "vkGetTensorOpaqueCaptureDescriptorDataARM" => descriptor_buffer::get_capture_data::<vulkanalia_sys::TensorCaptureDescriptorDataInfoARM> as PFN_vkGetTensorOpaqueCaptureDescriptorDataARM;
        "vkGetTensorViewOpaqueCaptureDescriptorDataARM" => descriptor_buffer::get_capture_data::<vulkanalia_sys::TensorViewCaptureDescriptorDataInfoARM> as PFN_vkGetTensorViewOpaqueCaptureDescriptorDataARM;

        "vkWriteSamplerDescriptorsEXT" => heap::write_sampler_descriptors_ext as PFN_vkWriteSamplerDescriptorsEXT;
        "vkWriteResourceDescriptorsEXT" => heap::write_resource_descriptors_ext as PFN_vkWriteResourceDescriptorsEXT;
        "vkCmdBindSamplerHeapEXT" => heap::cmd_bind_sampler_heap_ext as PFN_vkCmdBindSamplerHeapEXT;
        "vkCmdBindResourceHeapEXT" => heap::cmd_bind_resource_heap_ext as PFN_vkCmdBindResourceHeapEXT;
        "vkCmdPushDataEXT" => heap::cmd_push_data_ext as PFN_vkCmdPushDataEXT;
        "vkGetImageOpaqueCaptureDataEXT" => heap::get_image_opaque_capture_data_ext as PFN_vkGetImageOpaqueCaptureDataEXT;
        "vkGetPhysicalDeviceDescriptorSizeEXT" => heap::get_physical_device_descriptor_size_ext as PFN_vkGetPhysicalDeviceDescriptorSizeEXT;
        "vkRegisterCustomBorderColorEXT" => heap::register_custom_border_color_ext as PFN_vkRegisterCustomBorderColorEXT;
        "vkUnregisterCustomBorderColorEXT" => heap::unregister_custom_border_color_ext as PFN_vkUnregisterCustomBorderColorEXT;

        "vkGetDescriptorSetLayoutSizeEXT" => descriptor_buffer::get_descriptor_set_layout_size_ext as PFN_vkGetDescriptorSetLayoutSizeEXT;
        "vkGetDescriptorSetLayoutBindingOffsetEXT" => descriptor_buffer::get_descriptor_set_layout_binding_offset_ext as PFN_vkGetDescriptorSetLayoutBindingOffsetEXT;
        "vkGetDescriptorEXT" => descriptor_buffer::get_descriptor_ext as PFN_vkGetDescriptorEXT;
        "vkGetBufferOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::BufferCaptureDescriptorDataInfoEXT> as PFN_vkGetBufferOpaqueCaptureDescriptorDataEXT;
        "vkGetImageOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::ImageCaptureDescriptorDataInfoEXT> as PFN_vkGetImageOpaqueCaptureDescriptorDataEXT;
        "vkGetImageViewOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::ImageViewCaptureDescriptorDataInfoEXT> as PFN_vkGetImageViewOpaqueCaptureDescriptorDataEXT;
        "vkGetSamplerOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::SamplerCaptureDescriptorDataInfoEXT> as PFN_vkGetSamplerOpaqueCaptureDescriptorDataEXT;
        "vkCmdBindDescriptorBuffersEXT" => descriptor_buffer::cmd_bind_descriptor_buffers_ext as PFN_vkCmdBindDescriptorBuffersEXT;
        "vkCmdSetDescriptorBufferOffsetsEXT" => descriptor_buffer::cmd_set_descriptor_buffer_offsets_ext as PFN_vkCmdSetDescriptorBufferOffsetsEXT;
        "vkCmdSetDescriptorBufferOffsets2EXT" => descriptor_buffer::cmd_set_descriptor_buffer_offsets2_ext as PFN_vkCmdSetDescriptorBufferOffsets2EXT;
        "vkCmdBindDescriptorBufferEmbeddedSamplersEXT" => descriptor_buffer::cmd_bind_descriptor_buffer_embedded_samplers_ext as PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT;
        "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT" => descriptor_buffer::cmd_bind_descriptor_buffer_embedded_samplers2_ext as PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT;

        "vkCmdConvertCooperativeVectorMatrixNV" => cooperative::cmd_convert_cooperative_vector_matrix_nv as PFN_vkCmdConvertCooperativeVectorMatrixNV;
        "vkCmdCopyMemoryIndirectKHR" => transfer::cmd_copy_memory_indirect_khr as PFN_vkCmdCopyMemoryIndirectKHR;
        "vkCmdCopyMemoryToImageIndirectKHR" => transfer::cmd_copy_memory_to_image_indirect_khr as PFN_vkCmdCopyMemoryToImageIndirectKHR;

        "vkCreateShadersEXT" => object::create_shaders_ext as PFN_vkCreateShadersEXT;
        "vkDestroyShaderEXT" => object::destroy_shader_ext as PFN_vkDestroyShaderEXT;
        "vkGetShaderBinaryDataEXT" => object::get_shader_binary_data_ext as PFN_vkGetShaderBinaryDataEXT;
        "vkCmdBindShadersEXT" => object::cmd_bind_shaders_ext as PFN_vkCmdBindShadersEXT;

        "vkCreateSwapchainKHR" => present::create_swapchain_khr as PFN_vkCreateSwapchainKHR;
        "vkDestroySwapchainKHR" => present::destroy_swapchain_khr as PFN_vkDestroySwapchainKHR;
        "vkGetSwapchainImagesKHR" => present::get_swapchain_images_khr as PFN_vkGetSwapchainImagesKHR;
        "vkAcquireNextImageKHR" => present::acquire_next_image_khr as PFN_vkAcquireNextImageKHR;
        "vkAcquireNextImage2KHR" => present::acquire_next_image2_khr as PFN_vkAcquireNextImage2KHR;
        "vkWaitForPresentKHR" => present::progress::wait_for_present_khr as PFN_vkWaitForPresentKHR;
        "vkWaitForPresent2KHR" => present::progress::wait_for_present2_khr as PFN_vkWaitForPresent2KHR;
        "vkReleaseSwapchainImagesKHR" "vkReleaseSwapchainImagesEXT" => present::progress::release_swapchain_images_khr as PFN_vkReleaseSwapchainImagesKHR;
        "vkQueuePresentKHR" => present::queue_present_khr as PFN_vkQueuePresentKHR;
        "vkGetDeviceGroupPresentCapabilitiesKHR" => present::get_device_group_present_capabilities_khr as PFN_vkGetDeviceGroupPresentCapabilitiesKHR;
        "vkGetDeviceGroupSurfacePresentModesKHR" => present::get_device_group_surface_present_modes_khr as PFN_vkGetDeviceGroupSurfacePresentModesKHR;
    }
}

/// Whether one of those who bring a command is there. What nobody brings is of Vulkan 1.0.
fn provided(number: usize, version: impl Fn(u32, u32) -> bool, extension: impl Fn(&str) -> bool) -> bool {
    let mut rows = PROVIDED_BY[number];
    if rows == 0 {
        return true;
    }
    while rows != 0 {
        let found = match PROVIDERS[rows.trailing_zeros() as usize].0 {
            Provider::Version(major, minor) => version(major, minor),
            Provider::Extension(name) => extension(name),
        };
        if found {
            return true;
        }
        rows &= rows - 1;
    }
    false
}

fn look_up(name: &[u8]) -> Option<(usize, &'static Command)> {
    number(&INDEX, name).map(|number| (number, &COMMANDS[number]))
}

/// The command of this name that needs no instance.
pub(crate) fn global(name: &[u8]) -> vk::PFN_vkVoidFunction {
    let global = [
        "vkGetInstanceProcAddr",
        "vkCreateInstance",
        "vkEnumerateInstanceVersion",
        "vkEnumerateInstanceExtensionProperties",
        "vkEnumerateInstanceLayerProperties",
    ];
    let is_global = global.iter().any(|global| global.as_bytes() == name);
    look_up(name).filter(|_| is_global).map(|(_, command)| command.body)
}

/// The command of this name for an instance: of the core, of an enabled instance extension, or of a device
/// extension that there is (specification, `vkGetInstanceProcAddr`).
pub(crate) fn for_instance(instance: &Instance, name: &[u8]) -> vk::PFN_vkVoidFunction {
    let (number, command) = look_up(name)?;
    let extension =
        |name: &str| instance.extensions.contains(&name) || extensions::of_devices(name).is_some();
    provided(number, |_, _| true, extension).then_some(command.body)
}

/// The command of this name on a device: of a version that the application uses, or of an enabled extension
/// (specification, `vkGetDeviceProcAddr`).
pub(crate) fn for_device(instance: &Instance, device: &Device, name: &[u8]) -> vk::PFN_vkVoidFunction {
    let (number, command) = look_up(name)?;
    let version = |major, minor| device.api_version >= vk::make_version(major, minor, 0);
    let extension = |name: &str| device.extensions.contains(&name) || instance.extensions.contains(&name);
    (command.level == Level::Device && provided(number, version, extension)).then_some(command.body)
}

/// Whether its first argument is a physical device.
pub(crate) fn is_physical_device_command(name: &[u8]) -> bool {
    look_up(name).is_some_and(|(_, command)| command.level == Level::PhysicalDevice)
}

/// Whether there is a command of this name.
#[cfg(test)]
pub(crate) fn is_command(name: &str) -> bool {
    look_up(name.as_bytes()).is_some()
}

/// The name of the command whose body a Rust path is in, such as a closure's in it.
pub(crate) fn name_of(path: &str) -> Option<&'static str> {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let holds = |command: &&Command| {
        path.match_indices(command.path)
            .any(|(at, found)| path[..at].ends_with("::") && !is_word(path.as_bytes().get(at + found.len())))
    };
    COMMANDS.iter().find(holds).map(|command| command.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for (expected, name) in NAMES.iter().enumerate() {
            assert_eq!(number(&INDEX, name.as_bytes()), Some(expected));
            assert_eq!(COMMANDS[expected].name, *name);
        }
        for name in ["", "vk", "vkCmdDrawX", "vkCmdDra", "vkNotThere"] {
            assert_eq!(number(&INDEX, name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn commands_of_extensions_have_providers() {
        for (number, name) in NAMES.iter().enumerate() {
            let of_extension = name.ends_with(|last: char| last.is_ascii_uppercase());
            assert!(!of_extension || PROVIDED_BY[number] != 0, "{name}");
        }
    }

    #[test]
    fn commands_are_known_by_their_bodies() {
        let name = |path| name_of(path);
        assert_eq!(name("pyro_icd::command::bind_pipeline::{{closure}}"), Some("vkCmdBindPipeline"));
        let nested = "pyro_icd::command::record<pyro_icd::transfer::copy_image2::{{closure}}>::{{closure}}";
        assert_eq!(name(nested), Some("vkCmdCopyImage2"));
        assert_eq!(name("pyro_icd::command::record"), None);
    }
}
