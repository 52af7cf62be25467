//! Which pages of a range were written since one last asked, as the kernel knows it (Linux 6.7 and later):
//! pages are protected by `userfaultfd` so that the kernel itself takes the protection off at the first write
//! (`UFFD_FEATURE_WP_ASYNC`), and `PAGEMAP_SCAN` tells those without it and protects them again. No signal
//! and no thread is in the program's way.
//!
//! To find them the kernel goes through the whole page table. But the first write to a protected page is a
//! page fault, of which it counts those of the process. Where there was none since, nothing was written;
//! where there were as many as pages that are written again and again ([`HotPages`]) were found written,
//! nothing else was.
//!
//! Older kernels do not offer this, and only anonymous memory is watched: [`WrittenPages::of`] gives none for
//! the rest.
#![allow(unsafe_code)] // system calls by number

use super::hot_pages::{HotPages, joined, without};
use super::ranges;
use std::fs::File;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::OnceLock;

/// Bytes of a page, on systems whose ranges are watched.
const PAGE_BYTES: u64 = 4096;
/// Runs of pages that one call of the kernel tells.
const RUNS: usize = 512;
/// Calls for pages that are looked for first, at most: more take longer than going through the page table.
const WINDOWS_MAX: usize = 16;

/// Of `linux/userfaultfd.h`.
const USER_MODE_ONLY: libc::c_int = 1;
const API: u64 = 0xaa;
const FEATURE_WP_ASYNC: u64 = 1 << 15;
const MODE_WP: u64 = 1 << 1;
/// Of `linux/fs.h`.
const SCAN_WP_MATCHING: u64 = 1 << 0;
const SCAN_CHECK_WPASYNC: u64 = 1 << 1;
const PAGE_IS_WRITTEN: u64 = 1 << 1;
const PAGE_IS_PRESENT: u64 = 1 << 3;
const PAGE_IS_SWAPPED: u64 = 1 << 4;

/// The bytes of pages.
fn of_bytes(pages: &Range<u64>) -> Range<u64> {
    pages.start * PAGE_BYTES..pages.end * PAGE_BYTES
}

/// `_IOWR(type, number, size)`
const fn read_write(kind: u8, number: u64, bytes: usize) -> u64 {
    3 << 30 | (bytes as u64) << 16 | (kind as u64) << 8 | number
}

/// `struct uffdio_api`
#[repr(C)]
struct Api {
    api: u64,
    features: u64,
    ioctls: u64,
}

/// `struct uffdio_register`, and of its first members `struct uffdio_range`.
#[repr(C)]
struct Register {
    start: u64,
    length: u64,
    mode: u64,
    ioctls: u64,
}

/// `struct uffdio_writeprotect`
#[repr(C)]
struct Protect {
    start: u64,
    length: u64,
    mode: u64,
}

/// `struct page_region`
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Run {
    start: u64,
    end: u64,
    categories: u64,
}

/// `struct pm_scan_arg`
#[repr(C)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    runs: u64,
    run_count: u64,
    pages_max: u64,
    category_inverted: u64,
    category_mask: u64,
    category_any: u64,
    return_mask: u64,
}

/// What the kernel is asked through.
struct Kernel {
    faults: OwnedFd,
    pages: File,
}

/// Calls the kernel; what it returns, unless that is an error.
fn control<T>(file: &impl AsRawFd, request: u64, argument: &mut T) -> Option<usize> {
    let argument = std::ptr::from_mut(argument);
    // SAFETY: each request of this module is made with the structure that it reads and writes; its arrays
    // are alive.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), request as _, argument) };
    usize::try_from(result).ok()
}

impl Kernel {
    #[cfg(not(target_os = "linux"))]
    fn open() -> Option<Kernel> {
        None
    }

