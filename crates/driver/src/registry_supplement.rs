//! What exposed extensions bring and the bindings do not have yet: handles, enumerants, structures
//! and commands' types.
//!
//! Names are those of the registry as the bindings would have them; constants keep the prefix of
//! their enumeration.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do
//! not edit.
#![allow(non_camel_case_types)]
#![allow(clippy::wildcard_imports)] // the bindings' types under their own names

use std::ffi::c_void;
use vulkanalia_sys::*;

/// `VK_DATA_GRAPH_TOSA_QUALITY_ACCELERATED_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const DATA_GRAPH_TOSA_QUALITY_ACCELERATED_ARM: u32 = 1 << 0;

/// `VK_DATA_GRAPH_TOSA_QUALITY_CONFORMANT_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const DATA_GRAPH_TOSA_QUALITY_CONFORMANT_ARM: u32 = 1 << 1;

/// `VK_DATA_GRAPH_TOSA_QUALITY_DEPRECATED_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const DATA_GRAPH_TOSA_QUALITY_DEPRECATED_ARM: u32 = 1 << 3;

/// `VK_DATA_GRAPH_TOSA_QUALITY_EXPERIMENTAL_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const DATA_GRAPH_TOSA_QUALITY_EXPERIMENTAL_ARM: u32 = 1 << 2;

/// `VK_PIPELINE_CREATE_2_INSTRUMENT_SHADERS_BIT_ARM` (`VK_ARM_shader_instrumentation`)
pub const PIPELINE_CREATE_2_INSTRUMENT_SHADERS_ARM: u64 = 1 << 39;

/// `VK_SHADER_CREATE_INSTRUMENT_SHADER_BIT_ARM` (`VK_ARM_shader_instrumentation`)
pub const SHADER_CREATE_INSTRUMENT_SHADER_ARM: u32 = 1 << 11;

/// `VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT` (`VK_EXT_cooperative_matrix_maintenance1`)
pub const COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_EXT: u32 = 1 << 0;

/// `VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT`
pub const SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT: u32 = 1 << 8;

/// `VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_2D_BIT_IMG` (`VK_IMG_filter_linear_2d`)
pub const FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_2D_IMG: u64 = 1 << 45;

/// `VK_ADDRESS_COMMAND_FULLY_BOUND_BIT_KHR` (`VK_KHR_device_address_commands`)
pub const ADDRESS_COMMAND_FULLY_BOUND_KHR: u32 = 1 << 1;

/// `VK_ADDRESS_COMMAND_PROTECTED_BIT_KHR` (`VK_KHR_device_address_commands`)
pub const ADDRESS_COMMAND_PROTECTED_KHR: u32 = 1 << 0;

/// `VK_ADDRESS_COMMAND_STORAGE_BUFFER_USAGE_BIT_KHR` (`VK_KHR_device_address_commands`)
pub const ADDRESS_COMMAND_STORAGE_BUFFER_USAGE_KHR: u32 = 1 << 2;

/// `VK_ADDRESS_COMMAND_TRANSFORM_FEEDBACK_BUFFER_USAGE_BIT_KHR` (`VK_KHR_device_address_commands`)
pub const ADDRESS_COMMAND_TRANSFORM_FEEDBACK_BUFFER_USAGE_KHR: u32 = 1 << 4;

/// `VK_ADDRESS_COMMAND_UNKNOWN_STORAGE_BUFFER_USAGE_BIT_KHR` (`VK_KHR_device_address_commands`)
pub const ADDRESS_COMMAND_UNKNOWN_STORAGE_BUFFER_USAGE_KHR: u32 = 1 << 3;

/// `VK_ADDRESS_COMMAND_UNKNOWN_TRANSFORM_FEEDBACK_BUFFER_USAGE_BIT_KHR` (`VK_KHR_device_address_commands`)
pub const ADDRESS_COMMAND_UNKNOWN_TRANSFORM_FEEDBACK_BUFFER_USAGE_KHR: u32 = 1 << 5;

/// `VK_DEVICE_FAULT_FLAG_DEVICE_LOST_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_FLAG_DEVICE_LOST_KHR: u32 = 1 << 0;

/// `VK_DEVICE_FAULT_FLAG_INSTRUCTION_ADDRESS_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_FLAG_INSTRUCTION_ADDRESS_KHR: u32 = 1 << 2;

/// `VK_DEVICE_FAULT_FLAG_MEMORY_ADDRESS_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_FLAG_MEMORY_ADDRESS_KHR: u32 = 1 << 1;

/// `VK_DEVICE_FAULT_FLAG_OVERFLOW_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_FLAG_OVERFLOW_KHR: u32 = 1 << 5;

/// `VK_DEVICE_FAULT_FLAG_VENDOR_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_FLAG_VENDOR_KHR: u32 = 1 << 3;

/// `VK_DEVICE_FAULT_FLAG_WATCHDOG_TIMEOUT_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_FLAG_WATCHDOG_TIMEOUT_KHR: u32 = 1 << 4;

/// `VK_BUFFER_USAGE_2_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR: u64 = 1 << 19;

/// `VK_BUFFER_USAGE_2_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_ACCELERATION_STRUCTURE_STORAGE_KHR: u64 = 1 << 20;

/// `VK_BUFFER_USAGE_2_CONDITIONAL_RENDERING_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_CONDITIONAL_RENDERING_EXT: u64 = 1 << 9;

/// `VK_BUFFER_USAGE_2_MICROMAP_BUILD_INPUT_READ_ONLY_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_MICROMAP_BUILD_INPUT_READ_ONLY_EXT: u64 = 1 << 23;

/// `VK_BUFFER_USAGE_2_MICROMAP_STORAGE_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_MICROMAP_STORAGE_EXT: u64 = 1 << 24;

/// `VK_BUFFER_USAGE_2_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_EXT: u64 = 1 << 26;

/// `VK_BUFFER_USAGE_2_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_RESOURCE_DESCRIPTOR_BUFFER_EXT: u64 = 1 << 22;

/// `VK_BUFFER_USAGE_2_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_SAMPLER_DESCRIPTOR_BUFFER_EXT: u64 = 1 << 21;

/// `VK_BUFFER_USAGE_2_SHADER_BINDING_TABLE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_SHADER_BINDING_TABLE_KHR: u64 = 1 << 10;

/// `VK_BUFFER_USAGE_2_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_TRANSFORM_FEEDBACK_BUFFER_EXT: u64 = 1 << 11;

/// `VK_BUFFER_USAGE_2_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT: u64 = 1 << 12;

/// `VK_BUFFER_USAGE_2_VIDEO_DECODE_DST_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_VIDEO_DECODE_DST_KHR: u64 = 1 << 14;

/// `VK_BUFFER_USAGE_2_VIDEO_DECODE_SRC_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_VIDEO_DECODE_SRC_KHR: u64 = 1 << 13;

/// `VK_BUFFER_USAGE_2_VIDEO_ENCODE_DST_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_VIDEO_ENCODE_DST_KHR: u64 = 1 << 15;

/// `VK_BUFFER_USAGE_2_VIDEO_ENCODE_SRC_BIT_KHR` (`VK_KHR_extended_flags`)
pub const BUFFER_USAGE_2_VIDEO_ENCODE_SRC_KHR: u64 = 1 << 16;

/// `VK_IMAGE_CREATE_2_2D_ARRAY_COMPATIBLE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_2D_ARRAY_COMPATIBLE_KHR: u32 = 1 << 5;

/// `VK_IMAGE_CREATE_2_2D_VIEW_COMPATIBLE_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_2D_VIEW_COMPATIBLE_EXT: u32 = 1 << 17;

/// `VK_IMAGE_CREATE_2_ALIAS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_ALIAS_KHR: u32 = 1 << 10;

/// `VK_IMAGE_CREATE_2_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_BLOCK_TEXEL_VIEW_COMPATIBLE_KHR: u32 = 1 << 7;

/// `VK_IMAGE_CREATE_2_CORNER_SAMPLED_BIT_NV` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_CORNER_SAMPLED_NV: u32 = 1 << 13;

/// `VK_IMAGE_CREATE_2_CUBE_COMPATIBLE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_CUBE_COMPATIBLE_KHR: u64 = 1 << 4;

/// `VK_IMAGE_CREATE_2_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT: u32 = 1 << 16;

/// `VK_IMAGE_CREATE_2_DISJOINT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_DISJOINT_KHR: u32 = 1 << 9;

/// `VK_IMAGE_CREATE_2_EXTENDED_USAGE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_EXTENDED_USAGE_KHR: u32 = 1 << 8;

/// `VK_IMAGE_CREATE_2_FRAGMENT_DENSITY_MAP_OFFSET_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_FRAGMENT_DENSITY_MAP_OFFSET_EXT: u32 = 1 << 15;

/// `VK_IMAGE_CREATE_2_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT: u32 = 1 << 18;

/// `VK_IMAGE_CREATE_2_MUTABLE_FORMAT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_MUTABLE_FORMAT_KHR: u64 = 1 << 3;

/// `VK_IMAGE_CREATE_2_PROTECTED_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_PROTECTED_KHR: u32 = 1 << 11;

/// `VK_IMAGE_CREATE_2_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT: u32 = 1 << 12;

/// `VK_IMAGE_CREATE_2_SPARSE_ALIASED_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_SPARSE_ALIASED_KHR: u64 = 1 << 2;

/// `VK_IMAGE_CREATE_2_SPARSE_BINDING_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_SPARSE_BINDING_KHR: u64 = 1 << 0;

/// `VK_IMAGE_CREATE_2_SPARSE_RESIDENCY_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_SPARSE_RESIDENCY_KHR: u64 = 1 << 1;

/// `VK_IMAGE_CREATE_2_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_SPLIT_INSTANCE_BIND_REGIONS_KHR: u32 = 1 << 6;

/// `VK_IMAGE_CREATE_2_SUBSAMPLED_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_SUBSAMPLED_EXT: u32 = 1 << 14;

/// `VK_IMAGE_CREATE_2_VIDEO_PROFILE_INDEPENDENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_CREATE_2_VIDEO_PROFILE_INDEPENDENT_KHR: u32 = 1 << 20;

/// `VK_IMAGE_USAGE_2_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_ATTACHMENT_FEEDBACK_LOOP_EXT: u32 = 1 << 19;

/// `VK_IMAGE_USAGE_2_COLOR_ATTACHMENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_COLOR_ATTACHMENT_KHR: u64 = 1 << 4;

/// `VK_IMAGE_USAGE_2_DEPTH_STENCIL_ATTACHMENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_DEPTH_STENCIL_ATTACHMENT_KHR: u64 = 1 << 5;

/// `VK_IMAGE_USAGE_2_FRAGMENT_DENSITY_MAP_BIT_EXT` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_FRAGMENT_DENSITY_MAP_EXT: u32 = 1 << 9;

/// `VK_IMAGE_USAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR: u32 = 1 << 8;

/// `VK_IMAGE_USAGE_2_HOST_TRANSFER_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_HOST_TRANSFER_KHR: u32 = 1 << 22;

/// `VK_IMAGE_USAGE_2_INPUT_ATTACHMENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_INPUT_ATTACHMENT_KHR: u64 = 1 << 7;

/// `VK_IMAGE_USAGE_2_INVOCATION_MASK_BIT_HUAWEI` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_INVOCATION_MASK_HUAWEI: u32 = 1 << 18;

/// `VK_IMAGE_USAGE_2_SAMPLED_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_SAMPLED_KHR: u64 = 1 << 2;

/// `VK_IMAGE_USAGE_2_SAMPLE_BLOCK_MATCH_BIT_QCOM` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_SAMPLE_BLOCK_MATCH_QCOM: u32 = 1 << 21;

/// `VK_IMAGE_USAGE_2_SAMPLE_WEIGHT_BIT_QCOM` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_SAMPLE_WEIGHT_QCOM: u32 = 1 << 20;

