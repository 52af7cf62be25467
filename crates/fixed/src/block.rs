//! Whole blocks of pixels: eight columns, two rows, four quads side by side.
//!
//! Lanes are in *quad order*, as everywhere: lane `4 k + n` is pixel (`2 k + (n & 1)`, `n >> 1`) of the
//! block. In *row order*, element `8 y + x` is pixel (x, y), so that half a register is one row and thus
//! consecutive in memory.

use pyro_ir::{Builder, Opcode, Value};
use pyro_library::Ops;

/// A block's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The upper left pixel, `i32`, the same in all lanes.
    pub(crate) x: Value,
    pub(crate) y: Value,
    /// For each lane of row order, the lane of quad order with the same pixel.
    quad_lane: Value,
    /// The opposite.
    row_lane: Value,
    /// Lanes of the first and of the second row, in row order, `i1`.
    pub(crate) rows: [Value; 2],
}

impl Block {
    /// A block whose upper left is in the halves of `word`, x in the lower one.
    pub(crate) fn begin(b: &mut Builder, word: Value) -> Block {
        assert_eq!(b.function.lanes, 16, "blocks are of 16 lanes");
        let (sixteen, low) = (b.i32(16), b.i32(0xffff));
        let (x, y) = (b.and(word, low), b.lshr(word, sixteen));
        let lane = b.lane_id();
        let [one, two, three, six, eight] = [1, 2, 3, 6, 8].map(|bits| b.i32(bits));
        // Row order: bits y x2 x1 x0; quad order: bits x2 x1 y x0.
        let low_bit = b.and(lane, one);
        let columns = b.and(lane, six);
        let columns = b.shl(columns, one);
        let row = b.lshr(lane, three);
        let row = b.shl(row, one);
        let quad_lane = b.or(columns, row);
        let quad_lane = b.or(quad_lane, low_bit);
        let columns = b.lshr(lane, two);
        let columns = b.shl(columns, one);
        let row = b.and(lane, two);
        let row = b.shl(row, two);
        let row_lane = b.or(columns, row);
        let row_lane = b.or(row_lane, low_bit);
        let upper = b.ult(lane, eight);
        Block { x, y, quad_lane, row_lane, rows: [upper, b.not(upper)] }
    }

    /// The pixels' x and y.
    pub(crate) fn pixel(&self, b: &mut Builder) -> (Value, Value) {
        let (seven, three) = (b.i32(7), b.i32(3));
        let x = b.and(self.row_lane, seven);
        let y = b.lshr(self.row_lane, three);
        (b.iadd(self.x, x), b.iadd(self.y, y))
    }

    /// From quad order to row order.
    pub(crate) fn to_rows(self, b: &mut Builder, value: Value) -> Value {
        b.op(Opcode::Shuffle, &[value, self.quad_lane])
    }

    /// From row order to quad order.
    pub(crate) fn to_quads(self, b: &mut Builder, value: Value) -> Value {
        b.op(Opcode::Shuffle, &[value, self.row_lane])
    }
}
