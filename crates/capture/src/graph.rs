//! Which records of a capture need which others.
//!
//! **Problem.** A part of a capture is a capture only if everything that its calls use is made before, and is
//! as
//! the calls expect it. **Approach.** Each call is decoded once for the handles that it uses and makes.
//! Objects
//! are numbered, as handles are given out again. What a command buffer holds between `vkBeginCommandBuffer`
//! and
//! the next one is an object too, a *recording*: a submission uses recordings, not command buffers.
//! [`Graph::closure`] then finds what a set of calls needs, as a program slice does.
//!
//! *Must not know* what commands do beyond the objects that they use, make, change and destroy.

use crate::decode::{self, Handles, Parameters};
use crate::file::{Capture, ReadError};
use crate::record::{Call, Note, Record};
use crate::schema::{self, Command};
use std::collections::HashMap;
use std::ops::Range;

/// An object of the capture.
pub type Object = u32;

/// What a record is to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A fact of the capture as a whole.
    Fact,
    /// A call that makes objects: needed with one of them.
    Create,
    /// A call that ends objects: goes with those that it uses last.
    Destroy,
    /// A call that changes objects, or asks about them: needed with those that it changes.
    Update,
    /// A call of a queue or of the host that does work or orders it.
    Work,
    /// A call of a recording.
    Recorded(Object),
    /// It belongs to the record before it.
    Attached,
    /// Contents of memory, written or seen.
    Contents(Object),
}

/// A record, and what it uses and makes.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The record.
    pub record: Record<'a>,
    /// What it is to the others.
    pub role: Role,
    /// Objects that it uses. An object that it changes or destroys comes among them.
    pub uses: Vec<Object>,
    /// Objects that are there since this record.
    pub makes: Vec<Object>,
}

impl Node<'_> {
    /// The command's name, for a call.
    pub fn command(&self) -> &'static str {
        match &self.record {
            Record::Call(call) => command_of(call).map_or("", |command| command.name),
            _ => "",
        }
    }

    /// Whether the call submits command buffers.
    pub fn is_submission(&self) -> bool {
        matches!(self.command(), "vkQueueSubmit" | "vkQueueSubmit2")
    }
}

/// What is known of an object.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// The type of its handle; none for a recording.
    pub handle_type: Option<u16>,
    /// Its handle in the capture; of a recording, the command buffer's.
    pub handle: u64,
    /// The record that made it.
    pub at: usize,
}

/// The records of a capture, and what they use.
pub struct Graph<'a> {
    /// The records, in order.
    pub nodes: Vec<Node<'a>>,
    /// The objects.
    pub objects: Vec<Made>,
    /// Of each call that submits: its record, and the recordings that it submits, in order; those that they
    /// execute are not among them.
    pub submissions: Vec<(usize, Vec<Object>)>,
    /// The records of each recording; of other objects none.
    recorded: Vec<Vec<usize>>,
    known: Known,
}

fn command_of(call: &Call<'_>) -> Option<&'static Command> {
    schema::commands().get(usize::from(call.command))
}

/// Collects the handles that a call uses.
#[derive(Default)]
struct Collected(Vec<(u16, u64)>);

impl Handles for Collected {
    fn translate(&mut self, handle_type: u16, captured: u64) -> u64 {
        self.0.push((handle_type, captured));
        captured
    }
}

/// The numbers of the handle types that matter by themselves.
struct Known {
    memory: Option<u16>,
    command_buffer: Option<u16>,
    descriptor_set: Option<u16>,
}

/// Calls of queues and of the host that do work, wait, or signal: nothing else says that they are needed.
fn is_work(name: &str) -> bool {
    name.starts_with("vkQueue")
        || name.starts_with("vkWait")
        || name.ends_with("WaitIdle")
        || name.starts_with("vkAcquireNextImage")
        || matches!(name, "vkSignalSemaphore" | "vkSetEvent" | "vkResetEvent" | "vkResetFences")
}

fn is_end(name: &str) -> bool {
    name.starts_with("vkDestroy") || name.starts_with("vkFree")
}

/// What is kept of the records, at least.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The records that are kept for themselves.
    pub chosen: Vec<bool>,
    /// Submissions that are kept without their command buffers, for what they wait for and signal.
    pub stripped: Vec<bool>,
    /// Records that are not needed with their recording.
    pub unwanted: Vec<bool>,
    /// Objects that are needed for themselves.
    pub needed: Vec<Object>,
}

