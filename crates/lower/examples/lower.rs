//! Lowers compute shaders and prints them: `lower [-q] [-p] FILE.spv...`.
//!
//! `-q` prints only what goes wrong, `-p` runs the passes too. Every resource gets a place in a layout of its
//! own.

use pyro_abi::{BindingLayout, DescriptorKind, PipelineLayout, SetLayout};
use pyro_spirv::spirv::{Decoration, ExecutionModel, StorageClass};
use pyro_spirv::{Module, Specialization};

fn layout(module: &Module) -> PipelineLayout {
    let mut sets: Vec<SetLayout> = Vec::new();
    for variable in module.globals() {
        let literal = |decoration| module.decoration_literal(variable.id, decoration);
        let (Some(set), Some(binding), Some(ty)) =
            (literal(Decoration::DescriptorSet), literal(Decoration::Binding), variable.value_type)
        else {
            continue;
        };
        let is_uniform = variable.class == StorageClass::Uniform
            && !module.has_decoration(module.strip_arrays(ty), Decoration::BufferBlock);
        let set = set.min(31) as usize;
        if sets.len() <= set {
            sets.resize_with(set + 1, SetLayout::default);
        }
        let offset = 16 + 1024 * sets[set].bindings.len() as u32;
        let kind = if is_uniform { DescriptorKind::UniformBuffer } else { DescriptorKind::StorageBuffer };
        let place = BindingLayout {
            kind,
            offset,
            count: 64,
            stride: 16,
            dynamic_index: None,
            variable_count: false,
        };
        sets[set].bindings.insert(binding, place);
    }
    PipelineLayout { sets, push_constant_bytes: 256 }
}

fn lower(path: &str, quiet: bool, passes: bool) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let module = Module::decode_bytes(&bytes).map_err(|error| error.to_string())?;
    let layout = layout(&module);
    for entry in module.entry_points().filter(|entry| entry.model == ExecutionModel::GLCompute) {
        let start = std::time::Instant::now();
        let lowered =
            pyro_lower::lower_compute(&module, &entry.name(), &Specialization::new(), &layout, 16)
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
