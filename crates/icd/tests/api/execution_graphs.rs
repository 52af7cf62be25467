//! Execution graphs through the entry points: nodes that enqueue payloads for each other, and what comes of
//! them in a buffer.

use pyro_shadertext::Shader;
use pyro_test_kit::canvas::Canvas;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::{CStr, CString, c_void};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::AmdxShaderEnqueueExtensionDeviceCommands as _;

/// What all nodes are made of: a buffer of words, and payloads. The functions follow.
const HEADER: &str = "
        OpCapability Shader
        OpCapability ShaderEnqueueAMDX
        OpExtension \"SPV_AMDX_shader_enqueue\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %start \"start\" %local %buffer %start_in
        OpEntryPoint GLCompute %work \"work\" %local %global %groups %index %buffer %work_in
        OpEntryPoint GLCompute %leaf \"leaf\" %local %buffer %leaf_in
        OpEntryPoint GLCompute %deep \"deep\" %local %levels %buffer %leaf_in
        OpEntryPoint GLCompute %boot \"boot\" %local %buffer
        OpEntryPoint GLCompute %shared \"shared\" %local %buffer %shared_in
        OpEntryPoint GLCompute %sharer \"sharer\" %local %buffer %shared_in
        OpExecutionMode %start LocalSize 40 1 1
        OpExecutionModeId %start StaticNumWorkgroupsAMDX %c1 %c1 %c1
        OpExecutionMode %work LocalSize 8 1 1
        OpExecutionMode %leaf LocalSize 16 1 1
        OpExecutionMode %leaf CoalescingAMDX
        OpExecutionMode %deep LocalSize 1 1 1
        OpExecutionModeId %deep StaticNumWorkgroupsAMDX %c1 %c1 %c1
        OpExecutionModeId %deep MaxNodeRecursionAMDX %c5
        OpExecutionMode %boot LocalSize 1 1 1
        OpExecutionModeId %boot StaticNumWorkgroupsAMDX %c1 %c1 %c1
        OpExecutionMode %shared LocalSize 40 1 1
        OpExecutionModeId %shared StaticNumWorkgroupsAMDX %c3 %c2 %c1
        OpExecutionMode %sharer LocalSize 4 1 1
        OpExecutionModeId %sharer StaticNumWorkgroupsAMDX %c4 %c1 %c1
        OpExecutionModeId %sharer IsApiEntryAMDX %no
        OpExecutionModeId %sharer SharesInputWithAMDX %name_shared %c0
        OpDecorate %local BuiltIn LocalInvocationIndex
        OpDecorate %global BuiltIn GlobalInvocationId
        OpDecorate %groups BuiltIn NumWorkgroups
        OpDecorate %index BuiltIn ShaderIndexAMDX
        OpDecorate %levels BuiltIn RemainingRecursionLevelsAMDX
        OpDecorate %array ArrayStride 4
        OpDecorate %block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        OpMemberDecorate %Start 0 Offset 0
        OpMemberDecorate %Start 1 Offset 4
        OpMemberDecorate %Work 0 Offset 0
        OpMemberDecorate %Work 1 Offset 4
        OpMemberDecorate %Work 1 PayloadDispatchIndirectAMDX
        OpMemberDecorate %Leaf 0 Offset 0
        OpMemberDecorate %Shared 0 Offset 0
        OpDecorate %Shared TrackFinishWritingAMDX
        OpDecorateId %Works PayloadNodeNameAMDX %name_work
        OpDecorateId %Works NodeMaxPayloadsAMDX %c32
        OpDecorateId %Works PayloadNodeArraySizeAMDX %c2
        OpDecorateId %Leaves PayloadNodeNameAMDX %name_leaf
        OpDecorateId %Leaves NodeMaxPayloadsAMDX %c8
        OpDecorateId %Leaves PayloadNodeArraySizeAMDX %c1
        OpDecorateId %Deeps PayloadNodeNameAMDX %name_deep
        OpDecorateId %Deeps NodeMaxPayloadsAMDX %c2
        OpDecorateId %Deeps PayloadNodeArraySizeAMDX %c1
        OpDecorateId %Shareds PayloadNodeNameAMDX %name_shared
        OpDecorateId %Shareds NodeMaxPayloadsAMDX %c2
        OpDecorateId %Shareds PayloadNodeArraySizeAMDX %c1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %no = OpConstantFalse %bool
        %uint = OpTypeInt 32 0
        %uint3 = OpTypeVector %uint 3
        %in_uint = OpTypePointer Input %uint
        %in_uint3 = OpTypePointer Input %uint3
        %local = OpVariable %in_uint Input
        %global = OpVariable %in_uint3 Input
        %groups = OpVariable %in_uint3 Input
        %index = OpVariable %in_uint Input
        %levels = OpVariable %in_uint Input
        %array = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %array
        %blocks = OpTypePointer Uniform %block
        %word = OpTypePointer Uniform %uint
        %buffer = OpVariable %blocks Uniform
        %c0 = OpConstant %uint 0
        %c1 = OpConstant %uint 1
        %c2 = OpConstant %uint 2
        %c3 = OpConstant %uint 3
        %c4 = OpConstant %uint 4
        %c5 = OpConstant %uint 5
        %c6 = OpConstant %uint 6
        %c7 = OpConstant %uint 7
        %c8 = OpConstant %uint 8
        %c9 = OpConstant %uint 9
        %c10 = OpConstant %uint 10
        %c11 = OpConstant %uint 11
        %c12 = OpConstant %uint 12
        %c32 = OpConstant %uint 32
        %c100 = OpConstant %uint 100
        %c264 = OpConstant %uint 264
        %name_work = OpConstantStringAMDX \"work\"
        %name_leaf = OpConstantStringAMDX \"leaf\"
        %name_deep = OpConstantStringAMDX \"deep\"
        %name_shared = OpConstantStringAMDX \"shared\"
        %Start = OpTypeStruct %uint %uint
        %Work = OpTypeStruct %uint %uint
        %Leaf = OpTypeStruct %uint
        %Shared = OpTypeStruct %uint
        %Starts = OpTypeNodePayloadArrayAMDX %Start
        %Works = OpTypeNodePayloadArrayAMDX %Work
        %Leaves = OpTypeNodePayloadArrayAMDX %Leaf
        %Deeps = OpTypeNodePayloadArrayAMDX %Leaf
        %Shareds = OpTypeNodePayloadArrayAMDX %Shared
        %to_starts = OpTypePointer NodePayloadAMDX %Starts
        %to_works = OpTypePointer NodePayloadAMDX %Works
        %to_leaves = OpTypePointer NodePayloadAMDX %Leaves
        %to_deeps = OpTypePointer NodePayloadAMDX %Deeps
        %to_shareds = OpTypePointer NodePayloadAMDX %Shareds
        %to_uint = OpTypePointer NodePayloadAMDX %uint
        %start_in = OpVariable %to_starts NodePayloadAMDX
        %work_in = OpVariable %to_works NodePayloadAMDX
        %leaf_in = OpVariable %to_leaves NodePayloadAMDX
        %shared_in = OpVariable %to_shareds NodePayloadAMDX
        %add_fn = OpTypeFunction %void %uint %uint
        %add = OpFunction %void None %add_fn
        %at = OpFunctionParameter %uint
        %what = OpFunctionParameter %uint
        %add_0 = OpLabel
        %add_to = OpAccessChain %word %buffer %c0 %at
        %add_old = OpAtomicIAdd %uint %add_to %c1 %c0 %what
        OpReturn
        OpFunctionEnd
