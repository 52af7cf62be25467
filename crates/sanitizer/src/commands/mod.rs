//! What commands do to memory: who accessed which bytes last, and what orders that (`race-command-buffer`,
//! `race-command-image`), which bytes nobody has written, which layouts images are in.
//!
//! # Approach
//! Shaders report what they access with the number of their dispatch or draw; the bytes are collected by
//! pages and sites while the command runs ([`Commands::touch`]). When it has run, they are compared with the
//! accesses of the commands before it ([`state`]), of which only those are kept that nothing has replaced.
//! Whether two are ordered is what barriers, events, semaphores and fences say ([`order`]), not the order in
//! which commands ran. What a command accesses without a shader (copies, vertices, attachments) comes with
//! it.
//!
//! Must not know: Vulkan objects; how commands are recorded.

mod budget;
mod layouts;
mod order;
mod pages;
mod ranges;
pub mod resources;
pub mod scope;
mod snapshots;
mod state;

use crate::report::Record;
use budget::Budgets;
pub use layouts::UNKNOWN_LAYOUT;
use order::Entry;
pub use order::{Barrier, Ranges};
use pages::{Bits, PAGE_BYTES, pages};
use pyro_abi::report::{AccessKind, MemoryClass, Site, SiteKind, declaration};
use pyro_util::sanitize::{Kind, KindSet};
use pyro_util::sync::Mutex;
pub(crate) use ranges::{accessed, tracked};
use ranges::{each_run, wide};
use resources::{Resource, ResourceKind, Subresources};
use rustc_hash::FxHashMap;
use scope::{access, stage};
use state::{Access, State};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The kinds for which it is followed what commands access.
const ACCESS_KINDS: [Kind; 12] = [
    Kind::RaceCommandBuffer,
    Kind::RaceCommandImage,
    Kind::RaceHost,
    Kind::UninitializedBuffer,
    Kind::UninitializedImage,
    Kind::UninitializedAttachment,
    Kind::ImageLayout,
    Kind::DescriptorUnwritten,
    Kind::DescriptorDestroyed,
    Kind::DescriptorType,
    Kind::SamplerCompare,
    Kind::AttachmentFeedback,
];

/// The kinds that a command alone shows.
const COMMAND_KINDS: [Kind; 5] = [
    Kind::BoundsVertex,
    Kind::BoundsIndex,
    Kind::BoundsIndirect,
    Kind::BoundsBindingTable,
    Kind::InvariantDepth,
];

/// Whether some of these kinds are found here.
pub fn has_some(kinds: KindSet) -> bool {
    kinds.has_any(&ACCESS_KINDS) || kinds.has_any(&COMMAND_KINDS)
}

const SHARDS: usize = u64::BITS as usize;
/// Runs of texels, of those that lanes sample together, that count as one of [`budget`].
const SAMPLED_RUNS: u32 = 8;

/// Who accesses: a site of a shader, or the command itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum By {
    Site { table: u64, site: u32 },
    Command,
}

/// How findings call a command.
#[derive(Clone, Debug, Default, Hash)]
pub struct CommandName {
    /// The command that was recorded.
    pub command: &'static str,
    /// Its number among those of its command buffer.
    pub number: u32,
    /// The debug labels around it.
    pub labels: Vec<String>,
}

impl CommandName {
    fn text(&self) -> String {
        let mut text = format!("{} (command {}", self.command, self.number);
        for label in &self.labels {
            text += &format!(", in \"{label}\"");
        }
        text + ")"
    }

    fn digest(&self) -> u32 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish() as u32
    }
}

/// Bytes that a command accesses without a shader.
#[derive(Clone, Debug)]
pub struct FixedAccess {
    /// Addresses.
    pub range: Range<u64>,
    /// One of [`stage`].
    pub stage: u64,
    /// One of [`access`].
    pub access: u64,
    /// It reads what must have been written.
    pub needs_content: bool,
    /// Only depth, or only stencil, of texels that have both.
    pub is_one_aspect: bool,
    /// The elements of the range that are accessed; none for all of it.
    pub elements: Option<Elements>,
}

/// Bytes that lie apart, from the start of a range on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Bytes from one to the next, at least one.
    pub stride: u64,
    /// Bytes of one.
    pub bytes: u64,
}

