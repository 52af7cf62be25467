//! The list of passes: everything that happens to a function between lowering and an executor.
//!
//! ```text
//! lower ─▶ lane ─▶ mask ─▶ safepoints ─▶ (interpreter)
//!                                     └▶ target ─▶ (instruction selection)
//! ```
//!
//! Each step is one method of `Pipeline` that reads top to bottom: `lane`, `linearize`, `mask`, `safepoints`
//! ([`run`]) and `target` ([`run_for_target`], once it is known that the function becomes machine code). Each
//! pass is followed by the observer and, with [`Options::verify`], by the verifier, so whatever a pass breaks
//! is reported with its name.
//!
//! Must not know: SPIR-V, Vulkan, x86-64. What a processor is good at comes in as [`Target`].

use crate::barrier_loop::{self, Resume};
use crate::block_loop::{self, BlockList};
use crate::quad_loop::{self, QuadList};
use crate::target::{
    RareBlocks, Target, access_group, access_merge, affine_guard, atomic_scan, biased_conversion,
    bounds_group, branch_sink, distance_guard, dot_product, double_quotient, exact_product, flatten,
    interior, list_schedule, load_sink, quad_loads, row_guard, software_pipeline, spread_halves,
    srgb_formula, uniform_atomic, word_splat,
};
use crate::workgroup_loop::{self, WorkgroupShape};
use crate::workgroup_unroll;
use crate::{
    PassError, barrier_elim, barrier_order, bounds_check_elim, branch_fold, constant_params, constant_table,
    contract, coroutine_split, dce, first_subgroup, gvn, hoist_pow2_scale, induction_split, lerp, licm,
    linearize, load_combine, lower_slots, promote_f16, range_fold, report_lowering, round_twice, safepoint,
    scalar_promotion, sink, sroa, track_lowering, unmasked_loop, unroll,
};
use pyro_ir::{Block, Function, Opcode, SourceLoc, Terminator};
use pyro_util::{budget, steps};

/// Called with a pass's name and the function after it, whether or not the pass changed it.
pub type Observer<'a> = &'a mut dyn FnMut(&'static str, &Function);

/// Which passes run. The passes that make mask form always do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// All lanes of every subgroup hold an invocation (the workgroup size is a multiple of the lanes).
    pub full_subgroups: bool,
    /// Make the shader loop over workgroups; see [`workgroup_loop`] and, for shaders with barriers,
    /// [`barrier_loop`].
    pub workgroup_loop: Option<WorkgroupShape>,
    /// Make the fragment function loop over blocks of pixels; see [`block_loop`].
    pub block_loop: Option<BlockList>,
    /// Make the fragment function loop over subgroups of quads; see [`quad_loop`].
    pub quad_loop: Option<QuadList>,
    /// Compute half-precision operations in single precision: see [`promote_f16`].
    pub promote_f16: bool,
    /// Round the products of sums, too, where a shader leaves it open: see [`round_twice`].
    pub rounds_twice: bool,
    /// What to add to the loops' back edges.
    pub safepoints: Safepoints,
    /// Optimisations left out, by name; see [`OPTIMIZATIONS`].
    pub disabled: Vec<&'static str>,
    /// No optimisation at all.
    pub disable_all: bool,
    /// The verifier runs after each pass.
    pub verify: bool,
}

/// Which polls of the abort flag [`safepoint`] adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Safepoints {
    /// None.
    #[default]
    Omitted,
    /// One for each loop.
    Plain,
    /// One for each loop, which records the number of the loop that was stopped.
    Numbered,
}

