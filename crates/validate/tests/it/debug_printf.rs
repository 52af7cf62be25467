//! Formats of `debugPrintf`: what fits its values, and warnings of what does not.

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{Environment, Severity, check, validate};
use std::sync::Arc;

fn module(format: &str, values: &str) -> Module {
    let text = format!(
        "OpCapability Shader
         OpCapability Int64
         OpCapability Float64
         OpExtension \"SPV_KHR_non_semantic_info\"
         %printf = OpExtInstImport \"NonSemantic.DebugPrintf\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         OpExecutionMode %main LocalSize 1 1 1
         %format = OpString \"{format}\"
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %bool = OpTypeBool
         %uint = OpTypeInt 32 0
         %ulong = OpTypeInt 64 0
         %float = OpTypeFloat 32
         %float3 = OpTypeVector %float 3
         %u = OpConstant %uint 7
         %ul = OpConstant %ulong 7
         %f = OpConstant %float 1
         %v = OpConstantComposite %float3 %f %f %f
         %yes = OpConstantTrue %bool
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %p = OpExtInst %void %printf 1 %format {values}
         OpReturn
         OpFunctionEnd"
    );
    Module::decode(&assemble(&text).expect("assembles")).expect("decodes")
}

fn strict() -> Environment {
    Environment { strict: true, ..Environment::default() }
}

#[test]
fn formats_fit_their_values() {
    for (format, values) in [
        ("", ""),
        ("100%%", ""),
        ("%u %d %x", "%u %u %u"),
        ("%ul %lx", "%ul %ul"),
        ("%f %.2e %v3f", "%f %f %v"),
        ("%s %d", "%format %yes"),
    ] {
        let found = check(&module(format, values), &strict()).expect("a valid module");
        assert!(found.is_empty(), "{format}: {found:?}");
    }
}

#[test]
fn formats_that_do_not_fit_are_warnings() {
    for (format, values, message) in [
        ("ab%q", "%u", "byte 2"),
        ("%u", "", "wants 1 values, and there are 0"),
        ("%u", "%u %u", "more values"),
        ("%f", "%u", "is an integer"),
        ("%u", "%f", "is a float"),
        ("%u", "%ul", "64 bits"),
        ("%ul", "%u", "has not 64 bits"),
        ("%v2f", "%v", "has 3"),
        ("%f", "%v", "has 3"),
        ("%s", "%u", "OpString"),
        ("%u", "%void", "not a value"),
    ] {
        let module = module(format, values);
        let found = check(&module, &strict()).expect("warnings only");
        let [found] = &found[..] else { panic!("{format}: {found:?}") };
        assert_eq!((found.rule.as_ref(), found.severity()), ("DebugPrintf Formats", Severity::Warning));
        assert!(found.message.contains(message), "{format}: {}", found.message);
        assert!(found.place.is_some());
        // Nothing that compiling refuses.
        assert!(validate(Arc::new(module), &Environment::default()).is_ok());
    }
}
