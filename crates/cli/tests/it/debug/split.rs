//! Debug information as optimizing compilers write it (Slang, and DXC without `-Od`): no variable is in
//! memory, a structure is known by its members, and calls have become part of the caller.

use super::client::Client;
use super::{Folder, pyroclast, text};
use serde_json::json;

pub(crate) const SOURCE: &str = "\
struct Item { float weight; uint count; };
RWStructuredBuffer<float> data;
float twice(float x)
{
    float y = x + x;
    return y;
}
void main(uint3 id : SV_DispatchThreadID)
{
    Item item = { data[id.x], id.x + 1 };
    float sum = 0.0;
    for (int i = 0; i < 3; ++i)
        sum += twice(item.weight);
    data[id.x] = sum;
}
";

/// A module in the forms of slangc 2026.12 with `-g`: `DebugValue` with indices for members, of constants
/// too, `DebugScope` with `DebugInlinedAt` for the call.
pub(crate) const MODULE: &str = "
OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %gid
OpExecutionMode %main LocalSize 4 1 1
%text = OpString \"SOURCE\"
%file = OpString \"split.slang\"
%s_main = OpString \"main\"
%s_twice = OpString \"twice\"
%s_float = OpString \"float\"
%s_uint = OpString \"uint\"
%s_item_type = OpString \"Item\"
%s_weight = OpString \"weight\"
%s_count = OpString \"count\"
%s_item = OpString \"item\"
%s_sum = OpString \"sum\"
%s_i = OpString \"i\"
%s_x = OpString \"x\"
%s_y = OpString \"y\"
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%in_uint3 = OpTypePointer Input %uint3
%gid = OpVariable %in_uint3 Input
%array = OpTypeRuntimeArray %float
%block = OpTypeStruct %array
%blocks = OpTypePointer StorageBuffer %block
%number = OpTypePointer StorageBuffer %float
%data = OpVariable %blocks StorageBuffer
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c5 = OpConstant %uint 5
%c6 = OpConstant %uint 6
%c8 = OpConstant %uint 8
%c10 = OpConstant %uint 10
%c11 = OpConstant %uint 11
%c12 = OpConstant %uint 12
%c13 = OpConstant %uint 13
%c14 = OpConstant %uint 14
%c32 = OpConstant %uint 32
%c64 = OpConstant %uint 64
%c100 = OpConstant %uint 100
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i3 = OpConstant %int 3
%f0 = OpConstant %float 0
%expression = OpExtInst %void %set DebugExpression
%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %c100 %c5 %source %c11
%d_float = OpExtInst %void %set DebugTypeBasic %s_float %c32 %c3 %c0
%d_uint = OpExtInst %void %set DebugTypeBasic %s_uint %c32 %c6 %c0
%d_weight = OpExtInst %void %set DebugTypeMember %s_weight %d_float %source %c1 %c1 %c0 %c32 %c0
%d_count = OpExtInst %void %set DebugTypeMember %s_count %d_uint %source %c1 %c1 %c32 %c32 %c0
%d_item = OpExtInst %void %set DebugTypeComposite %s_item_type %c1 %source %c1 %c1 %unit %s_item_type %c64 %c0 %d_weight %d_count
%d_fn = OpExtInst %void %set DebugTypeFunction %c0 %void
%d_main = OpExtInst %void %set DebugFunction %s_main %d_fn %source %c8 %c1 %unit %s_main %c0 %c8
%d_twice = OpExtInst %void %set DebugFunction %s_twice %d_fn %source %c3 %c1 %unit %s_twice %c0 %c3
%v_item = OpExtInst %void %set DebugLocalVariable %s_item %d_item %source %c10 %c1 %d_main %c0
%v_sum = OpExtInst %void %set DebugLocalVariable %s_sum %d_float %source %c11 %c1 %d_main %c0
%v_i = OpExtInst %void %set DebugLocalVariable %s_i %d_uint %source %c12 %c1 %d_main %c0
%v_x = OpExtInst %void %set DebugLocalVariable %s_x %d_float %source %c3 %c1 %d_twice %c0 %c1
%v_y = OpExtInst %void %set DebugLocalVariable %s_y %d_float %source %c5 %c1 %d_twice %c0
%inlined = OpExtInst %void %set DebugInlinedAt %c13 %d_main
%main = OpFunction %void None %fn
%entry = OpLabel
%n0 = OpExtInst %void %set DebugScope %d_main
%n1 = OpExtInst %void %set DebugLine %source %c10 %c10 %c1 %c1
%ids = OpLoad %uint3 %gid
%id = OpCompositeExtract %uint %ids 0
%at = OpAccessChain %number %data %c0 %id
%weight = OpLoad %float %at
%count = OpIAdd %uint %id %c1
%n2 = OpExtInst %void %set DebugValue %v_item %weight %expression %i0
%n3 = OpExtInst %void %set DebugValue %v_item %count %expression %i1
%n4 = OpExtInst %void %set DebugLine %source %c11 %c11 %c1 %c1
%n5 = OpExtInst %void %set DebugValue %v_sum %f0 %expression
%n6 = OpExtInst %void %set DebugLine %source %c12 %c12 %c1 %c1
%n7 = OpExtInst %void %set DebugValue %v_i %i0 %expression
OpBranch %header
%header = OpLabel
%i = OpPhi %int %i0 %entry %next %continue
%sum = OpPhi %float %f0 %entry %more %continue
%n8 = OpExtInst %void %set DebugScope %d_main
%n9 = OpExtInst %void %set DebugLine %source %c12 %c12 %c1 %c1
OpLoopMerge %merge %continue None
OpBranch %test
%test = OpLabel
%n10 = OpExtInst %void %set DebugScope %d_main
%n11 = OpExtInst %void %set DebugLine %source %c12 %c12 %c1 %c1
%goes = OpSLessThan %bool %i %i3
OpBranchConditional %goes %body %merge
%body = OpLabel
%n12 = OpExtInst %void %set DebugScope %d_twice %inlined
%n13 = OpExtInst %void %set DebugLine %source %c3 %c3 %c1 %c1
%n14 = OpExtInst %void %set DebugValue %v_x %weight %expression
%n15 = OpExtInst %void %set DebugLine %source %c5 %c5 %c1 %c1
%y = OpFAdd %float %weight %weight
%n16 = OpExtInst %void %set DebugValue %v_y %y %expression
%n17 = OpExtInst %void %set DebugScope %d_main
%n18 = OpExtInst %void %set DebugLine %source %c13 %c13 %c1 %c1
%more = OpFAdd %float %sum %y
%n19 = OpExtInst %void %set DebugValue %v_sum %more %expression
OpBranch %continue
%continue = OpLabel
%n20 = OpExtInst %void %set DebugScope %d_main
%n21 = OpExtInst %void %set DebugLine %source %c12 %c12 %c1 %c1
%next = OpIAdd %int %i %i1
%n22 = OpExtInst %void %set DebugValue %v_i %next %expression
OpBranch %header
%merge = OpLabel
%n23 = OpExtInst %void %set DebugScope %d_main
%n24 = OpExtInst %void %set DebugLine %source %c14 %c14 %c1 %c1
OpStore %at %more_or_none
OpReturn
OpFunctionEnd
";

