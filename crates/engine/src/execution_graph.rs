//! Execution graphs: nodes that allocate payloads for other nodes (specification, "Execution Graphs").
//!
//! A level is what the nodes at one distance from the first ones get. Workgroups of a level run some at a
//! time, as many as have room for all that they may allocate; then what they have enqueued runs, level by
//! level down, before the next ones do: so memory is bounded by what a graph may allocate in one step, times
//! the depth that it may have ([`GRAPH_DEPTH_MAX`]), however many payloads there are.

use crate::DispatchError;
use crate::Engine;
use crate::aborted::{Aborted, Failure};
use crate::arena::Arena;
use crate::float::Environment;
use crate::pool::Work;
use crate::watchdog::Watchdog;
use crate::workgroup::WorkgroupMemory;
use pyro_abi::node::{
    ARRAY_HEADER_BYTES, GRAPH_DEPTH_MAX, NODE_WORKGROUP_COUNT_MAX, NODE_WORKGROUPS_MAX, NodeInfo,
    NodeWorkgroup, PAYLOAD_ALIGNMENT, PayloadGroups,
};
use pyro_abi::{DispatchContext, Exit, Kernel, Memory};
use pyro_util::thread_scratch::with_scratch;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A node.
pub struct GraphNode {
    /// Its code; none: it draws, with the pipeline of a mesh shader.
    pub kernel: Option<Arc<dyn Kernel>>,
    /// What is known of its shader.
    pub info: NodeInfo,
    /// Its index among the nodes of its name.
    pub index: u32,
    /// The nodes that get what it gets.
    pub sharers: Vec<usize>,
    /// For each of its outputs the nodes of that name, by index.
    pub targets: Vec<HashMap<u32, usize>>,
}

/// The nodes of a graph.
pub struct Graph {
    /// By their numbers.
    pub nodes: Vec<GraphNode>,
    /// Nodes follow which bytes of payloads have been written, for the sanitizer.
    pub follows_written: bool,
}

/// A payload for a node that draws.
pub struct NodeDraw {
    /// The node's number.
    pub node: usize,
    /// Mesh workgroups.
    pub groups: [u32; 3],
    /// The payload.
    pub payload: Box<[u8]>,
}

/// Draws what nodes draw, in the order of the list.
pub type DrawNodes<'d> = dyn FnMut(Vec<NodeDraw>) -> Result<(), DispatchError> + 'd;

/// Payloads for a node.
pub struct GraphInput<'a> {
    /// The node's number.
    pub node: usize,
    /// How many.
    pub count: u64,
    /// Copies the payload of a number into bytes as long as it is.
    pub read: &'a dyn Fn(u64, &mut [u8]),
}

/// Bytes of outputs of workgroups that run together, unless one needs more.
const STEP_BYTES: u64 = 4 << 20;
/// Workgroups that run together at most.
const STEP_WORKGROUPS: usize = 1 << 14;
/// Payloads of commands that are taken together.
const STEP_PAYLOADS: u64 = 4096;

/// A payload that waits for its node.
#[derive(Clone, Copy)]
struct Item {
    node: usize,
    /// How often the node may still enqueue payloads for itself.
    remaining: u32,
    /// Address and bytes.
    payload: u64,
    bytes: u32,
    /// Address of what says which of them have been written; zero where nobody knows.
    written: u64,
}

/// Workgroups of a node, of which each gets the same.
struct Group {
    node: usize,
    record: NodeWorkgroup,
    /// How many.
    count: u32,
}

/// Workgroups that run together.
struct Step<'s> {
    graph: &'s Graph,
    context: &'s DispatchContext,
    /// Their groups, numbers in these and offsets in the outputs.
    workgroups: &'s [(usize, u32, u64)],
    groups: &'s [Group],
    outputs: u64,
    /// Bytes from outputs to what says which of them have been written; zero where nobody asks.
    written_distance: u64,
    /// How many bytes each has used.
    used: Vec<AtomicU64>,
    next: AtomicU64,
    failure: Failure,
    stopped_loop: AtomicU32,
    run_length: u64,
}

thread_local! {
    static MEMORY: RefCell<WorkgroupMemory> = RefCell::default();
}

