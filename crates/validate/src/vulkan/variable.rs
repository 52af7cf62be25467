//! Runs the rules on variables at module scope.

use super::{runtime_spirv, standalone_spirv};
use crate::context::{Context, Verdict};
use pyro_spirv::GlobalVariable;

/// A rule on one variable at module scope.
pub(crate) type Rule = fn(&Context<'_, '_>, &GlobalVariable<'_>) -> Verdict;

/// The rules of every file.
pub(crate) fn tables() -> impl Iterator<Item = &'static (&'static str, Rule)> {
    [standalone_spirv::variable::RULES, runtime_spirv::storage::RULES].into_iter().flatten()
}

pub(crate) fn check(cx: &Context<'_, '_>) {
    for variable in cx.module.globals() {
        if cx.is_full() {
            return;
        }
        for (rule, function) in tables() {
            if let Err(message) = function(cx, &variable) {
                cx.report(rule, variable.inst.index(), message);
            }
        }
    }
}
