//! Pointers that must not be null.

use crate::call::guard;
use crate::registry::CommandId;
use pyro_driver::Error;
use vulkanalia_sys as vk;

/// What commands return.
pub(crate) trait Returned {
    /// What a command returns that has done nothing, since it was called with bad arguments.
    fn refused(code: vk::Result) -> Self;
}

impl Returned for vk::Result {
    fn refused(code: vk::Result) -> vk::Result {
        code
    }
}

macro_rules! refused_as_default {
    ($($ty:ty)*) => {$(
        impl Returned for $ty {
            fn refused(_: vk::Result) -> $ty {
                Default::default()
            }
        }
    )*};
}

refused_as_default!(() u32 u64);

/// Refuses a command one of whose parameters is null against this rule (`VUID-command-parameter-parameter`).
#[cold]
#[inline(never)]
pub(crate) fn refuse_null<R: Returned>(command: CommandId, rule: &'static str) -> R {
    let parameter = rule.split('-').nth(2).unwrap_or_default();
    R::refused(guard(command, || Err(Error::misuse(format!("{parameter} is null ({rule})")))))
}
