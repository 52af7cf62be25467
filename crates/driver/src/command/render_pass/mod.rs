//! Render passes, framebuffers, and what a draw renders to.
//!
//! A render pass instance is recorded as a list of [`Step`]s: before a subpass (or dynamic rendering) the
//! clears of its attachments' load operations, then its [`Targets`]; after it the resolves. Images are mostly
//! written in place, so store operations, and loads but for clears, have nothing to do, but to name what
//! nobody needs.

mod counted_regions;
mod instance;
mod single_sampled;
mod step;
pub(in crate::command) mod told;

pub use crate::caps::limits::COLOR_ATTACHMENTS_MAX;
pub use crate::objects::render_pass::{
    Attachment, DepthStencilResolve, Framebuffer, Load, PassDependency, PassOrder, RateSource, RenderPass,
    RenderToSingleSampled, Subpass, Tile, TileShading,
};
pub(in crate::command) use counted_regions::RunningRegions;
pub use counted_regions::{CountedRegions, REGION_COUNTERS, SubpassRegions};
pub(in crate::command) use instance::turned_area;
pub use instance::{Instance, RenderingAttachment, RenderingInfo, keep_dropped_attachments};
pub use pyro_engine::graphics::RateTexels;
pub(crate) use step::layer_runs;
pub use step::{
    ClearView, ClearWords, DensityOffsets, ResolveView, ShadingRates, SingleSampled, Step, Targets, Turned,
};
