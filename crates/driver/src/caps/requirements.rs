//! What versions and extensions promise, held against what the device says (specification, "Feature Requirements"
//! and "Required Limits"; the registry's `feature` elements).

use super::extensions::DEVICE_EXTENSIONS;
use super::features::{core_features, is_on};
use super::{PhysicalDevice, properties};
use crate::caps::limits::{self, API_VERSION};
use vulkanalia_sys as vk;

/// The features that a version asks for, without conditions.
#[rustfmt::skip]
const OF_VERSIONS: &[(u32, u32, &[&str])] = &[
    (1, 0, &[
        "robust_buffer_access",
    ]),
    (1, 1, &[
        "multiview",
    ]),
    (1, 2, &[
        "subgroup_broadcast_dynamic_id", "imageless_framebuffer", "uniform_buffer_standard_layout",
        "shader_subgroup_extended_types", "separate_depth_stencil_layouts", "host_query_reset",
        "timeline_semaphore",
    ]),
    (1, 3, &[
        "shader_terminate_invocation", "shader_demote_to_helper_invocation", "private_data",
        "pipeline_creation_cache_control", "synchronization2", "shader_zero_initialize_workgroup_memory",
        "robust_image_access", "subgroup_size_control", "compute_full_subgroups", "dynamic_rendering",
        "shader_integer_dot_product", "maintenance4", "vulkan_memory_model",
        "vulkan_memory_model_device_scope", "inline_uniform_block", "buffer_device_address",
    ]),
    (1, 4, &[
        "full_draw_index_uint32", "image_cube_array", "independent_blend", "sample_rate_shading",
        "draw_indirect_first_instance", "depth_clamp", "depth_bias_clamp", "sampler_anisotropy",
        "fragment_stores_and_atomics", "shader_storage_image_extended_formats",
        "shader_uniform_buffer_array_dynamic_indexing", "shader_sampled_image_array_dynamic_indexing",
        "shader_storage_buffer_array_dynamic_indexing", "shader_storage_image_array_dynamic_indexing",
        "shader_image_gather_extended", "shader_int16", "large_points", "sampler_ycbcr_conversion",
        "storage_buffer_16bit_access", "variable_pointers", "variable_pointers_storage_buffer",
        "sampler_mirror_clamp_to_edge", "scalar_block_layout",
        "shader_uniform_texel_buffer_array_dynamic_indexing",
        "shader_storage_texel_buffer_array_dynamic_indexing", "shader_int8", "storage_buffer_8bit_access",
        "global_priority_query", "shader_subgroup_rotate", "shader_subgroup_rotate_clustered",
        "shader_float_controls2", "shader_expect_assume", "bresenham_lines",
        "vertex_attribute_instance_rate_divisor", "index_type_uint8", "maintenance5", "push_descriptor",
        "dynamic_rendering_local_read", "maintenance6", "pipeline_robustness",
    ]),
];

/// The features that others bring with them.
#[rustfmt::skip]
const OF_FEATURES: &[(&str, &[&str])] = &[
    ("uniform_and_storage_buffer_16bit_access", &["storage_buffer_16bit_access"]),
    ("uniform_and_storage_buffer_8bit_access", &["storage_buffer_8bit_access"]),
    ("shader_buffer_int64_atomics", &["shader_int64"]),
    ("shader_shared_int64_atomics", &["shader_int64"]),
    ("descriptor_indexing", &[
        "shader_sampled_image_array_dynamic_indexing", "shader_storage_buffer_array_dynamic_indexing",
        "shader_uniform_texel_buffer_array_dynamic_indexing",
        "shader_storage_texel_buffer_array_dynamic_indexing",
        "shader_sampled_image_array_non_uniform_indexing",
        "shader_storage_buffer_array_non_uniform_indexing",
        "shader_uniform_texel_buffer_array_non_uniform_indexing",
        "descriptor_binding_sampled_image_update_after_bind",
        "descriptor_binding_storage_image_update_after_bind",
        "descriptor_binding_storage_buffer_update_after_bind",
        "descriptor_binding_uniform_texel_buffer_update_after_bind",
        "descriptor_binding_storage_texel_buffer_update_after_bind",
        "descriptor_binding_update_unused_while_pending", "descriptor_binding_partially_bound",
        "runtime_descriptor_array", "descriptor_binding_inline_uniform_block_update_after_bind",
    ]),
    ("sparse_image_float32_atomics", &["shader_image_float32_atomics"]),
    ("sparse_image_float32_atomic_add", &["shader_image_float32_atomic_add"]),
    ("sparse_image_float32_atomic_min_max", &["shader_image_float32_atomic_min_max"]),
    ("primitive_fragment_shading_rate_mesh_shader", &["primitive_fragment_shading_rate"]),
    ("extended_dynamic_state3_tessellation_domain_origin", &["tessellation_shader"]),
    ("extended_dynamic_state3_depth_clamp_enable", &["depth_clamp"]),
    ("extended_dynamic_state3_polygon_mode", &["fill_mode_non_solid"]),
    ("extended_dynamic_state3_alpha_to_one_enable", &["alpha_to_one"]),
    ("extended_dynamic_state3_logic_op_enable", &["logic_op"]),
    ("protected_memory", &["pipeline_protected_access"]),
    ("robust_buffer_access2", &["robust_buffer_access"]),
    ("variable_pointers", &["variable_pointers_storage_buffer"]),
];

