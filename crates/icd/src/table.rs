//! The commands that exist, by name.

use crate::device::Device;
use crate::host_copy;
use crate::instance::Instance;
use crate::provider::{PROVIDERS, Provider};
use crate::{
    binary, command, command2, cooperative, cuda, debug, descriptor, descriptor_buffer, device, draw,
    external, feedback, get_device_proc_addr, get_instance_proc_addr, graph, heap, image, instance,
    instrumentation, memory, module, object, pipeline, present, private_data, raytrace, render, state,
    structure, sync, tensor, tools, transfer,
};
use pyro_driver::caps::extensions;
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
        "vkEnumerateInstanceLayerProperties" => instance::enumerate_layer_properties as PFN_vkEnumerateInstanceLayerProperties;
        "vkCreateInstance" => instance::create_instance as PFN_vkCreateInstance;
        "vkDestroyInstance" => instance::destroy_instance as PFN_vkDestroyInstance;
        "vkEnumeratePhysicalDevices" => instance::enumerate_physical_devices as PFN_vkEnumeratePhysicalDevices;
        "vkEnumeratePhysicalDeviceGroups" "vkEnumeratePhysicalDeviceGroupsKHR" => instance::enumerate_physical_device_groups as PFN_vkEnumeratePhysicalDeviceGroups;
        "vkCreateHeadlessSurfaceEXT" => present::create_headless_surface as PFN_vkCreateHeadlessSurfaceEXT;
        "vkCreateXcbSurfaceKHR" => present::create_xcb_surface as PFN_vkCreateXcbSurfaceKHR;
        "vkCreateXlibSurfaceKHR" => present::create_xlib_surface as PFN_vkCreateXlibSurfaceKHR;
        "vkCreateDebugUtilsMessengerEXT" => debug::create_messenger as PFN_vkCreateDebugUtilsMessengerEXT;
        "vkDestroyDebugUtilsMessengerEXT" => debug::destroy_messenger as PFN_vkDestroyDebugUtilsMessengerEXT;
        "vkSubmitDebugUtilsMessageEXT" => debug::submit_message as PFN_vkSubmitDebugUtilsMessageEXT;
        "vkCreateDebugReportCallbackEXT" => debug::create_report_callback as PFN_vkCreateDebugReportCallbackEXT;
        "vkDestroyDebugReportCallbackEXT" => debug::destroy_report_callback as PFN_vkDestroyDebugReportCallbackEXT;
        "vkDebugReportMessageEXT" => debug::report_message as PFN_vkDebugReportMessageEXT;
        "vkDestroySurfaceKHR" => present::destroy_surface as PFN_vkDestroySurfaceKHR;
    }
    PhysicalDevice {
        "vkGetPhysicalDeviceXcbPresentationSupportKHR" => present::get_xcb_presentation_support as PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR;
        "vkGetPhysicalDeviceXlibPresentationSupportKHR" => present::get_xlib_presentation_support as PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR;
        "vkGetPhysicalDeviceSurfaceSupportKHR" => present::get_surface_support as PFN_vkGetPhysicalDeviceSurfaceSupportKHR;
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR" => present::get_surface_capabilities as PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR;
        "vkGetPhysicalDeviceSurfaceCapabilities2KHR" => present::get_surface_capabilities2 as PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR;
        "vkGetPhysicalDeviceSurfaceFormatsKHR" => present::get_surface_formats as PFN_vkGetPhysicalDeviceSurfaceFormatsKHR;
        "vkGetPhysicalDeviceSurfaceFormats2KHR" => present::get_surface_formats2 as PFN_vkGetPhysicalDeviceSurfaceFormats2KHR;
        "vkGetPhysicalDeviceSurfacePresentModesKHR" => present::get_surface_present_modes as PFN_vkGetPhysicalDeviceSurfacePresentModesKHR;
        "vkGetPhysicalDevicePresentRectanglesKHR" => present::get_present_rectangles as PFN_vkGetPhysicalDevicePresentRectanglesKHR;
        "vkEnumerateDeviceExtensionProperties" => instance::enumerate_device_extension_properties as PFN_vkEnumerateDeviceExtensionProperties;
        "vkEnumerateDeviceLayerProperties" => instance::enumerate_device_layer_properties as PFN_vkEnumerateDeviceLayerProperties;
        "vkGetPhysicalDeviceFeatures" => instance::get_features as PFN_vkGetPhysicalDeviceFeatures;
        "vkGetPhysicalDeviceFeatures2" "vkGetPhysicalDeviceFeatures2KHR" => instance::get_features2 as PFN_vkGetPhysicalDeviceFeatures2;
        "vkGetPhysicalDeviceProperties" => instance::get_properties as PFN_vkGetPhysicalDeviceProperties;
        "vkGetPhysicalDeviceProperties2" "vkGetPhysicalDeviceProperties2KHR" => instance::get_properties2 as PFN_vkGetPhysicalDeviceProperties2;
        "vkGetPhysicalDeviceMemoryProperties" => instance::get_memory_properties as PFN_vkGetPhysicalDeviceMemoryProperties;
        "vkGetPhysicalDeviceMemoryProperties2" "vkGetPhysicalDeviceMemoryProperties2KHR" => instance::get_memory_properties2 as PFN_vkGetPhysicalDeviceMemoryProperties2;
        "vkGetPhysicalDeviceQueueFamilyProperties" => instance::get_queue_family_properties as PFN_vkGetPhysicalDeviceQueueFamilyProperties;
        "vkGetPhysicalDeviceQueueFamilyProperties2" "vkGetPhysicalDeviceQueueFamilyProperties2KHR" => instance::get_queue_family_properties2 as PFN_vkGetPhysicalDeviceQueueFamilyProperties2;
        "vkGetPhysicalDeviceFormatProperties" => image::get_format_properties as PFN_vkGetPhysicalDeviceFormatProperties;
        "vkGetPhysicalDeviceFormatProperties2" "vkGetPhysicalDeviceFormatProperties2KHR" => image::get_format_properties2 as PFN_vkGetPhysicalDeviceFormatProperties2;
        "vkGetPhysicalDeviceImageFormatProperties" => image::get_image_format_properties as PFN_vkGetPhysicalDeviceImageFormatProperties;
        "vkGetPhysicalDeviceImageFormatProperties2" "vkGetPhysicalDeviceImageFormatProperties2KHR" => image::get_image_format_properties2 as PFN_vkGetPhysicalDeviceImageFormatProperties2;
        "vkGetPhysicalDeviceSparseImageFormatProperties" => instance::get_sparse_image_format_properties as PFN_vkGetPhysicalDeviceSparseImageFormatProperties;
        "vkGetPhysicalDeviceSparseImageFormatProperties2" "vkGetPhysicalDeviceSparseImageFormatProperties2KHR" => instance::get_sparse_image_format_properties2 as PFN_vkGetPhysicalDeviceSparseImageFormatProperties2;
        "vkGetPhysicalDeviceExternalBufferProperties" "vkGetPhysicalDeviceExternalBufferPropertiesKHR" => instance::get_external_buffer_properties as PFN_vkGetPhysicalDeviceExternalBufferProperties;
        "vkGetPhysicalDeviceExternalFenceProperties" "vkGetPhysicalDeviceExternalFencePropertiesKHR" => external::sync::get_fence_properties as PFN_vkGetPhysicalDeviceExternalFenceProperties;
        "vkGetPhysicalDeviceExternalSemaphoreProperties" "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR" => external::sync::get_semaphore_properties as PFN_vkGetPhysicalDeviceExternalSemaphoreProperties;
        "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR" "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT" => tools::get_time_domains as PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR;
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR" => cooperative::get_matrix_properties as PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR;
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV" => cooperative::get_matrix_properties_nv as PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV;
        "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV" => cooperative::get_flexible_properties as PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV;
        "vkGetPhysicalDeviceCooperativeVectorPropertiesNV" => cooperative::get_vector_properties as PFN_vkGetPhysicalDeviceCooperativeVectorPropertiesNV;
        "vkGetPhysicalDeviceMultisamplePropertiesEXT" => tools::get_multisample_properties as PFN_vkGetPhysicalDeviceMultisamplePropertiesEXT;
        "vkGetPhysicalDeviceFragmentShadingRatesKHR" => tools::get_fragment_shading_rates as PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR;
        "vkGetPhysicalDeviceToolProperties" "vkGetPhysicalDeviceToolPropertiesEXT" => tools::get_tool_properties as PFN_vkGetPhysicalDeviceToolProperties;
        "vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM" => instrumentation::enumerate_metrics as PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM;
        "vkCreateDevice" => device::create_device as PFN_vkCreateDevice;
    }
    Device {
        "vkGetDeviceProcAddr" => get_device_proc_addr as PFN_vkGetDeviceProcAddr;
        "vkSetDebugUtilsObjectNameEXT" => debug::set_object_name as PFN_vkSetDebugUtilsObjectNameEXT;
        "vkSetDebugUtilsObjectTagEXT" => debug::set_object_tag as PFN_vkSetDebugUtilsObjectTagEXT;
        "vkQueueBeginDebugUtilsLabelEXT" => debug::queue_label as PFN_vkQueueBeginDebugUtilsLabelEXT;
        "vkQueueInsertDebugUtilsLabelEXT" => debug::queue_label as PFN_vkQueueInsertDebugUtilsLabelEXT;
        "vkQueueEndDebugUtilsLabelEXT" => debug::queue_end_label as PFN_vkQueueEndDebugUtilsLabelEXT;
        "vkCmdBeginDebugUtilsLabelEXT" => debug::command_label as PFN_vkCmdBeginDebugUtilsLabelEXT;
        "vkCmdInsertDebugUtilsLabelEXT" => debug::command_label as PFN_vkCmdInsertDebugUtilsLabelEXT;
        "vkCmdEndDebugUtilsLabelEXT" => debug::command_end_label as PFN_vkCmdEndDebugUtilsLabelEXT;
        "vkDestroyDevice" => device::destroy_device as PFN_vkDestroyDevice;
        "vkGetDeviceFaultInfoEXT" => device::get_fault_info as PFN_vkGetDeviceFaultInfoEXT;
        "vkGetDeviceQueue" => device::get_device_queue as PFN_vkGetDeviceQueue;
        "vkGetDeviceQueue2" => device::get_device_queue2 as PFN_vkGetDeviceQueue2;
        "vkDeviceWaitIdle" => device::device_wait_idle as PFN_vkDeviceWaitIdle;
        "vkQueueWaitIdle" => device::queue_wait_idle as PFN_vkQueueWaitIdle;
        "vkQueueSubmit" => device::queue_submit as PFN_vkQueueSubmit;
        "vkQueueSubmit2" "vkQueueSubmit2KHR" => device::queue_submit2 as PFN_vkQueueSubmit2;
        "vkGetDeviceGroupPeerMemoryFeatures" "vkGetDeviceGroupPeerMemoryFeaturesKHR" => device::get_device_group_peer_memory_features as PFN_vkGetDeviceGroupPeerMemoryFeatures;

        "vkCreateExecutionGraphPipelinesAMDX" => graph::create_pipelines as PFN_vkCreateExecutionGraphPipelinesAMDX;
        "vkGetExecutionGraphPipelineNodeIndexAMDX" => graph::get_node_index as PFN_vkGetExecutionGraphPipelineNodeIndexAMDX;
        "vkGetExecutionGraphPipelineScratchSizeAMDX" => graph::get_scratch_size as PFN_vkGetExecutionGraphPipelineScratchSizeAMDX;
        "vkCmdInitializeGraphScratchMemoryAMDX" => graph::initialize_scratch as PFN_vkCmdInitializeGraphScratchMemoryAMDX;
        "vkCmdDispatchGraphAMDX" => graph::dispatch as PFN_vkCmdDispatchGraphAMDX;
        "vkCmdDispatchGraphIndirectAMDX" => graph::dispatch_indirect as PFN_vkCmdDispatchGraphIndirectAMDX;
        "vkCmdDispatchGraphIndirectCountAMDX" => graph::dispatch_indirect_count as PFN_vkCmdDispatchGraphIndirectCountAMDX;

        "vkCreateShaderInstrumentationARM" => instrumentation::create as PFN_vkCreateShaderInstrumentationARM;
        "vkDestroyShaderInstrumentationARM" => instrumentation::destroy as PFN_vkDestroyShaderInstrumentationARM;
        "vkGetShaderInstrumentationValuesARM" => instrumentation::get_values as PFN_vkGetShaderInstrumentationValuesARM;
        "vkClearShaderInstrumentationMetricsARM" => instrumentation::clear as PFN_vkClearShaderInstrumentationMetricsARM;
        "vkCmdBeginShaderInstrumentationARM" => instrumentation::begin as PFN_vkCmdBeginShaderInstrumentationARM;
        "vkCmdEndShaderInstrumentationARM" => instrumentation::end as PFN_vkCmdEndShaderInstrumentationARM;

        "vkCreatePrivateDataSlot" "vkCreatePrivateDataSlotEXT" => private_data::create_slot as PFN_vkCreatePrivateDataSlot;
        "vkDestroyPrivateDataSlot" "vkDestroyPrivateDataSlotEXT" => private_data::destroy_slot as PFN_vkDestroyPrivateDataSlot;
        "vkSetPrivateData" "vkSetPrivateDataEXT" => private_data::set as PFN_vkSetPrivateData;
        "vkGetPrivateData" "vkGetPrivateDataEXT" => private_data::get as PFN_vkGetPrivateData;
        "vkGetMemoryFdKHR" => external::get_memory_fd as PFN_vkGetMemoryFdKHR;
        "vkImportFenceFdKHR" => external::sync::import_fence_fd as PFN_vkImportFenceFdKHR;
        "vkGetFenceFdKHR" => external::sync::get_fence_fd as PFN_vkGetFenceFdKHR;
        "vkImportSemaphoreFdKHR" => external::sync::import_semaphore_fd as PFN_vkImportSemaphoreFdKHR;
        "vkGetSemaphoreFdKHR" => external::sync::get_semaphore_fd as PFN_vkGetSemaphoreFdKHR;
        "vkGetMemoryFdPropertiesKHR" => external::get_memory_fd_properties as PFN_vkGetMemoryFdPropertiesKHR;
        "vkGetMemoryHostPointerPropertiesEXT" => external::get_memory_host_pointer_properties as PFN_vkGetMemoryHostPointerPropertiesEXT;
        "vkMapMemory2" "vkMapMemory2KHR" => memory::map_memory2 as PFN_vkMapMemory2;
        "vkUnmapMemory2" "vkUnmapMemory2KHR" => memory::unmap_memory2 as PFN_vkUnmapMemory2;
        "vkGetDeviceBufferMemoryRequirements" "vkGetDeviceBufferMemoryRequirementsKHR" => memory::get_device_buffer_memory_requirements as PFN_vkGetDeviceBufferMemoryRequirements;
        "vkGetCalibratedTimestampsKHR" "vkGetCalibratedTimestampsEXT" => tools::get_calibrated_timestamps as PFN_vkGetCalibratedTimestampsKHR;
        "vkGetPipelineExecutablePropertiesKHR" => tools::get_executable_properties as PFN_vkGetPipelineExecutablePropertiesKHR;
        "vkGetPipelineExecutableStatisticsKHR" => tools::get_executable_statistics as PFN_vkGetPipelineExecutableStatisticsKHR;
        "vkGetPipelineExecutableInternalRepresentationsKHR" => tools::get_executable_representations as PFN_vkGetPipelineExecutableInternalRepresentationsKHR;
        "vkAllocateMemory" => memory::allocate_memory as PFN_vkAllocateMemory;
        "vkFreeMemory" => memory::free_memory as PFN_vkFreeMemory;
        "vkSetDeviceMemoryPriorityEXT" => memory::set_device_memory_priority as PFN_vkSetDeviceMemoryPriorityEXT;
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
        "vkWaitSemaphores" "vkWaitSemaphoresKHR" => sync::wait_semaphores_ as PFN_vkWaitSemaphores;
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

        "vkCreateDescriptorSetLayout" => descriptor::create_set_layout as PFN_vkCreateDescriptorSetLayout;
        "vkDestroyDescriptorSetLayout" => descriptor::destroy_set_layout as PFN_vkDestroyDescriptorSetLayout;
        "vkGetDescriptorSetLayoutSupport" "vkGetDescriptorSetLayoutSupportKHR" => descriptor::get_set_layout_support as PFN_vkGetDescriptorSetLayoutSupport;
        "vkCreateDescriptorPool" => descriptor::create_pool as PFN_vkCreateDescriptorPool;
        "vkDestroyDescriptorPool" => descriptor::destroy_pool as PFN_vkDestroyDescriptorPool;
        "vkResetDescriptorPool" => descriptor::reset_pool as PFN_vkResetDescriptorPool;
        "vkAllocateDescriptorSets" => descriptor::allocate_sets as PFN_vkAllocateDescriptorSets;
        "vkFreeDescriptorSets" => descriptor::free_sets as PFN_vkFreeDescriptorSets;
        "vkUpdateDescriptorSets" => descriptor::update_sets as PFN_vkUpdateDescriptorSets;
        "vkCreateDescriptorUpdateTemplate" "vkCreateDescriptorUpdateTemplateKHR" => descriptor::create_template as PFN_vkCreateDescriptorUpdateTemplate;
        "vkDestroyDescriptorUpdateTemplate" "vkDestroyDescriptorUpdateTemplateKHR" => descriptor::destroy_template as PFN_vkDestroyDescriptorUpdateTemplate;
        "vkUpdateDescriptorSetWithTemplate" "vkUpdateDescriptorSetWithTemplateKHR" => descriptor::update_set_with_template as PFN_vkUpdateDescriptorSetWithTemplate;

        "vkCreateShaderModule" => module::create_shader_module as PFN_vkCreateShaderModule;
        "vkDestroyShaderModule" => module::destroy_shader_module as PFN_vkDestroyShaderModule;
        "vkGetShaderModuleIdentifierEXT" => module::get_identifier as PFN_vkGetShaderModuleIdentifierEXT;
        "vkGetShaderModuleCreateInfoIdentifierEXT" => module::get_create_info_identifier as PFN_vkGetShaderModuleCreateInfoIdentifierEXT;
        "vkCreateCudaModuleNV" => cuda::create_module as PFN_vkCreateCudaModuleNV;
        "vkDestroyCudaModuleNV" => cuda::destroy_module as PFN_vkDestroyCudaModuleNV;
        "vkGetCudaModuleCacheNV" => cuda::get_module_cache as PFN_vkGetCudaModuleCacheNV;
        "vkCreateCudaFunctionNV" => cuda::create_function as PFN_vkCreateCudaFunctionNV;
        "vkDestroyCudaFunctionNV" => cuda::destroy_function as PFN_vkDestroyCudaFunctionNV;
        "vkCmdCudaLaunchKernelNV" => cuda::launch_kernel as PFN_vkCmdCudaLaunchKernelNV;
        "vkCmdSetRayTracingPipelineStackSizeKHR" => raytrace::set_stack_size as PFN_vkCmdSetRayTracingPipelineStackSizeKHR;
        "vkCmdTraceRaysIndirect2KHR" => raytrace::trace_rays_indirect2 as PFN_vkCmdTraceRaysIndirect2KHR;
        "vkCmdTraceRaysIndirectKHR" => raytrace::trace_rays_indirect as PFN_vkCmdTraceRaysIndirectKHR;
        "vkCmdTraceRaysKHR" => raytrace::trace_rays as PFN_vkCmdTraceRaysKHR;
        "vkCreateRayTracingPipelinesKHR" => raytrace::create_pipelines as PFN_vkCreateRayTracingPipelinesKHR;
        "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR" => raytrace::get_handles as PFN_vkGetRayTracingCaptureReplayShaderGroupHandlesKHR;
        "vkGetRayTracingShaderGroupHandlesKHR" => raytrace::get_handles as PFN_vkGetRayTracingShaderGroupHandlesKHR;
        "vkGetRayTracingShaderGroupStackSizeKHR" => raytrace::get_stack_size as PFN_vkGetRayTracingShaderGroupStackSizeKHR;
        "vkBuildAccelerationStructuresKHR" => structure::host_build as PFN_vkBuildAccelerationStructuresKHR;
        "vkCmdBuildAccelerationStructuresIndirectKHR" => structure::command_build_indirect as PFN_vkCmdBuildAccelerationStructuresIndirectKHR;
        "vkCmdBuildAccelerationStructuresKHR" => structure::command_build as PFN_vkCmdBuildAccelerationStructuresKHR;
        "vkCmdCopyAccelerationStructureKHR" => structure::command_copy as PFN_vkCmdCopyAccelerationStructureKHR;
        "vkCmdCopyAccelerationStructureToMemoryKHR" => structure::command_serialize as PFN_vkCmdCopyAccelerationStructureToMemoryKHR;
        "vkCmdCopyMemoryToAccelerationStructureKHR" => structure::command_deserialize as PFN_vkCmdCopyMemoryToAccelerationStructureKHR;
        "vkCmdWriteAccelerationStructuresPropertiesKHR" => structure::command_write_properties as PFN_vkCmdWriteAccelerationStructuresPropertiesKHR;
        "vkCopyAccelerationStructureKHR" => structure::host_copy as PFN_vkCopyAccelerationStructureKHR;
        "vkCopyAccelerationStructureToMemoryKHR" => structure::host_serialize as PFN_vkCopyAccelerationStructureToMemoryKHR;
        "vkCopyMemoryToAccelerationStructureKHR" => structure::host_deserialize as PFN_vkCopyMemoryToAccelerationStructureKHR;
        "vkCreateAccelerationStructureKHR" => structure::create as PFN_vkCreateAccelerationStructureKHR;
        "vkDestroyAccelerationStructureKHR" => structure::destroy as PFN_vkDestroyAccelerationStructureKHR;
        "vkGetAccelerationStructureBuildSizesKHR" => structure::get_build_sizes as PFN_vkGetAccelerationStructureBuildSizesKHR;
        "vkGetAccelerationStructureDeviceAddressKHR" => structure::get_device_address as PFN_vkGetAccelerationStructureDeviceAddressKHR;
        "vkGetDeviceAccelerationStructureCompatibilityKHR" => structure::get_compatibility as PFN_vkGetDeviceAccelerationStructureCompatibilityKHR;
        "vkWriteAccelerationStructuresPropertiesKHR" => structure::host_write_properties as PFN_vkWriteAccelerationStructuresPropertiesKHR;
        "vkCreateDeferredOperationKHR" => structure::create_deferred as PFN_vkCreateDeferredOperationKHR;
        "vkDestroyDeferredOperationKHR" => structure::destroy_deferred as PFN_vkDestroyDeferredOperationKHR;
        "vkGetDeferredOperationMaxConcurrencyKHR" => structure::get_deferred_max_concurrency as PFN_vkGetDeferredOperationMaxConcurrencyKHR;
        "vkGetDeferredOperationResultKHR" => structure::get_deferred_result as PFN_vkGetDeferredOperationResultKHR;
        "vkDeferredOperationJoinKHR" => structure::get_deferred_result as PFN_vkDeferredOperationJoinKHR;
        "vkCreateValidationCacheEXT" => module::create_validation_cache as PFN_vkCreateValidationCacheEXT;
        "vkDestroyValidationCacheEXT" => module::destroy_validation_cache as PFN_vkDestroyValidationCacheEXT;
        "vkMergeValidationCachesEXT" => module::merge_validation_caches as PFN_vkMergeValidationCachesEXT;
        "vkGetValidationCacheDataEXT" => module::get_validation_cache_data as PFN_vkGetValidationCacheDataEXT;
        "vkCreatePipelineLayout" => pipeline::create_pipeline_layout as PFN_vkCreatePipelineLayout;
        "vkDestroyPipelineLayout" => pipeline::destroy_pipeline_layout as PFN_vkDestroyPipelineLayout;
        "vkCreatePipelineCache" => pipeline::create_pipeline_cache as PFN_vkCreatePipelineCache;
        "vkDestroyPipelineCache" => pipeline::destroy_pipeline_cache as PFN_vkDestroyPipelineCache;
        "vkGetPipelineCacheData" => pipeline::get_pipeline_cache_data as PFN_vkGetPipelineCacheData;
        "vkMergePipelineCaches" => pipeline::merge_pipeline_caches as PFN_vkMergePipelineCaches;
        "vkCreateComputePipelines" => pipeline::create_compute_pipelines as PFN_vkCreateComputePipelines;
        "vkCreateGraphicsPipelines" => pipeline::create_graphics_pipelines as PFN_vkCreateGraphicsPipelines;
        "vkDestroyPipeline" => pipeline::destroy_pipeline as PFN_vkDestroyPipeline;

        "vkCreateCommandPool" => command::create_pool as PFN_vkCreateCommandPool;
        "vkDestroyCommandPool" => command::destroy_pool as PFN_vkDestroyCommandPool;
        "vkResetCommandPool" => command::reset_pool as PFN_vkResetCommandPool;
        "vkTrimCommandPool" "vkTrimCommandPoolKHR" => command::trim_pool as PFN_vkTrimCommandPool;
        "vkAllocateCommandBuffers" => command::allocate_buffers as PFN_vkAllocateCommandBuffers;
        "vkFreeCommandBuffers" => command::free_buffers as PFN_vkFreeCommandBuffers;
        "vkBeginCommandBuffer" => command::begin as PFN_vkBeginCommandBuffer;
        "vkEndCommandBuffer" => command::end as PFN_vkEndCommandBuffer;
        "vkResetCommandBuffer" => command::reset as PFN_vkResetCommandBuffer;
        "vkCmdBindPipeline" => command::bind_pipeline as PFN_vkCmdBindPipeline;
        "vkCmdBindDescriptorSets" => command::bind_sets as PFN_vkCmdBindDescriptorSets;
        "vkCmdPushConstants" => command::push_constants as PFN_vkCmdPushConstants;
        "vkCmdPushDescriptorSet" "vkCmdPushDescriptorSetKHR" => command::push_set as PFN_vkCmdPushDescriptorSet;
        "vkCmdPushDescriptorSetWithTemplate" "vkCmdPushDescriptorSetWithTemplateKHR" => command::push_set_with_template as PFN_vkCmdPushDescriptorSetWithTemplate;
        "vkCmdBindDescriptorSets2" "vkCmdBindDescriptorSets2KHR" => command2::bind_sets2 as PFN_vkCmdBindDescriptorSets2;
        "vkCmdPushConstants2" "vkCmdPushConstants2KHR" => command2::push_constants2 as PFN_vkCmdPushConstants2;
        "vkCmdPushDescriptorSet2" "vkCmdPushDescriptorSet2KHR" => command2::push_set2 as PFN_vkCmdPushDescriptorSet2;
        "vkCmdPushDescriptorSetWithTemplate2" "vkCmdPushDescriptorSetWithTemplate2KHR" => command2::push_set_with_template2 as PFN_vkCmdPushDescriptorSetWithTemplate2;
        "vkCmdDispatch" => command::dispatch as PFN_vkCmdDispatch;
        "vkCmdDispatchBase" "vkCmdDispatchBaseKHR" => command::dispatch_base as PFN_vkCmdDispatchBase;
        "vkCmdSubpassShadingHUAWEI" => command::shade_subpass as PFN_vkCmdSubpassShadingHUAWEI;
        "vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI" => pipeline::subpass_shading_size as PFN_vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI;
        "vkCmdDispatchIndirect" => command::dispatch_indirect as PFN_vkCmdDispatchIndirect;
        "vkCmdCopyBuffer" => command::copy_buffer as PFN_vkCmdCopyBuffer;
        "vkCmdFillBuffer" => command::fill_buffer as PFN_vkCmdFillBuffer;
        "vkCmdUpdateBuffer" => command::update_buffer as PFN_vkCmdUpdateBuffer;
        "vkCmdPipelineBarrier" => command::pipeline_barrier as PFN_vkCmdPipelineBarrier;
        "vkCmdPipelineBarrier2" "vkCmdPipelineBarrier2KHR" => command::pipeline_barrier2 as PFN_vkCmdPipelineBarrier2;
        "vkCmdSetEvent" => command::set_event as PFN_vkCmdSetEvent;
        "vkCmdSetEvent2" "vkCmdSetEvent2KHR" => command::set_event2 as PFN_vkCmdSetEvent2;
        "vkCmdResetEvent" => command::reset_event as PFN_vkCmdResetEvent;
        "vkCmdResetEvent2" "vkCmdResetEvent2KHR" => command::reset_event2 as PFN_vkCmdResetEvent2;
        "vkCmdWaitEvents" => command::wait_events as PFN_vkCmdWaitEvents;
        "vkCmdWaitEvents2" "vkCmdWaitEvents2KHR" => command::wait_events2 as PFN_vkCmdWaitEvents2;
        "vkCmdResetQueryPool" => command::reset_query_pool as PFN_vkCmdResetQueryPool;
        "vkCmdBeginQuery" => command::begin_query as PFN_vkCmdBeginQuery;
        "vkCmdEndQuery" => command::end_query as PFN_vkCmdEndQuery;
        "vkCmdWriteTimestamp" => command::write_timestamp as PFN_vkCmdWriteTimestamp;
        "vkCmdWriteTimestamp2" "vkCmdWriteTimestamp2KHR" => command::write_timestamp2 as PFN_vkCmdWriteTimestamp2;
        "vkCmdCopyQueryPoolResults" => command::copy_query_pool_results as PFN_vkCmdCopyQueryPoolResults;
        "vkCmdExecuteCommands" => command::execute_commands as PFN_vkCmdExecuteCommands;
        "vkCmdSetDeviceMask" "vkCmdSetDeviceMaskKHR" => command::set_device_mask as PFN_vkCmdSetDeviceMask;

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

        "vkCmdCopyBuffer2" "vkCmdCopyBuffer2KHR" => transfer::copy_buffer2 as PFN_vkCmdCopyBuffer2;
        "vkCmdCopyBufferToImage" => transfer::copy_buffer_to_image as PFN_vkCmdCopyBufferToImage;
        "vkCmdCopyBufferToImage2" "vkCmdCopyBufferToImage2KHR" => transfer::copy_buffer_to_image2 as PFN_vkCmdCopyBufferToImage2;
        "vkCmdCopyImageToBuffer" => transfer::copy_image_to_buffer as PFN_vkCmdCopyImageToBuffer;
        "vkCmdCopyImageToBuffer2" "vkCmdCopyImageToBuffer2KHR" => transfer::copy_image_to_buffer2 as PFN_vkCmdCopyImageToBuffer2;
        "vkCmdCopyImage" => transfer::copy_image as PFN_vkCmdCopyImage;
        "vkCmdCopyImage2" "vkCmdCopyImage2KHR" => transfer::copy_image2 as PFN_vkCmdCopyImage2;
        "vkCmdBlitImage" => transfer::blit_image as PFN_vkCmdBlitImage;
        "vkCmdBlitImage2" "vkCmdBlitImage2KHR" => transfer::blit_image2 as PFN_vkCmdBlitImage2;
        "vkCmdResolveImage" => transfer::resolve_image as PFN_vkCmdResolveImage;
        "vkCmdResolveImage2" "vkCmdResolveImage2KHR" => transfer::resolve_image2 as PFN_vkCmdResolveImage2;
        "vkCmdClearColorImage" => transfer::clear_color_image as PFN_vkCmdClearColorImage;
        "vkCmdClearDepthStencilImage" => transfer::clear_depth_stencil_image as PFN_vkCmdClearDepthStencilImage;

        "vkCreateRenderPass" => render::create_render_pass as PFN_vkCreateRenderPass;
        "vkCreateRenderPass2" "vkCreateRenderPass2KHR" => render::create_render_pass2 as PFN_vkCreateRenderPass2;
        "vkDestroyRenderPass" => render::destroy_render_pass as PFN_vkDestroyRenderPass;
        "vkGetRenderAreaGranularity" => render::get_render_area_granularity as PFN_vkGetRenderAreaGranularity;
        "vkGetRenderingAreaGranularity" "vkGetRenderingAreaGranularityKHR" => render::get_rendering_area_granularity as PFN_vkGetRenderingAreaGranularity;
        "vkCreateFramebuffer" => render::create_framebuffer as PFN_vkCreateFramebuffer;
        "vkDestroyFramebuffer" => render::destroy_framebuffer as PFN_vkDestroyFramebuffer;
        "vkCmdBeginRenderPass" => render::begin_render_pass as PFN_vkCmdBeginRenderPass;
        "vkCmdBeginRenderPass2" "vkCmdBeginRenderPass2KHR" => render::begin_render_pass2 as PFN_vkCmdBeginRenderPass2;
        "vkCmdNextSubpass" => render::next_subpass as PFN_vkCmdNextSubpass;
        "vkCmdNextSubpass2" "vkCmdNextSubpass2KHR" => render::next_subpass2 as PFN_vkCmdNextSubpass2;
        "vkCmdEndRenderPass" => render::end_render_pass as PFN_vkCmdEndRenderPass;
        "vkCmdEndRenderPass2" "vkCmdEndRenderPass2KHR" => render::end_render_pass2 as PFN_vkCmdEndRenderPass2;
        "vkCmdBeginRendering" "vkCmdBeginRenderingKHR" => render::begin_rendering as PFN_vkCmdBeginRendering;
        "vkCmdEndRendering" "vkCmdEndRenderingKHR" => render::end_rendering as PFN_vkCmdEndRendering;
        "vkCmdEndRendering2KHR" => render::end_rendering2 as PFN_vkCmdEndRendering2KHR;
        "vkCmdClearAttachments" => render::clear_attachments as PFN_vkCmdClearAttachments;

        "vkCmdBindVertexBuffers" => draw::bind_vertex_buffers as PFN_vkCmdBindVertexBuffers;
        "vkCmdBindVertexBuffers2" "vkCmdBindVertexBuffers2EXT" => draw::bind_vertex_buffers2 as PFN_vkCmdBindVertexBuffers2;
        "vkCmdBindIndexBuffer" => draw::bind_index_buffer as PFN_vkCmdBindIndexBuffer;
        "vkCmdBeginConditionalRenderingEXT" => draw::begin_conditional_rendering as PFN_vkCmdBeginConditionalRenderingEXT;
        "vkCmdEndConditionalRenderingEXT" => draw::end_conditional_rendering as PFN_vkCmdEndConditionalRenderingEXT;
        "vkConvertCooperativeVectorMatrixNV" => cooperative::convert_vector_matrix as PFN_vkConvertCooperativeVectorMatrixNV;
        "vkCopyMemoryToImage" "vkCopyMemoryToImageEXT" => host_copy::copy_memory_to_image as PFN_vkCopyMemoryToImage;
        "vkCopyImageToMemory" "vkCopyImageToMemoryEXT" => host_copy::copy_image_to_memory as PFN_vkCopyImageToMemory;
        "vkCopyImageToImage" "vkCopyImageToImageEXT" => host_copy::copy_image_to_image as PFN_vkCopyImageToImage;
        "vkTransitionImageLayout" "vkTransitionImageLayoutEXT" => host_copy::transition_image_layout as PFN_vkTransitionImageLayout;
        "vkCmdDraw" => draw::draw as PFN_vkCmdDraw;
        "vkCmdDrawIndexed" => draw::draw_indexed as PFN_vkCmdDrawIndexed;
        "vkCmdDrawIndirect" => draw::draw_indirect as PFN_vkCmdDrawIndirect;
        "vkCmdDrawIndexedIndirect" => draw::draw_indexed_indirect as PFN_vkCmdDrawIndexedIndirect;
        "vkCmdDrawIndirectCount" "vkCmdDrawIndirectCountKHR" => draw::draw_indirect_count as PFN_vkCmdDrawIndirectCount;
        "vkCmdDrawIndexedIndirectCount" "vkCmdDrawIndexedIndirectCountKHR" => draw::draw_indexed_indirect_count as PFN_vkCmdDrawIndexedIndirectCount;

        "vkCmdSetViewport" => state::viewport as PFN_vkCmdSetViewport;
        "vkCmdSetViewportWithCount" "vkCmdSetViewportWithCountEXT" => state::viewport_with_count as PFN_vkCmdSetViewportWithCount;
        "vkCmdSetScissor" => state::scissor as PFN_vkCmdSetScissor;
        "vkCmdSetScissorWithCount" "vkCmdSetScissorWithCountEXT" => state::scissor_with_count as PFN_vkCmdSetScissorWithCount;
        "vkCmdSetLineWidth" => state::line_width as PFN_vkCmdSetLineWidth;
        "vkCmdSetDepthBias" => state::depth_bias as PFN_vkCmdSetDepthBias;
        "vkCmdSetBlendConstants" => state::blend_constants as PFN_vkCmdSetBlendConstants;
        "vkCmdSetDepthBounds" => state::depth_bounds as PFN_vkCmdSetDepthBounds;
        "vkCmdSetStencilCompareMask" => state::stencil_compare_mask as PFN_vkCmdSetStencilCompareMask;
        "vkCmdSetStencilWriteMask" => state::stencil_write_mask as PFN_vkCmdSetStencilWriteMask;
        "vkCmdSetStencilReference" => state::stencil_reference as PFN_vkCmdSetStencilReference;
        "vkCmdSetStencilOp" "vkCmdSetStencilOpEXT" => state::stencil_op as PFN_vkCmdSetStencilOp;
        "vkCmdSetCullMode" "vkCmdSetCullModeEXT" => state::cull_mode as PFN_vkCmdSetCullMode;
        "vkCmdSetFrontFace" "vkCmdSetFrontFaceEXT" => state::front_face as PFN_vkCmdSetFrontFace;
        "vkCmdSetPrimitiveTopology" "vkCmdSetPrimitiveTopologyEXT" => state::primitive_topology as PFN_vkCmdSetPrimitiveTopology;
        "vkCmdSetDepthTestEnable" "vkCmdSetDepthTestEnableEXT" => state::depth_test_enable as PFN_vkCmdSetDepthTestEnable;
        "vkCmdSetDepthWriteEnable" "vkCmdSetDepthWriteEnableEXT" => state::depth_write_enable as PFN_vkCmdSetDepthWriteEnable;
        "vkCmdSetDepthCompareOp" "vkCmdSetDepthCompareOpEXT" => state::depth_compare_op as PFN_vkCmdSetDepthCompareOp;
        "vkCmdSetDepthBoundsTestEnable" "vkCmdSetDepthBoundsTestEnableEXT" => state::depth_bounds_test_enable as PFN_vkCmdSetDepthBoundsTestEnable;
        "vkCmdSetStencilTestEnable" "vkCmdSetStencilTestEnableEXT" => state::stencil_test_enable as PFN_vkCmdSetStencilTestEnable;
        "vkCmdSetRasterizerDiscardEnable" "vkCmdSetRasterizerDiscardEnableEXT" => state::rasterizer_discard_enable as PFN_vkCmdSetRasterizerDiscardEnable;
        "vkCmdSetDepthBiasEnable" "vkCmdSetDepthBiasEnableEXT" => state::depth_bias_enable as PFN_vkCmdSetDepthBiasEnable;
        "vkCmdSetPrimitiveRestartEnable" "vkCmdSetPrimitiveRestartEnableEXT" => state::primitive_restart_enable as PFN_vkCmdSetPrimitiveRestartEnable;

        // Its type is that of any command which takes one number.
        "vkCmdSetPrimitiveRestartIndexEXT" => draw::primitive_restart_index as PFN_vkCmdSetCoverageToColorLocationNV;
        "vkCmdBindIndexBuffer2" "vkCmdBindIndexBuffer2KHR" => draw::bind_index_buffer2 as PFN_vkCmdBindIndexBuffer2;
        "vkCmdDrawMeshTasksEXT" => draw::draw_mesh as PFN_vkCmdDrawMeshTasksEXT;
        "vkCmdDrawMeshTasksIndirectEXT" => draw::draw_mesh_indirect as PFN_vkCmdDrawMeshTasksIndirectEXT;
        "vkCmdDrawMeshTasksIndirectCountEXT" => draw::draw_mesh_indirect_count as PFN_vkCmdDrawMeshTasksIndirectCountEXT;
        "vkCmdDrawMeshTasksNV" => draw::draw_mesh_nv as PFN_vkCmdDrawMeshTasksNV;
        "vkCmdDrawMeshTasksIndirectNV" => draw::draw_mesh_indirect_nv as PFN_vkCmdDrawMeshTasksIndirectNV;
        "vkCmdDrawMeshTasksIndirectCountNV" => draw::draw_mesh_indirect_count_nv as PFN_vkCmdDrawMeshTasksIndirectCountNV;
        "vkCmdDrawMultiEXT" => draw::draw_multi as PFN_vkCmdDrawMultiEXT;
        "vkCmdDrawMultiIndexedEXT" => draw::draw_multi_indexed as PFN_vkCmdDrawMultiIndexedEXT;
        "vkCmdSetDepthBias2EXT" => state::depth_bias2 as PFN_vkCmdSetDepthBias2EXT;
        "vkCmdSetDiscardRectangleEXT" => state::discard_rectangle as PFN_vkCmdSetDiscardRectangleEXT;
        "vkCmdSetDiscardRectangleEnableEXT" => state::discard_rectangle_enable as PFN_vkCmdSetDiscardRectangleEnableEXT;
        "vkCmdSetDiscardRectangleModeEXT" => state::discard_rectangle_mode as PFN_vkCmdSetDiscardRectangleModeEXT;
        "vkCmdSetViewportWScalingNV" => state::viewport_w_scaling as PFN_vkCmdSetViewportWScalingNV;
        "vkCmdSetViewportWScalingEnableNV" => state::viewport_w_scaling_enable as PFN_vkCmdSetViewportWScalingEnableNV;
        "vkCmdSetFragmentShadingRateKHR" => state::fragment_shading_rate as PFN_vkCmdSetFragmentShadingRateKHR;
        "vkCmdSetExclusiveScissorNV" => state::exclusive_scissor as PFN_vkCmdSetExclusiveScissorNV;
        "vkCmdSetExclusiveScissorEnableNV" => state::exclusive_scissor_enable as PFN_vkCmdSetExclusiveScissorEnableNV;
        "vkCmdSetCoverageToColorEnableNV" => state::coverage_to_color_enable as PFN_vkCmdSetCoverageToColorEnableNV;
        "vkCmdSetCoverageToColorLocationNV" => state::coverage_to_color_location as PFN_vkCmdSetCoverageToColorLocationNV;
        "vkCmdSetViewportSwizzleNV" => state::viewport_swizzle as PFN_vkCmdSetViewportSwizzleNV;
        "vkCmdSetRepresentativeFragmentTestEnableNV" => state::representative_fragment_test_enable as PFN_vkCmdSetRepresentativeFragmentTestEnableNV;
        "vkCmdSetSampleLocationsEXT" => state::set_sample_locations as PFN_vkCmdSetSampleLocationsEXT;
        "vkCmdSetSampleLocationsEnableEXT" => state::sample_locations_enable as PFN_vkCmdSetSampleLocationsEnableEXT;
        "vkCmdSetDepthClampRangeEXT" => state::depth_clamp_range as PFN_vkCmdSetDepthClampRangeEXT;
        "vkCmdSetAttachmentFeedbackLoopEnableEXT" => state::attachment_feedback_loop_enable as PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT;
        "vkCmdSetRasterizationStreamEXT" => state::rasterization_stream as PFN_vkCmdSetRasterizationStreamEXT;
        "vkCmdSetTessellationDomainOriginEXT" => state::tessellation_domain_origin as PFN_vkCmdSetTessellationDomainOriginEXT;
        "vkCmdSetRenderingAttachmentLocations" "vkCmdSetRenderingAttachmentLocationsKHR" => state::rendering_attachment_locations as PFN_vkCmdSetRenderingAttachmentLocations;
        "vkCmdSetRenderingInputAttachmentIndices" "vkCmdSetRenderingInputAttachmentIndicesKHR" => state::rendering_input_attachment_indices as PFN_vkCmdSetRenderingInputAttachmentIndices;
        "vkCmdSetLineStipple" "vkCmdSetLineStippleKHR" "vkCmdSetLineStippleEXT" => state::line_stipple as PFN_vkCmdSetLineStipple;
        "vkCmdSetPatchControlPointsEXT" => state::patch_control_points as PFN_vkCmdSetPatchControlPointsEXT;
        "vkCmdSetLogicOpEXT" => state::logic_op as PFN_vkCmdSetLogicOpEXT;
        "vkCmdSetColorWriteEnableEXT" => state::color_write_enable as PFN_vkCmdSetColorWriteEnableEXT;
        "vkCmdSetVertexInputEXT" => state::vertex_input as PFN_vkCmdSetVertexInputEXT;
        "vkCmdSetLogicOpEnableEXT" => state::logic_op_enable as PFN_vkCmdSetLogicOpEnableEXT;
        "vkCmdSetDepthClampEnableEXT" => state::depth_clamp_enable as PFN_vkCmdSetDepthClampEnableEXT;
        "vkCmdSetDepthClipEnableEXT" => state::depth_clip_enable as PFN_vkCmdSetDepthClipEnableEXT;
        "vkCmdSetDepthClipNegativeOneToOneEXT" => state::depth_clip_negative_one_to_one as PFN_vkCmdSetDepthClipNegativeOneToOneEXT;
        "vkCmdSetPolygonModeEXT" => state::polygon_mode as PFN_vkCmdSetPolygonModeEXT;
        "vkCmdSetRasterizationSamplesEXT" => state::rasterization_samples as PFN_vkCmdSetRasterizationSamplesEXT;
        "vkCmdSetSampleMaskEXT" => state::sample_mask as PFN_vkCmdSetSampleMaskEXT;
        "vkCmdSetAlphaToCoverageEnableEXT" => state::alpha_to_coverage_enable as PFN_vkCmdSetAlphaToCoverageEnableEXT;
        "vkCmdSetAlphaToOneEnableEXT" => state::alpha_to_one_enable as PFN_vkCmdSetAlphaToOneEnableEXT;
        "vkCmdSetColorBlendEnableEXT" => state::color_blend_enable as PFN_vkCmdSetColorBlendEnableEXT;
        "vkCmdSetColorBlendAdvancedEXT" => state::color_blend_advanced as PFN_vkCmdSetColorBlendAdvancedEXT;
        "vkCmdSetColorBlendEquationEXT" => state::color_blend_equation as PFN_vkCmdSetColorBlendEquationEXT;
        "vkCmdSetColorWriteMaskEXT" => state::color_write_mask as PFN_vkCmdSetColorWriteMaskEXT;
        "vkCmdSetProvokingVertexModeEXT" => state::provoking_vertex_mode as PFN_vkCmdSetProvokingVertexModeEXT;
        "vkCmdSetConservativeRasterizationModeEXT" => state::conservative_rasterization_mode as PFN_vkCmdSetConservativeRasterizationModeEXT;
        "vkCmdSetExtraPrimitiveOverestimationSizeEXT" => state::extra_primitive_overestimation_size as PFN_vkCmdSetExtraPrimitiveOverestimationSizeEXT;
        "vkCmdSetLineRasterizationModeEXT" => state::line_rasterization_mode as PFN_vkCmdSetLineRasterizationModeEXT;
        "vkCmdSetLineStippleEnableEXT" => state::line_stipple_enable as PFN_vkCmdSetLineStippleEnableEXT;

        "vkCreatePipelineBinariesKHR" => binary::create_binaries as PFN_vkCreatePipelineBinariesKHR;
        "vkDestroyPipelineBinaryKHR" => binary::destroy_binary as PFN_vkDestroyPipelineBinaryKHR;
        "vkGetPipelineKeyKHR" => binary::get_pipeline_key as PFN_vkGetPipelineKeyKHR;
        "vkGetPipelineBinaryDataKHR" => binary::get_binary_data as PFN_vkGetPipelineBinaryDataKHR;
        "vkReleaseCapturedPipelineDataKHR" => binary::release_captured as PFN_vkReleaseCapturedPipelineDataKHR;

        "vkCmdBindTransformFeedbackBuffersEXT" => feedback::bind_buffers as PFN_vkCmdBindTransformFeedbackBuffersEXT;
        "vkCmdBeginTransformFeedbackEXT" => feedback::begin as PFN_vkCmdBeginTransformFeedbackEXT;
        "vkCmdEndTransformFeedbackEXT" => feedback::end as PFN_vkCmdEndTransformFeedbackEXT;
        "vkCmdDrawIndirectByteCountEXT" => feedback::draw_byte_count as PFN_vkCmdDrawIndirectByteCountEXT;
        "vkCmdBeginQueryIndexedEXT" => feedback::begin_query_indexed as PFN_vkCmdBeginQueryIndexedEXT;
        "vkCmdEndQueryIndexedEXT" => feedback::end_query_indexed as PFN_vkCmdEndQueryIndexedEXT;

        "vkCreateTensorARM" => tensor::create as PFN_vkCreateTensorARM;
        "vkDestroyTensorARM" => tensor::destroy as PFN_vkDestroyTensorARM;
        "vkCreateTensorViewARM" => tensor::create_view as PFN_vkCreateTensorViewARM;
        "vkDestroyTensorViewARM" => tensor::destroy_view as PFN_vkDestroyTensorViewARM;
        "vkGetTensorMemoryRequirementsARM" => tensor::get_memory_requirements as PFN_vkGetTensorMemoryRequirementsARM;
        "vkGetDeviceTensorMemoryRequirementsARM" => tensor::get_device_memory_requirements as PFN_vkGetDeviceTensorMemoryRequirementsARM;
        "vkBindTensorMemoryARM" => tensor::bind_memory as PFN_vkBindTensorMemoryARM;
        "vkGetPhysicalDeviceExternalTensorPropertiesARM" => tensor::get_external_properties as PFN_vkGetPhysicalDeviceExternalTensorPropertiesARM;
        "vkCmdCopyTensorARM" => tensor::copy as PFN_vkCmdCopyTensorARM;
        "vkGetTensorOpaqueCaptureDataARM" => tensor::get_capture_data as PFN_vkGetTensorOpaqueCaptureDataARM;
        "vkGetTensorOpaqueCaptureDescriptorDataARM" => descriptor_buffer::get_capture_data::<vulkanalia_sys::TensorCaptureDescriptorDataInfoARM> as PFN_vkGetTensorOpaqueCaptureDescriptorDataARM;
        "vkGetTensorViewOpaqueCaptureDescriptorDataARM" => descriptor_buffer::get_capture_data::<vulkanalia_sys::TensorViewCaptureDescriptorDataInfoARM> as PFN_vkGetTensorViewOpaqueCaptureDescriptorDataARM;

        "vkWriteSamplerDescriptorsEXT" => heap::write_samplers as PFN_vkWriteSamplerDescriptorsEXT;
        "vkWriteResourceDescriptorsEXT" => heap::write_resources as PFN_vkWriteResourceDescriptorsEXT;
        "vkCmdBindSamplerHeapEXT" => heap::bind_sampler_heap as PFN_vkCmdBindSamplerHeapEXT;
        "vkCmdBindResourceHeapEXT" => heap::bind_resource_heap as PFN_vkCmdBindResourceHeapEXT;
        "vkCmdPushDataEXT" => heap::push_data as PFN_vkCmdPushDataEXT;
        "vkGetImageOpaqueCaptureDataEXT" => heap::get_image_capture_data as PFN_vkGetImageOpaqueCaptureDataEXT;
        "vkGetPhysicalDeviceDescriptorSizeEXT" => heap::get_descriptor_size as PFN_vkGetPhysicalDeviceDescriptorSizeEXT;
        "vkRegisterCustomBorderColorEXT" => heap::register_border_color as PFN_vkRegisterCustomBorderColorEXT;
        "vkUnregisterCustomBorderColorEXT" => heap::unregister_border_color as PFN_vkUnregisterCustomBorderColorEXT;

        "vkGetDescriptorSetLayoutSizeEXT" => descriptor_buffer::get_layout_size as PFN_vkGetDescriptorSetLayoutSizeEXT;
        "vkGetDescriptorSetLayoutBindingOffsetEXT" => descriptor_buffer::get_binding_offset as PFN_vkGetDescriptorSetLayoutBindingOffsetEXT;
        "vkGetDescriptorEXT" => descriptor_buffer::get_descriptor as PFN_vkGetDescriptorEXT;
        "vkGetBufferOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::BufferCaptureDescriptorDataInfoEXT> as PFN_vkGetBufferOpaqueCaptureDescriptorDataEXT;
        "vkGetImageOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::ImageCaptureDescriptorDataInfoEXT> as PFN_vkGetImageOpaqueCaptureDescriptorDataEXT;
        "vkGetImageViewOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::ImageViewCaptureDescriptorDataInfoEXT> as PFN_vkGetImageViewOpaqueCaptureDescriptorDataEXT;
        "vkGetSamplerOpaqueCaptureDescriptorDataEXT" => descriptor_buffer::get_capture_data::<vulkanalia_sys::SamplerCaptureDescriptorDataInfoEXT> as PFN_vkGetSamplerOpaqueCaptureDescriptorDataEXT;
        "vkCmdBindDescriptorBuffersEXT" => descriptor_buffer::bind_buffers as PFN_vkCmdBindDescriptorBuffersEXT;
        "vkCmdSetDescriptorBufferOffsetsEXT" => descriptor_buffer::set_offsets as PFN_vkCmdSetDescriptorBufferOffsetsEXT;
        "vkCmdSetDescriptorBufferOffsets2EXT" => descriptor_buffer::set_offsets2 as PFN_vkCmdSetDescriptorBufferOffsets2EXT;
        "vkCmdBindDescriptorBufferEmbeddedSamplersEXT" => descriptor_buffer::bind_embedded_samplers as PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT;
        "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT" => descriptor_buffer::bind_embedded_samplers2 as PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT;

        "vkCmdConvertCooperativeVectorMatrixNV" => cooperative::convert_vector_matrices as PFN_vkCmdConvertCooperativeVectorMatrixNV;
        "vkCmdCopyMemoryIndirectKHR" => transfer::copy_memory_indirect as PFN_vkCmdCopyMemoryIndirectKHR;
        "vkCmdCopyMemoryToImageIndirectKHR" => transfer::copy_memory_to_image_indirect as PFN_vkCmdCopyMemoryToImageIndirectKHR;

        "vkCreateShadersEXT" => object::create_shaders as PFN_vkCreateShadersEXT;
        "vkDestroyShaderEXT" => object::destroy_shader as PFN_vkDestroyShaderEXT;
        "vkGetShaderBinaryDataEXT" => object::get_binary_data as PFN_vkGetShaderBinaryDataEXT;
        "vkCmdBindShadersEXT" => object::bind_shaders as PFN_vkCmdBindShadersEXT;

        "vkCreateSwapchainKHR" => present::create_swapchain as PFN_vkCreateSwapchainKHR;
        "vkDestroySwapchainKHR" => present::destroy_swapchain as PFN_vkDestroySwapchainKHR;
        "vkGetSwapchainImagesKHR" => present::get_swapchain_images as PFN_vkGetSwapchainImagesKHR;
        "vkAcquireNextImageKHR" => present::acquire_next_image as PFN_vkAcquireNextImageKHR;
        "vkAcquireNextImage2KHR" => present::acquire_next_image2 as PFN_vkAcquireNextImage2KHR;
        "vkWaitForPresentKHR" => present::progress::wait_for_present as PFN_vkWaitForPresentKHR;
        "vkWaitForPresent2KHR" => present::progress::wait_for_present2 as PFN_vkWaitForPresent2KHR;
        "vkReleaseSwapchainImagesKHR" "vkReleaseSwapchainImagesEXT" => present::progress::release_swapchain_images as PFN_vkReleaseSwapchainImagesKHR;
        "vkQueuePresentKHR" => present::queue_present as PFN_vkQueuePresentKHR;
        "vkGetDeviceGroupPresentCapabilitiesKHR" => present::get_device_group_present_capabilities as PFN_vkGetDeviceGroupPresentCapabilitiesKHR;
        "vkGetDeviceGroupSurfacePresentModesKHR" => present::get_device_group_surface_present_modes as PFN_vkGetDeviceGroupSurfacePresentModesKHR;
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
