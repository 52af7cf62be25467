//! Measures the largest errors of floating-point operations, of our driver or of the loader's first device.

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use pyro_oracle::Runner;
use pyro_precision::operations::{OPERATIONS, find};
use pyro_precision::{Extent, measure, table};
use std::path::Path;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Measures the largest errors of a device's floating-point operations")]
struct Arguments {
    /// These operations; without them all.
    operations: Vec<String>,
    /// Every how many-th argument of operations with one: a power of two.
    #[arg(long, default_value_t = 1)]
    stride: u64,
    /// Samples of operations with more arguments: a power of two.
    #[arg(long, default_value_t = 1 << 32)]
    samples: u64,
    /// The loader's first device instead of this driver.
    #[arg(long)]
    loader: bool,
    /// Writes `docs/precision/measured.md`.
    #[arg(long, conflicts_with = "loader")]
    write: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let entry = if arguments.loader { pyro_test_loader::load()? } else { pyro_digests::entry() };
    let runner = Runner::open(entry)?;
    let named = |name: &String| find(name).ok_or_else(|| format!("there is no operation {name}"));
    let operations: Vec<_> = match arguments.operations.is_empty() {
        true => OPERATIONS.iter().collect(),
        false => arguments.operations.iter().map(named).collect::<Result<_, _>>()?,
    };
    let power = |count: u64| count.max(1).next_power_of_two();
    let (stride, samples) = (power(arguments.stride), power(arguments.samples));
    let extent = Extent { stride, samples, batches_max: u64::MAX };
    let mut rows = Vec::new();
    for operation in operations {
        let style =
            ProgressStyle::with_template("{msg:16} {bar:40} {eta}").map_err(|error| error.to_string())?;
        let bar = ProgressBar::new(extent.batches(operation)).with_style(style).with_message(operation.name);
        let worst = measure(&runner, operation, extent, &mut || bar.inc(1))?;
        bar.finish_and_clear();
        eprintln!("{}: {:.4} ULP at {:?} of {}", operation.name, worst.distance, worst.at, worst.count);
        rows.push((operation, worst));
    }
    let page = table::page(arguments.loader.then(|| runner.name()), &rows);
    if arguments.write {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/precision/measured.md");
        return std::fs::write(path, page).map_err(|error| error.to_string());
    }
    print!("{page}");
    Ok(())
}
