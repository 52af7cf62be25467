//! How long a compute shader takes: nanoseconds of one processor for an invocation, the least of many
//! dispatches. `cargo run --release --example dispatch -- [--groups X,Y,Z] [--push WORD,...] [--words COUNT]
//! [--binding N=WORD,...] [--floats] [--rounds N] [--lanes N] [--print] [--base] [--code LEVEL] FILES...`
//!
//! Every buffer of the shader is one array of its own with COUNT words, which start as small numbers, or with
//! `--floats` as floats of any width that are neither denormal nor large; images are not bound. `--binding`
//! says what a buffer starts with instead, such as the sizes in a uniform buffer. With `--base` code uses
//! nothing beyond the level of the processor's vector instructions, such as AVX512-FP16. With `--code`
//! nothing runs: what the level's code looks like is printed, of one that this processor need not have, such
//! as `avx512+vnni`.
#![allow(unsafe_code)] // kernels access memory by address

use pyro_abi::{BufferDescriptor, DispatchContext, SetHeader};
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_spirv::spirv::ExecutionModel;
use std::time::Instant;

/// Nanoseconds that this thread has run.
fn processor_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

struct Settings {
    groups: [u32; 3],
    push: Vec<u32>,
    /// The first words of buffers, by binding.
    bindings: Vec<(u32, Vec<u32>)>,
    words: usize,
    floats: bool,
    rounds: u32,
    lanes: SubgroupSize,
    print: bool,
    /// The code is only looked at.
    is_foreign: bool,
    backend: Backend,
}

fn numbers(text: Option<String>) -> Vec<u32> {
    let text = text.expect("the flag has a value");
    text.split(',').map(|number| number.parse().expect("a number")).collect()
}

fn main() {
    let mut settings = Settings {
        groups: [1024, 1, 1],
        push: Vec::new(),
        bindings: Vec::new(),
        words: 1 << 22,
        floats: false,
        rounds: 40,
        lanes: SubgroupSize::Default,
        print: false,
        is_foreign: false,
        backend: Backend::from_environment(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--groups" => {
                let given = numbers(arguments.next());
                let given = given.into_iter().chain([1, 1]);
                settings.groups.iter_mut().zip(given).for_each(|(axis, count)| *axis = count);
            }
            "--push" => settings.push = numbers(arguments.next()),
            "--binding" => {
                let text = arguments.next().expect("the flag has a value");
                let (binding, words) = text.split_once('=').expect("a binding and its words");
                let binding = binding.parse().expect("a number");
                settings.bindings.push((binding, numbers(Some(words.to_owned()))));
            }
            "--words" => settings.words = numbers(arguments.next())[0] as usize,
            "--floats" => settings.floats = true,
            "--rounds" => settings.rounds = numbers(arguments.next())[0],
            "--lanes" => settings.lanes = SubgroupSize::Required(numbers(arguments.next())[0]),
            "--print" => settings.print = true,
            "--code" => {
                let name = arguments.next().expect("the flag has a value");
                settings.backend = Backend::named(&name).expect("a level");
                settings.print = true;
                settings.is_foreign = true;
            }
            "--base" => settings.backend = without_extensions(settings.backend),
            path => measure(path, &settings),
        }
    }
}

/// Code for the same level of vector instructions, and no further ones.
fn without_extensions(backend: Backend) -> Backend {
    match backend {
        Backend::Interpreter => backend,
        Backend::MachineCode(features) => Backend::MachineCode(pyro_jit::Features::base(features.level)),
    }
}

fn measure(path: &str, settings: &Settings) {
    let bytes = std::fs::read(path).expect("the file can be read");
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let module = pyro_spirv::Module::decode(&words).expect("decodes");
    let layout = reflect::layout_of(&module).expect("has a layout");
    let mut buffers = Vec::new();
    let tile_loops = pyro_tiles::loop_function();
    let mut context =
        DispatchContext { num_workgroups: settings.groups, tile_loops, ..DispatchContext::default() };
    let mut sets = Vec::new();
    for (set, address) in layout.sets.iter().zip(&mut context.sets) {
        let end = |binding: &pyro_abi::BindingLayout| binding.offset + binding.count * binding.stride;
        let bytes = set.bindings.values().map(end).max().unwrap_or(size_of::<SetHeader>() as u32);
        let mut memory = vec![0_u64; bytes.div_ceil(8) as usize];
        memory[0] = bytes.into();
        for (number, binding) in &set.bindings {
            let first = settings.bindings.iter().find(|(of, _)| of == number);
            let first = first.map_or(&[][..], |(_, words)| words);
            for index in 0..binding.count {
                let at = (binding.offset + index * binding.stride) as usize / 8;
                let mut buffer: Vec<u32> = (0..settings.words as u32 + 16)
                    .map(|word| word.wrapping_mul(0x9e37_79b9))
                    .map(|word| if settings.floats { word & 0x03ff_03ff | 0x3c00_3c00 } else { word >> 24 })
                    .collect();
                // As the driver's buffers do, it begins a line.
                let address = buffer.as_mut_ptr().expose_provenance() as u64;
                let start = address.next_multiple_of(64);
                let at_start = (start - address) as usize / 4;
                buffer[at_start..at_start + first.len()].copy_from_slice(first);
                let descriptor = BufferDescriptor::new(start, 4 * settings.words as u64);
                memory[at..at + 2].copy_from_slice(&[descriptor.address, descriptor.size]);
                buffers.push(buffer);
            }
        }
        *address = memory.as_ptr().expose_provenance() as u64;
        sets.push(memory);
    }
    for (bytes, word) in context.push_constants.chunks_exact_mut(4).zip(&settings.push) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let entry = module.entry_points().find(|entry| entry.model == ExecutionModel::GLCompute);
    let entry_point = &*entry.expect("the module has a compute shader").name();
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point,
        specialization: &[],
        layout: &layout,
        subgroup_size: settings.lanes,
    };
    let start = Instant::now();
    let kernel = compile_compute_for(&request, settings.backend, None).expect("compiles");
    let compiled = start.elapsed();
    let info = kernel.info().clone();
    if settings.print {
        for (title, text) in kernel.representations() {
            println!("== {title}\n{text}");
        }
    }
    let statistics = kernel.statistics();
    if settings.is_foreign {
        println!("{path}: {} lanes, {statistics:?}", info.subgroup_size);
        return;
    }
    let dispatch = ComputeDispatch { kernel, context };
    let engine = Engine::new(1);
    let mut times: Vec<u64> = (0..settings.rounds)
        .map(|_| {
            let start = processor_time();
            // SAFETY: the buffers are as large as their descriptors say, and accesses are checked against
            // those.
            unsafe { engine.dispatch(&dispatch) }.expect("runs");
            processor_time() - start
        })
        .collect();
    times.sort_unstable();
    let invocations = f64::from(info.invocation_count())
        * settings.groups.iter().map(|&count| f64::from(count)).product::<f64>();
    let of = |index: usize| times[index] as f64;
    println!(
        "{path}: {:.3} ns an invocation ({:.1} us; quarter of the dispatches below {:.1} us), {} lanes, compiled in {compiled:?}, {statistics:?}",
        of(0) / invocations,
        of(0) / 1e3,
        of(times.len() / 4) / 1e3,
        info.subgroup_size,
    );
}
