//! The recorder of traces ([`pyro_abi::trace`]): which invocations shaders report, and what they reported.
//!
//! A debugger in the driver's process makes a [`Recorder`] known ([`install`]); devices made from then on
//! compile their shaders to be traced and report to it. Events are draws, dispatches and launches of rays, in
//! the order in which queues come to them.
//!
//! # Invariants
//! * Without a recorder nothing here is called.
//! * Memory is bounded: what goes past the limits is dropped, and said ([`Trace::is_full`]).

use crate::report::Record;
use pyro_abi::image::{image_offset, level_extent};
use pyro_abi::report::{SiteKind, Sites};
use pyro_abi::trace::{Change, Segment, StepKind, TraceOptions, fragment, target};
use pyro_abi::{ImageRecord, Memory};
use pyro_util::sync::Mutex;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Words of values that are kept.
const WORDS_MAX: usize = 1 << 26;
/// Bytes of buffers that are kept.
const SNAPSHOT_BYTES_MAX: usize = 1 << 28;
/// Bytes of one buffer that are kept.
const BUFFER_BYTES_MAX: u64 = 1 << 24;
/// Findings that are kept.
const FINDING_COUNT_MAX: usize = 1 << 12;
/// Events that are listed.
const EVENT_COUNT_MAX: usize = 1 << 20;

/// The recorder of devices that are made from now on.
static INSTALLED: Mutex<Option<Arc<Recorder>>> = Mutex::new(None);

/// Makes a recorder known to devices that are made from now on, or none.
pub fn install(recorder: Option<Arc<Recorder>>) {
    *INSTALLED.lock() = recorder;
}

/// The recorder that is installed.
pub(crate) fn installed() -> Option<Arc<Recorder>> {
    INSTALLED.lock().clone()
}

/// The digest of a module, by which a debugger names it.
pub fn module_digest(words: &[u32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A draw.
    Draw,
    /// A dispatch of workgroups.
    Dispatch,
    /// A launch of rays.
    TraceRays,
    /// An execution graph.
    Graph,
}

/// A draw, dispatch or launch of rays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// What it is.
    pub kind: EventKind,
    /// How large: vertices and instances, or workgroups, or rays.
    pub size: [u32; 3],
    /// The submission that it is part of, as [`Recorder::set_submission`] said.
    pub submission: u64,
}

/// Invocations of a stage that report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The stage, one of [`target::STAGES`].
    pub stage: String,
    /// The first and the last event.
    pub events: [u32; 2],
    /// The least ids, in the order of the stage's identifying built-ins.
    pub low: [u32; target::IDS_MAX],
    /// The greatest ids.
    pub high: [u32; target::IDS_MAX],
    /// Samples of which fragments cover one, as a mask; zero: any.
    pub samples: u32,
}

/// The first invocation that comes to one of some instructions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quarry {
    /// Its event.
    pub event: u32,
    /// Its ids, the last first.
    pub reversed_ids: Vec<u32>,
    /// Its stage.
    pub stage: String,
}

/// What is looked for: nothing is kept of what is reported, but who comes there first.
struct Hunt {
    /// Module and number of an instruction; none: beginnings of invocations.
    wanted: Option<HashSet<(u64, u32)>>,
    /// The last is looked for, not the first.
    last: bool,
    /// By the number of the table and the segment: whether it has one.
    known: HashMap<(u64, u32), bool>,
    found: Option<Quarry>,
}

/// A segment that a subgroup reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// The index of its table in [`Trace::tables`].
    pub table: u32,
    /// The segment's number there.
    pub segment: u32,
    /// Lanes that ran it.
    pub active: u64,
    /// Columns of a lane: ids, whether it is a helper, and the segment's.
    pub columns: u32,
    /// Where its words begin in [`Trace::words`]: the columns of each active lane, one behind the other.
    pub start: usize,
}

/// The bytes of a buffer when an invocation first named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Before this record.
    pub record: usize,
    /// Address.
    pub base: u64,
    /// Contents; shorter than the buffer where that is very large.
    pub bytes: Vec<u8>,
    /// Bytes of the buffer.
    pub size: u64,
}

