//! Vulkan's rules on modules, checked with [`Environment::strict`](crate::Environment::strict).
//!
//! A rule is one function, listed with its VUID in the table of its file: what it looks at decides which file.
//!
//! | file | looks at |
//! | --- | --- |
//! | [`declaration`] | types, decorations, execution modes |
//! | [`variable`] | variables at module scope |
//! | [`instruction`] | instructions in functions |
//! | [`block`] | explicit layouts of blocks |
//! | [`entry`] | entry points with their interfaces and call trees |
//! | [`builtin`] | built-ins beyond the table of `pyro_interface` |
//! | [`mesh`] | task and mesh shaders |
//! | [`mesh_index`] | indices of mesh shaders that are constant |
//! | [`path`] | outputs that every path must write |
//! | [`transform_feedback`] | outputs that transform feedback captures |
//! | [`standalone`] | more of all these |
//! | [`runtime`] | all these, by a device's version, features and limits |

pub(crate) mod block;
pub(crate) mod builtin;
pub(crate) mod declaration;
pub(crate) mod entry;
pub(crate) mod instruction;
pub(crate) mod mesh;
pub(crate) mod mesh_index;
pub(crate) mod path;
pub(crate) mod runtime;
pub(crate) mod standalone;
pub(crate) mod transform_feedback;
pub(crate) mod variable;

use crate::context::Context;

/// Runs every rule.
pub(crate) fn check(cx: &Context<'_, '_>) {
    declaration::check(cx);
    variable::check(cx);
    instruction::check(cx);
    entry::check(cx);
    block::check(cx);
}

/// Every VUID that has a function here, sorted.
pub(crate) fn covered() -> Vec<&'static str> {
    let mut covered: Vec<&'static str> = vec![block::RULE];
    covered.extend(crate::data_graph::RULES);
    covered.extend(declaration::tables().map(|(rule, _)| *rule));
    covered.extend(declaration::module_tables().map(|(rule, _)| *rule));
    covered.extend(variable::tables().map(|(rule, _)| *rule));
    covered.extend(instruction::tables().map(|(rule, ..)| *rule));
    covered.extend(entry::tables().map(|(rule, _)| *rule));
    covered.extend(entry::stage_tables().map(|(rule, ..)| *rule));
    covered.sort_unstable();
    // A rule may look at several kinds of instruction.
    covered.dedup();
    covered
}
