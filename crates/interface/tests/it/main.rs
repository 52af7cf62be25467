//! Tests of the interface checks between stages and with pipelines.
//!
//! One binary, because each one links the crates under test anew.

mod interface;
mod pipeline;
mod usage;