/// An image as an invocation named it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSnapshot {
    /// Before this record.
    pub record: usize,
    /// The address of what describes it, by which steps name it.
    pub address: u64,
    /// What describes it.
    pub image: ImageRecord,
    /// Its texels from [`ImageRecord::address`] on; shorter where the image is very large.
    pub bytes: Vec<u8>,
    /// The same of further planes.
    pub planes: Vec<(ImageRecord, Vec<u8>)>,
}

/// What rows of an image consist of: texels, or blocks of compressed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelBlock {
    /// Bytes.
    pub bytes: u32,
    /// Texels in x, y and z.
    pub extent: [u32; 3],
    /// Of sparse images, the logarithms of how many texels or blocks a block of memory has in x, y and z:
    /// rows and slices are then those of such tiles.
    pub tile: Option<[u32; 3]>,
}

/// What a plane of an image consists of, by the high half of [`ImageRecord::view`] and the plane's number;
/// none where there is no such plane, or nothing is known of it.
pub type TexelBlocks = fn(u32, usize) -> Option<TexelBlock>;

/// Something that the sanitizer found in invocations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundAt {
    /// Before this record: that of the segment in which the instruction is.
    pub record: usize,
    /// The stage of the invocations.
    pub stage: String,
    /// Their ids.
    pub ids: Vec<Vec<u32>>,
    /// The first word of the instruction in its module.
    pub word: u32,
    /// What was found.
    pub text: String,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Trace {
    /// The site tables of the kernels, all of which have a trace table.
    pub tables: Vec<Sites>,
    /// In the order in which they came.
    pub records: Vec<TraceRecord>,
    /// Values.
    pub words: Vec<u32>,
    /// Contents of buffers.
    pub snapshots: Vec<Snapshot>,
    /// Images.
    pub images: Vec<ImageSnapshot>,
    /// Events, the first of number 0.
    pub events: Vec<TraceEvent>,
    /// What the sanitizer found meanwhile, in all invocations.
    pub findings: Vec<FoundAt>,
    /// Something was dropped.
    pub is_full: bool,
}

#[derive(Default)]
struct State {
    trace: Trace,
    /// Indices of tables by their number.
    tables: HashMap<u64, u32>,
    /// The event for which buffers have been kept last: base and size.
    kept: HashMap<(u64, u64), u32>,
    snapshot_bytes: usize,
    submission: u64,
    changes: Vec<(u64, Change)>,
    replacements: HashMap<u64, Arc<[u32]>>,
    /// The modules that shaders were made from, by digest.
    modules: BTreeMap<u64, Arc<[u32]>>,
    hunt: Option<Hunt>,
    hunts_to_end: bool,
    /// Only what becomes of fragments is kept.
    only_fragments: bool,
    /// What a plane of an image consists of, by the high half of [`ImageRecord::view`].
    texel_block: Option<TexelBlocks>,
}

/// Records what chosen invocations do.
pub struct Recorder {
    /// What shaders read: [`target`].
    targets: Box<[AtomicU32]>,
    state: Mutex<State>,
}

impl Default for Recorder {
    fn default() -> Recorder {
        let words = target::STAGES.len() * target::WORDS;
        let recorder =
            Recorder { targets: (0..words).map(|_| AtomicU32::new(0)).collect(), state: Mutex::default() };
        recorder.set_targets(&[]);
        recorder
    }
}

impl Recorder {
    /// The address of the targets, for [`pyro_abi::Callable::context`].
    pub(crate) fn target_address(&self) -> u64 {
        self.targets.as_ptr().expose_provenance() as u64
    }

    /// Says which invocations report; of stages without a target none do.
    pub fn set_targets(&self, targets: &[Target]) {
        let set = |word: usize, value: u32| self.targets[word].store(value, Ordering::Relaxed);
        for (number, stage) in target::STAGES.iter().enumerate() {
            let start = number * target::WORDS;
            let Some(found) = targets.iter().find(|target| target.stage == *stage) else {
                set(start + target::SERIAL, u32::MAX);
                set(start + target::SERIAL + 1, 0);
                continue;
            };
            set(start + target::SERIAL, found.events[0]);
            set(start + target::SERIAL + 1, found.events[1]);
            set(start + target::SAMPLES, found.samples);
            for id in 0..target::IDS_MAX {
                set(start + target::LOW + id, found.low[id]);
                set(start + target::HIGH + id, found.high[id]);
            }
        }
    }

