//! No payloads are shared with other processes yet: what stands for them elsewhere has no value here.

use super::payload::{Kind, Payload};
use crate::error::{Error, Result};
use crate::file_descriptor::{BorrowedFd, OwnedFd};
use std::convert::Infallible;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

/// A word that several processes signal and wait for.
pub(crate) struct Page(Infallible);

fn refused() -> Error {
    let code = vulkanalia_sys::Result::ERROR_INVALID_EXTERNAL_HANDLE;
    Error::new(code, "the system shares no semaphores and fences")
}

impl Page {
    pub(crate) fn new(_: Kind, _: u64) -> Result<Arc<Page>> {
        Err(refused())
    }

    pub(crate) fn import(_: BorrowedFd<'_>, _: Kind) -> Result<Arc<Page>> {
        Err(refused())
    }

    pub(crate) fn export(&self) -> Result<OwnedFd> {
        match self.0 {}
    }

    pub(crate) fn value(&self) -> &AtomicU64 {
        match self.0 {}
    }

    pub(crate) fn wake(&self) {
        match self.0 {}
    }

    pub(crate) fn changes(&self) -> u32 {
        match self.0 {}
    }

    pub(crate) fn sleep(&self, _: u32) {
        match self.0 {}
    }
}

/// There are no sync files.
///
/// # Errors
/// Always.
pub(super) fn follow(_: OwnedFd, _: Weak<Payload>) -> Result<()> {
    Err(refused())
}
