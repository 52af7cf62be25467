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

pub(crate) mod block;
pub(crate) mod declaration;
pub(crate) mod entry;
pub(crate) mod instruction;
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
    let mut covered: Vec<_> = declaration::RULES.iter().map(|(rule, _)| *rule).collect();
    covered.extend(declaration::MODULE_RULES.iter().map(|(rule, _)| *rule));
    covered.extend(variable::RULES.iter().map(|(rule, _)| *rule));
    covered.extend(instruction::RULES.iter().map(|(rule, _, _)| *rule));
    covered.extend(entry::RULES.iter().map(|(rule, _)| *rule));
    covered.extend(entry::STAGE_RULES.iter().map(|(rule, ..)| *rule));
    covered.push(block::RULE);
    covered.sort_unstable();
    covered
}