/// `VK_IMAGE_USAGE_2_STORAGE_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_STORAGE_KHR: u64 = 1 << 3;

/// `VK_IMAGE_USAGE_2_TENSOR_ALIASING_BIT_ARM` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_TENSOR_ALIASING_ARM: u32 = 1 << 23;

/// `VK_IMAGE_USAGE_2_TILE_MEMORY_BIT_QCOM` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_TILE_MEMORY_QCOM: u32 = 1 << 27;

/// `VK_IMAGE_USAGE_2_TRANSFER_DST_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_TRANSFER_DST_KHR: u64 = 1 << 1;

/// `VK_IMAGE_USAGE_2_TRANSFER_SRC_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_TRANSFER_SRC_KHR: u64 = 1 << 0;

/// `VK_IMAGE_USAGE_2_TRANSIENT_ATTACHMENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_TRANSIENT_ATTACHMENT_KHR: u64 = 1 << 6;

/// `VK_IMAGE_USAGE_2_VIDEO_DECODE_DPB_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_DECODE_DPB_KHR: u32 = 1 << 12;

/// `VK_IMAGE_USAGE_2_VIDEO_DECODE_DST_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_DECODE_DST_KHR: u32 = 1 << 10;

/// `VK_IMAGE_USAGE_2_VIDEO_DECODE_SRC_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_DECODE_SRC_KHR: u32 = 1 << 11;

/// `VK_IMAGE_USAGE_2_VIDEO_ENCODE_DPB_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_ENCODE_DPB_KHR: u32 = 1 << 15;

/// `VK_IMAGE_USAGE_2_VIDEO_ENCODE_DST_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_ENCODE_DST_KHR: u32 = 1 << 13;

/// `VK_IMAGE_USAGE_2_VIDEO_ENCODE_EMPHASIS_MAP_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_ENCODE_EMPHASIS_MAP_KHR: u32 = 1 << 26;

/// `VK_IMAGE_USAGE_2_VIDEO_ENCODE_QUANTIZATION_DELTA_MAP_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_ENCODE_QUANTIZATION_DELTA_MAP_KHR: u32 = 1 << 25;

/// `VK_IMAGE_USAGE_2_VIDEO_ENCODE_SRC_BIT_KHR` (`VK_KHR_extended_flags`)
pub const IMAGE_USAGE_2_VIDEO_ENCODE_SRC_KHR: u32 = 1 << 14;

/// `VK_PIPELINE_CREATE_2_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_CAPTURE_INTERNAL_REPRESENTATIONS_KHR: u64 = 1 << 7;

/// `VK_PIPELINE_CREATE_2_CAPTURE_STATISTICS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_CAPTURE_STATISTICS_KHR: u64 = 1 << 6;

/// `VK_PIPELINE_CREATE_2_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_COLOR_ATTACHMENT_FEEDBACK_LOOP_EXT: u64 = 1 << 25;

/// `VK_PIPELINE_CREATE_2_DEFER_COMPILE_BIT_NV` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_DEFER_COMPILE_NV: u64 = 1 << 5;

/// `VK_PIPELINE_CREATE_2_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_EXT: u64 = 1 << 26;

/// `VK_PIPELINE_CREATE_2_DESCRIPTOR_BUFFER_BIT_EXT` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_DESCRIPTOR_BUFFER_EXT: u64 = 1 << 29;

/// `VK_PIPELINE_CREATE_2_DISALLOW_OPACITY_MICROMAP_BIT_ARM` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_DISALLOW_OPACITY_MICROMAP_ARM: u64 = 1 << 37;

/// `VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_INDIRECT_BINDABLE_NV: u64 = 1 << 18;

/// `VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_LIBRARY_KHR: u64 = 1 << 11;

/// `VK_PIPELINE_CREATE_2_LINK_TIME_OPTIMIZATION_BIT_EXT` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_LINK_TIME_OPTIMIZATION_EXT: u64 = 1 << 10;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_BIT_NV` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_NV: u64 = 1 << 20;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_DISPLACEMENT_MICROMAP_BIT_NV` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_DISPLACEMENT_MICROMAP_NV: u64 = 1 << 28;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_KHR: u64 = 1 << 14;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_KHR: u64 = 1 << 15;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_KHR: u64 = 1 << 17;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_KHR: u64 = 1 << 16;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR: u64 = 1 << 19;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_KHR: u64 = 1 << 13;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_KHR: u64 = 1 << 12;

/// `VK_PIPELINE_CREATE_2_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_BIT_EXT` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT: u64 = 1 << 22;

/// `VK_PIPELINE_CREATE_2_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR: u64 = 1 << 21;

/// `VK_PIPELINE_CREATE_2_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT` (`VK_KHR_extended_flags`)
pub const PIPELINE_CREATE_2_RETAIN_LINK_TIME_OPTIMIZATION_INFO_EXT: u64 = 1 << 23;

/// `VK_IMAGE_CREATE_2_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR` (`VK_KHR_maintenance11`)
pub const IMAGE_CREATE_2_ALIAS_SINGLE_LAYER_DESCRIPTOR_KHR: u32 = 1 << 22;

/// `VK_IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR` (`VK_KHR_maintenance11`)
pub const IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_KHR: u32 = 1 << 22;

/// `VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT` (`VK_KHR_maintenance11`)
pub const PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_EXT: u32 = 1 << 1;

/// `VK_PIPELINE_LAYOUT_CREATE_NO_TASK_SHADER_BIT_KHR` (`VK_KHR_maintenance11`)
pub const PIPELINE_LAYOUT_CREATE_NO_TASK_SHADER_KHR: u32 = 1 << 2;

/// `VK_SHADER_CREATE_INDEPENDENT_SETS_BIT_KHR` (`VK_KHR_maintenance11`)
pub const SHADER_CREATE_INDEPENDENT_SETS_KHR: u32 = 1 << 18;

/// `VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_DISABLE_OPACITY_MICROMAPS_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const BUILD_ACCELERATION_STRUCTURE_ALLOW_DISABLE_OPACITY_MICROMAPS_KHR: u32 = 1 << 7;

/// `VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_OPACITY_MICROMAP_UPDATE_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const BUILD_ACCELERATION_STRUCTURE_ALLOW_OPACITY_MICROMAP_UPDATE_KHR: u32 = 1 << 6;

/// `VK_BUILD_ACCELERATION_STRUCTURE_MICROMAP_LOSSY_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const BUILD_ACCELERATION_STRUCTURE_MICROMAP_LOSSY_KHR: u32 = 1 << 10;

/// `VK_GEOMETRY_INSTANCE_DISABLE_OPACITY_MICROMAPS_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const GEOMETRY_INSTANCE_DISABLE_OPACITY_MICROMAPS_KHR: u32 = 1 << 5;

/// `VK_GEOMETRY_INSTANCE_FORCE_OPACITY_MICROMAP_2_STATE_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const GEOMETRY_INSTANCE_FORCE_OPACITY_MICROMAP_2_STATE_KHR: u32 = 1 << 4;

/// `VK_PIPELINE_CREATE_2_OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const PIPELINE_CREATE_2_OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_KHR: u64 = 1 << 41;

/// `VK_PIPELINE_CREATE_2_RAY_TRACING_OPACITY_MICROMAP_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const PIPELINE_CREATE_2_RAY_TRACING_OPACITY_MICROMAP_KHR: u64 = 1 << 24;

/// `VK_PIPELINE_CREATE_RAY_TRACING_OPACITY_MICROMAP_BIT_KHR` (`VK_KHR_opacity_micromap`)
pub const PIPELINE_CREATE_RAY_TRACING_OPACITY_MICROMAP_KHR: u32 = 1 << 24;

/// `VK_SHADER_CREATE_OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_BIT_EXT` (`VK_KHR_opacity_micromap`)
pub const SHADER_CREATE_OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_EXT: u32 = 1 << 12;

/// `VK_FORMAT_FEATURE_2_BLOCK_MATCHING_SXD_BIT_QCOM` (`VK_QCOM_image_processing3`)
pub const FORMAT_FEATURE_2_BLOCK_MATCHING_SXD_QCOM: u64 = 1 << 44;

/// `vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM`
pub type PFN_vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM =
    unsafe extern "system" fn(
        physical_device: PhysicalDevice,
        queue_family_index: u32,
        queue_family_data_graph_properties: *const QueueFamilyDataGraphPropertiesARM,
        properties: *mut BaseOutStructure,
    ) -> Result;

/// `vkCmdSetDispatchParametersARM` (`VK_ARM_scheduling_controls`)
pub type PFN_vkCmdSetDispatchParametersARM = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    dispatch_parameters: *const DispatchParametersARM,
);

/// `vkClearShaderInstrumentationMetricsARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkClearShaderInstrumentationMetricsARM =
    unsafe extern "system" fn(device: Device, instrumentation: ShaderInstrumentationARM);

/// `vkCmdBeginShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkCmdBeginShaderInstrumentationARM =
    unsafe extern "system" fn(command_buffer: CommandBuffer, instrumentation: ShaderInstrumentationARM);

/// `vkCmdEndShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkCmdEndShaderInstrumentationARM = unsafe extern "system" fn(command_buffer: CommandBuffer);

/// `vkCreateShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkCreateShaderInstrumentationARM = unsafe extern "system" fn(
    device: Device,
    create_info: *const ShaderInstrumentationCreateInfoARM,
    allocator: *const AllocationCallbacks,
    instrumentation: *mut ShaderInstrumentationARM,
) -> Result;

/// `vkDestroyShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkDestroyShaderInstrumentationARM = unsafe extern "system" fn(
    device: Device,
    instrumentation: ShaderInstrumentationARM,
    allocator: *const AllocationCallbacks,
);

/// `vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM = unsafe extern "system" fn(
    physical_device: PhysicalDevice,
    description_count: *mut u32,
    descriptions: *mut ShaderInstrumentationMetricDescriptionARM,
) -> Result;

/// `vkGetShaderInstrumentationValuesARM` (`VK_ARM_shader_instrumentation`)
pub type PFN_vkGetShaderInstrumentationValuesARM = unsafe extern "system" fn(
    device: Device,
    instrumentation: ShaderInstrumentationARM,
    metric_block_count: *mut u32,
    metric_values: *mut c_void,
    flags: ShaderInstrumentationValuesFlagsARM,
) -> Result;

/// `vkGetPhysicalDeviceCooperativeMatrixProperties2EXT` (`VK_EXT_cooperative_matrix_maintenance1`)
pub type PFN_vkGetPhysicalDeviceCooperativeMatrixProperties2EXT = unsafe extern "system" fn(
    physical_device: PhysicalDevice,
    cooperative_matrix_info: *const PhysicalDeviceCooperativeMatrixInfo2EXT,
    property_count: *mut u32,
    properties: *mut CooperativeMatrixProperties2EXT,
) -> Result;

/// `vkCmdDecompressMemoryEXT` (`VK_EXT_memory_decompression`)
pub type PFN_vkCmdDecompressMemoryEXT = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    decompress_memory_info_ext: *const DecompressMemoryInfoEXT,
);

/// `vkCmdSetPrimitiveRestartIndexEXT` (`VK_EXT_primitive_restart_index`)
pub type PFN_vkCmdSetPrimitiveRestartIndexEXT =
    unsafe extern "system" fn(command_buffer: CommandBuffer, primitive_restart_index: u32);

/// `vkCmdBeginConditionalRendering2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdBeginConditionalRendering2EXT = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    conditional_rendering_begin: *const ConditionalRenderingBeginInfo2EXT,
);

/// `vkCmdBeginTransformFeedback2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdBeginTransformFeedback2EXT = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    first_counter_range: u32,
    counter_range_count: u32,
    counter_infos: *const BindTransformFeedbackBuffer2InfoEXT,
);

/// `vkCmdBindIndexBuffer3KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdBindIndexBuffer3KHR =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const BindIndexBuffer3InfoKHR);

