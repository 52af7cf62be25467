//! Tests of the compiler as a whole: SPIR-V or PTX in, results of kernels out.
//!
//! One binary, because each one links the crates under test anew.

mod atomics;
mod build_identity;
mod indexing_64bit;
mod known_images;
mod no_code;
mod ptx;
mod rounds_twice;
mod support;
mod widths;
