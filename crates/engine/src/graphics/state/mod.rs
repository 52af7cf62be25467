//! What a draw is made of, as the driver hands it over: commands, state, compiled functions, resources.
//!
//! Must not know: how draws are run.

pub(super) mod context;
pub(super) mod draw;
pub(super) mod programs;
pub(super) mod region_counters;
pub(super) mod shading_rate;

pub use context::{Dropped, Shift};
pub use draw::{
    Conservative, CullMode, DepthBias, DepthBiasUnit, Draw, DrawCommand, DrawState, IndexBuffer, IndexType,
    LineMode, LineStipple, PolygonMode, PrimitiveKind, RasterState, Rect, Resources, Statistics, Swizzle,
    Topology, Viewport,
};
pub use programs::{
    BLOCK_COST, ClusterProgram, FragmentProgram, GeometryProgram, MeshProgram, PreRasterization, QUAD_COST,
    TessellationProgram, VertexProgram,
};
pub use region_counters::{RegionCounter, RegionCounters};
pub use shading_rate::{Combiner, PALETTE_SIZE, Palettes, RateAttachment, RateTexels, ShadingRate};
