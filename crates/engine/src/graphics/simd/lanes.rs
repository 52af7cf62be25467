//! Sixteen words, one for each vertex or triangle that code deals with at once
//! ([`vector`](crate::graphics::simd::vector)).

/// Values at a time.
pub(crate) const LANES: usize = 16;

/// Sixteen words of one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u32; LANES]);