/// What a command has done.
#[derive(Clone, Copy, Default)]
pub struct CommandUse<'c> {
    /// The numbers under which its shaders have told their accesses.
    pub numbers: &'c [u32],
    /// What it accesses without them.
    pub fixed: &'c [FixedAccess],
    /// The layouts that it needs.
    pub layouts: &'c [ExpectedLayout],
    /// What is wrong with it.
    pub findings: &'c [(Kind, String)],
    /// A number of its pipeline: what is wrong is told once for each.
    pub pipeline: u64,
    /// The attachments that it writes.
    pub attachments: &'c [(Arc<Resource>, Subresources)],
    /// What its input attachments may be.
    pub inputs: Option<&'c InputAttachments>,
    /// It is ordered behind the command of this number and those after it.
    pub before: Option<u32>,
}

/// What the input attachments of a draw may be.
#[derive(Clone, Debug)]
pub enum InputAttachments {
    /// Those of a subpass, by their index.
    Subpass(Vec<Option<(Arc<Resource>, Subresources)>>),
    /// Any attachment of dynamic rendering.
    Any(Vec<(Arc<Resource>, Subresources)>),
}

impl InputAttachments {
    /// Whether a view that shows this may be the input attachment with this index.
    fn has(&self, index: u32, resource: &Resource, shown: Subresources) -> bool {
        let is_it = |(other, attached): &(Arc<Resource>, Subresources)| {
            let place = |of: &Subresources| (of.level, of.layer, of.layers);
            other.id == resource.id && place(attached) == place(&shown)
        };
        match self {
            InputAttachments::Subpass(inputs) => {
                inputs.get(index as usize).is_some_and(|input| input.as_ref().is_some_and(is_it))
            }
            InputAttachments::Any(attachments) => attachments.iter().any(is_it),
        }
    }
}

/// A layout transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The image.
    pub image: Arc<Resource>,
    /// What of it.
    pub subresources: Subresources,
    /// `VkImageLayout`.
    pub old: i32,
    /// `VkImageLayout`.
    pub new: i32,
    /// What is before it and behind it.
    pub barrier: Barrier,
    /// It is a half of a transfer between queue families: both halves name the same layouts.
    pub is_ownership: bool,
}

/// Layouts that a command's images must be in.
#[derive(Clone, Debug)]
pub struct ExpectedLayout {
    /// The image.
    pub image: Arc<Resource>,
    /// What of it.
    pub subresources: Subresources,
    /// `VkImageLayout`.
    pub layout: i32,
}

/// What a queue comes to that orders commands.
#[derive(Clone, Debug)]
pub enum Dependency {
    /// A pipeline barrier.
    Barriers(Vec<Barrier>, Vec<Transition>),
    /// An event is set behind these stages.
    SetEvent(u64, u64),
    /// An event is reset.
    ResetEvent(u64),
    /// Events are waited for.
    WaitEvents(Vec<u64>, Vec<Barrier>, Vec<Transition>),
}

/// A site of a kernel: the table's number and the index.
type SiteKey = (u64, u32);

/// What the shaders of a command have accessed.
#[derive(Default)]
struct Touched {
    bytes: FxHashMap<(u64, SiteKey), Bits>,
    views: BTreeSet<(SiteKey, ViewUse)>,
    /// The sites that have sampled texels of which they did not tell: all that their views show counts.
    untold: BTreeSet<SiteKey>,
}

impl Touched {
    fn extend(&mut self, other: Touched) {
        self.bytes.extend(other.bytes);
        self.views.extend(other.views);
        self.untold.extend(other.untold);
    }
}

/// The records that an image instruction uses, and what the shader declares ([`declaration`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ViewUse {
    image: u64,
    sampler: u64,
    declared: u32,
    /// One more than the index of the input attachment; zero where that is not known.
    input: u32,
}

/// What is known of the commands of a device.
pub(crate) struct Commands {
    kinds: KindSet,
    /// By numbers of commands, in parts by pages.
    touched: Vec<Mutex<FxHashMap<u32, Touched>>>,
    /// A bit for each of these parts that is not empty, which changes while that is locked.
    filled: AtomicU64,
    state: Mutex<State>,
    number: AtomicU32,
    budgets: Budgets,
    /// Something has written memory of which it is not known where.
    loses_content: AtomicBool,
    /// The record of null descriptors of images, and whether the device allows null descriptors.
    null_image: Mutex<(u64, bool)>,
    /// How bytes of memory that is mapped are read.
    memory: OnceLock<ReadMemory>,
}

