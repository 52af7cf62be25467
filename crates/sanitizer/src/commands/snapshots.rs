//! What commands have read of memory that the host may write, until the host knows that they have ended.

use super::pages::{Bits, PAGE_BYTES};
use super::{By, ReadMemory};
use rustc_hash::FxHashMap;

/// Snapshots that are kept at most, each of a page.
const SNAPSHOTS_MAX: usize = 1 << 14;

/// What a command has read of a page.
pub(super) struct Snapshot {
    pub(super) queue: u32,
    pub(super) batch: u32,
    pub(super) command: u32,
    pub(super) by: By,
    /// The bytes that it has read.
    pub(super) bits: Bits,
    /// All of the page's.
    pub(super) bytes: Vec<u8>,
}

impl Snapshot {
    /// Whether a later one of the same page says as much: a queue's later batch ends later.
    fn is_covered_by(&self, later: &Snapshot) -> bool {
        let differs = |byte: u32| self.bytes[byte as usize] != later.bytes[byte as usize];
        self.queue == later.queue
            && self.bits.is_within(&later.bits)
            && (self.bytes == later.bytes || self.bits.find(differs).is_none())
    }
}

/// Snapshots by page.
#[derive(Default)]
pub(super) struct Snapshots {
    pages: FxHashMap<u64, Vec<Snapshot>>,
    count: usize,
}

impl Snapshots {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        *self = Snapshots::default();
    }

    /// Adds one, in the place of those that say less.
    pub(super) fn keep(&mut self, page: u64, snapshot: Snapshot) {
        if self.count >= SNAPSHOTS_MAX {
            return;
        }
        let here = self.pages.entry(page).or_default();
        let before = here.len();
        here.retain(|earlier| !earlier.is_covered_by(&snapshot));
        here.push(snapshot);
        self.count = self.count + here.len() - before;
    }

    /// A command writes bytes of a page: what was read of them is not compared any more.
    pub(super) fn overwrite(&mut self, page: u64, bits: &Bits) {
        let Some(here) = self.pages.get_mut(&page) else { return };
        let before = here.len();
        here.retain_mut(|snapshot| {
            snapshot.bits.subtract(bits);
            !snapshot.bits.is_empty()
        });
        self.count -= before - here.len();
    }

    /// Keeps those of batches for which something holds.
    pub(super) fn retain_batches(&mut self, holds: impl Fn(u32) -> bool) {
        self.pages.retain(|_, here| {
            here.retain(|snapshot| holds(snapshot.batch));
            !here.is_empty()
        });
        self.count = self.pages.values().map(Vec::len).sum();
    }

    /// Takes those whose bytes are not what memory has, with the address of the first byte that differs, and
    /// those whose memory is gone.
    pub(super) fn take_changed(&mut self, memory: ReadMemory, mut each: impl FnMut(&Snapshot, u64)) {
        let mut now = vec![0; PAGE_BYTES as usize];
        self.pages.retain(|&page, here| {
            let is_there = memory(page * PAGE_BYTES, &mut now);
            here.retain(|snapshot| {
                if !is_there || snapshot.bytes == now {
                    return is_there;
                }
                let differs = |byte: u32| now[byte as usize] != snapshot.bytes[byte as usize];
                let Some(byte) = snapshot.bits.find(differs) else { return true };
                each(snapshot, page * PAGE_BYTES + u64::from(byte));
                false
            });
            !here.is_empty()
        });
        self.count = self.pages.values().map(Vec::len).sum();
    }
}
