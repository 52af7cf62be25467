//! A debugging session: replays, breakpoints, and where it stands.

mod breakpoints;
mod live;
mod navigation;
mod replaying;
mod stack;
mod values;

pub use live::Advance;
pub use stack::StackFrame;

use crate::machine::{Machine, Write};
use crate::program::{Program, Programs, Source};
use crate::target::{self, Wanted, invocation_name};
use crate::timeline::{Granularity, Time, Timeline};
use crate::view::Context;
use pyro_abi::trace::Change;
use pyro_sanitizer::trace::{self, Quarry, Recorder, Target, TraceEvent};
use stack::Level;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Events of which something is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Events<'a> {
    /// The first of them.
    pub first: u32,
    /// The last; none: to the end.
    pub last: Option<u32>,
    /// All that are known.
    pub known: &'a [TraceEvent],
    /// What is in memory instead of what the program put there.
    pub writes: &'a [MemoryWrite],
    /// Modules that stand for others, in this order.
    pub reloads: &'a [Reload],
}

/// Contents of memory that are changed before the submission of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// The event.
    pub event: u32,
    /// The first byte's address.
    pub address: u64,
    /// What is there then.
    pub bytes: Vec<u8>,
}

/// A shader module that stands for another from the submission of an event on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reload {
    /// The event.
    pub event: u32,
    /// The digest of the other module's words.
    pub digest: u64,
    /// Its words.
    pub words: Arc<[u32]>,
}

/// How a capture is replayed.
pub trait Replays {
    /// Makes the calls of the capture again on a device that is made meanwhile, and tells the recorder which
    /// submission is under way; at most to the end of the submission in which the last event is, or an
    /// invocation that is looked for. What is before the first event may be left out
    /// ([`Recorder::begin_behind`]). Gives how many results were not those of the capture.
    ///
    /// # Errors
    /// Why it cannot be replayed.
    fn replay(&mut self, recorder: &Recorder, events: &Events<'_>) -> Result<u64, String>;

    /// Leaves nothing out any more, as results were not those of the capture; whether the last replay left
    /// something out.
    fn begin_whole(&mut self) -> bool {
        false
    }

    /// The submissions before which a replay can begin, besides the first, counted from zero.
    fn checkpoints(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Other shaders run from now on: what is known of other replays does not hold.
    fn forget(&mut self) {}

    /// Compiles a shader's source for hot reload, for a stage.
    ///
    /// # Errors
    /// What the compiler says.
    fn compile(&mut self, path: &Path, stage: &str) -> Result<Vec<u32>, String>;

    /// The program that makes the capture meanwhile, if one does.
    fn program(&mut self) -> Option<&mut dyn LiveProgram> {
        None
    }
}

/// A program that is captured, and waits behind each submission until it is let go on. What it does is
/// replayed beside it, by a replay that goes on with it; [`Replays::replay`] ends that.
pub trait LiveProgram {
    /// Whether the replay beside it is where the program waits.
    fn is_followed(&self) -> bool;

    /// Begins a replay beside it, and brings it to where the program waits. The events are those before that.
    ///
    /// # Errors
    /// Why it cannot be replayed.
    fn follow(&mut self, recorder: &Recorder, events: &[TraceEvent]) -> Result<(), String>;

    /// Lets the program go on to its next submission; waits for that for a time. What it did before the
    /// submission is replayed then.
    ///
    /// # Errors
    /// Why it cannot be replayed.
    fn go_on(&mut self, recorder: &Recorder, wait: Duration) -> Result<Progress, String>;

    /// Replays some events, and gives what memory holds behind them.
    ///
    /// # Errors
    /// Why it cannot be replayed.
    fn contents(&mut self, recorder: &Recorder, events: &Events<'_>) -> Result<Contents, String>;

    /// Has the program write into its memory, before it goes on, what differs.
    fn write_changes(&mut self, before: &Contents, after: &Contents);

    /// Has the program go on with a module in the place of another, from its next submission on; how many of
    /// its pipelines and shader objects have been made again.
    ///
    /// # Errors
    /// Why it keeps the one that it has.
    fn reload(&mut self, digest: u64, words: &[u32]) -> Result<u32, String>;

    /// Replays the submission.
    ///
    /// # Errors
    /// Why it cannot be replayed.
    fn submit(&mut self, recorder: &Recorder) -> Result<(), String>;
}

/// Contents of memory, without pages of zeros: the `VkDeviceMemory`, an offset, bytes.
pub type Contents = Vec<(u64, u64, Vec<u8>)>;

/// How far a live program has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It does something else.
    Busy,
    /// It waits behind a submission.
    Submitted,
    /// It has ended, with this exit code; none by a signal.
    Ended(Option<i32>),
}

/// A source that some modules have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSource {
    /// The source.
    pub source: Source,
    /// The modules that have it, by digest, with the number that it has there.
    pub modules: Vec<(u64, usize)>,
}

/// What a breakpoint is on.
#[derive(Clone, Debug, PartialEq)]
pub enum BreakpointKind {
    /// A line of a source: the source's number.
    Line {
        /// In [`Session::sources`].
        source: usize,
        /// From 1, as it was asked for.
        line: u32,
    },
    /// A function, by its name.
    Function(String),
    /// An instruction: the module's digest, and its number.
    Instruction(u64, u32),
    /// A write to a variable or memory, of the invocation with this number.
    Data(Write),
}

/// A breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// Its number.
    pub id: u64,
    /// What it is on.
    pub kind: BreakpointKind,
    /// It holds only where this is true.
    pub condition: Option<String>,
    /// It holds at some of the hits: a number, or a comparison with one.
    pub hit_condition: Option<String>,
    /// It does not stop, but says this, with expressions in braces.
    pub log_message: Option<String>,
    /// The line that it is at, where it is on one that has code.
    pub line: Option<u32>,
    /// The instructions that it is at: module and number.
    insts: HashSet<(u64, u32)>,
}

