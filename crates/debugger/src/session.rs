//! A debugging session: replays, breakpoints, and where it stands.

use crate::expression;
use crate::history::{self, Touch};
use crate::machine::{Machine, Pointer, Write};
use crate::program::{Place, Program, Programs, Source};
use crate::target::{self, Wanted, invocation_name};
use crate::timeline::{Granularity, Time, Timeline};
use crate::view::{Context, Shown, Where};
use pyro_abi::trace::Change;
use pyro_sanitizer::trace::{self, Quarry, Recorder, Target, TraceEvent};
use pyro_spirv::Id;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// How a capture is replayed.
pub trait Replays {
    /// Makes the calls of the capture again on a device that is made meanwhile, and tells the recorder which
    /// submission is under way; at most to the end of the submission in which an event is. Gives how many
    /// results were not those of the capture.
    ///
    /// # Errors
    /// Why it cannot be replayed.
    fn replay(&mut self, recorder: &Recorder, last_event: Option<u32>) -> Result<u64, String>;

    /// Compiles a shader's source for hot reload, for a stage.
    ///
    /// # Errors
    /// What the compiler says.
    fn compile(&mut self, path: &Path, stage: &str) -> Result<Vec<u32>, String>;
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
    replacements: HashMap<u64, Arc<[u32]>>,
    focus: usize,
    position: u32,
    output: Vec<String>,
    /// Lines are those of disassemblies.
    granularity: Granularity,
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
            replacements: HashMap::new(),
            focus: 0,
            position: 0,
            output: Vec::new(),
            granularity: Granularity::Line,
        };
        session.survey()?;
        Ok(session)
    }

    fn survey(&mut self) -> Result<(), String> {
        self.recorder.set_targets(&[]);
        let trace = self.replay(None)?;
        self.events = trace.events;
        self.modules.clear();
        self.sources.clear();
        for words in self.recorder.modules().values() {
            self.modules.push(Rc::new(Program::new(words, &[])?));
        }
        for program in &self.modules {
            for (number, source) in program.sources.iter().enumerate() {
                let known = self.sources.iter_mut().find(|known| known.source == *source);
                match known {
                    Some(known) => known.modules.push((program.digest, number)),
                    None => self.sources.push(SessionSource {
                        source: source.clone(),
                        modules: vec![(program.digest, number)],
                    }),
                }
            }
        }
        Ok(())
    }

    /// Replays, and gives what was recorded.
    fn replay(&mut self, last_event: Option<u32>) -> Result<trace::Trace, String> {
        self.recorder.set_changes(self.changes.clone());
        self.recorder.set_replacements(self.replacements.clone());
        drop(self.recorder.take());
        trace::install(Some(Arc::clone(&self.recorder)));
        let played = self.replays.replay(&self.recorder, last_event);
        trace::install(None);
        let different = played?;
        // Changes are there to make other results.
        if different > 0 && self.changes.is_empty() && self.replacements.is_empty() {
            self.output.push(format!("{different} results of the replay are not those of the capture"));
        }
        Ok(self.recorder.take())
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
            None => [0, last],
        };
        let targets = self.wanted.targets(events);
        let is_at_code = |breakpoint: &&Breakpoint| !breakpoint.insts.is_empty();
        let wanted: HashSet<(u64, u32)> = self
            .breakpoints
            .iter()
            .filter(is_at_code)
            .flat_map(|breakpoint| breakpoint.insts.iter().copied())
            .collect();
        let looks_for_lines = !wanted.is_empty() && !stop_on_entry && !self.wanted.says_invocation();
        let wanted = if looks_for_lines { Some(wanted) } else { None };
        let mut found = self.hunt(&targets, wanted.clone(), events[1], self.wanted.means_last())?;
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
        // A whole workgroup is followed where one is wanted.
        self.targets = target::of_quarry(&found);
        if self.wanted.workgroup.is_some() && self.wanted.local.is_none() {
            self.targets = self.wanted.targets([found.event; 2]);
        }
        self.record()?;
        self.focus_on(&found);
        self.start(stop_on_entry)
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
        let played = self.replay(Some(last_event));
        let found = self.recorder.end_hunt();
        played?;
        Ok(found)
    }

    /// Records the invocations of the targets.
    fn record(&mut self) -> Result<(), String> {
        self.recorder.set_targets(&self.targets);
        let last = self.targets.iter().map(|target| target.events[1]).max();
        let trace = self.replay(last)?;
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
        let (focus, granularity) = (self.focus, self.granularity);
        self.position = self.timeline().next(focus, 0, usize::MAX, granularity).unwrap_or(0);
        Ok(Stop::Entry)
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

    /// By lines, or by instructions.
    pub fn set_granularity(&mut self, granularity: Granularity) {
        self.granularity = granularity;
    }

    /// Looks at an invocation's state at a position, in a frame (the innermost is the last).
    pub fn with_state<T>(
        &mut self,
        invocation: usize,
        position: u32,
        frame: Option<usize>,
        look: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let timeline = self.timeline.as_ref().expect("it runs");
        let machine = self.machines.entry(invocation).or_insert_with(|| Machine::new(timeline, invocation));
        let state = machine.at(timeline, position);
        let program = &timeline.invocations[invocation].program;
        let innermost = state.frames.len().saturating_sub(1);
        let frame = frame.unwrap_or(innermost).min(innermost);
        let inst = match state.frames.get(frame + 1) {
            Some(callee) => callee.call.unwrap_or(0),
            None => timeline.step(invocation, position).map_or(u32::MAX, |step| step.inst),
        };
        let record = timeline.time(invocation, position).record;
        look(&Context { program, state, timeline, record, frame, inst })
    }

    /// The functions that an invocation is in, the innermost first: name, place in the source and in the
    /// disassembly.
    pub fn frames(&mut self, invocation: usize) -> Vec<(String, Option<Place>, u32)> {
        let (position, _) = self.position_of(invocation);
        let timeline = self.timeline();
        let program = timeline.invocations[invocation].program.clone();
        let here = timeline
            .step(invocation, position)
            .or_else(|| timeline.step(invocation, position.checked_sub(1)?));
        self.with_state(invocation, position, None, |context| {
            let frames = &context.state.frames;
            let mut found = Vec::new();
            for (index, frame) in frames.iter().enumerate().rev() {
                let inst = match frames.get(index + 1) {
                    Some(callee) => callee.call.unwrap_or(0),
                    None => here.map_or(0, |step| step.inst),
                };
                let name = program.function_name(Id::from_u32(frame.function));
                found.push((name, place_near(&program, inst), inst));
            }
            found
        })
    }

    // Breakpoints.

    /// Takes away the breakpoints for which `is` holds.
    pub fn remove_breakpoints(&mut self, is: impl Fn(&Breakpoint) -> bool) {
        self.breakpoints.retain(|breakpoint| !is(breakpoint));
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Adds a breakpoint; gives it back with where it is.
    pub fn add_breakpoint(
        &mut self,
        kind: BreakpointKind,
        condition: Option<String>,
        hit_condition: Option<String>,
        log_message: Option<String>,
    ) -> &Breakpoint {
        let (line, insts) = self.resolve(&kind);
        let id = self.next_breakpoint;
        self.next_breakpoint += 1;
        self.breakpoints.push(Breakpoint { id, kind, condition, hit_condition, log_message, line, insts });
        self.breakpoints.last().expect("it was added")
    }

    /// The source that a path or name means.
    pub fn source_named(&self, path: &str) -> Option<usize> {
        let file_name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let exact = self.sources.iter().position(|source| source.source.name == path);
        exact.or_else(|| {
            self.sources.iter().position(|source| file_name(&source.source.name) == file_name(path))
        })
    }

    fn resolve(&self, kind: &BreakpointKind) -> (Option<u32>, HashSet<(u64, u32)>) {
        let mut insts = HashSet::new();
        let mut line = None;
        match kind {
            BreakpointKind::Line { source, line: wanted } => {
                let modules = self.sources.get(*source).map(|source| &source.modules[..]).unwrap_or_default();
                for &(digest, number) in modules {
                    let Some(program) = self.modules.iter().find(|program| program.digest == digest) else {
                        continue;
                    };
                    let Some((found, these)) = program.insts_of_line(number, *wanted) else { continue };
                    if line.is_none_or(|known| found <= known) {
                        line = Some(found);
                        insts.extend(these.into_iter().map(|inst| (digest, inst)));
                    }
                }
            }
            BreakpointKind::Function(name) => {
                for program in &self.modules {
                    let module = program.module();
                    for function in module.functions() {
                        let data = module.function(function);
                        let is_it = program.function_name(data.id) == *name;
                        let is_code = |inst: &u32| {
                            program.inst(*inst).is_some_and(|inst| {
                                module.block_with(inst.index()).is_some() && !crate::program::is_hidden(inst)
                            })
                        };
                        let first = (data.inst.as_u32()..data.end.as_u32()).find(is_code);
                        insts.extend(first.filter(|_| is_it).map(|inst| (program.digest, inst)));
                    }
                }
            }
            BreakpointKind::Instruction(digest, inst) => {
                insts.insert((*digest, *inst));
            }
            BreakpointKind::Data(_) => {}
        }
        (line, insts)
    }

    /// Whether a breakpoint is at a position, without its conditions.
    fn is_at(&self, breakpoint: &Breakpoint, invocation: usize, position: u32) -> bool {
        let timeline = self.timeline();
        let Some(step) = timeline.step(invocation, position) else { return false };
        let program = &timeline.invocations[invocation].program;
        if !breakpoint.insts.contains(&(program.digest, step.inst)) {
            return false;
        }
        match breakpoint.kind {
            BreakpointKind::Line { source, .. } if Some(source) != self.disassembly_of(program.digest) => {
                timeline.is_start(invocation, position, Granularity::Line)
            }
            _ => timeline.is_start(invocation, position, Granularity::Instruction),
        }
    }

    fn disassembly_of(&self, digest: u64) -> Option<usize> {
        let program = self.modules.iter().find(|program| program.digest == digest)?;
        let number = program.disassembly();
        self.sources.iter().position(|source| source.modules.contains(&(digest, number)))
    }

    /// Whether a breakpoint holds at a position; what is wrong with its condition is said.
    fn holds(&mut self, breakpoint: &Breakpoint, invocation: usize, position: u32) -> bool {
        let is_true = match &breakpoint.condition {
            Some(condition) => {
                let result = self.with_state(invocation, position, None, |context| {
                    expression::is_true(context, condition)
                });
                result.unwrap_or_else(|error| {
                    self.output.push(format!("the condition of breakpoint {}: {error}", breakpoint.id));
                    false
                })
            }
            None => true,
        };
        if !is_true {
            return false;
        }
        let Some(hits) = &breakpoint.hit_condition else { return true };
        let mut plain = breakpoint.clone();
        plain.hit_condition = None;
        let mut count = 1;
        for earlier in 0..position {
            if self.is_at(&plain, invocation, earlier) && self.holds(&plain, invocation, earlier) {
                count += 1;
            }
        }
        hit_condition_holds(hits, count)
    }

    fn log(&mut self, message: &str, invocation: usize, position: u32) {
        let mut text = String::new();
        let mut rest = message;
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else { break };
            text += &rest[..start];
            let part = &rest[start + 1..start + length];
            let value = self.with_state(invocation, position, None, |context| {
                expression::evaluate(context, part).map(|value| expression::text(context, &value))
            });
            text += &value.unwrap_or_else(|error| format!("<{error}>"));
            rest = &rest[start + length + 1..];
        }
        text += rest;
        self.output.push(text);
    }

    // Going on.

    /// Goes on to the next breakpoint, or back to the one before.
    pub fn resume(&mut self, forwards: bool) -> Stop {
        let breakpoints = self.breakpoints.clone();
        let now = self.time();
        let mut best: Option<(Time, usize, u32)> = None;
        for invocation in 0..self.timeline().invocations.len() {
            let (position, is_active) = self.position_of(invocation);
            let found = self.find_in(invocation, (position, is_active), forwards, &breakpoints);
            let Some(found) = found else { continue };
            let time = self.timeline().time(invocation, found);
            let is_better = best.is_none_or(|(known, of, _)| {
                let is_nearer = if forwards { time < known } else { time > known };
                is_nearer || time == known && invocation == self.focus && of != self.focus
            });
            let is_on_the_way = if forwards { time > now || invocation == self.focus } else { time < now };
            if is_better && is_on_the_way {
                best = Some((time, invocation, found));
            }
        }
        self.tell_logs(&breakpoints, best.map(|best| best.0), forwards);
        match best {
            Some((_, invocation, position)) => {
                (self.focus, self.position) = (invocation, position);
                self.reason(&breakpoints)
            }
            None if forwards => {
                self.position = self.timeline().length(self.focus);
                Stop::End
            }
            None => {
                let granularity = self.granularity;
                self.position = self.timeline().next(self.focus, 0, usize::MAX, granularity).unwrap_or(0);
                Stop::Entry
            }
        }
    }

    /// Says what log points on the way say: those of the invocation that is stepped.
    fn tell_logs(&mut self, breakpoints: &[Breakpoint], until: Option<Time>, forwards: bool) {
        if !forwards || breakpoints.iter().all(|breakpoint| breakpoint.log_message.is_none()) {
            return;
        }
        let focus = self.focus;
        let first = if self.position == 0 { 0 } else { self.position + 1 };
        for position in first..self.timeline().length(focus) {
            if until.is_some_and(|until| self.timeline().time(focus, position) > until) {
                break;
            }
            for breakpoint in breakpoints {
                if let Some(message) = &breakpoint.log_message
                    && self.is_at(breakpoint, focus, position)
                    && self.holds(breakpoint, focus, position)
                {
                    self.log(message, focus, position);
                }
            }
        }
    }

    fn stops(&mut self, breakpoint: &Breakpoint, invocation: usize, position: u32) -> bool {
        if breakpoint.log_message.is_some() {
            return false;
        }
        if let BreakpointKind::Data(watched) = &breakpoint.kind {
            // Behind the write.
            let Some(before) = position.checked_sub(1) else { return false };
            let is_own = !matches!(watched.pointer, Pointer::Variable { .. }) || invocation == self.focus;
            return is_own
                && self.writes(invocation, before, watched)
                && self.holds(breakpoint, invocation, position);
        }
        self.is_at(breakpoint, invocation, position) && self.holds(breakpoint, invocation, position)
    }

    fn writes(&mut self, invocation: usize, position: u32, watched: &Write) -> bool {
        let timeline = self.timeline.as_ref().expect("it runs");
        let machine = self.machines.entry(invocation).or_insert_with(|| Machine::new(timeline, invocation));
        machine.write_at(timeline, position).is_some_and(|write| write.touches(watched))
    }

    fn find_in(
        &mut self,
        invocation: usize,
        (position, is_active): (u32, bool),
        forwards: bool,
        breakpoints: &[Breakpoint],
    ) -> Option<u32> {
        let length = self.timeline().length(invocation);
        // What has not begun may stop where it begins.
        let first = position + u32::from(is_active && position > 0);
        let stops_at = |session: &mut Session, at: u32| {
            breakpoints.iter().any(|breakpoint| session.stops(breakpoint, invocation, at))
        };
        match forwards {
            true => (first..=length).find(|&at| stops_at(self, at)),
            false => (0..position.min(length)).rev().find(|&at| stops_at(self, at)),
        }
    }

    /// The breakpoints at which it stands.
    fn reason(&mut self, breakpoints: &[Breakpoint]) -> Stop {
        let (focus, position) = self.place();
        let (mut here, mut data) = (Vec::new(), Vec::new());
        for breakpoint in breakpoints {
            if self.stops(breakpoint, focus, position) {
                match breakpoint.kind {
                    BreakpointKind::Data(_) => data.push(breakpoint.id),
                    _ => here.push(breakpoint.id),
                }
            }
        }
        match (here.is_empty(), data.is_empty()) {
            (true, false) => Stop::Data(data),
            (true, true) => Stop::Step,
            _ => Stop::Breakpoint(here),
        }
    }

    /// Steps.
    pub fn step(&mut self, step: Step, granularity: Granularity) -> Stop {
        let (focus, position) = self.place();
        let timeline = self.timeline();
        let depth = timeline.calls(focus, position).len();
        let length = timeline.length(focus);
        // A function's end is left for its caller.
        let next = |depth: usize| timeline.next(focus, position, depth, granularity);
        let previous = |depth: usize| timeline.previous(focus, position, depth, granularity);
        let depth = if position >= length { usize::MAX } else { depth };
        let found = match step {
            Step::Over => next(depth),
            Step::In => next(usize::MAX),
            Step::Out => timeline.out(focus, position),
            Step::Back => previous(depth),
            Step::BackIn => previous(usize::MAX),
            Step::BackOut => timeline.out_backwards(focus, position).map(|call| {
                if timeline.is_start(focus, call, granularity) {
                    call
                } else {
                    timeline
                        .previous(focus, call, timeline.calls(focus, call).len(), granularity)
                        .unwrap_or(call)
                }
            }),
        };
        let goes_back = matches!(step, Step::Back | Step::BackIn | Step::BackOut);
        if step == Step::In
            && let Some((invocation, position)) = self.entered(focus, position, found.unwrap_or(length))
        {
            (self.focus, self.position) = (invocation, position);
            return Stop::Step;
        }
        match found {
            Some(found) => {
                self.position = found;
                Stop::Step
            }
            None if goes_back => {
                self.position = self.timeline().next(focus, 0, usize::MAX, granularity).unwrap_or(0);
                Stop::Entry
            }
            None => {
                if let Some((invocation, position)) = self.returned(focus) {
                    (self.focus, self.position) = (invocation, position);
                    return Stop::Step;
                }
                self.position = length;
                Stop::End
            }
        }
    }

    /// The shader of another stage that an instruction between two positions called: of the same ray.
    fn entered(&self, focus: usize, from: u32, to: u32) -> Option<(usize, u32)> {
        let timeline = self.timeline();
        let (start, end) = (timeline.time(focus, from).record, timeline.time(focus, to).record);
        let ids = &timeline.invocations[focus].ids;
        let is_called = |&index: &usize| {
            let begin = timeline.begin(index);
            index != focus && timeline.invocations[index].ids == *ids && begin > start && begin <= end
        };
        let is_ray = target::id_names(self.stage_of(focus))[0].0 == "ray";
        let called = (0..timeline.invocations.len()).filter(|_| is_ray).find(is_called)?;
        Some((called, timeline.next(called, 0, usize::MAX, Granularity::Line).unwrap_or(0)))
    }

    /// Where the shader goes on that called one that has ended.
    fn returned(&self, focus: usize) -> Option<(usize, u32)> {
        let timeline = self.timeline();
        if target::id_names(self.stage_of(focus))[0].0 != "ray" {
            return None;
        }
        let (begin, end) = (timeline.begin(focus), timeline.time(focus, timeline.length(focus)));
        let ids = &timeline.invocations[focus].ids;
        let goes_on = |index: usize| {
            let is_caller = timeline.invocations[index].ids == *ids && timeline.begin(index) < begin;
            let (position, _) = timeline.position_at(index, Time { record: end.record + 1, step: 0 });
            (is_caller && position < timeline.length(index)).then_some((index, position))
        };
        let (caller, position) = (0..timeline.invocations.len()).rev().find_map(goes_on)?;
        let at = if timeline.is_start(caller, position, Granularity::Line) {
            position
        } else {
            timeline.next(caller, position, usize::MAX, Granularity::Line).unwrap_or(position)
        };
        Some((caller, at))
    }

    // Values.

    /// The value of an expression where an invocation stands.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn evaluate(
        &mut self,
        invocation: usize,
        frame: Option<usize>,
        text: &str,
    ) -> Result<String, String> {
        let (position, _) = self.position_of(invocation);
        self.with_state(invocation, position, frame, |context| {
            expression::evaluate(context, text).map(|value| expression::text(context, &value))
        })
    }

    /// The values of an expression in all invocations of the subgroup that are where it stands.
    pub fn neighbours(&mut self, text: &str) -> Vec<(usize, Result<String, String>)> {
        let here = self.subgroup(self.focus);
        here.into_iter().map(|index| (index, self.evaluate(index, None, text))).collect()
    }

    /// The invocations of the subgroup of one, by what they have run together.
    pub fn subgroup(&self, invocation: usize) -> Vec<usize> {
        let timeline = self.timeline();
        let begin = timeline.begin(invocation);
        (0..timeline.invocations.len()).filter(|&index| timeline.begin(index) == begin).collect()
    }

    /// What writes to a value are watched by.
    ///
    /// # Errors
    /// For what is not in a variable or memory.
    pub fn watched(&mut self, invocation: usize, frame: Option<usize>, text: &str) -> Result<Write, String> {
        let (position, _) = self.position_of(invocation);
        self.with_state(invocation, position, frame, |context| match expression::evaluate(context, text)? {
            expression::Evaluated::Shown(shown) => write_of(context, &shown),
            _ => Err("only variables can be watched".to_owned()),
        })
    }

    /// Gives a variable another value where it stands, and runs the invocation again with it.
    ///
    /// # Errors
    /// When the variable cannot be changed, or the text is no value of its type.
    pub fn set_value(&mut self, frame: Option<usize>, name: &str, text: &str) -> Result<Stop, String> {
        let (focus, position) = self.place();
        let timeline = self.timeline();
        let step = timeline.step(focus, position).ok_or("the invocation has ended")?;
        let calls = timeline.calls(focus, position).to_vec();
        let is_same = |&earlier: &u32| {
            timeline.step(focus, earlier).is_some_and(|other| other.inst == step.inst)
                && timeline.calls(focus, earlier) == calls
        };
        let occurrence = (0..position).filter(is_same).count() as u32;
        let ids = timeline.invocations[focus].ids.clone();
        let digest = timeline.invocations[focus].program.digest;
        let (pointer, bits) = self.with_state(focus, position, frame, |context| {
            let expression::Evaluated::Shown(shown) = expression::evaluate(context, name)? else {
                return Err(format!("\"{name}\" is not a variable"));
            };
            let bits = expression::scalars_of_text(context, shown.ty, text)?;
            let innermost = context.state.frames.len() - 1;
            match shown.place {
                Where::Pointer(Pointer::Variable { frame, id, first })
                    if frame.is_none_or(|one| one == innermost) =>
                {
                    Ok(((id, first), bits))
                }
                Where::Pointer(Pointer::Variable { .. }) => {
                    Err("only variables of the innermost function can be changed".to_owned())
                }
                Where::Pointer(Pointer::Memory(_)) => Err("buffers cannot be changed".to_owned()),
                Where::Scalars(_) => {
                    Err(format!("\"{name}\" is a value, not a variable: it cannot be changed"))
                }
            }
        })?;
        let (id, first) = pointer;
        self.changes.push((
            digest,
            Change {
                calls,
                inst: step.inst,
                occurrence,
                variable: id.as_u32(),
                first: first as u32,
                bits,
                ids,
            },
        ));
        let result = self.record_again(focus, position);
        if result.is_err() {
            self.changes.pop();
        }
        result
    }

    /// Records the same invocations again, and goes to a position in the same one.
    fn record_again(&mut self, focus: usize, position: u32) -> Result<Stop, String> {
        let (ids, stage) = (self.timeline().invocations[focus].ids.clone(), self.stage_of(focus).to_owned());
        self.record()?;
        let timeline = self.timeline();
        let is_same = |&index: &usize| {
            let table = &timeline.trace.tables[timeline.invocations[index].table];
            timeline.invocations[index].ids == ids && table.stage == stage
        };
        let same =
            (0..timeline.invocations.len()).find(is_same).ok_or("the invocation does not run any more")?;
        self.position = position.min(timeline.length(same));
        self.focus = same;
        Ok(Stop::Changed)
    }

    /// Puts another module in the place of one, and starts again.
    ///
    /// # Errors
    /// When the module cannot be compiled.
    pub fn replace_module(&mut self, digest: u64, words: Vec<u32>) -> Result<Stop, String> {
        let original = self.replacements.iter().find(|(_, words)| trace::module_digest(words) == digest);
        let original = original.map_or(digest, |(original, _)| *original);
        let before = self.replacements.clone();
        self.replacements.insert(original, words.into());
        self.changes.clear();
        let result = self.survey().and_then(|()| {
            self.resolve_again();
            self.run(self.breakpoints.is_empty())
        });
        if result.is_err() {
            self.replacements = before;
        }
        result
    }

    /// Compiles the source of the shader that is debugged from a file, puts it in its place, and starts again.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn reload(&mut self, path: &Path) -> Result<Stop, String> {
        let (focus, _) = self.place();
        let digest = self.timeline().invocations[focus].program.digest;
        let stage = self.stage_of(focus).to_owned();
        let words = self.replays.compile(path, &stage)?;
        self.replace_module(digest, words)
    }

    fn resolve_again(&mut self) {
        let resolved: Vec<_> =
            self.breakpoints.iter().map(|breakpoint| self.resolve(&breakpoint.kind)).collect();
        for (breakpoint, (line, insts)) in self.breakpoints.iter_mut().zip(resolved) {
            (breakpoint.line, breakpoint.insts) = (line, insts);
        }
    }

    /// Starts the same invocation again, without changes.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn restart(&mut self, stop_on_entry: bool) -> Result<Stop, String> {
        self.changes.clear();
        self.run(stop_on_entry)
    }

    /// Follows another invocation.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn retarget(&mut self, wanted: Wanted, stop_on_entry: bool) -> Result<Stop, String> {
        wanted.check()?;
        self.wanted = wanted;
        self.changes.clear();
        self.run(stop_on_entry)
    }

    /// Every fragment that touched a pixel, in order, in one draw or in all.
    ///
    /// # Errors
    /// When the capture cannot be replayed.
    pub fn history(&mut self, pixel: [u32; 2], event: Option<u32>) -> Result<Vec<Touch>, String> {
        let events = event.map_or([0, u32::MAX >> 1], |event| [event; 2]);
        let wanted = Wanted { pixel: Some(pixel), ..Wanted::default() };
        self.recorder.set_targets(&wanted.targets(events));
        self.recorder.set_only_fragments(true);
        let trace = self.replay(event);
        self.recorder.set_only_fragments(false);
        let trace = trace?;
        if trace.is_full {
            self.output.push("the history is not complete: it is as large as it may be".to_owned());
        }
        Ok(history::of_pixel(&trace, pixel))
    }

    /// The names of the modules' functions, for completion.
    pub fn function_names(&self) -> BTreeMap<String, u64> {
        let mut names = BTreeMap::new();
        for program in &self.modules {
            let module = program.module();
            for function in module.functions() {
                names.insert(program.function_name(module.function(function).id), program.digest);
            }
        }
        names
    }
}

