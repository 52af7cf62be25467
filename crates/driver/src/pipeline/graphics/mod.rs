//! Graphics pipelines and the state of draws.

mod draw;
mod dynamic;
pub(crate) mod key;
mod library;
mod object;
mod pipeline;
mod program;
mod shading_rate_image;
mod stages;
mod state;

pub use crate::caps::limits::{COLOR_ATTACHMENTS_MAX, VERTEX_BINDINGS_MAX, VIEWPORTS_MAX};
pub use crate::objects::image::sample_count;
pub use draw::{Draw, DrawIndexed, DrawMesh, IndexBuffer, IndirectDraw, IndirectKind, VertexBuffer};
pub use dynamic::StateChange;
pub use key::{TargetFormats, TargetSamples, output_key, vertex_input_key};
pub use library::{GraphicsLibrary, Parts, parts_of};
pub use object::{ShaderBinary, ShaderObject, ShaderObjectInfo};
pub use pipeline::{GraphicsPipeline, GraphicsPipelineInfo};
pub use program::Programs;
pub(crate) use shading_rate_image::palettes;
pub use shading_rate_image::{CoarseSampleOrder, CustomSampleOrder, ShadingRatePalette};
pub(crate) use stages::{SHADER_COUNT, first_kernel, place as stage_index};
pub use state::{
    AdvancedBlend, AttachmentLocations, ColorBlend, CoverageModulationTable, DepthBias, DepthBiasUnit,
    DeviceDefaults, DynamicStates, GraphicsState, SampleLocations, StencilFace, VertexAttribute,
    VertexBinding, VertexInput,
};

pub use pyro_engine::graphics::Combiner;
