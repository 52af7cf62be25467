//! There are no descriptors.
#![allow(unsafe_code)] // the faces of functions that take descriptors by number elsewhere

use std::convert::Infallible;
use std::ffi::c_int;
use std::fs::File;
use std::marker::PhantomData;

/// Whether the system has descriptors.
pub const ARE_THERE: bool = false;

/// There is none.
#[derive(Clone, Copy, Debug)]
pub struct BorrowedFd<'a>(Infallible, PhantomData<&'a ()>);

/// There is none.
#[derive(Debug)]
pub struct OwnedFd(Infallible);

/// There is none.
///
/// # Safety
/// None is needed.
pub unsafe fn borrow<'a>(_: c_int) -> Option<BorrowedFd<'a>> {
    None
}

/// Another descriptor of the same.
pub fn try_clone(fd: BorrowedFd<'_>) -> Option<OwnedFd> {
    match fd.0 {}
}

/// There is none to take over.
///
/// # Safety
/// None is needed.
pub unsafe fn take(_: c_int) {}

/// The number of a descriptor that is the application's from now on.
pub fn give(fd: OwnedFd) -> c_int {
    match fd.0 {}
}

/// Files have none.
pub fn of_file(_: File) -> Option<OwnedFd> {
    None
}

/// The file that a descriptor stands for.
pub fn to_file(fd: OwnedFd) -> File {
    match fd.0 {}
}
