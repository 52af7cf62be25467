//! Atomic operations at one place and at many, with and without a use of their results, with every backend
//! and subgroup size.
//!
//! Invocations come to each place in the order of their numbers, whatever the subgroup size, since there are
//! no barriers and one thread: so all results are defined here.

use crate::support::run;
use pyro_compile::{Backend, SubgroupSize};
use pyro_shadertext::Shader;

const OPS: [&str; 8] = ["IAdd", "ISub", "And", "Or", "Xor", "UMin", "SMax", "Exchange"];

/// A shader that does every operation on words of a buffer or of workgroup memory, where some lanes are not.
fn shader() -> String {
    let mut code = String::new();
    let mut number = 0;
    for class in ["buffer", "shared"] {
        for op in OPS {
            for place in ["%uint_3", "%spread"] {
                for used in [true, false] {
                    let n = number;
                    number += 1;
                    let atomic = match op {
                        "Exchange" => "OpAtomicExchange".to_owned(),
                        op => format!("OpAtomic{op}"),
                    };
                    let access = match class {
                        "buffer" => format!("%at{n} = OpAccessChain %buffer_uint %out %uint_0 %i{n}\n"),
                        _ => format!("%at{n} = OpAccessChain %shared_uint %shared %i{n}\n"),
                    };
                    code += &format!(
                        "%i{n} = OpIAdd %uint {place} %k{n}\n{access}\
                         %old{n} = {atomic} %uint %at{n} %uint_1 %uint_0 %value\n"
                    );
                    if used {
                        code += &format!(
                            "%sum{n} = OpLoad %uint %total\n%mixed{n} = OpIMul %uint %sum{n} %uint_3\n\
                             %more{n} = OpIAdd %uint %mixed{n} %old{n}\nOpStore %total %more{n}\n"
                        );
                    }
                }
            }
        }
    }
    let constants: String = (0..number).map(|n| format!("%k{n} = OpConstant %uint {}\n", n * 8)).collect();
    Shader::compute(
        [64, 1, 1],
        &format!(
            "%total = OpVariable %local_uint Function
            %global = OpLoad %uint3 %global_id
            %x = OpCompositeExtract %uint %global 0
            OpStore %total %uint_0
            %in_place = OpAccessChain %buffer_uint %in %uint_0 %x
            %value = OpLoad %uint %in_place
            %fives = OpIMul %uint %x %uint_5
            %spread = OpBitwiseAnd %uint %fives %uint_7
            %third = OpUMod %uint %x %uint_3
            %here = OpINotEqual %bool %third %uint_1
            OpSelectionMerge %merge None
            OpBranchConditional %here %then %merge
            %then = OpLabel
            {code}
            OpBranch %merge
            %merge = OpLabel
            %behind = OpIAdd %uint %x %uint_1024
            %out_place = OpAccessChain %buffer_uint %out %uint_0 %behind
            %result = OpLoad %uint %total
            OpStore %out_place %result"
        ),
    )
    .input("global_id", "uint3", "BuiltIn GlobalInvocationId")
    .buffers(&["in", "out"])
    .push_word()
    .declare(&constants)
    .declare(
        "%count = OpConstant %uint 1024
        %tile = OpTypeArray %uint %count
        %nothing = OpConstantNull %tile
        %shared = OpVariable %shared_tile Workgroup %nothing",
    )
    .text()
}

#[test]
fn atomics_agree_on_every_backend() {
    let everywhere = shader().replace("OpINotEqual %bool %third %uint_1", "OpULessThan %bool %third %uint_3");
    // Where all lanes add the same number, lanes that meet are counted.
    let same =
        |value: &str| shader().replace("%value = OpLoad %uint %in_place", &format!("%value = {value}"));
    let pushed = same("OpLoad %uint %push_place");
    let pushed = pushed.replace("%value =", "%push_place = OpAccessChain %push_ptr %push %uint_0\n%value =");
    let pushed = pushed.replace("%in_uint3 =", "%push_ptr = OpTypePointer PushConstant %uint\n%in_uint3 =");
    let (ones, fives) = (same("OpCopyObject %uint %uint_1"), same("OpCopyObject %uint %uint_5"));
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
