//! What is left of a capture behind its last record, for whatever comes later: the objects that are alive,
//! what they need, and states of semaphores and fences.
//!
//! **Problem.** A debugger of a live program begins its replays near the end of what the program has done.
//! All objects that ever were, and all submissions, would be more the longer the program runs. **Approach.**
//! What this gives is as large as what is alive: objects that are gone are left out with all that was done to
//! them, unless something alive was made of them; of submissions the states of semaphores and fences stay
//! ([`crate::sync`]). The result is records again, so the next one is made of this and of what came since.
//!
//! Contents of memory are not among it: with them, records that follow can be replayed. Where work has left
//! what is in no memory, all is kept that [`trim::before_anything`] keeps.

use crate::sync::{self, Primitive, State};
use crate::trim::{self, Rewritten};
use crate::{ReplayError, edit};
use pyro_capture::graph::{Choice, Graph, Node, Object, Role};
use pyro_capture::record::{MARK, Record};
use pyro_capture::schema;
use std::collections::{BTreeMap, HashMap, HashSet};
use vulkanalia_sys::{self as vk, Handle};

/// Records, encoded one behind the other, and how many they are.
#[derive(Clone, Default)]
pub struct Records {
    /// As [`pyro_capture::record::append`] writes them.
    pub bytes: Vec<u8>,
    /// How many they are.
    pub count: usize,
}

/// What is left behind the last record. The device is idle there.
///
/// # Errors
/// When parameters cannot be decoded.
pub fn behind(graph: &Graph<'_>) -> Result<Records, ReplayError> {
    if let Some(alive) = Alive::of(graph)?
        && let Some(records) = alive.records()?
    {
        return Ok(records);
    }
    let all = trim::before_anything(graph, graph.nodes.len(), Vec::new())?;
    Ok(Records { count: all.kept.iter().filter(|kept| **kept).count(), bytes: all.encoded() })
}

/// What is alive, as far as the records were looked at.
struct Alive<'g, 'a> {
    graph: &'g Graph<'a>,
    types: Types,
    is_alive: Vec<bool>,
    /// What is gone with an object.
    children: HashMap<Object, Vec<Object>>,
    /// The objects of handles.
    current: HashMap<(u16, u64), Object>,
    /// The last recording of each command buffer.
    recordings: BTreeMap<Object, Object>,
    /// Semaphores and fences: as they were made, and as they are.
    states: BTreeMap<Primitive, (State, State)>,
}

/// Handle types with rules of their own.
struct Types {
    command_pool: Option<u16>,
    descriptor_pool: Option<u16>,
    descriptor_set: Option<u16>,
    swapchain: Option<u16>,
    queue: Option<u16>,
    semaphore: Option<u16>,
    fence: Option<u16>,
}

impl<'g, 'a> Alive<'g, 'a> {
    /// What is alive behind the last record; none where states of objects are not all that work has left.
    fn of(graph: &'g Graph<'a>) -> Result<Option<Alive<'g, 'a>>, ReplayError> {
        let types = Types {
            command_pool: schema::handle_type("CommandPool"),
            descriptor_pool: schema::handle_type("DescriptorPool"),
            descriptor_set: schema::handle_type("DescriptorSet"),
            swapchain: schema::handle_type("SwapchainKHR"),
            queue: schema::handle_type("Queue"),
            semaphore: schema::handle_type("Semaphore"),
            fence: schema::handle_type("Fence"),
        };
        let mut alive = Alive {
            graph,
            types,
            is_alive: vec![false; graph.objects.len()],
            children: HashMap::new(),
            current: HashMap::new(),
            recordings: BTreeMap::new(),
            states: BTreeMap::new(),
        };
        for node in &graph.nodes {
            if !alive.look_at(node)? {
                return Ok(None);
            }
        }
        Ok(Some(alive))
    }

    fn type_of(&self, object: Object) -> Option<u16> {
        self.graph.objects[object as usize].handle_type
    }

    /// The semaphore or fence that an object is.
    fn primitive(&self, object: Object) -> Option<Primitive> {
        let made = &self.graph.objects[object as usize];
        match made.handle_type {
            None => None,
            ty if ty == self.types.semaphore => Some(Primitive::Semaphore(made.handle)),
            ty if ty == self.types.fence => Some(Primitive::Fence(made.handle)),
            _ => None,
        }
    }

