//! The functions that an invocation is in.

use crate::program::{Place, Program};
use crate::timeline::Timeline;
use pyro_spirv::Id;

/// A function that an invocation is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// Its name.
    pub name: String,
    /// Where control is in it.
    pub place: Option<Place>,
    /// The instruction that is about to run there, or that has called.
    pub inst: u32,
}

/// The same as values are looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'t> {
    /// Calls around it that are not inlined.
    pub(super) called: usize,
    /// The instruction that is about to run, or that has called; of an ended invocation none that there is.
    pub(super) inst: u32,
    /// The inlined calls that it is in, from the inside out.
    pub(super) inlined: &'t [Id],
    /// The inlined call that is made in it.
    call: Option<Id>,
    /// The invocation has ended, behind this instruction.
    ended: Option<u32>,
}

/// The functions that an invocation is in at a position, the entry point first; there is one at least.
pub(super) fn at(timeline: &Timeline, invocation: usize, position: u32) -> Vec<Level<'_>> {
    let inlining = timeline.invocations[invocation].program.inlining();
    let calls = timeline.calls(invocation, position);
    let mut levels = Vec::new();
    for called in 0..=calls.len() {
        let (inst, ended, inlined, mut call) = match calls.get(called) {
            Some(&inst) => {
                (inst, None, inlining.of(inst).map_or(&[][..], |chain| inlining.calls_of(chain)), None)
            }
            None => {
                let (inlined, call) = timeline.inlined(invocation, position);
                let step = timeline.next_step(invocation, position);
                let last = || timeline.step(invocation, position.checked_sub(1)?);
                let ended = step.is_none().then(|| last().map_or(0, |step| step.inst));
                (step.map_or(u32::MAX, |step| step.inst), ended, inlined, call)
            }
        };
        // From the inside out, then turned around.
        let first = levels.len();
        for depth in 0..=inlined.len() {
            levels.push(Level { called, inst, inlined: &inlined[depth..], call, ended });
            call = inlined.get(depth).copied();
        }
        levels[first..].reverse();
    }
    levels
}

impl Level<'_> {
    /// For people.
    pub(super) fn frame(&self, program: &Program) -> StackFrame {
        let inst = self.ended.unwrap_or(self.inst);
        let call = self.call.and_then(|call| program.inlining().call(call));
        let outermost = || {
            let function = program.function_with(inst)?;
            Some(program.function_name(program.module().function(function).id))
        };
        let name = match (self.inlined.first(), call) {
            (None, _) => outermost(),
            (Some(_), Some(call)) => Some(call.caller.clone()),
            (Some(inlined), None) => {
                let callee = program.inlining().call(*inlined).map(|call| call.callee.clone());
                program.source_function_name(inst).or(callee)
            }
        };
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "a function".to_owned());
        let place = match call {
            Some(call) => call.place,
            None => place_near(program, inst),
        };
        StackFrame { name, place, inst }
    }
}

/// Where an instruction is; of one without a line the one before it in its function, or else behind it.
fn place_near(program: &Program, inst: u32) -> Option<Place> {
    let function = program.module().function(program.function_with(inst)?);
    let before = (function.inst.as_u32()..=inst).rev().find_map(|inst| program.place(inst));
    before.or_else(|| (inst..function.end.as_u32()).find_map(|inst| program.place(inst)))
}
