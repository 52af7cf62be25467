//! Rules that hold on every device.

use crate::common::*;
use crate::device::mesh;
use pyro_validate::Device;

fn s(rest: &str) -> &'static str {
    format!("VUID-StandaloneSpirv-{rest}").leak()
}

fn r(rest: &str) -> &'static str {
    format!("VUID-RuntimeSpirv-{rest}").leak()
}

/// An array of resources that is indexed by `%c1`, or by a value that is not a constant.
fn indexed(declaration: &str, class: &str, capability: &str, element: &str, is_dynamic: bool) -> Text {
    let index = if is_dynamic { "%n" } else { "%c1" };
    let (model, modes) = if capability == "InputAttachment" {
        ("Fragment", fragment().modes)
    } else {
        ("GLCompute", compute().modes)
    };
    Text { model, modes, ..compute() }
        .capability(capability)
        .decorate("OpDecorate %all DescriptorSet 0\nOpDecorate %all Binding 0")
        .declare(&format!("{declaration}\n%many = OpTypeArray {element} %c2"))
        .variable("all", class, "%many")
        .declare(&format!("%p_one = OpTypePointer {class} {element}"))
        .body(&format!("%n = OpIAdd %uint %c1 %c1\n%p = OpAccessChain %p_one %all {index}"))
}

fn indexing() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, declaration, class, capability, element) in [
        ("UniformBufferArrayDynamicIndexing-10127", "%B = OpTypeStruct %float", "Uniform", "", "%B"),
        ("StorageBufferArrayDynamicIndexing-10129", "%B = OpTypeStruct %float", "StorageBuffer", "", "%B"),
        (
            "SampledImageArrayDynamicIndexing-10128",
            "%I = OpTypeImage %float 2D 0 0 0 1 Unknown",
            "UniformConstant",
            "",
            "%I",
        ),
        (
            "StorageImageArrayDynamicIndexing-10130",
            "%I = OpTypeImage %float 2D 0 0 0 2 R32f",
            "UniformConstant",
            "",
            "%I",
        ),
        (
            "InputAttachmentArrayDynamicIndexing-10131",
            "%I = OpTypeImage %float SubpassData 0 0 0 2 Unknown",
            "UniformConstant",
            "InputAttachment",
            "%I",
        ),
        (
            "UniformTexelBufferArrayDynamicIndexing-10132",
            "%I = OpTypeImage %float Buffer 0 0 0 1 Unknown",
            "UniformConstant",
            "SampledBuffer",
            "%I",
        ),
        (
            "StorageTexelBufferArrayDynamicIndexing-10133",
            "%I = OpTypeImage %float Buffer 0 0 0 2 R32f",
            "UniformConstant",
            "ImageBuffer SampledBuffer",
            "%I",
        ),
    ] {
        let text = |is_dynamic| {
            let text = indexed(declaration, class, capability, element, is_dynamic);
            if element == "%B" {
                text.decorate("OpDecorate %B Block\nOpMemberDecorate %B 0 Offset 0")
            } else {
                text
            }
        };
        cases.push(pair(s(name), text(true), text(false)));
    }
    cases
}

/// Two captured outputs: offset and buffer, stride and stream of each.
pub(crate) fn captured(one: [u32; 4], other: [u32; 4], ty: &str) -> Text {
    let text = vertex()
        .capability("TransformFeedback GeometryStreams")
        .mode("OpExecutionMode %main Xfb")
        .declare("%double = OpTypeFloat 64\n%half = OpTypeFloat 16")
        .capability("Float64 Float16 StorageInputOutput16");
    let decorate = |text: Text, name: &str, [offset, buffer, stride, stream]: [u32; 4]| {
        text.decorate(&format!("OpDecorate %{name} Offset {offset}\nOpDecorate %{name} XfbBuffer {buffer}"))
            .decorate(&format!("OpDecorate %{name} XfbStride {stride}\nOpDecorate %{name} Stream {stream}"))
    };
    let text = decorate(decorate(text, "one", one), "other", other);
    text.decorate("OpDecorate %one Location 0\nOpDecorate %other Location 1")
        .variable("one", "Output", ty)
        .variable("other", "Output", "%float4")
}

