//! Checks of SPIR-V modules.
//!
//! [`validate`] holds a decoded module against the rules that a compiler must be able to rely on, and gives
//! either every broken rule with its place, or a [`Checked`] module. What later stages may then trust:
//!
//! - sections are in order ([`layout`]); every id names something of the kind that its use needs, and is
//!   defined on every path to it ([`ids`]);
//! - types are well formed and of limited size; variables and constants are of their types ([`types`]);
//! - entry points, signatures and calls fit; nothing is recursive ([`functions`]);
//! - control flow is structured ([`structured_cfg`] lists what that means);
//! - operands of the instructions that [`instruction`] knows are of the right types.
//!
//! With [`Environment::strict`], each instruction's capabilities must be declared too ([`capabilities`]), decorations
//! must be on what they are for ([`decorations`]), and Vulkan's rules on modules are checked ([`vulkan`],
//! [`covered_vuids`]), with those on a device's features and limits when [`Environment::device`] says them.
//!
//! What the creation of stages, pipelines, layouts and shader objects says beside modules has checks of its own: [`stage`],
//! [`create_info`], [`data_graph`].
//!
//! What is *not* checked: the rest of Vulkan's rules. A compiler must still refuse what it does not know, and treat indices as untrusted: a constant index may be beyond an array's end.
//!
//! All work is linear in the module, times a logarithm at most. Nothing recurses deeper than types nest.
#![forbid(unsafe_code)]

mod capabilities;
mod context;
pub mod create_info;
pub mod data_graph;
mod decorations;
mod describe;
pub mod device;
mod diagnostic;
mod dominators;
mod environment;
mod extensions;
mod fix_hint;
mod functions;
mod ids;
mod instruction;
mod layout;
mod small_types;
pub mod stage;
mod structured_cfg;
mod tensor;
mod types;
mod universal;
mod vulkan;

pub use describe::describe;
pub use device::Device;
pub use diagnostic::{Diagnostic, Place, Severity, SourceLine, place_of, severity};
pub use environment::{Environment, LayoutFeatures, Limits};
pub use extensions::extensions_of;
pub use fix_hint::fix_hint;
pub use structured_cfg::{Construct, ConstructKind, StructuredCfg};

use context::Context;
use pyro_spirv::{ConstantError, ConstantValues, FunctionIndex, Module};
use std::ops::Deref;

/// A module that keeps the rules, under the specialization that it was checked with.
pub struct Checked<'m> {
    module: &'m Module,
    constants: ConstantValues<'m>,
    structures: Vec<StructuredCfg>,
    warnings: Vec<Diagnostic>,
}

impl<'m> Checked<'m> {
    /// The module.
    pub fn module(&self) -> &'m Module {
        self.module
    }

    /// The values of its constants under the specialization that it was checked with.
    pub fn constants(&self) -> &ConstantValues<'m> {
        &self.constants
    }

    /// Broken rules that do not matter much ([`Severity::Warning`]); only strict checking looks for such.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The control flow of a function.
    pub fn structure(&self, function: FunctionIndex) -> &StructuredCfg {
        &self.structures[function.as_u32() as usize]
    }
}

impl Deref for Checked<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        self.module
    }
}

/// Checks a module.
///
/// # Errors
/// Every broken rule that was found, warnings too when there is an error, at most [`Environment::diagnostic_count_max`], in the order of the
/// crate's stages. When declarations are broken, later stages, which rely on them, do not run. What is broken in
/// functions ends checking too, but not with [`Environment::strict`], where all that is wrong shall be told: an
/// instruction that a stage finds fault with is then no longer looked at by later ones.
pub fn validate<'m>(module: &'m Module, environment: &Environment) -> Result<Checked<'m>, Vec<Diagnostic>> {
    let constants = match ConstantValues::evaluate(module, &environment.specialization) {
        Ok(constants) => constants,
        Err(error) => return Err(vec![constant_diagnostic(module, &error)]),
    };
    let mut cx = Context::new(module, environment, constants);
    layout::check(&cx);
    let kinds = ids::Kinds::of(module);
    ids::check_globals(&cx, &kinds);
    if !cx.is_clean() {
        return Err(cx.into_diagnostics());
    }
    if environment.strict {
        capabilities::check(&cx);
    }
    let count = cx.count();
    types::check(&mut cx);
    if cx.count() != count || !cx.may_go_on() {
        return Err(cx.into_diagnostics());
    }
    ids::check_functions(&cx, &kinds);
    cx.silence_since(count);
    if !cx.may_go_on() {
        return Err(cx.into_diagnostics());
    }
    let count = cx.count();
    functions::signatures(&cx);
    functions::entry_points(&cx);
    functions::calls(&cx);
    // Interfaces and call trees are of sound entry points and calls.
    if cx.count() != count {
        return Err(cx.into_diagnostics());
    }
    let structures: Vec<_> =
        module.functions().map(|function| structured_cfg::check(&cx, function)).collect();
    cx.silence_since(count);
    ids::check_dominance(&cx, &structures);
    for (function, structure) in module.functions().zip(&structures) {
        if structure.is_some() || environment.strict {
            instruction::check_function(&cx, function, structure.as_ref());
        }
    }
    cx.silence_since(count);
    if !cx.may_go_on() {
        return Err(cx.into_diagnostics());
    }
    if environment.strict {
        extensions::check(&cx);
        decorations::check(&cx);
        universal::check(&cx);
        small_types::check(&cx);
        vulkan::check(&cx);
        data_graph::check(&cx);
        if !cx.is_clean() {
            return Err(cx.into_diagnostics());
        }
    }
    let structures: Option<Vec<_>> = structures.into_iter().collect();
    match structures {
        Some(structures) => {
            let warnings = cx.take_diagnostics();
            Ok(Checked { module, constants: cx.constants, structures, warnings })
        }
        // Every function has a body by now, so that one without a structure was reported.
        None => Err(cx.into_diagnostics()),
    }
}

/// The VUIDs that strict checking has a function for, sorted; [`covered_built_in_vuids`] come on top.
pub fn covered_vuids() -> Vec<&'static str> {
    vulkan::covered()
}

/// The VUIDs on built-ins that strict checking covers by a table, sorted.
pub fn covered_built_in_vuids() -> Vec<String> {
    pyro_interface::builtin::covered_vuids()
}

fn constant_diagnostic(module: &Module, error: &ConstantError) -> Diagnostic {
    let (ConstantError::Unsupported { id, .. }
    | ConstantError::Malformed { id, .. }
    | ConstantError::TooLarge(id)) = error;
    let place = module.definition_index(*id).map(|inst| Place::of(module, inst));
    Diagnostic { rule: "Constants".into(), message: error.to_string(), place }
}
