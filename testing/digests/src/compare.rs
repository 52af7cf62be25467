//! Digests of processes with other environments, beside each other.

use crate::Kind;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Thread counts that results must not depend on.
pub const THREADS: [u32; 4] = [1, 2, 5, 16];

/// An environment of the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `PYROCLAST_CPU`
    pub level: String,
    /// `PYROCLAST_THREADS`
    pub threads: u32,
    /// `PYROCLAST_DETERMINISTIC`
    pub deterministic: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} threads", self.level, self.threads)
    }
}

/// Names of the levels that this processor has.
#[must_use]
pub fn levels() -> Vec<String> {
    pyro_compile::Backend::all().into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Every level with every number of threads.
#[must_use]
pub fn settings(levels: &[String], threads: &[u32], deterministic: bool) -> Vec<Setting> {
    let of = |level: &String| {
        let level = level.clone();
        threads.iter().map(move |&threads| Setting { level: level.clone(), threads, deterministic })
    };
    levels.iter().flat_map(of).collect()
}

/// Digests by kind and number.
pub type Digests = BTreeMap<(Kind, u64), String>;

/// Reads lines as [`line()`] writes them.
///
/// # Errors
/// The first line that is none.
pub fn parse(text: &str) -> Result<Digests, String> {
    let parsed = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let kind = <Kind as clap::ValueEnum>::from_str(parts.next()?, false).ok()?;
        Some(((kind, parts.next()?.parse().ok()?), parts.next()?.to_owned()))
    };
    text.lines().map(|line| parsed(line).ok_or_else(|| format!("not a digest: {line}"))).collect()
}

/// A digest as a line.
#[must_use]
pub fn line(kind: Kind, number: u64, digest: &str) -> String {
    format!("{} {number} {digest}", kind.name())
}

/// Runs this program for cases of some kinds under a setting; gives what it prints. All machine code is
/// decoded and compared with what selection asked for: where it is another, the case is refused.
///
/// # Errors
/// When it does not start or fails.
pub fn output(program: &Path, setting: &Setting, arguments: &[String]) -> Result<String, String> {
    let done = Command::new(program)
        .args(arguments)
        .env("PYROCLAST_CPU", &setting.level)
        .env("PYROCLAST_THREADS", setting.threads.to_string())
        .env("PYROCLAST_VERIFY", "1")
        .env("PYROCLAST_DETERMINISTIC", u8::from(setting.deterministic).to_string())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !done.status.success() {
        return Err(format!("{setting}: {}", done.status));
    }
    String::from_utf8(done.stdout).map_err(|error| error.to_string())
}

/// The arguments by which the program prints digests of so many cases of these kinds.
#[must_use]
pub fn arguments(kinds: &[Kind], first: u64, count: u64) -> Vec<String> {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let (first, count) = (first.to_string(), count.to_string());
    ["run", "--kinds", &kinds.join(","), "--first", &first, "--count", &count].map(str::to_owned).to_vec()
}

/// Runs the program under each setting, several at a time, and calls `done` with each outcome. Nothing is
/// begun after `end`.
pub fn each(
    program: &Path,
    runs: &[(Setting, Vec<String>)],
    jobs: usize,
    end: Option<Instant>,
    done: &(dyn Fn(&Setting, Result<Digests, String>) + Sync),
) {
    let next = AtomicUsize::new(0);
    let turn = Mutex::new(());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, runs.len().max(1)) {
            scope.spawn(|| {
                while end.is_none_or(|end| Instant::now() < end)
                    && let Some((setting, arguments)) = runs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let outcome = output(program, setting, arguments).and_then(|text| parse(&text));
                    let _turn = turn.lock();
                    done(setting, outcome);
                }
            });
        }
    });
}

/// How `found` differs from `expected` in the cases that it has.
#[must_use]
pub fn differences(expected: &Digests, found: &Digests) -> Vec<String> {
    let differs = |((kind, number), digest): (&(Kind, u64), &String)| {
        let wanted = expected.get(&(*kind, *number));
        let wanted = wanted.map_or("nothing", String::as_str);
        (wanted != digest).then(|| format!("{} {number}: {digest} instead of {wanted}", kind.name()))
    };
    found.iter().filter_map(differs).collect()
}
