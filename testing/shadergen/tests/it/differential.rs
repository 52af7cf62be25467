//! Random shaders give what the reference evaluator says, at every subgroup size.
//!
//! `PYRO_SHADERS` sets how many (default 150), `PYRO_SEED` where to start.
#![allow(unsafe_code)] // dispatches

use pyro_abi::{DispatchContext, Kernel};
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_passes::pipeline::{self, OPTIMIZATIONS, Options};
use pyro_random::Random;
use pyro_shadergen::buffers::{Set, layout};
use pyro_shadergen::evaluate::{Outputs, evaluate};
use pyro_shadergen::program::{INPUT_WORDS, OUTPUT_WORDS};
use pyro_shadergen::{Program, assembly, generate, shrink};
use pyro_spirv::Specialization;
use pyro_test_environment::number;
use std::sync::Arc;

const GROUPS: u32 = 3;

fn input() -> Vec<u32> {
    let mut random = Random::new(7);
    (0..INPUT_WORDS).map(|index| if index % 3 == 0 { index } else { random.bits() as u32 }).collect()
}

/// Compiles and runs a program.
fn run(
    engine: &Engine,
    program: &Program,
    lanes: u32,
    left_out: Option<&LeftOut>,
) -> Result<Outputs, String> {
    let text = assembly::write(program);
    let words = pyro_spirv::asm::assemble(&text).map_err(|error| format!("assembler: {error}"))?;
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point: "main",
        specialization: &[],
        layout: &layout(),
        subgroup_size: SubgroupSize::Required(lanes),
    };
    let kernel = match left_out {
        None => compile_compute(&request).map_err(|error| error.to_string())?,
        Some(left_out) => compile_without(left_out, &request, lanes)?,
    };
    assert_eq!(kernel.info().subgroup_size, lanes);
    let input = input();
    let mut words = vec![0u32; (program.workgroup_size * GROUPS * OUTPUT_WORDS) as usize];
    let mut counter = [0u32];
    let set = Set::new(&input, &mut words, &mut counter);
    let sets = set.addresses();
    let context = DispatchContext { sets, num_workgroups: [GROUPS, 1, 1], ..DispatchContext::default() };
    // SAFETY: the set, the buffers and their sizes are right, and live through the call.
    unsafe { engine.dispatch(&ComputeDispatch { kernel, context }) }.map_err(|error| format!("{error:?}"))?;
    Ok(Outputs { words, counter: counter[0] })
}

/// Optimisations that are left out, and what runs the rest.
#[derive(Debug)]
struct LeftOut {
    /// Names; all when there is none.
    passes: Vec<&'static str>,
    backend: Backend,
}

/// A kernel with some optimisations left out.
fn compile_without(
    LeftOut { passes, backend }: &LeftOut,
    request: &ComputeRequest<'_>,
    lanes: u32,
) -> Result<Arc<dyn Kernel>, String> {
    let module = request.module.checked(&Specialization::new()).map_err(|error| error.to_string())?;
    let shader =
        pyro_lower::Shader { checked: &module, entry_point: "main", layout: request.layout, tiles: false };
    let lowered = pyro_lower::lower(&shader, lanes, &pyro_lower::StageRequest::Compute)
        .map_err(|error| error.to_string())?;
    let (mut function, mut info) = (lowered.function, lowered.info);
    let options = Options {
        full_subgroups: info.invocation_count().is_multiple_of(lanes),
        disabled: passes.clone(),
        disable_all: passes.is_empty(),
        verify: true,
        safepoints: pipeline::Safepoints::Plain,
        ..Options::default()
    };
    pipeline::run(&mut function, &options, None).map_err(|error| error.to_string())?;
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    backend.make_traced(function, info, &options, None).map_err(|error| error.to_string())
}

/// What differs, if anything.
fn difference(engine: &Engine, program: &Program, lanes: u32, left_out: Option<&LeftOut>) -> Option<String> {
    let expected = evaluate(program, lanes, GROUPS, &input());
    match run(engine, program, lanes, left_out) {
        Err(error) => Some(error),
        Ok(got) if got == expected => None,
        Ok(got) => {
            let at = got.words.iter().zip(&expected.words).position(|(a, b)| a != b);
            Some(match at {
                Some(at) => format!(
                    "invocation {} word {}: {:#x}, expected {:#x}",
                    at as u32 / OUTPUT_WORDS,
                    at as u32 % OUTPUT_WORDS,
                    got.words[at],
                    expected.words[at]
                ),
                None => format!("counter {:#x}, expected {:#x}", got.counter, expected.counter),
            })
        }
    }
}

#[test]
fn random_shaders_match_the_evaluator() {
    let engine = Engine::new(2);
    let first = number("PYRO_SEED", 1);
    for seed in first..first + number("PYRO_SHADERS", 150) {
        let program = generate::program(seed, 4 + (seed % 60) as u32);
        for lanes in [4, 8, 16, 32, 64] {
            if let Some(what) = difference(&engine, &program, lanes, None) {
                let small = shrink::shrink(&program, 400, |program| {
                    difference(&engine, program, lanes, None).is_some()
                });
                let now = difference(&engine, &small, lanes, None).unwrap_or_default();
                panic!(
                    "seed {seed}, {lanes} lanes: {what}\nshrunk ({now}):\n{small:#?}\n{}",
                    assembly::write(&small)
                );
            }
        }
    }
}

/// No optimisation changes what a shader computes, on no backend: without any, and without each of them in
/// turn.
#[test]
fn optimisations_change_no_result() {
    let engine = Engine::new(2);
    let backends = Backend::all();
    let first = number("PYRO_SEED", 1);
    for seed in first..first + number("PYRO_SHADERS", 150) / 2 {
        let program = generate::program(seed, 4 + (seed % 60) as u32);
        let lanes = [4, 8, 16, 32, 64][(seed % 5) as usize];
        let one = OPTIMIZATIONS[seed as usize / 5 % OPTIMIZATIONS.len()];
        for passes in [vec![], vec![one]] {
            for &(_, backend) in &backends {
                let left_out = LeftOut { passes: passes.clone(), backend };
                if let Some(what) = difference(&engine, &program, lanes, Some(&left_out)) {
                    panic!("seed {seed}, {lanes} lanes, {left_out:?}: {what}\n{}", assembly::write(&program));
                }
            }
        }
    }
}
