//! Updates by descriptor update templates, as the writes that they stand for.
//!
//! What a template reads is described by its entries, not by the type of a parameter. So a call with one is
//! recorded as the call that does the same with `VkWriteDescriptorSet`.
#![allow(unsafe_code)] // the application's structures

use std::collections::HashMap;
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

/// What a template is made from.
#[derive(Clone)]
pub(super) struct Template {
    entries: Vec<vk::DescriptorUpdateTemplateEntry>,
    /// For templates of push descriptors.
    pub(super) bind_point: vk::PipelineBindPoint,
}

/// All templates, by handle.
pub(super) type Templates = HashMap<u64, Template>;

impl Template {
    /// # Safety
    /// `info` is valid.
    pub(super) unsafe fn new(info: &vk::DescriptorUpdateTemplateCreateInfo) -> Template {
        let (first, count) = (info.descriptor_update_entries, info.descriptor_update_entry_count as usize);
        // SAFETY: the contract of this function.
        let entries = unsafe { std::slice::from_raw_parts(first, if first.is_null() { 0 } else { count }) };
        Template { entries: entries.to_vec(), bind_point: info.pipeline_bind_point }
    }
}

/// Descriptor writes, and what they point at.
#[derive(Default)]
#[allow(clippy::vec_box)] // the writes hold the addresses of the structures
pub(super) struct Writes {
    pub(super) writes: Vec<vk::WriteDescriptorSet>,
    data: Vec<Vec<u64>>,
    blocks: Vec<Box<vk::WriteDescriptorSetInlineUniformBlock>>,
    structures: Vec<Box<vk::WriteDescriptorSetAccelerationStructureKHR>>,
    nv_structures: Vec<Box<vk::WriteDescriptorSetAccelerationStructureNV>>,
    partitioned_structures: Vec<Box<vk::WriteDescriptorSetPartitionedAccelerationStructureNV>>,
}

impl Writes {
    /// The writes that an update with a template stands for.
    ///
    /// # Safety
    /// `data` is as the template's entries say.
    pub(super) unsafe fn new(template: &Template, set: u64, data: *const c_void) -> Writes {
        let mut writes = Writes::default();
        for entry in &template.entries {
            // SAFETY: the contract of this function.
            unsafe { writes.add(entry, set, data.cast()) };
        }
        writes
    }

    /// Elements of `SIZE` bytes, without the gaps between them.
    ///
    /// # Safety
    /// The elements are there.
    unsafe fn gather(
        &mut self,
        entry: &vk::DescriptorUpdateTemplateEntry,
        data: *const u8,
        size: usize,
    ) -> *const u64 {
        let count = entry.descriptor_count as usize;
        let mut gathered = vec![0_u64; (count * size).div_ceil(8)];
        for index in 0..count {
            // SAFETY: the elements are there, by the contract of this function, and have room in the vector.
            unsafe {
                let from = data.add(entry.offset + index * entry.stride);
                from.copy_to_nonoverlapping(gathered.as_mut_ptr().cast::<u8>().add(index * size), size);
            }
        }
        self.data.push(gathered);
        self.data.last().map_or(std::ptr::null(), |gathered| gathered.as_ptr())
    }

    /// # Safety
    /// As of [`Writes::new`].
    unsafe fn add(&mut self, entry: &vk::DescriptorUpdateTemplateEntry, set: u64, data: *const u8) {
        use vk::DescriptorType as Type;
        let mut write = vk::WriteDescriptorSet {
            dst_set: vk::DescriptorSet::from_raw(set),
            dst_binding: entry.dst_binding,
            dst_array_element: entry.dst_array_element,
            descriptor_count: entry.descriptor_count,
            descriptor_type: entry.descriptor_type,
            ..Default::default()
        };
        // SAFETY: the contract of this function, for each type of descriptors.
        unsafe {
            match entry.descriptor_type {
                Type::UNIFORM_BUFFER
                | Type::STORAGE_BUFFER
                | Type::UNIFORM_BUFFER_DYNAMIC
                | Type::STORAGE_BUFFER_DYNAMIC => {
                    let size = size_of::<vk::DescriptorBufferInfo>();
                    write.buffer_info = self.gather(entry, data, size).cast();
                }
                Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
                    write.texel_buffer_view = self.gather(entry, data, 8).cast();
                }
                Type::INLINE_UNIFORM_BLOCK => {
                    // The count is one of bytes, which lie together.
                    let bytes = vk::DescriptorUpdateTemplateEntry { stride: 1, ..*entry };
                    let block = vk::WriteDescriptorSetInlineUniformBlock {
                        data_size: entry.descriptor_count,
                        data: self.gather(&bytes, data, 1).cast(),
                        ..Default::default()
                    };
                    self.blocks.push(Box::new(block));
                    write.next =
                        self.blocks.last().map_or(std::ptr::null(), |block| (&raw const **block).cast());
                }
                Type::ACCELERATION_STRUCTURE_NV => {
                    let structure = vk::WriteDescriptorSetAccelerationStructureNV {
                        acceleration_structure_count: entry.descriptor_count,
                        acceleration_structures: self.gather(entry, data, 8).cast(),
                        ..Default::default()
                    };
                    self.nv_structures.push(Box::new(structure));
                    let last = self.nv_structures.last();
                    write.next = last.map_or(std::ptr::null(), |structure| (&raw const **structure).cast());
                }
                Type::PARTITIONED_ACCELERATION_STRUCTURE_NV => {
                    let structure = vk::WriteDescriptorSetPartitionedAccelerationStructureNV {
                        acceleration_structure_count: entry.descriptor_count,
                        acceleration_structures: self.gather(entry, data, 8).cast(),
                        ..Default::default()
                    };
                    self.partitioned_structures.push(Box::new(structure));
                    let last = self.partitioned_structures.last();
                    write.next = last.map_or(std::ptr::null(), |structure| (&raw const **structure).cast());
                }
                Type::ACCELERATION_STRUCTURE_KHR => {
                    let structure = vk::WriteDescriptorSetAccelerationStructureKHR {
                        acceleration_structure_count: entry.descriptor_count,
                        acceleration_structures: self.gather(entry, data, 8).cast(),
                        ..Default::default()
                    };
                    self.structures.push(Box::new(structure));
                    let last = self.structures.last();
                    write.next = last.map_or(std::ptr::null(), |structure| (&raw const **structure).cast());
                }
                _ => write.image_info = self.gather(entry, data, size_of::<vk::DescriptorImageInfo>()).cast(),
            }
        }
        self.writes.push(write);
    }
}
