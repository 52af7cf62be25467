//! The sanitizer's corpus: small programs with one bug each, and their twins without it.
//!
//! A pair is a file of `cases/` ([`case`]): SPIR-V assembly of the bug and of its repair, with marks at the
//! lines that a finding must name. [`module`] puts it into a shader of a stage, and gives each instruction
//! the line that it has in the file. [`program`] runs that shader through the driver's entry points,
//! [`graphs`] as the node of an execution graph; [`kernels`] runs cases in PTX. One file stands for as many
//! programs as it names stages.
//!
//! Bugs between commands are scripts of `scripts/` ([`script`]), each for many pairs of [`way`]s to access a
//! buffer or an image; [`player`] runs them.
//!
//! *Must not know*: how findings are made.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is unsafe

mod capabilities;
pub mod case;
pub mod graphs;
pub mod kernels;
pub mod module;
pub mod player;
pub mod program;
pub mod script;
pub mod stages;
pub mod way;
