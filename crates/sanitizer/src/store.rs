//! Where reports go: the store of findings, and what waits for the application.

use crate::addresses::{self, Content};
use crate::call::{Hub, Receiver, break_into_debugger};
use crate::commands::{CommandRecorder, Commands};
use crate::finding::{Finding, access_name, with_article};
use crate::invocations::Invocations;
use crate::loops::Loops;
use crate::report::Record;
use crate::shadow::Shadow;
use crate::trace::{self, EventKind, Recorder};
use crate::words::Words;
use crate::{json, print};
use pyro_abi::report::SiteKind;
use pyro_util::report::to_stderr;
use pyro_util::sanitize::{Kind, KindSet};
use pyro_util::sync::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Events that wait at most; what comes then is counted and dropped.
const EVENT_COUNT_MAX: usize = 1 << 16;
/// Findings that are kept.
const FINDING_COUNT_MAX: usize = 1 << 14;
/// Bytes of messages of aborts from which on no more are kept.
const ABORT_BYTES_MAX: usize = 1 << 20;
/// With a recorder: the first number of what is not an event.
const FIRST_SERIAL_OF_NO_EVENT: u32 = 1 << 31;

/// What is done with reports.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The kinds that are looked for.
    pub kinds: KindSet,
    /// Prints go to standard error too.
    pub printf: bool,
    /// The file to which findings are appended; without one they go to standard error.
    pub output: Option<PathBuf>,
    /// The process stops at the first finding, for a debugger.
    pub stop: bool,
}

/// Something for the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// What a shader printed.
    Print(String),
    /// The first occurrence of a finding.
    Finding(Box<Finding>),
    /// So many events were dropped before this one.
    Dropped(u64),
}

/// What `OpAbortKHR` does, with the sanitizer or without: messages are kept, and engines stopped.
struct Aborts {
    /// The flags of the engines that run the device's shaders ([`pyro_abi::DispatchContext::abort`]).
    flags: Vec<Arc<AtomicU32>>,
    /// Sizes and messages, each from a multiple of eight bytes on.
    messages: Mutex<Vec<u8>>,
}

impl Aborts {
    fn stop(&self, message: &[u8], why: &str) {
        let mut messages = self.messages.lock();
        if messages.len() < ABORT_BYTES_MAX {
            let aligned = messages.len().next_multiple_of(8);
            messages.resize(aligned, 0);
            messages.extend_from_slice(&(message.len() as u64).to_le_bytes());
            messages.extend_from_slice(message);
        }
        for flag in &self.flags {
            if flag.swap(1, Ordering::AcqRel) == 0 {
                pyro_abi::fault::record(flag.as_ptr() as u64, why.to_owned());
            }
        }
    }
}

/// The reports of a device's shaders.
pub struct Reports {
    hub: Box<Hub>,
    store: Arc<Store>,
    serial: AtomicU32,
    words: Words,
}

/// What identifies a finding: table, site, kind, and the other side's site.
pub(crate) type Key = (u64, u32, u8, Option<u32>);

struct Counted {
    id: u64,
    count: u64,
}

/// Where findings of all devices of the process get their ids.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

pub(crate) struct Store {
    options: Options,
    output: Option<Mutex<File>>,
    findings: Mutex<BTreeMap<Key, Counted>>,
    events: Mutex<Vec<Event>>,
    has_events: AtomicBool,
    dropped: AtomicU64,
    shadow: Shadow,
    invocations: Invocations,
    recorder: Option<Arc<Recorder>>,
    commands: Option<Commands>,
    loops: Mutex<Loops>,
    aborts: Aborts,
    /// The names of pipelines by the tables of their shaders.
    pipelines: Mutex<BTreeMap<u64, BTreeSet<String>>>,
}

impl Reports {
    /// With these options; `OpAbortKHR` sets these flags of engines. An output file that cannot be opened is
    /// said on standard error, and findings go there.
    pub fn new(options: Options, flags: Vec<Arc<AtomicU32>>) -> Reports {
        let output = options.output.as_ref().and_then(|path| {
            let file = File::options().append(true).create(true).open(path);
            file.map_err(|error| to_stderr(&format_args!("{}: {error}", path.display()))).ok()
        });
        let store = Arc::new(Store {
            shadow: Shadow::new(options.kinds),
            invocations: Invocations::new(options.kinds),
            commands: Commands::new(options.kinds),
            options,
            output: output.map(Mutex::new),
            findings: Mutex::default(),
            events: Mutex::default(),
            has_events: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
            recorder: trace::installed(),
            loops: Mutex::default(),
            aborts: Aborts { flags, messages: Mutex::default() },
            pipelines: Mutex::default(),
        });
        let targets = store.recorder.as_ref().map_or(0, |recorder| recorder.target_address());
        let hub = Hub::new(Box::new(Taker(Arc::clone(&store))), targets);
        // Numbers of events come first.
        let serial = if targets == 0 { 0 } else { FIRST_SERIAL_OF_NO_EVENT };
        Reports { hub, store, serial: AtomicU32::new(serial), words: Words::default() }
    }

