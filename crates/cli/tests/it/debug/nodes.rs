//! Nodes of execution graphs.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the Vulkan API

use super::client::Client;
use super::{Folder, script, text};
use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::compute::Compute;
use serde_json::json;
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::AmdxShaderEnqueueExtensionDeviceCommands as _;

/// `start` hands its payload and five to `leaf`, which doubles it and adds it to the buffer. Lines are
/// counted on.
const NODES: &str = "
    OpCapability Shader
    OpCapability ShaderEnqueueAMDX
    OpExtension \"SPV_AMDX_shader_enqueue\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %start \"start\" %buffer %start_in
    OpEntryPoint GLCompute %leaf \"leaf\" %buffer %leaf_in
    OpExecutionMode %start LocalSize 1 1 1
    OpExecutionModeId %start StaticNumWorkgroupsAMDX %c1 %c1 %c1
    OpExecutionMode %leaf LocalSize 1 1 1
    OpExecutionModeId %leaf StaticNumWorkgroupsAMDX %c1 %c1 %c1
    %file = OpString \"nodes.case\"
    OpDecorate %array ArrayStride 4
    OpDecorate %block BufferBlock
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %buffer DescriptorSet 0
    OpDecorate %buffer Binding 0
    OpMemberDecorate %Payload 0 Offset 0
    OpDecorateId %Leaves PayloadNodeNameAMDX %name_leaf
    OpDecorateId %Leaves NodeMaxPayloadsAMDX %c2
    OpDecorateId %Leaves PayloadNodeArraySizeAMDX %c1
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %array = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %array
    %blocks = OpTypePointer Uniform %block
    %word = OpTypePointer Uniform %uint
    %buffer = OpVariable %blocks Uniform
    %c0 = OpConstant %uint 0
    %c1 = OpConstant %uint 1
    %c2 = OpConstant %uint 2
    %c5 = OpConstant %uint 5
    %name_leaf = OpConstantStringAMDX \"leaf\"
    %Payload = OpTypeStruct %uint
    %Starts = OpTypeNodePayloadArrayAMDX %Payload
    %Leaves = OpTypeNodePayloadArrayAMDX %Payload
    %to_starts = OpTypePointer NodePayloadAMDX %Starts
    %to_leaves = OpTypePointer NodePayloadAMDX %Leaves
    %to_uint = OpTypePointer NodePayloadAMDX %uint
    %start_in = OpVariable %to_starts NodePayloadAMDX
    %leaf_in = OpVariable %to_leaves NodePayloadAMDX
    %start = OpFunction %void None %fn
    %s0 = OpLabel
    OpLine %file 3 1
    %s_from = OpAccessChain %to_uint %start_in %c0 %c0
    %s_value = OpLoad %uint %s_from
    OpLine %file 4 1
    %s_more = OpIAdd %uint %s_value %c5
    OpLine %file 5 1
    %s_out = OpAllocateNodePayloadsAMDX %to_leaves %c2 %c1 %c0
    %s_to = OpAccessChain %to_uint %s_out %c0 %c0
    OpStore %s_to %s_more
    OpEnqueueNodePayloadsAMDX %s_out
    OpReturn
    OpFunctionEnd
    %leaf = OpFunction %void None %fn
    %l0 = OpLabel
    OpLine %file 9 1
    %l_from = OpAccessChain %to_uint %leaf_in %c0 %c0
    %l_value = OpLoad %uint %l_from
    OpLine %file 10 1
    %l_double = OpIMul %uint %l_value %c2
    OpLine %file 11 1
    %l_to = OpAccessChain %word %buffer %c0 %c0
    %l_old = OpAtomicIAdd %uint %l_to %c1 %c0 %l_double
    OpReturn
    OpFunctionEnd
";

