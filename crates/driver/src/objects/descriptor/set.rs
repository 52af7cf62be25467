//! Descriptor sets and what writes them.

use super::buffer_binding_table::SetPlaces;
use super::{Binding, Run, SetLayout, is_dynamic};
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::image::ImageView;
use crate::objects::memory::mapped::Block;
use pyro_abi::BufferDescriptor;
use pyro_abi::descriptor::SET_HEADER_BYTES;
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// A `VkDescriptorSet`.
pub struct DescriptorSet {
    pub(super) layout: Arc<SetLayout>,
    pub(super) memory: Block,
    pub(super) places: SetPlaces,
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

/// Address and size of a range (`VK_WHOLE_SIZE`: the rest) of a buffer as a descriptor has them, and the
/// bytes from the address to the buffer's end.
///
/// # Errors
/// When the range begins behind the buffer, or the buffer has no memory.
#[inline]
pub fn buffer_words(buffer: &Buffer, offset: u64, range: u64) -> Result<[u64; 3]> {
    if offset >= buffer.size() {
        return Err(not_inside());
    }
    let room = buffer.size() - offset;
    // Never more than the buffer has: shaders check indices against this size only.
    let descriptor = BufferDescriptor::new(buffer.address()? + offset, range.min(room));
    Ok([descriptor.address, descriptor.size, room])
}

#[cold]
fn not_inside() -> Error {
    Error::misuse("a descriptor's offset is not inside its buffer (VUID-VkDescriptorBufferInfo-offset-00340)")
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
        if layout.has_header() {
            memory.write(0, &header(size));
        }
        let places = SetPlaces::of(&layout, &memory);
        let set = DescriptorSet { layout, memory, places };
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
        let (layout, places) = (Arc::clone(&self.layout), SetPlaces::of(&self.layout, &memory));
        Ok(DescriptorSet { layout, memory, places })
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

    /// Gives `each` the descriptors that are to be written, which are all there and of a binding that takes
    /// the type.
    #[inline(always)]
    fn for_each_run(
        &self,
        (binding, first, count): (u32, u32, u32),
        ty: vk::DescriptorType,
        mut each: impl FnMut(Run<'_>) -> Result<()>,
    ) -> Result<()> {
        self.layout.for_each_run(binding, first, count, |run| {
            if !run.binding.info.takes(ty) {
                return Err(wrong_type(run.binding, ty));
            }
            let end = u64::from(run.place) + u64::from(run.count) * u64::from(run.binding.stride);
            if end > self.memory.size() {
                return Err(beyond());
            }
            each(run)
        })
    }

    /// Writes buffers' descriptors: `count` from element `first` of `binding` on, for each of which `get`
    /// gives what [`buffer_words`] says, or zeros for a null descriptor.
    ///
    /// # Errors
    /// When the set has no such descriptors of this type, and `get`'s.
    #[inline]
    pub fn write_buffers(
        &self,
        place: (u32, u32, u32),
        ty: vk::DescriptorType,
        get: impl Fn(u32) -> Result<[u64; 3]>,
    ) -> Result<()> {
        let mut index = 0;
        self.for_each_run(place, ty, |run| {
            let Run { mut place, .. } = run;
            for _ in 0..run.count {
                let [address, size, room] = get(index)?;
                self.memory.write_words(place.into(), &[address, size]);
                if is_dynamic(ty) {
                    self.memory.write_words(u64::from(place) + 16, &[room]);
                }
                (place, index) = (place + run.binding.stride, index + 1);
            }
            Ok(())
        })
    }

    /// Writes descriptors of texel buffers and acceleration structures, for each of which `get` gives the
    /// address of its record, or zero.
    ///
    /// # Errors
    /// As of [`DescriptorSet::write_buffers`].
    #[inline]
    pub fn write_records(
        &self,
        place: (u32, u32, u32),
        ty: vk::DescriptorType,
        get: impl Fn(u32) -> Result<u64>,
    ) -> Result<()> {
        let mut index = 0;
        self.for_each_run(place, ty, |run| {
            let Run { mut place, .. } = run;
            for _ in 0..run.count {
                // Nothing of what a mutable descriptor held before counts as a record.
                self.memory.write_words(place.into(), &[get(index)?, 0]);
                (place, index) = (place + run.binding.stride, index + 1);
            }
            Ok(())
        })
    }

    /// Writes images' and samplers' descriptors, for each of which `get` gives the addresses of the image's
    /// ([`image_address`]) and the sampler's record, or zeros; what the type lacks is zero. `get` is told,
    /// too, whether the sampler is the layout's own.
    ///
    /// # Errors
    /// As of [`DescriptorSet::write_buffers`].
    #[inline]
    pub fn write_images(
        &self,
        place: (u32, u32, u32),
        ty: vk::DescriptorType,
        get: impl Fn(u32, bool) -> Result<[u64; 2]>,
    ) -> Result<()> {
        let mut index = 0;
        self.for_each_run(place, ty, |run| {
            let own = !run.binding.info.immutable_samplers.is_empty();
            let Run { mut place, .. } = run;
            for _ in 0..run.count {
                let [image, sampler] = get(index, own)?;
                self.memory.write_words(place.into(), &[image]);
                if !own {
                    self.memory.write_words((place + SAMPLER_OFFSET).into(), &[sampler]);
                }
                (place, index) = (place + run.binding.stride, index + 1);
            }
            Ok(())
        })
    }

    /// Writes bytes of an inline uniform block from byte `first` on.
    ///
    /// # Errors
    /// When there are fewer, or the binding is something else.
    pub fn write_inline(&self, binding: u32, first: u32, bytes: &[u8]) -> Result<()> {
        let target = self.layout.bindings().get(binding);
        let inline = |target: &&Binding| target.info.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
        let target = target
            .filter(inline)
            .ok_or_else(|| Error::misuse(format!("binding {binding} is not an inline uniform block")))?;
        let end = u64::from(first) + bytes.len() as u64;
        let at = u64::from(target.offset) + u64::from(first);
        if end > u64::from(target.info.count) || at + bytes.len() as u64 > self.memory.size() {
            return Err(Error::misuse("bytes beyond the end of an inline uniform block"));
        }
        self.memory.write(at, bytes);
        Ok(())
    }

    /// Descriptors by binding and place.
    fn places(&self, binding: u32, first: u32, count: u32) -> Result<SmallVec<[(&Binding, u32); 16]>> {
        let mut places = SmallVec::new();
        self.layout.for_each_run(binding, first, count, |run| {
            places.extend((0..run.count).map(|index| (run.binding, run.place + index * run.binding.stride)));
            Ok(())
        })?;
        Ok(places)
    }

    fn put(&self, place: u32, words: &[u64]) -> Result<()> {
        if u64::from(place) + 8 * words.len() as u64 > self.memory.size() {
            return Err(beyond());
        }
        self.memory.write_words(place.into(), words);
        Ok(())
    }
}

#[cold]
fn wrong_type(binding: &Binding, ty: vk::DescriptorType) -> Error {
    Error::misuse(format!(
        "binding {} is {:?}, not {ty:?} (VUID-VkWriteDescriptorSet-descriptorType-00319)",
        binding.info.binding, binding.info.ty
    ))
}

#[cold]
fn beyond() -> Error {
    Error::misuse("a descriptor beyond the set's variable count")
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
    let from = source.places(source_binding, source_first, count)?;
    let to = target.places(target_binding, target_first, count)?;
    for ((from, from_place), (to, to_place)) in from.into_iter().zip(to) {
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
            return Err(beyond());
        }
        // Immutable samplers stay.
        let size = if to.info.immutable_samplers.is_empty() { size } else { SAMPLER_OFFSET.into() };
        target.memory.copy_from(to_place.into(), &source.memory, from_place.into(), size);
    }
    Ok(())
}
