//! The stages between vertices and rasterization: tessellation, geometry shaders, mesh shaders; and transform
//! feedback, which ends there.
//!
//! Must not know: window coordinates, tiles, fragments.

pub(super) mod cluster;
pub(super) mod geometry_shader;
pub(super) mod mesh;
pub(super) mod primitive_values;
pub(super) mod tessellation;
pub(super) mod tessellator;
pub(super) mod transform_feedback;
