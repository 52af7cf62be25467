//! What part of making a pipeline the checks take that always run: `cargo run --release -p pyro-compile
//! --example check_share -- FILES…` (with `@LIST`, the files that a list names). Each compute shader is
//! compiled to what runs, and decoded and checked by itself; processor time of this thread, the least of some
//! runs.

use pyro_compile::reflect::layout_of;
use pyro_compile::{ComputeRequest, SubgroupSize, compile_compute};
use pyro_spirv::Module;
use pyro_spirv::spirv::ExecutionModel;
use pyro_validate::{Environment, check};
use std::time::Duration;

/// Time that this thread has run, which other load on the machine does not add to.
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The least time of some runs.
fn best(runs: u32, mut run: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let start = thread_time();
        run();
        thread_time().saturating_sub(start)
    });
    times.min().unwrap_or_default()
}

/// Times of one shader.
struct Times {
    decode: Duration,
    check: Duration,
    all: Duration,
}

impl Times {
    fn share(&self) -> f64 {
        100.0 * (self.decode + self.check).as_secs_f64() / self.all.as_secs_f64()
    }
}

fn measure(bytes: &[u8]) -> Option<Times> {
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let module = Module::decode(&words).ok()?;
    let entry = module.entry_points().find(|entry| entry.model == ExecutionModel::GLCompute)?;
    let (name, layout) = (entry.name().into_owned(), layout_of(&module).ok()?);
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point: &name,
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
    };
    compile_compute(&request).ok()?;
    let environment = Environment::default();
    Some(Times {
        all: best(5, || drop(compile_compute(&request))),
        decode: best(25, || drop(Module::decode(&words))),
        check: best(25, || drop(check(&module, &environment))),
    })
}

fn main() {
    let mut files: Vec<String> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.strip_prefix('@') {
            Some(list) => {
                files.extend(std::fs::read_to_string(list).expect("a list").lines().map(str::to_owned))
            }
            None => files.push(argument),
        }
    }
    let mut times: Vec<(Times, &str)> = Vec::new();
    for file in &files {
        times.extend(measure(&std::fs::read(file).expect("a file")).map(|times| (times, file.as_str())));
    }
    if times.is_empty() {
        return println!("no compute shader that compiles");
    }
    let sum = |part: fn(&Times) -> Duration| times.iter().map(|(times, _)| part(times)).sum::<Duration>();
    let whole = Times {
        decode: sum(|times| times.decode),
        check: sum(|times| times.check),
        all: sum(|times| times.all),
    };
    println!(
        "{} shaders: {:.1?} in all, of which decoding {:.1?} and checking {:.1?}: {:.2} %",
        times.len(),
        whole.all,
        whole.decode,
        whole.check,
        whole.share()
    );
    times.sort_by(|(a, _), (b, _)| a.share().total_cmp(&b.share()));
    let at = |percent: usize| &times[(times.len() - 1) * percent / 100];
    for percent in [50, 90, 99, 100] {
        let (times, file) = at(percent);
        let Times { decode, check, all } = times;
        println!(
            "{percent:3} % of them at most {:.1} % (decoding {decode:.1?}, checking {check:.1?} of {all:.1?}: {file})",
            times.share()
        );
    }
}
