//! How long the passes take on random programs of growing size: `cargo run --release --example compile_time`.

#[allow(unreachable_pub, dead_code, clippy::needless_range_loop)]
#[path = "../tests/it/support/mod.rs"]
mod support;

use pyro_passes::pipeline::{self, Options};
use std::time::{Duration, Instant};
use support::Random;
use support::generate::{Kind, program};

fn main() {
    println!("{:>8} {:>8} {:>8} {:>10} {:>8}  by pass (µs)", "stmts", "insts", "out", "µs", "ns/inst");
    for statements in [50, 200, 800, 3_200, 12_800, 51_200] {
        let count = |function: &pyro_ir::Function| -> usize {
            function.block_order.iter().map(|&block| function.blocks[block].insts.len()).sum()
        };
        // Many programs return before their end: the longest of some.
        let kind = Kind { statements, suspends: false, reordered: false };
        let programs = (70..100).map(|seed| program(&mut Random::new(seed), 16, kind));
        let source = programs.max_by_key(count).expect("some");
        let before = count(&source);
        let mut best = Duration::MAX;
        let mut passes: Vec<(&'static str, Duration)> = Vec::new();
        let mut after = 0;
        for _ in 0..5 {
            let mut function = source.clone();
            let options = Options { verify: false, ..Options::default() };
            let start = Instant::now();
            pipeline::run(&mut function, &options, None).expect("passes");
            best = best.min(start.elapsed());
            after = count(&function);
        }
        let mut function = source.clone();
        let options = Options { verify: false, ..Options::default() };
        let mut last = Instant::now();
        let mut observe = |pass: &'static str, _: &pyro_ir::Function| {
            passes.push((pass, last.elapsed()));
            last = Instant::now();
        };
        pipeline::run(&mut function, &options, Some(&mut observe)).expect("passes");
        let list: Vec<String> =
            passes.iter().map(|(pass, time)| format!("{pass} {}", time.as_micros())).collect();
        println!(
            "{statements:>8} {before:>8} {after:>8} {:>10} {:>8}  {}",
            best.as_micros(),
            best.as_nanos() as usize / before.max(1),
            list.join(", ")
        );
    }
}
