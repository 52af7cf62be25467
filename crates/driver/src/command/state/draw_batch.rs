//! The draw batch: draws are collected, and handed to the engine when another command needs their results.
//!
//! A draw of the same state as the last one becomes one more command of it; one that differs in push
//! constants, descriptors and scissors only shares its state. So a thousand small draws cost the engine one
//! look at the state.

use super::rendering::Rendering;
use crate::caps::limits::DYNAMIC_BUFFERS_MAX;
use crate::error::Error;
use crate::execution::unsafe_engine::CommandListAlive;
use crate::objects::device_core::DeviceCore;
use crate::pipeline::graphics::{Draw, DrawIndexed, DrawMesh};
use crate::report::Severity;
use pyro_abi::BufferDescriptor;
use pyro_compile::image_functions::Record;
use pyro_engine::graphics as engine;
use pyro_sanitizer::trace::EventKind;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Draws that have not run.
#[derive(Default)]
pub(in crate::command) struct DrawBatch {
    /// With the clears they are all that has happened since the render pass instance began.
    pub(in crate::command) whole: bool,
    /// Clears before them, in order.
    pub(in crate::command) before: Vec<engine::RegionWork>,
    /// The draws.
    pub(in crate::command) draws: Vec<engine::Draw>,
    /// The last of them has the state of the next.
    pub(in crate::command) extend: bool,
    /// It has all of the next's state but push constants, descriptors and scissors.
    pub(in crate::command) same_state: bool,
    /// Commands of the draws.
    commands: usize,
    kept: Kept,
}

/// What draws look at by address, and nothing else keeps until they have run.
#[derive(Default)]
pub(in crate::command) struct Kept {
    /// Dynamic buffers.
    #[expect(clippy::vec_box, reason = "draws hold the arrays' addresses")]
    dynamics: Vec<Box<[BufferDescriptor; DYNAMIC_BUFFERS_MAX as usize]>>,
    /// Records that their code takes for what they are.
    records: Vec<Record>,
    payloads: Vec<Box<[u8]>>,
}

/// Draws that are collected at most.
const DRAW_COUNT_MAX: usize = 8192;
/// Commands that are collected before they may begin to run while others of the same instance come: each list
/// has its tiles once more.
const EARLY_DRAWS: usize = 1024;

impl DrawBatch {
    /// How many commands of draws there are.
    pub(in crate::command) fn command_count(&self) -> usize {
        self.commands
    }

    /// Whether there are enough to run before the others of the same render pass instance.
    pub(in crate::command) fn has_many(&self) -> bool {
        self.commands >= EARLY_DRAWS
    }

    /// Whether it is time to run them.
    pub(in crate::command) fn is_full(&self) -> bool {
        self.draws.len() >= DRAW_COUNT_MAX
    }

    /// Forgets them; gives what they look at.
    pub(in crate::command) fn clear(&mut self) -> Kept {
        self.whole = false;
        self.draws.clear();
        self.commands = 0;
        self.changed();
        std::mem::take(&mut self.kept)
    }

    /// State has changed other than push constants, descriptors and scissors.
    pub(in crate::command) fn changed(&mut self) {
        (self.extend, self.same_state) = (false, false);
    }
}

/// Tells the application that a draw is dropped, and why; `pipeline` is the object that it was drawn with.
pub(in crate::command) fn report_dropped_draw(
    device: &DeviceCore,
    error: &Error,
    pipeline: Option<(vk::ObjectType, u64)>,
) {
    device.reporter().report(Severity::Error, &format!("a draw is dropped: {error}"), pipeline);
}

impl Rendering {
    /// Collects a draw.
    pub(in crate::command) fn draw(&mut self, device: &DeviceCore, alive: CommandListAlive<'_>, draw: &Draw) {
        self.push(
            device,
            alive,
            engine::DrawCommand {
                first: draw.first_vertex,
                count: draw.vertex_count,
                vertex_offset: 0,
                first_instance: draw.first_instance,
                instance_count: draw.instance_count,
                draw_index: draw.index,
                ..engine::DrawCommand::default()
            },
            false,
        );
    }

    /// Collects a draw with indices.
    pub(in crate::command) fn draw_indexed(
        &mut self,
        device: &DeviceCore,
        alive: CommandListAlive<'_>,
        draw: &DrawIndexed,
    ) {
        self.push(
            device,
            alive,
            engine::DrawCommand {
                first: draw.first_index,
                count: draw.index_count,
                vertex_offset: draw.vertex_offset,
                first_instance: draw.first_instance,
                instance_count: draw.instance_count,
                draw_index: draw.index,
                ..engine::DrawCommand::default()
            },
            true,
        );
    }

    /// Collects a draw of task, mesh or cluster culling workgroups.
    pub(in crate::command) fn draw_mesh(
        &mut self,
        device: &DeviceCore,
        alive: CommandListAlive<'_>,
        draw: &DrawMesh,
    ) {
        let DrawMesh { groups, first, index } = *draw;
        let command =
            engine::DrawCommand { first, draw_index: index, groups, ..engine::DrawCommand::default() };
        let cluster = self.pipeline(device).and_then(|pipeline| pipeline.cluster());
        self.push(device, alive, command, cluster.is_some_and(|cluster| cluster.is_indexed));
    }

