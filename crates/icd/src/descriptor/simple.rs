//! Most of all writes: one buffer's descriptor, with nothing special about it.
//!
//! They are checked as others are, but nothing is said of what fails: it is left to the way of all writes, which does it or
//! says why not. So a call needs no name for messages, and no result.

use crate::device::Device;
use crate::handle::{self, Dispatchable, Last, Look};
use crate::thread::Thread;
use pyro_driver::buffer::Buffer;
use pyro_driver::descriptor::{DescriptorSet, SmallBuffer, SmallBufferTable, SmallBuffers, UpdateTemplate};
use std::cell::Cell;
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

/// Buffers that are known, by some bits of their handles.
const KNOWN: usize = 8;

/// What a thread knows of handles: a device's, and those of buffers of that device that it wrote descriptors of lately.
pub(crate) struct KnownHandles {
    /// [`handle::epoch`] when it got to know them; all of it holds as long as that is the same. Zero: it knows none.
    epoch: Cell<u64>,
    /// The device's handle.
    handle: Cell<usize>,
    /// What its objects belong to.
    device: Cell<u64>,
    /// The set of that device that was written last.
    set: Last<DescriptorSet>,
    /// Handles of buffers; zeros: none.
    buffers: [Cell<u64>; KNOWN],
    /// These buffers; empty ones: of none.
    memory: SmallBufferTable<KNOWN>,
}

impl KnownHandles {
    pub(crate) const fn new() -> KnownHandles {
        KnownHandles {
            epoch: Cell::new(0),
            handle: Cell::new(0),
            device: Cell::new(0),
            set: Last::new(),
            buffers: [const { Cell::new(0) }; KNOWN],
            memory: SmallBufferTable::new(),
        }
    }

    /// The device that it was learned of last.
    pub(super) fn device(&self) -> vk::Device {
        vk::Device::from_raw(self.handle.get())
    }

    /// Whether what is known is of the device that has this handle.
    #[inline(always)]
    pub(super) fn is_of(&self, handle: usize) -> bool {
        self.epoch.get() == handle::epoch() && self.handle.get() == handle
    }

    /// Forgets what it knows, and gets to know a device, if there is one.
    #[cold]
    #[inline(never)]
    fn learn(&self, thread: &Thread, handle: usize) -> bool {
        // Before the device is looked at: what is destroyed later has a later epoch.
        let epoch = handle::epoch();
        self.epoch.set(0);
        self.set.forget();
        // All of it: zero is also what a null handle is known as.
        self.buffers.iter().for_each(|handle| handle.set(0));
        (0..KNOWN).for_each(|place| self.memory.set(place, SmallBuffer::EMPTY));
        let Some(owner) = Dispatchable::<Device>::checked(thread, handle) else { return false };
        self.epoch.set(epoch);
        self.handle.set(handle);
        self.device.set(owner.device);
        true
    }

    /// The buffer and the range of it that a structure names, if the buffer is known, or null.
    #[inline(always)]
    fn range(&self, info: &vk::DescriptorBufferInfo) -> Option<(SmallBuffer, (u64, u64))> {
        let handle = info.buffer.as_raw();
        let place = handle as usize % KNOWN;
        (self.buffers[place].get() == handle).then(|| (self.memory.get(place), (info.offset, info.range)))
    }

    /// Gets to know a buffer. False when there is none, or it has no memory, is not small, or is known.
    #[inline(never)]
    fn learn_buffer(&self, thread: &'static Thread, handle: u64) -> bool {
        let look = Look::on(thread);
        let place = handle as usize % KNOWN;
        if self.buffers[place].get() == handle {
            return false;
        }
        let buffer = look.found_on::<Buffer>(self.device.get(), handle);
        let Some(memory) = buffer.and_then(|buffer| SmallBuffer::of(&buffer)) else { return false };
        self.memory.set(place, memory);
        self.buffers[place].set(handle);
        true
    }
}

