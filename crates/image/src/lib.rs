//! Images: formats, memory layout, and sampling and texel access written against the IR builder.
//!
//! * [`format`](mod@format): the table of formats and what each can be used for.
#![forbid(unsafe_code)]

pub mod format;

pub use format::{Aspect, Channel, Format, NumericClass};
