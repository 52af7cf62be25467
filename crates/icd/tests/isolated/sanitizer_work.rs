//! What the sanitizer follows of CUDA kernels, execution graphs, and builds of what lies behind addresses:
//! instances that move, micromaps, clusters, partitions.

use pyro_test_environment::in_child;
use pyro_test_kit::Messages;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::c_void;
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    AccessFlags2 as Access, AmdxShaderEnqueueExtensionDeviceCommands as _,
    ExtOpacityMicromapExtensionDeviceCommands as _, KhrAccelerationStructureExtensionDeviceCommands as _,
    NvClusterAccelerationStructureExtensionDeviceCommands as _,
    NvCudaKernelLaunchExtensionDeviceCommands as _,
    NvPartitionedAccelerationStructureExtensionDeviceCommands as _, PipelineStageFlags2 as Stage,
};

type Scope = (Stage, Access);

const FILL: Scope = (Stage::CLEAR, Access::TRANSFER_WRITE);
const BUILD: Stage = Stage::ACCELERATION_STRUCTURE_BUILD_KHR;
const INPUT: Scope = (BUILD, Access::SHADER_READ);
const INDIRECT_INPUT: Scope = (BUILD, Access::INDIRECT_COMMAND_READ);
const BUILT: Scope = (BUILD, Access::ACCELERATION_STRUCTURE_WRITE_KHR);
const MICROMAP_INPUT: Scope = (Stage::MICROMAP_BUILD_EXT, Access::SHADER_READ);
const MICROMAP_BUILT: Scope = (Stage::MICROMAP_BUILD_EXT, Access::MICROMAP_WRITE_EXT);
const MICROMAP_READ: Scope = (BUILD, Access::MICROMAP_READ_EXT);
/// One triangle of level 1 and two states.
const MICROMAP_USAGES: [vk::MicromapUsageEXT; 1] =
    [vk::MicromapUsageEXT { count: 1, subdivision_level: 1, format: 1 }];
const SHADER_READ: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
const SHADER_WRITE: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);

/// Reads the fifth word at an address, and writes the ninth.
const KERNEL: &str = "
.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 at)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [at];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2+16];
    st.global.u32 [%rd2+32], %r1;
    ret;
}";

/// The same of the buffer at binding 0.
const NODE: &str = "
OpCapability Shader
OpCapability ShaderEnqueueAMDX
OpExtension \"SPV_AMDX_shader_enqueue\"
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionModeId %main StaticNumWorkgroupsAMDX %one %one %one
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%four = OpConstant %uint 4
%eight = OpConstant %uint 8
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%of_block = OpTypePointer StorageBuffer %block
%of_word = OpTypePointer StorageBuffer %uint
%data = OpVariable %of_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%from = OpAccessChain %of_word %data %zero %four
%value = OpLoad %uint %from
%to = OpAccessChain %of_word %data %zero %eight
OpStore %to %value
OpReturn
OpFunctionEnd";

fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// A device, and what programs use.
struct Bench {
    compute: Compute,
}

