//! One draw, dispatch or launch of rays as a capture of its own.
//!
//! **Problem.** A draw depends on all that was done before it, and its results lie among those of others.
//! **Approach.** The submission is trimmed out ([`crate::trim`]) and replayed twice: with the work before
//! the event, and with the event too. The first gives the contents of memory that the capture starts with;
//! what the second has changed is what a replay is to find. Everything else that does work is left out.
//! Attachments are stored in the two replays, and loaded in the result, whatever the program asked for.

use crate::edit::{self, Contents};
use crate::trim::{self, Rewritten, Snapshot};
use crate::{Lookup, ReplayError, compare};
use pyro_capture::graph::{Graph, Object};
use pyro_capture::record::{Note, Record, digest};
use std::collections::{HashMap, HashSet};

/// A draw, dispatch or launch of rays that a submission does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the submission.
    pub submission: usize,
    /// The place of the command buffer among those of the submission.
    pub place: usize,
    /// The recordings that lead to it: that of the submission's command buffer, and of one that it executes.
    pub recordings: Vec<Object>,
    /// The record.
    pub at: usize,
    /// The command.
    pub command: &'static str,
}

/// Command buffers that execute one another, at most.
const NESTED_MAX: usize = 64;
/// Records that recordings do, at most: a small file can say many.
const RECORDS_MAX: usize = 1 << 28;

fn is_event(command: &str) -> bool {
    ["vkCmdDraw", "vkCmdDispatch", "vkCmdTraceRays", "vkCmdCudaLaunch"]
        .iter()
        .any(|start| command.starts_with(start))
}

/// Whether a command changes memory or other objects' states, and is not needed by a draw behind it when its
/// effects are in memory already.
pub fn does_work(command: &str) -> bool {
    const WORK: [&str; 20] = [
        "vkCmdDraw",
        "vkCmdDispatch",
        "vkCmdTraceRays",
        "vkCmdCopy",
        "vkCmdBlit",
        "vkCmdResolve",
        "vkCmdClear",
        "vkCmdFill",
        "vkCmdUpdate",
        "vkCmdBuild",
        "vkCmdWrite",
        "vkCmdBeginQuery",
        "vkCmdEndQuery",
        "vkCmdResetQueryPool",
        "vkCmdSetEvent",
        "vkCmdResetEvent",
        "vkCmdWaitEvents",
        "vkCmdDecompress",
        "vkCmdConvert",
        "vkCmdCudaLaunch",
    ];
    WORK.iter().any(|start| command.starts_with(start))
}

/// Gives the records that a recording does, in order, with the recordings that lead to each.
///
/// # Errors
/// The function's, and where recordings execute one another too deeply, as those that execute themselves.
fn each_record(
    graph: &Graph<'_>,
    recordings: &mut Vec<Object>,
    take: &mut impl FnMut(&[Object], usize) -> Result<(), ReplayError>,
) -> Result<(), ReplayError> {
    let Some(recording) = recordings.last() else { return Ok(()) };
    for at in graph.recorded(*recording) {
        for inner in graph.executed(*at) {
            if recordings.len() > NESTED_MAX {
                return Err(own("command buffers execute others too deeply"));
            }
            recordings.push(inner);
            each_record(graph, recordings, take)?;
            recordings.pop();
        }
        take(recordings, *at)?;
    }
    Ok(())
}

/// Counts a record that is done.
fn count(records: &mut usize) -> Result<(), ReplayError> {
    *records += 1;
    if *records > RECORDS_MAX { Err(own("command buffers execute others too often")) } else { Ok(()) }
}

/// The events of a capture, in the order of their submission.
///
/// # Errors
/// When command buffers execute others too often.
pub fn events(graph: &Graph<'_>) -> Result<Vec<Event>, ReplayError> {
    let (mut all, mut records) = (Vec::new(), 0);
    for (submission, (_, submitted)) in graph.submissions.iter().enumerate() {
        for (place, recording) in submitted.iter().enumerate() {
            each_record(graph, &mut vec![*recording], &mut |recordings, at| {
                let command = graph.nodes[at].command();
                if is_event(command) {
                    all.push(Event { submission, place, recordings: recordings.to_vec(), at, command });
                }
                count(&mut records)
            })?;
        }
    }
    Ok(all)
}

