//! Device memory.

mod bulk;
#[cfg(target_os = "linux")]
mod dma_buf;
mod fixed;
pub mod mapped;
mod pages;
pub mod sparse;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;
pub(crate) mod tile;
pub(crate) mod words;

pub use crate::caps::limits::MEMORY_ALIGNMENT;
pub use crate::caps::limits::TILE_MEMORY_BYTES;
use crate::caps::{HeapBytes, PhysicalDevice};
use crate::error::{Error, Result};
use fixed::Placed;
use mapped::{Block, Range, SHARED_BYTES};
use pyro_util::sync::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use tile::TileMemory;
use vulkanalia_sys as vk;

/// What compiling a shader of ordinary size takes.
pub const COMPILE_ROOM_BYTES: usize = 48 << 20;
/// What a device with its threads' first stacks takes.
pub const DEVICE_ROOM_BYTES: usize = 32 << 20;
/// What a module takes beside its words.
pub const MODULE_ROOM_BYTES: usize = 1 << 20;
/// What running commands takes, mostly.
pub const SUBMIT_ROOM_BYTES: usize = 4 << 20;

/// Looks whether the process's address space has room for so many bytes, where it is limited. Calls that may
/// allocate much ask before they begin, since an allocation that fails within the standard library's
/// collections ends the process.
///
/// # Errors
/// `VK_ERROR_OUT_OF_HOST_MEMORY` where there is no room.
pub fn check_room(bytes: usize) -> Result<()> {
    if pages::has_room(bytes) { Ok(()) } else { Err(Error::out_of_host_memory()) }
}

/// A `VkDeviceMemory`.
pub struct DeviceMemory {
    block: Arc<Block>,
    /// The file behind exportable or imported memory.
    file: Option<std::fs::File>,
    mapped: AtomicBool,
    /// Mappings have addresses of their own, which can stay reserved (`memoryUnmapReserve`).
    reserves: bool,
    /// The mapping, where it has addresses of its own: the application has placed it, or they can stay
    /// reserved (`VK_EXT_map_memory_placed`).
    placed: Mutex<Option<Placed>>,
    /// What it takes of the heap; an import takes nothing.
    heap: Option<HeapBytes>,
    /// Its bytes, where they are the first ones of the heap of tile memory.
    tile_bytes: Option<u64>,
}

/// A device that is lost when a file of its memory is truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOwner(pub(crate) u64);

/// Where new memory comes from.
pub enum MemorySource {
    /// The system.
    New {
        /// It can be given to others as a file descriptor.
        exportable: bool,
        /// For capture and replay: it has this address of another process, or, if zero, one that another
        /// process can use (`VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT`).
        fixed_address: Option<u64>,
        /// It can be mapped a second time: its mappings can be placed (`memoryMapPlaced`), or, on Windows,
        /// it can be bound to sparse resources, which elsewhere changes it then.
        placeable: bool,
        /// It may exceed the heap (`VK_MEMORY_OVERALLOCATION_BEHAVIOR_ALLOWED_AMD`).
        exceeds_heap: bool,
    },
    /// The application's own bytes, or another's.
    Block(Block),
    /// A file descriptor that was exported before, for this device. Others may truncate it.
    File(std::fs::File, FileOwner),
}

/// Of memory that is to be unmapped.
const NOT_MAPPED: &str =
    "the memory is not mapped (VUID-vkUnmapMemory-memory-00689, VUID-VkMemoryUnmapInfo-memory-07964)";

/// The error for an address of another process that is not available.
fn taken(address: u64) -> Error {
    Error::new(
        vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
        format!("the opaque capture address {address:#x} is in use or not one of this driver"),
    )
}

/// Memory by the address of its first byte, where the sanitizer reads it.
static KNOWN: RwLock<BTreeMap<u64, Weak<Block>>> = RwLock::new(BTreeMap::new());

/// Copies bytes from an address of memory that the sanitizer knows; false where there is none any more.
pub(crate) fn read_known(address: u64, bytes: &mut [u8]) -> bool {
    let block = KNOWN.read().range(..=address).next_back().and_then(|(_, block)| block.upgrade());
    let Some(block) = block else { return false };
    let offset = address - block.address();
    let there = block.size().saturating_sub(offset).min(bytes.len() as u64);
    if there == 0 {
        return false;
    }
    block.read(offset, &mut bytes[..there as usize]);
    true
}

/// Bytes of a section; zero for another object's handle.
#[cfg(windows)]
pub fn file_size(section: &std::fs::File) -> u64 {
    use std::os::windows::io::AsHandle as _;
    crate::system::View::new(section.as_handle(), 0, 0).map_or(0, |view| view.bytes())
}

/// Bytes of a file of memory. A dma-buf has a size that only seeking tells.
#[cfg(unix)]
pub fn file_size(mut file: &std::fs::File) -> u64 {
    use std::io::{Seek, SeekFrom};
    let size = file.metadata().map_or(0, |data| data.len());
    if size > 0 { size } else { file.seek(SeekFrom::End(0)).unwrap_or(0) }
}

