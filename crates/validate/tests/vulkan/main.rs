//! Vulkan's rules: a module that keeps all of them, and for each rule one that breaks it.

mod alignment;
mod built_in;
mod common;
mod cooperative;
mod creations;
mod creations_graphics;
mod creations_objects;
mod creations_state;
mod device;
mod graphs;
mod memory;
mod mesh;
mod path;
mod processing;
mod ray;
mod rows;
mod stages;
mod standalone;
mod uniformity;
mod universal;

use common::*;
use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{Environment, check, covered_built_in_vuids, covered_vuids};
use std::collections::BTreeSet;

/// A block of these members at these offsets; `%arr` is an array of four floats of stride 4, `%mat` a matrix
/// of stride 8.
fn block_of(class: &str, members: &str, offsets: &[u32]) -> Text {
    let block = if class != "PushConstant" {
        "%user DescriptorSet 0\nOpDecorate %user Binding 0\nOpDecorate "
    } else {
        ""
    };
    let mut text = compute().decorate(&format!(
        "OpDecorate {block}%Block Block\nOpDecorate %arr ArrayStride 4\nOpDecorate %runtime ArrayStride 4"
    ));
    for (index, offset) in offsets.iter().enumerate() {
        text = text.decorate(&format!("OpMemberDecorate %Block {index} Offset {offset}"));
        if members.split_whitespace().nth(index) == Some("%mat") {
            let stride = format!("OpMemberDecorate %Block {index} MatrixStride 8");
            text = text.decorate(&format!("OpMemberDecorate %Block {index} ColMajor\n{stride}"));
        }
    }
    text.decorate("OpMemberDecorate %Inner 0 Offset 0")
        .declare(
            "%arr = OpTypeArray %float %c4\n%runtime = OpTypeRuntimeArray %float\n%mat = OpTypeMatrix %float2 2\n%Inner = OpTypeStruct %float3",
        )
        .declare(&format!("%Block = OpTypeStruct {members}"))
        .variable("user", class, "%Block")
}

#[test]
fn explicit_layouts() {
    let is_found = |text: &Text, environment: &Environment| {
        let module = Module::decode(&assemble(&text.text()).unwrap()).unwrap();
        match check(&module, environment) {
            Ok(_) => false,
            Err(found) => {
                assert_eq!(found[0].rule, "VUID-StandaloneSpirv-None-10684", "{}", found[0]);
                true
            }
        }
    };
    let strict = Environment { strict: true, ..Environment::default() };
    let mut scalar = strict.clone();
    scalar.layout.scalar = true;
    let mut standard = strict.clone();
    standard.layout.uniform_standard = true;
    let mut unrelaxed = strict.clone();
    unrelaxed.layout.relaxed = false;
    // Class, members and offsets; then whether it is refused by default, with scalar layout, with the
    // standard layout of uniform blocks, and without relaxed vectors.
    let cases: [(&str, &str, &[u32], [bool; 4]); 16] = [
        // What lies behind the beginning of a runtime array lies in it.
        ("StorageBuffer", "%float %runtime", &[0, 4], [false; 4]),
        ("StorageBuffer", "%float %runtime", &[8, 4], [true; 4]),
        ("PushConstant", "%float3 %float", &[0, 12], [false; 4]),
        ("PushConstant", "%float %float3", &[0, 4], [false, false, false, true]),
        ("PushConstant", "%float %float3", &[0, 8], [true, false, true, true]),
        ("PushConstant", "%float %float2", &[0, 2], [true; 4]),
        ("PushConstant", "%float4 %float", &[0, 12], [true; 4]),
        ("PushConstant", "%float %float4", &[16, 0], [false; 4]),
        ("PushConstant", "%arr %float", &[0, 16], [false; 4]),
        ("PushConstant", "%arr %float", &[0, 12], [true; 4]),
        ("Uniform", "%arr", &[0], [true, false, false, true]),
        ("PushConstant", "%mat %float", &[0, 16], [false; 4]),
        ("Uniform", "%mat", &[0], [true, false, false, true]),
        // What follows a structure begins at its aligned end.
        ("PushConstant", "%Inner %float", &[0, 16], [false; 4]),
        ("PushConstant", "%Inner %float", &[0, 12], [true, false, true, true]),
        ("PushConstant", "%float", &[], [true; 4]),
    ];
    for (class, members, offsets, expected) in cases {
        let text = block_of(class, members, offsets);
        let found = [&strict, &scalar, &standard, &unrelaxed].map(|environment| is_found(&text, environment));
        assert_eq!(found, expected, "{class} {members} at {offsets:?}");
    }
}

