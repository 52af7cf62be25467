//! Scopes of barriers, atomics and group operations.

use crate::support::{Test, layout, lower, storage};
use pyro_lower::ErrorKind;
use pyro_spirv::{Specialization, asm};

const HEADER: &str = "
    OpCapability Shader OpCapability VulkanMemoryModel OpCapability VulkanMemoryModelDeviceScope
    OpCapability GroupNonUniform OpCapability GroupNonUniformQuad
    OpMemoryModel Logical Vulkan
    OpEntryPoint GLCompute %main \"main\" %index %lane %out %shared
    OpExecutionMode %main LocalSize 64 1 1
    OpDecorate %index BuiltIn LocalInvocationIndex
    OpDecorate %lane BuiltIn SubgroupLocalInvocationId
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 0
    %void = OpTypeVoid
    %fn_void = OpTypeFunction %void
    %bool = OpTypeBool
    %u32 = OpTypeInt 32 0
    %words = OpTypeRuntimeArray %u32
    %block = OpTypeStruct %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_u32 = OpTypePointer StorageBuffer %u32
    %c64 = OpConstant %u32 64
    %array = OpTypeArray %u32 %c64
    %p_array = OpTypePointer Workgroup %array
    %p_cell = OpTypePointer Workgroup %u32
    %p_input = OpTypePointer Input %u32
    %c0 = OpConstant %u32 0
    %c1 = OpConstant %u32 1
    %c2 = OpConstant %u32 2
    %c3 = OpConstant %u32 3
    %c5 = OpConstant %u32 5
    %acquire_release = OpConstant %u32 0x108
    %available_visible = OpConstant %u32 0x6108
    %uniform_release = OpConstant %u32 0x6048
    %index = OpVariable %p_input Input
    %lane = OpVariable %p_input Input
    %out = OpVariable %p_block StorageBuffer
    %shared = OpVariable %p_array Workgroup
    %main = OpFunction %void None %fn_void
    %entry = OpLabel
    %i = OpLoad %u32 %index
    %l = OpLoad %u32 %lane
    %place = OpAccessChain %p_u32 %out %c0 %i
    %cell = OpAccessChain %p_cell %shared %i
    ";

fn assembled(body: &str) -> Vec<u32> {
    let words = asm::assemble(&format!("{HEADER}{body} OpReturn OpFunctionEnd"));
    words.unwrap_or_else(|error| panic!("{error}"))
}

/// What 64 invocations make of a buffer of 65 zeros.
fn run(body: &str) -> Vec<u32> {
    let test = Test {
        words: assembled(body),
        buffers: vec![storage(vec![0; 65])],
        push_constants: Vec::new(),
        specialization: Specialization::new(),
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    test.result(0)
}

/// Invocations of a subgroup see behind its barrier what the others wrote before it: here, of their pair.
#[test]
fn barriers_of_the_subgroup() {
    let body = "
        OpStore %cell %i MakePointerAvailable|NonPrivatePointer %c3
        OpControlBarrier %c3 %c3 %available_visible
        %other = OpBitwiseXor %u32 %i %c1
        %other_cell = OpAccessChain %p_cell %shared %other
        %seen = OpLoad %u32 %other_cell MakePointerVisible|NonPrivatePointer %c3
        OpMemoryBarrier %c3 %available_visible
        OpStore %cell %seen MakePointerAvailable|NonPrivatePointer %c3
        OpControlBarrier %c3 %c3 %available_visible
        %again = OpLoad %u32 %other_cell MakePointerVisible|NonPrivatePointer %c3
        %high = OpIMul %u32 %again %c64
        %both = OpIAdd %u32 %high %seen
        OpStore %place %both";
    let expected: Vec<u32> = (0..64).map(|i| i * 64 + (i ^ 1)).collect();
    assert_eq!(run(body)[..64], expected);
}

/// Atomics at every scope that Vulkan has, on buffers and workgroup memory.
#[test]
fn atomics_at_every_scope() {
    for scope in ["%c1", "%c2", "%c3", "%c5"] {
        let body = format!(
            "
            %counter = OpAccessChain %p_u32 %out %c0 %c64
            %before = OpAtomicIAdd %u32 %counter {scope} %c0 %c3
            OpMemoryBarrier {scope} %uniform_release
            %zero = OpAtomicExchange %u32 %cell {scope} %c0 %c5
            %five = OpAtomicIAdd %u32 %cell {scope} %c0 %c1
            %six = OpAtomicLoad %u32 %cell {scope} %c0
            %sum = OpIAdd %u32 %five %six
            OpAtomicStore %place {scope} %c0 %sum"
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
        %first = OpGroupNonUniformQuadBroadcast %u32 %c3 %i %c2
        %swapped = OpGroupNonUniformQuadSwap %u32 %c3 %i %c1
        %high = OpIMul %u32 %first %c64
        %both = OpIAdd %u32 %high %swapped
        OpStore %place %both";
    let expected: Vec<u32> = (0..64).map(|i| (i / 4 * 4 + 2) * 64 + (i ^ 2)).collect();
    assert_eq!(run(body)[..64], expected);
}

/// Group operations have the scope of the subgroup: others are named.
#[test]
fn group_operations_take_the_subgroup_scope() {
    for (scope, name) in [("%c2", "Workgroup"), ("%c1", "Device")] {
        let words = assembled(&format!("%first = OpGroupNonUniformElect %bool {scope}"));
        let error = lower(&words, &Specialization::new(), &layout(&[storage(vec![0; 65])]), 16);
        let error = error.expect_err("the scope is wrong");
        let text = error.to_string();
        assert!(matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Invalid), "{text}");
        assert!(text.contains("OpGroupNonUniformElect") && text.contains(name), "{text}");
    }
}
