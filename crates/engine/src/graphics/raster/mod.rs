//! Which pixels and samples a shape covers: exact edge functions, binning of shapes to tiles, the walk over a
//! tile, and the fragment sizes of shading rates.
//!
//! Invariant: coverage follows from fixed-point edge functions alone, so it does not depend on tiles or
//! threads.

pub(super) mod region_coverage;
pub(super) mod shading_rate;
pub(super) mod shape;
pub(super) mod small_sample_coverage;
pub(super) mod small_triangle_coverage;
pub(super) mod tiles;
