//! Modules as lowering takes them.
#![allow(dead_code)] // each test uses a part

use pyro_abi::PipelineLayout;
use pyro_lower::{LowerError, Lowered, Shader, StageRequest};
use pyro_spirv::{Module, Specialization};
use pyro_validate::{Checked, Environment, Limits};
use std::sync::Arc;

/// A module that keeps the rules under a specialization; else what it breaks.
pub(crate) fn check(module: &Module, specialization: &Specialization) -> Result<Checked, String> {
    // What is too large is for lowering to refuse here.
    let limits = Limits {
        control_flow_nesting_depth_max: u32::MAX,
        value_component_count_max: u64::MAX,
        variable_size_max: u64::MAX,
        inlined_instruction_count_max: u64::MAX,
        ..Limits::default()
    };
    let environment =
        Environment { specialization: specialization.clone(), limits, ..Environment::default() };
    let words: Vec<u32> = module.words().to_vec();
    let module = Module::decode(&words).map_err(|error| error.to_string())?;
    pyro_validate::validate(Arc::new(module), &environment)
        .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// A module that keeps the rules.
pub(crate) fn checked(module: &Module) -> Checked {
    check(module, &Specialization::new()).unwrap_or_else(|found| panic!("{found}"))
}

/// Lowers the compute entry point "main".
pub(crate) fn lower_compute(
    checked: &Checked,
    layout: &PipelineLayout,
    lanes: u32,
) -> Result<Lowered, LowerError> {
    pyro_lower::lower(
        &Shader { checked, entry_point: "main", layout, tiles: false },
        lanes,
        &StageRequest::Compute,
    )
}