impl Bench {
    fn new(client: pyro_test_kit::Client) -> Bench {
        let mut motion =
            vk::PhysicalDeviceRayTracingMotionBlurFeaturesNV::builder().ray_tracing_motion_blur(true);
        let mut micromaps = vk::PhysicalDeviceOpacityMicromapFeaturesEXT::builder().micromap(true);
        let mut clusters = vk::PhysicalDeviceClusterAccelerationStructureFeaturesNV::builder()
            .cluster_acceleration_structure(true);
        let mut partitions = vk::PhysicalDevicePartitionedAccelerationStructureFeaturesNV::builder()
            .partitioned_acceleration_structure(true);
        let mut cuda =
            vk::PhysicalDeviceCudaKernelLaunchFeaturesNV::builder().cuda_kernel_launch_features(true);
        let mut graphs = vk::PhysicalDeviceShaderEnqueueFeaturesAMDX::builder().shader_enqueue(true);
        let mut structures =
            vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
        let mut version_13 = vk::PhysicalDeviceVulkan13Features::builder().synchronization2(true);
        let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
        micromaps.next = from_mut(&mut motion).cast();
        clusters.next = from_mut(&mut micromaps).cast();
        partitions.next = from_mut(&mut clusters).cast();
        cuda.next = from_mut(&mut partitions).cast();
        graphs.next = from_mut(&mut cuda).cast();
        structures.next = from_mut(&mut graphs).cast();
        version_13.next = from_mut(&mut structures).cast();
        features.next = from_mut(&mut version_13).cast();
        let extensions = [
            c"VK_KHR_acceleration_structure",
            c"VK_KHR_deferred_host_operations",
            c"VK_KHR_ray_tracing_pipeline",
            c"VK_KHR_pipeline_library",
            c"VK_NV_ray_tracing_motion_blur",
            c"VK_EXT_opacity_micromap",
            c"VK_NV_cluster_acceleration_structure",
            c"VK_NV_partitioned_acceleration_structure",
            c"VK_NV_cuda_kernel_launch",
            c"VK_AMDX_shader_enqueue",
        ];
        Bench { compute: Compute::from(client.device(&extensions, None, from_mut(&mut features).cast())) }
    }

    /// A buffer of words, and its address, which is a multiple of 256 where it is asked for.
    fn buffer(&self, words: &[u32], count: usize) -> (Buffer, u64) {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::MICROMAP_BUILD_INPUT_READ_ONLY_EXT
            | vk::BufferUsageFlags::MICROMAP_STORAGE_EXT
            | vk::BufferUsageFlags::EXECUTION_GRAPH_SCRATCH_AMDX;
        let buffer = self.compute.buffer_with(count, usage);
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        (buffer, unsafe { self.compute.device.get_buffer_device_address(&info) })
    }

    fn structure(&self, ty: vk::AccelerationStructureTypeKHR) -> vk::AccelerationStructureKHR {
        let (buffer, _) = self.buffer(&[], 1 << 12);
        let info =
            vk::AccelerationStructureCreateInfoKHR::builder().buffer(buffer.buffer).size(1 << 14).type_(ty);
        unsafe { self.compute.device.create_acceleration_structure_khr(&info, None) }.expect("a structure")
    }

    fn barrier(&self, commands: vk::CommandBuffer, [first, second]: [Scope; 2]) {
        let barriers = [vk::MemoryBarrier2::builder()
            .src_stage_mask(first.0)
            .src_access_mask(first.1)
            .dst_stage_mask(second.0)
            .dst_access_mask(second.1)];
        let info = vk::DependencyInfo::builder().memory_barriers(&barriers);
        unsafe { self.compute.device.cmd_pipeline_barrier2(commands, &info) };
    }

    fn fill(&self, commands: vk::CommandBuffer, buffer: &Buffer, words: std::ops::Range<u64>) {
        let size = 4 * (words.end - words.start);
        unsafe { self.compute.device.cmd_fill_buffer(commands, buffer.buffer, 4 * words.start, size, 0) };
    }

    /// Builds a structure of one primitive.
    fn build(
        &self,
        commands: vk::CommandBuffer,
        geometry: vk::AccelerationStructureGeometryKHR,
        target: vk::AccelerationStructureKHR,
    ) {
        let geometries = [geometry];
        let is_top = geometry.geometry_type == vk::GeometryTypeKHR::INSTANCES;
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(&geometries)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .type_(match is_top {
                true => vk::AccelerationStructureTypeKHR::TOP_LEVEL,
                false => vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
            });
        if is_top {
            info = info.flags(vk::BuildAccelerationStructureFlagsKHR::MOTION_NV);
        }
        info.dst_acceleration_structure = target;
        let range = vk::AccelerationStructureBuildRangeInfoKHR { primitive_count: 1, ..Default::default() };
        unsafe {
            self.compute.device.cmd_build_acceleration_structures_khr(commands, &[info], &[&[range]]);
        }
    }

    fn micromap(&self, storage: &Buffer) -> vk::MicromapEXT {
        let mut info = vk::MicromapCreateInfoEXT::builder().buffer(storage.buffer).size(1 << 12);
        info.type_ = vk::MicromapTypeEXT::OPACITY_MICROMAP;
        unsafe { self.compute.device.create_micromap_ext(&info, None) }.expect("a micromap")
    }

