//! The reports of a job: coverage added, findings told once, test logs as one, all else kept file by file.
//!
//! Reports are not a part of the results: what a sanitizer names first, or how long something took, may
//! differ from run to run.

use super::files::write;
use super::{Problem, sarif, subject, test_log};
use crate::digest::Key;
use crate::job::{Job, Join, Report, Section};
use crate::plan::{Plan, unit_name};
use crate::record::UnitReports;
use crate::store::Store;
use anyhow::{Context, Result, anyhow};
use pyro_lcov::Coverage;
use std::path::Path;

/// The reports of one name.
enum Joined {
    Lcov(Coverage),
    Sarif(sarif::Joined),
    Deqp(test_log::Joined),
    Files(Vec<(String, Vec<u8>)>),
}

impl Joined {
    fn new(section: &Section, join: Join) -> Joined {
        match join {
            Join::Lcov => Joined::Lcov(Coverage::default()),
            Join::Sarif => Joined::Sarif(sarif::Joined::default()),
            Join::Deqp => Joined::Deqp(test_log::Joined::new(section)),
            Join::Files => Joined::Files(Vec::new()),
        }
    }

    /// Adds the report of a process, the `part`-th of its unit.
    fn add(&mut self, unit: usize, part: usize, bytes: Vec<u8>) -> Result<()> {
        match self {
            Joined::Lcov(sum) => sum.add(&lcov(&bytes)?),
            Joined::Sarif(sum) => sum.add(&bytes)?,
            Joined::Deqp(sum) => sum.add(&bytes)?,
            Joined::Files(files) => files.push((format!("{}-{part}", unit_name(unit)), bytes)),
        }
        Ok(())
    }

    fn write(self, path: &Path) -> Result<()> {
        match self {
            Joined::Lcov(sum) => write(path, sum.render().as_bytes()),
            Joined::Sarif(sum) => write(path, sum.render()?.as_bytes()),
            Joined::Deqp(sum) => write(path, &sum.render()),
            Joined::Files(files) => files.iter().try_for_each(|(name, bytes)| write(&path.join(name), bytes)),
        }
    }
}

fn lcov(bytes: &[u8]) -> Result<Coverage> {
    let text = std::str::from_utf8(bytes).context("it is not UTF-8")?;
    Coverage::parse(text).map_err(|line| anyhow!("line {line} is not an LCOV record"))
}

/// Checks that a report can be joined.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_report(join: Join, bytes: &[u8]) -> Result<()> {
    match join {
        Join::Lcov => lcov(bytes).map(drop),
        Join::Sarif => sarif::Joined::default().add(bytes),
        Join::Deqp => test_log::check(bytes),
        Join::Files => Ok(()),
    }
}

/// Joins the reports of all units and writes them below a folder, as `SECTION/reports/NAME`; gives what is
/// wrong with them.
///
/// # Errors
/// Store errors, and when the folder cannot be written.
pub fn write_reports(
    store: &Store,
    job: &Job,
    plan: &Plan,
    key: Option<&Key>,
    folder: Option<&Path>,
) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (at, section) in job.sections.iter().enumerate() {
        if section.reports.is_empty() {
            continue;
        }
        let new = |report: &Report| Joined::new(section, report.join);
        let mut joined: Vec<Joined> = section.reports.iter().map(new).collect();
        for (unit, _) in plan.units.iter().enumerate().filter(|(_, planned)| planned.section == at) {
            let mut add = || -> Result<()> {
                let reports = UnitReports::load(store, job, plan, key, unit)?;
                for ((report, joined), parts) in section.reports.iter().zip(&mut joined).zip(&reports.parts) {
                    for (number, part) in parts.iter().enumerate() {
                        store
                            .get_blob(part.digest, part.bytes)
                            .and_then(|bytes| joined.add(unit, number, bytes))
                            .with_context(|| format!("its report {} is refused", report.file))?;
                    }
                }
                Ok(())
            };
            if let Err(error) = add() {
                problems.push(Problem {
                    unit,
                    subject: subject(job, plan, unit),
                    what: format!("{error:#}"),
                });
            }
        }
        let Some(folder) = folder.filter(|_| problems.is_empty()) else { continue };
        for (report, joined) in section.reports.iter().zip(joined) {
            joined.write(&folder.join(&section.name).join("reports").join(&report.file))?;
        }
    }
    Ok(problems)
}
