//! Lowers compute shaders and prints them: `lower [-q] [-p] FILE.spv...`.
//!
//! `-q` prints only what goes wrong, `-p` runs the passes too. Every resource gets a place in a layout of its
//! own.

use pyro_spirv::Module;
use pyro_spirv::spirv::ExecutionModel;

#[path = "../tests/it/support/layout.rs"]
mod layout;

fn lower(path: &str, quiet: bool, passes: bool) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let module = std::sync::Arc::new(Module::decode_bytes(&bytes).map_err(|error| error.to_string())?);
    let module = pyro_validate::validate(module, &pyro_validate::Environment::default())
        .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let layout = layout::layout_of(&module);
    for entry in module.entry_points().filter(|entry| entry.model == ExecutionModel::GLCompute) {
        let name = entry.name();
        let shader =
            pyro_lower::Shader { checked: &module, entry_point: &name, layout: &layout, tiles: false };
        let start = std::time::Instant::now();
        let lowered = pyro_lower::lower(&shader, 16, &pyro_lower::StageRequest::Compute)
            .map_err(|error| error.to_string())?;
        let time = start.elapsed();
        let mut function = lowered.function;
        pyro_ir::verify::verify(&function).map_err(|error| error.to_string())?;
        let count: usize = function.block_order.iter().map(|&b| function.blocks[b].insts.len()).sum();
        if passes {
            let options = pyro_passes::pipeline::Options { verify: true, ..Default::default() };
            pyro_passes::pipeline::run(&mut function, &options, None).map_err(|error| error.to_string())?;
        }
        if !quiet {
            println!("; {count} instructions lowered in {time:?}, {:?}", lowered.info);
            println!("{function}");
        }
    }
    Ok(())
}

fn main() {
    let (flags, paths): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let has = |flag: &str| flags.iter().any(|found| found == flag);
    let mut failed = false;
    for path in paths {
        if let Err(message) = lower(&path, has("-q"), has("-p")) {
            failed = true;
            eprintln!("{path}: {message}");
        }
    }
    std::process::exit(i32::from(failed));
}
