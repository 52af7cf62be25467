//! Listings of machine code: what a compilation shows of its steps.

use pyro_abi::Kernel;
use pyro_ir::{Scalar, Shape};
use pyro_irgen::generate::idiom_function;
use pyro_irgen::idioms;
use pyro_irgen::run::kernel_info;
use pyro_jit::{CompileOptions, Features, Level, compile_checked, compile_with};

#[test]
fn listings_show_registers_before_and_after_allocation() {
    let is_rotation = |idiom: &idioms::Idiom| idiom.name == "rotation" && idiom.scalar == Scalar::I32;
    let idiom = idioms::all().into_iter().find(is_rotation).expect("it is in the list");
    let function = idiom_function(&idiom, 16, Shape::Varying);
    let (info, features) = (kernel_info(&function), Features::base(Level::Avx512));
    let options = CompileOptions { listings: true, ..CompileOptions::default() };
    let code =
        compile_with(&function, info.clone(), features, &options, &mut |_, _| {}).expect("machine code");
    let texts = code.representations();
    let titles: Vec<&str> = texts.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(
        titles,
        ["machine instructions after select", "machine instructions after register allocation", "assembly"]
    );
    let rotation =
        |text: &str| text.lines().find(|line| line.contains("vprol_d_imm.512/1")).map(str::to_owned);
    let [before, after] = [&texts[0].1, &texts[1].1].map(|text| rotation(text).expect("there are rotations"));
    assert!(before.contains("%v"), "{before}");
    assert!(after.contains(" v") && !after.contains('%'), "{after}");
    let code = compile_checked(&function, info, features).expect("machine code");
    assert_eq!(code.representations().len(), 1, "listings are made only where they are asked for");
}

/// The assembly of a sum of products of bytes, whose signed factor is one word in memory, with `between` of
/// the product and the sum.
fn assembly_of_bytes(between: &str, features: Features) -> String {
    let text = format!(
        "shader \"bytes\" mask lanes=16 scratch=0 frame=0 {{
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: <i32> = load.global v0, v7, v3
    v9: i32 = load.global v0, v1, v2 +64
    v10: <i32> = splat v9
    v11: <i32> = dot_four_bytes v8, v10
    {between}
    v12: <i32> = iadd v11, v8
    store.global v0, v7, v12, v3 +128
    return 0
}}"
    );
    let function = pyro_ir::parse::parse(&text).expect("a function");
    let code = compile_checked(&function, kernel_info(&function), features).expect("machine code");
    code.representations()[0].1.clone()
}

#[test]
fn byte_products_take_a_word_for_all_lanes_from_memory() {
    let vnni = |level| Features::base(level).with("vnni").expect("the level can have it");
    let product = |text: &str| {
        let line = text.lines().find(|line| line.contains("vpdpbusd")).expect("there is a product");
        line.contains("{1to16}")
    };
    assert!(product(&assembly_of_bytes("", vnni(Level::Avx512))));
    // Where the word may be written before the sum, it is read before that.
    let store = "store.global v0, v7, v8, v3 +64";
    assert!(!product(&assembly_of_bytes(store, vnni(Level::Avx512))));
    // There are no such operands of AVX.
    assert!(!product(&assembly_of_bytes("", vnni(Level::Avx2))));
    assert_eq!(Features::base(Level::Avx2).with("fp16"), None);
}

/// `((x | y) & constant) | constant`: the first two are one instruction, which the last one does not take
/// apart.
#[test]
fn bits_of_two_values_between_constants_are_selected() {
    for (scalar, registers) in [("i16", 1), ("i32", 1), ("i64", 2)] {
        let text = format!(
            "shader \"bits\" mask lanes=16 scratch=0 frame=0 {{
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 3
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: <{scalar}> = load.global v0, v7, v3
    v9: <{scalar}> = load.global v0, v7, v3 +128
    v10: {scalar} = const 12
    v11: <{scalar}> = splat v10
    v12: {scalar} = const 1
    v13: <{scalar}> = splat v12
    v14: <{scalar}> = or v8, v9
    v15: <{scalar}> = and v14, v11
    v16: <{scalar}> = or v15, v13
    store.global v0, v7, v16, v3 +256
    return 0
}}"
        );
        let function = pyro_ir::parse::parse(&text).expect("a function");
        let code = compile_checked(&function, kernel_info(&function), Features::base(Level::Avx512));
        let text = code.expect("machine code").representations()[0].1.clone();
        assert_eq!(text.lines().filter(|line| line.contains("vpternlog")).count(), registers, "{text}");
    }
}
