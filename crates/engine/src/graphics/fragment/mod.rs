//! Runs of fragment functions: covered quads are packed into subgroups or listed, and a tile's attachments
//! are cleared before its first fragment and resolved after its last.
//!
//! Invariant: each sample sees its fragments in the order of primitives. Must not know: how coverage was
//! found.

pub(super) mod covered_blocks;
pub(super) mod covered_regions;
pub(super) mod fragments;
pub(super) mod load_store_ops;
pub(super) mod quad_lists;
pub(super) mod quad_packing;
pub(super) mod tile;
