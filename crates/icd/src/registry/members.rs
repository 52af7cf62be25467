//! The pointers in the structures that commands' bodies name.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do not edit.

/// Runs a macro with all: structure, and its pointers.
#[rustfmt::skip]
macro_rules! for_each_pointer_member {
    ($with:ident) => {
        $with! {
            AccelerationStructureBuildGeometryInfoKHR { array geometries[geometry_count]: AccelerationStructureGeometryKHR; pointers pointer_geometries[geometry_count]: AccelerationStructureGeometryKHR; }
            AccelerationStructureCreateInfoNV { within info: AccelerationStructureInfoNV; }
            AccelerationStructureGeometryMicromapDataKHR { array usage_counts[usage_counts_count]: MicromapUsageKHR; pointers pointer_usage_counts[usage_counts_count]: MicromapUsageKHR; }
            AccelerationStructureInfoNV { array geometries[geometry_count]: GeometryNV; }
            AccelerationStructureTrianglesOpacityMicromapEXT { array usage_counts[usage_counts_count]: MicromapUsageEXT; pointers pointer_usage_counts[usage_counts_count]: MicromapUsageEXT; }
            AccelerationStructureVersionInfoKHR { fixed version_data[32]: u8; }
            ApplicationInfo { string application_name: c_char; string engine_name: c_char; }
            AttachmentSampleCountInfoAMD { conditional_array color_attachment_samples[color_attachment_count]: SampleCountFlags; }
            BindAccelerationStructureMemoryInfoNV { array device_indices[device_index_count]: u32; }
            BindDescriptorSetsInfo { array descriptor_sets[descriptor_set_count]: DescriptorSet; array dynamic_offsets[dynamic_offset_count]: u32; }
            BindImageMemoryDeviceGroupInfo { array device_indices[device_index_count]: u32; array split_instance_bind_regions[split_instance_bind_region_count]: Rect2D; }
            BindMemoryStatus { cell result: Result; }
            BindSparseInfo { array wait_semaphores[wait_semaphore_count]: Semaphore; array buffer_binds[buffer_bind_count]: SparseBufferMemoryBindInfo; array image_opaque_binds[image_opaque_bind_count]: SparseImageOpaqueMemoryBindInfo; array image_binds[image_bind_count]: SparseImageMemoryBindInfo; array signal_semaphores[signal_semaphore_count]: Semaphore; }
            BlitImageInfo2 { array regions[region_count]: ImageBlit2; }
            BufferCreateInfo { conditional_array queue_family_indices[queue_family_index_count]: u32; }
            BuildPartitionedAccelerationStructureInfoNV { within input: PartitionedAccelerationStructureInstancesInputNV; }
            ClusterAccelerationStructureCommandsInfoNV { within input: ClusterAccelerationStructureInputInfoNV; }
            CoarseSampleOrderCustomNV { array sample_locations[sample_location_count]: CoarseSampleLocationNV; }
            CommandBufferBeginInfo { conditional inheritance_info: CommandBufferInheritanceInfo; }
            CommandBufferInheritanceDescriptorHeapInfoEXT { nullable sampler_heap_bind_info: BindHeapInfoEXT; nullable resource_heap_bind_info: BindHeapInfoEXT; }
            CommandBufferInheritanceViewportScissorInfoNV { conditional viewport_depths: Viewport; }
            ComputePipelineCreateInfo { within stage: PipelineShaderStageCreateInfo; }
            ConvertCooperativeVectorMatrixInfoNV { cell dst_size: usize; }
            CopyBufferInfo2 { array regions[region_count]: BufferCopy2; }
            CopyBufferToImageInfo2 { array regions[region_count]: BufferImageCopy2; }
            CopyDeviceMemoryImageInfoKHR { array regions[region_count]: DeviceMemoryImageCopyKHR; }
            CopyDeviceMemoryInfoKHR { array regions[region_count]: DeviceMemoryCopyKHR; }
            CopyImageInfo2 { array regions[region_count]: ImageCopy2; }
            CopyImageToBufferInfo2 { array regions[region_count]: BufferImageCopy2; }
            CopyImageToImageInfo { array regions[region_count]: ImageCopy2; }
            CopyImageToMemoryInfo { array regions[region_count]: ImageToMemoryCopy; }
            CopyMemoryToImageIndirectInfoKHR { array image_subresources[copy_count]: ImageSubresourceLayers; }
            CopyMemoryToImageInfo { array regions[region_count]: MemoryToImageCopy; }
            CopyTensorInfoARM { array regions[region_count]: TensorCopyARM; }
            CudaFunctionCreateInfoNV { string name: c_char; }
            CudaLaunchInfoNV { conditional_bytes params[param_count]: c_void; conditional_bytes extras[extra_count]: c_void; }
            CudaModuleCreateInfoNV { bytes data[data_size]: c_void; }
            DataGraphPipelineCreateInfoARM { array resource_infos[resource_info_count]: DataGraphPipelineResourceInfoARM; }
            DataGraphPipelineIdentifierCreateInfoARM { array identifier[identifier_size]: u8; }
            DataGraphPipelinePropertyQueryResultARM { memory data[data_size]: c_void; }
            DataGraphPipelineShaderModuleCreateInfoARM { string name: c_char; nullable specialization_info: SpecializationInfo; array constants[constant_count]: DataGraphPipelineConstantARM; }
            DataGraphProcessingEngineCreateInfoARM { cells processing_engines[processing_engine_count]: PhysicalDeviceDataGraphProcessingEngineARM; }
            DebugMarkerMarkerInfoEXT { string marker_name: c_char; }
            DebugMarkerObjectNameInfoEXT { string object_name: c_char; }
            DebugMarkerObjectTagInfoEXT { bytes tag[tag_size]: c_void; }
            DebugUtilsLabelEXT { string label_name: c_char; }
            DebugUtilsMessengerCallbackDataEXT { string message_id_name: c_char; string message: c_char; array queue_labels[queue_label_count]: DebugUtilsLabelEXT; array cmd_buf_labels[cmd_buf_label_count]: DebugUtilsLabelEXT; array objects[object_count]: DebugUtilsObjectNameInfoEXT; }
            DebugUtilsObjectNameInfoEXT { string object_name: c_char; }
            DebugUtilsObjectTagInfoEXT { bytes tag[tag_size]: c_void; }
            DecompressMemoryInfoEXT { array regions[region_count]: DecompressMemoryRegionEXT; }
            DependencyInfo { array memory_barriers[memory_barrier_count]: MemoryBarrier2; array buffer_memory_barriers[buffer_memory_barrier_count]: BufferMemoryBarrier2; array image_memory_barriers[image_memory_barrier_count]: ImageMemoryBarrier2; }
            DescriptorMappingSourceConstantOffsetEXT { nullable embedded_sampler: SamplerCreateInfo; }
            DescriptorMappingSourceIndirectIndexArrayEXT { nullable embedded_sampler: SamplerCreateInfo; }
            DescriptorMappingSourceIndirectIndexEXT { nullable embedded_sampler: SamplerCreateInfo; }
            DescriptorMappingSourcePushIndexEXT { nullable embedded_sampler: SamplerCreateInfo; }
            DescriptorMappingSourceShaderRecordIndexEXT { nullable embedded_sampler: SamplerCreateInfo; }
            DescriptorPoolCreateInfo { array pool_sizes[pool_size_count]: DescriptorPoolSize; }
            DescriptorSetAllocateInfo { array set_layouts[descriptor_set_count]: DescriptorSetLayout; }
            DescriptorSetLayoutBinding { conditional_array immutable_samplers[descriptor_count]: Sampler; }
            DescriptorSetLayoutBindingFlagsCreateInfo { array binding_flags[binding_count]: DescriptorBindingFlags; }
            DescriptorSetLayoutCreateInfo { array bindings[binding_count]: DescriptorSetLayoutBinding; }
            DescriptorSetVariableDescriptorCountAllocateInfo { array descriptor_counts[descriptor_set_count]: u32; }
            DescriptorUpdateTemplateCreateInfo { array descriptor_update_entries[descriptor_update_entry_count]: DescriptorUpdateTemplateEntry; }
            DeviceBufferMemoryRequirements { one create_info: BufferCreateInfo; }
            DeviceCreateInfo { array queue_create_infos[queue_create_info_count]: DeviceQueueCreateInfo; strings enabled_layer_names[enabled_layer_count]: c_char; strings enabled_extension_names[enabled_extension_count]: c_char; nullable enabled_features: PhysicalDeviceFeatures; }
            DeviceFaultDebugInfoKHR { memory vendor_binary_data[vendor_binary_size]: c_void; }
            DeviceFaultInfoEXT { cell address_infos: DeviceFaultAddressInfoEXT; cell vendor_infos: DeviceFaultVendorInfoEXT; }
            DeviceFaultShaderAbortMessageInfoKHR { memory message_data[message_data_size]: c_void; }
            DeviceGroupDeviceCreateInfo { array physical_devices[physical_device_count]: PhysicalDevice; }
            DeviceGroupRenderPassBeginInfo { array device_render_areas[device_render_area_count]: Rect2D; }
            DeviceGroupSubmitInfo { array wait_semaphore_device_indices[wait_semaphore_count]: u32; array command_buffer_device_masks[command_buffer_count]: u32; array signal_semaphore_device_indices[signal_semaphore_count]: u32; }
            DeviceImageMemoryRequirements { one create_info: ImageCreateInfo; }
            DeviceImageSubresourceInfo { one create_info: ImageCreateInfo; one subresource: ImageSubresource2; }
            DeviceQueueCreateInfo { array queue_priorities[queue_count]: f32; }
            DeviceTensorMemoryRequirementsARM { one create_info: TensorCreateInfoARM; }
            DrmFormatModifierPropertiesList2EXT { cells drm_format_modifier_properties[drm_format_modifier_count]: DrmFormatModifierProperties2EXT; }
            DrmFormatModifierPropertiesListEXT { cells drm_format_modifier_properties[drm_format_modifier_count]: DrmFormatModifierPropertiesEXT; }
            ExecutionGraphPipelineCreateInfoAMDX { array stages[stage_count]: PipelineShaderStageCreateInfo; nullable library_info: PipelineLibraryCreateInfoKHR; }
            ExportFenceWin32HandleInfoKHR { nullable attributes: SECURITY_ATTRIBUTES; }
            ExportMemoryWin32HandleInfoKHR { nullable attributes: SECURITY_ATTRIBUTES; }
            ExportSemaphoreWin32HandleInfoKHR { nullable attributes: SECURITY_ATTRIBUTES; }
            FragmentShadingRateAttachmentInfoKHR { nullable fragment_shading_rate_attachment: AttachmentReference2; }
            FramebufferCreateInfo { conditional_array attachments[attachment_count]: ImageView; }
            GeneratedCommandsInfoNV { array streams[stream_count]: IndirectCommandsStreamNV; }
            GeometryDataNV { within triangles: GeometryTrianglesNV; within aabbs: GeometryAABBNV; }
            GeometryNV { within geometry: GeometryDataNV; }
            GraphicsPipelineCreateInfo { conditional_array stages[stage_count]: PipelineShaderStageCreateInfo; conditional vertex_input_state: PipelineVertexInputStateCreateInfo; conditional input_assembly_state: PipelineInputAssemblyStateCreateInfo; conditional tessellation_state: PipelineTessellationStateCreateInfo; conditional viewport_state: PipelineViewportStateCreateInfo; conditional rasterization_state: PipelineRasterizationStateCreateInfo; conditional multisample_state: PipelineMultisampleStateCreateInfo; conditional depth_stencil_state: PipelineDepthStencilStateCreateInfo; conditional color_blend_state: PipelineColorBlendStateCreateInfo; nullable dynamic_state: PipelineDynamicStateCreateInfo; }
            GraphicsPipelineShaderGroupsCreateInfoNV { array groups[group_count]: GraphicsShaderGroupCreateInfoNV; array pipelines[pipeline_count]: Pipeline; }
            GraphicsShaderGroupCreateInfoNV { array stages[stage_count]: PipelineShaderStageCreateInfo; conditional vertex_input_state: PipelineVertexInputStateCreateInfo; conditional tessellation_state: PipelineTessellationStateCreateInfo; }
            HostAddressRangeConstEXT { bytes address[size]: c_void; }
            HostAddressRangeEXT { memory address[size]: c_void; }
            ImageCreateInfo { conditional_array queue_family_indices[queue_family_index_count]: u32; }
            ImageDescriptorInfoEXT { one view: ImageViewCreateInfo; }
            ImageDrmFormatModifierExplicitCreateInfoEXT { array plane_layouts[drm_format_modifier_plane_count]: SubresourceLayout; }
            ImageDrmFormatModifierListCreateInfoEXT { array drm_format_modifiers[drm_format_modifier_count]: u64; }
            IndirectCommandsLayoutCreateInfoEXT { array tokens[token_count]: IndirectCommandsLayoutTokenEXT; }
            IndirectCommandsLayoutCreateInfoNV { array tokens[token_count]: IndirectCommandsLayoutTokenNV; array stream_strides[stream_count]: u32; }
            IndirectCommandsLayoutTokenNV { array index_types[index_type_count]: IndexType; array index_type_values[index_type_count]: u32; }
            InstanceCreateInfo { nullable application_info: ApplicationInfo; strings enabled_layer_names[enabled_layer_count]: c_char; strings enabled_extension_names[enabled_extension_count]: c_char; }
            MemoryRangeBarriersInfoKHR { array memory_range_barriers[memory_range_barrier_count]: MemoryRangeBarrierKHR; }
            MicromapBuildInfoEXT { array usage_counts[usage_counts_count]: MicromapUsageEXT; pointers pointer_usage_counts[usage_counts_count]: MicromapUsageEXT; }
            MicromapVersionInfoEXT { fixed version_data[32]: u8; }
            MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM { array per_view_render_areas[per_view_render_area_count]: Rect2D; }
            MutableDescriptorTypeCreateInfoEXT { array mutable_descriptor_type_lists[mutable_descriptor_type_list_count]: MutableDescriptorTypeListEXT; }
            MutableDescriptorTypeListEXT { array descriptor_types[descriptor_type_count]: DescriptorType; }
            PastPresentationTimingEXT { cells present_stages[present_stage_count]: PresentStageTimeEXT; }
            PastPresentationTimingPropertiesEXT { cells presentation_timings[presentation_timing_count]: PastPresentationTimingEXT; }
            PhysicalDeviceExternalTensorInfoARM { one description: TensorDescriptionARM; }
            PhysicalDeviceHostImageCopyProperties { cells copy_src_layouts[copy_src_layout_count]: ImageLayout; cells copy_dst_layouts[copy_dst_layout_count]: ImageLayout; }
            PhysicalDeviceImageDrmFormatModifierInfoEXT { conditional_array queue_family_indices[queue_family_index_count]: u32; }
            PhysicalDeviceLayeredApiPropertiesListKHR { cells layered_apis[layered_api_count]: PhysicalDeviceLayeredApiPropertiesKHR; }
            PhysicalDeviceVulkan14Properties { cells copy_src_layouts[copy_src_layout_count]: ImageLayout; cells copy_dst_layouts[copy_dst_layout_count]: ImageLayout; }
            PipelineBinaryCreateInfoKHR { nullable keys_and_data_info: PipelineBinaryKeysAndDataKHR; nullable pipeline_create_info: PipelineCreateInfoKHR; }
            PipelineBinaryDataKHR { memory data[data_size]: c_void; }
            PipelineBinaryHandlesInfoKHR { cells pipeline_binaries[pipeline_binary_count]: PipelineBinaryKHR; }
            PipelineBinaryInfoKHR { array pipeline_binaries[binary_count]: PipelineBinaryKHR; }
            PipelineBinaryKeysAndDataKHR { array pipeline_binary_keys[binary_count]: PipelineBinaryKeyKHR; array pipeline_binary_data[binary_count]: PipelineBinaryDataKHR; }
            PipelineCacheCreateInfo { bytes initial_data[initial_data_size]: c_void; }
            PipelineColorBlendStateCreateInfo { array attachments[attachment_count]: PipelineColorBlendAttachmentState; }
            PipelineColorWriteCreateInfoEXT { array color_write_enables[attachment_count]: Bool32; }
            PipelineCoverageModulationStateCreateInfoNV { conditional_array coverage_modulation_table[coverage_modulation_table_count]: f32; }
            PipelineCreationFeedbackCreateInfo { cell pipeline_creation_feedback: PipelineCreationFeedback; cells pipeline_stage_creation_feedbacks[pipeline_stage_creation_feedback_count]: PipelineCreationFeedback; }
            PipelineDiscardRectangleStateCreateInfoEXT { conditional_array discard_rectangles[discard_rectangle_count]: Rect2D; }
            PipelineDynamicStateCreateInfo { array dynamic_states[dynamic_state_count]: DynamicState; }
            PipelineExecutableInternalRepresentationKHR { memory data[data_size]: c_void; }
            PipelineLayoutCreateInfo { array set_layouts[set_layout_count]: DescriptorSetLayout; array push_constant_ranges[push_constant_range_count]: PushConstantRange; }
            PipelineLibraryCreateInfoKHR { array libraries[library_count]: Pipeline; }
            PipelineRenderingCreateInfo { conditional_array color_attachment_formats[color_attachment_count]: Format; }
            PipelineSampleLocationsStateCreateInfoEXT { within sample_locations_info: SampleLocationsInfoEXT; }
            PipelineShaderStageCreateInfo { string name: c_char; nullable specialization_info: SpecializationInfo; }
            PipelineShaderStageModuleIdentifierCreateInfoEXT { array identifier[identifier_size]: u8; }
            PipelineShaderStageNodeCreateInfoAMDX { string name: c_char; }
            PipelineVertexInputDivisorStateCreateInfo { array vertex_binding_divisors[vertex_binding_divisor_count]: VertexInputBindingDivisorDescription; }
            PipelineVertexInputStateCreateInfo { array vertex_binding_descriptions[vertex_binding_description_count]: VertexInputBindingDescription; array vertex_attribute_descriptions[vertex_attribute_description_count]: VertexInputAttributeDescription; }
            PipelineViewportCoarseSampleOrderStateCreateInfoNV { array custom_sample_orders[custom_sample_order_count]: CoarseSampleOrderCustomNV; }
            PipelineViewportDepthClampControlCreateInfoEXT { nullable depth_clamp_range: DepthClampRangeEXT; }
            PipelineViewportExclusiveScissorStateCreateInfoNV { conditional_array exclusive_scissors[exclusive_scissor_count]: Rect2D; }
            PipelineViewportShadingRateImageStateCreateInfoNV { conditional_array shading_rate_palettes[viewport_count]: ShadingRatePaletteNV; }
            PipelineViewportStateCreateInfo { conditional_array viewports[viewport_count]: Viewport; conditional_array scissors[scissor_count]: Rect2D; }
            PipelineViewportSwizzleStateCreateInfoNV { array viewport_swizzles[viewport_count]: ViewportSwizzleNV; }
            PipelineViewportWScalingStateCreateInfoNV { conditional_array viewport_w_scalings[viewport_count]: ViewportWScalingNV; }
            PresentId2KHR { array present_ids[swapchain_count]: u64; }
            PresentIdKHR { array present_ids[swapchain_count]: u64; }
            PresentInfoKHR { array wait_semaphores[wait_semaphore_count]: Semaphore; array swapchains[swapchain_count]: SwapchainKHR; array image_indices[swapchain_count]: u32; cells results[swapchain_count]: Result; }
            PresentTimesInfoGOOGLE { array times[swapchain_count]: PresentTimeGOOGLE; }
            PresentTimingsInfoEXT { array timing_infos[swapchain_count]: PresentTimingInfoEXT; }
            PushConstantsInfo { bytes values[size]: c_void; }
            PushDataInfoEXT { within data: HostAddressRangeConstEXT; }
            PushDescriptorSetInfo { array descriptor_writes[descriptor_write_count]: WriteDescriptorSet; }
            QueryPoolPerformanceCreateInfoKHR { array counter_indices[counter_index_count]: u32; }
            QueueFamilyDataGraphTOSAPropertiesARM { array profiles[profile_count]: DataGraphTOSANameQualityARM; array extensions[extension_count]: DataGraphTOSANameQualityARM; }
            RayTracingPipelineCreateInfoKHR { array stages[stage_count]: PipelineShaderStageCreateInfo; array groups[group_count]: RayTracingShaderGroupCreateInfoKHR; nullable library_info: PipelineLibraryCreateInfoKHR; nullable library_interface: RayTracingPipelineInterfaceCreateInfoKHR; nullable dynamic_state: PipelineDynamicStateCreateInfo; }
            RayTracingPipelineCreateInfoNV { array stages[stage_count]: PipelineShaderStageCreateInfo; array groups[group_count]: RayTracingShaderGroupCreateInfoNV; }
            ReleaseSwapchainImagesInfoKHR { array image_indices[image_index_count]: u32; }
            RenderPassAttachmentBeginInfo { array attachments[attachment_count]: ImageView; }
            RenderPassBeginInfo { array clear_values[clear_value_count]: ClearValue; }
            RenderPassCreateInfo { array attachments[attachment_count]: AttachmentDescription; array subpasses[subpass_count]: SubpassDescription; array dependencies[dependency_count]: SubpassDependency; }
            RenderPassCreateInfo2 { array attachments[attachment_count]: AttachmentDescription2; array subpasses[subpass_count]: SubpassDescription2; array dependencies[dependency_count]: SubpassDependency2; array correlated_view_masks[correlated_view_mask_count]: u32; }
            RenderPassCreationFeedbackCreateInfoEXT { cell render_pass_feedback: RenderPassCreationFeedbackInfoEXT; }
            RenderPassFragmentDensityMapOffsetEndInfoEXT { array fragment_density_offsets[fragment_density_offset_count]: Offset2D; }
            RenderPassMultiviewCreateInfo { array view_masks[subpass_count]: u32; array view_offsets[dependency_count]: i32; array correlation_masks[correlation_mask_count]: u32; }
            RenderPassPerformanceCountersByRegionBeginInfoARM { array counter_addresses[counter_address_count]: DeviceAddress; cells counter_indices[counter_index_count]: u32; }
            RenderPassStripeBeginInfoARM { array stripe_infos[stripe_info_count]: RenderPassStripeInfoARM; }
            RenderPassStripeSubmitInfoARM { array stripe_semaphore_infos[stripe_semaphore_info_count]: SemaphoreSubmitInfo; }
            RenderPassSubpassFeedbackCreateInfoEXT { cell subpass_feedback: RenderPassSubpassFeedbackInfoEXT; }
            RenderingAreaInfo { conditional_array color_attachment_formats[color_attachment_count]: Format; }
            RenderingAttachmentLocationInfo { conditional_array color_attachment_locations[color_attachment_count]: u32; }
            RenderingInfo { array color_attachments[color_attachment_count]: RenderingAttachmentInfo; nullable depth_attachment: RenderingAttachmentInfo; nullable stencil_attachment: RenderingAttachmentInfo; }
            RenderingInputAttachmentIndexInfo { array color_attachment_input_indices[color_attachment_count]: u32; nullable depth_input_attachment_index: u32; nullable stencil_input_attachment_index: u32; }
            ResolveImageInfo2 { array regions[region_count]: ImageResolve2; }
            SampleLocationsInfoEXT { array sample_locations[sample_locations_count]: SampleLocationEXT; }
            SemaphoreWaitInfo { array semaphores[semaphore_count]: Semaphore; array values[semaphore_count]: u64; }
            SetDescriptorBufferOffsetsInfoEXT { array buffer_indices[set_count]: u32; array offsets[set_count]: DeviceSize; }
            ShaderCreateInfoEXT { bytes code[code_size]: c_void; string name: c_char; conditional_array set_layouts[set_layout_count]: DescriptorSetLayout; array push_constant_ranges[push_constant_range_count]: PushConstantRange; nullable specialization_info: SpecializationInfo; }
            ShaderDescriptorSetAndBindingMappingInfoEXT { array mappings[mapping_count]: DescriptorSetAndBindingMappingEXT; }
            ShaderModuleCreateInfo { words code[code_size]: u32; }
            ShadingRatePaletteNV { array shading_rate_palette_entries[shading_rate_palette_entry_count]: ShadingRatePaletteEntryNV; }
            SparseBufferMemoryBindInfo { array binds[bind_count]: SparseMemoryBind; }
            SparseImageMemoryBindInfo { array binds[bind_count]: SparseImageMemoryBind; }
            SparseImageOpaqueMemoryBindInfo { array binds[bind_count]: SparseMemoryBind; }
            SpecializationInfo { array map_entries[map_entry_count]: SpecializationMapEntry; bytes data[data_size]: c_void; }
            SubmitInfo { array wait_semaphores[wait_semaphore_count]: Semaphore; array wait_dst_stage_mask[wait_semaphore_count]: PipelineStageFlags; array command_buffers[command_buffer_count]: CommandBuffer; array signal_semaphores[signal_semaphore_count]: Semaphore; }
            SubmitInfo2 { array wait_semaphore_infos[wait_semaphore_info_count]: SemaphoreSubmitInfo; array command_buffer_infos[command_buffer_info_count]: CommandBufferSubmitInfo; array signal_semaphore_infos[signal_semaphore_info_count]: SemaphoreSubmitInfo; }
            SubpassDescription { array input_attachments[input_attachment_count]: AttachmentReference; array color_attachments[color_attachment_count]: AttachmentReference; array resolve_attachments[color_attachment_count]: AttachmentReference; nullable depth_stencil_attachment: AttachmentReference; array preserve_attachments[preserve_attachment_count]: u32; }
            SubpassDescription2 { array input_attachments[input_attachment_count]: AttachmentReference2; array color_attachments[color_attachment_count]: AttachmentReference2; array resolve_attachments[color_attachment_count]: AttachmentReference2; nullable depth_stencil_attachment: AttachmentReference2; array preserve_attachments[preserve_attachment_count]: u32; }
            SubpassDescriptionDepthStencilResolve { nullable depth_stencil_resolve_attachment: AttachmentReference2; }
            SurfacePresentModeCompatibilityKHR { cells present_modes[present_mode_count]: PresentModeKHR; }
            SwapchainCreateInfoKHR { conditional_array queue_family_indices[queue_family_index_count]: u32; }
            SwapchainPresentFenceInfoKHR { array fences[swapchain_count]: Fence; }
            SwapchainPresentModeInfoKHR { array present_modes[swapchain_count]: PresentModeKHR; }
            SwapchainTimeDomainPropertiesEXT { cells time_domains[time_domain_count]: TimeDomainKHR; cells time_domain_ids[time_domain_count]: u64; }
            TensorCopyARM { array src_offset[dimension_count]: u64; array dst_offset[dimension_count]: u64; array extent[dimension_count]: u64; }
            TensorCreateInfoARM { one description: TensorDescriptionARM; conditional_array queue_family_indices[queue_family_index_count]: u32; }
            TensorDescriptionARM { array dimensions[dimension_count]: i64; array strides[dimension_count]: i64; }
            TimelineSemaphoreSubmitInfo { array wait_semaphore_values[wait_semaphore_value_count]: u64; array signal_semaphore_values[signal_semaphore_value_count]: u64; }
            ValidationCacheCreateInfoEXT { bytes initial_data[initial_data_size]: c_void; }
            WaylandSurfaceCreateInfoKHR { cell display: wl_display; cell surface: wl_surface; }
            WriteDescriptorSet { conditional_array image_info[descriptor_count]: DescriptorImageInfo; conditional_array buffer_info[descriptor_count]: DescriptorBufferInfo; conditional_array texel_buffer_view[descriptor_count]: BufferView; }
            WriteDescriptorSetAccelerationStructureKHR { array acceleration_structures[acceleration_structure_count]: AccelerationStructureKHR; }
            WriteDescriptorSetAccelerationStructureNV { array acceleration_structures[acceleration_structure_count]: AccelerationStructureNV; }
            WriteDescriptorSetInlineUniformBlock { bytes data[data_size]: c_void; }
            WriteDescriptorSetPartitionedAccelerationStructureNV { array acceleration_structures[acceleration_structure_count]: DeviceAddress; }
            WriteDescriptorSetTensorARM { array tensor_views[tensor_view_count]: TensorViewARM; }
            XcbSurfaceCreateInfoKHR { cell connection: xcb_connection_t; }
            XlibSurfaceCreateInfoKHR { cell dpy: Display; }
        }
    };
}
pub(crate) use for_each_pointer_member;

