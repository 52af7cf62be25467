//! Invocations in time: the segments of a trace, by invocation, and the steps in them.
//!
//! A *position* of an invocation is the number of instructions that it has run; at a position the next one is
//! about to run. *Time* is the place of a step in the whole trace, so that all invocations stop at one time.
//!
//! Where control comes to the body of a function whose call is inlined, there is a position more, at which
//! the call is about to be made: it has the line of the call, in the function that calls. No step is there.

use crate::inlining::{Chain, Inlining};
use crate::program::{Place, Program, Programs, is_hidden};
use pyro_abi::trace::{Step, StepKind};
use pyro_sanitizer::trace::{ImageSnapshot, Trace};
use pyro_spirv::Id;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A segment that an invocation has run.
#[derive(Clone, Copy, Debug)]
struct Visit {
    record: u32,
    /// Which of the record's active lanes it is.
    lane: u32,
    /// Its first position.
    first: u32,
    /// Inlined calls that are made before its first step.
    entered: u32,
    /// The inlined calls that control is in, where the segment says nothing of that itself.
    chain: Chain,
}

/// What is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    /// A step of the segment.
    Step(usize),
    /// An inlined call, before this step.
    Call(Id, usize),
}

/// Of a segment with inlined calls: what is at its positions behind [`Visit::entered`], each with the inlined
/// calls that control is in.
type Spots = Vec<(Spot, Chain)>;

/// What is at the positions of a segment; none where no scope is said in it.
fn spots_of(inlining: &Inlining, program: &Program, steps: &[Step]) -> Option<Spots> {
    let chain_of = |step: &Step| {
        let is_code = !matches!(step.kind, StepKind::Begin | StepKind::End);
        let inst = program.inst(step.inst).filter(|&inst| is_code && !is_hidden(inst))?;
        inlining.of(inst.index().as_u32())
    };
    let mut chain = steps.iter().find_map(chain_of)?;
    let mut spots = Spots::new();
    for (number, step) in steps.iter().enumerate() {
        if let Some(next) = chain_of(step) {
            let calls = inlining.calls_of(next);
            let entered = &calls[..inlining.entered(chain, next)];
            spots.extend(entered.iter().rev().map(|call| (Spot::Call(*call, number), next)));
            chain = next;
        }
        spots.push((Spot::Step(number), chain));
    }
    Some(spots)
}

/// Where a step is in the whole trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// The record.
    pub record: usize,
    /// The step in its segment.
    pub step: usize,
}

/// What is known of positions for navigation.
struct Lines {
    /// Whether a line of the source begins.
    starts: Vec<bool>,
    /// Calls that led there, inlined ones among them.
    depths: Vec<u16>,
}

/// An invocation that was recorded.
pub struct Invocation {
    /// The index of its table in the trace.
    pub table: usize,
    /// Its program.
    pub program: Rc<Program>,
    /// What identifies it, as the table's ids.
    pub ids: Vec<u32>,
    /// The event that it is part of.
    pub event: u32,
    visits: Vec<Visit>,
    length: u32,
    lines: OnceCell<Lines>,
    by_instruction: OnceCell<Lines>,
}

/// By which unit one steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// A line of the source.
    #[default]
    Line,
    /// An instruction of SPIR-V.
    Instruction,
}

/// The invocations of a trace.
pub struct Timeline {
    /// The trace.
    pub trace: Trace,
    /// In the order in which they began.
    pub invocations: Vec<Invocation>,
    /// By table and segment, where calls are inlined.
    spots: HashMap<(u32, u32), Spots>,
}

