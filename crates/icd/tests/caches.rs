//! Pipeline caches through the entry points: code made in one cache runs from another's data.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is; handles are made here and alive

#[allow(dead_code)]
mod support;

use std::slice;
use support::InProcess;
use vulkanalia::prelude::v1_3::*;

/// Adds 42, or what constant 0 says, to the first word of the buffer.
const COMPUTE: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %c42 SpecId 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%c0 = OpConstant %uint 0
%c42 = OpSpecConstant %uint 42
%block = OpTypeStruct %uint
%block_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %block_ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%place = OpAccessChain %word_ptr %buffer %c0
%old = OpLoad %uint %place
%new = OpIAdd %uint %old %c42
OpStore %place %new
OpReturn
OpFunctionEnd";

const VERTEX: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %position
OpDecorate %position BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%zero = OpConstant %float 0
%here = OpConstantComposite %vec4 %zero %zero %zero %zero
%out = OpTypePointer Output %vec4
%position = OpVariable %out Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %position %here
OpReturn
OpFunctionEnd";

const FRAGMENT: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%one = OpConstant %float 1
%white = OpConstantComposite %vec4 %one %one %one %one
%out = OpTypePointer Output %vec4
%color = OpVariable %out Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %color %white
OpReturn
OpFunctionEnd";

struct Context {
    _entry: Entry,
    instance: Instance,
    device: Device,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    compute: vk::ShaderModule,
    vertex: vk::ShaderModule,
    fragment: vk::ShaderModule,
}

