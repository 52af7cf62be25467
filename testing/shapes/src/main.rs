//! How the time and memory of compiling grow with a module's size: `pyro-shapes [--size N] [--factor F]
//! [--count C] [--seconds S] [--backend B] [--steps] [SHAPE…]`.
//!
//! Each size of each shape is compiled in a process of its own, which is ended after some seconds. A row has
//! seconds and peak memory of each size, with the ratio to the size before; with `--steps`, also the rows of
//! the slowest steps.
#![allow(clippy::print_stdout)] // what it is for

use clap::Parser;
use pyro_compile::Backend;
use pyro_shapes::measure::measure_for;
use pyro_shapes::{SHAPES, Shape, shape};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How the time and memory of compiling grow with a module's size.
#[derive(Parser)]
struct Arguments {
    /// The shapes; all of them if none is named.
    shapes: Vec<String>,
    /// The first size.
    #[arg(long, default_value_t = 100)]
    size: usize,
    /// By how much sizes grow.
    #[arg(long, default_value_t = 10)]
    factor: usize,
    /// How many sizes.
    #[arg(long, default_value_t = 3)]
    count: u32,
    /// After how many seconds one compilation is ended.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// What to compile for: `interpreter`, `avx2` or `avx512`; the best that the processor has unless said.
    #[arg(long)]
    backend: Option<String>,
    /// Print the slowest steps of each shape.
    #[arg(long)]
    steps: bool,
    /// Compile one size of one shape in this process.
    #[arg(long)]
    one: bool,
    /// Print the assembly of one size of one shape.
    #[arg(long)]
    assembly: bool,
}

/// What one process found.
#[derive(Default)]
struct Found {
    seconds: f64,
    mebibytes: f64,
    steps: Vec<(String, f64)>,
    interpreted: Option<String>,
    error: Option<String>,
}

fn main() {
    let arguments = Arguments::parse();
    let chosen: Vec<&Shape> = match &arguments.shapes[..] {
        [] => SHAPES.iter().collect(),
        names => names
            .iter()
            .map(|name| shape(name).unwrap_or_else(|| panic!("no shape is called {name}")))
            .collect(),
    };
    let backend = match &arguments.backend {
        None => Backend::best(),
        Some(name) => {
            let all = Backend::all();
            let found = all.iter().find(|(known, _)| known == name);
            found.unwrap_or_else(|| panic!("there is no backend called {name} here")).1
        }
    };
    if arguments.assembly {
        print!("{}", (chosen[0].make)(arguments.size).assembly());
        return;
    }
    if arguments.one {
        one(chosen[0], arguments.size, backend);
        return;
    }
    for shape in chosen {
        let mut columns: Vec<Found> = Vec::new();
        let mut row = format!("{:22}", shape.name);
        for power in 0..arguments.count {
            let size = arguments.size * arguments.factor.pow(power);
            if size > shape.size_max {
                break;
            }
            let found = in_process(shape, size, &arguments);
            let ratio =
                columns.last().map_or(String::new(), |last| format!(" x{:.1}", found.seconds / last.seconds));
            row += &format!(" | {size:>7}: {:8.3} s{ratio:>7} {:6.0} MiB", found.seconds, found.mebibytes);
            if let Some(error) = &found.error {
                row += &format!(" ({})", error.chars().take(60).collect::<String>());
            }
            if let Some(reason) = &found.interpreted {
                row += &format!(" (interpreted: {reason})");
            }
            let ended = found.error.is_some();
            columns.push(found);
            if ended {
                break;
            }
        }
        println!("{row}");
        if arguments.steps {
            print_steps(&columns);
        }
    }
}

/// The steps that take more than a twentieth of the last size.
fn print_steps(columns: &[Found]) {
    let Some(last) = columns.iter().rev().find(|found| !found.steps.is_empty()) else { return };
    for (name, time) in &last.steps {
        if *time < last.seconds / 20.0 {
            continue;
        }
        let cells: String = columns
            .iter()
            .map(|found| found.steps.iter().find(|step| step.0 == *name).map_or(0.0, |step| step.1))
            .map(|time| format!(" {:10.2}", time * 1e3))
            .collect();
        println!("    {name:20}{cells} ms");
    }
}

/// Compiles in this process and prints the steps and the peak memory.
fn one(shape: &Shape, size: usize, backend: Backend) {
    let text = (shape.make)(size);
    let words = pyro_spirv::asm::assemble(&text.assembly()).map(|words| words.len());
    // What it took to make the module does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let base = resident("VmRSS");
    let found = measure_for(&text, backend);
    for (name, time) in &found.steps {
        println!("{name}={time}");
    }
    println!("peak={}", resident("VmHWM").saturating_sub(base));
    println!("words={}", words.unwrap_or_default());
    if let Some(reason) = found.interpreted {
        println!("interpreted={reason}");
    }
    if let Some(error) = found.error {
        println!("error={}", error.lines().next().unwrap_or_default());
    }
}

/// A figure of this process's memory, in KiB.
fn resident(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Compiles in a process of its own, ended after some seconds.
fn in_process(shape: &Shape, size: usize, arguments: &Arguments) -> Found {
    let seconds = arguments.seconds;
    let program = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(program)
        .args(["--one", "--size", &size.to_string(), shape.name])
        .args(arguments.backend.iter().flat_map(|name| ["--backend", name]))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break Some(status);
        }
        if start.elapsed().as_secs_f64() > seconds {
            child.kill().expect("a child");
            child.wait().expect("a child");
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut found = Found::default();
    let Some(status) = status else {
        return Found { seconds, error: Some("ended".to_owned()), ..found };
    };
    let mut output = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut output).expect("text");
    for line in output.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        match name {
            "error" => found.error = Some(value.to_owned()),
            "peak" => found.mebibytes = value.parse::<f64>().unwrap_or(0.0) / 1024.0,
            "words" => {}
            "interpreted" => found.interpreted = Some(value.to_owned()),
            _ => found.steps.push((name.to_owned(), value.parse().unwrap_or(0.0))),
        }
    }
    found.seconds = found.steps.iter().map(|step| step.1).sum();
    if !status.success() {
        found.error = Some(format!("{status}"));
    }
    found
}
