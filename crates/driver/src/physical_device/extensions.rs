//! The extensions, each with the version of its specification that is implemented.

/// An extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its name.
    pub name: &'static str,
    /// `specVersion`.
    pub version: u32,
}

const fn extension(name: &'static str, version: u32) -> Extension {
    Extension { name, version }
}

/// What an instance can be made with.
pub const INSTANCE_EXTENSIONS: &[Extension] = &[
    extension("VK_EXT_debug_report", 10),
    extension("VK_EXT_debug_utils", 2),
    extension("VK_EXT_headless_surface", 1),
    extension("VK_EXT_surface_maintenance1", 1),
    extension("VK_KHR_device_group_creation", 1),
    extension("VK_KHR_external_fence_capabilities", 1),
    extension("VK_KHR_external_memory_capabilities", 1),
    extension("VK_KHR_external_semaphore_capabilities", 1),
    extension("VK_KHR_get_physical_device_properties2", 2),
    extension("VK_KHR_get_surface_capabilities2", 1),
    extension("VK_KHR_surface", 25),
    extension("VK_KHR_surface_maintenance1", 1),
    extension("VK_KHR_xcb_surface", 6),
    extension("VK_KHR_xlib_surface", 6),
];

/// What a device can be made with.
pub const DEVICE_EXTENSIONS: &[Extension] = &[
    extension("VK_AMD_gcn_shader", 1),
    extension("VK_AMD_gpu_shader_half_float", 2),
    extension("VK_AMD_gpu_shader_int16", 2),
    extension("VK_AMD_shader_ballot", 1),
    extension("VK_AMD_shader_trinary_minmax", 1),
    extension("VK_ARM_rasterization_order_attachment_access", 1),
    extension("VK_EXT_4444_formats", 1),
    extension("VK_EXT_attachment_feedback_loop_dynamic_state", 1),
    extension("VK_EXT_attachment_feedback_loop_layout", 2),
    extension("VK_EXT_blend_operation_advanced", 2),
    extension("VK_EXT_border_color_swizzle", 1),
    extension("VK_EXT_buffer_device_address", 2),
    extension("VK_EXT_calibrated_timestamps", 2),
    extension("VK_EXT_color_write_enable", 1),
    extension("VK_EXT_conditional_rendering", 2),
    extension("VK_EXT_conservative_rasterization", 1),
    extension("VK_EXT_custom_border_color", 12),
    extension("VK_EXT_depth_bias_control", 1),
    extension("VK_EXT_depth_clamp_control", 1),
    extension("VK_EXT_depth_clamp_zero_one", 1),
    extension("VK_EXT_depth_clip_control", 1),
    extension("VK_EXT_depth_clip_enable", 1),
    extension("VK_EXT_depth_range_unrestricted", 1),
    extension("VK_EXT_descriptor_indexing", 2),
    extension("VK_EXT_device_fault", 2),
    extension("VK_EXT_dynamic_rendering_unused_attachments", 1),
    extension("VK_EXT_extended_dynamic_state", 1),
    extension("VK_EXT_extended_dynamic_state2", 1),
    extension("VK_EXT_extended_dynamic_state3", 2),
    extension("VK_EXT_external_memory_host", 1),
    extension("VK_EXT_fragment_shader_interlock", 1),
    extension("VK_EXT_global_priority", 2),
    extension("VK_EXT_global_priority_query", 1),
    extension("VK_EXT_graphics_pipeline_library", 1),
    extension("VK_EXT_host_image_copy", 1),
    extension("VK_EXT_host_query_reset", 1),
    extension("VK_EXT_image_2d_view_of_3d", 1),
    extension("VK_EXT_image_robustness", 1),
    extension("VK_EXT_image_sliced_view_of_3d", 1),
    extension("VK_EXT_image_view_min_lod", 1),
    extension("VK_EXT_index_type_uint8", 1),
    extension("VK_EXT_inline_uniform_block", 1),
    extension("VK_EXT_line_rasterization", 1),
    extension("VK_EXT_load_store_op_none", 1),
    extension("VK_EXT_memory_budget", 1),
    extension("VK_EXT_memory_priority", 1),
    extension("VK_EXT_multi_draw", 1),
    extension("VK_EXT_mutable_descriptor_type", 1),
    extension("VK_EXT_nested_command_buffer", 1),
    extension("VK_EXT_non_seamless_cube_map", 1),
    extension("VK_EXT_pageable_device_local_memory", 1),
    extension("VK_EXT_pipeline_creation_cache_control", 3),
    extension("VK_EXT_pipeline_creation_feedback", 1),
    extension("VK_EXT_pipeline_robustness", 1),
    extension("VK_EXT_post_depth_coverage", 1),
    extension("VK_EXT_primitive_topology_list_restart", 1),
    extension("VK_EXT_primitives_generated_query", 1),
    extension("VK_EXT_private_data", 1),
    extension("VK_EXT_provoking_vertex", 1),
    extension("VK_EXT_queue_family_foreign", 1),
    extension("VK_EXT_rasterization_order_attachment_access", 1),
    extension("VK_EXT_robustness2", 1),
    extension("VK_EXT_sampler_filter_minmax", 2),
    extension("VK_EXT_scalar_block_layout", 1),
    extension("VK_EXT_separate_stencil_usage", 1),
    extension("VK_EXT_shader_64bit_indexing", 1),
    extension("VK_EXT_shader_atomic_float", 1),
    extension("VK_EXT_shader_atomic_float2", 1),
    extension("VK_EXT_shader_demote_to_helper_invocation", 1),
    extension("VK_EXT_shader_float8", 1),
    extension("VK_EXT_shader_image_atomic_int64", 1),
    extension("VK_EXT_shader_long_vector", 1),
    extension("VK_EXT_shader_module_identifier", 1),
    extension("VK_EXT_shader_replicated_composites", 1),
    extension("VK_EXT_shader_stencil_export", 1),
    extension("VK_EXT_shader_subgroup_ballot", 1),
    extension("VK_EXT_shader_subgroup_partitioned", 1),
    extension("VK_EXT_shader_subgroup_vote", 1),
    extension("VK_EXT_shader_uniform_buffer_unsized_array", 1),
    extension("VK_EXT_shader_viewport_index_layer", 1),
    extension("VK_EXT_subgroup_size_control", 2),
    extension("VK_EXT_swapchain_maintenance1", 1),
    extension("VK_EXT_texel_buffer_alignment", 1),
    extension("VK_EXT_tooling_info", 1),
    extension("VK_EXT_transform_feedback", 1),
    extension("VK_EXT_validation_cache", 1),
    extension("VK_EXT_vertex_attribute_divisor", 3),
    extension("VK_EXT_vertex_input_dynamic_state", 2),
    extension("VK_EXT_ycbcr_2plane_444_formats", 1),
    extension("VK_EXT_ycbcr_image_arrays", 1),
    extension("VK_EXT_zero_initialize_device_memory", 1),
    extension("VK_GOOGLE_decorate_string", 1),
    extension("VK_GOOGLE_hlsl_functionality1", 1),
    extension("VK_GOOGLE_user_type", 1),
    extension("VK_INTEL_shader_integer_functions2", 1),
    extension("VK_KHR_16bit_storage", 1),
    extension("VK_KHR_8bit_storage", 1),
    extension("VK_KHR_bind_memory2", 1),
    extension("VK_KHR_buffer_device_address", 1),
    extension("VK_KHR_calibrated_timestamps", 1),
    extension("VK_KHR_compute_shader_derivatives", 1),
    extension("VK_KHR_copy_commands2", 1),
    extension("VK_KHR_create_renderpass2", 1),
    extension("VK_KHR_dedicated_allocation", 3),
    extension("VK_KHR_depth_clamp_zero_one", 1),
    extension("VK_KHR_depth_stencil_resolve", 1),
    extension("VK_KHR_descriptor_update_template", 1),
    extension("VK_KHR_device_group", 4),
    extension("VK_KHR_draw_indirect_count", 1),
    extension("VK_KHR_driver_properties", 1),
    extension("VK_KHR_dynamic_rendering", 1),
    extension("VK_KHR_dynamic_rendering_local_read", 1),
    extension("VK_KHR_external_fence", 1),
    extension("VK_KHR_external_fence_fd", 1),
    extension("VK_KHR_external_memory", 1),
    extension("VK_KHR_external_memory_fd", 1),
    extension("VK_KHR_external_semaphore", 1),
    extension("VK_KHR_external_semaphore_fd", 1),
    extension("VK_KHR_format_feature_flags2", 2),
    extension("VK_KHR_fragment_shader_barycentric", 1),
    extension("VK_KHR_get_memory_requirements2", 1),
    extension("VK_KHR_global_priority", 1),
    extension("VK_KHR_image_format_list", 1),
    extension("VK_KHR_imageless_framebuffer", 1),
    extension("VK_KHR_index_type_uint8", 1),
    extension("VK_KHR_line_rasterization", 1),
    extension("VK_KHR_load_store_op_none", 1),
    extension("VK_KHR_maintenance1", 2),
    extension("VK_KHR_maintenance2", 1),
    extension("VK_KHR_maintenance3", 1),
    extension("VK_KHR_maintenance4", 2),
    extension("VK_KHR_maintenance5", 1),
    extension("VK_KHR_maintenance6", 1),
    extension("VK_KHR_maintenance7", 1),
    extension("VK_KHR_maintenance8", 1),
    extension("VK_KHR_map_memory2", 1),
    extension("VK_KHR_multiview", 1),
    extension("VK_KHR_pipeline_binary", 1),
    extension("VK_KHR_pipeline_executable_properties", 1),
    extension("VK_KHR_pipeline_library", 1),
    extension("VK_KHR_present_id", 1),
    extension("VK_KHR_present_id2", 1),
    extension("VK_KHR_present_wait", 1),
    extension("VK_KHR_present_wait2", 1),
    extension("VK_KHR_push_descriptor", 2),
    extension("VK_KHR_relaxed_block_layout", 1),
    extension("VK_KHR_sampler_mirror_clamp_to_edge", 3),
    extension("VK_KHR_sampler_ycbcr_conversion", 14),
    extension("VK_KHR_separate_depth_stencil_layouts", 1),
    extension("VK_KHR_shader_atomic_int64", 1),
    extension("VK_KHR_shader_bfloat16", 1),
    extension("VK_KHR_shader_clock", 1),
    extension("VK_KHR_shader_draw_parameters", 1),
    extension("VK_KHR_shader_expect_assume", 1),
    extension("VK_KHR_shader_float16_int8", 1),
    extension("VK_KHR_shader_float_controls", 4),
    extension("VK_KHR_shader_float_controls2", 1),
    extension("VK_KHR_shader_fma", 1),
    extension("VK_KHR_shader_integer_dot_product", 1),
    extension("VK_KHR_shader_maximal_reconvergence", 1),
    extension("VK_KHR_shader_non_semantic_info", 1),
    extension("VK_KHR_shader_quad_control", 1),
    extension("VK_KHR_shader_relaxed_extended_instruction", 1),
    extension("VK_KHR_shader_subgroup_extended_types", 1),
    extension("VK_KHR_shader_subgroup_rotate", 2),
    extension("VK_KHR_shader_subgroup_uniform_control_flow", 1),
    extension("VK_KHR_shader_terminate_invocation", 1),
    extension("VK_KHR_shader_untyped_pointers", 1),
    extension("VK_KHR_spirv_1_4", 1),
    extension("VK_KHR_storage_buffer_storage_class", 1),
    extension("VK_KHR_swapchain", 70),
    extension("VK_KHR_swapchain_maintenance1", 1),
    extension("VK_KHR_synchronization2", 1),
    extension("VK_KHR_timeline_semaphore", 2),
    extension("VK_KHR_unified_image_layouts", 1),
    extension("VK_KHR_uniform_buffer_standard_layout", 1),
    extension("VK_KHR_variable_pointers", 1),
    extension("VK_KHR_vertex_attribute_divisor", 1),
    extension("VK_KHR_vulkan_memory_model", 3),
    extension("VK_KHR_workgroup_memory_explicit_layout", 1),
    extension("VK_KHR_zero_initialize_workgroup_memory", 1),
    extension("VK_NV_compute_shader_derivatives", 1),
    extension("VK_NV_raw_access_chains", 1),
    extension("VK_NV_shader_atomic_float16_vector", 1),
    extension("VK_NV_shader_subgroup_partitioned", 1),
    extension("VK_VALVE_mutable_descriptor_type", 1),
];

fn find(known: &'static [Extension], name: &str) -> Option<&'static Extension> {
    known.binary_search_by_key(&name, |extension| extension.name).ok().map(|index| &known[index])
}

/// The instance extension of this name.
pub fn of_instances(name: &str) -> Option<&'static Extension> {
    find(INSTANCE_EXTENSIONS, name)
}

/// The device extension of this name.
pub fn of_devices(name: &str) -> Option<&'static Extension> {
    find(DEVICE_EXTENSIONS, name)
}

/// Whether an instance or device extension of this name exists.
pub fn exists(name: &str) -> bool {
    of_instances(name).or_else(|| of_devices(name)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(INSTANCE_EXTENSIONS.is_sorted_by_key(|extension| extension.name));
        assert!(DEVICE_EXTENSIONS.is_sorted_by_key(|extension| extension.name));
    }
}
