//! Fixed-function graphics, written once against the IR builder and compiled with the shaders: what a vertex
//! function does before its shader and a fragment function around its shader.
//!
//! All functions append lane-form code. What shapes that code is a key of plain values ([`state`]); what does
//! not is read from the records of `pyro_abi::graphics` when it runs.
//!
//! * [`vertex`]: fetch of attributes, stores of outputs.
//! * [`fragment`]: a fragment's place, interpolation, and what comes before and after the shader.
//! * `block`, `texel`: where a fragment's texels lie in the attachments, and access to them.
//! * `depth_stencil`: depth bounds, stencil and depth test, for all samples.
//! * [`color`]: blending, logic operations, write masks and conversion to attachment formats.
#![forbid(unsafe_code)]

mod advanced;
mod block;
mod coarse;
pub mod color;
mod coverage_reduction;
pub mod depth_stencil;
pub mod fragment;
pub mod state;
mod texel;
pub mod vertex;

pub use fragment::{EarlyTests, Fragment, InterpolationPoint, Outputs, Variant};
pub use state::{FragmentOutputKey, VertexInputState};
pub use vertex::Vertex;