impl Work for Step<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.failure.record(|| {
            with_scratch(&MEMORY, |memory| {
                let mut prepared = None;
                loop {
                    let first = self.next.fetch_add(self.run_length, Ordering::Relaxed) as usize;
                    if first >= self.workgroups.len() {
                        return Ok(());
                    }
                    self.failure.check()?;
                    let end = (first + self.run_length as usize).min(self.workgroups.len());
                    for (place, &(group, number, offset)) in self.workgroups[first..end].iter().enumerate() {
                        let group = &self.groups[group];
                        let node = &self.graph.nodes[group.node];
                        let Some(kernel) = &node.kernel else { continue };
                        if prepared != Some(group.node) {
                            memory.prepare(kernel.info());
                            prepared = Some(group.node);
                        }
                        let [x, y, _] = group.record.num_workgroups;
                        let id = [number % x, number / x % y, number / x / y];
                        let mut record = group.record;
                        record.output = self.outputs + offset;
                        record.output_bytes = node.info.output_bytes.into();
                        record.output_written = self.written_distance;
                        // SAFETY: the caller's contract; payloads and outputs are memory of the level's.
                        let exit = unsafe { memory.run_node(&**kernel, self.context, id, &mut record) };
                        if exit != Exit::Done {
                            self.stopped_loop.fetch_max(memory.stopped_loop, Ordering::Relaxed);
                            return Err(Aborted);
                        }
                        self.used[first + place].store(record.output_used, Ordering::Relaxed);
                    }
                }
            })
        });
    }
}

