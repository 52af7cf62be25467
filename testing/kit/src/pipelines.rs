//! Pipelines that are made in every way: with caches, from identifiers of modules, from binaries.

use crate::{Client, Gpu};
use pyro_shadertext::Shader;
use std::slice;
use vulkanalia::VkResult;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtShaderModuleIdentifierExtensionDeviceCommands as _, KhrPipelineBinaryExtensionDeviceCommands as _,
};

/// Adds 42, or what constant 0 says, to the first word of the buffer.
fn compute_text() -> String {
    Shader::compute(
        [1, 1, 1],
        "%place = OpAccessChain %buffer_uint %buffer %uint_0
        %old = OpLoad %uint %place
        %new = OpIAdd %uint %old %c42
        OpStore %place %new",
    )
    .decorate(
        "OpMemberDecorate %block 0 Offset 0
        OpDecorate %block Block
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        OpDecorate %c42 SpecId 0",
    )
    .declare(
        "%c42 = OpSpecConstant %uint 42
        %block = OpTypeStruct %uint
        %buffer = OpVariable %buffer_block StorageBuffer",
    )
    .text()
}

fn vertex_text() -> String {
    Shader::vertex("OpStore %position %here")
        .declare("%here = OpConstantComposite %float4 %float_0 %float_0 %float_0 %float_0")
        .text()
}

fn fragment_text() -> String {
    Shader::fragment("OpStore %color %white")
        .output("color", "float4", "Location 0")
        .declare("%white = OpConstantComposite %float4 %float_1 %float_1 %float_1 %float_1")
        .text()
}

/// Where a pipeline's shaders come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Modules.
    Modules,
    /// Their identifiers alone.
    Identifiers,
    /// Binaries alone.
    Binaries(&'a [vk::PipelineBinaryKHR]),
}

/// A pipeline's create info.
#[derive(Clone, Copy)]
enum Info<'a> {
    Graphics(&'a vk::GraphicsPipelineCreateInfo),
    Compute(&'a vk::ComputePipelineCreateInfo),
}

impl Info<'_> {
    fn next(self) -> *const std::ffi::c_void {
        match self {
            Info::Graphics(info) => info.next,
            Info::Compute(info) => info.next,
        }
    }
}

/// A device, a layout of one buffer, a shader for compute and two for drawing.
pub struct Context {
    gpu: Gpu,
    set_layout: vk::DescriptorSetLayout,
    /// The layout of its pipelines.
    pub layout: vk::PipelineLayout,
    /// The compute shader.
    pub compute: vk::ShaderModule,
    vertex: vk::ShaderModule,
    fragment: vk::ShaderModule,
}

impl std::ops::Deref for Context {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Context {
    /// A device with pipeline binaries and module identifiers.
    pub fn new() -> Context {
        let mut features = vk::PhysicalDeviceVulkan13Features::builder()
            .dynamic_rendering(true)
            .pipeline_creation_cache_control(true);
        let mut maintenance = vk::PhysicalDeviceMaintenance5Features::builder().maintenance5(true);
        let mut binaries = vk::PhysicalDevicePipelineBinaryFeaturesKHR::builder().pipeline_binaries(true);
        let mut identifiers =
            vk::PhysicalDeviceShaderModuleIdentifierFeaturesEXT::builder().shader_module_identifier(true);
        features.next = (&raw mut maintenance).cast();
        maintenance.next = (&raw mut binaries).cast();
        binaries.next = (&raw mut identifiers).cast();
        let extensions =
            [c"VK_KHR_maintenance5", c"VK_KHR_pipeline_binary", c"VK_EXT_shader_module_identifier"];
        let client = Client::new(vk::make_version(1, 3, 0), &[]);
        let gpu = client.device(&extensions, None, (&raw mut features).cast());
        let device = &gpu.device;
        unsafe {
            let binding = vk::DescriptorSetLayoutBinding::builder()
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE);
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
            let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
            let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(slice::from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let [compute, vertex, fragment] =
                [compute_text(), vertex_text(), fragment_text()].map(|text| gpu.shader_module(&text));
            Context { gpu, set_layout, layout, compute, vertex, fragment }
        }
    }

    /// A cache that starts with this data.
    pub fn cache(&self, data: &[u8]) -> vk::PipelineCache {
        let info = vk::PipelineCacheCreateInfo::builder().initial_data(data);
        unsafe { self.device.create_pipeline_cache(&info, None) }.expect("a cache")
    }

