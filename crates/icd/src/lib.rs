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
    get_instance_proc_addr, vk_icdGetInstanceProcAddr, vk_icdGetPhysicalDeviceProcAddr,
    vk_icdNegotiateLoaderICDInterfaceVersion,
};

/// How many objects have handles now, in this process; for tests that look for leaks.
pub fn object_count() -> usize {
    handle::count()
}
