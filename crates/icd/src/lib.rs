//! The C ABI: entry points, handles, and the loader's interface.
//!
//! Each command is a thin function that turns handles into objects and structures into arguments, calls a body
//! of `pyro-driver`, and turns its result into a `VkResult`. [`guard`] keeps panics on this side. [`table`] is
//! the list of all commands; a name that is not in it does not exist.
//!
//! The contract of every function here is the Vulkan specification's: pointers and handles are valid as it says.
#![allow(unsafe_code)] // FFI
#![allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)] // see the crate's contract above
#![allow(clippy::too_many_arguments)] // the API's

mod binary;
mod command;
mod command2;
mod cooperative;
mod cuda;
mod debug;
mod descriptor;
mod descriptor_buffer;
mod device;
mod draw;
mod external;
mod feedback;
mod graph;
mod graphics;
mod handle;
mod heap;
mod host_copy;
mod image;
mod instance;
mod instrumentation;
mod memory;
mod message;
mod module;
mod object;
mod parent;
mod pipeline;
mod present;
mod private_data;
mod provider;
mod raytrace;
mod render;
mod scope;
mod state;
mod structure;
mod sync;
mod table;
mod tensor;
mod thread;
mod tools;
mod transfer;

use handle::Dispatchable;
use instance::Instance;
use pyro_driver::{Error, Result};
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use thread::Thread;
use vulkanalia_sys::{self as vk, Handle};

/// Runs a command's body; an error becomes its code, a panic `VK_ERROR_UNKNOWN`.
pub(crate) fn guard<F: FnOnce() -> Result<vk::Result>>(body: F) -> vk::Result {
    guard_at(std::any::type_name::<F>(), |_| body())
}

/// The same with what the driver keeps for the thread, of a command by its body's path.
#[inline]
fn guard_at(path: &'static str, body: impl FnOnce(&'static Thread) -> Result<vk::Result>) -> vk::Result {
    let thread = thread::here();
    let outer = thread.scope.enter(path);
    let code = catch_unwind(AssertUnwindSafe(|| body(thread)))
        .unwrap_or_else(|_| {
            Err(Error::new(vk::Result::ERROR_UNKNOWN, "the driver failed; this is a bug in it"))
        })
        .unwrap_or_else(|error| {
            message::error(&error);
            error.code
        });
    message::tell_postponed(thread);
    thread.scope.leave(outer);
    code
}

/// Runs the body of a command that returns nothing.
pub(crate) fn quiet<F: FnOnce() -> Result<()>>(body: F) {
    guard(|| body().map(|()| vk::Result::SUCCESS));
}

/// The same, for what is not as a command mostly is: the rest of it is not mixed with this.
#[inline(never)]
pub(crate) fn quiet_apart<F: FnOnce() -> Result<()>>(body: F) {
    quiet(body);
}

/// [`quiet`] with what the driver keeps for the thread.
#[inline]
pub(crate) fn quiet_with<F: FnOnce(&'static Thread) -> Result<()>>(body: F) {
    guard_at(std::any::type_name::<F>(), |thread| body(thread).map(|()| vk::Result::SUCCESS));
}

/// A slice from a count and a pointer, as the API gives arrays.
///
/// # Safety
/// `pointer` points at `count` values, or `count` is 0.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    if count == 0 || pointer.is_null() {
        &[]
    } else {
        unsafe { std::slice::from_raw_parts(pointer, count as usize) }
    }
}

