//! Built-ins beyond the table.

use crate::common::*;
use crate::device::{geometry, mesh};
use pyro_validate::Device;

/// A mesh shader of one triangle, with a built-in for each of its primitives.
fn per_primitive(built_in: &str, ty: &str, len: &str, extra: &str) -> Text {
    let capability = match built_in {
        "ViewportIndex" => "MultiViewport",
        "PrimitiveShadingRateKHR" => "FragmentShadingRateKHR",
        "Layer" | "PrimitiveId" => "Geometry",
        _ => "",
    };
    let array = if len.is_empty() { ty.to_owned() } else { "%values".to_owned() };
    let declared = if len.is_empty() { String::new() } else { format!("%values = OpTypeArray {ty} {len}") };
    mesh(3, 2)
        .capability(capability)
        .decorate(&format!("OpDecorate %v BuiltIn {built_in}\n{extra}"))
        .declare(&declared)
        .variable("v", "Output", &array)
}

/// The same as a member of a block.
fn in_block(built_in: &str, ty: &str, len: &str) -> Text {
    let capability = match built_in {
        "ViewportIndex" => "MultiViewport",
        "PrimitiveShadingRateKHR" => "FragmentShadingRateKHR",
        "Layer" | "PrimitiveId" => "Geometry",
        _ => "",
    };
    mesh(3, 2)
        .capability(capability)
        .decorate(&format!("OpDecorate %B Block\nOpMemberDecorate %B 0 BuiltIn {built_in}"))
        .decorate("OpMemberDecorate %B 0 PerPrimitiveEXT")
        .declare(&format!("%B = OpTypeStruct {ty}\n%values = OpTypeArray %B {len}"))
        .variable("v", "Output", "%values")
}

fn mesh_built_ins() -> Vec<Case> {
    let decorated = "OpDecorate %v PerPrimitiveEXT";
    let mut cases = Vec::new();
    for (name, ty, primitive, of_type, of_array, of_block) in [
        ("CullPrimitiveEXT", "%bool", "07038", "07036", "10589", "10590"),
        ("Layer", "%int", "07039", "10592", "10593", "10594"),
        ("PrimitiveId", "%int", "07040", "10595", "10596", "10597"),
        ("PrimitiveShadingRateKHR", "%int", "07059", "10598", "10599", "10600"),
        ("ViewportIndex", "%int", "07060", "10601", "10602", "10603"),
    ] {
        let rule = |number: &str| &*format!("VUID-{name}-{name}-{number}").leak();
        let good = || per_primitive(name, ty, "%c2", decorated);
        cases.push(pair(rule(primitive), per_primitive(name, ty, "%c2", ""), good()));
        cases.push(pair(rule(of_type), per_primitive(name, ty, "", decorated), good()));
        cases.push(pair(rule(of_array), per_primitive(name, ty, "%c3", decorated), good()));
        cases.push(pair(rule(of_block), in_block(name, ty, "%c3"), in_block(name, ty, "%c2")));
    }
    cases
}

