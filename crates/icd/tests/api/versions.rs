//! Every command of the reported version is there, for instances and devices.

use pyro_test_kit::{Client, InProcess};
use std::ffi::CString;
use vulkanalia::prelude::v1_3::*;

/// The commands that a version brings, by who is asked for them.
struct Version {
    major: u32,
    minor: u32,
    of_instances: &'static [&'static str],
    of_devices: &'static [&'static str],
}

#[rustfmt::skip]
const VERSIONS: &[Version] = &[
    Version {
        major: 1,
        minor: 0,
        of_instances: &[
            "vkCreateDevice", "vkCreateInstance", "vkDestroyInstance",
            "vkEnumerateDeviceExtensionProperties", "vkEnumerateDeviceLayerProperties",
            "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties",
            "vkEnumeratePhysicalDevices", "vkGetInstanceProcAddr", "vkGetPhysicalDeviceFeatures",
            "vkGetPhysicalDeviceFormatProperties", "vkGetPhysicalDeviceImageFormatProperties",
            "vkGetPhysicalDeviceMemoryProperties", "vkGetPhysicalDeviceProperties",
            "vkGetPhysicalDeviceQueueFamilyProperties", "vkGetPhysicalDeviceSparseImageFormatProperties",
        ],
        of_devices: &[
            "vkAllocateCommandBuffers", "vkAllocateDescriptorSets", "vkAllocateMemory",
            "vkBeginCommandBuffer", "vkBindBufferMemory", "vkBindImageMemory", "vkCmdBeginQuery",
            "vkCmdBeginRenderPass", "vkCmdBindDescriptorSets", "vkCmdBindIndexBuffer", "vkCmdBindPipeline",
            "vkCmdBindVertexBuffers", "vkCmdBlitImage", "vkCmdClearAttachments", "vkCmdClearColorImage",
            "vkCmdClearDepthStencilImage", "vkCmdCopyBuffer", "vkCmdCopyBufferToImage", "vkCmdCopyImage",
            "vkCmdCopyImageToBuffer", "vkCmdCopyQueryPoolResults", "vkCmdDispatch", "vkCmdDispatchIndirect",
            "vkCmdDraw", "vkCmdDrawIndexed", "vkCmdDrawIndexedIndirect", "vkCmdDrawIndirect",
            "vkCmdEndQuery", "vkCmdEndRenderPass", "vkCmdExecuteCommands", "vkCmdFillBuffer",
            "vkCmdNextSubpass", "vkCmdPipelineBarrier", "vkCmdPushConstants", "vkCmdResetEvent",
            "vkCmdResetQueryPool", "vkCmdResolveImage", "vkCmdSetBlendConstants", "vkCmdSetDepthBias",
            "vkCmdSetDepthBounds", "vkCmdSetEvent", "vkCmdSetLineWidth", "vkCmdSetScissor",
            "vkCmdSetStencilCompareMask", "vkCmdSetStencilReference", "vkCmdSetStencilWriteMask",
            "vkCmdSetViewport", "vkCmdUpdateBuffer", "vkCmdWaitEvents", "vkCmdWriteTimestamp",
            "vkCreateBuffer", "vkCreateBufferView", "vkCreateCommandPool", "vkCreateComputePipelines",
            "vkCreateDescriptorPool", "vkCreateDescriptorSetLayout", "vkCreateEvent", "vkCreateFence",
            "vkCreateFramebuffer", "vkCreateGraphicsPipelines", "vkCreateImage", "vkCreateImageView",
            "vkCreatePipelineCache", "vkCreatePipelineLayout", "vkCreateQueryPool", "vkCreateRenderPass",
            "vkCreateSampler", "vkCreateSemaphore", "vkCreateShaderModule", "vkDestroyBuffer",
            "vkDestroyBufferView", "vkDestroyCommandPool", "vkDestroyDescriptorPool",
            "vkDestroyDescriptorSetLayout", "vkDestroyDevice", "vkDestroyEvent", "vkDestroyFence",
            "vkDestroyFramebuffer", "vkDestroyImage", "vkDestroyImageView", "vkDestroyPipeline",
            "vkDestroyPipelineCache", "vkDestroyPipelineLayout", "vkDestroyQueryPool",
            "vkDestroyRenderPass", "vkDestroySampler", "vkDestroySemaphore", "vkDestroyShaderModule",
            "vkDeviceWaitIdle", "vkEndCommandBuffer", "vkFlushMappedMemoryRanges", "vkFreeCommandBuffers",
            "vkFreeDescriptorSets", "vkFreeMemory", "vkGetBufferMemoryRequirements",
            "vkGetDeviceMemoryCommitment", "vkGetDeviceProcAddr", "vkGetDeviceQueue", "vkGetEventStatus",
            "vkGetFenceStatus", "vkGetImageMemoryRequirements", "vkGetImageSparseMemoryRequirements",
            "vkGetImageSubresourceLayout", "vkGetPipelineCacheData", "vkGetQueryPoolResults",
            "vkGetRenderAreaGranularity", "vkInvalidateMappedMemoryRanges", "vkMapMemory",
            "vkMergePipelineCaches", "vkQueueBindSparse", "vkQueueSubmit", "vkQueueWaitIdle",
            "vkResetCommandBuffer", "vkResetCommandPool", "vkResetDescriptorPool", "vkResetEvent",
            "vkResetFences", "vkSetEvent", "vkUnmapMemory", "vkUpdateDescriptorSets", "vkWaitForFences",
        ],
    },
    Version {
        major: 1,
        minor: 1,
        of_instances: &[
            "vkEnumerateInstanceVersion", "vkEnumeratePhysicalDeviceGroups",
            "vkGetPhysicalDeviceExternalBufferProperties", "vkGetPhysicalDeviceExternalFenceProperties",
            "vkGetPhysicalDeviceExternalSemaphoreProperties", "vkGetPhysicalDeviceFeatures2",
            "vkGetPhysicalDeviceFormatProperties2", "vkGetPhysicalDeviceImageFormatProperties2",
            "vkGetPhysicalDeviceMemoryProperties2", "vkGetPhysicalDeviceProperties2",
            "vkGetPhysicalDeviceQueueFamilyProperties2", "vkGetPhysicalDeviceSparseImageFormatProperties2",
        ],
        of_devices: &[
            "vkBindBufferMemory2", "vkBindImageMemory2", "vkCmdDispatchBase", "vkCmdSetDeviceMask",
            "vkCreateDescriptorUpdateTemplate", "vkCreateSamplerYcbcrConversion",
            "vkDestroyDescriptorUpdateTemplate", "vkDestroySamplerYcbcrConversion",
            "vkGetBufferMemoryRequirements2", "vkGetDescriptorSetLayoutSupport",
            "vkGetDeviceGroupPeerMemoryFeatures", "vkGetDeviceQueue2", "vkGetImageMemoryRequirements2",
            "vkGetImageSparseMemoryRequirements2", "vkTrimCommandPool", "vkUpdateDescriptorSetWithTemplate",
        ],
    },
    Version {
        major: 1,
        minor: 2,
        of_instances: &[

        ],
        of_devices: &[
            "vkCmdBeginRenderPass2", "vkCmdDrawIndexedIndirectCount", "vkCmdDrawIndirectCount",
            "vkCmdEndRenderPass2", "vkCmdNextSubpass2", "vkCreateRenderPass2", "vkGetBufferDeviceAddress",
            "vkGetBufferOpaqueCaptureAddress", "vkGetDeviceMemoryOpaqueCaptureAddress",
            "vkGetSemaphoreCounterValue", "vkResetQueryPool", "vkSignalSemaphore", "vkWaitSemaphores",
        ],
    },
    Version {
        major: 1,
        minor: 3,
        of_instances: &[
            "vkGetPhysicalDeviceToolProperties",
        ],
        of_devices: &[
            "vkCmdBeginRendering", "vkCmdBindVertexBuffers2", "vkCmdBlitImage2", "vkCmdCopyBuffer2",
            "vkCmdCopyBufferToImage2", "vkCmdCopyImage2", "vkCmdCopyImageToBuffer2", "vkCmdEndRendering",
            "vkCmdPipelineBarrier2", "vkCmdResetEvent2", "vkCmdResolveImage2", "vkCmdSetCullMode",
            "vkCmdSetDepthBiasEnable", "vkCmdSetDepthBoundsTestEnable", "vkCmdSetDepthCompareOp",
            "vkCmdSetDepthTestEnable", "vkCmdSetDepthWriteEnable", "vkCmdSetEvent2", "vkCmdSetFrontFace",
            "vkCmdSetPrimitiveRestartEnable", "vkCmdSetPrimitiveTopology",
            "vkCmdSetRasterizerDiscardEnable", "vkCmdSetScissorWithCount", "vkCmdSetStencilOp",
            "vkCmdSetStencilTestEnable", "vkCmdSetViewportWithCount", "vkCmdWaitEvents2",
            "vkCmdWriteTimestamp2", "vkCreatePrivateDataSlot", "vkDestroyPrivateDataSlot",
            "vkGetDeviceBufferMemoryRequirements", "vkGetDeviceImageMemoryRequirements",
            "vkGetDeviceImageSparseMemoryRequirements", "vkGetPrivateData", "vkQueueSubmit2",
            "vkSetPrivateData",
        ],
    },
    Version {
        major: 1,
        minor: 4,
        of_instances: &[

        ],
        of_devices: &[
            "vkCmdBindDescriptorSets2", "vkCmdBindIndexBuffer2", "vkCmdPushConstants2",
            "vkCmdPushDescriptorSet", "vkCmdPushDescriptorSet2", "vkCmdPushDescriptorSetWithTemplate",
            "vkCmdPushDescriptorSetWithTemplate2", "vkCmdSetLineStipple",
            "vkCmdSetRenderingAttachmentLocations", "vkCmdSetRenderingInputAttachmentIndices",
            "vkCopyImageToImage", "vkCopyImageToMemory", "vkCopyMemoryToImage",
            "vkGetDeviceImageSubresourceLayout", "vkGetImageSubresourceLayout2",
            "vkGetRenderingAreaGranularity", "vkMapMemory2", "vkTransitionImageLayout", "vkUnmapMemory2",
        ],
    },
];