fn write_of(context: &Context<'_>, shown: &Shown) -> Result<Write, String> {
    let Where::Pointer(pointer) = &shown.place else {
        return Err(format!("\"{}\" is a value, not a variable: nothing writes to it", shown.name));
    };
    let count = context.program.width(pointer, shown.ty).ok_or("the size of the variable is not known")?;
    Ok(Write { pointer: pointer.clone(), count })
}

/// Where an instruction is; of one without a line the one before it in its function.
fn place_near(program: &Program, inst: u32) -> Option<Place> {
    let start =
        program.function_with(inst).map(|function| program.module().function(function).inst.as_u32())?;
    (start..=inst).rev().find_map(|inst| program.place(inst))
}

/// Whether a hit condition (`5`, `>= 5`, `% 3`) holds at this hit, counted from 1.
fn hit_condition_holds(condition: &str, hits: u64) -> bool {
    let condition = condition.trim();
    let digits = condition.trim_start_matches(['<', '>', '=', '%', ' ']);
    let Ok(number) = digits.parse::<u64>() else { return true };
    match condition[..condition.len() - digits.len()].trim() {
        ">" => hits > number,
        ">=" => hits >= number,
        "<" => hits < number,
        "<=" => hits <= number,
        "%" => hits.is_multiple_of(number.max(1)),
        _ => hits == number,
    }
}
