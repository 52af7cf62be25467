//! `pyroclast asm`: a compute shader at every step from SPIR-V to what runs.

use crate::shader;
use anyhow::{Result, anyhow};
use pyro_compile::reflect::layout_of;
use pyro_compile::{ComputeRequest, Executor, SubgroupSize, compile_compute_for};
use pyro_spirv::{Module, disassemble};
use std::path::PathBuf;
use std::time::Instant;

/// What to show.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A .spv, .wgsl, .comp or .glsl file.
    shader: PathBuf,
    /// The entry point.
    #[arg(long, default_value = "main")]
    entry: String,
    /// Lanes of a subgroup.
    #[arg(long, default_value_t = pyro_abi::DEFAULT_SUBGROUP_SIZE)]
    lanes: u32,
    /// Only these steps: spirv, lower, a pass's name, or result.
    #[arg(long, value_delimiter = ',')]
    steps: Vec<String>,
}

/// Prints the steps, and how long compiling takes without printing.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let words = shader::load(&arguments.shader)?;
    let module = Module::decode(&words)?;
    let layout = layout_of(&module)?;
    let request = ComputeRequest {
        words: &words,
        entry_point: &arguments.entry,
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Required(arguments.lanes),
    };
    let wanted = |step: &str| arguments.steps.is_empty() || arguments.steps.iter().any(|name| name == step);
    if wanted("spirv") {
        println!("; ---- spirv\n{}", disassemble(&module));
    }
    let mut number = 0;
    let mut show = |step: &'static str, function: &pyro_ir::Function| {
        number += 1;
        if wanted(step) {
            println!("; ---- {number} {step}\n{function}");
        }
    };
    let executor = Executor::from_environment();
    let kernel =
        compile_compute_for(&request, executor, Some(&mut show)).map_err(|error| anyhow!("{error}"))?;
    if wanted("result") {
        for (name, text) in kernel.representations().iter().filter(|(name, _)| name != "IR") {
            println!("; ---- {name}\n{text}");
        }
    }
    let start = Instant::now();
    compile_compute_for(&request, executor, None)?;
    eprintln!("{:?}, compiled by {executor:?} in {:.2?}", kernel.info(), start.elapsed());
    Ok(())
}
