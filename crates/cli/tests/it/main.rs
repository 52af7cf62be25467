//! Tests of the command line program.
//!
//! One binary, because each one links the crates under test anew.

mod c_header;
mod capture;
mod check;
mod commands;
mod compare;
mod debug;
mod dispatch_ranges;
mod doctor;
mod fleet;
mod frames;
mod installation;
mod parts;
mod profiling;
mod run_pipelines;
mod sanitize;
mod shader_tests;
mod support;
