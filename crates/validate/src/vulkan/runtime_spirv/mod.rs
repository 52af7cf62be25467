//! Rules that depend on the device ("Runtime SPIR-V Validation"): its version, extensions, features and
//! limits ([`Environment::device`](crate::Environment::device)). Without a device, only those run that hold
//! on every device.
//!
//! | file | looks at |
//! | --- | --- |
//! | [`module`] | capabilities, extensions, the SPIR-V version |
//! | [`types`] | limits on types |
//! | [`execution_mode`] | execution modes |
//! | [`limit`] | sizes and counts of entry points |
//! | [`storage`] | variables at module scope: what their types contain, how they are decorated |
//! | [`memory`] | atomics, scopes, group operations, arithmetic |
//! | [`group`] | stages that have group operations |
//! | [`image`] | image operands |
//! | [`cooperative`] | cooperative matrices and vectors, tensors |
//! | [`processing`] | image processing and tile attachments |
//! | [`decoration`] | decorations: fast math, offsets of descriptors |
//! | [`alignment`] | alignments and offsets that are constant |
//! | [`uniformity`] | resource indices that certainly differ between invocations |
//! | [`ray`] | ray flags and other constant operands of ray and mesh instructions |
//! | [`mesh`] | output counts and memory of task and mesh shaders |
//! | [`mesh_index`] | indices of mesh shaders that are constant |
//! | [`transform_feedback`] | streams and sizes of what transform feedback captures |
//! | [`written_on_all_paths`] | outputs that every path must write |

pub(crate) mod alignment;
pub(crate) mod cooperative;
pub(crate) mod decoration;
pub(crate) mod execution_mode;
pub(crate) mod group;
pub(crate) mod image;
pub(crate) mod limit;
pub(crate) mod memory;
pub(crate) mod mesh;
pub(crate) mod mesh_index;
pub(crate) mod module;
pub(crate) mod processing;
pub(crate) mod ray;
pub(crate) mod storage;
pub(crate) mod transform_feedback;
pub(crate) mod types;
pub(crate) mod uniformity;
pub(crate) mod written_on_all_paths;
