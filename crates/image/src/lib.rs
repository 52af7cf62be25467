//! Images: formats, memory layout, and sampling and texel access written against the IR builder.
//!
//! * [`format`](mod@format): the table of formats and what each can be used for.
//! * [`layout`]: where texels lie in memory.
//! * [`key`]: the static facts of views and samplers.
//! * [`access`]: image operations as functions.
//! * [`texel`]: texels in memory and as values.
#![forbid(unsafe_code)]

pub mod access;
mod code;
pub mod format;
pub mod key;
pub mod layout;
pub mod texel;

pub use code::PlanarView;
pub use format::{Aspect, Channel, Format, Numeric, NumericClass, Planar};
pub use key::{
    AddressMode, CompareOp, Conversion, CubicWeights, Filter, Model, Reduction, SamplerKey, Swizzle, ViewKey,
    ViewType,
};
