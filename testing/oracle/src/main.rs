//! Runs random shaders on a Vulkan device and compares what they give with the reference evaluator.
//!
//! The evaluator (`pyro_shadergen::evaluate`) is the judge of our own compiler; here a device made by others
//! judges the evaluator. Every shader has one defined answer, so a difference is a fault of the evaluator, of
//! the generator (an answer that is not defined after all), or of the device.
//!
//! ```sh
//! cargo run --release -p pyro-oracle -- --shaders 2000          # the loader's first device
//! ```
//!
//! Exit code 0: no difference; 1: differences, named by seed; 2: no device that can run the shaders.

use clap::Parser;
use pyro_oracle::Runner;
use pyro_random::Random;
use pyro_shadergen::evaluate::{Outputs, evaluate};
use pyro_shadergen::program::{INPUT_WORDS, OUTPUT_WORDS};
use pyro_shadergen::{Program, assembly, generate, shrink};
use std::process::ExitCode;

/// Workgroups of every dispatch.
const GROUPS: u32 = 3;

/// The arguments.
#[derive(Parser)]
#[command(about = "Compares a Vulkan device with the reference evaluator over random shaders")]
struct Arguments {
    /// How many shaders.
    #[arg(long, default_value_t = 500)]
    shaders: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// The subgroup size to ask for; without it, each that the device offers.
    #[arg(long)]
    lanes: Option<u32>,
    /// Shrinks every shader that differs and prints what is left of it.
    #[arg(long)]
    shrink: bool,
    /// Prints one JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

/// What a run found.
#[derive(Default)]
struct Tally {
    equal: u64,
    refused: Vec<String>,
    different: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let device = match pyro_test_loader::load().map_err(String::from).and_then(Runner::open) {
        Ok(device) => device,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    let sizes: Vec<u32> =
        device.subgroup_sizes().filter(|&size| arguments.lanes.is_none_or(|lanes| lanes == size)).collect();
    if sizes.is_empty() {
        eprintln!("error: {} has no such subgroup size", device.name());
        return ExitCode::from(2);
    }
    let mut random = Random::new(7);
    let input: Vec<u32> =
        (0..INPUT_WORDS).map(|index| if index % 3 == 0 { index } else { random.bits() as u32 }).collect();
    let mut tally = Tally::default();
    for seed in arguments.first..arguments.first + arguments.shaders {
        for &lanes in &sizes {
            compare(&device, seed, lanes, &input, &mut tally, arguments.shrink);
        }
    }
    report(&device, &sizes, &tally, arguments.json);
    ExitCode::from(u8::from(!tally.different.is_empty()))
}

/// Runs the shader of one seed and puts the outcome into `tally`.
fn compare(device: &Runner, seed: u64, lanes: u32, input: &[u32], tally: &mut Tally, shrinks: bool) {
    let program = generate::program(seed, 4 + (seed % 60) as u32).without_fall_through();
    match outcome(device, &program, lanes, input) {
        Err(why) => tally.refused.push(format!("seed {seed}, {lanes} lanes: {why}")),
        Ok(None) => tally.equal += 1,
        Ok(Some(what)) if !shrinks => tally.different.push(format!("seed {seed}, {lanes} lanes: {what}")),
        Ok(Some(what)) => {
            let differs = |program: &Program| matches!(outcome(device, program, lanes, input), Ok(Some(_)));
            let small = shrink::shrink(&program, 300, differs);
            let now = outcome(device, &small, lanes, input).ok().flatten().unwrap_or_default();
            tally.different.push(format!("seed {seed}, {lanes} lanes: {what}; shrunk ({now}): {small:?}"));
        }
    }
}

/// What differs, if anything; an error is the device's or the assembler's refusal.
fn outcome(device: &Runner, program: &Program, lanes: u32, input: &[u32]) -> Result<Option<String>, String> {
    let words = pyro_spirv::asm::assemble(&assembly::strict(program)).map_err(|error| error.to_string())?;
    let count = (program.workgroup_size * GROUPS * OUTPUT_WORDS) as usize;
    let expected = evaluate(program, lanes, GROUPS, input);
    let (words, counter) = device.run(&words, Some(lanes), [GROUPS, 1, 1], input, count)?;
    Ok(difference(&expected, &Outputs { words, counter }))
}

fn difference(expected: &Outputs, got: &Outputs) -> Option<String> {
    let at = got.words.iter().zip(&expected.words).position(|(a, b)| a != b);
    match at {
        Some(at) => Some(format!(
            "invocation {} word {}: {:#x}, the evaluator says {:#x}",
            at as u32 / OUTPUT_WORDS,
            at as u32 % OUTPUT_WORDS,
            got.words[at],
            expected.words[at]
        )),
        None if got.counter != expected.counter => {
            Some(format!("counter {:#x}, the evaluator says {:#x}", got.counter, expected.counter))
        }
        None => None,
    }
}

fn report(device: &Runner, sizes: &[u32], tally: &Tally, json: bool) {
    if json {
        let report = serde_json::json!({
            "device": device.name(), "subgroup_sizes": sizes, "equal": tally.equal,
            "different": tally.different, "refused": tally.refused,
        });
        println!("{report}");
        return;
    }
    println!("{}, subgroups of {sizes:?}", device.name());
    for line in &tally.different {
        println!("different: {line}");
    }
    for line in tally.refused.iter().take(10) {
        println!("refused: {line}");
    }
    println!("{} equal, {} different, {} refused", tally.equal, tally.different.len(), tally.refused.len());
}