";

/// Allocates the second word of its payload of payloads for the node `work` of index first word modulo 2:
/// payload i is for i + 1 workgroups and has the value 100 * first word + i. Its workgroup is three subgroups
/// and more.
const START: &str = "
        %start = OpFunction %void None %fn
        %s0 = OpLabel
        %sl = OpLoad %uint %local
        %s_p0 = OpAccessChain %to_uint %start_in %c0 %c0
        %s_base = OpLoad %uint %s_p0
        %s_p1 = OpAccessChain %to_uint %start_in %c0 %c1
        %s_count = OpLoad %uint %s_p1
        %s_node = OpUMod %uint %s_base %c2
        %s_out = OpAllocateNodePayloadsAMDX %to_works %c2 %s_count %s_node
        %s_length = OpNodePayloadArrayLengthAMDX %uint %s_out
        %s_mine = OpULessThan %bool %sl %s_length
        OpSelectionMerge %s2 None
        OpBranchConditional %s_mine %s1 %s2
        %s1 = OpLabel
        %s_hundred = OpIMul %uint %s_base %c100
        %s_value = OpIAdd %uint %s_hundred %sl
        %s_groups = OpIAdd %uint %sl %c1
        %s_q0 = OpAccessChain %to_uint %s_out %sl %c0
        OpStore %s_q0 %s_value
        %s_q1 = OpAccessChain %to_uint %s_out %sl %c1
        OpStore %s_q1 %s_groups
        OpBranch %s2
        %s2 = OpLabel
        OpControlBarrier %c2 %c2 %c264
        OpEnqueueNodePayloadsAMDX %s_out
        OpReturn
        OpFunctionEnd
";

/// Each workgroup adds the value to word 2 * index and one to the next, and the number of workgroups to word
/// 12 + index; each invocation hands its number to a leaf.
const WORK: &str = "
        %work = OpFunction %void None %fn
        %w0 = OpLabel
        %wl = OpLoad %uint %local
        %w_ids = OpLoad %uint3 %global
        %w_id = OpCompositeExtract %uint %w_ids 0
        %w_index = OpLoad %uint %index
        %w_all = OpLoad %uint3 %groups
        %w_groups = OpCompositeExtract %uint %w_all 0
        %w_p0 = OpAccessChain %to_uint %work_in %c0 %c0
        %w_value = OpLoad %uint %w_p0
        %w_first = OpIEqual %bool %wl %c0
        OpSelectionMerge %w2 None
        OpBranchConditional %w_first %w1 %w2
        %w1 = OpLabel
        %w_at = OpIMul %uint %w_index %c2
        %w_next = OpIAdd %uint %w_at %c1
        %w_other = OpIAdd %uint %w_index %c12
        %w_a = OpFunctionCall %void %add %w_at %w_value
        %w_b = OpFunctionCall %void %add %w_next %c1
        %w_c = OpFunctionCall %void %add %w_other %w_groups
        OpBranch %w2
        %w2 = OpLabel
        %w_out = OpAllocateNodePayloadsAMDX %to_leaves %c4 %c1 %c0
        %w_q0 = OpAccessChain %to_uint %w_out %c0 %c0
        OpStore %w_q0 %w_id
        OpEnqueueNodePayloadsAMDX %w_out
        OpReturn
        OpFunctionEnd
";

