//! Descriptor heaps (`VK_EXT_descriptor_heap`): descriptors written to memory, heaps and push data bound by
//! commands, and mappings of shaders' bindings to them.

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::entry::device::device_object;
use crate::entry::image::{sampler_info, view_info};
use crate::handle;
use crate::pointers::{Chain, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::heap::{EmbeddedSampler, Heap, HeapAddressing, HeapIndex, Mapping, MappingSource, Mappings};
use pyro_driver::command::{BindCommand, CommandBuffer};
use pyro_driver::descriptor::{DESCRIPTOR_BYTES, DescriptorSource};
use pyro_driver::device::Device;
use pyro_driver::image::{Image, Sampler};
use pyro_driver::memory::mapped::DeviceAddresses;
use pyro_driver::tensor::Tensor;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Writes a descriptor where the application wants it.
fn put(to: In<'_, vk::HostAddressRangeEXT>, bytes: [u8; DESCRIPTOR_BYTES]) -> Result<()> {
    if !to.address().write(0, &bytes) {
        return Err(Error::misuse(
            "dataSize is too small for a descriptor (VUID-vkWriteSamplerDescriptorsEXT-size-11203, \
             VUID-vkWriteResourceDescriptorsEXT-size-11207)",
        ));
    }
    Ok(())
}

pub(crate) fn write_sampler_descriptors_ext(
    device: vk::Device,
    samplers: Slice<'_, vk::SamplerCreateInfo>,
    descriptors: Slice<'_, vk::HostAddressRangeEXT>,
) -> vk::Result {
    guard(CommandId::write_sampler_descriptors_ext, || {
        let device = device_object(device)?;
        for (info, to) in samplers.into_iter().zip(descriptors) {
            let sampler = device.device.heap_sampler(sampler_info(info)?)?;
            // A sampler alone comes first.
            let mut bytes = [0; DESCRIPTOR_BYTES];
            bytes[..8].copy_from_slice(&sampler.record_address().to_ne_bytes());
            put(to, bytes)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn write_resource_descriptors_ext(
    device: vk::Device,
    resources: Slice<'_, vk::ResourceDescriptorInfoEXT>,
    descriptors: Slice<'_, vk::HostAddressRangeEXT>,
) -> vk::Result {
    guard(CommandId::write_resource_descriptors_ext, || {
        let device = device_object(device)?;
        for (info, to) in resources.into_iter().zip(descriptors) {
            put(to, resource(&device.device, info)?)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// The descriptor that the structure is about.
fn resource(device: &Device, info: In<'_, vk::ResourceDescriptorInfoEXT>) -> Result<[u8; DESCRIPTOR_BYTES]> {
    use vk::DescriptorType as T;
    let view = || {
        let view = info.data_image().map(|image| image.view());
        let view =
            view.map(|info| device.heap_view(handle::get::<Image>(info.image.as_raw())?, view_info(info)?));
        view.transpose()
    };
    let range = || info.data_address_range().map_or((0, 0), |range| (range.address, range.size));
    Ok(match info.type_ {
        T::SAMPLED_IMAGE | T::INPUT_ATTACHMENT | T::SAMPLE_WEIGHT_IMAGE_QCOM | T::BLOCK_MATCH_IMAGE_QCOM => {
            DescriptorSource::Sampled(view()?.as_deref(), None).bytes()
        }
        T::STORAGE_IMAGE => DescriptorSource::Storage(view()?.as_deref()).bytes(),
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER => {
            let (address, size) = range();
            DescriptorSource::Buffer(address, size).bytes()
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            let info = info.data_texel_buffer().filter(|info| info.address_range.address != 0);
            let view = info.map(|info| {
                let vk::DeviceAddressRangeEXT { address, size } = info.address_range;
                // SAFETY: the application keeps a buffer's memory while its descriptors are used.
                let memory = unsafe { DeviceAddresses::trusted() };
                device.texels(memory, address, size, info.format)
            });
            DescriptorSource::Texels(view.transpose()?.as_deref()).bytes()
        }
        // As what shaders have of an address, which is looked up when a ray is traced.
        T::ACCELERATION_STRUCTURE_KHR | T::PARTITIONED_ACCELERATION_STRUCTURE_NV => {
            let (address, _) = range();
            let structure = if address == 0 { 0 } else { address | pyro_abi::ray::UNRESOLVED };
            let mut bytes = [0; DESCRIPTOR_BYTES];
            bytes[..8].copy_from_slice(&structure.to_ne_bytes());
            bytes
        }
        T::TENSOR_ARM => {
            let Some(info) = info.data_tensor_arm() else {
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

fn bind(buffer: &mut CommandBuffer, heap: Heap, info: In<'_, vk::BindHeapInfoEXT>) -> Result<()> {
    buffer.push(BindCommand::Heap(heap, info.heap_range.address, info.heap_range.size))
}

/// Binds the heaps that a secondary command buffer begins with: those of the one that it is executed by.
pub(crate) fn inherit(
    buffer: &mut CommandBuffer,
    info: In<'_, vk::CommandBufferInheritanceInfo>,
) -> Result<()> {
    let Some(info) = info.find::<vk::CommandBufferInheritanceDescriptorHeapInfoEXT>() else {
        return Ok(());
    };
    let heaps =
        [(Heap::Sampler, info.sampler_heap_bind_info()), (Heap::Resource, info.resource_heap_bind_info())];
    heaps.into_iter().try_for_each(|(heap, info)| match info {
        Some(info) => bind(buffer, heap, info),
        None => Ok(()),
    })
}

pub(crate) fn cmd_bind_sampler_heap_ext(buffer: vk::CommandBuffer, info: In<'_, vk::BindHeapInfoEXT>) {
    record(CommandId::cmd_bind_sampler_heap_ext, buffer, |buffer| bind(buffer, Heap::Sampler, info));
}

pub(crate) fn cmd_bind_resource_heap_ext(buffer: vk::CommandBuffer, info: In<'_, vk::BindHeapInfoEXT>) {
    record(CommandId::cmd_bind_resource_heap_ext, buffer, |buffer| bind(buffer, Heap::Resource, info));
}

pub(crate) fn cmd_push_data_ext(buffer: vk::CommandBuffer, info: In<'_, vk::PushDataInfoEXT>) {
    record(CommandId::cmd_push_data_ext, buffer, |buffer| {
        let bank = info.find::<vk::PushConstantBankInfoNV>().map_or(0, |bank| bank.bank);
        buffer.push_bank_constants(bank, info.offset, info.data().address())
    });
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

pub(crate) fn register_custom_border_color_ext(
    device: vk::Device,
    _color: In<'_, vk::SamplerCustomBorderColorCreateInfoEXT>,
    request: vk::Bool32,
    mut index: Out<'_, u32>,
) -> vk::Result {
    guard(CommandId::register_custom_border_color_ext, || {
        let device = device_object(device)?;
        let wanted = (request != 0).then_some(*index);
        index.write(device.device.register_border_color(wanted)?);
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
pub(crate) fn mappings(
    device: &Device,
    stage: vk::ShaderStageFlags,
    chain: Chain,
) -> Result<(Mappings, Vec<Arc<Sampler>>)> {
    let info = chain.find::<vk::ShaderDescriptorSetAndBindingMappingInfoEXT>();
    let mut samplers: Vec<Arc<Sampler>> = Vec::new();
    let all = info.map_or(Slice::empty(), |info| info.mappings()).into_iter().map(|one| {
        let (source, embedded) = source(one)?;
        let bank = one.find::<vk::PushConstantBankInfoNV>().map_or(0, |bank| bank.bank);
        let source = in_bank(source, bank)?;
        let embedded_sampler = match embedded {
            Some(info) => {
                let sampler = device.heap_sampler(sampler_info(info)?)?;
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

/// A source whose push data lie in a bank: their offsets count the bytes of the banks before it.
fn in_bank(source: MappingSource, bank: u32) -> Result<MappingSource> {
    const BANK_BYTES: u32 = pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32;
    if bank as usize >= pyro_abi::PUSH_BANK_COUNT {
        return Err(Error::misuse(format!("there is no bank {bank} of push data")));
    }
    // What is beyond the bank stays beyond all; members that a source does not use may be anything.
    let moved = |push: u32| if push < BANK_BYTES { push + bank * BANK_BYTES } else { u32::MAX };
    let addressing = |at: HeapAddressing| HeapAddressing {
        index: match at.index {
            HeapIndex::Push(push) => HeapIndex::Push(moved(push)),
            HeapIndex::Indirect { push, offset } => HeapIndex::Indirect { push: moved(push), offset },
            HeapIndex::IndirectArray { push, offset } => {
                HeapIndex::IndirectArray { push: moved(push), offset }
            }
            other => other,
        },
        ..at
    };
    Ok(match source {
        MappingSource::Descriptors { resource, sampler, combined_index } => MappingSource::Descriptors {
            resource: addressing(resource),
            sampler: addressing(sampler),
            combined_index,
        },
        MappingSource::HeapData { offset, push } => MappingSource::HeapData { offset, push: moved(push) },
        MappingSource::PushData(at) => MappingSource::PushData(moved(at)),
        MappingSource::PushAddress(at) => MappingSource::PushAddress(moved(at)),
        MappingSource::IndirectAddress { push, offset } => {
            MappingSource::IndirectAddress { push: moved(push), offset }
        }
        other => other,
    })
}

type Mapped<'call> = In<'call, vk::DescriptorSetAndBindingMappingEXT>;

/// The sampler that a mapping embeds.
type Embedded<'call> = Option<In<'call, vk::SamplerCreateInfo>>;

fn addressing(offset: u32, array_stride: u32, index: HeapIndex, index_stride: u32) -> HeapAddressing {
    HeapAddressing { offset, array_stride, index, index_stride }
}

/// The source of a mapping to descriptors in heaps, and the sampler that it embeds; none for another mapping.
fn descriptor_source(mapping: Mapped<'_>) -> Option<(MappingSource, Embedded<'_>)> {
    /// The structures of the sources with an index have the same members beside what says where that is.
    macro_rules! indexed {
        ($one:ident, $resource:expr, $sampler:expr) => {{
            let (resource_stride, sampler_stride) = ($one.heap_array_stride, $one.sampler_heap_array_stride);
            let resource = addressing($one.heap_offset, resource_stride, $resource, $one.heap_index_stride);
            let (offset, index_stride) = ($one.sampler_heap_offset, $one.sampler_heap_index_stride);
            let source = MappingSource::Descriptors {
                resource,
                sampler: addressing(offset, sampler_stride, $sampler, index_stride),
                combined_index: $one.use_combined_image_sampler_index != 0,
            };
            return Some((source, $one.embedded_sampler()));
        }};
    }
    if let Some(one) = mapping.source_data_constant_offset() {
        let source = MappingSource::Descriptors {
            resource: addressing(one.heap_offset, one.heap_array_stride, HeapIndex::None, 0),
            sampler: addressing(one.sampler_heap_offset, one.sampler_heap_array_stride, HeapIndex::None, 0),
            combined_index: false,
        };
        return Some((source, one.embedded_sampler()));
    }
    if let Some(one) = mapping.source_data_push_index() {
        indexed!(one, HeapIndex::Push(one.push_offset), HeapIndex::Push(one.sampler_push_offset));
    }
    if let Some(one) = mapping.source_data_indirect_index() {
        let indirect = |push, offset| HeapIndex::Indirect { push, offset };
        let sampler = indirect(one.sampler_push_offset, one.sampler_address_offset);
        indexed!(one, indirect(one.push_offset, one.address_offset), sampler);
    }
    if let Some(one) = mapping.source_data_shader_record_index() {
        let sampler = HeapIndex::ShaderRecord(one.sampler_shader_record_offset);
        indexed!(one, HeapIndex::ShaderRecord(one.shader_record_offset), sampler);
    }
    let one = mapping.source_data_indirect_index_array()?;
    let array = |push, offset| HeapIndex::IndirectArray { push, offset };
    let resource = array(one.push_offset, one.address_offset);
    let sampler = array(one.sampler_push_offset, one.sampler_address_offset);
    let source = MappingSource::Descriptors {
        resource: addressing(one.heap_offset, 0, resource, one.heap_index_stride),
        sampler: addressing(one.sampler_heap_offset, 0, sampler, one.sampler_heap_index_stride),
        combined_index: one.use_combined_image_sampler_index != 0,
    };
    Some((source, one.embedded_sampler()))
}

/// The source of a mapping to data; none for another mapping.
fn data_source(mapping: Mapped<'_>) -> Option<MappingSource> {
    let heap_data = mapping.source_data_heap_data();
    let indirect = mapping.source_data_indirect_address();
    if let Some(one) = heap_data {
        return Some(MappingSource::HeapData { offset: one.heap_offset, push: one.push_offset });
    }
    if let Some(one) = indirect {
        return Some(MappingSource::IndirectAddress { push: one.push_offset, offset: one.address_offset });
    }
    let push_data = mapping.source_data_push_data_offset().map(|at| MappingSource::PushData(*at));
    let push_address = mapping.source_data_push_address_offset().map(|at| MappingSource::PushAddress(*at));
    let record_data = mapping.source_data_shader_record_data_offset();
    let record_address = mapping.source_data_shader_record_address_offset();
    push_data
        .or(push_address)
        .or(record_data.map(|at| MappingSource::ShaderRecordData(*at)))
        .or(record_address.map(|at| MappingSource::ShaderRecordAddress(*at)))
}

/// A mapping's source, and the sampler that it embeds.
fn source(mapping: Mapped<'_>) -> Result<(MappingSource, Embedded<'_>)> {
    let found = descriptor_source(mapping).or_else(|| Some((data_source(mapping)?, None)));
    found.ok_or_else(|| {
        Error::misuse(format!(
            "the mapping source {:?} is not supported \
             (VUID-VkDescriptorSetAndBindingMappingEXT-source-parameter)",
            mapping.source
        ))
    })
}