    /// Variables that get other values on the way, with the digest of their module.
    pub fn set_changes(&self, changes: Vec<(u64, Change)>) {
        self.state.lock().changes = changes;
    }

    /// Modules that stand for others, by the digest of those. Forgets the modules of the last replay.
    pub fn set_replacements(&self, replacements: HashMap<u64, Arc<[u32]>>) {
        let mut state = self.state.lock();
        state.replacements = replacements;
        state.modules.clear();
    }

    /// What stands for a module, if anything does.
    pub fn replacement(&self, words: &[u32]) -> Option<Arc<[u32]>> {
        let state = self.state.lock();
        if state.replacements.is_empty() {
            None
        } else {
            state.replacements.get(&module_digest(words)).cloned()
        }
    }

    /// What a module is compiled with.
    pub fn options(&self, words: &[u32]) -> TraceOptions {
        let mut state = self.state.lock();
        let digest = module_digest(words);
        state.modules.entry(digest).or_insert_with(|| words.into());
        let changes = state.changes.iter().filter(|(of, _)| *of == digest).map(|(_, change)| change.clone());
        TraceOptions { changes: changes.collect() }
    }

    /// A module that shaders were made from, or that kernels are shown by.
    pub fn learn(&self, words: &[u32]) {
        self.state.lock().modules.entry(module_digest(words)).or_insert_with(|| words.into());
    }

    /// Looks for the first or last invocation that comes to one of these instructions, by the digest of the
    /// module and the instruction's number, or that begins, until [`Recorder::end_hunt`].
    pub fn begin_hunt(&self, wanted: Option<HashSet<(u64, u32)>>, last: bool) {
        self.state.lock().hunt = Some(Hunt { wanted, last, known: HashMap::new(), found: None });
    }

    /// The invocation that was found.
    pub fn end_hunt(&self) -> Option<Quarry> {
        self.state.lock().hunt.take()?.found
    }

    /// Whether what is looked for has been found, so that nothing behind the submission under way changes it.
    pub fn is_hunt_over(&self) -> bool {
        let state = self.state.lock();
        let is_over = |hunt: &Hunt| !hunt.last && hunt.found.is_some();
        !state.hunts_to_end && state.hunt.as_ref().is_some_and(is_over)
    }

    /// Says whether all is to be seen, also where what is looked for is found before.
    pub fn set_hunts_to_end(&self, to_end: bool) {
        self.state.lock().hunts_to_end = to_end;
    }

    /// Forgets what was recorded and found, but neither the targets nor what is looked for: the replay begins
    /// again.
    pub fn begin_again(&self) {
        drop(self.take());
        if let Some(hunt) = &mut self.state.lock().hunt {
            hunt.found = None;
        }
    }

    /// The replay begins behind these events.
    pub fn begin_behind(&self, events: &[TraceEvent]) {
        self.state.lock().trace.events = events.to_vec();
    }

    /// Whether variables get other values on the way.
    pub fn has_changes(&self) -> bool {
        !self.state.lock().changes.is_empty()
    }

    /// Keeps only what becomes of fragments, of all that is reported, or keeps all again.
    pub fn set_only_fragments(&self, only: bool) {
        self.state.lock().only_fragments = only;
    }

    /// Says what images consist of. Without it no texels are kept.
    pub fn set_texel_block(&self, texel_block: TexelBlocks) {
        self.state.lock().texel_block = Some(texel_block);
    }

    /// The modules that shaders were made from since [`Recorder::set_replacements`], by digest.
    pub fn modules(&self) -> BTreeMap<u64, Arc<[u32]>> {
        self.state.lock().modules.clone()
    }

