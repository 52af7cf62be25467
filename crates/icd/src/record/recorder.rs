//! The recorder: what is known of the program's objects, and what is done before and after each call.
#![allow(unsafe_code)] // parameters by address

use super::action::Action;
use super::memory::{Memories, Origin, Patch};
use super::other_threads::OtherThreads;
use super::output::Output;
use super::template::{Template, Templates, Writes};
use crate::handle::call_context::apart;
use crate::handle::{self, Dispatchable};
use crate::pointers;
use pyro_capture::record::{Call, MARK, Note, ORDER, Record, digest};
use pyro_capture::{encode, schema};
use pyro_driver::memory::DeviceMemory;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::present::Swapchain;
use pyro_driver::process::Process;
use pyro_driver::queue::Queue;
use pyro_util::sync::{Mutex, MutexGuard};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::ptr::with_exposed_provenance;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::{Duration, Instant};
use vulkanalia_sys::{self as vk, Handle};

/// How often a blocked queue is looked at again after a submission, and how long after each time.
const BLOCKED_LOOKS: u32 = 4;
const BLOCKED_PAUSE: Duration = Duration::from_micros(250);
/// How long a submission is waited for: a shader may read memory again and again until the program writes
/// there, which is not seen as waits for semaphores and events are.
const SETTLE_NS: u64 = 60_000_000_000;

/// Threads that have made calls.
static THREADS: AtomicU16 = AtomicU16::new(0);
/// The recorder failed; nothing is recorded any more.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// The process that records; a copy made by `fork` has not the thread that writes.
static PROCESS: OnceLock<Process> = OnceLock::new();

thread_local! {
    static THREAD: Cell<Option<u16>> = const { Cell::new(None) };
}

/// How many threads have made calls.
#[cfg(not(target_os = "linux"))]
pub(super) fn threads() -> u16 {
    THREADS.load(Ordering::Relaxed)
}

/// The number of this thread.
fn thread() -> u16 {
    THREAD.with(|known| match known.get() {
        Some(number) => number,
        None => {
            let number = THREADS.fetch_add(1, Ordering::Relaxed);
            known.set(Some(number));
            number
        }
    })
}

/// What is known while a capture is made.
struct State {
    output: Option<Output>,
    /// A file that is there when somebody asks for a mark in the capture.
    mark: Option<PathBuf>,
    memories: Memories,
    templates: Templates,
    /// Queues with their devices.
    queues: Vec<(u64, u64)>,
    instances: usize,
    /// Something may have been written by the device.
    submitted: bool,
    others: OtherThreads,
    parameters: Vec<u8>,
}

fn lock() -> MutexGuard<'static, State> {
    static STATE: OnceLock<Mutex<State>> = OnceLock::new();
    let state = STATE.get_or_init(|| {
        let path = pyro_util::config::get().capture.as_deref();
        let mut state = State {
            output: path.and_then(Output::open),
            mark: path.map(|path| added(path, ".mark")),
            memories: Memories::default(),
            templates: Templates::default(),
            queues: Vec::new(),
            instances: 0,
            submitted: false,
            others: OtherThreads::default(),
            parameters: Vec::new(),
        };
        state.describe();
        pyro_driver::command::keep_dropped_attachments();
        Mutex::new(state)
    });
    state.lock()
}

/// A path with more behind it.
fn added(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// What lasts from before a call until after it.
#[derive(Default)]
pub(super) struct Held {
    state: Option<MutexGuard<'static, State>>,
    /// The slots instead of the application's.
    slots: Option<Vec<u64>>,
    info: Option<Box<(vk::MemoryAllocateInfo, vk::MemoryAllocateFlagsInfo)>>,
    origin: Origin,
}

impl Held {
    /// The slots to call the body with.
    pub(super) fn slots<'a>(&'a self, own: &'a [u64]) -> &'a [u64] {
        self.slots.as_deref().unwrap_or(own)
    }
}

/// Whether this process records still.
fn is_recording() -> bool {
    !GIVEN_UP.load(Ordering::Relaxed) && !PROCESS.get_or_init(Process::here).is_another()
}

/// Ends the recording.
pub(super) fn give_up() {
    GIVEN_UP.store(true, Ordering::Relaxed);
    pyro_driver::report::to_stderr(&"the recorder failed; the capture ends before this call");
}

/// Completes the file at the end of the process.
pub(super) fn at_exit() {
    if is_recording()
        && let Some(output) = &mut lock().output
    {
        output.checkpoint();
    }
}

/// A structure that a parameter points at.
///
/// # Safety
/// The slot is a valid pointer to a `T`.
unsafe fn parameter<'a, T>(slot: u64) -> &'a T {
    // SAFETY: the contract of this function.
    unsafe { &*with_exposed_provenance::<T>(slot as usize) }
}

/// Elements that a pointer points at.
///
/// # Safety
/// The pointer is null or valid for so many.
unsafe fn elements<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    // SAFETY: the contract of this function.
    if pointer.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(pointer, count as usize) } }
}

