//! Command buffers: recorded lists of commands, and what runs them.
//!
//! Problem: recording must cost little more than a store, and running one no more than the work. Approach: a
//! command is 32 bytes of resolved objects ([`Command`], by family); objects that many commands name are held
//! once and named by number ([`object_table`]); what a command sets for those after it changes one record in
//! place, so a dispatch costs no more than its group counts.
//!
//! Floors, each using those before it only: `render_pass` and `transfer` (what images and attachments need),
//! `state` (what a running command buffer has set), `family` (commands and how each runs), `list`, then side
//! by side `record` and `execute`, which tells a profile by `attribution`, and on several physical devices
//! runs `device_group`.
//!
//! *Must not know* queues and submissions.

mod acceleration_structure;
mod attribution;
mod device_group;
mod estimate;
mod execute;
mod family;
mod follow;
pub mod followed;
pub mod generated;
mod list;
mod object_table;
mod record;
pub mod render_pass;
mod state;
pub mod streams;
pub mod transfer;

pub use acceleration_structure::{IndirectRanges, StructureCommand};
pub use execute::OnQueue;
pub use family::bind::{BindCommand, PushWords};
pub use family::dispatch::{DispatchBase, DispatchCommand, ShaderBindingTables, TraceRaysCommand};
pub use family::draw::{DrawByteCount, DrawCommand};
pub use family::query::{CopyQueryResults, QueryCommand};
pub use family::render::{
    BindTransformFeedbackBuffers, BindVertexBuffers, ClearAttachments, RenderCommand,
    TransformFeedbackCounters,
};
pub use family::sync::SyncCommand;
pub use family::transfer::{TransferCommand, UpdateBuffer};
pub use list::{Command, CommandList};
pub use record::fast_path::FastRecorder;
pub use record::{CommandBuffer, Memory};
pub use render_pass::keep_dropped_attachments;
pub use state::{CommandProcessor, InheritedState, Outcome};
