//! The only place where the driver touches memory by address, but for the loops in `bulk`.
//!
//! A [`Block`] owns (or, imported, borrows from the application) a range of host memory at a fixed address. A
//! [`Range`] is a checked piece of one. Applications and shaders read and write the same bytes at any time,
//! so nothing here hands out references to them: every access copies.
#![allow(unsafe_code)] // memory by address; the functions' faces are safe but for the import

use super::bulk;
pub use super::bulk::PATTERN_BYTES;
use super::pages::{MAPPING_FROM_BYTES, Pages};
#[cfg(unix)]
use super::sparse;
use super::sparse::{SPARSE_BLOCK_BYTES, SparsePages};
use pyro_codemem::fault::FileMemory;
use std::alloc::Layout;
use std::fs::File;
use std::ops;
use std::sync::{Arc, OnceLock};

/// Memory has whole pages of this size, and files are mapped by them.
const PAGE_BYTES: u64 = 4096;
/// Files whose pages are mapped a second time have a multiple of this: on Windows, where views do not end
/// behind a section, of a block of sparse resources.
pub(super) const SHARED_BYTES: u64 = if cfg!(windows) { SPARSE_BLOCK_BYTES } else { PAGE_BYTES };

/// Rows of bytes in a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockRows {
    /// Of the first row.
    pub offset: u64,
    /// Bytes from one row to the next.
    pub pitch: u64,
    /// Rows.
    pub count: u64,
    /// Bytes of each.
    pub bytes: u64,
}

/// Host memory at a fixed address, zeroed when it was made.
pub struct Block {
    address: u64,
    size: u64,
    backing: Backing,
    /// The file that has its pages, once sparse resources want them.
    shared: OnceLock<Option<File>>,
}

