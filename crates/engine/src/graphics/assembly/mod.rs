//! Input assembly: which vertices a primitive has, and the vertex functions' runs over them.
//!
//! Must not know: what is done with primitives.

pub(super) mod stream;
pub(super) mod vertices;
