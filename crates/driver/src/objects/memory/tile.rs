//! The heap of tile memory (`VK_QCOM_tile_memory_heap`): its allocations share their bytes.
//!
//! **Problem.** All allocations begin at the heap's first byte, and what lies there is defined only while one
//! batch of a queue runs, but each queue has contents of its own.
//!
//! **Approach.** A device has one block, whose bytes all its allocations are. A batch whose command buffers
//! bind tile memory has the block to itself until it ends: what another queue's batch leaves there is what is
//! undefined when a batch begins. While a batch waits for events its bytes are kept aside, and other batches
//! may run.
//!
//! *Must not know* commands: who runs batches says when they begin, wait and end.

use super::mapped::Block;
use crate::caps::limits::TILE_MEMORY_BYTES;
use crate::error::{Error, Result};
use crate::primitives::{Condvar, Mutex};
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// What the bytes of the block are aligned to.
const BLOCK_ALIGNMENT: usize = 4096;

/// A device's tile memory.
#[derive(Default)]
pub(crate) struct TileMemory {
    block: OnceLock<Option<Arc<Block>>>,
    /// The queue whose batch has it.
    owner: Mutex<Option<u32>>,
    free: Condvar,
}

/// A batch that has tile memory, until this is dropped.
pub(crate) struct TileScope<'t>(&'t TileMemory);

impl Drop for TileScope<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

impl TileMemory {
    /// Its bytes.
    ///
    /// # Errors
    /// When the system has no memory.
    pub(crate) fn block(&self) -> Result<&Arc<Block>> {
        let block = || Block::zeroed(TILE_MEMORY_BYTES, BLOCK_ALIGNMENT).map(Arc::new);
        self.block.get_or_init(block).as_ref().ok_or_else(|| {
            Error::new(
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                "there is no memory for the heap of tile memory",
            )
        })
    }

    /// Waits until no other queue's batch has it.
    pub(crate) fn enter(&self, queue: u32) -> TileScope<'_> {
        self.take(queue);
        TileScope(self)
    }

    fn take(&self, queue: u32) {
        let mut owner = self.owner.lock();
        while owner.is_some() {
            owner = self.free.wait(owner);
        }
        *owner = Some(queue);
    }

    fn give_back(&self) {
        *self.owner.lock() = None;
        self.free.notify_one();
    }

    /// Calls a function that waits; others may have the memory meanwhile, if this queue's batch has it.
    pub(crate) fn yield_for<T>(&self, queue: u32, wait: impl FnOnce() -> T) -> T {
        let block = self.block.get().and_then(Option::as_ref);
        let Some(block) = block.filter(|_| *self.owner.lock() == Some(queue)) else { return wait() };
        let mut kept = vec![0; TILE_MEMORY_BYTES as usize];
        block.read(0, &mut kept);
        self.give_back();
        let waited = wait();
        self.take(queue);
        block.write(0, &kept);
        waited
    }
}
