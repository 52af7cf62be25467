//! Runs compute shaders of three storage buffers on any Vulkan device.

mod device;

pub use device::{Pipeline, Runner};
