//! Pyroclast: spirv.
