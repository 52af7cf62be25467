//! `debugPrintf` through the entry points: what shaders print comes to messengers, on each backend, without
//! the sanitizer.

use crate::on_each_backend;
use pyro_test_environment::{in_child, output_of_child};
use pyro_test_kit::compute::Compute;
use pyro_test_kit::scene::{Lab, Scene, With};
use pyro_test_kit::{Client, Message, Messages};
use vulkanalia::prelude::v1_3::*;

/// A device, and what its shaders print.
struct Listener {
    compute: Compute,
    heard: Messages,
}

impl Listener {
    fn new() -> Listener {
        let mut client = Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
        let heard = client.listen(
            vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
            vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
        );
        let features = vk::PhysicalDeviceFeatures {
            shader_int64: vk::TRUE,
            shader_float64: vk::TRUE,
            ..Default::default()
        };
        Listener { compute: client.device(&[], Some(&features), std::ptr::null_mut()).into(), heard }
    }

    /// What a dispatch of so many workgroups of a shader prints.
    fn run(&self, text: &str, workgroups: u32) -> Vec<String> {
        let device = &self.compute.device;
        let pipeline = self.compute.pipeline(self.compute.layout(&[]), text);
        self.compute.run(|commands| unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            device.cmd_dispatch(commands, workgroups, 1, 1);
        });
        let text = |message: Message| {
            assert_eq!(message.id, "VVL-DEBUG-PRINTF");
            assert_eq!(message.severity, vk::DebugUtilsMessageSeverityFlagsEXT::INFO);
            message.text
        };
        self.heard.take().into_iter().map(text).collect()
    }
}

/// A compute shader of four invocations with this body, which may print `%gid` and constants.
fn shader(strings: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
         OpCapability Int64
         OpCapability Float64
         OpExtension \"SPV_KHR_non_semantic_info\"
         %printf = OpExtInstImport \"NonSemantic.DebugPrintf\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\" %id
         OpExecutionMode %main LocalSize 4 1 1
         {strings}
         OpDecorate %id BuiltIn GlobalInvocationId
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %bool = OpTypeBool
         %uint = OpTypeInt 32 0
         %int = OpTypeInt 32 1
         %ulong = OpTypeInt 64 0
         %float = OpTypeFloat 32
         %double = OpTypeFloat 64
         %uint3 = OpTypeVector %uint 3
         %float3 = OpTypeVector %float 3
         %in_uint3 = OpTypePointer Input %uint3
         %id = OpVariable %in_uint3 Input
         %uint_2 = OpConstant %uint 2
         %int_m7 = OpConstant %int -7
         %big = OpConstant %ulong 1311768467463790320
         %half = OpConstant %float 0.5
         %wide = OpConstant %double 0.1
         %floats = OpConstantComposite %float3 %half %half %half
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %ids = OpLoad %uint3 %id
         %gid = OpCompositeExtract %uint %ids 0
         {body}
         OpReturn
         OpFunctionEnd"
    )
}

#[test]
fn prints_come_to_messengers() {
    if !on_each_backend(module_path!(), "prints_come_to_messengers", &[]) {
        return;
    }
    let listener = Listener::new();
    let text = shader(
        "%f1 = OpString \"invocation %u of %s: %d %ul %.2f %v3f\"
         %f2 = OpString \"100%%\"
         %f3 = OpString \"%lf %x\"
         %name = OpString \"main\"",
        "%p1 = OpExtInst %void %printf 1 %f1 %gid %name %int_m7 %big %half %floats
         %p2 = OpExtInst %void %printf 1 %f2
         %p3 = OpExtInst %void %printf 1 %f3 %wide %big",
    );
    let heard = listener.run(&text, 3);
    assert_eq!(heard.len(), 36, "{heard:?}");
    for invocation in 0..12 {
        let line = format!(
            "invocation {invocation} of main: -7 1311768467463790320 0.50 0.500000, 0.500000, 0.500000"
        );
        assert_eq!(heard.iter().filter(|text| **text == line).count(), 1, "{line}: {heard:?}");
    }
    assert_eq!(heard.iter().filter(|text| *text == "100%").count(), 12);
    assert_eq!(heard.iter().filter(|text| *text == "0.100000 123456789abcdef0").count(), 12);
}

#[test]
fn only_invocations_that_come_to_a_print_print() {
    if !on_each_backend(module_path!(), "only_invocations_that_come_to_a_print_print", &[]) {
        return;
    }
    let listener = Listener::new();
    let text = shader(
        "%format = OpString \"%u, loop %u\"",
        "%is_two = OpIEqual %bool %gid %uint_2
         OpSelectionMerge %end None
         OpBranchConditional %is_two %yes %end
         %yes = OpLabel
         OpBranch %header
         %header = OpLabel
         %i = OpPhi %uint %uint_2 %yes %next %continue
         %p = OpExtInst %void %printf 1 %format %gid %i
         %more = OpUGreaterThan %bool %i %uint_0
         OpLoopMerge %after %continue None
         OpBranchConditional %more %continue %after
         %continue = OpLabel
         %next = OpISub %uint %i %uint_1
         OpBranch %header
         %after = OpLabel
         OpBranch %end
         %end = OpLabel",
    )
    .replace(
        "%uint_2 = OpConstant",
        "%uint_0 = OpConstant %uint 0\n%uint_1 = OpConstant %uint 1\n%uint_2 = OpConstant",
    );
    // In the order of the invocation.
    assert_eq!(listener.run(&text, 2), ["2, loop 2", "2, loop 1", "2, loop 0"]);
}

