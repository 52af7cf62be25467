//! Recorded commands, and what runs them.

use super::family::bind::{BindCommand, PushWords};
use super::family::dispatch::DispatchCommand;
use super::family::draw::DrawCommand;
use super::family::query::QueryCommand;
use super::family::render::RenderCommand;
use super::family::sync::SyncCommand;
use super::family::transfer::TransferCommand;
use super::generated::GeneratedCommands;
use super::object_table::ListObjects;
use super::transfer::Rotation;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use vulkanalia_sys as vk;

/// A recorded command.
pub enum Command {
    /// Binds something.
    Bind(BindCommand),
    /// Writes a few bytes of push constants. They are the one other command than draws that needs all 32
    /// bytes.
    PushWords(PushWords),
    /// Draws.
    Draw(DrawCommand),
    /// Runs workgroups.
    Dispatch(DispatchCommand),
    /// Moves or fills memory.
    Transfer(TransferCommand),
    /// Measures commands, or makes them conditional.
    Query(QueryCommand),
    /// Orders commands.
    Sync(SyncCommand),
    /// Sets what draws depend on, or works on the attachments.
    Render(RenderCommand),
    /// Runs secondary command buffers.
    Execute(Box<[Arc<CommandList>]>),
    /// Runs commands that memory says.
    Generated(Box<GeneratedCommands>),
}

const _: () = assert!(size_of::<Command>() <= 32);

macro_rules! from_family {
    ($($family:ident($command:ty)),+ $(,)?) => {
        $(impl From<$command> for Command {
            #[inline(always)]
            fn from(command: $command) -> Command {
                Command::$family(command)
            }
        })+
    };
}

from_family! {
    Bind(BindCommand),
    PushWords(PushWords),
    Draw(DrawCommand),
    Dispatch(DispatchCommand),
    Transfer(TransferCommand),
    Query(QueryCommand),
    Sync(SyncCommand),
    Render(RenderCommand),
}

impl Command {
    /// Whether conditional rendering may skip it.
    pub(super) fn is_conditional(&self) -> bool {
        match self {
            Command::Draw(_) | Command::Generated(_) => true,
            Command::Dispatch(command) => command.is_conditional(),
            Command::Render(command) => command.is_conditional(),
            _ => false,
        }
    }

    /// Whether each physical device of a group runs it by itself, so that those whose device masks differ
    /// need not wait for each other: it changes the device's own state, or works on memory by the device's
    /// own cores.
    pub(super) fn is_of_one_device(&self) -> bool {
        match self {
            Command::Bind(_) | Command::PushWords(_) | Command::Draw(_) | Command::Dispatch(_) => true,
            Command::Transfer(_) | Command::Generated(_) | Command::Sync(SyncCommand::Barrier) => true,
            Command::Render(command) => command.is_state(),
            Command::Query(_) | Command::Sync(_) | Command::Execute(_) => false,
        }
    }

    /// Whether it does nothing but set what commands behind it depend on.
    pub(super) fn is_state(&self) -> bool {
        match self {
            Command::Bind(_) | Command::PushWords(_) => true,
            Command::Render(command) => command.is_state(),
            Command::Query(command) => command.is_state(),
            _ => false,
        }
    }

    /// Whether it takes a result index of shader instrumentation.
    #[inline]
    pub(super) fn has_result(&self) -> bool {
        match self {
            Command::Generated(_) => true,
            Command::Draw(command) => command.has_result(),
            Command::Dispatch(command) => command.has_result(),
            _ => false,
        }
    }

    /// Whether the draws before it may wait for those after it, and run together with them: for draws and all
    /// that only changes their state.
    #[inline]
    pub(super) fn keeps_draw_batch_open(&self) -> bool {
        match self {
            // Each of its commands closes the batch or does not.
            Command::Generated(_) => true,
            Command::Bind(_) | Command::PushWords(_) | Command::Draw(_) => true,
            Command::Query(command) => command.keeps_draw_batch_open(),
            Command::Render(command) => command.keeps_draw_batch_open(),
            Command::Dispatch(_) | Command::Transfer(_) | Command::Sync(_) | Command::Execute(_) => false,
        }
    }
}

/// Recorded commands. Command buffers that are executed share them.
#[derive(Default)]
pub struct CommandList {
    pub(super) commands: Vec<Command>,
    /// The objects that commands name by number.
    pub(super) objects: ListObjects,
    /// Submissions that have not ended; until then the list may not be recorded over.
    pub(super) pending: AtomicU32,
    /// A secondary command buffer's viewports and scissors are inherited
    /// (`VkCommandBufferInheritanceViewportScissorInfoNV`).
    pub(super) inherits_viewports: bool,
    /// The transform and the render area of the render pass that a secondary command buffer runs within, if
    /// it says so (`VkCommandBufferInheritanceRenderPassTransformInfoQCOM`).
    pub(super) inherited_transform: Option<(Rotation, vk::Rect2D)>,
    /// It binds tile memory, or one of its secondary command buffers does.
    pub(super) uses_tile_memory: bool,
    /// Bytes of the tile memory that a secondary command buffer inherits within a render pass; 0: none.
    pub(super) inherited_tile_bytes: u64,
    /// The physical devices that it begins on, by device mask; zero: all.
    pub(super) device_mask: u32,
    /// All device masks that it sets, with those of its secondary command buffers.
    pub(super) device_masks: Vec<u32>,
}

impl CommandList {
    /// Whether tile memory is its batch's own while it runs.
    pub(crate) fn uses_tile_memory(&self) -> bool {
        self.uses_tile_memory
    }

    /// A command of it sets the device mask.
    pub(super) fn add_device_mask(&mut self, mask: u32) {
        if !self.device_masks.contains(&mask) {
            self.device_masks.push(mask);
        }
    }

    /// A submission begins.
    pub(crate) fn begin_pending(&self) {
        self.pending.fetch_add(1, Ordering::AcqRel);
    }

    /// A submission has ended.
    pub(crate) fn end_pending(&self) {
        self.pending.fetch_sub(1, Ordering::AcqRel);
    }
}