enum Backing {
    /// From the allocator.
    Heap(Layout),
    /// Pages apart from the heap; committed when first touched.
    Pages(#[expect(dead_code, reason = "kept for its drop")] Pages),
    /// A file's pages, of memory that others may truncate where there is something that says so.
    File {
        /// Ends before the mapping does.
        truncatable: Option<FileMemory>,
        #[expect(dead_code, reason = "kept for its drop")]
        pages: Pages,
    },
    /// The application's.
    Imported,
    /// Pages of other blocks, as they are bound.
    Sparse(#[expect(dead_code, reason = "kept for its drop")] SparsePages),
}

// SAFETY: a block is an address; accesses go through raw copies, and the backing is only touched on drop.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Without a file yet.
    fn of(address: u64, size: u64, backing: Backing) -> Block {
        Block { address, size, backing, shared: OnceLock::new() }
    }

    /// `size` zeroed bytes aligned to `alignment` (a power of two of at most 4096). None when there is no
    /// memory.
    pub fn zeroed(size: u64, alignment: usize) -> Option<Block> {
        if size >= MAPPING_FROM_BYTES {
            return Block::apart(size);
        }
        let length = usize::try_from(size.max(1)).ok()?;
        let layout = Layout::from_size_align(length, alignment).ok()?;
        // SAFETY: the layout's size is not zero.
        let pointer = unsafe { std::alloc::alloc_zeroed(layout) };
        (!pointer.is_null()).then_some(Block {
            address: pointer as u64,
            size,
            backing: Backing::Heap(layout),
            shared: OnceLock::new(),
        })
    }

    /// `size` zeroed bytes from a page's start on, whose addresses are not used for anything but such blocks
    /// for some time after this is dropped. `None` when there is no memory.
    pub fn apart(size: u64) -> Option<Block> {
        let (pages, address) = Pages::zeroed(size)?;
        Some(Block::of(address, size, Backing::Pages(pages)))
    }

    /// The same, whose pages can be mapped a second time. `None` also where the system has no such pages.
    pub fn shared(size: u64) -> Option<Block> {
        let file = crate::system::memory_file(size.max(1).checked_next_multiple_of(SHARED_BYTES)?)?;
        let (pages, address) = Pages::shared(size, &file)?;
        Some(Block { address, size, backing: Backing::Pages(pages), shared: OnceLock::from(Some(file)) })
    }

    /// The first `size` bytes of a file, shared with everybody who maps it. If others may truncate it, its
    /// owner for [`pyro_codemem::fault::truncated`] is given.
    pub fn from_file(file: &File, size: u64, owner: Option<u64>) -> Option<Block> {
        let (pages, address) = Pages::of_file(size.max(1), file)?;
        let end = address + size.max(1).next_multiple_of(PAGE_BYTES);
        let truncatable = owner.map(|owner| FileMemory::new(address..end, owner));
        Some(Block::of(address, size, Backing::File { truncatable, pages }))
    }

    /// `size` zeroed bytes, or those of a file, at a fixed address, or at an unused fixed one if it is zero
    /// (see `fixed`). `None` when the address is not available.
    pub fn fixed(size: u64, address: u64, file: Option<&File>) -> Option<Block> {
        let (pages, address) = Pages::fixed(size, address, file)?;
        let backing = match file {
            Some(_) => Backing::File { truncatable: None, pages },
            None => Backing::Pages(pages),
        };
        Some(Block::of(address, size, backing))
    }

    /// `size` zeroed bytes at a fixed address, as of [`Block::fixed`], whose pages can be mapped a second
    /// time, as those of [`Block::shared`].
    pub fn fixed_shared(size: u64, address: u64) -> Option<Block> {
        let file = crate::system::memory_file(size.max(1).checked_next_multiple_of(SHARED_BYTES)?)?;
        let (pages, address) = Pages::fixed(size, address, Some(&file))?;
        Some(Block { address, size, backing: Backing::Pages(pages), shared: OnceLock::from(Some(file)) })
    }

    /// The application's memory.
    ///
    /// # Safety
    /// The bytes must stay valid for reads and writes while the block, or a range of it, lives.
    pub unsafe fn imported(address: u64, size: u64) -> Block {
        Block::of(address, size, Backing::Imported)
    }

    /// The memory of a sparse resource.
    pub(super) fn sparse(address: u64, size: u64, pages: SparsePages) -> Block {
        Block::of(address, size, Backing::Sparse(pages))
    }

    /// The first byte's address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it consists of pages of the driver's own, or of a file's.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))] // only Linux maps pages a second time
    pub(super) fn has_pages(&self) -> bool {
        matches!(self.backing, Backing::Pages(_) | Backing::File { .. })
    }

    /// Bytes of its pages.
    #[cfg(unix)]
    fn page_bytes(&self) -> u64 {
        self.size.next_multiple_of(PAGE_BYTES)
    }

    /// A file that has its bytes from now on, so that they can be mapped elsewhere too. None where the memory
    /// is not the driver's own, or the system gives no file; on Windows where it was not made with one.
    pub(super) fn share(&self) -> Option<&File> {
        #[cfg(unix)]
        self.shared.get_or_init(|| {
            // SAFETY: pages are whole, and of an anonymous mapping that is this block's alone.
            let into_file = || unsafe { sparse::into_file(self.address, self.page_bytes()) };
            matches!(self.backing, Backing::Pages(_)).then(into_file).flatten()
        });
        self.shared.get()?.as_ref()
    }

    /// Says of a second mapping of its pages, if others may truncate them, that it is one.
    pub(super) fn truncatable_at(&self, addresses: ops::Range<u64>) -> Option<FileMemory> {
        match &self.backing {
            Backing::File { truncatable: Some(memory), .. } => {
                Some(FileMemory::new(addresses, memory.owner()))
            }
            _ => None,
        }
    }

    #[inline]
    fn pointer(&self, offset: u64, size: u64) -> *mut u8 {
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            outside(offset, size, self.size);
        }
        (self.address + offset) as *mut u8
    }

    /// Writes words.
    ///
    /// # Panics
    /// If they are not all inside.
    #[inline]
    pub fn write_words(&self, offset: u64, words: &[u64]) {
        let pointer = self.pointer(offset, 8 * words.len() as u64).cast::<u64>();
        for (index, &word) in words.iter().enumerate() {
            // SAFETY: `pointer` checked the range; the memory lives as long as the block.
            unsafe { pointer.add(index).write_unaligned(word) };
        }
    }