    /// Collects a draw of mesh workgroups with a payload, which is kept until it has run.
    pub(in crate::command) fn draw_node(
        &mut self,
        device: &DeviceCore,
        alive: CommandListAlive<'_>,
        groups: [u32; 3],
        payload: Box<[u8]>,
    ) {
        let bytes = payload.as_ptr().expose_provenance() as u64;
        let command = engine::DrawCommand {
            groups,
            payload: if payload.is_empty() { 0 } else { bytes },
            payload_bytes: payload.len() as u32,
            ..engine::DrawCommand::default()
        };
        self.batch.kept.payloads.push(payload);
        self.push(device, alive, command, false);
    }

    fn push(
        &mut self,
        device: &DeviceCore,
        alive: CommandListAlive<'_>,
        command: engine::DrawCommand,
        indexed: bool,
    ) {
        let command = engine::DrawCommand { tag: pyro_codemem::sample::tag(), ..command };
        let is_nothing = command.count == 0 || command.instance_count == 0;
        if is_nothing && command.groups.contains(&0) {
            return;
        }
        if device.is_traced() {
            // Each draw has a number of its own.
            self.batch.changed();
            let size = if command.groups == [0; 3] {
                [command.count, command.instance_count, 1]
            } else {
                command.groups
            };
            self.context.serial = device.reports().event_serial(EventKind::Draw, size);
        }
        if self.batch.extend
            && let Some(last) = self.batch.draws.last_mut()
            && last.indices.is_some() == indexed
        {
            last.commands.push(command);
            self.batch.commands += 1;
            self.capture(device, alive);
            return;
        }
        let draw = match self.same_state_draw(command, indexed) {
            Some(draw) => Some(draw),
            None => self.new_draw(device, command, indexed),
        };
        if let Some(mut draw) = draw {
            self.specialize(device, &mut draw);
            self.batch.draws.push(draw);
            self.batch.commands += 1;
            (self.batch.extend, self.batch.same_state) = (true, true);
            self.capture(device, alive);
        }
    }

    /// A draw like the last one that waits but for push constants, descriptors and scissors, if that is what
    /// it is.
    fn same_state_draw(&mut self, command: engine::DrawCommand, indexed: bool) -> Option<engine::Draw> {
        let last = self.batch.draws.last().filter(|_| self.batch.same_state)?;
        if last.indices.is_some() != indexed {
            return None;
        }
        let (state, layout) = (Arc::clone(&last.state), self.pipeline.as_ref()?.layout());
        let sets = self.sets.addresses(layout).collect::<Option<_>>()?;
        let push_constants = &self.context.push_constants[..layout.push_constant_bytes()];
        let push_constants = SmallVec::from_slice(push_constants);
        let resources = engine::Resources { sets, dynamic_buffers: self.dynamic_buffers(), push_constants };
        let scissors = self.scissors(state.viewports.len(), state.area);
        Some(engine::Draw { resources: Some(resources), commands: smallvec![command], scissors, state })
    }

    /// Gives a draw the fragment function made for its descriptors, or the one that calls.
    fn specialize(&mut self, device: &DeviceCore, draw: &mut engine::Draw) {
        let (Some(pipeline), Some(programs)) = (&self.pipeline, &self.programs) else { return };
        if draw.fragment.is_none() || !programs.uses_images() {
            return;
        }
        let (width, height) = (draw.area.x1 - draw.area.x0, draw.area.y1 - draw.area.y0);
        let pixels = i64::from(width.max(0)) * i64::from(height.max(0));
        let sets = draw.resources.as_ref().map_or(&draw.context.dispatch.sets[..], |own| &own.sets);
        let keep = &mut self.batch.kept.records;
        let specialized = pipeline.specialized(programs, device, sets, pixels as u64, keep);
        let fragment = specialized.or_else(|| programs.fragment.clone());
        let function = |fragment: &Option<engine::FragmentProgram>| {
            fragment.as_ref().map(|fragment| Arc::as_ptr(&fragment.multi_primitive).cast::<u8>())
        };
        if function(&fragment) != function(&draw.fragment) {
            draw.fragment = fragment.map(|fragment| engine::FragmentProgram {
                only_colors: fragment.only_colors && !self.has_statistics,
                ..fragment
            });
        }
    }

    /// The dynamic buffers as they are: draws look at them later, when these may have changed.
    pub(super) fn dynamic_buffers(&mut self) -> u64 {
        let kept = &mut self.batch.kept.dynamics;
        // Comparing them takes longer than all else of a draw.
        if std::mem::take(&mut self.dynamic_changed) || kept.is_empty() {
            match kept.last() {
                Some(last) if *last == self.dynamic => {}
                _ => kept.push(self.dynamic.clone()),
            }
        }
        self.batch.kept.dynamics.last().map_or(0, |last| last.as_ptr() as u64)
    }
}
