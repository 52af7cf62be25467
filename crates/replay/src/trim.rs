//! A part of a capture as a capture of its own.
//!
//! **Problem.** A part begins in the middle of what a program did: with objects, contents of memory, and the
//! states of semaphores. **Approach.** The records before the part are replayed, and what memory holds then
//! is written down. Of the calls before it, those are kept that the part needs
//! ([`pyro_capture::graph::Graph::closure`]), and submissions without their command buffers, so that
//! semaphores and fences are in the states that they were in. Where work had effects that are in no memory
//! (acceleration structures, events, queries that are copied), the capture is kept as it is up to there.

use crate::edit;
use crate::{Lookup, Player, ReplayError};
use pyro_capture::graph::{Choice, Graph, Role};
use pyro_capture::record::{Call, Record};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Contents of memory: the handle, an offset, bytes.
pub type Snapshot = Vec<(u64, u64, Vec<u8>)>;

/// A capture that is written anew: which records it has, with which changes.
pub struct Rewritten<'g, 'a> {
    graph: &'g Graph<'a>,
    /// The records that are kept.
    pub kept: Vec<bool>,
    /// Other parameters of calls.
    pub parameters: HashMap<usize, Vec<u8>>,
    /// Contents of memory that are written before a record.
    pub contents: Option<(usize, Snapshot)>,
    /// Records at the end.
    pub last: Vec<Record<'static>>,
    /// Facts that are added.
    pub facts: Vec<(String, String)>,
}

impl<'g, 'a> Rewritten<'g, 'a> {
    /// These records of a capture.
    pub fn new(graph: &'g Graph<'a>, kept: Vec<bool>) -> Rewritten<'g, 'a> {
        Rewritten {
            graph,
            kept,
            parameters: HashMap::new(),
            contents: None,
            last: Vec::new(),
            facts: Vec::new(),
        }
    }

    /// Gives all records to a function, in order.
    ///
    /// # Errors
    /// The function's.
    pub fn each<E>(&self, mut take: impl FnMut(&Record<'_>) -> Result<(), E>) -> Result<(), E> {
        for (name, value) in &self.facts {
            take(&Record::Text(name, value))?;
        }
        for (at, node) in self.graph.nodes.iter().enumerate() {
            self.contents_before(at, &mut take)?;
            if !self.kept[at] {
                continue;
            }
            match (&node.record, self.parameters.get(&at)) {
                (Record::Call(call), Some(parameters)) => {
                    take(&Record::Call(Call { parameters, ..call.clone() }))?
                }
                (record, _) => take(record)?,
            }
        }
        self.contents_before(self.graph.nodes.len(), &mut take)?;
        self.last.iter().try_for_each(take)
    }

    fn contents_before<E>(
        &self,
        at: usize,
        take: &mut impl FnMut(&Record<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((_, contents)) = self.contents.as_ref().filter(|(before, _)| *before == at) else {
            return Ok(());
        };
        contents.iter().try_for_each(|(memory, offset, bytes)| {
            take(&Record::Write { memory: *memory, offset: *offset, bytes })
        })
    }

    /// All records as bytes, as blocks of a capture hold them.
    pub fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let each: Result<(), std::convert::Infallible> = self.each(|record| {
            pyro_capture::record::append(record, &mut bytes);
            Ok(())
        });
        match each {
            Ok(()) => bytes,
        }
    }
}

/// Makes records again, up to the end, and gives what is in memory then.
///
/// # Errors
/// When a record cannot be made again.
///
/// # Safety
/// The lookup is a Vulkan implementation's.
pub unsafe fn play(
    rewritten: &Rewritten<'_, '_>,
    lookup: Lookup,
    mut tick: impl FnMut(),
) -> Result<Snapshot, ReplayError> {
    // SAFETY: the contract of this function.
    let mut player = unsafe { Player::new(lookup) };
    let bytes = rewritten.encoded();
    let mut rest = &bytes[..];
    while let Some(record) = take(&mut rest) {
        let mut following = rest;
        player.play(&record, &mut std::iter::from_fn(|| take(&mut following)))?;
        tick();
    }
    player.snapshot()
}

/// The next of records that were encoded here.
fn take<'r>(rest: &mut &'r [u8]) -> Option<Record<'r>> {
    if rest.is_empty() { None } else { pyro_capture::record::next(rest).ok() }
}

/// Commands whose effects are in no memory.
pub(crate) fn is_outside_memory(command: &str) -> bool {
    [
        "vkCmdBuildAccelerationStructure",
        "vkCmdCopyAccelerationStructure",
        "vkCmdCopyMemoryToAccelerationStructure",
    ]
    .iter()
    .any(|start| command.starts_with(start))
        || matches!(
            command,
            // Variables of CUDA modules are no device memory.
            "vkCmdCudaLaunchKernelNV"
                | "vkCmdBuildMicromapsEXT"
                | "vkCmdCopyMicromapEXT"
                | "vkCmdCopyMemoryToMicromapEXT"
        )
}