    /// Builds a micromap of one triangle, with its data and its entry at these addresses.
    fn build_micromap(
        &self,
        commands: vk::CommandBuffer,
        micromap: vk::MicromapEXT,
        states: u64,
        entries: u64,
    ) {
        let mut info = vk::MicromapBuildInfoEXT::builder()
            .mode(vk::BuildMicromapModeEXT::BUILD)
            .usage_counts(&MICROMAP_USAGES)
            .data(vk::DeviceOrHostAddressConstKHR { device_address: states })
            .triangle_array(vk::DeviceOrHostAddressConstKHR { device_address: entries })
            .triangle_array_stride(8);
        info.type_ = vk::MicromapTypeEXT::OPACITY_MICROMAP;
        info.dst_micromap = micromap;
        unsafe { self.compute.device.cmd_build_micromaps_ext(commands, &[info]) };
    }

    /// Builds a structure of one triangle with a micromap.
    fn build_with_micromap(
        &self,
        commands: vk::CommandBuffer,
        micromap: vk::MicromapEXT,
        vertices: u64,
        structure: vk::AccelerationStructureKHR,
    ) {
        let mut map = vk::AccelerationStructureTrianglesOpacityMicromapEXT {
            index_type: vk::IndexType::NONE_KHR,
            usage_counts_count: 1,
            usage_counts: MICROMAP_USAGES.as_ptr(),
            micromap,
            ..Default::default()
        };
        let mut data = vk::AccelerationStructureGeometryTrianglesDataKHR {
            next: from_mut(&mut map).cast(),
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_stride: 12,
            max_vertex: 2,
            index_type: vk::IndexType::NONE_KHR,
            ..Default::default()
        };
        data.vertex_data.device_address = vertices;
        let mut geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::TRIANGLES,
            ..Default::default()
        };
        geometry.geometry.triangles = data;
        self.build(commands, geometry, structure);
    }

    /// Builds the cluster that is described at an address into `room`, whose address goes to `made`.
    fn build_cluster(&self, commands: vk::CommandBuffer, clusters: u64, made: u64, room: u64) {
        let mut triangles = vk::ClusterAccelerationStructureTriangleClusterInputNV {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            max_cluster_unique_geometry_count: 1,
            max_cluster_triangle_count: 1,
            max_cluster_vertex_count: 3,
            max_total_triangle_count: 1,
            max_total_vertex_count: 3,
            ..Default::default()
        };
        let region = |device_address: u64, stride: u64| vk::StridedDeviceAddressRegionKHR {
            device_address,
            stride,
            size: stride,
        };
        let info = vk::ClusterAccelerationStructureCommandsInfoNV {
            input: vk::ClusterAccelerationStructureInputInfoNV {
                max_acceleration_structure_count: 1,
                op_type: vk::ClusterAccelerationStructureOpTypeNV::BUILD_TRIANGLE_CLUSTER,
                op_mode: vk::ClusterAccelerationStructureOpModeNV::IMPLICIT_DESTINATIONS,
                op_input: vk::ClusterAccelerationStructureOpInputNV { triangle_clusters: &mut triangles },
                ..Default::default()
            },
            dst_implicit_data: room,
            dst_addresses_array: region(made, 8),
            src_infos_array: region(clusters, 64),
            ..Default::default()
        };
        unsafe { self.compute.device.cmd_build_cluster_acceleration_structure_indirect_nv(commands, &info) };
    }

    /// Runs as many operations on a partitioned structure as `count` says.
    fn build_partitions(&self, commands: vk::CommandBuffer, operations: u64, count: u64, partitioned: u64) {
        let info = vk::BuildPartitionedAccelerationStructureInfoNV {
            input: vk::PartitionedAccelerationStructureInstancesInputNV {
                instance_count: 1,
                max_instance_per_partition_count: 1,
                partition_count: 1,
                max_instance_in_global_partition_count: 1,
                ..Default::default()
            },
            dst_acceleration_structure_data: partitioned,
            src_infos: operations,
            src_infos_count: count,
            ..Default::default()
        };
        unsafe { self.compute.device.cmd_build_partitioned_acceleration_structures_nv(commands, &info) };
    }
}