fn indices() -> Vec<Case> {
    let text = |built_in: &str, ty: &str, len: &str, mode: &str| {
        let modes = format!(
            "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main OutputVertices 3\n\
             OpExecutionMode %main OutputPrimitivesEXT 2\nOpExecutionMode %main {mode}"
        );
        let text = per_primitive(built_in, ty, len, "").declare("%uint2 = OpTypeVector %uint 2");
        Text { modes, ..text }
    };
    let mut cases = Vec::new();
    for (name, ty, mode, other, needs, size) in [
        ("PrimitivePointIndicesEXT", "%uint", "OutputPoints", "OutputLinesEXT", "07042", "07046"),
        ("PrimitiveLineIndicesEXT", "%u2", "OutputLinesEXT", "OutputPoints", "07048", "07052"),
        ("PrimitiveTriangleIndicesEXT", "%u3", "OutputTrianglesEXT", "OutputPoints", "07054", "07058"),
    ] {
        let rule = |number: &str| &*format!("VUID-{name}-{name}-{number}").leak();
        let text = |len: &str, mode: &str| {
            let mut text = text(name, ty, len, mode);
            text.declarations =
                format!("%u2 = OpTypeVector %uint 2\n%u3 = OpTypeVector %uint 3\n{}", text.declarations)
                    .replace("%uint2 = OpTypeVector %uint 2\n", "");
            text
        };
        cases.push(pair(rule(needs), text("%c2", other), text("%c2", mode)));
        cases.push(pair(rule(size), text("%c3", mode), text("%c2", mode)));
    }
    let nv = |len: &str, mode: &str| {
        let modes = format!(
            "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main OutputVertices 3\n\
             OpExecutionMode %main OutputPrimitivesEXT 2\nOpExecutionMode %main {mode}"
        );
        Text { modes, ..Text::stage("MeshNV") }
            .capability("MeshShadingNV")
            .decorate("OpDecorate %v BuiltIn PrimitiveIndicesNV")
            .declare(&format!("%values = OpTypeArray %uint {len}"))
            .variable("v", "Output", "%values")
    };
    for (mode, rest, good) in [
        ("OutputPoints", "OutputPoints-04342", "%c2"),
        ("OutputLinesEXT", "OutputLinesNV-04343", "%c4"),
        ("OutputTrianglesEXT", "OutputTrianglesNV-04344", "%c6"),
    ] {
        let rule = format!("VUID-PrimitiveIndicesNV-{rest}");
        cases.push(pair(rule.leak(), nv("%c3", mode), nv(good, mode)));
    }
    let limits = |limit_name: &str, number: &str, good: i64| {
        limit(
            format!("VUID-RuntimeSpirv-MeshNV-{number}").leak(),
            nv("%c2", "OutputPoints"),
            limit_name,
            good - 1,
            good,
        )
    };
    cases.push(limits("maxMeshOutputVertices", "07113", 3));
    cases.push(limits("maxMeshOutputPrimitives", "07114", 2));
    cases
}

fn per_view() -> Vec<Case> {
    let text = |built_in: &str, extra: &str| {
        let (capability, inner) = match built_in {
            "ClipDistancePerViewNV" => ("ClipDistance", "%float"),
            "CullDistancePerViewNV" => ("CullDistance", "%float"),
            _ => ("", "%int"),
        };
        Text { modes: crate::device::mesh(3, 2).modes, ..Text::stage("MeshNV") }
            .capability(&format!("MeshShadingNV PerViewAttributesNV {capability}"))
            .decorate(&format!("OpDecorate %v BuiltIn {built_in}\n{extra}"))
            .declare(&format!(
                "%inner = OpTypeArray {inner} %c2\n%views = OpTypeArray %inner %c2\n%values = OpTypeArray %views %c3"
            ))
            .variable("v", "Output", "%values")
    };
    [("ClipDistancePerViewNV", "04194"), ("CullDistancePerViewNV", "04203"), ("LayerPerViewNV", "04279")]
        .map(|(name, number)| {
            let rule = format!("VUID-{name}-{name}-{number}");
            pair(rule.leak(), text(name, ""), text(name, "OpDecorate %v PerViewNV"))
        })
        .into()
}

