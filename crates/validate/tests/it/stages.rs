//! What the stages of entry points have: memory, and instructions.

use crate::rules::{check_text, first_rule};
use pyro_validate::Diagnostic;

/// A module with one entry point in a stage, a variable of each of these storage classes, and this body.
fn in_stage(model: &str, classes: &[&str], body: &str) -> Result<(), Vec<Diagnostic>> {
    let names: Vec<String> = (0..classes.len()).map(|place| format!("%v{place}")).collect();
    let modes = match model {
        "Fragment" => "OpExecutionMode %main OriginUpperLeft",
        "GLCompute" => "OpExecutionMode %main LocalSize 1 1 1",
        _ => "",
    };
    let mut text = format!(
        "; Version: 1.4\nOpCapability Shader\nOpCapability RayTracingKHR\nOpCapability RayTracingNV\n\
         OpExtension \"SPV_KHR_ray_tracing\"\nOpExtension \"SPV_NV_ray_tracing\"\n\
         OpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\" {}\n{modes}\n%void = OpTypeVoid\n\
         %fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%f1 = OpConstant %float 1\n%bool = OpTypeBool\n\
         %uint = OpTypeInt 32 0\n%c0 = OpConstant %uint 0\n%float3 = OpTypeVector %float 3\n\
         %at = OpConstantNull %float3\n%accel = OpTypeAccelerationStructureKHR\n\
         %p_accel = OpTypePointer UniformConstant %accel\n%scene = OpVariable %p_accel UniformConstant\n",
        names.join(" ")
    );
    let mut declared: Vec<&str> = Vec::new();
    for (name, class) in names.iter().zip(classes) {
        if !declared.contains(class) {
            text += &format!("%p_{class} = OpTypePointer {class} %float\n");
            declared.push(class);
        }
        text += &format!("{name} = OpVariable %p_{class} {class}\n");
    }
    // What is passed is used in a function that the entry point calls.
    text += &format!(
        "%main = OpFunction %void None %fn\n%entry = OpLabel\n%r = OpFunctionCall %void %helper\nOpReturn\n\
         OpFunctionEnd\n%helper = OpFunction %void None %fn\n%in = OpLabel\n{body}\nOpFunctionEnd\n"
    );
    check_text(&text.replace("%main \"main\" \n", "%main \"main\"\n"))
}

/// Lowering gives the variables of these classes what the engine passes: elsewhere there is nothing behind
/// them.
#[test]
fn stages_have_the_memory_that_they_use() {
    let load = "%x = OpLoad %float %v0\nOpReturn";
    let vuid = |name: &str| format!("VUID-StandaloneSpirv-{name}");
    for (rule, class, good, bad) in [
        ("None-04645", "Workgroup", "GLCompute", "Fragment"),
        ("RayPayloadKHR-04698", "RayPayloadKHR", "RayGenerationKHR", "AnyHitKHR"),
        ("IncomingRayPayloadKHR-04699", "IncomingRayPayloadKHR", "MissKHR", "RayGenerationKHR"),
        ("HitAttributeKHR-04701", "HitAttributeKHR", "IntersectionKHR", "RayGenerationKHR"),
        ("CallableDataKHR-04704", "CallableDataKHR", "ClosestHitKHR", "IntersectionKHR"),
        ("IncomingCallableDataKHR-04705", "IncomingCallableDataKHR", "CallableKHR", "RayGenerationKHR"),
        ("ShaderRecordBufferKHR-07119", "ShaderRecordBufferKHR", "MissKHR", "GLCompute"),
    ] {
        assert_eq!(in_stage(good, &[class], load), Ok(()), "{class}");
        assert_eq!(first_rule(&in_stage(bad, &[class], load).unwrap_err()), vuid(rule));
    }
    let attributes = in_stage("AnyHitKHR", &["HitAttributeKHR"; 2], load);
    assert_eq!(first_rule(&attributes.unwrap_err()), vuid("HitAttributeKHR-04702"));
    // Lowering chooses one of several; strict checking finds them.
    assert_eq!(in_stage("ClosestHitKHR", &["IncomingRayPayloadKHR"; 2], load), Ok(()));
    assert_eq!(in_stage("CallableKHR", &["IncomingCallableDataKHR"; 2], load), Ok(()));
    assert_eq!(in_stage("RayGenerationKHR", &["RayPayloadKHR"; 2], load), Ok(()));
}

#[test]
fn ray_instructions_are_in_stages_that_run_them() {
    let trace =
        "%as = OpLoad %accel %scene\nOpTraceRayKHR %as %c0 %c0 %c0 %c0 %c0 %at %f1 %at %f1 %v0\nOpReturn";
    let call = "OpExecuteCallableKHR %c0 %v0\nOpReturn";
    let (trace_nv, call_nv) = (trace.replace("OpTraceRayKHR", "OpTraceNV"), call.replace("KHR", "NV"));
    let (trace_nv, call_nv) = (trace_nv.replace("%v0", "%c0"), call_nv.replace("%v0", "%c0"));
    let report = "%hit = OpReportIntersectionKHR %bool %f1 %c0\nOpReturn";
    for (rule, class, body, good, bad) in [
        ("OpTraceRayKHR", "RayPayloadKHR", trace, "MissKHR", "CallableKHR"),
        ("OpTraceRayKHR", "Private", trace, "MissKHR", "AnyHitKHR"),
        ("OpTraceRayKHR", "Private", trace, "ClosestHitKHR", "IntersectionKHR"),
        ("OpExecuteCallableKHR", "CallableDataKHR", call, "CallableKHR", "AnyHitKHR"),
        ("OpExecuteCallableKHR", "Private", call, "MissKHR", "IntersectionKHR"),
        ("OpTraceNV", "RayPayloadKHR", &trace_nv, "MissKHR", "CallableKHR"),
        ("OpTraceNV", "Private", &trace_nv, "ClosestHitKHR", "AnyHitKHR"),
        ("OpExecuteCallableNV", "Private", &call_nv, "MissKHR", "AnyHitKHR"),
        ("OpIgnoreIntersectionNV", "Private", "OpIgnoreIntersectionNV\nOpReturn", "AnyHitKHR", "MissKHR"),
        ("OpReportIntersectionKHR", "Private", report, "IntersectionKHR", "MissKHR"),
        ("OpIgnoreIntersectionKHR", "Private", "OpIgnoreIntersectionKHR", "AnyHitKHR", "MissKHR"),
        ("OpTerminateRayKHR", "Private", "OpTerminateRayKHR", "AnyHitKHR", "ClosestHitKHR"),
    ] {
        assert_eq!(in_stage(good, &[class], body), Ok(()), "{rule}");
        let found = in_stage(bad, &[class], body).unwrap_err();
        assert!(found.iter().any(|found| found.rule == rule), "{rule}: {found:?}");
    }
}