/// Copies bytes from an address of memory; false where there is none any more.
pub type ReadMemory = fn(u64, &mut [u8]) -> bool;

/// The stage of a shader, by its name.
fn stage_of(name: &str) -> u64 {
    match name {
        "vertex" => stage::VERTEX,
        "tessellation control" => stage::TESSELLATION_CONTROL,
        "tessellation evaluation" => stage::TESSELLATION_EVALUATION,
        "geometry" => stage::GEOMETRY,
        "fragment" => stage::FRAGMENT,
        "task" => stage::TASK,
        "mesh" => stage::MESH,
        "compute" => stage::COMPUTE,
        _ => stage::RAY_TRACING,
    }
}

/// The ways in which a site accesses memory: one, or reading and writing.
fn accesses_of(kind: SiteKind) -> &'static [u64] {
    let (way, class) = match kind {
        SiteKind::MemoryAccess { access, class, .. } | SiteKind::TexelAccess { access, class } => {
            (access, class)
        }
        SiteKind::ViewAccess { class } | SiteKind::SampleAccess { class, .. } => (AccessKind::Read, class),
        _ => return &[],
    };
    match (class, way) {
        (MemoryClass::Uniform, _) => &[access::UNIFORM_READ],
        (MemoryClass::Sampled, _) => &[access::SAMPLED_READ],
        (MemoryClass::InputAttachment, _) => &[access::INPUT_ATTACHMENT_READ],
        (MemoryClass::Structure, _) => &[access::STRUCTURE_READ],
        (
            MemoryClass::Storage | MemoryClass::DeviceScope | MemoryClass::Interlocked | MemoryClass::Tensor,
            way,
        ) => match way {
            AccessKind::Read => &[access::STORAGE_READ],
            // The write first: it is compared with reads that the read would replace.
            AccessKind::Atomic => &[access::STORAGE_WRITE, access::STORAGE_READ],
            _ => &[access::STORAGE_WRITE],
        },
    }
}

/// Whether accesses of a site do not race with others of which the same holds.
fn is_ordered_by_itself(access: AccessKind, class: MemoryClass) -> bool {
    access.is_atomic() || class == MemoryClass::Interlocked
}

impl Commands {
    /// Where one of its kinds is looked for.
    pub(crate) fn new(kinds: KindSet) -> Option<Commands> {
        has_some(kinds).then(|| Commands {
            kinds,
            touched: (0..SHARDS).map(|_| Mutex::default()).collect(),
            filled: AtomicU64::new(0),
            state: Mutex::new(State::new(kinds)),
            number: AtomicU32::new(0),
            budgets: Budgets::default(),
            loses_content: AtomicBool::new(false),
            null_image: Mutex::default(),
            memory: OnceLock::new(),
        })
    }

    /// Whether it is followed what commands access.
    pub(crate) fn follows_accesses(&self) -> bool {
        self.kinds.has_any(&ACCESS_KINDS)
    }

    /// For `DispatchContext::told`.
    pub(crate) fn told_address(&self) -> u64 {
        self.budgets.address()
    }

    /// Whether the device allows null descriptors.
    pub(crate) fn allows_null(&self) -> bool {
        self.null_image.lock().1
    }

    /// A shader accesses memory.
    pub(crate) fn touch(&self, record: &Record) {
        let row = record.sites.id_columns();
        let key = (record.table, record.index);
        let access = match record.site().kind {
            SiteKind::MemoryAccess { access, .. } | SiteKind::TexelAccess { access, .. } => access,
            _ => AccessKind::Read,
        };
        let mut runs = 0;
        match record.site().kind {
            SiteKind::MemoryAccess { class: MemoryClass::Structure, .. } => {
                for lane in record.active_lanes() {
                    let at = wide(record, row + 1, lane);
                    if let Some(range) = resources::structure(at) {
                        self.touch_bytes(record.word(row, lane), key, &range);
                    }
                }
            }
            SiteKind::MemoryAccess { bytes: 0, .. } => self.loses_content.store(true, Ordering::Relaxed),
            SiteKind::MemoryAccess { bytes, .. } => {
                each_run(record, bytes, |serial, range| {
                    runs += 1;
                    self.touch_bytes(serial, key, range);
                });
            }
            SiteKind::TexelAccess { .. } => {
                for lane in record.active_lanes() {
                    let image = wide(record, row + 1, lane);
                    let declared = record.word(row + 3, lane);
                    let serial = record.word(row, lane);
                    self.touch_view(serial, key, ViewUse { image, sampler: 0, declared, input: 0 });
                    if let Some(range) = ranges::told_texel(record, lane) {
                        self.touch_bytes(serial, key, &range);
                    }
                }
            }
            SiteKind::ViewAccess { .. } => _ = self.touch_views(record, key, None),
            SiteKind::SampleAccess { operands, .. } => {
                runs = self.touch_views(record, key, Some(operands)).div_ceil(SAMPLED_RUNS);
            }
            _ => {}
        }
        if let Some(lane) = record.active_lanes().next()
            && self.budgets.spend(record.index, record.word(row, lane), runs)
        {
            if access != AccessKind::Read {
                // Of its further writes nothing is known.
                self.loses_content.store(true, Ordering::Relaxed);
            } else if let SiteKind::SampleAccess { .. } = record.site().kind {
                self.leave_untold(record.word(row, lane), key);
            }
        }
    }