/// Modules that keep every rule.
fn good() -> Vec<Text> {
    let sampled = "%float 2D 0 0 0 1 Unknown";
    vec![
        compute(),
        fragment(),
        vertex(),
        buffer("StorageBuffer", "Block"),
        buffer("Uniform", "Block"),
        shared().body("OpControlBarrier %c2 %c2 %both\nOpMemoryBarrier %c1 %both\n%r = OpAtomicIAdd %uint %shared %c1 %relaxed %c1"),
        shared().body("%r = OpAtomicLoad %uint %shared %c2 %acquire\nOpAtomicStore %shared %c2 %release %c1"),
        shared().body("%r = OpAtomicCompareExchange %uint %shared %c1 %both %acquire %c1 %c1"),
        image(fragment(), sampled).body("%q = OpImageQueryLevels %int %value"),
        image(fragment(), "%float SubpassData 0 0 0 2 Unknown")
            .decorate("OpDecorate %image InputAttachmentIndex 0")
            .body("%r = OpImageRead %float4 %value %zeros"),
        user(fragment(), "Input", "%float4", &["Location 0", "Centroid"]),
        user(fragment(), "Input", "%int", &["Location 0", "Flat"]),
        user(vertex(), "Output", "%float2", &["Location 3", "Component 2"]),
        physical().body("%p = OpConvertUToPtr %p_double %address\n%r = OpLoad %long %p Aligned 16"),
        ray("IntersectionKHR").variable("attribute", "HitAttributeKHR", "%float").body("OpStore %attribute %f1"),
    ]
}

