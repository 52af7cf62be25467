//! Pyroclast: passes.
