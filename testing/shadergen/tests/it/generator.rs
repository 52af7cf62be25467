//! The generator's programs are valid, varied and reproducible; the shrinker shrinks.

use pyro_shadergen::program::{INPUT_WORDS, Statement};
use pyro_shadergen::{assembly, evaluate, generate, shrink};

#[test]
fn programs_are_valid_spirv() {
    for seed in 0..200 {
        let program = generate::program(seed, 4 + seed as u32 % 80);
        let text = assembly::write(&program);
        let words =
            pyro_spirv::asm::assemble(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        pyro_spirv::Module::decode(&words).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    assert_eq!(generate::program(5, 40), generate::program(5, 40));
    assert_ne!(generate::program(5, 40), generate::program(6, 40));
}

#[test]
fn outputs_depend_on_lane_count_and_input_only_through_the_program() {
    let program = generate::program(11, 60);
    let input = vec![3; INPUT_WORDS as usize];
    let once = evaluate::evaluate(&program, 16, 2, &input);
    assert_eq!(once, evaluate::evaluate(&program, 16, 2, &input));
    assert!(once.words.iter().any(|&word| word != 0));
}

#[test]
fn a_failure_shrinks_to_its_cause() {
    let program = (0..100)
        .map(|seed| generate::program(seed, 60))
        .find(|program| program.body.iter().any(|statement| matches!(statement, Statement::Exchange(..))))
        .expect("some program has an exchange");
    let has_exchange = |program: &pyro_shadergen::Program| {
        program.body.iter().any(|statement| matches!(statement, Statement::Exchange(..)))
    };
    let small = shrink::shrink(&program, 10_000, has_exchange);
    assert_eq!(small.body.len(), 1, "{small:#?}");
}

/// With `spirv-val` installed, it agrees that the programs are valid for Vulkan 1.1.
#[test]
fn spirv_val_agrees() {
    let folder = std::env::temp_dir().join(format!("pyro-shadergen-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for seed in 0..60 {
        let text = assembly::write(&generate::program(seed, 4 + seed as u32));
        let words = pyro_spirv::asm::assemble(&text).expect("valid assembly");
        let path = folder.join("shader.spv");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&path, bytes).expect("written");
        let output =
            std::process::Command::new("spirv-val").args(["--target-env", "vulkan1.1"]).arg(&path).output();
        let Ok(output) = output else {
            pyro_test_environment::skip_current_test(pyro_test_environment::Need::Package("spirv-val"));
            break;
        };
        assert!(output.status.success(), "seed {seed}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    }
    let _ = std::fs::remove_dir_all(&folder);
}
