//! Going on: to breakpoints and by steps, in both directions.

use super::{Breakpoint, BreakpointKind, Session, Step, Stop};
use crate::machine::{Pointer, Write};
use crate::target;
use crate::timeline::{Granularity, Time};
use pyro_spirv::spirv::Op;

impl Session {
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
                self.position =
                    self.timeline().next(self.focus, 0, usize::MAX, Granularity::Line).unwrap_or(0);
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
        let (timeline, machine) = self.machine(invocation);
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
        if matches!(step, Step::Barrier | Step::BackBarrier) {
            return self.step_to_barrier(step == Step::Barrier);
        }
        let (focus, position) = self.place();
        let timeline = self.timeline();
        let depth = timeline.depth(focus, position);
        let length = timeline.length(focus);
        // A function's end is left for its caller.
        let next = |depth: usize| timeline.next(focus, position, depth, granularity);
        let previous = |depth: usize| timeline.previous(focus, position, depth, granularity);
        let found = match step {
            Step::Over => next(depth),
            Step::In => next(usize::MAX),
            Step::Out => timeline.out(focus, position),
            Step::Back => previous(depth),
            Step::BackIn => previous(usize::MAX),
            Step::Barrier | Step::BackBarrier => None,
            Step::BackOut => timeline.out_backwards(focus, position).map(|call| {
                if timeline.is_start(focus, call, granularity) {
                    call
                } else {
                    timeline.previous(focus, call, timeline.depth(focus, call), granularity).unwrap_or(call)
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

    /// Goes to the next `OpControlBarrier` that the invocation comes to, or back to the one before.
    fn step_to_barrier(&mut self, forwards: bool) -> Stop {
        let (focus, position) = self.place();
        let timeline = self.timeline();
        let length = timeline.length(focus);
        let program = &timeline.invocations[focus].program;
        let is_barrier = |at: &u32| {
            let inst = timeline.step(focus, *at).and_then(|step| program.inst(step.inst));
            inst.is_some_and(|inst| matches!(inst.op(), Op::ControlBarrier | Op::ControlBarrierWaitINTEL))
        };
        let found = match forwards {
            true => (position.saturating_add(1)..length).find(is_barrier),
            false => (0..position.min(length)).rev().find(is_barrier),
        };
        let (place, stop) = match found {
            Some(found) => (found, Stop::Step),
            None if forwards => (length, Stop::End),
            None => (timeline.next(focus, 0, usize::MAX, Granularity::Line).unwrap_or(0), Stop::Entry),
        };
        self.position = place;
        stop
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
}
