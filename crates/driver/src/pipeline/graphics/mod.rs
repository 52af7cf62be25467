//! Graphics pipelines and the state of draws.

mod draw;
mod dynamic;
pub(crate) mod key;
mod library;
mod object;
mod pipeline;
mod program;
mod stages;
mod state;

pub use crate::caps::limits::{COLOR_ATTACHMENTS_MAX, VERTEX_BINDINGS_MAX, VIEWPORTS_MAX};
pub use crate::objects::image::sample_count;
pub use draw::{Draw, DrawIndexed, DrawMesh, IndexBuffer, IndirectDraw, IndirectKind, VertexBuffer};
pub use dynamic::StateChange;
pub use key::{TargetFormats, output_key, vertex_input_key};
pub use library::{GraphicsLibrary, Parts, parts_of};
pub use object::{ShaderBinary, ShaderObject};
pub use pipeline::{GraphicsPipeline, GraphicsPipelineInfo};
pub use program::Programs;
pub(crate) use stages::{SHADER_COUNT, place as stage_index};
pub use state::{
    AdvancedBlend, AttachmentLocations, ColorBlend, DepthBias, DepthBiasUnit, DynamicStates, GraphicsState,
    SampleLocations, StencilFace, VertexAttribute, VertexBinding, VertexInput,
};

pub use pyro_engine::graphics::Combiner;
