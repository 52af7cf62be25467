//! Contents of memory that the program can write without a call.
//!
//! Mapped (and shared) memory has a shadow: the contents that a replay has there. Before a submission, what
//! differs from it is what the program wrote; after it, when the device is idle, what the device wrote.
//!
//! Of memory that changes little from one look to the next, only pages are compared that the kernel says were
//! written ([`WrittenPages`]); of other memory, and on other kernels, all that was ever touched.
#![allow(unsafe_code)] // comparison without a copy

use super::ranges;
use super::written_pages::{self, WrittenPages};
use memmap2::MmapMut;
use pyro_capture::record::{Record, digest};
use pyro_driver::memory::mapped::Block;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are compared at once.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes that are looked at closer where they changed.
const PAGE_BYTES: usize = 4096;
/// Bytes to which changes are rounded.
const GRAIN_BYTES: usize = 64;
/// Bytes of contents in a record at most.
const RECORD_BYTES: usize = 1 << 20;
/// Memory of so many bytes may be watched by the kernel: less is compared quickly.
const WATCHED_FROM_BYTES: u64 = 1 << 20;
/// It is watched as long as less than one of so many bytes is written between two looks at it: a page's first
/// write costs more than its comparison.
const QUIET: u64 = 8;
/// Looks at which that was so before it is watched: what the program and the device write in turns never is.
const QUIET_LOOKS: u32 = 3;

/// Bytes that a debugger writes to a `VkDeviceMemory`.
pub(super) struct Patch {
    pub(super) memory: u64,
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

/// Where memory that is allocated comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The driver.
    #[default]
    Own,
    /// The driver; others can have it too.
    Exported,
    /// Others.
    Imported,
    /// The program: pages at an address that it gives.
    Program,
}

/// A `VkDeviceMemory`.
struct Memory {
    device: u64,
    block: Arc<Block>,
    /// The contents of the replay, while the program can change them by itself.
    shadow: Option<MmapMut>,
    /// Tells what was written, where the kernel can and not much is. Goes before the block.
    watched: Option<WrittenPages>,
    /// Looks in a row at which little had changed.
    quiet_looks: u32,
    /// Others have it too: the shadow stays.
    is_shared: bool,
    /// It is pages of the program's (`VK_EXT_external_memory_host`): beside what was imported lies what the
    /// program, and the driver as a part of its process, allocate.
    is_of_program: bool,
    is_mapped: bool,
}

/// All memory, by handle.
#[derive(Default)]
pub(super) struct Memories(BTreeMap<u64, Memory>);

/// Zeros for the contents of memory. Where the system gives no memory, the recording ends by a panic.
fn zeros(bytes: u64) -> MmapMut {
    let zeros = MmapMut::map_anon(bytes as usize).expect("room for the contents of memory");
    // Fewer faults; without huge pages it is as good.
    #[cfg(target_os = "linux")]
    let _ = zeros.advise(memmap2::Advice::HugePage);
    zeros
}

impl Memory {
    /// Makes the shadow what the memory is, and gives the ranges in which they differed, each of a record's
    /// size at most.
    fn update(&mut self) -> Vec<Range<usize>> {
        let Some(shadow) = &mut self.shadow else { return Vec::new() };
        let size = shadow.len();
        let mut written = self.watched.as_mut().and_then(WrittenPages::take);
        match &mut written {
            // The last part of a page is not watched.
            Some(ranges) => {
                ranges.extend(self.watched.as_ref().map(|watched| watched.length()..size as u64));
                let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
                self.watched.take_if(|_| bytes > size as u64 / QUIET);
            }
            None => self.watched = None,
        }
        let is_unwatched = written.is_none();
        let mut changes: Vec<Range<usize>> = Vec::new();
        let is_large = size as u64 >= WATCHED_FROM_BYTES && !self.is_shared;
        let all = |shadow: &MmapMut| {
            let touched = is_large.then(|| touched(&self.block, shadow)).flatten();
            touched.unwrap_or_else(|| std::iter::once(0..size as u64).collect())
        };
        for range in written.unwrap_or_else(|| all(shadow)) {
            compare(&self.block, shadow, range.start as usize..range.end as usize, &mut changes);
        }
        if let Some(watched) = &mut self.watched {
            watched.changed(&changes);
        }
        let changed: u64 = changes.iter().map(|range| range.len() as u64).sum();
        self.quiet_looks =
            if changed <= size as u64 / QUIET { self.quiet_looks.saturating_add(1) } else { 0 };
        // What others write into shared memory is not seen here.
        if is_unwatched && is_large && self.quiet_looks == QUIET_LOOKS {
            self.watched = WrittenPages::of(self.block.address(), size as u64);
            if self.watched.is_some() {
                // What was written since the comparison, before it was watched.
                let mut late = Vec::new();
                for range in all(shadow) {
                    compare(&self.block, shadow, range.start as usize..range.end as usize, &mut late);
                }
                changes.extend(late);
            }
        }
        changes
    }