/// `vkCmdBindTransformFeedbackBuffers2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdBindTransformFeedbackBuffers2EXT = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    first_binding: u32,
    binding_count: u32,
    binding_infos: *const BindTransformFeedbackBuffer2InfoEXT,
);

/// `vkCmdBindVertexBuffers3KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdBindVertexBuffers3KHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    first_binding: u32,
    binding_count: u32,
    binding_infos: *const BindVertexBuffer3InfoKHR,
);

/// `vkCmdCopyImageToMemoryKHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdCopyImageToMemoryKHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    copy_memory_info: *const CopyDeviceMemoryImageInfoKHR,
);

/// `vkCmdCopyMemoryKHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdCopyMemoryKHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    copy_memory_info: *const CopyDeviceMemoryInfoKHR,
);

/// `vkCmdCopyMemoryToImageKHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdCopyMemoryToImageKHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    copy_memory_info: *const CopyDeviceMemoryImageInfoKHR,
);

/// `vkCmdCopyQueryPoolResultsToMemoryKHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdCopyQueryPoolResultsToMemoryKHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    query_pool: QueryPool,
    first_query: u32,
    query_count: u32,
    dst_range: *const StridedDeviceAddressRangeKHR,
    dst_flags: AddressCommandFlagsKHR,
    query_result_flags: QueryResultFlags,
);

/// `vkCmdDispatchIndirect2KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDispatchIndirect2KHR =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DispatchIndirect2InfoKHR);

/// `vkCmdDrawIndexedIndirect2KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawIndexedIndirect2KHR =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DrawIndirect2InfoKHR);

/// `vkCmdDrawIndexedIndirectCount2KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawIndexedIndirectCount2KHR =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DrawIndirectCount2InfoKHR);

/// `vkCmdDrawIndirect2KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawIndirect2KHR =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DrawIndirect2InfoKHR);

/// `vkCmdDrawIndirectByteCount2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawIndirectByteCount2EXT = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    instance_count: u32,
    first_instance: u32,
    counter_info: *const BindTransformFeedbackBuffer2InfoEXT,
    counter_offset: u32,
    vertex_stride: u32,
);

/// `vkCmdDrawIndirectCount2KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawIndirectCount2KHR =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DrawIndirectCount2InfoKHR);

/// `vkCmdDrawMeshTasksIndirect2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawMeshTasksIndirect2EXT =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DrawIndirect2InfoKHR);

/// `vkCmdDrawMeshTasksIndirectCount2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdDrawMeshTasksIndirectCount2EXT =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const DrawIndirectCount2InfoKHR);

/// `vkCmdEndTransformFeedback2EXT` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdEndTransformFeedback2EXT = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    first_counter_range: u32,
    counter_range_count: u32,
    counter_infos: *const BindTransformFeedbackBuffer2InfoEXT,
);

/// `vkCmdFillMemoryKHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdFillMemoryKHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    dst_range: *const DeviceAddressRangeKHR,
    dst_flags: AddressCommandFlagsKHR,
    data: u32,
);

/// `vkCmdUpdateMemoryKHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdUpdateMemoryKHR = unsafe extern "system" fn(
    command_buffer: CommandBuffer,
    dst_range: *const DeviceAddressRangeKHR,
    dst_flags: AddressCommandFlagsKHR,
    data_size: DeviceSize,
    data: *const c_void,
);

/// `vkCmdWriteMarkerToMemoryAMD` (`VK_KHR_device_address_commands`)
pub type PFN_vkCmdWriteMarkerToMemoryAMD =
    unsafe extern "system" fn(command_buffer: CommandBuffer, info: *const MemoryMarkerInfoAMD);

/// `vkCreateAccelerationStructure2KHR` (`VK_KHR_device_address_commands`)
pub type PFN_vkCreateAccelerationStructure2KHR = unsafe extern "system" fn(
    device: Device,
    create_info: *const AccelerationStructureCreateInfo2KHR,
    allocator: *const AllocationCallbacks,
    acceleration_structure: *mut AccelerationStructureKHR,
) -> Result;

/// `vkGetDeviceFaultDebugInfoKHR` (`VK_KHR_device_fault`)
pub type PFN_vkGetDeviceFaultDebugInfoKHR =
    unsafe extern "system" fn(device: Device, debug_info: *mut DeviceFaultDebugInfoKHR) -> Result;

/// `vkGetDeviceFaultReportsKHR` (`VK_KHR_device_fault`)
pub type PFN_vkGetDeviceFaultReportsKHR = unsafe extern "system" fn(
    device: Device,
    timeout: u64,
    fault_counts: *mut u32,
    fault_info: *mut DeviceFaultInfoKHR,
) -> Result;

/// `vkQueueSetPerfHintQCOM` (`VK_QCOM_queue_perf_hint`)
pub type PFN_vkQueueSetPerfHintQCOM =
    unsafe extern "system" fn(queue: Queue, perf_hint_info: *const PerfHintInfoQCOM) -> Result;

/// `VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM`
pub const STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM: StructureType =
    StructureType::from_raw(1000508000);