impl Engine {
    /// Runs payloads for nodes of a graph, and all that these nodes enqueue, on all threads; gives the number
    /// of invocations. `context` has the descriptor sets and push constants; the rest is filled in here.
    /// `draw` does what nodes draw, on the calling thread.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for every address reachable from `context`.
    #[allow(unsafe_code)]
    pub unsafe fn run_graph(
        &self,
        graph: &Graph,
        context: &DispatchContext,
        inputs: &[GraphInput<'_>],
        draw: &mut DrawNodes<'_>,
    ) -> Result<u64, DispatchError> {
        let context = DispatchContext {
            abort: self.abort.as_ptr() as u64,
            // Workgroups run one at a time: none is ever the last of its row.
            num_workgroups: [u32::MAX; 3],
            base_workgroup: [0; 3],
            streaming: 0,
            ..context.clone()
        };
        let _environment = Environment::enter();
        let _deadline = self.watchdog.as_ref().map(Watchdog::watch);
        // SAFETY: what is read and written by it is memory of levels, which are as large as the accesses
        // assume.
        let memory = unsafe { Memory::new() };
        let (levels, draws) = (Vec::new(), Vec::new());
        let mut run =
            GraphRun { engine: self, graph, context: &context, memory, levels, invocations: 0, draws, draw };
        let mut payloads = Arena::default();
        for input in inputs {
            let Some(node) = graph.nodes.get(input.node) else { continue };
            let bytes = node.info.input.map_or(0, |input| input.bytes);
            let stride = u64::from(bytes.next_multiple_of(PAYLOAD_ALIGNMENT).max(PAYLOAD_ALIGNMENT));
            let mut first = 0;
            while first < input.count {
                let count = STEP_PAYLOADS.min(input.count - first);
                // Some bytes before the first payload are nobody's, as before those that nodes allocate.
                let start = payloads.reserve(((count + 1) * stride) as usize) + stride;
                let mut items = Vec::new();
                let mut one = vec![0; bytes as usize];
                for number in 0..count {
                    (input.read)(first + number, &mut one);
                    let payload = start + number * stride;
                    write(memory, payload, &one);
                    let remaining = node.info.max_recursion;
                    items.push(Item { node: input.node, remaining, payload, bytes, written: 0 });
                }
                // SAFETY: the caller's contract.
                unsafe { run.level(1, &items) }?;
                first += count;
            }
        }
        Ok(run.invocations)
    }
}

/// Bytes at an address.
fn read(memory: Memory, address: u64, count: u32) -> Vec<u8> {
    (address..address + u64::from(count)).map(|address| memory.load::<u8>(address)).collect()
}

fn write(memory: Memory, address: u64, bytes: &[u8]) {
    (address..).zip(bytes).for_each(|(address, &byte)| memory.store(address, byte));
}

/// A graph that runs.
struct GraphRun<'g, 'd> {
    engine: &'g Engine,
    graph: &'g Graph,
    context: &'g DispatchContext,
    memory: Memory,
    /// Memory of levels that do not run now.
    levels: Vec<LevelMemory>,
    /// What has run.
    invocations: u64,
    /// What waits to be drawn.
    draws: Vec<NodeDraw>,
    draw: &'g mut DrawNodes<'d>,
}

/// Where outputs of workgroups lie that run together.
#[derive(Clone, Copy)]
struct Outputs {
    /// Their address.
    start: u64,
    /// Bytes from each to what says whether it has been written; zero where nobody asks.
    written_distance: u64,
}

/// What a level has in memory.
#[derive(Default)]
struct LevelMemory {
    outputs: Arena,
    coalesced: Arena,
}

impl GraphRun<'_, '_> {
    /// Runs what has come to a level, and all that follows from it.
    ///
    /// # Safety
    /// That of [`Engine::run_graph`]; payloads are valid for the bytes that they have.
    #[allow(unsafe_code)]
    unsafe fn level(&mut self, depth: u32, items: &[Item]) -> Result<(), DispatchError> {
        // What goes deeper than any graph may is left out: a valid one has no such payloads.
        if depth > GRAPH_DEPTH_MAX || items.is_empty() {
            return Ok(());
        }
        let mut memory = self.levels.pop().unwrap_or_default();
        // Counters of workgroups that have not finished, one for each item.
        let unfinished: Vec<AtomicU32> = items.iter().map(|_| AtomicU32::new(0)).collect();
        unfinished.as_ptr().expose_provenance();
        let groups = self.groups(items, &unfinished, &mut memory.coalesced);
        for group in &groups {
            let kernel = self.graph.nodes[group.node].kernel.as_ref();
            let each = kernel.map_or(0, |kernel| kernel.info().invocation_count());
            let all = u64::from(group.count) * u64::from(each);
            self.invocations = self.invocations.saturating_add(all);
        }
        let draws = std::mem::take(&mut self.draws);
        let mut result = if draws.is_empty() { Ok(()) } else { (self.draw)(draws) };
        let (mut group, mut number) = (0, 0);
        while result.is_ok() && group < groups.len() {
            let mut workgroups: Vec<(usize, u32, u64)> = Vec::new();
            let mut bytes = 0;
            while group < groups.len() && workgroups.len() < STEP_WORKGROUPS {
                let one = u64::from(self.graph.nodes[groups[group].node].info.output_bytes);
                if bytes + one > STEP_BYTES && !workgroups.is_empty() {
                    break;
                }
                workgroups.push((group, number, bytes));
                bytes += one;
                number += 1;
                if number == groups[group].count {
                    (group, number) = (group + 1, 0);
                }
            }
            let written_distance = if self.graph.follows_written { bytes } else { 0 };
            let outputs = memory.outputs.reserve((bytes + written_distance) as usize);
            memory.outputs.zero(0..(bytes + written_distance) as usize);
            let outputs = Outputs { start: outputs, written_distance };
            // SAFETY: the caller's contract.
            result = unsafe { self.step(&workgroups, &groups, outputs) }.and_then(|used| {
                let next = self.enqueued(&workgroups, &groups, outputs, &used);
                // SAFETY: the outputs stay as they are until that has run.
                unsafe { self.level(depth + 1, &next) }
            });
        }
        self.levels.push(memory);
        result
    }

    /// Runs workgroups, and says how many bytes of outputs each has used.
    ///
    /// # Safety
    /// That of [`Engine::run_graph`], and of the groups' records.
    #[allow(unsafe_code)]
    unsafe fn step(
        &self,
        workgroups: &[(usize, u32, u64)],
        groups: &[Group],
        Outputs { start: outputs, written_distance }: Outputs,
    ) -> Result<Vec<u64>, DispatchError> {
        let count = workgroups.len() as u64;
        let threads = self.engine.threads_for(count, true) as u64;
        let step = Step {
            graph: self.graph,
            context: self.context,
            workgroups,
            groups,
            outputs,
            written_distance,
            used: workgroups.iter().map(|_| AtomicU64::new(0)).collect(),
            next: AtomicU64::new(0),
            failure: Failure::default(),
            stopped_loop: AtomicU32::new(0),
            run_length: (count / (threads * 8)).clamp(1, 64),
        };
        // SAFETY: the caller's contract.
        unsafe {
            match threads {
                1 => step.work(),
                _ => self.engine.pool.share(&step, count.div_ceil(step.run_length)),
            }
        }
        if step.failure.check().and_then(|()| self.engine.unless_stopped()).is_err() {
            self.engine.abort.store(1, Ordering::Relaxed);
            return Err(DispatchError::Aborted);
        }
        Ok(step.used.into_iter().map(AtomicU64::into_inner).collect())
    }