/// The features that extensions bring with them; of several in one string, one at least.
#[rustfmt::skip]
const OF_EXTENSIONS: &[(&str, &[&str])] = &[
    ("VK_EXT_4444_formats", &["format_a4_r4_g4_b4"]),
    ("VK_EXT_attachment_feedback_loop_dynamic_state", &["attachment_feedback_loop_dynamic_state"]),
    ("VK_EXT_attachment_feedback_loop_layout", &["attachment_feedback_loop_layout"]),
    ("VK_EXT_border_color_swizzle", &["border_color_swizzle"]),
    ("VK_EXT_buffer_device_address", &["buffer_device_address"]),
    ("VK_EXT_color_write_enable", &["color_write_enable"]),
    ("VK_EXT_conditional_rendering", &["conditional_rendering"]),
    ("VK_EXT_custom_border_color", &["custom_border_colors"]),
    ("VK_EXT_custom_resolve", &["custom_resolve"]),
    ("VK_EXT_depth_bias_control", &["depth_bias_control"]),
    ("VK_EXT_depth_clamp_control", &["depth_clamp_control"]),
    ("VK_EXT_depth_clamp_zero_one", &["depth_clamp_zero_one"]),
    ("VK_EXT_depth_clip_control", &["depth_clip_control"]),
    ("VK_EXT_depth_clip_enable", &["depth_clip_enable"]),
    ("VK_EXT_descriptor_buffer", &["descriptor_buffer"]),
    ("VK_EXT_descriptor_heap", &["descriptor_heap"]),
    ("VK_EXT_descriptor_indexing", &["shader_sampled_image_array_dynamic_indexing", "shader_storage_buffer_array_dynamic_indexing", "shader_uniform_texel_buffer_array_dynamic_indexing", "shader_storage_texel_buffer_array_dynamic_indexing", "shader_sampled_image_array_non_uniform_indexing", "shader_storage_buffer_array_non_uniform_indexing", "shader_uniform_texel_buffer_array_non_uniform_indexing", "descriptor_binding_sampled_image_update_after_bind", "descriptor_binding_storage_image_update_after_bind", "descriptor_binding_storage_buffer_update_after_bind", "descriptor_binding_uniform_texel_buffer_update_after_bind", "descriptor_binding_storage_texel_buffer_update_after_bind", "descriptor_binding_update_unused_while_pending", "descriptor_binding_partially_bound", "runtime_descriptor_array"]),
    ("VK_EXT_device_address_binding_report", &["report_address_binding"]),
    ("VK_EXT_device_fault", &["device_fault"]),
    ("VK_EXT_device_generated_commands", &["device_generated_commands"]),
    ("VK_EXT_device_memory_report", &["device_memory_report"]),
    ("VK_EXT_dynamic_rendering_unused_attachments", &["dynamic_rendering_unused_attachments"]),
    ("VK_EXT_extended_dynamic_state", &["extended_dynamic_state"]),
    ("VK_EXT_extended_dynamic_state2", &["extended_dynamic_state2"]),
    ("VK_EXT_fragment_density_map", &["fragment_density_map"]),
    ("VK_EXT_fragment_density_map2", &["fragment_density_map_deferred"]),
    ("VK_EXT_fragment_density_map_offset", &["fragment_density_map_offset"]),
    ("VK_EXT_fragment_shader_interlock", &["fragment_shader_sample_interlock fragment_shader_pixel_interlock fragment_shader_shading_rate_interlock"]),
    ("VK_EXT_frame_boundary", &["frame_boundary"]),
    ("VK_EXT_global_priority_query", &["global_priority_query"]),
    ("VK_EXT_graphics_pipeline_library", &["graphics_pipeline_library"]),
    ("VK_EXT_host_image_copy", &["host_image_copy"]),
    ("VK_EXT_host_query_reset", &["host_query_reset"]),
    ("VK_EXT_image_2d_view_of_3d", &["image_2d_view_of_3d"]),
    ("VK_EXT_image_compression_control", &["image_compression_control"]),
    ("VK_EXT_image_compression_control_swapchain", &["image_compression_control_swapchain"]),
    ("VK_EXT_image_robustness", &["robust_image_access"]),
    ("VK_EXT_image_sliced_view_of_3d", &["image_sliced_view_of_3d"]),
    ("VK_EXT_image_view_min_lod", &["min_lod"]),
    ("VK_EXT_index_type_uint8", &["index_type_uint8"]),
    ("VK_EXT_inline_uniform_block", &["inline_uniform_block"]),
    ("VK_EXT_legacy_dithering", &["legacy_dithering"]),
    ("VK_EXT_legacy_vertex_attributes", &["legacy_vertex_attributes"]),
    ("VK_EXT_line_rasterization", &["rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines"]),
    ("VK_EXT_map_memory_placed", &["memory_map_placed"]),
    ("VK_EXT_memory_decompression", &["memory_decompression"]),
    ("VK_EXT_memory_priority", &["memory_priority"]),
    ("VK_EXT_mesh_shader", &["task_shader", "mesh_shader"]),
    ("VK_EXT_multi_draw", &["multi_draw"]),
    ("VK_EXT_multisampled_render_to_single_sampled", &["multisampled_render_to_single_sampled"]),
    ("VK_EXT_mutable_descriptor_type", &["mutable_descriptor_type"]),
    ("VK_EXT_nested_command_buffer", &["nested_command_buffer"]),
    ("VK_EXT_non_seamless_cube_map", &["non_seamless_cube_map"]),
    ("VK_EXT_opacity_micromap", &["micromap"]),
    ("VK_EXT_pageable_device_local_memory", &["pageable_device_local_memory"]),
    ("VK_EXT_pipeline_creation_cache_control", &["pipeline_creation_cache_control"]),
    ("VK_EXT_pipeline_library_group_handles", &["pipeline_library_group_handles"]),
    ("VK_EXT_pipeline_properties", &["pipeline_properties_identifier"]),
    ("VK_EXT_pipeline_protected_access", &["pipeline_protected_access"]),
    ("VK_EXT_pipeline_robustness", &["pipeline_robustness"]),
    ("VK_EXT_present_mode_fifo_latest_ready", &["present_mode_fifo_latest_ready"]),
    ("VK_EXT_present_timing", &["present_timing"]),
    ("VK_EXT_primitive_restart_index", &["primitive_restart_index"]),
    ("VK_EXT_primitive_topology_list_restart", &["primitive_topology_list_restart"]),
    ("VK_EXT_primitives_generated_query", &["primitives_generated_query"]),
    ("VK_EXT_private_data", &["private_data"]),
    ("VK_EXT_provoking_vertex", &["provoking_vertex_last"]),
    ("VK_EXT_ray_tracing_invocation_reorder", &["ray_tracing_invocation_reorder"]),
    ("VK_EXT_rgba10x6_formats", &["format_rgba10x6_without_y_cb_cr_sampler"]),
    ("VK_EXT_robustness2", &["robust_buffer_access2 robust_image_access2 null_descriptor"]),
    ("VK_EXT_scalar_block_layout", &["scalar_block_layout"]),
    ("VK_EXT_shader_64bit_indexing", &["shader_64bit_indexing"]),
    ("VK_EXT_shader_atomic_float", &["shader_buffer_float32_atomics shader_buffer_float32_atomic_add shader_buffer_float64_atomics shader_buffer_float64_atomic_add shader_shared_float32_atomics shader_shared_float32_atomic_add shader_shared_float64_atomics shader_shared_float64_atomic_add shader_image_float32_atomics shader_image_float32_atomic_add"]),
    ("VK_EXT_shader_atomic_float2", &["shader_buffer_float16_atomics shader_buffer_float16_atomic_add shader_buffer_float16_atomic_min_max shader_buffer_float32_atomic_min_max shader_buffer_float64_atomic_min_max shader_shared_float16_atomics shader_shared_float16_atomic_add shader_shared_float16_atomic_min_max shader_shared_float32_atomic_min_max shader_shared_float64_atomic_min_max shader_image_float32_atomic_min_max"]),
    ("VK_EXT_shader_demote_to_helper_invocation", &["shader_demote_to_helper_invocation"]),
    ("VK_EXT_shader_float8", &["shader_float8"]),
    ("VK_EXT_shader_image_atomic_int64", &["shader_int64", "shader_image_int64_atomics"]),
    ("VK_EXT_shader_long_vector", &["long_vector", "scalar_block_layout"]),
    ("VK_EXT_shader_long_vector", &["long_vector"]),
    ("VK_EXT_shader_module_identifier", &["shader_module_identifier"]),
    ("VK_EXT_shader_object", &["shader_object"]),
    ("VK_EXT_shader_replicated_composites", &["shader_replicated_composites"]),
    ("VK_EXT_shader_subgroup_partitioned", &["shader_subgroup_partitioned"]),
    ("VK_EXT_shader_tile_image", &["shader_tile_image_color_read_access"]),
    ("VK_EXT_shader_uniform_buffer_unsized_array", &["shader_uniform_buffer_unsized_array"]),
    ("VK_EXT_subgroup_size_control", &["subgroup_size_control", "compute_full_subgroups"]),
    ("VK_EXT_subpass_merge_feedback", &["subpass_merge_feedback"]),
    ("VK_EXT_swapchain_maintenance1", &["swapchain_maintenance1"]),
    ("VK_EXT_texel_buffer_alignment", &["texel_buffer_alignment"]),
    ("VK_EXT_transform_feedback", &["transform_feedback"]),
    ("VK_EXT_vertex_attribute_divisor", &["vertex_attribute_instance_rate_divisor"]),
    ("VK_EXT_vertex_attribute_robustness", &["vertex_attribute_robustness"]),
    ("VK_EXT_vertex_input_dynamic_state", &["vertex_input_dynamic_state"]),
    ("VK_EXT_ycbcr_2plane_444_formats", &["ycbcr2plane444_formats"]),
    ("VK_EXT_ycbcr_image_arrays", &["ycbcr_image_arrays"]),
    ("VK_EXT_zero_initialize_device_memory", &["zero_initialize_device_memory"]),
    ("VK_INTEL_shader_integer_functions2", &["shader_integer_functions2"]),
    ("VK_HUAWEI_subpass_shading", &["subpass_shading"]),
    ("VK_KHR_16bit_storage", &["storage_buffer_16bit_access"]),
    ("VK_KHR_8bit_storage", &["storage_buffer_8bit_access"]),
    ("VK_KHR_acceleration_structure", &["acceleration_structure", "buffer_device_address", "descriptor_binding_acceleration_structure_update_after_bind"]),
    ("VK_KHR_buffer_device_address", &["buffer_device_address"]),
    ("VK_KHR_compute_shader_derivatives", &["compute_derivative_group_linear"]),
    ("VK_KHR_cooperative_matrix", &["cooperative_matrix"]),
    ("VK_KHR_copy_memory_indirect", &["indirect_memory_copy"]),
    ("VK_KHR_depth_clamp_zero_one", &["depth_clamp_zero_one"]),
    ("VK_KHR_device_fault", &["device_fault"]),
    ("VK_KHR_dynamic_rendering", &["dynamic_rendering"]),
    ("VK_KHR_dynamic_rendering_local_read", &["dynamic_rendering_local_read"]),
    ("VK_KHR_fragment_shader_barycentric", &["fragment_shader_barycentric"]),
    ("VK_KHR_fragment_shading_rate", &["pipeline_fragment_shading_rate"]),
    ("VK_KHR_global_priority", &["global_priority_query"]),
    ("VK_KHR_imageless_framebuffer", &["imageless_framebuffer"]),
    ("VK_KHR_index_type_uint8", &["index_type_uint8"]),
    ("VK_KHR_internally_synchronized_queues", &["internally_synchronized_queues"]),
    ("VK_KHR_line_rasterization", &["rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines"]),
    ("VK_KHR_maintenance10", &["maintenance10"]),
    ("VK_KHR_maintenance4", &["maintenance4"]),
    ("VK_KHR_maintenance5", &["maintenance5"]),
    ("VK_KHR_maintenance6", &["maintenance6"]),
    ("VK_KHR_maintenance7", &["maintenance7"]),
    ("VK_KHR_maintenance8", &["maintenance8"]),
    ("VK_KHR_maintenance9", &["maintenance9"]),
    ("VK_KHR_multiview", &["multiview"]),
    ("VK_KHR_opacity_micromap", &["micromap"]),
    ("VK_KHR_performance_query", &["performance_counter_query_pools"]),
    ("VK_KHR_pipeline_binary", &["pipeline_binaries"]),
    ("VK_KHR_pipeline_executable_properties", &["pipeline_executable_info"]),
    ("VK_KHR_present_id", &["present_id"]),
    ("VK_KHR_present_id2", &["present_id2"]),
    ("VK_KHR_present_mode_fifo_latest_ready", &["present_mode_fifo_latest_ready"]),
    ("VK_KHR_present_wait", &["present_wait"]),
    ("VK_KHR_present_wait2", &["present_wait2"]),
    ("VK_KHR_ray_query", &["ray_query"]),
    ("VK_KHR_ray_tracing_maintenance1", &["ray_tracing_maintenance1"]),
    ("VK_KHR_ray_tracing_pipeline", &["ray_tracing_pipeline", "ray_tracing_pipeline_trace_rays_indirect"]),
    ("VK_KHR_ray_tracing_position_fetch", &["ray_tracing_position_fetch"]),
    ("VK_KHR_robustness2", &["robust_buffer_access2 robust_image_access2 null_descriptor"]),
    ("VK_KHR_sampler_ycbcr_conversion", &["sampler_ycbcr_conversion"]),
    ("VK_KHR_separate_depth_stencil_layouts", &["separate_depth_stencil_layouts"]),
    ("VK_KHR_shader_atomic_int64", &["shader_buffer_int64_atomics"]),
    ("VK_KHR_shader_bfloat16", &["shader_b_float16_type", "shader_b_float16_cooperative_matrix shader_b_float_16dot_product"]),
    ("VK_KHR_shader_clock", &["shader_subgroup_clock"]),
    ("VK_KHR_shader_expect_assume", &["shader_expect_assume"]),
    ("VK_KHR_shader_float16_int8", &["shader_float16 shader_int8"]),
    ("VK_KHR_shader_float_controls2", &["shader_float_controls2"]),
    ("VK_KHR_shader_fma", &["shader_fma_float32"]),
    ("VK_KHR_shader_integer_dot_product", &["shader_integer_dot_product"]),
    ("VK_KHR_shader_maximal_reconvergence", &["shader_maximal_reconvergence"]),
    ("VK_KHR_shader_quad_control", &["shader_quad_control"]),
    ("VK_KHR_shader_relaxed_extended_instruction", &["shader_relaxed_extended_instruction"]),
    ("VK_KHR_shader_subgroup_extended_types", &["shader_subgroup_extended_types"]),
    ("VK_KHR_shader_subgroup_rotate", &["shader_subgroup_rotate"]),
    ("VK_KHR_shader_subgroup_uniform_control_flow", &["shader_subgroup_uniform_control_flow"]),
    ("VK_KHR_shader_terminate_invocation", &["shader_terminate_invocation"]),
    ("VK_KHR_shader_untyped_pointers", &["shader_untyped_pointers"]),
    ("VK_KHR_swapchain_maintenance1", &["swapchain_maintenance1"]),
    ("VK_KHR_synchronization2", &["synchronization2"]),
    ("VK_KHR_timeline_semaphore", &["timeline_semaphore"]),
    ("VK_KHR_unified_image_layouts", &["unified_image_layouts"]),
    ("VK_KHR_uniform_buffer_standard_layout", &["uniform_buffer_standard_layout"]),
    ("VK_KHR_variable_pointers", &["variable_pointers_storage_buffer"]),
    ("VK_KHR_vertex_attribute_divisor", &["vertex_attribute_instance_rate_divisor"]),
    ("VK_KHR_video_decode_vp9", &["video_decode_vp9"]),
    ("VK_KHR_video_encode_av1", &["video_encode_av1"]),
    ("VK_KHR_video_encode_intra_refresh", &["video_encode_intra_refresh"]),
    ("VK_KHR_video_encode_quantization_map", &["video_encode_quantization_map"]),
    ("VK_KHR_video_maintenance1", &["video_maintenance1"]),
    ("VK_KHR_video_maintenance2", &["video_maintenance2"]),
    ("VK_KHR_vulkan_memory_model", &["vulkan_memory_model"]),
    ("VK_KHR_workgroup_memory_explicit_layout", &["workgroup_memory_explicit_layout"]),
    ("VK_KHR_zero_initialize_workgroup_memory", &["shader_zero_initialize_workgroup_memory"]),
    ("VK_NV_compute_shader_derivatives", &["compute_derivative_group_quads compute_derivative_group_linear"]),
    ("VK_NV_cooperative_matrix2", &["cooperative_matrix_workgroup_scope cooperative_matrix_flexible_dimensions cooperative_matrix_reductions cooperative_matrix_conversions cooperative_matrix_per_element_operations cooperative_matrix_tensor_addressing cooperative_matrix_block_loads"]),
    ("VK_NV_cooperative_vector", &["cooperative_vector"]),
    ("VK_NV_geometry_shader_passthrough", &["geometry_shader"]),
];