impl Breakpoint {
    /// Whether there is anything that it is on.
    pub fn is_at_code(&self) -> bool {
        !self.insts.is_empty() || matches!(self.kind, BreakpointKind::Data(_))
    }
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next line, over calls.
    Over,
    /// To the next line, into calls.
    In,
    /// Behind the function.
    Out,
    /// To the line before, over calls.
    Back,
    /// To the line before, into calls.
    BackIn,
    /// To the call of the function.
    BackOut,
    /// To the next barrier of the workgroup.
    Barrier,
    /// To the barrier before.
    BackBarrier,
}

/// Why it stands where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The beginning of the invocation.
    Entry,
    /// After a step.
    Step,
    /// At these breakpoints.
    Breakpoint(Vec<u64>),
    /// At these data breakpoints.
    Data(Vec<u64>),
    /// At what the sanitizer found.
    Finding(String),
    /// The invocation has ended.
    End,
    /// A variable has got another value, or a shader was replaced.
    Changed,
}

/// A session.
pub struct Session {
    replays: Box<dyn Replays>,
    recorder: Arc<Recorder>,
    programs: Programs,
    /// The modules that shaders were made from.
    pub modules: Vec<Rc<Program>>,
    /// Their sources.
    pub sources: Vec<SessionSource>,
    /// What was drawn, dispatched and launched.
    pub events: Vec<TraceEvent>,
    wanted: Wanted,
    targets: Vec<Target>,
    timeline: Option<Timeline>,
    machines: HashMap<usize, Machine>,
    breakpoints: Vec<Breakpoint>,
    next_breakpoint: u64,
    changes: Vec<(u64, Change)>,
    /// Changes of memory.
    writes: Vec<MemoryWrite>,
    replacements: HashMap<u64, Arc<[u32]>>,
    /// Of a live program: modules that were reloaded where it waits.
    reloads: Vec<Reload>,
    /// The modules that the program has not any more, as others stand for them.
    replaced: HashSet<u64>,
    focus: usize,
    position: u32,
    output: Vec<String>,
    /// It stops where the sanitizer finds something.
    stops_at_findings: bool,
    /// Of a live program: it stops at the first invocation, breakpoint or not.
    pauses: bool,
    /// Breakpoints that have got a place since they were last told.
    placed: Vec<u64>,
    /// The invocation that is wanted, if the survey of the capture has found it.
    surveyed: Option<Quarry>,
}

