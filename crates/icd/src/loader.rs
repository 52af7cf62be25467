//! The loader's interface, and the commands that give commands' addresses.

use crate::call::guard_lookup;
use crate::dispatch_table;
use crate::entry::device::{Device, device_object};
use crate::entry::instance::Instance;
use crate::handle::{self, Dispatchable};
use crate::registry::CommandId;
use std::ffi::{CStr, c_char};
use vulkanalia_sys::{self as vk, Handle};

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
    // SAFETY: the caller's contract; it is not null.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if instance.is_null() {
        return dispatch_table::global(name);
    }
    let mut found = None;
    guard_lookup(CommandId::get_instance_proc_addr, || {
        found = dispatch_table::for_instance(&*Dispatchable::<Instance>::get(instance.as_raw())?, name);
        Ok(())
    });
    found
}

pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: a string by the command's contract (VUID-vkGetDeviceProcAddr-pName-parameter); it is not null.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let mut found = None;
    guard_lookup(CommandId::get_device_proc_addr, || {
        let instance = handle::get(Dispatchable::<Device>::owner(device.as_raw())?.instance)?;
        found = dispatch_table::for_device(&instance, &*device_object(device)?, name);
        Ok(())
    });
    found
}

/// The version of the interface between loader and driver that this driver speaks. With 7 the interface's own
/// functions are found by [`vk_icdGetInstanceProcAddr`], as drivers that a program gives to the loader
/// (`VK_LUNARG_direct_driver_loading`) need it; 6 is about Windows alone.
const INTERFACE_VERSION: u32 = 7;

/// The loader's first call: agrees on the interface version.
///
/// # Safety
/// `version` is valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    // SAFETY: the caller's contract.
    unsafe { *version = (*version).min(INTERFACE_VERSION) };
    vk::Result::SUCCESS
}

/// A function of the loader's interface, by name.
fn interface_function(name: &[u8]) -> vk::PFN_vkVoidFunction {
    let function = match name {
        b"vk_icdNegotiateLoaderICDInterfaceVersion" => vk_icdNegotiateLoaderICDInterfaceVersion as *const (),
        b"vk_icdGetPhysicalDeviceProcAddr" => vk_icdGetPhysicalDeviceProcAddr as *const (),
        b"vk_icdGetInstanceProcAddr" => vk_icdGetInstanceProcAddr as *const (),
        _ => return None,
    };
    // SAFETY: all function pointers have one form; the loader casts it back to the function's own type.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(function) })
}

/// The loader's way to the commands, and to the functions of its interface.
///
/// # Safety
/// As [`get_instance_proc_addr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if !name.is_null()
        // SAFETY: the caller's contract; it is not null.
        && let Some(function) = interface_function(unsafe { CStr::from_ptr(name) }.to_bytes())
    {
        return Some(function);
    }
    // SAFETY: the same contract.
    unsafe { get_instance_proc_addr(instance, name) }
}

/// The way to the commands for programs that open the library themselves, as Dawn opens SwiftShader's in
/// Chromium: `vkGetInstanceProcAddr`, in copies of the library that are put into SwiftShader's place.
///
/// The loader's library has that name, too, and programs may be linked with both: then the one would take
/// the calls of the other. So the name here is another of the same length, place in sorted lists, and hash
/// (that of `DT_GNU_HASH`), and who makes such a copy replaces it by the true one, byte by byte.
///
/// # Safety
/// As [`get_instance_proc_addr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkGetInstanceProcBCdr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the same contract.
    unsafe { get_instance_proc_addr(instance, name) }
}

/// The name under which the library exports `vkGetInstanceProcAddr` ([`vkGetInstanceProcBCdr`]), and the true
/// one.
pub const EXPORTED: (&[u8; 21], &[u8; 21]) = (b"vkGetInstanceProcBCdr", b"vkGetInstanceProcAddr");

/// A copy of the library, given as bytes, that exports [`vkGetInstanceProcBCdr`] under its true name, which
/// programs look for that use no loader; none where it does not export it.
pub fn with_true_name(mut library: Vec<u8>) -> Option<Vec<u8>> {
    let (from, to) = EXPORTED;
    let is_place = |(at, bytes): (usize, &[u8])| (bytes == from).then_some(at);
    let places: Vec<usize> = library.windows(from.len()).enumerate().filter_map(is_place).collect();
    for &at in &places {
        library[at..at + to.len()].copy_from_slice(to);
    }
    (!places.is_empty()).then_some(library)
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
    // SAFETY: the caller's contract; it is not null.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    if dispatch_table::is_physical_device_command(bytes) {
        // SAFETY: the same contract.
        unsafe { get_instance_proc_addr(instance, name) }
    } else {
        None
    }
}
