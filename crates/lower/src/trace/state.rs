//! What is kept of a trace while an entry point is lowered ([`crate::trace`]).
//!
//! Must not know: the lowering context, which holds it.

use crate::value::Scalars;
use pyro_abi::trace::{Change, Segment, Step, StepKind, TraceOptions};
use pyro_ir::{Slot, Value};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Id, Instruction, Module};
use std::collections::BTreeSet;

/// The trace of the entry point that is being lowered.
#[derive(Default)]
pub(crate) struct Trace {
    is_on: bool,
    /// Whether the subgroup reports, `i1`, once it is known.
    pub(super) traced: Option<Value>,
    /// The steps of the segment under way.
    pub(super) steps: Vec<Step>,
    /// Their columns.
    pub(super) columns: Scalars,
    pub(super) segments: Vec<Segment>,
    pub(super) entry_point: u32,
    pub(super) says_helper: bool,
    /// Module-scope variables that the functions of the entry point use.
    used: BTreeSet<u32>,
    /// Values that variables get on the way, each with the counter of its instruction.
    pub(super) changes: Vec<(Change, Option<Slot>)>,
}

impl Trace {
    pub(crate) fn new(
        options: Option<&TraceOptions>,
        module: &Module,
        entry_point: Id,
        model: Option<ExecutionModel>,
    ) -> Trace {
        let Some(options) = options else { return Trace::default() };
        let used = crate::instrument::blocks(module, entry_point)
            .flat_map(|block| module.body(block))
            .flat_map(|inst| inst.used_ids())
            .filter(|&id| module.global(id).is_some())
            .map(Id::as_u32);
        Trace {
            is_on: true,
            entry_point: entry_point.as_u32(),
            says_helper: model == Some(ExecutionModel::Fragment),
            used: used.collect(),
            changes: options.changes.iter().map(|change| (change.clone(), None)).collect(),
            ..Trace::default()
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        !self.is_on
    }

    /// Whether the entry point's functions use a module-scope variable.
    pub(super) fn uses(&self, variable: Id) -> bool {
        self.used.contains(&variable.as_u32())
    }

    /// Adds a step to the segment.
    pub(super) fn push(&mut self, inst: Option<Instruction<'_>>, kind: StepKind, columns: Scalars) {
        let inst = inst.map_or(0, |inst| inst.index().as_u32());
        self.steps.push(Step {
            inst,
            kind,
            column: self.columns.len() as u32,
            columns: columns.len() as u32,
        });
        self.columns.extend(columns);
    }
}
