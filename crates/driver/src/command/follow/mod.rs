//! What the sanitizer is told of commands: dependencies, layouts, labels, and what each command accesses
//! without a shader.
//!
//! With the sanitizer off nothing here is recorded or run. With it on, each draw runs by itself, so that what
//! its shaders access is known to be its own.
//!
//! *Must not know* what is found.

mod draw;
mod render;
mod transfer;

use super::family::dispatch::{DispatchCommand, ShaderBindingTables, TraceRaysCommand};
use super::family::query::QueryCommand;
use super::family::render::RenderCommand;
use super::family::transfer::TransferCommand;
use super::list::Command;
use super::state::{CommandProcessor, Outcome};
use crate::command::followed::{Followed, view_subresources};
use crate::objects::image::ImageView;
use crate::pipeline::data_graph::DataGraphSession;
use pyro_sanitizer::commands::resources::{self, Resource, Subresources};
use pyro_sanitizer::commands::scope::{access, stage};
use pyro_sanitizer::commands::{CommandUse, FixedAccess, InputAttachments};
use pyro_util::sanitize::Kind;
use std::ops::Range;
use std::sync::Arc;

/// An access of a command.
fn fixed(range: Range<u64>, stage: u64, access: u64) -> FixedAccess {
    FixedAccess { range, stage, access, needs_content: false, is_one_aspect: false, elements: None }
}

/// What a launch of rays reads of its tables. A table of no bytes has no records, and none is read.
fn binding_tables(launch: &TraceRaysCommand, to: &mut Vec<FixedAccess>, findings: &mut Vec<(Kind, String)>) {
    let (TraceRaysCommand::Direct(tables, _) | TraceRaysCommand::Indirect(tables, _)) = launch else {
        return;
    };
    let ShaderBindingTables { raygen, miss, hit, callable } = tables;
    for (what, table) in [("ray generation", raygen), ("miss", miss), ("hit", hit), ("callable", callable)] {
        if table.size == 0 || table.address == 0 {
            continue;
        }
        let end = table.address.saturating_add(table.size);
        match resources::buffer_end(table.address) {
            Some(last) if end <= last => {
                to.push(fixed(table.address..end, stage::RAY_TRACING, access::BINDING_TABLE_READ));
            }
            Some(last) => {
                let text = format!("the {what} table ends {} bytes past the end of its buffer", end - last);
                findings.push((Kind::BoundsBindingTable, text));
            }
            None => {
                let text = format!("no buffer is bound at the address of the {what} table");
                findings.push((Kind::BoundsBindingTable, text));
            }
        }
    }
}

/// What an execution graph may do with its scratch memory.
fn scratch_memory(range: &Range<u64>, to: &mut Vec<FixedAccess>) {
    let all = [access::STORAGE_WRITE, access::STORAGE_READ];
    to.extend(all.map(|access| fixed(range.clone(), stage::COMPUTE, access)));
}

/// Whether a command may write what nothing tells of.
fn writes_more_than_is_told(command: &Command) -> bool {
    match command {
        // Serialized structures and the objects of clusters are written as far as memory says.
        Command::Transfer(TransferCommand::Structures(_)) => true,
        // Kernels tell what they write only for these kinds.
        Command::Dispatch(DispatchCommand::CudaKernel(_)) => {
            !pyro_util::config::get().sanitize.needs_accesses()
        }
        _ => false,
    }
}

