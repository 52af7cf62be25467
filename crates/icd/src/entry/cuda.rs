//! CUDA modules, functions and launches (`VK_NV_cuda_kernel_launch`).

use crate::call::guard;
use crate::call::recording::record;
use crate::handle;
use crate::pointers::Data;
use crate::registry::CommandId;
use pyro_driver::command::DispatchCommand;
use pyro_driver::cuda::{CudaFunction, CudaModule, LaunchSize};
use pyro_driver::{Error, Result};
use std::ffi::CStr;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn create_cuda_module_nv(
    device: vk::Device,
    info: *const vk::CudaModuleCreateInfoNV,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::CudaModuleNV,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateCudaModuleNV-pCreateInfo-parameter, VUID-vkCreateCudaModuleNV-pAllocator-parameter,
    // VUID-vkCreateCudaModuleNV-pModule-parameter).
    guard(CommandId::create_cuda_module_nv, || unsafe {
        let backend = crate::entry::device::device_object(device)?.device.backend();
        let info = &*info;
        if info.data_size == 0 || info.data.is_null() {
            return Err(Error::misuse(
                "a CUDA module has no data (VUID-VkCudaModuleCreateInfoNV-dataSize-arraylength, \
                 VUID-VkCudaModuleCreateInfoNV-pData-parameter)",
            ));
        }
        let data = std::slice::from_raw_parts(info.data.cast::<u8>(), info.data_size);
        *out = vk::CudaModuleNV::from_raw(handle::new(CudaModule::new(data, backend)?, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_cuda_module_nv(CudaModuleNV), CudaModule);

pub(crate) fn get_cuda_module_cache_nv(
    device: vk::Device,
    module: vk::CudaModuleNV,
    mut out: Data,
) -> vk::Result {
    guard(CommandId::get_cuda_module_cache_nv, || {
        crate::entry::device::check(device)?;
        Ok(out.answer_cache(&handle::get::<CudaModule>(module.as_raw())?.data()))
    })
}

pub(crate) unsafe extern "system" fn create_cuda_function_nv(
    device: vk::Device,
    info: *const vk::CudaFunctionCreateInfoNV,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::CudaFunctionNV,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateCudaFunctionNV-pCreateInfo-parameter, VUID-vkCreateCudaFunctionNV-pAllocator-parameter,
    // VUID-vkCreateCudaFunctionNV-pFunction-parameter).
    guard(CommandId::create_cuda_function_nv, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let module = handle::get::<CudaModule>(info.module.as_raw())?;
        if info.name.is_null() {
            return Err(Error::misuse(
                "pName of a CUDA function is null (VUID-VkCudaFunctionCreateInfoNV-pName-parameter)",
            ));
        }
        let name = CStr::from_ptr(info.name).to_string_lossy();
        *out = vk::CudaFunctionNV::from_raw(handle::new(CudaFunction::new(module, &name)?, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_cuda_function_nv(CudaFunctionNV), CudaFunction);

/// The arguments of a launch: `pParams` is an array of pointers to them.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkCudaLaunchInfoNV`, "Valid Usage").
unsafe fn arguments<'a>(info: &'a vk::CudaLaunchInfoNV, function: &CudaFunction) -> Result<Vec<&'a [u8]>> {
    let sizes = function.argument_bytes();
    if info.param_count != sizes.len() || info.params.is_null() && !sizes.is_empty() {
        return Err(Error::misuse(format!(
            "{} arguments were passed to a kernel with {} parameters (VUID-VkCudaLaunchInfoNV-paramCount-09409, \
             VUID-VkCudaLaunchInfoNV-pParams-09410)",
            info.param_count,
            sizes.len()
        )));
    }
    if info.extra_count != 0 || !info.extras.is_null() {
        return Err(Error::misuse(
            "extraCount or pExtras of a kernel launch is not zero (VUID-VkCudaLaunchInfoNV-extraCount-09411, VUID-VkCudaLaunchInfoNV-pExtras-09412)",
        ));
    }
    let pointers = info.params.cast::<*const u8>();
    let mut all = Vec::with_capacity(sizes.len());
    for (index, size) in sizes.into_iter().enumerate() {
        // SAFETY: there are as many pointers as the function has parameters (VkCudaLaunchInfoNV).
        let pointer = unsafe { pointers.add(index).read_unaligned() };
        if pointer.is_null() {
            return Err(Error::misuse(format!(
                "the pointer to argument {index} is null (VUID-VkCudaLaunchInfoNV-pParams-09410)"
            )));
        }
        // SAFETY: each points at a value of its parameter's size (VkCudaLaunchInfoNV).
        all.push(unsafe { std::slice::from_raw_parts(pointer, size) });
    }
    Ok(all)
}

pub(crate) unsafe extern "system" fn cmd_cuda_launch_kernel_nv(
    buffer: vk::CommandBuffer,
    info: *const vk::CudaLaunchInfoNV,
) {
    // SAFETY: `info` is valid (VUID-vkCmdCudaLaunchKernelNV-pLaunchInfo-parameter).
    unsafe {
        record(CommandId::cmd_cuda_launch_kernel_nv, buffer, |buffer| {
            let info = &*info;
            let function = handle::get::<CudaFunction>(info.function.as_raw())?;
            let size = LaunchSize {
                grid: [info.grid_dim_x, info.grid_dim_y, info.grid_dim_z],
                block: [info.block_dim_x, info.block_dim_y, info.block_dim_z],
                shared_bytes: info.shared_mem_bytes,
            };
            let launch = function.launch(size, &arguments(info, &function)?)?;
            buffer.push(DispatchCommand::CudaKernel(Box::new(launch)))
        });
    }
}