/// Runs a macro with all unions that a member selects the value of: structure, union, selector, and
/// the accessor, place, type and values of each of its members.
#[rustfmt::skip]
macro_rules! for_each_selected_member {
    ($with:ident) => {
        $with! {
            AccelerationStructureGeometryKHR.geometry[geometry_type: GeometryTypeKHR] { within geometry_triangles triangles: AccelerationStructureGeometryTrianglesDataKHR = TRIANGLES; within geometry_aabbs aabbs: AccelerationStructureGeometryAabbsDataKHR = AABBS; within geometry_instances instances: AccelerationStructureGeometryInstancesDataKHR = INSTANCES; }
            ClusterAccelerationStructureInputInfoNV.op_input[op_type: ClusterAccelerationStructureOpTypeNV] { pointer op_input_clusters_bottom_level clusters_bottom_level: ClusterAccelerationStructureClustersBottomLevelInputNV = BUILD_CLUSTERS_BOTTOM_LEVEL; pointer op_input_triangle_clusters triangle_clusters: ClusterAccelerationStructureTriangleClusterInputNV = BUILD_TRIANGLE_CLUSTER BUILD_TRIANGLE_CLUSTER_TEMPLATE INSTANTIATE_TRIANGLE_CLUSTER GET_CLUSTER_TEMPLATE_INDICES; pointer op_input_move_objects move_objects: ClusterAccelerationStructureMoveObjectsInputNV = MOVE_OBJECTS; }
            DescriptorGetInfoEXT.data[type_: DescriptorType] { pointer data_sampler sampler: Sampler = SAMPLER; pointer data_combined_image_sampler combined_image_sampler: DescriptorImageInfo = COMBINED_IMAGE_SAMPLER; pointer data_input_attachment_image input_attachment_image: DescriptorImageInfo = INPUT_ATTACHMENT; pointer data_sampled_image sampled_image: DescriptorImageInfo = SAMPLED_IMAGE; pointer data_storage_image storage_image: DescriptorImageInfo = STORAGE_IMAGE; pointer data_uniform_texel_buffer uniform_texel_buffer: DescriptorAddressInfoEXT = UNIFORM_TEXEL_BUFFER; pointer data_storage_texel_buffer storage_texel_buffer: DescriptorAddressInfoEXT = STORAGE_TEXEL_BUFFER; pointer data_uniform_buffer uniform_buffer: DescriptorAddressInfoEXT = UNIFORM_BUFFER; pointer data_storage_buffer storage_buffer: DescriptorAddressInfoEXT = STORAGE_BUFFER; within data_acceleration_structure acceleration_structure: DeviceAddress = ACCELERATION_STRUCTURE_KHR ACCELERATION_STRUCTURE_NV; }
            DescriptorSetAndBindingMappingEXT.source_data[source: DescriptorMappingSourceEXT] { within source_data_constant_offset constant_offset: DescriptorMappingSourceConstantOffsetEXT = HEAP_WITH_CONSTANT_OFFSET; within source_data_push_index push_index: DescriptorMappingSourcePushIndexEXT = HEAP_WITH_PUSH_INDEX; within source_data_indirect_index indirect_index: DescriptorMappingSourceIndirectIndexEXT = HEAP_WITH_INDIRECT_INDEX; within source_data_indirect_index_array indirect_index_array: DescriptorMappingSourceIndirectIndexArrayEXT = HEAP_WITH_INDIRECT_INDEX_ARRAY; within source_data_heap_data heap_data: DescriptorMappingSourceHeapDataEXT = RESOURCE_HEAP_DATA; within source_data_push_data_offset push_data_offset: u32 = PUSH_DATA; within source_data_push_address_offset push_address_offset: u32 = PUSH_ADDRESS; within source_data_indirect_address indirect_address: DescriptorMappingSourceIndirectAddressEXT = INDIRECT_ADDRESS; within source_data_shader_record_index shader_record_index: DescriptorMappingSourceShaderRecordIndexEXT = HEAP_WITH_SHADER_RECORD_INDEX; within source_data_shader_record_data_offset shader_record_data_offset: u32 = SHADER_RECORD_DATA; within source_data_shader_record_address_offset shader_record_address_offset: u32 = SHADER_RECORD_ADDRESS; }
            ResourceDescriptorInfoEXT.data[type_: DescriptorType] { pointer data_image image: ImageDescriptorInfoEXT = SAMPLED_IMAGE STORAGE_IMAGE INPUT_ATTACHMENT BLOCK_MATCH_IMAGE_QCOM SAMPLE_WEIGHT_IMAGE_QCOM; pointer data_texel_buffer texel_buffer: TexelBufferDescriptorInfoEXT = UNIFORM_TEXEL_BUFFER STORAGE_TEXEL_BUFFER; pointer data_address_range address_range: DeviceAddressRangeEXT = ACCELERATION_STRUCTURE_KHR UNIFORM_BUFFER STORAGE_BUFFER; pointer data_tensor_arm tensor_arm: TensorViewCreateInfoARM = TENSOR_ARM; }
        }
    };
}
pub(crate) use for_each_selected_member;