/// Whether the device reports this version, or a later one.
fn reports(major: u32, minor: u32) -> bool {
    API_VERSION >= vk::make_version(major, minor, 0)
}

#[test]
fn the_reported_version_has_its_features() {
    let missing: Vec<_> = OF_VERSIONS
        .iter()
        .filter(|&&(major, minor, _)| reports(major, minor))
        .flat_map(|(_, _, features)| features.iter().filter(|feature| !is_on(feature)))
        .collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    let families = PhysicalDevice::default().queue_families();
    let is_other = |flags: vk::QueueFlags| {
        flags.contains(vk::QueueFlags::TRANSFER) && !flags.contains(vk::QueueFlags::GRAPHICS)
    };
    let uploads = is_on("host_image_copy") || families.iter().any(|family| is_other(family.queue_flags));
    assert!(uploads || !reports(1, 4), "1.4 asks for host image copies or a queue for transfers");
}

#[test]
fn features_bring_what_they_need() {
    for (feature, needed) in OF_FEATURES.iter().filter(|(feature, _)| is_on(feature)) {
        let missing: Vec<_> = needed.iter().filter(|needed| !is_on(needed)).collect();
        assert!(missing.is_empty(), "{feature} needs {missing:?}");
    }
}

#[test]
fn extensions_bring_their_features() {
    let has = |name: &str| DEVICE_EXTENSIONS.iter().any(|extension| extension.name == name);
    let lacking: Vec<_> = OF_EXTENSIONS
        .iter()
        .filter(|(name, _)| has(name))
        .flat_map(|(name, features)| features.iter().map(move |feature| (name, feature)))
        .filter(|(_, feature)| !feature.split(' ').any(is_on))
        .collect();
    assert!(lacking.is_empty(), "extensions without their features: {lacking:?}");
}