/// `VK_STRUCTURE_TYPE_DISPATCH_PARAMETERS_ARM` (`VK_ARM_scheduling_controls`)
pub const STRUCTURE_TYPE_DISPATCH_PARAMETERS_ARM: StructureType = StructureType::from_raw(1000417003);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCHEDULING_CONTROLS_DISPATCH_PARAMETERS_PROPERTIES_ARM`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SCHEDULING_CONTROLS_DISPATCH_PARAMETERS_PROPERTIES_ARM:
    StructureType = StructureType::from_raw(1000417004);

/// `VK_OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM` (`VK_ARM_shader_instrumentation`)
pub const OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM: ObjectType = ObjectType::from_raw(1000607000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM` (`VK_ARM_shader_instrumentation`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM: StructureType =
    StructureType::from_raw(1000607000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM: StructureType =
    StructureType::from_raw(1000607001);

/// `VK_STRUCTURE_TYPE_SHADER_INSTRUMENTATION_CREATE_INFO_ARM` (`VK_ARM_shader_instrumentation`)
pub const STRUCTURE_TYPE_SHADER_INSTRUMENTATION_CREATE_INFO_ARM: StructureType =
    StructureType::from_raw(1000607002);

/// `VK_STRUCTURE_TYPE_SHADER_INSTRUMENTATION_METRIC_DESCRIPTION_ARM` (`VK_ARM_shader_instrumentation`)
pub const STRUCTURE_TYPE_SHADER_INSTRUMENTATION_METRIC_DESCRIPTION_ARM: StructureType =
    StructureType::from_raw(1000607003);

/// `VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_2_EXT` (`VK_EXT_cooperative_matrix_maintenance1`)
pub const STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_2_EXT: StructureType =
    StructureType::from_raw(1000659002);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_INFO_2_EXT`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_INFO_2_EXT: StructureType =
    StructureType::from_raw(1000659001);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000659000);

/// `VK_STRUCTURE_TYPE_IMAGE_TILING_CONTROL_CREATE_INFO_EXT` (`VK_EXT_image_tiling_control`)
pub const STRUCTURE_TYPE_IMAGE_TILING_CONTROL_CREATE_INFO_EXT: StructureType =
    StructureType::from_raw(1000687001);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_TILING_CONTROL_FEATURES_EXT` (`VK_EXT_image_tiling_control`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_TILING_CONTROL_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000687000);

/// `VK_STRUCTURE_TYPE_DECOMPRESS_MEMORY_INFO_EXT` (`VK_EXT_memory_decompression`)
pub const STRUCTURE_TYPE_DECOMPRESS_MEMORY_INFO_EXT: StructureType = StructureType::from_raw(1000550002);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SWAPCHAIN_FEATURES_EXT`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SWAPCHAIN_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000616000);

/// `VK_STRUCTURE_TYPE_SWAPCHAIN_FLAGS_SURFACE_CAPABILITIES_EXT` (`VK_EXT_multisampled_render_to_swapchain`)
pub const STRUCTURE_TYPE_SWAPCHAIN_FLAGS_SURFACE_CAPABILITIES_EXT: StructureType =
    StructureType::from_raw(1000616001);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000678000);

/// `VK_COMPONENT_TYPE_FLOAT4_E2M1_EXT` (`VK_EXT_shader_ocp_microscaling_types`)
pub const COMPONENT_TYPE_FLOAT4_E2M1_EXT: ComponentTypeKHR = ComponentTypeKHR::from_raw(1000672002);

/// `VK_COMPONENT_TYPE_FLOAT6_E2M3_EXT` (`VK_EXT_shader_ocp_microscaling_types`)
pub const COMPONENT_TYPE_FLOAT6_E2M3_EXT: ComponentTypeKHR = ComponentTypeKHR::from_raw(1000672000);

/// `VK_COMPONENT_TYPE_FLOAT6_E3M2_EXT` (`VK_EXT_shader_ocp_microscaling_types`)
pub const COMPONENT_TYPE_FLOAT6_E3M2_EXT: ComponentTypeKHR = ComponentTypeKHR::from_raw(1000672001);

/// `VK_COMPONENT_TYPE_FLOAT8_UNSIGNED_E8M0_EXT` (`VK_EXT_shader_ocp_microscaling_types`)
pub const COMPONENT_TYPE_FLOAT8_UNSIGNED_E8M0_EXT: ComponentTypeKHR = ComponentTypeKHR::from_raw(1000672003);

/// `VK_COMPONENT_TYPE_MXINT8_EXT` (`VK_EXT_shader_ocp_microscaling_types`)
pub const COMPONENT_TYPE_MXINT8_EXT: ComponentTypeKHR = ComponentTypeKHR::from_raw(1000672004);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000672000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_FEATURES_EXT` (`VK_EXT_shader_split_barrier`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_FEATURES_EXT: StructureType =
    StructureType::from_raw(1000305000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_PROPERTIES_EXT` (`VK_EXT_shader_split_barrier`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_PROPERTIES_EXT: StructureType =
    StructureType::from_raw(1000305001);

/// `VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_2_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_2_KHR: StructureType =
    StructureType::from_raw(1000318015);

/// `VK_STRUCTURE_TYPE_BIND_INDEX_BUFFER_3_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_BIND_INDEX_BUFFER_3_INFO_KHR: StructureType = StructureType::from_raw(1000318007);

/// `VK_STRUCTURE_TYPE_BIND_TRANSFORM_FEEDBACK_BUFFER_2_INFO_EXT` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_BIND_TRANSFORM_FEEDBACK_BUFFER_2_INFO_EXT: StructureType =
    StructureType::from_raw(1000318013);

/// `VK_STRUCTURE_TYPE_BIND_VERTEX_BUFFER_3_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_BIND_VERTEX_BUFFER_3_INFO_KHR: StructureType = StructureType::from_raw(1000318008);

/// `VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT: StructureType =
    StructureType::from_raw(1000318012);

/// `VK_STRUCTURE_TYPE_COPY_DEVICE_MEMORY_IMAGE_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_COPY_DEVICE_MEMORY_IMAGE_INFO_KHR: StructureType =
    StructureType::from_raw(1000318003);

/// `VK_STRUCTURE_TYPE_COPY_DEVICE_MEMORY_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_COPY_DEVICE_MEMORY_INFO_KHR: StructureType = StructureType::from_raw(1000318001);

/// `VK_STRUCTURE_TYPE_DEVICE_MEMORY_COPY_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_DEVICE_MEMORY_COPY_KHR: StructureType = StructureType::from_raw(1000318000);

/// `VK_STRUCTURE_TYPE_DEVICE_MEMORY_IMAGE_COPY_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_DEVICE_MEMORY_IMAGE_COPY_KHR: StructureType = StructureType::from_raw(1000318002);

/// `VK_STRUCTURE_TYPE_DISPATCH_INDIRECT_2_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_DISPATCH_INDIRECT_2_INFO_KHR: StructureType = StructureType::from_raw(1000318011);

/// `VK_STRUCTURE_TYPE_DRAW_INDIRECT_2_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_DRAW_INDIRECT_2_INFO_KHR: StructureType = StructureType::from_raw(1000318009);

/// `VK_STRUCTURE_TYPE_DRAW_INDIRECT_COUNT_2_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_DRAW_INDIRECT_COUNT_2_INFO_KHR: StructureType = StructureType::from_raw(1000318010);

/// `VK_STRUCTURE_TYPE_MEMORY_MARKER_INFO_AMD` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_MEMORY_MARKER_INFO_AMD: StructureType = StructureType::from_raw(1000318014);

/// `VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR: StructureType = StructureType::from_raw(1000318004);

/// `VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR` (`VK_KHR_device_address_commands`)
pub const STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR: StructureType = StructureType::from_raw(1000318005);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_ADDRESS_COMMANDS_FEATURES_KHR`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_ADDRESS_COMMANDS_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000318006);

/// `VK_STRUCTURE_TYPE_DEVICE_FAULT_DEBUG_INFO_KHR` (`VK_KHR_device_fault`)
pub const STRUCTURE_TYPE_DEVICE_FAULT_DEBUG_INFO_KHR: StructureType = StructureType::from_raw(1000573003);

/// `VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_KHR` (`VK_KHR_device_fault`)
pub const STRUCTURE_TYPE_DEVICE_FAULT_INFO_KHR: StructureType = StructureType::from_raw(1000573002);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_KHR` (`VK_KHR_device_fault`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000573000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_PROPERTIES_KHR` (`VK_KHR_device_fault`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_PROPERTIES_KHR: StructureType =
    StructureType::from_raw(1000573001);

/// `VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_4_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_FORMAT_PROPERTIES_4_KHR: StructureType = StructureType::from_raw(1000668000);

/// `VK_STRUCTURE_TYPE_IMAGE_CREATE_FLAGS_2_CREATE_INFO_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_IMAGE_CREATE_FLAGS_2_CREATE_INFO_KHR: StructureType =
    StructureType::from_raw(1000668001);

/// `VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_2_CREATE_INFO_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_2_CREATE_INFO_KHR: StructureType =
    StructureType::from_raw(1000668005);

/// `VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR: StructureType =
    StructureType::from_raw(1000668002);

/// `VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_2_CREATE_INFO_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_IMAGE_VIEW_USAGE_2_CREATE_INFO_KHR: StructureType =
    StructureType::from_raw(1000668003);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_FLAGS_FEATURES_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_FLAGS_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000668004);

/// `VK_STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_2_KHR` (`VK_KHR_extended_flags`)
pub const STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_2_KHR: StructureType =
    StructureType::from_raw(1000668006);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR` (`VK_KHR_maintenance11`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000657000);

/// `VK_STRUCTURE_TYPE_QUEUE_FAMILY_OPTIMAL_IMAGE_TRANSFER_GRANULARITY_PROPERTIES_KHR`
pub const STRUCTURE_TYPE_QUEUE_FAMILY_OPTIMAL_IMAGE_TRANSFER_GRANULARITY_PROPERTIES_KHR: StructureType =
    StructureType::from_raw(1000657001);

/// `VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR` (`VK_KHR_opacity_micromap`)
pub const ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR: AccelerationStructureTypeKHR =
    AccelerationStructureTypeKHR::from_raw(1000623000);

/// `VK_GEOMETRY_TYPE_MICROMAP_KHR` (`VK_KHR_opacity_micromap`)
pub const GEOMETRY_TYPE_MICROMAP_KHR: GeometryTypeKHR = GeometryTypeKHR::from_raw(1000623000);

/// `VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MICROMAP_DATA_KHR` (`VK_KHR_opacity_micromap`)
pub const STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MICROMAP_DATA_KHR: StructureType =
    StructureType::from_raw(1000623002);

/// `VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR` (`VK_KHR_opacity_micromap`)
pub const STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR: StructureType =
    StructureType::from_raw(1000623003);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_FEATURES_KHR` (`VK_KHR_opacity_micromap`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000623000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_PROPERTIES_KHR` (`VK_KHR_opacity_micromap`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_PROPERTIES_KHR: StructureType =
    StructureType::from_raw(1000623001);

/// `VK_STRUCTURE_TYPE_DEVICE_FAULT_SHADER_ABORT_MESSAGE_INFO_KHR` (`VK_KHR_shader_abort`)
pub const STRUCTURE_TYPE_DEVICE_FAULT_SHADER_ABORT_MESSAGE_INFO_KHR: StructureType =
    StructureType::from_raw(1000233001);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ABORT_FEATURES_KHR` (`VK_KHR_shader_abort`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ABORT_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000233000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ABORT_PROPERTIES_KHR` (`VK_KHR_shader_abort`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ABORT_PROPERTIES_KHR: StructureType =
    StructureType::from_raw(1000233002);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CONSTANT_DATA_FEATURES_KHR` (`VK_KHR_shader_constant_data`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CONSTANT_DATA_FEATURES_KHR: StructureType =
    StructureType::from_raw(1000231000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV: StructureType =
    StructureType::from_raw(1000689000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_PROCESSING_3_FEATURES_QCOM` (`VK_QCOM_image_processing3`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_PROCESSING_3_FEATURES_QCOM: StructureType =
    StructureType::from_raw(1000303000);

/// `VK_STRUCTURE_TYPE_PERF_HINT_INFO_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const STRUCTURE_TYPE_PERF_HINT_INFO_QCOM: StructureType = StructureType::from_raw(1000302000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_PERF_HINT_FEATURES_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_PERF_HINT_FEATURES_QCOM: StructureType =
    StructureType::from_raw(1000302001);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_PERF_HINT_PROPERTIES_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_PERF_HINT_PROPERTIES_QCOM: StructureType =
    StructureType::from_raw(1000302002);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MULTIPLE_WAIT_QUEUES_FEATURES_QCOM`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MULTIPLE_WAIT_QUEUES_FEATURES_QCOM: StructureType =
    StructureType::from_raw(1000304000);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MULTIPLE_WAIT_QUEUES_PROPERTIES_QCOM`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MULTIPLE_WAIT_QUEUES_PROPERTIES_QCOM: StructureType =
    StructureType::from_raw(1000304001);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE`
pub const STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE: StructureType =
    StructureType::from_raw(1000673000);

/// `VkDataGraphTOSALevelARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub type DataGraphTOSALevelARM = i32;

/// `VkImageTilingControlEXT` (`VK_EXT_image_tiling_control`)
pub type ImageTilingControlEXT = i32;

/// `VkDeviceFaultAddressTypeKHR` (`VK_KHR_device_fault`)
pub type DeviceFaultAddressTypeKHR = i32;

/// `VkDeviceFaultVendorBinaryHeaderVersionKHR` (`VK_KHR_device_fault`)
pub type DeviceFaultVendorBinaryHeaderVersionKHR = i32;

/// `VkAccelerationStructureSerializedBlockTypeKHR` (`VK_KHR_opacity_micromap`)
pub type AccelerationStructureSerializedBlockTypeKHR = i32;

/// `VkOpacityMicromapFormatKHR` (`VK_KHR_opacity_micromap`)
pub type OpacityMicromapFormatKHR = i32;

/// `VkOpacityMicromapSpecialIndexKHR` (`VK_KHR_opacity_micromap`)
pub type OpacityMicromapSpecialIndexKHR = i32;

/// `VkPerfHintTypeQCOM` (`VK_QCOM_queue_perf_hint`)
pub type PerfHintTypeQCOM = i32;

/// `VkDataGraphTOSAQualityFlagsARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub type DataGraphTOSAQualityFlagsARM = u32;

/// `VkShaderInstrumentationValuesFlagsARM` (`VK_ARM_shader_instrumentation`)
pub type ShaderInstrumentationValuesFlagsARM = u32;

/// `VkCooperativeMatrixFlagsEXT` (`VK_EXT_cooperative_matrix_maintenance1`)
pub type CooperativeMatrixFlagsEXT = u32;

/// `VkAddressCommandFlagsKHR` (`VK_KHR_device_address_commands`)
pub type AddressCommandFlagsKHR = u32;

/// `VkDeviceFaultFlagsKHR` (`VK_KHR_device_fault`)
pub type DeviceFaultFlagsKHR = u32;

/// `VkFormatFeatureFlags4KHR` (`VK_KHR_extended_flags`)
pub type FormatFeatureFlags4KHR = u64;

/// `VkImageCreateFlags2KHR` (`VK_KHR_extended_flags`)
pub type ImageCreateFlags2KHR = u64;

/// `VkImageUsageFlags2KHR` (`VK_KHR_extended_flags`)
pub type ImageUsageFlags2KHR = u64;

/// `VkShaderInstrumentationARM` (`VK_ARM_shader_instrumentation`)
pub type ShaderInstrumentationARM = u64;

/// `VkDataGraphTOSANameQualityARM` (`VK_ARM_data_graph_instruction_set_tosa`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DataGraphTOSANameQualityARM {
    /// `name`
    pub name: StringArray<MAX_DATA_GRAPH_TOSA_NAME_SIZE_ARM>,
    /// `qualityFlags`
    pub quality_flags: DataGraphTOSAQualityFlagsARM,
}

/// `VkQueueFamilyDataGraphTOSAPropertiesARM` (`VK_ARM_data_graph_instruction_set_tosa`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct QueueFamilyDataGraphTOSAPropertiesARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `profileCount`
    pub profile_count: u32,
    /// `pProfiles`
    pub profiles: *const DataGraphTOSANameQualityARM,
    /// `extensionCount`
    pub extension_count: u32,
    /// `pExtensions`
    pub extensions: *const DataGraphTOSANameQualityARM,
    /// `level`
    pub level: DataGraphTOSALevelARM,
}

impl Default for QueueFamilyDataGraphTOSAPropertiesARM {
    fn default() -> QueueFamilyDataGraphTOSAPropertiesARM {
        QueueFamilyDataGraphTOSAPropertiesARM {
            s_type: STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM,
            next: std::ptr::null_mut(),
            profile_count: Default::default(),
            profiles: std::ptr::null(),
            extension_count: Default::default(),
            extensions: std::ptr::null(),
            level: Default::default(),
        }
    }
}

/// `VkDispatchParametersARM` (`VK_ARM_scheduling_controls`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DispatchParametersARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `workGroupBatchSize`
    pub work_group_batch_size: u32,
    /// `maxQueuedWorkGroupBatches`
    pub max_queued_work_group_batches: u32,
    /// `maxWarpsPerShaderCore`
    pub max_warps_per_shader_core: u32,
}

impl Default for DispatchParametersARM {
    fn default() -> DispatchParametersARM {
        DispatchParametersARM {
            s_type: STRUCTURE_TYPE_DISPATCH_PARAMETERS_ARM,
            next: std::ptr::null_mut(),
            work_group_batch_size: Default::default(),
            max_queued_work_group_batches: Default::default(),
            max_warps_per_shader_core: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM` (`VK_ARM_scheduling_controls`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `schedulingControlsMaxWarpsCount`
    pub scheduling_controls_max_warps_count: u32,
    /// `schedulingControlsMaxQueuedBatchesCount`
    pub scheduling_controls_max_queued_batches_count: u32,
    /// `schedulingControlsMaxWorkGroupBatchSize`
    pub scheduling_controls_max_work_group_batch_size: u32,
}

impl Default for PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM {
    fn default() -> PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM {
        PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SCHEDULING_CONTROLS_DISPATCH_PARAMETERS_PROPERTIES_ARM,
            next: std::ptr::null_mut(),
            scheduling_controls_max_warps_count: Default::default(),
            scheduling_controls_max_queued_batches_count: Default::default(),
            scheduling_controls_max_work_group_batch_size: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderInstrumentationFeaturesARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderInstrumentationFeaturesARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderInstrumentation`
    pub shader_instrumentation: Bool32,
}

impl Default for PhysicalDeviceShaderInstrumentationFeaturesARM {
    fn default() -> PhysicalDeviceShaderInstrumentationFeaturesARM {
        PhysicalDeviceShaderInstrumentationFeaturesARM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_FEATURES_ARM,
            next: std::ptr::null_mut(),
            shader_instrumentation: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderInstrumentationPropertiesARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderInstrumentationPropertiesARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `numMetrics`
    pub num_metrics: u32,
    /// `perBasicBlockGranularity`
    pub per_basic_block_granularity: Bool32,
}

impl Default for PhysicalDeviceShaderInstrumentationPropertiesARM {
    fn default() -> PhysicalDeviceShaderInstrumentationPropertiesARM {
        PhysicalDeviceShaderInstrumentationPropertiesARM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INSTRUMENTATION_PROPERTIES_ARM,
            next: std::ptr::null_mut(),
            num_metrics: Default::default(),
            per_basic_block_granularity: Default::default(),
        }
    }
}

/// `VkShaderInstrumentationCreateInfoARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ShaderInstrumentationCreateInfoARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
}

impl Default for ShaderInstrumentationCreateInfoARM {
    fn default() -> ShaderInstrumentationCreateInfoARM {
        ShaderInstrumentationCreateInfoARM {
            s_type: STRUCTURE_TYPE_SHADER_INSTRUMENTATION_CREATE_INFO_ARM,
            next: std::ptr::null_mut(),
        }
    }
}

/// `VkShaderInstrumentationMetricDataHeaderARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ShaderInstrumentationMetricDataHeaderARM {
    /// `resultIndex`
    pub result_index: u32,
    /// `resultSubIndex`
    pub result_sub_index: u32,
    /// `stages`
    pub stages: ShaderStageFlags,
    /// `basicBlockIndex`
    pub basic_block_index: u32,
}

/// `VkShaderInstrumentationMetricDescriptionARM` (`VK_ARM_shader_instrumentation`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ShaderInstrumentationMetricDescriptionARM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `name`
    pub name: StringArray<MAX_DESCRIPTION_SIZE>,
    /// `description`
    pub description: StringArray<MAX_DESCRIPTION_SIZE>,
}

impl Default for ShaderInstrumentationMetricDescriptionARM {
    fn default() -> ShaderInstrumentationMetricDescriptionARM {
        ShaderInstrumentationMetricDescriptionARM {
            s_type: STRUCTURE_TYPE_SHADER_INSTRUMENTATION_METRIC_DESCRIPTION_ARM,
            next: std::ptr::null_mut(),
            name: Default::default(),
            description: Default::default(),
        }
    }
}

/// `VkCooperativeMatrixProperties2EXT` (`VK_EXT_cooperative_matrix_maintenance1`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CooperativeMatrixProperties2EXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `MGranularity`
    pub m_granularity: u32,
    /// `NGranularity`
    pub n_granularity: u32,
    /// `KGranularity`
    pub k_granularity: u32,
    /// `AType`
    pub a_type: ComponentTypeKHR,
    /// `BType`
    pub b_type: ComponentTypeKHR,
    /// `CType`
    pub c_type: ComponentTypeKHR,
    /// `ResultType`
    pub result_type: ComponentTypeKHR,
}

impl Default for CooperativeMatrixProperties2EXT {
    fn default() -> CooperativeMatrixProperties2EXT {
        CooperativeMatrixProperties2EXT {
            s_type: STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_2_EXT,
            next: std::ptr::null_mut(),
            m_granularity: Default::default(),
            n_granularity: Default::default(),
            k_granularity: Default::default(),
            a_type: Default::default(),
            b_type: Default::default(),
            c_type: Default::default(),
            result_type: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceCooperativeMatrixInfo2EXT` (`VK_EXT_cooperative_matrix_maintenance1`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceCooperativeMatrixInfo2EXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `scope`
    pub scope: ScopeKHR,
    /// `invocations`
    pub invocations: u32,
    /// `subgroupSize`
    pub subgroup_size: u32,
    /// `flags`
    pub flags: CooperativeMatrixFlagsEXT,
}

impl Default for PhysicalDeviceCooperativeMatrixInfo2EXT {
    fn default() -> PhysicalDeviceCooperativeMatrixInfo2EXT {
        PhysicalDeviceCooperativeMatrixInfo2EXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_INFO_2_EXT,
            next: std::ptr::null(),
            scope: Default::default(),
            invocations: Default::default(),
            subgroup_size: Default::default(),
            flags: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT` (`VK_EXT_cooperative_matrix_maintenance1`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `cooperativeMatrixProperties2`
    pub cooperative_matrix_properties2: Bool32,
    /// `cooperativeMatrixReductions`
    pub cooperative_matrix_reductions: Bool32,
    /// `cooperativeMatrixConversions`
    pub cooperative_matrix_conversions: Bool32,
    /// `cooperativeMatrixPerElementOperations`
    pub cooperative_matrix_per_element_operations: Bool32,
    /// `cooperativeMatrixGetCoordinate`
    pub cooperative_matrix_get_coordinate: Bool32,
}

impl Default for PhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT {
    fn default() -> PhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT {
        PhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT,
            next: std::ptr::null_mut(),
            cooperative_matrix_properties2: Default::default(),
            cooperative_matrix_reductions: Default::default(),
            cooperative_matrix_conversions: Default::default(),
            cooperative_matrix_per_element_operations: Default::default(),
            cooperative_matrix_get_coordinate: Default::default(),
        }
    }
}

/// `VkImageTilingControlCreateInfoEXT` (`VK_EXT_image_tiling_control`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageTilingControlCreateInfoEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `tilingControl`
    pub tiling_control: ImageTilingControlEXT,
}

impl Default for ImageTilingControlCreateInfoEXT {
    fn default() -> ImageTilingControlCreateInfoEXT {
        ImageTilingControlCreateInfoEXT {
            s_type: STRUCTURE_TYPE_IMAGE_TILING_CONTROL_CREATE_INFO_EXT,
            next: std::ptr::null(),
            tiling_control: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceImageTilingControlFeaturesEXT` (`VK_EXT_image_tiling_control`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceImageTilingControlFeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `imageTilingControl`
    pub image_tiling_control: Bool32,
}

impl Default for PhysicalDeviceImageTilingControlFeaturesEXT {
    fn default() -> PhysicalDeviceImageTilingControlFeaturesEXT {
        PhysicalDeviceImageTilingControlFeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_TILING_CONTROL_FEATURES_EXT,
            next: std::ptr::null_mut(),
            image_tiling_control: Default::default(),
        }
    }
}

/// `VkDecompressMemoryInfoEXT` (`VK_EXT_memory_decompression`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DecompressMemoryInfoEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `decompressionMethod`
    pub decompression_method: u64,
    /// `regionCount`
    pub region_count: u32,
    /// `pRegions`
    pub regions: *const DecompressMemoryRegionEXT,
}

impl Default for DecompressMemoryInfoEXT {
    fn default() -> DecompressMemoryInfoEXT {
        DecompressMemoryInfoEXT {
            s_type: STRUCTURE_TYPE_DECOMPRESS_MEMORY_INFO_EXT,
            next: std::ptr::null(),
            decompression_method: Default::default(),
            region_count: Default::default(),
            regions: std::ptr::null(),
        }
    }
}

/// `VkPhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT` (`VK_EXT_multisampled_render_to_swapchain`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `multisampledRenderToSwapchain`
    pub multisampled_render_to_swapchain: Bool32,
}

impl Default for PhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT {
    fn default() -> PhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT {
        PhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SWAPCHAIN_FEATURES_EXT,
            next: std::ptr::null_mut(),
            multisampled_render_to_swapchain: Default::default(),
        }
    }
}

/// `VkSwapchainFlagsSurfaceCapabilitiesEXT` (`VK_EXT_multisampled_render_to_swapchain`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SwapchainFlagsSurfaceCapabilitiesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `swapchainSupportedFlags`
    pub swapchain_supported_flags: SwapchainCreateFlagsKHR,
}

impl Default for SwapchainFlagsSurfaceCapabilitiesEXT {
    fn default() -> SwapchainFlagsSurfaceCapabilitiesEXT {
        SwapchainFlagsSurfaceCapabilitiesEXT {
            s_type: STRUCTURE_TYPE_SWAPCHAIN_FLAGS_SURFACE_CAPABILITIES_EXT,
            next: std::ptr::null_mut(),
            swapchain_supported_flags: Default::default(),
        }
    }
}

/// `VkPhysicalDevicePrimitiveRestartIndexFeaturesEXT` (`VK_EXT_primitive_restart_index`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `primitiveRestartIndex`
    pub primitive_restart_index: Bool32,
}

impl Default for PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
    fn default() -> PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
        PhysicalDevicePrimitiveRestartIndexFeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_RESTART_INDEX_FEATURES_EXT,
            next: std::ptr::null_mut(),
            primitive_restart_index: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT` (`VK_EXT_shader_ocp_microscaling_types`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderFloat4`
    pub shader_float4: Bool32,
    /// `shaderFloat6`
    pub shader_float6: Bool32,
    /// `shaderFloat8UnsignedE8M0`
    pub shader_float8_unsigned_e8_m0: Bool32,
    /// `shaderMXInt8`
    pub shader_m_x_int8: Bool32,
}

impl Default for PhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
    fn default() -> PhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
        PhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT,
            next: std::ptr::null_mut(),
            shader_float4: Default::default(),
            shader_float6: Default::default(),
            shader_float8_unsigned_e8_m0: Default::default(),
            shader_m_x_int8: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderSplitBarrierFeaturesEXT` (`VK_EXT_shader_split_barrier`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderSplitBarrierFeaturesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderSplitBarrier`
    pub shader_split_barrier: Bool32,
}

impl Default for PhysicalDeviceShaderSplitBarrierFeaturesEXT {
    fn default() -> PhysicalDeviceShaderSplitBarrierFeaturesEXT {
        PhysicalDeviceShaderSplitBarrierFeaturesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_FEATURES_EXT,
            next: std::ptr::null_mut(),
            shader_split_barrier: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderSplitBarrierPropertiesEXT` (`VK_EXT_shader_split_barrier`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderSplitBarrierPropertiesEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `splitBarrierReservedSharedMemory`
    pub split_barrier_reserved_shared_memory: u32,
}

impl Default for PhysicalDeviceShaderSplitBarrierPropertiesEXT {
    fn default() -> PhysicalDeviceShaderSplitBarrierPropertiesEXT {
        PhysicalDeviceShaderSplitBarrierPropertiesEXT {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_PROPERTIES_EXT,
            next: std::ptr::null_mut(),
            split_barrier_reserved_shared_memory: Default::default(),
        }
    }
}

/// `VkAccelerationStructureCreateInfo2KHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AccelerationStructureCreateInfo2KHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `createFlags`
    pub create_flags: AccelerationStructureCreateFlagsKHR,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
    /// `type`
    pub type_: AccelerationStructureTypeKHR,
}

impl Default for AccelerationStructureCreateInfo2KHR {
    fn default() -> AccelerationStructureCreateInfo2KHR {
        AccelerationStructureCreateInfo2KHR {
            s_type: STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_2_KHR,
            next: std::ptr::null(),
            create_flags: Default::default(),
            address_range: Default::default(),
            address_flags: Default::default(),
            type_: Default::default(),
        }
    }
}

/// `VkBindIndexBuffer3InfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BindIndexBuffer3InfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
    /// `indexType`
    pub index_type: IndexType,
}

impl Default for BindIndexBuffer3InfoKHR {
    fn default() -> BindIndexBuffer3InfoKHR {
        BindIndexBuffer3InfoKHR {
            s_type: STRUCTURE_TYPE_BIND_INDEX_BUFFER_3_INFO_KHR,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
            index_type: Default::default(),
        }
    }
}

/// `VkBindTransformFeedbackBuffer2InfoEXT` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BindTransformFeedbackBuffer2InfoEXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
}

impl Default for BindTransformFeedbackBuffer2InfoEXT {
    fn default() -> BindTransformFeedbackBuffer2InfoEXT {
        BindTransformFeedbackBuffer2InfoEXT {
            s_type: STRUCTURE_TYPE_BIND_TRANSFORM_FEEDBACK_BUFFER_2_INFO_EXT,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
        }
    }
}

/// `VkBindVertexBuffer3InfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BindVertexBuffer3InfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `setStride`
    pub set_stride: Bool32,
    /// `addressRange`
    pub address_range: StridedDeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
}

impl Default for BindVertexBuffer3InfoKHR {
    fn default() -> BindVertexBuffer3InfoKHR {
        BindVertexBuffer3InfoKHR {
            s_type: STRUCTURE_TYPE_BIND_VERTEX_BUFFER_3_INFO_KHR,
            next: std::ptr::null(),
            set_stride: Default::default(),
            address_range: Default::default(),
            address_flags: Default::default(),
        }
    }
}

/// `VkConditionalRenderingBeginInfo2EXT` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ConditionalRenderingBeginInfo2EXT {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
    /// `flags`
    pub flags: ConditionalRenderingFlagsEXT,
}

impl Default for ConditionalRenderingBeginInfo2EXT {
    fn default() -> ConditionalRenderingBeginInfo2EXT {
        ConditionalRenderingBeginInfo2EXT {
            s_type: STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
            flags: Default::default(),
        }
    }
}

/// `VkCopyDeviceMemoryImageInfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopyDeviceMemoryImageInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `image`
    pub image: Image,
    /// `regionCount`
    pub region_count: u32,
    /// `pRegions`
    pub regions: *const DeviceMemoryImageCopyKHR,
}

impl Default for CopyDeviceMemoryImageInfoKHR {
    fn default() -> CopyDeviceMemoryImageInfoKHR {
        CopyDeviceMemoryImageInfoKHR {
            s_type: STRUCTURE_TYPE_COPY_DEVICE_MEMORY_IMAGE_INFO_KHR,
            next: std::ptr::null(),
            image: Default::default(),
            region_count: Default::default(),
            regions: std::ptr::null(),
        }
    }
}

/// `VkCopyDeviceMemoryInfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopyDeviceMemoryInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `regionCount`
    pub region_count: u32,
    /// `pRegions`
    pub regions: *const DeviceMemoryCopyKHR,
}

impl Default for CopyDeviceMemoryInfoKHR {
    fn default() -> CopyDeviceMemoryInfoKHR {
        CopyDeviceMemoryInfoKHR {
            s_type: STRUCTURE_TYPE_COPY_DEVICE_MEMORY_INFO_KHR,
            next: std::ptr::null(),
            region_count: Default::default(),
            regions: std::ptr::null(),
        }
    }
}

/// `VkDeviceAddressRangeKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceAddressRangeKHR {
    /// `address`
    pub address: DeviceAddress,
    /// `size`
    pub size: DeviceSize,
}

/// `VkDeviceMemoryCopyKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceMemoryCopyKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `srcRange`
    pub src_range: DeviceAddressRangeKHR,
    /// `srcFlags`
    pub src_flags: AddressCommandFlagsKHR,
    /// `dstRange`
    pub dst_range: DeviceAddressRangeKHR,
    /// `dstFlags`
    pub dst_flags: AddressCommandFlagsKHR,
}

impl Default for DeviceMemoryCopyKHR {
    fn default() -> DeviceMemoryCopyKHR {
        DeviceMemoryCopyKHR {
            s_type: STRUCTURE_TYPE_DEVICE_MEMORY_COPY_KHR,
            next: std::ptr::null(),
            src_range: Default::default(),
            src_flags: Default::default(),
            dst_range: Default::default(),
            dst_flags: Default::default(),
        }
    }
}

/// `VkDeviceMemoryImageCopyKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceMemoryImageCopyKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
    /// `addressRowLength`
    pub address_row_length: u32,
    /// `addressImageHeight`
    pub address_image_height: u32,
    /// `imageSubresource`
    pub image_subresource: ImageSubresourceLayers,
    /// `imageLayout`
    pub image_layout: ImageLayout,
    /// `imageOffset`
    pub image_offset: Offset3D,
    /// `imageExtent`
    pub image_extent: Extent3D,
}

impl Default for DeviceMemoryImageCopyKHR {
    fn default() -> DeviceMemoryImageCopyKHR {
        DeviceMemoryImageCopyKHR {
            s_type: STRUCTURE_TYPE_DEVICE_MEMORY_IMAGE_COPY_KHR,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
            address_row_length: Default::default(),
            address_image_height: Default::default(),
            image_subresource: Default::default(),
            image_layout: Default::default(),
            image_offset: Default::default(),
            image_extent: Default::default(),
        }
    }
}

/// `VkDispatchIndirect2InfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DispatchIndirect2InfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
}

