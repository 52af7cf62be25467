//! What exposed extensions bring and the bindings do not have yet: handles, enumerants, structures
//! and commands' types.
//!
//! Names are those of the registry as the bindings would have them; constants keep the prefix of
//! their enumeration.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do
//! not edit.
#![allow(non_camel_case_types)]
#![allow(clippy::wildcard_imports)] // the bindings' types under their own names

use std::ffi::c_void;
use vulkanalia_sys::*;

/// `VK_PIPELINE_CREATE_2_INSTRUMENT_SHADERS_BIT_ARM` (`VK_ARM_shader_instrumentation`)
pub const PIPELINE_CREATE_2_INSTRUMENT_SHADERS_ARM: u64 = 1 << 39;

/// `VK_SHADER_CREATE_INSTRUMENT_SHADER_BIT_ARM` (`VK_ARM_shader_instrumentation`)
pub const SHADER_CREATE_INSTRUMENT_SHADER_ARM: u32 = 1 << 11;

/// `vkClearShaderInstrumentationMetricsARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkClearShaderInstrumentationMetricsARM =
    unsafe extern "system" fn(device: Device, instrumentation: ShaderInstrumentationARM);

/// `vkCmdBeginShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkCmdBeginShaderInstrumentationARM =
    unsafe extern "system" fn(command_buffer: CommandBuffer, instrumentation: ShaderInstrumentationARM);

/// `vkCmdEndShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkCmdEndShaderInstrumentationARM = unsafe extern "system" fn(command_buffer: CommandBuffer);

/// `vkCreateShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkCreateShaderInstrumentationARM = unsafe extern "system" fn(
    device: Device,
    create_info: *const ShaderInstrumentationCreateInfoARM,
    allocator: *const AllocationCallbacks,
    instrumentation: *mut ShaderInstrumentationARM,
) -> Result;

/// `vkDestroyShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkDestroyShaderInstrumentationARM = unsafe extern "system" fn(
    device: Device,
    instrumentation: ShaderInstrumentationARM,
    allocator: *const AllocationCallbacks,
);

/// `vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM = unsafe extern "system" fn(
    physical_device: PhysicalDevice,
    description_count: *mut u32,
    descriptions: *mut ShaderInstrumentationMetricDescriptionARM,
) -> Result;

/// `vkGetShaderInstrumentationValuesARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkGetShaderInstrumentationValuesARM = unsafe extern "system" fn(
    device: Device,
    instrumentation: ShaderInstrumentationARM,
    metric_block_count: *mut u32,
    metric_values: *mut c_void,
    flags: ShaderInstrumentationValuesFlagsARM,
) -> Result;

/// `vkCmdSetPrimitiveRestartIndexEXT` (`VK_EXT_primitive_restart_index`)
pub type PFN_vkCmdSetPrimitiveRestartIndexEXT =
    unsafe extern "system" fn(command_buffer: CommandBuffer, primitive_restart_index: u32);

/// `VK_OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM` (`VK_ARM_shader_instrumentation`)
pub const OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM: ObjectType = ObjectType::from_raw(1000607000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM` (`VK_ARM_shader_instrumentation`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM: StructureType =
    StructureType::from_raw(1000607000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM: StructureType =
    StructureType::from_raw(1000607001);

/// `VK_STRUCTURE_TYPE_SHADER_INSTRUMENTATION_CREATE_INFO_ARM` (`VK_ARM_shader_instrumentation`)
pub const STRUCTURE_TYPE_SHADER_INSTRUMENTATION_CREATE_INFO_ARM: StructureType =
    StructureType::from_raw(1000607002);

/// `VK_STRUCTURE_TYPE_SHADER_INSTRUMENTATION_METRIC_DESCRIPTION_ARM` (`VK_ARM_shader_instrumentation`)
pub const STRUCTURE_TYPE_SHADER_INSTRUMENTATION_METRIC_DESCRIPTION_ARM: StructureType =
    StructureType::from_raw(1000607003);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000678000);

/// `VkShaderInstrumentationValuesFlagsARM` (`VK_ARM_shader_instrumentation`)
pub type ShaderInstrumentationValuesFlagsARM = u32;

/// `VkShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type ShaderInstrumentationARM = u64;

/// `VkPhysicalDeviceShaderInstrumentationFeaturesARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderInstrumentationFeaturesARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderInstrumentation`
    pub shader_instrumentation: Bool32,
}

impl Default for PhysicalDeviceShaderInstrumentationFeaturesARM {
    fn default() -> PhysicalDeviceShaderInstrumentationFeaturesARM {
        PhysicalDeviceShaderInstrumentationFeaturesARM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM,
            next: std::ptr::null_mut(),
            shader_instrumentation: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderInstrumentationPropertiesARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderInstrumentationPropertiesARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `numMetrics`
    pub num_metrics: u32,
    /// `perBasicBlockGranularity`
    pub per_basic_block_granularity: Bool32,
}

impl Default for PhysicalDeviceShaderInstrumentationPropertiesARM {
    fn default() -> PhysicalDeviceShaderInstrumentationPropertiesARM {
        PhysicalDeviceShaderInstrumentationPropertiesARM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM,
            next: std::ptr::null_mut(),
            num_metrics: Default::default(),
            per_basic_block_granularity: Default::default(),
        }
    }
}

/// `VkShaderInstrumentationCreateInfoARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ShaderInstrumentationCreateInfoARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
}

impl Default for ShaderInstrumentationCreateInfoARM {
    fn default() -> ShaderInstrumentationCreateInfoARM {
        ShaderInstrumentationCreateInfoARM {
            s_type: STRUCTURE_TYPE_SHADER_INSTRUMENTATION_CREATE_INFO_ARM,
            next: std::ptr::null_mut(),
        }
    }
}

/// `VkShaderInstrumentationMetricDataHeaderARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ShaderInstrumentationMetricDataHeaderARM {
    /// `resultIndex`
    pub result_index: u32,
    /// `resultSubIndex`
    pub result_sub_index: u32,
    /// `stages`
    pub stages: ShaderStageFlags,
    /// `basicBlockIndex`
    pub basic_block_index: u32,
}

/// `VkShaderInstrumentationMetricDescriptionARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ShaderInstrumentationMetricDescriptionARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `name`
    pub name: StringArray<MAX_DESCRIPTION_SIZE>,
    /// `description`
    pub description: StringArray<MAX_DESCRIPTION_SIZE>,
}

impl Default for ShaderInstrumentationMetricDescriptionARM {
    fn default() -> ShaderInstrumentationMetricDescriptionARM {
        ShaderInstrumentationMetricDescriptionARM {
            s_type: STRUCTURE_TYPE_SHADER_INSTRUMENTATION_METRIC_DESCRIPTION_ARM,
            next: std::ptr::null_mut(),
            name: Default::default(),
            description: Default::default(),
        }
    }
}

/// `VkPhysicalDevicePrimitiveRestartIndexFeaturesEXT` (`VK_EXT_primitive_restart_index`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `primitiveRestartIndex`
    pub primitive_restart_index: Bool32,
}

impl Default for PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
    fn default() -> PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
        PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT,
            next: std::ptr::null_mut(),
            primitive_restart_index: Default::default(),
        }
    }
}
