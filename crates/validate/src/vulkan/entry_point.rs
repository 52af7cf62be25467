//! Runs the rules on entry points: on each one with its interface, then on the instructions in its call tree.

use super::instruction::{Applies, OpTable};
use super::{runtime_spirv, standalone_spirv};
use crate::context::{Context, Verdict};
use pyro_interface::{Interface, builtin};
use pyro_spirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel as Model, StorageClass};
use pyro_spirv::{EntryPoint, GlobalVariable, Id, Instruction, Type};
use std::cell::Cell;
use std::collections::BTreeSet;

/// A rule on one entry point.
pub(crate) type Rule = fn(&Stage<'_, '_, '_>) -> Verdict;
/// A rule on one instruction in an entry point's call tree.
pub(crate) type StageRule = fn(&Stage<'_, '_, '_>, Instruction<'_>) -> Verdict;

/// An entry point with what it sees.
pub(crate) struct Stage<'c, 'a, 'm> {
    pub(crate) cx: &'c Context<'a, 'm>,
    pub(crate) entry: EntryPoint<'m>,
    pub(crate) interface: Interface,
    /// The variable that the rule under way looks at: findings are about it, not about the entry point.
    at: Cell<Option<Id>>,
}

/// The rules of every file on one entry point.
pub(crate) fn tables() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    [
        standalone_spirv::entry_point::RULES,
        standalone_spirv::builtin::RULES,
        standalone_spirv::transform_feedback::RULES,
        runtime_spirv::transform_feedback::RULES,
        standalone_spirv::mesh::RULES,
        runtime_spirv::mesh::RULES,
        runtime_spirv::mesh_index::RULES,
        runtime_spirv::written_on_all_paths::RULES,
        standalone_spirv::stage::RULES,
        runtime_spirv::execution_mode::RULES,
        standalone_spirv::execution_mode::RULES,
        runtime_spirv::limit::RULES,
        runtime_spirv::uniformity::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The rules of every file on the instructions in an entry point's call tree.
pub(crate) fn stage_tables() -> impl Iterator<Item = &'static (&'static str, Applies, StageRule)> {
    [
        standalone_spirv::entry_point::STAGE_RULES,
        standalone_spirv::builtin::STAGE_RULES,
        standalone_spirv::stage::STAGE_RULES,
        runtime_spirv::group::STAGE_RULES,
        runtime_spirv::mesh::STAGE_RULES,
        runtime_spirv::cooperative::STAGE_RULES,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn check(cx: &Context<'_, '_>) {
    for entry in cx.module.entry_points() {
        if cx.is_full() {
            return;
        }
        let interface = match Interface::of(&cx.constants, &entry) {
            Ok(interface) => interface,
            Err(error) => {
                cx.report("VUID-RuntimeSpirv-Location-06272", entry.inst.index(), error.to_string());
                continue;
            }
        };
        for finding in builtin::check(&cx.constants, &interface) {
            let place = cx.module.definition_index(finding.variable).unwrap_or(entry.inst.index());
            cx.report_owned(finding.rule, place, finding.message);
        }
        let stage = Stage { cx, entry, interface, at: Cell::new(None) };
        stage.check_interface();
        for (rule, function) in tables() {
            stage.at.set(None);
            if let Err(message) = function(&stage) {
                let variable = stage.at.get().and_then(|id| cx.module.definition_index(id));
                cx.report(rule, variable.unwrap_or(entry.inst.index()), message);
            }
        }
        stage.check_call_tree();
    }
}

impl<'m> Stage<'_, '_, 'm> {
    /// Lets what a rule finds be about a variable.
    pub(crate) fn look_at(&self, variable: Id) {
        self.at.set(Some(variable));
    }

    pub(crate) fn model(&self) -> Model {
        self.entry.model
    }

    pub(crate) fn used(&self) -> impl Iterator<Item = GlobalVariable<'m>> + '_ {
        self.interface.used.iter().filter_map(|&id| self.cx.module.global(id))
    }

    pub(crate) fn count(&self, class: StorageClass) -> usize {
        self.used().filter(|variable| variable.class == class).count()
    }

    pub(crate) fn has_mode(&self, mode: ExecutionMode) -> bool {
        self.cx.module.execution_mode(self.entry.function, mode).is_some()
    }

    /// Calls something for each instruction of the call tree.
    pub(crate) fn each_instruction(&self, visit: impl FnMut(Instruction<'m>)) {
        self.cx.module.each_in_call_tree(self.entry.function, visit);
    }

    /// Whether something holds of an instruction of the call tree.
    pub(crate) fn any_instruction(&self, is: impl Fn(Instruction<'m>) -> bool) -> bool {
        let mut found = false;
        self.each_instruction(|inst| found = found || is(inst));
        found
    }

    /// What the chapter on shader interfaces asks of inputs and outputs without a number of its own.
    fn check_interface(&self) {
        let sides = [&self.interface.inputs, &self.interface.outputs];
        for variable in sides.into_iter().flatten() {
            let Some(place) = self.cx.module.definition_index(variable.variable) else { continue };
            let interpolation = variable.interpolation;
            if interpolation.flat && interpolation.no_perspective {
                let message = "an input or output is decorated both Flat and NoPerspective";
                self.cx.report("Interpolation Decorations", place, message);
            }
        }
        // Positions and what else comes with each vertex.
        let of_vertex = [BuiltIn::Position, BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];
        let built_ins = self.interface.built_ins.iter().filter(|found| of_vertex.contains(&found.built_in));
        let all = sides.into_iter().flatten().filter(|found| !found.is_patch).map(|found| found.variable);
        let all: BTreeSet<Id> = all.chain(built_ins.map(|found| found.variable)).collect();
        for variable in all.into_iter().filter_map(|id| self.cx.module.global(id)) {
            let needs_array = matches!(
                (self.model(), variable.class),
                (Model::TessellationControl, _)
                    | (Model::TessellationEvaluation | Model::Geometry, StorageClass::Input)
                    | (Model::MeshEXT, StorageClass::Output)
            );
            let is_patch = self.cx.module.has_decoration(variable.id, Decoration::Patch);
            let is_array = variable
                .value_type
                .is_none_or(|ty| matches!(self.cx.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. }));
            if needs_array && !is_patch && !is_array {
                let message = format!(
                    "{:?} shaders have an array of this {:?}, with one element for each vertex",
                    self.model(),
                    variable.class
                );
                self.cx.report("Interface Matching", variable.inst.index(), message);
            }
        }
    }

    fn check_call_tree(&self) {
        // Most opcodes have no rule; find them out once.
        let mut known: OpTable<Vec<(&'static str, StageRule)>> = OpTable::new();
        self.each_instruction(|inst| {
            let op = inst.op();
            let rules = known.get(op, || {
                let about = stage_tables().filter(|(_, applies, _)| applies(op));
                about.map(|(rule, _, function)| (*rule, *function)).collect()
            });
            for (rule, check) in rules {
                if let Err(message) = check(self, inst) {
                    self.cx.report(rule, inst.index(), message);
                }
            }
        });
    }
}