    /// Copies bytes out.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) {
        let pointer = self.pointer(offset, bytes.len() as u64);
        // SAFETY: `pointer` checked the range; the memory lives as long as the block.
        unsafe { core::ptr::copy_nonoverlapping(pointer, bytes.as_mut_ptr(), bytes.len()) };
    }

    /// Copies bytes in.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let pointer = self.pointer(offset, bytes.len() as u64);
        // SAFETY: as in `read`.
        unsafe { core::ptr::copy(bytes.as_ptr(), pointer, bytes.len()) };
    }

    /// Repeats a word, in host byte order.
    ///
    /// # Panics
    /// If the words are not all inside, or `offset` is not a multiple of 4.
    pub fn fill(&self, offset: u64, words: u64, word: u32) {
        let pointer = self.pointer(offset, words.saturating_mul(4)).cast::<u32>();
        assert!(pointer.is_aligned());
        // SAFETY: as in `read`, and aligned.
        unsafe {
            if word == word.rotate_left(8) {
                core::ptr::write_bytes(pointer.cast::<u8>(), word as u8, words as usize * 4);
            } else {
                for index in 0..words as usize {
                    pointer.add(index).write(word);
                }
            }
        }
    }

    /// Rows that are all inside, in each of so many planes, and the addresses from the first byte to the
    /// last.
    fn rows(&self, rows: BlockRows, planes: u32, plane_pitch: u64) -> (bulk::Rows, ops::Range<u64>) {
        let BlockRows { offset, pitch, count, bytes } = rows;
        let within = (count.max(1) - 1).checked_mul(pitch).and_then(|rows| rows.checked_add(bytes));
        let planes = u64::from(planes.max(1) - 1).checked_mul(plane_pitch);
        let size = within.zip(planes).and_then(|(rows, planes)| rows.checked_add(planes));
        let size = size.unwrap_or(u64::MAX);
        let first = self.pointer(offset, size);
        (bulk::Rows { first, pitch: pitch as usize }, first as u64..first as u64 + size)
    }

    /// Writes a pattern over rows, from its start in each.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn fill_rows(&self, rows: BlockRows, pattern: &[u8; PATTERN_BYTES]) {
        let (to, _) = self.rows(rows, 1, 0);
        // SAFETY: the range was checked.
        unsafe { bulk::fill(to, rows.count as usize, rows.bytes as usize, pattern) };
    }

    /// Writes the means of bytes of `samples` planes, which lie `sample_pitch` apart in another block, into
    /// rows of the same length: the nearest integers, halves to even. False, and nothing is written, unless
    /// there are 2, 4, 8 or 16 samples and the two places do not overlap.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn average_rows(
        &self,
        rows: BlockRows,
        source: &Block,
        source_offset: u64,
        source_pitch: u64,
        samples: u32,
        sample_pitch: u64,
    ) -> bool {
        let from = BlockRows { offset: source_offset, pitch: source_pitch, ..rows };
        let (to, written) = self.rows(rows, 1, 0);
        let (from, read) = source.rows(from, samples, sample_pitch);
        let overlap = written.start < read.end && read.start < written.end;
        if overlap {
            return false;
        }
        // SAFETY: all ranges were checked, and lie in different memory.
        unsafe {
            bulk::average(from, sample_pitch as usize, samples, to, rows.count as usize, rows.bytes as usize)
        }
    }

    /// Copies bytes from another block, or from this one: they may overlap.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn copy_from(&self, offset: u64, source: &Block, source_offset: u64, size: u64) {
        let (to, from) = (self.pointer(offset, size), source.pointer(source_offset, size));
        // SAFETY: both ranges were checked.
        unsafe { core::ptr::copy(from, to, size as usize) };
    }
}

#[cold]
fn outside(offset: u64, size: u64, block: u64) -> ! {
    panic!("{offset}+{size} is outside a block of {block}")
}

impl Drop for Block {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(Some(_)) = self.shared.get() {
            // SAFETY: the pages are this block's, which nobody uses any more.
            unsafe { sparse::out_of_file(self.address, self.page_bytes()) };
        }
        if let Backing::Sparse(_) = self.backing {
            pyro_raytrace::place::forget(self.address..self.address + self.size);
        }
        if let Backing::Heap(layout) = self.backing {
            // SAFETY: allocated by `zeroed` with this layout.
            unsafe { std::alloc::dealloc(self.address as *mut u8, layout) };
        }
    }
}

impl core::fmt::Debug for Block {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Block({:#x}, {} bytes)", self.address, self.size)
    }
}

/// A checked piece of a block.
#[derive(Clone, Debug)]
pub struct Range {
    block: Arc<Block>,
    offset: u64,
    size: u64,
}

/// They are the same bytes.
impl PartialEq for Range {
    fn eq(&self, other: &Range) -> bool {
        Arc::ptr_eq(&self.block, &other.block) && (self.offset, self.size) == (other.offset, other.size)
    }
}

impl Range {
    /// `size` bytes from `offset` on; none when they are not all inside.
    pub fn new(block: &Arc<Block>, offset: u64, size: u64) -> Option<Range> {
        let end = offset.checked_add(size)?;
        (end <= block.size).then(|| Range { block: Arc::clone(block), offset, size })
    }

    /// The first byte's address.
    pub fn address(&self) -> u64 {
        self.block.address + self.offset
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Copies bytes out.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) {
        assert!(offset + bytes.len() as u64 <= self.size);
        self.block.read(self.offset + offset, bytes);
    }

    /// The word of 32 bits at an offset.
    ///
    /// # Panics
    /// If it is not all inside.
    pub fn word_at(&self, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        self.read(offset, &mut bytes);
        u32::from_ne_bytes(bytes)
    }

    /// The first words of 32 bits.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn read_words<const N: usize>(&self) -> [u32; N] {
        let mut words = [[0; 4]; N];
        self.read(0, words.as_flattened_mut());
        words.map(u32::from_ne_bytes)
    }

