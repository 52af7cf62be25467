//! Pipelines: the shaders that applications make them from, and the code that the compiler makes.
//!
//! One file for each kind of pipeline; `stage` and `layout` are what they share. Code is made when a pipeline
//! is created, as far as its state is known then, and found in caches first; what no cache has is checked
//! then and made behind the creation (`deferred`).
//!
//! *Must not know* command buffers and queues, which use pipelines.

pub mod binary;
pub mod cache;
mod compute;
pub(crate) mod cost_estimate;
pub mod cuda;
pub mod data_graph;
pub(crate) mod deferred;
pub mod execution_graph;
pub mod execution_set;
pub mod graphics;
pub mod instrumentation;
pub mod layout;
mod profiled_name;
pub mod raytrace;
pub mod reload;
pub mod shader;
pub(crate) mod specialize;
pub(crate) mod stage;
pub mod strict;
mod successor;
pub mod validation_cache;

pub use compute::{ComputePipeline, ComputePipelineInfo};
pub use layout::PipelineLayout;
pub use stage::{CreationFeedback, Executable, ShaderStage};

use crate::error::{Error, Result};
use crate::report::ObjectName;
use binary::Captured;
use pyro_util::sync::{Mutex, MutexGuard};
use std::sync::Arc;

/// A `VkPipeline`.
pub struct Pipeline {
    /// What it does.
    pub kind: PipelineKind,
    captured: Mutex<Option<Captured>>,
    /// What `vkGetPipelinePropertiesEXT` says, where the application may ask.
    identifier: Option<[u8; 16]>,
    /// Its shader groups, of which the first is the pipeline itself; none: it has no others.
    groups: Box<[Arc<graphics::GraphicsPipeline>]>,
    /// The address by which generated commands know it.
    address: Option<u64>,
}

/// The kinds of pipelines.
#[derive(Clone)]
pub enum PipelineKind {
    /// For compute.
    Compute(Arc<ComputePipeline>),
    /// For graphics.
    Graphics(Arc<graphics::GraphicsPipeline>),
    /// Parts of one for graphics.
    Library(Arc<graphics::GraphicsLibrary>),
    /// An execution graph.
    Graph(Arc<execution_graph::GraphPipeline>),
    /// Nodes for execution graphs.
    GraphLibrary(Arc<execution_graph::GraphLibrary>),
    /// For ray tracing, or a library of one.
    RayTracing(Arc<raytrace::RayPipeline>),
    /// A data graph.
    DataGraph(Arc<data_graph::DataGraphPipeline>),
}

impl PipelineKind {
    /// The handle that messages name, of pipelines that messages are about.
    pub fn name(&self) -> Option<&ObjectName> {
        match self {
            PipelineKind::Compute(pipeline) => Some(pipeline.name()),
            PipelineKind::Graphics(pipeline) => Some(pipeline.name()),
            _ => None,
        }
    }
}

impl Pipeline {
    /// A pipeline, and what is kept of it for its binaries, if the application wants some.
    pub fn new(kind: PipelineKind, captured: Option<Captured>) -> Pipeline {
        let (groups, address) = (Box::default(), None);
        Pipeline { kind, captured: Mutex::new(captured), identifier: None, groups, address }
    }

    /// The same with shader groups (`VK_NV_device_generated_commands`), behind which follow those of other
    /// pipelines.
    #[must_use]
    pub fn with_groups(self, groups: Vec<Arc<graphics::GraphicsPipeline>>) -> Pipeline {
        Pipeline { groups: groups.into(), ..self }
    }

    /// Its shader groups: of a graphics pipeline that was made without some, itself.
    pub fn groups(&self) -> Vec<Arc<graphics::GraphicsPipeline>> {
        match &self.kind {
            PipelineKind::Graphics(pipeline) if self.groups.is_empty() => vec![Arc::clone(pipeline)],
            _ => self.groups.to_vec(),
        }
    }

    /// The same, known to generated commands by an address (`VK_NV_device_generated_commands_compute`).
    #[must_use]
    pub fn at_address(self, address: Option<u64>) -> Pipeline {
        Pipeline { address, ..self }
    }

