//! From a command's vertex stream to primitives (Vulkan, "Primitive Topologies").
//!
//! A command's stream is `count` vertices, numbered from 0; with an index buffer, each stands for an index.
//! Primitive restart cuts it into segments.

use crate::graphics::state::{Draw, DrawCommand, IndexBuffer, IndexType, PrimitiveKind, Topology};
use pyro_abi::Memory;
use pyro_abi::graphics::INPUT_VERTICES_MAX;
use std::ops::Range;
use std::sync::Arc;

/// One primitive: stream numbers of its corners, of which points use one and lines two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Corners {
    pub(crate) stream: [u32; 3],
    /// Which corner is the provoking vertex.
    pub(crate) provoking: u8,
}

impl Topology {
    pub(crate) fn kind(self) -> PrimitiveKind {
        match self {
            Topology::PointList => PrimitiveKind::Point,
            Topology::LineList
            | Topology::LineStrip
            | Topology::LineListWithAdjacency
            | Topology::LineStripWithAdjacency => PrimitiveKind::Line,
            _ => PrimitiveKind::Triangle,
        }
    }

    /// Primitives of a segment of `count` vertices; incomplete ones do not count.
    pub(crate) fn primitive_count(self, count: u32) -> u32 {
        match self {
            Topology::PointList => count,
            Topology::LineList => count / 2,
            Topology::LineStrip => count.saturating_sub(1),
            Topology::TriangleList => count / 3,
            Topology::TriangleStrip | Topology::TriangleFan => count.saturating_sub(2),
            Topology::LineListWithAdjacency => count / 4,
            Topology::LineStripWithAdjacency => count.saturating_sub(3),
            Topology::TriangleListWithAdjacency => count / 6,
            Topology::TriangleStripWithAdjacency => count.saturating_sub(4) / 2,
            Topology::PatchList(vertices) => count / vertices.max(1),
        }
    }

    /// Primitive `number` of a segment that begins at stream number 0.
    pub(crate) fn corners(self, number: u32, provoking_last: bool) -> Corners {
        let n = number;
        let odd = n % 2;
        let (mut stream, mut last) = match self {
            Topology::PointList => ([n, n, n], 0),
            Topology::LineList => ([2 * n, 2 * n + 1, 0], 1),
            Topology::LineStrip => ([n, n + 1, 0], 1),
            Topology::LineListWithAdjacency => ([4 * n + 1, 4 * n + 2, 0], 1),
            Topology::LineStripWithAdjacency => ([n + 1, n + 2, 0], 1),
            Topology::TriangleList => ([3 * n, 3 * n + 1, 3 * n + 2], 2),
            Topology::TriangleListWithAdjacency => ([6 * n, 6 * n + 2, 6 * n + 4], 2),
            // Odd triangles are turned round, their last vertex is in the middle.
            Topology::TriangleStrip => ([n, n + 1 + odd, n + 2 - odd], 2 - odd as u8),
            Topology::TriangleStripWithAdjacency => {
                ([2 * n, 2 * n + 2 + 2 * odd, 2 * n + 4 - 2 * odd], 2 - odd as u8)
            }
            Topology::TriangleFan => ([n + 1, n + 2, 0], 1),
            Topology::PatchList(vertices) => ([vertices * n; 3], 0),
        };
        if provoking_last && last == 1 && self.kind() == PrimitiveKind::Triangle {
            // The last is what it says (the order of `PerVertexKHR` inputs).
            stream.rotate_right(1);
            last = 2;
        }
        Corners { stream, provoking: if provoking_last { last } else { 0 } }
    }
}

impl Topology {
    /// Vertices of a primitive as geometry shaders see it, adjacent ones included.
    pub(crate) fn vertex_count(self) -> usize {
        match self {
            Topology::LineListWithAdjacency | Topology::LineStripWithAdjacency => 4,
            Topology::TriangleListWithAdjacency | Topology::TriangleStripWithAdjacency => 6,
            _ => self.kind().corner_count(),
        }
    }