    /// For `DispatchContext::reporter`. Valid as long as this is.
    pub fn address(&self) -> u64 {
        self.hub.address()
    }

    /// A number for `DispatchContext::serial`.
    pub fn next_serial(&self) -> u32 {
        self.serial.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// A pipeline of this name has a shader whose sites are in the table of a number.
    pub fn name_pipeline(&self, table: u64, name: &str) {
        self.store.pipelines.lock().entry(table).or_default().insert(name.to_owned());
    }

    /// The messages of `OpAbortKHR`, as `VkDeviceFaultShaderAbortMessageInfoKHR` has them: the size of each
    /// in eight bytes, then its bytes; the next one begins at a multiple of eight. The first is that of the
    /// first abort.
    pub fn abort_messages(&self) -> Vec<u8> {
        self.store.aborts.messages.lock().clone()
    }

    /// The debugger's recorder, if the device has one.
    pub fn recorder(&self) -> Option<&Arc<Recorder>> {
        self.store.recorder.as_ref()
    }

    /// A number for `DispatchContext::serial` of a draw, dispatch or launch of rays: with a recorder, that of
    /// the event.
    pub fn event_serial(&self, kind: EventKind, size: [u32; 3]) -> u32 {
        match &self.store.recorder {
            Some(recorder) => recorder.begin_event(kind, size),
            None => self.next_serial(),
        }
    }

    /// For `DispatchContext::shadow` and `shadow_first` of a dispatch of so many invocations; zeros where
    /// buffers are not followed.
    pub fn buffer_shadow(&self, invocations: u64) -> (u64, u32) {
        let is_on = self.store.options.kinds.contains(Kind::RaceBuffer);
        is_on.then(|| self.words.reserve(invocations)).flatten().unwrap_or_default()
    }

    /// Calls `run` with what follows commands; nothing happens where no kind asks for it.
    pub fn commands(&self, run: impl FnOnce(&CommandRecorder<'_>)) {
        if let Some(commands) = &self.store.commands {
            let tell = |key: Key, finding: Finding| {
                if self.store.is_new(key, 1) {
                    self.store.tell(key, finding);
                }
            };
            run(&CommandRecorder::new(commands, &tell));
        }
    }

    /// For `DispatchContext::told`; zero where commands are not followed.
    pub fn told_address(&self) -> u64 {
        self.store.commands.as_ref().map_or(0, Commands::told_address)
    }

    /// Whether commands are followed.
    pub fn follows_commands(&self) -> bool {
        self.store.commands.is_some()
    }

    /// Whether it is followed what commands access.
    pub fn follows_accesses(&self) -> bool {
        self.store.commands.as_ref().is_some_and(Commands::follows_accesses)
    }

    /// What has come for the application since the last call, in order.
    pub fn take_events(&self) -> Vec<Event> {
        if !self.store.has_events.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        let mut events = std::mem::take(&mut *self.store.events.lock());
        let dropped = self.store.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            events.push(Event::Dropped(dropped));
        }
        events
    }
}

/// How often findings occurred is known at the end.
impl Drop for Reports {
    fn drop(&mut self) {
        for Counted { id, count } in self.store.findings.lock().values().filter(|found| found.count > 1) {
            if self.store.output.is_some() {
                self.store.write_line(&json::count(*id, *count));
            }
        }
    }
}

/// Behind the hub.
struct Taker(Arc<Store>);

impl Receiver for Taker {
    fn receive(&self, record: &Record) {
        let store = &self.0;
        if let (Some(segment), Some(recorder)) = (trace::segment_of(record.site().kind), &store.recorder) {
            return recorder.record(record, segment);
        }
        let mut found = |site: u32, finding: Finding| {
            let key = (record.table, site, finding.kind as u8, other_site(record, &finding));
            if store.options.kinds.contains(finding.kind) && store.is_new(key, 1) {
                store.tell(key, finding);
            }
        };
        match record.site().kind {
            SiteKind::Print => store.print(record),
            SiteKind::Abort(number) => store.abort(record, number),
            SiteKind::Finding(Kind::InfiniteLoop) => store.follow_loop(record),
            SiteKind::Finding(kind) => {
                if let Some(recorder) = &store.recorder
                    && let Some(finding) = Finding::of_site(record, kind)
                {
                    recorder.find(record, format!("{}: {}", kind.name(), finding.message));
                }
                let times = record.active.count_ones();
                let key = (record.table, record.index, kind as u8, None);
                let is_meant = kind == Kind::DescriptorUnwritten
                    && store.commands.as_ref().is_some_and(Commands::allows_null);
                if times > 0 && !is_meant && store.is_new(key, times.into()) {
                    Finding::of_site(record, kind).into_iter().for_each(|finding| store.tell(key, finding));
                }
            }
            SiteKind::AddressAccess { bytes, .. } => store.look_at_address(record, bytes),
            SiteKind::MemoryAccess { .. }
            | SiteKind::TexelAccess { .. }
            | SiteKind::ViewAccess { .. }
            | SiteKind::SampleAccess { .. } => {
                store.invocations.follow(record, &mut found);
                if let Some(commands) = &store.commands {
                    commands.touch(record);
                }
            }
            _ => store.shadow.follow(record, &mut found),
        }
    }
}

/// The other side's site.
fn other_site(record: &Record, finding: &Finding) -> Option<u32> {
    let other = finding.other.as_ref()?;
    Some(record.sites.sites.iter().position(|site| site.place == other.place)? as u32)
}

impl Store {
    /// A loop that seems to have no end, in two iterations one after the other.
    fn follow_loop(&self, record: &Record) {
        let Some(finding) = Finding::of_site(record, Kind::InfiniteLoop) else { return };
        let key = (record.table, record.index, Kind::InfiniteLoop as u8, None);
        let Some(finding) = self.loops.lock().follow(key, finding) else { return };
        if let Some(recorder) = &self.recorder {
            recorder.find(record, format!("{}: {}", finding.kind.name(), finding.message));
        }
        if self.is_new(key, record.active.count_ones().into()) {
            self.tell(key, finding);
        }
    }

