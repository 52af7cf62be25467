//! The device's properties: the core ones, and the structures that extend them.

use crate::caps::device_ids::DeviceIds;
use crate::caps::limits;
use crate::caps::limits::{DESCRIPTOR_BYTES, EMBEDDED_SAMPLERS_MAX, HEAP_ALIGNMENT, HEAP_BYTES_MAX};
use pyro_abi::graphics::{COVERAGE_SAMPLES_MAX, mesh};
use pyro_abi::heap::HEAP_DESCRIPTOR_BYTES;
use pyro_abi::image::processing;
use pyro_abi::node;
use pyro_abi::tensor;
use pyro_compile::Backend;
use pyro_engine::graphics::PALETTE_SIZE;
use pyro_raytrace::{cluster, micromap};
use vulkanalia_sys as vk;

/// As wide as high.
const fn square(size: u32) -> vk::Extent2D {
    vk::Extent2D { width: size, height: size }
}

/// The stages of generated commands with shader objects.
const GENERATED_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL_GRAPHICS
    .union(vk::ShaderStageFlags::COMPUTE)
    .union(vk::ShaderStageFlags::TASK_EXT)
    .union(vk::ShaderStageFlags::MESH_EXT);
/// The stages of generated commands.
const GENERATED_PIPELINE_STAGES: vk::ShaderStageFlags = GENERATED_STAGES
    .union(vk::ShaderStageFlags::RAYGEN_KHR)
    .union(vk::ShaderStageFlags::ANY_HIT_KHR)
    .union(vk::ShaderStageFlags::CLOSEST_HIT_KHR)
    .union(vk::ShaderStageFlags::MISS_KHR)
    .union(vk::ShaderStageFlags::INTERSECTION_KHR)
    .union(vk::ShaderStageFlags::CALLABLE_KHR);

/// Sixteen bytes that say which build's caches and memory fit: the driver's name and version.
pub fn driver_uuid() -> [u8; vk::UUID_SIZE] {
    let mut uuid = *b"pyroclast-driver";
    uuid[12..].copy_from_slice(&limits::DRIVER_VERSION.to_be_bytes());
    uuid
}

/// The device: there is one kind.
pub fn device_uuid() -> [u8; vk::UUID_SIZE] {
    *b"pyroclast-device"
}

/// What pipeline caches are bound to: the build of the compiler.
pub fn pipeline_cache_uuid() -> [u8; vk::UUID_SIZE] {
    pyro_compile::cache::build_id()
}

/// `VkPhysicalDeviceProperties`.
pub fn core_properties() -> vk::PhysicalDeviceProperties {
    let ids = DeviceIds::get();
    vk::PhysicalDeviceProperties {
        api_version: limits::API_VERSION,
        driver_version: limits::DRIVER_VERSION,
        vendor_id: ids.vendor,
        device_id: ids.device,
        device_type: vk::PhysicalDeviceType::CPU,
        device_name: vk::StringArray::from_bytes(limits::DEVICE_NAME.as_bytes()),
        pipeline_cache_uuid: pipeline_cache_uuid().into(),
        limits: limits::limits(),
        sparse_properties: vk::PhysicalDeviceSparseProperties {
            residency_standard_2d_block_shape: crate::system::binds_sparsely().into(),
            residency_standard_2d_multisample_block_shape: crate::system::binds_sparsely().into(),
            residency_standard_3d_block_shape: crate::system::binds_sparsely().into(),
            // A shader can read what it wrote where no buffer memory is, until its dispatch ends.
            residency_non_resident_strict: vk::FALSE,
            ..Default::default()
        },
    }
}

/// A structure that extends `VkPhysicalDeviceProperties2` and that the device knows.
pub trait PropertyStruct {
    /// Fills every field but `sType` and `pNext`.
    fn fill(&mut self);
}

/// Fields of a structure from those of the same name in another.
macro_rules! from {
    ($target:ident, $source:expr, $($field:ident)*) => {{
        let source = $source;
        $($target.$field = source.$field;)*
    }};
}

/// `maxMeshOutputComponents`.
const MESH_OUTPUT_COMPONENTS: u32 = 128;
/// `maxMeshOutputMemorySize`: all components of all vertices.
const MESH_OUTPUT_BYTES: u32 = 4 * MESH_OUTPUT_COMPONENTS * mesh::MESH_VERTICES_MAX;

/// `VkPhysicalDeviceVulkan11Properties`.
pub fn vulkan11() -> vk::PhysicalDeviceVulkan11Properties {
    vk::PhysicalDeviceVulkan11Properties {
        device_uuid: device_uuid().into(),
        driver_uuid: driver_uuid().into(),
        subgroup_size: pyro_abi::DEFAULT_SUBGROUP_SIZE,
        subgroup_supported_stages: vk::ShaderStageFlags::COMPUTE
            .union(vk::ShaderStageFlags::VERTEX)
            .union(vk::ShaderStageFlags::TESSELLATION_CONTROL)
            .union(vk::ShaderStageFlags::TESSELLATION_EVALUATION)
            .union(vk::ShaderStageFlags::GEOMETRY)
            .union(vk::ShaderStageFlags::TASK_EXT)
            .union(vk::ShaderStageFlags::MESH_EXT)
            .union(vk::ShaderStageFlags::FRAGMENT)
            .union(vk::ShaderStageFlags::RAYGEN_KHR)
            .union(vk::ShaderStageFlags::ANY_HIT_KHR)
            .union(vk::ShaderStageFlags::CLOSEST_HIT_KHR)
            .union(vk::ShaderStageFlags::MISS_KHR)
            .union(vk::ShaderStageFlags::INTERSECTION_KHR)
            .union(vk::ShaderStageFlags::CALLABLE_KHR),
        subgroup_supported_operations: SUBGROUP_OPERATIONS,
        subgroup_quad_operations_in_all_stages: vk::TRUE,
        point_clipping_behavior: vk::PointClippingBehavior::ALL_CLIP_PLANES,
        max_multiview_view_count: 6,
        max_multiview_instance_index: (1 << 27) - 1,
        max_per_set_descriptors: limits::DESCRIPTORS_MAX,
        max_memory_allocation_size: limits::BUFFER_SIZE_MAX,
        ..Default::default()
    }
}

/// The group operations that shaders may use.
pub const SUBGROUP_OPERATIONS: vk::SubgroupFeatureFlags = vk::SubgroupFeatureFlags::BASIC
    .union(vk::SubgroupFeatureFlags::VOTE)
    .union(vk::SubgroupFeatureFlags::ARITHMETIC)
    .union(vk::SubgroupFeatureFlags::BALLOT)
    .union(vk::SubgroupFeatureFlags::SHUFFLE)
    .union(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE)
    .union(vk::SubgroupFeatureFlags::CLUSTERED)
    .union(vk::SubgroupFeatureFlags::QUAD)
    .union(vk::SubgroupFeatureFlags::ROTATE)
    .union(vk::SubgroupFeatureFlags::ROTATE_CLUSTERED)
    .union(vk::SubgroupFeatureFlags::PARTITIONED_EXT);

/// The version of the conformance tests: zeros, since Pyroclast was not submitted to them.
///
/// Some programs (those on the Rust crate `wgpu` among them) hide devices that say so. Who wants to run them
/// sets `PYROCLAST_CONFORMANCE_VERSION` to a version that they take, such as `1.3.0.0`.
fn conformance_version() -> vk::ConformanceVersion {
    let [major, minor, subminor, patch] = pyro_util::config::get().conformance_version;
    vk::ConformanceVersion { major, minor, subminor, patch }
}

