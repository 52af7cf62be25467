//! Captures of Vulkan calls.
//!
//! The problem: a program's calls, and the memory that it shares with the device, must be written down so
//! that they can be made again elsewhere with the same results. The parts:
//!
//! | module | holds |
//! | --- | --- |
//! | [`schema`] | what commands and structures are made of, from the Vulkan registry |
//! | [`encode`] | parameters in memory to bytes |
//! | [`decode`] | bytes to parameters in memory, with other handles |
//! | [`record`] | what a capture says: calls, memory, digests |
//! | [`graph`] | which records need which others |
//! | [`mod@file`] | the container: blocks, compression, digests |
//!
//! Captures are untrusted: whatever a file holds, decoding gives valid pointers of the right lengths or an
//! error. *Must not know* how a driver works, or any of its objects.

pub mod decode;
pub mod encode;
pub mod file;
pub mod graph;
pub mod host;
pub mod record;
pub mod schema;
mod walk;
