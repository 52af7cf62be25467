//! Descriptors of buffers that are not dynamic, of less than 2 GiB: most of all descriptors that are written.
//!
//! Where they lie in a set is in a table by binding, so a write is a few comparisons and two stores. What is
//! not in the table, or not small, is left to [`DescriptorSet::write_buffers`], which writes it or says why
//! not.
#![allow(unsafe_code)] // stores to places that are checked when tables and views are made

use super::{Binding, DescriptorSet, SetLayout, TemplateEntry};
use crate::objects::buffer::Buffer;
use crate::objects::memory::mapped::Block;
use pyro_abi::BufferDescriptor;
use pyro_abi::descriptor::BUFFER_DESCRIPTOR_BYTES;
use pyro_compile::cache::Digest;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Numbers of bindings that are in tables.
const NUMBERS: usize = 64;

/// No type of descriptors.
const NONE: i32 = -1;

/// Where the descriptors of bindings lie. Columns of numbers: the processor computes an element's address by
/// itself.
struct Table {
    /// [`NONE`]: it is no binding of small buffers, or has no descriptors.
    types: [i32; NUMBERS],
    counts: [u32; NUMBERS],
    /// Bytes from the set's start to the first.
    offsets: [u64; NUMBERS],
}

/// Without bindings.
static EMPTY: Table = Table { types: [NONE; NUMBERS], counts: [0; NUMBERS], offsets: [0; NUMBERS] };

/// The bindings of buffers that are not dynamic. Invariant: all their descriptors end at or before `end`.
pub(super) struct Places {
    /// None: there are none.
    table: Option<Box<Table>>,
    /// Bytes.
    end: u64,
}

/// Where descriptor `index` behind this place is.
#[inline(always)]
fn descriptor(offset: u64, index: u32) -> u64 {
    offset + u64::from(index) * u64::from(BUFFER_DESCRIPTOR_BYTES)
}

/// Whether the binding's descriptors are buffers' that are not dynamic, as many in each set.
fn is_small(binding: &&Binding) -> bool {
    let buffers = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER];
    let variable = binding.info.flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT);
    let is_there = (binding.info.binding as usize) < NUMBERS && binding.info.count != 0;
    is_there && buffers.contains(&binding.info.ty) && !variable
}

impl Places {
    /// Of these bindings.
    pub(super) fn of(bindings: &[Binding]) -> Places {
        let mut places = Places { table: None, end: 0 };
        for &Binding { ref info, offset, .. } in bindings.iter().filter(is_small) {
            let table = places.table.get_or_insert_with(|| Box::new(Table { ..EMPTY }));
            let number = info.binding as usize;
            (table.types[number], table.counts[number]) = (info.ty.as_raw(), info.count);
            table.offsets[number] = offset.into();
            places.end = places.end.max(descriptor(offset.into(), info.count));
        }
        places
    }

    fn table(&self) -> &Table {
        self.table.as_deref().unwrap_or(&EMPTY)
    }
}

/// The memory of a buffer whose descriptors are all small. Invariant: it has at most
/// [`BufferDescriptor::SMALL_MAX`] bytes.
#[derive(Clone, Copy, Debug)]
pub struct SmallBuffer {
    address: u64,
    size: u64,
}

impl SmallBuffer {
    /// Without bytes.
    pub const EMPTY: SmallBuffer = SmallBuffer { address: 0, size: 0 };

    /// Of a buffer, if it is small and has memory.
    pub fn of(buffer: &Buffer) -> Option<SmallBuffer> {
        let size = buffer.size();
        (size <= BufferDescriptor::SMALL_MAX)
            .then_some(SmallBuffer { address: buffer.bound_address()?, size })
    }

    /// A range's descriptor: so many bytes before it, and so many of it, or as many as the buffer has. None
    /// when it begins at or behind the end.
    #[inline(always)]
    fn words(self, (offset, range): (u64, u64)) -> Option<[u64; 2]> {
        let is_inside = offset < self.size;
        is_inside.then(|| [self.address + offset, range.min(self.size - offset)])
    }
}

/// Small buffers by number. Columns, as of [`Table`].
pub struct SmallBufferTable<const COUNT: usize> {
    addresses: [Cell<u64>; COUNT],
    sizes: [Cell<u64>; COUNT],
}

impl<const COUNT: usize> Default for SmallBufferTable<COUNT> {
    fn default() -> SmallBufferTable<COUNT> {
        SmallBufferTable::new()
    }
}

impl<const COUNT: usize> SmallBufferTable<COUNT> {
    /// Of buffers without bytes.
    pub const fn new() -> SmallBufferTable<COUNT> {
        let addresses = [const { Cell::new(0) }; COUNT];
        SmallBufferTable { addresses, sizes: [const { Cell::new(0) }; COUNT] }
    }

    /// A buffer.
    #[inline(always)]
    pub fn get(&self, number: usize) -> SmallBuffer {
        // Invariant of the size: it comes from `set`, or is zero.
        SmallBuffer { address: self.addresses[number].get(), size: self.sizes[number].get() }
    }

    /// Replaces a buffer.
    pub fn set(&self, number: usize, buffer: SmallBuffer) {
        self.addresses[number].set(buffer.address);
        self.sizes[number].set(buffer.size);
    }
}

