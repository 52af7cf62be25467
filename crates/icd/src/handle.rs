//! Handles: how objects become numbers and come back.
//!
//! A dispatchable handle is the address of a [`Dispatchable`], whose first word is the loader's. Any other is
//! the address inside an [`Arc`]; the application owns one count, and a command that keeps an object takes
//! another.

use pyro_driver::{Error, Result};
use std::sync::Arc;

/// What the loader wants to find in a new dispatchable object, to put its own pointer there.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// A dispatchable object.
#[repr(C)]
pub(crate) struct Dispatchable<T> {
    loader: usize,
    pub(crate) object: T,
}

impl<T> Dispatchable<T> {
    /// Makes a handle.
    pub(crate) fn into_handle(object: T) -> usize {
        Box::into_raw(Box::new(Dispatchable { loader: LOADER_MAGIC, object })) as usize
    }

    /// The object of a handle.
    ///
    /// # Errors
    /// For null.
    ///
    /// # Safety
    /// `handle` is null, or came from [`Dispatchable::into_handle`] for the same type and is not destroyed.
    pub(crate) unsafe fn get<'h>(handle: usize) -> Result<&'h T> {
        // SAFETY: the caller's contract.
        let this = unsafe { (handle as *const Dispatchable<T>).as_ref() };
        this.map(|this| &this.object).ok_or_else(null)
    }

    /// Takes the object back.
    ///
    /// # Safety
    /// As [`Dispatchable::get`], and nobody uses the handle any more.
    pub(crate) unsafe fn take(handle: usize) -> Option<T> {
        // SAFETY: the caller's contract.
        (handle != 0).then(|| unsafe { Box::from_raw(handle as *mut Dispatchable<T>) }.object)
    }
}

fn null() -> Error {
    Error::misuse("a null handle")
}

/// Makes a handle.
pub(crate) fn new<T>(object: T) -> u64 {
    share(Arc::new(object))
}

/// Makes a handle of an object that is shared already.
pub(crate) fn share<T>(object: Arc<T>) -> u64 {
    Arc::into_raw(object) as u64
}

/// The object of a handle.
///
/// # Errors
/// For null.
///
/// # Safety
/// `handle` is null, or came from [`new`] or [`share`] for the same type and is not destroyed.
pub(crate) unsafe fn get<T>(handle: u64) -> Result<Arc<T>> {
    // SAFETY: the caller's contract.
    unsafe { optional(handle) }.ok_or_else(null)
}

/// The object of a handle that may be null.
///
/// # Safety
/// As [`get`].
pub(crate) unsafe fn optional<T>(handle: u64) -> Option<Arc<T>> {
    if handle == 0 {
        return None;
    }
    // SAFETY: the caller's contract: the application's count keeps the object alive meanwhile.
    unsafe {
        Arc::increment_strong_count(handle as *const T);
        Some(Arc::from_raw(handle as *const T))
    }
}

/// Gives up the application's count.
///
/// # Safety
/// As [`get`], and the application uses the handle no more.
pub(crate) unsafe fn destroy<T>(handle: u64) {
    if handle != 0 {
        // SAFETY: the caller's contract.
        drop(unsafe { Arc::from_raw(handle as *const T) });
    }
}
