//! Triangles in the dense geometry format, version 1 (`VK_AMDX_dense_geometry_format`; specification, "Dense
//! Geometry Format").
//!
//! A block of 128 bytes has up to 64 vertices on a grid, and up to 64 triangles, a strip of which each names
//! the edge that it has from the one or two before it. Blocks are read into triangles like those of any other
//! geometry, each with the number of its geometry, which may be the block's or its own.
//!
//! Blocks lie in the application's memory and are not trusted: bits behind a block's end read as zeros, and
//! triangles that name vertices or edges that do not exist are inactive, as those of blocks that are none.

use crate::micromap::OpacityMap;
use crate::node::{GEOMETRY_NUMBER, GEOMETRY_OPAQUE, Triangle};
use pyro_abi::Memory;
use std::ops::Range;

/// Bytes of a block (`VK_COMPRESSED_TRIANGLE_FORMAT_DGF1_BYTE_STRIDE_AMDX`).
pub const BLOCK_BYTES: u64 = 128;

/// Words of a block.
const WORDS: usize = 32;
/// Bits of a block.
const BITS: u32 = 32 * WORDS as u32;
/// What a block's first byte is.
const MAGIC: u32 = 6;
/// Exponents of the grid, with the bias of floats.
const EXPONENTS: std::ops::RangeInclusive<u32> = 1..=232;
/// Bits of a geometry's number and its opaque flag.
const GEOMETRY_BITS: u32 = 25;

/// `VkAccelerationStructureDenseGeometryFormatTrianglesDataAMDX`.
#[derive(Clone, Debug)]
pub struct DenseTriangles {
    /// Host address of the blocks.
    pub data: u64,
    /// How many there are.
    pub block_count: u32,
    /// Triangles of all blocks, as far as the application says.
    pub triangle_count: u32,
    /// The greatest number of a primitive: the application's memory has micromap indices of no others.
    pub max_primitive: u32,
    /// The triangles' micromap, if they have one.
    pub opacity_map: Option<OpacityMap>,
}

impl DenseTriangles {
    /// The bytes that a build reads.
    pub(crate) fn bytes(&self) -> Range<u64> {
        self.data..self.data.wrapping_add(BLOCK_BYTES * u64::from(self.block_count))
    }

    /// The triangles of a block.
    pub(crate) fn block(&self, memory: Memory, number: u32) -> Vec<Triangle> {
        let at = self.data.wrapping_add(BLOCK_BYTES * u64::from(number));
        let words = std::array::from_fn(|word| memory.load::<u32>(at.wrapping_add(4 * word as u64)));
        Block(words).triangles()
    }
}

/// A block's words, of which the first bits are the low ones.
struct Block([u32; WORDS]);

/// How a triangle goes on from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    /// With three vertices of its own.
    Restart,
    /// From the second edge of the one before.
    Edge1,
    /// From the third edge of the one before.
    Edge2,
    /// From the edge of the last but one that the last has not.
    Backtrack,
}

/// Bits of the number of one of so many.
fn index_bits(count: u32) -> u32 {
    u32::BITS - (count - 1).leading_zeros()
}

/// Where the parts of a block that follow its vertices begin, in bits.
struct Layout {
    vertices: u32,
    geometries: u32,
    reused: u32,
}

impl Block {
    /// Some bits, 32 at most, from one on.
    fn bits(&self, at: u32, count: u32) -> u32 {
        let word = |index: u32| u64::from(self.0.get(index as usize).copied().unwrap_or(0));
        let both = word(at / 32) | word(at / 32 + 1) << 32;
        ((both >> (at % 32)) & ((1 << count) - 1)) as u32
    }

    /// A coordinate of the anchor, by its axis.
    fn anchor(&self, axis: usize) -> i32 {
        // The upper 24 bits of a word.
        self.0[1 + axis] as i32 >> 8
    }

    fn vertex_count(&self) -> u32 {
        self.bits(10, 6) + 1
    }

    fn triangle_count(&self) -> u32 {
        self.bits(16, 6) + 1
    }

    /// Bits of the offsets along each axis.
    fn offset_bits(&self) -> [u32; 3] {
        [64, 68, 96].map(|at| self.bits(at, 4) + 1)
    }

