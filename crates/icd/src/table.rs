//! The commands that exist, by name.

use crate::{
    command, descriptor, device, get_device_proc_addr, get_instance_proc_addr, instance, memory, pipeline,
    sync,
};
use vulkanalia_sys as vk;

/// A command's first argument, which decides who may ask for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Instance,
    PhysicalDevice,
    Device,
}

macro_rules! commands {
    ($($level:ident { $($($name:literal)+ => $body:path as $pfn:ident;)+ })+) => {
        fn look_up(name: &[u8]) -> Option<(Level, unsafe extern "system" fn())> {
            $($($(if name == $name.as_bytes() {
                // The type checks that the body is what callers of this name will call.
                let body: vk::$pfn = $body;
                // SAFETY: both are function pointers; callers cast it back to the command's type.
                let command = unsafe { std::mem::transmute::<vk::$pfn, unsafe extern "system" fn()>(body) };
                return Some((Level::$level, command));
            })+)+)+
            None
        }
    };
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
    }
    PhysicalDevice {
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
        "vkGetPhysicalDeviceFormatProperties" => instance::get_format_properties as PFN_vkGetPhysicalDeviceFormatProperties;
        "vkGetPhysicalDeviceFormatProperties2" "vkGetPhysicalDeviceFormatProperties2KHR" => instance::get_format_properties2 as PFN_vkGetPhysicalDeviceFormatProperties2;
        "vkGetPhysicalDeviceImageFormatProperties" => instance::get_image_format_properties as PFN_vkGetPhysicalDeviceImageFormatProperties;
        "vkGetPhysicalDeviceImageFormatProperties2" "vkGetPhysicalDeviceImageFormatProperties2KHR" => instance::get_image_format_properties2 as PFN_vkGetPhysicalDeviceImageFormatProperties2;
        "vkGetPhysicalDeviceSparseImageFormatProperties" => instance::get_sparse_image_format_properties as PFN_vkGetPhysicalDeviceSparseImageFormatProperties;
        "vkGetPhysicalDeviceSparseImageFormatProperties2" "vkGetPhysicalDeviceSparseImageFormatProperties2KHR" => instance::get_sparse_image_format_properties2 as PFN_vkGetPhysicalDeviceSparseImageFormatProperties2;
        "vkGetPhysicalDeviceExternalBufferProperties" => instance::get_external_buffer_properties as PFN_vkGetPhysicalDeviceExternalBufferProperties;
        "vkGetPhysicalDeviceExternalFenceProperties" => instance::get_external_fence_properties as PFN_vkGetPhysicalDeviceExternalFenceProperties;
        "vkGetPhysicalDeviceExternalSemaphoreProperties" => instance::get_external_semaphore_properties as PFN_vkGetPhysicalDeviceExternalSemaphoreProperties;
        "vkCreateDevice" => device::create_device as PFN_vkCreateDevice;
    }
    Device {
        "vkGetDeviceProcAddr" => get_device_proc_addr as PFN_vkGetDeviceProcAddr;
        "vkDestroyDevice" => device::destroy_device as PFN_vkDestroyDevice;
        "vkGetDeviceQueue" => device::get_device_queue as PFN_vkGetDeviceQueue;
        "vkGetDeviceQueue2" => device::get_device_queue2 as PFN_vkGetDeviceQueue2;
        "vkDeviceWaitIdle" => device::device_wait_idle as PFN_vkDeviceWaitIdle;
        "vkQueueWaitIdle" => device::queue_wait_idle as PFN_vkQueueWaitIdle;
        "vkQueueSubmit" => device::queue_submit as PFN_vkQueueSubmit;
        "vkQueueSubmit2KHR" => device::queue_submit2 as PFN_vkQueueSubmit2;
        "vkGetDeviceGroupPeerMemoryFeatures" "vkGetDeviceGroupPeerMemoryFeaturesKHR" => device::get_device_group_peer_memory_features as PFN_vkGetDeviceGroupPeerMemoryFeatures;

        "vkAllocateMemory" => memory::allocate_memory as PFN_vkAllocateMemory;
        "vkFreeMemory" => memory::free_memory as PFN_vkFreeMemory;
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
        "vkGetBufferDeviceAddress" "vkGetBufferDeviceAddressKHR" => memory::get_buffer_device_address as PFN_vkGetBufferDeviceAddress;
        "vkGetBufferOpaqueCaptureAddress" "vkGetBufferOpaqueCaptureAddressKHR" => memory::get_buffer_opaque_capture_address as PFN_vkGetBufferOpaqueCaptureAddress;
        "vkGetDeviceMemoryOpaqueCaptureAddress" "vkGetDeviceMemoryOpaqueCaptureAddressKHR" => memory::get_device_memory_opaque_capture_address as PFN_vkGetDeviceMemoryOpaqueCaptureAddress;
        "vkCreateBufferView" => memory::create_buffer_view as PFN_vkCreateBufferView;
        "vkDestroyBufferView" => memory::destroy_buffer_view as PFN_vkDestroyBufferView;
        "vkCreateImage" => memory::create_image as PFN_vkCreateImage;
        "vkDestroyImage" => memory::destroy_image as PFN_vkDestroyImage;

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
        "vkCreateDescriptorUpdateTemplate" => descriptor::create_template as PFN_vkCreateDescriptorUpdateTemplate;
        "vkDestroyDescriptorUpdateTemplate" => descriptor::destroy_template as PFN_vkDestroyDescriptorUpdateTemplate;
        "vkUpdateDescriptorSetWithTemplate" => descriptor::update_set_with_template as PFN_vkUpdateDescriptorSetWithTemplate;

        "vkCreateShaderModule" => pipeline::create_shader_module as PFN_vkCreateShaderModule;
        "vkDestroyShaderModule" => pipeline::destroy_shader_module as PFN_vkDestroyShaderModule;
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
        "vkCmdPushDescriptorSetKHR" => command::push_set as PFN_vkCmdPushDescriptorSet;
        "vkCmdPushDescriptorSetWithTemplateKHR" => command::push_set_with_template as PFN_vkCmdPushDescriptorSetWithTemplate;
        "vkCmdDispatch" => command::dispatch as PFN_vkCmdDispatch;
        "vkCmdDispatchBase" "vkCmdDispatchBaseKHR" => command::dispatch_base as PFN_vkCmdDispatchBase;
        "vkCmdDispatchIndirect" => command::dispatch_indirect as PFN_vkCmdDispatchIndirect;
        "vkCmdCopyBuffer" => command::copy_buffer as PFN_vkCmdCopyBuffer;
        "vkCmdFillBuffer" => command::fill_buffer as PFN_vkCmdFillBuffer;
        "vkCmdUpdateBuffer" => command::update_buffer as PFN_vkCmdUpdateBuffer;
        "vkCmdPipelineBarrier" => command::pipeline_barrier as PFN_vkCmdPipelineBarrier;
        "vkCmdPipelineBarrier2KHR" => command::pipeline_barrier2 as PFN_vkCmdPipelineBarrier2;
        "vkCmdSetEvent" => command::set_event as PFN_vkCmdSetEvent;
        "vkCmdSetEvent2KHR" => command::set_event2 as PFN_vkCmdSetEvent2;
        "vkCmdResetEvent" => command::reset_event as PFN_vkCmdResetEvent;
        "vkCmdResetEvent2KHR" => command::reset_event2 as PFN_vkCmdResetEvent2;
        "vkCmdWaitEvents" => command::wait_events as PFN_vkCmdWaitEvents;
        "vkCmdWaitEvents2KHR" => command::wait_events2 as PFN_vkCmdWaitEvents2;
        "vkCmdResetQueryPool" => command::reset_query_pool as PFN_vkCmdResetQueryPool;
        "vkCmdBeginQuery" => command::begin_query as PFN_vkCmdBeginQuery;
        "vkCmdEndQuery" => command::end_query as PFN_vkCmdEndQuery;
        "vkCmdWriteTimestamp" => command::write_timestamp as PFN_vkCmdWriteTimestamp;
        "vkCmdWriteTimestamp2KHR" => command::write_timestamp2 as PFN_vkCmdWriteTimestamp2;
        "vkCmdCopyQueryPoolResults" => command::copy_query_pool_results as PFN_vkCmdCopyQueryPoolResults;
        "vkCmdExecuteCommands" => command::execute_commands as PFN_vkCmdExecuteCommands;
        "vkCmdSetDeviceMask" "vkCmdSetDeviceMaskKHR" => command::set_device_mask as PFN_vkCmdSetDeviceMask;
    }
}

/// The command of this name.
pub(crate) fn find(name: &[u8]) -> vk::PFN_vkVoidFunction {
    look_up(name).map(|(_, command)| command)
}

/// Whether its first argument is a device or a child of one.
pub(crate) fn is_device_command(name: &[u8]) -> bool {
    look_up(name).is_some_and(|(level, _)| level == Level::Device)
}

/// Whether its first argument is a physical device.
pub(crate) fn is_physical_device_command(name: &[u8]) -> bool {
    look_up(name).is_some_and(|(level, _)| level == Level::PhysicalDevice)
}
