//! What the device can do: the one list of features ([`ON`]), and the structures that show them.
//!
//! A feature that several structures show (an extension's, and that of the version which took it up) has one
//! name in all of them, so the list names it once. To switch one on, add its name here.

use super::feature_table::FEATURE_STRUCTS;
use std::collections::HashMap;
use std::sync::LazyLock;
use vulkanalia_sys as vk;

/// The features that are there, by their fields' names.
#[rustfmt::skip]
pub const ON: &[&str] = &[
    // Descriptors and buffers.
    "robust_buffer_access", "robust_buffer_access2", "null_descriptor", "pipeline_robustness",
    "pipeline_protected_access", "buffer_device_address", "buffer_device_address_capture_replay",
    "shader_uniform_buffer_array_dynamic_indexing", "shader_storage_buffer_array_dynamic_indexing",
    "descriptor_indexing", "runtime_descriptor_array",
    "shader_uniform_buffer_array_non_uniform_indexing", "shader_storage_buffer_array_non_uniform_indexing",
    "descriptor_binding_uniform_buffer_update_after_bind", "descriptor_binding_storage_buffer_update_after_bind",
    "descriptor_binding_update_unused_while_pending", "descriptor_binding_partially_bound",
    "descriptor_binding_variable_descriptor_count",
    "sparse_binding", "sparse_residency_buffer", "sparse_residency_image_2d", "sparse_residency_image_3d",
    "sparse_residency2_samples", "sparse_residency4_samples", "sparse_residency8_samples",
    "sparse_residency16_samples", "sparse_residency_aliased", "shader_resource_residency", "sparse_image_int64_atomics",
    "sparse_image_float32_atomics", "sparse_image_float32_atomic_add", "sparse_image_float32_atomic_min_max",
    "inline_uniform_block", "descriptor_binding_inline_uniform_block_update_after_bind",
    // Memory layouts.
    "variable_pointers", "variable_pointers_storage_buffer",
    "scalar_block_layout", "uniform_buffer_standard_layout", 
    "vulkan_memory_model", "vulkan_memory_model_device_scope", "vulkan_memory_model_availability_visibility_chains",
    "shader_zero_initialize_workgroup_memory",
    "workgroup_memory_explicit_layout", "workgroup_memory_explicit_layout_scalar_block_layout",
    "workgroup_memory_explicit_layout_8bit_access", "workgroup_memory_explicit_layout_16bit_access",
    // Widths of integers and floats, in registers and in memory.
    "shader_int64", "shader_int16", "shader_int8", "shader_float64", "shader_float16",
    "storage_buffer_16bit_access", "uniform_and_storage_buffer_16bit_access", "storage_push_constant16",
    "storage_input_output16",
    "storage_buffer_8bit_access", "uniform_and_storage_buffer_8bit_access", "storage_push_constant8",
    // Atomics.
    "shader_buffer_int64_atomics", "shader_shared_int64_atomics",
    "shader_buffer_float32_atomics", "shader_buffer_float32_atomic_add", "shader_buffer_float64_atomics",
    "shader_buffer_float64_atomic_add", "shader_shared_float32_atomics", "shader_shared_float32_atomic_add",
    "shader_shared_float64_atomics", "shader_shared_float64_atomic_add",
    "shader_buffer_float16_atomics", "shader_buffer_float16_atomic_add", "shader_buffer_float16_atomic_min_max",
    "shader_buffer_float32_atomic_min_max", "shader_buffer_float64_atomic_min_max",
    "shader_shared_float16_atomics", "shader_shared_float16_atomic_add", "shader_shared_float16_atomic_min_max",
    "shader_shared_float32_atomic_min_max", "shader_shared_float64_atomic_min_max",
    "shader_float16_vector_atomics",
    // Instructions.
    "shader_integer_dot_product", "shader_integer_functions2", "shader_expect_assume", "shader_replicated_composites",
    "shader_relaxed_extended_instruction", "shader_split_barrier", "shader_float_controls2",
    "shader_fma_float16", "shader_fma_float32", "shader_fma_float64", "shader_untyped_pointers",
    "shader_b_float16_type", "shader_b_float_16dot_product", "shader_float8",
    "shader_mixed_float_dot_product_float16_acc_float32", "shader_mixed_float_dot_product_float16_acc_float16",
    "shader_mixed_float_dot_product_b_float16_acc", "shader_mixed_float_dot_product_float8_acc_float32",
    "shader_float4", "shader_float6", "shader_float8_unsigned_e8_m0", "shader_m_x_int8",
    "shader_subgroup_clock", "shader_device_clock",
    "compute_derivative_group_quads", "compute_derivative_group_linear", "long_vector",
    "shader_raw_access_chains", "shader_64bit_indexing", "shader_uniform_buffer_unsized_array",
    "cooperative_matrix", "cooperative_matrix_robust_buffer_access", "shader_b_float16_cooperative_matrix",
    "shader_float8_cooperative_matrix", "cooperative_vector", "cooperative_vector_training",
    "cooperative_matrix_workgroup_scope", "cooperative_matrix_flexible_dimensions", "cooperative_matrix_reductions",
    "cooperative_matrix_conversions", "cooperative_matrix_per_element_operations", "cooperative_matrix_tensor_addressing",
    "cooperative_matrix_block_loads", "cooperative_matrix_decode_vector", "cooperative_matrix_conversion",
    // Subgroups.
    "shader_subgroup_extended_types", "subgroup_broadcast_dynamic_id",
    "subgroup_size_control", "compute_full_subgroups",
    "shader_subgroup_rotate", "shader_subgroup_rotate_clustered", "shader_subgroup_partitioned",
    "shader_subgroup_uniform_control_flow", "shader_maximal_reconvergence", "shader_quad_control",
    // The API around shaders.
    "cuda_kernel_launch_features", "shader_enqueue", "shader_mesh_enqueue", "shader_instrumentation", "pipeline_statistics_query", "inherited_queries",
    "performance_counter_query_pools", "performance_counter_multiple_query_pools", "host_query_reset", "timeline_semaphore", "synchronization2",
    "private_data", "pipeline_creation_cache_control", "pipeline_executable_info", "pipeline_binaries", "maintenance4",
    "memory_priority", "maintenance5", "maintenance6", "push_descriptor", "global_priority_query", "shader_module_identifier", "mutable_descriptor_type", "device_fault", "shader_abort", "shader_multiple_wait_queues", "shader_constant_data",
    "zero_initialize_device_memory", "pageable_device_local_memory", "maintenance7", "maintenance8", "maintenance9", "maintenance10", "maintenance11",
    "memory_map_placed", "memory_map_range_placed", "memory_unmap_reserve", "device_memory_report",
    "report_address_binding", "pipeline_properties_identifier", "frame_boundary", "indirect_copy",
    "internally_synchronized_queues", "extended_flags", "descriptor_set_host_mapping",
    "dedicated_allocation_image_aliasing", "cooperative_matrix_properties2",
    "tensor_non_packed", "shader_tensor_access", "shader_storage_tensor_array_dynamic_indexing",
    "shader_storage_tensor_array_non_uniform_indexing", "descriptor_binding_storage_tensor_update_after_bind",
    "tensors", "descriptor_buffer_tensor_descriptors",
    "data_graph", "data_graph_update_after_bind", "data_graph_specialization_constants", "data_graph_descriptor_buffer",
    "data_graph_shader_module",
    "descriptor_heap", "descriptor_buffer", "descriptor_buffer_image_layout_ignored", "descriptor_buffer_push_descriptors",
    "indirect_memory_copy", "indirect_memory_to_image_copy", "memory_decompression", "device_address_commands",
    "device_generated_commands", "dynamic_generated_pipeline_layout", "device_generated_compute",
    "device_generated_compute_pipelines",
    "present_id", "present_id2", "present_wait", "present_wait2", "swapchain_maintenance1",
    "present_mode_fifo_latest_ready",
    // Images and samplers.
    "descriptor_pool_overallocation", "image_alignment_control", "extended_sparse_address_space", "image_tiling_control", "image_compression_control", "image_compression_control_swapchain", "linear_color_attachment",
    "corner_sampled_image", "image_footprint", "image_cube_array", "sampler_anisotropy", "texture_compression_bc", "texture_compression_etc2",
    "texture_compression_astc_ldr", "texture_compression_astc_hdr", "textureCompressionASTC_3D",
    "shader_image_gather_extended",
    "shader_storage_image_multisample",
    "shader_storage_image_extended_formats", "shader_storage_image_read_without_format",
    "shader_storage_image_write_without_format", "shader_sampled_image_array_dynamic_indexing",
    "shader_storage_image_array_dynamic_indexing", "shader_resource_min_lod", "min_lod",
    "shader_uniform_texel_buffer_array_dynamic_indexing",
    "shader_storage_texel_buffer_array_dynamic_indexing", "shader_sampled_image_array_non_uniform_indexing",
    "shader_storage_image_array_non_uniform_indexing",
    "shader_uniform_texel_buffer_array_non_uniform_indexing",
    "shader_storage_texel_buffer_array_non_uniform_indexing",
    "descriptor_binding_sampled_image_update_after_bind",
    "descriptor_binding_storage_image_update_after_bind",
    "descriptor_binding_uniform_texel_buffer_update_after_bind",
    "descriptor_binding_storage_texel_buffer_update_after_bind", "sampler_mirror_clamp_to_edge",
    "sampler_filter_minmax", "selectable_cubic_weights", "cubic_range_clamp", "custom_border_colors", "custom_border_color_without_format",
    "border_color_swizzle", "border_color_swizzle_from_image", "non_seamless_cube_map", "robust_image_access", "robust_image_access2", "shader_image_int64_atomics",
    "shader_image_float32_atomics", "shader_image_float32_atomic_add", "shader_image_float32_atomic_min_max",
    "image_2d_view_of_3d", "sampler_2d_view_of_3d", "image_sliced_view_of_3d",
    "format_a4_r4_g4_b4", "format_a4_b4_g4_r4", "texel_buffer_alignment",
    // Rays.
    "acceleration_structure", "acceleration_structure_capture_replay", "acceleration_structure_indirect_build", "acceleration_structure_host_commands",
    "descriptor_binding_acceleration_structure_update_after_bind", "ray_query", "ray_tracing_position_fetch",
    "ray_tracing_maintenance1",
    "texture_sample_weighted", "texture_box_filter", "texture_block_match", "texture_block_match2", "image_gather_linear", "image_gather_extended_modes",
    "block_match_extended_clamp_to_edge",
    "ray_tracing_pipeline", "ray_tracing_pipeline_shader_group_handle_capture_replay",
    "ray_tracing_pipeline_shader_group_handle_capture_replay_mixed", "ray_tracing_pipeline_trace_rays_indirect",
    "ray_tracing_pipeline_trace_rays_indirect2", "ray_traversal_primitive_culling", "pipeline_library_group_handles",
    "ray_tracing_invocation_reorder", "ray_tracing_motion_blur", "ray_tracing_motion_blur_pipeline_trace_rays_indirect",
    "spheres", "linear_swept_spheres", "cluster_acceleration_structure", "partitioned_acceleration_structure",
    "micromap", "micromap_host_commands", "micromap_capture_replay", "dense_geometry_format",
    // Graphics.
    "vertex_attribute_robustness", "tile_properties", "tile_memory_heap", "shader_early_and_late_fragment_tests",
    "geometry_shader", "shader_tessellation_and_geometry_point_size", "multiview_geometry_shader", "geometry_streams",
    "primitives_generated_query_with_non_zero_streams", "extended_dynamic_state3_rasterization_stream",
    "full_draw_index_uint32", "independent_blend", "sample_rate_shading", "dual_src_blend", "logic_op",
    "multi_draw_indirect", "draw_indirect_first_instance", "draw_indirect_count", "shader_draw_parameters",
    "depth_clamp", "depth_bias_clamp", "fill_mode_non_solid", "depth_bounds", "wide_lines", "large_points",
    "alpha_to_one", "multi_viewport", "occlusion_query_precise", "vertex_pipeline_stores_and_atomics",
    "fragment_stores_and_atomics", "shader_clip_distance", "shader_cull_distance",
    "shader_output_viewport_index", "shader_output_layer", "multiview", "multiview_tessellation_shader",
    "imageless_framebuffer", "tessellation_shader", "shader_tessellation_and_geometry_point_size",
    "separate_depth_stencil_layouts", "dynamic_rendering", "extended_dynamic_state",
    "extended_dynamic_state2", "extended_dynamic_state2_logic_op", "extended_dynamic_state2_patch_control_points",
    "extended_dynamic_state3_tessellation_domain_origin", "vertex_input_dynamic_state",
    "color_write_enable", "depth_clip_enable", "depth_clip_control", "provoking_vertex_last", "primitive_restart_index",
    "vertex_attribute_instance_rate_divisor", "vertex_attribute_instance_rate_zero_divisor",
    "index_type_uint8", "multi_draw", "shader_input_attachment_array_dynamic_indexing",
    "shader_input_attachment_array_non_uniform_indexing",
    "shader_demote_to_helper_invocation", "shader_terminate_invocation", "variable_multisample_rate",
    "extended_dynamic_state_3depth_clamp_enable",
    "extended_dynamic_state3_polygon_mode", "extended_dynamic_state3_rasterization_samples",
    "extended_dynamic_state3_sample_mask", "extended_dynamic_state3_alpha_to_coverage_enable",
    "extended_dynamic_state3_alpha_to_one_enable", "extended_dynamic_state3_logic_op_enable",
    "extended_dynamic_state3_color_blend_enable", "extended_dynamic_state3_color_blend_equation",
    "extended_dynamic_state3_color_write_mask", "extended_dynamic_state_3depth_clip_enable",
    "extended_dynamic_state3_provoking_vertex_mode", "extended_dynamic_state3_line_rasterization_mode",
    "advanced_blend_coherent_operations", "extended_dynamic_state3_color_blend_advanced", "extended_dynamic_state3_conservative_rasterization_mode",
    "extended_dynamic_state3_extra_primitive_overestimation_size",
    "extended_dynamic_state3_line_stipple_enable", "extended_dynamic_state_3depth_clip_negative_one_to_one",
    "rectangular_lines", "bresenham_lines", "stippled_rectangular_lines", "stippled_bresenham_lines",
    "depth_bias_control", "least_representable_value_force_unorm_representation", "float_representation",
    "depth_bias_exact", "depth_clamp_zero_one", "depth_clamp_control", "primitive_topology_list_restart",
    "primitive_topology_patch_list_restart",
    "attachment_feedback_loop_layout", "attachment_feedback_loop_dynamic_state",
    "dynamic_rendering_unused_attachments", "dynamic_rendering_local_read", "unified_image_layouts",
    "graphics_pipeline_library", "shader_object",
    "shader_tile_image_color_read_access", "shader_tile_image_depth_read_access",
    "shader_tile_image_stencil_read_access",
    "conditional_rendering", "inherited_conditional_rendering", "host_image_copy", "nested_command_buffer",
    "nested_command_buffer_rendering", "nested_command_buffer_simultaneous_use",
    "fragment_shader_pixel_interlock", "fragment_shader_sample_interlock", "fragment_shader_shading_rate_interlock",
    "fragment_shader_barycentric", "pipeline_fragment_shading_rate", "primitive_fragment_shading_rate",
    "attachment_fragment_shading_rate", "shader_sm_builtins", "shader_core_builtins", "scheduling_controls", "queue_perf_hint", "performance_counters_by_region",
    "command_buffer_inheritance",
    "push_constant_bank",
    "inherited_viewport_scissor_2d", "extended_dynamic_state3_viewport_w_scaling_enable",
    "rasterization_order_color_attachment_access", "rasterization_order_depth_attachment_access",
    "rasterization_order_stencil_attachment_access",
    "sampler_ycbcr_conversion", "ycbcr2plane444_formats", "ycbcr_image_arrays", "ycbcr_degamma",
    "smooth_lines", "stippled_smooth_lines", "transform_feedback", "transform_feedback_preserves_provoking_vertex",
    "exclusive_scissor", "representative_fragment_test", "multisampled_render_to_single_sampled",
    "custom_resolve", "subpass_merge_feedback", "device_coherent_memory", "multisampled_render_to_swapchain",
    "present_timing", "present_at_absolute_time", "present_at_relative_time",
    "extended_dynamic_state3_representative_fragment_test_enable",
    "extended_dynamic_state3_coverage_to_color_enable", "extended_dynamic_state3_coverage_to_color_location",
    "shading_rate_image", "shading_rate_coarse_sample_order", "extended_dynamic_state3_shading_rate_image_enable",
    "coverage_reduction_mode", "extended_dynamic_state3_coverage_reduction_mode",
    "extended_dynamic_state3_coverage_modulation_mode",
    "extended_dynamic_state3_coverage_modulation_table_enable", "extended_dynamic_state3_coverage_modulation_table",
    "extended_dynamic_state3_viewport_swizzle", "legacy_dithering", "extended_dynamic_state3_sample_locations_enable",
    "invocation_mask", "task_shader", "mesh_shader", "multiview_mesh_shader", "primitive_fragment_shading_rate_mesh_shader",
    "mesh_shader_queries", "subpass_shading",
    "tile_shading", "tile_shading_fragment_stage", "tile_shading_color_attachments",
    "tile_shading_depth_attachments", "tile_shading_stencil_attachments", "tile_shading_input_attachments",
    "tile_shading_sampled_attachments", "tile_shading_per_tile_draw", "tile_shading_per_tile_dispatch",
    "tile_shading_dispatch_tile", "tile_shading_apron", "tile_shading_anisotropic_apron",
    "tile_shading_atomic_ops", "tile_shading_image_processing",
    "clusterculling_shader", "multiview_cluster_culling_shader", "cluster_shading_rate",
    "multiview_per_view_viewports", "multiview_per_view_render_areas", "render_pass_striped", "relaxed_line_rasterization", "ray_tracing_validation",
    "compute_occupancy_priority", "diagnostics_config", "pipeline_opacity_micromap",
    "fragment_density_map_offset", "fragment_density_map_layered", "fragment_shading_rate_enums",
    "fragment_density_map", "fragment_density_map_dynamic", "fragment_density_map_non_subsampled_images",
    "fragment_density_map_deferred",
    "format_rgba10x6_without_y_cb_cr_sampler", "format_pack", "legacy_vertex_attributes", "primitives_generated_query", "primitives_generated_query_with_rasterizer_discard",
];

