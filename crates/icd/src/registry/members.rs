//! The pointers in the structures that commands' bodies name.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do not edit.

/// Runs a macro with all: structure, and its pointers to constant values.
#[rustfmt::skip]
macro_rules! for_each_pointer_member {
    ($with:ident) => {
        $with! {
            BindDescriptorSetsInfo { array descriptor_sets[descriptor_set_count]: DescriptorSet; array dynamic_offsets[dynamic_offset_count]: u32; }
            BindSparseInfo { array wait_semaphores[wait_semaphore_count]: Semaphore; array buffer_binds[buffer_bind_count]: SparseBufferMemoryBindInfo; array image_opaque_binds[image_opaque_bind_count]: SparseImageOpaqueMemoryBindInfo; array image_binds[image_bind_count]: SparseImageMemoryBindInfo; array signal_semaphores[signal_semaphore_count]: Semaphore; }
            BlitImageInfo2 { array regions[region_count]: ImageBlit2; }
            CommandBufferInheritanceDescriptorHeapInfoEXT { nullable sampler_heap_bind_info: BindHeapInfoEXT; nullable resource_heap_bind_info: BindHeapInfoEXT; }
            CopyBufferInfo2 { array regions[region_count]: BufferCopy2; }
            CopyBufferToImageInfo2 { array regions[region_count]: BufferImageCopy2; }
            CopyImageInfo2 { array regions[region_count]: ImageCopy2; }
            CopyImageToBufferInfo2 { array regions[region_count]: BufferImageCopy2; }
            CopyImageToImageInfo { array regions[region_count]: ImageCopy2; }
            CopyImageToMemoryInfo { array regions[region_count]: ImageToMemoryCopy; }
            CopyMemoryToImageIndirectInfoKHR { array image_subresources[copy_count]: ImageSubresourceLayers; }
            CopyMemoryToImageInfo { array regions[region_count]: MemoryToImageCopy; }
            CopyTensorInfoARM { array regions[region_count]: TensorCopyARM; }
            CudaModuleCreateInfoNV { bytes data[data_size]: c_void; }
            DebugUtilsMessengerCallbackDataEXT { array queue_labels[queue_label_count]: DebugUtilsLabelEXT; array cmd_buf_labels[cmd_buf_label_count]: DebugUtilsLabelEXT; array objects[object_count]: DebugUtilsObjectNameInfoEXT; }
            DebugUtilsObjectTagInfoEXT { bytes tag[tag_size]: c_void; }
            DependencyInfo { array memory_barriers[memory_barrier_count]: MemoryBarrier2; array buffer_memory_barriers[buffer_memory_barrier_count]: BufferMemoryBarrier2; array image_memory_barriers[image_memory_barrier_count]: ImageMemoryBarrier2; }
            DescriptorPoolCreateInfo { array pool_sizes[pool_size_count]: DescriptorPoolSize; }
            DescriptorSetAllocateInfo { array set_layouts[descriptor_set_count]: DescriptorSetLayout; }
            DescriptorSetLayoutBindingFlagsCreateInfo { array binding_flags[binding_count]: DescriptorBindingFlags; }
            DescriptorSetLayoutCreateInfo { array bindings[binding_count]: DescriptorSetLayoutBinding; }
            DescriptorSetVariableDescriptorCountAllocateInfo { array descriptor_counts[descriptor_set_count]: u32; }
            DescriptorUpdateTemplateCreateInfo { array descriptor_update_entries[descriptor_update_entry_count]: DescriptorUpdateTemplateEntry; }
            DeviceBufferMemoryRequirements { one create_info: BufferCreateInfo; }
            DeviceCreateInfo { array queue_create_infos[queue_create_info_count]: DeviceQueueCreateInfo; nullable enabled_features: PhysicalDeviceFeatures; }
            DeviceGroupRenderPassBeginInfo { array device_render_areas[device_render_area_count]: Rect2D; }
            DeviceImageMemoryRequirements { one create_info: ImageCreateInfo; }
            DeviceImageSubresourceInfo { one create_info: ImageCreateInfo; one subresource: ImageSubresource2; }
            DeviceTensorMemoryRequirementsARM { one create_info: TensorCreateInfoARM; }
            ExecutionGraphPipelineCreateInfoAMDX { array stages[stage_count]: PipelineShaderStageCreateInfo; nullable library_info: PipelineLibraryCreateInfoKHR; }
            FragmentShadingRateAttachmentInfoKHR { nullable fragment_shading_rate_attachment: AttachmentReference2; }
            GraphicsPipelineCreateInfo { nullable dynamic_state: PipelineDynamicStateCreateInfo; }
            InstanceCreateInfo { nullable application_info: ApplicationInfo; }
            MutableDescriptorTypeCreateInfoEXT { array mutable_descriptor_type_lists[mutable_descriptor_type_list_count]: MutableDescriptorTypeListEXT; }
            PhysicalDeviceExternalTensorInfoARM { one description: TensorDescriptionARM; }
            PipelineBinaryCreateInfoKHR { nullable keys_and_data_info: PipelineBinaryKeysAndDataKHR; nullable pipeline_create_info: PipelineCreateInfoKHR; }
            PipelineBinaryInfoKHR { array pipeline_binaries[binary_count]: PipelineBinaryKHR; }
            PipelineCacheCreateInfo { bytes initial_data[initial_data_size]: c_void; }
            PipelineColorWriteCreateInfoEXT { array color_write_enables[attachment_count]: Bool32; }
            PipelineLayoutCreateInfo { array set_layouts[set_layout_count]: DescriptorSetLayout; array push_constant_ranges[push_constant_range_count]: PushConstantRange; }
            PipelineLibraryCreateInfoKHR { array libraries[library_count]: Pipeline; }
            PipelineShaderStageCreateInfo { nullable specialization_info: SpecializationInfo; }
            PipelineShaderStageModuleIdentifierCreateInfoEXT { array identifier[identifier_size]: u8; }
            PipelineVertexInputDivisorStateCreateInfo { array vertex_binding_divisors[vertex_binding_divisor_count]: VertexInputBindingDivisorDescription; }
            PipelineViewportDepthClampControlCreateInfoEXT { nullable depth_clamp_range: DepthClampRangeEXT; }
            PipelineViewportSwizzleStateCreateInfoNV { array viewport_swizzles[viewport_count]: ViewportSwizzleNV; }
            PresentId2KHR { array present_ids[swapchain_count]: u64; }
            PresentIdKHR { array present_ids[swapchain_count]: u64; }
            PresentInfoKHR { array wait_semaphores[wait_semaphore_count]: Semaphore; array swapchains[swapchain_count]: SwapchainKHR; array image_indices[swapchain_count]: u32; }
            PushConstantsInfo { bytes values[size]: c_void; }
            PushDescriptorSetInfo { array descriptor_writes[descriptor_write_count]: WriteDescriptorSet; }
            RayTracingPipelineCreateInfoKHR { array stages[stage_count]: PipelineShaderStageCreateInfo; array groups[group_count]: RayTracingShaderGroupCreateInfoKHR; nullable library_info: PipelineLibraryCreateInfoKHR; nullable library_interface: RayTracingPipelineInterfaceCreateInfoKHR; nullable dynamic_state: PipelineDynamicStateCreateInfo; }
            ReleaseSwapchainImagesInfoKHR { array image_indices[image_index_count]: u32; }
            RenderPassAttachmentBeginInfo { array attachments[attachment_count]: ImageView; }
            RenderPassCreateInfo { array attachments[attachment_count]: AttachmentDescription; array subpasses[subpass_count]: SubpassDescription; array dependencies[dependency_count]: SubpassDependency; }
            RenderPassCreateInfo2 { array attachments[attachment_count]: AttachmentDescription2; array subpasses[subpass_count]: SubpassDescription2; array dependencies[dependency_count]: SubpassDependency2; array correlated_view_masks[correlated_view_mask_count]: u32; }
            RenderPassMultiviewCreateInfo { array view_masks[subpass_count]: u32; array view_offsets[dependency_count]: i32; array correlation_masks[correlation_mask_count]: u32; }
            RenderingInfo { array color_attachments[color_attachment_count]: RenderingAttachmentInfo; nullable depth_attachment: RenderingAttachmentInfo; nullable stencil_attachment: RenderingAttachmentInfo; }
            RenderingInputAttachmentIndexInfo { array color_attachment_input_indices[color_attachment_count]: u32; nullable depth_input_attachment_index: u32; nullable stencil_input_attachment_index: u32; }
            ResolveImageInfo2 { array regions[region_count]: ImageResolve2; }
            SampleLocationsInfoEXT { array sample_locations[sample_locations_count]: SampleLocationEXT; }
            SemaphoreWaitInfo { array semaphores[semaphore_count]: Semaphore; array values[semaphore_count]: u64; }
            SetDescriptorBufferOffsetsInfoEXT { array buffer_indices[set_count]: u32; array offsets[set_count]: DeviceSize; }
            ShaderCreateInfoEXT { bytes code[code_size]: c_void; array push_constant_ranges[push_constant_range_count]: PushConstantRange; nullable specialization_info: SpecializationInfo; }
            ShaderDescriptorSetAndBindingMappingInfoEXT { array mappings[mapping_count]: DescriptorSetAndBindingMappingEXT; }
            SubmitInfo { array wait_semaphores[wait_semaphore_count]: Semaphore; array wait_dst_stage_mask[wait_semaphore_count]: PipelineStageFlags; array command_buffers[command_buffer_count]: CommandBuffer; array signal_semaphores[signal_semaphore_count]: Semaphore; }
            SubmitInfo2 { array wait_semaphore_infos[wait_semaphore_info_count]: SemaphoreSubmitInfo; array command_buffer_infos[command_buffer_info_count]: CommandBufferSubmitInfo; array signal_semaphore_infos[signal_semaphore_info_count]: SemaphoreSubmitInfo; }
            SubpassDescription2 { array input_attachments[input_attachment_count]: AttachmentReference2; array color_attachments[color_attachment_count]: AttachmentReference2; array resolve_attachments[color_attachment_count]: AttachmentReference2; nullable depth_stencil_attachment: AttachmentReference2; array preserve_attachments[preserve_attachment_count]: u32; }
            SubpassDescriptionDepthStencilResolve { nullable depth_stencil_resolve_attachment: AttachmentReference2; }
            SwapchainPresentFenceInfoKHR { array fences[swapchain_count]: Fence; }
            TensorCreateInfoARM { one description: TensorDescriptionARM; }
            TensorDescriptionARM { array dimensions[dimension_count]: i64; array strides[dimension_count]: i64; }
            TimelineSemaphoreSubmitInfo { array wait_semaphore_values[wait_semaphore_value_count]: u64; array signal_semaphore_values[signal_semaphore_value_count]: u64; }
            ValidationCacheCreateInfoEXT { bytes initial_data[initial_data_size]: c_void; }
            WriteDescriptorSetAccelerationStructureKHR { array acceleration_structures[acceleration_structure_count]: AccelerationStructureKHR; }
            WriteDescriptorSetInlineUniformBlock { bytes data[data_size]: c_void; }
            WriteDescriptorSetTensorARM { array tensor_views[tensor_view_count]: TensorViewARM; }
        }
    };
}
pub(crate) use for_each_pointer_member;

