//! Rules that depend on the device: its version, extensions, features and limits
//! ([`Environment::device`](crate::Environment::device)). Without a device, none of them finds anything, but for
//! those that hold for every device.
//!
//! | file | looks at |
//! | --- | --- |
//! | [`module`] | capabilities, extensions, SPIR-V's version |
//! | [`mode`] | execution modes |
//! | [`limit`] | sizes and counts of entry points |
//! | [`storage`] | variables at module scope: what their types contain, how they are decorated |
//! | [`memory`] | atomics, scopes, group operations, arithmetic |
//! | [`image`] | image operands |
//! | [`cooperative`] | cooperative matrices and vectors, tensors |
//! | [`processing`] | image processing and tile attachments |
//! | [`decoration`] | decorations: fast mathematics, offsets of descriptors |
//! | [`alignment`] | alignments and offsets that constants say |
//! | [`uniformity`] | resources that surely differ between invocations |
//! | [`ray`] | ray flags and other constant operands of ray and mesh instructions |

pub(crate) mod alignment;
pub(crate) mod cooperative;
pub(crate) mod decoration;
pub(crate) mod image;
pub(crate) mod limit;
pub(crate) mod memory;
pub(crate) mod mode;
pub(crate) mod module;
pub(crate) mod processing;
pub(crate) mod ray;
pub(crate) mod storage;
pub(crate) mod uniformity;
