//! Digests of random scenes and shaders: printed, compared between settings, processors and machines, and
//! kept.
//!
//! ```sh
//! pyro-digests compare --count 5000                # settings of this machine: 10,000 scenes, 10,000 shaders
//! pyro-digests run --count 5000 > here.txt         # on each machine
//! pyro-digests diff here.txt there.txt
//! pyro-digests check                               # against the repository's
//! ```
//!
//! Exit code 0: all digests are equal; 1: some differ; 2: an error.

use clap::{Parser, Subcommand};
use pyro_digests::compare::{self, Digests, THREADS, arguments, differences};
use pyro_digests::stored::{self, Stored};
use pyro_digests::{Kind, Maker};
use pyro_util::version::PIXELS_EPOCH;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

#[derive(Parser)]
#[command(about = "Digests of what the driver gives for random scenes and shaders")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Which cases.
#[derive(clap::Args)]
struct Cases {
    /// The kinds; without them all that are the same everywhere.
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// The first number.
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// How many of each kind.
    #[arg(long, default_value_t = 100)]
    count: u64,
}

#[derive(Subcommand)]
enum Command {
    /// Prints digests of the driver as the environment configures it.
    Run {
        #[command(flatten)]
        cases: Cases,
        /// Prints the words that compute shaders write.
        #[arg(long)]
        words: bool,
    },
    /// Compares digests of all levels and numbers of threads.
    Compare {
        #[command(flatten)]
        cases: Cases,
        /// Levels; without them all that the processor has.
        #[arg(long, value_delimiter = ',')]
        levels: Vec<String>,
        /// Numbers of threads.
        #[arg(long, value_delimiter = ',', default_values_t = THREADS)]
        threads: Vec<u32>,
        /// With `PYROCLAST_DETERMINISTIC`.
        #[arg(long)]
        deterministic: bool,
        /// Processes at a time.
        #[arg(long, default_value_t = 2)]
        jobs: usize,
    },
    /// Compares files of digests with the first.
    Diff {
        /// What `run` printed.
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
    },
    /// Compares with the digests of the repository.
    Check,
    /// Writes the digests of the repository anew.
    Bless,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run { cases, words } => run(&cases, words).map(|()| true),
        Command::Compare { cases, levels, threads, deterministic, jobs } => {
            let levels = if levels.is_empty() { compare::levels() } else { levels };
            compare_settings(&cases, &compare::settings(&levels, &threads, deterministic), jobs)
        }
        Command::Diff { files } => diff(&files),
        Command::Check => check(),
        Command::Bless => stored::bless().map(|()| true),
    };
    match outcome {
        Ok(equal) => ExitCode::from(u8::from(!equal)),
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn kinds(cases: &Cases) -> &[Kind] {
    if cases.kinds.is_empty() { &Kind::SAME } else { &cases.kinds }
}

fn run(cases: &Cases, words: bool) -> Result<(), String> {
    let mut maker = Maker::new();
    let mut out = std::io::stdout().lock();
    for &kind in kinds(cases) {
        for number in cases.first..cases.first + cases.count {
            let text = if words {
                let words = maker.words(kind, number)?;
                words.iter().map(|word| format!("{word:x}")).collect::<Vec<_>>().join(" ")
            } else {
                maker.digest(kind, number)?
            };
            // Who reads no more has seen enough.
            if writeln!(out, "{}", compare::line(kind, number, &text)).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Prints differences; whether there are none.
fn report(what: &str, expected: &Digests, found: &Digests) -> bool {
    let lines = differences(expected, found);
    let refused = found.values().filter(|digest| digest.starts_with("refused")).count();
    println!("{what}: {} cases, {} differ, {refused} refused", found.len(), lines.len());
    lines.iter().for_each(|line| println!("  {line}"));
    lines.is_empty()
}

fn compare_settings(cases: &Cases, settings: &[compare::Setting], jobs: usize) -> Result<bool, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let arguments = arguments(kinds(cases), cases.first, cases.count);
    let runs: Vec<_> = settings.iter().map(|setting| (setting.clone(), arguments.clone())).collect();
    let first = Mutex::new(None::<Digests>);
    let outcome = Mutex::new(Ok(true));
    compare::each(&program, &runs, jobs, &|setting, digests| {
        let (Ok(mut first), Ok(mut outcome)) = (first.lock(), outcome.lock()) else { return };
        match digests {
            Err(why) => *outcome = Err(why),
            Ok(found) => {
                let expected = first.get_or_insert_with(|| found.clone());
                if !report(&setting.to_string(), expected, &found)
                    && let Ok(equal) = &mut *outcome
                {
                    *equal = false;
                }
            }
        }
    });
    outcome.into_inner().map_err(|error| error.to_string())?
}

fn diff(files: &[PathBuf]) -> Result<bool, String> {
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        compare::parse(&text)
    };
    let first = read(&files[0])?;
    files[1..]
        .iter()
        .try_fold(true, |equal, path| Ok(report(&path.display().to_string(), &first, &read(path)?) && equal))
}

fn check() -> Result<bool, String> {
    match Stored::read()?.check(PIXELS_EPOCH, &stored::current()?) {
        Ok(()) => Ok(true),
        Err(why) => {
            println!("{why}");
            Ok(false)
        }
    }
}