/// What is done before a call's body runs. The parameters are valid by the command's contract.
pub(super) fn before(action: Action, number: u16, slots: &[u64], held: &mut Held) {
    if !is_recording() {
        return;
    }
    match action {
        Action::AllocateMemory => prepare_allocation(slots, held),
        Action::Before | Action::DestroyInstance => {
            let mut state = lock();
            state.call(number, slots, 0);
            held.state = Some(state);
        }
        Action::FreeMemory => {
            let mut state = lock();
            state.call(number, slots, 0);
            state.memories.remove(slots[1]);
            held.state = Some(state);
        }
        Action::DestroyDevice => {
            let mut state = lock();
            state.call(number, slots, 0);
            state.memories.remove_device(slots[0]);
            state.queues.retain(|(_, device)| *device != slots[0]);
            held.state = Some(state);
        }
        Action::Submit => {
            let mut state = lock();
            state.marked();
            state.begin_submission();
            state.call(number, slots, 0);
            held.state = Some(state);
        }
        Action::Present => {
            let mut state = lock();
            state.marked();
            state.begin_submission();
            state.presented(slots);
            state.call(number, slots, 0);
            held.state = Some(state);
        }
        Action::HostWrite => {
            let mut state = lock();
            state.written();
            state.memories.watch(slots[0]);
            held.state = Some(state);
        }
        _ => {}
    }
}

/// What is done after a call's body ran.
pub(super) fn after(action: Action, number: u16, slots: &[u64], result: u64, held: &mut Held) {
    if !is_recording() {
        return;
    }
    let returns = schema::commands()[usize::from(number)].returns;
    let code = if returns == schema::Returns::Result { result as u32 as i32 } else { 0 };
    let mut state = held.state.take().unwrap_or_else(lock);
    let state = &mut *state;
    match action {
        Action::Submit | Action::Present => state.settle(),
        Action::HostWrite => {
            state.written();
            state.memories.unwatch(slots[0]);
        }
        Action::DestroyInstance => {
            state.instances = state.instances.saturating_sub(1);
            if let Some(output) = state.output.as_mut().filter(|_| state.instances == 0) {
                output.end_instances();
            }
        }
        Action::Before | Action::FreeMemory | Action::DestroyDevice => {}
        // Nothing happened.
        _ if code < 0 && action != Action::After => {}
        Action::Wait if code == vk::Result::TIMEOUT.as_raw() || code == vk::Result::NOT_READY.as_raw() => {}
        _ => state.happened(action, number, slots, code, result, held.origin),
    }
}

/// Makes new memory one whose address another process can use.
fn prepare_allocation(slots: &[u64], held: &mut Held) {
    // SAFETY: `pAllocateInfo` and its chain are valid (VUID-vkAllocateMemory-pAllocateInfo-parameter).
    let info = unsafe { pointers::input::<vk::MemoryAllocateInfo>(parameter(slots[1])) };
    let flags = info.find::<vk::MemoryAllocateFlagsInfo>();
    held.origin = if info.find::<vk::ImportMemoryHostPointerInfoEXT>().is_some() {
        Origin::Program
    } else if info.find::<vk::ImportMemoryFdInfoKHR>().is_some() {
        Origin::Imported
    } else if info.find::<vk::ExportMemoryAllocateInfo>().is_some() {
        Origin::Exported
    } else {
        Origin::Own
    };
    let own = vk::MemoryAllocateFlagsInfo {
        next: info.next,
        flags: flags.map_or_else(vk::MemoryAllocateFlags::empty, |flags| flags.flags)
            | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY,
        device_mask: flags.map_or(0, |flags| flags.device_mask),
        ..Default::default()
    };
    let replaced = held.info.insert(Box::new((*info, own)));
    replaced.0.next = (&raw const replaced.1).cast();
    let mut slots = slots.to_vec();
    slots[1] = (&raw const replaced.0).expose_provenance() as u64;
    held.slots = Some(slots);
}

impl State {
    fn append(&mut self, record: &Record<'_>) {
        if let Some(output) = &mut self.output {
            output.append(record);
        }
    }

    /// Records a call.
    fn call(&mut self, number: u16, slots: &[u64], result: u64) {
        let mut parameters = std::mem::take(&mut self.parameters);
        parameters.clear();
        // SAFETY: the slots are the parameters of a call, valid by the command's contract.
        unsafe { encode::parameters(&schema::commands()[usize::from(number)], slots, &mut parameters) };
        let call = Call { command: number, thread: thread(), result, parameters: &parameters };
        self.append(&Record::Call(call));
        self.parameters = parameters;
    }

