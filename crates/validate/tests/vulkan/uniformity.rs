//! Resources that surely differ between invocations.

use crate::common::*;
use pyro_validate::Device;

const INDEX: &str = "%index = OpLoad %uint %LocalInvocationIndex";
const COMPONENT: &str = "%p_x = OpAccessChain %p_uint_in %GlobalInvocationID %c0\n%x = OpLoad %uint %p_x\n\
                         %index = OpIAdd %uint %x %c2";
const SHARED: &str = "%group = OpLoad %uint3 %WorkgroupID\n%index = OpCompositeExtract %uint %group 0";

/// What is done with the resource that the index says.
#[derive(Clone, Copy)]
struct Kind {
    capability: &'static str,
    class: &'static str,
    declarations: &'static str,
    decorations: &'static str,
    access: &'static str,
}

const BUFFER: Kind = Kind {
    capability: "UniformBufferArrayNonUniformIndexing",
    class: "Uniform",
    declarations: "%T = OpTypeStruct %float\n%p_float = OpTypePointer Uniform %float",
    decorations: "OpDecorate %T Block\nOpMemberDecorate %T 0 Offset 0",
    access: "%at = OpAccessChain %p_float %array %index %c0\n%value = OpLoad %float %at",
};
const STORAGE: Kind = Kind {
    capability: "StorageBufferArrayNonUniformIndexing",
    class: "StorageBuffer",
    declarations: "%T = OpTypeStruct %float\n%p_float = OpTypePointer StorageBuffer %float",
    decorations: BUFFER.decorations,
    access: "%at = OpAccessChain %p_float %array %index %c0\nOpStore %at %f1",
};
const SAMPLED: Kind = Kind {
    capability: "SampledImageArrayNonUniformIndexing",
    class: "UniformConstant",
    declarations: "%I = OpTypeImage %float 2D 0 0 0 1 Unknown\n%T = OpTypeSampledImage %I\n\
                   %p_T = OpTypePointer UniformConstant %T",
    decorations: "",
    access: "%at = OpAccessChain %p_T %array %index\n%s = OpLoad %T %at\n\
             %value = OpImageSampleExplicitLod %float4 %s %v2 Lod %f1",
};
const IMAGE: Kind = Kind {
    capability: "StorageImageArrayNonUniformIndexing",
    class: "UniformConstant",
    declarations: "%T = OpTypeImage %float 2D 0 0 0 2 Rgba8\n%p_T = OpTypePointer UniformConstant %T",
    decorations: "",
    access: "%at = OpAccessChain %p_T %array %index\n%s = OpLoad %T %at\n\
             %value = OpImageRead %float4 %s %zeros",
};
const TEXELS: Kind = Kind {
    capability: "UniformTexelBufferArrayNonUniformIndexing",
    class: "UniformConstant",
    declarations: "%T = OpTypeImage %float Buffer 0 0 0 1 Rgba8\n%p_T = OpTypePointer UniformConstant %T",
    decorations: "",
    access: "%at = OpAccessChain %p_T %array %index\n%s = OpLoad %T %at\n\
             %value = OpImageFetch %float4 %s %i0",
};
const STORAGE_TEXELS: Kind = Kind {
    capability: "StorageTexelBufferArrayNonUniformIndexing",
    class: "UniformConstant",
    declarations: "%T = OpTypeImage %float Buffer 0 0 0 2 Rgba8\n%p_T = OpTypePointer UniformConstant %T",
    decorations: "",
    access: "%at = OpAccessChain %p_T %array %index\n%s = OpLoad %T %at\n\
             %value = OpImageRead %float4 %s %i0",
};

fn inputs() -> Text {
    compute()
        .declare("%uint3 = OpTypeVector %uint 3\n%p_uint_in = OpTypePointer Input %uint")
        .decorate("OpDecorate %LocalInvocationIndex BuiltIn LocalInvocationIndex")
        .decorate("OpDecorate %GlobalInvocationID BuiltIn GlobalInvocationId")
        .decorate("OpDecorate %WorkgroupID BuiltIn WorkgroupId")
        .variable("LocalInvocationIndex", "Input", "%uint")
        .declare("%p_uint3_in = OpTypePointer Input %uint3")
        .declare(
            "%GlobalInvocationID = OpVariable %p_uint3_in Input\n%WorkgroupID = OpVariable %p_uint3_in Input",
        )
        .listing("%GlobalInvocationID %WorkgroupID")
}