    /// What the lanes of a report use of views; with operands of samplers, also their texels: how many runs
    /// of bytes these are.
    fn touch_views(&self, record: &Record, key: SiteKey, operands: Option<u32>) -> u32 {
        let row = record.sites.id_columns();
        let (mut last, mut texels) = (None, Vec::new());
        for lane in record.active_lanes() {
            let serial = record.word(row, lane);
            let used = ViewUse {
                image: wide(record, row + 1, lane),
                declared: record.word(row + 3, lane),
                sampler: wide(record, row + 4, lane),
                input: record.word(row + 6, lane),
            };
            if last.replace(used) != Some(used) {
                self.touch_view(serial, key, used);
            }
            let Some(operands) = operands else { continue };
            let records = (used.image, used.sampler);
            let mut keep = |range: Range<u64>| texels.push((serial, range.start, range.end));
            if !ranges::sampled(record, lane, records, operands, &mut keep) {
                self.leave_untold(serial, key);
            }
        }
        texels.sort_unstable();
        texels.dedup_by(|next, run| {
            let is_behind = next.0 == run.0 && next.1 <= run.2;
            if is_behind {
                run.2 = run.2.max(next.2);
            }
            is_behind
        });
        for &(serial, start, end) in &texels {
            self.touch_bytes(serial, key, &(start..end));
        }
        texels.len() as u32
    }

    fn leave_untold(&self, serial: u32, key: SiteKey) {
        self.with_touched(key.0, serial, |touched| _ = touched.untold.insert(key));
    }

    fn touch_view(&self, serial: u32, key: SiteKey, used: ViewUse) {
        self.with_touched(used.image / 64, serial, |touched| _ = touched.views.insert((key, used)));
    }

    fn touch_bytes(&self, serial: u32, key: SiteKey, range: &Range<u64>) {
        for page in pages(range) {
            let start = range.start.max(page * PAGE_BYTES) - page * PAGE_BYTES;
            let end = range.end.min((page + 1) * PAGE_BYTES) - page * PAGE_BYTES;
            self.with_touched(page, serial, |touched| {
                touched.bytes.entry((page, key)).or_default().insert(start as u32, (end - start) as u32);
            });
        }
    }

    /// Changes what a command has touched in the part for a place.
    fn with_touched(&self, place: u64, serial: u32, change: impl FnOnce(&mut Touched)) {
        let shard = place as usize % SHARDS;
        let mut touched = self.touched[shard].lock();
        if touched.is_empty() {
            self.filled.fetch_or(1 << shard, Ordering::Relaxed);
        }
        change(touched.entry(serial).or_default());
    }

    fn take_touched(&self, serial: u32) -> Touched {
        let mut all = Touched::default();
        let mut filled = self.filled.load(Ordering::Relaxed);
        while filled != 0 {
            let shard = filled.trailing_zeros();
            filled &= filled - 1;
            let mut touched = self.touched[shard as usize].lock();
            if let Some(here) = touched.remove(&serial) {
                all.extend(here);
            }
            if touched.is_empty() {
                self.filled.fetch_and(!(1 << shard), Ordering::Relaxed);
            }
        }
        all
    }
}

