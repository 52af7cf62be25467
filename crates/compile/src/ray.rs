//! The stages of ray tracing.

use crate::graphics::GraphicsShader;
use crate::{Backend, CompileError, Finished, Origin, Tracer, cache, finish_function, place_text, reborrow};
use pyro_abi::{Kernel, PipelineLayout};
use pyro_ir::SourceLoc;
use pyro_lower::{Lowered, StageRequest};
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

/// Compiles a stage. The kernel is called with a `DispatchContext` and a
/// [`RaySubgroup`](pyro_abi::RaySubgroup).
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_ray(
    request: &RayRequest<'_>,
    backend: Backend,
    mut tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let checked = request.shader.checked()?;
    let shader = request.shader.shader(&checked, request.layout);
    let lowered =
        pyro_lower::lower(&shader, pyro_abi::raytrace::RAY_LANES as u32, &StageRequest::Ray(request.model))?;
    let Lowered { function, info, locations, .. } = lowered;
    let place = |loc: SourceLoc| place_text(shader.checked, locations.source(loc));
    let origin = Origin { name: shader.entry_point, place: &place };
    let options = backend.pass_options();
    let Finished { function, info, .. } =
        finish_function(function, info, Some(origin), reborrow(&mut tracer), &options)?;
    backend.make_traced(function, info, &options, tracer)
}

/// Takes a stage from a cache, or compiles it as [`compile_ray`] does.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_ray_cached(
    request: &RayRequest<'_>,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let backend = session.backend();
    session.artifact(("ray", backend, request), || compile_ray(request, backend, None))
}
