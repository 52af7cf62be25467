//! Graphics pipelines and the state of draws.

mod draw;
mod dynamic;
pub(crate) mod key;
mod library;
mod object;
mod pipeline;
pub(crate) mod stages;
mod state;

pub use draw::{Draw, DrawIndexed, DrawMesh, IndexBuffer, IndirectDraw, IndirectKind, VertexBuffer};
pub use dynamic::StateChange;
pub use key::{AttachmentLocations, TargetFormats, output_key, vertex_input_key};
pub use library::{GraphicsLibrary, Parts, parts_of};
pub use object::{ShaderBinary, ShaderObject};
pub use pipeline::{GraphicsPipeline, GraphicsPipelineInfo, Programs};
pub use state::{
    AdvancedBlend, ColorBlend, DepthBias, DepthBiasUnit, DynamicStates, GraphicsState, MAX_COLOR_ATTACHMENTS,
    MAX_VERTEX_BINDINGS, MAX_VIEWPORTS, SampleLocations, StencilFace, VertexAttribute, VertexBinding,
    VertexInput,
};

pub use pyro_engine::graphics::Combiner;
use vulkanalia_sys as vk;

/// The number of samples that a flag stands for: 1 for none.
pub fn sample_count(flag: vk::SampleCountFlags) -> u32 {
    flag.bits().max(1)
}
