//! Access chains in bytes (`SPV_NV_raw_access_chains`), and arrays without a length in uniform buffers.

use crate::support::{Test, storage};
use pyro_spirv::{Specialization, asm};

const HEADER: &str = "
    OpCapability Shader OpCapability RawAccessChainsNV
    OpExtension \"SPV_NV_raw_access_chains\"
    OpExtension \"SPV_KHR_storage_buffer_storage_class\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %lane
    OpExecutionMode %main LocalSize 4 1 1
    OpDecorate %lane BuiltIn LocalInvocationIndex
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 1
    %void = OpTypeVoid
    %fn_void = OpTypeFunction %void
    %u32 = OpTypeInt 32 0
    %v2 = OpTypeVector %u32 2
    %v3 = OpTypeVector %u32 3
    %block = OpTypeStruct %u32
    %p_block = OpTypePointer StorageBuffer %block
    %p_u32 = OpTypePointer StorageBuffer %u32
    %p_v2 = OpTypePointer StorageBuffer %v2
    %p_v3 = OpTypePointer StorageBuffer %v3
    %p_input = OpTypePointer Input %u32
    %c0 = OpConstant %u32 0
    %c4 = OpConstant %u32 4
    %c8 = OpConstant %u32 8
    %c12 = OpConstant %u32 12
    %huge = OpConstant %u32 0xfffffffc
    %lane = OpVariable %p_input Input
    %data = OpVariable %p_block StorageBuffer
    %out = OpVariable %p_block StorageBuffer
    %main = OpFunction %void None %fn_void
    %entry = OpLabel
    %i = OpLoad %u32 %lane
    ";

/// What four invocations make of ten words 1, 2, 3, … in the words of the second buffer.
fn run(body: &str, words_out: usize) -> Vec<u32> {
    let words = asm::assemble(&format!("{HEADER}{body} OpReturn OpFunctionEnd"));
    let words = words.unwrap_or_else(|error| panic!("{error}"));
    let test = Test {
        words,
        buffers: vec![storage(1..=10), storage(vec![0; words_out])],
        push_constants: Vec::new(),
        specialization: Specialization::new(),
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    test.result(1)
}

#[test]
fn offsets_are_bytes() {
    let got = run(
        "%from = OpRawAccessChainNV %p_v2 %data %c8 %i %c4
        %pair = OpLoad %v2 %from Aligned 4
        %to = OpRawAccessChainNV %p_v2 %out %c8 %i %c0
        OpStore %to %pair Aligned 4",
        8,
    );
    assert_eq!(got, [2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn components_are_checked_one_by_one() {
    // The fourth element has but one word in the buffer.
    let body = |robustness: &str| {
        format!(
            "%from = OpRawAccessChainNV %p_v3 %data %c12 %i %c0 {robustness}
            %three = OpLoad %v3 %from Aligned 4
            %to = OpRawAccessChainNV %p_v3 %out %c12 %i %c0 {robustness}
            OpStore %to %three Aligned 4"
        )
    };
    let by_component = run(&body("RobustnessPerComponentNV"), 11);
    assert_eq!(by_component, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]);
    let by_element = run(&body("RobustnessPerElementNV"), 9);
    assert_eq!(by_element, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_sum_that_wraps_touches_nothing_outside() {
    let got = run(
        "%offset = OpIAdd %u32 %huge %i
        %from = OpRawAccessChainNV %p_u32 %data %c0 %i %offset RobustnessPerComponentNV
        %word = OpLoad %u32 %from Aligned 4
        %to = OpRawAccessChainNV %p_u32 %out %c4 %i %c0
        OpStore %to %word Aligned 4",
        4,
    );
    assert_eq!(got, [0; 4]);
}

#[test]
fn uniform_arrays_without_a_length() {
    let text = "
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %lane
        OpExecutionMode %main LocalSize 4 1 1
        OpDecorate %lane BuiltIn LocalInvocationIndex
        OpDecorate %block Block
        OpDecorate %out_block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpMemberDecorate %out_block 0 Offset 0
        OpDecorate %quads ArrayStride 16
        OpDecorate %words ArrayStride 4
        OpDecorate %data DescriptorSet 0
        OpDecorate %data Binding 0
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 1
        %void = OpTypeVoid
        %fn_void = OpTypeFunction %void
        %u32 = OpTypeInt 32 0
        %v4 = OpTypeVector %u32 4
        %c0 = OpConstant %u32 0
        %c1 = OpConstant %u32 1
        %quads = OpTypeRuntimeArray %v4
        %words = OpTypeRuntimeArray %u32
        %block = OpTypeStruct %quads
        %out_block = OpTypeStruct %words
        %p_block = OpTypePointer Uniform %block
        %p_out = OpTypePointer Uniform %out_block
        %p_u32 = OpTypePointer Uniform %u32
        %p_input = OpTypePointer Input %u32
        %lane = OpVariable %p_input Input
        %data = OpVariable %p_block Uniform
        %out = OpVariable %p_out Uniform
        %main = OpFunction %void None %fn_void
        %entry = OpLabel
        %i = OpLoad %u32 %lane
        %from = OpAccessChain %p_u32 %data %c0 %i %c1
        %word = OpLoad %u32 %from
        %to = OpAccessChain %p_u32 %out %c0 %i
        OpStore %to %word
        OpReturn OpFunctionEnd";
    let test = Test {
        words: asm::assemble(text).unwrap_or_else(|error| panic!("{error}")),
        buffers: vec![crate::support::uniform(1..=12), storage(vec![9; 4])],
        push_constants: Vec::new(),
        specialization: Specialization::new(),
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    // The fourth element is beyond the buffer's end.
    assert_eq!(test.result(1), [2, 6, 10, 0]);
}
