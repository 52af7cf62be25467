//! Mappings by the system's functions. Memory files are sections (`system::memory_file`). Their views begin
//! at multiples of 64 KiB and end whole, so there are no second mappings of single pages, and what takes the
//! place of others' mappings takes that of whole ones.
#![allow(unsafe_code)] // mappings by address

use crate::caps::limits::PLACED_MAPPING_ALIGNMENT;
use crate::system::{View, unmap_view};
use memmap2::MmapRaw;
use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::os::windows::io::AsHandle as _;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_FREE, MEM_RELEASE, MEM_RESERVE, MEMORY_BASIC_INFORMATION, PAGE_READWRITE, VirtualAlloc,
    VirtualFree, VirtualQuery,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};

/// Mappings begin at multiples of this.
const GRANULE: u64 = PLACED_MAPPING_ALIGNMENT;

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

/// Maps bytes of a section, from a place on, at another address, too, anywhere if that is zero; the address.
/// `None` where they are no section's, or what is at the address is neither one mapping of this length that
/// begins there, nor part of addresses that are only reserved. What is left of such is reserved anew, as
/// mappings of their own.
///
/// # Safety
/// What is mapped at `address` is the caller's to replace.
pub(super) unsafe fn map_again<'section>(
    _from: u64,
    (section, offset): (impl FnOnce() -> Option<&'section File>, u64),
    bytes: usize,
    address: u64,
) -> Option<u64> {
    let section = section()?;
    let end = address.checked_add(bytes as u64)?.checked_next_multiple_of(GRANULE)?;
    let there = Mapping::at(address);
    let left = match &there {
        None => [0..0, 0..0],
        Some(there) if there.addresses == (address..end) => [0..0, 0..0],
        Some(there) if there.is_reserved && there.addresses.end >= end => {
            [there.addresses.start..address, end..there.addresses.end]
        }
        Some(_) => return None,
    };
    if let Some(there) = &there {
        // SAFETY: a whole mapping, which the caller may replace, or addresses at which nobody has anything.
        unsafe { unmap(there.addresses.start, 0) };
    }
    let view = View::part(section.as_handle(), offset, bytes, address).map(View::leave);
    let lost = if view.is_none() && there.is_some() { address..end } else { 0..0 };
    left.into_iter().chain([lost]).filter(|left| !left.is_empty()).for_each(reserve_at);
    view
}

/// A mapping of the process.
struct Mapping {
    /// Of whole granules.
    addresses: Range<u64>,
    /// There is nothing at them.
    is_reserved: bool,
}

impl Mapping {
    /// The one that an address is of.
    fn at(address: u64) -> Option<Mapping> {
        let start = query(address).filter(|about| about.State != MEM_FREE)?.AllocationBase as u64;
        let (mut end, mut is_reserved) = (start, true);
        while let Some(about) = query(end)
            && about.State != MEM_FREE
            && about.AllocationBase as u64 == start
        {
            is_reserved &= about.State == MEM_RESERVE;
            end += about.RegionSize as u64;
        }
        Some(Mapping { addresses: start..end.next_multiple_of(GRANULE), is_reserved })
    }
}

/// What is at an address.
fn query(address: u64) -> Option<MEMORY_BASIC_INFORMATION> {
    let mut about = MEMORY_BASIC_INFORMATION::default();
    // SAFETY: it fills the structure in, whose size it is told.
    let told = unsafe { VirtualQuery(place(address), &raw mut about, size_of::<MEMORY_BASIC_INFORMATION>()) };
    (told != 0).then_some(about)
}

/// Keeps addresses where nothing is from being used for anything else, unless another thread was faster.
fn reserve_at(addresses: Range<u64>) {
    let bytes = (addresses.end - addresses.start) as usize;
    // SAFETY: a new mapping, which replaces none.
    unsafe { VirtualAlloc(place(addresses.start), bytes, MEM_RESERVE, PAGE_READWRITE) };
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

/// Ends a mapping of [`map_again`], and keeps its addresses reserved without access.
///
/// # Safety
/// It is the caller's, whole, and nobody uses its memory any more.
pub(super) unsafe fn reserve_placed(address: u64, bytes: usize) -> bool {
    // SAFETY: the caller's contract.
    let is_ended = unsafe { unmap_view(address) };
    if is_ended {
        reserve_at(address..(address + bytes as u64).next_multiple_of(GRANULE));
    }
    is_ended
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