/// A layout's table, for a set of the layout. Invariant: the set's memory has as many bytes as the table
/// says, and the layout stays as long as the set.
pub(super) struct SetPlaces(NonNull<Table>);

// SAFETY: tables are not changed.
unsafe impl Send for SetPlaces {}
// SAFETY: as above.
unsafe impl Sync for SetPlaces {}

impl SetPlaces {
    /// For a set that has this memory and keeps the layout.
    pub(super) fn of(layout: &Arc<SetLayout>, memory: &Block) -> SetPlaces {
        let places = &layout.bindings.places;
        SetPlaces(NonNull::from(if places.end <= memory.size() { places.table() } else { &EMPTY }))
    }
}

/// A set's bindings of small buffers. Invariant: the set's memory has as many bytes as the table says.
#[derive(Clone, Copy)]
pub struct SmallBuffers<'s> {
    table: &'s Table,
    memory: *mut u8,
}

impl DescriptorSet {
    /// Its bindings of small buffers.
    #[inline(always)]
    pub fn small_buffers(&self) -> SmallBuffers<'_> {
        // SAFETY: the set keeps the layout, which has the table.
        let table = unsafe { self.places.0.as_ref() };
        SmallBuffers { table, memory: self.memory.address() as *mut u8 }
    }
}

impl<'s> SmallBuffers<'s> {
    /// Where element `element` of `binding` is, if the table has it and it is of this type.
    #[inline(always)]
    pub fn place(self, (binding, element): (u32, u32), ty: vk::DescriptorType) -> Option<SmallPlace<'s>> {
        let SmallBuffers { table, memory } = self;
        let number = binding as usize;
        if number >= NUMBERS || table.types[number] != ty.as_raw() {
            return None;
        }
        let mut offset = table.offsets[number];
        // Bindings in the table have a first element.
        if element != 0 {
            if element >= table.counts[number] {
                return None;
            }
            offset = descriptor(offset, element);
        }
        Some(SmallPlace { offset, memory, _set: PhantomData })
    }
}

/// A small buffer's descriptor. Invariant: the set's memory has its bytes.
#[derive(Clone, Copy)]
pub struct SmallPlace<'s> {
    memory: *mut u8,
    offset: u64,
    _set: PhantomData<&'s DescriptorSet>,
}

impl SmallPlace<'_> {
    /// Writes the descriptor of a range of a buffer, given by its first byte and its bytes. False, and
    /// nothing is written, when it does not begin in the buffer.
    #[inline(always)]
    pub fn write(self, buffer: SmallBuffer, range: (u64, u64)) -> bool {
        let Some(words) = buffer.words(range) else { return false };
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
unsafe fn put(memory: *mut u8, offset: u64, words: [u64; 2]) {
    // SAFETY: the caller's contract. Shaders may read it at the same time, if the application breaks its
    // word: they take whatever is there.
    unsafe { memory.add(offset as usize).cast::<[u64; 2]>().write_unaligned(words) };
}

/// A template that writes descriptors of small buffers only, to sets of one layout.
#[derive(Clone, Debug)]
pub(super) struct SmallTemplate {
    layout: Digest,
    /// Bytes from the data's start to a `VkDescriptorBufferInfo`, and from the set's start to its descriptor.
    /// Invariant: descriptors end at or before `end`.
    list: Vec<(usize, u64)>,
    end: u64,
}

/// Descriptors of a small template at most.
const TEMPLATE_MAX: u32 = 256;

impl SmallTemplate {
    /// Of these entries; none if some write something else.
    pub(super) fn of(entries: &[TemplateEntry], layout: &SetLayout) -> Option<SmallTemplate> {
        let places = &layout.bindings.places;
        let (table, mut list) = (places.table(), Vec::new());
        for entry in entries {
            let number = Some(entry.binding as usize).filter(|&number| number < NUMBERS)?;
            let is_there = table.types[number] == entry.ty.as_raw()
                && entry.first.checked_add(entry.count)? <= table.counts[number];
            if !is_there || entry.count > TEMPLATE_MAX {
                return None;
            }
            list.extend((0..entry.count).map(|index| {
                let to = descriptor(table.offsets[number], entry.first + index);
                (entry.offset.wrapping_add(entry.stride.wrapping_mul(index as usize)), to)
            }));
        }
        Some(SmallTemplate { layout: layout.digest(), list, end: places.end })
    }

    /// Writes the descriptors of a set; `get` gives the buffer and the range that lie so many bytes from the
    /// data's start. False, when the set is of another layout or some range is not small; those before it are
    /// written then.
    #[inline(always)]
    pub(super) fn write(
        &self,
        set: &DescriptorSet,
        get: impl Fn(usize) -> Option<(SmallBuffer, (u64, u64))>,
    ) -> bool {
        if set.layout.digest() != self.layout || self.end > set.memory.size() {
            return false;
        }
        let memory = set.memory.address() as *mut u8;
        for &(from, to) in &self.list {
            let Some(words) = get(from).and_then(|(buffer, range)| buffer.words(range)) else { return false };
            // SAFETY: the descriptor ends before `end`, and the memory does not.
            unsafe { put(memory, to, words) };
        }
        true
    }
}
