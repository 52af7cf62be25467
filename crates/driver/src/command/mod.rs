//! Command buffers: recorded lists of commands, and what runs them.
//!
//! Recording checks what it can and resolves handles to objects, which the list then keeps alive: those that many commands
//! use are kept once, and have numbers in the list. What one
//! command sets for those after it (pipeline, sets, push constants) is a command of its own; the executor holds
//! one dispatch record that these change in place, so a dispatch costs no more than its group counts.

mod bind_point;
mod cost_estimate;
mod draw;
mod execute;
mod fast_path;
mod graphics;
mod object_table;
mod raytrace;
mod render;
pub mod render_pass;
mod sets;
pub mod transfer;
mod transform_feedback;

pub(crate) use cost_estimate::CostEstimate;
pub use execute::{CommandProcessor, InheritedState, Outcome};
pub use fast_path::FastRecorder;
pub use graphics::{BindVertexBuffers, ClearAttachments};
pub use raytrace::{Launch, Tables};
pub use transform_feedback::{BindFeedbackBuffers, DrawByteCount, FeedbackCounters};

use crate::Shared;
use crate::command::render_pass::{Instance, Step};
use crate::command::transfer::{IndirectCopy, MatrixConversion, Transfer};
use crate::error::{Error, Result};
use crate::objects::acceleration_structure::StructureCommand;
use crate::objects::buffer::Buffer;
use crate::objects::descriptor::{DescriptorSet, SetLayout};
use crate::objects::memory::mapped::Range;
use crate::objects::query::{QueryPool, ResultLayout};
use crate::objects::sync::Event;
use crate::objects::tensor::TensorCopy;
use crate::pipeline::cuda::KernelLaunch;
use crate::pipeline::execution_graph::{GraphDispatch, GraphPipeline};
use crate::pipeline::graphics::{
    Draw, DrawIndexed, DrawMesh, GraphicsPipeline, IndexBuffer, IndirectDraw, ShaderObject, StateChange,
};
use crate::pipeline::instrumentation::ShaderInstrumentation;
use crate::pipeline::raytrace::RayPipeline;
use crate::pipeline::{ComputePipeline, PipelineLayout};
use object_table::{ObjectId, ObjectTable};
use pyro_abi::heap::Heap;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use vulkanalia_sys as vk;