/// A declaration in words.
fn declared_text(bits: u32) -> String {
    let class = match bits & declaration::ANY_CLASS {
        declaration::FLOAT => "floats",
        declaration::SIGNED => "signed integers",
        declaration::UNSIGNED => "unsigned integers",
        _ => "any texels",
    };
    let dim = match bits & declaration::DIMENSIONS {
        declaration::D1 => "1D",
        declaration::D2 => "2D",
        declaration::D3 => "3D",
        declaration::CUBE => "cube",
        declaration::BUFFER => "buffer",
        _ => "any",
    };
    let array = if bits & declaration::ARRAYED != 0 { " array" } else { "" };
    let samples = if bits & declaration::MULTISAMPLED != 0 { " multisampled" } else { "" };
    let format = match declaration::FORMATS.get((bits >> declaration::FORMAT_SHIFT) as usize) {
        Some((name, of_vulkan)) if !of_vulkan.is_empty() => format!(" in the format {name}"),
        Some(_) => String::new(),
        None => " in a format that has no name in shaders".to_owned(),
    };
    format!("{dim}{array}{samples} of {class}{format}")
}

/// What a shader declares and a view is, where they differ.
fn declaration_text(declared: u32, view: u32) -> Option<String> {
    let any = |mask: u32| declared & mask == mask || view & mask == mask;
    let same = |mask: u32| declared & mask == view & mask;
    let shape = declaration::DIMENSIONS | declaration::ARRAYED | declaration::MULTISAMPLED;
    let [format, of_view] = [declared, view].map(|bits| bits >> declaration::FORMAT_SHIFT);
    let is_same = (any(declaration::DIMENSIONS) || same(shape))
        && (any(declaration::ANY_CLASS) || same(declaration::ANY_CLASS))
        && (format == 0 || of_view == 0 || format == of_view);
    (!is_same).then(|| format!("{}, and its view is {}", declared_text(declared), declared_text(view)))
}

/// Tells what a queue comes to, for what is found of it.
pub struct CommandRecorder<'r> {
    commands: &'r Commands,
    tell: &'r dyn Fn((u64, u32, u8, Option<u32>), crate::Finding),
}

