//! Pyroclast: ir.
