//! How long pipelines take from nothing and from a cache: `warm_start FILE.spv…` (compute, entry point
//! `main`).
//!
//! Warm times start from the bytes of a pipeline cache in a new process: digest of the words, reading the
//! cache's data with its checksums, decoding, executable memory.
#![allow(clippy::print_stdout)] // what it is for

use pyro_compile::cache::{Digest, MemoryCache, Session};
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};
use std::time::Instant;

const ROUNDS: u32 = 20;

fn main() {
    let backend = Backend::best();
    let (mut cold_sum, mut warm_sum) = (0.0, 0.0);
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
            subgroup_size: SubgroupSize::Default,
        };
        let make = |session: &Session<'_>| {
            let key = (backend, Digest::of(&words), request.entry_point, request.layout);
            session.artifact(key, || compile_compute_for(&request, backend, None)).expect("compiles")
        };
        let (mut cold, mut warm) = (f64::MAX, f64::MAX);
        let mut size = 0;
        for _ in 0..ROUNDS {
            let memory = MemoryCache::default();
            let start = Instant::now();
            make(&Session::uncached().with_application(Some(&memory)));
            cold = cold.min(start.elapsed().as_secs_f64());
            let mut data = Vec::new();
            memory.write(&mut data);
            size = data.len();
            let start = Instant::now();
            let memory = MemoryCache::default();
            memory.read(&data);
            let session = Session::uncached().with_application(Some(&memory)).must_not_compile(true);
            make(&session);
            warm = warm.min(start.elapsed().as_secs_f64());
        }
        (cold_sum, warm_sum) = (cold_sum + cold, warm_sum + warm);
        let (cold, warm, ratio) = (cold * 1e6, warm * 1e6, cold / warm);
        println!("{cold:8.0} µs compiled {warm:6.0} µs cached {ratio:6.1}x {size:7} bytes  {path}");
    }
    println!(
        "{:8.0} µs compiled {:6.0} µs cached {:6.1}x in all",
        cold_sum * 1e6,
        warm_sum * 1e6,
        cold_sum / warm_sum
    );
}