    #[cfg(target_os = "linux")]
    fn open() -> Option<Kernel> {
        // SAFETY: a system call with flags alone, which gives a new file descriptor or an error.
        let descriptor = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | USER_MODE_ONLY) };
        let descriptor = i32::try_from(descriptor).ok().filter(|&descriptor| descriptor >= 0)?;
        // SAFETY: the descriptor is new and nobody else's.
        let faults = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let mut api = Api { api: API, features: FEATURE_WP_ASYNC, ioctls: 0 };
        control(&faults, read_write(0xaa, 0x3f, size_of::<Api>()), &mut api)?;
        Some(Kernel { faults, pages: File::open("/proc/self/pagemap").ok()? })
    }

    /// The pages of a range of addresses that are of all of the first categories and, if there are any, of
    /// one of the second.
    fn scan(&self, range: Range<u64>, flags: u64, [all, any]: [u64; 2]) -> Option<Vec<Range<u64>>> {
        let mut found: Vec<Range<u64>> = Vec::new();
        let mut at = range.start;
        let mut runs = [Run::default(); RUNS];
        while at < range.end {
            let mut scan = Scan {
                size: size_of::<Scan>() as u64,
                flags,
                start: at,
                end: range.end,
                walk_end: 0,
                runs: runs.as_mut_ptr().expose_provenance() as u64,
                run_count: RUNS as u64,
                pages_max: 0,
                category_inverted: 0,
                category_mask: all,
                category_any: any,
                return_mask: all | any,
            };
            let request = read_write(b'f', 16, size_of::<Scan>());
            let count = control(&self.pages, request, &mut scan)?;
            for run in runs.get(..count)? {
                ranges::push(&mut found, run.start..run.end);
            }
            if scan.walk_end <= at {
                return None;
            }
            at = scan.walk_end;
        }
        Some(found)
    }

    fn get() -> Option<&'static Kernel> {
        static KERNEL: OnceLock<Option<Kernel>> = OnceLock::new();
        KERNEL.get_or_init(Kernel::open).as_ref()
    }
}

/// The page faults that the threads of this process have had, which includes each first write to a protected
/// page; none where the system does not tell.
fn fault_count() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure is written whole, or not at all; all zeros are a valid one.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    Some((usage.ru_minflt as u64).wrapping_add(usage.ru_majflt as u64))
}

/// The bytes, from its start, of the pages of an anonymous range that were ever touched: the others are
/// zeros. None where the kernel does not tell.
pub(super) fn touched(start: u64, bytes: u64) -> Option<Vec<Range<u64>>> {
    if start == 0 || !start.is_multiple_of(PAGE_BYTES) {
        return None;
    }
    let end = start + bytes.next_multiple_of(PAGE_BYTES);
    let found = Kernel::get()?.scan(start..end, 0, [0, PAGE_IS_PRESENT | PAGE_IS_SWAPPED])?;
    Some(found.into_iter().map(|run| run.start - start..(run.end - start).min(bytes)).collect())
}

/// A range that is watched.
pub(super) struct WrittenPages {
    kernel: &'static Kernel,
    start: u64,
    length: u64,
    /// The process's page faults at the last look through the page table.
    faults: Option<u64>,
    hot: HotPages,
}

impl WrittenPages {
    /// Watches the whole pages at an address from now on; none where that cannot be done.
    pub(super) fn of(start: u64, bytes: u64) -> Option<WrittenPages> {
        let length = bytes & !(PAGE_BYTES - 1);
        if start == 0 || !start.is_multiple_of(PAGE_BYTES) || length == 0 {
            return None;
        }
        let kernel = Kernel::get()?;
        let mut register = Register { start, length, mode: MODE_WP, ioctls: 0 };
        control(&kernel.faults, read_write(0xaa, 0, size_of::<Register>()), &mut register)?;
        let hot = HotPages::of((length / PAGE_BYTES) as usize);
        let watched = WrittenPages { kernel, start, length, faults: None, hot };
        watched.scan(0..length, SCAN_WP_MATCHING)?;
        Some(watched)
    }

    /// The bytes, from the range's start, of pages that were written since the last call of this, in order,
    /// and of pages that are written often; none where the kernel does not tell.
    pub(super) fn take(&mut self) -> Option<Vec<Range<u64>>> {
        // Faults from here on are seen by the next look.
        let faults = fault_count();
        let compared: Vec<Range<u64>> = self.hot.compared().iter().map(of_bytes).collect();
        if faults.is_some() && faults == self.faults {
            return Some(compared);
        }
        let (mut written, is_all) = self.take_warm(faults)?;
        self.faults = faults;
        if !is_all && compared.is_empty() {
            written.extend(self.scan(0..self.length, SCAN_WP_MATCHING)?);
        } else if !is_all {
            // Those stay as they are.
            let others = without(&self.scan(0..self.length, 0)?, &compared);
            for range in joined(&others, &compared) {
                written.extend(self.scan(range, SCAN_WP_MATCHING)?);
            }
        }
        let pages = written.iter().flat_map(|range| range.start / PAGE_BYTES..range.end / PAGE_BYTES);
        for page in pages {
            if self.hot.tell(page) {
                let start = self.start + page * PAGE_BYTES;
                let mut protect = Protect { start, length: PAGE_BYTES, mode: 0 };
                let request = read_write(0xaa, 6, size_of::<Protect>());
                control(&self.kernel.faults, request, &mut protect)?;
            }
        }
        written.extend(compared);
        written.sort_unstable_by_key(|range| range.start);
        Some(written)
    }

