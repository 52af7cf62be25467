//! Shader instrumentation: `VK_ARM_shader_instrumentation`.

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::instance::physical_device_object;
use crate::handle;
use crate::pointers::{Allocator, Enumeration, In, Out};
use crate::registry::CommandId;
use pyro_driver::instrumentation::{METRICS, MetricBlock, ShaderInstrumentation};
use pyro_driver::registry_supplement;
use std::ffi::c_void;
use vulkanalia_sys as vk;

pub(crate) fn enumerate_physical_device_shader_instrumentation_metrics_arm(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, registry_supplement::ShaderInstrumentationMetricDescriptionARM>,
) -> vk::Result {
    guard(CommandId::enumerate_physical_device_shader_instrumentation_metrics_arm, || {
        physical_device_object(physical_device)?;
        Ok(out.fill(&METRICS, |out, (name, description)| {
            out.name = vk::StringArray::from_bytes(name.as_bytes());
            out.description = vk::StringArray::from_bytes(description.as_bytes());
        }))
    })
}

pub(crate) fn create_shader_instrumentation_arm(
    device: vk::Device,
    _info: In<'_, registry_supplement::ShaderInstrumentationCreateInfoARM>,
    allocator: Allocator,
    mut out: Out<'_, registry_supplement::ShaderInstrumentationARM>,
) -> vk::Result {
    guard(CommandId::create_shader_instrumentation_arm, || {
        crate::entry::device::check(device)?;
        out.write(handle::create(ShaderInstrumentation::default(), allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn destroy_shader_instrumentation_arm(
    device: vk::Device,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
    allocator: Allocator,
) {
    guard_void(CommandId::destroy_shader_instrumentation_arm, || {
        if instrumentation == 0 {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        handle::remove::<ShaderInstrumentation>(instrumentation, allocator)
    });
}

pub(crate) fn cmd_begin_shader_instrumentation_arm(
    buffer: vk::CommandBuffer,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
) {
    record(CommandId::cmd_begin_shader_instrumentation_arm, buffer, |buffer| {
        buffer.begin_instrumentation(handle::get::<ShaderInstrumentation>(instrumentation)?)
    });
}

pub(crate) fn cmd_end_shader_instrumentation_arm(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_shader_instrumentation_arm, buffer, |buffer| buffer.end_instrumentation());
}

pub(crate) fn get_shader_instrumentation_values_arm(
    device: vk::Device,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
    mut count: Out<'_, u32>,
    out: *mut c_void,
    _flags: vk::Flags,
) -> vk::Result {
    guard(CommandId::get_shader_instrumentation_values_arm, || {
        crate::entry::device::check(device)?;
        let blocks = handle::get::<ShaderInstrumentation>(instrumentation)?.blocks();
        if out.is_null() {
            count.write(blocks.len() as u32);
            return Ok(vk::Result::SUCCESS);
        }
        let given = blocks.len().min(*count as usize);
        for (index, block) in blocks.iter().take(given).enumerate() {
            let out = out.cast::<MetricBlock>().wrapping_add(index);
            // SAFETY: there is room for as many blocks as counted
            // (`vkGetShaderInstrumentationValuesARM`); nothing says how they are aligned.
            unsafe { out.write_unaligned(*block) };
        }
        count.write(given as u32);
        Ok(if given < blocks.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
    })
}

pub(crate) fn clear_shader_instrumentation_metrics_arm(
    device: vk::Device,
    instrumentation: registry_supplement::ShaderInstrumentationARM,
) {
    guard_void(CommandId::clear_shader_instrumentation_metrics_arm, || {
        crate::entry::device::check(device)?;
        handle::get::<ShaderInstrumentation>(instrumentation)?.clear();
        Ok(())
    });
}