impl<'r> CommandRecorder<'r> {
    pub(crate) fn new(
        commands: &'r Commands,
        tell: &'r dyn Fn((u64, u32, u8, Option<u32>), crate::Finding),
    ) -> CommandRecorder<'r> {
        CommandRecorder { commands, tell }
    }

    fn with<T>(&self, run: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.commands.state.lock();
        let result = run(&mut state);
        let found = state.take_found();
        drop(state);
        for (key, finding) in found {
            (self.tell)(key, finding);
        }
        result
    }

    /// The kinds that are looked for.
    pub fn kinds(&self) -> KindSet {
        self.commands.kinds
    }

    /// A number for commands of which nobody else tells one.
    pub fn next_number(&self) -> u32 {
        self.commands.number.fetch_add(1, Ordering::Relaxed)
    }

    /// The record of null descriptors of images, and whether the device allows them.
    pub fn set_null_image(&self, record: u64, allowed: bool) {
        *self.commands.null_image.lock() = (record, allowed);
    }

    /// How bytes of mapped memory are read.
    pub fn set_memory(&self, memory: ReadMemory) {
        // The first stays.
        let _ = self.commands.memory.set(memory);
    }

    /// The host is about to wait for something: what it has changed so far, it has changed before it knew.
    pub fn look_at_host(&self) {
        let memory = self.commands.memory.get().copied();
        self.with(|state| state.look_at_host(memory));
    }

    /// A batch is submitted, which will signal payloads; its number.
    pub fn submit(&self, queue: u32, signals: &[(u64, u64)]) -> u32 {
        let memory = self.commands.memory.get().copied();
        self.with(|state| {
            state.look_at_host(memory);
            state.submit(queue, signals)
        })
    }

    /// The host knows that a payload has a value.
    pub fn observe_signal(&self, payload: u64, value: u64) {
        let memory = self.commands.memory.get().copied();
        self.with(|state| {
            state.look_at_host(memory);
            state.observe_signal(payload, value);
        });
    }

    /// The host knows that a queue is idle, or all are.
    pub fn observe_queue(&self, queue: Option<u32>) {
        let memory = self.commands.memory.get().copied();
        self.with(|state| {
            state.look_at_host(memory);
            state.observe_queue(queue);
        });
    }

    /// A batch runs, behind waits for semaphores: payload, value, stages.
    pub fn begin_batch(&self, queue: u32, batch: u32, waits: &[(u64, u64, u64)]) {
        self.with(|state| {
            state.begin_batch(queue, batch);
            for &(semaphore, value, stages) in waits {
                let value = if value == 0 { u64::MAX } else { value };
                state.push(Entry::Wait { queue, semaphore, value, stages });
            }
        });
    }

    /// A batch has run: it signals semaphores.
    pub fn end_batch(&self, queue: u32, signals: &[(u64, u64)]) {
        self.with(|state| {
            for &(semaphore, value) in signals {
                state.push(Entry::Signal { queue, semaphore, value });
            }
            state.end_batch(queue);
        });
    }

    /// The queue comes to a dependency.
    pub fn dependency(&self, queue: u32, dependency: &Dependency, name: &CommandName) {
        self.with(|state| match dependency {
            Dependency::Barriers(barriers, transitions) => {
                for transition in transitions {
                    state.transition(queue, transition, name);
                }
                for barrier in barriers {
                    state.push(Entry::Barrier { queue, barrier: barrier.clone() });
                }
            }
            Dependency::SetEvent(event, stages) => {
                state.push(Entry::SetEvent { queue, event: *event, stages: *stages });
            }
            Dependency::ResetEvent(event) => state.push(Entry::ResetEvent { event: *event }),
            Dependency::WaitEvents(events, barriers, transitions) => {
                for (event, barrier) in
                    events.iter().flat_map(|event| barriers.iter().map(move |it| (event, it)))
                {
                    state.push(Entry::WaitEvent { queue, event: *event, barrier: barrier.clone() });
                }
                for transition in transitions {
                    state.transition(queue, transition, name);
                }
            }
        });
    }

    /// Memory is allocated whose content is undefined.
    pub fn allocate(&self, range: Range<u64>) {
        self.with(|state| state.allocate(range));
    }

    /// Memory is freed.
    pub fn free(&self, range: &Range<u64>) {
        self.with(|state| state.free(range));
    }

    /// The memory that begins at an address is mapped.
    pub fn map(&self, start: u64) {
        self.with(|state| state.map(start));
    }

    /// The host changes the layout of an image.
    pub fn set_layout(&self, image: &Resource, of: Subresources, layout: i32) {
        self.with(|state| {
            // Whatever it was.
            let _ = state.layouts.change(image, of, layouts::UNDEFINED, layout);
        });
    }

    /// Bytes are written by something that is not followed.
    pub fn write(&self, range: &Range<u64>) {
        self.with(|state| state.write(range));
    }

    /// Memory is written of which it is not known where: from here on all counts as written.
    pub fn lose_content(&self) {
        self.with(State::lose_content);
    }

    /// What is in bytes is undefined from here on.
    pub fn discard(&self, range: &Range<u64>) {
        self.with(|state| state.discard(range));
    }

    /// An image is gone.
    pub fn forget_image(&self, image: &Resource) {
        self.with(|state| {
            state.layouts.forget(image.id);
            state.free(&image.range);
        });
    }

    /// A command has run. Gives its number.
    pub fn command(&self, queue: u32, name: CommandName, of: CommandUse<'_>) -> Option<u32> {
        let CommandUse { numbers, fixed, layouts, findings, pipeline, attachments, inputs, before } = of;
        let memory = self.commands.memory.get().copied();
        let mut touched = Touched::default();
        for &number in numbers {
            touched.extend(self.commands.take_touched(number));
        }
        self.with(|state| {
            if self.commands.loses_content.swap(false, Ordering::Relaxed) {
                state.lose_content();
            }
            let shader = touched.bytes.keys().map(|(_, (table, _))| *table).min();
            let command = state.command(name, shader);
            for (kind, message) in findings {
                state.report_of_pipeline(command, pipeline, *kind, message.clone());
            }
            for ExpectedLayout { image, subresources, layout } in layouts {
                state.expect_layout(command, By::Command, image, *subresources, &[*layout]);
            }
            for one in fixed {
                let whole = one.needs_content.then_some((1, ResourceKind::Image));
                let (by, stage, access) = (By::Command, one.stage, one.access);
                // Accesses of the one aspect do not race with those of the other.
                let atomic = one.is_one_aspect;
                let access = Access { by, stage, access, atomic, is_device: false, whole, before };
                for page in pages(&one.range) {
                    let bits = match one.elements {
                        None => Bits::of(page, &one.range),
                        Some(elements) => Bits::of_elements(page, &one.range, elements),
                    };
                    state.access(command, queue, page, &bits, &access);
                }
            }
            self.shaders(state, (command, queue), touched, (attachments, inputs));
            state.remember_mapped(command, queue, memory);
            Some(command)
        })
    }
}

