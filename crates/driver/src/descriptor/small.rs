//! Descriptors of buffers that are not dynamic, of less than 2 GiB: most of all descriptors that are written.
//!
//! Where they lie in a set is in a table by binding, so a write is a few comparisons and two stores. What is not in the
//! table, or not small, is left to [`DescriptorSet::write_buffers`], which writes it or says why not.
#![allow(unsafe_code)] // stores to places that are checked when tables and views are made

use super::{Binding, DescriptorSet, SetLayout, TemplateEntry};
use crate::cache::Digest;
use crate::memory::mapped::Block;
use pyro_abi::BufferDescriptor;
use pyro_abi::descriptor::BUFFER_DESCRIPTOR_BYTES;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Where the descriptors of a binding lie.
#[derive(Clone, Copy)]
struct Place {
    ty: vk::DescriptorType,
    /// How many there are; zero: it is no binding of small buffers.
    count: u32,
    /// Bytes from the set's start to the first.
    offset: u32,
    /// For places to be of a size that is a power of two.
    _unused: u32,
}

/// Numbers of bindings that are in tables.
const NUMBERS: u32 = 64;

/// The bindings of buffers that are not dynamic, by number. Invariant: all their descriptors end at or before `end`.
pub(super) struct Places {
    list: Box<[Place]>,
    /// Bytes.
    end: u64,
}

/// Whether the binding's descriptors are buffers' that are not dynamic, as many in each set.
fn is_small(binding: &&Binding) -> bool {
    let buffers = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER];
    let variable = binding.info.flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT);
    binding.info.binding < NUMBERS && buffers.contains(&binding.info.ty) && !variable
}

impl Places {
    /// Of these bindings.
    pub(super) fn of(bindings: &[Binding]) -> Places {
        let (ty, none) = (vk::DescriptorType::SAMPLER, 0);
        let small = || bindings.iter().filter(is_small);
        let length = small().map(|binding| binding.info.binding as usize + 1).max();
        let mut list = vec![Place { ty, count: none, offset: 0, _unused: 0 }; length.unwrap_or(0)];
        let mut end = 0;
        for &Binding { ref info, offset, .. } in small() {
            list[info.binding as usize] = Place { ty: info.ty, count: info.count, offset, _unused: 0 };
            let bytes = u64::from(info.count) * u64::from(BUFFER_DESCRIPTOR_BYTES);
            end = end.max(u64::from(offset) + bytes);
        }
        Places { list: list.into(), end }
    }
}

/// A range of a buffer: the buffer's address and bytes, and where the range begins and how long it is (more than the
/// buffer has: the rest).
#[derive(Clone, Copy, Debug)]
pub struct BufferRange {
    /// Of the buffer.
    pub buffer: (u64, u64),
    /// Bytes before the range.
    pub offset: u64,
    /// Bytes of it.
    pub range: u64,
}

impl BufferRange {
    /// Its descriptor, if it is small, and not empty.
    #[inline(always)]
    fn small(self) -> Option<[u64; 2]> {
        let (address, size) = self.buffer;
        let size = self.range.min(size.checked_sub(self.offset)?);
        (size.wrapping_sub(1) < BufferDescriptor::SMALL_MAX).then(|| [address + self.offset, size])
    }
}

/// A layout's table, for a set of the layout. Invariant: the set's memory has as many bytes as the table says, and the layout
/// stays as long as the set.
pub(super) struct SetPlaces(NonNull<[Place]>);

// SAFETY: tables are not changed.
unsafe impl Send for SetPlaces {}
// SAFETY: as above.
unsafe impl Sync for SetPlaces {}

impl SetPlaces {
    /// For a set that has this memory and keeps the layout.
    pub(super) fn of(layout: &Arc<SetLayout>, memory: &Block) -> SetPlaces {
        let Places { list, end } = &layout.bindings.places;
        SetPlaces(NonNull::from(if *end <= memory.size() { &**list } else { &[] }))
    }
}

/// A set's bindings of small buffers. Invariant: the set's memory has as many bytes as the table says.
#[derive(Clone, Copy)]
pub struct SmallBuffers<'s> {
    places: &'s [Place],
    memory: *mut u8,
    _set: PhantomData<&'s DescriptorSet>,
}

