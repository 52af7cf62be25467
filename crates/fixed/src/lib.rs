//! Fixed-function graphics, written once against the IR builder and compiled with the shaders: what a vertex
//! function does before its shader and a fragment function around its shader.
//!
//! All functions append lane-form code. What shapes that code is a key of plain values ([`state`]); what does
//! not is read from the records of `pyro_abi::graphics` when it runs.
#![forbid(unsafe_code)]

pub mod state;

pub use state::{FragmentOutputKey, VertexInputState};
