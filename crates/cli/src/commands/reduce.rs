//! `pyroclast reduce FILE -o SMALL …`: a smaller capture that still has a property.
//!
//! The property is what a command does with a capture: its exit code or signal, and a part of what it prints.
//! Each candidate is tried in a process of its own, since some of them crash or never end.

use super::{replay, trim};
use crate::system;
use anyhow::{Context, Result, bail};
use pyro_capture::graph::Graph;
use pyro_replay::reduce::{Level, Reduction};
use pyro_replay::trim::Rewritten;
use std::ffi::OsString;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Exit code when the capture does not have the property, or nothing can be tried.
const FAILED: u8 = 2;
/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(2);
/// How long a candidate may take besides ten times as long as the whole capture.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to reduce, and what must stay.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("property").required(true)))]
pub(crate) struct Arguments {
    /// The capture.
    capture: PathBuf,
    /// The smaller capture.
    #[arg(short, long)]
    output: PathBuf,
    /// The value of a pixel stays: of the last presented picture, or of --image.
    #[arg(long, value_name = "X,Y", group = "property", value_parser = replay::parse_pixel)]
    pixel: Option<[u32; 2]>,
    /// The image of the pixel, by its number in `pyroclast replay --images`.
    #[arg(long, value_name = "NUMBER", requires = "pixel")]
    image: Option<u64>,
    /// The sanitizer finds something in whose report this text is.
    #[arg(long, value_name = "TEXT", group = "property")]
    finding: Option<String>,
    /// A replay ends with the same exit code or by the same signal, as one that crashes.
    #[arg(long, group = "property")]
    end: bool,
    /// Replays with these two values of PYROCLAST_CPU differ, such as `avx512,interpreter`.
    #[arg(long, value_name = "A,B", group = "property", value_parser = parse_pair)]
    differs: Option<(String, String)>,
    /// With a command: it prints this, as it does for the whole capture.
    #[arg(long, value_name = "TEXT", requires = "command")]
    prints: Option<String>,
    /// A command that ends with the same exit code or by the same signal; `{}` stands for the capture's file.
    #[arg(last = true, group = "property", allow_hyphen_values = true)]
    command: Vec<OsString>,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("two names with a comma between them")?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

/// What a process did.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    /// Exit code, or signal below zero; none when it took too long.
    end: Option<i32>,
    text: String,
}

