//! Commands that run workgroups: dispatches, subpass shading, CUDA kernels, ray tracing, execution graphs.

use crate::command::state::bind_point::Groups;
use crate::command::state::{CommandProcessor, Outcome};
use crate::objects::memory::mapped::Range;
use crate::pipeline::cuda::KernelLaunch;
use crate::pipeline::data_graph::DataGraphSession;
use crate::pipeline::execution_graph::GraphDispatch;
use pyro_engine::raytrace::Table;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Runs workgroups or other invocations without a rasterizer.
pub enum DispatchCommand {
    /// So many workgroups in x, y and z.
    Dispatch([u32; 3]),
    /// `vkCmdDispatchBase`.
    DispatchBase(Box<DispatchBase>),
    /// As many workgroups as a `VkDispatchIndirectCommand` in memory asks for.
    Indirect(Box<Range>),
    /// As many workgroups of subpass shading as cover the render area.
    Subpass,
    /// As many workgroups as cover the tile (`vkCmdDispatchTileQCOM`).
    Tile,
    /// A CUDA kernel.
    CudaKernel(Box<KernelLaunch>),
    /// `vkCmdTraceRaysKHR` and its indirect forms.
    TraceRays(Box<TraceRaysCommand>),
    /// An execution graph.
    ExecutionGraph(Box<GraphCommand>),
    /// A data graph, in the memory of a session (`vkCmdDispatchDataGraphARM`).
    DataGraph(Arc<DataGraphSession>),
    /// Scratch memory of execution graphs is initialized, which only who follows accesses needs to know.
    InitializeScratch(Box<std::ops::Range<u64>>),
}

/// An execution graph that runs.
pub struct GraphCommand {
    /// What it begins with.
    pub dispatch: GraphDispatch,
    /// The addresses of the application's scratch memory, for those who follow accesses: the graph has its
    /// own.
    pub scratch: std::ops::Range<u64>,
}

/// The workgroups of `vkCmdDispatchBase`.
pub struct DispatchBase {
    /// The first workgroup.
    pub base: [u32; 3],
    /// How many.
    pub count: [u32; 3],
}

/// The shader binding tables of a launch of rays.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShaderBindingTables {
    /// The record of the ray generation shader.
    pub raygen: Table,
    /// Miss shaders.
    pub miss: Table,
    /// Hit groups.
    pub hit: Table,
    /// Callable shaders.
    pub callable: Table,
}

/// `vkCmdTraceRaysKHR` and its indirect forms.
#[derive(Clone, Copy, Debug)]
pub enum TraceRaysCommand {
    /// As many invocations in x, y, z.
    Direct(ShaderBindingTables, [u32; 3]),
    /// As many as a `VkTraceRaysIndirectCommandKHR` at this device address asks for.
    Indirect(ShaderBindingTables, u64),
    /// As a `VkTraceRaysIndirectCommand2KHR` at this device address describes.
    Indirect2(u64),
}

impl DispatchCommand {
    /// Whether conditional rendering may skip it: launches of rays and CUDA kernels are not conditional.
    pub(in crate::command) fn is_conditional(&self) -> bool {
        match self {
            DispatchCommand::Dispatch(_)
            | DispatchCommand::DispatchBase(_)
            | DispatchCommand::Indirect(_)
            | DispatchCommand::Tile
            | DispatchCommand::DataGraph(_)
            | DispatchCommand::ExecutionGraph(_) => true,
            DispatchCommand::Subpass
            | DispatchCommand::CudaKernel(_)
            | DispatchCommand::TraceRays(_)
            | DispatchCommand::InitializeScratch(_) => false,
        }
    }

    /// Whether it takes a result index of shader instrumentation.
    pub(in crate::command) fn has_result(&self) -> bool {
        self.is_conditional() && !matches!(self, DispatchCommand::DataGraph(_))
    }

    /// The workgroups, where the command itself holds them.
    pub(in crate::command) fn workgroups(&self) -> Option<[u32; 3]> {
        match self {
            DispatchCommand::Dispatch(count) => Some(*count),
            DispatchCommand::DispatchBase(groups) => Some(groups.count),
            _ => None,
        }
    }

    /// Runs it.
    pub(in crate::command) fn run(&self, processor: &mut CommandProcessor<'_>) -> Outcome {
        match self {
            DispatchCommand::Dispatch(count) => {
                processor.dispatch(Groups { count: *count, ..Groups::default() })
            }
            DispatchCommand::DispatchBase(groups) => {
                let DispatchBase { base, count } = **groups;
                processor.dispatch(Groups { base, count, ..Groups::default() })
            }
            DispatchCommand::Indirect(range) => {
                let count = range.read_words();
                processor.dispatch(Groups { count, ..Groups::default() })
            }
            DispatchCommand::Subpass => processor.shade_subpass(),
            DispatchCommand::Tile => processor.dispatch_tile(),
            DispatchCommand::CudaKernel(launch) => processor.launch_kernel(launch),
            DispatchCommand::TraceRays(launch) => launch.run(processor),
            DispatchCommand::ExecutionGraph(graph) => processor.run_graph(&graph.dispatch),
            DispatchCommand::DataGraph(session) => processor.run_data_graph(session),
            DispatchCommand::InitializeScratch(_) => Outcome::Done,
        }
    }
}

/// The `index`-th word of 64 bits.
fn wide(bytes: &[u8], index: usize) -> u64 {
    bytes.as_chunks().0.get(index).map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

/// Three words of 32 bits from the `first` byte on.
fn triple(bytes: &[u8], first: usize) -> [u32; 3] {
    [0, 4, 8].map(|byte| {
        let word = bytes.get(first + byte..).and_then(|bytes| bytes.first_chunk());
        word.map_or(0, |&bytes| u32::from_le_bytes(bytes))
    })
}

impl TraceRaysCommand {
    fn run(&self, processor: &mut CommandProcessor<'_>) -> Outcome {
        let (tables, size) = match *self {
            TraceRaysCommand::Direct(tables, size) => (tables, size),
            TraceRaysCommand::Indirect(tables, address) => {
                let bytes =
                    processor.read_address::<{ size_of::<vk::TraceRaysIndirectCommandKHR>() }>(address);
                (tables, triple(&bytes, 0))
            }
            TraceRaysCommand::Indirect2(address) => {
                const SIZE_OFFSET: usize = core::mem::offset_of!(vk::TraceRaysIndirectCommand2KHR, width);
                let bytes =
                    processor.read_address::<{ size_of::<vk::TraceRaysIndirectCommand2KHR>() }>(address);
                let table = |first| {
                    let [address, size, stride] = [0usize, 1, 2].map(|word| wide(&bytes, first + word));
                    Table { address, stride, size }
                };
                let raygen = Table { address: wide(&bytes, 0), stride: 0, size: wide(&bytes, 1) };
                let tables =
                    ShaderBindingTables { raygen, miss: table(2), hit: table(5), callable: table(8) };
                (tables, triple(&bytes, SIZE_OFFSET))
            }
        };
        let ShaderBindingTables { raygen, miss, hit, callable } = tables;
        processor.trace_rays([raygen, miss, hit, callable], size)
    }
}
