//! The table behind the handles: slots that are reused, each time with a new generation.
//!
//! A handle is `generation << 32 | index + 1`, so a destroyed handle never names the slot's next object, and null
//! names none. Slots are found without a lock: they lie in chunks that are never freed, each twice as large as
//! the one before. The free list is first in, first out, so that generations grow slowly.

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Few, since every kind of object has a table and most programs have few of most kinds.
const FIRST_CHUNK: usize = 8;
/// As many as hold 2³² slots.
const CHUNK_COUNT: usize = 29;

/// One place for an object.
pub(crate) struct Slot<T> {
    state: RwLock<State<T>>,
}

struct State<T> {
    generation: u32,
    value: Option<T>,
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

/// What a handle turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No object ever had it.
    Foreign,
    /// Its object is destroyed.
    Destroyed,
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
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
                        let empty = || Slot { state: RwLock::new(State { generation: 1, value: None }) };
                        std::iter::repeat_with(empty).take(FIRST_CHUNK << chunk).collect()
                    });
                    free.used += 1;
                    index
                }
            }
        };
        let mut state = write(&self.slot(index)?.state);
        state.value = Some(value);
        Some(u64::from(state.generation) << 32 | u64::from(index + 1))
    }

    fn find(&self, handle: u64) -> Result<(u32, u32, &Slot<T>), Missing> {
        let (generation, number) = ((handle >> 32) as u32, handle as u32);
        let index = number.checked_sub(1).ok_or(Missing::Foreign)?;
        let slot = self.slot(index).ok_or(Missing::Foreign)?;
        Ok((generation, index, slot))
    }

    /// Looks at the value of a handle.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn with<R>(&self, handle: u64, look: impl FnOnce(&T) -> R) -> Result<R, Missing> {
        let (generation, _, slot) = self.find(handle)?;
        let state = read(&slot.state);
        match &state.value {
            Some(value) if state.generation == generation => Ok(look(value)),
            _ => Err(missing(generation, state.generation)),
        }
    }

    /// Takes the value of a handle, which names nothing from then on, if `wanted` agrees.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn remove(&self, handle: u64, wanted: impl FnOnce(&T) -> bool) -> Result<Option<T>, Missing> {
        let (generation, index, slot) = self.find(handle)?;
        let mut state = write(&slot.state);
        if state.generation != generation || state.value.is_none() {
            return Err(missing(generation, state.generation));
        }
        if !state.value.as_ref().is_some_and(wanted) {
            return Ok(None);
        }
        let value = state.value.take();
        // A slot whose generations are used up is not used again.
        if let Some(next) = generation.checked_add(1) {
            state.generation = next;
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

fn missing(generation: u32, current: u32) -> Missing {
    if generation != 0 && generation <= current { Missing::Destroyed } else { Missing::Foreign }
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
        assert_eq!(slots.with(first, |value| *value), Err(Missing::Destroyed));
        assert_eq!(slots.with(second, |value| *value), Ok(2));
        assert_eq!(slots.remove(first, |_| true), Err(Missing::Destroyed));
        for foreign in [0, 1, 2, u64::MAX, 7 << 32 | 1, 1 << 32] {
            assert_eq!(slots.with(foreign, |value| *value), Err(Missing::Foreign), "{foreign:#x}");
        }
        assert_eq!(slots.len(), 1);
    }
}