    /// The vertices of primitive `number` of a segment of `count` primitives that begins at stream number 0,
    /// in the order in which geometry shaders see them; [`Topology::vertex_count`] of them.
    fn vertices(self, number: u32, count: u32) -> [u32; INPUT_VERTICES_MAX] {
        let n = number;
        let consecutive = |first: u32| std::array::from_fn(|at| first + at as u32);
        match self {
            Topology::LineListWithAdjacency => consecutive(4 * n),
            Topology::LineStripWithAdjacency => consecutive(n),
            Topology::TriangleListWithAdjacency => consecutive(6 * n),
            Topology::TriangleStripWithAdjacency => {
                // The triangle before and the one behind share an edge with this one; at the strip's ends are
                // vertices of their own.
                let before = if n == 0 { 1 } else { 2 * n - 2 };
                let behind = if n + 1 == count { 2 * n + 5 } else { 2 * n + 6 };
                if n.is_multiple_of(2) {
                    [2 * n, before, 2 * n + 2, behind, 2 * n + 4, 2 * n + 3]
                } else {
                    [2 * n + 2, before, 2 * n, 2 * n + 3, 2 * n + 4, behind]
                }
            }
            other => {
                let [a, b, c] = other.corners(n, false).stream;
                [a, b, c, 0, 0, 0]
            }
        }
    }
}

/// A run of the stream without a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its first stream number.
    pub(crate) first: u32,
    /// The number of its first primitive within the instance.
    pub(crate) first_primitive: u32,
}

/// A command's stream, cut into segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    /// The first of those with primitives.
    first: Segment,
    /// All of them, in order, where there are several.
    several: Option<Arc<Vec<Segment>>>,
    /// Primitives of one instance.
    pub(crate) primitive_count: u32,
}

impl IndexBuffer {
    /// The index with this number; 0 behind the buffer's end.
    pub(crate) fn read(&self, memory: Memory, number: u64) -> u32 {
        let bytes = self.kind.bytes();
        let offset = number * bytes;
        if self.address == 0 || offset + bytes > self.size {
            return 0;
        }
        let address = self.address + offset;
        match self.kind {
            IndexType::Uint8 => memory.load::<u8>(address).into(),
            IndexType::Uint16 => memory.load::<u16>(address).into(),
            IndexType::Uint32 => memory.load::<u32>(address),
        }
    }

    /// Appends `count` indices from number `first` on, plus an offset.
    fn read_many(&self, memory: Memory, first: u64, count: u32, offset: u32, indices: &mut Vec<u32>) {
        let end = indices.len() + count as usize;
        let bytes = self.kind.bytes();
        let held = if self.address == 0 { 0 } else { (self.size / bytes).saturating_sub(first) };
        let addresses = (0..held.min(count.into())).map(|at| self.address + (first + at) * bytes);
        match self.kind {
            IndexType::Uint8 => {
                indices.extend(addresses.map(|at| u32::from(memory.load::<u8>(at)).wrapping_add(offset)));
            }
            IndexType::Uint16 => {
                indices.extend(addresses.map(|at| u32::from(memory.load::<u16>(at)).wrapping_add(offset)));
            }
            IndexType::Uint32 => {
                // Two by two.
                let (start, count) = (indices.len(), held.min(count.into()));
                let address = |at: u64| self.address + (first + at) * bytes;
                indices.resize(start + count as usize, 0);
                let (pairs, last) = indices[start..].as_chunks_mut::<2>();
                for (at, pair) in (0..).step_by(2).zip(pairs) {
                    let both = memory.load::<u64>(address(at));
                    *pair = [both as u32, (both >> 32) as u32].map(|index| index.wrapping_add(offset));
                }
                if let [last] = last {
                    *last = memory.load::<u32>(address(count - 1)).wrapping_add(offset);
                }
            }
        }
        // Indices behind the end are 0.
        indices.resize(end, offset);
    }

    /// Calls `found` with the numbers of those of `count` indices from number `first` on that restart.
    fn for_each_restart(&self, memory: Memory, first: u64, count: u32, mut found: impl FnMut(u32)) {
        let restart = self.restart();
        let bytes = self.kind.bytes();
        let bits = 8 * bytes;
        if u64::from(restart) >> bits != 0 {
            return;
        }
        // Eight bytes at a time: restarts are rare.
        let ones = u64::MAX / ((1 << bits) - 1);
        let together = 8 / bytes as u32;
        let held = if self.address == 0 { 0 } else { (self.size / bytes).saturating_sub(first) };
        let whole = held.min(count.into()) as u32 / together * together;
        let is_restart = |number: u32| self.read(memory, first + u64::from(number)) == restart;
        for number in (0..whole).step_by(together as usize) {
            let word: u64 = memory.load(self.address + (first + u64::from(number)) * bytes);
            // A part is zero where the index restarts.
            let parts = word ^ (ones * u64::from(restart));
            if parts.wrapping_sub(ones) & !parts & ones << (bits - 1) != 0 {
                (number..number + together).filter(|&number| is_restart(number)).for_each(&mut found);
            }
        }
        // Behind the end indices are 0: nothing restarts there.
        let rest = whole..held.min(count.into()) as u32;
        rest.filter(|&number| is_restart(number)).for_each(found);
    }

