//! `pyroclast farm merge`: completeness, digests, and the joined results.

use super::EXIT_CODES;
use super::inputs::{Opened, StoreArguments, progress};
use crate::digest::Digest;
use crate::merge::{self, Problem, Results};
use crate::plan::Plan;
use crate::report;
use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Problems that are shown, at most.
const SHOWN_MAX: usize = 20;

/// What to merge, and where to.
#[derive(clap::Args)]
#[command(after_long_help = EXIT_CODES)]
pub struct Arguments {
    /// The job file.
    job: PathBuf,
    #[command(flatten)]
    store: StoreArguments,
    /// The folder for results.json, .txt and .sarif, junit.xml, times.json and the files of each section.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Remove refused records and damaged files from the store, so that the next shard runs their units
    /// again.
    #[arg(long)]
    discard: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let opened = arguments.store.open(&arguments.job)?;
    let plan = opened.plan()?;
    merge(&opened, &plan, arguments.into.as_deref(), arguments.discard, arguments.json)
}

/// Merges a job, and prints a summary or what is wrong.
pub(super) fn merge(
    opened: &Opened,
    plan: &Plan,
    into: Option<&Path>,
    discards: bool,
    as_json: bool,
) -> Result<ExitCode> {
    let Opened { job, store, key } = opened;
    let bar = progress("merging", plan.units.len())?;
    let collected = merge::collect(store, job, plan, key.as_ref(), || bar.inc(1))?;
    bar.finish_and_clear();
    let written = match collected {
        Ok(results) => {
            let problems = write(opened, plan, &results, into)?;
            if problems.is_empty() { Ok(results) } else { Err(problems) }
        }
        Err(problems) => Err(problems),
    };
    match written {
        Ok(results) => {
            summarize(&results, as_json)?;
            Ok(if results.failure_count() > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
        }
        Err(problems) => {
            refuse(&problems, plan, as_json);
            if discards {
                merge::discard(store, job, plan, key.as_ref(), &problems)?;
                report::error(&"the records and files named above were removed: run the shards again");
            }
            Ok(ExitCode::from(2))
        }
    }
}

/// Writes the joined results; gives what is wrong with the job's files.
fn write(opened: &Opened, plan: &Plan, results: &Results, into: Option<&Path>) -> Result<Vec<Problem>> {
    let Opened { job, store, key } = opened;
    let times = merge::times(store, job, plan)?;
    let mut problems = merge::write_reports(store, job, plan, key.as_ref(), into)?;
    let Some(into) = into else {
        problems.extend(merge::check_files(store, job, plan, results)?);
        return Ok(problems);
    };
    std::fs::create_dir_all(into).with_context(|| format!("cannot make {}", into.display()))?;
    problems.extend(merge::write_files(store, job, plan, results, into)?);
    if problems.is_empty() {
        let texts = [
            ("results.json", results.json()?),
            ("results.txt", merge::text(results)),
            ("junit.xml", merge::junit(results)),
            ("results.sarif", merge::failures(results)?),
            ("times.json", serde_json::to_string_pretty(&times)? + "\n"),
        ];
        for (name, text) in texts {
            let path = into.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        // Last: without ffmpeg all else is there.
        merge::make_videos(job, results, into)?;
    }
    Ok(problems)
}

fn summarize(results: &Results, as_json: bool) -> Result<()> {
    let digest = Digest::of(results.json()?.as_bytes());
    if as_json {
        let counts: serde_json::Map<_, _> = results
            .counts()
            .into_iter()
            .map(|(verdict, count)| (verdict.name().to_owned(), json!(count)))
            .collect();
        report::line(&json!({ "job": results.job, "complete": true, "counts": counts, "results": digest }));
    } else {
        let counts: Vec<String> =
            results.counts().iter().map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
        report::line(&format_args!("job {}: complete; {}; results {digest}", results.job, counts.join(", ")));
    }
    Ok(())
}

fn refuse(problems: &[Problem], plan: &Plan, as_json: bool) {
    if as_json {
        let named: Vec<_> = problems
            .iter()
            .map(|problem| json!({ "unit": problem.unit, "subject": problem.subject, "what": problem.what }))
            .collect();
        report::line(&json!({ "job": plan.name, "complete": false, "problems": named }));
        return;
    }
    for problem in problems.iter().take(SHOWN_MAX) {
        report::error(problem);
    }
    if problems.len() > SHOWN_MAX {
        report::error(&format_args!("and {} more", problems.len() - SHOWN_MAX));
    }
    report::error(&format_args!(
        "pyroclast farm: job {} cannot be merged: {} of {} units are missing or refused",
        plan.name,
        problems.iter().map(|problem| problem.unit).collect::<std::collections::BTreeSet<_>>().len(),
        plan.units.len()
    ));
}
