//! Pages of the system, by its functions.

use crate::SystemError;
use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;
use std::path::PathBuf;
use std::ptr::NonNull;
use windows_sys::Win32::Foundation::GetLastError;
use windows_sys::Win32::System::Diagnostics::Debug::FlushInstructionCache;
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN,
    GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, GetModuleFileNameW, GetModuleHandleExW,
};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_EXECUTE_READ, PAGE_READWRITE, VirtualAlloc, VirtualFree,
    VirtualProtect,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

fn last_error() -> SystemError {
    // SAFETY: it reads the calling thread's last error.
    SystemError(unsafe { GetLastError() } as i32)
}

/// Bytes of a page.
pub(crate) fn page_bytes() -> usize {
    let mut info = SYSTEM_INFO::default();
    // SAFETY: it fills the structure in.
    unsafe { GetSystemInfo(&mut info) };
    info.dwPageSize as usize
}

/// Writable pages.
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, SystemError> {
    // SAFETY: a new mapping; nobody else's memory is touched.
    let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    NonNull::new(start.cast()).ok_or_else(last_error)
}

/// Addresses that have no memory yet.
pub(crate) fn map_on_demand(bytes: usize) -> Result<NonNull<u8>, SystemError> {
    // SAFETY: as above.
    let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE, PAGE_READWRITE) };
    NonNull::new(start.cast()).ok_or_else(last_error)
}

/// Writes code into pages that [`map`] gave.
///
/// # Safety
/// They are the caller's, and hold so many bytes.
pub(crate) unsafe fn write(start: NonNull<u8>, bytes: &[u8]) {
    // SAFETY: the caller's contract.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.as_ptr(), bytes.len()) };
}

/// Makes pages executable and read-only.
///
/// # Safety
/// They are of one mapping that is the caller's, and nobody writes to them any more.
pub(crate) unsafe fn make_executable(start: NonNull<u8>, bytes: usize) -> Result<(), SystemError> {
    let mut former = 0;
    // SAFETY: the caller's contract.
    if unsafe { VirtualProtect(start.as_ptr().cast(), bytes, PAGE_EXECUTE_READ, &mut former) } == 0 {
        return Err(last_error());
    }
    // SAFETY: the pages are mapped.
    unsafe { FlushInstructionCache(GetCurrentProcess(), start.as_ptr().cast(), bytes) };
    Ok(())
}

/// Gives a mapping back. A failure would leak it, which is harmless.
///
/// # Safety
/// It is the caller's, whole, and nobody uses it any more.
pub(crate) unsafe fn unmap(start: NonNull<u8>, _bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe { VirtualFree(start.as_ptr().cast(), 0, MEM_RELEASE) };
}

/// The file of the library that an address is in.
pub(crate) fn library_of(address: *const ()) -> Option<PathBuf> {
    const NAME_UNITS_MAX: usize = 1 << 15;
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    let mut library = std::ptr::null_mut();
    let mut name = vec![0; NAME_UNITS_MAX];
    // SAFETY: with this flag the name is an address in a library.
    let is_found = unsafe { GetModuleHandleExW(flags, address.cast(), &mut library) } != 0;
    // SAFETY: the library is loaded, since its code runs; as many units are there as are said.
    let units =
        is_found.then(|| unsafe { GetModuleFileNameW(library, name.as_mut_ptr(), NAME_UNITS_MAX as u32) })?;
    (units != 0).then(|| PathBuf::from(OsString::from_wide(&name[..units as usize])))
}

/// Keeps the library that an address is in loaded.
pub(crate) fn keep_loaded(address: *const ()) {
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    let mut library = std::ptr::null_mut();
    // SAFETY: with this flag the name is an address in a library.
    unsafe { GetModuleHandleExW(flags, address.cast(), &mut library) };
}