/// Adds the payloads' values to word 4 and one for each to word 5; the first invocation the length to word 6,
/// one to word 7.
const LEAF: &str = "
        %leaf = OpFunction %void None %fn
        %l0 = OpLabel
        %ll = OpLoad %uint %local
        %l_length = OpNodePayloadArrayLengthAMDX %uint %leaf_in
        %l_mine = OpULessThan %bool %ll %l_length
        OpSelectionMerge %l2 None
        OpBranchConditional %l_mine %l1 %l2
        %l1 = OpLabel
        %l_p = OpAccessChain %to_uint %leaf_in %ll %c0
        %l_value = OpLoad %uint %l_p
        %l_a = OpFunctionCall %void %add %c4 %l_value
        %l_b = OpFunctionCall %void %add %c5 %c1
        OpBranch %l2
        %l2 = OpLabel
        %l_first = OpIEqual %bool %ll %c0
        OpSelectionMerge %l4 None
        OpBranchConditional %l_first %l3 %l4
        %l3 = OpLabel
        %l_c = OpFunctionCall %void %add %c6 %l_length
        %l_d = OpFunctionCall %void %add %c7 %c1
        OpBranch %l4
        %l4 = OpLabel
        OpReturn
        OpFunctionEnd
";

/// One to word 8, the levels that are left to word 9; two more of its own where there are levels left, and
/// two all the same where there are none: these are dropped.
const DEEP: &str = "
        %deep = OpFunction %void None %fn
        %d0 = OpLabel
        %d_levels = OpLoad %uint %levels
        %d_a = OpFunctionCall %void %add %c8 %c1
        %d_b = OpFunctionCall %void %add %c9 %d_levels
        %d_out = OpAllocateNodePayloadsAMDX %to_deeps %c2 %c2 %c0
        OpEnqueueNodePayloadsAMDX %d_out
        OpReturn
        OpFunctionEnd
";

/// Hands one payload to `shared`, in an array of which one other is not enqueued, and says in word 11 which
/// indices of `work` there are, of 0, 1, 2 and 100.
const BOOT: &str = "
        %boot = OpFunction %void None %fn
        %b0 = OpLabel
        %b_out = OpAllocateNodePayloadsAMDX %to_shareds %c2 %c1 %c0
        %b_lost = OpAllocateNodePayloadsAMDX %to_shareds %c2 %c1 %c0
        %b_q0 = OpAccessChain %to_uint %b_out %c0 %c0
        OpStore %b_q0 %c0
        %b_q1 = OpAccessChain %to_uint %b_lost %c0 %c0
        OpStore %b_q1 %c7
        OpEnqueueNodePayloadsAMDX %b_out
        %b_v0 = OpIsNodePayloadValidAMDX %bool %Works %c0
        %b_v1 = OpIsNodePayloadValidAMDX %bool %Works %c1
        %b_v2 = OpIsNodePayloadValidAMDX %bool %Works %c2
        %b_v3 = OpIsNodePayloadValidAMDX %bool %Works %c100
        %b_x0 = OpSelect %uint %b_v0 %c1 %c0
        %b_x1 = OpSelect %uint %b_v1 %c2 %c0
        %b_x2 = OpSelect %uint %b_v2 %c4 %c0
        %b_x3 = OpSelect %uint %b_v3 %c8 %c0
        %b_y0 = OpBitwiseOr %uint %b_x0 %b_x1
        %b_y1 = OpBitwiseOr %uint %b_x2 %b_x3
        %b_y = OpBitwiseOr %uint %b_y0 %b_y1
        %b_a = OpFunctionCall %void %add %c11 %b_y
        OpReturn
        OpFunctionEnd
";

/// A node whose invocations add one to their payload; the first of the workgroup that finishes it adds that
/// to word 10, and one to word 14.
fn sharing(name: &str) -> String {
    let text = "
        %N = OpFunction %void None %fn
        %N_0 = OpLabel
        %N_l = OpLoad %uint %local
        %N_p = OpAccessChain %to_uint %shared_in %c0 %c0
        %N_old = OpAtomicIAdd %uint %N_p %c1 %c0 %c1
        %N_last = OpFinishWritingNodePayloadAMDX %bool %shared_in
        %N_first = OpIEqual %bool %N_l %c0
        %N_says = OpLogicalAnd %bool %N_last %N_first
        OpSelectionMerge %N_2 None
        OpBranchConditional %N_says %N_1 %N_2
        %N_1 = OpLabel
        %N_total = OpLoad %uint %N_p
        %N_a = OpFunctionCall %void %add %c10 %N_total
        %N_x = OpIAdd %uint %c12 %c2
        %N_b = OpFunctionCall %void %add %N_x %c1
        OpBranch %N_2
        %N_2 = OpLabel
        OpReturn
        OpFunctionEnd
";
    text.replace("%N", &format!("%{name}"))
}

fn module() -> String {
    [HEADER, START, WORK, LEAF, DEEP, BOOT, &sharing("shared"), &sharing("sharer")].concat()
}

/// A device with a graph of all nodes, of which `work` is there twice: as itself, and from a library.
struct Lab {
    compute: Compute,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    words: Buffer,
    scratch: u64,
    graph: vk::Pipeline,
}

fn shader(device: &Device, text: &str) -> vk::ShaderModule {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    unsafe { device.create_shader_module(&info, None) }.expect("a module")
}

/// Which node: the entry point, and a name and index in the graph.
type Named<'a> = (&'a str, Option<&'a CStr>, u32);

