//! The list of passes.
//!
//! ```text
//! lane form:  optimize_lane   promote, gvn, branch_fold, dce, unroll, constant_table,
//!                             load_combine, licm, contract, mix, scale
//!             to_mask_form    lower slots, linearize
//! mask form:  optimize_mask   grid, rounds, block_loop or quad_loop, wide_halves, branch_fold, gvn, dce,
//!                             licm, in_bounds, suspend, sink
//! ```

use crate::{
    PassError, block_loop, branch_fold, constant_table, contract, dce, grid, gvn, in_bounds, licm, linearize,
    load_combine, mix, quad_loop, rounds, scale, sink, slots, suspend, unroll, wide_halves,
};
use pyro_ir::Function;
use quad_loop::QuadList;

/// Called with a pass's name and the function behind it, whether or not the pass changed it.
pub type Observer<'a> = &'a mut dyn FnMut(&'static str, &Function);

/// Which passes run. The passes that make mask form always do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// All lanes of every subgroup hold an invocation (the workgroup size is a multiple of the lanes).
    pub full_subgroups: bool,
    /// Make the shader loop over workgroups; see [`grid`] and, for shaders with suspend points, [`rounds`].
    pub grid: Option<grid::Grid>,
    /// Make the fragment function loop over blocks; see [`block_loop`].
    pub blocks: bool,
    /// Make the fragment function loop over subgroups of quads; see [`quad_loop`].
    pub quads: Option<QuadList>,
    /// Compute in single precision what is of half: see [`wide_halves`].
    pub wide_halves: bool,
    /// Optimisations left out, by name; see [`OPTIMIZATIONS`].
    pub disabled: Vec<&'static str>,
    /// No optimisation at all.
    pub disable_all: bool,
    /// The verifier runs after each pass.
    pub verify: bool,
}

/// The names of the optimisations that [`Options::disabled`] knows.
pub const OPTIMIZATIONS: &[&str] = &[
    "promote",
    "gvn",
    "branch_fold",
    "dce",
    "unroll",
    "constant_table",
    "load_combine",
    "licm",
    "contract",
    "mix",
    "scale",
    "in_bounds",
    "sink",
];

/// Nested loops are unrolled from the inside out, this many levels.
const UNROLL_ROUNDS: u32 = 3;

#[allow(clippy::derivable_impls)] // not where the verifier runs by default
impl Default for Options {
    fn default() -> Options {
        Options {
            full_subgroups: false,
            grid: None,
            blocks: false,
            quads: None,
            wide_halves: false,
            disabled: Vec::new(),
            disable_all: false,
            verify: cfg!(debug_assertions),
        }
    }
}

impl Options {
    fn has(&self, pass: &str) -> bool {
        !self.disable_all && !self.disabled.contains(&pass)
    }
}

/// Lane form as the front end makes it, to what an executor runs: [`optimize_lane`], [`to_mask_form`],
/// [`optimize_mask`]. Gives how many loops around the shader were made: see [`Options::grid`].
///
/// # Errors
/// See [`PassError`].
pub fn run(
    function: &mut Function,
    options: &Options,
    observe: Option<Observer<'_>>,
) -> Result<usize, PassError> {
    let mut runner = Runner { options, observe };
    runner.optimize_lane(function)?;
    runner.make_mask_form(function)?;
    runner.optimize_mask(function)
}

/// Optimises a function in lane form.
///
/// # Errors
/// See [`PassError`].
pub fn optimize_lane(function: &mut Function, options: &Options) -> Result<(), PassError> {
    Runner { options, observe: None }.optimize_lane(function)
}

/// Turns lane form into mask form. Suspend points stay until [`optimize_mask`].
///
/// # Errors
/// See [`PassError`].
pub fn to_mask_form(function: &mut Function, options: &Options) -> Result<(), PassError> {
    Runner { options, observe: None }.make_mask_form(function)
}

/// Optimises a function in mask form, and makes suspend points exits.
///
/// # Errors
/// See [`PassError`].
pub fn optimize_mask(function: &mut Function, options: &Options) -> Result<(), PassError> {
    Runner { options, observe: None }.optimize_mask(function).map(drop)
}

