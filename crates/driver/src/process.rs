//! Which process this is. `fork` copies a process but for its threads: in the copy a device of the first
//! process has neither queues nor workers that run, so it counts as lost there, and is left alone when it is
//! destroyed.

use crate::system;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// The process that something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u64);

/// How often this process's line of ancestors has been copied since the first device.
static GENERATION: AtomicU64 = AtomicU64::new(0);

impl Process {
    /// The calling thread's.
    pub fn here() -> Process {
        static COUNTS: Once = Once::new();
        extern "C" fn count() {
            GENERATION.fetch_add(1, Ordering::Relaxed);
        }
        // Where copies are not told of, they count as the first.
        COUNTS.call_once(|| {
            system::after_fork(count);
        });
        Process(GENERATION.load(Ordering::Relaxed))
    }

    /// Whether this is another process by now.
    #[inline]
    pub fn is_another(self) -> bool {
        GENERATION.load(Ordering::Relaxed) != self.0
    }
}