/// A graph or library of these nodes of a module, and of libraries.
fn create(
    device: &Device,
    layout: vk::PipelineLayout,
    module: vk::ShaderModule,
    nodes: &[Named<'_>],
    libraries: &[vk::Pipeline],
    flags: vk::PipelineCreateFlags,
) -> Result<vk::Pipeline, vk::Result> {
    let names: Vec<CString> = nodes.iter().map(|node| CString::new(node.0).expect("a name")).collect();
    let infos: Vec<_> = nodes
        .iter()
        .map(|node| vk::PipelineShaderStageNodeCreateInfoAMDX {
            name: node.1.map_or(std::ptr::null(), CStr::as_ptr),
            index: node.2,
            ..Default::default()
        })
        .collect();
    let stages: Vec<_> = names
        .iter()
        .zip(&infos)
        .map(|(name, info)| vk::PipelineShaderStageCreateInfo {
            next: (&raw const *info).cast(),
            stage: vk::ShaderStageFlags::COMPUTE,
            module,
            name: name.as_ptr(),
            ..Default::default()
        })
        .collect();
    let libraries = vk::PipelineLibraryCreateInfoKHR {
        library_count: libraries.len() as u32,
        libraries: libraries.as_ptr(),
        ..Default::default()
    };
    let info = vk::ExecutionGraphPipelineCreateInfoAMDX {
        flags,
        stage_count: stages.len() as u32,
        stages: stages.as_ptr(),
        library_info: &raw const libraries,
        layout,
        ..Default::default()
    };
    let mut made = vk::Pipeline::null();
    let (commands, device) = (device.commands(), device.handle());
    let code = unsafe {
        (commands.create_execution_graph_pipelines_amdx)(
            device,
            vk::PipelineCache::null(),
            1,
            &raw const info,
            std::ptr::null(),
            &raw mut made,
        )
    };
    if code == vk::Result::SUCCESS { Ok(made) } else { Err(code) }
}

const OWN: u32 = vk::SHADER_INDEX_UNUSED_AMDX;
/// Words of the buffer.
const WORDS: usize = 16;

impl Lab {
    fn new() -> Lab {
        let mut enqueue =
            vk::PhysicalDeviceShaderEnqueueFeaturesAMDX { shader_enqueue: vk::TRUE, ..Default::default() };
        let mut core = vk::PhysicalDeviceVulkan12Features {
            next: (&raw mut enqueue).cast(),
            buffer_device_address: vk::TRUE,
            ..Default::default()
        };
        let extensions = [c"VK_AMDX_shader_enqueue", c"VK_KHR_pipeline_library"];
        let version = vk::make_version(1, 3, 0);
        let compute = Compute::new(version, &extensions, (&raw mut core).cast::<c_void>());
        let set_layout = compute.set_layout(
            vk::DescriptorSetLayoutCreateFlags::empty(),
            &[(vk::DescriptorType::STORAGE_BUFFER, 1)],
        );
        let layout = compute.layout(&[set_layout]);
        let words = compute.buffer(WORDS);
        let set = compute.set(set_layout);
        compute.write(set, words.buffer);
        let scratch = compute.buffer_with(
            1024,
            vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::EXECUTION_GRAPH_SCRATCH_AMDX,
        );
        let scratch = address(&compute, &scratch).next_multiple_of(64);
        let module = shader(&compute.device, &module());
        let library = vk::PipelineCreateFlags::LIBRARY_KHR;
        let second = create(&compute.device, layout, module, &[("work", Some(c"work"), 1)], &[], library);
        let second = second.expect("a library");
        let nodes =
            ["start", "work", "leaf", "deep", "boot", "shared", "sharer"].map(|name| (name, None, OWN));
        let graph =
            create(&compute.device, layout, module, &nodes, &[second], vk::PipelineCreateFlags::empty());
        let graph = graph.expect("a graph");
        unsafe {
            compute.device.destroy_pipeline(second, None);
            compute.device.destroy_shader_module(module, None);
        }
        Lab { compute, layout, set, words, scratch, graph }
    }

    fn node(&self, name: &CStr, index: u32) -> u32 {
        let info =
            vk::PipelineShaderStageNodeCreateInfoAMDX { name: name.as_ptr(), index, ..Default::default() };
        unsafe { self.compute.device.get_execution_graph_pipeline_node_index_amdx(self.graph, &info) }
            .expect("a node")
    }

    /// Runs a dispatch, and gives what the buffer holds behind it.
    fn run(&self, dispatch: impl FnOnce(vk::CommandBuffer)) -> Vec<u32> {
        (0..WORDS).for_each(|index| self.words.put(index, 0));
        let device = &self.compute.device;
        self.compute.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX;
            device.cmd_bind_pipeline(commands, point, self.graph);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            device.cmd_initialize_graph_scratch_memory_amdx(commands, self.graph, self.scratch, 64);
            dispatch(commands);
        });
        self.words.words()
    }

    /// Runs payloads for nodes, each a list of words.
    fn run_host<const N: usize>(&self, nodes: &[(u32, &[[u32; N]])]) -> Vec<u32> {
        let infos: Vec<_> = nodes
            .iter()
            .map(|(node, payloads)| vk::DispatchGraphInfoAMDX {
                node_index: *node,
                payload_count: payloads.len() as u32,
                payloads: vk::DeviceOrHostAddressConstAMDX { host_address: payloads.as_ptr().cast() },
                payload_stride: 4 * N as u64,
            })
            .collect();
        let info = vk::DispatchGraphCountInfoAMDX {
            count: infos.len() as u32,
            infos: vk::DeviceOrHostAddressConstAMDX { host_address: infos.as_ptr().cast() },
            stride: size_of::<vk::DispatchGraphInfoAMDX>() as u64,
        };
        let device = &self.compute.device;
        self.run(|commands| unsafe { device.cmd_dispatch_graph_amdx(commands, self.scratch, 64, &info) })
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        unsafe { self.compute.device.destroy_pipeline(self.graph, None) };
    }
}

