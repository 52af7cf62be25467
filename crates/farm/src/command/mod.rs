//! The commands, as `pyroclast farm` and `pyroclast-farm` have them.

mod cache;
mod inputs;
mod merge;
mod plan;
mod run;
mod shard;
mod simulate;

use crate::report;
use anyhow::Result;
use clap::Subcommand;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the exit codes mean.
pub const EXIT_CODES: &str =
    "Exit codes: 0 all is well, 1 items failed, 2 the command could not do its work.";

/// The program that these commands are part of.
#[derive(Clone, Debug)]
pub struct Front {
    /// Its path.
    pub program: PathBuf,
    /// The arguments that lead to these commands.
    pub arguments: Vec<OsString>,
}

/// Cut a job over processes and machines, run its parts, and join what they give.
#[derive(Subcommand)]
pub enum Command {
    /// Check a job file, and show how the job would be cut.
    Plan(plan::Arguments),
    /// Run one shard of a job, or what is left of it.
    Shard(shard::Arguments),
    /// Check that a job is complete, and join its results.
    Merge(merge::Arguments),
    /// Run a whole job: on this machine, on Ray, on Slurm; or write what Kubernetes needs.
    Run(Box<run::Arguments>),
    /// Simulate a job on many workers, with recorded times.
    Simulate(simulate::Arguments),
    /// Move compiled code between the folder that workers share and a store.
    #[command(subcommand)]
    Cache(cache::Arguments),
    /// Become a program that ends with its worker.
    #[command(hide = true)]
    ExecChild {
        /// The worker's process.
        worker: u32,
        /// The program.
        program: OsString,
        /// Its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// Runs a command; errors are printed.
#[must_use]
pub fn main(command: &Command, front: &Front) -> ExitCode {
    let result = match command {
        Command::Plan(arguments) => plan::run(arguments),
        Command::Shard(arguments) => shard::run(arguments, front),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Run(arguments) => run::run(arguments, front),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Cache(arguments) => cache::run(arguments),
        Command::ExecChild { worker, program, arguments } => {
            return crate::run::become_program(*worker, program, arguments);
        }
    };
    finish(result)
}

fn finish(result: Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        report::error(&format_args!("pyroclast farm: {error:#}"));
        ExitCode::from(2)
    })
}