/// Rules with modules that break them.
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn bad() -> Vec<(&'static str, Text)> {
    let sampled = "%float 2D 0 0 0 1 Unknown";
    let number = |value: u32| format!("%number = OpConstant %uint {value}");
    let numbered = |value: u32| compute().declare(&number(value)).body("OpControlBarrier %c2 %c2 %number");
    let block_output = |members: &str| {
        vertex()
            .decorate(&format!("OpDecorate %Block Block\n{members}"))
            .declare("%Block = OpTypeStruct %float %float")
            .variable("user", "Output", "%Block")
    };
    let in_stage = |model: &'static str, class: &str| ray(model).variable("data", class, "%float");
    let twice = |model: &'static str, class: &str| {
        ray(model).variable("data", class, "%float").variable("more", class, "%float")
    };
    let elements = |class: &str, pointer: &str| {
        compute()
            .capability(pointer)
            .declare(&format!("%p_one = OpTypePointer {class} %float"))
            .decorate("OpDecorate %p_one ArrayStride 4")
    };
    let name =
        |rest: &str| -> &'static str { Box::leak(format!("VUID-StandaloneSpirv-{rest}").into_boxed_str()) };
    let cases: Vec<(&str, Text)> = vec![
        // Declarations.
        ("OpTypeImage-04656", compute().declare("%i = OpTypeImage %void 2D 0 0 0 1 Unknown")),
        ("OpTypeImage-04657", compute().declare("%i = OpTypeImage %float 2D 0 0 0 0 Unknown")),
        (
            "OpTypeImage-09638",
            compute().capability("SampledRect").declare("%i = OpTypeImage %float Rect 0 0 0 1 Unknown"),
        ),
        (
            "OpTypeImage-06214",
            fragment()
                .capability("InputAttachment")
                .declare("%i = OpTypeImage %float SubpassData 0 0 0 1 Unknown"),
        ),
        (
            "OpTypeSampledImage-06671",
            compute().declare("%i = OpTypeImage %float 2D 0 0 0 2 R32f\n%s = OpTypeSampledImage %i"),
        ),
        ("None-04667", compute().declare("%i = OpTypeSampler\n%s = OpTypeStruct %i")),
        (
            "OpTypeForwardPointer-04711",
            compute()
                .capability("Addresses")
                .declare("OpTypeForwardPointer %p Private\n%p = OpTypePointer Private %float"),
        ),
        ("GLSLShared-04669", buffer("Uniform", "Block").decorate("OpDecorate %Block GLSLShared")),
        (
            "FPRoundingMode-04675",
            compute()
                .capability("StorageBuffer16BitAccess Float16 Kernel")
                .decorate("OpDecorate %r FPRoundingMode RTP")
                .declare("%half = OpTypeFloat 16")
                .body("%r = OpFConvert %half %f1"),
        ),
        ("OriginLowerLeft-04653", fragment().mode("OpExecutionMode %main OriginLowerLeft")),
        ("PixelCenterInteger-04654", fragment().mode("OpExecutionMode %main PixelCenterInteger")),
        ("None-04635", {
            let mut text = compute().capability("Addresses");
            text.addressing = "Physical64";
            text
        }),
        (
            "MeshEXT-07102",
            Text::stage("MeshEXT")
                .capability("MeshShadingEXT MeshShadingNV")
                .mode("OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 1")
                .second_entry_point("TaskNV"),
        ),
        ("None-10684", block_of("Uniform", "%float4 %float2", &[0, 28])),
        // Variables.
        ("None-04643", compute().capability("AtomicStorage").variable("v", "AtomicCounter", "%uint")),
        (
            "OpVariable-04651",
            compute().declare("%p = OpTypePointer Input %float\n%v = OpVariable %p Input %f1"),
        ),
        (
            "OpVariable-04734",
            compute().declare("%p = OpTypePointer Workgroup %float\n%v = OpVariable %p Workgroup %f1"),
        ),
        (
            "UniformConstant-04655",
            user(compute(), "UniformConstant", "%float", &["DescriptorSet 0", "Binding 0"]),
        ),
        ("Uniform-06807", user(compute(), "StorageBuffer", "%float", &["DescriptorSet 0", "Binding 0"])),
        ("PushConstant-06808", user(compute(), "PushConstant", "%float", &[])),
        (
            "PushConstant-06675",
            compute().declare("%s = OpTypeStruct %float").variable("v", "PushConstant", "%s"),
        ),
        (
            "Uniform-06676",
            user(
                compute().declare("%s = OpTypeStruct %float"),
                "Uniform",
                "%s",
                &["DescriptorSet 0", "Binding 0"],
            ),
        ),
        ("UniformConstant-06677", {
            let mut text = image(fragment(), sampled);
            text.decorations = text.decorations.replace("OpDecorate %image Binding 0", "");
            text
        }),
        (
            "InputAttachmentIndex-06678",
            user(
                fragment().capability("InputAttachment"),
                "Input",
                "%float",
                &["Location 0", "InputAttachmentIndex 0"],
            ),
        ),
        ("DescriptorSet-06491", user(fragment(), "Input", "%float", &["Location 0", "Binding 0"])),
        ("Location-06672", user(compute(), "Workgroup", "%float", &["Location 0"])),
        ("Location-04915", user(fragment(), "Input", "%float4", &["BuiltIn FragCoord", "Location 0"])),
        ("Location-04917", user(fragment(), "Input", "%float4", &[])),
        ("Location-04918", block_output("OpMemberDecorate %Block 0 Location 0\nOpDecorate %user Location 1")),
        ("Location-04919", block_output("OpMemberDecorate %Block 0 Location 0")),
        ("Component-04920", user(vertex(), "Output", "%float", &["Location 0", "Component 4"])),
        ("Component-04921", user(vertex(), "Output", "%float3", &["Location 0", "Component 2"])),
        (
            "Component-04922",
            user(with_double(vertex()), "Output", "%double2", &["Location 0", "Component 2"]),
        ),
        ("Component-04923", user(with_double(vertex()), "Output", "%double", &["Location 0", "Component 1"])),
        (
            "Component-07703",
            user(with_double(vertex()), "Output", "%double3", &["Location 0", "Component 2"]),
        ),
        (
            "Component-10583",
            user(
                vertex().declare("%m = OpTypeMatrix %float2 2"),
                "Output",
                "%m",
                &["Location 0", "Component 1"],
            ),
        ),
        ("Flat-04670", user(compute(), "Workgroup", "%float", &["Flat"])),
        (
            "TessLevelInner-10880",
            user(
                Text::stage("TessellationEvaluation")
                    .capability("Tessellation")
                    .declare("%l = OpTypeArray %float %c2"),
                "Input",
                "%l",
                &["BuiltIn TessLevelInner"],
            ),
        ),
        (
            "OpTypeRuntimeArray-04680",
            compute()
                .decorate("OpDecorate %s Block\nOpDecorate %a ArrayStride 16\nOpMemberDecorate %s 0 Offset 0")
                .declare("%a = OpTypeRuntimeArray %float4\n%s = OpTypeStruct %a")
                .variable("user", "PushConstant", "%s"),
        ),
        ("Input-07290", user(vertex(), "Output", "%bool", &["Location 0"])),
        (
            "OpTypeFloat-10370",
            user(
                vertex()
                    .capability("BFloat16TypeKHR StorageInputOutput16")
                    .declare("%b = OpTypeFloat 16 BFloat16KHR"),
                "Output",
                "%b",
                &["Location 0"],
            ),
        ),
        (
            "OpUntypedVariableKHR-11167",
            compute()
                .capability("UntypedPointersKHR")
                .declare("%p = OpTypeUntypedPointerKHR Workgroup\n%v = OpUntypedVariableKHR %p Workgroup"),
        ),
        // Instructions.
        ("None-04636", compute().body("OpControlBarrier %c1 %c1 %relaxed")),
        ("None-04642", compute().body("%r = OpGroupNonUniformElect %bool %c2")),
        ("None-04641", shared().body("OpMemoryBarrier %c4 %both")),
        ("MemorySemantics-10865", numbered(2 | 4 | 256)),
        ("MemorySemantics-10866", numbered(16 | 256)),
        ("MemorySemantics-10867", shared().body("OpAtomicStore %shared %c2 %acquire %c1")),
        ("MemorySemantics-10868", shared().body("%r = OpAtomicLoad %uint %shared %c2 %release")),
        ("MemorySemantics-10869", compute().body("OpMemoryBarrier %c2 %relaxed")),
        ("MemorySemantics-10870", numbered(8)),
        ("MemorySemantics-10871", numbered(256)),
        ("MemorySemantics-10872", numbered(2 | 256 | 8192).capability("VulkanMemoryModel")),
        ("MemorySemantics-10873", numbered(4 | 256 | 16384).capability("VulkanMemoryModel")),
        ("MemorySemantics-13551", numbered(8 | 256 | 32768).capability("VulkanMemoryModel")),
        (
            "UnequalMemorySemantics-10875",
            shared().body("%r = OpAtomicCompareExchange %uint %shared %c1 %both %release %c1 %c1"),
        ),
        (
            "UnequalMemorySemantics-10879",
            shared()
                .capability("VulkanMemoryModel")
                .declare(&number(8 | 256 | 32768))
                .body("%r = OpAtomicCompareExchange %uint %shared %c1 %number %acquire %c1 %c1"),
        ),
        (
            "OpReadClockKHR-04652",
            compute()
                .capability("ShaderClockKHR Int64")
                .declare("%long = OpTypeInt 64 0")
                .body("%r = OpReadClockKHR %long %c2"),
        ),
        (
            "None-04686",
            compute()
                .capability("AtomicStorageOps")
                .declare("%p_local = OpTypePointer Function %uint")
                .body("%v = OpVariable %p_local Function\n%r = OpAtomicIAdd %uint %v %c4 %relaxed %c1"),
        ),
        (
            "OpImageTexelPointer-04658",
            image(compute(), "%float 2D 0 0 0 2 Rgba8")
                .declare("%p_texel = OpTypePointer Image %float")
                .body("%r = OpImageTexelPointer %p_texel %image %zeros %c0"),
        ),
        (
            "OpImageQuerySizeLod-04659",
            image(compute(), "%float 2D 0 0 0 2 R32f").body("%r = OpImageQueryLevels %int %value"),
        ),
        (
            "OpImageGather-04664",
            image(fragment(), sampled)
                .declare("%sampled = OpTypeSampledImage %type\n%sampler_type = OpTypeSampler")
                .decorate("OpDecorate %sampler DescriptorSet 0\nOpDecorate %sampler Binding 1")
                .variable("sampler", "UniformConstant", "%sampler_type")
                .body("%sm = OpLoad %sampler_type %sampler\n%si = OpSampledImage %sampled %value %sm")
                .body("%n = OpIAdd %int %i0 %i0\n%r = OpImageGather %float4 %si %v2 %n"),
        ),
        (
            "OpImage-04777",
            image(fragment(), "%float 3D 1 0 0 1 Unknown")
                .declare("%sampled = OpTypeSampledImage %type\n%sampler_type = OpTypeSampler")
                .declare("%v3 = OpConstantComposite %float3 %f1 %f1 %f1")
                .decorate("OpDecorate %sampler DescriptorSet 0\nOpDecorate %sampler Binding 1")
                .variable("sampler", "UniformConstant", "%sampler_type")
                .body("%sm = OpLoad %sampler_type %sampler\n%si = OpSampledImage %sampled %value %sm")
                .body("%r = OpImageSampleDrefExplicitLod %float %si %v3 %f1 Lod %f1"),
        ),
        (
            "SubpassData-04660",
            image(fragment(), "%float SubpassData 0 0 0 2 Unknown")
                .decorate("OpDecorate %image InputAttachmentIndex 0")
                .declare("%ones = OpConstantComposite %int2 %i1 %i0")
                .body("%r = OpImageRead %float4 %value %ones"),
        ),
        ("OpTypeImage-06924", {
            let text = image(fragment(), sampled).declare("%p_copy = OpTypePointer Function %type");
            let loaded = text.body.clone();
            Text {
                body: format!("%copy = OpVariable %p_copy Function\n{loaded}OpStore %copy %value\n"),
                ..text
            }
        }),
        (
            "Uniform-06925",
            buffer("Uniform", "Block").body("%p = OpAccessChain %p_float %buffer %i0\nOpStore %p %f1"),
        ),
        (
            "Base-07651",
            elements("Workgroup", "VariablePointersStorageBuffer")
                .declare("%v = OpVariable %p_one Workgroup")
                .body("%r = OpPtrAccessChain %p_one %v %i1"),
        ),
        (
            "Base-07652",
            elements("StorageBuffer", "Addresses")
                .decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0")
                .decorate("OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0")
                .declare("%Block = OpTypeStruct %float")
                .variable("buffer", "StorageBuffer", "%Block")
                .body("%first = OpAccessChain %p_one %buffer %i0\n%r = OpPtrAccessChain %p_one %first %i1"),
        ),
        ("PhysicalStorageBuffer64-04710", physical().body("%p = OpConvertUToPtr %p_double %c1")),
        (
            "PhysicalStorageBuffer64-06314",
            physical().body("%p = OpConvertUToPtr %p_double %address\n%r = OpLoad %long %p Aligned 4"),
        ),
        // Entry points.
        ("None-10685", Text { modes: String::new(), ..compute() }),
        ("None-04644", user(compute(), "Output", "%float", &["Location 0"])),
        ("None-04645", user(fragment(), "Workgroup", "%float", &[])),
        ("RayPayloadKHR-04698", in_stage("AnyHitKHR", "RayPayloadKHR")),
        ("IncomingRayPayloadKHR-04699", in_stage("RayGenerationKHR", "IncomingRayPayloadKHR")),
        ("IncomingRayPayloadKHR-04700", twice("MissKHR", "IncomingRayPayloadKHR")),
        ("HitAttributeKHR-04701", in_stage("MissKHR", "HitAttributeKHR")),
        ("HitAttributeKHR-04702", twice("AnyHitKHR", "HitAttributeKHR")),
        ("HitAttributeKHR-04703", in_stage("AnyHitKHR", "HitAttributeKHR").body("OpStore %data %f1")),
        ("CallableDataKHR-04704", in_stage("AnyHitKHR", "CallableDataKHR")),
        ("IncomingCallableDataKHR-04705", in_stage("MissKHR", "IncomingCallableDataKHR")),
        ("IncomingCallableDataKHR-04706", twice("CallableKHR", "IncomingCallableDataKHR")),
        (
            "ShaderRecordBufferKHR-07119",
            compute().capability("RayTracingKHR").variable("v", "ShaderRecordBufferKHR", "%float"),
        ),
        (
            "OpEntryPoint-06674",
            compute()
                .decorate("OpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0")
                .declare("%s = OpTypeStruct %float")
                .variable("one", "PushConstant", "%s")
                .declare("%second = OpVariable %p_one PushConstant")
                .listing("%second"),
        ),
        (
            "OpEntryPoint-08721",
            user(fragment(), "Input", "%float4", &["Location 0"])
                .variable("other", "Input", "%float")
                .decorate("OpDecorate %other Location 0\nOpDecorate %other Component 3"),
        ),
        (
            "OpEntryPoint-08722",
            user(vertex(), "Output", "%float4", &["Location 0"])
                .variable("other", "Output", "%float")
                .decorate("OpDecorate %other Location 0"),
        ),
        ("Flat-06201", user(fragment(), "Output", "%float4", &["Location 0", "Flat"])),
        ("Flat-06202", user(vertex(), "Input", "%float4", &["Location 0", "Flat"])),
        ("Flat-04744", user(fragment(), "Input", "%int", &["Location 0"])),
        (
            "PerVertexKHR-06777",
            user(
                vertex().capability("FragmentBarycentricKHR").declare("%a = OpTypeArray %float %c3"),
                "Output",
                "%a",
                &["Location 0", "PerVertexKHR"],
            ),
        ),
        (
            "Input-06778",
            user(
                fragment().capability("FragmentBarycentricKHR"),
                "Input",
                "%float",
                &["Location 0", "PerVertexKHR"],
            ),
        ),
        (
            "MeshEXT-07330",
            Text::stage("MeshEXT")
                .capability("MeshShadingEXT")
                .mode("OpExecutionMode %main OutputVertices 0\nOpExecutionMode %main OutputPrimitivesEXT 1"),
        ),
        (
            "MeshEXT-07331",
            Text::stage("MeshEXT")
                .capability("MeshShadingEXT")
                .mode("OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 0"),
        ),
        ("DerivativeGroupQuadsKHR-10151", {
            let modes =
                "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main DerivativeGroupQuadsKHR";
            Text { modes: modes.to_owned(), ..compute().capability("ComputeDerivativeGroupQuadsKHR") }
        }),
        ("DerivativeGroupLinearKHR-10152", {
            let modes =
                "OpExecutionMode %main LocalSize 3 2 1\nOpExecutionMode %main DerivativeGroupLinearKHR";
            Text { modes: modes.to_owned(), ..compute().capability("ComputeDerivativeGroupLinearKHR") }
        }),
        ("None-04637", fragment().body("OpControlBarrier %c2 %c3 %relaxed")),
        ("None-07321", fragment().body("OpControlBarrier %c3 %c2 %relaxed")),
        ("None-04640", compute().body("OpControlBarrier %c2 %c6 %relaxed")),
        ("OpControlBarrier-04682", fragment().body("OpControlBarrier %c2 %c3 %relaxed")),
    ];
    cases.into_iter().map(|(rest, text)| (name(rest), text)).collect()
}

