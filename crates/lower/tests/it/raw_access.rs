//! Access chains in bytes (`SPV_NV_raw_access_chains`), and arrays without a length in uniform buffers.

use crate::support::{Test, storage};
use pyro_shadertext::Shader;

fn module(body: &str) -> String {
    Shader::compute(
        [4, 1, 1],
        &format!(
            "%i = OpLoad %uint %lane
            {body}"
        ),
    )
    .capability("RawAccessChainsNV")
    .extension("SPV_NV_raw_access_chains")
    .extension("SPV_KHR_storage_buffer_storage_class")
    .input("lane", "uint", "BuiltIn LocalInvocationIndex")
    .bind(&["data", "out"])
    .decorate(
        "OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0",
    )
    .declare(
        "%block = OpTypeStruct %uint
        %huge = OpConstant %uint 0xfffffffc
        %data = OpVariable %buffer_block StorageBuffer
        %out = OpVariable %buffer_block StorageBuffer",
    )
    .text()
}

/// What four invocations make of ten words 1, 2, 3, … in the words of the second buffer.
fn run(body: &str, words_out: usize) -> Vec<u32> {
    let text = module(body);
    let test = Test::of_text(&text, vec![storage(1..=10), storage(vec![0; words_out])]);
    test.result(1)
}

#[test]
fn offsets_are_bytes() {
    let got = run(
        "%from = OpRawAccessChainNV %buffer_uint2 %data %uint_8 %i %uint_4
        %pair = OpLoad %uint2 %from Aligned 4
        %to = OpRawAccessChainNV %buffer_uint2 %out %uint_8 %i %uint_0
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
            "%from = OpRawAccessChainNV %buffer_uint3 %data %uint_12 %i %uint_0 {robustness}
            %three = OpLoad %uint3 %from Aligned 4
            %to = OpRawAccessChainNV %buffer_uint3 %out %uint_12 %i %uint_0 {robustness}
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
        "%offset = OpIAdd %uint %huge %i
        %from = OpRawAccessChainNV %buffer_uint %data %uint_0 %i %offset RobustnessPerComponentNV
        %word = OpLoad %uint %from Aligned 4
        %to = OpRawAccessChainNV %buffer_uint %out %uint_4 %i %uint_0
        OpStore %to %word Aligned 4",
        4,
    );
    assert_eq!(got, [0; 4]);
}

#[test]
fn uniform_arrays_without_a_length() {
    let text = Shader::compute(
        [4, 1, 1],
        "%i = OpLoad %uint %lane
        %from = OpAccessChain %uniform_uint %data %uint_0 %i %uint_1
        %word = OpLoad %uint %from
        %to = OpAccessChain %buffer_uint %out %uint_0 %i
        OpStore %to %word",
    )
    .input("lane", "uint", "BuiltIn LocalInvocationIndex")
    .bind(&["data", "out"])
    .block("uint", 4)
    .decorate(
        "OpDecorate %quads ArrayStride 16
        OpDecorate %data_block Block
        OpMemberDecorate %data_block 0 Offset 0",
    )
    .declare(
        "%quads = OpTypeRuntimeArray %uint4
        %data_block = OpTypeStruct %quads
        %data = OpVariable %uniform_data_block Uniform
        %out = OpVariable %buffer_block StorageBuffer",
    )
    .text();
    let test = Test::of_text(&text, vec![crate::support::uniform(1..=12), storage(vec![9; 4])]);
    // The fourth element is beyond the buffer's end.
    assert_eq!(test.result(1), [2, 6, 10, 0]);
}