fn address(compute: &Compute, buffer: &Buffer) -> u64 {
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    unsafe { compute.device.get_buffer_device_address(&info) }
}

/// What the payloads of `start` make of the words 0 to 7, 12 and 13; for word 7, the workgroups of leaves,
/// the least.
fn expected(payloads: &[[u32; 3]]) -> Vec<u32> {
    let mut words = vec![0_u32; WORDS];
    for &[base, count, _] in payloads {
        let node = (base % 2) as usize;
        for number in 0..count {
            let groups = number + 1;
            words[2 * node] += groups * (100 * base + number);
            words[2 * node + 1] += groups;
            words[12 + node] += groups * groups;
            let invocations = 8 * groups;
            words[4] += (0..invocations).sum::<u32>();
            words[5] += invocations;
        }
    }
    words[6] = words[5];
    words
}

/// Compares but for word 7, which depends on how payloads are coalesced, and must be possible.
fn compare(mut found: Vec<u32>, expected: &[u32]) {
    let leaves = std::mem::take(&mut found[7]);
    assert!((expected[5].div_ceil(16)..=expected[5]).contains(&leaves), "{leaves} of {}", expected[5]);
    assert_eq!(found, expected);
}

#[test]
fn node_payloads_reach_the_next_node() {
    let lab = Lab::new();
    let start = lab.node(c"start", 0);
    // The third word is in no payload: they lie that far apart.
    let payloads = [[1, 5, 99], [2, 32, 99], [7, 0, 99], [4, 1, 99], [3, 17, 99]];
    compare(lab.run_host(&[(start, &payloads)]), &expected(&payloads));
    // Several at once, of which one has none.
    let (some, others) = payloads.split_at(2);
    compare(lab.run_host(&[(start, some), (start, &[]), (start, others)]), &expected(&payloads));
    // As many as a command may bring.
    let many: Vec<[u32; 3]> = (0..1024).map(|number| [number % 5, number % 3, 0]).collect();
    compare(lab.run_host(&[(start, &many)]), &expected(&many));
    // More than a node may allocate: none.
    assert_eq!(lab.run_host(&[(start, &[[1, 33, 0]])]), vec![0; WORDS]);
}

#[test]
fn nodes_are_found_by_name_and_index() {
    let lab = Lab::new();
    let [first, second] = [0, 1].map(|index| lab.node(c"work", index));
    assert_ne!(first, second);
    // A payload of the command's own says how many workgroups it is for.
    let words = lab.run_host(&[(second, &[[10, 3]])]);
    assert_eq!((words[2], words[3], words[13], words[5]), (30, 3, 9, 24));
    assert_eq!(words[..2], [0, 0]);
    // A node that coalesces, from the command: some full workgroups, and one that is not.
    let leaf = lab.node(c"leaf", 0);
    let payloads: Vec<[u32; 1]> = (0..40).map(|number| [number]).collect();
    let words = lab.run_host(&[(leaf, &payloads)]);
    assert_eq!(words[4..8], [(0..40).sum(), 40, 40, 3]);
    let missing =
        vk::PipelineShaderStageNodeCreateInfoAMDX { name: c"work".as_ptr(), index: 2, ..Default::default() };
    let device = &lab.compute.device;
    assert!(unsafe { device.get_execution_graph_pipeline_node_index_amdx(lab.graph, &missing) }.is_err());
    let mut size = vk::ExecutionGraphPipelineScratchSizeAMDX::default();
    unsafe { device.get_execution_graph_pipeline_scratch_size_amdx(lab.graph, &mut size) }.expect("a size");
    assert!(size.min_size > 0 && size.max_size >= size.min_size && size.size_granularity > 0);
}

#[test]
fn recursion_ends_at_its_last_level() {
    let lab = Lab::new();
    let deep = lab.node(c"deep", 0);
    let words = lab.run_host(&[(deep, &[[0], [0]])]);
    // Two trees of six levels.
    assert_eq!(words[8], 2 * 63);
    assert_eq!(words[9], 2 * (0..6).map(|level| (5 - level) << level).sum::<u32>());
}

#[test]
fn inputs_are_shared_and_finished_once() {
    let lab = Lab::new();
    let boot = lab.node(c"boot", 0);
    let words = lab.run_host::<1>(&[(boot, &[[0]])]);
    // All invocations of both nodes have added one before the last workgroup sees the sum.
    assert_eq!((words[10], words[14]), (6 * 40 + 4 * 4, 1));
    assert_eq!(words[11], 0b0011, "the indices of nodes");
}

#[test]
fn the_older_built_in_counts_what_is_coalesced() {
    let mut lab = Lab::new();
    // Instead of the array's length.
    let text = module().replace("%leaf \"leaf\" %local", "%leaf \"leaf\" %local %levels").replace(
        "%l_length = OpNodePayloadArrayLengthAMDX %uint %leaf_in",
        "%l_length = OpLoad %uint %levels",
    );
    let module = shader(&lab.compute.device, &text);
    let none = vk::PipelineCreateFlags::empty();
    let graph = create(&lab.compute.device, lab.layout, module, &[("leaf", None, OWN)], &[], none);
    let first = std::mem::replace(&mut lab.graph, graph.expect("a graph"));
    let payloads: Vec<[u32; 1]> = (0..40).map(|number| [number]).collect();
    let words = lab.run_host(&[(lab.node(c"leaf", 0), &payloads)]);
    assert_eq!(words[4..8], [(0..40).sum(), 40, 40, 3]);
    unsafe {
        lab.compute.device.destroy_shader_module(module, None);
        lab.compute.device.destroy_pipeline(first, None);
    }
}

