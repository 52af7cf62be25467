//! Mappings by the system's functions. Memory files are sections (`system::memory_file`). Their views begin
//! at multiples of 64 KiB and end whole, so there are no second mappings of single pages.
#![allow(unsafe_code)] // mappings by address

use crate::system::{View, unmap_view};
use memmap2::MmapRaw;
use std::ffi::c_void;
use std::fs::File;
use std::os::windows::io::AsHandle as _;
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

/// Maps zeroed pages or a section where nothing is mapped; the address.
pub(super) fn map_at(address: u64, bytes: usize, file: Option<&File>) -> Option<u64> {
    if let Some(section) = file {
        return View::new(section.as_handle(), bytes, address).map(View::leave);
    }
    // SAFETY: a new mapping that replaces none; who uses its memory holds it.
    let mapped = unsafe { VirtualAlloc(place(address), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    (!mapped.is_null()).then_some(mapped as u64)
}

/// Maps a section wherever the system likes.
pub(super) fn map_shared(bytes: usize, section: &File) -> Option<u64> {
    View::new(section.as_handle(), bytes, 0).map(View::leave)
}

/// The system has no such mappings.
///
/// # Safety
/// None is needed.
pub(super) unsafe fn map_again(_: u64, _: usize, _: u64) -> Option<u64> {
    None
}

/// Ends a mapping of [`map_at`] or [`map_shared`].
///
/// # Safety
/// It is the caller's, whole, and nobody uses its memory any more.
pub(super) unsafe fn unmap(address: u64, _bytes: usize) {
    // SAFETY: the caller's contract. Each of the two refuses what the other has mapped.
    unsafe {
        if !unmap_view(address) {
            VirtualFree(place(address), 0, MEM_RELEASE);
        }
    }
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