    /// Those that were written of the pages that are looked for first, and whether these are all that were
    /// written: each has had its fault, and there were no others, nor any while it was looked.
    fn take_warm(&mut self, faults: Option<u64>) -> Option<(Vec<Range<u64>>, bool)> {
        let (Some(now), Some(before)) = (faults, self.faults) else { return Some((Vec::new(), false)) };
        if self.hot.windows().is_empty() || self.hot.windows().len() > WINDOWS_MAX {
            return Some((Vec::new(), false));
        }
        let windows: Vec<Range<u64>> = self.hot.windows().iter().map(of_bytes).collect();
        let mut written = Vec::new();
        for window in windows {
            written.extend(self.scan(window, SCAN_WP_MATCHING)?);
        }
        let pages: u64 = written.iter().map(|range| (range.end - range.start) / PAGE_BYTES).sum();
        let is_all = now.wrapping_sub(before) == pages && fault_count() == faults;
        Some((written, is_all))
    }

    /// These bytes changed, in order.
    pub(super) fn changed(&mut self, changes: &[Range<usize>]) {
        let of_pages =
            |bytes: &Range<usize>| bytes.start as u64 / PAGE_BYTES..(bytes.end as u64).div_ceil(PAGE_BYTES);
        if self.hot.changed(&changes.iter().map(of_pages).collect::<Vec<Range<u64>>>()) {
            // What is not compared any more is not protected yet, so no fault would tell of a write.
            self.faults = None;
        }
    }

    /// The bytes of pages of a range that are not protected; they are then, or not.
    fn scan(&self, range: Range<u64>, protects: u64) -> Option<Vec<Range<u64>>> {
        let (start, end) = (self.start + range.start, self.start + range.end);
        let flags = protects | SCAN_CHECK_WPASYNC;
        let written = self.kernel.scan(start..end, flags, [PAGE_IS_WRITTEN, 0])?;
        Some(written.into_iter().map(|run| run.start - self.start..run.end - self.start).collect())
    }