/// Captures a run of the module, in a folder of this name.
fn capture(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let [module, file] = ["split.spv", "split.pyro"].map(|name| folder.path(name));
    let assembly = MODULE.replace("SOURCE", SOURCE).replace("%more_or_none", "%sum");
    let words = pyro_spirv::asm::assemble(&assembly).expect("assembly");
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    std::fs::write(&module, bytes).expect("a file");
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let run = ["run", &module, "--groups", "1", "--buffer", "0.0=f32:1,2,3,4", "--print", "0.0=f32"];
    let output = pyroclast(&[&["capture", "-o", &file, "--", program][..], &run].concat());
    assert_eq!(text(&output.stdout).trim(), "0.0: 6.0 12.0 18.0 24.0", "{}", text(&output.stderr));
    (folder, file)
}

/// Names and lines of the frames where it stands.
fn frames(client: &mut Client) -> Vec<(String, u64)> {
    let name = |frame: &serde_json::Value| frame["name"].as_str().expect("a name").to_owned();
    client.frames().iter().map(|frame| (name(frame), frame["line"].as_u64().expect("a line"))).collect()
}

/// The value of an expression in a frame.
fn value_in(client: &mut Client, frame: usize, expression: &str) -> String {
    let id = client.frames()[frame]["id"].clone();
    let result = client.try_request("evaluate", json!({ "expression": expression, "frameId": id }));
    result.map_or_else(
        |error| format!("error: {error}"),
        |body| body["result"].as_str().expect("text").to_owned(),
    )
}

