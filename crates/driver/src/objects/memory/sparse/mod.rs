//! Memory of sparse resources, page by page.
//!
//! **Problem.** A sparse resource is one range of addresses for shaders, however many memory objects are
//! bound to parts of it. What is not sparse must not pay for that, so generated code knows addresses only.
//!
//! **Approach.** A sparse resource has a range of a window of reserved addresses. Binding maps pages of a
//! memory object's file there; a memory object that has none gets one when it is first bound
//! ([`Block::share`]; on Windows when it is made, and other things are different, too: `mapping::system`).
//! What is not bound is mapped read-only: it reads as zeros and takes no memory. A write
//! there raises a signal, whose handler lets the block be written; before the next command it becomes zeros
//! again ([`discard_writes`]), so the write is gone for all later commands. Where there is no such handler
//! ([`is_strict`]), what is not bound can be written and keeps it. Neither is what
//! `residencyNonResidentStrict` promises: a shader may read what it wrote itself.
//!
//! **Invariants.** Blocks of [`SPARSE_BLOCK_BYTES`] are bound as a whole. Only who holds the space's lock
//! replaces mappings. The handler takes no lock: it looks at a block's [`State`] and allows writes, which
//! harms no state that the block may be in by then.

mod mapping;

use super::DeviceMemory;
use super::mapped::Block;
pub use crate::caps::limits::{EXTENDED_SPARSE_SPACE_BYTES, SPARSE_BLOCK_BYTES, SPARSE_SPACE_BYTES};
use crate::error::{Error, Result};
pub use crate::system::{binds_sparsely as is_supported, drops_unbound_writes as is_strict};
use mapping::Window;
use pyro_codemem::fault::{ANY_OWNER, FileMemory};
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// What is at a block.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum State {
    /// No resource.
    Free = 0,
    /// Memory is bound. Shaders look at this one.
    Bound = pyro_abi::sparse::BOUND,
    /// Zeros.
    Unbound,
    /// Zeros that were written, to be zeros again.
    Written,
}

/// The range of blocks that were written, in one word: of a range in two, one that is taken between the two
/// would lose a block. The first in the upper half, the one behind the last in the lower.
struct WrittenBlocks(AtomicU64);

impl WrittenBlocks {
    const NONE: u64 = (u32::MAX as u64) << 32;

    fn is_empty(&self) -> bool {
        self.0.load(Ordering::Acquire) == WrittenBlocks::NONE
    }

    /// Adds a block. Called by the signal handler.
    fn add(&self, block: u64) {
        let add = |known: u64| {
            let (first, end) = (known >> 32, known & u64::from(u32::MAX));
            Some(first.min(block) << 32 | end.max(block + 1))
        };
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
    }

    /// Takes the range; no block is in it any more.
    fn take(&self) -> Range<u64> {
        let taken = self.0.swap(WrittenBlocks::NONE, Ordering::AcqRel);
        taken >> 32..taken & u64::from(u32::MAX)
    }
}

const _: () = assert!(
    EXTENDED_SPARSE_SPACE_BYTES / SPARSE_BLOCK_BYTES < u32::MAX as u64,
    "numbers of blocks have 32 bits"
);

/// The window and what is in it.
struct Space {
    window: Window,
    /// Where what is not bound was written, of all devices.
    written: WrittenBlocks,
    /// Blocks that are no longer among the written ones become zeros just now.
    is_discarding: AtomicBool,
    inner: Mutex<Inner>,
    /// Writes to what is not bound are resolved.
    is_guarded: bool,
    /// Bindings that wait in queues.
    pending: AtomicU64,
    /// Files that others may truncate may be bound, of any device.
    _truncatable: FileMemory,
    /// How many pieces may be bound at a time.
    pieces_max: u64,
}

#[derive(Default)]
struct Inner {
    /// Ranges in use: first block, blocks.
    used: BTreeMap<u64, u64>,
    /// What is bound, by first block.
    pieces: BTreeMap<u64, Piece>,
}

/// Neighbouring blocks bound to neighbouring bytes of a file.
#[derive(Clone, Copy)]
struct Piece {
    blocks: u64,
    /// Which file.
    file: u64,
    /// Bytes from its start.
    offset: u64,
}

