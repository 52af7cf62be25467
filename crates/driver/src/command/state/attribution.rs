//! Where a profile's commands are, and the passes around them: what a running command buffer knows of it.

use super::CommandProcessor;
use pyro_codemem::sample;
use pyro_profiler::commands::{self, CommandKey, Event, now_ns};

/// Where in a command buffer its profiled commands are.
#[derive(Clone, Debug, Default)]
pub(in crate::command) struct Attribution {
    pub(in crate::command) queue: u32,
    /// The labels around, outermost first, as numbers of passes.
    pub(in crate::command) labels: Vec<u32>,
    /// How many of the labels are the queue's.
    queue_labels: usize,
    /// The render pass instance, and how many there have been in the command buffer.
    render_pass: Option<u32>,
    render_passes: u32,
    /// Commands so far.
    pub(in crate::command) number: u32,
}

/// A command that runs, with the time of its beginning.
pub(in crate::command) struct Running {
    pub(in crate::command) command: u32,
    pub(in crate::command) pass: u32,
    pub(in crate::command) queue: u32,
    pub(in crate::command) begin_ns: u64,
}

impl Attribution {
    /// For a command buffer on this queue, within a label of the queue (zero: within none), if there is a
    /// profile.
    pub(in crate::command) fn new(queue: u32, label: u32) -> Option<Box<Attribution>> {
        let labels = if label == 0 { Vec::new() } else { vec![label] };
        let queue_labels = labels.len();
        sample::is_on()
            .then(|| Box::new(Attribution { queue, labels, queue_labels, ..Attribution::default() }))
    }

    /// The last label of the command buffer ends; one of the queue stays.
    pub(in crate::command) fn end_label(&mut self) {
        if self.labels.len() > self.queue_labels {
            self.labels.pop();
        }
    }

    /// The innermost pass.
    pub(in crate::command) fn pass(&self) -> u32 {
        self.render_pass.or(self.labels.last().copied()).unwrap_or(0)
    }

    /// The number of a command that is next.
    pub(in crate::command) fn command(&self, kind: &'static str, pipeline: u32, size: [u32; 3]) -> u32 {
        let &Attribution { queue, number, .. } = self;
        commands::command(CommandKey { kind, queue, pass: self.pass(), pipeline, number, size })
    }
}

impl CommandProcessor<'_> {
    /// The draws that wait begin to run.
    pub(in crate::command) fn attribute_draws(&self) -> Option<Running> {
        let attribution = self.attribution.as_ref()?;
        let command = attribution.command("draws together", 0, [0; 3]);
        sample::set_tag(command);
        let &Attribution { queue, .. } = &**attribution;
        Some(Running { command, pass: attribution.pass(), queue, begin_ns: now_ns() })
    }

    /// A render pass instance has begun, goes on or has ended.
    pub(in crate::command) fn attribute_render_pass(&mut self, has_targets: bool) {
        let Some(attribution) = &mut self.attribution else { return };
        if !has_targets {
            attribution.render_pass = None;
        } else {
            attribution.render_passes += 1;
            let around = attribution.labels.last().copied().unwrap_or(0);
            let name = format!("render pass {}", attribution.render_passes);
            attribution.render_pass = Some(commands::pass(around, &name));
        }
    }
}

impl Running {
    /// It has run.
    pub(in crate::command) fn end(self) {
        let Running { command, pass, queue, begin_ns } = self;
        commands::event(Event { queue, pass, command, begin_ns, end_ns: now_ns() });
    }
}
