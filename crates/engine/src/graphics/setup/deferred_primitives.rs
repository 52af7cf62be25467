//! The primitives of a chunk whose setup data is made when a tile is drawn: what it is made from.

use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::simd::vector::Vector;

/// Such primitives of a chunk, by their numbers: the places of their vertices in the records, with the
/// provoking one marked in the first, and their ids.
#[derive(Default)]
pub(crate) struct DeferredPrimitives {
    pub(crate) rows: Vec<Row>,
    pub(crate) kind: DeferredKind,
}

/// What a chunk's deferred primitives are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeferredKind {
    #[default]
    Triangles,
    /// Their last vertex is there twice.
    Lines,
    /// Their vertex is there three times.
    Points,
    /// Edges of triangles that are drawn as lines: with all three vertices, and in the second one's place the
    /// number of the vertex where the edge begins ([`EDGES`]).
    Edges,
}

impl DeferredKind {
    /// Whether they have a second and a third vertex.
    #[inline(always)]
    pub(crate) fn other_vertices(self) -> [bool; 2] {
        [self != DeferredKind::Points, !matches!(self, DeferredKind::Points | DeferredKind::Lines)]
    }
}

/// Marks in the second vertex's place with which vertex an edge begins.
pub(crate) const EDGES: [u32; 3] = [0, 1 << 30, 1 << 31];

/// Marks in the first vertex's place that the second one is provoking, or the third one.
pub(crate) const PROVOKING: [u32; 3] = [0, 1 << 30, 1 << 31];
pub(crate) const PLACE: i32 = (1 << 30) - 1;

impl DeferredPrimitives {
    /// Bytes of memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Row>() * self.rows.capacity()
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.kind = DeferredKind::default();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds sixteen; gives the number that those of the lanes count from, in the order of
    /// [`slot`](crate::graphics::simd::vector::slot).
    #[inline(always)]
    pub(crate) fn push<V: Vector>(&mut self, words: [V::Ints; 4]) -> u32 {
        let first = self.rows.len() * LANES / 4;
        self.rows.extend_from_slice(&V::to_quads(words));
        first as u32
    }

    /// The places of a primitive's vertices in the records.
    #[inline(always)]
    pub(crate) fn places(&self, number: u32) -> [u32; 3] {
        let words = &self.rows[number as usize / 4].0;
        let [a, b, c, _] = words.as_chunks::<4>().0[number as usize % 4];
        [a & PLACE as u32, b & PLACE as u32, c]
    }
}
