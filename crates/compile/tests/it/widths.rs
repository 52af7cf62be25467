//! One compute shader with every workgroup shape, subgroup size and backend: the same results.
//!
//! It reads and writes rows of buffers and of workgroup memory by its place in the workgroup, with a pitch
//! that is known only when it runs, so accesses are whole registers, parts of rows, or anything.

use crate::support::run;
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for};
use pyro_shadertext::Shader;

const BODY: &str = "%local = OpLoad %uint3 %local_id
    %x = OpCompositeExtract %uint %local 0
    %y = OpCompositeExtract %uint %local 1
    %z = OpCompositeExtract %uint %local 2
    %group = OpLoad %uint3 %group_id
    %g = OpCompositeExtract %uint %group 0
    %pitch_place = OpAccessChain %push_uint %push %uint_0
    %pitch = OpLoad %uint %pitch_place
    %plane = OpIMul %uint %z %height
    %row = OpIAdd %uint %plane %y
    %row_start = OpIMul %uint %row %width
    %cell = OpIAdd %uint %row_start %x
    %pitched = OpIMul %uint %row %pitch
    %from = OpIAdd %uint %pitched %x
    %start = OpIMul %uint %g %count
    %place = OpIAdd %uint %from %start
    %in_place = OpAccessChain %buffer_uint %in %uint_0 %place
    %word = OpLoad %uint %in_place
    %shared_place = OpAccessChain %shared_uint %shared %cell
    OpStore %shared_place %word
    OpControlBarrier %uint_2 %uint_2 %order
    OpBranch %head
    %head = OpLabel
    %k = OpPhi %uint %uint_0 %entry %k_next %next
    %sum = OpPhi %uint %word %entry %sum_next %next
    OpLoopMerge %merge %next None
    OpBranch %test
    %test = OpLabel
    %more = OpULessThan %bool %k %width
    OpBranchConditional %more %body %merge
    %body = OpLabel
    %left_cell = OpIAdd %uint %row_start %k
    %left_place = OpAccessChain %shared_uint %shared %left_cell
    %left = OpLoad %uint %left_place
    %right_row = OpUMod %uint %k %height
    %right_start = OpIMul %uint %right_row %width
    %right_cell = OpIAdd %uint %right_start %x
    %right_place = OpAccessChain %shared_uint %shared %right_cell
    %right = OpLoad %uint %right_place
    %part = OpIMul %uint %left %right
    %sum_more = OpIAdd %uint %sum %part
    %far = OpIMul %uint %x %uint_3
    %far_row = OpIAdd %uint %far %pitched
    %far_k = OpIAdd %uint %far_row %k
    %far_place = OpAccessChain %buffer_uint %in %uint_0 %far_k
    %far_word = OpLoad %uint %far_place
    %sum_next = OpBitwiseXor %uint %sum_more %far_word
    OpBranch %next
    %next = OpLabel
    %k_next = OpIAdd %uint %k %uint_1
    OpBranch %head
    %merge = OpLabel
    OpControlBarrier %uint_2 %uint_2 %order
    %out_place = OpAccessChain %buffer_uint %out %uint_0 %place
    OpStore %out_place %sum";

fn shader(shape: [u32; 3]) -> String {
    text_of(shape, BODY).text()
}

/// The same, which counts the lanes of its subgroup, too, if it is to see them.
fn shader_with_subgroups(shape: [u32; 3], sees: bool) -> String {
    let start = format!("%lanes = OpLoad %uint %size\n{}", BODY);
    let body = match sees {
        true => start.replace("%more = OpULessThan %bool %k %width", "%more = OpULessThan %bool %k %lanes"),
        false => start,
    };
    text_of(shape, &body).capability("GroupNonUniform").input("size", "uint", "BuiltIn SubgroupSize").text()
}

