//! Items with a process each: numbers, tiles, and test cases whose verdict is an exit code.

use super::process::{End, Invocation};
use super::scratch::Scratch;
use super::{Context as RunContext, Run};
use crate::job::template::fill;
use crate::job::{Kind, Section};
use crate::record::{ItemResult, Output, Verdict};
use anyhow::{Context, Result};
use std::path::Path;
use std::time::Instant;

/// The exit code of a test that does not apply, as automake's and Meson's harnesses have it.
const SKIPPED: i32 = 77;
/// Bytes of an output file.
const OUTPUT_BYTES_MAX: u64 = 4 << 30;

/// Runs the items of a unit.
///
/// # Errors
/// When the program cannot be started, or the store cannot be written.
pub(super) fn run(context: &RunContext<'_>, section: &Section, range: std::ops::Range<usize>) -> Result<Run> {
    let mut run = Run::default();
    for index in range {
        let start = Instant::now();
        let scratch = Scratch::new(context.scratch)?;
        let mut values = section.values(index);
        values.insert("output", scratch.path().display().to_string());
        let arguments = section.arguments.iter().map(|argument| fill(argument, &values));
        let invocation = Invocation {
            program: &section.program,
            arguments: arguments.collect::<Result<_>>()?,
            environment: &section.environment,
            directory: &section.directory,
            timeout: section.timeout,
        };
        let finished = super::process::run(context.launcher, &invocation, |_, _| false)?;
        run.reports.collect(context, section, scratch.path(), &finished.end)?;
        let (verdict, status, detail) = judge(&finished.end, &section.kind);
        let mut item = ItemResult {
            name: section.item(index).name,
            verdict,
            status: status.to_owned(),
            detail,
            outputs: Vec::new(),
        };
        if verdict == Verdict::Pass {
            collect(context, section, index, scratch.path(), &mut item)?;
        } else if verdict.is_failure() {
            run.log.push_str(&finished.log);
        }
        run.items.push(item);
        run.seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(run)
}

/// What the end of a process means.
pub(super) fn judge(end: &End, kind: &Kind) -> (Verdict, &'static str, String) {
    match end {
        End::Code(0) => (Verdict::Pass, "Pass", String::new()),
        End::Code(SKIPPED) if matches!(kind, Kind::Cases(_)) => {
            (Verdict::Skip, "NotSupported", end.to_string())
        }
        End::Code(_) => (Verdict::Fail, "Fail", end.to_string()),
        End::Signal(_) => (Verdict::Crash, "Crash", end.to_string()),
        End::TimedOut => (Verdict::Timeout, "Timeout", end.to_string()),
    }
}

/// Keeps the files that an item gave; a missing one is its failure.
fn collect(
    context: &RunContext<'_>,
    section: &Section,
    index: usize,
    folder: &Path,
    item: &mut ItemResult,
) -> Result<()> {
    let names: &[String] = match &section.kind {
        Kind::Numbers(numbers) => &numbers.outputs,
        Kind::Tiles(tiles) => std::slice::from_ref(&tiles.output),
        Kind::Cases(_) | Kind::Dispatch(_) => &[],
    };
    let values = section.values(index);
    for name in names {
        let name = fill(name, &values)?;
        let path = folder.join(&name);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() && found.len() <= OUTPUT_BYTES_MAX => {
                let bytes =
                    std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let byte_count = bytes.len() as u64;
                item.outputs.push(Output { name, bytes: byte_count, digest: context.store.put_blob(bytes)? });
            }
            found => {
                let why = if found.is_ok() { "is not a regular file, or too large" } else { "is missing" };
                item.verdict = Verdict::Fail;
                item.status = "Fail".to_owned();
                item.detail = format!("output {name} {why}");
                item.outputs.clear();
                return Ok(());
            }
        }
    }
    Ok(())
}
