//! `OpAbortKHR` (`VK_KHR_shader_abort`) and constant data (`VK_KHR_shader_constant_data`) through the entry
//! points, on each backend.

use crate::on_each_backend;
use pyro_driver::registry_supplement as new;
use pyro_test_kit::Gpu;
use pyro_test_kit::compute::{Compute, shader};
use pyro_test_kit::scene::{Lab, Scene, With};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

fn context() -> Compute {
    let mut small =
        vk::PhysicalDeviceShaderFloat16Int8Features::builder().shader_int8(true).shader_float16(true);
    let mut faults = new::PhysicalDeviceFaultFeaturesKHR { device_fault: 1, ..Default::default() };
    let mut data =
        new::PhysicalDeviceShaderConstantDataFeaturesKHR { shader_constant_data: 1, ..Default::default() };
    let mut abort = new::PhysicalDeviceShaderAbortFeaturesKHR { shader_abort: 1, ..Default::default() };
    faults.next = (&raw mut small).cast();
    data.next = (&raw mut faults).cast();
    abort.next = (&raw mut data).cast();
    let extensions = [c"VK_KHR_device_fault", c"VK_KHR_shader_constant_data", c"VK_KHR_shader_abort"];
    Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut abort).cast())
}

/// A shader with constant data: `%text` is `x=%u, y=%f` with a zero, `%table` can be specialized.
fn with_data(declarations: &str, body: &str) -> String {
    shader(body)
        .replace(
            "OpCapability Shader",
            "OpCapability Shader OpCapability Int8 OpCapability Float16
             OpCapability AbortKHR OpCapability ConstantDataKHR
             OpExtension \"SPV_KHR_abort\" OpExtension \"SPV_KHR_constant_data\"",
        )
        .replace(
            "OpDecorate %id BuiltIn",
            "OpDecorate %chars UTFEncodedKHR
             OpDecorate %chars ArrayStride 1
             OpDecorate %table SpecId 7
             OpMemberDecorate %message 0 Offset 0
             OpMemberDecorate %message 1 Offset 12
             OpMemberDecorate %message 2 Offset 16
             OpMemberDecorate %message 3 Offset 18
             OpDecorate %id BuiltIn",
        )
        .replace(
            "%main = OpFunction",
            &format!(
                "%char = OpTypeInt 8 0
                 %float = OpTypeFloat 32
                 %half = OpTypeFloat 16
                 %uint_11 = OpConstant %uint 11
                 %chars = OpTypeArray %char %uint_11
                 %text = OpConstantDataKHR %chars 0x75253d78 0x3d79202c 0x00006625
                 %words3 = OpTypeArray %uint %uint_3
                 %table = OpSpecConstantDataKHR %words3 10 20 30
                 %half_1_5 = OpConstant %half 1.5
                 %message = OpTypeStruct %chars %uint %half %char
                 {declarations}
                 %main = OpFunction"
            ),
        )
}

/// The shader that aborts in one invocation.
fn aborting(invocation: u32) -> String {
    with_data(
        &format!("%chosen = OpConstant %uint {invocation} %uint_48 = OpConstant %uint 48"),
        "%value = OpIAdd %uint %gid %uint_48
         %small = OpUConvert %char %value
         %place = OpAccessChain %word %buffer %uint_0 %gid
         OpStore %place %value
         %is = OpIEqual %bool %gid %chosen
         OpSelectionMerge %after None
         OpBranchConditional %is %yes %after
         %yes = OpLabel
         %said = OpCompositeConstruct %message %text %value %half_1_5 %small
         OpAbortKHR %message %said
         %after = OpLabel",
    )
}

struct Made {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
}

fn make(context: &Compute, text: &str, constants: Option<&vk::SpecializationInfo>) -> Made {
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let module = context.shader_module(text);
    let mut stage = vk::PipelineShaderStageCreateInfo::builder()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(b"main\0");
    if let Some(constants) = constants {
        stage = stage.specialization_info(constants);
    }
    let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
    let made = unsafe {
        context.device.create_compute_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None)
    };
    Made { pipeline: made.expect("a pipeline").0[0], layout, set: context.set(set_layout) }
}

fn dispatch(context: &Compute, made: &Made, commands: vk::CommandBuffer) {
    let device = &context.device;
    unsafe {
        device.cmd_bind_pipeline(commands, POINT, made.pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, made.layout, 0, &[made.set], &[]);
        let stage = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, made.layout, stage, 0, &0_u32.to_le_bytes());
        device.cmd_dispatch(commands, 64, 1, 1);
    }
}

