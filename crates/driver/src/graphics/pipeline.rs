//! Graphics pipelines.

use super::key::{TargetFormats, output_key, vertex_input_key};
use super::state::{DynamicStates, GraphicsState};
use crate::cache::PipelineCache;
use crate::error::{Error, Result};
use crate::pipeline::{PipelineLayout, ShaderStage};
use pyro_engine::graphics::{FragmentProgram, VertexProgram};
use pyro_fixed::state::{FragmentOutputKey, VertexInputState};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use vulkanalia_sys as vk;

/// What a graphics pipeline is made from.
pub struct GraphicsPipelineInfo {
    /// Flags.
    pub flags: vk::PipelineCreateFlags,
    /// The shaders.
    pub stages: Vec<ShaderStage>,
    /// All state, as far as it is not dynamic.
    pub state: GraphicsState,
    /// What is dynamic.
    pub dynamic: DynamicStates,
    /// Where resources lie.
    pub layout: Arc<PipelineLayout>,
    /// What is drawn to.
    pub formats: TargetFormats,
}

/// All that compiled code depends on beside the pipeline itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProgramKey {
    vertex_input: VertexInputState,
    output: FragmentOutputKey,
    points: bool,
    view_mask: u32,
}

/// Compiled code of a pipeline.
pub struct Programs {
    /// The vertex function.
    pub vertex: VertexProgram,
    /// The fragment function; none when the pipeline rasterises nothing.
    pub fragment: Option<FragmentProgram>,
    /// The attributes in the order that the vertex function numbers them.
    pub vertex_input: VertexInputState,
}

/// A `VkPipeline` for graphics.
pub struct GraphicsPipeline {
    info: GraphicsPipelineInfo,
    programs: Mutex<HashMap<ProgramKey, Arc<Programs>>>,
}

impl GraphicsPipeline {
    /// Checks the state and compiles, when nothing dynamic shapes the code. What is compiled here is what draws
    /// will ask for, unless they count samples.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what the
    /// compiler lacks; the message is the compiler's.
    pub fn new(info: GraphicsPipelineInfo, cache: Option<&PipelineCache>) -> Result<GraphicsPipeline> {
        let _ = cache;
        for stage in &info.stages {
            if stage.stage != vk::ShaderStageFlags::VERTEX && stage.stage != vk::ShaderStageFlags::FRAGMENT {
                return Err(Error::unsupported(format!("the stage {:?}", stage.stage)));
            }
        }
        let pipeline = GraphicsPipeline { info, programs: Mutex::default() };
        pipeline.programs(&pipeline.info.state, &pipeline.info.formats, false)?;
        Ok(pipeline)
    }

    /// The state that it fixes.
    pub fn state(&self) -> &GraphicsState {
        &self.info.state
    }

    /// What it does not fix.
    pub fn dynamic(&self) -> &DynamicStates {
        &self.info.dynamic
    }

    /// The code for a state and attachments, compiled if it is the first time.
    ///
    /// # Errors
    /// As [`GraphicsPipeline::new`].
    pub fn programs(
        &self,
        state: &GraphicsState,
        formats: &TargetFormats,
        count_samples: bool,
    ) -> Result<Arc<Programs>> {
        let key = ProgramKey {
            vertex_input: vertex_input_key(&state.vertex_input)?,
            output: output_key(state, formats, count_samples),
            points: state.topology == vk::PrimitiveTopology::POINT_LIST,
            view_mask: formats.view_mask,
        };
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = programs.get(&key) {
            return Ok(Arc::clone(found));
        }
        let compiled = Arc::new(self.compile(&key)?);
        programs.insert(key, Arc::clone(&compiled));
        Ok(compiled)
    }

    fn compile(&self, _key: &ProgramKey) -> Result<Programs> {
        Err(Error::unsupported("the compiler has no stages of graphics"))
    }
}
