//! What the commands of a command buffer set for those after them, while a queue runs it.
//!
//! Problem: a command costs little, so state must be changed in place and nothing prepared twice. Each bind
//! point holds the dispatch or draw record that the next command completes; draws of the same state are
//! collected in a [`draw_batch::DrawBatch`] and handed to the engine when another command needs their
//! results.
//!
//! Invariant: addresses in a record are of objects that the command list keeps alive ([`CommandListAlive`]).
//!
//! *Must not know* commands and command lists: `family` and `execute` call this, not the other way round.

pub(super) mod attribution;
pub(super) mod bind_point;
mod data_graph;
pub(super) mod device_group;
pub(super) mod draw_batch;
mod draw_state;
mod execution_graph;
pub(super) mod pending_draws;
pub(super) mod rendering;
pub(super) mod sets;
mod substitute_targets;
pub(super) mod transform_feedback;

use crate::command::followed::Follower;
use crate::command::render_pass::{Step, Tile};
use crate::execution::unsafe_engine::{self, CommandListAlive};
use crate::objects::device_core::DeviceCore;
use crate::objects::image::ImageView;
use crate::objects::query::{Counters, QueryPool};
use crate::objects::sync::progress::QueueProgress;
use crate::objects::sync::{Event, wait};
use crate::pipeline::cuda::KernelLaunch;
use crate::pipeline::execution_set::Choices;
use crate::pipeline::instrumentation::ShaderInstrumentation;
use crate::pipeline::raytrace::RayPipeline;
use crate::report::Severity;
use attribution::Attribution;
use bind_point::{ComputeBindPoint, DynamicBuffers, Groups, no_dynamic_buffers};
use data_graph::DataGraphState;
use execution_graph::GraphState;
use pending_draws::RunningDraws;
use pyro_abi::{DispatchContext, PUSH_BANKS_BYTES};
use pyro_engine::Engine;
use pyro_engine::raytrace::{InvocationMask, Table, TraceRays};
use pyro_sanitizer::trace::EventKind;
use pyro_util::sanitize::Kind;
use rendering::Rendering;
use sets::Sets;
use std::sync::Arc;
use substitute_targets::SubstituteTargets;
use vulkanalia_sys as vk;

/// Why running stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All commands have run.
    Done,
    /// The device is lost or is being destroyed.
    Stopped,
}

/// The state of a command buffer that runs.
pub struct CommandProcessor<'d> {
    /// Draws that run meanwhile; dropped first, since they look at what else is here.
    running_draws: Option<RunningDraws<'d>>,
    pub(super) device: &'d DeviceCore,
    /// Ends waits when the queue is destroyed, and is told of them.
    progress: &'d QueueProgress,
    /// The command list that runs, and with it all that its commands name, is alive.
    pub(super) alive: CommandListAlive<'d>,
    /// The number of the queue whose commands run.
    pub(super) queue: u32,
    /// The physical devices whose commands it runs, by device mask; their states are the same.
    pub(super) devices: u32,
    pub(super) compute: ComputeBindPoint,
    /// The bind point of subpass shading, once something is bound there.
    subpass: Option<Box<ComputeBindPoint>>,
    /// Queries under way, with the counters when they began.
    queries: Vec<(Arc<QueryPool>, [u32; 2], Counters)>,
    /// Everything counted so far.
    pub(super) counters: Counters,
    pub(super) rendering: Box<Rendering>,
    pub(super) rays: Box<RayState>,
    /// Conditional rendering skips commands.
    pub(super) skips_conditional: bool,
    /// The bind point of execution graphs, once it is used.
    graph: Option<Box<GraphState>>,
    /// The bind point of data graphs, once it is used.
    data_graph: Option<Box<DataGraphState>>,
    /// Banks of push constants behind the first, once something is pushed there.
    push_banks: Option<Box<PushBanks>>,
    /// What the sanitizer is told, where it follows commands.
    pub(super) follow: Option<Box<Follower>>,
    /// The instrumentation under way, and the result index of the next command.
    instrumentation: Option<(Arc<ShaderInstrumentation>, u32)>,
    /// What a profile is told, if there is one.
    pub(super) attribution: Option<Box<Attribution>>,
    /// The pipelines of generated commands, which nothing else keeps.
    pub(super) kept: Vec<Choices>,
}