    /// The workgroups that payloads are for.
    fn groups(&mut self, items: &[Item], unfinished: &[AtomicU32], coalesced: &mut Arena) -> Vec<Group> {
        let mut groups = Vec::new();
        // What is coalesced, by node and levels that are left.
        let mut together: Vec<(usize, u32, Vec<Item>)> = Vec::new();
        for (item, unfinished) in items.iter().zip(unfinished) {
            let graph = self.graph;
            let node = &graph.nodes[item.node];
            let mut total = 0_u32;
            for number in std::iter::once(item.node).chain(node.sharers.iter().copied()) {
                let info = &graph.nodes[number].info;
                let remaining = if number == item.node { item.remaining } else { info.max_recursion };
                if info.coalesces {
                    let is_it = |list: &&mut (usize, u32, Vec<Item>)| (list.0, list.1) == (number, remaining);
                    match together.iter_mut().find(is_it) {
                        Some((.., list)) => list.push(*item),
                        None => together.push((number, remaining, vec![*item])),
                    }
                    continue;
                }
                let Some(counts) = self.workgroups_of(info, item) else { continue };
                if graph.nodes[number].kernel.is_none() {
                    let bytes = info.input.map_or(0, |input| input.bytes).min(item.bytes);
                    let payload = read(self.memory, item.payload, bytes.next_multiple_of(4)).into();
                    self.draws.push(NodeDraw { node: number, groups: counts, payload });
                    continue;
                }
                let count = counts.iter().product::<u32>();
                total = total.saturating_add(count);
                let tracks = info.input.is_some_and(|input| input.tracks_finish);
                let input_bytes = info.input.map_or(0, |input| input.bytes).min(item.bytes);
                let record = NodeWorkgroup {
                    num_workgroups: counts,
                    input_bytes,
                    input: item.payload,
                    input_written: item.written,
                    input_count: 1,
                    unfinished: if tracks { unfinished.as_ptr() as u64 } else { 0 },
                    ..self.record(number, remaining)
                };
                groups.push(Group { node: number, record, count });
            }
            unfinished.store(total, Ordering::Relaxed);
        }
        self.coalesce(&together, coalesced, &mut groups);
        groups
    }

    fn record(&self, node: usize, remaining: u32) -> NodeWorkgroup {
        NodeWorkgroup {
            shader_index: self.graph.nodes[node].index,
            remaining_recursion: remaining,
            ..NodeWorkgroup::default()
        }
    }

    /// Puts payloads side by side, as many as a workgroup has invocations.
    fn coalesce(&self, together: &[(usize, u32, Vec<Item>)], arena: &mut Arena, groups: &mut Vec<Group>) {
        let stride_of = |node: usize| {
            let input = self.graph.nodes[node].info.input;
            input.map_or(PAYLOAD_ALIGNMENT, |input| input.stride).next_multiple_of(PAYLOAD_ALIGNMENT)
        };
        let bytes = |(node, _, list): &(usize, u32, Vec<Item>)| (list.len() + 1) * stride_of(*node) as usize;
        let all: usize = together.iter().map(bytes).sum();
        let written_distance = if self.graph.follows_written { all } else { 0 };
        let mut at = arena.reserve(all + written_distance);
        for (node, remaining, list) in together {
            let info = &self.graph.nodes[*node].info;
            let kernel = self.graph.nodes[*node].kernel.as_ref();
            let most = kernel.map_or(1, |kernel| kernel.info().invocation_count().max(1)) as usize;
            let stride = info.input.map_or(PAYLOAD_ALIGNMENT, |input| input.stride);
            at += u64::from(stride_of(*node));
            for some in list.chunks(most) {
                let first = at;
                for item in some {
                    let length = info.input.map_or(0, |input| input.bytes).min(item.bytes);
                    write(self.memory, at, &read(self.memory, item.payload, length));
                    if written_distance != 0 {
                        let mut written = match item.written {
                            0 => Vec::new(),
                            written => read(self.memory, written, length),
                        };
                        written.resize(stride as usize, u8::MAX);
                        write(self.memory, at + written_distance as u64, &written);
                    }
                    at += u64::from(stride);
                }
                let record = NodeWorkgroup {
                    num_workgroups: [1; 3],
                    input_bytes: info.input.map_or(0, |_| some.len() as u32 * stride),
                    input: first,
                    input_written: if written_distance == 0 { 0 } else { first + written_distance as u64 },
                    input_count: some.len() as u32,
                    ..self.record(*node, *remaining)
                };
                groups.push(Group { node: *node, record, count: 1 });
            }
        }
    }

