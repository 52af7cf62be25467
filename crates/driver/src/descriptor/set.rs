//! Descriptor sets and what writes them.

use super::{Binding, SetLayout, is_dynamic};
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::image::ImageView;
use crate::memory::mapped::Block;
use pyro_abi::BufferDescriptor;
use pyro_abi::descriptor::SET_HEADER_BYTES;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// A `VkDescriptorSet`.
pub struct DescriptorSet {
    layout: Arc<SetLayout>,
    memory: Arc<Block>,
}

/// What a write puts into descriptors, in order: the sources are asked for one descriptor after the other, and leave zeros
/// for null descriptors.
pub enum WriteSource<'w> {
    /// Buffers ([`buffer_words`]).
    Buffers(&'w mut dyn FnMut(u32, &mut [u64; 3]) -> Result<()>),
    /// Addresses of texel buffers' records.
    Texels(&'w mut dyn FnMut(u32, &mut u64) -> Result<()>),
    /// Addresses of images' ([`image_address`]) and samplers' records. What the type lacks is not looked at.
    Images(&'w mut dyn FnMut(u32, &mut [u64; 2]) -> Result<()>),
    /// Bytes of an inline uniform block.
    Inline(&'w [u8]),
}

/// Bytes that alignment-minded vector loads may expect of a set.
const SET_ALIGNMENT: usize = 64;

/// Bytes from an image descriptor's start to its sampler.
const SAMPLER_OFFSET: u32 = core::mem::offset_of!(pyro_abi::ImageDescriptor, sampler) as u32;

fn header(size: u32) -> [u8; SET_HEADER_BYTES as usize] {
    let mut bytes = [0; SET_HEADER_BYTES as usize];
    bytes[..8].copy_from_slice(&u64::from(size).to_ne_bytes());
    bytes
}

/// Address and size of a range (`VK_WHOLE_SIZE`: the rest) of a buffer as a descriptor has them, and the bytes from the
/// address to the buffer's end.
///
/// # Errors
/// When the range begins behind the buffer, or the buffer has no memory.
pub fn buffer_words(buffer: &Buffer, offset: u64, range: u64) -> Result<[u64; 3]> {
    if offset >= buffer.size() {
        return Err(Error::misuse(
            "a descriptor's offset is not inside its buffer (VUID-VkDescriptorBufferInfo-offset-00340)",
        ));
    }
    let room = buffer.size() - offset;
    // Never more than the buffer has: shaders check indices against this size only.
    let descriptor = BufferDescriptor::new(buffer.address()? + offset, range.min(room));
    Ok([descriptor.address, descriptor.size, room])
}

/// The address of an image's record for a descriptor of this type.
pub fn image_address(view: &ImageView, ty: vk::DescriptorType) -> u64 {
    match ty {
        vk::DescriptorType::STORAGE_IMAGE => view.storage_address(),
        _ => view.record_address(),
    }
}

impl core::fmt::Debug for DescriptorSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "DescriptorSet({:?})", self.memory)
    }
}

