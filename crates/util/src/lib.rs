//! Typed indices and the tables they index; values as bytes; which vector instructions there are; what
//! threads keep; the environment variables.
#![forbid(unsafe_code)]

pub mod codec;
pub mod config;
pub mod cpu;
pub mod entity;
pub mod thread_scratch;

pub use entity::{EntityRef, PackedOption, PrimaryMap, SecondaryMap};