    /// How many findings there have been.
    pub fn finding_count(&self) -> usize {
        self.state.lock().trace.findings.len()
    }

    /// A finding, counted from zero.
    pub fn finding(&self, number: usize) -> Option<FoundAt> {
        self.state.lock().trace.findings.get(number).cloned()
    }

    /// How many events there have been.
    pub fn event_count(&self) -> usize {
        self.state.lock().trace.events.len()
    }

    /// The submission that the following events are part of.
    pub fn set_submission(&self, submission: u64) {
        self.state.lock().submission = submission;
    }

    /// An event is about to run; its number.
    pub(crate) fn begin_event(&self, kind: EventKind, size: [u32; 3]) -> u32 {
        let mut state = self.state.lock();
        let number = state.trace.events.len();
        if number >= EVENT_COUNT_MAX {
            state.trace.is_full = true;
            return u32::MAX >> 1;
        }
        let submission = state.submission;
        state.trace.events.push(TraceEvent { kind, size, submission });
        number as u32
    }

    /// Takes what was recorded. Events are counted from zero again.
    pub fn take(&self) -> Trace {
        let mut state = self.state.lock();
        state.tables.clear();
        state.kept.clear();
        state.snapshot_bytes = 0;
        std::mem::take(&mut state.trace)
    }

    /// Whether a lane's invocation is in its stage's target itself, and no helper.
    fn is_inside(&self, record: &Record, lane: u32) -> bool {
        let Some(start) = target::offset(&record.sites.stage) else { return false };
        let word = |word: usize| self.targets[start as usize / 4 + word].load(Ordering::Relaxed);
        let ids = record.sites.id_columns();
        let says_helper = record.sites.trace.as_ref().is_some_and(|table| table.says_helper);
        let is_helper = says_helper && record.word(ids, lane) != 0;
        let fits = |id: u32| {
            let value = record.word(id, lane);
            (word(target::LOW + id as usize)..=word(target::HIGH + id as usize)).contains(&value)
        };
        let samples = word(target::SAMPLES);
        let covers = samples == 0 || record.word(target::SAMPLES_ID as u32, lane) & samples != 0;
        !is_helper && covers && (0..ids.min(target::IDS_MAX as u32)).all(fits)
    }

    /// Takes a report of a finding.
    pub(crate) fn find(&self, record: &Record, text: String) {
        let mut state = self.state.lock();
        if state.trace.findings.len() >= FINDING_COUNT_MAX {
            state.trace.is_full = true;
            return;
        }
        let ids =
            |lane: u32| (0..record.sites.id_columns()).map(|column| record.word(column, lane)).collect();
        let found = FoundAt {
            record: state.trace.records.len(),
            stage: record.sites.stage.clone(),
            ids: record.active_lanes().map(ids).collect(),
            word: record.site().place.word,
            text,
        };
        state.trace.findings.push(found);
    }

    /// Takes a report.
    pub(crate) fn record(&self, record: &Record, segment: u32) {
        let Some(table) = &record.sites.trace else { return };
        let Some(data) = table.segments.get(segment as usize) else { return };
        let front = table.front_columns(record.sites.id_columns());
        let columns = front + data.columns;
        let mut state = self.state.lock();
        if state.hunt.is_some() {
            return state.hunt(record, data, front, &|lane| self.is_inside(record, lane));
        }
        let is_fragment = |kind: StepKind| matches!(kind, StepKind::Fragment | StepKind::FragmentEnd);
        if state.only_fragments && !data.steps.iter().any(|step| is_fragment(step.kind)) {
            return;
        }
        let words = columns as usize * record.active.count_ones() as usize;
        if state.trace.words.len() + words > WORDS_MAX {
            state.trace.is_full = true;
            return;
        }
        let table = state.table(record);
        let (number, start) = (state.trace.records.len(), state.trace.words.len());
        for lane in record.active_lanes() {
            state.trace.words.extend((0..columns).map(|column| record.word(column, lane)));
        }
        state.trace.records.push(TraceRecord { table, segment, active: record.active, columns, start });
        state.look_at_resources(record, data, front, number);
    }
}