/// A call that is inlined is a frame with the line of the call, and is stepped into, over and out of.
#[test]
fn inlined_calls_are_frames() {
    let (_folder, file) = capture("split-frames");
    let mut client = Client::start(&[&file]);
    client.launch(json!({ "target": { "local": [2, 0, 0] }, "stopOnEntry": true }), |_| {});
    let main = |line: u64| vec![("main".to_owned(), line)];
    let twice = || vec![("twice".to_owned(), 5), ("main".to_owned(), 13)];
    assert_eq!(frames(&mut client), main(10));
    client.go("next");
    assert_eq!(frames(&mut client), main(12));
    client.go("next");
    assert_eq!(frames(&mut client), main(13));
    // About to call: nothing of the function has run.
    assert_eq!(client.value("sum"), "0.0");
    assert!(client.value("x").starts_with("error"), "{}", client.value("x"));
    client.go("stepIn");
    assert_eq!(frames(&mut client), twice());
    assert_eq!(
        (value_in(&mut client, 0, "x"), value_in(&mut client, 1, "sum")),
        ("3.0".into(), "0.0".into())
    );
    assert!(value_in(&mut client, 1, "x").starts_with("error"), "{}", value_in(&mut client, 1, "x"));
    client.go("stepOut");
    assert_eq!(frames(&mut client), main(13));
    client.go("next");
    assert_eq!((frames(&mut client), client.value("sum")), (main(12), "6.0".into()));
    // Back over the call, then over it.
    client.go("stepBack");
    assert_eq!((frames(&mut client), client.value("sum")), (main(13), "0.0".into()));
    client.go("next");
    assert_eq!(frames(&mut client), main(12));
    // Breakpoints on the line of the call, and on the function.
    let source = json!({ "path": "split.slang" });
    client.request("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": 13 }] }));
    client.go("continue");
    assert_eq!((frames(&mut client), client.value("i")), (main(13), "1".into()));
    client.request("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "twice" }] }));
    client.go("continue");
    assert_eq!((frames(&mut client), value_in(&mut client, 1, "i")), (twice(), "1".into()));
    client.go("continue");
    assert_eq!((frames(&mut client), client.value("i")), (main(13), "2".into()));
    client.end();
}

#[test]
fn variables_without_memory_have_names_and_members() {
    let (_folder, file) = capture("split");
    let mut client = Client::start(&[&file]);
    client.launch(json!({ "target": { "local": [2, 0, 0] } }), |client| {
        let source = json!({ "path": "split.slang" });
        client.request("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": 5 }] }));
    });
    // In the call, whose caller has the other variables.
    assert_eq!((client.line(), client.value("x")), (5, "3.0".into()));
    let values = |client: &mut Client| {
        ["sum", "item.weight", "item.count", "item.weight * 2.0 + 1.0"].map(|name| value_in(client, 1, name))
    };
    assert_eq!(values(&mut client), ["0.0", "3.0", "3", "7.0"]);
    // Behind it, its variables are not there.
    client.go("stepOut");
    assert_eq!((client.line(), client.value("item.count")), (13, "3".into()));
    assert!(client.value("y").starts_with("error: "), "{}", client.value("y"));
    // The second time round, the sum is that of the first.
    let caller = |client: &mut Client| ["sum", "i"].map(|name| value_in(client, 1, name));
    client.go("continue");
    assert_eq!((client.line(), caller(&mut client)), (5, ["6.0", "1"].map(str::to_owned)));
    client.go("continue");
    assert_eq!((client.line(), caller(&mut client)), (5, ["12.0", "2"].map(str::to_owned)));
    client.go("stepBack");
    client.go("reverseContinue");
    assert_eq!(caller(&mut client), ["6.0", "1"].map(str::to_owned));
    let names = |client: &mut Client| -> Vec<String> {
        client.scope("Locals").into_iter().map(|one| one.0).collect()
    };
    assert_eq!(names(&mut client), ["x"]);
    client.go("stepOut");
    assert_eq!(names(&mut client), ["item.weight", "item.count", "sum", "i"]);
    client.end();
}
