//! `pyroclast sanitize -- PROGRAM`: runs a Vulkan program on this driver and says what its shaders do wrong.

use super::exec::{Manifest, cannot_run, exit_code};
use crate::report::{self, Format, Report};
use crate::sanitizer::suppressions::{Condition, Suppressions};
use crate::sanitizer::{Findings, Found, junit};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use pyro_util::sanitize::{Kind, KindSet};
use serde_json::json;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, ExitStatus};
use std::time::Duration;

/// How often a running program's findings are looked at.
const POLL: Duration = Duration::from_millis(100);

/// What to run, what to look for, and how to tell.
#[derive(clap::Args)]
#[command(after_long_help = kinds_help())]
pub(crate) struct Arguments {
    /// What to look for: kinds and groups with commas; `-` in front takes away.
    #[arg(long, value_name = "KINDS", default_value = "all", value_parser = parse_kinds)]
    #[arg(allow_hyphen_values = true)]
    kinds: String,
    /// Print findings as JSON.
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print findings as SARIF 2.1.0.
    #[arg(long)]
    sarif: bool,
    /// Write the report (text, JSON or SARIF) to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write findings to a file as JUnit XML, too.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Findings that are known: in each line a kind, then any of shader=, stage=, pipeline=, file=,
    /// function=, line=.
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// End the program at the first finding.
    #[arg(long)]
    first: bool,
    /// Stop the program at the first finding, by `SIGTRAP`, where a debugger shows what runs.
    #[arg(long)]
    stop: bool,
    /// Iterations of one invocation at which a loop is taken for endless.
    #[arg(long, value_name = "COUNT")]
    iterations: Option<u32>,
    /// Tell only findings of these: `shader=…`, `stage=…`, `pipeline=…` (its debug name), `file=…`,
    /// `function=…`, `line=…`; `*` stands for anything.
    #[arg(long, value_name = "KEY=PATTERN", value_parser = parse_condition)]
    filter: Vec<Condition>,
    /// The program and its arguments.
    #[arg(required = true, last = true)]
    command: Vec<OsString>,
}

fn kinds_help() -> String {
    let mut out = "Kinds:\n".to_owned();
    for kind in Kind::ALL {
        let opt_in = if kind.is_opt_in() { " (only when named)" } else { "" };
        out += &format!("  {:24} {}{opt_in}\n", kind.name(), kind.doc());
    }
    out += "\nExit codes: 0 nothing was found, 1 something was, 2 the command could not do its work, \
            3 nothing was\nfound but the program failed.";
    out
}

fn parse_kinds(text: &str) -> Result<String, String> {
    KindSet::parse(text).map(|_| text.to_owned())
}

fn parse_condition(text: &str) -> Result<Condition> {
    Condition::parse(text)
}

/// A file that the driver writes findings to, removed when dropped.
struct Output {
    path: PathBuf,
    /// Bytes that have been read.
    position: u64,
    findings: Findings,
}

impl Drop for Output {
    fn drop(&mut self) {
        // It is not there when nothing was written.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Output {
    fn new(path: PathBuf) -> Output {
        Output { path, position: 0, findings: Findings::default() }
    }

    /// All findings so far: goes on where the last call stopped. A line that is being written is left for the
    /// next call.
    fn read(&mut self) -> Result<&Findings> {
        let path = self.path.display();
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(&self.findings),
            Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
        };
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(self.position)).and_then(|_| file.read_to_end(&mut bytes));
        read.with_context(|| format!("cannot read {path}"))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        self.findings.add(&String::from_utf8_lossy(&bytes[..whole]))?;
        self.position += whole as u64;
        Ok(&self.findings)
    }
}

/// Which findings are told.
struct Selection<'a> {
    filter: &'a [Condition],
    suppressions: Suppressions,
}

impl Selection<'_> {
    fn has(&self, found: &Found) -> bool {
        self.filter.iter().all(|condition| condition.holds(found)) && !self.suppressions.hide(found)
    }
}

