//! PTX kernels to something runnable.

use crate::{Backend, CompileError, Finished, Origin, Tracer, cache, finish_function, reborrow};
use pyro_abi::Kernel;
use pyro_ptx::{Launch, Lowered, Module};
use std::sync::Arc;

/// What to compile for the launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelRequest<'a> {
    /// The text that has been read.
    pub module: &'a Module,
    /// The kernel's name.
    pub kernel: &'a str,
    /// How it is launched.
    pub launch: Launch,
}

/// Takes a kernel from a cache, or compiles it for the session's backend.
/// `digest` stands for the text.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_kernel_cached(
    request: &KernelRequest<'_>,
    digest: cache::Digest,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let backend = session.backend();
    let KernelRequest { module: _, kernel, launch } = request;
    session.artifact(("ptx", backend, digest, kernel, launch), || compile_kernel_for(request, backend, None))
}

/// Compiles a kernel for `backend`, showing every step to `tracer`. Its push constants are what [`pyro_ptx`]
/// says.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_kernel_for(
    request: &KernelRequest<'_>,
    backend: Backend,
    mut tracer: Option<Tracer<'_>>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let Lowered { function, mut info, .. } =
        pyro_ptx::lower(request.module, request.kernel, &request.launch)?;
    info.loops_over_workgroups = true;
    let options = pyro_passes::pipeline::Options {
        full_subgroups: info.invocation_count().is_multiple_of(info.subgroup_size),
        workgroup_loop: Some(pyro_passes::workgroup_loop::WorkgroupShape {
            subgroup_count: info.subgroup_count(),
            last_lanes: info.active_lanes(info.subgroup_count() - 1),
        }),
        ..backend.pass_options()
    };
    let place = |loc: pyro_ir::SourceLoc| (loc.0 != 0).then(|| format!("line {}", loc.0));
    let origin = Origin { name: request.kernel, place: &place };
    let Finished { function, info, .. } =
        finish_function(function, info, Some(origin), reborrow(&mut tracer), &options)?;
    backend.make_traced(function, info, &options, tracer)
}
