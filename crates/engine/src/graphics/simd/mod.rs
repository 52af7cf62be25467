//! Vectors of sixteen lanes: the operations that set-up and coverage of triangles are written in, once for
//! AVX-512 and once for arrays, and the memory that they read and write.
//!
//! Invariant: both implementations give the same bits. Must not know: anything about drawing.

pub(super) mod aligned_words;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod lanes;
pub(super) mod multiversion;
pub(super) mod plain;
pub(super) mod signs;
pub(super) mod transpose;
pub(super) mod vector;
