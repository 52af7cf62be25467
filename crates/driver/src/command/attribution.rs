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
use super::state::attribution::Running;
use pyro_codemem::sample;
use pyro_profiler::commands::{self, now_ns};

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
            DispatchCommand::Tile => ("dispatch tile", [0; 3]),
            DispatchCommand::CudaKernel(_) => ("CUDA kernel", [0; 3]),
            DispatchCommand::TraceRays(_) => ("trace rays", [0; 3]),
            DispatchCommand::ExecutionGraph(_) => ("execution graph", [0; 3]),
            DispatchCommand::DataGraph(_) => ("data graph", [0; 3]),
            DispatchCommand::InitializeScratch(_) => return None,
        },
        Command::Generated(_) => ("generated commands", [0; 3]),
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
                | DispatchCommand::Indirect(_)
                | DispatchCommand::Tile,
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
            Command::Query(QueryCommand::EndLabel) => attribution.end_label(),
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
}
