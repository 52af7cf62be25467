//! CUDA modules, functions and launches (`VK_NV_cuda_kernel_launch`).

use crate::call::guard;
use crate::call::recording::record;
use crate::handle;
use crate::pointers::{Allocator, Data, In, Out};
use crate::registry::CommandId;
use pyro_capture::host::Payloads;
use pyro_driver::command::DispatchCommand;
use pyro_driver::cuda::{CudaFunction, CudaModule, LaunchSize};
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_cuda_module_nv(
    device: vk::Device,
    info: In<'_, vk::CudaModuleCreateInfoNV>,
    allocator: Allocator,
    mut out: Out<'_, vk::CudaModuleNV>,
) -> vk::Result {
    guard(CommandId::create_cuda_module_nv, || {
        let device = crate::entry::device::device_object(device)?;
        if info.data_size == 0 || info.data.is_null() {
            return Err(Error::misuse(
                "a CUDA module has no data (VUID-VkCudaModuleCreateInfoNV-dataSize-arraylength, \
                 VUID-VkCudaModuleCreateInfoNV-pData-parameter)",
            ));
        }
        let module = CudaModule::new(info.data(), device.device.backend(), device.device.debugger())?;
        out.write(vk::CudaModuleNV::from_raw(handle::create(module, allocator)?));
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

pub(crate) fn create_cuda_function_nv(
    device: vk::Device,
    info: In<'_, vk::CudaFunctionCreateInfoNV>,
    allocator: Allocator,
    mut out: Out<'_, vk::CudaFunctionNV>,
) -> vk::Result {
    guard(CommandId::create_cuda_function_nv, || {
        crate::entry::device::check(device)?;
        let module = handle::get::<CudaModule>(info.module.as_raw())?;
        let name = info.name().ok_or_else(|| {
            Error::misuse(
                "pName of a CUDA function is null (VUID-VkCudaFunctionCreateInfoNV-pName-parameter)",
            )
        })?;
        let name = name.to_string_lossy();
        out.write(vk::CudaFunctionNV::from_raw(handle::create(
            CudaFunction::new(module, &name)?,
            allocator,
        )?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_cuda_function_nv(CudaFunctionNV), CudaFunction);

/// The arguments of a launch: `pParams` is an array of pointers to them.
fn arguments<'call>(
    info: In<'call, vk::CudaLaunchInfoNV>,
    function: &CudaFunction,
) -> Result<Vec<&'call [u8]>> {
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
        // SAFETY: there are as many pointers as the function has parameters
        // (VUID-VkCudaLaunchInfoNV-pParams-09410).
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

pub(crate) fn cmd_cuda_launch_kernel_nv(buffer: vk::CommandBuffer, info: In<'_, vk::CudaLaunchInfoNV>) {
    record(CommandId::cmd_cuda_launch_kernel_nv, buffer, |buffer| {
        let function = handle::get::<CudaFunction>(info.function.as_raw())?;
        let size = LaunchSize {
            grid: [info.grid_dim_x, info.grid_dim_y, info.grid_dim_z],
            block: [info.block_dim_x, info.block_dim_y, info.block_dim_z],
            shared_bytes: info.shared_mem_bytes,
        };
        let arguments = arguments(info, &function)?;
        crate::record::note_host(|bytes| {
            for (node, own) in (0..).zip(&arguments) {
                pyro_capture::host::append(&Payloads { node, count: 1, bytes: own }, bytes);
            }
        });
        let launch = function.launch(size, &arguments)?;
        buffer.push(DispatchCommand::CudaKernel(Box::new(launch)))
    });
}
