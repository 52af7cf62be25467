//! Most of all writes: one buffer's descriptor, with nothing special about it.
//!
//! They are checked as others are, but nothing is said of what fails: it is left to the way of all writes, which does it or
//! says why not. So a call needs no name for messages, and no result.

use crate::device::Device;
use crate::handle::{self, Dispatchable, Look};
use crate::thread::Thread;
use pyro_driver::buffer::Buffer;
use pyro_driver::descriptor::DescriptorSet;
use std::cell::Cell;
use vulkanalia_sys::{self as vk, Handle};

/// Buffers that are known, by some bits of their handles.
const KNOWN: usize = 8;

/// Buffers of one device that a thread wrote descriptors of lately.
pub(crate) struct KnownBuffers {
    /// How many buffers were destroyed before.
    destroyed: Cell<u64>,
    device: Cell<u64>,
    buffers: [KnownBuffer; KNOWN],
}

/// A buffer that has memory; zeros: none.
struct KnownBuffer {
    handle: Cell<u64>,
    address: Cell<u64>,
    size: Cell<u64>,
}

impl KnownBuffers {
    pub(crate) const fn new() -> KnownBuffers {
        KnownBuffers {
            destroyed: Cell::new(0),
            device: Cell::new(0),
            buffers: [const { KnownBuffer { handle: Cell::new(0), address: Cell::new(0), size: Cell::new(0) } };
                KNOWN],
        }
    }

    /// Forgets what may not hold any more, or is another device's.
    #[inline(always)]
    fn of(&self, device: u64) -> &KnownBuffers {
        let destroyed = handle::destroyed_buffers();
        if self.destroyed.get() != destroyed || self.device.get() != device {
            self.destroyed.set(destroyed);
            self.device.set(device);
            self.buffers.iter().for_each(|buffer| buffer.handle.set(0));
        }
        self
    }

    /// Address and bytes of a buffer; zeros for a null handle.
    #[inline(always)]
    fn get(&self, look: &Look, handle: u64) -> Option<(u64, u64)> {
        let known = &self.buffers[handle as usize % KNOWN];
        if known.handle.get() != handle {
            let buffer = look.found_on::<Buffer>(self.device.get(), handle)?;
            known.address.set(buffer.bound_address()?);
            known.size.set(buffer.size());
            known.handle.set(handle);
        }
        Some((known.address.get(), known.size.get()))
    }
}

/// Applies writes as long as they are simple; how many it applied.
///
/// # Safety
/// The writes are valid.
#[inline(always)]
pub(super) unsafe fn write(
    thread: &'static Thread,
    device: vk::Device,
    writes: &[vk::WriteDescriptorSet],
) -> usize {
    let Some(owner) = Dispatchable::<Device>::checked(thread, device.as_raw()) else { return 0 };
    let look = Look::on(thread);
    let buffers = thread.buffers.of(owner.device);
    let mut last: Option<(u64, &DescriptorSet)> = None;
    for (index, write) in writes.iter().enumerate() {
        let number = write.dst_set.as_raw();
        let set = match last {
            Some((known, set)) if known == number => set,
            _ => match look.found_on::<DescriptorSet>(owner.device, number) {
                Some(set) => set.seen(),
                None => return index,
            },
        };
        last = Some((number, set));
        let ty = write.descriptor_type;
        let is_buffer = matches!(ty, vk::DescriptorType::STORAGE_BUFFER | vk::DescriptorType::UNIFORM_BUFFER);
        if !is_buffer || write.descriptor_count != 1 {
            return index;
        }
        // SAFETY: such a write has as many of these as it has descriptors.
        let info = unsafe { &*write.buffer_info };
        let Some(buffer) = buffers.get(&look, info.buffer.as_raw()) else { return index };
        let place = (write.dst_binding, write.dst_array_element);
        if !set.write_small_buffer(place, ty, buffer, info.offset, info.range) {
            return index;
        }
    }
    writes.len()
}
