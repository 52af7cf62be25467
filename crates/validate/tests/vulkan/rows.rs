//! Duties that several rules make up together.

use crate::common::*;
use crate::device::{geometry, mesh};
use pyro_validate::Device;

fn breaks(text: &Text, rule: &str) {
    let found = findings(text);
    assert!(
        found.iter().any(|found| found.ends_with(rule)),
        "{rule} expected, found {found:?}\n{}",
        text.own()
    );
}

fn keeps(text: &Text) {
    assert_eq!(findings(text), [] as [&str; 0], "{}", text.own());
}

#[test]
fn integers_and_doubles_are_flat() {
    let input = |ty: &str, decorations: &[&str]| user(with_double(fragment()), "Input", ty, decorations);
    for ty in ["%int", "%uint", "%uint4", "%double", "%double2"] {
        breaks(&input(ty, &["Location 0"]), "Flat-04744");
        keeps(&input(ty, &["Location 0", "Flat"]));
    }
    keeps(&input("%float4", &["Location 0"]));
}

#[test]
fn interpolation_is_said_once() {
    let input = |decorations: &[&str]| user(fragment(), "Input", "%float4", decorations);
    breaks(&input(&["Location 0", "Flat", "NoPerspective"]), "Interpolation Decorations");
    keeps(&input(&["Location 0", "NoPerspective", "Centroid"]));
}

#[test]
fn interpolation_before_rasterization_is_harmless() {
    for mark in ["Flat", "NoPerspective", "Centroid"] {
        keeps(&user(vertex(), "Output", "%float4", &["Location 0", mark]));
    }
}

/// Outputs of a vertex shader in a block whose members are decorated so.
fn block(members: [&str; 2]) -> Text {
    let mut text =
        vertex().decorate("OpDecorate %Block Block").declare("%Block = OpTypeStruct %float4 %float4");
    for (index, member) in members.iter().enumerate() {
        text = text.decorate(&format!("OpMemberDecorate %Block {index} {member}"));
    }
    text.variable("block", "Output", "%Block")
}

#[test]
fn blocks_of_built_ins_hold_nothing_else() {
    breaks(&block(["BuiltIn Position", "Location 0"]), "BuiltIn");
    keeps(&block(["Location 1", "Location 0"]));
    // Each built-in exists once.
    breaks(&block(["BuiltIn Position", "BuiltIn Position"]), "OpEntryPoint-09659");
    let alone = |second: &str| {
        vertex()
            .decorate("OpDecorate %one BuiltIn Position")
            .decorate(&format!("OpDecorate %other {second}"))
            .variable("one", "Output", "%float4")
            .variable("other", "Output", "%float4")
    };
    breaks(&alone("BuiltIn Position"), "OpEntryPoint-09659");
    keeps(&alone("Location 0"));
}

#[test]
fn built_ins_are_signed_or_not() {
    let input = |built_in: &str, ty: &str| {
        vertex().decorate(&format!("OpDecorate %v BuiltIn {built_in}")).variable("v", "Input", ty)
    };
    for ty in ["%int", "%uint"] {
        keeps(&input("VertexIndex", ty));
        keeps(&input("InstanceIndex", ty));
    }
    breaks(&input("VertexIndex", "%float"), "VertexIndex-04400");
    // Stages that see many vertices have an array of each built-in.
    let points = |ty: &str| {
        let text =
            geometry(3, 1).decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 BuiltIn Position");
        text.declare("%Block = OpTypeStruct %float4\n%Blocks = OpTypeArray %Block %c3")
            .variable("in", "Input", ty)
    };
    keeps(&points("%Blocks"));
    breaks(&points("%Block"), "Interface Matching");
}

#[test]
fn scopes_beyond_the_device_do_not_exist() {
    let barrier = |scope: &str| shared().body(&format!("OpControlBarrier %c2 {scope} %both"));
    assert!(!findings(&barrier("%c0")).is_empty());
    keeps(&barrier("%c2"));
    keeps(&barrier("%c1"));
}

