//! The device's limits, in one place: what objects enforce, and what `vkGetPhysicalDeviceProperties` says.

use crate::system;
pub use pyro_abi::graphics::{COLOR_ATTACHMENTS_MAX, VERTEX_BINDINGS_MAX, VIEWPORTS_MAX};
use pyro_util::cpu::Level;
use std::sync::LazyLock;
use vulkanalia_sys as vk;

/// The API version that the device reports. `caps::requirements` holds what it promises.
pub const API_VERSION: u32 = vk::make_version(1, 4, HEADER_VERSION);
/// The patch version of the registry that the API's types come from.
pub const HEADER_VERSION: u32 = 341;
/// The driver's own version.
pub const DRIVER_VERSION: u32 = vk::make_version(0, 1, 0);
/// `vendorID`.
///
/// Vendors without a PCI id get one of Khronos' 0x10000 range by registration in `VkVendorId`; Pyroclast has
/// none. A number from the range that PCI never assigns (its ids have 16 bits) and far above Khronos'
/// consecutive ones cannot be taken for somebody else's.
pub const VENDOR_ID: u32 = 0x1_5079;
/// `deviceID`.
pub const DEVICE_ID: u32 = 1;
/// The device's name.
pub const DEVICE_NAME: &str = "Pyroclast";

/// Memory types.
pub const MEMORY_TYPE_COUNT: u32 = TILE_MEMORY_TYPE + 1;
/// That of tile memory, behind all others.
pub const TILE_MEMORY_TYPE: u32 = 2;
/// Bytes of the heap of tile memory: attachments of a few hundred pixels each way, and no more than caches
/// hold.
pub const TILE_MEMORY_BYTES: u64 = 4 << 20;
/// All others, of which everything may have any.
pub const MEMORY_TYPE_BITS: u32 = (1 << TILE_MEMORY_TYPE) - 1;

/// The memory types of resources that may lie in tile memory, or not.
pub(crate) const fn memory_type_bits(for_tiles: bool) -> u32 {
    if for_tiles { MEMORY_TYPE_BITS | 1 << TILE_MEMORY_TYPE } else { MEMORY_TYPE_BITS }
}

/// Largest buffer.
pub const BUFFER_SIZE_MAX: u64 = 1 << 40;
/// Largest range of a storage buffer descriptor without 64-bit indexing: the greatest multiple of 4 below
/// 2^31. Executors extend the 32-bit offsets of accesses with zeros or with their sign, whichever is cheaper
/// (`pyro_ir::MemoryOp`), so no offset may reach 2^31; WebGPU asks for a multiple of 4.
pub const STORAGE_BUFFER_RANGE_MAX: u32 = i32::MAX as u32 & !3;
/// Largest range of a uniform buffer descriptor.
pub const UNIFORM_BUFFER_RANGE_MAX: u32 = 1 << 20;
/// Descriptors of one set, and of all.
pub const DESCRIPTORS_MAX: u32 = 1 << 20;
/// Dynamic buffers of one pipeline layout.
pub const DYNAMIC_BUFFERS_MAX: u32 = 64;
/// Descriptors of a push descriptor set.
pub const PUSH_DESCRIPTORS_MAX: u32 = 256;
/// Bytes of an inline uniform block.
pub const INLINE_UNIFORM_BLOCK_BYTES_MAX: u32 = 4096;
/// Inline uniform blocks of a set, and of a pipeline layout.
pub const INLINE_UNIFORM_BLOCKS_MAX: u32 = 64;
/// Components of a vector (`maxVectorComponents`). Values are lists of scalars, which lowering limits to
/// more.
pub const VECTOR_COMPONENT_COUNT_MAX: u32 = 1024;
/// Wait queues that a loop may ask for (`maxShaderWaitQueues`): a hint that changes nothing, as cores do not
/// wait for one operation with the next.
pub const WAIT_QUEUES_MAX: u32 = 2;
/// Workgroups of a dispatch in each direction; in x as many as leave `GlobalInvocationId` below 2^30.
pub const WORKGROUP_COUNT_MAX: [u32; 3] = [(1 << 20) - 1, 65535, 65535];
/// Invocations of a workgroup.
pub const WORKGROUP_INVOCATIONS_MAX: u32 = 1024;
/// Bytes of workgroup memory.
pub const SHARED_BYTES_MAX: u32 = 64 << 10;
/// Queues of the one family.
pub const QUEUE_COUNT: u32 = 4;
/// The unit in which memory is bound to sparse resources: Vulkan's standard block size.
pub const SPARSE_BLOCK_BYTES: u64 = pyro_abi::sparse::BLOCK_BYTES;
/// Addresses for all sparse resources together (`sparseAddressSpaceSize`).
pub const SPARSE_SPACE_BYTES: u64 = 1 << 40;
/// Where a device has `extendedSparseAddressSpace` (`extendedSparseAddressSpaceSize`).
pub const EXTENDED_SPARSE_SPACE_BYTES: u64 = pyro_abi::sparse::SPACE_BYTES;
/// Most `VkDeviceMemory` objects.
pub const MEMORY_ALLOCATIONS_MAX: u32 = 1 << 20;

