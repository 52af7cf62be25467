//! The shader debugger: what chosen invocations of a replayed capture did, as if they could be stopped,
//! stepped forwards and backwards.
//!
//! # Problem
//! Shaders run in thousands of invocations at once, in the middle of a frame; a debugger wants one of them,
//! line by line, and to go back.
//!
//! # Approach
//! The capture is replayed with shaders that record what chosen invocations do ([`pyro_sanitizer::trace`]).
//! The record is then walked: [`timeline`] has the invocations and their steps, so all stepping, backwards
//! too, is a search in a list; [`machine`] follows an invocation to a step and gives its variables. A change
//! of a variable or of a shader is another replay.
//!
//! | module | holds |
//! | --- | --- |
//! | [`program`] | a shader: sources, lines, names |
//! | [`inlining`] | calls in whose place the function's body stands |
//! | [`timeline`] | invocations in time |
//! | [`machine`] | the state of an invocation at a position |
//! | [`view`] | values for people |
//! | [`texels`] | images: dimensions and texels |
//! | [`expression`] | watches and conditions |
//! | [`history`] | every fragment of a pixel |
//! | [`target`] | which invocations are recorded |
//! | [`session`] | replays, breakpoints, where it stands |
//! | [`dap`] | the Debug Adapter Protocol |
//! | [`terminal`] | a client for the terminal |
//!
//! *Must not know* how a capture is replayed ([`session::Replays`]), and no Vulkan object.
#![forbid(unsafe_code)]

pub mod dap;
pub mod expression;
pub mod history;
pub mod inlining;
pub mod machine;
pub mod program;
pub mod session;
pub mod target;
pub mod terminal;
pub mod texels;
pub mod timeline;
pub mod view;
