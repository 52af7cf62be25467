//! The table behind the handles: slots that are reused, each time with a new generation.
//!
//! Problem: a handle that was destroyed, or never was one, must be recognized without reading memory that it
//! may point at.
//! Approach: a handle is `generation << 32 | index`, so a destroyed handle never names the slot's next
//! object. Generations count from 1 on, and the first slot holds a handle that names another one, so null
//! names none. Slots are found and read without a lock: they lie in chunks that are never freed, and a value
//! is taken out only when no thread is in a critical section that may have found it ([`super::rcu`]).
//! The free list is first in, first out, so that generations grow slowly.
//!
//! Must not know what objects are.

use super::primitives::{
    AtomicPtr, AtomicU32, AtomicU64, CHUNK, CHUNK_COUNT, Mutex, Ordering, UnsafeCell, constructor,
    null_pointers,
};
use super::rcu::{self, RcuSection};
use super::slot_memory;
use crate::handle::thread;
use std::collections::VecDeque;
use std::mem::MaybeUninit;

/// What the first slot, which is not used, holds: no handle that would be found there.
const NOT_NULL: u64 = u64::MAX;

/// One place for an object. All zeros: free, and never used. On a line of its own, where the value is not too
/// large.
#[repr(align(64))]
pub(crate) struct Slot<T> {
    /// The handle of the value; zero while there is none.
    pub(super) handle: AtomicU64,
    pub(super) value: UnsafeCell<MaybeUninit<T>>,
    /// The last value's generation.
    pub(super) generation: AtomicU32,
}

// SAFETY: a value is written by the one thread that took the slot from the free list, before `handle` says
// that it is there; then it is only read, by threads in read sections, until one thread made `handle` say
// that it is gone and all that were in a section have left it. That one thread takes it.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// The table.
pub(crate) struct Slots<T> {
    chunks: [AtomicPtr<Slot<T>>; CHUNK_COUNT],
    free: Mutex<Free>,
}

struct Free {
    indices: VecDeque<u32>,
    /// Slots that were ever used, and the first.
    used: u32,
}

/// What a handle turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No object ever had it.
    Foreign,
    /// Its object is destroyed.
    Destroyed,
}

impl<T> Slot<T> {
    /// The value, if this is its handle; it is not destroyed before the section ends.
    #[inline(always)]
    pub(crate) fn get<'l>(&'l self, handle: u64, _section: &'l RcuSection) -> Option<&'l T> {
        if self.handle.load(Ordering::SeqCst) != handle {
            return None;
        }
        // SAFETY: the slot says that the value is there, and this thread is in a section.
        Some(self.value.with(|value| unsafe { (*value).assume_init_ref() }))
    }
}

impl<T> Slots<T> {
    constructor! {
        pub(crate) fn new() -> Slots<T> {
            Slots {
                chunks: null_pointers(),
                free: Mutex::new(Free { indices: VecDeque::new(), used: 1 }),
            }
        }
    }

    /// A slot, if it was ever used, or one near it.
    #[inline(always)]
    pub(crate) fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let chunk = self.chunks.get(index as usize / CHUNK)?.load(Ordering::Acquire);
        // SAFETY: a chunk has `CHUNK` slots, which stay there.
        (!chunk.is_null()).then(|| unsafe { &*chunk.add(index as usize % CHUNK) })
    }

    /// Makes the chunk of a slot that is used for the first time. Nothing when there is no memory, or no
    /// place.
    fn grow(&self, index: u32) -> Option<()> {
        let chunk = self.chunks.get(index as usize / CHUNK)?;
        if chunk.load(Ordering::Relaxed).is_null() {
            let slots = slot_memory::chunk::<T>();
            if slots.is_null() {
                return None;
            }
            if index as usize / CHUNK == 0 {
                // SAFETY: the first slot of the chunk, which nobody else knows of yet.
                unsafe { &*slots }.handle.store(NOT_NULL, Ordering::Relaxed);
            }
            chunk.store(slots, Ordering::Release);
        }
        Some(())
    }

    /// Puts a value into a free slot; its handle. Nothing when there is no slot.
    pub(crate) fn insert(&self, value: T) -> Option<u64> {
        let index = {
            let mut free = self.free.lock();
            match free.indices.pop_front() {
                Some(index) => index,
                None => {
                    let index = free.used;
                    self.grow(index)?;
                    free.used += 1;
                    index
                }
            }
        };
        let slot = self.slot(index)?;
        let generation = slot.generation.load(Ordering::Relaxed) + 1;
        let handle = u64::from(generation) << 32 | u64::from(index);
        // SAFETY: the slot came from the free list, so it is this thread's, and it says that it is empty.
        slot.value.with_mut(|place| unsafe { (*place).write(value) });
        slot.generation.store(generation, Ordering::Relaxed);
        slot.handle.store(handle, Ordering::Release);
        Some(handle)
    }

    /// The value of a handle, which is not destroyed before the section ends.
    #[inline(always)]
    pub(crate) fn get<'l>(&'l self, handle: u64, section: &'l RcuSection) -> Option<&'l T> {
        self.slot(handle as u32)?.get(handle, section)
    }

    /// Why a handle has no value.
    pub(crate) fn missing(&self, handle: u64) -> Missing {
        let generation = (handle >> 32) as u32;
        let last = self.slot(handle as u32).map_or(0, |slot| slot.generation.load(Ordering::Acquire));
        if generation != 0 && generation <= last { Missing::Destroyed } else { Missing::Foreign }
    }

    /// Takes the value of a handle, which names nothing from then on, if `wanted` agrees.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn remove(&self, handle: u64, wanted: impl FnOnce(&T) -> bool) -> Result<Option<T>, Missing> {
        {
            let section = rcu::enter(thread::here());
            if !wanted(self.get(handle, &section).ok_or_else(|| self.missing(handle))?) {
                return Ok(None);
            }
        }
        let slot = self.slot(handle as u32).ok_or(Missing::Foreign)?;
        // Of two threads that destroy the same handle, one does.
        let swapped = slot.handle.compare_exchange(handle, 0, Ordering::SeqCst, Ordering::SeqCst);
        swapped.map_err(|_| self.missing(handle))?;
        if !rcu::wait() {
            // A value that its own thread may be reading stays where it is, and the slot with it.
            debug_assert!(false, "an object is destroyed while its thread is in a read section");
            return Ok(None);
        }
        // SAFETY: this thread made the slot empty, nobody reads it any more, and it is not in the free list
        // yet.
        let value = slot.value.with_mut(|place| unsafe { (*place).assume_init_read() });
        // A slot whose generations are used up stays empty.
        if (handle >> 32) as u32 != u32::MAX {
            self.free.lock().indices.push_back(handle as u32);
        }
        Ok(Some(value))
    }

    /// How many values there are; for tests.
    pub(crate) fn len(&self) -> usize {
        let free = self.free.lock();
        free.used as usize - 1 - free.indices.len()
    }
}
