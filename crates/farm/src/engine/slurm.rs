//! Workers as tasks of a Slurm job array.
//!
//! The script that `sbatch` gets is short and can be kept: it runs `farm shard` and lets the variables of the
//! array say which shard. Shards that lack records when the array has ended are submitted again, alone.

use super::{Engine, WorkerCommand};
use crate::report;
use anyhow::{Context, Result, bail, ensure};
use std::io::Write;
use std::process::{Command, Stdio};

/// How the array is submitted.
#[derive(Clone, Debug)]
pub struct Options {
    /// The array's name.
    pub name: String,
    /// Further arguments of `sbatch`, such as `--partition=…`.
    pub arguments: Vec<String>,
    /// How often missing shards are submitted again.
    pub retries: u32,
}

/// A job array.
pub struct Slurm {
    options: Options,
    script: String,
    job: String,
    retries: u32,
}

/// The script of a worker. Its command line has no shard: Slurm's variables name it.
#[must_use]
pub fn script(command: &WorkerCommand, shards: u64, name: &str) -> String {
    let line: Vec<String> = command
        .line("")
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| quote(&part.to_string_lossy()))
        .collect();
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name={name}\n\
         #SBATCH --requeue\n\
         #SBATCH --output=/dev/null\n\
         # A task of the array is a shard. An array for missing shards alone has fewer tasks than there are shards.\n\
         export PYROCLAST_FARM_SHARDS={shards} SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1\n\
         exec {}\n",
        line.join(" ")
    )
}

/// A word for the shell.
fn quote(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl Slurm {
    /// Submits the array.
    ///
    /// # Errors
    /// When `sbatch` is missing or refuses the array.
    pub fn start(command: &WorkerCommand, shards: u64, options: &Options) -> Result<Slurm> {
        let script = script(command, shards, &options.name);
        let retries = options.retries;
        let mut slurm = Slurm { options: options.clone(), script, job: String::new(), retries };
        slurm.submit(&format!("0-{}", shards - 1))?;
        Ok(slurm)
    }

    /// The array's number.
    #[must_use]
    pub fn job(&self) -> &str {
        &self.job
    }

    fn submit(&mut self, tasks: &str) -> Result<()> {
        let mut sbatch = Command::new("sbatch")
            .args(["--parsable", &format!("--array={tasks}")])
            .args(&self.options.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start sbatch: is Slurm installed?")?;
        if let Some(mut input) = sbatch.stdin.take() {
            input.write_all(self.script.as_bytes()).context("cannot write to sbatch")?;
        }
        let output = sbatch.wait_with_output().context("cannot wait for sbatch")?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(
            output.status.success(),
            "sbatch refused the array: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        // `JOB` or `JOB;CLUSTER`.
        self.job = said.trim().split(';').next().unwrap_or_default().to_owned();
        ensure!(!self.job.is_empty(), "sbatch gave no job number");
        Ok(())
    }
}

impl Engine for Slurm {
    fn poll(&mut self) -> Result<bool> {
        let output = Command::new("squeue")
            .args(["--noheader", "--array", "--format=%i %T %r", &format!("--jobs={}", self.job)])
            .output()
            .context("cannot start squeue")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            // An array that has ended is forgotten after some time.
            if said.contains("Invalid job id") {
                return Ok(false);
            }
            bail!("squeue: {}", said.trim());
        }
        Ok(!String::from_utf8_lossy(&output.stdout).trim().is_empty())
    }

    fn resubmit(&mut self, shards: &[u64]) -> Result<bool> {
        let Some(left) = self.retries.checked_sub(1) else { return Ok(false) };
        self.retries = left;
        let tasks: Vec<String> = shards.iter().map(u64::to_string).collect();
        self.submit(&tasks.join(","))?;
        let (tasks, job) = (tasks.join(", "), &self.job);
        report::error(&format_args!(
            "slurm: shards {tasks} lack records; submitted again as job array {job}"
        ));
        Ok(true)
    }

    fn stop(&mut self) {
        let _ = Command::new("scancel").arg(&self.job).status();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_names_no_shard_and_quotes_words() {
        let command = WorkerCommand {
            program: "/opt/a b/pyroclast".into(),
            before: vec!["farm".into(), "shard".into()],
            after: vec!["it's.toml".into(), "--out".into(), "file:///shared/out".into()],
        };
        let script = script(&command, 8, "suite");
        assert!(script.starts_with("#!/bin/sh\n#SBATCH --job-name=suite\n"), "{script}");
        assert!(
            script
                .ends_with("exec '/opt/a b/pyroclast' farm shard 'it'\\''s.toml' --out file:///shared/out\n"),
            "{script}"
        );
        assert!(script.contains("PYROCLAST_FARM_SHARDS=8 "), "{script}");
    }
}