impl Piece {
    /// Without the first blocks.
    fn behind(self, blocks: u64) -> Piece {
        let offset = self.offset + blocks * SPARSE_BLOCK_BYTES;
        Piece { blocks: self.blocks - blocks, offset, ..self }
    }
}

static SPACE: OnceLock<Option<Space>> = OnceLock::new();

/// Memory that lately changed into a file's, or does now: first address, and the one behind the last. Zero
/// where there is none. A thread whose write was held up may find the change done.
#[cfg(unix)]
static CHANGED: [[AtomicU64; 2]; 64] = [const { [const { AtomicU64::new(0) }; 2] }; 64];

fn space() -> Result<&'static Space> {
    let made = SPACE.get_or_init(|| is_supported().then(Space::new).flatten());
    made.as_ref().ok_or_else(|| Error::unsupported("the system reserves no addresses for sparse resources"))
}

/// Whether an address is of a sparse resource.
pub(crate) fn contains(address: u64) -> bool {
    let offset =
        SPACE.get().and_then(Option::as_ref).and_then(|space| address.checked_sub(space.window.start()));
    offset.is_some_and(|offset| offset < EXTENDED_SPARSE_SPACE_BYTES)
}

/// Resolves a write to read-only memory, on Windows each access to none: called by the signal handler.
fn resolve(address: u64) -> bool {
    #[cfg(unix)]
    if CHANGED
        .iter()
        .any(|[first, end]| (first.load(Ordering::Acquire)..end.load(Ordering::Acquire)).contains(&address))
    {
        // Copied meanwhile; the instruction runs again, until it is done.
        std::thread::yield_now();
        return true;
    }
    SPACE.get().and_then(Option::as_ref).is_some_and(|space| space.resolve(address))
}

/// Drops what was written to addresses where nothing is bound: for the end of a command. Costs nothing where
/// nothing was written.
#[inline]
pub(crate) fn discard_writes() {
    if let Some(Some(space)) = SPACE.get()
        && (!space.written.is_empty() || space.is_discarding.load(Ordering::Acquire))
    {
        space.discard_writes();
    }
}

impl Space {
    fn new() -> Option<Space> {
        let window = Window::reserve()?;
        let mappings = crate::system::mappings_max();
        let addresses = window.start()..window.start() + EXTENDED_SPARSE_SPACE_BYTES;
        Some(Space {
            _truncatable: FileMemory::new(addresses, ANY_OWNER),
            window,
            written: WrittenBlocks(AtomicU64::new(WrittenBlocks::NONE)),
            is_discarding: AtomicBool::new(false),
            inner: Mutex::default(),
            is_guarded: is_strict() && pyro_codemem::fault::resolve_writes(resolve),
            pending: AtomicU64::new(0),
            // Each may have a gap behind it. The rest is for what else the process maps.
            pieces_max: mappings / 8 * 3,
        })
    }

    fn set_states(&self, first: u64, blocks: u64, state: State) {
        (first..first + blocks)
            .for_each(|block| self.window.state(block).store(state as u8, Ordering::Release));
    }

    fn resolve(&self, address: u64) -> bool {
        let offset =
            address.checked_sub(self.window.start()).filter(|&offset| offset < EXTENDED_SPARSE_SPACE_BYTES);
        let Some(offset) = offset else { return false };
        let block = offset / SPARSE_BLOCK_BYTES;
        let state = self.window.state(block);
        match state.load(Ordering::Acquire) {
            free if free == State::Free as u8 => false,
            // Another thread binds it just now: the instruction runs again.
            bound if bound == State::Bound as u8 => self.window.is_there(offset),
            _ => {
                if !self.window.unlock(block) {
                    return false;
                }
                let (from, to) = (State::Unbound as u8, State::Written as u8);
                let _ = state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
                self.written.add(block);
                true
            }
        }
    }

    #[cold]
    fn discard_writes(&self) {
        let _inner = self.inner.lock();
        // Another device's queue waits for the lock until its own blocks are zeros, too.
        self.is_discarding.store(true, Ordering::Release);
        let written = self.written.take();
        let mut run = 0;
        for block in written.start..written.end + 1 {
            let (from, to) = (State::Written as u8, State::Unbound as u8);
            let was_written = block < written.end
                && self
                    .window
                    .state(block)
                    .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
                    .is_ok();
            if was_written {
                run += 1;
            } else if run > 0 {
                // Where there is no room for mappings, what was written stays for now.
                self.window.zeros((block - run) * SPARSE_BLOCK_BYTES, run * SPARSE_BLOCK_BYTES, false);
                run = 0;
            }
        }
        self.is_discarding.store(false, Ordering::Release);
    }