/// Samples whose locations can be set.
pub const SAMPLE_LOCATION_COUNTS: vk::SampleCountFlags = vk::SampleCountFlags::_2
    .union(vk::SampleCountFlags::_4)
    .union(vk::SampleCountFlags::_8)
    .union(vk::SampleCountFlags::_16);
/// Pixels that a texel of a shading rate attachment stands for, in each direction: the least and the most.
pub const SHADING_RATE_TEXELS: (u32, u32) = (8, 64);
/// Pixels that a texel of a shading rate image stands for, in each direction.
pub const SHADING_RATE_IMAGE_TEXEL: u32 = 8;
/// Samples that images and attachments can have.
pub const SAMPLE_COUNTS: vk::SampleCountFlags = vk::SampleCountFlags::_1
    .union(vk::SampleCountFlags::_2)
    .union(vk::SampleCountFlags::_4)
    .union(vk::SampleCountFlags::_8)
    .union(vk::SampleCountFlags::_16);

/// Subgroups that a core may have begun at one time.
pub const WARPS_PER_CORE: u32 = pyro_abi::WARPS_PER_CORE;

/// Batches of workgroups that a core may queue: it takes the next when it has ended one.
pub const QUEUED_BATCHES_MAX: u32 = 1;

/// Counters of a region of a render pass (`maxPerRegionPerformanceCounters`).
pub const REGION_COUNTERS_MAX: u32 = 3;

/// Workgroups of a batch that an application may ask for.
pub const BATCH_SIZE_MAX: u32 = 1 << 16;

const _: () = assert!(QUEUE_COUNT * QUEUE_FAMILIES as u32 <= pyro_engine::CALLER_COUNT_MAX);

/// Threads that run shaders, from `PYROCLAST_THREADS`; zero: one per core.
pub(crate) fn thread_count() -> usize {
    pyro_util::config::get().threads
}

/// Threads that may run shaders at one time, those of all queues included.
pub fn core_count() -> u32 {
    static COUNT: LazyLock<u32> = LazyLock::new(|| pyro_engine::core_count(thread_count()));
    *COUNT
}

/// General registers of a core.
pub const GENERAL_REGISTERS: u32 = if cfg!(target_arch = "aarch64") { 32 } else { 16 };

/// Vector registers of a core.
pub fn vector_registers() -> u32 {
    let is_wide = cfg!(target_arch = "aarch64") || Level::of_processor() == Level::Avx512;
    if is_wide { 32 } else { 16 }
}

/// What addresses and offsets of placed mappings are multiples of: pages.
#[cfg(unix)]
pub fn placed_mapping_alignment() -> u64 {
    rustix::param::page_size() as u64
}

/// What addresses and offsets of placed mappings are multiples of: where views of sections may begin.
#[cfg(windows)]
pub fn placed_mapping_alignment() -> u64 {
    PLACED_MAPPING_ALIGNMENT
}

