//! Locks without poisoning: a thread that panics under a lock leaves data that others may use.
//!
//! The standard library's locks, so that nothing is known but what it promises; only the `Result` is gone.
//! Whoever changes shared data in several steps leaves it whole after each, since panics are caught at the
//! entry points.

use std::fmt;
use std::sync::PoisonError;
use std::time::Duration;

pub use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

/// [`std::sync::Mutex`] without poisoning.
#[derive(Default)]
pub struct Mutex<T: ?Sized>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked mutex.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(value))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, if nobody has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(std::sync::TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }

    /// The value of a mutex that nobody else can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// [`std::sync::RwLock`] without poisoning.
#[derive(Default)]
pub struct RwLock<T: ?Sized>(std::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked lock.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(std::sync::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else has the lock.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// [`std::sync::Condvar`] without poisoning.
#[derive(Debug, Default)]
pub struct Condvar(std::sync::Condvar);

impl Condvar {
    /// Nobody waits.
    pub const fn new() -> Condvar {
        Condvar(std::sync::Condvar::new())
    }

    /// Waits for a notification; may return without one.
    pub fn wait<'m, T>(&self, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for a time at most; also gives whether that has passed.
    pub fn wait_timeout<'m, T>(&self, guard: MutexGuard<'m, T>, time: Duration) -> (MutexGuard<'m, T>, bool) {
        let (guard, result) = self.0.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner);
        (guard, result.timed_out())
    }

    /// Wakes one that waits.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all that wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_outlive_panics() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let panicked = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let (mut a, mut b) = (mutex.lock(), lock.write());
                (*a, *b) = (2, 3);
                panic!("on purpose");
            });
            thread.join().is_err()
        });
        assert!(panicked);
        assert_eq!(mutex.try_lock().map(|value| *value), Some(2));
        assert_eq!((*mutex.lock(), *lock.read()), (2, 3));
        assert_eq!(mutex.into_inner(), 2);
    }
}
