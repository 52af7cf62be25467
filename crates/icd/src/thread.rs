//! What the driver keeps for each thread that calls commands, all in one place: to find such a place is a call, from a
//! library.

use crate::descriptor::simple::KnownBuffers;
use crate::handle::readers;
use crate::scope;
use std::cell::Cell;

/// A thread's.
pub(crate) struct Thread {
    /// The command under way.
    pub(crate) scope: scope::Current,
    /// Whether it looks at the table of objects.
    pub(crate) reads: readers::Here,
    /// The handle of the device that was checked last, its object's place, and what it belongs to; zeros: none.
    pub(crate) checked: Cell<(usize, u64, scope::Owner)>,
    /// Buffers that it wrote descriptors of lately.
    pub(crate) buffers: KnownBuffers,
    /// Messages wait for the command's end.
    pub(crate) postponed: Cell<bool>,
}

thread_local! {
    static THREAD: Thread = const {
        Thread {
            scope: scope::Current::new(),
            reads: readers::Here::new(),
            checked: Cell::new((0, 0, scope::Owner { instance: 0, device: 0 })),
            buffers: KnownBuffers::new(),
            postponed: Cell::new(false),
        }
    };
}

/// The calling thread's.
#[inline]
pub(crate) fn here() -> &'static Thread {
    // SAFETY: it has no destructor, so it stays until the thread has ended; and it is not `Sync`, so the reference does
    // not leave the thread.
    THREAD.with(|thread| unsafe { &*std::ptr::from_ref(thread) })
}
