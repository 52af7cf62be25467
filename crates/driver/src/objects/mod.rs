//! Vulkan objects that hold state or memory: memory, buffers, images, descriptors, tensors, synchronization,
//! queries and acceleration structures.
//!
//! *Must not know* pipelines, command buffers or queues: those build on this floor.

pub mod acceleration_structure;
pub mod buffer;
pub mod descriptor;
pub(crate) mod device_core;
pub(crate) mod followed;
pub mod image;
pub mod memory;
pub mod performance;
pub mod performance_hint;
pub mod query;
pub(crate) mod render_pass;
pub mod sync;
pub mod tensor;
mod tile_shading;
