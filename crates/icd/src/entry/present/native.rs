//! Other people's connections to the X server.
//!
//! A surface's window may have been asked for over a connection whose requests the server has not seen yet.
//! Ours is another connection, so before it names the window, the application's is brought up to date, with
//! the functions of the library that the application made it with.

use std::ffi::{CStr, c_char, c_int, c_void};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// A function of a library that is loaded, by name.
fn find(name: &CStr) -> Option<*mut c_void> {
    // A null handle is RTLD_DEFAULT: all libraries that the process has loaded.
    // SAFETY: the name ends in zero.
    let found = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// Waits until the server has seen everything that was asked for over an `xcb_connection_t`.
///
/// # Safety
/// The connection is valid.
pub(crate) unsafe fn synchronize_xcb(connection: *mut c_void) {
    /// `xcb_get_input_focus_cookie_t`.
    #[repr(C)]
    struct Cookie {
        sequence: u32,
    }
    type Ask = unsafe extern "C" fn(*mut c_void) -> Cookie;
    type Answer = unsafe extern "C" fn(*mut c_void, Cookie, *mut *mut c_void) -> *mut c_void;
    let (Some(ask), Some(answer)) = (find(c"xcb_get_input_focus"), find(c"xcb_get_input_focus_reply")) else {
        return;
    };
    if connection.is_null() {
        return;
    }
    // SAFETY: the functions of these names have these types in libxcb; the reply is ours to free.
    unsafe {
        let ask = std::mem::transmute::<*mut c_void, Ask>(ask);
        let answer = std::mem::transmute::<*mut c_void, Answer>(answer);
        free(answer(connection, ask(connection), std::ptr::null_mut()));
    }
}

/// Waits until the server has seen everything that was asked for over a `Display`.
///
/// # Safety
/// It is null or an open `Display`.
pub(crate) unsafe fn synchronize_xlib(display: *mut c_void) {
    type Sync = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
    let Some(sync) = find(c"XSync") else { return };
    if !display.is_null() {
        // SAFETY: the function of this name has this type in libX11; the display is open, by the contract.
        unsafe { std::mem::transmute::<*mut c_void, Sync>(sync)(display, 0) };
    }
}