/// The version, and that of the bits that shaders and pixels get; whether they are others on this processor
/// (`PYROCLAST_ROUND_TWICE`).
fn driver_info() -> String {
    use pyro_util::version::{PIXELS_EPOCH, VERSION};
    let rounding = if Backend::from_environment().rounds_twice() { ", products rounded" } else { "" };
    format!("{VERSION}, pixels epoch {PIXELS_EPOCH}{rounding}")
}

/// `VkPhysicalDeviceVulkan12Properties`.
pub fn vulkan12() -> vk::PhysicalDeviceVulkan12Properties {
    let most = limits::DESCRIPTORS_MAX;
    vk::PhysicalDeviceVulkan12Properties {
        // Khronos assigns these; none is assigned to Pyroclast, and zero is nobody's.
        driver_id: vk::DriverId::from_raw(0),
        driver_name: vk::StringArray::from_bytes(b"Pyroclast"),
        driver_info: vk::StringArray::from_bytes(driver_info().as_bytes()),
        conformance_version: conformance_version(),
        denorm_behavior_independence: vk::ShaderFloatControlsIndependence::ALL,
        rounding_mode_independence: vk::ShaderFloatControlsIndependence::ALL,
        shader_signed_zero_inf_nan_preserve_float16: vk::TRUE,
        shader_signed_zero_inf_nan_preserve_float32: vk::TRUE,
        shader_signed_zero_inf_nan_preserve_float64: vk::TRUE,
        shader_denorm_preserve_float16: vk::TRUE,
        shader_denorm_preserve_float32: vk::TRUE,
        shader_denorm_preserve_float64: vk::TRUE,
        shader_denorm_flush_to_zero_float16: vk::TRUE,
        shader_denorm_flush_to_zero_float32: vk::TRUE,
        shader_denorm_flush_to_zero_float64: vk::TRUE,
        shader_rounding_mode_rte_float16: vk::TRUE,
        shader_rounding_mode_rte_float32: vk::TRUE,
        shader_rounding_mode_rte_float64: vk::TRUE,
        shader_rounding_mode_rtz_float16: vk::TRUE,
        shader_rounding_mode_rtz_float32: vk::TRUE,
        shader_rounding_mode_rtz_float64: vk::TRUE,
        max_update_after_bind_descriptors_in_all_pools: u32::MAX,
        shader_uniform_buffer_array_non_uniform_indexing_native: vk::TRUE,
        shader_storage_buffer_array_non_uniform_indexing_native: vk::TRUE,
        robust_buffer_access_update_after_bind: vk::TRUE,
        max_per_stage_descriptor_update_after_bind_samplers: most,
        max_per_stage_descriptor_update_after_bind_uniform_buffers: most,
        max_per_stage_descriptor_update_after_bind_storage_buffers: most,
        max_per_stage_descriptor_update_after_bind_sampled_images: most,
        max_per_stage_descriptor_update_after_bind_storage_images: most,
        max_per_stage_descriptor_update_after_bind_input_attachments: most,
        max_per_stage_update_after_bind_resources: most,
        max_descriptor_set_update_after_bind_samplers: most,
        max_descriptor_set_update_after_bind_uniform_buffers: most,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX / 2,
        max_descriptor_set_update_after_bind_storage_buffers: most,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX / 2,
        max_descriptor_set_update_after_bind_sampled_images: most,
        max_descriptor_set_update_after_bind_storage_images: most,
        max_descriptor_set_update_after_bind_input_attachments: most,
        supported_depth_resolve_modes: vk::ResolveModeFlags::SAMPLE_ZERO
            | vk::ResolveModeFlags::AVERAGE
            | vk::ResolveModeFlags::MIN
            | vk::ResolveModeFlags::MAX
            | vk::ResolveModeFlags::CUSTOM_EXT,
        supported_stencil_resolve_modes: vk::ResolveModeFlags::SAMPLE_ZERO
            | vk::ResolveModeFlags::MIN
            | vk::ResolveModeFlags::MAX
            | vk::ResolveModeFlags::CUSTOM_EXT,
        independent_resolve_none: vk::TRUE,
        independent_resolve: vk::TRUE,
        max_timeline_semaphore_value_difference: limits::TIMELINE_DIFFERENCE_MAX,
        filter_minmax_single_component_formats: vk::TRUE,
        filter_minmax_image_component_mapping: vk::TRUE,
        shader_sampled_image_array_non_uniform_indexing_native: vk::TRUE,
        shader_storage_image_array_non_uniform_indexing_native: vk::TRUE,
        framebuffer_integer_color_sample_counts: limits::SAMPLE_COUNTS,
        ..Default::default()
    }
}

/// `VkPhysicalDeviceVulkan13Properties`. Dot products of packed bytes have instructions (VNNI, or products of
/// halves added in pairs); those of vectors are sequences of ordinary operations.
pub fn vulkan13() -> vk::PhysicalDeviceVulkan13Properties {
    vk::PhysicalDeviceVulkan13Properties {
        min_subgroup_size: pyro_abi::SUBGROUP_SIZE_MIN,
        max_subgroup_size: pyro_abi::SUBGROUP_SIZE_MAX,
        max_compute_workgroup_subgroups: limits::WORKGROUP_INVOCATIONS_MAX / pyro_abi::SUBGROUP_SIZE_MIN,
        required_subgroup_size_stages: vk::ShaderStageFlags::COMPUTE
            .union(vk::ShaderStageFlags::TASK_EXT)
            .union(vk::ShaderStageFlags::MESH_EXT),
        max_inline_uniform_block_size: limits::INLINE_UNIFORM_BLOCK_BYTES_MAX,
        max_per_stage_descriptor_inline_uniform_blocks: limits::INLINE_UNIFORM_BLOCKS_MAX,
        max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: limits::INLINE_UNIFORM_BLOCKS_MAX,
        max_descriptor_set_inline_uniform_blocks: limits::INLINE_UNIFORM_BLOCKS_MAX,
        max_descriptor_set_update_after_bind_inline_uniform_blocks: limits::INLINE_UNIFORM_BLOCKS_MAX,
        max_inline_uniform_total_size: limits::INLINE_UNIFORM_BLOCK_BYTES_MAX
            * limits::INLINE_UNIFORM_BLOCKS_MAX,
        integer_dot_product4x_8bit_packed_unsigned_accelerated: vk::TRUE,
        integer_dot_product4x_8bit_packed_signed_accelerated: vk::TRUE,
        integer_dot_product4x_8bit_packed_mixed_signedness_accelerated: vk::TRUE,
        integer_dot_product_accumulating_saturating4x_8bit_packed_unsigned_accelerated: vk::TRUE,
        integer_dot_product_accumulating_saturating4x_8bit_packed_signed_accelerated: vk::TRUE,
        integer_dot_product_accumulating_saturating4x_8bit_packed_mixed_signedness_accelerated: vk::TRUE,
        storage_texel_buffer_offset_alignment_bytes: 16,
        storage_texel_buffer_offset_single_texel_alignment: vk::TRUE,
        uniform_texel_buffer_offset_alignment_bytes: 16,
        uniform_texel_buffer_offset_single_texel_alignment: vk::TRUE,
        max_buffer_size: limits::BUFFER_SIZE_MAX,
        ..Default::default()
    }
}

