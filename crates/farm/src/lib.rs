//! Jobs of many units over processes and machines.
//!
//! Problem: suites of test cases, frames and large dispatches outgrow one machine, workers die, and a merged
//! result must be the one that a single worker would have given, bit by bit. Approach: a job file
//! ([`job`]) names all items; a [`plan`] cuts them into units; workers ([`worker`]) claim units, run them
//! ([`run`]) and keep each unit's record under its name and each file under its digest ([`store`]); [`merge`]
//! checks all of it and joins the records in the order of the job. Schedulers of others ([`engine`]) only
//! start workers.
//!
//! # Invariants
//! * A record depends on the job alone: no time, host or worker is in it. Times are kept beside the records.
//! * Objects of the store appear whole or not at all, and records are never replaced, so a worker may be
//!   killed at any moment, and two workers may run one unit: the first record stays.
//! * Nothing read from a store is believed before its digest, or with a key its authentication code, was
//!   found right.
//!
//! # Must not know
//! The driver, SPIR-V, Vulkan: units run programs.
#![forbid(unsafe_code)]

pub mod cache;
pub mod claim;
pub mod command;
pub mod config;
pub mod digest;
pub mod engine;
pub mod job;
pub mod merge;
pub mod plan;
pub mod record;
mod report;
pub mod run;
pub mod simulate;
pub mod store;
pub mod worker;

/// The version of plans, records and of what a job's digest covers.
pub const FORMAT: u32 = 1;
