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

use super::rcu::{self, RcuSection, Reader};
use super::{Found, Object, ReadGuard, Remembered};
use crate::handle::thread::Thread;
use pyro_driver::{Error, Result, Shared};
use pyro_util::sync::Mutex;
use std::cell::{Cell, UnsafeCell};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

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

    #[inline]
    fn is_held(&self, section: &RcuSection) -> bool {
        // The thread entered its section before: whoever takes the lock from it sees that, or this sees the
        // other.
        std::ptr::eq(self.holder.load(Ordering::SeqCst), section.reader())
    }

    #[inline(always)]
    fn enter<'l>(&'l self, section: &'l RcuSection) -> Option<BiasedLockGuard<'l, T>> {
        // Lazily: one that is inside says when it is dropped that nobody is.
        (self.is_held(section) && !self.entered.replace(true))
            .then(|| BiasedLockGuard { lock: self, _section: section })
    }

    /// Makes a thread that is in no section the holder. False when it is in one.
    #[cold]
    fn hold(&self, reader: &'static Reader) -> bool {
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

/// How often a thread tries to enter while others take the lock from it.
const ATTEMPTS: usize = 1000;

/// Runs `body` with the object behind a dispatchable handle's lock. `last` is what the thread entered last.
///
/// # Errors
/// As of [`ReadGuard::dispatchable`], when the object is used by several threads at the same time or by a
/// callback of a command that uses it, and `body`'s.
#[inline]
pub(crate) fn enter<T: Send, R>(
    thread: &'static Thread,
    last: &Remembered<BiasedLock<T>>,
    handle: usize,
    body: impl FnOnce(&ReadGuard, &mut T) -> Result<R>,
) -> Result<R>
where
    BiasedLock<T>: Object,
{
    let mut read = ReadGuard::on(thread);
    let found = read.dispatchable_found::<BiasedLock<T>>(handle);
    let mut lock: *const BiasedLock<T> = found.map_or(null(), |found| found.seen());
    // SAFETY: what was found stays until the section ends.
    if unsafe { lock.as_ref() }.is_none_or(|lock| !lock.is_held(&read.0)) {
        (read, lock) = hold(handle, read)?;
    }
    // SAFETY: as above.
    let lock = unsafe { &*lock };
    last.remember(handle, lock);
    let Some(mut inside) = lock.enter(&read.0) else { return Err(in_use()) };
    body(&read, &mut inside)
}

/// Runs `body` with the object behind the lock that the thread entered last, if it has this handle, and with
/// the device that the object belongs to. Nothing is done or said where anything is not as it mostly is.
#[inline(always)]
pub(crate) fn enter_again<T: Send>(
    thread: &'static Thread,
    last: &Remembered<BiasedLock<T>>,
    handle: usize,
    body: impl FnOnce(&ReadGuard, u64, &mut T) -> Option<()>,
) -> Option<()>
where
    BiasedLock<T>: Object,
{
    let read = ReadGuard::anew(thread)?;
    let (lock, device) = last.found(&read, handle)?;
    let mut inside = lock.enter(&read.0)?;
    body(&read, device, &mut inside)
}

/// Makes this thread the holder of a lock; the section in which it is.
#[cold]
fn hold<T: Send>(handle: usize, mut read: ReadGuard) -> Result<(ReadGuard, *const BiasedLock<T>)>
where
    BiasedLock<T>: Object,
{
    for _ in 0..ATTEMPTS {
        let found: Found<'_, BiasedLock<T>> = read.dispatchable(handle)?;
        let lock = found.seen();
        if lock.is_held(&read.0) {
            let lock = from_ref(lock);
            return Ok((read, lock));
        }
        let (lock, reader) = (found.share(), read.0.reader());
        drop(read);
        if !lock.hold(reader) {
            break;
        }
        read = ReadGuard::new();
    }
    Err(in_use())
}

#[cold]
fn in_use() -> Error {
    Error::misuse(
        "the object is in use by another thread at the same time (specification, \"Threading Behavior\")",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::thread;

    /// Threads that take a lock from each other are inside one at a time.
    #[test]
    fn one_thread_is_inside() {
        const THREADS: u64 = 3;
        const ROUNDS: u64 = 20_000;
        static LOCK: std::sync::LazyLock<BiasedLock<[u64; 2]>> =
            std::sync::LazyLock::new(|| BiasedLock::new([0; 2]));
        let work = || {
            let mut rounds = 0;
            while rounds < ROUNDS {
                let section = rcu::enter(thread::here());
                if let Some(mut inside) = LOCK.is_held(&section).then(|| LOCK.enter(&section)).flatten() {
                    for _ in 0..2 {
                        assert!(LOCK.enter(&section).is_none(), "inside twice");
                    }
                    inside[0] += 1;
                    std::hint::spin_loop();
                    inside[1] += 1;
                    assert_eq!(inside[0], inside[1]);
                    rounds += 1;
                    continue;
                }
                let reader = section.reader();
                drop(section);
                assert!(LOCK.hold(reader));
            }
        };
        std::thread::scope(|scope| (0..THREADS).for_each(|_| _ = scope.spawn(work)));
        let section = rcu::enter(thread::here());
        let reader = section.reader();
        drop(section);
        assert!(LOCK.hold(reader));
        let section = rcu::enter(thread::here());
        assert_eq!(*LOCK.enter(&section).unwrap(), [THREADS * ROUNDS; 2]);
    }
}
