//! Vectors of more than four components, and of as many as a specialization constant says
//! (`SPV_EXT_long_vector`).

use crate::support::{Test, storage};
use pyro_spirv::{Specialization, asm};

const HEADER: &str = "; Version: 1.4
    OpCapability Shader OpCapability LongVectorEXT
    OpExtension \"SPV_EXT_long_vector\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %data %out
    OpExecutionMode %main LocalSize 1 1 1
    OpDecorate %count SpecId 0
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %long_block Block
    OpMemberDecorate %long_block 0 Offset 0
    OpMemberDecorate %long_block 1 Offset 20
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 1
    %void = OpTypeVoid
    %fn_void = OpTypeFunction %void
    %u32 = OpTypeInt 32 0
    %bool = OpTypeBool
    %count = OpSpecConstant %u32 6
    %v2 = OpTypeVector %u32 2
    %v5 = OpTypeVector %u32 5
    %v7 = OpTypeVector %u32 7
    %vs = OpTypeVectorIdEXT %u32 %count
    %bs = OpTypeVectorIdEXT %bool %count
    %c0 = OpConstant %u32 0
    %c1 = OpConstant %u32 1
    %c2 = OpConstant %u32 2
    %c3 = OpConstant %u32 3
    %c100 = OpConstant %u32 100
    %hundreds = OpConstantComposite %v5 %c100 %c100 %c100 %c100 %c100
    %twos = OpSpecConstantCompositeReplicateEXT %vs %c2
    %fours = OpSpecConstantOp %vs IAdd %twos %twos
    %words = OpTypeRuntimeArray %u32
    %block = OpTypeStruct %words
    %long_block = OpTypeStruct %v5 %vs
    %p_block = OpTypePointer StorageBuffer %block
    %p_long = OpTypePointer StorageBuffer %long_block
    %p_v5 = OpTypePointer StorageBuffer %v5
    %p_vs = OpTypePointer StorageBuffer %vs
    %p_u32 = OpTypePointer StorageBuffer %u32
    %p_private = OpTypePointer Function %vs
    %p_part = OpTypePointer Function %u32
    %data = OpVariable %p_long StorageBuffer
    %out = OpVariable %p_block StorageBuffer
    %main = OpFunction %void None %fn_void
    %entry = OpLabel
    %private = OpVariable %p_private Function
    %o0 = OpAccessChain %p_u32 %out %c0 %c0
    %o1 = OpAccessChain %p_u32 %out %c0 %c1
    %o2 = OpAccessChain %p_u32 %out %c0 %c2
    %o3 = OpAccessChain %p_u32 %out %c0 %c3
    %at0 = OpAccessChain %p_v5 %data %c0
    %at1 = OpAccessChain %p_vs %data %c1
    %five = OpLoad %v5 %at0
    %some = OpLoad %vs %at1
    ";

/// The results of a body on five components 1, 2, 3, … and the next ones in the specialized vector.
fn run(count: Option<u32>, body: &str) -> Vec<u32> {
    let text = HEADER.replace(
        "OpCapability LongVectorEXT",
        "OpCapability LongVectorEXT OpCapability ReplicatedCompositesEXT",
    );
    let words = asm::assemble(&format!("{text}{body} OpReturn OpFunctionEnd"));
    let words = words.unwrap_or_else(|error| panic!("{error}"));
    let mut specialization = Specialization::new();
    if let Some(count) = count {
        specialization.set(0, u64::from(count));
    }
    let test = Test {
        words,
        buffers: vec![storage(1..=40), storage(vec![0; 4])],
        push_constants: Vec::new(),
        specialization,
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    test.result(1)
}

#[test]
fn components_are_all_there() {
    let got = run(
        None,
        "%sum = OpIAdd %v5 %five %hundreds
        %last = OpCompositeExtract %u32 %sum 4
        %seven = OpVectorShuffle %v7 %sum %some 10 0 1 2 3 4 5
        %first = OpCompositeExtract %u32 %seven 0
        %sixth = OpCompositeExtract %u32 %seven 5
        %seventh = OpCompositeExtract %u32 %seven 6
        OpStore %o0 %last
        OpStore %o1 %first
        OpStore %o2 %sixth
        OpStore %o3 %seventh",
    );
    assert_eq!(got, [105, 11, 105, 6]);
}

#[test]
fn specialization_says_how_many() {
    let body = "%sum = OpIAdd %vs %some %fours
        %last = OpISub %u32 %count %c1
        %dynamic = OpVectorExtractDynamic %u32 %sum %last
        %size = OpArrayLength %u32 %out 0
        OpStore %o0 %dynamic
        OpStore %private %some
        %part = OpAccessChain %p_part %private %last
        OpStore %part %c100
        %changed = OpLoad %vs %private
        %there = OpVectorExtractDynamic %u32 %changed %last
        %before = OpISub %u32 %last %c1
        %beside = OpVectorExtractDynamic %u32 %changed %before
        OpStore %o1 %there
        OpStore %o2 %beside
        %compared = OpINotEqual %bs %changed %some
        %any = OpAny %bool %compared
        %chosen = OpSelect %u32 %any %c3 %c2
        OpStore %o3 %chosen";
    assert_eq!(run(None, body), [15, 100, 10, 3]);
    assert_eq!(run(Some(9), body), [18, 100, 13, 3]);
    assert_eq!(run(Some(2), body), [11, 100, 6, 3]);
}

#[test]
fn constructed_from_shorter_ones() {
    let got = run(
        None,
        "%two = OpVectorShuffle %v2 %five %five 0 1
        %seven = OpCompositeConstruct %v7 %five %two
        %inserted = OpCompositeInsert %v7 %c100 %seven 3
        %set = OpVectorInsertDynamic %v7 %inserted %c3 %c2
        %a = OpCompositeExtract %u32 %set 6
        %b = OpCompositeExtract %u32 %set 3
        %c = OpCompositeExtract %u32 %set 2
        %d = OpCompositeExtract %u32 %set 1
        OpStore %o0 %a
        OpStore %o1 %b
        OpStore %o2 %c
        OpStore %o3 %d",
    );
    assert_eq!(got, [2, 100, 3, 2]);
}
