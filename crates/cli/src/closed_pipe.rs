//! Output into a pipe whose reader has gone: `pyroclast info | head`.
//!
//! Rust's runtime ignores `SIGPIPE`, so that every later print is an error, and `println!` panics. A command
//! line tool ends silently instead, as all others do: the signal gets its usual meaning back. Programs that
//! `exec` starts get it anyway.
#![allow(unsafe_code)] // the signal's disposition

/// Lets a write into a closed pipe end the process. To be called first in `main`, while there is one thread.
pub(crate) fn end_quietly() {
    // SAFETY: SIG_DFL is a disposition that SIGPIPE may have, and no handler is replaced that anybody uses.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}