impl Default for DispatchIndirect2InfoKHR {
    fn default() -> DispatchIndirect2InfoKHR {
        DispatchIndirect2InfoKHR {
            s_type: STRUCTURE_TYPE_DISPATCH_INDIRECT_2_INFO_KHR,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
        }
    }
}

/// `VkDrawIndirect2InfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DrawIndirect2InfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: StridedDeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
    /// `drawCount`
    pub draw_count: u32,
}

impl Default for DrawIndirect2InfoKHR {
    fn default() -> DrawIndirect2InfoKHR {
        DrawIndirect2InfoKHR {
            s_type: STRUCTURE_TYPE_DRAW_INDIRECT_2_INFO_KHR,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
            draw_count: Default::default(),
        }
    }
}

/// `VkDrawIndirectCount2InfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DrawIndirectCount2InfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `addressRange`
    pub address_range: StridedDeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
    /// `countAddressRange`
    pub count_address_range: DeviceAddressRangeKHR,
    /// `countAddressFlags`
    pub count_address_flags: AddressCommandFlagsKHR,
    /// `maxDrawCount`
    pub max_draw_count: u32,
}

impl Default for DrawIndirectCount2InfoKHR {
    fn default() -> DrawIndirectCount2InfoKHR {
        DrawIndirectCount2InfoKHR {
            s_type: STRUCTURE_TYPE_DRAW_INDIRECT_COUNT_2_INFO_KHR,
            next: std::ptr::null(),
            address_range: Default::default(),
            address_flags: Default::default(),
            count_address_range: Default::default(),
            count_address_flags: Default::default(),
            max_draw_count: Default::default(),
        }
    }
}

