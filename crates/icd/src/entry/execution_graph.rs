//! Execution graphs: `VK_AMDX_shader_enqueue`.

use crate::call::recording::record;
use crate::call::{find, guard, slice, string};
use crate::entry::pipeline::{
    PipelineCreateInfo, create_flags, create_pipelines, old_flags, shader_options, shader_stage,
};
use crate::entry::tools;
use crate::handle;
use crate::pointers::Out;
use crate::registry::CommandId;
use pyro_abi::ShaderOptions;
use pyro_driver::cache::PipelineCache;
use pyro_driver::device::Device;
use pyro_driver::execution_graph::{
    GraphDispatch, GraphLibrary, GraphPipeline, NodeShader, NodeStage, SCRATCH_BYTES,
};
use pyro_driver::pipeline::{Pipeline, PipelineKind, PipelineLayout};
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// A stage as a node of graphs.
///
/// # Safety
/// `stage` is valid, with its chain and all that it points to (`VkPipelineShaderStageCreateInfo`, "Valid
/// Usage").
unsafe fn node_stage(
    device: &Device,
    stage: &vk::PipelineShaderStageCreateInfo,
    flags: vk::PipelineCreateFlags2,
) -> Result<NodeStage> {
    if stage.stage != vk::ShaderStageFlags::COMPUTE {
        return Err(Error::misuse(
            "the stage of a node is not a compute shader (VUID-VkExecutionGraphPipelineCreateInfoAMDX-stage-09128)",
        ));
    }
    // Blocks are counted by command and stage, of which graphs have many shaders.
    let options = ShaderOptions { instrumented: false, ..shader_options(flags) };
    // SAFETY: `stage` is valid by the contract of this function, as `shader_stage` requires.
    let shader = unsafe { shader_stage(device, stage, options, None) }?;
    // SAFETY: `stage` is valid by the contract of this function, as `node_name` requires.
    let (name, index) = unsafe { node_name(stage) }?;
    Ok(NodeStage { shader: NodeShader::Compute(shader), name, index })
}

/// Name and index of a stage as a node, as far as it is not the shader that says them.
///
/// # Safety
/// `stage` is valid, with its chain and all that it points to (`VkPipelineShaderStageCreateInfo`, "Valid
/// Usage").
pub(crate) unsafe fn node_name(
    stage: &vk::PipelineShaderStageCreateInfo,
) -> Result<(Option<String>, Option<u32>)> {
    let s_type = vk::StructureType::PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let node = unsafe { find::<vk::PipelineShaderStageNodeCreateInfoAMDX>(stage.next, s_type) };
    let name = match node.filter(|node| !node.name.is_null()) {
        // SAFETY: strings end in zero, by the contract of this function.
        Some(node) => Some(unsafe { string(node.name) }?),
        None => None,
    };
    let index = node.map(|node| node.index).filter(|&index| index != vk::SHADER_INDEX_UNUSED_AMDX);
    Ok((name, index))
}

/// A compute pipeline that is made to be a node of graphs, if it is one.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkComputePipelineCreateInfo`, "Valid Usage").
pub(crate) unsafe fn node_library(
    device: &Device,
    info: &vk::ComputePipelineCreateInfo,
) -> Result<Option<Pipeline>> {
    // SAFETY: `info` is valid by the contract of this function, as `create_flags` requires.
    let flags = unsafe { create_flags(info.next, info.flags) };
    if !flags.contains(vk::PipelineCreateFlags2::EXECUTION_GRAPH_AMDX) {
        return Ok(None);
    }
    // SAFETY: `info` is valid by the contract of this function, as `node_stage` requires.
    let stages = vec![unsafe { node_stage(device, &info.stage, flags) }?];
    Ok(Some(Pipeline::new(PipelineKind::GraphLibrary(Arc::new(GraphLibrary { stages })), None)))
}