impl Choice {
    /// Nothing of so many records.
    pub fn nothing(records: usize) -> Choice {
        let none = vec![false; records];
        Choice { chosen: none.clone(), stripped: none.clone(), unwanted: none, needed: Vec::new() }
    }
}

struct Builder {
    /// The object of a handle, as far as the records go.
    current: HashMap<(u16, u64), Object>,
    /// The recording of a command buffer.
    recordings: HashMap<u64, Object>,
    objects: Vec<Made>,
    known: Known,
}

impl Builder {
    fn object(&self, handle_type: Option<u16>, handle: u64) -> Option<Object> {
        self.current.get(&(handle_type?, handle)).copied()
    }

    fn make(&mut self, handle_type: Option<u16>, handle: u64, at: usize) -> Object {
        let object = self.objects.len() as Object;
        self.objects.push(Made { handle_type, handle, at });
        if let Some(handle_type) = handle_type {
            self.current.insert((handle_type, handle), object);
        }
        object
    }

    /// The object that a name or a tag is for: its type and handle are plain numbers.
    fn named(&self, command: &'static Command, parameters: &Parameters) -> Option<Object> {
        let (structure, info) = parameters.structure(command, 1)?;
        let member = |name: &str| structure.members.iter().find(|one| one.name == name);
        let (ty, handle) = (member("objectType")?, member("objectHandle")?);
        let ty: [u8; 4] = info.get(ty.offset as usize..)?.first_chunk().copied()?;
        let handle: [u8; 8] = info.get(handle.offset as usize..)?.first_chunk().copied()?;
        let ty = schema::handle_type_of(i32::from_le_bytes(ty));
        self.object(ty, u64::from_le_bytes(handle))
    }

    fn call<'a>(&mut self, call: Call<'a>, at: usize) -> Result<Node<'a>, ReadError> {
        let command = command_of(&call).ok_or(ReadError::Record("is a call of an unknown command"))?;
        let name = command.name;
        let (mut handles, mut parameters) = (Collected::default(), Parameters::default());
        decode::parameters(command, call.parameters, &mut handles, &mut parameters)
            .map_err(|_| ReadError::Record("has parameters that cannot be decoded"))?;
        let mut uses: Vec<Object> =
            handles.0.iter().filter_map(|(ty, handle)| self.object(Some(*ty), *handle)).collect();
        let has_failed = command.returns == schema::Returns::Result && (call.result as u32 as i32) < 0;
        let mut makes = Vec::new();
        if !has_failed {
            for output in parameters.outputs.iter().filter(|output| output.captured != 0) {
                let is_getter = name.starts_with("vkGet") || name.starts_with("vkEnumerate");
                match self.object(Some(output.handle_type), output.captured) {
                    // It was given before, and is the same object.
                    Some(object) if is_getter => uses.push(object),
                    _ => makes.push(self.make(Some(output.handle_type), output.captured, at)),
                }
            }
        }
        let command_buffers = handles.0.iter().filter(|(ty, _)| Some(*ty) == self.known.command_buffer);
        let command_buffers: Vec<u64> = command_buffers.map(|(_, handle)| *handle).collect();
        let role = if name == "vkBeginCommandBuffer" {
            let buffer = call_buffer(&command_buffers);
            let recording = self.make(None, buffer, at);
            self.recordings.insert(buffer, recording);
            Role::Recorded(recording)
        } else if name.starts_with("vkCmd") || name == "vkEndCommandBuffer" {
            let (first, executed) = command_buffers.split_first().map_or((0, &[][..]), |(a, b)| (*a, b));
            uses.extend(executed.iter().filter_map(|buffer| self.recordings.get(buffer)));
            match self.recordings.get(&first) {
                Some(recording) => Role::Recorded(*recording),
                None => Role::Update,
            }
        } else if is_end(name) {
            Role::Destroy
        } else if !makes.is_empty() {
            Role::Create
        } else if is_work(name) {
            uses.extend(command_buffers.iter().filter_map(|buffer| self.recordings.get(buffer)));
            Role::Work
        } else {
            uses.extend(self.named(command, &parameters));
            Role::Update
        };
        Ok(Node { record: Record::Call(call), role, uses, makes })
    }
}

fn call_buffer(buffers: &[u64]) -> u64 {
    buffers.first().copied().unwrap_or(0)
}

