//! Fences, semaphores and events.

mod primitives;
pub mod wait;

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use vulkanalia_sys as vk;
use wait::Waiters;

/// A `VkFence`.
#[derive(Default)]
pub struct Fence {
    signaled: AtomicBool,
    pub(crate) waiters: Waiters,
}

impl Fence {
    /// A fence.
    pub fn new(signaled: bool) -> Fence {
        Fence { signaled: AtomicBool::new(signaled), waiters: Waiters::default() }
    }

    /// Its status.
    pub fn is_signaled(&self) -> bool {
        self.signaled.load(Ordering::Acquire)
    }

    /// Signals it.
    pub fn signal(&self) {
        self.signaled.store(true, Ordering::Release);
        self.waiters.wake();
    }

    /// Makes it unsignaled.
    pub fn reset(&self) {
        self.signaled.store(false, Ordering::Release);
    }
}

/// Waits for one or all of some fences; false when `timeout_ns` passes first.
pub fn wait_fences(fences: &[Arc<Fence>], all: bool, timeout_ns: u64, lost: &AtomicBool) -> Result<bool> {
    let ready = || {
        let mut signaled = fences.iter().map(|fence| fence.is_signaled());
        (lost.load(Ordering::Acquire) || if all { signaled.all(|is| is) } else { signaled.any(|is| is) })
            .then_some(())
    };
    let done = wait::wait(fences.iter().map(|fence| &fence.waiters), wait::deadline(timeout_ns), ready);
    if lost.load(Ordering::Acquire) { Err(Error::device_lost()) } else { Ok(done.is_some()) }
}

/// A `VkSemaphore`, binary or timeline.
pub struct Semaphore {
    /// Binary: 0 or 1. Timeline: the counter.
    value: AtomicU64,
    is_timeline: bool,
    pub(crate) waiters: Waiters,
}

/// How far a timeline may be ahead of what waits for it (`maxTimelineSemaphoreValueDifference`).
pub const MAX_TIMELINE_DIFFERENCE: u64 = i64::MAX as u64;

impl Semaphore {
    /// A binary semaphore, unsignaled.
    pub fn binary() -> Semaphore {
        Semaphore { value: AtomicU64::new(0), is_timeline: false, waiters: Waiters::default() }
    }

    /// A timeline semaphore.
    pub fn timeline(value: u64) -> Semaphore {
        Semaphore { value: AtomicU64::new(value), is_timeline: true, waiters: Waiters::default() }
    }

    /// Whether it is a timeline.
    pub fn is_timeline(&self) -> bool {
        self.is_timeline
    }

    /// The timeline's counter.
    ///
    /// # Errors
    /// For a binary semaphore.
    pub fn counter(&self) -> Result<u64> {
        if !self.is_timeline {
            return Err(Error::misuse(
                "not a timeline semaphore (VUID-vkGetSemaphoreCounterValue-semaphore-03255)",
            ));
        }
        Ok(self.value.load(Ordering::Acquire))
    }

    /// Signals from the host.
    ///
    /// # Errors
    /// For a binary semaphore, and when the value does not grow.
    pub fn signal_host(&self, value: u64) -> Result<()> {
        if value <= self.counter()? {
            return Err(Error::misuse("the value is not larger (VUID-vkSignalSemaphore-value-03258)"));
        }
        self.signal(value);
        Ok(())
    }

    /// Signals: a timeline's counter becomes `value`, a binary semaphore signaled.
    pub fn signal(&self, value: u64) {
        self.value.fetch_max(if self.is_timeline { value } else { 1 }, Ordering::AcqRel);
        self.waiters.wake();
    }

    /// Whether a wait for `value` would end now.
    pub(crate) fn reached(&self, value: u64) -> bool {
        self.value.load(Ordering::Acquire) >= if self.is_timeline { value } else { 1 }
    }

    /// A queue's wait, once it can end: unsignals a binary semaphore. False when it cannot end yet.
    pub(crate) fn acquire(&self, value: u64) -> bool {
        if self.is_timeline {
            self.reached(value)
        } else {
            self.value.compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
        }
    }
}

/// Waits on the host for one or all of some timelines; false when `timeout_ns` passes first.
pub fn wait_semaphores(
    semaphores: &[(Arc<Semaphore>, u64)],
    all: bool,
    timeout_ns: u64,
    lost: &AtomicBool,
) -> Result<bool> {
    if semaphores.iter().any(|(semaphore, _)| !semaphore.is_timeline) {
        return Err(Error::misuse("not a timeline semaphore (VUID-VkSemaphoreWaitInfo-pSemaphores-03256)"));
    }
    let ready = || {
        let mut reached = semaphores.iter().map(|(semaphore, value)| semaphore.reached(*value));
        (lost.load(Ordering::Acquire) || if all { reached.all(|is| is) } else { reached.any(|is| is) })
            .then_some(())
    };
    let sources = semaphores.iter().map(|(semaphore, _)| &semaphore.waiters);
    let done = wait::wait(sources, wait::deadline(timeout_ns), ready);
    if lost.load(Ordering::Acquire) { Err(Error::device_lost()) } else { Ok(done.is_some()) }
}

/// A `VkEvent`.
#[derive(Default)]
pub struct Event {
    set: AtomicBool,
    pub(crate) waiters: Waiters,
}

impl Event {
    /// Its status.
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    /// Sets or resets it.
    pub fn put(&self, set: bool) {
        self.set.store(set, Ordering::Release);
        if set {
            self.waiters.wake();
        }
    }

    /// `VK_EVENT_SET` or `VK_EVENT_RESET`.
    pub fn status(&self) -> vk::Result {
        if self.is_set() { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET }
    }
}