    /// The shadow's bytes.
    fn known(&self, range: &Range<usize>) -> &[u8] {
        self.shadow.as_ref().and_then(|shadow| shadow.get(range.clone())).unwrap_or_default()
    }

    /// No contents are known any more.
    fn forget(&mut self) {
        (self.watched, self.shadow) = (None, None);
    }

    /// The contents become known.
    fn remember(&mut self) {
        let mut contents = zeros(self.block.size());
        self.block.read(0, &mut contents);
        self.shadow = Some(contents);
    }
}

/// What was touched of a block or of its shadow: the rest of both is zeros.
fn touched(block: &Block, shadow: &MmapMut) -> Option<Vec<Range<u64>>> {
    let size = shadow.len() as u64;
    let mut all = written_pages::touched(block.address(), size)?;
    all.extend(written_pages::touched(shadow.as_ptr().addr() as u64, size)?);
    all.sort_unstable_by_key(|range| range.start);
    let mut joined = Vec::new();
    all.into_iter().for_each(|range| ranges::push(&mut joined, range));
    Some(joined)
}

/// Whether a block holds these bytes. Where others write meanwhile, the answer is that of before or after.
fn holds(block: &Block, offset: u64, bytes: &[u8]) -> bool {
    let place = std::ptr::with_exposed_provenance::<libc::c_void>((block.address() + offset) as usize);
    // SAFETY: the bytes are of the block's shadow, which is as long as the block, and lie at the same offset.
    unsafe { libc::memcmp(place, bytes.as_ptr().cast(), bytes.len()) == 0 }
}

/// Takes over into the shadow what differs in a range, by pages.
fn compare(block: &Block, shadow: &mut [u8], range: Range<usize>, changes: &mut Vec<Range<usize>>) {
    let mut now = Vec::new();
    let first = range.start;
    for (index, old) in shadow[range].chunks_mut(PIECE_BYTES).enumerate() {
        let start = first + index * PIECE_BYTES;
        if holds(block, start as u64, old) {
            continue;
        }
        now.resize(old.len(), 0);
        let now = &mut now[..];
        block.read(start as u64, now);
        for (page, (old, now)) in old.chunks_mut(PAGE_BYTES).zip(now.chunks(PAGE_BYTES)).enumerate() {
            let differs = |(old, now): (&[u8], &[u8])| old != now;
            let mut grains = old.chunks(GRAIN_BYTES).zip(now.chunks(GRAIN_BYTES));
            let Some(first) = grains.clone().position(differs) else { continue };
            let last = grains.rposition(differs).unwrap_or(first);
            old.copy_from_slice(now);
            let at = start + page * PAGE_BYTES;
            let change = at + first * GRAIN_BYTES..at + old.len().min((last + 1) * GRAIN_BYTES);
            match changes.last() {
                Some(last) if last.len() >= RECORD_BYTES => changes.push(change),
                _ => ranges::push(changes, change),
            }
        }
    }
}

impl Memories {
    /// New memory; shared memory may have contents already.
    pub(super) fn add(&mut self, handle: u64, device: u64, block: Arc<Block>, origin: Origin) {
        let is_shared = origin != Origin::Own;
        let shadow = is_shared.then(|| zeros(block.size()));
        let memory = Memory {
            device,
            block,
            shadow,
            watched: None,
            quiet_looks: 0,
            is_shared,
            is_of_program: origin == Origin::Program,
            is_mapped: false,
        };
        self.0.insert(handle, memory);
    }

