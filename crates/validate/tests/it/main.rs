//! Tests of the validator.
//!
//! One binary, because each one links the crates under test anew.

mod abort;
mod debug_printf;
mod decorations;
mod layouts;
mod mutations;
mod rules;
mod small_floats;
mod stages;