/// The attachments that a draw writes, and what its input attachments may be.
type Attachments<'c> = (&'c [(Arc<Resource>, Subresources)], Option<&'c InputAttachments>);

impl CommandRecorder<'_> {
    /// What shaders of a command have accessed.
    fn shaders(
        &self,
        state: &mut State,
        (command, queue): (u32, u32),
        touched: Touched,
        attachments: Attachments<'_>,
    ) {
        let Touched { bytes, views, untold } = touched;
        let mut sorted: BTreeMap<(u64, SiteKey), Bits> = bytes.into_iter().collect();
        let keys: BTreeSet<SiteKey> =
            sorted.keys().map(|&(_, key)| key).chain(views.iter().map(|&(key, _)| key)).collect();
        let (mut sites, mut sampled) = (HashMap::new(), Vec::new());
        for (table, site) in keys {
            let Some(known) = pyro_abi::report::Sites::find(table) else { continue };
            state.keep_table(table, &known);
            sites.insert((table, site), known);
        }
        for ((table, site), used) in views {
            let Some(known) = sites.get(&(table, site)) else { continue };
            let Some(of) = known.sites.get(site as usize) else { continue };
            let by = By::Site { table, site };
            let shown = self.look_at_view(state, command, (by, of), used, attachments);
            let Some((resource, subresources)) = shown else { continue };
            if let SiteKind::ViewAccess { class } | SiteKind::SampleAccess { class, .. } = of.kind {
                let ranges = resource.ranges(subresources);
                sampled.push((by, stage_of(&known.stage), class, ranges.clone()));
                let is_told =
                    matches!(of.kind, SiteKind::SampleAccess { .. }) && !untold.contains(&(table, site));
                for range in ranges.into_iter().filter(|_| !is_told) {
                    for page in pages(&range) {
                        let bits = sorted.entry((page, (table, site))).or_default();
                        bits.union(&Bits::of(page, &range));
                    }
                }
            }
        }
        // What is written in any order counts as written.
        let of = |key: &SiteKey| sites.get(key).and_then(|known| known.sites.get(key.1 as usize));
        for ((page, key), bits) in &sorted {
            let writes =
                of(key).is_some_and(|of| accesses_of(of.kind).iter().any(|way| way & access::WRITES != 0));
            if writes {
                state.count_as_written(*page, bits);
            }
        }
        for (by, stage, class, ranges) in sampled {
            let access = accesses_of(SiteKind::ViewAccess { class });
            let access = access.first().copied().unwrap_or(access::SAMPLED_READ);
            let access =
                Access { by, stage, access, atomic: false, is_device: false, whole: None, before: None };
            state.look_for_unwritten_view(command, &ranges, &access);
        }
        for ((page, key), bits) in &sorted {
            let (Some(of), Some(known)) = (of(key), sites.get(key)) else { continue };
            let (access, class, whole) = match of.kind {
                SiteKind::MemoryAccess { access, bytes, may_be_unwritten, class } => {
                    (access, class, (!may_be_unwritten).then_some((bytes, ResourceKind::Buffer)))
                }
                SiteKind::TexelAccess { access, class } => (access, class, Some((1, ResourceKind::Image))),
                SiteKind::ViewAccess { class } | SiteKind::SampleAccess { class, .. } => {
                    (AccessKind::Read, class, None)
                }
                _ => continue,
            };
            let whole = whole.filter(|_| access.reads());
            let atomic = is_ordered_by_itself(access, class);
            let is_device = class == MemoryClass::DeviceScope;
            let by = By::Site { table: key.0, site: key.1 };
            for &way in accesses_of(of.kind) {
                let stage = stage_of(&known.stage);
                let access = Access { by, stage, access: way, atomic, is_device, whole, before: None };
                state.access(command, queue, *page, bits, &access);
            }
        }
    }

    /// Looks at a view that a site uses: its descriptor, type and layout. Gives what it shows, where that is
    /// an image that may be accessed.
    fn look_at_view(
        &self,
        state: &mut State,
        command: u32,
        (by, of): (By, &Site),
        used: ViewUse,
        (attachments, inputs): Attachments<'_>,
    ) -> Option<(Arc<Resource>, Subresources)> {
        let Some(view) = resources::view(used.image) else {
            self.no_view(state, command, by, used.image, &of.text);
            return None;
        };
        if let Some(text) = declaration_text(used.declared, view.declared) {
            let message = format!("{} is declared as {text}", of.text);
            state.report(command, by, Kind::DescriptorType, message);
        }
        if let Some(key) = resources::sampler(used.sampler) {
            let has_compare = key.compare.is_some();
            let compares = of.place.instruction.contains("Dref");
            let message = match (compares, has_compare) {
                (true, false) => {
                    format!("{} is sampled with comparison, and its sampler has none", of.text)
                }
                (false, true) => {
                    format!("{} is sampled without comparison by a sampler that has one", of.text)
                }
                _ => String::new(),
            };
            if !message.is_empty() {
                state.report(command, by, Kind::SamplerCompare, message);
            }
        }
        let (resource, subresources) = view.image?;
        let class = match of.kind {
            SiteKind::ViewAccess { class }
            | SiteKind::SampleAccess { class, .. }
            | SiteKind::TexelAccess { class, .. } => Some(class),
            _ => None,
        };
        let is_texel = matches!(of.kind, SiteKind::TexelAccess { .. });
        if let (Some(MemoryClass::InputAttachment), false, Some(inputs)) = (class, is_texel, inputs)
            && let Some(index) = used.input.checked_sub(1)
            && !inputs.has(index, &resource, subresources)
        {
            let message = format!(
                "{} shows {}, which is not the input attachment of the subpass",
                of.text,
                resource.text()
            );
            state.report(command, by, Kind::DescriptorType, message);
        }
        let is_read = class.is_some_and(|class| class != MemoryClass::InputAttachment);
        let is_attachment = |(other, shown): &&(Arc<Resource>, Subresources)| {
            other.id == resource.id && shown.overlaps(&subresources)
        };
        if is_read
            && attachments.iter().any(|it| is_attachment(&it))
            && !state.allows_feedback(&resource, subresources)
        {
            let message = format!(
                "{} is an attachment that the draw writes, and is accessed through {}",
                resource.text(),
                of.text
            );
            state.report(command, by, Kind::AttachmentFeedback, message);
            return None;
        }
        if !view.layouts.is_empty() {
            state.expect_layout(command, by, &resource, subresources, &view.layouts);
        }
        Some((resource, subresources))
    }

    /// An image record that is no view's: a null descriptor, or a view that is gone.
    fn no_view(&self, state: &mut State, command: u32, by: By, image: u64, name: &str) {
        let (null, is_allowed) = *self.commands.null_image.lock();
        if image == null && is_allowed {
            return;
        }
        if image == null {
            let message = format!("the descriptor of {name} is used, which nobody has written");
            state.report(command, by, Kind::DescriptorUnwritten, message);
        } else {
            let message = format!("the descriptor of {name} is used, whose view has been destroyed");
            state.report(command, by, Kind::DescriptorDestroyed, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::resources::{ImageShape, LiveResource};
    use super::*;

    #[test]
    fn input_attachments_are_those_of_their_index() {
        const AT: u64 = 1 << 60;
        let image = |place: u64| {
            let shape =
                ImageShape { levels: vec![(0, 64), (64, 16)], layer_pitch: 128, layers: 2, is_tiled: false };
            LiveResource::new(ResourceKind::Image, AT + place..AT + place + 256, shape, 0)
        };
        let (first, second) = (image(0), image(256));
        let shown = Subresources { level: 1, levels: 1, layer: 0, layers: 2 };
        let attached = |image: &LiveResource| (Arc::clone(image.resource()), shown);
        let subpass = InputAttachments::Subpass(vec![Some(attached(&first)), None, Some(attached(&second))]);
        let places = |image: &LiveResource, shown| {
            [0, 1, 2, 3].map(|index| subpass.has(index, image.resource(), shown))
        };
        assert_eq!(places(&first, shown), [true, false, false, false]);
        assert_eq!(places(&second, shown), [false, false, true, false]);
        for other in [Subresources { level: 0, ..shown }, Subresources { layer: 1, layers: 1, ..shown }] {
            assert_eq!(places(&first, other), [false; 4], "{other:?}");
        }
        let rendering = InputAttachments::Any(vec![attached(&second)]);
        assert!(rendering.has(7, second.resource(), shown) && !rendering.has(7, first.resource(), shown));
    }
}
