//! The gate of a debugger, which is a socket of Unix systems.

use super::Reload;
use super::memory::Patch;

/// There is none.
pub(super) enum Gate {}

impl Gate {
    /// None.
    pub(super) fn open() -> Option<Gate> {
        None
    }

    /// Never called.
    pub(super) fn pass(&mut self, _reload: &mut Reload<'_>) -> Option<Vec<Patch>> {
        match *self {}
    }
}