    /// Records a call of another command than the program's.
    fn call_instead(&mut self, name: &str, slots: &[u64]) {
        if let Some(number) = schema::command_number(name) {
            self.call(number, slots, 0);
        }
    }

    /// Records what the program wrote until now; what changes from here on may be the device's.
    fn begin_submission(&mut self) {
        // Where nothing can change unseen, nobody asks who ran.
        if self.memories.is_watching() {
            self.others.begin();
        }
        self.written();
    }

    /// Records what the program wrote into memory.
    fn written(&mut self) {
        if let Some(output) = &mut self.output {
            self.memories.written(&mut |record| output.append(record));
        }
    }

    /// Records a mark, if somebody has asked for one: the file that asks goes away.
    fn marked(&mut self) {
        if self.mark.as_deref().is_some_and(|path| std::fs::remove_file(path).is_ok()) {
            self.append(&Record::Text(MARK, ""));
        }
    }

    /// Facts of the capture as a whole.
    fn describe(&mut self) {
        let program = std::env::current_exe().ok();
        let program = program.as_deref().and_then(|path| path.file_name()).unwrap_or_default();
        let program = program.to_string_lossy().into_owned();
        self.append(&Record::Text("program", &program));
        self.append(&Record::Text("driver", concat!("Pyroclast ", env!("CARGO_PKG_VERSION"))));
        if let Some(cpu) = &pyro_util::config::get().cpu {
            self.append(&Record::Text("cpu", cpu));
        }
        if pyro_compile::Backend::from_environment().rounds_twice() {
            self.append(&Record::Text("rounding", "twice"));
        }
        if pyro_util::config::has_fixed_order() {
            self.append(&Record::Text(ORDER, "fixed"));
        }
    }

    /// Waits until the device is idle or waits for the program, and records what it wrote.
    fn settle(&mut self) {
        self.submitted = true;
        let start = Instant::now();
        let is_idle = (0..BLOCKED_LOOKS).any(|look| {
            if start.elapsed().as_nanos() >= u128::from(SETTLE_NS) {
                return false;
            }
            if look > 0 {
                std::thread::sleep(BLOCKED_PAUSE);
            }
            let settles = |queue: u64| {
                let queue = apart(|| Dispatchable::<Queue>::get(queue as usize));
                queue.is_ok_and(|queue| queue.settle(SETTLE_NS))
            };
            self.queues.iter().all(|(queue, _)| settles(*queue))
        });
        let Some(output) = &mut self.output else { return };
        if is_idle {
            output.append(&Record::Note(Note::Idle));
        }
        // Where other threads may have written too, nobody knows who wrote: the contents are recorded.
        let others = &mut self.others;
        self.memories
            .seen(&mut || is_idle && !others.may_have_written(), &mut |record| output.append(record));
        for patch in output.end_submission() {
            if self.memories.patch(&patch) {
                let Patch { memory, offset, bytes } = &patch;
                output.append(&Record::Write { memory: *memory, offset: *offset, bytes });
            }
        }
    }

    /// Records which images are presented.
    fn presented(&mut self, slots: &[u64]) {
        // SAFETY: `pPresentInfo` is valid, with arrays of the length that it says.
        let (swapchains, images) = unsafe {
            let info: &vk::PresentInfoKHR = parameter(slots[1]);
            (
                elements(info.swapchains, info.swapchain_count),
                elements(info.image_indices, info.swapchain_count),
            )
        };
        for (swapchain, &image) in swapchains.iter().zip(images) {
            let Ok(object) = apart(|| handle::get::<Swapchain>(swapchain.as_raw())) else { continue };
            let digest = digest(&object.texels(image));
            self.append(&Record::Presented { swapchain: swapchain.as_raw(), image, digest });
        }
    }

