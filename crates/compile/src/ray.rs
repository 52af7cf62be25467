//! The stages of ray tracing.

use crate::graphics::GraphicsShader;
use crate::{CompileError, Executor, Tracer, cache, finish};
use pyro_abi::{Kernel, PipelineLayout};
use pyro_spirv::spirv::ExecutionModel;
use std::sync::Arc;

/// What to compile for a stage of a ray tracing pipeline.
#[derive(Clone, Copy, Debug, Hash)]
pub struct RayRequest<'a> {
    /// The shader.
    pub shader: &'a GraphicsShader,
    /// Which stage.
    pub model: ExecutionModel,
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
}

/// Compiles a stage. The kernel is called with a `DispatchContext` and a [`RaySubgroup`](pyro_abi::RaySubgroup).
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_ray(
    request: &RayRequest<'_>,
    executor: Executor,
    tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let shader = request.shader.shader(request.layout)?;
    let lowered = pyro_lower::lower_ray(&shader, request.model)?;
    let source = Some((shader.module, shader.entry_point));
    finish(lowered, source, executor, tracer, pyro_passes::pipeline::Options::default())
}

/// Takes a stage from a cache, or compiles it as [`compile_ray`] does.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_ray_cached(
    request: &RayRequest<'_>,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let executor = Executor::from_environment();
    session.artifact(("ray", executor, request), || compile_ray(request, executor, None))
}