impl DescriptorSet {
    /// Its bindings of small buffers.
    #[inline(always)]
    pub fn small_buffers(&self) -> SmallBuffers<'_> {
        // SAFETY: the set keeps the layout, which has the table.
        let places = unsafe { self.places.0.as_ref() };
        SmallBuffers { places, memory: self.memory.address() as *mut u8, _set: PhantomData }
    }
}

impl<'s> SmallBuffers<'s> {
    /// Where element `element` of `binding` is, if the table has it and it is of this type.
    #[inline(always)]
    pub fn place(self, (binding, element): (u32, u32), ty: vk::DescriptorType) -> Option<SmallPlace<'s>> {
        let place = self.places.get(binding as usize)?;
        let is_there = place.ty == ty && element < place.count;
        is_there.then(|| SmallPlace {
            offset: place.offset + element * BUFFER_DESCRIPTOR_BYTES,
            memory: self.memory,
            _set: PhantomData,
        })
    }
}

/// A small buffer's descriptor. Invariant: the set's memory has its bytes.
#[derive(Clone, Copy)]
pub struct SmallPlace<'s> {
    memory: *mut u8,
    offset: u32,
    _set: PhantomData<&'s DescriptorSet>,
}

impl SmallPlace<'_> {
    /// Writes the descriptor. False, and nothing is written, when the range is not small.
    #[inline(always)]
    pub fn write(self, range: BufferRange) -> bool {
        let Some(words) = range.small() else { return false };
        // SAFETY: the descriptor ends before the table's end, and the set's memory does not.
        unsafe { put(self.memory, self.offset, words) };
        true
    }
}

/// Stores a descriptor.
///
/// # Safety
/// The set's memory has 16 bytes at `offset`.
#[inline(always)]
unsafe fn put(memory: *mut u8, offset: u32, words: [u64; 2]) {
    // SAFETY: the caller's contract. Shaders may read it at the same time, if the application breaks its word: they take
    // whatever is there.
    unsafe { memory.add(offset as usize).cast::<[u64; 2]>().write_unaligned(words) };
}

/// A template that writes descriptors of small buffers only, to sets of one layout.
#[derive(Clone, Debug)]
pub(super) struct SmallTemplate {
    layout: Digest,
    /// Bytes from the data's start to a `VkDescriptorBufferInfo`, and from the set's start to its descriptor. Invariant:
    /// descriptors end at or before `end`.
    list: Vec<(usize, u32)>,
    end: u64,
}

/// Descriptors of a small template at most.
const TEMPLATE_MAX: u32 = 256;

impl SmallTemplate {
    /// Of these entries; none if some write something else.
    pub(super) fn of(entries: &[TemplateEntry], layout: &SetLayout) -> Option<SmallTemplate> {
        let Places { list: places, end } = &layout.bindings.places;
        let mut list = Vec::new();
        for entry in entries {
            let place = places.get(entry.binding as usize).filter(|place| place.ty == entry.ty)?;
            if entry.first.checked_add(entry.count)? > place.count || entry.count > TEMPLATE_MAX {
                return None;
            }
            list.extend((0..entry.count).map(|index| {
                let to = place.offset + (entry.first + index) * BUFFER_DESCRIPTOR_BYTES;
                (entry.offset.wrapping_add(entry.stride.wrapping_mul(index as usize)), to)
            }));
        }
        Some(SmallTemplate { layout: layout.digest(), list, end: *end })
    }

    /// Writes the descriptors of a set; `get` gives the range that lies so many bytes from the data's start. False, when
    /// the set is of another layout or some range is not small; those before it are written then.
    #[inline(always)]
    pub(super) fn write(&self, set: &DescriptorSet, get: impl Fn(usize) -> Option<BufferRange>) -> bool {
        if set.layout.digest() != self.layout || self.end > set.memory.size() {
            return false;
        }
        let memory = set.memory.address() as *mut u8;
        for &(from, to) in &self.list {
            let Some(words) = get(from).and_then(BufferRange::small) else { return false };
            // SAFETY: the descriptor ends before `end`, and the memory does not.
            unsafe { put(memory, to, words) };
        }
        true
    }
}
