//! Schedulers: which shard a process does, and how workers are started elsewhere.
//!
//! Every engine starts `farm shard I/N` for all shards, somewhere, and starts it again when it was lost. What
//! is done is seen in the store alone, so all engines are followed in the same way. *Must not know*: what
//! units are.

pub mod kubernetes;
pub mod local;
pub mod ray;
pub mod shard;
pub mod slurm;

use anyhow::Result;
use std::ffi::OsString;
use std::path::PathBuf;

/// A worker's command line but for the shard.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// The arguments before `I/N`: those that lead to the farm's commands, and `shard`.
    pub before: Vec<OsString>,
    /// The arguments after it.
    pub after: Vec<OsString>,
}

impl WorkerCommand {
    /// The command line of a worker that ends with this process: through the farm's `exec-child`.
    #[must_use]
    pub fn child_line(&self, shard: &str) -> Vec<OsString> {
        let mut line = vec![self.program.clone().into_os_string()];
        // But for `shard`, which is last.
        line.extend(self.before.iter().take(self.before.len().saturating_sub(1)).cloned());
        line.extend(["exec-child".into(), std::process::id().to_string().into()]);
        line.extend(self.line(shard));
        line
    }

    /// All of it, for one shard.
    #[must_use]
    pub fn line(&self, shard: &str) -> Vec<OsString> {
        let program = [self.program.clone().into_os_string()];
        let shard = [OsString::from(shard)];
        program.into_iter().chain(self.before.clone()).chain(shard).chain(self.after.clone()).collect()
    }
}

/// Workers that run somewhere.
pub trait Engine {
    /// Looks at the workers, and starts lost ones again. Gives whether some may still run.
    ///
    /// # Errors
    /// When workers cannot be started, or end without having done their shard too often.
    fn poll(&mut self) -> Result<bool>;

    /// Starts workers for these shards, which have ended but lack records. Gives whether it can.
    ///
    /// # Errors
    /// When workers cannot be started.
    fn resubmit(&mut self, shards: &[u64]) -> Result<bool>;

    /// Ends the workers.
    fn stop(&mut self);
}
