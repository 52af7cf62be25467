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