#[test]
fn commands_of_the_reported_version_resolve() {
    unsafe {
        let entry = Entry::new(InProcess).expect("the driver");
        let version = u32::from(entry.version().expect("a version"));
        drop(entry);
        let gpu = Client::new(version, &[]).device(&[], None, std::ptr::null_mut());
        let (instance, device) = (&gpu.instance, &gpu.device);
        let reported = instance.get_physical_device_properties(gpu.physical_device).api_version;
        assert_eq!(reported, version, "instance and device differ");
        let of_instance = |name: &str| {
            let c_name = CString::new(name).expect("no zero");
            pyroclast_icd::get_instance_proc_addr(instance.handle(), c_name.as_ptr())
        };
        let of_device = |name: &str| {
            let c_name = CString::new(name).expect("no zero");
            (instance.commands().get_device_proc_addr)(device.handle(), c_name.as_ptr())
        };
        let global = ["vkCreateInstance", "vkEnumerateInstanceExtensionProperties"];
        let is_global = |name: &str| global.contains(&name) || name.starts_with("vkEnumerateInstance");
        let mut missing = Vec::new();
        for version in VERSIONS {
            if vk::make_version(version.major, version.minor, 0) > reported {
                continue;
            }
            for name in version.of_instances.iter().chain(version.of_devices) {
                if of_instance(name).is_none() && !is_global(name) {
                    missing.push(*name);
                }
            }
            missing.extend(version.of_devices.iter().filter(|name| of_device(name).is_none()));
        }
        assert!(missing.is_empty(), "{missing:?}");
    }
}