/// The program that is captured: payloads 7 and 30 for `start`, from the program's memory.
#[test]
fn nodes_for_other_tests() {
    if !is_child() {
        return;
    }
    let mut enqueue =
        vk::PhysicalDeviceShaderEnqueueFeaturesAMDX { shader_enqueue: vk::TRUE, ..Default::default() };
    let mut core = vk::PhysicalDeviceVulkan12Features {
        next: (&raw mut enqueue).cast(),
        buffer_device_address: vk::TRUE,
        ..Default::default()
    };
    let extensions = [c"VK_AMDX_shader_enqueue", c"VK_KHR_pipeline_library"];
    let compute = Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut core).cast::<c_void>());
    let device = &compute.device;
    let set_layout = compute
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set, words) = (compute.layout(&[set_layout]), compute.set(set_layout), compute.buffer(4));
    compute.write(set, words.buffer);
    let usage =
        vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::EXECUTION_GRAPH_SCRATCH_AMDX;
    let scratch = compute.buffer_with(1024, usage);
    let info = vk::BufferDeviceAddressInfo::builder().buffer(scratch.buffer);
    let scratch = unsafe { device.get_buffer_device_address(&info) }.next_multiple_of(64);
    let module = compute.shader_module(NODES);
    let stages = [c"start", c"leaf"].map(|name| vk::PipelineShaderStageCreateInfo {
        stage: vk::ShaderStageFlags::COMPUTE,
        module,
        name: name.as_ptr(),
        ..Default::default()
    });
    let info = vk::ExecutionGraphPipelineCreateInfoAMDX {
        stage_count: stages.len() as u32,
        stages: stages.as_ptr(),
        layout,
        ..Default::default()
    };
    let mut graph = vk::Pipeline::null();
    let code = unsafe {
        (device.commands().create_execution_graph_pipelines_amdx)(
            device.handle(),
            vk::PipelineCache::null(),
            1,
            &raw const info,
            std::ptr::null(),
            &raw mut graph,
        )
    };
    assert_eq!(code, vk::Result::SUCCESS);
    let payloads = [7_u32, 30];
    unsafe {
        let node =
            vk::PipelineShaderStageNodeCreateInfoAMDX { name: c"start".as_ptr(), ..Default::default() };
        let node = device.get_execution_graph_pipeline_node_index_amdx(graph, &node).expect("a node");
        let info = vk::DispatchGraphInfoAMDX {
            node_index: node,
            payload_count: 2,
            payloads: vk::DeviceOrHostAddressConstAMDX { host_address: payloads.as_ptr().cast() },
            payload_stride: 4,
        };
        let infos = vk::DispatchGraphCountInfoAMDX {
            count: 1,
            infos: vk::DeviceOrHostAddressConstAMDX { host_address: (&raw const info).cast() },
            stride: size_of::<vk::DispatchGraphInfoAMDX>() as u64,
        };
        compute.run(|commands| {
            let point = vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX;
            device.cmd_bind_pipeline(commands, point, graph);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_initialize_graph_scratch_memory_amdx(commands, graph, scratch, 64);
            device.cmd_dispatch_graph_amdx(commands, scratch, 64, &infos);
        });
        device.destroy_pipeline(graph, None);
        device.destroy_shader_module(module, None);
    }
    assert_eq!(words.words()[0], 2 * (7 + 5) + 2 * (30 + 5));
}

#[test]
fn nodes_are_stepped() {
    let folder = Folder::new("nodes");
    let file = folder.path("nodes.pyro");
    let output = output_of_child(module_path!(), "nodes_for_other_tests", &[("PYROCLAST_CAPTURE", &file)]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let mut client = Client::start(&[&file]);
    let stop = client.launch(json!({}), |client| {
        let lines = json!([{ "line": 4 }, { "line": 10 }]);
        let set = json!({ "source": { "path": "nodes.case" }, "breakpoints": lines });
        let set = client.request("setBreakpoints", set);
        assert_eq!(set["breakpoints"][1]["verified"], true, "{set}");
    });
    assert_eq!((&stop["reason"], client.line()), (&json!("breakpoint"), 4));
    let events = client.request("pyroclast/events", json!({}));
    assert_eq!(events["events"][0]["kind"], "Graph");
    let has = |client: &mut Client, value: &str| client.scope("Ids").iter().any(|one| one.1 == value);
    assert!(has(&mut client, "7") || has(&mut client, "30"));
    client.end();
    // The node that gets what the first one hands on.
    let mut client = Client::start(&[&file]);
    client.launch(json!({}), |client| {
        let set = json!({ "source": { "path": "nodes.case" }, "breakpoints": [{ "line": 10 }] });
        client.request("setBreakpoints", set);
    });
    assert_eq!((client.line(), client.frames()[0]["name"].clone()), (10, json!("leaf")));
    let is_first = has(&mut client, "12");
    assert!(is_first || has(&mut client, "35"));
    let double = if is_first { "24" } else { "70" };
    assert!(!has(&mut client, double));
    client.go("next");
    assert_eq!((client.line(), has(&mut client, double)), (11, true));
    client.go("stepBack");
    assert_eq!((client.line(), has(&mut client, double)), (10, false));
    client.end();
    let output = script(&file, &[], "break leaf\nrun\nwhere\n");
    let printed = text(&output.stdout);
    assert!(printed.contains("#0 leaf at nodes.case:9"), "{printed}");
    assert!(!printed.contains("are not those of the capture"), "{printed}");
}
