//! What was made in the place of a pipeline or shader object that command buffers hold already.

use pyro_util::sync::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An object in another's place, and the number of the reload that made it; none and zero where there is
/// none.
pub(super) type Placed<T> = (Option<Arc<T>>, u64);

/// The object that runs instead of the one that has this, if there is one. Whoever binds asks for it, so that
/// command buffers that were recorded before run it, too.
pub struct Successor<T> {
    /// The number of the reload that made it; zero where there is none.
    round: AtomicU64,
    newest: Mutex<Option<Arc<T>>>,
}

impl<T> Default for Successor<T> {
    fn default() -> Successor<T> {
        Successor { round: AtomicU64::new(0), newest: Mutex::new(None) }
    }
}

impl<T> Successor<T> {
    /// The object, if there is one.
    pub(crate) fn get(&self) -> Option<Arc<T>> {
        if self.round() == 0 { None } else { self.newest.lock().clone() }
    }

    /// The reload that made it.
    pub(crate) fn round(&self) -> u64 {
        self.round.load(Ordering::Acquire)
    }

    /// Puts another in its place; what was there.
    pub(super) fn replace(&self, (newest, round): Placed<T>) -> Placed<T> {
        let mut place = self.newest.lock();
        (std::mem::replace(&mut *place, newest), self.round.swap(round, Ordering::AcqRel))
    }
}