/// The work of a submission, in the order in which it is done.
pub(crate) fn work_of(graph: &Graph<'_>, submission: usize) -> Result<Vec<usize>, ReplayError> {
    let (mut all, mut records) = (Vec::new(), 0);
    for recording in &graph.submissions[submission].1 {
        each_record(graph, &mut vec![*recording], &mut |_, at| {
            if does_work(graph.nodes[at].command()) {
                all.push(at);
            }
            count(&mut records)
        })?;
    }
    Ok(all)
}

pub(crate) fn own(what: &str) -> ReplayError {
    ReplayError::Own { call: 0, what: what.to_owned() }
}

/// Marks what only leads to other events: other render passes, and pipelines that are bound anew.
fn leave_out_state(graph: &Graph<'_>, event: &Event, unwanted: &mut [bool]) {
    for (depth, recording) in event.recordings.iter().enumerate() {
        let all = graph.recorded(*recording);
        // Where the event is, or what leads to it.
        let event_at = match event.recordings.get(depth + 1) {
            None => event.at,
            Some(inner) => {
                let leads_to_it = |at: &&usize| graph.executed(**at).any(|one| one == *inner);
                all.iter().find(leads_to_it).copied().unwrap_or(event.at)
            }
        };
        // Render passes that the event is not in.
        let (mut pass, mut bound): (Vec<usize>, HashMap<Vec<u8>, usize>) = (Vec::new(), HashMap::new());
        for &at in all {
            let command = graph.nodes[at].command();
            let begins = command.starts_with("vkCmdBeginRender");
            let ends = command.starts_with("vkCmdEndRender");
            if begins || ends || command.starts_with("vkCmdNextSubpass") {
                pass.push(at);
            }
            if ends {
                let is_around = pass.first().is_some_and(|first| *first < event_at) && event_at < at;
                if !is_around {
                    pass.iter().for_each(|at| unwanted[*at] = true);
                }
                pass.clear();
            }
            let Record::Call(call) = &graph.nodes[at].record else { continue };
            if command == "vkCmdBindPipeline" {
                let point = call.parameters.get(8..12).unwrap_or_default().to_vec();
                if at > event_at {
                    unwanted[at] = true;
                } else if let Some(before) = bound.insert(point, at) {
                    unwanted[before] = true;
                }
            }
        }
    }
}

/// What differs between two snapshots, as what is seen behind the event; pages of the second.
fn differences(before: &Snapshot, after: &Snapshot) -> Vec<Record<'static>> {
    const PAGE: u64 = 4096;
    let pages = |snapshot: &Snapshot| {
        let mut all: HashMap<(u64, u64), Vec<u8>> = HashMap::new();
        for (memory, offset, bytes) in snapshot {
            for (index, page) in bytes.chunks(PAGE as usize).enumerate() {
                all.insert((*memory, offset + index as u64 * PAGE), page.to_vec());
            }
        }
        all
    };
    let (before, after) = (pages(before), pages(after));
    let mut keys: Vec<(u64, u64)> = before.keys().chain(after.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    // What the event changes is looked at when the device has done it.
    let mut seen = vec![Record::Note(Note::Idle)];
    for key @ (memory, offset) in keys {
        if before.get(&key) == after.get(&key) {
            continue;
        }
        // Pages of zeros are not in a snapshot; both would have the same length.
        let length = before.get(&key).map_or(0, Vec::len);
        let bytes = after.get(&key).cloned().unwrap_or_else(|| vec![0; length]);
        let size = bytes.len() as u64;
        seen.push(Record::Seen { memory, offset, size, digest: digest(&bytes) });
    }
    seen
}

