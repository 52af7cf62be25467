//! Fences, semaphores and events.
//!
//! What a fence or semaphore holds is its [`Payload`]. Who will use it later (a queue, a waiting thread)
//! keeps the payload that was in force when it was told to: an import puts another in its place for those who
//! come after.

mod page_header;
pub mod payload;
mod polling;
pub mod progress;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
mod sync_file;
pub mod wait;
#[cfg(windows)]
mod windows;

use crate::error::{Error, Result};
use crate::file_descriptor::OwnedFd;
use crate::primitives::{AtomicBool, Ordering};
use payload::{Kind, Payload, Payloads};
use std::sync::Arc;
use vulkanalia_sys as vk;
use wait::Waiters;

/// A `VkFence`.
pub struct Fence {
    payloads: Payloads,
}

impl Fence {
    /// A fence, with a payload that other processes can have if it is to be `exportable`.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn new(signaled: bool, exportable: bool) -> Result<Fence> {
        let value = u64::from(signaled);
        let payload = if exportable {
            Payload::exportable(Kind::Fence, value)?
        } else {
            Payload::new(Kind::Fence, value)
        };
        Ok(Fence { payloads: Payloads::new(payload) })
    }

    /// The payload in force.
    pub fn payload(&self) -> Arc<Payload> {
        self.payloads.current()
    }

    /// Puts an imported payload in force, until the next reset if it is `temporary`.
    pub fn import(&self, payload: Arc<Payload>, temporary: bool) {
        self.payloads.import(payload, temporary);
    }

    /// Its status.
    pub fn is_signaled(&self) -> bool {
        self.payload().reached(1)
    }

    /// Its status, for an application that asks: one that asks in a loop waits a little for the signal.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn poll(&self, lost: &AtomicBool) -> Result<bool> {
        let payload = self.payload();
        if payload.reached(1) {
            return Ok(true);
        }
        let Some(pause) = polling::pause_ns() else { return Ok(false) };
        let signaled = wait_for(&[(payload, 1)], true, pause, lost);
        polling::resume();
        signaled
    }

    /// Signals it.
    pub fn signal(&self) {
        self.payload().signal(1);
    }

    /// Makes it unsignaled. A temporary payload goes, and its own is in force again.
    pub fn reset(&self) {
        drop(self.payloads.take());
        self.payload().reset();
    }

    /// Waits until it is signaled, and resets it: what an export as a sync file does, which stands for one
    /// signal. The answer that all is done already is as good as a file.
    ///
    /// # Errors
    /// When no signal is pending, and when the device is lost.
    pub fn export_sync_file(&self, lost: &AtomicBool) -> Result<Option<OwnedFd>> {
        let payload = self.payload();
        if !payload.is_pending_or_signaled() {
            return Err(Error::misuse(
                "the fence is not signaled, nor will it be (VUID-VkFenceGetFdInfoKHR-handleType-01454)",
            ));
        }
        wait_all(&[(payload, 1)], lost, Payload::reached)?;
        self.reset();
        Ok(None)
    }
}

/// Waits without limit for some payloads; `end` says for each whether its wait ends.
fn wait_all(
    payloads: &[(Arc<Payload>, u64)],
    lost: &AtomicBool,
    end: impl Fn(&Payload, u64) -> bool,
) -> Result<()> {
    for (payload, value) in payloads {
        let ready = || (lost.load(Ordering::Acquire) || end(payload, *value)).then_some(());
        wait::wait([payload].into_iter().map(Payload::waiters), None, ready);
    }
    if lost.load(Ordering::Acquire) { Err(Error::device_lost()) } else { Ok(()) }
}

/// Waits until one or all of some payloads have a value; false when `timeout_ns` passes first.
fn wait_for(payloads: &[(Arc<Payload>, u64)], all: bool, timeout_ns: u64, lost: &AtomicBool) -> Result<bool> {
    let ready = || {
        let mut reached = payloads.iter().map(|(payload, value)| payload.reached(*value));
        (lost.load(Ordering::Acquire) || if all { reached.all(|is| is) } else { reached.any(|is| is) })
            .then_some(())
    };
    let sources = payloads.iter().map(|(payload, _)| payload.waiters());
    let done = wait::wait(sources, wait::deadline(timeout_ns), ready);
    if lost.load(Ordering::Acquire) { Err(Error::device_lost()) } else { Ok(done.is_some()) }
}