/// The nodes of a graph are replaced together with its module, those of a library too, and a graph that is
/// made of a library later has the new ones.
#[test]
fn graphs_run_replaced_modules() {
    pyroclast_icd::keep_for_reload();
    let mut lab = Lab::new();
    // No other test's, and without a change in what it does.
    let text = module().replacen("%c1 = OpConstant", "%mark = OpConstant %uint 9091\n%c1 = OpConstant", 1);
    let twice = text.replace("%add %w_next %c1", "%add %w_next %c2");
    assert!(text != module() && twice != text);
    let module = shader(&lab.compute.device, &text);
    let (none, library) = (vk::PipelineCreateFlags::empty(), vk::PipelineCreateFlags::LIBRARY_KHR);
    let make = |nodes: &[Named<'_>], libraries: &[vk::Pipeline], flags| {
        create(&lab.compute.device, lab.layout, module, nodes, libraries, flags).expect("nodes")
    };
    let second = make(&[("work", Some(c"work"), 1)], &[], library);
    let own = ["start", "work", "leaf"].map(|name| (name, None, OWN));
    let graph = make(&own, &[second], none);
    let payloads = [[1, 5, 99], [2, 9, 99]];
    let once = expected(&payloads);
    let doubled = {
        let mut words = once.clone();
        (words[1], words[3]) = (2 * words[1], 2 * words[3]);
        words
    };
    let first = std::mem::replace(&mut lab.graph, graph);
    let run = |lab: &Lab| lab.run_host(&[(lab.node(c"start", 0), &payloads)]);
    compare(run(&lab), &once);
    let [from, to] = [&text, &twice].map(|text| pyro_spirv::asm::assemble(text).expect("assembly"));
    let reload = |from: &[u32], to: &[u32]| {
        pyroclast_icd::reload_module(pyro_sanitizer::trace::module_digest(from), to)
    };
    assert_eq!(reload(&from, &to), Ok(1), "libraries are made of modules, not compiled");
    compare(run(&lab), &doubled);
    let later = create(&lab.compute.device, lab.layout, module, &own, &[second], none).expect("a graph");
    let replaced = std::mem::replace(&mut lab.graph, later);
    compare(run(&lab), &doubled);
    unsafe {
        lab.compute.device.destroy_shader_module(module, None);
        [first, second, replaced]
            .into_iter()
            .for_each(|pipeline| lab.compute.device.destroy_pipeline(pipeline, None));
    }
}

#[test]
fn memory_says_what_to_dispatch() {
    let lab = Lab::new();
    let start = lab.node(c"start", 0);
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let memory = lab.compute.buffer_with(64, usage);
    let at = address(&lab.compute, &memory);
    let payloads = [[1, 5, 99], [2, 9, 99], [5, 2, 99]];
    let put = |index: usize, words: &[u32]| {
        words.iter().enumerate().for_each(|(offset, &word)| memory.put(index + offset, word));
    };
    let wide = |value: u64| [value as u32, (value >> 32) as u32];
    put(32, payloads.as_flattened());
    // Two structures, 32 bytes apart, of which the second is for a node that is not there.
    let info = |node: u32, count: u32| [&[node, count][..], &wide(at + 4 * 32), &wide(12)].concat();
    put(8, &info(start, 3));
    put(16, &info(1000, 3));
    put(0, &[&[2, 0][..], &wide(at + 4 * 8), &wide(32)].concat());
    let device = &lab.compute.device;
    let count = vk::DispatchGraphCountInfoAMDX {
        count: 2,
        infos: vk::DeviceOrHostAddressConstAMDX { device_address: at + 4 * 8 },
        stride: 32,
    };
    let indirect = lab.run(|commands| unsafe {
        device.cmd_dispatch_graph_indirect_amdx(commands, lab.scratch, 64, &count)
    });
    compare(indirect, &expected(&payloads));
    let counted = lab.run(|commands| unsafe {
        device.cmd_dispatch_graph_indirect_count_amdx(commands, lab.scratch, 64, at);
    });
    compare(counted, &expected(&payloads));
}