    /// Bits of a vertex.
    fn vertex_bits(&self) -> u32 {
        self.offset_bits().iter().sum::<u32>().next_multiple_of(4)
    }

    /// Bits that the palette of geometries has in front of its indices, and how many geometries it has.
    fn palette(&self) -> (u32, u32) {
        (self.bits(22, 5).min(GEOMETRY_BITS), self.bits(27, 5) + 1)
    }

    fn has_palette(&self) -> bool {
        self.bits(103, 1) != 0
    }

    fn layout(&self) -> Layout {
        let triangles = self.triangle_count();
        let has_user_data = self.bits(157, 1) != 0;
        let vertices = if has_user_data { 192 } else { 160 };
        let micromaps = (vertices + self.vertex_count() * self.vertex_bits()).next_multiple_of(8);
        // What a build would keep of micromaps in blocks is not used: their indices are the application's.
        let geometries = micromaps
            + match self.bits(100, 3) {
                0 => 0,
                count => (64 + 32 * count + index_bits(count) * triangles).next_multiple_of(8),
            };
        let palette = match self.has_palette() {
            false => 0,
            true => {
                let (prefix, count) = self.palette();
                let bits = prefix + index_bits(count) * triangles + count * (GEOMETRY_BITS - prefix);
                bits.next_multiple_of(8)
            }
        };
        Layout { vertices, geometries, reused: geometries + palette }
    }

    /// The positions of the vertices.
    fn vertices(&self, layout: &Layout) -> Vec<[f32; 3]> {
        let bits = self.offset_bits();
        let scale = f32::from_bits(self.bits(32, 8) << 23);
        let vertex = |number: u32| {
            let mut at = layout.vertices + number * self.vertex_bits();
            std::array::from_fn(|axis| {
                let offset = self.bits(at, bits[axis]);
                at += bits[axis];
                (self.anchor(axis) + offset as i32) as f32 * scale
            })
        };
        (0..self.vertex_count()).map(vertex).collect()
    }

    /// How triangles go on; the first one's comes last in the block, and is not there.
    fn control(&self, triangle: u32) -> Control {
        match triangle {
            0 => Control::Restart,
            _ => match self.bits(BITS - 2 * triangle, 2) {
                0 => Control::Restart,
                1 => Control::Edge1,
                2 => Control::Edge2,
                _ => Control::Backtrack,
            },
        }
    }

    /// The word of a triangle's geometry.
    fn geometry(&self, layout: &Layout, triangle: u32) -> u32 {
        let word = match self.has_palette() {
            false => self.bits(22, 10),
            true => {
                let (prefix_bits, count) = self.palette();
                let (index_bits, payload_bits) = (index_bits(count), GEOMETRY_BITS - prefix_bits);
                let prefix = self.bits(layout.geometries, prefix_bits);
                let indices = layout.geometries + prefix_bits;
                let index = self.bits(indices + triangle * index_bits, index_bits);
                let payloads = indices + self.triangle_count() * index_bits;
                let payload = self.bits(payloads + index * payload_bits, payload_bits);
                prefix << payload_bits | payload
            }
        };
        word >> 1 & GEOMETRY_NUMBER | if word & 1 != 0 { GEOMETRY_OPAQUE } else { 0 }
    }

    /// The vertices of each triangle, by their numbers, until a control that cannot be.
    fn corners(&self, layout: &Layout) -> Vec<[u32; 3]> {
        let (count, reused_bits) = (self.triangle_count(), self.bits(8, 2) + 3);
        // In front of the controls, the first one last.
        let is_first = |index: u32| {
            let before = 2 * (count - 1) + index;
            index < 3 || self.bits((BITS + 2).saturating_sub(before), 1) != 0
        };
        let (mut index, mut first_count) = (0, 0);
        let mut next = || {
            let is_first = is_first(index);
            index += 1;
            if is_first {
                first_count += 1;
                return first_count - 1;
            }
            self.bits(layout.reused + (index - 1 - first_count) * reused_bits, reused_bits)
        };
        let mut all: Vec<[u32; 3]> = Vec::new();
        let mut last = Control::Restart;
        for triangle in 0..count {
            let control = self.control(triangle);
            let corners = match (control, &all[..]) {
                (Control::Restart, _) => [next(), next(), next()],
                (Control::Edge1, [.., before]) => [before[2], before[1], next()],
                (Control::Edge2, [.., before]) => [before[0], before[2], next()],
                (Control::Backtrack, [.., before, _]) if last == Control::Edge1 => {
                    [before[0], before[2], next()]
                }
                (Control::Backtrack, [.., before, _]) if last == Control::Edge2 => {
                    [before[2], before[1], next()]
                }
                _ => break,
            };
            all.push(corners);
            last = control;
        }
        all
    }

