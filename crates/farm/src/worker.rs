//! A worker: does the units of its shard, and with `steal` those of others.
//!
//! A unit is claimed, run, and its record created; one that somebody began before is looked for first. The
//! worker ends when all units that it waits for have records: those of its shard, with `steal` all. Units
//! that other workers hold are looked at again until they have a record or their worker is dead. Before it
//! turns to the units of others, it lists what is claimed, and tries those last.

use crate::claim::{Claimed, Claims, Worker};
use crate::digest::Key;
use crate::engine::shard::Shard;
use crate::job::Job;
use crate::plan::{self, Plan, folder, of_shard, unit_name};
use crate::record::{record_name, reports_name, times_name};
use crate::run::{self, Launcher};
use crate::store::Store;
use anyhow::{Context, Result};
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The pauses between looks at units that others hold: the first, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(1000)];

/// How a worker works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which part of the job.
    pub shard: Shard,
    /// Whether it does units of other shards when its own are done.
    pub steal: bool,
    /// Units at a time.
    pub jobs: usize,
    /// How long a worker of another machine may be silent before its units are taken.
    pub lease: Duration,
    /// Where folders for programs are made.
    pub scratch: Option<PathBuf>,
    /// How programs are started.
    pub launcher: Launcher,
}

/// What a worker tells while it works.
#[derive(Clone, Debug)]
pub enum Event {
    /// A unit has a record.
    Recorded {
        /// Its place in the plan.
        unit: usize,
        /// How many of its items failed; `None` when another worker did it.
        failures: Option<usize>,
    },
    /// A unit could not be run; it is tried again, or given up.
    Failed {
        /// Its place in the plan.
        unit: usize,
        /// Why.
        error: String,
    },
}

/// What a worker did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Units that it waited for.
    pub units: usize,
    /// Units that it ran.
    pub ran: usize,
    /// Items that failed in those.
    pub failures: usize,
    /// Units that it gave up, and why.
    pub given_up: Vec<(usize, String)>,
}

/// Units that are not known to have records.
struct Queue {
    waiting: VecDeque<usize>,
    /// Whether units of other shards are still to be added.
    may_steal: bool,
    summary: Summary,
}

struct Work<'a> {
    store: &'a Store,
    job: &'a Job,
    plan: &'a Plan,
    key: Option<&'a Key>,
    options: &'a Options,
    claims: &'a Claims,
    queue: Mutex<Queue>,
    tell: &'a (dyn Fn(Event) + Sync),
}

/// Works until all units that the options name have records, or cannot be run.
///
/// # Errors
/// Store errors. Units that cannot be run are in the summary.
pub fn work(
    store: &Store,
    job: &Job,
    plan: &Plan,
    key: Option<&Key>,
    options: &Options,
    tell: &(dyn Fn(Event) + Sync),
) -> Result<Summary> {
    let recorded = recorded(store, job)?;
    let mut waiting: VecDeque<usize> = of_shard(&plan.units, options.shard).into();
    let units = if options.steal { plan.units.len() } else { waiting.len() };
    waiting.retain(|unit| !recorded.contains(unit));
    let may_steal = options.steal && recorded.len() < plan.units.len();
    let claims = Arc::new(Claims::new(store.clone(), folder(job), Worker::new(), options.lease));
    let heartbeat = if waiting.is_empty() && !may_steal { None } else { Some(claims.beat()?) };
    let queue = Mutex::new(Queue { waiting, may_steal, summary: Summary { units, ..Summary::default() } });
    let work = Work { store, job, plan, key, options, claims: &claims, queue, tell };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(|| work.run())).collect();
        let ends = threads.into_iter().map(|thread| match thread.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.collect::<Result<Vec<()>>>()
    })?;
    drop(heartbeat);
    Ok(work.queue.into_inner().unwrap_or_else(PoisonError::into_inner).summary)
}

/// The units that have records.
///
/// # Errors
/// Store errors.
pub fn recorded(store: &Store, job: &Job) -> Result<BTreeSet<usize>> {
    let listed = store.list(&format!("{}/records", folder(job)))?;
    let units = listed.iter().filter_map(|object| object.name.strip_prefix('u')?.parse().ok());
    Ok(units.collect())
}

