//! From SPIR-V to something runnable: the order of the steps, and which executor runs the result.
//!
//! [`compile_compute`] decodes the words, checks the module, lowers the entry point to the IR, runs the passes, and hands the
//! function to an executor ([`executor`]). A [`Tracer`] sees the function after every step.
//!
//! [`graphics`] does the same for vertex and fragment stages. [`texture`] compiles image functions at first use.
#![deny(unsafe_code)]

pub mod cache;
mod error;
mod executor;
pub mod graphics;
pub mod reflect;
pub mod texture;
mod width;

pub use error::CompileError;
pub use executor::Executor;
use pyro_abi::kernel::Source;
use pyro_abi::{
    DEFAULT_SUBGROUP_SIZE, Kernel, KernelInfo, MAX_SUBGROUP_SIZE, MIN_SUBGROUP_SIZE, PipelineLayout,
};
use pyro_ir::{Function, Opcode, SourceLoc};
use pyro_lower::Lowered;
pub use pyro_lower::{FragmentFacts, VertexOutputs};
use pyro_spirv::{Module, SourceLocation, Specialization};
use pyro_validate::{Diagnostic, Environment};
use std::sync::Arc;

/// One specialization constant's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecConstant {
    /// `constantID`.
    pub id: u32,
    /// The bytes, little-endian: 1, 2, 4 or 8 of them (booleans: a 4-byte `VkBool32`), else the value is not used.
    pub bytes: Vec<u8>,
}

/// Which subgroup sizes the caller allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubgroupSize {
    /// The driver's default.
    #[default]
    Default,
    /// Exactly this many lanes (`VkPipelineShaderStageRequiredSubgroupSizeCreateInfo`).
    Required(u32),
}

impl SubgroupSize {
    /// Lanes of a subgroup.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] for a size that there is not.
    pub fn lanes(self) -> Result<u32, CompileError> {
        match self {
            SubgroupSize::Default => Ok(DEFAULT_SUBGROUP_SIZE),
            SubgroupSize::Required(lanes)
                if lanes.is_power_of_two() && (MIN_SUBGROUP_SIZE..=MAX_SUBGROUP_SIZE).contains(&lanes) =>
            {
                Ok(lanes)
            }
            SubgroupSize::Required(lanes) => {
                Err(CompileError::Invalid(format!("{lanes} is no subgroup size of this device")))
            }
        }
    }
}

/// What to compile for a compute pipeline.
#[derive(Clone, Debug)]
pub struct ComputeRequest<'a> {
    /// The module's words.
    pub words: &'a [u32],
    /// The entry point's name; its execution model is GLCompute.
    pub entry_point: &'a str,
    /// Specialization constants.
    pub specialization: &'a [SpecConstant],
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
}

/// Sees the function after each step, by the step's name.
pub type Tracer<'t> = &'t mut dyn FnMut(&'static str, &Function);

/// Compiles a compute shader for the best executor that the CPU and [`Executor::from_environment`] allow.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_compute(request: &ComputeRequest<'_>) -> Result<Arc<dyn Kernel>, CompileError> {
    compile_compute_for(request, Executor::from_environment(), None)
}

/// Takes a compute shader from a cache, or compiles it as [`compile_compute`] does. `digest` stands for the words.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_compute_cached(
    request: &ComputeRequest<'_>,
    digest: cache::Digest,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let executor = Executor::from_environment();
    let ComputeRequest { words: _, entry_point, specialization, layout, subgroup_size } = request;
    let key = ("compute", executor, digest, entry_point, specialization, layout, subgroup_size);
    session.artifact(key, || compile_compute_for(request, executor, None))
}

/// Compiles a compute shader for `executor`, showing every step to `tracer`.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_compute_for(
    request: &ComputeRequest<'_>,
    executor: Executor,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let lanes = request.subgroup_size.lanes()?;
    let module = Module::decode(request.words).map_err(|error| CompileError::Invalid(error.to_string()))?;
    let specialization = request.specialization.iter().filter_map(bits_of).collect::<Specialization>();
    let environment = Environment { specialization: specialization.clone(), ..Environment::default() };
    pyro_validate::validate(&module, &environment).map_err(rejected)?;
    let compute = Compute { module: &module, request, specialization: &specialization };
    let is_free = request.subgroup_size == SubgroupSize::Default;
    let range = width::range(&module, request.layout, executor);
    let mut lanes = if is_free { range.first } else { lanes };
    loop {
        let (function, info) = compute.function(lanes, None)?;
        let better = if is_free { width::for_function(&function) } else { None };
        if let Some(better) = better {
            lanes = better;
            continue;
        }
        lanes = function.lanes;
        let narrower = width::narrower(lanes, range).filter(|_| is_free);
        if let Some(better) = narrower
            && width::is_crowded(&function, executor)
        {
            lanes = better;
            continue;
        }
        let kernel = executor.make(function, info)?;
        match narrower.filter(|_| width::spills(&*kernel)) {
            Some(better) => lanes = better,
            None => {
                if let Some(tracer) = tracer {
                    // Only what was chosen is shown.
                    compute.function(lanes, Some(tracer))?;
                }
                return Ok(kernel);
            }
        }
    }
}