    /// The objects with which go those that a call makes.
    fn parents(&self, node: &Node<'_>) -> Vec<Object> {
        let types = &self.types;
        let is_owner = |object: &Object| {
            let ty = self.type_of(*object);
            ty.is_some()
                && match node.command() {
                    "vkGetSwapchainImagesKHR" => ty == types.swapchain,
                    _ => ty == types.command_pool || ty == types.descriptor_pool,
                }
        };
        let others = node.uses.iter().skip(1).filter(|object| is_owner(object));
        node.uses.first().into_iter().chain(others).copied().collect()
    }

    /// Takes a record into account; whether states of objects are all that it leaves.
    fn look_at(&mut self, node: &Node<'_>) -> Result<bool, ReplayError> {
        let (command, Record::Call(call)) = (node.command(), &node.record) else { return Ok(true) };
        if trim::is_outside_memory(command) || trim::is_of_event_or_query(command) {
            return Ok(false);
        }
        if node.role == Role::Work {
            let Some(changes) = sync::changes(call)? else { return Ok(false) };
            for (primitive, change) in changes {
                if let Some((_, state)) = self.states.get_mut(&primitive) {
                    *state = state.after(change);
                }
            }
        }
        let parents = if node.makes.is_empty() { Vec::new() } else { self.parents(node) };
        for object in &node.makes {
            let made = &self.graph.objects[*object as usize];
            if let Some(ty) = made.handle_type
                && let Some(before) = self.current.insert((ty, made.handle), *object)
            {
                self.end(before);
            }
            self.is_alive[*object as usize] = true;
            parents.iter().for_each(|parent| self.children.entry(*parent).or_default().push(*object));
            if let Some(primitive) = self.primitive(*object)
                && let Some(state) = State::made_by(call)?
            {
                self.states.insert(primitive, (state, state));
            }
        }
        let pool = node.uses.get(1).copied();
        match (command, node.role) {
            ("vkBeginCommandBuffer", Role::Recorded(recording)) => {
                self.recordings.extend(node.uses.first().map(|buffer| (*buffer, recording)));
            }
            ("vkResetCommandBuffer", _) => {
                node.uses.first().map(|buffer| self.recordings.remove(buffer));
            }
            ("vkResetCommandPool", _) => {
                let buffers = pool.and_then(|pool| self.children.get(&pool)).into_iter().flatten();
                buffers.for_each(|buffer| {
                    self.recordings.remove(buffer);
                });
            }
            ("vkResetDescriptorPool", _) => {
                let sets = pool.and_then(|pool| self.children.remove(&pool));
                sets.into_iter().flatten().for_each(|set| self.end(set));
            }
            (_, Role::Destroy) => {
                let ended = ended_by(node);
                node.uses.iter().skip(ended).for_each(|object| self.end(*object));
            }
            _ => {}
        }
        Ok(true)
    }

    /// An object is gone, with those that go with it.
    fn end(&mut self, object: Object) {
        let mut gone = vec![object];
        while let Some(object) = gone.pop() {
            if std::mem::take(&mut self.is_alive[object as usize]) {
                self.recordings.remove(&object);
                self.primitive(object).map(|primitive| self.states.remove(&primitive));
                gone.extend(self.children.remove(&object).unwrap_or_default());
            }
        }
    }

    /// The records; none where no queue can bring about a state.
    fn records(&self) -> Result<Option<Records>, ReplayError> {
        let graph = self.graph;
        let mut choice = Choice::nothing(graph.nodes.len());
        let alive = self.is_alive.iter().enumerate().filter(|(_, is_alive)| **is_alive);
        choice.needed = alive.map(|(object, _)| object as Object).collect();
        choice
            .needed
            .extend(trim::recordings(graph, &self.recordings.values().copied().collect::<Vec<Object>>()));
        choice.unwanted = self.superseded()?;
        let mut kept = graph.closure(&choice);
        let mut allocated_from = HashSet::new();
        for (at, node) in graph.nodes.iter().enumerate().filter(|(at, _)| !choice.unwanted[*at]) {
            let pool = node.uses.get(1);
            kept[at] &= match node.command() {
                // What it ends is not there.
                "vkResetDescriptorPool" => pool.is_some_and(|pool| allocated_from.contains(pool)),
                // Of nothing.
                _ if node.role == Role::Destroy => node.uses.len() > ended_by(node),
                _ => true,
            };
            if kept[at] && node.command() == "vkAllocateDescriptorSets" {
                allocated_from.extend(pool.copied());
            }
        }
        choice.unwanted.iter().zip(&mut kept).for_each(|(unwanted, kept)| *kept &= !unwanted);
        let mut records = Records {
            count: kept.iter().filter(|kept| **kept).count(),
            bytes: Rewritten::new(graph, kept).encoded(),
        };
        let changed = self.states.iter().filter(|(_, (made, is))| made != is);
        if changed.into_iter().any(|(primitive, _)| self.device_and_queue(*primitive).is_none()) {
            return Ok(None);
        }
        let find = |primitive| self.device_and_queue(primitive);
        records.count += sync::bring_about(&self.states, &find, &mut records.bytes);
        Ok(Some(records))
    }

