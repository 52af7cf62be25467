//! Recording of execution graphs and of shader instrumentation.

use super::CommandBuffer;
use crate::command::family::bind::BindCommand;
use crate::command::family::dispatch::{DispatchCommand, GraphCommand};
use crate::command::family::query::QueryCommand;
use crate::command::followed::is_on;
use crate::error::{Error, Result};
use crate::pipeline::execution_graph::{GraphDispatch, GraphPipeline, SCRATCH_BYTES};
use crate::pipeline::instrumentation::ShaderInstrumentation;
use std::sync::Arc;
use vulkanalia_sys as vk;

fn check_scratch((address, size): (u64, u64)) -> Result<()> {
    if !address.is_multiple_of(64) {
        return Err(Error::misuse(
            "scratch memory that is not aligned to 64 bytes \
             (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144)",
        ));
    }
    if size < SCRATCH_BYTES {
        return Err(Error::misuse(
            "less scratch memory than minSize (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratchSize-10186, \
             VUID-vkCmdDispatchGraphAMDX-scratchSize-10193)",
        ));
    }
    Ok(())
}

impl CommandBuffer {
    /// Sets the execution graph.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_graph(&mut self, graph: &Arc<GraphPipeline>) -> Result<()> {
        self.record(|recording| {
            recording.graph = Some(Arc::clone(graph));
            recording.list.commands.push(BindCommand::ExecutionGraph(Arc::clone(graph)).into());
            Ok(())
        })
    }

    /// Runs the execution graph that is bound, which `begin` gets.
    ///
    /// # Errors
    /// When none is bound, the command buffer is secondary, or the scratch memory is not such as graphs ask
    /// for; and `begin`'s.
    pub fn dispatch_graph(
        &mut self,
        scratch: (u64, u64),
        begin: impl FnOnce(&GraphPipeline) -> Result<GraphDispatch>,
    ) -> Result<()> {
        let is_primary = self.level == vk::CommandBufferLevel::PRIMARY;
        let mut graph = None;
        self.record(|recording| {
            if !is_primary {
                return Err(Error::misuse(
                    "an execution graph in a secondary command buffer (VUID-vkCmdDispatchGraphAMDX-commandBuffer-09182)",
                ));
            }
            check_scratch(scratch)?;
            graph.clone_from(&recording.graph);
            Ok(())
        })?;
        let graph = graph.ok_or_else(|| {
            Error::misuse("no execution graph is bound (VUID-vkCmdDispatchGraphAMDX-None-08606)")
        });
        match graph.and_then(|graph| begin(&graph)) {
            Ok(dispatch) => {
                let (address, size) = scratch;
                let scratch = address..address.saturating_add(size);
                self.push(DispatchCommand::ExecutionGraph(Box::new(GraphCommand { dispatch, scratch })))
            }
            Err(error) => self.record(|_| Err(error)),
        }
    }

    /// Checks the scratch memory of an execution graph, which needs no initialization.
    ///
    /// # Errors
    /// When it is not such as graphs ask for.
    pub fn initialize_scratch(&mut self, scratch: (u64, u64)) -> Result<()> {
        self.record(|_| check_scratch(scratch))?;
        if !is_on() {
            return Ok(());
        }
        let (address, size) = scratch;
        let range = address..address.saturating_add(size);
        self.push(DispatchCommand::InitializeScratch(Box::new(range)))
    }

    /// Lets shaders count from here on.
    ///
    /// # Errors
    /// When they do already.
    pub fn begin_instrumentation(&mut self, instrumentation: Arc<ShaderInstrumentation>) -> Result<()> {
        self.record(|recording| {
            if recording.instrumentation.is_some() {
                return Err(Error::misuse(
                    "shader instrumentation is active (VUID-vkCmdBeginShaderInstrumentationARM-commandBuffer-12375)",
                ));
            }
            recording.instrumentation = Some(Arc::clone(&instrumentation));
            recording.list.commands.push(QueryCommand::BeginInstrumentation(instrumentation).into());
            Ok(())
        })
    }

    /// Takes the result index of a command that has nothing to do; without instrumentation there is none.
    ///
    /// # Errors
    /// When it does not record.
    pub fn skip_result(&mut self) -> Result<()> {
        self.record(|recording| {
            if let Some(instrumentation) = &recording.instrumentation {
                instrumentation.next_result();
            }
            Ok(())
        })
    }

    /// Lets shaders count no more.
    ///
    /// # Errors
    /// When they do not.
    pub fn end_instrumentation(&mut self) -> Result<()> {
        self.record(|recording| {
            recording.instrumentation.take().ok_or_else(|| {
                Error::misuse(
                    "shader instrumentation is not active \
                     (VUID-vkCmdEndShaderInstrumentationARM-commandBuffer-12377)",
                )
            })?;
            recording.list.commands.push(QueryCommand::EndInstrumentation.into());
            Ok(())
        })
    }
}