    /// A compute or graphics pipeline, and whether the cache had it.
    pub fn pipeline(
        &self,
        graphics: bool,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags,
    ) -> (vk::Pipeline, vk::SuccessCode, bool) {
        let flags = vk::PipelineCreateFlags2::from_bits_truncate(flags.bits().into());
        self.pipeline_from(graphics, cache, flags, Source::Modules)
    }

    /// Calls `with` with the create info of a pipeline.
    fn with_info<T>(
        &self,
        graphics: bool,
        flags: vk::PipelineCreateFlags2,
        source: Source<'_>,
        with: impl FnOnce(Info<'_>) -> T,
    ) -> T {
        let mut flags = vk::PipelineCreateFlags2CreateInfo::builder().flags(flags);
        let binaries = if let Source::Binaries(binaries) = source { binaries } else { &[] };
        let mut binaries = vk::PipelineBinaryInfoKHR::builder().pipeline_binaries(binaries);
        let modules = [self.vertex, self.fragment, self.compute];
        let identifiers = modules.map(|module| {
            let mut identifier = vk::ShaderModuleIdentifierEXT::default();
            unsafe { self.device.get_shader_module_identifier_ext(module, &mut identifier) };
            identifier
        });
        let mut identifiers = identifiers.each_ref().map(|one| {
            vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::builder()
                .identifier(&one.identifier[..one.identifier_size as usize])
        });
        let all =
            [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT, vk::ShaderStageFlags::COMPUTE];
        let mut stages = Vec::new();
        for ((stage, module), identifier) in all.into_iter().zip(modules).zip(&mut identifiers) {
            let info = vk::PipelineShaderStageCreateInfo::builder().stage(stage).name(b"main\0");
            stages.push(match source {
                Source::Modules => info.module(module),
                Source::Identifiers => info.push_next(identifier),
                Source::Binaries(_) => info,
            });
        }
        if graphics {
            let input = vk::PipelineVertexInputStateCreateInfo::default();
            let assembly = vk::PipelineInputAssemblyStateCreateInfo::default();
            let viewport = vk::Viewport { width: 4.0, height: 4.0, max_depth: 1.0, ..Default::default() };
            let scissor = vk::Rect2D::default();
            let viewports = vk::PipelineViewportStateCreateInfo::builder()
                .viewports(slice::from_ref(&viewport))
                .scissors(slice::from_ref(&scissor));
            let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
            let samples = vk::PipelineMultisampleStateCreateInfo::builder()
                .rasterization_samples(vk::SampleCountFlags::_1);
            let blend = vk::PipelineColorBlendAttachmentState {
                color_write_mask: vk::ColorComponentFlags::all(),
                ..Default::default()
            };
            let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&blend));
            let format = vk::Format::R8G8B8A8_UNORM;
            let mut rendering =
                vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(slice::from_ref(&format));
            let info = vk::GraphicsPipelineCreateInfo::builder()
                .stages(&stages[..2])
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .viewport_state(&viewports)
                .rasterization_state(&raster)
                .multisample_state(&samples)
                .color_blend_state(&blend)
                .layout(self.layout)
                .push_next(&mut rendering)
                .push_next(&mut flags)
                .push_next(&mut binaries);
            with(Info::Graphics(&info))
        } else {
            let info = vk::ComputePipelineCreateInfo::builder()
                .stage(stages[2])
                .layout(self.layout)
                .push_next(&mut flags)
                .push_next(&mut binaries);
            with(Info::Compute(&info))
        }
    }

    /// A compute or graphics pipeline of shaders from somewhere, and whether the cache had it.
    pub fn pipeline_from(
        &self,
        graphics: bool,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags2,
        source: Source<'_>,
    ) -> (vk::Pipeline, vk::SuccessCode, bool) {
        self.try_pipeline_from(graphics, cache, flags, source).expect("no error")
    }

    /// The same where there may be an error.
    ///
    /// # Errors
    /// That of the creation.
    pub fn try_pipeline_from(
        &self,
        graphics: bool,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags2,
        source: Source<'_>,
    ) -> Result<(vk::Pipeline, vk::SuccessCode, bool), vk::ErrorCode> {
        let mut feedback = vk::PipelineCreationFeedback::default();
        let mut wanted =
            vk::PipelineCreationFeedbackCreateInfo::builder().pipeline_creation_feedback(&mut feedback);
        let made = self.with_info(graphics, flags, source, |info| unsafe {
            wanted.next = info.next();
            match info {
                Info::Graphics(info) => {
                    let info = vk::GraphicsPipelineCreateInfo { next: (&raw const wanted).cast(), ..*info };
                    self.device.create_graphics_pipelines(cache, &[info], None)
                }
                Info::Compute(info) => {
                    let info = vk::ComputePipelineCreateInfo { next: (&raw const wanted).cast(), ..*info };
                    self.device.create_compute_pipelines(cache, &[info], None)
                }
            }
        });
        let (pipelines, code) = made?;
        let hit = vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        Ok((pipelines[0], code, feedback.flags.contains(hit)))
    }

