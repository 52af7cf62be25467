//! Descriptors in buffers (`VK_EXT_descriptor_buffer`).

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::command2::points;
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::{In, Memory, Out, Slice};
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

pub(crate) fn get_descriptor_ext(
    device: vk::Device,
    info: In<'_, vk::DescriptorGetInfoEXT>,
    out: Memory<'_>,
) {
    guard_void(CommandId::get_descriptor_ext, || {
        let bytes = descriptor(device, info)?;
        if !out.write(0, &bytes) {
            return Err(Error::misuse(
                "dataSize is too small for a descriptor (VUID-vkGetDescriptorEXT-dataSize-08125)",
            ));
        }
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

/// The descriptor that the structure is about; null pointers are null descriptors.
fn descriptor(device: vk::Device, info: In<'_, vk::DescriptorGetInfoEXT>) -> Result<[u8; DESCRIPTOR_BYTES]> {
    use vk::DescriptorType as T;
    let device = device_object(device)?;
    let sampler = |sampler: vk::Sampler| crate::call::get_or_report::<Sampler>(sampler.as_raw());
    let view = |view: vk::ImageView| crate::call::get_or_report::<ImageView>(view.as_raw());
    let bytes = match info.type_ {
        T::SAMPLER => {
            let sampler = info.data_sampler().and_then(|one| sampler(*one));
            DescriptorSource::Sampled(None, sampler.as_deref()).bytes()
        }
        T::COMBINED_IMAGE_SAMPLER => {
            let info = info.data_combined_image_sampler();
            let view = info.and_then(|info| view(info.image_view));
            let sampler = info.and_then(|info| sampler(info.sampler));
            DescriptorSource::Sampled(view.as_deref(), sampler.as_deref()).bytes()
        }
        T::SAMPLED_IMAGE | T::INPUT_ATTACHMENT => {
            let image = info.data_sampled_image().or(info.data_input_attachment_image());
            let view = image.and_then(|info| view(info.image_view));
            DescriptorSource::Sampled(view.as_deref(), None).bytes()
        }
        T::SAMPLE_WEIGHT_IMAGE_QCOM | T::BLOCK_MATCH_IMAGE_QCOM => {
            // SAFETY: images of these types are given as sampled ones, null or valid.
            let image = unsafe { info.data.sampled_image.as_ref() };
            let view = image.and_then(|info| view(info.image_view));
            DescriptorSource::Sampled(view.as_deref(), None).bytes()
        }
        T::STORAGE_IMAGE => {
            let view = info.data_storage_image().and_then(|info| view(info.image_view));
            DescriptorSource::Storage(view.as_deref()).bytes()
        }
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER => {
            let info = info.data_uniform_buffer().or(info.data_storage_buffer());
            let (address, size) = info.map_or((0, 0), |info| (info.address, info.range));
            DescriptorSource::Buffer(address, size).bytes()
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            let info = info.data_uniform_texel_buffer().or(info.data_storage_texel_buffer());
            let info = info.filter(|info| info.address != 0);
            // SAFETY: the application keeps a buffer's memory while its descriptors are used.
            let memory = unsafe { DeviceAddresses::trusted() };
            let texels = |info: In<'_, vk::DescriptorAddressInfoEXT>| {
                device.device.texels(memory, info.address, info.range, info.format)
            };
            let view: Option<Arc<BufferView>> = info.map(texels).transpose()?;
            DescriptorSource::Texels(view.as_deref()).bytes()
        }
        T::TENSOR_ARM => {
            let view = info.find::<vk::DescriptorGetTensorInfoARM>();
            let view =
                view.and_then(|info| crate::call::get_or_report::<TensorView>(info.tensor_view.as_raw()));
            DescriptorSource::Tensor(view.as_deref()).bytes()
        }
        // An address is a descriptor whatever it is.
        T::ACCELERATION_STRUCTURE_KHR
        | T::ACCELERATION_STRUCTURE_NV
        | T::PARTITIONED_ACCELERATION_STRUCTURE_NV => {
            let address = info.data_acceleration_structure().map_or(0, |address| *address);
            DescriptorSource::Structure(address).bytes()
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

pub(crate) fn cmd_set_descriptor_buffer_offsets_ext(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first: u32,
    buffers: Slice<'_, u32>,
    offsets: Slice<'_, vk::DeviceSize>,
) {
    record(CommandId::cmd_set_descriptor_buffer_offsets_ext, buffer, |buffer| {
        let layout = handle::get::<PipelineLayout>(layout.as_raw())?;
        let places = buffers.iter().copied().zip(offsets.iter().copied());
        buffer.set_descriptor_offsets(point, &layout, first, places)
    });
}

pub(crate) fn cmd_set_descriptor_buffer_offsets2_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::SetDescriptorBufferOffsetsInfoEXT>,
) {
    for point in points(info.stage_flags) {
        let (buffers, offsets) = (info.buffer_indices(), info.offsets());
        cmd_set_descriptor_buffer_offsets_ext(buffer, point, info.layout, info.first_set, buffers, offsets);
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

pub(crate) fn cmd_bind_descriptor_buffer_embedded_samplers2_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::BindDescriptorBufferEmbeddedSamplersInfoEXT>,
) {
    for point in points(info.stage_flags) {
        cmd_bind_descriptor_buffer_embedded_samplers_ext(buffer, point, info.layout, info.set);
    }
}
