//! Tests of the generator of shaders, and of what compiles them.
//!
//! One binary, because each one links the crates under test anew.

mod differential;
mod generator;
mod mutation;
mod workgroups;
