//! Benchmarks of Vulkan drivers for CPUs.
//!
//! The runner starts one client process for each driver, benchmark and round; the client is this same
//! binary. See `README.md` beside it for what each benchmark stands for.

mod bench;
mod client;
mod error;
mod gpu;
mod icd;
mod native;
mod report;
mod runner;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use bench::{ALL, SWEEPS, Scale, TRIANGLES};
use icd::Icd;
use report::{Row, Samples};
use runner::{Outcome, Settings};

/// Benchmarks Vulkan drivers for CPUs, side by side.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommand>,

    /// Only benchmarks whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    filter: Vec<String>,

    /// The sweeps instead: small work in many forms, such as accesses by stride and type
    #[arg(long)]
    sweeps: bool,

    /// Every cell of the drawing sweep instead: size by samples, depth, blending, texture and format
    #[arg(long, conflicts_with = "sweeps")]
    cells: bool,

    /// Only drivers of these names
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,

    /// A further driver: a manifest or a library; replaces one of the same name
    #[arg(long, value_name = "NAME=PATH", value_parser = Icd::parse)]
    icd: Vec<Icd>,

    /// How often each benchmark runs on each driver
    #[arg(long, default_value_t = 5)]
    rounds: usize,

    /// Keeps every client on the first N processors
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Counts the processor time of clients' threads, divided by the processors, instead of elapsed time: for
    /// drawing and transfers on a machine with other work
    #[arg(long)]
    processor_time: bool,

    /// Runs every client on one processor and on the first N in turn, and prints how many times as fast N are
    #[arg(long, value_name = "N", conflicts_with_all = ["threads", "json"])]
    scaling: Option<usize>,

    /// Prints JSON instead of the table
    #[arg(long)]
    json: bool,

    /// Hardly any work: shows that everything runs, measures nothing
    #[arg(long)]
    tiny: bool,

    /// Opens the drivers' libraries without the system's loader
    #[arg(long)]
    direct: bool,

    /// Seconds after which a client is stopped
    #[arg(long, default_value_t = 120)]
    timeout: u64,

    /// Lists the benchmarks and the drivers, and runs nothing
    #[arg(long)]
    list: bool,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Runs one benchmark once on the driver that the loader finds (what the runner starts)
    Client {
        /// The benchmark's name
        bench: String,
        /// Hardly any work
        #[arg(long)]
        tiny: bool,
        /// Measures the machine itself
        #[arg(long)]
        native: bool,
        /// Opens this library without the loader
        #[arg(long)]
        direct: Option<PathBuf>,
        /// Stays on the first N processors
        #[arg(long)]
        threads: Option<usize>,
        /// Counts processor time
        #[arg(long)]
        processor_time: bool,
    },
    /// Writes one of the generated shaders to a file, to look at how it is compiled
    Shader {
        /// About how many SPIR-V instructions it has
        instructions: usize,
        /// The file
        output: PathBuf,
        /// Which one
        #[arg(long, default_value_t = 1000)]
        seed: u64,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Some(Subcommand::Client { bench, tiny, native, direct, threads, processor_time }) => {
            let scale = if *tiny { Scale::Tiny } else { Scale::Full };
            let (bench, direct) = (bench.clone(), direct.clone());
            client::serve(&client::Request {
                bench,
                scale,
                native: *native,
                direct,
                threads: *threads,
                processor_time: *processor_time,
            });
        }
        Some(Subcommand::Shader { instructions, output, seed }) => {
            let words = bench::generated_shader(*seed, *instructions);
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            std::fs::write(output, bytes).map(|()| true)
        }
        None => measure(&arguments),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("pyro-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what the arguments ask for and prints the report. False where any result was wrong.
fn measure(arguments: &Arguments) -> std::io::Result<bool> {
    let (mut icds, absent) = icd::find();
    for icd in &arguments.icd {
        icds.retain(|other| other.name != icd.name);
        icds.push(icd.clone());
    }
    // Ours first, for the table's sake.
    icds.sort_by_key(|icd| icd.name != icd::OURS);
    let wanted = |name: &str, list: &[String]| list.is_empty() || list.iter().any(|part| name.contains(part));
    icds.retain(|icd| wanted(&icd.name, &arguments.only));
    for name in absent.into_iter().filter(|name| icds.iter().all(|icd| icd.name != *name)) {
        if wanted(name, &arguments.only) {
            eprintln!("skipped: {name} is not on this machine (--icd {name}=PATH names it)");
        }
    }
    let tables = match (arguments.sweeps, arguments.cells) {
        (true, _) => [SWEEPS, TRIANGLES],
        (_, true) => [bench::cells(), &[]],
        _ => [ALL, &[]],
    };
    let all = tables.into_iter().flatten();
    let benches: Vec<_> = all.filter(|bench| wanted(bench.name, &arguments.filter)).collect();
    if arguments.list {
        benches.iter().for_each(|bench| println!("{} ({})", bench.name, bench.unit));
        icds.iter().for_each(|icd| println!("driver {}: {}", icd.name, icd.path.display()));
        return Ok(true);
    }
    if icds.is_empty() {
        return Err(std::io::Error::other("no driver to measure"));
    }

    let scratch = std::env::temp_dir().join(format!("pyro-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let settings = Settings {
        scale: if arguments.tiny { Scale::Tiny } else { Scale::Full },
        threads: arguments.threads,
        timeout: Duration::from_secs(arguments.timeout),
        direct: arguments.direct,
        processor_time: arguments.processor_time,
        scratch: scratch.clone(),
    };
    if let Some(most) = arguments.scaling {
        let sound = measure_scaling(most, arguments.rounds, &benches, &icds, settings);
        std::fs::remove_dir_all(&scratch)?;
        return Ok(sound);
    }
    let names: Vec<_> = icds.iter().map(|icd| icd.name.clone()).collect();
    let mut devices = vec![None; icds.len()];
    let mut rows = Vec::new();
    for bench in benches {
        let drivers = icds.iter().map(|_| Samples::default()).collect();
        let mut row = Row { bench, drivers, native: Samples::default() };
        for round in 0..arguments.rounds.max(1) {
            eprint!("\r\x1b[K{} {}/{}", bench.name, round + 1, arguments.rounds);
            for turn in 0..icds.len() {
                // Each round starts with another driver, so that none always follows the same one.
                let i = (turn + round) % icds.len();
                if row.drivers[i].median().is_none() && round > 0 {
                    continue; // It failed or cannot: asking again only takes time.
                }
                let outcome = runner::run_client(bench, Some(&icds[i]), &settings);
                if let Outcome::Value(_, Some(device)) = &outcome {
                    devices[i].get_or_insert_with(|| device.clone());
                }
                row.drivers[i].add(outcome);
            }
            if bench.native.is_some() {
                row.native.add(runner::run_client(bench, None, &settings));
            }
        }
        rows.push(row);
    }
    eprint!("\r\x1b[K");
    std::fs::remove_dir_all(&scratch)?;

    if arguments.json {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let machine = serde_json::json!({
            "processor": processor_name(),
            "threads": arguments.threads.unwrap_or(processors),
            "rounds": arguments.rounds,
        });
        println!("{:#}", report::json(&names, &devices, &rows, machine));
    } else {
        for (name, device) in names.iter().zip(&devices) {
            println!("{name}: {}", device.as_deref().unwrap_or("no device opened"));
        }
        println!("\n{}", report::table(&names, &rows));
    }
    Ok(rows.iter().all(|row| row.drivers.iter().all(|samples| !samples.failed())))
}

/// Prints, for each benchmark and driver, the median on one processor, on the first `most`, and how many
/// times as fast that is. False where any result was wrong.
fn measure_scaling(
    most: usize,
    rounds: usize,
    benches: &[&bench::Bench],
    icds: &[Icd],
    mut settings: Settings,
) -> bool {
    let mut sound = true;
    for bench in benches {
        for icd in icds {
            let mut samples = [Samples::default(), Samples::default()];
            for round in 0..2 * rounds.max(1) {
                // One, many, many, one: what changes slowly meets both alike.
                let many = round.div_ceil(2) % 2;
                settings.threads = Some([1, most][many]);
                samples[many].add(runner::run_client(bench, Some(icd), &settings));
            }
            sound &= samples.iter().all(|samples| !samples.failed());
            let [one, many] = &samples;
            let Some((one, many)) = one.median().zip(many.median()) else {
                println!("{} {}: no figure", bench.name, icd.name);
                continue;
            };
            let ratio = if bench.better == bench::Better::Higher { many / one } else { one / many };
            println!("{} {}: {one:.4} and {many:.4} {}, {ratio:.2} times", bench.name, icd.name, bench.unit);
        }
    }
    sound
}

fn processor_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
