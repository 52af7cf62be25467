//! `pyroclast farm shard`: one worker.

use super::inputs::{StoreArguments, progress, times};
use super::{EXIT_CODES, Front};
use crate::config::Scheduled;
use crate::engine::shard::Shard;
use crate::merge::subject;
use crate::plan::{Plan, unit_name};
use crate::report;
use crate::run::Launcher;
use crate::worker::{self, Event, Options, Summary};
use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Which part of which job.
#[derive(clap::Args)]
#[command(after_long_help = EXIT_CODES)]
pub struct Arguments {
    /// The shard I/N, from 0, if no scheduler's variables name one; and the job file.
    #[arg(num_args = 1..=2, required = true, value_names = ["I/N", "JOB"])]
    what: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArguments,
    /// Recorded times, as `farm merge` writes them; used when there is no plan in the store yet.
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,
    /// When the shard's units are done, do those of others, and wait until all are done.
    #[arg(long)]
    steal: bool,
    /// Units at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Seconds after which the units of a silent worker on another machine are done by this one.
    #[arg(long, default_value_t = 60.0)]
    lease: f64,
    /// A folder for what programs write while they run [default: that of temporary files].
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// Exit with 1 when items of this shard failed; so it is under Bazel.
    #[arg(long)]
    fail: bool,
    /// Print a line of JSON for each unit.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn shard(&self, scheduled: &Scheduled) -> Result<Shard> {
        let given = match &self.what[..] {
            [shard, _] => {
                let shard = shard.to_str().context("the shard is not I/N")?;
                Some(shard.parse().context("the shard")?)
            }
            _ => None,
        };
        match (given, scheduled.shard) {
            (Some(given), Some((other, variable))) if given != other => {
                bail!("shard {given} is asked for, but {variable} in the environment says {other}")
            }
            (Some(shard), _) | (None, Some((shard, _))) => Ok(shard),
            (None, None) => bail!(
                "which shard? Give I/N, or run it where a scheduler sets PYROCLAST_FARM_SHARD, TEST_SHARD_INDEX, \
                 SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX"
            ),
        }
    }
}

pub(super) fn run(arguments: &Arguments, front: &Front) -> Result<ExitCode> {
    let scheduled = Scheduled::from_environment()?;
    let shard = arguments.shard(&scheduled)?;
    ensure!(arguments.lease >= 1.0 && arguments.lease <= 1e6, "--lease: {} seconds", arguments.lease);
    if let Some(path) = &scheduled.status_file {
        std::fs::write(path, "").with_context(|| format!("TEST_SHARD_STATUS_FILE {}", path.display()))?;
    }
    let opened = arguments.store.open(&arguments.what[arguments.what.len() - 1])?;
    let (job, store, key) = (&opened.job, &opened.store, opened.key.as_ref());
    let plan = Plan::load_or_create(store, job, &times(arguments.times.as_deref())?, key)?;
    let options = Options {
        shard,
        steal: arguments.steal,
        jobs: arguments.jobs,
        lease: Duration::from_secs_f64(arguments.lease),
        scratch: arguments.scratch.clone(),
        launcher: launcher(front),
    };
    let own = crate::plan::of_shard(&plan.units, shard).len();
    let bar = progress(&format!("shard {shard}"), if arguments.steal { plan.units.len() } else { own })?;
    let tell = |event: Event| match event {
        Event::Recorded { unit, failures } => {
            bar.inc(1);
            if arguments.json {
                let ran = failures.is_some();
                report::line(&json!({ "unit": unit_name(unit), "ran": ran, "failures": failures }));
            }
        }
        Event::Failed { unit, error } => {
            let subject = subject(job, &plan, unit);
            bar.suspend(|| report::error(&format_args!("pyroclast farm: {subject}: {error}")));
        }
    };
    let summary = worker::work(store, job, &plan, key, &options, &tell)?;
    bar.finish_and_clear();
    summarize(arguments, &summary, shard)?;
    let must_pass = arguments.fail || matches!(scheduled.shard, Some((_, "TEST_SHARD_INDEX")));
    Ok(if must_pass && summary.failures > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn summarize(arguments: &Arguments, summary: &Summary, shard: Shard) -> Result<()> {
    let Summary { units, ran, failures, given_up } = summary;
    if arguments.json {
        let text = json!({
            "shard": shard.to_string(), "units": units, "ran": ran, "failures": failures,
            "given_up": given_up.len(),
        });
        report::line(&text);
    } else {
        report::line(&format_args!(
            "shard {shard}: {ran} of {units} units run here, {failures} items failed"
        ));
    }
    if let Some((_, first)) = given_up.first() {
        bail!("{} units could not be run; the first: {first}", given_up.len());
    }
    Ok(())
}

/// Programs are started through this program, so that they end with it.
pub(super) fn launcher(front: &Front) -> Launcher {
    let mut arguments = front.arguments.clone();
    arguments.push("exec-child".into());
    Launcher { trampoline: Some((front.program.clone(), arguments)) }
}
