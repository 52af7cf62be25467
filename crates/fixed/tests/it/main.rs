//! Tests of the fixed functions around shaders.
//!
//! One binary, because each one links the crates under test anew.

mod blend;
mod depth_stencil;
mod support;
mod vertex;
