//! The C ABI: entry points, handles, and the loader's interface.
//!
//! Each command is a thin function that turns handles into objects and structures into arguments, calls a
//! body of `pyro-driver`, and turns its result into a `VkResult`. `dispatch_table` is the list of all
//! commands; a name that is not in it does not exist.
//!
//! The modules are floors; each uses only those below it:
//!
//! | floor | holds | must not know |
//! | --- | --- | --- |
//! | `dispatch_table`, `loader` | names to function pointers, the loader's interface | |
//! | `record` | wrappers of commands that record calls | what commands do |
//! | `entry` | the commands' bodies, by family | the table of commands |
//! | `call` | guard against panics and null, messages, recording | commands |
//! | `handle` | handles, locks on objects, a thread's command under way | messages |
//! | `pointers` | what parameters point at, as types | commands |
//! | `registry` | facts of the Vulkan registry | all others |
//!
//! The contract of every command is the Vulkan specification's: pointers and handles are valid as it says.
//! Handles are nevertheless checked, and pointers that must not be null: a bad one is an error with a
//! message, not undefined behaviour.
#![allow(unsafe_code)] // FFI
#![allow(clippy::too_many_arguments)] // the API's

mod call;
mod dispatch_table;
mod entry;
mod handle;
mod loader;
mod pointers;
mod record;
mod registry;

pub use loader::{
    EXPORTED, get_instance_proc_addr, vk_icdGetInstanceProcAddr, vk_icdGetPhysicalDeviceProcAddr,
    vk_icdNegotiateLoaderICDInterfaceVersion, vkGetInstanceProcBCdr, with_true_name,
};

/// Has devices that are made from now on keep what their pipelines are made from, for [`reload_module`].
pub fn keep_for_reload() {
    pyro_driver::pipeline::reload::keep_for_reload();
}

/// Puts a shader module of these words in the place of another, which the digest of its words names
/// (`pyro_sanitizer::trace::module_digest`), in all pipelines and shader objects of the process and in those
/// to come; how many have been made again. Command buffers that were recorded before run the new ones. No
/// queue is to run meanwhile.
///
/// # Errors
/// Why one of them cannot be made with it: then all stay as they are.
pub fn reload_module(digest: u64, words: &[u32]) -> Result<u32, String> {
    pyro_driver::pipeline::reload::reload(digest, words).map_err(|error| error.to_string())
}

/// Has attachments whose contents are undefined after a render pass written to memory: for replays of
/// captures, which do the same while they are made.
pub fn keep_dropped_attachments() {
    pyro_driver::command::keep_dropped_attachments();
}

/// How many objects have handles now, in this process; for tests that look for leaks.
pub fn object_count() -> usize {
    handle::count()
}
