//! Descriptors as the standard library has them.
#![allow(unsafe_code)] // descriptors by number

use std::ffi::c_int;
use std::fs::File;
pub use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::fd::{FromRawFd, IntoRawFd};

/// Whether the system has descriptors.
pub const ARE_THERE: bool = true;

/// The application's descriptor; `None` where there are none.
///
/// # Safety
/// It is open, and stays so as long as the result lives.
pub unsafe fn borrow<'a>(fd: c_int) -> Option<BorrowedFd<'a>> {
    // SAFETY: the caller's contract.
    Some(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Another descriptor of the same; `None` where no descriptor is left.
pub fn try_clone(fd: BorrowedFd<'_>) -> Option<OwnedFd> {
    fd.try_clone_to_owned().ok()
}

/// Takes the application's descriptor over, and closes it.
///
/// # Safety
/// It is open, and nobody else's any more.
pub unsafe fn take(fd: c_int) {
    // SAFETY: the caller's contract.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
}

/// The number of a descriptor that is the application's from now on.
pub fn give(fd: OwnedFd) -> c_int {
    fd.into_raw_fd()
}

/// A file's descriptor.
pub fn of_file(file: File) -> Option<OwnedFd> {
    Some(file.into())
}

/// The file that a descriptor stands for.
pub fn to_file(fd: OwnedFd) -> File {
    fd.into()
}