/// What `vkGetDeviceFaultDebugInfoKHR` says of messages: the code, and the bytes for which there is room.
fn messages(context: &Gpu, room: Option<usize>) -> (vk::Result, u64, Vec<u8>) {
    let mut bytes = vec![0xAA; room.unwrap_or(0)];
    let mut said = new::DeviceFaultShaderAbortMessageInfoKHR {
        message_data_size: bytes.len() as u64,
        message_data: if room.is_some() { bytes.as_mut_ptr().cast() } else { std::ptr::null_mut() },
        ..Default::default()
    };
    let mut info = new::DeviceFaultDebugInfoKHR { next: (&raw mut said).cast(), ..Default::default() };
    let code = unsafe {
        let debug: new::PFN_vkGetDeviceFaultDebugInfoKHR =
            std::mem::transmute(context.proc_address(c"vkGetDeviceFaultDebugInfoKHR"));
        debug(context.device.handle(), &mut info)
    };
    (code, said.message_data_size, bytes)
}

#[test]
fn an_abort_loses_the_device_and_tells_its_message() {
    if !on_each_backend(module_path!(), "an_abort_loses_the_device_and_tells_its_message", &[]) {
        return;
    }
    // No invocation aborts.
    let fine = context();
    let made = make(&fine, &aborting(1000), None);
    let target = fine.buffer(64);
    fine.write(made.set, target.buffer);
    fine.run(|commands| dispatch(&fine, &made, commands));
    assert_eq!(target.words()[..], (48..112).collect::<Vec<u32>>());

    let context = context();
    let made = make(&context, &aborting(5), None);
    context.write(made.set, context.buffer(64).buffer);
    let commands = context.record(|commands| dispatch(&context, &made, commands));
    let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
    unsafe {
        let device = &context.device;
        let submitted = device.queue_submit(context.queue, slice::from_ref(&submit), vk::Fence::null());
        let waited = submitted.and_then(|()| device.queue_wait_idle(context.queue));
        assert_eq!(waited, Err(vk::ErrorCode::DEVICE_LOST));
        let query: new::PFN_vkGetDeviceFaultReportsKHR =
            std::mem::transmute(context.proc_address(c"vkGetDeviceFaultReportsKHR"));
        let (mut count, mut info) = (1, new::DeviceFaultInfoKHR::default());
        assert_eq!(query(device.handle(), 0, &mut count, &mut info), vk::Result::SUCCESS);
        let text = info.description.to_string();
        assert!(text.contains("the shader aborts: x=53, y=1.5"), "{text}");
    }
    let (code, size, _) = messages(&context, None);
    assert_eq!((code, size), (vk::Result::SUCCESS, 8 + 19));
    let (code, size, bytes) = messages(&context, Some(64));
    assert_eq!((code, size), (vk::Result::SUCCESS, 8 + 19));
    let mut expected = 19_u64.to_le_bytes().to_vec();
    expected.extend_from_slice(b"x=%u, y=%f\0");
    expected.extend_from_slice(&[0, 53, 0, 0, 0, 0x00, 0x3e, 53]);
    assert_eq!(bytes[..27], expected);
    assert_eq!(bytes[27..], [0xAA; 37]);
    assert_eq!(messages(&context, Some(8)).0, vk::Result::INCOMPLETE);
}

/// Elements of constant data, by an index that is not constant, with the values of the module and with
/// others.
#[test]
fn constant_data_can_be_specialized() {
    if !on_each_backend(module_path!(), "constant_data_can_be_specialized", &[]) {
        return;
    }
    let text = with_data(
        "%table_place = OpTypePointer Function %words3 %word_place = OpTypePointer Function %uint",
        "%index = OpUMod %uint %gid %uint_3
         %element = OpAccessChain %word_place %copy %index
         %loaded = OpLoad %uint %element
         %letter = OpCompositeExtract %char %text 4
         %wide = OpUConvert %uint %letter
         %sum = OpIAdd %uint %loaded %wide
         %place = OpAccessChain %word %buffer %uint_0 %gid
         OpStore %place %sum",
    )
    .replace("%entry = OpLabel", "%entry = OpLabel %copy = OpVariable %table_place Function %table");
    let context = context();
    let run = |constants: Option<&vk::SpecializationInfo>| {
        let made = make(&context, &text, constants);
        let target = context.buffer(64);
        context.write(made.set, target.buffer);
        context.run(|commands| dispatch(&context, &made, commands));
        target.words()[..4].to_vec()
    };
    let letter = u32::from(b',');
    assert_eq!(run(None), [10, 20, 30, 10].map(|value| value + letter));
    let values = [7_u32, 8, 9];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    for (size, expected) in [(12, [7, 8, 9, 7]), (8, [10, 20, 30, 10])] {
        let entry = vk::SpecializationMapEntry { constant_id: 7, offset: 0, size };
        let constants =
            vk::SpecializationInfo::builder().map_entries(slice::from_ref(&entry)).data(&bytes[..size]);
        assert_eq!(run(Some(&constants)), expected.map(|value| value + letter), "{size} bytes");
    }
}

