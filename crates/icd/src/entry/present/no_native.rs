//! There is no X server whose connections could be synchronized.

use std::ffi::c_void;

/// Nothing is waited for.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn synchronize_xcb(_: *mut c_void) {}

/// Nothing is waited for.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn synchronize_xlib(_: *mut c_void) {}