impl Context {
    fn new() -> Context {
        unsafe {
            let entry = Entry::new(InProcess).expect("the driver");
            let application = vk::ApplicationInfo::builder().api_version(vk::make_version(1, 3, 0));
            let info = vk::InstanceCreateInfo::builder().application_info(&application);
            let instance = entry.create_instance(&info, None).expect("an instance");
            let physical_device = instance.enumerate_physical_devices().expect("devices")[0];
            let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&[1.0]);
            let mut features = vk::PhysicalDeviceVulkan13Features::builder()
                .dynamic_rendering(true)
                .pipeline_creation_cache_control(true);
            let info = vk::DeviceCreateInfo::builder()
                .queue_create_infos(slice::from_ref(&queue))
                .push_next(&mut features);
            let device = instance.create_device(physical_device, &info, None).expect("a device");
            let binding = vk::DescriptorSetLayoutBinding::builder()
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE);
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
            let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
            let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(slice::from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let shader = |text: &str| {
                let words = pyro_spirv::asm::assemble(text).expect("assembly");
                let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
                device.create_shader_module(&info, None).expect("a module")
            };
            let (compute, vertex, fragment) = (shader(COMPUTE), shader(VERTEX), shader(FRAGMENT));
            Context { _entry: entry, instance, device, set_layout, layout, compute, vertex, fragment }
        }
    }

    fn cache(&self, data: &[u8]) -> vk::PipelineCache {
        let info = vk::PipelineCacheCreateInfo::builder().initial_data(data);
        unsafe { self.device.create_pipeline_cache(&info, None) }.expect("a cache")
    }

    /// A compute or graphics pipeline, and whether the cache had it.
    fn pipeline(
        &self,
        graphics: bool,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags,
    ) -> (vk::Pipeline, vk::SuccessCode, bool) {
        let mut feedback = vk::PipelineCreationFeedback::default();
        let mut wanted =
            vk::PipelineCreationFeedbackCreateInfo::builder().pipeline_creation_feedback(&mut feedback);
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
        };
        let made = if graphics {
            let stages = [
                stage(vk::ShaderStageFlags::VERTEX, self.vertex),
                stage(vk::ShaderStageFlags::FRAGMENT, self.fragment),
            ];
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
                .flags(flags)
                .stages(&stages)
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .viewport_state(&viewports)
                .rasterization_state(&raster)
                .multisample_state(&samples)
                .color_blend_state(&blend)
                .layout(self.layout)
                .push_next(&mut rendering)
                .push_next(&mut wanted);
            unsafe { self.device.create_graphics_pipelines(cache, slice::from_ref(&info), None) }
        } else {
            let info = vk::ComputePipelineCreateInfo::builder()
                .flags(flags)
                .stage(stage(vk::ShaderStageFlags::COMPUTE, self.compute))
                .layout(self.layout)
                .push_next(&mut wanted);
            unsafe { self.device.create_compute_pipelines(cache, slice::from_ref(&info), None) }
        };
        let (pipelines, code) = made.expect("no error");
        let hit = vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        (pipelines[0], code, feedback.flags.contains(hit))
    }

    /// Runs the compute pipeline on a buffer that holds 1.
    fn run(&self, pipeline: vk::Pipeline) -> u32 {
        let device = &self.device;
        unsafe {
            let info = vk::BufferCreateInfo::builder().size(4).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let size = device.get_buffer_memory_requirements(buffer).size;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let flags = vk::MemoryMapFlags::empty();
            let word: *mut u32 = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast();
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
            let info = vk::CommandPoolCreateInfo::builder().queue_family_index(0);
            let pool = device.create_command_pool(&info, None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::builder()
                .command_pool(pool)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begins");
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
            device.end_command_buffer(commands).expect("ends");
            let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
            let queue = device.get_device_queue(0, 0);
            device.queue_submit(queue, slice::from_ref(&submit), vk::Fence::null()).expect("submits");
            device.queue_wait_idle(queue).expect("idle");
            let result = word.read_volatile();
            device.destroy_command_pool(pool, None);
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
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Of several pipelines in one call each is what was asked for, and those that fail are null.
#[test]
fn several_pipelines_are_made_at_once() {
    const COUNT: u32 = 24;
    let vulkan = Context::new();
    let values: Vec<u32> = (0..COUNT).map(|index| 100 + index).collect();
    let entry = vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 };
    let constants: Vec<_> = values
        .iter()
        .map(|value| {
            let entries = slice::from_ref(&entry);
            vk::SpecializationInfo::builder()
                .map_entries(entries)
                .data(unsafe { slice::from_raw_parts((&raw const *value).cast(), 4) })
        })
        .collect();
    let fails = |index: u32| index % 7 == 3;
    let create = |flags: vk::PipelineCreateFlags| {
        let infos: Vec<vk::ComputePipelineCreateInfo> = (0..COUNT)
            .map(|index| {
                let name: &[u8] = if fails(index) { b"missing\0" } else { b"main\0" };
                let stage = vk::PipelineShaderStageCreateInfo::builder()
                    .stage(vk::ShaderStageFlags::COMPUTE)
                    .module(vulkan.compute)
                    .name(name)
                    .specialization_info(&constants[index as usize]);
                vk::ComputePipelineCreateInfo::builder()
                    .flags(flags)
                    .stage(stage)
                    .layout(vulkan.layout)
                    .build()
            })
            .collect();
        let mut pipelines = vec![vk::Pipeline::null(); COUNT as usize];
        let code = unsafe {
            (vulkan.device.commands().create_compute_pipelines)(
                vulkan.device.handle(),
                vk::PipelineCache::null(),
                COUNT,
                infos.as_ptr(),
                std::ptr::null(),
                pipelines.as_mut_ptr(),
            )
        };
        assert!(code.as_raw() < 0, "some fail: {code:?}");
        pipelines
    };
    let early = vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE;
    for flags in [vk::PipelineCreateFlags::empty(), early] {
        let pipelines = create(flags);
        for (index, &pipeline) in (0..).zip(&pipelines) {
            let is_made = !fails(index) && (flags.is_empty() || index < 3);
            assert_eq!(pipeline != vk::Pipeline::null(), is_made, "{flags:?}, {index}");
            if is_made {
                assert_eq!(vulkan.run(pipeline), 101 + index);
            }
            unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
        }
    }
}

const FAIL: vk::PipelineCreateFlags = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;

#[test]
fn code_runs_from_another_caches_data() {
    if pyro_compile::Executor::from_environment() == pyro_compile::Executor::Interpreter {
        eprintln!("skipped: the interpreter's code has no form as bytes");
        return;
    }
    let vulkan = Context::new();
    let plain = vk::PipelineCreateFlags::empty();
    let required = vk::SuccessCode::PIPELINE_COMPILE_REQUIRED;
    let first = vulkan.cache(&[]);
    for graphics in [false, true] {
        let (pipeline, code, hit) = vulkan.pipeline(graphics, first, FAIL);
        assert_eq!((pipeline, code, hit), (vk::Pipeline::null(), required, false), "graphics: {graphics}");
    }
    let made: Vec<_> = [false, true].map(|graphics| vulkan.pipeline(graphics, first, plain)).into();
    assert!(made.iter().all(|made| made.1 == vk::SuccessCode::SUCCESS && !made.2));
    assert_eq!(vulkan.run(made[0].0), 43);
    let device = &vulkan.device;
    let data = unsafe { device.get_pipeline_cache_data(first) }.expect("data");
    unsafe {
        made.iter().for_each(|made| device.destroy_pipeline(made.0, None));
        device.destroy_pipeline_cache(first, None);
    }

    let second = vulkan.cache(&data);
    let merged = vulkan.cache(&[]);
    unsafe { device.merge_pipeline_caches(merged, &[second]) }.expect("merges");
    for cache in [second, merged] {
        for graphics in [false, true] {
            let (pipeline, code, hit) = vulkan.pipeline(graphics, cache, FAIL);
            assert_eq!((code, hit), (vk::SuccessCode::SUCCESS, true), "graphics: {graphics}");
            if !graphics {
                assert_eq!(vulkan.run(pipeline), 43);
            }
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        assert_eq!(unsafe { device.get_pipeline_cache_data(cache) }.expect("data"), data);
        unsafe { device.destroy_pipeline_cache(cache, None) };
    }

    // Another build's header, and no header at all: a cache with nothing in it.
    let mut foreign = data.clone();
    foreign[20] ^= 1;
    for data in [&foreign[..], &data[..31], &[7; 100]] {
        let cache = vulkan.cache(data);
        assert_eq!(vulkan.pipeline(false, cache, FAIL).1, required);
        unsafe { device.destroy_pipeline_cache(cache, None) };
    }
}