/// What must stay.
enum Property {
    /// The end, and all that is printed in lines that begin so.
    Lines(Vec<OsString>, &'static str),
    /// The end, and a text that is printed.
    Prints(Vec<OsString>, Option<String>),
    /// Lines that begin so differ between two values of `PYROCLAST_CPU`.
    Differs(Vec<OsString>, &'static str, [String; 2]),
}

impl Property {
    fn of(arguments: &Arguments) -> Result<Property> {
        let program = std::env::current_exe().context("this program's path")?;
        let own = |words: &[&str]| -> Vec<OsString> {
            std::iter::once(program.clone().into()).chain(words.iter().map(OsString::from)).collect()
        };
        if let Some([x, y]) = arguments.pixel {
            let pixel = format!("{x},{y}");
            let mut command = own(&["replay", "{}", "--pixel", &pixel]);
            if let Some(image) = arguments.image {
                command.extend(["--image".into(), image.to_string().into()]);
            }
            return Ok(Property::Lines(command, "pixel "));
        }
        if let Some(text) = &arguments.finding {
            let path = program.to_string_lossy();
            let command = own(&["sanitize", "--", &path, "replay", "{}"]);
            return Ok(Property::Prints(command, Some(text.clone())));
        }
        if let Some((one, other)) = &arguments.differs {
            let command = own(&["replay", "{}", "--digests"]);
            return Ok(Property::Differs(command, "memory ", [one.clone(), other.clone()]));
        }
        if arguments.end {
            return Ok(Property::Prints(own(&["replay", "{}"]), None));
        }
        Ok(Property::Prints(arguments.command.clone(), arguments.prints.clone()))
    }
}

/// Lines of a text that begin so.
fn lines(text: &str, start: &str) -> Vec<String> {
    text.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
}

/// Runs a command on a file.
fn run_on(
    file: &Path,
    command: &[OsString],
    cpu: Option<&str>,
    patience: Option<Duration>,
) -> Result<Outcome> {
    let words: Vec<OsString> = command
        .iter()
        .map(|word| match word.to_str() {
            Some(text) => OsString::from(text.replace("{}", &file.to_string_lossy())),
            None => word.clone(),
        })
        .collect();
    let (program, rest) = words.split_first().context("no command is given")?;
    let mut printed = unnamed_file(file)?;
    let mut process = Command::new(program);
    process.args(rest).stdin(Stdio::null()).stdout(printed.try_clone()?).stderr(printed.try_clone()?);
    if let Some(cpu) = cpu {
        process.env("PYROCLAST_CPU", cpu);
    }
    let mut group = system::Group::spawn(&mut process)
        .with_context(|| format!("cannot run {}", program.to_string_lossy()))?;
    let start = Instant::now();
    let end = loop {
        if let Some(status) = group.child.try_wait()? {
            break status.code().or_else(|| system::signal(status).map(|signal| -signal));
        }
        if patience.is_some_and(|patience| start.elapsed() > patience) {
            // Its own children, too: a shell's, for one.
            group.kill();
            break None;
        }
        std::thread::sleep(POLL);
    };
    let mut text = Vec::new();
    printed.seek(SeekFrom::Start(0))?;
    printed.read_to_end(&mut text)?;
    Ok(Outcome { end, text: String::from_utf8_lossy(&text).into_owned() })
}

/// A file without a name, for what a process prints.
fn unnamed_file(beside: &Path) -> Result<std::fs::File> {
    let path = beside.with_extension("out");
    let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// The property as the whole capture has it.
struct Oracle {
    property: Property,
    expected: Option<Outcome>,
    patience: Duration,
    file: PathBuf,
    tests: u64,
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Oracle {
    /// Looks at the whole capture, as it is reduced: without what its program saw. Candidates are written
    /// beside the output.
    fn new(property: Property, whole: &Rewritten<'_, '_>, output: &Path) -> Result<Oracle> {
        let file = output.with_extension(format!("candidate-{}", std::process::id()));
        trim::write(whole, &file)?;
        let start = Instant::now();
        let mut oracle =
            Oracle { property, expected: None, patience: Duration::from_secs(3600), file, tests: 0 };
        match &oracle.property {
            Property::Lines(command, prefix) => {
                let outcome = run_on(&oracle.file, command, None, None)?;
                let found = lines(&outcome.text, prefix);
                if found.is_empty() {
                    bail!("the capture has no such value: {}", outcome.text.trim());
                }
                oracle.expected = Some(Outcome { end: outcome.end, text: found.join("\n") });
            }
            Property::Prints(command, text) => {
                let outcome = run_on(&oracle.file, command, None, None)?;
                if let Some(text) = text.as_ref().filter(|text| !outcome.text.contains(*text)) {
                    bail!("the whole capture does not give {text:?}, but:\n{}", outcome.text.trim());
                }
                oracle.expected = Some(Outcome { end: outcome.end, text: String::new() });
            }
            Property::Differs(..) => {
                if !oracle.holds()? {
                    bail!("the two replays of the whole capture do not differ");
                }
            }
        }
        oracle.patience = start.elapsed() * 10 + PATIENCE;
        Ok(oracle)
    }

    /// Whether the candidate in the file has the property.
    fn holds(&mut self) -> Result<bool> {
        self.tests += 1;
        let patience = Some(self.patience);
        Ok(match &self.property {
            Property::Lines(command, prefix) => {
                let outcome = run_on(&self.file, command, None, patience)?;
                let text = lines(&outcome.text, prefix).join("\n");
                self.expected == Some(Outcome { end: outcome.end, text })
            }
            Property::Prints(command, text) => {
                let outcome = run_on(&self.file, command, None, patience)?;
                self.expected.as_ref().is_some_and(|expected| expected.end == outcome.end)
                    && text.as_ref().is_none_or(|text| outcome.text.contains(text))
            }
            Property::Differs(command, prefix, [one, other]) => {
                let [one, other] = [one, other].map(|cpu| run_on(&self.file, command, Some(cpu), patience));
                let (one, other) = (one?, other?);
                let ended = one.end == Some(0) && other.end == Some(0);
                ended && lines(&one.text, prefix) != lines(&other.text, prefix)
            }
        })
    }

    /// Whether a candidate has the property.
    fn test(&mut self, candidate: &Rewritten<'_, '_>) -> Result<bool> {
        trim::write(candidate, &self.file)?;
        self.holds()
    }
}

fn left(rewritten: &Rewritten<'_, '_>) -> u64 {
    rewritten.kept.iter().filter(|kept| **kept).count() as u64
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let capture = replay::complete(&arguments.capture)?;
    let graph = Graph::new(&capture)?;
    let mut reduction = Reduction::new(&graph);
    let mut oracle = Oracle::new(Property::of(arguments)?, &reduction.capture()?, &arguments.output)?;
    let bar = replay::bar_as(graph.nodes.len() as u64, "{bar:40} {pos} of {len} records left, {msg}");
    let mut before = u64::MAX;
    // Until nothing more can be left out.
    while left(&reduction.capture()?) < before {
        before = left(&reduction.capture()?);
        for level in Level::ALL {
            reduction.reduce(level, |candidate, units| -> Result<bool, anyhow::Error> {
                bar.set_message(format!("{} {}, test {}", units, level.name(), oracle.tests + 1));
                let holds = oracle.test(candidate)?;
                if holds {
                    bar.set_position(left(candidate));
                }
                Ok(holds)
            })?;
        }
    }
    bar.finish_and_clear();
    let smallest = reduction.capture()?;
    trim::write(&smallest, &arguments.output)?;
    if !oracle.test(&smallest)? {
        bail!("the property comes and goes: the smallest capture does not have it when it is tried again");
    }
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |data| data.len());
    eprintln!(
        "pyroclast: {}: {} of {} records, {} of {} bytes, {} tests",
        arguments.output.display(),
        left(&smallest),
        graph.nodes.len(),
        size(&arguments.output),
        size(&arguments.capture),
        oracle.tests
    );
    Ok(ExitCode::SUCCESS)
}

/// Reduces; 2 when the capture does not have the property, or cannot be read.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error: anyhow::Error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(FAILED)
    })
}