    /// Finds accesses at device addresses where no buffer is.
    fn look_at_address(&self, record: &Record, bytes: u32) {
        for lane in record.active_lanes() {
            let values = record.site_values(lane);
            let Some(&address) = values.first().and_then(|(_, bits)| bits.first()) else { continue };
            let place = match addresses::content(address, bytes) {
                Content::Buffer => continue,
                Content::Behind(end) => {
                    format!(
                        "{} bytes behind the end of the last buffer before it",
                        address.saturating_sub(end)
                    )
                }
                Content::Nothing => "before all buffers".to_owned(),
            };
            let key = (record.table, record.index, Kind::BoundsAddress as u8, None);
            if self.is_new(key, 1) {
                let access = with_article(access_name(record.site().kind));
                let message =
                    format!("{access} of {bytes} bytes at a device address where no buffer is bound");
                let mut finding = Finding::at(record, lane, Kind::BoundsAddress, message);
                finding.values.push(("address".to_owned(), format!("{address:#x}, {place}")));
                self.tell(key, finding);
            }
        }
    }

    /// Keeps the messages of `OpAbortKHR`, tells the first, and stops the engines.
    fn abort(&self, record: &Record, number: u32) {
        let Some(layout) = record.sites.aborts.get(number as usize) else { return };
        for lane in record.active_lanes() {
            let values = record.site_values(lane);
            let values = values.iter().map(|(value, components)| (value.ty, &components[..]));
            let text = print::text(record, lane);
            let finding = Finding::at(record, lane, Kind::Abort, format!("the shader aborts: {text}"));
            if let Some(recorder) = &self.recorder {
                recorder.find(record, format!("{}: {}", finding.kind.name(), finding.message));
            }
            self.aborts.stop(&layout.bytes(values), &finding.to_string());
            let key = (record.table, record.index, Kind::Abort as u8, None);
            if self.options.kinds.contains(Kind::Abort) && self.is_new(key, 1) {
                self.tell(key, finding);
            }
        }
    }

    fn print(&self, record: &Record) {
        for lane in record.active_lanes() {
            let text = print::text(record, lane);
            if self.options.printf {
                to_stderr(&text.trim_end_matches('\n'));
            }
            if self.output.is_some() {
                self.write_line(&json::print(&text));
            }
            self.push(Event::Print(text));
        }
    }

    /// Counts a finding; whether it has not occurred before.
    fn is_new(&self, key: Key, times: u64) -> bool {
        let mut findings = self.findings.lock();
        if let Some(found) = findings.get_mut(&key) {
            found.count += times;
            return false;
        }
        if findings.len() >= FINDING_COUNT_MAX {
            self.dropped.fetch_add(times, Ordering::Relaxed);
            return false;
        }
        findings.insert(key, Counted { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), count: times });
        true
    }

    /// Tells a finding that has not occurred before.
    fn tell(&self, key: Key, mut finding: Finding) {
        if let Some(names) = self.pipelines.lock().get(&key.0) {
            finding.pipeline = names.iter().cloned().collect::<Vec<_>>().join(", ");
        }
        let id = self.findings.lock().get(&key).map_or(0, |found| found.id);
        match &self.output {
            Some(_) => self.write_line(&json::finding(id, &finding)),
            None => to_stderr(&finding),
        }
        self.push(Event::Finding(Box::new(finding)));
        if self.options.stop {
            break_into_debugger();
        }
    }

    fn push(&self, event: Event) {
        let mut events = self.events.lock();
        if events.len() >= EVENT_COUNT_MAX {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            events.push(event);
        }
        self.has_events.store(true, Ordering::Release);
    }

    /// In one write, so that lines of several processes do not mix.
    fn write_line(&self, line: &str) {
        if let Some(output) = &self.output {
            // A full disk loses findings, not the program.
            let _ = output.lock().write_all(format!("{line}\n").as_bytes());
        }
    }
}