    pub(super) fn remove(&mut self, handle: u64) {
        self.0.remove(&handle);
    }

    pub(super) fn remove_device(&mut self, device: u64) {
        self.0.retain(|_, memory| memory.device != device);
    }

    /// Memory is mapped; its contents, which the program sees now, are told if the device may have written
    /// them.
    pub(super) fn map(&mut self, handle: u64, may_be_written: bool, append: &mut impl FnMut(&Record<'_>)) {
        let Some(memory) = self.0.get_mut(&handle) else { return };
        memory.is_mapped = true;
        if memory.shadow.is_some() {
            return;
        }
        let size = memory.block.size();
        if may_be_written {
            memory.remember();
            let contents = memory.known(&(0..size as usize));
            append(&Record::Seen { memory: handle, offset: 0, size, digest: digest(contents) });
        } else {
            memory.shadow = Some(zeros(size));
        }
    }

    /// Memory is not mapped any more.
    pub(super) fn unmap(&mut self, handle: u64, append: &mut impl FnMut(&Record<'_>)) {
        let Some(memory) = self.0.get_mut(&handle) else { return };
        memory.is_mapped = false;
        written(handle, memory, append);
        if !memory.is_shared {
            memory.forget();
        }
    }

    /// Whether there is memory in which changes are looked for.
    pub(super) fn is_watching(&self) -> bool {
        self.0.values().any(|memory| memory.shadow.is_some())
    }

    /// What the program wrote since the last call of this or of [`Memories::seen`].
    pub(super) fn written(&mut self, append: &mut impl FnMut(&Record<'_>)) {
        for (handle, memory) in &mut self.0 {
            written(*handle, memory, append);
        }
    }

    /// What the device wrote since the last call of this or of [`Memories::written`]. Where `only_device`
    /// says that others may have written, which is asked once, and only if something changed, the contents
    /// are recorded. So it is with memory that is the program's.
    pub(super) fn seen(
        &mut self,
        only_device: &mut dyn FnMut() -> bool,
        append: &mut impl FnMut(&Record<'_>),
    ) {
        let changes: Vec<_> = self.0.values_mut().map(Memory::update).collect();
        if changes.iter().all(Vec::is_empty) {
            return;
        }
        let only_device = only_device();
        for ((handle, memory), ranges) in self.0.iter().zip(changes) {
            let handle = *handle;
            for range in ranges {
                let (offset, size, bytes) = (range.start as u64, range.len() as u64, memory.known(&range));
                append(&match only_device && !memory.is_of_program {
                    true => Record::Seen { memory: handle, offset, size, digest: digest(bytes) },
                    false => Record::Write { memory: handle, offset, bytes },
                });
            }
        }
    }

    /// Writes what a debugger wants to be there; whether there is such memory.
    pub(super) fn patch(&mut self, patch: &Patch) -> bool {
        let Some(memory) = self.0.get_mut(&patch.memory) else { return false };
        let end = patch.offset.checked_add(patch.bytes.len() as u64);
        if end.is_none_or(|end| end > memory.block.size()) {
            return false;
        }
        memory.block.write(patch.offset, &patch.bytes);
        if let Some(shadow) = &mut memory.shadow {
            shadow[patch.offset as usize..][..patch.bytes.len()].copy_from_slice(&patch.bytes);
        }
        true
    }

    /// Gives all memory of a device a shadow, before the host changes some of it by a command.
    pub(super) fn watch(&mut self, device: u64) {
        let unknown = |memory: &&mut Memory| memory.device == device && memory.shadow.is_none();
        self.0.values_mut().filter(unknown).for_each(Memory::remember);
    }

    /// Ends [`Memories::watch`].
    pub(super) fn unwatch(&mut self, device: u64) {
        let unused = |memory: &&mut Memory| memory.device == device && !memory.is_mapped && !memory.is_shared;
        self.0.values_mut().filter(unused).for_each(Memory::forget);
    }
}

fn written(handle: u64, memory: &mut Memory, append: &mut impl FnMut(&Record<'_>)) {
    for range in memory.update() {
        append(&Record::Write { memory: handle, offset: range.start as u64, bytes: memory.known(&range) });
    }
}