/// The names of the optimisations that [`Options::disabled`] knows.
pub const OPTIMIZATIONS: &[&str] = &[
    "sroa",
    "gvn",
    "branch_fold",
    "dce",
    "constant_params",
    "unroll",
    "barrier_elim",
    "barrier_order",
    "constant_table",
    "load_combine",
    "licm",
    "scalar_promotion",
    "contract",
    "lerp",
    "hoist_pow2_scale",
    "induction_split",
    "unmasked_loop",
    "workgroup_unroll",
    "first_subgroup",
    "narrow_loads",
    "range_fold",
    "bounds_check_elim",
    "sink",
    "srgb_formula",
    "interior",
    "flatten",
    "affine_guard",
    "bounds_group",
    "distance_guard",
    "row_guard",
    "quad_loads",
    "uniform_atomic",
    "branch_sink",
    "atomic_scan",
    "access_group",
    "access_merge",
    "spread_halves",
    "word_splat",
    "biased_conversion",
    "dot_product",
    "exact_product",
    "double_quotient",
    "software_pipeline",
    "load_sink",
    "list_schedule",
];

/// Nested loops are unrolled from the inside out, this many levels.
const UNROLL_ROUNDS: u32 = 4;

/// The same of what loops keep in memory.
const PROMOTION_ROUNDS: u32 = 3;

/// The same of induction variables.
const INDUCTION_ROUNDS: u32 = 3;

#[allow(clippy::derivable_impls)] // `verify` follows the build profile
impl Default for Options {
    fn default() -> Options {
        Options {
            full_subgroups: false,
            workgroup_loop: None,
            block_loop: None,
            quad_loop: None,
            promote_f16: false,
            rounds_twice: false,
            safepoints: Safepoints::Omitted,
            disabled: Vec::new(),
            disable_all: false,
            verify: cfg!(debug_assertions) || pyro_util::config::get().verify,
        }
    }
}

/// What is known about a function after [`run`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Loops that the pipeline wrapped around the shader: see [`Options::workgroup_loop`].
    pub outer_loops: usize,
    /// The code of the innermost of these is that of all subgroups of a workgroup.
    pub is_unrolled: bool,
    /// Where the loops with numbered safepoints are, in the order of their numbers (from 1).
    pub loops: Vec<SourceLoc>,
    /// Instructions before safepoints were added; `None` when some of them call other functions.
    pub instructions: Option<u32>,
}

/// Turns a lowered function in lane form into mask form, which the interpreter runs.
///
/// The thread's budget ([`budget`]) is looked at before each pass.
///
/// # Errors
/// See [`PassError`].
pub fn run(
    function: &mut Function,
    options: &Options,
    observe: Option<Observer<'_>>,
) -> Result<Outcome, PassError> {
    let mut pipeline = Pipeline { function, options, observe };
    let last_first = pipeline.lane()?;
    pipeline.linearize()?;
    let (outer_loops, is_unrolled) = pipeline.mask(last_first)?;
    let instructions = instruction_count(pipeline.function);
    let loops = pipeline.safepoints()?;
    Ok(Outcome { outer_loops, is_unrolled, loops, instructions })
}

/// Rewrites a function that [`run`] has finished for machine code of `target`: same results, other
/// instructions.
///
/// # Errors
/// See [`PassError`].
pub fn run_for_target(
    function: &mut Function,
    target: Target,
    options: &Options,
    observe: Option<Observer<'_>>,
) -> Result<(), PassError> {
    Pipeline { function, options, observe }.target(target)
}

struct Pipeline<'f, 'o, 'h> {
    function: &'f mut Function,
    options: &'o Options,
    observe: Option<Observer<'h>>,
}

