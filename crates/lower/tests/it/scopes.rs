//! Scopes of barriers, atomics and group operations.

use crate::support::{Test, layout, lower, storage};
use pyro_lower::ErrorKind;
use pyro_shadertext::Shader;
use pyro_spirv::{Specialization, asm};

fn module(body: &str) -> String {
    Shader::compute(
        [64, 1, 1],
        &format!(
            "%i = OpLoad %uint %index
            %l = OpLoad %uint %lane
            %place = OpAccessChain %buffer_uint %out %uint_0 %i
            %cell = OpAccessChain %shared_uint %shared %i
            {body}"
        ),
    )
    .vulkan_memory_model()
    .capability("VulkanMemoryModelDeviceScope GroupNonUniform GroupNonUniformQuad")
    .input("index", "uint", "BuiltIn LocalInvocationIndex")
    .input("lane", "uint", "BuiltIn SubgroupLocalInvocationId")
    .buffers(&["out"])
    .interface("%shared")
    .declare(
        "%array = OpTypeArray %uint %uint_64
        %acquire_release = OpConstant %uint 0x108
        %available_visible = OpConstant %uint 0x6108
        %uniform_release = OpConstant %uint 0x6048
        %shared = OpVariable %shared_array Workgroup",
    )
    .text()
}

/// What 64 invocations make of a buffer of 65 zeros.
fn run(body: &str) -> Vec<u32> {
    Test::of_text(&module(body), vec![storage(vec![0; 65])]).result(0)
}

/// Invocations of a subgroup see behind its barrier what the others wrote before it: here, of their pair.
#[test]
fn barriers_of_the_subgroup() {
    let body = "
        OpStore %cell %i MakePointerAvailable|NonPrivatePointer %uint_3
        OpControlBarrier %uint_3 %uint_3 %available_visible
        %other = OpBitwiseXor %uint %i %uint_1
        %other_cell = OpAccessChain %shared_uint %shared %other
        %seen = OpLoad %uint %other_cell MakePointerVisible|NonPrivatePointer %uint_3
        OpMemoryBarrier %uint_3 %available_visible
        OpStore %cell %seen MakePointerAvailable|NonPrivatePointer %uint_3
        OpControlBarrier %uint_3 %uint_3 %available_visible
        %again = OpLoad %uint %other_cell MakePointerVisible|NonPrivatePointer %uint_3
        %high = OpIMul %uint %again %uint_64
        %both = OpIAdd %uint %high %seen
        OpStore %place %both";
    let expected: Vec<u32> = (0..64).map(|i| i * 64 + (i ^ 1)).collect();
    assert_eq!(run(body)[..64], expected);
}

/// Atomics at every scope that Vulkan has, on buffers and workgroup memory.
#[test]
fn atomics_at_every_scope() {
    for scope in ["%uint_1", "%uint_2", "%uint_3", "%uint_5"] {
        let body = format!(
            "
            %counter = OpAccessChain %buffer_uint %out %uint_0 %uint_64
            %before = OpAtomicIAdd %uint %counter {scope} %uint_0 %uint_3
            OpMemoryBarrier {scope} %uniform_release
            %zero = OpAtomicExchange %uint %cell {scope} %uint_0 %uint_5
            %five = OpAtomicIAdd %uint %cell {scope} %uint_0 %uint_1
            %six = OpAtomicLoad %uint %cell {scope} %uint_0
            %sum = OpIAdd %uint %five %six
            OpAtomicStore %place {scope} %uint_0 %sum"
        );
        let mut expected = vec![11; 64];
        expected.push(192);
        assert_eq!(run(&body), expected, "{scope}");
    }
}

/// Operations of the quad stay in the quad, though their scope is the subgroup.
#[test]
fn quad_operations_ignore_the_scope_operand() {
    let body = "
        %first = OpGroupNonUniformQuadBroadcast %uint %uint_3 %i %uint_2
        %swapped = OpGroupNonUniformQuadSwap %uint %uint_3 %i %uint_1
        %high = OpIMul %uint %first %uint_64
        %both = OpIAdd %uint %high %swapped
        OpStore %place %both";
    let expected: Vec<u32> = (0..64).map(|i| (i / 4 * 4 + 2) * 64 + (i ^ 2)).collect();
    assert_eq!(run(body)[..64], expected);
}

/// Group operations have the scope of the subgroup: others are named.
#[test]
fn group_operations_take_the_subgroup_scope() {
    for (scope, name) in [("%uint_2", "Workgroup"), ("%uint_1", "Device")] {
        let words = asm::assemble(&module(&format!("%first = OpGroupNonUniformElect %bool {scope}")))
            .expect("assembles");
        let error = lower(&words, &Specialization::new(), &layout(&[storage(vec![0; 65])]), 16);
        let error = error.expect_err("the scope is wrong");
        let text = error.to_string();
        assert!(matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Invalid), "{text}");
        assert!(text.contains("OpGroupNonUniformElect") && text.contains(name), "{text}");
    }
}