fn indexing(kind: Kind, index: &str) -> Text {
    inputs()
        .capability("SampledBuffer ImageBuffer RuntimeDescriptorArray ShaderNonUniform")
        .capability("UniformBufferArrayDynamicIndexing SampledImageArrayDynamicIndexing")
        .capability("StorageBufferArrayDynamicIndexing StorageImageArrayDynamicIndexing")
        .capability("UniformTexelBufferArrayDynamicIndexing StorageTexelBufferArrayDynamicIndexing")
        .decorate(kind.decorations)
        .decorate("OpDecorate %array DescriptorSet 0\nOpDecorate %array Binding 0")
        .declare(kind.declarations)
        .declare("%Ts = OpTypeRuntimeArray %T")
        .variable("array", kind.class, "%Ts")
        .body(index)
        .body(kind.access)
}

/// The index is marked, so that only the capability is missing.
fn undeclared(kind: Kind, index: &str) -> Text {
    indexing(kind, index).decorate("OpDecorate %index NonUniform\nOpDecorate %at NonUniform")
}

fn indices() -> Vec<Case> {
    let single = || with("maxSubgroupSize", 1);
    let mut cases = Vec::new();
    for (kind, many, one) in [
        (BUFFER, "UniformBufferArrayNonUniformIndexing-10134", "10141"),
        (SAMPLED, "SampledImageArrayNonUniformIndexing-10135", "10142"),
        (STORAGE, "StorageBufferArrayNonUniformIndexing-10136", "10143"),
        (IMAGE, "StorageImageArrayNonUniformIndexing-10137", "10144"),
        (TEXELS, "UniformTexelBufferArrayNonUniformIndexing-10139", "10146"),
        (STORAGE_TEXELS, "StorageTexelBufferArrayNonUniformIndexing-10140", "10147"),
    ] {
        let many = &*format!("VUID-RuntimeSpirv-{many}").leak();
        let one = &*format!("VUID-RuntimeSpirv-subgroupSize-{one}").leak();
        for index in [INDEX, COMPONENT] {
            let declared = undeclared(kind, index).capability(kind.capability);
            cases.push(pair(many, undeclared(kind, index), declared.clone()));
            let case = |text| (text, single());
            cases.push(Case { rule: one, bad: case(undeclared(kind, index)), good: case(declared) });
        }
        cases.push(pair(many, undeclared(kind, INDEX), undeclared(kind, SHARED)));
    }
    for (rule, device) in [("subgroupSize-10149", Device::everything()), ("None-10148", single())] {
        for kind in [SAMPLED, STORAGE] {
            let bare = indexing(kind, INDEX).capability(kind.capability);
            let marked = undeclared(kind, INDEX).capability(kind.capability);
            cases.push(Case {
                rule: format!("VUID-RuntimeSpirv-{rule}").leak(),
                bad: (bare, device.clone()),
                good: (marked, device.clone()),
            });
        }
    }
    cases
}

fn push_constants() -> Vec<Case> {
    let reading = |index: &str| {
        inputs()
            .decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0")
            .decorate("OpDecorate %floats ArrayStride 4")
            .declare("%floats = OpTypeArray %float %c4\n%Block = OpTypeStruct %floats")
            .declare("%p_float = OpTypePointer PushConstant %float")
            .variable("push", "PushConstant", "%Block")
            .body(index)
            .body("%at = OpAccessChain %p_float %push %c0 %index\n%value = OpLoad %float %at")
    };
    vec![pair("VUID-RuntimeSpirv-None-04745", reading(INDEX), reading(SHARED))]
}

#[test]
fn only_what_every_invocation_runs_is_sure() {
    let rule = "VUID-RuntimeSpirv-StorageBufferArrayNonUniformIndexing-10136";
    let kind = STORAGE;
    // Behind a selection all go on; within it perhaps one.
    let behind = format!(
        "OpSelectionMerge %next None\nOpBranchConditional %true %then %next\n%then = OpLabel\nOpBranch %next\n%next = OpLabel\n{INDEX}"
    );
    let within = |text: Text| {
        let access = format!(
            "{INDEX}\nOpSelectionMerge %next None\nOpBranchConditional %true %then %next\n%then = OpLabel\n{}\nOpBranch %next\n%next = OpLabel",
            kind.access
        );
        Text { body: text.body.replace(kind.access, "").replace(INDEX, &access), ..text }
    };
    let found = |text: &Text| findings(text).iter().any(|found| found == rule);
    assert!(found(&undeclared(kind, &behind)), "{:?}", findings(&undeclared(kind, &behind)));
    assert!(!found(&within(undeclared(kind, INDEX))));
    // One invocation differs from no other.
    let mut alone = undeclared(kind, INDEX);
    alone.modes = "OpExecutionMode %main LocalSize 1 1 1".into();
    assert!(!found(&alone));
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [indices(), push_constants()].into_iter().flatten().collect()
}
