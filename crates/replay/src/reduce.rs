//! A smaller capture that still has a property.
//!
//! **Problem.** A capture of a program shows a fault, a pixel or a crash, and thousands of calls that have
//! nothing to do with it. **Approach.** Delta debugging (Zeller and Hildebrandt, 2002) over units of
//! records: ever smaller runs of units are left out, and what the rest still needs is found by the graph
//! ([`pyro_capture::graph::Graph::closure`]). First submissions lose their command buffers, then whole
//! render passes go, single commands, updates of descriptors, contents of memory, and at last the work that
//! nothing is left of.

use crate::ReplayError;
use crate::edit;
use crate::export::does_work;
use crate::trim::Rewritten;
use pyro_capture::graph::{Choice, Graph, Object, Role};
use pyro_capture::record::Record;
use std::collections::{HashMap, HashSet};

/// What is left out, level by level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The command buffers of submissions.
    Submissions,
    /// Render passes as a whole, labels and other pairs.
    Passes,
    /// Commands that do work.
    Work,
    /// All other commands.
    Commands,
    /// Updates of descriptors, names, and other changes of objects.
    Updates,
    /// Contents of memory that the program wrote.
    Contents,
    /// Submissions, waits and presentations.
    Queues,
}

impl Level {
    /// All, in order.
    pub const ALL: [Level; 7] = [
        Level::Submissions,
        Level::Passes,
        Level::Work,
        Level::Commands,
        Level::Updates,
        Level::Contents,
        Level::Queues,
    ];

    /// What its units are.
    pub fn name(self) -> &'static str {
        match self {
            Level::Submissions => "submissions",
            Level::Passes => "render passes",
            Level::Work => "draws, dispatches and transfers",
            Level::Commands => "other commands",
            Level::Updates => "updates",
            Level::Contents => "contents of memory",
            Level::Queues => "calls of queues",
        }
    }
}

/// A set of records that go together.
type Unit = Vec<usize>;

/// A capture on its way to a smaller one.
pub struct Reduction<'g, 'a> {
    graph: &'g Graph<'a>,
    left_out: HashSet<usize>,
    stripped: HashSet<usize>,
}

impl<'g, 'a> Reduction<'g, 'a> {
    /// A capture of which nothing is left out.
    pub fn new(graph: &'g Graph<'a>) -> Reduction<'g, 'a> {
        Reduction { graph, left_out: HashSet::new(), stripped: HashSet::new() }
    }

    /// The capture without what is left out, and without what its program has seen: a smaller one gives other
    /// results.
    ///
    /// # Errors
    /// When a submission cannot be decoded.
    pub fn capture(&self) -> Result<Rewritten<'g, 'a>, ReplayError> {
        let graph = self.graph;
        let mut choice = Choice::nothing(graph.nodes.len());
        let mut parameters = HashMap::new();
        for (at, node) in graph.nodes.iter().enumerate() {
            choice.unwanted[at] = self.left_out.contains(&at);
            choice.chosen[at] = !choice.unwanted[at] && node.role == Role::Work;
            if let (true, Record::Call(call)) = (self.stripped.contains(&at), &node.record) {
                choice.stripped[at] = true;
                parameters.insert(at, edit::submission(call, |_| false)?);
            }
        }
        let kept = graph.closure(&choice);
        // Memory that is needed has the contents that the program wrote.
        let is_there = |object: Object| kept[graph.objects[object as usize].at];
        let mut all = kept.clone();
        for (at, node) in graph.nodes.iter().enumerate() {
            if let (Role::Contents(memory), Record::Write { .. }) = (node.role, &node.record) {
                all[at] = !choice.unwanted[at] && is_there(memory);
            }
        }
        // Nothing is destroyed behind the last work, so that its results can be looked at.
        let end = choice.chosen.iter().rposition(|chosen| *chosen).map_or(0, |last| last + 1);
        for (at, node) in graph.nodes.iter().enumerate().skip(end) {
            all[at] &= node.role != Role::Destroy;
        }
        let mut rewritten = Rewritten::new(graph, all);
        rewritten.parameters = parameters;
        Ok(rewritten)
    }

    /// The records that are there still.
    fn present(&self) -> Result<Vec<bool>, ReplayError> {
        Ok(self.capture()?.kept)
    }

