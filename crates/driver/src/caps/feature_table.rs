//! The fields of every feature structure of the registry, in their order.
//!
//! A structure is its `sType`, its `pNext` and one `VkBool32` for each field, so its names say all of its
//! layout; which of them are on is [`super::features`]'s matter. Made from the registry's structures; the
//! sizes are checked against them at compile time.

use super::features::FeatureStruct;
use vulkanalia_sys as vk;

/// Makes the table.
macro_rules! feature_structs {
    ($($name:ident { $($field:ident)* })*) => {
        /// Every structure that may extend `VkPhysicalDeviceFeatures2`.
        pub(super) const FEATURE_STRUCTS: &[FeatureStruct] = &[$(FeatureStruct {
            s_type: || vk::$name::default().s_type,
            name: stringify!($name),
            fields: &[$(stringify!($field)),*],
        }),*];
        $($(const _: () = assert!(
            core::mem::offset_of!(vk::$name, $field) >= 16 && size_of::<vk::$name>() >= 20
        );)*)*
    };
}

#[rustfmt::skip]
feature_structs! {
    PhysicalDevice16BitStorageFeatures { storage_buffer_16bit_access uniform_and_storage_buffer_16bit_access storage_push_constant16 storage_input_output16 }
    PhysicalDevice4444FormatsFeaturesEXT { format_a4_r4_g4_b4 format_a4_b4_g4_r4 }
    PhysicalDevice8BitStorageFeatures { storage_buffer_8bit_access uniform_and_storage_buffer_8bit_access storage_push_constant8 }
    PhysicalDeviceASTCDecodeFeaturesEXT { decode_mode_shared_exponent }
    PhysicalDeviceAccelerationStructureFeaturesKHR { acceleration_structure acceleration_structure_capture_replay acceleration_structure_indirect_build acceleration_structure_host_commands descriptor_binding_acceleration_structure_update_after_bind }
    PhysicalDeviceAddressBindingReportFeaturesEXT { report_address_binding }
    PhysicalDeviceAmigoProfilingFeaturesSEC { amigo_profiling }
    PhysicalDeviceAntiLagFeaturesAMD { anti_lag }
    PhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT { attachment_feedback_loop_dynamic_state }
    PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT { attachment_feedback_loop_layout }
    PhysicalDeviceBlendOperationAdvancedFeaturesEXT { advanced_blend_coherent_operations }
    PhysicalDeviceBorderColorSwizzleFeaturesEXT { border_color_swizzle border_color_swizzle_from_image }
    PhysicalDeviceBufferDeviceAddressFeatures { buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device }
    PhysicalDeviceBufferDeviceAddressFeaturesEXT { buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device }
    PhysicalDeviceClusterAccelerationStructureFeaturesNV { cluster_acceleration_structure }
    PhysicalDeviceClusterCullingShaderFeaturesHUAWEI { clusterculling_shader multiview_cluster_culling_shader }
    PhysicalDeviceClusterCullingShaderVrsFeaturesHUAWEI { cluster_shading_rate }
    PhysicalDeviceCoherentMemoryFeaturesAMD { device_coherent_memory }
    PhysicalDeviceColorWriteEnableFeaturesEXT { color_write_enable }
    PhysicalDeviceCommandBufferInheritanceFeaturesNV { command_buffer_inheritance }
    PhysicalDeviceComputeOccupancyPriorityFeaturesNV { compute_occupancy_priority }
    PhysicalDeviceComputeShaderDerivativesFeaturesKHR { compute_derivative_group_quads compute_derivative_group_linear }
    PhysicalDeviceConditionalRenderingFeaturesEXT { conditional_rendering inherited_conditional_rendering }
    PhysicalDeviceCooperativeMatrix2FeaturesNV { cooperative_matrix_workgroup_scope cooperative_matrix_flexible_dimensions cooperative_matrix_reductions cooperative_matrix_conversions cooperative_matrix_per_element_operations cooperative_matrix_tensor_addressing cooperative_matrix_block_loads }
    PhysicalDeviceCooperativeMatrixConversionFeaturesQCOM { cooperative_matrix_conversion }
    PhysicalDeviceCooperativeMatrixFeaturesKHR { cooperative_matrix cooperative_matrix_robust_buffer_access }
    PhysicalDeviceCooperativeMatrixFeaturesNV { cooperative_matrix cooperative_matrix_robust_buffer_access }
    PhysicalDeviceCooperativeVectorFeaturesNV { cooperative_vector cooperative_vector_training }
    PhysicalDeviceCopyMemoryIndirectFeaturesKHR { indirect_memory_copy indirect_memory_to_image_copy }
    PhysicalDeviceCopyMemoryIndirectFeaturesNV { indirect_copy }
    PhysicalDeviceCornerSampledImageFeaturesNV { corner_sampled_image }
    PhysicalDeviceCoverageReductionModeFeaturesNV { coverage_reduction_mode }
    PhysicalDeviceCubicClampFeaturesQCOM { cubic_range_clamp }
    PhysicalDeviceCubicWeightsFeaturesQCOM { selectable_cubic_weights }
    PhysicalDeviceCudaKernelLaunchFeaturesNV { cuda_kernel_launch_features }
    PhysicalDeviceCustomBorderColorFeaturesEXT { custom_border_colors custom_border_color_without_format }
    PhysicalDeviceCustomResolveFeaturesEXT { custom_resolve }
    PhysicalDeviceDataGraphFeaturesARM { data_graph data_graph_update_after_bind data_graph_specialization_constants data_graph_descriptor_buffer data_graph_shader_module }
    PhysicalDeviceDataGraphModelFeaturesQCOM { data_graph_model }
    PhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV { dedicated_allocation_image_aliasing }
    PhysicalDeviceDenseGeometryFormatFeaturesAMDX { dense_geometry_format }
    PhysicalDeviceDepthBiasControlFeaturesEXT { depth_bias_control least_representable_value_force_unorm_representation float_representation depth_bias_exact }
    PhysicalDeviceDepthClampControlFeaturesEXT { depth_clamp_control }
    PhysicalDeviceDepthClampZeroOneFeaturesKHR { depth_clamp_zero_one }
    PhysicalDeviceDepthClipControlFeaturesEXT { depth_clip_control }
    PhysicalDeviceDepthClipEnableFeaturesEXT { depth_clip_enable }
    PhysicalDeviceDescriptorBufferFeaturesEXT { descriptor_buffer descriptor_buffer_capture_replay descriptor_buffer_image_layout_ignored descriptor_buffer_push_descriptors }
    PhysicalDeviceDescriptorBufferTensorFeaturesARM { descriptor_buffer_tensor_descriptors }
    PhysicalDeviceDescriptorHeapFeaturesEXT { descriptor_heap descriptor_heap_capture_replay }
    PhysicalDeviceDescriptorIndexingFeatures { shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind descriptor_binding_uniform_texel_buffer_update_after_bind descriptor_binding_storage_texel_buffer_update_after_bind descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound descriptor_binding_variable_descriptor_count runtime_descriptor_array }
    PhysicalDeviceDescriptorPoolOverallocationFeaturesNV { descriptor_pool_overallocation }
    PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE { descriptor_set_host_mapping }
    PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV { device_generated_compute device_generated_compute_pipelines device_generated_compute_capture_replay }
    PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT { device_generated_commands dynamic_generated_pipeline_layout }
    PhysicalDeviceDeviceGeneratedCommandsFeaturesNV { device_generated_commands }
    PhysicalDeviceDeviceMemoryReportFeaturesEXT { device_memory_report }
    PhysicalDeviceDiagnosticsConfigFeaturesNV { diagnostics_config }
    PhysicalDeviceDisplacementMicromapFeaturesNV { displacement_micromap }
    PhysicalDeviceDynamicRenderingFeatures { dynamic_rendering }
    PhysicalDeviceDynamicRenderingLocalReadFeatures { dynamic_rendering_local_read }
    PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT { dynamic_rendering_unused_attachments }
    PhysicalDeviceExclusiveScissorFeaturesNV { exclusive_scissor }
    PhysicalDeviceExtendedDynamicState2FeaturesEXT { extended_dynamic_state2 extended_dynamic_state2_logic_op extended_dynamic_state2_patch_control_points }
    PhysicalDeviceExtendedDynamicState3FeaturesEXT { extended_dynamic_state3_tessellation_domain_origin extended_dynamic_state_3depth_clamp_enable extended_dynamic_state3_polygon_mode extended_dynamic_state3_rasterization_samples extended_dynamic_state3_sample_mask extended_dynamic_state3_alpha_to_coverage_enable extended_dynamic_state3_alpha_to_one_enable extended_dynamic_state3_logic_op_enable extended_dynamic_state3_color_blend_enable extended_dynamic_state3_color_blend_equation extended_dynamic_state3_color_write_mask extended_dynamic_state3_rasterization_stream extended_dynamic_state3_conservative_rasterization_mode extended_dynamic_state3_extra_primitive_overestimation_size extended_dynamic_state_3depth_clip_enable extended_dynamic_state3_sample_locations_enable extended_dynamic_state3_color_blend_advanced extended_dynamic_state3_provoking_vertex_mode extended_dynamic_state3_line_rasterization_mode extended_dynamic_state3_line_stipple_enable extended_dynamic_state_3depth_clip_negative_one_to_one extended_dynamic_state3_viewport_w_scaling_enable extended_dynamic_state3_viewport_swizzle extended_dynamic_state3_coverage_to_color_enable extended_dynamic_state3_coverage_to_color_location extended_dynamic_state3_coverage_modulation_mode extended_dynamic_state3_coverage_modulation_table_enable extended_dynamic_state3_coverage_modulation_table extended_dynamic_state3_coverage_reduction_mode extended_dynamic_state3_representative_fragment_test_enable extended_dynamic_state3_shading_rate_image_enable }
    PhysicalDeviceExtendedDynamicStateFeaturesEXT { extended_dynamic_state }
    PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV { extended_sparse_address_space }
    PhysicalDeviceExternalFormatResolveFeaturesANDROID { external_format_resolve }
    PhysicalDeviceExternalMemoryRDMAFeaturesNV { external_memory_rdma }
    PhysicalDeviceExternalMemorySciBufFeaturesNV { sci_buf_import sci_buf_export }
    PhysicalDeviceExternalMemoryScreenBufferFeaturesQNX { screen_buffer_import }
    PhysicalDeviceExternalSciSync2FeaturesNV { sci_sync_fence sci_sync_semaphore2 sci_sync_import sci_sync_export }
    PhysicalDeviceExternalSciSyncFeaturesNV { sci_sync_fence sci_sync_semaphore sci_sync_import sci_sync_export }
    PhysicalDeviceFaultFeaturesEXT { device_fault device_fault_vendor_binary }
    PhysicalDeviceFormatPackFeaturesARM { format_pack }
    PhysicalDeviceFragmentDensityMap2FeaturesEXT { fragment_density_map_deferred }
    PhysicalDeviceFragmentDensityMapFeaturesEXT { fragment_density_map fragment_density_map_dynamic fragment_density_map_non_subsampled_images }
    PhysicalDeviceFragmentDensityMapLayeredFeaturesVALVE { fragment_density_map_layered }
    PhysicalDeviceFragmentDensityMapOffsetFeaturesEXT { fragment_density_map_offset }
    PhysicalDeviceFragmentShaderBarycentricFeaturesKHR { fragment_shader_barycentric }
    PhysicalDeviceFragmentShaderInterlockFeaturesEXT { fragment_shader_sample_interlock fragment_shader_pixel_interlock fragment_shader_shading_rate_interlock }
    PhysicalDeviceFragmentShadingRateEnumsFeaturesNV { fragment_shading_rate_enums supersample_fragment_shading_rates no_invocation_fragment_shading_rates }
    PhysicalDeviceFragmentShadingRateFeaturesKHR { pipeline_fragment_shading_rate primitive_fragment_shading_rate attachment_fragment_shading_rate }
    PhysicalDeviceFrameBoundaryFeaturesEXT { frame_boundary }
    PhysicalDeviceGlobalPriorityQueryFeatures { global_priority_query }
    PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT { graphics_pipeline_library }
    PhysicalDeviceHdrVividFeaturesHUAWEI { hdr_vivid }
    PhysicalDeviceHostImageCopyFeatures { host_image_copy }
    PhysicalDeviceHostQueryResetFeatures { host_query_reset }
    PhysicalDeviceImage2DViewOf3DFeaturesEXT { image_2d_view_of_3d sampler_2d_view_of_3d }
    PhysicalDeviceImageAlignmentControlFeaturesMESA { image_alignment_control }
    PhysicalDeviceImageCompressionControlFeaturesEXT { image_compression_control }
    PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT { image_compression_control_swapchain }
    PhysicalDeviceImageProcessing2FeaturesQCOM { texture_block_match2 }
    PhysicalDeviceImageProcessingFeaturesQCOM { texture_sample_weighted texture_box_filter texture_block_match }
    PhysicalDeviceImageRobustnessFeatures { robust_image_access }
    PhysicalDeviceImageSlicedViewOf3DFeaturesEXT { image_sliced_view_of_3d }
    PhysicalDeviceImageViewMinLodFeaturesEXT { min_lod }
    PhysicalDeviceImagelessFramebufferFeatures { imageless_framebuffer }
    PhysicalDeviceIndexTypeUint8Features { index_type_uint8 }
    PhysicalDeviceInheritedViewportScissorFeaturesNV { inherited_viewport_scissor_2d }
    PhysicalDeviceInlineUniformBlockFeatures { inline_uniform_block descriptor_binding_inline_uniform_block_update_after_bind }
    PhysicalDeviceInternallySynchronizedQueuesFeaturesKHR { internally_synchronized_queues }
    PhysicalDeviceInvocationMaskFeaturesHUAWEI { invocation_mask }
    PhysicalDeviceLegacyDitheringFeaturesEXT { legacy_dithering }
    PhysicalDeviceLegacyVertexAttributesFeaturesEXT { legacy_vertex_attributes }
    PhysicalDeviceLineRasterizationFeatures { rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines }
    PhysicalDeviceLinearColorAttachmentFeaturesNV { linear_color_attachment }
    PhysicalDeviceMaintenance10FeaturesKHR { maintenance10 }
    PhysicalDeviceMaintenance4Features { maintenance4 }
    PhysicalDeviceMaintenance5Features { maintenance5 }
    PhysicalDeviceMaintenance6Features { maintenance6 }
    PhysicalDeviceMaintenance7FeaturesKHR { maintenance7 }
    PhysicalDeviceMaintenance8FeaturesKHR { maintenance8 }
    PhysicalDeviceMaintenance9FeaturesKHR { maintenance9 }
    PhysicalDeviceMapMemoryPlacedFeaturesEXT { memory_map_placed memory_map_range_placed memory_unmap_reserve }
    PhysicalDeviceMemoryDecompressionFeaturesEXT { memory_decompression }
    PhysicalDeviceMemoryPriorityFeaturesEXT { memory_priority }
    PhysicalDeviceMeshShaderFeaturesEXT { task_shader mesh_shader multiview_mesh_shader primitive_fragment_shading_rate_mesh_shader mesh_shader_queries }
    PhysicalDeviceMeshShaderFeaturesNV { task_shader mesh_shader }
    PhysicalDeviceMultiDrawFeaturesEXT { multi_draw }
    PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT { multisampled_render_to_single_sampled }
    PhysicalDeviceMultiviewFeatures { multiview multiview_geometry_shader multiview_tessellation_shader }
    PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM { multiview_per_view_render_areas }
    PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM { multiview_per_view_viewports }
    PhysicalDeviceMutableDescriptorTypeFeaturesEXT { mutable_descriptor_type }
    PhysicalDeviceNestedCommandBufferFeaturesEXT { nested_command_buffer nested_command_buffer_rendering nested_command_buffer_simultaneous_use }
    PhysicalDeviceNonSeamlessCubeMapFeaturesEXT { non_seamless_cube_map }
    PhysicalDeviceOpacityMicromapFeaturesEXT { micromap micromap_capture_replay micromap_host_commands }
    PhysicalDeviceOpticalFlowFeaturesNV { optical_flow }
    PhysicalDevicePageableDeviceLocalMemoryFeaturesEXT { pageable_device_local_memory }
    PhysicalDevicePartitionedAccelerationStructureFeaturesNV { partitioned_acceleration_structure }
    PhysicalDevicePerStageDescriptorSetFeaturesNV { per_stage_descriptor_set dynamic_pipeline_layout }
    PhysicalDevicePerformanceCountersByRegionFeaturesARM { performance_counters_by_region }
    PhysicalDevicePerformanceQueryFeaturesKHR { performance_counter_query_pools performance_counter_multiple_query_pools }
    PhysicalDevicePipelineBinaryFeaturesKHR { pipeline_binaries }
    PhysicalDevicePipelineCacheIncrementalModeFeaturesSEC { pipeline_cache_incremental_mode }
    PhysicalDevicePipelineCreationCacheControlFeatures { pipeline_creation_cache_control }
    PhysicalDevicePipelineExecutablePropertiesFeaturesKHR { pipeline_executable_info }
    PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT { pipeline_library_group_handles }
    PhysicalDevicePipelineOpacityMicromapFeaturesARM { pipeline_opacity_micromap }
    PhysicalDevicePipelinePropertiesFeaturesEXT { pipeline_properties_identifier }
    PhysicalDevicePipelineProtectedAccessFeatures { pipeline_protected_access }
    PhysicalDevicePipelineRobustnessFeatures { pipeline_robustness }
    PhysicalDevicePortabilitySubsetFeaturesKHR { constant_alpha_color_blend_factors events image_view_format_reinterpretation image_view_format_swizzle image_view_2d_on_3d_image multisample_array_image mutable_comparison_samplers point_polygons sampler_mip_lod_bias separate_stencil_mask_ref shader_sample_rate_interpolation_functions tessellation_isolines tessellation_point_mode triangle_fans vertex_attribute_access_beyond_stride }
    PhysicalDevicePresentBarrierFeaturesNV { present_barrier }
    PhysicalDevicePresentId2FeaturesKHR { present_id2 }
    PhysicalDevicePresentIdFeaturesKHR { present_id }
    PhysicalDevicePresentMeteringFeaturesNV { present_metering }
    PhysicalDevicePresentModeFifoLatestReadyFeaturesKHR { present_mode_fifo_latest_ready }
    PhysicalDevicePresentTimingFeaturesEXT { present_timing present_at_absolute_time present_at_relative_time }
    PhysicalDevicePresentWait2FeaturesKHR { present_wait2 }
    PhysicalDevicePresentWaitFeaturesKHR { present_wait }
    PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT { primitive_topology_list_restart primitive_topology_patch_list_restart }
    PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT { primitives_generated_query primitives_generated_query_with_rasterizer_discard primitives_generated_query_with_non_zero_streams }
    PhysicalDevicePrivateDataFeatures { private_data }
    PhysicalDeviceProtectedMemoryFeatures { protected_memory }
    PhysicalDeviceProvokingVertexFeaturesEXT { provoking_vertex_last transform_feedback_preserves_provoking_vertex }
    PhysicalDevicePushConstantBankFeaturesNV { push_constant_bank }
    PhysicalDeviceRGBA10X6FormatsFeaturesEXT { format_rgba10x6_without_y_cb_cr_sampler }
    PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT { rasterization_order_color_attachment_access rasterization_order_depth_attachment_access rasterization_order_stencil_attachment_access }
    PhysicalDeviceRawAccessChainsFeaturesNV { shader_raw_access_chains }
    PhysicalDeviceRayQueryFeaturesKHR { ray_query }
    PhysicalDeviceRayTracingInvocationReorderFeaturesEXT { ray_tracing_invocation_reorder }
    PhysicalDeviceRayTracingInvocationReorderFeaturesNV { ray_tracing_invocation_reorder }
    PhysicalDeviceRayTracingLinearSweptSpheresFeaturesNV { spheres linear_swept_spheres }
    PhysicalDeviceRayTracingMaintenance1FeaturesKHR { ray_tracing_maintenance1 ray_tracing_pipeline_trace_rays_indirect2 }
    PhysicalDeviceRayTracingMotionBlurFeaturesNV { ray_tracing_motion_blur ray_tracing_motion_blur_pipeline_trace_rays_indirect }
    PhysicalDeviceRayTracingPipelineFeaturesKHR { ray_tracing_pipeline ray_tracing_pipeline_shader_group_handle_capture_replay ray_tracing_pipeline_shader_group_handle_capture_replay_mixed ray_tracing_pipeline_trace_rays_indirect ray_traversal_primitive_culling }
    PhysicalDeviceRayTracingPositionFetchFeaturesKHR { ray_tracing_position_fetch }
    PhysicalDeviceRayTracingValidationFeaturesNV { ray_tracing_validation }
    PhysicalDeviceRelaxedLineRasterizationFeaturesIMG { relaxed_line_rasterization }
    PhysicalDeviceRenderPassStripedFeaturesARM { render_pass_striped }
    PhysicalDeviceRepresentativeFragmentTestFeaturesNV { representative_fragment_test }
    PhysicalDeviceRobustness2FeaturesKHR { robust_buffer_access2 robust_image_access2 null_descriptor }
    PhysicalDeviceSamplerYcbcrConversionFeatures { sampler_ycbcr_conversion }
    PhysicalDeviceScalarBlockLayoutFeatures { scalar_block_layout }
    PhysicalDeviceSchedulingControlsFeaturesARM { scheduling_controls }
    PhysicalDeviceSeparateDepthStencilLayoutsFeatures { separate_depth_stencil_layouts }
    PhysicalDeviceShader64BitIndexingFeaturesEXT { shader_64bit_indexing }
    PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV { shader_float16_vector_atomics }
    PhysicalDeviceShaderAtomicFloat2FeaturesEXT { shader_buffer_float16_atomics shader_buffer_float16_atomic_add shader_buffer_float16_atomic_min_max shader_buffer_float32_atomic_min_max shader_buffer_float64_atomic_min_max shader_shared_float16_atomics shader_shared_float16_atomic_add shader_shared_float16_atomic_min_max shader_shared_float32_atomic_min_max shader_shared_float64_atomic_min_max shader_image_float32_atomic_min_max sparse_image_float32_atomic_min_max }
    PhysicalDeviceShaderAtomicFloatFeaturesEXT { shader_buffer_float32_atomics shader_buffer_float32_atomic_add shader_buffer_float64_atomics shader_buffer_float64_atomic_add shader_shared_float32_atomics shader_shared_float32_atomic_add shader_shared_float64_atomics shader_shared_float64_atomic_add shader_image_float32_atomics shader_image_float32_atomic_add sparse_image_float32_atomics sparse_image_float32_atomic_add }
    PhysicalDeviceShaderAtomicInt64Features { shader_buffer_int64_atomics shader_shared_int64_atomics }
    PhysicalDeviceShaderBfloat16FeaturesKHR { shader_b_float16_type shader_b_float_16dot_product shader_b_float16_cooperative_matrix }
    PhysicalDeviceShaderClockFeaturesKHR { shader_subgroup_clock shader_device_clock }
    PhysicalDeviceShaderCoreBuiltinsFeaturesARM { shader_core_builtins }
    PhysicalDeviceShaderDemoteToHelperInvocationFeatures { shader_demote_to_helper_invocation }
    PhysicalDeviceShaderDrawParametersFeatures { shader_draw_parameters }
    PhysicalDeviceShaderEarlyAndLateFragmentTestsFeaturesAMD { shader_early_and_late_fragment_tests }
    PhysicalDeviceShaderEnqueueFeaturesAMDX { shader_enqueue shader_mesh_enqueue }
    PhysicalDeviceShaderExpectAssumeFeatures { shader_expect_assume }
    PhysicalDeviceShaderFloat16Int8Features { shader_float16 shader_int8 }
    PhysicalDeviceShaderFloat8FeaturesEXT { shader_float8 shader_float8_cooperative_matrix }
    PhysicalDeviceShaderFloatControls2Features { shader_float_controls2 }
    PhysicalDeviceShaderFmaFeaturesKHR { shader_fma_float16 shader_fma_float32 shader_fma_float64 }
    PhysicalDeviceShaderImageAtomicInt64FeaturesEXT { shader_image_int64_atomics sparse_image_int64_atomics }
    PhysicalDeviceShaderImageFootprintFeaturesNV { image_footprint }
    PhysicalDeviceShaderIntegerDotProductFeatures { shader_integer_dot_product }
    PhysicalDeviceShaderIntegerFunctions2FeaturesINTEL { shader_integer_functions2 }
    PhysicalDeviceShaderLongVectorFeaturesEXT { long_vector }
    PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR { shader_maximal_reconvergence }
    PhysicalDeviceShaderModuleIdentifierFeaturesEXT { shader_module_identifier }
    PhysicalDeviceShaderObjectFeaturesEXT { shader_object }
    PhysicalDeviceShaderQuadControlFeaturesKHR { shader_quad_control }
    PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR { shader_relaxed_extended_instruction }
    PhysicalDeviceShaderReplicatedCompositesFeaturesEXT { shader_replicated_composites }
    PhysicalDeviceShaderSMBuiltinsFeaturesNV { shader_sm_builtins }
    PhysicalDeviceShaderSubgroupExtendedTypesFeatures { shader_subgroup_extended_types }
    PhysicalDeviceShaderSubgroupPartitionedFeaturesEXT { shader_subgroup_partitioned }
    PhysicalDeviceShaderSubgroupRotateFeatures { shader_subgroup_rotate shader_subgroup_rotate_clustered }
    PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR { shader_subgroup_uniform_control_flow }
    PhysicalDeviceShaderTerminateInvocationFeatures { shader_terminate_invocation }
    PhysicalDeviceShaderTileImageFeaturesEXT { shader_tile_image_color_read_access shader_tile_image_depth_read_access shader_tile_image_stencil_read_access }
    PhysicalDeviceShaderUniformBufferUnsizedArrayFeaturesEXT { shader_uniform_buffer_unsized_array }
    PhysicalDeviceShaderUntypedPointersFeaturesKHR { shader_untyped_pointers }
    PhysicalDeviceShadingRateImageFeaturesNV { shading_rate_image shading_rate_coarse_sample_order }
    PhysicalDeviceSubgroupSizeControlFeatures { subgroup_size_control compute_full_subgroups }
    PhysicalDeviceSubpassMergeFeedbackFeaturesEXT { subpass_merge_feedback }
    PhysicalDeviceSubpassShadingFeaturesHUAWEI { subpass_shading }
    PhysicalDeviceSwapchainMaintenance1FeaturesKHR { swapchain_maintenance1 }
    PhysicalDeviceSynchronization2Features { synchronization2 }
    PhysicalDeviceTensorFeaturesARM { tensor_non_packed shader_tensor_access shader_storage_tensor_array_dynamic_indexing shader_storage_tensor_array_non_uniform_indexing descriptor_binding_storage_tensor_update_after_bind tensors }
    PhysicalDeviceTexelBufferAlignmentFeaturesEXT { texel_buffer_alignment }
    PhysicalDeviceTextureCompressionASTC3DFeaturesEXT { textureCompressionASTC_3D }
    PhysicalDeviceTextureCompressionASTCHDRFeatures { texture_compression_astc_hdr }
    PhysicalDeviceTileMemoryHeapFeaturesQCOM { tile_memory_heap }
    PhysicalDeviceTilePropertiesFeaturesQCOM { tile_properties }
    PhysicalDeviceTileShadingFeaturesQCOM { tile_shading tile_shading_fragment_stage tile_shading_color_attachments tile_shading_depth_attachments tile_shading_stencil_attachments tile_shading_input_attachments tile_shading_sampled_attachments tile_shading_per_tile_draw tile_shading_per_tile_dispatch tile_shading_dispatch_tile tile_shading_apron tile_shading_anisotropic_apron tile_shading_atomic_ops tile_shading_image_processing }
    PhysicalDeviceTimelineSemaphoreFeatures { timeline_semaphore }
    PhysicalDeviceTransformFeedbackFeaturesEXT { transform_feedback geometry_streams }
    PhysicalDeviceUnifiedImageLayoutsFeaturesKHR { unified_image_layouts unified_image_layouts_video }
    PhysicalDeviceUniformBufferStandardLayoutFeatures { uniform_buffer_standard_layout }
    PhysicalDeviceVariablePointersFeatures { variable_pointers_storage_buffer variable_pointers }
    PhysicalDeviceVertexAttributeDivisorFeatures { vertex_attribute_instance_rate_divisor vertex_attribute_instance_rate_zero_divisor }
    PhysicalDeviceVertexAttributeRobustnessFeaturesEXT { vertex_attribute_robustness }
    PhysicalDeviceVertexInputDynamicStateFeaturesEXT { vertex_input_dynamic_state }
    PhysicalDeviceVideoDecodeVP9FeaturesKHR { video_decode_vp9 }
    PhysicalDeviceVideoEncodeAV1FeaturesKHR { video_encode_av1 }
    PhysicalDeviceVideoEncodeIntraRefreshFeaturesKHR { video_encode_intra_refresh }
    PhysicalDeviceVideoEncodeQuantizationMapFeaturesKHR { video_encode_quantization_map }
    PhysicalDeviceVideoEncodeRgbConversionFeaturesVALVE { video_encode_rgb_conversion }
    PhysicalDeviceVideoMaintenance1FeaturesKHR { video_maintenance1 }
    PhysicalDeviceVideoMaintenance2FeaturesKHR { video_maintenance2 }
    PhysicalDeviceVulkan11Features { storage_buffer_16bit_access uniform_and_storage_buffer_16bit_access storage_push_constant16 storage_input_output16 multiview multiview_geometry_shader multiview_tessellation_shader variable_pointers_storage_buffer variable_pointers protected_memory sampler_ycbcr_conversion shader_draw_parameters }
    PhysicalDeviceVulkan12Features { sampler_mirror_clamp_to_edge draw_indirect_count storage_buffer_8bit_access uniform_and_storage_buffer_8bit_access storage_push_constant8 shader_buffer_int64_atomics shader_shared_int64_atomics shader_float16 shader_int8 descriptor_indexing shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind descriptor_binding_uniform_texel_buffer_update_after_bind descriptor_binding_storage_texel_buffer_update_after_bind descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound descriptor_binding_variable_descriptor_count runtime_descriptor_array sampler_filter_minmax scalar_block_layout imageless_framebuffer uniform_buffer_standard_layout shader_subgroup_extended_types separate_depth_stencil_layouts host_query_reset timeline_semaphore buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device vulkan_memory_model vulkan_memory_model_device_scope vulkan_memory_model_availability_visibility_chains shader_output_viewport_index shader_output_layer subgroup_broadcast_dynamic_id }
    PhysicalDeviceVulkan13Features { robust_image_access inline_uniform_block descriptor_binding_inline_uniform_block_update_after_bind pipeline_creation_cache_control private_data shader_demote_to_helper_invocation shader_terminate_invocation subgroup_size_control compute_full_subgroups synchronization2 texture_compression_astc_hdr shader_zero_initialize_workgroup_memory dynamic_rendering shader_integer_dot_product maintenance4 }
    PhysicalDeviceVulkan14Features { global_priority_query shader_subgroup_rotate shader_subgroup_rotate_clustered shader_float_controls2 shader_expect_assume rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines vertex_attribute_instance_rate_divisor vertex_attribute_instance_rate_zero_divisor index_type_uint8 dynamic_rendering_local_read maintenance5 maintenance6 pipeline_protected_access pipeline_robustness host_image_copy push_descriptor }
    PhysicalDeviceVulkanMemoryModelFeatures { vulkan_memory_model vulkan_memory_model_device_scope vulkan_memory_model_availability_visibility_chains }
    PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR { workgroup_memory_explicit_layout workgroup_memory_explicit_layout_scalar_block_layout workgroup_memory_explicit_layout_8bit_access workgroup_memory_explicit_layout_16bit_access }
    PhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT { ycbcr2plane444_formats }
    PhysicalDeviceYcbcrDegammaFeaturesQCOM { ycbcr_degamma }
    PhysicalDeviceYcbcrImageArraysFeaturesEXT { ycbcr_image_arrays }
    PhysicalDeviceZeroInitializeDeviceMemoryFeaturesEXT { zero_initialize_device_memory }
    PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures { shader_zero_initialize_workgroup_memory }
}
