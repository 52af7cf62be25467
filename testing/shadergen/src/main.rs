//! Puts a bug into each of many random shaders, and counts how many of them the sanitizer finds.
//!
//! `pyro-injected-bugs --count 100000 --first 0 --threads 32 --output summary.txt`
//!
//! The summary names the seed of each shader that is not as it should be. Exit code 0: every bug is found and
//! nothing else; 1: something is missed, false or failed.

use clap::Parser;
use pyro_engine::Engine;
use pyro_shadergen::inject::Bug;
use pyro_shadergen::sanitized::{Outcome, run};
use pyro_util::sanitize::KindSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Seeds of one outcome that are listed.
const LISTED_MAX: usize = 200;
/// Seeds between two lines of progress.
const PROGRESS: u64 = 1000;

/// The arguments.
#[derive(Parser)]
#[command(about = "Puts bugs into random shaders and counts those that the sanitizer finds")]
struct Arguments {
    /// How many shaders.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// How many shaders run at the same time; as many as the machine has processors unless said.
    #[arg(long)]
    threads: Option<usize>,
    /// Where to write the summary, beside standard output.
    #[arg(long)]
    output: Option<PathBuf>,
}

/// What a run found.
#[derive(Default)]
struct Tally {
    found: [u64; Bug::ALL.len()],
    missed: Vec<(u64, String)>,
    stray: Vec<(u64, String)>,
    failed: Vec<(u64, String)>,
}

impl Tally {
    fn take(&mut self, seed: u64, outcome: Outcome) {
        match outcome {
            Outcome::Found(bug) => self.found[bug as usize] += 1,
            Outcome::Missed(bug, all) => self.missed.push((seed, format!("{bug:?}, beside {all}"))),
            Outcome::False(finding) => self.stray.push((seed, finding)),
            Outcome::Failed(why) => self.failed.push((seed, why)),
        }
    }

    fn is_clean(&self) -> bool {
        self.missed.is_empty() && self.stray.is_empty() && self.failed.is_empty()
    }

    fn summary(&mut self, count: u64) -> String {
        let found: u64 = self.found.iter().sum();
        let mut text = format!("{found} of {count} found\n");
        for (bug, found) in Bug::ALL.iter().zip(self.found) {
            let _ = writeln!(text, "  {} {found}", bug.kind());
        }
        let lists = [("missed", &mut self.missed), ("false", &mut self.stray), ("failed", &mut self.failed)];
        for (name, list) in lists {
            list.sort();
            let _ = writeln!(text, "{} {name}", list.len());
            for (seed, what) in list.iter().take(LISTED_MAX) {
                let _ = writeln!(text, "  seed {seed}: {}", what.replace('\n', " "));
            }
        }
        text
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.unwrap_or(processors).max(1);
    let kinds = KindSet::parse("all").expect("the name of all kinds");
    let (next, tally, start) = (AtomicU64::new(0), Mutex::new(Tally::default()), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let engine = Engine::new(1);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= arguments.count {
                        return;
                    }
                    let outcome = run(&engine, arguments.first + number, kinds);
                    tally.lock().expect("no panic").take(arguments.first + number, outcome);
                    if (number + 1).is_multiple_of(PROGRESS) {
                        eprintln!("{} of {}, {:.0?}", number + 1, arguments.count, start.elapsed());
                    }
                }
            });
        }
    });
    let mut tally = tally.into_inner().expect("no panic");
    let text = format!(
        "{}{:.0?} on {threads} threads, seeds {} and up\n",
        tally.summary(arguments.count),
        start.elapsed(),
        arguments.first
    );
    print!("{text}");
    if let Some(path) = &arguments.output
        && let Err(error) = std::fs::write(path, &text)
    {
        eprintln!("error: {}: {error}", path.display());
        return ExitCode::from(2);
    }
    ExitCode::from(u8::from(!tally.is_clean()))
}
