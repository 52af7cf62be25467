//! Pyroclast: jit.