/// The description of a cluster of one triangle, with indices of a byte.
fn cluster(indices: u64, vertices: u64) -> [u32; 16] {
    let mut words = [0; 16];
    words[2] = 1 | 3 << 9 | 1 << 24;
    words[6..8].copy_from_slice(&halves(indices));
    words[8..10].copy_from_slice(&halves(vertices));
    words
}

/// A geometry of instances, which may move.
fn instances(address: u64) -> vk::AccelerationStructureGeometryKHR {
    let mut geometry = vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::INSTANCES,
        ..Default::default()
    };
    let mut data = vk::AccelerationStructureGeometryInstancesDataKHR::default();
    data.data.device_address = address;
    geometry.geometry.instances = data;
    geometry
}

/// A case: its name, a command, what a barrier behind it has, and the command after it.
type Step<'s> = Box<dyn Fn(vk::CommandBuffer) + 's>;
type Case<'c> = (&'c str, Step<'c>, [Scope; 2], Step<'c>);

/// Runs both commands of each case with a barrier between them, which must be enough, and without, which must
/// be found.
fn check(bench: &Bench, heard: &Messages, cases: &[Case<'_>]) {
    let (unused, _) = bench.buffer(&[], 16);
    for (index, (name, first, scopes, second)) in (0..).zip(cases) {
        for is_ordered in [true, false] {
            bench.compute.run(|commands| {
                // Each pair of commands, by names and numbers, is told once.
                (0..index).for_each(|word| bench.fill(commands, &unused, word..word + 1));
                first(commands);
                if is_ordered {
                    bench.barrier(commands, *scopes);
                }
                second(commands);
            });
            let messages: Vec<_> = heard.take().into_iter().filter(|one| one.id.contains("race")).collect();
            assert_eq!(messages.is_empty(), is_ordered, "{name}: {messages:?}");
        }
    }
}

/// A device in a process with the sanitizer; none where this is not that process.
fn followed(test: &str) -> Option<(Bench, Messages)> {
    if !in_child(module_path!(), test, &[("PYROCLAST_SANITIZE", "race-command-buffer")]) {
        return None;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    Some((Bench::new(client), heard))
}

/// A node that is dispatched by the host, with a payload.
fn dispatch_graph(bench: &Bench, commands: vk::CommandBuffer, graph: vk::Pipeline, scratch: u64) {
    let payload = [0u32; 4];
    let node = vk::DispatchGraphInfoAMDX {
        node_index: 0,
        payload_count: 1,
        payloads: vk::DeviceOrHostAddressConstAMDX { host_address: payload.as_ptr().cast() },
        payload_stride: size_of_val(&payload) as u64,
    };
    let info = vk::DispatchGraphCountInfoAMDX {
        count: 1,
        infos: vk::DeviceOrHostAddressConstAMDX { host_address: (&raw const node).cast() },
        stride: size_of_val(&node) as u64,
    };
    unsafe { bench.compute.device.cmd_dispatch_graph_amdx(commands, scratch, 4096, &info) };
    let _ = graph;
}

fn make_graph(bench: &Bench, layout: vk::PipelineLayout) -> vk::Pipeline {
    let device = &bench.compute.device;
    let module = bench.compute.shader_module(NODE);
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
        layout,
        ..Default::default()
    };
    let mut made = vk::Pipeline::null();
    let create = device.commands().create_execution_graph_pipelines_amdx;
    let (handle, cache) = (device.handle(), vk::PipelineCache::null());
    let code = unsafe { create(handle, cache, 1, &raw const info, std::ptr::null(), &raw mut made) };
    assert_eq!(code, vk::Result::SUCCESS);
    unsafe { device.destroy_shader_module(module, None) };
    made
}

#[test]
fn kernels_and_graphs_are_followed() {
    let Some((bench, heard)) = followed("kernels_and_graphs_are_followed") else { return };
    let device = &bench.compute.device;
    let (words, address) = bench.buffer(&[], 64);
    let info = vk::CudaModuleCreateInfoNV::builder().data(KERNEL.as_bytes());
    let module = unsafe { device.create_cuda_module_nv(&info, None) }.expect("a module");
    let info = vk::CudaFunctionCreateInfoNV::builder().module(module).name(b"k\0");
    let function = unsafe { device.create_cuda_function_nv(&info, None) }.expect("a function");
    let launch = |commands| {
        let arguments = [std::ptr::from_ref(&address).cast::<c_void>()];
        let info = vk::CudaLaunchInfoNV {
            function,
            grid_dim_x: 1,
            grid_dim_y: 1,
            grid_dim_z: 1,
            block_dim_x: 1,
            block_dim_y: 1,
            block_dim_z: 1,
            param_count: 1,
            params: arguments.as_ptr().cast(),
            ..Default::default()
        };
        unsafe { device.cmd_cuda_launch_kernel_nv(commands, &info) };
    };
    let set_layout = bench
        .compute
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set) = (bench.compute.layout(&[set_layout]), bench.compute.set(set_layout));
    let (nodes, _) = bench.buffer(&[], 64);
    bench.compute.write(set, nodes.buffer);
    let (_, scratch) = bench.buffer(&[], 1 << 12);
    let scratch = scratch.next_multiple_of(64);
    let graph = make_graph(&bench, layout);
    let run_graph = |commands| unsafe {
        let point = vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX;
        device.cmd_bind_pipeline(commands, point, graph);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        dispatch_graph(&bench, commands, graph, scratch);
    };
    // What they do not read is no race.
    bench.compute.run(|commands| {
        bench.fill(commands, &words, 0..4);
        bench.fill(commands, &words, 5..8);
        launch(commands);
        bench.fill(commands, &nodes, 0..4);
        bench.fill(commands, &nodes, 5..8);
        run_graph(commands);
    });
    let messages = heard.take();
    assert!(messages.iter().all(|one| !one.id.contains("race")), "{messages:?}");
    let cases: [Case<'_>; 6] = [
        ("a kernel reads", Box::new(|c| bench.fill(c, &words, 4..5)), [FILL, SHADER_READ], Box::new(launch)),
        (
            "a kernel writes",
            Box::new(launch),
            [SHADER_WRITE, FILL],
            Box::new(|c| bench.fill(c, &words, 8..9)),
        ),
        ("a node reads", Box::new(|c| bench.fill(c, &nodes, 4..5)), [FILL, SHADER_READ], Box::new(run_graph)),
        (
            "a node writes",
            Box::new(run_graph),
            [SHADER_WRITE, FILL],
            Box::new(|c| bench.fill(c, &nodes, 8..9)),
        ),
        (
            "scratch memory is initialized",
            Box::new(|c| unsafe {
                device.cmd_initialize_graph_scratch_memory_amdx(c, graph, scratch, 4096);
            }),
            [SHADER_WRITE, (Stage::COMPUTE_SHADER, Access::SHADER_READ | Access::SHADER_WRITE)],
            Box::new(run_graph),
        ),
        ("two kernels write", Box::new(launch), [SHADER_WRITE; 2], Box::new(launch)),
    ];
    check(&bench, &heard, &cases);
    unsafe {
        device.destroy_cuda_function_nv(function, None);
        device.destroy_cuda_module_nv(module, None);
        device.destroy_pipeline(graph, None);
    }
}