/// Runs a macro with all structures that begin with `sType`.
#[rustfmt::skip]
macro_rules! for_each_chained_struct {
    ($with:ident) => {
        $with! {
            AccelerationStructureBuildSizesInfoKHR AccelerationStructureCaptureDescriptorDataInfoEXT AccelerationStructureCreateInfoKHR
            AccelerationStructureDeviceAddressInfoKHR AccelerationStructureGeometryKHR AccelerationStructureGeometryTrianglesDataKHR
            AccelerationStructureVersionInfoKHR AcquireNextImageInfoKHR AttachmentReference2
            BindBufferMemoryInfo BindDescriptorBufferEmbeddedSamplersInfoEXT BindDescriptorSetsInfo
            BindHeapInfoEXT BindImageMemoryInfo BindImageMemorySwapchainInfoKHR
            BindImagePlaneMemoryInfo BindMemoryStatus BindSparseInfo
            BindTensorMemoryInfoARM BlitImageCubicWeightsInfoQCOM BlitImageInfo2
            BufferCaptureDescriptorDataInfoEXT BufferCreateInfo BufferDeviceAddressInfo
            BufferImageCopy2 BufferMemoryBarrier BufferMemoryRequirementsInfo2
            BufferUsageFlags2CreateInfo BufferViewCreateInfo CalibratedTimestampInfoKHR
            CommandBufferAllocateInfo CommandBufferBeginInfo CommandBufferInheritanceDescriptorHeapInfoEXT
            CommandBufferInheritanceViewportScissorInfoNV CommandPoolCreateInfo ComputePipelineCreateInfo
            ConditionalRenderingBeginInfoEXT ConvertCooperativeVectorMatrixInfoNV CooperativeMatrixFlexibleDimensionsPropertiesNV
            CooperativeMatrixPropertiesKHR CooperativeMatrixPropertiesNV CooperativeVectorPropertiesNV
            CopyAccelerationStructureInfoKHR CopyAccelerationStructureToMemoryInfoKHR CopyBufferInfo2
            CopyBufferToImageInfo2 CopyDescriptorSet CopyImageInfo2
            CopyImageToBufferInfo2 CopyImageToImageInfo CopyImageToMemoryInfo
            CopyMemoryIndirectInfoKHR CopyMemoryToAccelerationStructureInfoKHR CopyMemoryToImageIndirectInfoKHR
            CopyMemoryToImageInfo CopyTensorInfoARM CudaFunctionCreateInfoNV
            CudaLaunchInfoNV CudaModuleCreateInfoNV DebugReportCallbackCreateInfoEXT
            DebugUtilsLabelEXT DebugUtilsMessengerCallbackDataEXT DebugUtilsMessengerCreateInfoEXT
            DebugUtilsObjectNameInfoEXT DebugUtilsObjectTagInfoEXT DependencyInfo
            DepthBiasInfoEXT DepthBiasRepresentationInfoEXT DescriptorAddressInfoEXT
            DescriptorBufferBindingInfoEXT DescriptorGetInfoEXT DescriptorGetTensorInfoARM
            DescriptorPoolCreateInfo DescriptorSetAllocateInfo DescriptorSetAndBindingMappingEXT
            DescriptorSetLayoutBindingFlagsCreateInfo DescriptorSetLayoutCreateInfo DescriptorSetLayoutSupport
            DescriptorSetVariableDescriptorCountAllocateInfo DescriptorSetVariableDescriptorCountLayoutSupport DescriptorUpdateTemplateCreateInfo
            DeviceBufferMemoryRequirements DeviceCreateInfo DeviceFaultCountsEXT
            DeviceFaultInfoEXT DeviceGroupPresentCapabilitiesKHR DeviceGroupRenderPassBeginInfo
            DeviceImageMemoryRequirements DeviceImageSubresourceInfo DeviceMemoryOpaqueCaptureAddressInfo
            DeviceQueueGlobalPriorityCreateInfo DeviceQueueInfo2 DeviceTensorMemoryRequirementsARM
            EventCreateInfo ExecutionGraphPipelineCreateInfoAMDX ExecutionGraphPipelineScratchSizeAMDX
            ExportFenceCreateInfo ExportMemoryAllocateInfo ExportSemaphoreCreateInfo
            ExternalBufferProperties ExternalFenceProperties ExternalImageFormatProperties
            ExternalSemaphoreProperties ExternalTensorPropertiesARM FenceCreateInfo
            FenceGetFdInfoKHR FilterCubicImageViewImageFormatPropertiesEXT FormatProperties2
            FormatProperties3 FragmentShadingRateAttachmentInfoKHR FramebufferCreateInfo
            GraphicsPipelineCreateInfo GraphicsPipelineLibraryCreateInfoEXT HeadlessSurfaceCreateInfoEXT
            HostImageCopyDevicePerformanceQuery HostImageLayoutTransitionInfo ImageCaptureDescriptorDataInfoEXT
            ImageCreateInfo ImageFormatProperties2 ImageMemoryBarrier
            ImageMemoryRequirementsInfo2 ImagePlaneMemoryRequirementsInfo ImageSparseMemoryRequirementsInfo2
            ImageSubresource2 ImageViewASTCDecodeModeEXT ImageViewCaptureDescriptorDataInfoEXT
            ImageViewCreateInfo ImageViewMinLodCreateInfoEXT ImageViewSampleWeightCreateInfoQCOM
            ImageViewSlicedCreateInfoEXT ImageViewUsageCreateInfo ImportFenceFdInfoKHR
            ImportMemoryFdInfoKHR ImportMemoryHostPointerInfoEXT ImportSemaphoreFdInfoKHR
            InstanceCreateInfo MappedMemoryRange MemoryAllocateFlagsInfo
            MemoryAllocateInfo MemoryBarrier MemoryDedicatedRequirements
            MemoryFdPropertiesKHR MemoryGetFdInfoKHR MemoryHostPointerPropertiesEXT
            MemoryMapInfo MemoryOpaqueCaptureAddressAllocateInfo MemoryRequirements2
            MemoryUnmapInfo MultisamplePropertiesEXT MutableDescriptorTypeCreateInfoEXT
            PhysicalDeviceExternalBufferInfo PhysicalDeviceExternalFenceInfo PhysicalDeviceExternalImageFormatInfo
            PhysicalDeviceExternalSemaphoreInfo PhysicalDeviceExternalTensorInfoARM PhysicalDeviceFeatures2
            PhysicalDeviceFragmentShadingRateKHR PhysicalDeviceGroupProperties PhysicalDeviceHostImageCopyProperties
            PhysicalDeviceImageFormatInfo2 PhysicalDeviceImageViewImageFormatInfoEXT PhysicalDeviceMemoryBudgetPropertiesEXT
            PhysicalDeviceMemoryProperties2 PhysicalDeviceProperties2 PhysicalDeviceSparseImageFormatInfo2
            PhysicalDeviceSurfaceInfo2KHR PhysicalDeviceToolProperties PhysicalDeviceVulkan14Properties
            PipelineBinaryCreateInfoKHR PipelineBinaryDataInfoKHR PipelineBinaryHandlesInfoKHR
            PipelineBinaryInfoKHR PipelineBinaryKeyKHR PipelineCacheCreateInfo
            PipelineColorBlendAdvancedStateCreateInfoEXT PipelineColorWriteCreateInfoEXT PipelineCoverageToColorStateCreateInfoNV
            PipelineCreateFlags2CreateInfo PipelineCreateInfoKHR PipelineCreationFeedbackCreateInfo
            PipelineDiscardRectangleStateCreateInfoEXT PipelineExecutableInfoKHR PipelineExecutableInternalRepresentationKHR
            PipelineExecutablePropertiesKHR PipelineExecutableStatisticKHR PipelineFragmentShadingRateStateCreateInfoKHR
            PipelineInfoKHR PipelineLayoutCreateInfo PipelineLibraryCreateInfoKHR
            PipelineRasterizationConservativeStateCreateInfoEXT PipelineRasterizationDepthClipStateCreateInfoEXT PipelineRasterizationLineStateCreateInfo
            PipelineRasterizationProvokingVertexStateCreateInfoEXT PipelineRasterizationStateStreamCreateInfoEXT PipelineRenderingCreateInfo
            PipelineSampleLocationsStateCreateInfoEXT PipelineShaderStageCreateInfo PipelineShaderStageModuleIdentifierCreateInfoEXT
            PipelineShaderStageNodeCreateInfoAMDX PipelineShaderStageRequiredSubgroupSizeCreateInfo PipelineTessellationDomainOriginStateCreateInfo
            PipelineVertexInputDivisorStateCreateInfo PipelineViewportDepthClampControlCreateInfoEXT PipelineViewportDepthClipControlCreateInfoEXT
            PipelineViewportExclusiveScissorStateCreateInfoNV PipelineViewportSwizzleStateCreateInfoNV PipelineViewportWScalingStateCreateInfoNV
            PresentId2KHR PresentIdKHR PresentInfoKHR
            PresentWait2InfoKHR PrivateDataSlotCreateInfo PushConstantsInfo
            PushDataInfoEXT PushDescriptorSetInfo PushDescriptorSetWithTemplateInfo
            QueryPoolCreateInfo QueueFamilyGlobalPriorityProperties QueueFamilyOwnershipTransferPropertiesKHR
            QueueFamilyProperties2 RayTracingPipelineCreateInfoKHR RayTracingShaderGroupCreateInfoKHR
            ReleaseCapturedPipelineDataInfoKHR ReleaseSwapchainImagesInfoKHR RenderPassAttachmentBeginInfo
            RenderPassBeginInfo RenderPassCreateInfo RenderPassCreateInfo2
            RenderPassFragmentDensityMapCreateInfoEXT RenderPassMultiviewCreateInfo RenderingAreaInfo
            RenderingAttachmentInfo RenderingAttachmentLocationInfo RenderingEndInfoKHR
            RenderingFragmentDensityMapAttachmentInfoEXT RenderingFragmentShadingRateAttachmentInfoKHR RenderingInfo
            RenderingInputAttachmentIndexInfo ResolveImageInfo2 ResolveImageModeInfoKHR
            ResourceDescriptorInfoEXT SampleLocationsInfoEXT SamplerBlockMatchWindowCreateInfoQCOM
            SamplerCaptureDescriptorDataInfoEXT SamplerCreateInfo SamplerCubicWeightsCreateInfoQCOM
            SamplerCustomBorderColorCreateInfoEXT SamplerReductionModeCreateInfo SamplerYcbcrConversionCreateInfo
            SamplerYcbcrConversionImageFormatProperties SamplerYcbcrConversionInfo SemaphoreCreateInfo
            SemaphoreGetFdInfoKHR SemaphoreSignalInfo SemaphoreTypeCreateInfo
            SemaphoreWaitInfo SetDescriptorBufferOffsetsInfoEXT ShaderCreateInfoEXT
            ShaderDescriptorSetAndBindingMappingInfoEXT ShaderModuleCreateInfo ShaderModuleIdentifierEXT
            ShaderModuleValidationCacheCreateInfoEXT SparseImageFormatProperties2 SparseImageMemoryRequirements2
            SubmitInfo SubmitInfo2 SubpassBeginInfo
            SubpassDescription2 SubpassDescriptionDepthStencilResolve SubpassEndInfo
            SubpassShadingPipelineCreateInfoHUAWEI SubresourceHostMemcpySize SubresourceLayout2
            SubsampledImageFormatPropertiesEXT SurfaceCapabilities2KHR SurfaceCapabilitiesPresentId2KHR
            SurfaceCapabilitiesPresentWait2KHR SurfaceFormat2KHR SurfacePresentModeCompatibilityKHR
            SurfacePresentModeKHR SurfacePresentScalingCapabilitiesKHR SwapchainCreateInfoKHR
            SwapchainPresentFenceInfoKHR TensorCaptureDescriptorDataInfoARM TensorCreateInfoARM
            TensorDescriptionARM TensorFormatPropertiesARM TensorMemoryRequirementsInfoARM
            TensorViewCaptureDescriptorDataInfoARM TensorViewCreateInfoARM TimelineSemaphoreSubmitInfo
            ValidationCacheCreateInfoEXT VertexInputAttributeDescription2EXT VertexInputBindingDescription2EXT
            WriteDescriptorSet WriteDescriptorSetAccelerationStructureKHR WriteDescriptorSetInlineUniformBlock
            WriteDescriptorSetTensorARM XcbSurfaceCreateInfoKHR XlibSurfaceCreateInfoKHR
        }
    };
}
pub(crate) use for_each_chained_struct;
