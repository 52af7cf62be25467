//! What a thread has learned of the handles that it writes descriptors with, so that it need not look them up
//! again.

use super::thread::Thread;
use super::{Last, ReadGuard, dispatchable, epoch};
use pyro_driver::buffer::Buffer;
use pyro_driver::descriptor::{DescriptorSet, SmallBuffer, SmallBufferTable};
use std::cell::Cell;
use vulkanalia_sys::{self as vk, Handle};

/// Buffers that are known, by some bits of their handles.
const KNOWN: usize = 8;

/// What a thread knows of handles: a device's, and those of buffers of that device that it wrote descriptors
/// of lately.
pub(crate) struct KnownHandles {
    /// [`epoch`] when it got to know them; all of it holds as long as that is the same. Zero: it knows none.
    epoch: Cell<u64>,
    /// The device's handle.
    handle: Cell<usize>,
    /// What its objects belong to.
    pub(crate) device: Cell<u64>,
    /// The set of that device that was written last.
    pub(crate) set: Last<DescriptorSet>,
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
    pub(crate) fn device(&self) -> vk::Device {
        vk::Device::from_raw(self.handle.get())
    }

    /// Whether what is known is of the device that has this handle.
    #[inline(always)]
    pub(crate) fn is_of(&self, handle: usize) -> bool {
        self.epoch.get() == epoch() && self.handle.get() == handle
    }

    /// Forgets what it knows, and gets to know a device, if there is one.
    #[cold]
    #[inline(never)]
    pub(crate) fn learn(&self, thread: &Thread, handle: usize) -> bool {
        // Before the device is read: what is destroyed later has a later epoch.
        let epoch = epoch();
        self.epoch.set(0);
        self.set.forget();
        // All of it: zero is also what a null handle is known as.
        self.buffers.iter().for_each(|handle| handle.set(0));
        (0..KNOWN).for_each(|place| self.memory.set(place, SmallBuffer::EMPTY));
        let Some(owner) = dispatchable::checked_device(thread, handle) else { return false };
        self.epoch.set(epoch);
        self.handle.set(handle);
        self.device.set(owner.device);
        true
    }

    /// The buffer and the range of it that a structure names, if the buffer is known, or null.
    #[inline(always)]
    pub(crate) fn range(&self, info: &vk::DescriptorBufferInfo) -> Option<(SmallBuffer, (u64, u64))> {
        let handle = info.buffer.as_raw();
        let place = handle as usize % KNOWN;
        (self.buffers[place].get() == handle).then(|| (self.memory.get(place), (info.offset, info.range)))
    }

    /// Gets to know a buffer. False when there is none, or it has no memory, is not small, or is known.
    #[inline(never)]
    pub(crate) fn learn_buffer(&self, thread: &'static Thread, handle: u64) -> bool {
        let read = ReadGuard::on(thread);
        let place = handle as usize % KNOWN;
        if self.buffers[place].get() == handle {
            return false;
        }
        let buffer = read.found_on::<Buffer>(self.device.get(), handle);
        let Some(memory) = buffer.and_then(|buffer| SmallBuffer::of(&buffer)) else { return false };
        self.memory.set(place, memory);
        self.buffers[place].set(handle);
        true
    }
}
