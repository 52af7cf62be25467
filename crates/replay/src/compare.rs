//! Where two captures differ: in their calls, and in which command's results.
//!
//! **Problem.** Two versions of a program, or two drivers, give other pictures; which draw is it?
//! **Approach.** Calls are compared one by one, with objects instead of handles. For the results, the
//! submission in which memory first differs is trimmed out ([`trim`]), and replayed with its first commands
//! only: how many it takes until memory differs says which command it is. The replays themselves are the
//! caller's, as they may need processes of their own.

use crate::edit::Contents;
use crate::export;
use crate::trim::{self, Rewritten};
use crate::{Lookup, ReplayError};
use pyro_capture::decode::{self, Handles, Parameters};
use pyro_capture::graph::{Graph, Node, Object};
use pyro_capture::record::{Call, Record};
use pyro_capture::schema::{self, Command};
use pyro_capture::{encode, file};
use std::collections::HashSet;

/// The first record in which two captures differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The record in each; none where one has ended.
    pub at: [Option<usize>; 2],
    /// What differs: a command, its parameters, what the program wrote.
    pub what: String,
}

/// Handles as the objects that they are for.
struct Objects<'g, 'a> {
    graph: &'g Graph<'a>,
    node: &'g Node<'a>,
}

impl Handles for Objects<'_, '_> {
    fn translate(&mut self, handle_type: u16, captured: u64) -> u64 {
        let is_it = |object: &&Object| {
            let made = &self.graph.objects[**object as usize];
            (made.handle_type, made.handle) == (Some(handle_type), captured)
        };
        self.node.uses.iter().find(is_it).map_or(0, |object| u64::from(*object) + 1)
    }
}

/// The parameters of a call with objects instead of handles: decoded, and encoded.
fn canonical(
    graph: &Graph<'_>,
    node: &Node<'_>,
    call: &Call<'_>,
    command: &'static Command,
) -> Result<(Parameters, Vec<u8>), ReplayError> {
    let mut parameters = Parameters::default();
    decode::parameters(command, call.parameters, &mut Objects { graph, node }, &mut parameters)
        .map_err(|source| ReplayError::Decode { call: 0, command: command.name, source })?;
    parameters.clear_outputs();
    let mut bytes = Vec::new();
    // SAFETY: the decoder made the parameters.
    unsafe { encode::parameters_without_padding(command, &parameters.slots, &mut bytes) };
    Ok((parameters, bytes))
}

/// The name of the first parameter that differs, with the member of what it points at where that is one.
fn parameter(command: &'static Command, one: &Parameters, other: &Parameters) -> String {
    for (slot, parameter) in command.parameters.iter().enumerate() {
        let is_pointer = matches!(parameter.kind, schema::Kind::Pointer(..) | schema::Kind::Chain(_));
        if !is_pointer && one.slots[slot] != other.slots[slot] {
            return match parameter.kind {
                schema::Kind::Bytes(_) => {
                    format!("{} {}, {}", parameter.name, one.slots[slot], other.slots[slot])
                }
                _ => parameter.name.to_owned(),
            };
        }
        let both = one.structure(command, slot).zip(other.structure(command, slot));
        let Some(((structure, one), (_, other))) = both else { continue };
        for member in structure.members.iter().filter(|member| schema::is_plain(member.kind)) {
            let start = member.offset as usize;
            let bytes = start..start + (member.count * schema::size(member.kind)) as usize;
            if one.get(bytes.clone()) != other.get(bytes) {
                return format!("{}->{}", parameter.name, member.name);
            }
        }
    }
    let pointers = command.parameters.iter().filter(|one| matches!(one.kind, schema::Kind::Pointer(..)));
    let names: Vec<&str> = pointers.map(|one| one.name).collect();
    format!("what is behind {}", names.join(", "))
}

