//! Vectors of more than four components, and of as many as a specialization constant says
//! (`SPV_EXT_long_vector`).

use crate::support::{OUT_WORDS, Test, storage};
use pyro_shadertext::Shader;
use pyro_spirv::Specialization;

fn module(body: &str) -> String {
    Shader::compute(
        [1, 1, 1],
        &format!(
            "%private = OpVariable %local_vs Function
            {OUT_WORDS}
            %at0 = OpAccessChain %buffer_v5 %data %uint_0
            %at1 = OpAccessChain %buffer_vs %data %uint_1
            %five = OpLoad %v5 %at0
            %some = OpLoad %vs %at1
            {body}"
        ),
    )
    .version("1.4")
    .capability("LongVectorEXT ReplicatedCompositesEXT")
    .extension("SPV_EXT_long_vector")
    .block("uint", 4)
    .bind(&["data", "out"])
    .interface("%data %out")
    .decorate(
        "OpDecorate %count SpecId 0
        OpDecorate %long_block Block
        OpMemberDecorate %long_block 0 Offset 0
        OpMemberDecorate %long_block 1 Offset 20",
    )
    .declare(
        "%count = OpSpecConstant %uint 6
        %v5 = OpTypeVector %uint 5
        %v7 = OpTypeVector %uint 7
        %vs = OpTypeVectorIdEXT %uint %count
        %bs = OpTypeVectorIdEXT %bool %count
        %hundreds = OpConstantComposite %v5 %uint_100 %uint_100 %uint_100 %uint_100 %uint_100
        %twos = OpSpecConstantCompositeReplicateEXT %vs %uint_2
        %fours = OpSpecConstantOp %vs IAdd %twos %twos
        %long_block = OpTypeStruct %v5 %vs
        %data = OpVariable %buffer_long_block StorageBuffer
        %out = OpVariable %buffer_block StorageBuffer",
    )
    .text()
}

/// The results of a body on five components 1, 2, 3, … and the next ones in the specialized vector.
fn run(count: Option<u32>, body: &str) -> Vec<u32> {
    let mut specialization = Specialization::new();
    if let Some(count) = count {
        specialization.set(0, u64::from(count));
    }
    let test = Test::of_text(&module(body), vec![storage(1..=40), storage(vec![0; 4])]);
    Test { specialization, ..test }.result(1)
}

#[test]
fn components_are_all_there() {
    let got = run(
        None,
        "%sum = OpIAdd %v5 %five %hundreds
        %last = OpCompositeExtract %uint %sum 4
        %seven = OpVectorShuffle %v7 %sum %some 10 0 1 2 3 4 5
        %first = OpCompositeExtract %uint %seven 0
        %sixth = OpCompositeExtract %uint %seven 5
        %seventh = OpCompositeExtract %uint %seven 6
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
        %last = OpISub %uint %count %uint_1
        %dynamic = OpVectorExtractDynamic %uint %sum %last
        %size = OpArrayLength %uint %out 0
        OpStore %o0 %dynamic
        OpStore %private %some
        %part = OpAccessChain %local_uint %private %last
        OpStore %part %uint_100
        %changed = OpLoad %vs %private
        %there = OpVectorExtractDynamic %uint %changed %last
        %before = OpISub %uint %last %uint_1
        %beside = OpVectorExtractDynamic %uint %changed %before
        OpStore %o1 %there
        OpStore %o2 %beside
        %compared = OpINotEqual %bs %changed %some
        %any = OpAny %bool %compared
        %chosen = OpSelect %uint %any %uint_3 %uint_2
        OpStore %o3 %chosen";
    assert_eq!(run(None, body), [15, 100, 10, 3]);
    assert_eq!(run(Some(9), body), [18, 100, 13, 3]);
    assert_eq!(run(Some(2), body), [11, 100, 6, 3]);
}

#[test]
fn constructed_from_shorter_ones() {
    let got = run(
        None,
        "%two = OpVectorShuffle %uint2 %five %five 0 1
        %seven = OpCompositeConstruct %v7 %five %two
        %inserted = OpCompositeInsert %v7 %uint_100 %seven 3
        %set = OpVectorInsertDynamic %v7 %inserted %uint_3 %uint_2
        %a = OpCompositeExtract %uint %set 6
        %b = OpCompositeExtract %uint %set 3
        %c = OpCompositeExtract %uint %set 2
        %d = OpCompositeExtract %uint %set 1
        OpStore %o0 %a
        OpStore %o1 %b
        OpStore %o2 %c
        OpStore %o3 %d",
    );
    assert_eq!(got, [2, 100, 3, 2]);
}
