//! What every page of a shared word begins with, whatever the system's waiters sleep on.

use super::payload::Kind;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The start of a page.
#[repr(C)]
pub(super) struct PageHeader {
    /// A number that is in every page of one layout.
    magic: AtomicU64,
    /// The payload's [`Kind`], as a number.
    kind: AtomicU32,
    /// How often the value was changed, or waiters were woken for another reason.
    pub(super) changes: AtomicU32,
    pub(super) value: AtomicU64,
}

/// Why an import is none.
pub(super) fn refused(why: &'static str) -> Error {
    Error::new(vulkanalia_sys::Result::ERROR_INVALID_EXTERNAL_HANDLE, why)
}

fn number(kind: Kind) -> u32 {
    match kind {
        Kind::Fence => 1,
        Kind::Binary => 2,
        Kind::Timeline => 3,
    }
}

impl PageHeader {
    /// Makes a new page one of this layout, with this kind and value.
    pub(super) fn begin(&self, magic: u64, kind: Kind, value: u64) {
        self.kind.store(number(kind), Ordering::Relaxed);
        self.value.store(value, Ordering::Relaxed);
        self.magic.store(magic, Ordering::Release);
    }

    /// Whether a page of another is one of this layout and kind.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_EXTERNAL_HANDLE` when it is not.
    pub(super) fn check(&self, magic: u64, kind: Kind) -> Result<()> {
        if self.magic.load(Ordering::Acquire) != magic {
            return Err(refused("no semaphore or fence of this driver"));
        }
        if self.kind.load(Ordering::Relaxed) != number(kind) {
            return Err(refused("a semaphore or fence of another type"));
        }
        Ok(())
    }
}