impl Session {
    /// A session on a capture, which is replayed once to see what is in it.
    ///
    /// # Errors
    /// When the capture cannot be replayed, or a shader of it not be read.
    pub fn new(replays: Box<dyn Replays>, wanted: Wanted) -> Result<Session, String> {
        wanted.check()?;
        let mut session = Session {
            replays,
            recorder: Arc::default(),
            programs: Programs::default(),
            modules: Vec::new(),
            sources: Vec::new(),
            events: Vec::new(),
            wanted,
            targets: Vec::new(),
            timeline: None,
            machines: HashMap::new(),
            breakpoints: Vec::new(),
            next_breakpoint: 1,
            changes: Vec::new(),
            writes: Vec::new(),
            replacements: HashMap::new(),
            reloads: Vec::new(),
            replaced: HashSet::new(),
            focus: 0,
            position: 0,
            output: Vec::new(),
            stops_at_findings: false,
            pauses: false,
            placed: Vec::new(),
            surveyed: None,
        };
        session.recorder.set_texel_block(crate::texels::texel_block);
        // What a live program will do is seen when it does it.
        if !session.is_live() {
            session.survey(0)?;
        }
        Ok(session)
    }

    /// Sees what is in the capture; of a live program, in what it did since an event.
    fn survey(&mut self, first: u32) -> Result<(), String> {
        self.recorder.set_targets(&[]);
        // An invocation that is known by its numbers is found meanwhile.
        let seeks = first == 0 && self.wanted.says_invocation() && self.wanted.event.is_none();
        if seeks {
            self.recorder.set_targets(&self.wanted.targets([0, u32::MAX >> 1]));
            self.recorder.begin_hunt(None, self.wanted.means_last());
        }
        let trace = self.replay_whole(first);
        self.surveyed = self.recorder.end_hunt();
        self.recorder.set_targets(&[]);
        let trace = trace?;
        self.events = trace.events;
        self.modules.clear();
        self.sources.clear();
        self.learn_modules()
    }

    /// Replays to the end, also where what is looked for is found before.
    fn replay_whole(&mut self, first: u32) -> Result<trace::Trace, String> {
        self.recorder.set_hunts_to_end(true);
        let trace = self.replay(first, None);
        self.recorder.set_hunts_to_end(false);
        trace
    }

    /// Takes over the modules that are new, and their sources.
    fn learn_modules(&mut self) -> Result<(), String> {
        for (digest, words) in self.recorder.modules() {
            if self.replaced.contains(&digest) || self.modules.iter().any(|known| known.digest == digest) {
                continue;
            }
            let program = Rc::new(Program::new(&words, &[])?);
            for (number, source) in program.sources.iter().enumerate() {
                let is_it = |known: &&mut SessionSource| {
                    known.source == *source
                        || known.modules.is_empty()
                            && breakpoints::file_name(&known.source.name)
                                == breakpoints::file_name(&source.name)
                };
                let place = (program.digest, number);
                match self.sources.iter_mut().find(is_it) {
                    Some(known) => {
                        known.source = source.clone();
                        known.modules.push(place);
                    }
                    None => {
                        self.sources.push(SessionSource { source: source.clone(), modules: vec![place] });
                    }
                }
            }
            self.modules.push(program);
        }
        Ok(())
    }

    /// Replays the submissions of some events, and gives what was recorded.
    fn replay(&mut self, first: u32, last: Option<u32>) -> Result<trace::Trace, String> {
        self.recorder.set_changes(self.changes.clone());
        self.recorder.set_replacements(self.replacements.clone());
        self.keep_events();
        trace::install(Some(Arc::clone(&self.recorder)));
        let played = self.replay_trusted(Events {
            first,
            last,
            known: &self.events.clone(),
            writes: &self.writes.clone(),
            reloads: &self.reloads.clone(),
        });
        trace::install(None);
        let different = played?;
        // Changes are there to make other results.
        if different > 0 && self.is_unchanged() {
            self.output.push(format!("{different} results of the replay are not those of the capture"));
        }
        Ok(self.recorder.take())
    }

    /// Replays, and once more from the start where a part had other results.
    fn replay_trusted(&mut self, events: Events<'_>) -> Result<u64, String> {
        let played = self.replays.replay(&self.recorder, &events);
        let is_well = *played.as_ref().unwrap_or(&1) == 0;
        if !is_well && self.is_unchanged() && self.replays.begin_whole() {
            self.recorder.begin_again();
            return self.replays.replay(&self.recorder, &events);
        }
        played
    }

