//! Runs recorded commands, one after another, on the thread of a queue.

use super::bind_point::{ComputePoint, Groups};
use super::raytrace::RayState;
use super::render::Rendering;
use super::sets::Sets;
use super::{BindSets, Command, CommandList};
use crate::caps::limits::MAX_DYNAMIC_BUFFERS;
use crate::device::DeviceCore;
use crate::objects::memory::mapped::{self, Range};
use crate::objects::query::{Counters, QueryKind, QueryPool};
use crate::objects::sync::wait;
use crate::pipeline::cuda::KernelLaunch;
use crate::pipeline::execution_graph::{GraphDispatch, GraphPipeline};
use crate::pipeline::graphics::{GraphicsPipeline, GraphicsState, ShaderObject, stages};
use crate::pipeline::instrumentation::ShaderInstrumentation;
use crate::system;
use pyro_abi::{BufferDescriptor, DispatchContext};
use pyro_engine::execution_graph::NodeDraw;
use pyro_engine::graphics::{Dropped, Frame, Rect, RegionWork};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use vulkanalia_sys as vk;

/// Why running stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All was run.
    Done,
    /// The device is lost, or goes away.
    Stopped,
}

/// What the commands of one command buffer set for those after them.
pub struct CommandProcessor<'d> {
    pub(super) device: &'d DeviceCore,
    /// Ends waits when the queue goes away.
    quit: &'d AtomicBool,
    pub(super) compute: ComputePoint,
    /// The bind point of subpass shading, once something is bound there.
    subpass: Option<Box<ComputePoint>>,
    /// Queries under way, with what was counted when they began.
    queries: Vec<(Arc<QueryPool>, [u32; 2], Counters)>,
    /// What was counted so far.
    counters: Counters,
    rendering: Box<Rendering>,
    pub(super) rays: Box<RayState>,
    /// Conditional rendering leaves commands out.
    skips: bool,
    /// The execution graph bind point, once it is used.
    graph: Option<Box<GraphState>>,
    /// Where shaders count, and the result index of the next command.
    instrumentation: Option<(Arc<ShaderInstrumentation>, u32)>,
}

/// What draws have, while nodes of a graph draw.
struct SavedGraphics {
    state: GraphicsState,
    pipeline: Option<Arc<GraphicsPipeline>>,
    shaders: [Option<Arc<ShaderObject>>; stages::SHADER_COUNT],
}

/// What is bound to the execution graph bind point.
struct GraphState {
    pipeline: Option<Arc<GraphPipeline>>,
    sets: Sets,
    dynamic: [BufferDescriptor; MAX_DYNAMIC_BUFFERS as usize],
}

/// What the commands of a command buffer have set, for the next one (`VK_NV_command_buffer_inheritance`).
pub struct InheritedState {
    compute: ComputePoint,
    subpass: Option<Box<ComputePoint>>,
    rendering: Box<Rendering>,
    rays: Box<RayState>,
}

