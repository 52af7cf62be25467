//! Buffers and buffer views.

pub use crate::caps::limits::BUFFER_ALIGNMENT;
use crate::caps::limits::{self, MEMORY_TYPE_BITS};
use crate::error::{Error, Result};
use crate::objects::image::class;
use crate::objects::memory::DeviceMemory;
use crate::objects::memory::mapped::{Block, Range};
use crate::objects::memory::sparse::{self, Quota, SPARSE_BLOCK_BYTES, SparseMemory};
use pyro_abi::ImageRecord;
use pyro_abi::report::declaration;
use pyro_compile::image_functions::{ImageFunctionCache, ViewFunctions};
use pyro_image::layout::{TEXEL_BUFFER_ELEMENTS_MAX, texel_buffer_view};
use pyro_image::{Aspect, ViewKey, ViewType};
use pyro_sanitizer::LiveRange;
use pyro_sanitizer::commands::resources::{ImageShape, LiveResource, LiveView, ResourceKind, View};
use pyro_util::sanitize::Kind;
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// A `VkBuffer`.
pub struct Buffer {
    size: u64,
    usage: vk::BufferUsageFlags,
    is_sparse: bool,
    bound: OnceLock<Bound>,
    /// Where memory is bound part by part.
    sparse: Option<SparseMemory>,
}

struct Bound {
    block: Arc<Block>,
    offset: u64,
    #[expect(dead_code, reason = "keeps what it takes of the heap")]
    memory: Option<Arc<DeviceMemory>>,
    /// Of the first byte.
    address: u64,
    /// Its device addresses, where the sanitizer looks at them.
    #[expect(dead_code, reason = "keeps the range known")]
    live: Option<LiveRange>,
    /// What it is for the sanitizer, where that follows commands.
    resource: Option<LiveResource>,
}

/// The uses of a buffer. With other flags and uses than one for tile memory may have
/// (VUID-VkBufferCreateInfo-usage-10763, VUID-VkBufferCreateInfo-usage-10764) it is none: there are programs
/// that ask for all uses.
fn usage_in_tiles(usage: vk::BufferUsageFlags, flags: vk::BufferCreateFlags) -> vk::BufferUsageFlags {
    use vk::BufferUsageFlags as U;
    let allowed = U::TILE_MEMORY_QCOM
        | U::TRANSFER_SRC
        | U::TRANSFER_DST
        | U::UNIFORM_TEXEL_BUFFER
        | U::STORAGE_TEXEL_BUFFER
        | U::UNIFORM_BUFFER
        | U::STORAGE_BUFFER
        | U::SHADER_DEVICE_ADDRESS;
    if flags.is_empty() && allowed.contains(usage) { usage } else { usage.difference(U::TILE_MEMORY_QCOM) }
}

impl Buffer {
    /// A buffer without memory.
    ///
    /// # Errors
    /// For sizes of zero or above the limit, and flags of features that do not exist.
    pub fn new(size: u64, usage: vk::BufferUsageFlags, flags: vk::BufferCreateFlags) -> Result<Buffer> {
        use vk::BufferCreateFlags as F;
        if flags.contains(F::PROTECTED) {
            return Err(Error::unsupported("protected buffers are not supported"));
        }
        let is_sparse = flags.contains(F::SPARSE_BINDING);
        if !is_sparse && flags.intersects(F::SPARSE_RESIDENCY | F::SPARSE_ALIASED) {
            return Err(Error::misuse(
                "a sparse buffer without VK_BUFFER_CREATE_SPARSE_BINDING_BIT (VUID-VkBufferCreateInfo-flags-00918)",
            ));
        }
        if is_sparse && !sparse::is_supported() {
            return Err(Error::unsupported("sparse buffers are not supported"));
        }
        if size == 0 {
            return Err(Error::misuse("a buffer's size is 0 (VUID-VkBufferCreateInfo-size-00912)"));
        }
        if size > crate::caps::limits::BUFFER_SIZE_MAX {
            return Err(Error::new(
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                "a buffer larger than maxBufferSize",
            ));
        }
        let usage = usage_in_tiles(usage, flags);
        Ok(Buffer { size, usage, is_sparse, bound: OnceLock::new(), sparse: None })
    }

