//! Tests of the generator of shaders, and of what compiles them.
//!
//! One binary, because each one links the crates under test anew.

mod differential;
mod generator;
mod guarded;
mod mutation;
mod mutation_run;
mod random_words;
mod sanitized;
mod workgroups;
