//! Recording: a command buffer is entered by one thread at a time, and an error also shows at
//! `vkEndCommandBuffer`.

use crate::call::guard_void_with;
use crate::handle::exclusive;
use crate::handle::thread;
use crate::handle::{self, ReadGuard};
use crate::registry::CommandId;
use pyro_driver::Result;
use pyro_driver::command::{CommandBuffer, FastRecorder, QueryCommand};
use pyro_driver::query::QueryPool;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Runs `body` with a command buffer that no other command uses meanwhile.
///
/// # Errors
/// When the handle is bad or the command buffer in use, and `body`'s.
#[inline]
pub(crate) fn enter<R>(
    buffer: usize,
    body: impl FnOnce(&ReadGuard, &mut CommandBuffer) -> Result<R>,
) -> Result<R> {
    let thread = thread::here();
    exclusive::enter(thread, &thread.recorder, buffer, body)
}

/// Records; an error also shows at `vkEndCommandBuffer`.
#[inline]
pub(crate) fn record(
    command: CommandId,
    buffer: vk::CommandBuffer,
    body: impl FnOnce(&mut CommandBuffer) -> Result<()>,
) {
    record_with(command, buffer, |_, buffer| body(buffer));
}

/// The same with what finds objects.
#[inline]
pub(crate) fn record_with(
    command: CommandId,
    buffer: vk::CommandBuffer,
    body: impl FnOnce(&ReadGuard, &mut CommandBuffer) -> Result<()>,
) {
    guard_void_with(command, |thread| {
        exclusive::enter(thread, &thread.recorder, buffer.as_raw(), |read, buffer| {
            body(read, buffer).inspect_err(|error| buffer.poison(error))
        })
    });
}

/// Records into the command buffer that the thread recorded into last, if it is this one and nothing is
/// special: for the most frequent commands. False, and nothing is recorded, otherwise. `body` reports nothing
/// of what it refuses; it gets the device that everything must belong to.
///
/// It runs outside [`guard`](crate::call::guard()), which costs more than the rest of such a command, because
/// nothing in it can panic: the lookups compare numbers ([`ReadGuard::found_on`]), the lock is entered or
/// not, and `FastRecorder` pushes only where there is room, so it allocates nothing, and indexes and unwraps
/// nothing. A panic would abort the process, not unwind into the application: the commands are `extern
/// "system"`.
#[inline(always)]
pub(crate) fn try_record_fast(
    buffer: vk::CommandBuffer,
    body: impl FnOnce(&ReadGuard, u64, FastRecorder<'_>) -> Option<()>,
) -> bool {
    let record = || {
        let thread = thread::placed()?;
        exclusive::enter_again(thread, &thread.recorder, buffer.as_raw(), |read, device, buffer| {
            body(read, device, buffer.fast_recorder()?)
        })
    };
    record().is_some()
}

/// A command whose arguments are all that is recorded.
macro_rules! value_command {
    ($name:ident($($argument:ident: $ty:ty),+) => $command:expr) => {
        pub(crate) unsafe extern "system" fn $name(
            buffer: vulkanalia_sys::CommandBuffer,
            $($argument: $ty,)+
        ) {
            if !$crate::call::recording::try_record_fast(buffer, |_, _, recorder| recorder.push($command)) {
                record(buffer, ($command).into());
            }

            #[cold]
            #[inline(never)]
            fn record(buffer: vulkanalia_sys::CommandBuffer, command: pyro_driver::command::Command) {
                let id = $crate::registry::CommandId::$name;
                $crate::call::recording::record(id, buffer, |buffer| buffer.push(command));
            }
        }
    };
}
pub(crate) use value_command;

/// Records a command on queries that must exist.
pub(crate) fn query(
    command: CommandId,
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    make: impl FnOnce(Arc<QueryPool>) -> QueryCommand,
) {
    record(command, buffer, |buffer| {
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        buffer.push(make(pool))
    });
}
