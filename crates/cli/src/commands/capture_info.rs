//! `pyroclast info CAPTURE`: what is in a capture, as a table or as JSON.

use super::capture;
use anyhow::Result;
use pyro_capture::record::{MARK, Record};
use pyro_capture::schema;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A frame: what lies between two presentations.
#[derive(Default)]
struct Frame {
    calls: u64,
    submissions: u64,
    draws: u64,
    dispatches: u64,
    written: u64,
}

/// What a capture has, counted.
#[derive(Default)]
struct Contents {
    facts: BTreeMap<String, String>,
    commands: BTreeMap<&'static str, u64>,
    /// The last one is what follows the last presentation.
    frames: Vec<Frame>,
    memory_bytes: u64,
}

impl Contents {
    fn add(&mut self, record: &Record<'_>) {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let Some(frame) = self.frames.last_mut() else { return };
        match record {
            Record::Text(MARK, _) => {}
            Record::Text(name, value) => {
                self.facts.insert((*name).to_owned(), (*value).to_owned());
            }
            Record::Write { bytes, .. } => {
                frame.written += bytes.len() as u64;
                self.memory_bytes += bytes.len() as u64;
            }
            Record::Call(call) => {
                let Some(command) = schema::commands().get(usize::from(call.command)) else { return };
                *self.commands.entry(command.name).or_default() += 1;
                frame.calls += 1;
                frame.submissions += u64::from(command.name.starts_with("vkQueueSubmit"));
                frame.draws += u64::from(command.name.starts_with("vkCmdDraw"));
                let starts = ["vkCmdDispatch", "vkCmdTraceRays"];
                frame.dispatches += u64::from(starts.iter().any(|start| command.name.starts_with(start)));
                if command.name == "vkQueuePresentKHR" {
                    self.frames.push(Frame::default());
                }
            }
            _ => {}
        }
    }

    /// Objects of a kind that were made by one of these commands.
    fn made(&self, commands: &[&str]) -> u64 {
        commands.iter().filter_map(|command| self.commands.get(command)).sum()
    }

    fn pipelines(&self) -> u64 {
        self.made(&[
            "vkCreateGraphicsPipelines",
            "vkCreateComputePipelines",
            "vkCreateRayTracingPipelinesKHR",
        ])
    }

    fn json(&self, is_complete: bool) -> Value {
        let frame = |frame: &Frame| {
            json!({
                "calls": frame.calls, "submissions": frame.submissions, "draws": frame.draws,
                "dispatches": frame.dispatches, "bytesWritten": frame.written,
            })
        };
        json!({
            "complete": is_complete, "facts": self.facts, "commands": self.commands,
            "memoryBytes": self.memory_bytes, "frames": self.frames.iter().map(frame).collect::<Vec<_>>(),
        })
    }

    fn print(&self, is_complete: bool) {
        self.facts.iter().for_each(|(name, value)| println!("{name:<12}{value}"));
        let end = if is_complete { "complete" } else { "the program ended early" };
        let calls: u64 = self.commands.values().sum();
        println!("{:<12}{calls} calls, {} bytes of contents of memory, {end}", "capture", self.memory_bytes);
        println!(
            "{:<12}{} shader modules, {} calls that make pipelines, {} images, {} buffers",
            "objects",
            self.made(&["vkCreateShaderModule"]),
            self.pipelines(),
            self.made(&["vkCreateImage"]),
            self.made(&["vkCreateBuffer"])
        );
        println!(
            "{:>8} {:>8} {:>12} {:>8} {:>11} {:>14}",
            "frame", "calls", "submissions", "draws", "dispatches", "bytes written"
        );
        for (number, frame) in self.frames.iter().enumerate() {
            let Frame { calls, submissions, draws, dispatches, written } = frame;
            println!("{number:>8} {calls:>8} {submissions:>12} {draws:>8} {dispatches:>11} {written:>14}");
        }
    }
}

/// Shows what is in a capture.
pub(super) fn run(path: &Path, as_json: bool) -> Result<()> {
    let capture = capture::open(path)?;
    let mut contents = Contents::default();
    capture.records().for_each(|record| contents.add(&record));
    let is_complete = capture.summary.is_some();
    if as_json {
        println!("{:#}", contents.json(is_complete));
    } else {
        contents.print(is_complete);
    }
    Ok(())
}
