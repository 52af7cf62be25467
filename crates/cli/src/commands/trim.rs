//! `pyroclast trim FILE -o PART --frames A..B`: a part of a capture as a capture of its own.
#![allow(unsafe_code)] // the driver's entry point

use super::{capture, replay};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use pyro_capture::file::{Capture, Writer};
use pyro_capture::graph::Graph;
use pyro_capture::record::Record;
use pyro_replay::trim::{self, Rewritten};
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code when the part's replay gives other results than the capture has.
const DIFFERENT: u8 = 1;
/// Exit code when the capture cannot be trimmed.
const FAILED: u8 = 2;

/// Which part.
#[derive(clap::Args, Clone, Debug, Default)]
#[group(required = false, multiple = false)]
pub(super) struct Part {
    /// These frames, counted from zero: `3` or `3..5`, which has the frames 3, 4 and 5. A frame ends with a
    /// presentation, or where there are none, with a submission that says so (VK_EXT_frame_boundary).
    #[arg(long, value_name = "FRAMES", value_parser = range)]
    pub(super) frames: Option<Bounds>,
    /// These submissions, counted from zero: `7` or `7..9`, with both ends.
    #[arg(long, value_name = "SUBMISSIONS", value_parser = range)]
    pub(super) submissions: Option<Bounds>,
    /// From the first to the last submission with this label (vkCmdBeginDebugUtilsLabelEXT and its
    /// relatives).
    #[arg(long, value_name = "LABEL")]
    pub(super) label: Option<String>,
}

impl Part {
    pub(super) fn is_given(&self) -> bool {
        self.frames.is_some() || self.submissions.is_some() || self.label.is_some()
    }
}

/// Numbers from one to another, which is among them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Reads `3` or `3..5`.
fn range(text: &str) -> Result<Bounds, String> {
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| format!("{text:?} is not a number"));
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let bounds = Bounds { first: number(first)?, last: number(last)? };
    if bounds.first > bounds.last { Err("the first is behind the last".to_owned()) } else { Ok(bounds) }
}

/// What to trim.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The capture.
    capture: PathBuf,
    /// The file of the part.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    part: Part,
    /// Do not replay the part to compare its results.
    #[arg(long)]
    no_check: bool,
}

/// A bar for so many records; nothing where standard error is no terminal.
pub(super) fn bar(records: usize, what: &'static str) -> ProgressBar {
    let bar = replay::bar(records as u64);
    bar.set_message(what);
    bar
}

/// The records of bounds of parts.
pub(super) fn among(parts: &[Range<usize>], bounds: Bounds, what: &str) -> Result<Range<usize>> {
    let Some((first, last)) = parts.get(bounds.first).zip(parts.get(bounds.last)) else {
        match parts.len() {
            0 => bail!("the capture has no {what}s"),
            count => {
                bail!("the capture has the {what}s 0..{}, not {}..{}", count - 1, bounds.first, bounds.last)
            }
        }
    };
    Ok(first.start..last.end)
}

/// The records of each submission, with the presentations behind it: they show what it drew, of which a part
/// that begins with them has nothing.
pub(super) fn by_submission(graph: &Graph<'_>) -> Vec<Range<usize>> {
    let mut parts = graph.parts_by_submission();
    for number in 0..parts.len() {
        let next = graph.submissions.get(number + 1).map_or(graph.nodes.len(), |(at, _)| *at);
        let mut behind = parts[number].end..next;
        if let Some(last) = behind.rfind(|at| graph.nodes[*at].command() == "vkQueuePresentKHR") {
            let end = graph.end_of(last);
            parts[number].end = end;
            if let Some(next) = parts.get_mut(number + 1) {
                next.start = end;
            }
        }
    }
    parts
}

/// The frames in which somebody asked for them to be kept.
pub(super) fn marked(graph: &Graph<'_>) -> Result<Vec<usize>> {
    let frames = graph.parts_by_frame();
    let marks = (0..graph.nodes.len())
        .filter(|at| matches!(graph.nodes[*at].record, Record::Text(pyro_capture::record::MARK, _)));
    let mut found: Vec<usize> = marks
        .map(|mark| frames.partition_point(|frame| frame.end <= mark).min(frames.len().saturating_sub(1)))
        .collect();
    found.dedup();
    if frames.is_empty() && !found.is_empty() {
        bail!("the program has no frames: it presents nothing, and no submission says that it ends one");
    }
    Ok(found)
}

