//! Recording: command buffers, and what they check and resolve before a command is in the list.
//!
//! An error is returned to the command and kept, for `vkEndCommandBuffer`. The commands that are recorded
//! most have a second, shorter way ([`fast_path`]).
//!
//! *Must not know* how commands run.

mod bind;
mod data_graph;
mod execution_graph;
pub(super) mod fast_path;
mod render;

use super::family::query::QueryCommand;
use super::family::sync::SyncCommand;
use super::family::transfer::TransferCommand;
use super::list::{Command, CommandList};
use super::render_pass::{CountedRegions, Instance};
use super::transfer::Rotation;
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::descriptor::DescriptorSet;
use crate::objects::memory::DeviceMemory;
use crate::pipeline::data_graph::DataGraphPipeline;
use crate::pipeline::execution_graph::GraphPipeline;
use crate::pipeline::instrumentation::ShaderInstrumentation;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use vulkanalia_sys as vk;

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
    /// What a secondary command buffer runs within enables tile shading.
    inherits_tile_shading: bool,
    /// Commands run for each tile.
    is_per_tile: bool,
    /// Its render areas by physical device; none: one for all.
    device_areas: Vec<vk::Rect2D>,
    /// Its render areas by view; none: one for all.
    view_areas: Vec<vk::Rect2D>,
    /// What it counts by region.
    regions: Option<CountedRegions>,
    /// Where shaders count now.
    instrumentation: Option<Arc<ShaderInstrumentation>>,
    /// Bytes of the tile memory that is bound; 0: none.
    tile_bytes: u64,
    /// The execution graph that is bound.
    graph: Option<Arc<GraphPipeline>>,
    /// The data graph that is bound.
    data_graph: Option<Arc<DataGraphPipeline>>,
    error: Option<Error>,
}

impl Recording {
    /// Fails where commands run for each tile, which the rule forbids.
    fn not_per_tile(&self, rule: &str) -> Result<()> {
        if self.is_per_tile {
            return Err(Error::misuse(format!("commands run for each tile ({rule})")));
        }
        Ok(())
    }
}

/// Bytes of tile memory that is bound.
fn tile_bytes(memory: Option<&DeviceMemory>) -> Result<u64> {
    let Some(memory) = memory else { return Ok(0) };
    if !memory.is_tile() {
        return Err(Error::misuse(
            "the memory is no tile memory (VUID-VkTileMemoryBindInfoQCOM-memory-10726)",
        ));
    }
    Ok(memory.size())
}

