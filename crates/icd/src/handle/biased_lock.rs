//! Locks for objects that the application synchronizes externally (specification, "Threading Behavior"), such
//! as command buffers.
//!
//! Problem: each recorded command enters one, nearly always on the same thread; an application that breaks
//! its promise must not corrupt memory.
//! Approach: a thread keeps the lock from the first time it enters until another thread wants it, so entering
//! is mostly a comparison with the holder. The holder is in a critical section ([`rcu`]) while it is inside:
//! another thread revokes the lock, waits until the former holder has left its section, and takes it. (Biased
//! locking: Kawachiya, Koseki and Onodera, "Lock Reservation", 2002.)
//!
//! Invariant: at most one thread is inside, once. Must not know what it guards.

use super::primitives::{AtomicPtr, Mutex, Ordering};
use super::rcu::{self, RcuSection, Reader};
use std::cell::{Cell, UnsafeCell};
use std::ptr::{from_ref, null_mut};

/// A value that its holder may change.
pub(crate) struct BiasedLock<T> {
    /// The place of the thread that holds it; null: nobody.
    holder: AtomicPtr<Reader>,
    /// Of the threads that want to hold it, one at a time.
    turn: Mutex<()>,
    /// Somebody is inside: only the holder reads this.
    entered: Cell<bool>,
    value: UnsafeCell<T>,
}

// SAFETY: `entered` and `value` are the holder's, while it is in a read section; another thread holds the
// lock only after the former holder has left its section, if it was in one, and so has left the lock.
unsafe impl<T: Send> Sync for BiasedLock<T> {}

/// The holder inside.
pub(crate) struct BiasedLockGuard<'l, T> {
    lock: &'l BiasedLock<T>,
    _section: &'l RcuSection,
}

impl<T> std::ops::Deref for BiasedLockGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this thread holds the lock in a read section, and is inside once.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> std::ops::DerefMut for BiasedLockGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for BiasedLockGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.entered.set(false);
    }
}

impl<T> BiasedLock<T> {
    /// A lock that nobody holds.
    pub(crate) fn new(value: T) -> BiasedLock<T> {
        BiasedLock {
            holder: AtomicPtr::new(null_mut()),
            turn: Mutex::new(()),
            entered: Cell::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// The value, when nobody else has the lock.
    pub(crate) fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Whether the section's thread holds it.
    #[inline]
    pub(super) fn is_held(&self, section: &RcuSection) -> bool {
        // The thread entered its section before: whoever takes the lock from it sees that, or this sees the
        // other.
        std::ptr::eq(self.holder.load(Ordering::SeqCst), section.reader())
    }

    /// Enters it, if the section's thread holds it and is not inside.
    #[inline(always)]
    pub(super) fn enter<'l>(&'l self, section: &'l RcuSection) -> Option<BiasedLockGuard<'l, T>> {
        // Lazily: one that is inside says when it is dropped that nobody is.
        (self.is_held(section) && !self.entered.replace(true))
            .then(|| BiasedLockGuard { lock: self, _section: section })
    }

    /// Makes a thread that is in no section the holder. False when it is in one.
    #[cold]
    pub(super) fn hold(&self, reader: &'static Reader) -> bool {
        let _turn = self.turn.lock();
        let former = self.holder.swap(null_mut(), Ordering::SeqCst);
        // SAFETY: threads' places are never freed.
        if let Some(former) = unsafe { former.as_ref() }
            && !std::ptr::eq(former, reader)
            && !rcu::wait_for_one(former)
        {
            return false;
        }
        self.holder.store(from_ref(reader).cast_mut(), Ordering::SeqCst);
        true
    }
}
