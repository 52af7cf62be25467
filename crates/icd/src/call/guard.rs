//! The frame of a command: which command runs, what its panics and errors become.
//!
//! A panic must not leave the driver (unwinding out of an `extern "system"` function aborts the process), so
//! each body runs under [`guard`] or one of its forms. Only bodies that cannot panic may go without.

use crate::call::messages;
use crate::handle::thread::{self, Thread};
use crate::registry::CommandId;
use pyro_driver::{Error, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vulkanalia_sys as vk;

/// Runs a command's body; an error becomes its code, a panic `VK_ERROR_UNKNOWN`.
pub(crate) fn guard(command: CommandId, body: impl FnOnce() -> Result<vk::Result>) -> vk::Result {
    guard_with(command, |_| body())
}

/// [`guard`] with what the driver keeps for the thread.
#[inline]
fn guard_with(command: CommandId, body: impl FnOnce(&'static Thread) -> Result<vk::Result>) -> vk::Result {
    let thread = thread::here();
    let _activity = pyro_profiler::activity::enter_api();
    let outer = thread.context.enter(command);
    let code = match catch_unwind(AssertUnwindSafe(|| body(thread))) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => failed(error),
        Err(panic) => panicked(command, panic),
    };
    messages::tell_postponed(thread);
    thread.context.leave(outer);
    code
}

/// Tells an error; its code. Not inlined, since there are hundreds of commands.
#[cold]
#[inline(never)]
fn failed(error: Error) -> vk::Result {
    messages::error(&error);
    error.code
}

/// Tells that a command panicked.
#[cold]
#[inline(never)]
fn panicked(command: CommandId, panic: Box<dyn Any + Send>) -> vk::Result {
    drop(panic);
    let name = command.name();
    let message = format!("{name} panicked; this is a bug of the driver");
    failed(Error::new(vk::Result::ERROR_UNKNOWN, message))
}

/// Runs the body of a command that returns nothing.
pub(crate) fn guard_void(command: CommandId, body: impl FnOnce() -> Result<()>) {
    guard(command, || body().map(|()| vk::Result::SUCCESS));
}

/// [`guard_void`], not inlined: the rare rest of a command with a fast path.
#[inline(never)]
pub(crate) fn guard_void_cold(command: CommandId, body: impl FnOnce() -> Result<()>) {
    guard_void(command, body);
}

/// [`guard_void`] with what the driver keeps for the thread.
#[inline]
pub(crate) fn guard_void_with(command: CommandId, body: impl FnOnce(&'static Thread) -> Result<()>) {
    guard_with(command, |thread| body(thread).map(|()| vk::Result::SUCCESS));
}

/// [`guard_void`] for bodies that cannot panic: loaders look up more than a thousand names when a program
/// starts.
pub(crate) fn guard_lookup(command: CommandId, body: impl FnOnce() -> Result<()>) {
    let thread = thread::here();
    let outer = thread.context.enter(command);
    if let Err(error) = body() {
        messages::error(&error);
    }
    thread.context.leave(outer);
}
