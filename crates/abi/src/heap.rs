//! Descriptor heaps (`VK_EXT_descriptor_heap`): what lies in them, and where mappings find it.
//!
//! A shader for heaps has no descriptor sets. In place of their addresses, [`crate::DispatchContext::sets`]
//! holds what [`place`] names. A descriptor in a heap is an image's record (the address of a
//! [`crate::ImageRecord`]), a sampler's record, or a [`crate::BufferDescriptor`]; zeros are a null
//! descriptor. What is read of a heap is checked against its size, so an index that leads outside of it finds
//! null descriptors.

use std::sync::Arc;

/// Bytes that each descriptor takes, whatever it is (`OpConstantSizeOfEXT`), and its alignment.
pub const HEAP_DESCRIPTOR_BYTES: u32 = 16;

/// What is in [`crate::DispatchContext::sets`] for a shader for heaps.
pub mod place {
    /// Address of the resource heap.
    pub const RESOURCE_HEAP: usize = 0;
    /// Its size in bytes, below 2^31.
    pub const RESOURCE_HEAP_BYTES: usize = 1;
    /// Address of the sampler heap.
    pub const SAMPLER_HEAP: usize = 2;
    /// Its size in bytes, below 2^31.
    pub const SAMPLER_HEAP_BYTES: usize = 3;
    /// Of each stage, the address of an array of addresses of its embedded samplers' records
    /// ([`super::Mapping::embedded_sampler`]): from here on, by the place of the stage's bit in
    /// `VkShaderStageFlagBits`.
    pub const EMBEDDED_SAMPLERS: usize = 8;
}

/// Which heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heap {
    /// Of images and buffers.
    Resource,
    /// Of samplers.
    Sampler,
}

/// Where a mapping finds an index into a heap. Offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeapIndex {
    /// There is none.
    None,
    /// 32 bits in the push data.
    Push(u32),
    /// 32 bits in memory at `offset` from an address in the push data; of an array, that of its first
    /// element.
    Indirect {
        /// Of the address in the push data.
        push: u32,
        /// Of the index from the address.
        offset: u32,
    },
    /// 32 bits in the shader record of a ray tracing shader.
    ShaderRecord(u32),
    /// As [`HeapIndex::Indirect`], with an index for each element of an array, one behind the other.
    IndirectArray {
        /// Of the address in the push data.
        push: u32,
        /// Of the first element's index from the address.
        offset: u32,
    },
}

/// Where descriptors lie in a heap: `offset + index * index_stride + element * array_stride` bytes from its
/// start, where the element counts from the mapping's first binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeapAddressing {
    /// Bytes.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub array_stride: u32,
    /// The index.
    pub index: HeapIndex,
    /// Bytes from one index to the next.
    pub index_stride: u32,
}

/// How a mapping's resources are found (`VkDescriptorMappingSourceEXT`). Offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MappingSource {
    /// By descriptors in the heaps.
    Descriptors {
        /// The resource, or the sampler of what is one alone.
        resource: HeapAddressing,
        /// The sampler of an image that is combined with one.
        sampler: HeapAddressing,
        /// Of such an image, the resource's index is the low 20 bits of what lies there and the sampler's the
        /// high 12 bits (`useCombinedImageSamplerIndex`).
        combined_index: bool,
    },
    /// A uniform buffer in the resource heap, at an offset and what 32 bits in the push data add to it.
    HeapData {
        /// From the heap's start.
        offset: u32,
        /// Of the bits in the push data.
        push: u32,
    },
    /// A uniform buffer in the push data.
    PushData(u32),
    /// Memory at an address in the push data.
    PushAddress(u32),
    /// Memory at an address in memory at an address in the push data.
    IndirectAddress {
        /// Of the first address in the push data.
        push: u32,
        /// Of the second address from the first one.
        offset: u32,
    },
    /// A uniform buffer in the shader record, at an offset in bytes.
    ShaderRecordData(u32),
    /// Memory at an address in the shader record, at an offset in bytes.
    ShaderRecordAddress(u32),
}

/// A mapping of bindings (`VkDescriptorSetAndBindingMappingEXT`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// The descriptor set's number.
    pub set: u32,
    /// The first binding.
    pub first_binding: u32,
    /// How many bindings.
    pub binding_count: u32,
    /// Which kinds of resources (`VkSpirvResourceTypeFlagBitsEXT`).
    pub resource_mask: u32,
    /// Where they are.
    pub source: MappingSource,
    /// A sampler that stands for that in the heap.
    pub embedded_sampler: Option<EmbeddedSampler>,
}

/// A sampler that the shader brings along: see [`place::EMBEDDED_SAMPLERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EmbeddedSampler {
    /// The place of the stage's bit in `VkShaderStageFlagBits`.
    pub stage: u32,
    /// Its number among the stage's.
    pub index: u32,
}

/// The mappings of a shader for heaps.
pub type Mappings = Arc<[Mapping]>;

impl Mapping {
    /// Whether it maps a binding of a kind of resource, which is a bit of [`Self::resource_mask`].
    pub fn is_for(&self, set: u32, binding: u32, kind: u32) -> bool {
        let behind = binding.checked_sub(self.first_binding);
        self.set == set
            && behind.is_some_and(|behind| behind < self.binding_count)
            && self.resource_mask & kind != 0
    }
}
