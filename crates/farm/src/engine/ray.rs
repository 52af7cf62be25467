//! Workers as tasks of a Ray cluster.
//!
//! A short Python program, which comes with this crate, connects to the cluster, submits a task for each
//! shard and prints a line of JSON when one ends. Ray starts tasks of lost nodes elsewhere; the program
//! submits those again that Ray gave up.

use super::{Engine, WorkerCommand};
use crate::report;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// The Python program.
const PROGRAM: &str = include_str!("../../python/ray_driver.py");

/// How the cluster is reached.
#[derive(Clone, Debug)]
pub struct Options {
    /// The Python interpreter that has the package `ray`.
    pub python: PathBuf,
    /// The cluster's address, `auto` or `HOST:PORT`; empty: a cluster of this machine for this job alone.
    pub address: String,
    /// Processors that a task takes.
    pub cpus: f64,
    /// How often a shard is submitted again.
    pub retries: u32,
}

/// A line of the Python program.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Line {
    Shard { shard: u64, code: i64, node: String, message: String },
    Lost { shard: u64, message: String },
    Failed { message: String },
}

/// Tasks of a Ray cluster.
pub struct Ray {
    driver: Child,
    lines: Receiver<String>,
    /// What went wrong, until the program ends.
    failure: Option<String>,
    is_verbose: bool,
}

impl Ray {
    /// Submits all shards.
    ///
    /// # Errors
    /// When Python cannot be started.
    pub fn start(command: &WorkerCommand, shards: u64, options: &Options, is_verbose: bool) -> Result<Ray> {
        let argument = |text: &std::ffi::OsString| text.to_str().map(str::to_owned);
        let texts = |arguments: &[std::ffi::OsString]| -> Result<Vec<String>> {
            let texts = arguments.iter().map(|text| argument(text).context("an argument is not Unicode"));
            texts.collect()
        };
        let request = serde_json::json!({
            "address": options.address,
            "shards": shards,
            "cpus": options.cpus,
            "retries": options.retries,
            "program": command.program,
            "before": texts(&command.before)?,
            "after": texts(&command.after)?,
        });
        let mut driver = Command::new(&options.python)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start Python as {}", options.python.display()))?;
        if let Some(mut input) = driver.stdin.take() {
            writeln!(input, "{request}").context("cannot write to Python")?;
        }
        let (sender, lines) = channel();
        if let Some(output) = driver.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
            });
        }
        Ok(Ray { driver, lines, failure: None, is_verbose })
    }

    fn hear(&mut self, line: &str) {
        match serde_json::from_str(line) {
            Ok(Line::Shard { shard, code, node, message }) => {
                if code != 0 {
                    self.failure = Some(format!("shard {shard} ended with exit code {code}: {message}"));
                } else if self.is_verbose {
                    report::error(&format_args!("ray: shard {shard} done on node {node}"));
                }
            }
            Ok(Line::Lost { shard, message }) => {
                report::error(&format_args!(
                    "ray: shard {shard} was lost ({message}); it is submitted again"
                ));
            }
            Ok(Line::Failed { message }) => self.failure = Some(message),
            // Ray's own messages.
            Err(_) => report::error(&format_args!("ray: {line}")),
        }
    }
}

impl Engine for Ray {
    fn poll(&mut self) -> Result<bool> {
        loop {
            match self.lines.try_recv() {
                Ok(line) => self.hear(&line),
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => break,
            }
        }
        let status = self.driver.wait().context("cannot wait for Python")?;
        match self.failure.take() {
            Some(failure) => bail!("ray: {failure}"),
            None if !status.success() => bail!("ray: the Python program ended with {status}"),
            None => Ok(false),
        }
    }

    fn resubmit(&mut self, _: &[u64]) -> Result<bool> {
        Ok(false)
    }

    fn stop(&mut self) {
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Drop for Ray {
    fn drop(&mut self) {
        self.stop();
    }
}
