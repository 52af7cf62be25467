//! What versions and extensions promise, held against what the device says (specification, "Feature
//! Requirements" and "Required Limits"; the registry's `feature` elements).

use super::extensions;
use super::features::{core_features, is_on};
use super::required_features::{DEPENDENCIES, REQUIRED_FEATURES};
use super::{PhysicalDevice, properties};
use crate::caps::limits::{self, API_VERSION};
use vulkanalia_sys as vk;

/// Whether the device reports this version, or a later one.
fn reports(major: u32, minor: u32) -> bool {
    API_VERSION >= vk::make_version(major, minor, 0)
}

/// Whether a version is reported, an extension exposed, or a feature on.
fn holds(name: &str) -> bool {
    if let Some(number) = name.strip_prefix("VK_VERSION_") {
        let (major, minor) = number.split_once('_').unwrap();
        return reports(major.parse().unwrap(), minor.parse().unwrap());
    }
    if name.starts_with("VK_") { extensions::exists(name) } else { is_on(name) }
}

/// Whether a condition is met: one of each list of alternatives.
fn is_met(condition: &[&[&str]]) -> bool {
    condition.iter().all(|names| names.iter().any(|name| holds(name)))
}

#[test]
fn versions_and_extensions_bring_their_features() {
    let asked = || REQUIRED_FEATURES.iter().filter(|(owner, condition, _)| holds(owner) && is_met(condition));
    let missing: Vec<_> = asked().filter(|(.., one_of)| !one_of.iter().any(|name| is_on(name))).collect();
    assert!(missing.is_empty(), "features that are not on: {missing:#?}");
    assert!(asked().count() > 250, "{}", asked().count());
    let families = PhysicalDevice::default().queue_families();
    let is_other = |flags: vk::QueueFlags| {
        flags.contains(vk::QueueFlags::TRANSFER) && !flags.contains(vk::QueueFlags::GRAPHICS)
    };
    let uploads = is_on("host_image_copy") || families.iter().any(|family| is_other(family.queue_flags));
    assert!(uploads || !reports(1, 4), "1.4 asks for host image copies or a queue for transfers");
}

#[test]
fn extensions_come_with_what_they_depend_on() {
    let lacking: Vec<_> = DEPENDENCIES.iter().filter(|(_, condition)| !is_met(condition)).collect();
    assert!(lacking.is_empty(), "extensions without what they depend on: {lacking:#?}");
}

/// Features that bring others with them, which the registry says in words only.
#[test]
fn features_bring_what_they_need() {
    const NEEDS: &[(&str, &str)] = &[
        ("robust_buffer_access2", "robust_buffer_access"),
        ("variable_pointers", "variable_pointers_storage_buffer"),
    ];
    for (feature, needed) in NEEDS {
        assert!(!is_on(feature) || is_on(needed), "{feature} needs {needed}");
    }
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
#[allow(clippy::too_many_lines, reason = "a table of limits")]
fn limits_meet_the_required_minimums() {
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
    let blocks = limits::INLINE_UNIFORM_BLOCKS_MAX;
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