struct Runner<'o, 'h> {
    options: &'o Options,
    observe: Option<Observer<'h>>,
}

impl Runner<'_, '_> {
    fn optimize_lane(&mut self, function: &mut Function) -> Result<(), PassError> {
        self.clean_lane(function)?;
        // Copies of loop bodies have constant indices: there is more to promote and to fold.
        for _ in 0..UNROLL_ROUNDS {
            if !self.optimization("unroll", function, unroll::run)? {
                break;
            }
            self.clean_lane(function)?;
        }
        let tables = self.optimization("constant_table", function, constant_table::run)?;
        let loads = self.optimization("load_combine", function, load_combine::run)?;
        if tables || loads {
            self.clean_lane(function)?;
        }
        self.optimization("licm", function, licm::run)?;
        self.optimization("contract", function, contract::run)?;
        self.optimization("mix", function, mix::run)?;
        self.optimization("scale", function, scale::run)?;
        self.optimization("dce", function, dce::run)?;
        Ok(())
    }

    fn clean_lane(&mut self, function: &mut Function) -> Result<(), PassError> {
        self.optimization("promote", function, slots::promote)?;
        self.optimization("gvn", function, gvn::run)?;
        self.optimization("branch_fold", function, branch_fold::run)?;
        self.optimization("dce", function, dce::run)?;
        Ok(())
    }

    fn make_mask_form(&mut self, function: &mut Function) -> Result<(), PassError> {
        slots::lower(function)?;
        self.after("slots", function)?;
        linearize::run(function, self.options.full_subgroups);
        self.after("linearize", function)
    }

    /// Gives how many loops around the shader were made.
    fn optimize_mask(&mut self, function: &mut Function) -> Result<usize, PassError> {
        let (mut resume, mut loops) = (None, 0);
        if let Some(grid) = self.options.grid {
            if suspend::suspends(function) {
                resume = Some(rounds::run(function, grid));
                loops = rounds::LOOPS;
                self.after("rounds", function)?;
            } else {
                grid::run(function, grid);
                loops = 1;
                self.after("grid", function)?;
            }
        }
        if self.options.blocks {
            block_loop::run(function);
            self.after("block_loop", function)?;
        }
        if let Some(list) = self.options.quads {
            quad_loop::run(function, list);
            self.after("quad_loop", function)?;
        }
        if self.options.wide_halves {
            wide_halves::run(function);
            self.after("wide_halves", function)?;
        }
        self.optimization("branch_fold", function, branch_fold::run)?;
        self.optimization("gvn", function, gvn::run)?;
        self.optimization("branch_fold", function, branch_fold::run)?;
        self.optimization("dce", function, dce::run)?;
        let header = resume.map(|resume| resume.header);
        self.optimization("licm", function, |function| licm::run_around(function, header))?;
        if self.optimization("in_bounds", function, in_bounds::run)? {
            self.optimization("gvn", function, gvn::run)?;
        }
        suspend::run(function, resume);
        self.after("suspend", function)?;
        if let Some(header) = header {
            self.optimization("sink", function, |function| sink::run(function, header))?;
        }
        self.optimization("branch_fold", function, branch_fold::run)?;
        self.optimization("dce", function, dce::run)?;
        Ok(loops)
    }

    fn optimization(
        &mut self,
        name: &'static str,
        function: &mut Function,
        pass: impl FnOnce(&mut Function) -> bool,
    ) -> Result<bool, PassError> {
        let changed = self.options.has(name) && pass(function);
        self.observe(name, function);
        if changed && self.options.verify {
            verify(name, function)?;
        }
        Ok(changed)
    }

    fn after(&mut self, name: &'static str, function: &Function) -> Result<(), PassError> {
        self.observe(name, function);
        if self.options.verify {
            verify(name, function)?;
        }
        Ok(())
    }

    fn observe(&mut self, name: &'static str, function: &Function) {
        if let Some(observe) = &mut self.observe {
            observe(name, function);
        }
    }
}

/// Checks what a pass has made.
fn verify(pass: &'static str, function: &Function) -> Result<(), PassError> {
    pyro_ir::verify::verify(function)
        .map_err(|errors| PassError::Broken { pass, message: format!("{errors}\n{function}") })
}
