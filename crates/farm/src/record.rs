//! Records: what a unit gave.

use crate::digest::{Digest, Key, seal, unseal};
use crate::job::Job;
use crate::plan::{Plan, folder, unit_name};
use crate::store::Store;
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

/// The reports that the processes of a unit wrote. They are no part of its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitReports {
    /// The job's digest.
    pub job: Digest,
    /// The unit's place in the plan.
    pub unit: usize,
    /// The files of its processes, for each report of the section.
    pub parts: Vec<Vec<Output>>,
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

/// The name of a unit's reports.
#[must_use]
pub fn reports_name(job: &Job, unit: usize) -> String {
    format!("{}/reports/{}", folder(job), unit_name(unit))
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

impl UnitReports {
    /// As the bytes of their object.
    ///
    /// # Errors
    /// None but what JSON cannot write.
    pub fn encode(&self, key: Option<&Key>) -> Result<Vec<u8>> {
        Ok(seal(key, "reports", &serde_json::to_string(self)?).into_bytes())
    }

    /// Those of a unit of a plan, from the store.
    ///
    /// # Errors
    /// When they are missing, damaged or forged, or those of something else.
    pub fn load(
        store: &Store,
        job: &Job,
        plan: &Plan,
        key: Option<&Key>,
        unit: usize,
    ) -> Result<UnitReports> {
        let bytes = store.get(&reports_name(job, unit))?.context("it has no reports")?;
        let read = || -> Result<UnitReports> {
            let reports: UnitReports = serde_json::from_str(unseal(key, "reports", &bytes)?)?;
            let planned = plan.units.get(unit).context("the plan has no such unit")?;
            let section = &job.sections[planned.section];
            ensure!(reports.job == job.digest && reports.unit == unit, "they are those of another unit");
            ensure!(reports.parts.len() == section.reports.len(), "they are {}", reports.parts.len());
            Ok(reports)
        };
        read().context("its reports are refused")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Times;
    use pyro_random::Random;
    use pyro_test_environment::number;

    const JOB: &str = r#"name = "frames"
        [[units]]
        name = "frames"
        kind = "frames"
        program = "./writer"
        arguments = ["{frame}", "{output}/{frame}.txt"]
        count = 6
        outputs = ["{frame}.txt"]
    "#;
    const TOKENS: [&str; 11] = [
        "-1",
        "1e400",
        "18446744073709551616",
        "null",
        "[]",
        "{}",
        ",",
        "}",
        "../../x",
        "\\u0000",
        "frame-0",
    ];

    /// Whoever writes into a store may also compute digests: what these vouch for is read without a panic,
    /// and is a record of the unit or refused.
    #[test]
    fn mutated_records_and_plans_do_not_panic() {
        let folder = std::env::temp_dir().join(format!("pyro-farm-records-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("writer"), "").expect("a program");
        let job = Job::parse(JOB, &folder).expect("a job");
        std::fs::remove_dir_all(&folder).expect("removed");
        let plan = Plan::new(&job, &Times::default());
        let unit = &plan.units[0];
        let section = &job.sections[unit.section];
        let items = (unit.first..unit.first + unit.count).map(|index| ItemResult {
            name: section.item(index).name,
            verdict: Verdict::Pass,
            status: "Pass".to_owned(),
            detail: String::new(),
            outputs: Vec::new(),
        });
        let record =
            Record { job: job.digest, unit: 0, section: section.name.clone(), items: items.collect() };
        let sealed = record.encode(None).expect("bytes");
        assert_eq!(Record::decode(&sealed, None, &job, &plan, 0).expect("a record"), record);
        let text = |value: serde_json::Result<String>| value.expect("text").into_bytes();
        let texts = [text(serde_json::to_string(&record)), text(serde_json::to_string(&plan))];
        let first: u64 = number("PYRO_SEED", 1);
        let rounds: u64 = number("PYRO_MUTATIONS", 4000);
        let mut refused = 0;
        for seed in first..first + rounds {
            let mut random = Random::new(seed);
            let mut bytes = texts[0].clone();
            random.mutate(&mut bytes, &TOKENS);
            let mut sealed = seal(None, "record", &String::from_utf8_lossy(&bytes)).into_bytes();
            match Record::decode(&sealed, None, &job, &plan, 0) {
                Ok(read) => assert_eq!((read.unit, read.items.len()), (0, unit.count)),
                Err(_) => refused += 1,
            }
            let mut bytes = texts[1].clone();
            random.mutate(&mut bytes, &TOKENS);
            let _ = serde_json::from_slice::<Plan>(&bytes);
            // The seal too.
            random.mutate(&mut sealed, &TOKENS);
            let _ = Record::decode(&sealed, None, &job, &plan, random.below(9_usize));
        }
        assert!(refused * 4 > rounds, "{refused} of {rounds} refused");
    }
}
