//! Graphics pipelines.

use super::key::{TargetFormats, output_key, vertex_input_key};
use super::state::{DynamicStates, GraphicsState};
use crate::cache::PipelineCache;
use crate::error::{Error, Result};
use crate::pipeline::{PipelineLayout, ShaderStage};
use std::sync::Arc;
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

/// A `VkPipeline` for graphics.
pub struct GraphicsPipeline {
    info: GraphicsPipelineInfo,
}

impl GraphicsPipeline {
    /// Compiles what the state allows to compile now.
    ///
    /// # Errors
    /// `VK_ERROR_FEATURE_NOT_PRESENT`: no stage of graphics can be compiled yet.
    pub fn new(info: GraphicsPipelineInfo, cache: Option<&PipelineCache>) -> Result<GraphicsPipeline> {
        let _ = cache;
        for stage in &info.stages {
            if stage.stage != vk::ShaderStageFlags::VERTEX && stage.stage != vk::ShaderStageFlags::FRAGMENT {
                return Err(Error::unsupported(format!("the stage {:?}", stage.stage)));
            }
        }
        vertex_input_key(&info.state.vertex_input)?;
        let _ = output_key(&info.state, &info.formats, false);
        Err(Error::unsupported("graphics pipelines"))
    }

    /// The state that it fixes.
    pub fn state(&self) -> &GraphicsState {
        &self.info.state
    }

    /// What it does not fix.
    pub fn dynamic(&self) -> &DynamicStates {
        &self.info.dynamic
    }
}
