//! Comparison of executors with the reference evaluator.

use crate::evaluate::evaluate;
use crate::generate::{Config, generate};
use crate::run::{Arena, Image, Region, float_area, kernel_info};
use pyro_abi::{Exit, Kernel, KernelInfo};
use pyro_ir::{Function, Scalar};
use std::fmt;

/// Steps after which the plain evaluator gives a generated function up: they are all shorter.
pub const STEP_LIMIT: u64 = 1_000_000;

/// Makes a kernel of a function, or says why it cannot.
pub type Compile = dyn Fn(&Function, KernelInfo) -> Result<Box<dyn Kernel>, String>;

/// Something that runs functions in mask form.
pub struct Executor<'e> {
    /// For messages.
    pub name: &'e str,
    /// Makes a kernel, or says why it cannot.
    pub compile: &'e Compile,
}

/// Why a function failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The plain evaluator cannot run it: it does what generated functions do not.
    Function(String),
    /// The executor cannot run it, or comes to another result.
    Executor(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Function(error) => write!(f, "the function is no good: {error}"),
            Failure::Executor(error) => f.write_str(error),
        }
    }
}

/// Runs a function with the plain evaluator and an executor, on the memory of a seed.
///
/// # Errors
/// Where they differ, or what cannot run it.
pub fn compare(function: &Function, seed: u64, executor: &Executor<'_>) -> Result<(), Failure> {
    let mut arena = Arena::new(&Image::new(seed, function.lanes));
    let expected = evaluate(function, &arena, STEP_LIMIT).map_err(Failure::Function)?;
    let fail = |error: String| Failure::Executor(format!("{}: {error}", executor.name));
    let kernel = (executor.compile)(function, kernel_info(function))
        .map_err(|error| fail(format!("cannot compile it: {error}")))?;
    let exit = arena.run(kernel.as_ref());
    difference((expected.0, &expected.1), (exit, arena.image())).map_or(Ok(()), |text| Err(fail(text)))
}

/// The first difference between two outcomes, expected and found.
pub fn difference(expected: (Exit, &Image), found: (Exit, &Image)) -> Option<String> {
    if expected.0 != found.0 {
        return Some(format!("left with {:?}, expected {:?}", found.0, expected.0));
    }
    for region in Region::ALL {
        let (mut wanted, mut given) = (expected.1.bytes(region), found.1.bytes(region));
        if region == Region::Floats {
            canonical_floats(&mut wanted);
            canonical_floats(&mut given);
        }
        if let Some(at) = wanted.iter().zip(&given).position(|(wanted, given)| wanted != given) {
            let word = at & !7;
            let text = |bytes: &[u8]| {
                bytes[word..word + 8].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
            };
            return Some(format!(
                "{region:?} byte {at:#x} differs; bytes from {word:#x}: {}, expected {}",
                text(&given),
                text(&wanted)
            ));
        }
    }
    None
}

/// Gives all NaN the same bits.
fn canonical_floats(bytes: &mut [u8]) {
    for scalar in [Scalar::F16, Scalar::F32, Scalar::F64] {
        let (start, length) = float_area(scalar);
        let size = scalar.bytes() as usize;
        for element in bytes[start as usize..][..length as usize].chunks_exact_mut(size) {
            let bits = element.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            let infinity = match scalar {
                Scalar::F16 => 0x7c00,
                Scalar::F32 => 0x7f80_0000,
                _ => 0x7ff0 << 48,
            };
            if bits & (scalar.mask() >> 1) > infinity {
                element.fill(0xff);
            }
        }
    }
}

/// Generates the function of a seed and compares an executor on it. A function that fails is made smaller
/// first.
///
/// # Errors
/// The difference, the seed and the function.
pub fn check_seed(seed: u64, config: &Config, executor: &Executor<'_>) -> Result<(), String> {
    let function = generate(seed, config);
    if let Err(errors) = pyro_ir::verify::verify_executable(&function) {
        return Err(format!("seed {seed}: {errors}\n{function}"));
    }
    let Err(error) = compare(&function, seed, executor) else { return Ok(()) };
    if matches!(error, Failure::Function(_)) {
        return Err(format!("seed {seed}: {error}\n{function}"));
    }
    let fails = |function: &Function| matches!(compare(function, seed, executor), Err(Failure::Executor(_)));
    let small = crate::shrink::shrink(&function, fails);
    let small_error =
        compare(&small, seed, executor).map_or_else(|error| error.to_string(), |()| String::new());
    Err(format!("seed {seed}, {} lanes: {error}\nmade smaller: {small_error}\n{small}", config.lanes))
}
