//! Measures the largest errors of floating-point operations, of our driver or of the loader's first device.
//!
//! * `pyro-precision measure --threads 32 --one-argument --save own.txt`: all 2^32 arguments
//! * `pyro-precision measure --loader --stride 1024 --samples 4194304 --save gpu.txt`
//! * `pyro-precision join part0.txt part1.txt > own.txt`
//! * `pyro-precision page`: docs/precision, from the results
//!
//! The driver runs each dispatch on one thread where `PYROCLAST_THREADS=1`, which is best for many threads.

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use pyro_oracle::Runner;
use pyro_precision::operations::{OPERATIONS, Operation, find};
use pyro_precision::results::Results;
use pyro_precision::{Extent, exact, measure, table};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(about = "Measures the largest errors of a device's floating-point operations")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures operations of shaders, beside references in `f64`.
    Measure(Measure),
    /// Measures filtering, resolves, coverage, sRGB and blending, beside exact fractions.
    Exact {
        /// The loader's first device instead of this driver.
        #[arg(long)]
        loader: bool,
        /// Cases of each kind.
        #[arg(long, default_value_t = 1 << 14)]
        cases: usize,
        /// Where the results are written.
        #[arg(long)]
        save: Option<PathBuf>,
    },
    /// Prints the results of several parts as one.
    Join {
        /// What `measure --save` wrote.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Writes the pages in `docs/precision` from the repository's results.
    Page,
}

#[derive(clap::Args)]
struct Measure {
    /// These operations; without them all.
    operations: Vec<String>,
    /// Only operations of one argument.
    #[arg(long)]
    one_argument: bool,
    /// Only operations of more arguments.
    #[arg(long, conflicts_with = "one_argument")]
    more_arguments: bool,
    /// Every how many-th argument of operations with one: a power of two.
    #[arg(long, default_value_t = 1)]
    stride: u64,
    /// Samples of operations with more arguments: a power of two.
    #[arg(long, default_value_t = 1 << 32)]
    samples: u64,
    /// One part of the whole, for several processes or machines, from 0 on: `0/4`.
    #[arg(long, default_value = "0/1", value_parser = part)]
    part: (u64, u64),
    /// Begins nothing new after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Threads; without it one for each processor.
    #[arg(long)]
    threads: Option<usize>,
    /// The loader's first device instead of this driver.
    #[arg(long)]
    loader: bool,
    /// Where the results are written.
    #[arg(long)]
    save: Option<PathBuf>,
}

/// `number/count`
fn part(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(number, count)| {
        Some((number.parse().ok()?, count.parse().ok()?)).filter(|(number, count)| number < count)
    });
    parsed.ok_or_else(|| format!("{text} is not a number, a slash and a larger number"))
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Measure(arguments) => measured(&arguments),
        Command::Exact { loader, cases, save } => measured_exactly(loader, cases, save.as_deref()),
        Command::Join { files } => joined(&files),
        Command::Page => pages(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn entry(loader: bool) -> Result<ash::Entry, String> {
    if loader { Ok(pyro_test_loader::load()?) } else { Ok(pyro_digests::entry()) }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn chosen(arguments: &Measure) -> Result<Vec<&'static Operation>, String> {
    let named = |name: &String| find(name).ok_or_else(|| format!("there is no operation {name}"));
    let mut operations: Vec<_> = match arguments.operations.is_empty() {
        true => OPERATIONS.iter().collect(),
        false => arguments.operations.iter().map(named).collect::<Result<_, _>>()?,
    };
    let (one, more) = (arguments.one_argument, arguments.more_arguments);
    operations.retain(|operation| if operation.arity == 1 { !more } else { !one });
    Ok(operations)
}

fn measured(arguments: &Measure) -> Result<(), String> {
    let operations = chosen(arguments)?;
    let power = |count: u64| count.max(1).next_power_of_two();
    let extent = Extent {
        stride: power(arguments.stride),
        samples: power(arguments.samples),
        batches_max: u64::MAX,
        part: arguments.part,
        end: arguments.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
    };
    let loader = arguments.loader;
    let open = || Runner::plain(entry(loader)?);
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let style =
        ProgressStyle::with_template("{bar:40} {percent} % {eta}").map_err(|error| error.to_string())?;
    let bar = ProgressBar::new(extent.work(&operations).len() as u64).with_style(style);
    let found = measure(&open, &operations, &extent, threads, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let errors = operations.iter().zip(found).map(|(operation, worst)| (operation.name.to_owned(), worst));
    let device = open()?.name().to_owned();
    let results = Results { device, parts: vec![arguments.part], errors: errors.collect() };
    if let Some(path) = &arguments.save {
        write(path, &results.text())?;
    }
    print!("{}", table::list(&results));
    Ok(())
}

fn measured_exactly(loader: bool, cases: usize, save: Option<&Path>) -> Result<(), String> {
    let results = exact::measure(entry(loader)?, cases)?;
    if let Some(path) = save {
        write(path, &results.text())?;
    }
    print!("{}", results.text());
    Ok(())
}

fn joined(files: &[PathBuf]) -> Result<(), String> {
    let mut all = Results::default();
    files.iter().try_for_each(|file| all.join(&Results::read(file)?))?;
    print!("{}", all.text());
    Ok(())
}

fn pages() -> Result<(), String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/precision");
    let (own, others) = Results::kept()?;
    write(&docs.join("measured.md"), &table::page(&own, &others))?;
    write(&docs.join("exact.md"), &exact::page::page(&exact::Results::kept()?))
}
