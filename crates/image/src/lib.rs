//! Images: formats, memory layout, and sampling and texel access written against the IR builder.
//!
//! * [`format`](mod@format): the table of formats and what each can be used for.
//! * [`layout`]: where texels lie in memory.
//! * [`texel`]: texels in memory and as values.
#![forbid(unsafe_code)]

pub mod format;
pub mod layout;
pub mod texel;

pub use format::{Aspect, Channel, Format, NumericClass};