    /// Gives a sparse buffer its addresses: those from `address` on, if it is not zero.
    ///
    /// # Errors
    /// When no addresses are left, or others have these.
    pub fn reserve(&mut self, address: u64, quota: &Arc<Quota>) -> Result<()> {
        if self.is_sparse {
            let sparse = SparseMemory::new(self.size, address, quota)?;
            self.set_bound(Arc::clone(sparse.block()), 0, None)?;
            self.sparse = Some(sparse);
        }
        Ok(())
    }

    /// Where its memory is bound part by part.
    ///
    /// # Errors
    /// When it is not sparse.
    pub fn sparse(&self) -> Result<&SparseMemory> {
        self.sparse.as_ref().ok_or_else(|| {
            Error::misuse(
                "the buffer is not sparse (VUID-VkSparseBufferMemoryBindInfo-buffer-parameter, VK_BUFFER_CREATE_SPARSE_BINDING_BIT)",
            )
        })
    }

    /// Bytes.
    #[inline]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What it may be used for.
    pub fn usage(&self) -> vk::BufferUsageFlags {
        self.usage
    }

    /// Whether it may lie in tile memory.
    pub fn is_for_tiles(&self) -> bool {
        self.usage.contains(vk::BufferUsageFlags::TILE_MEMORY_QCOM)
    }

    /// What memory it needs.
    pub fn requirements(&self) -> vk::MemoryRequirements {
        if !self.is_sparse {
            let memory_type_bits = limits::memory_type_bits(self.is_for_tiles());
            return vk::MemoryRequirements { memory_type_bits, ..requirements(self.size) };
        }
        let size = self.size.next_multiple_of(SPARSE_BLOCK_BYTES);
        vk::MemoryRequirements { size, alignment: SPARSE_BLOCK_BYTES, memory_type_bits: MEMORY_TYPE_BITS }
    }

    /// Gives it memory.
    ///
    /// # Errors
    /// When it has some already, or the memory does not suffice.
    pub fn bind(&self, memory: Arc<DeviceMemory>, offset: u64) -> Result<()> {
        if !offset.is_multiple_of(BUFFER_ALIGNMENT) {
            return Err(Error::misuse(
                "memoryOffset breaks the alignment (VUID-vkBindBufferMemory-None-10739)",
            ));
        }
        memory.check_use(self.is_for_tiles(), "VUID-vkBindBufferMemory-memory-01035")?;
        if memory.range(offset, self.size).is_none() {
            return Err(Error::misuse(
                "the buffer does not fit into the memory (VUID-vkBindBufferMemory-size-01037)",
            ));
        }
        let block = Arc::clone(memory.block());
        self.set_bound(block, offset, Some(memory))
    }

    fn set_bound(&self, block: Arc<Block>, offset: u64, memory: Option<Arc<DeviceMemory>>) -> Result<()> {
        let address = block.address() + offset;
        let has_address = self.usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS)
            && pyro_util::config::get().sanitize.contains(Kind::BoundsAddress);
        let live = has_address.then(|| LiveRange::new(address, self.size));
        let resource = crate::objects::followed::is_on().then(|| {
            LiveResource::new(ResourceKind::Buffer, address..address + self.size, ImageShape::default(), 0)
        });
        self.bound
            .set(Bound { block, offset, memory, address, live, resource })
            .map_err(|_| Error::misuse("the buffer is bound already (VUID-vkBindBufferMemory-buffer-07459)"))
    }

    /// Its name for the sanitizer's findings.
    pub fn set_name(&self, name: &str) {
        if let Some(resource) = self.bound.get().and_then(|bound| bound.resource.as_ref()) {
            resource.set_name(name);
        }
    }

    /// The address of its first byte, if it has memory.
    #[inline]
    pub fn bound_address(&self) -> Option<u64> {
        self.bound.get().map(|bound| bound.address)
    }

    #[inline]
    fn bound(&self) -> Result<&Bound> {
        #[cold]
        fn unbound() -> Error {
            Error::misuse("the buffer is not bound to memory")
        }
        self.bound.get().ok_or_else(unbound)
    }

    /// The address of its first byte.
    ///
    /// # Errors
    /// When it has no memory.
    #[inline]
    pub fn address(&self) -> Result<u64> {
        Ok(self.bound()?.address)
    }

    /// A piece of its bytes; `size` may be `VK_WHOLE_SIZE`.
    ///
    /// # Errors
    /// When it has no memory or the piece is not all inside.
    pub fn range(&self, offset: u64, size: u64) -> Result<Range> {
        let bound = self.bound()?;
        let left = self.size.checked_sub(offset);
        let size = if size == vk::WHOLE_SIZE { left } else { Some(size) };
        match (left, size) {
            (Some(left), Some(size)) if size <= left => Range::new(&bound.block, bound.offset + offset, size),
            _ => None,
        }
        .ok_or_else(|| {
            Error::misuse(format!("a range at {offset} is not inside a buffer of {} bytes", self.size))
        })
    }
}