/// Runs a macro with all structures that begin with `sType`.
#[rustfmt::skip]
macro_rules! for_each_chained_struct {
    ($with:ident) => {
        $with! {
            AccelerationStructureBuildGeometryInfoKHR AccelerationStructureBuildSizesInfoKHR AccelerationStructureCaptureDescriptorDataInfoEXT
            AccelerationStructureCreateInfo2KHR AccelerationStructureCreateInfoKHR AccelerationStructureCreateInfoNV
            AccelerationStructureDenseGeometryFormatTrianglesDataAMDX AccelerationStructureDeviceAddressInfoKHR AccelerationStructureGeometryAabbsDataKHR
            AccelerationStructureGeometryInstancesDataKHR AccelerationStructureGeometryKHR AccelerationStructureGeometryLinearSweptSpheresDataNV
            AccelerationStructureGeometryMicromapDataKHR AccelerationStructureGeometryMotionTrianglesDataNV AccelerationStructureGeometrySpheresDataNV
            AccelerationStructureGeometryTrianglesDataKHR AccelerationStructureInfoNV AccelerationStructureMemoryRequirementsInfoNV
            AccelerationStructureTrianglesOpacityMicromapEXT AccelerationStructureTrianglesOpacityMicromapKHR AccelerationStructureVersionInfoKHR
            AcquireNextImageInfoKHR AcquireProfilingLockInfoKHR ApplicationInfo
            AttachmentDescription2 AttachmentReference2 AttachmentSampleCountInfoAMD
            BeginCustomResolveInfoEXT BindAccelerationStructureMemoryInfoNV BindBufferMemoryInfo
            BindDataGraphPipelineSessionMemoryInfoARM BindDescriptorBufferEmbeddedSamplersInfoEXT BindDescriptorSetsInfo
            BindHeapInfoEXT BindImageMemoryDeviceGroupInfo BindImageMemoryInfo
            BindImageMemorySwapchainInfoKHR BindImagePlaneMemoryInfo BindIndexBuffer3InfoKHR
            BindMemoryStatus BindSparseInfo BindTensorMemoryInfoARM
            BindTransformFeedbackBuffer2InfoEXT BindVertexBuffer3InfoKHR BlitImageCubicWeightsInfoQCOM
            BlitImageInfo2 BufferCaptureDescriptorDataInfoEXT BufferCopy2
            BufferCreateInfo BufferDeviceAddressInfo BufferImageCopy2
            BufferMemoryBarrier BufferMemoryBarrier2 BufferMemoryRequirementsInfo2
            BufferOpaqueCaptureAddressCreateInfo BufferUsageFlags2CreateInfo BufferViewCreateInfo
            BuildPartitionedAccelerationStructureInfoNV CalibratedTimestampInfoKHR CheckpointData2NV
            CheckpointDataNV ClusterAccelerationStructureClustersBottomLevelInputNV ClusterAccelerationStructureCommandsInfoNV
            ClusterAccelerationStructureInputInfoNV ClusterAccelerationStructureMoveObjectsInputNV ClusterAccelerationStructureTriangleClusterInputNV
            CommandBufferAllocateInfo CommandBufferBeginInfo CommandBufferInheritanceDescriptorHeapInfoEXT
            CommandBufferInheritanceInfo CommandBufferInheritanceRenderPassTransformInfoQCOM CommandBufferInheritanceViewportScissorInfoNV
            CommandBufferSubmitInfo CommandPoolCreateInfo ComputeOccupancyPriorityParametersNV
            ComputePipelineCreateInfo ComputePipelineIndirectBufferInfoNV ConditionalRenderingBeginInfo2EXT
            ConditionalRenderingBeginInfoEXT ConvertCooperativeVectorMatrixInfoNV CooperativeMatrixFlexibleDimensionsPropertiesNV
            CooperativeMatrixProperties2EXT CooperativeMatrixPropertiesKHR CooperativeMatrixPropertiesNV
            CooperativeVectorPropertiesNV CopyAccelerationStructureInfoKHR CopyAccelerationStructureToMemoryInfoKHR
            CopyBufferInfo2 CopyBufferToImageInfo2 CopyCommandTransformInfoQCOM
            CopyDescriptorSet CopyDeviceMemoryImageInfoKHR CopyDeviceMemoryInfoKHR
            CopyImageInfo2 CopyImageToBufferInfo2 CopyImageToImageInfo
            CopyImageToMemoryInfo CopyMemoryIndirectInfoKHR CopyMemoryToAccelerationStructureInfoKHR
            CopyMemoryToImageIndirectInfoKHR CopyMemoryToImageInfo CopyMemoryToMicromapInfoEXT
            CopyMicromapInfoEXT CopyMicromapToMemoryInfoEXT CopyTensorInfoARM
            CudaFunctionCreateInfoNV CudaLaunchInfoNV CudaModuleCreateInfoNV
            DataGraphPipelineConstantARM DataGraphPipelineCreateInfoARM DataGraphPipelineDispatchInfoARM
            DataGraphPipelineIdentifierCreateInfoARM DataGraphPipelineInfoARM DataGraphPipelinePropertyQueryResultARM
            DataGraphPipelineResourceInfoARM DataGraphPipelineSessionBindPointRequirementARM DataGraphPipelineSessionBindPointRequirementsInfoARM
            DataGraphPipelineSessionCreateInfoARM DataGraphPipelineSessionMemoryRequirementsInfoARM DataGraphPipelineShaderModuleCreateInfoARM
            DataGraphProcessingEngineCreateInfoARM DebugMarkerMarkerInfoEXT DebugMarkerObjectNameInfoEXT
            DebugMarkerObjectTagInfoEXT DebugReportCallbackCreateInfoEXT DebugUtilsLabelEXT
            DebugUtilsMessengerCallbackDataEXT DebugUtilsMessengerCreateInfoEXT DebugUtilsObjectNameInfoEXT
            DebugUtilsObjectTagInfoEXT DecompressMemoryInfoEXT DependencyInfo
            DepthBiasInfoEXT DepthBiasRepresentationInfoEXT DescriptorAddressInfoEXT
            DescriptorBufferBindingInfoEXT DescriptorGetInfoEXT DescriptorGetTensorInfoARM
            DescriptorPoolCreateInfo DescriptorSetAllocateInfo DescriptorSetAndBindingMappingEXT
            DescriptorSetBindingReferenceVALVE DescriptorSetLayoutBindingFlagsCreateInfo DescriptorSetLayoutCreateInfo
            DescriptorSetLayoutHostMappingInfoVALVE DescriptorSetLayoutSupport DescriptorSetVariableDescriptorCountAllocateInfo
            DescriptorSetVariableDescriptorCountLayoutSupport DescriptorUpdateTemplateCreateInfo DeviceAddressBindingCallbackDataEXT
            DeviceBufferMemoryRequirements DeviceCreateInfo DeviceDeviceMemoryReportCreateInfoEXT
            DeviceFaultCountsEXT DeviceFaultDebugInfoKHR DeviceFaultInfoEXT
            DeviceFaultInfoKHR DeviceFaultShaderAbortMessageInfoKHR DeviceGroupBindSparseInfo
            DeviceGroupCommandBufferBeginInfo DeviceGroupDeviceCreateInfo DeviceGroupPresentCapabilitiesKHR
            DeviceGroupRenderPassBeginInfo DeviceGroupSubmitInfo DeviceImageMemoryRequirements
            DeviceImageSubresourceInfo DeviceMemoryCopyKHR DeviceMemoryImageCopyKHR
            DeviceMemoryOpaqueCaptureAddressInfo DeviceMemoryOverallocationCreateInfoAMD DeviceMemoryReportCallbackDataEXT
            DeviceQueueCreateInfo DeviceQueueGlobalPriorityCreateInfo DeviceQueueInfo2
            DeviceQueueShaderCoreControlCreateInfoARM DeviceTensorMemoryRequirementsARM DispatchIndirect2InfoKHR
            DispatchParametersARM DispatchTileInfoQCOM DrawIndirect2InfoKHR
            DrawIndirectCount2InfoKHR DrmFormatModifierPropertiesList2EXT DrmFormatModifierPropertiesListEXT
            EventCreateInfo ExecutionGraphPipelineCreateInfoAMDX ExecutionGraphPipelineScratchSizeAMDX
            ExportFenceCreateInfo ExportFenceWin32HandleInfoKHR ExportMemoryAllocateInfo
            ExportMemoryWin32HandleInfoKHR ExportSemaphoreCreateInfo ExportSemaphoreWin32HandleInfoKHR
            ExternalBufferProperties ExternalFenceProperties ExternalImageFormatProperties
            ExternalSemaphoreProperties ExternalTensorPropertiesARM FenceCreateInfo
            FenceGetFdInfoKHR FenceGetWin32HandleInfoKHR FilterCubicImageViewImageFormatPropertiesEXT
            FormatProperties2 FormatProperties3 FormatProperties4KHR
            FragmentShadingRateAttachmentInfoKHR FramebufferCreateInfo FramebufferMixedSamplesCombinationNV
            GeneratedCommandsInfoEXT GeneratedCommandsInfoNV GeneratedCommandsMemoryRequirementsInfoEXT
            GeneratedCommandsMemoryRequirementsInfoNV GeometryAABBNV GeometryNV
            GeometryTrianglesNV GraphicsPipelineCreateInfo GraphicsPipelineLibraryCreateInfoEXT
            GraphicsPipelineShaderGroupsCreateInfoNV GraphicsShaderGroupCreateInfoNV HeadlessSurfaceCreateInfoEXT
            HostImageCopyDevicePerformanceQuery HostImageLayoutTransitionInfo ImageBlit2
            ImageCaptureDescriptorDataInfoEXT ImageCompressionPropertiesEXT ImageCopy2
            ImageCreateFlags2CreateInfoKHR ImageCreateInfo ImageDescriptorInfoEXT
            ImageDrmFormatModifierExplicitCreateInfoEXT ImageDrmFormatModifierListCreateInfoEXT ImageDrmFormatModifierPropertiesEXT
            ImageFormatProperties2 ImageMemoryBarrier ImageMemoryBarrier2
            ImageMemoryRequirementsInfo2 ImagePlaneMemoryRequirementsInfo ImageResolve2
            ImageSparseMemoryRequirementsInfo2 ImageSubresource2 ImageTilingControlCreateInfoEXT
            ImageToMemoryCopy ImageUsageFlags2CreateInfoKHR ImageViewASTCDecodeModeEXT
            ImageViewCaptureDescriptorDataInfoEXT ImageViewCreateInfo ImageViewMinLodCreateInfoEXT
            ImageViewSampleWeightCreateInfoQCOM ImageViewSlicedCreateInfoEXT ImageViewUsage2CreateInfoKHR
            ImageViewUsageCreateInfo ImportFenceFdInfoKHR ImportFenceWin32HandleInfoKHR
            ImportMemoryFdInfoKHR ImportMemoryHostPointerInfoEXT ImportMemoryWin32HandleInfoKHR
            ImportSemaphoreFdInfoKHR ImportSemaphoreWin32HandleInfoKHR IndirectCommandsLayoutCreateInfoEXT
            IndirectCommandsLayoutCreateInfoNV IndirectCommandsLayoutPushDataTokenNV IndirectCommandsLayoutTokenEXT
            IndirectCommandsLayoutTokenNV IndirectExecutionSetCreateInfoEXT InstanceCreateInfo
            MappedMemoryRange MemoryAllocateFlagsInfo MemoryAllocateInfo
            MemoryBarrier MemoryBarrier2 MemoryDedicatedRequirements
            MemoryFdPropertiesKHR MemoryGetFdInfoKHR MemoryGetWin32HandleInfoKHR
            MemoryHostPointerPropertiesEXT MemoryMapInfo MemoryMapPlacedInfoEXT
            MemoryMarkerInfoAMD MemoryOpaqueCaptureAddressAllocateInfo MemoryRangeBarrierKHR
            MemoryRangeBarriersInfoKHR MemoryRequirements2 MemoryToImageCopy
            MemoryUnmapInfo MemoryWin32HandlePropertiesKHR MicromapBuildInfoEXT
            MicromapBuildSizesInfoEXT MicromapCreateInfoEXT MicromapVersionInfoEXT
            MultisamplePropertiesEXT MultisampledRenderToSingleSampledInfoEXT MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM
            MutableDescriptorTypeCreateInfoEXT PartitionedAccelerationStructureFlagsNV PartitionedAccelerationStructureInstancesInputNV
            PastPresentationTimingEXT PastPresentationTimingInfoEXT PastPresentationTimingPropertiesEXT
            PerTileBeginInfoQCOM PerTileEndInfoQCOM PerfHintInfoQCOM
            PerformanceCounterARM PerformanceCounterDescriptionARM PerformanceCounterDescriptionKHR
            PerformanceCounterKHR PhysicalDeviceAccelerationStructurePropertiesKHR PhysicalDeviceBlendOperationAdvancedPropertiesEXT
            PhysicalDeviceClusterAccelerationStructurePropertiesNV PhysicalDeviceClusterCullingShaderPropertiesHUAWEI PhysicalDeviceComputeShaderDerivativesPropertiesKHR
            PhysicalDeviceConservativeRasterizationPropertiesEXT PhysicalDeviceCooperativeMatrix2PropertiesNV PhysicalDeviceCooperativeMatrixInfo2EXT
            PhysicalDeviceCooperativeMatrixPropertiesKHR PhysicalDeviceCooperativeMatrixPropertiesNV PhysicalDeviceCooperativeVectorPropertiesNV
            PhysicalDeviceCopyMemoryIndirectPropertiesKHR PhysicalDeviceCudaKernelLaunchPropertiesNV PhysicalDeviceCustomBorderColorPropertiesEXT
            PhysicalDeviceDepthStencilResolveProperties PhysicalDeviceDescriptorBufferDensityMapPropertiesEXT PhysicalDeviceDescriptorBufferPropertiesEXT
            PhysicalDeviceDescriptorBufferTensorPropertiesARM PhysicalDeviceDescriptorHeapPropertiesEXT PhysicalDeviceDescriptorHeapTensorPropertiesARM
            PhysicalDeviceDescriptorIndexingProperties PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT PhysicalDeviceDeviceGeneratedCommandsPropertiesNV
            PhysicalDeviceDiscardRectanglePropertiesEXT PhysicalDeviceDisplacementMicromapPropertiesNV PhysicalDeviceDriverProperties
            PhysicalDeviceDrmPropertiesEXT PhysicalDeviceExtendedDynamicState3PropertiesEXT PhysicalDeviceExtendedSparseAddressSpacePropertiesNV
            PhysicalDeviceExternalBufferInfo PhysicalDeviceExternalComputeQueuePropertiesNV PhysicalDeviceExternalFenceInfo
            PhysicalDeviceExternalFormatResolvePropertiesANDROID PhysicalDeviceExternalImageFormatInfo PhysicalDeviceExternalMemoryHostPropertiesEXT
            PhysicalDeviceExternalSemaphoreInfo PhysicalDeviceExternalTensorInfoARM PhysicalDeviceFaultPropertiesKHR
            PhysicalDeviceFeatures2 PhysicalDeviceFloatControlsProperties PhysicalDeviceFragmentDensityMap2PropertiesEXT
            PhysicalDeviceFragmentDensityMapLayeredPropertiesVALVE PhysicalDeviceFragmentDensityMapOffsetPropertiesEXT PhysicalDeviceFragmentDensityMapPropertiesEXT
            PhysicalDeviceFragmentShaderBarycentricPropertiesKHR PhysicalDeviceFragmentShadingRateEnumsPropertiesNV PhysicalDeviceFragmentShadingRateKHR
            PhysicalDeviceFragmentShadingRatePropertiesKHR PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT PhysicalDeviceGroupProperties
            PhysicalDeviceHostImageCopyProperties PhysicalDeviceIDProperties PhysicalDeviceImageAlignmentControlPropertiesMESA
            PhysicalDeviceImageDrmFormatModifierInfoEXT PhysicalDeviceImageFormatInfo2 PhysicalDeviceImageProcessing2PropertiesQCOM
            PhysicalDeviceImageProcessingPropertiesQCOM PhysicalDeviceImageViewImageFormatInfoEXT PhysicalDeviceInlineUniformBlockProperties
            PhysicalDeviceLayeredApiPropertiesKHR PhysicalDeviceLayeredApiPropertiesListKHR PhysicalDeviceLayeredDriverPropertiesMSFT
            PhysicalDeviceLegacyVertexAttributesPropertiesEXT PhysicalDeviceLineRasterizationProperties PhysicalDeviceMaintenance10PropertiesKHR
            PhysicalDeviceMaintenance3Properties PhysicalDeviceMaintenance4Properties PhysicalDeviceMaintenance5Properties
            PhysicalDeviceMaintenance6Properties PhysicalDeviceMaintenance7PropertiesKHR PhysicalDeviceMaintenance9PropertiesKHR
            PhysicalDeviceMapMemoryPlacedPropertiesEXT PhysicalDeviceMemoryBudgetPropertiesEXT PhysicalDeviceMemoryDecompressionPropertiesEXT
            PhysicalDeviceMemoryProperties2 PhysicalDeviceMeshShaderPropertiesEXT PhysicalDeviceMeshShaderPropertiesNV
            PhysicalDeviceMultiDrawPropertiesEXT PhysicalDeviceMultiviewPerViewAttributesPropertiesNVX PhysicalDeviceMultiviewProperties
            PhysicalDeviceNestedCommandBufferPropertiesEXT PhysicalDeviceOpacityMicromapPropertiesEXT PhysicalDeviceOpacityMicromapPropertiesKHR
            PhysicalDeviceOpticalFlowPropertiesNV PhysicalDevicePCIBusInfoPropertiesEXT PhysicalDevicePartitionedAccelerationStructurePropertiesNV
            PhysicalDevicePerformanceCountersByRegionPropertiesARM PhysicalDevicePerformanceQueryPropertiesKHR PhysicalDevicePipelineBinaryPropertiesKHR
            PhysicalDevicePipelineRobustnessProperties PhysicalDevicePointClippingProperties PhysicalDevicePortabilitySubsetPropertiesKHR
            PhysicalDeviceProperties2 PhysicalDeviceProtectedMemoryProperties PhysicalDeviceProvokingVertexPropertiesEXT
            PhysicalDevicePushConstantBankPropertiesNV PhysicalDevicePushDescriptorProperties PhysicalDeviceQueueFamilyDataGraphProcessingEngineInfoARM
            PhysicalDeviceQueuePerfHintPropertiesQCOM PhysicalDeviceRayTracingInvocationReorderPropertiesEXT PhysicalDeviceRayTracingInvocationReorderPropertiesNV
            PhysicalDeviceRayTracingPipelinePropertiesKHR PhysicalDeviceRayTracingPropertiesNV PhysicalDeviceRenderPassStripedPropertiesARM
            PhysicalDeviceRobustness2PropertiesKHR PhysicalDeviceSampleLocationsPropertiesEXT PhysicalDeviceSamplerFilterMinmaxProperties
            PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM PhysicalDeviceSchedulingControlsPropertiesARM PhysicalDeviceShaderAbortPropertiesKHR
            PhysicalDeviceShaderCoreBuiltinsPropertiesARM PhysicalDeviceShaderCoreProperties2AMD PhysicalDeviceShaderCorePropertiesAMD
            PhysicalDeviceShaderCorePropertiesARM PhysicalDeviceShaderEnqueuePropertiesAMDX PhysicalDeviceShaderInstrumentationPropertiesARM
            PhysicalDeviceShaderIntegerDotProductProperties PhysicalDeviceShaderLongVectorPropertiesEXT PhysicalDeviceShaderModuleIdentifierPropertiesEXT
            PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM PhysicalDeviceShaderObjectPropertiesEXT PhysicalDeviceShaderSMBuiltinsPropertiesNV
            PhysicalDeviceShaderSplitBarrierPropertiesEXT PhysicalDeviceShaderTileImagePropertiesEXT PhysicalDeviceShadingRateImagePropertiesNV
            PhysicalDeviceSparseImageFormatInfo2 PhysicalDeviceSubgroupProperties PhysicalDeviceSubgroupSizeControlProperties
            PhysicalDeviceSubpassShadingPropertiesHUAWEI PhysicalDeviceSurfaceInfo2KHR PhysicalDeviceTensorPropertiesARM
            PhysicalDeviceTexelBufferAlignmentProperties PhysicalDeviceTileMemoryHeapPropertiesQCOM PhysicalDeviceTileShadingPropertiesQCOM
            PhysicalDeviceTimelineSemaphoreProperties PhysicalDeviceToolProperties PhysicalDeviceTransformFeedbackPropertiesEXT
            PhysicalDeviceVertexAttributeDivisorProperties PhysicalDeviceVertexAttributeDivisorPropertiesEXT PhysicalDeviceVulkan11Properties
            PhysicalDeviceVulkan12Properties PhysicalDeviceVulkan13Properties PhysicalDeviceVulkan14Properties
            PipelineBinaryCreateInfoKHR PipelineBinaryDataInfoKHR PipelineBinaryHandlesInfoKHR
            PipelineBinaryInfoKHR PipelineBinaryKeyKHR PipelineCacheCreateInfo
            PipelineColorBlendAdvancedStateCreateInfoEXT PipelineColorBlendStateCreateInfo PipelineColorWriteCreateInfoEXT
            PipelineCoverageModulationStateCreateInfoNV PipelineCoverageReductionStateCreateInfoNV PipelineCoverageToColorStateCreateInfoNV
            PipelineCreateFlags2CreateInfo PipelineCreateInfoKHR PipelineCreationFeedbackCreateInfo
            PipelineDepthStencilStateCreateInfo PipelineDiscardRectangleStateCreateInfoEXT PipelineDynamicStateCreateInfo
            PipelineExecutableInfoKHR PipelineExecutableInternalRepresentationKHR PipelineExecutablePropertiesKHR
            PipelineExecutableStatisticKHR PipelineFragmentShadingRateEnumStateCreateInfoNV PipelineFragmentShadingRateStateCreateInfoKHR
            PipelineIndirectDeviceAddressInfoNV PipelineInfoKHR PipelineInputAssemblyStateCreateInfo
            PipelineLayoutCreateInfo PipelineLibraryCreateInfoKHR PipelineMultisampleStateCreateInfo
            PipelinePropertiesIdentifierEXT PipelineRasterizationConservativeStateCreateInfoEXT PipelineRasterizationDepthClipStateCreateInfoEXT
            PipelineRasterizationLineStateCreateInfo PipelineRasterizationProvokingVertexStateCreateInfoEXT PipelineRasterizationStateCreateInfo
            PipelineRasterizationStateStreamCreateInfoEXT PipelineRenderingCreateInfo PipelineSampleLocationsStateCreateInfoEXT
            PipelineShaderStageCreateInfo PipelineShaderStageModuleIdentifierCreateInfoEXT PipelineShaderStageNodeCreateInfoAMDX
            PipelineShaderStageRequiredSubgroupSizeCreateInfo PipelineTessellationDomainOriginStateCreateInfo PipelineTessellationStateCreateInfo
            PipelineVertexInputDivisorStateCreateInfo PipelineVertexInputStateCreateInfo PipelineViewportCoarseSampleOrderStateCreateInfoNV
            PipelineViewportDepthClampControlCreateInfoEXT PipelineViewportDepthClipControlCreateInfoEXT PipelineViewportExclusiveScissorStateCreateInfoNV
            PipelineViewportShadingRateImageStateCreateInfoNV PipelineViewportStateCreateInfo PipelineViewportSwizzleStateCreateInfoNV
            PipelineViewportWScalingStateCreateInfoNV PresentId2KHR PresentIdKHR
            PresentInfoKHR PresentTimesInfoGOOGLE PresentTimingInfoEXT
            PresentTimingSurfaceCapabilitiesEXT PresentTimingsInfoEXT PresentWait2InfoKHR
            PrivateDataSlotCreateInfo PushConstantBankInfoNV PushConstantsInfo
            PushDataInfoEXT PushDescriptorSetInfo PushDescriptorSetWithTemplateInfo
            QueryPoolCreateInfo QueryPoolPerformanceCreateInfoKHR QueueFamilyCheckpointProperties2NV
            QueueFamilyCheckpointPropertiesNV QueueFamilyDataGraphProcessingEnginePropertiesARM QueueFamilyDataGraphPropertiesARM
            QueueFamilyDataGraphTOSAPropertiesARM QueueFamilyGlobalPriorityProperties QueueFamilyOptimalImageTransferGranularityPropertiesKHR
            QueueFamilyOwnershipTransferPropertiesKHR QueueFamilyProperties2 RayTracingPipelineCreateInfoKHR
            RayTracingPipelineCreateInfoNV RayTracingPipelineInterfaceCreateInfoKHR RayTracingShaderGroupCreateInfoKHR
            RayTracingShaderGroupCreateInfoNV ReleaseCapturedPipelineDataInfoKHR ReleaseSwapchainImagesInfoKHR
            RenderPassAttachmentBeginInfo RenderPassBeginInfo RenderPassCreateInfo
            RenderPassCreateInfo2 RenderPassCreationControlEXT RenderPassCreationFeedbackCreateInfoEXT
            RenderPassFragmentDensityMapCreateInfoEXT RenderPassFragmentDensityMapOffsetEndInfoEXT RenderPassMultiviewCreateInfo
            RenderPassPerformanceCountersByRegionBeginInfoARM RenderPassStripeBeginInfoARM RenderPassStripeInfoARM
            RenderPassStripeSubmitInfoARM RenderPassSubpassFeedbackCreateInfoEXT RenderPassTileShadingCreateInfoQCOM
            RenderPassTransformBeginInfoQCOM RenderingAreaInfo RenderingAttachmentInfo
            RenderingAttachmentLocationInfo RenderingEndInfoKHR RenderingFragmentDensityMapAttachmentInfoEXT
            RenderingFragmentShadingRateAttachmentInfoKHR RenderingInfo RenderingInputAttachmentIndexInfo
            ResolveImageInfo2 ResolveImageModeInfoKHR ResourceDescriptorInfoEXT
            SampleLocationsInfoEXT SamplerBlockMatchWindowCreateInfoQCOM SamplerCaptureDescriptorDataInfoEXT
            SamplerCreateInfo SamplerCubicWeightsCreateInfoQCOM SamplerCustomBorderColorCreateInfoEXT
            SamplerReductionModeCreateInfo SamplerYcbcrConversionCreateInfo SamplerYcbcrConversionImageFormatProperties
            SamplerYcbcrConversionInfo SamplerYcbcrConversionYcbcrDegammaCreateInfoQCOM SemaphoreCreateInfo
            SemaphoreGetFdInfoKHR SemaphoreGetWin32HandleInfoKHR SemaphoreSignalInfo
            SemaphoreSubmitInfo SemaphoreTypeCreateInfo SemaphoreWaitInfo
            SetDescriptorBufferOffsetsInfoEXT ShaderCreateInfoEXT ShaderDescriptorSetAndBindingMappingInfoEXT
            ShaderInstrumentationCreateInfoARM ShaderInstrumentationMetricDescriptionARM ShaderModuleCreateInfo
            ShaderModuleIdentifierEXT ShaderModuleValidationCacheCreateInfoEXT SharedPresentSurfaceCapabilitiesKHR
            SparseImageFormatProperties2 SparseImageMemoryRequirements2 SubmitInfo
            SubmitInfo2 SubpassBeginInfo SubpassDependency2
            SubpassDescription2 SubpassDescriptionDepthStencilResolve SubpassEndInfo
            SubpassResolvePerformanceQueryEXT SubpassShadingPipelineCreateInfoHUAWEI SubresourceHostMemcpySize
            SubresourceLayout2 SubsampledImageFormatPropertiesEXT SurfaceCapabilities2KHR
            SurfaceCapabilitiesPresentId2KHR SurfaceCapabilitiesPresentWait2KHR SurfaceFormat2KHR
            SurfacePresentModeCompatibilityKHR SurfacePresentModeKHR SurfacePresentScalingCapabilitiesKHR
            SwapchainCreateInfoKHR SwapchainFlagsSurfaceCapabilitiesEXT SwapchainPresentFenceInfoKHR
            SwapchainPresentModeInfoKHR SwapchainTimeDomainPropertiesEXT SwapchainTimingPropertiesEXT
            TensorCaptureDescriptorDataInfoARM TensorCopyARM TensorCreateInfoARM
            TensorDescriptionARM TensorFormatPropertiesARM TensorMemoryRequirementsInfoARM
            TensorViewCaptureDescriptorDataInfoARM TensorViewCreateInfoARM TexelBufferDescriptorInfoEXT
            TextureLODGatherFormatPropertiesAMD TileMemoryBindInfoQCOM TileMemoryRequirementsQCOM
            TileMemorySizeInfoQCOM TilePropertiesQCOM TimelineSemaphoreSubmitInfo
            ValidationCacheCreateInfoEXT VertexInputAttributeDescription2EXT VertexInputBindingDescription2EXT
            WaylandSurfaceCreateInfoKHR Win32SurfaceCreateInfoKHR WriteDescriptorSet
            WriteDescriptorSetAccelerationStructureKHR WriteDescriptorSetAccelerationStructureNV WriteDescriptorSetInlineUniformBlock
            WriteDescriptorSetPartitionedAccelerationStructureNV WriteDescriptorSetTensorARM WriteIndirectExecutionSetPipelineEXT
            WriteIndirectExecutionSetShaderEXT XcbSurfaceCreateInfoKHR XlibSurfaceCreateInfoKHR
        }
    };
}
pub(crate) use for_each_chained_struct;
