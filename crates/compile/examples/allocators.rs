//! Both register allocators side by side: `allocators FILE.spv…` (compute, entry point `main`).
//!
//! For each shader: instructions, then for each allocator the best time of making machine code from the
//! finished function, moves between registers, moves to and from the stack, and bytes of code.
#![allow(clippy::print_stdout)] // what it is for

fn main() {
    use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};
    use pyro_jit::{Allocator, CompileOptions};
    use std::time::Instant;

    const ROUNDS: u32 = 20;
    let backend = Backend::best();
    let Backend::MachineCode(features) = backend else {
        println!("this processor has no machine code here");
        return;
    };
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a readable file");
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
        let module = pyro_spirv::Module::decode(&words).expect("SPIR-V");
        let layout = reflect::layout_of(&module).expect("a layout");
        let request = ComputeRequest {
            module: &pyro_compile::ShaderModule::new(&words),
            entry_point: "main",
            specialization: &[],
            layout: &layout,
            subgroup_size: SubgroupSize::Required(16),
        };
        let mut last = None;
        let mut keep = |_: &'static str, function: &pyro_ir::Function| last = Some(function.clone());
        let kernel = compile_compute_for(&request, backend, Some(&mut keep)).expect("compiles");
        let function = last.expect("there are steps");
        print!("{path}");
        for allocator in [Allocator::Backtracking, Allocator::SinglePass] {
            let mut best = f64::MAX;
            let mut made = None;
            for _ in 0..ROUNDS {
                let info = kernel.info().clone();
                let start = Instant::now();
                let options = CompileOptions { allocator, verify: false, ..CompileOptions::default() };
                made = Some(pyro_jit::compile_with(&function, info, features, &options, &mut |_, _| {}));
                best = best.min(start.elapsed().as_secs_f64());
            }
            match made.expect("it was made") {
                Ok(code) => {
                    let all = code.statistics();
                    let (name, micros) = (format!("{allocator:?}"), best * 1e6);
                    print!("; {name}: {} instructions, {micros:.0} µs, ", all.instructions);
                    print!("{} moves, {} spills, {} bytes", all.moves, all.spills, all.code_bytes);
                }
                Err(error) => print!("; {allocator:?}: {error}"),
            }
        }
        println!();
    }
}
