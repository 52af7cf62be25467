//! Test cases, many to a process.
//!
//! Problem: a crash or a hang ends the process of many cases, and must be laid to the one that ran. Approach:
//! verdicts are read line by line; when the process ends early, the case that had started gets the crash or
//! the timeout, and the cases without verdict are run again in a new process. Each process gives at least one
//! case its verdict, so this ends.

use super::process::{End, Finished, Invocation};
use super::reports::Reports;
use super::scratch::Scratch;
use super::verdicts::{Event, events};
use super::{Context as RunContext, Run};
use crate::job::template::{Values, fill};
use crate::job::{Cases, Section};
use crate::record::{ItemResult, Verdict};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::time::Instant;

/// Characters of a case's detail.
const DETAIL_CHARS_MAX: usize = 2000;

/// The verdicts so far.
struct Batch<'a> {
    /// Cases by name, with their places.
    places: BTreeMap<&'a str, usize>,
    results: Vec<Option<(ItemResult, f64)>>,
    /// The case that runs, and since when.
    running: Option<(usize, Instant)>,
    /// When the last case ended.
    ended: Instant,
}

impl Batch<'_> {
    fn close(&mut self, place: usize, now: Instant, result: ItemResult) {
        let start = self.running.take().filter(|&(running, _)| running == place);
        let start = start.map_or(self.ended, |(_, start)| start);
        self.results[place].get_or_insert((result, now.duration_since(start).as_secs_f64()));
        self.ended = now;
    }

    /// Whether the line says something of a case.
    fn hear(&mut self, now: Instant, event: Option<Event<'_>>, names: &[String]) -> bool {
        let result = |place: usize, verdict, status: &str, detail: &str| ItemResult {
            name: names[place].clone(),
            verdict,
            status: status.to_owned(),
            detail: detail.chars().take(DETAIL_CHARS_MAX).collect(),
            outputs: Vec::new(),
        };
        match event {
            Some(Event::Start(name)) => {
                // Cases that were not asked for have no verdict here.
                let place = self.places.get(name).copied();
                self.running = place.filter(|&place| self.results[place].is_none()).map(|place| (place, now));
                self.running.is_some()
            }
            Some(Event::End(verdict, status, detail)) => {
                let Some((place, _)) = self.running else { return false };
                self.close(place, now, result(place, verdict, status, detail));
                true
            }
            Some(Event::Whole(name, verdict, status)) => {
                let Some(&place) = self.places.get(name) else { return false };
                self.close(place, now, result(place, verdict, status, ""));
                true
            }
            None => false,
        }
    }
}

/// Runs the cases of a unit.
///
/// # Errors
/// When the program cannot be started, or ends by itself before it runs any case.
pub(super) fn run(
    context: &RunContext<'_>,
    section: &Section,
    cases: &Cases,
    range: std::ops::Range<usize>,
) -> Result<Run> {
    let names = &cases.names[range];
    let start = Instant::now();
    let mut batch = Batch {
        places: names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect(),
        results: vec![None; names.len()],
        running: None,
        ended: start,
    };
    let (mut log, mut reports) = (String::new(), Reports::default());
    // After a crash without a trace of which case it was, cases run alone until one has a verdict.
    let mut is_alone = false;
    loop {
        let mut left: Vec<usize> = (0..names.len()).filter(|&place| batch.results[place].is_none()).collect();
        if left.is_empty() {
            break;
        }
        left.truncate(if is_alone { 1 } else { usize::MAX });
        let finished = process(context, section, cases, names, &left, &mut batch, &mut reports)?;
        let open = left.iter().filter(|&&place| batch.results[place].is_none()).count();
        let has_progress = open < left.len();
        let (verdict, status) = match &finished.end {
            End::Code(_) => (Verdict::Crash, "Crash"),
            End::Signal(_) => (Verdict::Crash, "Crash"),
            End::TimedOut => (Verdict::Timeout, "Timeout"),
        };
        let running = batch.running.take();
        let guilty = match running {
            Some((place, _)) => Some(place),
            None if left.len() == 1 && !has_progress => Some(left[0]),
            None => None,
        };
        if let Some(place) = guilty {
            batch.running = running;
            let is_missing = running.is_none() && matches!(finished.end, End::Code(_));
            let (verdict, status) =
                if is_missing { (Verdict::Missing, "Missing") } else { (verdict, status) };
            let result = ItemResult {
                name: names[place].clone(),
                verdict,
                status: status.to_owned(),
                detail: finished.end.to_string(),
                outputs: Vec::new(),
            };
            batch.close(place, Instant::now(), result);
        } else if !has_progress {
            if matches!(finished.end, End::Code(_)) && left.len() == names.len() {
                bail!(
                    "{} ended with {} before it ran any case: {}",
                    section.program_as_written,
                    finished.end,
                    last_lines(&finished.log)
                );
            }
            is_alone = true;
            continue;
        }
        is_alone = false;
        log.push_str(&finished.log);
    }
    let (items, seconds): (Vec<_>, Vec<_>) = batch.results.into_iter().flatten().unzip();
    Ok(Run { items, seconds, log, reports })
}

/// One process for the cases that are left.
fn process(
    context: &RunContext<'_>,
    section: &Section,
    cases: &Cases,
    names: &[String],
    left: &[usize],
    batch: &mut Batch<'_>,
    reports: &mut Reports,
) -> Result<Finished> {
    let scratch = Scratch::new(context.scratch)?;
    let list = scratch.file("cases.txt");
    let lines: String = left.iter().map(|&place| format!("{}\n", names[place])).collect();
    std::fs::write(&list, lines).with_context(|| format!("cannot write {list}"))?;
    let output = scratch.path().display().to_string();
    let values = Values::from([("list", list), ("log", scratch.file("log.qpa")), ("output", output)]);
    let mut arguments = Vec::new();
    for argument in &section.arguments {
        if argument == "{cases}" {
            arguments.extend(left.iter().map(|&place| names[place].clone()));
        } else {
            arguments.push(fill(argument, &values)?);
        }
    }
    let invocation = Invocation {
        program: &section.program,
        arguments,
        environment: &section.environment,
        directory: &section.directory,
        timeout: section.timeout,
    };
    batch.ended = Instant::now();
    let finished = super::process::run(context.launcher, &invocation, |now, line| {
        batch.hear(now, events(cases.verdicts, line), names)
    })?;
    reports.collect(context, section, scratch.path(), &finished.end)?;
    Ok(finished)
}

/// The last lines of an output, in one line.
pub(super) fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(3)..].join(" | ")
}
