//! Graphs with a place for each value, ready to run.

use crate::graph::{Graph, Source, ValueId};
use crate::{GraphError, MEMORY_ALIGNMENT, Opcode, TensorType, Threads};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Where the tensors of a run come from and go to.
pub trait Tensors {
    /// Writes the elements of the graph's input of this number, packed.
    fn read(&self, input: usize, bytes: &mut [u8], threads: &dyn Threads);

    /// Takes the elements of the graph's output of this number, packed.
    fn write(&self, output: usize, bytes: &[u8], threads: &dyn Threads);
}

/// A graph that runs in one range of memory.
pub struct Program {
    graph: Graph,
    /// Where values lie that are not constant, by their numbers; empty for others.
    places: Vec<Range<usize>>,
    memory_bytes: usize,
}

/// Finds room for values: among the first free ranges, else behind all.
#[derive(Default)]
struct Room {
    /// Free ranges below `end`, by where they start, none next to another.
    free: BTreeMap<usize, usize>,
    end: usize,
}

/// Free ranges that are looked at, so that graphs of many values are laid out in time.
const LOOKED_AT: usize = 64;

impl Room {
    fn take(&mut self, bytes: usize) -> Range<usize> {
        let fits = self.free.iter().take(LOOKED_AT).find(|(start, end)| **end - **start >= bytes);
        if let Some((&start, &end)) = fits {
            self.free.remove(&start);
            if end - start > bytes {
                self.free.insert(start + bytes, end);
            }
            return start..start + bytes;
        }
        // What is free at the end is the beginning.
        let last = self.free.last_key_value().filter(|(_, end)| **end == self.end);
        let start = last.map_or(self.end, |(&start, _)| start);
        self.free.remove(&start);
        self.end = start + bytes;
        start..self.end
    }

    fn give_back(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let Range { mut start, mut end } = range;
        if let Some(next) = self.free.remove(&end) {
            end = next;
        }
        let before = self.free.range(..start).next_back().filter(|(_, end)| **end == start);
        if let Some((&before, _)) = before {
            start = before;
        }
        self.free.insert(start, end);
    }
}

/// The bytes that a value takes.
fn room(bytes: usize) -> usize {
    bytes.next_multiple_of(MEMORY_ALIGNMENT as usize)
}

impl Program {
    /// Gives values their places.
    ///
    /// # Errors
    /// When the graph has operators or constants that are not known.
    pub fn new(graph: Graph) -> Result<Program, GraphError> {
        let value_count = graph.values.len();
        // The number of the last operator that reads a value: one behind all for outputs.
        let mut last: Vec<usize> = vec![0; value_count];
        for (number, node) in graph.nodes.iter().enumerate() {
            for read in &node.reads {
                last[read.index()] = last[read.index()].max(number);
            }
            for result in 0..node.count {
                let result = node.first.offset(result).index();
                last[result] = last[result].max(number);
            }
        }
        for output in &graph.outputs {
            last[output.index()] = graph.nodes.len();
        }
        let used = graph.nodes.iter().flat_map(|node| &node.reads).chain(&graph.outputs);
        for value in used {
            if matches!(graph.values[value.index()].source, Source::Unknown | Source::Constant(None)) {
                let message = "a constant of the graph is not given, or an operand has to be constant";
                return Err(GraphError::Invalid(message.into()));
            }
        }
        let mut places = vec![0..0; value_count];
        let mut memory = Room::default();
        let bytes = |value: ValueId| room(graph.values[value.index()].ty.bytes());
        for &input in &graph.inputs {
            places[input.index()] = memory.take(bytes(input));
        }
        // Values by the operator behind which their room is free.
        let mut ends: Vec<Vec<ValueId>> = vec![Vec::new(); graph.nodes.len() + 1];
        for &input in &graph.inputs {
            ends[last[input.index()]].push(input);
        }
        for (number, node) in graph.nodes.iter().enumerate() {
            // Results of one operator lie one behind the other.
            let all = (0..node.count).map(|at| bytes(node.first.offset(at))).sum();
            let mut start = memory.take(all).start;
            for result in (0..node.count).map(|at| node.first.offset(at)) {
                places[result.index()] = start..start + bytes(result);
                start += bytes(result);
                ends[last[result.index()]].push(result);
            }
            for value in std::mem::take(&mut ends[number]) {
                memory.give_back(places[value.index()].clone());
            }
        }
        let memory_bytes = memory.end;
        for (value, place) in graph.values.iter().zip(&mut places) {
            place.end = place.end.min(place.start + value.ty.bytes());
        }
        Ok(Program { graph, places, memory_bytes })
    }

    /// Bytes of memory that a run needs.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// The types of the inputs.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &TensorType> {
        self.graph.inputs.iter().map(|&input| self.graph.ty(input))
    }

    /// The types of the outputs.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = &TensorType> {
        self.graph.output_types.iter()
    }

    /// The operators, in the order in which they run, with the types of their first results.
    pub fn operators(&self) -> impl Iterator<Item = (Opcode, &TensorType)> {
        self.graph.nodes.iter().map(|node| (node.opcode, self.graph.ty(node.first)))
    }

    /// Runs the graph in this memory. Nobody else reads or writes it meanwhile; nothing of it is kept.
    ///
    /// # Panics
    /// When the memory has fewer bytes than [`Program::memory_bytes`].
    pub fn run(&self, memory: &mut [u8], tensors: &dyn Tensors, threads: &dyn Threads) {
        let memory = &mut memory[..self.memory_bytes];
        for (number, input) in self.graph.inputs.iter().enumerate() {
            tensors.read(number, &mut memory[self.places[input.index()].clone()], threads);
        }
        for node in &self.graph.nodes {
            let [first, last] = [0, node.count - 1].map(|at| &self.places[node.first.offset(at).index()]);
            let (before, rest) = memory.split_at_mut(first.start);
            let (results, after) = rest.split_at_mut(last.end - first.start);
            let value = |value: &ValueId| -> &[u8] {
                if let Some(bytes) = self.constant(*value) {
                    return bytes;
                }
                let place = &self.places[value.index()];
                if place.end <= first.start {
                    &before[place.clone()]
                } else {
                    &after[place.start - last.end..place.end - last.end]
                }
            };
            let inputs: Vec<&[u8]> = node.reads.iter().map(value).collect();
            let mut results = results;
            let mut outputs: Vec<&mut [u8]> = Vec::with_capacity(node.count);
            let mut start = first.start;
            for at in 0..node.count {
                let place = &self.places[node.first.offset(at).index()];
                let (_, from) = std::mem::take(&mut results).split_at_mut(place.start - start);
                let (own, rest) = from.split_at_mut(place.len());
                outputs.push(own);
                (results, start) = (rest, place.end);
            }
            node.kernel.run(&inputs, &mut outputs, threads);
        }
        for (number, output) in self.graph.outputs.iter().enumerate() {
            let bytes = match self.constant(*output) {
                Some(bytes) => bytes,
                None => &memory[self.places[output.index()].clone()],
            };
            tensors.write(number, bytes, threads);
        }
    }

    fn constant(&self, value: ValueId) -> Option<&[u8]> {
        match &self.graph.values[value.index()].source {
            Source::Constant(bytes) => bytes.as_ref().map(|bytes: &Arc<[u8]>| &bytes[..]),
            _ => None,
        }
    }
}
