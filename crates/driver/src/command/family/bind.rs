//! Commands that bind pipelines, shader objects, descriptor sets and descriptor heaps, or write push
//! constants.

use crate::command::object_table::{ListObjects, ObjectId};
use crate::command::state::CommandProcessor;
use crate::command::state::sets::SetAddresses;
use crate::objects::descriptor::DescriptorSet;
use crate::objects::image::ImageView;
use crate::pipeline::ComputePipeline;
use crate::pipeline::data_graph::DataGraphPipeline;
use crate::pipeline::execution_graph::GraphPipeline;
use crate::pipeline::graphics::{GraphicsPipeline, ShaderObject};
use crate::pipeline::raytrace::RayPipeline;
use pyro_abi::heap::Heap;
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Binds something for the commands that follow.
pub enum BindCommand {
    /// A compute pipeline.
    ComputePipeline(ObjectId<ComputePipeline>),
    /// A pipeline of subpass shading.
    SubpassPipeline(ObjectId<ComputePipeline>),
    /// A graphics pipeline.
    GraphicsPipeline(ObjectId<GraphicsPipeline>),
    /// A ray tracing pipeline.
    RayPipeline(ObjectId<RayPipeline>),
    /// The size of the stack of ray tracing pipelines, in bytes.
    RayStack(u32),
    /// Makes a compute pipeline known by an address to generated commands.
    SavePipeline(u64, ObjectId<ComputePipeline>),
    /// How many workgroups of dispatches a thread takes at a time; 0: as many as seem best
    /// (`vkCmdSetDispatchParametersARM`).
    DispatchBatch(u32),
    /// Which invocations launches of rays have.
    InvocationMask(Option<Arc<ImageView>>),
    /// An execution graph.
    ExecutionGraph(Arc<GraphPipeline>),
    /// A data graph.
    DataGraph(Arc<DataGraphPipeline>),
    /// A shader object for a stage; `None` unbinds the stage.
    Shader(vk::ShaderStageFlags, Option<Arc<ShaderObject>>),
    /// Descriptor sets with dynamic offsets.
    Sets(Box<BindSets>),
    /// One descriptor set without dynamic buffers.
    Set(BindSet),
    /// Descriptor sets that lie in buffers.
    SetAddresses(Box<BindAddresses>),
    /// A descriptor heap: its address and size in bytes.
    Heap(Heap, u64, u64),
    /// Push constants that are too long for [`PushWords`], or of a bank behind the first: the offset counts
    /// the banks before it.
    PushConstants {
        /// First byte.
        offset: u32,
        /// The bytes.
        bytes: Box<[u8]>,
    },
}

/// A descriptor set and its number.
pub struct BindSet {
    /// The bind point.
    pub(in crate::command) point: vk::PipelineBindPoint,
    /// The set number.
    pub(in crate::command) number: u32,
    /// `None` unbinds the set.
    pub(in crate::command) set: Option<ObjectId<DescriptorSet>>,
}

/// Descriptor sets, and the offsets of their dynamic buffers.
pub struct BindSets {
    pub(in crate::command) point: vk::PipelineBindPoint,
    pub(in crate::command) first: usize,
    /// `None` unbinds the set.
    pub(in crate::command) sets: SmallVec<[Option<Arc<DescriptorSet>>; 4]>,
    pub(in crate::command) dynamic: SmallVec<[DynamicBuffer; 2]>,
}

/// Descriptor sets that lie in buffers: their addresses and layouts, from number `first` on.
pub struct BindAddresses {
    pub(in crate::command) point: vk::PipelineBindPoint,
    pub(in crate::command) first: usize,
    pub(in crate::command) sets: SetAddresses,
}

/// One dynamic buffer.
pub(in crate::command) struct DynamicBuffer {
    /// Its index among all dynamic buffers of the pipeline layout.
    pub(in crate::command) index: u32,
    /// The set, counted from the first that is bound.
    pub(in crate::command) set: u32,
    /// Bytes from the start of the set to its descriptor.
    pub(in crate::command) place: u32,
    /// The dynamic offset, in bytes.
    pub(in crate::command) offset: u32,
}

/// Up to 24 bytes of push constants, which most writes are.
pub struct PushWords {
    offset: u16,
    count: u8,
    bytes: [u8; 24],
}

