//! What a semaphore or fence holds, which an import puts another in the place of, and processes may share.

use super::wait::Waiters;
#[cfg(windows)]
use super::windows::{Page, follow};
#[cfg(unix)]
use super::{shared::Page, sync_file::follow};
use crate::error::{Error, Result};
use crate::file_descriptor::{BorrowedFd, OwnedFd};
use crate::primitives::{AtomicU64, Mutex, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Whose payload it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A fence's: 0 or 1.
    Fence,
    /// A binary semaphore's: 0 or 1; a wait takes the 1.
    Binary,
    /// A timeline's: its counter.
    Timeline,
}

/// A payload.
pub struct Payload {
    kind: Kind,
    value: Value,
    /// Queue operations under way that will signal it.
    pending: AtomicU64,
    waiters: Waiters,
}

enum Value {
    /// Of this process.
    Own(AtomicU64),
    /// Of several, with the thread that listens to the others, once somebody waits.
    Shared(Arc<Page>, OnceLock<()>),
}

impl Payload {
    /// A payload that stays in this process.
    pub fn new(kind: Kind, value: u64) -> Arc<Payload> {
        Payload::with(kind, Value::Own(AtomicU64::new(value)))
    }

    /// A payload that can be exported.
    ///
    /// # Errors
    /// When the system has no memory or no descriptors left.
    pub fn exportable(kind: Kind, value: u64) -> Result<Arc<Payload>> {
        Ok(Payload::with(kind, Value::Shared(Page::new(kind, value)?, OnceLock::new())))
    }

    /// The payload behind a descriptor that [`Payload::export`] gave.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_EXTERNAL_HANDLE` when it is none of this kind.
    pub fn import(kind: Kind, file: BorrowedFd<'_>) -> Result<Arc<Payload>> {
        Ok(Payload::with(kind, Value::Shared(Page::import(file, kind)?, OnceLock::new())))
    }

    /// A payload that is signaled when a descriptor of a kernel's sync file becomes readable; none: at once.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_EXTERNAL_HANDLE` when the descriptor cannot be waited for.
    pub fn import_sync_file(kind: Kind, file: Option<OwnedFd>) -> Result<Arc<Payload>> {
        let payload = Payload::new(kind, u64::from(file.is_none()));
        if let Some(file) = file {
            follow(file, Arc::downgrade(&payload))?;
        }
        Ok(payload)
    }

    fn with(kind: Kind, value: Value) -> Arc<Payload> {
        Arc::new(Payload { kind, value, pending: AtomicU64::new(0), waiters: Waiters::default() })
    }

    /// A descriptor for other processes.
    ///
    /// # Errors
    /// When the payload was not made for it, or no descriptor is left.
    pub fn export(&self) -> Result<OwnedFd> {
        match &self.value {
            Value::Shared(page, _) => page.export(),
            Value::Own(_) => Err(Error::misuse(
                "not made to be exported as an opaque descriptor or handle \
                 (VUID-VkSemaphoreGetFdInfoKHR-handleType-01132, VUID-VkFenceGetFdInfoKHR-handleType-01453, \
                 VUID-VkSemaphoreGetWin32HandleInfoKHR-handleType-01126, \
                 VUID-VkFenceGetWin32HandleInfoKHR-handleType-01448)",
            )),
        }
    }

    fn load(&self) -> u64 {
        match &self.value {
            Value::Own(value) => value.load(Ordering::Acquire),
            Value::Shared(page, _) => page.value().load(Ordering::Acquire),
        }
    }

    /// A timeline's counter; 0 or 1 of others.
    pub fn value(&self) -> u64 {
        self.load()
    }

    fn wanted(&self, value: u64) -> u64 {
        if self.kind == Kind::Timeline { value } else { 1 }
    }

