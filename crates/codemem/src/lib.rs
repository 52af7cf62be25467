//! Pyroclast: codemem.
