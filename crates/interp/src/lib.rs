//! Pyroclast: interp.
