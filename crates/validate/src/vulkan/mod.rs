//! Vulkan's rules on modules, checked with [`Environment::strict`](crate::Environment::strict).
//!
//! A rule is one function, listed with its VUID in the table of its file. The VUID decides the folder, what
//! the rule looks at decides the file:
//!
//! | folder | rules |
//! | --- | --- |
//! | [`standalone_spirv`] | `VUID-StandaloneSpirv-*` and the VUIDs of built-ins: the same on every device |
//! | [`runtime_spirv`] | `VUID-RuntimeSpirv-*` and on creation: by a device's version, features and limits |
//!
//! The files beside the folders run the rules of both: [`declaration`] on what comes before functions,
//! [`variable`] on variables at module scope, [`instruction`] on instructions, [`entry_point`] on entry
//! points and their call trees.

pub(crate) mod declaration;
pub(crate) mod entry_point;
pub(crate) mod instruction;
pub(crate) mod runtime_spirv;
pub(crate) mod standalone_spirv;
pub(crate) mod variable;

use crate::context::Context;
use standalone_spirv::block_layout;

/// Runs every rule.
pub(crate) fn check(cx: &Context<'_, '_>) {
    declaration::check(cx);
    variable::check(cx);
    instruction::check(cx);
    entry_point::check(cx);
    block_layout::check(cx);
}

/// Every VUID that has a function here, sorted.
pub(crate) fn covered() -> Vec<&'static str> {
    let mut covered: Vec<&'static str> = vec![block_layout::RULE];
    covered.extend(crate::data_graph::RULES);
    covered.extend(crate::stage_memory::rules());
    covered.extend(declaration::tables().map(|(rule, _)| *rule));
    covered.extend(declaration::module_tables().map(|(rule, _)| *rule));
    covered.extend(variable::tables().map(|(rule, _)| *rule));
    covered.extend(instruction::tables().map(|(rule, ..)| *rule));
    covered.extend(entry_point::tables().map(|(rule, _)| *rule));
    covered.extend(entry_point::stage_tables().map(|(rule, ..)| *rule));
    // Sentences of the specification that have no VUID are rules under their section's name.
    covered.retain(|rule| rule.starts_with("VUID-"));
    covered.sort_unstable();
    // A rule may look at several kinds of instruction.
    covered.dedup();
    covered
}