    /// The device of a semaphore or fence, and a queue of it.
    fn device_and_queue(&self, primitive: Primitive) -> Option<(u64, u64)> {
        let key = match primitive {
            Primitive::Semaphore(handle) => (self.types.semaphore?, handle),
            Primitive::Fence(handle) => (self.types.fence?, handle),
        };
        let objects = &self.graph.objects;
        let device_of = |object: Object| self.graph.nodes[objects[object as usize].at].uses.first().copied();
        let device = device_of(*self.current.get(&key)?)?;
        let is_queue =
            |object: &Object| self.is_alive[*object as usize] && self.type_of(*object) == self.types.queue;
        let queue = self.children.get(&device)?.iter().find(|object| is_queue(object))?;
        Some((objects[device as usize].handle, objects[*queue as usize].handle))
    }

    /// Calls whose effects others undo or do again.
    fn superseded(&self) -> Result<Vec<bool>, ReplayError> {
        let mut all = vec![false; self.graph.nodes.len()];
        let mut asked = HashSet::new();
        let mut sets = WrittenSets::default();
        for (at, node) in self.graph.nodes.iter().enumerate() {
            let Record::Call(call) = &node.record else {
                all[at] = matches!(node.record, Record::Text(MARK, _));
                continue;
            };
            all[at] = match node.command() {
                "vkResetCommandBuffer" | "vkResetCommandPool" | "vkTrimCommandPool" => true,
                name if name.starts_with("vkGet") && node.role == Role::Update => {
                    !asked.insert((call.command, call.parameters, &node.uses))
                }
                _ => false,
            };
        }
        for (at, node) in self.graph.nodes.iter().enumerate().rev() {
            if node.command() == "vkUpdateDescriptorSets" {
                all[at] = !sets.is_needed(self, node)?;
            }
        }
        Ok(all)
    }
}

/// How many of the objects that a call uses are before those that it ends.
fn ended_by(node: &Node<'_>) -> usize {
    match node.command() {
        "vkDestroyInstance" | "vkDestroyDevice" => 0,
        "vkFreeCommandBuffers" | "vkFreeDescriptorSets" => 2,
        _ => 1,
    }
}

/// What later calls write into descriptor sets; calls are looked at from the last one on.
#[derive(Default)]
struct WrittenSets {
    /// Set, binding, first element, number.
    written: HashSet<(Object, u32, u32, u32)>,
    /// Sets that take part in copies.
    copied: HashSet<Object>,
}