impl State {
    fn table(&mut self, record: &Record) -> u32 {
        let tables = &mut self.trace.tables;
        *self.tables.entry(record.table).or_insert_with(|| {
            tables.push(record.sites.clone());
            tables.len() as u32 - 1
        })
    }

    /// Remembers who comes to what is looked for.
    fn hunt(&mut self, record: &Record, segment: &Segment, front: u32, is_inside: &dyn Fn(u32) -> bool) {
        let (Some(hunt), Some(table)) = (&mut self.hunt, &record.sites.trace) else { return };
        let is_wanted = *hunt.known.entry((record.table, record.index)).or_insert_with(|| {
            let module = module_digest(&table.words);
            segment.steps.iter().any(|step| match &hunt.wanted {
                Some(wanted) => wanted.contains(&(module, step.inst)),
                // Fragments count where they are seen.
                None if hunt.last => step.kind == StepKind::FragmentEnd,
                None => step.kind == StepKind::Begin,
            })
        });
        if !is_wanted {
            return;
        }
        let is_seen = |lane: u32| {
            let is_end = segment.steps.iter().any(|step| step.kind == StepKind::FragmentEnd);
            !is_end || record.word(front + fragment::PASSED as u32, lane) != 0
        };
        for lane in record.active_lanes().filter(|&lane| is_inside(lane) && is_seen(lane)) {
            let ids = (0..record.sites.id_columns()).rev().map(|column| record.word(column, lane));
            let found = Quarry {
                event: record.word(front - 1, lane),
                reversed_ids: ids.collect(),
                stage: record.sites.stage.clone(),
            };
            let is_better = |known: &Quarry| if hunt.last { found > *known } else { found < *known };
            if hunt.found.as_ref().is_none_or(is_better) {
                hunt.found = Some(found);
            }
        }
    }

    /// Keeps the contents of buffers and images that a segment names.
    fn look_at_resources(&mut self, record: &Record, segment: &Segment, front: u32, number: usize) {
        let Some(first) = record.active_lanes().next() else { return };
        let serial = record.word(front - 1, first);
        for step in &segment.steps {
            let column = front + step.column;
            if step.kind == StepKind::Range {
                for lane in record.active_lanes() {
                    let wide = |column: u32| {
                        u64::from(record.word(column, lane)) | u64::from(record.word(column + 1, lane)) << 32
                    };
                    let base = wide(column);
                    let size = if step.columns > 4 {
                        wide(column + 2)
                    } else {
                        u64::from(record.word(column + 2, lane))
                    };
                    self.keep(record.memory(), (base, size, serial), number);
                }
            }
            if step.kind == StepKind::Image {
                for lane in record.active_lanes() {
                    let address =
                        u64::from(record.word(column, lane)) | u64::from(record.word(column + 1, lane)) << 32;
                    self.keep_image(record.memory(), address, serial, number);
                }
            }
        }
    }

    fn keep(&mut self, memory: Memory, (base, size, serial): (u64, u64, u32), number: usize) {
        if base == 0 || size == 0 || self.kept.insert((base, size), serial) == Some(serial) {
            return;
        }
        let room = (SNAPSHOT_BYTES_MAX - self.snapshot_bytes) as u64;
        let count = size.min(BUFFER_BYTES_MAX).min(room);
        self.trace.is_full |= count < size;
        let bytes = bytes_at(memory, base, count);
        self.snapshot_bytes += bytes.len();
        self.trace.snapshots.push(Snapshot { record: number, base, bytes, size });
    }

    fn keep_image(&mut self, memory: Memory, address: u64, serial: u32, number: usize) {
        // No buffer is as large as this: the key is the image's own.
        if address == 0 || self.kept.insert((address, u64::MAX), serial) == Some(serial) {
            return;
        }
        let image = image_at(memory, address);
        let code = (image.view >> 32) as u32;
        let bytes = self.texels_of(memory, &image, code, 0);
        // The records of further planes are behind the first.
        let planes = (1..).map_while(|plane| {
            self.texel_block?(code, plane)?;
            let image = image_at(memory, address + (plane * size_of::<ImageRecord>()) as u64);
            let bytes = self.texels_of(memory, &image, code, plane);
            Some((image, bytes))
        });
        let planes = planes.collect();
        self.trace.images.push(ImageSnapshot { record: number, address, image, bytes, planes });
    }