    /// The address by which generated commands know it.
    ///
    /// # Errors
    /// When it was made without one.
    pub fn address(&self) -> Result<u64> {
        self.address.ok_or_else(|| {
            Error::misuse(
                "the pipeline was made without VkComputePipelineIndirectBufferInfoNV \
                 (VUID-VkPipelineIndirectDeviceAddressInfoNV-pipeline-09081, \
                 VUID-vkCmdUpdatePipelineIndirectBufferNV-pipeline-09020)",
            )
        })
    }

    /// The same, known by what it was made from.
    #[must_use]
    pub fn identified(self, identifier: Option<[u8; 16]>) -> Pipeline {
        Pipeline { identifier, ..self }
    }

    /// The digest of what it was made from, where applications may ask for it.
    ///
    /// # Errors
    /// Where they may not, or for a kind of pipelines that has none.
    pub fn identifier(&self) -> Result<[u8; 16]> {
        self.identifier.ok_or_else(|| {
            Error::misuse(
                "the pipeline has no identifier: pipelinePropertiesIdentifier is not enabled \
                 (VUID-vkGetPipelinePropertiesEXT-None-06766)",
            )
        })
    }

    fn captured(&self) -> MutexGuard<'_, Option<Captured>> {
        self.captured.lock()
    }

    /// Looks at what is kept for its binaries.
    ///
    /// # Errors
    /// When nothing is, or not any more.
    pub fn with_captured<T>(&self, look: impl FnOnce(&Captured) -> T) -> Result<T> {
        self.captured().as_ref().map(look).ok_or_else(|| {
            Error::misuse(
                "the pipeline captures no data (VUID-VkPipelineBinaryCreateInfoKHR-pipeline-09607, \
                 VUID-VkPipelineBinaryCreateInfoKHR-pipeline-09608)",
            )
        })
    }

    /// Keeps nothing for its binaries any more.
    ///
    /// # Errors
    /// When nothing is kept.
    pub fn release_captured(&self) -> Result<()> {
        self.captured().take().map(drop).ok_or_else(|| {
            Error::misuse(
                "the pipeline captures no data (VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09613, \
                 VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09618)",
            )
        })
    }

    /// Gives it the application's name in a profile.
    pub fn name_in_profile(&self, name: &str) {
        match &self.kind {
            PipelineKind::Compute(pipeline) => pipeline.profiled_name().give(name),
            PipelineKind::Graphics(pipeline) => pipeline.profiled_name().give(name),
            PipelineKind::RayTracing(pipeline) => pipeline.profiled_name().give(name),
            PipelineKind::Library(_)
            | PipelineKind::Graph(_)
            | PipelineKind::GraphLibrary(_)
            | PipelineKind::DataGraph(_) => {}
        }
    }

    /// What it was compiled to when it was made; a library to nothing.
    pub fn executables(&self) -> Vec<Executable> {
        match &self.kind {
            PipelineKind::Compute(pipeline) => pipeline.executables(),
            PipelineKind::Graphics(pipeline) => pipeline.executables(),
            PipelineKind::Graph(pipeline) => pipeline.executables(),
            PipelineKind::Library(_) | PipelineKind::GraphLibrary(_) | PipelineKind::DataGraph(_) => {
                Vec::new()
            }
            PipelineKind::RayTracing(pipeline) => pipeline.executables(),
        }
    }

    /// Whether the application wants to see what it was compiled to.
    pub fn captures(&self) -> bool {
        match &self.kind {
            PipelineKind::Compute(pipeline) => pipeline.captures(),
            PipelineKind::Graphics(pipeline) => pipeline.captures(),
            PipelineKind::Graph(pipeline) => pipeline.captures(),
            PipelineKind::Library(_) | PipelineKind::GraphLibrary(_) | PipelineKind::DataGraph(_) => false,
            PipelineKind::RayTracing(pipeline) => pipeline.captures(),
        }
    }
}