/// A recorded command.
pub enum Command {
    /// Sets the compute pipeline.
    BindPipeline(ObjectId<ComputePipeline>),
    /// Sets the pipeline of subpass shading.
    BindSubpassPipeline(ObjectId<ComputePipeline>),
    /// Sets the graphics pipeline.
    BindGraphicsPipeline(ObjectId<GraphicsPipeline>),
    /// Sets the ray tracing pipeline.
    BindRayPipeline(ObjectId<RayPipeline>),
    /// Binds a shader object to a stage, or none.
    BindShader(vk::ShaderStageFlags, Option<Arc<ShaderObject>>),
    /// Binds sets from number `first` on.
    BindSets(Box<BindSets>),
    /// Binds one set, or none, that has no dynamic buffers.
    BindSet(BindSet),
    /// Writes a few bytes of push constants.
    PushWords(PushWords),
    /// Binds sets that lie in buffers.
    BindAddresses(Box<BindAddresses>),
    /// Binds a descriptor heap: address and bytes.
    BindHeap(Heap, u64, u64),
    /// Writes push constants.
    PushConstants {
        /// First byte.
        offset: u32,
        /// The bytes.
        bytes: Box<[u8]>,
    },
    /// Runs workgroups.
    Dispatch {
        /// First workgroup.
        base: [u32; 3],
        /// Workgroups.
        count: [u32; 3],
    },
    /// Runs as many workgroups of subpass shading as the render area asks for.
    ShadeSubpass,
    /// Runs as many workgroups as memory says (`VkDispatchIndirectCommand`).
    DispatchIndirect(Box<Range>),
    /// Launches a CUDA kernel.
    LaunchKernel(Box<KernelLaunch>),
    /// Traces rays.
    TraceRays(Box<Launch>),
    /// Copies between ranges of the same size.
    Copy(Box<[(Range, Range)]>),
    /// Copies a tensor.
    CopyTensor(Box<TensorCopy>),
    /// Repeats a word.
    Fill(Box<Range>, u32),
    /// Writes bytes.
    Update(Box<Range>, Box<[u8]>),
    /// Sets or resets an event.
    PutEvent(Arc<Event>, bool),
    /// Waits until events are set.
    WaitEvents(Box<[Arc<Event>]>),
    /// Resets queries.
    ResetQueries(Arc<QueryPool>, u32, u32),
    /// Starts a query, of a vertex stream.
    BeginQuery(Arc<QueryPool>, u32, u32),
    /// Ends a query, of a vertex stream.
    EndQuery(Arc<QueryPool>, u32, u32),
    /// Writes the clock into a query.
    WriteTimestamp(Arc<QueryPool>, u32),
    /// Writes queries' results into a buffer.
    CopyQueryResults(Box<CopyQueryResults>),
    /// Runs secondary command buffers.
    Execute(Box<[Arc<CommandList>]>),
    /// Between draws of a render pass.
    Barrier,
    /// Copies, blits, clears or resolves images.
    Transfer(Box<[Transfer]>),
    /// Builds acceleration structures, copies them or asks about them.
    Structures(Box<StructureCommand>),
    /// Copies what memory says.
    CopyIndirect(Box<IndirectCopy>),
    /// Converts matrices of cooperative vectors.
    ConvertMatrices(Box<[MatrixConversion]>),
    /// Begins, goes on in, or ends a render pass instance.
    Render(Box<Step>),
    /// Changes the state of draws.
    SetState(Box<StateChange>),
    /// Binds vertex buffers.
    BindVertexBuffers(Box<BindVertexBuffers>),
    /// Binds the index buffer.
    BindIndexBuffer(Box<IndexBuffer>),
    /// `vkCmdSetPrimitiveRestartIndexEXT`: until an index buffer is bound.
    SetRestartIndex(u32),
    /// Draws.
    Draw(Draw),
    /// Draws with indices.
    DrawIndexed(DrawIndexed),
    /// Draws task or mesh workgroups.
    DrawMesh(DrawMesh),
    /// Draws as memory says.
    DrawIndirect(Box<IndirectDraw>),
    /// Binds buffers of transform feedback.
    BindFeedbackBuffers(Box<BindFeedbackBuffers>),
    /// Starts transform feedback.
    BeginFeedback(Box<FeedbackCounters>),
    /// Ends transform feedback.
    EndFeedback(Box<FeedbackCounters>),
    /// Draws what transform feedback captured.
    DrawByteCount(Box<DrawByteCount>),
    /// Clears parts of the attachments.
    ClearAttachments(Box<ClearAttachments>),
    /// From here on draws, dispatches and clears of attachments run only where the word is not zero, or where it
    /// is (`VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT`).
    BeginConditional(Box<Range>, bool),
    /// They run again.
    EndConditional,
    /// Sets the execution graph.
    BindGraph(Arc<GraphPipeline>),
    /// Runs the execution graph.
    DispatchGraph(Box<GraphDispatch>),
    /// From here on shaders count.
    BeginInstrumentation(Arc<ShaderInstrumentation>),
    /// What the next draw or dispatch counts has this result index.
    SetResult(u32),
    /// Shaders count no more.
    EndInstrumentation,
}

const _: () = assert!(size_of::<Command>() <= 32);

impl Command {
    /// Whether conditional rendering may leave it out: not launches of rays.
    fn is_conditional(&self) -> bool {
        matches!(
            self,
            Command::Dispatch { .. }
                | Command::DispatchIndirect(_)
                | Command::DispatchGraph(_)
                | Command::Draw(_)
                | Command::DrawIndexed(_)
                | Command::DrawMesh(_)
                | Command::DrawIndirect(_)
                | Command::DrawByteCount(_)
                | Command::ClearAttachments(_)
        )
    }