    /// The index that restarts.
    fn restart(&self) -> u32 {
        self.restart.unwrap_or(match self.kind {
            IndexType::Uint8 => 0xff,
            IndexType::Uint16 => 0xffff,
            IndexType::Uint32 => u32::MAX,
        })
    }
}

impl Draw {
    /// Appends the vertex indices of consecutive stream numbers.
    pub(crate) fn corner_indices(
        &self,
        command: &DrawCommand,
        memory: Memory,
        corners: Range<u32>,
        indices: &mut Vec<u32>,
    ) {
        match &self.indices {
            Some(buffer) => {
                let first = u64::from(command.first) + u64::from(corners.start);
                let offset = command.vertex_offset as u32;
                buffer.read_many(memory, first, corners.end - corners.start, offset, indices);
            }
            None => indices.extend(corners.map(|at| command.first.wrapping_add(at))),
        }
    }
}

impl Stream {
    /// The stream of a command; `indices` only where restart is to be looked for.
    pub(crate) fn new(
        topology: Topology,
        command: &DrawCommand,
        indices: Option<(&IndexBuffer, Memory)>,
    ) -> Stream {
        let mut stream = Stream::default();
        let mut first = 0;
        if let Some((indices, memory)) = indices {
            indices.for_each_restart(memory, command.first.into(), command.count, |number| {
                stream.push(topology, first, number);
                first = number + 1;
            });
        }
        stream.push(topology, first, command.count);
        stream
    }

    fn push(&mut self, topology: Topology, first: u32, end: u32) {
        let count = topology.primitive_count(end - first.min(end));
        if count > 0 {
            let segment = Segment { first, first_primitive: self.primitive_count };
            if self.primitive_count == 0 {
                self.first = segment;
            } else {
                let several = self.several.get_or_insert_with(|| Arc::new(vec![self.first]));
                Arc::make_mut(several).push(segment);
            }
            self.primitive_count = self.primitive_count.saturating_add(count);
        }
    }

    fn segments(&self) -> &[Segment] {
        self.several.as_ref().map_or(std::slice::from_ref(&self.first), |several| several)
    }

    /// Whether the line with this number is the first of a strip. Lines of lists all are.
    pub(crate) fn starts_strip(&self, topology: Topology, number: u32) -> bool {
        !matches!(topology, Topology::LineStrip | Topology::LineStripWithAdjacency)
            || self.segments().binary_search_by_key(&number, |segment| segment.first_primitive).is_ok()
    }

    /// The vertices of the primitive with this number as geometry shaders see them.
    pub(crate) fn vertices(&self, topology: Topology, number: u32) -> [u32; INPUT_VERTICES_MAX] {
        let segments = self.segments();
        let behind = segments.partition_point(|segment| segment.first_primitive <= number);
        let segment = segments[behind - 1];
        let end = segments.get(behind).map_or(self.primitive_count, |next| next.first_primitive);
        let vertices = topology.vertices(number - segment.first_primitive, end - segment.first_primitive);
        vertices.map(|vertex| vertex + segment.first)
    }

    /// The corners of consecutive primitives, where they are consecutive themselves: those of lists without
    /// restarts.
    pub(crate) fn list_corners(&self, topology: Topology, numbers: Range<u32>) -> Option<Range<u32>> {
        let corners = match topology {
            Topology::PointList => 1,
            Topology::LineList => 2,
            Topology::TriangleList => 3,
            _ => return None,
        };
        let [segment] = self.segments()[..] else { return None };
        Some(segment.first + corners * numbers.start..segment.first + corners * numbers.end)
    }

    /// The first vertex of the patch with this number.
    pub(crate) fn first_of_patch(&self, vertices: u32, number: u32) -> u32 {
        self.corners(Topology::PatchList(vertices), number, false).stream[0]
    }

    /// The corners of the primitive with this number.
    pub(crate) fn corners(&self, topology: Topology, number: u32, provoking_last: bool) -> Corners {
        let segments = self.segments();
        let at = segments.partition_point(|segment| segment.first_primitive <= number) - 1;
        let segment = segments[at];
        let mut corners = topology.corners(number - segment.first_primitive, provoking_last);
        for corner in &mut corners.stream {
            *corner += segment.first;
        }
        corners
    }
}

