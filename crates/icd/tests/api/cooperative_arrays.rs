//! Cooperative matrices made of arrays of the invocations, and taken apart to these
//! (`VK_QCOM_cooperative_matrix_conversion`).

use pyro_random::Random;
use pyro_test_kit::matrices::{Bench, LOADS, STORE, Shape, encode, shapes, text};
use vulkanalia::vk::ComponentTypeKHR as Type;

const TYPES: [Type; 4] = [Type::FLOAT16, Type::FLOAT16, Type::FLOAT32, Type::FLOAT32];
/// Rows, columns, and the columns of A.
const SIZE: [usize; 3] = [16, 16, 16];

/// Small numbers as the operands; gives them by operand, row by row.
fn fill(bench: &Bench, random: &mut Random, shapes: &[Shape; 4]) -> [Vec<f32>; 3] {
    std::array::from_fn(|binding| {
        let Shape { rows, columns, .. } = shapes[binding];
        let size = if binding < 2 { 2 } else { 4 };
        (0..rows * columns)
            .map(|index| {
                let number = random.below(64) as f32 - 32.0;
                bench.put(binding, size, index, encode(TYPES[binding], number.into()));
                number
            })
            .collect()
    })
}

/// A shader that may use the extension and the number of the invocation, `%lane`.
fn whole(shapes: &[Shape; 4], body: &str) -> String {
    let declarations = "%in_uint = OpTypePointer Input %uint
        %lane_in = OpVariable %in_uint Input
        %sixteen = OpConstant %uint 16 %eight = OpConstant %uint 8
        %int = OpTypeInt 32 1 %int_0 = OpConstant %int 0 %int_8 = OpConstant %int 8
        %halves = OpTypeArray %k0 %sixteen %words = OpTypeArray %uint %eight
        %floats = OpTypeArray %k1 %sixteen %float_words = OpTypeArray %uint %sixteen
        %few = OpTypeArray %k1 %eight %private_floats = OpTypePointer Function %floats
        %private_float = OpTypePointer Function %k1
";
    text(TYPES, shapes, declarations, &format!("%lane = OpLoad %uint %lane_in\n{body}"))
        .replace("OpCapability Shader ", "OpCapability Shader OpCapability CooperativeMatrixConversionQCOM ")
        .replace("OpMemoryModel", "OpExtension \"SPV_QCOM_cooperative_matrix_conversion\" OpMemoryModel")
        .replace("%v3 %shared", "%v3 %shared %lane_in")
        .replace("OpDecorate %a0 ", "OpDecorate %lane_in BuiltIn LocalInvocationIndex OpDecorate %a0 ")
}

fn results(bench: &Bench) -> Vec<f32> {
    (0..SIZE[0] * SIZE[1]).map(|index| f32::from_bits(bench.get(3, 4, index) as u32)).collect()
}

#[test]
fn products_of_matrices_that_went_through_arrays() {
    let bench = Bench::new();
    let shapes = shapes(SIZE, [false; 4], 0);
    fill(&bench, &mut Random::new(41), &shapes);
    let product = "%r = OpCooperativeMatrixMulAddKHR %m2 %a %b %c\n";
    bench.fill(3, 0xee);
    bench.run(&whole(&shapes, &format!("{LOADS}{product}{STORE}")), None);
    let expected = results(&bench);
    let loads = LOADS.replace("%a =", "%a_0 =").replace("%b =", "%b_0 =").replace("%c =", "%c_0 =");
    // Arrays of elements, of words, and of one made from the other.
    for (a, b, c) in [("%halves", "%halves", "%floats"), ("%words", "%words", "%float_words")] {
        let body = format!(
            "{loads}%a_1 = OpCompositeExtractCoopMatQCOM {a} %a_0
            %b_1 = OpCompositeExtractCoopMatQCOM {b} %b_0
            %c_1 = OpCompositeExtractCoopMatQCOM {c} %c_0
            %a = OpCompositeConstructCoopMatQCOM %m0 %a_1
            %b = OpCompositeConstructCoopMatQCOM %m1 %b_1
            %c = OpCompositeConstructCoopMatQCOM %m2 %c_1
            {product}{STORE}"
        );
        bench.fill(3, 0xee);
        bench.run(&whole(&shapes, &body), None);
        assert_eq!(results(&bench), expected, "{a} {b} {c}");
    }
    let body = format!(
        "{loads}%a_1 = OpCompositeExtractCoopMatQCOM %halves %a_0
        %a_2 = OpBitCastArrayQCOM %words %a_1
        %b_1 = OpCompositeExtractCoopMatQCOM %words %b_0
        %b_2 = OpBitCastArrayQCOM %halves %b_1
        %c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2
        %a = OpCompositeConstructCoopMatQCOM %m0 %a_2
        %b = OpCompositeConstructCoopMatQCOM %m1 %b_2
        {product}{STORE}"
    );
    bench.fill(3, 0xee);
    bench.run(&whole(&shapes, &body), None);
    assert_eq!(results(&bench), expected);
}

