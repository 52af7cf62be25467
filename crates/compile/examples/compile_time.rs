//! How long each step of compiling a module takes: `cargo run --release --example compile_time -- FILES...`.

use pyro_passes::pipeline;
use pyro_spirv::{Module, Specialization};
use std::time::{Duration, Instant};

/// The best time of each step over some runs, in the order of the steps.
type Steps = Vec<(&'static str, Duration)>;

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let mut best: Steps = Vec::new();
        let mut total = Duration::MAX;
        let mut sizes = (0, 0);
        for _ in 0..5 {
            let start = Instant::now();
            let (steps, counts) = compile(&bytes);
            total = total.min(start.elapsed());
            sizes = counts;
            if best.is_empty() {
                best = steps;
                continue;
            }
            for (best, step) in best.iter_mut().zip(steps) {
                best.1 = best.1.min(step.1);
            }
        }
        let steps: Vec<_> = best.iter().map(|(name, time)| format!("{name} {}", time.as_micros())).collect();
        println!(
            "{path}: {} words, {} to {} operations, {} µs",
            bytes.len() / 4,
            sizes.0,
            sizes.1,
            total.as_micros()
        );
        println!("  {}", steps.join(", "));
    }
}

fn compile(bytes: &[u8]) -> (Steps, (usize, usize)) {
    let mut steps = Steps::new();
    let mut last = Instant::now();
    let mut step = |name, steps: &mut Steps| {
        steps.push((name, last.elapsed()));
        last = Instant::now();
    };
    let module = Module::decode_bytes(bytes).expect("a valid module");
    step("decode", &mut steps);
    pyro_validate::validate(&module, &pyro_validate::Environment::default()).expect("a valid module");
    step("validate", &mut steps);
    let layout = pyro_compile::reflect::layout_of(&module).expect("a layout");
    let lowered = pyro_lower::lower_compute(&module, "main", &Specialization::new(), &layout, 16);
    let lowered = lowered.expect("it is supported");
    let (mut function, mut info) = (lowered.function, lowered.info);
    step("lower", &mut steps);
    let before = function.insts.len();
    let options = pipeline::Options { verify: false, ..pipeline::Options::default() };
    let mut observe = |name, _: &pyro_ir::Function| step(name, &mut steps);
    pipeline::run(&mut function, &options, Some(&mut observe)).expect("passes");
    pyro_passes::poll::run(&mut function);
    step("poll", &mut steps);
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    let after = function.block_order.iter().map(|&block| function.blocks[block].insts.len()).sum();
    drop(pyro_interp::Interpreter::new(function, info).expect("finished mask form"));
    step("interpreter", &mut steps);
    (steps, (before, after))
}
