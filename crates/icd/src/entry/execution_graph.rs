//! Execution graphs: `VK_AMDX_shader_enqueue`.

use crate::call::recording::record;
use crate::call::{guard, string};
use crate::entry::pipeline::{
    PipelineCreateInfo, StageInfo, create_flags, create_pipelines, old_flags, replaced, shader_options,
    shader_stage,
};
use crate::entry::tools;
use crate::handle;
use crate::pointers::{Allocator, DeviceOrHostAddress, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::ShaderOptions;
use pyro_capture::host::Payloads;
use pyro_driver::cache::PipelineCache;
use pyro_driver::device::Device;
use pyro_driver::execution_graph::{
    GraphDispatch, GraphLibrary, GraphPipeline, GraphPipelineInfo, HostPayloads, NodeShader, NodeStage,
    SCRATCH_BYTES,
};
use pyro_driver::pipeline::{Pipeline, PipelineKind, PipelineLayout};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// A stage as a node of graphs.
fn node_stage(
    device: &Device,
    stage: In<'_, vk::PipelineShaderStageCreateInfo>,
    flags: vk::PipelineCreateFlags2,
) -> Result<NodeStage> {
    if stage.stage != vk::ShaderStageFlags::COMPUTE {
        return Err(Error::misuse(
            "the stage of a node is not a compute shader (VUID-VkExecutionGraphPipelineCreateInfoAMDX-stage-09128)",
        ));
    }
    // Blocks are counted by command and stage, of which graphs have many shaders.
    let options = ShaderOptions { instrumented: false, ..shader_options(flags) };
    let shader = shader_stage(device, &StageInfo::of(stage), options, None)?;
    let (name, index) = node_name(stage)?;
    Ok(NodeStage { shader: NodeShader::Compute(shader), name, index })
}

/// Name and index of a stage as a node, as far as it is not the shader that says them.
pub(crate) fn node_name(
    stage: In<'_, vk::PipelineShaderStageCreateInfo>,
) -> Result<(Option<String>, Option<u32>)> {
    let node = stage.find::<vk::PipelineShaderStageNodeCreateInfoAMDX>();
    let name = node.and_then(|node| node.name()).map(|name| string(Some(name))).transpose()?;
    let index = node.map(|node| node.index).filter(|&index| index != vk::SHADER_INDEX_UNUSED_AMDX);
    Ok((name, index))
}

/// A compute pipeline that is made to be a node of graphs, if it is one.
pub(crate) fn node_library(
    device: &Device,
    info: In<'_, vk::ComputePipelineCreateInfo>,
) -> Result<Option<Pipeline>> {
    let flags = create_flags(info.chain(), info.flags);
    if !flags.contains(vk::PipelineCreateFlags2::EXECUTION_GRAPH_AMDX) {
        return Ok(None);
    }
    let stages = vec![node_stage(device, info.stage(), flags)?];
    Ok(Some(Pipeline::new(PipelineKind::GraphLibrary(Arc::new(GraphLibrary { stages })), None)))
}

/// The nodes that an execution graph is made from: its own and those of its libraries.
fn nodes(device: &Device, info: In<'_, vk::ExecutionGraphPipelineCreateInfoAMDX>) -> Result<Vec<NodeStage>> {
    let flags = create_flags(info.chain(), info.flags);
    let stages = info.stages().into_iter().map(|stage| node_stage(device, stage, flags));
    let mut stages = stages.collect::<Result<Vec<NodeStage>>>()?;
    if let Some(libraries) = info.library_info() {
        for library in libraries.libraries() {
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
pub(crate) fn graph_key(
    device: &Device,
    info: In<'_, vk::ExecutionGraphPipelineCreateInfoAMDX>,
) -> Result<[u8; 16]> {
    let stages = nodes(device, info)?;
    let layout = handle::get_nullable::<PipelineLayout>(info.layout.as_raw())?;
    Ok(GraphPipeline::key(&stages, layout.as_deref()))
}

fn graph_pipeline(
    device: &Device,
    info: In<'_, vk::ExecutionGraphPipelineCreateInfoAMDX>,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    let flags = create_flags(info.chain(), info.flags);
    let mut stages = nodes(device, info)?;
    if flags.contains(vk::PipelineCreateFlags2::LIBRARY_KHR) {
        return Ok(Pipeline::new(PipelineKind::GraphLibrary(Arc::new(GraphLibrary { stages })), None));
    }
    for stage in stages.iter_mut().flat_map(NodeStage::stages_mut) {
        stage.module = replaced(device, Arc::clone(&stage.module))?;
    }
    let layout = handle::get(info.layout.as_raw())?;
    let made_from = GraphPipelineInfo { nodes: stages, layout, flags: old_flags(flags) };
    let (pipeline, feedback) =
        device.make::<GraphPipeline>(made_from, |info| GraphPipeline::new(info, cache, device))?;
    tools::feed_back(info.chain(), feedback);
    Ok(Pipeline::new(PipelineKind::Graph(pipeline), None))
}

impl PipelineCreateInfo for vk::ExecutionGraphPipelineCreateInfoAMDX {
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2 {
        create_flags(info.chain(), info.flags)
    }

    fn pipeline(info: In<'_, Self>, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        graph_pipeline(device, info, cache)
    }
}

pub(crate) fn create_execution_graph_pipelines_amdx(
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: Slice<'_, vk::ExecutionGraphPipelineCreateInfoAMDX>,
    allocator: Allocator,
    out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    let command = CommandId::create_execution_graph_pipelines_amdx;
    create_pipelines(command, device, cache, infos, allocator, out)
}

fn graph(pipeline: vk::Pipeline) -> Result<Arc<GraphPipeline>> {
    match &handle::get::<Pipeline>(pipeline.as_raw())?.kind {
        PipelineKind::Graph(graph) => Ok(Arc::clone(graph)),
        _ => Err(Error::misuse("the pipeline is not an execution graph pipeline")),
    }
}

pub(crate) fn get_execution_graph_pipeline_node_index_amdx(
    device: vk::Device,
    pipeline: vk::Pipeline,
    info: In<'_, vk::PipelineShaderStageNodeCreateInfoAMDX>,
    mut out: Out<'_, u32>,
) -> vk::Result {
    guard(CommandId::get_execution_graph_pipeline_node_index_amdx, || {
        crate::entry::device::check(device)?;
        let (graph, info) = (graph(pipeline)?, info);
        if info.name.is_null() {
            return Err(Error::misuse(
                "pName of the node is null (VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09140)",
            ));
        }
        out.write(graph.node(&string(info.name())?, info.index)?);
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

/// The dispatches of a list in host memory.
fn host_dispatches(
    info: In<'_, vk::DispatchGraphCountInfoAMDX>,
) -> impl Iterator<Item = vk::DispatchGraphInfoAMDX> {
    let first = info.infos.host_pointer();
    let count = if first.is_null() { 0 } else { info.count as usize };
    let stride = info.stride as usize;
    (0..count).map(move |number| {
        // SAFETY: so many structures are there, `stride` bytes apart (`VkDispatchGraphCountInfoAMDX`).
        unsafe { first.byte_add(number * stride).cast::<vk::DispatchGraphInfoAMDX>().read_unaligned() }
    })
}

/// Copies a payload of a dispatch from host memory.
fn copy_payload(dispatch: &vk::DispatchGraphInfoAMDX, number: usize, to: &mut [u8]) {
    let from = dispatch.payloads.host_pointer();
    if !from.is_null() {
        let from = from.cast::<u8>().wrapping_add(number * dispatch.payload_stride as usize);
        // SAFETY: so many payloads are there, `payloadStride` bytes apart (`VkDispatchGraphInfoAMDX`), each
        // as large as the node's shader says.
        unsafe { from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
    }
}

pub(crate) fn cmd_dispatch_graph_amdx(
    buffer: vk::CommandBuffer,
    scratch: vk::DeviceAddress,
    size: vk::DeviceSize,
    info: In<'_, vk::DispatchGraphCountInfoAMDX>,
) {
    record(CommandId::cmd_dispatch_graph_amdx, buffer, |buffer| {
        buffer.dispatch_graph((scratch, size), |graph| {
            let infos = host_dispatches(info).map(|one| {
                graph.host_payloads(one.node_index, one.payload_count, |number, to| {
                    copy_payload(&one, number, to);
                })
            });
            let payloads: Box<[HostPayloads]> = infos.collect::<Result<_>>()?;
            crate::record::note_host(|bytes| {
                for (node, count, own) in payloads.iter().map(HostPayloads::parts) {
                    pyro_capture::host::append(&Payloads { node, count, bytes: own }, bytes);
                }
            });
            Ok(GraphDispatch::Host(payloads))
        })
    });
}

pub(crate) fn cmd_dispatch_graph_indirect_amdx(
    buffer: vk::CommandBuffer,
    scratch: vk::DeviceAddress,
    size: vk::DeviceSize,
    info: In<'_, vk::DispatchGraphCountInfoAMDX>,
) {
    record(CommandId::cmd_dispatch_graph_indirect_amdx, buffer, |buffer| {
        buffer.dispatch_graph((scratch, size), |_| {
            let (count, infos, stride) = (info.count, info.infos.device(), info.stride);
            aligned(infos, "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152")?;
            Ok(GraphDispatch::Device { count, infos, stride })
        })
    });
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