/// Checks one limit, with the version that asks for it.
macro_rules! limit {
    ($(($major:literal, $minor:literal): $value:expr, $relation:tt $wanted:expr;)*) => {
        $(if reports($major, $minor) {
            let (value, wanted) = ($value, $wanted);
            assert!(value $relation wanted, "{} is {value:?}, not {} {wanted:?}", stringify!($value), stringify!($relation));
        })*
    };
}

#[test]
fn limits_are_those_of_every_device() {
    let has = limits::limits();
    let multisampled = vk::SampleCountFlags::_1 | vk::SampleCountFlags::_4;
    assert_eq!(core_features().robust_buffer_access, vk::TRUE);
    limit! {
        (1, 0): has.max_image_dimension_1d, >= 4096;
        (1, 0): has.max_image_dimension_2d, >= 4096;
        (1, 0): has.max_image_dimension_3d, >= 256;
        (1, 0): has.max_image_dimension_cube, >= 4096;
        (1, 0): has.max_image_array_layers, >= 256;
        (1, 0): has.max_texel_buffer_elements, >= 65536;
        (1, 0): has.max_uniform_buffer_range, >= 16384;
        (1, 0): has.max_storage_buffer_range, >= 1 << 27;
        (1, 0): has.max_push_constants_size, >= 128;
        (1, 0): has.max_memory_allocation_count, >= 4096;
        (1, 0): has.max_sampler_allocation_count, >= 4000;
        (1, 0): has.buffer_image_granularity, <= 131072;
        (1, 0): has.max_bound_descriptor_sets, >= 4;
        (1, 0): has.max_per_stage_descriptor_samplers, >= 16;
        (1, 0): has.max_per_stage_descriptor_uniform_buffers, >= 12;
        (1, 0): has.max_per_stage_descriptor_storage_buffers, >= 4;
        (1, 0): has.max_per_stage_descriptor_sampled_images, >= 16;
        (1, 0): has.max_per_stage_descriptor_storage_images, >= 4;
        (1, 0): has.max_per_stage_descriptor_input_attachments, >= 4;
        (1, 0): has.max_per_stage_resources, >= 128;
        (1, 0): has.max_descriptor_set_samplers, >= 96;
        (1, 0): has.max_descriptor_set_uniform_buffers, >= 72;
        (1, 0): has.max_descriptor_set_uniform_buffers_dynamic, >= 8;
        (1, 0): has.max_descriptor_set_storage_buffers, >= 24;
        (1, 0): has.max_descriptor_set_storage_buffers_dynamic, >= 4;
        (1, 0): has.max_descriptor_set_sampled_images, >= 96;
        (1, 0): has.max_descriptor_set_storage_images, >= 24;
        (1, 0): has.max_descriptor_set_input_attachments, >= 4;
        (1, 0): has.max_vertex_input_attributes, >= 16;
        (1, 0): has.max_vertex_input_bindings, >= 16;
        (1, 0): has.max_vertex_input_attribute_offset, >= 2047;
        (1, 0): has.max_vertex_input_binding_stride, >= 2048;
        (1, 0): has.max_vertex_output_components, >= 64;
        (1, 0): has.max_fragment_input_components, >= 64;
        (1, 0): has.max_fragment_output_attachments, >= 4;
        (1, 0): has.max_fragment_combined_output_resources, >= 4;
        (1, 0): has.max_compute_shared_memory_size, >= 16384;
        (1, 0): has.max_compute_work_group_count.into_iter().min(), >= Some(65535);
        (1, 0): has.max_compute_work_group_invocations, >= 128;
        (1, 0): has.max_compute_work_group_size.into_iter().min(), >= Some(128);
        (1, 0): has.sub_pixel_precision_bits, >= 4;
        (1, 0): has.sub_texel_precision_bits, >= 4;
        (1, 0): has.mipmap_precision_bits, >= 4;
        (1, 0): has.max_draw_indexed_index_value, >= (1 << 24) - 1;
        (1, 0): has.max_draw_indirect_count, >= 65535;
        (1, 0): has.max_sampler_lod_bias, >= 2.0;
        (1, 0): has.max_sampler_anisotropy, >= 16.0;
        (1, 0): has.max_viewports, >= 16;
        (1, 0): has.max_viewport_dimensions.into_iter().min(), >= Some(has.max_framebuffer_width.max(4096));
        (1, 0): has.viewport_bounds_range[0], <= -2.0 * has.max_viewport_dimensions[0] as f32;
        (1, 0): has.viewport_bounds_range[1], >= 2.0 * has.max_viewport_dimensions[0] as f32 - 1.0;
        (1, 0): has.min_memory_map_alignment, >= 64;
        (1, 0): has.min_texel_buffer_offset_alignment, <= 256;
        (1, 0): has.min_uniform_buffer_offset_alignment, <= 256;
        (1, 0): has.min_storage_buffer_offset_alignment, <= 256;
        (1, 0): has.min_texel_offset, <= -8;
        (1, 0): has.max_texel_offset, >= 7;
        (1, 0): has.min_texel_gather_offset, <= -8;
        (1, 0): has.max_texel_gather_offset, >= 7;
        (1, 0): has.min_interpolation_offset, <= -0.5;
        (1, 0): has.max_interpolation_offset, >= 0.4375;
        (1, 0): has.sub_pixel_interpolation_offset_bits, >= 4;
        (1, 0): has.max_framebuffer_width.min(has.max_framebuffer_height), >= 4096;
        (1, 0): has.max_framebuffer_layers, >= 256;
        (1, 0): has.framebuffer_color_sample_counts & multisampled, == multisampled;
        (1, 0): has.framebuffer_depth_sample_counts & multisampled, == multisampled;
        (1, 0): has.framebuffer_stencil_sample_counts & multisampled, == multisampled;
        (1, 0): has.framebuffer_no_attachments_sample_counts & multisampled, == multisampled;
        (1, 0): has.max_color_attachments, >= 4;
        (1, 0): has.sampled_image_color_sample_counts & multisampled, == multisampled;
        (1, 0): has.sampled_image_depth_sample_counts & multisampled, == multisampled;
        (1, 0): has.sampled_image_stencil_sample_counts & multisampled, == multisampled;
        (1, 0): has.max_sample_mask_words, >= 1;
        (1, 0): has.max_clip_distances, >= 8;
        (1, 0): has.max_cull_distances, >= 8;
        (1, 0): has.max_combined_clip_and_cull_distances, >= 8;
        (1, 0): has.discrete_queue_priorities, >= 2;
        (1, 0): has.point_size_range[1], >= 64.0 - has.point_size_granularity;
        (1, 0): has.line_width_range[1], >= 8.0 - has.line_width_granularity;
        (1, 0): has.point_size_granularity.max(has.line_width_granularity), <= 1.0;
        (1, 0): has.non_coherent_atom_size, <= 256;
        (1, 4): has.max_image_dimension_1d, >= 8192;
        (1, 4): has.max_image_dimension_2d, >= 8192;
        (1, 4): has.max_image_dimension_3d, >= 512;
        (1, 4): has.max_image_dimension_cube, >= 8192;
        (1, 4): has.max_image_array_layers, >= 2048;
        (1, 4): has.max_uniform_buffer_range, >= 65536;
        (1, 4): has.max_push_constants_size, >= 256;
        (1, 4): has.buffer_image_granularity, <= 4096;
        (1, 4): has.max_bound_descriptor_sets, >= 7;
        (1, 4): has.max_per_stage_descriptor_samplers, >= 64;
        (1, 4): has.max_per_stage_descriptor_uniform_buffers, >= 15;
        (1, 4): has.max_per_stage_descriptor_storage_buffers, >= 30;
        (1, 4): has.max_per_stage_descriptor_sampled_images, >= 200;
        (1, 4): has.max_per_stage_descriptor_storage_images, >= 16;
        (1, 4): has.max_per_stage_resources, >= 200;
        (1, 4): has.max_descriptor_set_samplers, >= 576;
        (1, 4): has.max_descriptor_set_uniform_buffers, >= 90;
        (1, 4): has.max_descriptor_set_storage_buffers, >= 96;
        (1, 4): has.max_descriptor_set_sampled_images, >= 1800;
        (1, 4): has.max_descriptor_set_storage_images, >= 144;
        (1, 4): has.max_fragment_combined_output_resources, >= 16;
        (1, 4): has.max_compute_work_group_invocations, >= 256;
        (1, 4): has.max_compute_work_group_size[0].min(has.max_compute_work_group_size[1]), >= 256;
        (1, 4): has.sub_texel_precision_bits, >= 8;
        (1, 4): has.mipmap_precision_bits, >= 6;
        (1, 4): has.max_sampler_lod_bias, >= 14.0;
        (1, 4): has.max_viewport_dimensions[0].min(has.max_viewport_dimensions[1]), >= 7680;
        (1, 4): has.max_framebuffer_width.min(has.max_framebuffer_height), >= 7680;
        (1, 4): has.max_color_attachments, >= 8;
        (1, 4): has.timestamp_compute_and_graphics, == vk::TRUE;
        (1, 4): has.point_size_range[1], >= 256.0 - has.point_size_granularity;
        (1, 4): has.point_size_granularity, <= 0.125;
        (1, 4): has.line_width_granularity, <= 0.5;
        (1, 4): has.standard_sample_locations, == vk::TRUE;
    }
}

