//! What the application passes by pointer: arrays, strings, `pNext` chains, and results of enumerations.

use pyro_driver::{Error, Result};
use std::ffi::{CStr, c_char};
use vulkanalia_sys as vk;

/// A slice from a count and a pointer, as the API gives arrays.
///
/// # Safety
/// `pointer` points at `count` values, or `count` is 0.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    if count == 0 || pointer.is_null() {
        &[]
    } else {
        // SAFETY: the caller says that so many values are there; the pointer is not null.
        unsafe { std::slice::from_raw_parts(pointer, count as usize) }
    }
}

/// The bytes from a size and an untyped pointer, as the API gives data.
///
/// # Safety
/// `pointer` points at `size` bytes, or `size` is 0.
pub(crate) unsafe fn bytes<'a>(pointer: *const std::ffi::c_void, size: usize) -> &'a [u8] {
    if size == 0 || pointer.is_null() {
        &[]
    } else {
        // SAFETY: the caller says that so many bytes are there; the pointer is not null.
        unsafe { std::slice::from_raw_parts(pointer.cast(), size) }
    }
}

/// Answers an enumeration: the count alone, or as many items as fit.
///
/// # Safety
/// `count` is valid, and `out` is null or has room for `*count` items.
pub(crate) unsafe fn enumerate<T: Copy>(items: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    // SAFETY: the caller's contract; no more than `*count` items are written.
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

/// The structure of type `s_type` in a chain.
///
/// # Safety
/// `next` starts a valid chain, and `T` is the structure that `s_type` names.
pub(crate) unsafe fn find_mut<'a, T>(
    mut next: *mut std::ffi::c_void,
    s_type: vk::StructureType,
) -> Option<&'a mut T> {
    // SAFETY: each structure of a valid chain begins as `VkBaseOutStructure` does, and its `pNext` is null or
    // the next one.
    while let Some(base) = unsafe { next.cast::<vk::BaseOutStructure>().as_mut() } {
        if base.s_type == s_type {
            // SAFETY: its `sType` says that it is a `T`; `base` is not used any more.
            return unsafe { next.cast::<T>().as_mut() };
        }
        next = base.next.cast();
    }
    None
}

/// The structure of a chain by its type's name.
macro_rules! chained {
    ($next:expr, $name:ident) => {
        $crate::call::pointers::find::<vulkanalia_sys::$name>($next, vulkanalia_sys::$name::default().s_type)
    };
}
pub(crate) use chained;

/// The first structure of a type in a chain.
///
/// # Safety
/// As of [`find_mut`].
pub(crate) unsafe fn find<'a, T>(
    mut next: *const std::ffi::c_void,
    s_type: vk::StructureType,
) -> Option<&'a T> {
    // SAFETY: each structure of a valid chain begins as `VkBaseInStructure` does, and its `pNext` is null or
    // the next one.
    while let Some(base) = unsafe { next.cast::<vk::BaseInStructure>().as_ref() } {
        if base.s_type == s_type {
            // SAFETY: its `sType` says that it is a `T`.
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
        return Err(Error::misuse("a string is null"));
    }
    // SAFETY: the caller's contract; it is not null.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
