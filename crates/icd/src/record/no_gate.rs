//! The gate of a debugger, which is a socket of Unix systems.

use super::memory::Patch;

/// There is none.
pub(super) enum Gate {}

impl Gate {
    /// None.
    pub(super) fn open() -> Option<Gate> {
        None
    }

    /// Never called.
    pub(super) fn pass(
        &mut self,
        _reload: &mut dyn FnMut(u64, &[u32]) -> Result<u32, String>,
    ) -> Option<Vec<Patch>> {
        match *self {}
    }
}
