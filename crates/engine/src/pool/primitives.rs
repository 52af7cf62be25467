//! What [`job_slots`](super::job_slots) is built on. A model checker compiles that module over primitives of
//! its own (`tests/model`).

pub(super) use pyro_util::sync::{Condvar, Mutex, MutexGuard};
pub(super) use std::hint::spin_loop;
use std::sync::atomic::AtomicU64;
pub(super) use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Callers that have work in the slots at once; others work alone.
pub(super) const SLOT_COUNT: usize = 16;

/// Looks between two looks at the clock.
pub(super) const LOOKS: u32 = 16;

/// How long a thread looks for a change before it sleeps: about what waking it takes.
const PATIENCE: Duration = Duration::from_micros(50);

/// The same in nanoseconds, where something else is wanted.
static PATIENCE_NS: AtomicU64 = AtomicU64::new(PATIENCE.as_nanos() as u64);

/// How long threads without work look for some before they sleep.
pub fn patience() -> Duration {
    Duration::from_nanos(PATIENCE_NS.load(Ordering::Relaxed))
}

/// Has threads of all engines look so long for work before they sleep; none: as long as seems best. Longer
/// costs power, and saves the time that waking takes.
pub fn set_patience(patience: Option<Duration>) {
    let nanoseconds = u64::try_from(patience.unwrap_or(PATIENCE).as_nanos()).unwrap_or(u64::MAX);
    PATIENCE_NS.store(nanoseconds, Ordering::Relaxed);
}

/// Measures how long a thread has looked for a change.
pub(super) struct Patience(Instant);

impl Patience {
    pub(super) fn new() -> Patience {
        Patience(Instant::now())
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.elapsed() > patience()
    }
}

/// A cell whose accesses a model checker can watch.
pub(super) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(super) fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls `f` with the address of the value, for reading.
    pub(super) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    /// Calls `f` with the address of the value, for writing.
    pub(super) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}