    /// Bytes that are watched.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

impl Drop for WrittenPages {
    fn drop(&mut self) {
        // `UFFDIO_UNREGISTER` takes a `struct uffdio_range` (`_IOR`).
        let mut range = [self.start, self.length];
        let request = 2 << 30 | 16 << 16 | 0xaa << 8 | 1;
        control(&self.kernel.faults, request, &mut range);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memmap2::MmapMut;
    use std::slice;

    #[test]
    fn written_pages_are_told_once() {
        if Kernel::get().is_none() {
            // Older kernels: everything is compared.
            return;
        }
        let page = PAGE_BYTES as usize;
        let mut memory = MmapMut::map_anon(64 * page).expect("memory");
        memory[5 * page] = 1;
        let address = memory.as_ptr().expose_provenance() as u64;
        let mut watched = WrittenPages::of(address, 64 * PAGE_BYTES + 7).expect("it is watched");
        assert_eq!((watched.length(), watched.take()), (64 * PAGE_BYTES, Some(Vec::new())));
        let at = |pages: Range<u64>| pages.start * PAGE_BYTES..pages.end * PAGE_BYTES;
        memory[5 * page + 9] = 2;
        memory[6 * page] = 2;
        memory[63 * page + 4095] = 2;
        assert_eq!(watched.take(), Some(vec![at(5..7), at(63..64)]));
        assert_eq!(watched.take(), Some(Vec::new()));
        drop(watched);
        memory[7 * page] = 3;
        // More runs than one call tells.
        let mut memory = MmapMut::map_anon(4096 * page).expect("memory");
        let address = memory.as_ptr().expose_provenance() as u64;
        let mut watched = WrittenPages::of(address, 4096 * PAGE_BYTES).expect("it is watched");
        (0..2048).for_each(|odd| memory[(2 * odd + 1) * page] = 1);
        let all: Vec<Range<u64>> = (0..2048).map(|odd| at(2 * odd + 1..2 * odd + 2)).collect();
        assert_eq!(watched.take(), Some(all));
    }

    /// Pages that are written at almost every look are told at each, and need no look through the page table;
    /// nothing that is written elsewhere is missed meanwhile.
    #[test]
    fn hot_pages_are_always_told() {
        if Kernel::get().is_none() {
            return;
        }
        let page = PAGE_BYTES as usize;
        let mut memory = MmapMut::map_anon(1024 * page).expect("memory");
        let address = memory.as_ptr().expose_provenance() as u64;
        let mut watched = WrittenPages::of(address, 1024 * PAGE_BYTES).expect("it is watched");
        let at = |pages: Range<u64>| pages.start * PAGE_BYTES..pages.end * PAGE_BYTES;
        for round in 1..4 {
            (3..5).for_each(|number| memory[number * page] = round);
            assert_eq!(watched.take(), Some(vec![at(3..5)]));
            watched.changed(slice::from_ref(&(3 * page..5 * page)));
        }
        let faults = watched.faults;
        assert!(faults.is_some());
        memory[4 * page] = 9;
        let told = watched.take();
        assert!(told.is_some_and(|told| told.contains(&at(3..5))));
        // A cold page on each side.
        memory[2 * page] = 9;
        memory[1000 * page] = 9;
        assert_eq!(watched.take(), Some(vec![at(2..3), at(3..5), at(1000..1001)]));
        assert_eq!(watched.take(), Some(vec![at(3..5)]));
        memory[1000 * page] = 10;
        assert_eq!(watched.take(), Some(vec![at(3..5), at(1000..1001)]));
        // Where nothing changes there, they are protected again.
        (0..1000).for_each(|_| watched.changed(&[]));
        assert_eq!(watched.take(), Some(vec![at(3..5)]));
        assert_eq!(watched.take(), Some(Vec::new()));
    }

    /// Pages that are written again but seldom are found by their own faults; what is written beside them,
    /// too.
    #[test]
    fn pages_that_are_written_seldom_are_looked_for_first() {
        if Kernel::get().is_none() {
            return;
        }
        let page = PAGE_BYTES as usize;
        let mut memory = MmapMut::map_anon(4096 * page).expect("memory");
        let address = memory.as_ptr().expose_provenance() as u64;
        let mut watched = WrittenPages::of(address, 4096 * PAGE_BYTES).expect("it is watched");
        let at = |pages: Range<u64>| pages.start * PAGE_BYTES..pages.end * PAGE_BYTES;
        let mut look = |memory: &mut MmapMut, pages: &[u64]| {
            pages.iter().for_each(|&number| memory[number as usize * page] += 1);
            let told = watched.take();
            assert_eq!(told, Some(pages.iter().map(|&number| at(number..number + 1)).collect()));
            let changes = pages.iter().map(|&number| number as usize * page..(number as usize + 1) * page);
            watched.changed(&changes.collect::<Vec<_>>());
            // Nothing for long.
            (0..20).for_each(|_| watched.changed(&[]));
        };
        for _ in 0..3 {
            for number in 10..40 {
                look(&mut memory, &[number]);
            }
        }
        look(&mut memory, &[12, 3000]);
        look(&mut memory, &[3000]);
        look(&mut memory, &[]);
        look(&mut memory, &[3, 20, 25, 3000, 4000]);
    }

    #[test]
    fn touched_pages_are_told() {
        if Kernel::get().is_none() {
            return;
        }
        let page = PAGE_BYTES as usize;
        let mut memory = MmapMut::map_anon(64 * page).expect("memory");
        let address = memory.as_ptr().expose_provenance() as u64;
        assert_eq!(touched(address, 64 * PAGE_BYTES), Some(Vec::new()));
        memory[5 * page] = 1;
        memory[63 * page] = 1;
        let end = 63 * PAGE_BYTES;
        assert_eq!(touched(address, end + 100), Some(vec![5 * PAGE_BYTES..6 * PAGE_BYTES, end..end + 100]));
        assert_eq!(touched(address + 1, PAGE_BYTES), None);
    }

    #[test]
    fn what_cannot_be_watched_is_not() {
        assert!(WrittenPages::of(0, 1 << 20).is_none());
        assert!(WrittenPages::of(PAGE_BYTES + 1, 1 << 20).is_none());
        assert!(WrittenPages::of(PAGE_BYTES, 100).is_none());
        // Nothing is mapped there.
        assert!(WrittenPages::of(PAGE_BYTES, PAGE_BYTES).is_none());
    }
}