    /// Whether it is a command of its own to shader instrumentation: a draw or dispatch, of several draws of one command the
    /// first.
    fn has_result(&self) -> bool {
        match self {
            Command::Draw(draw) => draw.index == 0,
            Command::DrawIndexed(draw) => draw.index == 0,
            Command::Dispatch { .. }
            | Command::DispatchIndirect(_)
            | Command::DispatchGraph(_)
            | Command::DrawMesh(_)
            | Command::DrawIndirect(_)
            | Command::DrawByteCount(_) => true,
            _ => false,
        }
    }

    /// Whether it is a draw, or state of draws: these are collected, and run together. What lies between subpasses
    /// says itself what runs with them.
    fn keeps_draw_batch_open(&self) -> bool {
        matches!(
            self,
            Command::BindPipeline(_)
                | Command::BindSubpassPipeline(_)
                | Command::BindGraphicsPipeline(_)
                | Command::BindRayPipeline(_)
                | Command::BindShader(..)
                | Command::BindSets(_)
                | Command::BindSet(_)
                | Command::PushWords(_)
                | Command::BindAddresses(_)
                | Command::BindHeap(..)
                | Command::PushConstants { .. }
                | Command::SetState(_)
                | Command::BindVertexBuffers(_)
                | Command::BindIndexBuffer(_)
                | Command::SetRestartIndex(_)
                | Command::Draw(_)
                | Command::DrawIndexed(_)
                | Command::DrawMesh(_)
                | Command::DrawIndirect(_)
                | Command::DrawByteCount(_)
                | Command::BindFeedbackBuffers(_)
                | Command::Render(_)
                | Command::BindGraph(_)
                | Command::BeginInstrumentation(_)
                | Command::SetResult(_)
                | Command::EndInstrumentation
        )
    }
}

/// A set and its number.
pub struct BindSet {
    point: vk::PipelineBindPoint,
    number: u32,
    /// None: nothing is bound there.
    set: Option<ObjectId<DescriptorSet>>,
}

/// Push constants that are few, as they mostly are.
pub struct PushWords {
    offset: u16,
    count: u8,
    bytes: [u8; 24],
}

impl PushWords {
    fn new(offset: u32, bytes: &[u8]) -> Option<PushWords> {
        let mut words =
            PushWords { offset: u16::try_from(offset).ok()?, count: bytes.len() as u8, bytes: [0; 24] };
        words.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(words)
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count.into()]
    }
}

/// Sets, and the offsets of the dynamic buffers in them.
pub struct BindSets {
    point: vk::PipelineBindPoint,
    first: usize,
    /// None: nothing is bound there.
    sets: SmallVec<[Option<Arc<DescriptorSet>>; 4]>,
    dynamic: SmallVec<[DynamicBuffer; 2]>,
}

/// Sets that lie in buffers: their addresses and layouts, from number `first` on.
pub struct BindAddresses {
    point: vk::PipelineBindPoint,
    first: usize,
    sets: SmallVec<[(u64, Arc<SetLayout>); 4]>,
}

/// One dynamic buffer: its index over the whole pipeline layout, where its descriptor lies, and the offset.
struct DynamicBuffer {
    index: u32,
    set: u32,
    place: u32,
    offset: u32,
}

/// `vkCmdCopyQueryPoolResults`.
pub struct CopyQueryResults {
    /// The pool.
    pub pool: Arc<QueryPool>,
    /// First query.
    pub first: u32,
    /// Queries.
    pub count: u32,
    /// How they are written.
    pub layout: ResultLayout,
    /// Where to.
    pub target: Range,
}

/// Recorded commands. Command buffers that are executed share them.
#[derive(Default)]
pub struct CommandList {
    commands: Vec<Command>,
    pipelines: ObjectTable<ComputePipeline>,
    graphics_pipelines: ObjectTable<GraphicsPipeline>,
    ray_pipelines: ObjectTable<RayPipeline>,
    sets: ObjectTable<DescriptorSet>,
    /// Submissions that have not ended, and may not be recorded over.
    pending: AtomicU32,
    /// A secondary one's viewports and scissors are those of before
    /// (`VkCommandBufferInheritanceViewportScissorInfoNV`).
    inherits_viewports: bool,
}

