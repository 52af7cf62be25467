//! The fields of every feature structure of the registry, in their order.
//!
//! A structure is its `sType`, its `pNext` and one `VkBool32` for each field, so its names say all of its
//! layout; which of them are on is [`super::features`]'s matter. Where the bindings have a structure, the
//! layout is checked against them at compile time.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do not edit.

use super::features::FeatureStruct;
use vulkanalia_sys as vk;

/// Every structure that may extend `VkPhysicalDeviceFeatures2`.
#[rustfmt::skip]
pub(super) const FEATURE_STRUCTS: &[FeatureStruct] = &[
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000083000), name: "PhysicalDevice16BitStorageFeatures", fields: &["storage_buffer_16bit_access", "uniform_and_storage_buffer_16bit_access", "storage_push_constant16", "storage_input_output16"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000340000), name: "PhysicalDevice4444FormatsFeaturesEXT", fields: &["format_a4_r4_g4_b4", "format_a4_b4_g4_r4"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000177000), name: "PhysicalDevice8BitStorageFeatures", fields: &["storage_buffer_8bit_access", "uniform_and_storage_buffer_8bit_access", "storage_push_constant8"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000067001), name: "PhysicalDeviceASTCDecodeFeaturesEXT", fields: &["decode_mode_shared_exponent"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000150013), name: "PhysicalDeviceAccelerationStructureFeaturesKHR", fields: &["acceleration_structure", "acceleration_structure_capture_replay", "acceleration_structure_indirect_build", "acceleration_structure_host_commands", "descriptor_binding_acceleration_structure_update_after_bind"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000354000), name: "PhysicalDeviceAddressBindingReportFeaturesEXT", fields: &["report_address_binding"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000485000), name: "PhysicalDeviceAmigoProfilingFeaturesSEC", fields: &["amigo_profiling"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000476000), name: "PhysicalDeviceAntiLagFeaturesAMD", fields: &["anti_lag"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000524000), name: "PhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT", fields: &["attachment_feedback_loop_dynamic_state"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000339000), name: "PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT", fields: &["attachment_feedback_loop_layout"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000148000), name: "PhysicalDeviceBlendOperationAdvancedFeaturesEXT", fields: &["advanced_blend_coherent_operations"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000411000), name: "PhysicalDeviceBorderColorSwizzleFeaturesEXT", fields: &["border_color_swizzle", "border_color_swizzle_from_image"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000257000), name: "PhysicalDeviceBufferDeviceAddressFeatures", fields: &["buffer_device_address", "buffer_device_address_capture_replay", "buffer_device_address_multi_device"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000244000), name: "PhysicalDeviceBufferDeviceAddressFeaturesEXT", fields: &["buffer_device_address", "buffer_device_address_capture_replay", "buffer_device_address_multi_device"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000569000), name: "PhysicalDeviceClusterAccelerationStructureFeaturesNV", fields: &["cluster_acceleration_structure"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000404000), name: "PhysicalDeviceClusterCullingShaderFeaturesHUAWEI", fields: &["clusterculling_shader", "multiview_cluster_culling_shader"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000404002), name: "PhysicalDeviceClusterCullingShaderVrsFeaturesHUAWEI", fields: &["cluster_shading_rate"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000229000), name: "PhysicalDeviceCoherentMemoryFeaturesAMD", fields: &["device_coherent_memory"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000381000), name: "PhysicalDeviceColorWriteEnableFeaturesEXT", fields: &["color_write_enable"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000559000), name: "PhysicalDeviceCommandBufferInheritanceFeaturesNV", fields: &["command_buffer_inheritance"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000645001), name: "PhysicalDeviceComputeOccupancyPriorityFeaturesNV", fields: &["compute_occupancy_priority"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000201000), name: "PhysicalDeviceComputeShaderDerivativesFeaturesKHR", fields: &["compute_derivative_group_quads", "compute_derivative_group_linear"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000081001), name: "PhysicalDeviceConditionalRenderingFeaturesEXT", fields: &["conditional_rendering", "inherited_conditional_rendering"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000593000), name: "PhysicalDeviceCooperativeMatrix2FeaturesNV", fields: &["cooperative_matrix_workgroup_scope", "cooperative_matrix_flexible_dimensions", "cooperative_matrix_reductions", "cooperative_matrix_conversions", "cooperative_matrix_per_element_operations", "cooperative_matrix_tensor_addressing", "cooperative_matrix_block_loads"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000172000), name: "PhysicalDeviceCooperativeMatrixConversionFeaturesQCOM", fields: &["cooperative_matrix_conversion"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000689000), name: "PhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV", fields: &["cooperative_matrix_decode_vector"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000506000), name: "PhysicalDeviceCooperativeMatrixFeaturesKHR", fields: &["cooperative_matrix", "cooperative_matrix_robust_buffer_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000249000), name: "PhysicalDeviceCooperativeMatrixFeaturesNV", fields: &["cooperative_matrix", "cooperative_matrix_robust_buffer_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000659000), name: "PhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT", fields: &["cooperative_matrix_properties2", "cooperative_matrix_reductions", "cooperative_matrix_conversions", "cooperative_matrix_per_element_operations", "cooperative_matrix_get_coordinate"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000491000), name: "PhysicalDeviceCooperativeVectorFeaturesNV", fields: &["cooperative_vector", "cooperative_vector_training"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000549000), name: "PhysicalDeviceCopyMemoryIndirectFeaturesKHR", fields: &["indirect_memory_copy", "indirect_memory_to_image_copy"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000426000), name: "PhysicalDeviceCopyMemoryIndirectFeaturesNV", fields: &["indirect_copy"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000050000), name: "PhysicalDeviceCornerSampledImageFeaturesNV", fields: &["corner_sampled_image"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000250000), name: "PhysicalDeviceCoverageReductionModeFeaturesNV", fields: &["coverage_reduction_mode"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000521000), name: "PhysicalDeviceCubicClampFeaturesQCOM", fields: &["cubic_range_clamp"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000519001), name: "PhysicalDeviceCubicWeightsFeaturesQCOM", fields: &["selectable_cubic_weights"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000307003), name: "PhysicalDeviceCudaKernelLaunchFeaturesNV", fields: &["cuda_kernel_launch_features"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000287002), name: "PhysicalDeviceCustomBorderColorFeaturesEXT", fields: &["custom_border_colors", "custom_border_color_without_format"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000628000), name: "PhysicalDeviceCustomResolveFeaturesEXT", fields: &["custom_resolve"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000507006), name: "PhysicalDeviceDataGraphFeaturesARM", fields: &["data_graph", "data_graph_update_after_bind", "data_graph_specialization_constants", "data_graph_descriptor_buffer", "data_graph_shader_module"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000629000), name: "PhysicalDeviceDataGraphModelFeaturesQCOM", fields: &["data_graph_model"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000676002), name: "PhysicalDeviceDataGraphNeuralAcceleratorStatisticsFeaturesARM", fields: &["data_graph_neural_accelerator_statistics"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000631000), name: "PhysicalDeviceDataGraphOpticalFlowFeaturesARM", fields: &["data_graph_optical_flow"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000240000), name: "PhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV", fields: &["dedicated_allocation_image_aliasing"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000478000), name: "PhysicalDeviceDenseGeometryFormatFeaturesAMDX", fields: &["dense_geometry_format"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000283000), name: "PhysicalDeviceDepthBiasControlFeaturesEXT", fields: &["depth_bias_control", "least_representable_value_force_unorm_representation", "float_representation", "depth_bias_exact"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000582000), name: "PhysicalDeviceDepthClampControlFeaturesEXT", fields: &["depth_clamp_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000421000), name: "PhysicalDeviceDepthClampZeroOneFeaturesKHR", fields: &["depth_clamp_zero_one"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000355000), name: "PhysicalDeviceDepthClipControlFeaturesEXT", fields: &["depth_clip_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000102000), name: "PhysicalDeviceDepthClipEnableFeaturesEXT", fields: &["depth_clip_enable"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000316002), name: "PhysicalDeviceDescriptorBufferFeaturesEXT", fields: &["descriptor_buffer", "descriptor_buffer_capture_replay", "descriptor_buffer_image_layout_ignored", "descriptor_buffer_push_descriptors"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000460018), name: "PhysicalDeviceDescriptorBufferTensorFeaturesARM", fields: &["descriptor_buffer_tensor_descriptors"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000135009), name: "PhysicalDeviceDescriptorHeapFeaturesEXT", fields: &["descriptor_heap", "descriptor_heap_capture_replay"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000161001), name: "PhysicalDeviceDescriptorIndexingFeatures", fields: &["shader_input_attachment_array_dynamic_indexing", "shader_uniform_texel_buffer_array_dynamic_indexing", "shader_storage_texel_buffer_array_dynamic_indexing", "shader_uniform_buffer_array_non_uniform_indexing", "shader_sampled_image_array_non_uniform_indexing", "shader_storage_buffer_array_non_uniform_indexing", "shader_storage_image_array_non_uniform_indexing", "shader_input_attachment_array_non_uniform_indexing", "shader_uniform_texel_buffer_array_non_uniform_indexing", "shader_storage_texel_buffer_array_non_uniform_indexing", "descriptor_binding_uniform_buffer_update_after_bind", "descriptor_binding_sampled_image_update_after_bind", "descriptor_binding_storage_image_update_after_bind", "descriptor_binding_storage_buffer_update_after_bind", "descriptor_binding_uniform_texel_buffer_update_after_bind", "descriptor_binding_storage_texel_buffer_update_after_bind", "descriptor_binding_update_unused_while_pending", "descriptor_binding_partially_bound", "descriptor_binding_variable_descriptor_count", "runtime_descriptor_array"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000546000), name: "PhysicalDeviceDescriptorPoolOverallocationFeaturesNV", fields: &["descriptor_pool_overallocation"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000420000), name: "PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE", fields: &["descriptor_set_host_mapping"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000318006), name: "PhysicalDeviceDeviceAddressCommandsFeaturesKHR", fields: &["device_address_commands"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000428000), name: "PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV", fields: &["device_generated_compute", "device_generated_compute_pipelines", "device_generated_compute_capture_replay"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000572000), name: "PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT", fields: &["device_generated_commands", "dynamic_generated_pipeline_layout"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000277007), name: "PhysicalDeviceDeviceGeneratedCommandsFeaturesNV", fields: &["device_generated_commands"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000284000), name: "PhysicalDeviceDeviceMemoryReportFeaturesEXT", fields: &["device_memory_report"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000300000), name: "PhysicalDeviceDiagnosticsConfigFeaturesNV", fields: &["diagnostics_config"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000397000), name: "PhysicalDeviceDisplacementMicromapFeaturesNV", fields: &["displacement_micromap"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000044003), name: "PhysicalDeviceDynamicRenderingFeatures", fields: &["dynamic_rendering"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000232000), name: "PhysicalDeviceDynamicRenderingLocalReadFeatures", fields: &["dynamic_rendering_local_read"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000499000), name: "PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT", fields: &["dynamic_rendering_unused_attachments"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000173000), name: "PhysicalDeviceElapsedTimerQueryFeaturesQCOM", fields: &["elapsed_timer_query"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000205002), name: "PhysicalDeviceExclusiveScissorFeaturesNV", fields: &["exclusive_scissor"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000377000), name: "PhysicalDeviceExtendedDynamicState2FeaturesEXT", fields: &["extended_dynamic_state2", "extended_dynamic_state2_logic_op", "extended_dynamic_state2_patch_control_points"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000455000), name: "PhysicalDeviceExtendedDynamicState3FeaturesEXT", fields: &["extended_dynamic_state3_tessellation_domain_origin", "extended_dynamic_state_3depth_clamp_enable", "extended_dynamic_state3_polygon_mode", "extended_dynamic_state3_rasterization_samples", "extended_dynamic_state3_sample_mask", "extended_dynamic_state3_alpha_to_coverage_enable", "extended_dynamic_state3_alpha_to_one_enable", "extended_dynamic_state3_logic_op_enable", "extended_dynamic_state3_color_blend_enable", "extended_dynamic_state3_color_blend_equation", "extended_dynamic_state3_color_write_mask", "extended_dynamic_state3_rasterization_stream", "extended_dynamic_state3_conservative_rasterization_mode", "extended_dynamic_state3_extra_primitive_overestimation_size", "extended_dynamic_state_3depth_clip_enable", "extended_dynamic_state3_sample_locations_enable", "extended_dynamic_state3_color_blend_advanced", "extended_dynamic_state3_provoking_vertex_mode", "extended_dynamic_state3_line_rasterization_mode", "extended_dynamic_state3_line_stipple_enable", "extended_dynamic_state_3depth_clip_negative_one_to_one", "extended_dynamic_state3_viewport_w_scaling_enable", "extended_dynamic_state3_viewport_swizzle", "extended_dynamic_state3_coverage_to_color_enable", "extended_dynamic_state3_coverage_to_color_location", "extended_dynamic_state3_coverage_modulation_mode", "extended_dynamic_state3_coverage_modulation_table_enable", "extended_dynamic_state3_coverage_modulation_table", "extended_dynamic_state3_coverage_reduction_mode", "extended_dynamic_state3_representative_fragment_test_enable", "extended_dynamic_state3_shading_rate_image_enable"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000267000), name: "PhysicalDeviceExtendedDynamicStateFeaturesEXT", fields: &["extended_dynamic_state"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000668004), name: "PhysicalDeviceExtendedFlagsFeaturesKHR", fields: &["extended_flags"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000492000), name: "PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV", fields: &["extended_sparse_address_space"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000468000), name: "PhysicalDeviceExternalFormatResolveFeaturesANDROID", fields: &["external_format_resolve"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000371001), name: "PhysicalDeviceExternalMemoryRDMAFeaturesNV", fields: &["external_memory_rdma"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000529004), name: "PhysicalDeviceExternalMemoryScreenBufferFeaturesQNX", fields: &["screen_buffer_import"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000341000), name: "PhysicalDeviceFaultFeaturesEXT", fields: &["device_fault", "device_fault_vendor_binary"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000573000), name: "PhysicalDeviceFaultFeaturesKHR", fields: &["device_fault", "device_fault_vendor_binary", "device_fault_report_masked", "device_fault_device_lost_on_masked"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000609000), name: "PhysicalDeviceFormatPackFeaturesARM", fields: &["format_pack"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000332000), name: "PhysicalDeviceFragmentDensityMap2FeaturesEXT", fields: &["fragment_density_map_deferred"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000218000), name: "PhysicalDeviceFragmentDensityMapFeaturesEXT", fields: &["fragment_density_map", "fragment_density_map_dynamic", "fragment_density_map_non_subsampled_images"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000611000), name: "PhysicalDeviceFragmentDensityMapLayeredFeaturesVALVE", fields: &["fragment_density_map_layered"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000425000), name: "PhysicalDeviceFragmentDensityMapOffsetFeaturesEXT", fields: &["fragment_density_map_offset"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000203000), name: "PhysicalDeviceFragmentShaderBarycentricFeaturesKHR", fields: &["fragment_shader_barycentric"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000251000), name: "PhysicalDeviceFragmentShaderInterlockFeaturesEXT", fields: &["fragment_shader_sample_interlock", "fragment_shader_pixel_interlock", "fragment_shader_shading_rate_interlock"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000326001), name: "PhysicalDeviceFragmentShadingRateEnumsFeaturesNV", fields: &["fragment_shading_rate_enums", "supersample_fragment_shading_rates", "no_invocation_fragment_shading_rates"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000226003), name: "PhysicalDeviceFragmentShadingRateFeaturesKHR", fields: &["pipeline_fragment_shading_rate", "primitive_fragment_shading_rate", "attachment_fragment_shading_rate"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000375000), name: "PhysicalDeviceFrameBoundaryFeaturesEXT", fields: &["frame_boundary"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000388000), name: "PhysicalDeviceGlobalPriorityQueryFeatures", fields: &["global_priority_query"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000133000), name: "PhysicalDeviceGpaFeaturesAMD", fields: &["perf_counters", "streaming_perf_counters", "sq_thread_tracing", "clock_modes"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000320000), name: "PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT", fields: &["graphics_pipeline_library"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000590000), name: "PhysicalDeviceHdrVividFeaturesHUAWEI", fields: &["hdr_vivid"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000270000), name: "PhysicalDeviceHostImageCopyFeatures", fields: &["host_image_copy"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000261000), name: "PhysicalDeviceHostQueryResetFeatures", fields: &["host_query_reset"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000393000), name: "PhysicalDeviceImage2DViewOf3DFeaturesEXT", fields: &["image_2d_view_of_3d", "sampler_2d_view_of_3d"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000575000), name: "PhysicalDeviceImageAlignmentControlFeaturesMESA", fields: &["image_alignment_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000338000), name: "PhysicalDeviceImageCompressionControlFeaturesEXT", fields: &["image_compression_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000437000), name: "PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT", fields: &["image_compression_control_swapchain"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000518000), name: "PhysicalDeviceImageProcessing2FeaturesQCOM", fields: &["texture_block_match2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000303000), name: "PhysicalDeviceImageProcessing3FeaturesQCOM", fields: &["image_gather_linear", "image_gather_extended_modes", "block_match_extended_clamp_to_edge"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000440000), name: "PhysicalDeviceImageProcessingFeaturesQCOM", fields: &["texture_sample_weighted", "texture_box_filter", "texture_block_match"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000335000), name: "PhysicalDeviceImageRobustnessFeatures", fields: &["robust_image_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000418000), name: "PhysicalDeviceImageSlicedViewOf3DFeaturesEXT", fields: &["image_sliced_view_of_3d"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000687000), name: "PhysicalDeviceImageTilingControlFeaturesEXT", fields: &["image_tiling_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000391000), name: "PhysicalDeviceImageViewMinLodFeaturesEXT", fields: &["min_lod"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000108000), name: "PhysicalDeviceImagelessFramebufferFeatures", fields: &["imageless_framebuffer"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000265000), name: "PhysicalDeviceIndexTypeUint8Features", fields: &["index_type_uint8"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000278000), name: "PhysicalDeviceInheritedViewportScissorFeaturesNV", fields: &["inherited_viewport_scissor_2d"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000138000), name: "PhysicalDeviceInlineUniformBlockFeatures", fields: &["inline_uniform_block", "descriptor_binding_inline_uniform_block_update_after_bind"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000504000), name: "PhysicalDeviceInternallySynchronizedQueuesFeaturesKHR", fields: &["internally_synchronized_queues"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000370000), name: "PhysicalDeviceInvocationMaskFeaturesHUAWEI", fields: &["invocation_mask"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000465000), name: "PhysicalDeviceLegacyDitheringFeaturesEXT", fields: &["legacy_dithering"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000495000), name: "PhysicalDeviceLegacyVertexAttributesFeaturesEXT", fields: &["legacy_vertex_attributes"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000259000), name: "PhysicalDeviceLineRasterizationFeatures", fields: &["rectangular_lines", "bresenham_lines", "smooth_lines", "stippled_rectangular_lines", "stippled_bresenham_lines", "stippled_smooth_lines"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000430000), name: "PhysicalDeviceLinearColorAttachmentFeaturesNV", fields: &["linear_color_attachment"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000630000), name: "PhysicalDeviceMaintenance10FeaturesKHR", fields: &["maintenance10"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000657000), name: "PhysicalDeviceMaintenance11FeaturesKHR", fields: &["maintenance11"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000413000), name: "PhysicalDeviceMaintenance4Features", fields: &["maintenance4"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000470000), name: "PhysicalDeviceMaintenance5Features", fields: &["maintenance5"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000545000), name: "PhysicalDeviceMaintenance6Features", fields: &["maintenance6"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000562000), name: "PhysicalDeviceMaintenance7FeaturesKHR", fields: &["maintenance7"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000574000), name: "PhysicalDeviceMaintenance8FeaturesKHR", fields: &["maintenance8"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000584000), name: "PhysicalDeviceMaintenance9FeaturesKHR", fields: &["maintenance9"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000272000), name: "PhysicalDeviceMapMemoryPlacedFeaturesEXT", fields: &["memory_map_placed", "memory_map_range_placed", "memory_unmap_reserve"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000427000), name: "PhysicalDeviceMemoryDecompressionFeaturesEXT", fields: &["memory_decompression"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000238000), name: "PhysicalDeviceMemoryPriorityFeaturesEXT", fields: &["memory_priority"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000328000), name: "PhysicalDeviceMeshShaderFeaturesEXT", fields: &["task_shader", "mesh_shader", "multiview_mesh_shader", "primitive_fragment_shading_rate_mesh_shader", "mesh_shader_queries"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000202000), name: "PhysicalDeviceMeshShaderFeaturesNV", fields: &["task_shader", "mesh_shader"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000392000), name: "PhysicalDeviceMultiDrawFeaturesEXT", fields: &["multi_draw"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000376000), name: "PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT", fields: &["multisampled_render_to_single_sampled"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000616000), name: "PhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT", fields: &["multisampled_render_to_swapchain"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000053001), name: "PhysicalDeviceMultiviewFeatures", fields: &["multiview", "multiview_geometry_shader", "multiview_tessellation_shader"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000510000), name: "PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM", fields: &["multiview_per_view_render_areas"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000488000), name: "PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM", fields: &["multiview_per_view_viewports"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000351000), name: "PhysicalDeviceMutableDescriptorTypeFeaturesEXT", fields: &["mutable_descriptor_type"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000451000), name: "PhysicalDeviceNestedCommandBufferFeaturesEXT", fields: &["nested_command_buffer", "nested_command_buffer_rendering", "nested_command_buffer_simultaneous_use"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000422000), name: "PhysicalDeviceNonSeamlessCubeMapFeaturesEXT", fields: &["non_seamless_cube_map"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000396005), name: "PhysicalDeviceOpacityMicromapFeaturesEXT", fields: &["micromap", "micromap_capture_replay", "micromap_host_commands"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000623000), name: "PhysicalDeviceOpacityMicromapFeaturesKHR", fields: &["micromap"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000464000), name: "PhysicalDeviceOpticalFlowFeaturesNV", fields: &["optical_flow"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000412000), name: "PhysicalDevicePageableDeviceLocalMemoryFeaturesEXT", fields: &["pageable_device_local_memory"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000570000), name: "PhysicalDevicePartitionedAccelerationStructureFeaturesNV", fields: &["partitioned_acceleration_structure"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000516000), name: "PhysicalDevicePerStageDescriptorSetFeaturesNV", fields: &["per_stage_descriptor_set", "dynamic_pipeline_layout"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000605000), name: "PhysicalDevicePerformanceCountersByRegionFeaturesARM", fields: &["performance_counters_by_region"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000116000), name: "PhysicalDevicePerformanceQueryFeaturesKHR", fields: &["performance_counter_query_pools", "performance_counter_multiple_query_pools"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000483000), name: "PhysicalDevicePipelineBinaryFeaturesKHR", fields: &["pipeline_binaries"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000637000), name: "PhysicalDevicePipelineCacheIncrementalModeFeaturesSEC", fields: &["pipeline_cache_incremental_mode"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000297000), name: "PhysicalDevicePipelineCreationCacheControlFeatures", fields: &["pipeline_creation_cache_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000269000), name: "PhysicalDevicePipelineExecutablePropertiesFeaturesKHR", fields: &["pipeline_executable_info"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000498000), name: "PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT", fields: &["pipeline_library_group_handles"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000596000), name: "PhysicalDevicePipelineOpacityMicromapFeaturesARM", fields: &["pipeline_opacity_micromap"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000372001), name: "PhysicalDevicePipelinePropertiesFeaturesEXT", fields: &["pipeline_properties_identifier"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000466000), name: "PhysicalDevicePipelineProtectedAccessFeatures", fields: &["pipeline_protected_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000068001), name: "PhysicalDevicePipelineRobustnessFeatures", fields: &["pipeline_robustness"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000163000), name: "PhysicalDevicePortabilitySubsetFeaturesKHR", fields: &["constant_alpha_color_blend_factors", "events", "image_view_format_reinterpretation", "image_view_format_swizzle", "image_view_2d_on_3d_image", "multisample_array_image", "mutable_comparison_samplers", "point_polygons", "sampler_mip_lod_bias", "separate_stencil_mask_ref", "shader_sample_rate_interpolation_functions", "tessellation_isolines", "tessellation_point_mode", "triangle_fans", "vertex_attribute_access_beyond_stride"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000292000), name: "PhysicalDevicePresentBarrierFeaturesNV", fields: &["present_barrier"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000479002), name: "PhysicalDevicePresentId2FeaturesKHR", fields: &["present_id2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000294001), name: "PhysicalDevicePresentIdFeaturesKHR", fields: &["present_id"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000613001), name: "PhysicalDevicePresentMeteringFeaturesNV", fields: &["present_metering"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000361000), name: "PhysicalDevicePresentModeFifoLatestReadyFeaturesKHR", fields: &["present_mode_fifo_latest_ready"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000208000), name: "PhysicalDevicePresentTimingFeaturesEXT", fields: &["present_timing", "present_at_absolute_time", "present_at_relative_time"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000480001), name: "PhysicalDevicePresentWait2FeaturesKHR", fields: &["present_wait2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000248000), name: "PhysicalDevicePresentWaitFeaturesKHR", fields: &["present_wait"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000678000), name: "PhysicalDevicePrimitiveRestartIndexFeaturesEXT", fields: &["primitive_restart_index"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000356000), name: "PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT", fields: &["primitive_topology_list_restart", "primitive_topology_patch_list_restart"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000382000), name: "PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT", fields: &["primitives_generated_query", "primitives_generated_query_with_rasterizer_discard", "primitives_generated_query_with_non_zero_streams"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000295000), name: "PhysicalDevicePrivateDataFeatures", fields: &["private_data"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000145001), name: "PhysicalDeviceProtectedMemoryFeatures", fields: &["protected_memory"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000254000), name: "PhysicalDeviceProvokingVertexFeaturesEXT", fields: &["provoking_vertex_last", "transform_feedback_preserves_provoking_vertex"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000580001), name: "PhysicalDevicePushConstantBankFeaturesNV", fields: &["push_constant_bank"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000302001), name: "PhysicalDeviceQueuePerfHintFeaturesQCOM", fields: &["queue_perf_hint"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000344000), name: "PhysicalDeviceRGBA10X6FormatsFeaturesEXT", fields: &["format_rgba10x6_without_y_cb_cr_sampler"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000342000), name: "PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT", fields: &["rasterization_order_color_attachment_access", "rasterization_order_depth_attachment_access", "rasterization_order_stencil_attachment_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000555000), name: "PhysicalDeviceRawAccessChainsFeaturesNV", fields: &["shader_raw_access_chains"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000348013), name: "PhysicalDeviceRayQueryFeaturesKHR", fields: &["ray_query"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000581000), name: "PhysicalDeviceRayTracingInvocationReorderFeaturesEXT", fields: &["ray_tracing_invocation_reorder"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000490000), name: "PhysicalDeviceRayTracingInvocationReorderFeaturesNV", fields: &["ray_tracing_invocation_reorder"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000429008), name: "PhysicalDeviceRayTracingLinearSweptSpheresFeaturesNV", fields: &["spheres", "linear_swept_spheres"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000386000), name: "PhysicalDeviceRayTracingMaintenance1FeaturesKHR", fields: &["ray_tracing_maintenance1", "ray_tracing_pipeline_trace_rays_indirect2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000327001), name: "PhysicalDeviceRayTracingMotionBlurFeaturesNV", fields: &["ray_tracing_motion_blur", "ray_tracing_motion_blur_pipeline_trace_rays_indirect"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000347000), name: "PhysicalDeviceRayTracingPipelineFeaturesKHR", fields: &["ray_tracing_pipeline", "ray_tracing_pipeline_shader_group_handle_capture_replay", "ray_tracing_pipeline_shader_group_handle_capture_replay_mixed", "ray_tracing_pipeline_trace_rays_indirect", "ray_traversal_primitive_culling"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000481000), name: "PhysicalDeviceRayTracingPositionFetchFeaturesKHR", fields: &["ray_tracing_position_fetch"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000568000), name: "PhysicalDeviceRayTracingValidationFeaturesNV", fields: &["ray_tracing_validation"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000110000), name: "PhysicalDeviceRelaxedLineRasterizationFeaturesIMG", fields: &["relaxed_line_rasterization"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000424000), name: "PhysicalDeviceRenderPassStripedFeaturesARM", fields: &["render_pass_striped"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000166000), name: "PhysicalDeviceRepresentativeFragmentTestFeaturesNV", fields: &["representative_fragment_test"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000286000), name: "PhysicalDeviceRobustness2FeaturesKHR", fields: &["robust_buffer_access2", "robust_image_access2", "null_descriptor"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000156004), name: "PhysicalDeviceSamplerYcbcrConversionFeatures", fields: &["sampler_ycbcr_conversion"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000221000), name: "PhysicalDeviceScalarBlockLayoutFeatures", fields: &["scalar_block_layout"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000417001), name: "PhysicalDeviceSchedulingControlsFeaturesARM", fields: &["scheduling_controls"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000241000), name: "PhysicalDeviceSeparateDepthStencilLayoutsFeatures", fields: &["separate_depth_stencil_layouts"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000627000), name: "PhysicalDeviceShader64BitIndexingFeaturesEXT", fields: &["shader_64bit_indexing"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000233000), name: "PhysicalDeviceShaderAbortFeaturesKHR", fields: &["shader_abort"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000563000), name: "PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV", fields: &["shader_float16_vector_atomics"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000273000), name: "PhysicalDeviceShaderAtomicFloat2FeaturesEXT", fields: &["shader_buffer_float16_atomics", "shader_buffer_float16_atomic_add", "shader_buffer_float16_atomic_min_max", "shader_buffer_float32_atomic_min_max", "shader_buffer_float64_atomic_min_max", "shader_shared_float16_atomics", "shader_shared_float16_atomic_add", "shader_shared_float16_atomic_min_max", "shader_shared_float32_atomic_min_max", "shader_shared_float64_atomic_min_max", "shader_image_float32_atomic_min_max", "sparse_image_float32_atomic_min_max"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000260000), name: "PhysicalDeviceShaderAtomicFloatFeaturesEXT", fields: &["shader_buffer_float32_atomics", "shader_buffer_float32_atomic_add", "shader_buffer_float64_atomics", "shader_buffer_float64_atomic_add", "shader_shared_float32_atomics", "shader_shared_float32_atomic_add", "shader_shared_float64_atomics", "shader_shared_float64_atomic_add", "shader_image_float32_atomics", "shader_image_float32_atomic_add", "sparse_image_float32_atomics", "sparse_image_float32_atomic_add"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000180000), name: "PhysicalDeviceShaderAtomicInt64Features", fields: &["shader_buffer_int64_atomics", "shader_shared_int64_atomics"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000141000), name: "PhysicalDeviceShaderBfloat16FeaturesKHR", fields: &["shader_b_float16_type", "shader_b_float_16dot_product", "shader_b_float16_cooperative_matrix"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000181000), name: "PhysicalDeviceShaderClockFeaturesKHR", fields: &["shader_subgroup_clock", "shader_device_clock"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000231000), name: "PhysicalDeviceShaderConstantDataFeaturesKHR", fields: &["shader_constant_data"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000497000), name: "PhysicalDeviceShaderCoreBuiltinsFeaturesARM", fields: &["shader_core_builtins"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000276000), name: "PhysicalDeviceShaderDemoteToHelperInvocationFeatures", fields: &["shader_demote_to_helper_invocation"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000063000), name: "PhysicalDeviceShaderDrawParametersFeatures", fields: &["shader_draw_parameters"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000321000), name: "PhysicalDeviceShaderEarlyAndLateFragmentTestsFeaturesAMD", fields: &["shader_early_and_late_fragment_tests"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000134000), name: "PhysicalDeviceShaderEnqueueFeaturesAMDX", fields: &["shader_enqueue", "shader_mesh_enqueue"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000544000), name: "PhysicalDeviceShaderExpectAssumeFeatures", fields: &["shader_expect_assume"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000082000), name: "PhysicalDeviceShaderFloat16Int8Features", fields: &["shader_float16", "shader_int8"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000567000), name: "PhysicalDeviceShaderFloat8FeaturesEXT", fields: &["shader_float8", "shader_float8_cooperative_matrix"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000528000), name: "PhysicalDeviceShaderFloatControls2Features", fields: &["shader_float_controls2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000579000), name: "PhysicalDeviceShaderFmaFeaturesKHR", fields: &["shader_fma_float16", "shader_fma_float32", "shader_fma_float64"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000234000), name: "PhysicalDeviceShaderImageAtomicInt64FeaturesEXT", fields: &["shader_image_int64_atomics", "sparse_image_int64_atomics"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000204000), name: "PhysicalDeviceShaderImageFootprintFeaturesNV", fields: &["image_footprint"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000607000), name: "PhysicalDeviceShaderInstrumentationFeaturesARM", fields: &["shader_instrumentation"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000280000), name: "PhysicalDeviceShaderIntegerDotProductFeatures", fields: &["shader_integer_dot_product"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000209000), name: "PhysicalDeviceShaderIntegerFunctions2FeaturesINTEL", fields: &["shader_integer_functions2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000635000), name: "PhysicalDeviceShaderLongVectorFeaturesEXT", fields: &["long_vector"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000434000), name: "PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR", fields: &["shader_maximal_reconvergence"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000673000), name: "PhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE", fields: &["shader_mixed_float_dot_product_float16_acc_float32", "shader_mixed_float_dot_product_float16_acc_float16", "shader_mixed_float_dot_product_b_float16_acc", "shader_mixed_float_dot_product_float8_acc_float32"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000462000), name: "PhysicalDeviceShaderModuleIdentifierFeaturesEXT", fields: &["shader_module_identifier"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000304000), name: "PhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM", fields: &["shader_multiple_wait_queues"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000672000), name: "PhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT", fields: &["shader_float4", "shader_float6", "shader_float8_unsigned_e8_m0", "shader_m_x_int8"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000482000), name: "PhysicalDeviceShaderObjectFeaturesEXT", fields: &["shader_object"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000235000), name: "PhysicalDeviceShaderQuadControlFeaturesKHR", fields: &["shader_quad_control"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000558000), name: "PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR", fields: &["shader_relaxed_extended_instruction"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000564000), name: "PhysicalDeviceShaderReplicatedCompositesFeaturesEXT", fields: &["shader_replicated_composites"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000154000), name: "PhysicalDeviceShaderSMBuiltinsFeaturesNV", fields: &["shader_sm_builtins"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000305000), name: "PhysicalDeviceShaderSplitBarrierFeaturesEXT", fields: &["shader_split_barrier"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000175000), name: "PhysicalDeviceShaderSubgroupExtendedTypesFeatures", fields: &["shader_subgroup_extended_types"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000662000), name: "PhysicalDeviceShaderSubgroupPartitionedFeaturesEXT", fields: &["shader_subgroup_partitioned"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000416000), name: "PhysicalDeviceShaderSubgroupRotateFeatures", fields: &["shader_subgroup_rotate", "shader_subgroup_rotate_clustered"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000323000), name: "PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR", fields: &["shader_subgroup_uniform_control_flow"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000215000), name: "PhysicalDeviceShaderTerminateInvocationFeatures", fields: &["shader_terminate_invocation"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000395000), name: "PhysicalDeviceShaderTileImageFeaturesEXT", fields: &["shader_tile_image_color_read_access", "shader_tile_image_depth_read_access", "shader_tile_image_stencil_read_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000642000), name: "PhysicalDeviceShaderUniformBufferUnsizedArrayFeaturesEXT", fields: &["shader_uniform_buffer_unsized_array"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000387000), name: "PhysicalDeviceShaderUntypedPointersFeaturesKHR", fields: &["shader_untyped_pointers"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000164001), name: "PhysicalDeviceShadingRateImageFeaturesNV", fields: &["shading_rate_image", "shading_rate_coarse_sample_order"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000225002), name: "PhysicalDeviceSubgroupSizeControlFeatures", fields: &["subgroup_size_control", "compute_full_subgroups"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000458000), name: "PhysicalDeviceSubpassMergeFeedbackFeaturesEXT", fields: &["subpass_merge_feedback"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000369001), name: "PhysicalDeviceSubpassShadingFeaturesHUAWEI", fields: &["subpass_shading"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000275000), name: "PhysicalDeviceSwapchainMaintenance1FeaturesKHR", fields: &["swapchain_maintenance1"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000314007), name: "PhysicalDeviceSynchronization2Features", fields: &["synchronization2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000460009), name: "PhysicalDeviceTensorFeaturesARM", fields: &["tensor_non_packed", "shader_tensor_access", "shader_storage_tensor_array_dynamic_indexing", "shader_storage_tensor_array_non_uniform_indexing", "descriptor_binding_storage_tensor_update_after_bind", "tensors"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000281000), name: "PhysicalDeviceTexelBufferAlignmentFeaturesEXT", fields: &["texel_buffer_alignment"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000288000), name: "PhysicalDeviceTextureCompressionASTC3DFeaturesEXT", fields: &["textureCompressionASTC_3D"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000066000), name: "PhysicalDeviceTextureCompressionASTCHDRFeatures", fields: &["texture_compression_astc_hdr"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000674000), name: "PhysicalDeviceThrottleHintFeaturesSEC", fields: &["throttle_hint"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000547000), name: "PhysicalDeviceTileMemoryHeapFeaturesQCOM", fields: &["tile_memory_heap"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000484000), name: "PhysicalDeviceTilePropertiesFeaturesQCOM", fields: &["tile_properties"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000309000), name: "PhysicalDeviceTileShadingFeaturesQCOM", fields: &["tile_shading", "tile_shading_fragment_stage", "tile_shading_color_attachments", "tile_shading_depth_attachments", "tile_shading_stencil_attachments", "tile_shading_input_attachments", "tile_shading_sampled_attachments", "tile_shading_per_tile_draw", "tile_shading_per_tile_dispatch", "tile_shading_dispatch_tile", "tile_shading_apron", "tile_shading_anisotropic_apron", "tile_shading_atomic_ops", "tile_shading_image_processing"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000207000), name: "PhysicalDeviceTimelineSemaphoreFeatures", fields: &["timeline_semaphore"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000028000), name: "PhysicalDeviceTransformFeedbackFeaturesEXT", fields: &["transform_feedback", "geometry_streams"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000527000), name: "PhysicalDeviceUnifiedImageLayoutsFeaturesKHR", fields: &["unified_image_layouts", "unified_image_layouts_video"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000253000), name: "PhysicalDeviceUniformBufferStandardLayoutFeatures", fields: &["uniform_buffer_standard_layout"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000120000), name: "PhysicalDeviceVariablePointersFeatures", fields: &["variable_pointers_storage_buffer", "variable_pointers"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000190002), name: "PhysicalDeviceVertexAttributeDivisorFeatures", fields: &["vertex_attribute_instance_rate_divisor", "vertex_attribute_instance_rate_zero_divisor"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000608000), name: "PhysicalDeviceVertexAttributeRobustnessFeaturesEXT", fields: &["vertex_attribute_robustness"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000352000), name: "PhysicalDeviceVertexInputDynamicStateFeaturesEXT", fields: &["vertex_input_dynamic_state"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000514000), name: "PhysicalDeviceVideoDecodeVP9FeaturesKHR", fields: &["video_decode_vp9"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000513004), name: "PhysicalDeviceVideoEncodeAV1FeaturesKHR", fields: &["video_encode_av1"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000598000), name: "PhysicalDeviceVideoEncodeFeedback2FeaturesKHR", fields: &["video_encode_feedback2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000552004), name: "PhysicalDeviceVideoEncodeIntraRefreshFeaturesKHR", fields: &["video_encode_intra_refresh"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000553009), name: "PhysicalDeviceVideoEncodeQuantizationMapFeaturesKHR", fields: &["video_encode_quantization_map"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000390000), name: "PhysicalDeviceVideoEncodeRgbConversionFeaturesVALVE", fields: &["video_encode_rgb_conversion"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000515000), name: "PhysicalDeviceVideoMaintenance1FeaturesKHR", fields: &["video_maintenance1"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000586000), name: "PhysicalDeviceVideoMaintenance2FeaturesKHR", fields: &["video_maintenance2"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(49), name: "PhysicalDeviceVulkan11Features", fields: &["storage_buffer_16bit_access", "uniform_and_storage_buffer_16bit_access", "storage_push_constant16", "storage_input_output16", "multiview", "multiview_geometry_shader", "multiview_tessellation_shader", "variable_pointers_storage_buffer", "variable_pointers", "protected_memory", "sampler_ycbcr_conversion", "shader_draw_parameters"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(51), name: "PhysicalDeviceVulkan12Features", fields: &["sampler_mirror_clamp_to_edge", "draw_indirect_count", "storage_buffer_8bit_access", "uniform_and_storage_buffer_8bit_access", "storage_push_constant8", "shader_buffer_int64_atomics", "shader_shared_int64_atomics", "shader_float16", "shader_int8", "descriptor_indexing", "shader_input_attachment_array_dynamic_indexing", "shader_uniform_texel_buffer_array_dynamic_indexing", "shader_storage_texel_buffer_array_dynamic_indexing", "shader_uniform_buffer_array_non_uniform_indexing", "shader_sampled_image_array_non_uniform_indexing", "shader_storage_buffer_array_non_uniform_indexing", "shader_storage_image_array_non_uniform_indexing", "shader_input_attachment_array_non_uniform_indexing", "shader_uniform_texel_buffer_array_non_uniform_indexing", "shader_storage_texel_buffer_array_non_uniform_indexing", "descriptor_binding_uniform_buffer_update_after_bind", "descriptor_binding_sampled_image_update_after_bind", "descriptor_binding_storage_image_update_after_bind", "descriptor_binding_storage_buffer_update_after_bind", "descriptor_binding_uniform_texel_buffer_update_after_bind", "descriptor_binding_storage_texel_buffer_update_after_bind", "descriptor_binding_update_unused_while_pending", "descriptor_binding_partially_bound", "descriptor_binding_variable_descriptor_count", "runtime_descriptor_array", "sampler_filter_minmax", "scalar_block_layout", "imageless_framebuffer", "uniform_buffer_standard_layout", "shader_subgroup_extended_types", "separate_depth_stencil_layouts", "host_query_reset", "timeline_semaphore", "buffer_device_address", "buffer_device_address_capture_replay", "buffer_device_address_multi_device", "vulkan_memory_model", "vulkan_memory_model_device_scope", "vulkan_memory_model_availability_visibility_chains", "shader_output_viewport_index", "shader_output_layer", "subgroup_broadcast_dynamic_id"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(53), name: "PhysicalDeviceVulkan13Features", fields: &["robust_image_access", "inline_uniform_block", "descriptor_binding_inline_uniform_block_update_after_bind", "pipeline_creation_cache_control", "private_data", "shader_demote_to_helper_invocation", "shader_terminate_invocation", "subgroup_size_control", "compute_full_subgroups", "synchronization2", "texture_compression_astc_hdr", "shader_zero_initialize_workgroup_memory", "dynamic_rendering", "shader_integer_dot_product", "maintenance4"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(55), name: "PhysicalDeviceVulkan14Features", fields: &["global_priority_query", "shader_subgroup_rotate", "shader_subgroup_rotate_clustered", "shader_float_controls2", "shader_expect_assume", "rectangular_lines", "bresenham_lines", "smooth_lines", "stippled_rectangular_lines", "stippled_bresenham_lines", "stippled_smooth_lines", "vertex_attribute_instance_rate_divisor", "vertex_attribute_instance_rate_zero_divisor", "index_type_uint8", "dynamic_rendering_local_read", "maintenance5", "maintenance6", "pipeline_protected_access", "pipeline_robustness", "host_image_copy", "push_descriptor"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000211000), name: "PhysicalDeviceVulkanMemoryModelFeatures", fields: &["vulkan_memory_model", "vulkan_memory_model_device_scope", "vulkan_memory_model_availability_visibility_chains"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000336000), name: "PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR", fields: &["workgroup_memory_explicit_layout", "workgroup_memory_explicit_layout_scalar_block_layout", "workgroup_memory_explicit_layout_8bit_access", "workgroup_memory_explicit_layout_16bit_access"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000330000), name: "PhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT", fields: &["ycbcr2plane444_formats"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000520000), name: "PhysicalDeviceYcbcrDegammaFeaturesQCOM", fields: &["ycbcr_degamma"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000252000), name: "PhysicalDeviceYcbcrImageArraysFeaturesEXT", fields: &["ycbcr_image_arrays"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000620000), name: "PhysicalDeviceZeroInitializeDeviceMemoryFeaturesEXT", fields: &["zero_initialize_device_memory"] },
    FeatureStruct { s_type: || vk::StructureType::from_raw(1000325000), name: "PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures", fields: &["shader_zero_initialize_workgroup_memory"] },
];

/// Checks that a structure of the bindings is laid out as its fields say.
macro_rules! check {
    ($($name:ident $s_type:literal { $($field:ident)* })*) => {$(
        const _: () = {
            let mut offset = 16;
            $(
                assert!(core::mem::offset_of!(vk::$name, $field) == offset);
                offset += 4;
            )*
            assert!(size_of::<vk::$name>() == offset.next_multiple_of(8));
        };
    )*};
}

#[rustfmt::skip]
check! {
    PhysicalDevice16BitStorageFeatures 1000083000 { storage_buffer_16bit_access uniform_and_storage_buffer_16bit_access storage_push_constant16 storage_input_output16 }
    PhysicalDevice4444FormatsFeaturesEXT 1000340000 { format_a4_r4_g4_b4 format_a4_b4_g4_r4 }
    PhysicalDevice8BitStorageFeatures 1000177000 { storage_buffer_8bit_access uniform_and_storage_buffer_8bit_access storage_push_constant8 }
    PhysicalDeviceASTCDecodeFeaturesEXT 1000067001 { decode_mode_shared_exponent }
    PhysicalDeviceAccelerationStructureFeaturesKHR 1000150013 { acceleration_structure acceleration_structure_capture_replay acceleration_structure_indirect_build acceleration_structure_host_commands descriptor_binding_acceleration_structure_update_after_bind }
    PhysicalDeviceAddressBindingReportFeaturesEXT 1000354000 { report_address_binding }
    PhysicalDeviceAmigoProfilingFeaturesSEC 1000485000 { amigo_profiling }
    PhysicalDeviceAntiLagFeaturesAMD 1000476000 { anti_lag }
    PhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT 1000524000 { attachment_feedback_loop_dynamic_state }
    PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT 1000339000 { attachment_feedback_loop_layout }
    PhysicalDeviceBlendOperationAdvancedFeaturesEXT 1000148000 { advanced_blend_coherent_operations }
    PhysicalDeviceBorderColorSwizzleFeaturesEXT 1000411000 { border_color_swizzle border_color_swizzle_from_image }
    PhysicalDeviceBufferDeviceAddressFeatures 1000257000 { buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device }
    PhysicalDeviceBufferDeviceAddressFeaturesEXT 1000244000 { buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device }
    PhysicalDeviceClusterAccelerationStructureFeaturesNV 1000569000 { cluster_acceleration_structure }
    PhysicalDeviceClusterCullingShaderFeaturesHUAWEI 1000404000 { clusterculling_shader multiview_cluster_culling_shader }
    PhysicalDeviceClusterCullingShaderVrsFeaturesHUAWEI 1000404002 { cluster_shading_rate }
    PhysicalDeviceCoherentMemoryFeaturesAMD 1000229000 { device_coherent_memory }
    PhysicalDeviceColorWriteEnableFeaturesEXT 1000381000 { color_write_enable }
    PhysicalDeviceCommandBufferInheritanceFeaturesNV 1000559000 { command_buffer_inheritance }
    PhysicalDeviceComputeOccupancyPriorityFeaturesNV 1000645001 { compute_occupancy_priority }
    PhysicalDeviceComputeShaderDerivativesFeaturesKHR 1000201000 { compute_derivative_group_quads compute_derivative_group_linear }
    PhysicalDeviceConditionalRenderingFeaturesEXT 1000081001 { conditional_rendering inherited_conditional_rendering }
    PhysicalDeviceCooperativeMatrix2FeaturesNV 1000593000 { cooperative_matrix_workgroup_scope cooperative_matrix_flexible_dimensions cooperative_matrix_reductions cooperative_matrix_conversions cooperative_matrix_per_element_operations cooperative_matrix_tensor_addressing cooperative_matrix_block_loads }
    PhysicalDeviceCooperativeMatrixConversionFeaturesQCOM 1000172000 { cooperative_matrix_conversion }
    PhysicalDeviceCooperativeMatrixFeaturesKHR 1000506000 { cooperative_matrix cooperative_matrix_robust_buffer_access }
    PhysicalDeviceCooperativeMatrixFeaturesNV 1000249000 { cooperative_matrix cooperative_matrix_robust_buffer_access }
    PhysicalDeviceCooperativeVectorFeaturesNV 1000491000 { cooperative_vector cooperative_vector_training }
    PhysicalDeviceCopyMemoryIndirectFeaturesKHR 1000549000 { indirect_memory_copy indirect_memory_to_image_copy }
    PhysicalDeviceCopyMemoryIndirectFeaturesNV 1000426000 { indirect_copy }
    PhysicalDeviceCornerSampledImageFeaturesNV 1000050000 { corner_sampled_image }
    PhysicalDeviceCoverageReductionModeFeaturesNV 1000250000 { coverage_reduction_mode }
    PhysicalDeviceCubicClampFeaturesQCOM 1000521000 { cubic_range_clamp }
    PhysicalDeviceCubicWeightsFeaturesQCOM 1000519001 { selectable_cubic_weights }
    PhysicalDeviceCudaKernelLaunchFeaturesNV 1000307003 { cuda_kernel_launch_features }
    PhysicalDeviceCustomBorderColorFeaturesEXT 1000287002 { custom_border_colors custom_border_color_without_format }
    PhysicalDeviceCustomResolveFeaturesEXT 1000628000 { custom_resolve }
    PhysicalDeviceDataGraphFeaturesARM 1000507006 { data_graph data_graph_update_after_bind data_graph_specialization_constants data_graph_descriptor_buffer data_graph_shader_module }
    PhysicalDeviceDataGraphModelFeaturesQCOM 1000629000 { data_graph_model }
    PhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV 1000240000 { dedicated_allocation_image_aliasing }
    PhysicalDeviceDenseGeometryFormatFeaturesAMDX 1000478000 { dense_geometry_format }
    PhysicalDeviceDepthBiasControlFeaturesEXT 1000283000 { depth_bias_control least_representable_value_force_unorm_representation float_representation depth_bias_exact }
    PhysicalDeviceDepthClampControlFeaturesEXT 1000582000 { depth_clamp_control }
    PhysicalDeviceDepthClampZeroOneFeaturesKHR 1000421000 { depth_clamp_zero_one }
    PhysicalDeviceDepthClipControlFeaturesEXT 1000355000 { depth_clip_control }
    PhysicalDeviceDepthClipEnableFeaturesEXT 1000102000 { depth_clip_enable }
    PhysicalDeviceDescriptorBufferFeaturesEXT 1000316002 { descriptor_buffer descriptor_buffer_capture_replay descriptor_buffer_image_layout_ignored descriptor_buffer_push_descriptors }
    PhysicalDeviceDescriptorBufferTensorFeaturesARM 1000460018 { descriptor_buffer_tensor_descriptors }
    PhysicalDeviceDescriptorHeapFeaturesEXT 1000135009 { descriptor_heap descriptor_heap_capture_replay }
    PhysicalDeviceDescriptorIndexingFeatures 1000161001 { shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind descriptor_binding_uniform_texel_buffer_update_after_bind descriptor_binding_storage_texel_buffer_update_after_bind descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound descriptor_binding_variable_descriptor_count runtime_descriptor_array }
    PhysicalDeviceDescriptorPoolOverallocationFeaturesNV 1000546000 { descriptor_pool_overallocation }
    PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE 1000420000 { descriptor_set_host_mapping }
    PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV 1000428000 { device_generated_compute device_generated_compute_pipelines device_generated_compute_capture_replay }
    PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT 1000572000 { device_generated_commands dynamic_generated_pipeline_layout }
    PhysicalDeviceDeviceGeneratedCommandsFeaturesNV 1000277007 { device_generated_commands }
    PhysicalDeviceDeviceMemoryReportFeaturesEXT 1000284000 { device_memory_report }
    PhysicalDeviceDiagnosticsConfigFeaturesNV 1000300000 { diagnostics_config }
    PhysicalDeviceDisplacementMicromapFeaturesNV 1000397000 { displacement_micromap }
    PhysicalDeviceDynamicRenderingFeatures 1000044003 { dynamic_rendering }
    PhysicalDeviceDynamicRenderingLocalReadFeatures 1000232000 { dynamic_rendering_local_read }
    PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT 1000499000 { dynamic_rendering_unused_attachments }
    PhysicalDeviceExclusiveScissorFeaturesNV 1000205002 { exclusive_scissor }
    PhysicalDeviceExtendedDynamicState2FeaturesEXT 1000377000 { extended_dynamic_state2 extended_dynamic_state2_logic_op extended_dynamic_state2_patch_control_points }
    PhysicalDeviceExtendedDynamicState3FeaturesEXT 1000455000 { extended_dynamic_state3_tessellation_domain_origin extended_dynamic_state_3depth_clamp_enable extended_dynamic_state3_polygon_mode extended_dynamic_state3_rasterization_samples extended_dynamic_state3_sample_mask extended_dynamic_state3_alpha_to_coverage_enable extended_dynamic_state3_alpha_to_one_enable extended_dynamic_state3_logic_op_enable extended_dynamic_state3_color_blend_enable extended_dynamic_state3_color_blend_equation extended_dynamic_state3_color_write_mask extended_dynamic_state3_rasterization_stream extended_dynamic_state3_conservative_rasterization_mode extended_dynamic_state3_extra_primitive_overestimation_size extended_dynamic_state_3depth_clip_enable extended_dynamic_state3_sample_locations_enable extended_dynamic_state3_color_blend_advanced extended_dynamic_state3_provoking_vertex_mode extended_dynamic_state3_line_rasterization_mode extended_dynamic_state3_line_stipple_enable extended_dynamic_state_3depth_clip_negative_one_to_one extended_dynamic_state3_viewport_w_scaling_enable extended_dynamic_state3_viewport_swizzle extended_dynamic_state3_coverage_to_color_enable extended_dynamic_state3_coverage_to_color_location extended_dynamic_state3_coverage_modulation_mode extended_dynamic_state3_coverage_modulation_table_enable extended_dynamic_state3_coverage_modulation_table extended_dynamic_state3_coverage_reduction_mode extended_dynamic_state3_representative_fragment_test_enable extended_dynamic_state3_shading_rate_image_enable }
    PhysicalDeviceExtendedDynamicStateFeaturesEXT 1000267000 { extended_dynamic_state }
    PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV 1000492000 { extended_sparse_address_space }
    PhysicalDeviceExternalFormatResolveFeaturesANDROID 1000468000 { external_format_resolve }
    PhysicalDeviceExternalMemoryRDMAFeaturesNV 1000371001 { external_memory_rdma }
    PhysicalDeviceExternalMemoryScreenBufferFeaturesQNX 1000529004 { screen_buffer_import }
    PhysicalDeviceFaultFeaturesEXT 1000341000 { device_fault device_fault_vendor_binary }
    PhysicalDeviceFormatPackFeaturesARM 1000609000 { format_pack }
    PhysicalDeviceFragmentDensityMap2FeaturesEXT 1000332000 { fragment_density_map_deferred }
    PhysicalDeviceFragmentDensityMapFeaturesEXT 1000218000 { fragment_density_map fragment_density_map_dynamic fragment_density_map_non_subsampled_images }
    PhysicalDeviceFragmentDensityMapLayeredFeaturesVALVE 1000611000 { fragment_density_map_layered }
    PhysicalDeviceFragmentDensityMapOffsetFeaturesEXT 1000425000 { fragment_density_map_offset }
    PhysicalDeviceFragmentShaderBarycentricFeaturesKHR 1000203000 { fragment_shader_barycentric }
    PhysicalDeviceFragmentShaderInterlockFeaturesEXT 1000251000 { fragment_shader_sample_interlock fragment_shader_pixel_interlock fragment_shader_shading_rate_interlock }
    PhysicalDeviceFragmentShadingRateEnumsFeaturesNV 1000326001 { fragment_shading_rate_enums supersample_fragment_shading_rates no_invocation_fragment_shading_rates }
    PhysicalDeviceFragmentShadingRateFeaturesKHR 1000226003 { pipeline_fragment_shading_rate primitive_fragment_shading_rate attachment_fragment_shading_rate }
    PhysicalDeviceFrameBoundaryFeaturesEXT 1000375000 { frame_boundary }
    PhysicalDeviceGlobalPriorityQueryFeatures 1000388000 { global_priority_query }
    PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT 1000320000 { graphics_pipeline_library }
    PhysicalDeviceHdrVividFeaturesHUAWEI 1000590000 { hdr_vivid }
    PhysicalDeviceHostImageCopyFeatures 1000270000 { host_image_copy }
    PhysicalDeviceHostQueryResetFeatures 1000261000 { host_query_reset }
    PhysicalDeviceImage2DViewOf3DFeaturesEXT 1000393000 { image_2d_view_of_3d sampler_2d_view_of_3d }
    PhysicalDeviceImageAlignmentControlFeaturesMESA 1000575000 { image_alignment_control }
    PhysicalDeviceImageCompressionControlFeaturesEXT 1000338000 { image_compression_control }
    PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT 1000437000 { image_compression_control_swapchain }
    PhysicalDeviceImageProcessing2FeaturesQCOM 1000518000 { texture_block_match2 }
    PhysicalDeviceImageProcessingFeaturesQCOM 1000440000 { texture_sample_weighted texture_box_filter texture_block_match }
    PhysicalDeviceImageRobustnessFeatures 1000335000 { robust_image_access }
    PhysicalDeviceImageSlicedViewOf3DFeaturesEXT 1000418000 { image_sliced_view_of_3d }
    PhysicalDeviceImageViewMinLodFeaturesEXT 1000391000 { min_lod }
    PhysicalDeviceImagelessFramebufferFeatures 1000108000 { imageless_framebuffer }
    PhysicalDeviceIndexTypeUint8Features 1000265000 { index_type_uint8 }
    PhysicalDeviceInheritedViewportScissorFeaturesNV 1000278000 { inherited_viewport_scissor_2d }
    PhysicalDeviceInlineUniformBlockFeatures 1000138000 { inline_uniform_block descriptor_binding_inline_uniform_block_update_after_bind }
    PhysicalDeviceInternallySynchronizedQueuesFeaturesKHR 1000504000 { internally_synchronized_queues }
    PhysicalDeviceInvocationMaskFeaturesHUAWEI 1000370000 { invocation_mask }
    PhysicalDeviceLegacyDitheringFeaturesEXT 1000465000 { legacy_dithering }
    PhysicalDeviceLegacyVertexAttributesFeaturesEXT 1000495000 { legacy_vertex_attributes }
    PhysicalDeviceLineRasterizationFeatures 1000259000 { rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines }
    PhysicalDeviceLinearColorAttachmentFeaturesNV 1000430000 { linear_color_attachment }
    PhysicalDeviceMaintenance10FeaturesKHR 1000630000 { maintenance10 }
    PhysicalDeviceMaintenance4Features 1000413000 { maintenance4 }
    PhysicalDeviceMaintenance5Features 1000470000 { maintenance5 }
    PhysicalDeviceMaintenance6Features 1000545000 { maintenance6 }
    PhysicalDeviceMaintenance7FeaturesKHR 1000562000 { maintenance7 }
    PhysicalDeviceMaintenance8FeaturesKHR 1000574000 { maintenance8 }
    PhysicalDeviceMaintenance9FeaturesKHR 1000584000 { maintenance9 }
    PhysicalDeviceMapMemoryPlacedFeaturesEXT 1000272000 { memory_map_placed memory_map_range_placed memory_unmap_reserve }
    PhysicalDeviceMemoryDecompressionFeaturesEXT 1000427000 { memory_decompression }
    PhysicalDeviceMemoryPriorityFeaturesEXT 1000238000 { memory_priority }
    PhysicalDeviceMeshShaderFeaturesEXT 1000328000 { task_shader mesh_shader multiview_mesh_shader primitive_fragment_shading_rate_mesh_shader mesh_shader_queries }
    PhysicalDeviceMeshShaderFeaturesNV 1000202000 { task_shader mesh_shader }
    PhysicalDeviceMultiDrawFeaturesEXT 1000392000 { multi_draw }
    PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT 1000376000 { multisampled_render_to_single_sampled }
    PhysicalDeviceMultiviewFeatures 1000053001 { multiview multiview_geometry_shader multiview_tessellation_shader }
    PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM 1000510000 { multiview_per_view_render_areas }
    PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM 1000488000 { multiview_per_view_viewports }
    PhysicalDeviceMutableDescriptorTypeFeaturesEXT 1000351000 { mutable_descriptor_type }
    PhysicalDeviceNestedCommandBufferFeaturesEXT 1000451000 { nested_command_buffer nested_command_buffer_rendering nested_command_buffer_simultaneous_use }
    PhysicalDeviceNonSeamlessCubeMapFeaturesEXT 1000422000 { non_seamless_cube_map }
    PhysicalDeviceOpacityMicromapFeaturesEXT 1000396005 { micromap micromap_capture_replay micromap_host_commands }
    PhysicalDeviceOpticalFlowFeaturesNV 1000464000 { optical_flow }
    PhysicalDevicePageableDeviceLocalMemoryFeaturesEXT 1000412000 { pageable_device_local_memory }
    PhysicalDevicePartitionedAccelerationStructureFeaturesNV 1000570000 { partitioned_acceleration_structure }
    PhysicalDevicePerStageDescriptorSetFeaturesNV 1000516000 { per_stage_descriptor_set dynamic_pipeline_layout }
    PhysicalDevicePerformanceCountersByRegionFeaturesARM 1000605000 { performance_counters_by_region }
    PhysicalDevicePerformanceQueryFeaturesKHR 1000116000 { performance_counter_query_pools performance_counter_multiple_query_pools }
    PhysicalDevicePipelineBinaryFeaturesKHR 1000483000 { pipeline_binaries }
    PhysicalDevicePipelineCacheIncrementalModeFeaturesSEC 1000637000 { pipeline_cache_incremental_mode }
    PhysicalDevicePipelineCreationCacheControlFeatures 1000297000 { pipeline_creation_cache_control }
    PhysicalDevicePipelineExecutablePropertiesFeaturesKHR 1000269000 { pipeline_executable_info }
    PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT 1000498000 { pipeline_library_group_handles }
    PhysicalDevicePipelineOpacityMicromapFeaturesARM 1000596000 { pipeline_opacity_micromap }
    PhysicalDevicePipelinePropertiesFeaturesEXT 1000372001 { pipeline_properties_identifier }
    PhysicalDevicePipelineProtectedAccessFeatures 1000466000 { pipeline_protected_access }
    PhysicalDevicePipelineRobustnessFeatures 1000068001 { pipeline_robustness }
    PhysicalDevicePortabilitySubsetFeaturesKHR 1000163000 { constant_alpha_color_blend_factors events image_view_format_reinterpretation image_view_format_swizzle image_view_2d_on_3d_image multisample_array_image mutable_comparison_samplers point_polygons sampler_mip_lod_bias separate_stencil_mask_ref shader_sample_rate_interpolation_functions tessellation_isolines tessellation_point_mode triangle_fans vertex_attribute_access_beyond_stride }
    PhysicalDevicePresentBarrierFeaturesNV 1000292000 { present_barrier }
    PhysicalDevicePresentId2FeaturesKHR 1000479002 { present_id2 }
    PhysicalDevicePresentIdFeaturesKHR 1000294001 { present_id }
    PhysicalDevicePresentMeteringFeaturesNV 1000613001 { present_metering }
    PhysicalDevicePresentModeFifoLatestReadyFeaturesKHR 1000361000 { present_mode_fifo_latest_ready }
    PhysicalDevicePresentTimingFeaturesEXT 1000208000 { present_timing present_at_absolute_time present_at_relative_time }
    PhysicalDevicePresentWait2FeaturesKHR 1000480001 { present_wait2 }
    PhysicalDevicePresentWaitFeaturesKHR 1000248000 { present_wait }
    PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT 1000356000 { primitive_topology_list_restart primitive_topology_patch_list_restart }
    PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT 1000382000 { primitives_generated_query primitives_generated_query_with_rasterizer_discard primitives_generated_query_with_non_zero_streams }
    PhysicalDevicePrivateDataFeatures 1000295000 { private_data }
    PhysicalDeviceProtectedMemoryFeatures 1000145001 { protected_memory }
    PhysicalDeviceProvokingVertexFeaturesEXT 1000254000 { provoking_vertex_last transform_feedback_preserves_provoking_vertex }
    PhysicalDevicePushConstantBankFeaturesNV 1000580001 { push_constant_bank }
    PhysicalDeviceRGBA10X6FormatsFeaturesEXT 1000344000 { format_rgba10x6_without_y_cb_cr_sampler }
    PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT 1000342000 { rasterization_order_color_attachment_access rasterization_order_depth_attachment_access rasterization_order_stencil_attachment_access }
    PhysicalDeviceRawAccessChainsFeaturesNV 1000555000 { shader_raw_access_chains }
    PhysicalDeviceRayQueryFeaturesKHR 1000348013 { ray_query }
    PhysicalDeviceRayTracingInvocationReorderFeaturesEXT 1000581000 { ray_tracing_invocation_reorder }
    PhysicalDeviceRayTracingInvocationReorderFeaturesNV 1000490000 { ray_tracing_invocation_reorder }
    PhysicalDeviceRayTracingLinearSweptSpheresFeaturesNV 1000429008 { spheres linear_swept_spheres }
    PhysicalDeviceRayTracingMaintenance1FeaturesKHR 1000386000 { ray_tracing_maintenance1 ray_tracing_pipeline_trace_rays_indirect2 }
    PhysicalDeviceRayTracingMotionBlurFeaturesNV 1000327001 { ray_tracing_motion_blur ray_tracing_motion_blur_pipeline_trace_rays_indirect }
    PhysicalDeviceRayTracingPipelineFeaturesKHR 1000347000 { ray_tracing_pipeline ray_tracing_pipeline_shader_group_handle_capture_replay ray_tracing_pipeline_shader_group_handle_capture_replay_mixed ray_tracing_pipeline_trace_rays_indirect ray_traversal_primitive_culling }
    PhysicalDeviceRayTracingPositionFetchFeaturesKHR 1000481000 { ray_tracing_position_fetch }
    PhysicalDeviceRayTracingValidationFeaturesNV 1000568000 { ray_tracing_validation }
    PhysicalDeviceRelaxedLineRasterizationFeaturesIMG 1000110000 { relaxed_line_rasterization }
    PhysicalDeviceRenderPassStripedFeaturesARM 1000424000 { render_pass_striped }
    PhysicalDeviceRepresentativeFragmentTestFeaturesNV 1000166000 { representative_fragment_test }
    PhysicalDeviceRobustness2FeaturesKHR 1000286000 { robust_buffer_access2 robust_image_access2 null_descriptor }
    PhysicalDeviceSamplerYcbcrConversionFeatures 1000156004 { sampler_ycbcr_conversion }
    PhysicalDeviceScalarBlockLayoutFeatures 1000221000 { scalar_block_layout }
    PhysicalDeviceSchedulingControlsFeaturesARM 1000417001 { scheduling_controls }
    PhysicalDeviceSeparateDepthStencilLayoutsFeatures 1000241000 { separate_depth_stencil_layouts }
    PhysicalDeviceShader64BitIndexingFeaturesEXT 1000627000 { shader_64bit_indexing }
    PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV 1000563000 { shader_float16_vector_atomics }
    PhysicalDeviceShaderAtomicFloat2FeaturesEXT 1000273000 { shader_buffer_float16_atomics shader_buffer_float16_atomic_add shader_buffer_float16_atomic_min_max shader_buffer_float32_atomic_min_max shader_buffer_float64_atomic_min_max shader_shared_float16_atomics shader_shared_float16_atomic_add shader_shared_float16_atomic_min_max shader_shared_float32_atomic_min_max shader_shared_float64_atomic_min_max shader_image_float32_atomic_min_max sparse_image_float32_atomic_min_max }
    PhysicalDeviceShaderAtomicFloatFeaturesEXT 1000260000 { shader_buffer_float32_atomics shader_buffer_float32_atomic_add shader_buffer_float64_atomics shader_buffer_float64_atomic_add shader_shared_float32_atomics shader_shared_float32_atomic_add shader_shared_float64_atomics shader_shared_float64_atomic_add shader_image_float32_atomics shader_image_float32_atomic_add sparse_image_float32_atomics sparse_image_float32_atomic_add }
    PhysicalDeviceShaderAtomicInt64Features 1000180000 { shader_buffer_int64_atomics shader_shared_int64_atomics }
    PhysicalDeviceShaderBfloat16FeaturesKHR 1000141000 { shader_b_float16_type shader_b_float_16dot_product shader_b_float16_cooperative_matrix }
    PhysicalDeviceShaderClockFeaturesKHR 1000181000 { shader_subgroup_clock shader_device_clock }
    PhysicalDeviceShaderCoreBuiltinsFeaturesARM 1000497000 { shader_core_builtins }
    PhysicalDeviceShaderDemoteToHelperInvocationFeatures 1000276000 { shader_demote_to_helper_invocation }
    PhysicalDeviceShaderDrawParametersFeatures 1000063000 { shader_draw_parameters }
    PhysicalDeviceShaderEarlyAndLateFragmentTestsFeaturesAMD 1000321000 { shader_early_and_late_fragment_tests }
    PhysicalDeviceShaderEnqueueFeaturesAMDX 1000134000 { shader_enqueue shader_mesh_enqueue }
    PhysicalDeviceShaderExpectAssumeFeatures 1000544000 { shader_expect_assume }
    PhysicalDeviceShaderFloat16Int8Features 1000082000 { shader_float16 shader_int8 }
    PhysicalDeviceShaderFloat8FeaturesEXT 1000567000 { shader_float8 shader_float8_cooperative_matrix }
    PhysicalDeviceShaderFloatControls2Features 1000528000 { shader_float_controls2 }
    PhysicalDeviceShaderFmaFeaturesKHR 1000579000 { shader_fma_float16 shader_fma_float32 shader_fma_float64 }
    PhysicalDeviceShaderImageAtomicInt64FeaturesEXT 1000234000 { shader_image_int64_atomics sparse_image_int64_atomics }
    PhysicalDeviceShaderImageFootprintFeaturesNV 1000204000 { image_footprint }
    PhysicalDeviceShaderIntegerDotProductFeatures 1000280000 { shader_integer_dot_product }
    PhysicalDeviceShaderIntegerFunctions2FeaturesINTEL 1000209000 { shader_integer_functions2 }
    PhysicalDeviceShaderLongVectorFeaturesEXT 1000635000 { long_vector }
    PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR 1000434000 { shader_maximal_reconvergence }
    PhysicalDeviceShaderModuleIdentifierFeaturesEXT 1000462000 { shader_module_identifier }
    PhysicalDeviceShaderObjectFeaturesEXT 1000482000 { shader_object }
    PhysicalDeviceShaderQuadControlFeaturesKHR 1000235000 { shader_quad_control }
    PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR 1000558000 { shader_relaxed_extended_instruction }
    PhysicalDeviceShaderReplicatedCompositesFeaturesEXT 1000564000 { shader_replicated_composites }
    PhysicalDeviceShaderSMBuiltinsFeaturesNV 1000154000 { shader_sm_builtins }
    PhysicalDeviceShaderSubgroupExtendedTypesFeatures 1000175000 { shader_subgroup_extended_types }
    PhysicalDeviceShaderSubgroupPartitionedFeaturesEXT 1000662000 { shader_subgroup_partitioned }
    PhysicalDeviceShaderSubgroupRotateFeatures 1000416000 { shader_subgroup_rotate shader_subgroup_rotate_clustered }
    PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR 1000323000 { shader_subgroup_uniform_control_flow }
    PhysicalDeviceShaderTerminateInvocationFeatures 1000215000 { shader_terminate_invocation }
    PhysicalDeviceShaderTileImageFeaturesEXT 1000395000 { shader_tile_image_color_read_access shader_tile_image_depth_read_access shader_tile_image_stencil_read_access }
    PhysicalDeviceShaderUniformBufferUnsizedArrayFeaturesEXT 1000642000 { shader_uniform_buffer_unsized_array }
    PhysicalDeviceShaderUntypedPointersFeaturesKHR 1000387000 { shader_untyped_pointers }
    PhysicalDeviceShadingRateImageFeaturesNV 1000164001 { shading_rate_image shading_rate_coarse_sample_order }
    PhysicalDeviceSubgroupSizeControlFeatures 1000225002 { subgroup_size_control compute_full_subgroups }
    PhysicalDeviceSubpassMergeFeedbackFeaturesEXT 1000458000 { subpass_merge_feedback }
    PhysicalDeviceSubpassShadingFeaturesHUAWEI 1000369001 { subpass_shading }
    PhysicalDeviceSwapchainMaintenance1FeaturesKHR 1000275000 { swapchain_maintenance1 }
    PhysicalDeviceSynchronization2Features 1000314007 { synchronization2 }
    PhysicalDeviceTensorFeaturesARM 1000460009 { tensor_non_packed shader_tensor_access shader_storage_tensor_array_dynamic_indexing shader_storage_tensor_array_non_uniform_indexing descriptor_binding_storage_tensor_update_after_bind tensors }
    PhysicalDeviceTexelBufferAlignmentFeaturesEXT 1000281000 { texel_buffer_alignment }
    PhysicalDeviceTextureCompressionASTC3DFeaturesEXT 1000288000 { textureCompressionASTC_3D }
    PhysicalDeviceTextureCompressionASTCHDRFeatures 1000066000 { texture_compression_astc_hdr }
    PhysicalDeviceTileMemoryHeapFeaturesQCOM 1000547000 { tile_memory_heap }
    PhysicalDeviceTilePropertiesFeaturesQCOM 1000484000 { tile_properties }
    PhysicalDeviceTileShadingFeaturesQCOM 1000309000 { tile_shading tile_shading_fragment_stage tile_shading_color_attachments tile_shading_depth_attachments tile_shading_stencil_attachments tile_shading_input_attachments tile_shading_sampled_attachments tile_shading_per_tile_draw tile_shading_per_tile_dispatch tile_shading_dispatch_tile tile_shading_apron tile_shading_anisotropic_apron tile_shading_atomic_ops tile_shading_image_processing }
    PhysicalDeviceTimelineSemaphoreFeatures 1000207000 { timeline_semaphore }
    PhysicalDeviceTransformFeedbackFeaturesEXT 1000028000 { transform_feedback geometry_streams }
    PhysicalDeviceUnifiedImageLayoutsFeaturesKHR 1000527000 { unified_image_layouts unified_image_layouts_video }
    PhysicalDeviceUniformBufferStandardLayoutFeatures 1000253000 { uniform_buffer_standard_layout }
    PhysicalDeviceVariablePointersFeatures 1000120000 { variable_pointers_storage_buffer variable_pointers }
    PhysicalDeviceVertexAttributeDivisorFeatures 1000190002 { vertex_attribute_instance_rate_divisor vertex_attribute_instance_rate_zero_divisor }
    PhysicalDeviceVertexAttributeRobustnessFeaturesEXT 1000608000 { vertex_attribute_robustness }
    PhysicalDeviceVertexInputDynamicStateFeaturesEXT 1000352000 { vertex_input_dynamic_state }
    PhysicalDeviceVideoDecodeVP9FeaturesKHR 1000514000 { video_decode_vp9 }
    PhysicalDeviceVideoEncodeAV1FeaturesKHR 1000513004 { video_encode_av1 }
    PhysicalDeviceVideoEncodeIntraRefreshFeaturesKHR 1000552004 { video_encode_intra_refresh }
    PhysicalDeviceVideoEncodeQuantizationMapFeaturesKHR 1000553009 { video_encode_quantization_map }
    PhysicalDeviceVideoEncodeRgbConversionFeaturesVALVE 1000390000 { video_encode_rgb_conversion }
    PhysicalDeviceVideoMaintenance1FeaturesKHR 1000515000 { video_maintenance1 }
    PhysicalDeviceVideoMaintenance2FeaturesKHR 1000586000 { video_maintenance2 }
    PhysicalDeviceVulkan11Features 49 { storage_buffer_16bit_access uniform_and_storage_buffer_16bit_access storage_push_constant16 storage_input_output16 multiview multiview_geometry_shader multiview_tessellation_shader variable_pointers_storage_buffer variable_pointers protected_memory sampler_ycbcr_conversion shader_draw_parameters }
    PhysicalDeviceVulkan12Features 51 { sampler_mirror_clamp_to_edge draw_indirect_count storage_buffer_8bit_access uniform_and_storage_buffer_8bit_access storage_push_constant8 shader_buffer_int64_atomics shader_shared_int64_atomics shader_float16 shader_int8 descriptor_indexing shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind descriptor_binding_uniform_texel_buffer_update_after_bind descriptor_binding_storage_texel_buffer_update_after_bind descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound descriptor_binding_variable_descriptor_count runtime_descriptor_array sampler_filter_minmax scalar_block_layout imageless_framebuffer uniform_buffer_standard_layout shader_subgroup_extended_types separate_depth_stencil_layouts host_query_reset timeline_semaphore buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device vulkan_memory_model vulkan_memory_model_device_scope vulkan_memory_model_availability_visibility_chains shader_output_viewport_index shader_output_layer subgroup_broadcast_dynamic_id }
    PhysicalDeviceVulkan13Features 53 { robust_image_access inline_uniform_block descriptor_binding_inline_uniform_block_update_after_bind pipeline_creation_cache_control private_data shader_demote_to_helper_invocation shader_terminate_invocation subgroup_size_control compute_full_subgroups synchronization2 texture_compression_astc_hdr shader_zero_initialize_workgroup_memory dynamic_rendering shader_integer_dot_product maintenance4 }
    PhysicalDeviceVulkan14Features 55 { global_priority_query shader_subgroup_rotate shader_subgroup_rotate_clustered shader_float_controls2 shader_expect_assume rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines vertex_attribute_instance_rate_divisor vertex_attribute_instance_rate_zero_divisor index_type_uint8 dynamic_rendering_local_read maintenance5 maintenance6 pipeline_protected_access pipeline_robustness host_image_copy push_descriptor }
    PhysicalDeviceVulkanMemoryModelFeatures 1000211000 { vulkan_memory_model vulkan_memory_model_device_scope vulkan_memory_model_availability_visibility_chains }
    PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR 1000336000 { workgroup_memory_explicit_layout workgroup_memory_explicit_layout_scalar_block_layout workgroup_memory_explicit_layout_8bit_access workgroup_memory_explicit_layout_16bit_access }
    PhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT 1000330000 { ycbcr2plane444_formats }
    PhysicalDeviceYcbcrDegammaFeaturesQCOM 1000520000 { ycbcr_degamma }
    PhysicalDeviceYcbcrImageArraysFeaturesEXT 1000252000 { ycbcr_image_arrays }
    PhysicalDeviceZeroInitializeDeviceMemoryFeaturesEXT 1000620000 { zero_initialize_device_memory }
    PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures 1000325000 { shader_zero_initialize_workgroup_memory }
}
