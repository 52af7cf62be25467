//! Memory at addresses that another process can use again.
//!
//! **Problem.** A capture of a program holds device addresses: in memory, push constants and acceleration
//! structures. A replay must have its memory at the same addresses (`bufferDeviceAddressCaptureReplay`),
//! where the system may have put something else by then. **Approach.** Memory for capture and replay is in a
//! window of the address space that neither the system nor allocators choose by themselves: far below the
//! addresses of mappings and stacks, far above those of programs without randomization. **Invariant.** A
//! mapping never replaces another one.
#![allow(unsafe_code)] // mappings by address

use super::mapped::Block;
use super::{DeviceMemory, system};
use crate::caps::limits;
use crate::error::{Error, Result};
use pyro_codemem::fault::FileMemory;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use vulkanalia_sys as vk;

/// The window: 16 TiB.
const WINDOW: Range<u64> = 0x2000_0000_0000..0x3000_0000_0000;
/// Addresses are multiples of a huge page's size.
const ALIGNMENT: u64 = 2 << 20;
/// Places that are tried for new memory.
const ATTEMPTS: usize = 256;

/// Where the next new memory goes.
static NEXT: AtomicU64 = AtomicU64::new(WINDOW.start);

/// A mapping in the window, or of shared pages anywhere; unmapped when dropped, so that a replay can be
/// repeated in the same process.
pub(super) struct Fixed {
    address: u64,
    length: usize,
}

impl Fixed {
    /// Maps zeroed pages or a file, at an address or, if that is zero, anywhere in the window.
    pub(super) fn new(size: u64, address: u64, file: Option<&File>) -> Option<Fixed> {
        let length = size.max(1).checked_next_multiple_of(system::page_bytes())?;
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

    /// Maps a file's pages wherever the system likes; [`Placed`] can map them a second time.
    pub(super) fn shared(size: u64, file: &File) -> Option<Fixed> {
        let length = size.max(1).checked_next_multiple_of(system::page_bytes())?;
        let length = usize::try_from(length).ok()?;
        Some(Fixed { address: system::map_shared(length, file)?, length })
    }

    fn at(address: u64, length: u64, file: Option<&File>) -> Option<Fixed> {
        let end = address.checked_add(length)?;
        if address < WINDOW.start || end > WINDOW.end || !address.is_multiple_of(ALIGNMENT) {
            return None;
        }
        let length = usize::try_from(length).ok()?;
        let mapped = Fixed { address: system::map_at(address, length, file)?, length };
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
        unsafe { system::unmap(self.address, self.length) };
    }
}

impl DeviceMemory {
    /// Marks it mapped, and maps its bytes from `offset` on at `address` a second time
    /// (`VK_EXT_map_memory_placed`).
    ///
    /// # Errors
    /// As of [`DeviceMemory::map`], and when the system cannot map it there.
    ///
    /// # Safety
    /// What is mapped at `size` bytes from `address` on is the application's, who gives it up
    /// (VUID-VkMemoryMapInfo-flags-09574).
    pub unsafe fn map_placed(&self, offset: u64, size: u64, address: u64) -> Result<u64> {
        let size = if size == vk::WHOLE_SIZE { self.size().saturating_sub(offset) } else { size };
        let from = self.map_device(offset, size)?;
        // SAFETY: `map_device` has checked the range, and the rest is the caller's contract.
        let placed = unsafe { Placed::new(self.block(), self.file.as_ref(), from, size, address) };
        self.keep_placed(placed).then_some(address).ok_or_else(|| {
            Error::new(
                vk::Result::ERROR_MEMORY_MAP_FAILED,
                format!(
                    "the memory cannot be mapped at {address:#x}: the address or offset is no multiple of \
                     minPlacedMemoryMapAlignment, the memory is not the driver's, or what is there cannot be \
                     replaced (VUID-VkMemoryMapPlacedInfoEXT-flags-09576)"
                ),
            )
        })
    }
}

impl DeviceMemory {
    /// Maps what is mapped at `address`, so many bytes or all that follow, a second time where the system
    /// likes, and gives the address there. The same address where that is not possible.
    pub(super) fn map_apart(&self, address: u64, size: u64) -> u64 {
        let block = self.block();
        let size = size.min(block.size() - (address - block.address()));
        match Placed::anywhere(block, self.file.as_ref(), address, size) {
            Some((placed, there)) => {
                self.keep_placed(Some(placed));
                there
            }
            None => address,
        }
    }
}

/// A second mapping of memory, where the application wants it or anywhere; unmapped when dropped.
pub(super) struct Placed {
    truncatable: Option<FileMemory>,
    address: u64,
    length: usize,
}

impl Placed {
    /// Maps `size` bytes of a block, from `from` on, at `address` too. `None` where the addresses are no
    /// multiples of what the system asks, the block's pages are not shared (by `file`, if that is not the
    /// block's own), or what is mapped at `address` is such that the system does not replace it.
    ///
    /// # Safety
    /// `from` lies `size` bytes or more before the block's end, and what is mapped at `address` is the
    /// caller's to replace.
    pub(super) unsafe fn new(
        block: &Block,
        file: Option<&File>,
        from: u64,
        size: u64,
        address: u64,
    ) -> Option<Placed> {
        let alignment = limits::placed_mapping_alignment();
        let whole = from.is_multiple_of(alignment) && address.is_multiple_of(alignment) && address != 0;
        if !whole || !block.has_pages() {
            return None;
        }
        let length = usize::try_from(size.checked_next_multiple_of(system::page_bytes())?).ok()?;
        let file = || file.or_else(|| block.share());
        // SAFETY: the block's pages are shared; what is at the address is the caller's.
        let mapped = unsafe { system::map_again(from, (file, from - block.address()), length, address) };
        let truncatable = block.truncatable_at(address..address + length as u64);
        (mapped? == address).then_some(Placed { truncatable, address, length })
    }

    /// Maps `size` bytes of a block, from `from` on, at addresses that the system chooses, too; with that of
    /// `from` there. `None` where the block's pages are not shared.
    pub(super) fn anywhere(
        block: &Block,
        file: Option<&File>,
        from: u64,
        size: u64,
    ) -> Option<(Placed, u64)> {
        if !block.has_pages() || size == 0 || from < block.address() {
            return None;
        }
        let (start, alignment) = (block.address(), limits::placed_mapping_alignment());
        let before = (from - start) % alignment;
        let length = (before + size).checked_next_multiple_of(system::page_bytes())?;
        let length = usize::try_from(length).ok()?;
        let (file, page) = (|| file.or_else(|| block.share()), from - before);
        // SAFETY: the block's pages are shared from a page of its own on; nothing is replaced.
        let address = unsafe { system::map_again(page, (file, page - start), length, 0) }?;
        let truncatable = block.truncatable_at(address..address + length as u64);
        Some((Placed { truncatable, address, length }, address + before))
    }

    /// Ends it, and keeps its addresses from being used for anything else. Given back, and nothing happens,
    /// where the system does not.
    pub(super) fn reserve(mut self) -> Result<(), Placed> {
        // SAFETY: the mapping is this value's own, whole, and the application has ended it.
        let replaced = unsafe { system::reserve_placed(self.address, self.length) };
        if !replaced {
            return Err(self);
        }
        drop(self.truncatable.take());
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        drop(self.truncatable.take());
        // SAFETY: the mapping is this value's own; the application has ended it, or freed the memory.
        unsafe { system::unmap(self.address, self.length) };
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
