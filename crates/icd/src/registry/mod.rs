//! Facts of the Vulkan registry, as data. Must know nothing of the rest of this crate.

pub(crate) mod command_providers;
pub(crate) mod parent_vuids;
