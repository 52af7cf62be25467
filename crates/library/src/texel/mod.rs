//! Conversions between texels and shader values, for images, vertex attributes and blending: written once as
//! builder functions, fused into the shader that needs them.
//!
//! Encoded components are `i32` values with unspecified or zero upper bits as each function says; decoded
//! ones are `f32`. Packing several components into words is the caller's business.
//!
//! Sources: Vulkan, "Conversion From Normalized Fixed-Point to Floating-Point" and its counterpart; Khronos
//! Data Format Specification, "Unsigned 11-bit/10-bit floating-point numbers", "Shared exponent formats", and
//! "sRGB transfer functions".

mod normalized;
mod small_float;
mod srgb;

pub use normalized::*;
pub use small_float::*;
pub use srgb::*;
