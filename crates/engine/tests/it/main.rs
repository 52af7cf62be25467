//! Tests of the execution engine.
//!
//! One binary, because each one links the crates under test anew.

mod blocks;
mod compute;
mod deferred;
mod frame;
mod interpolate;
mod raster;
mod support;
