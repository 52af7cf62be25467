//! There are no descriptors; handles of sections are in their place.
#![allow(unsafe_code)] // handles by number

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::os::windows::io::IntoRawHandle as _;
pub use std::os::windows::io::{BorrowedHandle as BorrowedFd, OwnedHandle as OwnedFd};

/// Whether the system has descriptors.
pub const ARE_THERE: bool = false;

/// There is none.
///
/// # Safety
/// None is needed.
pub unsafe fn borrow<'a>(_: c_int) -> Option<BorrowedFd<'a>> {
    None
}

/// The application's handle; `None` for one that is none.
///
/// # Safety
/// It is open, and stays so as long as the result lives.
pub unsafe fn borrow_handle<'a>(handle: *mut c_void) -> Option<BorrowedFd<'a>> {
    let is_handle = !handle.is_null() && handle.addr() != usize::MAX;
    // SAFETY: the caller's contract.
    is_handle.then(|| unsafe { BorrowedFd::borrow_raw(handle) })
}

/// Another handle of the same; `None` where no handle is left.
pub fn try_clone(handle: BorrowedFd<'_>) -> Option<OwnedFd> {
    handle.try_clone_to_owned().ok()
}

/// There is none to take over.
///
/// # Safety
/// None is needed.
pub unsafe fn take(_: c_int) {}

/// Handles have no number that a descriptor could have.
pub fn give(_: OwnedFd) -> c_int {
    -1
}

/// A handle that is the application's from now on.
pub fn give_handle(handle: OwnedFd) -> *mut c_void {
    handle.into_raw_handle()
}

/// The handle behind a file.
pub fn of_file(file: File) -> Option<OwnedFd> {
    Some(file.into())
}

/// A file that keeps a handle.
pub fn to_file(handle: OwnedFd) -> File {
    handle.into()
}
