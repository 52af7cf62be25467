//! Type-stable memory for records that others find by address.
//!
//! An address may be used after its owner is gone (a descriptor of a destroyed view, which breaks Vulkan's
//! rules). Memory that held a record therefore never goes back to the allocator while the pool lives: it
//! holds a null record until it becomes another record of the same type.

use crate::sync::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Retired records that are kept before one is used again, so that stale addresses find null records for
/// some time.
const RETIRED_MIN: usize = 64;

/// Memory of records, which come in slices.
pub struct RecordPool<T>(Mutex<Retired<T>>);

struct Retired<T> {
    /// Null records without users, by length of the slice, the oldest first.
    free: HashMap<usize, VecDeque<Arc<[T]>>>,
    /// Records that somebody still held when they were retired, with what they become.
    held: Vec<(Arc<[T]>, T)>,
}

impl<T> RecordPool<T> {
    /// A pool without memory.
    pub fn new() -> RecordPool<T> {
        RecordPool(Mutex::new(Retired { free: HashMap::new(), held: Vec::new() }))
    }
}

impl<T> Default for RecordPool<T> {
    fn default() -> RecordPool<T> {
        RecordPool::new()
    }
}

impl<T: Clone> RecordPool<T> {
    /// Memory that holds these records, until it is [retired](RecordPool::retire).
    pub fn place(&self, records: &[T]) -> Arc<[T]> {
        let mut retired = self.0.lock();
        if let Some(free) = retired.free.get_mut(&records.len())
            && free.len() > RETIRED_MIN
            && let Some(mut memory) = free.pop_front()
            && let Some(place) = Arc::get_mut(&mut memory)
        {
            place.clone_from_slice(records);
            return memory;
        }
        records.into()
    }

    /// Takes memory back: it holds null records from when nobody else holds it.
    pub fn retire(&self, memory: Arc<[T]>, null: T) {
        let mut retired = self.0.lock();
        retired.held.push((memory, null));
        let Retired { free, held } = &mut *retired;
        let unused = |(memory, _): &mut (Arc<[T]>, T)| Arc::get_mut(memory).is_some();
        for (mut memory, null) in held.extract_if(.., unused) {
            if let Some(place) = Arc::get_mut(&mut memory) {
                place.fill(null);
            }
            free.entry(memory.len()).or_default().push_back(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retired_memory_holds_null_records_and_is_used_again() {
        let pool = RecordPool::new();
        let first = pool.place(&[7; 2]);
        let address = first.as_ptr();
        let reader = Arc::clone(&first);
        pool.retire(first, 0);
        assert_eq!(*reader, [7; 2], "somebody holds it");
        drop(reader);
        for _ in 0..RETIRED_MIN {
            let other = pool.place(&[8; 2]);
            assert_ne!(other.as_ptr(), address);
            pool.retire(other, 0);
        }
        let retired = pool.0.lock().free[&2].iter().all(|memory| **memory == [0; 2]);
        assert!(retired);
        let again: Vec<_> = (0..2).map(|_| pool.place(&[9; 2])).collect();
        assert!(again.iter().any(|memory| memory.as_ptr() == address && **memory == [9; 2]));
    }
}