    /// Records a call that returned, and learns from it.
    fn happened(
        &mut self,
        action: Action,
        number: u16,
        slots: &[u64],
        code: i32,
        result: u64,
        origin: Origin,
    ) {
        match action {
            Action::UpdateWithTemplate => return self.update_with_template(slots),
            Action::PushWithTemplate => {
                return self.push_with_template(slots[0], slots[1], slots[2], slots[3], slots[4]);
            }
            Action::PushWithTemplate2 => {
                // SAFETY: the info is valid by the command's contract.
                let info: &vk::PushDescriptorSetWithTemplateInfo = unsafe { parameter(slots[1]) };
                let data = info.data.expose_provenance() as u64;
                let (template, layout) = (info.descriptor_update_template.as_raw(), info.layout.as_raw());
                return self.push_with_template(slots[0], template, layout, u64::from(info.set), data);
            }
            Action::MapMemory => return self.map(slots[1]),
            Action::MapMemory2 => {
                // SAFETY: as above.
                let info: &vk::MemoryMapInfo = unsafe { parameter(slots[1]) };
                return self.map(info.memory.as_raw());
            }
            Action::UnmapMemory => return self.unmap(slots[1]),
            Action::UnmapMemory2 => {
                // SAFETY: as above.
                let info: &vk::MemoryUnmapInfo = unsafe { parameter(slots[1]) };
                return self.unmap(info.memory.as_raw());
            }
            _ => {}
        }
        self.call(number, slots, result);
        let host = super::take_host();
        if !host.is_empty() {
            self.append(&Record::Host(&host));
        }
        if action == Action::CreateRayPipelines {
            let (count, pointer) = (slots[3] as u32, |slot: usize| slots[slot] as usize);
            // SAFETY: `pPipelines` has as many elements as infos; what was not made is null.
            let (infos, pipelines): (&[vk::RayTracingPipelineCreateInfoKHR], &[u64]) = unsafe {
                (
                    elements(with_exposed_provenance(pointer(4)), count),
                    elements(with_exposed_provenance(pointer(6)), count),
                )
            };
            for (info, pipeline) in infos.iter().zip(pipelines) {
                self.groups(*pipeline, info.group_count);
            }
        }
        if code >= 0 {
            self.learn(action, slots, origin);
        }
    }

    /// What a successful call made.
    fn learn(&mut self, action: Action, slots: &[u64], origin: Origin) {
        // SAFETY: outputs are valid, and written by the command, which was successful.
        let written = |slot: usize| unsafe { *parameter::<u64>(slots[slot]) };
        match action {
            Action::CreateInstance => self.instances += 1,
            Action::GetQueue => {
                let queue = written(slots.len() - 1);
                if !self.queues.iter().any(|(known, _)| *known == queue) {
                    self.queues.push((queue, slots[0]));
                }
            }
            Action::AllocateMemory => {
                let memory = written(3);
                let Ok(object) = apart(|| handle::get::<DeviceMemory>(memory)) else { return };
                let block = object.block();
                // What others allocated has no address that could be asked for.
                if !matches!(origin, Origin::Imported | Origin::Program) {
                    self.append(&Record::Note(Note::MemoryAddress(memory, block.address())));
                }
                self.memories.add(memory, slots[0], block.clone(), origin);
            }
            Action::CreateTemplate => {
                // SAFETY: the info is valid by the command's contract.
                let template = unsafe { Template::new(parameter(slots[1])) };
                self.templates.insert(written(3), template);
            }
            _ => {}
        }
    }

    /// Records the handles of a ray tracing pipeline's own groups, which a replay has to have again.
    fn groups(&mut self, pipeline: u64, count: u32) {
        let object = apart(|| handle::get_nullable::<Pipeline>(pipeline)).ok().flatten();
        let Some(PipelineKind::RayTracing(rays)) = object.as_ref().map(|pipeline| &pipeline.kind) else {
            return;
        };
        let Ok(handles) = rays.handles(0, count) else { return };
        let handles: Vec<u8> = handles.flatten().collect();
        self.append(&Record::Groups { pipeline, handles: &handles });
    }

    fn map(&mut self, memory: u64) {
        if let Some(output) = &mut self.output {
            self.memories.map(memory, self.submitted, &mut |record| output.append(record));
        }
    }

    fn unmap(&mut self, memory: u64) {
        if let Some(output) = &mut self.output {
            self.memories.unmap(memory, &mut |record| output.append(record));
        }
    }

    fn update_with_template(&mut self, slots: &[u64]) {
        let Some(template) = self.templates.get(&slots[2]).cloned() else { return };
        // SAFETY: `pData` is as the template says, by the command's contract.
        let writes = unsafe { Writes::new(&template, slots[1], with_exposed_provenance(slots[3] as usize)) };
        let first = writes.writes.as_ptr().expose_provenance() as u64;
        self.call_instead("vkUpdateDescriptorSets", &[slots[0], writes.writes.len() as u64, first, 0, 0]);
    }

    fn push_with_template(&mut self, list: u64, template: u64, layout: u64, set: u64, data: u64) {
        let Some(template) = self.templates.get(&template).cloned() else { return };
        // SAFETY: as above.
        let writes = unsafe { Writes::new(&template, 0, with_exposed_provenance(data as usize)) };
        let first = writes.writes.as_ptr().expose_provenance() as u64;
        let point = template.bind_point.as_raw() as u64;
        let slots = [list, point, layout, set, writes.writes.len() as u64, first];
        self.call_instead("vkCmdPushDescriptorSet", &slots);
    }
}
