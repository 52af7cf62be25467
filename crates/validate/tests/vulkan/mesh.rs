//! Task and mesh shaders.

use crate::common::*;
use crate::device::{mesh, task};

/// A mesh shader that reads which view it is for.
fn viewed(body: &str) -> Text {
    mesh(3, 1)
        .capability("MultiView")
        .decorate(
            "OpDecorate %view BuiltIn ViewIndex\nOpDecorate %triangles BuiltIn PrimitiveTriangleIndicesEXT",
        )
        .variable("view", "Input", "%uint")
        .declare("%uint3 = OpTypeVector %uint 3\n%three = OpTypeArray %uint3 %c1")
        .variable("triangles", "Output", "%three")
        .declare("%four = OpTypeArray %uint %c4\n%corner = OpConstantNull %uint3")
        .variable("memory", "Workgroup", "%four")
        .declare("%p_uint3 = OpTypePointer Output %uint3\n%p_shared = OpTypePointer Workgroup %uint")
        .body("%v = OpLoad %uint %view\n%next = OpIAdd %uint %v %c1")
        .body(body)
}

fn output() -> Text {
    mesh(3, 1)
        .decorate("OpDecorate %colour Location 0")
        .declare("%colours = OpTypeArray %float4 %c3\n%p_value = OpTypePointer Output %float4")
        .declare("%grey = OpConstantNull %float4")
        .variable("colour", "Output", "%colours")
}

fn points(mode: &str) -> Text {
    let mut text = mesh(3, 1);
    text.modes = text.modes.replace("OutputTrianglesEXT", mode);
    text.body("OpSetMeshOutputsEXT %c3 %c1")
}

/// A task shader that ends by emitting, or not.
fn emitting(ends: bool) -> Text {
    if ends { task().ending("OpEmitMeshTasksEXT %c1 %c1 %c1") } else { task() }
}

/// Two primitives of three vertices at most, of which a body sets one with two; the body writes a primitive's
/// indices.
fn indexed(mode: &str, place: &str, value: &str) -> Text {
    let (built_in, ty) = match mode {
        "OutputPoints" => ("PrimitivePointIndicesEXT", "%uint"),
        "OutputLinesEXT" => ("PrimitiveLineIndicesEXT", "%uint2"),
        _ => ("PrimitiveTriangleIndicesEXT", "%uint3"),
    };
    let mut text = mesh(3, 2);
    text.modes = text.modes.replace("OutputTrianglesEXT", mode);
    text.decorate(&format!("OpDecorate %indices BuiltIn {built_in}"))
        .declare("%uint2 = OpTypeVector %uint 2\n%uint3 = OpTypeVector %uint 3")
        .declare(&format!("%all = OpTypeArray {ty} %c2\n%p_one = OpTypePointer Output {ty}"))
        .declare(&match ty {
            "%uint" => format!("%value = OpCopyObject %uint {value}")
                .replace("OpCopyObject %uint %c", "OpConstant %uint "),
            "%uint2" => format!("%value = OpConstantComposite %uint2 %c0 {value}"),
            _ => format!("%value = OpConstantComposite %uint3 %c0 %c1 {value}"),
        })
        .variable("indices", "Output", "%all")
        .body("OpSetMeshOutputsEXT %c2 %c1")
        .body(&format!("%p = OpAccessChain %p_one %indices {place}\nOpStore %p %value"))
}