impl Timeline {
    /// Of a trace.
    ///
    /// # Errors
    /// When a shader of it cannot be read.
    pub fn new(trace: Trace, programs: &mut Programs) -> Result<Timeline, String> {
        let mut invocations: Vec<Invocation> = Vec::new();
        let mut under_way: HashMap<(u32, Vec<u32>), Vec<usize>> = HashMap::new();
        let mut spots: HashMap<(u32, u32), Spots> = HashMap::new();
        // Of invocations in modules with inlined calls: those that each function of the stack is in.
        let mut chains: HashMap<usize, Vec<Chain>> = HashMap::new();
        for (number, record) in trace.records.iter().enumerate() {
            let sites = &trace.tables[record.table as usize];
            let Some(table) = sites.trace.as_deref() else { continue };
            let (segment, ids) = (&table.segments[record.segment as usize], sites.id_columns() as usize);
            let has = |kind: StepKind| segment.steps.iter().any(|step| step.kind == kind);
            let (begins, ends) = (has(StepKind::Begin), has(StepKind::End));
            for lane in 0..record.active.count_ones() {
                let start = record.start + (lane * record.columns) as usize;
                let key = (record.table, trace.words[start..start + ids].to_vec());
                let event = trace.words[start + table.front_columns(ids as u32) as usize - 1];
                let stack = under_way.entry(key).or_default();
                if begins {
                    stack.push(invocations.len());
                    invocations.push(Invocation {
                        table: record.table as usize,
                        program: programs.of(sites)?,
                        ids: trace.words[start..start + ids].to_vec(),
                        event,
                        visits: Vec::new(),
                        length: 0,
                        lines: OnceCell::new(),
                        by_instruction: OnceCell::new(),
                    });
                }
                // What began before the recording is not known.
                let Some(&index) = stack.last() else { continue };
                let invocation = &mut invocations[index];
                let first = invocation.length;
                let mut visit =
                    Visit { record: number as u32, lane, first, entered: 0, chain: Chain::default() };
                let mut length = segment.steps.len() as u32;
                let program = &invocation.program;
                if !program.inlining().is_empty() {
                    let key = (record.table, record.segment);
                    let spots = spots.entry(key).or_insert_with(|| {
                        spots_of(program.inlining(), program, &segment.steps).unwrap_or_default()
                    });
                    let stack = chains.entry(index).or_default();
                    stack.resize(segment.calls.len() + 1, Chain::default());
                    if let (Some(chain), Some(((_, first), (_, last)))) =
                        (stack.last_mut(), spots.first().zip(spots.last()))
                    {
                        visit.entered = program.inlining().entered(*chain, *first) as u32;
                        length = visit.entered + spots.len() as u32;
                        *chain = *last;
                    }
                    visit.chain = stack.last().copied().unwrap_or_default();
                }
                invocation.visits.push(visit);
                invocation.length += length;
                if ends {
                    stack.pop();
                }
            }
        }
        spots.retain(|_, spots| !spots.is_empty());
        Ok(Timeline { trace, invocations, spots })
    }

    /// What an image was when it was named last before a record, by the address of what describes it.
    pub fn image(&self, address: u64, record: usize) -> Option<&ImageSnapshot> {
        let of_image = |image: &&ImageSnapshot| image.address == address && image.record <= record + 1;
        self.trace.images.iter().rev().find(of_image)
    }

    fn visit(&self, invocation: usize, position: u32) -> Option<Visit> {
        let invocation = &self.invocations[invocation];
        let index = invocation.visits.partition_point(|visit| visit.first <= position).checked_sub(1)?;
        (position < invocation.length).then(|| invocation.visits[index])
    }

    /// What is at the positions of a visit, if calls are inlined there.
    fn spots(&self, visit: &Visit) -> Option<&Spots> {
        let record = &self.trace.records[visit.record as usize];
        self.spots.get(&(record.table, record.segment))
    }

    /// What is at a place of a visit, and the inlined calls that control is in or comes to.
    fn spot_of(&self, inlining: &Inlining, visit: &Visit, place: usize) -> Option<(Spot, Chain)> {
        let Some(spots) = self.spots(visit) else {
            return (place < self.segment(visit.record).steps.len())
                .then_some((Spot::Step(place), visit.chain));
        };
        let entered = visit.entered as usize;
        match place.checked_sub(entered) {
            Some(place) => spots.get(place).copied(),
            None => {
                let (_, chain) = *spots.first()?;
                let call = inlining.calls_of(chain).get(entered - 1 - place)?;
                Some((Spot::Call(*call, 0), chain))
            }
        }
    }

    fn spot(&self, invocation: usize, position: u32) -> Option<(Visit, Spot, Chain)> {
        let visit = self.visit(invocation, position)?;
        let inlining = self.invocations[invocation].program.inlining();
        let (spot, chain) = self.spot_of(inlining, &visit, (position - visit.first) as usize)?;
        Some((visit, spot, chain))
    }

    /// The inlined calls that control is in at a position, in the innermost function that is called, and the
    /// one that is about to be made there.
    pub fn inlined(&self, invocation: usize, position: u32) -> (&[Id], Option<Id>) {
        let Some((_, spot, chain)) = self.spot(invocation, position) else { return (&[], None) };
        let calls = self.invocations[invocation].program.inlining().calls_of(chain);
        match spot {
            Spot::Step(_) => (calls, None),
            Spot::Call(call, _) => {
                let made = calls.iter().position(|one| *one == call).map_or(0, |place| place + 1);
                (&calls[made..], Some(call))
            }
        }
    }