/// Commands that change events and queries.
pub(crate) fn is_of_event_or_query(command: &str) -> bool {
    ["vkCmdSetEvent", "vkCmdResetEvent", "vkCmdBeginQuery", "vkCmdWriteTimestamp", "vkCmdResetQueryPool"]
        .iter()
        .any(|start| command.starts_with(start))
        || command.starts_with("vkCmdWriteAccelerationStructuresProperties")
}

/// All recordings that a submission runs, with those that they execute.
pub fn recordings(graph: &Graph<'_>, submitted: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = submitted.to_vec();
    let mut index = 0;
    while index < all.len() {
        for at in graph.recorded(all[index]) {
            for one in graph.executed(*at) {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        index += 1;
    }
    all
}

/// Up to where the capture has to be kept as it is, for a part that begins at a record.
fn whole_until(graph: &Graph<'_>, start: usize) -> usize {
    // Events and queries that the part reads without having set them.
    let read: Vec<u32> = graph.nodes[start..]
        .iter()
        .filter(|node| {
            let name = node.command();
            name.starts_with("vkCmdWaitEvents") || name.starts_with("vkCmdCopyQueryPoolResults")
        })
        .flat_map(|node| node.uses.iter().copied())
        .filter(|object| !graph.is_recording(*object))
        .filter(|object| graph.objects[*object as usize].at < start)
        .collect();
    let is_kept = |at: &usize| {
        let node = &graph.nodes[*at];
        is_outside_memory(node.command())
            || (is_of_event_or_query(node.command())
                && node.uses.iter().any(|one| is_state(graph, *one, &read)))
    };
    let before = graph.submissions.iter().rev().filter(|(at, _)| *at < start);
    let last = before.into_iter().find(|(_, submitted)| {
        recordings(graph, submitted).iter().any(|one| graph.recorded(*one).iter().any(is_kept))
    });
    last.map_or(0, |(at, _)| graph.end_of(*at))
}

/// Whether an object is an event or a query pool among those that are read.
fn is_state(graph: &Graph<'_>, object: u32, read: &[u32]) -> bool {
    let ty = graph.objects[object as usize].handle_type;
    let name = ty.map_or("", |ty| pyro_capture::schema::handle_types()[usize::from(ty)].name);
    matches!(name, "Event" | "QueryPool") && read.contains(&object)
}

/// What is kept before a part, for the part: submissions without their command buffers. Buffers with
/// addresses are not among it ([`choose_addressed`]).
///
/// # Errors
/// When the parameters of a submission cannot be decoded or encoded.
pub fn before(graph: &Graph<'_>, start: usize) -> Result<(Choice, HashMap<usize, Vec<u8>>), ReplayError> {
    let mut choice = Choice::nothing(graph.nodes.len());
    let mut parameters = HashMap::new();
    let whole = whole_until(graph, start);
    for (at, node) in graph.nodes[..start].iter().enumerate() {
        let is_whole = at < whole;
        choice.chosen[at] = match node.role {
            Role::Work => true,
            Role::Contents(_) => is_whole && matches!(node.record, Record::Write { .. }),
            _ => false,
        };
        if let (false, true, Record::Call(call)) = (is_whole, node.is_submission(), &node.record) {
            choice.stripped[at] = true;
            parameters.insert(at, edit::submission(call, |_| false)?);
        }
    }
    Ok((choice, parameters))
}

/// Chooses the buffers before a part whose addresses the program has asked for, as far as they live: what
/// shaders access by addresses, no call says.
pub(crate) fn choose_addressed(graph: &Graph<'_>, start: usize, choice: &mut Choice) {
    let mut ended = HashSet::<u32>::new();
    for (at, node) in graph.nodes[..start].iter().enumerate().rev() {
        if node.role == Role::Destroy {
            // The first is the device.
            ended.extend(node.uses.iter().skip(1));
        } else if node.command() == "vkGetBufferDeviceAddress" {
            choice.chosen[at] |= !node.uses.iter().any(|object| ended.contains(object));
        }
    }
}

/// A part of a capture.
///
/// # Errors
/// When the part is empty, the device works on something at its start, or what is before it cannot be made
/// again.
///
/// # Safety
/// The lookup is a Vulkan implementation's.
pub unsafe fn trimmed<'g, 'a>(
    graph: &'g Graph<'a>,
    part: Range<usize>,
    lookup: Lookup,
    tick: impl FnMut(),
) -> Result<Rewritten<'g, 'a>, ReplayError> {
    if !graph.is_idle_behind(part.start) {
        return Err(ReplayError::Own {
            call: 0,
            what: "the device still works at the start of the part, so its memory cannot be written down; choose \
                   another start"
                .to_owned(),
        });
    }
    let first = Rewritten::new(graph, (0..graph.nodes.len()).map(|at| at < part.start).collect());
    // SAFETY: the contract of this function.
    let snapshot = unsafe { play(&first, lookup, tick)? };
    with_contents(graph, part, snapshot)
}

/// A part of a capture, at whose start memory holds this. The device is idle there.
///
/// # Errors
/// When the parameters of a submission cannot be decoded or encoded.
pub fn with_contents<'g, 'a>(
    graph: &'g Graph<'a>,
    part: Range<usize>,
    snapshot: Snapshot,
) -> Result<Rewritten<'g, 'a>, ReplayError> {
    let (mut choice, parameters) = before(graph, part.start)?;
    choose_addressed(graph, part.start, &mut choice);
    choice.chosen[part.clone()].fill(true);
    choice.unwanted[part.end..].fill(true);
    let mut kept = graph.closure(&choice);
    // Nothing is destroyed behind the part: a replay does that by itself.
    kept[part.end..].fill(false);
    let mut trimmed = Rewritten::new(graph, kept);
    trimmed.parameters = parameters;
    trimmed.contents = Some((part.start, of_needed(graph, &trimmed.kept, part.start, snapshot)));
    Ok(trimmed)
}

/// What is before a record, for whatever comes from there on: all objects, and the recordings that can still
/// be submitted. At the record memory holds this, and the device is idle.
///
/// # Errors
/// When the parameters of a submission cannot be decoded or encoded.
pub fn before_anything<'g, 'a>(
    graph: &'g Graph<'a>,
    start: usize,
    snapshot: Snapshot,
) -> Result<Rewritten<'g, 'a>, ReplayError> {
    let (choice, mut parameters) = before(graph, start)?;
    // What waits for an event or reads a query may come.
    let is_kept = |at: &usize| {
        let command = graph.nodes[*at].command();
        is_outside_memory(command) || is_of_event_or_query(command)
    };
    let earlier = || graph.submissions.iter().rev().filter(|(at, _)| *at < start);
    let last = earlier().find(|(_, submitted)| {
        recordings(graph, submitted).iter().any(|one| graph.recorded(*one).iter().any(is_kept))
    });
    let whole = last.map_or(0, |(at, _)| graph.end_of(*at));
    parameters.retain(|at, _| *at >= whole);
    let alive = recordings(graph, &last_recordings(graph, start));
    let is_alive: HashSet<u32> = alive.into_iter().collect();
    let keeps = |at: usize| match graph.nodes[at].role {
        _ if at >= start => false,
        _ if at < whole => !matches!(graph.nodes[at].record, Record::Seen { .. } | Record::Presented { .. }),
        Role::Recorded(recording) => is_alive.contains(&recording),
        Role::Contents(_) => false,
        Role::Attached => true,
        _ => choice.chosen[at] || !matches!(graph.nodes[at].record, Record::Presented { .. }),
    };
    let mut kept: Vec<bool> = (0..graph.nodes.len()).map(keeps).collect();
    for at in 1..start {
        kept[at] &= graph.nodes[at].role != Role::Attached || kept[at - 1];
    }
    let mut rewritten = Rewritten::new(graph, kept);
    rewritten.parameters = parameters;
    rewritten.contents = Some((start, of_needed(graph, &rewritten.kept, start, snapshot)));
    Ok(rewritten)
}

/// The last recording of each command buffer before a record.
fn last_recordings(graph: &Graph<'_>, start: usize) -> Vec<u32> {
    let mut last: HashMap<u64, u32> = HashMap::new();
    for node in &graph.nodes[..start] {
        if let Role::Recorded(recording) = node.role {
            last.insert(graph.objects[recording as usize].handle, recording);
        }
    }
    last.into_values().collect()
}

/// The contents of memory that is there in what is kept before a record.
pub fn of_needed(graph: &Graph<'_>, kept: &[bool], start: usize, snapshot: Snapshot) -> Snapshot {
    let is_there = |memory: u64| {
        let alive = graph
            .objects
            .iter()
            .rev()
            .find(|one| one.handle == memory && is_memory(one.handle_type) && one.at < start);
        alive.is_some_and(|one| kept[one.at])
    };
    snapshot.into_iter().filter(|(memory, ..)| is_there(*memory)).collect()
}

fn is_memory(handle_type: Option<u16>) -> bool {
    handle_type.is_some() && handle_type == pyro_capture::schema::handle_type("DeviceMemory")
}
