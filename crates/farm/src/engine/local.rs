//! Workers as processes of this machine. They end with this one.

use super::{Engine, WorkerCommand};
use crate::engine::shard::Shard;
use crate::report;
use anyhow::{Context, Result, bail};
use std::process::{Child, Command, Stdio};

/// Processes, one for each shard.
pub struct Local {
    command: WorkerCommand,
    workers: Vec<Option<Child>>,
    /// Starts of each that are left.
    starts: Vec<u32>,
}

impl Local {
    /// Starts a worker for each shard. A worker that is killed is started again, `restarts` times at most.
    ///
    /// # Errors
    /// When a worker cannot be started.
    pub fn start(command: WorkerCommand, shards: u64, restarts: u32) -> Result<Local> {
        let count = shards as usize;
        let mut local =
            Local { command, workers: (0..count).map(|_| None).collect(), starts: vec![restarts + 1; count] };
        (0..count).try_for_each(|index| local.spawn(index))?;
        Ok(local)
    }

    fn spawn(&mut self, index: usize) -> Result<()> {
        let Some(left) = self.starts[index].checked_sub(1) else {
            bail!("worker {index} was killed too often");
        };
        self.starts[index] = left;
        let shard = Shard::new(index as u64, self.workers.len() as u64)?;
        let line = self.command.child_line(&shard.to_string());
        let child = Command::new(&line[0])
            .args(&line[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", self.command.program.display()))?;
        self.workers[index] = Some(child);
        Ok(())
    }
}

impl Engine for Local {
    fn poll(&mut self) -> Result<bool> {
        for index in 0..self.workers.len() {
            let Some(worker) = &mut self.workers[index] else { continue };
            let Some(status) = worker.try_wait()? else { continue };
            self.workers[index] = None;
            match status.code() {
                Some(0) => {}
                // The worker has said what it could not do.
                Some(code) => bail!("worker {index} ended with exit code {code}"),
                None => {
                    report::error(&format_args!(
                        "pyroclast farm: worker {index} was killed; it is started again"
                    ));
                    self.spawn(index)?;
                }
            }
        }
        Ok(self.workers.iter().any(Option::is_some))
    }

    fn resubmit(&mut self, shards: &[u64]) -> Result<bool> {
        for &shard in shards {
            let index = shard as usize;
            if self.workers[index].is_none() && self.starts[index] > 0 {
                self.spawn(index)?;
            }
        }
        Ok(self.workers.iter().any(Option::is_some))
    }

    fn stop(&mut self) {
        for worker in self.workers.iter_mut().flatten() {
            let _ = worker.kill();
            let _ = worker.wait();
        }
        self.workers.clear();
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.stop();
    }
}