#[test]
fn invocations_have_rows_and_columns() {
    let bench = Bench::new();
    let shapes = shapes(SIZE, [false; 4], 0);
    let [a, b, c] = fill(&bench, &mut Random::new(42), &shapes);
    let at = |list: &[f32], row: usize, column: usize| list[16 * row + column];
    for (matrix, array, is_b, list) in
        [("%a", "%halves", false, &a), ("%b", "%halves", true, &b), ("%c", "%floats", false, &c)]
    {
        let mut body = format!(
            "{LOADS}%line = OpCompositeExtractCoopMatQCOM {array} {matrix}
            %first = OpIMul %uint %lane %sixteen\n"
        );
        for index in 0..16 {
            let element = if array == "%halves" { "%k0" } else { "%k1" };
            body += &format!("%e{index} = OpCompositeExtract {element} %line {index}\n");
            let value = if array == "%halves" {
                body += &format!("%w{index} = OpFConvert %k1 %e{index}\n");
                format!("%w{index}")
            } else {
                format!("%e{index}")
            };
            let number = if index == 0 { "%first".to_owned() } else { format!("%n{index}") };
            if index > 0 {
                let before = if index == 1 { "%first".to_owned() } else { format!("%n{}", index - 1) };
                body += &format!("%n{index} = OpIAdd %uint {before} %uint_1\n");
            }
            body += &format!(
                "%t{index} = OpAccessChain %ep3 %v3 %uint_0 {number}
                OpStore %t{index} {value}\n"
            );
        }
        bench.fill(3, 0xee);
        bench.run(&whole(&shapes, &body), None);
        for (place, found) in results(&bench).into_iter().enumerate() {
            let (lane, index) = (place / 16, place % 16);
            let expected = if is_b { at(list, index, lane) } else { at(list, lane, index) };
            assert_eq!(found, expected, "{matrix}: element {index} of invocation {lane}");
        }
    }
}

#[test]
fn parts_of_arrays() {
    let bench = Bench::new();
    let shapes = shapes(SIZE, [false; 4], 0);
    let [.., c] = fill(&bench, &mut Random::new(43), &shapes);
    // Known, and by the invocation's number, where what is not inside is the last part.
    for (start, first) in [("%int_8", None), ("%dynamic", Some(()))] {
        let mut body = format!(
            "{LOADS}%line = OpCompositeExtractCoopMatQCOM %floats %c
            %dynamic = OpBitcast %int %lane
            %part = OpExtractSubArrayQCOM %few %line {start}
            %first = OpIMul %uint %lane %sixteen\n"
        );
        let mut number = "%first".to_owned();
        for index in 0..8 {
            body += &format!(
                "%e{index} = OpCompositeExtract %k1 %part {index}
                %t{index} = OpAccessChain %ep3 %v3 %uint_0 {number}
                OpStore %t{index} %e{index}
                %n{index} = OpIAdd %uint {number} %uint_1\n"
            );
            number = format!("%n{index}");
        }
        bench.fill(3, 0xee);
        bench.run(&whole(&shapes, &body), None);
        let found = results(&bench);
        for lane in 0..16 {
            let start = if first.is_some() { lane.min(8) } else { 8 };
            assert_eq!(found[16 * lane..][..8], c[16 * lane + start..][..8], "{start} of {lane}");
        }
    }
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    let shapes = shapes(SIZE, [false; 4], 0);
    let accepts = |body: &str| bench.accepts(&whole(&shapes, &format!("{LOADS}{body}")));
    assert!(accepts("%r = OpCompositeExtractCoopMatQCOM %halves %a"));
    for wrong in [
        "%r = OpCompositeExtractCoopMatQCOM %float_words %a",
        "%r = OpCompositeExtractCoopMatQCOM %words %lane",
        "%r = OpCompositeExtractCoopMatQCOM %k1 %c",
        "%l = OpCompositeExtractCoopMatQCOM %floats %c\n%r = OpCompositeConstructCoopMatQCOM %m0 %l",
        "%l = OpCompositeExtractCoopMatQCOM %halves %a\n%r = OpBitCastArrayQCOM %floats %l",
        "%l = OpCompositeExtractCoopMatQCOM %halves %a\n%r = OpExtractSubArrayQCOM %few %l %int_0",
        "%l = OpCompositeExtractCoopMatQCOM %halves %a\n%r = OpExtractSubArrayQCOM %floats %l %int_0",
    ] {
        assert!(!accepts(wrong), "{wrong}");
    }
}
