//! Which process this is. `fork` copies a process but for its threads: in the copy a device of the first process has neither
//! queues nor workers that run, so it counts as lost there, and is left alone when it is destroyed.

#![allow(unsafe_code)] // a page of the system's

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The process that something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    /// The calling thread's.
    pub(crate) fn here() -> Process {
        let Some(mark) = mark() else { return Process(0) };
        let found = mark.load(Ordering::Relaxed);
        if found != 0 {
            return Process(found);
        }
        // The copy's number is none that devices of its ancestors bear, as those are alive or were when it began.
        let number = u64::from(std::process::id());
        mark.store(number, Ordering::Relaxed);
        Process(number)
    }

    /// Whether this is another process by now.
    #[inline]
    pub(crate) fn is_another(self) -> bool {
        mark().is_some_and(|mark| mark.load(Ordering::Relaxed) != self.0)
    }
}

/// A number that the system sets to zero in the copy; none where it does not do that.
#[inline]
fn mark() -> Option<&'static AtomicU64> {
    static MARK: OnceLock<Option<&'static AtomicU64>> = OnceLock::new();
    *MARK.get_or_init(wiped)
}

#[cfg(target_os = "linux")]
fn wiped() -> Option<&'static AtomicU64> {
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
    const BYTES: usize = 4096;
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: new memory, which nothing else refers to.
    let page = unsafe { mmap_anonymous(std::ptr::null_mut(), BYTES, access, MapFlags::PRIVATE) }.ok()?;
    // SAFETY: as above.
    if unsafe { madvise(page, BYTES, Advice::LinuxWipeOnFork) }.is_err() {
        // SAFETY: as above.
        let _ = unsafe { munmap(page, BYTES) };
        return None;
    }
    // SAFETY: the page is aligned, zero at first, and stays mapped.
    Some(unsafe { &*page.cast::<AtomicU64>() })
}

#[cfg(not(target_os = "linux"))]
fn wiped() -> Option<&'static AtomicU64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_itself() {
        let here = Process::here();
        assert_eq!(here, Process::here());
        assert!(!here.is_another());
    }
}