    /// The units of a level that are there still.
    ///
    /// # Errors
    /// As of [`Reduction::capture`].
    pub fn units(&self, level: Level) -> Result<Vec<Unit>, ReplayError> {
        let kept = self.present()?;
        let nodes = self.graph.nodes.iter().enumerate().filter(|(at, _)| kept[*at]);
        let one = |is_unit: &dyn Fn(usize) -> bool| -> Vec<Unit> {
            nodes.clone().map(|(at, _)| at).filter(|at| is_unit(*at)).map(|at| vec![at]).collect()
        };
        let role = |at: usize| self.graph.nodes[at].role;
        let command = |at: usize| self.graph.nodes[at].command();
        let is_inner = |at: usize| {
            matches!(role(at), Role::Recorded(_))
                && !matches!(command(at), "vkBeginCommandBuffer" | "vkEndCommandBuffer")
        };
        Ok(match level {
            Level::Submissions => {
                let all = self.graph.submissions.iter().map(|(at, _)| *at);
                all.filter(|at| kept[*at] && !self.stripped.contains(at)).map(|at| vec![at]).collect()
            }
            Level::Passes => self.pairs(&kept),
            Level::Work => one(&|at| is_inner(at) && does_work(command(at)) && !is_of_pair(command(at))),
            Level::Commands => one(&|at| is_inner(at) && !does_work(command(at)) && !is_of_pair(command(at))),
            Level::Updates => one(&|at| role(at) == Role::Update),
            Level::Contents => one(&|at| matches!(role(at), Role::Contents(_))),
            Level::Queues => one(&|at| {
                // A submission with command buffers has something to do.
                let is_empty = !self.graph.nodes[at].is_submission() || self.stripped.contains(&at);
                role(at) == Role::Work && is_empty
            }),
        })
    }

    /// What begins and ends in recordings: each pair with all that is between, and the pair alone.
    fn pairs(&self, kept: &[bool]) -> Vec<Unit> {
        let is_recording = |object: &Object| self.graph.is_recording(*object);
        let mut units = Vec::new();
        for recording in (0..self.graph.objects.len() as Object).filter(is_recording) {
            let all: Vec<usize> =
                self.graph.recorded(recording).iter().copied().filter(|at| kept[*at]).collect();
            let mut open: Vec<(usize, &str)> = Vec::new();
            for (index, at) in all.iter().enumerate() {
                let command = self.graph.nodes[*at].command();
                if let Some(kind) = begun(command) {
                    open.push((index, kind));
                } else if let Some(kind) = ended(command)
                    && let Some(position) = open.iter().rposition(|(_, one)| *one == kind)
                {
                    let (start, _) = open.remove(position);
                    if kind == "Render" {
                        units.push(all[start..=index].to_vec());
                    } else {
                        units.push(vec![all[start], *at]);
                    }
                }
            }
        }
        units
    }

    /// Leaves out units of a level while what is left has the property; the number of units that are left.
    ///
    /// # Errors
    /// The property's, or as of [`Reduction::capture`].
    pub fn reduce<E: From<ReplayError>>(
        &mut self,
        level: Level,
        mut has_property: impl FnMut(&Rewritten<'g, 'a>, usize) -> Result<bool, E>,
    ) -> Result<usize, E> {
        let mut units = self.units(level)?;
        let mut size = units.len();
        while size > 0 {
            let mut start = 0;
            while start < units.len() {
                let end = (start + size).min(units.len());
                let tried: Vec<usize> = units[start..end].iter().flatten().copied().collect();
                let set = |reduction: &mut Self, is_out: bool| {
                    let target = match level {
                        Level::Submissions => &mut reduction.stripped,
                        _ => &mut reduction.left_out,
                    };
                    for at in &tried {
                        if is_out {
                            target.insert(*at);
                        } else {
                            target.remove(at);
                        }
                    }
                };
                set(self, true);
                if has_property(&self.capture()?, units.len())? {
                    units.drain(start..end);
                } else {
                    set(self, false);
                    start = end;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Ok(units.len())
    }
}

/// The kind of what a command begins.
fn begun(command: &str) -> Option<&'static str> {
    kind(command, "vkCmdBegin")
}

/// The kind of what a command ends.
fn ended(command: &str) -> Option<&'static str> {
    kind(command, "vkCmdEnd")
}

fn kind(command: &str, start: &str) -> Option<&'static str> {
    let rest = command.strip_prefix(start)?;
    ["Render", "Query", "DebugUtilsLabel", "ConditionalRendering", "TransformFeedback"]
        .into_iter()
        .find(|kind| rest.starts_with(kind))
}

/// Whether a command belongs to others of its recording.
fn is_of_pair(command: &str) -> bool {
    begun(command).is_some() || ended(command).is_some() || command.starts_with("vkCmdNextSubpass")
}
