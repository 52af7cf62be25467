//! What descriptors are written from: structures that the descriptor type says, in an array of a write or
//! anywhere in the data of a template.

use super::{has_sampler, image_words};
use crate::handle::ReadGuard;
use crate::pointers::{self, In, Slice, Strided, TemplateData};
use pyro_driver::acceleration_structure::{AccelerationStructure, NvAccelerationStructure};
use pyro_driver::buffer::{Buffer, BufferView};
use pyro_driver::descriptor::{DescriptorSet, TemplateEntry, buffer_words};
use pyro_driver::tensor::TensorView;
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, DescriptorType as Type, Handle};

/// The structures that descriptors are written from.
pub(super) enum Infos<'call> {
    Buffers(Strided<'call, vk::DescriptorBufferInfo>),
    TexelBuffers(Strided<'call, vk::BufferView>),
    Images(Strided<'call, vk::DescriptorImageInfo>),
    AccelerationStructures(Strided<'call, vk::AccelerationStructureKHR>),
    NvAccelerationStructures(Strided<'call, vk::AccelerationStructureNV>),
    PartitionedStructures(Strided<'call, vk::DeviceAddress>),
    Tensors(Strided<'call, vk::TensorViewARM>),
    InlineUniformBlock(&'call [u8]),
}

impl<'call> Infos<'call> {
    /// Those of a write.
    ///
    /// # Errors
    /// When the chain has fewer than the write has descriptors.
    pub(super) fn of_write(write: In<'call, vk::WriteDescriptorSet>) -> Result<Infos<'call>> {
        Ok(match write.descriptor_type {
            Type::UNIFORM_BUFFER
            | Type::STORAGE_BUFFER
            | Type::UNIFORM_BUFFER_DYNAMIC
            | Type::STORAGE_BUFFER_DYNAMIC => {
                // SAFETY: the descriptors are buffers (VUID-VkWriteDescriptorSet-descriptorType-00324).
                Infos::Buffers(Strided::from(unsafe { write.buffer_info() }))
            }
            Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
                // SAFETY: the descriptors are texel buffers (VUID-VkWriteDescriptorSet-descriptorType-02994).
                Infos::TexelBuffers(Strided::from(unsafe { write.texel_buffer_view() }))
            }
            Type::INLINE_UNIFORM_BLOCK => Infos::InlineUniformBlock(inline_block(write)?),
            Type::TENSOR_ARM => Infos::Tensors(Strided::from(crate::entry::tensor::written(write)?)),
            Type::ACCELERATION_STRUCTURE_KHR => {
                Infos::AccelerationStructures(Strided::from(acceleration_structures(write)?))
            }
            Type::ACCELERATION_STRUCTURE_NV => {
                Infos::NvAccelerationStructures(Strided::from(nv_acceleration_structures(write)?))
            }
            Type::PARTITIONED_ACCELERATION_STRUCTURE_NV => {
                Infos::PartitionedStructures(Strided::from(partitioned_structures(write)?))
            }
            ty if is_image(ty) => {
                // SAFETY: the descriptors are images or samplers
                // (VUID-VkWriteDescriptorSet-descriptorType-00322 and those that follow it).
                Infos::Images(Strided::from(unsafe { write.image_info() }))
            }
            other => return Err(unsupported(other)),
        })
    }

    /// Those that a template's entry finds in its data.
    ///
    /// # Errors
    /// For descriptor types that are not supported.
    pub(super) fn of_template(entry: &TemplateEntry, data: TemplateData<'call>) -> Result<Infos<'call>> {
        Ok(match entry.ty {
            Type::UNIFORM_BUFFER
            | Type::STORAGE_BUFFER
            | Type::UNIFORM_BUFFER_DYNAMIC
            | Type::STORAGE_BUFFER_DYNAMIC => {
                Infos::Buffers(data.values(entry.offset, entry.stride, entry.count))
            }
            Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
                Infos::TexelBuffers(data.values(entry.offset, entry.stride, entry.count))
            }
            Type::INLINE_UNIFORM_BLOCK => {
                // SAFETY: the data has what the entry says; of an inline block, the count is one of bytes.
                Infos::InlineUniformBlock(unsafe {
                    pointers::bytes(data.at(entry.offset).cast(), entry.count)
                })
            }
            Type::TENSOR_ARM => Infos::Tensors(data.values(entry.offset, entry.stride, entry.count)),
            Type::ACCELERATION_STRUCTURE_KHR => {
                Infos::AccelerationStructures(data.values(entry.offset, entry.stride, entry.count))
            }
            Type::ACCELERATION_STRUCTURE_NV => {
                Infos::NvAccelerationStructures(data.values(entry.offset, entry.stride, entry.count))
            }
            Type::PARTITIONED_ACCELERATION_STRUCTURE_NV => {
                Infos::PartitionedStructures(data.values(entry.offset, entry.stride, entry.count))
            }
            ty if is_image(ty) => Infos::Images(data.values(entry.offset, entry.stride, entry.count)),
            other => return Err(unsupported(other)),
        })
    }

    /// Writes descriptors of a type to a place of a set (binding, first element, count).
    pub(super) fn write(
        &self,
        read: &ReadGuard,
        set: &DescriptorSet,
        place: (u32, u32, u32),
        ty: Type,
    ) -> Result<()> {
        match self {
            Infos::Buffers(infos) => set.write_buffers(place, ty, |index| {
                let info = infos.get(index);
                let buffer = read.get_or_report::<Buffer>(info.buffer.as_raw());
                buffer.map_or(Ok([0; 3]), |buffer| buffer_words(&buffer, info.offset, info.range))
            }),
            Infos::TexelBuffers(views) => set.write_records(place, ty, |index| {
                let view = read.get_or_report::<BufferView>(views.get(index).as_raw());
                Ok(view.map_or(0, |view| view.record_address()))
            }),
            Infos::Images(infos) => {
                set.write_images(place, ty, |index, own| Ok(image_words(read, &infos.get(index), ty, own)))
            }
            Infos::AccelerationStructures(structures) => set.write_records(place, ty, |index| {
                let structure = structures.get(index);
                let structure = read.get_or_report::<AccelerationStructure>(structure.as_raw());
                structure.map_or(Ok(0), |structure| structure.record_address())
            }),
            Infos::NvAccelerationStructures(structures) => set.write_records(place, ty, |index| {
                let structure = structures.get(index);
                let structure = read.get_or_report::<NvAccelerationStructure>(structure.as_raw());
                structure.map_or(Ok(0), |structure| structure.0.record_address())
            }),
            // What is there is looked up when a ray is traced.
            Infos::PartitionedStructures(addresses) => set.write_records(place, ty, |index| {
                let address = addresses.get(index);
                Ok(if address == 0 { 0 } else { address | pyro_abi::ray::UNRESOLVED })
            }),
            Infos::Tensors(views) => set.write_records(place, ty, |index| {
                let view = read.get_or_report::<TensorView>(views.get(index).as_raw());
                Ok(view.map_or(0, |view| view.record_address()))
            }),
            Infos::InlineUniformBlock(bytes) => set.write_inline(place.0, place.1, bytes),
        }
    }
}

fn is_image(ty: Type) -> bool {
    let is_read = matches!(
        ty,
        Type::SAMPLED_IMAGE
            | Type::STORAGE_IMAGE
            | Type::SAMPLE_WEIGHT_IMAGE_QCOM
            | Type::BLOCK_MATCH_IMAGE_QCOM
            | Type::INPUT_ATTACHMENT
    );
    is_read || has_sampler(ty)
}

fn unsupported(ty: Type) -> Error {
    Error::unsupported(format!("descriptor type {ty:?} is not supported"))
}

fn inline_block(write: In<'_, vk::WriteDescriptorSet>) -> Result<&[u8]> {
    let block = write.find::<vk::WriteDescriptorSetInlineUniformBlock>();
    block.map(|block| block.data()).ok_or_else(|| {
        Error::misuse(
            "a descriptor write of an inline uniform block has no VkWriteDescriptorSetInlineUniformBlock \
             (VUID-VkWriteDescriptorSet-descriptorType-02221)",
        )
    })
}

fn acceleration_structures(
    write: In<'_, vk::WriteDescriptorSet>,
) -> Result<Slice<'_, vk::AccelerationStructureKHR>> {
    let info = write.find::<vk::WriteDescriptorSetAccelerationStructureKHR>();
    let info = info.filter(|info| info.acceleration_structure_count >= write.descriptor_count);
    info.map(|info| info.acceleration_structures()).ok_or_else(|| {
        Error::misuse(
            "a descriptor write of acceleration structures has too few of them in its pNext chain \
             (VUID-VkWriteDescriptorSet-descriptorType-02382)",
        )
    })
}

fn nv_acceleration_structures(
    write: In<'_, vk::WriteDescriptorSet>,
) -> Result<Slice<'_, vk::AccelerationStructureNV>> {
    let info = write.find::<vk::WriteDescriptorSetAccelerationStructureNV>();
    let info = info.filter(|info| info.acceleration_structure_count >= write.descriptor_count);
    info.map(|info| info.acceleration_structures()).ok_or_else(|| {
        Error::misuse(
            "a descriptor write of acceleration structures has too few of them in its pNext chain \
             (VUID-VkWriteDescriptorSet-descriptorType-03817)",
        )
    })
}

fn partitioned_structures(write: In<'_, vk::WriteDescriptorSet>) -> Result<Slice<'_, vk::DeviceAddress>> {
    let info = write.find::<vk::WriteDescriptorSetPartitionedAccelerationStructureNV>();
    let info = info.filter(|info| info.acceleration_structure_count >= write.descriptor_count);
    info.map(|info| info.acceleration_structures()).ok_or_else(|| {
        Error::misuse(
            "a descriptor write of partitioned acceleration structures has too few of them in its pNext \
             chain (VUID-VkWriteDescriptorSetPartitionedAccelerationStructureNV-accelerationStructureCount-10511)",
        )
    })
}
