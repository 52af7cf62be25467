//! Vulkan's objects, commands and queues, as safe bodies.
//!
//! The C ABI (handles, structure chains, callbacks) is the `icd` crate's; here, objects are plain values
//! behind [`std::sync::Arc`]s, arguments are slices and enums, and whatever can go wrong is an [`Error`].
//! Objects keep what they are made from alive, so no order of destruction is dangerous.
//!
//! What the device can do is said once: [`caps::features`], [`caps::extensions`],
//! [`caps::limits`]. Application memory is touched only in [`memory::mapped`].

pub mod caps;
pub mod command;
pub mod device;
pub mod error;
mod execution;
pub mod file_descriptor;
mod objects;
pub mod pipeline;
pub mod present;
mod primitives;
pub mod process;
pub mod queue;
pub mod registry_supplement;
pub mod report;
pub mod system;
mod worker;

pub use caps::limits;
pub use command::{render_pass, transfer};
pub use error::{Error, Result};
pub use objects::{
    acceleration_structure, buffer, descriptor, image, memory, performance, performance_hint, query, sync,
    tensor,
};
pub use pipeline::{
    binary, cache, cuda, data_graph, execution_graph, graphics, instrumentation, raytrace, shader, strict,
    validation_cache,
};

use std::sync::Arc;

/// An object that is there, and that can be kept.
pub trait Shared<T> {
    /// The object.
    fn object(&self) -> &T;

    /// Keeps it.
    fn share(&self) -> Arc<T>;
}

impl<T> Shared<T> for &Arc<T> {
    fn object(&self) -> &T {
        self
    }

    fn share(&self) -> Arc<T> {
        Arc::clone(self)
    }
}
