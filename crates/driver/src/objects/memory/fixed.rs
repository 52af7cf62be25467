//! Memory at addresses that another process can use again.
//!
//! **Problem.** A capture of a program holds device addresses: in memory, push constants and acceleration
//! structures. A replay must have its memory at the same addresses (`bufferDeviceAddressCaptureReplay`),
//! where the system may have put something else by then. **Approach.** Memory for capture and replay is in a
//! window of the address space that neither the system nor allocators choose by themselves: far below the
//! addresses of mappings and stacks, far above those of programs without randomization. **Invariant.** A
//! mapping never replaces another one.
#![allow(unsafe_code)] // mappings by address

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The window: 16 TiB.
const WINDOW: Range<u64> = 0x2000_0000_0000..0x3000_0000_0000;
/// Addresses are multiples of a huge page's size.
const ALIGNMENT: u64 = 2 << 20;
/// Places that are tried for new memory.
const ATTEMPTS: usize = 256;

/// Where the next new memory goes.
static NEXT: AtomicU64 = AtomicU64::new(WINDOW.start);

/// A mapping in the window; unmapped when dropped, so that a replay can be repeated in the same process.
pub(super) struct Fixed {
    address: u64,
    length: usize,
}

impl Fixed {
    /// Maps zeroed pages or a file, at an address or, if that is zero, anywhere in the window.
    pub(super) fn new(size: u64, address: u64, file: Option<&File>) -> Option<Fixed> {
        let length = size.max(1).checked_next_multiple_of(rustix::param::page_size() as u64)?;
        if address != 0 {
            return Fixed::at(address, length, file);
        }
        (0..ATTEMPTS).find_map(|_| {
            let step = length.checked_next_multiple_of(ALIGNMENT)?;
            let place = NEXT.fetch_add(step, Ordering::Relaxed);
            if place.checked_add(step).is_none_or(|end| end > WINDOW.end) {
                NEXT.store(WINDOW.start, Ordering::Relaxed);
                return None;
            }
            Fixed::at(place, length, file)
        })
    }

    fn at(address: u64, length: u64, file: Option<&File>) -> Option<Fixed> {
        let end = address.checked_add(length)?;
        if address < WINDOW.start || end > WINDOW.end || !address.is_multiple_of(ALIGNMENT) {
            return None;
        }
        let (length, place) = (usize::try_from(length).ok()?, address as *mut c_void);
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let mapped = match file {
            // SAFETY: a new mapping that replaces none; who uses its memory holds it.
            Some(file) => unsafe {
                mmap(place, length, protection, MapFlags::SHARED | MapFlags::FIXED_NOREPLACE, file, 0)
            },
            // SAFETY: as above.
            None => unsafe {
                let flags = MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE | MapFlags::NORESERVE;
                mmap_anonymous(place, length, protection, flags)
            },
        };
        let mapped = Fixed { address: mapped.ok()? as u64, length };
        // Systems that do not know the flag take the address as a hint.
        (mapped.address == address).then_some(mapped)
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Fixed {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and who used its memory has ended.
        let _ = unsafe { munmap(self.address as *mut c_void, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_be_used_again_but_not_twice() {
        let first = Fixed::new(10_000, 0, None).expect("memory");
        let address = first.address();
        assert!(WINDOW.contains(&address) && address.is_multiple_of(ALIGNMENT));
        assert!(Fixed::new(1, address, None).is_none(), "in use");
        drop(first);
        assert_eq!(Fixed::new(10_000, address, None).map(|again| again.address()), Some(address));
    }

    #[test]
    fn addresses_outside_of_the_window_are_refused() {
        for address in [4096, WINDOW.start - ALIGNMENT, WINDOW.start + 1, WINDOW.end, u64::MAX - 4095] {
            assert!(Fixed::new(8192, address, None).is_none(), "{address:#x}");
        }
        assert!(Fixed::new(u64::MAX, 0, None).is_none());
    }
}
