//! PTX, the assembly language of CUDA kernels, to the intermediate representation in lane form.
//!
//! [`Module::parse`] reads a text and resolves its names; [`lower()`] makes a function of one kernel for one
//! size of blocks. What is wrong with a text is said with line, reason and section of the PTX ISA
//! ([`PtxError`]), never by a panic.
//!
//! # How things look afterwards
//! * **Blocks** of threads are workgroups and *warps* subgroups of [`WARP_LANES`] lanes, whose threads are
//!   numbered x first. The size of a block is a part of a launch, so a kernel is lowered for each that it is
//!   launched with.
//! * **Registers** are slots, which the passes turn into SSA values. Those that hold no single or double
//!   floats are integers.
//! * **Control flow** is put into the order that lane form wants (`flow`): loops in one run of blocks,
//!   everything else forward. Loops that are entered at several places get a header that dispatches.
//! * **Predicated instructions** are computed for all threads and keep the old value where the predicate is
//!   false; memory is accessed under it; what looks at other threads is jumped over.
//! * **Calls** are inlined. Parameters of functions are slots, cut as the accesses want them.
//! * **Addresses** are those of the host, whatever the space. Addresses in the windows of shared and local
//!   memory are offsets from the start of the block's memory, where static variables, the dynamic one and the
//!   threads' local memory lie one behind the other; accesses by these are checked against its end. Kernels
//!   that make generic addresses of such memory access all of it as global memory, as then it may be the
//!   same.
//! * **Parameters** of kernels and the module's variables are memory, whose addresses are among the push
//!   constants ([`PARAMETERS_OFFSET`], [`IMAGE_OFFSET`]).
#![forbid(unsafe_code)]

mod error;
mod flow;
mod lex;
pub mod limits;
mod lower;
mod module;
mod parse;
mod types;

pub use error::{ErrorKind, PtxError};
pub use lower::{Launch, Lowered, lower, shared_bytes};
pub use module::{
    Base, Body, Function, Guard, Image, Instruction, Label, Module, Operand, Parameter, Register,
    RegisterNames, Relocation, Special, Symbol, Variable,
};
pub use types::{Kind, Space, Type};

/// Lanes of a warp.
pub const WARP_LANES: u32 = 32;

/// Among the push constants: 8 bytes, the address of the kernel's parameters
/// ([`Function::parameter_layout`]).
pub const PARAMETERS_OFFSET: u32 = 0;

/// Among the push constants: 8 bytes, the address of the module's variables ([`Module::image`]).
pub const IMAGE_OFFSET: u32 = 8;

/// The newest version of the PTX ISA that is read.
pub const VERSION_MAX: (u32, u32) = (8, 9);

/// The newest architecture whose texts are read: `sm_90`.
pub const TARGET_MAX: u32 = 90;

/// The oldest.
pub const TARGET_MIN: u32 = 20;
