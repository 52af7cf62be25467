//! Pages of the system, by its calls.

use crate::SystemError;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::NonNull;

/// Bytes of a page.
pub(crate) fn page_bytes() -> usize {
    rustix::param::page_size()
}

/// What makes pages be there at once, where the system can.
#[cfg(target_os = "linux")]
const AT_ONCE: MapFlags = MapFlags::POPULATE;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const AT_ONCE: MapFlags = MapFlags::empty();

#[cfg(target_os = "macos")]
pub(crate) use crate::macos::{make_executable, map, write};

/// Writable pages, there at once, since all of them are written.
#[cfg(not(target_os = "macos"))]
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, SystemError> {
    map_with(bytes, AT_ONCE)
}

/// Writes code into pages that [`map`] gave.
///
/// # Safety
/// They are the caller's, and hold so many bytes.
#[cfg(not(target_os = "macos"))]
pub(crate) unsafe fn write(start: NonNull<u8>, bytes: &[u8]) {
    // SAFETY: the caller's contract.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.as_ptr(), bytes.len()) };
    crate::instruction_cache::forget(start.as_ptr(), bytes.len());
}

/// Writable pages that take memory once they are touched.
pub(crate) fn map_on_demand(bytes: usize) -> Result<NonNull<u8>, SystemError> {
    map_with(bytes, MapFlags::NORESERVE)
}

fn map_with(bytes: usize, flags: MapFlags) -> Result<NonNull<u8>, SystemError> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new private mapping; nobody else's memory is touched.
    let start = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, access, MapFlags::PRIVATE | flags) };
    let start = NonNull::new(start.map_err(SystemError::from)?.cast());
    start.ok_or(SystemError::from(rustix::io::Errno::NOMEM))
}

/// Makes pages executable and read-only.
///
/// # Safety
/// They are of one mapping that is the caller's, and nobody writes to them any more.
#[cfg(not(target_os = "macos"))]
pub(crate) unsafe fn make_executable(start: NonNull<u8>, bytes: usize) -> Result<(), SystemError> {
    use rustix::mm::{MprotectFlags, mprotect};
    let access = MprotectFlags::READ | MprotectFlags::EXEC;
    // SAFETY: the caller's contract.
    unsafe { mprotect(start.as_ptr().cast(), bytes, access) }.map_err(SystemError::from)
}

/// Gives a mapping back. A failure would leak it, which is harmless.
///
/// # Safety
/// It is the caller's, whole, and nobody uses it any more.
pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's contract.
    let _ = unsafe { munmap(start.as_ptr().cast(), bytes) };
}

/// The name by which the library that an address is in was opened. It lives as long as the library is loaded.
fn library_name<'a>(address: *const ()) -> Option<&'a CStr> {
    // SAFETY: `info` is written by `dladdr` or stays zero; the name that it gives is a valid string.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let is_found = libc::dladdr(address.cast::<libc::c_void>(), &mut info) != 0;
        (is_found && !info.dli_fname.is_null()).then(|| CStr::from_ptr(info.dli_fname))
    }
}

/// The file of the library that an address is in.
pub(crate) fn library_of(address: *const ()) -> Option<PathBuf> {
    library_name(address).map(|name| PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// Keeps the library that an address is in loaded.
pub(crate) fn keep_loaded(address: *const ()) {
    if let Some(name) = library_name(address) {
        // SAFETY: the name is a string that ends in zero.
        unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

impl From<rustix::io::Errno> for SystemError {
    fn from(error: rustix::io::Errno) -> SystemError {
        SystemError(error.raw_os_error())
    }
}
