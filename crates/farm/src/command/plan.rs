//! `pyroclast farm plan`: checks a job file, and shows how the job would be cut.

use super::inputs::times;
use crate::engine::shard::Shard;
use crate::job::Job;
use crate::plan::{Plan, of_shard};
use crate::report;
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// What to cut.
#[derive(clap::Args)]
pub struct Arguments {
    /// The job file.
    job: PathBuf,
    /// How many shards.
    #[arg(long, default_value_t = 1)]
    shards: u64,
    /// Recorded times, as `farm merge` writes them.
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let job = Job::read(&arguments.job)?;
    let plan = Plan::new(&job, &times(arguments.times.as_deref())?);
    let shards = (0..arguments.shards).map(|index| {
        let shard = Shard::new(index, arguments.shards)?;
        let units = of_shard(&plan.units, shard);
        let seconds: f64 = units.iter().map(|&unit| plan.units[unit].estimate).sum();
        Ok((shard, units.len(), seconds))
    });
    let shards: Vec<(Shard, usize, f64)> = shards.collect::<Result<_>>()?;
    if arguments.json {
        let shards = shards.iter().map(|(shard, units, seconds)| {
            json!({ "shard": shard.to_string(), "units": units, "seconds": seconds })
        });
        let text = json!({
            "job": job.name,
            "digest": job.digest,
            "inputs": job.inputs,
            "items": job.item_count(),
            "units": plan.units.len(),
            "shards": shards.collect::<Vec<_>>(),
        });
        report::line(&format_args!("{text:#}"));
        return Ok(ExitCode::SUCCESS);
    }
    report::line(&format_args!("job {} {}", job.name, job.digest));
    for (what, digest) in &job.inputs {
        report::line(&format_args!("input {} {what}", digest.short()));
    }
    for section in &job.sections {
        report::line(&format_args!("section {}: {} items", section.name, section.item_count()));
    }
    report::line(&format_args!("{} items in {} units", job.item_count(), plan.units.len()));
    for (shard, units, seconds) in shards {
        report::line(&format_args!("shard {shard}: {units} units, {seconds:.1} s expected"));
        if report::is_closed() {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}
