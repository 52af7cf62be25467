//! What the driver asks Windows.
#![allow(unsafe_code)] // functions of the system that fill structures in

use std::fs::File;
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle, FromRawHandle as _};
use std::ptr::null;
use windows_sys::Win32::Foundation::{FILETIME, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, MEMORY_BASIC_INFORMATION, MEMORY_MAPPED_VIEW_ADDRESS,
    MapViewOfFileEx, PAGE_READWRITE, UnmapViewOfFile, VirtualQuery,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

/// Bytes that sections have a multiple of.
const PAGE_BYTES: u64 = 4096;

fn memory() -> MEMORYSTATUSEX {
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: it fills the structure in, whose length it is told; on failure it stays zeros.
    unsafe { GlobalMemoryStatusEx(&mut status) };
    status
}

/// Bytes of memory in the machine.
pub fn memory_bytes() -> u64 {
    memory().ullTotalPhys
}

/// Bytes of memory that could be used without swapping.
pub fn memory_available_bytes() -> u64 {
    memory().ullAvailPhys
}

/// Nanoseconds of processor time of all threads of the process; zero where the system does not say.
pub fn process_ns() -> u64 {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: it fills the structures in; on failure they stay zeros.
    unsafe { GetProcessTimes(GetCurrentProcess(), created, ended, kernel, user) };
    // In steps of 100 nanoseconds.
    let ns = |time: &FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    ns(kernel) + ns(user)
}

/// How many mappings the process may have. Windows has no such limit, but what Wine runs on has about this.
pub(crate) fn mappings_max() -> u64 {
    1 << 16
}

/// A section of `size` bytes that lives in memory only (and in the system's paging file): what a memory file
/// is elsewhere. The file only keeps its handle. Sections do not change their size.
pub fn memory_file(size: u64) -> Option<File> {
    let bytes = size.max(1).checked_next_multiple_of(PAGE_BYTES)?;
    let (high, low) = ((bytes >> 32) as u32, bytes as u32);
    // SAFETY: the function makes an object without name; its handle is the caller's.
    let section =
        unsafe { CreateFileMappingW(INVALID_HANDLE_VALUE, null(), PAGE_READWRITE, high, low, null()) };
    // SAFETY: the handle is open, and nobody else's.
    (!section.is_null()).then(|| unsafe { File::from_raw_handle(section) })
}

/// A mapping of a section's bytes; unmapped when dropped.
pub(crate) struct View {
    address: u64,
}

impl View {
    /// Maps so many of the first bytes, all if that is zero; at an address if it is not zero. None where the
    /// handle is not one of a section of that length, or the addresses are in use.
    pub(crate) fn new(section: BorrowedHandle<'_>, bytes: usize, address: u64) -> Option<View> {
        View::part(section, 0, bytes, address)
    }

    /// The same from a byte on, which is a multiple of 64 KiB.
    pub(crate) fn part(section: BorrowedHandle<'_>, offset: u64, bytes: usize, address: u64) -> Option<View> {
        let place = std::ptr::with_exposed_provenance_mut(address as usize);
        let access = FILE_MAP_READ | FILE_MAP_WRITE;
        let (high, low) = ((offset >> 32) as u32, offset as u32);
        // SAFETY: a new mapping, which replaces none; who uses its memory holds it.
        let view = unsafe { MapViewOfFileEx(section.as_raw_handle(), access, high, low, bytes, place) };
        (!view.Value.is_null()).then(|| View { address: view.Value.expose_provenance() as u64 })
    }

    /// Its first byte's.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Bytes that are mapped.
    pub(crate) fn bytes(&self) -> u64 {
        let place = std::ptr::with_exposed_provenance(self.address as usize);
        let mut about = MEMORY_BASIC_INFORMATION::default();
        // SAFETY: it fills the structure in, whose size it is told.
        unsafe { VirtualQuery(place, &raw mut about, size_of::<MEMORY_BASIC_INFORMATION>()) };
        about.RegionSize as u64
    }

    /// Leaves it mapped: [`unmap_view`] ends it.
    pub(crate) fn leave(self) -> u64 {
        let address = self.address;
        std::mem::forget(self);
        address
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: the view is this value's own, and who used its memory has ended.
        unsafe { unmap_view(self.address) };
    }
}

/// Ends a view. False, and nothing happens, where there is none.
///
/// # Safety
/// It is the caller's, and nobody uses its memory any more.
pub(crate) unsafe fn unmap_view(address: u64) -> bool {
    let view = MEMORY_MAPPED_VIEW_ADDRESS { Value: std::ptr::with_exposed_provenance_mut(address as usize) };
    // SAFETY: the caller's contract.
    unsafe { UnmapViewOfFile(view) != 0 }
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn QueryPerformanceCounter(count: *mut i64) -> i32;
    fn QueryPerformanceFrequency(per_second: *mut i64) -> i32;
}

/// The count of the system's monotonic clock.
pub fn performance_counter() -> u64 {
    let mut count = 0;
    // SAFETY: it fills the number in; it never fails on systems since Windows XP.
    unsafe { QueryPerformanceCounter(&raw mut count) };
    count as u64
}

/// How often it counts in a second.
fn counts_per_second() -> u64 {
    static COUNTS: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *COUNTS.get_or_init(|| {
        let mut per_second = 0;
        // SAFETY: as above.
        unsafe { QueryPerformanceFrequency(&raw mut per_second) };
        (per_second as u64).max(1)
    })
}

/// Nanoseconds of the monotonic clock: what timestamp queries write.
pub fn monotonic_ns() -> u64 {
    (u128::from(performance_counter()) * 1_000_000_000 / u128::from(counts_per_second())) as u64
}

/// Nanoseconds of its steps, at most.
pub fn monotonic_step_ns() -> u64 {
    1_000_000_000_u64.div_ceil(counts_per_second())
}
