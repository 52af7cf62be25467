//! Descriptor heaps (`VK_EXT_descriptor_heap`): descriptors written to memory, heaps and push data bound by
//! commands, and mappings of shaders' bindings to them.

use crate::call::recording::record;
use crate::call::{bytes, find, guard, guard_void, slice};
use crate::entry::device::device_object;
use crate::entry::image::{sampler_info, view_info};
use crate::handle;
use crate::pointers::{In, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::heap::{EmbeddedSampler, Heap, HeapAddressing, HeapIndex, Mapping, MappingSource, Mappings};
use pyro_driver::command::{BindCommand, CommandBuffer};
use pyro_driver::descriptor::{DESCRIPTOR_BYTES, DescriptorSource};
use pyro_driver::device::Device;
use pyro_driver::image::{Image, Sampler};
use pyro_driver::memory::mapped::DeviceAddresses;
use pyro_driver::tensor::Tensor;
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Writes a descriptor where the application wants it.
///
/// # Safety
/// `to` is valid, with its chain and all that it points to (`VkHostAddressRangeEXT`, "Valid Usage").
unsafe fn put(to: &vk::HostAddressRangeEXT, bytes: [u8; DESCRIPTOR_BYTES]) -> Result<()> {
    if to.size < bytes.len() {
        return Err(Error::misuse(
            "dataSize is too small for a descriptor (VUID-vkWriteSamplerDescriptorsEXT-size-11203, \
             VUID-vkWriteResourceDescriptorsEXT-size-11207)",
        ));
    }
    // SAFETY: the application says that there are so many bytes.
    unsafe { to.address.cast::<[u8; DESCRIPTOR_BYTES]>().write_unaligned(bytes) };
    Ok(())
}

pub(crate) unsafe extern "system" fn write_sampler_descriptors_ext(
    device: vk::Device,
    count: u32,
    samplers: *const vk::SamplerCreateInfo,
    descriptors: *const vk::HostAddressRangeEXT,
) -> vk::Result {
    // SAFETY: `samplers` and `descriptors` have as many elements as counted
    // (VUID-vkWriteSamplerDescriptorsEXT-pSamplers-parameter,
    // VUID-vkWriteSamplerDescriptorsEXT-pDescriptors-parameter).
    guard(CommandId::write_sampler_descriptors_ext, || unsafe {
        let device = device_object(device)?;
        for (info, to) in slice(samplers, count).iter().zip(slice(descriptors, count)) {
            let sampler = device.device.heap_sampler(sampler_info(info)?)?;
            // A sampler alone comes first.
            let mut bytes = [0; DESCRIPTOR_BYTES];
            bytes[..8].copy_from_slice(&sampler.record_address().to_ne_bytes());
            put(to, bytes)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn write_resource_descriptors_ext(
    device: vk::Device,
    count: u32,
    resources: *const vk::ResourceDescriptorInfoEXT,
    descriptors: *const vk::HostAddressRangeEXT,
) -> vk::Result {
    // SAFETY: `resources` and `descriptors` have as many elements as counted
    // (VUID-vkWriteResourceDescriptorsEXT-pResources-parameter,
    // VUID-vkWriteResourceDescriptorsEXT-pDescriptors-parameter).
    guard(CommandId::write_resource_descriptors_ext, || unsafe {
        let device = device_object(device)?;
        for (info, to) in slice(resources, count).iter().zip(slice(descriptors, count)) {
            put(to, resource(&device.device, info)?)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// The descriptor that the structure is about.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkResourceDescriptorInfoEXT`, "Valid Usage").
unsafe fn resource(device: &Device, info: &vk::ResourceDescriptorInfoEXT) -> Result<[u8; DESCRIPTOR_BYTES]> {
    use vk::DescriptorType as T;
    // SAFETY: the type says which member of the union the application has set; its pointers are null or valid
    // (VUID-VkImageDescriptorInfoEXT-pView-parameter).
    let view = || unsafe {
        let image = info.data.image.as_ref().and_then(|image| image.view.as_ref());
        let image =
            image.map(|info| device.heap_view(handle::get::<Image>(info.image.as_raw())?, view_info(info)?));
        image.transpose()
    };
    Ok(match info.type_ {
        T::SAMPLED_IMAGE | T::INPUT_ATTACHMENT | T::SAMPLE_WEIGHT_IMAGE_QCOM | T::BLOCK_MATCH_IMAGE_QCOM => {
            DescriptorSource::Sampled(view()?.as_deref(), None).bytes()
        }
        T::STORAGE_IMAGE => DescriptorSource::Storage(view()?.as_deref()).bytes(),
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER => {
            // SAFETY: `address_range` is null or valid, by the contract of this function.
            let range = unsafe { info.data.address_range.as_ref() };
            let (address, size) = range.map_or((0, 0), |range| (range.address, range.size));
            DescriptorSource::Buffer(address, size).bytes()
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            // SAFETY: `texel_buffer` is null or valid, by the contract of this function.
            let info = unsafe { info.data.texel_buffer.as_ref() };
            let info = info.filter(|info| info.address_range.address != 0);
            let view = info.map(|info| {
                let vk::DeviceAddressRangeEXT { address, size } = info.address_range;
                // SAFETY: the application keeps a buffer's memory while its descriptors are used.
                let memory = unsafe { DeviceAddresses::trusted() };
                device.texels(memory, address, size, info.format)
            });
            DescriptorSource::Texels(view.transpose()?.as_deref()).bytes()
        }
        // As what shaders have of an address, which is looked up when a ray is traced.
        T::ACCELERATION_STRUCTURE_KHR => {
            // SAFETY: `address_range` is null or valid, by the contract of this function.
            let range = unsafe { info.data.address_range.as_ref() };
            let address = range.map_or(0, |range| range.address);
            let structure = if address == 0 { 0 } else { address | pyro_abi::ray::UNRESOLVED };
            let mut bytes = [0; DESCRIPTOR_BYTES];
            bytes[..8].copy_from_slice(&structure.to_ne_bytes());
            bytes
        }
        T::TENSOR_ARM => {
            // SAFETY: `tensor_arm` is null or valid, by the contract of this function.
            let Some(info) = (unsafe { info.data.tensor_arm.as_ref() }) else {
                return Ok(DescriptorSource::Tensor(None).bytes());
            };
            let tensor = handle::get::<Tensor>(info.tensor.as_raw())?;
            DescriptorSource::Tensor(Some(tensor.heap_view(info.format)?)).bytes()
        }
        other => {
            return Err(Error::unsupported(format!(
                "descriptor type {other:?} is not supported in descriptor heaps (VUID-VkResourceDescriptorInfoEXT-type-11210)"
            )));
        }
    })
}

pub(crate) fn get_physical_device_descriptor_size_ext(
    _physical_device: vk::PhysicalDevice,
    _ty: vk::DescriptorType,
) -> vk::DeviceSize {
    DESCRIPTOR_BYTES as vk::DeviceSize
}

fn bind(buffer: &mut CommandBuffer, heap: Heap, info: &vk::BindHeapInfoEXT) -> Result<()> {
    buffer.push(BindCommand::Heap(heap, info.heap_range.address, info.heap_range.size))
}

/// Binds the heaps that a secondary command buffer begins with: those of the one that it is executed by.
///
/// # Safety
/// `next` is null or starts a valid chain.
pub(crate) unsafe fn inherit(buffer: &mut CommandBuffer, next: *const c_void) -> Result<()> {
    let s_type = vk::StructureType::COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let info = unsafe { find::<vk::CommandBufferInheritanceDescriptorHeapInfoEXT>(next, s_type) };
    let Some(info) = info else { return Ok(()) };
    let heaps =
        [(Heap::Sampler, info.sampler_heap_bind_info), (Heap::Resource, info.resource_heap_bind_info)];
    // SAFETY: the pointers are null or valid
    // (VUID-VkCommandBufferInheritanceDescriptorHeapInfoEXT-pSamplerHeapBindInfo-parameter,
    // VUID-VkCommandBufferInheritanceDescriptorHeapInfoEXT-pResourceHeapBindInfo-parameter).
    heaps.into_iter().try_for_each(|(heap, info)| match unsafe { info.as_ref() } {
        Some(info) => bind(buffer, heap, info),
        None => Ok(()),
    })
}

pub(crate) fn cmd_bind_sampler_heap_ext(buffer: vk::CommandBuffer, info: In<'_, vk::BindHeapInfoEXT>) {
    record(CommandId::cmd_bind_sampler_heap_ext, buffer, |buffer| bind(buffer, Heap::Sampler, &info));
}

pub(crate) fn cmd_bind_resource_heap_ext(buffer: vk::CommandBuffer, info: In<'_, vk::BindHeapInfoEXT>) {
    record(CommandId::cmd_bind_resource_heap_ext, buffer, |buffer| bind(buffer, Heap::Resource, &info));
}

pub(crate) unsafe extern "system" fn cmd_push_data_ext(
    buffer: vk::CommandBuffer,
    info: *const vk::PushDataInfoEXT,
) {
    // SAFETY: `info` is valid (VUID-vkCmdPushDataEXT-pPushDataInfo-parameter).
    unsafe {
        record(CommandId::cmd_push_data_ext, buffer, |buffer| {
            let info = &*info;
            let bytes = bytes(info.data.address, info.data.size);
            buffer.push_constants(info.offset, bytes)
        });
    }
}

/// What an image could be made with once more so that it had the same descriptors: there is no
/// `descriptorHeapCaptureReplay`, without which nobody may ask.
pub(crate) fn get_image_opaque_capture_data_ext(
    device: vk::Device,
    _images: Slice<'_, vk::Image>,
    mut _out: Outputs<'_, vk::HostAddressRangeEXT>,
) -> vk::Result {
    guard(CommandId::get_image_opaque_capture_data_ext, || {
        crate::entry::device::check(device)?;
        Err(Error::misuse(
            "capture data of an image, but the device lacks the feature descriptorHeapCaptureReplay",
        ))
    })
}

pub(crate) unsafe extern "system" fn register_custom_border_color_ext(
    device: vk::Device,
    _color: *const vk::SamplerCustomBorderColorCreateInfoEXT,
    request: vk::Bool32,
    index: *mut u32,
) -> vk::Result {
    // SAFETY: `index` is valid (VUID-vkRegisterCustomBorderColorEXT-pIndex-parameter).
    guard(CommandId::register_custom_border_color_ext, || unsafe {
        let device = device_object(device)?;
        let wanted = (request != 0).then_some(*index);
        *index = device.device.register_border_color(wanted)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn unregister_custom_border_color_ext(device: vk::Device, index: u32) {
    guard_void(CommandId::unregister_custom_border_color_ext, || {
        device_object(device)?.device.unregister_border_color(index);
        Ok(())
    });
}

/// A stage's mappings (`VkShaderDescriptorSetAndBindingMappingInfoEXT`), and the samplers that they embed.
///
/// # Safety
/// `next` is null or starts a valid chain.
pub(crate) unsafe fn mappings(
    device: &Device,
    stage: vk::ShaderStageFlags,
    next: *const c_void,
) -> Result<(Mappings, Vec<Arc<Sampler>>)> {
    let s_type = vk::StructureType::SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let info = unsafe { find::<vk::ShaderDescriptorSetAndBindingMappingInfoEXT>(next, s_type) };
    // SAFETY: `pMappings` has as many elements as counted
    // (VUID-VkShaderDescriptorSetAndBindingMappingInfoEXT-pMappings-parameter).
    let all = info.map_or(&[][..], |info| unsafe { slice(info.mappings, info.mapping_count) });
    let mut samplers: Vec<Arc<Sampler>> = Vec::new();
    let all = all.iter().map(|one| {
        // SAFETY: `one` is an element of `pMappings`, which are valid.
        let (source, embedded) = unsafe { source(one) }?;
        // SAFETY: `pEmbeddedSampler` of a valid mapping is null or valid.
        let embedded_sampler = match unsafe { embedded.as_ref() } {
            Some(info) => {
                // SAFETY: the structure at a valid `pEmbeddedSampler`, with its chain, is valid.
                let sampler = device.heap_sampler(unsafe { sampler_info(info) }?)?;
                let known = samplers.iter().position(|other| Arc::ptr_eq(other, &sampler));
                let index = known.unwrap_or(samplers.len());
                if known.is_none() {
                    samplers.push(sampler);
                }
                Some(EmbeddedSampler { stage: stage.bits().trailing_zeros(), index: index as u32 })
            }
            None => None,
        };
        Ok(Mapping {
            set: one.descriptor_set,
            first_binding: one.first_binding,
            binding_count: one.binding_count,
            resource_mask: one.resource_mask.bits(),
            source,
            embedded_sampler,
        })
    });
    Ok((all.collect::<Result<Mappings>>()?, samplers))
}

/// The source of a mapping to descriptors in heaps, and the sampler that it embeds; none for another mapping.
///
/// # Safety
/// `mapping` is valid, with its chain and all that it points to (`VkDescriptorSetAndBindingMappingEXT`,
/// "Valid Usage").
unsafe fn descriptor_source(
    mapping: &vk::DescriptorSetAndBindingMappingEXT,
) -> Option<(MappingSource, *const vk::SamplerCreateInfo)> {
    use vk::DescriptorMappingSourceEXT as S;
    let data = &mapping.source_data;
    let place = |offset, array_stride, index, index_stride| HeapAddressing {
        offset,
        array_stride,
        index,
        index_stride,
    };
    /// The structures of the sources with an index have the same members beside what says where that is.
    macro_rules! indexed {
        ($member:ident, |$one:ident| $resource:expr, $sampler:expr) => {{
            // SAFETY: the source says which member of the union the application has set.
            let $one = unsafe { data.$member };
            let (resource_stride, sampler_stride) = ($one.heap_array_stride, $one.sampler_heap_array_stride);
            let source = MappingSource::Descriptors {
                resource: place($one.heap_offset, resource_stride, $resource, $one.heap_index_stride),
                sampler: place(
                    $one.sampler_heap_offset,
                    sampler_stride,
                    $sampler,
                    $one.sampler_heap_index_stride,
                ),
                combined_index: $one.use_combined_image_sampler_index != 0,
            };
            (source, $one.embedded_sampler)
        }};
    }
    Some(match mapping.source {
        S::HEAP_WITH_CONSTANT_OFFSET => {
            // SAFETY: the source says which member of the union the application has set.
            let one = unsafe { data.constant_offset };
            let source = MappingSource::Descriptors {
                resource: place(one.heap_offset, one.heap_array_stride, HeapIndex::None, 0),
                sampler: place(one.sampler_heap_offset, one.sampler_heap_array_stride, HeapIndex::None, 0),
                combined_index: false,
            };
            (source, one.embedded_sampler)
        }
        S::HEAP_WITH_PUSH_INDEX => indexed!(
            push_index,
            |one| HeapIndex::Push(one.push_offset),
            HeapIndex::Push(one.sampler_push_offset)
        ),
        S::HEAP_WITH_INDIRECT_INDEX => indexed!(
            indirect_index,
            |one| HeapIndex::Indirect { push: one.push_offset, offset: one.address_offset },
            HeapIndex::Indirect { push: one.sampler_push_offset, offset: one.sampler_address_offset }
        ),
        S::HEAP_WITH_SHADER_RECORD_INDEX => indexed!(
            shader_record_index,
            |one| HeapIndex::ShaderRecord(one.shader_record_offset),
            HeapIndex::ShaderRecord(one.sampler_shader_record_offset)
        ),
        S::HEAP_WITH_INDIRECT_INDEX_ARRAY => {
            // SAFETY: the source says which member of the union the application has set.
            let one = unsafe { data.indirect_index_array };
            let place = |offset, push, from, index_stride| HeapAddressing {
                offset,
                array_stride: 0,
                index: HeapIndex::IndirectArray { push, offset: from },
                index_stride,
            };
            let source = MappingSource::Descriptors {
                resource: place(one.heap_offset, one.push_offset, one.address_offset, one.heap_index_stride),
                sampler: place(
                    one.sampler_heap_offset,
                    one.sampler_push_offset,
                    one.sampler_address_offset,
                    one.sampler_heap_index_stride,
                ),
                combined_index: one.use_combined_image_sampler_index != 0,
            };
            (source, one.embedded_sampler)
        }
        _ => return None,
    })
}

/// A mapping's source, and the sampler that it embeds.
///
/// # Safety
/// As of [`descriptor_source`].
unsafe fn source(
    mapping: &vk::DescriptorSetAndBindingMappingEXT,
) -> Result<(MappingSource, *const vk::SamplerCreateInfo)> {
    use vk::DescriptorMappingSourceEXT as S;
    // SAFETY: the caller's contract.
    if let Some(found) = unsafe { descriptor_source(mapping) } {
        return Ok(found);
    }
    let (data, none) = (&mapping.source_data, std::ptr::null());
    Ok(match mapping.source {
        S::RESOURCE_HEAP_DATA => {
            // SAFETY: the source says which member of the union the application has set.
            let one = unsafe { data.heap_data };
            (MappingSource::HeapData { offset: one.heap_offset, push: one.push_offset }, none)
        }
        // SAFETY: the source says which member of the union the application has set.
        S::PUSH_DATA => (MappingSource::PushData(unsafe { data.push_data_offset }), none),
        // SAFETY: the source says which member of the union the application has set.
        S::PUSH_ADDRESS => (MappingSource::PushAddress(unsafe { data.push_address_offset }), none),
        S::INDIRECT_ADDRESS => {
            // SAFETY: the source says which member of the union the application has set.
            let one = unsafe { data.indirect_address };
            let (push, offset) = (one.push_offset, one.address_offset);
            (MappingSource::IndirectAddress { push, offset }, none)
        }
        S::SHADER_RECORD_DATA => {
            // SAFETY: the source says which member of the union the application has set.
            (MappingSource::ShaderRecordData(unsafe { data.shader_record_data_offset }), none)
        }
        S::SHADER_RECORD_ADDRESS => {
            // SAFETY: the source says which member of the union the application has set.
            (MappingSource::ShaderRecordAddress(unsafe { data.shader_record_address_offset }), none)
        }
        other => {
            return Err(Error::misuse(format!(
                "the mapping source {other:?} is not supported \
                 (VUID-VkDescriptorSetAndBindingMappingEXT-source-parameter)"
            )));
        }
    })
}