/// Commands of the list that one command of the API becomes, mostly at most.
const COMMANDS_AT_ONCE: usize = 4;

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

    /// Starts recording. `device_mask`: the physical devices that it begins on; zero: all.
    ///
    /// # Errors
    /// When it is recording, pending, or would have to be reset and cannot be.
    pub fn begin(&mut self, inherits_viewports: bool, device_mask: u32) -> Result<()> {
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
        recording.list.device_mask = device_mask;
        if device_mask != 0 {
            recording.list.add_device_mask(device_mask);
        }
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
                // What was recorded for one submission stays as it is too: programs submit such buffers
                // again.
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
        // Lists grow as long as the application records: what they cannot get is an error.
        if recording.list.commands.try_reserve(COMMANDS_AT_ONCE).is_err() {
            let error = Error::out_of_host_memory();
            recording.error.get_or_insert_with(|| error.clone());
            return Err(error);
        }
        make(recording).inspect_err(|error| {
            recording.error.get_or_insert_with(|| error.clone());
        })
    }

    /// Records a command.
    ///
    /// # Errors
    /// When it does not record.
    #[inline]
    pub fn push(&mut self, command: impl Into<Command>) -> Result<()> {
        let command = command.into();
        self.record(|recording| {
            if let Some(instrumentation) = &recording.instrumentation {
                if matches!(command, Command::Execute(_)) {
                    return Err(Error::misuse(
                        "shader instrumentation is active (VUID-vkCmdExecuteCommands-commandBuffer-12373)",
                    ));
                }
                if command.has_result() {
                    recording
                        .list
                        .commands
                        .push(QueryCommand::SetResult(instrumentation.next_result()).into());
                }
            }
            if let Command::Execute(lists) = &command {
                recording
                    .instance
                    .as_ref()
                    .map_or(Ok(()), |instance| render::check_transforms(instance, lists))?;
                recording.list.uses_tile_memory |= lists.iter().any(|list| list.uses_tile_memory);
                let has_other = |list: &Arc<CommandList>| list.inherited_tile_bytes != recording.tile_bytes;
                if recording.instance.is_some() && lists.iter().any(has_other) {
                    return Err(Error::misuse(
                        "a secondary command buffer inherits tile memory of another size than is bound \
                         (VUID-vkCmdExecuteCommands-memory-10724)",
                    ));
                }
                for &mask in lists.iter().flat_map(|list| &list.device_masks) {
                    recording.list.add_device_mask(mask);
                }
            }
            recording.list.commands.push(command);
            Ok(())
        })
    }

    /// From here on commands run on these physical devices.
    ///
    /// # Errors
    /// When it does not record.
    pub fn set_device_mask(&mut self, mask: u32) -> Result<()> {
        self.record(|recording| {
            recording.list.add_device_mask(mask);
            recording.list.commands.push(SyncCommand::DeviceMask(mask).into());
            Ok(())
        })
    }

    /// It runs within a render pass that enables tile shading, and maybe for each tile.
    ///
    /// # Errors
    /// When it does not record.
    pub fn inherit_tile_shading(&mut self, is_per_tile: bool) -> Result<()> {
        self.record(|recording| {
            recording.inherits_tile_shading = true;
            recording.is_per_tile = is_per_tile;
            Ok(())
        })
    }

    /// It runs within a render pass of this transform and this render area.
    ///
    /// # Errors
    /// When the transform is no rotation, or it does not record.
    pub fn inherit_transform(
        &mut self,
        transform: vk::SurfaceTransformFlagsKHR,
        area: vk::Rect2D,
    ) -> Result<()> {
        let rule = "VUID-VkCommandBufferInheritanceRenderPassTransformInfoQCOM-transform-02864";
        let rotation = Rotation::new(transform, rule)?;
        self.record(|recording| {
            recording.list.inherited_transform = Some((rotation, area));
            Ok(())
        })
    }

    /// Binds tile memory, or none: what the batch has there is its own while it runs.
    ///
    /// # Errors
    /// When it is other memory, or a render pass is under way.
    pub fn bind_tile_memory(&mut self, memory: Option<&DeviceMemory>) -> Result<()> {
        self.record(|recording| {
            if recording.instance.is_some() {
                return Err(Error::misuse(
                    "a render pass is under way (VUID-vkCmdBindTileMemoryQCOM-renderpass)",
                ));
            }
            recording.tile_bytes = tile_bytes(memory)?;
            recording.list.uses_tile_memory |= memory.is_some();
            Ok(())
        })
    }

    /// It runs within a render pass while this tile memory is bound.
    ///
    /// # Errors
    /// When it is other memory, or it does not record.
    pub fn inherit_tile_memory(&mut self, memory: Option<&DeviceMemory>) -> Result<()> {
        self.record(|recording| {
            recording.tile_bytes = tile_bytes(memory)?;
            recording.list.inherited_tile_bytes = recording.tile_bytes;
            recording.list.uses_tile_memory |= memory.is_some();
            Ok(())
        })
    }

    /// Fails, for this command, where commands run for each tile.
    ///
    /// # Errors
    /// Then, and when it does not record.
    pub fn check_not_per_tile(&mut self, rule: &str) -> Result<()> {
        self.record(|recording| recording.not_per_tile(rule))
    }

    /// Keeps an error for `vkEndCommandBuffer`.
    pub fn poison(&mut self, error: &Error) {
        let _ = self.record(|_| Err(error.clone()));
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
            if size == vk::WHOLE_SIZE {
                return Err(Error::misuse(
                    "a copy of VK_WHOLE_SIZE bytes: regions of copies have explicit sizes \
                     (VUID-vkCmdCopyBuffer-size-00115, VUID-vkCmdCopyBuffer-size-00116)",
                ));
            }
            Ok((source.range(source_offset, size)?, target.range(target_offset, size)?))
        });
        self.push(TransferCommand::Copy(ranges.collect::<Result<_>>()?))
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