    /// Copies bytes in.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        assert!(offset + bytes.len() as u64 <= self.size);
        self.block.write(self.offset + offset, bytes);
    }

    /// Repeats a word over the whole range (its last, partial word is left alone).
    pub fn fill(&self, word: u32) {
        self.block.fill(self.offset, self.size / 4, word);
    }

    /// Copies all bytes of a range of the same size.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn copy_from(&self, source: &Range) {
        assert_eq!(self.size, source.size);
        self.block.copy_from(self.offset, &source.block, source.offset, self.size);
    }
}

impl Range {
    /// Copies `size` bytes at `offset` to a place in a block.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn copy_out(&self, offset: u64, target: &Block, place: u64, size: u64) {
        assert!(offset.checked_add(size).is_some_and(|end| end <= self.size));
        target.copy_from(place, &self.block, self.offset + offset, size);
    }

    /// Copies `size` bytes to `offset` from `source_offset` in another range.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn copy_part(&self, offset: u64, source: &Range, source_offset: u64, size: u64) {
        assert!(source_offset.checked_add(size).is_some_and(|end| end <= source.size));
        self.copy_in(offset, &source.block, source.offset + source_offset, size);
    }

    /// Copies `size` bytes to `offset` from a place in a block.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn copy_in(&self, offset: u64, source: &Block, place: u64, size: u64) {
        assert!(offset.checked_add(size).is_some_and(|end| end <= self.size));
        self.block.copy_from(self.offset + offset, source, place, size);
    }
}

/// Witness that the application keeps its side for addresses: what commands, shaders and memory name by
/// address is memory that is bound to a buffer, or the host's for commands of the host.
#[derive(Clone, Copy)]
pub struct DeviceAddresses(());

impl DeviceAddresses {
    /// The witness.
    ///
    /// # Safety
    /// Every address that [`DeviceAddresses::range`] and [`DeviceAddresses::memory`] are used with is of
    /// memory of that size, which stays valid for reads and writes while the range lives (for device
    /// addresses VUID-vkFreeMemory-memory-00677).
    pub unsafe fn trusted() -> DeviceAddresses {
        DeviceAddresses(())
    }

    /// `size` bytes at an address.
    pub fn range(self, address: u64, size: u64) -> Range {
        // SAFETY: the contract of `trusted`.
        let block = Arc::new(unsafe { Block::imported(address, size) });
        Range { block, offset: 0, size }
    }

    /// All memory, by address.
    pub(crate) fn memory(self) -> pyro_abi::Memory {
        // SAFETY: the contract of `trusted`.
        unsafe { pyro_abi::Memory::new() }
    }
}

/// The image descriptor at a place in a set's memory: two addresses.
pub(crate) fn image_descriptor(set: u64, offset: u32) -> [u64; 2] {
    // SAFETY: the executor has the set's address from a set that its command list keeps alive, whose layout
    // is that of the shader, which has the descriptor there.
    let memory = unsafe { pyro_abi::Memory::new() };
    let at = set + u64::from(offset);
    [memory.load(at), memory.load(at + 8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_bytes() {
        for size in [1, 100, MAPPING_FROM_BYTES + 5] {
            let block = Arc::new(Block::zeroed(size, 64).unwrap());
            assert_eq!(block.address() % 64, 0);
            let mut byte = [9];
            block.read(size - 1, &mut byte);
            assert_eq!(byte, [0]);
            block.write(size - 1, &[7]);
            block.read(size - 1, &mut byte);
            assert_eq!(byte, [7]);
            assert!(Range::new(&block, 0, size).is_some());
            assert!(Range::new(&block, 1, size).is_none());
            assert!(Range::new(&block, u64::MAX, 2).is_none());
        }
    }

    #[test]
    fn fills_and_copies() {
        let block = Arc::new(Block::zeroed(64, 64).unwrap());
        block.fill(4, 2, 0x0102_0304);
        let (from, to) = (Range::new(&block, 4, 8).unwrap(), Range::new(&block, 8, 8).unwrap());
        to.copy_from(&from);
        let mut bytes = [0; 20];
        block.read(0, &mut bytes);
        assert_eq!(bytes, [0, 0, 0, 0, 4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 0, 0, 0, 0]);
    }

    #[test]
    #[should_panic(expected = "outside a block")]
    fn outside_is_refused() {
        Block::zeroed(8, 8).unwrap().write(5, &[0; 4]);
    }

    #[test]
    fn large_allocations_are_not_committed() {
        let block = Block::zeroed(1 << 38, 64);
        assert!(block.is_some_and(|block| block.size() == 1 << 38));
    }
}