impl CommandList {
    pub(crate) fn begin_pending(&self) {
        self.pending.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn end_pending(&self) {
        self.pending.fetch_sub(1, Ordering::AcqRel);
    }
}

enum State {
    /// With memory for the next recording.
    Initial(Vec<Command>),
    Recording(Box<Recording>),
    Executable(Arc<CommandList>),
    /// Recording failed, or what was recorded may run no more.
    Invalid(&'static str),
}

/// Commands whose memory is kept for the next recording.
const MEMORY_KEPT: usize = 1 << 15;

impl State {
    /// The memory of the last recording, empty, for the next one.
    fn into_memory(self) -> Vec<Command> {
        let mut commands = match self {
            State::Initial(commands) => commands,
            State::Recording(recording) => recording.list.commands,
            State::Executable(list) => Arc::into_inner(list).map_or(Vec::new(), |list| list.commands),
            State::Invalid(_) => Vec::new(),
        };
        commands.clear();
        if commands.capacity() > MEMORY_KEPT { Vec::new() } else { commands }
    }
}

#[derive(Default)]
struct Recording {
    list: CommandList,
    /// The push descriptor sets so far, by set number.
    pushed: HashMap<(vk::PipelineBindPoint, u32), Arc<DescriptorSet>>,
    /// Addresses of the buffers that hold descriptors.
    descriptor_buffers: SmallVec<[u64; 4]>,
    /// The render pass instance under way.
    instance: Option<Instance>,
    /// Where shaders count now.
    instrumentation: Option<Arc<ShaderInstrumentation>>,
    /// The execution graph that is bound.
    graph: Option<Arc<GraphPipeline>>,
    error: Option<Error>,
}

impl Recording {
    #[inline]
    fn bind_set(
        &mut self,
        point: vk::PipelineBindPoint,
        number: u32,
        set: Option<impl Shared<DescriptorSet>>,
    ) {
        let set = set.map(|set| self.list.sets.insert(set));
        self.list.commands.push(Command::BindSet(BindSet { point, number, set }));
    }
}

/// What is left of a command buffer for the next one.
#[derive(Default)]
pub struct Memory(Vec<Command>);

impl Memory {
    /// It is none.
    pub fn is_empty(&self) -> bool {
        self.0.capacity() == 0
    }
}

/// A `VkCommandBuffer`.
pub struct CommandBuffer {
    level: vk::CommandBufferLevel,
    /// The pool allows resets of single buffers.
    resettable: bool,
    state: State,
}

fn too_many_sets() -> Error {
    Error::misuse("more sets than the pipeline layout has (VUID-vkCmdBindDescriptorSets-firstSet-00360)")
}

fn check_scratch((address, size): (u64, u64)) -> Result<()> {
    if !address.is_multiple_of(64) {
        return Err(Error::misuse(
            "scratch memory that is not aligned to 64 bytes \
             (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144)",
        ));
    }
    if size < crate::pipeline::execution_graph::SCRATCH_BYTES {
        return Err(Error::misuse(
            "less scratch memory than minSize (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratchSize-10186, \
             VUID-vkCmdDispatchGraphAMDX-scratchSize-10193)",
        ));
    }
    Ok(())
}

impl CommandBuffer {
    /// An empty command buffer, which records to the memory of a former one first.
    pub fn new(level: vk::CommandBufferLevel, resettable: bool, memory: Memory) -> CommandBuffer {
        CommandBuffer { level, resettable, state: State::Initial(memory.0) }
    }

    /// Forgets everything; what is left is memory for another one.
    pub fn into_memory(self) -> Memory {
        Memory(self.state.into_memory())
    }

    /// Primary or secondary.
    pub fn level(&self) -> vk::CommandBufferLevel {
        self.level
    }

