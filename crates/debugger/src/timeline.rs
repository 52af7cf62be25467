//! Invocations in time: the segments of a trace, by invocation, and the steps in them.
//!
//! A *position* of an invocation is the number of instructions that it has run; at a position the next one is
//! about to run. *Time* is the place of a step in the whole trace, so that all invocations stop at one time.

use crate::program::{Program, Programs, is_hidden};
use pyro_abi::trace::{Step, StepKind};
use pyro_sanitizer::trace::{ImageSnapshot, Trace};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A segment that an invocation has run.
#[derive(Clone, Copy, Debug)]
struct Visit {
    record: u32,
    /// Which of the record's active lanes it is.
    lane: u32,
    /// The position of its first step.
    first: u32,
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
    /// Calls that led there.
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
}

impl Timeline {
    /// Of a trace.
    ///
    /// # Errors
    /// When a shader of it cannot be read.
    pub fn new(trace: Trace, programs: &mut Programs) -> Result<Timeline, String> {
        let mut invocations: Vec<Invocation> = Vec::new();
        let mut under_way: HashMap<(u32, Vec<u32>), Vec<usize>> = HashMap::new();
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
                invocation.visits.push(Visit { record: number as u32, lane, first: invocation.length });
                invocation.length += segment.steps.len() as u32;
                if ends {
                    stack.pop();
                }
            }
        }
        Ok(Timeline { trace, invocations })
    }

    /// What an image was when it was named last before a record, by the address of what describes it.
    pub fn image(&self, address: u64, record: usize) -> Option<&ImageSnapshot> {
        let of_image = |image: &&ImageSnapshot| image.address == address && image.record <= record + 1;
        self.trace.images.iter().rev().find(of_image)
    }

    fn visit(&self, invocation: usize, position: u32) -> Option<(Visit, usize)> {
        let invocation = &self.invocations[invocation];
        let index = invocation.visits.partition_point(|visit| visit.first <= position).checked_sub(1)?;
        let visit = invocation.visits[index];
        let step = (position - visit.first) as usize;
        (step < self.segment(visit.record).steps.len()).then_some((visit, step))
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

    /// The step that is about to run; none at the end.
    pub fn step(&self, invocation: usize, position: u32) -> Option<Step> {
        let (visit, step) = self.visit(invocation, position)?;
        Some(self.segment(visit.record).steps[step])
    }

    /// The calls that led to a position, the entry point's first; at the end none.
    pub fn calls(&self, invocation: usize, position: u32) -> &[u32] {
        match self.visit(invocation, position) {
            Some((visit, _)) => &self.segment(visit.record).calls,
            None => &[],
        }
    }

    /// The words that a step made.
    pub fn step_words(&self, invocation: usize, position: u32) -> Option<(Step, &[u32])> {
        let (visit, step) = self.visit(invocation, position)?;
        let record = &self.trace.records[visit.record as usize];
        let sites = &self.trace.tables[record.table as usize];
        let front = sites.trace.as_deref()?.front_columns(sites.id_columns());
        let step = self.segment(visit.record).steps[step];
        let start = record.start + (visit.lane * record.columns + front + step.column) as usize;
        Some((step, &self.trace.words[start..start + step.columns as usize]))
    }

    /// Whether a fragment is a helper at a position.
    pub fn is_helper(&self, invocation: usize, position: u32) -> bool {
        let Some((visit, _)) = self.visit(invocation, position) else { return false };
        let record = &self.trace.records[visit.record as usize];
        let sites = &self.trace.tables[record.table as usize];
        let says = sites.trace.as_deref().is_some_and(|table| table.says_helper);
        let column = record.start + (visit.lane * record.columns + sites.id_columns()) as usize;
        says && self.trace.words[column] != 0
    }

    /// The time of a position.
    pub fn time(&self, invocation: usize, position: u32) -> Time {
        match self.visit(invocation, position) {
            Some((visit, step)) => Time { record: visit.record as usize, step },
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
            Some(visit) if visit.record as usize == time.record => (visit.first + time.step as u32, true),
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
        let mut last: Vec<Option<(crate::program::Place, u32)>> = Vec::new();
        for visit in &data.visits {
            let segment = self.segment(visit.record);
            let depth = segment.calls.len();
            for step in &segment.steps {
                let is_code = !matches!(step.kind, StepKind::Begin | StepKind::End);
                let inst = data.program.inst(step.inst).filter(|&inst| is_code && !is_hidden(inst));
                let inst = inst.filter(|inst| data.program.module().block_with(inst.index()).is_some());
                let place = inst.and_then(|_| data.program.place(step.inst));
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
        let depth = self.calls(invocation, from).len();
        let Lines { depths, .. } = self.lines(invocation, Granularity::Line);
        (from as usize..depths.len()).find(|&at| usize::from(depths[at]) < depth).map(|at| at as u32)
    }

    /// The position of the call of the function that is being run.
    pub fn out_backwards(&self, invocation: usize, from: u32) -> Option<u32> {
        let depth = self.calls(invocation, from).len();
        let Lines { depths, .. } = self.lines(invocation, Granularity::Line);
        let end = (from as usize).min(depths.len());
        (0..end).rev().find(|&at| usize::from(depths[at]) < depth).map(|at| at as u32)
    }
}