    /// A free range of so many blocks, from `wanted` on if that says so.
    fn take(&self, blocks: u64, wanted: Option<u64>) -> Option<u64> {
        let mut inner = self.inner.lock();
        let all = EXTENDED_SPARSE_SPACE_BYTES / SPARSE_BLOCK_BYTES;
        let mut start = 0;
        let mut found = None;
        for (&first, &count) in inner.used.iter().chain([(&all, &0)]) {
            let place = wanted.unwrap_or(start).max(start);
            if place.checked_add(blocks).is_some_and(|end| end <= first) {
                found = Some(place).filter(|place| wanted.is_none_or(|wanted| wanted == *place));
                break;
            }
            start = first + count;
        }
        let first = found?;
        if !self.window.zeros(first * SPARSE_BLOCK_BYTES, blocks * SPARSE_BLOCK_BYTES, !self.is_guarded) {
            return None;
        }
        self.set_states(first, blocks, State::Unbound);
        inner.used.insert(first, blocks);
        Some(first)
    }

    fn give_back(&self, first: u64, blocks: u64) {
        let mut inner = self.inner.lock();
        self.set_states(first, blocks, State::Free);
        inner.cut(first, blocks);
        // Where it fails, the pages stay until the addresses are used again.
        self.window.hide(first * SPARSE_BLOCK_BYTES, blocks * SPARSE_BLOCK_BYTES);
        inner.used.remove(&first);
    }

    /// Binds a file's bytes, or nothing, to blocks. False where there is no room for more mappings.
    fn bind(&self, first: u64, blocks: u64, file: Option<(&File, u64, u64)>) -> bool {
        let mut inner = self.inner.lock();
        let (at, bytes) = (first * SPARSE_BLOCK_BYTES, blocks * SPARSE_BLOCK_BYTES);
        let mapped = match file {
            Some((file, _, offset)) => self.window.file(at, bytes, file, offset),
            None => self.window.zeros(at, bytes, !self.is_guarded),
        };
        if mapped {
            self.set_states(first, blocks, if file.is_some() { State::Bound } else { State::Unbound });
            inner.cut(first, blocks);
            if let Some((_, file, offset)) = file {
                inner.add(first, Piece { blocks, file, offset });
            }
        }
        mapped
    }
}

impl Inner {
    /// Takes blocks out of what is bound.
    fn cut(&mut self, first: u64, blocks: u64) {
        let end = first + blocks;
        if let Some((&start, &piece)) = self.pieces.range(..first).next_back()
            && start + piece.blocks > first
        {
            self.pieces.insert(start, Piece { blocks: first - start, ..piece });
            if start + piece.blocks > end {
                self.pieces.insert(end, piece.behind(end - start));
            }
        }
        while let Some((&start, &piece)) = self.pieces.range(first..end).next() {
            self.pieces.remove(&start);
            if start + piece.blocks > end {
                self.pieces.insert(end, piece.behind(end - start));
            }
        }
    }

    /// Adds blocks where nothing is, as part of a neighbour that goes on there.
    fn add(&mut self, mut first: u64, mut piece: Piece) {
        if let Some((&start, &before)) = self.pieces.range(..first).next_back()
            && start + before.blocks == first
            && before.file == piece.file
            && before.behind(before.blocks).offset == piece.offset
        {
            (first, piece) = (start, Piece { blocks: before.blocks + piece.blocks, ..before });
        }
        if let Some(&next) = self.pieces.get(&(first + piece.blocks))
            && next.file == piece.file
            && piece.behind(piece.blocks).offset == next.offset
        {
            self.pieces.remove(&(first + piece.blocks));
            piece.blocks += next.blocks;
        }
        self.pieces.insert(first, piece);
    }
}

/// The addresses of a sparse resource.
struct Reserved {
    first: u64,
    blocks: u64,
    _share: Share,
}

/// How many addresses the sparse resources of a device may have together.
pub struct Quota {
    /// Bytes.
    most: u64,
    /// Blocks that they have.
    taken: AtomicU64,
}