impl<'a> Graph<'a> {
    /// The graph of a capture.
    ///
    /// # Errors
    /// When a call cannot be decoded.
    pub fn new(capture: &'a Capture) -> Result<Graph<'a>, ReadError> {
        let known = Known {
            memory: schema::handle_type("DeviceMemory"),
            command_buffer: schema::handle_type("CommandBuffer"),
            descriptor_set: schema::handle_type("DescriptorSet"),
        };
        let mut builder =
            Builder { current: HashMap::new(), recordings: HashMap::new(), objects: Vec::new(), known };
        let (mut nodes, mut submissions) = (Vec::new(), Vec::new());
        for (at, record) in capture.records().enumerate() {
            let node = match record {
                Record::Call(call) => builder.call(call, at)?,
                Record::Write { memory, .. } | Record::Seen { memory, .. } => {
                    let object = builder.object(builder.known.memory, memory);
                    let object = object.ok_or(ReadError::Record("is about memory that is not there"))?;
                    Node { record, role: Role::Contents(object), uses: vec![object], makes: Vec::new() }
                }
                Record::Note(_) | Record::Groups { .. } | Record::Host(_) => {
                    Node { record, role: Role::Attached, uses: Vec::new(), makes: Vec::new() }
                }
                Record::Presented { .. } | Record::Text(..) | Record::Reload { .. } => {
                    Node { record, role: Role::Fact, uses: Vec::new(), makes: Vec::new() }
                }
            };
            if node.is_submission() {
                let is_recording =
                    |object: &&Object| builder.objects[**object as usize].handle_type.is_none();
                submissions.push((at, node.uses.iter().filter(is_recording).copied().collect()));
            }
            nodes.push(node);
        }
        let mut recorded = vec![Vec::new(); builder.objects.len()];
        for (at, node) in nodes.iter().enumerate() {
            if let Role::Recorded(recording) = node.role {
                recorded[recording as usize].push(at);
            }
        }
        Ok(Graph { nodes, objects: builder.objects, submissions, recorded, known: builder.known })
    }

    /// Whether an object is a recording.
    pub fn is_recording(&self, object: Object) -> bool {
        self.objects[object as usize].handle_type.is_none()
    }

    /// The records of a recording, in order.
    pub fn recorded(&self, recording: Object) -> &[usize] {
        &self.recorded[recording as usize]
    }

    /// The recordings that a record executes, in order.
    pub fn executed(&self, at: usize) -> impl Iterator<Item = Object> {
        self.nodes[at].uses.iter().copied().filter(|one| self.is_recording(*one))
    }

    /// What a record of a role that is needed with what it changes, changes.
    fn changes(&self, node: &Node<'_>) -> Vec<Object> {
        let is_of = |ty: Option<u16>, object: &Object| {
            let made = self.objects[*object as usize].handle_type;
            made.is_some() && made == ty
        };
        let is_plain = |object: &Object| {
            let ty = self.objects[*object as usize].handle_type;
            ty.is_some_and(|ty| !schema::handle_types()[usize::from(ty)].is_dispatchable)
        };
        let all = || node.uses.iter().copied();
        match node.command() {
            "vkUpdateDescriptorSets" => all().filter(|one| is_of(self.known.descriptor_set, one)).collect(),
            // The memory is needed with what is bound to it, not the other way round.
            name if name.starts_with("vkBind") => {
                all().filter(|one| is_plain(one) && !is_of(self.known.memory, one)).collect()
            }
            _ => {
                let plain: Vec<Object> = all().filter(is_plain).collect();
                if plain.is_empty() { all().collect() } else { plain }
            }
        }
    }

    /// What the chosen records need, and they themselves: which records are kept. Work and contents of memory
    /// are kept only where they are chosen.
    pub fn closure(&self, choice: &Choice) -> Vec<bool> {
        let mut kept = vec![false; self.nodes.len()];
        let mut needed = vec![false; self.objects.len()];
        choice.needed.iter().for_each(|object| needed[*object as usize] = true);
        let changes: Vec<Vec<Object>> = self.nodes.iter().map(|node| self.changes_of(node)).collect();
        let command_buffer = self.known.command_buffer;
        let is_command_buffer = |object: Object| {
            let ty = self.objects[object as usize].handle_type;
            ty.is_none() || ty == command_buffer
        };
        // What is needed by a call may be changed before it by others, hence again from the end.
        loop {
            let mut is_changed = false;
            for (at, node) in self.nodes.iter().enumerate().rev().filter(|(at, _)| !choice.unwanted[*at]) {
                let is_needed = |objects: &[Object]| objects.iter().any(|one| needed[*one as usize]);
                let keep = !kept[at]
                    && (choice.chosen[at]
                        || match node.role {
                            Role::Create => is_needed(&node.makes),
                            Role::Recorded(recording) => needed[recording as usize],
                            Role::Update => is_needed(&changes[at]),
                            Role::Fact => !matches!(node.record, Record::Presented { .. }),
                            _ => false,
                        });
                if keep {
                    kept[at] = true;
                    is_changed = true;
                    for object in &node.uses {
                        needed[*object as usize] |= !(choice.stripped[at] && is_command_buffer(*object));
                    }
                }
            }
            if !is_changed {
                break;
            }
        }
        for at in 0..self.nodes.len() {
            kept[at] |= match self.nodes[at].role {
                Role::Destroy => self.is_end_of_needed(&self.nodes[at], &needed),
                Role::Attached => at > 0 && kept[at - 1],
                _ => false,
            };
        }
        kept
    }

    /// Whether a call ends something that is needed: an object, or some of a pool's.
    fn is_end_of_needed(&self, node: &Node<'_>, needed: &[bool]) -> bool {
        let is_needed = |object: &Object| needed[*object as usize];
        // The device or instance comes first, if the call is not about itself.
        let ended = if node.uses.len() > 1 { &node.uses[1..] } else { &node.uses[..] };
        match ended.split_first() {
            Some((first, [])) => is_needed(first),
            Some((pool, ended)) => is_needed(pool) && ended.iter().any(is_needed),
            None => false,
        }
    }

    fn changes_of(&self, node: &Node<'_>) -> Vec<Object> {
        if node.role == Role::Update { self.changes(node) } else { Vec::new() }
    }

    /// Whether nothing runs behind a record: the submission before it was waited for.
    pub fn is_idle_behind(&self, at: usize) -> bool {
        let before = self.submissions.iter().rev().find(|(submission, _)| *submission < at);
        before.is_none_or(|(submission, _)| {
            self.nodes[*submission..at].iter().any(|node| node.record == Record::Note(Note::Idle))
        })
    }

    /// The end of what belongs to a record: notes, and contents that were seen behind it.
    pub fn end_of(&self, at: usize) -> usize {
        let belongs =
            |node: &Node<'_>| node.role == Role::Attached || matches!(node.record, Record::Seen { .. });
        at + 1 + self.nodes[at + 1..].iter().take_while(|node| belongs(node)).count()
    }

    /// The records of each submission, with what lies between it and the one before.
    pub fn parts_by_submission(&self) -> Vec<Range<usize>> {
        self.parts(|graph| graph.submissions.iter().map(|(at, _)| *at).collect())
    }

    /// The records of each frame. A frame ends with a presentation; in captures without any, with a
    /// submission
    /// that says so (`VK_EXT_frame_boundary`).
    pub fn parts_by_frame(&self) -> Vec<Range<usize>> {
        self.parts(|graph| {
            let numbered = graph.nodes.iter().enumerate();
            let presents = numbered.filter(|(_, node)| node.command() == "vkQueuePresentKHR");
            let presents: Vec<usize> = presents.map(|(at, _)| at).collect();
            if !presents.is_empty() {
                return presents;
            }
            let ends = graph.submissions.iter().filter(|(at, _)| graph.ends_frame(*at));
            ends.map(|(at, _)| *at).collect()
        })
    }

    fn parts(&self, ends: impl FnOnce(&Graph<'a>) -> Vec<usize>) -> Vec<Range<usize>> {
        let mut start = 0;
        let mut parts = Vec::new();
        for at in ends(self) {
            let end = self.end_of(at);
            parts.push(start..end);
            start = end;
        }
        parts
    }

    /// Whether a submission has a `VkFrameBoundaryEXT` with `VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT`.
    fn ends_frame(&self, at: usize) -> bool {
        const FRAME_BOUNDARY: i32 = 1_000_375_001;
        let Record::Call(call) = &self.nodes[at].record else { return false };
        let Some(command) = command_of(call) else { return false };
        let mut parameters = Parameters::default();
        let decoded =
            decode::parameters(command, call.parameters, &mut decode::Same, &mut parameters).is_ok();
        // `flags` follow `sType` and `pNext`.
        decoded && parameters.chained(FRAME_BOUNDARY).is_some_and(|boundary| boundary[16] & 1 != 0)
    }
}
