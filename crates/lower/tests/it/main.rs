//! Tests of lowering: modules in, functions or results out.
//!
//! One binary, because each one links the crates under test anew.

mod bfloat;
mod deferrable;
mod float8;
mod float_mode;
mod geometry;
mod graphics;
mod image;
mod long_vector;
mod mesh;
mod mutated;
mod raw_access;
mod refused;
mod run;
mod scopes;
mod storage_buffers;
mod support;
mod text;
mod tile_loops;
mod untyped;
mod variable_pointers;
