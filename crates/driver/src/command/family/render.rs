//! Render passes, the state of draws, transform feedback, clears of attachments.

use crate::command::render_pass::{ClearWords, Step};
use crate::command::state::CommandProcessor;
use crate::objects::image::ImageView;
use crate::objects::memory::mapped::Range;
use crate::pipeline::graphics::{IndexBuffer, StateChange, VertexBuffer};
use pyro_abi::graphics::CAPTURE_BUFFER_COUNT;
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Sets what draws depend on, or works on the attachments.
pub enum RenderCommand {
    /// Begins, continues or ends a render pass instance.
    Step(Box<Step>),
    /// Changes dynamic state.
    SetState(Box<StateChange>),
    /// Binds vertex buffers.
    VertexBuffers(Box<BindVertexBuffers>),
    /// Binds the index buffer.
    IndexBuffer(Box<IndexBuffer>),
    /// `vkCmdSetPrimitiveRestartIndexEXT`: valid until an index buffer is bound.
    RestartIndex(u32),
    /// Binds a shading rate image, or none.
    ShadingRateImage(Option<Arc<ImageView>>),
    /// Clears parts of the attachments.
    ClearAttachments(Box<ClearAttachments>),
    /// Binds buffers of transform feedback.
    TransformFeedbackBuffers(Box<BindTransformFeedbackBuffers>),
    /// Starts transform feedback.
    BeginTransformFeedback(Box<TransformFeedbackCounters>),
    /// Ends transform feedback.
    EndTransformFeedback(Box<TransformFeedbackCounters>),
    /// Begins or ends the execution of commands for each tile.
    PerTile(bool),
}

/// `vkCmdBindVertexBuffers2`.
pub struct BindVertexBuffers {
    /// The first binding.
    pub first: u32,
    /// The buffers.
    pub buffers: SmallVec<[VertexBuffer; 4]>,
}

/// `vkCmdClearAttachments`.
pub struct ClearAttachments {
    /// Aspects, number of the colour attachment, and value of each clear.
    pub clears: Vec<(vk::ImageAspectFlags, u32, ClearWords)>,
    /// The pixels and layers.
    pub rects: Vec<vk::ClearRect>,
}

/// `vkCmdBindTransformFeedbackBuffersEXT`.
pub struct BindTransformFeedbackBuffers {
    /// The first binding.
    pub first: usize,
    /// The buffers.
    pub buffers: SmallVec<[Range; CAPTURE_BUFFER_COUNT]>,
}

/// The counters of buffers, in order: four bytes with the offset of the next vertex; `None` starts at 0.
pub type TransformFeedbackCounters = [Option<Range>; CAPTURE_BUFFER_COUNT];

impl RenderCommand {
    /// Whether conditional rendering may skip it.
    pub(in crate::command) fn is_conditional(&self) -> bool {
        matches!(self, RenderCommand::ClearAttachments(_))
    }

    /// Whether it does nothing but set what draws depend on.
    pub(in crate::command) fn is_state(&self) -> bool {
        !matches!(
            self,
            RenderCommand::Step(_)
                | RenderCommand::ClearAttachments(_)
                | RenderCommand::BeginTransformFeedback(_)
                | RenderCommand::EndTransformFeedback(_)
        )
    }

    /// Whether the draws before it may wait for those after it. A step between subpasses runs them itself.
    pub(in crate::command) fn keeps_draw_batch_open(&self) -> bool {
        !matches!(
            self,
            RenderCommand::ClearAttachments(_)
                | RenderCommand::BeginTransformFeedback(_)
                | RenderCommand::EndTransformFeedback(_)
        )
    }

    /// Runs it.
    pub(in crate::command) fn run(&self, processor: &mut CommandProcessor<'_>) {
        let rendering = &mut processor.rendering;
        match self {
            RenderCommand::Step(step) => processor.render_step(step),
            RenderCommand::SetState(change) => rendering.set_state(change),
            RenderCommand::VertexBuffers(bind) => rendering.bind_vertex_buffers(bind.first, &bind.buffers),
            RenderCommand::IndexBuffer(buffer) => rendering.bind_index_buffer(buffer),
            RenderCommand::ShadingRateImage(view) => rendering.bind_shading_rate_image(view.as_ref()),
            RenderCommand::RestartIndex(index) => rendering.set_restart_index(*index),
            RenderCommand::ClearAttachments(clear) => {
                let clears = rendering.clear_attachments(&clear.clears, &clear.rects);
                rendering.batch.before.extend(clears);
            }
            RenderCommand::TransformFeedbackBuffers(bind) => {
                rendering.transform_feedback.bind(bind.first, &bind.buffers);
            }
            RenderCommand::BeginTransformFeedback(counters) => rendering.transform_feedback.begin(counters),
            RenderCommand::EndTransformFeedback(counters) => rendering.transform_feedback.end(counters),
            RenderCommand::PerTile(is_on) => processor.set_per_tile(*is_on),
        }
    }
}