fn transform_feedback() -> Vec<Case> {
    let good = || captured([0, 0, 64, 0], [16, 0, 64, 0], "%float4");
    let block = |buffers: [u32; 2]| {
        let mut text = vertex()
            .capability("TransformFeedback")
            .mode("OpExecutionMode %main Xfb")
            .decorate("OpDecorate %B Block\nOpDecorate %v Location 0");
        for (member, buffer) in buffers.into_iter().enumerate() {
            let offset = 16 * member;
            text = text
                .decorate(&format!("OpMemberDecorate %B {member} Offset {offset}"))
                .decorate(&format!("OpMemberDecorate %B {member} XfbBuffer {buffer}"))
                .decorate(&format!("OpMemberDecorate %B {member} XfbStride 64"));
        }
        text.declare("%B = OpTypeStruct %float4 %float4").variable("v", "Output", "%B")
    };
    vec![
        pair(s("Offset-04687"), captured([4, 0, 64, 0], [16, 0, 64, 0], "%double"), good()),
        pair(s("Offset-04691"), captured([2, 0, 64, 0], [32, 0, 64, 0], "%float4"), good()),
        pair(s("Offset-04692"), captured([0, 0, 64, 0], [16, 0, 64, 0], "%half"), good()),
        pair(
            s("Offset-04716"),
            user(
                vertex().capability("TransformFeedback").mode("OpExecutionMode %main Xfb"),
                "Output",
                "%float4",
                &["Location 0", "Offset 0"],
            ),
            good(),
        ),
        pair(s("XfbBuffer-04693"), captured([0, 0, 64, 0], [16, 0, 32, 0], "%float4"), good()),
        pair(s("Stream-04694"), captured([0, 0, 64, 0], [16, 0, 64, 1], "%float4"), good()),
        pair(s("XfbBuffer-04696"), captured([0, 0, 64, 0], [12, 0, 64, 0], "%float4"), good()),
        pair(s("XfbBuffer-04697"), block([0, 1]), block([0, 0])),
    ]
}

fn types() -> Vec<Case> {
    let declared = |text: Text, declaration: &str| text.declare(declaration);
    let matrix = |scope: &str| {
        declared(
            compute().capability("CooperativeMatrixKHR VulkanMemoryModel"),
            &format!("%m = OpTypeCooperativeMatrixKHR %float {scope} %c4 %c4 %c0"),
        )
    };
    let long = |count: u32| {
        declared(compute().capability("LongVectorEXT"), &format!("%long = OpTypeVector %float {count}"))
    };
    let spec_sized = |is_inner: bool| {
        let member = if is_inner { "%sized" } else { "%float4" };
        compute()
            .decorate("OpDecorate %n SpecId 0\nOpDecorate %sized ArrayStride 4\nOpDecorate %B Block")
            .decorate(
                "OpMemberDecorate %B 0 Offset 0\nOpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0",
            )
            .declare(&format!(
                "%n = OpSpecConstant %uint 4\n%sized = OpTypeArray %float %n\n%B = OpTypeStruct {member}"
            ))
            .variable("v", "StorageBuffer", "%B")
    };
    let tensor = |operands: &str| {
        declared(compute().capability("TensorsARM"), &format!("%t = OpTypeTensorARM %float{operands}"))
    };
    vec![
        pair(
            s("Image-04965"),
            declared(compute(), "%i = OpTypeImage %float 2D 0 0 0 2 R32ui"),
            declared(compute(), "%i = OpTypeImage %uint 2D 0 0 0 2 R32ui"),
        ),
        pair(
            s("Image-04965"),
            image(compute(), "%uint 2D 0 0 0 2 R32i").body("%r = OpImageRead %uint4 %value %zeros"),
            image(compute(), "%uint 2D 0 0 0 2 R32i")
                .body("%r = OpImageRead %uint4 %value %zeros SignExtend"),
        ),
        pair(s("Scope-12243"), matrix("%c1"), matrix("%c3")),
        feature(
            r("cooperativeMatrixWorkgroupScope-10164"),
            matrix("%c2"),
            &["cooperativeMatrixWorkgroupScope"],
        ),
        limit(r("longVector-12296"), long(8), "maxVectorComponents", 7, 8),
        pair(
            s("None-12295"),
            declared(compute().capability("Kernel Vector16"), "%v8 = OpTypeVector %float 8"),
            long(8),
        ),
        pair(
            s("Type-12297"),
            long(8).declare("%p = OpTypePointer Output %long"),
            long(8).declare("%p = OpTypePointer StorageBuffer %long"),
        ),
        limit(
            r("maxCooperativeVectorComponents-10094"),
            declared(compute().capability("CooperativeVectorNV"), "%v = OpTypeVectorIdEXT %float %c4"),
            "maxCooperativeVectorComponents",
            3,
            4,
        ),
        pair(
            s("OpTypeUntypedPointerKHR-11417"),
            declared(compute().capability("UntypedPointersKHR"), "%p = OpTypeUntypedPointerKHR Private"),
            declared(
                compute().capability("UntypedPointersKHR"),
                "%p = OpTypeUntypedPointerKHR StorageBuffer",
            ),
        ),
        pair(
            s("OpUndef-12464"),
            declared(compute(), "%sampler = OpTypeSampler\n%u = OpUndef %sampler"),
            declared(compute(), "%u = OpUndef %float"),
        ),
        pair(s("Function-04681"), spec_sized(true), spec_sized(false)),
        pair(r("OpTypeTensorARM-09902"), tensor(" %c1 %shape").shape(), tensor(" %c1")),
        pair(r("OpTypeTensorARM-09907"), tensor(""), tensor(" %c1")),
        pair(r("GraphARM-09922"), compute().capability("GraphARM"), compute()),
    ]
}

