//! Entering externally synchronized objects by their handles: the object is found in a read section, and its
//! [`BiasedLock`] entered in the same one.

use super::biased_lock::BiasedLock;
use super::{Found, Object, ReadGuard, Remembered};
use crate::handle::thread::Thread;
use pyro_driver::{Error, Result, Shared};
use std::ptr::{from_ref, null};

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
    use crate::handle::{rcu, thread};

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