/// `VkMemoryMarkerInfoAMD` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryMarkerInfoAMD {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `stage`
    pub stage: PipelineStageFlags2KHR,
    /// `dstRange`
    pub dst_range: DeviceAddressRangeKHR,
    /// `dstFlags`
    pub dst_flags: AddressCommandFlagsKHR,
    /// `marker`
    pub marker: u32,
}

impl Default for MemoryMarkerInfoAMD {
    fn default() -> MemoryMarkerInfoAMD {
        MemoryMarkerInfoAMD {
            s_type: STRUCTURE_TYPE_MEMORY_MARKER_INFO_AMD,
            next: std::ptr::null(),
            stage: Default::default(),
            dst_range: Default::default(),
            dst_flags: Default::default(),
            marker: Default::default(),
        }
    }
}

/// `VkMemoryRangeBarrierKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryRangeBarrierKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `srcStageMask`
    pub src_stage_mask: PipelineStageFlags2,
    /// `srcAccessMask`
    pub src_access_mask: AccessFlags2,
    /// `dstStageMask`
    pub dst_stage_mask: PipelineStageFlags2,
    /// `dstAccessMask`
    pub dst_access_mask: AccessFlags2,
    /// `srcQueueFamilyIndex`
    pub src_queue_family_index: u32,
    /// `dstQueueFamilyIndex`
    pub dst_queue_family_index: u32,
    /// `addressRange`
    pub address_range: DeviceAddressRangeKHR,
    /// `addressFlags`
    pub address_flags: AddressCommandFlagsKHR,
}

impl Default for MemoryRangeBarrierKHR {
    fn default() -> MemoryRangeBarrierKHR {
        MemoryRangeBarrierKHR {
            s_type: STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR,
            next: std::ptr::null(),
            src_stage_mask: Default::default(),
            src_access_mask: Default::default(),
            dst_stage_mask: Default::default(),
            dst_access_mask: Default::default(),
            src_queue_family_index: Default::default(),
            dst_queue_family_index: Default::default(),
            address_range: Default::default(),
            address_flags: Default::default(),
        }
    }
}

/// `VkMemoryRangeBarriersInfoKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryRangeBarriersInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `memoryRangeBarrierCount`
    pub memory_range_barrier_count: u32,
    /// `pMemoryRangeBarriers`
    pub memory_range_barriers: *const MemoryRangeBarrierKHR,
}

impl Default for MemoryRangeBarriersInfoKHR {
    fn default() -> MemoryRangeBarriersInfoKHR {
        MemoryRangeBarriersInfoKHR {
            s_type: STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR,
            next: std::ptr::null(),
            memory_range_barrier_count: Default::default(),
            memory_range_barriers: std::ptr::null(),
        }
    }
}

/// `VkPhysicalDeviceDeviceAddressCommandsFeaturesKHR` (`VK_KHR_device_address_commands`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceDeviceAddressCommandsFeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `deviceAddressCommands`
    pub device_address_commands: Bool32,
}

impl Default for PhysicalDeviceDeviceAddressCommandsFeaturesKHR {
    fn default() -> PhysicalDeviceDeviceAddressCommandsFeaturesKHR {
        PhysicalDeviceDeviceAddressCommandsFeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_ADDRESS_COMMANDS_FEATURES_KHR,
            next: std::ptr::null_mut(),
            device_address_commands: Default::default(),
        }
    }
}

/// `VkDeviceFaultAddressInfoKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceFaultAddressInfoKHR {
    /// `addressType`
    pub address_type: DeviceFaultAddressTypeEXT,
    /// `reportedAddress`
    pub reported_address: DeviceAddress,
    /// `addressPrecision`
    pub address_precision: DeviceSize,
}

/// `VkDeviceFaultDebugInfoKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceFaultDebugInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `vendorBinarySize`
    pub vendor_binary_size: u32,
    /// `pVendorBinaryData`
    pub vendor_binary_data: *mut c_void,
}

impl Default for DeviceFaultDebugInfoKHR {
    fn default() -> DeviceFaultDebugInfoKHR {
        DeviceFaultDebugInfoKHR {
            s_type: STRUCTURE_TYPE_DEVICE_FAULT_DEBUG_INFO_KHR,
            next: std::ptr::null_mut(),
            vendor_binary_size: Default::default(),
            vendor_binary_data: std::ptr::null_mut(),
        }
    }
}

/// `VkDeviceFaultInfoKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceFaultInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `flags`
    pub flags: DeviceFaultFlagsKHR,
    /// `groupId`
    pub group_id: u64,
    /// `description`
    pub description: StringArray<MAX_DESCRIPTION_SIZE>,
    /// `faultAddressInfo`
    pub fault_address_info: DeviceFaultAddressInfoKHR,
    /// `instructionAddressInfo`
    pub instruction_address_info: DeviceFaultAddressInfoKHR,
    /// `vendorInfo`
    pub vendor_info: DeviceFaultVendorInfoKHR,
}

impl Default for DeviceFaultInfoKHR {
    fn default() -> DeviceFaultInfoKHR {
        DeviceFaultInfoKHR {
            s_type: STRUCTURE_TYPE_DEVICE_FAULT_INFO_KHR,
            next: std::ptr::null_mut(),
            flags: Default::default(),
            group_id: Default::default(),
            description: Default::default(),
            fault_address_info: Default::default(),
            instruction_address_info: Default::default(),
            vendor_info: Default::default(),
        }
    }
}

