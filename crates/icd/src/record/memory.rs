//! Contents of memory that the program can write without a call.
//!
//! Mapped (and shared) memory has a shadow: the contents that a replay has there. Before a submission, what
//! differs from it is what the program wrote; after it, when the device is idle, what the device wrote.

use pyro_capture::record::{Record, digest};
use pyro_driver::memory::mapped::Block;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes that are compared at once.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes that are written or not as a whole.
const PAGE_BYTES: usize = 4096;
/// Bytes of contents in a record at most.
const RECORD_BYTES: usize = 4 << 20;

/// A `VkDeviceMemory`.
struct Memory {
    device: u64,
    block: Arc<Block>,
    /// The contents of the replay, while the program can change them by itself.
    shadow: Option<Vec<u8>>,
    /// Others have it too: the shadow stays.
    is_shared: bool,
    is_mapped: bool,
}

/// All memory, by handle.
#[derive(Default)]
pub(super) struct Memories(BTreeMap<u64, Memory>);

impl Memory {
    /// Calls `changed` with the ranges in which the memory differs from the shadow, and makes them equal.
    fn update(&mut self, mut changed: impl FnMut(u64, &[u8])) {
        let Some(shadow) = &mut self.shadow else { return };
        let mut now = vec![0; PIECE_BYTES.min(shadow.len())];
        for (index, old) in shadow.chunks_mut(PIECE_BYTES).enumerate() {
            let now = &mut now[..old.len()];
            let start = index * PIECE_BYTES;
            self.block.read(start as u64, now);
            if now == old {
                continue;
            }
            for (page, (old, now)) in old.chunks_mut(PAGE_BYTES).zip(now.chunks(PAGE_BYTES)).enumerate() {
                let differs = |(old, now): (&u8, &u8)| old != now;
                let Some(first) = old.iter().zip(now).position(differs) else { continue };
                let last = old.iter().zip(now).rposition(differs).unwrap_or(first);
                changed((start + page * PAGE_BYTES + first) as u64, &now[first..=last]);
                old[first..=last].copy_from_slice(&now[first..=last]);
            }
        }
    }

    /// The ranges that changed, with contents, joined where they meet.
    fn changes(&mut self) -> Vec<(u64, Vec<u8>)> {
        let mut all: Vec<(u64, Vec<u8>)> = Vec::new();
        self.update(|offset, bytes| match all.last_mut() {
            Some((start, known))
                if *start + known.len() as u64 == offset && known.len() + bytes.len() <= RECORD_BYTES =>
            {
                known.extend(bytes);
            }
            _ => all.push((offset, bytes.to_vec())),
        });
        all
    }

    fn contents(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.block.size() as usize];
        self.block.read(0, &mut bytes);
        bytes
    }
}

impl Memories {
    /// New memory; shared memory may have contents already.
    pub(super) fn add(&mut self, handle: u64, device: u64, block: Arc<Block>, is_shared: bool) {
        let shadow = is_shared.then(|| vec![0; block.size() as usize]);
        self.0.insert(handle, Memory { device, block, shadow, is_shared, is_mapped: false });
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
        let contents = if may_be_written { memory.contents() } else { vec![0; size as usize] };
        if may_be_written {
            append(&Record::Seen { memory: handle, offset: 0, size, digest: digest(&contents) });
        }
        memory.shadow = Some(contents);
    }

    /// Memory is not mapped any more.
    pub(super) fn unmap(&mut self, handle: u64, append: &mut impl FnMut(&Record<'_>)) {
        let Some(memory) = self.0.get_mut(&handle) else { return };
        memory.is_mapped = false;
        written(handle, memory, append);
        if !memory.is_shared {
            memory.shadow = None;
        }
    }

    /// What the program wrote since the last call of this or of [`Memories::seen`].
    pub(super) fn written(&mut self, append: &mut impl FnMut(&Record<'_>)) {
        for (handle, memory) in &mut self.0 {
            written(*handle, memory, append);
        }
    }

    /// What the device wrote since the last call of this or of [`Memories::written`].
    pub(super) fn seen(&mut self, append: &mut impl FnMut(&Record<'_>)) {
        for (handle, memory) in &mut self.0 {
            for (offset, bytes) in memory.changes() {
                let size = bytes.len() as u64;
                append(&Record::Seen { memory: *handle, offset, size, digest: digest(&bytes) });
            }
        }
    }

    /// Gives all memory of a device a shadow, before the host changes some of it by a command.
    pub(super) fn watch(&mut self, device: u64) {
        for memory in self.0.values_mut().filter(|memory| memory.device == device && memory.shadow.is_none())
        {
            memory.shadow = Some(memory.contents());
        }
    }

    /// Ends [`Memories::watch`].
    pub(super) fn unwatch(&mut self, device: u64) {
        let unused = |memory: &&mut Memory| memory.device == device && !memory.is_mapped && !memory.is_shared;
        self.0.values_mut().filter(unused).for_each(|memory| memory.shadow = None);
    }
}

fn written(handle: u64, memory: &mut Memory, append: &mut impl FnMut(&Record<'_>)) {
    for (offset, bytes) in memory.changes() {
        append(&Record::Write { memory: handle, offset, bytes: &bytes });
    }
}
