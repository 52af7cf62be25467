//! `pyroclast farm simulate`: a job on many workers, with recorded times.

use crate::plan::{Times, cut_seconds};
use crate::report;
use crate::simulate::{Assumptions, Random, simulate};
use anyhow::{Result, ensure};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Items of a simulated job, at most.
const ITEMS_MAX: u64 = 100_000_000;

/// What to simulate; the assumptions are listed in docs/farm/README.md.
#[derive(clap::Args)]
pub struct Arguments {
    /// Recorded times, as `farm merge` writes them.
    times: PathBuf,
    /// How many workers.
    #[arg(long)]
    workers: u64,
    /// A job of so many items, drawn at random from the recorded ones [default: the recorded ones
    /// themselves].
    #[arg(long)]
    items: Option<u64>,
    /// Items of a unit, at most.
    #[arg(long, default_value_t = 200)]
    batch: usize,
    /// Seconds of a unit, about.
    #[arg(long, default_value_t = 60.0)]
    unit_seconds: f64,
    /// Seconds until a worker begins its first unit.
    #[arg(long, default_value_t = 10.0)]
    startup: f64,
    /// Seconds of a unit beside its items [default: the recorded ones].
    #[arg(long)]
    overhead: Option<f64>,
    /// How much times differ from the recorded ones (standard deviation of the logarithm).
    #[arg(long, default_value_t = 0.1)]
    noise: f64,
    /// Seconds of a call of the store.
    #[arg(long, default_value_t = 0.05)]
    latency: f64,
    /// Calls that the store answers in a second.
    #[arg(long, default_value_t = 3500.0)]
    rate: f64,
    /// Hours that a worker lives, on average [default: for ever].
    #[arg(long)]
    lifetime_hours: Option<f64>,
    /// Seconds after which a lost worker's unit is begun again.
    #[arg(long, default_value_t = 60.0)]
    lease: f64,
    /// The first state of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let times = Times::read(&arguments.times)?;
    ensure!(!times.is_empty(), "{} has no times", arguments.times.display());
    let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    let Arguments { startup, noise, latency, rate, lease, unit_seconds, .. } = *arguments;
    for (name, value) in
        [("--startup", startup), ("--noise", noise), ("--latency", latency), ("--lease", lease)]
    {
        ensure!(is_time(value), "{name}: {value} is not a number of seconds");
    }
    ensure!(rate > 0.0 && unit_seconds > 0.0 && arguments.batch > 0, "--rate, --unit-seconds and --batch: 0");
    ensure!((1..=10_000_000).contains(&arguments.workers), "--workers: not in 1 to 10,000,000");
    let overhead = arguments.overhead.unwrap_or(times.unit_overhead);
    ensure!(is_time(overhead), "--overhead: {overhead} is not a number of seconds");
    let lifetime = arguments.lifetime_hours.map_or(f64::INFINITY, |hours| hours * 3600.0);
    ensure!(lifetime > 0.0, "--lifetime-hours: workers would not live");

    let recorded: Vec<f64> = times.items.values().copied().collect();
    let mut random = Random(arguments.seed ^ 0x5EED);
    let items: Vec<f64> = match arguments.items {
        None => recorded,
        Some(count) => {
            ensure!(count > 0 && count <= ITEMS_MAX, "--items: {count} is not in 1 to {ITEMS_MAX}");
            (0..count).map(|_| recorded[(random.bits() % recorded.len() as u64) as usize]).collect()
        }
    };
    let limits = (arguments.batch, unit_seconds);
    let ranges = cut_seconds(items.iter().copied(), overhead, limits.0, Some(limits.1));
    let mut at = 0;
    let units: Vec<f64> = ranges
        .iter()
        .map(|&(count, _)| {
            at += count;
            items[at - count..at].iter().sum()
        })
        .collect();
    let assumptions = Assumptions {
        workers: arguments.workers,
        startup,
        overhead,
        noise,
        latency,
        rate,
        lifetime,
        lease,
        seed: arguments.seed,
    };
    let outcome = simulate(&units, &assumptions);
    if arguments.json {
        let text = json!({
            "workers": arguments.workers, "items": items.len(), "units": units.len(), "work_seconds": outcome.work,
            "makespan_seconds": outcome.makespan, "efficiency": outcome.efficiency,
            "efficiency_with_startup": outcome.efficiency_with_startup, "repeated_units": outcome.repeated,
        });
        report::line(&text);
    } else {
        report::line(&format_args!(
            "{} items in {} units, {:.0} s of work on {} workers: {:.1} s, efficiency {:.4} ({:.4} with start-up), \
             {} units repeated",
            items.len(),
            units.len(),
            outcome.work,
            arguments.workers,
            outcome.makespan,
            outcome.efficiency,
            outcome.efficiency_with_startup,
            outcome.repeated
        ));
    }
    Ok(ExitCode::SUCCESS)
}