/// `VkDeviceFaultVendorBinaryHeaderVersionOneKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceFaultVendorBinaryHeaderVersionOneKHR {
    /// `headerSize`
    pub header_size: u32,
    /// `headerVersion`
    pub header_version: DeviceFaultVendorBinaryHeaderVersionEXT,
    /// `vendorID`
    pub vendor_i_d: u32,
    /// `deviceID`
    pub device_i_d: u32,
    /// `driverVersion`
    pub driver_version: u32,
    /// `pipelineCacheUUID`
    pub pipeline_cache_u_u_i_d: ByteArray<UUID_SIZE>,
    /// `applicationNameOffset`
    pub application_name_offset: u32,
    /// `applicationVersion`
    pub application_version: u32,
    /// `engineNameOffset`
    pub engine_name_offset: u32,
    /// `engineVersion`
    pub engine_version: u32,
    /// `apiVersion`
    pub api_version: u32,
}

/// `VkDeviceFaultVendorInfoKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceFaultVendorInfoKHR {
    /// `description`
    pub description: StringArray<MAX_DESCRIPTION_SIZE>,
    /// `vendorFaultCode`
    pub vendor_fault_code: u64,
    /// `vendorFaultData`
    pub vendor_fault_data: u64,
}

/// `VkPhysicalDeviceFaultFeaturesKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceFaultFeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `deviceFault`
    pub device_fault: Bool32,
    /// `deviceFaultVendorBinary`
    pub device_fault_vendor_binary: Bool32,
    /// `deviceFaultReportMasked`
    pub device_fault_report_masked: Bool32,
    /// `deviceFaultDeviceLostOnMasked`
    pub device_fault_device_lost_on_masked: Bool32,
}

impl Default for PhysicalDeviceFaultFeaturesKHR {
    fn default() -> PhysicalDeviceFaultFeaturesKHR {
        PhysicalDeviceFaultFeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_KHR,
            next: std::ptr::null_mut(),
            device_fault: Default::default(),
            device_fault_vendor_binary: Default::default(),
            device_fault_report_masked: Default::default(),
            device_fault_device_lost_on_masked: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceFaultPropertiesKHR` (`VK_KHR_device_fault`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceFaultPropertiesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `maxDeviceFaultCount`
    pub max_device_fault_count: u32,
}

impl Default for PhysicalDeviceFaultPropertiesKHR {
    fn default() -> PhysicalDeviceFaultPropertiesKHR {
        PhysicalDeviceFaultPropertiesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_PROPERTIES_KHR,
            next: std::ptr::null_mut(),
            max_device_fault_count: Default::default(),
        }
    }
}

/// `VkFormatProperties4KHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FormatProperties4KHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `linearTilingFeatures`
    pub linear_tiling_features: FormatFeatureFlags4KHR,
    /// `optimalTilingFeatures`
    pub optimal_tiling_features: FormatFeatureFlags4KHR,
    /// `bufferFeatures`
    pub buffer_features: FormatFeatureFlags4KHR,
}

impl Default for FormatProperties4KHR {
    fn default() -> FormatProperties4KHR {
        FormatProperties4KHR {
            s_type: STRUCTURE_TYPE_FORMAT_PROPERTIES_4_KHR,
            next: std::ptr::null_mut(),
            linear_tiling_features: Default::default(),
            optimal_tiling_features: Default::default(),
            buffer_features: Default::default(),
        }
    }
}

/// `VkImageCreateFlags2CreateInfoKHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageCreateFlags2CreateInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `flags`
    pub flags: ImageCreateFlags2KHR,
}

impl Default for ImageCreateFlags2CreateInfoKHR {
    fn default() -> ImageCreateFlags2CreateInfoKHR {
        ImageCreateFlags2CreateInfoKHR {
            s_type: STRUCTURE_TYPE_IMAGE_CREATE_FLAGS_2_CREATE_INFO_KHR,
            next: std::ptr::null_mut(),
            flags: Default::default(),
        }
    }
}

/// `VkImageStencilUsage2CreateInfoKHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageStencilUsage2CreateInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `stencilUsage`
    pub stencil_usage: ImageUsageFlags2KHR,
}

impl Default for ImageStencilUsage2CreateInfoKHR {
    fn default() -> ImageStencilUsage2CreateInfoKHR {
        ImageStencilUsage2CreateInfoKHR {
            s_type: STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_2_CREATE_INFO_KHR,
            next: std::ptr::null_mut(),
            stencil_usage: Default::default(),
        }
    }
}

/// `VkImageUsageFlags2CreateInfoKHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageUsageFlags2CreateInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `usage`
    pub usage: ImageUsageFlags2KHR,
}

impl Default for ImageUsageFlags2CreateInfoKHR {
    fn default() -> ImageUsageFlags2CreateInfoKHR {
        ImageUsageFlags2CreateInfoKHR {
            s_type: STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR,
            next: std::ptr::null_mut(),
            usage: Default::default(),
        }
    }
}

/// `VkImageViewUsage2CreateInfoKHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageViewUsage2CreateInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `usage`
    pub usage: ImageUsageFlags2KHR,
}

impl Default for ImageViewUsage2CreateInfoKHR {
    fn default() -> ImageViewUsage2CreateInfoKHR {
        ImageViewUsage2CreateInfoKHR {
            s_type: STRUCTURE_TYPE_IMAGE_VIEW_USAGE_2_CREATE_INFO_KHR,
            next: std::ptr::null_mut(),
            usage: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceExtendedFlagsFeaturesKHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceExtendedFlagsFeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `extendedFlags`
    pub extended_flags: Bool32,
}

impl Default for PhysicalDeviceExtendedFlagsFeaturesKHR {
    fn default() -> PhysicalDeviceExtendedFlagsFeaturesKHR {
        PhysicalDeviceExtendedFlagsFeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_FLAGS_FEATURES_KHR,
            next: std::ptr::null_mut(),
            extended_flags: Default::default(),
        }
    }
}

/// `VkSharedPresentSurfaceCapabilities2KHR` (`VK_KHR_extended_flags`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SharedPresentSurfaceCapabilities2KHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `sharedPresentSupportedUsageFlags`
    pub shared_present_supported_usage_flags: ImageUsageFlags2KHR,
}

impl Default for SharedPresentSurfaceCapabilities2KHR {
    fn default() -> SharedPresentSurfaceCapabilities2KHR {
        SharedPresentSurfaceCapabilities2KHR {
            s_type: STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_2_KHR,
            next: std::ptr::null_mut(),
            shared_present_supported_usage_flags: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceMaintenance11FeaturesKHR` (`VK_KHR_maintenance11`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceMaintenance11FeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `maintenance11`
    pub maintenance11: Bool32,
}

impl Default for PhysicalDeviceMaintenance11FeaturesKHR {
    fn default() -> PhysicalDeviceMaintenance11FeaturesKHR {
        PhysicalDeviceMaintenance11FeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR,
            next: std::ptr::null_mut(),
            maintenance11: Default::default(),
        }
    }
}

/// `VkQueueFamilyOptimalImageTransferGranularityPropertiesKHR` (`VK_KHR_maintenance11`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct QueueFamilyOptimalImageTransferGranularityPropertiesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `optimalImageTransferGranularity`
    pub optimal_image_transfer_granularity: Extent3D,
}

impl Default for QueueFamilyOptimalImageTransferGranularityPropertiesKHR {
    fn default() -> QueueFamilyOptimalImageTransferGranularityPropertiesKHR {
        QueueFamilyOptimalImageTransferGranularityPropertiesKHR {
            s_type: STRUCTURE_TYPE_QUEUE_FAMILY_OPTIMAL_IMAGE_TRANSFER_GRANULARITY_PROPERTIES_KHR,
            next: std::ptr::null_mut(),
            optimal_image_transfer_granularity: Default::default(),
        }
    }
}

/// `VkAccelerationStructureGeometryMicromapDataKHR` (`VK_KHR_opacity_micromap`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AccelerationStructureGeometryMicromapDataKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *const c_void,
    /// `usageCountsCount`
    pub usage_counts_count: u32,
    /// `pUsageCounts`
    pub usage_counts: *const MicromapUsageKHR,
    /// `ppUsageCounts`
    pub pointer_usage_counts: *const *const MicromapUsageKHR,
    /// `data`
    pub data: DeviceAddress,
    /// `triangleArray`
    pub triangle_array: DeviceAddress,
    /// `triangleArrayStride`
    pub triangle_array_stride: DeviceSize,
}

impl Default for AccelerationStructureGeometryMicromapDataKHR {
    fn default() -> AccelerationStructureGeometryMicromapDataKHR {
        AccelerationStructureGeometryMicromapDataKHR {
            s_type: STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_MICROMAP_DATA_KHR,
            next: std::ptr::null(),
            usage_counts_count: Default::default(),
            usage_counts: std::ptr::null(),
            pointer_usage_counts: std::ptr::null(),
            data: Default::default(),
            triangle_array: Default::default(),
            triangle_array_stride: Default::default(),
        }
    }
}

/// `VkAccelerationStructureTrianglesOpacityMicromapKHR` (`VK_KHR_opacity_micromap`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AccelerationStructureTrianglesOpacityMicromapKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `indexType`
    pub index_type: IndexType,
    /// `indexBuffer`
    pub index_buffer: DeviceAddress,
    /// `indexStride`
    pub index_stride: DeviceSize,
    /// `baseTriangle`
    pub base_triangle: u32,
    /// `micromap`
    pub micromap: AccelerationStructureKHR,
}

impl Default for AccelerationStructureTrianglesOpacityMicromapKHR {
    fn default() -> AccelerationStructureTrianglesOpacityMicromapKHR {
        AccelerationStructureTrianglesOpacityMicromapKHR {
            s_type: STRUCTURE_TYPE_ACCELERATION_STRUCTURE_TRIANGLES_OPACITY_MICROMAP_KHR,
            next: std::ptr::null_mut(),
            index_type: Default::default(),
            index_buffer: Default::default(),
            index_stride: Default::default(),
            base_triangle: Default::default(),
            micromap: Default::default(),
        }
    }
}

/// `VkMicromapTriangleKHR` (`VK_KHR_opacity_micromap`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MicromapTriangleKHR {
    /// `dataOffset`
    pub data_offset: u32,
    /// `subdivisionLevel`
    pub subdivision_level: u16,
    /// `format`
    pub format: u16,
}

/// `VkMicromapUsageKHR` (`VK_KHR_opacity_micromap`)
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MicromapUsageKHR {
    /// `count`
    pub count: u32,
    /// `subdivisionLevel`
    pub subdivision_level: u32,
    /// `format`
    pub format: OpacityMicromapFormatEXT,
}

/// `VkPhysicalDeviceOpacityMicromapFeaturesKHR` (`VK_KHR_opacity_micromap`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceOpacityMicromapFeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `micromap`
    pub micromap: Bool32,
}

impl Default for PhysicalDeviceOpacityMicromapFeaturesKHR {
    fn default() -> PhysicalDeviceOpacityMicromapFeaturesKHR {
        PhysicalDeviceOpacityMicromapFeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_FEATURES_KHR,
            next: std::ptr::null_mut(),
            micromap: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceOpacityMicromapPropertiesKHR` (`VK_KHR_opacity_micromap`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceOpacityMicromapPropertiesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `maxOpacity2StateSubdivisionLevel`
    pub max_opacity2_state_subdivision_level: u32,
    /// `maxOpacity4StateSubdivisionLevel`
    pub max_opacity4_state_subdivision_level: u32,
    /// `maxOpacityLossy4StateSubdivisionLevel`
    pub max_opacity_lossy4_state_subdivision_level: u32,
    /// `maxMicromapTriangles`
    pub max_micromap_triangles: u64,
}

impl Default for PhysicalDeviceOpacityMicromapPropertiesKHR {
    fn default() -> PhysicalDeviceOpacityMicromapPropertiesKHR {
        PhysicalDeviceOpacityMicromapPropertiesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_OPACITY_MICROMAP_PROPERTIES_KHR,
            next: std::ptr::null_mut(),
            max_opacity2_state_subdivision_level: Default::default(),
            max_opacity4_state_subdivision_level: Default::default(),
            max_opacity_lossy4_state_subdivision_level: Default::default(),
            max_micromap_triangles: Default::default(),
        }
    }
}

/// `VkDeviceFaultShaderAbortMessageInfoKHR` (`VK_KHR_shader_abort`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceFaultShaderAbortMessageInfoKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `messageDataSize`
    pub message_data_size: u64,
    /// `pMessageData`
    pub message_data: *mut c_void,
}

impl Default for DeviceFaultShaderAbortMessageInfoKHR {
    fn default() -> DeviceFaultShaderAbortMessageInfoKHR {
        DeviceFaultShaderAbortMessageInfoKHR {
            s_type: STRUCTURE_TYPE_DEVICE_FAULT_SHADER_ABORT_MESSAGE_INFO_KHR,
            next: std::ptr::null_mut(),
            message_data_size: Default::default(),
            message_data: std::ptr::null_mut(),
        }
    }
}

/// `VkPhysicalDeviceShaderAbortFeaturesKHR` (`VK_KHR_shader_abort`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderAbortFeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderAbort`
    pub shader_abort: Bool32,
}