#[test]
fn malformed_prints_do_no_harm() {
    if !on_each_backend(module_path!(), "malformed_prints_do_no_harm", &[]) {
        return;
    }
    let listener = Listener::new();
    let text = shader(
        "%bad = OpString \"%q %9999d %\"
         %few = OpString \"%u %u %v3u %s\"
         %odd = OpString \"%s %d %v2f\"",
        "%p1 = OpExtInst %void %printf 1 %bad %gid
         %p2 = OpExtInst %void %printf 1 %few %uint_2
         %p3 = OpExtInst %void %printf 1 %odd %gid %half %uint_2
         %p4 = OpExtInst %void %printf 1 %odd %fn %void %id",
    );
    let heard = listener.run(&text, 1);
    assert_eq!(heard.len(), 16, "{heard:?}");
    assert_eq!(heard.iter().filter(|text| *text == "%q %9999d %").count(), 4);
    assert_eq!(heard.iter().filter(|text| *text == "2 (none) (none) (none)").count(), 4);
    assert_eq!(heard.iter().filter(|text| *text == "(none) 0.500000 2, (none)").count(), 4);
    assert_eq!(heard.iter().filter(|text| *text == "(none) (none) (none)").count(), 4, "{heard:?}");
}

#[test]
fn reports_that_nobody_takes_are_counted() {
    if !in_child(module_path!(), "reports_that_nobody_takes_are_counted", &[]) {
        return;
    }
    let listener = Listener::new();
    let text = shader("%format = OpString \"%u\"", "%p = OpExtInst %void %printf 1 %format %gid");
    let heard = listener.run(&text, 20_000);
    assert_eq!(heard.len(), 1 << 16);
    // And the next dispatch's are heard again.
    assert_eq!(listener.run(&text, 1).len(), 4);
}

const POINT: [[[f32; 4]; 2]; 3] = [
    [[-1.0, -1.0, 0.0, 1.0], [0.0; 4]],
    [[3.0, -1.0, 0.0, 1.0], [0.0; 4]],
    [[-1.0, 3.0, 0.0, 1.0], [0.0; 4]],
];

const GRAPHICS: &str = "
    OpCapability Shader
    OpExtension \"SPV_KHR_non_semantic_info\"
    %printf = OpExtInstImport \"NonSemantic.DebugPrintf\"
    OpMemoryModel Logical GLSL450";

const TYPES: &str = "
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %int = OpTypeInt 32 1
    %float = OpTypeFloat 32
    %vec4 = OpTypeVector %float 4
    %in_vec4 = OpTypePointer Input %vec4
    %in_int = OpTypePointer Input %int
    %out_vec4 = OpTypePointer Output %vec4";

#[test]
fn vertices_and_fragments_print_once_each() {
    if !on_each_backend(
        module_path!(),
        "vertices_and_fragments_print_once_each",
        &[("PYROCLAST_PRINTF", "1")],
    ) {
        return;
    }
    let vertex = format!(
        "{GRAPHICS}
         OpEntryPoint Vertex %main \"main\" %attribute %position %index
         %format = OpString \"vertex %d at %v2f\"
         OpDecorate %attribute Location 0
         OpDecorate %position BuiltIn Position
         OpDecorate %index BuiltIn VertexIndex
         {TYPES}
         %attribute = OpVariable %in_vec4 Input
         %index = OpVariable %in_int Input
         %position = OpVariable %out_vec4 Output
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %p = OpLoad %vec4 %attribute
         %i = OpLoad %int %index
         %printed = OpExtInst %void %printf 1 %format %i %p
         OpStore %position %p
         OpReturn
         OpFunctionEnd"
    );
    let fragment = format!(
        "{GRAPHICS}
         OpEntryPoint Fragment %main \"main\" %place %color
         OpExecutionMode %main OriginUpperLeft
         %format = OpString \"pixel %.1v2f\"
         OpDecorate %place BuiltIn FragCoord
         OpDecorate %color Location 0
         {TYPES}
         %place = OpVariable %in_vec4 Input
         %color = OpVariable %out_vec4 Output
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %p = OpLoad %vec4 %place
         %printed = OpExtInst %void %printf 1 %format %p
         OpStore %color %p
         OpReturn
         OpFunctionEnd"
    );
    let lab = Lab::new(&[c"VK_KHR_shader_non_semantic_info"]);
    let picture = lab.draw(&Scene::new(&vertex, &fragment, &POINT), With::Pipeline);
    assert_eq!(picture.at(0, 3, 5)[..2], [3.5, 5.5]);
}

/// The lines that the test above prints, in a process of its own.
#[test]
fn prints_go_to_standard_error_when_asked() {
    let test = "vertices_and_fragments_print_once_each";
    let output = output_of_child(module_path!(), test, &[("PYROCLAST_PRINTF", "1")]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = |wanted: &str| text.lines().filter(|line| line.ends_with(wanted)).count();
    assert_eq!(lines("pyroclast: vertex 2 at -1.000000, 3.000000"), 1, "{text}");
    for (x, y) in [(0, 0), (15, 15), (3, 9)] {
        assert_eq!(lines(&format!("pixel {x}.5, {y}.5")), 1, "{text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains("pixel ")).count(), 256);
    let quiet = output_of_child(module_path!(), test, &[("PYROCLAST_PRINTF", "0")]);
    assert!(!String::from_utf8_lossy(&quiet.stderr).contains("pixel "));
}