#[test]
fn stages_have_one_of_what_is_handed_in() {
    let two =
        |model, class: &str| ray(model).variable("one", class, "%float").variable("other", class, "%float4");
    let one = |model, class: &str| ray(model).variable("one", class, "%float");
    for (model, class, rule) in [
        ("ClosestHitKHR", "IncomingRayPayloadKHR", "IncomingRayPayloadKHR-04700"),
        ("ClosestHitKHR", "HitAttributeKHR", "HitAttributeKHR-04702"),
        ("CallableKHR", "IncomingCallableDataKHR", "IncomingCallableDataKHR-04706"),
    ] {
        breaks(&two(model, class), rule);
        keeps(&one(model, class));
    }
    // And only where it is handed in.
    breaks(&one("MissKHR", "HitAttributeKHR"), "HitAttributeKHR-04701");
    breaks(&one("RayGenerationKHR", "IncomingRayPayloadKHR"), "IncomingRayPayloadKHR-04699");
}

#[test]
fn capabilities_need_what_allows_them() {
    let text = compute().capability("Float64");
    let mut device = Device::bare(1, 3);
    let found = |device: &Device| findings_in(&text, &environment(device));
    assert_eq!(found(&device), ["VUID-VkShaderModuleCreateInfo-pCode-08740"]);
    device.set_feature("shaderFloat64", true);
    assert_eq!(found(&device), [] as [&str; 0]);
    // What Vulkan does not have at all.
    breaks(&compute().capability("Addresses"), "pCode-08739");
}

#[test]
fn extensions_need_what_allows_them() {
    let text = compute().capability("ShaderClockKHR");
    let mut device = Device::bare(1, 3);
    ["shaderSubgroupClock", "shaderDeviceClock"].iter().for_each(|name| device.set_feature(name, true));
    let found = findings_in(&text, &environment(&device));
    assert!(found.iter().any(|rule| rule.ends_with("pCode-08742")), "{found:?}");
    device.add_extension("VK_KHR_shader_clock");
    assert_eq!(findings_in(&text, &environment(&device)), [] as [&str; 0]);
}

#[test]
fn blocks_lie_within_the_greatest_range() {
    let sized = |class: &str, offset: u32| {
        compute()
            .decorate(&format!("OpDecorate %Big Block\nOpMemberDecorate %Big 0 Offset {offset}"))
            .decorate("OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0")
            .declare("%Big = OpTypeStruct %float4")
            .variable("buffer", class, "%Big")
    };
    for (class, limit) in [("Uniform", "maxUniformBufferRange"), ("StorageBuffer", "maxStorageBufferRange")] {
        let found = |offset| findings_in(&sized(class, offset), &environment(&with(limit, 256)));
        assert_eq!(found(240), [] as [&str; 0]);
        assert_eq!(found(256), ["Offset and Stride Assignment"]);
    }
}

#[test]
fn modules_declare_shader() {
    let without = |text: Text| text.text().replacen("OpCapability Shader\n", "", 1);
    let rules = |text: &str| {
        let words = pyro_spirv::asm::assemble(text).unwrap();
        let module = pyro_spirv::Module::decode(&words).unwrap();
        let environment = environment(&Device::everything());
        let found = pyro_validate::check(&module, &environment).err().unwrap_or_default();
        found.iter().map(|diagnostic| diagnostic.rule.to_string()).collect::<Vec<_>>()
    };
    let mut bare = compute();
    bare.without_groups = true;
    assert!(!rules(&without(bare.clone())).is_empty());
    // A capability that implies it declares it too.
    assert_eq!(rules(&without(bare.clone().capability("Matrix Geometry"))), [] as [&str; 0]);
    assert_eq!(rules(&bare.text()), [] as [&str; 0]);
}

#[test]
fn mesh_outputs_are_arrays() {
    let output = |ty: &str, marks: &[&str]| {
        let text = mesh(3, 1).declare("%three = OpTypeArray %float4 %c3\n%one = OpTypeArray %float4 %c1");
        user(text, "Output", ty, marks)
    };
    keeps(&output("%three", &["Location 0"]));
    keeps(&output("%one", &["Location 0", "PerPrimitiveEXT"]));
}