/// See [`placed_mapping_alignment`].
#[cfg(windows)]
pub const PLACED_MAPPING_ALIGNMENT: u64 = 64 << 10;

/// Pixels of a tile in each direction.
pub const TILE_PIXELS: u32 = pyro_engine::graphics::TILE_PIXELS as u32;

/// The sizes of tiles in tile shading render passes are multiples of this (`tileGranularity`).
pub const TILE_GRANULARITY: u32 = 64;
/// Pixels of one invocation of a dispatch over a tile, in each direction (`maxTileShadingRate`).
pub const TILE_SHADING_RATE_MAX: u32 = 8;
/// Stripes of a render pass (`VK_ARM_render_pass_striped`).
pub const RENDER_PASS_STRIPES_MAX: u32 = 64;
/// Pixels of a tile's apron in each direction (`maxApronSize`).
pub const TILE_APRON_MAX: u32 = 32;

const _: () = {
    let [x, y, _] = pyro_compile::TILE_WORKGROUP;
    assert!(TILE_GRANULARITY.is_multiple_of(x * TILE_SHADING_RATE_MAX));
    assert!(TILE_GRANULARITY.is_multiple_of(y * TILE_SHADING_RATE_MAX));
};

/// What buffers ask of the offset they are bound at.
pub const BUFFER_ALIGNMENT: u64 = 64;
/// Alignment of every allocation: what `minMemoryMapAlignment` and `minImportedHostPointerAlignment` promise.
pub const MEMORY_ALIGNMENT: usize = 4096;
/// The greatest size of a heap: offsets in it have 32 bits, and indices no sign.
pub const HEAP_BYTES_MAX: u64 = 1 << 30;
/// The alignment of heaps' addresses.
pub const HEAP_ALIGNMENT: u64 = 64;
/// How many different samplers all live shaders may embed.
pub const EMBEDDED_SAMPLERS_MAX: u32 = 2032;
/// Bytes of every descriptor but those of inline uniform blocks.
pub const DESCRIPTOR_BYTES: usize = 16;
/// `maxRayRecursionDepth`
pub const RAY_RECURSION_DEPTH_MAX: u32 = 31;
/// `maxRayHitAttributeSize`
pub const RAY_HIT_ATTRIBUTE_BYTES_MAX: u32 = 4 * pyro_abi::raytrace::HIT_ATTRIBUTE_WORDS as u32;
/// `maxRayDispatchInvocationCount`
pub const RAY_INVOCATIONS_MAX: u32 = 1 << 30;
/// `minAccelerationStructureScratchOffsetAlignment`.
pub const ACCELERATION_STRUCTURE_SCRATCH_ALIGNMENT: u32 = 64;
/// What the offset of a structure in its buffer is a multiple of.
pub const ACCELERATION_STRUCTURE_ALIGNMENT: u64 = 256;
/// How far a timeline may be ahead of what waits for it (`maxTimelineSemaphoreValueDifference`).
pub const TIMELINE_DIFFERENCE_MAX: u64 = i64::MAX as u64;
/// `maxIndirectCommandsTokenCount`
pub const INDIRECT_TOKEN_COUNT_MAX: u32 = 64;
/// `maxIndirectCommandsTokenOffset`
pub const INDIRECT_TOKEN_OFFSET_MAX: u32 = 2047;
/// `maxIndirectCommandsIndirectStride`
pub const INDIRECT_STRIDE_MAX: u32 = 2048;
/// `maxIndirectSequenceCount`
pub const INDIRECT_SEQUENCE_COUNT_MAX: u32 = 1 << 20;
/// `maxIndirectPipelineCount` and `maxIndirectShaderObjectCount`
pub const EXECUTION_SET_COUNT_MAX: u32 = 1 << 16;
/// Streams of generated commands (`maxIndirectCommandsStreamCount`).
pub const INDIRECT_STREAM_COUNT_MAX: u32 = 16;
/// Bytes of memory for what names a compute pipeline to generated commands, and their alignment.
pub const INDIRECT_PIPELINE_BYTES: u64 = 64;
/// Queue families.
pub const QUEUE_FAMILIES: usize = 3;

