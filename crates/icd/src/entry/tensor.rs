//! Tensors (`VK_ARM_tensors`).

use crate::call::recording::record;
use crate::call::{chained, guard, guard_void, slice};
use crate::entry::external;
use crate::handle;
use crate::pointers::{Allocator, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_driver::command::TransferCommand;
use pyro_driver::memory::DeviceMemory;
use pyro_driver::tensor::{Tensor, TensorCopy, TensorInfo, TensorView};
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

/// A tensor as described.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkTensorCreateInfoARM`, "Valid Usage").
unsafe fn tensor(info: &vk::TensorCreateInfoARM) -> Result<Tensor> {
    // SAFETY: `strides` and `dimensions` have as many elements as counted; `pDescription` is null or valid
    // (VUID-VkTensorCreateInfoARM-pDescription-parameter).
    unsafe {
        let description = info.description.as_ref();
        let description = description.ok_or_else(|| {
            Error::misuse(
                "pDescription of a tensor is null (VUID-VkTensorCreateInfoARM-pDescription-parameter)",
            )
        })?;
        if info.flags.contains(vk::TensorCreateFlagsARM::PROTECTED) {
            return Err(Error::unsupported(
                "the device lacks protected memory for tensors (VUID-VkTensorCreateInfoARM-protectedMemory-09729)",
            ));
        }
        let count = description.dimension_count;
        let strides = (!description.strides.is_null()).then(|| slice(description.strides, count));
        Tensor::new(&TensorInfo {
            tiling: description.tiling,
            format: description.format,
            dimensions: slice(description.dimensions, count),
            strides,
            usage: description.usage,
        })
    }
}

pub(crate) unsafe extern "system" fn create_tensor_arm(
    device: vk::Device,
    info: *const vk::TensorCreateInfoARM,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::TensorARM,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateTensorARM-pCreateInfo-parameter, VUID-vkCreateTensorARM-pAllocator-parameter,
    // VUID-vkCreateTensorARM-pTensor-parameter).
    guard(CommandId::create_tensor_arm, || unsafe {
        crate::entry::device::check(device)?;
        *out = vk::TensorARM::from_raw(handle::new(tensor(&*info)?, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_tensor_arm(TensorARM), Tensor);

pub(crate) fn create_tensor_view_arm(
    device: vk::Device,
    info: In<'_, vk::TensorViewCreateInfoARM>,
    allocator: Allocator,
    mut out: Out<'_, vk::TensorViewARM>,
) -> vk::Result {
    guard(CommandId::create_tensor_view_arm, || {
        crate::entry::device::check(device)?;
        out.write(vk::TensorViewARM::from_raw(handle::create(view(&info)?, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// A view as described.
pub(crate) fn view(info: &vk::TensorViewCreateInfoARM) -> Result<TensorView> {
    TensorView::new(&*handle::get::<Tensor>(info.tensor.as_raw())?, info.format)
}

crate::call::destroy_command!(destroy_tensor_view_arm(TensorViewARM), TensorView);

/// Writes what memory a tensor needs, which need not be dedicated.
///
/// # Safety
/// `out` is valid.
unsafe fn fill_requirements(requirements: vk::MemoryRequirements, out: *mut vk::MemoryRequirements2) {
    // SAFETY: `out`, with its chain, is valid by the contract of this function.
    unsafe {
        (*out).memory_requirements = requirements;
        crate::entry::image::fill_dedicated((*out).next);
    }
}

pub(crate) unsafe extern "system" fn get_tensor_memory_requirements_arm(
    device: vk::Device,
    info: *const vk::TensorMemoryRequirementsInfoARM,
    out: *mut vk::MemoryRequirements2,
) {
    // SAFETY: `info` and `out` are valid (VUID-vkGetTensorMemoryRequirementsARM-pInfo-parameter,
    // VUID-vkGetTensorMemoryRequirementsARM-pMemoryRequirements-parameter).
    guard_void(CommandId::get_tensor_memory_requirements_arm, || unsafe {
        crate::entry::device::check(device)?;
        fill_requirements(handle::get::<Tensor>((*info).tensor.as_raw())?.requirements(), out);
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_device_tensor_memory_requirements_arm(
    device: vk::Device,
    info: *const vk::DeviceTensorMemoryRequirementsARM,
    out: *mut vk::MemoryRequirements2,
) {
    // SAFETY: `info` and `out` are valid (VUID-vkGetDeviceTensorMemoryRequirementsARM-pInfo-parameter,
    // VUID-vkGetDeviceTensorMemoryRequirementsARM-pMemoryRequirements-parameter).
    guard_void(CommandId::get_device_tensor_memory_requirements_arm, || unsafe {
        crate::entry::device::check(device)?;
        fill_requirements(tensor(&*(*info).create_info)?.requirements(), out);
        Ok(())
    });
}

pub(crate) fn bind_tensor_memory_arm(
    device: vk::Device,
    infos: Slice<'_, vk::BindTensorMemoryInfoARM>,
) -> vk::Result {
    guard(CommandId::bind_tensor_memory_arm, || {
        crate::entry::device::check(device)?;
        for info in infos {
            let memory = handle::get::<DeviceMemory>(info.memory.as_raw())?;
            handle::get::<Tensor>(info.tensor.as_raw())?.bind(memory, info.memory_offset)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_physical_device_external_tensor_properties_arm(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceExternalTensorInfoARM>,
    mut out: Out<'_, vk::ExternalTensorPropertiesARM>,
) {
    out.get_mut().external_memory_properties = external::properties(info.handle_type);
}

pub(crate) fn cmd_copy_tensor_arm(buffer: vk::CommandBuffer, info: In<'_, vk::CopyTensorInfoARM>) {
    record(CommandId::cmd_copy_tensor_arm, buffer, |buffer| {
        if info.region_count != 1 {
            return Err(Error::misuse(
                "a tensor copy must have one region that covers the whole tensor (VUID-VkCopyTensorInfoARM-regionCount-09686)",
            ));
        }
        let source = handle::get::<Tensor>(info.src_tensor.as_raw())?;
        let target = handle::get::<Tensor>(info.dst_tensor.as_raw())?;
        buffer.push(TransferCommand::CopyTensor(Box::new(TensorCopy::new(&source, &target)?)))
    });
}

/// What a tensor could be made with once more so that it had the same descriptors: there is no
/// `descriptorHeapCaptureReplay`, without which nobody may ask.
pub(crate) fn get_tensor_opaque_capture_data_arm(
    device: vk::Device,
    _tensors: Slice<'_, vk::TensorARM>,
    mut _out: Outputs<'_, vk::HostAddressRangeEXT>,
) -> vk::Result {
    guard(CommandId::get_tensor_opaque_capture_data_arm, || {
        crate::entry::device::check(device)?;
        Err(Error::misuse(
            "capture data of a tensor, but the device lacks the feature descriptorHeapCaptureReplay",
        ))
    })
}

/// The views that a write of a descriptor set names.
///
/// # Safety
/// `write` is valid, with its chain and all that it points to (`VkWriteDescriptorSet`, "Valid Usage").
pub(crate) unsafe fn written(write: &vk::WriteDescriptorSet) -> Result<*const vk::TensorViewARM> {
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let views = unsafe { chained!(write.next, WriteDescriptorSetTensorARM) };
    views
        .filter(|views| views.tensor_view_count >= write.descriptor_count)
        .map(|views| views.tensor_views)
        .ok_or_else(|| {
            Error::misuse(
                "a descriptor write of tensors has too few tensor views in its pNext chain (VUID-VkWriteDescriptorSet-descriptorType-09945)",
            )
        })
}
