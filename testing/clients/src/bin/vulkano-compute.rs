//! The `vulkano` crate with GLSL: specialization constants, push constants, several descriptor sets,
//! secondary use of one buffer in many dispatches, fill and copy; checked against plain Rust.

use std::sync::Arc;

use vulkano::buffer::{Buffer, BufferCreateInfo, BufferUsage, Subbuffer};
use vulkano::command_buffer::allocator::StandardCommandBufferAllocator;
use vulkano::command_buffer::{AutoCommandBufferBuilder, CommandBufferUsage, CopyBufferInfo};
use vulkano::descriptor_set::allocator::StandardDescriptorSetAllocator;
use vulkano::descriptor_set::{DescriptorSet, WriteDescriptorSet};
use vulkano::device::{Device, DeviceCreateInfo, QueueCreateInfo, QueueFlags};
use vulkano::instance::{Instance, InstanceCreateInfo};
use vulkano::memory::allocator::{AllocationCreateInfo, MemoryTypeFilter, StandardMemoryAllocator};
use vulkano::pipeline::compute::ComputePipelineCreateInfo;
use vulkano::pipeline::layout::PipelineDescriptorSetLayoutCreateInfo;
use vulkano::pipeline::{
    ComputePipeline, Pipeline, PipelineBindPoint, PipelineLayout, PipelineShaderStageCreateInfo,
};
use vulkano::shader::{ShaderModule, ShaderModuleCreateInfo};
use vulkano::sync::{self, GpuFuture};
use vulkano::{VulkanLibrary, buffer::BufferContents};

/// A cellular automaton: each generation reads one set and writes the other.
const SOURCE: &str = "#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Before { uint before[]; };
layout(set = 1, binding = 0) buffer After { uint after[]; };
layout(push_constant) uniform Params { uint count; uint rule; } params;

uint cell(uint i) {
    return before[i % params.count];
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= params.count) {
        return;
    }
    uint neighbours = cell(i + params.count - 1u) * 4u + cell(i) * 2u + cell(i + 1u);
    switch (neighbours) {
        case 0u: after[i] = params.rule & 1u; break;
        case 7u: after[i] = (params.rule >> 7) & 1u; break;
        default: after[i] = (params.rule >> neighbours) & 1u; break;
    }
}";

#[derive(BufferContents, Clone, Copy)]
#[repr(C)]
struct Params {
    count: u32,
    rule: u32,
}

fn spirv(source: &str) -> Vec<u32> {
    let options = naga::front::glsl::Options::from(naga::ShaderStage::Compute);
    let module = naga::front::glsl::Frontend::default().parse(&options, source).expect("GLSL parses");
    let info = naga::valid::Validator::new(Default::default(), naga::valid::Capabilities::all())
        .validate(&module)
        .expect("the shader is valid");
    naga::back::spv::write_vec(&module, &info, &Default::default(), None).expect("it has a SPIR-V form")
}

fn main() {
    let library = VulkanLibrary::new().expect("the loader");
    let instance = Instance::new(library, InstanceCreateInfo::default()).expect("an instance");
    let physical = instance
        .enumerate_physical_devices()
        .expect("devices are listed")
        .next()
        .expect("at least one device");
    let name = physical.properties().device_name.clone();
    let family = physical
        .queue_family_properties()
        .iter()
        .position(|family| family.queue_flags.contains(QueueFlags::COMPUTE))
        .expect("a compute queue") as u32;
    let (device, mut queues) = Device::new(
        physical,
        DeviceCreateInfo {
            queue_create_infos: vec![QueueCreateInfo { queue_family_index: family, ..Default::default() }],
            ..Default::default()
        },
    )
    .expect("a device");
    let queue = queues.next().expect("the queue that was asked for");
    let memory = Arc::new(StandardMemoryAllocator::new_default(device.clone()));
    let sets = Arc::new(StandardDescriptorSetAllocator::new(device.clone(), Default::default()));
    let commands = Arc::new(StandardCommandBufferAllocator::new(device.clone(), Default::default()));

    let count = 501u32;
    let first: Vec<u32> = (0..count).map(|i| u32::from(i == count / 2)).collect();
    let make = |words: Vec<u32>| -> Subbuffer<[u32]> {
        Buffer::from_iter(
            memory.clone(),
            BufferCreateInfo {
                usage: BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST,
                ..Default::default()
            },
            AllocationCreateInfo {
                memory_type_filter: MemoryTypeFilter::PREFER_HOST
                    | MemoryTypeFilter::HOST_RANDOM_ACCESS,
                ..Default::default()
            },
            words,
        )
        .expect("a buffer")
    };
    let buffers = [make(first.clone()), make(vec![0; count as usize])];
    let copy = make(vec![7; count as usize]);

    let words = spirv(SOURCE);
    // SAFETY: naga writes valid SPIR-V.
    let module = unsafe { ShaderModule::new(device.clone(), ShaderModuleCreateInfo::new(&words)) }
        .expect("a module");
    let stage = PipelineShaderStageCreateInfo::new(module.entry_point("main").expect("main"));
    let layout = PipelineLayout::new(
        device.clone(),
        PipelineDescriptorSetLayoutCreateInfo::from_stages([&stage])
            .into_pipeline_layout_create_info(device.clone())
            .expect("a layout"),
    )
    .expect("a layout");
    let pipeline = ComputePipeline::new(
        device.clone(),
        None,
        ComputePipelineCreateInfo::stage_layout(stage, layout.clone()),
    )
    .expect("a pipeline");
    let bind = |set: usize, buffer: &Subbuffer<[u32]>| {
        DescriptorSet::new(
            sets.clone(),
            layout.set_layouts()[set].clone(),
            [WriteDescriptorSet::buffer(0, buffer.clone())],
            [],
        )
        .expect("a set")
    };
    let from = [bind(0, &buffers[0]), bind(0, &buffers[1])];
    let to = [bind(1, &buffers[0]), bind(1, &buffers[1])];

    let rule = 110u32;
    let generations = 64;
    let mut recorder =
        AutoCommandBufferBuilder::primary(commands, family, CommandBufferUsage::OneTimeSubmit)
            .expect("a recorder");
    recorder.bind_pipeline_compute(pipeline.clone()).expect("it binds");
    for generation in 0..generations {
        let read = generation % 2;
        recorder
            .bind_descriptor_sets(
                PipelineBindPoint::Compute,
                pipeline.layout().clone(),
                0,
                vec![from[read].clone(), to[1 - read].clone()],
            )
            .expect("sets bind")
            .push_constants(pipeline.layout().clone(), 0, Params { count, rule })
            .expect("constants are pushed");
        // SAFETY: the shader checks its own bounds.
        unsafe { recorder.dispatch([count.div_ceil(32), 1, 1]) }.expect("it dispatches");
    }
    let last = buffers[generations % 2].clone();
    recorder.copy_buffer(CopyBufferInfo::buffers(last, copy.clone())).expect("it copies");
    sync::now(device)
        .then_execute(queue, recorder.build().expect("recording ends"))
        .expect("it executes")
        .then_signal_fence_and_flush()
        .expect("it is submitted")
        .wait(None)
        .expect("it ends");

    let mut cells = first;
    for _ in 0..generations {
        let n = cells.len();
        cells = (0..n)
            .map(|i| rule >> (cells[(i + n - 1) % n] * 4 + cells[i] * 2 + cells[(i + 1) % n]) & 1)
            .collect();
    }
    assert_eq!(copy.read().expect("it can be read")[..], cells[..], "the automaton differs");
    println!("vulkano on {name}");
}
