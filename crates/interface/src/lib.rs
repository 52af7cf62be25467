//! The interfaces of shaders.
//!
//! [`Interface::of`] computes once, for one entry point, what a pipeline and its neighbours see of it: inputs
//! and outputs with their locations, built-ins, resources, push constants, payloads, workgroup storage,
//! execution modes and specialization constants. The checker, reflection, the linker and the compiler all ask
//! this model.
//!
//! - [`builtin`] holds the table of built-ins and the rules that come from it.
//! - [`link`] says how the outputs of one stage meet the inputs of the next.
//! - [`pipeline`] holds all stages of a pipeline against each other, its layout, attributes and attachments.
//!
//! The module must have passed validation; broken modules give errors or nonsense here, never a panic.
#![forbid(unsafe_code)]

pub mod builtin;
pub mod link;
mod location;
pub mod payload;
pub mod pipeline;
mod resource;
mod stage;
mod usage;

pub use location::{Leaf, location_count};
pub use resource::{Access, Resource, ResourceKind};
pub use stage::{
    BuiltInVariable, Direction, Interface, InterfaceError, Interpolation, Payload, PushConstants,
    SpecConstant, Variable, spec_constants,
};
pub use usage::{accessed_globals, used_globals};