/// A feature structure.
pub struct FeatureStruct {
    /// Its `sType`.
    pub(super) s_type: fn() -> vk::StructureType,
    /// Its name, without `Vk`.
    pub name: &'static str,
    /// The names of its `VkBool32`s.
    pub fields: &'static [&'static str],
}

impl FeatureStruct {
    /// The structure of this `sType`.
    pub fn find(s_type: vk::StructureType) -> Option<&'static FeatureStruct> {
        static INDEX: LazyLock<HashMap<vk::StructureType, &FeatureStruct>> =
            LazyLock::new(|| FEATURE_STRUCTS.iter().map(|one| ((one.s_type)(), one)).collect());
        INDEX.get(&s_type).copied()
    }

    /// Whether each of its features is there.
    pub fn values(&self) -> impl Iterator<Item = bool> {
        self.fields.iter().map(|name| is_on(name))
    }
}

/// Whether a feature is there.
pub fn is_on(name: &str) -> bool {
    let is_sparse = name.starts_with("sparse_") || name == "extended_sparse_address_space";
    (!is_sparse || crate::system::binds_sparsely()) && ON.contains(&name)
}

/// Names a field of `VkPhysicalDeviceFeatures` for each of its `VkBool32`s.
macro_rules! core_features {
    ($($field:ident)*) => {
        /// `VkPhysicalDeviceFeatures`.
        pub fn core_features() -> vk::PhysicalDeviceFeatures {
            vk::PhysicalDeviceFeatures { $($field: is_on(stringify!($field)).into()),* }
        }

        /// The first feature that is asked for and not there.
        pub fn missing_core_feature(wanted: &vk::PhysicalDeviceFeatures) -> Option<&'static str> {
            $(if wanted.$field != 0 && !is_on(stringify!($field)) {
                return Some(stringify!($field));
            })*
            None
        }

        #[cfg(test)]
        const CORE_FEATURES: &[&str] = &[$(stringify!($field)),*];
    };
}