impl<'d> CommandProcessor<'d> {
    /// An executor in the state that a command buffer starts in.
    pub fn new(device: &'d DeviceCore, quit: &'d AtomicBool) -> CommandProcessor<'d> {
        let dynamic_graphics = Box::new([BufferDescriptor::default(); MAX_DYNAMIC_BUFFERS as usize]);
        let context = DispatchContext {
            null_image: device.textures.null_image(),
            null_sampler: device.textures.null_sampler(),
            ray_query: pyro_raytrace::query::function(),
            ..DispatchContext::default()
        };
        let graphics =
            DispatchContext { dynamic_buffers: dynamic_graphics.as_ptr() as u64, ..context.clone() };
        CommandProcessor {
            device,
            quit,
            compute: ComputePoint::new(context),
            subpass: None,
            queries: Vec::new(),
            counters: Counters::default(),
            rendering: Box::new(Rendering::new(graphics, dynamic_graphics)),
            rays: Box::default(),
            skips: false,
            graph: None,
            instrumentation: None,
        }
    }

    /// Runs the list of a primary command buffer on the queue of this number; nobody else does at the same time.
    pub fn run_on_queue(
        device: &'d DeviceCore,
        quit: &'d AtomicBool,
        queue: u32,
        list: &CommandList,
    ) -> Outcome {
        pyro_engine::set_caller(queue);
        let mut executor = CommandProcessor::new(device, quit);
        let Some(inherited) = &device.inherited else { return executor.run(list) };
        let take = || inherited.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inherited) = take().remove(&queue) {
            executor.resume(inherited);
        }
        let outcome = executor.run(list);
        take().insert(queue, executor.carry());
        outcome
    }

    /// Goes on with what another command buffer has set.
    fn resume(&mut self, inherited: InheritedState) {
        let InheritedState { compute, subpass, mut rendering, rays } = inherited;
        // What draws go to is the command buffer's own.
        (rendering.targets, rendering.counting, rendering.inherited_counting) = (None, false, false);
        rendering.pending.clear();
        rendering.transform_feedback = Default::default();
        rendering.instrumentation = None;
        (self.compute, self.subpass, self.rendering) = (compute, subpass, rendering);
        self.rays = rays;
        // Their memory may be another by now.
        self.compute.sets();
        if let Some(subpass) = &mut self.subpass {
            subpass.sets();
        }
    }

    /// What it has set.
    fn carry(self) -> InheritedState {
        let CommandProcessor { compute, subpass, rendering, rays, .. } = self;
        InheritedState { compute, subpass, rendering, rays }
    }

    /// Runs a list.
    pub fn run(&mut self, list: &CommandList) -> Outcome {
        for command in &list.commands {
            if !command.keeps_draw_batch_open() || self.rendering.pending.is_full() {
                self.run_draws(Vec::new(), Default::default());
            }
            if self.device.is_lost() || self.command(list, command) == Outcome::Stopped {
                return Outcome::Stopped;
            }
        }
        self.run_draws(Vec::new(), Default::default());
        Outcome::Done
    }

    fn command(&mut self, list: &CommandList, command: &Command) -> Outcome {
        if self.skips && command.is_conditional() {
            return Outcome::Done;
        }
        match command {
            Command::BindPipeline(number) => self.compute.bind_pipeline(Some(list.pipelines.get(*number))),
            Command::BindSubpassPipeline(number) => {
                self.subpass().bind_pipeline(Some(list.pipelines.get(*number)));
            }
            Command::BindGraphicsPipeline(number) => {
                self.rendering.bind_pipeline(list.graphics_pipelines.get(*number));
            }
            Command::BindRayPipeline(number) => self.rays.bind_pipeline(list.ray_pipelines.get(*number)),
            Command::BindShader(vk::ShaderStageFlags::COMPUTE, shader) => {
                self.compute.bind_pipeline(shader.as_ref().and_then(|shader| shader.compute()));
            }
            Command::BindShader(stage, shader) => self.rendering.bind_shader(*stage, shader.as_ref()),
            Command::BindSets(bind) => self.bind_sets(bind),
            Command::BindSet(bind) => {
                let set = bind.set.map(|number| &**list.sets.get(number));
                self.sets_of(bind.point).bind(bind.number as usize, [set]);
            }
            Command::PushWords(words) => self.push_constants(words.offset.into(), words.bytes()),
            Command::PushConstants { offset, bytes } => self.push_constants(*offset as usize, bytes),
            Command::BindHeap(heap, address, bytes) => {
                use vk::PipelineBindPoint as Point;
                for point in [Point::COMPUTE, Point::GRAPHICS, Point::SUBPASS_SHADING_HUAWEI] {
                    self.sets_of(point).bind_heap(*heap, *address, *bytes);
                }
            }
            Command::BindAddresses(bind) => self.sets_of(bind.point).bind_addresses(bind),
            Command::Dispatch { base, count } => return self.run_dispatch(*base, *count),
            Command::ShadeSubpass => return self.shade_subpass(),
            Command::DispatchIndirect(range) => return self.run_indirect(range),
            Command::LaunchKernel(launch) => return self.launch_kernel(launch),
            Command::TraceRays(launch) => return self.trace_rays(launch),
            Command::Copy(pairs) => pairs.iter().for_each(|(source, target)| target.copy_from(source)),
            Command::CopyTensor(copy) => copy.run(),
            Command::Fill(range, word) => range.fill(*word),
            Command::Update(range, bytes) => range.write(0, bytes),
            Command::PutEvent(event, set) => event.put(*set),
            Command::WaitEvents(events) => {
                let quit = || self.quit.load(Ordering::Acquire) || self.device.is_lost();
                let sources = events.iter().map(|event| event.waiters());
                let ready = || (events.iter().all(|event| event.is_set()) || quit()).then_some(());
                wait::wait(sources, None, ready);
                if quit() {
                    return Outcome::Stopped;
                }
            }
            Command::ResetQueries(pool, first, count) => pool.reset(*first, *count),
            Command::BeginQuery(pool, query, stream) => {
                self.queries.push((Arc::clone(pool), [*query, *stream], self.counters()));
                self.count_samples();
            }
            Command::EndQuery(pool, query, stream) => {
                let is_it = |other: &(Arc<QueryPool>, [u32; 2], Counters)| {
                    Arc::ptr_eq(&other.0, pool) && other.1 == [*query, *stream]
                };
                if let Some(index) = self.queries.iter().position(is_it) {
                    let (pool, [query, stream], before) = self.queries.swap_remove(index);
                    pool.end(query, stream, &self.counters().since(&before), self.view_count());
                }
                self.count_samples();
            }
            Command::WriteTimestamp(pool, query) => {
                pool.write_timestamp(*query, system::monotonic_ns(), self.view_count());
            }
            Command::CopyQueryResults(copy) => {
                let (pieces, _) = copy.pool.results(copy.first, copy.count, copy.layout);
                for (offset, bytes) in pieces {
                    copy.target.write(offset, &bytes);
                }
            }
            Command::Execute(lists) => {
                let inherit =
                    self.device.inherited.is_none() && lists.iter().any(|list| list.inherits_viewports);
                // What lists leave behind for others of the same command.
                let mut viewports = inherit.then(|| self.rendering.state.clone());
                for list in lists {
                    if self.device.inherited.is_some() {
                        // All state goes through (`VK_NV_command_buffer_inheritance`).
                        if self.run(list) == Outcome::Stopped {
                            return Outcome::Stopped;
                        }
                        continue;
                    }
                    // A secondary command buffer inherits no state, but for viewports where it is said to, and leaves
                    // none behind; its invocations count in the queries around it.
                    let mut inner = CommandProcessor::new(self.device, self.quit);
                    inner.rendering.inherit(&self.rendering);
                    if let Some(viewports) = viewports.as_ref().filter(|_| list.inherits_viewports) {
                        inner.rendering.state.take_viewports(viewports);
                    }
                    inner.skips = self.skips;
                    let outcome = inner.run(list);
                    self.counters.add(&inner.counters());
                    if let Some(viewports) = &mut viewports {
                        viewports.take_viewports(&inner.rendering.state);
                    }
                    if outcome == Outcome::Stopped {
                        return outcome;
                    }
                }
            }
            // What came before has run by now.
            Command::Barrier => {}
            Command::Transfer(list) => list.iter().for_each(|transfer| transfer.run(&self.device.engine)),
            Command::Structures(command) => command.run(&self.device.engine),
            Command::ConvertMatrices(conversions) => {
                conversions.iter().for_each(|conversion| conversion.run())
            }
            Command::CopyIndirect(copy) => copy.run(|transfer| transfer.run(&self.device.engine)),
            Command::Render(step) => {
                let dropped = self.rendering.dropped(step);
                self.run_draws(Rendering::resolves(step), dropped);
                self.rendering.begin(step);
            }
            Command::SetState(change) => {
                self.rendering.state.set(change);
                self.rendering.pending.changed();
            }
            Command::BindVertexBuffers(bind) => self.rendering.bind_vertex_buffers(bind),
            Command::BindIndexBuffer(buffer) => self.rendering.bind_index_buffer(buffer),
            Command::SetRestartIndex(index) => self.rendering.set_restart_index(*index),
            Command::BeginConditional(range, inverted) => {
                let mut word = [0; 4];
                range.read(0, &mut word);
                self.skips = (word == [0; 4]) != *inverted;
            }
            Command::EndConditional => self.skips = false,
            Command::BindGraph(graph) => self.graph().pipeline = Some(Arc::clone(graph)),
            Command::DispatchGraph(dispatch) => return self.run_graph(dispatch),
            Command::BeginInstrumentation(object) => self.instrument(Some((object, 0))),
            Command::SetResult(result) => {
                if let Some((object, _)) = self.instrumentation.take() {
                    self.instrument(Some((&object, *result)));
                }
            }
            Command::EndInstrumentation => self.instrument(None),
            Command::ClearAttachments(clear) => {
                let clears = self.rendering.clear_attachments(clear);
                self.rendering.pending.before.extend(clears);
            }
            Command::Draw(draw) => self.rendering.draw(self.device, draw),
            Command::DrawIndexed(draw) => self.rendering.draw_indexed(self.device, draw),
            Command::DrawMesh(draw) => self.rendering.draw_mesh(self.device, draw),
            Command::DrawIndirect(draw) => self.rendering.draw_indirect(self.device, draw),
            Command::BindFeedbackBuffers(bind) => self.rendering.transform_feedback.bind(bind),
            Command::BeginFeedback(counters) => self.rendering.transform_feedback.begin(counters),
            Command::EndFeedback(counters) => self.rendering.transform_feedback.end(counters),
            Command::DrawByteCount(draw) => self.rendering.draw_byte_count(self.device, draw),
        }
        Outcome::Done
    }

    /// Runs the draws that were collected, with the clears before them and what comes after them. `dropped`: attachments
    /// that nobody needs afterwards within an area.
    fn run_draws(&mut self, after: Vec<RegionWork>, (dropped, dropped_area): (Vec<Dropped>, Rect)) {
        let pending = &mut self.rendering.pending;
        if !(pending.draws.is_empty() && pending.before.is_empty() && after.is_empty()) {
            let (before, draws) = (core::mem::take(&mut pending.before), core::mem::take(&mut pending.draws));
            match mapped::render(&self.device.engine, Frame { before, draws, after, dropped, dropped_area }) {
                Ok(statistics) => self.counters.graphics += statistics,
                Err(pyro_engine::DispatchError::Aborted) => self.device.lose(),
            }
        }
        pending.clear();
    }

    /// What was counted so far, captures included.
    fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.add_captured(&self.rendering.transform_feedback.counts);
        counters
    }

    /// Queries that one command writes: with multiview, one for each view.
    fn view_count(&self) -> u32 {
        let views = self.rendering.targets.as_ref().map_or(0, |targets| targets.view_mask);
        views.count_ones().max(1)
    }

    /// Draws count samples while an occlusion query is under way.
    fn count_samples(&mut self) {
        let counting = self.rendering.inherited_counting
            || self.queries.iter().any(|(pool, ..)| pool.kind() == QueryKind::Occlusion);
        if counting != self.rendering.counting {
            self.rendering.pending.changed();
        }
        self.rendering.counting = counting;
    }

    /// Says where the shaders of the next command count.
    fn instrument(&mut self, to: Option<(&Arc<ShaderInstrumentation>, u32)>) {
        self.instrumentation = to.map(|(object, result)| (Arc::clone(object), result));
        self.rendering.instrumentation.clone_from(&self.instrumentation);
        self.rendering.pending.changed();
    }

    fn push_constants(&mut self, offset: usize, bytes: &[u8]) {
        let range = offset..offset + bytes.len();
        self.compute.context().push_constants[range.clone()].copy_from_slice(bytes);
        if let Some(subpass) = &mut self.subpass {
            subpass.context().push_constants[range.clone()].copy_from_slice(bytes);
        }
        self.rendering.context.push_constants[range].copy_from_slice(bytes);
        self.rendering.pending.extend = false;
    }

    /// The bind point of subpass shading. Push constants are those of all.
    fn subpass(&mut self) -> &mut ComputePoint {
        let context = self.compute.context();
        self.subpass.get_or_insert_with(|| Box::new(ComputePoint::new(context.clone())))
    }

    /// The sets of a bind point, to be changed.
    fn sets_of(&mut self, point: vk::PipelineBindPoint) -> &mut Sets {
        match point {
            vk::PipelineBindPoint::GRAPHICS => {
                self.rendering.pending.extend = false;
                &mut self.rendering.sets
            }
            vk::PipelineBindPoint::RAY_TRACING_KHR => &mut self.rays.sets,
            vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX => &mut self.graph().sets,
            vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI => self.subpass().sets(),
            _ => self.compute.sets(),
        }
    }

    fn bind_sets(&mut self, bind: &BindSets) {
        let dynamics: &mut [BufferDescriptor; MAX_DYNAMIC_BUFFERS as usize] = match bind.point {
            vk::PipelineBindPoint::GRAPHICS => &mut self.rendering.dynamic,
            vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX => &mut self.graph().dynamic,
            vk::PipelineBindPoint::RAY_TRACING_KHR => &mut self.rays.dynamic,
            vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI => self.subpass().dynamic(),
            _ => self.compute.dynamic(),
        };
        for dynamic in &bind.dynamic {
            if let Some(set) = &bind.sets[dynamic.set as usize] {
                dynamics[dynamic.index as usize] = set.dynamic_buffer(dynamic.place, dynamic.offset);
            }
        }
        self.sets_of(bind.point).bind(bind.first, bind.sets.iter().map(|set| set.as_deref()));
    }

    /// The execution graph bind point.
    fn graph(&mut self) -> &mut GraphState {
        self.graph.get_or_insert_with(|| {
            let dynamic = [BufferDescriptor::default(); MAX_DYNAMIC_BUFFERS as usize];
            Box::new(GraphState { pipeline: None, sets: Sets::default(), dynamic })
        })
    }

    fn run_graph(&mut self, dispatch: &GraphDispatch) -> Outcome {
        let mut context = self.compute.context().clone();
        context.instrumentation = 0;
        let state = self.graph();
        // Without a pipeline there is nothing to run: recording said so.
        let Some(pipeline) = state.pipeline.clone() else { return Outcome::Done };
        context.dynamic_buffers = state.dynamic.as_ptr() as u64;
        if state.sets.show(pipeline.layout(), &mut context.sets).is_none() {
            self.device.lose();
            return Outcome::Stopped;
        }
        let device = self.device;
        let saved = self.begin_nodes(&pipeline);
        let mut result = Ok(());
        pipeline.begin(dispatch, &mut |inputs| {
            let (graph, mut draw) = (pipeline.graph(), |draws| self.draw_nodes(&pipeline, draws));
            let ran = mapped::run_graph(&device.engine, graph, &context, inputs, &mut draw);
            result = ran.map(|invocations| {
                let counted = &mut self.counters.compute_invocations;
                *counted = counted.saturating_add(invocations);
            });
            result.is_ok()
        });
        self.end_nodes(saved);
        match result {
            Ok(()) => Outcome::Done,
            Err(pyro_engine::DispatchError::Aborted) => {
                self.device.lose();
                Outcome::Stopped
            }
        }
    }

    /// Gives draws what is bound for graphs, where nodes draw.
    fn begin_nodes(&mut self, pipeline: &GraphPipeline) -> Option<SavedGraphics> {
        if !pipeline.draws() {
            return None;
        }
        self.swap_sets();
        let rendering = &mut self.rendering;
        let shaders = std::mem::take(&mut rendering.shaders);
        Some(SavedGraphics { state: rendering.state.clone(), pipeline: rendering.pipeline.take(), shaders })
    }

    /// Draws what nodes of a graph draw.
    fn draw_nodes(
        &mut self,
        graph: &GraphPipeline,
        draws: Vec<NodeDraw>,
    ) -> Result<(), pyro_engine::DispatchError> {
        for draw in draws {
            let Some(pipeline) = graph.mesh(draw.node) else { continue };
            if self.rendering.pending.is_full() {
                self.run_draws(Vec::new(), Default::default());
            }
            self.rendering.bind_pipeline(pipeline);
            self.rendering.draw_node(self.device, draw.groups, draw.payload);
        }
        self.run_draws(Vec::new(), Default::default());
        if self.device.is_lost() { Err(pyro_engine::DispatchError::Aborted) } else { Ok(()) }
    }

    fn end_nodes(&mut self, saved: Option<SavedGraphics>) {
        let Some(SavedGraphics { state, pipeline, shaders }) = saved else { return };
        self.swap_sets();
        let rendering = &mut self.rendering;
        (rendering.state, rendering.pipeline, rendering.shaders) = (state, pipeline, shaders);
        rendering.pending.changed();
    }

    /// Exchanges the sets of draws and graphs.
    fn swap_sets(&mut self) {
        self.graph();
        if let Some(graph) = &mut self.graph {
            std::mem::swap(&mut graph.sets, &mut self.rendering.sets);
            std::mem::swap(&mut graph.dynamic, &mut *self.rendering.dynamic);
            self.rendering.pending.changed();
        }
    }

    fn run_indirect(&mut self, range: &Range) -> Outcome {
        let mut bytes = [0; 12];
        range.read(0, &mut bytes);
        let count = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        self.run_dispatch([0; 3], [count(0), count(4), count(8)])
    }

    fn launch_kernel(&mut self, launch: &KernelLaunch) -> Outcome {
        let dispatch = launch.dispatch(self.compute.context().clone());
        match mapped::dispatch(&self.device.engine, &dispatch) {
            Ok(()) => Outcome::Done,
            Err(pyro_engine::DispatchError::Aborted) => {
                self.device.lose();
                Outcome::Stopped
            }
        }
    }

    fn run_dispatch(&mut self, base: [u32; 3], count: [u32; 3]) -> Outcome {
        let groups = Groups { base, count, ..Groups::default() };
        let counting = self.instrumentation.as_ref();
        self.compute.run(self.device, groups, counting, &mut self.counters.compute_invocations)
    }

    /// Runs an invocation for each pixel of the render area, and each layer (`vkCmdSubpassShadingHUAWEI`).
    fn shade_subpass(&mut self) -> Outcome {
        let (Some(targets), Some(point)) = (&self.rendering.targets, &mut self.subpass) else {
            return Outcome::Done;
        };
        let Some(pipeline) = point.pipeline() else { return Outcome::Done };
        let vk::Rect2D { offset, extent } = targets.area;
        let size = pipeline.kernel().info().workgroup_size;
        let pixels = [extent.width, extent.height, targets.layers];
        let count = std::array::from_fn(|at| pixels[at].div_ceil(size[at].max(1)));
        let area_offset = [offset.x, offset.y].map(|at| at as u32);
        let groups = Groups { count, area_offset, ..Groups::default() };
        let counting = self.instrumentation.as_ref();
        point.run(self.device, groups, counting, &mut self.counters.compute_invocations)
    }
}
