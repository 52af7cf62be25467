//! Pages for device memory, apart from the process's heap.
//!
//! **Problem.** Descriptors are words, so a shader can be run with the address of memory that the application
//! has freed. That breaks Vulkan's rules (VUID-vkFreeMemory-memory-00677), but must not write into what the
//! application, another library or the driver has allocated since.
//!
//! **Approach.** Large memory has a mapping of its own, whose addresses stay reserved without access for some
//! time after it is freed: an access raises a signal. Small memory shares regions that are never used for
//! anything else and never unmapped; freed pages hold zeros and are used again late.
//!
//! **Invariant.** Pages that are given out hold zeros, unless something wrote to them while they were free.
#![allow(unsafe_code)] // mappings by address

use super::fixed::Fixed;
use super::system;
use memmap2::{MmapOptions, MmapRaw};
use pyro_util::sync::Mutex;
use std::collections::VecDeque;
use std::fs::File;

/// From this size on memory has a mapping of its own.
pub(super) const MAPPING_FROM_BYTES: u64 = 256 << 10;
/// Bytes of a huge page. From this size on a mapping asks for such: there are fewer faults when it is
/// touched, and the rows of a tile of an image are on few pages.
const HUGE_PAGE_BYTES: usize = 2 << 20;
/// Bytes of a region that small memory shares.
const REGION_BYTES: usize = 8 << 20;
/// Freed mappings whose addresses stay reserved.
const RESERVED_MAX: usize = 256;
/// Freed pieces of a size that are kept before one is used again.
const FREE_MIN: usize = 32;
/// Sizes of small memory: a page, twice that, and so on.
const CLASSES: usize = 7;
/// Bytes of the smallest piece: the least page size of all systems.
const PIECE_BYTES: usize = 4096;

/// Zeroed pages.
pub(super) enum Pages {
    /// A mapping of their own.
    Mapping(Option<MmapRaw>),
    /// A piece of a shared region.
    Piece(Piece),
    /// A mapping in the window of fixed addresses, or of shared pages.
    Fixed(#[expect(dead_code, reason = "kept for its drop")] Fixed),
}

/// A piece of a shared region: `PIECE_BYTES << class` bytes.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    region: usize,
    offset: usize,
    class: usize,
}

impl Pages {
    /// At least `size` zeroed bytes, committed when they are touched; the address of the first. `None` where
    /// the system gives no memory.
    pub(super) fn zeroed(size: u64) -> Option<(Pages, u64)> {
        if size >= MAPPING_FROM_BYTES {
            let (mapping, address) = mapping(usize::try_from(size).ok()?)?;
            return Some((Pages::Mapping(Some(mapping)), address));
        }
        let (piece, address) = SHARED.lock().take(size as usize)?;
        Some((Pages::Piece(piece), address))
    }

    /// `size` zeroed bytes, or those of a file, at an address of the window of fixed addresses; at an
    /// unused one of it if the address is zero. `None` where the address is in use or outside of the window.
    pub(super) fn fixed(size: u64, address: u64, file: Option<&File>) -> Option<(Pages, u64)> {
        let fixed = Fixed::new(size, address, file)?;
        let address = fixed.address();
        Some((Pages::Fixed(fixed), address))
    }

    /// The first `size` bytes of a file of the driver's own, whose pages can be mapped a second time.
    pub(super) fn shared(size: u64, file: &File) -> Option<(Pages, u64)> {
        let shared = Fixed::shared(size, file)?;
        let address = shared.address();
        Some((Pages::Fixed(shared), address))
    }

    /// The first `size` bytes of a file, and the address of the first.
    #[cfg(unix)]
    pub(super) fn of_file(size: u64, file: &File) -> Option<(Pages, u64)> {
        let mapping = MmapOptions::new().len(usize::try_from(size).ok()?).map_raw(file).ok()?;
        let address = mapping.as_mut_ptr() as u64;
        Some((Pages::Mapping(Some(mapping)), address))
    }

    /// The first `size` bytes of a section, and the address of the first.
    #[cfg(windows)]
    pub(super) fn of_file(size: u64, section: &File) -> Option<(Pages, u64)> {
        Pages::shared(size, section)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        match self {
            Pages::Mapping(mapping) => mapping.take().into_iter().for_each(reserve),
            Pages::Piece(piece) => SHARED.lock().give_back(*piece),
            Pages::Fixed(_) => {}
        }
    }
}

/// Zeroed pages of their own, for large sizes from the boundary of a huge page on; with the address of the
/// first byte to use.
fn mapping(length: usize) -> Option<(MmapRaw, u64)> {
    let map = |length| {
        let once = || MmapOptions::new().len(length).no_reserve_swap().map_anon().ok();
        once().or_else(|| release_reserved().then(once).flatten())
    };
    if length < HUGE_PAGE_BYTES {
        let pages = MmapRaw::from(map(length)?);
        let address = pages.as_mut_ptr() as u64;
        return Some((pages, address));
    }
    let pages = map(length.checked_add(HUGE_PAGE_BYTES)?)?;
    // A system without them is as good.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    let pages = MmapRaw::from(pages);
    let address = (pages.as_mut_ptr() as u64).next_multiple_of(HUGE_PAGE_BYTES as u64);
    Some((pages, address))
}