#[test]
fn mismatched_nodes_are_refused() {
    let lab = Lab::new();
    let (compute, layout) = (&lab.compute, lab.layout);
    let module = shader(&compute.device, &module());
    let none = vk::PipelineCreateFlags::empty();
    let try_graph = |nodes: &[Named<'_>]| create(&compute.device, layout, module, nodes, &[], none);
    let made = try_graph(&[("leaf", None, OWN), ("deep", None, OWN)]).expect("a graph");
    unsafe { compute.device.destroy_pipeline(made, None) };
    // Twice the same; not all nodes there are that payloads are for; other sizes; one of a name coalesces.
    assert!(try_graph(&[("leaf", None, OWN), ("leaf", None, 0)]).is_err());
    assert!(try_graph(&[("start", None, OWN), ("work", None, 0), ("leaf", None, OWN)]).is_err());
    assert!(try_graph(&[("work", None, OWN), ("start", Some(c"leaf"), 0)]).is_err());
    assert!(try_graph(&[("leaf", None, 0), ("deep", Some(c"leaf"), 1)]).is_err());
    assert!(try_graph(&[("missing", None, OWN)]).is_err());
    // A pipeline that is no library of nodes.
    assert!(create(&compute.device, layout, module, &[("leaf", None, OWN)], &[lab.graph], none).is_err());
    // Limits: payloads, and how many there may be.
    let large = HEADER.replace("%Leaf = OpTypeStruct %uint\n", "%Leaf = OpTypeStruct %large\n");
    let large = large.replace(
        "%Start = OpTypeStruct",
        "%c9000 = OpConstant %uint 9000\n%large = OpTypeArray %uint %c9000\n%Start = OpTypeStruct",
    );
    let large = large.replace("OpDecorate %array", "OpDecorate %large ArrayStride 4\nOpDecorate %array");
    let text = [&large, START, WORK, LEAF, DEEP, BOOT, &sharing("shared"), &sharing("sharer")].concat();
    let large = shader(
        &compute.device,
        &text
            .replace(
                "%l_p = OpAccessChain %to_uint %leaf_in %ll %c0",
                "%l_p = OpAccessChain %to_uint %leaf_in %ll %c0 %c0",
            )
            .replace(
                "%w_q0 = OpAccessChain %to_uint %w_out %c0 %c0",
                "%w_q0 = OpAccessChain %to_uint %w_out %c0 %c0 %c0",
            ),
    );
    assert!(create(&compute.device, layout, large, &[("leaf", None, OWN)], &[], none).is_err());
    // What commands say: alignment and size of scratch memory, nodes that are not there or not for commands.
    let device = &compute.device;
    let ends = |record: &dyn Fn(vk::CommandBuffer)| unsafe {
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(compute.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let buffer = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).expect("begins");
        record(buffer);
        device.end_command_buffer(buffer).is_ok()
    };
    let bind = |commands| unsafe {
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX, lab.graph);
    };
    let payload = [0_u32; 4];
    let dispatch = |commands, scratch: u64, size: u64, node_index: u32, payload_count: u32| unsafe {
        let one = vk::DispatchGraphInfoAMDX {
            node_index,
            payload_count,
            payloads: vk::DeviceOrHostAddressConstAMDX { host_address: payload.as_ptr().cast() },
            payload_stride: 0,
        };
        let info = vk::DispatchGraphCountInfoAMDX {
            count: 1,
            infos: vk::DeviceOrHostAddressConstAMDX { host_address: (&raw const one).cast() },
            stride: 24,
        };
        device.cmd_dispatch_graph_amdx(commands, scratch, size, &info);
    };
    let (start, sharer) = (lab.node(c"start", 0), lab.node(c"sharer", 0));
    let refused = |scratch, size, node, count| {
        !ends(&|commands| {
            bind(commands);
            dispatch(commands, scratch, size, node, count);
        })
    };
    assert!(!refused(lab.scratch, 64, start, 1));
    assert!(refused(lab.scratch + 4, 64, start, 1));
    assert!(refused(lab.scratch, 32, start, 1));
    assert!(refused(lab.scratch, 64, 1000, 1));
    assert!(refused(lab.scratch, 64, sharer, 1), "it is for no commands");
    assert!(refused(lab.scratch, 64, start, 1025));
    assert!(!ends(&|commands| dispatch(commands, lab.scratch, 64, start, 1)), "nothing is bound");
    for module in [module, large] {
        unsafe { device.destroy_shader_module(module, None) };
    }
}

/// A mesh node: a column of pixels, whose x is the payload, as two triangles.
fn column_text() -> String {
    Shader::new(
        "MeshEXT",
        "OpSetMeshOutputsEXT %uint_4 %uint_2
        %l = OpLoad %uint %local
        %p = OpAccessChain %to_uint %in %uint_0 %uint_0
        %column = OpLoad %uint %p
        %right = OpBitwiseAnd %uint %l %uint_1
        %down = OpShiftRightLogical %uint %l %uint_1
        %x = OpIAdd %uint %column %right
        %fx = OpConvertUToF %float %x
        %gx = OpFMul %float %fx %float_0p125
        %hx = OpFSub %float %gx %float_1
        %fy = OpConvertUToF %float %down
        %gy = OpFMul %float %fy %float_2
        %hy = OpFSub %float %gy %float_1
        %position = OpCompositeConstruct %float4 %hx %hy %float_0 %float_1
        %to = OpAccessChain %out_float4 %vertices %l %uint_0
        OpStore %to %position
        %is_first = OpIEqual %bool %l %uint_0
        OpSelectionMerge %b2 None
        OpBranchConditional %is_first %b1 %b2
        %b1 = OpLabel
        %i0 = OpAccessChain %out_uint3 %indices %uint_0
        OpStore %i0 %first
        %i1 = OpAccessChain %out_uint3 %indices %uint_1
        OpStore %i1 %second
        OpBranch %b2
        %b2 = OpLabel",
    )
    .capability("MeshShadingEXT ShaderEnqueueAMDX")
    .extension("SPV_EXT_mesh_shader")
    .extension("SPV_AMDX_shader_enqueue")
    .mode("LocalSize 4 1 1")
    .mode("OutputVertices 4")
    .mode("OutputPrimitivesEXT 2")
    .mode("OutputTrianglesEXT")
    .mode_by_ids("StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1")
    .input("local", "uint", "BuiltIn LocalInvocationIndex")
    .output("vertices", "Vertices", "")
    .output("indices", "Indices", "BuiltIn PrimitiveTriangleIndicesEXT")
    .interface("%in")
    .decorate(
        "OpDecorate %Vertex Block
        OpMemberDecorate %Vertex 0 BuiltIn Position
        OpMemberDecorate %Column 0 Offset 0",
    )
    .declare(
        "%first = OpConstantComposite %uint3 %uint_0 %uint_1 %uint_2
        %second = OpConstantComposite %uint3 %uint_2 %uint_1 %uint_3
        %Vertex = OpTypeStruct %float4
        %Vertices = OpTypeArray %Vertex %uint_4
        %Indices = OpTypeArray %uint3 %uint_2
        %Column = OpTypeStruct %uint
        %Columns = OpTypeNodePayloadArrayAMDX %Column
        %to_columns = OpTypePointer NodePayloadAMDX %Columns
        %to_uint = OpTypePointer NodePayloadAMDX %uint
        %in = OpVariable %to_columns NodePayloadAMDX",
    )
    .text()
}

