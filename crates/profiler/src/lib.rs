//! What shaders cost, and which of their lines run.
//!
//! # Problem
//! Say where a program's time goes: into which queue, pass, command, pipeline, stage, source line and
//! instruction of SPIR-V, and how often each ran; of programs that know nothing of it, on all threads.
//!
//! # Approach
//! Threads say what they do ([`activity`]) and for which command ([`commands`]); `pyro_codemem::sample` takes
//! samples of all of them; [`code`] knows which instruction of which shader an address is; [`session`] puts
//! both together, and writes a [`profile::Profile`] when the process ends. Exact counts ([`counters`]) are
//! made by shaders themselves, where they are compiled for it; [`coverage`] makes LCOV of them.
//!
//! # Invariants
//! * While nothing is profiled, a mark costs the load of a flag, and generated code is as it was.
//! * What threads do adds up: each nanosecond of a thread is in one sample.
//! * Files are untrusted when they are read.
//!
//! # Must not know
//! Vulkan objects, SPIR-V, how shaders are compiled, how profiles are shown.
#![deny(unsafe_code)]

pub mod activity;
pub mod code;
pub mod commands;
pub mod counters;
pub mod coverage;
pub mod profile;
pub mod session;
pub mod summary;

pub use activity::Activity;
pub use pyro_abi::shader_map::{NO_FILE, ShaderMap, ShaderPlace, SourceFile};
pub use pyro_codemem::sample::is_on as is_sampling;
