//! Tensors (`VK_ARM_tensors`).

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::external;
use crate::entry::memory::fill_requirements;
use crate::handle;
use crate::pointers::{Allocator, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_driver::command::TransferCommand;
use pyro_driver::memory::DeviceMemory;
use pyro_driver::tensor::{Tensor, TensorCopy, TensorInfo, TensorView};
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

/// A tensor as described.
fn tensor(info: In<'_, vk::TensorCreateInfoARM>) -> Result<Tensor> {
    if info.description.is_null() {
        return Err(Error::misuse(
            "pDescription of a tensor is null (VUID-VkTensorCreateInfoARM-pDescription-parameter)",
        ));
    }
    if info.flags.contains(vk::TensorCreateFlagsARM::PROTECTED) {
        return Err(Error::unsupported(
            "the device lacks protected memory for tensors (VUID-VkTensorCreateInfoARM-protectedMemory-09729)",
        ));
    }
    let description: In<'_, vk::TensorDescriptionARM> = info.description();
    Tensor::new(&TensorInfo {
        tiling: description.tiling,
        format: description.format,
        dimensions: description.dimensions().get(),
        strides: (!description.strides.is_null()).then(|| description.strides().get()),
        usage: description.usage,
    })
}

pub(crate) fn create_tensor_arm(
    device: vk::Device,
    info: In<'_, vk::TensorCreateInfoARM>,
    allocator: Allocator,
    mut out: Out<'_, vk::TensorARM>,
) -> vk::Result {
    guard(CommandId::create_tensor_arm, || {
        crate::entry::device::check(device)?;
        out.write(vk::TensorARM::from_raw(handle::create(tensor(info)?, allocator)?));
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

pub(crate) fn get_tensor_memory_requirements_arm(
    device: vk::Device,
    info: In<'_, vk::TensorMemoryRequirementsInfoARM>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_tensor_memory_requirements_arm, || {
        crate::entry::device::check(device)?;
        fill_requirements(out, handle::get::<Tensor>(info.tensor.as_raw())?.requirements(), false);
        Ok(())
    });
}

pub(crate) fn get_device_tensor_memory_requirements_arm(
    device: vk::Device,
    info: In<'_, vk::DeviceTensorMemoryRequirementsARM>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_device_tensor_memory_requirements_arm, || {
        crate::entry::device::check(device)?;
        fill_requirements(out, tensor(info.create_info())?.requirements(), false);
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
pub(crate) fn written(write: In<'_, vk::WriteDescriptorSet>) -> Result<Slice<'_, vk::TensorViewARM>> {
    let views = write.find::<vk::WriteDescriptorSetTensorARM>();
    views
        .filter(|views| views.tensor_view_count >= write.descriptor_count)
        .map(|views| views.tensor_views())
        .ok_or_else(|| {
            Error::misuse(
                "a descriptor write of tensors has too few tensor views in its pNext chain (VUID-VkWriteDescriptorSet-descriptorType-09945)",
            )
        })
}