/// Structures that lie there without handles are gone.
impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let start = self.block.address();
        if !self.is_tile() {
            pyro_raytrace::place::forget(start..start + self.block.size());
        }
    }
}

impl DeviceMemory {
    /// Allocates or imports `size` bytes.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_DEVICE_MEMORY` when the heap has not so much left, `VK_ERROR_INVALID_EXTERNAL_HANDLE`
    /// for a file that is too short.
    pub fn new(physical_device: &PhysicalDevice, size: u64, source: MemorySource) -> Result<DeviceMemory> {
        let out =
            || Error::new(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, format!("no memory for {size} bytes"));
        if size == 0 {
            return Err(Error::misuse(
                "allocationSize is 0 (VUID-VkMemoryAllocateInfo-allocationSize-07899)",
            ));
        }
        let (block, file, heap) = match source {
            MemorySource::New { exportable, fixed_address, placeable, exceeds_heap } => {
                let heap = Some(physical_device.take_memory(size, exceeds_heap).ok_or_else(out)?);
                let is_shared = cfg!(windows) && placeable;
                let whole = if is_shared { size.checked_next_multiple_of(SHARED_BYTES) } else { Some(size) };
                let file = || whole.and_then(crate::system::memory_file).ok_or_else(out);
                let file = exportable.then(file).transpose()?;
                let fixed = |address| match &file {
                    None if placeable => Block::fixed_shared(size, address),
                    file => Block::fixed(size, address, file.as_ref()),
                };
                let block = match (fixed_address, &file) {
                    (Some(0), _) => fixed(0).ok_or_else(out)?,
                    (Some(address), _) => fixed(address).ok_or_else(|| taken(address))?,
                    (None, Some(file)) => Block::from_file(file, size, None).ok_or_else(out)?,
                    (None, None) if placeable => Block::shared(size).ok_or_else(out)?,
                    (None, None) => Block::apart(size).ok_or_else(out)?,
                };
                (block, file, heap)
            }
            MemorySource::Block(block) => (block, None, None),
            MemorySource::File(file, owner) => {
                let invalid = || {
                    Error::new(
                        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
                        "the file descriptor holds less memory",
                    )
                };
                if file_size(&file) < size {
                    return Err(invalid());
                }
                let block = Block::from_file(&file, size, Some(owner.0)).ok_or_else(invalid)?;
                (block, Some(file), None)
            }
        };
        let block = Arc::new(block);
        if crate::objects::followed::is_on() {
            let mut known = KNOWN.write();
            known.retain(|_, block| block.strong_count() > 0);
            known.insert(block.address(), Arc::downgrade(&block));
        }
        let (mapped, placed) = (AtomicBool::new(false), Mutex::default());
        Ok(DeviceMemory { block, file, mapped, reserves: false, placed, heap, tile_bytes: None })
    }

    /// The first bytes of a device's heap of tile memory.
    ///
    /// # Errors
    /// When there are not so many, or none.
    pub(crate) fn of_tile(tile: &TileMemory, size: u64) -> Result<DeviceMemory> {
        if size == 0 || size > TILE_MEMORY_BYTES {
            return Err(Error::misuse(
                "allocationSize is 0 or larger than the heap of tile memory \
                 (VUID-VkMemoryAllocateInfo-allocationSize-07899, VUID-vkAllocateMemory-pAllocateInfo-01713)",
            ));
        }
        Ok(DeviceMemory {
            block: Arc::clone(tile.block()?),
            file: None,
            mapped: AtomicBool::new(false),
            reserves: false,
            placed: Mutex::default(),
            heap: Some(HeapBytes::default()),
            tile_bytes: Some(size),
        })
    }

    /// Whether it is tile memory.
    pub fn is_tile(&self) -> bool {
        self.tile_bytes.is_some()
    }

    /// Some of its bytes; none where they are not all inside.
    pub(crate) fn range(&self, offset: u64, size: u64) -> Option<Range> {
        let end = offset.checked_add(size)?;
        Range::new(&self.block, offset, size).filter(|_| end <= self.size())
    }

    /// Fails where a resource of these uses may not lie in it.
    ///
    /// # Errors
    /// When it is tile memory, and the resource is not `for_tiles`.
    pub(crate) fn check_use(&self, for_tiles: bool, rule: &str) -> Result<()> {
        if self.is_tile() && !for_tiles {
            return Err(Error::misuse(format!(
                "tile memory for a resource that was created without the usage TILE_MEMORY ({rule})"
            )));
        }
        Ok(())
    }

    /// The same, whose mappings have addresses of their own where `reserves` is set: an application that
    /// reserves the addresses of a mapping may do with them what it likes, so they must not be the device's.
    #[must_use]
    pub fn reserving(mut self, reserves: bool) -> DeviceMemory {
        self.reserves = reserves;
        self
    }

    /// Whether other devices may access it, too: it can be exported, or is imported from a file.
    pub(crate) fn is_external(&self) -> bool {
        self.file.is_some()
    }

    /// Whether it is the memory of others.
    pub fn is_imported(&self) -> bool {
        self.heap.is_none()
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.tile_bytes.unwrap_or_else(|| self.block.size())
    }

