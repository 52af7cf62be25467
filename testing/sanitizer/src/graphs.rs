//! Cases in nodes of execution graphs: a graph of the one node, which the host gives one payload.

use crate::case::Case;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::AmdxShaderEnqueueExtensionDeviceCommands as _;

/// Words of the buffer.
const WORDS: usize = 4096;
/// Bytes of scratch memory.
const SCRATCH_BYTES: u64 = 4096;

/// A device with execution graphs, and what its programs use.
pub struct GraphDevice {
    context: Compute,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    words: Buffer,
    scratch: u64,
}

impl GraphDevice {
    /// With a buffer.
    pub fn new() -> GraphDevice {
        let mut enqueue =
            vk::PhysicalDeviceShaderEnqueueFeaturesAMDX { shader_enqueue: vk::TRUE, ..Default::default() };
        let mut core = vk::PhysicalDeviceVulkan12Features {
            next: (&raw mut enqueue).cast(),
            buffer_device_address: vk::TRUE,
            ..Default::default()
        };
        let extensions = [c"VK_AMDX_shader_enqueue", c"VK_KHR_pipeline_library"];
        let version = vk::make_version(1, 3, 0);
        let context = Compute::new(version, &extensions, (&raw mut core).cast::<c_void>());
        let set_layout = context.set_layout(Default::default(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
        let layout = context.layout(&[set_layout]);
        let set = context.set(set_layout);
        let words = context.buffer_with(WORDS, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        context.write(set, words.buffer);
        let usage =
            vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::EXECUTION_GRAPH_SCRATCH_AMDX;
        let scratch = context.buffer_with(2 * SCRATCH_BYTES as usize / 4, usage);
        let info = vk::BufferDeviceAddressInfo::builder().buffer(scratch.buffer);
        let scratch = unsafe { context.device.get_buffer_device_address(&info) }.next_multiple_of(64);
        GraphDevice { context, layout, set, words, scratch }
    }

    fn graph(&self, text: &str) -> vk::Pipeline {
        let device = &self.context.device;
        let module = self.context.shader_module(text);
        let node = vk::PipelineShaderStageNodeCreateInfoAMDX {
            name: std::ptr::null(),
            index: vk::SHADER_INDEX_UNUSED_AMDX,
            ..Default::default()
        };
        let stage = vk::PipelineShaderStageCreateInfo {
            next: (&raw const node).cast(),
            stage: vk::ShaderStageFlags::COMPUTE,
            module,
            name: c"main".as_ptr(),
            ..Default::default()
        };
        let info = vk::ExecutionGraphPipelineCreateInfoAMDX {
            stage_count: 1,
            stages: &raw const stage,
            layout: self.layout,
            ..Default::default()
        };
        let mut made = vk::Pipeline::null();
        let (commands, handle) = (device.commands(), device.handle());
        let create = commands.create_execution_graph_pipelines_amdx;
        let cache = vk::PipelineCache::null();
        let code = unsafe { create(handle, cache, 1, &raw const info, std::ptr::null(), &raw mut made) };
        assert_eq!(code, vk::Result::SUCCESS, "{text}");
        unsafe { device.destroy_shader_module(module, None) };
        made
    }

    /// Runs a case's node; gives the buffer's words.
    pub fn run(&self, case: &Case, text: &str) -> Vec<u32> {
        for index in 0..WORDS {
            self.words.put(index, case.input.get(index).copied().unwrap_or(0));
        }
        let device = &self.context.device;
        let info = vk::BufferDeviceAddressInfo::builder().buffer(self.words.buffer);
        case.put_address(&self.words, unsafe { device.get_buffer_device_address(&info) });
        let graph = self.graph(text);
        let name = vk::PipelineShaderStageNodeCreateInfoAMDX {
            name: c"main".as_ptr(),
            index: 0,
            ..Default::default()
        };
        let node_index =
            unsafe { device.get_execution_graph_pipeline_node_index_amdx(graph, &name) }.expect("a node");
        let payload = [0u32; 4];
        let node = vk::DispatchGraphInfoAMDX {
            node_index,
            payload_count: 1,
            payloads: vk::DeviceOrHostAddressConstAMDX { host_address: payload.as_ptr().cast() },
            payload_stride: size_of_val(&payload) as u64,
        };
        let info = vk::DispatchGraphCountInfoAMDX {
            count: 1,
            infos: vk::DeviceOrHostAddressConstAMDX { host_address: (&raw const node).cast() },
            stride: size_of_val(&node) as u64,
        };
        self.context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX;
            device.cmd_bind_pipeline(commands, point, graph);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            device.cmd_initialize_graph_scratch_memory_amdx(commands, graph, self.scratch, SCRATCH_BYTES);
            let (stage, all) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::AccessFlags::SHADER_READ);
            let barrier = vk::MemoryBarrier::builder()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(all | vk::AccessFlags::SHADER_WRITE);
            device.cmd_pipeline_barrier(
                commands,
                stage,
                stage,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[] as &[vk::ImageMemoryBarrier],
            );
            device.cmd_dispatch_graph_amdx(commands, self.scratch, SCRATCH_BYTES, &info);
        });
        unsafe { device.destroy_pipeline(graph, None) };
        case.words_left(&self.words)
    }
}

impl Default for GraphDevice {
    fn default() -> GraphDevice {
        GraphDevice::new()
    }
}
