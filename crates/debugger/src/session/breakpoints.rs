//! Breakpoints: where they are, and whether they hold.

use super::{Breakpoint, BreakpointKind, Session, SessionSource};
use crate::expression;
use crate::program::{Place, Source};
use crate::timeline::Granularity;
use std::collections::HashSet;

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

impl Session {
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
        let exact = self.sources.iter().position(|source| source.source.name == path);
        exact.or_else(|| {
            self.sources.iter().position(|source| file_name(&source.source.name) == file_name(path))
        })
    }

    /// The same; a source that no shader of a live program has yet is one that will come.
    pub fn source_to_come(&mut self, path: &str) -> Option<usize> {
        let known = self.source_named(path);
        if known.is_some() || !self.is_live() {
            return known;
        }
        let source = Source { name: path.to_owned(), text: None };
        self.sources.push(SessionSource { source, modules: Vec::new() });
        Some(self.sources.len() - 1)
    }

    /// Finds the places of breakpoints again, among more modules.
    pub(super) fn resolve_more(&mut self) {
        let mut breakpoints = std::mem::take(&mut self.breakpoints);
        for breakpoint in &mut breakpoints {
            let was_at_code = breakpoint.is_at_code();
            (breakpoint.line, breakpoint.insts) = self.resolve(&breakpoint.kind);
            if breakpoint.is_at_code() && !was_at_code {
                self.placed.push(breakpoint.id);
            }
        }
        self.breakpoints = breakpoints;
    }

    /// Breakpoints that have got a place since the last call of this.
    pub fn take_placed(&mut self) -> Vec<Breakpoint> {
        let placed = std::mem::take(&mut self.placed);
        self.breakpoints.iter().filter(|one| placed.contains(&one.id)).cloned().collect()
    }

    pub(super) fn resolve(&self, kind: &BreakpointKind) -> (Option<u32>, HashSet<(u64, u32)>) {
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
                    let inlined = program.inlining().calls().filter(|call| call.callee == *name);
                    let first = inlined.filter_map(|call| program.first_code(call.first));
                    insts.extend(first.map(|inst| (program.digest, inst)));
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
    pub(super) fn is_at(&self, breakpoint: &Breakpoint, invocation: usize, position: u32) -> bool {
        let timeline = self.timeline();
        let program = &timeline.invocations[invocation].program;
        // Where a call is inlined, that is the beginning of its line.
        if let (_, Some(call)) = timeline.inlined(invocation, position) {
            let place = program.inlining().call(call).and_then(|call| call.place);
            return place.is_some_and(|place| self.is_on(breakpoint, program.digest, place))
                && timeline.is_start(invocation, position, Granularity::Line);
        }
        let Some(step) = timeline.step(invocation, position) else { return false };
        if !breakpoint.insts.contains(&(program.digest, step.inst)) {
            return false;
        }
        match breakpoint.kind {
            BreakpointKind::Line { source, .. } if Some(source) != self.disassembly_of(program.digest) => {
                // Of a line with inlined calls alone, the instructions are those of the functions.
                program.place(step.inst).is_some_and(|place| Some(place.line) == breakpoint.line)
                    && timeline.is_start(invocation, position, Granularity::Line)
            }
            _ => timeline.is_start(invocation, position, Granularity::Instruction),
        }
    }

    /// Whether a breakpoint is on the line of a place in a module.
    fn is_on(&self, breakpoint: &Breakpoint, digest: u64, place: Place) -> bool {
        let BreakpointKind::Line { source, .. } = breakpoint.kind else { return false };
        let modules = self.sources.get(source).map_or(&[][..], |source| &source.modules);
        breakpoint.line == Some(place.line) && modules.contains(&(digest, place.source))
    }

    fn disassembly_of(&self, digest: u64) -> Option<usize> {
        let program = self.modules.iter().find(|program| program.digest == digest)?;
        let number = program.disassembly();
        self.sources.iter().position(|source| source.modules.contains(&(digest, number)))
    }

    /// Whether a breakpoint holds at a position; what is wrong with its condition is said.
    pub(super) fn holds(&mut self, breakpoint: &Breakpoint, invocation: usize, position: u32) -> bool {
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

    pub(super) fn log(&mut self, message: &str, invocation: usize, position: u32) {
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
