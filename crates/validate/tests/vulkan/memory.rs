//! Atomics, scopes, group operations, arithmetic, storage and images that devices may lack.

use crate::common::*;
use pyro_validate::Device;

fn r(rest: &str) -> &'static str {
    format!("VUID-RuntimeSpirv-{rest}").leak()
}

/// A number of a type in a buffer, as `%place`.
fn in_buffer(text: Text, ty: &str) -> Text {
    text.decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0")
        .decorate("OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0")
        .declare(&format!("%Block = OpTypeStruct {ty}"))
        .variable("buffer", "StorageBuffer", "%Block")
        .declare(&format!("%p_place = OpTypePointer StorageBuffer {ty}"))
        .body("%place = OpAccessChain %p_place %buffer %i0")
}

fn shared_of(text: Text, ty: &str) -> Text {
    text.variable("place", "Workgroup", ty)
}

fn in_image(text: Text, ty: &str, format: &str) -> Text {
    image(text, &format!("{ty} 2D 0 0 0 2 {format}"))
        .declare(&format!("%p_texel = OpTypePointer Image {ty}"))
        .body("%place = OpImageTexelPointer %p_texel %image %zeros %c0")
}

fn long() -> Text {
    compute().capability("Int64 Int64Atomics").declare("%long = OpTypeInt 64 0\n%l1 = OpConstant %long 1")
}

fn float_of(width: u32) -> Text {
    let text = compute().capability(&format!("AtomicFloat{width}AddEXT"));
    match width {
        16 => text.capability("Float16").declare("%t = OpTypeFloat 16\n%one = OpConstant %t 1"),
        64 => text.capability("Float64").declare("%t = OpTypeFloat 64\n%one = OpConstant %t 1"),
        _ => text,
    }
}

fn add(text: Text, width: u32) -> Text {
    let (ty, one) = if width == 32 { ("%float", "%f1") } else { ("%t", "%one") };
    text.body(&format!("%r = OpAtomicFAddEXT {ty} %place %c1 %relaxed {one}"))
}

const WIDTHS: [&str; 3] = ["16", "32", "64"];

fn float_features(places: &[&str]) -> Vec<&'static str> {
    let mut found = vec!["shaderFloat16VectorAtomics"];
    for place in places {
        for width in WIDTHS {
            for kind in ["Atomics", "AtomicAdd", "AtomicMinMax"] {
                found.push(format!("shader{place}Float{width}{kind}").leak());
            }
        }
    }
    found
}

fn atomics() -> Vec<Case> {
    let next = "%r = OpAtomicIAdd %long %place %c1 %relaxed %l1";
    let all = float_features(&["Buffer", "Shared", "Image"]);
    let mut cases = vec![
        feature(r("None-06278"), in_buffer(long(), "%long").body(next), &["shaderBufferInt64Atomics"]),
        feature(r("None-06279"), shared_of(long(), "%long").body(next), &["shaderSharedInt64Atomics"]),
        feature(
            r("None-06288"),
            in_image(long().capability("Int64ImageEXT"), "%long", "R64ui").body(next),
            &["shaderImageInt64Atomics"],
        ),
        feature(r("None-06284"), add(in_buffer(float_of(32), "%float"), 32), &float_features(&["Buffer"])),
        feature(r("None-06285"), add(shared_of(float_of(32), "%float"), 32), &float_features(&["Shared"])),
        feature(
            r("None-06286"),
            add(in_image(float_of(32), "%float", "R32f"), 32),
            &float_features(&["Image"]),
        ),
        feature(
            r("shaderFloat16VectorAtomics-09581"),
            shared_of(
                compute()
                    .capability("AtomicFloat16VectorNV Float16")
                    .declare("%t = OpTypeFloat 16\n%t2 = OpTypeVector %t 2\n%one = OpConstant %t 1")
                    .declare("%ones = OpConstantComposite %t2 %one %one"),
                "%t2",
            )
            .body("%r = OpAtomicFAddEXT %t2 %place %c1 %relaxed %ones"),
            &["shaderFloat16VectorAtomics"],
        ),
    ];
    for (number, width) in [("06337", 16), ("06338", 32), ("06339", 64)] {
        let ty = if width == 32 { "%float" } else { "%t" };
        cases.push(feature(r(&format!("None-{number}")), add(shared_of(float_of(width), ty), width), &all));
    }
    cases
}

