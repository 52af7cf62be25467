//! Ray instructions with constant operands.

use crate::common::*;

/// Flags, origin, least distance, direction, greatest distance.
#[derive(Clone, Copy)]
struct Ray {
    flags: u32,
    origin: &'static str,
    least: &'static str,
    direction: &'static str,
    greatest: &'static str,
    time: &'static str,
}

const GOOD: Ray =
    Ray { flags: 0, origin: "%fine", least: "%zero", direction: "%fine", greatest: "%f1", time: "%f1" };

fn constants(text: Text, ray: Ray) -> Text {
    text.declare("%accel = OpTypeAccelerationStructureKHR")
        .declare("%zero = OpConstant %float 0\n%negative = OpConstant %float -1\n%two = OpConstant %float 2")
        .declare("%inf = OpConstant %float 0x1p+128\n%nan = OpConstant %float 0x1.8p+128")
        .declare("%fine = OpConstantComposite %float3 %f1 %f1 %f1")
        .declare("%infinite = OpConstantComposite %float3 %f1 %inf %f1")
        .declare("%undefined = OpConstantComposite %float3 %f1 %nan %f1")
        .declare(&format!("%flags = OpConstant %uint {}", ray.flags))
        .decorate("OpDecorate %scene DescriptorSet 0\nOpDecorate %scene Binding 0")
        .variable("scene", "UniformConstant", "%accel")
        .body("%as = OpLoad %accel %scene")
}

fn query(ray: Ray) -> Text {
    let Ray { origin, least, direction, greatest, .. } = ray;
    constants(compute().capability("RayQueryKHR"), ray)
        .declare("%query = OpTypeRayQueryKHR\n%p_query = OpTypePointer Private %query\n%q = OpVariable %p_query Private")
        .listing("%q")
        .body(&format!("OpRayQueryInitializeKHR %q %as %flags %c1 {origin} {least} {direction} {greatest}"))
}

fn trace(ray: Ray) -> Text {
    let Ray { origin, least, direction, greatest, .. } = ray;
    constants(ray_generation(), ray).body(&format!(
        "OpTraceRayKHR %as %flags %c1 %c0 %c0 %c0 {origin} {least} {direction} {greatest} %payload"
    ))
}

fn motion(ray: Ray) -> Text {
    let Ray { origin, least, direction, greatest, time, .. } = ray;
    constants(ray_generation().capability("RayTracingMotionBlurNV"), ray).body(&format!(
        "OpTraceRayMotionNV %as %flags %c1 %c0 %c0 %c0 {origin} {least} {direction} {greatest} {time} %payload"
    ))
}

/// What traces with a hit object; motion has a time behind the distances, and reordering hints behind the
/// payload.
fn hit_object(ray: Ray, vendor: &str, op: &str) -> Text {
    let Ray { origin, least, direction, greatest, time, .. } = ray;
    let capability = if vendor == "NV" { "ShaderInvocationReorderNV" } else { "ShaderInvocationReorderEXT" };
    let is_motion = op.contains("Motion");
    let mut text = constants(ray_generation().capability(capability), ray)
        .declare(&format!("%object = OpTypeHitObject{vendor}\n%p_object = OpTypePointer Private %object"))
        .declare("%o = OpVariable %p_object Private")
        .listing("%o");
    if is_motion {
        text = text.capability("RayTracingMotionBlurNV");
    }
    let time = if is_motion { time } else { "" };
    text.body(&format!(
        "{op} %o %as %flags %c1 %c0 %c0 %c0 {origin} {least} {direction} {greatest} {time} %payload"
    ))
}

fn ray_generation() -> Text {
    ray("RayGenerationKHR").variable("payload", "RayPayloadKHR", "%float4")
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    type Kind = (&'static str, fn(Ray) -> Text, [&'static str; 7]);
    let kinds: [Kind; 5] = [
        ("OpRayQueryInitializeKHR", query, ["06348", "06349", "06350", "06351", "06889", "06890", "06891"]),
        ("OpTraceRayKHR", trace, ["06355", "06356", "06357", "06358", "06552", "06892", "06893"]),
        (
            "OpHitObjectTraceRayNV",
            |ray| hit_object(ray, "NV", "OpHitObjectTraceRayNV"),
            ["07705", "07706", "07707", "07708", "07712", "07713", "07714"],
        ),
        (
            "OpHitObjectTraceRayEXT",
            |ray| hit_object(ray, "EXT", "OpHitObjectTraceRayEXT"),
            ["11878", "11879", "11880", "11881", "11883", "11884", "11885"],
        ),
        ("OpTraceRayMotionNV", motion, ["06361", "06362", "06363", "06364", "", "", ""]),
    ];
    for (name, text, numbers) in kinds {
        let bad = [
            Ray { origin: "%infinite", ..GOOD },
            Ray { least: "%negative", ..GOOD },
            Ray { least: "%two", ..GOOD },
            Ray { direction: "%undefined", ..GOOD },
            Ray { flags: 0x300, ..GOOD },
            Ray { flags: 0x30, ..GOOD },
            Ray { flags: 0x3, ..GOOD },
        ];
        for (number, bad) in numbers.into_iter().zip(bad).filter(|(number, _)| !number.is_empty()) {
            let rule = format!("VUID-RuntimeSpirv-{name}-{number}");
            cases.push(pair(rule.leak(), text(bad), text(GOOD)));
        }
    }
    cases.push(pair(
        "VUID-RuntimeSpirv-OpTraceRayMotionNV-06366",
        motion(Ray { time: "%two", ..GOOD }),
        motion(GOOD),
    ));
    let late = Ray { time: "%two", ..GOOD };
    for (rule, vendor, op) in [
        ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07710", "NV", "OpHitObjectTraceRayMotionNV"),
        ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11882", "EXT", "OpHitObjectTraceRayMotionEXT"),
    ] {
        cases.push(pair(rule, hit_object(late, vendor, op), hit_object(GOOD, vendor, op)));
    }
    cases.push(limit(
        "VUID-RuntimeSpirv-maxShaderBindingTableRecordIndex-11888",
        hit_object(GOOD, "EXT", "OpHitObjectTraceRayEXT")
            .body("OpHitObjectSetShaderBindingTableRecordIndexEXT %o %c4"),
        "maxShaderBindingTableRecordIndex",
        3,
        4,
    ));
    let two_states = Ray { flags: 0x400, ..GOOD };
    cases.push(pair(
        "VUID-RuntimeSpirv-RayTracingOpacityMicromapKHR-11542",
        trace(two_states),
        trace(two_states).capability("RayTracingOpacityMicromapEXT"),
    ));
    let report = |kind: u32| {
        ray("IntersectionKHR")
            .declare(&format!("%kind = OpConstant %uint {kind}"))
            .body("%r = OpReportIntersectionKHR %bool %f1 %kind")
    };
    cases.push(pair("VUID-RuntimeSpirv-OpReportIntersectionKHR-06998", report(128), report(127)));
    let set = |vertices: &str, primitives: &str| {
        crate::device::mesh(3, 1).body(&format!("OpSetMeshOutputsEXT {vertices} {primitives}"))
    };
    cases.push(pair("VUID-RuntimeSpirv-MeshEXT-07332", set("%c4", "%c1"), set("%c3", "%c1")));
    cases.push(pair("VUID-RuntimeSpirv-MeshEXT-07333", set("%c3", "%c2"), set("%c3", "%c1")));
    cases
}