/// Banks of push constants behind the first; dispatches and draws have the address.
#[repr(align(64))]
struct PushBanks([u8; PUSH_BANKS_BYTES]);

/// What these banks are before something is pushed there.
static EMPTY_PUSH_BANKS: PushBanks = PushBanks([0; PUSH_BANKS_BYTES]);

/// What a view with a byte for each texel says of the invocations of a launch; nothing, if its image has no
/// memory.
fn invocation_mask(view: &ImageView) -> Option<InvocationMask> {
    let (block, first) = view.image().memory(view.plane()).ok()?;
    let layout = view.image().layout();
    let [width, height, _] = layout.levels.get(view.level() as usize)?.extent;
    let mut bytes = vec![0; width as usize * height as usize];
    // Rows of tiles are no rows of texels.
    let run = if layout.tile.is_some() { 1 } else { width };
    for (number, run_bytes) in bytes.chunks_exact_mut(run as usize).enumerate() {
        let texel = number as u32 * run;
        let offset = layout.offset(view.level(), view.first_layer(), 0, [texel % width, texel / width, 0]);
        block.read(first + offset, run_bytes);
    }
    Some(InvocationMask { width, bytes })
}

/// The bind point of ray tracing pipelines.
pub(super) struct RayState {
    pipeline: Option<Arc<RayPipeline>>,
    sets: Sets,
    dynamic: DynamicBuffers,
    /// `vkCmdSetRayTracingPipelineStackSizeKHR`
    pub(super) stack_bytes: Option<u32>,
    /// `vkCmdBindInvocationMaskHUAWEI`
    pub(super) mask: Option<Arc<ImageView>>,
}

impl Default for RayState {
    fn default() -> RayState {
        RayState {
            pipeline: None,
            sets: Sets::default(),
            dynamic: no_dynamic_buffers(),
            stack_bytes: None,
            mask: None,
        }
    }
}

impl RayState {
    /// The pipeline's number in a profile.
    pub(super) fn profiled_number(&self) -> u32 {
        self.pipeline.as_ref().map_or(0, |pipeline| pipeline.profiled_number())
    }

    /// Binds a pipeline.
    pub(super) fn bind_pipeline(&mut self, pipeline: &Arc<RayPipeline>) {
        self.pipeline = Some(pipeline.newest().unwrap_or_else(|| Arc::clone(pipeline)));
    }
}

/// What the commands of a command buffer have set, for the next one (`VK_NV_command_buffer_inheritance`).
pub struct InheritedState {
    compute: ComputeBindPoint,
    subpass: Option<Box<ComputeBindPoint>>,
    rendering: Box<Rendering>,
    rays: Box<RayState>,
    push_banks: Option<Box<PushBanks>>,
}

