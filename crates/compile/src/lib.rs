//! From SPIR-V to something runnable: the order of the steps, and which backend runs the result.
//!
//! [`compile_compute`] takes a module that is decoded and checked once ([`ShaderModule`]), lowers the entry
//! point to the IR, runs the passes, and hands the function to a [`Backend`]. A [`Tracer`] sees the function
//! after every step.
//!
//! [`graphics`] does the same for the stages of graphics, [`ray`] for those of ray tracing, [`ptx`] for
//! kernels in PTX. [`image_functions`] compiles image functions at first use. [`cache`] keeps what was
//! compiled.
//!
//! # Must not know
//! Vulkan objects, command buffers, threads of the engine.
#![deny(unsafe_code)]

mod backend;
pub mod cache;
pub mod data_graph;
mod error;
pub mod graphics;
pub mod image_functions;
mod module;
mod node;
pub mod ptx;
pub mod ray;
pub mod reflect;
mod simd_width;
pub mod strict;
mod subgroup_use;
mod workgroup;

pub use backend::Backend;
pub use error::CompileError;
pub use module::ShaderModule;
pub use node::{compile_node_cached, node_info};
use pyro_abi::kernel::Source;
use pyro_abi::{
    DEFAULT_SUBGROUP_SIZE, Kernel, KernelInfo, PipelineLayout, SUBGROUP_SIZE_MAX, SUBGROUP_SIZE_MIN,
};
use pyro_ir::{Function, SourceLoc};
pub use pyro_lower::METRICS;
pub use pyro_lower::{BlockCost, FragmentInfo, PatchVaryingLayout, VaryingLayout};
use pyro_lower::{Lowered, Shader, StageRequest};
use pyro_passes::pipeline::{self, Safepoints};
pub use pyro_spirv::spirv::ExecutionModel;
pub use pyro_spirv::{Float8, TILE_WORKGROUP};
use pyro_spirv::{Module, SourceLocation, Specialization};
use pyro_validate::{Checked, Diagnostic};
pub use simd_width::instruction_count;
use std::hash::Hash;
use std::sync::Arc;

/// One specialization constant's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecConstant {
    /// `constantID`.
    pub id: u32,
    /// The bytes, little-endian: 1, 2, 4 or 8 of them (booleans: a 4-byte `VkBool32`), else the value is not
    /// used.
    pub bytes: Vec<u8>,
}

/// Which subgroup sizes the caller allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubgroupSize {
    /// The driver's default.
    #[default]
    Default,
    /// Exactly this many lanes.
    Required(u32),
    /// As many lanes where the shader can tell (`VkPipelineShaderStageRequiredSubgroupSizeCreateInfo`);
    /// others run with what suits them.
    Seen(u32),
}

impl SubgroupSize {
    /// Lanes of a subgroup.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] for a size that the device does not support.
    pub fn lanes(self) -> Result<u32, CompileError> {
        match self {
            SubgroupSize::Default => Ok(DEFAULT_SUBGROUP_SIZE),
            SubgroupSize::Required(lanes) | SubgroupSize::Seen(lanes)
                if lanes.is_power_of_two() && (SUBGROUP_SIZE_MIN..=SUBGROUP_SIZE_MAX).contains(&lanes) =>
            {
                Ok(lanes)
            }
            SubgroupSize::Required(lanes) | SubgroupSize::Seen(lanes) => {
                Err(CompileError::Invalid(format!("{lanes} is not a subgroup size of this device")))
            }
        }
    }
}

/// What to compile for a compute pipeline.
#[derive(Clone, Debug)]
pub struct ComputeRequest<'a> {
    /// The module.
    pub module: &'a ShaderModule,
    /// The entry point's name; its execution model is GLCompute.
    pub entry_point: &'a str,
    /// Specialization constants.
    pub specialization: &'a [SpecConstant],
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
}

impl ComputeRequest<'_> {
    /// The module, checked under the request's specialization.
    pub(crate) fn checked(&self) -> Result<Checked, CompileError> {
        self.module.checked(&specialization_of(self.specialization))
    }

    /// What caches know the kernel by that is compiled for a backend.
    pub fn key(&self, backend: Backend) -> impl Hash {
        let ComputeRequest { module, entry_point, specialization, layout, subgroup_size } = *self;
        ("compute", backend, module.digest(), entry_point, specialization, layout, subgroup_size)
    }
}

/// Sees the function after each step, by the step's name.
pub type Tracer<'t> = &'t mut dyn FnMut(&'static str, &Function);

/// Compiles a compute shader for the best backend that the CPU and [`Backend::from_environment`] allow.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_compute(request: &ComputeRequest<'_>) -> Result<Arc<dyn Kernel>, CompileError> {
    compile_compute_for(request, Backend::from_environment(), None)
}

/// Takes a compute shader from a cache, or compiles it for the session's backend.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_compute_cached(
    request: &ComputeRequest<'_>,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let backend = session.backend();
    session.artifact(request.key(backend), || compile_compute_for(request, backend, None))
}

/// A compute shader in the IR, as no pass has seen it yet. Nothing that a shader may have wrong is found
/// later.
pub struct LoweredCompute(Lowered);

impl LoweredCompute {
    /// What is known of the kernel: all but its lanes, its memory and what it costs.
    pub fn info(&self) -> &KernelInfo {
        &self.0.info
    }
}

