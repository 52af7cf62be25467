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

use super::rcu::{self, RcuSection};
use crate::handle::thread;
use pyro_util::sync::Mutex;
use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Slots of a chunk. The system gives its pages when they are touched.
const CHUNK: usize = 1 << 12;
/// What the first slot, which is not used, holds: no handle that would be found there.
const NOT_NULL: u64 = u64::MAX;
/// Together 2²⁸ slots.
const CHUNK_COUNT: usize = 1 << 16;

/// One place for an object. All zeros: free, and never used. On a line of its own, where the value is not too
/// large.
#[repr(align(64))]
pub(crate) struct Slot<T> {
    /// The handle of the value; zero while there is none.
    handle: AtomicU64,
    value: UnsafeCell<MaybeUninit<T>>,
    /// The last value's generation.
    generation: AtomicU32,
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
        Some(unsafe { (*self.value.get()).assume_init_ref() })
    }
}

impl<T> Slots<T> {
    pub(crate) const fn new() -> Slots<T> {
        Slots {
            chunks: [const { AtomicPtr::new(null_mut()) }; CHUNK_COUNT],
            free: Mutex::new(Free { indices: VecDeque::new(), used: 1 }),
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
            // Larger by a slot's alignment: zeroed memory of no more than the usual alignment is not touched.
            let size = CHUNK * size_of::<Slot<T>>() + align_of::<Slot<T>>();
            let layout = Layout::from_size_align(size, align_of::<usize>()).ok()?;
            // SAFETY: the size is not zero.
            let memory = unsafe { std::alloc::alloc_zeroed(layout) };
            if memory.is_null() {
                return None;
            }
            // SAFETY: the offset is less than what was added to the size.
            let slots = unsafe { memory.add(memory.align_offset(align_of::<Slot<T>>())) };
            let slots = slots.cast::<Slot<T>>();
            if index as usize / CHUNK == 0 {
                // SAFETY: the first slot of zeroed memory, which nobody else knows of yet.
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
        unsafe { (*slot.value.get()).write(value) };
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
        let value = unsafe { (*slot.value.get()).assume_init_read() };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destroyed_handle_stays_destroyed() {
        let slots = Box::new(Slots::new());
        let first = slots.insert(1).unwrap();
        assert_eq!(slots.remove(first, |_| true), Ok(Some(1)));
        let second = slots.insert(2).unwrap();
        assert_eq!(first as u32, second as u32, "the slot is reused");
        assert!(slots.get(first, &rcu::enter(thread::here())).is_none());
        assert_eq!(slots.missing(first), Missing::Destroyed);
        assert_eq!(slots.get(second, &rcu::enter(thread::here())), Some(&2));
        assert_eq!(slots.remove(first, |_| true), Err(Missing::Destroyed));
        for foreign in [0, 1, 2, u64::MAX, 7 << 32 | 1, 1 << 32] {
            assert!(slots.get(foreign, &rcu::enter(thread::here())).is_none());
            assert_eq!(slots.missing(foreign), Missing::Foreign, "{foreign:#x}");
        }
        assert_eq!(slots.len(), 1);
    }

    /// Threads that read a value find it whole, or gone, never half.
    #[test]
    fn values_are_whole_while_threads_destroy_them() {
        static SLOTS: Slots<Box<[u64; 4]>> = Slots::new();
        let slots = &SLOTS;
        let handles: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
        let done = std::sync::atomic::AtomicBool::new(false);
        let seen = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        for handle in &handles {
                            let handle = handle.load(Ordering::Relaxed);
                            if let Some(value) =
                                slots.get(handle, &rcu::enter(thread::here())).map(|value| **value)
                            {
                                assert_eq!(value, [value[0]; 4]);
                                seen.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
            let mut number = 0;
            while seen.load(Ordering::Relaxed) < 2000 || number < 20_000 {
                number += 1;
                let handle = &handles[number as usize % 4];
                if let Ok(Some(mut value)) = slots.remove(handle.load(Ordering::Relaxed), |_| true) {
                    // Nobody sees this.
                    value.iter_mut().zip(0..).for_each(|(word, index)| *word = index);
                }
                handle.store(slots.insert(Box::new([number; 4])).unwrap(), Ordering::Relaxed);
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