impl Work<'_> {
    fn with<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        change(&mut self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn has_record(&self, unit: usize) -> Result<bool> {
        self.store.exists(&record_name(self.job, unit))
    }

    fn run(&self) -> Result<()> {
        let mut pause = PAUSES[0];
        // Units in a row that others hold.
        let mut busy = 0;
        while let Some(unit) = self.next()? {
            match self.claims.claim(&unit_name(unit))? {
                // Nobody began a unit whose first attempt is this one: it has no record.
                Claimed::Own(attempt) if attempt == 0 || !self.has_record(unit)? => {
                    self.attempt(unit)?;
                    (pause, busy) = (PAUSES[0], 0);
                    continue;
                }
                Claimed::Busy if !self.has_record(unit)? => {}
                Claimed::Own(_) | Claimed::Busy => {
                    (self.tell)(Event::Recorded { unit, failures: None });
                    continue;
                }
            }
            let left = self.with(|queue| {
                queue.waiting.push_back(unit);
                queue.waiting.len()
            });
            busy += 1;
            if busy >= left {
                std::thread::sleep(pause);
                pause = PAUSES[1].min(pause * 2);
                busy = 0;
            }
        }
        Ok(())
    }

    /// The next unit to look at; when those of the shard are done, the units of others without records come.
    fn next(&self) -> Result<Option<usize>> {
        let (unit, steals) = self.with(|queue| {
            let unit = queue.waiting.pop_front();
            let steals = unit.is_none() && std::mem::take(&mut queue.may_steal);
            (unit, steals)
        });
        if !steals {
            return Ok(unit);
        }
        let recorded = recorded(self.store, self.job)?;
        let claimed: BTreeSet<usize> = self
            .store
            .list(&format!("{}/claims", folder(self.job)))?
            .iter()
            .filter_map(|object| object.name.strip_prefix('u')?.split_once('.')?.0.parse().ok())
            .collect();
        self.with(|queue| {
            let given_up: BTreeSet<usize> = queue.summary.given_up.iter().map(|(unit, _)| *unit).collect();
            let mut others = plan::longest_first(&self.plan.units);
            others.retain(|unit| !recorded.contains(unit) && !given_up.contains(unit));
            // Stable: longest first among those without claim, then among those with one.
            others.sort_by_key(|unit| claimed.contains(unit));
            queue.waiting.extend(others);
            Ok(queue.waiting.pop_front())
        })
    }

    /// Runs a unit that is this worker's, again where it cannot be run.
    fn attempt(&self, unit: usize) -> Result<()> {
        let context = run::Context {
            store: self.store,
            launcher: &self.options.launcher,
            scratch: self.options.scratch.as_deref(),
        };
        let mut last = String::new();
        for _ in 0..=self.job.retries {
            match run::unit(&context, self.job, self.plan, unit) {
                Ok(outcome) => return self.keep(unit, &outcome),
                Err(error) => {
                    last = format!("{error:#}");
                    (self.tell)(Event::Failed { unit, error: last.clone() });
                }
            }
        }
        self.with(|queue| queue.summary.given_up.push((unit, last)));
        Ok(())
    }

    fn keep(&self, unit: usize, outcome: &run::Outcome) -> Result<()> {
        let named = || format!("unit {}", unit_name(unit));
        if !outcome.log.is_empty() {
            let name = format!("{}/logs/{}", folder(self.job), unit_name(unit));
            self.store.put(&name, outcome.log.clone().into_bytes()).with_context(named)?;
        }
        let times = serde_json::to_vec(&outcome.times)?;
        self.store.put(&times_name(self.job, unit), times).with_context(named)?;
        if !outcome.reports.parts.is_empty() {
            let reports = outcome.reports.encode(self.key)?;
            self.store.create(&reports_name(self.job, unit), reports).with_context(named)?;
        }
        // Last: who finds the record finds all that belongs to it.
        let record = outcome.record.encode(self.key)?;
        self.store.create(&record_name(self.job, unit), record).with_context(named)?;
        let failures = outcome.record.items.iter().filter(|item| item.verdict.is_failure()).count();
        self.with(|queue| {
            queue.summary.ran += 1;
            queue.summary.failures += failures;
        });
        (self.tell)(Event::Recorded { unit, failures: Some(failures) });
        Ok(())
    }
}
