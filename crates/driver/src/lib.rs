//! Vulkan's objects, commands and queues, as safe bodies.
//!
//! The C ABI (handles, structure chains, callbacks) is the `icd` crate's; here, objects are plain values behind
//! [`std::sync::Arc`]s, arguments are slices and enums, and whatever can go wrong is an [`Error`]. Objects keep
//! what they are made from alive, so no order of destruction is dangerous.
//!
//! What the device can do is said once: [`physical_device::features`], [`physical_device::extensions`],
//! [`limits`]. Application memory is touched only in [`memory::mapped`].

pub mod binary;
pub mod buffer;
pub mod cache;
pub mod command;
pub mod cuda;
pub mod descriptor;
pub mod device;
pub mod error;
pub mod graph;
pub mod graphics;
pub mod image;
pub mod instrumentation;
pub mod limits;
pub mod memory;
pub mod physical_device;
pub mod pipeline;
pub mod present;
mod primitives;
mod process;
pub mod query;
pub mod queue;
pub mod raytrace;
pub mod registry_supplement;
pub mod render;
pub mod shader;
mod specialize;
pub mod strict;
pub mod structure;
pub mod sync;
pub mod system;
pub mod tensor;
pub mod transfer;
pub mod validation_cache;

pub use error::{Error, Result};

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
