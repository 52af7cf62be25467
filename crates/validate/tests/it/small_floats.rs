//! Instructions on floats of 4 to 16 bits that the grammar lacks, and where their types may be.

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{Device, Environment, check};

/// A shader with these capabilities, declarations and instructions.
fn text(capabilities: &str, declarations: &str, body: &str) -> String {
    let capabilities: String =
        capabilities.split_whitespace().map(|name| format!("OpCapability {name}\n")).collect();
    format!(
        "; Version: 1.6
         OpCapability Shader
         {capabilities}
         OpExtension \"SPV_KHR_bfloat16\"
         OpExtension \"SPV_EXT_float8\"
         OpExtension \"SPV_VALVE_mixed_float_dot_product\"
         OpExtension \"SPV_EXT_ocp_microscaling_types\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         OpExecutionMode %main LocalSize 1 1 1
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %uint = OpTypeInt 32 0
         %float = OpTypeFloat 32
         %u1 = OpConstant %uint 1
         %f1 = OpConstant %float 1
         {declarations}
         %main = OpFunction %void None %fn
         %entry = OpLabel
         {body}
         OpReturn
         OpFunctionEnd"
    )
}

fn rules(text: &str, device: Option<Device>) -> Vec<String> {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let module = Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let environment = Environment { strict: device.is_some(), device, ..Environment::default() };
    match check(&module, &environment) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(|one| format!("{}: {}", one.rule, one.message)).collect(),
    }
}

#[track_caller]
fn expect(text: &str, device: Option<Device>, expected: &str) {
    let found = rules(text, device);
    match expected {
        "" => assert!(found.is_empty(), "{found:?}\n{text}"),
        _ => assert!(found.iter().any(|one| one.contains(expected)), "{expected}: {found:?}\n{text}"),
    }
}

const DOTS: &str = "DotProductFloat16AccFloat32VALVE DotProductFloat16AccFloat16VALVE
    DotProductBFloat16AccVALVE DotProductFloat8AccFloat32VALVE";
const VECTORS: &str = "%half = OpTypeFloat 16
    %bfloat = OpTypeFloat 16 BFloat16KHR
    %e4m3 = OpTypeFloat 8 Float8E4M3EXT
    %e5m2 = OpTypeFloat 8 Float8E5M2EXT
    %half2 = OpTypeVector %half 2
    %bfloat2 = OpTypeVector %bfloat 2
    %e4m34 = OpTypeVector %e4m3 4
    %e5m24 = OpTypeVector %e5m2 4
    %h = OpConstantNull %half
    %h2 = OpConstantNull %half2
    %b2 = OpConstantNull %bfloat2
    %x4 = OpConstantNull %e4m34
    %y4 = OpConstantNull %e5m24";

#[test]
fn mixed_products_have_the_types_that_they_are_for() {
    for body in [
        "%r = OpFDot2MixAcc32VALVE %float %h2 %h2 %f1",
        "%r = OpFDot2MixAcc32VALVE %float %b2 %b2 %f1",
        "%r = OpFDot2MixAcc16VALVE %half %h2 %h2 %h",
        "%r = OpFDot4MixAcc32VALVE %float %x4 %y4 %f1",
    ] {
        expect(&text(DOTS, VECTORS, body), None, "");
        expect(&text(DOTS, VECTORS, body), Some(Device::everything()), "");
        // Each needs a capability, and that a feature.
        let bare = "Float16 BFloat16TypeKHR Float8EXT";
        expect(&text(bare, VECTORS, body), Some(Device::everything()), "it needs one of");
        let mut device = Device::everything();
        for feature in ["Float16AccFloat32", "Float16AccFloat16", "BFloat16Acc", "Float8AccFloat32"] {
            device.set_feature(&format!("shaderMixedFloatDotProduct{feature}"), false);
        }
        expect(&text(DOTS, VECTORS, body), Some(device), "VUID-VkShaderModuleCreateInfo-pCode-08740");
    }
    for (body, rule) in [
        ("%r = OpFDot2MixAcc32VALVE %float %h2 %b2 %f1", "OpFDot2MixAcc32VALVE"),
        ("%r = OpFDot2MixAcc32VALVE %half %h2 %h2 %h", "OpFDot2MixAcc32VALVE"),
        ("%r = OpFDot2MixAcc32VALVE %float %h2 %h2 %h", "OpFDot2MixAcc32VALVE"),
        ("%r = OpFDot2MixAcc32VALVE %float %h %h %f1", "OpFDot2MixAcc32VALVE"),
        ("%r = OpFDot2MixAcc16VALVE %half %b2 %b2 %h", "OpFDot2MixAcc16VALVE"),
        ("%r = OpFDot2MixAcc16VALVE %float %h2 %h2 %f1", "OpFDot2MixAcc16VALVE"),
        ("%r = OpFDot4MixAcc32VALVE %float %h2 %h2 %f1", "OpFDot4MixAcc32VALVE"),
        ("%r = OpFDot4MixAcc32VALVE %e4m3 %x4 %x4 %f1", "OpFDot4MixAcc32VALVE"),
    ] {
        expect(&text(DOTS, VECTORS, body), None, rule);
    }
}

const TYPES: &str = "Int8 Float8EXT Float4EXT Float6EXT Float8UnsignedE8M0EXT MXInt8EXT BitcastExtractEXT";
const SMALL: &str = "%byte = OpTypeInt 8 0
    %f4 = OpTypeFloat 4 Float4E2M1EXT
    %e8m0 = OpTypeFloat 8 Float8UnsignedE8M0EXT
    %k4 = OpConstant %f4 1.5
    %local4 = OpTypePointer Function %f4
    %shared8 = OpTypePointer Workgroup %e8m0";

#[test]
fn microscaling_types_are_kept_and_converted_only() {
    let strict = || Some(Device::everything());
    for body in [
        "%r = OpFConvert %float %k4",
        "%r = OpBitcastExtractEXT %f4 %u1 %u1",
        "%v = OpVariable %local4 Function\nOpStore %v %k4\n%r = OpLoad %f4 %v",
    ] {
        expect(&text(TYPES, SMALL, body), None, "");
        expect(&text(TYPES, SMALL, body), strict(), "");
        expect(&text("Int8 Float8EXT", SMALL, body), strict(), "it needs one of");
    }
    for (declarations, body, expected) in [
        ("", "%r = OpFNegate %f4 %k4", "only kept and converted"),
        ("%out4 = OpTypePointer Workgroup %f4", "", "less than a byte"),
        ("%s = OpTypeStruct %f4\n%out4 = OpTypePointer Output %s", "", "less than a byte"),
    ] {
        expect(&text(TYPES, &format!("{SMALL}\n{declarations}"), body), strict(), expected);
    }
    for (declarations, body, rule) in [
        ("%f6 = OpTypeFloat 8 Float6E2M3EXT", "", "OpTypeFloat"),
        ("%f5 = OpTypeFloat 5 Float4E2M1EXT", "", "OpTypeFloat"),
        ("", "%r = OpBitcastExtractEXT %f4 %k4 %u1", "OpBitcastExtractEXT"),
        ("", "%r = OpBitcastExtractEXT %uint %u1 %u1", "OpBitcastExtractEXT"),
        ("", "%r = OpBitcastExtractEXT %f4 %u1 %f1", "OpBitcastExtractEXT"),
    ] {
        expect(&text(TYPES, &format!("{SMALL}\n{declarations}"), body), None, rule);
    }
}
