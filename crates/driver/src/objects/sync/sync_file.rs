//! The kernel's sync files: descriptors that become readable once, when what they stand for is done.

use super::payload::Payload;
use crate::error::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::OwnedFd;
use std::sync::Weak;

/// How often a thread looks whether anybody still cares.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Whether it is readable; an error when it cannot be waited for.
fn is_ready(file: &OwnedFd, timeout: Timespec) -> Result<bool> {
    let refused = || {
        let code = vulkanalia_sys::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        Error::new(code, "the descriptor cannot be waited for")
    };
    let mut polled = [PollFd::new(file, PollFlags::IN)];
    match poll(&mut polled, Some(&timeout)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ok(false),
        Ok(_) if polled[0].revents().contains(PollFlags::NVAL) => Err(refused()),
        Ok(_) => Ok(true),
        Err(_) => Err(refused()),
    }
}

/// Signals the payload when the file is readable.
///
/// # Errors
/// `VK_ERROR_INVALID_EXTERNAL_HANDLE` when the descriptor cannot be waited for.
pub(super) fn follow(file: OwnedFd, payload: Weak<Payload>) -> Result<()> {
    let signal = |payload: &Weak<Payload>| {
        if let Some(payload) = payload.upgrade() {
            payload.signal(1);
        }
    };
    if is_ready(&file, Timespec { tv_sec: 0, tv_nsec: 0 })? {
        signal(&payload);
        return Ok(());
    }
    let body = move || {
        while payload.strong_count() != 0 {
            if is_ready(&file, LOOK).unwrap_or(true) {
                return signal(&payload);
            }
        }
    };
    let spawned = std::thread::Builder::new().name("pyro-sync-file".to_owned()).spawn(body);
    spawned.map(drop).map_err(|_| Error::out_of_host_memory())
}