/// The nodes that an execution graph is made from: its own and those of its libraries.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkExecutionGraphPipelineCreateInfoAMDX`,
/// "Valid Usage").
unsafe fn nodes(device: &Device, info: &vk::ExecutionGraphPipelineCreateInfoAMDX) -> Result<Vec<NodeStage>> {
    // SAFETY: `info` is valid by the contract of this function, as `create_flags` requires.
    let flags = unsafe { create_flags(info.next, info.flags) };
    // SAFETY: `pStages` has as many elements as counted
    // (VUID-VkExecutionGraphPipelineCreateInfoAMDX-pStages-parameter).
    let stages = unsafe { slice(info.stages, info.stage_count) }.iter();
    let mut stages = stages
        // SAFETY: each of `pStages`, with its chain, is valid
        // (VUID-VkExecutionGraphPipelineCreateInfoAMDX-pStages-parameter).
        .map(|stage| unsafe { node_stage(device, stage, flags) })
        .collect::<Result<Vec<NodeStage>>>()?;
    // SAFETY: `pLibraryInfo` is null or valid
    // (VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-parameter).
    if let Some(libraries) = unsafe { info.library_info.as_ref() } {
        // SAFETY: `libraries` has as many elements as counted, by the contract of this function.
        for library in unsafe { slice(libraries.libraries, libraries.library_count) } {
            match &handle::get::<Pipeline>(library.as_raw())?.kind {
                PipelineKind::GraphLibrary(library) => stages.extend(library.stages.iter().cloned()),
                PipelineKind::Library(library) => {
                    let (name, index) = library.node.clone().unwrap_or_default();
                    stages.push(NodeStage { shader: NodeShader::Mesh(Arc::clone(library)), name, index });
                }
                _ => {
                    return Err(Error::misuse(
                        "a linked pipeline is not a library of nodes \
                         (VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10181)",
                    ));
                }
            }
        }
    }
    Ok(stages)
}