/// What differs between two records; none where nothing does that the program has decided.
fn difference(graphs: [&Graph<'_>; 2], at: [usize; 2]) -> Result<Option<String>, ReplayError> {
    let [one, other] = [0, 1].map(|side| &graphs[side].nodes[at[side]]);
    Ok(match (&one.record, &other.record) {
        (Record::Call(first), Record::Call(second)) => {
            if first.command != second.command {
                return Ok(Some(format!("{}, {}", one.command(), other.command())));
            }
            let command = schema::commands().get(usize::from(first.command));
            let command = command.ok_or(file::ReadError::Record("is a call of an unknown command"))?;
            let [(first, first_bytes), (second, second_bytes)] =
                [canonical(graphs[0], one, first, command)?, canonical(graphs[1], other, second, command)?];
            (first_bytes != second_bytes)
                .then(|| format!("{}: {}", command.name, parameter(command, &first, &second)))
        }
        (
            Record::Write { offset, bytes, .. },
            Record::Write { offset: other_offset, bytes: other_bytes, .. },
        ) => {
            if (one.role, offset, bytes.len()) != (other.role, other_offset, other_bytes.len()) {
                return Ok(Some("the program writes to other places of memory".to_owned()));
            }
            let differs = bytes.iter().zip(*other_bytes).position(|(one, other)| one != other);
            differs.map(|byte| {
                format!(
                    "the program writes other contents, from byte {} of a memory on",
                    offset + byte as u64
                )
            })
        }
        (Record::Host(first), Record::Host(second)) => {
            (first != second).then(|| "a command reads other contents of the program".to_owned())
        }
        (first, second) => (std::mem::discriminant(first) != std::mem::discriminant(second))
            .then(|| "one has other records".to_owned()),
    })
}

/// The first record in which the calls and the contents that a program decides on differ; none where they are
/// the same. What the device has left is not compared.
///
/// # Errors
/// When a call cannot be decoded.
pub fn first_difference(graphs: [&Graph<'_>; 2]) -> Result<Option<Difference>, ReplayError> {
    let is_input =
        |record: &Record<'_>| matches!(record, Record::Call(_) | Record::Write { .. } | Record::Host(_));
    let inputs = |graph: &Graph<'_>| -> Vec<usize> {
        let numbered = graph.nodes.iter().enumerate();
        numbered.filter(|(_, node)| is_input(&node.record)).map(|(at, _)| at).collect()
    };
    let [ones, others] = graphs.map(inputs);
    for (one, other) in ones.iter().zip(&others) {
        if let Some(what) = difference(graphs, [*one, *other])? {
            return Ok(Some(Difference { at: [Some(*one), Some(*other)], what }));
        }
    }
    let rest = [ones.get(others.len()).copied(), others.get(ones.len()).copied()];
    Ok((rest != [None; 2]).then(|| Difference { at: rest, what: "one has more calls".to_owned() }))
}

/// The commands of a submission that leave results in memory, in the order in which they run.
///
/// # Errors
/// When command buffers execute others too often.
pub fn steps(graph: &Graph<'_>, submission: usize) -> Result<Vec<usize>, ReplayError> {
    let is_step = |at: &usize| {
        let command = graph.nodes[*at].command();
        // Queries come in pairs, and change no memory of the program.
        !["vkCmdBeginQuery", "vkCmdEndQuery", "vkCmdWaitEvents", "vkCmdSetEvent", "vkCmdResetEvent"]
            .iter()
            .any(|start| command.starts_with(start))
    };
    Ok(export::work_of(graph, submission)?.into_iter().filter(is_step).collect())
}

/// A submission as a capture of its own, which stores all attachments.
///
/// # Errors
/// When the device works on something before it, or what is before it cannot be made again.
///
/// # Safety
/// The lookup is a Vulkan implementation's.
pub unsafe fn submission<'g, 'a>(
    graph: &'g Graph<'a>,
    submission: usize,
    lookup: Lookup,
    tick: impl FnMut(),
) -> Result<Rewritten<'g, 'a>, ReplayError> {
    let part = graph.parts_by_submission()[submission].clone();
    // SAFETY: the contract of this function.
    let mut alone = unsafe { trim::trimmed(graph, part, lookup, tick)? };
    for (at, node) in graph.nodes.iter().enumerate() {
        alone.kept[at] &= !matches!(node.record, Record::Seen { .. } | Record::Presented { .. });
    }
    export::set_attachments(graph, &mut alone, Contents::Store)?;
    Ok(alone)
}

/// Leaves out all steps of a submission but for so many.
///
/// # Errors
/// When one of those that stay is done again behind them.
pub fn keep_first(
    alone: &mut Rewritten<'_, '_>,
    whole: &[bool],
    steps: &[usize],
    count: usize,
) -> Result<(), ReplayError> {
    let (stay, go) = steps.split_at(count);
    let stay: HashSet<&usize> = stay.iter().collect();
    if go.iter().any(|at| stay.contains(at)) {
        return Err(export::own("a command buffer is executed several times in the submission"));
    }
    alone.kept.copy_from_slice(whole);
    go.iter().for_each(|at| alone.kept[*at] = false);
    Ok(())
}