/// The name of a command; none for those that access nothing.
fn name(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Draw(_) => "a draw",
        Command::Dispatch(DispatchCommand::TraceRays(_)) => "vkCmdTraceRaysKHR",
        Command::Dispatch(DispatchCommand::Indirect(_)) => "vkCmdDispatchIndirect",
        Command::Dispatch(DispatchCommand::Tile) => "vkCmdDispatchTileQCOM",
        Command::Dispatch(DispatchCommand::CudaKernel(_)) => "vkCmdCudaLaunchKernelNV",
        Command::Dispatch(DispatchCommand::ExecutionGraph(_)) => "vkCmdDispatchGraphAMDX",
        Command::Dispatch(DispatchCommand::DataGraph(_)) => "vkCmdDispatchDataGraphARM",
        Command::Dispatch(DispatchCommand::InitializeScratch(_)) => "vkCmdInitializeGraphScratchMemoryAMDX",
        Command::Dispatch(_) => "vkCmdDispatch",
        Command::Transfer(TransferCommand::Copy(_)) => "vkCmdCopyBuffer",
        Command::Transfer(TransferCommand::Fill(..)) => "vkCmdFillBuffer",
        Command::Transfer(TransferCommand::Update(_)) => "vkCmdUpdateBuffer",
        Command::Transfer(TransferCommand::Images(list)) => transfer::name(list),
        Command::Transfer(TransferCommand::Structures(command)) => transfer::structure_name(command),
        Command::Transfer(TransferCommand::CopyTensor(_)) => "vkCmdCopyTensorARM",
        Command::Transfer(TransferCommand::CopyIndirect(_)) => "vkCmdCopyMemoryIndirectKHR",
        Command::Transfer(TransferCommand::Decompress(_)) => "vkCmdDecompressMemoryEXT",
        Command::Transfer(TransferCommand::ConvertMatrices(_)) => "vkCmdConvertCooperativeVectorMatrixNV",
        Command::Query(QueryCommand::CopyResults(_)) => "vkCmdCopyQueryPoolResults",
        _ => return None,
    })
}

