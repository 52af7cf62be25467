//! Atomic operations at one place and at many, with and without a use of their results, with every backend
//! and subgroup size.
//!
//! Invocations come to each place in the order of their numbers, whatever the subgroup size, since there are
//! no barriers and one thread: so all results are defined here.

use crate::support::run;
use pyro_compile::{Backend, SubgroupSize};

const OPS: [&str; 8] = ["IAdd", "ISub", "And", "Or", "Xor", "UMin", "SMax", "Exchange"];

/// A shader that does every operation on words of a buffer or of workgroup memory, where some lanes are not.
fn shader() -> String {
    let mut code = String::new();
    let mut number = 0;
    for class in ["buffer", "shared"] {
        for op in OPS {
            for place in ["%c3", "%spread"] {
                for used in [true, false] {
                    let n = number;
                    number += 1;
                    let atomic = match op {
                        "Exchange" => "OpAtomicExchange".to_owned(),
                        op => format!("OpAtomic{op}"),
                    };
                    let access = match class {
                        "buffer" => format!("%at{n} = OpAccessChain %word_ptr %out %c0 %i{n}\n"),
                        _ => format!("%at{n} = OpAccessChain %cell_ptr %shared %i{n}\n"),
                    };
                    code += &format!(
                        "%i{n} = OpIAdd %uint {place} %k{n}\n{access}\
                         %old{n} = {atomic} %uint %at{n} %c1 %c0 %value\n"
                    );
                    if used {
                        code += &format!(
                            "%sum{n} = OpLoad %uint %total\n%mixed{n} = OpIMul %uint %sum{n} %c3\n\
                             %more{n} = OpIAdd %uint %mixed{n} %old{n}\nOpStore %total %more{n}\n"
                        );
                    }
                }
            }
        }
    }
    let constants: String = (0..number).map(|n| format!("%k{n} = OpConstant %uint {}\n", n * 8)).collect();
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %global_id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpMemberDecorate %params 0 Offset 0
OpDecorate %params Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c3 = OpConstant %uint 3
%c5 = OpConstant %uint 5
%c7 = OpConstant %uint 7
%c1024 = OpConstant %uint 1024
%count = OpConstant %uint 1024
{constants}%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%params = OpTypeStruct %uint
%tile = OpTypeArray %uint %count
%block_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%params_ptr = OpTypePointer PushConstant %params
%tile_ptr = OpTypePointer Workgroup %tile
%cell_ptr = OpTypePointer Workgroup %uint
%private_ptr = OpTypePointer Function %uint
%in_ptr = OpTypePointer Input %uint3
%global_id = OpVariable %in_ptr Input
%in = OpVariable %block_ptr StorageBuffer
%out = OpVariable %block_ptr StorageBuffer
%push = OpVariable %params_ptr PushConstant
%nothing = OpConstantNull %tile
%shared = OpVariable %tile_ptr Workgroup %nothing
%main = OpFunction %void None %fn
%entry = OpLabel
%total = OpVariable %private_ptr Function
%global = OpLoad %uint3 %global_id
%x = OpCompositeExtract %uint %global 0
OpStore %total %c0
%in_place = OpAccessChain %word_ptr %in %c0 %x
%value = OpLoad %uint %in_place
%fives = OpIMul %uint %x %c5
%spread = OpBitwiseAnd %uint %fives %c7
%third = OpUMod %uint %x %c3
%here = OpINotEqual %bool %third %c1
OpSelectionMerge %merge None
OpBranchConditional %here %then %merge
%then = OpLabel
{code}OpBranch %merge
%merge = OpLabel
%behind = OpIAdd %uint %x %c1024
%out_place = OpAccessChain %word_ptr %out %c0 %behind
%result = OpLoad %uint %total
OpStore %out_place %result
OpReturn
OpFunctionEnd"
    )
}

#[test]
fn atomics_give_the_same_with_every_executor() {
    let everywhere = shader().replace("OpINotEqual %bool %third %c1", "OpULessThan %bool %third %c3");
    // Where all lanes add the same number, lanes that meet are counted.
    let same =
        |value: &str| shader().replace("%value = OpLoad %uint %in_place", &format!("%value = {value}"));
    let pushed = same("OpLoad %uint %push_place");
    let pushed = pushed.replace("%value =", "%push_place = OpAccessChain %push_ptr %push %c0\n%value =");
    let pushed = pushed.replace("%in_ptr =", "%push_ptr = OpTypePointer PushConstant %uint\n%in_ptr =");
    let (ones, fives) = (same("OpCopyObject %uint %c1"), same("OpCopyObject %uint %c5"));
    for text in [shader(), everywhere, ones, fives, pushed] {
        let words = pyro_spirv::asm::assemble(&text).unwrap_or_else(|error| panic!("{error}"));
        let (expected, _) = run(&words, SubgroupSize::Required(16), Backend::Interpreter, 41);
        assert!(expected[1024..1024 + 192].iter().any(|&word| word != 0));
        for (name, backend) in Backend::all() {
            for lanes in [4, 8, 16, 32, 64] {
                let (found, _) = run(&words, SubgroupSize::Required(lanes), backend, 41);
                let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                assert_eq!(differs, None, "{name}, {lanes} lanes");
            }
        }
    }
}
