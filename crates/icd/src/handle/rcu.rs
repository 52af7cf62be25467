//! Which threads look at the table of objects just now.
//!
//! A thread that looks says so in a place of its own, without a lock; a thread that destroys an object first makes
//! its handle name nothing and then waits until every thread that might have found it has looked away. (Read-copy-update,
//! McKenney and Slingwine, "Read-Copy Update: Using Execution History to Solve Concurrency Problems", 1998.)
//!
//! That others see in time what a thread says takes a locked instruction each time it looks, which is dear. While one thread
//! alone has ever looked it is left out: the second one first makes it known that it is there, and has the system put a
//! fence into the first.

use crate::handle::thread::{self, Thread};
use pyro_driver::system;
use std::cell::Cell;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering, compiler_fence, fence};
use std::sync::{Mutex, PoisonError};

/// A thread's place. On a line of its own, as its thread writes it all the time.
#[repr(align(128))]
pub(super) struct Reader {
    /// Odd while the thread looks.
    looks: AtomicU64,
    /// Whether a thread has it.
    taken: AtomicBool,
    /// The place made before it; null: none.
    next: AtomicPtr<Reader>,
}

/// The place made last. There are as many as there were threads at the same time, and they stay.
static READERS: AtomicPtr<Reader> = AtomicPtr::new(null_mut());

/// More than one thread looks.
static SHARED: AtomicBool = AtomicBool::new(false);

/// Of threads that look for the first time, one at a time: whether the first is without a fence yet.
static REGISTRATION: Mutex<bool> = Mutex::new(false);

/// All places.
fn readers() -> impl Iterator<Item = &'static Reader> {
    // SAFETY: places are never freed.
    let at = |place: &AtomicPtr<Reader>| unsafe { place.load(Ordering::Acquire).as_ref() };
    std::iter::successors(at(&READERS), move |reader| at(&reader.next))
}

/// A thread's place, when it has one.
pub(crate) struct Here {
    reader: Cell<Option<&'static Reader>>,
}

impl Here {
    pub(crate) const fn new() -> Here {
        Here { reader: Cell::new(None) }
    }

    /// Whether the thread looks just now.
    pub(crate) fn looks(&self) -> bool {
        self.reader.get().is_some_and(|reader| !reader.looks.load(Ordering::Relaxed).is_multiple_of(2))
    }
}

/// Gives the place back when the thread ends.
struct Lease(Cell<Option<&'static Reader>>);

impl Drop for Lease {
    fn drop(&mut self) {
        thread::here().reads.reader.set(None);
        if let Some(reader) = self.0.get() {
            reader.taken.store(false, Ordering::Release);
        }
    }
}

thread_local! {
    static LEASE: Lease = const { Lease(Cell::new(None)) };
}

#[cold]
fn register(here: &Here) -> &'static Reader {
    let mut unfenced = REGISTRATION.lock().unwrap_or_else(PoisonError::into_inner);
    let take = |reader: &&'static Reader| {
        reader.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    let reader = readers().find(take).unwrap_or_else(|| {
        let last = READERS.load(Ordering::Relaxed);
        if last.is_null() {
            *unfenced = system::prepare_barrier();
            SHARED.store(!*unfenced, Ordering::SeqCst);
        } else if *unfenced {
            SHARED.store(true, Ordering::SeqCst);
            // From here on each look of the first thread either is there to be seen or sees that it is not alone.
            assert!(system::barrier(), "the system's barriers are gone");
            *unfenced = false;
        }
        let (looks, taken) = (AtomicU64::new(0), AtomicBool::new(true));
        let reader: &'static Reader =
            Box::leak(Box::new(Reader { looks, taken, next: AtomicPtr::new(last) }));
        READERS.store(from_ref(reader).cast_mut(), Ordering::SeqCst);
        reader
    });
    drop(unfenced);
    // A thread that is ending keeps its place for good.
    let _ = LEASE.try_with(|lease| lease.0.set(Some(reader)));
    here.reader.set(Some(reader));
    reader
}

/// While it lives, its thread looks.
pub(crate) struct RcuSection {
    thread: &'static Thread,
    reader: &'static Reader,
    /// What `looks` is meanwhile; zero: the thread looked before and looks on.
    looks: u64,
}

impl RcuSection {
    /// The thread that looks.
    #[inline]
    pub(crate) fn thread(&self) -> &'static Thread {
        self.thread
    }

    /// Its place.
    #[inline]
    pub(super) fn reader(&self) -> &'static Reader {
        self.reader
    }
}

/// Begins to look: nothing that is found from now on is destroyed before the result is dropped. Meanwhile this thread must
/// neither wait for others that look nor call the application.
#[inline(always)]
pub(crate) fn look(thread: &'static Thread) -> RcuSection {
    let here = &thread.reads;
    let reader = here.reader.get().unwrap_or_else(|| register(here));
    begin(thread, reader).unwrap_or(RcuSection { thread, reader, looks: 0 })
}

/// The same, if the thread has a place and does not look already.
#[inline(always)]
pub(super) fn try_enter(thread: &'static Thread) -> Option<RcuSection> {
    begin(thread, thread.reads.reader.get()?)
}

#[inline(always)]
fn begin(thread: &'static Thread, reader: &'static Reader) -> Option<RcuSection> {
    let before = reader.looks.load(Ordering::Relaxed);
    if !before.is_multiple_of(2) {
        return None;
    }
    let looks = before | 1;
    reader.looks.store(looks, Ordering::Relaxed);
    // The fence that the system puts into a thread which is no longer alone is before the load, which then sees that, or
    // behind the store, which is then seen; the compiler keeps the two in this order.
    compiler_fence(Ordering::SeqCst);
    if SHARED.load(Ordering::Relaxed) {
        // Before anything is read: whoever makes a handle name nothing sees this, or this thread sees that.
        reader.looks.swap(looks, Ordering::SeqCst);
    }
    compiler_fence(Ordering::SeqCst);
    Some(RcuSection { thread, reader, looks })
}

impl Drop for RcuSection {
    #[inline(always)]
    fn drop(&mut self) {
        if self.looks != 0 {
            self.reader.looks.store(self.looks + 1, Ordering::Release);
        } else {
            let looks = self.reader.looks.load(Ordering::Relaxed);
            debug_assert!(!looks.is_multiple_of(2), "who began to look first looked away first");
        }
    }
}

/// Waits until a thread, if it looked when this was called, has looked away.
fn wait_for(reader: &Reader) {
    let looks = reader.looks.load(Ordering::SeqCst);
    if looks.is_multiple_of(2) {
        return;
    }
    let mut spins = 0;
    // They look for some tens of nanoseconds, unless the system stops them meanwhile.
    while reader.looks.load(Ordering::Acquire) == looks {
        spins += 1;
        if spins < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
}

/// Waits until all that looked when it was called have looked away. False when the calling thread looks itself, which
/// must not be waited for.
#[must_use]
pub(super) fn wait() -> bool {
    if thread::here().reads.looks() {
        return false;
    }
    fence(Ordering::SeqCst);
    readers().for_each(wait_for);
    true
}

/// The same for one thread.
#[must_use]
pub(super) fn wait_for_one(reader: &Reader) -> bool {
    if thread::here().reads.looks() {
        return false;
    }
    fence(Ordering::SeqCst);
    wait_for(reader);
    true
}
