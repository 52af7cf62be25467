//! Pyroclast: lower.
