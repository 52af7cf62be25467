//! `pyroclast compare a.pyro b.pyro`: the first call that differs, and the first command whose results do.
//!
//! Both captures are replayed side by side, each in a process of its own, since `PYROCLAST_CPU` is one of a
//! process, until memory differs behind a submission. That submission is then replayed with its first
//! commands only, more and fewer of them.
#![allow(unsafe_code)] // the driver's entry point

use super::Arguments;
use crate::commands::{replay, trim};
use anyhow::{Context, Result, bail};
use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_replay::compare::{self, Difference};
use pyro_replay::export::{Event, events};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

/// What captures begin with.
const MAGIC: &[u8] = b"PYROCAPT";

/// Whether a file is a capture: one of a further process has that one's number behind its ending.
pub(crate) fn is_capture(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MAGIC
}

/// One of the two: a capture, and the executor that replays it.
struct Side {
    path: PathBuf,
    cpu: Option<String>,
    capture: Capture,
}

/// A replay that prints digests of what is in memory behind submissions.
struct Running {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(path: &Path, cpu: Option<&str>) -> Result<Running> {
        let program = std::env::current_exe().context("this program's path")?;
        let mut command = Command::new(program);
        command.arg("replay").arg(path).args(["--digests=each"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cpu) = cpu {
            command.env("PYROCLAST_CPU", cpu);
        }
        let mut child = command.spawn().context("cannot replay")?;
        let output = child.stdout.take().context("its output")?;
        Ok(Running { child, lines: BufReader::new(output).lines() })
    }