/// The version of CUDA's architectures whose texts run here, major and minor: what `computeCapabilityMajor`
/// and `computeCapabilityMinor` say. Newer ones have instructions for matrices, which there are not.
pub const CUDA_COMPUTE_CAPABILITY: [u32; 2] = [6, 1];

/// An extent of as many pixels in x as in y.
pub const fn square(size: u32) -> vk::Extent2D {
    vk::Extent2D { width: size, height: size }
}

/// `VkPhysicalDeviceLimits`.
#[allow(clippy::too_many_lines, reason = "a table of limits")]
pub fn limits() -> vk::PhysicalDeviceLimits {
    vk::PhysicalDeviceLimits {
        max_image_dimension_1d: 16384,
        max_image_dimension_2d: 16384,
        max_image_dimension_3d: 2048,
        max_image_dimension_cube: 16384,
        max_image_array_layers: 2048,
        max_texel_buffer_elements: 1 << 27,
        max_uniform_buffer_range: UNIFORM_BUFFER_RANGE_MAX,
        max_storage_buffer_range: STORAGE_BUFFER_RANGE_MAX,
        max_push_constants_size: pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32,
        max_memory_allocation_count: MEMORY_ALLOCATIONS_MAX,
        max_sampler_allocation_count: 1 << 20,
        buffer_image_granularity: 1,
        sparse_address_space_size: if system::binds_sparsely() { SPARSE_SPACE_BYTES } else { 0 },
        max_bound_descriptor_sets: pyro_abi::SETS_MAX as u32,
        max_per_stage_descriptor_samplers: DESCRIPTORS_MAX,
        max_per_stage_descriptor_uniform_buffers: DESCRIPTORS_MAX,
        max_per_stage_descriptor_storage_buffers: DESCRIPTORS_MAX,
        max_per_stage_descriptor_sampled_images: DESCRIPTORS_MAX,
        max_per_stage_descriptor_storage_images: DESCRIPTORS_MAX,
        max_per_stage_descriptor_input_attachments: DESCRIPTORS_MAX,
        max_per_stage_resources: DESCRIPTORS_MAX,
        max_descriptor_set_samplers: DESCRIPTORS_MAX,
        max_descriptor_set_uniform_buffers: DESCRIPTORS_MAX,
        max_descriptor_set_uniform_buffers_dynamic: DYNAMIC_BUFFERS_MAX / 2,
        max_descriptor_set_storage_buffers: DESCRIPTORS_MAX,
        max_descriptor_set_storage_buffers_dynamic: DYNAMIC_BUFFERS_MAX / 2,
        max_descriptor_set_sampled_images: DESCRIPTORS_MAX,
        max_descriptor_set_storage_images: DESCRIPTORS_MAX,
        max_descriptor_set_input_attachments: DESCRIPTORS_MAX,
        max_vertex_input_attributes: pyro_abi::graphics::VERTEX_ATTRIBUTES_MAX as u32,
        max_vertex_input_bindings: VERTEX_BINDINGS_MAX as u32,
        max_vertex_input_attribute_offset: 2047,
        max_vertex_input_binding_stride: 4096,
        max_vertex_output_components: 128,
        max_geometry_shader_invocations: pyro_abi::graphics::GEOMETRY_INVOCATIONS_MAX,
        max_geometry_input_components: 128,
        max_geometry_output_components: 128,
        max_geometry_output_vertices: pyro_abi::graphics::GEOMETRY_VERTICES_MAX,
        max_geometry_total_output_components: 16 * pyro_abi::graphics::GEOMETRY_VERTICES_MAX,
        max_tessellation_generation_level: pyro_engine::graphics::MAX_TESSELLATION_LEVEL as u32,
        max_tessellation_patch_size: pyro_abi::graphics::PATCH_VERTICES_MAX,
        max_tessellation_control_per_vertex_input_components: 128,
        max_tessellation_control_per_vertex_output_components: 128,
        max_tessellation_control_per_patch_output_components: 120,
        max_tessellation_control_total_output_components: 4096,
        max_tessellation_evaluation_input_components: 128,
        max_tessellation_evaluation_output_components: 128,
        max_fragment_input_components: 128,
        max_fragment_output_attachments: COLOR_ATTACHMENTS_MAX as u32,
        max_fragment_combined_output_resources: DESCRIPTORS_MAX,
        max_compute_shared_memory_size: SHARED_BYTES_MAX,
        max_compute_work_group_count: WORKGROUP_COUNT_MAX,
        max_compute_work_group_invocations: WORKGROUP_INVOCATIONS_MAX,
        max_compute_work_group_size: [
            WORKGROUP_INVOCATIONS_MAX,
            WORKGROUP_INVOCATIONS_MAX,
            WORKGROUP_INVOCATIONS_MAX,
        ],
        sub_pixel_precision_bits: pyro_abi::graphics::SUB_PIXEL_BITS,
        sub_texel_precision_bits: 8,
        mipmap_precision_bits: 8,
        max_draw_indexed_index_value: u32::MAX,
        max_draw_indirect_count: u32::MAX,
        max_sampler_lod_bias: 16.0,
        max_sampler_anisotropy: 16.0,
        max_clip_distances: pyro_abi::graphics::CLIP_CULL_DISTANCES_MAX as u32,
        max_cull_distances: pyro_abi::graphics::CLIP_CULL_DISTANCES_MAX as u32,
        max_combined_clip_and_cull_distances: pyro_abi::graphics::CLIP_CULL_DISTANCES_MAX as u32,
        min_interpolation_offset: -0.5,
        max_interpolation_offset: 0.4375,
        max_fragment_dual_src_attachments: 1,
        max_viewports: VIEWPORTS_MAX as u32,
        max_viewport_dimensions: [16384; 2],
        viewport_bounds_range: [-32768.0, 32767.0],
        viewport_sub_pixel_bits: pyro_abi::graphics::SUB_PIXEL_BITS,
        min_memory_map_alignment: MEMORY_ALIGNMENT,
        min_texel_buffer_offset_alignment: 16,
        min_uniform_buffer_offset_alignment: 16,
        min_storage_buffer_offset_alignment: 16,
        min_texel_offset: -8,
        max_texel_offset: 7,
        min_texel_gather_offset: -32,
        max_texel_gather_offset: 31,
        sub_pixel_interpolation_offset_bits: 4,
        max_framebuffer_width: 16384,
        max_framebuffer_height: 16384,
        max_framebuffer_layers: 2048,
        framebuffer_color_sample_counts: SAMPLE_COUNTS,
        framebuffer_depth_sample_counts: SAMPLE_COUNTS,
        framebuffer_stencil_sample_counts: SAMPLE_COUNTS,
        framebuffer_no_attachments_sample_counts: SAMPLE_COUNTS,
        max_color_attachments: COLOR_ATTACHMENTS_MAX as u32,
        sampled_image_color_sample_counts: SAMPLE_COUNTS,
        sampled_image_integer_sample_counts: SAMPLE_COUNTS,
        sampled_image_depth_sample_counts: SAMPLE_COUNTS,
        sampled_image_stencil_sample_counts: SAMPLE_COUNTS,
        storage_image_sample_counts: SAMPLE_COUNTS,
        max_sample_mask_words: 1,
        timestamp_compute_and_graphics: vk::TRUE,
        timestamp_period: 1.0,
        discrete_queue_priorities: 2,
        point_size_range: [1.0, 1024.0],
        point_size_granularity: 0.0625,
        line_width_granularity: 0.0625,
        line_width_range: [1.0, 64.0],
        strict_lines: vk::TRUE,
        standard_sample_locations: vk::TRUE,
        optimal_buffer_copy_offset_alignment: 1,
        optimal_buffer_copy_row_pitch_alignment: 1,
        non_coherent_atom_size: 1,
    }
}