impl<'d> CommandProcessor<'d> {
    /// In the state that a command buffer starts in.
    pub(super) fn new(
        device: &'d DeviceCore,
        progress: &'d QueueProgress,
        alive: CommandListAlive<'d>,
    ) -> CommandProcessor<'d> {
        let dynamic_graphics = no_dynamic_buffers();
        let follows_push_constants =
            device.sanitize().contains(Kind::UninitializedPushConstant) && !device.inherits_state;
        let context = DispatchContext {
            told: device.reports().told_address(),
            push_unset: if follows_push_constants { u64::MAX } else { 0 },
            null_image: device.textures.null_image(),
            null_sampler: device.textures.null_sampler(),
            ray_query: pyro_raytrace::query::function(),
            tile_loops: pyro_tiles::loop_function(),
            reporter: device.reports().address(),
            serial: device.reports().next_serial(),
            push_banks: EMPTY_PUSH_BANKS.0.as_ptr().expose_provenance() as u64,
            ..DispatchContext::default()
        };
        let graphics =
            DispatchContext { dynamic_buffers: dynamic_graphics.as_ptr() as u64, ..context.clone() };
        CommandProcessor {
            running_draws: None,
            device,
            progress,
            alive,
            queue: 0,
            devices: 1,
            compute: ComputeBindPoint::new(context),
            subpass: None,
            queries: Vec::new(),
            counters: Counters::default(),
            rendering: Box::new(Rendering::new(graphics, dynamic_graphics)),
            rays: Box::default(),
            skips_conditional: false,
            graph: None,
            data_graph: None,
            push_banks: None,
            follow: None,
            instrumentation: None,
            attribution: None,
            kept: Vec::new(),
        }
    }

    /// For a secondary command buffer that this one executes: it inherits attachments and queries.
    pub(super) fn secondary(&self) -> CommandProcessor<'d> {
        let mut inner = CommandProcessor::new(self.device, self.progress, self.alive);
        inner.queue = self.queue;
        inner.run_for(self.devices);
        inner.rendering.inherit(&self.rendering);
        inner.set_tile(&self.rendering.context);
        inner.skips_conditional = self.skips_conditional;
        inner.attribution.clone_from(&self.attribution);
        inner.follow.clone_from(&self.follow);
        inner
    }

    /// From here on runs commands of these physical devices, at least one.
    pub(super) fn run_for(&mut self, devices: u32) {
        if self.devices == devices {
            return;
        }
        self.close_draw_batch();
        self.devices = devices;
        self.rendering.devices = devices;
        self.rendering.context.device_index = device_group::first(devices);
        self.rendering.batch.changed();
    }

    /// The cores that run its commands.
    pub(super) fn engine(&self) -> &'d Engine {
        self.device.engine_of(self.devices)
    }

    /// Goes on behind a secondary command buffer, whose follower this was: its commands have had numbers.
    pub(super) fn resume_follower(&mut self, inner: Option<Box<Follower>>) {
        if let (Some(own), Some(inner)) = (&mut self.follow, inner) {
            own.resume(*inner);
        }
    }

    /// Continues with what another command buffer has set.
    pub(super) fn restore(&mut self, inherited: InheritedState) {
        let InheritedState { compute, subpass, mut rendering, rays, push_banks } = inherited;
        // Attachments and queries are the command buffer's own.
        (rendering.targets, rendering.substitute_targets, rendering.regions) = (None, None, None);
        (rendering.counting, rendering.inherited_counting) = (false, false);
        (rendering.has_statistics, rendering.inherited_statistics) = (false, false);
        rendering.batch.clear();
        rendering.transform_feedback = Default::default();
        rendering.instrumentation = None;
        (self.compute, self.subpass, self.rendering) = (compute, subpass, rendering);
        self.rays = rays;
        self.push_banks = push_banks;
        // The sets' memory may have moved since.
        self.compute.sets();
        if let Some(subpass) = &mut self.subpass {
            subpass.sets();
        }
    }

    /// What it has set.
    pub(super) fn into_inherited(self) -> InheritedState {
        let CommandProcessor { compute, subpass, rendering, rays, push_banks, .. } = self;
        InheritedState { compute, subpass, rendering, rays, push_banks }
    }

    /// Loses the device.
    fn lose(&self) -> Outcome {
        self.device.lose();
        Outcome::Stopped
    }

    /// Loses the device where the engine has stopped.
    fn outcome(&self, ran: Result<(), pyro_engine::DispatchError>) -> Outcome {
        match ran {
            Ok(()) => Outcome::Done,
            Err(pyro_engine::DispatchError::Aborted) => self.lose(),
        }
    }

    /// Begins, continues or ends a render pass instance.
    pub(super) fn render_step(&mut self, step: &Step) {
        let dropped = self.rendering.dropped(step);
        let resolves = self.rendering.resolves(step);
        self.run_draws(resolves, dropped);
        let replaces = step.targets.as_deref().is_some_and(SubstituteTargets::are_needed);
        if replaces || step.told.is_some() {
            // Not that of before: draws to substitutes, and with counters, have run.
            self.wait_for_draws();
        }
        if let Some(regions) = self.rendering.regions.as_ref().filter(|_| !step.continues) {
            regions.write(self.alive);
        }
        if let Some(told) = &step.told {
            self.tell_step(told);
        }
        if let Some(targets) = &self.rendering.substitute_targets {
            targets.store(&self.device.engine, &step.dropped);
        }
        self.rendering.begin(self.device, step);
        self.attribute_render_pass(step.targets.is_some());
    }

    /// Writes back attachments that are rendered to as other images, after all draws so far.
    pub(super) fn store_substitutes(&self) {
        if let Some(targets) = &self.rendering.substitute_targets {
            targets.store(&self.device.engine, &[]);
        }
    }

    /// Everything counted so far, captures included.
    pub(super) fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.add_captured(&self.rendering.transform_feedback.counts);
        counters
    }

    /// Takes what another processor of the same commands has counted.
    pub(super) fn take_counters(&mut self, other: &mut CommandProcessor<'_>) {
        let counted = other.counters();
        other.counters = Counters::default();
        other.rendering.transform_feedback.counts = Default::default();
        self.counters.add(&counted);
    }

    /// Queries that one command writes: with multiview, one for each view.
    pub(super) fn view_count(&self) -> u32 {
        let views = self.rendering.targets.as_ref().map_or(0, |targets| targets.view_mask);
        views.count_ones().max(1)
    }

    /// Begins a query of a vertex stream.
    pub(super) fn begin_query(&mut self, pool: &Arc<QueryPool>, query: u32, stream: u32) {
        self.queries.push((Arc::clone(pool), [query, stream], pool.with_clocks(self.counters())));
        self.count_samples();
    }

    /// Ends a query of a vertex stream.
    pub(super) fn end_query(&mut self, pool: &Arc<QueryPool>, query: u32, stream: u32) {
        let is_it = |other: &(Arc<QueryPool>, [u32; 2], Counters)| {
            Arc::ptr_eq(&other.0, pool) && other.1 == [query, stream]
        };
        if let Some(index) = self.queries.iter().position(is_it) {
            let (pool, [query, stream], before) = self.queries.swap_remove(index);
            let now = pool.with_clocks(self.counters());
            pool.end(query, stream, &now.since(&before), self.view_count());
        }
        self.count_samples();
    }

    /// Draws count samples while an occlusion query is under way.
    fn count_samples(&mut self) {
        let counting =
            self.rendering.inherited_counting || self.queries.iter().any(|(pool, ..)| pool.counts_samples());
        let has_statistics = self.rendering.inherited_statistics
            || self.queries.iter().any(|(pool, ..)| pool.counts_invocations());
        if (counting, has_statistics) != (self.rendering.counting, self.rendering.has_statistics) {
            self.rendering.batch.changed();
        }
        (self.rendering.counting, self.rendering.has_statistics) = (counting, has_statistics);
    }

    /// Begins or ends shader instrumentation, with the result index of the next command.
    pub(super) fn instrument(&mut self, to: Option<(&Arc<ShaderInstrumentation>, u32)>) {
        self.instrumentation = to.map(|(object, result)| (Arc::clone(object), result));
        self.rendering.instrumentation.clone_from(&self.instrumentation);
        self.rendering.batch.changed();
    }

    /// Sets the result index of the next draw or dispatch.
    pub(super) fn set_result(&mut self, result: u32) {
        if let Some((object, _)) = self.instrumentation.take() {
            self.instrument(Some((&object, result)));
        }
    }

    /// Waits until all of these events are set.
    pub(super) fn wait_events(&self, events: &[Arc<Event>]) -> Outcome {
        let quit = || self.progress.is_quit() || self.device.is_lost();
        let sources = events.iter().map(|event| event.waiters());
        let ready = || (events.iter().all(|event| event.is_set()) || quit()).then_some(());
        if ready().is_none() {
            let wait = || self.progress.block(|| wait::wait(sources, None, ready));
            self.device.tile_memory.yield_for(self.queue, wait);
        }
        if quit() { Outcome::Stopped } else { Outcome::Done }
    }

    /// The words of push constants that are written count as set, for all bind points.
    fn mark_push_constants(&mut self, offset: usize, bytes: usize) {
        let words = u64::MAX.checked_shl((bytes / 4) as u32).map_or(u64::MAX, |rest| !rest);
        let unset = self.rendering.context.push_unset & !(words << (offset / 4 % 64));
        self.compute.context().push_unset = unset;
        if let Some(subpass) = &mut self.subpass {
            subpass.context().push_unset = unset;
        }
        self.rendering.context.push_unset = unset;
    }

    /// Writes push constants, which all bind points share.
    pub(super) fn push_constants(&mut self, offset: usize, bytes: &[u8]) {
        let range = offset..offset + bytes.len();
        // Only the sanitizer has any.
        if self.rendering.context.push_unset != 0 {
            self.mark_push_constants(offset, bytes.len());
        }
        self.compute.context().push_constants[range.clone()].copy_from_slice(bytes);
        if let Some(subpass) = &mut self.subpass {
            subpass.context().push_constants[range.clone()].copy_from_slice(bytes);
        }
        self.rendering.context.push_constants[range].copy_from_slice(bytes);
        self.rendering.batch.extend = false;
    }

    /// Writes push constants of the banks behind the first. Draws of the batch have seen what was there.
    pub(super) fn push_bank(&mut self, start: usize, bytes: &[u8]) {
        self.close_draw_batch();
        let banks = self.push_banks.get_or_insert_with(|| Box::new(PushBanks([0; PUSH_BANKS_BYTES])));
        let banks = &mut banks.0;
        banks[start..start + bytes.len()].copy_from_slice(bytes);
        let address = banks.as_ptr().expose_provenance() as u64;
        self.compute.context().push_banks = address;
        if let Some(subpass) = &mut self.subpass {
            subpass.context().push_banks = address;
        }
        self.rendering.context.push_banks = address;
        self.rendering.batch.changed();
    }

    /// The bind point of subpass shading.
    pub(super) fn subpass(&mut self) -> &mut ComputeBindPoint {
        let context = self.compute.context();
        self.subpass.get_or_insert_with(|| Box::new(ComputeBindPoint::new(context.clone())))
    }

    /// The sets of a bind point, to be changed.
    pub(super) fn sets_of(&mut self, point: vk::PipelineBindPoint) -> &mut Sets {
        match point {
            vk::PipelineBindPoint::GRAPHICS => {
                self.rendering.batch.extend = false;
                &mut self.rendering.sets
            }
            vk::PipelineBindPoint::RAY_TRACING_KHR => &mut self.rays.sets,
            vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX => &mut self.graph().sets,
            vk::PipelineBindPoint::DATA_GRAPH_ARM => &mut self.data_graph().sets,
            vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI => self.subpass().sets(),
            _ => self.compute.sets(),
        }
    }

    /// The dynamic buffers of a bind point, to be changed.
    pub(super) fn dynamic_buffers_of(&mut self, point: vk::PipelineBindPoint) -> &mut DynamicBuffers {
        match point {
            vk::PipelineBindPoint::GRAPHICS => {
                self.rendering.dynamic_changed = true;
                &mut self.rendering.dynamic
            }
            vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX => &mut self.graph().dynamic,
            vk::PipelineBindPoint::DATA_GRAPH_ARM => &mut self.data_graph().dynamic,
            vk::PipelineBindPoint::RAY_TRACING_KHR => &mut self.rays.dynamic,
            vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI => self.subpass().dynamic(),
            _ => self.compute.dynamic(),
        }
    }

    /// Bytes at a device address; zeros at the null address.
    pub(super) fn read_address<const N: usize>(&self, address: u64) -> [u8; N] {
        let mut bytes = [0; N];
        if address != 0 {
            self.alive.memory().range(address, N as u64).read(0, &mut bytes);
        }
        bytes
    }

    /// Begins or ends the execution of commands for each tile.
    pub(super) fn set_per_tile(&mut self, is_on: bool) {
        let tile = self.rendering.targets.as_ref().and_then(|targets| targets.tile);
        let Tile { offset, size, apron, .. } = tile.filter(|_| is_on).unwrap_or_default();
        let context = DispatchContext {
            tile_offset: offset,
            tile_size: size,
            tile_apron: apron,
            ..DispatchContext::default()
        };
        self.set_tile(&context);
    }

    /// Shaders see the tile that these do.
    fn set_tile(&mut self, from: &DispatchContext) {
        for context in [&mut self.rendering.context, self.compute.context()] {
            context.tile_offset = from.tile_offset;
            context.tile_size = from.tile_size;
            context.tile_apron = from.tile_apron;
        }
        self.rendering.batch.changed();
    }

    /// Runs workgroups of the compute pipeline over the tile.
    pub(super) fn dispatch_tile(&mut self) -> Outcome {
        let report = |message: &str| {
            self.device.reporter().report(
                Severity::Error,
                &format!("a dispatch is dropped: {message}"),
                None,
            );
            Outcome::Done
        };
        let tile = self.rendering.targets.as_ref().and_then(|targets| targets.tile);
        // Recording said so where there is none; binding where there is no code.
        let (Some(tile), Some(pipeline)) = (tile, self.compute.pipeline()) else { return Outcome::Done };
        let Ok(kernel) = pipeline.kernel() else { return Outcome::Done };
        let info = kernel.info();
        let Some(rate) = info.tile_rate else {
            return report("vkCmdDispatchTileQCOM of a shader without TileShadingRateQCOM");
        };
        let Some(count) = tile.workgroups(rate, info.workgroup_size) else {
            return report(&format!(
                "a tile of {} layers is no multiple of the {} of TileShadingRateQCOM \
                 (VUID-RuntimeSpirv-z-10704, VUID-RuntimeSpirv-tileSize-10705)",
                tile.layers, rate[2]
            ));
        };
        self.dispatch(Groups { count, ..Groups::default() })
    }

    /// Runs workgroups of the compute pipeline. Within a render pass, where they may be tile attachments, the
    /// attachments are what they are in memory.
    pub(super) fn dispatch(&mut self, groups: Groups) -> Outcome {
        if self.rendering.targets.as_ref().is_none_or(|targets| targets.tile.is_none()) {
            return self.run_workgroups(groups);
        }
        self.store_substitutes();
        let outcome = self.run_workgroups(groups);
        self.rendering.load_substitutes(self.device);
        outcome
    }

    fn run_workgroups(&mut self, groups: Groups) -> Outcome {
        let counting = self.instrumentation.as_ref();
        let invocations = &mut self.counters.compute_invocations;
        self.compute.run(self.device, self.alive, (self.devices, self.queue), groups, counting, invocations)
    }

    /// Runs an invocation for each pixel of the render area, and each layer (`vkCmdSubpassShadingHUAWEI`).
    pub(super) fn shade_subpass(&mut self) -> Outcome {
        let (Some(targets), Some(point)) = (&self.rendering.targets, &mut self.subpass) else {
            return Outcome::Done;
        };
        let Some(pipeline) = point.pipeline() else { return Outcome::Done };
        let vk::Rect2D { offset, extent } = *targets.device_area(device_group::first(self.devices));
        // Binding has reported why there is none.
        let Ok(kernel) = pipeline.kernel() else { return Outcome::Done };
        let size = kernel.info().workgroup_size;
        let pixels = [extent.width, extent.height, targets.layers];
        let count = std::array::from_fn(|at| pixels[at].div_ceil(size[at].max(1)));
        let area_offset = [offset.x, offset.y].map(|at| at as u32);
        let groups = Groups { count, area_offset, ..Groups::default() };
        let counting = self.instrumentation.as_ref();
        let on = (self.devices, self.queue);
        point.run(self.device, self.alive, on, groups, counting, &mut self.counters.compute_invocations)
    }

    /// Launches a CUDA kernel.
    pub(super) fn launch_kernel(&mut self, launch: &KernelLaunch) -> Outcome {
        let serial = self.device.reports().event_serial(EventKind::Dispatch, launch.grid());
        self.compute.context().serial = serial;
        let dispatch = launch.dispatch(DispatchContext { serial, ..self.compute.context().clone() });
        let ran = unsafe_engine::dispatch(self.alive, self.engine(), &dispatch, 0);
        self.outcome(ran)
    }

    /// Launches rays with these tables: ray generation, miss, hit and callable.
    pub(super) fn trace_rays(
        &mut self,
        [raygen, miss, hit, callable]: [Table; 4],
        size: [u32; 3],
    ) -> Outcome {
        // Recording has reported a missing pipeline.
        let Some(pipeline) = self.rays.pipeline.clone() else { return Outcome::Done };
        // The sanitizer finds the launch by it.
        self.compute.context().serial = self.device.reports().event_serial(EventKind::TraceRays, size);
        let mut context = DispatchContext {
            num_workgroups: size,
            base_workgroup: [0; 3],
            dynamic_buffers: self.rays.dynamic.as_ptr() as u64,
            ..self.compute.context().clone()
        };
        if self.rays.sets.show(pipeline.layout(), &mut context.sets).is_none() {
            return self.lose();
        }
        let program = Arc::clone(pipeline.program());
        let limits = pipeline.limits(self.rays.stack_bytes);
        let mask = self.rays.mask.as_deref().and_then(invocation_mask).map(Arc::new);
        let differ = program.kernels().iter().any(|kernel| kernel.info().uses_device_index);
        let ran = self.by_device(differ, |index, engine| {
            let context = DispatchContext { device_index: index, ..context.clone() };
            let program = Arc::clone(&program);
            let mask = mask.clone();
            let trace = TraceRays { program, context, raygen, miss, hit, callable, limits, mask };
            unsafe_engine::trace_rays(self.alive, engine, &trace)
        });
        self.outcome(ran)
    }
}