fn groups() -> Vec<Case> {
    let clock = |scope: &str| {
        compute()
            .capability("ShaderClockKHR Int64")
            .declare("%long = OpTypeInt 64 0")
            .body(&format!("%r = OpReadClockKHR %long {scope}"))
    };
    let vulkan = || {
        let mut text = shared().capability("VulkanMemoryModel");
        text.memory = "Vulkan";
        text
    };
    let fma = |width: u32| {
        let (text, ty) = match width {
            16 => (compute().capability("Float16").declare("%t = OpTypeFloat 16"), "%t"),
            64 => (compute().capability("Float64").declare("%t = OpTypeFloat 64"), "%t"),
            _ => (compute(), "%float"),
        };
        text.capability("FMAKHR")
            .declare(&format!("%k = OpConstant {ty} 1"))
            .body(&format!("%r = OpFmaKHR {ty} %k %k %k"))
    };
    let dynamic = |op: &str, capability: &str| {
        compute()
            .capability(capability)
            .body(&format!("%n = OpIAdd %uint %c1 %c1\n%r = {op} %uint %c3 %c1 %n"))
    };
    let quad = || compute().capability("GroupNonUniformQuad");
    let swap = "%r = OpGroupNonUniformQuadSwap %uint %c3 %c1 %c0";
    let mut cases = vec![
        feature(
            r("vulkanMemoryModel-06265"),
            vulkan().body("%r = OpAtomicIAdd %uint %shared %c1 %relaxed %c1"),
            &["vulkanMemoryModelDeviceScope"],
        ),
        feature(
            r("vulkanMemoryModel-06266"),
            shared()
                .capability("VulkanMemoryModel")
                .body("%r = OpAtomicIAdd %uint %shared %c5 %relaxed %c1")
                .declare("%c5 = OpConstant %uint 5"),
            &["vulkanMemoryModel"],
        ),
        feature(r("shaderSubgroupClock-06267"), clock("%c3"), &["shaderSubgroupClock"]),
        feature(r("shaderDeviceClock-06268"), clock("%c1"), &["shaderDeviceClock"]),
        feature(
            r("None-06275"),
            compute()
                .capability("GroupNonUniformArithmetic Int64")
                .declare("%long = OpTypeInt 64 0\n%l1 = OpConstant %long 1")
                .body("%r = OpGroupNonUniformIAdd %long %c3 Reduce %l1"),
            &["shaderSubgroupExtendedTypes"],
        ),
        pair(
            r("subgroupBroadcastDynamicId-06277"),
            dynamic("OpGroupNonUniformBroadcast", ""),
            compute().body("%r = OpGroupNonUniformBroadcast %uint %c3 %c1 %c2"),
        ),
        pair(
            r("subgroupBroadcastDynamicId-06276"),
            dynamic("OpGroupNonUniformQuadBroadcast", "GroupNonUniformQuad"),
            quad().body("%r = OpGroupNonUniformQuadBroadcast %uint %c3 %c1 %c2"),
        ),
        feature(
            r("shaderSubgroupRotateClustered-09566"),
            compute()
                .capability("GroupNonUniformRotateKHR")
                .body("%r = OpGroupNonUniformRotateKHR %uint %c3 %c1 %c1 %c4"),
            &["shaderSubgroupRotateClustered"],
        ),
        feature(
            r("None-10824"),
            compute()
                .capability("Int16")
                .declare("%short = OpTypeInt 16 0\n%s1 = OpConstant %short 1")
                .body("%r = OpBitReverse %short %s1"),
            &["maintenance9"],
        ),
        limit(
            r("None-06342"),
            Text { model: "Vertex", modes: String::new(), ..quad() }.body(swap),
            "subgroupQuadOperationsInAllStages",
            0,
            1,
        ),
        limit(r("None-06343"), quad().body(swap), "subgroupSupportedStages", 0x10, 0x20),
        limit(
            r("OpEmitStreamVertex-06310"),
            crate::device::geometry(3, 1).capability("GeometryStreams").body("OpEmitStreamVertex %c1"),
            "maxTransformFeedbackStreams",
            1,
            2,
        ),
    ];
    for (width, number) in [(16, 10977), (32, 10978), (64, 10979)] {
        let name = format!("shaderFmaFloat{width}");
        cases.push(feature(r(&format!("{name}-{number}")), fma(width), &[name.leak()]));
    }
    cases
}

