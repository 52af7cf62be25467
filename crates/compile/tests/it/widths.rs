//! One compute shader with every workgroup shape, subgroup size and backend: the same results.
//!
//! It reads and writes rows of buffers and of workgroup memory by its place in the workgroup, with a pitch
//! that is known only when it runs, so accesses are whole registers, parts of rows, or anything.

use crate::support::run;
use pyro_compile::{Backend, SubgroupSize};

/// With the workgroup's width, height and number of invocations.
const TYPES: &str = "%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%order = OpConstant %uint 264
%width = OpConstant %uint WIDTH
%height = OpConstant %uint HEIGHT
%count = OpConstant %uint COUNT
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%params = OpTypeStruct %uint
%tile = OpTypeArray %uint %count
%block_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%params_ptr = OpTypePointer PushConstant %params
%param_ptr = OpTypePointer PushConstant %uint
%tile_ptr = OpTypePointer Workgroup %tile
%cell_ptr = OpTypePointer Workgroup %uint
%in_ptr = OpTypePointer Input %uint3
%local_id = OpVariable %in_ptr Input
%group_id = OpVariable %in_ptr Input
%in = OpVariable %block_ptr StorageBuffer
%out = OpVariable %block_ptr StorageBuffer
%push = OpVariable %params_ptr PushConstant
%shared = OpVariable %tile_ptr Workgroup";

const BODY: &str = "%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpLoad %uint3 %local_id
%x = OpCompositeExtract %uint %local 0
%y = OpCompositeExtract %uint %local 1
%z = OpCompositeExtract %uint %local 2
%group = OpLoad %uint3 %group_id
%g = OpCompositeExtract %uint %group 0
%pitch_place = OpAccessChain %param_ptr %push %c0
%pitch = OpLoad %uint %pitch_place
%plane = OpIMul %uint %z %height
%row = OpIAdd %uint %plane %y
%row_start = OpIMul %uint %row %width
%cell = OpIAdd %uint %row_start %x
%pitched = OpIMul %uint %row %pitch
%from = OpIAdd %uint %pitched %x
%start = OpIMul %uint %g %count
%place = OpIAdd %uint %from %start
%in_place = OpAccessChain %word_ptr %in %c0 %place
%word = OpLoad %uint %in_place
%shared_place = OpAccessChain %cell_ptr %shared %cell
OpStore %shared_place %word
OpControlBarrier %c2 %c2 %order
OpBranch %head
%head = OpLabel
%k = OpPhi %uint %c0 %entry %k_next %next
%sum = OpPhi %uint %word %entry %sum_next %next
OpLoopMerge %merge %next None
OpBranch %test
%test = OpLabel
%more = OpULessThan %bool %k %width
OpBranchConditional %more %body %merge
%body = OpLabel
%left_cell = OpIAdd %uint %row_start %k
%left_place = OpAccessChain %cell_ptr %shared %left_cell
%left = OpLoad %uint %left_place
%right_row = OpUMod %uint %k %height
%right_start = OpIMul %uint %right_row %width
%right_cell = OpIAdd %uint %right_start %x
%right_place = OpAccessChain %cell_ptr %shared %right_cell
%right = OpLoad %uint %right_place
%part = OpIMul %uint %left %right
%sum_more = OpIAdd %uint %sum %part
%far = OpIMul %uint %x %c3
%far_row = OpIAdd %uint %far %pitched
%far_k = OpIAdd %uint %far_row %k
%far_place = OpAccessChain %word_ptr %in %c0 %far_k
%far_word = OpLoad %uint %far_place
%sum_next = OpBitwiseXor %uint %sum_more %far_word
OpBranch %next
%next = OpLabel
%k_next = OpIAdd %uint %k %c1
OpBranch %head
%merge = OpLabel
OpControlBarrier %c2 %c2 %order
%out_place = OpAccessChain %word_ptr %out %c0 %place
OpStore %out_place %sum
OpReturn
OpFunctionEnd";

fn shader([width, height, depth]: [u32; 3]) -> String {
    let types = TYPES
        .replace("WIDTH", &width.to_string())
        .replace("HEIGHT", &height.to_string())
        .replace("COUNT", &(width * height * depth).to_string());
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %local_id %group_id
OpExecutionMode %main LocalSize {width} {height} {depth}
OpDecorate %local_id BuiltIn LocalInvocationId
OpDecorate %group_id BuiltIn WorkgroupId
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpMemberDecorate %params 0 Offset 0
OpDecorate %params Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
{types}
{BODY}"
    )
}

#[test]
fn results_do_not_depend_on_lanes() {
    let shapes = [
        [16, 16, 1],
        [8, 8, 1],
        [32, 4, 1],
        [4, 16, 1],
        [64, 2, 1],
        [128, 1, 1],
        [5, 13, 1],
        [16, 4, 2],
        [2, 4, 16],
        [1, 64, 1],
        [24, 2, 2],
    ];
    for shape in shapes {
        let words = pyro_spirv::asm::assemble(&shader(shape)).unwrap_or_else(|error| panic!("{error}"));
        // A pitch that fits, one with gaps, and one whose products wrap.
        for pitch in [shape[0], shape[0] + 7, 0x4000_0000 + shape[0]] {
            let (expected, _) = run(&words, SubgroupSize::Required(16), Backend::Interpreter, pitch);
            assert!(expected.iter().any(|&word| word != 0));
            for (name, backend) in Backend::all() {
                if backend == Backend::Interpreter {
                    continue;
                }
                for lanes in [0, 4, 8, 16, 32, 64] {
                    let size = if lanes == 0 { SubgroupSize::Default } else { SubgroupSize::Required(lanes) };
                    let (found, used) = run(&words, size, backend, pitch);
                    let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                    assert_eq!(differs, None, "{shape:?}, {name}, {lanes} ({used}) lanes, pitch {pitch}");
                }
            }
        }
    }
}

#[test]
fn shaders_that_cannot_see_subgroups_get_more_lanes() {
    let all = Backend::all();
    let Some(&(_, backend)) = all.iter().find(|(name, _)| *name == "avx512") else {
        pyro_test_environment::skip!(pyro_test_environment::Need::Avx512);
    };
    let text = shader([16, 16, 1]);
    let lanes = |text: &str, size| {
        let words = pyro_spirv::asm::assemble(text).unwrap_or_else(|error| panic!("{error}"));
        run(&words, size, backend, 16).1
    };
    assert!(lanes(&text, SubgroupSize::Default) > 16);
    assert_eq!(lanes(&text, SubgroupSize::Required(16)), 16);
    assert_eq!(lanes(&shader([5, 13, 1]), SubgroupSize::Default), 16);
    let sees = text.replace("OpCapability Shader", "OpCapability Shader\nOpCapability GroupNonUniform");
    assert_eq!(lanes(&sees, SubgroupSize::Default), 16);
}