fn text_of([width, height, depth]: [u32; 3], body: &str) -> Shader {
    Shader::compute([width, height, depth], body)
        .input("local_id", "uint3", "BuiltIn LocalInvocationId")
        .input("group_id", "uint3", "BuiltIn WorkgroupId")
        .buffers(&["in", "out"])
        .push_word()
        .declare(&format!(
            "%width = OpConstant %uint {width}
            %height = OpConstant %uint {height}
            %count = OpConstant %uint {}",
            width * height * depth
        ))
        .declare(
            "%order = OpConstant %uint 264
            %tile = OpTypeArray %uint %count
            %shared = OpVariable %shared_tile Workgroup",
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

/// Sums of what lies in front of each invocation, or behind it, by steps of doubling length.
fn scan(width: u32, from_behind: bool) -> String {
    let (takes_part, other) = match from_behind {
        false => ("%ends = OpUGreaterThanEqual %bool %x %reach", "%other = OpISub %uint %x %reach"),
        true => (
            "%far = OpIAdd %uint %x %reach\n%ends = OpULessThan %bool %far %width",
            "%other = OpIAdd %uint %x %reach",
        ),
    };
    let body = format!(
        "%local = OpLoad %uint3 %local_id
        %x = OpCompositeExtract %uint %local 0
        %group = OpLoad %uint3 %group_id
        %g = OpCompositeExtract %uint %group 0
        %start = OpIMul %uint %g %count
        %place = OpIAdd %uint %start %x
        %in_place = OpAccessChain %buffer_uint %in %uint_0 %place
        %word = OpLoad %uint %in_place
        %own = OpAccessChain %shared_uint %shared %x
        OpStore %own %word
        OpControlBarrier %uint_2 %uint_2 %order
        OpBranch %head
        %head = OpLabel
        %reach = OpPhi %uint %uint_1 %entry %reach_next %next
        %more = OpULessThan %bool %reach %width
        OpLoopMerge %merge %next None
        OpBranchConditional %more %body %merge
        %body = OpLabel
        {takes_part}
        OpSelectionMerge %joined None
        OpBranchConditional %ends %then %joined
        %then = OpLabel
        {other}
        %other_place = OpAccessChain %shared_uint %shared %other
        %loaded = OpLoad %uint %other_place
        OpBranch %joined
        %joined = OpLabel
        %before = OpPhi %uint %uint_0 %body %loaded %then
        OpControlBarrier %uint_2 %uint_2 %order
        %old = OpLoad %uint %own
        %sum = OpIAdd %uint %old %before
        OpStore %own %sum
        OpControlBarrier %uint_2 %uint_2 %order
        OpBranch %next
        %next = OpLabel
        %reach_next = OpShiftLeftLogical %uint %reach %uint_1
        OpBranch %head
        %merge = OpLabel
        %all = OpLoad %uint %own
        %out_place = OpAccessChain %buffer_uint %out %uint_0 %place
        OpStore %out_place %all"
    );
    text_of([width, 1, 1], &body).text()
}

#[test]
fn scans_give_the_sums() {
    for (width, from_behind) in
        [(256, false), (256, true), (128, false), (200, false), (72, true), (512, false), (1024, true)]
    {
        let words =
            pyro_spirv::asm::assemble(&scan(width, from_behind)).unwrap_or_else(|error| panic!("{error}"));
        let input = |word: u32| word.wrapping_mul(0x9e37_79b9);
        let expected: Vec<u32> = (0..3 * width)
            .map(|word| {
                let start = word / width * width;
                let range = if from_behind { word..start + width } else { start..word + 1 };
                range.map(input).fold(0, u32::wrapping_add)
            })
            .collect();
        for (name, backend) in Backend::all() {
            for lanes in [0, 8, 16, 32, 64] {
                let size = if lanes == 0 { SubgroupSize::Default } else { SubgroupSize::Required(lanes) };
                let (found, used) = run(&words, size, backend, 0);
                let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                assert_eq!(differs, None, "{width} {from_behind}, {name}, {lanes} ({used}) lanes");
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
    // What is declared, or loaded and not used, does not count. What an application asks for is what is seen.
    let [sees, declares] = [true, false].map(|sees| shader_with_subgroups([16, 16, 1], sees));
    assert_eq!(lanes(&sees, SubgroupSize::Default), 16);
    assert!(lanes(&declares, SubgroupSize::Default) > 16);
    assert!(lanes(&declares, SubgroupSize::Seen(8)) > 16);
    assert_eq!(lanes(&sees, SubgroupSize::Seen(8)), 8);
    assert_eq!(lanes(&sees, SubgroupSize::Seen(64)), 64);
    let barrier = "OpControlBarrier %uint_2 %uint_2 %order\n    OpBranch %head";
    let narrow = barrier.replace("%uint_2 %uint_2", "%uint_3 %uint_2");
    assert_eq!(lanes(&text.replace(barrier, &narrow), SubgroupSize::Seen(8)), 8);
}

#[test]
fn rows_that_share_what_they_read_are_two_in_a_subgroup_of_avx2() {
    let all = Backend::all();
    let Some(&(_, backend)) = all.iter().find(|(name, _)| *name == "avx2") else {
        pyro_test_environment::skip!(pyro_test_environment::Need::Avx2);
    };
    let lanes = |text: &str| {
        let words = pyro_spirv::asm::assemble(text).unwrap_or_else(|error| panic!("{error}"));
        run(&words, SubgroupSize::Default, backend, 16).1
    };
    let text = shader([16, 16, 1]);
    assert_eq!(lanes(&text), 32);
    // The loop is enough where rows are short.
    let without_barriers = |text: &str| text.replace("OpControlBarrier %uint_2 %uint_2 %order", "");
    assert_eq!(lanes(&without_barriers(&text)), 32);
    assert_eq!(lanes(&without_barriers(&shader([64, 2, 1]))), 16);
    assert_eq!(lanes(&shader_with_subgroups([16, 16, 1], true)), 16);
}

#[test]
fn lanes_with_rows_of_their_own_stay_few() {
    let all = Backend::all();
    let Some(&(_, backend)) = all.iter().find(|(name, _)| *name == "avx512") else {
        pyro_test_environment::skip!(pyro_test_environment::Need::Avx512);
    };
    let lanes = |text: &str| {
        let words = pyro_spirv::asm::assemble(text).unwrap_or_else(|error| panic!("{error}"));
        run(&words, SubgroupSize::Default, backend, 16).1
    };
    // Three words from lane to lane, and as many as only the run tells.
    let text = shader([64, 1, 1]);
    assert!(lanes(&text) > 16);
    assert_eq!(lanes(&text.replace("%far = OpIMul %uint %x %uint_3", "%far = OpIMul %uint %x %pitch")), 16);
}

#[test]
fn moves_to_the_stack_limit_the_lanes_of_avx2() {
    let all = Backend::all();
    let Some(&(_, backend)) = all.iter().find(|(name, _)| *name == "avx2") else {
        pyro_test_environment::skip!(pyro_test_environment::Need::Avx2);
    };
    // With 32 lanes the bodies' sums pass through the stack in the loop; with 16 elements of rows would.
    for (name, expected) in [("matmul_tiled", 32), ("nbody", 16), ("matvec_scalar", 8)] {
        let path = format!("{}/../../benches/shaders/{name}.spv", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let module = pyro_spirv::Module::decode(&words).unwrap();
        let request = ComputeRequest {
            module: &pyro_compile::ShaderModule::new(&words),
            entry_point: "main",
            specialization: &[],
            layout: &pyro_compile::reflect::layout_of(&module).unwrap(),
            subgroup_size: SubgroupSize::Default,
        };
        let kernel = compile_compute_for(&request, backend, None).unwrap();
        assert_eq!(kernel.info().subgroup_size, expected, "{name}");
    }
}