/// The key of an execution graph (`vkGetPipelineKeyKHR`).
///
/// # Safety
/// The structure and its chain are valid.
pub(crate) unsafe fn graph_key(
    device: &Device,
    info: &vk::ExecutionGraphPipelineCreateInfoAMDX,
) -> Result<[u8; 16]> {
    // SAFETY: the caller's contract.
    let stages = unsafe { nodes(device, info) }?;
    let layout = handle::get_nullable::<PipelineLayout>(info.layout.as_raw())?;
    Ok(GraphPipeline::key(&stages, layout.as_deref()))
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkExecutionGraphPipelineCreateInfoAMDX`,
/// "Valid Usage").
unsafe fn graph_pipeline(
    device: &Device,
    info: &vk::ExecutionGraphPipelineCreateInfoAMDX,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    // SAFETY: `info` is valid by the contract of this function, as `create_flags` requires.
    let flags = unsafe { create_flags(info.next, info.flags) };
    // SAFETY: `info` is valid by the contract of this function, as `nodes` requires.
    let stages = unsafe { nodes(device, info) }?;
    if flags.contains(vk::PipelineCreateFlags2::LIBRARY_KHR) {
        return Ok(Pipeline::new(PipelineKind::GraphLibrary(Arc::new(GraphLibrary { stages })), None));
    }
    let layout = handle::get(info.layout.as_raw())?;
    let (pipeline, feedback) = GraphPipeline::new(stages, layout, old_flags(flags), cache, device)?;
    // SAFETY: `info` is valid by the contract of this function, as `feed_back` requires.
    unsafe { tools::feed_back(info.next, feedback) };
    Ok(Pipeline::new(PipelineKind::Graph(Arc::new(pipeline)), None))
}

impl PipelineCreateInfo for vk::ExecutionGraphPipelineCreateInfoAMDX {
    unsafe fn flags(&self) -> vk::PipelineCreateFlags2 {
        // SAFETY: the caller's contract.
        unsafe { create_flags(self.next, self.flags) }
    }

    unsafe fn pipeline(&self, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        // SAFETY: the caller's contract.
        unsafe { graph_pipeline(device, self, cache) }
    }
}

pub(crate) unsafe extern "system" fn create_execution_graph_pipelines_amdx(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ExecutionGraphPipelineCreateInfoAMDX,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let command = CommandId::create_execution_graph_pipelines_amdx;
    // SAFETY: `infos` and `out` have `count` elements
    // (VUID-vkCreateExecutionGraphPipelinesAMDX-pCreateInfos-parameter,
    // VUID-vkCreateExecutionGraphPipelinesAMDX-pPipelines-parameter).
    unsafe { create_pipelines(command, device, cache, slice(infos, count), allocator, out) }
}

fn graph(pipeline: vk::Pipeline) -> Result<Arc<GraphPipeline>> {
    match &handle::get::<Pipeline>(pipeline.as_raw())?.kind {
        PipelineKind::Graph(graph) => Ok(Arc::clone(graph)),
        _ => Err(Error::misuse("the pipeline is not an execution graph pipeline")),
    }
}

pub(crate) unsafe extern "system" fn get_execution_graph_pipeline_node_index_amdx(
    device: vk::Device,
    pipeline: vk::Pipeline,
    info: *const vk::PipelineShaderStageNodeCreateInfoAMDX,
    out: *mut u32,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; strings end in zero
    // (VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-parameter,
    // VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeIndex-parameter).
    guard(CommandId::get_execution_graph_pipeline_node_index_amdx, || unsafe {
        crate::entry::device::check(device)?;
        let (graph, info) = (graph(pipeline)?, &*info);
        if info.name.is_null() {
            return Err(Error::misuse(
                "pName of the node is null (VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09140)",
            ));
        }
        *out = graph.node(&string(info.name)?, info.index)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_execution_graph_pipeline_scratch_size_amdx(
    device: vk::Device,
    pipeline: vk::Pipeline,
    mut out: Out<'_, vk::ExecutionGraphPipelineScratchSizeAMDX>,
) -> vk::Result {
    guard(CommandId::get_execution_graph_pipeline_scratch_size_amdx, || {
        crate::entry::device::check(device)?;
        graph(pipeline)?;
        let out = out.get_mut();
        (out.min_size, out.max_size, out.size_granularity) = (SCRATCH_BYTES, SCRATCH_BYTES, SCRATCH_BYTES);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn cmd_initialize_graph_scratch_memory_amdx(
    buffer: vk::CommandBuffer,
    pipeline: vk::Pipeline,
    scratch: vk::DeviceAddress,
    size: vk::DeviceSize,
) {
    record(CommandId::cmd_initialize_graph_scratch_memory_amdx, buffer, |buffer| {
        graph(pipeline)?;
        buffer.initialize_scratch((scratch, size))
    });
}

/// Copies a payload from the application's memory.
///
/// # Safety
/// It is there.
unsafe fn copy(from: *const c_void, offset: usize, to: &mut [u8]) {
    if !from.is_null() {
        // SAFETY: `from` has as many elements as counted, by the contract of this function.
        unsafe { from.byte_add(offset).cast::<u8>().copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
    }
}

pub(crate) unsafe extern "system" fn cmd_dispatch_graph_amdx(
    buffer: vk::CommandBuffer,
    scratch: vk::DeviceAddress,
    size: vk::DeviceSize,
    info: *const vk::DispatchGraphCountInfoAMDX,
) {
    // SAFETY: `info` is valid (VUID-vkCmdDispatchGraphAMDX-pCountInfo-parameter).
    unsafe {
        record(CommandId::cmd_dispatch_graph_amdx, buffer, |buffer| {
            buffer.dispatch_graph((scratch, size), |graph| {
                let info = &*info;
                let first = info.infos.host_address;
                let count = if first.is_null() { 0 } else { info.count as usize };
                let infos = (0..count).map(|number| {
                    let at = first.byte_add(number * info.stride as usize);
                    let one = at.cast::<vk::DispatchGraphInfoAMDX>().read_unaligned();
                    graph.host_payloads(one.node_index, one.payload_count, |number, to| {
                        copy(one.payloads.host_address, number * one.payload_stride as usize, to);
                    })
                });
                Ok(GraphDispatch::Host(infos.collect::<Result<_>>()?))
            })
        });
    }
}

pub(crate) unsafe extern "system" fn cmd_dispatch_graph_indirect_amdx(
    buffer: vk::CommandBuffer,
    scratch: vk::DeviceAddress,
    size: vk::DeviceSize,
    info: *const vk::DispatchGraphCountInfoAMDX,
) {
    // SAFETY: `info` is valid (VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-parameter).
    unsafe {
        record(CommandId::cmd_dispatch_graph_indirect_amdx, buffer, |buffer| {
            buffer.dispatch_graph((scratch, size), |_| {
                let (count, infos, stride) = ((*info).count, (*info).infos.device_address, (*info).stride);
                aligned(infos, "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152")?;
                Ok(GraphDispatch::Device { count, infos, stride })
            })
        });
    }
}

pub(crate) fn cmd_dispatch_graph_indirect_count_amdx(
    buffer: vk::CommandBuffer,
    scratch: vk::DeviceAddress,
    size: vk::DeviceSize,
    info: vk::DeviceAddress,
) {
    record(CommandId::cmd_dispatch_graph_indirect_count_amdx, buffer, |buffer| {
        buffer.dispatch_graph((scratch, size), |_| {
            aligned(info, "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09161")?;
            Ok(GraphDispatch::DeviceCount(info))
        })
    });
}

/// Checks an address that commands read, by the name of a rule.
fn aligned(address: vk::DeviceAddress, rule: &str) -> Result<()> {
    if address != 0 && address.is_multiple_of(4) {
        return Ok(());
    }
    Err(Error::misuse(format!("a device address is null or not a multiple of 4 ({rule})")))
}
