//! Commands of queries, conditional rendering, shader instrumentation and labels.

use crate::command::state::CommandProcessor;
use crate::objects::memory::mapped::Range;
use crate::objects::query::{QueryPool, ResultLayout};
use crate::pipeline::instrumentation::ShaderInstrumentation;
use crate::system;
use std::sync::Arc;

/// Measures commands, or makes them conditional.
pub enum QueryCommand {
    /// Resets queries: the first and how many.
    Reset(Arc<QueryPool>, u32, u32),
    /// Starts a query of a vertex stream.
    Begin(Arc<QueryPool>, u32, u32),
    /// Ends a query of a vertex stream.
    End(Arc<QueryPool>, u32, u32),
    /// Writes the time into a query.
    WriteTimestamp(Arc<QueryPool>, u32),
    /// `vkCmdCopyQueryPoolResults`.
    CopyResults(Box<CopyQueryResults>),
    /// From here on draws, dispatches and clears of attachments run only where the word is not zero, or with
    /// `VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT` where it is zero.
    BeginConditional(Box<Range>, bool),
    /// Ends conditional rendering.
    EndConditional,
    /// Starts shader instrumentation.
    BeginInstrumentation(Arc<ShaderInstrumentation>),
    /// The result index of the next draw or dispatch.
    SetResult(u32),
    /// Ends shader instrumentation.
    EndInstrumentation,
    /// A label of the application begins; only recorded for a profile.
    BeginLabel(Arc<str>),
    /// The last label ends.
    EndLabel,
    /// The queue passes a checkpoint with this marker (`vkCmdSetCheckpointNV`).
    Checkpoint(u64),
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
    /// Where they are written.
    pub target: Range,
}

impl QueryCommand {
    /// Whether it does nothing but set what commands behind it depend on.
    pub(in crate::command) fn is_state(&self) -> bool {
        matches!(
            self,
            QueryCommand::BeginConditional(..)
                | QueryCommand::EndConditional
                | QueryCommand::BeginInstrumentation(_)
                | QueryCommand::SetResult(_)
                | QueryCommand::EndInstrumentation
        )
    }

    /// Whether the draws before it may wait for those after it.
    pub(in crate::command) fn keeps_draw_batch_open(&self) -> bool {
        matches!(
            self,
            QueryCommand::BeginInstrumentation(_)
                | QueryCommand::SetResult(_)
                | QueryCommand::EndInstrumentation
                | QueryCommand::BeginLabel(_)
                | QueryCommand::EndLabel
        )
    }

    /// Runs it.
    pub(in crate::command) fn run(&self, processor: &mut CommandProcessor<'_>) {
        match self {
            QueryCommand::Reset(pool, first, count) => pool.reset(*first, *count),
            QueryCommand::Begin(pool, query, stream) => processor.begin_query(pool, *query, *stream),
            QueryCommand::End(pool, query, stream) => processor.end_query(pool, *query, *stream),
            QueryCommand::WriteTimestamp(pool, query) => {
                pool.write_timestamp(*query, system::monotonic_ns(), processor.view_count());
            }
            QueryCommand::CopyResults(copy) => {
                let (pieces, _) = copy.pool.results(copy.first, copy.count, copy.layout);
                for (offset, bytes) in pieces {
                    copy.target.write(offset, &bytes);
                }
            }
            QueryCommand::BeginConditional(range, inverted) => {
                processor.skips_conditional = (range.word_at(0) == 0) != *inverted;
            }
            QueryCommand::EndConditional => processor.skips_conditional = false,
            QueryCommand::BeginInstrumentation(object) => processor.instrument(Some((object, 0))),
            QueryCommand::SetResult(result) => processor.set_result(*result),
            // They are for profiles, which look at them before.
            QueryCommand::BeginLabel(_) | QueryCommand::EndLabel => {}
            QueryCommand::EndInstrumentation => processor.instrument(None),
            QueryCommand::Checkpoint(marker) => processor.device.pass_checkpoint(processor.queue, *marker),
        }
    }
}
