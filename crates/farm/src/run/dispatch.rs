//! Slabs of a dispatch: `pyroclast run` with a base workgroup and counts.
//!
//! The whole buffer goes in; of what comes out, the bytes of the slab's workgroups are kept, and all others
//! must be as they were: a shader that writes elsewhere cannot be cut this way.

use super::process::Invocation;
use super::scratch::Scratch;
use super::single::judge;
use super::{Context as RunContext, Run};
use crate::job::{BufferOutput, Dispatch, Initial, Section};
use crate::record::{ItemResult, Output, Verdict};
use anyhow::{Context, Result};
use std::time::Instant;

/// Runs the slabs of a unit.
///
/// # Errors
/// When the program cannot be started, or the store cannot be written.
pub(super) fn run(
    context: &RunContext<'_>,
    section: &Section,
    dispatch: &Dispatch,
    range: std::ops::Range<usize>,
) -> Result<Run> {
    let mut run = Run::default();
    for index in range {
        let start = Instant::now();
        let scratch = Scratch::new(context.scratch)?;
        let invocation = Invocation {
            program: &section.program,
            arguments: arguments(dispatch, index, &scratch),
            environment: &section.environment,
            directory: &section.directory,
            timeout: section.timeout,
        };
        let finished = super::process::run(context.launcher, &invocation, |_, _| false)?;
        let (verdict, status, detail) = judge(&finished.end, &section.kind);
        let status = status.to_owned();
        let mut item =
            ItemResult { name: section.item(index).name, verdict, status, detail, outputs: Vec::new() };
        if verdict.is_failure() {
            run.log.push_str(&finished.log);
        } else if let Some(wrong) = collect(context, dispatch, index, &scratch, &mut item)? {
            let (verdict, status, outputs) = (Verdict::Fail, "Fail".to_owned(), Vec::new());
            item = ItemResult { verdict, status, detail: wrong, outputs, ..item };
        }
        run.items.push(item);
        run.seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(run)
}

fn arguments(dispatch: &Dispatch, index: usize, scratch: &Scratch) -> Vec<String> {
    let (base, groups) = dispatch.slab(index);
    let list = |numbers: [u32; 3]| numbers.map(|number| number.to_string()).join(",");
    let mut arguments = vec!["run".to_owned(), dispatch.shader.display().to_string()];
    arguments.extend([format!("--base={}", list(base)), format!("--groups={}", list(groups))]);
    arguments.extend(dispatch.data.iter().cloned());
    let saves = dispatch.outputs.iter();
    arguments.extend(saves.map(|output| format!("--save={}={}", output.place, scratch.file(&output.place))));
    arguments
}

/// Keeps the slab's bytes of each buffer; what is wrong with them, if something is.
fn collect(
    context: &RunContext<'_>,
    dispatch: &Dispatch,
    index: usize,
    scratch: &Scratch,
    item: &mut ItemResult,
) -> Result<Option<String>> {
    let groups = dispatch.linear_range(index);
    for output in &dispatch.outputs {
        let path = scratch.path().join(&output.place);
        let Ok(bytes) = std::fs::read(&path) else {
            return Ok(Some(format!("buffer {} was not saved", output.place)));
        };
        let own = [groups.start, groups.end].map(|group| (group * output.bytes_per_group) as usize);
        if bytes.len() < own[1] {
            return Ok(Some(format!("buffer {} has {} bytes", output.place, bytes.len())));
        }
        if let Some(at) = first_change_outside(&bytes, own[0]..own[1], output)? {
            return Ok(Some(format!(
                "buffer {}: byte {at} was written, outside the range {}..{} of the slab's workgroups",
                output.place, own[0], own[1]
            )));
        }
        let kept = bytes[own[0]..own[1]].to_vec();
        let (name, byte_count) = (output.place.clone(), kept.len() as u64);
        item.outputs.push(Output { name, bytes: byte_count, digest: context.store.put_blob(kept)? });
    }
    Ok(None)
}

fn first_change_outside(
    bytes: &[u8],
    own: std::ops::Range<usize>,
    output: &BufferOutput,
) -> Result<Option<usize>> {
    let initial = match &output.initial {
        Initial::Zero(_) => None,
        Initial::File(path) => {
            Some(std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?)
        }
    };
    let was = |at: usize| initial.as_ref().map_or(0, |bytes| bytes.get(at).copied().unwrap_or(0));
    Ok((0..own.start).chain(own.end..bytes.len()).find(|&at| bytes[at] != was(at)))
}