impl Default for PhysicalDeviceShaderAbortFeaturesKHR {
    fn default() -> PhysicalDeviceShaderAbortFeaturesKHR {
        PhysicalDeviceShaderAbortFeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ABORT_FEATURES_KHR,
            next: std::ptr::null_mut(),
            shader_abort: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderAbortPropertiesKHR` (`VK_KHR_shader_abort`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderAbortPropertiesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `maxShaderAbortMessageSize`
    pub max_shader_abort_message_size: u64,
}

impl Default for PhysicalDeviceShaderAbortPropertiesKHR {
    fn default() -> PhysicalDeviceShaderAbortPropertiesKHR {
        PhysicalDeviceShaderAbortPropertiesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ABORT_PROPERTIES_KHR,
            next: std::ptr::null_mut(),
            max_shader_abort_message_size: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderConstantDataFeaturesKHR` (`VK_KHR_shader_constant_data`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderConstantDataFeaturesKHR {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderConstantData`
    pub shader_constant_data: Bool32,
}

impl Default for PhysicalDeviceShaderConstantDataFeaturesKHR {
    fn default() -> PhysicalDeviceShaderConstantDataFeaturesKHR {
        PhysicalDeviceShaderConstantDataFeaturesKHR {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CONSTANT_DATA_FEATURES_KHR,
            next: std::ptr::null_mut(),
            shader_constant_data: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV` (`VK_NV_cooperative_matrix_decode_vector`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `cooperativeMatrixDecodeVector`
    pub cooperative_matrix_decode_vector: Bool32,
}

impl Default for PhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV {
    fn default() -> PhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV {
        PhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV,
            next: std::ptr::null_mut(),
            cooperative_matrix_decode_vector: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceImageProcessing3FeaturesQCOM` (`VK_QCOM_image_processing3`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceImageProcessing3FeaturesQCOM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `imageGatherLinear`
    pub image_gather_linear: Bool32,
    /// `imageGatherExtendedModes`
    pub image_gather_extended_modes: Bool32,
    /// `blockMatchExtendedClampToEdge`
    pub block_match_extended_clamp_to_edge: Bool32,
}

impl Default for PhysicalDeviceImageProcessing3FeaturesQCOM {
    fn default() -> PhysicalDeviceImageProcessing3FeaturesQCOM {
        PhysicalDeviceImageProcessing3FeaturesQCOM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_PROCESSING_3_FEATURES_QCOM,
            next: std::ptr::null_mut(),
            image_gather_linear: Default::default(),
            image_gather_extended_modes: Default::default(),
            block_match_extended_clamp_to_edge: Default::default(),
        }
    }
}

/// `VkPerfHintInfoQCOM` (`VK_QCOM_queue_perf_hint`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PerfHintInfoQCOM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `type`
    pub type_: PerfHintTypeQCOM,
    /// `scale`
    pub scale: u32,
}

impl Default for PerfHintInfoQCOM {
    fn default() -> PerfHintInfoQCOM {
        PerfHintInfoQCOM {
            s_type: STRUCTURE_TYPE_PERF_HINT_INFO_QCOM,
            next: std::ptr::null_mut(),
            type_: Default::default(),
            scale: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceQueuePerfHintFeaturesQCOM` (`VK_QCOM_queue_perf_hint`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceQueuePerfHintFeaturesQCOM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `queuePerfHint`
    pub queue_perf_hint: Bool32,
}

impl Default for PhysicalDeviceQueuePerfHintFeaturesQCOM {
    fn default() -> PhysicalDeviceQueuePerfHintFeaturesQCOM {
        PhysicalDeviceQueuePerfHintFeaturesQCOM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_PERF_HINT_FEATURES_QCOM,
            next: std::ptr::null_mut(),
            queue_perf_hint: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceQueuePerfHintPropertiesQCOM` (`VK_QCOM_queue_perf_hint`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceQueuePerfHintPropertiesQCOM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `supportedQueues`
    pub supported_queues: QueueFlags,
}

impl Default for PhysicalDeviceQueuePerfHintPropertiesQCOM {
    fn default() -> PhysicalDeviceQueuePerfHintPropertiesQCOM {
        PhysicalDeviceQueuePerfHintPropertiesQCOM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_PERF_HINT_PROPERTIES_QCOM,
            next: std::ptr::null_mut(),
            supported_queues: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM` (`VK_QCOM_shader_multiple_wait_queues`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderMultipleWaitQueues`
    pub shader_multiple_wait_queues: Bool32,
}

impl Default for PhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM {
    fn default() -> PhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM {
        PhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MULTIPLE_WAIT_QUEUES_FEATURES_QCOM,
            next: std::ptr::null_mut(),
            shader_multiple_wait_queues: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM` (`VK_QCOM_shader_multiple_wait_queues`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `maxShaderWaitQueues`
    pub max_shader_wait_queues: u32,
}

impl Default for PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM {
    fn default() -> PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM {
        PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MULTIPLE_WAIT_QUEUES_PROPERTIES_QCOM,
            next: std::ptr::null_mut(),
            max_shader_wait_queues: Default::default(),
        }
    }
}

/// `VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE` (`VK_VALVE_shader_mixed_float_dot_product`)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE {
    /// `sType`
    pub s_type: StructureType,
    /// `pNext`
    pub next: *mut c_void,
    /// `shaderMixedFloatDotProductFloat16AccFloat32`
    pub shader_mixed_float_dot_product_float16_acc_float32: Bool32,
    /// `shaderMixedFloatDotProductFloat16AccFloat16`
    pub shader_mixed_float_dot_product_float16_acc_float16: Bool32,
    /// `shaderMixedFloatDotProductBFloat16Acc`
    pub shader_mixed_float_dot_product_b_float16_acc: Bool32,
    /// `shaderMixedFloatDotProductFloat8AccFloat32`
    pub shader_mixed_float_dot_product_float8_acc_float32: Bool32,
}

impl Default for PhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE {
    fn default() -> PhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE {
        PhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE {
            s_type: STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE,
            next: std::ptr::null_mut(),
            shader_mixed_float_dot_product_float16_acc_float32: Default::default(),
            shader_mixed_float_dot_product_float16_acc_float16: Default::default(),
            shader_mixed_float_dot_product_b_float16_acc: Default::default(),
            shader_mixed_float_dot_product_float8_acc_float32: Default::default(),
        }
    }
}

/// `VK_DATA_GRAPH_TOSA_LEVEL_8K_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const DATA_GRAPH_TOSA_LEVEL_8K_ARM: i32 = 1;

/// `VK_DATA_GRAPH_TOSA_LEVEL_NONE_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const DATA_GRAPH_TOSA_LEVEL_NONE_ARM: i32 = 0;

/// `VK_MAX_DATA_GRAPH_TOSA_NAME_SIZE_ARM` (`VK_ARM_data_graph_instruction_set_tosa`)
pub const MAX_DATA_GRAPH_TOSA_NAME_SIZE_ARM: usize = 128;

/// `VK_IMAGE_TILING_CONTROL_DEFAULT_EXT` (`VK_EXT_image_tiling_control`)
pub const IMAGE_TILING_CONTROL_DEFAULT_EXT: i32 = 0;

/// `VK_IMAGE_TILING_CONTROL_MAX_PERFORMANCE_EXT` (`VK_EXT_image_tiling_control`)
pub const IMAGE_TILING_CONTROL_MAX_PERFORMANCE_EXT: i32 = 2;

/// `VK_IMAGE_TILING_CONTROL_MIN_SIZE_EXT` (`VK_EXT_image_tiling_control`)
pub const IMAGE_TILING_CONTROL_MIN_SIZE_EXT: i32 = 1;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_EXECUTE_INVALID_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_EXECUTE_INVALID_KHR: i32 = 3;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_KHR: i32 = 6;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_INVALID_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_INVALID_KHR: i32 = 5;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_UNKNOWN_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_UNKNOWN_KHR: i32 = 4;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_NONE_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_NONE_KHR: i32 = 0;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_KHR: i32 = 1;

/// `VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_KHR: i32 = 2;

/// `VK_DEVICE_FAULT_VENDOR_BINARY_HEADER_VERSION_ONE_KHR` (`VK_KHR_device_fault`)
pub const DEVICE_FAULT_VENDOR_BINARY_HEADER_VERSION_ONE_KHR: i32 = 1;

/// `VK_ACCELERATION_STRUCTURE_SERIALIZED_BLOCK_TYPE_OPACITY_MICROMAP_KHR` (`VK_KHR_opacity_micromap`)
pub const ACCELERATION_STRUCTURE_SERIALIZED_BLOCK_TYPE_OPACITY_MICROMAP_KHR: i32 = 0;

/// `VK_OPACITY_MICROMAP_FORMAT_2_STATE_KHR` (`VK_KHR_opacity_micromap`)
pub const OPACITY_MICROMAP_FORMAT_2_STATE_KHR: i32 = 1;

/// `VK_OPACITY_MICROMAP_FORMAT_4_STATE_KHR` (`VK_KHR_opacity_micromap`)
pub const OPACITY_MICROMAP_FORMAT_4_STATE_KHR: i32 = 2;

/// `VK_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_OPAQUE_KHR` (`VK_KHR_opacity_micromap`)
pub const OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_OPAQUE_KHR: i32 = -2;

/// `VK_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_TRANSPARENT_KHR` (`VK_KHR_opacity_micromap`)
pub const OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_TRANSPARENT_KHR: i32 = -1;

/// `VK_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_OPAQUE_KHR` (`VK_KHR_opacity_micromap`)
pub const OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_OPAQUE_KHR: i32 = -4;

/// `VK_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_TRANSPARENT_KHR` (`VK_KHR_opacity_micromap`)
pub const OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_TRANSPARENT_KHR: i32 = -3;

/// `VK_PERF_HINT_TYPE_DEFAULT_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const PERF_HINT_TYPE_DEFAULT_QCOM: i32 = 0;

/// `VK_PERF_HINT_TYPE_FREQUENCY_MAX_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const PERF_HINT_TYPE_FREQUENCY_MAX_QCOM: i32 = 2;

/// `VK_PERF_HINT_TYPE_FREQUENCY_MIN_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const PERF_HINT_TYPE_FREQUENCY_MIN_QCOM: i32 = 1;

/// `VK_PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM` (`VK_QCOM_queue_perf_hint`)
pub const PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM: i32 = 3;
