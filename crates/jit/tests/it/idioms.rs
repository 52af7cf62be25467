//! Each pattern that selection turns into fewer instructions, at each width and number of lanes, with the
//! constants at its edges. The bytes are decoded and compared with what selection asked for at every level,
//! whatever this processor has; at the levels that it has the code also runs, and gives what the reference
//! evaluator gives.

use pyro_ir::{Function, Shape};
use pyro_irgen::generate::idiom_function;
use pyro_irgen::run::kernel_info;
use pyro_irgen::{Executor, compare, idioms};
use pyro_jit::{Features, Level, compile_checked, disassemble};
use pyro_test_environment::{Need, skip_current_test};

/// Both levels, each without and with all further extensions.
fn levels() -> [Features; 5] {
    let all = Features {
        level: Level::Avx512,
        popcount_words: true,
        popcount_bytes: true,
        gfni: true,
        vnni: true,
        byte_permutations: true,
        fp16: true,
        tiles: false,
        microcoded_moves: false,
        rounds_twice: false,
    };
    let avx2 = Features::base(Level::Avx2);
    let sse = Features::base(Level::Sse41);
    [
        Features::base(Level::Avx512),
        all,
        avx2,
        Features { gfni: true, vnni: true, microcoded_moves: true, ..avx2 },
        sse,
    ]
}

fn check(lanes: u32) {
    let here = Features::all();
    if here.is_empty() {
        skip_current_test(Need::Avx2);
    }
    if !here.iter().any(|(_, features)| features.level == Level::Avx512) {
        skip_current_test(Need::Avx512);
    }
    for idiom in idioms::all() {
        for shape in [Shape::Varying, Shape::Uniform] {
            let function = idiom_function(&idiom, lanes, shape);
            for features in levels() {
                if let Err(error) = compile_checked(&function, kernel_info(&function), features) {
                    panic!("{}, {features:?}: {error}\n{function}", function.name);
                }
            }
            for &(name, features) in &here {
                run(&function, name, features);
            }
        }
    }
}

fn run(function: &Function, name: &str, features: Features) {
    let compile = move |function: &Function, info| match compile_checked(function, info, features) {
        Ok(kernel) => Ok(Box::new(kernel) as Box<dyn pyro_abi::Kernel>),
        Err(error) => Err(error.to_string()),
    };
    let executor = Executor { name, compile: &compile };
    for seed in 0..3 {
        if let Err(error) = compare(function, seed, &executor) {
            panic!("{}, seed {seed}: {error}\n{function}", function.name);
        }
    }
}

#[test]
fn idioms_4_lanes() {
    check(4);
}

#[test]
fn idioms_8_lanes() {
    check(8);
}

#[test]
fn idioms_16_lanes() {
    check(16);
}

#[test]
fn idioms_32_lanes() {
    check(32);
}

#[test]
fn idioms_64_lanes() {
    check(64);
}

/// Rotations by a constant are one instruction of AVX-512 (EVEX alone, whatever the length), those of bytes
/// and halves are not, and by zero they are none.
#[test]
fn rotations_are_one_instruction() {
    for idiom in idioms::all().into_iter().filter(|idiom| idiom.name.starts_with("rotation")) {
        let name = match idiom.scalar.bits() {
            32 => "vprold",
            64 => "vprolq",
            _ => continue,
        };
        for lanes in [4, 8, 16, 32, 64] {
            let mut one = idiom.clone();
            one.constants = vec![13];
            let function = idiom_function(&one, lanes, Shape::Varying);
            let features = Features::base(Level::Avx512);
            let code = compile_checked(&function, kernel_info(&function), features).expect("machine code");
            let text = disassemble(code.machine_code(), features.level);
            let is_combined = idiom.name != "rotation by sum";
            assert_eq!(text.contains(name), is_combined, "{}, {lanes} lanes:\n{text}", idiom.name);
        }
    }
}
