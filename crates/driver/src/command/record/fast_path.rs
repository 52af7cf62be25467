//! The commands that are recorded most, where nothing about them is special: without results and messages.
//!
//! What they refuse, and that is whatever needs memory or is wrong, is left to the commands of
//! [`CommandBuffer`], which record it or say why not.

use super::{CommandBuffer, Recording, State};
use crate::command::family::bind::{BindCommand, BindSet, PushWords};
use crate::command::list::Command;
use crate::command::object_table::ObjectId;
use crate::objects::descriptor::DescriptorSet;
use crate::pipeline::graphics::GraphicsPipeline;
use crate::pipeline::{ComputePipeline, PipelineLayout};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Records one simple command. None: nothing was recorded.
pub struct FastRecorder<'b>(&'b mut Recording);

impl CommandBuffer {
    /// Records a simple command, if the command buffer records, and shaders do not count.
    #[inline(always)]
    pub fn fast_recorder(&mut self) -> Option<FastRecorder<'_>> {
        match &mut self.state {
            // What is counted is no simple command.
            State::Recording(recording) if recording.instrumentation.is_none() => {
                Some(FastRecorder(recording))
            }
            _ => None,
        }
    }
}

impl FastRecorder<'_> {
    /// Records a command, if there is room for it.
    #[inline(always)]
    pub fn push(self, command: impl Into<Command>) -> Option<()> {
        let commands = &mut self.0.list.commands;
        (commands.len() < commands.capacity()).then(|| commands.push(command.into()))
    }

    /// Sets the compute pipeline, if the list keeps it already.
    #[inline(always)]
    pub fn bind_pipeline(self, pipeline: &Arc<ComputePipeline>) -> Option<()> {
        let id = self.0.list.objects.compute_pipelines.find(pipeline)?;
        self.push(BindCommand::ComputePipeline(id))
    }

    /// Sets the graphics pipeline, if the list keeps it already.
    #[inline(always)]
    pub fn bind_graphics_pipeline(self, pipeline: &Arc<GraphicsPipeline>) -> Option<()> {
        let id = self.0.list.objects.graphics_pipelines.find(pipeline)?;
        self.push(BindCommand::GraphicsPipeline(id))
    }

    /// Binds a set as number `number`, if the list keeps it already, it has no dynamic buffers, and the
    /// layout has such a number.
    #[inline(always)]
    pub fn bind_set(
        self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        number: u32,
        set: &DescriptorSet,
    ) -> Option<()> {
        if set.layout().dynamic_count() != 0 || number as usize >= layout.sets().len() {
            return None;
        }
        let set: ObjectId<DescriptorSet> = self.0.list.objects.sets.find(set)?;
        self.push(BindCommand::Set(BindSet { point, number, set: Some(set) }))
    }

    /// Writes push constants, if they are few.
    #[inline(always)]
    pub fn push_constants(self, offset: u32, bytes: &[u8]) -> Option<()> {
        let end = (offset as usize).checked_add(bytes.len())?;
        if end > pyro_abi::PUSH_CONSTANT_BYTES_MAX || !offset.is_multiple_of(4) {
            return None;
        }
        self.push(PushWords::new(offset, bytes)?)
    }
}
