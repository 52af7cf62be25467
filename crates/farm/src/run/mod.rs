//! Running a unit: its processes, its record, its times.

mod cases;
mod dispatch;
mod process;
mod reports;
mod scratch;
mod single;
mod verdicts;

pub use process::{Launcher, become_program};

use crate::job::{Job, Kind, Verdicts};
use crate::plan::Plan;
use crate::record::{ItemResult, Record, UnitReports, UnitTimes};
use crate::store::Store;
use anyhow::Result;
use reports::Reports;
use std::path::Path;
use std::time::Instant;

/// What running needs.
pub struct Context<'a> {
    /// Where files of results go.
    pub store: &'a Store,
    /// How programs are started.
    pub launcher: &'a Launcher,
    /// Where folders for programs are made; `None`: where the system has temporary files.
    pub scratch: Option<&'a Path>,
}

/// What the items of a unit gave.
#[derive(Default)]
struct Run {
    items: Vec<ItemResult>,
    seconds: Vec<f64>,
    /// The ends of the outputs of processes with failures.
    log: String,
    reports: Reports,
}

/// What a unit gave.
pub struct Outcome {
    /// Its record.
    pub record: Record,
    /// Its times.
    pub times: UnitTimes,
    /// The ends of the outputs of processes with failures.
    pub log: String,
    /// The reports of its processes.
    pub reports: UnitReports,
}

/// Runs a unit of a plan.
///
/// # Errors
/// When its program cannot be started, does nothing that it should, or the store cannot be written.
pub fn unit(context: &Context<'_>, job: &Job, plan: &Plan, unit: usize) -> Result<Outcome> {
    let start = Instant::now();
    let planned = &plan.units[unit];
    let section = &job.sections[planned.section];
    let range = planned.first..planned.first + planned.count;
    let run = match &section.kind {
        Kind::Cases(cases) if cases.verdicts != Verdicts::ExitCode => {
            cases::run(context, section, cases, range)?
        }
        Kind::Dispatch(dispatch) => dispatch::run(context, section, dispatch, range)?,
        Kind::Cases(_) | Kind::Numbers(_) | Kind::Tiles(_) => single::run(context, section, range)?,
    };
    let overhead = (start.elapsed().as_secs_f64() - run.seconds.iter().sum::<f64>()).max(0.0);
    let record = Record { job: job.digest, unit, section: section.name.clone(), items: run.items };
    let reports = UnitReports { job: job.digest, unit, parts: run.reports.0 };
    Ok(Outcome { record, times: UnitTimes { overhead, items: run.seconds }, log: run.log, reports })
}
