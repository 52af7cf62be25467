//! The physical device: what it is, can, and has.

pub mod cooperative;
pub mod device_group;
pub mod device_ids;
pub mod extensions;
mod feature_table;
pub mod features;
pub mod limits;
mod newer_properties;
pub mod properties;
#[cfg(test)]
mod required_features;
#[cfg(test)]
mod requirements;

use crate::system;
pub use limits::QUEUE_FAMILIES;
use limits::{MEMORY_TYPE_COUNT, TILE_MEMORY_BYTES, TILE_MEMORY_TYPE};
use std::sync::atomic::{AtomicU64, Ordering};
use vulkanalia_sys as vk;

/// A `VkPhysicalDevice`: the machine, or a share of its cores.
pub struct PhysicalDevice {
    /// Which of the machine's.
    index: usize,
    heap_size: u64,
}

/// Bytes allocated from the heap by this process, whatever instance they belong to.
static HEAP_USAGE: AtomicU64 = AtomicU64::new(0);

/// Bytes of the heap, which gets them back with this.
#[derive(Default)]
pub(crate) struct HeapBytes(u64);

impl Drop for HeapBytes {
    fn drop(&mut self) {
        HEAP_USAGE.fetch_sub(self.0, Ordering::Relaxed);
    }
}

impl Default for PhysicalDevice {
    fn default() -> Self {
        PhysicalDevice::new(0)
    }
}

/// The one queue family's number of useful bits in a timestamp.
pub const TIMESTAMP_BITS: u32 = 64;

impl PhysicalDevice {
    /// The machine's device of this number, below [`device_group::count`].
    pub fn new(index: usize) -> PhysicalDevice {
        PhysicalDevice { index, heap_size: system::memory_bytes().max(1 << 28) }
    }

    /// Which of the machine's devices it is.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its cores.
    pub(crate) fn share(&self) -> device_group::Share {
        device_group::shares().get(self.index).cloned().unwrap_or_default()
    }

    /// `deviceUUID`.
    pub fn uuid(&self) -> [u8; vk::UUID_SIZE] {
        let mut uuid = properties::device_uuid();
        uuid[0] = uuid[0].wrapping_add(self.index as u8);
        uuid
    }

    /// Bytes of the one memory heap: the machine's memory.
    pub fn heap_size(&self) -> u64 {
        self.heap_size
    }

    /// Takes bytes from the heap; none when it has not so many left and must not be exceeded.
    pub(crate) fn take_memory(&self, bytes: u64, exceeds: bool) -> Option<HeapBytes> {
        let fits = |usage: &u64| exceeds || *usage <= self.heap_size;
        let taken = |usage: u64| usage.checked_add(bytes).filter(fits);
        let usage = HEAP_USAGE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken);
        usage.is_ok().then(|| HeapBytes(bytes))
    }

    /// Budget and usage of the heap, in bytes (`VkPhysicalDeviceMemoryBudgetPropertiesEXT`).
    pub fn heap_budget(&self) -> (u64, u64) {
        let usage = HEAP_USAGE.load(Ordering::Relaxed);
        (system::memory_available_bytes().saturating_add(usage).min(self.heap_size), usage)
    }

    /// The memory types: one, that does everything, and the same once more with the names that
    /// `VK_AMD_device_coherent_memory` has for it. All devices of a group share its one heap: each allocation
    /// has one instance. Last comes tile memory, whose heap and type have no property by which programs
    /// choose memory that do not know it.
    pub fn memory_properties(&self) -> vk::PhysicalDeviceMemoryProperties {
        let mut properties = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: MEMORY_TYPE_COUNT,
            memory_heap_count: 2,
            ..Default::default()
        };
        let flags = vk::MemoryPropertyFlags::DEVICE_LOCAL
            | vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT
            | vk::MemoryPropertyFlags::HOST_CACHED;
        properties.memory_types[0] = vk::MemoryType { property_flags: flags, heap_index: 0 };
        properties.memory_types[1] = vk::MemoryType {
            property_flags: flags | vk::MemoryPropertyFlags::DEVICE_COHERENT_AMD,
            heap_index: 0,
        };
        properties.memory_types[TILE_MEMORY_TYPE as usize] =
            vk::MemoryType { property_flags: vk::MemoryPropertyFlags::empty(), heap_index: 1 };
        properties.memory_heaps[0] =
            vk::MemoryHeap { size: self.heap_size, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
        properties.memory_heaps[1] =
            vk::MemoryHeap { size: TILE_MEMORY_BYTES, flags: vk::MemoryHeapFlags::TILE_MEMORY_QCOM };
        properties
    }

    /// The queue families: one for everything, and for those who look for queues beside that of their frames,
    /// one without graphics and one for transfers. Each queue is a thread.
    pub fn queue_families(&self) -> [vk::QueueFamilyProperties; QUEUE_FAMILIES] {
        let sparse =
            if system::binds_sparsely() { vk::QueueFlags::SPARSE_BINDING } else { vk::QueueFlags::empty() };
        let transfer = vk::QueueFlags::TRANSFER | sparse;
        let compute = transfer | vk::QueueFlags::COMPUTE | vk::QueueFlags::DATA_GRAPH_ARM;
        [compute | vk::QueueFlags::GRAPHICS, compute, transfer].map(|queue_flags| vk::QueueFamilyProperties {
            queue_flags,
            queue_count: limits::QUEUE_COUNT,
            timestamp_valid_bits: TIMESTAMP_BITS,
            min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
        })
    }
}
