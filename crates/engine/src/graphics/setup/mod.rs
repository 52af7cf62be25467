//! From primitives in clip coordinates to shapes in window coordinates with setup data (`PrimitiveSetup`):
//! clipping, culling, projection, depth bias, and the planes that fragments interpolate.
//!
//! Invariant: the formulas for one primitive ([`primitive_setup`], [`lines`]) and for sixteen
//! ([`small_triangles`], [`line_groups`], [`point_groups`], [`polygon_edges`], [`deferred_setup`]) give the
//! same bits. Must not know: which tile is drawn, fragment functions.

pub(super) mod binning;
pub(super) mod clip;
pub(super) mod deferred_primitives;
pub(super) mod deferred_setup;
pub(super) mod line_groups;
pub(super) mod lines;
pub(super) mod point_groups;
pub(super) mod polygon_edges;
pub(super) mod prepare;
pub(super) mod primitive_setup;
pub(super) mod primitives;
pub(super) mod projected_vertices;
pub(super) mod small_triangles;
pub(super) mod vertex_lanes;
