//! Duties that several rules make up together.

use crate::common::*;
use crate::device::{cluster, geometry, mesh};
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

#[test]
fn private_types_have_no_layout() {
    let private = |class: &str, decoration: &str| {
        compute()
            .decorate(decoration)
            .declare(&format!("%Pair = OpTypeStruct %float %float\n%Four = OpTypeArray %float %c4\n%p_pair = OpTypePointer {class} %Pair\n%pair = OpVariable %p_pair {class}\n%p_four = OpTypePointer {class} %Four\n%four = OpVariable %p_four {class}"))
            .listing("%pair %four")
    };
    let found = |text: &Text, version: &str| {
        let text = text.text().replacen("; Version: 1.4", &format!("; Version: {version}"), 1);
        let module = pyro_spirv::Module::decode(&pyro_spirv::asm::assemble(&text).unwrap()).unwrap();
        let found = pyro_validate::check(&module, &environment(&Device::everything())).err();
        found.unwrap_or_default().iter().map(|one| one.rule.to_string()).collect::<Vec<_>>()
    };
    let rule = "VUID-StandaloneSpirv-None-10684";
    for decoration in
        ["OpMemberDecorate %Pair 0 Offset 0", "OpDecorate %Four ArrayStride 4", "OpDecorate %Pair Block"]
    {
        // The exception for variables of an invocation alone ended with SPIR-V 1.5.
        assert_eq!(found(&private("Private", decoration), "1.4"), [] as [&str; 0], "{decoration}");
        assert_eq!(found(&private("Private", decoration), "1.5"), [rule], "{decoration}");
        assert_eq!(found(&private("Workgroup", decoration), "1.4")[0], rule, "{decoration}");
    }
    assert_eq!(found(&private("Private", ""), "1.5"), [] as [&str; 0]);
    // Blocks of workgroup memory have layouts with the capability.
    let explicit = compute()
        .capability("WorkgroupMemoryExplicitLayoutKHR")
        .decorate(
            "OpDecorate %Pair Block\nOpMemberDecorate %Pair 0 Offset 0\nOpMemberDecorate %Pair 1 Offset 4",
        )
        .declare("%Pair = OpTypeStruct %float %float")
        .variable("pair", "Workgroup", "%Pair");
    keeps(&explicit);
    let local = "%p_local = OpTypePointer Function %Four\n%Four = OpTypeArray %float %c4";
    let local = local.lines().rev().collect::<Vec<_>>().join("\n");
    let text = compute().decorate("OpDecorate %Four ArrayStride 4").declare(&local);
    let text = text.body("%local = OpVariable %p_local Function");
    assert_eq!(found(&text, "1.4"), [] as [&str; 0]);
    assert_eq!(found(&text, "1.5"), [rule]);
}

/// A block of these built-ins, each a vector of four floats, of a name.
fn built_in_block(text: Text, name: &str, built_in: &str, ty: &str) -> Text {
    text.decorate(&format!(
        "OpDecorate %Block{name} Block\nOpMemberDecorate %Block{name} 0 BuiltIn {built_in}"
    ))
    .declare(&format!("%Block{name} = OpTypeStruct {ty}"))
}

#[test]
fn an_interface_has_one_block_of_built_ins() {
    let position =
        || built_in_block(vertex(), "One", "Position", "%float4").variable("one", "Output", "%BlockOne");
    keeps(&position());
    let two = built_in_block(position(), "Two", "PointSize", "%float").variable("two", "Output", "%BlockTwo");
    breaks(&two, "Built-in Interface Block");
    // Variables that are no blocks are as many as they like.
    let loose =
        position().decorate("OpDecorate %size BuiltIn PointSize").variable("size", "Output", "%float");
    keeps(&loose);
    // Inputs and outputs are two interfaces.
    let points = built_in_block(geometry(3, 1), "In", "Position", "%float4")
        .declare("%Ins = OpTypeArray %BlockIn %c3")
        .variable("in", "Input", "%Ins");
    keeps(&built_in_block(points, "Out", "Position", "%float4").variable("out", "Output", "%BlockOut"));
    // Meshes have one for vertices and one for primitives.
    let meshes = |primitive: &str| {
        let text = built_in_block(mesh(3, 1), "One", "Position", "%float4")
            .declare("%Ones = OpTypeArray %BlockOne %c3")
            .variable("one", "Output", "%Ones");
        let text =
            built_in_block(text, "Two", primitive, if primitive == "Layer" { "%int" } else { "%float" });
        let (len, text) = match primitive {
            "Layer" => ("%c1", text.decorate("OpMemberDecorate %BlockTwo 0 PerPrimitiveEXT")),
            _ => ("%c3", text),
        };
        text.declare(&format!("%Twos = OpTypeArray %BlockTwo {len}")).variable("two", "Output", "%Twos")
    };
    keeps(&meshes("Layer"));
    breaks(&meshes("PointSize"), "Built-in Interface Block");
}

#[test]
fn built_ins_count_against_the_locations() {
    let text = |location: u32| {
        let text =
            built_in_block(vertex(), "One", "Position", "%float4").variable("one", "Output", "%BlockOne");
        user(text, "Output", "%float4", &[&format!("Location {location}")])
    };
    let found = |location| findings_in(&text(location), &environment(&with("maxVertexOutputComponents", 64)));
    assert_eq!(found(14), [] as [&str; 0]);
    assert_eq!(found(15), ["VUID-RuntimeSpirv-Location-06272"]);
    // Without a block of built-ins there is one more.
    let alone = user(vertex(), "Output", "%float4", &["Location 15"]);
    let device = with("maxVertexOutputComponents", 64);
    assert_eq!(findings_in(&alone, &environment(&device)), [] as [&str; 0]);
}

/// What cluster culling shaders emit: only they have these, as integers, and with the capability.
#[test]
fn clusters_are_integers_of_cluster_culling_shaders() {
    for (name, of_stage, of_type) in [
        ("IndexCountHUAWEI", "07805", "07806"),
        ("VertexCountHUAWEI", "07809", "07810"),
        ("InstanceCountHUAWEI", "07807", "07808"),
        ("FirstIndexHUAWEI", "07799", "07800"),
        ("FirstVertexHUAWEI", "07803", "07804"),
        ("VertexOffsetHUAWEI", "07811", "07812"),
        ("FirstInstanceHUAWEI", "07801", "07802"),
        ("ClusterIDHUAWEI", "07797", "07798"),
        ("ClusterShadingRateHUAWEI", "09448", "09449"),
    ] {
        let text = |stage: Text, ty: &str| {
            stage.decorate(&format!("OpDecorate %v BuiltIn {name}")).variable("v", "Output", ty)
        };
        let other = vertex().capability("ClusterCullingShadingHUAWEI");
        breaks(&text(other, "%uint"), &format!("{name}-{of_stage}"));
        breaks(&text(cluster(), "%float"), &format!("{name}-{of_type}"));
        keeps(&text(cluster(), "%uint"));
        keeps(&text(cluster(), "%int"));
        breaks(&text(vertex(), "%uint"), "Capabilities");
    }
    breaks(&Text { capabilities: String::new(), ..cluster() }, "Capabilities");
    keeps(&cluster().body("OpDispatchClusterHUAWEI"));
}
