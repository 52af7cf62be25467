//! Graphs of TOSA operators on tensors: what is valid, and how they run.
//!
//! # Problem
//! A data graph pipeline runs a graph of whole-tensor operators (TOSA 1.0, `TOSA.001000.1`). Integer results
//! are exact, floating-point results are within the bounds of the specification, and all processors give the
//! same bits. Graphs come from applications and are not trusted.
//!
//! # Approach
//! A [`Graph`] is built operator by operator: [`Graph::apply`] holds each against the rules of its operator
//! (types, shapes, attributes) and keeps a kernel for it, in which all sizes are known. A [`Program`] gives
//! each value that crosses operators a place in one range of memory and runs the kernels one after another.
//! A kernel divides its output among the threads that it is lent ([`Threads`]).
//!
//! Convolutions and matrix products are products of patches and packed columns ([`operators::gemm`]); what
//! works on single elements converts blocks of them to 32 bits, computes, and converts back
//! ([`operators::block`]). Loops are written so that the compiler makes vectors of them, once for each kind
//! of processor ([`multiversion`]).
//!
//! # Invariants
//! - Every size is checked when a graph is built: a kernel never finds a tensor of another size.
//! - What tensors hold is not trusted: indices are checked when they are read, arithmetic wraps.
//! - Each sum has one order, whatever the vectors and the threads.
//!
//! # Must not know
//! SPIR-V, Vulkan, the engine's threads.

mod element;
mod error;
pub mod float;
mod graph;
mod multiversion;
mod opcode;
mod operands;
mod operators;
mod program;
mod tensor;
mod threads;

pub use element::Element;
pub use error::GraphError;
pub use graph::{Graph, ValueId};
pub use opcode::Opcode;
pub use program::{Program, Tensors};
pub use tensor::{Shape, TensorType};
pub use threads::{OneThread, Threads};

/// Bytes that a tensor may have at most.
pub const TENSOR_BYTES_MAX: u64 = i32::MAX as u64;
/// Dimensions that a tensor may have at most.
pub const RANK_MAX: usize = 8;
/// What places of values in a program's memory are multiples of.
pub const MEMORY_ALIGNMENT: u64 = 64;
/// Operators that a graph may have at most.
pub const OPERATOR_COUNT_MAX: usize = 1 << 20;
