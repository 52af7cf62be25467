//! How long each step of compiling a module takes: `compile_time [ROUNDS] FILE.spv…` (compute, entry point
//! `main`).
//!
//! Processor time of the thread in microseconds, the least of the rounds (five) for each step. A pass that
//! runs several times is one row with the sum; with `PYRO_TRACE` each run is printed, too. The steps make
//! code for 16 lanes; the last row is all of making the kernel of a pipeline, which may have others, and be
//! made several times to find them. With several files there is a column for each, and the ratio of the last
//! two.
#![allow(clippy::print_stdout)] // what it is for

use pyro_passes::pipeline;
use pyro_spirv::Module;

/// The time of each step, in the order in which they first end.
type Steps = Vec<(&'static str, f64)>;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut rounds = 5;
    if let Some(number) = arguments.first().and_then(|text| text.parse().ok()) {
        rounds = number;
        arguments.remove(0);
    }
    let mut columns: Vec<Steps> = Vec::new();
    for path in &arguments {
        let bytes = std::fs::read(path).expect("the file can be read");
        let mut best = Steps::new();
        for round in 0..rounds {
            let steps = compile(&bytes);
            if round == 0 {
                best = steps;
                continue;
            }
            for (best, step) in best.iter_mut().zip(steps) {
                best.1 = best.1.min(step.1);
            }
        }
        let sum = best.iter().map(|step| step.1).sum();
        best.push(("all", sum));
        best.push(("pipeline", pipeline_time(&bytes, rounds)));
        columns.push(best);
    }
    let Some(first) = columns.first() else { return };
    for &(name, _) in first {
        let times: Vec<f64> = columns
            .iter()
            .map(|column| column.iter().find(|step| step.0 == name).map_or(0.0, |step| step.1))
            .collect();
        let cells: String = times.iter().map(|time| format!(" {:10.0}", time * 1e6)).collect();
        let ratio = match times[..] {
            [.., small, large] => format!(" {:6.2}", large / small),
            _ => String::new(),
        };
        println!("{name:14}{cells}{ratio}");
    }
}

/// The time of making a pipeline's kernel, with the lanes that suit it, the least of the rounds.
fn pipeline_time(bytes: &[u8], rounds: u32) -> f64 {
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let module = Module::decode(&words).expect("a valid module");
    let layout = pyro_compile::reflect::layout_of(&module).expect("a layout");
    let request = pyro_compile::ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: pyro_compile::SubgroupSize::Default,
    };
    let times = (0..rounds).map(|_| {
        let start = now();
        drop(pyro_compile::compile_compute(&request).expect("it is supported"));
        now() - start
    });
    times.fold(f64::INFINITY, f64::min)
}

fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn compile(bytes: &[u8]) -> Steps {
    let mut steps = Steps::new();
    let mut last = now();
    let mut step = |name| {
        let time = now() - last;
        match steps.iter_mut().find(|step: &&mut (_, f64)| step.0 == name) {
            Some(step) => step.1 += time,
            None => steps.push((name, time)),
        }
        last = now();
        time
    };
    let module = std::sync::Arc::new(Module::decode_bytes(bytes).expect("a valid module"));
    step("decode");
    let environment = pyro_validate::Environment::default();
    let checked = pyro_validate::validate(module, &environment).expect("a valid module");
    step("validate");
    let layout = pyro_compile::reflect::layout_of(&checked).expect("a layout");
    let shader = pyro_lower::Shader { checked: &checked, entry_point: "main", layout: &layout, tiles: false };
    let lowered = pyro_lower::lower(&shader, 16, &pyro_lower::StageRequest::Compute);
    let lowered = lowered.expect("it is supported");
    let (mut function, mut info) = (lowered.function, lowered.info);
    step("lower");
    let safepoints = pipeline::Safepoints::Plain;
    let options = pipeline::Options { verify: false, safepoints, ..pipeline::Options::default() };
    let trace = std::env::var_os("PYRO_TRACE").is_some();
    let mut observe = |name, function: &pyro_ir::Function| {
        let time = step(name);
        if trace {
            let blocks = function.block_order.iter().map(|&block| &function.blocks[block]);
            let insts: usize = blocks.clone().map(|block| block.insts.len()).sum();
            let params: usize = blocks.clone().map(|block| block.params.len()).sum();
            println!(
                "{name}: {:.0} us, {} blocks, {insts} instructions of {}, {params} parameters",
                time * 1e6,
                blocks.len(),
                function.insts.len()
            );
        }
    };
    pipeline::run(&mut function, &options, Some(&mut observe)).expect("passes");
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    match pyro_compile::Backend::best() {
        pyro_compile::Backend::MachineCode(features) => {
            let target = pyro_compile::Backend::MachineCode(features).target().expect("it is machine code");
            pipeline::run_for_target(&mut function, target, &options, Some(&mut observe)).expect("passes");
            let options = pyro_jit::CompileOptions { verify: false, ..pyro_jit::CompileOptions::default() };
            pyro_jit::compile_with(&function, info, features, &options, &mut |name, _| {
                step(name);
            })
            .expect("machine code");
            step("load");
        }
        _ => {
            drop(pyro_interp::Interpreter::new(function, info).expect("finished mask form"));
            step("interpreter");
        }
    }
    steps
}