    fn is_unchanged(&self) -> bool {
        self.changes.is_empty()
            && self.writes.is_empty()
            && self.replacements.is_empty()
            && self.reloads.is_empty()
    }

    /// Takes over the events of a live program before the recorder forgets them.
    fn keep_events(&mut self) {
        let before = self.recorder.take();
        if self.is_live() && before.events.len() > self.events.len() {
            self.events = before.events;
        }
    }

    /// The first event of the last submission of a live program; of a capture the first of all.
    fn first_event(&mut self) -> u32 {
        let last = self.events.last().map_or(0, |event| event.submission);
        match self.is_live() {
            true => self.events.partition_point(|event| event.submission < last) as u32,
            false => 0,
        }
    }

    /// Finds the invocation that is wanted, records it, and goes to where it stops first.
    ///
    /// # Errors
    /// When there is no such invocation, or the capture cannot be replayed.
    pub fn run(&mut self, stop_on_entry: bool) -> Result<Stop, String> {
        let last =
            (self.events.len() as u32).checked_sub(1).ok_or("the capture has no draw and no dispatch")?;
        let events = match self.wanted.event {
            Some(event) if event > last => {
                return Err(format!("there is no event {event}: the last is {last}"));
            }
            Some(event) => [event; 2],
            None => [self.first_event(), last],
        };
        if self.stops_at_findings && !self.wanted.says_invocation() {
            return self.run_to_finding(events);
        }
        let targets = self.wanted.targets(events);
        let wanted = self.breakpoint_insts();
        let looks_for_lines = !wanted.is_empty() && !stop_on_entry && !self.wanted.says_invocation();
        let wanted = if looks_for_lines { Some(wanted) } else { None };
        let mut found = match self.surveyed.take().filter(|_| wanted.is_none()) {
            Some(found) => Some(found),
            None => self.hunt(&targets, wanted.clone(), events[1], self.wanted.means_last())?,
        };
        if found.is_none() && self.wanted.means_last() {
            // Nothing of the pixel is seen: the first fragment, whatever became of it.
            found = self.hunt(&targets, wanted, events[1], false)?;
        }
        let Some(found) = found else {
            return Err(match looks_for_lines {
                true => "no invocation comes to a breakpoint".to_owned(),
                false => "no such invocation runs in the capture".to_owned(),
            });
        };
        self.go_to(&found)?;
        let stop = self.start(stop_on_entry)?;
        if stop == Stop::End && looks_for_lines {
            if let Some(stop) = self.stop_elsewhere(&found)? {
                return Ok(stop);
            }
            self.go_to(&found)?;
            return self.start(false);
        }
        Ok(stop)
    }

    /// Where a condition does not hold in the first invocation that comes to a breakpoint: goes to one of the
    /// same stage and event in which one does.
    fn stop_elsewhere(&mut self, found: &Quarry) -> Result<Option<Stop>, String> {
        let has_conditions = self.breakpoints.iter().any(|one| one.condition.is_some());
        if !has_conditions || self.wanted.says_invocation() {
            return Ok(None);
        }
        self.targets = self.wanted.targets([found.event; 2]);
        self.targets.retain(|target| target.stage == found.stage);
        self.record()?;
        (self.focus, self.position) = (0, 0);
        if self.resume(true) == Stop::End {
            return Ok(None);
        }
        // That one alone, with its subgroup: the others are no threads.
        let (focus, _) = self.place();
        let reversed_ids = self.timeline().invocations[focus].ids.iter().rev().copied().collect();
        let there = Quarry { event: found.event, reversed_ids, stage: found.stage.clone() };
        self.go_to(&there)?;
        self.position = 0;
        Ok(Some(self.resume(true)))
    }

    /// The instructions at which breakpoints are.
    fn breakpoint_insts(&self) -> HashSet<(u64, u32)> {
        self.breakpoints.iter().flat_map(|breakpoint| breakpoint.insts.iter().copied()).collect()
    }

    /// Records an invocation that was found, and makes it the one that is stepped.
    fn go_to(&mut self, found: &Quarry) -> Result<(), String> {
        // A whole workgroup is followed where one is wanted.
        self.targets = target::of_quarry(found);
        if self.wanted.workgroup.is_some() && self.wanted.local.is_none() {
            self.targets = self.wanted.targets([found.event; 2]);
        }
        self.record()?;
        self.focus_on(found);
        Ok(())
    }

