//! What the Vulkan registry has and the bindings do not yet: structures, commands' types and numbers, as the
//! registry has them.
//!
//! Names are those of the registry, without `Vk`, as in the bindings.
#![allow(non_camel_case_types)]

use std::ffi::c_void;
use vulkanalia_sys as vk;

/// `VK_PIPELINE_CREATE_2_INSTRUMENT_SHADERS_BIT_ARM`
pub const PIPELINE_CREATE_2_INSTRUMENT_SHADERS_ARM: u64 = 1 << 39;
/// `VK_SHADER_CREATE_INSTRUMENT_SHADER_BIT_ARM`
pub const SHADER_CREATE_INSTRUMENT_SHADER_ARM: u32 = 1 << 11;
/// `VK_OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM`
pub const OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM: vk::ObjectType = vk::ObjectType::from_raw(1_000_607_000);
/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM`
pub const PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM: vk::StructureType =
    vk::StructureType::from_raw(1_000_607_000);
/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM`
pub const PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM: vk::StructureType =
    vk::StructureType::from_raw(1_000_607_001);

/// `VkShaderInstrumentationARM`
pub type ShaderInstrumentationARM = u64;

/// `VkPhysicalDeviceShaderInstrumentationPropertiesARM`
#[repr(C)]
pub struct PhysicalDeviceShaderInstrumentationPropertiesARM {
    /// `sType`
    pub s_type: vk::StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `numMetrics`
    pub num_metrics: u32,
    /// `perBasicBlockGranularity`
    pub per_basic_block_granularity: vk::Bool32,
}

/// `VkShaderInstrumentationCreateInfoARM`
#[repr(C)]
pub struct ShaderInstrumentationCreateInfoARM {
    /// `sType`
    pub s_type: vk::StructureType,
    /// `pNext`
    pub next: *const c_void,
}

/// `VkShaderInstrumentationMetricDescriptionARM`
#[repr(C)]
pub struct ShaderInstrumentationMetricDescriptionARM {
    /// `sType`
    pub s_type: vk::StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `name`
    pub name: vk::StringArray<{ vk::MAX_DESCRIPTION_SIZE }>,
    /// `description`
    pub description: vk::StringArray<{ vk::MAX_DESCRIPTION_SIZE }>,
}

/// `vkCmdSetPrimitiveRestartIndexEXT`
pub type PFN_vkCmdSetPrimitiveRestartIndexEXT = unsafe extern "system" fn(vk::CommandBuffer, u32);
/// `vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM`
pub type PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM =
    unsafe extern "system" fn(
        vk::PhysicalDevice,
        *mut u32,
        *mut ShaderInstrumentationMetricDescriptionARM,
    ) -> vk::Result;
/// `vkCreateShaderInstrumentationARM`
pub type PFN_vkCreateShaderInstrumentationARM = unsafe extern "system" fn(
    vk::Device,
    *const ShaderInstrumentationCreateInfoARM,
    *const vk::AllocationCallbacks,
    *mut ShaderInstrumentationARM,
) -> vk::Result;
/// `vkDestroyShaderInstrumentationARM`
pub type PFN_vkDestroyShaderInstrumentationARM =
    unsafe extern "system" fn(vk::Device, ShaderInstrumentationARM, *const vk::AllocationCallbacks);
/// `vkCmdBeginShaderInstrumentationARM`
pub type PFN_vkCmdBeginShaderInstrumentationARM =
    unsafe extern "system" fn(vk::CommandBuffer, ShaderInstrumentationARM);
/// `vkCmdEndShaderInstrumentationARM`
pub type PFN_vkCmdEndShaderInstrumentationARM = unsafe extern "system" fn(vk::CommandBuffer);
/// `vkGetShaderInstrumentationValuesARM`
pub type PFN_vkGetShaderInstrumentationValuesARM = unsafe extern "system" fn(
    vk::Device,
    ShaderInstrumentationARM,
    *mut u32,
    *mut c_void,
    vk::Flags,
) -> vk::Result;
/// `vkClearShaderInstrumentationMetricsARM`
pub type PFN_vkClearShaderInstrumentationMetricsARM =
    unsafe extern "system" fn(vk::Device, ShaderInstrumentationARM);
