//! Decorations, names and modes: each rule has a module that breaks it, beside one that keeps all.

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{Environment, check};

/// A module of a version with decorations and declarations besides those that it has.
fn found(
    version: &str,
    capabilities: &str,
    modes: &str,
    decorations: &str,
    declarations: &str,
) -> Vec<String> {
    let text = format!(
        "; Version: {version}\nOpCapability Shader\n{capabilities}\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint GLCompute %main \"main\" %gid\nOpExecutionMode %main LocalSize 4 1 1\n{modes}\n\
         OpDecorate %gid BuiltIn GlobalInvocationId\n{decorations}\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n\
         %uint3 = OpTypeVector %uint 3\n%four = OpConstant %uint 4\n%zero = OpConstant %uint 0\n\
         %array = OpTypeArray %uint %four\n%pair = OpTypeStruct %uint %uint\n\
         %spec = OpSpecConstant %uint 1\n%p_in = OpTypePointer Input %uint3\n%gid = OpVariable %p_in Input\n\
         {declarations}\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%entry = OpLabel\n\
         OpReturn\nOpFunctionEnd"
    );
    let words = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let module = Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let environment = Environment { strict: true, ..Environment::default() };
    match check(&module, &environment) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(|one| one.rule.to_string()).collect(),
    }
}

fn decorated(decorations: &str) -> Vec<String> {
    found("1.3", "", "", decorations, "")
}

const NONE: [&str; 0] = [];

#[test]
fn decorations_are_on_what_they_are_for() {
    for (rule, bad, good) in [
        ("OpMemberDecorate", "OpMemberDecorate %pair 2 Offset 0", "OpMemberDecorate %pair 1 Offset 0"),
        ("OpMemberDecorate", "OpMemberDecorate %array 0 Offset 0", "OpMemberDecorate %pair 0 Offset 0"),
        ("OpMemberName", "OpMemberName %pair 2 \"c\"", "OpMemberName %pair 1 \"b\""),
        ("Block", "OpDecorate %array Block", "OpDecorate %pair Block"),
        ("ArrayStride", "OpDecorate %pair ArrayStride 4", "OpDecorate %array ArrayStride 4"),
        ("RowMajor", "OpDecorate %pair RowMajor", "OpMemberDecorate %pair 0 RowMajor"),
        ("SpecId", "OpDecorate %four SpecId 0", "OpDecorate %spec SpecId 0"),
        ("BuiltIn", "OpDecorate %pair BuiltIn Position", ""),
        ("RelaxedPrecision", "OpDecorate %uint RelaxedPrecision", "OpDecorate %gid RelaxedPrecision"),
        ("DescriptorSet", "OpDecorate %pair DescriptorSet 0", ""),
        ("Interpolation decorations", "OpDecorate %pair Flat", ""),
        (
            "Decorations are given once",
            "OpDecorate %array ArrayStride 4\nOpDecorate %array ArrayStride 4",
            "OpDecorate %array ArrayStride 4",
        ),
        ("BuiltIn", "OpMemberDecorate %pair 0 BuiltIn PointSize", ""),
    ] {
        // Names stand before decorations.
        let found = |text: &str| {
            if text.starts_with("OpMemberName") {
                self::found("1.3", "", text, "", "")
            } else {
                decorated(text)
            }
        };
        assert!(found(bad).iter().any(|found| found == rule), "{rule}: {:?}", found(bad));
        assert_eq!(found(good), NONE, "{rule}");
    }
}

#[test]
fn modes_are_given_once() {
    let modes = |text: &str| found("1.3", "", text, "", "");
    let twice = "OpExecutionMode %main LocalSize 4 1 1";
    assert_eq!(modes(twice), ["Execution modes are given once"]);
    assert!(modes("OpExecutionMode %main LocalSize 0 1 1").contains(&"LocalSize".to_owned()));
    assert_eq!(modes(""), NONE);
}

#[test]
fn widths_need_capabilities() {
    let types = |capabilities: &str, declared: &str| found("1.3", capabilities, "", "", declared);
    for (capability, declared) in [
        ("Int8", "%t = OpTypeInt 8 0"),
        ("Int16", "%t = OpTypeInt 16 0"),
        ("StorageBuffer16BitAccess", "%t = OpTypeFloat 16"),
        ("Float16", "%t = OpTypeFloat 16"),
        ("Float64", "%t = OpTypeFloat 64"),
        ("Int64", "%t = OpTypeInt 64 0"),
    ] {
        assert_eq!(types("", declared), ["Capabilities"], "{declared}");
        assert_eq!(types(&format!("OpCapability {capability}"), declared), NONE, "{declared}");
    }
}

#[test]
fn narrow_constants_need_arithmetic() {
    let constant =
        |capabilities: &str| found("1.3", capabilities, "", "", "%t = OpTypeInt 16 0\n%c = OpConstant %t 1");
    assert_eq!(constant("OpCapability StorageBuffer16BitAccess"), ["Capabilities"]);
    assert_eq!(constant("OpCapability Int16"), NONE);
}

#[test]
fn workgroup_size_zero_is_refused() {
    let size = |z: &str| {
        let declared = format!("%size = OpConstantComposite %uint3 %four %four {z}");
        found("1.3", "", "", "OpDecorate %size BuiltIn WorkgroupSize", &declared)
    };
    assert_eq!(size("%zero"), ["WorkgroupSize"]);
    assert_eq!(size("%four"), NONE);
}

#[test]
fn versions_end_and_begin_rules() {
    assert_eq!(found("1.3", "", "", "OpDecorate %pair BufferBlock", ""), NONE);
    assert_eq!(found("1.4", "", "", "OpDecorate %pair BufferBlock", ""), ["BufferBlock"]);
}
