//! Mappings by the system's functions. There are no memory files yet, and so no second mappings.
#![allow(unsafe_code)] // mappings by address

use memmap2::MmapRaw;
use std::ffi::c_void;
use std::fs::File;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};

fn place(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// Bytes of the system's pages.
pub(super) fn page_bytes() -> u64 {
    let mut info = SYSTEM_INFO::default();
    // SAFETY: it fills the structure in.
    unsafe { GetSystemInfo(&mut info) };
    info.dwPageSize.into()
}

/// Maps zeroed pages where nothing is mapped; the address. No files.
pub(super) fn map_at(address: u64, bytes: usize, file: Option<&File>) -> Option<u64> {
    if file.is_some() {
        return None;
    }
    // SAFETY: a new mapping that replaces none; who uses its memory holds it.
    let mapped = unsafe { VirtualAlloc(place(address), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    (!mapped.is_null()).then_some(mapped as u64)
}

/// There are no memory files.
pub(super) fn map_shared(_: usize, _: &File) -> Option<u64> {
    None
}

/// The system has no such mappings.
///
/// # Safety
/// None is needed.
pub(super) unsafe fn map_again(_: u64, _: usize, _: u64) -> Option<u64> {
    None
}

/// Ends a mapping of [`map_at`].
///
/// # Safety
/// It is the caller's, whole, and nobody uses its memory any more.
pub(super) unsafe fn unmap(address: u64, _bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe { VirtualFree(place(address), 0, MEM_RELEASE) };
}

/// Mappings of files end whole.
///
/// # Safety
/// None is needed.
pub(super) unsafe fn reserve(_: u64, _: usize) -> bool {
    false
}

/// The address space of processes has no limit of their own.
pub(super) fn is_limited() -> bool {
    false
}

/// Pages of a section are not freed before all of it.
///
/// # Safety
/// None is needed.
pub(super) unsafe fn free_pages(_: &MmapRaw, _: usize, _: usize) -> bool {
    false
}