    /// Starts recording.
    ///
    /// # Errors
    /// When it is recording, pending, or would have to be reset and cannot be.
    pub fn begin(&mut self, inherits_viewports: bool) -> Result<()> {
        let state = &mut self.state;
        match state {
            State::Recording(_) => {
                return Err(Error::misuse("it is recording (VUID-vkBeginCommandBuffer-commandBuffer-00049)"));
            }
            State::Executable(list) if list.pending.load(Ordering::Acquire) != 0 => {
                return Err(Error::misuse("it is pending (VUID-vkBeginCommandBuffer-commandBuffer-00049)"));
            }
            State::Executable(_) | State::Invalid(_) if !self.resettable => {
                return Err(Error::misuse(
                    "its pool lacks RESET_COMMAND_BUFFER (VUID-vkBeginCommandBuffer-commandBuffer-00050)",
                ));
            }
            _ => {}
        }
        let mut recording = Box::<Recording>::default();
        recording.list.inherits_viewports = inherits_viewports;
        recording.list.commands = core::mem::replace(state, State::Invalid("")).into_memory();
        *state = State::Recording(recording);
        Ok(())
    }

    /// Ends recording.
    ///
    /// # Errors
    /// When it does not record, or a command could not be recorded.
    pub fn end(&mut self) -> Result<()> {
        let state = &mut self.state;
        match core::mem::replace(state, State::Invalid("recording failed")) {
            State::Recording(recording) => match recording.error {
                Some(error) => {
                    Err(Error { message: format!("recording failed: {}", error.message).into(), ..error })
                }
                None if recording.instrumentation.is_some() => Err(Error::misuse(
                    "shader instrumentation is active (VUID-vkEndCommandBuffer-commandBuffer-12372)",
                )),
                None => {
                    *state = State::Executable(Arc::new(recording.list));
                    Ok(())
                }
            },
            other => {
                *state = other;
                Err(Error::misuse("it is not recording (VUID-vkEndCommandBuffer-commandBuffer-00059)"))
            }
        }
    }

    /// Forgets everything recorded. `by_pool`: its whole pool is reset.
    ///
    /// # Errors
    /// When it is pending, or only its pool can reset it.
    pub fn reset(&mut self, by_pool: bool) -> Result<()> {
        let state = &mut self.state;
        if !by_pool && !self.resettable {
            return Err(Error::misuse(
                "its pool lacks RESET_COMMAND_BUFFER (VUID-vkResetCommandBuffer-commandBuffer-00046)",
            ));
        }
        if let State::Executable(list) = state
            && list.pending.load(Ordering::Acquire) != 0
        {
            return Err(Error::misuse("it is pending (VUID-vkResetCommandBuffer-commandBuffer-00045)"));
        }
        let memory = core::mem::replace(state, State::Invalid("")).into_memory();
        *state = State::Initial(memory);
        Ok(())
    }

    /// What was recorded, to be run.
    ///
    /// # Errors
    /// When it is not executable.
    pub fn list(&mut self) -> Result<Arc<CommandList>> {
        let state = &mut self.state;
        match state {
            State::Executable(list) => {
                // What was recorded for one submission stays as it is too: programs submit such buffers again.
                Ok(Arc::clone(list))
            }
            State::Invalid(why) => Err(Error::misuse(*why)),
            State::Initial(_) | State::Recording(_) => Err(Error::misuse(
                "the command buffer is not executable (VUID-vkQueueSubmit-pCommandBuffers-00070)",
            )),
        }
    }

    /// Records with `make`'s commands. An error is kept, too, for `vkEndCommandBuffer`.
    #[inline]
    fn record(&mut self, make: impl FnOnce(&mut Recording) -> Result<()>) -> Result<()> {
        let state = &mut self.state;
        let State::Recording(recording) = state else {
            return Err(Error::misuse("the command buffer is not recording"));
        };
        make(recording).inspect_err(|error| {
            recording.error.get_or_insert_with(|| error.clone());
        })
    }

    /// Records a command.
    ///
    /// # Errors
    /// When it does not record.
    #[inline]
    pub fn push(&mut self, command: Command) -> Result<()> {
        self.record(|recording| {
            if let Some(instrumentation) = &recording.instrumentation {
                if matches!(command, Command::Execute(_)) {
                    return Err(Error::misuse(
                        "shader instrumentation is active (VUID-vkCmdExecuteCommands-commandBuffer-12373)",
                    ));
                }
                if command.has_result() {
                    recording.list.commands.push(Command::SetResult(instrumentation.next_result()));
                }
            }
            recording.list.commands.push(command);
            Ok(())
        })
    }