/// `PrimitiveId`s.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ids<'a> {
    /// Consecutive numbers from the first on; after so many primitives they begin with it again, as those of
    /// instances do.
    Numbers {
        /// The first.
        first: u32,
        /// How many there are.
        count: u32,
    },
    /// Each primitive has its own.
    Each(&'a [u32]),
}

impl Ids<'_> {
    /// That of the primitive with this number among the chunk's.
    #[inline(always)]
    pub(crate) fn id(&self, number: u32) -> u32 {
        match *self {
            Ids::Numbers { first, count } => first + if number < count { number } else { number % count },
            Ids::Each(ids) => ids[number as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans() {
        let corners = |topology: Topology, number, last| {
            let corners = topology.corners(number, last);
            (corners.stream, corners.stream[usize::from(corners.provoking)])
        };
        assert_eq!(corners(Topology::TriangleStrip, 2, false), ([2, 3, 4], 2));
        assert_eq!(corners(Topology::TriangleStrip, 3, false), ([3, 5, 4], 3));
        assert_eq!(corners(Topology::TriangleStrip, 3, true), ([4, 3, 5], 5));
        assert_eq!(corners(Topology::TriangleFan, 1, false), ([2, 3, 0], 2));
        assert_eq!(corners(Topology::TriangleFan, 1, true), ([0, 2, 3], 3));
        assert_eq!(corners(Topology::TriangleStripWithAdjacency, 1, true), ([4, 2, 6], 6));
        assert_eq!(corners(Topology::LineStripWithAdjacency, 0, true), ([1, 2, 0], 2));
        assert_eq!(Topology::TriangleStripWithAdjacency.primitive_count(8), 2);
        assert_eq!(Topology::LineStripWithAdjacency.primitive_count(3), 0);
    }

    #[test]
    #[allow(unsafe_code)]
    fn restart_cuts_the_stream() {
        let indices: [u16; 9] = [0, 1, 2, 0xffff, 5, 0xffff, 7, 8, 9];
        let buffer = IndexBuffer {
            address: indices.as_ptr().expose_provenance() as u64,
            size: 18,
            kind: IndexType::Uint16,
            restart: None,
        };
        // SAFETY: only `indices` is read.
        let memory = unsafe { Memory::new() };
        let command = DrawCommand { count: 9, ..DrawCommand::default() };
        let stream = Stream::new(Topology::LineStrip, &command, Some((&buffer, memory)));
        assert_eq!(stream.primitive_count, 4);
        let pairs: Vec<_> =
            (0..4).map(|number| stream.corners(Topology::LineStrip, number, false).stream).collect();
        assert_eq!(pairs, [[0, 1, 0], [1, 2, 0], [6, 7, 6], [7, 8, 6]]);
        assert_eq!(buffer.read(memory, 9), 0);
        let buffer = IndexBuffer { restart: Some(5), ..buffer };
        let stream = Stream::new(Topology::LineStrip, &command, Some((&buffer, memory)));
        assert_eq!(stream.primitive_count, 3 + 3);
    }

    /// Of random bytes as indices of each width, from every first one on, those that restart are found.
    #[test]
    #[allow(unsafe_code)]
    fn restarts_are_found_anywhere() {
        let mut random = pyro_random::Random::new(1);
        let bytes: Vec<u8> =
            (0..75).map(|_| random.pick(&[0, 1, 0x7f, 0x80, 0xfe, 0xff, 0xff, 0xff])).collect();
        // SAFETY: only `bytes` are read.
        let memory = unsafe { Memory::new() };
        let address = bytes.as_ptr().expose_provenance() as u64;
        for kind in [IndexType::Uint8, IndexType::Uint16, IndexType::Uint32] {
            for restart in [None, Some(0), Some(0xff), Some(0x80ff), Some(0x0001_00ff), Some(u32::MAX)] {
                let buffer = IndexBuffer { address, size: bytes.len() as u64, kind, restart };
                for first in 0..20 {
                    let held = (buffer.size / kind.bytes()).saturating_sub(first).min(50) as u32;
                    let is_restart =
                        |&number: &u32| buffer.read(memory, first + u64::from(number)) == buffer.restart();
                    let expected: Vec<_> = (0..held).filter(is_restart).collect();
                    let mut found = Vec::new();
                    buffer.for_each_restart(memory, first, 50, |number| found.push(number));
                    assert_eq!(found, expected, "{kind:?} {restart:?} {first}");
                }
            }
        }
    }
}
