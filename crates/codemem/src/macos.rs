//! Pages for code on macOS: mapped as writable and executable with `MAP_JIT`, which each thread sees as one
//! or the other. A program whose runtime is hardened needs the entitlement
//! `com.apple.security.cs.allow-jit`.
//!
//! Type-checked only: it has run nowhere yet.

use crate::SystemError;
use std::ffi::c_void;
use std::ptr::NonNull;

unsafe extern "C" {
    /// Of the system's library: the processor forgets the instructions that were in a range.
    fn sys_icache_invalidate(start: *mut c_void, bytes: usize);
}

fn last_error() -> SystemError {
    SystemError(std::io::Error::last_os_error().raw_os_error().unwrap_or_default())
}

/// Pages for code, which [`write`] writes.
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, SystemError> {
    let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_JIT;
    // SAFETY: a new private mapping; nobody else's memory is touched.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(last_error());
    }
    NonNull::new(start.cast()).ok_or(SystemError(libc::ENOMEM))
}

/// Writes code into pages that [`map`] gave.
///
/// # Safety
/// They are the caller's, and hold so many bytes.
pub(crate) unsafe fn write(start: NonNull<u8>, bytes: &[u8]) {
    // SAFETY: this thread runs no generated code until the pages are executable for it again.
    unsafe { libc::pthread_jit_write_protect_np(0) };
    // SAFETY: the caller's contract.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.as_ptr(), bytes.len()) };
    // SAFETY: as above.
    unsafe { libc::pthread_jit_write_protect_np(1) };
    // SAFETY: the range is mapped.
    unsafe { sys_icache_invalidate(start.as_ptr().cast(), bytes.len()) };
}

/// The pages are executable, and read-only for threads that do not write code.
///
/// # Safety
/// They are of one mapping that is the caller's, and nobody writes to them any more.
pub(crate) unsafe fn make_executable(_: NonNull<u8>, _: usize) -> Result<(), SystemError> {
    Ok(())
}
