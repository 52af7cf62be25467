//! Mappings by the system's calls.
#![allow(unsafe_code)] // mappings by address

use memmap2::{MmapRaw, UncheckedAdvice};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::fs::File;

fn place(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

fn access() -> ProtFlags {
    ProtFlags::READ | ProtFlags::WRITE
}

/// Bytes of the system's pages.
pub(super) fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Maps zeroed pages or a file where nothing is mapped; the address, which is another one on systems that
/// take it as a hint.
pub(super) fn map_at(address: u64, bytes: usize, file: Option<&File>) -> Option<u64> {
    let mapped = match file {
        // SAFETY: a new mapping that replaces none; who uses its memory holds it.
        Some(file) => unsafe {
            mmap(place(address), bytes, access(), MapFlags::SHARED | MapFlags::FIXED_NOREPLACE, file, 0)
        },
        // SAFETY: as above.
        None => unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE | MapFlags::NORESERVE;
            mmap_anonymous(place(address), bytes, access(), flags)
        },
    };
    Some(mapped.ok()? as u64)
}

/// Maps a file's pages wherever the system likes; [`map_again`] can map them a second time.
pub(super) fn map_shared(bytes: usize, file: &File) -> Option<u64> {
    // SAFETY: a new mapping that replaces none; who uses its memory holds it.
    let mapped = unsafe { mmap(std::ptr::null_mut(), bytes, access(), MapFlags::SHARED, file, 0) };
    Some(mapped.ok()? as u64)
}

/// Maps shared pages at another address, too, anywhere if that is zero; the address. `None` where the system
/// has no such mappings. Which file they are of, and where they are in it, only other systems ask.
///
/// # Safety
/// The pages are mapped, and what is mapped at `address` is the caller's to replace.
#[cfg(target_os = "linux")]
pub(super) unsafe fn map_again<'file>(
    from: u64,
    _file: (impl FnOnce() -> Option<&'file File>, u64),
    bytes: usize,
    address: u64,
) -> Option<u64> {
    use rustix::mm::{MremapFlags, mremap, mremap_fixed};
    if address == 0 {
        // SAFETY: as below, at addresses where nothing is.
        let mapped = unsafe { mremap(place(from), 0, bytes, MremapFlags::MAYMOVE) };
        return Some(mapped.ok()? as u64);
    }
    // SAFETY: of shared pages, moving none of them (an old size of zero) maps the same pages a second time;
    // what was at the new address is the caller's.
    let mapped = unsafe { mremap_fixed(place(from), 0, bytes, MremapFlags::MAYMOVE, place(address)) };
    Some(mapped.ok()? as u64)
}

/// The system has no such mappings.
///
/// # Safety
/// None is needed.
#[cfg(not(target_os = "linux"))]
pub(super) unsafe fn map_again<'file>(
    _: u64,
    _: (impl FnOnce() -> Option<&'file File>, u64),
    _: usize,
    _: u64,
) -> Option<u64> {
    None
}

/// Ends a mapping.
///
/// # Safety
/// It is the caller's, whole, and nobody uses its memory any more.
pub(super) unsafe fn unmap(address: u64, bytes: usize) {
    // SAFETY: the caller's contract.
    let _ = unsafe { munmap(place(address), bytes) };
}

/// Frees a mapping's memory and keeps its addresses reserved without access. False, and nothing happens,
/// where the system does not.
///
/// # Safety
/// The mapping is the caller's, whole, and nobody uses its memory any more.
pub(super) unsafe fn reserve(address: u64, bytes: usize) -> bool {
    let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
    // SAFETY: the caller's contract; it is replaced by one of the same length.
    unsafe { mmap_anonymous(place(address), bytes, ProtFlags::empty(), flags) }.is_ok()
}

/// The same for a mapping of [`map_again`].
///
/// # Safety
/// As [`reserve`].
pub(super) unsafe fn reserve_placed(address: u64, bytes: usize) -> bool {
    // SAFETY: the caller's contract.
    unsafe { reserve(address, bytes) }
}

/// Whether the process's address space has a limit.
pub(super) fn is_limited() -> bool {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::As).current.is_some()
}

/// Frees the memory of whole pages of a region, which reads as zeros then. False, and nothing happens, where
/// the system does not.
///
/// # Safety
/// Nobody uses the pages any more.
pub(super) unsafe fn free_pages(region: &MmapRaw, offset: usize, bytes: usize) -> bool {
    // Where pages are larger than pieces, the system refuses some.
    let whole = bytes.is_multiple_of(rustix::param::page_size());
    // SAFETY: the caller's contract; anonymous private pages read as zeros afterwards.
    whole && unsafe { region.unchecked_advise_range(UncheckedAdvice::DontNeed, offset, bytes).is_ok() }
}
