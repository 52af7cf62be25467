//! What calls mean to the recorder.

use pyro_capture::schema;
use std::sync::OnceLock;

/// What is done with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// It has no effect on a replay.
    Ignore,
    /// It is recorded when it has returned, unless it failed.
    After,
    /// It is recorded before it runs: something ends.
    Before,
    /// It is recorded before it runs, and may start work of the device or let it go on.
    Submit,
    /// It waits: it is recorded when it was successful.
    Wait,
    /// `vkCreateInstance`, `vkDestroyInstance`
    CreateInstance,
    DestroyInstance,
    /// `vkDestroyDevice`
    DestroyDevice,
    /// `vkGetDeviceQueue` and its relative
    GetQueue,
    /// `vkAllocateMemory`, `vkFreeMemory`
    AllocateMemory,
    FreeMemory,
    /// `vkMapMemory`, `vkMapMemory2`
    MapMemory,
    MapMemory2,
    /// `vkUnmapMemory`, `vkUnmapMemory2`
    UnmapMemory,
    UnmapMemory2,
    /// `vkCreateRayTracingPipelinesKHR`
    CreateRayPipelines,
    /// `vkQueuePresentKHR`
    Present,
    /// Descriptor update templates: their creation, and calls that become others.
    CreateTemplate,
    UpdateWithTemplate,
    PushWithTemplate,
    PushWithTemplate2,
    /// The host changes objects' memory by itself; the memory is recorded instead of the call.
    HostWrite,
}

/// Queries, and calls of tools, that make, change and wait for nothing.
const IGNORED: &[&str] = &[
    "vkAcquireProfilingLockKHR",
    "vkCreateDebugReportCallbackEXT",
    "vkCreateDebugUtilsMessengerEXT",
    "vkDebugReportMessageEXT",
    "vkDestroyDebugReportCallbackEXT",
    "vkDestroyDebugUtilsMessengerEXT",
    "vkFlushMappedMemoryRanges",
    "vkInvalidateMappedMemoryRanges",
    "vkReleaseProfilingLockKHR",
    "vkSetPrivateData",
    "vkSubmitDebugUtilsMessageEXT",
    "vkWaitForPresentKHR",
    "vkWaitForPresent2KHR",
];

/// Queries that give handles, or whose answers a replay checks.
const QUERIES: &[&str] = &[
    "vkEnumeratePhysicalDevices",
    "vkEnumeratePhysicalDeviceGroups",
    "vkGetAccelerationStructureDeviceAddressKHR",
    "vkGetBufferDeviceAddress",
    "vkGetRayTracingShaderGroupHandlesKHR",
    "vkGetSwapchainImagesKHR",
];

/// Host commands that write into objects' memory.
const HOST_WRITES: &[&str] = &[
    "vkBuildAccelerationStructuresKHR",
    "vkBuildMicromapsEXT",
    "vkCopyAccelerationStructureKHR",
    "vkCopyImageToImage",
    "vkCopyMemoryToAccelerationStructureKHR",
    "vkCopyMemoryToMicromapEXT",
    "vkCopyMicromapEXT",
    "vkCopyMemoryToImage",
];

/// Host commands that write into the program's memory only.
const HOST_READS: &[&str] = &[
    "vkCopyAccelerationStructureToMemoryKHR",
    "vkConvertCooperativeVectorMatrixNV",
    "vkCopyImageToMemory",
    "vkCopyMicromapToMemoryEXT",
    "vkWriteAccelerationStructuresPropertiesKHR",
    "vkWriteMicromapsPropertiesEXT",
];

fn by_name(name: &str) -> Action {
    match name {
        "vkCreateInstance" => Action::CreateInstance,
        "vkDestroyInstance" => Action::DestroyInstance,
        "vkDestroyDevice" => Action::DestroyDevice,
        "vkGetDeviceQueue" | "vkGetDeviceQueue2" => Action::GetQueue,
        "vkAllocateMemory" => Action::AllocateMemory,
        "vkFreeMemory" => Action::FreeMemory,
        "vkMapMemory" => Action::MapMemory,
        "vkMapMemory2" => Action::MapMemory2,
        "vkUnmapMemory" => Action::UnmapMemory,
        "vkUnmapMemory2" => Action::UnmapMemory2,
        "vkCreateRayTracingPipelinesKHR" => Action::CreateRayPipelines,
        "vkQueuePresentKHR" => Action::Present,
        "vkCreateDescriptorUpdateTemplate" => Action::CreateTemplate,
        "vkUpdateDescriptorSetWithTemplate" => Action::UpdateWithTemplate,
        "vkCmdPushDescriptorSetWithTemplate" => Action::PushWithTemplate,
        "vkCmdPushDescriptorSetWithTemplate2" => Action::PushWithTemplate2,
        "vkQueueSubmit" | "vkQueueSubmit2" | "vkSignalSemaphore" | "vkSetEvent" | "vkResetEvent" => {
            Action::Submit
        }
        _ if HOST_WRITES.contains(&name) => Action::HostWrite,
        _ if QUERIES.contains(&name) => Action::After,
        _ if IGNORED.contains(&name) || HOST_READS.contains(&name) => Action::Ignore,
        _ if name.starts_with("vkGet") || name.starts_with("vkEnumerate") => Action::Ignore,
        _ if name.starts_with("vkWait") || name.ends_with("WaitIdle") || name.starts_with("vkAcquire") => {
            Action::Wait
        }
        _ if ["vkDestroy", "vkFree", "vkReset", "vkRelease", "vkTrim"]
            .iter()
            .any(|start| name.starts_with(start)) =>
        {
            Action::Before
        }
        _ => Action::After,
    }
}

/// What is done with calls of a command.
pub(super) fn of(number: u16) -> Action {
    static ACTIONS: OnceLock<Vec<Action>> = OnceLock::new();
    let actions = ACTIONS.get_or_init(|| schema::commands().iter().map(|one| by_name(one.name)).collect());
    actions[usize::from(number)]
}