#[test]
fn builds_by_addresses_are_followed() {
    let Some((bench, heard)) = followed("builds_by_addresses_are_followed") else { return };
    let device = &bench.compute.device;
    // An instance that moves by matrices: 120 bytes count, of 160.
    let (moving, moving_address) = bench.buffer(&[1], 40);
    let top = bench.structure(vk::AccelerationStructureTypeKHR::TOP_LEVEL);
    let bottom = bench.structure(vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL);
    let build_top = |commands| bench.build(commands, instances(moving_address), top);
    // One triangle of level 1 and two states.
    let (states, states_address) = bench.buffer(&[0], 16);
    let (entries, entries_address) = bench.buffer(&[0, 1 | 1 << 16], 16);
    let (storage, _) = bench.buffer(&[], 1 << 10);
    let micromap = bench.micromap(&storage);
    let build_micromap = |commands| bench.build_micromap(commands, micromap, states_address, entries_address);
    let (vertices, vertex_address) = bench.buffer(&[], 64);
    let (indices, index_address) = bench.buffer(&[0x0002_0100], 64);
    let build_with_micromap =
        |commands| bench.build_with_micromap(commands, micromap, vertex_address, bottom);
    let (clusters, clusters_address) = bench.buffer(&cluster(index_address, vertex_address), 64);
    let (_, made_address) = bench.buffer(&[], 16);
    let (_, room) = bench.buffer(&[], 1 << 12);
    let room = room.next_multiple_of(256);
    let build_cluster = |commands| bench.build_cluster(commands, clusters_address, made_address, room);
    // A partitioned structure, one instance of which is written.
    let (written, written_address) = bench.buffer(&[], 64);
    let [low, high] = halves(written_address);
    let (operations, operations_address) = bench.buffer(&[0, 1, low, high, 0, 0], 16);
    let (_, count_address) = bench.buffer(&[1], 4);
    let (_, partitioned) = bench.buffer(&[], 1 << 12);
    let partitioned = partitioned.next_multiple_of(256);
    let build_partitions =
        |commands| bench.build_partitions(commands, operations_address, count_address, partitioned);
    // What they do not read is no race.
    bench.compute.run(|commands| {
        for (buffer, words) in [
            (&moving, 30..40),
            (&states, 1..16),
            (&entries, 2..16),
            (&vertices, 9..64),
            (&indices, 1..64),
            (&clusters, 16..64),
            (&written, 26..64),
            (&operations, 6..16),
        ] {
            bench.fill(commands, buffer, words);
        }
        build_top(commands);
        build_micromap(commands);
        bench.barrier(commands, [MICROMAP_BUILT, MICROMAP_READ]);
        build_with_micromap(commands);
        build_cluster(commands);
        build_partitions(commands);
    });
    let messages = heard.take();
    assert!(messages.iter().all(|one| !one.id.contains("race")), "{messages:?}");
    let cases: [Case<'_>; 10] = [
        ("an instance", Box::new(|c| bench.fill(c, &moving, 29..30)), [FILL, INPUT], Box::new(build_top)),
        (
            "a micromap's states",
            Box::new(|c| bench.fill(c, &states, 0..1)),
            [FILL, MICROMAP_INPUT],
            Box::new(build_micromap),
        ),
        (
            "a micromap's triangles",
            Box::new(|c| bench.fill(c, &entries, 0..1)),
            [FILL, MICROMAP_INPUT],
            Box::new(build_micromap),
        ),
        ("a micromap", Box::new(build_micromap), [MICROMAP_BUILT; 2], Box::new(build_micromap)),
        (
            "a geometry's micromap",
            Box::new(build_micromap),
            [MICROMAP_BUILT, MICROMAP_READ],
            Box::new(build_with_micromap),
        ),
        (
            "a cluster's vertices",
            Box::new(|c| bench.fill(c, &vertices, 8..9)),
            [FILL, INDIRECT_INPUT],
            Box::new(build_cluster),
        ),
        (
            "a cluster's arguments",
            Box::new(|c| bench.fill(c, &clusters, 0..1)),
            [FILL, INDIRECT_INPUT],
            Box::new(build_cluster),
        ),
        ("a cluster", Box::new(build_cluster), [BUILT; 2], Box::new(build_cluster)),
        (
            "a partition's instance",
            Box::new(|c| bench.fill(c, &written, 25..26)),
            [FILL, INDIRECT_INPUT],
            Box::new(build_partitions),
        ),
        ("partitions", Box::new(build_partitions), [BUILT; 2], Box::new(build_partitions)),
    ];
    check(&bench, &heard, &cases);
    unsafe {
        device.destroy_micromap_ext(micromap, None);
        for structure in [top, bottom] {
            device.destroy_acceleration_structure_khr(structure, None);
        }
    }
}
