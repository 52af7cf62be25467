//! Nodes of execution graphs.

use crate::{Backend, CompileError, ComputeRequest, bits_of, cache, rejected, workgroup};
use pyro_abi::Kernel;
use pyro_abi::node::{NodeInfo, NodeNames};
use pyro_spirv::{Module, Specialization};
use pyro_validate::Environment;
use std::sync::Arc;

/// Checks a node's module and says what there is to know of it. `is_mesh`: it is a mesh shader.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn node_info(request: &ComputeRequest<'_>, is_mesh: bool) -> Result<NodeInfo, CompileError> {
    let (module, specialization) = checked(request)?;
    Ok(pyro_lower::node_info(&module, request.entry_point, &specialization, is_mesh)?)
}

fn checked(request: &ComputeRequest<'_>) -> Result<(Module, Specialization), CompileError> {
    let module = Module::decode(request.words).map_err(|error| CompileError::Invalid(error.to_string()))?;
    let specialization = request.specialization.iter().filter_map(bits_of).collect::<Specialization>();
    let environment = Environment { specialization: specialization.clone(), ..Environment::default() };
    pyro_validate::check(&module, &environment).map_err(rejected)?;
    Ok((module, specialization))
}

/// Takes a node from a cache or compiles it, as a part of a graph of these nodes. `digest` stands for the words. The kernel runs
/// workgroups whose memory begins with a [`pyro_abi::node::NodeWorkgroup`].
///
/// # Errors
/// See [`CompileError`].
pub fn compile_node_cached(
    request: &ComputeRequest<'_>,
    nodes: &NodeNames,
    digest: cache::Digest,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let backend = Backend::from_environment();
    let ComputeRequest { words: _, entry_point, specialization, layout, subgroup_size } = *request;
    let key = ("node", backend, digest, (entry_point, specialization, layout, subgroup_size), nodes);
    session.artifact(key, || {
        let (module, specialization) = checked(request)?;
        let lower =
            |lanes| pyro_lower::lower_node(&module, entry_point, &specialization, layout, lanes, nodes);
        let shader = workgroup::Shader { module: &module, entry_point, layout, subgroup_size, lower: &lower };
        shader.compile(backend, None)
    })
}
