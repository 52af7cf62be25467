//! Device memory.

mod bulk;
pub mod mapped;

use crate::error::{Error, Result};
use crate::physical_device::PhysicalDevice;
use mapped::{Block, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use vulkanalia_sys as vk;

/// Alignment of every allocation: what `minMemoryMapAlignment` and `minImportedHostPointerAlignment` promise.
pub const MEMORY_ALIGNMENT: usize = 4096;

/// A `VkDeviceMemory`.
pub struct DeviceMemory {
    block: Arc<Block>,
    /// The file behind exportable or imported memory.
    file: Option<std::fs::File>,
    /// Bytes counted against the heap; an import is not.
    counted: u64,
    mapped: AtomicBool,
    physical_device: Arc<PhysicalDevice>,
}

/// Where new memory comes from.
pub enum MemorySource {
    /// The system.
    New {
        /// It can be given to others as a file descriptor.
        exportable: bool,
    },
    /// The application's own bytes, or another's.
    Block(Block),
    /// A file descriptor that was exported before.
    File(std::fs::File),
}

impl DeviceMemory {
    /// Allocates or imports `size` bytes.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_DEVICE_MEMORY` when the heap is too small, `VK_ERROR_INVALID_EXTERNAL_HANDLE` for a
    /// file that is too short.
    pub fn new(
        physical_device: &Arc<PhysicalDevice>,
        size: u64,
        source: MemorySource,
    ) -> Result<DeviceMemory> {
        let out =
            || Error::new(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, format!("no memory for {size} bytes"));
        if size == 0 {
            return Err(Error::misuse(
                "allocationSize is 0 (VUID-VkMemoryAllocateInfo-allocationSize-07899)",
            ));
        }
        let (block, file, counted) = match source {
            MemorySource::New { exportable } => {
                if size > physical_device.heap_size() {
                    return Err(out());
                }
                if exportable {
                    let file = crate::system::memory_file(size).ok_or_else(out)?;
                    (Block::from_file(&file, size).ok_or_else(out)?, Some(file), size)
                } else {
                    (Block::zeroed(size, MEMORY_ALIGNMENT).ok_or_else(out)?, None, size)
                }
            }
            MemorySource::Block(block) => (block, None, 0),
            MemorySource::File(file) => {
                let invalid = || {
                    Error::new(
                        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
                        "the file descriptor holds less memory",
                    )
                };
                if file.metadata().map_or(0, |data| data.len()) < size {
                    return Err(invalid());
                }
                (Block::from_file(&file, size).ok_or_else(invalid)?, Some(file), 0)
            }
        };
        physical_device.count_memory(counted, true);
        Ok(DeviceMemory {
            block: Arc::new(block),
            file,
            counted,
            mapped: AtomicBool::new(false),
            physical_device: Arc::clone(physical_device),
        })
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.block.size()
    }

    /// The bytes.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// A new descriptor of the file behind exportable memory.
    ///
    /// # Errors
    /// When the memory was not made for it.
    pub fn export(&self) -> Result<std::fs::File> {
        let file = self.file.as_ref().ok_or_else(|| {
            Error::misuse("the memory was allocated without VkExportMemoryAllocateInfo (VUID-VkMemoryGetFdInfoKHR-handleType-00671)")
        })?;
        file.try_clone()
            .map_err(|_| Error::new(vk::Result::ERROR_TOO_MANY_OBJECTS, "no file descriptor is left"))
    }

    /// Marks it mapped and gives the address of the byte at `offset`.
    ///
    /// # Errors
    /// When it is mapped already or the range is outside.
    pub fn map(&self, offset: u64, size: u64) -> Result<u64> {
        let size = if size == vk::WHOLE_SIZE { self.size().saturating_sub(offset) } else { size };
        if size == 0 || Range::new(&self.block, offset, size).is_none() {
            return Err(Error::new(
                vk::Result::ERROR_MEMORY_MAP_FAILED,
                "the mapped range is not inside the memory (VUID-vkMapMemory-size-00681)",
            ));
        }
        if self.mapped.swap(true, Ordering::AcqRel) {
            return Err(Error::new(
                vk::Result::ERROR_MEMORY_MAP_FAILED,
                "the memory is mapped already (VUID-vkMapMemory-memory-00678)",
            ));
        }
        Ok(self.block.address() + offset)
    }

    /// Ends the mapping.
    ///
    /// # Errors
    /// When it is not mapped.
    pub fn unmap(&self) -> Result<()> {
        if self.mapped.swap(false, Ordering::AcqRel) {
            Ok(())
        } else {
            Err(Error::misuse("the memory is not mapped (VUID-vkUnmapMemory-memory-00689)"))
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        self.physical_device.count_memory(self.counted, false);
    }
}