/// Applies writes, given by the first and their number, as long as they are simple and of sets and buffers of the device that
/// is known; those that are left.
///
/// # Safety
/// There are so many writes, which are valid.
#[inline(always)]
pub(super) unsafe fn write(
    thread: &'static Thread,
    (writes, count): (*const vk::WriteDescriptorSet, u32),
) -> (*const vk::WriteDescriptorSet, u32) {
    let known = &thread.known;
    if writes.is_null() || count == 0 {
        return (writes, count);
    }
    let Some(look) = Look::anew(thread) else { return (writes, count) };
    let mut at = writes;
    // SAFETY: the end of the writes.
    let end = unsafe { writes.add(count as usize) };
    'sets: loop {
        // SAFETY: one of the writes.
        let number = unsafe { &*at }.dst_set.as_raw();
        let set = look.found_again(&known.set, known.device.get(), number);
        let Some(set) = set.map(|set| set.seen().small_buffers()) else { break };
        loop {
            // SAFETY: one of the writes, which the caller says is valid.
            if !unsafe { write_one(known, set, &*at) } {
                break 'sets;
            }
            // SAFETY: from one to the next, or the end.
            at = unsafe { at.add(1) };
            if at == end {
                return (end, 0);
            }
            // SAFETY: one of the writes.
            if unsafe { &*at }.dst_set.as_raw() != number {
                break;
            }
        }
    }
    // SAFETY: both are within the writes, or at their end.
    (at, unsafe { end.offset_from_unsigned(at) } as u32)
}

/// Gets to know the device and what a write is of, if these are what simple writes are of. False when there is nothing new to
/// know.
///
/// # Safety
/// The write is valid.
pub(super) unsafe fn learn(
    thread: &'static Thread,
    device: vk::Device,
    write: &vk::WriteDescriptorSet,
) -> bool {
    let known = &thread.known;
    if !known.is_of(device.as_raw()) {
        return known.learn(thread, device.as_raw());
    }
    let buffer = {
        let look = Look::on(thread);
        let set = look.found_on::<DescriptorSet>(known.device.get(), write.dst_set.as_raw());
        let place = (write.dst_binding, write.dst_array_element);
        // What the write is of is looked at only where the set has such a descriptor.
        let is_simple = set.is_some_and(|set| {
            write.descriptor_count == 1 && set.small_buffers().place(place, write.descriptor_type).is_some()
        });
        // SAFETY: such a write has as many of these as it has descriptors.
        is_simple.then(|| unsafe { &*write.buffer_info }.buffer.as_raw())
    };
    buffer.is_some_and(|buffer| known.learn_buffer(thread, buffer))
}

/// Applies a write to the set that it is for, if it is simple and the buffer known.
///
/// # Safety
/// The write is valid.
#[inline(always)]
unsafe fn write_one(known: &KnownHandles, set: SmallBuffers<'_>, write: &vk::WriteDescriptorSet) -> bool {
    let place = (write.dst_binding, write.dst_array_element);
    // A write of another type has no such structure, so the types are compared first.
    let Some(to) = set.place(place, write.descriptor_type).filter(|_| write.descriptor_count == 1) else {
        return false;
    };
    // SAFETY: such a write has as many of these as it has descriptors.
    let info = unsafe { &*write.buffer_info };
    known.range(info).is_some_and(|(buffer, range)| to.write(buffer, range))
}

/// Applies a template, if it is simple.
///
/// # Safety
/// The data are what the template says.
#[inline(always)]
pub(super) unsafe fn write_template(
    thread: &'static Thread,
    device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) -> bool {
    let known = &thread.known;
    if !known.is_of(device.as_raw()) && !known.learn(thread, device.as_raw()) {
        return false;
    }
    let look = Look::on(thread);
    let Some(set) = look.found_on::<DescriptorSet>(known.device.get(), set.as_raw()) else { return false };
    let template = look.found_on::<UpdateTemplate>(known.device.get(), template.as_raw());
    let Some(template) = template else { return false };
    template.write_small(&set, |offset| {
        // SAFETY: the template says that such a structure is there.
        let info = unsafe { data.byte_add(offset).cast::<vk::DescriptorBufferInfo>().read_unaligned() };
        match known.range(&info) {
            None if known.learn_buffer(thread, info.buffer.as_raw()) => known.range(&info),
            range => range,
        }
    })
}