impl Text {
    /// Declares a tensor's shape before everything else.
    fn shape(mut self) -> Text {
        let before = "%shape_type = OpTypeArray %uint %c1\n%shape = OpConstantComposite %shape_type %c4\n";
        self.declarations = format!("{before}{}", self.declarations);
        self
    }
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn interfaces() -> Vec<Case> {
    let arrays = |text: Text| text.declare("%a = OpTypeArray %float %c2\n%aa = OpTypeArray %a %c2");
    let two = |text: Text, class: &str, other: &[&str]| {
        let text = user(text, class, "%float4", &["Location 0"]).variable("other", class, "%float");
        other.iter().fold(text, |text, one| text.decorate(&format!("OpDecorate %other {one}")))
    };
    let layer = |built_in: &str, port: bool| {
        let text = vertex()
            .capability("ShaderLayer ShaderViewportMaskNV ShaderViewportIndex MultiViewport")
            .decorate(&format!("OpDecorate %v BuiltIn {built_in}\nOpDecorate %v ViewportRelativeNV"))
            .variable("v", "Output", "%int");
        let text = if port {
            text.decorate("OpDecorate %port BuiltIn ViewportIndex").variable("port", "Output", "%int")
        } else {
            text
        };
        text.declare("%masks = OpTypeArray %int %c1")
    };
    let mask = |both: bool| {
        let text = layer("Layer", both).decorate("OpDecorate %mask BuiltIn ViewportMaskNV");
        text.variable("mask", "Output", "%masks")
    };
    let pointers = |ty: &str| {
        let mut text = physical();
        text.model = "Vertex";
        text.modes = String::new();
        let decorations = ["Location 0", "RestrictPointer"];
        user(text, "Output", ty, if ty == "%uint" { &decorations[..1] } else { &decorations })
    };
    let invariant = |class: &str| {
        vertex().decorate("OpDecorate %v Invariant\nOpDecorate %v Location 0").variable("v", class, "%float4")
    };
    let volatile = |extra: &str| {
        ray("RayGenerationKHR")
            .decorate(&format!("OpDecorate %v BuiltIn SubgroupSize\n{extra}"))
            .variable("v", "Input", "%uint")
    };
    let loaded = |access: &str| {
        let mut text =
            volatile("").capability("VulkanMemoryModel").body(&format!("%r = OpLoad %uint %v{access}"));
        text.memory = "Vulkan";
        text
    };
    let push = |twice: bool| {
        let text = compute()
            .decorate("OpDecorate %B Block\nOpMemberDecorate %B 0 Offset 0")
            .declare("%B = OpTypeStruct %float")
            .variable("one", "PushConstant", "%B");
        if twice { text.declare("%two = OpVariable %p_one PushConstant").listing("%two") } else { text }
    };
    let block = |decoration: &str| {
        vertex()
            .decorate(&format!("OpDecorate %B Block\nOpMemberDecorate %B 0 BuiltIn Position\n{decoration}"))
            .declare("%B = OpTypeStruct %float4")
            .variable("v", "Output", "%B")
    };
    vec![
        pair(
            s("Execution-10584"),
            user(arrays(fragment()), "Input", "%aa", &["Location 0", "Component 1"]),
            user(arrays(fragment()), "Input", "%a", &["Location 0", "Component 1"]),
        ),
        pair(
            s("Execution-10585"),
            user(arrays(vertex()), "Output", "%aa", &["Location 0", "Component 1"]),
            user(arrays(vertex()), "Output", "%a", &["Location 0", "Component 1"]),
        ),
        pair(
            s("Output-10586"),
            two(vertex(), "Output", &["Location 0", "Component 3"]),
            two(vertex(), "Output", &["Location 1"]),
        ),
        pair(
            s("Output-10587"),
            two(fragment(), "Output", &["Location 0"]),
            two(fragment(), "Output", &["Location 0", "Index 1"]),
        ),
        pair(
            s("Input-10588"),
            two(fragment(), "Input", &["Location 0"]),
            two(fragment(), "Input", &["Location 1"]),
        ),
        pair(
            s("Input-10604"),
            user(fragment(), "Input", "%float2", &["Location 0"])
                .variable("other", "Input", "%float")
                .decorate(
                    "OpDecorate %other Location 0\nOpDecorate %other Component 2\nOpDecorate %other Centroid",
                ),
            user(fragment(), "Input", "%float2", &["Location 0"])
                .variable("other", "Input", "%float")
                .decorate("OpDecorate %other Location 0\nOpDecorate %other Component 2"),
        ),
        pair(s("Input-09557"), pointers("%p_double"), pointers("%uint")),
        pair(s("Invariant-04677"), invariant("Private"), invariant("Output")),
        pair(s("Location-04916"), block("OpMemberDecorate %B 0 Location 0"), block("")),
        pair(s("ViewportRelativeNV-04672"), layer("ViewportIndex", false), layer("Layer", true)),
        pair(s("ViewportRelativeNV-04673"), layer("Layer", false), layer("Layer", true)),
        pair(s("ViewportMaskNV-04674"), mask(true), mask(false)),
        pair(s("VulkanMemoryModel-04678"), volatile(""), volatile("OpDecorate %v Volatile")),
        pair(s("VulkanMemoryModel-04679"), loaded(""), loaded(" Volatile")),
        pair(s("OpVariable-06673"), push(true), push(false)),
    ]
}

fn tiles() -> Vec<Case> {
    let image = |dim: &str, sampled: u32, extra: &str| {
        fragment()
            .capability("TileShadingQCOM")
            .decorate("OpDecorate %v DescriptorSet 0")
            .decorate(extra)
            .declare(&format!("%type = OpTypeImage %float {dim} 0 0 0 {sampled} Unknown"))
            .variable("v", "TileAttachmentQCOM", "%type")
    };
    let binding = "OpDecorate %v Binding 0";
    let good = || image("2D", 1, binding);
    let color = |class: &str, extra: &str, ty: &str| {
        fragment()
            .capability("TileImageColorReadAccessEXT")
            .decorate(extra)
            .declare("%type = OpTypeImage %float TileImageDataEXT 0 0 0 2 Unknown")
            .variable("v", class, ty)
    };
    let rate = |modes: &str| Text { modes: modes.to_owned(), ..compute() }.capability("TileShadingQCOM");
    let plain = || rate("OpExecutionMode %main TileShadingRateQCOM 2 3 1");
    let coherent = |text: Text| text.mode("OpExecutionMode %main NonCoherentTileAttachmentReadQCOM");
    let tile = || fragment().capability("TileShadingQCOM");
    let query = |text: Text| {
        text.capability("ImageQuery").body("%i = OpLoad %type %v\n%q = OpImageQueryLevels %int %i")
    };
    let bound_query = || {
        let mut text = query(good());
        text.declarations = text.declarations.replace("TileAttachmentQCOM", "UniformConstant");
        text
    };
    vec![
        pair(s("OpTypeImage-10693"), image("3D", 1, binding), good()),
        pair(s("OpTypeImage-10694"), image("2D", 0, binding), good()),
        pair(s("TileAttachmentQCOM-10695"), image("2D", 1, ""), good()),
        pair(
            s("TileAttachmentQCOM-10696"),
            image("2D", 1, "OpDecorate %v Binding 0\nOpDecorate %v Component 0"),
            good(),
        ),
        pair(s("TileAttachmentQCOM-10697"), query(good()), bound_query()),
        pair(s("TileShadingQCOM-10686"), vertex().capability("TileShadingQCOM"), tile()),
        pair(s("Execution-10687"), coherent(compute().capability("TileShadingQCOM")), coherent(tile())),
        pair(s("Execution-10688"), tile().mode("OpExecutionMode %main TileShadingRateQCOM 1 1 1"), plain()),
        pair(
            s("TileShadingRateQCOM-10692"),
            rate("OpExecutionMode %main TileShadingRateQCOM 2 3 1\nOpExecutionMode %main LocalSize 1 1 1"),
            plain(),
        ),
        limit(r("x-10702"), plain(), "maxTileShadingRate.width", 1, 2),
        limit(r("y-10703"), plain(), "maxTileShadingRate.height", 2, 3),
        feature(r("TileShadingQCOM-10698"), plain(), &["tileShading"]),
        feature(r("TileShadingQCOM-10699"), tile(), &["tileShadingFragmentStage"]),
        pair(
            "VUID-WorkgroupSize-TileShadingRateQCOM-10635",
            plain()
                .decorate("OpDecorate %size BuiltIn WorkgroupSize")
                .declare("%uint3 = OpTypeVector %uint 3\n%size = OpConstantComposite %uint3 %c1 %c1 %c1"),
            plain(),
        ),
        pair(
            s("None-08720"),
            Text {
                model: "Vertex",
                modes: String::new(),
                ..color("TileImageEXT", "OpDecorate %v Location 0", "%type")
            },
            color("TileImageEXT", "OpDecorate %v Location 0", "%type"),
        ),
        pair(
            s("None-08724"),
            color("TileImageEXT", "OpDecorate %v Location 0", "%float"),
            color("TileImageEXT", "OpDecorate %v Location 0", "%type"),
        ),
        pair(
            s("TileImageEXT-08723"),
            color("TileImageEXT", "", "%type"),
            color("TileImageEXT", "OpDecorate %v Location 0", "%type"),
        ),
    ]
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn instructions() -> Vec<Case> {
    let exchange = |equal: u32, unequal: u32| {
        shared()
            .capability("VulkanMemoryModel")
            .declare(&format!("%eq = OpConstant %uint {equal}\n%ne = OpConstant %uint {unequal}"))
            .body("%r = OpAtomicCompareExchange %uint %shared %c1 %eq %ne %c1 %c1")
    };
    let barrier = |capability: &str| {
        let text = shared().body("OpMemoryBarrier %c3 %both");
        Text { capabilities: text.capabilities.clone(), ..text }.capability(capability)
    };
    let control = |scope: &str| {
        Text::stage("TessellationControl")
            .capability("Tessellation")
            .mode("OpExecutionMode %main OutputVertices 3")
            .body(&format!("OpMemoryBarrier {scope} %both"))
    };
    let handle = |class: &str, ty: &str, decoration: &str| {
        fragment()
            .decorate(decoration)
            .declare("%sampler_type = OpTypeSampler\n%image_type = OpTypeImage %float 2D 0 0 0 1 Unknown")
            .variable("v", class, ty)
            .body(&format!("%r = OpLoad {ty} %v"))
    };
    let bound = "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0";
    let scene = |decoration: &str| {
        compute()
            .capability("RayQueryKHR")
            .decorate(decoration)
            .declare("%accel = OpTypeAccelerationStructureKHR")
            .variable("v", "UniformConstant", "%accel")
            .body("%r = OpLoad %accel %v")
    };
    let length = |class: &str| {
        compute()
            .decorate("OpDecorate %B Block\nOpMemberDecorate %B 0 Offset 0\nOpDecorate %a ArrayStride 16")
            .decorate(bound)
            .declare("%a = OpTypeRuntimeArray %float4\n%B = OpTypeStruct %a")
            .variable("v", class, "%B")
            .body("%r = OpArrayLength %uint %v 0")
    };
    let matrix = |class: &str, capability: &str| {
        let mut text = compute()
            .capability(&format!("CooperativeMatrixKHR VulkanMemoryModel {capability}"))
            .declare("%m = OpTypeCooperativeMatrixKHR %float %c3 %c4 %c4 %c0")
            .declare("%a = OpTypeArray %float %c4")
            .variable("v", class, "%a")
            .declare(&format!("%p = OpTypePointer {class} %float"))
            .body("%e = OpAccessChain %p %v %c0\n%r = OpCooperativeMatrixLoadKHR %m %e %c0 %c4");
        text.memory = "Vulkan";
        text
    };
    let output = |load: bool| {
        let text = mesh(3, 1)
            .declare("%a = OpTypeArray %float4 %c3")
            .decorate("OpDecorate %v Location 0")
            .variable("v", "Output", "%a");
        if load { text.body("%r = OpLoad %a %v") } else { text }
    };
    let reconverging = |body: &str| {
        ray("RayGenerationKHR")
            .mode("OpExecutionMode %main MaximallyReconvergesKHR")
            .declare("%zero = OpConstant %float 0\n%accel = OpTypeAccelerationStructureKHR")
            .declare("%v3 = OpConstantComposite %float3 %f1 %f1 %f1")
            .decorate(bound)
            .variable("v", "UniformConstant", "%accel")
            .variable("payload", "RayPayloadKHR", "%float4")
            .body(body)
    };
    let float8 = |ty: &str| {
        user(
            vertex().capability("Float8EXT").declare("%f8 = OpTypeFloat 8 Float8E4M3EXT"),
            "Output",
            ty,
            &["Location 0"],
        )
    };
    let microscaling = |body: &str| {
        compute()
            .capability("Int8 Float8EXT Float4EXT BitcastExtractEXT")
            .declare("%byte = OpTypeInt 8 0\n%f4 = OpTypeFloat 4 Float4E2M1EXT\n%k = OpConstant %f4 1.5")
            .declare("%b = OpConstant %byte 7")
            .body(body)
    };
    let widened = || microscaling("%r = OpFConvert %float %k");
    let extracted = || microscaling("%r = OpBitcastExtractEXT %f4 %c1 %c1");
    vec![
        pair(s("OpConvertFToU-12465"), microscaling("%r = OpConvertFToU %uint %k"), widened()),
        pair(s("OpFConvert-12466"), microscaling("%r = OpFConvert %f4 %f1"), widened()),
        pair(s("Result-12468"), microscaling("%r = OpBitcastExtractEXT %byte %c1 %c1"), extracted()),
        pair(s("Base-12469"), microscaling("%r = OpBitcastExtractEXT %f4 %f1 %c1"), extracted()),
        pair(s("UnequalMemorySemantics-10876"), exchange(0, 258), exchange(258, 258)),
        pair(s("UnequalMemorySemantics-10877"), exchange(258, 66), exchange(258, 258)),
        pair(s("UnequalMemorySemantics-10878"), exchange(0x102, 0x4102), exchange(0x4102, 0x4102)),
        pair(s("SubgroupVoteKHR-07951"), Text { without_groups: true, ..barrier("") }, barrier("")),
        pair(s("ExecutionModel-07320"), control("%c2"), control("%c3")),
        pair(
            s("Result-11336"),
            handle("UniformConstant", "%sampler_type", ""),
            handle("UniformConstant", "%sampler_type", bound),
        ),
        pair(
            s("Result-11337"),
            handle("UniformConstant", "%image_type", ""),
            handle("UniformConstant", "%image_type", bound),
        ),
        pair(s("Result-11339"), scene(""), scene(bound)),
        pair(s("OpArrayLength-11805"), length("Uniform"), length("StorageBuffer")),
        feature(
            r("shaderUniformBufferUnsizedArray-11806"),
            Text { body: String::new(), ..length("Uniform") },
            &["shaderUniformBufferUnsizedArray"],
        ),
        pair(s("Pointer-08973"), matrix("Private", ""), matrix("Workgroup", "")),
        pair(s("MeshEXT-07107"), output(true), output(false)),
        pair(
            s("MaximallyReconvergesKHR-09565"),
            reconverging(
                "%as = OpLoad %accel %v\nOpTraceRayKHR %as %c0 %c1 %c0 %c0 %c0 %v3 %zero %v3 %f1 %payload",
            ),
            reconverging(""),
        ),
        pair(s("OpTypeFloat-10823"), float8("%f8"), float8("%float")),
        pair(s("OpUntypedVariableKHR-11347"), heap(""), heap("OpDecorate %v BuiltIn SamplerHeapEXT")),
        pair(
            r("NodePayloadAMDX-09192"),
            Text { model: "Fragment", modes: fragment().modes, ..node() },
            node(),
        ),
        limit(
            r("maxExecutionGraphShaderPayloadSize-09193"),
            node(),
            "maxExecutionGraphShaderPayloadSize",
            15,
            16,
        ),
        feature(
            r("shaderRelaxedExtendedInstruction-10773"),
            forward(),
            &["shaderRelaxedExtendedInstruction"],
        ),
        pair(r("Size-11165"), copy_sized(2), copy_sized(4)),
    ]
}

fn heap(decoration: &str) -> Text {
    compute()
        .capability("UntypedPointersKHR DescriptorHeapEXT")
        .decorate(decoration)
        .declare("%p = OpTypeUntypedPointerKHR UniformConstant\n%v = OpUntypedVariableKHR %p UniformConstant")
        .listing("%v")
}

fn node() -> Text {
    compute()
        .capability("ShaderEnqueueAMDX")
        .decorate("OpDecorate %B Block\nOpMemberDecorate %B 0 Offset 0")
        .declare("%B = OpTypeStruct %float4\n%nodes = OpTypeNodePayloadArrayAMDX %B")
        .variable("v", "NodePayloadAMDX", "%B")
}

fn forward() -> Text {
    let mut text = compute();
    text.capabilities += "OpExtension \"SPV_KHR_relaxed_extended_instruction\"\n\
                          OpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"NonSemantic.Any\"\n";
    text.body("%r = OpExtInstWithForwardRefsKHR %void %set 1 %c1")
}

fn copy_sized(size: u32) -> Text {
    shared()
        .capability("Addresses Kernel")
        .declare(&format!("%size = OpConstant %uint {size}\n%other = OpVariable %p_shared Workgroup"))
        .listing("%other")
        .body("OpCopyMemorySized %shared %other %size")
}

fn modules() -> Vec<Case> {
    let c = |rest: &str| &*format!("VUID-VkShaderModuleCreateInfo-pCode-{rest}").leak();
    let named = |name: &str| {
        let mut text = compute();
        text.capabilities += &format!("OpExtension \"{name}\"\n");
        text
    };
    let clock = || named("SPV_KHR_shader_clock").capability("");
    let double = || compute().capability("Float64").declare("%double = OpTypeFloat 64");
    let bare = |extension: &str| {
        let mut device = Device::bare(1, 3);
        device.add_extension(extension);
        device
    };
    vec![
        Case {
            rule: c("08737"),
            bad: (compute(), Device::version(1, 0)),
            good: (compute(), Device::version(1, 2)),
        },
        pair(c("08739"), compute().capability("Kernel"), compute()),
        feature(c("08740"), double(), &["shaderFloat64"]),
        pair(c("08741"), named("SPV_NOBODY_knows"), named("SPV_KHR_variable_pointers")),
        Case {
            rule: c("08742"),
            bad: (clock(), bare("VK_KHR_variable_pointers")),
            good: (clock(), bare("VK_KHR_shader_clock")),
        },
        Case {
            rule: r("tessellationShader-06326"),
            bad: (tessellation("Isolines"), bare("VK_KHR_portability_subset")),
            good: (tessellation("Quads"), bare("VK_KHR_portability_subset")),
        },
        Case {
            rule: r("tessellationShader-06327"),
            bad: (tessellation("Quads\nOpExecutionMode %main PointMode"), bare("VK_KHR_portability_subset")),
            good: (tessellation("Quads"), bare("VK_KHR_portability_subset")),
        },
        pair(
            r("ShaderEnqueueAMDX-09191"),
            vertex().capability("ShaderEnqueueAMDX"),
            compute().capability("ShaderEnqueueAMDX"),
        ),
    ]
}

fn tessellation(mode: &str) -> Text {
    Text::stage("TessellationEvaluation")
        .capability("Tessellation")
        .mode(&format!("OpExecutionMode %main {mode}"))
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [indexing(), transform_feedback(), types(), interfaces(), tiles(), instructions(), modules()]
        .into_iter()
        .flatten()
        .collect()
}
