//! Descriptors in buffers (`VK_EXT_descriptor_buffer`).

use crate::call::recording::record;
use crate::call::{chained, guard, guard_void, slice};
use crate::entry::command2::points;
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::{Out, Slice};
use crate::registry::CommandId;
use pyro_driver::buffer::BufferView;
use pyro_driver::descriptor::{DESCRIPTOR_BYTES, DescriptorSource, SetLayout};
use pyro_driver::image::{ImageView, Sampler};
use pyro_driver::memory::mapped::DeviceAddresses;
use pyro_driver::pipeline::PipelineLayout;
use pyro_driver::tensor::TensorView;
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn get_descriptor_set_layout_size_ext(
    device: vk::Device,
    layout: vk::DescriptorSetLayout,
    mut size: Out<'_, vk::DeviceSize>,
) {
    guard_void(CommandId::get_descriptor_set_layout_size_ext, || {
        crate::entry::device::check(device)?;
        size.write(handle::get::<SetLayout>(layout.as_raw())?.size(None).into());
        Ok(())
    });
}

pub(crate) fn get_descriptor_set_layout_binding_offset_ext(
    device: vk::Device,
    layout: vk::DescriptorSetLayout,
    binding: u32,
    mut offset: Out<'_, vk::DeviceSize>,
) {
    guard_void(CommandId::get_descriptor_set_layout_binding_offset_ext, || {
        crate::entry::device::check(device)?;
        let layout = handle::get::<SetLayout>(layout.as_raw())?;
        let binding = layout
            .bindings()
            .get(binding)
            .ok_or_else(|| Error::misuse(format!("the set layout has no binding {binding}")))?;
        offset.write(binding.offset.into());
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_descriptor_ext(
    device: vk::Device,
    info: *const vk::DescriptorGetInfoEXT,
    size: usize,
    out: *mut c_void,
) {
    // SAFETY: `info` and `out` are valid (VUID-vkGetDescriptorEXT-pDescriptorInfo-parameter,
    // VUID-vkGetDescriptorEXT-pDescriptor-parameter).
    guard_void(CommandId::get_descriptor_ext, || unsafe {
        let bytes = descriptor(device, &*info)?;
        if size < bytes.len() {
            return Err(Error::misuse(
                "dataSize is too small for a descriptor (VUID-vkGetDescriptorEXT-dataSize-08125)",
            ));
        }
        // SAFETY: the application says that there are so many bytes.
        out.cast::<[u8; DESCRIPTOR_BYTES]>().write_unaligned(bytes);
        Ok(())
    });
}

/// Commands that say with what an object could be made once more so that it had the same descriptors: there
/// is no `descriptorBufferCaptureReplay`, without which they may not be called.
macro_rules! capture_data_commands {
    ($($name:ident($info:ident);)*) => {
        $(pub(crate) unsafe extern "system" fn $name(
            device: vk::Device,
            _info: *const vk::$info,
            _out: *mut c_void,
        ) -> vk::Result {
            guard(CommandId::$name, || capture_data(device))
        })*
    };
}

capture_data_commands! {
    get_buffer_opaque_capture_descriptor_data_ext(BufferCaptureDescriptorDataInfoEXT);
    get_image_opaque_capture_descriptor_data_ext(ImageCaptureDescriptorDataInfoEXT);
    get_image_view_opaque_capture_descriptor_data_ext(ImageViewCaptureDescriptorDataInfoEXT);
    get_sampler_opaque_capture_descriptor_data_ext(SamplerCaptureDescriptorDataInfoEXT);
    get_acceleration_structure_opaque_capture_descriptor_data_ext(AccelerationStructureCaptureDescriptorDataInfoEXT);
    get_tensor_opaque_capture_descriptor_data_arm(TensorCaptureDescriptorDataInfoARM);
    get_tensor_view_opaque_capture_descriptor_data_arm(TensorViewCaptureDescriptorDataInfoARM);
}

fn capture_data(device: vk::Device) -> Result<vk::Result> {
    crate::entry::device::check(device)?;
    Err(Error::misuse(
        "capture data of a descriptor, but the device lacks the feature descriptorBufferCaptureReplay",
    ))
}

/// The descriptor that the structure is about.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkDescriptorGetInfoEXT`, "Valid Usage").
unsafe fn descriptor(device: vk::Device, info: &vk::DescriptorGetInfoEXT) -> Result<[u8; DESCRIPTOR_BYTES]> {
    use vk::DescriptorType as T;
    let device = device_object(device)?;
    // SAFETY, for each field of the union: the type says which it is; null pointers are null descriptors.
    let sampler = |sampler: vk::Sampler| crate::call::get_or_report::<Sampler>(sampler.as_raw());
    let view = |view: vk::ImageView| crate::call::get_or_report::<ImageView>(view.as_raw());
    // SAFETY: `info` is null or valid, by the contract of this function.
    let image = |info: *const vk::DescriptorImageInfo| unsafe { info.as_ref() };
    let bytes = match info.type_ {
        T::SAMPLER => {
            // SAFETY: `sampler` is null or valid, by the contract of this function.
            let sampler = unsafe { info.data.sampler.as_ref() }.and_then(|&one| sampler(one));
            DescriptorSource::Sampled(None, sampler.as_deref()).bytes()
        }
        T::COMBINED_IMAGE_SAMPLER => {
            // SAFETY: the structure's type says which member of the union the application has set.
            let info = image(unsafe { info.data.combined_image_sampler });
            let view = info.and_then(|info| view(info.image_view));
            let sampler = info.and_then(|info| sampler(info.sampler));
            DescriptorSource::Sampled(view.as_deref(), sampler.as_deref()).bytes()
        }
        T::SAMPLED_IMAGE | T::INPUT_ATTACHMENT | T::SAMPLE_WEIGHT_IMAGE_QCOM | T::BLOCK_MATCH_IMAGE_QCOM => {
            // SAFETY: the structure's type says which member of the union the application has set.
            let view = image(unsafe { info.data.sampled_image }).and_then(|info| view(info.image_view));
            DescriptorSource::Sampled(view.as_deref(), None).bytes()
        }
        T::STORAGE_IMAGE => {
            // SAFETY: the structure's type says which member of the union the application has set.
            let view = image(unsafe { info.data.storage_image }).and_then(|info| view(info.image_view));
            DescriptorSource::Storage(view.as_deref()).bytes()
        }
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER => {
            // SAFETY: `storage_buffer` is null or valid, by the contract of this function.
            let info = unsafe { info.data.storage_buffer.as_ref() };
            let (address, size) = info.map_or((0, 0), |info| (info.address, info.range));
            DescriptorSource::Buffer(address, size).bytes()
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            // SAFETY: `uniform_texel_buffer` is null or valid, by the contract of this function.
            let info = unsafe { info.data.uniform_texel_buffer.as_ref() }.filter(|info| info.address != 0);
            // SAFETY: the application keeps a buffer's memory while its descriptors are used.
            let memory = unsafe { DeviceAddresses::trusted() };
            let texels = |info: &vk::DescriptorAddressInfoEXT| {
                device.device.texels(memory, info.address, info.range, info.format)
            };
            let view: Option<Arc<BufferView>> = info.map(texels).transpose()?;
            DescriptorSource::Texels(view.as_deref()).bytes()
        }
        T::TENSOR_ARM => {
            // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of
            // this function.
            let view = unsafe { chained!(info.next, DescriptorGetTensorInfoARM) };
            let view =
                view.and_then(|info| crate::call::get_or_report::<TensorView>(info.tensor_view.as_raw()));
            DescriptorSource::Tensor(view.as_deref()).bytes()
        }
        // SAFETY: as above; an address is a descriptor whatever it is.
        T::ACCELERATION_STRUCTURE_KHR => {
            // SAFETY: the structure's type says which member of the union the application has set.
            DescriptorSource::Structure(unsafe { info.data.acceleration_structure }).bytes()
        }
        other => {
            return Err(Error::unsupported(format!(
                "descriptor type {other:?} is not supported in descriptor buffers"
            )));
        }
    };
    Ok(bytes)
}

pub(crate) fn cmd_bind_descriptor_buffers_ext(
    buffer: vk::CommandBuffer,
    infos: Slice<'_, vk::DescriptorBufferBindingInfoEXT>,
) {
    record(CommandId::cmd_bind_descriptor_buffers_ext, buffer, |buffer| {
        buffer.bind_descriptor_buffers(infos.into_iter().map(|info| info.address))
    });
}

pub(crate) unsafe extern "system" fn cmd_set_descriptor_buffer_offsets_ext(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first: u32,
    count: u32,
    buffers: *const u32,
    offsets: *const vk::DeviceSize,
) {
    // SAFETY: `buffers` and `offsets` have as many elements as counted
    // (VUID-vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-parameter,
    // VUID-vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-parameter).
    unsafe {
        record(CommandId::cmd_set_descriptor_buffer_offsets_ext, buffer, |buffer| {
            let layout = handle::get::<PipelineLayout>(layout.as_raw())?;
            let (buffers, offsets) = (slice(buffers, count), slice(offsets, count));
            let places = buffers.iter().copied().zip(offsets.iter().copied());
            buffer.set_descriptor_offsets(point, &layout, first, places)
        });
    }
}

pub(crate) unsafe extern "system" fn cmd_set_descriptor_buffer_offsets2_ext(
    buffer: vk::CommandBuffer,
    info: *const vk::SetDescriptorBufferOffsetsInfoEXT,
) {
    // SAFETY: `info` is valid
    // (VUID-vkCmdSetDescriptorBufferOffsets2EXT-pSetDescriptorBufferOffsetsInfo-parameter).
    unsafe {
        let info = &*info;
        for point in points(info.stage_flags) {
            let (first, count) = (info.first_set, info.set_count);
            cmd_set_descriptor_buffer_offsets_ext(
                buffer,
                point,
                info.layout,
                first,
                count,
                info.buffer_indices,
                info.offsets,
            );
        }
    }
}

pub(crate) fn cmd_bind_descriptor_buffer_embedded_samplers_ext(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
) {
    record(CommandId::cmd_bind_descriptor_buffer_embedded_samplers_ext, buffer, |buffer| {
        let layout = handle::get::<PipelineLayout>(layout.as_raw())?;
        buffer.bind_embedded_samplers(point, &layout, set)
    });
}

pub(crate) unsafe extern "system" fn cmd_bind_descriptor_buffer_embedded_samplers2_ext(
    buffer: vk::CommandBuffer,
    info: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT,
) {
    // SAFETY: `info` is valid, by the valid usage of the command.
    unsafe {
        let info = &*info;
        for point in points(info.stage_flags) {
            cmd_bind_descriptor_buffer_embedded_samplers_ext(buffer, point, info.layout, info.set);
        }
    }
}