    /// The next submission and the digest behind it; none at the end.
    fn next(&mut self) -> Result<Option<(usize, String)>> {
        for line in self.lines.by_ref() {
            let line = line?;
            let behind = line.strip_prefix("behind submission ").and_then(|rest| rest.split_once(": "));
            if let Some((number, digest)) = behind {
                return Ok(Some((number.parse().context("a submission's number")?, digest.to_owned())));
            }
        }
        // 1: results are not those of the capture, which is no matter here.
        if !matches!(self.child.wait()?.code(), Some(0 | 1)) {
            let mut text = String::new();
            self.child.stderr.take().map(|mut error| error.read_to_string(&mut text)).transpose()?;
            bail!("a replay failed: {}", text.trim());
        }
        Ok(None)
    }
}

/// The first submission behind which memory differs, by replays of these files.
fn first_submission(files: [&Path; 2], cpus: [Option<&str>; 2]) -> Result<Option<usize>> {
    let (mut one, mut other) = (Running::start(files[0], cpus[0])?, Running::start(files[1], cpus[1])?);
    loop {
        match (one.next()?, other.next()?) {
            (None, None) => return Ok(None),
            (Some((number, first)), Some((_, second))) if first != second => return Ok(Some(number)),
            (Some(_), Some(_)) => {}
            (Some((number, _)), None) | (None, Some((number, _))) => return Ok(Some(number)),
        }
    }
}

/// What was found of results.
enum Results {
    Same,
    /// Those of a submission; none of its commands can be named, for this reason.
    OfSubmission(usize, String),
    /// Those of a command: the submission, the command's place among those that leave results, its record.
    OfCommand {
        submission: usize,
        place: usize,
        count: usize,
        at: usize,
    },
}

/// Files that are removed at the end.
struct Candidates([PathBuf; 2]);

impl Drop for Candidates {
    fn drop(&mut self) {
        self.0.iter().for_each(|path| _ = std::fs::remove_file(path));
    }
}

/// Finds the first command of a submission whose results differ.
fn first_command(sides: &[Side; 2], graphs: [&Graph<'_>; 2], submission: usize) -> Result<Results> {
    let of_submission = |why: &str| Ok(Results::OfSubmission(submission, why.to_owned()));
    if graphs.iter().any(|graph| submission >= graph.submissions.len()) {
        return of_submission("one capture has no such submission");
    }
    let steps = [compare::steps(graphs[0], submission)?, compare::steps(graphs[1], submission)?];
    let names = |side: usize| steps[side].iter().map(move |at| graphs[side].nodes[*at].command());
    if !names(0).eq(names(1)) {
        return of_submission("its commands are not the same");
    }
    let lookup = pyroclast_icd::get_instance_proc_addr;
    // SAFETY: the driver's own entry point.
    let alone = unsafe {
        [
            compare::submission(graphs[0], submission, lookup, || {}),
            compare::submission(graphs[1], submission, lookup, || {}),
        ]
    };
    let [one, other] = alone;
    let mut alone = match (one, other) {
        (Ok(one), Ok(other)) => [one, other],
        (Err(error), _) | (_, Err(error)) => return of_submission(&error.to_string()),
    };
    let whole = [alone[0].kept.clone(), alone[1].kept.clone()];
    let name = |side: &str| format!("pyroclast-compare-{}-{side}.pyro", std::process::id());
    let files = Candidates(["a", "b"].map(|side| std::env::temp_dir().join(name(side))));
    let mut differs = |count: usize| -> Result<bool> {
        for side in 0..2 {
            compare::keep_first(&mut alone[side], &whole[side], &steps[side], count)?;
            trim::write(&alone[side], &files.0[side])?;
        }
        let cpus = [sides[0].cpu.as_deref(), sides[1].cpu.as_deref()];
        Ok(first_submission([&files.0[0], &files.0[1]], cpus)?.is_some())
    };
    let count = steps[0].len();
    match differs(count) {
        Ok(true) => {}
        Ok(false) => return of_submission("by itself it has the same results in both"),
        Err(error) => return of_submission(&format!("{error:#}")),
    }
    // With so many they are the same, with so many they differ.
    let (mut same, mut different) = (0, count);
    if differs(0)? {
        return of_submission(
            "before its first draw or dispatch, as of the loads and clears of render passes",
        );
    }
    while different - same > 1 {
        let middle = usize::midpoint(same, different);
        match differs(middle)? {
            true => different = middle,
            false => same = middle,
        }
    }
    Ok(Results::OfCommand { submission, place: same, count, at: steps[0][same] })
}

/// What a record of a capture is, for people: its event, if it is one.
fn describe(graph: &Graph<'_>, events: &[Event], at: usize) -> String {
    let command = graph.nodes[at].command();
    if let Some(event) = events.iter().position(|event| event.at == at) {
        return format!("event {event}, {command}, of submission {}", events[event].submission);
    }
    // A command of a recording is one of the submission that runs it first.
    let runs = |(_, recordings): &&(usize, Vec<u32>)| {
        let all = pyro_replay::trim::recordings(graph, recordings);
        all.iter().any(|one| graph.recorded(*one).contains(&at))
    };
    match graph.submissions.iter().position(|one| runs(&one)) {
        Some(submission) => {
            let next = graph.submissions[submission].1.clone();
            let recordings = pyro_replay::trim::recordings(graph, &next);
            let is_behind = |event: &&Event| {
                event.submission == submission
                    && event.recordings.last().is_some_and(|last| recordings.contains(last))
                    && event.at > at
            };
            match events.iter().find(is_behind).and_then(|next| events.iter().position(|one| one == next)) {
                Some(next) => format!("{command}, before event {next}, of submission {submission}"),
                None => format!("{command}, of submission {submission}"),
            }
        }
        None => command.to_owned(),
    }
}

/// The number of a call among all calls.
fn call_number(graph: &Graph<'_>, at: usize) -> usize {
    graph.nodes[..at].iter().filter(|node| !node.command().is_empty()).count()
}

fn show(graph: &Graph<'_>, events: &[Event], calls: Option<&Difference>, results: &Results, as_json: bool) {
    let call = calls.map(|found| {
        let at = found.at[0].unwrap_or(graph.nodes.len());
        let place = found.at[0].map(|at| describe(graph, events, at)).filter(|place| !place.is_empty());
        (call_number(graph, at), place, found.what.clone())
    });
    if as_json {
        let results = match results {
            Results::Same => serde_json::Value::Null,
            Results::OfSubmission(submission, why) => json!({ "submission": submission, "why": why }),
            Results::OfCommand { submission, place, count, at } => json!({
                "submission": submission, "place": place, "count": count,
                "command": graph.nodes[*at].command(),
                "event": events.iter().position(|one| one.at == *at && one.submission == *submission),
            }),
        };
        let call = call.map(|(number, place, what)| json!({ "call": number, "place": place, "what": what }));
        println!("{:#}", json!({ "calls": call, "results": results }));
        return;
    }
    match call {
        None => println!("the calls are the same"),
        Some((number, place, what)) => {
            let place = place.map_or(String::new(), |place| format!(" ({place})"));
            println!("the first call that differs: call {number}{place}: {what}");
        }
    }
    match results {
        Results::Same => println!("the results are the same behind each submission"),
        Results::OfSubmission(submission, why) => {
            println!("the first results that differ: those of submission {submission} ({why})");
        }
        Results::OfCommand { place, count, at, .. } => println!(
            "the first results that differ: those of {}, command {place} of its {count} that leave results",
            describe(graph, events, *at)
        ),
    }
}

/// Compares two captures, or a capture on two executors.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let other = arguments.b.as_ref().unwrap_or(&arguments.a);
    let cpus = match arguments.cpu.as_deref() {
        Some([one, other]) => [Some(one.clone()), Some(other.clone())],
        Some(_) => bail!("--cpu wants two names with a comma between them"),
        None if arguments.b.is_none() => bail!("say what to compare it with: another capture, or --cpu A,B"),
        None => [None, None],
    };
    let [first, second] = cpus;
    let side = |path: &Path, cpu| -> Result<Side> {
        Ok(Side { path: path.to_owned(), cpu, capture: replay::complete(path)? })
    };
    let sides = [side(&arguments.a, first)?, side(other, second)?];
    let graphs = [&Graph::new(&sides[0].capture)?, &Graph::new(&sides[1].capture)?];
    let calls = match arguments.b {
        Some(_) => compare::first_difference(graphs)?,
        None => None,
    };
    let files = [sides[0].path.as_path(), sides[1].path.as_path()];
    let results = match first_submission(files, [sides[0].cpu.as_deref(), sides[1].cpu.as_deref()])? {
        Some(submission) => first_command(&sides, graphs, submission)?,
        None => Results::Same,
    };
    let is_same = calls.is_none() && matches!(results, Results::Same);
    show(graphs[0], &events(graphs[0])?, calls.as_ref(), &results, arguments.json);
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
