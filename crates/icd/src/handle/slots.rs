//! The table behind the handles: slots that are reused, each time with a new generation.
//!
//! A handle is `generation << 32 | index + 1`, so a destroyed handle never names the slot's next object, and null
//! names none. Slots are found and read without a lock: they lie in chunks that are never freed, each twice as large as
//! the one before, and a value is taken out only when no thread looks at it ([`readers`](super::readers)). The free list
//! is first in, first out, so that generations grow slowly.

use super::readers;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Few, since every kind of object has a table and most programs have few of most kinds.
const FIRST_CHUNK: usize = 8;
/// As many as hold 2³² slots.
const CHUNK_COUNT: usize = 29;

/// One place for an object.
pub(crate) struct Slot<T> {
    /// The generation, twice; one more while there is a value.
    state: AtomicU64,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: a value is written by the one thread that took the slot from the free list, before `state` says that it is
// there; then it is only read, by threads that said that they look, until one thread made `state` say that it is gone and
// all that looked have looked away. That one thread takes it.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// The state of a slot that holds the value of this generation.
fn live(generation: u32) -> u64 {
    2 * u64::from(generation) + 1
}

/// The table.
pub(crate) struct Slots<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNK_COUNT],
    free: Mutex<Free>,
}

struct Free {
    indices: VecDeque<u32>,
    /// Slots that were ever used.
    used: u32,
}

/// A value that is not destroyed while it is looked at.
pub(crate) struct Peek<'t, T> {
    value: &'t T,
    _looking: readers::Looking,
}

impl<T> std::ops::Deref for Peek<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

/// What a handle turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No object ever had it.
    Foreign,
    /// Its object is destroyed.
    Destroyed,
}

/// Chunk and place of a slot.
fn place(index: u32) -> (usize, usize) {
    let scaled = index as usize / FIRST_CHUNK + 1;
    let chunk = scaled.ilog2() as usize;
    (chunk, index as usize - FIRST_CHUNK * ((1 << chunk) - 1))
}

