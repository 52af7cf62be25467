//! Draws: from index buffers to fragments.
//!
//! # For the caller
//! `unsafe fn Engine::draw(&self, draws: Vec<Draw>) -> Result<Vec<Statistics>, DispatchError>` runs a list of
//! [`Draw`]s in order and gives a [`Statistics`] for each. All that Vulkan calls state is in [`Draw`] or in
//! the compiled functions; a list may mix pipelines, as long as nothing needs a barrier between its draws:
//! the driver collects the draws of a subpass and hands them over at its end, at a barrier, a query's end, or
//! when it has many. [`Engine::render`](crate::Engine::render) takes clears and resolves too: each tile is
//! cleared right before it is first drawn, and resolved when it is finished, while it is in the cache.
//!
//! # How a list runs
//! The draws' primitives, over instances and views, are one long sequence that is cut into *chunks*
//! (`chunk`). A chunk is work for one thread: index fetch ([`assembly::stream`]), vertex functions with reuse
//! ([`assembly::vertices`]), the stages between vertices and rasterization where a pipeline has some, whose
//! last one's primitives go on as those of vertices do ([`setup::primitives`]), clipping ([`setup::clip`]),
//! culling and setup ([`setup`]; of small triangles culling and coverage, [`setup::small_triangles`]), and
//! binning to tiles of the framebuffer. When the chunks of a batch are done, tiles are work for one thread
//! each ([`raster::tiles`]): their primitives in order, chunk after chunk, are rasterised to quads, and quads
//! are packed into fragment subgroups ([`fragment::fragments`]), or go to lists that the fragment function
//! loops over ([`fragment::quad_lists`]); what a large primitive covers wholly goes as a list of blocks.
//! Where fragments are of several pixels, what a primitive covers of a tile is collected first
//! ([`raster::shading_rate`]). So each pixel sees primitives in order, whatever the number of threads.
//!
//! Threads have shares of consecutive chunks and tiles
//! ([`WorkPartition`](crate::work_partition::WorkPartition)), the same ones from frame to frame while the
//! frame stays the same, so that setup data and attachments are mostly in the caches of who needs them.
#![allow(rustdoc::private_intra_doc_links)]

mod assembly;
mod fragment;
mod geometry;
mod raster;
mod run;
mod setup;
mod simd;
mod state;

pub use fragment::load_store_ops::{Frame, RegionWork};
pub use geometry::mesh::MESH_GROUPS_MAX;
pub use geometry::tessellator::LEVEL_MAX as MAX_TESSELLATION_LEVEL;
pub use geometry::transform_feedback::{CaptureBuffer, CaptureCounts};
pub use raster::tiles::TILE_PIXELS;
pub use run::PendingDraws;
pub(crate) use run::SpareChunks;
pub use setup::lines::WIDTH_MAX;
pub use simd::multiversion::{Vectorized, vectorize};
pub use state::{
    BLOCK_COST, ClusterProgram, Combiner, Conservative, CullMode, DepthBias, DepthBiasUnit, Draw,
    DrawCommand, DrawState, Dropped, FragmentProgram, GeometryProgram, IndexBuffer, IndexType, LineMode,
    LineStipple, MeshProgram, PALETTE_SIZE, Palettes, PolygonMode, PreRasterization, PrimitiveKind,
    QUAD_COST, RasterState, RateAttachment, RateTexels, Rect, RegionCounter, RegionCounters, Resources,
    ShadingRate, Shift, Statistics, Swizzle, TessellationProgram, Topology, VertexProgram, Viewport,
};