impl DescriptorSet {
    /// A set of null descriptors.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn new(layout: Arc<SetLayout>, variable_count: Option<u32>) -> Result<DescriptorSet> {
        let size = layout.size(variable_count);
        let memory = Block::zeroed(size.into(), SET_ALIGNMENT).ok_or_else(Error::out_of_host_memory)?;
        memory.write(0, &header(size));
        let set = DescriptorSet { layout, memory: Arc::new(memory) };
        for binding in set.layout.bindings().iter() {
            for (index, sampler) in (0..).zip(&binding.info.immutable_samplers) {
                let place = binding.offset + index * binding.stride;
                if u64::from(place + binding.stride) <= u64::from(size) {
                    set.put(place + SAMPLER_OFFSET, &[sampler.record_address()])?;
                }
            }
        }
        Ok(set)
    }

    /// A copy with memory of its own.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn duplicate(&self) -> Result<DescriptorSet> {
        let memory =
            Block::zeroed(self.memory.size(), SET_ALIGNMENT).ok_or_else(Error::out_of_host_memory)?;
        memory.copy_from(0, &self.memory, 0, self.memory.size());
        Ok(DescriptorSet { layout: Arc::clone(&self.layout), memory: Arc::new(memory) })
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// The address of its memory.
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Bytes of its memory.
    pub fn size(&self) -> u64 {
        self.memory.size()
    }

    /// The dynamic buffer descriptor at `place`, moved by `offset` bytes.
    pub(crate) fn dynamic_buffer(&self, place: u32, offset: u32) -> BufferDescriptor {
        let mut bytes = [0; 24];
        self.memory.read(place.into(), &mut bytes);
        let word =
            |index: usize| u64::from_ne_bytes(bytes[8 * index..8 * index + 8].try_into().unwrap_or_default());
        let (address, size, room) = (word(0), word(1), word(2));
        let offset = u64::from(offset).min(room);
        if address == 0 {
            BufferDescriptor::default()
        } else {
            let whole = BufferDescriptor { address, size };
            BufferDescriptor::new(address + offset, whole.bytes().min(room - offset))
        }
    }

    /// Writes `count` descriptors (bytes, for an inline uniform block) from element `first` of `binding` on.
    ///
    /// # Errors
    /// When the set has no such descriptors or the source does not fit the type.
    pub fn write(
        &self,
        (binding, first, count): (u32, u32, u32),
        ty: vk::DescriptorType,
        source: WriteSource<'_>,
    ) -> Result<()> {
        match source {
            WriteSource::Inline(bytes) => {
                let target = self.layout.bindings().get(binding);
                let inline = |target: &&Binding| target.info.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
                let target = target.filter(inline).ok_or_else(|| {
                    Error::misuse(format!("binding {binding} is not an inline uniform block"))
                })?;
                let end = u64::from(first) + bytes.len() as u64;
                let at = u64::from(target.offset) + u64::from(first);
                if end > u64::from(target.info.count) || at + bytes.len() as u64 > self.memory.size() {
                    return Err(Error::misuse("bytes beyond the end of an inline uniform block"));
                }
                self.memory.write(at, bytes);
            }
            WriteSource::Buffers(get) => {
                for (index, (target, place)) in (0..).zip(self.layout.places(binding, first, count)?) {
                    self.check_type(target, ty)?;
                    let mut words = [0; 3];
                    get(index, &mut words)?;
                    let count = if is_dynamic(ty) { 3 } else { 2 };
                    self.put(place, &words[..count])?;
                }
            }
            WriteSource::Texels(get) => {
                for (index, (target, place)) in (0..).zip(self.layout.places(binding, first, count)?) {
                    self.check_type(target, ty)?;
                    if target.info.ty == vk::DescriptorType::MUTABLE_EXT {
                        self.put(place, &[0, 0])?;
                    }
                    let mut address = 0;
                    get(index, &mut address)?;
                    self.put(place, &[address])?;
                }
            }
            WriteSource::Images(get) => {
                let has_image = ty != vk::DescriptorType::SAMPLER;
                let has_sampler =
                    matches!(ty, vk::DescriptorType::SAMPLER | vk::DescriptorType::COMBINED_IMAGE_SAMPLER);
                for (index, (target, place)) in (0..).zip(self.layout.places(binding, first, count)?) {
                    self.check_type(target, ty)?;
                    let mut addresses = [0; 2];
                    get(index, &mut addresses)?;
                    let [image, sampler] = addresses;
                    if target.info.ty == vk::DescriptorType::MUTABLE_EXT {
                        // Nothing of what was there before counts as a record.
                        self.put(place, &[0, 0])?;
                    }
                    if has_image {
                        self.put(place, &[image])?;
                    }
                    if has_sampler && target.info.immutable_samplers.is_empty() {
                        self.put(place + SAMPLER_OFFSET, &[sampler])?;
                    }
                }
            }
        }
        Ok(())
    }

    fn check_type(&self, target: &Binding, ty: vk::DescriptorType) -> Result<()> {
        if target.info.takes(ty) {
            return Ok(());
        }
        Err(Error::misuse(format!(
            "binding {} is {:?}, not {ty:?} (VUID-VkWriteDescriptorSet-descriptorType-00319)",
            target.info.binding, target.info.ty
        )))
    }

    fn put(&self, place: u32, words: &[u64]) -> Result<()> {
        if u64::from(place) + 8 * words.len() as u64 > self.memory.size() {
            return Err(Error::misuse("a descriptor beyond the set's variable count"));
        }
        self.memory.write_words(place.into(), words);
        Ok(())
    }
}

/// Copies `count` descriptors from one set (or the same) to another; the places are binding and element.
///
/// # Errors
/// When either has no such descriptors, or the types differ.
pub fn copy_descriptors(
    (source, source_binding, source_first): (&DescriptorSet, u32, u32),
    (target, target_binding, target_first): (&DescriptorSet, u32, u32),
    count: u32,
) -> Result<()> {
    let from = source.layout.places(source_binding, source_first, count)?;
    let to = target.layout.places(target_binding, target_first, count)?;
    for ((from, from_place), (to, to_place)) in from.zip(to) {
        let mutable = vk::DescriptorType::MUTABLE_EXT;
        let fits = if from.info.ty == mutable {
            // What it holds just now is the application's to know.
            to.info.ty == mutable || from.info.takes(to.info.ty)
        } else {
            to.info.takes(from.info.ty)
        };
        if !fits {
            return Err(Error::misuse(format!(
                "a copy from {:?} to {:?} (VUID-VkCopyDescriptorSet-dstBinding-02632)",
                from.info.ty, to.info.ty
            )));
        }
        let size = u64::from(from.stride.min(to.stride));
        let inside = |set: &DescriptorSet, place: u32| u64::from(place) + size <= set.memory.size();
        if !inside(source, from_place) || !inside(target, to_place) {
            return Err(Error::misuse("a descriptor beyond the set's variable count"));
        }
        // Immutable samplers stay.
        let size = if to.info.immutable_samplers.is_empty() { size } else { SAMPLER_OFFSET.into() };
        target.memory.copy_from(to_place.into(), &source.memory, from_place.into(), size);
    }
    Ok(())
}
