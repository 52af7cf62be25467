//! The interpreter against the plain evaluator.

use pyro_abi::{Kernel, KernelInfo};
use pyro_interp::Interpreter;
use pyro_ir::verify::{verify, verify_executable};
use pyro_ir::{Effect, Function, Opcode, Scalar};
use pyro_irgen::{Arena, Config, Executor, Failure, Image, check_seeds, compare, evaluate, generate, mutate};
use std::collections::HashSet;

fn interpret(function: &Function, info: KernelInfo) -> Result<Box<dyn Kernel>, String> {
    let kernel = Interpreter::new(function.clone(), info).map_err(|error| error.to_string())?;
    Ok(Box::new(kernel))
}

const INTERPRETER: Executor<'_> = Executor { name: "interpreter", compile: &interpret };

#[test]
fn interpreter_4_lanes() {
    check_seeds(&Config::new(4, 80), &INTERPRETER, 150);
}

#[test]
fn interpreter_8_lanes() {
    check_seeds(&Config::new(8, 80), &INTERPRETER, 150);
}

#[test]
fn interpreter_16_lanes() {
    check_seeds(&Config::new(16, 80), &INTERPRETER, 300);
}

#[test]
fn interpreter_32_lanes() {
    check_seeds(&Config::new(32, 80), &INTERPRETER, 100);
}

#[test]
fn interpreter_64_lanes() {
    check_seeds(&Config::new(64, 80), &INTERPRETER, 100);
}

#[test]
fn large_functions() {
    check_seeds(&Config::new(16, 1000), &INTERPRETER, 10);
}

/// Printing and parsing keeps what functions do.
#[test]
fn through_text() {
    for seed in 0..40 {
        let function = generate(seed, &Config::new(8, 60));
        let text = function.to_string();
        let again: Function = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.to_string(), text);
        compare(&again, seed, &INTERPRETER).unwrap();
    }
}

/// The generator makes all that it says, and enough of it runs.
#[test]
fn every_operation_runs() {
    let config = Config::new(16, 80);
    let mut made = HashSet::new();
    let mut changed = 0;
    for seed in 0..200 {
        let function = generate(seed, &config);
        let insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
        made.extend(insts.map(|&inst| function.insts[inst].op));
        let image = Image::new(seed, 16);
        let (_, after) = evaluate(&function, &Arena::new(&image), 1_000_000).unwrap();
        changed += usize::from(image.regions[..3] != after.regions[..3]);
    }
    let missing: Vec<&Opcode> = config.ops.iter().filter(|op| !made.contains(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(changed > 150, "only {changed} functions change memory besides the output");
}

/// An executor that is wrong in one operation is found out, and the example is small.
#[test]
fn a_wrong_executor_is_caught() {
    let wrong = |function: &Function, info: KernelInfo| {
        let mut function = function.clone();
        for inst in function.insts.values_mut() {
            if inst.op == Opcode::UMax {
                inst.op = Opcode::SMax;
            }
        }
        interpret(&function, info)
    };
    let executor = Executor { name: "wrong", compile: &wrong };
    let config = Config::new(8, 80);
    let error = (0..50)
        .find_map(|seed| pyro_irgen::check_seed(seed, &config, &executor).err())
        .expect("50 functions use the operation");
    let text = &error[error.find("shader").unwrap()..];
    let small: Function = text.parse().unwrap();
    assert!(text.contains("umax"), "{error}");
    let insts = small.block_order.iter().flat_map(|&block| &small.blocks[block].insts);
    let count = insts.filter(|&&inst| small.insts[inst].op.effect() == Effect::Pure).count();
    assert!(count < 40, "{count} operations are left\n{error}");
}

/// Damaged functions are refused, or run like any other; nothing panics, and text still comes back the same.
#[test]
fn damaged_functions() {
    // No floats: these functions may show the bits of any NaN.
    let ints = Scalar::ALL.into_iter().filter(|scalar| !scalar.is_float()).collect();
    let config = Config { scalars: ints, ..Config::new(8, 40) };
    let (mut refused, mut run) = (0, 0);
    for seed in pyro_irgen::seeds(600) {
        let function = mutate(&generate(seed, &config), seed);
        let _ = verify(&function);
        // Broken ones print too, and what they print can be read or not.
        let _ = function.to_string().parse::<Function>();
        if verify_executable(&function).is_err() {
            assert!(Interpreter::new(function.clone(), pyro_irgen::run::kernel_info(&function)).is_err());
            refused += 1;
            continue;
        }
        let text = function.to_string();
        let again: Function = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(again.to_string(), text);
        let makes_nan =
            function.block_order.iter().flat_map(|&block| &function.blocks[block].insts).any(|&inst| {
                function.insts[inst].result.expand().is_some_and(|value| function.ty(value).scalar.is_float())
            });
        // Those that leave their memory or do not end are not run.
        match compare(&function, seed, &INTERPRETER) {
            Ok(()) => run += 1,
            Err(Failure::Function(_)) => {}
            Err(Failure::Executor(error)) => assert!(makes_nan, "seed {seed}: {error}\n{text}"),
        }
    }
    assert!(refused > 50 && run > 50, "{refused} refused, {run} run");
}
