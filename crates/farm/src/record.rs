//! Records: what a unit gave.

use crate::digest::{Digest, Key, seal, unseal};
use crate::job::Job;
use crate::plan::{Plan, folder, unit_name};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It did what it should.
    Pass,
    /// It did, with a warning.
    Warn,
    /// It does not apply here.
    Skip,
    /// It did not.
    Fail,
    /// Its process was ended by a signal.
    Crash,
    /// It took longer than it may.
    Timeout,
    /// The program did not run it.
    Missing,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 7] = [
        Verdict::Pass,
        Verdict::Warn,
        Verdict::Skip,
        Verdict::Fail,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Missing,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Warn => "warn",
            Verdict::Skip => "skip",
            Verdict::Fail => "fail",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
            Verdict::Missing => "missing",
        }
    }

    /// Whether it counts as failure.
    #[must_use]
    pub fn is_failure(self) -> bool {
        self >= Verdict::Fail
    }
}

/// A file that an item gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its digest, under which its bytes are kept.
    pub digest: Digest,
}

/// What an item gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemResult {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The program's own word for it, such as `NotSupported`.
    pub status: String,
    /// The program's reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
}

/// What a unit gave. It depends on the job alone: no time, host or worker is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The job's digest.
    pub job: Digest,
    /// The unit's place in the plan.
    pub unit: usize,
    /// The section's name.
    pub section: String,
    /// Its items, in order.
    pub items: Vec<ItemResult>,
}

/// How long the items of a unit took.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnitTimes {
    /// Seconds of the unit beside its items.
    pub overhead: f64,
    /// Seconds of each item.
    pub items: Vec<f64>,
}

/// The name of a unit's record.
#[must_use]
pub fn record_name(job: &Job, unit: usize) -> String {
    format!("{}/records/{}", folder(job), unit_name(unit))
}

/// The name of a unit's times.
#[must_use]
pub fn times_name(job: &Job, unit: usize) -> String {
    format!("{}/times/{}", folder(job), unit_name(unit))
}

impl Record {
    /// As the bytes of its object.
    ///
    /// # Errors
    /// None but what JSON cannot write.
    pub fn encode(&self, key: Option<&Key>) -> Result<Vec<u8>> {
        Ok(seal(key, "record", &serde_json::to_string(self)?).into_bytes())
    }

    /// From its bytes, checked against the unit whose record it should be.
    ///
    /// # Errors
    /// When the bytes are damaged or forged, or it is the record of something else.
    pub fn decode(bytes: &[u8], key: Option<&Key>, job: &Job, plan: &Plan, unit: usize) -> Result<Record> {
        let record: Record = serde_json::from_str(unseal(key, "record", bytes)?)?;
        let planned = plan.units.get(unit).context("the plan has no such unit")?;
        let section = &job.sections[planned.section];
        ensure!(
            record.job == job.digest && record.unit == unit && record.section == section.name,
            "it is the record of {} {} of job {}",
            record.section,
            unit_name(record.unit),
            record.job.short()
        );
        ensure!(record.items.len() == planned.count, "it has {} items", record.items.len());
        for (item, index) in record.items.iter().zip(planned.first..) {
            let name = section.item(index).name;
            ensure!(item.name == name, "it has {:?} where {name:?} should be", item.name);
        }
        Ok(record)
    }
}