/// Answers an enumeration: the count alone, or as many items as fit.
///
/// # Safety
/// `count` is valid, and `out` is null or has room for `*count` items.
pub(crate) unsafe fn enumerate<T: Copy>(items: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    unsafe {
        if out.is_null() {
            *count = items.len() as u32;
            return vk::Result::SUCCESS;
        }
        let copied = items.len().min(*count as usize);
        std::ptr::copy_nonoverlapping(items.as_ptr(), out, copied);
        *count = copied as u32;
        if copied < items.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Answers a query of a cache's data: its size alone, or as many bytes as fit; none where not even the header does.
///
/// # Safety
/// `size` is valid, and `out` is null or has room for `*size` bytes.
pub(crate) unsafe fn give_cache_data(
    data: &[u8],
    size: *mut usize,
    out: *mut std::ffi::c_void,
) -> vk::Result {
    unsafe {
        if out.is_null() {
            *size = data.len();
            return vk::Result::SUCCESS;
        }
        // The header begins with its size.
        let header = data.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        let copied = if *size < header { 0 } else { data.len().min(*size) };
        std::ptr::copy_nonoverlapping(data.as_ptr(), out.cast::<u8>(), copied);
        *size = copied;
        if copied < data.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// The structure of type `s_type` in a chain.
///
/// # Safety
/// `next` starts a valid chain, and `T` is the structure that `s_type` names.
pub(crate) unsafe fn find_mut<'a, T>(
    next: *mut std::ffi::c_void,
    s_type: vk::StructureType,
) -> Option<&'a mut T> {
    let mut next = next;
    while let Some(base) = unsafe { next.cast::<vk::BaseOutStructure>().as_mut() } {
        if base.s_type == s_type {
            return unsafe { next.cast::<T>().as_mut() };
        }
        next = base.next.cast();
    }
    None
}

/// The structure of a chain by its type's name.
macro_rules! chained {
    ($next:expr, $name:ident) => {
        $crate::find::<vulkanalia_sys::$name>($next, vulkanalia_sys::$name::default().s_type)
    };
}
pub(crate) use chained;

/// The first structure of a type in a chain.
pub(crate) unsafe fn find<'a, T>(
    mut next: *const std::ffi::c_void,
    s_type: vk::StructureType,
) -> Option<&'a T> {
    while let Some(base) = unsafe { next.cast::<vk::BaseInStructure>().as_ref() } {
        if base.s_type == s_type {
            return unsafe { next.cast::<T>().as_ref() };
        }
        next = base.next.cast();
    }
    None
}

/// A string of the API.
///
/// # Safety
/// `pointer` is null or points at a string that ends in zero.
pub(crate) unsafe fn string(pointer: *const c_char) -> Result<String> {
    if pointer.is_null() {
        return Err(Error::misuse("a null string"));
    }
    Ok(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// How many objects have handles now, in this process; for tests that look for leaks.
pub fn object_count() -> usize {
    handle::count()
}

/// The address of a command, by name: the driver's own `vkGetInstanceProcAddr`, also for use in this process
/// without a loader.
///
/// # Safety
/// `name` is a string that ends in zero.
pub unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if instance.is_null() {
        return table::global(name);
    }
    let mut found = None;
    look_up(|| {
        found = table::for_instance(&*Dispatchable::<Instance>::get(instance.as_raw())?, name);
        Ok(())
    });
    found
}

/// [`quiet`] for bodies that cannot panic: loaders look up more than a thousand names when a program starts.
fn look_up<F: FnOnce() -> Result<()>>(body: F) {
    let thread = thread::here();
    let outer = thread.scope.enter(std::any::type_name::<F>());
    if let Err(error) = body() {
        message::error(&error);
    }
    thread.scope.leave(outer);
}

unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let mut found = None;
    look_up(|| {
        let instance = handle::get(Dispatchable::<device::Device>::owner(device.as_raw())?.instance)?;
        found = table::for_device(&instance, &*device::device(device)?, name);
        Ok(())
    });
    found
}

/// The version of the interface between loader and driver that this driver speaks.
const INTERFACE_VERSION: u32 = 5;

/// The loader's first call: agrees on the interface version.
///
/// # Safety
/// `version` is valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    unsafe { *version = (*version).min(INTERFACE_VERSION) };
    vk::Result::SUCCESS
}

/// The loader's way to the commands.
///
/// # Safety
/// As [`get_instance_proc_addr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    unsafe { get_instance_proc_addr(instance, name) }
}

/// The loader's way to commands whose first argument is a physical device.
///
/// # Safety
/// As [`get_instance_proc_addr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    if table::is_physical_device_command(bytes) {
        unsafe { get_instance_proc_addr(instance, name) }
    } else {
        None
    }
}
