//! Which variables entry points use, by both meanings; banks of push constants; non-uniform resources.

use pyro_interface::{Interface, accessed_globals};
use pyro_spirv::asm::assemble;
use pyro_spirv::{ConstantValues, Module, Specialization};
use std::collections::BTreeSet;

fn decode(text: &str) -> Module {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A compute shader with a storage buffer by each name, and this body.
fn shader(listed: &str, body: &str, functions: &str) -> Module {
    decode(&shader_text(listed, body, functions))
}

fn shader_text(listed: &str, body: &str, functions: &str) -> String {
    let names = ["read", "written", "passed", "named", "listed", "idle"];
    let mut text = format!(
        "; Version: 1.4\nOpCapability Shader\nOpCapability VariablePointersStorageBuffer\n\
         OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" {listed}\n\
         OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\n"
    );
    for (binding, name) in names.iter().enumerate() {
        text += &format!(
            "OpName %{name} \"{name}\"\nOpDecorate %{name} DescriptorSet 0\nOpDecorate %{name} Binding {binding}\n"
        );
    }
    // Names come before decorations.
    let (names_first, rest): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("OpName"));
    let at = rest.iter().position(|line| line.starts_with("OpDecorate")).unwrap_or(rest.len());
    let mut text = [&rest[..at], &names_first, &rest[at..]].concat().join("\n");
    text += "\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%bool = OpTypeBool\n\
             %true = OpConstantTrue %bool\n%zero = OpConstant %uint 0\n%Block = OpTypeStruct %uint\n\
             %p_block = OpTypePointer StorageBuffer %Block\n%p_uint = OpTypePointer StorageBuffer %uint\n\
             %takes = OpTypeFunction %uint %p_uint\n";
    for name in names {
        text += &format!("%{name} = OpVariable %p_block StorageBuffer\n");
    }
    text += &format!(
        "%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n{functions}"
    );
    text
}

fn names(module: &Module, found: &BTreeSet<pyro_spirv::Id>) -> BTreeSet<String> {
    found.iter().filter_map(|id| module.name(*id)).map(|name| name.into_owned()).collect()
}

fn of<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

const BODY: &str = "%a = OpAccessChain %p_uint %read %zero\n%b = OpAccessChain %p_uint %written %zero\n\
                    %c = OpAccessChain %p_uint %passed %zero\n%d = OpAccessChain %p_uint %named %zero\n\
                    %x = OpLoad %uint %a\nOpStore %b %x\n%y = OpFunctionCall %uint %get %c";

const GET: &str = "%get = OpFunction %uint None %takes\n%p = OpFunctionParameter %p_uint\n%in = OpLabel\n\
                   %q = OpCopyObject %p_uint %p\n%r = OpLoad %uint %q\nOpReturnValue %r\nOpFunctionEnd\n";

#[test]
fn todays_static_use_is_what_is_named_or_listed() {
    let module = shader("%listed", BODY, GET);
    let constants = ConstantValues::evaluate(&module, &Specialization::new()).unwrap();
    let interface = Interface::of(&constants, &module.entry_points().next().unwrap()).unwrap();
    assert_eq!(names(&module, &interface.used), of(["read", "written", "passed", "named", "listed"]));
    assert_eq!(interface.resources.len(), 5);
}

#[test]
fn older_static_use_is_what_is_accessed() {
    let module = shader("%listed", BODY, GET);
    let function = module.entry_points().next().unwrap().function;
    assert_eq!(names(&module, &accessed_globals(&module, function)), of(["read", "written", "passed"]));
    // Either of two pointers, and what no call reaches.
    let body = "%a = OpAccessChain %p_uint %read %zero\n%b = OpAccessChain %p_uint %written %zero\n\
                %s = OpSelect %p_uint %true %a %b\n%x = OpLoad %uint %s";
    let module = shader("", body, GET);
    let function = module.entry_points().next().unwrap().function;
    assert_eq!(names(&module, &accessed_globals(&module, function)), of(["read", "written"]));
}

#[test]
fn untyped_variables_are_used_alike() {
    let module = decode(
        "; Version: 1.4\nOpCapability Shader\nOpCapability UntypedPointersKHR\n\
         OpExtension \"SPV_KHR_untyped_pointers\"\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n\
         OpName %buffer \"buffer\"\nOpName %named \"named\"\nOpDecorate %Block Block\n\
         OpMemberDecorate %Block 0 Offset 0\n\
         OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0\n\
         OpDecorate %named DescriptorSet 0\nOpDecorate %named Binding 1\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n\
         %Block = OpTypeStruct %uint\n%p = OpTypeUntypedPointerKHR StorageBuffer\n\
         %buffer = OpUntypedVariableKHR %p StorageBuffer %Block\n\
         %named = OpUntypedVariableKHR %p StorageBuffer %Block\n\
         %main = OpFunction %void None %fn\n%entry = OpLabel\n\
         %a = OpUntypedAccessChainKHR %p %Block %buffer %zero\n%x = OpLoad %uint %a\n\
         %b = OpUntypedAccessChainKHR %p %Block %named %zero\nOpReturn\nOpFunctionEnd\n",
    );
    let constants = ConstantValues::evaluate(&module, &Specialization::new()).unwrap();
    let interface = Interface::of(&constants, &module.entry_points().next().unwrap()).unwrap();
    assert_eq!(names(&module, &interface.used), of(["buffer", "named"]));
    assert_eq!(names(&module, &accessed_globals(&module, interface.function)), of(["buffer"]));
}

