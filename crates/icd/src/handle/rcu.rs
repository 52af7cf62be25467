//! Read-copy-update: which threads are in a read-side critical section of the table of objects.
//!
//! Problem: lookups of handles are far more frequent than destructions, and must not take a lock or count
//! references.
//! Approach: a thread marks its critical section in a record of its own ([`Reader`]), without a lock; a
//! thread that destroys an object first unpublishes the handle and then waits until every thread that might
//! have found it has left its section ([`wait`]). (McKenney and Slingwine, "Read-Copy Update: Using Execution
//! History to Solve Concurrency Problems", 1998.)
//!
//! A store that others see before the loads behind it takes a locked instruction, which costs more than the
//! lookup. While only one thread has ever entered a section it is left out: the second thread first announces
//! itself and then has the system execute a barrier on the first (`membarrier`).
//!
//! Invariant: inside a section a thread neither waits for other threads' sections nor calls the application.
//! Must not know what the table holds.

use super::primitives::{
    AtomicBool, AtomicPtr, AtomicU64, Mutex, Ordering, compiler_fence, fence, pause, per_thread, shared,
    system,
};
use crate::handle::thread::{self, Thread};
use std::cell::Cell;
use std::ptr::{from_ref, null_mut};

/// A thread's record. On a cache line of its own, as its thread writes it all the time.
#[repr(align(128))]
pub(super) struct Reader {
    /// Odd while the thread is in a critical section.
    sections: AtomicU64,
    /// Whether a thread has it.
    taken: AtomicBool,
    /// The record made before it; null: none.
    next: AtomicPtr<Reader>,
}

shared! {
    /// The record made last. There are as many as there were threads at the same time; they are never freed.
    static READERS: AtomicPtr<Reader> = AtomicPtr::new(null_mut());
}

shared! {
    /// More than one thread enters sections.
    static SHARED: AtomicBool = AtomicBool::new(false);
}

shared! {
    /// Held by threads that enter for the first time: whether the first one still enters without a fence.
    static REGISTRATION: Mutex<bool> = Mutex::new(false);
}

/// All records.
fn readers() -> impl Iterator<Item = &'static Reader> {
    // SAFETY: records are never freed.
    let at = |place: &AtomicPtr<Reader>| unsafe { place.load(Ordering::Acquire).as_ref() };
    std::iter::successors(at(&READERS), move |reader| at(&reader.next))
}

/// Ends the sections of threads that a copy of the process, made by `fork`, does not have: nobody would leave
/// them. (The thread that is there is in none, see the invariant.) The records stay taken, as biased locks
/// may name them as holders whose work was cut off.
extern "C" fn end_sections() {
    for reader in readers() {
        let sections = reader.sections.load(Ordering::Relaxed);
        reader.sections.store(sections.next_multiple_of(2), Ordering::Release);
    }
}

/// A thread's record, when it has one.
pub(crate) struct Here {
    reader: Cell<Option<&'static Reader>>,
}

impl Here {
    pub(crate) const fn new() -> Here {
        Here { reader: Cell::new(None) }
    }

    /// Whether the thread is in a critical section.
    pub(crate) fn in_section(&self) -> bool {
        self.reader.get().is_some_and(|reader| !reader.sections.load(Ordering::Relaxed).is_multiple_of(2))
    }
}

/// Gives the record back when the thread ends.
struct Lease(Cell<Option<&'static Reader>>);

impl Drop for Lease {
    fn drop(&mut self) {
        thread::here().reads.reader.set(None);
        if let Some(reader) = self.0.get() {
            reader.taken.store(false, Ordering::Release);
        }
    }
}

per_thread! {
    static LEASE: Lease = Lease(Cell::new(None));
}

#[cold]
fn register(here: &Here) -> &'static Reader {
    let mut unfenced = REGISTRATION.lock();
    let take = |reader: &&'static Reader| {
        reader.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    let reader = readers().find(take).unwrap_or_else(|| {
        let last = READERS.load(Ordering::Relaxed);
        if last.is_null() {
            // Where there are no such calls, `fork` is not told of either.
            let _ = system::after_fork(end_sections);
            *unfenced = system::prepare_barrier();
            SHARED.store(!*unfenced, Ordering::SeqCst);
        } else if *unfenced {
            SHARED.store(true, Ordering::SeqCst);
            // From here on each section of the first thread either is there to be seen or sees that it is not
            // alone.
            assert!(system::barrier(), "the system's barriers are gone");
            *unfenced = false;
        }
        let (sections, taken) = (AtomicU64::new(0), AtomicBool::new(true));
        let reader: &'static Reader =
            Box::leak(Box::new(Reader { sections, taken, next: AtomicPtr::new(last) }));
        READERS.store(from_ref(reader).cast_mut(), Ordering::SeqCst);
        reader
    });
    drop(unfenced);
    // A thread that is ending keeps its place for good.
    let _ = LEASE.try_with(|lease| lease.0.set(Some(reader)));
    here.reader.set(Some(reader));
    reader
}

