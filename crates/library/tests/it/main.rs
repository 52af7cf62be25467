//! Tests of the shader library: accuracy, and agreement of the executors.
//!
//! One binary, because each one links the crates under test anew.

mod divergent;
mod group;
mod integer;
mod precision;
mod reference;
mod special;
mod support;
mod texel;
