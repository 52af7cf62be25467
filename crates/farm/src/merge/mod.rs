//! Merging: all records checked and joined in the order of the job.
//!
//! Problem: a merged result must be complete, and the one that a single worker would have given. Approach:
//! every record and every file is checked against its digest, and what is missing, damaged or forged is
//! named; then the items are written in the job's order, with nothing of when or where they ran. *Must not
//! know*: how units are run.

mod files;
mod junit;
mod picture;
mod reports;
mod sarif;
mod test_log;
mod text;
mod video;

pub use files::{check_files, write_files};
pub use junit::junit;
pub(crate) use reports::check_report;
pub use reports::write_reports;
pub use sarif::failures;
pub use text::text;
pub use video::make_videos;

use crate::digest::Key;
use crate::job::Job;
use crate::plan::{Plan, Times, times_name as job_times_name, unit_name};
use crate::record::{
    ItemResult, Output, Record, UnitReports, UnitTimes, Verdict, record_name, reports_name, times_name,
};
use crate::store::Store;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Something that keeps a job from being merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The unit's place in the plan.
    pub unit: usize,
    /// The unit, its section and its items.
    pub subject: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.subject, self.what)
    }
}

/// A unit, its section and its items, for messages.
#[must_use]
pub fn subject(job: &Job, plan: &Plan, unit: usize) -> String {
    let planned = &plan.units[unit];
    let section = &job.sections[planned.section];
    let first = section.item(planned.first).name;
    let more = match planned.count {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    format!("unit {} ({}: {first}{more})", unit_name(unit), section.name)
}

/// The results of a section.
#[derive(Debug, Serialize)]
pub struct SectionResults {
    /// Its name.
    pub name: String,
    /// How many items have each verdict.
    pub counts: BTreeMap<&'static str, usize>,
    /// Its items, in order.
    pub items: Vec<ItemResult>,
}

/// The results of a job.
#[derive(Debug, Serialize)]
pub struct Results {
    /// The job's name.
    pub job: String,
    /// The job's digest.
    pub digest: String,
    /// Its sections.
    pub sections: Vec<SectionResults>,
}

impl Results {
    /// Items that failed.
    #[must_use]
    pub fn failure_count(&self) -> usize {
        let items = self.sections.iter().flat_map(|section| &section.items);
        items.filter(|item| item.verdict.is_failure()).count()
    }

    /// How many items have each verdict, over all sections.
    #[must_use]
    pub fn counts(&self) -> Vec<(Verdict, usize)> {
        let count = |verdict: Verdict| {
            let counts = self.sections.iter().filter_map(|section| section.counts.get(verdict.name()));
            (verdict, counts.sum())
        };
        Verdict::ALL.map(count).into_iter().filter(|&(_, count)| count > 0).collect()
    }

    /// As JSON: the same bytes for the same results.
    ///
    /// # Errors
    /// None but what JSON cannot write.
    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Reads all records; gives the results, or what is wrong with them.
///
/// # Errors
/// Store errors.
pub fn collect(
    store: &Store,
    job: &Job,
    plan: &Plan,
    key: Option<&Key>,
    mut progress: impl FnMut(),
) -> Result<Result<Results, Vec<Problem>>> {
    let mut problems = Vec::new();
    let mut sections: Vec<Vec<ItemResult>> = vec![Vec::new(); job.sections.len()];
    for (unit, planned) in plan.units.iter().enumerate() {
        let found = match store.get(&record_name(job, unit))? {
            None => Err("it has no record: it was not run, or not to its end".to_owned()),
            Some(bytes) => Record::decode(&bytes, key, job, plan, unit)
                .map_err(|error| format!("its record is refused: {error:#}")),
        };
        match found {
            Ok(record) => sections[planned.section].extend(record.items),
            Err(what) => problems.push(Problem { unit, subject: subject(job, plan, unit), what }),
        }
        progress();
    }
    if !problems.is_empty() {
        return Ok(Err(problems));
    }
    let sections = job.sections.iter().zip(sections).map(|(section, items)| {
        let mut counts = BTreeMap::new();
        for item in &items {
            *counts.entry(item.verdict.name()).or_insert(0) += 1;
        }
        SectionResults { name: section.name.clone(), counts, items }
    });
    Ok(Ok(Results { job: job.name.clone(), digest: job.digest.to_string(), sections: sections.collect() }))
}

/// The recorded times of all units. They are kept in the store for the next plan of a job of this name.
///
/// # Errors
/// Store errors.
pub fn times(store: &Store, job: &Job, plan: &Plan) -> Result<Times> {
    let mut times = Times::default();
    let mut overheads = Vec::new();
    for (unit, planned) in plan.units.iter().enumerate() {
        let Some(bytes) = store.get(&times_name(job, unit))? else { continue };
        let Ok(found) = serde_json::from_slice::<UnitTimes>(&bytes) else { continue };
        let is_time = |seconds: &f64| seconds.is_finite() && *seconds >= 0.0;
        if found.items.len() != planned.count || !found.items.iter().chain([&found.overhead]).all(is_time) {
            continue;
        }
        overheads.push(found.overhead);
        let section = &job.sections[planned.section];
        times.items.extend((planned.first..).map(|index| section.time_key(index)).zip(found.items));
    }
    times.unit_overhead = overheads.iter().sum::<f64>() / overheads.len().max(1) as f64;
    if !times.is_empty() {
        store.put(&job_times_name(&job.name), serde_json::to_vec(&times)?)?;
    }
    Ok(times)
}

/// Removes those files of a unit that are damaged.
fn discard_damaged<'a>(store: &Store, outputs: impl Iterator<Item = &'a Output>) -> Result<()> {
    for output in outputs {
        if store.get_blob(output.digest, output.bytes).is_err() {
            store.delete_blob(output.digest)?;
        }
    }
    Ok(())
}

/// Removes records that are refused, and files that are damaged, so that their units are run again.
///
/// # Errors
/// Store errors.
pub fn discard(store: &Store, job: &Job, plan: &Plan, key: Option<&Key>, problems: &[Problem]) -> Result<()> {
    for problem in problems {
        let name = record_name(job, problem.unit);
        let Some(bytes) = store.get(&name)? else { continue };
        if let Ok(record) = Record::decode(&bytes, key, job, plan, problem.unit) {
            discard_damaged(store, record.items.iter().flat_map(|item| &item.outputs))?;
        }
        // Reports are made anew with the record.
        let reports = reports_name(job, problem.unit);
        if store.exists(&reports)? {
            if let Ok(found) = UnitReports::load(store, job, plan, key, problem.unit) {
                discard_damaged(store, found.parts.iter().flatten())?;
            }
            store.delete(&reports)?;
        }
        store.delete(&name)?;
    }
    Ok(())
}