/// Checks and lowers a compute shader.
///
/// # Errors
/// See [`CompileError`].
pub fn lower_compute(request: &ComputeRequest<'_>, backend: Backend) -> Result<LoweredCompute, CompileError> {
    let shader = Shader {
        checked: &request.checked()?,
        entry_point: request.entry_point,
        layout: request.layout,
        tiles: backend.has_tiles(),
    };
    workgroup::lower(&shader, StageRequest::Compute, request.subgroup_size, backend).map(LoweredCompute)
}

/// Takes a compute shader from a cache, or compiles for the session's backend what [`lower_compute`] gave for
/// the same request.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_lowered_compute(
    request: &ComputeRequest<'_>,
    session: &cache::Session<'_>,
    lowered: LoweredCompute,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let backend = session.backend();
    session.artifact(request.key(backend), || {
        let shader = Shader {
            checked: &request.checked()?,
            entry_point: request.entry_point,
            layout: request.layout,
            tiles: backend.has_tiles(),
        };
        let (size, lowered) = (request.subgroup_size, Some(lowered.0));
        workgroup::compile(&shader, StageRequest::Compute, size, backend, lowered, None)
    })
}

/// Compiles a compute shader for `backend`, showing every step to `tracer`.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_compute_for(
    request: &ComputeRequest<'_>,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let shader = Shader {
        checked: &request.checked()?,
        entry_point: request.entry_point,
        layout: request.layout,
        tiles: backend.has_tiles(),
    };
    workgroup::compile(&shader, StageRequest::Compute, request.subgroup_size, backend, None, tracer)
}

/// The basic blocks of an entry point, by their numbers in what instrumented shaders count, with what each
/// costs.
///
/// # Errors
/// [`CompileError::Invalid`] when the words are no module or have no such entry point.
pub fn instrumented_blocks(
    module: &ShaderModule,
    entry_point: &str,
    models: &[ExecutionModel],
) -> Result<Vec<BlockCost>, CompileError> {
    Ok(pyro_lower::instrumented_blocks(module.module()?, entry_point, models)?)
}

/// The way of a lowered function to a kernel.
fn finish(
    lowered: Lowered,
    backend: Backend,
    tracer: Option<Tracer<'_>>,
    options: pipeline::Options,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let mut tracer = tracer;
    let pipeline::Options { promote_f16, rounds_twice, .. } = backend.pass_options();
    let options = pipeline::Options { promote_f16, rounds_twice, ..options };
    let Finished { function, info, .. } =
        finish_function(lowered.function, lowered.info, None, reborrow(&mut tracer), &options)?;
    backend.make_traced(function, info, &options, tracer)
}

/// What a function was made from, for messages.
struct Origin<'a> {
    /// The shader's name.
    name: &'a str,
    /// A place in the source, as text.
    place: &'a dyn Fn(SourceLoc) -> Option<String>,
}

/// The way of a lowered function to mask form as backends take it. With its origin, the kernel can say in
/// which loop it was stopped.
fn finish_function(
    mut function: Function,
    mut info: KernelInfo,
    origin: Option<Origin<'_>>,
    mut tracer: Option<Tracer<'_>>,
    options: &pipeline::Options,
) -> Result<Finished, CompileError> {
    if let Some(tracer) = &mut tracer {
        tracer("lower", &function);
    }
    let safepoints = if origin.is_some() { Safepoints::Numbered } else { Safepoints::Plain };
    let options = pipeline::Options { safepoints, ..options.clone() };
    let outcome = pipeline::run(&mut function, &options, tracer)?;
    if let Some(Origin { name, place }) = origin {
        // The loops around the shader repeat nothing within a subgroup.
        let repeats = outcome.loops.len() > outcome.outer_loops;
        let subgroup_count = if outcome.is_unrolled { info.subgroup_count() } else { 1 };
        info.subgroup_operations = outcome.instructions.filter(|_| !repeats).map(|all| all / subgroup_count);
        let loops = outcome.loops.into_iter().map(|loc| place(loc).unwrap_or_default()).collect();
        let last = function.insts.values().map(|inst| inst.loc.0).max().unwrap_or(0);
        let numbers = if last == 0 { 0..0 } else { 0..last + 1 };
        let places = numbers.map(|number| place(SourceLoc(number)).unwrap_or_default()).collect();
        info.source = Some(Arc::new(Source { shader: name.to_owned(), loops, places }));
    }
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    Ok(Finished { function, info, is_unrolled: outcome.is_unrolled })
}

/// What runs, and what is known of it.
struct Finished {
    function: Function,
    info: KernelInfo,
    /// The code is that of all subgroups of a workgroup.
    is_unrolled: bool,
}

/// Lends a tracer to one step.
fn reborrow<'t>(tracer: &'t mut Option<Tracer<'_>>) -> Option<Tracer<'t>> {
    match tracer {
        Some(tracer) => Some(&mut **tracer),
        None => None,
    }
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

/// The values of specialization constants. One of a size that no constant has can only be meant for a
/// constant that the module lacks.
fn specialization_of(constants: &[SpecConstant]) -> Specialization {
    let mut given = Specialization::new();
    constants.iter().for_each(|constant| given.set_bytes(constant.id, &constant.bytes));
    given
}