#[test]
fn limits_of_later_versions_hold() {
    let (has11, has12) = (properties::vulkan11(), properties::vulkan12());
    let (has13, has14) = (properties::vulkan13(), properties::vulkan14());
    let compute_and_fragment = vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::FRAGMENT;
    let subgroup_operations = vk::SubgroupFeatureFlags::BASIC
        | vk::SubgroupFeatureFlags::VOTE
        | vk::SubgroupFeatureFlags::ARITHMETIC
        | vk::SubgroupFeatureFlags::BALLOT
        | vk::SubgroupFeatureFlags::SHUFFLE
        | vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE
        | vk::SubgroupFeatureFlags::QUAD;
    let blocks = limits::MAX_INLINE_UNIFORM_BLOCKS;
    limit! {
        (1, 1): has11.max_multiview_view_count, >= 6;
        (1, 1): has11.max_multiview_instance_index, >= (1 << 27) - 1;
        (1, 1): has11.max_per_set_descriptors, >= 1024;
        (1, 1): has11.max_memory_allocation_size, >= 1 << 30;
        (1, 1): has11.subgroup_supported_stages & vk::ShaderStageFlags::COMPUTE, == vk::ShaderStageFlags::COMPUTE;
        (1, 2): has12.max_timeline_semaphore_value_difference, >= (1 << 31) - 1;
        (1, 2): has12.max_update_after_bind_descriptors_in_all_pools, >= 500_000;
        (1, 2): has12.max_per_stage_descriptor_update_after_bind_samplers, >= 500_000;
        (1, 2): has12.max_per_stage_descriptor_update_after_bind_storage_buffers, >= 500_000;
        (1, 2): has12.max_per_stage_descriptor_update_after_bind_sampled_images, >= 500_000;
        (1, 2): has12.max_per_stage_descriptor_update_after_bind_storage_images, >= 500_000;
        (1, 2): has12.max_per_stage_update_after_bind_resources, >= 500_000;
        (1, 2): has12.max_descriptor_set_update_after_bind_samplers, >= 500_000;
        (1, 2): has12.max_descriptor_set_update_after_bind_storage_buffers, >= 500_000;
        (1, 2): has12.max_descriptor_set_update_after_bind_sampled_images, >= 500_000;
        (1, 2): has12.max_descriptor_set_update_after_bind_storage_images, >= 500_000;
        (1, 3): has13.max_buffer_size, >= 1 << 30;
        (1, 3): has13.max_inline_uniform_block_size, >= 256;
        (1, 3): has13.max_inline_uniform_total_size, >= 256;
        (1, 3): has13.max_per_stage_descriptor_inline_uniform_blocks.min(blocks), >= 4;
        (1, 3): has13.max_descriptor_set_inline_uniform_blocks.min(blocks), >= 4;
        (1, 3): has13.max_compute_workgroup_subgroups, >= 1;
        (1, 3): has13.min_subgroup_size, <= has11.subgroup_size;
        (1, 3): has13.max_subgroup_size, >= has11.subgroup_size.max(1);
        (1, 4): has14.max_push_descriptors, >= 32;
        (1, 4): has14.max_vertex_attrib_divisor, >= 65535;
        (1, 4): has14.max_combined_image_sampler_descriptor_count, >= 1;
        (1, 4): has14.line_sub_pixel_precision_bits, >= 4;
        (1, 4): has11.subgroup_size, >= 4;
        (1, 4): has11.subgroup_supported_stages & compute_and_fragment, == compute_and_fragment;
        (1, 4): has11.subgroup_supported_operations & subgroup_operations, == subgroup_operations;
        (1, 4): has12.shader_signed_zero_inf_nan_preserve_float16, == vk::TRUE;
        (1, 4): has12.shader_signed_zero_inf_nan_preserve_float32, == vk::TRUE;
    }
}