const TRIANGLE: [[[f32; 4]; 2]; 3] = [
    [[-1.0, -1.0, 0.0, 1.0], [0.0; 4]],
    [[3.0, -1.0, 0.0, 1.0], [0.0; 4]],
    [[-1.0, 3.0, 0.0, 1.0], [0.0; 4]],
];

/// A shader of a graphics stage that stores a constant to its output, and aborts with its input where that is
/// less than a number.
fn stage(model: &str, modes: &str, decorations: &str, abort_below: f32) -> String {
    format!(
        "OpCapability Shader OpCapability AbortKHR OpExtension \"SPV_KHR_abort\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint {model} %main \"main\" %given %made
         {modes}
         {decorations}
         OpMemberDecorate %message 0 Offset 0
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %bool = OpTypeBool
         %float = OpTypeFloat 32
         %vec4 = OpTypeVector %float 4
         %message = OpTypeStruct %vec4
         %in_vec4 = OpTypePointer Input %vec4
         %out_vec4 = OpTypePointer Output %vec4
         %given = OpVariable %in_vec4 Input
         %made = OpVariable %out_vec4 Output
         %limit = OpConstant %float {abort_below:?}
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %value = OpLoad %vec4 %given
         %x = OpCompositeExtract %float %value 0
         %is = OpFOrdLessThan %bool %x %limit
         OpSelectionMerge %after None
         OpBranchConditional %is %yes %after
         %yes = OpLabel
         %said = OpCompositeConstruct %message %value
         OpAbortKHR %message %said
         %after = OpLabel
         OpStore %made %value
         OpReturn
         OpFunctionEnd"
    )
}

/// Vertices and fragments abort, the latter by a pipeline and by shader objects.
#[test]
fn stages_of_graphics_abort() {
    if !on_each_backend(module_path!(), "stages_of_graphics_abort", &[]) {
        return;
    }
    let vertex = |limit| {
        let decorations = "OpDecorate %given Location 0 OpDecorate %made BuiltIn Position";
        stage("Vertex", "", decorations, limit)
    };
    let fragment = |limit| {
        let decorations = "OpDecorate %given BuiltIn FragCoord OpDecorate %made Location 0";
        stage("Fragment", "OpExecutionMode %main OriginUpperLeft", decorations, limit)
    };
    let (never, nearly_never) = (-9.0, 1.0);
    for (limits, with, expected) in [
        ((never, never), With::Pipeline, None),
        ((-0.5, never), With::Pipeline, Some(-1.0)),
        ((never, nearly_never), With::Pipeline, Some(0.5)),
        ((never, nearly_never), With::Objects, Some(0.5)),
    ] {
        let lab = Lab::new(&[c"VK_KHR_device_fault"]);
        let scene = Scene::new(&vertex(limits.0), &fragment(limits.1), &TRIANGLE);
        let drawn = lab.try_draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw(commands, 3, 1, 0, 0);
        });
        let Some(x) = expected else {
            assert_eq!(drawn.expect("a picture").at(0, 3, 5)[..2], [3.5, 5.5]);
            continue;
        };
        assert_eq!(drawn.err(), Some(vk::ErrorCode::DEVICE_LOST));
        let (code, _, bytes) = messages(&lab, Some(1 << 20));
        assert_eq!((code, bytes[..8].to_vec()), (vk::Result::SUCCESS, 16_u64.to_le_bytes().to_vec()));
        assert_eq!(bytes[8..12], f32::to_le_bytes(x));
    }
}
