//! Objects that one thread at a time may change, as the application promises (specification, "Threading Behavior"), and
//! that stay whole if it breaks its word.
//!
//! A thread *holds* a latch from the first time it enters until another thread wants to enter, so mostly entering is a look
//! at who holds it. That thread looks at the table of objects meanwhile, as everybody does who has found an object there
//! ([`readers`]): so another one says that nobody holds the latch, waits until the former holder has looked away, and
//! holds it then. (Biased locking: Kawachiya, Koseki and Onodera, "Lock Reservation", 2002.)

use super::rcu::{self, RcuSection, Reader};
use super::{Found, Object, ReadGuard, Remembered};
use crate::handle::thread::Thread;
use pyro_driver::{Error, Result, Shared};
use std::cell::{Cell, UnsafeCell};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// A value that its holder may change.
pub(crate) struct BiasedLock<T> {
    /// The place of the thread that holds it; null: nobody.
    holder: AtomicPtr<Reader>,
    /// Of the threads that want to hold it, one at a time.
    turn: Mutex<()>,
    /// Somebody is inside: the holder, which alone looks here.
    entered: Cell<bool>,
    value: UnsafeCell<T>,
}

// SAFETY: `entered` and `value` are the holder's, while it looks; another thread holds the latch only after the former
// holder, if it looked, has looked away, and so has left.
unsafe impl<T: Send> Sync for BiasedLock<T> {}

/// The holder inside.
pub(crate) struct BiasedLockGuard<'l, T> {
    latch: &'l BiasedLock<T>,
    _looking: &'l RcuSection,
}

impl<T> std::ops::Deref for BiasedLockGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this thread holds the latch and looks, and is inside once.
        unsafe { &*self.latch.value.get() }
    }
}

impl<T> std::ops::DerefMut for BiasedLockGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.latch.value.get() }
    }
}

impl<T> Drop for BiasedLockGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.latch.entered.set(false);
    }
}

impl<T> BiasedLock<T> {
    /// A latch that nobody holds.
    pub(crate) fn new(value: T) -> BiasedLock<T> {
        BiasedLock {
            holder: AtomicPtr::new(null_mut()),
            turn: Mutex::new(()),
            entered: Cell::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// The value, when nobody else has the latch.
    pub(crate) fn into_inner(self) -> T {
        self.value.into_inner()
    }

    #[inline]
    fn is_held(&self, looking: &RcuSection) -> bool {
        // The thread said before that it looks: whoever takes the latch from it sees that, or this sees the other.
        std::ptr::eq(self.holder.load(Ordering::SeqCst), looking.reader())
    }

    #[inline(always)]
    fn enter<'l>(&'l self, looking: &'l RcuSection) -> Option<BiasedLockGuard<'l, T>> {
        // Lazily: one that is inside says when it is dropped that nobody is.
        (self.is_held(looking) && !self.entered.replace(true))
            .then(|| BiasedLockGuard { latch: self, _looking: looking })
    }

    /// Makes a thread that does not look the holder. False when it looks.
    #[cold]
    fn hold(&self, reader: &'static Reader) -> bool {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
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

/// How often a thread tries to enter while others take the latch from it.
const ATTEMPTS: usize = 1000;

/// Runs `body` with the object behind a dispatchable handle's latch. `last` is what the thread entered last.
///
/// # Errors
/// As of [`ReadGuard::dispatchable`], when the object is used by several threads at the same time or by a callback of a command
/// that uses it, and `body`'s.
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
    let mut look = ReadGuard::on(thread);
    let found = look.dispatchable_found::<BiasedLock<T>>(handle);
    let mut latch: *const BiasedLock<T> = found.map_or(null(), |found| found.seen());
    // SAFETY: what was found stays as long as the thread looks.
    if unsafe { latch.as_ref() }.is_none_or(|latch| !latch.is_held(&look.0)) {
        (look, latch) = hold(handle, look)?;
    }
    // SAFETY: as above.
    let latch = unsafe { &*latch };
    last.remember(handle, latch);
    let Some(mut inside) = latch.enter(&look.0) else { return Err(in_use()) };
    body(&look, &mut inside)
}

/// Runs `body` with the object behind the latch that the thread entered last, if it has this handle, and with the device that
/// the object belongs to. Nothing is done or said where anything is not as it mostly is.
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
    let look = ReadGuard::anew(thread)?;
    let (latch, device) = last.found(&look, handle)?;
    let mut inside = latch.enter(&look.0)?;
    body(&look, device, &mut inside)
}

/// Makes this thread the holder of a latch; a look from which on it is.
#[cold]
fn hold<T: Send>(handle: usize, mut look: ReadGuard) -> Result<(ReadGuard, *const BiasedLock<T>)>
where
    BiasedLock<T>: Object,
{
    for _ in 0..ATTEMPTS {
        let found: Found<'_, BiasedLock<T>> = look.dispatchable(handle)?;
        let latch = found.seen();
        if latch.is_held(&look.0) {
            let latch = from_ref(latch);
            return Ok((look, latch));
        }
        let (latch, reader) = (found.share(), look.0.reader());
        drop(look);
        if !latch.hold(reader) {
            break;
        }
        look = ReadGuard::new();
    }
    Err(in_use())
}

#[cold]
fn in_use() -> Error {
    Error::misuse("the object is in use by another command (specification, \"Threading Behavior\")")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::thread;

    /// Threads that take a latch from each other are inside one at a time.
    #[test]
    fn one_thread_is_inside() {
        const THREADS: u64 = 3;
        const ROUNDS: u64 = 20_000;
        static LATCH: std::sync::LazyLock<BiasedLock<[u64; 2]>> =
            std::sync::LazyLock::new(|| BiasedLock::new([0; 2]));
        let work = || {
            let mut rounds = 0;
            while rounds < ROUNDS {
                let looking = rcu::look(thread::here());
                if let Some(mut inside) = LATCH.is_held(&looking).then(|| LATCH.enter(&looking)).flatten() {
                    for _ in 0..2 {
                        assert!(LATCH.enter(&looking).is_none(), "inside twice");
                    }
                    inside[0] += 1;
                    std::hint::spin_loop();
                    inside[1] += 1;
                    assert_eq!(inside[0], inside[1]);
                    rounds += 1;
                    continue;
                }
                let reader = looking.reader();
                drop(looking);
                assert!(LATCH.hold(reader));
            }
        };
        std::thread::scope(|scope| (0..THREADS).for_each(|_| _ = scope.spawn(work)));
        let looking = rcu::look(thread::here());
        let reader = looking.reader();
        drop(looking);
        assert!(LATCH.hold(reader));
        let looking = rcu::look(thread::here());
        assert_eq!(*LATCH.enter(&looking).unwrap(), [THREADS * ROUNDS; 2]);
    }
}
