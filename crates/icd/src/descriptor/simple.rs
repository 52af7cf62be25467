//! Most of all writes: one buffer's descriptor, with nothing special about it.
//!
//! They are checked as others are, but nothing is said of what fails: it is left to the way of all writes, which does it or
//! says why not. So a call needs no name for messages, and no result.

use crate::device::Device;
use crate::handle::{self, Dispatchable, Look};
use crate::thread::Thread;
use pyro_driver::buffer::Buffer;
use pyro_driver::descriptor::{BufferRange, DescriptorSet, SmallBuffers, UpdateTemplate};
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
    buffers: [KnownBuffer; KNOWN],
}

/// A buffer that has memory; zeros: none.
struct KnownBuffer {
    handle: Cell<u64>,
    address: Cell<u64>,
    size: Cell<u64>,
}

impl KnownHandles {
    pub(crate) const fn new() -> KnownHandles {
        KnownHandles {
            epoch: Cell::new(0),
            handle: Cell::new(0),
            device: Cell::new(0),
            buffers: [const { KnownBuffer { handle: Cell::new(0), address: Cell::new(0), size: Cell::new(0) } };
                KNOWN],
        }
    }

    /// What is known of a device that has this handle; nothing when none has.
    #[inline(always)]
    fn of(&self, thread: &Thread, handle: usize) -> Option<&KnownHandles> {
        let is_known = self.epoch.get() == handle::epoch() && self.handle.get() == handle;
        (is_known || self.learn(thread, handle)).then_some(self)
    }

    /// Forgets what it knows, and gets to know a device, if there is one.
    #[cold]
    #[inline(never)]
    fn learn(&self, thread: &Thread, handle: usize) -> bool {
        // Before the device is looked at: what is destroyed later has a later epoch.
        let epoch = handle::epoch();
        self.epoch.set(0);
        for buffer in &self.buffers {
            // All of it: zero is also what a null handle is known as.
            buffer.handle.set(0);
            buffer.address.set(0);
            buffer.size.set(0);
        }
        let Some(owner) = Dispatchable::<Device>::checked(thread, handle) else { return false };
        self.epoch.set(epoch);
        self.handle.set(handle);
        self.device.set(owner.device);
        true
    }

    /// Where what is known of a buffer is.
    #[inline(always)]
    fn place(&self, buffer: u64) -> &KnownBuffer {
        &self.buffers[buffer as usize % KNOWN]
    }

    /// The range of a buffer that a structure names, if the buffer is known, or null.
    #[inline(always)]
    fn range(&self, info: &vk::DescriptorBufferInfo) -> Option<BufferRange> {
        let handle = info.buffer.as_raw();
        let known = self.place(handle);
        let range = || BufferRange {
            buffer: (known.address.get(), known.size.get()),
            offset: info.offset,
            range: info.range,
        };
        (known.handle.get() == handle).then(range)
    }

    /// Gets to know a buffer. False when there is none, or it has no memory, or is known.
    #[inline(never)]
    fn learn_buffer(&self, thread: &'static Thread, handle: u64) -> bool {
        let look = Look::on(thread);
        let known = self.place(handle);
        let found = || {
            let buffer = look.found_on::<Buffer>(self.device.get(), handle)?;
            Some((buffer.bound_address()?, buffer.size()))
        };
        if known.handle.get() == handle {
            return false;
        }
        let Some((address, size)) = found() else { return false };
        known.address.set(address);
        known.size.set(size);
        known.handle.set(handle);
        true
    }
}

/// Applies writes as long as they are simple; those that are left.
///
/// # Safety
/// The writes are valid.
#[inline(always)]
pub(super) unsafe fn write<'w>(
    thread: &'static Thread,
    device: vk::Device,
    writes: &'w [vk::WriteDescriptorSet],
) -> &'w [vk::WriteDescriptorSet] {
    let Some(known) = thread.known.of(thread, device.as_raw()) else { return writes };
    let look = Look::on(thread);
    let std::ops::Range { start: mut at, end } = writes.as_ptr_range();
    while at != end {
        // SAFETY: one of the writes.
        let number = unsafe { &*at }.dst_set.as_raw();
        let set = look.found_on::<DescriptorSet>(known.device.get(), number);
        let Some(set) = set.map(|set| set.seen().small_buffers()) else { break };
        // SAFETY: as above; the caller's contract.
        while let write = unsafe { &*at }
            && write.dst_set.as_raw() == number
            && unsafe { write_one(known, set, write) }
        {
            // SAFETY: from one to the next, or the end.
            at = unsafe { at.add(1) };
            if at == end {
                return &[];
            }
        }
        // SAFETY: as above.
        let other = unsafe { &*at };
        // What the write is of is looked at only where the set has such a descriptor.
        if other.dst_set.as_raw() == number {
            let place = (other.dst_binding, other.dst_array_element);
            if other.descriptor_count != 1 || set.place(place, other.descriptor_type).is_none() {
                break;
            }
            // SAFETY: such a write has as many of these as it has descriptors.
            let buffer = unsafe { &*other.buffer_info }.buffer.as_raw();
            if !known.learn_buffer(thread, buffer) {
                break;
            }
        }
    }
    // SAFETY: both are within the slice.
    unsafe { std::slice::from_raw_parts(at, end.offset_from_unsigned(at)) }
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
    known.range(info).is_some_and(|range| to.write(range))
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
    let Some(known) = thread.known.of(thread, device.as_raw()) else { return false };
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
