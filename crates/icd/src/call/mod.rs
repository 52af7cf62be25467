//! What every command does around its body: the guard against panics, the results, the application's
//! pointers, messages and recording into a command buffer.
//!
//! Built on [`handle`](crate::handle); must not know any command ([`entry`](crate::entry)).

mod destroy;
pub(crate) mod guard;
pub(crate) mod messages;
mod null;
pub(crate) mod recording;
mod report;
mod string;

pub(crate) use destroy::destroy_command;
pub(crate) use guard::{guard, guard_lookup, guard_void, guard_void_cold, guard_void_with};
pub(crate) use null::refuse_null;
pub(crate) use report::{get_or_report, take_or_report};
pub(crate) use string::string;