    fn segment(&self, record: u32) -> &pyro_abi::trace::Segment {
        let record = &self.trace.records[record as usize];
        let table = self.trace.tables[record.table as usize].trace.as_deref();
        &table.expect("tables of traces have one").segments[record.segment as usize]
    }

    /// Positions of an invocation: from zero to this, at which it has ended.
    pub fn length(&self, invocation: usize) -> u32 {
        self.invocations[invocation].length
    }

    /// The step at a position; none at the end, and at an inlined call.
    pub fn step(&self, invocation: usize, position: u32) -> Option<Step> {
        match self.spot(invocation, position)? {
            (visit, Spot::Step(step), _) => Some(self.segment(visit.record).steps[step]),
            _ => None,
        }
    }

    /// The step that is about to run; none at the end.
    pub fn next_step(&self, invocation: usize, position: u32) -> Option<Step> {
        let (visit, Spot::Step(step) | Spot::Call(_, step), _) = self.spot(invocation, position)?;
        Some(self.segment(visit.record).steps[step])
    }

    /// The calls that led to a position, the entry point's first; at the end none.
    pub fn calls(&self, invocation: usize, position: u32) -> &[u32] {
        match self.visit(invocation, position) {
            Some(visit) => &self.segment(visit.record).calls,
            None => &[],
        }
    }

    /// The words that a step made.
    pub fn step_words(&self, invocation: usize, position: u32) -> Option<(Step, &[u32])> {
        let (visit, Spot::Step(step), _) = self.spot(invocation, position)? else { return None };
        let record = &self.trace.records[visit.record as usize];
        let sites = &self.trace.tables[record.table as usize];
        let front = sites.trace.as_deref()?.front_columns(sites.id_columns());
        let step = self.segment(visit.record).steps[step];
        let start = record.start + (visit.lane * record.columns + front + step.column) as usize;
        Some((step, &self.trace.words[start..start + step.columns as usize]))
    }

    /// Whether a fragment is a helper at a position.
    pub fn is_helper(&self, invocation: usize, position: u32) -> bool {
        let Some(visit) = self.visit(invocation, position) else { return false };
        let record = &self.trace.records[visit.record as usize];
        let sites = &self.trace.tables[record.table as usize];
        let says = sites.trace.as_deref().is_some_and(|table| table.says_helper);
        let column = record.start + (visit.lane * record.columns + sites.id_columns()) as usize;
        says && self.trace.words[column] != 0
    }

    /// The time of a position.
    pub fn time(&self, invocation: usize, position: u32) -> Time {
        match self.spot(invocation, position) {
            Some((visit, Spot::Step(step) | Spot::Call(_, step), _)) => {
                Time { record: visit.record as usize, step }
            }
            None => match self.invocations[invocation].visits.last() {
                Some(visit) => {
                    Time { record: visit.record as usize, step: self.segment(visit.record).steps.len() }
                }
                None => Time::default(),
            },
        }
    }

    /// The position of an invocation at a time, and whether it is active there.
    pub fn position_at(&self, invocation: usize, time: Time) -> (u32, bool) {
        let data = &self.invocations[invocation];
        let index = data.visits.partition_point(|visit| (visit.record as usize) < time.record);
        match data.visits.get(index) {
            Some(visit) if visit.record as usize == time.record => {
                let place = match self.spots(visit) {
                    Some(spots) => {
                        let is_before = |(spot, _): &(Spot, Chain)| match spot {
                            Spot::Step(step) => *step < time.step,
                            Spot::Call(_, step) => *step <= time.step,
                        };
                        visit.entered as usize + spots.partition_point(is_before)
                    }
                    None => time.step,
                };
                (visit.first + place as u32, true)
            }
            Some(visit) => (visit.first, false),
            None => (data.length, false),
        }
    }

    /// The first record of an invocation.
    pub fn begin(&self, invocation: usize) -> usize {
        self.invocations[invocation].visits.first().map_or(0, |visit| visit.record as usize)
    }