impl Pipeline<'_, '_, '_> {
    /// Returns whether the last subgroup comes first between barriers.
    fn lane(&mut self) -> Result<bool, PassError> {
        let mut last_first = false;
        if self.options.rounds_twice {
            self.required("round_twice", |function| _ = round_twice::run(function))?;
        }
        self.clean_lane()?;
        if self.opt("constant_params", constant_params::run)? {
            self.clean_lane()?;
        }
        // Copies of loop bodies have constant indices: there is more to promote and to fold.
        let subgroup_count = self.options.workgroup_loop.map(|shape| shape.subgroup_count);
        let unroll = |function: &mut Function| unroll::run_in_workgroup(function, subgroup_count);
        for _ in 0..UNROLL_ROUNDS {
            if !self.opt("unroll", unroll)? {
                break;
            }
            self.clean_lane()?;
        }
        if let Some(shape) = self.options.workgroup_loop {
            self.opt("barrier_elim", |function| barrier_elim::run(function, shape.subgroup_count))?;
            self.opt("barrier_order", |function| {
                let outcome = barrier_order::run(function, shape.subgroup_count);
                last_first = outcome.last_first;
                outcome.changed
            })?;
        }
        let tables = self.opt("constant_table", constant_table::run)?;
        let loads = self.opt("load_combine", load_combine::run)?;
        if tables || loads {
            self.clean_lane()?;
        }
        self.opt("licm", licm::run)?;
        for _ in 0..PROMOTION_ROUNDS {
            if !self.opt("scalar_promotion", scalar_promotion::run)? {
                break;
            }
            self.clean_lane()?;
            self.opt("licm", licm::run)?;
        }
        if !self.options.rounds_twice {
            self.opt("contract", contract::run)?;
        }
        self.opt("lerp", lerp::run)?;
        self.opt("hoist_pow2_scale", hoist_pow2_scale::run)?;
        self.opt("dce", dce::run)?;
        Ok(last_first)
    }

    fn clean_lane(&mut self) -> Result<(), PassError> {
        self.opt("sroa", sroa::run)?;
        self.opt("gvn", gvn::run)?;
        self.opt("branch_fold", branch_fold::run)?;
        self.opt("dce", dce::run)?;
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), PassError> {
        steps::begin("lower_slots");
        lower_slots::run(self.function)?;
        self.after("lower_slots")?;
        let full_subgroups = self.options.full_subgroups;
        self.required("linearize", |function| linearize::run(function, full_subgroups))
    }

    /// Returns the number of loops made around the shader, and whether subgroups are unrolled.
    fn mask(&mut self, last_first: bool) -> Result<(usize, bool), PassError> {
        let is_unrolled = self.unroll_workgroup(last_first)?;
        let (outer_loops, resume) = match is_unrolled {
            true => (workgroup_unroll::LOOPS, None),
            false => self.outer_loop(last_first)?,
        };
        if self.options.promote_f16 {
            self.required("promote_f16", |function| _ = promote_f16::run(function))?;
        }
        self.opt("branch_fold", branch_fold::run)?;
        self.opt("gvn", gvn::run)?;
        self.opt("branch_fold", branch_fold::run)?;
        self.opt("dce", dce::run)?;
        // What an outer loop adds is seen once the inner one's variable is split.
        for _ in 0..INDUCTION_ROUNDS {
            if !self.opt("induction_split", induction_split::run)? {
                break;
            }
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        if self.opt("unmasked_loop", unmasked_loop::run)? {
            self.opt("gvn", gvn::run)?;
            self.opt("branch_fold", branch_fold::run)?;
            self.opt("dce", dce::run)?;
        }
        if let (Some(resume), Some(shape)) = (resume, self.options.workgroup_loop) {
            let pass = |function: &mut Function| {
                first_subgroup::run(function, resume.subgroup, shape.subgroup_count)
            };
            if self.opt("first_subgroup", pass)? {
                self.opt("gvn", gvn::run)?;
                self.opt("dce", dce::run)?;
            }
        }
        // What operations alone say is known; only branches of the shader, and subgroups' numbers, say more.
        let fold = |function: &mut Function| {
            (is_unrolled || branch_count(function) > outer_loops) && range_fold::run(function)
        };
        if self.opt("range_fold", fold)? {
            self.opt("branch_fold", branch_fold::run)?;
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        if resume.is_some() {
            self.opt("narrow_loads", first_subgroup::narrow)?;
        }
        let header = resume.map(|resume| resume.header);
        self.opt("licm", |function| licm::run_around(function, header))?;
        if self.opt("bounds_check_elim", bounds_check_elim::run)? {
            self.opt("gvn", gvn::run)?;
        }
        let mut tracks = false;
        self.required("track_lowering", |function| tracks = track_lowering::run(function))?;
        if tracks {
            self.opt("gvn", gvn::run)?;
            self.opt("licm", |function| licm::run_around(function, header))?;
            self.opt("dce", dce::run)?;
        }
        self.required("report_lowering", |function| _ = report_lowering::run(function))?;
        self.required("coroutine_split", |function| coroutine_split::run(function, resume))?;
        if let Some(header) = header {
            self.opt("sink", |function| sink::run(function, header))?;
        }
        self.opt("branch_fold", branch_fold::run)?;
        self.opt("dce", dce::run)?;
        Ok((outer_loops, is_unrolled))
    }

    /// Takes a shader with barriers apart where that suits it: see [`workgroup_unroll`].
    fn unroll_workgroup(&mut self, last_first: bool) -> Result<bool, PassError> {
        let Some(shape) = self.options.workgroup_loop else { return Ok(false) };
        if !workgroup_unroll::is_candidate(self.function, shape) {
            return Ok(false);
        }
        self.opt("branch_fold", branch_fold::run)?;
        self.opt("gvn", gvn::run)?;
        self.opt("branch_fold", branch_fold::run)?;
        self.opt("dce", dce::run)?;
        self.opt("workgroup_unroll", |function| {
            let fits =
                workgroup_unroll::is_candidate(function, shape) && workgroup_unroll::fits(function, shape);
            if fits {
                workgroup_unroll::run(function, shape, last_first);
            }
            fits
        })
    }

    /// Makes the shader the body of the loops that its caller asked for. Returns how many loops over
    /// workgroups and barriers these are, and where a shader with barriers resumes.
    fn outer_loop(&mut self, last_first: bool) -> Result<(usize, Option<Resume>), PassError> {
        let (mut outer_loops, mut resume) = (0, None);
        if let Some(shape) = self.options.workgroup_loop {
            if coroutine_split::suspends(self.function) {
                outer_loops = barrier_loop::LOOPS;
                self.required("barrier_loop", |function| {
                    resume = Some(barrier_loop::run(function, shape, last_first));
                })?;
            } else {
                outer_loops = 1;
                self.required("workgroup_loop", |function| workgroup_loop::run(function, shape, last_first))?;
            }
        }
        if let Some(list) = self.options.block_loop {
            self.required("block_loop", |function| block_loop::run(function, list))?;
        }
        if let Some(list) = self.options.quad_loop {
            self.required("quad_loop", |function| quad_loop::run(function, list))?;
        }
        Ok((outer_loops, resume))
    }

    fn safepoints(&mut self) -> Result<Vec<SourceLoc>, PassError> {
        let mut loops = Vec::new();
        match self.options.safepoints {
            Safepoints::Omitted => return Ok(loops),
            Safepoints::Plain => self.required("safepoint", |function| _ = safepoint::run(function))?,
            Safepoints::Numbered => {
                self.required("safepoint", |function| loops = safepoint::run_numbered(function))?;
            }
        }
        Ok(loops)
    }

    fn target(&mut self, target: Target) -> Result<(), PassError> {
        if self.opt("srgb_formula", |function| srgb_formula::run(function, target))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        let mut rare = RareBlocks::default();
        if self.opt("interior", |function| interior::run(function, &mut rare))? {
            self.opt("gvn", gvn::run)?;
            self.opt("branch_fold", branch_fold::run)?;
            self.opt("dce", dce::run)?;
        }
        if self.opt("flatten", |function| flatten::run(function, target))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        let mut asked = false;
        for (name, pass) in [
            ("affine_guard", affine_guard::run as fn(&mut Function, &RareBlocks) -> bool),
            ("bounds_group", bounds_group::run),
            ("uniform_atomic", |function, _| uniform_atomic::run(function)),
        ] {
            if self.opt(name, |function| pass(function, &rare))? {
                self.opt("gvn", gvn::run)?;
                self.opt("dce", dce::run)?;
                asked = true;
            }
        }
        if asked && self.opt("licm", licm::run_uniform)? {
            self.opt("dce", dce::run)?;
        }
        if self.opt("distance_guard", |function| distance_guard::run(function, target, &rare))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        if self.opt("row_guard", |function| row_guard::run(function, &rare))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
            asked = true;
        }
        if asked {
            self.opt("branch_sink", branch_sink::run)?;
        }
        if self.opt("atomic_scan", |function| atomic_scan::run(function, target))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        if self.opt("quad_loads", |function| quad_loads::run(function, target))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        let grouped = self.opt("access_group", |function| access_group::run(function, &rare))?;
        let merged = self.opt("access_merge", access_merge::run)?;
        let spread = self.opt("spread_halves", |function| spread_halves::run(function, target))?;
        let splat = self.opt("word_splat", |function| word_splat::run(function, target))?;
        if grouped || merged || spread || splat {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        if self.opt("biased_conversion", |function| biased_conversion::run(function, target))? {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        self.opt("dot_product", |function| dot_product::run(function, target))?;
        let exact = self.opt("exact_product", |function| exact_product::run(function, target))?;
        if self.opt("double_quotient", |function| double_quotient::run(function, target))? || exact {
            self.opt("gvn", gvn::run)?;
            self.opt("dce", dce::run)?;
        }
        if self.opt("software_pipeline", |function| software_pipeline::run(function, target))? {
            self.opt("dce", dce::run)?;
        }
        self.opt("load_sink", |function| load_sink::run(function, target))?;
        self.opt("list_schedule", |function| list_schedule::run(function, target))?;
        Ok(())
    }

    /// Runs an optimisation, unless the options leave it out. Returns whether it changed the function.
    fn opt(
        &mut self,
        name: &'static str,
        pass: impl FnOnce(&mut Function) -> bool,
    ) -> Result<bool, PassError> {
        budget::check().map_err(PassError::Budget)?;
        let enabled = !self.options.disable_all && !self.options.disabled.contains(&name);
        steps::begin(name);
        let changed = enabled && pass(self.function);
        self.observe(name);
        if changed {
            self.verify(name)?;
        }
        Ok(changed)
    }

    /// Runs a pass that executors or later passes depend on.
    fn required(&mut self, name: &'static str, pass: impl FnOnce(&mut Function)) -> Result<(), PassError> {
        budget::check().map_err(PassError::Budget)?;
        steps::begin(name);
        pass(self.function);
        self.after(name)
    }

    fn after(&mut self, name: &'static str) -> Result<(), PassError> {
        self.observe(name);
        self.verify(name)
    }

    fn observe(&mut self, name: &'static str) {
        if let Some(observe) = &mut self.observe {
            observe(name, self.function);
        }
    }

    fn verify(&self, pass: &'static str) -> Result<(), PassError> {
        if !self.options.verify {
            return Ok(());
        }
        pyro_ir::verify::verify(self.function)
            .map_err(|errors| PassError::Broken { pass, message: format!("{errors}\n{}", self.function) })
    }
}

/// The number of branches.
fn branch_count(function: &Function) -> usize {
    let branches = |&&block: &&Block| matches!(function.blocks[block].terminator, Terminator::Branch { .. });
    function.block_order.iter().filter(branches).count()
}

/// The number of instructions, unless some call what is not part of the function.
fn instruction_count(function: &Function) -> Option<u32> {
    let mut all = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    all.try_fold(0u32, |count, &inst| {
        let calls = matches!(function.insts[inst].op, Opcode::Call | Opcode::SlotCall);
        (!calls).then(|| count.saturating_add(1))
    })
}