    /// The texels of a plane, as far as there is room.
    fn texels_of(&mut self, memory: Memory, image: &ImageRecord, code: u32, plane: usize) -> Vec<u8> {
        let block = self.texel_block.and_then(|block| block(code, plane));
        let size = block.map_or(0, |block| image_bytes(image, block));
        let room = (SNAPSHOT_BYTES_MAX - self.snapshot_bytes) as u64;
        let count = if image.address == 0 { 0 } else { size.min(BUFFER_BYTES_MAX).min(room) };
        self.trace.is_full |= count < size;
        let bytes = bytes_at(memory, image.address, count);
        self.snapshot_bytes += bytes.len();
        bytes
    }
}

fn bytes_at(memory: Memory, base: u64, count: u64) -> Vec<u8> {
    let words = (0..count / 8).flat_map(|at| memory.load::<u64>(base + 8 * at).to_le_bytes());
    let rest = (count / 8 * 8..count).map(|at| memory.load::<u8>(base + at));
    words.chain(rest).collect()
}

/// The record of an image.
fn image_at(memory: Memory, address: u64) -> ImageRecord {
    let word = |offset: u32| memory.load::<u32>(address + u64::from(offset));
    let long = |offset: u32| memory.load::<u64>(address + u64::from(offset));
    let levels = |offset: u32| std::array::from_fn(|level| word(offset + 4 * level as u32));
    ImageRecord {
        address: long(image_offset::ADDRESS),
        functions: 0,
        view: long(image_offset::VIEW),
        width: word(image_offset::WIDTH),
        height: word(image_offset::HEIGHT),
        depth: word(image_offset::DEPTH),
        layers: word(image_offset::LAYERS),
        levels: word(image_offset::LEVELS),
        samples: word(image_offset::SAMPLES),
        layer_pitch: word(image_offset::LAYER_PITCH),
        sample_pitch: word(image_offset::SAMPLE_PITCH),
        min_lod: f32::from_bits(word(image_offset::LOD_MIN)),
        weights: word(image_offset::WEIGHTS),
        level_offset: levels(image_offset::LEVEL_OFFSET),
        row_pitch: levels(image_offset::ROW_PITCH),
        slice_pitch: levels(image_offset::SLICE_PITCH),
    }
}

/// Bytes from an image's first texel to behind its last.
fn image_bytes(image: &ImageRecord, block: TexelBlock) -> u64 {
    let level = (image.levels as usize).clamp(1, image.level_offset.len()) - 1;
    let last = |count: u32, pitch: u32| u64::from(count.saturating_sub(1)) * u64::from(pitch);
    let smaller = |extent| level_extent(extent, level as u32, image.is_corner_sampled());
    if image.width == 0 || image.height == 0 {
        return 0;
    }
    let extent = [image.width, image.height, image.depth].map(smaller);
    let blocks = [0, 1, 2].map(|axis| extent[axis].div_ceil(block.extent[axis]));
    let start = last(image.layers, image.layer_pitch) + u64::from(image.level_offset[level]);
    let (counts, size) = match block.tile {
        // All samples of a tile are in it.
        Some(tile) => {
            ([0, 1, 2].map(|axis| blocks[axis].div_ceil(1 << tile[axis])), pyro_abi::sparse::BLOCK_BYTES)
        }
        None => (blocks, u64::from(block.bytes)),
    };
    let samples = if block.tile.is_some() { 0 } else { last(image.samples, image.sample_pitch) };
    start
        + samples
        + last(counts[2], image.slice_pitch[level])
        + last(counts[1], image.row_pitch[level])
        + u64::from(counts[0]) * size
}

/// Whether a site is part of a trace.
pub(crate) fn segment_of(kind: SiteKind) -> Option<u32> {
    match kind {
        SiteKind::Trace(segment) => Some(segment),
        _ => None,
    }
}