#[test]
fn good_modules_pass() {
    for text in good() {
        assert_eq!(findings(&text), [] as [&str; 0], "{}", text.text());
    }
}

#[test]
fn bad_modules_are_found() {
    for (rule, text) in bad() {
        let found = findings(&text);
        assert!(found.iter().any(|found| found == rule), "{rule} expected, found {found:?}\n{}", text.text());
    }
}

/// Rules that have a module or device that breaks them and one that keeps them.
fn cases() -> Vec<Case> {
    [
        device::cases(),
        memory::cases(),
        built_in::cases(),
        standalone::cases(),
        ray::cases(),
        cooperative::cases(),
        mesh::cases(),
        processing::cases(),
        alignment::cases(),
        path::cases(),
        uniformity::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn broken_rules_are_found() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = findings_in(&case.bad.0, &environment(&case.bad.1));
        if !found.iter().any(|found| found == case.rule) {
            wrong.push(format!("{} expected, found {found:?}\n{}", case.rule, case.bad.0.own()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn valid_modules_have_no_findings() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = findings_in(&case.good.0, &environment(&case.good.1));
        // What an earlier stage finds would hide the rule.
        if found.iter().any(|found| found == case.rule || !found.starts_with("VUID")) {
            wrong.push(format!("{}: found {found:?}\n{}", case.rule, case.good.0.own()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn features_matter_only_with_a_device() {
    for case in cases() {
        if case.bad.0.text() == case.good.0.text() {
            let is_found = findings(&case.bad.0).iter().any(|found| found == case.rule);
            assert!(!is_found || IS_STRICTER_ALONE.contains(&case.rule), "{}", case.rule);
        }
    }
}

/// Rules that hold where nothing says that a feature is on.
const IS_STRICTER_ALONE: [&str; 2] = ["VUID-RuntimeSpirv-None-09558", "VUID-RuntimeSpirv-Offset-10213"];

/// Rules that an earlier stage of checking already enforces, so that no module reaches them.
const SHADOWED: [&str; 10] = [
    "VUID-RuntimeSpirv-OpArrayLength-11807",
    "VUID-StandaloneSpirv-Base-07650",
    "VUID-StandaloneSpirv-NonCoherentTileAttachmentReadQCOM-10690",
    "VUID-StandaloneSpirv-None-04633",
    "VUID-StandaloneSpirv-None-04638",
    "VUID-StandaloneSpirv-OpGroupNonUniformBallotBitCount-04685",
    "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708",
    "VUID-StandaloneSpirv-TileAttachmentQCOM-10689",
    "VUID-StandaloneSpirv-TileShadingRateQCOM-10691",
    "VUID-VkShaderModuleCreateInfo-pCode-08738",
];

#[test]
fn every_rule_has_a_case() {
    let pairs = cases();
    let tested: BTreeSet<&str> = bad()
        .iter()
        .map(|(rule, _)| *rule)
        .chain(pairs.iter().map(|case| case.rule))
        .chain(graphs::TESTED)
        .collect();
    let covered: BTreeSet<&str> = covered_vuids().into_iter().collect();
    let untested: Vec<_> = covered.difference(&tested).filter(|rule| !SHADOWED.contains(*rule)).collect();
    assert!(untested.is_empty(), "{untested:?}");
    let unknown: Vec<_> = tested.difference(&covered).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Why a rule is not covered, by the word in `uncovered.tsv`.
const REASONS: [(&str, &str); 20] = [
    (
        "bound",
        "Speaks of the images, samplers, buffers and acceleration structures that are bound, and how they were made",
    ),
    ("values", "Speaks of indices, addresses and coordinates that code computes"),
    (
        "uniformity",
        "Speaks of values that are uniform or not, in ways that no constant and no invocation's place shows",
    ),
    ("paths", "Speaks of what is written on the paths that are taken, for each vertex of a primitive"),
    ("state", "Speaks of the render pass, its tiles and its state when the shader runs"),
    ("table", "Speaks of which shaders meet by a shader binding table, which is memory"),
    (
        "query",
        "Compares with what a device answers when it is asked about sizes, scopes, formats, samples and queues",
    ),
    ("sum", "Says that other rules hold, each of which is covered under its own name"),
    ("api", "Speaks of the call: handles, pointers, structure types"),
    ("grammar", "Needs instructions, stages or encodings that the SPIR-V grammar in use does not have"),
    ("alias", "The same rules under the newer name of the same built-in are covered"),
    ("superseded", "Holds for versions and extensions without the feature that a covered rule asks for"),
    ("unstated", "Speaks of a size that modules do not state"),
    ("universal", "Checked always, under the name that SPIR-V's rules have"),
    (
        "dynamic",
        "Speaks of the dynamic state, render pass, pipeline and shader objects that a draw or dispatch finds",
    ),
    (
        "command",
        "Speaks of a command that is no draw or dispatch, and of the command buffer that it is recorded into",
    ),
    ("counts", "Compares with limits how many workgroups a command asks for"),
    ("conversion", "Speaks of matrices that are converted in memory: their sizes, strides and addresses"),
    ("cuda", "Speaks of CUDA modules, which are no SPIR-V"),
    ("objects", "Speaks of how samplers were made, or how many of them there are"),
];

/// How far a rule is decided, by the word in `partly.tsv`.
const PARTS: [(&str, &str); 7] = [
    ("aspects", "for depth and stencil, which shaders read as floats and integers"),
    ("meshes", "as far as constants say indices and counts"),
    ("paths", "as warnings, since which paths are taken shows at run time"),
    ("constants", "as far as constants say alignments and offsets"),
    (
        "invocations",
        "for indices that are an invocation's place in its workgroup, or grow with it, where all invocations run",
    ),
    ("types", "for variables of the same type at the same index"),
    ("pointers", "for pointers that a selection chooses between variables"),
];

/// Every rule that has to be covered or listed.
fn all_rules() -> BTreeSet<&'static str> {
    include_str!("rules.txt").lines().filter(|line| !line.starts_with('#')).collect()
}

/// Every rule that some part of the checker reports.
fn covered_by_any() -> BTreeSet<String> {
    let names: Vec<&str> = [
        covered_vuids(),
        pyro_interface::pipeline::covered_vuids(),
        pyro_validate::stage::covered_vuids(),
        pyro_validate::data_graph::covered_vuids(),
        pyro_validate::create_info::covered_vuids(),
        pyro_validate::create_info::renamed_rules().iter().map(|(_, rule)| *rule).collect(),
    ]
    .concat();
    names.into_iter().map(str::to_owned).chain(covered_built_in_vuids()).collect()
}

#[test]
fn creations_have_known_rules() {
    let (known, found) = (all_rules(), pyro_validate::create_info::covered_vuids());
    let unknown: Vec<_> = found.into_iter().filter(|rule| !known.contains(rule)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn no_rule_is_missing() {
    let (covered, listed) = (covered_by_any(), uncovered());
    let listed: BTreeSet<&str> = listed.iter().map(|(rule, _)| *rule).collect();
    let missing: Vec<_> =
        all_rules().into_iter().filter(|rule| !covered.contains(*rule) && !listed.contains(rule)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn partly() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("partly.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("a rule and a word")).collect()
}

fn uncovered() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("uncovered.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("a rule and a word")).collect()
}

#[test]
fn uncovered_rules_have_reasons() {
    let covered = covered_by_any();
    for (rule, part) in partly() {
        assert!(PARTS.iter().any(|(word, _)| *word == part), "{rule}: {part}");
        assert!(covered.contains(rule), "{rule} is not covered at all");
    }
    for (rule, reason) in uncovered() {
        assert!(REASONS.iter().any(|(word, _)| *word == reason), "{rule}: {reason}");
        assert!(!covered.contains(rule), "{rule} is covered, and listed as not");
    }
}

/// `VUIDS.md` lists what is covered and what is not; `PYRO_BLESS=1` rewrites it.
#[test]
fn coverage_is_listed() {
    let (functions, table, pipelines) =
        (covered_vuids(), covered_built_in_vuids(), pyro_interface::pipeline::covered_vuids());
    let uncovered = uncovered();
    let mut text = format!(
        "# Rules of Vulkan that are checked\n\nA test writes this file (`PYRO_BLESS=1 cargo test -p pyro-validate`). A \
         rule is one function, found by\nsearching for its number. SPIR-V's own rules have no numbers: the crate's \
         documentation lists them.\n\n| | rules |\n| --- | --- |\n| by functions of this crate | {} |\n| on built-ins, \
         by their table | {} |\n| on pipelines, by `pyro_interface::pipeline` | {} |\n| on the creation of stages, by `stage` | {} |\n\
         | on data graph pipelines, by `data_graph` | {} |\n| on creations, by `create_info` | {} |\n\
         | on shader objects, by rules on modules and stages | {} |\n| not covered | {} |\n",
        functions.len(),
        table.len(),
        pipelines.len(),
        pyro_validate::stage::covered_vuids().len(),
        pyro_validate::data_graph::covered_vuids().len(),
        pyro_validate::create_info::covered_vuids().len(),
        pyro_validate::create_info::renamed_rules().len(),
        uncovered.len()
    );
    let mut section = |title: &str, rules: Vec<&str>| {
        text += &format!("\n## {title}\n\n");
        rules.iter().for_each(|rule| text += &format!("- {rule}\n"));
    };
    section("By functions", functions.clone());
    section("On built-ins, by their table", table.iter().map(String::as_str).collect());
    section("On pipelines", pipelines);
    section("On the creation of stages", pyro_validate::stage::covered_vuids());
    section("On data graph pipelines", pyro_validate::data_graph::covered_vuids());
    section("On creations", pyro_validate::create_info::covered_vuids());
    let mut renamed: Vec<_> = pyro_validate::create_info::renamed_rules().iter().map(|(_, to)| *to).collect();
    renamed.sort_unstable();
    section("On shader objects, by rules on modules and stages", renamed);
    for (word, part) in PARTS {
        let rules = partly().into_iter().filter(|(_, found)| *found == word).map(|(rule, _)| rule);
        section(&format!("Of these, decided in part: {part}"), rules.collect());
    }
    for (word, reason) in REASONS {
        let rules = uncovered.iter().filter(|(_, found)| *found == word).map(|(rule, _)| *rule);
        section(&format!("Not covered: {}", reason), rules.collect());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/VUIDS.md");
    if pyro_test_environment::bless() {
        std::fs::write(path, &text).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == text, "VUIDS.md is out of date; run with PYRO_BLESS=1");
}
