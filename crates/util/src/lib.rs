//! Typed indices and the tables they index; ancestors in trees; how long work may go on; values as bytes;
//! which vector instructions there are; what threads keep; the environment variables; locks; standard
//! error; memory of records; formats of `debugPrintf`; the kinds of findings of the sanitizer; the version.
#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("memory of shaders is little-endian, and is accessed as the host's");

pub mod ancestors;
pub mod budget;
pub mod codec;
pub mod config;
pub mod cpu;
pub mod entity;
pub mod fused;
pub mod printf;
pub mod record_pool;
pub mod report;
pub mod sanitize;
pub mod steps;
pub mod sync;
pub mod thread_scratch;
pub mod version;

pub use entity::{EntityRef, PackedOption, PrimaryMap, SecondaryMap};
