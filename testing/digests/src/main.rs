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
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

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
        /// Cases of each kind that a process runs.
        #[arg(long, default_value_t = 100)]
        part: u64,
        /// Begins nothing new after so many seconds.
        #[arg(long)]
        seconds: Option<u64>,
        /// Where the digests are written, for `diff` with those of other machines.
        #[arg(long)]
        save: Option<PathBuf>,
    },
    /// Compares files of digests with the first, in the cases that both have.
    Diff {
        /// What `run` printed.
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
    },
    /// Compares with the digests of the repository that this program was built from.
    Check {
        /// Compares so many of each kind, from the first; without it all.
        #[arg(long)]
        count: Option<u64>,
    },
    /// Writes the digests of the repository anew.
    Bless,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run { cases, words } => run(&cases, words).map(|()| true),
        Command::Compare { cases, levels, threads, deterministic, jobs, part, seconds, save } => {
            let levels = if levels.is_empty() { compare::levels() } else { levels };
            let settings = compare::settings(&levels, &threads, deterministic);
            let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
            compare_settings(&cases, &settings, jobs, part.max(1), end, save.as_deref())
        }
        Command::Diff { files } => diff(&files),
        Command::Check { count } => check(count),
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

/// Prints differences in the cases that both have, kind by kind; whether there are some, and none differs.
fn report(what: &str, expected: &Digests, found: &Digests) -> bool {
    let both: Digests = found
        .iter()
        .filter(|(case, _)| expected.contains_key(case))
        .map(|(case, digest)| (*case, digest.clone()))
        .collect();
    for kind in Kind::SAME {
        let of = |digests: &Digests| digests.keys().filter(|(of, _)| *of == kind).count();
        println!("{what}: {}: {} of {} cases are in both", kind.name(), of(&both), of(found));
    }
    let lines = differences(expected, &both);
    let refused = both.values().filter(|digest| digest.starts_with("refused")).count();
    println!("{what}: {} cases in both, {} differ, {refused} refused", both.len(), lines.len());
    lines.iter().for_each(|line| println!("  {line}"));
    lines.is_empty() && !both.is_empty()
}

/// What the runs of `compare` have found so far.
#[derive(Default)]
struct Found {
    known: Digests,
    /// By setting: cases, and those that differ from what another setting gave.
    counts: BTreeMap<String, (usize, usize)>,
    failed: Option<String>,
}

fn compare_settings(
    cases: &Cases,
    settings: &[compare::Setting],
    jobs: usize,
    part: u64,
    end: Option<Instant>,
    save: Option<&Path>,
) -> Result<bool, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // Part by part, so that all settings have run what was begun when there is an end.
    let last = cases.first + cases.count;
    let of = |first: u64| {
        let arguments = arguments(kinds(cases), first, part.min(last - first));
        settings.iter().map(move |setting| (setting.clone(), arguments.clone()))
    };
    let runs: Vec<_> = (cases.first..last).step_by(part as usize).flat_map(of).collect();
    let found = Mutex::new(Found::default());
    compare::each(&program, &runs, jobs, end, &|setting, digests| {
        let Ok(mut found) = found.lock() else { return };
        match digests {
            Err(why) => found.failed = Some(why),
            Ok(digests) => {
                let seen = |case: &(Kind, u64)| found.known.contains_key(case);
                let again: Digests = digests
                    .iter()
                    .filter(|(case, _)| seen(case))
                    .map(|(case, text)| (*case, text.clone()))
                    .collect();
                let lines = differences(&found.known, &again);
                lines.iter().for_each(|line| println!("{setting}: {line}"));
                let count = found.counts.entry(setting.to_string()).or_default();
                *count = (count.0 + digests.len(), count.1 + lines.len());
                for (case, text) in digests {
                    found.known.entry(case).or_insert(text);
                }
            }
        }
    });
    let found = found.into_inner().map_err(|error| error.to_string())?;
    for (setting, (count, different)) in &found.counts {
        println!("{setting}: {count} cases, {different} differ");
    }
    let refused = found.known.values().filter(|digest| digest.starts_with("refused")).count();
    println!("{} cases under {} settings, {refused} refused", found.known.len(), found.counts.len());
    if let Some(path) = save {
        let lines =
            found.known.iter().map(|((kind, number), text)| compare::line(*kind, *number, text) + "\n");
        std::fs::write(path, lines.collect::<String>()).map_err(|error| error.to_string())?;
    }
    found.failed.map_or(Ok(found.counts.values().all(|&(_, different)| different == 0)), Err)
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

fn check(count: Option<u64>) -> Result<bool, String> {
    let found = stored::first(count.unwrap_or(u64::MAX))?;
    match Stored::built_in()?.check(PIXELS_EPOCH, &found) {
        Ok(()) => {
            println!("{} digests are those of the repository", found.len());
            Ok(true)
        }
        Err(why) => {
            println!("{why}");
            Ok(false)
        }
    }
}