/// A block of a narrow type in a storage class.
fn narrow(class: &str, width: u32, capability: &str) -> Text {
    let is_resource = matches!(class, "StorageBuffer" | "Uniform");
    let text = compute()
        .capability(capability)
        .decorate("OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0")
        .declare(&format!("%t = OpTypeInt {width} 0\n%Block = OpTypeStruct %t"))
        .variable("v", class, "%Block");
    let text = if is_resource {
        text.decorate("OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0")
    } else {
        text
    };
    text.capability(if width == 8 { "Int8" } else { "Int16" })
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn storage() -> Vec<Case> {
    let untyped = "shaderUntypedPointers";
    let unknown = || image(compute(), "%float 2D 0 0 0 2 Unknown");
    let old = |features: &[&str]| {
        let mut device = Device::bare(1, 2);
        features.iter().for_each(|feature| device.set_feature(feature, true));
        device
    };
    let subpass = |array: bool| {
        let ty = if array { "%images" } else { "%type" };
        fragment()
            .capability("InputAttachment")
            .decorate("OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 0")
            .declare(
                "%type = OpTypeImage %float SubpassData 0 0 0 2 Unknown\n%images = OpTypeArray %type %c2",
            )
            .variable("image", "UniformConstant", ty)
    };
    let attachments = |other: &str| {
        let text = subpass(false)
            .decorate("OpDecorate %image InputAttachmentIndex 1")
            .decorate("OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1")
            .decorate("OpDecorate %other InputAttachmentIndex 1");
        if other == "%float" {
            text.declare("%other = OpVariable %p_image UniformConstant").listing("%other")
        } else {
            text.declare(&format!("%o = OpTypeImage {other} SubpassData 0 0 0 2 Unknown")).variable(
                "other",
                "UniformConstant",
                "%o",
            )
        }
    };
    let captured = |stride: u32| {
        user(
            vertex().capability("TransformFeedback GeometryStreams").mode("OpExecutionMode %main Xfb"),
            "Output",
            "%float4",
            &["Location 0", "XfbBuffer 0", &format!("XfbStride {stride}"), "Offset 16", "Stream 0"],
        )
    };
    vec![
        Case {
            rule: r("apiVersion-07954"),
            bad: (unknown(), old(&["shaderStorageImageReadWithoutFormat"])),
            good: (unknown(), old(&["shaderStorageImageWriteWithoutFormat"])),
        },
        Case {
            rule: r("apiVersion-07955"),
            bad: (unknown(), old(&["shaderStorageImageWriteWithoutFormat"])),
            good: (unknown(), old(&["shaderStorageImageReadWithoutFormat"])),
        },
        feature(r("None-09558"), subpass(false), &["dynamicRenderingLocalRead"]),
        // Depth and stencil are told apart by their type, two colours by nothing.
        pair(r("OpEntryPoint-08727"), attachments("%float"), attachments("%uint")),
        pair(
            r("OpTypeImage-09644"),
            subpass(true),
            subpass(true).decorate("OpDecorate %image InputAttachmentIndex 0"),
        ),
        feature(
            r("storageBuffer8BitAccess-06328"),
            narrow("StorageBuffer", 8, "StorageBuffer8BitAccess"),
            &["storageBuffer8BitAccess", untyped],
        ),
        feature(
            r("uniformAndStorageBuffer8BitAccess-06329"),
            narrow("Uniform", 8, "UniformAndStorageBuffer8BitAccess"),
            &["uniformAndStorageBuffer8BitAccess", untyped],
        ),
        feature(
            r("storagePushConstant8-06330"),
            narrow("PushConstant", 8, "StoragePushConstant8"),
            &["storagePushConstant8", untyped],
        ),
        feature(
            r("workgroupMemoryExplicitLayout8BitAccess-10756"),
            narrow("Workgroup", 8, "WorkgroupMemoryExplicitLayout8BitAccessKHR"),
            &["workgroupMemoryExplicitLayout8BitAccess", untyped],
        ),
        feature(
            r("storageBuffer16BitAccess-11161"),
            narrow("StorageBuffer", 16, "StorageBuffer16BitAccess"),
            &["storageBuffer16BitAccess", "storageBuffer8BitAccess", untyped],
        ),
        feature(
            r("uniformAndStorageBuffer16BitAccess-06332"),
            narrow("Uniform", 16, "UniformAndStorageBuffer16BitAccess"),
            &["uniformAndStorageBuffer16BitAccess", "uniformAndStorageBuffer8BitAccess", untyped],
        ),
        feature(
            r("storagePushConstant16-06333"),
            narrow("PushConstant", 16, "StoragePushConstant16"),
            &["storagePushConstant16", "storagePushConstant8", untyped],
        ),
        feature(
            r("storageInputOutput16-11162"),
            user(
                vertex().capability("StorageInputOutput16 Float16").declare("%t = OpTypeFloat 16"),
                "Output",
                "%t",
                &["Location 0"],
            ),
            &["storageInputOutput16", untyped],
        ),
        feature(
            r("workgroupMemoryExplicitLayout16BitAccess-10757"),
            narrow("Workgroup", 16, "WorkgroupMemoryExplicitLayout16BitAccessKHR"),
            &[
                "workgroupMemoryExplicitLayout16BitAccess",
                "workgroupMemoryExplicitLayout8BitAccess",
                untyped,
            ],
        ),
        pair(
            r("None-10980"),
            user(vertex().capability("Int8").declare("%t = OpTypeInt 8 0"), "Output", "%t", &["Location 0"]),
            user(vertex(), "Output", "%uint", &["Location 0"]),
        ),
        feature(
            r("shaderZeroInitializeWorkgroupMemory-06372"),
            compute().declare(
                "%p = OpTypePointer Workgroup %uint\n%null = OpConstantNull %uint\n%w = OpVariable %p Workgroup %null",
            ).listing("%w"),
            &["shaderZeroInitializeWorkgroupMemory"],
        ),
        limit(r("Stream-06312"), captured(32), "maxTransformFeedbackStreams", 0, 1),
        limit(r("XfbStride-06313"), captured(32), "maxTransformFeedbackBufferDataStride", 28, 32),
        limit(r("Offset-06308"), captured(32), "maxTransformFeedbackBufferDataSize", 31, 32),
    ]
}

/// A combined image and sampler, as `%si`, with a coordinate `%v2`.
fn sampled(dim: &str) -> Text {
    image(fragment(), &format!("%float {dim} 0 0 0 1 Unknown"))
        .declare("%sampled = OpTypeSampledImage %type\n%sampler_type = OpTypeSampler")
        .decorate("OpDecorate %sampler DescriptorSet 0\nOpDecorate %sampler Binding 1")
        .variable("sampler", "UniformConstant", "%sampler_type")
        .declare(
            "%m9 = OpConstant %int -9\n%p8 = OpConstant %int 8\n%offset = OpConstantComposite %int2 %m9 %p8",
        )
        .capability("ImageGatherExtended")
        .body("%sm = OpLoad %sampler_type %sampler\n%si = OpSampledImage %sampled %value %sm")
}

fn images() -> Vec<Case> {
    let sample =
        || sampled("2D").body("%r = OpImageSampleExplicitLod %float4 %si %v2 Lod|ConstOffset %f1 %offset");
    let gather = || sampled("2D").body("%r = OpImageGather %float4 %si %v2 %c0 ConstOffset %offset");
    let write = |texel: &str| {
        image(compute(), "%float 2D 0 0 0 2 Rgba32f")
            .declare("%v4 = OpConstantComposite %float4 %f1 %f1 %f1 %f1")
            .body(&format!("OpImageWrite %value %zeros {texel}"))
    };
    vec![
        limit(r("OpImageSample-06435"), sample(), "minTexelOffset", -8, -9),
        limit(r("OpImageSample-06436"), sample(), "maxTexelOffset", 7, 8),
        limit(r("OpImage-06376"), gather(), "minTexelGatherOffset", -8, -9),
        limit(r("OpImage-06377"), gather(), "maxTexelGatherOffset", 7, 8),
        feature(
            r("Offset-10213"),
            sampled("2D").body(
                "%o = OpIAdd %int2 %zeros %zeros\n%r = OpImageSampleExplicitLod %float4 %si %v2 Lod|Offset %f1 %o",
            ),
            &["maintenance8"],
        ),
        pair(r("OpImageWrite-07112"), write("%v2"), write("%v4")),
        pair(
            "VUID-StandaloneSpirv-Offset-04865",
            image(compute(), "%float 2D 0 0 0 2 R32f")
                .declare("%offset = OpConstantComposite %int2 %i1 %i1")
                .body("%r = OpImageRead %float4 %value %zeros ConstOffset %offset"),
            sample(),
        ),
        pair(
            "VUID-StandaloneSpirv-Result-04780",
            image(compute(), "%float 2D 0 0 0 2 R32f").body("%r = OpImageRead %float2 %value %zeros"),
            image(compute(), "%float 2D 0 0 0 2 R32f").body("%r = OpImageRead %float4 %value %zeros"),
        ),
    ]
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [atomics(), groups(), storage(), images()].into_iter().flatten().collect()
}
