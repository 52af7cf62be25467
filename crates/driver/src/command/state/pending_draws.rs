//! Draws run: at once, or while the commands behind them are looked at.
//!
//! **Problem.** Collecting draws is a tenth of what many small ones cost, and one thread does it.
//!
//! **Approach.** Draws that are many are handed to the engine's workers ([`PendingDraws`]), and the queue's
//! thread goes on to collect those behind them, also of the next render pass instance. It waits, and helps,
//! when the next lists of draws are to begin, or a command comes that needs results: every command but those
//! that only collect draws or change their state ([`Command::keeps_draw_batch_open`]), and draws that read
//! their parameters from memory. Where workers have nothing to do, draws of an instance that has many begin
//! before all of them are there.
//!
//! **Invariants.** One list runs at a time, in the order of commands. What its draws look at by address is
//! kept with it (`Kept`), or by the command list. It has ended before a command reads or writes memory or
//! counters, before attachments are exchanged or told of, and when the command buffer ends.
//!
//! [`Command::keeps_draw_batch_open`]: crate::command::list::Command

use super::CommandProcessor;
use super::draw_batch::Kept;
use crate::command::render_pass::RunningRegions;
use crate::execution::unsafe_engine;
use pyro_engine::DispatchError;
use pyro_engine::graphics::{Dropped, Frame, PendingDraws, Rect, RegionWork, Statistics};

/// Draws of a list that runs while others are collected: fewer are collected sooner than a worker has begun.
const OVERLAPPED_DRAWS: usize = 256;
/// Draws that may be running, and what they look at.
pub(in crate::command) struct RunningDraws<'d> {
    /// Dropped first, which waits.
    draws: PendingDraws<'d>,
    _kept: Kept,
}

impl CommandProcessor<'_> {
    /// Runs the draws of the batch, with the clears before them and the work after them; they may go on
    /// running afterwards. `dropped`: attachments whose contents nothing reads afterwards, within an area.
    pub(in crate::command) fn run_draws(&mut self, after: Vec<RegionWork>, dropped: (Vec<Dropped>, Rect)) {
        let overlaps = self.may_overlap();
        self.run_batch(after, dropped, overlaps);
    }

    fn run_batch(
        &mut self,
        after: Vec<RegionWork>,
        (dropped, dropped_area): (Vec<Dropped>, Rect),
        overlaps: bool,
    ) {
        let batch = &mut self.rendering.batch;
        if batch.draws.is_empty() && batch.before.is_empty() && after.is_empty() {
            batch.clear();
            return;
        }
        self.wait_for_draws();
        let running = self.attribute_draws();
        let batch = &mut self.rendering.batch;
        let (before, draws) = (core::mem::take(&mut batch.before), core::mem::take(&mut batch.draws));
        let kept = batch.clear();
        let frame = Frame { before, draws, after, dropped, dropped_area };
        if overlaps {
            let draws = unsafe_engine::begin_draws(self.alive, &self.device.engine, frame);
            self.running_draws = Some(RunningDraws { draws, _kept: kept });
            return;
        }
        let is_serial = self.rendering.regions.as_ref().is_some_and(RunningRegions::is_serial);
        let rendered = match is_serial {
            true => pyro_engine::with_thread_limit(1, || self.render(frame)),
            false => self.render(frame),
        };
        self.count_draws(rendered);
        if let Some(running) = running {
            running.end();
        }
    }

    /// Runs the draw batch, as another command needs its results.
    pub(in crate::command) fn close_draw_batch(&mut self) {
        self.run_batch(Vec::new(), Default::default(), false);
        self.wait_for_draws();
    }

    /// Runs the many draws so far if no more are collected, or if workers have nothing to do.
    pub(in crate::command) fn run_early_draws(&mut self) {
        let is_free = self.running_draws.as_ref().is_none_or(|running| running.draws.have_ended());
        if self.rendering.batch.is_full() || is_free && self.may_overlap() {
            self.run_draws(Vec::new(), Default::default());
        }
    }

    /// Waits for draws that are running.
    pub(in crate::command) fn wait_for_draws(&mut self) {
        if let Some(RunningDraws { draws, .. }) = self.running_draws.take() {
            let rendered = draws.finish();
            self.count_draws(rendered);
        }
    }

    fn count_draws(&mut self, rendered: Result<Statistics, DispatchError>) {
        match rendered {
            Ok(statistics) => self.counters.graphics += statistics,
            Err(DispatchError::Aborted) => self.device.lose(),
        }
    }

    /// Whether the batch has enough draws to run while others are collected: where nobody looks at when
    /// commands begin and end, nothing is copied when attachments change, and descriptors lie where only the
    /// host writes them.
    fn may_overlap(&self) -> bool {
        let rendering = &self.rendering;
        rendering.batch.command_count() >= OVERLAPPED_DRAWS
            && self.device.physical_devices().len() == 1
            && self.follow.is_none()
            && self.attribution.is_none()
            && !self.device.is_traced()
            && self.device.sanitize().is_empty()
            && rendering.regions.is_none()
            && !rendering.transform_feedback.is_active()
            && rendering.substitute_targets.is_none()
            && !rendering.sets.are_in_buffers()
            && self.device.engine.overlaps_draws()
    }
}