    /// Sets the execution graph.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_graph(&mut self, graph: &Arc<GraphPipeline>) -> Result<()> {
        self.record(|recording| {
            recording.graph = Some(Arc::clone(graph));
            recording.list.commands.push(Command::BindGraph(Arc::clone(graph)));
            Ok(())
        })
    }

    /// Runs the execution graph that is bound, which `begin` gets.
    ///
    /// # Errors
    /// When none is bound, the command buffer is secondary, or the scratch memory is not such as graphs ask for; and `begin`'s.
    pub fn dispatch_graph(
        &mut self,
        scratch: (u64, u64),
        begin: impl FnOnce(&GraphPipeline) -> Result<GraphDispatch>,
    ) -> Result<()> {
        let is_primary = self.level == vk::CommandBufferLevel::PRIMARY;
        let mut graph = None;
        self.record(|recording| {
            if !is_primary {
                return Err(Error::misuse(
                    "an execution graph in a secondary command buffer (VUID-vkCmdDispatchGraphAMDX-commandBuffer-09182)",
                ));
            }
            check_scratch(scratch)?;
            graph.clone_from(&recording.graph);
            Ok(())
        })?;
        let graph = graph.ok_or_else(|| {
            Error::misuse("no execution graph is bound (VUID-vkCmdDispatchGraphAMDX-None-08606)")
        });
        match graph.and_then(|graph| begin(&graph)) {
            Ok(dispatch) => self.push(Command::DispatchGraph(Box::new(dispatch))),
            Err(error) => self.record(|_| Err(error)),
        }
    }

    /// Checks the scratch memory of an execution graph, which needs no initialization.
    ///
    /// # Errors
    /// When it is not such as graphs ask for.
    pub fn initialize_scratch(&mut self, scratch: (u64, u64)) -> Result<()> {
        self.record(|_| check_scratch(scratch))
    }

    /// Lets shaders count from here on.
    ///
    /// # Errors
    /// When they do already.
    pub fn begin_instrumentation(&mut self, instrumentation: Arc<ShaderInstrumentation>) -> Result<()> {
        self.record(|recording| {
            if recording.instrumentation.is_some() {
                return Err(Error::misuse(
                    "shader instrumentation is active (VUID-vkCmdBeginShaderInstrumentationARM-commandBuffer-12375)",
                ));
            }
            recording.instrumentation = Some(Arc::clone(&instrumentation));
            recording.list.commands.push(Command::BeginInstrumentation(instrumentation));
            Ok(())
        })
    }

    /// Takes the result index of a command that has nothing to do; without instrumentation there is none.
    ///
    /// # Errors
    /// When it does not record.
    pub fn skip_result(&mut self) -> Result<()> {
        self.record(|recording| {
            if let Some(instrumentation) = &recording.instrumentation {
                instrumentation.next_result();
            }
            Ok(())
        })
    }

    /// Lets shaders count no more.
    ///
    /// # Errors
    /// When they do not.
    pub fn end_instrumentation(&mut self) -> Result<()> {
        self.record(|recording| {
            recording.instrumentation.take().ok_or_else(|| {
                Error::misuse(
                    "shader instrumentation is not active \
                     (VUID-vkCmdEndShaderInstrumentationARM-commandBuffer-12377)",
                )
            })?;
            recording.list.commands.push(Command::EndInstrumentation);
            Ok(())
        })
    }

    /// Keeps an error for `vkEndCommandBuffer`.
    pub fn poison(&mut self, error: &Error) {
        let _ = self.record(|_| Err(error.clone()));
    }

    /// Sets the compute pipeline.
    ///
    /// # Errors
    /// When it does not record.
    #[inline]
    pub fn bind_pipeline(&mut self, pipeline: impl Shared<ComputePipeline>) -> Result<()> {
        self.record(|recording| {
            let number = recording.list.pipelines.insert(pipeline);
            recording.list.commands.push(Command::BindPipeline(number));
            Ok(())
        })
    }

    /// Sets the pipeline of subpass shading.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_subpass_pipeline(&mut self, pipeline: impl Shared<ComputePipeline>) -> Result<()> {
        self.record(|recording| {
            let number = recording.list.pipelines.insert(pipeline);
            recording.list.commands.push(Command::BindSubpassPipeline(number));
            Ok(())
        })
    }

