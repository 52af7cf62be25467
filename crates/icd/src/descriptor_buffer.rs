//! Descriptors in buffers (`VK_EXT_descriptor_buffer`).

use crate::command::record;
use crate::command2::points;
use crate::device::device;
use crate::{chained, guard, handle, quiet, slice};
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

pub(crate) unsafe extern "system" fn get_layout_size(
    handle_: vk::Device,
    layout: vk::DescriptorSetLayout,
    size: *mut vk::DeviceSize,
) {
    quiet(|| unsafe {
        crate::device::check(handle_)?;
        *size = handle::get::<SetLayout>(layout.as_raw())?.size(None).into();
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_binding_offset(
    handle_: vk::Device,
    layout: vk::DescriptorSetLayout,
    binding: u32,
    offset: *mut vk::DeviceSize,
) {
    quiet(|| unsafe {
        crate::device::check(handle_)?;
        let layout = handle::get::<SetLayout>(layout.as_raw())?;
        let binding = layout
            .bindings()
            .get(binding)
            .ok_or_else(|| Error::misuse(format!("the set layout has no binding {binding}")))?;
        *offset = binding.offset.into();
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_descriptor(
    handle_: vk::Device,
    info: *const vk::DescriptorGetInfoEXT,
    size: usize,
    out: *mut c_void,
) {
    quiet(|| unsafe {
        let bytes = descriptor(handle_, &*info)?;
        if size < bytes.len() {
            return Err(Error::misuse(
                "too few bytes for a descriptor (VUID-vkGetDescriptorEXT-dataSize-08125)",
            ));
        }
        // SAFETY: the application says that there are so many bytes.
        out.cast::<[u8; DESCRIPTOR_BYTES]>().write_unaligned(bytes);
        Ok(())
    });
}

/// What an object could be made with once more so that it had the same descriptors: there is no
/// `descriptorBufferCaptureReplay`, without which nobody may ask.
pub(crate) unsafe extern "system" fn get_capture_data<Info>(
    handle_: vk::Device,
    _info: *const Info,
    _out: *mut c_void,
) -> vk::Result {
    guard(|| {
        crate::device::check(handle_)?;
        Err(Error::misuse(
            "data of a descriptor are asked for without the feature descriptorBufferCaptureReplay",
        ))
    })
}

/// The descriptor that the structure is about.
unsafe fn descriptor(handle_: vk::Device, info: &vk::DescriptorGetInfoEXT) -> Result<[u8; DESCRIPTOR_BYTES]> {
    use vk::DescriptorType as T;
    let device = device(handle_)?;
    // SAFETY, for each field of the union: the type says which it is; null pointers are null descriptors.
    let sampler = |sampler: vk::Sampler| handle::optional::<Sampler>(sampler.as_raw());
    let view = |view: vk::ImageView| handle::optional::<ImageView>(view.as_raw());
    let image = |info: *const vk::DescriptorImageInfo| unsafe { info.as_ref() };
    let bytes = match info.type_ {
        T::SAMPLER => {
            let sampler = unsafe { info.data.sampler.as_ref() }.and_then(|&one| sampler(one));
            DescriptorSource::Sampled(None, sampler.as_deref()).bytes()
        }
        T::COMBINED_IMAGE_SAMPLER => {
            let info = image(unsafe { info.data.combined_image_sampler });
            let view = info.and_then(|info| view(info.image_view));
            let sampler = info.and_then(|info| sampler(info.sampler));
            DescriptorSource::Sampled(view.as_deref(), sampler.as_deref()).bytes()
        }
        T::SAMPLED_IMAGE | T::INPUT_ATTACHMENT | T::SAMPLE_WEIGHT_IMAGE_QCOM | T::BLOCK_MATCH_IMAGE_QCOM => {
            let view = image(unsafe { info.data.sampled_image }).and_then(|info| view(info.image_view));
            DescriptorSource::Sampled(view.as_deref(), None).bytes()
        }
        T::STORAGE_IMAGE => {
            let view = image(unsafe { info.data.storage_image }).and_then(|info| view(info.image_view));
            DescriptorSource::Storage(view.as_deref()).bytes()
        }
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER => {
            let info = unsafe { info.data.storage_buffer.as_ref() };
            let (address, size) = info.map_or((0, 0), |info| (info.address, info.range));
            DescriptorSource::Buffer(address, size).bytes()
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
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
            let view = unsafe { chained!(info.next, DescriptorGetTensorInfoARM) };
            let view = view.and_then(|info| handle::optional::<TensorView>(info.tensor_view.as_raw()));
            DescriptorSource::Tensor(view.as_deref()).bytes()
        }
        // SAFETY: as above; an address is a descriptor whatever it is.
        T::ACCELERATION_STRUCTURE_KHR => {
            DescriptorSource::Structure(unsafe { info.data.acceleration_structure }).bytes()
        }
        other => return Err(Error::unsupported(format!("descriptors of type {other:?} in buffers"))),
    };
    Ok(bytes)
}

pub(crate) unsafe extern "system" fn bind_buffers(
    buffer: vk::CommandBuffer,
    count: u32,
    infos: *const vk::DescriptorBufferBindingInfoEXT,
) {
    unsafe {
        record(buffer, |buffer| {
            buffer.bind_descriptor_buffers(slice(infos, count).iter().map(|info| info.address))
        });
    }
}

pub(crate) unsafe extern "system" fn set_offsets(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first: u32,
    count: u32,
    buffers: *const u32,
    offsets: *const vk::DeviceSize,
) {
    unsafe {
        record(buffer, |buffer| {
            let layout = handle::get::<PipelineLayout>(layout.as_raw())?;
            let (buffers, offsets) = (slice(buffers, count), slice(offsets, count));
            let places = buffers.iter().copied().zip(offsets.iter().copied());
            buffer.set_descriptor_offsets(point, &layout, first, places)
        });
    }
}

pub(crate) unsafe extern "system" fn set_offsets2(
    buffer: vk::CommandBuffer,
    info: *const vk::SetDescriptorBufferOffsetsInfoEXT,
) {
    unsafe {
        let info = &*info;
        for point in points(info.stage_flags) {
            let (first, count) = (info.first_set, info.set_count);
            set_offsets(buffer, point, info.layout, first, count, info.buffer_indices, info.offsets);
        }
    }
}

pub(crate) unsafe extern "system" fn bind_embedded_samplers(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
) {
    unsafe {
        record(buffer, |buffer| {
            let layout = handle::get::<PipelineLayout>(layout.as_raw())?;
            buffer.bind_embedded_samplers(point, &layout, set)
        });
    }
}

pub(crate) unsafe extern "system" fn bind_embedded_samplers2(
    buffer: vk::CommandBuffer,
    info: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT,
) {
    unsafe {
        let info = &*info;
        for point in points(info.stage_flags) {
            bind_embedded_samplers(buffer, point, info.layout, info.set);
        }
    }
}