#[test]
fn push_constants_lie_in_banks() {
    let module = decode(
        "; Version: 1.4\nOpCapability Shader\nOpCapability PushConstantBanksNV\n\
         OpExtension \"SPV_NV_push_constant_bank\"\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint GLCompute %main \"main\" %first %second\nOpExecutionMode %main LocalSize 1 1 1\n\
         OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\nOpMemberDecorate %Block 1 Offset 16\n\
         OpDecorate %second BankNV 2\nOpDecorate %second MemberOffsetNV 64\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n\
         %Block = OpTypeStruct %uint %uint\n%p = OpTypePointer PushConstant %Block\n\
         %second = OpVariable %p PushConstant\n%first = OpVariable %p PushConstant\n\
         %main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
    );
    let constants = ConstantValues::evaluate(&module, &Specialization::new()).unwrap();
    let interface = Interface::of(&constants, &module.entry_points().next().unwrap()).unwrap();
    let places: Vec<_> =
        interface.push_constant_banks.iter().map(|block| (block.bank, block.offset, block.end)).collect();
    assert_eq!(places, [(0, 0, 20), (2, 64, 84)]);
    assert_eq!(interface.push_constants.map(|block| block.bank), Some(0));
}

#[test]
fn non_uniform_resources_are_marked() {
    let text = |mark: &str| {
        format!(
            "; Version: 1.5\nOpCapability Shader\nOpCapability RuntimeDescriptorArray\nOpCapability ShaderNonUniform\n\
             OpCapability StorageBufferArrayNonUniformIndexing\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint GLCompute %main \"main\" %many %other\nOpExecutionMode %main LocalSize 1 1 1\n{mark}\n\
             OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\n\
             OpDecorate %many DescriptorSet 0\nOpDecorate %many Binding 0\n\
             OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n\
             %Block = OpTypeStruct %uint\n%Blocks = OpTypeRuntimeArray %Block\n\
             %p_many = OpTypePointer StorageBuffer %Blocks\n%p_uint = OpTypePointer StorageBuffer %uint\n\
             %many = OpVariable %p_many StorageBuffer\n%other = OpVariable %p_many StorageBuffer\n\
             %main = OpFunction %void None %fn\n%entry = OpLabel\n\
             %a = OpAccessChain %p_uint %many %zero %zero\n%x = OpLoad %uint %a\n\
             %b = OpAccessChain %p_uint %other %zero %zero\n%y = OpLoad %uint %b\nOpReturn\nOpFunctionEnd\n"
        )
    };
    for (mark, expected) in [("OpDecorate %a NonUniform", [true, false]), ("", [false, false])] {
        let module = decode(&text(mark));
        let constants = ConstantValues::evaluate(&module, &Specialization::new()).unwrap();
        let interface = Interface::of(&constants, &module.entry_points().next().unwrap()).unwrap();
        let marked: Vec<bool> = interface.resources.iter().map(|resource| resource.is_non_uniform).collect();
        assert_eq!(marked, expected);
    }
}

/// The matrices and biases that cooperative vectors are multiplied with and the memory that they are
/// accumulated into.
#[test]
fn cooperative_vectors_access_memory() {
    let cases = [
        (
            "%x = OpCooperativeVectorMatrixMulNV %vector %v %zero %read %zero %zero %zero %zero %zero %zero",
            vec!["read"],
        ),
        (
            "%x = OpCooperativeVectorMatrixMulAddNV %vector %v %zero %read %zero %zero %passed %zero %zero %zero %zero %zero \
             %zero",
            vec!["read", "passed"],
        ),
        ("OpCooperativeVectorOuterProductAccumulateNV %written %zero %v %v %zero %zero", vec!["written"]),
        ("OpCooperativeVectorReduceSumAccumulateNV %written %zero %v", vec!["written"]),
    ];
    for (instruction, expected) in cases {
        let body = format!("%b = OpAccessChain %p_uint %named %zero\n{instruction}");
        let text = shader_text("", &body, "").replace(
            "%takes = ",
            "%four = OpConstant %uint 4\n%vector = OpTypeCooperativeVectorNV %uint %four\n\
             %v = OpConstantNull %vector\n%takes = ",
        );
        let module = decode(&text);
        let function = module.entry_points().next().unwrap().function;
        let expected: BTreeSet<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(names(&module, &accessed_globals(&module, function)), expected, "{instruction}");
    }
}