/// What memory a buffer of `size` bytes needs that is not sparse.
pub fn requirements(size: u64) -> vk::MemoryRequirements {
    vk::MemoryRequirements {
        size: size.checked_next_multiple_of(BUFFER_ALIGNMENT).unwrap_or(size),
        alignment: BUFFER_ALIGNMENT,
        memory_type_bits: MEMORY_TYPE_BITS,
    }
}

/// A `VkBufferView`.
pub struct BufferView {
    /// One; descriptors hold its address.
    record: Arc<[ImageRecord]>,
    /// Behind the record, which it retires.
    #[expect(dead_code, reason = "keeps what the record points at")]
    functions: ViewFunctions,
    #[expect(dead_code, reason = "keeps the memory")]
    range: Range,
    #[expect(dead_code, reason = "keeps the view known to the sanitizer")]
    live: Option<LiveView>,
}

impl BufferView {
    /// A view of `size` bytes (or `VK_WHOLE_SIZE`) from `offset` on.
    ///
    /// # Errors
    /// When they are not all inside the buffer, or the format is not for texel buffers.
    pub fn new(
        textures: &ImageFunctionCache,
        buffer: &Buffer,
        format: vk::Format,
        offset: u64,
        size: u64,
    ) -> Result<BufferView> {
        BufferView::of_range(textures, buffer.range(offset, size)?, format)
    }

    /// A view of a range.
    ///
    /// # Errors
    /// When the format is not for texel buffers.
    pub(crate) fn of_range(
        textures: &ImageFunctionCache,
        range: Range,
        format: vk::Format,
    ) -> Result<BufferView> {
        let format = crate::objects::image::format::find(format)?;
        if !format.features().uniform_texel_buffer && !format.features().storage_texel_buffer {
            return Err(Error::misuse(
                "the format is not for texel buffers (VUID-VkBufferViewCreateInfo-format-08779)",
            ));
        }
        let elements = range.size() / u64::from(format.block_bytes());
        let elements = elements.min(TEXEL_BUFFER_ELEMENTS_MAX.into()) as u32;
        let mut record = texel_buffer_view(range.address(), elements);
        let key = ViewKey::new(format, Aspect::Color, ViewType::Buffer, 1);
        let mut functions = textures.view(&ViewKey { sparse: sparse::contains(range.address()), ..key });
        functions.fill(&mut record);
        let record = functions.publish(&[record]);
        let live = crate::objects::followed::is_on().then(|| {
            let (texel_bytes, layouts) = (format.block_bytes(), Vec::new());
            let texels = class(format, Aspect::Color) | declaration::format_bits(format.info().name);
            let declared = declaration::BUFFER | texels;
            let view = View { image: None, texel_bytes, block: [1, 1], declared, layouts, converts: false };
            LiveView::new(record.as_ptr().expose_provenance() as u64, view)
        });
        Ok(BufferView { record, functions, range, live })
    }

    /// Where shaders find what they read of it.
    pub fn record_address(&self) -> u64 {
        self.record.as_ptr().expose_provenance() as u64
    }
}