    /// Sets the graphics pipeline.
    ///
    /// # Errors
    /// When it does not record.
    #[inline]
    pub fn bind_graphics_pipeline(&mut self, pipeline: impl Shared<GraphicsPipeline>) -> Result<()> {
        self.record(|recording| {
            let number = recording.list.graphics_pipelines.insert(pipeline);
            recording.list.commands.push(Command::BindGraphicsPipeline(number));
            Ok(())
        })
    }

    /// Sets the ray tracing pipeline.
    ///
    /// # Errors
    /// When it does not record, or the pipeline is only a library.
    pub fn bind_ray_pipeline(&mut self, pipeline: impl Shared<RayPipeline>) -> Result<()> {
        if pipeline.object().is_library() {
            return Err(Error::misuse("a library is bound (VUID-vkCmdBindPipeline-pipeline-03382)"));
        }
        self.record(|recording| {
            let number = recording.list.ray_pipelines.insert(pipeline);
            recording.list.commands.push(Command::BindRayPipeline(number));
            Ok(())
        })
    }

    /// Binds a set, or none, as number `number`.
    ///
    /// # Errors
    /// When the layout has fewer sets, or the set has dynamic buffers: they have no offsets.
    #[inline]
    pub fn bind_set(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        number: u32,
        set: Option<impl Shared<DescriptorSet>>,
    ) -> Result<()> {
        if set.as_ref().is_some_and(|set| set.object().layout().dynamic_count() != 0) {
            let sets = SmallVec::from_iter([set.map(|set| set.share())]);
            return self.bind_sets(point, layout, number, sets, &[]);
        }
        if number as usize >= layout.sets().len() {
            return Err(too_many_sets());
        }
        self.record(|recording| {
            recording.bind_set(point, number, set);
            Ok(())
        })
    }

