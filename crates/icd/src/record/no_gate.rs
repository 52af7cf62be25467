//! The gate of a debugger, which is a socket of Unix systems.

/// There is none.
pub(super) enum Gate {}

impl Gate {
    /// None.
    pub(super) fn open() -> Option<Gate> {
        None
    }

    /// Never called.
    pub(super) fn pass(&mut self) -> bool {
        match *self {}
    }
}
