//! What a profile is told of the commands that run: which one the thread works for, in which pass, and when.
//!
//! Draws run together, some time after their commands: each carries its number to the engine, which says on
//! every thread whose primitives it works on.
//!
//! Invariant: without a profile, a command costs one look at an empty option.

use super::family::dispatch::DispatchCommand;
use super::family::draw::DrawCommand;
use super::family::query::QueryCommand;
use super::family::render::RenderCommand;
use super::list::Command;
use super::state::CommandProcessor;
use pyro_codemem::sample;
use pyro_profiler::commands::{self, CommandKey, Event, now_ns};

/// Where in a command buffer its profiled commands are.
#[derive(Clone, Debug, Default)]
pub(super) struct Attribution {
    queue: u32,
    /// The labels around, outermost first, as numbers of passes.
    labels: Vec<u32>,
    /// The render pass instance, and how many there have been in the command buffer.
    render_pass: Option<u32>,
    render_passes: u32,
    /// Commands so far.
    number: u32,
}

/// A command that runs, with the time of its beginning.
pub(super) struct Running {
    command: u32,
    pass: u32,
    queue: u32,
    begin_ns: u64,
}

impl Attribution {
    /// For a command buffer on this queue, if there is a profile.
    pub(super) fn new(queue: u32) -> Option<Box<Attribution>> {
        sample::is_on().then(|| Box::new(Attribution { queue, ..Attribution::default() }))
    }

    fn pass(&self) -> u32 {
        self.render_pass.or(self.labels.last().copied()).unwrap_or(0)
    }

    fn command(&self, kind: &'static str, pipeline: u32, size: [u32; 3]) -> u32 {
        let &Attribution { queue, number, .. } = self;
        commands::command(CommandKey { kind, queue, pass: self.pass(), pipeline, number, size })
    }
}

/// What a command is called, and its numbers; `None` for those that only set state.
fn kind(command: &Command) -> Option<(&'static str, [u32; 3])> {
    Some(match command {
        Command::Bind(_) | Command::PushWords(_) | Command::Execute(_) => return None,
        Command::Draw(draw) => match draw {
            DrawCommand::Draw(draw) => ("draw", [draw.vertex_count, draw.instance_count, 0]),
            DrawCommand::DrawIndexed(draw) => ("draw indexed", [draw.index_count, draw.instance_count, 0]),
            DrawCommand::DrawMesh(draw) => ("draw mesh tasks", draw.groups),
            DrawCommand::Indirect(_) => ("draw indirect", [0; 3]),
            DrawCommand::ByteCount(_) => ("draw indirect byte count", [0; 3]),
        },
        Command::Dispatch(dispatch) => match dispatch {
            DispatchCommand::Dispatch(count) => ("dispatch", *count),
            DispatchCommand::DispatchBase(groups) => ("dispatch", groups.count),
            DispatchCommand::Indirect(_) => ("dispatch indirect", [0; 3]),
            DispatchCommand::Subpass => ("subpass shading", [0; 3]),
            DispatchCommand::CudaKernel(_) => ("CUDA kernel", [0; 3]),
            DispatchCommand::TraceRays(_) => ("trace rays", [0; 3]),
            DispatchCommand::ExecutionGraph(_) => ("execution graph", [0; 3]),
        },
        Command::Transfer(_) => ("transfer", [0; 3]),
        Command::Sync(_) => ("synchronization", [0; 3]),
        Command::Query(QueryCommand::CopyResults(_)) => ("copy query results", [0; 3]),
        Command::Render(RenderCommand::ClearAttachments(_)) => ("clear attachments", [0; 3]),
        Command::Query(_) | Command::Render(_) => return None,
    })
}

impl CommandProcessor<'_> {
    /// The number of the pipeline of a command.
    fn profiled_pipeline(&self, command: &Command) -> u32 {
        match command {
            Command::Draw(_) => {
                self.rendering.pipeline.as_ref().map_or(0, |pipeline| pipeline.profiled_number())
            }
            Command::Dispatch(DispatchCommand::TraceRays(_)) => self.rays.profiled_number(),
            Command::Dispatch(
                DispatchCommand::Dispatch(_)
                | DispatchCommand::DispatchBase(_)
                | DispatchCommand::Indirect(_),
            ) => self.compute.pipeline().map_or(0, |pipeline| pipeline.profiled_number()),
            _ => 0,
        }
    }

    /// The next command begins.
    pub(super) fn attribute(&mut self, command: &Command) -> Option<Running> {
        self.attribution.as_ref()?;
        let pipeline = self.profiled_pipeline(command);
        let attribution = self.attribution.as_mut()?;
        attribution.number += 1;
        match command {
            Command::Query(QueryCommand::BeginLabel(name)) => {
                let around = attribution.labels.last().copied().unwrap_or(0);
                attribution.labels.push(commands::pass(around, name));
            }
            Command::Query(QueryCommand::EndLabel) => _ = attribution.labels.pop(),
            _ => {}
        }
        let Some((kind, size)) = kind(command) else {
            sample::set_tag(0);
            return None;
        };
        let number = attribution.command(kind, pipeline, size);
        sample::set_tag(number);
        let (pass, queue) = (attribution.pass(), attribution.queue);
        // Draws run later.
        (!matches!(command, Command::Draw(_))).then(|| Running {
            command: number,
            pass,
            queue,
            begin_ns: now_ns(),
        })
    }

    /// The draws that wait begin to run.
    pub(super) fn attribute_draws(&self) -> Option<Running> {
        let attribution = self.attribution.as_ref()?;
        let command = attribution.command("draws together", 0, [0; 3]);
        sample::set_tag(command);
        let &Attribution { queue, .. } = &**attribution;
        Some(Running { command, pass: attribution.pass(), queue, begin_ns: now_ns() })
    }

    /// A render pass instance has begun, goes on or has ended.
    pub(super) fn attribute_render_pass(&mut self, has_targets: bool) {
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
    pub(super) fn end(self) {
        let Running { command, pass, queue, begin_ns } = self;
        commands::event(Event { queue, pass, command, begin_ns, end_ns: now_ns() });
    }
}
