//! Where the blocks are that a texel of PVRTC depends on.

use super::{Access, Level, TexelLocation};
use crate::texel::pvrtc::Kind;
use pyro_abi::image::image_offset as field;
use pyro_ir::{Builder, Opcode, Value};
use pyro_library::Ops;

impl Access<'_, '_> {
    /// The places of the four blocks that a texel of PVRTC depends on: `block` is that of the texel, which is
    /// the one `within`.
    pub(super) fn place_around(
        &mut self,
        kind: Kind,
        plane: Value,
        level: Level,
        block: [Value; 2],
        within: Value,
    ) -> TexelLocation {
        let row_pitch = self.level_field(field::ROW_PITCH, level);
        let [width_bits, height_bits] = [kind.width_bits, 2];
        let extents = [0, 1].map(|axis| self.extent(axis, level));
        let b = &mut *self.b;
        let (zero, one) = (b.i32(0), b.i32(1));
        let mut first = 0;
        // Of each axis the block, and the one whose sample is the next nearest, beyond an edge on the other
        // side.
        let (mut blocks, mut counts) = (Vec::new(), Vec::new());
        for ((extent, own), bits) in extents.into_iter().zip(block).zip([width_bits, height_bits]) {
            let (up, by) = (b.i32((1 << bits) - 1), b.i32(bits));
            let count = b.iadd(extent, up);
            let count = b.lshr(count, by);
            let last = b.isub(count, one);
            // The highest bit of the place in the block.
            let half = b.i32(1 << (first + bits - 1));
            let half = b.and(within, half);
            let is_low = b.ieq(half, zero);
            let (before, behind) = (b.isub(own, one), b.iadd(own, one));
            let before = b.umin(before, last);
            let is_inside = b.ult(behind, count);
            let behind = b.select(is_inside, behind, zero);
            blocks.push([own, b.select(is_low, before, behind)]);
            counts.push(count);
            first += bits;
        }
        let places = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| [blocks[0][x], blocks[1][y]]);
        let places = if kind.is_second { places } else { morton_places(b, [counts[0], counts[1]], places) };
        let bytes = b.i32(self.view.format.block_bytes());
        let [offset, around @ ..] = places.map(|[x, y]| {
            let (row, column) = (b.imul(y, row_pitch), b.imul(x, bytes));
            let within_plane = b.iadd(row, column);
            b.iadd(plane, within_plane)
        });
        TexelLocation { offset, within: Some(within), around: Some(around) }
    }
}

/// The places of blocks in Morton order ([`crate::texel::decode_texel`]), of so many in x and y, powers of
/// two: each by its own column and row.
fn morton_places(b: &mut Builder, [width, height]: [Value; 2], blocks: [[Value; 2]; 4]) -> [[Value; 2]; 4] {
    let one = b.i32(1);
    let least = b.umin(width, height);
    let mask = b.isub(least, one);
    let [shared, width_bits] = [least, width].map(|count| b.op(Opcode::CountTrailingZeros, &[count]));
    let twice = b.iadd(shared, shared);
    // A bit of the other one behind each bit; what both do not have lies above.
    let mut spread = |place: Value| {
        let mut low = b.and(place, mask);
        for (by, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
            let (by, mask) = (b.i32(by), b.i32(mask));
            let moved = b.shl(low, by);
            let both = b.or(low, moved);
            low = b.and(both, mask);
        }
        let high = b.lshr(place, shared);
        (low, b.shl(high, twice))
    };
    let columns = [blocks[0][0], blocks[1][0]].map(&mut spread);
    let rows = [blocks[0][1], blocks[2][1]].map(&mut spread);
    let columns = columns.map(|(low, high)| {
        let low = b.shl(low, one);
        b.or(low, high)
    });
    let rows = rows.map(|(low, high)| b.or(low, high));
    let last = b.isub(width, one);
    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| {
        let number = b.or(columns[x], rows[y]);
        [b.and(number, last), b.lshr(number, width_bits)]
    })
}
