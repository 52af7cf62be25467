//! The passes that the `pass` directive knows, by name.

use crate::case::Case;
use pyro_ir::Function;
use pyro_passes as p;

/// The names that the `pass` directive knows; `pipeline` is all of them as the compiler runs them.
pub const NAMES: &[&str] = &[
    "branch_fold",
    "contract",
    "coroutine_split",
    "dce",
    "gvn",
    "licm",
    "linearize",
    "lower_slots",
    "pipeline",
    "prune",
    "report_lowering",
    "sroa",
    "track_lowering",
    "unroll",
];

/// Applies a pass.
///
/// # Errors
/// When there is no such pass, or it says so itself.
pub fn apply(name: &str, function: &mut Function) -> Result<(), String> {
    match name {
        "branch_fold" => drop(p::branch_fold::run(function)),
        "contract" => drop(p::contract::run(function)),
        "dce" => drop(p::dce::run(function)),
        "gvn" => drop(p::gvn::run(function)),
        "licm" => drop(p::licm::run(function)),
        "linearize" => p::linearize::run(function, false),
        "lower_slots" => p::lower_slots::run(function).map_err(|error| error.to_string())?,
        "pipeline" => p::pipeline::run(function, &p::pipeline::Options::default(), None)
            .map(drop)
            .map_err(|error| error.to_string())?,
        "sroa" => drop(p::sroa::run(function)),
        "prune" => drop(p::prune::run(function)),
        "coroutine_split" => p::coroutine_split::run(function, None),
        "report_lowering" => drop(p::report_lowering::run(function)),
        "track_lowering" => drop(p::track_lowering::run(function)),
        "unmasked_loop" => drop(p::unmasked_loop::run(function)),
        "unroll" => drop(p::unroll::run(function)),
        _ => return Err(format!("no pass is called {name:?}")),
    }
    Ok(())
}

/// What the passes make of a case's function, which is verified before and after each of them.
pub(crate) fn apply_all(case: &Case, names: &[String]) -> Result<Function, String> {
    let mut function = case.function.clone();
    pyro_ir::verify::verify(&function).map_err(|errors| errors.to_string())?;
    for name in names {
        apply(name, &mut function)?;
        pyro_ir::verify::verify(&function)
            .map_err(|errors| format!("behind {name}: {errors}\n{function}"))?;
    }
    Ok(function)
}