/// The capture of one event.
///
/// # Errors
/// When the device works on something before the submission, or the capture cannot be replayed up to there.
///
/// # Safety
/// The lookup is a Vulkan implementation's.
pub unsafe fn exported<'g, 'a>(
    graph: &'g Graph<'a>,
    event: &Event,
    lookup: Lookup,
    mut tick: impl FnMut(),
) -> Result<Rewritten<'g, 'a>, ReplayError> {
    let part = graph.parts_by_submission()[event.submission].clone();
    let (submission, submitted) = &graph.submissions[event.submission];
    let work = work_of(graph, event.submission)?;
    let place = work
        .iter()
        .position(|at| *at == event.at)
        .ok_or_else(|| own("the event is not in its submission"))?;
    let behind: HashSet<usize> = work[place + 1..].iter().copied().collect();
    if work[..=place].iter().any(|at| behind.contains(at)) {
        return Err(own("a command buffer is executed both before and behind the event in its submission"));
    }
    // SAFETY: the contract of this function.
    let mut base = unsafe { compare::submission(graph, event.submission, lookup, &mut tick)? };
    base.kept.iter_mut().skip(submission + 1).for_each(|kept| *kept = false);
    behind.iter().for_each(|at| base.kept[*at] = false);
    // SAFETY: as above.
    let after = unsafe { trim::play(&base, lookup, &mut tick)? };
    base.kept[event.at] = false;
    // SAFETY: as above.
    let before = unsafe { trim::play(&base, lookup, &mut tick)? };

    let (mut choice, mut parameters) = trim::before(graph, part.start)?;
    if trim::recordings(graph, submitted)
        .iter()
        .any(|one| is_in_whole(graph, *one, part.start, &choice.stripped))
    {
        return Err(own(
            "the command buffer of the event also runs where the capture is kept as it is, before the event",
        ));
    }
    choice.chosen[*submission] = true;
    trim::choose_addressed(graph, *submission, &mut choice);
    work.iter().filter(|at| **at != event.at).for_each(|at| choice.unwanted[*at] = true);
    leave_out_state(graph, event, &mut choice.unwanted);
    choice.unwanted[submission + 1..].fill(true);
    let Record::Call(call) = &graph.nodes[*submission].record else { return Err(own("no submission")) };
    parameters.insert(*submission, edit::submission(call, |place| place == event.place)?);
    // The other command buffers of the call are not needed.
    let (all, only) = (submitted.clone(), event.recordings[0]);
    if all.iter().any(|one| *one != only) {
        let others: Vec<Object> =
            trim::recordings(graph, &all).into_iter().filter(|one| !event.recordings.contains(one)).collect();
        for other in others {
            graph.recorded(other).iter().for_each(|at| choice.unwanted[*at] = true);
        }
    }
    let mut graph_kept = graph.closure(&choice);
    // What the event changed is looked at in the end, so nothing is destroyed before.
    graph_kept[submission + 1..].fill(false);
    let mut exported = Rewritten::new(graph, graph_kept);
    exported.parameters = parameters;
    set_attachments(graph, &mut exported, Contents::LoadAndStore)?;
    let needed = |snapshot| trim::of_needed(graph, &exported.kept, *submission, snapshot);
    let (before, after) = (needed(before), needed(after));
    exported.last = differences(&before, &after);
    exported.contents = Some((*submission, before));
    Ok(exported)
}

/// Whether a recording is submitted by one of the submissions that are kept as they are.
fn is_in_whole(graph: &Graph<'_>, recording: Object, start: usize, stripped: &[bool]) -> bool {
    let before = graph.submissions.iter().filter(|(at, _)| *at < start && !stripped[*at]);
    before.into_iter().any(|(_, submitted)| trim::recordings(graph, submitted).contains(&recording))
}

/// Changes the operations on attachments in all calls that are kept.
pub(crate) fn set_attachments(
    graph: &Graph<'_>,
    rewritten: &mut Rewritten<'_, '_>,
    contents: Contents,
) -> Result<(), ReplayError> {
    for (at, node) in graph.nodes.iter().enumerate() {
        if rewritten.kept[at]
            && let Record::Call(call) = &node.record
            && let Some(parameters) = edit::attachments(call, contents)?
        {
            rewritten.parameters.insert(at, parameters);
        }
    }
    Ok(())
}
