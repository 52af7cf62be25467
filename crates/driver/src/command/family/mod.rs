//! Commands by family: what each holds, the facts that recording and execution ask of it, and how it runs.
//!
//! One file a family. A command is plain data with its objects resolved; `run` changes the state of a
//! [`CommandProcessor`](super::state::CommandProcessor). Large payloads are boxed, so that
//! [`Command`](super::Command) stays at 32 bytes: all families but draws take at most 24.
//!
//! *Must not know* command buffers and command lists, which hold these.

pub(super) mod bind;
pub(super) mod dispatch;
pub(super) mod draw;
pub(super) mod query;
pub(super) mod render;
pub(super) mod sync;
pub(super) mod transfer;
