//! Tests of the JIT compiler: machine code against the reference evaluator.
//!
//! One binary, because each one links the crates under test anew.

mod accumulators;
mod byte_rows;
mod deferrable_atomics;
mod displacements;
mod element_moves;
mod faults;
mod folded_reloads;
mod fused;
mod guarded_loads;
mod halves;
mod idioms;
mod interleave;
mod known_lanes;
mod listing;
mod portable;
mod random;
#[cfg(unix)]
mod scattered_elements;
mod shared_divisors;
mod shared_rows;
mod short_moves;
mod short_vectors;
mod software_pipeline;
mod srgb_codes;
mod streaming;
mod support;
mod transpose;
mod word_parts;