impl PushWords {
    /// `None` when the bytes are too many or too far behind the start.
    pub(in crate::command) fn new(offset: u32, bytes: &[u8]) -> Option<PushWords> {
        let mut words =
            PushWords { offset: u16::try_from(offset).ok()?, count: bytes.len() as u8, bytes: [0; 24] };
        words.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(words)
    }

    /// Writes the push constants of all bind points.
    pub(in crate::command) fn run(&self, processor: &mut CommandProcessor<'_>) {
        processor.push_constants(self.offset.into(), &self.bytes[..self.count.into()]);
    }
}

impl BindCommand {
    /// Binds. `objects` are those of the command list.
    pub(in crate::command) fn run(&self, objects: &ListObjects, processor: &mut CommandProcessor<'_>) {
        match self {
            BindCommand::ComputePipeline(id) => {
                let pipeline = objects.compute_pipelines.get(*id);
                processor.compute.bind_pipeline(processor.device, Some(pipeline));
            }
            BindCommand::SubpassPipeline(id) => {
                let (device, pipeline) = (processor.device, objects.compute_pipelines.get(*id));
                processor.subpass().bind_pipeline(device, Some(pipeline));
            }
            BindCommand::GraphicsPipeline(id) => {
                processor.rendering.bind_pipeline(objects.graphics_pipelines.get(*id));
            }
            BindCommand::RayPipeline(id) => processor.rays.bind_pipeline(objects.ray_pipelines.get(*id)),
            BindCommand::RayStack(bytes) => processor.rays.stack_bytes = Some(*bytes),
            BindCommand::SavePipeline(address, id) => {
                let pipeline = Arc::clone(objects.compute_pipelines.get(*id));
                processor.device.remember(*address, pipeline);
            }
            BindCommand::DispatchBatch(size) => processor.compute.batch = *size,
            BindCommand::InvocationMask(view) => processor.rays.mask = view.clone(),
            BindCommand::ExecutionGraph(graph) => {
                let graph = graph.newest().unwrap_or_else(|| Arc::clone(graph));
                processor.graph().pipeline = Some(graph);
            }
            BindCommand::DataGraph(pipeline) => processor.data_graph().pipeline = Some(Arc::clone(pipeline)),
            BindCommand::Shader(vk::ShaderStageFlags::COMPUTE, shader) => {
                let newest = shader.as_ref().and_then(|shader| shader.newest());
                let pipeline = newest.as_ref().or(shader.as_ref()).and_then(|shader| shader.compute());
                processor.compute.bind_pipeline(processor.device, pipeline);
            }
            BindCommand::Shader(stage, shader) => processor.rendering.bind_shader(*stage, shader.as_ref()),
            BindCommand::Sets(bind) => bind.run(processor),
            BindCommand::Set(bind) => {
                let set = bind.set.map(|id| &**objects.sets.get(id));
                processor.sets_of(bind.point).bind(bind.number as usize, [set]);
            }
            BindCommand::SetAddresses(bind) => {
                processor.sets_of(bind.point).bind_addresses(bind.first, &bind.sets);
            }
            BindCommand::Heap(heap, address, bytes) => {
                use vk::PipelineBindPoint as Point;
                let subpass = Point::SUBPASS_SHADING_HUAWEI;
                for point in [Point::COMPUTE, Point::GRAPHICS, Point::RAY_TRACING_KHR, subpass] {
                    processor.sets_of(point).bind_heap(*heap, *address, *bytes);
                }
            }
            BindCommand::PushConstants { offset, bytes } => {
                const BANK_BYTES: usize = pyro_abi::PUSH_CONSTANT_BYTES_MAX;
                match *offset as usize {
                    offset if offset < BANK_BYTES => processor.push_constants(offset, bytes),
                    offset => processor.push_bank(offset - BANK_BYTES, bytes),
                }
            }
        }
    }
}

impl BindSets {
    fn run(&self, processor: &mut CommandProcessor<'_>) {
        if !self.dynamic.is_empty() {
            let dynamics = processor.dynamic_buffers_of(self.point);
            for dynamic in &self.dynamic {
                if let Some(set) = &self.sets[dynamic.set as usize] {
                    dynamics[dynamic.index as usize] = set.dynamic_buffer(dynamic.place, dynamic.offset);
                }
            }
        }
        processor.sets_of(self.point).bind(self.first, self.sets.iter().map(|set| set.as_deref()));
    }
}
