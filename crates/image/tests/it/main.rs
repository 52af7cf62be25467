//! Tests of image access functions, run on the interpreter and compared with plain code.
//!
//! One binary, because each one links the crates under test anew.

mod blocks;
mod combinations;
mod compressed;
mod lanes;
mod pvrtc;
mod sample;
mod sample_lod;
mod support;
mod texel;
mod texel_op;
mod ycbcr;