    /// Says whether it stops where the sanitizer finds something. What it looks for is the environment's to
    /// say (`PYROCLAST_SANITIZE`).
    pub fn set_stops_at_findings(&mut self, stops: bool) {
        self.stops_at_findings = stops;
    }

    /// Records the invocation of the first finding, and goes there.
    fn run_to_finding(&mut self, events: [u32; 2]) -> Result<Stop, String> {
        self.recorder.set_targets(&[]);
        let trace = self.replay(events[0], Some(events[1]))?;
        let found = trace.findings.into_iter().next();
        let found = found.ok_or("the sanitizer finds nothing: PYROCLAST_SANITIZE says what it looks for")?;
        self.go_to_finding(&found, events)
    }

    /// Records the invocation of a finding in these events, and goes there.
    fn go_to_finding(&mut self, found: &trace::FoundAt, events: [u32; 2]) -> Result<Stop, String> {
        let ids = found.ids.first().cloned().unwrap_or_default();
        let bound = |rest: u32| std::array::from_fn(|index| ids.get(index).copied().unwrap_or(rest));
        let target =
            Target { stage: found.stage.clone(), events, low: bound(0), high: bound(u32::MAX), samples: 0 };
        self.targets = vec![target];
        self.record()?;
        self.finding_in(found.word, &ids).ok_or_else(|| "the finding does not occur again".to_owned())
    }

    /// Goes to where a finding occurred that names an instruction by its word.
    fn finding_in(&mut self, word: u32, ids: &[u32]) -> Option<Stop> {
        let timeline = self.timeline();
        let is_it = |found: &&trace::FoundAt| found.word == word && found.ids.iter().any(|one| one == ids);
        let found = timeline.trace.findings.iter().find(is_it)?;
        let of_it = |&index: &usize| timeline.invocations[index].ids == *ids;
        let place = (0..timeline.invocations.len()).filter(of_it).find_map(|index| {
            // The segment in which it is was reported behind it.
            let (first, _) = timeline.position_at(index, Time { record: found.record, step: 0 });
            let program = &timeline.invocations[index].program;
            let is_there = |&position: &u32| {
                let inst = timeline.step(index, position).and_then(|step| program.inst(step.inst));
                inst.is_some_and(|inst| inst.word_offset() as u32 == word)
            };
            (first..timeline.length(index)).find(is_there).map(|position| (index, position))
        });
        let text = found.text.clone();
        (self.focus, self.position) = place?;
        Some(Stop::Finding(text))
    }

    fn hunt(
        &mut self,
        targets: &[Target],
        wanted: Option<HashSet<(u64, u32)>>,
        last_event: u32,
        last: bool,
    ) -> Result<Option<Quarry>, String> {
        self.recorder.set_targets(targets);
        self.recorder.begin_hunt(wanted, last);
        let first = targets.iter().map(|target| target.events[0]).min().unwrap_or(0);
        let played = self.replay(first, Some(last_event));
        let found = self.recorder.end_hunt();
        played?;
        Ok(found)
    }

    /// Records the invocations of the targets.
    fn record(&mut self) -> Result<(), String> {
        self.recorder.set_targets(&self.targets);
        let first = self.targets.iter().map(|target| target.events[0]).min().unwrap_or(0);
        let last = self.targets.iter().map(|target| target.events[1]).max();
        let trace = self.replay(first, last)?;
        if trace.is_full {
            self.output.push("the recording is not complete: it is as large as it may be".to_owned());
        }
        self.machines.clear();
        let timeline = Timeline::new(trace, &mut self.programs)?;
        if timeline.invocations.is_empty() {
            return Err("nothing was recorded".to_owned());
        }
        self.timeline = Some(timeline);
        Ok(())
    }

    fn focus_on(&mut self, found: &Quarry) {
        let ids: Vec<u32> = found.reversed_ids.iter().rev().copied().collect();
        let timeline = self.timeline();
        let stage_of = |index: usize| timeline.trace.tables[timeline.invocations[index].table].stage.as_str();
        let is = |&index: &usize| stage_of(index) == found.stage && timeline.invocations[index].ids == ids;
        self.focus = (0..timeline.invocations.len()).find(is).unwrap_or(0);
    }