fn others() -> Vec<Case> {
    let id = |capability: &str| {
        fragment()
            .capability(capability)
            .decorate("OpDecorate %id BuiltIn PrimitiveId\nOpDecorate %id Flat")
            .variable("id", "Input", "%int")
    };
    let depth = |mode: &str| {
        fragment()
            .mode(mode)
            .decorate("OpDecorate %depth BuiltIn FragDepth")
            .variable("depth", "Output", "%float")
            .body("OpStore %depth %f1")
    };
    let layer = || {
        vertex()
            .capability("ShaderLayer")
            .decorate("OpDecorate %layer BuiltIn Layer")
            .variable("layer", "Output", "%int")
    };
    let port = || {
        vertex()
            .capability("ShaderViewportIndex")
            .decorate("OpDecorate %port BuiltIn ViewportIndex")
            .variable("port", "Output", "%int")
    };
    let bare = |features: &[&str]| {
        let mut device = Device::bare(1, 2);
        features.iter().for_each(|feature| device.set_feature(feature, true));
        device
    };
    let rate = || per_primitive("PrimitiveShadingRateKHR", "%int", "%c2", "OpDecorate %v PerPrimitiveEXT");
    let masks = |len: &str| {
        Text { modes: crate::device::mesh(3, 2).modes, ..Text::stage("MeshNV") }
            .capability("MeshShadingNV PerViewAttributesNV")
            .decorate("OpDecorate %v BuiltIn ViewportMaskPerViewNV\nOpDecorate %v PerViewNV")
            .declare("%many = OpConstant %uint 33")
            .declare(&format!("%masks = OpTypeArray %int {len}\n%values = OpTypeArray %masks %c2"))
            .variable("v", "Output", "%values")
    };
    vec![
        // A second declaration beside the first.
        pair(
            "VUID-CullPrimitiveEXT-CullPrimitiveEXT-10591",
            per_primitive("CullPrimitiveEXT", "%bool", "%c2", "OpDecorate %v PerPrimitiveEXT")
                .decorate("OpDecorate %w BuiltIn CullPrimitiveEXT\nOpDecorate %w PerPrimitiveEXT")
                .variable("w", "Output", "%values"),
            per_primitive("CullPrimitiveEXT", "%bool", "%c2", "OpDecorate %v PerPrimitiveEXT"),
        ),
        pair("VUID-PrimitiveId-Fragment-04333", id("RayTracingKHR"), id("Geometry")),
        pair("VUID-FragDepth-FragDepth-04216", depth(""), depth("OpExecutionMode %main DepthReplacing")),
        Case {
            rule: "VUID-Layer-Layer-04273",
            bad: (layer(), bare(&[])),
            good: (layer(), bare(&["shaderOutputLayer"])),
        },
        Case {
            rule: "VUID-ViewportIndex-ViewportIndex-04405",
            bad: (port(), bare(&[])),
            good: (port(), bare(&["shaderOutputViewportIndex"])),
        },
        feature(
            "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-12275",
            rate(),
            &["primitiveFragmentShadingRateMeshShader"],
        ),
        limit(
            "VUID-FullyCoveredEXT-conservativeRasterizationPostDepthCoverage-04235",
            fragment()
                .capability("FragmentFullyCoveredEXT SampleMaskPostDepthCoverage")
                .mode("OpExecutionMode %main PostDepthCoverage\nOpExecutionMode %main EarlyFragmentTests")
                .decorate("OpDecorate %f BuiltIn FullyCoveredEXT")
                .variable("f", "Input", "%bool"),
            "conservativeRasterizationPostDepthCoverage",
            0,
            1,
        ),
        pair("VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04415", masks("%many"), masks("%c2")),
        pair(
            "VUID-WorkgroupSize-WorkgroupSize-04426",
            compute()
                .decorate("OpDecorate %size BuiltIn WorkgroupSize")
                .declare("%uint3 = OpTypeVector %uint 3")
                .variable("size", "Input", "%uint3"),
            compute()
                .decorate("OpDecorate %size BuiltIn WorkgroupSize")
                .declare("%uint3 = OpTypeVector %uint 3\n%size = OpConstantComposite %uint3 %c1 %c1 %c1"),
        ),
        pair(
            "VUID-StandaloneSpirv-BuiltIn-04668",
            geometry(3, 1)
                .capability("Kernel")
                .decorate("OpDecorate %v BuiltIn WorkDim")
                .variable("v", "Input", "%int"),
            geometry(3, 1).decorate("OpDecorate %v BuiltIn InvocationId").variable("v", "Input", "%int"),
        ),
    ]
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [mesh_built_ins(), indices(), per_view(), others()].into_iter().flatten().collect()
}