/// The label that a call begins or inserts.
fn label_of(record: &Record<'_>) -> Option<String> {
    let Record::Call(call) = record else { return None };
    let command = pyro_capture::schema::commands().get(usize::from(call.command))?;
    matches!(
        command.name,
        "vkCmdBeginDebugUtilsLabelEXT"
            | "vkCmdInsertDebugUtilsLabelEXT"
            | "vkQueueBeginDebugUtilsLabelEXT"
            | "vkQueueInsertDebugUtilsLabelEXT"
            | "vkCmdDebugMarkerBeginEXT"
            | "vkCmdDebugMarkerInsertEXT"
    )
    .then(|| pyro_replay::edit::label(call))
    .flatten()
}

/// The submissions with a label.
fn labelled(graph: &Graph<'_>, label: &str) -> Result<Range<usize>> {
    let parts = by_submission(graph);
    let has_label = |at: usize| label_of(&graph.nodes[at].record).is_some_and(|one| one == label);
    let is_in = |number: &usize| {
        let (at, submitted) = &graph.submissions[*number];
        let recorded = trim::recordings(graph, submitted);
        let in_queue = parts[*number].start..*at;
        recorded.iter().any(|one| graph.recorded(*one).iter().copied().any(has_label))
            || in_queue
                .into_iter()
                .any(|at| graph.nodes[at].command().starts_with("vkQueue") && has_label(at))
    };
    let mut numbers = (0..graph.submissions.len()).filter(is_in);
    let Some(first) = numbers.next() else {
        let mut all: Vec<String> = graph.nodes.iter().filter_map(|node| label_of(&node.record)).collect();
        all.sort_unstable();
        all.dedup();
        bail!("no submission has the label {label:?}; the capture's labels: {}", all.join(", "));
    };
    let last = numbers.next_back().unwrap_or(first);
    Ok(parts[first].start..parts[last].end)
}

/// Writes records as a complete capture.
pub(super) fn write(rewritten: &Rewritten<'_, '_>, path: &Path) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut writer = Writer::new(BufWriter::new(file))?;
    rewritten
        .each(|record| writer.append(record))
        .and_then(|()| writer.finish().map(drop))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Replays a capture and says how many results were compared and differ.
pub(super) fn check(path: &Path) -> Result<(u64, u64)> {
    let capture = capture::open(path)?;
    let mut player = replay::player();
    let bar = bar(capture.records().count(), "checking");
    let mut records = capture.records();
    while let Some(record) = records.next() {
        player.play(&record, &mut records.clone())?;
        bar.inc(1);
    }
    player.finish();
    bar.finish_and_clear();
    Ok((player.counts().compared, player.counts().different))
}

/// Writes a part of a capture; says what it is.
pub(super) fn trim(capture: &Capture, part: &Part, path: &Path, is_checked: bool) -> Result<ExitCode> {
    let graph = Graph::new(capture)?;
    let (records, name) = match (part.frames, part.submissions, &part.label) {
        (Some(bounds), ..) => (
            among(&graph.parts_by_frame(), bounds, "frame")?,
            format!("frames {}..{}", bounds.first, bounds.last),
        ),
        (_, Some(bounds), _) => (
            among(&by_submission(&graph), bounds, "submission")?,
            format!("submissions {}..{}", bounds.first, bounds.last),
        ),
        (_, _, Some(label)) => (labelled(&graph, label)?, format!("label {label:?}")),
        _ => bail!("say which part: --frames, --submissions or --label"),
    };
    let bar = bar(records.start, "replaying what is before the part");
    // SAFETY: the driver's own entry point.
    let trimmed =
        unsafe { trim::trimmed(&graph, records, pyroclast_icd::get_instance_proc_addr, || bar.inc(1)) };
    bar.finish_and_clear();
    let mut trimmed = trimmed?;
    trimmed.facts.push(("part".to_owned(), name.clone()));
    write(&trimmed, path)?;
    let kept = trimmed.kept.iter().filter(|kept| **kept).count();
    let size = std::fs::metadata(path).map_or(0, |data| data.len());
    eprintln!("pyroclast: {}: {name}, {kept} of {} records, {size} bytes", path.display(), graph.nodes.len());
    if !is_checked {
        return Ok(ExitCode::SUCCESS);
    }
    let (compared, different) = check(path)?;
    eprintln!("pyroclast: {compared} results compared, {different} differ");
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// Trims, and says by the exit code whether the part's results differ (1) or there is no part (2).
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let trimmed = replay::complete(&arguments.capture)
        .and_then(|capture| trim(&capture, &arguments.part, &arguments.output, !arguments.no_check));
    trimmed.unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(FAILED)
    })
}