core_features! {
    robust_buffer_access full_draw_index_uint32 image_cube_array independent_blend geometry_shader
    tessellation_shader sample_rate_shading dual_src_blend logic_op multi_draw_indirect
    draw_indirect_first_instance depth_clamp depth_bias_clamp fill_mode_non_solid depth_bounds wide_lines
    large_points alpha_to_one multi_viewport sampler_anisotropy texture_compression_etc2
    texture_compression_astc_ldr texture_compression_bc occlusion_query_precise pipeline_statistics_query
    vertex_pipeline_stores_and_atomics fragment_stores_and_atomics shader_tessellation_and_geometry_point_size
    shader_image_gather_extended shader_storage_image_extended_formats shader_storage_image_multisample
    shader_storage_image_read_without_format shader_storage_image_write_without_format
    shader_uniform_buffer_array_dynamic_indexing shader_sampled_image_array_dynamic_indexing
    shader_storage_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing
    shader_clip_distance shader_cull_distance shader_float64 shader_int64 shader_int16
    shader_resource_residency shader_resource_min_lod sparse_binding sparse_residency_buffer
    sparse_residency_image_2d sparse_residency_image_3d sparse_residency2_samples sparse_residency4_samples
    sparse_residency8_samples sparse_residency16_samples sparse_residency_aliased variable_multisample_rate
    inherited_queries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_that_is_on_exists() {
        for name in ON {
            let known =
                CORE_FEATURES.contains(name) || FEATURE_STRUCTS.iter().any(|one| one.fields.contains(name));
            assert!(known, "no structure has the feature {name}");
        }
    }

    #[test]
    fn structures_are_found() {
        let found =
            FeatureStruct::find(vk::StructureType::PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES).unwrap();
        assert_eq!(found.values().collect::<Vec<_>>(), [true]);
        assert!(FeatureStruct::find(vk::StructureType::SUBMIT_INFO).is_none());
    }
}