/// Runs the program; exit codes are those that [`kinds_help`] names.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match try_run(arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("pyroclast: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let suppressions = match &arguments.suppressions {
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.with_context(|| format!("cannot read {}", path.display()))?;
            Suppressions::parse(&text).with_context(|| path.display().to_string())?
        }
        None => Suppressions::default(),
    };
    let selection = Selection { filter: &arguments.filter, suppressions };
    let mut output =
        Output::new(std::env::temp_dir().join(format!("pyroclast-{}.findings", std::process::id())));
    let status = run_program(arguments, &mut output, &selection)?;
    output.read()?;
    let all = std::mem::take(&mut output.findings.found);
    let count = all.len();
    let found: Vec<Found> = all.into_iter().filter(|found| selection.has(found)).collect();
    let hidden = count - found.len();
    let program = Path::new(&arguments.command[0]).display().to_string();
    if let Some(path) = &arguments.junit {
        let text = junit::render(&program, &found, text_of);
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let report = render(arguments, &found, hidden, status);
    match &arguments.output {
        Some(path) => {
            std::fs::write(path, report).with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => print!("{report}"),
    }
    Ok(match (found.is_empty(), status.success()) {
        (false, _) => ExitCode::from(1),
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(3),
    })
}

/// The program's end; it is ended at the first finding where that is wanted.
fn run_program(arguments: &Arguments, output: &mut Output, selection: &Selection<'_>) -> Result<ExitStatus> {
    let manifest = Manifest::write()?;
    let iterations = arguments.iterations.map(|count| ("PYROCLAST_SANITIZE_ITERATIONS", count.to_string()));
    let mut child: Child = manifest
        .command(&arguments.command)?
        .envs(iterations)
        .env("PYROCLAST_SANITIZE", &arguments.kinds)
        .env("PYROCLAST_SANITIZE_OUTPUT", &output.path)
        .env("PYROCLAST_SANITIZE_STOP", if arguments.stop { "1" } else { "0" })
        .spawn()
        .with_context(|| cannot_run(&arguments.command))?;
    // Shown on a terminal only.
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}").context("the progress line")?);
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            bar.finish_and_clear();
            return Ok(status);
        }
        let found = output.read()?.found.iter().filter(|found| selection.has(found)).count();
        bar.set_message(format!("{found} finding{}", if found == 1 { "" } else { "s" }));
        bar.tick();
        if arguments.first && found > 0 {
            // It may have ended by itself.
            let _ = child.kill();
        }
        std::thread::sleep(POLL);
    }
}

/// A finding for a person.
fn text_of(found: &Found) -> String {
    let mut out = report::text::finding(&found.finding);
    if found.count > 1 {
        out += &format!("  = it occurred {} times\n", found.count);
    }
    out
}

fn render(arguments: &Arguments, found: &[Found], hidden: usize, status: ExitStatus) -> String {
    let report =
        || Report { file_count: 0, findings: found.iter().map(|found| found.finding.clone()).collect() };
    if arguments.sarif {
        return report().render(Format::Sarif);
    }
    if arguments.json {
        let json = json!({
            "tool": "pyroclast sanitize",
            "version": env!("CARGO_PKG_VERSION"),
            "kinds": arguments.kinds,
            "program": arguments.command[0].to_string_lossy(),
            "exit_code": exit_code(status),
            "suppressed": hidden,
            "findings": found.iter().map(Found::json).collect::<Vec<_>>(),
        });
        return format!("{json:#}\n");
    }
    let mut out: String = found.iter().map(|found| text_of(found) + "\n").collect();
    if !status.success() {
        out += &format!("the program ended with the exit code {}\n", exit_code(status));
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    out += &match (found.len(), hidden) {
        (0, 0) => "no findings\n".to_owned(),
        (count, 0) => format!("{count} finding{}\n", plural(count)),
        (count, hidden) => format!("{count} finding{}, {hidden} not shown\n", plural(count)),
    };
    out
}