/// Hands the column of its first word, and the one four further, to the mesh node.
const COLUMNS: &str = "
        OpCapability Shader
        OpCapability ShaderEnqueueAMDX
        OpExtension \"SPV_AMDX_shader_enqueue\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"columns\" %in
        OpExecutionMode %main LocalSize 1 1 1
        OpExecutionModeId %main StaticNumWorkgroupsAMDX %c1 %c1 %c1
        OpMemberDecorate %Column 0 Offset 0
        OpDecorateId %Out PayloadNodeNameAMDX %name
        OpDecorateId %Out NodeMaxPayloadsAMDX %c2
        OpDecorateId %Out PayloadNodeArraySizeAMDX %c1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %c0 = OpConstant %uint 0
        %c1 = OpConstant %uint 1
        %c2 = OpConstant %uint 2
        %c4 = OpConstant %uint 4
        %name = OpConstantStringAMDX \"main\"
        %Column = OpTypeStruct %uint
        %In = OpTypeNodePayloadArrayAMDX %Column
        %Out = OpTypeNodePayloadArrayAMDX %Column
        %to_in = OpTypePointer NodePayloadAMDX %In
        %to_out = OpTypePointer NodePayloadAMDX %Out
        %to_uint = OpTypePointer NodePayloadAMDX %uint
        %in = OpVariable %to_in NodePayloadAMDX
        %main = OpFunction %void None %fn
        %b0 = OpLabel
        %p = OpAccessChain %to_uint %in %c0 %c0
        %column = OpLoad %uint %p
        %other = OpIAdd %uint %column %c4
        %out = OpAllocateNodePayloadsAMDX %to_out %c2 %c2 %c0
        %q0 = OpAccessChain %to_uint %out %c0 %c0
        OpStore %q0 %column
        %q1 = OpAccessChain %to_uint %out %c1 %c0
        OpStore %q1 %other
        OpEnqueueNodePayloadsAMDX %out
        OpReturn
        OpFunctionEnd";

#[test]
fn mesh_nodes_draw() {
    let canvas =
        Canvas::with(&[c"VK_AMDX_shader_enqueue", c"VK_EXT_mesh_shader", c"VK_KHR_pipeline_library"]);
    let device = &canvas.device;
    let flags = vk::PipelineCreateFlags2::EXECUTION_GRAPH_AMDX | vk::PipelineCreateFlags2::LIBRARY_KHR;
    let list = vk::PrimitiveTopology::TRIANGLE_LIST;
    let shaders = [&column_text(), pyro_test_kit::canvas::FRAGMENT];
    let mesh = canvas.pipeline_from(shaders, list, true, &[], flags.bits());
    let module = shader(device, COLUMNS);
    let none = vk::PipelineCreateFlags::empty();
    let nodes = [("columns", None, OWN)];
    let graph = create(device, canvas.layout, module, &nodes, &[mesh], none).expect("a graph");
    // Without the mesh node there is none for the payloads.
    assert!(create(device, canvas.layout, module, &nodes, &[], none).is_err());
    let node = |name: &CStr| {
        let info = vk::PipelineShaderStageNodeCreateInfoAMDX { name: name.as_ptr(), ..Default::default() };
        unsafe { device.get_execution_graph_pipeline_node_index_amdx(graph, &info) }.expect("a node")
    };
    let payloads = [1_u32, 2, 9];
    let info = |node: u32, payloads: &[u32]| vk::DispatchGraphInfoAMDX {
        node_index: node,
        payload_count: payloads.len() as u32,
        payloads: vk::DeviceOrHostAddressConstAMDX { host_address: payloads.as_ptr().cast() },
        payload_stride: 4,
    };
    // From a node, and from the command itself.
    let infos = [info(node(c"columns"), &payloads[..2]), info(node(c"main"), &payloads[2..])];
    let all = vk::DispatchGraphCountInfoAMDX {
        count: 2,
        infos: vk::DeviceOrHostAddressConstAMDX { host_address: infos.as_ptr().cast() },
        stride: size_of::<vk::DispatchGraphInfoAMDX>() as u64,
    };
    // The pipeline that is bound for draws stays so: column 15.
    let corners = [[0.875_f32, -1.0], [1.0, -1.0], [0.875, 1.0], [0.875, 1.0], [1.0, -1.0], [1.0, 1.0]];
    canvas.fill(0, corners.map(|[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits)).as_flattened());
    let plain = canvas.pipeline(list, true);
    let drawn = canvas.draw(plain, |commands| unsafe {
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX, graph);
        device.cmd_dispatch_graph_amdx(commands, 64, 64, &all);
        device.cmd_draw(commands, 6, 1, 0, 0);
    });
    for y in 0..pyro_test_kit::canvas::SIZE {
        for x in 0..pyro_test_kit::canvas::SIZE {
            assert_eq!(drawn.at(x, y), [1, 2, 5, 6, 9, 15].contains(&x), "{x} {y}");
        }
    }
    unsafe {
        device.destroy_shader_module(module, None);
        [mesh, graph, plain].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
    }
}