impl<T> Slots<T> {
    pub(crate) const fn new() -> Slots<T> {
        Slots {
            chunks: [const { OnceLock::new() }; CHUNK_COUNT],
            free: Mutex::new(Free { indices: VecDeque::new(), used: 0 }),
        }
    }

    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (chunk, place) = place(index);
        self.chunks.get(chunk)?.get()?.get(place)
    }

    /// Puts a value into a free slot; its handle. Nothing when all 2³² are taken.
    pub(crate) fn insert(&self, value: T) -> Option<u64> {
        let index = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            match free.indices.pop_front() {
                Some(index) => index,
                None => {
                    let index = free.used;
                    let (chunk, _) = place(index);
                    self.chunks.get(chunk)?.get_or_init(|| {
                        let empty = || Slot { state: AtomicU64::new(2), value: UnsafeCell::new(None) };
                        std::iter::repeat_with(empty).take(FIRST_CHUNK << chunk).collect()
                    });
                    free.used += 1;
                    index
                }
            }
        };
        let slot = self.slot(index)?;
        let generation = (slot.state.load(Ordering::Relaxed) / 2) as u32;
        // SAFETY: the slot came from the free list, so it is this thread's, and its state says that it is empty.
        unsafe { *slot.value.get() = Some(value) };
        slot.state.store(live(generation), Ordering::Release);
        Some(u64::from(generation) << 32 | u64::from(index + 1))
    }

    fn find(&self, handle: u64) -> Result<(u32, u32, &Slot<T>), Missing> {
        let (generation, number) = ((handle >> 32) as u32, handle as u32);
        let index = number.checked_sub(1).ok_or(Missing::Foreign)?;
        let slot = self.slot(index).ok_or(Missing::Foreign)?;
        Ok((generation, index, slot))
    }

    /// The value of a handle, which is not destroyed before the result is dropped: meanwhile this thread must neither wait
    /// for others nor call the application.
    #[inline]
    pub(crate) fn peek(&self, handle: u64) -> Option<Peek<'_, T>> {
        let (generation, _, slot) = self.find(handle).ok()?;
        let looking = readers::look();
        if slot.state.load(Ordering::SeqCst) != live(generation) {
            return None;
        }
        // SAFETY: the state says that the value is there, and this thread that it looks.
        let value = unsafe { (*slot.value.get()).as_ref() }?;
        Some(Peek { value, _looking: looking })
    }

    /// Why a handle has no value.
    pub(crate) fn missing(&self, handle: u64) -> Missing {
        match self.find(handle) {
            Err(missing) => missing,
            Ok((generation, _, slot)) => missing(generation, slot.state.load(Ordering::Acquire)),
        }
    }

    /// Takes the value of a handle, which names nothing from then on, if `wanted` agrees.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn remove(&self, handle: u64, wanted: impl FnOnce(&T) -> bool) -> Result<Option<T>, Missing> {
        if !wanted(&*self.peek(handle).ok_or_else(|| self.missing(handle))?) {
            return Ok(None);
        }
        let (generation, index, slot) = self.find(handle)?;
        // A slot whose generations are used up stays empty.
        let next = 2 * (u64::from(generation) + 1);
        let swapped = slot.state.compare_exchange(live(generation), next, Ordering::SeqCst, Ordering::SeqCst);
        // Of two threads that destroy the same handle, one does.
        swapped.map_err(|state| missing(generation, state))?;
        if !readers::wait() {
            // A value that its own thread looks at stays where it is, and the slot with it.
            debug_assert!(false, "an object is destroyed while its thread looks at the table");
            return Ok(None);
        }
        // SAFETY: this thread made the slot empty, nobody looks any more, and it is not in the free list yet.
        let value = unsafe { (*slot.value.get()).take() };
        if generation != u32::MAX {
            self.free.lock().unwrap_or_else(PoisonError::into_inner).indices.push_back(index);
        }
        Ok(value)
    }

    /// How many values there are; for tests.
    pub(crate) fn len(&self) -> usize {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.used as usize - free.indices.len()
    }
}

fn missing(generation: u32, state: u64) -> Missing {
    if generation != 0 && 2 * u64::from(generation) < state { Missing::Destroyed } else { Missing::Foreign }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_dense() {
        let mut last = (0, 0);
        for index in 0..100_000 {
            let (chunk, slot) = place(index);
            assert!(slot < FIRST_CHUNK << chunk);
            assert!(index == 0 || (chunk, slot) == (last.0, last.1 + 1) || (chunk, slot) == (last.0 + 1, 0));
            last = (chunk, slot);
        }
    }

    #[test]
    fn a_destroyed_handle_stays_destroyed() {
        let slots = Slots::new();
        let first = slots.insert(1).unwrap();
        assert_eq!(slots.remove(first, |_| true), Ok(Some(1)));
        let second = slots.insert(2).unwrap();
        assert_eq!(first as u32, second as u32, "the slot is reused");
        assert!(slots.peek(first).is_none());
        assert_eq!(slots.missing(first), Missing::Destroyed);
        assert_eq!(slots.peek(second).map(|value| *value), Some(2));
        assert_eq!(slots.remove(first, |_| true), Err(Missing::Destroyed));
        for foreign in [0, 1, 2, u64::MAX, 7 << 32 | 1, 1 << 32] {
            assert!(slots.peek(foreign).is_none());
            assert_eq!(slots.missing(foreign), Missing::Foreign, "{foreign:#x}");
        }
        assert_eq!(slots.len(), 1);
    }

    /// Threads that look at a value find it whole, or gone, never half.
    #[test]
    fn values_are_whole_while_threads_destroy_them() {
        let slots: Slots<Box<[u64; 4]>> = Slots::new();
        let handles: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
        let done = std::sync::atomic::AtomicBool::new(false);
        let seen = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        for handle in &handles {
                            let handle = handle.load(Ordering::Relaxed);
                            if let Some(value) = slots.peek(handle).map(|value| **value) {
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
