//! How the time and memory of compiling grow with a module's size: `pyro-shapes [--instructions N] [--count
//! C] [--seconds S] [--backend B] [--jobs J] [--steps] [SHAPE…]`.
//!
//! The largest module of each shape has N instructions, or as many as the limits of SPIR-V and of the driver
//! allow; the others are a tenth each. Each is compiled in a process of its own, which is ended after some
//! seconds. The table, in Markdown, has seconds and peak memory of each size, with the ratio to the size
//! before; with `--steps`, the slowest steps follow. The exit status says whether a ratio is above
//! [`RATIO_MAX`].
#![allow(clippy::print_stdout, clippy::print_stderr)] // what it is for

mod process;
mod table;

use clap::Parser;
use pyro_compile::Backend;
use pyro_shapes::{SHAPES, Shape, shape};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{RATIO_MAX, Row};

/// How the time and memory of compiling grow with a module's size.
#[derive(Parser)]
struct Arguments {
    /// The shapes; all of them if none is named.
    shapes: Vec<String>,
    /// The instructions of the largest module, about.
    #[arg(long, default_value_t = 100_000)]
    instructions: usize,
    /// How many sizes, each ten times the one before.
    #[arg(long, default_value_t = 3)]
    count: u32,
    /// After how many seconds of processor time one compilation is ended.
    #[arg(long, default_value_t = 120.0)]
    seconds: f64,
    /// What to compile for: `interpreter`, `avx2` or `avx512`; the best that the processor has unless said.
    #[arg(long)]
    backend: Option<String>,
    /// How many shapes are measured at once.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Print the slowest steps of each shape.
    #[arg(long)]
    steps: bool,
    /// Compile the module of this size of one shape in this process: how often it repeats what it is of.
    #[arg(long)]
    one: Option<usize>,
    /// Print the assembly of the module of this size of one shape.
    #[arg(long)]
    assembly: Option<usize>,
}

fn main() -> ExitCode {
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
    if let Some(size) = arguments.assembly {
        print!("{}", (chosen[0].make)(size).assembly());
        return ExitCode::SUCCESS;
    }
    if let Some(size) = arguments.one {
        process::one(chosen[0], size, backend);
        return ExitCode::SUCCESS;
    }
    println!("{}", table::heading(arguments.count));
    let mut failures = Vec::new();
    for_each(&chosen, &arguments, |row| {
        println!("{row}");
        if arguments.steps {
            print!("{}", row.steps());
        }
        failures.extend(row.failures());
    });
    for failure in &failures {
        eprintln!("{failure}");
    }
    if failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("ten times the size may take {RATIO_MAX} times the time and memory");
    ExitCode::FAILURE
}

/// Measures shapes, as many at once as the arguments say, and gives their rows in order.
fn for_each(chosen: &[&Shape], arguments: &Arguments, mut tell: impl FnMut(&Row)) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.clamp(1, chosen.len()) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                while let Some(shape) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = Row::measure(shape, arguments);
                    sender.send(row).expect("rows are received until the last");
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Row> = Vec::new();
        for shape in chosen {
            let row = loop {
                match waiting.iter().position(|row| row.shape.name == shape.name) {
                    Some(at) => break waiting.swap_remove(at),
                    None => waiting.push(receiver.recv().expect("each shape has a row")),
                }
            };
            tell(&row);
        }
    });
}
