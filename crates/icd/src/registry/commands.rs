//! The commands that have bodies, and which core version or extension brings them.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do not edit.

/// Runs a macro with all commands: level, body, type of the pointer, and names, each with who brings it
/// (none: Vulkan 1.0).
#[rustfmt::skip]
macro_rules! for_each_command {
    ($with:ident) => {
        $with! {
            Device acquire_next_image2_khr PFN_vkAcquireNextImage2KHR { vkAcquireNextImage2KHR: VK_KHR_device_group VK_KHR_swapchain; }
            Device acquire_next_image_khr PFN_vkAcquireNextImageKHR { vkAcquireNextImageKHR: VK_KHR_swapchain; }
            Device acquire_profiling_lock_khr PFN_vkAcquireProfilingLockKHR { vkAcquireProfilingLockKHR: VK_KHR_performance_query; }
            Device allocate_command_buffers PFN_vkAllocateCommandBuffers { vkAllocateCommandBuffers:; }
            Device allocate_descriptor_sets PFN_vkAllocateDescriptorSets { vkAllocateDescriptorSets:; }
            Device allocate_memory PFN_vkAllocateMemory { vkAllocateMemory:; }
            Device begin_command_buffer PFN_vkBeginCommandBuffer { vkBeginCommandBuffer:; }
            Device bind_acceleration_structure_memory_nv PFN_vkBindAccelerationStructureMemoryNV { vkBindAccelerationStructureMemoryNV: VK_NV_ray_tracing; }
            Device bind_buffer_memory PFN_vkBindBufferMemory { vkBindBufferMemory:; }
            Device bind_buffer_memory2 PFN_vkBindBufferMemory2 { vkBindBufferMemory2: VK_VERSION_1_1; vkBindBufferMemory2KHR: VK_KHR_bind_memory2; }
            Device bind_data_graph_pipeline_session_memory_arm PFN_vkBindDataGraphPipelineSessionMemoryARM { vkBindDataGraphPipelineSessionMemoryARM: VK_ARM_data_graph; }
            Device bind_image_memory PFN_vkBindImageMemory { vkBindImageMemory:; }
            Device bind_image_memory2 PFN_vkBindImageMemory2 { vkBindImageMemory2: VK_VERSION_1_1; vkBindImageMemory2KHR: VK_KHR_bind_memory2; }
            Device bind_tensor_memory_arm PFN_vkBindTensorMemoryARM { vkBindTensorMemoryARM: VK_ARM_tensors; }
            Device build_acceleration_structures_khr PFN_vkBuildAccelerationStructuresKHR { vkBuildAccelerationStructuresKHR: VK_KHR_acceleration_structure; }
            Device build_micromaps_ext PFN_vkBuildMicromapsEXT { vkBuildMicromapsEXT: VK_EXT_opacity_micromap; }
            Device clear_shader_instrumentation_metrics_arm PFN_vkClearShaderInstrumentationMetricsARM { vkClearShaderInstrumentationMetricsARM: VK_ARM_shader_instrumentation; }
            Device cmd_begin_conditional_rendering2_ext PFN_vkCmdBeginConditionalRendering2EXT { vkCmdBeginConditionalRendering2EXT: VK_KHR_device_address_commands; }
            Device cmd_begin_conditional_rendering_ext PFN_vkCmdBeginConditionalRenderingEXT { vkCmdBeginConditionalRenderingEXT: VK_EXT_conditional_rendering; }
            Device cmd_begin_custom_resolve_ext PFN_vkCmdBeginCustomResolveEXT { vkCmdBeginCustomResolveEXT: VK_EXT_custom_resolve; }
            Device cmd_begin_debug_utils_label_ext PFN_vkCmdBeginDebugUtilsLabelEXT { vkCmdBeginDebugUtilsLabelEXT: VK_EXT_debug_utils; }
            Device cmd_begin_per_tile_execution_qcom PFN_vkCmdBeginPerTileExecutionQCOM { vkCmdBeginPerTileExecutionQCOM: VK_QCOM_tile_shading; }
            Device cmd_begin_query PFN_vkCmdBeginQuery { vkCmdBeginQuery:; }
            Device cmd_begin_query_indexed_ext PFN_vkCmdBeginQueryIndexedEXT { vkCmdBeginQueryIndexedEXT: VK_EXT_transform_feedback; }
            Device cmd_begin_render_pass PFN_vkCmdBeginRenderPass { vkCmdBeginRenderPass:; }
            Device cmd_begin_render_pass2 PFN_vkCmdBeginRenderPass2 { vkCmdBeginRenderPass2: VK_VERSION_1_2; vkCmdBeginRenderPass2KHR: VK_KHR_create_renderpass2; }
            Device cmd_begin_rendering PFN_vkCmdBeginRendering { vkCmdBeginRendering: VK_VERSION_1_3; vkCmdBeginRenderingKHR: VK_KHR_dynamic_rendering; }
            Device cmd_begin_shader_instrumentation_arm PFN_vkCmdBeginShaderInstrumentationARM { vkCmdBeginShaderInstrumentationARM: VK_ARM_shader_instrumentation; }
            Device cmd_begin_transform_feedback2_ext PFN_vkCmdBeginTransformFeedback2EXT { vkCmdBeginTransformFeedback2EXT: VK_KHR_device_address_commands; }
            Device cmd_begin_transform_feedback_ext PFN_vkCmdBeginTransformFeedbackEXT { vkCmdBeginTransformFeedbackEXT: VK_EXT_transform_feedback; }
            Device cmd_bind_descriptor_buffer_embedded_samplers2_ext PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT { vkCmdBindDescriptorBufferEmbeddedSamplers2EXT: VK_EXT_descriptor_buffer VK_KHR_maintenance6; }
            Device cmd_bind_descriptor_buffer_embedded_samplers_ext PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT { vkCmdBindDescriptorBufferEmbeddedSamplersEXT: VK_EXT_descriptor_buffer; }
            Device cmd_bind_descriptor_buffers_ext PFN_vkCmdBindDescriptorBuffersEXT { vkCmdBindDescriptorBuffersEXT: VK_EXT_descriptor_buffer; }
            Device cmd_bind_descriptor_sets PFN_vkCmdBindDescriptorSets { vkCmdBindDescriptorSets:; }
            Device cmd_bind_descriptor_sets2 PFN_vkCmdBindDescriptorSets2 { vkCmdBindDescriptorSets2: VK_VERSION_1_4; vkCmdBindDescriptorSets2KHR: VK_KHR_maintenance6; }
            Device cmd_bind_index_buffer PFN_vkCmdBindIndexBuffer { vkCmdBindIndexBuffer:; }
            Device cmd_bind_index_buffer2 PFN_vkCmdBindIndexBuffer2 { vkCmdBindIndexBuffer2: VK_VERSION_1_4; vkCmdBindIndexBuffer2KHR: VK_KHR_maintenance5; }
            Device cmd_bind_index_buffer3_khr PFN_vkCmdBindIndexBuffer3KHR { vkCmdBindIndexBuffer3KHR: VK_KHR_device_address_commands; }
            Device cmd_bind_invocation_mask_huawei PFN_vkCmdBindInvocationMaskHUAWEI { vkCmdBindInvocationMaskHUAWEI: VK_HUAWEI_invocation_mask; }
            Device cmd_bind_pipeline PFN_vkCmdBindPipeline { vkCmdBindPipeline:; }
            Device cmd_bind_pipeline_shader_group_nv PFN_vkCmdBindPipelineShaderGroupNV { vkCmdBindPipelineShaderGroupNV: VK_NV_device_generated_commands; }
            Device cmd_bind_resource_heap_ext PFN_vkCmdBindResourceHeapEXT { vkCmdBindResourceHeapEXT: VK_EXT_descriptor_heap; }
            Device cmd_bind_sampler_heap_ext PFN_vkCmdBindSamplerHeapEXT { vkCmdBindSamplerHeapEXT: VK_EXT_descriptor_heap; }
            Device cmd_bind_shaders_ext PFN_vkCmdBindShadersEXT { vkCmdBindShadersEXT: VK_EXT_shader_object; }
            Device cmd_bind_shading_rate_image_nv PFN_vkCmdBindShadingRateImageNV { vkCmdBindShadingRateImageNV: VK_NV_shading_rate_image; }
            Device cmd_bind_tile_memory_qcom PFN_vkCmdBindTileMemoryQCOM { vkCmdBindTileMemoryQCOM: VK_QCOM_tile_memory_heap; }
            Device cmd_bind_transform_feedback_buffers2_ext PFN_vkCmdBindTransformFeedbackBuffers2EXT { vkCmdBindTransformFeedbackBuffers2EXT: VK_KHR_device_address_commands; }
            Device cmd_bind_transform_feedback_buffers_ext PFN_vkCmdBindTransformFeedbackBuffersEXT { vkCmdBindTransformFeedbackBuffersEXT: VK_EXT_transform_feedback; }
            Device cmd_bind_vertex_buffers PFN_vkCmdBindVertexBuffers { vkCmdBindVertexBuffers:; }
            Device cmd_bind_vertex_buffers2 PFN_vkCmdBindVertexBuffers2 { vkCmdBindVertexBuffers2: VK_VERSION_1_3; vkCmdBindVertexBuffers2EXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_bind_vertex_buffers3_khr PFN_vkCmdBindVertexBuffers3KHR { vkCmdBindVertexBuffers3KHR: VK_KHR_device_address_commands; }
            Device cmd_blit_image PFN_vkCmdBlitImage { vkCmdBlitImage:; }
            Device cmd_blit_image2 PFN_vkCmdBlitImage2 { vkCmdBlitImage2: VK_VERSION_1_3; vkCmdBlitImage2KHR: VK_KHR_copy_commands2; }
            Device cmd_build_acceleration_structure_nv PFN_vkCmdBuildAccelerationStructureNV { vkCmdBuildAccelerationStructureNV: VK_NV_ray_tracing; }
            Device cmd_build_acceleration_structures_indirect_khr PFN_vkCmdBuildAccelerationStructuresIndirectKHR { vkCmdBuildAccelerationStructuresIndirectKHR: VK_KHR_acceleration_structure; }
            Device cmd_build_acceleration_structures_khr PFN_vkCmdBuildAccelerationStructuresKHR { vkCmdBuildAccelerationStructuresKHR: VK_KHR_acceleration_structure; }
            Device cmd_build_cluster_acceleration_structure_indirect_nv PFN_vkCmdBuildClusterAccelerationStructureIndirectNV { vkCmdBuildClusterAccelerationStructureIndirectNV: VK_NV_cluster_acceleration_structure; }
            Device cmd_build_micromaps_ext PFN_vkCmdBuildMicromapsEXT { vkCmdBuildMicromapsEXT: VK_EXT_opacity_micromap; }
            Device cmd_build_partitioned_acceleration_structures_nv PFN_vkCmdBuildPartitionedAccelerationStructuresNV { vkCmdBuildPartitionedAccelerationStructuresNV: VK_NV_partitioned_acceleration_structure; }
            Device cmd_clear_attachments PFN_vkCmdClearAttachments { vkCmdClearAttachments:; }
            Device cmd_clear_color_image PFN_vkCmdClearColorImage { vkCmdClearColorImage:; }
            Device cmd_clear_depth_stencil_image PFN_vkCmdClearDepthStencilImage { vkCmdClearDepthStencilImage:; }
            Device cmd_convert_cooperative_vector_matrix_nv PFN_vkCmdConvertCooperativeVectorMatrixNV { vkCmdConvertCooperativeVectorMatrixNV: VK_NV_cooperative_vector; }
            Device cmd_copy_acceleration_structure_khr PFN_vkCmdCopyAccelerationStructureKHR { vkCmdCopyAccelerationStructureKHR: VK_KHR_acceleration_structure; }
            Device cmd_copy_acceleration_structure_nv PFN_vkCmdCopyAccelerationStructureNV { vkCmdCopyAccelerationStructureNV: VK_NV_ray_tracing; }
            Device cmd_copy_acceleration_structure_to_memory_khr PFN_vkCmdCopyAccelerationStructureToMemoryKHR { vkCmdCopyAccelerationStructureToMemoryKHR: VK_KHR_acceleration_structure; }
            Device cmd_copy_buffer PFN_vkCmdCopyBuffer { vkCmdCopyBuffer:; }
            Device cmd_copy_buffer2 PFN_vkCmdCopyBuffer2 { vkCmdCopyBuffer2: VK_VERSION_1_3; vkCmdCopyBuffer2KHR: VK_KHR_copy_commands2; }
            Device cmd_copy_buffer_to_image PFN_vkCmdCopyBufferToImage { vkCmdCopyBufferToImage:; }
            Device cmd_copy_buffer_to_image2 PFN_vkCmdCopyBufferToImage2 { vkCmdCopyBufferToImage2: VK_VERSION_1_3; vkCmdCopyBufferToImage2KHR: VK_KHR_copy_commands2; }
            Device cmd_copy_image PFN_vkCmdCopyImage { vkCmdCopyImage:; }
            Device cmd_copy_image2 PFN_vkCmdCopyImage2 { vkCmdCopyImage2: VK_VERSION_1_3; vkCmdCopyImage2KHR: VK_KHR_copy_commands2; }
            Device cmd_copy_image_to_buffer PFN_vkCmdCopyImageToBuffer { vkCmdCopyImageToBuffer:; }
            Device cmd_copy_image_to_buffer2 PFN_vkCmdCopyImageToBuffer2 { vkCmdCopyImageToBuffer2: VK_VERSION_1_3; vkCmdCopyImageToBuffer2KHR: VK_KHR_copy_commands2; }
            Device cmd_copy_image_to_memory_khr PFN_vkCmdCopyImageToMemoryKHR { vkCmdCopyImageToMemoryKHR: VK_KHR_device_address_commands; }
            Device cmd_copy_memory_indirect_khr PFN_vkCmdCopyMemoryIndirectKHR { vkCmdCopyMemoryIndirectKHR: VK_KHR_copy_memory_indirect; }
            Device cmd_copy_memory_indirect_nv PFN_vkCmdCopyMemoryIndirectNV { vkCmdCopyMemoryIndirectNV: VK_NV_copy_memory_indirect; }
            Device cmd_copy_memory_khr PFN_vkCmdCopyMemoryKHR { vkCmdCopyMemoryKHR: VK_KHR_device_address_commands; }
            Device cmd_copy_memory_to_acceleration_structure_khr PFN_vkCmdCopyMemoryToAccelerationStructureKHR { vkCmdCopyMemoryToAccelerationStructureKHR: VK_KHR_acceleration_structure; }
            Device cmd_copy_memory_to_image_indirect_khr PFN_vkCmdCopyMemoryToImageIndirectKHR { vkCmdCopyMemoryToImageIndirectKHR: VK_KHR_copy_memory_indirect; }
            Device cmd_copy_memory_to_image_indirect_nv PFN_vkCmdCopyMemoryToImageIndirectNV { vkCmdCopyMemoryToImageIndirectNV: VK_NV_copy_memory_indirect; }
            Device cmd_copy_memory_to_image_khr PFN_vkCmdCopyMemoryToImageKHR { vkCmdCopyMemoryToImageKHR: VK_KHR_device_address_commands; }
            Device cmd_copy_memory_to_micromap_ext PFN_vkCmdCopyMemoryToMicromapEXT { vkCmdCopyMemoryToMicromapEXT: VK_EXT_opacity_micromap; }
            Device cmd_copy_micromap_ext PFN_vkCmdCopyMicromapEXT { vkCmdCopyMicromapEXT: VK_EXT_opacity_micromap; }
            Device cmd_copy_micromap_to_memory_ext PFN_vkCmdCopyMicromapToMemoryEXT { vkCmdCopyMicromapToMemoryEXT: VK_EXT_opacity_micromap; }
            Device cmd_copy_query_pool_results PFN_vkCmdCopyQueryPoolResults { vkCmdCopyQueryPoolResults:; }
            Device cmd_copy_query_pool_results_to_memory_khr PFN_vkCmdCopyQueryPoolResultsToMemoryKHR { vkCmdCopyQueryPoolResultsToMemoryKHR: VK_KHR_device_address_commands; }
            Device cmd_copy_tensor_arm PFN_vkCmdCopyTensorARM { vkCmdCopyTensorARM: VK_ARM_tensors; }
            Device cmd_cuda_launch_kernel_nv PFN_vkCmdCudaLaunchKernelNV { vkCmdCudaLaunchKernelNV: VK_NV_cuda_kernel_launch; }
            Device cmd_debug_marker_begin_ext PFN_vkCmdDebugMarkerBeginEXT { vkCmdDebugMarkerBeginEXT: VK_EXT_debug_marker; }
            Device cmd_debug_marker_end_ext PFN_vkCmdDebugMarkerEndEXT { vkCmdDebugMarkerEndEXT: VK_EXT_debug_marker; }
            Device cmd_debug_marker_insert_ext PFN_vkCmdDebugMarkerInsertEXT { vkCmdDebugMarkerInsertEXT: VK_EXT_debug_marker; }
            Device cmd_decompress_memory_ext PFN_vkCmdDecompressMemoryEXT { vkCmdDecompressMemoryEXT: VK_EXT_memory_decompression; }
            Device cmd_decompress_memory_indirect_count_ext PFN_vkCmdDecompressMemoryIndirectCountEXT { vkCmdDecompressMemoryIndirectCountEXT: VK_EXT_memory_decompression; }
            Device cmd_decompress_memory_indirect_count_nv PFN_vkCmdDecompressMemoryIndirectCountNV { vkCmdDecompressMemoryIndirectCountNV: VK_NV_memory_decompression; }
            Device cmd_decompress_memory_nv PFN_vkCmdDecompressMemoryNV { vkCmdDecompressMemoryNV: VK_NV_memory_decompression; }
            Device cmd_dispatch PFN_vkCmdDispatch { vkCmdDispatch:; }
            Device cmd_dispatch_base PFN_vkCmdDispatchBase { vkCmdDispatchBase: VK_VERSION_1_1; vkCmdDispatchBaseKHR: VK_KHR_device_group; }
            Device cmd_dispatch_data_graph_arm PFN_vkCmdDispatchDataGraphARM { vkCmdDispatchDataGraphARM: VK_ARM_data_graph; }
            Device cmd_dispatch_graph_amdx PFN_vkCmdDispatchGraphAMDX { vkCmdDispatchGraphAMDX: VK_AMDX_shader_enqueue; }
            Device cmd_dispatch_graph_indirect_amdx PFN_vkCmdDispatchGraphIndirectAMDX { vkCmdDispatchGraphIndirectAMDX: VK_AMDX_shader_enqueue; }
            Device cmd_dispatch_graph_indirect_count_amdx PFN_vkCmdDispatchGraphIndirectCountAMDX { vkCmdDispatchGraphIndirectCountAMDX: VK_AMDX_shader_enqueue; }
            Device cmd_dispatch_indirect PFN_vkCmdDispatchIndirect { vkCmdDispatchIndirect:; }
            Device cmd_dispatch_indirect2_khr PFN_vkCmdDispatchIndirect2KHR { vkCmdDispatchIndirect2KHR: VK_KHR_device_address_commands; }
            Device cmd_dispatch_tile_qcom PFN_vkCmdDispatchTileQCOM { vkCmdDispatchTileQCOM: VK_QCOM_tile_shading; }
            Device cmd_draw PFN_vkCmdDraw { vkCmdDraw:; }
            Device cmd_draw_cluster_huawei PFN_vkCmdDrawClusterHUAWEI { vkCmdDrawClusterHUAWEI: VK_HUAWEI_cluster_culling_shader; }
            Device cmd_draw_cluster_indirect_huawei PFN_vkCmdDrawClusterIndirectHUAWEI { vkCmdDrawClusterIndirectHUAWEI: VK_HUAWEI_cluster_culling_shader; }
            Device cmd_draw_indexed PFN_vkCmdDrawIndexed { vkCmdDrawIndexed:; }
            Device cmd_draw_indexed_indirect PFN_vkCmdDrawIndexedIndirect { vkCmdDrawIndexedIndirect:; }
            Device cmd_draw_indexed_indirect2_khr PFN_vkCmdDrawIndexedIndirect2KHR { vkCmdDrawIndexedIndirect2KHR: VK_KHR_device_address_commands; }
            Device cmd_draw_indexed_indirect_count PFN_vkCmdDrawIndexedIndirectCount { vkCmdDrawIndexedIndirectCount: VK_VERSION_1_2; vkCmdDrawIndexedIndirectCountAMD: VK_AMD_draw_indirect_count; vkCmdDrawIndexedIndirectCountKHR: VK_KHR_draw_indirect_count; }
            Device cmd_draw_indexed_indirect_count2_khr PFN_vkCmdDrawIndexedIndirectCount2KHR { vkCmdDrawIndexedIndirectCount2KHR: VK_KHR_device_address_commands; }
            Device cmd_draw_indirect PFN_vkCmdDrawIndirect { vkCmdDrawIndirect:; }
            Device cmd_draw_indirect2_khr PFN_vkCmdDrawIndirect2KHR { vkCmdDrawIndirect2KHR: VK_KHR_device_address_commands; }
            Device cmd_draw_indirect_byte_count2_ext PFN_vkCmdDrawIndirectByteCount2EXT { vkCmdDrawIndirectByteCount2EXT: VK_KHR_device_address_commands; }
            Device cmd_draw_indirect_byte_count_ext PFN_vkCmdDrawIndirectByteCountEXT { vkCmdDrawIndirectByteCountEXT: VK_EXT_transform_feedback; }
            Device cmd_draw_indirect_count PFN_vkCmdDrawIndirectCount { vkCmdDrawIndirectCount: VK_VERSION_1_2; vkCmdDrawIndirectCountAMD: VK_AMD_draw_indirect_count; vkCmdDrawIndirectCountKHR: VK_KHR_draw_indirect_count; }
            Device cmd_draw_indirect_count2_khr PFN_vkCmdDrawIndirectCount2KHR { vkCmdDrawIndirectCount2KHR: VK_KHR_device_address_commands; }
            Device cmd_draw_mesh_tasks_ext PFN_vkCmdDrawMeshTasksEXT { vkCmdDrawMeshTasksEXT: VK_EXT_mesh_shader; }
            Device cmd_draw_mesh_tasks_indirect2_ext PFN_vkCmdDrawMeshTasksIndirect2EXT { vkCmdDrawMeshTasksIndirect2EXT: VK_KHR_device_address_commands; }
            Device cmd_draw_mesh_tasks_indirect_count2_ext PFN_vkCmdDrawMeshTasksIndirectCount2EXT { vkCmdDrawMeshTasksIndirectCount2EXT: VK_KHR_device_address_commands; }
            Device cmd_draw_mesh_tasks_indirect_count_ext PFN_vkCmdDrawMeshTasksIndirectCountEXT { vkCmdDrawMeshTasksIndirectCountEXT: VK_EXT_mesh_shader; }
            Device cmd_draw_mesh_tasks_indirect_count_nv PFN_vkCmdDrawMeshTasksIndirectCountNV { vkCmdDrawMeshTasksIndirectCountNV: VK_NV_mesh_shader; }
            Device cmd_draw_mesh_tasks_indirect_ext PFN_vkCmdDrawMeshTasksIndirectEXT { vkCmdDrawMeshTasksIndirectEXT: VK_EXT_mesh_shader; }
            Device cmd_draw_mesh_tasks_indirect_nv PFN_vkCmdDrawMeshTasksIndirectNV { vkCmdDrawMeshTasksIndirectNV: VK_NV_mesh_shader; }
            Device cmd_draw_mesh_tasks_nv PFN_vkCmdDrawMeshTasksNV { vkCmdDrawMeshTasksNV: VK_NV_mesh_shader; }
            Device cmd_draw_multi_ext PFN_vkCmdDrawMultiEXT { vkCmdDrawMultiEXT: VK_EXT_multi_draw; }
            Device cmd_draw_multi_indexed_ext PFN_vkCmdDrawMultiIndexedEXT { vkCmdDrawMultiIndexedEXT: VK_EXT_multi_draw; }
            Device cmd_end_conditional_rendering_ext PFN_vkCmdEndConditionalRenderingEXT { vkCmdEndConditionalRenderingEXT: VK_EXT_conditional_rendering; }
            Device cmd_end_debug_utils_label_ext PFN_vkCmdEndDebugUtilsLabelEXT { vkCmdEndDebugUtilsLabelEXT: VK_EXT_debug_utils; }
            Device cmd_end_per_tile_execution_qcom PFN_vkCmdEndPerTileExecutionQCOM { vkCmdEndPerTileExecutionQCOM: VK_QCOM_tile_shading; }
            Device cmd_end_query PFN_vkCmdEndQuery { vkCmdEndQuery:; }
            Device cmd_end_query_indexed_ext PFN_vkCmdEndQueryIndexedEXT { vkCmdEndQueryIndexedEXT: VK_EXT_transform_feedback; }
            Device cmd_end_render_pass PFN_vkCmdEndRenderPass { vkCmdEndRenderPass:; }
            Device cmd_end_render_pass2 PFN_vkCmdEndRenderPass2 { vkCmdEndRenderPass2: VK_VERSION_1_2; vkCmdEndRenderPass2KHR: VK_KHR_create_renderpass2; }
            Device cmd_end_rendering PFN_vkCmdEndRendering { vkCmdEndRendering: VK_VERSION_1_3; vkCmdEndRenderingKHR: VK_KHR_dynamic_rendering; }
            Device cmd_end_rendering2_khr PFN_vkCmdEndRendering2KHR { vkCmdEndRendering2KHR: VK_KHR_maintenance10; vkCmdEndRendering2EXT: VK_EXT_fragment_density_map_offset; }
            Device cmd_end_shader_instrumentation_arm PFN_vkCmdEndShaderInstrumentationARM { vkCmdEndShaderInstrumentationARM: VK_ARM_shader_instrumentation; }
            Device cmd_end_transform_feedback2_ext PFN_vkCmdEndTransformFeedback2EXT { vkCmdEndTransformFeedback2EXT: VK_KHR_device_address_commands; }
            Device cmd_end_transform_feedback_ext PFN_vkCmdEndTransformFeedbackEXT { vkCmdEndTransformFeedbackEXT: VK_EXT_transform_feedback; }
            Device cmd_execute_commands PFN_vkCmdExecuteCommands { vkCmdExecuteCommands:; }
            Device cmd_execute_generated_commands_ext PFN_vkCmdExecuteGeneratedCommandsEXT { vkCmdExecuteGeneratedCommandsEXT: VK_EXT_device_generated_commands; }
            Device cmd_execute_generated_commands_nv PFN_vkCmdExecuteGeneratedCommandsNV { vkCmdExecuteGeneratedCommandsNV: VK_NV_device_generated_commands; }
            Device cmd_fill_buffer PFN_vkCmdFillBuffer { vkCmdFillBuffer:; }
            Device cmd_fill_memory_khr PFN_vkCmdFillMemoryKHR { vkCmdFillMemoryKHR: VK_KHR_device_address_commands; }
            Device cmd_initialize_graph_scratch_memory_amdx PFN_vkCmdInitializeGraphScratchMemoryAMDX { vkCmdInitializeGraphScratchMemoryAMDX: VK_AMDX_shader_enqueue; }
            Device cmd_insert_debug_utils_label_ext PFN_vkCmdInsertDebugUtilsLabelEXT { vkCmdInsertDebugUtilsLabelEXT: VK_EXT_debug_utils; }
            Device cmd_next_subpass PFN_vkCmdNextSubpass { vkCmdNextSubpass:; }
            Device cmd_next_subpass2 PFN_vkCmdNextSubpass2 { vkCmdNextSubpass2: VK_VERSION_1_2; vkCmdNextSubpass2KHR: VK_KHR_create_renderpass2; }
            Device cmd_pipeline_barrier PFN_vkCmdPipelineBarrier { vkCmdPipelineBarrier:; }
            Device cmd_pipeline_barrier2 PFN_vkCmdPipelineBarrier2 { vkCmdPipelineBarrier2: VK_VERSION_1_3; vkCmdPipelineBarrier2KHR: VK_KHR_synchronization2; }
            Device cmd_preprocess_generated_commands_ext PFN_vkCmdPreprocessGeneratedCommandsEXT { vkCmdPreprocessGeneratedCommandsEXT: VK_EXT_device_generated_commands; }
            Device cmd_preprocess_generated_commands_nv PFN_vkCmdPreprocessGeneratedCommandsNV { vkCmdPreprocessGeneratedCommandsNV: VK_NV_device_generated_commands; }
            Device cmd_push_constants PFN_vkCmdPushConstants { vkCmdPushConstants:; }
            Device cmd_push_constants2 PFN_vkCmdPushConstants2 { vkCmdPushConstants2: VK_VERSION_1_4; vkCmdPushConstants2KHR: VK_KHR_maintenance6; }
            Device cmd_push_data_ext PFN_vkCmdPushDataEXT { vkCmdPushDataEXT: VK_EXT_descriptor_heap; }
            Device cmd_push_descriptor_set PFN_vkCmdPushDescriptorSet { vkCmdPushDescriptorSet: VK_VERSION_1_4; vkCmdPushDescriptorSetKHR: VK_KHR_push_descriptor; }
            Device cmd_push_descriptor_set2 PFN_vkCmdPushDescriptorSet2 { vkCmdPushDescriptorSet2: VK_VERSION_1_4; vkCmdPushDescriptorSet2KHR: VK_KHR_maintenance6 VK_KHR_push_descriptor; }
            Device cmd_push_descriptor_set_with_template PFN_vkCmdPushDescriptorSetWithTemplate { vkCmdPushDescriptorSetWithTemplate: VK_VERSION_1_4; vkCmdPushDescriptorSetWithTemplateKHR: VK_KHR_descriptor_update_template VK_KHR_push_descriptor; }
            Device cmd_push_descriptor_set_with_template2 PFN_vkCmdPushDescriptorSetWithTemplate2 { vkCmdPushDescriptorSetWithTemplate2: VK_VERSION_1_4; vkCmdPushDescriptorSetWithTemplate2KHR: VK_KHR_maintenance6 VK_KHR_push_descriptor; }
            Device cmd_reset_event PFN_vkCmdResetEvent { vkCmdResetEvent:; }
            Device cmd_reset_event2 PFN_vkCmdResetEvent2 { vkCmdResetEvent2: VK_VERSION_1_3; vkCmdResetEvent2KHR: VK_KHR_synchronization2; }
            Device cmd_reset_query_pool PFN_vkCmdResetQueryPool { vkCmdResetQueryPool:; }
            Device cmd_resolve_image PFN_vkCmdResolveImage { vkCmdResolveImage:; }
            Device cmd_resolve_image2 PFN_vkCmdResolveImage2 { vkCmdResolveImage2: VK_VERSION_1_3; vkCmdResolveImage2KHR: VK_KHR_copy_commands2; }
            Device cmd_set_alpha_to_coverage_enable_ext PFN_vkCmdSetAlphaToCoverageEnableEXT { vkCmdSetAlphaToCoverageEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_alpha_to_one_enable_ext PFN_vkCmdSetAlphaToOneEnableEXT { vkCmdSetAlphaToOneEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_attachment_feedback_loop_enable_ext PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT { vkCmdSetAttachmentFeedbackLoopEnableEXT: VK_EXT_attachment_feedback_loop_dynamic_state; }
            Device cmd_set_blend_constants PFN_vkCmdSetBlendConstants { vkCmdSetBlendConstants:; }
            Device cmd_set_checkpoint_nv PFN_vkCmdSetCheckpointNV { vkCmdSetCheckpointNV: VK_NV_device_diagnostic_checkpoints; }
            Device cmd_set_coarse_sample_order_nv PFN_vkCmdSetCoarseSampleOrderNV { vkCmdSetCoarseSampleOrderNV: VK_NV_shading_rate_image; }
            Device cmd_set_color_blend_advanced_ext PFN_vkCmdSetColorBlendAdvancedEXT { vkCmdSetColorBlendAdvancedEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_color_blend_enable_ext PFN_vkCmdSetColorBlendEnableEXT { vkCmdSetColorBlendEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_color_blend_equation_ext PFN_vkCmdSetColorBlendEquationEXT { vkCmdSetColorBlendEquationEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_color_write_enable_ext PFN_vkCmdSetColorWriteEnableEXT { vkCmdSetColorWriteEnableEXT: VK_EXT_color_write_enable; }
            Device cmd_set_color_write_mask_ext PFN_vkCmdSetColorWriteMaskEXT { vkCmdSetColorWriteMaskEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_compute_occupancy_priority_nv PFN_vkCmdSetComputeOccupancyPriorityNV { vkCmdSetComputeOccupancyPriorityNV: VK_NV_compute_occupancy_priority; }
            Device cmd_set_conservative_rasterization_mode_ext PFN_vkCmdSetConservativeRasterizationModeEXT { vkCmdSetConservativeRasterizationModeEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_coverage_modulation_mode_nv PFN_vkCmdSetCoverageModulationModeNV { vkCmdSetCoverageModulationModeNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_coverage_modulation_table_enable_nv PFN_vkCmdSetCoverageModulationTableEnableNV { vkCmdSetCoverageModulationTableEnableNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_coverage_modulation_table_nv PFN_vkCmdSetCoverageModulationTableNV { vkCmdSetCoverageModulationTableNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_coverage_reduction_mode_nv PFN_vkCmdSetCoverageReductionModeNV { vkCmdSetCoverageReductionModeNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_coverage_to_color_enable_nv PFN_vkCmdSetCoverageToColorEnableNV { vkCmdSetCoverageToColorEnableNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_coverage_to_color_location_nv PFN_vkCmdSetCoverageToColorLocationNV { vkCmdSetCoverageToColorLocationNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_cull_mode PFN_vkCmdSetCullMode { vkCmdSetCullMode: VK_VERSION_1_3; vkCmdSetCullModeEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_depth_bias PFN_vkCmdSetDepthBias { vkCmdSetDepthBias:; }
            Device cmd_set_depth_bias2_ext PFN_vkCmdSetDepthBias2EXT { vkCmdSetDepthBias2EXT: VK_EXT_depth_bias_control; }
            Device cmd_set_depth_bias_enable PFN_vkCmdSetDepthBiasEnable { vkCmdSetDepthBiasEnable: VK_VERSION_1_3; vkCmdSetDepthBiasEnableEXT: VK_EXT_extended_dynamic_state2 VK_EXT_shader_object; }
            Device cmd_set_depth_bounds PFN_vkCmdSetDepthBounds { vkCmdSetDepthBounds:; }
            Device cmd_set_depth_bounds_test_enable PFN_vkCmdSetDepthBoundsTestEnable { vkCmdSetDepthBoundsTestEnable: VK_VERSION_1_3; vkCmdSetDepthBoundsTestEnableEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_depth_clamp_enable_ext PFN_vkCmdSetDepthClampEnableEXT { vkCmdSetDepthClampEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_depth_clamp_range_ext PFN_vkCmdSetDepthClampRangeEXT { vkCmdSetDepthClampRangeEXT: VK_EXT_depth_clamp_control VK_EXT_shader_object; }
            Device cmd_set_depth_clip_enable_ext PFN_vkCmdSetDepthClipEnableEXT { vkCmdSetDepthClipEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_depth_clip_negative_one_to_one_ext PFN_vkCmdSetDepthClipNegativeOneToOneEXT { vkCmdSetDepthClipNegativeOneToOneEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_depth_compare_op PFN_vkCmdSetDepthCompareOp { vkCmdSetDepthCompareOp: VK_VERSION_1_3; vkCmdSetDepthCompareOpEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_depth_test_enable PFN_vkCmdSetDepthTestEnable { vkCmdSetDepthTestEnable: VK_VERSION_1_3; vkCmdSetDepthTestEnableEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_depth_write_enable PFN_vkCmdSetDepthWriteEnable { vkCmdSetDepthWriteEnable: VK_VERSION_1_3; vkCmdSetDepthWriteEnableEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_descriptor_buffer_offsets2_ext PFN_vkCmdSetDescriptorBufferOffsets2EXT { vkCmdSetDescriptorBufferOffsets2EXT: VK_EXT_descriptor_buffer VK_KHR_maintenance6; }
            Device cmd_set_descriptor_buffer_offsets_ext PFN_vkCmdSetDescriptorBufferOffsetsEXT { vkCmdSetDescriptorBufferOffsetsEXT: VK_EXT_descriptor_buffer; }
            Device cmd_set_device_mask PFN_vkCmdSetDeviceMask { vkCmdSetDeviceMask: VK_VERSION_1_1; vkCmdSetDeviceMaskKHR: VK_KHR_device_group; }
            Device cmd_set_discard_rectangle_ext PFN_vkCmdSetDiscardRectangleEXT { vkCmdSetDiscardRectangleEXT: VK_EXT_discard_rectangles; }
            Device cmd_set_discard_rectangle_enable_ext PFN_vkCmdSetDiscardRectangleEnableEXT { vkCmdSetDiscardRectangleEnableEXT: VK_EXT_discard_rectangles; }
            Device cmd_set_discard_rectangle_mode_ext PFN_vkCmdSetDiscardRectangleModeEXT { vkCmdSetDiscardRectangleModeEXT: VK_EXT_discard_rectangles; }
            Device cmd_set_dispatch_parameters_arm PFN_vkCmdSetDispatchParametersARM { vkCmdSetDispatchParametersARM: VK_ARM_scheduling_controls; }
            Device cmd_set_event PFN_vkCmdSetEvent { vkCmdSetEvent:; }
            Device cmd_set_event2 PFN_vkCmdSetEvent2 { vkCmdSetEvent2: VK_VERSION_1_3; vkCmdSetEvent2KHR: VK_KHR_synchronization2; }
            Device cmd_set_exclusive_scissor_enable_nv PFN_vkCmdSetExclusiveScissorEnableNV { vkCmdSetExclusiveScissorEnableNV: VK_NV_scissor_exclusive; }
            Device cmd_set_exclusive_scissor_nv PFN_vkCmdSetExclusiveScissorNV { vkCmdSetExclusiveScissorNV: VK_NV_scissor_exclusive; }
            Device cmd_set_extra_primitive_overestimation_size_ext PFN_vkCmdSetExtraPrimitiveOverestimationSizeEXT { vkCmdSetExtraPrimitiveOverestimationSizeEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_fragment_shading_rate_enum_nv PFN_vkCmdSetFragmentShadingRateEnumNV { vkCmdSetFragmentShadingRateEnumNV: VK_NV_fragment_shading_rate_enums; }
            Device cmd_set_fragment_shading_rate_khr PFN_vkCmdSetFragmentShadingRateKHR { vkCmdSetFragmentShadingRateKHR: VK_KHR_fragment_shading_rate; }
            Device cmd_set_front_face PFN_vkCmdSetFrontFace { vkCmdSetFrontFace: VK_VERSION_1_3; vkCmdSetFrontFaceEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_line_rasterization_mode_ext PFN_vkCmdSetLineRasterizationModeEXT { vkCmdSetLineRasterizationModeEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_line_stipple PFN_vkCmdSetLineStipple { vkCmdSetLineStipple: VK_VERSION_1_4; vkCmdSetLineStippleEXT: VK_EXT_line_rasterization; vkCmdSetLineStippleKHR: VK_KHR_line_rasterization; }
            Device cmd_set_line_stipple_enable_ext PFN_vkCmdSetLineStippleEnableEXT { vkCmdSetLineStippleEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_line_width PFN_vkCmdSetLineWidth { vkCmdSetLineWidth:; }
            Device cmd_set_logic_op_ext PFN_vkCmdSetLogicOpEXT { vkCmdSetLogicOpEXT: VK_EXT_extended_dynamic_state2 VK_EXT_shader_object; }
            Device cmd_set_logic_op_enable_ext PFN_vkCmdSetLogicOpEnableEXT { vkCmdSetLogicOpEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_patch_control_points_ext PFN_vkCmdSetPatchControlPointsEXT { vkCmdSetPatchControlPointsEXT: VK_EXT_extended_dynamic_state2 VK_EXT_shader_object; }
            Device cmd_set_polygon_mode_ext PFN_vkCmdSetPolygonModeEXT { vkCmdSetPolygonModeEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_primitive_restart_enable PFN_vkCmdSetPrimitiveRestartEnable { vkCmdSetPrimitiveRestartEnable: VK_VERSION_1_3; vkCmdSetPrimitiveRestartEnableEXT: VK_EXT_extended_dynamic_state2 VK_EXT_shader_object; }
            Device cmd_set_primitive_restart_index_ext PFN_vkCmdSetPrimitiveRestartIndexEXT { vkCmdSetPrimitiveRestartIndexEXT: VK_EXT_primitive_restart_index; }
            Device cmd_set_primitive_topology PFN_vkCmdSetPrimitiveTopology { vkCmdSetPrimitiveTopology: VK_VERSION_1_3; vkCmdSetPrimitiveTopologyEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_provoking_vertex_mode_ext PFN_vkCmdSetProvokingVertexModeEXT { vkCmdSetProvokingVertexModeEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_rasterization_samples_ext PFN_vkCmdSetRasterizationSamplesEXT { vkCmdSetRasterizationSamplesEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_rasterization_stream_ext PFN_vkCmdSetRasterizationStreamEXT { vkCmdSetRasterizationStreamEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_rasterizer_discard_enable PFN_vkCmdSetRasterizerDiscardEnable { vkCmdSetRasterizerDiscardEnable: VK_VERSION_1_3; vkCmdSetRasterizerDiscardEnableEXT: VK_EXT_extended_dynamic_state2 VK_EXT_shader_object; }
            Device cmd_set_ray_tracing_pipeline_stack_size_khr PFN_vkCmdSetRayTracingPipelineStackSizeKHR { vkCmdSetRayTracingPipelineStackSizeKHR: VK_KHR_ray_tracing_pipeline; }
            Device cmd_set_rendering_attachment_locations PFN_vkCmdSetRenderingAttachmentLocations { vkCmdSetRenderingAttachmentLocations: VK_VERSION_1_4; vkCmdSetRenderingAttachmentLocationsKHR: VK_KHR_dynamic_rendering_local_read; }
            Device cmd_set_rendering_input_attachment_indices PFN_vkCmdSetRenderingInputAttachmentIndices { vkCmdSetRenderingInputAttachmentIndices: VK_VERSION_1_4; vkCmdSetRenderingInputAttachmentIndicesKHR: VK_KHR_dynamic_rendering_local_read; }
            Device cmd_set_representative_fragment_test_enable_nv PFN_vkCmdSetRepresentativeFragmentTestEnableNV { vkCmdSetRepresentativeFragmentTestEnableNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_sample_locations_ext PFN_vkCmdSetSampleLocationsEXT { vkCmdSetSampleLocationsEXT: VK_EXT_sample_locations; }
            Device cmd_set_sample_locations_enable_ext PFN_vkCmdSetSampleLocationsEnableEXT { vkCmdSetSampleLocationsEnableEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_sample_mask_ext PFN_vkCmdSetSampleMaskEXT { vkCmdSetSampleMaskEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_scissor PFN_vkCmdSetScissor { vkCmdSetScissor:; }
            Device cmd_set_scissor_with_count PFN_vkCmdSetScissorWithCount { vkCmdSetScissorWithCount: VK_VERSION_1_3; vkCmdSetScissorWithCountEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_shading_rate_image_enable_nv PFN_vkCmdSetShadingRateImageEnableNV { vkCmdSetShadingRateImageEnableNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_stencil_compare_mask PFN_vkCmdSetStencilCompareMask { vkCmdSetStencilCompareMask:; }
            Device cmd_set_stencil_op PFN_vkCmdSetStencilOp { vkCmdSetStencilOp: VK_VERSION_1_3; vkCmdSetStencilOpEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_stencil_reference PFN_vkCmdSetStencilReference { vkCmdSetStencilReference:; }
            Device cmd_set_stencil_test_enable PFN_vkCmdSetStencilTestEnable { vkCmdSetStencilTestEnable: VK_VERSION_1_3; vkCmdSetStencilTestEnableEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_set_stencil_write_mask PFN_vkCmdSetStencilWriteMask { vkCmdSetStencilWriteMask:; }
            Device cmd_set_tessellation_domain_origin_ext PFN_vkCmdSetTessellationDomainOriginEXT { vkCmdSetTessellationDomainOriginEXT: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_vertex_input_ext PFN_vkCmdSetVertexInputEXT { vkCmdSetVertexInputEXT: VK_EXT_shader_object VK_EXT_vertex_input_dynamic_state; }
            Device cmd_set_viewport PFN_vkCmdSetViewport { vkCmdSetViewport:; }
            Device cmd_set_viewport_shading_rate_palette_nv PFN_vkCmdSetViewportShadingRatePaletteNV { vkCmdSetViewportShadingRatePaletteNV: VK_NV_shading_rate_image; }
            Device cmd_set_viewport_swizzle_nv PFN_vkCmdSetViewportSwizzleNV { vkCmdSetViewportSwizzleNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_viewport_w_scaling_enable_nv PFN_vkCmdSetViewportWScalingEnableNV { vkCmdSetViewportWScalingEnableNV: VK_EXT_extended_dynamic_state3 VK_EXT_shader_object; }
            Device cmd_set_viewport_w_scaling_nv PFN_vkCmdSetViewportWScalingNV { vkCmdSetViewportWScalingNV: VK_NV_clip_space_w_scaling; }
            Device cmd_set_viewport_with_count PFN_vkCmdSetViewportWithCount { vkCmdSetViewportWithCount: VK_VERSION_1_3; vkCmdSetViewportWithCountEXT: VK_EXT_extended_dynamic_state VK_EXT_shader_object; }
            Device cmd_subpass_shading_huawei PFN_vkCmdSubpassShadingHUAWEI { vkCmdSubpassShadingHUAWEI: VK_HUAWEI_subpass_shading; }
            Device cmd_trace_rays_indirect2_khr PFN_vkCmdTraceRaysIndirect2KHR { vkCmdTraceRaysIndirect2KHR: VK_KHR_ray_tracing_maintenance1; }
            Device cmd_trace_rays_indirect_khr PFN_vkCmdTraceRaysIndirectKHR { vkCmdTraceRaysIndirectKHR: VK_KHR_ray_tracing_pipeline; }
            Device cmd_trace_rays_khr PFN_vkCmdTraceRaysKHR { vkCmdTraceRaysKHR: VK_KHR_ray_tracing_pipeline; }
            Device cmd_trace_rays_nv PFN_vkCmdTraceRaysNV { vkCmdTraceRaysNV: VK_NV_ray_tracing; }
            Device cmd_update_buffer PFN_vkCmdUpdateBuffer { vkCmdUpdateBuffer:; }
            Device cmd_update_memory_khr PFN_vkCmdUpdateMemoryKHR { vkCmdUpdateMemoryKHR: VK_KHR_device_address_commands; }
            Device cmd_update_pipeline_indirect_buffer_nv PFN_vkCmdUpdatePipelineIndirectBufferNV { vkCmdUpdatePipelineIndirectBufferNV: VK_NV_device_generated_commands_compute; }
            Device cmd_wait_events PFN_vkCmdWaitEvents { vkCmdWaitEvents:; }
            Device cmd_wait_events2 PFN_vkCmdWaitEvents2 { vkCmdWaitEvents2: VK_VERSION_1_3; vkCmdWaitEvents2KHR: VK_KHR_synchronization2; }
            Device cmd_write_acceleration_structures_properties_khr PFN_vkCmdWriteAccelerationStructuresPropertiesKHR { vkCmdWriteAccelerationStructuresPropertiesKHR: VK_KHR_acceleration_structure; }
            Device cmd_write_acceleration_structures_properties_nv PFN_vkCmdWriteAccelerationStructuresPropertiesNV { vkCmdWriteAccelerationStructuresPropertiesNV: VK_NV_ray_tracing; }
            Device cmd_write_buffer_marker2_amd PFN_vkCmdWriteBufferMarker2AMD { vkCmdWriteBufferMarker2AMD: VK_AMD_buffer_marker; }
            Device cmd_write_buffer_marker_amd PFN_vkCmdWriteBufferMarkerAMD { vkCmdWriteBufferMarkerAMD: VK_AMD_buffer_marker; }
            Device cmd_write_marker_to_memory_amd PFN_vkCmdWriteMarkerToMemoryAMD { vkCmdWriteMarkerToMemoryAMD: VK_KHR_device_address_commands; }
            Device cmd_write_micromaps_properties_ext PFN_vkCmdWriteMicromapsPropertiesEXT { vkCmdWriteMicromapsPropertiesEXT: VK_EXT_opacity_micromap; }
            Device cmd_write_timestamp PFN_vkCmdWriteTimestamp { vkCmdWriteTimestamp:; }
            Device cmd_write_timestamp2 PFN_vkCmdWriteTimestamp2 { vkCmdWriteTimestamp2: VK_VERSION_1_3; vkCmdWriteTimestamp2KHR: VK_KHR_synchronization2; }
            Device compile_deferred_nv PFN_vkCompileDeferredNV { vkCompileDeferredNV: VK_NV_ray_tracing; }
            Device convert_cooperative_vector_matrix_nv PFN_vkConvertCooperativeVectorMatrixNV { vkConvertCooperativeVectorMatrixNV: VK_NV_cooperative_vector; }
            Device copy_acceleration_structure_khr PFN_vkCopyAccelerationStructureKHR { vkCopyAccelerationStructureKHR: VK_KHR_acceleration_structure; }
            Device copy_acceleration_structure_to_memory_khr PFN_vkCopyAccelerationStructureToMemoryKHR { vkCopyAccelerationStructureToMemoryKHR: VK_KHR_acceleration_structure; }
            Device copy_image_to_image PFN_vkCopyImageToImage { vkCopyImageToImage: VK_VERSION_1_4; vkCopyImageToImageEXT: VK_EXT_host_image_copy; }
            Device copy_image_to_memory PFN_vkCopyImageToMemory { vkCopyImageToMemory: VK_VERSION_1_4; vkCopyImageToMemoryEXT: VK_EXT_host_image_copy; }
            Device copy_memory_to_acceleration_structure_khr PFN_vkCopyMemoryToAccelerationStructureKHR { vkCopyMemoryToAccelerationStructureKHR: VK_KHR_acceleration_structure; }
            Device copy_memory_to_image PFN_vkCopyMemoryToImage { vkCopyMemoryToImage: VK_VERSION_1_4; vkCopyMemoryToImageEXT: VK_EXT_host_image_copy; }
            Device copy_memory_to_micromap_ext PFN_vkCopyMemoryToMicromapEXT { vkCopyMemoryToMicromapEXT: VK_EXT_opacity_micromap; }
            Device copy_micromap_ext PFN_vkCopyMicromapEXT { vkCopyMicromapEXT: VK_EXT_opacity_micromap; }
            Device copy_micromap_to_memory_ext PFN_vkCopyMicromapToMemoryEXT { vkCopyMicromapToMemoryEXT: VK_EXT_opacity_micromap; }
            Device create_acceleration_structure2_khr PFN_vkCreateAccelerationStructure2KHR { vkCreateAccelerationStructure2KHR: VK_KHR_device_address_commands; }
            Device create_acceleration_structure_khr PFN_vkCreateAccelerationStructureKHR { vkCreateAccelerationStructureKHR: VK_KHR_acceleration_structure; }
            Device create_acceleration_structure_nv PFN_vkCreateAccelerationStructureNV { vkCreateAccelerationStructureNV: VK_NV_ray_tracing; }
            Device create_buffer PFN_vkCreateBuffer { vkCreateBuffer:; }
            Device create_buffer_view PFN_vkCreateBufferView { vkCreateBufferView:; }
            Device create_command_pool PFN_vkCreateCommandPool { vkCreateCommandPool:; }
            Device create_compute_pipelines PFN_vkCreateComputePipelines { vkCreateComputePipelines:; }
            Device create_cuda_function_nv PFN_vkCreateCudaFunctionNV { vkCreateCudaFunctionNV: VK_NV_cuda_kernel_launch; }
            Device create_cuda_module_nv PFN_vkCreateCudaModuleNV { vkCreateCudaModuleNV: VK_NV_cuda_kernel_launch; }
            Device create_data_graph_pipeline_session_arm PFN_vkCreateDataGraphPipelineSessionARM { vkCreateDataGraphPipelineSessionARM: VK_ARM_data_graph; }
            Device create_data_graph_pipelines_arm PFN_vkCreateDataGraphPipelinesARM { vkCreateDataGraphPipelinesARM: VK_ARM_data_graph; }
            Instance create_debug_report_callback_ext PFN_vkCreateDebugReportCallbackEXT { vkCreateDebugReportCallbackEXT: VK_EXT_debug_report; }
            Instance create_debug_utils_messenger_ext PFN_vkCreateDebugUtilsMessengerEXT { vkCreateDebugUtilsMessengerEXT: VK_EXT_debug_utils; }
            Device create_deferred_operation_khr PFN_vkCreateDeferredOperationKHR { vkCreateDeferredOperationKHR: VK_KHR_deferred_host_operations; }
            Device create_descriptor_pool PFN_vkCreateDescriptorPool { vkCreateDescriptorPool:; }
            Device create_descriptor_set_layout PFN_vkCreateDescriptorSetLayout { vkCreateDescriptorSetLayout:; }
            Device create_descriptor_update_template PFN_vkCreateDescriptorUpdateTemplate { vkCreateDescriptorUpdateTemplate: VK_VERSION_1_1; vkCreateDescriptorUpdateTemplateKHR: VK_KHR_descriptor_update_template; }
            PhysicalDevice create_device PFN_vkCreateDevice { vkCreateDevice:; }
            Device create_event PFN_vkCreateEvent { vkCreateEvent:; }
            Device create_execution_graph_pipelines_amdx PFN_vkCreateExecutionGraphPipelinesAMDX { vkCreateExecutionGraphPipelinesAMDX: VK_AMDX_shader_enqueue; }
            Device create_fence PFN_vkCreateFence { vkCreateFence:; }
            Device create_framebuffer PFN_vkCreateFramebuffer { vkCreateFramebuffer:; }
            Device create_graphics_pipelines PFN_vkCreateGraphicsPipelines { vkCreateGraphicsPipelines:; }
            Instance create_headless_surface_ext PFN_vkCreateHeadlessSurfaceEXT { vkCreateHeadlessSurfaceEXT: VK_EXT_headless_surface; }
            Device create_image PFN_vkCreateImage { vkCreateImage:; }
            Device create_image_view PFN_vkCreateImageView { vkCreateImageView:; }
            Device create_indirect_commands_layout_ext PFN_vkCreateIndirectCommandsLayoutEXT { vkCreateIndirectCommandsLayoutEXT: VK_EXT_device_generated_commands; }
            Device create_indirect_commands_layout_nv PFN_vkCreateIndirectCommandsLayoutNV { vkCreateIndirectCommandsLayoutNV: VK_NV_device_generated_commands; }
            Device create_indirect_execution_set_ext PFN_vkCreateIndirectExecutionSetEXT { vkCreateIndirectExecutionSetEXT: VK_EXT_device_generated_commands; }
            Instance create_instance PFN_vkCreateInstance { vkCreateInstance:; }
            Device create_micromap_ext PFN_vkCreateMicromapEXT { vkCreateMicromapEXT: VK_EXT_opacity_micromap; }
            Device create_pipeline_binaries_khr PFN_vkCreatePipelineBinariesKHR { vkCreatePipelineBinariesKHR: VK_KHR_pipeline_binary; }
            Device create_pipeline_cache PFN_vkCreatePipelineCache { vkCreatePipelineCache:; }
            Device create_pipeline_layout PFN_vkCreatePipelineLayout { vkCreatePipelineLayout:; }
            Device create_private_data_slot PFN_vkCreatePrivateDataSlot { vkCreatePrivateDataSlot: VK_VERSION_1_3; vkCreatePrivateDataSlotEXT: VK_EXT_private_data; }
            Device create_query_pool PFN_vkCreateQueryPool { vkCreateQueryPool:; }
            Device create_ray_tracing_pipelines_khr PFN_vkCreateRayTracingPipelinesKHR { vkCreateRayTracingPipelinesKHR: VK_KHR_ray_tracing_pipeline; }
            Device create_ray_tracing_pipelines_nv PFN_vkCreateRayTracingPipelinesNV { vkCreateRayTracingPipelinesNV: VK_NV_ray_tracing; }
            Device create_render_pass PFN_vkCreateRenderPass { vkCreateRenderPass:; }
            Device create_render_pass2 PFN_vkCreateRenderPass2 { vkCreateRenderPass2: VK_VERSION_1_2; vkCreateRenderPass2KHR: VK_KHR_create_renderpass2; }
            Device create_sampler PFN_vkCreateSampler { vkCreateSampler:; }
            Device create_sampler_ycbcr_conversion PFN_vkCreateSamplerYcbcrConversion { vkCreateSamplerYcbcrConversion: VK_VERSION_1_1; vkCreateSamplerYcbcrConversionKHR: VK_KHR_sampler_ycbcr_conversion; }
            Device create_semaphore PFN_vkCreateSemaphore { vkCreateSemaphore:; }
            Device create_shader_instrumentation_arm PFN_vkCreateShaderInstrumentationARM { vkCreateShaderInstrumentationARM: VK_ARM_shader_instrumentation; }
            Device create_shader_module PFN_vkCreateShaderModule { vkCreateShaderModule:; }
            Device create_shaders_ext PFN_vkCreateShadersEXT { vkCreateShadersEXT: VK_EXT_shader_object; }
            Device create_swapchain_khr PFN_vkCreateSwapchainKHR { vkCreateSwapchainKHR: VK_KHR_swapchain; }
            Device create_tensor_arm PFN_vkCreateTensorARM { vkCreateTensorARM: VK_ARM_tensors; }
            Device create_tensor_view_arm PFN_vkCreateTensorViewARM { vkCreateTensorViewARM: VK_ARM_tensors; }
            Device create_validation_cache_ext PFN_vkCreateValidationCacheEXT { vkCreateValidationCacheEXT: VK_EXT_validation_cache; }
            Instance create_wayland_surface_khr PFN_vkCreateWaylandSurfaceKHR { vkCreateWaylandSurfaceKHR: VK_KHR_wayland_surface; }
            Instance create_win32_surface_khr PFN_vkCreateWin32SurfaceKHR { vkCreateWin32SurfaceKHR: VK_KHR_win32_surface; }
            Instance create_xcb_surface_khr PFN_vkCreateXcbSurfaceKHR { vkCreateXcbSurfaceKHR: VK_KHR_xcb_surface; }
            Instance create_xlib_surface_khr PFN_vkCreateXlibSurfaceKHR { vkCreateXlibSurfaceKHR: VK_KHR_xlib_surface; }
            Device debug_marker_set_object_name_ext PFN_vkDebugMarkerSetObjectNameEXT { vkDebugMarkerSetObjectNameEXT: VK_EXT_debug_marker; }
            Device debug_marker_set_object_tag_ext PFN_vkDebugMarkerSetObjectTagEXT { vkDebugMarkerSetObjectTagEXT: VK_EXT_debug_marker; }
            Instance debug_report_message_ext PFN_vkDebugReportMessageEXT { vkDebugReportMessageEXT: VK_EXT_debug_report; }
            Device deferred_operation_join_khr PFN_vkDeferredOperationJoinKHR { vkDeferredOperationJoinKHR: VK_KHR_deferred_host_operations; }
            Device destroy_acceleration_structure_khr PFN_vkDestroyAccelerationStructureKHR { vkDestroyAccelerationStructureKHR: VK_KHR_acceleration_structure; }
            Device destroy_acceleration_structure_nv PFN_vkDestroyAccelerationStructureNV { vkDestroyAccelerationStructureNV: VK_NV_ray_tracing; }
            Device destroy_buffer PFN_vkDestroyBuffer { vkDestroyBuffer:; }
            Device destroy_buffer_view PFN_vkDestroyBufferView { vkDestroyBufferView:; }
            Device destroy_command_pool PFN_vkDestroyCommandPool { vkDestroyCommandPool:; }
            Device destroy_cuda_function_nv PFN_vkDestroyCudaFunctionNV { vkDestroyCudaFunctionNV: VK_NV_cuda_kernel_launch; }
            Device destroy_cuda_module_nv PFN_vkDestroyCudaModuleNV { vkDestroyCudaModuleNV: VK_NV_cuda_kernel_launch; }
            Device destroy_data_graph_pipeline_session_arm PFN_vkDestroyDataGraphPipelineSessionARM { vkDestroyDataGraphPipelineSessionARM: VK_ARM_data_graph; }
            Instance destroy_debug_report_callback_ext PFN_vkDestroyDebugReportCallbackEXT { vkDestroyDebugReportCallbackEXT: VK_EXT_debug_report; }
            Instance destroy_debug_utils_messenger_ext PFN_vkDestroyDebugUtilsMessengerEXT { vkDestroyDebugUtilsMessengerEXT: VK_EXT_debug_utils; }
            Device destroy_deferred_operation_khr PFN_vkDestroyDeferredOperationKHR { vkDestroyDeferredOperationKHR: VK_KHR_deferred_host_operations; }
            Device destroy_descriptor_pool PFN_vkDestroyDescriptorPool { vkDestroyDescriptorPool:; }
            Device destroy_descriptor_set_layout PFN_vkDestroyDescriptorSetLayout { vkDestroyDescriptorSetLayout:; }
            Device destroy_descriptor_update_template PFN_vkDestroyDescriptorUpdateTemplate { vkDestroyDescriptorUpdateTemplate: VK_VERSION_1_1; vkDestroyDescriptorUpdateTemplateKHR: VK_KHR_descriptor_update_template; }
            Device destroy_device PFN_vkDestroyDevice { vkDestroyDevice:; }
            Device destroy_event PFN_vkDestroyEvent { vkDestroyEvent:; }
            Device destroy_fence PFN_vkDestroyFence { vkDestroyFence:; }
            Device destroy_framebuffer PFN_vkDestroyFramebuffer { vkDestroyFramebuffer:; }
            Device destroy_image PFN_vkDestroyImage { vkDestroyImage:; }
            Device destroy_image_view PFN_vkDestroyImageView { vkDestroyImageView:; }
            Device destroy_indirect_commands_layout_ext PFN_vkDestroyIndirectCommandsLayoutEXT { vkDestroyIndirectCommandsLayoutEXT: VK_EXT_device_generated_commands; }
            Device destroy_indirect_commands_layout_nv PFN_vkDestroyIndirectCommandsLayoutNV { vkDestroyIndirectCommandsLayoutNV: VK_NV_device_generated_commands; }
            Device destroy_indirect_execution_set_ext PFN_vkDestroyIndirectExecutionSetEXT { vkDestroyIndirectExecutionSetEXT: VK_EXT_device_generated_commands; }
            Instance destroy_instance PFN_vkDestroyInstance { vkDestroyInstance:; }
            Device destroy_micromap_ext PFN_vkDestroyMicromapEXT { vkDestroyMicromapEXT: VK_EXT_opacity_micromap; }
            Device destroy_pipeline PFN_vkDestroyPipeline { vkDestroyPipeline:; }
            Device destroy_pipeline_binary_khr PFN_vkDestroyPipelineBinaryKHR { vkDestroyPipelineBinaryKHR: VK_KHR_pipeline_binary; }
            Device destroy_pipeline_cache PFN_vkDestroyPipelineCache { vkDestroyPipelineCache:; }
            Device destroy_pipeline_layout PFN_vkDestroyPipelineLayout { vkDestroyPipelineLayout:; }
            Device destroy_private_data_slot PFN_vkDestroyPrivateDataSlot { vkDestroyPrivateDataSlot: VK_VERSION_1_3; vkDestroyPrivateDataSlotEXT: VK_EXT_private_data; }
            Device destroy_query_pool PFN_vkDestroyQueryPool { vkDestroyQueryPool:; }
            Device destroy_render_pass PFN_vkDestroyRenderPass { vkDestroyRenderPass:; }
            Device destroy_sampler PFN_vkDestroySampler { vkDestroySampler:; }
            Device destroy_sampler_ycbcr_conversion PFN_vkDestroySamplerYcbcrConversion { vkDestroySamplerYcbcrConversion: VK_VERSION_1_1; vkDestroySamplerYcbcrConversionKHR: VK_KHR_sampler_ycbcr_conversion; }
            Device destroy_semaphore PFN_vkDestroySemaphore { vkDestroySemaphore:; }
            Device destroy_shader_ext PFN_vkDestroyShaderEXT { vkDestroyShaderEXT: VK_EXT_shader_object; }
            Device destroy_shader_instrumentation_arm PFN_vkDestroyShaderInstrumentationARM { vkDestroyShaderInstrumentationARM: VK_ARM_shader_instrumentation; }
            Device destroy_shader_module PFN_vkDestroyShaderModule { vkDestroyShaderModule:; }
            Instance destroy_surface_khr PFN_vkDestroySurfaceKHR { vkDestroySurfaceKHR: VK_KHR_surface; }
            Device destroy_swapchain_khr PFN_vkDestroySwapchainKHR { vkDestroySwapchainKHR: VK_KHR_swapchain; }
            Device destroy_tensor_arm PFN_vkDestroyTensorARM { vkDestroyTensorARM: VK_ARM_tensors; }
            Device destroy_tensor_view_arm PFN_vkDestroyTensorViewARM { vkDestroyTensorViewARM: VK_ARM_tensors; }
            Device destroy_validation_cache_ext PFN_vkDestroyValidationCacheEXT { vkDestroyValidationCacheEXT: VK_EXT_validation_cache; }
            Device device_wait_idle PFN_vkDeviceWaitIdle { vkDeviceWaitIdle:; }
            Device end_command_buffer PFN_vkEndCommandBuffer { vkEndCommandBuffer:; }
            PhysicalDevice enumerate_device_extension_properties PFN_vkEnumerateDeviceExtensionProperties { vkEnumerateDeviceExtensionProperties:; }
            PhysicalDevice enumerate_device_layer_properties PFN_vkEnumerateDeviceLayerProperties { vkEnumerateDeviceLayerProperties:; }
            Instance enumerate_instance_extension_properties PFN_vkEnumerateInstanceExtensionProperties { vkEnumerateInstanceExtensionProperties:; }
            Instance enumerate_instance_layer_properties PFN_vkEnumerateInstanceLayerProperties { vkEnumerateInstanceLayerProperties:; }
            Instance enumerate_instance_version PFN_vkEnumerateInstanceVersion { vkEnumerateInstanceVersion: VK_VERSION_1_1; }
            Instance enumerate_physical_device_groups PFN_vkEnumeratePhysicalDeviceGroups { vkEnumeratePhysicalDeviceGroups: VK_VERSION_1_1; vkEnumeratePhysicalDeviceGroupsKHR: VK_KHR_device_group_creation; }
            PhysicalDevice enumerate_physical_device_queue_family_performance_counters_by_region_arm PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceCountersByRegionARM { vkEnumeratePhysicalDeviceQueueFamilyPerformanceCountersByRegionARM: VK_ARM_performance_counters_by_region; }
            PhysicalDevice enumerate_physical_device_queue_family_performance_query_counters_khr PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR { vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR: VK_KHR_performance_query; }
            PhysicalDevice enumerate_physical_device_shader_instrumentation_metrics_arm PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM { vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM: VK_ARM_shader_instrumentation; }
            Instance enumerate_physical_devices PFN_vkEnumeratePhysicalDevices { vkEnumeratePhysicalDevices:; }
            Device flush_mapped_memory_ranges PFN_vkFlushMappedMemoryRanges { vkFlushMappedMemoryRanges:; }
            Device free_command_buffers PFN_vkFreeCommandBuffers { vkFreeCommandBuffers:; }
            Device free_descriptor_sets PFN_vkFreeDescriptorSets { vkFreeDescriptorSets:; }
            Device free_memory PFN_vkFreeMemory { vkFreeMemory:; }
            Device get_acceleration_structure_build_sizes_khr PFN_vkGetAccelerationStructureBuildSizesKHR { vkGetAccelerationStructureBuildSizesKHR: VK_KHR_acceleration_structure; }
            Device get_acceleration_structure_device_address_khr PFN_vkGetAccelerationStructureDeviceAddressKHR { vkGetAccelerationStructureDeviceAddressKHR: VK_KHR_acceleration_structure; }
            Device get_acceleration_structure_handle_nv PFN_vkGetAccelerationStructureHandleNV { vkGetAccelerationStructureHandleNV: VK_NV_ray_tracing; }
            Device get_acceleration_structure_memory_requirements_nv PFN_vkGetAccelerationStructureMemoryRequirementsNV { vkGetAccelerationStructureMemoryRequirementsNV: VK_NV_ray_tracing; }
            Device get_acceleration_structure_opaque_capture_descriptor_data_ext PFN_vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT { vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT: VK_EXT_descriptor_buffer; }
            Device get_buffer_device_address PFN_vkGetBufferDeviceAddress { vkGetBufferDeviceAddress: VK_VERSION_1_2; vkGetBufferDeviceAddressEXT: VK_EXT_buffer_device_address; vkGetBufferDeviceAddressKHR: VK_KHR_buffer_device_address; }
            Device get_buffer_memory_requirements PFN_vkGetBufferMemoryRequirements { vkGetBufferMemoryRequirements:; }
            Device get_buffer_memory_requirements2 PFN_vkGetBufferMemoryRequirements2 { vkGetBufferMemoryRequirements2: VK_VERSION_1_1; vkGetBufferMemoryRequirements2KHR: VK_KHR_get_memory_requirements2; }
            Device get_buffer_opaque_capture_address PFN_vkGetBufferOpaqueCaptureAddress { vkGetBufferOpaqueCaptureAddress: VK_VERSION_1_2; vkGetBufferOpaqueCaptureAddressKHR: VK_KHR_buffer_device_address; }
            Device get_buffer_opaque_capture_descriptor_data_ext PFN_vkGetBufferOpaqueCaptureDescriptorDataEXT { vkGetBufferOpaqueCaptureDescriptorDataEXT: VK_EXT_descriptor_buffer; }
            Device get_calibrated_timestamps_khr PFN_vkGetCalibratedTimestampsKHR { vkGetCalibratedTimestampsKHR: VK_KHR_calibrated_timestamps; vkGetCalibratedTimestampsEXT: VK_EXT_calibrated_timestamps; }
            Device get_cluster_acceleration_structure_build_sizes_nv PFN_vkGetClusterAccelerationStructureBuildSizesNV { vkGetClusterAccelerationStructureBuildSizesNV: VK_NV_cluster_acceleration_structure; }
            Device get_cuda_module_cache_nv PFN_vkGetCudaModuleCacheNV { vkGetCudaModuleCacheNV: VK_NV_cuda_kernel_launch; }
            Device get_data_graph_pipeline_available_properties_arm PFN_vkGetDataGraphPipelineAvailablePropertiesARM { vkGetDataGraphPipelineAvailablePropertiesARM: VK_ARM_data_graph; }
            Device get_data_graph_pipeline_properties_arm PFN_vkGetDataGraphPipelinePropertiesARM { vkGetDataGraphPipelinePropertiesARM: VK_ARM_data_graph; }
            Device get_data_graph_pipeline_session_bind_point_requirements_arm PFN_vkGetDataGraphPipelineSessionBindPointRequirementsARM { vkGetDataGraphPipelineSessionBindPointRequirementsARM: VK_ARM_data_graph; }
            Device get_data_graph_pipeline_session_memory_requirements_arm PFN_vkGetDataGraphPipelineSessionMemoryRequirementsARM { vkGetDataGraphPipelineSessionMemoryRequirementsARM: VK_ARM_data_graph; }
            Device get_deferred_operation_max_concurrency_khr PFN_vkGetDeferredOperationMaxConcurrencyKHR { vkGetDeferredOperationMaxConcurrencyKHR: VK_KHR_deferred_host_operations; }
            Device get_deferred_operation_result_khr PFN_vkGetDeferredOperationResultKHR { vkGetDeferredOperationResultKHR: VK_KHR_deferred_host_operations; }
            Device get_descriptor_ext PFN_vkGetDescriptorEXT { vkGetDescriptorEXT: VK_EXT_descriptor_buffer; }
            Device get_descriptor_set_host_mapping_valve PFN_vkGetDescriptorSetHostMappingVALVE { vkGetDescriptorSetHostMappingVALVE: VK_VALVE_descriptor_set_host_mapping; }
            Device get_descriptor_set_layout_binding_offset_ext PFN_vkGetDescriptorSetLayoutBindingOffsetEXT { vkGetDescriptorSetLayoutBindingOffsetEXT: VK_EXT_descriptor_buffer; }
            Device get_descriptor_set_layout_host_mapping_info_valve PFN_vkGetDescriptorSetLayoutHostMappingInfoVALVE { vkGetDescriptorSetLayoutHostMappingInfoVALVE: VK_VALVE_descriptor_set_host_mapping; }
            Device get_descriptor_set_layout_size_ext PFN_vkGetDescriptorSetLayoutSizeEXT { vkGetDescriptorSetLayoutSizeEXT: VK_EXT_descriptor_buffer; }
            Device get_descriptor_set_layout_support PFN_vkGetDescriptorSetLayoutSupport { vkGetDescriptorSetLayoutSupport: VK_VERSION_1_1; vkGetDescriptorSetLayoutSupportKHR: VK_KHR_maintenance3; }
            Device get_device_acceleration_structure_compatibility_khr PFN_vkGetDeviceAccelerationStructureCompatibilityKHR { vkGetDeviceAccelerationStructureCompatibilityKHR: VK_KHR_acceleration_structure; }
            Device get_device_buffer_memory_requirements PFN_vkGetDeviceBufferMemoryRequirements { vkGetDeviceBufferMemoryRequirements: VK_VERSION_1_3; vkGetDeviceBufferMemoryRequirementsKHR: VK_KHR_maintenance4; }
            Device get_device_fault_debug_info_khr PFN_vkGetDeviceFaultDebugInfoKHR { vkGetDeviceFaultDebugInfoKHR: VK_KHR_device_fault; }
            Device get_device_fault_info_ext PFN_vkGetDeviceFaultInfoEXT { vkGetDeviceFaultInfoEXT: VK_EXT_device_fault; }
            Device get_device_fault_reports_khr PFN_vkGetDeviceFaultReportsKHR { vkGetDeviceFaultReportsKHR: VK_KHR_device_fault; }
            Device get_device_group_peer_memory_features PFN_vkGetDeviceGroupPeerMemoryFeatures { vkGetDeviceGroupPeerMemoryFeatures: VK_VERSION_1_1; vkGetDeviceGroupPeerMemoryFeaturesKHR: VK_KHR_device_group; }
            Device get_device_group_present_capabilities_khr PFN_vkGetDeviceGroupPresentCapabilitiesKHR { vkGetDeviceGroupPresentCapabilitiesKHR: VK_KHR_device_group VK_KHR_swapchain; }
            Device get_device_group_surface_present_modes_khr PFN_vkGetDeviceGroupSurfacePresentModesKHR { vkGetDeviceGroupSurfacePresentModesKHR: VK_KHR_device_group VK_KHR_swapchain; }
            Device get_device_image_memory_requirements PFN_vkGetDeviceImageMemoryRequirements { vkGetDeviceImageMemoryRequirements: VK_VERSION_1_3; vkGetDeviceImageMemoryRequirementsKHR: VK_KHR_maintenance4; }
            Device get_device_image_sparse_memory_requirements PFN_vkGetDeviceImageSparseMemoryRequirements { vkGetDeviceImageSparseMemoryRequirements: VK_VERSION_1_3; vkGetDeviceImageSparseMemoryRequirementsKHR: VK_KHR_maintenance4; }
            Device get_device_image_subresource_layout PFN_vkGetDeviceImageSubresourceLayout { vkGetDeviceImageSubresourceLayout: VK_VERSION_1_4; vkGetDeviceImageSubresourceLayoutKHR: VK_KHR_maintenance5; }
            Device get_device_memory_commitment PFN_vkGetDeviceMemoryCommitment { vkGetDeviceMemoryCommitment:; }
            Device get_device_memory_opaque_capture_address PFN_vkGetDeviceMemoryOpaqueCaptureAddress { vkGetDeviceMemoryOpaqueCaptureAddress: VK_VERSION_1_2; vkGetDeviceMemoryOpaqueCaptureAddressKHR: VK_KHR_buffer_device_address; }
            Device get_device_micromap_compatibility_ext PFN_vkGetDeviceMicromapCompatibilityEXT { vkGetDeviceMicromapCompatibilityEXT: VK_EXT_opacity_micromap; }
            Device get_device_proc_addr PFN_vkGetDeviceProcAddr { vkGetDeviceProcAddr:; }
            Device get_device_queue PFN_vkGetDeviceQueue { vkGetDeviceQueue:; }
            Device get_device_queue2 PFN_vkGetDeviceQueue2 { vkGetDeviceQueue2: VK_VERSION_1_1; }
            Device get_device_subpass_shading_max_workgroup_size_huawei PFN_vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI { vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI: VK_HUAWEI_subpass_shading; }
            Device get_device_tensor_memory_requirements_arm PFN_vkGetDeviceTensorMemoryRequirementsARM { vkGetDeviceTensorMemoryRequirementsARM: VK_ARM_tensors; }
            Device get_dynamic_rendering_tile_properties_qcom PFN_vkGetDynamicRenderingTilePropertiesQCOM { vkGetDynamicRenderingTilePropertiesQCOM: VK_QCOM_tile_properties; }
            Device get_event_status PFN_vkGetEventStatus { vkGetEventStatus:; }
            Device get_execution_graph_pipeline_node_index_amdx PFN_vkGetExecutionGraphPipelineNodeIndexAMDX { vkGetExecutionGraphPipelineNodeIndexAMDX: VK_AMDX_shader_enqueue; }
            Device get_execution_graph_pipeline_scratch_size_amdx PFN_vkGetExecutionGraphPipelineScratchSizeAMDX { vkGetExecutionGraphPipelineScratchSizeAMDX: VK_AMDX_shader_enqueue; }
            Device get_fence_fd_khr PFN_vkGetFenceFdKHR { vkGetFenceFdKHR: VK_KHR_external_fence_fd; }
            Device get_fence_status PFN_vkGetFenceStatus { vkGetFenceStatus:; }
            Device get_fence_win32_handle_khr PFN_vkGetFenceWin32HandleKHR { vkGetFenceWin32HandleKHR: VK_KHR_external_fence_win32; }
            Device get_framebuffer_tile_properties_qcom PFN_vkGetFramebufferTilePropertiesQCOM { vkGetFramebufferTilePropertiesQCOM: VK_QCOM_tile_properties; }
            Device get_generated_commands_memory_requirements_ext PFN_vkGetGeneratedCommandsMemoryRequirementsEXT { vkGetGeneratedCommandsMemoryRequirementsEXT: VK_EXT_device_generated_commands; }
            Device get_generated_commands_memory_requirements_nv PFN_vkGetGeneratedCommandsMemoryRequirementsNV { vkGetGeneratedCommandsMemoryRequirementsNV: VK_NV_device_generated_commands; }
            Device get_image_drm_format_modifier_properties_ext PFN_vkGetImageDrmFormatModifierPropertiesEXT { vkGetImageDrmFormatModifierPropertiesEXT: VK_EXT_image_drm_format_modifier; }
            Device get_image_memory_requirements PFN_vkGetImageMemoryRequirements { vkGetImageMemoryRequirements:; }
            Device get_image_memory_requirements2 PFN_vkGetImageMemoryRequirements2 { vkGetImageMemoryRequirements2: VK_VERSION_1_1; vkGetImageMemoryRequirements2KHR: VK_KHR_get_memory_requirements2; }
            Device get_image_opaque_capture_data_ext PFN_vkGetImageOpaqueCaptureDataEXT { vkGetImageOpaqueCaptureDataEXT: VK_EXT_descriptor_heap; }
            Device get_image_opaque_capture_descriptor_data_ext PFN_vkGetImageOpaqueCaptureDescriptorDataEXT { vkGetImageOpaqueCaptureDescriptorDataEXT: VK_EXT_descriptor_buffer; }
            Device get_image_sparse_memory_requirements PFN_vkGetImageSparseMemoryRequirements { vkGetImageSparseMemoryRequirements:; }
            Device get_image_sparse_memory_requirements2 PFN_vkGetImageSparseMemoryRequirements2 { vkGetImageSparseMemoryRequirements2: VK_VERSION_1_1; vkGetImageSparseMemoryRequirements2KHR: VK_KHR_get_memory_requirements2; }
            Device get_image_subresource_layout PFN_vkGetImageSubresourceLayout { vkGetImageSubresourceLayout:; }
            Device get_image_subresource_layout2 PFN_vkGetImageSubresourceLayout2 { vkGetImageSubresourceLayout2: VK_VERSION_1_4; vkGetImageSubresourceLayout2EXT: VK_EXT_host_image_copy VK_EXT_image_compression_control; vkGetImageSubresourceLayout2KHR: VK_KHR_maintenance5; }
            Device get_image_view_opaque_capture_descriptor_data_ext PFN_vkGetImageViewOpaqueCaptureDescriptorDataEXT { vkGetImageViewOpaqueCaptureDescriptorDataEXT: VK_EXT_descriptor_buffer; }
            Instance get_instance_proc_addr PFN_vkGetInstanceProcAddr { vkGetInstanceProcAddr:; }
            Device get_memory_fd_khr PFN_vkGetMemoryFdKHR { vkGetMemoryFdKHR: VK_KHR_external_memory_fd; }
            Device get_memory_fd_properties_khr PFN_vkGetMemoryFdPropertiesKHR { vkGetMemoryFdPropertiesKHR: VK_KHR_external_memory_fd; }
            Device get_memory_host_pointer_properties_ext PFN_vkGetMemoryHostPointerPropertiesEXT { vkGetMemoryHostPointerPropertiesEXT: VK_EXT_external_memory_host; }
            Device get_memory_win32_handle_khr PFN_vkGetMemoryWin32HandleKHR { vkGetMemoryWin32HandleKHR: VK_KHR_external_memory_win32; }
            Device get_memory_win32_handle_properties_khr PFN_vkGetMemoryWin32HandlePropertiesKHR { vkGetMemoryWin32HandlePropertiesKHR: VK_KHR_external_memory_win32; }
            Device get_micromap_build_sizes_ext PFN_vkGetMicromapBuildSizesEXT { vkGetMicromapBuildSizesEXT: VK_EXT_opacity_micromap; }
            Device get_partitioned_acceleration_structures_build_sizes_nv PFN_vkGetPartitionedAccelerationStructuresBuildSizesNV { vkGetPartitionedAccelerationStructuresBuildSizesNV: VK_NV_partitioned_acceleration_structure; }
            Device get_past_presentation_timing_ext PFN_vkGetPastPresentationTimingEXT { vkGetPastPresentationTimingEXT: VK_EXT_present_timing; }
            Device get_past_presentation_timing_google PFN_vkGetPastPresentationTimingGOOGLE { vkGetPastPresentationTimingGOOGLE: VK_GOOGLE_display_timing; }
            PhysicalDevice get_physical_device_calibrateable_time_domains_khr PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR { vkGetPhysicalDeviceCalibrateableTimeDomainsKHR: VK_KHR_calibrated_timestamps; vkGetPhysicalDeviceCalibrateableTimeDomainsEXT: VK_EXT_calibrated_timestamps; }
            PhysicalDevice get_physical_device_cooperative_matrix_flexible_dimensions_properties_nv PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV { vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV: VK_NV_cooperative_matrix2; }
            PhysicalDevice get_physical_device_cooperative_matrix_properties2_ext PFN_vkGetPhysicalDeviceCooperativeMatrixProperties2EXT { vkGetPhysicalDeviceCooperativeMatrixProperties2EXT: VK_EXT_cooperative_matrix_maintenance1; }
            PhysicalDevice get_physical_device_cooperative_matrix_properties_khr PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR { vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR: VK_KHR_cooperative_matrix; }
            PhysicalDevice get_physical_device_cooperative_matrix_properties_nv PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV { vkGetPhysicalDeviceCooperativeMatrixPropertiesNV: VK_NV_cooperative_matrix; }
            PhysicalDevice get_physical_device_cooperative_vector_properties_nv PFN_vkGetPhysicalDeviceCooperativeVectorPropertiesNV { vkGetPhysicalDeviceCooperativeVectorPropertiesNV: VK_NV_cooperative_vector; }
            PhysicalDevice get_physical_device_descriptor_size_ext PFN_vkGetPhysicalDeviceDescriptorSizeEXT { vkGetPhysicalDeviceDescriptorSizeEXT: VK_EXT_descriptor_heap; }
            PhysicalDevice get_physical_device_external_buffer_properties PFN_vkGetPhysicalDeviceExternalBufferProperties { vkGetPhysicalDeviceExternalBufferProperties: VK_VERSION_1_1; vkGetPhysicalDeviceExternalBufferPropertiesKHR: VK_KHR_external_memory_capabilities; }
            PhysicalDevice get_physical_device_external_fence_properties PFN_vkGetPhysicalDeviceExternalFenceProperties { vkGetPhysicalDeviceExternalFenceProperties: VK_VERSION_1_1; vkGetPhysicalDeviceExternalFencePropertiesKHR: VK_KHR_external_fence_capabilities; }
            PhysicalDevice get_physical_device_external_semaphore_properties PFN_vkGetPhysicalDeviceExternalSemaphoreProperties { vkGetPhysicalDeviceExternalSemaphoreProperties: VK_VERSION_1_1; vkGetPhysicalDeviceExternalSemaphorePropertiesKHR: VK_KHR_external_semaphore_capabilities; }
            PhysicalDevice get_physical_device_external_tensor_properties_arm PFN_vkGetPhysicalDeviceExternalTensorPropertiesARM { vkGetPhysicalDeviceExternalTensorPropertiesARM: VK_ARM_tensors; }
            PhysicalDevice get_physical_device_features PFN_vkGetPhysicalDeviceFeatures { vkGetPhysicalDeviceFeatures:; }
            PhysicalDevice get_physical_device_features2 PFN_vkGetPhysicalDeviceFeatures2 { vkGetPhysicalDeviceFeatures2: VK_VERSION_1_1; vkGetPhysicalDeviceFeatures2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_format_properties PFN_vkGetPhysicalDeviceFormatProperties { vkGetPhysicalDeviceFormatProperties:; }
            PhysicalDevice get_physical_device_format_properties2 PFN_vkGetPhysicalDeviceFormatProperties2 { vkGetPhysicalDeviceFormatProperties2: VK_VERSION_1_1; vkGetPhysicalDeviceFormatProperties2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_fragment_shading_rates_khr PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR { vkGetPhysicalDeviceFragmentShadingRatesKHR: VK_KHR_fragment_shading_rate; }
            PhysicalDevice get_physical_device_image_format_properties PFN_vkGetPhysicalDeviceImageFormatProperties { vkGetPhysicalDeviceImageFormatProperties:; }
            PhysicalDevice get_physical_device_image_format_properties2 PFN_vkGetPhysicalDeviceImageFormatProperties2 { vkGetPhysicalDeviceImageFormatProperties2: VK_VERSION_1_1; vkGetPhysicalDeviceImageFormatProperties2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_memory_properties PFN_vkGetPhysicalDeviceMemoryProperties { vkGetPhysicalDeviceMemoryProperties:; }
            PhysicalDevice get_physical_device_memory_properties2 PFN_vkGetPhysicalDeviceMemoryProperties2 { vkGetPhysicalDeviceMemoryProperties2: VK_VERSION_1_1; vkGetPhysicalDeviceMemoryProperties2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_multisample_properties_ext PFN_vkGetPhysicalDeviceMultisamplePropertiesEXT { vkGetPhysicalDeviceMultisamplePropertiesEXT: VK_EXT_sample_locations; }
            PhysicalDevice get_physical_device_present_rectangles_khr PFN_vkGetPhysicalDevicePresentRectanglesKHR { vkGetPhysicalDevicePresentRectanglesKHR: VK_KHR_device_group VK_KHR_swapchain; }
            PhysicalDevice get_physical_device_properties PFN_vkGetPhysicalDeviceProperties { vkGetPhysicalDeviceProperties:; }
            PhysicalDevice get_physical_device_properties2 PFN_vkGetPhysicalDeviceProperties2 { vkGetPhysicalDeviceProperties2: VK_VERSION_1_1; vkGetPhysicalDeviceProperties2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_queue_family_data_graph_engine_operation_properties_arm PFN_vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM { vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM: VK_ARM_data_graph_instruction_set_tosa; }
            PhysicalDevice get_physical_device_queue_family_data_graph_processing_engine_properties_arm PFN_vkGetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM { vkGetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM: VK_ARM_data_graph; }
            PhysicalDevice get_physical_device_queue_family_data_graph_properties_arm PFN_vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM { vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM: VK_ARM_data_graph; }
            PhysicalDevice get_physical_device_queue_family_performance_query_passes_khr PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR { vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR: VK_KHR_performance_query; }
            PhysicalDevice get_physical_device_queue_family_properties PFN_vkGetPhysicalDeviceQueueFamilyProperties { vkGetPhysicalDeviceQueueFamilyProperties:; }
            PhysicalDevice get_physical_device_queue_family_properties2 PFN_vkGetPhysicalDeviceQueueFamilyProperties2 { vkGetPhysicalDeviceQueueFamilyProperties2: VK_VERSION_1_1; vkGetPhysicalDeviceQueueFamilyProperties2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_sparse_image_format_properties PFN_vkGetPhysicalDeviceSparseImageFormatProperties { vkGetPhysicalDeviceSparseImageFormatProperties:; }
            PhysicalDevice get_physical_device_sparse_image_format_properties2 PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 { vkGetPhysicalDeviceSparseImageFormatProperties2: VK_VERSION_1_1; vkGetPhysicalDeviceSparseImageFormatProperties2KHR: VK_KHR_get_physical_device_properties2; }
            PhysicalDevice get_physical_device_supported_framebuffer_mixed_samples_combinations_nv PFN_vkGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV { vkGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV: VK_NV_coverage_reduction_mode; }
            PhysicalDevice get_physical_device_surface_capabilities2_khr PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR { vkGetPhysicalDeviceSurfaceCapabilities2KHR: VK_KHR_get_surface_capabilities2; }
            PhysicalDevice get_physical_device_surface_capabilities_khr PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR { vkGetPhysicalDeviceSurfaceCapabilitiesKHR: VK_KHR_surface; }
            PhysicalDevice get_physical_device_surface_formats2_khr PFN_vkGetPhysicalDeviceSurfaceFormats2KHR { vkGetPhysicalDeviceSurfaceFormats2KHR: VK_KHR_get_surface_capabilities2; }
            PhysicalDevice get_physical_device_surface_formats_khr PFN_vkGetPhysicalDeviceSurfaceFormatsKHR { vkGetPhysicalDeviceSurfaceFormatsKHR: VK_KHR_surface; }
            PhysicalDevice get_physical_device_surface_present_modes_khr PFN_vkGetPhysicalDeviceSurfacePresentModesKHR { vkGetPhysicalDeviceSurfacePresentModesKHR: VK_KHR_surface; }
            PhysicalDevice get_physical_device_surface_support_khr PFN_vkGetPhysicalDeviceSurfaceSupportKHR { vkGetPhysicalDeviceSurfaceSupportKHR: VK_KHR_surface; }
            PhysicalDevice get_physical_device_tool_properties PFN_vkGetPhysicalDeviceToolProperties { vkGetPhysicalDeviceToolProperties: VK_VERSION_1_3; vkGetPhysicalDeviceToolPropertiesEXT: VK_EXT_tooling_info; }
            PhysicalDevice get_physical_device_wayland_presentation_support_khr PFN_vkGetPhysicalDeviceWaylandPresentationSupportKHR { vkGetPhysicalDeviceWaylandPresentationSupportKHR: VK_KHR_wayland_surface; }
            PhysicalDevice get_physical_device_win32_presentation_support_khr PFN_vkGetPhysicalDeviceWin32PresentationSupportKHR { vkGetPhysicalDeviceWin32PresentationSupportKHR: VK_KHR_win32_surface; }
            PhysicalDevice get_physical_device_xcb_presentation_support_khr PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR { vkGetPhysicalDeviceXcbPresentationSupportKHR: VK_KHR_xcb_surface; }
            PhysicalDevice get_physical_device_xlib_presentation_support_khr PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR { vkGetPhysicalDeviceXlibPresentationSupportKHR: VK_KHR_xlib_surface; }
            Device get_pipeline_binary_data_khr PFN_vkGetPipelineBinaryDataKHR { vkGetPipelineBinaryDataKHR: VK_KHR_pipeline_binary; }
            Device get_pipeline_cache_data PFN_vkGetPipelineCacheData { vkGetPipelineCacheData:; }
            Device get_pipeline_executable_internal_representations_khr PFN_vkGetPipelineExecutableInternalRepresentationsKHR { vkGetPipelineExecutableInternalRepresentationsKHR: VK_KHR_pipeline_executable_properties; }
            Device get_pipeline_executable_properties_khr PFN_vkGetPipelineExecutablePropertiesKHR { vkGetPipelineExecutablePropertiesKHR: VK_KHR_pipeline_executable_properties; }
            Device get_pipeline_executable_statistics_khr PFN_vkGetPipelineExecutableStatisticsKHR { vkGetPipelineExecutableStatisticsKHR: VK_KHR_pipeline_executable_properties; }
            Device get_pipeline_indirect_device_address_nv PFN_vkGetPipelineIndirectDeviceAddressNV { vkGetPipelineIndirectDeviceAddressNV: VK_NV_device_generated_commands_compute; }
            Device get_pipeline_indirect_memory_requirements_nv PFN_vkGetPipelineIndirectMemoryRequirementsNV { vkGetPipelineIndirectMemoryRequirementsNV: VK_NV_device_generated_commands_compute; }
            Device get_pipeline_key_khr PFN_vkGetPipelineKeyKHR { vkGetPipelineKeyKHR: VK_KHR_pipeline_binary; }
            Device get_pipeline_properties_ext PFN_vkGetPipelinePropertiesEXT { vkGetPipelinePropertiesEXT: VK_EXT_pipeline_properties; }
            Device get_private_data PFN_vkGetPrivateData { vkGetPrivateData: VK_VERSION_1_3; vkGetPrivateDataEXT: VK_EXT_private_data; }
            Device get_query_pool_results PFN_vkGetQueryPoolResults { vkGetQueryPoolResults:; }
            Device get_queue_checkpoint_data2_nv PFN_vkGetQueueCheckpointData2NV { vkGetQueueCheckpointData2NV: VK_NV_device_diagnostic_checkpoints; }
            Device get_queue_checkpoint_data_nv PFN_vkGetQueueCheckpointDataNV { vkGetQueueCheckpointDataNV: VK_NV_device_diagnostic_checkpoints; }
            Device get_ray_tracing_capture_replay_shader_group_handles_khr PFN_vkGetRayTracingCaptureReplayShaderGroupHandlesKHR { vkGetRayTracingCaptureReplayShaderGroupHandlesKHR: VK_KHR_ray_tracing_pipeline; }
            Device get_ray_tracing_shader_group_handles_khr PFN_vkGetRayTracingShaderGroupHandlesKHR { vkGetRayTracingShaderGroupHandlesKHR: VK_KHR_ray_tracing_pipeline; vkGetRayTracingShaderGroupHandlesNV: VK_NV_ray_tracing; }
            Device get_ray_tracing_shader_group_stack_size_khr PFN_vkGetRayTracingShaderGroupStackSizeKHR { vkGetRayTracingShaderGroupStackSizeKHR: VK_KHR_ray_tracing_pipeline; }
            Device get_refresh_cycle_duration_google PFN_vkGetRefreshCycleDurationGOOGLE { vkGetRefreshCycleDurationGOOGLE: VK_GOOGLE_display_timing; }
            Device get_render_area_granularity PFN_vkGetRenderAreaGranularity { vkGetRenderAreaGranularity:; }
            Device get_rendering_area_granularity PFN_vkGetRenderingAreaGranularity { vkGetRenderingAreaGranularity: VK_VERSION_1_4; vkGetRenderingAreaGranularityKHR: VK_KHR_maintenance5; }
            Device get_sampler_opaque_capture_descriptor_data_ext PFN_vkGetSamplerOpaqueCaptureDescriptorDataEXT { vkGetSamplerOpaqueCaptureDescriptorDataEXT: VK_EXT_descriptor_buffer; }
            Device get_semaphore_counter_value PFN_vkGetSemaphoreCounterValue { vkGetSemaphoreCounterValue: VK_VERSION_1_2; vkGetSemaphoreCounterValueKHR: VK_KHR_timeline_semaphore; }
            Device get_semaphore_fd_khr PFN_vkGetSemaphoreFdKHR { vkGetSemaphoreFdKHR: VK_KHR_external_semaphore_fd; }
            Device get_semaphore_win32_handle_khr PFN_vkGetSemaphoreWin32HandleKHR { vkGetSemaphoreWin32HandleKHR: VK_KHR_external_semaphore_win32; }
            Device get_shader_binary_data_ext PFN_vkGetShaderBinaryDataEXT { vkGetShaderBinaryDataEXT: VK_EXT_shader_object; }
            Device get_shader_instrumentation_values_arm PFN_vkGetShaderInstrumentationValuesARM { vkGetShaderInstrumentationValuesARM: VK_ARM_shader_instrumentation; }
            Device get_shader_module_create_info_identifier_ext PFN_vkGetShaderModuleCreateInfoIdentifierEXT { vkGetShaderModuleCreateInfoIdentifierEXT: VK_EXT_shader_module_identifier; }
            Device get_shader_module_identifier_ext PFN_vkGetShaderModuleIdentifierEXT { vkGetShaderModuleIdentifierEXT: VK_EXT_shader_module_identifier; }
            Device get_swapchain_images_khr PFN_vkGetSwapchainImagesKHR { vkGetSwapchainImagesKHR: VK_KHR_swapchain; }
            Device get_swapchain_status_khr PFN_vkGetSwapchainStatusKHR { vkGetSwapchainStatusKHR: VK_KHR_shared_presentable_image; }
            Device get_swapchain_time_domain_properties_ext PFN_vkGetSwapchainTimeDomainPropertiesEXT { vkGetSwapchainTimeDomainPropertiesEXT: VK_EXT_present_timing; }
            Device get_swapchain_timing_properties_ext PFN_vkGetSwapchainTimingPropertiesEXT { vkGetSwapchainTimingPropertiesEXT: VK_EXT_present_timing; }
            Device get_tensor_memory_requirements_arm PFN_vkGetTensorMemoryRequirementsARM { vkGetTensorMemoryRequirementsARM: VK_ARM_tensors; }
            Device get_tensor_opaque_capture_data_arm PFN_vkGetTensorOpaqueCaptureDataARM { vkGetTensorOpaqueCaptureDataARM: VK_EXT_descriptor_heap; }
            Device get_tensor_opaque_capture_descriptor_data_arm PFN_vkGetTensorOpaqueCaptureDescriptorDataARM { vkGetTensorOpaqueCaptureDescriptorDataARM: VK_ARM_tensors; }
            Device get_tensor_view_opaque_capture_descriptor_data_arm PFN_vkGetTensorViewOpaqueCaptureDescriptorDataARM { vkGetTensorViewOpaqueCaptureDescriptorDataARM: VK_ARM_tensors; }
            Device get_validation_cache_data_ext PFN_vkGetValidationCacheDataEXT { vkGetValidationCacheDataEXT: VK_EXT_validation_cache; }
            Device import_fence_fd_khr PFN_vkImportFenceFdKHR { vkImportFenceFdKHR: VK_KHR_external_fence_fd; }
            Device import_fence_win32_handle_khr PFN_vkImportFenceWin32HandleKHR { vkImportFenceWin32HandleKHR: VK_KHR_external_fence_win32; }
            Device import_semaphore_fd_khr PFN_vkImportSemaphoreFdKHR { vkImportSemaphoreFdKHR: VK_KHR_external_semaphore_fd; }
            Device import_semaphore_win32_handle_khr PFN_vkImportSemaphoreWin32HandleKHR { vkImportSemaphoreWin32HandleKHR: VK_KHR_external_semaphore_win32; }
            Device invalidate_mapped_memory_ranges PFN_vkInvalidateMappedMemoryRanges { vkInvalidateMappedMemoryRanges:; }
            Device map_memory PFN_vkMapMemory { vkMapMemory:; }
            Device map_memory2 PFN_vkMapMemory2 { vkMapMemory2: VK_VERSION_1_4; vkMapMemory2KHR: VK_KHR_map_memory2; }
            Device merge_pipeline_caches PFN_vkMergePipelineCaches { vkMergePipelineCaches:; }
            Device merge_validation_caches_ext PFN_vkMergeValidationCachesEXT { vkMergeValidationCachesEXT: VK_EXT_validation_cache; }
            Device queue_begin_debug_utils_label_ext PFN_vkQueueBeginDebugUtilsLabelEXT { vkQueueBeginDebugUtilsLabelEXT: VK_EXT_debug_utils; }
            Device queue_bind_sparse PFN_vkQueueBindSparse { vkQueueBindSparse:; }
            Device queue_end_debug_utils_label_ext PFN_vkQueueEndDebugUtilsLabelEXT { vkQueueEndDebugUtilsLabelEXT: VK_EXT_debug_utils; }
            Device queue_insert_debug_utils_label_ext PFN_vkQueueInsertDebugUtilsLabelEXT { vkQueueInsertDebugUtilsLabelEXT: VK_EXT_debug_utils; }
            Device queue_present_khr PFN_vkQueuePresentKHR { vkQueuePresentKHR: VK_KHR_swapchain; }
            Device queue_set_perf_hint_qcom PFN_vkQueueSetPerfHintQCOM { vkQueueSetPerfHintQCOM: VK_QCOM_queue_perf_hint; }
            Device queue_submit PFN_vkQueueSubmit { vkQueueSubmit:; }
            Device queue_submit2 PFN_vkQueueSubmit2 { vkQueueSubmit2: VK_VERSION_1_3; vkQueueSubmit2KHR: VK_KHR_synchronization2; }
            Device queue_wait_idle PFN_vkQueueWaitIdle { vkQueueWaitIdle:; }
            Device register_custom_border_color_ext PFN_vkRegisterCustomBorderColorEXT { vkRegisterCustomBorderColorEXT: VK_EXT_descriptor_heap; }
            Device release_captured_pipeline_data_khr PFN_vkReleaseCapturedPipelineDataKHR { vkReleaseCapturedPipelineDataKHR: VK_KHR_pipeline_binary; }
            Device release_profiling_lock_khr PFN_vkReleaseProfilingLockKHR { vkReleaseProfilingLockKHR: VK_KHR_performance_query; }
            Device release_swapchain_images_khr PFN_vkReleaseSwapchainImagesKHR { vkReleaseSwapchainImagesKHR: VK_KHR_swapchain_maintenance1; vkReleaseSwapchainImagesEXT: VK_EXT_swapchain_maintenance1; }
            Device reset_command_buffer PFN_vkResetCommandBuffer { vkResetCommandBuffer:; }
            Device reset_command_pool PFN_vkResetCommandPool { vkResetCommandPool:; }
            Device reset_descriptor_pool PFN_vkResetDescriptorPool { vkResetDescriptorPool:; }
            Device reset_event PFN_vkResetEvent { vkResetEvent:; }
            Device reset_fences PFN_vkResetFences { vkResetFences:; }
            Device reset_query_pool PFN_vkResetQueryPool { vkResetQueryPool: VK_VERSION_1_2; vkResetQueryPoolEXT: VK_EXT_host_query_reset; }
            Device set_debug_utils_object_name_ext PFN_vkSetDebugUtilsObjectNameEXT { vkSetDebugUtilsObjectNameEXT: VK_EXT_debug_utils; }
            Device set_debug_utils_object_tag_ext PFN_vkSetDebugUtilsObjectTagEXT { vkSetDebugUtilsObjectTagEXT: VK_EXT_debug_utils; }
            Device set_device_memory_priority_ext PFN_vkSetDeviceMemoryPriorityEXT { vkSetDeviceMemoryPriorityEXT: VK_EXT_pageable_device_local_memory; }
            Device set_event PFN_vkSetEvent { vkSetEvent:; }
            Device set_private_data PFN_vkSetPrivateData { vkSetPrivateData: VK_VERSION_1_3; vkSetPrivateDataEXT: VK_EXT_private_data; }
            Device set_swapchain_present_timing_queue_size_ext PFN_vkSetSwapchainPresentTimingQueueSizeEXT { vkSetSwapchainPresentTimingQueueSizeEXT: VK_EXT_present_timing; }
            Device signal_semaphore PFN_vkSignalSemaphore { vkSignalSemaphore: VK_VERSION_1_2; vkSignalSemaphoreKHR: VK_KHR_timeline_semaphore; }
            Instance submit_debug_utils_message_ext PFN_vkSubmitDebugUtilsMessageEXT { vkSubmitDebugUtilsMessageEXT: VK_EXT_debug_utils; }
            Device transition_image_layout PFN_vkTransitionImageLayout { vkTransitionImageLayout: VK_VERSION_1_4; vkTransitionImageLayoutEXT: VK_EXT_host_image_copy; }
            Device trim_command_pool PFN_vkTrimCommandPool { vkTrimCommandPool: VK_VERSION_1_1; vkTrimCommandPoolKHR: VK_KHR_maintenance1; }
            Device unmap_memory PFN_vkUnmapMemory { vkUnmapMemory:; }
            Device unmap_memory2 PFN_vkUnmapMemory2 { vkUnmapMemory2: VK_VERSION_1_4; vkUnmapMemory2KHR: VK_KHR_map_memory2; }
            Device unregister_custom_border_color_ext PFN_vkUnregisterCustomBorderColorEXT { vkUnregisterCustomBorderColorEXT: VK_EXT_descriptor_heap; }
            Device update_descriptor_set_with_template PFN_vkUpdateDescriptorSetWithTemplate { vkUpdateDescriptorSetWithTemplate: VK_VERSION_1_1; vkUpdateDescriptorSetWithTemplateKHR: VK_KHR_descriptor_update_template; }
            Device update_descriptor_sets PFN_vkUpdateDescriptorSets { vkUpdateDescriptorSets:; }
            Device update_indirect_execution_set_pipeline_ext PFN_vkUpdateIndirectExecutionSetPipelineEXT { vkUpdateIndirectExecutionSetPipelineEXT: VK_EXT_device_generated_commands; }
            Device update_indirect_execution_set_shader_ext PFN_vkUpdateIndirectExecutionSetShaderEXT { vkUpdateIndirectExecutionSetShaderEXT: VK_EXT_device_generated_commands; }
            Device wait_for_fences PFN_vkWaitForFences { vkWaitForFences:; }
            Device wait_for_present2_khr PFN_vkWaitForPresent2KHR { vkWaitForPresent2KHR: VK_KHR_present_wait2; }
            Device wait_for_present_khr PFN_vkWaitForPresentKHR { vkWaitForPresentKHR: VK_KHR_present_wait; }
            Device wait_semaphores PFN_vkWaitSemaphores { vkWaitSemaphores: VK_VERSION_1_2; vkWaitSemaphoresKHR: VK_KHR_timeline_semaphore; }
            Device write_acceleration_structures_properties_khr PFN_vkWriteAccelerationStructuresPropertiesKHR { vkWriteAccelerationStructuresPropertiesKHR: VK_KHR_acceleration_structure; }
            Device write_micromaps_properties_ext PFN_vkWriteMicromapsPropertiesEXT { vkWriteMicromapsPropertiesEXT: VK_EXT_opacity_micromap; }
            Device write_resource_descriptors_ext PFN_vkWriteResourceDescriptorsEXT { vkWriteResourceDescriptorsEXT: VK_EXT_descriptor_heap; }
            Device write_sampler_descriptors_ext PFN_vkWriteSamplerDescriptorsEXT { vkWriteSamplerDescriptorsEXT: VK_EXT_descriptor_heap; }
        }
    };
}
pub(crate) use for_each_command;

/// Runs a macro with all core versions and extensions that bring commands.
#[rustfmt::skip]
macro_rules! for_each_provider {
    ($with:ident) => {
        $with! {
            VK_AMDX_shader_enqueue Extension("VK_AMDX_shader_enqueue")
            VK_AMD_buffer_marker Extension("VK_AMD_buffer_marker")
            VK_AMD_draw_indirect_count Extension("VK_AMD_draw_indirect_count")
            VK_ARM_data_graph Extension("VK_ARM_data_graph")
            VK_ARM_data_graph_instruction_set_tosa Extension("VK_ARM_data_graph_instruction_set_tosa")
            VK_ARM_performance_counters_by_region Extension("VK_ARM_performance_counters_by_region")
            VK_ARM_scheduling_controls Extension("VK_ARM_scheduling_controls")
            VK_ARM_shader_instrumentation Extension("VK_ARM_shader_instrumentation")
            VK_ARM_tensors Extension("VK_ARM_tensors")
            VK_EXT_attachment_feedback_loop_dynamic_state Extension("VK_EXT_attachment_feedback_loop_dynamic_state")
            VK_EXT_buffer_device_address Extension("VK_EXT_buffer_device_address")
            VK_EXT_calibrated_timestamps Extension("VK_EXT_calibrated_timestamps")
            VK_EXT_color_write_enable Extension("VK_EXT_color_write_enable")
            VK_EXT_conditional_rendering Extension("VK_EXT_conditional_rendering")
            VK_EXT_cooperative_matrix_maintenance1 Extension("VK_EXT_cooperative_matrix_maintenance1")
            VK_EXT_custom_resolve Extension("VK_EXT_custom_resolve")
            VK_EXT_debug_marker Extension("VK_EXT_debug_marker")
            VK_EXT_debug_report Extension("VK_EXT_debug_report")
            VK_EXT_debug_utils Extension("VK_EXT_debug_utils")
            VK_EXT_depth_bias_control Extension("VK_EXT_depth_bias_control")
            VK_EXT_depth_clamp_control Extension("VK_EXT_depth_clamp_control")
            VK_EXT_descriptor_buffer Extension("VK_EXT_descriptor_buffer")
            VK_EXT_descriptor_heap Extension("VK_EXT_descriptor_heap")
            VK_EXT_device_fault Extension("VK_EXT_device_fault")
            VK_EXT_device_generated_commands Extension("VK_EXT_device_generated_commands")
            VK_EXT_discard_rectangles Extension("VK_EXT_discard_rectangles")
            VK_EXT_extended_dynamic_state Extension("VK_EXT_extended_dynamic_state")
            VK_EXT_extended_dynamic_state2 Extension("VK_EXT_extended_dynamic_state2")
            VK_EXT_extended_dynamic_state3 Extension("VK_EXT_extended_dynamic_state3")
            VK_EXT_external_memory_host Extension("VK_EXT_external_memory_host")
            VK_EXT_fragment_density_map_offset Extension("VK_EXT_fragment_density_map_offset")
            VK_EXT_headless_surface Extension("VK_EXT_headless_surface")
            VK_EXT_host_image_copy Extension("VK_EXT_host_image_copy")
            VK_EXT_host_query_reset Extension("VK_EXT_host_query_reset")
            VK_EXT_image_compression_control Extension("VK_EXT_image_compression_control")
            VK_EXT_image_drm_format_modifier Extension("VK_EXT_image_drm_format_modifier")
            VK_EXT_line_rasterization Extension("VK_EXT_line_rasterization")
            VK_EXT_memory_decompression Extension("VK_EXT_memory_decompression")
            VK_EXT_mesh_shader Extension("VK_EXT_mesh_shader")
            VK_EXT_multi_draw Extension("VK_EXT_multi_draw")
            VK_EXT_opacity_micromap Extension("VK_EXT_opacity_micromap")
            VK_EXT_pageable_device_local_memory Extension("VK_EXT_pageable_device_local_memory")
            VK_EXT_pipeline_properties Extension("VK_EXT_pipeline_properties")
            VK_EXT_present_timing Extension("VK_EXT_present_timing")
            VK_EXT_primitive_restart_index Extension("VK_EXT_primitive_restart_index")
            VK_EXT_private_data Extension("VK_EXT_private_data")
            VK_EXT_sample_locations Extension("VK_EXT_sample_locations")
            VK_EXT_shader_module_identifier Extension("VK_EXT_shader_module_identifier")
            VK_EXT_shader_object Extension("VK_EXT_shader_object")
            VK_EXT_swapchain_maintenance1 Extension("VK_EXT_swapchain_maintenance1")
            VK_EXT_tooling_info Extension("VK_EXT_tooling_info")
            VK_EXT_transform_feedback Extension("VK_EXT_transform_feedback")
            VK_EXT_validation_cache Extension("VK_EXT_validation_cache")
            VK_EXT_vertex_input_dynamic_state Extension("VK_EXT_vertex_input_dynamic_state")
            VK_GOOGLE_display_timing Extension("VK_GOOGLE_display_timing")
            VK_HUAWEI_cluster_culling_shader Extension("VK_HUAWEI_cluster_culling_shader")
            VK_HUAWEI_invocation_mask Extension("VK_HUAWEI_invocation_mask")
            VK_HUAWEI_subpass_shading Extension("VK_HUAWEI_subpass_shading")
            VK_KHR_acceleration_structure Extension("VK_KHR_acceleration_structure")
            VK_KHR_bind_memory2 Extension("VK_KHR_bind_memory2")
            VK_KHR_buffer_device_address Extension("VK_KHR_buffer_device_address")
            VK_KHR_calibrated_timestamps Extension("VK_KHR_calibrated_timestamps")
            VK_KHR_cooperative_matrix Extension("VK_KHR_cooperative_matrix")
            VK_KHR_copy_commands2 Extension("VK_KHR_copy_commands2")
            VK_KHR_copy_memory_indirect Extension("VK_KHR_copy_memory_indirect")
            VK_KHR_create_renderpass2 Extension("VK_KHR_create_renderpass2")
            VK_KHR_deferred_host_operations Extension("VK_KHR_deferred_host_operations")
            VK_KHR_descriptor_update_template Extension("VK_KHR_descriptor_update_template")
            VK_KHR_device_address_commands Extension("VK_KHR_device_address_commands")
            VK_KHR_device_fault Extension("VK_KHR_device_fault")
            VK_KHR_device_group Extension("VK_KHR_device_group")
            VK_KHR_device_group_creation Extension("VK_KHR_device_group_creation")
            VK_KHR_draw_indirect_count Extension("VK_KHR_draw_indirect_count")
            VK_KHR_dynamic_rendering Extension("VK_KHR_dynamic_rendering")
            VK_KHR_dynamic_rendering_local_read Extension("VK_KHR_dynamic_rendering_local_read")
            VK_KHR_external_fence_capabilities Extension("VK_KHR_external_fence_capabilities")
            VK_KHR_external_fence_fd Extension("VK_KHR_external_fence_fd")
            VK_KHR_external_fence_win32 Extension("VK_KHR_external_fence_win32")
            VK_KHR_external_memory_capabilities Extension("VK_KHR_external_memory_capabilities")
            VK_KHR_external_memory_fd Extension("VK_KHR_external_memory_fd")
            VK_KHR_external_memory_win32 Extension("VK_KHR_external_memory_win32")
            VK_KHR_external_semaphore_capabilities Extension("VK_KHR_external_semaphore_capabilities")
            VK_KHR_external_semaphore_fd Extension("VK_KHR_external_semaphore_fd")
            VK_KHR_external_semaphore_win32 Extension("VK_KHR_external_semaphore_win32")
            VK_KHR_fragment_shading_rate Extension("VK_KHR_fragment_shading_rate")
            VK_KHR_get_memory_requirements2 Extension("VK_KHR_get_memory_requirements2")
            VK_KHR_get_physical_device_properties2 Extension("VK_KHR_get_physical_device_properties2")
            VK_KHR_get_surface_capabilities2 Extension("VK_KHR_get_surface_capabilities2")
            VK_KHR_line_rasterization Extension("VK_KHR_line_rasterization")
            VK_KHR_maintenance1 Extension("VK_KHR_maintenance1")
            VK_KHR_maintenance10 Extension("VK_KHR_maintenance10")
            VK_KHR_maintenance3 Extension("VK_KHR_maintenance3")
            VK_KHR_maintenance4 Extension("VK_KHR_maintenance4")
            VK_KHR_maintenance5 Extension("VK_KHR_maintenance5")
            VK_KHR_maintenance6 Extension("VK_KHR_maintenance6")
            VK_KHR_map_memory2 Extension("VK_KHR_map_memory2")
            VK_KHR_performance_query Extension("VK_KHR_performance_query")
            VK_KHR_pipeline_binary Extension("VK_KHR_pipeline_binary")
            VK_KHR_pipeline_executable_properties Extension("VK_KHR_pipeline_executable_properties")
            VK_KHR_present_wait Extension("VK_KHR_present_wait")
            VK_KHR_present_wait2 Extension("VK_KHR_present_wait2")
            VK_KHR_push_descriptor Extension("VK_KHR_push_descriptor")
            VK_KHR_ray_tracing_maintenance1 Extension("VK_KHR_ray_tracing_maintenance1")
            VK_KHR_ray_tracing_pipeline Extension("VK_KHR_ray_tracing_pipeline")
            VK_KHR_sampler_ycbcr_conversion Extension("VK_KHR_sampler_ycbcr_conversion")
            VK_KHR_shared_presentable_image Extension("VK_KHR_shared_presentable_image")
            VK_KHR_surface Extension("VK_KHR_surface")
            VK_KHR_swapchain Extension("VK_KHR_swapchain")
            VK_KHR_swapchain_maintenance1 Extension("VK_KHR_swapchain_maintenance1")
            VK_KHR_synchronization2 Extension("VK_KHR_synchronization2")
            VK_KHR_timeline_semaphore Extension("VK_KHR_timeline_semaphore")
            VK_KHR_wayland_surface Extension("VK_KHR_wayland_surface")
            VK_KHR_win32_surface Extension("VK_KHR_win32_surface")
            VK_KHR_xcb_surface Extension("VK_KHR_xcb_surface")
            VK_KHR_xlib_surface Extension("VK_KHR_xlib_surface")
            VK_NV_clip_space_w_scaling Extension("VK_NV_clip_space_w_scaling")
            VK_NV_cluster_acceleration_structure Extension("VK_NV_cluster_acceleration_structure")
            VK_NV_compute_occupancy_priority Extension("VK_NV_compute_occupancy_priority")
            VK_NV_cooperative_matrix Extension("VK_NV_cooperative_matrix")
            VK_NV_cooperative_matrix2 Extension("VK_NV_cooperative_matrix2")
            VK_NV_cooperative_vector Extension("VK_NV_cooperative_vector")
            VK_NV_copy_memory_indirect Extension("VK_NV_copy_memory_indirect")
            VK_NV_coverage_reduction_mode Extension("VK_NV_coverage_reduction_mode")
            VK_NV_cuda_kernel_launch Extension("VK_NV_cuda_kernel_launch")
            VK_NV_device_diagnostic_checkpoints Extension("VK_NV_device_diagnostic_checkpoints")
            VK_NV_device_generated_commands Extension("VK_NV_device_generated_commands")
            VK_NV_device_generated_commands_compute Extension("VK_NV_device_generated_commands_compute")
            VK_NV_fragment_shading_rate_enums Extension("VK_NV_fragment_shading_rate_enums")
            VK_NV_memory_decompression Extension("VK_NV_memory_decompression")
            VK_NV_mesh_shader Extension("VK_NV_mesh_shader")
            VK_NV_partitioned_acceleration_structure Extension("VK_NV_partitioned_acceleration_structure")
            VK_NV_ray_tracing Extension("VK_NV_ray_tracing")
            VK_NV_scissor_exclusive Extension("VK_NV_scissor_exclusive")
            VK_NV_shading_rate_image Extension("VK_NV_shading_rate_image")
            VK_QCOM_queue_perf_hint Extension("VK_QCOM_queue_perf_hint")
            VK_QCOM_tile_memory_heap Extension("VK_QCOM_tile_memory_heap")
            VK_QCOM_tile_properties Extension("VK_QCOM_tile_properties")
            VK_QCOM_tile_shading Extension("VK_QCOM_tile_shading")
            VK_VALVE_descriptor_set_host_mapping Extension("VK_VALVE_descriptor_set_host_mapping")
            VK_VERSION_1_1 Version(1, 1)
            VK_VERSION_1_2 Version(1, 2)
            VK_VERSION_1_3 Version(1, 3)
            VK_VERSION_1_4 Version(1, 4)
        }
    };
}
pub(crate) use for_each_provider;
