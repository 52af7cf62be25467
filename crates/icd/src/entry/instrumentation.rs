//! Shader instrumentation: `VK_ARM_shader_instrumentation`.

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::instance::physical_device_object;
use crate::entry::tools::list;
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::instrumentation::{METRICS, ShaderInstrumentation};
use pyro_driver::registry_supplement;
use std::ffi::c_void;
use vulkanalia_sys as vk;

pub(crate) unsafe extern "system" fn enumerate_physical_device_shader_instrumentation_metrics_arm(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut registry_supplement::ShaderInstrumentationMetricDescriptionARM,
) -> vk::Result {
    // SAFETY: `count` and `out` are valid
    // (VUID-vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM-pDescriptionCount-parameter,
    // VUID-vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM-pDescriptions-parameter).
    guard(CommandId::enumerate_physical_device_shader_instrumentation_metrics_arm, || unsafe {
        physical_device_object(physical_device)?;
        // The structures' types and chains are the application's.
        Ok(list(&METRICS, count, out, |out, (name, description)| {
            (&raw mut (*out).name).write(vk::StringArray::from_bytes(name.as_bytes()));
            (&raw mut (*out).description).write(vk::StringArray::from_bytes(description.as_bytes()));
        }))
    })
}

pub(crate) unsafe extern "system" fn create_shader_instrumentation_arm(
    device: vk::Device,
    _info: *const registry_supplement::ShaderInstrumentationCreateInfoARM,
    allocator: *const vk::AllocationCallbacks,
    out: *mut registry_supplement::ShaderInstrumentationARM,
) -> vk::Result {
    // SAFETY: `out` is valid; `allocator` is null or valid
    // (VUID-vkCreateShaderInstrumentationARM-pAllocator-parameter,
    // VUID-vkCreateShaderInstrumentationARM-pInstrumentation-parameter).
    guard(CommandId::create_shader_instrumentation_arm, || unsafe {
        crate::entry::device::check(device)?;
        *out = handle::new(ShaderInstrumentation::default(), allocator)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn destroy_shader_instrumentation_arm(
    device: vk::Device,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
    allocator: *const vk::AllocationCallbacks,
) {
    // SAFETY: `allocator` is null or valid (VUID-vkDestroyShaderInstrumentationARM-pAllocator-parameter).
    guard_void(CommandId::destroy_shader_instrumentation_arm, || unsafe {
        if instrumentation == 0 {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        handle::destroy::<ShaderInstrumentation>(instrumentation, allocator)
    });
}

pub(crate) unsafe extern "system" fn cmd_begin_shader_instrumentation_arm(
    buffer: vk::CommandBuffer,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
) {
    record(CommandId::cmd_begin_shader_instrumentation_arm, buffer, |buffer| {
        buffer.begin_instrumentation(handle::get::<ShaderInstrumentation>(instrumentation)?)
    });
}

pub(crate) unsafe extern "system" fn cmd_end_shader_instrumentation_arm(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_shader_instrumentation_arm, buffer, |buffer| buffer.end_instrumentation());
}

pub(crate) unsafe extern "system" fn get_shader_instrumentation_values_arm(
    device: vk::Device,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
    count: *mut u32,
    out: *mut c_void,
    _flags: vk::Flags,
) -> vk::Result {
    // SAFETY: `count` and `out` are valid
    // (VUID-vkGetShaderInstrumentationValuesARM-pMetricBlockCount-parameter,
    // VUID-vkGetShaderInstrumentationValuesARM-pMetricValues-parameter).
    guard(CommandId::get_shader_instrumentation_values_arm, || unsafe {
        crate::entry::device::check(device)?;
        let blocks = handle::get::<ShaderInstrumentation>(instrumentation)?.blocks();
        // They are packed: nothing says how the application's memory is aligned.
        Ok(list(&blocks, count, out.cast(), |out, block| std::ptr::write_unaligned(out, *block)))
    })
}

pub(crate) unsafe extern "system" fn clear_shader_instrumentation_metrics_arm(
    device: vk::Device,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
) {
    guard_void(CommandId::clear_shader_instrumentation_metrics_arm, || {
        crate::entry::device::check(device)?;
        handle::get::<ShaderInstrumentation>(instrumentation)?.clear();
        Ok(())
    });
}
