//! Shader instrumentation: `VK_ARM_shader_instrumentation`.

use crate::command::record;
use crate::instance::physical_device;
use crate::tools::list;
use crate::{guard, handle, quiet};
use pyro_driver::instrumentation::{METRICS, ShaderInstrumentation};
use pyro_driver::newer;
use std::ffi::c_void;
use vulkanalia_sys as vk;

pub(crate) unsafe extern "system" fn enumerate_metrics(
    handle_: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut newer::ShaderInstrumentationMetricDescriptionARM,
) -> vk::Result {
    guard(|| unsafe {
        physical_device(handle_)?;
        // The structures' types and chains are the application's.
        Ok(list(&METRICS, count, out, |out, (name, description)| {
            (&raw mut (*out).name).write(vk::StringArray::from_bytes(name.as_bytes()));
            (&raw mut (*out).description).write(vk::StringArray::from_bytes(description.as_bytes()));
        }))
    })
}

pub(crate) unsafe extern "system" fn create(
    handle_: vk::Device,
    _info: *const newer::ShaderInstrumentationCreateInfoARM,
    allocator: *const vk::AllocationCallbacks,
    out: *mut newer::ShaderInstrumentationARM,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        *out = handle::new(ShaderInstrumentation::default(), allocator)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn destroy(
    handle_: vk::Device,
    instrumentation: newer::ShaderInstrumentationARM,
    allocator: *const vk::AllocationCallbacks,
) {
    quiet(|| unsafe {
        if instrumentation == 0 {
            return Ok(());
        }
        crate::device::check(handle_)?;
        handle::destroy::<ShaderInstrumentation>(instrumentation, allocator)
    });
}

pub(crate) unsafe extern "system" fn begin(
    buffer: vk::CommandBuffer,
    instrumentation: newer::ShaderInstrumentationARM,
) {
    unsafe {
        record(buffer, |buffer| {
            buffer.begin_instrumentation(handle::get::<ShaderInstrumentation>(instrumentation)?)
        });
    }
}

pub(crate) unsafe extern "system" fn end(buffer: vk::CommandBuffer) {
    unsafe { record(buffer, |buffer| buffer.end_instrumentation()) };
}

pub(crate) unsafe extern "system" fn get_values(
    handle_: vk::Device,
    instrumentation: newer::ShaderInstrumentationARM,
    count: *mut u32,
    out: *mut c_void,
    _flags: vk::Flags,
) -> vk::Result {
    guard(|| unsafe {
        crate::device::check(handle_)?;
        let blocks = handle::get::<ShaderInstrumentation>(instrumentation)?.blocks();
        // They are packed: nothing says how the application's memory is aligned.
        Ok(list(&blocks, count, out.cast(), |out, block| std::ptr::write_unaligned(out, *block)))
    })
}

pub(crate) unsafe extern "system" fn clear(
    handle_: vk::Device,
    instrumentation: newer::ShaderInstrumentationARM,
) {
    quiet(|| {
        crate::device::check(handle_)?;
        handle::get::<ShaderInstrumentation>(instrumentation)?.clear();
        Ok(())
    });
}
