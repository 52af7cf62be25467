//! Which threads look at the table of objects just now.
//!
//! A thread that looks says so in a place of its own, without a lock; a thread that destroys an object first makes
//! its handle name nothing and then waits until every thread that might have found it has looked away. (Read-copy-update,
//! McKenney and Slingwine, "Read-Copy Update: Using Execution History to Solve Concurrency Problems", 1998.)

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Mutex, PoisonError};

/// A thread's place. On a line of its own, as its thread writes it all the time.
#[repr(align(128))]
struct Reader {
    /// Odd while the thread looks.
    looks: AtomicU64,
    /// Whether a thread has it.
    taken: AtomicBool,
}

/// All places there ever were: as many as threads at the same time.
static READERS: Mutex<Vec<&'static Reader>> = Mutex::new(Vec::new());

/// A thread's place, and how often the thread is inside. Each has a cell of its own: what is written in parts and read
/// as a whole waits for the writes.
struct Here {
    reader: Cell<Option<&'static Reader>>,
    depth: Cell<u32>,
}

/// Gives the place back when the thread ends.
struct Lease(Cell<Option<&'static Reader>>);

impl Drop for Lease {
    fn drop(&mut self) {
        HERE.with(|here| here.reader.set(None));
        if let Some(reader) = self.0.get() {
            reader.taken.store(false, Ordering::Release);
        }
    }
}

thread_local! {
    static HERE: Here = const { Here { reader: Cell::new(None), depth: Cell::new(0) } };
    static LEASE: Lease = const { Lease(Cell::new(None)) };
}

#[cold]
fn register() -> &'static Reader {
    let mut readers = READERS.lock().unwrap_or_else(PoisonError::into_inner);
    let free = readers.iter().find(|reader| {
        reader.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    });
    let reader = free.copied().unwrap_or_else(|| {
        let new = Reader { looks: AtomicU64::new(0), taken: AtomicBool::new(true) };
        let reader: &'static Reader = Box::leak(Box::new(new));
        readers.push(reader);
        reader
    });
    // A thread that is ending keeps its place for good.
    let _ = LEASE.try_with(|lease| lease.0.set(Some(reader)));
    HERE.with(|here| here.reader.set(Some(reader)));
    reader
}

/// While it lives, its thread looks.
pub(super) struct Looking {
    reader: &'static Reader,
    /// It counts for the thread that made it.
    _thread: std::marker::PhantomData<*const ()>,
}

/// Begins to look: nothing that is found from now on is destroyed before the result is dropped.
#[inline]
pub(super) fn look() -> Looking {
    HERE.with(|here| {
        let reader = here.reader.get().unwrap_or_else(register);
        let depth = here.depth.get();
        if depth == 0 {
            let looks = reader.looks.load(Ordering::Relaxed);
            // Before anything is read: whoever makes a handle name nothing sees this, or this thread sees that.
            reader.looks.swap(looks + 1, Ordering::SeqCst);
        }
        here.depth.set(depth + 1);
        Looking { reader, _thread: std::marker::PhantomData }
    })
}

impl Drop for Looking {
    #[inline]
    fn drop(&mut self) {
        HERE.with(|here| {
            let depth = here.depth.get() - 1;
            here.depth.set(depth);
            if depth == 0 {
                let looks = self.reader.looks.load(Ordering::Relaxed);
                self.reader.looks.store(looks + 1, Ordering::Release);
            }
        });
    }
}

/// Waits until all that looked when it was called have looked away. False when the calling thread looks itself, which
/// must not be waited for.
#[must_use]
pub(super) fn wait() -> bool {
    if HERE.with(|here| here.depth.get()) != 0 {
        return false;
    }
    fence(Ordering::SeqCst);
    let readers = READERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for reader in readers {
        let looks = reader.looks.load(Ordering::SeqCst);
        if looks.is_multiple_of(2) {
            continue;
        }
        let mut spins = 0;
        // They look for some tens of nanoseconds, unless the system stops them meanwhile.
        while reader.looks.load(Ordering::Acquire) == looks {
            spins += 1;
            if spins < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }
    true
}