    /// Goes to the beginning, or the first breakpoint.
    fn start(&mut self, stop_on_entry: bool) -> Result<Stop, String> {
        self.position = 0;
        if !stop_on_entry && self.breakpoints.iter().any(|breakpoint| breakpoint.log_message.is_none()) {
            return Ok(self.resume(true));
        }
        let focus = self.focus;
        self.position = self.timeline().next(focus, 0, usize::MAX, Granularity::Line).unwrap_or(0);
        Ok(Stop::Entry)
    }

    /// The submissions before which a replay can begin, besides the first.
    pub fn checkpoints(&self) -> Vec<u64> {
        self.replays.checkpoints()
    }

    /// What was recorded.
    ///
    /// # Panics
    /// Before [`Session::run`].
    pub fn timeline(&self) -> &Timeline {
        self.timeline.as_ref().expect("it runs")
    }

    /// Whether something was recorded.
    pub fn is_running(&self) -> bool {
        self.timeline.is_some()
    }

    /// The invocation that it stands in, and its position.
    pub fn place(&self) -> (usize, u32) {
        (self.focus, self.position)
    }

    /// Texts for the user since the last call.
    pub fn take_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }

    /// The time at which it stands.
    pub fn time(&self) -> Time {
        self.timeline().time(self.focus, self.position)
    }

    /// Where an invocation is, and whether it is active.
    pub fn position_of(&self, invocation: usize) -> (u32, bool) {
        if invocation == self.focus {
            return (self.position, self.position < self.timeline().length(invocation));
        }
        self.timeline().position_at(invocation, self.time())
    }

    /// The invocations that are under way where it stands, and the one that is stepped.
    pub fn under_way(&self) -> Vec<usize> {
        let (timeline, now) = (self.timeline(), self.time());
        let is_alive = |&index: &usize| {
            let (position, _) = timeline.position_at(index, now);
            index == self.focus || timeline.begin(index) <= now.record && position < timeline.length(index)
        };
        (0..timeline.invocations.len()).filter(is_alive).collect()
    }

    /// An invocation's stage.
    pub fn stage_of(&self, invocation: usize) -> &str {
        let timeline = self.timeline();
        &timeline.trace.tables[timeline.invocations[invocation].table].stage
    }

    /// An invocation's name.
    pub fn name_of(&self, invocation: usize) -> String {
        invocation_name(self.stage_of(invocation), &self.timeline().invocations[invocation].ids)
    }

    /// Makes another invocation the one that is stepped.
    pub fn set_focus(&mut self, invocation: usize) {
        if invocation < self.timeline().invocations.len() && invocation != self.focus {
            let (position, _) = self.position_of(invocation);
            (self.focus, self.position) = (invocation, position);
        }
    }

    /// What follows an invocation, made once.
    fn machine(&mut self, invocation: usize) -> (&Timeline, &mut Machine) {
        let timeline = self.timeline.as_ref().expect("it runs");
        let changes = &self.changes;
        let make = || Machine::new(timeline, invocation, values::changes_of(timeline, invocation, changes));
        (timeline, self.machines.entry(invocation).or_insert_with(make))
    }

    /// Looks at an invocation's state at a position, in a frame (the innermost is the last).
    pub fn with_state<T>(
        &mut self,
        invocation: usize,
        position: u32,
        frame: Option<usize>,
        look: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let (timeline, machine) = self.machine(invocation);
        let state = machine.at(timeline, position);
        let program = &timeline.invocations[invocation].program;
        let stack = stack::at(timeline, invocation, position);
        let innermost = stack.len() - 1;
        let Level { called, inst, inlined, .. } = stack[frame.unwrap_or(innermost).min(innermost)];
        let record = timeline.time(invocation, position).record;
        look(&Context { program, state, timeline, record, frame: called, inst, inlined })
    }

    /// The functions that an invocation is in, the innermost first, those among them whose calls are inlined.
    pub fn frames(&self, invocation: usize) -> Vec<StackFrame> {
        let (position, _) = self.position_of(invocation);
        let timeline = self.timeline();
        let program = &timeline.invocations[invocation].program;
        stack::at(timeline, invocation, position).iter().rev().map(|level| level.frame(program)).collect()
    }
}