    /// What tells this memory from all other that exists: the same for memory and for what was imported from
    /// it, where the system tells files of memory apart. The highest bit is set if it names a file.
    pub fn object_id(&self) -> u64 {
        #[cfg(unix)]
        if let Some(data) = self.file.as_ref().and_then(|file| file.metadata().ok()) {
            use std::os::unix::fs::MetadataExt as _;
            return 1 << 63 | (data.dev() & 0x7fff) << 48 | data.ino() & ((1 << 48) - 1);
        }
        self.block.address()
    }

    /// The bytes.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// The file that has its bytes, for sparse resources: it gets one if it has none.
    ///
    /// # Errors
    /// When the memory is the application's own, or the system gives no file.
    pub(crate) fn sparse_file(&self) -> Result<&std::fs::File> {
        self.check_use(false, "VUID-VkSparseMemoryBind-memory-01096")?;
        self.file.as_ref().or_else(|| self.block.share()).ok_or_else(|| {
            Error::new(
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                "memory of the application cannot be bound to sparse resources (VUID-VkSparseMemoryBind-memory-02731), or the system has no memory file",
            )
        })
    }

    /// A new descriptor of the file behind exportable memory.
    ///
    /// # Errors
    /// When the memory was not made for it.
    pub fn export(&self) -> Result<std::fs::File> {
        let file = self.file.as_ref().ok_or_else(|| {
            Error::misuse("the memory was allocated without VkExportMemoryAllocateInfo (VUID-VkMemoryGetFdInfoKHR-handleType-00671, VUID-VkMemoryGetWin32HandleInfoKHR-handleType-00662)")
        })?;
        file.try_clone()
            .map_err(|_| Error::new(vk::Result::ERROR_TOO_MANY_OBJECTS, "no file descriptor is left"))
    }

    /// A dma-buf with the same bytes, where the system makes such, or else the file of memory itself: both
    /// are files of the size of the memory that can be mapped.
    ///
    /// # Errors
    /// When the memory was not made for it.
    pub fn export_dma_buf(&self) -> Result<std::fs::File> {
        let file = self.export()?;
        #[cfg(target_os = "linux")]
        if let Some(buffer) = dma_buf::create(&file, self.size()) {
            return Ok(buffer);
        }
        Ok(file)
    }

    /// Marks it mapped and gives the address of the byte at `offset`.
    ///
    /// # Errors
    /// When it is mapped already or the range is outside.
    pub fn map(&self, offset: u64, size: u64) -> Result<u64> {
        let address = self.map_device(offset, size)?;
        Ok(if self.reserves { self.map_apart(address, size) } else { address })
    }

    /// The same at the addresses that the device uses.
    fn map_device(&self, offset: u64, size: u64) -> Result<u64> {
        if self.is_tile() {
            return Err(Error::new(
                vk::Result::ERROR_MEMORY_MAP_FAILED,
                "tile memory is not visible to the host (VUID-vkMapMemory-memory-00682)",
            ));
        }
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

    /// Keeps a placed mapping; without one it is not mapped any more.
    fn keep_placed(&self, placed: Option<Placed>) -> bool {
        if placed.is_none() {
            self.mapped.store(false, Ordering::Release);
        }
        let mut kept = self.placed.lock();
        *kept = placed;
        kept.is_some()
    }

    /// Ends the mapping, and keeps its addresses reserved (`VK_MEMORY_UNMAP_RESERVE_BIT_EXT`).
    ///
    /// # Errors
    /// When it is not mapped; `VK_ERROR_MEMORY_MAP_FAILED`, and it stays mapped, when the system does not
    /// reserve the addresses, or they are those of memory of the application.
    pub fn unmap_reserving(&self) -> Result<()> {
        if !self.reserves {
            return Err(Error::misuse(
                "flags has RESERVE, and memoryUnmapReserve is not enabled (VUID-VkMemoryUnmapInfo-flags-09579)",
            ));
        }
        if !self.mapped.load(Ordering::Acquire) {
            return Err(Error::misuse(NOT_MAPPED));
        }
        let mut placed = self.placed.lock();
        let refused = match placed.take().map(Placed::reserve) {
            Some(Ok(())) => None,
            Some(Err(kept)) => {
                *placed = Some(kept);
                Some("the system does not reserve the addresses of the mapping")
            }
            None => Some(
                "the addresses of the mapping are the application's or the device's (VUID-VkMemoryUnmapInfo-flags-09580)",
            ),
        };
        drop(placed);
        match refused {
            Some(why) => Err(Error::new(vk::Result::ERROR_MEMORY_MAP_FAILED, why)),
            None => self.unmap(),
        }
    }

    /// Ends the mapping.
    ///
    /// # Errors
    /// When it is not mapped.
    pub fn unmap(&self) -> Result<()> {
        if self.mapped.swap(false, Ordering::AcqRel) {
            drop(self.placed.lock().take());
            Ok(())
        } else {
            Err(Error::misuse(NOT_MAPPED))
        }
    }
}
