//! What shaders report while they run ([`pyro_abi::report`]): prints, findings of the sanitizer, and the
//! accesses and barriers that it follows.
//!
//! # Problem
//! Reports come from all threads that run shaders, in the middle of a dispatch: many at once, most of them of
//! a finding that is known already.
//!
//! # Approach
//! [`Reports`] is what a device has: generated code calls it by the address of its first field ([`call`]). A
//! report is decoded ([`report`]) and becomes a line of text ([`mod@print`]), a finding ([`finding`]), or
//! goes to the shadow of workgroup memory and buffers ([`shadow`]), which may give findings. Findings are
//! counted by place and kind, and told once ([`store`]). Segments of traces go to the debugger's recorder
//! ([`trace`]). What is for the application waits until its queue asks for it ([`Reports::take_events`]), as
//! callbacks must not run on threads that run shaders.
//!
//! # Invariants
//! * Nothing here writes memory that shaders see.
//! * No report makes the process fail: what is broken is dropped.
//! * Memory is bounded: events that nobody takes, findings, and shadow cells have limits, and what goes past
//!   them is counted.
//!
//! Must not know: Vulkan objects, SPIR-V, how shaders are compiled.
#![deny(unsafe_code)]

mod addresses;
mod call;
pub mod commands;
pub mod finding;
mod footprint;
mod invocations;
mod json;
mod loops;
mod marks;
mod print;
mod report;
mod shadow;
mod store;
pub mod trace;
mod ways;
mod words;

pub use addresses::LiveRange;
pub use finding::{Finding, OtherSide};
pub use store::{Event, Options, Reports};