/// A read-side critical section of its thread, until it is dropped.
pub(crate) struct RcuSection {
    thread: &'static Thread,
    reader: &'static Reader,
    /// The record's `sections` meanwhile; zero: the section is within another one.
    sections: u64,
}

impl RcuSection {
    /// The section's thread.
    #[inline]
    pub(crate) fn thread(&self) -> &'static Thread {
        self.thread
    }

    /// Its record.
    #[inline]
    pub(super) fn reader(&self) -> &'static Reader {
        self.reader
    }
}

/// Enters a read section: nothing that is found from now on is destroyed before the result is dropped.
/// Meanwhile this thread must neither wait for other threads' sections nor call the application.
#[inline(always)]
pub(crate) fn enter(thread: &'static Thread) -> RcuSection {
    let here = &thread.reads;
    let reader = here.reader.get().unwrap_or_else(|| register(here));
    begin(thread, reader).unwrap_or(RcuSection { thread, reader, sections: 0 })
}

/// The same, if the thread has a record and is in no section.
#[inline(always)]
pub(super) fn try_enter(thread: &'static Thread) -> Option<RcuSection> {
    begin(thread, thread.reads.reader.get()?)
}

#[inline(always)]
fn begin(thread: &'static Thread, reader: &'static Reader) -> Option<RcuSection> {
    let before = reader.sections.load(Ordering::Relaxed);
    if !before.is_multiple_of(2) {
        return None;
    }
    let sections = before | 1;
    // Whoever waits for the thread's former section and sees this one knows by it that the former has ended.
    reader.sections.store(sections, Ordering::Release);
    // The fence that the system puts into a thread which is no longer alone is before the load, which then
    // sees that, or behind the store, which is then seen; the compiler keeps the two in this order.
    compiler_fence(Ordering::SeqCst);
    if SHARED.load(Ordering::Relaxed) {
        // Before anything is read: whoever makes a handle name nothing sees this, or this thread sees that.
        reader.sections.swap(sections, Ordering::SeqCst);
    }
    compiler_fence(Ordering::SeqCst);
    Some(RcuSection { thread, reader, sections })
}

impl Drop for RcuSection {
    #[inline(always)]
    fn drop(&mut self) {
        if self.sections != 0 {
            self.reader.sections.store(self.sections + 1, Ordering::Release);
        } else {
            let sections = self.reader.sections.load(Ordering::Relaxed);
            debug_assert!(!sections.is_multiple_of(2), "the outer section ended first");
        }
    }
}

/// Waits until a thread, if it was in a section when this was called, has left it.
fn wait_for(reader: &Reader) {
    let sections = reader.sections.load(Ordering::SeqCst);
    if sections.is_multiple_of(2) {
        return;
    }
    let mut turn = 0;
    // Sections take some tens of nanoseconds, unless the system stops them meanwhile.
    while reader.sections.load(Ordering::Acquire) == sections {
        turn += 1;
        pause(turn);
    }
}

/// Waits until all that were in a section when it was called have left it. False when the calling thread is
/// in one itself, which must not be waited for.
#[must_use]
pub(super) fn wait() -> bool {
    if thread::here().reads.in_section() {
        return false;
    }
    fence(Ordering::SeqCst);
    readers().for_each(wait_for);
    true
}

/// The same for one thread.
#[must_use]
pub(super) fn wait_for_one(reader: &Reader) -> bool {
    if thread::here().reads.in_section() {
        return false;
    }
    fence(Ordering::SeqCst);
    wait_for(reader);
    true
}