/// Waits for one or all of some fences; false when `timeout_ns` passes first.
///
/// # Errors
/// When the device is lost.
pub fn wait_fences(fences: &[Arc<Fence>], all: bool, timeout_ns: u64, lost: &AtomicBool) -> Result<bool> {
    let payloads: Vec<_> = fences.iter().map(|fence| (fence.payload(), 1)).collect();
    wait_for(&payloads, all, timeout_ns, lost)
}

/// A `VkSemaphore`, binary or timeline.
pub struct Semaphore {
    is_timeline: bool,
    payloads: Payloads,
}

impl Semaphore {
    /// A binary semaphore, unsignaled, or a timeline with its first value; other processes can have its
    /// payload if it is to be `exportable`.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn new(timeline: Option<u64>, exportable: bool) -> Result<Semaphore> {
        let kind = if timeline.is_some() { Kind::Timeline } else { Kind::Binary };
        let value = timeline.unwrap_or(0);
        let payload = if exportable { Payload::exportable(kind, value)? } else { Payload::new(kind, value) };
        Ok(Semaphore { is_timeline: timeline.is_some(), payloads: Payloads::new(payload) })
    }

    /// Whether it is a timeline.
    pub fn is_timeline(&self) -> bool {
        self.is_timeline
    }

    /// What its payloads are.
    pub fn kind(&self) -> Kind {
        if self.is_timeline { Kind::Timeline } else { Kind::Binary }
    }

    /// The payload in force.
    pub fn payload(&self) -> Arc<Payload> {
        self.payloads.current()
    }

    /// The payload in force, for a wait operation: a temporary one goes with it.
    pub fn payload_to_wait(&self) -> Arc<Payload> {
        self.payloads.take()
    }

    /// Puts an imported payload in force, for one wait if it is `temporary`.
    pub fn import(&self, payload: Arc<Payload>, temporary: bool) {
        self.payloads.import(payload, temporary);
    }

    /// Signals a binary semaphore for the next wait alone, by a payload of its own. SDL acquires images with
    /// one semaphore whose waits of frames before are still to come: two signals of one payload would be one,
    /// and the second wait would have none. Payloads that other processes wait for are signaled themselves.
    pub fn signal_next_wait(&self) {
        let current = self.payloads.current();
        if current.is_shared() {
            current.signal(1);
        } else {
            self.payloads.import(Payload::new(Kind::Binary, 1), true);
        }
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
        Ok(self.payload().value())
    }

    /// Signals from the host.
    ///
    /// # Errors
    /// For a binary semaphore, and when the value does not grow.
    pub fn signal_host(&self, value: u64) -> Result<()> {
        if value <= self.counter()? {
            return Err(Error::misuse("the value is not larger (VUID-VkSemaphoreSignalInfo-value-03258)"));
        }
        self.payload().signal(value);
        Ok(())
    }

    /// Waits until it is signaled, and unsignals it: what an export as a sync file does, which stands for one
    /// signal. The answer that all is done already is as good as a file.
    ///
    /// # Errors
    /// For a timeline, when no signal is pending, and when the device is lost.
    pub fn export_sync_file(&self, lost: &AtomicBool) -> Result<Option<OwnedFd>> {
        if self.is_timeline || !self.payload().is_pending_or_signaled() {
            return Err(Error::misuse(
                "no binary semaphore, or not signaled, nor will it be \
                 (VUID-VkSemaphoreGetFdInfoKHR-handleType-03253, VUID-VkSemaphoreGetFdInfoKHR-handleType-03254)",
            ));
        }
        wait_all(&[(self.payload_to_wait(), 1)], lost, Payload::acquire)?;
        Ok(None)
    }
}

/// Waits on the host for one or all of some timelines; false when `timeout_ns` passes first.
///
/// # Errors
/// For binary semaphores, and when the device is lost.
pub fn wait_semaphores(
    semaphores: &[(Arc<Semaphore>, u64)],
    all: bool,
    timeout_ns: u64,
    lost: &AtomicBool,
) -> Result<bool> {
    if semaphores.iter().any(|(semaphore, _)| !semaphore.is_timeline) {
        return Err(Error::misuse("not a timeline semaphore (VUID-VkSemaphoreWaitInfo-pSemaphores-03256)"));
    }
    let payloads: Vec<_> =
        semaphores.iter().map(|(semaphore, value)| (semaphore.payload(), *value)).collect();
    wait_for(&payloads, all, timeout_ns, lost)
}

/// A `VkEvent`.
#[derive(Default)]
pub struct Event {
    set: AtomicBool,
    waiters: Waiters,
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

    /// Where to wait for it.
    pub fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// `VK_EVENT_SET` or `VK_EVENT_RESET`.
    pub fn status(&self) -> vk::Result {
        if self.is_set() { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET }
    }
}