    /// Binds sets.
    ///
    /// # Errors
    /// When the layout has fewer sets or other ones, or the dynamic offsets do not suffice.
    pub fn bind_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        first: u32,
        sets: SmallVec<[Option<Arc<DescriptorSet>>; 4]>,
        dynamic_offsets: &[u32],
    ) -> Result<()> {
        let first = first as usize;
        if first.saturating_add(sets.len()) > layout.sets().len() {
            return Err(too_many_sets());
        }
        let mut dynamic = SmallVec::new();
        let mut offsets = dynamic_offsets.iter();
        let mut index = layout.dynamic_before(first);
        for (number, set) in sets.iter().enumerate() {
            for binding in set.iter().flat_map(|set| set.layout().bindings().iter()) {
                if binding.dynamic_first.is_none() {
                    continue;
                }
                for element in 0..binding.info.count {
                    let &offset = offsets.next().ok_or_else(|| {
                        Error::misuse(
                            "too few dynamic offsets (VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359)",
                        )
                    })?;
                    let place = binding.offset + element * binding.stride;
                    dynamic.push(DynamicBuffer { index, set: number as u32, place, offset });
                    index += 1;
                }
            }
        }
        if offsets.next().is_some() {
            return Err(Error::misuse(
                "too many dynamic offsets (VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359)",
            ));
        }
        self.push(Command::BindSets(Box::new(BindSets { point, first, sets, dynamic })))
    }

    /// Says which buffers hold descriptors, by address.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_descriptor_buffers(&mut self, addresses: impl Iterator<Item = u64>) -> Result<()> {
        self.record(|recording| {
            recording.descriptor_buffers = addresses.collect();
            Ok(())
        })
    }

    /// Binds sets from number `first` on that lie in these buffers, each given by number and an offset in it.
    ///
    /// # Errors
    /// When the layout has fewer sets, or there is no such buffer.
    pub fn set_descriptor_offsets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        first: u32,
        places: impl ExactSizeIterator<Item = (u32, u64)>,
    ) -> Result<()> {
        let first = first as usize;
        let layouts = layout.sets().get(first..).and_then(|sets| sets.get(..places.len())).ok_or_else(|| {
            Error::misuse(
                "more sets than the pipeline layout has (VUID-vkCmdSetDescriptorBufferOffsetsEXT-firstSet-08066)",
            )
        })?;
        self.record(|recording| {
            let sets = places.zip(layouts).map(|((buffer, offset), layout)| {
                let address = recording.descriptor_buffers.get(buffer as usize).ok_or_else(|| {
                    Error::misuse(
                        "no such descriptor buffer is bound \
                         (VUID-vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-08065)",
                    )
                })?;
                Ok((address.wrapping_add(offset), Arc::clone(layout)))
            });
            let bind = BindAddresses { point, first, sets: sets.collect::<Result<_>>()? };
            recording.list.commands.push(Command::BindAddresses(Box::new(bind)));
            Ok(())
        })
    }

    /// Binds the samplers that the set layout number `set` has itself.
    ///
    /// # Errors
    /// When the layout has no such set, or there is no memory.
    pub fn bind_embedded_samplers(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        set: u32,
    ) -> Result<()> {
        let set_layout = layout.sets().get(set as usize).ok_or_else(|| {
            Error::misuse(
                "the pipeline layout has no such set (VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-set-08071)",
            )
        })?;
        let samplers = Arc::new(DescriptorSet::new(Arc::clone(set_layout), None)?);
        self.record(|recording| {
            recording.bind_set(point, set, Some(&samplers));
            Ok(())
        })
    }

    /// Changes the push descriptor set number `set` by `write` and binds it.
    ///
    /// # Errors
    /// When the layout has no push descriptor set there, and `write`'s.
    pub fn push_descriptors(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        set: u32,
        write: impl FnOnce(&DescriptorSet) -> Result<()>,
    ) -> Result<()> {
        let set_layout = layout.sets().get(set as usize).filter(|set| set.is_push()).ok_or_else(|| {
            Error::misuse(
                "the set's layout is not for push descriptors (VUID-vkCmdPushDescriptorSet-set-00365)",
            )
        })?;
        self.record(|recording| {
            let next = match recording.pushed.get(&(point, set)) {
                Some(old) if Arc::ptr_eq(old.layout(), set_layout) => old.duplicate()?,
                _ => DescriptorSet::new(Arc::clone(set_layout), None)?,
            };
            write(&next)?;
            let next = Arc::new(next);
            recording.bind_set(point, set, Some(&next));
            recording.pushed.insert((point, set), next);
            Ok(())
        })
    }

    /// Writes push constants.
    ///
    /// # Errors
    /// When they are beyond the limit.
    pub fn push_constants(&mut self, offset: u32, bytes: &[u8]) -> Result<()> {
        if offset as usize + bytes.len() > pyro_abi::MAX_PUSH_CONSTANT_BYTES || !offset.is_multiple_of(4) {
            return Err(Error::misuse(
                "push constants beyond maxPushConstantsSize (VUID-vkCmdPushConstants-offset-00370)",
            ));
        }
        self.push(match PushWords::new(offset, bytes) {
            Some(words) => Command::PushWords(words),
            None => Command::PushConstants { offset, bytes: bytes.into() },
        })
    }

    /// Copies pieces of one buffer to another.
    ///
    /// # Errors
    /// When a piece is outside.
    pub fn copy(
        &mut self,
        source: &Buffer,
        target: &Buffer,
        regions: impl Iterator<Item = (u64, u64, u64)>,
    ) -> Result<()> {
        let ranges = regions.map(|(source_offset, target_offset, size)| {
            Ok((source.range(source_offset, size)?, target.range(target_offset, size)?))
        });
        self.push(Command::Copy(ranges.collect::<Result<_>>()?))
    }

    /// What was recorded into a secondary command buffer, to be run by another one.
    ///
    /// # Errors
    /// When it is not executable or not secondary.
    pub fn secondary_list(&mut self) -> Result<Arc<CommandList>> {
        if self.level == vk::CommandBufferLevel::SECONDARY {
            self.list()
        } else {
            Err(Error::misuse("not secondary (VUID-vkCmdExecuteCommands-pCommandBuffers-00088)"))
        }
    }
}
