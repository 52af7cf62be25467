//! Random valid compute shaders, what they compute, and the smallest part of one that still fails.
//!
//! A [`Program`] is a tree of statements over 32-bit variables. [`assembly`] writes it as SPIR-V;
//! [`evaluate`](mod@evaluate) computes its output directly from the tree, one lane after another and one
//! statement at a time, with the lanes that break, continue or return set aside until their construct ends.
//! The evaluator shares nothing with the compiler: neither the SPIR-V decoder, nor the IR, nor its masks.
//!
//! Programs have one defined answer: no race, no reading of inactive lanes, no floating-point result that
//! Vulkan leaves open.

pub mod assembly;
pub mod buffers;
pub mod corpus;
pub mod evaluate;
pub mod generate;
pub mod inject;
pub mod mutate;
pub mod noise;
pub mod program;
pub mod sanitized;
pub mod shrink;
pub mod typed;

pub use program::Program;