fn indices() -> Vec<Case> {
    let of =
        |rule, mode, bad: [&str; 2]| pair(rule, indexed(mode, bad[0], bad[1]), indexed(mode, "%c0", "%c1"));
    let each = |place: &str| {
        mesh(3, 2)
            .decorate("OpDecorate %each Location 1\nOpDecorate %each PerPrimitiveEXT")
            .declare("%two = OpTypeArray %float4 %c2\n%p_value = OpTypePointer Output %float4")
            .declare("%grey = OpConstantNull %float4")
            .variable("each", "Output", "%two")
            .body("OpSetMeshOutputsEXT %c3 %c1")
            .body(&format!("%p = OpAccessChain %p_value %each {place}\nOpStore %p %grey"))
    };
    let old = |value: &str| {
        let mut text = Text::stage("MeshNV").capability("MeshShadingNV").mode(
            "OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesNV 1\n\
             OpExecutionMode %main OutputPoints\nOpExecutionMode %main LocalSize 8 1 1",
        );
        text = text
            .decorate("OpDecorate %indices BuiltIn PrimitiveIndicesNV")
            .declare("%one = OpTypeArray %uint %c1\n%p_one = OpTypePointer Output %uint")
            .variable("indices", "Output", "%one")
            .body(&format!("%p = OpAccessChain %p_one %indices %c0\nOpStore %p {value}"));
        text
    };
    vec![
        of("VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07045", "OutputPoints", ["%c1", "%c1"]),
        of("VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07051", "OutputLinesEXT", ["%c1", "%c1"]),
        of(
            "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07057",
            "OutputTrianglesEXT",
            ["%c1", "%c1"],
        ),
        of("VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-12335", "OutputPoints", ["%c0", "%c2"]),
        of("VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-12336", "OutputLinesEXT", ["%c0", "%c2"]),
        of(
            "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-12337",
            "OutputTrianglesEXT",
            ["%c0", "%c2"],
        ),
        pair("VUID-RuntimeSpirv-MeshEXT-12333", each("%c1"), each("%c0")),
        pair("VUID-PrimitiveIndicesNV-PrimitiveIndicesNV-04341", old("%c3"), old("%c2")),
    ]
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    let set = "OpSetMeshOutputsEXT %c3 %c1";
    let write = "%p = OpAccessChain %p_value %colour %c0\nOpStore %p %grey";
    let sized = || {
        output()
            .decorate("OpDecorate %each Location 1\nOpDecorate %each PerPrimitiveEXT")
            .declare("%one = OpTypeArray %float4 %c1")
            .variable("each", "Output", "%one")
    };
    let rate = |value: u32| {
        vertex()
            .capability("FragmentShadingRateKHR")
            .decorate("OpDecorate %rate BuiltIn PrimitiveShadingRateKHR")
            .variable("rate", "Output", "%uint")
            .declare(&format!("%value = OpConstant %uint {value}"))
            .body("OpStore %rate %value")
    };
    let views = |built_in: &str, index: &str| {
        let (capability, element) = match built_in {
            "PositionPerViewNV" => ("PerViewAttributesNV MultiView", "%float4"),
            _ => ("PerViewAttributesNV MultiView ShaderViewportMaskNV", "%uint"),
        };
        vertex()
            .capability(capability)
            .decorate(&format!("OpDecorate %each BuiltIn {built_in}\nOpDecorate %at Location 0"))
            .declare(&format!("%views = OpTypeArray {element} %c2\n%p_view = OpTypePointer Output {element}"))
            .variable("each", "Output", "%views")
            .variable("at", "Input", "%uint")
            .body(&format!("%i = OpLoad %uint %at\n%p = OpAccessChain %p_view %each {index}"))
    };
    let mut cases = vec![
        pair("VUID-RuntimeSpirv-TaskEXT-07117", emitting(false), emitting(true)),
        pair("VUID-RuntimeSpirv-MeshEXT-07118", mesh(3, 1).body(set).body(set), mesh(3, 1).body(set)),
        pair("VUID-StandaloneSpirv-MeshEXT-07106", output().body(write), output().body(set).body(write)),
        pair(
            "VUID-StandaloneSpirv-MeshEXT-07108",
            viewed("OpSetMeshOutputsEXT %next %c1"),
            viewed("OpSetMeshOutputsEXT %c3 %c1"),
        ),
        pair(
            "VUID-StandaloneSpirv-MeshEXT-07109",
            viewed("%p = OpAccessChain %p_uint3 %triangles %next"),
            viewed("%p = OpAccessChain %p_uint3 %triangles %c0"),
        ),
        pair(
            "VUID-StandaloneSpirv-MeshEXT-07110",
            viewed("%x = OpCompositeInsert %uint3 %next %corner 0\nOpSetMeshOutputsEXT %c3 %c1")
                .body("%p = OpAccessChain %p_uint3 %triangles %c0\nOpStore %p %x"),
            viewed("OpSetMeshOutputsEXT %c3 %c1")
                .body("%p = OpAccessChain %p_uint3 %triangles %c0\nOpStore %p %corner"),
        ),
        pair(
            "VUID-StandaloneSpirv-MeshEXT-07111",
            viewed("%p = OpAccessChain %p_shared %memory %next"),
            viewed("%p = OpAccessChain %p_shared %memory %c1"),
        ),
        Case {
            rule: "VUID-RuntimeSpirv-MeshEXT-09218",
            bad: (points("OutputPoints"), without(&["maintenance5"])),
            good: (points("OutputTrianglesEXT"), without(&["maintenance5"])),
        },
        // Three vertices and a primitive, a location each.
        limit("VUID-RuntimeSpirv-maxMeshOutputMemorySize-08756", sized(), "maxMeshOutputMemorySize", 63, 64),
        limit(
            "VUID-RuntimeSpirv-maxMeshPayloadAndOutputMemorySize-08757",
            sized().variable("payload", "TaskPayloadWorkgroupEXT", "%float4"),
            "maxMeshPayloadAndOutputMemorySize",
            79,
            80,
        ),
        pair("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04487", rate(3), rate(5)),
        pair("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04488", rate(12), rate(10)),
        pair("VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04489", rate(16), rate(8)),
        pair(
            "VUID-PositionPerViewNV-PositionPerViewNV-04326",
            views("PositionPerViewNV", "%i"),
            views("PositionPerViewNV", "%c1"),
        ),
        pair(
            "VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04417",
            views("ViewportMaskPerViewNV", "%i"),
            views("ViewportMaskPerViewNV", "%c1"),
        ),
    ];
    cases.extend(indices());
    cases
}