    /// The key of a pipeline.
    pub fn key(&self, graphics: bool, source: Source<'_>) -> Vec<u8> {
        self.with_info(graphics, vk::PipelineCreateFlags2::empty(), source, |info| unsafe {
            let next = match info {
                Info::Graphics(info) => (&raw const *info).cast_mut().cast(),
                Info::Compute(info) => (&raw const *info).cast_mut().cast(),
            };
            let info = vk::PipelineCreateInfoKHR { next, ..Default::default() };
            let mut key = vk::PipelineBinaryKeyKHR::default();
            self.device.get_pipeline_key_khr(Some(&info), &mut key).expect("a key");
            key.key[..key.key_size as usize].to_vec()
        })
    }

    /// Calls `vkCreatePipelineBinariesKHR` with room for so many.
    pub fn create_binaries(
        &self,
        info: &vk::PipelineBinaryCreateInfoKHR,
        room: u32,
    ) -> (VkResult<vk::SuccessCode>, Vec<vk::PipelineBinaryKHR>) {
        let mut binaries = vec![vk::PipelineBinaryKHR::null(); room as usize];
        let mut out = vk::PipelineBinaryHandlesInfoKHR {
            pipeline_binary_count: room,
            pipeline_binaries: binaries.as_mut_ptr(),
            ..Default::default()
        };
        let code = unsafe { self.device.create_pipeline_binaries_khr(info, None, &mut out) };
        binaries.truncate(out.pipeline_binary_count as usize);
        (code, binaries)
    }

    /// The same from one key and its data, with room for one binary.
    pub fn create_binary_from(
        &self,
        key: &vk::PipelineBinaryKeyKHR,
        data: &[u8],
    ) -> (VkResult<vk::SuccessCode>, Vec<vk::PipelineBinaryKHR>) {
        let pair = vk::PipelineBinaryDataKHR { data_size: data.len(), data: data.as_ptr().cast_mut().cast() };
        let pairs = vk::PipelineBinaryKeysAndDataKHR {
            binary_count: 1,
            pipeline_binary_keys: key,
            pipeline_binary_data: &raw const pair,
        };
        let info =
            vk::PipelineBinaryCreateInfoKHR { keys_and_data_info: &raw const pairs, ..Default::default() };
        self.create_binaries(&info, 1)
    }

    /// The key and the data of a binary.
    pub fn key_and_data(&self, binary: vk::PipelineBinaryKHR) -> (vk::PipelineBinaryKeyKHR, Vec<u8>) {
        let info = vk::PipelineBinaryDataInfoKHR { pipeline_binary: binary, ..Default::default() };
        let mut key = vk::PipelineBinaryKeyKHR::default();
        let data = unsafe { self.device.get_pipeline_binary_data_khr(&info, &mut key) }.expect("data");
        (key, data)
    }

    /// Runs the compute pipeline on a buffer that holds 1.
    pub fn run(&self, pipeline: vk::Pipeline) -> u32 {
        let device = &self.device;
        unsafe {
            let (buffer, memory, address) = self.mapped_buffer(4, vk::BufferUsageFlags::STORAGE_BUFFER);
            let word: *mut u32 = address.cast();
            word.write_volatile(1);
            let size =
                vk::DescriptorPoolSize { type_: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 };
            let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
            let sets = device.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(sets)
                .set_layouts(slice::from_ref(&self.set_layout));
            let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
            let range = vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(slice::from_ref(&range));
            device.update_descriptor_sets(slice::from_ref(&write), &[] as &[vk::CopyDescriptorSet]);
            let commands = self.command_buffer();
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begins");
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
            device.end_command_buffer(commands).expect("ends");
            self.submit_and_wait(commands);
            let result = word.read_volatile();
            device.free_command_buffers(self.pool, &[commands]);
            device.destroy_descriptor_pool(sets, None);
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
            result
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe {
            [self.compute, self.vertex, self.fragment]
                .iter()
                .for_each(|&module| self.device.destroy_shader_module(module, None));
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
