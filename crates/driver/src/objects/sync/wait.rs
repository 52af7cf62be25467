//! Waiting without spinning.
//!
//! Whatever can be waited for keeps a list of the threads that do ([`Waiters`]). A waiter registers with
//! every source, then looks, then parks; a signaller changes the state first and wakes after. So either the
//! waiter sees the new state, or the signaller sees the waiter.

use crate::primitives::{Mutex, Thread, current, park, park_timeout, sleep};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// The threads that wait for one thing.
#[derive(Default)]
pub struct Waiters {
    threads: Mutex<Vec<Thread>>,
}

impl Waiters {
    /// Wakes all of them, to look again.
    pub fn wake(&self) {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.iter().for_each(Thread::unpark);
    }

    fn add(&self, thread: &Thread) {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread.clone());
    }

    fn remove(&self, thread: &Thread) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = threads.iter().position(|other| other.id() == thread.id()) {
            threads.swap_remove(index);
        }
    }
}

/// The moment `timeout_ns` from now; none for one too far to be told from never.
pub fn deadline(timeout_ns: u64) -> Option<Instant> {
    const NEVER_NS: u64 = 1 << 60;
    if timeout_ns >= NEVER_NS { None } else { Instant::now().checked_add(Duration::from_nanos(timeout_ns)) }
}

/// Waits until `ready` gives something, looking whenever one of `sources` changes, or until `deadline`.
pub fn wait<'w, T>(
    sources: impl Iterator<Item = &'w Waiters> + Clone,
    deadline: Option<Instant>,
    mut ready: impl FnMut() -> Option<T>,
) -> Option<T> {
    if let Some(result) = ready() {
        return Some(result);
    }
    if deadline.is_some_and(|at| at <= Instant::now()) {
        return None;
    }
    let Some(thread) = current() else { return poll(deadline, ready) };
    sources.clone().for_each(|source| source.add(&thread));
    let result = loop {
        if let Some(result) = ready() {
            break Some(result);
        }
        match deadline {
            None => park(),
            Some(at) => {
                let left = at.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break None;
                }
                park_timeout(left);
            }
        }
    };
    sources.for_each(|source| source.remove(&thread));
    result
}

/// The same on a thread that nobody can wake.
#[cold]
fn poll<T>(deadline: Option<Instant>, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
    const PAUSE: Duration = Duration::from_micros(100);
    loop {
        if let Some(result) = ready() {
            return Some(result);
        }
        if deadline.is_some_and(|at| at <= Instant::now()) {
            return None;
        }
        sleep(PAUSE);
    }
}