impl WrittenSets {
    /// Whether a call writes what no later one writes as well.
    fn is_needed(&mut self, alive: &Alive<'_, '_>, node: &Node<'_>) -> Result<bool, ReplayError> {
        let Record::Call(call) = &node.record else { return Ok(true) };
        let parameters = edit::decoded(call)?;
        let object_of = |set: vk::DescriptorSet| {
            let is_set = |object: &&Object| {
                let made = &alive.graph.objects[**object as usize];
                made.handle_type.is_some()
                    && (made.handle_type, made.handle) == (alive.types.descriptor_set, set.as_raw())
            };
            node.uses.iter().find(is_set).copied()
        };
        // SAFETY: the parameters were decoded for this command, with arrays of the lengths beside them.
        let (writes, copies) = unsafe {
            let slots = &parameters.slots;
            (
                sync::elements(parameters.pointer(2).cast::<vk::WriteDescriptorSet>(), slots[1] as u32),
                sync::elements(parameters.pointer(4).cast::<vk::CopyDescriptorSet>(), slots[3] as u32),
            )
        };
        for copy in copies {
            self.copied.extend([copy.src_set, copy.dst_set].into_iter().filter_map(object_of));
        }
        let mut is_needed = !copies.is_empty();
        for write in writes {
            let Some(set) = object_of(write.dst_set) else { continue };
            let place = (set, write.dst_binding, write.dst_array_element, write.descriptor_count);
            is_needed |= self.written.insert(place) || self.copied.contains(&set);
        }
        Ok(is_needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_capture::encode;
    use pyro_capture::file::Capture;
    use pyro_capture::record::{self, Call, Note};

    static DEVICE: u64 = 0x20;
    static QUEUE: u64 = 0x30;
    static FENCE: u64 = 0x40;
    static BINARY: u64 = 0x50;
    static COUNTER: u64 = 0x51;
    static POOL: u64 = 0x60;
    static SET: u64 = 0x72;
    static BUFFER: u64 = 0x80;
    static LIST: u64 = 0x90;

    fn address<T>(value: &T) -> u64 {
        std::ptr::from_ref(value).expose_provenance() as u64
    }

    fn append(bytes: &mut Vec<u8>, name: &str, slots: &[u64]) {
        let command = schema::command_number(name).expect("a command");
        let mut parameters = Vec::new();
        // SAFETY: the tests' slots are parameters of the commands, or null where those may not be.
        unsafe { encode::parameters(&schema::commands()[usize::from(command)], slots, &mut parameters) };
        record::append(&Record::Call(Call { command, thread: 0, result: 0, parameters: &parameters }), bytes);
    }

    /// A device, and objects that stay.
    fn begin() -> Vec<u8> {
        let mut bytes = Vec::new();
        append(&mut bytes, "vkCreateDevice", &[0x10, 0, 0, address(&DEVICE)]);
        append(&mut bytes, "vkGetDeviceQueue", &[DEVICE, 0, 0, address(&QUEUE)]);
        append(
            &mut bytes,
            "vkCreateFence",
            &[DEVICE, address(&vk::FenceCreateInfo::default()), 0, address(&FENCE)],
        );
        let ty = vk::SemaphoreTypeCreateInfo {
            semaphore_type: vk::SemaphoreType::TIMELINE,
            initial_value: 3,
            ..Default::default()
        };
        let plain = vk::SemaphoreCreateInfo::default();
        let counter = vk::SemaphoreCreateInfo { next: (&raw const ty).cast(), ..Default::default() };
        append(&mut bytes, "vkCreateSemaphore", &[DEVICE, address(&plain), 0, address(&BINARY)]);
        append(&mut bytes, "vkCreateSemaphore", &[DEVICE, address(&counter), 0, address(&COUNTER)]);
        let info = vk::CommandPoolCreateInfo::default();
        append(&mut bytes, "vkCreateCommandPool", &[DEVICE, address(&info), 0, address(&POOL)]);
        let info = vk::DescriptorPoolCreateInfo::default();
        append(&mut bytes, "vkCreateDescriptorPool", &[DEVICE, address(&info), 0, address(&0x71_u64)]);
        let info = vk::DescriptorSetLayoutCreateInfo::default();
        append(&mut bytes, "vkCreateDescriptorSetLayout", &[DEVICE, address(&info), 0, address(&0x70_u64)]);
        let info = vk::DescriptorSetAllocateInfo {
            descriptor_pool: vk::DescriptorPool::from_raw(0x71),
            descriptor_set_count: 1,
            set_layouts: &vk::DescriptorSetLayout::from_raw(0x70),
            ..Default::default()
        };
        append(&mut bytes, "vkAllocateDescriptorSets", &[DEVICE, address(&info), address(&SET)]);
        bytes
    }

    /// A buffer and a command buffer that come and go; a submission that waits for the one before.
    fn go_on(bytes: &mut Vec<u8>, numbers: std::ops::Range<u64>) {
        for number in numbers {
            let info = vk::BufferCreateInfo::default();
            append(bytes, "vkCreateBuffer", &[DEVICE, address(&info), 0, address(&BUFFER)]);
            let info =
                vk::DescriptorBufferInfo { buffer: vk::Buffer::from_raw(BUFFER), ..Default::default() };
            let write = vk::WriteDescriptorSet {
                dst_set: vk::DescriptorSet::from_raw(SET),
                descriptor_count: 1,
                descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
                buffer_info: &info,
                ..Default::default()
            };
            append(bytes, "vkUpdateDescriptorSets", &[DEVICE, 1, address(&write), 0, 0]);
            let info = vk::CommandBufferAllocateInfo {
                command_pool: vk::CommandPool::from_raw(POOL),
                command_buffer_count: 1,
                ..Default::default()
            };
            append(bytes, "vkAllocateCommandBuffers", &[DEVICE, address(&info), address(&LIST)]);
            append(bytes, "vkBeginCommandBuffer", &[LIST, address(&vk::CommandBufferBeginInfo::default())]);
            append(bytes, "vkEndCommandBuffer", &[LIST]);
            let (signals, values) = ([BINARY, COUNTER], [0, 10 + number]);
            let counts = vk::TimelineSemaphoreSubmitInfo {
                signal_semaphore_value_count: 2,
                signal_semaphore_values: values.as_ptr(),
                ..Default::default()
            };
            let submit = vk::SubmitInfo {
                next: (&raw const counts).cast(),
                wait_semaphore_count: u32::from(number > 0),
                wait_semaphores: (&raw const BINARY).cast(),
                wait_dst_stage_mask: &vk::PipelineStageFlags::ALL_COMMANDS,
                command_buffer_count: 1,
                command_buffers: (&raw const LIST).cast(),
                signal_semaphore_count: 2,
                signal_semaphores: signals.as_ptr().cast(),
                ..Default::default()
            };
            append(bytes, "vkResetFences", &[DEVICE, 1, address(&FENCE)]);
            append(bytes, "vkQueueSubmit", &[QUEUE, 1, address(&submit), FENCE]);
            record::append(&Record::Note(Note::Idle), bytes);
            append(bytes, "vkWaitForFences", &[DEVICE, 1, address(&FENCE), 1, 0]);
            append(bytes, "vkFreeCommandBuffers", &[DEVICE, POOL, 1, address(&LIST)]);
            append(bytes, "vkDestroyBuffer", &[DEVICE, BUFFER, 0]);
        }
    }

    /// What is left behind records, and the names of its calls.
    fn left(bytes: &[u8]) -> (Records, Vec<&'static str>) {
        let capture = Capture::of_records(bytes.to_vec()).expect("records");
        let left = behind(&Graph::new(&capture).expect("a graph")).expect("it can be decoded");
        let again = Capture::of_records(left.bytes.clone()).expect("records");
        assert_eq!(again.record_count(), left.count);
        let graph = Graph::new(&again).expect("a graph");
        let names = graph.nodes.iter().map(Node::command).filter(|name| !name.is_empty()).collect();
        (left, names)
    }

    fn count(names: &[&str], name: &str) -> usize {
        names.iter().filter(|one| **one == name).count()
    }

    /// As much is left behind a thousand submissions as behind ten, and as much when what was left goes on.
    #[test]
    fn what_is_left_is_what_is_alive() {
        let [few, many] = [10, 1000].map(|count| {
            let mut bytes = begin();
            go_on(&mut bytes, 0..count);
            left(&bytes)
        });
        assert_eq!(few.1, many.1);
        let names = &many.1;
        // The counter; the semaphore and the fence are signaled.
        assert_eq!((count(names, "vkSignalSemaphore"), count(names, "vkQueueSubmit")), (1, 2));
        for name in ["vkResetFences", "vkWaitForFences", "vkBeginCommandBuffer", "vkAllocateCommandBuffers"] {
            assert_eq!(count(names, name), 0, "{name}: {names:?}");
        }
        // The set still names the last buffer, which is made for that and destroyed.
        let buffers = ["vkCreateBuffer", "vkUpdateDescriptorSets", "vkDestroyBuffer"];
        assert_eq!(buffers.map(|name| count(names, name)), [1; 3]);
        let mut bytes = few.0.bytes.clone();
        assert_eq!(left(&bytes).1, few.1);
        go_on(&mut bytes, 10..1000);
        let (records, later) = left(&bytes);
        assert_eq!((later, records.count), (many.1, many.0.count));
    }

    #[test]
    fn states_are_those_that_calls_have_left() {
        let mut bytes = begin();
        go_on(&mut bytes, 0..2);
        append(&mut bytes, "vkResetFences", &[DEVICE, 1, address(&FENCE)]);
        let wait = vk::SubmitInfo {
            wait_semaphore_count: 1,
            wait_semaphores: (&raw const BINARY).cast(),
            wait_dst_stage_mask: &vk::PipelineStageFlags::ALL_COMMANDS,
            ..Default::default()
        };
        append(&mut bytes, "vkQueueSubmit", &[QUEUE, 1, address(&wait), 0]);
        let capture = Capture::of_records(bytes.clone()).expect("records");
        let graph = Graph::new(&capture).expect("a graph");
        let alive = Alive::of(&graph).expect("it can be decoded").expect("objects are all");
        let unsignaled = State::Is { signaled: false };
        let expected = [
            (Primitive::Semaphore(BINARY), (unsignaled, unsignaled)),
            (Primitive::Semaphore(COUNTER), (State::Counts(3), State::Counts(11))),
            (Primitive::Fence(FENCE), (unsignaled, unsignaled)),
        ];
        assert_eq!(alive.states, BTreeMap::from(expected));
        let names = left(&bytes).1;
        assert_eq!((count(&names, "vkSignalSemaphore"), count(&names, "vkQueueSubmit")), (1, 0));
        // Nothing is left of a device that is gone.
        append(&mut bytes, "vkDestroyDevice", &[DEVICE, 0]);
        assert_eq!(left(&bytes).1, Vec::<&str>::new());
    }

    /// The recording of a command buffer stays as long as it can be submitted.
    #[test]
    fn recordings_stay_until_they_are_reset() {
        let mut bytes = begin();
        let info = vk::CommandBufferAllocateInfo {
            command_pool: vk::CommandPool::from_raw(POOL),
            command_buffer_count: 1,
            ..Default::default()
        };
        append(&mut bytes, "vkAllocateCommandBuffers", &[DEVICE, address(&info), address(&LIST)]);
        for _ in 0..3 {
            append(
                &mut bytes,
                "vkBeginCommandBuffer",
                &[LIST, address(&vk::CommandBufferBeginInfo::default())],
            );
            append(&mut bytes, "vkCmdDispatch", &[LIST, 1, 1, 1]);
            append(&mut bytes, "vkEndCommandBuffer", &[LIST]);
        }
        assert_eq!(count(&left(&bytes).1, "vkCmdDispatch"), 1);
        append(&mut bytes, "vkResetCommandPool", &[DEVICE, POOL, 0]);
        let names = left(&bytes).1;
        assert_eq!((count(&names, "vkCmdDispatch"), count(&names, "vkAllocateCommandBuffers")), (0, 1));
    }

    /// Where work leaves what is in no memory, all stays.
    #[test]
    fn queries_keep_what_was_done() {
        let mut bytes = begin();
        let info = vk::CommandBufferAllocateInfo {
            command_pool: vk::CommandPool::from_raw(POOL),
            command_buffer_count: 1,
            ..Default::default()
        };
        append(&mut bytes, "vkAllocateCommandBuffers", &[DEVICE, address(&info), address(&LIST)]);
        let pool = 0xa0_u64;
        let info = vk::QueryPoolCreateInfo::default();
        append(&mut bytes, "vkCreateQueryPool", &[DEVICE, address(&info), 0, address(&pool)]);
        append(&mut bytes, "vkBeginCommandBuffer", &[LIST, address(&vk::CommandBufferBeginInfo::default())]);
        append(&mut bytes, "vkCmdWriteTimestamp", &[LIST, 1, pool, 0]);
        append(&mut bytes, "vkEndCommandBuffer", &[LIST]);
        let submit = vk::SubmitInfo {
            command_buffer_count: 1,
            command_buffers: (&raw const LIST).cast(),
            ..Default::default()
        };
        append(&mut bytes, "vkQueueSubmit", &[QUEUE, 1, address(&submit), 0]);
        go_on(&mut bytes, 0..3);
        let names = left(&bytes).1;
        assert_eq!((count(&names, "vkCmdWriteTimestamp"), count(&names, "vkQueueSubmit")), (1, 4));
    }
}