/// Blocks of a quota, which gets them back with this.
struct Share {
    quota: Arc<Quota>,
    blocks: u64,
}

impl Quota {
    /// Of so many bytes.
    pub fn new(most: u64) -> Arc<Quota> {
        Arc::new(Quota { most, taken: AtomicU64::new(0) })
    }

    fn take(quota: &Arc<Quota>, blocks: u64) -> Result<Share> {
        let most = quota.most / SPARSE_BLOCK_BYTES;
        let taken = |taken: u64| taken.checked_add(blocks).filter(|&taken| taken <= most);
        quota.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).map_err(|_| {
            Error::new(
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                format!(
                    "more than {} bytes of addresses for the sparse resources of a device \
                     (VUID-vkCreateBuffer-flags-00911, VUID-vkCreateImage-flags-00939)",
                    quota.most
                ),
            )
        })?;
        Ok(Share { quota: Arc::clone(quota), blocks })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.quota.taken.fetch_sub(self.blocks, Ordering::Relaxed);
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if let Ok(space) = space() {
            space.give_back(self.first, self.blocks);
        }
    }
}

/// What a [`Block`] of sparse memory keeps.
pub(super) struct SparsePages(#[expect(dead_code, reason = "kept for its drop")] Reserved);

/// The memory of a sparse resource. Reads of what is not bound give zeros.
#[derive(Clone)]
pub struct SparseMemory {
    block: Arc<Block>,
    first: u64,
}

/// A part of a sparse resource, and what is to be bound there.
pub struct SparseBind {
    target: SparseMemory,
    /// Bytes from the resource's start.
    offset: u64,
    size: u64,
    /// The memory, and the first byte's place there; none: nothing will be bound.
    source: Option<(Arc<DeviceMemory>, u64)>,
}

impl SparseMemory {
    /// Addresses for `size` bytes, where nothing is bound; those from `address` on, if it is not zero.
    ///
    /// # Errors
    /// When there are no addresses left, for all or for the device, or others have these.
    pub fn new(size: u64, address: u64, quota: &Arc<Quota>) -> Result<SparseMemory> {
        let space = space()?;
        let blocks = size.div_ceil(SPARSE_BLOCK_BYTES);
        let share = Quota::take(quota, blocks)?;
        let wanted = (address != 0).then(|| {
            let offset = address.checked_sub(space.window.start());
            offset.filter(|offset| offset.is_multiple_of(SPARSE_BLOCK_BYTES))
        });
        let first = match wanted {
            None => space.take(blocks, None).ok_or_else(|| {
                Error::new(
                    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                    "no addresses are left for sparse resources",
                )
            })?,
            Some(wanted) => wanted
                .and_then(|offset| space.take(blocks, Some(offset / SPARSE_BLOCK_BYTES)))
                .ok_or_else(|| super::taken(address))?,
        };
        let pages = SparsePages(Reserved { first, blocks, _share: share });
        let at = space.window.start() + first * SPARSE_BLOCK_BYTES;
        Ok(SparseMemory { block: Arc::new(Block::sparse(at, size, pages)), first })
    }

    /// The bytes.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// A part of it that is to be bound to memory, or to none. The memory becomes a file's.
    ///
    /// # Errors
    /// When the range is not of whole blocks, but for the end, or not inside; or the memory is too small or
    /// not the driver's.
    pub fn bind(
        &self,
        offset: u64,
        size: u64,
        source: Option<(Arc<DeviceMemory>, u64)>,
    ) -> Result<SparseBind> {
        let whole = |bytes: u64| bytes.is_multiple_of(SPARSE_BLOCK_BYTES);
        if size == 0 {
            return Err(Error::misuse("nothing is bound (VUID-VkSparseMemoryBind-size-01098)"));
        }
        let left = self.block.size().checked_sub(offset).filter(|&left| left > 0).ok_or_else(|| {
            Error::misuse("resourceOffset is outside (VUID-VkSparseMemoryBind-resourceOffset-01099)")
        })?;
        let padded = left.next_multiple_of(SPARSE_BLOCK_BYTES);
        if size > padded {
            return Err(Error::misuse(
                "the range is not inside the resource (VUID-VkSparseMemoryBind-size-01100)",
            ));
        }
        if !whole(offset) || !whole(size) && size != left {
            return Err(Error::misuse(
                "a sparse range is not of whole blocks (VUID-VkSparseMemoryBind-resourceOffset-09491)",
            ));
        }
        if let Some((memory, place)) = &source {
            if !whole(*place) {
                return Err(Error::misuse(
                    "memoryOffset breaks the alignment (VUID-VkSparseMemoryBind-memory-01096)",
                ));
            }
            // What is behind the resource's end needs no memory.
            if place.checked_add(size.min(left)).is_none_or(|end| end > memory.size()) {
                return Err(Error::misuse(
                    "the range is not inside the memory (VUID-VkSparseMemoryBind-memoryOffset-01101)",
                ));
            }
            memory.sparse_file()?;
        }
        Ok(SparseBind { target: self.clone(), offset, size, source })
    }
}

impl SparseBind {
    /// Whether `next` goes on where this ends; then this is both.
    fn extend(&mut self, next: &SparseBind) -> bool {
        let goes_on = Arc::ptr_eq(&self.target.block, &next.target.block)
            && self.offset + self.size == next.offset
            && self.size.is_multiple_of(SPARSE_BLOCK_BYTES)
            && match (&self.source, &next.source) {
                (None, None) => true,
                (Some((memory, place)), Some((other, behind))) => {
                    Arc::ptr_eq(memory, other) && place + self.size == *behind
                }
                _ => false,
            };
        if goes_on {
            self.size += next.size;
        }
        goes_on
    }

    fn run(&self) -> bool {
        let Ok(space) = space() else { return false };
        let first = self.target.first + self.offset / SPARSE_BLOCK_BYTES;
        let blocks = self.size.div_ceil(SPARSE_BLOCK_BYTES);
        let source = self.source.as_ref().map(|(memory, place)| (memory.sparse_file(), memory, *place));
        match source {
            None => space.bind(first, blocks, None),
            Some((Ok(file), memory, place)) => {
                space.bind(first, blocks, Some((file, Arc::as_ptr(memory) as u64, place)))
            }
            Some((Err(_), ..)) => false,
        }
    }
}

/// Bindings of a batch, in order: neighbours as one.
#[derive(Default)]
pub struct SparseBinds {
    binds: Vec<SparseBind>,
    /// How many count as waiting in the space.
    pending: u64,
}

impl SparseBinds {
    /// Adds one.
    pub fn push(&mut self, bind: SparseBind) {
        if self.binds.last_mut().is_none_or(|last| !last.extend(&bind)) {
            self.binds.push(bind);
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.binds.is_empty()
    }

    /// How many mappings change.
    pub fn len(&self) -> usize {
        self.binds.len()
    }

    /// Makes sure that there is room for all: to be called before they are submitted.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_DEVICE_MEMORY` when the system has no room for so many mappings.
    pub fn reserve(&mut self) -> Result<()> {
        let count = self.binds.iter().filter(|bind| bind.source.is_some()).count() as u64;
        if count == 0 {
            return Ok(());
        }
        let space = space()?;
        let before = space.pending.fetch_add(count, Ordering::AcqRel);
        self.pending = count;
        let bound = space.inner.lock().pieces.len() as u64;
        if before + count + bound > space.pieces_max {
            return Err(Error::new(
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                format!(
                    "{count} sparse bindings on top of {} are more mappings than the system has (vm.max_map_count)",
                    before + bound
                ),
            ));
        }
        Ok(())
    }

    /// Makes them; false where the system has no room for more mappings.
    pub(crate) fn run(&self) -> bool {
        let done = self.binds.iter().all(SparseBind::run);
        if !done {
            let message = "the system has no room for the mappings of a sparse binding (vm.max_map_count)";
            pyro_abi::fault::record(pyro_abi::fault::NO_ENGINE, message.to_owned());
        }
        done
    }
}

impl Drop for SparseBinds {
    fn drop(&mut self) {
        if self.pending != 0
            && let Ok(space) = space()
        {
            space.pending.fetch_sub(self.pending, Ordering::AcqRel);
        }
    }
}

/// Turns pages of anonymous memory into a file's, while others may use them.
///
/// # Safety
/// As of [`mapping::into_file`].
#[cfg(unix)]
#[allow(unsafe_code)]
pub(super) unsafe fn into_file(address: u64, bytes: u64) -> Option<File> {
    static NEXT: Mutex<usize> = Mutex::new(0);
    let guarded = space().is_ok_and(|space| space.is_guarded);
    let mut next = NEXT.lock();
    let [first, end] = &CHANGED[*next % CHANGED.len()];
    *next += 1;
    end.store(0, Ordering::Release);
    first.store(address, Ordering::Release);
    end.store(address + bytes, Ordering::Release);
    // SAFETY: the caller's contract.
    unsafe { mapping::into_file(address, bytes, guarded) }
}

/// Turns them back.
///
/// # Safety
/// As of [`mapping::out_of_file`].
#[cfg(unix)]
#[allow(unsafe_code)]
pub(super) unsafe fn out_of_file(address: u64, bytes: u64) {
    for [first, end] in &CHANGED {
        if first.load(Ordering::Acquire) == address {
            end.store(0, Ordering::Release);
        }
    }
    // SAFETY: the caller's contract.
    unsafe { mapping::out_of_file(address, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_and_joined() {
        let mut inner = Inner::default();
        let piece = |blocks, offset| Piece { blocks, file: 1, offset: offset * SPARSE_BLOCK_BYTES };
        inner.add(10, piece(10, 0));
        inner.add(20, piece(5, 10));
        assert_eq!(inner.pieces.len(), 1);
        inner.cut(12, 2);
        let all: Vec<_> =
            inner.pieces.iter().map(|(&first, one)| (first, one.blocks, one.offset >> 16)).collect();
        assert_eq!(all, [(10, 2, 0), (14, 11, 4)]);
        inner.add(12, piece(2, 2));
        assert_eq!(inner.pieces.len(), 1);
        inner.cut(0, 100);
        assert!(inner.pieces.is_empty());
    }

    /// A block that is added is in a range that is taken behind that.
    #[test]
    fn written_blocks_are_not_lost() {
        const BLOCK: u64 = 6;
        const SPINS_MAX: u32 = 20_000_000;
        let written = WrittenBlocks(AtomicU64::new(WrittenBlocks::NONE));
        let (is_taken, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
        let is_taken_again = |_: u32| {
            is_taken.store(false, Ordering::SeqCst);
            written.add(BLOCK);
            (0..SPINS_MAX).any(|spins| {
                if spins % 1024 == 1023 {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
                is_taken.load(Ordering::SeqCst)
            })
        };
        std::thread::scope(|scope| {
            let adder = scope.spawn(|| {
                let all = (0..5000).all(is_taken_again);
                is_done.store(true, Ordering::SeqCst);
                all
            });
            while !is_done.load(Ordering::SeqCst) {
                if written.take().contains(&BLOCK) {
                    is_taken.store(true, Ordering::SeqCst);
                }
                std::hint::spin_loop();
            }
            assert!(adder.join().unwrap());
        });
    }

    #[test]
    fn ranges_do_not_overlap() {
        if !is_supported() {
            return;
        }
        let quota = Quota::new(SPARSE_SPACE_BYTES);
        let all: Vec<_> =
            (1..20).map(|count| SparseMemory::new(count * 100_000, 0, &quota).unwrap()).collect();
        let mut ranges: Vec<_> = all.iter().map(|one| (one.block.address(), one.block.size())).collect();
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
        assert!(SparseMemory::new(1, ranges[0].0, &quota).is_err());
        assert!(SparseMemory::new(SPARSE_SPACE_BYTES, 0, &quota).is_err());
        let (address, size) = ranges[3];
        drop(all);
        assert_eq!(quota.taken.load(Ordering::Relaxed), 0);
        assert_eq!(SparseMemory::new(size, address, &quota).unwrap().block.address(), address);
    }

    #[test]
    fn what_is_not_bound_is_zeros() {
        if !is_strict() {
            return;
        }
        let memory = SparseMemory::new(3 * SPARSE_BLOCK_BYTES, 0, &Quota::new(SPARSE_SPACE_BYTES)).unwrap();
        let mut bytes = [1; 4];
        memory.block.write(SPARSE_BLOCK_BYTES - 2, &[7; 4]);
        discard_writes();
        memory.block.read(SPARSE_BLOCK_BYTES - 2, &mut bytes);
        assert_eq!(bytes, [0; 4]);
    }
}