    /// How many workgroups a payload is for; none where it is for none, or for more than it may.
    fn workgroups_of(&self, info: &NodeInfo, item: &Item) -> Option<[u32; 3]> {
        let counts = match (info.static_workgroups, info.input.and_then(|input| input.groups)) {
            (Some(counts), _) => counts,
            (None, Some(groups)) => self.payload_groups(&groups, item),
            (None, None) => [1; 3],
        };
        let most = info.max_workgroups.unwrap_or([NODE_WORKGROUP_COUNT_MAX; 3]);
        let fits = counts.iter().zip(most).all(|(&count, most)| count <= most.min(NODE_WORKGROUP_COUNT_MAX));
        let total = counts.iter().map(|&count| u64::from(count)).product::<u64>();
        (fits && total != 0 && total <= NODE_WORKGROUPS_MAX.into()).then_some(counts)
    }

    fn payload_groups(&self, groups: &PayloadGroups, item: &Item) -> [u32; 3] {
        let mut counts = [1; 3];
        for (number, count) in (0..groups.count).zip(&mut counts) {
            let offset = groups.offset + number * groups.component_bytes;
            if offset + groups.component_bytes > item.bytes {
                return [0; 3];
            }
            let bytes = read(self.memory, item.payload + u64::from(offset), groups.component_bytes);
            *count = bytes.iter().rev().fold(0, |count, &byte| count << 8 | u32::from(byte));
        }
        counts
    }

    /// What workgroups have enqueued, in their order.
    fn enqueued(
        &self,
        workgroups: &[(usize, u32, u64)],
        groups: &[Group],
        Outputs { start: outputs, written_distance }: Outputs,
        used: &[u64],
    ) -> Vec<Item> {
        let mut items = Vec::new();
        for (&(group, _, offset), &used) in workgroups.iter().zip(used) {
            let from = &groups[group];
            let node = &self.graph.nodes[from.node];
            let end = used.min(node.info.output_bytes.into());
            let mut at = 0;
            while at + u64::from(ARRAY_HEADER_BYTES) <= end {
                let word = |place: u64| self.memory.load::<u32>(outputs + offset + at + 4 * place);
                let [number, count, index, is_enqueued] = [0, 1, 2, 3].map(word);
                let Some(output) = node.info.outputs.get(number as usize) else { break };
                let size =
                    (u64::from(count) * u64::from(output.stride)).next_multiple_of(PAYLOAD_ALIGNMENT.into());
                let first = at + u64::from(ARRAY_HEADER_BYTES);
                // An array of none ends the list: behind it nothing has been allocated.
                if count == 0 || count > output.max_count || first + size > end {
                    break;
                }
                at = first + size;
                let target = node.targets[number as usize].get(&index);
                let (Some(&target), true) = (target, is_enqueued != 0) else { continue };
                let remaining = match target == from.node {
                    true => from.record.remaining_recursion.checked_sub(1),
                    false => Some(self.graph.nodes[target].info.max_recursion),
                };
                // A node that may go no deeper has no valid payloads for itself.
                let Some(remaining) = remaining else { continue };
                items.extend((0..u64::from(count)).map(|place| {
                    let payload = outputs + offset + first + place * u64::from(output.stride);
                    let written = if written_distance == 0 { 0 } else { payload + written_distance };
                    Item { node: target, remaining, payload, bytes: output.bytes, written }
                }));
            }
        }
        items
    }
}