/// The layouts that host copies take images in: none while there are no host copies.
pub const HOST_COPY_LAYOUTS: &[vk::ImageLayout] = &[
    vk::ImageLayout::GENERAL,
    vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    vk::ImageLayout::PREINITIALIZED,
    vk::ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL,
    vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::READ_ONLY_OPTIMAL,
    vk::ImageLayout::ATTACHMENT_OPTIMAL,
    vk::ImageLayout::RENDERING_LOCAL_READ,
    vk::ImageLayout::PRESENT_SRC_KHR,
    vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
    vk::ImageLayout::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR,
    vk::ImageLayout::FRAGMENT_DENSITY_MAP_OPTIMAL_EXT,
    vk::ImageLayout::TENSOR_ALIASING_ARM,
];

/// `VkPhysicalDeviceVulkan14Properties`, without the lists of layouts ([`HOST_COPY_LAYOUTS`]), which are the
/// caller's memory.
pub fn vulkan14() -> vk::PhysicalDeviceVulkan14Properties {
    vk::PhysicalDeviceVulkan14Properties {
        max_vertex_attrib_divisor: u32::MAX,
        supports_non_zero_first_instance: vk::TRUE,
        line_sub_pixel_precision_bits: 8,
        dynamic_rendering_local_read_depth_stencil_attachments: vk::TRUE,
        dynamic_rendering_local_read_multisampled_attachments: vk::TRUE,
        optimal_tiling_layout_uuid: driver_uuid().into(),
        identical_memory_type_requirements: vk::TRUE,
        max_push_descriptors: limits::PUSH_DESCRIPTORS_MAX,
        depth_stencil_swizzle_one_support: vk::TRUE,
        polygon_mode_point_size: vk::TRUE,
        max_combined_image_sampler_descriptor_count: 1,
        default_robustness_storage_buffers: vk::PipelineRobustnessBufferBehavior::ROBUST_BUFFER_ACCESS_2,
        default_robustness_uniform_buffers: vk::PipelineRobustnessBufferBehavior::ROBUST_BUFFER_ACCESS_2,
        default_robustness_vertex_inputs: vk::PipelineRobustnessBufferBehavior::ROBUST_BUFFER_ACCESS_2,
        default_robustness_images: vk::PipelineRobustnessImageBehavior::ROBUST_IMAGE_ACCESS_2,
        ..Default::default()
    }
}

/// Implements [`PropertyStruct`]: for a core version's structures, for those whose fields these have too, and
/// for others field by field.
macro_rules! properties {
    ([$($core:ident: $whole:ident())*] $($name:ident: $source:ident() { $($field:ident)* })* ; $($own:ident { $($own_field:ident: $value:expr),* $(,)? })*) => {
        $(impl PropertyStruct for vk::$core {
            fn fill(&mut self) {
                *self = vk::$core { next: self.next, ..$whole() };
            }
        })*
        $(impl PropertyStruct for vk::$name {
            fn fill(&mut self) {
                from!(self, $source(), $($field)*);
            }
        })*
        $(impl PropertyStruct for vk::$own {
            fn fill(&mut self) {
                $(self.$own_field = $value;)*
            }
        })*
        /// Calls `$call!(Name)` for every structure known.
        #[macro_export]
        macro_rules! for_each_property_struct {
            ($call:ident) => { $call! { $($core)* $($name)* $($own)* } };
        }
    };
}

