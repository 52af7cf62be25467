//! Plans: a job cut into units, and which shard does which.
//!
//! Problem: units must be small enough to spread and to lose, large enough to be worth a process, and the
//! same for all workers. Approach: a unit is a range of a section's items, closed when it has the section's
//! batch or, where times are recorded, when its items are expected to take `unit_seconds`. The first worker
//! writes the plan into the store, all others read it, so workers with different times agree. Shards get
//! units longest first, each to the shard with the least work so far. *Must not know*: what items are.

mod shards;
mod times;

pub use shards::{longest_first, of_shard};
pub use times::Times;

use crate::digest::{Digest, Key, seal, unseal};
use crate::job::{Job, Section};
use crate::store::Store;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A range of a section's items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The section's place in the job.
    pub section: usize,
    /// The first item.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// Seconds that it is expected to take.
    pub estimate: f64,
}

/// A job cut into units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The format's version.
    pub format: u32,
    /// The job's name.
    pub name: String,
    /// The job's digest.
    pub job: Digest,
    /// The digests of the job's inputs, to tell what differs where digests of jobs do.
    pub inputs: BTreeMap<String, Digest>,
    /// The units, by the order of their items.
    pub units: Vec<Unit>,
}

impl Plan {
    /// Cuts a job.
    #[must_use]
    pub fn new(job: &Job, times: &Times) -> Plan {
        let units = (0..).zip(&job.sections).flat_map(|(at, section)| cut(at, section, job, times));
        Plan {
            format: crate::FORMAT,
            name: job.name.clone(),
            job: job.digest,
            inputs: job.inputs.clone(),
            units: units.collect(),
        }
    }

    /// The plan of a job in a store; written if there is none.
    ///
    /// # Errors
    /// Store errors, and plans that are damaged, forged or do not fit the job.
    pub fn load_or_create(store: &Store, job: &Job, times: &Times, key: Option<&Key>) -> Result<Plan> {
        if let Some(plan) = Plan::load(store, job, key)? {
            return Ok(plan);
        }
        // What workers measured in earlier runs of a job of this name is as good as what nobody gave.
        let recorded = if times.is_empty() { recorded_times(store, &job.name) } else { None };
        let plan = Plan::new(job, recorded.as_ref().unwrap_or(times));
        let text = seal(key, "plan", &serde_json::to_string(&plan)?);
        if store.create(&format!("{}/plan", folder(job)), text.into_bytes())? {
            return Ok(plan);
        }
        Plan::load(store, job, key)?.context("the plan that another worker wrote is gone")
    }

    /// The plan of a job in a store, if there is one.
    ///
    /// # Errors
    /// As [`Plan::load_or_create`].
    pub fn load(store: &Store, job: &Job, key: Option<&Key>) -> Result<Option<Plan>> {
        let name = format!("{}/plan", folder(job));
        let Some(bytes) = store.get(&name)? else { return Ok(None) };
        let read = || -> Result<Plan> {
            let plan: Plan = serde_json::from_str(unseal(key, "plan", &bytes)?)?;
            plan.check(job)?;
            Ok(plan)
        };
        Ok(Some(read().with_context(|| format!("{name} in {}", store.url()))?))
    }

    /// Units must cover each section's items once and in order.
    fn check(&self, job: &Job) -> Result<()> {
        ensure!(self.format == crate::FORMAT, "it has format {}, not {}", self.format, crate::FORMAT);
        ensure!(self.job == job.digest && self.name == job.name, "it is the plan of another job");
        let mut units = self.units.iter().peekable();
        for (at, section) in job.sections.iter().enumerate() {
            let mut next = 0;
            while let Some(unit) = units.next_if(|unit| unit.section == at) {
                ensure!(unit.first == next && unit.count > 0, "its units do not follow each other");
                ensure!(unit.count <= section.item_count() - next, "a unit exceeds its section");
                next += unit.count;
            }
            ensure!(next == section.item_count(), "its units leave out items of section {}", section.name);
        }
        ensure!(units.next().is_none(), "it has units of no section");
        Ok(())
    }
}

/// How the plans of other jobs of this name in the store differ in their inputs: what to look at where a job
/// seems not to have run. Empty where there are none.
#[must_use]
pub fn differences(store: &Store, job: &Job, key: Option<&Key>) -> String {
    let mut text = String::new();
    let Ok(objects) = store.list(&format!("jobs/{}", job.name)) else { return text };
    for object in objects.iter().filter(|object| object.name.ends_with("/plan")) {
        let bytes =
            store.get(&format!("jobs/{}/{}", job.name, object.name)).ok().flatten().unwrap_or_default();
        let plan = unseal(key, "plan", &bytes).ok().and_then(|text| serde_json::from_str::<Plan>(text).ok());
        let Some(plan) = plan.filter(|plan| plan.job != job.digest) else { continue };
        let names = plan.inputs.keys().chain(job.inputs.keys());
        let mut differing: Vec<&str> = names
            .filter(|name| plan.inputs.get(*name) != job.inputs.get(*name))
            .map(String::as_str)
            .collect();
        differing.sort_unstable();
        differing.dedup();
        let what = match differing.is_empty() {
            true => "the job file or a list of cases".to_owned(),
            false => differing.join(", "),
        };
        text.push_str(&format!("; one with digest {} has, which differs in: {what}", plan.job.short()));
    }
    text
}

/// Where a job's objects are.
#[must_use]
pub fn folder(job: &Job) -> String {
    format!("jobs/{}/{}", job.name, job.digest)
}

/// The name of a unit in paths.
#[must_use]
pub fn unit_name(unit: usize) -> String {
    format!("u{unit:07}")
}

/// The times that merging kept in the store, if they can be read: they are of use, not of need.
fn recorded_times(store: &Store, job: &str) -> Option<Times> {
    Times::parse(&store.get(&times_name(job)).ok()??).ok()
}

/// Where the times of all jobs of one name are.
#[must_use]
pub fn times_name(job: &str) -> String {
    format!("times/{job}.json")
}

/// Cuts a section into units.
fn cut(at: usize, section: &Section, job: &Job, times: &Times) -> Vec<Unit> {
    let mean = times.mean();
    let seconds = (0..section.item_count()).map(|item| match times.is_empty() {
        true => mean,
        false => times.items.get(&section.time_key(item)).copied().unwrap_or(mean),
    });
    let unit_seconds = (!times.is_empty()).then_some(job.unit_seconds);
    let ranges = cut_seconds(seconds, times.unit_overhead, section.batch, unit_seconds);
    let mut first = 0;
    let unit = |(count, estimate)| {
        first += count;
        Unit { section: at, first: first - count, count, estimate }
    };
    ranges.into_iter().map(unit).collect()
}

/// Cuts items, given by their seconds, into units: how many items each has, and its seconds with the
/// overhead. A unit has at most `batch` items and, if it has more than one, at most `unit_seconds`.
#[must_use]
pub fn cut_seconds(
    items: impl Iterator<Item = f64>,
    overhead: f64,
    batch: usize,
    unit_seconds: Option<f64>,
) -> Vec<(usize, f64)> {
    let mut units = Vec::new();
    let mut open = (0, overhead);
    for seconds in items {
        let is_long = unit_seconds.is_some_and(|limit| open.1 + seconds > limit);
        if open.0 > 0 && (open.0 == batch || is_long) {
            units.push(std::mem::replace(&mut open, (0, overhead)));
        }
        open = (open.0 + 1, open.1 + seconds);
    }
    units.push(open);
    units
}