    fn find_lines(&self, invocation: usize, granularity: Granularity) -> Lines {
        let data = &self.invocations[invocation];
        let (mut starts, mut depths) = (Vec::new(), Vec::new());
        // For each depth: the line of the last step, and its instruction.
        let mut last: Vec<Option<(Place, u32)>> = Vec::new();
        let inlining = data.program.inlining();
        for visit in &data.visits {
            let segment = self.segment(visit.record);
            let of_call =
                |call: &u32| 1 + inlining.of(*call).map_or(0, |chain| inlining.calls_of(chain).len());
            let called: usize = segment.calls.iter().map(of_call).sum();
            let spots = (0..).map_while(|place| self.spot_of(inlining, visit, place));
            for (spot, chain) in spots {
                let (Spot::Step(number) | Spot::Call(_, number)) = spot;
                let step = &segment.steps[number];
                let calls = inlining.calls_of(chain);
                let (depth, inst, place) = match spot {
                    Spot::Step(_) => {
                        let is_code = !matches!(step.kind, StepKind::Begin | StepKind::End);
                        let inst = data.program.inst(step.inst).filter(|&inst| is_code && !is_hidden(inst));
                        let inst =
                            inst.filter(|inst| data.program.module().block_with(inst.index()).is_some());
                        (called + calls.len(), inst, inst.and_then(|_| data.program.place(step.inst)))
                    }
                    Spot::Call(call, _) => {
                        let inner = calls.iter().position(|one| *one == call).map_or(0, |place| place + 1);
                        let place = inlining.call(call).and_then(|call| call.place);
                        (called + calls.len() - inner, None, place)
                    }
                };
                last.truncate(depth + 1);
                last.resize(depth + 1, None);
                let is_start = match (granularity, place) {
                    (Granularity::Instruction, _) => inst.is_some(),
                    (_, Some(place)) => {
                        let known = last[depth].replace((place, step.inst));
                        known.is_none_or(|(known, inst)| {
                            known.line != place.line || known.source != place.source || step.inst <= inst
                        })
                    }
                    (_, None) => false,
                };
                starts.push(is_start);
                depths.push(depth as u16);
            }
        }
        Lines { starts, depths }
    }

    /// The calls that led to a position, inlined ones among them; at the end any number.
    pub fn depth(&self, invocation: usize, position: u32) -> usize {
        let depths = &self.lines(invocation, Granularity::Line).depths;
        depths.get(position as usize).map_or(usize::MAX, |depth| usize::from(*depth))
    }

    fn lines(&self, invocation: usize, granularity: Granularity) -> &Lines {
        let data = &self.invocations[invocation];
        match granularity {
            Granularity::Line => data.lines.get_or_init(|| self.find_lines(invocation, granularity)),
            Granularity::Instruction => {
                data.by_instruction.get_or_init(|| self.find_lines(invocation, granularity))
            }
        }
    }

    /// Whether a line, or an instruction that one can stop at, begins at a position.
    pub fn is_start(&self, invocation: usize, position: u32, granularity: Granularity) -> bool {
        self.lines(invocation, granularity).starts.get(position as usize).copied().unwrap_or(false)
    }

    /// The next position at which a line begins, at most as many calls deep.
    pub fn next(&self, invocation: usize, from: u32, depth: usize, granularity: Granularity) -> Option<u32> {
        let Lines { starts, depths } = self.lines(invocation, granularity);
        (from as usize + 1..starts.len())
            .find(|&at| starts[at] && usize::from(depths[at]) <= depth)
            .map(|at| at as u32)
    }

    /// The last position before this one at which a line begins, at most as many calls deep.
    pub fn previous(
        &self,
        invocation: usize,
        from: u32,
        depth: usize,
        granularity: Granularity,
    ) -> Option<u32> {
        let Lines { starts, depths } = self.lines(invocation, granularity);
        let end = (from as usize).min(starts.len());
        (0..end).rev().find(|&at| starts[at] && usize::from(depths[at]) <= depth).map(|at| at as u32)
    }

    /// The position behind the function that is being run.
    pub fn out(&self, invocation: usize, from: u32) -> Option<u32> {
        let depth = self.depth(invocation, from);
        let Lines { depths, .. } = self.lines(invocation, Granularity::Line);
        (from as usize..depths.len()).find(|&at| usize::from(depths[at]) < depth).map(|at| at as u32)
    }

    /// The position of the call of the function that is being run.
    pub fn out_backwards(&self, invocation: usize, from: u32) -> Option<u32> {
        let depth = self.depth(invocation, from);
        let Lines { depths, .. } = self.lines(invocation, Granularity::Line);
        let end = (from as usize).min(depths.len());
        (0..end).rev().find(|&at| usize::from(depths[at]) < depth).map(|at| at as u32)
    }
}
