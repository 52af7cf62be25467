//! A Vulkan driver that runs on the CPU, opened in the program's own process.
//!
//! Problem: a Vulkan program finds drivers through the system's loader, which needs an installed loader and
//! a manifest. Tests, tools and programs for machines without GPUs want neither. Approach: this crate links
//! the driver, and gives its `vkGetInstanceProcAddr` ([`get_instance_proc_addr`]), from which every binding
//! gets all commands. Where the loader is wanted, for layers or beside other drivers, [`direct`] has the
//! structures of `VK_LUNARG_direct_driver_loading`, by which it takes this driver without a manifest.
//!
//! The types are plain pointers, so that no binding is a dependency. The commands are those of the Vulkan
//! specification; the instance has one physical device.
//!
//! # With `ash`
//!
//! ```
//! use ash::vk;
//!
//! // SAFETY: the function pointer is of the driver that is linked into this program.
//! let entry = unsafe {
//!     ash::Entry::from_static_fn(ash::StaticFn {
//!         get_instance_proc_addr: std::mem::transmute(
//!             pyroclast::get_instance_proc_addr as pyroclast::GetInstanceProcAddr,
//!         ),
//!     })
//! };
//! let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
//! let info = vk::InstanceCreateInfo::default().application_info(&application);
//! // SAFETY: the structures live through the call; the instance is alive until it is destroyed.
//! unsafe {
//!     let instance = entry.create_instance(&info, None)?;
//!     let device = instance.enumerate_physical_devices()?[0];
//!     let properties = instance.get_physical_device_properties(device);
//!     assert_eq!(properties.device_name_as_c_str(), Ok(c"Pyroclast"));
//!     instance.destroy_instance(None);
//! }
//! # Ok::<(), vk::Result>(())
//! ```
//!
//! `examples/rust` in the repository has whole programs with `ash`, `vulkano` and `wgpu`, and `examples/c`
//! one in C with the header `include/pyroclast.h`. Variables such as `PYROCLAST_THREADS` work as for the
//! installed driver.
#![allow(unsafe_code)] // FFI

pub mod direct;

use std::ffi::{c_char, c_void};

/// The folder of the C header `pyroclast.h`, for build scripts that compile C against this driver.
pub const INCLUDE_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

/// A Vulkan command, to be cast to its own type (`PFN_vkVoidFunction`).
pub type VoidFunction = unsafe extern "system" fn();

/// `PFN_vkGetInstanceProcAddr`, with the instance as a plain pointer.
pub type GetInstanceProcAddr = unsafe extern "system" fn(*mut c_void, *const c_char) -> Option<VoidFunction>;

/// The driver's `vkGetInstanceProcAddr`: the address of a command by its name, or `None` for a name that the
/// driver does not know. Global commands, such as `vkCreateInstance`, need no instance.
///
/// ```
/// // SAFETY: no instance, and a string that ends in zero.
/// let create = unsafe {
///     pyroclast::get_instance_proc_addr(std::ptr::null_mut(), c"vkCreateInstance".as_ptr())
/// };
/// assert!(create.is_some());
/// ```
///
/// # Safety
/// `name` is null or a string that ends in zero; `instance` is null or a `VkInstance` of this driver
/// (specification, `vkGetInstanceProcAddr`).
pub unsafe extern "system" fn get_instance_proc_addr(
    instance: *mut c_void,
    name: *const c_char,
) -> Option<VoidFunction> {
    // The driver's entry for loaders also knows the names of the loader's interface.
    let entry = pyroclast_icd::vk_icdGetInstanceProcAddr as *const ();
    // SAFETY: `VkInstance` is a transparent pointer-sized integer in the driver's types and a pointer in C's.
    let entry = unsafe { std::mem::transmute::<*const (), GetInstanceProcAddr>(entry) };
    // SAFETY: the caller's contract.
    unsafe { entry(instance, name) }
}
