//! Nodes of execution graphs.

use crate::{CompileError, ComputeRequest, cache, workgroup};
use pyro_abi::Kernel;
use pyro_abi::node::{NodeInfo, NodeNames};
use pyro_lower::{Shader, StageRequest};
use std::sync::Arc;

/// What a driver must know of a node before its graph is made. `is_mesh`: the shader is a mesh shader.
///
/// # Errors
/// [`CompileError::Invalid`] when there is no such entry point, or the module is not valid.
pub fn node_info(request: &ComputeRequest<'_>, is_mesh: bool) -> Result<NodeInfo, CompileError> {
    Ok(pyro_lower::node_info(&request.checked()?, request.entry_point, is_mesh)?)
}

/// Takes a node of a graph of these nodes from a cache, or compiles it. The kernel runs workgroups whose
/// memory begins with a [`pyro_abi::node::NodeWorkgroup`].
///
/// # Errors
/// See [`CompileError`].
pub fn compile_node_cached(
    request: &ComputeRequest<'_>,
    nodes: &NodeNames,
    session: &cache::Session<'_>,
) -> Result<Arc<dyn Kernel>, CompileError> {
    let backend = session.backend();
    let ComputeRequest { module, entry_point, specialization, layout, subgroup_size } = *request;
    let key = ("node", backend, module.digest(), (entry_point, specialization, layout, subgroup_size), nodes);
    session.artifact(key, || {
        let shader = Shader { checked: &request.checked()?, entry_point, layout, tiles: false };
        workgroup::compile(&shader, StageRequest::Node(nodes), subgroup_size, backend, None, None)
    })
}
