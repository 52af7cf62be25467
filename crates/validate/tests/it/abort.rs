//! `SPV_KHR_abort` and `SPV_KHR_constant_data`: what is allowed, and what is said of what is not.

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_spirv::disassemble;
use pyro_validate::{Environment, check};

/// A shader with these declarations, and a block that is left by these instructions.
fn text(declarations: &str, end: &str) -> String {
    format!(
        "; Version: 1.6
         OpCapability Shader
         OpCapability Int8
         OpCapability Int64
         OpCapability AbortKHR
         OpCapability ConstantDataKHR
         OpExtension \"SPV_KHR_abort\"
         OpExtension \"SPV_KHR_constant_data\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         OpExecutionMode %main LocalSize 1 1 1
         OpDecorate %chars ArrayStride 1
         OpDecorate %chars UTFEncodedKHR
         OpMemberDecorate %message 0 Offset 0
         OpMemberDecorate %message 1 Offset 8
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %uint = OpTypeInt 32 0
         %char = OpTypeInt 8 0
         %long = OpTypeInt 64 0
         %uint_5 = OpConstant %uint 5
         %chars = OpTypeArray %char %uint_5
         %longs = OpTypeArray %long %uint_5
         %message = OpTypeStruct %chars %uint
         {declarations}
         %main = OpFunction %void None %fn
         %entry = OpLabel
         {end}
         OpFunctionEnd"
    )
}

fn rules(text: &str) -> Vec<String> {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let module = Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match check(&module, &Environment { strict: true, ..Environment::default() }) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(|one| format!("{}: {}", one.rule, one.message)).collect(),
    }
}

#[track_caller]
fn expect(text: &str, expected: &str) {
    let found = rules(text);
    match expected {
        "" => assert!(found.is_empty(), "{found:?}\n{text}"),
        _ => assert!(found.iter().any(|one| one.contains(expected)), "{expected}: {found:?}\n{text}"),
    }
}

const DATA: &str = "%data = OpConstantDataKHR %chars 0x64636261 101";
const ABORT: &str = "%said = OpCompositeConstruct %message %data %uint_5 OpAbortKHR %message %said";

#[test]
fn aborts_have_messages_of_their_type() {
    expect(&text(DATA, ABORT), "");
    let other = "%said = OpCompositeConstruct %message %data %uint_5 OpAbortKHR %uint %said";
    expect(&text(DATA, other), "which does not match");
    expect(&text(DATA, "OpAbortKHR %void %uint_5"), "have no size");
    expect(&text(DATA, "OpAbortKHR %uint %uint_5"), "");
    let missing = text(DATA, ABORT).replace("OpCapability AbortKHR\n", "");
    expect(&missing, "it needs one of [\"AbortKHR\"]");
    let undeclared = text(DATA, ABORT).replace("OpExtension \"SPV_KHR_abort\"\n", "");
    expect(&undeclared, "SPV_KHR_abort");
}

#[test]
fn constant_data_fill_an_array_of_integers() {
    expect(&text(DATA, "OpReturn"), "");
    expect(&text("%data = OpConstantDataKHR %longs 1 0 2 0 3 0 4 0 5 0", "OpReturn"), "");
    for (data, said) in [
        ("%data = OpConstantDataKHR %chars 1", "are 1 words, but an array of its type takes 2"),
        ("%data = OpConstantDataKHR %chars 1 2 3", "are 3 words"),
        ("%data = OpConstantDataKHR %chars", "are 0 words"),
        ("%data = OpConstantDataKHR %uint 1", "not an array of integers"),
        ("%data = OpConstantDataKHR %message 1 2 3", "not an array of integers"),
        (
            "%float = OpTypeFloat 32 %floats = OpTypeArray %float %uint_5
             %data = OpConstantDataKHR %floats 1 2 3 4 5",
            "not an array of integers",
        ),
    ] {
        expect(&text(data, "OpReturn"), said);
    }
    let missing = text(DATA, "OpReturn").replace("OpCapability ConstantDataKHR\n", "");
    expect(&missing, "ConstantDataKHR");
}

#[test]
fn specialized_data_have_numbers() {
    let spec = "%data = OpSpecConstantDataKHR %chars 0x64636261 101";
    let numbered = |declaration| {
        text(declaration, "OpReturn")
            .replace("OpDecorate %chars UTF", "OpDecorate %data SpecId 3\nOpDecorate %chars UTF")
    };
    expect(&numbered(spec), "");
    expect(&numbered(DATA), "not a scalar specialization constant or OpSpecConstantDataKHR");
}

/// What the assembler reads comes back.
#[test]
fn text_and_words_agree() {
    let words = assemble(&text(DATA, ABORT)).expect("words");
    let module = Module::decode(&words).expect("a module");
    let shown = disassemble(&module);
    for part in ["OpConstantDataKHR", "1684234849 101", "OpAbortKHR", "UTFEncodedKHR"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(assemble(&shown).expect("words again"), words);
}
