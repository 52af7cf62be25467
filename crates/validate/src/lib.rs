//! Validation of SPIR-V modules.
//!
//! Problem: lowering must be able to rely on a module, whoever wrote it, and developers want to know every
//! rule of SPIR-V and Vulkan that their shaders break.
//!
//! Approach: [`validate`] checks the rules that lowering relies on and returns a [`Checked`] module, or every
//! broken rule with its place. [`check`] does the same for those who only want the findings. With
//! [`Environment::strict`], the remaining rules are checked too: declared capabilities ([`capabilities`]),
//! targets of decorations ([`decorations`]), and the rules of Vulkan on modules ([`vulkan`],
//! [`covered_vuids`]), which depend on the features and limits of [`Environment::device`]. The rules on
//! create infos of stages, pipelines, layouts and shader objects are in [`stage`], [`create_info`] and
//! [`data_graph`].
//!
//! Invariants of a [`Checked`] module:
//!
//! - sections are in order ([`layout`]); every id names something of the kind that its use needs, and is
//!   defined on every path to it ([`ids`]);
//! - types are well formed and of limited size; variables and constants are of their types ([`types`]);
//! - entry points, signatures and calls fit; nothing is recursive ([`functions`]);
//! - each stage has the storage classes and ray instructions that it uses ([`stage_memory`]);
//! - control flow is structured ([`structured_cfg`] lists what that means);
//! - operands of the instructions that [`instruction`] knows are of the right types.
//!
//! Not guaranteed: the rules that only strict mode checks. A compiler must still refuse instructions that it
//! does not know, and treat indices as untrusted: a constant index may be beyond the end of an array.
//!
//! Must not know: Vulkan objects, the IR, or which instructions the compiler supports.
//!
//! All work is linear in the module, times a logarithm at most. Recursion is at most as deep as types nest.
#![forbid(unsafe_code)]

mod capabilities;
mod context;
pub mod create_info;
pub mod data_graph;
mod debug_printf;
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
mod microscaling;
mod small_types;
pub mod stage;
mod stage_memory;
mod structured_cfg;
mod tensor;
mod types;
mod universal;
mod vulkan;

pub use describe::describe;
pub use device::Device;
pub use diagnostic::{Diagnostic, Place, Severity, SourceLine, place_of, severity};
pub use environment::{Environment, LayoutFeatures, Limits};
pub use extensions::{extensions_of, extensions_of_value};
pub use fix_hint::fix_hint;
pub use structured_cfg::{Construct, ConstructKind, StructuredCfg};

use context::Context;
use pyro_spirv::{
    ConstantError, ConstantValues, FunctionIndex, Id, Module, Specialization, SpecializedModule,
};
use std::ops::Deref;
use std::sync::Arc;

/// A module that keeps the rules which compiling relies on, with what checking has computed: the values of
/// its constants under one specialization, and the control flow of its functions. Only [`validate`] makes
/// one, so that whoever is given one need not check again.
///
/// It is owned and may be shared between threads; the module itself may be shared with those checked under
/// other specializations.
#[derive(Clone)]
pub struct Checked {
    specialized: SpecializedModule,
    cfgs: Arc<[StructuredCfg]>,
    warnings: Arc<[Diagnostic]>,
}

impl Checked {
    /// The module.
    pub fn module(&self) -> &Module {
        self.specialized.module()
    }

    /// The module, to share it.
    pub fn shared_module(&self) -> &Arc<Module> {
        self.specialized.module()
    }

    /// The specialization that it was checked under.
    pub fn specialization(&self) -> &Specialization {
        self.specialized.specialization()
    }

    /// The values of its constants under that specialization, for no particular entry point.
    pub fn constants(&self) -> ConstantValues<'_> {
        self.specialized.constants()
    }

    /// The values of its constants for an entry point (the id of its function) whose subgroups have `lanes`
    /// invocations, 0 where that is not known: its execution modes decide how conversions round, and sizes of
    /// descriptors and of cooperative matrices are known.
    ///
    /// # Errors
    /// As of [`ConstantValues::evaluate`]; what the entry point decides may make an operation fail, such as
    /// the index of an extraction that is the size of a matrix.
    pub fn constants_for(&self, entry_point: Id, lanes: u32) -> Result<ConstantValues<'_>, ConstantError> {
        self.specialized.constants_for(entry_point, lanes)
    }

    /// Broken rules of [`Severity::Warning`]; only strict checking looks for such.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The control flow of a function.
    pub fn cfg(&self, function: FunctionIndex) -> &StructuredCfg {
        &self.cfgs[function.as_u32() as usize]
    }
}

impl std::fmt::Debug for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Checked({} functions)", self.cfgs.len())
    }
}

impl Deref for Checked {
    type Target = Module;

    fn deref(&self) -> &Module {
        self.module()
    }
}

/// Checks a module under a specialization ([`Environment::specialization`]).
///
/// # Errors
/// As of [`check`].
pub fn validate(module: Arc<Module>, environment: &Environment) -> Result<Checked, Vec<Diagnostic>> {
    let specialized = SpecializedModule::new(Arc::clone(&module), environment.specialization.clone())
        .map_err(|error| vec![constant_diagnostic(&module, &error)])?;
    let (cfgs, warnings) = run(&module, environment, specialized.constants())?;
    Ok(Checked { cfgs: cfgs.into(), warnings: warnings.into(), specialized })
}

/// Checks a module where only the findings matter: warnings when it keeps the rules.
///
/// # Errors
/// Every broken rule that was found, warnings too when there is an error, at most
/// [`Environment::diagnostic_count_max`], in the order of the crate's stages. When declarations are broken,
/// later stages, which rely on them, do not run. Findings in functions end checking too, but not with
/// [`Environment::strict`], which is to report everything: later stages then skip an instruction that an
/// earlier one has reported.
pub fn check(module: &Module, environment: &Environment) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let constants = ConstantValues::evaluate(module, &environment.specialization)
        .map_err(|error| vec![constant_diagnostic(module, &error)])?;
    run(module, environment, constants).map(|(_, warnings)| warnings)
}

/// Runs all stages: the control flow of each function and warnings, or what is broken.
fn run(
    module: &Module,
    environment: &Environment,
    constants: ConstantValues<'_>,
) -> Result<(Vec<StructuredCfg>, Vec<Diagnostic>), Vec<Diagnostic>> {
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
    stage_memory::check(&cx);
    if !cx.may_go_on() {
        return Err(cx.into_diagnostics());
    }
    let cfgs: Vec<_> = module.functions().map(|function| structured_cfg::check(&cx, function)).collect();
    cx.silence_since(count);
    ids::check_dominance(&cx, &cfgs);
    for (function, cfg) in module.functions().zip(&cfgs) {
        if cfg.is_some() || environment.strict {
            instruction::check_function(&cx, function, cfg.as_ref());
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
        debug_printf::check(&cx);
        small_types::check(&cx);
        microscaling::check(&cx);
        vulkan::check(&cx);
        data_graph::check(&cx);
        if !cx.is_clean() {
            return Err(cx.into_diagnostics());
        }
    }
    let cfgs: Option<Vec<_>> = cfgs.into_iter().collect();
    match cfgs {
        Some(cfgs) => {
            let warnings = cx.take_diagnostics();
            Ok((cfgs, warnings))
        }
        // Every function has a body by now, so one without control flow was reported.
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
    | ConstantError::DataType(id)
    | ConstantError::DataSize { id, .. }
    | ConstantError::TooLarge(id)) = error;
    let place = module.definition_index(*id).map(|inst| Place::of(module, inst));
    Diagnostic { rule: "Constants".into(), message: error.to_string(), place }
}
