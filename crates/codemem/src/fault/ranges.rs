//! Ranges of addresses that a signal handler looks in.
//!
//! **Problem.** A handler has to know whose an address is, while other threads add ranges and remove them,
//! and may wait for nobody.
//!
//! **Approach.** Chunks of entries, allocated one after the other and never freed. An entry's version changes
//! before its range does: who finds the same one before and after has read one range.
//!
//! **Invariants.** Readers take no lock. What a range is of is written before the range is, so whoever finds
//! the range sees it.

use crate::primitives::{AtomicUsize, CHUNK, CHUNK_COUNT, Mutex, OnceLock, Ordering, array_of, constructor};

/// Addresses from `start` up to `end`, none when it is free, and what they are of.
pub(super) struct Entry<T> {
    version: AtomicUsize,
    start: AtomicUsize,
    end: AtomicUsize,
    pub(super) of: T,
}

impl<T: Default> Default for Entry<T> {
    fn default() -> Entry<T> {
        Entry {
            version: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            of: T::default(),
        }
    }
}

impl<T> Entry<T> {
    /// Changes the range. One thread at a time.
    fn set(&self, start: usize, end: usize) {
        // Each store is a release and each load of `start_of` an acquire: who sees one store sees those
        // before.
        self.version.store(self.version.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        self.start.store(start, Ordering::Release);
        self.end.store(end, Ordering::Release);
        self.version.store(self.version.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
    }

    /// The first address of the range, if an address lies in it.
    fn start_of(&self, address: usize) -> Option<usize> {
        let version = self.version.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Acquire);
        let is_inside = address >= start && address < self.end.load(Ordering::Acquire);
        let is_one = version & 1 == 0 && self.version.load(Ordering::Acquire) == version;
        (is_inside && is_one).then_some(start)
    }
}

/// Entries by number. Readers see those of the chunks that are there.
pub(super) struct Table<T> {
    chunks: [OnceLock<Box<[Entry<T>]>>; CHUNK_COUNT],
    /// Free entries below the second number, which were all used.
    free: Mutex<(Vec<usize>, usize)>,
}

impl<T: Default> Table<T> {
    constructor! {
        pub(super) fn new() -> Table<T> {
            Table { chunks: array_of!(OnceLock::new(); CHUNK_COUNT), free: Mutex::new((Vec::new(), 0)) }
        }
    }

    /// Enters a range, and writes what it is of before it is seen. The entry's number; `None` when the table
    /// is full: the range is not found then.
    pub(super) fn insert(&self, start: usize, end: usize, write: impl FnOnce(&T)) -> Option<usize> {
        let (free, used) = &mut *self.free.lock();
        let number = free.pop().or_else(|| {
            let number = *used;
            let chunk = self.chunks.get(number / CHUNK)?;
            chunk.get_or_init(|| (0..CHUNK).map(|_| Entry::default()).collect());
            *used += 1;
            Some(number)
        })?;
        let entry = self.entry(number)?;
        write(&entry.of);
        entry.set(start, end);
        Some(number)
    }

    /// Frees an entry, and clears what it is of when it is not found any more.
    pub(super) fn remove(&self, number: usize, clear: impl FnOnce(&T)) {
        let (free, _) = &mut *self.free.lock();
        if let Some(entry) = self.entry(number) {
            entry.set(0, 0);
            clear(&entry.of);
            free.push(number);
        }
    }

    fn entry(&self, number: usize) -> Option<&Entry<T>> {
        self.chunks.get(number / CHUNK)?.get()?.get(number % CHUNK)
    }

    /// All entries, free ones included. Takes no lock.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry<T>> {
        self.chunks.iter().map_while(OnceLock::get).flat_map(|chunk| chunk.iter())
    }

    /// The range that an address lies in: its first address, and what it is of. Takes no lock.
    pub(super) fn find(&self, address: usize) -> Option<(usize, &T)> {
        self.entries().find_map(|entry| Some((entry.start_of(address)?, &entry.of)))
    }
}
