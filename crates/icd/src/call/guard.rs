//! The frame of a command: which command runs, what its panics and errors become.
//!
//! A panic must not leave the driver (unwinding out of an `extern "system"` function aborts the process), so each body runs
//! under [`guard`] or one of its forms. Only bodies that cannot panic may go without.

use crate::call::messages;
use crate::handle::thread::{self, Thread};
use pyro_driver::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use vulkanalia_sys as vk;

/// Runs a command's body; an error becomes its code, a panic `VK_ERROR_UNKNOWN`.
pub(crate) fn guard<F: FnOnce() -> Result<vk::Result>>(body: F) -> vk::Result {
    guard_at(std::any::type_name::<F>(), |_| body())
}

/// The same with what the driver keeps for the thread, of a command by its body's path.
#[inline]
fn guard_at(path: &'static str, body: impl FnOnce(&'static Thread) -> Result<vk::Result>) -> vk::Result {
    let thread = thread::here();
    let outer = thread.context.enter(path);
    let code = catch_unwind(AssertUnwindSafe(|| body(thread)))
        .unwrap_or_else(|_| {
            Err(Error::new(vk::Result::ERROR_UNKNOWN, "the driver failed; this is a bug in it"))
        })
        .unwrap_or_else(|error| {
            messages::error(&error);
            error.code
        });
    messages::tell_postponed(thread);
    thread.context.leave(outer);
    code
}

/// Runs the body of a command that returns nothing.
pub(crate) fn guard_void<F: FnOnce() -> Result<()>>(body: F) {
    guard(|| body().map(|()| vk::Result::SUCCESS));
}

/// The same, for what is not as a command mostly is: the rest of it is not mixed with this.
#[inline(never)]
pub(crate) fn guard_void_cold<F: FnOnce() -> Result<()>>(body: F) {
    guard_void(body);
}

/// [`quiet`] with what the driver keeps for the thread.
#[inline]
pub(crate) fn guard_void_with<F: FnOnce(&'static Thread) -> Result<()>>(body: F) {
    guard_at(std::any::type_name::<F>(), |thread| body(thread).map(|()| vk::Result::SUCCESS));
}

/// [`quiet`] for bodies that cannot panic: loaders look up more than a thousand names when a program starts.
pub(crate) fn guard_lookup<F: FnOnce() -> Result<()>>(body: F) {
    let thread = thread::here();
    let outer = thread.context.enter(std::any::type_name::<F>());
    if let Err(error) = body() {
        messages::error(&error);
    }
    thread.context.leave(outer);
}