/// A checked compute shader.
struct Compute<'a> {
    module: &'a Module,
    request: &'a ComputeRequest<'a>,
    specialization: &'a Specialization,
}

impl Compute<'_> {
    /// The finished function with this many lanes; with fewer, where the size is free and subgroups would be partly
    /// filled.
    fn function(
        &self,
        lanes: u32,
        tracer: Option<Tracer<'_>>,
    ) -> Result<(Function, KernelInfo), CompileError> {
        let ComputeRequest { entry_point, layout, .. } = *self.request;
        let mut lanes = lanes;
        let lower =
            |lanes| pyro_lower::lower_compute(self.module, entry_point, self.specialization, layout, lanes);
        let mut lowered = lower(lanes)?;
        let fitting = width::widest(lowered.info.invocation_count(), lanes);
        if self.request.subgroup_size == SubgroupSize::Default && fitting < lanes {
            lanes = fitting;
            lowered = lower(lanes)?;
        }
        let info = &mut lowered.info;
        info.loops_over_workgroups = true;
        let options = pyro_passes::pipeline::Options {
            full_subgroups: info.invocation_count().is_multiple_of(lanes),
            grid: Some(pyro_passes::grid::Grid {
                subgroup_count: info.subgroup_count(),
                last_lanes: info.active_lanes(info.subgroup_count() - 1),
            }),
            ..pyro_passes::pipeline::Options::default()
        };
        finish_function(lowered, Some((self.module, entry_point)), tracer, options)
    }
}

/// The way of a lowered function to a kernel.
fn finish(
    lowered: Lowered,
    source: Option<(&Module, &str)>,
    executor: Executor,
    tracer: Option<Tracer<'_>>,
    options: pyro_passes::pipeline::Options,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let (function, info) = finish_function(lowered, source, tracer, options)?;
    executor.make(function, info)
}

/// The way of a lowered function to mask form as executors take it. With the module and its entry point's name, the
/// kernel can say in which loop it was stopped.
fn finish_function(
    lowered: Lowered,
    source: Option<(&Module, &str)>,
    mut tracer: Option<Tracer<'_>>,
    options: pyro_passes::pipeline::Options,
) -> Result<(Function, KernelInfo), CompileError> {
    let (mut function, mut info) = (lowered.function, lowered.info);
    if let Some(tracer) = &mut tracer {
        tracer("lower", &function);
    }
    let around = match &mut tracer {
        Some(tracer) => pyro_passes::pipeline::run(&mut function, &options, Some(&mut **tracer)),
        None => pyro_passes::pipeline::run(&mut function, &options, None),
    }?;
    match source {
        Some((module, entry_point)) => {
            let operations = operation_count(&function);
            let loops = pyro_passes::poll::run_numbered(&mut function);
            // The loops around the shader repeat nothing within a subgroup.
            let repeats = loops.len() > around;
            info.subgroup_operations = operations.filter(|_| !repeats);
            let place = |loc: SourceLoc| place_text(module, *lowered.locations.get(loc.0 as usize)?);
            let loops = loops.into_iter().map(|loc| place(loc).unwrap_or_default()).collect();
            info.source = Some(Arc::new(Source { shader: entry_point.to_owned(), loops }));
        }
        None => drop(pyro_passes::poll::run(&mut function)),
    }
    if let Some(tracer) = &mut tracer {
        tracer("poll", &function);
    }
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    Ok((function, info))
}

/// How many operations there are, unless some call what is not part of the function.
fn operation_count(function: &Function) -> Option<u32> {
    let mut all = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    all.try_fold(0u32, |count, &inst| {
        let calls = matches!(function.insts[inst].op, Opcode::Call | Opcode::SlotCall);
        (!calls).then(|| count.saturating_add(1))
    })
}

/// File and line.
fn place_text(module: &Module, location: Option<SourceLocation>) -> Option<String> {
    let location = location?;
    Some(match module.source_file(location.source) {
        Some(file) => format!("{file}:{}", location.line),
        None => format!("line {}", location.line),
    })
}

/// The error of a module that breaks rules: the first few of them.
fn rejected(diagnostics: Vec<Diagnostic>) -> CompileError {
    const SHOWN: usize = 5;
    let mut lines: Vec<String> = diagnostics.iter().take(SHOWN).map(ToString::to_string).collect();
    if diagnostics.len() > SHOWN {
        lines.push(format!("and {} more", diagnostics.len() - SHOWN));
    }
    CompileError::Invalid(lines.join("; "))
}

/// A specialization constant's identifier and bits; none for a value of a size that no constant has, which can only be
/// meant for a constant that the module lacks.
fn bits_of(constant: &SpecConstant) -> Option<(u32, u64)> {
    let mut bytes = [0; 8];
    let low = bytes.get_mut(..constant.bytes.len())?;
    if !matches!(low.len(), 1 | 2 | 4 | 8) {
        return None;
    }
    low.copy_from_slice(&constant.bytes);
    Some((constant.id, u64::from_le_bytes(bytes)))
}