    /// The triangles that are active.
    fn triangles(&self) -> Vec<Triangle> {
        if self.bits(0, 8) != MAGIC || !EXPONENTS.contains(&self.bits(32, 8)) {
            return Vec::new();
        }
        let layout = self.layout();
        let vertices = self.vertices(&layout);
        let primitive_base = self.bits(128, 29);
        let triangle = |(number, corners): (u32, [u32; 3])| {
            let vertex = |corner: u32| {
                let vertex = *vertices.get(corner as usize)?;
                vertex.iter().all(|value| value.is_finite()).then_some(vertex)
            };
            let [a, b, c] = corners.map(vertex);
            let primitive = primitive_base + number;
            Some(Triangle { vertices: [a?, b?, c?], primitive, geometry: self.geometry(&layout, number) })
        };
        (0..).zip(self.corners(&layout)).filter_map(triangle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a block bit by bit.
    struct Writer {
        words: [u32; WORDS],
        at: u32,
    }

    impl Writer {
        fn put(&mut self, value: u32, bits: u32) {
            for bit in 0..bits {
                if value >> bit & 1 != 0 {
                    self.words[(self.at / 32) as usize] |= 1 << (self.at % 32);
                }
                self.at += 1;
            }
        }

        fn align(&mut self) {
            self.at = self.at.next_multiple_of(8);
        }
    }

    /// A block of vertices at (x, y, z) with offsets of so many bits: the controls of all triangles but the
    /// first, and for each index whether it is a first one, or else which it is.
    fn block(
        vertices: &[[u32; 3]],
        bits: [u32; 3],
        controls: &[u32],
        indices: &[Option<u32>],
        geometries: &[u32],
    ) -> Block {
        let triangles = controls.len() as u32 + 1;
        let mut writer = Writer { words: [0; WORDS], at: 0 };
        writer.put(MAGIC, 8);
        writer.put(1, 2);
        writer.put(vertices.len() as u32 - 1, 6);
        writer.put(triangles - 1, 6);
        match geometries {
            [one] => writer.put(*one, 10),
            palette => writer.put(20 | (palette.len() as u32 - 1) << 5, 10),
        }
        // A quarter; anchors -1, 2 and -8388608.
        writer.put(125, 8);
        writer.put(u32::MAX, 24);
        writer.put(bits[0] - 1, 4);
        writer.put(bits[1] - 1, 4);
        writer.put(2, 24);
        writer.put(bits[2] - 1, 4);
        writer.put(0, 3);
        writer.put(u32::from(geometries.len() != 1), 1);
        writer.put(0x80_0000, 24);
        writer.put(1000, 29);
        writer.put(1, 1);
        writer.put(0, 2);
        writer.put(0xabcd, 32);
        for vertex in vertices {
            let end = writer.at + bits.iter().sum::<u32>().next_multiple_of(4);
            vertex.iter().zip(bits).for_each(|(&offset, bits)| writer.put(offset, bits));
            writer.at = end;
        }
        writer.align();
        if let [first, _, ..] = geometries {
            // Words of 25 bits that have their upper 20 bits in common.
            writer.put(first >> 5, 20);
            let index_bits = index_bits(geometries.len() as u32);
            (0..triangles).for_each(|triangle| writer.put(triangle % geometries.len() as u32, index_bits));
            geometries.iter().for_each(|word| writer.put(word & 31, 5));
            writer.align();
        }
        indices.iter().flatten().for_each(|&index| writer.put(index, 4));
        writer.at = BITS;
        for &control in controls {
            writer.at -= 2;
            writer.put(control, 2);
            writer.at -= 2;
        }
        for index in indices {
            writer.at -= 1;
            writer.put(u32::from(index.is_none()), 1);
            writer.at -= 1;
        }
        Block(writer.words)
    }

    /// Vertices along a line, so that one coordinate says which it is.
    fn line(count: u32) -> Vec<[u32; 3]> {
        (0..count).map(|x| [x, 3, 0]).collect()
    }

    /// The numbers of the triangles' vertices.
    fn numbers(block: &Block) -> Vec<[u32; 3]> {
        let number = |vertex: [f32; 3]| (vertex[0] * 4.0 + 1.0) as u32;
        block.triangles().iter().map(|triangle| triangle.vertices.map(number)).collect()
    }

    #[test]
    fn strips_go_on_as_controls_say() {
        let first = |count: usize| vec![None; count];
        // The specification's four ways to go on.
        for (control, new, last) in
            [(0, 3, [5, 6, 7]), (1, 1, [4, 1, 5]), (2, 1, [3, 4, 5]), (3, 1, [2, 3, 5])]
        {
            let block = block(&line(8), [5, 3, 1], &[1, 1, control], &first(2 + new), &[0]);
            assert_eq!(numbers(&block), [[0, 1, 2], [2, 1, 3], [3, 1, 4], last], "{control}");
        }
        // Back over the third edge; then a vertex that has been there.
        let block = block(&line(6), [5, 3, 1], &[2, 3, 1], &[None, None, Some(1)], &[0]);
        assert_eq!(numbers(&block), [[0, 1, 2], [0, 2, 3], [2, 1, 4], [4, 1, 1]]);
    }

    #[test]
    fn vertices_and_numbers_are_decoded() {
        let own = block(&[[0, 0, 1], [0xffff, 0, 0], [9, 15, 0]], [16, 4, 1], &[], &[], &[0b11_0000_0011]);
        let [triangle] = own.triangles()[..] else { panic!("one triangle") };
        let z = -8_388_608.0 / 4.0;
        let expected = [[-0.25, 0.5, z + 0.25], [16383.5, 0.5, z], [2.0, 4.25, z]];
        assert_eq!(triangle.vertices, expected);
        assert_eq!((triangle.primitive, triangle.geometry), (1000, 0b1_1000_0001 | GEOMETRY_OPAQUE));
        let base = 0x1f_ffe0 << 1;
        let geometries = [base, base | 1, base | 4];
        let palette = block(&line(6), [5, 3, 1], &[1, 1, 1], &[None; 3], &geometries);
        let found: Vec<(u32, u32)> =
            palette.triangles().iter().map(|one| (one.primitive, one.geometry)).collect();
        let number = 0x1f_ffe0;
        let words = [number, number | GEOMETRY_OPAQUE, number + 2, number];
        assert_eq!(found, (1000..).zip(words).collect::<Vec<_>>());
    }

    /// Whatever the bits are, triangles have vertices that exist.
    #[test]
    fn any_bits_are_sound() {
        let mut state = 1_u64;
        for round in 0..20_000 {
            let mut words = [0; WORDS].map(|_: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 32) as u32
            });
            if round % 16 != 0 {
                words[0] = words[0] & !0xff | MAGIC;
            }
            let triangles = Block(words).triangles();
            assert!(triangles.len() <= 64);
            assert!(
                triangles.iter().all(|one| one.vertices.as_flattened().iter().all(|value| value.is_finite()))
            );
        }
        assert!(Block([0; WORDS]).triangles().is_empty());
        // Back from the first, and from a restart.
        let first = block(&line(8), [5, 3, 1], &[3], &[None], &[0]);
        assert_eq!(numbers(&first), [[0, 1, 2]]);
        let restart = block(&line(8), [5, 3, 1], &[0, 3], &[None; 4], &[0]);
        assert_eq!(numbers(&restart), [[0, 1, 2], [3, 4, 5]]);
        // A vertex that is not there.
        let missing = block(&line(4), [5, 3, 1], &[1, 1], &[Some(9), None], &[0]);
        assert_eq!(numbers(&missing), [[0, 1, 2]]);
    }
}