/// Addresses of freed mappings, the oldest first.
static RESERVED: Mutex<VecDeque<MmapRaw>> = Mutex::new(VecDeque::new());

/// Gives the reserved addresses back to the system, which has no others; false where there were none.
fn release_reserved() -> bool {
    let reserved = core::mem::take(&mut *RESERVED.lock());
    !reserved.is_empty()
}

/// Whether the process can get so many bytes more. Always where its address space has no limit: then only
/// memory itself can run out, of which the system says nothing before it is touched.
pub(super) fn has_room(bytes: usize) -> bool {
    !system::is_limited() || mapping(bytes).is_some()
}

/// Frees a mapping's memory, and keeps its addresses reserved without access for some time.
fn reserve(mapping: MmapRaw) {
    // SAFETY: the mapping is the caller's alone, and whole.
    let replaced = unsafe { system::reserve(mapping.as_mut_ptr() as u64, mapping.len()) };
    // Where there are too many mappings, it is just unmapped.
    if replaced {
        let mut reserved = RESERVED.lock();
        reserved.push_back(mapping);
        let oldest = if reserved.len() > RESERVED_MAX { reserved.pop_front() } else { None };
        drop(reserved);
        drop(oldest);
    }
}

static SHARED: Mutex<Shared> = Mutex::new(Shared::new());

/// The shared regions.
struct Shared {
    regions: Vec<MmapRaw>,
    /// The part of the last region that was never given out.
    unused: usize,
    /// Freed pieces by class, the oldest first.
    free: [VecDeque<Piece>; CLASSES],
}

impl Shared {
    const fn new() -> Shared {
        Shared { regions: Vec::new(), unused: REGION_BYTES, free: [const { VecDeque::new() }; CLASSES] }
    }

    fn take(&mut self, size: usize) -> Option<(Piece, u64)> {
        let class = size.div_ceil(PIECE_BYTES).next_power_of_two().trailing_zeros() as usize;
        let free = self.free.get_mut(class)?;
        let piece = match free.len() > FREE_MIN {
            true => free.pop_front()?,
            false => self.cut(class)?,
        };
        Some((piece, self.address(piece)))
    }

    /// A piece that was never given out. What is left of a region that is too small for it stays unused.
    fn cut(&mut self, class: usize) -> Option<Piece> {
        let bytes = PIECE_BYTES << class;
        if REGION_BYTES - self.unused < bytes {
            let region = MmapOptions::new().len(REGION_BYTES).no_reserve_swap().map_anon().ok()?;
            self.regions.push(MmapRaw::from(region));
            self.unused = 0;
        }
        let piece = Piece { region: self.regions.len() - 1, offset: self.unused, class };
        self.unused += bytes;
        Some(piece)
    }

    fn address(&self, piece: Piece) -> u64 {
        self.regions[piece.region].as_mut_ptr() as u64 + piece.offset as u64
    }

    fn give_back(&mut self, piece: Piece) {
        let (region, bytes) = (&self.regions[piece.region], PIECE_BYTES << piece.class);
        // SAFETY: the pages are of a piece that nobody has any more.
        if !unsafe { system::free_pages(region, piece.offset, bytes) } {
            // SAFETY: inside the region, and nobody has the piece any more.
            unsafe { region.as_mut_ptr().add(piece.offset).write_bytes(0, bytes) };
        }
        self.free[piece.class].push_back(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(address: u64, count: usize) -> Vec<u8> {
        let pointer = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: the callers have pages of so many bytes there.
        (0..count).map(|index| unsafe { pointer.add(index).read_volatile() }).collect()
    }

    fn fill(address: u64, count: usize) {
        let pointer = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: the callers have pages of so many bytes there.
        unsafe { pointer.write_bytes(0xff, count) };
    }

    #[test]
    fn pages_are_zeroed_each_time() {
        for size in [1, 4096, 5000, 100_000, MAPPING_FROM_BYTES - 1, MAPPING_FROM_BYTES, 3 << 20] {
            let mut seen = Vec::new();
            for _ in 0..3 * FREE_MIN {
                let (pages, address) = Pages::zeroed(size).unwrap();
                assert!(address.is_multiple_of(PIECE_BYTES as u64));
                assert!(bytes(address, size as usize).iter().all(|&byte| byte == 0));
                fill(address, size as usize);
                assert_ne!(seen.last(), Some(&address), "freed pages are not used again at once");
                seen.push(address);
                drop(pages);
            }
        }
    }

    #[test]
    fn pieces_do_not_overlap() {
        let all: Vec<_> = (0..2000).map(|index| Pages::zeroed(1 + index * 97 % 60_000).unwrap()).collect();
        let mut ranges: Vec<_> =
            all.iter().zip(0..).map(|((_, address), index)| (*address, 1 + index * 97 % 60_000)).collect();
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
    }
}
