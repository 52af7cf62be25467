//! Recording of data graphs.

use super::CommandBuffer;
use crate::command::family::bind::BindCommand;
use crate::command::family::dispatch::DispatchCommand;
use crate::error::{Error, Result};
use crate::pipeline::data_graph::{DataGraphPipeline, DataGraphSession};
use std::sync::Arc;

impl CommandBuffer {
    /// Sets the data graph.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_data_graph(&mut self, pipeline: &Arc<DataGraphPipeline>) -> Result<()> {
        self.record(|recording| {
            recording.data_graph = Some(Arc::clone(pipeline));
            recording.list.commands.push(BindCommand::DataGraph(Arc::clone(pipeline)).into());
            Ok(())
        })
    }

    /// Runs the data graph that is bound, in the memory of a session.
    ///
    /// # Errors
    /// When none is bound, the session is another pipeline's, or a render pass is under way.
    pub fn dispatch_data_graph(&mut self, session: Arc<DataGraphSession>) -> Result<()> {
        self.record(|recording| {
            if recording.instance.is_some() {
                return Err(Error::misuse(
                    "a data graph within a render pass (VUID-vkCmdDispatchDataGraphARM-renderpass)",
                ));
            }
            let bound = recording.data_graph.as_ref().ok_or_else(|| {
                Error::misuse("no data graph is bound (VUID-vkCmdDispatchDataGraphARM-None-09799)")
            })?;
            if !Arc::ptr_eq(bound, session.pipeline()) {
                return Err(Error::misuse(
                    "the session was made for another pipeline (VUID-vkCmdDispatchDataGraphARM-dataGraphPipeline-09951)",
                ));
            }
            if session.transient_bytes() != 0 && session.memory().is_none() {
                return Err(Error::misuse(
                    "the session has no memory (VUID-vkCmdDispatchDataGraphARM-session-09796)",
                ));
            }
            Ok(())
        })?;
        self.push(DispatchCommand::DataGraph(session))
    }
}