impl CommandProcessor<'_> {
    /// What a dispatch of a data graph reads and writes.
    fn data_graph_accesses(&mut self, session: &DataGraphSession, to: &mut Vec<FixedAccess>) {
        let (reads, writes) = self.data_graph_ranges(session);
        let read = |range| fixed(range, stage::DATA_GRAPH, access::DATA_GRAPH_READ);
        let write = |range| fixed(range, stage::DATA_GRAPH, access::DATA_GRAPH_WRITE);
        to.extend(reads.into_iter().map(read));
        to.extend(writes.into_iter().map(write));
    }

    /// Runs a command and tells the sanitizer what it has accessed.
    pub(in crate::command) fn followed(
        &mut self,
        command: &Command,
        run: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        if self.follow.as_ref().is_some_and(|follower| !follower.follows_accesses) {
            return self.followed_alone(command, run);
        }
        if let Command::Render(RenderCommand::BeginTransformFeedback(_)) = command {
            self.device.reports().commands(|recorder| recorder.lose_content());
        }
        let Some(name) = name(command) else { return run(self) };
        let draw_number = self.device.reports().next_serial();
        let mut accesses = Vec::new();
        let mut findings = Vec::new();
        let name = match command {
            Command::Draw(draw) => {
                self.rendering.context.serial = draw_number;
                self.rendering.batch.changed();
                draw::name(draw)
            }
            Command::Dispatch(DispatchCommand::Indirect(range)) => {
                let range = range.address()..range.address() + range.size();
                accesses.push(fixed(range, stage::DRAW_INDIRECT, access::INDIRECT_READ));
                name
            }
            Command::Dispatch(DispatchCommand::DataGraph(session)) => {
                self.data_graph_accesses(session, &mut accesses);
                name
            }
            Command::Dispatch(DispatchCommand::ExecutionGraph(graph)) => {
                // Mesh nodes draw.
                self.rendering.context.serial = draw_number;
                self.rendering.batch.changed();
                let inputs = match &self.graph().pipeline {
                    Some(pipeline) => pipeline.clone().followed_inputs(self.alive.memory(), &graph.dispatch),
                    None => Vec::new(),
                };
                let read = |range| fixed(range, stage::COMPUTE, access::STORAGE_READ);
                accesses.extend(inputs.into_iter().map(read));
                scratch_memory(&graph.scratch, &mut accesses);
                name
            }
            Command::Dispatch(DispatchCommand::InitializeScratch(range)) => {
                scratch_memory(range, &mut accesses);
                name
            }
            Command::Dispatch(DispatchCommand::TraceRays(launch)) => {
                self.compute.context().serial = draw_number;
                binding_tables(launch, &mut accesses, &mut findings);
                name
            }
            Command::Transfer(command) => {
                transfer::accesses(command, self.alive.memory(), &mut accesses);
                name
            }
            Command::Query(QueryCommand::CopyResults(copy)) => {
                let range = copy.target.address()..copy.target.address() + copy.target.size();
                accesses.push(fixed(range, stage::COPY, access::TRANSFER_WRITE));
                name
            }
            _ => name,
        };
        if writes_more_than_is_told(command) {
            self.device.reports().commands(|recorder| recorder.lose_content());
        }
        let outcome = run(self);
        let mut numbers = vec![draw_number];
        if let Command::Draw(draw) = command {
            // Now its code is known, and with it the attributes that it reads.
            draw::accesses(&self.rendering, draw, &mut accesses, &mut findings);
            self.close_draw_batch();
        } else {
            numbers.push(self.compute.context().serial);
        }
        let (attachments, inputs) = match command {
            Command::Draw(_) => (self.written_attachments(), self.input_attachments()),
            _ => (Vec::new(), None),
        };
        let pipeline = draw::pipeline(command, &self.rendering);
        if let Some(follower) = &mut self.follow {
            let (attachments, inputs) = (&attachments[..], inputs.as_ref());
            let (queue, layouts) = (follower.queue, std::mem::take(&mut follower.layouts));
            let name = follower.name(name);
            self.device.reports().commands(|recorder| {
                let (numbers, fixed, layouts, findings) =
                    (&numbers[..], &accesses[..], &layouts[..], &findings[..]);
                recorder.command(
                    queue,
                    name,
                    CommandUse {
                        numbers,
                        fixed,
                        layouts,
                        findings,
                        pipeline,
                        attachments,
                        inputs,
                        before: None,
                    },
                );
            });
        }
        outcome
    }

    /// The same where it does not matter what commands access: says what is wrong with a command alone.
    fn followed_alone(&mut self, command: &Command, run: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let mut accesses = Vec::new();
        let mut findings = Vec::new();
        let outcome = run(self);
        let name = match command {
            Command::Draw(draw) => {
                draw::accesses(&self.rendering, draw, &mut accesses, &mut findings);
                draw::name(draw)
            }
            Command::Dispatch(DispatchCommand::TraceRays(launch)) => {
                binding_tables(launch, &mut accesses, &mut findings);
                "vkCmdTraceRaysKHR"
            }
            _ => match name(command) {
                Some(name) => name,
                None => return outcome,
            },
        };
        let Some(follower) = &mut self.follow else { return outcome };
        let (queue, name) = (follower.queue, follower.name(name));
        if !findings.is_empty() {
            let pipeline = draw::pipeline(command, &self.rendering);
            let of = CommandUse { findings: &findings[..], pipeline, ..CommandUse::default() };
            self.device.reports().commands(|recorder| {
                recorder.command(queue, name, of);
            });
        }
        outcome
    }

    /// The attachments that draws write.
    fn written_attachments(&self) -> Vec<(Arc<Resource>, Subresources)> {
        let Some(targets) = &self.rendering.targets else { return Vec::new() };
        targets.colors.iter().flatten().chain(&targets.depth).filter_map(attached).collect()
    }

    /// What input attachments of draws may be.
    fn input_attachments(&self) -> Option<InputAttachments> {
        let targets = self.rendering.targets.as_ref()?;
        Some(match &targets.inputs {
            Some(inputs) => {
                let inputs = inputs.iter().map(|input| input.as_ref().and_then(attached));
                InputAttachments::Subpass(inputs.collect())
            }
            None => {
                let all = targets.colors.iter().flatten().chain(&targets.depth).chain(&targets.stencil);
                InputAttachments::Any(all.filter_map(attached).collect())
            }
        })
    }

    /// Tells the sanitizer what was recorded for it.
    pub(in crate::command) fn tell(&mut self, followed: &Followed) {
        let Some(follower) = &mut self.follow else { return };
        match followed {
            Followed::Order(..) if !follower.follows_accesses => {}
            Followed::Order(dependency, command) => {
                let (queue, name) = (follower.queue, follower.name(command));
                self.device.reports().commands(|recorder| recorder.dependency(queue, dependency, &name));
            }
            Followed::BeginLabel(label) => follower.labels.push(label.clone()),
            Followed::EndLabel => {
                follower.labels.pop();
            }
            Followed::Layouts(_) if !follower.follows_accesses => {}
            Followed::Layouts(layouts) => follower.layouts.extend(layouts.iter().cloned()),
        }
    }
}

/// What an attachment is of an image, where that is followed.
fn attached(view: &Arc<ImageView>) -> Option<(Arc<Resource>, Subresources)> {
    let subresources = Subresources { levels: 1, ..view_subresources(view) };
    view.image().resource().map(|image| (Arc::clone(image), subresources))
}