    /// Signals: a timeline's counter becomes `value`, others signaled.
    pub fn signal(&self, value: u64) {
        let value = self.wanted(value);
        match &self.value {
            Value::Own(own) => _ = own.fetch_max(value, Ordering::AcqRel),
            Value::Shared(page, _) => {
                page.value().fetch_max(value, Ordering::AcqRel);
                page.wake();
            }
        }
        self.waiters.wake();
    }

    /// Whether it has this value, or is signaled.
    pub fn reached(&self, value: u64) -> bool {
        self.load() >= self.wanted(value)
    }

    /// A queue's wait, once it can end: unsignals a binary semaphore. False when it cannot end yet.
    pub fn acquire(&self, value: u64) -> bool {
        if self.kind != Kind::Binary {
            return self.reached(value);
        }
        match &self.value {
            Value::Own(own) => own.compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire).is_ok(),
            Value::Shared(page, _) => {
                page.value().compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
            }
        }
    }

    /// Makes it unsignaled.
    pub fn reset(&self) {
        match &self.value {
            Value::Own(own) => own.store(0, Ordering::Release),
            Value::Shared(page, _) => page.value().store(0, Ordering::Release),
        }
    }

    /// A queue operation that will signal it is submitted.
    pub fn begin_pending(&self) {
        self.pending.fetch_add(1, Ordering::AcqRel);
    }

    /// The operation has signaled it.
    pub fn end_pending(&self) {
        self.pending.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether it is signaled or will be, as far as this process can know.
    pub fn is_pending_or_signaled(&self) -> bool {
        self.is_shared() || self.pending.load(Ordering::Acquire) != 0 || self.reached(1)
    }

    /// Whether other processes may have it.
    pub fn is_shared(&self) -> bool {
        matches!(self.value, Value::Shared(..))
    }

    /// Where to wait for changes; from now on those of other processes come there too.
    pub fn waiters(self: &Arc<Payload>) -> &Waiters {
        if let Value::Shared(page, listener) = &self.value {
            listener.get_or_init(|| listen(Arc::downgrade(self), Arc::clone(page)));
        }
        &self.waiters
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        if let Value::Shared(page, listener) = &self.value
            && listener.get().is_some()
        {
            // So that the thread sees that nobody is left.
            page.wake();
        }
    }
}

/// Hands changes in other processes on to a payload's waiters, while it lives.
fn listen(payload: Weak<Payload>, page: Arc<Page>) {
    let body = move || {
        loop {
            let changes = page.changes();
            let Some(payload) = payload.upgrade() else { return };
            payload.waiters.wake();
            drop(payload);
            page.sleep(changes);
        }
    };
    // Without the thread, waits would only see changes of this process; there is no way to say so here.
    let _ = std::thread::Builder::new().name("pyro-listen".to_owned()).spawn(body);
}

/// A semaphore's or fence's payloads: its own, and one that an import put before it for one use.
pub(super) struct Payloads {
    slots: Mutex<Slots>,
}

struct Slots {
    permanent: Arc<Payload>,
    temporary: Option<Arc<Payload>>,
}

impl Payloads {
    pub(super) fn new(permanent: Arc<Payload>) -> Payloads {
        Payloads { slots: Mutex::new(Slots { permanent, temporary: None }) }
    }

    /// The payload in force.
    pub(super) fn current(&self) -> Arc<Payload> {
        let slots = self.slots.lock();
        Arc::clone(slots.temporary.as_ref().unwrap_or(&slots.permanent))
    }

    /// The payload in force, for the use that ends a temporary one.
    pub(super) fn take(&self) -> Arc<Payload> {
        let mut slots = self.slots.lock();
        slots.temporary.take().unwrap_or_else(|| Arc::clone(&slots.permanent))
    }

    /// Puts an imported payload in force.
    pub(super) fn import(&self, payload: Arc<Payload>, temporary: bool) {
        let mut slots = self.slots.lock();
        if temporary {
            slots.temporary = Some(payload);
        } else {
            *slots = Slots { permanent: payload, temporary: None };
        }
    }
}
