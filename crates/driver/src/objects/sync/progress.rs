//! What the thread of a queue and those who wait for the queue tell each other.

use super::wait::{self, Waiters};
use crate::primitives::{AtomicBool, AtomicU64, Ordering};

/// How far a queue is.
#[derive(Default)]
pub struct QueueProgress {
    /// The device goes away: waits end.
    quit: AtomicBool,
    /// The batch under way waits for a semaphore or an event.
    blocked: AtomicBool,
    /// Batches that have ended.
    completed: AtomicU64,
    waiters: Waiters,
}

impl QueueProgress {
    /// Ends the waits of its batches.
    pub fn quit(&self) {
        self.quit.store(true, Ordering::Release);
    }

    /// Whether its batches are to end.
    pub fn is_quit(&self) -> bool {
        self.quit.load(Ordering::Acquire)
    }

    /// One more batch has ended. Who waits for that is told by [`QueueProgress::wake`].
    pub fn complete(&self) {
        self.completed.fetch_add(1, Ordering::AcqRel);
    }

    /// Wakes those who wait for the queue.
    pub fn wake(&self) {
        self.waiters.wake();
    }

    /// Runs a wait of the batch under way for what only others can do.
    pub fn block<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.blocked.store(true, Ordering::Release);
        self.waiters.wake();
        let result = wait();
        self.blocked.store(false, Ordering::Release);
        result
    }

    /// Waits until `target` batches have ended.
    pub fn wait_completed(&self, target: u64) {
        let ready = || (self.completed.load(Ordering::Acquire) >= target).then_some(());
        wait::wait(core::iter::once(&self.waiters), None, ready);
    }

    /// Waits until `target` batches have ended, or the one under way waits itself, or until a time has
    /// passed; whether they have ended.
    pub fn settle(&self, target: u64, timeout_ns: u64) -> bool {
        let ready = || {
            let is_idle = self.completed.load(Ordering::Acquire) >= target;
            (is_idle || self.blocked.load(Ordering::Acquire)).then_some(is_idle)
        };
        let deadline = wait::deadline(timeout_ns);
        wait::wait(core::iter::once(&self.waiters), deadline, ready).unwrap_or(false)
    }
}