properties! {
    [
        PhysicalDeviceVulkan11Properties: vulkan11()
        PhysicalDeviceVulkan12Properties: vulkan12()
        PhysicalDeviceVulkan13Properties: vulkan13()
        PhysicalDeviceVulkan14Properties: vulkan14()
    ]
    PhysicalDeviceIDProperties: vulkan11() { device_uuid driver_uuid device_luid device_node_mask device_luid_valid }
    PhysicalDeviceMaintenance3Properties: vulkan11() { max_per_set_descriptors max_memory_allocation_size }
    PhysicalDevicePointClippingProperties: vulkan11() { point_clipping_behavior }
    PhysicalDeviceMultiviewProperties: vulkan11() { max_multiview_view_count max_multiview_instance_index }
    PhysicalDeviceProtectedMemoryProperties: vulkan11() { protected_no_fault }
    PhysicalDeviceDriverProperties: vulkan12() { driver_id driver_name driver_info conformance_version }
    PhysicalDeviceFloatControlsProperties: vulkan12() {
        denorm_behavior_independence rounding_mode_independence
        shader_signed_zero_inf_nan_preserve_float16 shader_signed_zero_inf_nan_preserve_float32
        shader_signed_zero_inf_nan_preserve_float64 shader_denorm_preserve_float16 shader_denorm_preserve_float32
        shader_denorm_preserve_float64 shader_denorm_flush_to_zero_float16 shader_denorm_flush_to_zero_float32
        shader_denorm_flush_to_zero_float64 shader_rounding_mode_rte_float16 shader_rounding_mode_rte_float32
        shader_rounding_mode_rte_float64 shader_rounding_mode_rtz_float16 shader_rounding_mode_rtz_float32
        shader_rounding_mode_rtz_float64
    }
    PhysicalDeviceDescriptorIndexingProperties: vulkan12() {
        max_update_after_bind_descriptors_in_all_pools shader_uniform_buffer_array_non_uniform_indexing_native
        shader_sampled_image_array_non_uniform_indexing_native
        shader_storage_buffer_array_non_uniform_indexing_native
        shader_storage_image_array_non_uniform_indexing_native
        shader_input_attachment_array_non_uniform_indexing_native robust_buffer_access_update_after_bind
        quad_divergent_implicit_lod max_per_stage_descriptor_update_after_bind_samplers
        max_per_stage_descriptor_update_after_bind_uniform_buffers
        max_per_stage_descriptor_update_after_bind_storage_buffers
        max_per_stage_descriptor_update_after_bind_sampled_images
        max_per_stage_descriptor_update_after_bind_storage_images
        max_per_stage_descriptor_update_after_bind_input_attachments max_per_stage_update_after_bind_resources
        max_descriptor_set_update_after_bind_samplers max_descriptor_set_update_after_bind_uniform_buffers
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic
        max_descriptor_set_update_after_bind_storage_buffers
        max_descriptor_set_update_after_bind_storage_buffers_dynamic
        max_descriptor_set_update_after_bind_sampled_images max_descriptor_set_update_after_bind_storage_images
        max_descriptor_set_update_after_bind_input_attachments
    }
    PhysicalDeviceDepthStencilResolveProperties: vulkan12() {
        supported_depth_resolve_modes supported_stencil_resolve_modes independent_resolve_none independent_resolve
    }
    PhysicalDeviceSamplerFilterMinmaxProperties: vulkan12() {
        filter_minmax_single_component_formats filter_minmax_image_component_mapping
    }
    PhysicalDeviceTimelineSemaphoreProperties: vulkan12() { max_timeline_semaphore_value_difference }
    PhysicalDeviceSubgroupSizeControlProperties: vulkan13() {
        min_subgroup_size max_subgroup_size max_compute_workgroup_subgroups required_subgroup_size_stages
    }
    PhysicalDeviceInlineUniformBlockProperties: vulkan13() {
        max_inline_uniform_block_size max_per_stage_descriptor_inline_uniform_blocks
        max_per_stage_descriptor_update_after_bind_inline_uniform_blocks max_descriptor_set_inline_uniform_blocks
        max_descriptor_set_update_after_bind_inline_uniform_blocks
    }
    PhysicalDeviceShaderIntegerDotProductProperties: vulkan13() {
        integer_dot_product_8bit_unsigned_accelerated integer_dot_product_8bit_signed_accelerated
        integer_dot_product_8bit_mixed_signedness_accelerated
        integer_dot_product4x_8bit_packed_unsigned_accelerated
        integer_dot_product4x_8bit_packed_signed_accelerated
        integer_dot_product4x_8bit_packed_mixed_signedness_accelerated
        integer_dot_product_16bit_unsigned_accelerated integer_dot_product_16bit_signed_accelerated
        integer_dot_product_16bit_mixed_signedness_accelerated integer_dot_product_32bit_unsigned_accelerated
        integer_dot_product_32bit_signed_accelerated integer_dot_product_32bit_mixed_signedness_accelerated
        integer_dot_product_64bit_unsigned_accelerated integer_dot_product_64bit_signed_accelerated
        integer_dot_product_64bit_mixed_signedness_accelerated
        integer_dot_product_accumulating_saturating_8bit_unsigned_accelerated
        integer_dot_product_accumulating_saturating_8bit_signed_accelerated
        integer_dot_product_accumulating_saturating_8bit_mixed_signedness_accelerated
        integer_dot_product_accumulating_saturating4x_8bit_packed_unsigned_accelerated
        integer_dot_product_accumulating_saturating4x_8bit_packed_signed_accelerated
        integer_dot_product_accumulating_saturating4x_8bit_packed_mixed_signedness_accelerated
        integer_dot_product_accumulating_saturating_16bit_unsigned_accelerated
        integer_dot_product_accumulating_saturating_16bit_signed_accelerated
        integer_dot_product_accumulating_saturating_16bit_mixed_signedness_accelerated
        integer_dot_product_accumulating_saturating_32bit_unsigned_accelerated
        integer_dot_product_accumulating_saturating_32bit_signed_accelerated
        integer_dot_product_accumulating_saturating_32bit_mixed_signedness_accelerated
        integer_dot_product_accumulating_saturating_64bit_unsigned_accelerated
        integer_dot_product_accumulating_saturating_64bit_signed_accelerated
        integer_dot_product_accumulating_saturating_64bit_mixed_signedness_accelerated
    }
    PhysicalDeviceTexelBufferAlignmentProperties: vulkan13() {
        storage_texel_buffer_offset_alignment_bytes storage_texel_buffer_offset_single_texel_alignment
        uniform_texel_buffer_offset_alignment_bytes uniform_texel_buffer_offset_single_texel_alignment
    }
    PhysicalDeviceMaintenance4Properties: vulkan13() { max_buffer_size }
    PhysicalDeviceVertexAttributeDivisorProperties: vulkan14() {
        max_vertex_attrib_divisor supports_non_zero_first_instance
    }
    PhysicalDeviceLineRasterizationProperties: vulkan14() { line_sub_pixel_precision_bits }
    PhysicalDevicePushDescriptorProperties: vulkan14() { max_push_descriptors }
    PhysicalDeviceMaintenance5Properties: vulkan14() {
        early_fragment_multisample_coverage_after_sample_counting
        early_fragment_sample_mask_test_before_sample_counting depth_stencil_swizzle_one_support
        polygon_mode_point_size non_strict_single_pixel_wide_lines_use_parallelogram
        non_strict_wide_lines_use_parallelogram
    }
    PhysicalDeviceMaintenance6Properties: vulkan14() {
        block_texel_view_compatible_multiple_layers max_combined_image_sampler_descriptor_count
        fragment_shading_rate_clamp_combiner_inputs
    }
    PhysicalDevicePipelineRobustnessProperties: vulkan14() {
        default_robustness_storage_buffers default_robustness_uniform_buffers default_robustness_vertex_inputs
        default_robustness_images
    }
    ;
    PhysicalDeviceSubgroupProperties {
        subgroup_size: vulkan11().subgroup_size,
        supported_stages: vulkan11().subgroup_supported_stages,
        supported_operations: vulkan11().subgroup_supported_operations,
        quad_operations_in_all_stages: vulkan11().subgroup_quad_operations_in_all_stages,
    }
    PhysicalDeviceDescriptorBufferDensityMapPropertiesEXT {
        combined_image_sampler_density_map_descriptor_size: DESCRIPTOR_BYTES,
    }
    PhysicalDeviceShaderModuleIdentifierPropertiesEXT {
        shader_module_identifier_algorithm_uuid: pipeline_cache_uuid().into(),
    }
    // What applications do not keep themselves is in `PYROCLAST_CACHE_DIR`, which has no binaries.
    PhysicalDevicePipelineBinaryPropertiesKHR {
        pipeline_binary_internal_cache: vk::FALSE,
        pipeline_binary_internal_cache_control: vk::FALSE,
        pipeline_binary_prefers_internal_cache: vk::FALSE,
        pipeline_binary_precompiled_internal_cache: vk::FALSE,
        pipeline_binary_compressed_data: vk::FALSE,
    }
    PhysicalDeviceMaintenance7PropertiesKHR {
        robust_fragment_shading_rate_attachment_access: vk::TRUE,
        separate_depth_stencil_attachment_access: vk::TRUE,
        max_descriptor_set_total_uniform_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX,
        max_descriptor_set_total_storage_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX,
        max_descriptor_set_total_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX,
        max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX,
        max_descriptor_set_update_after_bind_total_storage_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX,
        max_descriptor_set_update_after_bind_total_buffers_dynamic: limits::DYNAMIC_BUFFERS_MAX,
    }
    PhysicalDeviceCooperativeMatrixPropertiesKHR {
        cooperative_matrix_supported_stages: vk::ShaderStageFlags::COMPUTE,
    }
    PhysicalDeviceCooperativeMatrixPropertiesNV {
        cooperative_matrix_supported_stages: vk::ShaderStageFlags::COMPUTE,
    }
    PhysicalDeviceCooperativeMatrix2PropertiesNV {
        cooperative_matrix_workgroup_scope_max_workgroup_size: super::cooperative::WORKGROUP_SIZE_MAX,
        cooperative_matrix_flexible_dimensions_max_dimension: super::cooperative::DIMENSION_MAX,
        cooperative_matrix_workgroup_scope_reserved_shared_memory: 0,
    }
    PhysicalDeviceCooperativeVectorPropertiesNV {
        cooperative_vector_supported_stages: super::cooperative::VECTOR_STAGES,
        cooperative_vector_training_float16_accumulation: vk::TRUE,
        cooperative_vector_training_float32_accumulation: vk::TRUE,
        max_cooperative_vector_components: limits::VECTOR_COMPONENT_COUNT_MAX,
    }
    PhysicalDeviceShaderObjectPropertiesEXT {
        shader_binary_uuid: pipeline_cache_uuid().into(),
        shader_binary_version: 1,
    }
    PhysicalDeviceFragmentDensityMapPropertiesEXT {
        min_fragment_density_texel_size: limits::square(limits::SHADING_RATE_TEXELS.0),
        max_fragment_density_texel_size: limits::square(limits::SHADING_RATE_TEXELS.1),
        fragment_density_invocations: vk::FALSE,
    }
    // Images with `VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT` lie as others do.
    PhysicalDeviceFragmentDensityMap2PropertiesEXT {
        subsampled_loads: vk::TRUE,
        subsampled_coarse_reconstruction_early_access: vk::FALSE,
        max_subsampled_array_layers: limits::limits().max_image_array_layers,
        max_descriptor_set_subsampled_samplers: limits::limits().max_descriptor_set_samplers,
    }
    PhysicalDeviceShadingRateImagePropertiesNV {
        shading_rate_texel_size: limits::square(limits::SHADING_RATE_IMAGE_TEXEL),
        shading_rate_palette_size: PALETTE_SIZE as u32,
        shading_rate_max_coarse_samples: COVERAGE_SAMPLES_MAX,
    }
    PhysicalDeviceFragmentShadingRatePropertiesKHR {
        min_fragment_shading_rate_attachment_texel_size: limits::square(limits::SHADING_RATE_TEXELS.0),
        max_fragment_shading_rate_attachment_texel_size: limits::square(limits::SHADING_RATE_TEXELS.1),
        max_fragment_shading_rate_attachment_texel_size_aspect_ratio:
            limits::SHADING_RATE_TEXELS.1 / limits::SHADING_RATE_TEXELS.0,
        primitive_fragment_shading_rate_with_multiple_viewports: vk::TRUE,
        layered_shading_rate_attachments: vk::TRUE,
        fragment_shading_rate_non_trivial_combiner_ops: vk::TRUE,
        max_fragment_size: limits::square(4),
        max_fragment_size_aspect_ratio: 4,
        max_fragment_shading_rate_coverage_samples: pyro_abi::graphics::COVERAGE_SAMPLES_MAX,
        max_fragment_shading_rate_rasterization_samples: vk::SampleCountFlags::_16,
        fragment_shading_rate_with_shader_depth_stencil_writes: vk::TRUE,
        fragment_shading_rate_with_sample_mask: vk::TRUE,
        fragment_shading_rate_with_shader_sample_mask: vk::TRUE,
        fragment_shading_rate_with_conservative_rasterization: vk::FALSE,
        fragment_shading_rate_with_fragment_shader_interlock: vk::TRUE,
        fragment_shading_rate_with_custom_sample_locations: vk::TRUE,
        fragment_shading_rate_strict_multiply_combiner: vk::TRUE,
    }
    PhysicalDeviceCudaKernelLaunchPropertiesNV {
        compute_capability_minor: limits::CUDA_COMPUTE_CAPABILITY[1],
        compute_capability_major: limits::CUDA_COMPUTE_CAPABILITY[0],
    }
    PhysicalDeviceShaderSMBuiltinsPropertiesNV {
        shader_sm_count: limits::core_count(),
        shader_warps_per_sm: limits::WARPS_PER_CORE,
    }
    // One engine whose compute units are the cores that run shaders; registers are those of a core.
    PhysicalDeviceShaderCorePropertiesAMD {
        shader_engine_count: 1,
        shader_arrays_per_engine_count: 1,
        compute_units_per_shader_array: limits::core_count(),
        simd_per_compute_unit: 1,
        wavefronts_per_simd: limits::WARPS_PER_CORE,
        wavefront_size: pyro_abi::DEFAULT_SUBGROUP_SIZE,
        sgprs_per_simd: limits::GENERAL_REGISTERS,
        min_sgpr_allocation: limits::GENERAL_REGISTERS,
        max_sgpr_allocation: limits::GENERAL_REGISTERS,
        sgpr_allocation_granularity: limits::GENERAL_REGISTERS,
        vgprs_per_simd: limits::vector_registers(),
        min_vgpr_allocation: limits::vector_registers(),
        max_vgpr_allocation: limits::vector_registers(),
        vgpr_allocation_granularity: limits::vector_registers(),
    }
    PhysicalDeviceShaderCoreProperties2AMD {
        shader_core_features: vk::ShaderCorePropertiesFlagsAMD::empty(),
        active_compute_unit_count: limits::core_count(),
    }
    // The one that all images have.
    PhysicalDeviceImageAlignmentControlPropertiesMESA {
        supported_image_alignment_mask: crate::objects::image::IMAGE_ALIGNMENT as u32,
    }
    // What a resource is used for does not matter.
    PhysicalDeviceExtendedSparseAddressSpacePropertiesNV {
        extended_sparse_address_space_size: if crate::system::binds_sparsely() {
            limits::EXTENDED_SPARSE_SPACE_BYTES
        } else {
            0
        },
        extended_sparse_image_usage_flags: vk::ImageUsageFlags::all(),
        extended_sparse_buffer_usage_flags: vk::BufferUsageFlags::all(),
    }
    PhysicalDevicePerformanceQueryPropertiesKHR { allow_command_buffer_query_copies: vk::TRUE }
    PhysicalDeviceMapMemoryPlacedPropertiesEXT { min_placed_memory_map_alignment: limits::placed_mapping_alignment() }
    PhysicalDeviceShaderCoreBuiltinsPropertiesARM {
        // As many bits as there are.
        shader_core_mask: u64::MAX >> (64 - limits::core_count().clamp(1, 64)),
        shader_core_count: limits::core_count(),
        shader_warps_per_core: limits::WARPS_PER_CORE,
    }
    PhysicalDevicePerformanceCountersByRegionPropertiesARM {
        max_per_region_performance_counters: limits::REGION_COUNTERS_MAX,
        performance_counter_region_size: vk::Extent2D {
            width: limits::TILE_PIXELS,
            height: limits::TILE_PIXELS,
        },
        row_stride_alignment: 4,
        region_alignment: 4,
        identity_transform_order: vk::TRUE,
    }
    PhysicalDeviceTileMemoryHeapPropertiesQCOM {
        queue_submit_boundary: vk::FALSE,
        tile_buffer_transfers: vk::TRUE,
    }
    PhysicalDeviceSchedulingControlsPropertiesARM {
        // And DISPATCH_PARAMETERS, which the bindings lack.
        scheduling_controls_flags: vk::PhysicalDeviceSchedulingControlsFlagsARM::SHADER_CORE_COUNT,
    }
    PhysicalDeviceDiscardRectanglePropertiesEXT {
        max_discard_rectangles: pyro_abi::graphics::DISCARD_RECTANGLES_MAX as u32,
    }
    PhysicalDeviceSampleLocationsPropertiesEXT {
        sample_location_sample_counts: limits::SAMPLE_LOCATION_COUNTS,
        max_sample_location_grid_size: vk::Extent2D { width: 1, height: 1 },
        sample_location_coordinate_range: [0.0, 15.0 / 16.0],
        sample_location_sub_pixel_bits: 4,
        variable_sample_locations: vk::TRUE,
    }
    PhysicalDeviceShaderTileImagePropertiesEXT {
        shader_tile_image_coherent_read_accelerated: vk::TRUE,
        shader_tile_image_read_sample_from_pixel_rate_invocation: vk::TRUE,
        shader_tile_image_read_from_helper_invocation: vk::TRUE,
    }
    PhysicalDeviceLegacyVertexAttributesPropertiesEXT { native_unaligned_performance: vk::TRUE }
    PhysicalDeviceMaintenance9PropertiesKHR {
        image_2d_view_of_3d_sparse: vk::FALSE,
        default_vertex_attribute_value: vk::DefaultVertexAttributeValueKHR::ZERO_ZERO_ZERO_ZERO,
    }
    PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT {
        max_indirect_pipeline_count: limits::EXECUTION_SET_COUNT_MAX,
        max_indirect_shader_object_count: limits::EXECUTION_SET_COUNT_MAX,
        max_indirect_sequence_count: limits::INDIRECT_SEQUENCE_COUNT_MAX,
        max_indirect_commands_token_count: limits::INDIRECT_TOKEN_COUNT_MAX,
        max_indirect_commands_token_offset: limits::INDIRECT_TOKEN_OFFSET_MAX,
        max_indirect_commands_indirect_stride: limits::INDIRECT_STRIDE_MAX,
        supported_indirect_commands_input_modes: vk::IndirectCommandsInputModeFlagsEXT::all(),
        supported_indirect_commands_shader_stages: GENERATED_PIPELINE_STAGES,
        supported_indirect_commands_shader_stages_pipeline_binding: GENERATED_PIPELINE_STAGES,
        supported_indirect_commands_shader_stages_shader_binding: GENERATED_STAGES,
        device_generated_commands_transform_feedback: vk::TRUE,
        device_generated_commands_multi_draw_indirect_count: vk::TRUE,
    }
    PhysicalDeviceDeviceGeneratedCommandsPropertiesNV {
        max_graphics_shader_group_count: limits::EXECUTION_SET_COUNT_MAX,
        max_indirect_sequence_count: limits::INDIRECT_SEQUENCE_COUNT_MAX,
        max_indirect_commands_token_count: limits::INDIRECT_TOKEN_COUNT_MAX,
        max_indirect_commands_stream_count: limits::INDIRECT_STREAM_COUNT_MAX,
        max_indirect_commands_token_offset: limits::INDIRECT_TOKEN_OFFSET_MAX,
        max_indirect_commands_stream_stride: limits::INDIRECT_STRIDE_MAX,
        min_sequences_count_buffer_offset_alignment: 4,
        min_sequences_index_buffer_offset_alignment: 4,
        min_indirect_commands_buffer_offset_alignment: 4,
    }
    PhysicalDeviceDescriptorBufferPropertiesEXT {
        // There is no `descriptorBufferCaptureReplay`, so there are no data.
        buffer_capture_replay_descriptor_data_size: 0,
        image_capture_replay_descriptor_data_size: 0,
        image_view_capture_replay_descriptor_data_size: 0,
        sampler_capture_replay_descriptor_data_size: 0,
        acceleration_structure_capture_replay_descriptor_data_size: 0,
        combined_image_sampler_descriptor_single_array: vk::TRUE,
        bufferless_push_descriptors: vk::TRUE,
        // Descriptors are looked at when commands run.
        allow_sampler_image_view_post_submit_creation: vk::TRUE,
        descriptor_buffer_offset_alignment: limits::BUFFER_ALIGNMENT,
        max_descriptor_buffer_bindings: pyro_abi::SETS_MAX as u32,
        max_resource_descriptor_buffer_bindings: pyro_abi::SETS_MAX as u32,
        max_sampler_descriptor_buffer_bindings: pyro_abi::SETS_MAX as u32,
        max_embedded_immutable_sampler_bindings: pyro_abi::SETS_MAX as u32,
        max_embedded_immutable_samplers: limits::DESCRIPTORS_MAX,
        sampler_descriptor_size: DESCRIPTOR_BYTES,
        combined_image_sampler_descriptor_size: DESCRIPTOR_BYTES,
        sampled_image_descriptor_size: DESCRIPTOR_BYTES,
        storage_image_descriptor_size: DESCRIPTOR_BYTES,
        uniform_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_uniform_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        storage_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_storage_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        uniform_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_uniform_buffer_descriptor_size: DESCRIPTOR_BYTES,
        storage_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_storage_buffer_descriptor_size: DESCRIPTOR_BYTES,
        input_attachment_descriptor_size: DESCRIPTOR_BYTES,
        acceleration_structure_descriptor_size: DESCRIPTOR_BYTES,
        max_sampler_descriptor_buffer_range: limits::BUFFER_SIZE_MAX,
        max_resource_descriptor_buffer_range: limits::BUFFER_SIZE_MAX,
        sampler_descriptor_buffer_address_space_size: limits::BUFFER_SIZE_MAX,
        resource_descriptor_buffer_address_space_size: limits::BUFFER_SIZE_MAX,
        descriptor_buffer_address_space_size: limits::BUFFER_SIZE_MAX,
    }
    PhysicalDeviceDescriptorHeapPropertiesEXT {
        sampler_heap_alignment: HEAP_ALIGNMENT,
        resource_heap_alignment: HEAP_ALIGNMENT,
        max_sampler_heap_size: HEAP_BYTES_MAX,
        max_resource_heap_size: HEAP_BYTES_MAX,
        // Nothing of the driver's own lies in heaps.
        min_sampler_heap_reserved_range: 0,
        min_sampler_heap_reserved_range_with_embedded: 0,
        min_resource_heap_reserved_range: 0,
        sampler_descriptor_size: HEAP_DESCRIPTOR_BYTES.into(),
        image_descriptor_size: HEAP_DESCRIPTOR_BYTES.into(),
        buffer_descriptor_size: HEAP_DESCRIPTOR_BYTES.into(),
        sampler_descriptor_alignment: HEAP_DESCRIPTOR_BYTES.into(),
        image_descriptor_alignment: HEAP_DESCRIPTOR_BYTES.into(),
        buffer_descriptor_alignment: HEAP_DESCRIPTOR_BYTES.into(),
        max_push_data_size: pyro_abi::PUSH_CONSTANT_BYTES_MAX as u64,
        image_capture_replay_opaque_data_size: 0,
        max_descriptor_heap_embedded_samplers: EMBEDDED_SAMPLERS_MAX,
        sampler_ycbcr_conversion_count: 1,
        sparse_descriptor_heaps: vk::FALSE,
        protected_descriptor_heaps: vk::FALSE,
    }
    PhysicalDeviceDescriptorHeapTensorPropertiesARM {
        tensor_descriptor_size: HEAP_DESCRIPTOR_BYTES.into(),
        tensor_descriptor_alignment: HEAP_DESCRIPTOR_BYTES.into(),
        tensor_capture_replay_opaque_data_size: 0,
    }
    PhysicalDeviceDescriptorBufferTensorPropertiesARM {
        tensor_capture_replay_descriptor_data_size: 0,
        tensor_view_capture_replay_descriptor_data_size: 0,
        tensor_descriptor_size: DESCRIPTOR_BYTES,
    }
    PhysicalDeviceTensorPropertiesARM {
        max_tensor_dimension_count: tensor::DIMENSIONS_MAX as u32,
        max_tensor_elements: tensor::BYTES_MAX,
        max_per_dimension_tensor_elements: tensor::BYTES_MAX,
        max_tensor_stride: tensor::BYTES_MAX as i64,
        max_tensor_size: tensor::BYTES_MAX,
        max_tensor_shader_access_array_length: tensor::ACCESS_MAX,
        max_tensor_shader_access_size: 8 * tensor::ACCESS_MAX,
        max_descriptor_set_storage_tensors: limits::DESCRIPTORS_MAX,
        max_per_stage_descriptor_set_storage_tensors: limits::DESCRIPTORS_MAX,
        max_descriptor_set_update_after_bind_storage_tensors: limits::DESCRIPTORS_MAX,
        max_per_stage_descriptor_update_after_bind_storage_tensors: limits::DESCRIPTORS_MAX,
        shader_storage_tensor_array_non_uniform_indexing_native: vk::TRUE,
        shader_tensor_supported_stages: vk::ShaderStageFlags::ALL,
    }
    PhysicalDeviceImageProcessingPropertiesQCOM {
        max_weight_filter_phases: processing::PHASES_MAX,
        max_weight_filter_dimension: square(processing::FILTER_MAX),
        max_block_match_region: square(processing::BLOCK_MAX),
        max_box_filter_block_size: square(processing::BOX_MAX),
    }
    PhysicalDeviceImageProcessing2PropertiesQCOM {
        max_block_match_window: square(processing::FILTER_MAX),
    }
    PhysicalDeviceCopyMemoryIndirectPropertiesKHR {
        supported_queues: vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
    }
    PhysicalDeviceMemoryDecompressionPropertiesEXT {
        decompression_methods: vk::MemoryDecompressionMethodFlagsEXT::GDEFLATE_1_0,
        max_decompression_indirect_count: u32::MAX.into(),
    }
    PhysicalDeviceMaintenance10PropertiesKHR {
        rgba4_opaque_black_swizzled: vk::TRUE,
        resolve_srgb_format_applies_transfer_function: vk::TRUE,
        resolve_srgb_format_supports_transfer_function_control: vk::FALSE,
    }
    // The device is no layer over another API.
    PhysicalDeviceLayeredApiPropertiesListKHR { layered_api_count: 0 }
    PhysicalDeviceCustomBorderColorPropertiesEXT {
        max_custom_border_color_samplers: limits::limits().max_sampler_allocation_count,
    }
    PhysicalDeviceVertexAttributeDivisorPropertiesEXT { max_vertex_attrib_divisor: u32::MAX }
    PhysicalDeviceExtendedDynamicState3PropertiesEXT { dynamic_primitive_topology_unrestricted: vk::TRUE }
    PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT {
        // Code depends on several parts at once, and is made when they are linked.
        graphics_pipeline_library_fast_linking: vk::FALSE,
        graphics_pipeline_library_independent_interpolation_decoration: vk::TRUE,
    }
    PhysicalDeviceNestedCommandBufferPropertiesEXT { max_command_buffer_nesting_level: 64 }
    PhysicalDeviceShaderEnqueuePropertiesAMDX {
        max_execution_graph_depth: node::GRAPH_DEPTH_MAX,
        max_execution_graph_shader_output_nodes: node::OUTPUT_NODES_MAX,
        max_execution_graph_shader_payload_size: node::PAYLOAD_BYTES_MAX,
        max_execution_graph_shader_payload_count: node::PAYLOAD_COUNT_MAX,
        execution_graph_dispatch_address_alignment: 4,
        max_execution_graph_workgroup_count: [node::NODE_WORKGROUP_COUNT_MAX; 3],
        max_execution_graph_workgroups: node::NODE_WORKGROUPS_MAX,
    }
    PhysicalDeviceMeshShaderPropertiesEXT {
        max_task_work_group_total_count: pyro_engine::graphics::MESH_GROUPS_MAX as u32,
        max_task_work_group_count: [u32::from(u16::MAX); 3],
        max_task_work_group_invocations: limits::WORKGROUP_INVOCATIONS_MAX,
        max_task_work_group_size: [limits::WORKGROUP_INVOCATIONS_MAX; 3],
        max_task_payload_size: mesh::TASK_PAYLOAD_BYTES_MAX,
        max_task_shared_memory_size: limits::SHARED_BYTES_MAX,
        max_task_payload_and_shared_memory_size: mesh::TASK_PAYLOAD_BYTES_MAX + limits::SHARED_BYTES_MAX,
        max_mesh_work_group_total_count: pyro_engine::graphics::MESH_GROUPS_MAX as u32,
        max_mesh_work_group_count: [u32::from(u16::MAX); 3],
        max_mesh_work_group_invocations: limits::WORKGROUP_INVOCATIONS_MAX,
        max_mesh_work_group_size: [limits::WORKGROUP_INVOCATIONS_MAX; 3],
        max_mesh_shared_memory_size: limits::SHARED_BYTES_MAX,
        max_mesh_payload_and_shared_memory_size: mesh::TASK_PAYLOAD_BYTES_MAX + limits::SHARED_BYTES_MAX,
        max_mesh_output_memory_size: MESH_OUTPUT_BYTES,
        max_mesh_payload_and_output_memory_size: mesh::TASK_PAYLOAD_BYTES_MAX + MESH_OUTPUT_BYTES,
        max_mesh_output_components: MESH_OUTPUT_COMPONENTS,
        max_mesh_output_vertices: mesh::MESH_VERTICES_MAX,
        max_mesh_output_primitives: mesh::MESH_PRIMITIVES_MAX,
        max_mesh_output_layers: limits::limits().max_framebuffer_layers,
        max_mesh_multiview_view_count: vulkan11().max_multiview_view_count,
        mesh_output_per_vertex_granularity: 16,
        mesh_output_per_primitive_granularity: 16,
        max_preferred_task_work_group_invocations: 64,
        max_preferred_mesh_work_group_invocations: 128,
        // Neighbouring invocations that write neighbouring vertices write whole registers.
        prefers_local_invocation_vertex_output: vk::TRUE,
        prefers_local_invocation_primitive_output: vk::TRUE,
        prefers_compact_vertex_output: vk::TRUE,
        prefers_compact_primitive_output: vk::FALSE,
    }
    PhysicalDeviceClusterCullingShaderPropertiesHUAWEI {
        max_work_group_count: [u32::from(u16::MAX); 3],
        max_work_group_size: [limits::WORKGROUP_INVOCATIONS_MAX; 3],
        max_output_cluster_count: pyro_abi::graphics::CLUSTERS_MAX,
        indirect_buffer_offset_alignment: 4,
    }
    PhysicalDeviceAccelerationStructurePropertiesKHR {
        max_geometry_count: pyro_raytrace::acceleration_structure::GEOMETRIES_MAX,
        max_instance_count: pyro_raytrace::acceleration_structure::INSTANCES_MAX,
        max_primitive_count: pyro_raytrace::acceleration_structure::PRIMITIVES_MAX,
        max_per_stage_descriptor_acceleration_structures: limits::DESCRIPTORS_MAX,
        max_per_stage_descriptor_update_after_bind_acceleration_structures: limits::DESCRIPTORS_MAX,
        max_descriptor_set_acceleration_structures: limits::DESCRIPTORS_MAX,
        max_descriptor_set_update_after_bind_acceleration_structures: limits::DESCRIPTORS_MAX,
        min_acceleration_structure_scratch_offset_alignment: limits::ACCELERATION_STRUCTURE_SCRATCH_ALIGNMENT,
    }
    PhysicalDeviceClusterAccelerationStructurePropertiesNV {
        max_vertices_per_cluster: cluster::VERTICES_MAX,
        max_triangles_per_cluster: cluster::TRIANGLES_MAX,
        cluster_scratch_byte_alignment: limits::ACCELERATION_STRUCTURE_SCRATCH_ALIGNMENT,
        cluster_byte_alignment: cluster::CLUSTER_ALIGNMENT as u32,
        cluster_template_byte_alignment: cluster::TEMPLATE_ALIGNMENT as u32,
        cluster_bottom_level_byte_alignment: cluster::BOTTOM_ALIGNMENT as u32,
        cluster_template_bounds_byte_alignment: 4,
        max_cluster_geometry_index: pyro_raytrace::acceleration_structure::GEOMETRIES_MAX as u32,
    }
    PhysicalDevicePartitionedAccelerationStructurePropertiesNV {
        max_partition_count: pyro_raytrace::partition::PARTITIONS_MAX,
    }
    PhysicalDeviceOpacityMicromapPropertiesEXT {
        max_opacity2_state_subdivision_level: micromap::LEVEL_MAX,
        max_opacity4_state_subdivision_level: micromap::LEVEL_MAX,
    }
    PhysicalDeviceRayTracingPipelinePropertiesKHR {
        shader_group_handle_size: pyro_engine::raytrace::HANDLE_BYTES as u32,
        max_ray_recursion_depth: limits::RAY_RECURSION_DEPTH_MAX,
        max_shader_group_stride: 1 << 16,
        shader_group_base_alignment: 64,
        shader_group_handle_capture_replay_size: pyro_engine::raytrace::HANDLE_BYTES as u32,
        max_ray_dispatch_invocation_count: limits::RAY_INVOCATIONS_MAX,
        shader_group_handle_alignment: pyro_engine::raytrace::HANDLE_BYTES as u32,
        max_ray_hit_attribute_size: limits::RAY_HIT_ATTRIBUTE_BYTES_MAX,
    }
    PhysicalDeviceRayTracingInvocationReorderPropertiesEXT {
        ray_tracing_invocation_reorder_reordering_hint: vk::RayTracingInvocationReorderModeEXT::NONE,
        max_shader_binding_table_record_index: u32::MAX,
    }
    PhysicalDeviceRayTracingInvocationReorderPropertiesNV {
        ray_tracing_invocation_reorder_reordering_hint: vk::RayTracingInvocationReorderModeEXT::NONE,
    }
    PhysicalDeviceRayTracingPropertiesNV {
        shader_group_handle_size: pyro_engine::raytrace::HANDLE_BYTES as u32,
        max_recursion_depth: limits::RAY_RECURSION_DEPTH_MAX,
        max_shader_group_stride: 1 << 16,
        shader_group_base_alignment: 64,
        max_geometry_count: pyro_raytrace::acceleration_structure::GEOMETRIES_MAX,
        max_instance_count: pyro_raytrace::acceleration_structure::INSTANCES_MAX,
        max_triangle_count: pyro_raytrace::acceleration_structure::PRIMITIVES_MAX,
        max_descriptor_set_acceleration_structures: limits::DESCRIPTORS_MAX,
    }
    PhysicalDeviceMeshShaderPropertiesNV {
        max_draw_mesh_tasks_count: u32::from(u16::MAX),
        max_task_work_group_invocations: limits::WORKGROUP_INVOCATIONS_MAX,
        max_task_work_group_size: [limits::WORKGROUP_INVOCATIONS_MAX; 3],
        max_task_total_memory_size: limits::SHARED_BYTES_MAX,
        max_task_output_count: u32::from(u16::MAX),
        max_mesh_work_group_invocations: limits::WORKGROUP_INVOCATIONS_MAX,
        max_mesh_work_group_size: [limits::WORKGROUP_INVOCATIONS_MAX; 3],
        max_mesh_total_memory_size: limits::SHARED_BYTES_MAX,
        max_mesh_output_vertices: mesh::MESH_VERTICES_MAX,
        max_mesh_output_primitives: mesh::MESH_PRIMITIVES_MAX,
        max_mesh_multiview_view_count: vulkan11().max_multiview_view_count,
        mesh_output_per_vertex_granularity: 16,
        mesh_output_per_primitive_granularity: 16,
    }
    PhysicalDevicePushConstantBankPropertiesNV {
        max_graphics_push_constant_banks: pyro_abi::PUSH_BANK_COUNT as u32,
        max_compute_push_constant_banks: pyro_abi::PUSH_BANK_COUNT as u32,
        max_graphics_push_data_banks: pyro_abi::PUSH_BANK_COUNT as u32,
        max_compute_push_data_banks: pyro_abi::PUSH_BANK_COUNT as u32,
    }
    PhysicalDeviceFragmentDensityMapOffsetPropertiesEXT {
        fragment_density_offset_granularity: limits::square(limits::SHADING_RATE_TEXELS.0),
    }
    PhysicalDeviceFragmentDensityMapLayeredPropertiesVALVE {
        max_fragment_density_map_layers: limits::limits().max_framebuffer_layers,
    }
    PhysicalDeviceFragmentShadingRateEnumsPropertiesNV {
        max_fragment_shading_rate_invocation_count: vk::SampleCountFlags::_1,
    }
    PhysicalDeviceRenderPassStripedPropertiesARM {
        render_pass_stripe_granularity: limits::square(1),
        max_render_pass_stripes: limits::RENDER_PASS_STRIPES_MAX,
    }
    PhysicalDeviceTileShadingPropertiesQCOM {
        max_apron_size: limits::TILE_APRON_MAX,
        prefer_non_coherent: vk::FALSE,
        tile_granularity: vk::Extent2D { width: limits::TILE_GRANULARITY, height: limits::TILE_GRANULARITY },
        max_tile_shading_rate: vk::Extent2D {
            width: limits::TILE_SHADING_RATE_MAX,
            height: limits::TILE_SHADING_RATE_MAX,
        },
    }
    PhysicalDeviceSubpassShadingPropertiesHUAWEI { max_subpass_shading_workgroup_size_aspect_ratio: 1024 }
    PhysicalDeviceMultiviewPerViewAttributesPropertiesNVX { per_view_position_all_components: vk::TRUE }
    PhysicalDeviceMultiDrawPropertiesEXT { max_multi_draw_count: u32::MAX }
    PhysicalDeviceBlendOperationAdvancedPropertiesEXT {
        advanced_blend_max_color_attachments: pyro_abi::graphics::COLOR_ATTACHMENTS_MAX as u32,
        advanced_blend_independent_blend: vk::TRUE,
        advanced_blend_non_premultiplied_src_color: vk::TRUE,
        advanced_blend_non_premultiplied_dst_color: vk::TRUE,
        advanced_blend_correlated_overlap: vk::TRUE,
        advanced_blend_all_operations: vk::TRUE,
    }
    PhysicalDeviceConservativeRasterizationPropertiesEXT {
        primitive_overestimation_size: 0.0,
        max_extra_primitive_overestimation_size: 0.0,
        extra_primitive_overestimation_size_granularity: 0.0,
        primitive_underestimation: vk::TRUE,
        conservative_point_and_line_rasterization: vk::FALSE,
        degenerate_triangles_rasterized: vk::FALSE,
        degenerate_lines_rasterized: vk::FALSE,
        fully_covered_fragment_shader_input_variable: vk::TRUE,
        conservative_rasterization_post_depth_coverage: vk::FALSE,
    }
    PhysicalDeviceProvokingVertexPropertiesEXT {
        provoking_vertex_mode_per_pipeline: vk::TRUE,
        transform_feedback_preserves_triangle_fan_provoking_vertex: vk::TRUE,
    }
    PhysicalDeviceTransformFeedbackPropertiesEXT {
        max_transform_feedback_streams: pyro_abi::graphics::VERTEX_STREAM_COUNT as u32,
        max_transform_feedback_buffers: pyro_abi::graphics::CAPTURE_BUFFER_COUNT as u32,
        // What the counters hold.
        max_transform_feedback_buffer_size: u64::from(u32::MAX),
        max_transform_feedback_stream_data_size: 8192,
        max_transform_feedback_buffer_data_size: 2048,
        max_transform_feedback_buffer_data_stride: 2048,
        transform_feedback_queries: vk::TRUE,
        transform_feedback_streams_lines_triangles: vk::TRUE,
        transform_feedback_rasterization_stream_select: vk::TRUE,
        transform_feedback_draw: vk::TRUE,
    }
    PhysicalDeviceFragmentShaderBarycentricPropertiesKHR {
        tri_strip_vertex_order_independent_of_provoking_vertex: vk::FALSE,
    }
    PhysicalDeviceExternalMemoryHostPropertiesEXT {
        min_imported_host_pointer_alignment: limits::MEMORY_ALIGNMENT as u64,
    }
    PhysicalDeviceRobustness2PropertiesEXT {
        robust_storage_buffer_access_size_alignment: 1,
        robust_uniform_buffer_access_size_alignment: 1,
    }
    PhysicalDeviceShaderLongVectorPropertiesEXT { max_vector_components: limits::VECTOR_COMPONENT_COUNT_MAX }
    PhysicalDeviceComputeShaderDerivativesPropertiesKHR { mesh_and_task_shader_derivatives: vk::TRUE }
}
